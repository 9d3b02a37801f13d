"""The types of `search.py` for Python code; its own annotations are C types."""

from unless.kernels.binning import RowSelection
from unless.kernels.row_filtering import RowGrid

class LiteralSearch(RowGrid):
    def ban(self, literals: list[tuple[int, int, bool]]) -> None: ...
    def best(
        self,
        positive: RowSelection,
        negative: RowSelection,
        used: list[tuple[int, int, bool]],
        allowed: bytes | None = None,
    ) -> tuple[int, int, bool] | None: ...
    def purest(
        self, positive: RowSelection, negative: RowSelection, support: int, allowed: bytes | None = None
    ) -> tuple[int, int, bool] | None: ...
    def best_net(
        self, positive: RowSelection, negative: RowSelection, allowed: bytes | None = None
    ) -> tuple[tuple[int, int, bool], int] | None: ...
