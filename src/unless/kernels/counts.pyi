"""The types of `counts.py` for Python code; its own annotations are C types."""

import numpy as np
from numpy.typing import NDArray

from unless.kernels.bins import Bins, Selection

class Counts(Bins):
    def popularity(self, rows: Selection, labels: int) -> list[int]: ...
    def weigh_ranks(self, rows: Selection, i: int, first: int, out: NDArray[np.int64]) -> None: ...
    def weigh_parts(
        self, rows: Selection, i: int, starts: NDArray[np.int32], first: int, out: NDArray[np.int64]
    ) -> None: ...
    def histogram(self, rows: Selection) -> NDArray[np.int32]: ...
