"""`ScoreDecider`: decides by points instead of by the first rule: the least expected cost, or the most points.

The points are those of a committee, or of the score card of a list without the points that make the list's own label
lead. Records whose decision is expected to cost more than a price are rejected: somebody else decides them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from unless.model.costs import Costs, Floats, whole_odds
from unless.model.points import Points, expand_to_all_labels, leading_label_index
from unless.model.prediction import Decider, Decisions, ProgramCode, head_indices, tested_columns
from unless.model.value_bins import NewCells, ValueBins, fillers
from unless.rule import Program
from unless.score.committee import Committee
from unless.score.score_card import ScoreCard
from unless.table import Table
from unless.values import Label

__all__ = ["ScoreDecider", "committee_of"]

By = OneOf["costs", "score", "rules"]
"""How a label is chosen: the least expected cost, the most points, or the first rule that covers the record."""

_NOUNS = {"costs": "decides by costs", "score": "decides by its score", "rules": "passes records on"}

_HIGHEST = 40_000
"""Points beyond this difference make no difference: the odds are rounded to 0."""

_NEVER = 2**52
"""More points than a record can have."""


@dataclass(frozen=True, eq=False, repr=False)
class ScoreDecider:
    """Decides by the points of a score card or a committee, and by what decisions cost.

    Parameters
    ----------
    score
        What gives the points: the score card of a list, or a committee.
    by
        How the label is chosen. Only a list can decide by its rules; it then uses points only to reject records.
    costs
        What each decision costs where each label is true.
    reject
        The price of rejecting: a record is rejected if the label is expected to cost more. None rejects no record.
    """

    score: ScoreCard | Committee
    by: By
    costs: Costs
    reject: float | None = None

    by_rule: ClassVar[bool] = False
    """False: the points of many parts decide (`prediction.Decider`)."""

    # What a decider has.

    @property
    def source(self) -> Program | Committee:
        """The list or the committee whose points are used."""
        return self.score if isinstance(self.score, Committee) else self.score.program

    @property
    def noun(self) -> str:
        """The name of the decider in messages."""
        return f"{self.score.noun if isinstance(self.score, Committee) else 'list'} that {_NOUNS[self.by]}"

    @property
    def target(self) -> str:
        """The name of the column of labels."""
        return self.source.target

    @property
    def features(self) -> tuple[str, ...]:
        """The names of all training columns, those with amounts included."""
        return self.source.features

    @cached_property
    def used(self) -> tuple[str, ...]:
        """The features that rules test, and the columns with the amounts of costs."""
        used = {*self.all_rules.used, *self.costs.used}
        return tuple(name for name in self.features if name in used)

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels whose points are compared."""
        return self.score.classes

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels that the decider can give."""
        return self.classes

    @cached_property
    def heads(self) -> tuple[Label | None, ...]:
        """The labels; then None if records can be rejected, and None if there may be records that no rule covers."""
        return (*self.classes, *[None] * (self.reject is not None), *[None] * self._leaves_open)

    @property
    def rejected(self) -> int | None:
        """The index in ``heads`` of the rejected records; None if no record is rejected."""
        return None if self.reject is None else len(self.classes)

    @property
    def _leaves_open(self) -> bool:
        """Whether records that no rule covers have no label."""
        return self.by == "rules" and self.source.all_rules.otherwise is None and not self.source.all_rules.closed

    @property
    def lists(self) -> tuple[Program, ...]:
        """The lists of rules."""
        return self.source.lists

    @property
    def all_rules(self) -> Program:
        """All rules in one list, followed by the cuts of a score card."""
        return self.score.tested if isinstance(self.score, ScoreCard) else self.score.all_rules

    # Decisions.

    @property
    def bins(self) -> Sequence[ValueBins]:
        """The bins of each feature that rules test."""
        return self.score.code.bins if isinstance(self.score, Committee) else self.score.scorer.bins

    def decide(self, table: Table, threads: int = 2) -> Decisions:
        """Decide every row: return indices in ``heads``, and the points of every label."""
        return self.decide_cells(self._cells(table), len(table), threads)

    def decide_cells(self, cells: Mapping[str, NewCells], rows: int, threads: int = 2) -> Decisions:
        """Decide rows whose cells are given by feature, in the notation of the rules."""
        points = self.points(cells, rows, threads)
        odds, amounts = whole_odds(points), self.costs.amounts(cells, rows)
        sums = self.costs.sums(odds, amounts)
        chosen = self._choose(points, sums, cells, rows)
        if self.reject is not None:
            least = sums[np.arange(rows), chosen]  # of an open decision, any: it is not rejected
            dear = least > self.reject * self.costs.unit * odds.sum(axis=1)
            chosen = np.where(dear & (chosen >= 0), len(self.classes), chosen)
        return Decisions((chosen % len(self.heads)).astype(np.int32), points)

    def _choose(self, points: Points, sums: Floats, cells: Mapping[str, NewCells], rows: int) -> NDArray[np.int64]:
        """Choose the label of each row; -1 is no label. The first of several equal labels wins."""
        if self.by != "rules":
            places: NDArray[np.int64] = sums.argmin(axis=1) if self.by == "costs" else leading_label_index(points)
            return places
        program = self.source.all_rules
        code = ProgramCode(program)
        deciding = code.decide(fillers(code.bins, [cells[one.feature] for one in code.bins]), rows)
        return head_indices(program, self.classes)[deciding]

    def points(self, cells: Mapping[str, NewCells], rows: int, threads: int = 2) -> Points:
        """Compute the points of every row and label, without those by which the label of a list leads."""
        fills = fillers(self.bins, [cells[one.feature] for one in self.bins])
        if isinstance(self.score, Committee):
            return self.score.add_up(fills, rows, threads)
        return expand_to_all_labels(self.score.scorer.totals(fills, rows, lead=False), len(self.classes))

    def expected_costs(self, table: Table) -> Floats:
        """Compute the expected cost of each label, and of rejecting if that is possible, for each row."""
        return self.expected_costs_of_cells(self._cells(table), len(table))

    def expected_costs_of_cells(self, cells: Mapping[str, NewCells], rows: int) -> Floats:
        """Compute expected costs for rows whose cells are given by feature."""
        found = self.costs.expected(whole_odds(self.points(cells, rows)), self.costs.amounts(cells, rows))
        return found if self.reject is None else np.column_stack([found, np.full(rows, self.reject)])

    def _cells(self, table: Table) -> dict[str, NewCells]:
        return dict(zip(self.used, tested_columns(self, table), strict=True))

    @cached_property
    def thresholds(self) -> tuple[int, int] | None:
        """The points of the second label against the first that decide, if there are two labels and constant costs.

        The first label is decided up to the first number, the second one from the second number on; records between
        them are rejected. None where points alone cannot tell. These decide exactly as `decide` does.
        """
        if len(self.classes) != 2 or not self.costs.constant or self.by == "rules":
            return None
        points = np.arange(-_HIGHEST, _HIGHEST + 1)
        both = np.stack([np.zeros_like(points), points], axis=-1)
        odds = whole_odds(both)
        sums = self.costs.sums(odds, {})
        chosen = self._choose(both, sums, {}, 0)
        if self.reject is not None:
            dear = sums[np.arange(len(points)), chosen] > self.reject * self.costs.unit * odds.sum(axis=1)
            chosen = np.where(dear, 2, chosen)
        first, last = int((chosen == 0).sum()), len(points) - int((chosen == 1).sum())
        if (chosen[:first] != 0).any() or (
            chosen[last:] != 1
        ).any():  # as where being right costs more than being wrong
            return None
        low = _NEVER if first == len(points) else int(points[first]) - 1 if first else -_NEVER
        high = -_NEVER if last == 0 else int(points[last]) if last < len(points) else _NEVER
        return low, high

    def to_dict(self) -> dict[str, Any]:
        """Return what decides besides the lists, as data for JSON."""
        from unless.values import label_to_json

        pairs = [[label_to_json(true), label_to_json(decided), amount] for true, decided, amount in self.costs.pairs()]
        return {"by": self.by, "costs": pairs, "reject": self.reject}

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ScoreDecider)
            and (self.by, self.costs, self.reject) == (other.by, other.costs, other.reject)
            and _same_points(self.score, other.score)
        )

    def __hash__(self) -> int:
        return hash((self.by, self.costs, self.reject, self.source))

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to copy, without what is computed from it."""
        return {name: getattr(self, name) for name in ("score", "by", "costs", "reject")}

    def __str__(self) -> str:
        return f"{self.target}: a {self.noun}"

    def __repr__(self) -> str:
        return f"<ScoreDecider for {self}>"


def _same_points(one: ScoreCard | Committee, other: ScoreCard | Committee) -> bool:
    if isinstance(one, Committee) or isinstance(other, Committee):
        return one == other
    return (
        (one.program, one.classes, one.cuts) == (other.program, other.classes, other.cuts)
        and np.array_equal(one.base, other.base)
        and np.array_equal(one.points, other.points)
    )


def committee_of(decider: Decider) -> Committee | None:
    """Return the committee that decides or gives the points; None for a list."""
    found = decider.score if isinstance(decider, ScoreDecider) else decider
    return found if isinstance(found, Committee) else None
