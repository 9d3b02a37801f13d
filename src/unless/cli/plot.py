"""Draw a small plot for a terminal or a pipe: a share with its interval on each line."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor

from rich.console import RenderableType
from rich.text import Text

from unless.cli.layout import grid
from unless.evaluation.tradeoff import Choice, TradeOff
from unless.values import share_text

_WIDTH = 40


def plot_trade_off(found: TradeOff) -> RenderableType:
    """Plot accuracy against the number of rules: a line for each choice, with a dot on its interval."""
    ends = [end for one in found.choices for end in one.between]
    table = grid({"justify": "right", "no_wrap": True}, {"justify": "right", "no_wrap": True}, {"no_wrap": True}, {})
    table.add_row(*(Text(title, "cyan") for title in ("rules", "accuracy", _axis_labels(min(ends), max(ends)), "")))
    for one in found.choices:
        style = "bold" if one is found.enough else ""
        rules = f"{one.rules:,.0f}" if one.rules % 1 == 0 else f"{one.rules:,.1f}"
        cells = (
            rules,
            share_text(one.accuracy),
            _interval_bar(one, min(ends), max(ends)),
            ", ".join(_choice_notes(one, found)),
        )
        table.add_row(*(Text(cell, style) for cell in cells))
    return table


def _axis_labels(low: float, high: float) -> str:
    return f"{low:.2f}".ljust(_WIDTH - 4) + f"{high:.2f}"


def _interval_bar(one: Choice, low: float, high: float) -> str:
    """Draw an interval as a line with a dot on it."""
    first, dot, last = (_plot_column(share, low, high) for share in (one.between[0], one.accuracy, one.between[1]))
    return "".join("●" if k == dot else "─" if first <= k <= last else " " for k in range(_WIDTH)).rstrip()


def _plot_column(share: float, low: float, high: float) -> int:
    return min(floor(_WIDTH * (share - low) / max(high - low, 1e-9)), _WIDTH - 1)


def _choice_notes(one: Choice, found: TradeOff) -> Iterator[str]:
    if not one.settings:
        yield "as asked"
    if "max_rules" in one.settings:
        yield f"--rules {one.settings['max_rules']:g}"
    if "penalty" in one.settings:
        yield f"--penalty {one.settings['penalty']:g}"
    if one is found.enough:
        yield "enough: more rules are not better by more than chance"
