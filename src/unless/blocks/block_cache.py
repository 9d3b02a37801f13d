"""Blocks that stay in a folder (`unless.storage.cache_folder`), so that learning that was interrupted goes on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from unless.blocks.block_arrays import RARE, UNCACHED, bytes_per_cell, check_block_arrays
from unless.blocks.encoding import BlockEncoding, ClassFactors
from unless.blocks.encoding_json import encoding_from_json, encoding_to_json
from unless.learn.weights import Weights
from unless.storage.array_files import Arrays, StoredArrays
from unless.storage.cache_folder import CacheFolder, CacheKey, CacheMismatchError
from unless.storage.memory_budget import fits_in_memory
from unless.values import Label

_MOST_UNITS = 2**31


@dataclass(frozen=True)
class BlockCache:
    """A source whose blocks and rules are kept in a folder, so that learning can be resumed.

    ``source`` is whatever can be learned from: the path of a file, of a folder of parts or a pattern, a `Query`, a
    relation. ``folder`` is new, empty, or one that was used before. If ``unchanged``, the caller knows that the source
    has not changed, which for databases only reading could tell.
    """

    source: Any
    folder: str | os.PathLike[str]
    unchanged: bool = False

    @property
    def keep(self) -> CacheOptions:
        """Where blocks are kept."""
        return CacheOptions(self.folder, unchanged=self.unchanged)


@dataclass(frozen=True)
class CacheOptions:
    """Where blocks are kept (`BlockCache`); ``asked`` holds other options that they depend on."""

    folder: str | os.PathLike[str]
    asked: Mapping[str, Any] | None = None
    unchanged: bool = False


@dataclass
class RecordedFactors:
    """The weights of classes, and the totals they were computed from, so that they can be compared later."""

    function: ClassFactors
    totals: Weights | None = None
    found: Weights | None = None

    def __call__(self, labels: tuple[Label, ...], totals: Weights) -> Weights:
        """The weight of every class, which is recorded."""
        self.totals, self.found = totals, self.function(labels, totals)
        return self.found

    @property
    def data(self) -> list[list[float]]:
        """The recorded weights, as JSON."""
        return [list(map(float, one)) for one in (self.totals, self.found)]  # type: ignore[arg-type]


def reopen_blocks(
    folder: CacheFolder, key: CacheKey, factors: RecordedFactors | None, *, unchanged: bool, threads: int = 1
) -> tuple[BlockEncoding, list[StoredArrays]] | None:
    """The blocks of a folder, if they have this key; None, and a warning, if they must be made again."""

    def load(description: Mapping[str, Any], values: Arrays) -> tuple[BlockEncoding, list[StoredArrays]]:
        coding = encoding_from_json(description["coding"], values)
        large = not fits_in_memory(coding.rows * sum(map(bytes_per_cell, coding.bins)))

        def open_block(numbered: tuple[int, Any]) -> StoredArrays:
            number, (size, check) = numbered
            arrays = folder.map_file(f"{number}.block", size, check, UNCACHED if large else (), RARE)
            check_block_arrays(coding.bins, len(coding.labels), arrays)
            return arrays

        with ThreadPoolExecutor(threads) as pool:
            blocks = list(pool.map(open_block, enumerate(description["blocks"])))
        if sum(map(_weight_of, blocks)) >= _MOST_UNITS:
            raise ValueError("the weights are too large")
        if not _are_same_factors(description["factors"], coding.labels, factors):
            raise CacheMismatchError("have other weights of classes")
        return coding, blocks

    return folder.reopen(key, load, unchanged=unchanged)


def write_block_cache(
    folder: CacheFolder, key: CacheKey, coding: BlockEncoding, blocks: int, factors: RecordedFactors | None
) -> None:
    """Complete a folder, in which all blocks are."""
    node, values = encoding_to_json(coding)
    folder.finish(key, {"factors": None if factors is None else factors.data, "coding": node}, values, blocks)


def _weight_of(block: Arrays) -> int:
    """The total weight of the rows of a block; without weights, 1 each."""
    weights = block["weights"]
    return int(weights.sum(dtype=np.int64)) if len(weights) else len(block["labels"])


def _are_same_factors(before: Any, labels: tuple[Label, ...], factors: RecordedFactors | None) -> bool:
    """Whether the weights of classes are those with which blocks were made."""
    if before is None or factors is None:
        return before is None and factors is None
    totals, found = before
    return bool((factors(labels, np.array(totals, np.float64)) == np.array(found)).all())
