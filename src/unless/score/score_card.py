"""The score card of a program: points for each part that holds, which add up to the probabilities of the labels.

The label is always the label of the list. If the sum favours another label, the list itself adds just enough points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ProgramError
from unless.kernels.score_sums import add_chosen
from unless.model.points import Points, expand_to_all_labels, probabilities_of
from unless.model.prediction import head_indices, tested_columns
from unless.model.value_bins import Bins, Fill, ValueBins, bins_tested_by, fillers
from unless.rule import Literal, Program, Rule
from unless.score.program_parts import ProgramPart, program_parts
from unless.score.voting_code import Instructions, VotingCode
from unless.table import Table
from unless.values import Label
from unless.values.notation import NotatedNumber, Notation

MOST_POINTS = 1_000_000
"""The maximum points of a part or the base: a thousand logits. Sums of a billion parts are exact in doubles."""

_BLOCK = 8192
"""Rows per block, chosen so that the truths of fifty parts fit into the second-level cache."""


UNTESTED = "The probabilities also count features that no rule tests"
"""The sentence, with the names of these features after a colon, wherever a probability is shown."""


@dataclass(frozen=True, eq=False)
class ScoreCard:
    """Points for each part of a program, and for each label; a thousand points multiply the odds of a label by e.

    With two labels, only the second one has a column: its points against the first. With more, each label has one.

    Parameters
    ----------
    program, classes
        The rules, and all labels of training, sorted.
    base
        The points that every record gets, one number for each column.
    points
        The points of each of the `program_parts` (rows) in each column.
    cuts
        Literals that are in no rule: they refine the probabilities. They are on numbers that rules test or, in a card
        of all features, on any feature.
    """

    program: Program
    classes: tuple[Label, ...]
    base: Points
    points: Points
    cuts: tuple[Literal, ...] = ()

    def __post_init__(self) -> None:
        if len(self.classes) < 2:
            raise ProgramError("a score card has at least two labels")
        cuts = set(self.cuts)
        if len(cuts) < len(self.cuts) or cuts & {*self.program.literals()}:
            raise ProgramError("cuts: each must be a literal that is in no rule, once")
        if unknown := {cut.feature for cut in cuts} - {*self.program.features}:
            raise ProgramError(f"cuts: {min(unknown)!r} is not a feature of the program")
        width, height = point_columns(self.classes), len(self.parts)
        for name, shape in (("base", (width,)), ("points", (height, width))):
            found = np.asarray(getattr(self, name))
            if found.shape != shape or (found.size and found.dtype.kind not in "iu"):
                raise ProgramError(f"{name}: expected whole numbers in the shape {shape}, not {found.shape}")
            if found.size and not -MOST_POINTS <= found.min() <= found.max() <= MOST_POINTS:
                raise ProgramError(f"{name}: points are at most {MOST_POINTS:,}")
            fixed = np.array(found, dtype=np.int64)
            fixed.flags.writeable = False
            object.__setattr__(self, name, fixed)

    @cached_property
    def parts(self) -> tuple[ProgramPart, ...]:
        """The parts of the program, then the cuts."""
        return program_parts(self.program, self.cuts)

    @cached_property
    def tested(self) -> Program:
        """The rules, followed by a rule for each cut: what the card tests, but not what it decides."""
        notations = self.program.notations
        cuts = (cut if (form := notations.get(cut.feature)) is None else noted(cut, form) for cut in self.cuts)
        return replace(self.program, rules=(*self.program.rules, *(Rule(self.classes[0], (cut,)) for cut in cuts)))

    @property
    def untested(self) -> tuple[str, ...]:
        """The features that the card has points for, and that no rule tests."""
        known = set(self.program.used)
        return tuple(name for name in self.tested.used if name not in known)

    @cached_property
    def heads(self) -> NDArray[np.int64]:
        """The index of the label of each rule, and last of no rule; -1 for no label."""
        return head_indices(self.program, self.classes)

    @cached_property
    def scorer(self) -> CardScorer:
        """The card compiled to instructions that add up the points of rows."""
        return CardScorer(self)

    def totals(self, table: Table) -> Points:
        """Compute the points of each row in each column; the label of the deciding rule has the most points."""
        return self.scorer.totals(fillers(self.scorer.bins, tested_columns(self.tested, table)), len(table))

    def probabilities(self, table: Table) -> NDArray[np.float64]:
        """Compute the probability of each label (columns) for each row."""
        return self.shares(fillers(self.scorer.bins, tested_columns(self.tested, table)), len(table))

    def shares(self, fills: Sequence[Fill], rows: int) -> NDArray[np.float64]:
        """Compute the probability of each label for each row, given functions that write the bins of the scorer."""
        totals, labels = self.scorer.totals(fills, rows), len(self.classes)
        out = np.empty((rows, labels))
        for start in range(0, rows, _BLOCK):  # all rows at once would not fit into a cache
            block = slice(start, start + _BLOCK)
            out[block] = probabilities_of(expand_to_all_labels(totals[block], labels))
        return out

    def __getstate__(self) -> dict[str, object]:
        """Return the state to copy, without compiled instructions."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def lines(self, record: Mapping[str, object]) -> Iterator[tuple[ProgramPart | None, Points]]:
        """Yield the parts that hold for a record with their points; None is the base and, last, the list itself.

        This is the definition; `totals` computes the same sums for many rows.
        """
        program, total = self.program, self.base.copy()
        yield None, self.base
        for part, points in zip(self.parts, self.points, strict=True):
            if part.holds(program, record):
                total += points
                yield part, points
        decided = program.decides(record)
        head = self.heads[-1 if decided is None else decided]
        added = add_leads(total[np.newaxis], head[np.newaxis])[0] - total
        if added.any():
            yield None, added


class CardScorer:
    """Adds up the points of rows in blocks: literals by a table for each feature, other parts where they hold."""

    def __init__(self, card: ScoreCard) -> None:
        self.bins = bins_tested_by(card.tested)
        self._base, width = card.base, len(card.base)
        tests: dict[str, list[tuple[Literal, Points]]] = {one.feature: [] for one in self.bins}
        for part, own in zip(card.parts, card.points, strict=True):
            if part.literal is not None:
                tests[part.literal.feature].append((part.literal, own))
        self._features = [_points_of_bins(one, tests[one.feature], width) for one in self.bins]
        others = [place for place, part in enumerate(card.parts) if part.literal is None]
        decides = sum(part.kind == "decides" for part in card.parts)
        heads = np.zeros(len(others), np.int64)
        heads[:decides] = card.heads[:decides]  # the label of the deciding rule, beside its points
        points = np.column_stack([card.points[others], heads])
        written = Instructions(width + 1)
        inner = [place * (width + 1) if points[place].any() else None for place in range(decides, len(others))]
        written.add_parts(card.program, decides, inner)
        self._code = VotingCode(self.bins, written, points.reshape(-1))

    def totals(self, fills: Sequence[Fill], rows: int, *, lead: bool = True) -> Points:
        """Compute the points of each row in each column, given functions that write the bins.

        With ``lead``, the label of the deciding rule gets just enough points to have the most.
        """
        width, size = len(self._base), min(_BLOCK, -(-rows // 64) * 64)
        out, block, room = (
            np.empty((rows, width), np.int64),
            np.zeros((len(fills), size), np.int32),
            self._code.room(size // 64),
        )
        for start in range(0, rows, _BLOCK):
            end = min(start + _BLOCK, rows)
            for bins, fill in zip(block, fills, strict=True):
                fill(start, end, bins[: end - start])
            self._add(block, room, out[start:end], lead=lead)
        return out

    def _add(self, block: Bins, room: NDArray[np.uint64], out: Points, *, lead: bool) -> None:
        """Write the points of a block of rows."""
        out[:] = self._base
        flat, (rows, width) = out.reshape(-1), out.shape
        for bins, points in zip(block, self._features, strict=True):
            add_chosen(bins[:rows], points, width, flat)
        found = np.zeros((rows, width + 1), np.int64)
        self._code.add_block(block, room, found)
        out += found[:, :-1]
        if lead:
            out[:] = add_leads(out, found[:, -1])


def _points_of_bins(bins: ValueBins, tests: Sequence[tuple[Literal, Points]], width: int) -> Points:
    """Return, for each bin of a feature in order, the points of the literals that hold in it."""
    found = np.zeros((bins.count, width), np.int64)
    for literal, points in tests:
        low, end, negated = bins.span(literal)
        found[low:end] += points * (1 - 2 * negated)
        found += points * negated
    return found.reshape(-1)


def noted(cut: Literal, notation: Notation) -> Literal:
    """Return a cut whose number is written like those of the rules: files may have plain numbers."""
    return cut if isinstance(cut.value, str | None) else replace(cut, value=NotatedNumber(cut.value, notation))


def tested_numbers(program: Program) -> dict[str, set[Literal]]:
    """Return the features whose numbers rules compare, with the comparing literals."""
    found: dict[str, set[Literal]] = {}
    for literal in program.literals():
        if literal.op in ("<=", ">"):
            found.setdefault(literal.feature, set()).add(literal)
    return found


def require_card(card: ScoreCard | None) -> ScoreCard:
    """Return the card of a model; raise an error if the model has no card."""
    if card is None:
        raise ParameterError(
            "the model has no points: it has one label, more than 200,000 points, or comes from an earlier version; "
            "in that case fit it again, or fit the points to labelled records: model.with_program(model.program_, X, y)"
        )
    return card


def point_columns(classes: Sequence[object]) -> int:
    """Return the number of columns of points for these labels."""
    return 1 if len(classes) == 2 else len(classes)


def add_leads(totals: Points, heads: NDArray[np.int64]) -> Points:
    """Add just enough points to rows that the label of each row leads by a point; -1 is no label."""
    if totals.shape[1] == 1:
        own = heads[:, np.newaxis]
        return np.where(own == 1, np.maximum(totals, 1), np.where(own == 0, np.minimum(totals, -1), totals))
    decided = np.flatnonzero(heads >= 0)
    places, found = heads[decided], totals.copy()
    rivals = totals[decided]
    rivals[np.arange(len(decided)), places] = np.iinfo(np.int64).min
    found[decided, places] = np.maximum(found[decided, places], rivals.max(axis=1) + 1)
    return found
