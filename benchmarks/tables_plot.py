"""Plots of the paper's tables, as SVGs that are legible on light and dark pages: accuracy, speed, growth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from html import escape

from benchmarks import paper
from benchmarks.contests import rows_of
from benchmarks.figures import Figures
from benchmarks.paper import BINARY, CROSS, XGBOOST
from benchmarks.plot import (
    BASE,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Point,
    Scale,
    accuracy_against_rules,
    svg,
    ticks,
    upright,
)
from benchmarks.report import duration, times
from benchmarks.timing import geometric_mean

__all__ = ["PLOTS"]

_FOLD = {BINARY: "FOLD-R++", XGBOOST: "FOLD-RM"}
_PAPERS = "FOLD-R++ / FOLD-RM"
"""The two as one method: each for the rows of its table."""

_BESIDE = ("Unless", "UnlessCommittee", "XGBoost one-hot", "XGBoost", "MLP one-hot", "MLP")
_BAR, _NAMES = 30, 190


def _rows() -> list[str]:
    """Every row of cross-validation once."""
    return [row for label in (BINARY, XGBOOST) for row in rows_of(label)]


def _get(figures: Figures, row: str, method: str, figure: str) -> float | None:
    if method == _PAPERS:
        method = _FOLD[BINARY if row in rows_of(BINARY) else XGBOOST]
    return figures.get(row, method, figure)


def _both(figures: Figures, method: str, figure: str) -> dict[str, tuple[float, float]]:
    """A figure of a method and of the paper's learner, by row, where both are there."""
    pairs = ((row, _get(figures, row, method, figure), _get(figures, row, _PAPERS, figure)) for row in _rows())
    return {row: (one, other) for row, one, other in pairs if one is not None and other is not None and other > 0}


# Accuracy.


_DRAWN = (_PAPERS, "Unless", "UnlessCommittee", "XGBoost")


def accuracy(figures: Figures) -> str:
    """The methods that have rules, on the rows where all of them ran."""
    methods = [method for method in _DRAWN if _both(figures, method, "rules")]
    shared = [row for row in _rows() if all(_get(figures, row, method, "rules") is not None for method in methods)]
    found = [_point(figures, shared, method) for method in methods] if shared else []
    title = f"Accuracy on {len(shared)} datasets of the paper, those where all of these ran"
    said = f"Mean accuracy of each method against its rules, on {len(shared)} datasets"
    return svg(said, accuracy_against_rules(found, title))


def _point(figures: Figures, rows: Sequence[str], method: str) -> Point:
    accuracies, sizes = ([_get(figures, row, method, name) or 0 for row in rows] for name in ("accuracy", "rules"))
    return Point(method, sum(accuracies) / len(rows), geometric_mean(max(size, 1) for size in sizes), whole=True)


# Speed.


def speed(figures: Figures) -> str:
    """How many times as long as FOLD-R++ or FOLD-RM each takes: ours, and what the paper's times say."""
    bars = list(_bars(figures))
    height = TOP + _BAR * len(bars) + 56
    return svg("How many times as long as FOLD-R++ or FOLD-RM each method takes to fit", _drawn(bars, height), height)


def _bars(figures: Figures) -> Iterator[tuple[str, str, float, int]]:
    """The name, its kind, the ratio, and over how many datasets."""
    for method in _BESIDE:
        ratios = [one / other for one, other in _both(figures, method, "cpu").values() if one > 0]
        if ratios:
            yield method, "ours" if method.startswith("Unless") else "theirs", geometric_mean(ratios), len(ratios)
        peer = method.removesuffix(" one-hot")
        if peer != method and (said := list(_printed(peer))):
            yield f"{peer}, in the paper", "theirs some", geometric_mean(said), len(said)


def _printed(peer: str) -> Iterator[float]:
    for label in CROSS:
        for row in paper.load()[label].values():
            ours = next(method for method in row if method.startswith("FOLD"))
            if peer in row:
                yield row[peer]["ms"] / row[ours]["ms"]


def _drawn(bars: Sequence[tuple[str, str, float, int]], height: int) -> Iterator[str]:
    if not bars:
        return
    base = height - 56
    logs = [math.log10(ratio) for _, _, ratio, _ in bars]
    x = Scale(min(0.0, *logs) - 0.05, max(0.3, *logs) + 0.1, _NAMES, WIDTH - RIGHT - 60)
    yield '<text class="title" x="24" y="28">Time to fit, as a multiple of that of FOLD-R++ or FOLD-RM</text>'
    yield from upright(x, TOP, base, "×{:g}".format)
    for place, (name, kind, ratio, _) in enumerate(bars):
        top, one, end = TOP + _BAR * place + 6, x(0), x(math.log10(ratio))
        label = "ours-name" if kind == "ours" else "name"
        yield f'<text class="{label}" x="{_NAMES - 12}" y="{top + 14}" text-anchor="end">{escape(name)}</text>'
        wide = f'x="{min(one, end):.1f}" width="{max(abs(end - one), 1):.1f}"'
        yield f'<rect class="{kind}" {wide} y="{top}" height="18" rx="2"/>'
        yield f'<text class="note" x="{max(one, end) + 6:.1f}" y="{top + 14}">{times(ratio)}</text>'
    middle, least = (_NAMES + WIDTH - RIGHT) / 2, min(many for *_, many in bars)
    note = f"geometric means over {least} datasets or more, CPU of one thread; hollow: the paper's times"
    yield f'<text class="note" x="{middle}" y="{base + 38}" text-anchor="middle">{note}</text>'


# Growth.

_GROWN = {_PAPERS: "theirs some", "Unless": "ours", "XGBoost": "theirs"}


def growth(figures: Figures) -> str:
    """Seconds of CPU against records, a point for each dataset."""
    found = {
        method: [(paper.records()[row], cpu) for row in _rows() if (cpu := _get(figures, row, method, "cpu"))]
        for method in _GROWN
    }
    return svg("Time to fit against the number of records, a point for each dataset", _grown(found))


def _grown(found: dict[str, list[tuple[int, float]]]) -> Iterator[str]:
    every = [pair for pairs in found.values() for pair in pairs]
    if not every:
        return
    sizes, seconds = [math.log10(size) for size, _ in every], [math.log10(cpu) for _, cpu in every]
    x = Scale(min(sizes) - 0.1, max(sizes) + 0.1, LEFT, WIDTH - RIGHT)
    y = Scale(min(seconds) - 0.1, max(seconds) + 0.1, BASE, TOP)
    yield f'<text class="title" x="{LEFT}" y="28">Time to fit against records: a point for each dataset</text>'
    yield from upright(x)
    for tick in (tick for tick in ticks(y) if math.log10(tick).is_integer()):
        level = f"{y(math.log10(tick)):.1f}"
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{level}" y2="{level}"/>'
        yield f'<text class="note" x="{LEFT - 8}" y="{float(level) + 4:.1f}" text-anchor="end">{duration(tick)}</text>'
    for method, pairs in found.items():
        for size, cpu in pairs:
            place = f'cx="{x(math.log10(size)):.1f}" cy="{y(math.log10(cpu)):.1f}"'
            yield f'<circle class="{_GROWN[method]}" {place} r="4"/>'
    yield from _legend()


def _legend() -> Iterator[str]:
    for place, (method, kind) in enumerate(_GROWN.items()):
        left = LEFT + 10 + 190 * place
        yield f'<circle class="{kind}" cx="{left}" cy="{HEIGHT - 26}" r="5"/>'
        yield f'<text class="note" x="{left + 12}" y="{HEIGHT - 22}">{escape(method)}</text>'


PLOTS: dict[str, Callable[[Figures], str]] = {
    "paper-accuracy.svg": accuracy,
    "paper-speed.svg": speed,
    "paper-growth.svg": growth,
}
"""The plots by the names of their files."""
