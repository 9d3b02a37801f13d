"""Search for the nearest changes of a record after which a committee gives it another label.

The search changes one feature, to every cell between the thresholds of the committee, then two, then three. As long as
there are few enough changes of that many features, it tries all of them, so that the changes found are proven to be the
nearest. Thousands of rules may divide the records into more cells than that; then the search extends only the changes
that come nearest to the goal. What it finds then is verified by the committee's points, but not proven to be nearest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unless.explanation.counterfactuals.feature_cells import Axis, Step, sum_in_order
from unless.model.points import Points, leading_label_index
from unless.score.committee import Committee
from unless.table import Column, Table
from unless.values import Label

MAX_FEATURES = 3
"""The maximum number of features that change."""

MAX_CHANGES = 10_000
"""The maximum number of changes of as many features that are all tried; the work is limited, not the time."""

_MAX_EXTENDED = 12
"""The maximum number of changes that are extended by another feature; no two of them change the same features."""


def find_committee_changes(
    committee: Committee, axes: Sequence[Axis], labels: Sequence[Label], most: int
) -> tuple[list[tuple[Label, tuple[Step, ...]]], int, bool]:
    """Find small changes of a record that give one of the labels, and the label that each change gives.

    Also return how many of them, at the beginning, are proven to be the nearest, and whether there are no others.
    """
    goals = frozenset(committee.classes.index(label) for label in labels)
    search = _CommitteeSearch(committee, axes, goals)
    found = search.find(most) if goals else []
    steps = [(committee.classes[one.label], one.steps) for one in found]
    return steps, min(search.proven, len(found)), search.complete and len(found) == search.proven


class _FoundChange(NamedTuple):
    """Steps that give a label; the fields are in order of preference."""

    distance: float
    thresholds_crossed: int
    steps: tuple[Step, ...]
    label: int


class _CommitteeSearch:
    """Try changes of one feature, then of two, then of three."""

    def __init__(self, committee: Committee, axes: Sequence[Axis], goals: frozenset[int]) -> None:
        self.committee, self.axes, self.goals = committee, axes, goals
        self.cells = [[cell for cell, value in enumerate(axis.nearest) if value is not None] for axis in axes]
        self.codes = [{cell: code for code, cell in enumerate(cells, 1)} for cells in self.cells]
        self.columns = [
            Column.of(axis.feature, [axis.value, *(axis.nearest[cell].value for cell in cells)])  # type: ignore[union-attr]
            for axis, cells in zip(axes, self.cells, strict=True)
        ]

        sizes = [len(cells) for cells in self.cells if cells]
        self.counts = [_count_combinations(sizes, features) for features in range(len(sizes) + 1)]
        self.proven = 0
        """How many changes were found while all changes were tried."""
        self.complete = False
        """Whether all changes of any features were tried."""

    def find(self, most: int) -> list[_FoundChange]:
        """Find the nearest changes of as few features as possible, leaving out changes that contain another one."""
        found: list[_FoundChange] = []
        start: list[tuple[Step, ...]] = [()]
        every = True
        for features in range(1, min(MAX_FEATURES, len(self.counts) - 1) + 1):
            every = every and (features == 1 or self.counts[features] <= MAX_CHANGES)
            candidates = self._extend(start)
            if not every:
                candidates = [steps for steps in candidates if not self._contains_one_of(found, steps)]
            if not candidates:
                break
            sums = self._sum_points(candidates)
            for one in sorted(self._select_goals(candidates, sums)):
                if not self._contains_one_of([other for other in found if other.label == one.label], one.steps):
                    found.append(one)
            if every:
                self.proven, self.complete = len(found), features == len(self.counts) - 1
            if len(found) >= most:
                break
            more = features + 1
            if every and more < len(self.counts) and self.counts[more] <= MAX_CHANGES:
                start = candidates
            else:
                start = self._nearest_misses(candidates, sums, found)
        self.complete = self.complete and len(found) <= most
        return found[:most]

    def _nearest_misses(
        self, candidates: Sequence[tuple[Step, ...]], sums: Points, found: Sequence[_FoundChange]
    ) -> list[tuple[Step, ...]]:
        """Return the changes that come nearest to a goal, without those that contain a found change."""
        best: dict[tuple[int, ...], tuple[Step, ...]] = {}
        for row in np.argsort(-self._goal_lead(sums), kind="stable"):
            features = tuple(axis for axis, _ in candidates[row])
            if features not in best and not self._contains_one_of(found, candidates[row]):
                best[features] = candidates[row]
            if len(best) == _MAX_EXTENDED:
                break
        return list(best.values())

    def _extend(self, start: Sequence[tuple[Step, ...]]) -> list[tuple[Step, ...]]:
        """Extend each change by one more feature."""
        found: dict[tuple[Step, ...], None] = {}
        for steps in start:
            changed = {axis for axis, _ in steps}
            for axis, cells in enumerate(self.cells):
                if axis not in changed:
                    found.update((tuple(sorted((*steps, (axis, cell)))), None) for cell in cells)
        return list(found)

    def _sum_points(self, candidates: Sequence[tuple[Step, ...]]) -> Points:
        """Return the committee's points for each changed record."""
        codes = np.zeros((len(self.axes), len(candidates)), dtype=np.intp)  # 0 is the record's own value
        for row, steps in enumerate(candidates):
            for axis, cell in steps:
                codes[axis, row] = self.codes[axis][cell]
        columns = (replace(column, codes=column.codes[rows]) for column, rows in zip(self.columns, codes, strict=True))
        return self.committee.sums(Table(tuple(columns), rows=len(candidates)))

    def _select_goals(self, candidates: Sequence[tuple[Step, ...]], sums: Points) -> Iterator[_FoundChange]:
        """Yield the changes that give one of the goal labels."""
        for steps, label in zip(candidates, leading_label_index(sums).tolist(), strict=True):
            if label in self.goals:
                distance = sum_in_order(self.axes[axis].distance(cell) for axis, cell in steps)
                crossed = sum(self.axes[axis].thresholds_crossed(cell) for axis, cell in steps)
                yield _FoundChange(distance, crossed, steps, label)

    def _goal_lead(self, sums: Points) -> NDArray[np.int64]:
        """Return by how many points the best goal leads all other classes; negative if it does not lead."""
        goals = np.isin(np.arange(sums.shape[1]), list(self.goals))
        return sums[:, goals].max(axis=1) - sums[:, ~goals].max(axis=1)  # type: ignore[no-any-return]

    def _contains_one_of(self, found: Sequence[_FoundChange], steps: tuple[Step, ...]) -> bool:
        """Return whether a change includes a found change: the same features or more, each at least as far."""
        cells = dict(steps)
        return any(
            all(axis in cells and self.axes[axis].beyond(cell) >> cells[axis] & 1 for axis, cell in one.steps)
            for one in found
        )


def _count_combinations(sizes: Sequence[int], features: int) -> int:
    """Count the changes of this many features, given the number of cells to change to of each."""
    counts = [1] + [0] * features
    for size in sizes:
        for k in range(features, 0, -1):
            counts[k] += counts[k - 1] * size
    return counts[features]
