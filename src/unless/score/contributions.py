"""Compute how much each feature of a record adds to the log-odds: exact Shapley values against a background.

The Shapley value of a feature is the mean change, over all orders of the features, when its value in a background
record is replaced by the record's own value. The values of all features add up to the record's points minus the mean
of the background. They are computed separately for each list, because the points of lists add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, singledispatch
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.kernels.contributions import ContributionWalk
from unless.model.points import POINTS_PER_LOGIT, Points
from unless.model.prediction import Decider, tested_columns
from unless.rule import Literal
from unless.score.committee import Committee
from unless.score.decision_graph import DecisionGraph, Truths
from unless.score.score_card import ScoreCard
from unless.score.score_decider import ScoreDecider
from unless.table import Column, Table

Floats = NDArray[np.float64]

_MOST_FEATURES = 64
"""The maximum number of features of one list in which two records may differ."""

_STEPS = 20_000_000
"""The maximum number of nodes to visit for one record and one list."""


@dataclass(frozen=True, eq=False)
class AdditiveScore:
    """A score as a sum of graphs: a record's score is ``base`` plus the points of the ends that it reaches."""

    decider: Decider
    base: Floats
    graphs: tuple[DecisionGraph, ...]


@singledispatch
def additive_score(model: Any) -> AdditiveScore:
    """Return the log-odds of a committee or of a score card as a sum of graphs."""
    raise ParameterError(f"a {type(model).__name__} has no points that add up to log-odds")


@additive_score.register(Committee)
def _(model: Committee) -> AdditiveScore:
    pairs = zip(model.lists, model.points, strict=True)
    graphs = tuple(DecisionGraph.of_list(program, _log_odds(points)) for program, points in pairs)
    return AdditiveScore(model, _log_odds(model.base[np.newaxis])[0], graphs)


@additive_score.register(ScoreCard)
def _(model: ScoreCard) -> AdditiveScore:
    logits = model.points / POINTS_PER_LOGIT
    decides = [place for place, part in enumerate(model.parts) if part.kind == "decides"]
    graphs = [DecisionGraph.of_list(model.program, logits[decides])]
    for part, points in zip(model.parts, logits, strict=True):
        if part.condition is not None and points.any():
            graphs.append(DecisionGraph.of_condition(part.condition, points))
    return AdditiveScore(model.tested, model.base / POINTS_PER_LOGIT, tuple(graphs))


@additive_score.register(ScoreDecider)
def _(model: ScoreDecider) -> AdditiveScore:
    return additive_score(model.score)


def _log_odds(points: Points) -> Floats:
    """Convert points to logits: with two classes, the logit of the second against the first."""
    found = points[:, 1:] - points[:, :1] if points.shape[1] == 2 else points
    return found / POINTS_PER_LOGIT


class ContributionCounter:
    """Computes contributions of features to an additive score, against the records of a background."""

    def __init__(self, score: AdditiveScore, background: Table) -> None:
        if not len(background):
            raise ParameterError(
                "the background has no records; pass records to compare with, such as the training records"
            )
        self.score = score
        self.features: tuple[str, ...] = score.decider.used
        self._place = {name: place for place, name in enumerate(self.features)}
        self._columns = self._read(background)
        self._graphs = [_GraphContributions(one, one.truths(self._columns)) for one in score.graphs if one.literals]
        constants = [one.points[~one.root] for one in score.graphs if not one.literals]
        means = [one.mean for one in self._graphs]
        self.expected: Floats = np.sum([score.base, *constants, *means], axis=0)
        """The mean score of the background."""

    def _read(self, table: Table) -> list[Column]:
        return tested_columns(self.score.decider, table)

    def values(self, table: Table) -> Floats:
        """Compute the contribution of each feature (second axis) to each score (third axis) for each row of a table."""
        columns = self._read(table)
        out = np.zeros((len(table), len(self.features), len(self.score.base)))
        for one in self._graphs:
            places = [self._place[name] for name in one.graph.features]
            out[:, places] += one.values(one.graph.truths(columns))
        return out

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of features that a graph tests together; others do not interact."""
        found = {self._ordered(two) for one in self._graphs for two in combinations(one.graph.features, 2)}
        return tuple(sorted(found, key=lambda pair: (self._place[pair[0]], self._place[pair[1]])))

    def _ordered(self, pair: tuple[str, str]) -> tuple[str, str]:
        one, two = sorted(pair, key=self._place.__getitem__)
        return one, two

    @property
    def steps(self) -> int:
        """The number of nodes that were visited so far."""
        return sum(one.steps for one in self._graphs)

    def interactions(self, table: Table) -> tuple[Floats, Floats]:
        """Compute the contributions as `values` does, and the interaction index of each of the ``pairs``, for each row.

        A feature's contribution is its main effect plus half of its interactions with all others.
        """
        columns, index = self._read(table), {pair: place for place, pair in enumerate(self.pairs)}
        values = np.zeros((len(table), len(self.features), len(self.score.base)))
        out = np.zeros((len(table), len(self.pairs), len(self.score.base)))
        for one in self._graphs:
            single, double = one.interactions(one.graph.truths(columns))
            values[:, [self._place[name] for name in one.graph.features]] += single
            pairs = [index[self._ordered(two)] for two in combinations(one.graph.features, 2)]
            out[:, pairs] += double
        return values, out

    def curve(self, feature: str) -> list[CurveStep]:
        """Compute, for each value of a feature, the mean score of the background if all its records had this value."""
        steps, scores, counts = self.joint((feature,))
        found = zip(steps[0], scores, counts.tolist(), strict=True)
        return [replace(step, score=score, records=records) for step, score, records in found]

    def joint(self, features: Sequence[str]) -> tuple[list[list[CurveStep]], Floats, NDArray[np.intp]]:
        """Compute the mean score of the background if all its records had the same values of some features.

        Return the steps of each feature, and for each combination of steps (an axis for each feature) the mean score
        and the number of background records that have such values.
        """
        columns = [next(one for one in self._columns if one.name == name) for name in features]
        graphs = [one for one in self._graphs if not set(features).isdisjoint(one.graph.features)]
        steps = []
        for column in columns:
            tests = (t for one in graphs for t in one.graph.literals if t.feature == column.name)
            steps.append(_steps(column, list(dict.fromkeys(tests))))
        sizes = [len(own) for own in steps]
        rest = self.expected - np.sum([np.zeros_like(self.expected), *(one.mean for one in graphs)], axis=0)
        scores = np.tile(rest, (*sizes, 1))
        for one in graphs:
            scores += one.means_with(
                [(c, [step.codes[0] for step in own]) for c, own in zip(columns, steps, strict=True)]
            )
        places = [_step_of_code(column, own)[column.codes] for column, own in zip(columns, steps, strict=True)]
        counts = np.bincount(np.ravel_multi_index(tuple(places), sizes), minlength=int(np.prod(sizes))).reshape(sizes)
        return steps, scores, counts


@dataclass(frozen=True, eq=False)
class CurveStep:
    """Values of a feature that satisfy the same literals: their ``codes`` in a column, and the literals."""

    codes: tuple[int, ...]
    holds: tuple[Literal, ...]
    fails: tuple[Literal, ...]
    score: Floats = field(default_factory=lambda: np.empty(0))
    """The mean score of the background if all its records had such a value."""
    records: int = 0
    """The number of background records that have such a value."""


def _steps(column: Column, tests: Sequence[Literal]) -> list[CurveStep]:
    """Group the codes of a column by the literals that hold, ordered by the first code of each group."""
    codes = np.arange(column.missing + 1)
    spans = [column.span(one) for one in tests]
    truths = [((low <= codes) & (codes < end)) != negated for low, end, negated in spans]
    groups: dict[tuple[bool, ...], list[int]] = {}
    for code in codes.tolist():
        groups.setdefault(tuple(bool(one[code]) for one in truths), []).append(code)
    return [
        CurveStep(
            tuple(found),
            tuple(test for test, holds in zip(tests, key, strict=True) if holds),
            tuple(test for test, holds in zip(tests, key, strict=True) if not holds),
        )
        for key, found in groups.items()
    ]


def _step_of_code(column: Column, steps: Sequence[CurveStep]) -> NDArray[np.intp]:
    """Return the index of the step of each code of a column."""
    found = np.empty(column.missing + 1, np.intp)
    for place, step in enumerate(steps):
        found[list(step.codes)] = place
    return found


class _GraphContributions:
    """Computes the contributions to the points of one graph."""

    def __init__(self, graph: DecisionGraph, truths: Truths) -> None:
        self.graph, self._truths, self.steps = graph, truths, 0
        features = {name: place for place, name in enumerate(graph.features)}
        self._features = np.array([features[literal.feature] for literal in graph.literals], dtype=np.int32)
        self.mean: Floats = graph.points[graph.ends(truths)].mean(axis=0)

    def means_with(self, fixed: Sequence[tuple[Column, Sequence[int]]]) -> Floats:
        """Compute the mean points of the background if all its records had given values of some columns.

        Return an axis for the codes of each column, and one for the points.
        """
        literals, known, kinds, backs = self.graph.literals, np.zeros(len(self.graph.literals), bool), [], []
        for column, codes in fixed:
            own = [place for place, literal in enumerate(literals) if literal.feature == column.name]
            spans = [column.span(literals[place]) for place in own]
            held = np.array([[(low <= code < end) != negated for low, end, negated in spans] for code in codes], bool)
            distinct, back = np.unique(held.reshape(len(codes), -1), axis=0, return_inverse=True)
            truths = np.zeros((len(distinct), len(literals)), bool)
            truths[:, own], known[own] = distinct, True
            kinds.append(truths)
            backs.append(back.ravel())
        together = kinds[0] if len(kinds) == 1 else (kinds[0][:, np.newaxis] | kinds[1]).reshape(-1, len(literals))
        means = self._means(known, together).reshape(*map(len, kinds), -1)
        found: Floats = means[np.ix_(*backs)]
        return found

    def _means(self, known: NDArray[np.bool_], held: Truths) -> Floats:
        """Compute the mean points if the known literals have the given truths (rows), and the others their own.

        The background records that reach a node are bits; nodes are in the reverse order of walking.
        """
        graph, bits, count = self.graph, _packed(self._truths.T), len(held)
        fixed = np.where(held, np.uint64(2**64 - 1), np.uint64(0))
        reached = np.zeros((len(graph.nodes) + len(graph.points), count, bits.shape[1]), np.uint64)
        reached[graph.root] = _packed(np.ones((1, len(self._truths)), bool))  # an end counts from behind, as in Python
        for node in range(len(graph.nodes) - 1, -1, -1):
            literal, yes, no = graph.nodes[node].tolist()
            here, holds = reached[node], fixed[:, literal, np.newaxis] if known[literal] else bits[literal]
            reached[yes] |= here & holds
            reached[no] |= here & ~holds
        ends = np.bitwise_count(reached[len(graph.nodes) :]).sum(axis=2, dtype=np.int64)[::-1]
        found: Floats = ends.T @ graph.points / len(self._truths)
        return found

    def values(self, truths: Truths) -> Floats:
        """Compute the contributions of the graph's features for rows of truths; equal rows are computed once."""
        rows, back = np.unique(truths, axis=0, return_inverse=True)
        found = self._single(rows) if len(self.graph.features) == 1 else self._walk(rows)
        out: Floats = found[back.ravel()]
        return out

    def _single(self, rows: Truths) -> Floats:
        """Compute the contributions if there is only one feature: the difference from the mean."""
        return (self.graph.points[self.graph.ends(rows)] - self.mean)[:, np.newaxis]

    def interactions(self, truths: Truths) -> tuple[Floats, Floats]:
        """Compute the contributions and, in the order of `combinations`, the interactions for rows of truths."""
        rows, back = np.unique(truths, axis=0, return_inverse=True)
        count = len(self.graph.features)
        pairs = np.zeros((len(rows), count, count, self.graph.points.shape[1]))
        single = self._single(rows) if count == 1 else self._walk(rows, pairs)
        first, second = np.triu_indices(count, 1)
        return single[back.ravel()], pairs[:, first, second][back.ravel()]

    def _walk(self, rows: Truths, pairs: Floats | None = None) -> Floats:
        """Compute the contributions for rows of truths; add interactions to ``pairs``, if given."""
        graph, width = self.graph, self.graph.points.shape[1]
        size, count = len(self._truths), len(graph.features)
        held = _packed(self._truths.T)
        args = (graph.nodes.reshape(-1), self._features, graph.points.reshape(-1), width, held.reshape(-1), size)
        walk = ContributionWalk(*args, _shares(), _MOST_FEATURES, count)
        out = np.zeros((len(rows), count, width))
        places = np.empty((len(rows), 0)) if pairs is None else pairs.reshape(len(rows), -1)
        for row, found, both in zip(np.ascontiguousarray(rows, np.uint8), out, places, strict=True):
            left = walk.add(graph.root, row, _STEPS, found.reshape(-1), both)
            self.steps += _STEPS - left
            if left < 0:
                raise ParameterError(
                    f"a list of {len(graph.nodes):,} conditions on {count} features is too large for exact "
                    f"contributions against {size:,} records; pass fewer records as the background"
                )
        return out


@cache
def _shares() -> Floats:
    """Return one feature's share of an end's points for all a and b: ``a! b! / (a + b + 1)!``."""
    every = range(_MOST_FEATURES)
    return np.array([factorial(a) * factorial(b) / factorial(a + b + 1) for a in every for b in every])


def _packed(truths: Truths) -> NDArray[np.uint64]:
    """Pack rows of truths into bits of 64-bit words."""
    words = max(-(-truths.shape[1] // 64), 1)
    padded = np.zeros((len(truths), 64 * words), np.uint8)
    padded[:, : truths.shape[1]] = truths
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
