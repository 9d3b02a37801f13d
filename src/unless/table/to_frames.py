"""Convert columns to pandas and polars columns; pandas is imported only when needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unless.libraries import pl
from unless.table.columns import Column
from unless.values import number_to_text
from unless.values.notation import INSTANT, DateNotation, DurationNotation, LevelNotation, TimeNotation


def data_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Convert lists of cells to a data frame: of pandas if it is installed, otherwise of polars."""
    try:
        import pandas as pd
    except ImportError:
        return pl.DataFrame(columns)
    return pd.DataFrame(columns)


def column_to_pandas(column: Column) -> Any:
    """Convert a column to a pandas column (`Table.to_pandas`)."""
    import pandas as pd

    column = column.with_special_codes()
    codes = column.codes.astype(np.int64)
    if column.kind == "number":
        return np.append(column.numbers, np.nan)[codes] if column.plain else _pandas_times(column)
    if column.kind == "text":
        return pd.Categorical.from_codes(np.where(codes == column.missing, -1, codes), list(column.categories))
    numbers = (
        column.numbers.tolist() if column.plain else map(number_to_text, map(column.number, column.numbers.tolist()))
    )
    return pd.Series(np.array([*numbers, *column.categories, None], dtype=object)[codes], dtype=object)


def _pandas_times(column: Column) -> Any:
    """Convert a column of dates, times, durations or levels to pandas."""
    import pandas as pd

    missing, places = column.codes == column.missing, np.append(column.numbers, -1).astype(np.int64)[column.codes]
    match column.notation:
        case LevelNotation(levels):
            return pd.Categorical.from_codes(places, list(levels), ordered=True)
        case TimeNotation():
            return pd.Series(column_to_polars(column).to_list(), dtype=object)
    found = places.view("M8[us]" if isinstance(column.notation, DateNotation) else "m8[us]").copy()
    found[missing] = np.array("NaT", found.dtype)
    return pd.Series(found).dt.tz_localize("UTC") if column.notation == INSTANT else found


def column_to_polars(column: Column) -> pl.Series:
    """Convert a column to a polars series (`Table.to_polars`)."""
    column = column.with_special_codes()
    if column.kind == "number":
        return _polars_numbers(column).gather(column.codes)
    texts = [*map(number_to_text, map(column.number, column.numbers.tolist())), *column.categories, None]
    return pl.Series(texts, dtype=pl.String if column.kind == "mixed" else pl.Categorical).gather(column.codes)


def _polars_numbers(column: Column) -> pl.Series:
    """Convert the distinct numbers of a column, and null, to the polars type of their notation."""
    numbers = pl.Series([*column.numbers.tolist(), None], dtype=pl.Float64)
    match column.notation:
        case LevelNotation(levels):
            return pl.Series([*map(str, map(column.number, column.numbers.tolist())), None], dtype=pl.Enum(levels))
        case TimeNotation():
            return (numbers.cast(pl.Int64) * 1000).cast(pl.Time)
        case DurationNotation():
            return numbers.cast(pl.Int64).cast(pl.Duration("us"))
        case DateNotation(name="date"):
            return numbers.cast(pl.Int64).cast(pl.Datetime("us")).cast(pl.Date)
        case DateNotation(zoned=zoned):
            return numbers.cast(pl.Int64).cast(pl.Datetime("us", "UTC" if zoned else None))
    return numbers
