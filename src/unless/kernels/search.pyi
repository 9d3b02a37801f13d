"""The types of `search.py` for Python code; its own annotations are C types."""

from collections.abc import Callable
from typing import TypeAlias

from unless.kernels.grid import Grid, Selection, Tests

Demands: TypeAlias = tuple[float, float, float, list[int], float]

class Search(Grid):
    def ban(self, literals: list[tuple[int, int, bool]]) -> None: ...
    def best(
        self, positive: Selection, negative: Selection, used: list[tuple[int, int, bool]], allowed: bytes | None = None
    ) -> tuple[int, int, bool] | None: ...
    def purest(
        self, positive: Selection, negative: Selection, support: int, allowed: bytes | None = None
    ) -> tuple[int, int, bool] | None: ...
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
    def worthiest(
        self, positive: Selection, negative: Selection, allowed: bytes | None = None
    ) -> tuple[tuple[int, int, bool], int] | None: ...
