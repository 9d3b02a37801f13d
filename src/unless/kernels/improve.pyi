"""The types of `improve.py` for Python code; its own annotations are C types."""

from collections.abc import Callable

from unless.kernels.grid import Tests
from unless.kernels.masks import Mask, Masks
from unless.kernels.rules import Rules
from unless.kernels.search import Search

class Improver(Masks):
    def __init__(self, search: Search, rules: Rules, go_on: Callable[[], None]) -> None: ...
    def better(
        self,
        rule: Tests | None,
        gains: Mask,
        losses: Mask,
        demands: tuple[float, float, float, list[int], float, int],
        price: float,
        step: float,
    ) -> Tests | None: ...
