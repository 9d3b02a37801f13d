"""Python objects as polars columns, exactly: no number is rounded, and nothing is lost where types are mixed."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import polars as pl


class SpelledNumber(float):
    """A number that remembers how it was written."""

    text: str

    def __new__(cls, text: str) -> Self:
        """Read the number."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def frame_of(columns: Mapping[str, Sequence[Any]], texts: Collection[str] = ()) -> pl.DataFrame:
    """A frame of columns of Python objects; those of ``texts`` are text."""
    import polars as pl

    # A dict, not a list of series: polars would rename a series that is called ''.
    return pl.DataFrame({name: series_of(cells, as_text=name in texts) for name, cells in columns.items()})


def series_of(cells: Sequence[Any], *, as_text: bool = False) -> pl.Series:
    """Whole numbers, numbers or booleans where all cells are that, or else text; None is null.

    Lists and dicts are their JSON text. A `SpelledNumber` is text, and so is a number that its type cannot hold.
    """
    import polars as pl

    types = {str} if as_text else {type(cell) for cell in cells if cell is not None}
    if types == {bool}:
        return pl.Series(cells, dtype=pl.Boolean)
    if types == {int} and all(abs(cell) < 2**63 for cell in cells if cell is not None):
        return pl.Series(cells, dtype=pl.Int64)
    if float in types and types <= {int, float} and all(map(_is_float, cells)):
        return pl.Series([None if cell is None else float(cell) for cell in cells], dtype=pl.Float64)
    return pl.Series([_text(cell) for cell in cells], dtype=pl.String)


def _is_float(cell: float | None) -> bool:
    """Whether a float64 holds the cell exactly, unlike a whole number of many digits."""
    try:
        return not isinstance(cell, int) or float(cell) == cell
    except OverflowError:
        return False


def _text(cell: object) -> str | None:
    match cell:
        case None | str():
            return cell
        case bool():
            return str(cell)  # True, as `read_table` calls it
        case SpelledNumber():
            return cell.text
    return json.dumps(cell, ensure_ascii=False)
