"""A model on its own data, batch by batch: which decisions are right on records held back, and which in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.model import Tested, interval
from unless.table import Table
from unless.table.split import hash_sums, hashes_of, spelled


@dataclass(frozen=True, slots=True)
class OwnResult:
    """How many records were held back, and how many learned from; and how many of each are decided correctly."""

    held_back: int
    held_back_right: int
    learned: int
    learned_right: int

    def to_dict(self) -> dict[str, Any]:
        """Both accuracies for JSON, that of the records held back with its interval."""
        between = list(interval(self.held_back_right, self.held_back))
        held = {"records": self.held_back, "accuracy": self.held_back_right / self.held_back, "interval": between}
        return {
            "held_back": held,
            "learned_from": {"records": self.learned, "accuracy": self.learned_right / max(self.learned, 1)},
        }


class OwnCounts:
    """Counts the records of batches on both sides of the split; at the end, if all are the model's data, tells both."""

    def __init__(self, tested: Tested, features: tuple[str, ...]) -> None:
        self._tested, self._features = tested, features
        self._sums = np.zeros(2, np.uint64)
        self._counts = np.zeros((2, 2), np.int64)  # learned from or held back; wrong or right

    def add(self, table: Table, right: NDArray[np.bool_]) -> None:
        """Count labelled records, of which it is known which are decided correctly."""
        hashes = hashes_of(table, self._features)
        self._sums += hash_sums(hashes, table.labels, self._tested.statistics.classes)
        held = self._tested.split.of_hashes(hashes, table.labels)
        np.add.at(self._counts, (held.astype(np.intp), right.astype(np.intp)), 1)

    def merge(self, other: OwnCounts) -> None:
        """Add what was counted in other batches, with the same model."""
        self._sums += other._sums
        self._counts += other._counts

    def found(self) -> OwnResult | None:
        """Both counts; None if these are other records than those that the model is from."""
        (wrong, right), (held_wrong, held_right) = self._counts.tolist()
        same = self._counts.sum() == self._tested.records and spelled(self._sums) == self._tested.fingerprint
        return OwnResult(held_wrong + held_right, held_right, wrong + right, right) if same else None
