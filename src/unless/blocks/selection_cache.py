"""Cache the sets of rows in the queries of a block, within a memory budget."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.kernels import RowSelection
from unless.kernels.row_filtering import RowGrid

_OVERHEAD = 200
"""The approximate overhead in bytes of each cached array."""


class SelectionCache:
    """A cache of sets of rows by number; the least recently used sets are packed, and later dropped.

    Sets are made from one another. Losing one may mean making many again for every query, and learning from wide data
    would never end. ``memory_budget`` bytes are for sets, and as many again for packed sets.
    """

    def __init__(self, grid: RowGrid, rows: int, memory_budget: float) -> None:
        self._grid, self._rows = grid, rows
        self._bins = int(max(grid.spans()[2], default=0))
        self._held: OrderedDict[int, tuple[RowSelection, int]] = OrderedDict()
        self._packed: OrderedDict[int, NDArray[Any]] = OrderedDict()
        self.budget = self.packed_budget = memory_budget
        """The number of bytes left."""

    def get(self, number: int) -> RowSelection | None:
        """Return the set with a number, or None if it is not cached."""
        if number in self._held:
            self._held.move_to_end(number)
            return self._held[number][0]
        if number not in self._packed:
            return None
        found = self._grid.of_rows(_unpack_rows(self._packed[number]))
        self.put(number, found)
        return found

    def put(self, number: int, rows: RowSelection) -> None:
        """Cache a set."""
        size = 4 * (len(rows.rows()) + self._bins)
        self._held[number] = rows, size
        self.budget -= size
        while self.budget < 0 and self._held:
            oldest, (some, freed) = self._held.popitem(last=False)
            self.budget += freed
            self._pack(oldest, some)

    def _pack(self, number: int, rows: RowSelection) -> None:
        """Pack a set, unless it was packed before: packing takes as long as filtering its rows."""
        if number not in self._packed:
            self._packed[number] = found = _pack_rows(rows.rows(), self._rows)
            self.packed_budget -= found.nbytes + _OVERHEAD
        self._packed.move_to_end(number)
        while self.packed_budget < 0:
            _, gone = self._packed.popitem(last=False)
            self.packed_budget += gone.nbytes + _OVERHEAD

    def clear(self) -> None:
        """Forget all sets."""
        self._held.clear()
        self._packed.clear()


def _pack_rows(rows: NDArray[np.int32], count: int) -> NDArray[Any]:
    """Pack rows into little memory: one bit for each row of the block, or the numbers of few rows."""
    if 32 * len(rows) < count:
        return rows.copy()
    bits = np.zeros(count, bool)
    bits[rows] = True
    return np.packbits(bits)


def _unpack_rows(rows: NDArray[Any]) -> NDArray[np.int32]:
    """Unpack the sorted rows."""
    return rows if rows.dtype == np.int32 else np.flatnonzero(np.unpackbits(rows).view(bool)).astype(np.int32)
