"""The types of `rule_growing.py` for Python code; its own annotations are C types."""

from collections.abc import Callable
from typing import TypeAlias

from unless.kernels.binning import RowSelection
from unless.kernels.literal_search import LiteralSearch
from unless.kernels.row_filtering import Tests

Demands: TypeAlias = tuple[float, float, float, list[int], float]

class RuleGrower:
    def __init__(self, search: LiteralSearch) -> None: ...
    def fold(
        self,
        positive: RowSelection,
        negative: RowSelection,
        ratio: float,
        unit: float,
        more: tuple[list[tuple[int, int, bool]], int, Callable[[], None]],
    ) -> tuple[Tests, RowSelection, RowSelection]: ...
    def grow(
        self,
        positive: RowSelection,
        negative: RowSelection,
        criteria: Demands,
        levels: int,
        check_stop: Callable[[], None],
    ) -> tuple[Tests, RowSelection, RowSelection] | None: ...
    def grow_all(
        self,
        positive: RowSelection,
        negative: RowSelection,
        criteria: Demands,
        levels: int,
        check_stop: Callable[[], None],
    ) -> tuple[list[Tests], RowSelection, RowSelection]: ...
