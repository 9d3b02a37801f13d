"""Compute feature importance: the accuracy lost when each record gets the feature's value of another record.

This is permutation importance on the training records, without randomness. The records are put into an order that
depends only on their cells, and each record gets the value of the record a fixed distance further on, for several
distances, or for all distances if there are few records. On new records the features rank nearly the same
(docs/estimators.md).
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from unless.model.lazy_value import LazyValue
from unless.model.prediction import Decider, head_indices, make_chooser, tested_features
from unless.table import Table

_RECORDS = 4096
"""The maximum number of records used."""

_KEPT = 1 << 16
"""Larger tables are sampled at once; smaller tables only when the importances are used, since sampling takes time."""

_DECISIONS = 20_000
"""The number of decisions made for each feature; enough for all pairs of 140 records."""

_DISTANCES = 5
"""The smallest number of distances; if there are many records, fewer records are used instead."""

_WORK = 500_000_000
"""The largest number of literals to test, about a second; only thousands of rules reach it."""


def lazy_importances(
    decider: Decider, table: Table, counts: NDArray[np.float64] | None
) -> LazyValue[NDArray[np.float64]]:
    """Compute each feature's importance on first use; until then only the necessary records are stored.

    ``counts`` contains how often each record counts.
    """
    tested = tested_features(decider, table)
    if len(tested) > _KEPT:
        tested, counts = tested[_draw_rows(tested, counts, _RECORDS)], None
    return LazyValue(partial(permutation_importances, decider, tested, counts))


def permutation_importances(decider: Decider, table: Table, counts: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return each feature's share of the accuracy that is lost by permuting it; all shares are 0 if none is lost."""
    literals = sum(1 for rule in decider.all_rules.rules for _ in rule.literals())
    decisions = min(_DECISIONS, max(_WORK // max(literals * len(decider.used), 1), _DECISIONS // 8))  # of each feature
    drawn = table[_draw_rows(table, counts, min(_RECORDS, decisions // _DISTANCES))]
    lost = dict(zip(drawn.features, _accuracy_losses(decider, drawn, decisions), strict=True))
    shares = np.array([lost.get(feature, 0.0) for feature in decider.features])
    return shares / (shares.sum() or 1.0)


def _draw_rows(table: Table, counts: NDArray[np.float64] | None, most: int) -> NDArray[np.intp]:
    """Draw up to ``most`` rows, evenly and as often as they count, in an order that depends only on their cells."""
    order = _order_rows(table)
    if counts is None and len(table) <= most:
        return order
    ends = np.arange(1.0, len(table) + 1) if counts is None else np.cumsum(counts[order])
    total = float(ends[-1])
    drawn = int(total) if total <= most and total == int(total) else most
    places = np.searchsorted(ends, (np.arange(drawn) + 0.5) * (total / drawn), side="right")
    return order[np.minimum(places, len(order) - 1)]


def _order_rows(table: Table) -> NDArray[np.intp]:
    """Order rows by a hash of their cells; the order in the table matters only among equal rows."""
    hashes = np.zeros(len(table), np.uint64)
    for codes in (table.labels.codes, *(column.codes for column in table.columns)):
        hashes += codes
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
    # Sorting integers that combine hash and row takes a sixth of the time of an argsort.
    room = np.uint64(len(table).bit_length())
    hashes = (hashes >> room << room) | np.arange(len(table), dtype=np.uint64)
    hashes.sort()
    return (hashes & ((np.uint64(1) << room) - np.uint64(1))).astype(np.intp)


def _accuracy_losses(decider: Decider, table: Table, decisions: int) -> list[float]:
    """Return, for each column, the accuracy lost when its values come from other records; 0 if accuracy increases."""
    choose, heads = make_chooser(decider, table.columns), head_indices(decider, table.labels.labels)
    others = _partner_rows(len(table), decisions)
    codes = [np.tile(column.codes, len(others)) for column in table.columns]
    right = _accuracy(table, heads[choose([column.codes for column in table.columns], len(table))])
    lost = []
    for place, column in enumerate(table.columns):
        changed = [*codes[:place], column.codes[others].reshape(-1), *codes[place + 1 :]]
        lost.append(max(right - _accuracy(table, heads[choose(changed, others.size)]), 0.0) if others.size else 0.0)
    return lost


def _partner_rows(rows: int, decisions: int) -> NDArray[np.intp]:
    """Return the index of the other record, for each distance and each record."""
    most = min(rows - 1, max(decisions // max(rows, 1), _DISTANCES))
    distances = 1 + np.arange(most) * (rows - 1) // max(most, 1)
    return (np.arange(rows) + distances[:, np.newaxis]) % rows


def _accuracy(table: Table, decided: NDArray[np.intp]) -> float:
    """Return the share of correct decisions; the table may be repeated several times."""
    return float(np.mean(decided.reshape(-1, len(table)) == table.labels.codes))
