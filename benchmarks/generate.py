"""Generated mixed rows: 10 continuous columns, 5 of integers, 8 of categories, and a label by rules with 10 % noise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unless import Table
from unless.table import Column, Labels

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COLUMNS", "Draw", "draw", "frame", "table", "write_csv"]

CONTINUOUS = 10
INTEGERS = (5, 20, 60, 100, 1000)
CATEGORIES = (2, 3, 4, 6, 10, 20, 50, 200)
"""How many different values the columns of integers and of categories have."""

COLUMNS = CONTINUOUS + len(INTEGERS) + len(CATEGORIES)
LABELS = ("a", "b", "c")
NOISE = 0.1


class Draw(NamedTuple):
    """The cells, column by column: numbers, integers, places among the categories and among the labels."""

    continuous: list[NDArray[np.float64]]
    integers: list[NDArray[np.uint16]]
    categories: list[NDArray[np.uint8]]
    label: NDArray[np.uint8]


def draw(rows: int, seed: int = 0) -> Draw:
    """Rows whose label follows a default with exceptions on seven of the columns; the other sixteen mean nothing."""
    random = np.random.default_rng(seed)
    x = [random.normal(size=rows) for _ in range(CONTINUOUS)]
    i = [random.integers(0, count, rows, np.uint16) for count in INTEGERS]
    c = [random.integers(0, count, rows, np.uint8) for count in CATEGORIES]
    label = np.zeros(rows, np.uint8)
    label[(x[0] > 0.5) & (c[2] != 1)] = 1
    label[(x[1] < -1) & (i[1] < 12)] = 2
    label[(c[4] == 3) & (x[3] > 0)] = 1
    label[(x[5] > 1.2) & ~((c[1] == 2) & (i[3] > 50))] = 0
    noisy = random.random(rows) < NOISE
    label[noisy] = random.integers(0, len(LABELS), int(noisy.sum()), np.uint8)
    return Draw(x, i, c, label)


def table(drawn: Draw) -> Table:
    """The rows as a ready table, without reading: for ten million rows there need not be a file."""
    columns = [_continuous(f"x{n}", cells) for n, cells in enumerate(drawn.continuous)]
    columns += [_integers(f"i{n}", *pair) for n, pair in enumerate(zip(drawn.integers, INTEGERS, strict=True))]
    columns += [_categories(f"c{n}", *pair) for n, pair in enumerate(zip(drawn.categories, CATEGORIES, strict=True))]
    return Table(tuple(columns), Labels("label", LABELS, drawn.label))


def _continuous(name: str, cells: NDArray[np.float64]) -> Column:
    numbers, codes = np.unique(cells, return_inverse=True)
    return Column(name, "number", numbers, (), codes)


def _integers(name: str, cells: NDArray[Any], count: int) -> Column:
    return Column(name, "number", np.arange(count, dtype=np.float64), (), cells)


def _categories(name: str, cells: NDArray[Any], count: int) -> Column:
    return Column(name, "text", np.zeros(0), tuple(_names(count)), cells)


def _names(count: int) -> list[str]:
    return [f"v{number:03d}" for number in range(count)]


def write_csv(drawn: Draw, path: Path) -> None:
    """The rows as a CSV file, numbers to the last digit, the label last."""
    frame(drawn).write_csv(path)


def frame(drawn: Draw) -> pl.DataFrame:
    """The rows as a frame of polars, the label last."""
    import polars as pl

    columns: dict[str, object] = {f"x{n}": cells for n, cells in enumerate(drawn.continuous)}
    columns |= {f"i{n}": cells for n, cells in enumerate(drawn.integers)}
    for n, (cells, count) in enumerate(zip(drawn.categories, CATEGORIES, strict=True)):
        columns[f"c{n}"] = pl.Series(_names(count)).gather(cells)
    columns["label"] = pl.Series(LABELS).gather(drawn.label)
    return pl.DataFrame(columns)
