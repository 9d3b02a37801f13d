"""Measure a model's accuracy on its own data, batch by batch: on records held back, and in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.evaluation.shares import Share
from unless.model import DataOrigin, is_majority
from unless.table import Table
from unless.table.holdout_split import feature_hashes, fingerprint_text, identity_sums, record_identities
from unless.values import attributes_to_json


@dataclass(frozen=True, slots=True)
class OverlapAccuracy:
    """The accuracy on records that the rules were not learned from, and the accuracy on all other records.

    If ``same``, these are exactly the records that the model was learned from and tested on, so the other records are
    the training records. Otherwise there are also new records.
    """

    held_back: Share
    learned: Share
    same: bool

    def to_dict(self) -> dict[str, Any]:
        """Convert both accuracies for JSON, with an interval for the records held back."""
        held = attributes_to_json(self.held_back, "records=total", "accuracy=value", "interval")
        others = attributes_to_json(self.learned, "records=total", "accuracy=value")
        return {"same": self.same, "held_back": held, "others": others}


class OverlapCounts:
    """Counts right decisions on both sides of the split, batch by batch, if the records are the model's data."""

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
        split = self._origin.split
        known = split.by is None or split.by.name in table.features
        held = split.held_back(table, self._features, hashes) if known else np.zeros(len(table), np.bool_)
        np.add.at(self._counts, (held.astype(np.intp), right.astype(np.intp)), 1)

    def merge(self, other: OverlapCounts) -> None:
        """Add the counts of other batches with the same model."""
        self._sums += other._sums
        self._among |= other._among
        self._counts += other._counts

    def found(self) -> OverlapAccuracy | None:
        """Return both accuracies; None if the records are not the model's own data."""
        (wrong, right), (held_wrong, held_right) = self._counts.tolist()
        same = self._counts.sum() == self._origin.records and fingerprint_text(self._sums) == self._origin.fingerprint
        if not same and not is_majority(self._among):
            return None
        held, others = Share(held_right, held_wrong + held_right), Share(right, wrong + right)
        return OverlapAccuracy(held, others, same=bool(same))
