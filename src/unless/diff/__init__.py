"""How two programs differ: in their rules (`rules`), and in what they decide on the same records (`records`)."""

from unless.diff.records import Effect, Switch, Turn, compare_records, unseen_by
from unless.diff.rules import Comparison, LiteralEdit, RuleEdit, compare_rules

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
