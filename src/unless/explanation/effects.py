"""Compute effects: for each feature, exactly how the log-odds change with its value, over background records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import UnknownNameError, suggest
from unless.explanation import proof_rendering
from unless.explanation.contributions import background_records, score_of
from unless.explanation.curve_findings import CurveFinding, find_contradiction, find_turns, rank_sum_deviation
from unless.explanation.effects_view import effects_view
from unless.explanation.importances import SMALL, Importances, measure_importances
from unless.explanation.pair_effects import PairEffect, pair_effect
from unless.explanation.sentences import words_for
from unless.explanation.value_groups import ValueGroup, value_groups
from unless.explanation.words import DEFAULT, Words
from unless.model import Model
from unless.score.contributions import ContributionCounter
from unless.table import Column, Table
from unless.table.to_frames import data_frame
from unless.values import Label, count_text, label_to_json

Floats = NDArray[np.float64]

_BAR = 12
"""The longest bar on each side of the middle, in characters."""

_RANGES = 8
"""How many number ranges a curve has as text; `Effects.frame` and `Effects.to_dict` contain all ranges."""

_PAIRS, _ROWS, _COLUMNS = 3, 8, 5
"""How many heat maps are shown, and how many groups of values they have at most."""


def effects(model: Model, background: Table, words: Words = DEFAULT) -> Effects:
    """Compute the curve of each feature: the mean log-odds if all background records had the same value of it.

    The background is read like the training records; at most 1,000 of its records are used. Curves come from the rules
    themselves: each group of values that the rules distinguish has a line, and no values are sampled.
    """
    records = background_records(model, background)
    counter = ContributionCounter(score_of(model), records)
    notations = model.decider.all_rules.notations
    columns = {name: records.column(name).in_notation(notations.get(name)) for name in counter.features}
    curves = [_curve(column, counter) for column in columns.values()]
    spoken = words_for(model.decider.all_rules, tables=[records], words=words)
    found = sorted(curves, key=lambda curve: (-curve.spread, curve.feature))
    return Effects(
        model.decider.target,
        model.statistics.classes,
        tuple(found),
        counter.expected,
        len(records),
        spoken,
        lambda: measure_importances(counter, model, records),
        lambda one, two: pair_effect(counter, (columns[one], columns[two])),
        tuple(_rank_sums(model, background, columns)),
    )


def _rank_sums(model: Model, background: Table, features: Iterable[str]) -> Iterator[tuple[tuple[str, Label], float]]:
    """Yield how much larger than others the numbers of each feature are in labelled records with each label."""
    notations, labels = model.decider.all_rules.notations, background.target
    for name in () if labels is None else features:
        column = background.column(name).in_notation(notations.get(name))
        for label in model.statistics.classes:
            if label in background.labels.labels:
                yield (name, label), rank_sum_deviation(column, background.labels, label)


def _curve(column: Column, counter: ContributionCounter) -> Curve:
    """Compute the curve of a column; values that no record has are left out."""
    steps = counter.curve(column.name)
    pairs = zip(value_groups(column, steps), steps, strict=True)
    groups = (
        CurveGroup(one.values, one.above, one.at_most, step.score - counter.expected, step.records)
        for one, step in pairs
        if step.records or one.is_range
    )
    return Curve(column.name, tuple(groups))


@dataclass(frozen=True, slots=True, eq=False)
class CurveGroup(ValueGroup):
    """Values of a feature that the rules treat alike, how much they add to the mean log-odds per column, and how often.

    ``effect`` is the change of the mean log-odds of the background, and ``records`` the number of its records.
    """

    effect: Floats
    records: int


@dataclass(frozen=True, eq=False)
class Curve:
    """The effect of one feature for each group of its values."""

    feature: str
    groups: tuple[CurveGroup, ...]

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


def _distance(one: CurveGroup, two: CurveGroup) -> float:
    """Return the cost of merging two groups: their difference, weighted by the records that would move."""
    return float(np.abs(one.effect - two.effect).sum()) * min(one.records, two.records)


def _merge(one: CurveGroup, two: CurveGroup) -> CurveGroup:
    """Merge two adjacent ranges of numbers into one with the mean of their effects."""
    weights = (one.records, two.records) if one.records + two.records else (1, 1)
    effect = np.average([one.effect, two.effect], axis=0, weights=weights)
    return CurveGroup((*one.values, *two.values), one.above, two.at_most, effect, one.records + two.records)


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
    words: Words
    measure: Callable[[], Importances]
    join: Callable[[str, str], PairEffect]
    rank_sums: tuple[tuple[tuple[str, Label], float], ...] = ()
    """For labelled records, how many standard deviations the numbers of a feature are larger with a label."""
    chosen: bool = False
    """Whether only some of the curves are shown."""

    @cached_property
    def importances(self) -> Importances:
        """How much each feature and each pair of features matters on average."""
        return self.measure()

    def pair(self, first: str, second: str) -> PairEffect:
        """Compute the joint effect of two features."""
        for name in (first, second):
            self._check(name)
        return self.join(first, second)

    @cached_property
    def strongest_pairs(self) -> tuple[PairEffect, ...]:
        """The joint effects of the pairs of the shown features that interact most, with few groups of values."""
        shown = {curve.feature for curve in self.curves}
        pairs = [pair for pair, mean in self.importances.pairs.items() if shown.issuperset(pair) and mean >= SMALL]
        return tuple(self.pair(*pair).merged(_ROWS, _COLUMNS) for pair in pairs[:_PAIRS])

    @cached_property
    def findings(self) -> tuple[CurveFinding, ...]:
        """The curves that go against common sense: short turns on few records, and directions unlike the data's."""
        return tuple(self._find())

    def _find(self) -> Iterator[CurveFinding]:
        rank_sums = dict(self.rank_sums)
        for curve in self.curves:
            for place, label in enumerate(self.columns):
                yield from find_turns(curve, label, place, self.words)
                unlike = rank_sums.get((curve.feature, label), 0.0)
                if found := find_contradiction(curve, label, place, self.words, unlike):
                    yield found

    @property
    def columns(self) -> tuple[Label, ...]:
        """The label of each column."""
        return self.labels[1:] if len(self.labels) == 2 else self.labels

    def only(self, features: Collection[str]) -> Effects:
        """Return the curves of the named features; all curves if none are named."""
        for name in features:
            self._check(name)
        shown = tuple(curve for curve in self.curves if not features or curve.feature in features)
        return replace(self, curves=shown, chosen=self.chosen or bool(features))

    def _check(self, feature: str) -> None:
        known = [curve.feature for curve in self.curves]
        if feature not in known:
            raise UnknownNameError(f"no rule tests {feature!r}{suggest(feature, known)}")

    def __getitem__(self, feature: str) -> Curve:
        """The curve of a feature."""
        self._check(feature)
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
        for pair in () if len(self.curves) < 2 else self.strongest_pairs:
            yield from pair.lines(column, self.words)

    def title(self, column: int) -> str:
        """Describe the numbers in a column."""
        against = f" against {self.labels[0]}" if len(self.columns) == 1 else ""
        compared = f"compared with the mean of {count_text(self.background, 'record')}"
        return f"log-odds of {self.columns[column]}{against}, {compared}"

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
                        {**group.to_dict(), "records": group.records, "effect": group.effect.tolist()}
                        for group in curve.groups
                    ],
                }
                for curve in self.curves
            ],
            "importances": self.importances.to_dict(),
            "pairs": [pair.to_dict() for pair in self.strongest_pairs],
            "findings": [finding.to_dict() for finding in self.findings],
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

    def _repr_html_(self) -> str | None:
        if not proof_rendering.has_jinja2():
            return None
        return proof_rendering.render_template("effects.html.j2", view=effects_view(self, _RANGES), chosen=self.chosen)

    def __str__(self) -> str:
        parts = [] if self.chosen else [*self.importances.lines(self.words), ""]
        for place in range(len(self.columns)):
            parts += [self.title(place), *self.lines(place)]
        if self.findings:
            parts += ["", "look at these:", *(f"  {finding}" for finding in self.findings)]
        return "\n".join(parts)

    __repr__ = __str__


def _bar(share: float) -> str:
    """Draw a bar to the left or to the right of the middle."""
    size = round(abs(share) * _BAR)
    return f"{'█' * size if share < 0 else '':>{_BAR}}│{'█' * size if share > 0 else '':<{_BAR}}"
