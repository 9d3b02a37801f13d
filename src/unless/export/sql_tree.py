"""Build pieces of SQL as sqlglot trees: conditions, casts, columns and chains of cases; how databases read decimals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from functools import cache

from sqlglot import exp, parse_one

DOUBLE = exp.DataType(this=exp.DataType.Type.DOUBLE)
WHOLE = exp.DataType(this=exp.DataType.Type.BIGINT)
TEXT = exp.DataType(this=exp.DataType.Type.TEXT)

_WIDE = 32
"""Longer conjunctions are written as trees: SQLite counts every AND of a chain as a level, and allows 1000."""

_CONCAT = 50
"""The maximum number of texts in one CONCAT: PostgreSQL's takes at most 100."""

_EXACT = Context(prec=2000, traps=[Inexact])
"""A double has at most 767 digits; the midpoint between two doubles, minus a short decimal, has few more."""


def column(feature: str) -> exp.Column:
    """Return the column of a feature."""
    return exp.Column(this=exp.Identifier(this=feature, quoted=True))


def new_column(name: str) -> exp.Column:
    """Return a column of an inner query: also without quotes there, since databases read quotes differently."""
    return exp.Column(this=exp.Identifier(this=name, quoted=False))


def is_null(node: exp.Expression) -> exp.Expression:
    """Write that the node is NULL."""
    return exp.Is(this=node, expression=exp.Null())


def cast(node: exp.Expression, kind: exp.DataType) -> exp.Cast:
    """Cast the node to another type."""
    return exp.Cast(this=node, to=kind.copy())


def fill_template(template: str, dialect: str, cell: exp.Expression) -> exp.Expression:
    """Build an expression from a template by replacing the column ``cell`` with another expression."""
    return _parse_template(template, dialect).transform(
        lambda node: cell.copy() if isinstance(node, exp.Column) and node.name == "cell" else node
    )


@cache
def _parse_template(template: str, dialect: str) -> exp.Expression:
    query = parse_one(f"SELECT {template}", dialect=dialect)  # alone, MySQL's REPLACE is a statement
    found: exp.Expression = query.expressions[0]
    return found


def try_cast(node: exp.Expression) -> exp.TryCast:
    """Cast the node to a double, NULL if it represents none."""
    return exp.TryCast(this=node, to=DOUBLE.copy(), requires_string=True)  # Snowflake's is for text only


def with_sign(node: exp.Expression, number: float) -> exp.Expression:
    """Give the node the sign of the number."""
    return exp.Neg(this=node) if math.copysign(1, number) < 0 else node


def in_parentheses(node: exp.Expression) -> exp.Expression:
    """Put the node in parentheses, unless it has its own."""
    plain = isinstance(node, exp.Func | exp.Paren) and not isinstance(node, exp.Connector)  # And and Or are Funcs
    return node if plain else exp.Paren(this=node)


def all_of(*parts: exp.Expression) -> exp.Expression:
    """Write that every part holds."""
    return _join(exp.And, parts)


def any_of(*parts: exp.Expression) -> exp.Expression:
    """Write that some part holds."""
    return _join(exp.Or, parts)


def _join(kind: type[exp.And | exp.Or], parts: tuple[exp.Expression, ...]) -> exp.Expression:
    if len(parts) > _WIDE:
        middle = len(parts) // 2
        return kind(
            this=in_parentheses(_join(kind, parts[:middle])), expression=in_parentheses(_join(kind, parts[middle:]))
        )
    other = exp.Or if kind is exp.And else exp.And
    whole, *rest = (exp.Paren(this=part) if isinstance(part, other) else part for part in parts)
    for part in rest:
        whole = kind(this=whole, expression=part)
    return whole


def total(nodes: Sequence[exp.Expression]) -> exp.Expression:
    """Write the sum of numbers; like long conjunctions, long sums are trees."""
    if len(nodes) > _WIDE:
        middle = len(nodes) // 2
        return exp.Add(this=exp.Paren(this=total(nodes[:middle])), expression=exp.Paren(this=total(nodes[middle:])))
    whole, *rest = nodes
    for node in rest:
        whole = exp.Add(this=whole, expression=node)
    return whole


def matches(node: exp.Expression, pattern: str) -> exp.Expression:
    """Write that the node matches a regular expression."""
    return exp.RegexpLike(this=node.copy(), expression=exp.Literal.string(pattern))


def integer(number: int) -> exp.Expression:
    """Write a whole number."""
    return with_sign(exp.Literal.number(abs(number)), number)


def cases(arms: Sequence[tuple[exp.Expression | None, exp.Expression]]) -> exp.Expression:
    """Write the value paired with the first condition that holds; the last value has no condition."""
    *some, (_, last) = arms
    if not some:
        return last
    case = exp.Case()
    for condition, found in some:
        if condition is not None:
            case = case.when(condition.copy(), found, copy=False)
    return case.else_(last, copy=False)


def greatest(*nodes: exp.Expression) -> exp.Expression:
    """Write the greatest of some numbers."""
    return nodes[0] if len(nodes) == 1 else exp.Greatest(this=nodes[0], expressions=list(nodes[1:]))


def least(*nodes: exp.Expression) -> exp.Expression:
    """Write the least of some numbers."""
    return exp.Least(this=nodes[0], expressions=list(nodes[1:]))


def cases_or_null(arms: Sequence[tuple[exp.Expression, exp.Expression]]) -> exp.Expression:
    """Write the value paired with the first condition that holds; NULL if none holds."""
    case = exp.Case()
    for condition, found in arms:
        case = case.when(condition, found, copy=False)
    return case


def first_true(arms: Sequence[tuple[exp.Expression, bool]], *, otherwise: bool) -> exp.Expression:
    """Write, as a condition, the truth value paired with the first condition that holds.

    A CASE keeps the order, an AND need not. The CASE compares numbers, since some databases lack truth values there.
    """
    case = exp.Case()
    for condition, truth in arms:
        case = case.when(condition, exp.Literal.number(int(truth)), copy=False)
    case = case.else_(exp.Literal.number(int(otherwise)), copy=False)
    return exp.EQ(this=case, expression=exp.Literal.number(1))


def concat(nodes: list[exp.Expression]) -> exp.Expression:
    """Concatenate the texts."""
    while len(nodes) > 1:
        groups = [nodes[start : start + _CONCAT] for start in range(0, len(nodes), _CONCAT)]
        nodes = [group[0] if len(group) == 1 else exp.Concat(expressions=group) for group in groups]
    return nodes[0]


def is_read_exactly(number: float) -> bool:
    """Whether even a simple parser of decimals reads the double exactly.

    It does if digits and power of ten are doubles themselves, so that one division or product is enough, and if a
    result that is first rounded to the 64 bits of a long double ends up as the same double.
    """
    _, digits, exponent = Decimal(repr(abs(number))).normalize().as_tuple()
    whole = int("".join(map(str, digits)))
    if not isinstance(exponent, int) or whole >= 2**53 or abs(exponent) > 22:
        return False
    value = whole * Fraction(10) ** exponent
    if not value:
        return True
    scale = Fraction(2) ** (63 - math.floor(math.log2(value)))
    return float(round(value * scale) / scale) == abs(number)


def read_range(number: float) -> tuple[str, bool]:
    """Return how far a decimal may exceed a double and still be read as that double, and whether the limit is included.

    The limit is the midpoint between the double and the next, which is read as the even one of the two. The largest
    double has no next one.

    >>> read_range(0.5), float("0.500000000000000055511151231257827021181583404541015625")
    (('5.5511151231257827021181583404541015625E-17', True), 0.5)
    """
    twice = _EXACT.add(Decimal(number), Decimal(math.nextafter(number, math.inf)))
    middle = _EXACT.divide(twice, Decimal(2))
    return str(_EXACT.subtract(middle, Decimal(repr(number)))), float(middle) == number
