"""Find the best literal where constraints give the thresholds of some features (`Constraints.only_cuts`).

An engine finds the best of all other literals, and the literals at the given cuts are counted one by one: there are
few. A cut is a candidate if some of the rows have a number up to it, and some a number above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from unless.learn.literals import ABOVE, AT_MOST, LITERAL_KINDS, MANY, FoundLiteral, LiteralScore
from unless.rule import Literal

if TYPE_CHECKING:
    from unless.constraints import Constraints
    from unless.learn.engine import Engine
    from unless.learn.rule_limits import RuleLimits
    from unless.table import Column
    from unless.values.notation import Notation

Rows = TypeVar("Rows")


def numeric_notations(columns: Iterable[Column]) -> dict[str, Notation | None]:
    """Return how numbers are written in each column that has numbers."""
    return {one.name: one.notation for one in columns if one.kind != "text" or one.notation is not None}


def idle_cuts(constraints: Constraints, columns: Iterable[Column]) -> Iterator[tuple[str, float]]:
    """Yield the cuts, with their features, that have no number of the columns on one of their sides."""
    given = dict(constraints.only_cuts)
    for column in columns:
        for cut in given.get(column.name, ()):
            if not len(column.numbers) or not column.numbers[0] <= float(cut) < column.numbers[-1]:
                yield column.name, column.number(float(cut))


def count_values(engine: Engine[Any], constraints: Constraints | None) -> list[int]:
    """Count the values of each feature that literals may have: none of features that no rule may test, or the cuts."""
    counts = [min(count, MANY) for count in engine.distinct()]
    if constraints is None:
        return counts
    cuts, numbers = dict(constraints.only_cuts), {one.name for one in engine.columns if not one.categories}
    for k, name in enumerate(engine.features):
        if name in constraints.never:
            counts[k] = 0
        elif name in cuts and name in numbers:
            counts[k] = min(counts[k], len(cuts[name]) + 1)  # and missing
    return counts


def find_allowed_literal(  # noqa: PLR0917 - a search, and where it is
    engine: Engine[Rows],
    positive: Rows,
    negative: Rows,
    score: LiteralScore,
    limits: RuleLimits,
    others: Iterable[Literal] = (),
    used: tuple[Literal, ...] = (),
) -> FoundLiteral | None:
    """Find the best literal that limits allow together with ``others``, except on values of ``used`` literals."""
    allowed, cuts = limits.allowed(others), limits.cuts
    if allowed is None or not cuts:
        return engine.find_literal(positive, negative, score, used, allowed)
    pairs = zip(engine.features, allowed, strict=True)
    without_cuts = bytes(kinds & ~(AT_MOST | ABOVE) if name in cuts else kinds for name, kinds in pairs)
    found = engine.find_literal(positive, negative, score, used, without_cuts)
    kinds = dict(zip(engine.features, allowed, strict=True))
    banned = {(one.feature, one.value) for one in (*engine.banned, *used)}
    candidates = [one for one in _literals_at(cuts, kinds) if (one.feature, one.value) not in banned]
    return _best_of(engine, (positive, negative), score, candidates, found)


def _literals_at(cuts: Mapping[str, tuple[float, ...]], kinds: Mapping[str, int]) -> Iterator[Literal]:
    """Yield the allowed literals at the cuts, in the order that breaks ties."""
    for name, allowed in kinds.items():
        for cut in cuts.get(name, ()):
            for op in ("<=", ">"):
                if allowed & LITERAL_KINDS[op]:
                    yield Literal(name, op, cut)


def _best_of(
    engine: Engine[Rows],
    rows: tuple[Rows, Rows],
    score: LiteralScore,
    candidates: Sequence[Literal],
    found: FoundLiteral | None,
) -> FoundLiteral | None:
    """Return the best of the candidates and a found literal; of equal ones, that of the first feature."""
    p, n = map(engine.size, rows)
    covered = {one: [engine.covered_by_literal(some, one) for some in rows] for one in _both_sides(candidates)}
    counts = {one: tuple(map(engine.size, pair)) for one, pair in covered.items()}  # sizes of blocks in a single pass
    best, order = found, (0.0, 0)
    if found is not None:
        literal = found.literal
        a, b = (engine.size(engine.covered_by_literal(some, literal)) for some in rows)
        order = -score.value(a, b, p, n), engine.features.index(literal.feature)
    for one in candidates:
        a, b = counts[one]
        low, high = (sum(counts[Literal(one.feature, op, one.value)]) for op in ("<=", ">"))
        if not low or not high or not score.admits(a, b, p, n):
            continue
        # Numbers come before categories, so that of one feature a cut comes before what the engine found.
        key = -score.value(a, b, p, n), engine.features.index(one.feature)
        if best is None or key < order or (best is found and key == order):
            best, order = FoundLiteral(one, a - b), key
    return best


def _both_sides(literals: Iterable[Literal]) -> dict[Literal, None]:
    """Return literals together with those on the other side of their thresholds."""
    return dict.fromkeys(Literal(one.feature, op, one.value) for one in literals for op in ("<=", ">"))
