"""The arrays of a block, in memory or in a file.

The bytes of ``bins`` come first, since nearly all queries read them; the numbers of bare columns (``cells``) come last.
A file may hold these numbers again, record by record (``records``). ``labels`` are bytes if there are few of them, and
``weights`` are absent if every row weighs 1. ``places`` holds the order of the source if rows are stored in another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.blocks.column_bins import ColumnBins
from unless.errors import ReadError
from unless.kernels.row_filtering import RowGrid
from unless.storage.array_files import Arrays, StoredArrays, map_arrays, write_arrays
from unless.storage.direct_io import supports_direct_io
from unless.table import Column, Table
from unless.table.columns import replace_checked

DATA_CHANGED = "the data changed while it was read; learn from a copy, or while nothing writes to it"

UNCACHED = ("cells", "records")
"""The arrays that few queries need, and only in part: numbers by column, and the same numbers by record."""

RARE = ("fine", "lows", "places")
"""Other arrays that few queries need; every query reads the bins."""

NO_ROWS: NDArray[np.uint8] = np.empty(0, np.uint8)

_BYTE = 256


class TextArray(Sequence[str]):
    """Sorted texts as stored in a file: their UTF-8 bytes, and the end of each text."""

    def __init__(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self._data, self._ends = data, ends

    @classmethod
    def packed(cls, texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Pack texts into bytes and ends."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return np.frombuffer(b"".join(encoded), np.uint8), ends

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[str]:
        data = self._data.tobytes()
        return (data[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(self._ends.tolist()))

    def __getitem__(self, place: int) -> str:  # type: ignore[override]  # slices are not used
        return self._data[self._ends[place] : self._ends[place + 1]].tobytes().decode("utf-8", "surrogatepass")


def write_block(path: Path, arrays: Arrays, *, bypass_page_cache: bool = False) -> None:
    """Write a block to a file.

    On request, the numbers are written past the page cache, and again record by record, so that one
    read returns all numbers of a record.
    """
    bypass_page_cache = bypass_page_cache and len(arrays["cells"]) > 0 and supports_direct_io(path)
    if bypass_page_cache:
        arrays = {**arrays, "records": arrays["cells"].reshape(-1, len(arrays["labels"])).T.reshape(-1)}
    write_arrays(path, arrays, UNCACHED if bypass_page_cache else ())


def map_block(path: Path, *, bypass_page_cache: bool = False) -> StoredArrays:
    """Map the arrays of a block from its file."""
    return map_arrays(path, UNCACHED if bypass_page_cache else (), RARE)


def make_block_arrays(
    table: Table, bins: Sequence[ColumnBins], labels: NDArray[np.int32], weights: NDArray[np.int32]
) -> StoredArrays:
    """Make the arrays of a block from a table; columns have the values of the bins, or their own."""
    own: dict[str, NDArray[Any]] = {}
    columns = []
    for i, one in enumerate(bins):
        column = table.columns[i]
        if not one.open:
            column = _rank_like(column, one.column)
        elif not one.bare:
            own[f"numbers {i}"] = column.numbers
            own[f"texts {i}"], own[f"ends {i}"] = TextArray.packed(column.categories)
        elif len(column.categories):
            raise ReadError(DATA_CHANGED)
        columns.append(column)
    grid = make_row_grid(bins, columns, labels, weights)
    plane, fine = grid.planes()
    bare = [(i, one, column) for i, (one, column) in enumerate(zip(bins, columns, strict=True)) if one.bare]
    for i, (one, column) in enumerate(zip(bins, columns, strict=True)):
        if one.cuts is None:
            grid.load_narrow(i, column.codes.astype(np.uint8, copy=False))
        elif not one.bare:
            grid.load_binned(i, column.codes.astype(np.int32), one.bin_of(column))
    rows = len(labels)
    lows, cells = np.empty((len(bare), rows), np.uint8), np.empty((len(bare), rows))
    for place, (i, one, column) in enumerate(bare):
        plane[i * rows : (i + 1) * rows] = one.bin_of(column)[column.codes]
        lows[place] = one.parts_within_bins(column)[column.codes]
        cells[place] = np.append(column.numbers, np.nan)[column.codes]
    return StoredArrays(
        {
            "bins": plane,
            "labels": labels.astype(np.uint8) if labels.max(initial=0) < _BYTE else labels,
            "weights": weights[: 0 if (weights == 1).all() else None],
            "fine": fine,
            "lows": lows.ravel(),
            **own,
            "cells": cells.ravel(),
        }
    )


def padded_bin_count(bins: ColumnBins) -> int:
    """Count the bins of a column, including those that pad it to whole groups."""
    column = bins.column
    numeric, categorical = bins.shape or (len(column.numbers), len(column.categories) + 1)
    return -(-numeric // 16) * 16 + categorical


def bytes_per_cell(bins: ColumnBins) -> int:
    """Estimate the bytes that a cell takes: its bin, and its part and number, or its rank."""
    return 10 if bins.bare else 1 if bins.cuts is None else 5


def check_block_arrays(bins: Sequence[ColumnBins], labels: int, arrays: Arrays) -> None:
    """Reject arrays that do not fit the bins and labels: the kernels use them as addresses, unchecked."""
    rows, columns = len(arrays["labels"]), len(bins)
    known = [block_column(one, i, arrays) for i, one in enumerate(bins)]
    wide = [column.missing for one, column in zip(bins, known, strict=True) if one.cuts is not None and not one.bare]
    ranks, bare = np.array(wide), sum(one.bare for one in bins)
    types: dict[str, type] = dict.fromkeys(("bins", "lows"), np.uint8) | dict.fromkeys(("fine", "weights"), np.int32)
    types |= {"cells": np.float64, "labels": np.uint8 if arrays["labels"].dtype == np.uint8 else np.int32}
    weights = rows if len(arrays["weights"]) else 0
    sizes = {"bins": rows * columns, "fine": rows * len(ranks), "weights": weights}
    sizes |= dict.fromkeys(("lows", "cells"), rows * bare)  # any part and any number is safe
    if "places" in arrays:
        types["places"], sizes["places"] = np.int32, rows
    if "records" in arrays:
        types["records"], sizes["records"] = np.float64, rows * bare
    fit = all(arrays[name].dtype == kind for name, kind in types.items())
    fit = fit and all(len(arrays[name]) == size for name, size in sizes.items())
    if fit and rows:
        most = np.array([padded_bin_count(one) for one in bins])
        fit = bool((arrays["bins"].reshape(columns, rows).max(axis=1) < most).all())
        fine = arrays["fine"].reshape(len(ranks), rows)
        fit = fit and bool((fine.min(axis=1) >= 0).all() and (fine.max(axis=1) <= ranks).all())
        fit = fit and bool(arrays["labels"].min() >= 0 and arrays["labels"].max() < labels)
        fit = fit and bool(arrays["weights"].min(initial=0) >= 0)
    if not fit or not all(_check_own_values(i, arrays) for i, one in enumerate(bins) if one.open and not one.bare):
        raise ValueError("these arrays do not fit the bins and labels of a block")


def _check_own_values(place: int, arrays: Arrays) -> bool:
    numbers, texts, ends = (arrays[f"{name} {place}"] for name in ("numbers", "texts", "ends"))
    kinds = numbers.dtype == np.float64 and texts.dtype == np.uint8 and ends.dtype == np.int64
    spans = len(ends) > 0 and ends[0] == 0 and ends[-1] == len(texts) and bool((np.diff(ends) >= 0).all())
    return bool(kinds and spans and (np.diff(numbers) > 0).all() and not np.isnan(numbers[:1]).any())


def make_row_grid(
    bins: Sequence[ColumnBins],
    columns: Sequence[Column],
    labels: NDArray[np.int32] | NDArray[np.uint8],
    weights: NDArray[np.int32],
) -> RowGrid:
    """Make the kernel that counts these columns, still without cells."""
    numbers, ranks = [len(column.numbers) for column in columns], [column.missing + 1 for column in columns]
    return RowGrid(labels, weights, numbers, ranks, bins=[one.shape for one in bins], bare=[one.bare for one in bins])


def block_column(bins: ColumnBins, place: int, arrays: Arrays) -> Column:
    """Return a column of a block without its rows."""
    if not bins.open or bins.bare:
        return bins.column
    texts = TextArray(arrays[f"texts {place}"], arrays[f"ends {place}"])
    return replace_checked(bins.column, codes=NO_ROWS, numbers=arrays[f"numbers {place}"], categories=texts)


def _rank_like(column: Column, known: Column) -> Column:
    """Rank a column among known values; unknown values mean that the data changed since the first pass."""
    texts = {text: place for place, text in enumerate(known.categories, len(known.numbers))}
    places = np.searchsorted(known.numbers, column.numbers)
    same = np.append(known.numbers, np.nan)[places] == column.numbers
    if not same.all() or any(text not in texts for text in column.categories):
        raise ReadError(DATA_CHANGED)
    table = np.array([*places.tolist(), *map(texts.__getitem__, column.categories), known.missing], np.int32)
    return replace_checked(known, codes=table[column.codes])
