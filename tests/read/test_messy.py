"""Files as people have them."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest

from tests.cli.command import called
from unless import read_table
from unless.blocks.block_dataset import make_block_dataset
from unless.blocks.sources import FileStream
from unless.errors import ParameterError
from unless.inspection import profile_table
from unless.read.batches import Input
from unless.read.options import ReadOptions
from unless.values.notation import detect_notation

CLOCKS = "at,weekday,late\n" + "".join(
    f"{hour}:{minute:02},{hour % 7},{'yes' if hour > 8 else 'no'}\n" for hour in range(6, 24) for minute in (5, 30)
)


def test_times_without_a_leading_zero_are_times() -> None:
    """7:30 is the time 07:30, beside 12:30 and alone, in a text file and in a list of records."""
    padded = "".join(f"0{line}\n" if line[1:2] == ":" else f"{line}\n" for line in CLOCKS.splitlines())
    table, same = (read_table(text.encode(), "late", format="csv") for text in (CLOCKS, padded))
    assert [str(table.record(row)["at"]) for row in (0, 1)] == ["06:05", "06:30"]
    assert all(table.record(row) == same.record(row) for row in range(len(same)))
    assert str(read_table([{"at": "8:45:00"}, {"at": "7:30"}]).record(1)["at"]) == "07:30"


@pytest.mark.parametrize("form", ["%H:%M", "%H:%M:%S"])
def test_the_format_of_times_may_be_given(form: str) -> None:
    """dates= takes the format of times of the day, which changes nothing; another format without a date is refused."""
    told = read_table(CLOCKS.encode(), "late", format="csv", dates={"at": form})
    assert told.columns[0].notation == read_table(CLOCKS.encode(), "late", format="csv").columns[0].notation
    with pytest.raises(ParameterError, match="'%H:%M' or '%H:%M:%S'"):
        read_table(CLOCKS.encode(), "late", format="csv", dates={"at": "%M:%S"})


DATES = [
    ("%d/%m/%Y", ["31/12/2019", "01/02/2020", "5/11/2021"]),
    ("%m/%d/%Y", ["12/31/2019", "02/01/2020", "11/5/2021"]),
    ("%d.%m.%Y", ["31.12.2019", "01.02.2020", "5.11.2021"]),
    ("%d-%m-%Y", ["31-12-2019", "01-02-2020", "5-11-2021"]),
    ("%Y/%m/%d", ["2019/12/31", "2020/02/01", "2021/11/5"]),
    ("%Y-%m-%d", ["2019-12-31", "2020-2-1", "2021-11-5"]),
]


@pytest.mark.parametrize("clock", ["", " 7:30", " 12:30:05"])
@pytest.mark.parametrize(("form", "days"), DATES)
def test_dates_that_say_which_number_is_the_day(tmp_path: Path, form: str, days: list[str], clock: str) -> None:
    """They are read as with the option, and so said, in text, records and workbooks, batches and blocks."""
    hours = {"": "", " 7:30": " %H:%M", " 12:30:05": " %H:%M:%S"}[clock]
    cells = [*(f"{day}{clock}" for day in days), "unknown"]
    labels = ["a", "b"] * 2
    text = "".join(f"{cell},{label}\n" for cell, label in zip(["when", *cells], ["y", *labels], strict=True))
    path = tmp_path / "d.csv"
    path.write_text(text)
    told = read_table(path, "y", dates={"when": form + hours})
    records = [{"when": cell, "y": label} for cell, label in zip(cells, labels, strict=True)]
    (tmp_path / "d.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    book = openpyxl.Workbook()
    for row in (["when", "y"], *zip(cells, labels, strict=True)):
        book.active.append(row)
    book.save(tmp_path / "d.xlsx")
    for source in (path, records, tmp_path / "d.jsonl", tmp_path / "d.xlsx"):
        table = read_table(source, "y")
        assert [table.record(row) for row in range(4)] == [told.record(row) for row in range(4)]
        assert (table.columns[0].notation, table.columns[0].kind) == (told.columns[0].notation, "mixed")
        assert table.read_as == f"dates in 'when' are read as {form}{hours}"
    assert told.read_as == ""
    assert str(table.record(0)["when"]).startswith("2019-12-31")
    pieces = [batch.table(table, ["when"]) for batch in Input(path, ReadOptions(), 16).batches()]
    assert [one.record(row) for one in pieces for row in range(len(one))] == [table.record(row) for row in range(4)]
    with make_block_dataset(FileStream(path), target="y") as blocks:
        assert blocks.schema == table.schema


@pytest.mark.parametrize(
    "cells",
    [
        ["01/02/2019", "12/11/2020", "3/3/2021"],  # ambiguous
        ["31/12/2019", "12/31/2019", "1/1/2019"],  # contradictory
        ["31/02/2019", "30/02/2019", "30/02/2018"],  # no days
        ["31/12/19", "30/11/20", "5/5/18"],  # the year may be first
        ["1.2.3", "31.12.2019", "1.1", "2.2"],  # hardly any
        ["99/12/2019", "1/1/2019", "2/2/2019"],
    ],
)
def test_dates_that_do_not_say_it(cells: list[str]) -> None:
    """Where no cell tells, some contradict, or most are something else, dates stay text."""
    assert detect_notation(cells) is None
    assert read_table([{"when": cell} for cell in cells]).columns[0].kind == "text"


def test_ambiguous_dates_are_named_with_the_option(tmp_path: Path) -> None:
    """Inspect and fit say that no cell tells which number is the day, and give the option."""
    path = tmp_path / "d.csv"
    rows = "".join(f"{k % 12 + 1}/{k % 9 + 1}/2020,{k % 7},{'x' if k % 7 > 3 else 'y'}\n" for k in range(80))
    path.write_text(f"when,size,label\n{rows}")
    (remark,) = [one for one in profile_table(path).columns[0].remarks if one.code == "date-as-text"]
    assert remark.finding.endswith("; no cell tells whether the day or the month comes first")
    for command in ("inspect", "fit"):
        done = called(command, path, "--target", "label")
        assert "--date when=%d/%m/%Y" in " ".join((done.stdout + done.stderr).split())
    path.write_text(path.read_text().replace("1/1/2020", "31/1/2020"))
    for command in ("inspect", "fit"):
        done = called(command, path, "--target", "label")
        assert f"{path}: dates in 'when' are read as %d/%m/%Y" in done.stderr
    done = called("fit", path, "--target", "label", "--blocks", tmp_path / "kept")
    assert f"{path}: dates in 'when' are read as %d/%m/%Y" in done.stderr
    assert "dates written as %d/%m/%Y" in called("inspect", path, "--target", "label").stdout
