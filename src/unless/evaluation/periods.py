"""Test period by period: learn from the records before each period, test on its own, and see which rules come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unless.evaluation.metrics import evaluate_decider
from unless.evaluation.stability import Stability, decide_records
from unless.evaluation.validation import Learn, majority_program
from unless.model.prediction import Decider
from unless.model.rule_statistics import wilson_interval
from unless.table import Table
from unless.values import attributes_to_json

Progress = Callable[[int, int], object]
"""A function called with the number of periods done and the number of all periods."""


@dataclass(frozen=True, slots=True)
class PeriodResult:
    """The test on one period, of what was learned from the records before it."""

    name: str
    """The period: 2023-W05, 2023-01, 2023-Q1 or 2023."""
    learned: int
    """The number of records before the period, which were learned from."""
    records: int
    """The number of records of the period."""
    right: int
    """The number of records of the period that were decided correctly."""
    usual: int
    """The number of records of the period with the label that was the most frequent one before."""
    rules: int
    """The number of rules that were learned from the records before the period."""
    returns: float | None = None
    """The share of the model's rules that come back when learned from the records before the period.

    None for a committee, and for the last period, before which the model itself was learned.
    """

    @property
    def accuracy(self) -> float:
        """The share of the period's records that are decided correctly."""
        return self.right / self.records

    @property
    def baseline(self) -> float:
        """The accuracy of always giving the label that was the most frequent one before the period."""
        return self.usual / self.records

    @property
    def between(self) -> tuple[float, float]:
        """The 95 % interval of the accuracy (Wilson's)."""
        return wilson_interval(self.right, self.records)

    def to_dict(self) -> dict[str, Any]:
        """Convert the result for JSON."""
        names = ("learned", "records", "right", "accuracy", "interval=between", "baseline", "rules", "returns")
        return attributes_to_json(self, "name", *names)


def can_learn(table: Table) -> bool:
    """Return whether a table has at least two labels, without which there is nothing to learn."""
    return len(np.unique(table.labels.codes)) > 1


def measure_periods(
    names: Sequence[str],
    pairs: Sequence[tuple[Table, Table]],
    learn: Learn,
    model: Decider,
    progress: Progress | None = None,
    *,
    learned_last: bool = True,
) -> Iterator[PeriodResult]:
    """Test on each period what is learned before it, and compare it with the model.

    If ``learned_last``, the model was learned before the last period.
    """
    last = len(pairs) - 1 if learned_last else len(pairs)
    for place, (name, (train, test)) in enumerate(zip(names, pairs, strict=True)):
        if progress is not None:
            progress(place, len(pairs))
        decider = model if place == last else learn(train)
        usual = evaluate_decider(majority_program(train), test).right
        right, rules = evaluate_decider(decider, test).right, len(decider.all_rules)
        returns = None if place == last else _returning_share(model, decider, pairs[-1][0])
        yield PeriodResult(name, len(train), len(test), right, usual, rules, returns)


def _returning_share(model: Decider, other: Decider, table: Table) -> float | None:
    """Return the share of the model's rules that another list has too, by the records that they decide."""
    if not model.by_rule:
        return None
    found = Stability.of(model, table, [decide_records(other, table)]).rules
    return float(np.mean([one.returns for one in found])) if found else None
