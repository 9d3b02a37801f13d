"""The types of `score_sums.py` for Python code; its own annotations are C types."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int32]

def add_chosen(choices: Ints, points: NDArray[np.int64], columns: int, out: NDArray[np.int64]) -> None: ...
