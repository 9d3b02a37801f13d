"""Read cells without ranking them, for predictions: those of a single row, and columns of numbers.

Both functions accept only certain types: plain dicts, numpy arrays, and frames of pandas and polars. `read_table` reads
all other data.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.read.frames import array_getter, pandas_cells, polars_cells


def single_row(X: Any, names: Sequence[str]) -> list[object] | None:  # noqa: N803 - scikit-learn calls it X
    """Return the cells of the only row of X, which has exactly these columns; None if `read_table` is needed.

    An array has the columns in this order; dicts and frames may have any order. A cell is a Python value, or `Cells` if
    the type of its column adds meaning to the value.
    """
    kind = X.__class__
    if kind is list:
        return _of_dict(X[0], names) if len(X) == 1 and X[0].__class__ is dict else None
    if kind is np.ndarray:
        return _of_array(X, names)
    if kind is _class("pandas", "DataFrame"):
        return _of_pandas(X, names)
    return _of_polars(X, names) if kind is _class("polars", "DataFrame") else None


def _of_dict(record: dict[Any, object], names: Sequence[str]) -> list[object] | None:
    try:
        cells = [record[name] for name in names]
    except KeyError:
        return None
    return cells if len(record) == len(names) else None


def _of_array(array: NDArray[Any], names: Sequence[str]) -> list[object] | None:
    if array.shape != (1, len(names)) or array.dtype.kind not in "iufOU":
        return None
    row = array[0].astype(np.float64) if array.dtype.kind in "iuf" else array[0]
    return list(row.tolist())


def _of_pandas(frame: Any, names: Sequence[str]) -> list[object] | None:
    found = frame.columns.tolist()
    if len(frame) != 1 or len(found) != len(names):
        return None
    array_of = array_getter(frame)
    if found == names:
        return [_pandas_cell(array_of(place)) for place in range(len(names))]
    places = {name: place for place, name in enumerate(found)}
    if not all(name in places for name in names):
        return None
    return [_pandas_cell(array_of(places[name])) for name in names]


def _pandas_cell(array: Any) -> object:
    """Return the only cell of an array; as `Cells` if it is neither a number nor text."""
    if array.__class__ is np.ndarray and array.dtype.kind in "iuf":
        return float(array[0])
    return array[0] if array.dtype.__class__.__name__ == "StringDtype" else pandas_cells(array)


def _of_polars(frame: Any, names: Sequence[str]) -> list[object] | None:
    import polars as pl

    found = frame.columns
    if frame.height != 1 or len(found) != len(names):
        return None
    cells = dict(zip(found, frame.row(0), strict=True))
    for name, dtype in zip(found, frame.dtypes, strict=True):
        if dtype in (pl.Categorical, pl.Enum):
            return None
        if not (dtype == pl.String or dtype.is_integer() or dtype.is_float()):
            cells[name] = polars_cells(frame.get_column(name))
    return [cells[name] for name in names] if cells.keys() == set(names) else None


def number_arrays(X: Any, names: Sequence[str], wanted: Collection[str]) -> dict[str, NDArray[np.float64]]:  # noqa: N803
    """Return the arrays of the wanted columns that contain only numbers; NaN is missing.

    An array has the columns in this order; a frame has their names.
    """
    kind = X.__class__
    if kind is np.ndarray:
        fits = X.ndim == 2 and X.shape[1] == len(names) and X.dtype.kind in "iuf"
        return {name: _doubles(X[:, place]) for place, name in enumerate(names) if fits and name in wanted}
    if kind is _class("pandas", "DataFrame"):
        array_of = array_getter(X)
        arrays = ((name, array_of(place)) for place, name in enumerate(X.columns.tolist()) if name in wanted)
        return {name: _doubles(one) for name, one in arrays if isinstance(one, np.ndarray) and one.dtype.kind in "iuf"}
    if kind is _class("polars", "DataFrame"):
        import polars as pl

        columns = (X.get_column(name) for name in X.columns if name in wanted)
        numbers = (one for one in columns if one.dtype.is_integer() or one.dtype.is_float())
        return {one.name: _doubles(one.cast(pl.Float64).to_numpy()) for one in numbers}
    return {}


def _doubles(array: NDArray[Any]) -> NDArray[np.float64]:
    return np.ascontiguousarray(array, dtype=np.float64)


def _class(library: str, name: str) -> object:
    """Return a class of a library if the library is imported: a caller with such a frame has imported it."""
    return getattr(sys.modules.get(library), name, _class)
