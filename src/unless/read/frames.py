"""Read data frames and rows of dicts as sources of cells, and make frames of columns of Python objects.

pandas and polars frames are read directly; any other frame that narwhals supports becomes a polars frame first. Each
library is imported only when one of its frames is read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ReadError
from unless.libraries import pl
from unless.limits import refuse_above_limit
from unless.read.cells import (
    Cells,
    cells_from_dictionary,
    cells_from_flags,
    cells_from_numbers,
    cells_from_objects,
    cells_from_texts,
    cells_from_times,
    group_texts,
    numbers_as_texts,
)
from unless.read.dialect import NO_REMARKS
from unless.read.headers import refuse_twins
from unless.read.source import Loaded, Source
from unless.read.text_cells import rank_texts
from unless.values import cell_value, number_to_text
from unless.values.notation import DATE, DATETIME, DURATION, INSTANT, TIME, LevelNotation, Notation

if TYPE_CHECKING:
    import pandas as pd


def records_source(records: Sequence[Mapping[Any, object]]) -> Source:
    """Open rows of dicts: the keys are the columns, in order of first appearance; an absent key is a missing cell."""
    for number, record in enumerate(records, 1):
        if not isinstance(record, Mapping):
            raise ReadError(f"row {number} is {type(record).__name__} {record!r:.60}; a row is a dict: name → cell")
    keys = list(dict.fromkeys(key for record in records for key in record))
    return Loaded(keys, len(records), lambda place: cells_from_objects([record.get(keys[place]) for record in records]))


class PolarsFrame:
    """A polars frame; ``filed`` means that its rows are from a file."""

    spelled = False
    remarks = NO_REMARKS

    def __init__(self, frame: pl.DataFrame, *, filed: bool = False) -> None:
        self.filed = filed
        self.names: Sequence[str] = frame.columns
        self.rows = frame.height
        self.frame = frame
        self._texts: dict[str, Cells] = {}

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Rank all columns of text at once."""
        del texts, missing  # cells are typed
        types = (pl.String, pl.Categorical, pl.Enum, pl.Null)
        schema = self.frame.schema
        found = [name for name in names if schema[name] in types]
        # Not by pl.col, which would read '*' as all columns.
        texts_only = [self.frame.get_column(name) for name in found]
        self._texts = rank_texts(self.frame.select(texts_only).cast(pl.String)) if found else {}
        for name in found:
            if schema[name] in (pl.Categorical, pl.Enum):  # even if no cell has a category
                self._texts[name] = replace(self._texts[name], categorical=True)

    def cells(self, name: str) -> Cells:
        """Return the cells of a column; an Enum defines the order of its texts."""
        dtype = self.frame.schema[name]
        if isinstance(dtype, pl.Enum) and len(dtype.categories):
            return replace(self._texts[name], categorical=False, notation=LevelNotation(tuple(dtype.categories)))
        return self._texts.get(name) or polars_cells(self.frame.get_column(name))


def polars_cells(series: pl.Series) -> Cells:
    """Convert a polars column of any type but text to cells."""
    dtype = series.dtype
    if dtype.is_float() or dtype.is_integer():
        return cells_from_numbers(series.cast(pl.Float64).to_numpy(), float if dtype.is_float() else int)
    if dtype == pl.Boolean:
        return cells_from_flags(series.fill_null(value=False).to_numpy(), series.is_null().to_numpy())
    if dtype.is_temporal():
        return _polars_times(series)
    return cells_from_objects(series.to_list())


def _polars_times(series: pl.Series) -> Cells:
    """Convert a polars column of dates, times or durations to cells."""
    missing = series.is_null().to_numpy()
    counts = series.to_physical().fill_null(0).cast(pl.Int64).to_numpy()
    match series.dtype:
        case pl.Date():
            return cells_from_times(counts * 86_400, missing, "s", DATE)
        case pl.Time():
            return cells_from_times(counts, missing, "ns", TIME)
        case pl.Duration(time_unit=unit):
            return cells_from_times(counts, missing, unit, DURATION)
        case pl.Datetime(time_unit=unit, time_zone=zone):
            return cells_from_times(counts, missing, unit, DATETIME if zone is None else INSTANT)
    return cells_from_objects(series.to_list())


def _pandas_source(frame: pd.DataFrame) -> Source:
    """Open a pandas frame, of any version from 2.2 on, with columns of any type."""
    array_of = array_getter(frame)
    return Loaded(frame.columns, len(frame), lambda place: pandas_cells(array_of(place)))


def array_getter(frame: pd.DataFrame) -> Callable[[int], Any]:
    """Return a function that returns the array behind a column of a pandas frame.

    Selecting a Series takes 40 us, more than ranking a small column; the array takes 1 us.
    """
    return getattr(frame, "_get_column_array", None) or (lambda place: frame.iloc[:, place].array)


def pandas_cells(array: Any) -> Cells:  # noqa: PLR0911 - a return for each kind of pandas array
    """Convert the array behind a pandas column, of numpy or an extension type, to cells."""
    import pandas as pd

    kind = array.dtype.kind
    if kind in "iuf":
        numbers = array if isinstance(array, np.ndarray) else array.to_numpy(np.float64, na_value=np.nan)
        return cells_from_numbers(numbers, float if kind == "f" else int)
    if kind == "b":
        if isinstance(array, np.ndarray):
            return cells_from_flags(array)
        return cells_from_flags(array.to_numpy(bool, na_value=False), np.asarray(array.isna()))
    if isinstance(array, pd.Categorical):
        return _pandas_categories(array)
    if kind in "mM":
        return _pandas_times(array)
    if isinstance(array.dtype, pd.StringDtype) and array.dtype.storage == "pyarrow":
        return _arrow_texts(array.__arrow_array__())
    if isinstance(array.dtype, pd.StringDtype):
        array = array.to_numpy(dtype=object, na_value=None)
    # factorize treats True, 1 and 1.0 as equal; a column of only text has no such cells.
    if array.dtype == object and pd.api.types.infer_dtype(array, skipna=True) not in ("string", "empty"):
        return cells_from_objects(array.tolist())
    codes, distinct = pd.factorize(array)
    return cells_from_dictionary(distinct, codes)


def _pandas_categories(array: pd.Categorical) -> Cells:
    """Convert a categorical column to cells: its integers are names, and its categories may have an order."""
    cells = replace(cells_from_dictionary(_used_only(array.categories, array.codes), array.codes), categorical=True)
    if not array.ordered:
        return cells
    levels = [cell_value(level) for level in array.categories]
    names = tuple(number_to_text(level) if isinstance(level, float) else str(level) for level in levels)
    if len(set(names)) < len(names):  # 1 and "1" are the same name
        return cells
    return replace(numbers_as_texts(cells), notation=LevelNotation(names))


def _pandas_times(array: Any) -> Cells:
    """Convert a column of dates or durations to cells: those of numpy, of pandas with a zone, or of Arrow."""
    import pandas as pd

    if isinstance(array.dtype, pd.ArrowDtype):
        return polars_cells(pl.Series(pl.from_arrow(array.__arrow_array__())))
    if isinstance(array, np.ndarray):
        return _numpy_times(array)
    notation: Notation = DURATION if array.dtype.kind == "m" else DATETIME if array.tz is None else INSTANT
    return cells_from_times(array.asi8, np.asarray(array.isna()), array.unit, notation)


def _numpy_times(array: NDArray[Any]) -> Cells:
    """Convert a numpy array of dates or durations to cells."""
    unit, count = np.datetime_data(array.dtype)
    if unit not in ("s", "ms", "us", "ns") or count != 1:
        array = array.astype(f"{array.dtype.kind}8[{'s' if unit in 'YMWDhm' else 'ns'}]")
    unit = np.datetime_data(array.dtype)[0]
    return cells_from_times(
        array.astype(np.int64), np.isnat(array), unit, DURATION if array.dtype.kind == "m" else DATETIME
    )


def label_cells(series: Any) -> Cells | None:
    """Convert a pandas or polars series of only text to cells; None for anything else."""
    from narwhals import dependencies

    if dependencies.is_polars_series(series):
        if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
            return None
        return rank_texts(series.alias("y").to_frame().select(pl.col("y").cast(pl.String)))["y"]
    if dependencies.is_pandas_series(series):
        import pandas as pd

        array = series.to_numpy() if isinstance(series.dtype, np.dtype) else series.array
        distinct = array.categories if isinstance(array, pd.Categorical) else array
        if isinstance(distinct.dtype, pd.StringDtype) or pd.api.types.infer_dtype(distinct) in ("string", "empty"):
            return pandas_cells(array)
    return None


def _used_only(distinct: Iterable[object], codes: NDArray[Any]) -> list[object]:
    """Replace objects that do not occur by None."""
    counts = np.bincount(codes + 1)[1:]
    return [cell if place < len(counts) and counts[place] else None for place, cell in enumerate(distinct)]


def _arrow_texts(array: Any) -> Cells:
    """Convert an Arrow column of texts to cells.

    Our own kernel groups short texts: it takes 7 ns for a single byte, while Arrow takes 24; at ten bytes both take
    18, and for longer texts Arrow is faster.
    """
    import pyarrow as pa

    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if array.type != pa.large_string() or array.nbytes > (8 + 4) * len(array):
        encoded = array.dictionary_encode()
        return cells_from_texts(encoded.dictionary.to_pylist(), encoded.indices.fill_null(-1).to_numpy())
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    content = np.frombuffer(data or b"", dtype=np.uint8)
    codes, firsts = group_texts(ends, content)
    starts, stops = ends[firsts].tolist(), ends[firsts + 1].tolist()
    text_bytes = memoryview(content.data)
    distinct: list[Any] = [str(text_bytes[start:stop], "utf-8") for start, stop in zip(starts, stops, strict=True)]
    if array.null_count:  # a null has no bytes, like the text ''
        codes[array.is_null().to_numpy(zero_copy_only=False)] = -1
        distinct = _used_only(distinct, codes)
    return cells_from_texts(distinct, codes)


def _array_source(array: NDArray[Any], names: Sequence[str] | None = None) -> Source:
    """Open a numpy array of rows and columns; without names the columns are x0, x1 and so on."""
    if array.ndim != 2:
        raise ReadError(f"an array of {array.ndim} dimensions is not a table; rows and columns are two dimensions")

    names = names or [f"x{place}" for place in range(array.shape[1])]
    return Loaded(names, array.shape[0], lambda place: _array_cells(array[:, place]))


def _array_cells(column: NDArray[Any]) -> Cells:
    kind = column.dtype.kind
    if kind in "iuf":
        return cells_from_numbers(column, float if kind == "f" else int)
    if kind in "mM":
        return _numpy_times(column)
    return cells_from_flags(column) if kind == "b" else cells_from_objects(column.tolist())


def is_sparse(matrix: object) -> bool:
    """Whether an object is a sparse matrix or array of scipy."""
    scipy = sys.modules.get("scipy.sparse")  # a caller with such a matrix has imported scipy
    return scipy is not None and bool(scipy.issparse(matrix))


def _sparse_source(matrix: Any, names: Sequence[str] | None = None) -> Source:
    """Open a sparse matrix of scipy; columns become dense one at a time, never the whole matrix."""
    if matrix.ndim != 2:
        raise ReadError(f"a sparse array of {matrix.ndim} dimensions is not a table; rows and columns are two")
    rows, width = matrix.shape
    refuse_above_limit("columns", width, f"a sparse matrix of {width:,} columns")
    taken = f"takes {rows * width / 1e9:,.3g} GB or more as a table, a byte for each cell"
    advice = "keep fewer columns, such as the most frequent words"
    refuse_above_limit(
        "unpacked", rows * width, f"a sparse matrix of {rows:,} rows and {width:,} columns {taken}; {advice}"
    )
    columns = matrix.tocsc()
    if not columns.has_canonical_format:
        columns = columns.copy()  # the matrix may be the caller's
        columns.sum_duplicates()

    def cells(place: int) -> Cells:
        part = slice(*columns.indptr[place : place + 2])
        column = np.zeros(rows, dtype=columns.dtype)
        column[columns.indices[part]] = columns.data[part]
        return _array_cells(column)

    return Loaded(names or [f"x{place}" for place in range(width)], rows, cells)


def matrix_source(matrix: Any, names: Sequence[str] | None = None) -> Source:
    """Open a numpy array or a sparse matrix as a source, with names for its columns if they are given."""
    return _sparse_source(matrix, names) if is_sparse(matrix) else _array_source(matrix, names)


def to_native_frame(frame: Any) -> Any:
    """Return the frame of the underlying library; collect a LazyFrame of polars, and reject a single column."""
    import narwhals as nw
    from narwhals import dependencies

    frame = nw.to_native(frame, pass_through=True)
    if dependencies.is_polars_lazyframe(frame):
        try:
            return frame.collect()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise ReadError(f"the LazyFrame cannot be collected: {str(error).splitlines()[0]}") from None
    if dependencies.is_polars_series(frame):
        raise ParameterError("a Series is one column, not a table; make it a frame: series.to_frame()")
    if dependencies.is_pyspark_dataframe(frame) or dependencies.is_pyspark_connect_dataframe(frame):
        raise ParameterError(
            "a Spark frame stays in Spark: predict there with unless.export.predict_spark(model, frame), or bring it "
            "here if it fits into memory: frame.toArrow()"
        )
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(frame, polars.Expr):
        raise ParameterError("an Expr has no data; take it from a frame: frame.select(expression)")
    return frame


def frame_source(frame: object) -> Source | None:
    """Open a data frame or an array as a source; None if it is neither."""
    import narwhals as nw
    from narwhals import dependencies

    if isinstance(frame, np.ndarray) or is_sparse(frame):
        return matrix_source(frame)
    frame = to_native_frame(frame)
    if dependencies.is_pandas_dataframe(frame):
        return _pandas_source(frame)
    if dependencies.is_polars_dataframe(frame):
        return PolarsFrame(frame)
    if dependencies.is_pyarrow_table(frame):
        refuse_twins(frame.column_names)
    try:
        return PolarsFrame(_restore_orders(nw.from_native(frame, eager_only=True).to_polars(), frame))  # type: ignore[call-overload]
    except TypeError:
        return None
    except Exception as error:  # noqa: BLE001 - libraries raise anything for a type that they do not have
        raise ReadError(f"the {type(frame).__name__} cannot be read: {error}") from None


def _restore_orders(frame: pl.DataFrame, native: Any) -> pl.DataFrame:
    """Make ordered columns of Arrow Enums, since polars loses their order."""
    if not hasattr(native, "combine_chunks"):  # not Arrow's
        return frame
    for field in native.schema:
        if getattr(field.type, "ordered", False) and frame.schema[field.name] == pl.Categorical:
            chunks = native.column(field.name).unify_dictionaries().chunks
            levels = chunks[0].dictionary.to_pylist() if chunks else []
            frame = frame.with_columns(frame.get_column(field.name).cast(pl.String).cast(pl.Enum(levels)))
    return frame


# Python objects as exact polars columns: no number is rounded, and columns of mixed types lose nothing.


class SpelledNumber(float):
    """A number with the text it was written as."""

    text: str

    def __new__(cls, text: str) -> Self:
        """Read the number."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def make_frame(columns: Mapping[str, Sequence[Any]], texts: Collection[str] = ()) -> pl.DataFrame:
    """Make a frame from columns of Python objects; the columns in ``texts`` are text."""
    # A dict, not a list of series: polars would rename a series named ''.
    return pl.DataFrame({name: make_series(cells, as_text=name in texts) for name, cells in columns.items()})


def make_series(cells: Sequence[Any], *, as_text: bool = False) -> pl.Series:
    """Make a series of integers, numbers or booleans if all cells have that type, otherwise of text; None is null.

    Lists and dicts become their JSON text. A `SpelledNumber` becomes text, as does a number that its type cannot hold.
    """
    types = {str} if as_text else {type(cell) for cell in cells if cell is not None}
    if types == {bool}:
        return pl.Series(cells, dtype=pl.Boolean)
    if types == {int} and all(abs(cell) < 2**63 for cell in cells if cell is not None):
        return pl.Series(cells, dtype=pl.Int64)
    if float in types and types <= {int, float} and all(map(_is_float, cells)):
        return pl.Series([None if cell is None else float(cell) for cell in cells], dtype=pl.Float64)
    return pl.Series([_object_to_text(cell) for cell in cells], dtype=pl.String)


def _is_float(cell: float | None) -> bool:
    """Whether a float64 represents the cell exactly, unlike an integer of many digits."""
    try:
        return not isinstance(cell, int) or float(cell) == cell
    except OverflowError:
        return False


def _object_to_text(cell: object) -> str | None:
    match cell:
        case None | str():
            return cell
        case bool():
            return str(cell)  # True, spelled as in `read_table`
        case SpelledNumber():
            return cell.text
    return json.dumps(cell, ensure_ascii=False)
