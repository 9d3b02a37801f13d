"""Measure how much features and pairs of features matter: mean absolute contributions and interactions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unless.explanation.text_table import align_columns
from unless.explanation.words import Words
from unless.model import Model
from unless.score.contributions import ContributionCounter
from unless.table import Table
from unless.table.record_hashes import record_hashes
from unless.values import count_text

SMALL = 0.005
"""Means below this are shown as 0.00 and left out."""

_EXPLAINED, _AT_ONCE = 200, 10
"""The maximum number of records whose contributions are averaged, and how many are computed at once."""

_STEPS = 150_000_000
"""No more records are explained once this number of nodes of graphs has been visited."""

_BAR = 20
"""The longest bar, in characters."""

_SHOWN = 5
"""How many pairs are listed."""


@dataclass(frozen=True, slots=True)
class Importances:
    """The mean absolute contribution of each feature, and the mean absolute interaction of each pair, largest first.

    Contributions are Shapley values of the log-odds, interactions are Shapley interaction indices (Grabisch and
    Roubens, 1999): a contribution is the main effect of the feature plus half of its interactions. Means are over
    ``records`` records of the background and over the columns of log-odds.
    """

    features: Mapping[str, float]
    pairs: Mapping[tuple[str, str], float]
    records: int

    def lines(self, words: Words) -> Iterator[str]:
        """Yield the features and the pairs that matter as text with bars."""
        yield f"importance: mean absolute contribution, over {count_text(self.records, 'record')}"
        features = [(words.name(name), mean) for name, mean in self.features.items() if mean >= SMALL]
        pairs = [(" and ".join(map(words.name, pair)), mean) for pair, mean in self.pairs.items() if mean >= SMALL]
        yield from _bars(features)
        if pairs:
            yield "interaction: mean absolute effect that two features have only together"
            yield from _bars(pairs[:_SHOWN], max(self.features.values()))

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to values that JSON supports."""
        pairs = [{"features": list(pair), "mean": mean} for pair, mean in self.pairs.items()]
        return {"records": self.records, "features": dict(self.features), "pairs": pairs}


def _bars(rows: list[tuple[str, float]], most: float | None = None) -> Iterator[str]:
    largest = most or max((mean for _, mean in rows), default=1.0)
    cells = [(name, f"{mean:.2f}", "█" * max(round(_BAR * mean / largest), 1)) for name, mean in rows]
    for line in align_columns(cells, right=(1,)) if cells else ():
        yield f"  {line}"


def measure_importances(counter: ContributionCounter, model: Model, background: Table) -> Importances:
    """Average the contributions and interactions of at most 200 background records: the ones with the lowest hashes.

    Fewer are used where long lists make them expensive; the work is counted, so that the result is always the same.
    """
    hashes = record_hashes([background.column(name) for name in model.used], len(background))
    rows = np.argsort(hashes, kind="stable")[:_EXPLAINED]
    single, double, done = np.zeros(len(counter.features)), np.zeros(len(counter.pairs)), 0
    start = counter.steps
    while done < len(rows) and counter.steps - start < _STEPS:
        values, interactions = counter.interactions(background[rows[done : done + _AT_ONCE]])
        single += np.abs(values).mean(axis=2).sum(axis=0)
        double += np.abs(interactions).mean(axis=2).sum(axis=0)
        done += len(values)
    features, pairs = single / done, double / done
    return Importances(
        {counter.features[k]: float(features[k]) for k in np.argsort(-features, kind="stable")},
        {counter.pairs[k]: float(pairs[k]) for k in np.argsort(-pairs, kind="stable")},
        done,
    )
