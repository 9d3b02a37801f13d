"""Predictions as an Excel workbook: every cell as it was, or refused."""

from __future__ import annotations

import datetime as dt
import io
import sys
import zipfile
from decimal import Decimal

import polars as pl
import pytest

from unless import UnlessClassifier, read_table
from unless.errors import ParameterError
from unless.rule import Literal, Program, Rule
from unless.stream import excel_writer, predict_file

pytest.importorskip("xlsxwriter")
openpyxl = pytest.importorskip("openpyxl")
calamine = pytest.importorskip("python_calamine")

PROGRAM = Program("y", ("a",), (Rule("low", (Literal("a", "<=", 5.0),)),), None)


def sheet(data: bytes) -> list[list[object]]:
    """The cells of the only sheet; '' is an empty one."""
    book = calamine.load_workbook(io.BytesIO(data))
    assert book.sheet_names == ["predictions"]
    return book.get_sheet_by_index(0).to_python(skip_empty_area=False)


def written(*frames: pl.DataFrame) -> bytes:
    """A workbook of frames."""
    out = io.BytesIO()
    excel_writer.write_sheet(frames, out)
    return out.getvalue()


@pytest.mark.parametrize("block", [1, 20, 1 << 23])
def test_a_text_file_becomes_a_workbook(tmp_path, block):
    """Numbers are numbers, names are text, and a record without a label has empty cells."""
    (tmp_path / "in.csv").write_bytes(b"a,name,zip\n1,=1+1,007\n9.5,,8\n")
    done = predict_file(PROGRAM, tmp_path / "in.csv", tmp_path / "out.xlsx", block=block)
    assert done.rows == 2
    assert sheet((tmp_path / "out.xlsx").read_bytes()) == [
        ["a", "name", "zip", "predicted", "rule"],
        [1.0, "=1+1", "007", "low", 1.0],
        [9.5, "", "8", "", ""],
    ]
    assert read_table(tmp_path / "out.xlsx").record(0)["zip"] == "007"


@pytest.mark.parametrize("form", ["parquet", "jsonl", "arrow", "excel"])
def test_from_every_format(tmp_path, form):
    """Typed files keep their types: numbers, booleans, text and null."""
    frame, source = pl.DataFrame({"a": [1, 9], "b": [True, None], "c": ["x", None], "d": [0.5, 2.0]}), io.BytesIO()
    if form == "excel":
        excel_writer.write_sheet([frame], source)
    else:
        {"parquet": frame.write_parquet, "jsonl": frame.write_ndjson, "arrow": frame.write_ipc}[form](source)
    source.seek(0)
    predict_file(PROGRAM, source, tmp_path / "out.xlsx", format=form)
    assert sheet((tmp_path / "out.xlsx").read_bytes())[1:] == [
        [1.0, True, "x", 0.5, "low", 1.0],
        [9.0, "", "", 2.0, "", ""],
    ]


TEXTS = [
    *("=1+1", "=HYPERLINK(1)", "+5", "-x", "@a", "007", "1e5", "http://a.b", "TRUE", "#N/A", "<r>b</r>", "<r>&</r>"),
    *("a\rb", "a\r\nb", "\n", " x ", " ", "\t", "_x0041_", "\x00\x01", "\x1b", "é😀", "&<>\"'", "x" * 32767),
]


def test_text_stays_text():
    """No text becomes a formula, a number or an address, and every character comes back."""
    data = written(pl.DataFrame({"=t": TEXTS}))
    assert [row[0] for row in sheet(data)] == ["=t", *TEXTS]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")
    cells = openpyxl.load_workbook(io.BytesIO(data)).active["A"]
    assert {cell.data_type for cell in cells} == {"s"}
    assert [bool(cell.quotePrefix) for cell in cells[:7]] == [True] * 6 + [False]


def test_numbers_keep_all_digits():
    """Numbers of seventeen digits come back; what float64 does not hold is text."""
    numbers = [0.1 + 0.2, 1 / 3, 1e300, 5e-324, float("nan"), -2.5]
    whole = [2**53, 2**53 + 1, -(2**63), 7, 0, None]
    exact = [Decimal("1.10"), Decimal("12345678901234567.25"), None, None, None, None]
    rows = sheet(written(pl.DataFrame({"n": numbers, "w": whole, "d": exact})))[1:]
    assert [row[0] for row in rows] == [*numbers[:4], "", -2.5]
    assert [row[1] for row in rows] == [2.0**53, str(2**53 + 1), str(-(2**63)), 7.0, 0.0, ""]
    assert [row[2] for row in rows[:3]] == [1.1, "12345678901234567.25", ""]


def test_dates_are_dates():
    """Days and moments that Excel knows are its dates; others are ISO text."""
    moment = dt.datetime(2024, 5, 1, 2, 3, 4)  # noqa: DTZ001 - Excel knows no zones
    frame = pl.DataFrame(
        {
            "day": [dt.date(2024, 5, 1), dt.date(1800, 1, 1)],
            "moment": [moment, moment.replace(microsecond=5)],
            "zoned": pl.Series([moment, None]).dt.replace_time_zone("UTC"),
            "time": [dt.time(1, 2), None],
        }
    )
    assert sheet(written(frame))[1:] == [
        [dt.date(2024, 5, 1), moment, "2024-05-01T02:03:04+00:00", "01:02:00"],
        ["1800-01-01", "2024-05-01T02:03:04.000005", "", ""],
    ]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame({"a": [1], "l": [[1]]}), r"'l' holds List.*; write \.parquet"),
        (pl.DataFrame({"a": [1], "r": [b"x"]}), r"'r' holds Binary.*; write \.parquet"),
        (pl.DataFrame({"a": [float("inf")]}), "'a' holds an infinite number"),
        (pl.DataFrame({"a": [1], "t": ["x" * 32768]}), "record 1 has a text of 32,768 characters; .* holds 32,767"),
        (pl.DataFrame({"a": [1], "t": ["😀" * 16384]}), "record 1 has a text of 16,384 characters"),
        (pl.DataFrame({f"c{n}": [1] for n in range(16_385)}).rename({"c0": "a"}), "16,387 columns; .* at most 16,384"),
    ],
)
def test_what_a_sheet_cannot_hold_is_refused(tmp_path, frame, message):
    """The error says what can, and no file is left."""
    frame.write_parquet(tmp_path / "in.parquet")
    with pytest.raises(ParameterError, match=message):
        predict_file(PROGRAM, tmp_path / "in.parquet", tmp_path / "out.xlsx")
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_more_records_than_a_sheet_has_rows(tmp_path, monkeypatch):
    """They are refused, not cut off; a full sheet is fine."""
    monkeypatch.setattr(excel_writer, "MOST_ROWS", 5)
    for rows in (5, 6):
        (tmp_path / "in.csv").write_bytes(b"a\n" + b"1\n" * rows)
        out = tmp_path / f"{rows}.xlsx"
        if rows == 5:
            predict_file(PROGRAM, tmp_path / "in.csv", out, block=4)
            assert len(sheet(out.read_bytes())) == 6
        else:
            with pytest.raises(ParameterError, match=r"more than 5 records, .*; write \.csv, \.jsonl or \.parquet"):
                predict_file(PROGRAM, tmp_path / "in.csv", out, block=4)
            assert not out.exists()


def test_a_workbook_goes_through_a_pipe():
    """A workbook can be written to what has no name; from a workbook to a pipe goes CSV, unless asked otherwise."""
    out, again = io.BytesIO(), io.BytesIO()
    predict_file(PROGRAM, io.BytesIO(b"a\n1\n"), out, format="csv", to="excel")
    assert sheet(out.getvalue())[1] == [1.0, "low", 1.0]
    predict_file(PROGRAM, io.BytesIO(out.getvalue()), again, format="excel")
    assert again.getvalue() == b"a,predicted,rule,predicted_2,rule_2\n1,low,1,low,1\n"


def test_a_workbook_needs_a_library(monkeypatch, tmp_path):
    """Without it, the error says what to install; that is said before anything is read."""
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    (tmp_path / "in.csv").write_bytes(b"a\n1\n")
    with pytest.raises(ParameterError, match=r"pip install 'unless\[excel\]'"):
        predict_file(PROGRAM, tmp_path / "in.csv", tmp_path / "out.xlsx")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_dates_of_a_workbook_are_predicted_as_they_are_read(tmp_path):
    """Dates of a workbook are dates to predictions from the file, and come out as dates."""
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=day) for day in range(120)]
    labels = ["late" if day > dt.date(2020, 3, 1) else "early" for day in days]
    pl.DataFrame({"when": days, "y": labels}).write_excel(tmp_path / "in.xlsx")
    model = UnlessClassifier(warn=False).fit(read_table(tmp_path / "in.xlsx", "y"))
    found = predict_file(model, tmp_path / "in.xlsx", tmp_path / "out.csv")
    assert found.accuracy == 1
    assert (tmp_path / "out.csv").read_text().splitlines()[1].startswith("2020-01-01,early,early,")


def test_dates_of_a_workbook_stay_dates(tmp_path):
    """From workbook to workbook, and to Parquet, dates and times keep their types."""
    moment = dt.datetime(2024, 5, 1, 2, 3, 4)  # noqa: DTZ001 - Excel knows no zones
    frame = pl.DataFrame({"a": [1, 2], "day": [dt.date(2024, 5, 1), None], "at": [moment, moment]})
    frame.write_excel(tmp_path / "in.xlsx")
    predict_file(PROGRAM, tmp_path / "in.xlsx", tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").select("day", "at").rows() == frame.select("day", "at").rows()
    predict_file(PROGRAM, tmp_path / "in.xlsx", tmp_path / "out.xlsx")
    assert [row[1:3] for row in sheet((tmp_path / "out.xlsx").read_bytes())[1:]] == [
        [dt.date(2024, 5, 1), moment], ["", moment],
    ]  # fmt: skip
