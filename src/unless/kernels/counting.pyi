"""The types of `counting.py` for Python code; its own annotations are C types."""

import numpy as np
from numpy.typing import NDArray

from unless.kernels.binning import BinnedGrid, RowSelection

class CountingGrid(BinnedGrid):
    def label_weights(self, rows: RowSelection, labels: int) -> list[int]: ...
    def weigh_ranks(self, rows: RowSelection, i: int, first: int, out: NDArray[np.int64]) -> None: ...
    def weigh_parts(
        self, rows: RowSelection, i: int, starts: NDArray[np.int32], first: int, out: NDArray[np.int64]
    ) -> None: ...
    def histogram(self, rows: RowSelection) -> NDArray[np.int32]: ...
