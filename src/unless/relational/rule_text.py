"""Print relational programs as readable rules: ``churn if it has no order with total > 50, unless …``."""

from __future__ import annotations

from collections.abc import Mapping

from unless.relational.definitions import Definition
from unless.relational.phrases import literal_phrase
from unless.relational.program import RelationalProgram
from unless.rule import Program, Rule
from unless.values import Label
from unless.values.spelling import quote_if_needed

_POSITIVE = ("pos", "yes", "true")
_NEGATIVE = ("neg", "no", "false")


def program_text(program: RelationalProgram) -> str:
    """Print the rules of a program, one per line in order, with features in words."""
    rules, definitions = program.program, program.features.definitions
    lines = []
    for rule in rules.rules:
        head = outcome_text(rules, rule.head)
        if rule.default or rule.exceptions:
            lines.append(f"{head} if {rule_phrase(rule, definitions)}")
        else:
            lines.append(f"{head} otherwise")
    if rules.otherwise is not None:
        lines.append(f"{outcome_text(rules, rules.otherwise)} otherwise")
    return "\n".join(lines) or f"{rules.target}: no rules"


def outcome_text(program: Program, label: Label | None) -> str:
    """Write a label as an outcome: ``churn``, ``not churn``, or ``status is late``."""
    target = quote_if_needed(program.target)
    labels = {str(one).lower() for one in program.labels}
    if labels <= {*_POSITIVE, *_NEGATIVE}:
        return f"{'not ' * (str(label).lower() in _NEGATIVE)}{target}"
    return f"{target} is {quote_if_needed(label) if isinstance(label, str) else label}"


def rule_phrase(rule: Rule, definitions: Mapping[str, Definition]) -> str:
    """Describe when a rule holds: its conditions, unless an exception holds."""
    text = " and ".join(literal_phrase(one, definitions[one.feature]) for one in rule.default) or "always"
    for exception in rule.exceptions:
        text += f", unless ({rule_phrase(exception, definitions)})"
    return text
