"""What would change the decision of a committee: changes that are verified by its points, but not proven to be nearest.

Thousands of rules divide the records into more boxes than can be searched. So one feature is changed at a time, to
every cell between the thresholds of the committee (`axes`); where that is not enough, the changes that come nearest to
the goal are continued with a second feature, and a third.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, UnknownNameError, suggest
from unless.explanation.counterfactuals.feature_cells import Axis, axes_of, sum_in_order
from unless.explanation.counterfactuals.nearest import Counterfactual, Counterfactuals, changes_of, check_names
from unless.explanation.vote_explanation import explain_vote
from unless.explanation.words import printable
from unless.score.committee import Committee, labels_from_sums
from unless.score.points import Points, leading_label_index
from unless.table import Column, Table
from unless.values import Label, Value, share_text, to_python_value

_FEATURES = 3
"""The most features that change."""

_CONTINUED = 12
"""How many changes that are not enough are continued with another feature; none has the same features as another."""

Step = tuple[int, int]
"""The place of an axis, and one of its cells."""


@dataclass(frozen=True, slots=True, repr=False)
class CommitteeChange(Counterfactual):
    """A changed record, and how the committee votes on it."""

    @property
    def outcome(self) -> str:
        """The new decision and its probability: "accept (0.812)"."""
        shares: Mapping[Label, float] = self.proof.probabilities  # type: ignore[union-attr]  # it is a tally
        return f"{printable(str(self.label))} ({share_text(max(shares.values()))})"


def committee_changes(
    committee: Committee,
    record: Mapping[str, object],
    label: Label | None = None,
    *,
    fixed: Collection[str] = (),
    ranges: Mapping[str, object] | None = None,
    most: int = 3,
    table: Table | None = None,
) -> Counterfactuals:
    """Small changes of a record, of at most three features, that give another label, or the named one.

    Each was verified: the changed record has that label. Nearer ones may exist. Parameters as in `counterfactuals`.
    """
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise ParameterError(f"most is {most!r}; it must be a whole number, 1 or more")
    check_names(committee.rules, record, fixed, "fixed")
    check_names(committee.rules, record, ranges or {}, "ranges")
    label, now = to_python_value(label), explain_vote(committee, record)
    goals = [k for k, one in enumerate(committee.classes) if (one != now.label if label is None else one == label)]
    if label is not None and not goals:
        raise UnknownNameError(f"no class {label!r}{suggest(label, committee.classes)}")
    axes = axes_of(committee.rules, now.record, frozenset(fixed), ranges or {}, table)
    search = _CommitteeSearch(committee, axes, frozenset(goals))
    found = [] if label == now.label else search.found(most)
    changed = (_change(committee, now.record, axes, steps) for steps in found)
    return Counterfactuals(now, label, tuple(axis.feature for axis in axes if axis.free), tuple(changed))


class _FoundChange(NamedTuple):
    """Steps that give a label, in the order of preference."""

    distance: float
    far: int
    steps: tuple[Step, ...]
    label: int


class _CommitteeSearch:
    """Changes of one feature, then of two, then of three."""

    def __init__(self, committee: Committee, axes: Sequence[Axis], goals: frozenset[int]) -> None:
        self.committee, self.axes, self.goals = committee, axes, goals
        self.offers = [[cell for cell, offer in enumerate(axis.offers) if offer is not None] for axis in axes]
        self.options = [{cell: option for option, cell in enumerate(cells, 1)} for cells in self.offers]
        self.columns = [
            Column.of(axis.feature, [axis.value, *(axis.offers[cell].value for cell in cells)])  # type: ignore[union-attr]
            for axis, cells in zip(axes, self.offers, strict=True)
        ]

    def found(self, most: int) -> list[tuple[Step, ...]]:
        """The nearest changes of as few features as possible, none of which contains another one."""
        kept: list[_FoundChange] = []
        waiting: list[tuple[Step, ...]] = [()]
        for _ in range(_FEATURES):
            tried = [steps for steps in self._continued(waiting) if not self._contains(kept, steps)]
            if not tried:
                break
            sums = self._sums(tried)
            for one in sorted(self._reached(tried, sums)):
                if not self._contains([other for other in kept if other.label == one.label], one.steps):
                    kept.append(one)
            if len(kept) >= most:
                break
            nearest: dict[tuple[int, ...], tuple[Step, ...]] = {}
            for row in np.argsort(-self._nearness(sums), kind="stable"):
                nearest.setdefault(tuple(place for place, _ in tried[row]), tried[row])
            waiting = list(nearest.values())[:_CONTINUED]
        return [one.steps for one in kept[:most]]

    def _continued(self, waiting: Sequence[tuple[Step, ...]]) -> list[tuple[Step, ...]]:
        """Each of the waiting changes with one more feature."""
        found: dict[tuple[Step, ...], None] = {}
        for steps in waiting:
            taken = {place for place, _ in steps}
            for place, cells in enumerate(self.offers):
                if place not in taken:
                    found.update((tuple(sorted((*steps, (place, cell)))), None) for cell in cells)
        return list(found)

    def _sums(self, tried: Sequence[tuple[Step, ...]]) -> Points:
        """The points of the changed records."""
        options = np.zeros((len(self.axes), len(tried)), dtype=np.intp)  # 0 is the record's own value
        for row, steps in enumerate(tried):
            for place, cell in steps:
                options[place, row] = self.options[place][cell]
        columns = tuple(
            replace(column, codes=column.codes[picked]) for column, picked in zip(self.columns, options, strict=True)
        )
        return self.committee.sums(Table(columns, rows=len(tried)))

    def _reached(self, tried: Sequence[tuple[Step, ...]], sums: Points) -> Iterator[_FoundChange]:
        for steps, label in zip(tried, leading_label_index(sums).tolist(), strict=True):
            if label in self.goals:
                distance = sum_in_order(self.axes[place].distance(cell) for place, cell in steps)
                yield _FoundChange(distance, sum(self.axes[place].steps(cell) for place, cell in steps), steps, label)

    def _nearness(self, sums: Points) -> NDArray[np.int64]:
        """By how much the best of the goals leads all other classes; negative if it does not."""
        goals = np.isin(np.arange(sums.shape[1]), list(self.goals))
        return sums[:, goals].max(axis=1) - sums[:, ~goals].max(axis=1)  # type: ignore[no-any-return]

    def _contains(self, kept: Sequence[_FoundChange], steps: tuple[Step, ...]) -> bool:
        """Whether a change does what one that was found does, and more: further features, or a longer way."""
        cells = dict(steps)
        return any(
            all(place in cells and self.axes[place].beyond(cell) >> cells[place] & 1 for place, cell in one.steps)
            for one in kept
        )


def _change(
    committee: Committee, record: Mapping[str, Value], axes: Sequence[Axis], steps: Sequence[Step]
) -> CommitteeChange:
    moved = [(axes[place], offer) for place, cell in steps if (offer := axes[place].offers[cell])]
    changes = changes_of(record, moved, lambda table: labels_from_sums(committee, committee.sums(table)))
    changed = explain_vote(committee, {**record, **{change.feature: change.new for change in changes}})
    return CommitteeChange(changed, changes, sum_in_order(offer.distance for _, offer in moved))
