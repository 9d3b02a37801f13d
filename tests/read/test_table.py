"""Reading: every cell has one meaning, and what cannot be read says where and why."""

from __future__ import annotations

import datetime as dt
import gzip
import importlib
import math
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.written import Level, Written
from unless.blocks.block_dataset import make_block_dataset
from unless.blocks.sources import FileStream
from unless.errors import MissingFileError, ParameterError, ReadError, UnknownNameError
from unless.read.options import ReadOptions
from unless.read.table import read_table
from unless.rule import Literal, Program, Rule
from unless.table import Schema, Table
from unless.values import DEFAULT_MISSING, Value
from unless.values.notation import LevelNotation

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def values(table: Table, name: str) -> list[Value]:
    """The cells of a column."""
    column = table.column(name)
    return [column.value(int(code)) for code in column.codes]


def labels(table: Table) -> list[object]:
    """The label of every row."""
    assert table.target is not None
    return [table.target.labels[code] for code in table.target.codes]


@pytest.fixture
def csv_file(tmp_path: Path):
    """A function that writes a file, by default a CSV one, and gives its path."""

    def write(content: str | bytes, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


class TestTextFiles:
    """CSV and TSV files."""

    def test_numbers_text_and_missing_cells(self, csv_file) -> None:
        """Numbers are numbers, text keeps its spelling, and the default tokens are missing."""
        table = read_table(csv_file("a,b,y\n1,x,p\n2.5,?,q\nNA, z,p\n"), "y")
        assert values(table, "a") == [1.0, 2.5, None]
        assert values(table, "b") == ["x", None, " z"]
        assert labels(table) == ["p", "q", "p"]
        assert [column.kind for column in table.columns] == ["number", "text"]

    @pytest.mark.parametrize("token", [*DEFAULT_MISSING, "    "])
    def test_default_tokens(self, csv_file, token: str) -> None:
        """Each default token is missing among numbers and among text, quoted or not; other spellings are values."""
        table = read_table(csv_file(f'a,b,c\n1,x,1\n{token},{token},1\n"{token}","{token}",1\n2,na,1\n'))
        assert values(table, "a") == [1.0, None, None, 2.0]
        assert values(table, "b") == ["x", None, None, "na"]

    def test_no_missing_cells(self, csv_file) -> None:
        """With missing=() every cell is a value: the empty cell is the category ''."""
        table = read_table(csv_file("a,b,c\n1,,x\n2,?,\n,3,NA\n"), missing=())
        assert values(table, "a") == [1.0, 2.0, ""]
        assert values(table, "b") == ["", "?", "3"]
        assert values(table, "c") == ["x", "", "NA"]
        assert [column.kind for column in table.columns] == ["mixed", "text", "text"]

    def test_own_tokens_replace_the_default(self, csv_file) -> None:
        """A token may spell a number, which is then missing among numbers however it is written."""
        table = read_table(csv_file("a,b\n-999,-999\n-999.0,-999.0\n5,x\n5,y\n5,z\n"), missing=["-999"])
        assert values(table, "a") == [None, None, 5.0, 5.0, 5.0]
        assert values(table, "b") == [None, "-999.0", "x", "y", "z"]
        assert table.missing == ("-999",)

    @pytest.mark.parametrize(("token", "cell"), [("-9", "-9.0"), ("-9.0", "-9"), ("-9", "-9e0"), ("-9", " -9")])
    @pytest.mark.parametrize("rows", [3, 3000])
    def test_missing_numbers_in_any_spelling(self, csv_file, token: str, cell: str, rows: int) -> None:
        """A number that means missing is missing in short and long text files, in mixed columns, and in blocks."""
        lines = "".join(f"{row / 8},{row},{'no' if row % 2 else 'yes'}\n" for row in range(rows))
        path = csv_file(f"a,b,y\n{lines}{cell},{cell},no\n{cell},x,yes\n")
        table = read_table(path, "y", missing=[token])
        assert values(table, "a") == [*(row / 8 for row in range(rows)), None, None]
        assert values(table, "b") == [*map(float, range(rows)), None, "x"]
        with make_block_dataset(FileStream(path), ReadOptions(missing=(token,)), target="y") as blocks:
            assert [column.column.missing for column in blocks.coding.bins] == [rows, rows + 1]
        batch = read_table(path, like=table)
        assert [values(batch, name) for name in "ab"] == [values(table, name) for name in "ab"]

    @pytest.mark.parametrize(
        ("cells", "kind"),
        [
            (["1", "2", "x"], "mixed"),
            (["1", "x", "x", "x"], "mixed"),  # distinct cells count
            (["1", "1", "1", "x", "y"], "text"),
            (["1", "1.0", "x", "y"], "mixed"),  # two spellings are two cells
            (["007", "1", "2", "x"], "text"),
            (["-01", "1", "2", "x"], "text"),
            (["0", "0.5", "x"], "mixed"),
            (["007", "008"], "text"),
            (["0.5", "2", "0610.0"], "number"),
            (["0.5", "2", "-00"], "number"),
            (["5", "2", "-00"], "text"),
            (["?", "NA"], "number"),
            (["x", "?"], "text"),
            (["1", "?"], "number"),
            (["00", "x"], "text"),
            (["0e1", "-0.5", "+0", "x"], "mixed"),
        ],
    )
    def test_inferred_kind(self, csv_file, cells: list[str], kind: str) -> None:
        """Undeclared columns: all numbers, or half of the distinct cells and none like 007, or text."""
        table = read_table(csv_file("a,b\n" + "".join(f"{cell},1\n" for cell in cells)))
        assert table.column("a").kind == kind

    def test_spelling_of_categories_is_kept(self, csv_file) -> None:
        """Cells of a text column keep their spelling, whatever they look like."""
        path = csv_file("a,b\n007,u\n1.0,u\nTRUE,u\n 5,u\nx,u\n")
        assert values(read_table(path), "a") == ["007", "1.0", "TRUE", " 5", "x"]
        assert values(read_table(path, categorical=["a"]), "a") == ["007", "1.0", "TRUE", " 5", "x"]

    def test_declared_numeric(self, csv_file) -> None:
        """In a column declared numeric every cell that spells a number is one, and other text stays."""
        table = read_table(csv_file("a,b\n007,u\nx,u\ny,u\nz, 1 \n"), numeric=["a", "b"])
        assert values(table, "a") == [7.0, "x", "y", "z"]
        assert values(table, "b") == ["u", "u", "u", 1.0]
        assert table.column("a").kind == "mixed"

    @pytest.mark.parametrize("cell", ["inf", "-inf", "nan", "Infinity", "1e999", "1_0", "\t1", "0x1", "1e", "١", "--1"])
    def test_what_is_not_a_number(self, csv_file, cell: str) -> None:
        """What a decimal number does not look like is text, in a column of numbers too."""
        table = read_table(csv_file(f"a,b\n1,u\n2,u\n{cell},u\n"))
        assert values(table, "a") == [1.0, 2.0, cell]

    @pytest.mark.parametrize(
        ("cell", "number"),
        [(" 0.46", 0.46), ("1 ", 1.0), ("+.5e-3", 5e-4), ("5.", 5.0), ("1e308", 1e308), ("5e-324", 5e-324),
         ("9007199254740993", 9007199254740992.0), ("0.1000000000000000055511151231257827", 0.1), ("-0", 0.0),
         ("1E5", 1e5), ("1e-999", 0.0)],
    )  # fmt: skip
    def test_what_is_a_number(self, csv_file, cell: str, number: float) -> None:
        """Numbers are read to the last bit, between spaces too; minus zero is zero."""
        found = values(read_table(csv_file(f"a,b\n{cell},u\n3,u\n")), "a")[0]
        assert found == number
        assert math.copysign(1.0, found) == 1.0

    def test_any_characters(self, csv_file) -> None:
        """Categories may hold quotes, separators, line breaks, NUL, emoji and right-to-left text."""
        cells = ['say "hi"', "a,b", "two\nlines", "two\r\nlines", "cr\rhere", "nul\0here", "😀", "שלום", "  x", "\tb"]
        quoted = [f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in cells]
        table = read_table(csv_file("a,b\n" + "".join(f"{cell},1\n" for cell in quoted)))
        assert values(table, "a") == cells
        assert list(table.column("a").categories) == sorted(cells)

    @pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("last", [0, 1])
    def test_line_endings_and_mark(self, csv_file, ending: str, last: int) -> None:
        """Any line ending, with or without one at the end, and a byte order mark make no difference."""
        content = ending.join(["a,b", "1,x", "2,"]) + ending * last
        table = read_table(csv_file("\ufeff" + content))
        assert table.features == ("a", "b")
        assert values(table, "a") == [1.0, 2.0]
        assert values(table, "b") == ["x", None]

    def test_blank_lines(self, csv_file) -> None:
        """A blank line is no record; in a file of one column it is an empty cell."""
        assert values(read_table(csv_file("\na,b\n\n1,x\n\n2,y\n\n")), "a") == [1.0, 2.0]
        assert values(read_table(csv_file("a\n1\n\n2\n")), "a") == [1.0, None, 2.0]
        assert values(read_table(csv_file('a\n"x"\n\n')), "a") == ["x", None]

    def test_quotes_inside_a_cell(self, csv_file) -> None:
        """A quote that does not open a cell is a character like any other."""
        assert values(read_table(csv_file('a,b\n5" pipe,1\n x"" y,2\n "z",3\n')), "a") == ['5" pipe', ' x"" y', ' "z"']

    def test_header(self, csv_file) -> None:
        """Names keep their spaces and may hold anything, line breaks too."""
        table = read_table(csv_file('" a ","b\nc", d\n1,2,3\n4,5,6\n'))
        assert table.features == (" a ", "b\nc", " d")
        assert values(table, "b\nc") == [2.0, 5.0]

    def test_header_only(self, csv_file) -> None:
        """A header alone is a table without rows, which is refused for learning."""
        path = csv_file("a,y\n")
        assert (len(read_table(path)), read_table(path).features) == (0, ("a", "y"))
        with pytest.raises(ReadError, match="no rows"):
            read_table(path, "y")

    def test_one_row_one_class_constant(self, csv_file) -> None:
        """One row is a table; so are one class and a constant column."""
        table = read_table(csv_file("a,y\n5,p\n"), "y")
        assert (len(table), labels(table), values(table, "a")) == (1, ["p"], [5.0])

    def test_packed_and_tab_separated(self, csv_file) -> None:
        """Files may be separated by tabs and packed by gzip."""
        expected = [1.0, 2.0]
        content = b'a\tb\n1\tx,y\n2\t"q\tr"\n'
        for path in (csv_file(content, "d.tsv"), csv_file(gzip.compress(content), "d.TSV.gz")):
            table = read_table(path)
            assert values(table, "a") == expected
            assert values(table, "b") == ["x,y", "q\tr"]
        assert values(read_table(csv_file(gzip.compress(b"a,b\n1,x\n2,y\n"), "d.csv.gz")), "a") == expected

    def test_columns_in_any_order(self, csv_file) -> None:
        """features= picks columns, in its order; others are not read."""
        table = read_table(csv_file("a,b,c,y\n1,2,3,p\n4,5,6,q\n"), "y", features=["c", "a"])
        assert table.features == ("c", "a")
        assert values(table, "c") == [3.0, 6.0]

    def test_surprise_late_in_a_large_file(self, csv_file) -> None:
        """A text far down in a column of numbers is found, wherever the reader had looked before."""
        rows = [f"{i / 7},{i},u" for i in range(30_000)]
        rows[17_001] = "oops,,u"
        table = read_table(csv_file("a,b,c\n" + "\n".join(rows)))
        assert values(table, "a")[17_000:17_003] == [17_000 / 7, "oops", 17_002 / 7]
        assert values(table, "b")[17_001] is None
        assert table.column("a").kind == "mixed"

    @pytest.mark.parametrize("blank", [" ", "   ", '" "'])
    def test_blanks_among_numbers(self, csv_file, blank: str) -> None:
        """A cell of spaces is missing anywhere in a column of numbers; it is text if only empty cells are missing."""
        rows = [f"{i / 7},{i}" for i in range(30_000)]
        rows[17_001], rows[17_002], rows[29_999] = f"{blank},1", ",", f"1,{blank}"
        for ending in ("\n", "\r\n"):
            for missing, meant, kind in ((DEFAULT_MISSING, None, "number"), (("",), blank.strip('"'), "mixed")):
                table = read_table(csv_file("a,b\n" + ending.join(rows)), missing=missing)
                assert values(table, "a")[17_001:17_003] == [meant, None]
                assert values(table, "b")[29_999] == meant
                assert [column.kind for column in table.columns] == [kind, kind]

    def test_many_numbers_and_tokens(self, csv_file) -> None:
        """Thousands of different numbers among missing cells of several spellings."""
        tokens = ["?", "NA", ""]
        cells = [tokens[i % 3] if i % 5 == 0 else repr(i / 3) for i in range(9_000)]
        expected = [None if cell in tokens else float(cell) for cell in cells]
        path = csv_file("a,b\n" + "".join(f"{cell},u\n" for cell in cells))
        assert values(read_table(path), "a") == expected
        expected = [cell if cell in tokens else float(cell) for cell in cells]
        assert values(read_table(path, missing=()), "a") == expected


class TestBadFiles:
    """What cannot be read: the file, the line, the reason."""

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            ("a,b\n1,2\n3\n", ["line 3", "1 field,", "2 columns"]),
            ("a,b\n1,2\n3,4,5\n", ["line 3", "3 fields", "2 columns"]),
            ("a,b,c\n1,2,x\n3,4\n1,2,3,4\n", ["line 3", "2 fields"]),
            ('a,b\n"x\ny",2\n"z"\n', ["line 4", "1 field"]),
            ('a,b\n1,x\n2,"open\n3,y\n4,z\n', ["line 3", "quote", "never closed"]),
            ('a,b\n1,"x"z\n', ["line 2", "expected after"]),
            (b"a,b\n1,\xc3\xa4\n2,\xff\n", ["line 3", "0xff", "UTF-8", "encoding"]),
            (b"a,\xe9\xc3\xa9\n1,x\n", ["line 1", "0xe9", "UTF-8"]),
            ("a,b\n1,x\n2,".encode("utf-16") + b"\x00\xd8", ["line 3", "0x00d8", "UTF-16"]),
            (bytes(range(256)), ["UTF-8"]),
            ("", ["empty"]),
            ("\ufeff", ["empty"]),
            ("\n\n", ["empty"]),
        ],
    )
    def test_reason(self, csv_file, content: str | bytes, words: list[str]) -> None:
        """The message names the line and the reason."""
        with pytest.raises(ReadError) as caught:
            read_table(csv_file(content))
        for word in words:
            assert word in str(caught.value)

    def test_file_is_named(self, csv_file) -> None:
        """The message names the file."""
        with pytest.raises(ReadError, match=r"data\.csv, line 2"):
            read_table(csv_file("a,b\n1\n"))

    def test_short_line_far_down(self, csv_file) -> None:
        """A short line is never padded, also where the last column has missing cells."""
        rows = [f"{i},x," for i in range(20_000)]
        rows[15_000] = "15000,x"
        with pytest.raises(ReadError, match="line 15002: 2 fields"):
            read_table(csv_file("a,b,c\n" + "\n".join(rows)), features=["a"])

    def test_no_file(self, csv_file, tmp_path: Path) -> None:
        """A missing file is FileNotFoundError too, and a near name is suggested."""
        csv_file("a\n1\n")
        with pytest.raises(FileNotFoundError, match=r"did you mean 'data\.csv'"):
            read_table(tmp_path / "dat.csv")
        with pytest.raises(MissingFileError):
            read_table(tmp_path / "no" / "folder.csv")
        for impossible in ("x" * 5000, "x" * 5000 + "/y", "nul\0/y", "data.csv/inside"):
            with pytest.raises(MissingFileError):
                read_table(tmp_path / f"{impossible}.csv")

    def test_folder_and_ending(self, csv_file, tmp_path: Path) -> None:
        """A folder, and a file of an unknown ending, say what is read."""
        with pytest.raises(ReadError, match="folder"):
            read_table(tmp_path)
        with pytest.raises(ReadError, match=r"ends in '\.docx', which is no known format"):
            read_table(csv_file("x", "data.docx"))

    @pytest.mark.parametrize(("name", "word"), [("d.csv.gz", "gzip"), ("d.parquet", "Parquet")])
    def test_broken_packing(self, csv_file, name: str, word: str) -> None:
        """What is not gzip or Parquet inside is an error about the file."""
        with pytest.raises(ReadError, match=word):
            read_table(csv_file("a,b\n1,2\n", name))


class TestFrames:
    """pandas, polars and pyarrow frames, Parquet files, rows of dicts."""

    @pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
    def test_types(self, make) -> None:
        """Numbers are numbers, text is text, booleans are categories, dates are written as dates, null is missing."""
        frame = make({
            "i": [3, 1, 2**53 + 1],
            "f": [0.5, math.inf, None],
            "z": [-0.0, 0.0, 5e-324],
            "s": ["b", "1", None],
            "b": [True, False, True],
            "d": [dt.date(2024, 5, 1), None, dt.date(2023, 1, 2)],
            "y": [1, 0, 1],
        })  # fmt: skip
        table = read_table(frame, "y")
        assert values(table, "i") == [3.0, 1.0, 2.0**53]
        assert values(table, "f") == [0.5, math.inf, None]
        assert table.column("z").numbers.tolist() == [0.0, 5e-324]
        assert not np.signbit(table.column("z").numbers).any()
        assert values(table, "s") == ["b", "1", None]
        assert values(table, "b") == ["True", "False", "True"]
        assert values(table, "d") == [Written("2024-05-01"), None, Written("2023-01-02")]
        assert [column.kind for column in table.columns] == ["number", "number", "number", "text", "text", "number"]

    @pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
    def test_text_is_text_unless_declared(self, make) -> None:
        """In a frame text that spells numbers only, or a missing token, is text, unless the caller says otherwise."""
        frame = make({"s": ["1", "NA", " 2 ", "x"], "n": [1.0, 2.5, -999.0, math.nan], "zip": ["10", "20", "9", None]})
        assert values(read_table(frame), "s") == ["1", "NA", " 2 ", "x"]
        assert values(read_table(frame, numeric=["s"]), "s") == [1.0, "NA", 2.0, "x"]
        assert values(read_table(frame, missing=["NA", "-999"]), "s") == [1.0, None, 2.0, "x"]
        assert values(read_table(frame), "zip") == ["10", "20", "9", None]
        assert values(read_table(frame, numeric=["zip"]), "zip") == [10.0, 20.0, 9.0, None]
        assert values(read_table(frame, missing=["NA", "-999"]), "n") == [1.0, 2.5, None, None]
        assert values(read_table(frame, categorical=["n"]), "n") == ["1", "2.5", "-999", None]

    @pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
    def test_numbers_among_junk(self, make) -> None:
        """In a frame text that mostly spells numbers has numbers, and dates likewise; 007 makes all of them names."""
        frame = make({
            "n": ["1.5", "?", "2", "30"], "z": ["1", "?", "007", "30"],
            "d": ["2020-08-01", "soon", "2020-09-30", None], "h": ["1", "b", None, None],
            "m": [" 0.5", "1", None, "2e1"],
        })  # fmt: skip
        table = read_table(frame)
        assert values(table, "n") == [1.5, "?", 2.0, 30.0]
        assert values(table, "z") == ["1", "?", "007", "30"]
        assert values(table, "d") == [Written("2020-08-01"), "soon", Written("2020-09-30"), None]
        assert values(table, "h") == ["1", "b", None, None]
        assert values(table, "m") == [0.5, 1.0, None, 20.0]
        assert [column.kind for column in table.columns] == ["mixed", "text", "mixed", "text", "number"]

    @pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
    @pytest.mark.parametrize("cells", [["p", "q"], [2, 1], [2.0, 1.0], [True, False]])
    def test_labels_keep_their_type(self, make, cells: list[object]) -> None:
        """Labels keep their type and are sorted: a whole float stays a float."""
        table = read_table(make({"a": [1, 2], "y": cells}), "y")
        assert labels(table) == cells
        assert [type(label) for label in labels(table)] == [type(cell) for cell in cells]
        assert table.target is not None
        assert list(table.target.labels) == sorted(cells)  # type: ignore[type-var]

    @pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
    def test_missing_labels(self, make) -> None:
        """Missing labels are an error that counts them and names the first row."""
        with pytest.raises(ReadError, match="missing in 2 of 4 rows, first in row 2"):
            read_table(make({"a": [1, 2, 3, 4], "y": ["p", None, None, "q"]}), "y")
        with pytest.raises(ReadError, match="missing in 1 of 2 rows, first in row 1"):
            read_table(make({"a": [1, 2], "y": [math.nan, 1.0]}), "y")

    def test_mixed_labels(self) -> None:
        """Labels of mixed types are an error; None among them is missing rather."""
        for cells in (["p", 1], [True, 1], [1, 2.5]):
            with pytest.raises(ReadError, match="mixed types"):
                read_table([{"y": cell} for cell in cells], "y")
        with pytest.raises(ReadError, match=r"beyond 2\*\*53"):
            read_table(pl.DataFrame({"y": [2**60, 2**60 + 1]}), "y")

    @pytest.mark.parametrize(
        ("cells", "expected"),
        [
            (pd.Series([True, 1, 1.0, "3", None, 0, False, 2.5], dtype=object),
             ["True", 1.0, 1.0, 3.0, None, 0.0, "False", 2.5]),
            (pd.Series(["b", None, "a", math.nan], dtype=object), ["b", None, "a", None]),
            (pd.Series(["b", None, "a"], dtype="category"), ["b", None, "a"]),
            (pd.Series(pd.Categorical([2, 1, None], categories=[3, 2, 1])), ["2", "1", None]),
            (pd.Series([2, None, 1], dtype="Int64"), [2.0, None, 1.0]),
            (pd.Series([2.5, None, 1], dtype="Float64"), [2.5, None, 1.0]),
            (pd.Series([True, None, False], dtype="boolean"), ["True", None, "False"]),
            (pd.Series(["b", None, "a"], dtype="string[python]"), ["b", None, "a"]),
            (pd.Series(["b", None, "", "a"] * 9, dtype="string[pyarrow]"), ["b", None, "", "a"] * 9),
            (pd.Series(["long texts", None, "", "of any size"], dtype="str"), ["long texts", None, "", "of any size"]),
            (pd.Series(["b", None, "a"], dtype=pd.ArrowDtype(pa.string())), ["b", None, "a"]),
            (pd.Series([2, None, 1], dtype=pd.ArrowDtype(pa.int32())), [2.0, None, 1.0]),
            (pd.Series([True, None], dtype=pd.ArrowDtype(pa.bool_())), ["True", None]),
            (pd.Series(pd.Categorical(["10", "9"], categories=["9", "10"], ordered=True)), [Level("10"), Level("9")]),
            (pd.Series(pd.Categorical([3, 1, None], categories=[3, 2, 1], ordered=True)),
             [Level("3"), Level("1"), None]),
            (pd.Series(pd.to_datetime(["2024-05-01T00:00:00", None, "2023-01-02T03:04:05"])),
             [Written("2024-05-01"), None, Written("2023-01-02 03:04:05")]),
            (pd.Series(pd.to_datetime(["2024-05-01", "2024-05-02"])), [Written("2024-05-01"), Written("2024-05-02")]),
            (pd.Series(pd.to_datetime(["2024-05-01"]).tz_localize("Europe/Oslo")), [Written("2024-04-30 22:00Z")]),
            (pd.Series(pd.to_datetime(["2024-05-01"]), dtype=pd.ArrowDtype(pa.timestamp("ms"))),
             [Written("2024-05-01")]),
            (pd.Series(pd.to_timedelta(["90 min", None])), [Written("1 h 30 min"), None]),
            (pd.Series([Decimal("1.5"), None, Decimal(2)], dtype=object), [1.5, None, 2.0]),
            (pd.Series([10**400, -(10**400)], dtype=object), [math.inf, -math.inf]),
            (pd.Series(pd.arrays.SparseArray([0.0, 1.0, math.nan])), [0.0, 1.0, None]),
            (pd.Series([[1], [1], {"k": 2}], dtype=object), ["[1]", "[1]", "{'k': 2}"]),
            (pd.Series([None, None], dtype=object), [None, None]),
            (pd.Series(["\ud800", "a"], dtype=object), ["\ud800", "a"]),
            (pd.Series([1, 2], dtype="uint8"), [1.0, 2.0]),
            (pd.Series([0.1, 2], dtype="float32"), [float(np.float32(0.1)), 2.0]),
        ],
    )  # fmt: skip
    def test_pandas_types(self, cells: pd.Series, expected: list[Value]) -> None:
        """Every type of pandas column has its cells' meaning, also in a slice with gaps."""
        assert values(read_table(pd.DataFrame({"a": cells})), "a") == expected
        assert values(read_table(pd.DataFrame({"a": cells}).iloc[::-2]), "a") == expected[::-2]

    @pytest.mark.parametrize(
        ("cells", "expected"),
        [
            (pl.Series(["b", None, "a"], dtype=pl.Categorical), ["b", None, "a"]),
            (pl.Series(["b", None, "a"], dtype=pl.Enum(["c", "b", "a"])), [Level("b"), None, Level("a")]),
            (pl.Series([None, None]), [None, None]),
            (pl.Series([True, None, False]), ["True", None, "False"]),
            (pl.Series([2, None, 1], dtype=pl.Int8), [2.0, None, 1.0]),
            (pl.Series([Decimal("0.1"), None]), [0.1, None]),
            (pl.Series([dt.datetime(2024, 5, 1, 2, 3), None]), [Written("2024-05-01 02:03"), None]),  # noqa: DTZ001
            (pl.Series([dt.date(1, 1, 1), dt.date(9999, 12, 31)]), [Written("0001-01-01"), Written("9999-12-31")]),
            (
                pl.Series([-1, 1_999], dtype=pl.Datetime("ns")),
                [Written("1969-12-31 23:59:59.999999"), Written("1970-01-01 00:00:00.000001")],
            ),
            (pl.Series([dt.time(1, 2, 3), None]), [Written("01:02:03"), None]),
            (pl.Series([dt.timedelta(seconds=-5), None]), [Written("-5 s"), None]),
            (pl.Series([[1, 2], None]), ["[1, 2]", None]),
            (pl.Series([b"ab", None]), ["ab", None]),
        ],
    )
    def test_polars_types(self, cells: pl.Series, expected: list[Value]) -> None:
        """Every type of polars column has its cells' meaning."""
        assert values(read_table(pl.DataFrame({"a": cells})), "a") == expected

    def test_ordered_columns_of_arrow(self) -> None:
        """A column that Arrow calls ordered keeps its order."""
        sizes = pd.Categorical(["L", "S", None], ["S", "M", "L"], ordered=True)
        table = read_table(pa.Table.from_pandas(pd.DataFrame({"size": sizes})))
        assert values(table, "size") == [Level("L"), Level("S"), None]
        assert table.column("size").notation == LevelNotation(("S", "M", "L"))

    def test_unused_categories_are_no_values(self) -> None:
        """Categories that occur in no row are not values of the column."""
        frame = pd.DataFrame({"a": pd.Categorical(["b", "b"], categories=["a", "b"]), "f": [True, True]})
        table = read_table(frame)
        assert [column.categories for column in table.columns] == [("b",), ("True",)]

    def test_objects_of_both_kinds(self) -> None:
        """An undeclared column of objects is mixed if at least half of its distinct cells are numbers, else text."""
        table = read_table([{"a": 1, "b": 1}, {"a": "x", "b": "x"}, {"a": 1, "b": "y"}])
        assert values(table, "a") == [1.0, "x", 1.0]
        assert values(table, "b") == ["1", "x", "y"]
        assert [column.kind for column in table.columns] == ["mixed", "text"]

    def test_rows_of_dicts(self) -> None:
        """Columns are keys in order of first appearance; an absent key is a missing cell."""
        table = read_table([{"b": 1}, {"a": "x", "b": 2}, {3: True}])
        assert table.features == ("b", "a", "3")
        assert values(table, "b") == [1.0, 2.0, None]
        assert values(table, "3") == [None, None, "True"]
        assert len(read_table([])) == 0
        with pytest.raises(ReadError, match="row 2 is list"):
            read_table([{"a": 1}, [1]])  # type: ignore[list-item]

    def test_parquet(self, tmp_path: Path) -> None:
        """A Parquet file reads as the frame that it holds."""
        frame = pl.DataFrame({"a": [1, 2], "s": ["x", None], "y": [True, False]})
        frame.write_parquet(tmp_path / "d.parquet")
        table = read_table(tmp_path / "d.parquet", "y", features=["s", "a"])
        assert [values(table, name) for name in table.features] == [["x", None], [1.0, 2.0]]
        assert labels(table) == [True, False]

    def test_twins(self) -> None:
        """Two columns of one name are an error that names it, also if only their texts are the same."""
        frames = [
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            pd.DataFrame([[1, 2]], columns=["1", 1]),
            pa.table([[1], [2]], names=["a", "a"]),
        ]
        for frame in frames:
            with pytest.raises(ReadError, match="appears twice"):
                read_table(frame)

    def test_names_become_text(self) -> None:
        """Column names are text, in a frame of numbered columns too."""
        table = read_table(pd.DataFrame({0: [1, 2], 1: ["x", "y"]}), "1")
        assert table.features == ("0",)
        assert labels(table) == ["x", "y"]

    def test_empty_frames(self) -> None:
        """A frame without rows, or without columns, is an empty table."""
        assert len(read_table(pd.DataFrame())) == 0
        for make in FRAMES.values():
            assert len(read_table(make({"a": [], "b": []}))) == 0
        with pytest.raises(ReadError, match="no rows"):
            read_table(pl.DataFrame({"a": [], "y": []}), "y")

    def test_arrays(self) -> None:
        """The columns of an array are named x0, x1 and so on; an array of one dimension is no table."""
        table = read_table(np.array([[1.0, -0.0], [math.nan, 2.0]]))
        assert [values(table, name) for name in ("x0", "x1")] == [[1.0, None], [0.0, 2.0]]
        assert values(read_table(np.array([[True], [False]])), "x0") == ["True", "False"]
        with pytest.raises(ReadError, match="dimensions"):
            read_table(np.zeros(3))

    def test_what_is_no_table(self) -> None:
        """Anything else is refused with what is read."""
        for source in (3, None, {"a": [1]}, pd.Series([1])):
            with pytest.raises(ParameterError, match="list of dicts"):
                read_table(source)
        with pytest.raises(ParameterError, match=r"cannot read a table from Lazy; call its collect\(\) first"):
            read_table(type("Lazy", (), {"collect": None})())
        with pytest.raises(ReadError, match="the Table cannot be read"):  # polars has no such type
            read_table(pa.table({"a": pa.array([(1, 2, 3)], pa.month_day_nano_interval())}))

    def test_threads(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A table large enough for threads is read as any other."""
        monkeypatch.setattr("unless.read.table._CELLS_FOR_THREADS", 1)
        rng = np.random.default_rng(0)
        size = 40_000
        data = {"x": rng.normal(size=size), "k": rng.integers(-5, 5, size), "s": rng.choice(["b", "a", "ä"], size)}
        table = read_table(pd.DataFrame(data))
        numbers, codes = np.unique(data["x"], return_inverse=True)
        assert np.array_equal(table.column("x").numbers, numbers)
        assert np.array_equal(table.column("x").codes, codes)
        assert values(table, "k") == data["k"].tolist()
        assert values(table, "s") == data["s"].tolist()


class TestParameters:
    """Targets, features, declarations."""

    ROWS = ({"age": 1, "city": "x", "y": "p"}, {"age": 2, "city": "y", "y": "q"})

    @pytest.mark.parametrize(
        "wrong", [{"target": "Y"}, {"features": ["agee"]}, {"numeric": ["agee"]}, {"categorical": ["AGE"]}]
    )
    def test_unknown_names(self, wrong: dict[str, object]) -> None:
        """An unknown column is an error that suggests the nearest name."""
        with pytest.raises(UnknownNameError, match=r"did you mean '(age|y)'"):
            read_table(self.ROWS, **wrong)

    @pytest.mark.parametrize(
        ("wrong", "words"),
        [
            ({"numeric": ["age"], "categorical": ["age"]}, "both"),
            ({"target": "y", "features": ["age", "y"]}, "is the target"),
            ({"target": "y", "numeric": ["y"]}, "is the target"),
            ({"missing": "NA"}, r"write \['NA'\]"),
            ({"missing": [-999]}, "write '-999'"),
            ({"features": "age"}, r"write \['age'\]"),
            ({"like": 3}, "like="),
        ],
    )
    def test_refused(self, wrong: dict[str, object], words: str) -> None:
        """Arguments without meaning are refused with the mending."""
        with pytest.raises(ParameterError, match=words):
            read_table(self.ROWS, **wrong)

    def test_feature_twice(self) -> None:
        """A feature that appears twice in features= is an error."""
        with pytest.raises(ReadError, match=r"twice in features="):
            read_table(self.ROWS, features=["age", "age"])

    def test_declared_but_not_read(self) -> None:
        """Columns that are not among the features may be declared."""
        assert read_table(self.ROWS, features=["city"], numeric=["age"]).features == ("city",)


class TestLike:
    """A new batch is read as the earlier one was."""

    def test_table(self, csv_file) -> None:
        """Kinds, missing cells and columns are those of the earlier table, whatever the batch looks like."""
        first = read_table(csv_file("zip,n,y\n007,1,p\nx,2,q\n-,-,p\n"), "y", missing=["-"])
        assert [column.kind for column in first.columns] == ["text", "number"]
        batch = read_table(csv_file("extra,n,zip\n1,x,01\n2,-,-\n3,?,5\n", "new.csv"), like=first)
        assert batch.features == ("zip", "n")
        assert values(batch, "zip") == ["01", None, "5"]
        assert values(batch, "n") == ["x", None, "?"]
        assert batch.target is None
        assert batch.missing == ("-",)

    def test_schema_of_a_model(self) -> None:
        """Whatever has a schema serves; its target is read if it is there and complete."""

        class Model:
            schema = Schema({"a": "number"}, ("",), "y")

        rows = [{"a": "1", "y": "p"}, {"a": "x", "y": "q"}]
        assert labels(read_table(rows, like=Model())) == ["p", "q"]
        assert values(read_table(rows, like=Model()), "a") == [1.0, "x"]
        assert read_table([*rows, {"a": 3}], like=Model()).target is None
        with pytest.raises(ReadError, match="missing in 1 of 3"):
            read_table([*rows, {"a": 3}], "y", like=Model())

    def test_program(self, csv_file) -> None:
        """The literals of a program tell the kinds; only the columns that it uses are needed and read."""
        body = (Literal("n", "<=", 3), Literal("c", "==", "7"), Literal("m", ">", 0), Literal("m", "!=", "x"),
                Literal("p", "present"))  # fmt: skip
        program = Program("y", ("unused", "p", "m", "c", "n"), (Rule("yes", body),))
        table = read_table(csv_file("c,n,m,p,other\n7,1,x,u,1\n7.0,z,2,,1\n"), like=program)
        assert table.features == ("p", "m", "c", "n")
        assert [values(table, name) for name in table.features] == [["u", None], ["x", 2.0], ["7", "7.0"], [1.0, "z"]]
        with pytest.raises(UnknownNameError, match="no column 'm'"):
            read_table([{"c": 1, "n": 1, "p": 1}], like=program)

    def test_cells_that_a_program_tests_are_values(self, csv_file) -> None:
        """A program that tests a cell such as ? was learned where it is a value, so it is one in the new batch too."""
        program = Program("y", ("a",), (Rule("yes", (Literal("a", "!=", "?"),)),))
        table = read_table(csv_file("a\n?\nNA\nx\n"), like=program)
        assert values(table, "a") == ["?", None, "x"]
        assert values(read_table(csv_file("a\n?\n"), like=table), "a") == ["?"]
        assert values(read_table(csv_file("a\n?\n"), like=program, missing=["?"]), "a") == [None]
        assert values(read_table([{"a": "?"}, {"a": "NA"}], like=program), "a") == ["?", "NA"]

    def test_frames_and_files(self, csv_file) -> None:
        """The default missing cells are those of each kind of source, also in a batch of the other kind."""
        trained = read_table(pd.DataFrame({"s": ["NA", "b", None]}))
        assert values(trained, "s") == ["NA", "b", None]
        assert values(read_table(csv_file("s,t\nNA,1\nb,1\n"), like=trained), "s") == [None, "b"]
        assert values(read_table(pl.DataFrame({"s": ["NA", None]}), like=trained), "s") == ["NA", None]

    def test_declarations_win(self, csv_file) -> None:
        """numeric=, categorical= and features= win over like=."""
        first = read_table([{"a": 1, "b": 2}])
        batch = read_table(csv_file("b,a\n1,2\n"), like=first, features=["a"], categorical=["a"])
        assert values(batch, "a") == ["2"]


class TestInterpreted:
    """Without a compiler the same kernels run interpreted."""

    def test_kernels_agree(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Ranking, grouping and inspecting give the same answers interpreted."""
        encode = importlib.import_module("unless.read.cells")
        spec = importlib.util.spec_from_file_location(
            "interpreted", Path(encode.__file__).parents[1] / "kernels" / "ranking.py"
        )
        assert spec is not None
        assert spec.loader is not None
        interpreted = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "interpreted", interpreted)
        spec.loader.exec_module(interpreted)
        rng = np.random.default_rng(1)
        special = np.array([0.0, -0.0, math.nan, math.inf, -math.inf, 5e-324, -1e300, 1.5, 2.0**53, -(2.0**60)])
        columns = [rng.normal(size=3000), rng.choice(special, 3000), rng.choice(special, 50),
                   rng.integers(-9, 9, 99) * 1.0,
                   1 + rng.integers(0, 2000, 3000) * 2.0**-52 + rng.integers(0, 2, 3000) * 1e300]  # fmt: skip
        words = [b"", b"a", b"ab", b"ba", b"a" * 30] * 9 + [str(i).encode() for i in range(700)]
        ends, data = np.cumsum([0, *map(len, words)]), np.frombuffer(b"".join(words), dtype=np.uint8)
        files = [b"a,b\n1,2\n", b"a,b\n1\n", b'a,b\n"x,\n",2\n', b'a,b\n"x"y,2\n', b"a,b\n\t1,2\r\n", b"a,b\rc,d",
                 b'a,"b']  # fmt: skip

        def answers() -> list[list[object]]:
            ranked = [[part.tolist() for part in encode.rank(column)] for column in columns]
            grouped = [part.tolist() for part in encode.group_texts(ends, data)]
            seen = [encode.kernels.is_regular(np.frombuffer(file, dtype=np.uint8), ord(","), 2) for file in files]
            marked = [encode.kernels.has_any(np.frombuffer(file, dtype=np.uint8), *b'"\r') for file in files]
            return [*ranked, grouped, marked, seen]

        expected = answers()
        monkeypatch.setattr(encode, "kernels", interpreted)
        assert answers() == expected
        assert expected[-2] == [False, False, True, True, True, True, True]
        assert expected[-1] == [True, False, True, False, True, False, False]
        for column, (numbers, codes) in zip(columns, expected, strict=False):
            assert [*numbers, None][codes[0]] == (None if math.isnan(column[0]) else column[0])


@pytest.mark.parametrize("name", ["*", "^x.*$", "^.*$", "x1"])
def test_names_that_polars_takes_for_patterns(name):
    """A column of text may be called what means all columns, or a pattern of names, to polars."""
    frame = pl.DataFrame({name: ["a", "b", "b"], "xx": ["c", "c", "d"], "y": ["u", "v", "v"]})
    table = read_table(frame, "y")
    assert [column.categories for column in table.columns] == [("a", "b"), ("c", "d")]
    assert table.record(2) == {name: "b", "xx": "d"}
