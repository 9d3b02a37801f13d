"""Write points and probabilities in SQL: sums of whole numbers, equal in every database, then exponentials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from unless.export.conditions import ConditionWriter, decided_points, decisions, head_index, score_terms
from unless.export.sql_tree import DOUBLE, WHOLE, cases, cast, greatest, integer, least, new_column, total
from unless.model.points import POINTS_PER_LOGIT
from unless.score.score_card import ScoreCard

_FAR = 700 * POINTS_PER_LOGIT
"""Beyond e to the 700, PostgreSQL's EXP is an error, and probabilities are 0 or 1 long before."""


def point_sums(card: ScoreCard, writer: ConditionWriter[exp.Expression]) -> list[exp.Expression]:
    """Write the points of a record in each column of the card, without the points that the list itself adds."""
    always, some = score_terms(card, writer)
    listed = [(condition, index) for condition, index in decisions(card.program, writer)]
    found = []
    for place, base in enumerate(always):
        decided = cases([(one, integer(decided_points(card, index)[place])) for one, index in listed])
        added = [cases([(one, integer(points[place])), (None, integer(0))]) for one, points in some if points[place]]
        found.append(total([cast(integer(base), WHOLE), decided, *added]))
    return found


def second_probability(card: ScoreCard, writer: ConditionWriter[exp.Expression]) -> exp.Expression:
    """Write the probability of the second of two labels; points are stored on the side of the list's label."""
    bounds = {1: (1, _FAR), 0: (-_FAR, -1), -1: (-_FAR, _FAR)}

    def bound(which: int) -> exp.Expression:
        listed = decisions(card.program, writer)
        return cases([(one, integer(bounds[int(head_index(card, index))][which])) for one, index in listed])

    (points,) = point_sums(card, writer)
    return _probability([exp.Neg(this=exp.Paren(this=greatest(least(points, bound(1)), bound(0))))])


def list_points(card: ScoreCard, rule: str, names: Sequence[str]) -> exp.Expression:
    """Write the points that the list adds so that its label leads, from the columns of rule numbers and points."""
    columns = [new_column(name) for name in names]

    def lead(place: int) -> exp.Expression:
        if place < 0:
            return integer(0)
        if len(columns) > 1:
            rivals = greatest(*(one.copy() for k, one in enumerate(columns) if k != place))
            needed = exp.Sub(this=exp.Add(this=rivals, expression=integer(1)), expression=columns[place].copy())
            return greatest(integer(0), needed)
        if place == 1:
            return greatest(integer(0), exp.Sub(this=integer(1), expression=columns[0].copy()))
        return least(integer(0), exp.Sub(this=integer(-1), expression=columns[0].copy()))

    arms = [(_is_decided_label(card, rule, place), lead(place)) for place in range(len(card.classes))]
    return cases([*((one, added) for one, added in arms if one is not None), (None, integer(0))])


def probabilities(card: ScoreCard, rule: str, names: Sequence[str], listed: str) -> Iterator[exp.Expression]:
    """Write the probability of each label, from the columns of rule numbers, of points, and of the list's points."""
    if len(names) == 1:
        whole = exp.Paren(this=exp.Add(this=new_column(names[0]), expression=new_column(listed)))
        yield _probability([_limit_points(whole)])
        yield _probability([_limit_points(exp.Neg(this=whole.copy()))])
        return

    def whole_of(place: int) -> exp.Expression:
        decided = _is_decided_label(card, rule, place)
        if decided is None:
            return new_column(names[place])
        added = cases([(decided, new_column(listed)), (None, integer(0))])
        return exp.Paren(this=exp.Add(this=new_column(names[place]), expression=added))

    yield from shares_of([whole_of(place) for place in range(len(names))])


def shares_of(points: Sequence[exp.Expression]) -> Iterator[exp.Expression]:
    """Write the probability of each label, from the points of all labels."""
    for place, own in enumerate(points):
        others = [one for k, one in enumerate(points) if k != place]
        yield _probability([_limit_points(exp.Sub(this=one.copy(), expression=own.copy())) for one in others])


def odds_of(points: Sequence[exp.Expression]) -> Iterator[exp.Expression]:
    """Write e to the power of each label's lead over the label with most points: 1 for that label."""
    most = greatest(*points)
    for own in points:
        lead = exp.Paren(this=exp.Sub(this=own.copy(), expression=most.copy()))
        yield exp.Exp(this=_divided(cast(_limit_points(lead), DOUBLE), str(float(POINTS_PER_LOGIT))))


def _probability(rivals: Sequence[exp.Expression]) -> exp.Expression:
    """Write one divided by one plus e to the power of each rival's lead, given in points."""
    odds = [exp.Exp(this=_divided(cast(lead, DOUBLE), str(float(POINTS_PER_LOGIT)))) for lead in rivals]
    one = cast(exp.Literal.number("1.0"), DOUBLE)
    return _divided(one, exp.Paren(this=total([integer(1), *odds])))


def _divided(node: exp.Expression, by: str | exp.Expression) -> exp.Expression:
    divisor = exp.Literal.number(by) if isinstance(by, str) else by
    return exp.Div(this=node, expression=divisor, typed=True, safe=False)


def _limit_points(node: exp.Expression) -> exp.Expression:
    return greatest(least(node, integer(_FAR)), integer(-_FAR))


def _is_decided_label(card: ScoreCard, rule: str, place: int) -> exp.Expression | None:
    """Write that a rule with this label decides; None if no rule has the label."""
    numbers = [integer(number) for number, head in enumerate(card.heads[:-1].tolist(), 1) if head == place]
    number = cast(
        new_column(rule), exp.DataType(this=exp.DataType.Type.INT)
    )  # where no rule can decide, NULL has no type
    found: list[exp.Expression] = [exp.In(this=number, expressions=numbers)] if numbers else []
    if card.heads[-1] == place:
        found.append(exp.Is(this=new_column(rule), expression=exp.Null()))
    if not found:
        return None
    return found[0] if len(found) == 1 else exp.Or(this=found[0], expression=found[1])
