"""Choose records to hold back for a test by hashes of their values, and compute a fingerprint of all records.

Both depend on the cells of the features and on the label, but not on the order of rows, the format of the file, or
columns that are not features. So a model with a `HoldoutSplit` and a fingerprint can recognise its training data and
the records that were held back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.table.columns import Labels
from unless.table.record_hashes import Hashes, mix_bits, record_hashes, text_hashes
from unless.table.split_column import SplitColumn
from unless.table.table import Table
from unless.values import Label, class_index

PARTS = 1 << 12
"""The number of parts: enough to hold back any share of any label to within a ten-thousandth."""

LARGEST_SALT = (1 << 63) - 1

SAMPLE = 64
"""The number of records sampled to test whether other data contains most of the training data."""


@dataclass(frozen=True, slots=True)
class HoldoutSplit:
    """A split by salted hashes of features, which map records to parts; parts below the cut of a label are held back.

    The split keeps the share of every label, and equal records are on the same side. Records that differ only in their
    label have the same part: they are on the same side too, unless the part is between the cuts of both labels. No
    label is held back completely. If many records are equal, a label may have more or fewer records held back than its
    share, or none.
    """

    salt: int
    labels: tuple[Label, ...]
    cuts: tuple[int, ...]
    """The number of parts held back for each label."""
    by: SplitColumn | None = None
    """The column that decides instead of the features: records from a moment on, or whole groups, are held back.

    With groups, parts are those of a hash of the group, and all labels have the same cut.
    """

    @classmethod
    def of(
        cls,
        table: Table,
        share: float,
        salt: int = 0,
        by: SplitColumn | None = None,
        features: Sequence[str] | None = None,
    ) -> Self:
        """Hold back about a share of the records: of every label, or of groups; or all records from a moment on."""
        labels, hashes = table.labels, feature_hashes(table, features)
        if by is None:
            return cls.of_counts(labels.labels, part_counts(hashes, labels, salt), share, salt)
        if by.since is not None:
            return cls(salt, labels.labels, (0,) * len(labels.labels), by)
        parts = hash_parts(by.group_hashes(table.column(by.name), hashes), salt)
        counts = np.bincount(parts.astype(np.int64), minlength=PARTS)
        _check_share(share)
        cut = _cut_nearest_to(counts, round(share * len(table)), least=1) if share else 0
        return cls(salt, labels.labels, (cut,) * len(labels.labels), by)

    @classmethod
    def of_counts(cls, labels: Sequence[Label], counts: NDArray[np.int64], share: float, salt: int = 0) -> Self:
        """Hold back about a share, given the number of records of each label (row) in each part (column)."""
        _check_share(share)
        sizes = counts.sum(axis=1)
        # Rounding cumulative sums spreads held-back records over small labels.
        wanted = np.diff(np.floor(share * np.cumsum(sizes) + 0.5).astype(np.int64), prepend=0)
        return cls(salt, tuple(labels), tuple(map(_cut_nearest_to, counts, wanted.tolist())))

    def following(self, earlier: HoldoutSplit) -> HoldoutSplit:
        """Return a split with the salt and the cuts of an earlier one; new labels keep their cuts."""
        if earlier.by is not None:
            return replace(earlier, labels=self.labels, cuts=(max(earlier.cuts),) * len(self.labels))
        known = [class_index(label, earlier.labels) for label in self.labels]
        cuts = (own if place is None else earlier.cuts[place] for place, own in zip(known, self.cuts, strict=True))
        return HoldoutSplit(earlier.salt, self.labels, tuple(cuts))

    @property
    def holds_back(self) -> bool:
        """Whether any record is held back."""
        return any(self.cuts) or (self.by is not None and self.by.since is not None)

    def held_back(
        self, table: Table, features: Sequence[str] | None = None, hashes: Hashes | None = None
    ) -> NDArray[np.bool_]:
        """Flag the records of a labelled table that are held back; ``features`` are those used to make the split.

        ``hashes`` are the hashes of these features, if they are known. The table has the column of the split.
        """
        if self.by is not None and self.by.since is not None:
            return self.by.moments(table.column(self.by.name)) >= self.by.since
        hashes = feature_hashes(table, features) if hashes is None else hashes
        if self.by is None:
            return self.held_back_hashes(hashes, table.labels)
        return self.held_back_groups(self.by.group_hashes(table.column(self.by.name), hashes))

    def held_back_groups(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Flag the records whose group is held back, given the hashes of their groups."""
        found: NDArray[np.bool_] = hash_parts(hashes, self.salt) < max(self.cuts)
        return found

    def held_back_hashes(self, hashes: Hashes, labels: Labels) -> NDArray[np.bool_]:
        """Flag the records that are held back, given their hashes; records with unknown labels are not."""
        places = [class_index(label, self.labels) for label in labels.labels]
        known = np.array([len(self.labels) if place is None else place for place in places], np.int64)
        return self.held_back_codes(hashes, known[labels.codes])

    def held_back_codes(self, hashes: Hashes, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Flag the records that are held back, given the index of each label in the split, or one more for none."""
        cuts = np.array([*self.cuts, 0], np.uint64)
        found: NDArray[np.bool_] = hash_parts(hashes, self.salt) < cuts[codes]
        return found


def _check_share(share: float) -> None:
    if not 0 <= share < 1:
        raise ParameterError(f"the share of records to hold back must be at least 0 and less than 1, not {share!r}")


def _cut_nearest_to(counts: NDArray[np.int64], wanted: int, least: int = 0) -> int:
    """Find the cut below which there are about the wanted number of records, at least ``least``, but never all."""
    below = np.concatenate([[0], np.cumsum(counts)])
    possible = (least <= below) & (below < below[-1])
    away = np.where(possible, np.abs(below - wanted), np.iinfo(np.int64).max)
    return int(np.argmin(away)) if possible.any() else 0


def feature_hashes(table: Table, features: Sequence[str] | None = None) -> Hashes:
    """Hash the records by the given features, in their order, or by all features."""
    columns = table.columns if features is None else tuple(map(table.column, features))
    return record_hashes(columns, len(table))


def hash_parts(hashes: Hashes, salt: int) -> Hashes:
    """Assign each record to a part; the parts depend on the salt."""
    if not 0 <= salt <= LARGEST_SALT:
        raise ParameterError(f"the seed must be from 0 to {LARGEST_SALT}, not {salt!r}")
    return mix_bits(hashes ^ mix_bits(np.array([salt], np.uint64))) >> np.uint64(64 - 12)


def part_counts(hashes: Hashes, labels: Labels, salt: int) -> NDArray[np.int64]:
    """Count the records of each label (row) in each part (column)."""
    places = labels.codes.astype(np.int64) * PARTS + hash_parts(hashes, salt).astype(np.int64)
    return np.bincount(places, minlength=len(labels.labels) * PARTS).reshape(-1, PARTS)


# The fingerprint of all records.


def fingerprint(table: Table, features: Sequence[str] | None = None, known: Sequence[Label] = ()) -> str:
    """Compute the fingerprint of all labelled records; a label that spells a ``known`` label counts as that label.

    >>> from unless.table import Column, Table
    >>> y, x = Labels.of("y", "ab"), Column.of("x", [1, 2])
    >>> fingerprint(Table((x,), y)) == fingerprint(Table((x,), y)[[1, 0]]) != fingerprint(Table((x,), y)[[0, 0]])
    True
    """
    return fingerprint_text(identity_sums(record_identities(feature_hashes(table, features), table.labels, known)))


def record_identities(hashes: Hashes, labels: Labels, known: Sequence[Label] = ()) -> Hashes:
    """Hash every record with its label; a label that spells a ``known`` label counts as that label."""
    places = [class_index(label, known) for label in labels.labels]
    names = [str(label if place is None else known[place]) for label, place in zip(labels.labels, places, strict=True)]
    return mix_bits(hashes + text_hashes(names)[labels.codes])


def identity_sums(found: Hashes) -> Hashes:
    """Compute two sums over all identities; the sums of a table are the totals of the sums of its parts."""
    return np.array([found.sum(dtype=np.uint64), mix_bits(found).sum(dtype=np.uint64)], np.uint64)


def identity_sample(found: Hashes) -> Hashes:
    """Return the smallest identities as a reproducible sample, contained in the union of the samples of parts."""
    return np.unique(found)[:SAMPLE]


def fingerprint_text(sums: Hashes) -> str:
    """Write a fingerprint as 32 hexadecimal digits."""
    return "".join(f"{one:016x}" for one in sums.tolist())
