"""Points for the parts of a finished program: logistic regression on their truths, rounded to whole points.

The points minimise the log-loss of the training records plus half of the squares of all logits but the base, times a
penalty. Records with the same truths are one record that counts more often. Nothing depends on the order of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unless.kernels.sums import gather, residuals, scatter
from unless.learn.folds import Hashes, mixed
from unless.rule import Program
from unless.score.card import MOST_POINTS, ScoreCard, columns_of, head_places
from unless.score.parts import Part, Reader, Truths, parts_of
from unless.score.points import points_of
from unless.table import Codes, Table

LITERAL, OTHER = 2.2, 16.0
"""The penalties of literals and of other parts, times the root of the share of records that the list has wrong.

Rules were chosen for these very records, so what they decide looks better there than it is; and the better the list
fits, the larger points may be. Over 28 datasets (at most 3,000 records, five folds) the log-loss is 0.278. With 0.7 and
5 whatever is wrong it is 0.281, and for five sets worse than that of the frequencies of rules; with 1/0.3 for all parts
0.289; without literals 0.318; with literals alone 0.319. With the frequencies it is 0.357. On nine large datasets,
whole, the root costs a little: 0.172 instead of 0.170.
"""

_MOST_VALUES = 200_000
"""The most points of a card, parts times labels: more take far longer than learning, and memory for 25 numbers each."""

_RECORDS, _CELLS, _LEAST = 8000, 40_000, 1000
"""The most records to learn points from: so many, so many in all columns together, but never fewer than the last.

On nine large datasets, with penalties of 0.7 and 5, the log-loss was 0.181 with 2,000 records, 0.169 with 4,000, 0.165
with 8,000 and 0.161 with all.
"""

_ROUNDS = 25
"""The most steps. Over the 28 datasets, with penalties of 0.7 and 5, the log-loss was 0.283 with 15 steps, 0.280
with 30 and 0.279 with 60."""

_CLOSE = 5e-3
"""The search ends when no logit changes by more than five points."""

_MEMORY = 5
"""How many steps show the second derivative."""

Floats = NDArray[np.float64]
Lists = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Lists of places: where each starts, and all places one after another."""


def fit_card(
    program: Program, table: Table, counts: Floats | None = None, *, rounds: int = _ROUNDS
) -> ScoreCard | None:
    """The score card of a program, fitted to labelled records; None if there is one label, or too many points to find.

    ``counts`` says how often each record counts (`weights.as_counts`); without it, once.
    """
    classes, parts = table.labels.labels, parts_of(program)
    width = columns_of(classes)
    if len(classes) < 2 or (len(parts) + 1) * width > _MOST_VALUES:
        return None
    most = min(_RECORDS, max(_CELLS // width, _LEAST))
    records = _distinct(program, parts, table, counts, most)
    penalties = np.array([*(LITERAL if part.literal else OTHER for part in parts), 0.0]) * records.wrong**0.5
    logits = _minimum(_Loss(records, penalties), rounds)
    points = points_of(logits).clip(-MOST_POINTS, MOST_POINTS)
    return ScoreCard(program, classes, points[-1], points[:-1])


# Records.


@dataclass(frozen=True, slots=True)
class _Records:
    """Distinct records, and how often each label has them.

    A record is a list of atoms: parts that hold, and a bin for each feature. An atom is a list of parts: a bin has the
    literals that hold in it. There are far fewer features than literals, so this saves most of the additions.
    """

    records: Lists
    atoms: Lists
    counts: Floats
    wrong: float
    """The share that the program has wrong, with one record more of each kind: it is never 0."""


def _distinct(program: Program, parts: Sequence[Part], table: Table, counts: Floats | None, most: int) -> _Records:
    """At most about so many records, all different."""
    columns = [table.column(name) for name in program.used]
    reader = Reader(program, parts, columns)
    kinds, first, kind = np.unique(_hashes(reader, [column.codes for column in columns], len(table)), True, True)  # noqa: FBT003
    weights = np.bincount(kind, counts, len(kinds)).astype(np.float64)
    kept, factors = _thinned(kinds, weights, most)
    place = np.full(len(kinds), -1)
    place[kept] = np.arange(len(kept))
    rows = np.flatnonzero(place[kind] >= 0)
    size = len(table.labels.labels)
    cells = place[kind[rows]] * size + table.labels.codes[rows]
    labels = np.bincount(cells, None if counts is None else counts[rows], len(kept) * size).reshape(-1, size)
    truths = reader.read([column.codes[first[kept]] for column in columns], len(kept))
    found = labels * factors[:, np.newaxis]
    return _Records(*_lists(reader, truths, len(parts)), found, _wrong(program, table, truths, found))


def _wrong(program: Program, table: Table, truths: Truths, counts: Floats) -> float:
    heads = head_places(program, table.labels.labels)[truths.deciding]
    right = counts[np.arange(len(heads)), heads][heads >= 0].sum()
    return float((counts.sum() - right + 1) / (counts.sum() + 2))


def _hashes(reader: Reader, codes: Sequence[Codes], rows: int) -> Hashes:
    """A number for each row that depends on its bins alone; different bins have different numbers, but for chance."""
    hashes: Hashes = np.zeros(rows, np.uint64)
    for feature, column in zip(reader.features, codes, strict=True):
        hashes = mixed(hashes + feature.bins.astype(np.uint64)[column])
    return hashes


def _thinned(kinds: Hashes, weights: Floats, most: int) -> tuple[NDArray[np.intp], Floats]:
    """Some of the kinds of records, and a factor for the weight of each, so that all sums stay what they are expected.

    A kind is kept with a probability in proportion to its weight, heavy kinds for sure. Its hash is the lot.
    """
    there = np.flatnonzero(weights > 0)
    own = weights[there]
    if len(there) <= most:
        return there, np.ones(len(there))
    heaviest = np.sort(own)[::-1]
    rest = np.cumsum(heaviest[::-1])[::-1]  # with so many heavier ones kept for sure, the weight of all others
    levels = rest[:most] / (most - np.arange(most))
    level = levels[np.argmax(heaviest[:most] <= levels)]
    lots = kinds[there].astype(np.float64) / 2.0**64
    drawn = lots * level < own
    return there[drawn], np.maximum(level / own[drawn], 1.0)


def _lists(reader: Reader, truths: Truths, parts: int) -> tuple[Lists, Lists]:
    """The atoms of each record, and the parts of each atom: first each part alone, then the bins of each feature."""
    held = [np.array(one.places, dtype=np.int32)[row] for one in reader.features for row in one.holds]
    lengths = np.array([*np.ones(parts, np.int64), *map(len, held)])
    atoms = _starts(lengths), np.concatenate([np.arange(parts, dtype=np.int32), *held])
    first = np.cumsum([parts, *(len(feature.holds) for feature in reader.features)])
    always = np.vstack([truths.deciding, *(bins + at for bins, at in zip(truths.bins, first, strict=False))]).T
    inner, row = np.nonzero(truths.inner)
    rows = len(truths.deciding)
    starts = _starts(np.bincount(row, minlength=rows) + always.shape[1])
    places = np.empty(starts[-1], np.int32)
    places[starts[:-1, np.newaxis] + np.arange(always.shape[1])] = always
    order = np.argsort(row, kind="stable")
    others = np.ones(len(places), bool)
    others[starts[:-1, np.newaxis] + np.arange(always.shape[1])] = False
    places[others] = inner[order] + reader.decisions
    return (starts, places), atoms


def _starts(lengths: NDArray[np.integer]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


# The regression.


class _Loss:
    """The penalised log-loss of logits, a row for each part and last the base, and its gradient."""

    def __init__(self, data: _Records, penalties: Floats) -> None:
        self._data = data
        self._penalties = penalties[:, np.newaxis]
        self._totals = data.counts.sum(axis=1)
        self._wanted = np.ascontiguousarray(data.counts[:, 1:] if data.counts.shape[1] == 2 else data.counts)
        self.width = self._wanted.shape[1]

    def __call__(self, logits: Floats) -> tuple[float, Floats]:
        scores, penalised = self._scores(logits), self._penalties * logits
        left = np.empty_like(scores)
        value = residuals(scores.reshape(-1), self._totals, self._wanted.reshape(-1), self.width, left.reshape(-1))
        return value + 0.5 * _dot(penalised, logits), self._back(left) + penalised

    def start(self) -> tuple[Floats, Floats]:
        """The base alone, with the shares of the labels; and about how fast the gradient grows with each logit."""
        total, labels = self._totals.sum(), self._wanted.sum(axis=0)
        shares = (labels + 0.5) / (total + 0.5 * max(self.width, 2))  # a label may have no records
        logits = np.zeros((len(self._penalties), self.width))
        logits[-1] = np.log(shares) - (np.log(1 - shares) if self.width == 1 else 0.0)
        often = self._back(np.repeat(self._totals[:, np.newaxis], self.width, axis=1))
        return logits, self._penalties + often * np.maximum(shares * (1 - shares), 1e-3) + 1e-9

    def _scores(self, logits: Floats) -> Floats:
        """The sum of the logits of the parts that each record has."""
        (starts, _), width = self._data.atoms, self.width
        atoms, scores = np.empty((len(starts) - 1) * width), np.empty(len(self._totals) * width)
        gather(*self._data.atoms, logits.reshape(-1), width, atoms)
        gather(*self._data.records, atoms, width, scores)
        found: Floats = scores.reshape(-1, width) + logits[-1]
        return found

    def _back(self, values: Floats) -> Floats:
        """For each part the sum of the values of the records that have it; for the base, of all."""
        (starts, _), width = self._data.atoms, self.width
        atoms, found = np.zeros((len(starts) - 1) * width), np.zeros(len(self._penalties) * width)
        scatter(*self._data.records, values.reshape(-1), width, atoms)
        scatter(*self._data.atoms, atoms, width, found)
        sums: Floats = found.reshape(-1, width)
        sums[-1] = np.ones(len(values)) @ values
        return sums


def _minimum(loss: _Loss, rounds: int) -> Floats:
    """Where the loss is least: L-BFGS, in at most so many steps, from the base alone."""
    logits, growth = loss.start()
    value, gradient = loss(logits)
    steps: list[tuple[Floats, Floats, float]] = []
    for _ in range(rounds):
        direction = -_divided(gradient.reshape(-1), steps, growth.reshape(-1)).reshape(logits.shape)
        slope, length = _dot(gradient, direction), 1.0
        while True:
            moved = logits + length * direction
            found, slopes = loss(moved)
            if found <= value + 1e-4 * length * slope or length < 1e-6:
                break
            length /= 2
        if found > value:
            break  # no step helps: this is the minimum, to the last bit
        step, bend = moved - logits, slopes - gradient
        logits, value, gradient = moved, found, slopes
        curvature = _dot(step, bend)
        if np.abs(step).max() < _CLOSE or curvature <= 0:
            break
        steps = [*steps[1 - _MEMORY :], (step.reshape(-1), bend.reshape(-1), curvature)]
    return logits


def _dot(one: Floats, other: Floats) -> float:
    return float(np.vdot(one, other))  # a fifth of the time of multiplying, then adding


def _divided(gradient: Floats, steps: Sequence[tuple[Floats, Floats, float]], growth: Floats) -> Floats:
    """The gradient divided by the second derivative, as far as the last steps show it (Nocedal 1980)."""
    found, shares = gradient, list[float]()
    for step, bend, curvature in reversed(steps):
        share = _dot(step, found) / curvature
        found = found - share * bend
        shares.append(share)
    found = found / growth
    if steps:
        _, bend, curvature = steps[-1]
        found *= curvature / _dot(bend, bend / growth)
    for (step, bend, curvature), share in zip(steps, reversed(shares), strict=True):
        found += (share - _dot(bend, found) / curvature) * step
    return found
