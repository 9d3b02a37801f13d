"""What `decide.py`, whose annotations are C types, offers to typed code."""

import numpy as np
from numpy.typing import NDArray

def decide(code: NDArray[np.int32], block: NDArray[np.int32], out: NDArray[np.int32]) -> None: ...
