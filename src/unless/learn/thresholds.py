"""Move thresholds half-way between numbers.

A learner's threshold is a number of some training record. Half-way to the next number among the records that reach the
literal, it decides the training records in the same way, and new records better.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import floor, inf, log10
from typing import TypeVar

from unless.learn.engine import Engine
from unless.rule import Literal, Program, Rule
from unless.values.notation import NotatedNumber

Rows = TypeVar("Rows")

_MARGIN = 0.2
"""The share of the gap that must remain on either side of a rounded threshold."""


def centre_thresholds(
    engine: Engine[Rows],
    rows: Rows,
    program: Program,
    *,
    rounded: bool,
    locked: Sequence[bool] = (),
    given: Collection[str] = (),
) -> tuple[Program, list[Rows]]:
    """Return the program with every threshold half-way, and the rows that reach each rule and the end.

    Rules that are ``locked``, and the thresholds of features with ``given`` cuts, stay unchanged.
    """
    rules, reached = [], [rows]
    for k, rule in enumerate(program.rules):
        if k < len(locked) and locked[k]:
            moved, covered = rule, engine.covered_by_rule(reached[-1], rule)
        else:
            moved, covered = _centre_rule_thresholds(engine, reached[-1], rule, given, rounded=rounded)
        rules.append(moved)
        reached.append(engine.minus(reached[-1], covered))
    return Program(program.target, program.features, tuple(rules), program.otherwise), reached


def _centre_rule_thresholds(
    engine: Engine[Rows], rows: Rows, rule: Rule, given: Collection[str], *, rounded: bool
) -> tuple[Rule, Rows]:
    """Return a rule with its thresholds half-way, and the rows that it covers."""
    default, exceptions = [], []
    for literal in rule.default:
        moves = literal.op in ("<=", ">") and literal.feature not in given
        gap = engine.neighbouring_numbers(rows, literal) if moves else None
        whole = rounded and literal.feature in engine.whole
        default.append(literal if gap is None else move_threshold(literal, *gap, rounded=rounded, whole=whole))
        rows = engine.covered_by_literal(rows, literal)
    for exception in rule.exceptions:
        moved, covered = _centre_rule_thresholds(engine, rows, exception, given, rounded=rounded)
        exceptions.append(moved)
        rows = engine.minus(rows, covered)
    return Rule(rule.head, tuple(default), tuple(exceptions)), rows


def move_threshold(literal: Literal, low: float, high: float, *, rounded: bool, whole: bool) -> Literal:
    """Return the literal with a threshold between two numbers, in its notation, if it has one.

    If all numbers are ``whole``, "above 2.5" becomes "above 2".
    """
    notation = literal.value.notation if isinstance(literal.value, NotatedNumber) else None
    if notation is not None and notation.step:
        return Literal(literal.feature, literal.op, notation.value(notation.between(low, high)))
    threshold = number_between(low, high, rounded=rounded)
    threshold = max(low, float(floor(threshold))) if whole else threshold
    return Literal(literal.feature, literal.op, threshold if notation is None else notation.value(threshold))


def number_between(low: float, high: float, *, rounded: bool) -> float:
    """Return the number half-way between two numbers or, if rounded, the shortest one near it; never ``high``.

    >>> number_between(3.14159, 3.27, rounded=True), number_between(41.0, 58.0, rounded=True)
    (3.2, 50.0)
    """
    middle = low / 2 + high / 2
    if not low <= middle < high:
        return low
    if rounded:
        margin = _MARGIN * (high - low)
        size = floor(log10(high - low)) if high - low < inf else 308
        # With fewer digits, the middle rounds to 0.
        most = floor(log10(abs(middle))) + 2 if 0 < abs(middle) < inf else 0
        for digits in (-400, *range(max(-size - 16, -most), -size + 2)):  # first 0, then more and more digits
            shorter = _round_to_digits(middle, digits)
            if low + margin <= shorter <= high - margin:
                return shorter
    return middle


def _round_to_digits(number: float, digits: int) -> float:
    """Round a number to some digits; infinity if the result is larger than the largest float."""
    try:
        return round(number, digits)
    except OverflowError:
        return inf
