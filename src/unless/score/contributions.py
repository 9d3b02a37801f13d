"""Compute how much each feature of a record adds to the log-odds: exact Shapley values against a background.

The Shapley value of a feature is the mean change, over all orders of the features, when its value in a background
record is replaced by the record's own value. The values of all features add up to the record's points minus the mean
of the background. They are computed separately for each list, because the points of lists add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, singledispatch
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
    return AdditiveScore(model.program, model.base / POINTS_PER_LOGIT, tuple(graphs))


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

    def curve(self, feature: str) -> list[CurveStep]:
        """Compute, for each value of a feature, the mean score of the background if all its records had this value."""
        column = next(one for one in self._columns if one.name == feature)
        graphs = [one for one in self._graphs if feature in one.graph.features]
        tests = dict.fromkeys(t for one in graphs for t in one.graph.literals if t.feature == feature)
        steps = _steps(column, list(tests))
        counts = column.counts()
        others = self.expected - np.sum([np.zeros_like(self.expected), *(one.mean for one in graphs)], axis=0)
        found = [np.sum([others, *(one.mean_with(column, step.codes[0]) for one in graphs)], axis=0) for step in steps]
        return [
            replace(step, score=score, records=int(counts[list(step.codes)].sum()))
            for step, score in zip(steps, found, strict=True)
        ]


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


class _GraphContributions:
    """Computes the contributions to the points of one graph."""

    def __init__(self, graph: DecisionGraph, truths: Truths) -> None:
        self.graph, self._truths = graph, truths
        features = {name: place for place, name in enumerate(graph.features)}
        self._features = np.array([features[literal.feature] for literal in graph.literals], dtype=np.int32)
        self.mean: Floats = graph.points[graph.ends(truths)].mean(axis=0)

    def mean_with(self, column: Column, code: int) -> Floats:
        """Return the mean points of the background if all its records had the value of this code in a column."""
        truths = self._truths.copy()
        for place, literal in enumerate(self.graph.literals):
            if literal.feature == column.name:
                low, end, negated = column.span(literal)
                truths[:, place] = (low <= code < end) != negated
        found: Floats = self.graph.points[self.graph.ends(truths)].mean(axis=0)
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

    def _walk(self, rows: Truths) -> Floats:
        graph, width = self.graph, self.graph.points.shape[1]
        size, count = len(self._truths), len(graph.features)
        held = _packed(self._truths.T)
        args = (graph.nodes.reshape(-1), self._features, graph.points.reshape(-1), width, held.reshape(-1), size)
        walk = ContributionWalk(*args, _shares(), _MOST_FEATURES, count)
        out = np.zeros((len(rows), count, width))
        for row, found in zip(np.ascontiguousarray(rows, np.uint8), out, strict=True):
            if walk.add(graph.root, row, _STEPS, found.reshape(-1)) < 0:
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
