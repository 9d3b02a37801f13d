"""The types of `rule_improving.py` for Python code; its own annotations are C types."""

from collections.abc import Callable

from unless.kernels.literal_search import LiteralSearch
from unless.kernels.row_filtering import Tests
from unless.kernels.row_masks import MaskGrid, RowMask
from unless.kernels.rule_growing import RuleGrower

class MaskedRuleImprover(MaskGrid):
    def __init__(self, search: LiteralSearch, rules: RuleGrower, check_stop: Callable[[], None]) -> None: ...
    def improve_rule(
        self,
        rule: Tests | None,
        gains: RowMask,
        losses: RowMask,
        criteria: tuple[float, float, float, list[int], float, int],
        price: float,
        step: float,
    ) -> Tests | None: ...
