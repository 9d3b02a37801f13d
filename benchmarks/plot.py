"""Accuracy against the number of rules, as an SVG that is legible on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from benchmarks.accuracy_datasets import CONFIRMATION
from benchmarks.figures import Figures
from benchmarks.methods import METHODS
from benchmarks.timing import geometric_mean

__all__ = ["Point", "Scale", "accuracy_against_rules", "plot", "points", "svg", "ticks", "upright"]

WIDTH, HEIGHT = 760, 470
LEFT, RIGHT, TOP = 64, 24, 50
BASE = HEIGHT - 76
_LETTER, _BOLD = 7.3, 8.4
"""The width of a letter, roughly, to keep names apart."""

_EDGE = 8
"""What stays free at the right: letters are wider in some fonts."""

_FAR = 0.05
"""How far below the others the worst method may be before it is drawn at the edge, with its accuracy."""

_STYLE = """
  svg { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; }
  .page { fill: #ffffff; } text { fill: #24292f; } .note { fill: #57606a; font-size: 12px; }
  .title { font-size: 15px; font-weight: 600; } .grid { stroke: #d8dee4; }
  .level { stroke: #57606a; stroke-dasharray: 5 4; }
  .theirs { fill: #6e7781; stroke: #6e7781; } .ours { fill: #0969da; stroke: #0969da; } .some { fill: #ffffff; }
  circle, rect.some { stroke-width: 2; } .ours-name { fill: #0969da; font-weight: 600; }
  @media (prefers-color-scheme: dark) {
    .page, .some { fill: #0d1117; } text { fill: #e6edf3; } .note { fill: #9198a1; } .grid { stroke: #30363d; }
    .level { stroke: #9198a1; } .theirs { fill: #9198a1; stroke: #9198a1; } .ours { fill: #58a6ff; stroke: #58a6ff; }
    circle.some, rect.some { fill: #0d1117; } .ours-name { fill: #58a6ff; }
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
    """The methods on the confirmation sets, but those that ran on fewer than half of them: that tells too little.

    One that did not run on every dataset is as far from XGBoost as it is where both ran, in accuracy and in rules.
    """
    names = [name for name in CONFIRMATION if figures.get(name, "XGBoost") is not None]
    accuracy, rules = figures.mean(names, "XGBoost"), figures.middle(names, "XGBoost")
    if accuracy is None or rules is None:
        return []
    found = []
    for method in METHODS:
        pairs = figures.pairs(names, method, "XGBoost")
        if "=" not in method and pairs and 2 * len(pairs) >= len(names):
            gap = sum(a - b for a, b in pairs.values()) / len(pairs)
            ratios = figures.ratios(names, method, "XGBoost", "rules").values()
            size = rules * geometric_mean(ratios) if ratios else None
            found.append(Point(method, accuracy + gap, size, len(pairs) == len(names)))
    return found


def plot(figures: Figures) -> str:
    """The plot; empty if nothing was measured."""
    title = f"Accuracy on {len(CONFIRMATION)} datasets that nothing was chosen on"
    said = f"Mean accuracy against the number of rules, on {len(CONFIRMATION)} datasets"
    return svg(said, accuracy_against_rules(points(figures), title))


def svg(said: str, body: Iterable[str], height: int = HEIGHT) -> str:
    """A picture of some elements, and what it says to those who do not see it."""
    drawn = "\n".join(body)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" \
aria-label="{said}">
<style>{_STYLE}</style>
<rect class="page" width="{WIDTH}" height="{height}" rx="6"/>
{drawn}
</svg>
"""


@dataclass(frozen=True, slots=True)
class Scale:
    """Where a value is on the page; values beyond the first and the last are at the edge."""

    first: float
    last: float
    start: float
    end: float

    def __call__(self, value: float) -> float:  # noqa: D102 - the class says it
        inside = min(max(value, self.first), self.last)
        return self.start + (self.end - self.start) * (inside - self.first) / (self.last - self.first)


def _accuracies(found: Sequence[Point]) -> Scale:
    """In steps of two points; one method that is far below the others does not stretch it."""
    lowest, *others = sorted(point.accuracy for point in found)
    least = min([lowest if others and others[0] - lowest <= _FAR else 1, *others])
    return Scale(math.floor(least * 50) / 50, math.floor(max(lowest, *others, least) * 50 + 1) / 50, BASE, TOP)


def _rules(found: Sequence[Point]) -> Scale:
    """Logarithms, with some room at both ends, and for names before those with the fewest rules."""
    sizes = [math.log10(point.rules) for point in found if point.rules]
    return Scale(min(sizes) - 0.55, max(sizes) + 0.15, LEFT, WIDTH - RIGHT)


def ticks(x: Scale) -> list[float]:
    """1, 2, 5, 10, 20 and so on, as far as the scale goes; below 1 the tenths, hundredths and so on."""
    every = [
        *(10.0**power for power in range(-6, 0)),
        *(digit * 10**power for power in range(8) for digit in (1, 2, 5)),
    ]
    return [tick for tick in every if x.first <= math.log10(tick) <= x.last]


def accuracy_against_rules(found: Sequence[Point], title: str) -> Iterator[str]:
    """Each method where its accuracy and its rules are; nothing without methods."""
    if not found:
        return
    x, y = _rules(found), _accuracies(found)
    yield f'<text class="title" x="{LEFT}" y="28">{title}</text>'
    for tick in (step / 50 for step in range(round(y.first * 50), round(y.last * 50) + 1)):
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
        yield f'<text class="note" x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.2f}</text>'
    yield from upright(x)
    middle = (LEFT + WIDTH - RIGHT) / 2
    notes = ["rules (geometric mean, exceptions and leaves counted)"]
    if not all(point.whole for point in found):
        notes.append("hollow: did not run on every dataset; placed by its distance from XGBoost where both ran")
    for row, note in enumerate(notes):
        yield f'<text class="note" x="{middle}" y="{BASE + 38 + 20 * row}" text-anchor="middle">{note}</text>'
    yield from _marks(found, x, y)


def upright(
    x: Scale, top: float = TOP, base: float = BASE, form: Callable[[float], str] = "{:,}".format
) -> Iterator[str]:
    """Lines at 1, 2, 5, 10 and so on, of a scale of logarithms."""
    for size in ticks(x):
        place = f"{x(math.log10(size)):.1f}"
        yield f'<line class="grid" y1="{top}" y2="{base}" x1="{place}" x2="{place}"/>'
        yield f'<text class="note" y="{base + 18}" x="{place}" text-anchor="middle">{form(size)}</text>'


def _marks(found: Sequence[Point], x: Scale, y: Scale) -> Iterator[str]:
    """Points and their names, each name on the side where it covers least."""
    taken = [
        _Box(px - 7, py - 7, px + 7, py + 7)
        for px, py in ((x(math.log10(point.rules)), y(point.accuracy)) for point in found if point.rules)
    ]
    for point in sorted(found, key=lambda point: not point.ours):
        kind, level = "ours" if point.ours else "theirs", y(point.accuracy)
        if point.rules is None:
            yield f'<line class="level" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{level:.1f}" y2="{level:.1f}"/>'
            sides = [_Side(LEFT + 6, level + shift, "start") for shift in (-5, 15)]
        else:
            px, hollow = x(math.log10(point.rules)), "" if point.whole else " some"
            yield f'<circle class="{kind}{hollow}" cx="{px:.1f}" cy="{level:.1f}" r="5"/>'
            sides = [
                *(_Side(px + 9, level + 4, "start"), _Side(px - 9, level + 4, "end")),
                *(_Side(px, level - 10, "middle"), _Side(px, level + 21, "middle")),
                *(_Side(px + 9, level + shift, "start") for shift in (-7, 15)),
                *(_Side(px - 9, level + shift, "end") for shift in (-7, 15)),
            ]
        name, wide = _name(point, y), _BOLD if point.ours else _LETTER
        side = min(sides, key=lambda side: side.box(wide * len(name)).covers(taken))
        taken.append(side.box(wide * len(name)))
        place = f'x="{side.x:.1f}" y="{side.y:.1f}" text-anchor="{side.anchor}"'
        yield f'<text class="{kind}-name" {place}>{escape(name)}</text>'


def _name(point: Point, y: Scale) -> str:
    if point.rules is None:
        return f"{point.name} (tables, no rules)"
    return f"{point.name} ({point.accuracy:.3f}, below)" if point.accuracy < y.first - 1e-9 else point.name


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def covers(self, taken: Sequence[_Box]) -> float:
        """How much of the others it covers, and how far it leaves the page, which is worse."""
        return sum(map(self._common, taken)) + 100 * max(0.0, self.right - (WIDTH - _EDGE), LEFT - self.left)

    def _common(self, other: _Box) -> float:
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, wide) * max(0.0, high)


@dataclass(frozen=True, slots=True)
class _Side:
    """Where a text starts, has its middle, or ends."""

    x: float
    y: float
    anchor: str

    def box(self, wide: float) -> _Box:
        """What it covers."""
        left = self.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor] * wide
        return _Box(left, self.y - 11, left + wide, self.y + 3)
