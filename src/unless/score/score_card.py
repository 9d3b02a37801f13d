"""The score card of a program: points for each part that holds, which add up to the probabilities of the labels.

The label stays that of the list. Where the sum would favour another one, the list itself adds just enough points.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ProgramError
from unless.kernels.score_sums import add_chosen, add_where
from unless.model.points import Points, expand_to_all_labels, probabilities_of
from unless.model.prediction import head_indices, tested_columns
from unless.rule import Literal, Program
from unless.score.program_parts import PartReader, ProgramPart, program_parts
from unless.table import Codes, Column, Table
from unless.values import Label

MOST_POINTS = 1_000_000
"""The most points of a part, or of the base: a thousand logits. Sums of a billion parts are still exact in doubles."""

_BLOCK = 8192
"""Rows per block: the truths of fifty parts fit into the second-level cache."""


@dataclass(frozen=True, eq=False)
class ScoreCard:
    """Points for each part of a program, and for each label; a thousand points multiply the odds of a label by e.

    Two labels need only one column: points for the second label, against the first. Of more labels, each has a column.

    Parameters
    ----------
    program, classes
        The rules, and all labels of training, sorted.
    base
        The points that every record has: one for each column.
    points
        The points of each of the `program_parts` (rows) in each column.
    cuts
        Literals that no rule has, on numbers that rules test: they tell more likely records from less likely ones.
    """

    program: Program
    classes: tuple[Label, ...]
    base: Points
    points: Points
    cuts: tuple[Literal, ...] = ()

    def __post_init__(self) -> None:
        if len(self.classes) < 2:
            raise ProgramError("a score card has at least two labels")
        known = tested_numbers(self.program)
        if len(set(self.cuts)) < len(self.cuts) or not all(can_cut(cut, known) for cut in self.cuts):
            raise ProgramError("cuts: each compares numbers that rules compare, with another number, once")
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
        """The parts of the program that can hold, then the cuts."""
        return program_parts(self.program, self.cuts)

    @cached_property
    def heads(self) -> NDArray[np.int64]:
        """The place of the label of each rule and, last, of no rule, among the labels; -1 where there is no label."""
        return head_indices(self.program, self.classes)

    def totals(self, table: Table) -> Points:
        """The points of each row in each column; where a rule decides, its label leads."""
        columns = tested_columns(self.program, table)
        return self.scorer(columns)(Table(tuple(columns), rows=len(table)))

    def probabilities(self, table: Table) -> NDArray[np.float64]:
        """The probability of each label (columns) for each row."""
        totals, labels = self.totals(table), len(self.classes)
        out = np.empty((len(table), labels))
        for start in range(0, len(table), _BLOCK):  # all rows at once would not fit into a cache
            rows = slice(start, start + _BLOCK)
            out[rows] = probabilities_of(expand_to_all_labels(totals[rows], labels))
        return out

    def scorer(self, columns: Sequence[Column]) -> CardScorer:
        """What adds up points for rows of these columns, those that the program uses."""
        return CardScorer(self, columns)

    def lines(self, record: Mapping[str, object]) -> Iterator[tuple[ProgramPart | None, Points]]:
        """The parts that hold for a record, with their points; None is the base, and last, if needed, the list itself.

        This is the definition; `totals` gives the same sums for many rows.
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
    """Adds up the points of rows, block by block: literals by a table per feature, other parts where they hold."""

    def __init__(self, card: ScoreCard, columns: Sequence[Column]) -> None:
        self._card = card
        self._reader = reader = PartReader(card.program, card.parts, columns)
        self._columns = [column.name for column in columns]
        points = card.points.copy()  # the kernels take only what could be written to
        self._deciding = points[: reader.decisions].reshape(-1)
        self._inner_parts = [(place, points[part]) for place, part in enumerate(reader.inner) if points[part].any()]
        self._features = [
            (feature.holds.astype(np.int64) @ points[feature.places]).reshape(-1) for feature in reader.features
        ]

    def __call__(self, table: Table) -> Points:
        """The points of each row of a table in each column."""
        codes = [table.column(name).codes for name in self._columns]
        out = np.empty((len(table), len(self._card.base)), np.int64)
        for start in range(0, len(table), _BLOCK):
            rows = slice(start, min(start + _BLOCK, len(table)))
            self._add([column[rows] for column in codes], out[rows])
        return out

    def _add(self, codes: Sequence[Codes], out: Points) -> None:
        """Write the points of a block of rows."""
        out[:] = self._card.base
        flat, (rows, width) = out.reshape(-1), out.shape
        truths = self._reader.read(codes, rows)
        for bins, points in zip(truths.bins, self._features, strict=True):
            add_chosen(bins, points, width, flat)
        add_chosen(truths.deciding, self._deciding, width, flat)
        for place, points in self._inner_parts:
            add_where(truths.inner[place].view(np.uint8), points, flat)
        out[:] = add_leads(out, self._card.heads[truths.deciding])


def tested_numbers(program: Program) -> dict[str, set[Literal]]:
    """The features whose numbers rules compare, with these literals."""
    found: dict[str, set[Literal]] = {}
    for literal in (literal for rule in program.rules for literal in rule.literals()):
        if literal.op in ("<=", ">"):
            found.setdefault(literal.feature, set()).add(literal)
    return found


def can_cut(literal: Literal, tested: Mapping[str, Collection[Literal]]) -> bool:
    """Whether a literal can be a cut, given `tested_numbers`."""
    return literal.op in ("<=", ">") and literal not in tested.get(literal.feature, (literal,))


def require_card(card: ScoreCard | None) -> ScoreCard:
    """Return the card of a model; a model without one is an error."""
    if card is None:
        raise ParameterError(
            "the model has no points: it has one label, more than 200,000 points, or comes from an earlier version; "
            "in that case fit it again, or fit the points to labelled records: model.with_program(model.program_, X, y)"
        )
    return card


def point_columns(classes: Sequence[object]) -> int:
    """How many columns of points some labels have."""
    return 1 if len(classes) == 2 else len(classes)


def add_leads(totals: Points, heads: NDArray[np.int64]) -> Points:
    """The points of rows with just enough added that the label of each leads by a point; -1 is no label."""
    if totals.shape[1] == 1:
        own = heads[:, np.newaxis]
        return np.where(own == 1, np.maximum(totals, 1), np.where(own == 0, np.minimum(totals, -1), totals))
    decided = np.flatnonzero(heads >= 0)
    places, found = heads[decided], totals.copy()
    rivals = totals[decided]
    rivals[np.arange(len(decided)), places] = np.iinfo(np.int64).min
    found[decided, places] = np.maximum(found[decided, places], rivals.max(axis=1) + 1)
    return found
