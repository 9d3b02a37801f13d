"""A model on its own data, batch by batch: which decisions are right on records held back, and which in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.model import DataOrigin, is_majority
from unless.model.rule_statistics import wilson_interval
from unless.table import Table
from unless.table.holdout_split import feature_hashes, fingerprint_text, identity_sums, record_identities


@dataclass(frozen=True, slots=True)
class OwnResult:
    """How many records the rules were not learned from, and how many others there are; how many of each are right.

    ``same`` says that these are exactly the records that the model is from: then the others are those of training.
    Otherwise most of those are here, and new ones, too.
    """

    held_back: int
    held_back_right: int
    learned: int
    learned_right: int
    same: bool

    def to_dict(self) -> dict[str, Any]:
        """Both accuracies for JSON, that of the records held back with its interval."""
        between = list(wilson_interval(self.held_back_right, self.held_back))
        held = {"records": self.held_back, "accuracy": self.accuracy, "interval": between}
        return {"same": self.same, "held_back": held, "others": {"records": self.learned, "accuracy": self.in_training}}

    @property
    def accuracy(self) -> float | None:
        """The share that is right of the records that the rules were not learned from; None if there are none."""
        return self.held_back_right / self.held_back if self.held_back else None

    @property
    def in_training(self) -> float | None:
        """The share that is right of the others; None if there are none."""
        return self.learned_right / self.learned if self.learned else None


class OwnCounts:
    """Counts the records of batches on both sides of the split, and tells both if they have the model's data."""

    def __init__(self, origin: DataOrigin, features: tuple[str, ...]) -> None:
        self._origin, self._features = origin, features
        self._sums = np.zeros(2, np.uint64)
        self._among = np.zeros(len(origin.sample), np.bool_)
        self._counts = np.zeros((2, 2), np.int64)  # learned from or held back; wrong or right

    def add(self, table: Table, right: NDArray[np.bool_]) -> None:
        """Count labelled records, given which are decided correctly."""
        hashes = feature_hashes(table, self._features)
        found = record_identities(hashes, table.labels, self._origin.split.labels)
        self._sums += identity_sums(found)
        self._among |= self._origin.among(found)
        held = self._origin.split.held_back_hashes(hashes, table.labels)
        np.add.at(self._counts, (held.astype(np.intp), right.astype(np.intp)), 1)

    def merge(self, other: OwnCounts) -> None:
        """Add what was counted in other batches, with the same model."""
        self._sums += other._sums
        self._among |= other._among
        self._counts += other._counts

    def found(self) -> OwnResult | None:
        """Both counts; None if these are other records than those that the model is from."""
        (wrong, right), (held_wrong, held_right) = self._counts.tolist()
        same = self._counts.sum() == self._origin.records and fingerprint_text(self._sums) == self._origin.fingerprint
        if not same and not is_majority(self._among):
            return None
        return OwnResult(held_wrong + held_right, held_right, wrong + right, right, same=bool(same))
