"""What `search.py`, whose annotations are C types, offers to typed code."""

from unless.kernels.grid import Grid, Selection

class Search(Grid):
    def best(
        self, positive: Selection, negative: Selection, used: list[tuple[int, int, bool]]
    ) -> tuple[int, int, bool] | None: ...
    def purest(self, positive: Selection, negative: Selection, support: int) -> tuple[int, int, bool] | None: ...
