"""Literals, rules and programs: immutable values that compare, hash and print themselves.

`literal` defines the tests on one feature and when they are true; `conditions` groups literals into conditions as
people read them; `program` defines rules with exceptions, and ordered lists of rules. `cells` divides the values of
features where a program tests them. `reason_factors` finds what may be a reason for a decision, and `reason_words`
defines how reasons are called.
"""

from unless.rule.conditions import Condition, condition_verbs, conditions, spoken_bounds
from unless.rule.literal import OPERATOR_WORDS, OPERATORS, Literal, Operator, SpokenOperator, value_text
from unless.rule.program import MAX_DEPTH, Program, Rule, label_text

__all__ = [
    "MAX_DEPTH", "OPERATORS", "OPERATOR_WORDS", "Condition", "Literal", "Operator", "Program", "Rule", "SpokenOperator",
    "condition_verbs", "conditions", "label_text", "spoken_bounds", "value_text",
]  # fmt: skip
