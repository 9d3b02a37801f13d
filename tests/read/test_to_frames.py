"""Tables as frames: the same cells and types, and the same table when they are read again."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unless import Table, read_table
from unless.errors import ReadError
from unless.table import Column, Labels, drop_unused_values

FORMS = ["to_pandas", "to_polars", "to_arrow"]
CSV = b"age,zip,years,town,y\n39,007,3,Oslo,1\n,010,unknown,,0\n41.5,007,4,R\xc3\xb3ma,1\n"


@pytest.fixture
def table() -> Table:
    """A table with all kinds of columns; the target is text."""
    return read_table(CSV, "y", format="csv", categorical=["zip"], numeric=["years"])


def records(table: Table) -> list[dict[str, object]]:
    """All rows, with their labels."""
    labels = [None] * len(table) if table.target is None else table.y.tolist()
    return [{**table.record(row), "<y>": label} for row, label in enumerate(labels)]


def test_types_in_pandas(table):
    """Numbers are float64, text is categorical, a mixed column holds objects, and the labels come last."""
    frame = table.to_pandas()
    assert list(frame.columns) == ["age", "zip", "years", "town", "y"]
    assert [str(dtype) for dtype in frame.dtypes[:4]] == ["float64", "category", "object", "category"]
    assert frame["age"][0] == 39.0
    assert math.isnan(frame["age"][1])
    assert frame["zip"].tolist() == ["007", "010", "007"]
    assert frame["years"].tolist() == [3.0, "unknown", 4.0]
    assert frame["town"].isna().tolist() == [False, True, False]
    assert frame["y"].tolist() == ["1", "0", "1"]


def test_types_in_polars_and_arrow(table):
    """Numbers are Float64, text is categorical, a mixed column is text, and missing cells are null."""
    frame = table.to_polars()
    assert frame.schema.dtypes() == [pl.Float64, pl.Categorical, pl.String, pl.Categorical, pl.String]
    assert frame["years"].to_list() == ["3", "unknown", "4"]
    assert frame["age"].to_list() == [39.0, None, 41.5]
    assert frame["town"].to_list() == ["Oslo", None, "Róma"]
    arrow = table.to_arrow()
    assert isinstance(arrow, pa.Table)
    assert arrow.column("zip").to_pylist() == ["007", "010", "007"]
    assert arrow.column("age").null_count == 1


@pytest.mark.parametrize("labels", [[1, 2], [True, False], [0.5, 1.0], ["1", "x"]])
def test_labels_keep_their_type(labels):
    """Whole numbers, booleans, numbers and text."""
    table = Table((Column.of("a", [1, 2], "number"),), Labels.of("y", labels))
    for form in FORMS:
        again = read_table(getattr(table, form)(), "y")
        assert again.y.tolist() == labels
        assert list(map(type, again.y.tolist())) == list(map(type, labels))


def test_a_table_without_labels_has_no_such_column(table):
    """Only the features are there; rows of a table are the rows of its frame."""
    part = Table(table.columns)[[2, 0]]
    assert list(part.to_pandas().columns) == list(part.to_polars().columns) == ["age", "zip", "years", "town"]
    assert part.to_polars()["age"].to_list() == part.to_pandas()["age"].tolist() == [41.5, 39.0]
    assert len(part[:0].to_pandas()) == part[:0].to_polars().height == 0
    with pytest.raises(ReadError, match="'age' is called like a column"):
        Table(table.columns, Labels.of("age", [1, 2, 3])).to_pandas()


CELLS = {
    "number": st.sampled_from([None, 0.0, 1.0, -2.5, 1e300, math.inf]),
    "text": st.sampled_from([None, "", "1", "007", "NA", "True", "x", "é"]),
    "mixed": st.sampled_from([None, 0.0, 1.0, 2.5, "x", "y"]),
}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_reading_a_frame_again_gives_the_table(data):
    """Numbers and text come back from every library; a mixed column from pandas, and else if it is declared numeric."""
    rows = data.draw(st.integers(1, 6))
    kinds = data.draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=4))
    columns = tuple(
        Column.of(f"c{place}", data.draw(st.lists(CELLS[kind], min_size=rows, max_size=rows)), kind)
        for place, kind in enumerate(kinds)
    )
    table = Table(columns, Labels.of("y", data.draw(st.lists(st.sampled_from("ab"), min_size=rows, max_size=rows))))
    numeric = [column.name for column in columns if column.kind == "mixed"]
    for form in FORMS:
        frame = getattr(table, form)()
        again = read_table(frame, "y")
        half = form == "to_pandas"  # where a column with as many numbers as texts is mixed
        exact = [c.name for c in columns if c.kind != "mixed" or (half and 0 < len(c.categories) <= len(c.numbers))]
        assert [again.record(row)[name] for row in range(rows) for name in exact] == [
            table.record(row)[name] for row in range(rows) for name in exact
        ]
        assert [again.column(name).kind for name in exact] == [table.column(name).kind for name in exact]
        assert again.y.tolist() == table.y.tolist()
        alike = read_table(frame, "y", numeric=numeric)
        assert [alike.record(row) for row in range(rows)] == [table.record(row) for row in range(rows)]


def test_values_that_no_row_has_are_left_out():
    """The same records, ranked among the values that occur; a table that has no others is given back."""
    table = Table((Column.of("a", [3, "x", None, 1, "y", 2]), Column.of("b", list("uvuvuv"))), Labels.of("y", range(6)))
    part = drop_unused_values(table[[1, 2, 3]])
    assert records(part) == records(table[[1, 2, 3]])
    assert part.column("a").numbers.tolist() == [1.0]
    assert part.column("a").categories == ("x",)
    assert part.column("a").codes.tolist() == [1, 2, 0]
    assert drop_unused_values(table) is table


def test_an_index_of_pandas_starts_at_0(table):
    """The frame of some rows counts them anew."""
    assert table[[2, 1]].to_pandas().index.equals(pd.RangeIndex(2))


@pytest.mark.parametrize("values", [5, 255, 256, 257, 70_000])
def test_what_occurs_is_a_column_like_any_other(values):
    """Its values and codes are those of a column of the same cells, read-only, and codes of the smallest type."""
    cells = [*map(float, range(values)), *(f"t{k:02}" for k in range(20)), None]
    table = Table((Column.of("n", cells),))
    rows = np.arange(len(cells))[3::2]
    found, wanted = drop_unused_values(table[rows]).column("n"), Column.of("n", [cells[row] for row in rows])
    assert found.categories == wanted.categories
    for name in ("numbers", "codes"):
        one, other = getattr(found, name), getattr(wanted, name)
        assert one.tolist() == other.tolist()
        assert (one.dtype, one.flags.writeable) == (other.dtype, False)
