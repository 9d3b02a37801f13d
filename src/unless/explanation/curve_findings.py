"""Find curves that go against common sense: short turns that rest on few records, and directions unlike the data's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless.constraints import Monotone
from unless.explanation.words import Words
from unless.table import Column, Labels
from unless.values import Label, count_text, label_to_json

if TYPE_CHECKING:
    from unless.explanation.effects import Curve, CurveGroup

Floats = NDArray[np.float64]

_HEIGHT = 0.25
"""Curves whose highest and lowest effects differ by less, in log-odds, are not looked at."""

_EXPLAINED = 0.9
"""A curve has a direction if the best curve that only rises, or only falls, explains this share of its variance."""

_TURN, _LEAST_TURN = 0.1, 0.1
"""A turn differs from that best curve by this share of the curve's height, and by this number of log-odds."""

_FEW = 0.1
"""A turn is named if at most this share of the records lies in it."""

_SURE = 4.0
"""The data has a direction if the rank-sum test of a feature against a label is this many standard deviations off."""


@dataclass(frozen=True, slots=True)
class CurveFinding:
    """A part of a curve, or a whole curve, that goes against common sense.

    ``constraint`` is the monotone constraint that excludes it, if common sense is right. ``records`` is the number of
    background records that it rests on.
    """

    feature: str
    label: Label
    text: str
    constraint: Monotone
    records: int

    def __str__(self) -> str:
        return f"{self.text}; if that cannot be right, learn with --monotone {str(self.constraint)!r}"

    def to_dict(self) -> dict[str, Any]:
        """Convert the finding to values that JSON supports."""
        return {
            "feature": self.feature,
            "label": label_to_json(self.label),
            "text": self.text,
            "monotone": str(self.constraint),
            "records": self.records,
        }


def find_turns(curve: Curve, label: Label, column: int, words: Words) -> Iterator[CurveFinding]:
    """Yield the ranges of a curve that rest on few records and go against the direction of the rest."""
    groups = [group for group in curve.groups if group.is_range and group.records]
    effects, weights = _column(groups, column)
    if (direction := _direction(effects, weights)) is None:
        return
    best = direction * _isotonic(direction * effects, weights)
    off = np.abs(effects - best) >= max(_TURN * np.ptp(effects), _LEAST_TURN)
    for turns, run in groupby(range(len(groups)), key=lambda place: off[place]):
        places = list(run)
        records = int(weights[places].sum())
        if not turns or records > _FEW * weights.sum():
            continue
        name, size = words.name(curve.feature), float(np.abs(effects - best)[places].max())
        where = groups[places[0]].joined(groups[places[-1]]).text(curve.feature, words)
        trend = "likelier" if direction > 0 else "less likely"
        of = f"{count_text(records, 'record')} of {int(weights.sum()):,}"
        text = (
            f"{label} becomes {trend} with more {name}, except {where}: there it differs by {size:.2f}, based on {of}"
        )
        yield CurveFinding(curve.feature, label, text, _constraint(curve.feature, direction, label), records)


def find_contradiction(curve: Curve, label: Label, column: int, words: Words, rank_sum: float) -> CurveFinding | None:
    """Find whether a curve rises where the label becomes rarer in the data with more of the feature, or the reverse."""
    groups = [group for group in curve.groups if group.is_range and group.records]
    effects, weights = _column(groups, column)
    direction = _direction(effects, weights)
    if direction is None or direction * rank_sum > -_SURE:
        return None
    trends = ("likelier", "rarer") if direction > 0 else ("less likely", "more frequent")
    name = words.name(curve.feature)
    text = f"the rules make {label} {trends[0]} with more {name}, but in the records it is {trends[1]} with more of it"
    text += " (other features may explain that)"
    return CurveFinding(curve.feature, label, text, _constraint(curve.feature, -direction, label), int(weights.sum()))


def rank_sum_deviation(column: Column, labels: Labels, label: Label) -> float:
    """Compute how many standard deviations the ranks of the numbers of a label are above those of the others."""
    known = column.codes < len(column.numbers)
    codes, has = column.codes[known], labels.codes[known] == labels.labels.index(label)
    if has.all() or not has.any():
        return 0.0
    sizes = np.bincount(codes)
    middles = np.cumsum(sizes) - (sizes - 1) / 2
    total, own = len(codes), int(has.sum())
    ties = float((sizes.astype(np.float64) ** 3 - sizes).sum()) / (total * (total - 1))
    variance = own * (total - own) / 12 * (total + 1 - ties)
    expected = own * (total + 1) / 2
    return float((middles[codes[has]].sum() - expected) / variance**0.5) if variance > 0 else 0.0


def _column(groups: Sequence[CurveGroup], column: int) -> tuple[Floats, Floats]:
    effects = np.array([group.effect[column] for group in groups], dtype=np.float64)
    return effects, np.array([group.records for group in groups], dtype=np.float64)


def _direction(effects: Floats, weights: Floats) -> int | None:
    """Return 1 if a curve mostly rises, -1 if it mostly falls, and None otherwise."""
    if len(effects) < 2 or np.ptp(effects) < _HEIGHT:
        return None
    losses = {sign: weights @ (effects - sign * _isotonic(sign * effects, weights)) ** 2 for sign in (1, -1)}
    variance = weights @ (effects - np.average(effects, weights=weights)) ** 2
    best = min((1, -1), key=losses.__getitem__)
    return best if losses[best] <= (1 - _EXPLAINED) * variance else None


def _isotonic(values: Floats, weights: Floats) -> Floats:
    """Return the closest values that never fall, by pooling adjacent violators."""
    blocks: list[tuple[float, float, int]] = []  # mean, weight, size
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        blocks.append((value, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (one, own, some), (two, other, more) = blocks[-2:]
            blocks[-2:] = [((one * own + two * other) / (own + other), own + other, some + more)]
    return np.repeat([mean for mean, _, _ in blocks], [size for _, _, size in blocks])


def _constraint(feature: str, direction: int, label: Label) -> Monotone:
    """Return the constraint that a label does not become less likely (1), or likelier (-1), with more of a feature."""
    return Monotone(feature, "less" if direction > 0 else "more", label)
