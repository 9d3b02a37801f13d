"""Predictions for European and office files: decided as plain ones, written as they were read."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unless.errors import GuessWarning, ParameterError, UnlessError
from unless.read.dialect_detection import WINDOW
from unless.read.table import read_table
from unless.rule import Literal, Program, Rule
from unless.stream import predict_file

SMALL, COLOGNE = Rule("klein", (Literal("größe", "<=", 1.5),)), Rule("Köln", (Literal("ort", "==", "Köln"),))
PROGRAM = Program("y", ("größe", "ort"), (SMALL, COLOGNE))


def streamed(data: bytes, program: Any = PROGRAM, **options: Any) -> bytes:
    """What is written for the bytes of a CSV file."""
    out = io.BytesIO()
    predict_file(program, io.BytesIO(data), out, **({"format": "csv"} | options))
    return out.getvalue()


def trained() -> Any:
    """A model with probabilities, learned from a plain file."""
    from unless import UnlessClassifier

    rows = "".join(
        f"{place / 8},{'Köln' if place % 3 else 'Bonn'},{'a' if place > 40 else 'b'}\n" for place in range(80)
    )
    return UnlessClassifier().fit(read_table(f"größe,ort,y\n{rows}".encode(), "y", format="csv"))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 80), st.sampled_from(["Köln", "a;b", "c\td", "x", "y\nz"])), min_size=1, max_size=9
    ),
    st.sampled_from([";", "\t", "|", ","]),
    st.sampled_from([".", ","]),
    st.sampled_from(["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-be"]),
    st.sampled_from([1, 30, 1 << 20]),
)
def test_every_byte_stays(
    cells: list[tuple[int, str]], delimiter: str, decimal: str, encoding: str, block: int
) -> None:
    """The records are copied in their dialect, whatever the blocks; the answers are those of the whole table."""
    text = io.StringIO(newline="")
    rows = [
        ("größe", "ort"),
        ("0,5".replace(",", decimal), "Köln"),
        *((f"{n / 8}".replace(".", decimal), w) for n, w in cells),
    ]
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    content = text.getvalue().encode(encoding)
    found = streamed(content, block=block).decode(encoding)
    read = list(csv.reader(io.StringIO(found, newline=""), delimiter=delimiter))
    assert [tuple(row[:2]) for row in read] == rows
    assert found.startswith(text.getvalue().partition("\r\n")[0] + f"{delimiter}predicted{delimiter}rule\r\n")
    expected = [
        ("klein", "1") if number / 8 <= 1.5 else ("Köln", "2") if word == "Köln" else ("", "") for number, word in cells
    ]
    assert [tuple(row[2:]) for row in read[2:]] == expected


def test_shares_have_the_decimal_sign_of_the_file() -> None:
    """A file with decimal commas has no decimal points after predictions; a model does not care how it was trained."""
    model = trained()
    plain = streamed("größe,ort\n0.5,Köln\n9.25,Bonn\n".encode(), model).decode()
    european = streamed("größe;ort\n0,5;Köln\n9,25;Bonn\n".encode("cp1252"), model).decode("cp1252")
    assert european == plain.replace(",", ";").replace(".", ",")
    assert ";0," in european.splitlines()[1]


@pytest.mark.parametrize("block", [1000, 1 << 23])
def test_letters_far_down(block: int) -> None:
    """Where the first letters beyond ASCII come late, they tell the encoding, and every byte stays."""
    program = Program("y", ("a",), (Rule("low", (Literal("a", "<=", 1.5),)),))
    content = b"a;b\n" + b"1,5;x\n" * WINDOW + b"2,5;caf\xe9\n1;M\xfcller\n"
    with pytest.warns(GuessWarning, match="a later one is not UTF-8; read as cp1252"):
        out = streamed(content, program, block=block)
    assert out == b"a;b;predicted;rule\n" + b"1,5;x;low;1\n" * WINDOW + b"2,5;caf\xe9;;\n1;M\xfcller;low;1\n"
    utf8 = content.decode("cp1252").encode()
    assert streamed(utf8, program, block=block) == out.decode("cp1252").encode()


def test_letters_far_down_after_labels_with_letters() -> None:
    """If a label with letters was written before, the output goes on in UTF-8, and no letter changes."""
    program = Program("y", ("a",), (Rule("größer", (Literal("a", ">", 1.5),)),))
    content = b"a;b\n" + b"2,5;x\n" * WINDOW + b"2,5;caf\xe9\n"
    with pytest.warns(GuessWarning):
        out = streamed(content, program, block=1000).decode()
    assert out.endswith("2,5;x;größer;1\n2,5;café;größer;1\n")


def test_a_label_that_the_encoding_does_not_have() -> None:
    """A letter that cannot be written is named, with what can be done."""
    program = Program("y", ("a",), (Rule("Łódź", (Literal("a", ">", 0.5),)),))
    with pytest.raises(
        ParameterError, match=r"'Ł' cannot be written in cp1252, the encoding of the data; write \.jsonl"
    ):
        streamed("a;b\n1,5;é\n".encode("cp1252"), program)
    assert "Łódź" in streamed("a;b\n1,5;é\n".encode("cp1252"), program, to="jsonl").decode()


def test_other_formats_are_plain(tmp_path: Path) -> None:
    """Another format is written in UTF-8 with its usual delimiter; cells stay as they are spelled."""
    content = "größe;ort\n0,5;Köln\n".encode("cp1252")
    assert streamed(content, to="tsv").decode() == "größe\tort\tpredicted\trule\n0,5\tKöln\tklein\t1\n"
    (tmp_path / "d.csv.gz").write_bytes(gzip.compress(content))
    done = predict_file(PROGRAM, tmp_path / "d.csv.gz", tmp_path / "out.csv.gz")
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()).decode("cp1252").endswith("0,5;Köln;klein;1\n")
    assert done.read_as == done.to_dict()["read_as"] == "read as semicolon-separated, decimal comma, cp1252"


def test_parts_in_different_dialects(tmp_path: Path) -> None:
    """The output is written as the first part is, whatever the others are."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.csv").write_bytes("größe;ort\n0,5;Köln\n".encode("cp1252"))
    (tmp_path / "in" / "2.csv").write_bytes("größe;ort\n9,5;Köln\n".encode())
    (tmp_path / "in" / "3.csv").write_bytes("ort\tgröße\nä\t1\n".encode("utf-16"))
    predict_file(PROGRAM, tmp_path / "in", tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_bytes().decode("cp1252").splitlines()
    assert lines == ["größe;ort;predicted;rule", "0,5;Köln;klein;1", "9,5;Köln;Köln;2", "1;ä;klein;1"]


def test_told() -> None:
    """What the caller says overrules the guess, and what makes no sense is refused."""
    content = b"gr\xc3\xb6\xc3\x9fe;ort\n1,234;K\xc3\xb6ln\n"
    assert streamed(content, decimal=".").decode().endswith("1,234;Köln;Köln;2\n")
    assert streamed(content, decimal=",").decode().endswith("1,234;Köln;klein;1\n")
    with pytest.raises(UnlessError, match="the sheet is for Excel files"):
        streamed(content, sheet="x")
    lines = streamed('{"größe":1,"ort":"x"}\n'.encode("utf-16"), format="jsonl").decode().removeprefix("\ufeff")
    assert json.loads(lines)["predicted"] == "klein"
