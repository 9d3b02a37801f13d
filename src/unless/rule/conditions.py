"""Conditions as people read them: a literal, or the two bounds of a range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unless.rule.literal import OPERATOR_WORDS, Literal, SpokenOperator, value_text
from unless.values import Value
from unless.values.spelling import quote_if_needed

Condition = tuple[Literal, ...]
"""A literal, or the lower and the upper bound of a feature, in this order."""


def conditions(default: Iterable[Literal]) -> tuple[Condition, ...]:
    """Return the literals of a default as people read them: each once, the two bounds of a feature as one range.

    A range comes in the position of its first literal. Of several bounds on one side it has the tightest, which implies
    the others. Bounds that no number satisfies stay separate.

    >>> conditions((Literal("age", ">", 30.0), Literal("city", "==", "Oslo"), Literal("age", "<=", 40.0)))
    ((age > 30, age <= 40), (city is 'Oslo',))
    """
    read: dict[str | Literal, Condition] = {}
    for literal in default:
        key = literal.feature if isinstance(literal.value, float) else literal
        read[key] = _keep_tightest(*read[key], literal) if key in read else (literal,)
    return tuple(read.values())


def spoken_bounds(condition: Condition) -> list[tuple[SpokenOperator, Value]]:
    """Return the operators and values of a condition as people say them; a range has two bounds, even if a flag."""
    return [condition[0].as_spoken()] if len(condition) == 1 else [literal.as_short_bound() for literal in condition]


def condition_verbs(condition: Condition) -> list[str]:
    """Return the words before each value of a condition: "is above", and "and at most" in a range."""
    first, *others = (OPERATOR_WORDS[op] for op, _ in spoken_bounds(condition))
    return [first, *(f"and {words.removeprefix('is ')}" for words in others)]


def _keep_tightest(*literals: Literal) -> Condition:
    """Keep one of equal literals, the highest lower bound and the lowest upper bound, in this order."""
    kept = [one for one in literals if not any(other != one and other.implies(one) for other in literals)]
    return tuple(sorted(dict.fromkeys(kept), key=lambda literal: literal.op == "<="))


def condition_text(condition: Condition) -> str:
    """Return a condition as in the text of rules."""
    if len(condition) == 1:
        return str(condition[0])
    parts = (
        f"{verb} {value_text(value)}"
        for verb, (_, value) in zip(condition_verbs(condition), spoken_bounds(condition), strict=True)
    )
    return " ".join([quote_if_needed(condition[0].feature), *parts])


def conditions_as_written(default: tuple[Literal, ...]) -> Iterator[Condition]:
    """Yield the literals of a default in their original order; two adjacent bounds are a range."""
    place = 0
    while place < len(default):
        ends = tuple((one.feature, one.op) for one in default[place : place + 2])
        size = 2 if len(ends) == 2 and ends == ((ends[0][0], ">"), (ends[0][0], "<=")) else 1
        yield default[place : place + size]
        place += size
