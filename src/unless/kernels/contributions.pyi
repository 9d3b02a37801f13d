"""The types of `contributions.py` for Python code; its own annotations are C types."""

import numpy as np
from numpy.typing import NDArray

class ContributionWalk:
    def __init__(
        self,
        nodes: NDArray[np.int32],
        features: NDArray[np.int32],
        points: NDArray[np.float64],
        width: int,
        held: NDArray[np.uint64],
        size: int,
        shares: NDArray[np.float64],
        most: int,
        count: int,
    ) -> None: ...
    def add(
        self, root: int, truths: NDArray[np.uint8], steps: int, out: NDArray[np.float64], pairs: NDArray[np.float64]
    ) -> int: ...
