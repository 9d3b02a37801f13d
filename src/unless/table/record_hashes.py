"""Hash records by their values only, so that parts by hash are the same for every order of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.table.columns import Column

Hashes = NDArray[np.uint64]


Share = Callable[[Callable[..., object], list[tuple[Any, ...]]], object]
"""Calls a function with each of several tuples of arguments, possibly in threads."""


def record_hashes(columns: Sequence[Column], rows: int, share: Share | None = None, parts: int = 1) -> Hashes:
    """Hash the values of every row; the work on each column is divided into ``parts`` parts."""
    found: Hashes = np.zeros(rows, np.uint64)
    share = share or _run_here

    def look(hashes: Hashes, numbers: NDArray[np.float64], part: slice) -> None:
        hashes[part] = number_hashes(numbers[part])

    def mix(hashes: Hashes, codes: NDArray[Any], part: slice) -> None:
        found[part] = mix_bits(found[part] + hashes[codes[part]])

    for column in columns:  # column by column: the hashes of its values stay in the cache
        numbers = column.numbers
        hashes = np.concatenate([np.empty(len(numbers), np.uint64), text_hashes(column.categories), _MISSING])
        share(look, [(hashes, numbers, part) for part in _parts(len(numbers), parts)])
        share(mix, [(hashes, column.codes, part) for part in _parts(rows, parts)])
    return found


_MISSING: Hashes = np.zeros(1, np.uint64)


def _parts(size: int, parts: int) -> list[slice]:
    """Divide rows into this number of parts of about the same size."""
    return [slice(size * k // parts, size * (k + 1) // parts) for k in range(parts)]


def _run_here(function: Callable[..., object], items: list[tuple[Any, ...]]) -> None:
    for item in items:
        function(*item)


def value_hashes(column: Column) -> Hashes:
    """Hash each value of a column, by rank; missing comes last."""
    texts = text_hashes(column.categories)
    return np.concatenate([number_hashes(column.numbers), texts, _MISSING])


def number_hashes(numbers: NDArray[np.float64]) -> Hashes:
    """Hash each number."""
    return mix_bits(numbers.view(np.uint64))


def text_hashes(texts: Iterable[str]) -> Hashes:
    """Hash each text."""
    found = [int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()) for text in texts]
    return np.array(found, np.uint64)


def mix_bits(bits: Hashes) -> Hashes:
    """Mix bits by SplitMix64: a change of one bit changes about half of the bits."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(30)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(27)
    bits *= np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return bits
