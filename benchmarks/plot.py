"""Accuracy against the number of rules, as an SVG that is legible on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from benchmarks.figures import Figures
from benchmarks.halves import CONFIRMATION
from benchmarks.methods import METHODS
from benchmarks.timing import geometric_mean

__all__ = ["Point", "plot", "points"]

_WIDTH, _HEIGHT = 760, 470
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 50, 76
_LETTER, _LINE = 7.0, 15
"""The width of a letter and the height of a line, roughly, to keep labels apart."""

_STYLE = """
  svg { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; }
  .page { fill: #ffffff; } text { fill: #24292f; } .note { fill: #57606a; font-size: 12px; }
  .title { font-size: 15px; font-weight: 600; } .grid { stroke: #d8dee4; }
  .level { stroke: #57606a; stroke-dasharray: 5 4; }
  .theirs { fill: #6e7781; stroke: #6e7781; } .ours { fill: #0969da; stroke: #0969da; } .some { fill: #ffffff; }
  circle { stroke-width: 2; } text.ours { fill: #0969da; stroke: none; font-weight: 600; }
  @media (prefers-color-scheme: dark) {
    .page, .some { fill: #0d1117; } text { fill: #e6edf3; } .note { fill: #9198a1; } .grid { stroke: #30363d; }
    .level { stroke: #9198a1; } .theirs { fill: #9198a1; stroke: #9198a1; } .ours { fill: #58a6ff; stroke: #58a6ff; }
    circle.some { fill: #0d1117; } text.ours { fill: #58a6ff; }
  }
"""


@dataclass(frozen=True, slots=True)
class Point:
    """A method: its mean accuracy, its rules (None if it has none), and whether it ran on every dataset."""

    name: str
    accuracy: float
    rules: float | None
    whole: bool

    @property
    def ours(self) -> bool:
        """Whether it is one of our learners."""
        return self.name.startswith("Unless")


def points(figures: Figures) -> list[Point]:
    """The methods on the confirmation half.

    One that did not run on every dataset is as far from XGBoost as it is where both ran, in accuracy and in rules.
    """
    names = [name for name in CONFIRMATION if figures.get(name, "XGBoost") is not None]
    accuracy, rules = figures.mean(names, "XGBoost"), figures.middle(names, "XGBoost")
    if accuracy is None or rules is None:
        return []
    found = []
    for method in METHODS:
        pairs = figures.pairs(names, method, "XGBoost")
        if "=" not in method and pairs:
            gap = sum(a - b for a, b in pairs.values()) / len(pairs)
            ratios = figures.ratios(names, method, "XGBoost", "rules").values()
            size = rules * geometric_mean(ratios) if ratios else None
            found.append(Point(method, accuracy + gap, size, len(pairs) == len(names)))
    return found


def plot(figures: Figures) -> str:
    """The plot; empty if nothing was measured."""
    found = points(figures)
    body = "\n".join(_drawn(found)) if found else ""
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img" \
aria-label="Mean accuracy against the number of rules, on {len(CONFIRMATION)} datasets">
<style>{_STYLE}</style>
<rect class="page" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>
{body}
</svg>
"""


class _Scale:
    """Where a value is on the page."""

    def __init__(self, values: Sequence[float], start: float, end: float, step: float) -> None:
        self.first, self.last = math.floor(min(values) / step) * step, math.ceil(max(values) / step) * step
        self.start, self.end, self.step = start, end, step

    def __call__(self, value: float) -> float:
        return self.start + (self.end - self.start) * (value - self.first) / (self.last - self.first or 1)

    def ticks(self) -> list[float]:
        """The steps from first to last."""
        return [self.first + self.step * k for k in range(round((self.last - self.first) / self.step) + 1)]


def _drawn(found: Sequence[Point]) -> Iterator[str]:
    x = _Scale([math.log10(point.rules) for point in found if point.rules], _LEFT, _WIDTH - _RIGHT, 1)
    y = _Scale([point.accuracy for point in found], _HEIGHT - _BOTTOM, _TOP, 0.02)
    title = f"Accuracy on {len(CONFIRMATION)} datasets that nothing was chosen on"
    yield f'<text class="title" x="{_LEFT}" y="28">{title}</text>'
    for tick in y.ticks():
        yield f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
        yield f'<text class="note" x="{_LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.2f}</text>'
    for tick in x.ticks():
        yield f'<line class="grid" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" x1="{x(tick):.1f}" x2="{x(tick):.1f}"/>'
        text = f"{10**tick:,.0f}"
        yield f'<text class="note" y="{_HEIGHT - _BOTTOM + 18}" x="{x(tick):.1f}" text-anchor="middle">{text}</text>'
    middle, base = (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - _BOTTOM
    notes = ["rules (geometric mean, exceptions and leaves counted)"]
    if not all(point.whole for point in found):
        notes.append("hollow: did not run on every dataset; placed by its distance from XGBoost where both ran")
    for row, note in enumerate(notes):
        yield f'<text class="note" x="{middle}" y="{base + 38 + 20 * row}" text-anchor="middle">{note}</text>'
    yield from _marks(found, x, y)


def _marks(found: Sequence[Point], x: _Scale, y: _Scale) -> Iterator[str]:
    """Points and their names, each name on the side where it covers nothing."""
    dots = [(x(math.log10(point.rules)), y(point.accuracy)) for point in found if point.rules]
    taken = [(px - 7, py - 7, px + 7, py + 7) for px, py in dots]
    for point in sorted(found, key=lambda point: not point.ours):
        kind, level = "ours" if point.ours else "theirs", y(point.accuracy)
        if point.rules is None:
            yield f'<line class="level" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{level:.1f}" y2="{level:.1f}"/>'
            sides = [(_LEFT + 6, level - 5), (_LEFT + 6, level + 15)]
        else:
            px = x(math.log10(point.rules))
            hollow = "" if point.whole else " some"
            yield f'<circle class="{kind}{hollow}" cx="{px:.1f}" cy="{level:.1f}" r="5"/>'
            wide = _LETTER * len(point.name)
            beside = [(px + 9, level + 4), (px - 9 - wide, level + 4)]
            sides = [*beside, (px - wide / 2, level - 10), (px - wide / 2, level + 21)]
            sides += [(left, height + shift) for shift in (-11, 11, -18, 18) for left, height in beside]
        place = min(sides, key=lambda side: (_covered(side, point.name, taken), sides.index(side)))
        taken.append(_box(place, point.name))
        label = escape(point.name) + (" (tables, no rules)" if point.rules is None else "")
        yield f'<text class="{kind if point.ours else ""}" x="{place[0]:.1f}" y="{place[1]:.1f}">{label}</text>'


def _box(place: tuple[float, float], text: str) -> tuple[float, float, float, float]:
    return place[0], place[1] - _LINE + 4, place[0] + _LETTER * len(text), place[1] + 3


def _covered(place: tuple[float, float], text: str, taken: Sequence[tuple[float, float, float, float]]) -> float:
    """How much of what is there already a text would cover, or how far it would leave the page."""
    left, top, right, bottom = _box(place, text)
    over = [
        max(0.0, min(right, east) - max(left, west)) * max(0.0, min(bottom, south) - max(top, north))
        for west, north, east, south in taken
    ]
    return sum(over) + 100 * max(0.0, right - _WIDTH, _LEFT - left)
