"""Committees as one SQL expression: a subquery that finds the deciding rules, adds up points, and compares sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import get_args

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from unless.errors import ParameterError, suggest
from unless.export.code import free_name
from unless.export.conditions import decisions
from unless.export.dialects import DIALECTS
from unless.export.sql import ColumnKind, SqlWriter, VotedColumn, check_columns, is_plain, kinds_of
from unless.export.sqltree import all_of, column
from unless.rule import Program
from unless.score.committee import Committee
from unless.score.points import POINTS_PER_LOGIT


def committee_to_sql(
    committee: Committee,
    dialect: str = "duckdb",
    what: str = "label",
    columns: Mapping[str, ColumnKind] | None = None,
    known: Mapping[str, str] | None = None,
) -> str:
    """Write a committee as one SQL expression over the columns of a table; see `to_sql`.

    ``what`` is the ``label``, or its ``probability``. The expression is a subquery without a table of its own: DuckDB,
    SQLite and PostgreSQL run it, and so should other databases that let a subquery use columns of the query around it.
    """
    if what not in get_args(VotedColumn):
        hint = suggest(str(what), get_args(VotedColumn))
        raise ParameterError(f"no SQL for {what!r} of a committee{hint}")
    engine = DIALECTS[dialect]
    check_columns(committee.rules, engine)
    writer = SqlWriter(engine, kinds_of(committee.rules, known or {}, columns or {}))
    names = _Names(committee)
    rules = exp.select(
        *(exp.alias_(_rule(program, writer), name) for program, name in zip(committee.lists, names.lists, strict=True))
    )
    sums = exp.select(*(exp.alias_(_sum(committee, names, k), name) for k, name in enumerate(names.sums)))
    if len(committee):
        sums = sums.from_(rules.subquery(names.free("rules")))
    best = exp.select(
        *(column(name) for name in names.sums), exp.alias_(_first(names, [*map(column, names.sums)]), names.best)
    )
    labels = [writer.label(label) for label in committee.classes]
    result = _first(names, labels) if what == "label" else _probability(names)
    found = exp.select(result).from_(best.from_(sums.subquery(names.free("sums"))).subquery(names.free("best")))
    pretty = is_plain(committee.rules)
    return found.subquery().sql(engine.syntax, copy=False, pretty=pretty, unsupported_level=ErrorLevel.RAISE)


class _Names:
    """Names of columns that no feature has."""

    def __init__(self, committee: Committee) -> None:
        self._taken = {name.casefold() for name in (*committee.features, committee.target)}
        self.lists = [self.free(f"list_{number}") for number, _ in zip(count(1), committee.lists, strict=False)]
        self.sums = [self.free(f"points_{number}") for number, _ in zip(count(1), committee.classes, strict=False)]
        self.best = self.free("most_points")

    def free(self, name: str) -> str:
        found = free_name(name, self._taken)
        self._taken.add(found)
        return found


def _rule(program: Program, writer: SqlWriter) -> exp.Expression:
    """The number of the deciding rule, from 0."""
    case, last = exp.Case(), 0
    for condition, index in decisions(program, writer):
        last = len(program.rules) - 1 if index is None else index
        if condition is not None:
            case = case.when(condition, exp.Literal.number(last), copy=False)
    if not case.args.get("ifs"):
        return exp.Literal.number(last)
    return case.else_(exp.Literal.number(last), copy=False)


def _sum(committee: Committee, names: _Names, label: int) -> exp.Expression:
    """The points of a class."""
    parts: list[exp.Expression] = [_number(int(committee.base[label]))]
    for name, points in zip(names.lists, committee.points, strict=True):
        case = exp.Case(this=column(name))
        for rule, own in enumerate(points[:, label].tolist()):
            case = case.when(exp.Literal.number(rule), _number(own), copy=False)
        parts.append(case)
    return _added(parts)


def _number(number: int) -> exp.Expression:
    node = exp.Literal.number(abs(number))
    return exp.Paren(this=exp.Neg(this=node)) if number < 0 else node


def _added(parts: Sequence[exp.Expression]) -> exp.Expression:
    """A sum as a tree: databases limit how deep expressions nest."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    left, right = _added(parts[:middle]), _added(parts[middle:])
    return exp.Add(this=exp.Paren(this=left), expression=exp.Paren(this=right))


def _first(names: _Names, results: Sequence[exp.Expression]) -> exp.Expression:
    """The result of the first class that has most points."""
    case = exp.Case()
    for k, result in enumerate(results[:-1]):
        leads = [exp.GTE(this=column(names.sums[k]), expression=column(name)) for name in names.sums[k + 1 :]]
        case = case.when(all_of(*leads), result, copy=False)
    return case.else_(results[-1], copy=False) if len(results) > 1 else results[0]


def _probability(names: _Names) -> exp.Expression:
    """The share of the leading class in the odds."""
    odds = []
    for name in names.sums:
        lead = exp.Paren(this=exp.Sub(this=column(name), expression=column(names.best)))
        odds.append(exp.Exp(this=exp.Div(this=lead, expression=exp.Literal.number(f"{POINTS_PER_LOGIT}.0"))))
    return exp.Div(this=exp.Literal.number("1.0"), expression=exp.Paren(this=_added(odds)))
