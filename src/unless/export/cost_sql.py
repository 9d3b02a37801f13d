"""Write decisions by points and costs in SQL (`ScoreDecider`): points, odds and costs as whole numbers, step by step.

With two labels and the same costs for all records, the points alone decide. Otherwise each step is a query of its own,
which databases that let a subquery use columns of the query around it can run (`Dialect.sees_out`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp, parse_one

from unless.errors import ParameterError
from unless.export import committee_sql, sql_scores
from unless.export.conditions import decisions, head_index
from unless.export.free_names import FreeNames
from unless.export.sql_interface import Dialect
from unless.export.sql_tree import (
    DOUBLE,
    all_of,
    any_of,
    cases,
    cases_or_null,
    cast,
    column,
    integer,
    is_null,
    new_column,
    total,
    with_sign,
)
from unless.model.costs import WHOLE
from unless.score.committee import Committee
from unless.score.score_card import ScoreCard
from unless.score.score_decider import ScoreDecider

if TYPE_CHECKING:
    from unless.export.sql_writer import SqlWriter

Nodes = list[exp.Expression]


def label(decider: ScoreDecider, writer: SqlWriter) -> exp.Expression:
    """Write the label of a record; NULL if it is rejected, if no rule gives a label, or if an amount is missing."""
    labels = [writer.label(one) for one in decider.classes]
    if decider.thresholds is not None:
        return _compare_with_thresholds(decider, writer, labels)
    if not writer.dialect.sees_out:
        raise ParameterError(
            f"decisions by costs need several steps here, and {writer.dialect.name} cannot compute them in one "
            "expression; two labels and costs that are the same for all records can be written"
        )
    free = FreeNames(decider.all_rules)
    source, points = points_query(decider, writer, free)
    names = _Names(decider, free, points)
    chosen = _chosen(decider, names)
    source.set("expressions", [*source.expressions, *_inputs(decider, writer, names)])
    source = _fenced(source, writer.dialect)
    if decider.by == "costs" or decider.reject is not None:
        for nodes, own in ((_odds(names), names.odds), (_sums(decider, names), names.sums)):
            outer = _select([exp.Star(), *_named(nodes, own)], source.subquery(names.inner, copy=False))
            source = _fenced(outer, writer.dialect)
    arms: list[tuple[exp.Expression, exp.Expression]] = [
        (any_of(is_null(one), *_nan(writer, one)), exp.Null()) for one in map(new_column, names.amounts)
    ]
    if decider.reject is not None:
        price = cast(_number(decider.reject * decider.costs.unit), DOUBLE)
        most = exp.Mul(this=price, expression=exp.Paren(this=total([new_column(one) for one in names.odds])))
        arms += [
            (all_of(test, exp.GT(this=new_column(own), expression=most.copy())), exp.Null())
            for test, own in zip(chosen, names.sums, strict=True)
        ]
    arms.extend(zip(chosen, labels, strict=True))
    return _select([cases_or_null(arms)], source.subquery(names.inner, copy=False)).subquery(copy=False)


def second_probability(decider: ScoreDecider, writer: SqlWriter) -> exp.Expression:
    """Write the probability of the second of two labels."""
    if isinstance(decider.score, Committee):
        return committee_sql.second_probability(decider.score, writer)
    (points,) = sql_scores.point_sums(decider.score, writer)
    return next(iter(sql_scores.shares_of([exp.Paren(this=points), integer(0)])))


def _compare_with_thresholds(decider: ScoreDecider, writer: SqlWriter, labels: Nodes) -> exp.Expression:
    """Write the label of a record that its points alone decide."""
    low, high = decider.thresholds or (0, 0)

    def result(points: exp.Expression) -> exp.Expression:
        second = exp.GTE(this=points.copy(), expression=integer(high)), labels[1]
        if decider.reject is None:
            return cases([second, (None, labels[0])])
        return cases_or_null([second, (exp.LTE(this=points, expression=integer(low)), labels[0])])

    if isinstance(decider.score, Committee):
        return committee_sql.from_lead(decider.score, writer, result)
    return result(exp.Paren(this=sql_scores.point_sums(decider.score, writer)[0]))


class _Names:
    """The columns of inner queries; ``points`` have names already."""

    def __init__(self, decider: ScoreDecider, free: FreeNames, points: Sequence[str]) -> None:
        count = range(1, len(decider.classes) + 1)
        self.points = points
        self.odds, self.sums = ([free.take(f"{prefix}_{number}") for number in count] for prefix in ("odds", "cost"))
        self.amounts = [free.take(f"amount_{number + 1}") for number in range(len(decider.costs.used))]
        self.rule, self.inner = free.take("rule_label"), free.take("scored")


def points_query(decider: ScoreDecider, writer: SqlWriter, free: FreeNames) -> tuple[exp.Select, list[str]]:
    """Write the query of the points of each label, without those by which the label of a list leads.

    Return it with the names of its columns.
    """
    if isinstance(decider.score, Committee):
        return committee_sql.points_query(decider.score, writer, free)
    points = card_points(decider.score, writer)
    names = [free.take(f"points_{number + 1}") for number in range(len(points))]
    return _select(_named(points, names)), names


def card_points(card: ScoreCard, writer: SqlWriter) -> Nodes:
    """Write the points of each label, without those by which the label of the list leads."""
    found = sql_scores.point_sums(card, writer)
    return [integer(0), *found] if len(card.classes) == 2 else found


def _inputs(decider: ScoreDecider, writer: SqlWriter, names: _Names) -> Nodes:
    """Write the amounts and, if rules decide, the index of the rule's label."""
    found = _named([_amount(name, writer) for name in decider.costs.used], names.amounts)
    if decider.by == "rules" and isinstance(card := decider.score, ScoreCard):
        heads = [(test, integer(head_index(card, index))) for test, index in decisions(card.program, writer)]
        found += _named([cases(heads)], [names.rule])
    return found


def _amount(name: str, writer: SqlWriter) -> exp.Expression:
    """Write the amount of a record; NULL if it is a special code, which is no amount."""
    amount = cast(column(name), DOUBLE)
    codes = [
        exp.EQ(this=amount.copy(), expression=cast(_number(code), DOUBLE)) for code, _ in writer.special.get(name, ())
    ]
    return cases([(any_of(*codes), exp.Null()), (None, amount)]) if codes else amount


def _chosen(decider: ScoreDecider, names: _Names) -> Nodes:
    """Write, for each label, that it is chosen: the first of several equal ones."""
    if decider.by == "rules":
        places = range(len(decider.classes))
        return [exp.EQ(this=new_column(names.rule), expression=integer(place)) for place in places]
    values, before, after = (names.sums, exp.LT, exp.LTE) if decider.by == "costs" else (names.points, exp.GT, exp.GTE)
    return [
        all_of(
            *(
                (before if other < place else after)(this=new_column(own), expression=new_column(one))
                for other, one in enumerate(values)
                if other != place
            )
        )
        for place, own in enumerate(values)
    ]


def _odds(names: _Names) -> Nodes:
    """Write the odds of each label against the most probable one, as whole numbers."""
    points = [new_column(one) for one in names.points]
    return [
        exp.Round(this=exp.Mul(this=odds, expression=cast(integer(WHOLE), DOUBLE)))
        for odds in sql_scores.odds_of(points)
    ]


def _sums(decider: ScoreDecider, names: _Names) -> Nodes:
    """Write the costs of each decision, weighted by odds; sums are added in the order of labels."""
    costs, amounts = decider.costs, dict(zip(decider.costs.used, names.amounts, strict=True))
    unit = integer(costs.unit)

    def cost(entry: float | str) -> exp.Expression:
        if isinstance(entry, str):
            return exp.Paren(this=exp.Mul(this=new_column(amounts[entry]), expression=unit.copy()))
        return cast(_number(entry), DOUBLE)

    rows = costs.whole_entries(costs.unit)
    return [
        total(
            [
                exp.Mul(this=new_column(own), expression=cost(row[place]))
                for own, row in zip(names.odds, rows, strict=True)
            ]
        )
        for place in range(len(rows))
    ]


def _fenced(query: exp.Select, dialect: Dialect) -> exp.Select:
    """End a query so that databases do not merge it into the query around it, and compute it again and again."""
    ends = parse_one(f"SELECT 1 {dialect.fence}", dialect=dialect.syntax).args
    for part in ("limit", "offset"):
        query.set(part, ends.get(part))
    return query


def _number(number: float) -> exp.Expression:
    return with_sign(exp.Literal.number(repr(abs(float(number)))), number)


def _nan(writer: SqlWriter, node: exp.Expression) -> Nodes:
    found = writer.dialect.is_nan(node.copy())
    return [] if found is None else [found]


def _named(nodes: Sequence[exp.Expression], names: Sequence[str]) -> Nodes:
    return [exp.Alias(this=node, alias=exp.to_identifier(name)) for node, name in zip(nodes, names, strict=True)]


def _select(nodes: Sequence[exp.Expression], source: exp.Expression | None = None) -> exp.Select:
    found = exp.Select(expressions=list(nodes))
    return found if source is None else found.from_(source, copy=False)
