"""Data frames and rows of dicts, as sources of cells.

pandas and polars frames are read as they are; any other frame that narwhals knows becomes a polars one. Each library is
imported only when a frame of its kind comes in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from unless.encode import Cells, of_dictionary, of_flags, of_numbers, of_objects, of_texts
from unless.errors import ReadError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["PolarsFrame", "Records", "Source", "frame_source"]


class Source(Protocol):
    """Where cells come from: named columns, once they are loaded."""

    names: Sequence[str]
    spelled: bool
    """Whether every cell is text that may spell a number, as in a text file."""
    rows: int

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Make ready to give these columns, of which ``texts`` are wanted as text."""

    def cells(self, name: str) -> Cells:
        """The cells of a column that was loaded."""


class _Loaded:
    """A source that needs no loading: its cells are typed, so that text is text."""

    spelled = False

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Do nothing."""


class Records(_Loaded):
    """Rows of dicts: the columns are their keys in order of first appearance, an absent key is a missing cell."""

    def __init__(self, records: Sequence[Mapping[Any, object]]) -> None:
        for number, record in enumerate(records, 1):
            if not isinstance(record, Mapping):
                raise ReadError(f"row {number} is {type(record).__name__} {record!r:.60}; a row is a dict: name → cell")
        keys = list(dict.fromkeys(key for record in records for key in record))
        self.names = [str(key) for key in keys]
        self.rows = len(records)
        self._records = records
        self._keys = dict(zip(self.names, keys, strict=True))

    def cells(self, name: str) -> Cells:
        """The cells of a column."""
        key = self._keys[name]
        return of_objects([record.get(key) for record in self._records])


class PolarsFrame(_Loaded):
    """A polars frame; also what text files and Parquet files become."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.names = frame.columns
        self.rows = frame.height
        self._frame = frame

    def cells(self, name: str) -> Cells:
        """The cells of a column."""
        return polars_cells(self._frame.get_column(name))


def polars_cells(series: pl.Series) -> Cells:
    """The cells of a polars column."""
    import polars as pl  # noqa: PLC0415 - takes 0.1 s, and a program that reads pandas frames need not have it

    dtype = series.dtype
    if dtype.is_float() or dtype.is_integer():
        return of_numbers(series.cast(pl.Float64).to_numpy(), float if dtype.is_float() else int)
    if dtype == pl.Boolean:
        return of_flags(series.fill_null(value=False).to_numpy(), series.is_null().to_numpy())
    if dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        return _polars_texts(series.cast(pl.String))
    if dtype.is_temporal():
        distinct = series.drop_nulls().unique().sort()
        codes = distinct.search_sorted(series).to_numpy().astype(np.intp)
        return of_dictionary(distinct.to_list(), np.where(series.is_null().to_numpy(), -1, codes))
    return of_objects(series.to_list())


def _polars_texts(series: pl.Series) -> Cells:
    """Rank texts by an Enum of the sorted distinct ones: 16 ns a cell on two cores, `Series.rank` takes 127."""
    import polars as pl  # noqa: PLC0415

    distinct = series.drop_nulls().unique().sort()  # in the order of UTF-8 bytes, which is that of code points
    if distinct.is_empty():
        return of_texts((), np.zeros(len(series), dtype=np.uint8))
    codes = series.cast(pl.Enum(distinct)).to_physical()
    if series.null_count():
        codes = codes.cast(pl.UInt32).fill_null(len(distinct))
    return of_texts(distinct.to_list(), codes.to_numpy())


class PandasFrame(_Loaded):
    """A pandas frame, of any version from 2.2 on and with any types of columns."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.names = [str(name) for name in frame.columns]
        self.rows = len(frame)
        self._frame = frame
        self._places = {name: place for place, name in enumerate(self.names)}

    def cells(self, name: str) -> Cells:
        """The cells of a column."""
        frame, place = self._frame, self._places[name]
        # Building a Series takes 15 us a column, more than ranking a small one; the array behind it takes under 1 us.
        array_of = getattr(frame, "_get_column_array", None)
        array = frame.iloc[:, place].array if array_of is None else array_of(place)
        return _pandas_cells(array)


def _pandas_cells(array: Any) -> Cells:
    """The cells of the array behind a pandas column: numpy's, or an extension array."""
    import pandas as pd  # noqa: PLC0415

    kind = array.dtype.kind
    if kind in "iuf":
        missing = {} if isinstance(array, np.ndarray) else {"na_value": np.nan}
        numbers = array if not missing else array.to_numpy(dtype=np.float64, **missing)
        return of_numbers(numbers, float if kind == "f" else int)
    if kind == "b":
        missing = np.asarray(pd.isna(array))
        return of_flags(np.asarray(array) if isinstance(array, np.ndarray) else array.to_numpy(bool, na_value=False), missing)
    if isinstance(array, pd.Categorical):
        return of_dictionary(array.categories, array.codes)
    if isinstance(array.dtype, pd.StringDtype) and array.dtype.storage == "pyarrow":
        return _arrow_texts(array.__arrow_array__())
    if isinstance(array.dtype, pd.StringDtype):
        array = array.to_numpy(dtype=object, na_value=None)
    # True, 1 and 1.0 are one to factorize; a column of nothing but text has no such cells.
    if array.dtype == object and pd.api.types.infer_dtype(array, skipna=True) not in ("string", "empty"):
        return of_objects(array.tolist())
    codes, distinct = pd.factorize(array)
    return of_dictionary(distinct, codes)


def _arrow_texts(array: Any) -> Cells:
    """The cells of an Arrow column of texts."""
    encoded = array.dictionary_encode()
    if hasattr(encoded, "combine_chunks"):
        encoded = encoded.combine_chunks()
    codes = encoded.indices.fill_null(-1) if encoded.null_count else encoded.indices
    return of_dictionary(encoded.dictionary.to_pylist(), codes.to_numpy())


def frame_source(frame: object) -> Source | None:
    """A source that reads a data frame, None if it is not one."""
    import narwhals as nw  # noqa: PLC0415
    from narwhals import dependencies  # noqa: PLC0415

    if dependencies.is_pandas_dataframe(frame):
        return PandasFrame(frame)
    if dependencies.is_polars_dataframe(frame):
        return PolarsFrame(frame)
    if dependencies.is_pyarrow_table(frame):
        _refuse_twins(frame.column_names)
    try:
        return PolarsFrame(nw.from_native(frame, eager_only=True).to_polars())  # type: ignore[call-overload]
    except TypeError:
        return None


def _refuse_twins(names: Sequence[str]) -> None:
    """Refuse a column name that stands twice, before a library renames one of them or fails."""
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ReadError(f"the column name {twice!r} stands twice; rename one of them")
