"""Outputs keep types: numbers of text files are numbers where a format has them, and no cell changes."""

from __future__ import annotations

import io
import json
import os
import threading
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unless import UnlessClassifier, load, read_table
from unless.errors import ParameterError, ReadError
from unless.rule import Literal, Program, Rule
from unless.stream import predict_file
from unless.stream.column_types import NumberColumns, NumberFit
from unless.values import DEFAULT_MISSING, parse_number

PROGRAM = Program("y", ("a",), (Rule("low", (Literal("a", "<=", 5.0),)),), "high")


def typed(data: bytes, model: object = PROGRAM, *, to: str = "parquet", form: str = "csv", **options) -> pl.DataFrame:
    """What is written for the bytes of a text file."""
    out = io.BytesIO()
    predict_file(model, io.BytesIO(data), out, format=form, to=to, **options)
    return {"parquet": pl.read_parquet, "arrow": pl.read_ipc, "jsonl": pl.read_ndjson}[to](out.getvalue())


@pytest.mark.parametrize("to", ["parquet", "arrow", "jsonl"])
@pytest.mark.parametrize("block", [1, 30, 1 << 23])
def test_numbers_are_numbers(to, block):
    """Whole numbers, other numbers and text have their types, wherever the blocks end; missing cells are null."""
    data = b"a,price,n,name,zip\n1, 2.50,?,Ada,10115\n9,3,-7,,01067\n+4,NA,8,NA,80331\n"
    frame = typed(data, to=to, block=block)
    assert frame.schema.dtypes() == [pl.Int64, pl.Float64, pl.Int64, pl.String, pl.String, pl.String, pl.Int64]
    assert frame.select("a", "price", "n", "name", "zip").rows() == [
        (1, 2.5, None, "Ada", "10115"),
        (9, 3.0, -7, None, "01067"),
        (4, None, 8, "NA", "80331"),
    ]


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        (["1", "2"], pl.Int64),
        (["1", "2.0"], pl.Float64),
        (["9223372036854775807"], pl.Int64),
        (["9223372036854775808"], pl.String),
        (["9223372036854775807", "0.5"], pl.String),
        (["9007199254740993", "0.5"], pl.String),
        (["0.30000000000000004", "1e22", "5e-324", "1.7976931348623157e308"], pl.Float64),
        (["0.1234567890123456789"], pl.String),
        (["1", "1e400"], pl.String),
        (["1", "1e-400"], pl.String),
        (["7", "007"], pl.String),
        (["-0", "1"], pl.Float64),
        (["5.", ".5", "-.5", "1E+5"], pl.Float64),
        (["1", "x"], pl.String),
        (["1", "1_0"], pl.String),
        (["1", "inf"], pl.String),
        (["1", "+-1"], pl.String),
        (["1", "?", "", "NA"], pl.Int64),
        (["?", "", "NA"], pl.String),
        (["1", "  ", " "], pl.Int64),
        (["1.5", " ", "x"], pl.String),
        (["1", "0x1"], pl.String),
        (["1\t", "2"], pl.String),
        (["true", "false"], pl.String),
    ],
)
def test_which_columns_are_numbers(cells, dtype):
    """Every cell has to be a plain number that comes back the same; 007 is a name."""
    frame = typed(("a,b\n" + "".join(f"1,{cell}\n" for cell in cells)).encode())
    assert frame.schema["b"] == dtype


NUMBERS = st.one_of(
    st.sampled_from(
        ["0", "-0", "007", " 7 ", "+5", "5.", ".5", "1e5", "1e400", "1e-400", "", "NA", "x", "9007199254740993"]
    ),
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
    st.text("0123456789.eE+- ", max_size=22).filter(lambda text: text.strip(" ")),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=4), st.sampled_from([1, 1 << 23]))
def test_no_number_changes(cells, block):
    """A column is text with the very cells, or numbers that are exactly what the text says."""
    frame = typed(("a,b\n" + "".join(f'1,"{cell}"\n' for cell in cells)).encode(), block=block)
    for cell, found in zip(cells, frame["b"].to_list(), strict=True):
        if isinstance(found, int | float):
            assert parse_number(cell) is not None
            assert Decimal(cell.strip(" ")) == Decimal(repr(found))
            assert cell.strip(" +-")[:1] != "0" or not cell.strip(" +-")[1:2].isdigit()
        elif found is None:
            assert cell == "" or (cell in DEFAULT_MISSING and frame.schema["b"] != pl.String)
        else:
            assert found == cell


@pytest.mark.parametrize("to", ["parquet", "jsonl"])
def test_a_late_name_keeps_the_whole_column_text(to):
    """A file of many blocks is looked through first: what comes last counts like what comes first."""
    data = b"a,b\n" + b"1,7\n" * 3000 + b"1,007\n"
    frame = typed(data, to=to, block=100)
    assert frame["b"].to_list() == ["7"] * 3000 + ["007"]


def people(text: str = "zip,age,size,y\n") -> bytes:
    """A file that tells labels by age."""
    return (text + "".join(f"{10000 + n},{n % 70},{n % 5 or 'x'},{int(n % 70 > 30)}\n" for n in range(200))).encode()


def test_the_model_knows_what_is_text(tmp_path):
    """What the model reads as text, or as numbers and text, stays text, and so do labels that are text."""
    table = read_table(people(), "y", format="csv", categorical=["zip"])
    UnlessClassifier(warn=False).fit(table).save(tmp_path / "model.json")
    new = b"zip,age,size,y,id\n1,50,3,1,17\n2,20,4,0,18\n"
    frame = typed(new, load(tmp_path / "model.json"))
    assert frame.schema.dtypes()[:6] == [pl.String, pl.Int64, pl.String, pl.String, pl.Int64, pl.String]
    assert frame["predicted"].to_list() == frame["y"].to_list() == ["1", "0"]
    empty = typed(b"zip,age,size,id\n1,,3,\n", load(tmp_path / "model.json"))
    assert empty.schema.dtypes()[:4] == [pl.String, pl.Float64, pl.String, pl.String]


def test_a_text_that_a_program_compares_stays_text():
    """A program without a schema names the texts that its columns hold."""
    program = Program("y", ("a", "b"), (Rule(1, (Literal("b", "==", "7"),)),), 0)
    frame = typed(b"a,b,y\n1,7,1\n2,8,0\n", program)
    assert frame.schema.dtypes() == [pl.Int64, pl.String, pl.Int64, pl.Int64, pl.Int64]
    assert frame["predicted"].to_list() == [1, 0]


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [((1, 2), pl.Int64), ((1.0, 2.0), pl.Float64), ((True, False), pl.Boolean), (("1", "2"), pl.String)],
)
@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("to", ["parquet", "arrow", "jsonl"])
def test_predictions_have_the_type_of_labels(labels, dtype, form, to):
    """Whole numbers, numbers, booleans and text, from text and typed files; a record without a label has null."""
    program = Program(
        "y", ("a",), (Rule(labels[0], (Literal("a", "<=", 5.0),)), Rule(labels[1], (Literal("a", ">", 8.0),)))
    )
    source = io.BytesIO()
    pl.DataFrame({"a": [1, 7, 9]}).write_parquet(source)
    data = b"a\n1\n7\n9\n" if form == "csv" else source.getvalue()
    frame = typed(data, program, form=form, to=to)
    assert frame.schema["predicted"] == dtype
    assert frame["predicted"].to_list() == [labels[0], None, labels[1]]


def test_new_columns_have_types_even_if_they_are_empty():
    """A program without rules gives no number of a rule: the column is one of whole numbers all the same."""
    frame = typed(b"a\n1\n", Program("y", ("a",), (), "x"))
    assert frame.schema["rule"] == pl.Int64


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_is_kept_while_it_is_looked_through(tmp_path):
    """What can be read only once is decided by all its cells too, and nothing is left behind."""
    pipe, data = tmp_path / "in.csv", b"a,b,c\n" + b"1,7,2\n" * 3000 + b"1,007,2.5\n"
    os.mkfifo(pipe)
    thread = threading.Thread(target=pipe.write_bytes, args=(data,))
    thread.start()
    predict_file(PROGRAM, pipe, tmp_path / "out.parquet", block=500)
    thread.join()
    frame = pl.read_parquet(tmp_path / "out.parquet")
    assert frame.schema.dtypes()[:3] == [pl.Int64, pl.String, pl.Float64]
    assert frame.height == 3001
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.parquet"]


def test_an_open_file_is_read_from_where_it_is():
    """What was read of an open file before is not read again."""
    file, out = io.BytesIO(b"junk\na,b\n1,2\n"), io.BytesIO()
    file.seek(5)
    predict_file(PROGRAM, file, out, format="csv", to="jsonl")
    assert json.loads(out.getvalue()) == {"a": 1, "b": 2, "predicted": "low", "rule": 1}


def test_a_file_that_changes_meanwhile_is_refused():
    """A cell that was a number the first time, and no longer is, is not lost without a word."""
    known = NumberColumns({"a": NumberFit(any=True)}, missing=("NA",))
    with pytest.raises(ReadError, match=r"new\.csv: the column 'a' changed while the file was read; try again"):
        known.convert(pl.DataFrame({"a": ["1", "NA", "x"]}), "new.csv")


def test_a_file_without_records_is_text():
    """Nothing says that its columns are numbers; only the model may know it."""
    assert NumberColumns.find([], PROGRAM).fits == {}
    assert typed(b"a,b\n").schema["a"] == pl.String


def test_from_text_to_text_nothing_is_looked_at():
    """Cells of a CSV file stay as they are spelled in a TSV file."""
    out = io.BytesIO()
    predict_file(PROGRAM, io.BytesIO(b"a,b\n1.50,007\n"), out, format="csv", to="tsv")
    assert out.getvalue() == b"a\tb\tpredicted\trule\n1.50\t007\tlow\t1\n"


def test_the_folder_of_parts_has_one_type(tmp_path):
    """A column is text in all parts if one part has text in it."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "1.csv").write_bytes(b"a,b,c\n1,7,2\n")
    (tmp_path / "parts" / "2.csv").write_bytes(b"c,b,a\n2.5,x,9\n")
    predict_file(PROGRAM, tmp_path / "parts", tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").rows() == [(1, "7", 2.0, "low", 1), (9, "x", 2.5, "high", None)]


def test_a_file_is_refused_before_it_is_looked_through(tmp_path):
    """A format that cannot be written is an error at once, even of a pipe that never ends."""

    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, _: object) -> int:
            raise AssertionError

    with pytest.raises(ParameterError, match=r"only \.xlsx are written"):
        predict_file(PROGRAM, Endless(), Path(tmp_path / "out.xlsb"), format="csv")


def test_numbers_with_a_decimal_comma_are_numbers():
    """A European file becomes numbers too; a cell with a point among them keeps the column text."""
    out = io.BytesIO()
    data = b"a;b;c;d\n1,5;0,25;1.5;1.234,5\n3,5;-2;2,5;12.345.678\n"
    predict_file(PROGRAM, io.BytesIO(data), out, format="csv", to="parquet", delimiter=";", decimal=",")
    frame = pl.read_parquet(out.getvalue())
    assert frame.select("a", "b", "c").rows() == [(1.5, 0.25, "1.5"), (3.5, -2.0, "2,5")]
    assert frame["d"].to_list() == [1234.5, 12345678.0]


@pytest.mark.parametrize(("missing", "dtype"), [(DEFAULT_MISSING, pl.Float64), (("NA",), pl.String)])
def test_cells_of_spaces_are_missing_as_in_reading(missing, dtype):
    """Cells of spaces are missing in a column of numbers where the model read them so, and only there."""
    model = UnlessClassifier(warn=False).fit(read_table(b"a,y\n1,u\n2,v\n" * 9, "y", format="csv", missing=missing))
    data = b"a,b\n1,1.5\n2,  \n3, \n"
    frame = typed(data, model)
    assert frame.schema["b"] == dtype
    assert frame["b"].to_list() == ([1.5, None, None] if dtype == pl.Float64 else ["1.5", "  ", " "])
    assert (read_table(data, format="csv", missing=missing).column("b").kind == "number") == (dtype == pl.Float64)
