"""What predictions for files say and read back: any label, any program, and only text that is text."""

from __future__ import annotations

import csv
import io
import itertools
import json

import openpyxl
import polars as pl
import pytest

from tests.lengths import LONG
from unless import Literal, Program, Rule, predict, read_table
from unless.errors import ParameterError, ReadError
from unless.stream import predict_file

BLOCKS = (1, 2, 7, 64, 1 << 23)
FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow")


def pairs(ones: tuple, others: tuple, turn: int) -> list[tuple]:
    """Each of some with each of others; in short tests each of both once, and other pairs with every turn."""
    if LONG:
        return list(itertools.product(ones, others))
    return [(one, others[(place + turn) % len(others)]) for place, one in enumerate(ones)]


def packed(frame: pl.DataFrame, form: str) -> bytes:
    """A frame as a file."""
    out = io.BytesIO()
    match form:
        case "csv" | "tsv":
            frame.write_csv(out, separator="," if form == "csv" else "\t")
        case "jsonl":
            frame.write_ndjson(out)
        case "parquet":
            frame.write_parquet(out)
        case "arrow":
            frame.write_ipc(out)
    return out.getvalue()


def column(data: bytes, form: str, name: str) -> list[object]:
    """A column of a file, read with a plain reader; every record is whole."""
    match form:
        case "csv" | "tsv":
            text = io.StringIO(data.decode(), newline="")
            lines = csv.reader(text, delimiter="," if form == "csv" else "\t", strict=True)
            header, *rows = filter(None, lines)  # blank lines stay blank
            assert {len(row) for row in rows} == {len(header)}
            return [row[header.index(name)] for row in rows]
        case "jsonl":
            return [json.loads(line)[name] for line in data.split(b"\n") if line]
    read = pl.read_parquet if form == "parquet" else pl.read_ipc
    return read(io.BytesIO(data)).get_column(name).to_list()


def workbook(rows: list[tuple[object, ...]]) -> bytes:
    """Rows as an Excel file."""
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


# Labels.

LABELS = [
    "a\nb", "a\rb", "a\r\nb", "\n", "\r", "\r\n", 'say "x"', '"', '""', "a,b", "a\tb", ",", "\0", "a\0b", " lead",
    "trail ", " ", "ü\u2028\u0085", "\x1b[2J", "null", "NA", "\\n", "#x", "'", "True", "1", '",injected\nnew,row',
]  # fmt: skip


@pytest.mark.parametrize("label", LABELS, ids=repr)
def test_any_label_comes_back(label: str) -> None:
    """From every format to every other, a label is one field of one record, and is read as what it is."""
    program = Program("y", ("k",), (Rule(label, (Literal("k", "!=", "zz"),)),))
    frame = pl.DataFrame({"k": ["1", "x"]})
    for form, to in pairs(FORMATS, FORMATS, LABELS.index(label)):
        out = io.BytesIO()
        predict_file(program, io.BytesIO(packed(frame, form)), out, format=form, to=to)
        assert column(out.getvalue(), to, "predicted") == [label, label], (form, to)
        again = read_table(out.getvalue(), "predicted", format=to, missing=())
        assert again.target.labels == (label,), (form, to)
        assert len(again) == 2


@pytest.mark.parametrize("name", [label for label in LABELS if label != "\0"], ids=repr)
def test_any_name_of_a_column_comes_back(name: str) -> None:
    """So do names: those of the input, and those that a prefix makes."""
    program = Program("y", (), (), "label")
    frame = pl.DataFrame({"k": ["1", "x"], name: ["2", "3"]})
    for form, to in itertools.product(("jsonl", "parquet"), FORMATS):
        out = io.BytesIO()
        predict_file(program, io.BytesIO(packed(frame, form)), out, format=form, to=to, prefix=name)
        assert column(out.getvalue(), to, f"{name}predicted") == ["label", "label"], (form, to)
        assert column(out.getvalue(), to, name) == ["2", "3"], (form, to)


@pytest.mark.parametrize("to", FORMATS)
def test_half_a_character(to: str) -> None:
    """A label or a prefix that no file can hold is refused before it becomes an error of the writer."""
    for program, prefix in ((Program("y", (), (), "\ud800"), ""), (Program("y", (), (), "a"), "\udcff")):
        with pytest.raises(ParameterError, match="is half a character: no file can hold it"):
            predict_file(program, io.BytesIO(b"k\n1\n"), io.BytesIO(), format="csv", to=to, prefix=prefix)


# Programs that test no feature.

CONSTANT = Program("y", ("a", "b"), (), "x")
TWO_ROWS = {
    "csv": [
        b"a,b\n3,q\n2,q\n", b"a,b\n3,q\n2,q\n\n", b"a,b\n3,q\n2,q", b'a,b\n"3\n",q\n2,q\n', b"a,b\r3,q\r2,q\r",
        b"\n\na,b\n\n3,q\n\n2,q",
        b"a\n3\n2\n", b"a\n\n2", b'a,b\n3,"q""\n"\r\n2,\n',
    ],
    "tsv": [b"a\tb\n3\tq\n2\tq\n", b"a\tb\n3\tq\n\n2\tq\n\n"],
    "jsonl": [
        b'{"a":3}\n{"a":2}\n', b'{"a":3,"b":"q"}\n\n{"b":[1]}\n\n', b"{}\n{}", b'{"a":1}\n{}',
        b'{"a":3}\n{"\\u0061":2}',
    ],
    "parquet": [packed(pl.DataFrame({"a": [3, 2], "b": ["q", "q"]}), "parquet")],
    "excel": [workbook([("a", "b"), (3, "q"), (2, "q")])],
    "arrow": [packed(pl.DataFrame({"a": [3, 2], "b": ["q", "q"]}), "arrow")],
}  # fmt: skip

NOTHING = [CONSTANT, Program("y", ("a",), (Rule("x"),)), Program("y", ())]


@pytest.mark.parametrize("program", NOTHING, ids=str)
@pytest.mark.parametrize("form", TWO_ROWS)
def test_programs_that_test_nothing(form: str, program: Program) -> None:
    """Every record gets the label, however the file is written and cut, into whatever format."""
    label = program.label({})
    for turn, data in enumerate(TWO_ROWS[form], NOTHING.index(program)):
        if not (form == "jsonl" and data.startswith(b"{}")):  # which has no columns to read in memory
            assert predict(program, read_table(data, format=form, like=program)).tolist() == [label] * 2, data
        for block, to in pairs(BLOCKS, FORMATS, turn):
            out = io.BytesIO()
            done = predict_file(program, io.BytesIO(data), out, format=form, to=to, block=block)
            assert done.labels == {label: 2}, (data, block, to)
            shown = "" if label is None and to in ("csv", "tsv") else label
            assert column(out.getvalue(), to, "predicted") == [shown] * 2, (data, block, to)


# Text that is none.

BAD = [b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82"]
HALVES = [rb"\ud800", rb"\uDC00x", rb"\ud800\ud800", rb"\\\ud83d"]
LINES = {
    "csv": [b"a,b,c\n1,x,k\n2,%s,k\n3,z,k\n", b'a,b,c\n1,x,k\n"%s",y,k\n3,"z",k\n'],
    "jsonl": [
        b'{"a":1,"b":"x"}\n{"a":2,"b":"%s"}\n{"a":3}\n',
        b'{"a":1,"b":"x"}\n{"a":"%s","b":"x"}\n{"a":3,"c":[]}\n',
        b'{"a":1}\n{"a":2,"b":[{"c":"%s"}]}\n{"a":3}',
        b'{"a":1}\n{"a":2,"%s":"y"}\n{"a":3}',
    ],
}


@pytest.mark.parametrize(
    ("form", "bad", "reason"),
    [
        *(
            ("csv", bad, rf"line [23]: the byte 0x{bad[0]:02x} is not UTF-8; save the file as UTF-8 text")
            for bad in BAD
        ),
        *(("jsonl", bad, rf"line 2: the byte 0x{bad[0]:02x} is not UTF-8; save the file as UTF-8 text") for bad in BAD),
        *(
            ("jsonl", half, r"line 2: '\\u\w+' is half a character; write both surrogates, or neither")
            for half in HALVES
        ),
    ],
)
def test_what_is_no_text_is_refused(form: str, bad: bytes, reason: str) -> None:
    """Wherever it is, whatever is read of the file, however it is cut and written: one error, which names the line.

    A CSV file that is not UTF-8 is taken for cp1252, unless somebody says that it is UTF-8.
    """
    told = {"encoding": "utf-8"} if form == "csv" else {}
    used = Program("y", ("a",), (Rule("r", (Literal("a", "<=", 3.0),)),), "o")
    for turn, (pattern, program) in enumerate(itertools.product(LINES[form], (used, CONSTANT))):
        data = pattern.replace(b"%s", bad)
        with pytest.raises(ReadError, match=reason):
            read_table(data, format=form, like=program, **told)
        for block, to in pairs(BLOCKS, FORMATS, turn):
            with pytest.raises(ReadError, match=reason):
                predict_file(program, io.BytesIO(data), io.BytesIO(), format=form, to=to, block=block, **told)


def test_whole_characters_are_read() -> None:
    """Both halves of a character make one, and a backslash may come before anything."""
    data = rb'{"a":"\ud83d\ude00"}' + b"\n" + rb'{"a":"\\ud800"}'
    assert [read_table(data, format="jsonl").record(row)["a"] for row in (0, 1)] == ["😀", r"\ud800"]


def test_escapes_that_are_none() -> None:
    """Text that only begins like half a character is not JSON."""
    with pytest.raises(ReadError, match="line 1: not JSON"):
        read_table(rb'{"a":"\ud8zz"}', format="jsonl")


def test_utf_16_is_recognised() -> None:
    """A file in the default encoding of some editors is read."""
    for form, text in (("csv", "a,b\n1,é\n"), ("jsonl", '{"a":1,"b":"é"}\n')):
        assert read_table(text.encode("utf-16"), format=form).record(0) == {"a": 1.0, "b": "é"}
