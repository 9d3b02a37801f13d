"""The types of `search.py` for Python code; its own annotations are C types."""

from collections.abc import Callable

from unless.kernels.grid import Grid, Selection

class Search(Grid):
    def best(
        self, positive: Selection, negative: Selection, used: list[tuple[int, int, bool]]
    ) -> tuple[int, int, bool] | None: ...
    def purest(self, positive: Selection, negative: Selection, support: int) -> tuple[int, int, bool] | None: ...
    def grow(
        self,
        positive: Selection,
        negative: Selection,
        ratio: float,
        penalty: float,
        support: int,
        distinct: list[int],
        unit: float,
        go_on: Callable[[], None],
    ) -> tuple[list[tuple[int, int, bool]], Selection, Selection, bool] | None: ...
    def worthiest(self, positive: Selection, negative: Selection) -> tuple[tuple[int, int, bool], int] | None: ...
