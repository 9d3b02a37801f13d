"""Which features matter: the records decided by rules that test them, and the cost of shuffling their values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unless.prediction import deciding_rules
from unless.report.facts import Facts
from unless.report.sentences import Speaker, Text
from unless.table import Table

_REPEATS = 5
_RECORDS = 50_000
_WORK = 500_000_000
"""The most records whose values are shuffled, and the most literals tested for it: this takes about a second."""


@dataclass(frozen=True, slots=True)
class FeatureView:
    """A feature: how many rules test it, the share of records that they decide, and the cost of shuffling its values.

    ``cost`` is the loss of accuracy or, without truth, the share of decisions that change: the mean of all repeats.
    """

    name: Text
    kind: str
    rules: int
    share: float
    cost: float


@dataclass(frozen=True, slots=True)
class Shuffling:
    """How values were shuffled: the number of records and of repeats; the accuracy before, None without truth."""

    records: int
    repeats: int
    accuracy: float | None


def feature_views(facts: Facts, speaker: Speaker, seed: int) -> tuple[tuple[FeatureView, ...], Shuffling]:
    """The features that rules test; those that matter most come first."""
    rows = _shuffled_rows(facts, seed)
    heads, table = facts.heads[facts.deciding[rows]], facts.table[rows]
    truth = None if facts.truth is None else facts.truth[rows]
    views = []
    for place, found in enumerate(_shuffled(facts, table, seed)):
        costs = _costs(facts.heads[found].reshape(_REPEATS, -1), heads, truth)
        views.append(_view(facts, speaker, facts.used[place], costs))
    views.sort(key=lambda view: (-view.cost, -view.share))
    before = None if truth is None else float(np.mean(heads == truth))
    return tuple(views), Shuffling(len(table), _REPEATS, before)


def sampled(total: int, most: int, seed: int) -> NDArray[np.intp]:
    """The places of all records or, if there are more than ``most``, of that many drawn at random, in order."""
    if total <= most:
        return np.arange(total)
    drawn = np.random.default_rng(seed).choice(total, most, replace=False)
    return np.sort(drawn)


def _view(facts: Facts, speaker: Speaker, feature: str, costs: NDArray[np.float64]) -> FeatureView:
    rules = facts.program.rules
    testing = [k for k, rule in enumerate(rules) if any(literal.feature == feature for literal in rule.literals())]
    share = float(facts.decided[testing].sum() / len(facts.table))
    kind = facts.table.column(feature).kind
    return FeatureView(speaker.feature(feature), kind, len(testing), share, float(costs.mean()))


def _shuffled_rows(facts: Facts, seed: int) -> NDArray[np.intp]:
    literals = sum(sum(1 for _ in rule.literals()) for rule in facts.program.rules)
    work = max(literals, 1) * max(len(facts.used), 1) * _REPEATS
    return sampled(len(facts.table), min(max(_WORK // work, 1000), _RECORDS), seed)


def _shuffled(facts: Facts, table: Table, seed: int) -> Iterator[NDArray[np.int32]]:
    """For each feature, the deciding rules when its values are shuffled, one repeat after another.

    The repeats are one table, since a program of 1,000 rules takes 50 ms to assemble for a table of any size.
    """
    columns = [table.column(name) for name in facts.used]
    repeated = [replace(column, codes=np.tile(column.codes, _REPEATS)) for column in columns]
    for place, column in enumerate(columns):
        rng = np.random.default_rng([seed, place])
        codes = np.concatenate([rng.permutation(column.codes) for _ in range(_REPEATS)])
        changed = (*repeated[:place], replace(column, codes=codes), *repeated[place + 1 :])
        yield deciding_rules(facts.program, Table(changed))


def _costs(found: NDArray[np.int64], before: NDArray[np.int64], truth: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """The loss of accuracy in each repeat or, without truth, the share of decisions that changed."""
    if truth is None:
        return np.mean(found != before, axis=1)  # type: ignore[no-any-return]
    return np.mean(before == truth) - np.mean(found == truth, axis=1)  # type: ignore[no-any-return]
