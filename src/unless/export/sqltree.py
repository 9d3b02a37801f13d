"""Pieces of SQL as sqlglot trees: conditions, casts, columns, chains of cases."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sqlglot import exp

DOUBLE = exp.DataType(this=exp.DataType.Type.DOUBLE)
TEXT = exp.DataType(this=exp.DataType.Type.TEXT)

_WIDE = 32
"""Longer conjunctions are written as trees: SQLite counts every AND of a chain as a level, and allows 1000."""

_CONCAT = 50
"""How many texts one CONCAT joins: PostgreSQL's takes at most 100."""


def column(feature: str) -> exp.Column:
    """The column of a feature."""
    return exp.Column(this=exp.Identifier(this=feature, quoted=True))


def is_null(node: exp.Expression) -> exp.Expression:
    """The node is NULL."""
    return exp.Is(this=node, expression=exp.Null())


def cast(node: exp.Expression, kind: exp.DataType) -> exp.Cast:
    """The node as another type."""
    return exp.Cast(this=node, to=kind.copy())


def try_cast(node: exp.Expression) -> exp.TryCast:
    """The node as a double, NULL where it spells none."""
    return exp.TryCast(this=node, to=DOUBLE.copy(), requires_string=True)  # Snowflake's is for text only


def signed(node: exp.Expression, number: float) -> exp.Expression:
    """The node with the sign of the number."""
    return exp.Neg(this=node) if math.copysign(1, number) < 0 else node


def bracketed(node: exp.Expression) -> exp.Expression:
    """The node in parentheses, unless it has its own."""
    plain = isinstance(node, exp.Func | exp.Paren) and not isinstance(node, exp.Connector)  # And and Or are Funcs
    return node if plain else exp.Paren(this=node)


def all_of(*parts: exp.Expression) -> exp.Expression:
    """Every part holds."""
    return _joined(exp.And, parts)


def any_of(*parts: exp.Expression) -> exp.Expression:
    """Some part holds."""
    return _joined(exp.Or, parts)


def _joined(kind: type[exp.And | exp.Or], parts: tuple[exp.Expression, ...]) -> exp.Expression:
    if len(parts) > _WIDE:
        middle = len(parts) // 2
        return kind(this=bracketed(_joined(kind, parts[:middle])), expression=bracketed(_joined(kind, parts[middle:])))
    other = exp.Or if kind is exp.And else exp.And
    whole, *rest = (exp.Paren(this=part) if isinstance(part, other) else part for part in parts)
    for part in rest:
        whole = kind(this=whole, expression=part)
    return whole


def first_true(arms: Sequence[tuple[exp.Expression, bool]], *, otherwise: bool) -> exp.Expression:
    """The truth beside the first condition that holds, as a condition: a CASE keeps the order, an AND need not.

    It compares numbers, since not every database has truth values outside of conditions.
    """
    case = exp.Case()
    for condition, truth in arms:
        case = case.when(condition, exp.Literal.number(int(truth)), copy=False)
    case = case.else_(exp.Literal.number(int(otherwise)), copy=False)
    return exp.EQ(this=case, expression=exp.Literal.number(1))


def concat(nodes: list[exp.Expression]) -> exp.Expression:
    """The texts one after another."""
    while len(nodes) > 1:
        groups = [nodes[start : start + _CONCAT] for start in range(0, len(nodes), _CONCAT)]
        nodes = [group[0] if len(group) == 1 else exp.Concat(expressions=group) for group in groups]
    return nodes[0]
