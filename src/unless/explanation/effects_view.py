"""Describe effects for HTML: bars for importances and curves, and shaded tables for pairs of features."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unless.explanation.importances import SMALL
from unless.values import amount_text

if TYPE_CHECKING:
    from unless.explanation.effects import Curve, Effects
    from unless.explanation.pair_effects import PairEffect

_PAIRS = 5
"""How many pairs are listed."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A named number: its text, its share of the largest one from -1 to 1, and the records that it rests on."""

    name: str
    text: str
    share: float
    records: str = ""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A joint effect: the names of two features, the heads of the columns, and rows of cells.

    A cell is a bar; without ``records`` no background record has both values.
    """

    features: tuple[str, str]
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Bar, ...]], ...]


@dataclass(frozen=True, slots=True)
class ColumnView:
    """The curves and heat maps of one column of log-odds."""

    title: str
    curves: tuple[tuple[str, tuple[Bar, ...]], ...]
    pairs: tuple[HeatMap, ...]


@dataclass(frozen=True, slots=True)
class EffectsView:
    """What is shown of effects: importances of features and pairs, a view for each column, and findings."""

    background: int
    explained: int
    features: tuple[Bar, ...]
    pairs: tuple[Bar, ...]
    columns: tuple[ColumnView, ...]
    findings: tuple[str, ...]


def effects_view(found: Effects, ranges: int) -> EffectsView:
    """Describe effects, with at most this number of ranges of each curve."""
    means, words = found.importances, found.words
    features = [(words.name(name), mean) for name, mean in means.features.items()]
    pairs = [(" and ".join(map(words.name, pair)), mean) for pair, mean in means.pairs.items()]
    most = max((mean for _, mean in features), default=0.0) or 1.0
    curves = [curve.merged(ranges) for curve in found.curves]
    return EffectsView(
        found.background,
        means.records,
        tuple(_mean_bars(features, most)),
        tuple(_mean_bars(pairs[:_PAIRS], most)),
        tuple(_column_view(found, curves, place) for place in range(len(found.columns))),
        tuple(map(str, found.findings)),
    )


def _mean_bars(named: Iterable[tuple[str, float]], most: float) -> Iterator[Bar]:
    for name, mean in named:
        if mean >= SMALL:
            yield Bar(name, f"{mean:.2f}", min(mean / most, 1.0))


def _column_view(found: Effects, curves: list[Curve], place: int) -> ColumnView:
    words = found.words
    most = max((abs(group.effect[place]) for curve in curves for group in curve.groups), default=0.0) or 1.0
    views = []
    for curve in curves:
        texts = [group.text(curve.feature, words) for group in curve.groups]
        pairs = zip(texts, curve.groups, strict=True)
        bars = (_bar(text, float(group.effect[place]), most, group.records) for text, group in pairs)
        views.append((words.name(curve.feature), tuple(bars)))
    return ColumnView(
        found.title(place), tuple(views), tuple(_heat_map(found, pair, place) for pair in found.strongest_pairs)
    )


def _heat_map(found: Effects, pair: PairEffect, place: int) -> HeatMap:
    first, second = pair.features
    effect, words = pair.effect[..., place], found.words
    most = float(abs(effect).max(initial=0)) or 1.0
    rows = []
    for group, own, counts in zip(pair.groups[0], effect.tolist(), pair.records.tolist(), strict=True):
        cells = tuple(_bar("", one, most, count) for one, count in zip(own, counts, strict=True))
        rows.append((group.short_text(first, words), cells))
    heads = tuple(group.short_text(second, words) for group in pair.groups[1])
    return HeatMap((words.name(first), words.name(second)), heads, tuple(rows))


def _bar(name: str, effect: float, most: float, records: int) -> Bar:
    return Bar(name, f"{effect:+.2f}", effect / most, amount_text(records) if records else "")
