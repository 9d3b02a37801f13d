"""Compute the joint effect of two features: the mean log-odds for each combination of their values, as a heat map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.explanation.text_table import align_columns
from unless.explanation.value_groups import ValueGroup, value_groups
from unless.explanation.words import Words
from unless.score.contributions import ContributionCounter
from unless.table import Column

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairEffect:
    """The joint effect of two features for each combination of their groups of values.

    ``effect`` has an axis for the groups of each feature, and one for the columns of log-odds: the change of the mean
    log-odds of the background if all its records had such values. ``records`` is the number of background records
    that have them; where it is 0, the effect says what the rules would do, and no record confirms it.
    """

    features: tuple[str, str]
    groups: tuple[tuple[ValueGroup, ...], tuple[ValueGroup, ...]]
    effect: Floats
    records: NDArray[np.intp]

    def merged(self, rows: int, columns: int) -> PairEffect:
        """Return at most this number of groups of each feature, merging the neighbours that differ least."""
        first, effect, records = _merge_rows(self.groups[0], self.effect, self.records, rows)
        second, effect, records = _merge_rows(self.groups[1], effect.swapaxes(0, 1), records.T, columns)
        return PairEffect(self.features, (first, second), effect.swapaxes(0, 1), records.T)

    def lines(self, column: int, words: Words) -> Iterator[str]:
        """Yield the effects in one column as a table; brackets mark values that no background record combines."""
        first, second = self.features
        head = [words.name(first), *(f"{group.short_text(second, words)} " for group in self.groups[1])]
        rows = [
            [group.short_text(first, words), *map(_cell_text, effect[:, column].tolist(), records.tolist())]
            for group, effect, records in zip(self.groups[0], self.effect, self.records, strict=True)
        ]
        yield f"{words.name(first)} and {words.name(second)}"
        for line in align_columns([head, *rows], right=range(1, len(head))):
            yield f"  {line}"

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        return {
            "features": list(self.features),
            "groups": [[group.to_dict() for group in groups] for groups in self.groups],
            "effect": self.effect.tolist(),
            "records": self.records.tolist(),
        }


def pair_effect(counter: ContributionCounter, columns: tuple[Column, Column]) -> PairEffect:
    """Compute the joint effect of two columns of the background; values that no record has are left out."""
    steps, scores, counts = counter.joint([column.name for column in columns])
    effect, groups = scores - counter.expected, []
    for axis, (column, own) in enumerate(zip(columns, steps, strict=True)):
        found = value_groups(column, own)
        seen = counts.sum(axis=1 - axis)
        kept = [place for place, group in enumerate(found) if seen[place] or group.is_range]
        groups.append(tuple(found[place] for place in kept))
        effect, counts = effect.take(kept, axis=axis), counts.take(kept, axis=axis)
    return PairEffect((columns[0].name, columns[1].name), (groups[0], groups[1]), effect, counts)


def _merge_rows(
    groups: Sequence[ValueGroup], effect: Floats, records: NDArray[np.intp], most: int
) -> tuple[tuple[ValueGroup, ...], Floats, NDArray[np.intp]]:
    """Merge groups, the first axis of the arrays, until there are at most ``most``; effects are means over records."""
    found, effect, records = list(groups), effect.copy(), records.copy()
    while len(found) > most and (pairs := list(_mergeable(found))):
        one, two = min(pairs, key=lambda pair: _distance(effect, records, *pair))
        own = records[[one, two]]
        weights = np.where(own.sum(axis=0), own, 1)[..., np.newaxis]
        effect[one] = (effect[[one, two]] * weights).sum(axis=0) / weights.sum(axis=0)
        records[one] = own.sum(axis=0)
        effect, records = np.delete(effect, two, axis=0), np.delete(records, two, axis=0)
        found[one] = found[one].joined(found.pop(two))
    return tuple(found), effect, records


def _mergeable(groups: Sequence[ValueGroup]) -> Iterator[tuple[int, int]]:
    """Yield the indices of groups that may be merged: neighbouring ranges, or categories."""
    for one, two in combinations(range(len(groups)), 2):
        first, second = groups[one], groups[two]
        if first.is_range and second.is_range and two == one + 1:
            yield one, two
        if not (first.is_range or second.is_range or first.is_missing or second.is_missing):
            yield one, two


def _distance(effect: Floats, records: NDArray[np.intp], one: int, two: int) -> float:
    """Return the cost of merging two groups: their difference, weighted by the records that would move."""
    differences = np.abs(effect[one] - effect[two]).sum(axis=1)
    return float(differences @ np.minimum(records[one], records[two]) + 1e-6 * differences.sum())


def _cell_text(effect: float, records: int) -> str:
    return f"{effect:+.2f} " if records else f"({effect:+.2f})"
