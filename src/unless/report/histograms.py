"""Compute small histograms of numbers by label, on which the page draws the thresholds of rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from unless.report.facts import DecisionFacts
from unless.table import Column
from unless.values import number_to_json

_BINS = 24

_LABELS = 6
"""The maximum number of labels that a bar shows separately: the most frequent labels."""


def label_histograms(facts: DecisionFacts) -> dict[str, Any]:
    """Return the range and the counts of each label in bins of equal width for each feature that rules test.

    ``labels`` are the indices of the labels that are counted separately; all other labels are counted together, last.
    Without true labels, the decided labels are counted. A feature without two different finite numbers has no
    histogram.
    """
    labels = facts.given if facts.truth is None else facts.truth
    order = np.argsort(-facts.frequency, kind="stable")
    shown = np.sort(order[:_LABELS] if len(order) > _LABELS + 1 else order)
    group = np.full(len(facts.labels) + 1, len(shown))  # the last index is for records without a label
    group[shown] = np.arange(len(shown))
    pictures = [_feature_histogram(facts.column(name), group[labels], len(shown) + 1) for name in facts.used]
    return {"labels": shown.tolist(), "features": pictures}


def _feature_histogram(column: Column, groups: np.ndarray[Any, Any], size: int) -> dict[str, Any] | None:
    finite = column.numbers[np.isfinite(column.numbers)]
    if len(finite) < 2 or not np.isfinite(finite[-1] - finite[0]):
        return None
    low, high = float(finite[0]), float(finite[-1])
    whole = bool(np.all(finite == np.floor(finite))) and high - low < _BINS
    bins = int(high - low) + 1 if whole else _BINS
    ends = (low - 0.5, high + 0.5) if whole else (low, high)
    padded = np.append(column.numbers, [np.nan] * (column.missing + 1 - len(column.numbers)))
    values = padded[column.codes]
    kept = np.isfinite(values)
    places = np.minimum(((values[kept] - ends[0]) / (ends[1] - ends[0]) * bins).astype(int), bins - 1)
    counts = np.zeros((bins, size), dtype=np.int64)
    np.add.at(counts, (places, groups[kept]), 1)
    return {"low": number_to_json(ends[0]), "high": number_to_json(ends[1]), "counts": counts.tolist()}
