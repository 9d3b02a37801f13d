"""Which features matter: the accuracy that a program loses when each record gets the feature's value from another one.

This is permutation importance on the training records, without randomness. The records are put into an order that
depends only on their cells, and each gets the value of the record a fixed distance further on, for several distances;
if there are few records, for all distances. On new records the features rank nearly the same (docs/estimators.md).
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from unless.model.lazy_value import LazyValue
from unless.model.prediction import Decider, head_indices, make_chooser, tested_features
from unless.table import Table

_RECORDS = 4096
"""How many records are used."""

_KEPT = 1 << 16
"""How many rows are kept as they are until somebody asks: drawing records takes a tenth of the time of learning."""

_DECISIONS = 20_000
"""How many decisions each feature gets; enough for all pairs of 140 records."""

_DISTANCES = 5
"""The smallest number of distances; if there are many records, fewer records are used instead."""

_WORK = 500_000_000
"""The largest number of literals to test, about a second; only thousands of rules reach it."""


def later_importances(
    decider: Decider, table: Table, counts: NDArray[np.float64] | None
) -> LazyValue[NDArray[np.float64]]:
    """Each feature's importance, found when somebody asks; until then no more records are held than it takes.

    ``counts`` says how often each record counts.
    """
    tested = tested_features(decider, table)
    if len(tested) > _KEPT:
        tested, counts = tested[_drawn(tested, counts, _RECORDS)], None
    return LazyValue(partial(importances, decider, tested, counts))


def importances(decider: Decider, table: Table, counts: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Each feature's share of the accuracy that is lost on labelled records; all shares are 0 if none is lost."""
    decisions = _decisions(decider)
    drawn = table[_drawn(table, counts, min(_RECORDS, decisions // _DISTANCES))]
    lost = dict(zip(drawn.features, _lost(decider, drawn, decisions), strict=True))
    shares = np.array([lost.get(feature, 0.0) for feature in decider.features])
    return shares / (shares.sum() or 1.0)


def _decisions(decider: Decider) -> int:
    """How many decisions each feature gets."""
    literals = sum(1 for rule in decider.all_rules.rules for _ in rule.literals())
    return min(_DECISIONS, max(_WORK // max(literals * len(decider.used), 1), _DECISIONS // 8))


def _drawn(table: Table, counts: NDArray[np.float64] | None, most: int) -> NDArray[np.intp]:
    """Rows as often as they count, evenly thinned out to ``most``, in an order that depends only on their cells."""
    order = _order(table)
    if counts is None and len(table) <= most:
        return order
    ends = np.arange(1.0, len(table) + 1) if counts is None else np.cumsum(counts[order])
    total = float(ends[-1])
    drawn = int(total) if total <= most and total == int(total) else most
    places = np.searchsorted(ends, (np.arange(drawn) + 0.5) * (total / drawn), side="right")
    return order[np.minimum(places, len(order) - 1)]


def _order(table: Table) -> NDArray[np.intp]:
    """All rows, ordered by a hash of their cells; the order in the table matters only among equal rows."""
    hashes = np.zeros(len(table), np.uint64)
    for codes in (table.labels.codes, *(column.codes for column in table.columns)):
        hashes += codes
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
    # Sorting words made of hash and row takes a sixth of the time of an argsort.
    room = np.uint64(len(table).bit_length())
    hashes = (hashes >> room << room) | np.arange(len(table), dtype=np.uint64)
    hashes.sort()
    return (hashes & ((np.uint64(1) << room) - np.uint64(1))).astype(np.intp)


def _lost(decider: Decider, table: Table, decisions: int) -> list[float]:
    """The accuracy that is lost when a column's values come from other records, for each column; 0 if it grows."""
    choose, heads = make_chooser(decider, table.columns), head_indices(decider, table.labels.labels)
    others = _others(len(table), decisions)
    codes = [np.tile(column.codes, len(others)) for column in table.columns]
    right = _right(table, heads[choose([column.codes for column in table.columns], len(table))])
    lost = []
    for place, column in enumerate(table.columns):
        changed = [*codes[:place], column.codes[others].reshape(-1), *codes[place + 1 :]]
        lost.append(max(right - _right(table, heads[choose(changed, others.size)]), 0.0) if others.size else 0.0)
    return lost


def _others(rows: int, decisions: int) -> NDArray[np.intp]:
    """The place of the other record, for each distance and each record."""
    most = min(rows - 1, max(decisions // max(rows, 1), _DISTANCES))
    distances = 1 + np.arange(most) * (rows - 1) // max(most, 1)
    return (np.arange(rows) + distances[:, np.newaxis]) % rows


def _right(table: Table, decided: NDArray[np.intp]) -> float:
    """The share of correct decisions; the records may be repeated, all of them each time."""
    return float(np.mean(decided.reshape(-1, len(table)) == table.labels.codes))
