"""Find the best literal of all features by information gain (Algorithms 1 and 2), or by other scores.

This module is the reference implementation, from the counts of each value. Engines find the same literals faster
(`unless.kernels.LiteralSearch`, `unless.blocks.histogram_search`); the tests compare them on random tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf, log, sqrt
from typing import Any, NamedTuple
from typing import Literal as OneOf

from unless.rule import Literal, Operator
from unless.values import Value

MANY = 8192
"""The number of values up to which an engine must count the values of a feature."""


AT_MOST, ABOVE, ONE_VALUE, NEGATED = 1, 2, 4, 8
OTHERS = ONE_VALUE | NEGATED
EVERY = AT_MOST | ABOVE | OTHERS
LITERAL_KINDS: Mapping[Operator, int] = {
    "<=": AT_MOST, ">": ABOVE, "==": ONE_VALUE, "!=": NEGATED, "missing": ONE_VALUE, "present": NEGATED,
}  # fmt: skip
"""The kind of each literal, as a bit: satisfied by small numbers, by large numbers, by one value, by all but one."""

ScoreName = OneOf["gain", "purity", "net"]

AllowedKinds = bytes
"""The allowed kinds of literals, for each feature in order: bits of `LITERAL_KINDS`."""


@dataclass(frozen=True, slots=True)
class ValueCounts:
    """The numbers of positive and negative rows with each value of a feature, for the values that occur, in order."""

    feature: str
    values: Sequence[Value]
    positive: Sequence[int]
    negative: Sequence[int]


def information_gain(tp: float, fn: float, tn: float, fp: float) -> float:
    """Compute the information gain by Algorithm 1, with the natural logarithm, as in the paper's tables.

    The order of the terms is part of the definition: two literals tie if these floats are equal.

    >>> round(information_gain(tp=1, fn=7, tn=7, fp=0), 3)
    -0.647
    """
    if fp + fn > tp + tn:
        return -inf
    total = tp + fn + tn + fp
    gain = 0.0
    for part, whole in ((tp, tp + fp), (fp, tp + fp), (tn, tn + fn), (fn, tn + fn)):
        if part:
            gain += part / total * log(part / whole)
    return gain


def candidate_literals(counts: ValueCounts) -> Iterator[tuple[Literal, int, int]]:
    """Yield every literal on a feature with the positives and negatives it covers, in the order that breaks ties."""
    feature, values = counts.feature, counts.values
    numbers = sum(isinstance(value, float) for value in values)
    p, n = sum(counts.positive), sum(counts.negative)
    up_to_p, up_to_n = list(accumulate(counts.positive[:numbers])), list(accumulate(counts.negative[:numbers]))
    for value, a, b in zip(values, up_to_p, up_to_n, strict=False):
        yield Literal(feature, "<=", value), a, b
        yield Literal(feature, ">", value), up_to_p[-1] - a, up_to_n[-1] - b
    for k in range(numbers, len(values)):
        value, a, b = values[k], counts.positive[k], counts.negative[k]
        yield Literal(feature, "missing" if value is None else "==", value), a, b
        yield Literal(feature, "present" if value is None else "!=", value), p - a, n - b


def allowed_literals(
    features: Iterable[ValueCounts], allowed: AllowedKinds | None
) -> Iterator[tuple[ValueCounts, Iterator[tuple[Literal, int, int]]]]:
    """Yield the features, each with its allowed literals; None allows all."""
    for index, counts in enumerate(features):
        kinds = EVERY if allowed is None else allowed[index]
        yield counts, (one for one in candidate_literals(counts) if kinds & LITERAL_KINDS[one[0].op])


def impurity(tp: float, fn: float, tn: float, fp: float) -> float:
    """Return the impurity of both sides of a literal: 0 if it separates positives from negatives."""
    return sqrt(tp * fp) + sqrt(fn * tn)


@dataclass(frozen=True, slots=True)
class LiteralScore:
    """The criterion for the best literal.

    The best literal has the largest information gain ("gain", Algorithm 1); the least `impurity` among literals that
    cover enough positives (``support``) and raise their share ("purity"); or the largest difference of covered
    positives and negatives ("net").
    """

    name: ScoreName
    support: float = 0

    def admits(self, a: Any, b: Any, p: float, n: float) -> Any:
        """Return whether a literal may cover ``a`` of ``p`` positives and ``b`` of ``n`` negatives; also for arrays."""
        match self.name:
            case "gain":
                return 2 * (a - b) >= p - n
            case "purity":
                return (a >= self.support) & (a * n > b * p)
            case "net":
                return True

    def value(self, a: float, b: float, p: float, n: float) -> float:
        """Return the score of a literal, larger for better literals. Two literals tie if these floats are equal."""
        match self.name:
            case "gain":
                return information_gain(tp=a, fn=p - a, tn=n - b, fp=b)
            case "purity":
                return -impurity(tp=a, fn=p - a, tn=n - b, fp=b)
            case "net":
                return a - b


GAIN, NET = LiteralScore("gain"), LiteralScore("net")


class FoundLiteral(NamedTuple):
    """A literal, and the difference between the positives and the negatives that it covers."""

    literal: Literal
    net: float


def find_literal(
    features: Iterable[ValueCounts],
    score: LiteralScore,
    used: Iterable[Literal] = (),
    allowed: AllowedKinds | None = None,
) -> FoundLiteral | None:
    """Find the first literal with the best score, on a value that no ``used`` literal has; None if none exists.

    With the gain this is Algorithm 2. Literals of kinds that are not ``allowed`` are left out.
    """
    banned = {(literal.feature, literal.value) for literal in used}
    best, most = None, -inf
    for counts, literals in allowed_literals(features, allowed):
        p, n = sum(counts.positive), sum(counts.negative)
        for literal, a, b in literals:
            better = score.admits(a, b, p, n) and (value := score.value(a, b, p, n)) > most
            if better and (literal.feature, literal.value) not in banned:
                best, most = FoundLiteral(literal, a - b), value
    return best


def nlogn(n: float) -> float:
    """Return ``n ln n``, or 0 for 0."""
    return n * log(n) if n > 0 else 0.0


def is_significant(p: float, n: float, tp: float, fp: float, penalty: float, distinct: Iterable[int]) -> bool:
    """Return whether a literal is better than the expected best of as many random ones, given the values per feature.

    The number of values is limited by the number of rows. Counting values exactly would take a pass per literal.

    The order of the terms is part of the definition, as in `information_gain`.
    """
    before = nlogn(p) + nlogn(n) - nlogn(p + n)
    inside = nlogn(tp) + nlogn(fp) - nlogn(tp + fp)
    outside = nlogn(p - tp) + nlogn(n - fp) - nlogn(p - tp + n - fp)
    values = 0.0
    for count in distinct:  # not sum(), which newer Pythons round differently
        values += min(count, p + n)
    return 2 * (inside + outside - before) >= penalty * log(2 * values + 1)


def without_implied(default: tuple[Literal, ...]) -> tuple[Literal, ...]:
    """Return the literals without literals that follow from another one."""
    places: dict[str, list[int]] = {}
    for k, literal in enumerate(default):
        places.setdefault(literal.feature, []).append(k)
    if len(places) == len(default):
        return default  # the usual case; the general one took a tenth of a committee's time
    implied = {k for group in places.values() for k in group if any(_implies(default, j, k) for j in group)}
    return tuple(literal for k, literal in enumerate(default) if k not in implied)


def _implies(default: tuple[Literal, ...], j: int, k: int) -> bool:
    """Return whether literal k follows from literal j; of two equal literals, the second follows."""
    return j != k and default[j].implies(default[k]) and (j < k or default[j] != default[k])
