"""Compare two programs: their rules (`rule_changes`), and their decisions on the same records (`record_changes`)."""

from unless.diff.record_changes import (
    ChangedRecord,
    CorrectnessChange,
    RecordComparison,
    compare_records,
    find_unseen_records,
)
from unless.diff.rule_changes import LiteralEdit, RuleComparison, RuleEdit, compare_rules

__all__ = [
    "ChangedRecord",
    "CorrectnessChange",
    "LiteralEdit",
    "RecordComparison",
    "RuleComparison",
    "RuleEdit",
    "compare_records",
    "compare_rules",
    "find_unseen_records",
]
