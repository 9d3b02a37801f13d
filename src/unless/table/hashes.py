"""Hashes of records: they depend on the values only, so that parts by hash are the same for every order of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from unless.table.columns import Column

Hashes = NDArray[np.uint64]


def record_hashes(columns: Sequence[Column], rows: int) -> Hashes:
    """A hash of the values of every row."""
    found: Hashes = np.zeros(rows, np.uint64)
    for column in columns:
        found = mixed(found + value_hashes(column)[column.codes])
    return found


def value_hashes(column: Column) -> Hashes:
    """A hash of each value of a column, by rank; missing comes last."""
    texts = text_hashes(column.categories)
    return np.concatenate([number_hashes(column.numbers), texts, np.zeros(1, np.uint64)])


def number_hashes(numbers: NDArray[np.float64]) -> Hashes:
    """A hash of each number."""
    return mixed(numbers.view(np.uint64))


def text_hashes(texts: Iterable[str]) -> Hashes:
    """A hash of each text."""
    found = [int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()) for text in texts]
    return np.array(found, np.uint64)


def mixed(bits: Hashes) -> Hashes:
    """SplitMix64: a change of one bit changes half of them."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
