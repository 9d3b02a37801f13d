"""How two programs differ in their rules (`rule_changes`) and decide the same records (`record_changes`)."""

from unless.diff.record_changes import Effect, Switch, Turn, compare_records, unseen_by
from unless.diff.rule_changes import Comparison, LiteralEdit, RuleEdit, compare_rules

__all__ = [
    "Comparison",
    "Effect",
    "LiteralEdit",
    "RuleEdit",
    "Switch",
    "Turn",
    "compare_records",
    "compare_rules",
    "unseen_by",
]
