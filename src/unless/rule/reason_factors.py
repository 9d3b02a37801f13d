"""Find which factors are reasons for a decision: what is true of a record, in the order in which it counts.

The order is fixed by the program alone (`reason_plan`):

1. the conditions of the deciding rule, as they are read;
2. for each of its exceptions, why it does not apply: its conditions that fail, or the exceptions to it that apply;
3. the same two for each later rule with the label of the decision that holds too;
4. if the decision is a default, because the rule has no conditions or no rule applies: what the record lacked for
   another label. The nearest rule comes first: the one with the fewest failing conditions, of equals the earlier one.

Rules behind one that covers every record never decide, so they are no reasons.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

from unless.rule.conditions import Condition, condition_text, conditions
from unless.rule.literal import Literal
from unless.rule.program import Program, Rule
from unless.values import Label, number_to_text
from unless.values.spelling import quote_if_needed

Kind = OneOf["low", "high", "between", "is", "is_not", "missing", "present", "other"]

_KIND_WORDS: dict[Kind, str] = {
    "low": "is low",
    "high": "is high",
    "between": "is between two bounds",
    "is": "is",
    "is_not": "is not",
    "missing": "is missing",
    "present": "is present",
    "other": "is not a number",
}
"""What is said of a feature, by kind."""

Guard = tuple[Rule, bool]
"""A rule, and whether it covers the record."""


@dataclass(frozen=True, slots=True)
class Factor:
    """Something that is true of a record: ``condition`` holds, which says what ``kind`` says of the feature.

    A missing cell is always the factor *missing*, whatever a rule asks; ``other`` is a text where a rule compares
    numbers.
    """

    kind: Kind
    condition: Condition

    @property
    def feature(self) -> str:
        """The feature that the rule tests."""
        return self.condition[0].feature

    @property
    def category(self) -> str | None:
        """The category that the record has or lacks; None for the other kinds."""
        value = self.condition[0].as_spoken()[1] if self.kind in ("is", "is_not") else None
        return number_to_text(value) if isinstance(value, float) else value

    @property
    def condition_text(self) -> str:
        """The condition as in the text of rules: ``income <= 2000``."""
        return str(self) if self.kind == "other" else condition_text(self.condition)

    def __str__(self) -> str:
        """Say what is true of the record: ``income is low``, ``city is 'Oslo'``."""
        text = f"{quote_if_needed(self.feature)} {_KIND_WORDS[self.kind]}"
        return text if self.category is None else f"{text} {self.category!r}"


@dataclass(frozen=True, slots=True)
class Factors:
    """Factors in order, which are reasons if all guards are met."""

    guards: tuple[Guard, ...]
    items: tuple[Factor | Factors, ...]


Items = tuple[Factor | Factors, ...]


@dataclass(frozen=True, slots=True)
class Shortfall:
    """What a record lacked for a rule: the factors, and the conditions, whose failures are counted."""

    conditions: tuple[Condition, ...]
    items: Items


@dataclass(frozen=True, slots=True)
class ReasonPlan:
    """The factors of a decision in order: those that support it, then the shortfalls, the nearest first."""

    supports: Items
    shortfalls: tuple[Shortfall, ...] = ()

    def factors(self) -> Iterator[Factor]:
        """Yield every factor that may be a reason for the decision, in order."""
        yield from every_factor(self.supports)
        for one in self.shortfalls:
            yield from every_factor(one.items)


def reason_plan(program: Program, index: int | None, label: Label | None) -> ReasonPlan:
    """Return the factors for a label that a record gets if a rule decides it; None if no rule covers it.

    The label may differ from the rule's, if costs decide: the reasons are for this label, and the rule remains the
    first, because it determines the probabilities.
    """
    rules = _rules_that_decide(program)
    supports: list[Factor | Factors] = []
    if index is not None:
        supports += why_holds(rules[index])
        later = [rule for rule in rules[index + 1 :] if rule.head == label]
        supports += [Factors(((rule, True),), why_holds(rule)) for rule in later if rule.default or rule.exceptions]
    if index is not None and rules[index].default:
        return ReasonPlan(tuple(supports))
    others = [rule for rule in rules[:index] if rule.head != label]
    return ReasonPlan(tuple(supports), shortfalls(others))


def shortfalls(rules: Iterable[Rule]) -> tuple[Shortfall, ...]:
    """Return what records that no rule of these covers lacked for each of them."""
    return tuple(Shortfall(conditions(one.default), why_fails(one)) for one in rules)


def reason_plans(program: Program) -> dict[int | None, ReasonPlan]:
    """Return the factors of each decision that the program can make for the label of a rule."""
    rules = _rules_that_decide(program)
    places: list[int | None] = [*range(len(rules))]
    if not rules or not _covers_all(rules[-1]):
        places.append(None)
    return {one: reason_plan(program, one, program.otherwise if one is None else rules[one].head) for one in places}


def _rules_that_decide(program: Program) -> tuple[Rule, ...]:
    """Return the rules up to the first that covers every record."""
    last = next((place for place, rule in enumerate(program.rules) if _covers_all(rule)), len(program.rules))
    return program.rules[: last + 1]


def _covers_all(rule: Rule) -> bool:
    return not rule.default and not rule.exceptions


def why_holds(rule: Rule) -> Items:
    """Return why a rule holds, of a record that it covers."""
    found = [item for one in conditions(rule.default) for item in _holding(one)]
    for exception in rule.exceptions:  # one frame for each level of exceptions
        found += why_fails(exception)
    return tuple(found)


def why_fails(rule: Rule) -> Items:
    """Return why a rule or an exception does not hold, of a record that it does not cover."""
    found = [item for one in conditions(rule.default) for item in _failing(one)]
    inner = tuple([Factors(((exception, True),), why_holds(exception)) for exception in rule.exceptions])
    return (*found, Factors(_all(*rule.default), inner)) if inner else tuple(found)


def _holding(condition: Condition) -> Items:
    """Return the factor of a condition that holds; a missing cell is no other category, but missing."""
    literal = condition[0]
    match literal.op:
        case "missing" | "present":
            return (Factor(literal.op, condition),)
        case "==":
            return (Factor("is", condition),)
        case "!=":
            missing = Literal(literal.feature, "missing")
            return Factors(_all(missing), (_missing(literal),)), Factors(_none(missing), (Factor("is_not", condition),))
    return (_number_factor(condition),)


def _failing(condition: Condition) -> Items:
    """Return the factors of a condition that fails: those that are true of a record say why."""
    literal = condition[0]
    match literal.op:
        case "missing":
            return (Factors(_none(literal), (Factor("present", (Literal(literal.feature, "present"),)),)),)
        case "present":
            return (Factors(_none(literal), (_missing(literal),)),)
        case "!=":
            return (Factors(_none(literal), (Factor("is", (_with_operator(literal, "=="),)),)),)
        case "==":
            return (Factors(_none(literal), _holding((_with_operator(literal, "!="),))),)
    opposites = [_with_operator(one, "<=" if one.op == ">" else ">") for one in condition]
    found = [Factors(_all(one), (_number_factor((one,)),)) for one in opposites]
    missing = Literal(literal.feature, "missing")
    no_number = (*_none(literal, opposites[0]), *_none(missing))
    other = Factor("other", (Literal(literal.feature, "present"),))
    return (*found, Factors(_all(missing), (_missing(literal),)), Factors(no_number, (other,)))


def _number_factor(condition: Condition) -> Factor:
    """Return what a test of numbers says: above or below a bound, inside a range, or the number of a flag."""
    if len(condition) > 1:
        return Factor("between", condition)
    if condition[0].as_spoken()[0] == "==":
        return Factor("is", condition)
    return Factor("low" if condition[0].op == "<=" else "high", condition)


def _missing(literal: Literal) -> Factor:
    return Factor("missing", (Literal(literal.feature, "missing"),))


def _with_operator(literal: Literal, op: OneOf["<=", ">", "==", "!="]) -> Literal:
    return Literal(literal.feature, op, literal.value)


def _all(*literals: Literal) -> tuple[Guard, ...]:
    return ((Rule(None, literals), True),)


def _none(*literals: Literal) -> tuple[Guard, ...]:
    return tuple((Rule(None, (one,)), False) for one in literals)


def every_factor(items: Items) -> Iterator[Factor]:
    """Yield the factors in order, whatever they need."""
    for item in items:
        if isinstance(item, Factor):
            yield item
        else:
            yield from every_factor(item.items)
