"""Compute effects: for each feature, exactly how the log-odds change with its value, over background records."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import UnknownNameError, suggest
from unless.explanation.contributions import background_records, score_of
from unless.explanation.sentences import words_for
from unless.explanation.words import DEFAULT, Words
from unless.model import Model
from unless.rule import Literal
from unless.score.contributions import ContributionCounter, CurveStep
from unless.table import Column, Table
from unless.table.to_frames import data_frame
from unless.values import Label, Value, count_text, label_to_json, number_to_json, value_to_json

Floats = NDArray[np.float64]

_BAR = 12
"""The longest bar on each side of the middle, in characters."""

_RANGES = 8
"""How many number ranges a curve has as text; `Effects.frame` and `Effects.to_dict` contain all ranges."""

_NAMED = 3
"""How many categories a line names."""


def effects(model: Model, background: Table, words: Words = DEFAULT) -> Effects:
    """Compute the curve of each feature: the mean log-odds if all background records had the same value of it.

    The background is read like the training records; at most 1,000 of its records are used. Curves come from the rules
    themselves: each group of values that the rules distinguish has a line, and no values are sampled.
    """
    records = background_records(model, background)
    counter = ContributionCounter(score_of(model), records)
    notations = model.decider.all_rules.notations
    curves = []
    for name in counter.features:
        column = records.column(name).in_notation(notations.get(name))
        steps = [_value_group(column, step, counter.expected) for step in counter.curve(name)]
        curves.append(Curve(name, tuple(step for step in steps if step.records or step.is_range)))
    spoken = words_for(model.decider.all_rules, tables=[records], words=words)
    found = sorted(curves, key=lambda curve: (-curve.spread, curve.feature))
    labels = model.statistics.classes
    return Effects(model.decider.target, labels, tuple(found), counter.expected, len(records), spoken)


@dataclass(frozen=True, eq=False)
class ValueGroup:
    """Values of a feature that the rules treat alike, and how much they add to the mean log-odds per column.

    A range contains the numbers above ``above`` and at most ``at_most``; other values are listed, with None for a
    missing cell.
    """

    values: tuple[Value, ...]
    above: float | None
    at_most: float | None
    effect: Floats
    records: int

    @property
    def is_range(self) -> bool:
        """Whether the group is a range of numbers between two bounds."""
        return self.above is not None

    def text(self, feature: str, words: Words) -> str:
        """Describe the values of the group."""
        if self.above is None or self.at_most is None:
            named = [words.value(feature, value) for value in self.values[:_NAMED]]
            more = len(self.values) - _NAMED
            return ", ".join(named) + (f" and {count_text(more, 'other')}" if more > 0 else "")
        if self.above == -inf and self.at_most == inf:
            return "any number"
        if self.above == -inf:
            return f"at most {words.value(feature, self.at_most)}"
        if self.at_most == inf:
            return f"above {words.value(feature, self.above)}"
        return f"above {words.value(feature, self.above)}, at most {words.value(feature, self.at_most)}"


def _value_group(column: Column, step: CurveStep, expected: Floats) -> ValueGroup:
    effect = step.score - expected
    if step.codes[0] >= len(column.numbers):
        return ValueGroup(tuple(map(column.value, step.codes)), None, None, effect, step.records)
    values = tuple(map(column.value, (code for code in step.codes if code >= len(column.numbers))))
    above, at_most = (column.number(end) if abs(end) < inf else end for end in _bounds(step.holds, step.fails))
    return ValueGroup(values, above, at_most, effect, step.records)


def _bounds(holds: tuple[Literal, ...], fails: tuple[Literal, ...]) -> tuple[float, float]:
    """Return the lower and upper bound of the numbers for which some literals hold and others fail."""
    lows = [one.value for one in holds if one.op == ">"] + [one.value for one in fails if one.op == "<="]
    highs = [one.value for one in holds if one.op == "<="] + [one.value for one in fails if one.op == ">"]
    low = [float(one) for one in lows if isinstance(one, float)]
    high = [float(one) for one in highs if isinstance(one, float)]
    return max(low, default=-inf), min(high, default=inf)


@dataclass(frozen=True, eq=False)
class Curve:
    """The effect of one feature for each group of its values."""

    feature: str
    groups: tuple[ValueGroup, ...]

    def merged(self, most: int) -> Curve:
        """Return the curve with at most ``most`` ranges, merging the neighbours that differ least."""
        groups = list(self.groups)
        while sum(group.is_range for group in groups) > most:
            pairs = [(k, k + 1) for k in range(len(groups) - 1) if groups[k].is_range and groups[k + 1].is_range]
            one, two = min(pairs, key=lambda pair: _distance(groups[pair[0]], groups[pair[1]]))
            groups[one : two + 1] = [_merge(groups[one], groups[two])]
        return Curve(self.feature, tuple(groups))

    @property
    def spread(self) -> float:
        """The mean distance of the effect from its mean, over the background records and the columns."""
        counts = np.array([group.records for group in self.groups], dtype=np.float64)
        if not counts.sum():
            return 0.0
        found = np.array([group.effect for group in self.groups])
        mean = np.average(found, axis=0, weights=counts)
        return float(np.average(np.abs(found - mean).mean(axis=1), weights=counts))


def _distance(one: ValueGroup, two: ValueGroup) -> float:
    """Return the cost of merging two groups: their difference, weighted by the records that would move."""
    return float(np.abs(one.effect - two.effect).sum()) * min(one.records, two.records)


def _merge(one: ValueGroup, two: ValueGroup) -> ValueGroup:
    """Merge two adjacent ranges of numbers into one with the mean of their effects."""
    weights = (one.records, two.records) if one.records + two.records else (1, 1)
    effect = np.average([one.effect, two.effect], axis=0, weights=weights)
    return ValueGroup((*one.values, *two.values), one.above, two.at_most, effect, one.records + two.records)


@dataclass(frozen=True, eq=False, repr=False)
class Effects:
    """The curves of all features that rules test, largest spread first.

    With two labels there is one column: the log-odds of the second label against the first. More labels have one each.
    """

    target: str
    labels: tuple[Label, ...]
    curves: tuple[Curve, ...]
    expected: Floats
    background: int
    words: Words = DEFAULT

    @property
    def columns(self) -> tuple[Label, ...]:
        """The label of each column."""
        return self.labels[1:] if len(self.labels) == 2 else self.labels

    def only(self, features: Collection[str]) -> Effects:
        """Return the curves of the named features; all curves if none are named."""
        known = [curve.feature for curve in self.curves]
        if unknown := [name for name in features if name not in known]:
            raise UnknownNameError(f"no rule tests {unknown[0]!r}{suggest(unknown[0], known)}")
        chosen = tuple(curve for curve in self.curves if not features or curve.feature in features)
        return replace(self, curves=chosen)

    def __getitem__(self, feature: str) -> Curve:
        """The curve of a feature."""
        return next(curve for curve in self.curves if curve.feature == feature)

    def lines(self, column: int = 0) -> Iterator[str]:
        """Yield the curves in one column as text: values, records, effect and a bar."""
        most = max((abs(group.effect[column]) for curve in self.curves for group in curve.groups), default=0.0) or 1.0
        for curve in (curve.merged(_RANGES) for curve in self.curves):
            yield self.words.name(curve.feature)
            texts = [group.text(curve.feature, self.words) for group in curve.groups]
            width = max(map(len, texts), default=0)
            for text, group in zip(texts, curve.groups, strict=True):
                effect = group.effect[column]
                yield f"  {text:<{width}}  {group.records:>5,}  {_bar(effect / most)}  {effect:+.2f}"

    def to_dict(self) -> dict[str, Any]:
        """Convert everything to lists, dicts and values that JSON supports."""
        return {
            "target": self.target,
            "columns": [label_to_json(label) for label in self.columns],
            "background": self.background,
            "expected": self.expected.tolist(),
            "features": [
                {
                    "feature": curve.feature,
                    "spread": curve.spread,
                    "groups": [
                        {
                            "values": [value_to_json(value) for value in group.values],
                            "above": None if group.above is None else number_to_json(group.above),
                            "at_most": None if group.at_most is None else number_to_json(group.at_most),
                            "records": group.records,
                            "effect": group.effect.tolist(),
                        }
                        for group in curve.groups
                    ],
                }
                for curve in self.curves
            ],
        }

    def frame(self) -> Any:
        """Return a data frame (pandas if installed) with a row for each pair of a value group and a column."""
        groups = [(curve, group) for curve in self.curves for group in curve.groups]
        rows = [(curve, group, place) for curve, group in groups for place in range(len(self.columns))]
        return data_frame(
            {
                "feature": [curve.feature for curve, _, _ in rows],
                "values": [group.text(curve.feature, self.words) for curve, group, _ in rows],
                "records": [group.records for _, group, _ in rows],
                "label": [self.columns[place] for _, _, place in rows],
                "effect": [float(group.effect[place]) for _, group, place in rows],
            }
        )

    def __str__(self) -> str:
        parts = []
        for place, label in enumerate(self.columns):
            against = f" against {self.labels[0]}" if len(self.columns) == 1 else ""
            compared = f"compared with the mean of {count_text(self.background, 'record')}"
            parts.append(f"log-odds of {label}{against}, {compared}")
            parts += self.lines(place)
        return "\n".join(parts)

    __repr__ = __str__


def _bar(share: float) -> str:
    """Draw a bar to the left or to the right of the middle."""
    size = round(abs(share) * _BAR)
    return f"{'█' * size if share < 0 else '':>{_BAR}}│{'█' * size if share > 0 else '':<{_BAR}}"
