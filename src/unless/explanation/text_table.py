"""Lay out tables in plain text: columns as wide as their longest cell, two spaces between columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from unicodedata import combining, east_asian_width


def align_columns(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Format each row of cells as a line with aligned columns; ``right`` columns are right-aligned.

    >>> align_columns([("rule", "decided"), ("12", "7")], right=(0,))
    ['rule  decided', '  12  7']
    """
    columns = [_pad_cells(column, right=k in right) for k, column in enumerate(zip(*rows, strict=True))]
    return ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]


def _pad_cells(cells: Sequence[str], *, right: bool) -> list[str]:
    width = max(map(_terminal_width, cells))
    spaces = [" " * (width - _terminal_width(cell)) for cell in cells]
    return [space + cell if right else cell + space for cell, space in zip(cells, spaces, strict=True)]


def _terminal_width(text: str) -> int:
    """Return how many terminal columns a text takes: East Asian letters take two, combining accents none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(one) else 1 + (east_asian_width(one) in "WF") for one in text)
