"""Fit points to the parts of a finished program by logistic regression on their truths, rounded to whole points.

The points minimise the log-loss of the training records plus half of the squares of all logits but the base, times a
penalty. Records with the same truths are merged into one with a larger count. The order of rows does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.constraints import NO_CUTS, Constraints, Cuts, Monotone, cuts_of_points, directions_among, to_constraints
from unless.kernels.score_regression import Regression, list_atoms, number_distinct_rows
from unless.learn.monotone_points import condition_bounds, points_in_directions
from unless.learn.score_cuts import cuts_to_try
from unless.model.lazy_value import LazyValue
from unless.model.points import points_of
from unless.model.prediction import deciding_rules, head_indices, tested_features
from unless.rule import Program, Rule
from unless.score.program_parts import FeatureBins, PartReader, PartTruths, ProgramPart, program_parts
from unless.score.score_card import MOST_POINTS, ScoreCard, point_columns
from unless.table import Table
from unless.table.record_hashes import Hashes
from unless.values import Label

LITERAL, OTHER = 3.3, 32.0
"""The penalties of literals and of other parts, to be multiplied by the root of the list's error rate.

Rules were chosen for the same records, so their decisions look better there than they are; and the better the list
fits, the larger points may be.
"""

TESTED, UNTESTED = 10.0, 40.0
"""The penalties of literals instead, if all features get points: on features that rules test, and on others."""

_MOST_VALUES = 200_000
"""The maximum number of points (parts times labels): more take far longer than learning, and much memory."""

_RECORDS, _CELLS, _LEAST = 8000, 40_000, 1000
"""The maximum number of records to fit: for one column, for all columns together, and the least such maximum."""

_ROUNDS = 25
"""The maximum number of steps."""

_CLOSE = 2e-3
"""The search ends when a step reduces the loss by at most this share."""

_DESCENTS = 200
"""The maximum number of steps of a fit within bounds."""

_MOST_PAIRS = 20_000_000
"""The maximum number of pairs of literals on the same feature, which limits the lists of literals by bin."""

Floats = NDArray[np.float64]
Lists = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Lists of indices: the start of each list, and the concatenated indices."""


def later_card(
    program: Program,
    table: Table,
    counts: Floats | None = None,
    constraints: Constraints | Mapping[str, Any] | None = None,
    *,
    every: Collection[str] = (),
) -> LazyValue[ScoreCard | None]:
    """Return the score card of a program as a lazy value, which holds the tested columns and labels until then.

    ``every`` are the features that get points even if no rule tests them.
    """
    given, directions = cuts_of_points(constraints), directions_among(constraints, table.labels.labels)
    needed = tested_features(program, table)
    more = tuple(table.column(name) for name in every if name not in program.used)
    needed = replace(needed, columns=(*needed.columns, *more))
    fit = partial(fit_score_card, program, needed, counts, given=given, directions=directions, every=every)
    return LazyValue(fit)


def scored_features(parameters: Mapping[str, Any], table: Table) -> tuple[str, ...]:
    """Return the features that get points even if no rule tests them: none, unless all were requested.

    Features that constraints forbid get none.
    """
    if parameters.get("probabilities") != "all":
        return ()
    asked = to_constraints(parameters.get("constraints"))
    return tuple(name for name in table.features if asked is None or name not in asked.never)


def fit_score_card(
    program: Program,
    table: Table,
    counts: Floats | None = None,
    *,
    given: Mapping[str, Cuts] = NO_CUTS,
    directions: Sequence[Monotone] = (),
    every: Collection[str] = (),
    rounds: int = _ROUNDS,
) -> ScoreCard | None:
    """Fit the score card of a program to labelled records; None if there is one label, or too many points.

    ``counts`` contains how often each record counts (`weights.as_counts`); by default once. Features in ``given`` get
    these cuts at most; the others are cut at quantiles. The points satisfy ``directions`` (`monotone_points`).
    ``every`` are the features that get points even if no rule tests them.
    """
    classes = table.labels.labels
    width = point_columns(classes)
    for cuts in cuts_to_try(program, table, counts, given, every):
        parts = program_parts(program, cuts)
        if not _too_many(parts, width):
            break
    if len(classes) < 2 or _too_many(parts, width):
        return None
    most = min(_RECORDS, max(_CELLS // width, _LEAST))
    tested = {*program.used, *(cut.feature for cut in cuts)}
    used = [name for name in program.features if name in tested]
    records = _distinct_records(program, used, parts, table, counts, most)
    own = set(program.used) if every else None
    penalties = np.array([*(_penalty(part, own) for part in parts), 0.0]) * records.wrong**0.5
    wanted = np.ascontiguousarray(records.counts[:, -width:]).reshape(-1)  # with two labels, only the second
    totals = records.counts.sum(axis=1)
    regression = Regression(width, *records.records, *records.atoms, totals, wanted, penalties)
    logits = np.asarray(regression.minimum(rounds, _CLOSE)).reshape(-1, width)
    if directions:
        logits = _fit_in_directions(regression, logits, _Directions(program, parts, table, counts, directions))
    points = points_of(logits).clip(-MOST_POINTS, MOST_POINTS)
    return ScoreCard(program, classes, points[-1], points[:-1], cuts)


# Directions.


@dataclass(frozen=True, slots=True)
class _Directions:
    """The monotone constraints that the points of the parts of a program must satisfy."""

    program: Program
    parts: Sequence[ProgramPart]
    table: Table
    counts: Floats | None
    constraints: Sequence[Monotone]

    @property
    def columns(self) -> tuple[Label, ...]:
        """The label of each column of points."""
        classes = self.table.labels.labels
        return classes[-point_columns(classes) :]

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the least and the most logits of each part (rows) in each column."""
        conditions = [part.condition or Rule(None) for part in self.parts]
        found = [condition_bounds(one, self.constraints, self.columns) for one in conditions]
        return np.array([least for least, _ in found]), np.array([most for _, most in found])

    def pooled(self, logits: Floats) -> Floats:
        """Change the logits of the deciding rules, which are the first parts."""
        size = sum(part.kind == "decides" for part in self.parts)
        decided = np.bincount(deciding_rules(self.program, self.table) % size, self.counts, size) + 1.0
        weights = np.repeat(decided[:, np.newaxis], logits.shape[1], axis=1)
        pooled = points_in_directions(self.program, self.constraints, self.columns, logits[:size], weights)
        return np.concatenate([pooled, logits[size:]])


def _fit_in_directions(regression: Regression, logits: Floats, directions: _Directions) -> Floats:
    """Pool the logits of the deciding rules, then fit the others again within their bounds, by projected gradients."""
    least, most = (np.concatenate([bound, bound[:1]]) for bound in directions.bounds())  # the base has no bounds
    found = np.concatenate([directions.pooled(logits[:-1]), logits[-1:]])
    decides = sum(part.kind == "decides" for part in directions.parts)
    least[:decides] = most[:decides] = found[:decides]
    low, high, found = least.reshape(-1), most.reshape(-1), found.clip(least, most).reshape(-1)
    slopes = np.empty_like(found)
    value, length = regression.loss(found, slopes), 1e-3
    for _ in range(_DESCENTS):
        bends, moved = slopes.copy(), (found - length * slopes).clip(low, high)
        while (reached := regression.loss(moved, bends)) > value + 1e-4 * slopes @ (moved - found) and length > 1e-9:
            length /= 4
            moved = (found - length * slopes).clip(low, high)
        if not reached < value * (1 - _CLOSE / 100):
            break
        step, bend = moved - found, bends - slopes
        curvature = float(step @ bend)
        length = float(step @ step) / curvature if curvature > 0 else 2 * length
        found, slopes, value = moved, bends, reached
    return found.reshape(logits.shape)


def _penalty(part: ProgramPart, tested: Collection[str] | None) -> float:
    """Return the penalty of a part; ``tested`` are the features that rules test, if all features get points."""
    if part.literal is None:
        return OTHER
    return LITERAL if tested is None else TESTED if part.literal.feature in tested else UNTESTED


def _too_many(parts: Iterable[ProgramPart], width: int) -> bool:
    """Return whether there are too many points, or too many pairs of literals on one feature, to fit in time."""
    tests = Counter(None if part.literal is None else part.literal.feature for part in parts)
    pairs = sum(count * count for feature, count in tests.items() if feature is not None)
    return (tests.total() + 1) * width > _MOST_VALUES or pairs > _MOST_PAIRS


# Records.


@dataclass(frozen=True, slots=True)
class _DistinctRecords:
    """Distinct records, and the count of each label for each of them.

    A record is a list of atoms: parts that hold, and a bin for each feature. An atom is a list of parts: a bin has the
    literals that hold in it. There are far fewer features than literals, so this saves most of the additions.
    """

    records: Lists
    atoms: Lists
    counts: Floats
    wrong: float
    """The error rate of the program, with one more right and one more wrong record, so that it is never 0."""


def _distinct_records(
    program: Program, used: Iterable[str], parts: Sequence[ProgramPart], table: Table, counts: Floats | None, most: int
) -> _DistinctRecords:
    """Return a limited number of distinct records, sorted by hash; ``used`` are the features that parts test."""
    columns = [table.column(name) for name in used]
    reader = PartReader(program, parts, columns)
    bins = reader.bins([column.codes for column in columns], len(table))
    hashes, first, kind = _distinct_bin_rows(bins)
    kept, factors = _thin_out(hashes, np.bincount(kind, counts, len(hashes)).astype(np.float64), most)
    place = np.full(len(hashes), -1)
    place[kept] = np.arange(len(kept))
    rows = np.flatnonzero(place[kind] >= 0)
    size = len(table.labels.labels)
    cells = place[kind[rows]] * size + table.labels.codes[rows]
    labels = np.bincount(cells, None if counts is None else counts[rows], len(kept) * size).reshape(-1, size)
    truths = reader.truths(bins[:, first[kept]])
    found = labels * factors[:, np.newaxis]
    return _DistinctRecords(
        _list_record_atoms(reader, truths, len(parts)),
        _list_atom_parts(reader, len(parts)),
        found,
        _error_weight(program, table, truths, found),
    )


def _distinct_bin_rows(bins: FeatureBins) -> tuple[Hashes, NDArray[np.int32], NDArray[np.int32]]:
    """Return the hash and the first row of each kind of rows, and the kind of each row; rows of a kind have equal bins.

    Kinds are sorted by hash, so that the order of rows does not matter.
    """
    rows = bins.shape[1]
    table = np.full(1 << (2 * rows).bit_length(), -1, np.int32)
    hashes, first, kind = np.empty(rows, np.uint64), np.empty(rows, np.int32), np.empty(rows, np.int32)
    found = number_distinct_rows(bins.reshape(-1), table, hashes, first, kind)
    order = hashes[:found].argsort()
    place = np.empty(found, np.int32)
    place[order] = np.arange(found, dtype=np.int32)
    return hashes[order], first[order], place[kind]


def _error_weight(program: Program, table: Table, truths: PartTruths, counts: Floats) -> float:
    heads = head_indices(program, table.labels.labels)[truths.deciding]
    right = counts[np.arange(len(heads)), heads][heads >= 0].sum()
    return float((counts.sum() - right + 1) / (counts.sum() + 2))


def _thin_out(number_distinct_rows: Hashes, weights: Floats, most: int) -> tuple[NDArray[np.intp], Floats]:
    """Sample the kinds of records, and return factors for their weights that preserve the expected sums.

    A kind is kept with a probability in proportion to its weight, heavy kinds always. Its hash is the random number.
    """
    there = np.flatnonzero(weights > 0)
    own = weights[there]
    if len(there) <= most:
        return there, np.ones(len(there))
    heaviest = np.sort(own)[::-1]
    rest = np.cumsum(heaviest[::-1])[::-1]  # with the heavier ones kept for sure, the weight of all others
    levels = rest[:most] / (most - np.arange(most))
    level = levels[np.argmax(heaviest[:most] <= levels)]
    lots = number_distinct_rows[there].astype(np.float64) / 2.0**64
    drawn = lots * level < own
    return there[drawn], np.maximum(level / own[drawn], 1.0)


def _list_record_atoms(reader: PartReader, truths: PartTruths, parts: int) -> Lists:
    """Return the atoms of each record: parts that hold, and, numbered after all parts, the bins of each feature."""
    rows, features = len(truths.deciding), len(reader.features)
    offsets = np.cumsum([parts, *(len(feature.holds) for feature in reader.features)], dtype=np.int32)[:features]
    starts = np.empty(rows + 1, np.int32)
    places = np.empty(rows * (1 + features) + np.count_nonzero(truths.inner), np.int32)
    inner = truths.inner.reshape(-1).view(np.uint8)
    list_atoms(truths.deciding, truths.bins.reshape(-1), offsets, inner, reader.decisions, starts, places)
    return starts, places


def _list_atom_parts(reader: PartReader, parts: int) -> Lists:
    """Return the parts of each atom: first each part alone, then the literals of the bins of each feature."""
    sizes, places = [np.ones(parts, np.int64)], [np.arange(parts)]
    for feature in reader.features:
        own = np.array(feature.places)
        sizes.append(feature.holds.sum(axis=1))
        places.append(own[feature.holds.nonzero()[1]])  # bin after bin
    starts = np.cumsum(np.concatenate([[0], *sizes]))
    return starts.astype(np.int32), np.concatenate(places).astype(np.int32)
