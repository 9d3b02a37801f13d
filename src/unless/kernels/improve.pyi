"""The types of `improve.py` for Python code; its own annotations are C types."""

from collections.abc import Callable
from typing import TypeAlias

from unless.kernels.grid import Tests
from unless.kernels.masks import Mask, Masks
from unless.kernels.search import Search

Test: TypeAlias = tuple[int, int, bool]

class Improver(Masks):
    def __init__(self, search: Search, tidy: Callable[[list[Test]], list[Test]], go_on: Callable[[], None]) -> None: ...
    def better(
        self,
        rule: Tests | None,
        gains: Mask,
        losses: Mask,
        demands: tuple[float, float, float, list[int], float, int],
        price: float,
        step: float,
    ) -> Tests | None: ...
