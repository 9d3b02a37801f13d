"""Write committees in SQL: the deciding rule of each list, the sums of points, and the results computed from them.

Each step needs a separate query, so that no condition is written twice, and some databases need several for the
rules of many lists (`Dialect.at_once`). An expression is a subquery without its own table: DuckDB, SQLite and
PostgreSQL run it, as should other databases that let a subquery use columns of the query around it. For databases that
do not (`Dialect.sees_out`), every class has a separate sum with all conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from sqlglot import exp, parse_one

from unless.export.conditions import decisions
from unless.export.free_names import FreeNames
from unless.export.sql_interface import Dialect
from unless.export.sql_scales import ScaleWriter
from unless.export.sql_scores import shares_of
from unless.export.sql_tree import WHOLE, all_of, cases, cast, greatest, integer, new_column, total
from unless.model.points import Points
from unless.rule import Program
from unless.score.committee import Committee

if TYPE_CHECKING:
    from unless.export.sql_writer import SqlWriter


Item = TypeVar("Item")

Decisions = Iterable[tuple[exp.Expression | None, int | None]]
Decide = Callable[[Program], Decisions]
"""Writes a list: each condition with the index of the rule that decides if it holds, as `conditions.decisions`."""


def label(committee: Committee, writer: SqlWriter, labels: Sequence[exp.Expression]) -> exp.Expression:
    """Write the label of a record, one of the given labels."""
    if not writer.dialect.sees_out:
        return _best(committee, writer, labels)
    names = _Names(committee)
    return _summed(committee, writer, names, leading(names.points, labels))


def second_probability(committee: Committee, writer: SqlWriter) -> exp.Expression:
    """Write the probability of the second of two labels."""
    if not writer.dialect.sees_out:
        lead = exp.Paren(this=_sum(committee, writer, (-1, 1)))
        return next(iter(shares_of([lead, integer(0)])))
    names = _Names(committee)
    _, second = shares_of([*map(new_column, names.points)])
    return _summed(committee, writer, names, second)


def from_lead(
    committee: Committee, writer: SqlWriter, result: Callable[[exp.Expression], exp.Expression]
) -> exp.Expression:
    """Write a result computed from the points of the second of two labels minus those of the first."""
    if not writer.dialect.sees_out:
        return result(exp.Paren(this=_sum(committee, writer, (-1, 1))))
    names = _Names(committee)
    first, second = map(new_column, names.points)
    return _summed(committee, writer, names, result(exp.Paren(this=exp.Sub(this=second, expression=first))))


def _best(committee: Committee, writer: SqlWriter, labels: Sequence[exp.Expression]) -> exp.Expression:
    """Write the label of the first class with most points, from one number: points, then position from the end."""
    count, most = len(labels), int(abs(committee.base).max() + sum(abs(one).max() for one in committee.points))
    places = [tuple(int(one == place) for one in range(count)) for place in range(count)]
    ranked = [
        total([exp.Mul(this=exp.Paren(this=_sum(committee, writer, one)), expression=integer(count)), integer(rank)])
        for one, rank in zip(places, range((most + 1) * count - 1, most * count - 1, -1), strict=True)
    ]
    winner = exp.Mod(this=exp.Paren(this=greatest(*ranked)), expression=integer(count))
    case = exp.Case(this=winner)
    for place, label in enumerate(labels[:-1]):
        case = case.when(integer(count - 1 - place), label, copy=False)
    return case.else_(labels[-1], copy=False) if count > 1 else labels[0]


def _sum(committee: Committee, writer: SqlWriter, factors: tuple[int, ...]) -> exp.Expression:
    """Write the points of the classes of a record, each times a factor, as one number."""
    added = []
    for program, points in zip(committee.lists, committee.points, strict=True):
        own = (points @ factors).tolist()
        added.append(cases([(one, integer(own[-1 if at is None else at])) for one, at in decisions(program, writer)]))
    return total([cast(integer(int(committee.base @ factors)), WHOLE), *added])


class _Names:
    """The columns inside an expression."""

    def __init__(self, committee: Committee, names: FreeNames | None = None) -> None:
        self.free = names = names or FreeNames(committee.all_rules)
        self.lists = [names.take(f"list_{number + 1}") for number in range(len(committee))]
        self.points = [names.take(f"points_{number + 1}") for number in range(len(committee.classes))]
        self.read, self.voted, self.summed = map(names.take, ("numbered", "voted", "summed"))


def _summed(committee: Committee, writer: SqlWriter, names: _Names, result: exp.Expression) -> exp.Expression:
    """Write a result computed from the sums, as a subquery."""
    return _select([result], _points_query(committee, writer, names), names.summed).subquery(copy=False)


def points_query(committee: Committee, writer: SqlWriter, free: FreeNames) -> tuple[exp.Select, list[str]]:
    """Write the query of the points of each label, with the names of its columns."""
    names = _Names(committee, free)
    return _points_query(committee, writer, names), names.points


def _points_query(committee: Committee, writer: SqlWriter, names: _Names) -> exp.Select:
    scales = ScaleWriter.of(committee.all_rules, writer, names.free)
    found, name = None, ""
    if columns := scales.columns():
        found, name = _fenced(exp.Select(expressions=_named(columns)), writer.dialect), names.read
    decided = list(zip(deciding(committee, scales.decisions), names.lists, strict=True))
    for some in batched(decided, writer.dialect.at_once):
        others = [] if found is None else [exp.Star()]
        found, name = _select([*others, *_named(some)], found, name), names.voted
    return _select(_named(zip(sums(committee, names.lists), names.points, strict=True)), found, name)


def _fenced(query: exp.Select, dialect: Dialect) -> exp.Select:
    """End a query so that databases do not merge it into the query around it, and find classes again and again."""
    ends = parse_one(f"SELECT 1 {dialect.fence}", dialect=dialect.syntax).args
    for part in ("limit", "offset"):
        query.set(part, ends.get(part))
    return query


def batched(items: Sequence[Item], at_once: int | None) -> Iterator[Sequence[Item]]:
    """Yield some items at a time, or all."""
    size = at_once or max(len(items), 1)
    return (items[first : first + size] for first in range(0, len(items), size))


def _named(pairs: Iterable[tuple[exp.Expression, str]]) -> list[exp.Expression]:
    """Name expressions. Nothing is copied here, which takes seconds if there are hundreds of rules."""
    return [exp.Alias(this=node, alias=exp.to_identifier(name)) for node, name in pairs]


def _select(nodes: list[exp.Expression], source: exp.Select | None, name: str) -> exp.Select:
    """Write a query of expressions, from another query if there is one."""
    found = exp.Select(expressions=nodes)
    return found if source is None else found.from_(source.subquery(name, copy=False), copy=False)


def deciding(committee: Committee, decide: Decide) -> list[exp.Expression]:
    """Write the number of the deciding rule of each list, from 1."""
    return [_rule(len(program.rules), decide(program)) for program in committee.lists]


def sums(committee: Committee, lists: Sequence[str]) -> list[exp.Expression]:
    """Write the points of each class, from the columns with the numbers of the deciding rules."""
    return [
        total(
            [cast(integer(base), WHOLE), *(_points(*one, place) for one in zip(lists, committee.points, strict=True))]
        )
        for place, base in enumerate(committee.base.tolist())
    ]


def leading(points: Sequence[str], results: Sequence[exp.Expression]) -> exp.Expression:
    """Write the result of the first class with most points, from the columns of points."""
    arms: list[tuple[exp.Expression | None, exp.Expression]] = []
    for place, result in enumerate(results[:-1]):
        leads = [exp.GTE(this=new_column(points[place]), expression=new_column(one)) for one in points[place + 1 :]]
        arms.append((all_of(*leads), result))
    return cases([*arms, (None, results[-1])])


def _rule(last: int, listed: Decisions) -> exp.Expression:
    return cases([(condition, integer(last if index is None else index + 1)) for condition, index in listed])


def _points(name: str, points: Points, place: int) -> exp.Expression:
    """Write the points that a list gives to a class."""
    case = exp.Case(this=new_column(name))
    for number, own in enumerate(points[:, place].tolist(), 1):
        case = case.when(integer(number), integer(own), copy=False)
    return case
