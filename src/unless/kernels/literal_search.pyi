"""The types of `literal_search.py` for Python code; its own annotations are C types."""

from unless.kernels.binning import RowSelection
from unless.kernels.row_filtering import RowGrid

class LiteralSearch(RowGrid):
    def ban(self, literals: list[tuple[int, int, bool]]) -> None: ...
    def best(
        self,
        positive: RowSelection,
        negative: RowSelection,
        score: str,
        support: int = 0,
        used: list[tuple[int, int, bool]] = ...,
        allowed: bytes | None = None,
    ) -> tuple[tuple[int, int, bool], int, int] | None: ...
