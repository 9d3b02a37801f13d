"""Tables of rank codes: order, truth as ranks, rows."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unless
from unless.errors import ReadError, UnknownNameError
from unless.rule import Literal
from unless.table import Column, Labels, Schema, Table, to_smallest_type
from unless.values import DEFAULT_MISSING, Label, Value

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
    assert to_smallest_type(np.zeros(3, dtype=np.int64), count).dtype == dtype


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
    """Columns of different lengths, or with the same name, are refused."""
    with pytest.raises(ReadError, match="different lengths"):
        Table((Column.of("a", [1]), Column.of("b", [1, 2])))
    with pytest.raises(ReadError, match="'a' appears twice"):
        Table((Column.of("a", [1]), Column.of("a", [2])))


def column(
    numbers: object = (1.0, 2.0), categories: object = ("a", "b"), codes: object = (0, 4), **other: object
) -> Column:
    """A column made by hand, of two numbers and two categories."""
    given = {"name": "f", "kind": "mixed", "numbers": np.array(numbers), "categories": categories, "codes": codes}
    return Column(**(given | other))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"codes": np.array([0, 5])}, r"'f' has 4 values and missing, so its codes are below 5 .* unlike 5"),
        ({"codes": np.array([0, 256])}, "unlike 256"),
        ({"codes": np.array([0, 2**32], np.uint64)}, "unlike 4294967296"),
        ({"codes": np.array([-1, 0])}, "unlike -1"),
        ({"codes": np.zeros((2, 2), np.uint8)}, "one dimension, not of 2"),
        ({"codes": np.uint8(0)}, "one dimension, not of 0"),
        ({"codes": np.array([0.0, 1.0])}, "whole numbers, not float64"),
        ({"codes": np.array([True, False])}, "whole numbers, not bool"),
        ({"codes": ["0", "1"]}, "whole numbers, not <U1"),
        ({"numbers": [2.0, 1.0]}, "must be sorted and distinct"),
        ({"numbers": [1.0, 1.0]}, "must be sorted and distinct"),
        ({"numbers": [-0.0, 0.0]}, "must be sorted and distinct"),
        ({"numbers": [1.0, math.nan]}, "must be sorted and distinct"),
        ({"numbers": [math.nan]}, "must be sorted and distinct"),
        ({"numbers": [["a"]]}, "array of numbers"),
        ({"numbers": ["1", "2"]}, "array of numbers"),
        ({"categories": ("b", "a")}, "must be sorted and distinct"),
        ({"categories": ("a", "a")}, "must be sorted and distinct"),
        ({"categories": ("a", 1)}, "must be texts, not 1"),
        ({"categories": (None,)}, "must be texts, not None"),
        ({"kind": "date"}, "number, text or mixed, not 'date'"),
        ({"name": 7}, "the name of a column must be text, not int 7"),
    ],
    ids=str,
)
def test_a_column_that_is_none(wrong: dict[str, object], message: str) -> None:
    """Codes without a value, and values out of order, are refused when a column is made, not when it is used."""
    with pytest.raises(ReadError, match=message):
        column(**wrong)


@pytest.mark.parametrize(
    ("labels", "codes", "message"),
    [
        (("a", "b"), [0, 2**31 - 1], "'y' has 2 labels, so its codes are below 2 and not negative, unlike 2147483647"),
        (("a", "b"), [0, 2], "unlike 2"),
        (("a", "b"), [-1], "unlike -1"),
        (("a",), [[0]], "one dimension"),
        (("a",), [0.0], "whole numbers"),
        ((), [0], "unlike 0"),
        (("b", "a"), [0], "must be sorted and distinct, not 'b', 'a'"),
        ((1, 1.0), [0], "must be sorted and distinct, not 1, 1.0"),
        (("a", 1), [0], "mixed types: 'a', 1; make them all text"),
        ((False, 1), [0], "mixed types: False, 1"),
        ((None,), [0], "text, numbers or booleans, not None"),
        ((math.nan,), [0], "NaN"),
    ],
    ids=str,
)
def test_labels_that_are_none(labels: tuple[Label, ...], codes: object, message: str) -> None:
    """A code without a label is refused, before anything reads memory at its place."""
    with pytest.raises(ReadError, match=message):
        Labels("y", labels, np.array(codes))


def test_what_is_meant_is_taken() -> None:
    """Codes may be integers of any type and layout; minus zero, and numpy's texts and labels, are accepted."""
    found = column([-0.0, 2.0], (np.str_("a"), "b"), np.arange(10, dtype=np.int64)[::-3] // 2)
    assert found.codes.dtype == np.uint8
    assert found.codes.tolist() == [4, 3, 1, 0]
    assert found.codes.flags.c_contiguous
    assert not np.signbit(found.numbers[0])
    assert set(map(type, found.categories)) == {str}
    assert column([], (), []).codes.tolist() == []
    labels = Labels("y", (np.int64(1), np.float64(2.5)), [1, 0])  # type: ignore[arg-type]
    assert [type(label) for label in labels.labels] == [int, float]


def test_what_was_checked_stays_so() -> None:
    """Codes and numbers of a table are read-only; the arrays given to it stay writable."""
    codes = np.array([0, 1], np.uint8)
    table = Table((column(codes=codes),), Labels("y", ("a", "b"), codes))
    assert table.target is not None
    for array in (table.column("f").codes, table.target.codes, table.column("f").numbers, table[1:].column("f").codes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    codes[0] = 1


def test_a_table_is_made_of_columns() -> None:
    """Anything else is refused, and the error names it."""
    with pytest.raises(ReadError, match="made of columns, not of str 'f'"):
        Table(("f",))  # type: ignore[arg-type]
    with pytest.raises(ReadError, match="Labels, not str 'y'"):
        Table((), "y")  # type: ignore[arg-type]
    assert Table([column()]).features == ("f",)  # type: ignore[arg-type]


def test_schema() -> None:
    """A table's schema reads another table the same way."""
    table = Table((Column.of("a", [1], "number"), Column.of("b", ["x"], "text")), Labels.of("y", [1]))
    assert table.schema == Schema({"a": "number", "b": "text"}, DEFAULT_MISSING, "y", typed=frozenset({"a"}))
    assert Table(()).schema == Schema({})


def test_printing() -> None:
    """Tables and columns print what they contain."""
    assert repr(make()) == "<Table: 3 rows, 2 features, target 'y'>"
    assert repr(make().column("b")) == "<Column 'b': mixed, 3 cells, 0 numbers, 2 categories>"


@pytest.mark.parametrize("again", [lambda it: it, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_nobody_else_can_write_to_a_column(again):
    """Nobody can change the arrays of a column, neither through the original arrays nor in a copy."""
    codes, numbers = np.zeros(3, dtype=np.uint8), np.array([1.0, 2.0])
    column = again(Column("x", "number", numbers, (), codes))
    labels = again(Labels("y", ("a", "b"), codes))
    codes[:], numbers[:] = 255, 9.0
    assert column.codes.tolist() == labels.codes.tolist() == [0, 0, 0]
    assert column.numbers.tolist() == [1.0, 2.0]
    for array in (column.codes, column.numbers, labels.codes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_rows_that_were_left_out_leave_gaps_in_the_numbers() -> None:
    """Rows keep the numbers that they have in their source, whichever of them are taken."""
    rows = [{"a": k, "y": None if k % 3 == 0 else "xy"[k % 2]} for k in range(9)]
    table = unless.read_table(rows, target="y", drop_unlabelled=True)
    assert [table.number(row) for row in range(len(table))] == [2, 3, 5, 6, 8, 9]
    assert [table[2:].number(row) for row in range(2)] == [5, 6]
    assert table[[5, 0]].number(0) == 9
    assert unless.read_table(rows, features=["a"]).numbers is None
    assert unless.read_table(rows, features=["a"])[[4]].number(0) == 1
