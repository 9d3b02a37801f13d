"""Headers as people have them: names that are empty or appear twice, and lines above the header."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.command import called
from unless import read_table
from unless.blocks.sources import FileStream
from unless.errors import ParameterError, ReadError, UnknownNameError
from unless.read import column_names
from unless.read.batches import Input
from unless.read.headers import column_titles
from unless.read.options import ReadOptions
from unless.rule import Literal, Program, Rule
from unless.stream import predict_file

TITLED = b'Sales of "2020\n\nsize,,size\n1,2,x\n3,4,y\n'


@given(st.lists(st.sampled_from(["", "a", "a_2", "a_3", "column 1", "column 2", "column 2_2"]), max_size=12))
def test_every_column_gets_a_name_of_its_own(header: list[str]) -> None:
    """No two columns have the same name, and the first of each name keeps it."""
    names, said = column_titles(header)
    assert len(set(names)) == len(names) == len(header)
    assert "" not in names
    assert all(names[header.index(name)] == name for name in header if name)
    assert bool(said) == (names != header)


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_names_that_are_empty_or_appear_twice(tmp_path: Path, ending: str) -> None:
    """A column without a name is called by its place, a name that appears again gets a number, and both are said."""
    data = b"size,,size,size_2,size\n1,2,3,4,5\n"
    path = tmp_path / f"d.{ending}"
    path.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    names = ("size", "column 2", "size_3", "size_2", "size_4")
    table = read_table(path)
    assert table.features == tuple(column_names(path)) == names
    assert list(table.record(0).values()) == [1, 2, 3, 4, 5]
    assert table.read_as == (
        "1 column without a name is called 'column 2'; "
        "2 columns with the name of an earlier one are called 'size_3', 'size_4'"
    )
    given = Input(path, ReadOptions(), 1 << 16)
    assert [list(batch.names) for batch in given.batches()] == [list(names)]
    assert given.said[path.name].said == table.read_as


@pytest.mark.parametrize("told", [{"header_row": 3}, {"skip": 2}, {"skip": 1}])
def test_lines_above_the_header_are_skipped(tmp_path: Path, told: dict[str, Any]) -> None:
    """Whatever is above the header, a quote that is never closed included, is no part of the table."""
    (tmp_path / "d.csv").write_bytes(TITLED)
    for source in (tmp_path / "d.csv", TITLED):
        table = read_table(source, "size_2", format="csv", **told)
        assert (table.features, len(table)) == (("size", "column 2"), 2)
        assert column_names(source, format="csv", **told) == ["size", "column 2", "size_2"]
    streamed = [batch.table(table, ["size"]) for batch in Input(tmp_path / "d.csv", ReadOptions(**told), 8).batches()]
    assert [one.record(row)["size"] for one in streamed for row in range(len(one))] == [1, 3]
    blocks = list(FileStream(tmp_path / "d.csv", ReadOptions(**told)).batches())
    assert [list(one.names) for one in blocks] == [["size", "column 2", "size_2"]]


@settings(deadline=None)
@given(
    st.lists(st.text('a,;"é \t', max_size=9), min_size=1, max_size=4),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["utf-8", "utf-8-sig", "cp1252", "utf-16"]),
)
def test_any_title(title: list[str], ending: str, encoding: str) -> None:
    """A table below lines of anything, with any line endings and encoding, is read as the table alone."""
    body = ["k,ö", "1,x", "2,ä"]
    data = ending.join([*title, *body, ""]).encode(encoding)
    plain = {"delimiter": ",", "decimal": "."} | ({} if encoding == "utf-16" else {"encoding": encoding})
    table = read_table(data, format="csv", header_row=len(title) + 1, **plain)
    assert [list(table.record(row).values()) for row in range(len(table))] == [[1.0, "x"], [2.0, "ä"]]


def test_the_dialect_is_that_of_the_table(tmp_path: Path) -> None:
    """Lines above the header do not tell how the table is written."""
    path = tmp_path / "d.csv"
    path.write_text("a,b,c,d\n1,2,3,4\n5,6,7,8\nname;size\nx;1,5\ny;2,5\n")
    table = read_table(path, skip=3)
    assert table.record(0) == {"name": "x", "size": 1.5}
    assert table.read_as == "read as semicolon-separated, decimal comma"


def test_a_title_is_copied_to_the_output() -> None:
    """Predictions for a file of the same format keep what is above its header."""
    program = Program("y", ("size",), (Rule("big", (Literal("size", ">", 2.0),)), Rule("small")))
    out = io.BytesIO()
    predict_file(program, io.BytesIO(TITLED), out, format="csv", to="csv", header_row=3)
    assert out.getvalue() == (b'Sales of "2020\n\nsize,,size,predicted,rule\n1,2,x,small,2\n3,4,y,big,1\n')
    out = io.BytesIO()
    predict_file(program, io.BytesIO(TITLED), out, format="csv", to="jsonl", header_row=3)
    assert out.getvalue().splitlines()[0] == b'{"size":1,"column 2":2,"size_2":"x","predicted":"small","rule":2}'


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"header_row": 0}, "header_row is the number of the line with the names, 1 or more, not 0"),
        ({"skip": -1}, "skip is how many lines come before the names, 0 or more, not -1"),
        ({"skip": True}, "not True"),
        ({"skip": 1, "header_row": 2}, "give only one of them"),
    ],
)
def test_what_is_no_number_of_lines(options: dict[str, Any], words: str) -> None:
    """The numbers of lines are checked."""
    with pytest.raises(ParameterError, match=words):
        read_table(TITLED, format="csv", **options)


def test_what_cannot_be_skipped() -> None:
    """Too few lines are an error, and so are lines of formats without any; longer lines hint at a title."""
    for skip, words in ((9, "there are only 5 lines"), (5, "nothing comes after the 5 lines")):
        with pytest.raises(ReadError, match=words):
            read_table(TITLED, format="csv", skip=skip)
    with pytest.raises(ParameterError, match="the skip is for CSV, TSV or Excel files"):
        read_table(b"{}", format="jsonl", skip=1)
    with pytest.raises(ReadError, match=r"line 3: 3 fields, .*give the line with the names as the header row"):
        read_table(b"Sales\n\na,b,c\n1,2,3\n", format="csv")


@pytest.mark.parametrize("how", [{"target": "y"}, {"features": ["y"]}, {"categorical": ["y"]}])
def test_a_column_below_a_title_is_found(how: dict[str, Any]) -> None:
    """Where a line above the header was taken for names, the error about a column says what to do; elsewhere not."""
    for title in (b"Sales of 2024\n", b"Sales, 2024\n\n"):
        with pytest.raises(UnknownNameError, match=r"no column 'y'; .*give the line with the names as the header row"):
            read_table(title + b"a,b,y\n1,2,x\n", format="csv", **how)
    for source, form in ((b"a,b,c\n1,2,x\n", "csv"), (b'{"a": 1}', "jsonl"), ([{"a": 1}], None)):
        with pytest.raises(UnknownNameError) as error:
            read_table(source, format=form, **how)
        assert "title" not in str(error.value)


def test_commands(tmp_path: Path) -> None:
    """Every command takes the options, says what columns are called, and repeats the options in what to do next."""
    path, model = tmp_path / "d.csv", tmp_path / "m.json"
    rows = "".join(f"{k % 7},{k % 5},{'x' if k % 7 > 3 else 'y'}\n" for k in range(80))
    path.write_text(f"Sales\n\nsize,,size\n{rows}")
    done = called("fit", path, "--target", "size_2", "--header-row", "3", "-o", model)
    assert done.returncode == 0, done.stderr
    assert f"{path}: 1 column without a name is called 'column 2'; 1 column with the name" in done.stderr
    assert "--row 3 --header-row 3" in done.stderr or "--header-row 3" in done.stderr
    for command in (
        ["inspect", path],
        ["evaluate", path, "--target", "size_2", "--cv", "2"],
        ["predict", model, path, "-o", tmp_path / "out.csv"],
        ["explain", model, path, "--row", "1"],
        ["report", model, path, "-o", tmp_path / "report.html"],
        ["watch", model, path],
        ["diff", model, model, path],
    ):
        done = called(*command, "--skip", "2")
        assert (done.returncode, "'column 2'" in done.stderr) == (0, True), (command, done.stderr)
