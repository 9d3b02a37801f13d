"""The types of `rules.py` for Python code; its own annotations are C types."""

from collections.abc import Callable
from typing import TypeAlias

from unless.kernels.bins import Selection
from unless.kernels.grid import Tests
from unless.kernels.search import Search

Demands: TypeAlias = tuple[float, float, float, list[int], float]

class Rules:
    def __init__(self, search: Search) -> None: ...
    def fold(
        self,
        positive: Selection,
        negative: Selection,
        ratio: float,
        unit: float,
        more: tuple[list[tuple[int, int, bool]], int, Callable[[], None]],
    ) -> tuple[Tests, Selection, Selection]: ...
    def grow(
        self, positive: Selection, negative: Selection, demands: Demands, levels: int, go_on: Callable[[], None]
    ) -> tuple[Tests, Selection, Selection] | None: ...
    def grow_all(
        self, positive: Selection, negative: Selection, demands: Demands, levels: int, go_on: Callable[[], None]
    ) -> tuple[list[Tests], Selection, Selection]: ...
