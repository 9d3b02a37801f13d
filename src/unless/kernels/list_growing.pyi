"""The types of `list_growing.py` for Python code; its own annotations are C types."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Demands: TypeAlias = tuple[float, float, float, float, int, int, float]
"""The ratio, the penalty, the support, what a weight of 1 means, the most values of a column, the number of labels."""

class ListGrower:
    def __init__(
        self,
        bins: NDArray[np.uint8],
        numbers: Sequence[int],
        ends: Sequence[int],
        sizes: Sequence[int],
        threads: int = 1,
    ) -> None: ...
    def learn(
        self,
        index: NDArray[np.int32],
        labels: NDArray[np.int32],
        weights: NDArray[np.int32],
        picked: NDArray[np.int32],
        criteria: Demands,
        rare_first: bool,
        most: int,
        check_stop: Callable[[int], object],
        decided: NDArray[np.int32],
    ) -> None: ...
    def learned(self) -> tuple[list[int], NDArray[np.int32]]: ...
    def decide(self, code: NDArray[np.int32], rules: int, index: NDArray[np.int32], out: NDArray[np.int32]) -> None: ...

def sum_loss_derivatives(
    rule: NDArray[np.int32],
    truth: NDArray[np.int32],
    weight: NDArray[np.float64],
    chances: NDArray[np.float64],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
) -> None: ...
def add_points_and_chances(
    rule: NDArray[np.int32],
    points: NDArray[np.int64],
    per_logit: float,
    truth: NDArray[np.int32],
    sums: NDArray[np.int64],
    chances: NDArray[np.float64],
    wrong: NDArray[np.float64],
) -> None: ...
