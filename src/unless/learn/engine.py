"""An engine counts rows, and the best literal is found from its counts: Algorithms 1 and 2, and our own heuristic.

The learner never looks into sets of rows; it only hands them back to the engine, which tells how many positive and
negative rows have each value. Counts can be added up, so an engine may keep its rows anywhere: in memory, in a
database, on many machines. Answers depend on the order of features and values, never on the order of rows, so every
engine learns the same program.

The functions are the plain definitions, from the counts of each value. The in-memory engine finds the same literals
faster (`unless.kernels.Search`); the tests compare both on random tables.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf, log, sqrt
from typing import Generic, TypeVar

from unless.rule import Literal
from unless.values import Label, Value

Rows = TypeVar("Rows")


@dataclass(frozen=True, slots=True)
class Counts:
    """How many positive and negative rows have each value of a feature, for the values that occur, in order."""

    feature: str
    values: Sequence[Value]
    positive: Sequence[int]
    negative: Sequence[int]


class Engine(ABC, Generic[Rows]):
    """What a learner may ask."""

    target: str
    features: tuple[str, ...]
    labels: tuple[Label, ...]

    @abstractmethod
    def everything(self) -> Rows:
        """All rows."""

    @abstractmethod
    def size(self, rows: Rows) -> float:
        """How many rows, or how much they weigh."""

    @abstractmethod
    def popularity(self, rows: Rows) -> Sequence[float]:
        """How many rows each label has, or how much they weigh."""

    @abstractmethod
    def split(self, rows: Rows, label: int) -> tuple[Rows, Rows]:
        """The rows with this label, given by its index, and all others."""

    @abstractmethod
    def covered(self, rows: Rows, literal: Literal) -> Rows:
        """The rows for which the literal is true."""

    @abstractmethod
    def minus(self, rows: Rows, gone: Rows) -> Rows:
        """The rows without those that are gone."""

    @abstractmethod
    def counts(self, positive: Rows, negative: Rows) -> Iterator[Counts]:
        """Positive and negative rows per value, feature by feature in order."""

    def best_literal(self, positive: Rows, negative: Rows, used: tuple[Literal, ...]) -> Literal | None:
        """Algorithm 2, from the counts. An engine may find the same literal in a faster way."""
        return best_literal(self.counts(positive, negative), used)

    def purest_literal(self, positive: Rows, negative: Rows, support: float) -> Literal | None:
        """The literal that our own learner adds, from the counts. An engine may find it in a faster way, too."""
        return purest_literal(self.counts(positive, negative), support)

    @abstractmethod
    def distinct(self) -> Sequence[int]:
        """How many values each feature has; missing counts as one."""


def information_gain(tp: int, fn: int, tn: int, fp: int) -> float:
    """Algorithm 1, with the natural logarithm, as in the paper's tables.

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


def candidates(counts: Counts) -> Iterator[tuple[Literal, int, int]]:
    """Every literal on a feature, with the positives and negatives that it covers, in the order that breaks ties."""
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


def best_literal(features: Iterable[Counts], used: Iterable[Literal] = ()) -> Literal | None:
    """Algorithm 2: the first literal with the largest gain, on a value not used yet; None if there is none."""
    banned = {(literal.feature, literal.value) for literal in used}
    best, best_gain = None, -inf
    for counts in features:
        p, n = sum(counts.positive), sum(counts.negative)
        for literal, a, b in candidates(counts):
            gain = information_gain(tp=a, fn=p - a, tn=n - b, fp=b)
            if gain > best_gain and (literal.feature, literal.value) not in banned:
                best, best_gain = literal, gain
    return best


def impurity(tp: float, fn: float, tn: float, fp: float) -> float:
    """How mixed both sides of a literal are: 0 if it separates positives from negatives."""
    return sqrt(tp * fp) + sqrt(fn * tn)


def purest_literal(features: Iterable[Counts], support: float) -> Literal | None:
    """The first literal with the least impurity that covers enough positives, and a larger share of them."""
    best, least = None, inf
    for counts in features:
        p, n = sum(counts.positive), sum(counts.negative)
        for literal, a, b in candidates(counts):
            if a >= support and a * n > b * p and (mixed := impurity(tp=a, fn=p - a, tn=n - b, fp=b)) < least:
                best, least = literal, mixed
    return best
