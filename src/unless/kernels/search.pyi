"""The types of `search.py` for Python code; its own annotations are C types."""

from unless.kernels.bins import Selection
from unless.kernels.grid import Grid

class Search(Grid):
    def ban(self, literals: list[tuple[int, int, bool]]) -> None: ...
    def best(
        self, positive: Selection, negative: Selection, used: list[tuple[int, int, bool]], allowed: bytes | None = None
    ) -> tuple[int, int, bool] | None: ...
    def purest(
        self, positive: Selection, negative: Selection, support: int, allowed: bytes | None = None
    ) -> tuple[int, int, bool] | None: ...
    def worthiest(
        self, positive: Selection, negative: Selection, allowed: bytes | None = None
    ) -> tuple[tuple[int, int, bool], int] | None: ...
