"""Committees in SQL: the number of the deciding rule of each list, sums of points, and what follows from them.

Each step needs a query of its own, so that no condition is written twice. An expression is a subquery without a table
of its own: DuckDB, SQLite and PostgreSQL run it, and so should other databases that let a subquery use columns of the
query around it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from unless.export.conditions import Writer, decisions
from unless.export.sqlpoints import shares_of
from unless.export.sqltree import WHOLE, NewNames, all_of, cases, cast, integer, new_column, total
from unless.rule import Program
from unless.score.committee import Committee
from unless.score.points import Points


def label(committee: Committee, writer: Writer[exp.Expression], labels: Sequence[exp.Expression]) -> exp.Expression:
    """The label of a record, one of these."""
    names = _Names(committee)
    return _summed(committee, writer, names, leading(names.points, labels))


def second_probability(committee: Committee, writer: Writer[exp.Expression]) -> exp.Expression:
    """The probability of the second of two labels."""
    names = _Names(committee)
    _, second = shares_of([*map(new_column, names.points)])
    return _summed(committee, writer, names, second)


class _Names:
    """The columns inside an expression."""

    def __init__(self, committee: Committee) -> None:
        names = NewNames(committee.rules)
        self.lists = [names.free(f"list_{number + 1}") for number in range(len(committee))]
        self.points = [names.free(f"points_{number + 1}") for number in range(len(committee.classes))]
        self.voted, self.summed = names.free("voted"), names.free("summed")


def _summed(
    committee: Committee, writer: Writer[exp.Expression], names: _Names, result: exp.Expression
) -> exp.Expression:
    """What follows from the sums, as a subquery."""
    summed = _select(sums(committee, names.lists), names.points)
    if len(committee):
        voted = _select(deciding(committee, writer), names.lists)
        summed = summed.from_(voted.subquery(names.voted, copy=False), copy=False)
    return exp.select(result).from_(summed.subquery(names.summed, copy=False), copy=False).subquery(copy=False)


def _select(nodes: Sequence[exp.Expression], names: Sequence[str]) -> exp.Select:
    """A query of expressions with names; they are not copied, which takes seconds if there are hundreds of rules."""
    named = [exp.alias_(node, name, copy=False) for node, name in zip(nodes, names, strict=True)]
    return exp.Select(expressions=named)


def deciding(committee: Committee, writer: Writer[exp.Expression]) -> list[exp.Expression]:
    """The number of the deciding rule of each list, from 1."""
    return [_rule(program, writer) for program in committee.lists]


def sums(committee: Committee, lists: Sequence[str]) -> list[exp.Expression]:
    """The points of each class, from the columns with the numbers of the deciding rules."""
    return [
        total(
            [cast(integer(base), WHOLE), *(_points(*one, place) for one in zip(lists, committee.points, strict=True))]
        )
        for place, base in enumerate(committee.base.tolist())
    ]


def leading(points: Sequence[str], results: Sequence[exp.Expression]) -> exp.Expression:
    """The result of the first class that has most points, from the columns of points."""
    arms: list[tuple[exp.Expression | None, exp.Expression]] = []
    for place, result in enumerate(results[:-1]):
        leads = [exp.GTE(this=new_column(points[place]), expression=new_column(one)) for one in points[place + 1 :]]
        arms.append((all_of(*leads), result))
    return cases([*arms, (None, results[-1])])


def _rule(program: Program, writer: Writer[exp.Expression]) -> exp.Expression:
    last = len(program.rules) - 1
    listed = decisions(program, writer)
    return cases([(condition, integer((last if index is None else index) + 1)) for condition, index in listed])


def _points(name: str, points: Points, place: int) -> exp.Expression:
    """The points that a list gives to a class."""
    case = exp.Case(this=new_column(name))
    for number, own in enumerate(points[:, place].tolist(), 1):
        case = case.when(integer(number), integer(own), copy=False)
    return case
