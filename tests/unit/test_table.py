"""Tables of rank codes: order, truth as ranks, rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unless.errors import ReadError, UnknownNameError
from unless.rule import Literal
from unless.table import Column, Labels, Schema, Table, smallest
from unless.values import DEFAULT_MISSING, Value

CELLS = st.lists(st.sampled_from([None, "a", "b", "é", "", -1.0, 0.0, 2.5, math.inf]))
LITERALS = [
    *(Literal("f", op, x) for op in ("<=", ">") for x in (-2.0, -1.0, 0.5, 2.5, math.inf)),
    *(Literal("f", op, c) for op in ("==", "!=") for c in ("", "a", "aa", "z")),
    Literal("f", "missing"),
    Literal("f", "present"),
]


def test_order_of_ranks() -> None:
    """Numbers ascend, categories follow by code point, missing is last."""
    column = Column.of("f", ["b", 2, None, "B", -1.5, "é", 2.0, True])
    assert column.numbers.tolist() == [-1.5, 2.0]
    assert column.categories == ("B", "True", "b", "é")
    assert column.codes.tolist() == [4, 1, 6, 2, 0, 5, 1, 3]
    assert column.missing == 6


@given(CELLS)
def test_values_come_back(cells: list[Value]) -> None:
    """The value behind a cell's rank is the cell."""
    column = Column.of("f", cells)
    assert [column.value(code) for code in column.codes.tolist()] == cells
    assert len(column) == len(cells)


@given(CELLS, st.sampled_from(LITERALS))
def test_span_is_truth(cells: list[Value], literal: Literal) -> None:
    """A literal's span of ranks says what `Literal.holds` says, for values seen and unseen."""
    column = Column.of("f", cells)
    first, end, negated = column.span(literal)
    assert [(first <= code < end) != negated for code in column.codes.tolist()] == [literal.holds(c) for c in cells]


@pytest.mark.parametrize(("count", "dtype"), [(0, "u1"), (256, "u1"), (257, "u2"), (65536, "u2"), (65537, "u4")])
def test_smallest(count: int, dtype: str) -> None:
    """Codes take the smallest unsigned type."""
    assert smallest(np.zeros(3, dtype=np.int64), count).dtype == dtype


def make() -> Table:
    """A small table."""
    return Table((Column.of("a", [1, 2, 3]), Column.of("b", ["x", None, "y"])), Labels.of("y", ["q", "p", "q"]))


def test_rows() -> None:
    """A slice, a mask and row numbers give the same ranks for fewer rows."""
    table = make()
    for rows in (slice(1, 3), [1, 2], np.array([False, True, True])):
        part = table[rows]
        assert len(part) == 2
        assert part.record(0) == {"a": 2.0, "b": None}
        assert part.target is not None
        assert part.target.codes.tolist() == [0, 1]
        assert part.column("a").numbers.tolist() == [1.0, 2.0, 3.0]
    assert len(Table((), rows=3)[1:]) == 2
    assert len(table[[]]) == len(table[np.zeros(3, bool)]) == 0
    with pytest.raises(TypeError, match="record"):
        table[1]  # type: ignore[index]


def test_columns_by_name() -> None:
    """An unknown column is an error with the nearest name."""
    assert make().features == ("a", "b")
    with pytest.raises(UnknownNameError, match="no column 'c'"):
        make().column("c")


def test_refusals() -> None:
    """Columns of different lengths, or of one name, make no table."""
    with pytest.raises(ReadError, match="different lengths"):
        Table((Column.of("a", [1]), Column.of("b", [1, 2])))
    with pytest.raises(ReadError, match="'a' stands twice"):
        Table((Column.of("a", [1]), Column.of("a", [2])))


def test_schema() -> None:
    """A table tells how to read another batch alike."""
    table = Table((Column.of("a", [1], "number"), Column.of("b", ["x"], "text")), Labels.of("y", [1]))
    assert table.schema == Schema({"a": "number", "b": "text"}, DEFAULT_MISSING, "y")
    assert Table(()).schema == Schema({})


def test_printing() -> None:
    """Tables and columns print what they hold."""
    assert repr(make()) == "<Table: 3 rows, 2 features, target 'y'>"
    assert repr(make().column("b")) == "<Column 'b': mixed, 3 cells, 0 numbers, 2 categories>"
