"""The types of `deciding.py` for Python code; its own annotations are C types."""

import numpy as np
from numpy.typing import NDArray

def decide_rows(code: NDArray[np.int32], block: NDArray[np.int32], out: NDArray[np.int32]) -> None: ...
def bin_numbers(
    values: NDArray[np.float64], thresholds: NDArray[np.float64], missing: int, out: NDArray[np.int32]
) -> None: ...
