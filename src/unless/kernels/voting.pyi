"""The types of `voting.py` for Python code; its own annotations are C types."""

import numpy as np
from numpy.typing import NDArray

def add_votes(
    counts: NDArray[np.int32],
    tests: NDArray[np.int32],
    code: NDArray[np.int32],
    points: NDArray[np.int64],
    width: int,
    words: int,
    block: NDArray[np.int32],
    room: NDArray[np.uint64],
    sums: NDArray[np.int64],
) -> None: ...
