"""Measure what decisions cost on labelled records, against deciding one label always and against other decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.explanation.words import printable
from unless.model import Model
from unless.model.costs import Costs, Floats
from unless.model.prediction import decide, head_indices
from unless.model.rule_statistics import wilson_interval
from unless.score.score_decider import ScoreDecider
from unless.table import Column, Table
from unless.values import Label, attributes_to_json, class_index, cost_text, label_to_json, percent, share_text

_SURE = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean cost, and the ends of its 95 % interval by the normal approximation."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, costs: Floats) -> Mean:
        """Return the mean of some costs."""
        value = float(costs.mean())
        spread = _SURE * float(costs.std(ddof=1)) / sqrt(len(costs)) if len(costs) > 1 else 0.0
        return cls(value, value - spread, value + spread)

    def __str__(self) -> str:
        return f"{cost_text(self.value)} ({cost_text(self.low)} to {cost_text(self.high)})"


@dataclass(frozen=True, slots=True)
class DecisionCosts:
    """What decisions cost on labelled records; ``priced`` is whether costs were given, or each error counts as 1.

    ``always`` has the mean cost of deciding each label for all records, and ``compared`` that of other decisions for
    the same records, if there are any. ``decided`` records were not rejected, and ``right`` of them decided correctly.
    """

    records: int
    mean: Mean
    always: tuple[tuple[Label, float], ...]
    decided: int
    right: int
    priced: bool = True
    compared: Mean | None = None

    @property
    def total(self) -> float:
        """The sum of all costs."""
        return self.mean.value * self.records

    @property
    def best_constant(self) -> tuple[Label, float]:
        """The label that costs least if it is always decided, and its mean cost."""
        return min(self.always, key=lambda one: one[1])

    @property
    def rejected(self) -> int:
        """The number of records that are passed on."""
        return self.records - self.decided

    def lines(self) -> Iterator[str]:
        """Yield sentences: what decisions cost, what others would cost, how many records are passed on."""
        if self.priced:
            always = ", ".join(f"always {printable(str(label))}: {cost_text(cost)}" for label, cost in self._cheapest)
            yield f"mean cost {self.mean}, total {cost_text(self.total)} ({always})"
        if self.compared is not None:
            yield f"today's decisions: mean cost {self.compared}"
        if self.rejected:
            yield f"{percent(self.rejected / self.records, 1)} passed on; {self._rest_text}"

    @property
    def _cheapest(self) -> Sequence[tuple[Label, float]]:
        return sorted(self.always, key=lambda one: one[1])[:2]

    @property
    def _rest_text(self) -> str:
        if not self.decided:
            return "no record is decided"
        low, high = wilson_interval(self.right, self.decided)
        return f"accuracy of the rest {share_text(self.right / self.decided)} ({share_text(low)} to {share_text(high)})"

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        return {
            **attributes_to_json(self, "records", "total"),
            "mean": self.mean.value,
            "interval": [self.mean.low, self.mean.high],
            "always": [{"label": label_to_json(label), "mean": cost} for label, cost in self.always],
            **attributes_to_json(self, "rejected", "decided", "right"),
            **({} if self.compared is None else {"compared": {"mean": self.compared.value,
                                                              "interval": [self.compared.low, self.compared.high]}}),
        }  # fmt: skip


def measure_costs(model: Model, table: Table, compare: Column | None = None) -> DecisionCosts | None:
    """Measure what the decisions of a model cost on labelled records; None without costs and without rejecting.

    ``compare`` contains other decisions for the same records. Labels that the model does not know are left out.
    """
    decider = model.decider
    price = decider.reject if isinstance(decider, ScoreDecider) else None
    if model.costs is None and price is None:
        return None
    classes = model.statistics.classes
    places = np.array([_place(label, classes) for label in table.labels.labels], np.int64)[table.labels.codes]
    if not (known := places >= 0).any():
        return None
    table, truth = table[known], places[known]
    costs = Costs.of_errors(classes) if model.costs is None else model.costs
    found = costs.of_decisions(truth, costs.amounts({name: table.column(name) for name in costs.used}, len(table)))
    choices = decide(decider, table).choices
    given, rejected = head_indices(decider, classes)[choices], choices == getattr(decider, "rejected", None)
    own = np.where(rejected, price or 0.0, _costs_of(found, given))
    other = None
    if compare is not None:
        today = _decided_in(compare, classes)[known]
        other = Mean.of(_costs_of(found, today)) if len(today) else None
    return DecisionCosts(
        len(table),
        Mean.of(own),
        tuple((label, float(found[:, place].mean())) for place, label in enumerate(classes)),
        int((~rejected).sum()),
        int((given == truth)[~rejected].sum()),
        model.costs is not None,
        other,
    )


def _costs_of(costs: Floats, given: NDArray[np.int64]) -> Floats:
    """Return the cost of each record's decision; a record without one costs as much as the dearest."""
    chosen: Floats = np.where(given < 0, costs.max(axis=1), costs[np.arange(len(given)), given])
    return chosen


def _place(label: Label, classes: Sequence[Label]) -> int:
    place = class_index(label, classes)
    return -1 if place is None else place


def _decided_in(column: Column, classes: Sequence[Label]) -> NDArray[np.int64]:
    """Return the index of the label in each cell of a column of decisions; a missing cell is no decision."""
    values = [column.value(code) for code in range(column.missing)]
    places = [_place(value, classes) for value in values if value is not None]
    if unknown := [value for value, place in zip(values, places, strict=True) if place < 0]:
        raise ParameterError(
            f"the column {column.name!r} has the decision {unknown[0]!r}, which is not a label of training; it must "
            "have the labels that were decided"
        )
    return np.array([*places, -1], np.int64)[column.codes]
