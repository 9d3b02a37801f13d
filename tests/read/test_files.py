"""Files of every format, folders of them, bytes: the same table in all, and what cannot be read says why."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from tests.written import Written
from unless.errors import MissingFileError, ParameterError, ReadError, UnknownNameError
from unless.read.csv_records import allow_long_fields
from unless.read.formats import FORMATS, format_of, parts_at
from unless.read.table import column_names, read_table
from unless.table import Table
from unless.values import Value

DATA = pd.DataFrame({
    "n": [1.5, None, -3.0, 1e300, 0.1],
    "i": [3, 1, 2, 2, 10],
    "s": ["x", None, 'é "q", r', "two\nlines", "x"],
    "empty": [None] * 5,
    "d": ["2024-05-01", None, "2023-01-02", "2023-01-02", None],
    "y": ["p", "q", "p", "q", "q"],
})  # fmt: skip
DATES = [dt.date(2024, 5, 1), None, dt.date(2023, 1, 2), dt.date(2023, 1, 2), None]


def typed() -> pl.DataFrame:
    """The data with dates as dates, for formats that have them."""
    return pl.from_pandas(DATA).with_columns(pl.Series("d", DATES), pl.lit(None).cast(pl.String).alias("empty"))


def to_jsonl(path: Path) -> None:
    typed().write_ndjson(path)


def to_stream(path: Path) -> None:
    table = typed().to_arrow()
    with pa.ipc.new_stream(path, table.schema) as out:
        out.write_table(table)


def to_excel(path: Path) -> None:
    typed().to_pandas().to_excel(path, index=False)


def to_ods(path: Path) -> None:
    DATA.to_excel(path, index=False, engine="odf")


WRITERS: dict[str, Callable[[Path], object]] = {
    "d.csv": lambda path: DATA.to_csv(path, index=False),
    "d.tsv": lambda path: DATA.to_csv(path, index=False, sep="\t"),
    "d.jsonl": to_jsonl,
    "d.ndjson": lambda path: DATA.to_json(path, orient="records", lines=True, double_precision=15),
    "d.parquet": lambda path: typed().write_parquet(path),
    "pyarrow.parquet": lambda path: pyarrow.parquet.write_table(typed().to_arrow(), path),
    "d.arrow": lambda path: typed().write_ipc(path),
    "packed.arrow": lambda path: typed().write_ipc(path, compression="zstd"),
    "stream.arrow": to_stream,
    "polars.ipc": lambda path: typed().write_ipc_stream(path),
    "d.feather": lambda path: pyarrow.feather.write_feather(typed().to_arrow(), path),
    "d.xlsx": to_excel,
    "d.ods": to_ods,
}


def values(table: Table, name: str) -> list[Value]:
    """The cells of a column."""
    column = table.column(name)
    return [column.value(int(code)) for code in column.codes]


def same(one: Table, other: Table) -> bool:
    """Whether two tables are equal to the last rank."""
    return (
        [(a.name, a.kind, a.numbers.tolist(), a.categories, a.codes.tolist()) for a in one.columns]
        == [(b.name, b.kind, b.numbers.tolist(), b.categories, b.codes.tolist()) for b in other.columns]
        and (one.target and (one.target.labels, one.target.codes.tolist()))
        == (other.target and (other.target.labels, other.target.codes.tolist()))
        and len(one) == len(other)
    )


@pytest.fixture
def write(tmp_path: Path):
    """A function that writes a file, also into a folder, and gives its path."""

    def to(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to


class TestEveryFormat:
    """The same table, whatever it is written in."""

    @pytest.fixture
    def expected(self) -> Table:
        """The data, read from dicts."""
        return read_table(typed().to_dicts(), "y")

    @pytest.mark.parametrize("name", WRITERS)
    def test_same_table(self, name: str, tmp_path: Path, expected: Table) -> None:
        """Every format reads to the same table, as a path, packed by gzip, as bytes and as an open file."""
        path = tmp_path / name
        WRITERS[name](path)
        table = read_table(path, "y")
        assert values(table, "n") == [1.5, None, -3.0, 1e300, 0.1]
        assert same(table, expected)
        kind = format_of(path).name
        packed = tmp_path / f"{name}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        assert same(read_table(packed, "y"), table)
        assert same(read_table(path.read_bytes(), "y", format=kind), table)
        assert same(read_table(packed.read_bytes(), "y", format=kind), table)
        with path.open("rb") as file:
            assert same(read_table(file, "y", format=kind), table)
        plain = path.rename(tmp_path / "data.bin")
        assert same(read_table(str(plain), "y", format=kind), table)

    @pytest.mark.parametrize("name", WRITERS)
    def test_names(self, name: str, tmp_path: Path) -> None:
        """column_names gives the names in order, of packed files and of bytes too."""
        path = tmp_path / name
        WRITERS[name](path)
        packed = tmp_path / f"{name}.GZ"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        for source in (path, str(packed)):
            assert column_names(source) == list(DATA)
        assert column_names(path.read_bytes(), format=format_of(path).name) == list(DATA)

    def test_like_across_formats(self, tmp_path: Path) -> None:
        """What was learned from a text file applies to a typed one: kinds come from training."""
        (tmp_path / "a.csv").write_text("a,b\n1,007\nx,8\n2,x\n3,y\n")
        first = read_table(tmp_path / "a.csv")
        assert [column.kind for column in first.columns] == ["mixed", "text"]
        (tmp_path / "b.jsonl").write_text('{"a":"5","b":8}\n{"a":6.5,"b":"007"}\n{"b":null,"a":"x"}')
        batch = read_table(tmp_path / "b.jsonl", like=first)
        assert [values(batch, "a"), values(batch, "b")] == [[5.0, 6.5, "x"], ["8", "007", None]]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "arrow"])
def test_a_name_is_no_pattern(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    """A file whose name has a star or brackets is that file, and the name of its folder is no column."""
    (tmp_path / "x=1").mkdir()
    monkeypatch.chdir(tmp_path / "x=1")
    frame = pl.DataFrame({"a": [1, 2]})
    write = {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}
    for name in ("q1", "q[1]", "q*"):
        write.get(ending, frame.write_ipc)(Path(f"{name}.{ending}").absolute())
        table = read_table(f"{name}.{ending}")
        assert (table.features, len(table)) == (("a",), 2)


def test_fields_too_many_are_found_whatever_is_read() -> None:
    """A record with too many fields is an error, also if not all columns are wanted."""
    for features in (None, ["a"], ["c"], []):
        with pytest.raises(ReadError, match="line 3: 4 fields, but the header names 3 columns"):
            read_table(b"a,b,c\n1,2,3\n1,2,3,4\n", format="csv", features=features)


def test_fields_of_any_length_in_two_threads() -> None:
    """The csv module's limit is one for all threads: one that is finished does not cut the fields of another."""
    limit = csv.field_size_limit()
    with allow_long_fields():
        with allow_long_fields():
            pass
        assert csv.field_size_limit() > limit
    assert csv.field_size_limit() == limit


def test_objects_with_ever_new_keys() -> None:
    """Where every line has a name of its own, all are found, in time that grows with the file."""
    lines = b"".join(b'{"k%d":%d}\n' % (number, number) for number in range(6000))
    table = read_table(lines, format="jsonl", features=["k0", "k5999"])

    assert (len(table), table.record(0), table.record(5999)) == (
        *(6000, {"k0": 0.0, "k5999": None}),
        {"k0": None, "k5999": 5999.0},
    )


class TestJsonLines:
    """JSON lines: typed cells, no coercion."""

    def test_typed_cells(self, write) -> None:
        """Numbers, text, booleans and null stay what they are, in one column; absent members are missing."""
        lines = '{"a":1,"b":true}\n\n{"a":"3"}\r\n {"b" : null , "a":1.50}\n{"b":false,"a":null,"c":"é"}\n{}'
        table = read_table(write("d.jsonl", lines))
        assert table.features == ("a", "b", "c")
        assert values(table, "a") == [1.0, 3.0, 1.5, None, None]
        assert values(table, "b") == ["True", None, None, "False", None]
        assert values(table, "c") == [None, None, None, "é", None]

    def test_nested_values_are_json_text(self, write) -> None:
        """Lists and objects are categories: their JSON text."""
        table = read_table(
            write("d.jsonl", '{"a":[1,{"k":"é"}]}\n{"a":{"z":null,"b":[]}}\n{"a":[ 1, {"k":"\\u00e9"} ]}')
        )
        assert values(table, "a") == ['[1, {"k": "é"}]', '{"z": null, "b": []}', '[1, {"k": "é"}]']

    def test_tokens_are_missing(self, write) -> None:
        """Text such as NA is missing as in any file, unless missing= says otherwise; NaN always is."""
        path = write("d.jsonl", '{"a":"NA"}\n{"a":""}\n{"a":NaN}\n{"a":"x"}')
        assert values(read_table(path), "a") == [None, None, None, "x"]
        assert values(read_table(path, missing=["NA"]), "a") == [None, "", None, "x"]

    @pytest.mark.parametrize(("cells", "kind"), [("[1,2]", int), ("[1.0,2.0]", float), ("[true,false]", bool)])
    def test_labels_keep_their_type(self, write, cells: str, kind: type) -> None:
        """Labels are of the type that stands there."""
        lines = "\n".join(json.dumps({"a": 1, "y": cell}) for cell in json.loads(cells))
        table = read_table(write("d.jsonl", lines), "y")
        assert table.target is not None
        assert {type(label) for label in table.target.labels} == {kind}

    def test_spellings_of_a_key(self, write) -> None:
        """A name written with escapes is the same name; a mark at the start of the file is none of it."""
        table = read_table(write("d.jsonl", '\ufeff{"é":1}\n{"\\u00e9":2}\n{"\\u00E9":3}\n'))
        assert table.features == ("é",)
        assert values(table, "é") == [1.0, 2.0, 3.0]

    def test_numbers(self, write) -> None:
        """Numbers are read to the last bit; those beyond float64 are infinite."""
        cells = ["0.1000000000000000055511151231257827", "-0.0", "1e400", "9007199254740993", "1" + "0" * 400]
        path = write("d.jsonl", "\n".join(f'{{"a":{cell}}}' for cell in cells))
        assert values(read_table(path), "a") == [0.1, 0.0, float("inf"), 2.0**53, float("inf")]

    def test_chunks(self, write, monkeypatch: pytest.MonkeyPatch) -> None:
        """A file is the same, however it is cut into chunks, also if names come and go."""
        rows = [{f"c{i % 7}": i, "t": "x" * (i % 5 + 1), "m": [i, str(i), None, True][i % 4]} for i in range(200)]
        path = write("d.jsonl", "\n".join(map(json.dumps, rows)))
        expected = read_table(rows)
        for size in (1, 50, 1000):
            monkeypatch.setattr("unless.read.json_lines._CHUNK", size)
            assert same(read_table(path), expected)

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ('{"a":1', "not JSON"),
            ("[1]", "a list; every line"),
            ("3", "no object; every line"),
            ('{"a":1} {"a":2}', "not JSON"),
            ('{"a":1,}', "not JSON"),
            ('{"a":tru}', "not JSON"),
            ('{"a":01}', "not JSON"),
            ('{"a":[1}}', "not JSON"),
            ('{"a":1,"a":2}', "'a' appears twice"),
            ('{"a":1,"\\u0061":2}', "'a' appears twice"),
            ('{"a":{"b":1,"b":2}}', "'b' appears twice"),
            ('{"a":"\\ud800"}', "half a character"),
            ('{"a":"tab\there"}', "not JSON"),
            (b'{"a":"\xff"}', "0xff is not UTF-8"),
            (b'{"\xff":1}', "0xff is not UTF-8"),
            ('{"a":' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
            ("a,b", "not JSON"),
        ],
    )
    def test_bad_line(self, write, line: str | bytes, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """A bad line is named with what is wrong with it, in the first chunk and in later ones."""
        raw = line if isinstance(line, bytes) else line.encode()
        path = write("d.jsonl", b'{"a":0}\n\n' + raw + b'\n{"a":9}\n')
        for size in (1, 1 << 20):
            monkeypatch.setattr("unless.read.json_lines._CHUNK", size)
            with pytest.raises(ReadError, match=rf"d\.jsonl, line 3: .*{words}"):
                read_table(path)

    def test_names_in_the_first_lines(self, write) -> None:
        """column_names looks at the first thousand lines only, so that a huge file costs nothing."""
        lines = ['{"a":1}'] * 999 + ['{"b":1}', '{"c":1}', "no JSON"]
        assert column_names(write("d.jsonl", "\n".join(lines))) == ["a", "b"]


class TestExcel:
    """Workbooks: the first sheet, its first row, typed cells."""

    @staticmethod
    def book(path: Path, rows: list[list[object]], *, left: int = 0, above: int = 0) -> Path:
        """A workbook whose first sheet has these rows, and a second one that matters not."""
        book = openpyxl.Workbook()
        sheet = book.active
        assert sheet is not None
        for number, row in enumerate(rows, above + 1):
            for place, cell in enumerate(row, left + 1):
                sheet.cell(number, place, cell)  # type: ignore[arg-type]
        book.create_sheet("other").append(["not", "this"])
        book.save(path)
        return path

    def test_cells(self, tmp_path: Path) -> None:
        """Whole numbers, booleans, dates, times, text that looks like a number; empty cells and errors are missing."""
        moment = dt.datetime(2024, 5, 1, 2, 3)  # noqa: DTZ001 - Excel knows no zones
        rows = [
            ["i", "f", "s", "b", "d", "t", "e", 3, dt.date(2020, 1, 2)],
            [1, 2, "7", True, dt.date(2024, 5, 1), moment, "#N/A", "x", 1],
            [2, 2.5, " z ", False, None, None, None, None, None],
        ]
        table = read_table(self.book(tmp_path / "d.xlsx", rows), "i")
        assert table.features == ("f", "s", "b", "d", "t", "e", "3", "2020-01-02")
        assert [values(table, name) for name in table.features] == [
            [2.0, 2.5], ["7", " z "], ["True", "False"], [Written("2024-05-01"), None],
            [Written("2024-05-01 02:03"), None], [None, None], ["x", None], [1.0, None],
        ]  # fmt: skip
        assert table.target is not None
        assert [repr(label) for label in table.target.labels] == ["1", "2"]

    def test_blank_rows_and_columns(self, tmp_path: Path) -> None:
        """The table may stand anywhere in the sheet; blank rows are no records and blank columns no columns."""
        rows = [["a", None, "b"], [1, None, "x"], [None, None, None], [2, None, None]]
        table = read_table(self.book(tmp_path / "d.xlsx", rows, left=2, above=3))
        assert [(name, values(table, name)) for name in table.features] == [("a", [1.0, 2.0]), ("b", ["x", None])]
        table = read_table(self.book(tmp_path / "d.xlsx", [["a"], [1], [None], [2]]))
        assert values(table, "a") == [1.0, None, 2.0]

    def test_hidden_sheet(self, tmp_path: Path) -> None:
        """The first sheet is the first that a person sees, and no chart."""
        book = openpyxl.load_workbook(self.book(tmp_path / "d.xlsx", [["hidden"], [1]]))
        book.worksheets[0].sheet_state = "hidden"
        book.create_chartsheet(index=0)
        book.save(tmp_path / "d.xlsx")
        assert column_names(tmp_path / "d.xlsx") == ["not", "this"]

    def test_cells_without_a_name(self, tmp_path: Path) -> None:
        """A column of cells below a blank header cell is called by its place."""
        table = read_table(self.book(tmp_path / "d.xlsx", [["a", None, None, "b"], [1, None, 2, 3]], left=1))
        assert table.features == ("a", "column 3", "b")
        assert table.read_as.endswith("; 1 column without a name is called 'column 3'")

    def test_name_twice(self, tmp_path: Path) -> None:
        """Of two columns of one name the second gets a number."""
        assert read_table(self.book(tmp_path / "d.xlsx", [["a", "a"], [1, 2]])).features == ("a", "a_2")

    @pytest.mark.parametrize("above", [0, 3])
    def test_title(self, tmp_path: Path, above: int) -> None:
        """Rows of one text above several names are a title, which is said; the row of the names can be told."""
        rows = [["Sales", None], ["in 2020", None], [None, None], ["a", "b"], [1, "x"]]
        path = self.book(tmp_path / "d.xlsx", rows, above=above)
        table = read_table(path)
        title, names = f"rows {above + 1} to {above + 3} are a title, 'Sales'", f"in row {above + 4}"
        assert table.read_as.endswith(f"; {title}; the names of the columns are {names}")
        assert [(name, values(table, name)) for name in table.features] == [("a", [1.0]), ("b", ["x"])]
        for told in ({"header_row": above + 4}, {"skip": above + 2}):
            assert column_names(path, **told) == ["a", "b"]
            assert "title" not in read_table(path, **told).read_as
        assert column_names(path, skip=0) == ["Sales", "column 2"]
        with pytest.raises(ReadError, match="no row after those that are skipped"):
            read_table(path, header_row=above + 6)

    @pytest.mark.parametrize("rows", [[["a", None], [1, 2]], [["a"], ["x"], ["y"]], [["a", None], ["x", "y"]]])
    def test_no_title(self, tmp_path: Path, rows: list[list[object]]) -> None:
        """A row above numbers, above single cells or above the last row is no title."""
        assert column_names(self.book(tmp_path / "d.xlsx", rows))[0] == "a"

    def test_empty_sheet(self, tmp_path: Path) -> None:
        """A sheet without cells is an error."""
        with pytest.raises(ReadError, match="empty"):
            read_table(self.book(tmp_path / "d.xlsx", []))

    def test_without_the_library(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without python-calamine the message says how to install it."""
        path = self.book(tmp_path / "d.xlsx", [["a"], [1]])
        monkeypatch.setitem(sys.modules, "python_calamine", None)
        with pytest.raises(ReadError, match=r"pip install 'unless\[excel\]'"):
            read_table(path)


class TestFolders:
    """A folder of parts reads as the one file that they would make."""

    def test_one_table(self, write, tmp_path: Path) -> None:
        """Parts in order of their names, columns in any order; hidden files, _SUCCESS and others are passed over."""
        write("p/part-2.csv", "y,a\np,3\n")
        write("p/part-1.csv", "a,y\n1,q\n2,p\n")
        write("p/part-10.csv.gz", gzip.compress(b"a,y\n9,r\n"))
        write("p/_SUCCESS", "")
        write("p/.part-1.csv.crc", "x")
        write("p/.hidden.csv", "x")
        write("p/README.md", "what this is")
        write("p/old/part-0.csv", "z\n1\n")
        table = read_table(tmp_path / "p", "y")
        assert values(table, "a") == [1.0, 2.0, 9.0, 3.0]
        assert table.target is not None
        assert [table.target.labels[code] for code in table.target.codes] == ["q", "p", "r", "p"]
        assert column_names(tmp_path / "p") == ["a", "y"]

    def test_kinds_over_all_parts(self, write, tmp_path: Path) -> None:
        """A column is text if its cells are so in one part only, and then every part keeps its spelling."""
        write("p/1.csv", "zip,n,m\n" + "".join(f"0{i},{i},1.0\n" for i in range(2000)))
        write("p/2.csv", "zip,n,m\nx1,?,x\nx2,5,y\n")
        write("p/3.csv", "m,zip,n\n,,NA\n")
        write("p/4.csv", "m,zip,n\n")
        table = read_table(tmp_path / "p")
        assert [column.kind for column in table.columns] == ["text", "number", "text"]
        assert values(table, "zip")[:2] == ["00", "01"]
        assert values(table, "zip")[-3:] == ["x1", "x2", None]
        assert values(table, "n")[-4:] == [1999.0, None, 5.0, None]
        assert values(table, "m")[-4:] == ["1.0", "x", "y", None]

    @pytest.mark.parametrize("name", ["d.csv", "d.jsonl", "d.parquet", "d.arrow", "d.xlsx"])
    def test_every_format(self, name: str, tmp_path: Path) -> None:
        """Parts of any format."""
        (tmp_path / "p").mkdir()
        for number in (1, 2):
            WRITERS[name](tmp_path / "p" / f"{number}{Path(name).suffix}")
        WRITERS[name](tmp_path / name)
        one, two = read_table(tmp_path / name, "y"), read_table(tmp_path / "p", "y")
        assert [values(two, column) for column in one.features] == [values(one, column) * 2 for column in one.features]
        assert [column.kind for column in two.columns] == [column.kind for column in one.columns]

    def test_typed_parts_at_different_types(self, tmp_path: Path) -> None:
        """Whole numbers in one part and fractions in another are numbers; numbers and text are mixed."""
        pl.DataFrame({"a": [1, 2], "b": [1, 2], "c": ["x", None]}).write_parquet(tmp_path / "1.parquet")
        pl.DataFrame({"c": ["1", "y"], "a": [0.5, None], "b": ["x", "1"]}).write_parquet(tmp_path / "2.parquet")
        table = read_table(tmp_path)
        assert [values(table, name) for name in "abc"] == [
            [1.0, 2.0, 0.5, None], [1.0, 2.0, "x", 1.0], ["x", None, "1", "y"],
        ]  # fmt: skip
        assert [column.kind for column in table.columns] == ["number", "mixed", "text"]

    def test_objects_may_lack_members(self, write, tmp_path: Path) -> None:
        """In JSON lines a part may lack a column, as a line may; an empty part has no rows."""
        write("p/1.jsonl", '{"a":1}\n')
        write("p/2.jsonl", "")
        write("p/3.jsonl", '{"b":"x"}\n')
        table = read_table(tmp_path / "p")
        assert [values(table, "a"), values(table, "b")] == [[1.0, None], [None, "x"]]

    @pytest.mark.parametrize(
        ("parts", "words"),
        [
            ({"1.csv": "a,b\n1,2\n", "2.csv": "a,c\n1,2\n"}, r"p/2\.csv: no column 'b', which .*p/1\.csv has"),
            ({"1.csv": "a,b\n1,2\n", "2.csv": "b,a,c\n1,2,3\n"}, r"p/2\.csv: a column 'c', which .*p/1\.csv does not"),
            ({"1.csv": "a\n1\n", "2.tsv": "a\n1\n"}, r"several formats: 1\.csv is CSV, 2\.tsv is TSV"),
            ({"1.csv": "a,b\n1,2\n", "2.csv": "b,a\n1,2\n\n3\n"}, r"p/2\.csv, line 4: 1 field,"),
            ({"1.csv": "a,b\n1,2\n", "2.csv": "a,a\n1,2\n"}, r"p/2\.csv: no column 'b', which .*p/1\.csv has"),
            ({"1.csv": "a\n1\n", "2.csv": ""}, r"p/2\.csv: the file is empty"),
            ({"1.jsonl": '{"a":1}', "2.jsonl": '{"a":1}\n{'}, r"p/2\.jsonl, line 2: not JSON"),
            ({"1.jsonl": "", "2.jsonl": ""}, "empty"),
            ({"_SUCCESS": ""}, "folder without data files"),
            ({"notes.txt": "", "a.md": ""}, r"folder without data files; it holds a\.md, notes\.txt"),
            ({}, "folder without data files"),
        ],
    )
    def test_refused(self, write, tmp_path: Path, parts: dict[str, str], words: str) -> None:
        """What does not fit together is refused by the name of the part."""
        (tmp_path / "p").mkdir()
        for name, content in parts.items():
            write(f"p/{name}", content)
        with pytest.raises(ReadError, match=words):
            read_table(tmp_path / "p")

    def test_format_of_nameless_parts(self, write, tmp_path: Path) -> None:
        """format= makes a part of every file whose name tells nothing."""
        write("p/part-00000", "a\n1\n")
        write("p/part-00001", "a\n2\n")
        assert values(read_table(tmp_path / "p", format="csv"), "a") == [1.0, 2.0]
        kind, paths = parts_at(tmp_path / "p", "csv")
        assert (kind, [path.name for path in paths]) == (FORMATS["csv"], ["part-00000", "part-00001"])


class TestNames:
    """Files whose names and contents disagree, formats that somebody gives."""

    @pytest.mark.parametrize("content", ["d.parquet", "d.arrow", "stream.arrow", "d.xlsx"])
    @pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.feather", "a.xls"])
    def test_disguised(self, tmp_path: Path, content: str, name: str) -> None:
        """A file that is something else than its name says is refused with what it is."""
        WRITERS[content](tmp_path / content)
        kind = format_of(content)
        path = (tmp_path / content).rename(tmp_path / name)
        if format_of(path) is kind:
            assert len(read_table(path)) == 5
            return
        with pytest.raises(ReadError, match=rf"this is an? {kind.title} file.*, not {format_of(path).title}"):
            read_table(path)
        assert len(read_table(path, format=kind.name)) == 5

    def test_packed_in_disguise(self, write) -> None:
        """A packed file whose name does not say so is refused, and so is one that is packed twice."""
        packed = gzip.compress(b"a\n1\n")
        for path in (write("d.csv", packed), write("d.csv.gz", gzip.compress(packed))):
            with pytest.raises(ReadError, match=r"packed by gzip"):
                read_table(path)

    def test_feather_of_old(self, write) -> None:
        """The first version of Feather is refused by its name."""
        with pytest.raises(ReadError, match="Feather file of version 1"):
            read_table(write("d.feather", b"FEA1" + bytes(20) + b"FEA1"))

    def test_a_column_called_par1(self, write) -> None:
        """A text file may begin like a Parquet file."""
        assert read_table(write("d.csv", "PAR1,FEA1\n1,2\n")).features == ("PAR1", "FEA1")

    @pytest.mark.parametrize("name", ["d.csv", "d.jsonl", "d.parquet", "d.arrow", "d.feather", "d.xlsx", "d.ods"])
    def test_empty_and_broken(self, write, name: str) -> None:
        """Empty files and files cut short are errors about the file."""
        with pytest.raises(ReadError, match=r"d\.\w+.*(empty|read)"):
            read_table(write(name, b""))
        with pytest.raises(ReadError, match=r"d\.\w+"):
            read_table(write(name, b"\x00\x01PK ARROW1 nothing of the kind\xff"))

    @pytest.mark.parametrize(
        "name", [name for name in WRITERS if format_of(name).name in ("parquet", "arrow", "excel")]
    )
    def test_cut_short(self, tmp_path: Path, name: str) -> None:
        """Half a file is an error about the file."""
        WRITERS[name](tmp_path / name)
        data = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(data[: len(data) // 2])
        with pytest.raises(ReadError, match=f"{name}: not an? .* file that can be read"):
            read_table(tmp_path / name)

    def test_twins(self, tmp_path: Path) -> None:
        """Two columns of one name, which polars cannot have, are an error about the file."""
        table = pa.table([[1], [2]], names=["a", "a"])
        pyarrow.parquet.write_table(table, tmp_path / "d.parquet")
        with pa.ipc.new_file(tmp_path / "d.arrow", table.schema) as out:
            out.write_table(table)
        with pytest.raises(ReadError, match=r"d\.parquet: .*'a' has more than one"):
            read_table(tmp_path / "d.parquet")
        with pytest.raises(ReadError, match=r"d\.arrow: .*two columns have the same name"):
            read_table(tmp_path / "d.arrow")

    def test_unknown_ending(self, write) -> None:
        """An unknown ending says which are known, and format= overrules it."""
        path = write("d.txt", "a\n1\n")
        with pytest.raises(ReadError, match=r"'\.txt', which is no known format; .*: format='csv', .* or 'excel'"):
            read_table(path)
        assert values(read_table(path, format="csv"), "a") == [1.0]
        with pytest.raises(ParameterError, match="no format 'cvs'; did you mean 'csv'"):
            read_table(path, format="cvs")

    def test_no_such_file(self, write) -> None:
        """column_names says as read_table does what is not there."""
        write("data.csv", "a\n1\n")
        with pytest.raises(MissingFileError, match=r"did you mean 'data\.csv'"):
            column_names(write("x.csv", "").parent / "dota.csv")


class TestBytes:
    """Bytes and open files."""

    def test_format_is_needed(self) -> None:
        """Bytes do not tell their format."""
        for source in (b"a\n1\n", io.BytesIO(b"a\n1\n"), bytearray(b"a\n1\n")):
            with pytest.raises(ParameterError, match="format= one of 'csv', 'tsv', 'jsonl'"):
                read_table(source)
            assert read_table(io.BytesIO(b"a\n1\n"), format="csv").features == ("a",)

    def test_text_file(self) -> None:
        """A file opened for text is refused with the mending."""
        with pytest.raises(ParameterError, match="'rb'"):
            read_table(io.StringIO("a\n1\n"), format="csv")

    def test_format_of_a_frame(self) -> None:
        """A frame has no format."""
        with pytest.raises(ParameterError, match="leave it out"):
            read_table(pl.DataFrame({"a": [1]}), format="csv")

    def test_errors_name_the_data(self) -> None:
        """An error in bytes names the line."""
        with pytest.raises(ReadError, match=r"^the data, line 2: 1 field,"):
            read_table(b"a,b\n1\n", format="csv")
        with pytest.raises(ReadError, match=r"^the data: this is an Arrow file"):
            read_table(b"ARROW1\0\0", format="csv")
        with pytest.raises(UnknownNameError, match="did you mean 'age'"):
            read_table(b"age\n1\n", "aeg", format="csv")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
    def test_pipe(self, tmp_path: Path) -> None:
        """A named pipe is read once, as a whole."""
        path = tmp_path / "pipe"
        os.mkfifo(path)
        writer = threading.Thread(target=lambda: path.write_bytes(b"a\n1\n2\n"))
        writer.start()
        assert values(read_table(path, format="csv"), "a") == [1.0, 2.0]
        writer.join()


def test_large_names_are_cheap(tmp_path: Path) -> None:
    """column_names reads the header only: the rest of the file may be anything."""
    path = tmp_path / "d.csv"
    path.write_bytes(b'a,"b\nc"\n' + np.random.default_rng(0).bytes(1 << 20))
    assert column_names(path) == ["a", "b\nc"]
    (tmp_path / "d.csv.gz").write_bytes(gzip.compress(path.read_bytes())[: 1 << 16])
    assert column_names(tmp_path / "d.csv.gz") == ["a", "b\nc"]
