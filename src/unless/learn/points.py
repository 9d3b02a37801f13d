"""Points for the parts of a finished program: logistic regression on their truths, rounded to whole points.

The points minimise the log-loss of the training records plus half of the squares of all logits but the base, times a
penalty. Records with the same truths are one record that counts more often. Nothing depends on the order of rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unless.kernels.regress import Regression, kinds, list_atoms
from unless.rule import Program
from unless.score.card import MOST_POINTS, ScoreCard, columns_of, head_places
from unless.score.parts import Bins, Part, Reader, Truths, parts_of
from unless.score.points import points_of
from unless.table import Table
from unless.table.hashes import Hashes

LITERAL, OTHER = 2.2, 16.0
"""The penalties of literals and of other parts, times the root of the share of records that the list has wrong.

Rules were chosen for these very records, so what they decide looks better there than it is; and the better the list
fits, the larger points may be. Over 28 datasets (at most 3,000 records, five folds) the log-loss is 0.278. With 0.7 and
5 whatever is wrong it is 0.281, and for five sets worse than that of the frequencies of rules; with 1/0.3 for all parts
0.289; without literals 0.318; with literals alone 0.319. With the frequencies it is 0.357. On nine large datasets,
whole, the root costs a little: 0.172 instead of 0.170. (All with an earlier search, which ended before the minimum.)
"""

_MOST_VALUES = 200_000
"""The most points of a card, parts times labels: more take far longer than learning, and much memory."""

_RECORDS, _CELLS, _LEAST = 8000, 40_000, 1000
"""The most records to learn points from: so many, so many in all columns together, but never fewer than the last.

On nine large datasets, with penalties of 0.7 and 5, the log-loss was 0.181 with 2,000 records, 0.169 with 4,000, 0.165
with 8,000 and 0.161 with all (with an earlier search, which ended before the minimum).
"""

_ROUNDS = 25
"""The most steps. Over 31 datasets, with blocks of 48 parts (`kernels.regress`), the log-loss is 0.301 with 10 steps,
0.297 with 15 and 0.295 with 25; with 25 steps and a diagonal instead of blocks, it is 0.298."""

_CLOSE = 2e-3
"""The search ends with a step that lessens the loss by no more than this share of it. Over the 31 datasets the log-loss
is 0.2949; with 5e-3 it is 0.2959."""

_MOST_PAIRS = 20_000_000
"""The most pairs of literals on the same feature: a list of the literals that hold in each of its bins is as long."""

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
    tests = Counter(part.literal.feature for part in parts if part.literal)
    if len(classes) < 2 or (len(parts) + 1) * width > _MOST_VALUES or _squares(tests.values()) > _MOST_PAIRS:
        return None
    most = min(_RECORDS, max(_CELLS // width, _LEAST))
    records = _distinct(program, parts, table, counts, most)
    penalties = np.array([*(LITERAL if part.literal else OTHER for part in parts), 0.0]) * records.wrong**0.5
    wanted = np.ascontiguousarray(records.counts[:, -width:]).reshape(-1)  # of two labels, the second
    regression = Regression(width, *records.records, *records.atoms, records.counts.sum(axis=1), wanted, penalties)
    logits = regression.minimum(rounds, _CLOSE).reshape(-1, width)
    points = points_of(logits).clip(-MOST_POINTS, MOST_POINTS)
    return ScoreCard(program, classes, points[-1], points[:-1])


def _squares(numbers: Iterable[int]) -> int:
    return sum(number * number for number in numbers)


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
    """At most about so many records, all different, in the order of their hashes."""
    columns = [table.column(name) for name in program.used]
    reader = Reader(program, parts, columns)
    bins = reader.bins([column.codes for column in columns], len(table))
    hashes, first, kind = _kinds(bins)
    kept, factors = _thinned(hashes, np.bincount(kind, counts, len(hashes)).astype(np.float64), most)
    place = np.full(len(hashes), -1)
    place[kept] = np.arange(len(kept))
    rows = np.flatnonzero(place[kind] >= 0)
    size = len(table.labels.labels)
    cells = place[kind[rows]] * size + table.labels.codes[rows]
    labels = np.bincount(cells, None if counts is None else counts[rows], len(kept) * size).reshape(-1, size)
    truths = reader.truths(bins[:, first[kept]])
    found = labels * factors[:, np.newaxis]
    return _Records(
        _records(reader, truths, len(parts)), _atoms(reader, len(parts)), found, _wrong(program, table, truths, found)
    )


def _kinds(bins: Bins) -> tuple[Hashes, NDArray[np.int32], NDArray[np.int32]]:
    """The hash of each kind of rows, its first row, and the kind of each row; different bins are different kinds.

    Kinds are in the order of their hashes, whatever the order of rows.
    """
    rows = bins.shape[1]
    table = np.full(1 << (2 * rows).bit_length(), -1, np.int32)
    hashes, first, kind = np.empty(rows, np.uint64), np.empty(rows, np.int32), np.empty(rows, np.int32)
    found = kinds(bins.reshape(-1), table, hashes, first, kind)
    order = hashes[:found].argsort()
    place = np.empty(found, np.int32)
    place[order] = np.arange(found, dtype=np.int32)
    return hashes[order], first[order], place[kind]


def _wrong(program: Program, table: Table, truths: Truths, counts: Floats) -> float:
    heads = head_places(program, table.labels.labels)[truths.deciding]
    right = counts[np.arange(len(heads)), heads][heads >= 0].sum()
    return float((counts.sum() - right + 1) / (counts.sum() + 2))


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


def _records(reader: Reader, truths: Truths, parts: int) -> Lists:
    """The atoms of each record: parts that hold, and after all parts, the bins of each feature."""
    rows, features = len(truths.deciding), len(reader.features)
    offsets = np.cumsum([parts, *(len(feature.holds) for feature in reader.features)], dtype=np.int32)[:features]
    starts = np.empty(rows + 1, np.int32)
    places = np.empty(rows * (1 + features) + np.count_nonzero(truths.inner), np.int32)
    inner = truths.inner.reshape(-1).view(np.uint8)
    list_atoms(truths.deciding, truths.bins.reshape(-1), offsets, inner, reader.decisions, starts, places)
    return starts, places


def _atoms(reader: Reader, parts: int) -> Lists:
    """The parts of each atom: first each part alone, then the literals of the bins of each feature."""
    sizes, places = [np.ones(parts, np.int64)], [np.arange(parts)]
    for feature in reader.features:
        own = np.array(feature.places)
        sizes.append(feature.holds.sum(axis=1))
        places.append(own[feature.holds.nonzero()[1]])  # bin after bin
    starts = np.cumsum(np.concatenate([[0], *sizes]))
    return starts.astype(np.int32), np.concatenate(places).astype(np.int32)
