"""The parts of a program that may hold for a record, and their truths on the rows of a table.

The parts are, in this order: each rule as the deciding rule (and no rule); each rule that holds, whether it decides or
not, with the default of each rule with exceptions, and each exception; and each literal. A condition that is true of
every record is not a part. A score card may have further literals that are in no rule: its cuts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from unless.rule import Literal, Program, Rule
from unless.table import Codes, Column

FeatureBins = NDArray[np.int32]
Kind = OneOf["decides", "rule", "default", "exception", "literal"]


@dataclass(frozen=True, slots=True)
class ProgramPart:
    """One part of a program.

    ``number`` is the index of the rule that the part belongs to; None for a literal, and for no deciding rule. ``rule``
    is that rule, or the exception. ``within`` is the part of the rule or exception that contains an exception.
    """

    kind: Kind
    number: int | None = None
    rule: Rule | None = None
    literal: Literal | None = None
    within: ProgramPart | None = None

    @property
    def condition(self) -> Rule | None:
        """The rule that covers the records for which the part holds; None for a part about the deciding rule.

        An exception holds only where the defaults around it hold.
        """
        if self.literal is not None:
            return Rule(None, (self.literal,))
        if self.kind == "decides" or self.rule is None:
            return None
        default, part = self.rule.default, self.within
        while part is not None:
            default = (*(part.rule.default if part.rule else ()), *default)
            part = part.within
        return Rule(None, default, () if self.kind == "default" else self.rule.exceptions)

    def holds(self, program: Program, record: Mapping[str, object]) -> bool:
        """Return whether the part holds for a record."""
        condition = self.condition
        return program.decides(record) == self.number if condition is None else condition.covers(record)


def program_parts(program: Program, cuts: Sequence[Literal] = ()) -> tuple[ProgramPart, ...]:
    """Return all parts of a program in the order of the module's docstring, then ``cuts``, which are in no rule."""
    rules = list(enumerate(program.rules))
    decides = [ProgramPart("decides", number, rule) for number, rule in rules]
    if not any(map(_covers_everything, program.rules)):
        decides.append(ProgramPart("decides"))
    inner = chain.from_iterable(
        _inner_parts(ProgramPart("rule", number, rule)) for number, rule in rules if not _covers_everything(rule)
    )
    literals = dict.fromkeys(program.literals())
    return (*decides, *inner, *(ProgramPart("literal", literal=literal) for literal in (*literals, *cuts)))


def _inner_parts(part: ProgramPart) -> Iterator[ProgramPart]:
    """Yield a rule or an exception, then its default and its exceptions if it has exceptions."""
    waiting = [part]
    while waiting:
        one = waiting.pop()
        yield one
        rule = one.rule
        if rule is None or not rule.exceptions:
            continue
        if rule.default and one.kind == "rule":
            yield ProgramPart("default", one.number, rule)
        waiting.extend(
            ProgramPart("exception", one.number, exception, within=one) for exception in reversed(rule.exceptions)
        )


def _covers_everything(rule: Rule) -> bool:
    """Return whether the rule covers every record."""
    return not rule.default and not rule.exceptions


# Truths.


@dataclass(frozen=True, slots=True)
class PartTruths:
    """The truths of the parts on some rows.

    ``bins`` has a row for each feature, from which the truths of its literals follow (`BinnedFeature.holds`);
    ``deciding`` is the index of the part about the deciding rule; ``inner`` has a row for each rule, default and
    exception.
    """

    bins: FeatureBins
    deciding: NDArray[np.int32]
    inner: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class BinnedFeature:
    """A feature whose literals cut its codes into a few bins: codes in one bin satisfy the same literals.

    ``bins`` contains the bin of each code, ``places`` the indices of the literals among the parts, ``spans`` the bins
    that satisfy them (as in `Column.span`), and ``holds[bin, literal]`` their truths.
    """

    bins: FeatureBins
    places: list[int]
    spans: list[tuple[int, int, bool]]
    holds: NDArray[np.bool_]

    @classmethod
    def of(cls, column: Column, tests: Mapping[Literal, int]) -> BinnedFeature:
        """Create the bins of a column, given the literals that test it and their indices among the parts."""
        spans = [column.span(literal) for literal in tests]
        last = column.missing + 1
        cuts = sorted({0, last, *chain.from_iterable((low, end) for low, end, _ in spans)})
        place = {cut: number for number, cut in enumerate(cuts)}
        binned = [(place[low], place[end], negated) for low, end, negated in spans]
        bins = np.arange(len(cuts) - 1, dtype=np.int32)
        low, end, negated = np.array(binned, dtype=np.int32).reshape(-1, 3).T
        holds = ((low <= bins[:, np.newaxis]) & (bins[:, np.newaxis] < end)) != negated
        lengths = [after - before for before, after in pairwise(cuts)]
        return cls(np.repeat(bins, lengths), list(tests.values()), binned, holds)


class PartReader:
    """Finds the truths of a program's parts from the codes of the features that it uses."""

    def __init__(self, program: Program, parts: Sequence[ProgramPart], columns: Sequence[Column]) -> None:
        self.decisions = sum(part.kind == "decides" for part in parts)
        tests: dict[str, dict[Literal, int]] = {column.name: {} for column in columns}
        for place, part in enumerate(parts):
            if part.literal is not None:
                tests[part.literal.feature][part.literal] = place
        self.features = [BinnedFeature.of(column, tests[column.name]) for column in columns]
        self._few = all(len(feature.holds) < 256 for feature in self.features)
        self.inner = range(self.decisions, len(parts) - sum(map(len, tests.values())))
        where = {literal: (k, j) for k, own in enumerate(tests.values()) for j, literal in enumerate(own)}
        places = iter(range(len(self.inner)))
        self._plans = [
            None if _covers_everything(rule) else _TruthPlan.of(rule, where, places, top=True) for rule in program.rules
        ]

    def read(self, codes: Sequence[Codes], rows: int) -> PartTruths:
        """Compute the truths on some rows, given the codes of the reader's columns."""
        return self.truths(self.bins(codes, rows))

    def bins(self, codes: Sequence[Codes], rows: int) -> FeatureBins:
        """Return the bin of each feature (rows of the array) for some rows; all truths follow from the bins."""
        bins = np.empty((len(self.features), rows), np.int32)
        for out, feature, column in zip(bins, self.features, codes, strict=True):
            feature.bins.take(column, out=out, mode="clip")
        return bins

    def truths(self, bins: FeatureBins) -> PartTruths:
        """Compute the truths on rows with these bins."""
        # Comparing bytes takes a quarter of the time.
        return PartTruths(bins, *self._decide(bins.astype(np.uint8) if self._few else bins))

    def _decide(self, bins: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        rows = bins.shape[1]
        inner = np.zeros((len(self.inner), rows), bool)
        deciding = np.full(rows, len(self._plans), np.int32)  # no rule
        free = np.ones(rows, bool)
        everywhere = np.ones(rows, bool)
        for number, plan in enumerate(self._plans):
            covered = everywhere if plan is None else self._follow(plan, bins, everywhere, inner)
            np.copyto(deciding, number, where=covered & free)
            free &= ~covered
        return deciding, inner

    def _follow(
        self, plan: _TruthPlan, bins: NDArray[Any], within: NDArray[np.bool_], inner: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return which rows within the outer defaults a rule or exception covers; store the truths of all its parts."""
        truth: NDArray[np.bool_] = inner[plan.place]
        np.copyto(truth, within)
        for feature, literal in plan.literals:
            truth &= self._holds(bins[feature], self.features[feature].spans[literal])
        if not plan.exceptions or not truth.any():
            return truth
        default = truth.copy()
        if plan.default is not None:
            np.copyto(inner[plan.default], default)
        for exception in plan.exceptions:
            truth &= ~self._follow(exception, bins, default, inner)
        return truth

    @staticmethod
    def _holds(bins: NDArray[Any], span: tuple[int, int, bool]) -> NDArray[np.bool_]:
        low, end, negated = span
        held: NDArray[np.bool_] = bins < end
        if low:
            held = bins == low if end == low + 1 else held & (bins >= low)
        return ~held if negated else held


@dataclass(frozen=True, slots=True)
class _TruthPlan:
    """How to find the truth of a rule or exception: its literals, its part, the part of its default, its exceptions."""

    literals: list[tuple[int, int]]
    place: int
    default: int | None
    exceptions: list[_TruthPlan]

    @classmethod
    def of(
        cls, rule: Rule, where: Mapping[Literal, tuple[int, int]], places: Iterator[int], *, top: bool = False
    ) -> _TruthPlan:
        """Create the plan of a rule; parts are numbered in the order of `program_parts`."""
        place = next(places)
        default = next(places) if top and rule.default and rule.exceptions else None
        inner = [cls.of(exception, where, places) for exception in rule.exceptions]
        return cls([where[literal] for literal in dict.fromkeys(rule.default)], place, default, inner)
