"""Which records are held back for a test, decided by the records themselves; and a fingerprint of all records.

Both depend on the cells of the features and on the label: not on the order of rows, on the format of the file, or on
columns that are not features. So a model file with a `HoldoutSplit` and a fingerprint can recognise its training
data, and which of the records were held back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.table.columns import Labels
from unless.table.record_hashes import Hashes, mix_bits, record_hashes, text_hashes
from unless.table.table import Table
from unless.values import Label, class_index

PARTS = 1 << 12
"""How many parts there are: enough to hold back any share of any label to within a ten-thousandth."""

LARGEST_SALT = (1 << 63) - 1

SAMPLE = 64
"""How many records are sampled to test whether other data has most of them."""


@dataclass(frozen=True, slots=True)
class HoldoutSplit:
    """A salted hash of its features puts every record into a part; of each label, parts below its cut are held back.

    So the split keeps the share of every label, and equal records are on the same side. Records that differ only in
    their label have the same hash: they are on the same side too, unless it lies between the cuts of both labels. No
    label is held back as a whole. Where many records are equal, a label may have more or fewer records held back than
    its share, or none.
    """

    salt: int
    labels: tuple[Label, ...]
    cuts: tuple[int, ...]
    """For each label, how many parts are held back."""

    @classmethod
    def of(cls, table: Table, share: float, salt: int = 0) -> Self:
        """Hold back about a share of the records of every label."""
        return cls.of_counts(table.labels.labels, part_counts(feature_hashes(table), table.labels, salt), share, salt)

    @classmethod
    def of_counts(cls, labels: Sequence[Label], counts: NDArray[np.int64], share: float, salt: int = 0) -> Self:
        """Hold back about a share, given how many records of each label (row) are in each part (column)."""
        if not 0 <= share < 1:
            raise ParameterError(f"the share of records to hold back must be at least 0 and less than 1, not {share!r}")
        sizes = counts.sum(axis=1)
        # Rounding sums takes records of small labels in turn.
        wanted = np.diff(np.floor(share * np.cumsum(sizes) + 0.5).astype(np.int64), prepend=0)
        return cls(salt, tuple(labels), tuple(map(_cut_nearest_to, counts, wanted.tolist())))

    def following(self, earlier: HoldoutSplit) -> HoldoutSplit:
        """The split that holds back the records of an earlier one with the same salt; new labels keep their cuts."""
        known = [class_index(label, earlier.labels) for label in self.labels]
        cuts = (own if place is None else earlier.cuts[place] for place, own in zip(known, self.cuts, strict=True))
        return HoldoutSplit(earlier.salt, self.labels, tuple(cuts))

    def held_back(self, table: Table, features: Sequence[str] | None = None) -> NDArray[np.bool_]:
        """Which records of a table with labels are held back; ``features`` are those that the split was made of."""
        return self.held_back_hashes(feature_hashes(table, features), table.labels)

    def held_back_hashes(self, hashes: Hashes, labels: Labels) -> NDArray[np.bool_]:
        """Which records are held back, given their hashes; labels that the split does not know are not."""
        places = [class_index(label, self.labels) for label in labels.labels]
        known = np.array([len(self.labels) if place is None else place for place in places], np.int64)
        return self.held_back_codes(hashes, known[labels.codes])

    def held_back_codes(self, hashes: Hashes, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Which records are held back, given the index of each label in the split; one more index means no label."""
        cuts = np.array([*self.cuts, 0], np.uint64)
        found: NDArray[np.bool_] = hash_parts(hashes, self.salt) < cuts[codes]
        return found


def _cut_nearest_to(counts: NDArray[np.int64], wanted: int) -> int:
    """Return the cut below which a label has as nearly as possible this number of records, but not all of them."""
    below = np.concatenate([[0], np.cumsum(counts)])
    away = np.where((below < below[-1]) | (below == 0), np.abs(below - wanted), np.iinfo(np.int64).max)
    return int(np.argmin(away))


def feature_hashes(table: Table, features: Sequence[str] | None = None) -> Hashes:
    """The hashes of the records, by some features in their order, or by all."""
    columns = table.columns if features is None else tuple(map(table.column, features))
    return record_hashes(columns, len(table))


def hash_parts(hashes: Hashes, salt: int) -> Hashes:
    """The part that each record is in; other salts give other parts."""
    if not 0 <= salt <= LARGEST_SALT:
        raise ParameterError(f"the seed must be from 0 to {LARGEST_SALT}, not {salt!r}")
    return mix_bits(hashes ^ mix_bits(np.array([salt], np.uint64))) >> np.uint64(64 - 12)


def part_counts(hashes: Hashes, labels: Labels, salt: int) -> NDArray[np.int64]:
    """How many records of each label (row) are in each part (column)."""
    places = labels.codes.astype(np.int64) * PARTS + hash_parts(hashes, salt).astype(np.int64)
    return np.bincount(places, minlength=len(labels.labels) * PARTS).reshape(-1, PARTS)


# The fingerprint of all records.


def fingerprint(table: Table, features: Sequence[str] | None = None, known: Sequence[Label] = ()) -> str:
    """The fingerprint of all records with their labels; a label that spells one of the ``known`` is that one.

    >>> from unless.table import Column, Table
    >>> y, x = Labels.of("y", "ab"), Column.of("x", [1, 2])
    >>> fingerprint(Table((x,), y)) == fingerprint(Table((x,), y)[[1, 0]]) != fingerprint(Table((x,), y)[[0, 0]])
    True
    """
    return fingerprint_text(identity_sums(record_identities(feature_hashes(table, features), table.labels, known)))


def record_identities(hashes: Hashes, labels: Labels, known: Sequence[Label] = ()) -> Hashes:
    """A hash of every record with its label; a label that spells one of the ``known`` is that one."""
    places = [class_index(label, known) for label in labels.labels]
    names = [str(label if place is None else known[place]) for label, place in zip(labels.labels, places, strict=True)]
    return mix_bits(hashes + text_hashes(names)[labels.codes])


def identity_sums(found: Hashes) -> Hashes:
    """Two sums over all identities; those of a whole are the sums of its parts."""
    return np.array([found.sum(dtype=np.uint64), mix_bits(found).sum(dtype=np.uint64)], np.uint64)


def identity_sample(found: Hashes) -> Hashes:
    """The smallest identities, as a reproducible sample; that of all records is part of those of their parts."""
    return np.unique(found)[:SAMPLE]


def fingerprint_text(sums: Hashes) -> str:
    """A fingerprint as text: 32 hexadecimal digits."""
    return "".join(f"{one:016x}" for one in sums.tolist())
