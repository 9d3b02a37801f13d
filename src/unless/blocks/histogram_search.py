"""Find the best literal from histograms of bins, exactly, by further queries about the bins that may contain it.

A literal is a point (a, b): it covers a of P positives and b of Q negatives. All scores are convex in (a, b), so the
corners of a rectangle of counts bound every literal inside, as in the kernels (`unless.kernels.HistogramSearch`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.blocks.column_bins import ColumnBins, slice_ends
from unless.blocks.column_regions import ColumnRegion, Integers, Interval, Span, WeightedValues
from unless.learn.literals import EVERY, LITERAL_KINDS, AllowedKinds, LiteralScore
from unless.rule import Literal, Operator

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

Ends = Sequence[tuple[float | None, float | None]]
"""The numbers at which parts begin and end; None means no limit."""

_FEW = 2048
"""If the intervals of a column have at most this many rows, their values are fetched directly."""

_MANY = 1 << 17
"""Intervals with more rows than this are cut into slices before their values are fetched."""

_FITS = 2**31
"""With this many rows or fewer, a product of two counts fits into 64 bits."""

_ORDER: Mapping[Operator, tuple[int, int]] = {
    "<=": (0, 0),
    ">": (0, 1),
    "==": (1, 0),
    "!=": (1, 1),
    "missing": (2, 0),
    "present": (2, 1),
}
"""The order of tied literals of a column: by kind of value, then ascending, then by operator."""


@dataclass(frozen=True)
class CountScore:
    """Scores literals on P positives and Q negatives; counts are whole multiples of a unit."""

    score: LiteralScore
    P: int
    Q: int

    def near(self, a: Floats, b: Floats) -> Floats:
        """Compute scores with rounding errors; the gain is multiplied by P + Q."""
        c, d = self.P - a, self.Q - b
        match self.score.name:
            case "gain":
                return (_nlogn(a) + _nlogn(b) - _nlogn(a + b)) + (_nlogn(c) + _nlogn(d) - _nlogn(c + d))
            case "purity":
                found: Floats = -(np.sqrt(a * b) + np.sqrt(c * d))
                return found
            case "net":
                return a - b

    def exact(self, a: int, b: int) -> float:
        """Compute the exact score, which decides ties."""
        return self.score.value(a, b, self.P, self.Q)

    def admits(self, a: Integers, b: Integers) -> Flags:
        """Flag the literals that the score admits, given the counts of rows that they cover."""
        wide = np.int64 if self.P + self.Q < _FITS else object  # Python's numbers: slower, without overflow
        found = np.asarray(self.score.admits(a.astype(wide), b.astype(wide), self.P, self.Q), bool)
        return np.broadcast_to(found, np.broadcast(a, b).shape)

    @property
    def slack(self) -> float:
        """A bound on the rounding error of scores, about thirty times the actual error; it grows with the counts."""
        return 1e-12 * (self.P + self.Q)


@dataclass(frozen=True, slots=True)
class BestLiteral:
    """The best literal, and the number of positives and negatives that it covers."""

    literal: Literal
    positive: int
    negative: int


@dataclass(frozen=True, slots=True)
class _OpenInterval:
    """An interval of a column with unknown literals; all counts are pairs: positives, negatives.

    A literal covers ``before`` and at most the rows ``inside`` in addition. With the other operator, it covers the
    rest of ``every``: the rows with any number, or all rows.
    """

    interval: Interval
    inside: Integers
    before: Integers
    every: Integers


@dataclass(frozen=True, slots=True)
class _CandidateLiterals:
    """Literals with one operator on values of one column, with the counts that they cover and their scores."""

    column: int
    op: Operator
    values: Sequence[Any] | NDArray[Any]
    covered: Integers
    scores: Floats


class HistogramSearch:
    """One search for the best literal.

    ``allowed`` lists the allowed kinds of literals, by column; None allows all. ``heaviest`` bounds the weight of
    a single text in each part of a column with cut texts. Three functions return weights of the positives and of the
    negatives: ``cut_again`` in finer parts of columns, ``slices_of`` in slices of these, ``values_in`` for values.
    """

    def __init__(  # noqa: PLR0917 - the data of a search, and functions that query blocks
        self,
        bins: Sequence[ColumnBins],
        score: CountScore,
        banned: Iterable[Literal],
        heaviest: Mapping[int, Integers],
        cut_again: Callable[[Sequence[Span]], Sequence[Integers]],
        slices_of: Callable[[Sequence[ColumnRegion]], Sequence[Integers]],
        values_in: Callable[[Sequence[ColumnRegion]], Sequence[WeightedValues]],
        allowed: AllowedKinds | None = None,
    ) -> None:
        self._bins, self._score, self._heaviest = bins, score, heaviest
        self._cut_again, self._slices_of, self._values_in = cut_again, slices_of, values_in
        self._allowed = bytes([EVERY]) * len(bins) if allowed is None else allowed
        self._banned: dict[str, set[Any]] = {}
        for literal in banned:
            self._banned.setdefault(literal.feature, set()).add(literal.value)
        self._bound = -inf
        self._points: list[_CandidateLiterals] = []
        self._open_intervals: list[_OpenInterval] = []

    def best(self, histograms: Integers, spans: Sequence[NDArray[np.int32]]) -> BestLiteral | None:
        """Find the best literal, given the histograms of positives and negatives and the spans of the columns."""
        for i, (first, split, end) in enumerate(zip(*spans, strict=True)):
            self._column(i, histograms[:, first:split], histograms[:, split : end - 1])
            self._add_texts(i, "missing", "present", [None], histograms[:, end - 1 : end])
        self._split_into_finer_parts(self._open_candidates())
        self._split_into_slices(self._open_candidates())
        self._ask_for_values(self._open_candidates())
        return self._choose_best()

    # Candidate literals, and intervals that contain some.

    def _column(self, i: int, numbers: Integers, texts: Integers) -> None:
        column, cuts = self._bins[i].column, self._bins[i].cuts
        if cuts is None:
            self._add_numbers(i, column.numbers, numbers[:, : len(column.numbers)])
            self._add_texts(i, "==", "!=", column.categories, texts)
        else:
            if numbers.size:
                weights = numbers[:, : len(cuts[0]) + 1]
                self._add_parts(i, _interval_ends(cuts[0]), weights, *_cumulative_weights(weights))
            self._add_text_parts(i, cuts[1], texts)

    def _add_numbers(self, i: int, numbers: Floats, weights: Integers) -> None:
        """Add all literals on the numbers of a column, given the weight of the rows with each number."""
        if not len(numbers):
            return
        up_to, every = _cumulative_weights(weights)
        there = _have_rows(weights)
        self._keep_candidates(i, "<=", numbers, up_to, there)
        self._keep_candidates(i, ">", numbers, every[:, None] - up_to, there)

    def _add_texts(self, i: int, op: Operator, other: Operator, texts: Sequence[str | None], weights: Integers) -> None:
        """Add all literals on texts, or on missing cells."""
        there = _have_rows(weights)
        self._keep_candidates(i, op, texts, weights, there)
        self._keep_candidates(i, other, texts, self._all[:, None] - weights, there)

    def _add_parts(self, i: int, ends: Ends, weights: Integers, up_to: Integers, every: Integers) -> None:
        """Add intervals of the numbers of a column: each has a literal at its end, and may contain more.

        ``ends`` are the bounds of each interval, the first excluded; ``up_to`` counts the rows before its end.
        """
        if not (self._is_allowed(i, "<=") or self._is_allowed(i, ">")):
            return
        there = np.flatnonzero(_have_rows(weights))
        inside, after = weights[:, there], up_to[:, there]
        if self._bins[i].column.name not in self._banned:  # the number at the end of a part might be banned
            if self._is_allowed(i, "<="):
                self._raise_bound(after)
            if self._is_allowed(i, ">"):
                self._raise_bound(every[:, None] - after)
        before = after - inside
        for place in self._may_be_best(self._best_possible_score(inside, before, every[:, None])).tolist():
            low, high = ends[int(there[place])]
            interval = Interval(i, texts=False, low=low, high=high)
            self._open_intervals.append(_OpenInterval(interval, inside[:, place], before[:, place], every))

    def _add_text_parts(self, i: int, cuts: Sequence[str], weights: Integers) -> None:
        limits = [None, *cuts, None]
        if not (self._is_allowed(i, "==") or self._is_allowed(i, "!=")):
            return
        for k in np.flatnonzero(_have_rows(weights)).tolist():
            interval = Interval(i, texts=True, low=limits[k], high=limits[k + 1])
            inside = np.minimum(weights[:, k], self._heaviest[i][k])
            self._open_intervals.append(_OpenInterval(interval, inside, np.zeros_like(inside), self._all))

    def _raise_bound(self, covered: Integers) -> None:
        """Raise the bound to the scores of literals with still unknown numbers."""
        if (allowed := self._score.admits(*covered)).any():
            self._bound = max(self._bound, float(self._approximate_scores(covered[:, allowed]).max()))

    def _keep_candidates(
        self, i: int, op: Operator, values: Sequence[Any] | Floats, covered: Integers, there: Flags
    ) -> None:
        """Keep the literals that may have the best score."""
        if not self._is_allowed(i, op):
            return
        fine = there & self._score.admits(*covered)
        if banned := self._banned.get(self._bins[i].column.name):
            fine &= np.array([value not in banned for value in values], bool)
        if not fine.any():
            return
        chosen = np.flatnonzero(fine)
        scores = self._approximate_scores(covered[:, chosen])
        self._bound = max(self._bound, float(scores.max()))
        best = self._may_be_best(scores)
        kept = chosen[best]
        some = values[kept] if isinstance(values, np.ndarray) else [values[k] for k in kept.tolist()]
        self._points.append(_CandidateLiterals(i, op, some, covered[:, kept], scores[best]))

    def _is_allowed(self, i: int, op: Operator) -> bool:
        """Whether literals with this operator are allowed on a column."""
        return bool(self._allowed[i] & LITERAL_KINDS[op])

    @property
    def _all(self) -> Integers:
        return np.array([self._score.P, self._score.Q], np.int64)

    def _approximate_scores(self, covered: Integers) -> Floats:
        return self._score.near(*covered.astype(np.float64))

    def _may_be_best(self, scores: Floats) -> NDArray[np.intp]:
        """Flag the scores that may be the best."""
        return np.flatnonzero(scores >= self._bound - self._score.slack)

    # Split open intervals, or fetch their values.

    def _open_candidates(self) -> list[_OpenInterval]:
        """Keep and return the intervals that can still reach the best score."""
        some, self._open_intervals = self._open_intervals, []
        if not some:
            return []
        counts = (np.array([getattr(one, name) for one in some]).T for name in ("inside", "before", "every"))
        return [some[k] for k in self._may_be_best(self._best_possible_score(*counts)).tolist()]

    def _best_possible_score(self, inside: Integers, before: Integers, every: Integers) -> Floats:
        """Bound the score of any literal that covers some of the rows inside."""
        reach = np.full(inside.shape[1], -inf)
        for corner in product((0, 1), repeat=2):
            covered = before + inside * np.array(corner)[:, None]
            reach = np.maximum(
                reach, np.maximum(self._approximate_scores(covered), self._approximate_scores(every - covered))
            )
        return reach

    def _split_into_finer_parts(self, some: Sequence[_OpenInterval]) -> None:
        """Split intervals into finer parts in the columns where they have too many rows to fetch their values."""
        rows: Counter[int] = Counter()
        for one in some:
            rows[one.interval.column] += int(one.inside.sum())
        closer: dict[int, list[tuple[_OpenInterval, Span]]] = {}
        for one in some:
            span = self._finer_parts(one.interval) if rows[one.interval.column] > _FEW else None
            if span is None:
                self._open_intervals.append(one)
            else:
                closer.setdefault(one.interval.column, []).append((one, span))
        reach = [
            (column, min(first for _, (_, first, _) in each), max(end for _, (_, _, end) in each))
            for column, each in closer.items()
        ]
        for (column, start, _), counted in zip(reach, self._cut_again(reach) if reach else (), strict=True):
            limits = _interval_ends(np.asarray(self._bins[column].finer))
            spans = [(first, end) for _, (_, first, end) in closer[column]]
            weights = [counted[:, first - start : end - start] for first, end in spans]
            ends = [pair for first, end in spans for pair in limits[first:end]]
            self._add_parts_within(column, ends, [one for one, _ in closer[column]], weights)

    def _add_parts_within(self, i: int, ends: Ends, some: Sequence[_OpenInterval], weights: Sequence[Integers]) -> None:
        """Add the parts of all intervals of a column at once: there may be hundreds."""
        up_to = [np.cumsum(own, axis=1) + one.before[:, None] for own, one in zip(weights, some, strict=True)]
        self._add_parts(i, ends, np.hstack(weights), np.hstack(up_to), some[0].every)

    def _split_into_slices(self, intervals: Sequence[_OpenInterval]) -> None:
        """Split finer parts into slices, if all intervals have too many rows to fetch their values."""
        some = [one for one in intervals if self._has_slices(one.interval)]
        if sum(int(one.inside.sum()) for one in some) <= _MANY:
            self._open_intervals += intervals
            return
        self._open_intervals += [one for one in intervals if not self._has_slices(one.interval)]
        of_column: dict[int, list[_OpenInterval]] = {}
        for one in some:
            of_column.setdefault(one.interval.column, []).append(one)
        regions = ColumnRegion.of(one.interval for one in some)
        for region, counted in zip(regions, self._slices_of(regions), strict=True):
            own = of_column[region.column]
            limits = np.hstack([np.array(region.lows)[:, None], slice_ends(region.lows, region.highs)]).tolist()
            ends = [pair for each in limits for pair in pairwise(each)]
            self._add_parts_within(region.column, ends, own, np.split(counted, len(own), axis=1))
        self._open_intervals.sort(key=lambda one: one.interval.begin)  # intervals that cannot be sliced

    def _has_slices(self, interval: Interval) -> bool:
        """Whether an interval is a single finer part with two ends."""
        span = self._finer_parts(interval)
        if span is None or interval.low is None or interval.high is None:
            return False
        return span[2] - span[1] == 1 and bool(np.isfinite(interval.high - interval.low))

    def _finer_parts(self, interval: Interval) -> Span | None:
        """Find the finer parts that make up an interval of numbers: every cut is also a finer cut."""
        bins = self._bins[interval.column]
        if interval.texts or not bins.bare:
            return None
        return interval.column, *bins.parts_in(interval.low, interval.high)

    def _ask_for_values(self, intervals: Sequence[_OpenInterval]) -> None:
        """Fetch the values in intervals, and add their literals."""
        of_region: dict[tuple[int, bool], list[_OpenInterval]] = {}
        for one in intervals:
            of_region.setdefault((one.interval.column, one.interval.texts), []).append(one)
        regions = ColumnRegion.of(one.interval for one in intervals)
        for region, counted in zip(regions, self._values_in(regions) if regions else (), strict=True):
            if isinstance(counted.values, np.ndarray):
                self._add_numbers_in(region, of_region[region.column, region.texts], counted)
            else:
                self._add_texts(region.column, "==", "!=", counted.values, counted.weights)

    def _add_numbers_in(self, region: ColumnRegion, some: Sequence[_OpenInterval], counted: WeightedValues) -> None:
        """Add all literals on the numbers of some intervals of a column at once: there may be thousands."""
        numbers = np.asarray(counted.values)
        if not len(numbers):
            return
        first, end = region.edges(numbers)
        up_to = np.cumsum(counted.weights, axis=1)
        start = np.array([one.before for one in some]).T - np.hstack([np.zeros((2, 1), np.int64), up_to])[:, first]
        up_to += np.repeat(start, end - first, axis=1)
        every = some[0].every[:, None]
        there = _have_rows(counted.weights)
        self._keep_candidates(region.column, "<=", numbers, up_to, there)
        self._keep_candidates(region.column, ">", numbers, every - up_to, there)

    # The exact choice among the candidates.

    def _choose_best(self) -> BestLiteral | None:
        """Choose the literal with the best exact score; of several, the first."""
        best = min(self._finalists(), default=None, key=lambda one: one[0])
        if best is None:
            return None
        _, points, k = best
        column, value = self._bins[points.column].column, points.values[k]
        if points.op in ("<=", ">"):
            value = column.number(float(value))
        return BestLiteral(Literal(column.name, points.op, value), *points.covered[:, k].tolist())

    def _finalists(self) -> Iterator[tuple[tuple[Any, ...], _CandidateLiterals, int]]:
        """Yield the literals that may be the best, with the keys that decide between them."""
        for points in self._points:
            near = self._may_be_best(points.scores)
            # Values are sorted, so among literals that cover the same counts, the first wins.
            _, first = np.unique(points.covered[:, near], axis=1, return_index=True)
            for k in near[first].tolist():
                kind, other = _ORDER[points.op]
                value = "" if points.values[k] is None else points.values[k]
                score = self._score.exact(*points.covered[:, k].tolist())
                yield (-score, points.column, kind, value, other), points, k


def _interval_ends(cuts: Floats) -> Ends:
    """Return the ends of the intervals between cuts."""
    return list(pairwise([None, *cuts.tolist(), None]))


def _cumulative_weights(weights: Integers) -> tuple[Integers, Integers]:
    """Sum the weights up to each number, and those of all numbers."""
    up_to = np.cumsum(weights, axis=1)
    return up_to, up_to[:, -1]


def _have_rows(weights: Integers) -> Flags:
    """Flag the values or parts that have rows."""
    return np.asarray(weights.any(axis=0))


def _nlogn(n: Floats) -> Floats:
    found: Floats = n * np.log(np.maximum(n, 1.0))
    return found
