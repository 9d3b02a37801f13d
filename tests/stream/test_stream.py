"""Predictions for files: the same as in memory, byte for byte, wherever the blocks end."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from benchmarks import stream as benchmark
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.written import Written
from unless import UnlessClassifier, kernels, predict, read_table
from unless.errors import FormatError, MissingFileError, OverwriteError, ParameterError, ReadError, UnknownNameError
from unless.export import json as programs
from unless.export.free_names import free_names
from unless.kernels import append_fields
from unless.read.file_bytes import find_objects, find_records
from unless.rule import Literal, Program, Rule
from unless.stream import PredictedFile, predict_file
from unless.stream.output_columns import NewColumns
from unless.stream.output_file import never_waits, write_in_thread
from unless.values import DEFAULT_MISSING, missing_among, parse_number

few = settings(max_examples=80, deadline=None)
BLOCKS = (1, 2, 7, 64, 1 << 23)

PROGRAM = Program(
    "y",
    ("a", "b"),
    (
        Rule("low, indeed", (Literal("a", "<=", 5.0),), (Rule(None, (Literal("b", "==", "k"),)),)),
        Rule('"k"', (Literal("b", "==", "k"),)),
        Rule("gone", (Literal("b", "missing"),)),
    ),
)


def people(count: int) -> list[dict[str, object]]:
    """Records that are the same each time."""
    random = np.random.default_rng(3)
    cities = ["Oslo", "a,b", 'say "x"', "x\ny", None]
    rows = []
    for number in range(count):
        age = None if random.random() < 0.1 else int(random.integers(1, 90))
        city = cities[int(random.integers(len(cities)))]
        label = "old, or so" if (age or 0) > 40 and city != "Oslo" else "young"
        rows.append({"id": f"{number:04d}", "age": age, "city": city, "member": bool(number % 3), "y": label})
    return rows


X, Y, FITTED = read_table(people(400), "y"), None, [UnlessClassifier(warn=False)]


def written(rows: Sequence[dict[str, object]]) -> bytes:
    """The rows as a CSV file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def streamed(program: object, data: bytes, **options: object) -> tuple[bytes, PredictedFile]:
    """What comes out for the bytes of a CSV file."""
    out = io.BytesIO()
    done = predict_file(program, io.BytesIO(data), out, **{"format": "csv", **options})
    return out.getvalue(), done


# What is expected, the slow way.

CELLS = ["1", "7", "2.5", "1e1", "k", "", "NA", "?", "a,b", 'say "x"', "x\ny", "x\r\ny", " k", "ü", "0x", "k\t"]


def raw_cell(cell: str, separator: str, *, quoted: bool) -> str:
    """A cell as it may stand in a file."""
    needs = any(sign in cell for sign in (separator, "\n", "\r")) or cell.startswith('"')
    return '"' + cell.replace('"', '""') + '"' if needs or quoted else cell


@st.composite
def text_files(draw) -> tuple[str, bytes, bytes]:
    """A CSV or TSV file: which of them, its bytes, and what should be made of it by PROGRAM."""
    separator = draw(st.sampled_from(",\t"))
    names = draw(st.sampled_from([["a", "b"], ["b", "a", "rest"], ["x,y", "a", "b"]]))
    endings = draw(st.sampled_from([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n"]]))
    new = separator.join(["predicted", "rule"])
    header = separator.join(raw_cell(name, separator, quoted=draw(st.booleans())) for name in names)
    mark = draw(st.sampled_from(["", "\ufeff"]))
    ending = draw(st.sampled_from(endings))
    given, expected = [mark, header, ending], [mark, header, separator, new, ending]
    for _ in range(draw(st.integers(0, 6))):
        ending = draw(st.sampled_from(endings))
        if draw(st.integers(0, 5)) == 0:
            given.append(ending)
            expected.append(ending)
            continue
        cells = [draw(st.sampled_from(CELLS)) for _ in names]
        record = separator.join(raw_cell(cell, separator, quoted=draw(st.booleans())) for cell in cells)
        given += [record, ending]
        expected += [record, separator, answer(dict(zip(names, cells, strict=True)), separator), ending]
    if draw(st.booleans()):
        given.pop()
        expected.pop()
    return "csv" if separator == "," else "tsv", "".join(given).encode(), "".join(expected).encode()


def answer(cells: dict[str, str], separator: str) -> str:
    """The fields that PROGRAM gives to a record."""
    record = {name: value(cells[name], numeric=name == "a") for name in ("a", "b")}
    rule = PROGRAM.decides(record)
    label = raw_cell("" if rule is None else str(PROGRAM.rules[rule].head), separator, quoted=False)
    return label + separator + ("" if rule is None else str(rule + 1))


def value(cell: str, *, numeric: bool) -> object:
    """What a cell means."""
    if cell in missing_among([cell], DEFAULT_MISSING):
        return None
    return number if numeric and (number := parse_number(cell)) is not None else cell


class TestText:
    """CSV and TSV files."""

    @few
    @given(text_files(), st.sampled_from(BLOCKS))
    @pytest.mark.filterwarnings("ignore:the data. fields may be separated by:unless.errors.GuessWarning")
    def test_records_are_copied_with_their_answers(self, files: tuple[str, bytes, bytes], block: int) -> None:
        """Every byte of the input stays, and every record gets the fields that the program gives to it in memory."""
        form, data, expected = files
        out = io.BytesIO()

        predict_file(PROGRAM, io.BytesIO(data), out, format=form, block=block)

        assert out.getvalue() == expected

    @pytest.mark.parametrize("block", BLOCKS)
    def test_labels_and_probabilities_are_those_of_the_model(self, model: UnlessClassifier, block: int) -> None:
        """A file gets what predict, predict_proba and apply say of the table in memory."""
        data = written(people(60))
        out, done = streamed(model, data, block=block)
        table = read_table(data, format="csv", like=model)
        rows = list(csv.DictReader(io.StringIO(out.decode(), newline="")))

        assert [row["predicted"] for row in rows] == predict(model.program_, table).tolist()
        assert [float(row["probability"]) for row in rows] == pytest.approx(
            model.predict_proba(table).max(axis=1), abs=1e-6
        )
        expected = model.statistics_.expected_precision[model.apply(table)]
        assert [float(row["expected_precision"]) for row in rows] == pytest.approx(expected, abs=1e-6)
        assert [int(row["rule"] or 0) - 1 for row in rows] == model.apply(table).tolist()
        assert done.rows == 60
        assert done.right == round(60 * model.score(table, [row["y"] for row in rows]))
        assert done.labels == {label: [row["predicted"] for row in rows].count(label) for label in done.labels}

    def test_a_file_of_one_column_has_records_on_blank_lines(self) -> None:
        """In a file of one column a blank line is a record whose cell is empty."""
        program = Program("y", ("b",), (Rule("gone", (Literal("b", "missing"),)),))

        for block in BLOCKS:
            assert streamed(program, b"b\nk\n\nk", block=block)[0] == b"b,predicted,rule\nk,,\n,gone,1\nk,,"

    @pytest.mark.parametrize("block", BLOCKS)
    def test_blank_lines_before_the_header_stay(self, block: int) -> None:
        """Blank lines are no records, wherever they stand, and are copied."""
        out, done = streamed(PROGRAM, b"\n\r\na,b\r\n\r\n1,x\r\n\n", block=block)

        assert out == b'\n\r\na,b,predicted,rule\r\n\r\n1,x,"low, indeed",1\r\n\n'
        assert done.rows == 1

    @pytest.mark.parametrize("data", [b"a,b", b"a,b\n", b"\xef\xbb\xbfa,b\r\n"])
    def test_a_header_alone_gets_the_new_names(self, data: bytes) -> None:
        """A file without records keeps its form, and has no accuracy."""
        out, done = streamed(PROGRAM, data)

        assert out == data.replace(b"b", b"b,predicted,rule")
        assert (done.rows, done.labels, done.accuracy) == (0, dict.fromkeys(["low, indeed", '"k"', "gone"], 0), None)

    @pytest.mark.parametrize("block", BLOCKS)
    def test_errors_tell_the_line_of_the_file(self, block: int) -> None:
        """A record that is wrong is named by its line in the whole file, not in its block."""
        data = b'a,b\n1,"x\ny"\n\n2,x\r\n3\n4,y\n'

        with pytest.raises(ReadError, match=r"^the data, line 6: 1 field, but the header names 2 columns$"):
            streamed(PROGRAM, data, block=block)

    @pytest.mark.parametrize("block", BLOCKS)
    def test_a_record_that_is_too_long_is_found(self, block: int) -> None:
        """A field too many is an error, also where the rules do not test all columns."""
        with pytest.raises(ReadError, match=r"line 4: 4 fields, but the header names 3 columns"):
            streamed(PROGRAM, b"a,b,c\n1,k,\n2,k,z\n3,k,1,5\n4,k,z\n", format="csv", block=block)

    def test_a_mark_in_the_midst_of_a_file_is_text(self) -> None:
        """A byte order mark is one only where the file begins."""
        found = streamed(PROGRAM, "a,b\n\ufeff1,k\n".encode(), format="csv", to="jsonl")[0]
        assert json.loads(found)["a"] == "\ufeff1"
        assert read_table("a,b\n\ufeff1,k\n".encode(), format="csv").record(0)["a"] == "\ufeff1"

    @few
    @given(st.integers(1, 9))
    def test_a_file_that_gives_less_than_asked_for_is_read_to_its_end(self, most: int) -> None:
        """Only when there are no more bytes does a file end."""

        class Slow(io.BytesIO):
            def read(self, size: int | None = -1) -> bytes:
                return super().read(min(size or 0, most))

        data, out = b"a,b\n" + b"1,k\n2,x\n" * 9, io.BytesIO()
        predict_file(PROGRAM, Slow(data), out, format="csv", block=20)
        assert out.getvalue() == streamed(PROGRAM, data, format="csv")[0]

    @pytest.mark.parametrize("block", BLOCKS)
    def test_a_quote_that_is_never_closed_is_found(self, block: int) -> None:
        """The line where it is opened is named."""
        with pytest.raises(ReadError, match="line 3: a quote is opened here and never closed"):
            streamed(PROGRAM, b'a,b\n1,x\n"2,x\n3,y\n', block=block)

    def test_a_record_without_end_does_not_fill_the_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A file that is one endless record is given up at a limit."""
        monkeypatch.setattr("unless.read.file_bytes._LONGEST_RECORD", 1000)

        with pytest.raises(ReadError, match="is a quote never closed"):
            streamed(PROGRAM, b'a,b\n"' + b"x" * 10_000, block=100)
        with pytest.raises(ReadError, match="is a quote never closed"):
            streamed(PROGRAM, b'"' + b"x" * 10_000, block=100)

    def test_other_letters_and_bytes_that_are_no_text(self) -> None:
        """Columns that no rule tests are copied; what is no UTF-8 in a column that one does is an error."""
        with pytest.raises(ReadError, match="line 3: the byte 0xff is not UTF-8"):
            streamed(PROGRAM, b"a,b\n1,\xc3\xa4\n1,\xff\n")
        assert streamed(PROGRAM, "a,b,ø\n1,x,ünï\n".encode())[0].decode().splitlines()[1] == '1,x,ünï,"low, indeed",1'

    def test_a_column_that_rules_test_must_be_there(self) -> None:
        """A file without the columns of the program is refused, with a suggestion, even if it has no records."""
        for data in (b"a,bb\n1,k\n", b"a,bb\n"):
            with pytest.raises(UnknownNameError, match="no column 'b'; did you mean 'bb'"):
                streamed(PROGRAM, data)

    def test_large_cells(self) -> None:
        """A cell may be larger than a block, and than what the csv module takes by itself."""
        large = b"x" * 200_000
        data = b'a,b,c\n1,"' + large + b'\n",5"\n9,k,\n'

        assert streamed(PROGRAM, data, block=1000)[0].count(large) == 1
        assert json.loads(streamed(PROGRAM, data, to="jsonl")[0].splitlines()[0])["b"] == large.decode() + "\n"

    def test_an_empty_file_is_refused(self) -> None:
        """A file without a header has no columns."""
        with pytest.raises(ReadError, match="empty"):
            streamed(PROGRAM, b"")


class TestAnswers:
    """The new columns."""

    def test_names_that_are_taken_get_a_number(self) -> None:
        """Columns of the input are never replaced, and the result tells what was renamed."""
        out, done = streamed(PROGRAM, b"a,rule,b,rule_2\n1,r,x,s\n")

        assert out.startswith(b"a,rule,b,rule_2,predicted,rule_3\n1,r,x,s,")
        assert done.columns == ("predicted", "rule_3")
        assert done.renamed == {"rule": "rule_3"}
        assert free_names(["x", "x"], ["x"]) == ("x_2", "x_3")

    def test_a_prefix_names_them_otherwise(self) -> None:
        """The names begin with the prefix, in quotes where they need them."""
        out, done = streamed(PROGRAM, b"a,b\n1,x\n", prefix="m,")

        assert out.startswith(b'a,b,"m,predicted","m,rule"\n')
        assert done.renamed == {}

    def test_a_record_without_a_label_has_empty_fields(self) -> None:
        """Where no rule decides and there is no `otherwise`, all new fields are empty."""
        out, done = streamed(PROGRAM, b"a,b\n9,x\n")

        assert out.splitlines()[1] == b"9,x,,"
        assert done.undecided == 1
        assert done.labels[None] == 1

    def test_otherwise_is_a_label_without_a_rule(self) -> None:
        """Records that no rule covers get the label for them, and no number."""
        program = Program("y", ("a",), (Rule(True, (Literal("a", "<=", 5.0),)),), otherwise=False)

        assert streamed(program, b"a\n1\n9\n")[0] == b"a,predicted,rule\n1,True,1\n9,False,\n"

    @pytest.mark.parametrize(
        ("labels", "cells"), [((1, 2), ["1", "2.0"]), ((1.5, 2.0), ["1.5", "2"]), ((True, False), ["True", "False"])]
    )
    def test_labels_of_other_types_are_compared_as_they_are_spelled(self, labels, cells) -> None:
        """A model of numbers or booleans knows its labels in a text file."""
        program = Program("y", ("a",), (Rule(labels[0], (Literal("a", "<=", 5.0),)),), otherwise=labels[1])
        out, done = streamed(program, f"a,y\n1,{cells[0]}\n9,{cells[1]}\n9,3\n".encode())

        assert done.right == 2
        assert done.accuracy == pytest.approx(2 / 3)
        assert out.splitlines()[1] == f"1,{cells[0]},{labels[0]},1".encode()

    def test_labels_may_be_missing_somewhere(self) -> None:
        """The accuracy is that of the records that have a label, whichever block lacks one; without labels, none."""
        program = Program("y", ("a",), (Rule("low", (Literal("a", "<=", 5.0),)),), otherwise="high")
        data = b"a,b,y\n9,k,high\n9,k,\n1,k,\n1,k,high\n1,k,low\n"

        for block in BLOCKS:
            done = streamed(program, data, block=block)[1]
            assert (done.labelled, done.right, done.accuracy) == (3, 2, pytest.approx(2 / 3))
        done = streamed(program, b"a,b,y\n9,k,\n9,k,\n")[1]
        assert (done.labelled, done.right, done.accuracy) == (0, None, None)

    def test_labels_that_the_model_does_not_know_are_told(self) -> None:
        """They make every decision wrong; rules alone know some labels only, so a single other one is no surprise."""
        program = Program("y", ("a",), (Rule("low", (Literal("a", "<=", 5.0),)),), otherwise="high")

        for block in BLOCKS:
            done = streamed(program, b"a,y\n9,High\n1,Low\n1,Low\n", block=block)[1]
            assert done.accuracy == 0
            (told,) = done.unseen
            assert str(told).startswith("y: all 3 records have a label that the model does not know, 'Low', 'High'; ")
            assert str(told).endswith("did you mean 'low'?")
        assert not streamed(program, b"a,y\n9,High\n1,low\n")[1].unseen

    def test_a_target_that_is_no_label_does_no_harm(self) -> None:
        """A column of the target's name that holds numbers and text gives no accuracy, but predictions."""
        data = b'{"a":1,"b":"x","y":1}\n{"a":1,"b":"x","y":"one"}\n'

        assert streamed(PROGRAM, data, format="jsonl")[1].right is None

    def test_a_program_without_rules_has_one_answer(self) -> None:
        """No column is needed then."""
        program = Program("y", ("a",), otherwise="x")

        assert streamed(program, b"b\n1\n2\n")[0] == b"b,predicted,rule\n1,x,\n2,x,\n"
        assert streamed(program, b'{"b":1}\n{}\n', format="jsonl")[1].labels == {"x": 2}

    def test_the_summary_is_data(self) -> None:
        """What was done can be printed as JSON."""
        found = json.loads(json.dumps(streamed(PROGRAM, b"a,b,rule\n1,x,1\n9,x,1\n")[1].to_dict()))

        assert found["records"] == 2
        assert found["undecided"] == 1
        assert found["labels"][0] == {"label": "low, indeed", "records": 1}
        assert found["columns"] == ["predicted", "rule_2"]
        assert found["renamed"] == {"rule": "rule_2"}
        assert found["accuracy"] is None

    def test_infinite_labels_are_text_in_json(self) -> None:
        """JSON has no infinities."""
        members = NewColumns((float("inf"), None), None, (1, None)).as_members(["p", "r"], spaced=True)

        assert bytes(members.into(b"{}", np.array([1]), np.array([2], np.int32))) == b'{"p": "inf", "r": 1}'


class TestJsonLines:
    """JSON lines to JSON lines."""

    @pytest.mark.parametrize("block", BLOCKS)
    def test_objects_are_copied_with_new_members(self, block: int) -> None:
        """Order, spelling and spaces stay; empty objects and blank lines too."""
        lines = [
            '\ufeff{"b":"k","a":9.00E0}',
            "",
            '{"z": [1, {"b": "}"}], "a": 1 } ',
            "{ }",
            '{"a":1e400000000000,"b":"\\u006b"}\r',
            '{"a":null,"b":"é\\n{"}',
        ]
        new = [
            ',"predicted":"\\"k\\"","rule":2',
            "",
            ',"predicted":"low, indeed","rule":1',
            '"predicted":"gone","rule":3',
            ',"predicted":"\\"k\\"","rule":2',
            ',"predicted":null,"rule":null',
        ]
        out, done = streamed(PROGRAM, "\n".join(lines).encode(), format="jsonl", block=block)
        found = out.decode().split("\n")

        assert [line[::-1].replace(piece[::-1], "", 1)[::-1] for line, piece in zip(found, new, strict=True)] == lines
        assert done.rows == 5
        assert all(json.loads(line.lstrip("\ufeff")) for line in found if line)

    def test_members_are_spaced_as_the_others(self) -> None:
        """Files with spaces between members get them in the new ones."""
        assert streamed(PROGRAM, b'{"a": 1}\n{"b": "k"}\n', format="jsonl")[0] == (
            b'{"a": 1, "predicted": "low, indeed", "rule": 1}\n{"b": "k", "predicted": "\\"k\\"", "rule": 2}\n'
        )

    @pytest.mark.parametrize("block", [1, 1 << 23])
    def test_a_member_that_no_object_has_is_an_error(self, block: int) -> None:
        """A feature may be absent in some objects, but not in all."""
        with pytest.raises(UnknownNameError, match="no column 'b'"):
            streamed(PROGRAM, b'{"a":1}\n{"a":2}\n', format="jsonl", block=block)
        assert streamed(PROGRAM, b'{"a":1}\n{"b":"k"}\n', format="jsonl", block=block)[1].rows == 2

    def test_a_name_that_turns_up_late_is_refused(self) -> None:
        """A member called as a new one, after the names were settled, would stand there twice."""
        with pytest.raises(ReadError, match=r"line 32: a member 'rule', which the first lines do not have; .*prefix"):
            streamed(PROGRAM, b'{"a":1,"b":1}\n' * 30 + b'\n{"rule":1}\n', format="jsonl", block=20)
        assert streamed(PROGRAM, b'{"a":1,"b":1}\n\n{"rule":1}\n', format="jsonl")[1].columns == ("predicted", "rule_2")

    def test_what_is_no_object_is_an_error(self) -> None:
        """The line is named."""
        with pytest.raises(ReadError, match="the data, line 2"):
            streamed(PROGRAM, b'{"a":1,"b":1}\n[1]\n', format="jsonl", block=1)

    def test_labels_are_compared(self) -> None:
        """The target may be a member like any other."""
        assert streamed(PROGRAM, b'{"a":1,"y":"low, indeed"}\n{"b":"k","y":""}\n', format="jsonl")[1].right == 1


class TestFormats:
    """From any format to any other."""

    @pytest.fixture
    def files(self, tmp_path: Path) -> Path:
        """The same people in every format."""
        frame = pl.DataFrame(people(90))
        (tmp_path / "people.csv").write_bytes(written(people(90)))
        frame.write_csv(tmp_path / "people.tsv", separator="\t")
        frame.write_ndjson(tmp_path / "people.jsonl")
        frame.write_parquet(tmp_path / "people.parquet", row_group_size=30)
        frame.write_ipc(tmp_path / "people.arrow")
        frame.write_ipc_stream(tmp_path / "stream.arrow")
        for name in ("people.csv", "people.jsonl", "people.parquet"):
            (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
        return tmp_path

    @pytest.mark.parametrize(
        "source",
        [
            *(f"people.{ending}" for ending in ("csv", "tsv", "jsonl", "parquet", "arrow")),
            *("stream.arrow", "people.csv.gz", "people.jsonl.gz", "people.parquet.gz"),
        ],
    )
    @pytest.mark.parametrize("ending", ["csv", "tsv.gz", "jsonl", "parquet", "arrow"])
    def test_every_pair_of_formats(self, files: Path, model: UnlessClassifier, source: str, ending: str) -> None:
        """Whatever is read and written: all columns and the same answers, also for what was written."""
        out = files / f"out.{ending}"
        done = predict_file(model, files / source, out, block=500)
        expected = model.predict(read_table(written(people(90)), format="csv", like=model)).tolist()
        table = read_table(out, "predicted", categorical=["id", "probability", "expected_precision"])

        assert done.right == sum(label == row["y"] for label, row in zip(expected, people(90), strict=True))
        assert [table.target.labels[code] for code in table.target.codes] == expected
        assert table.features == ("id", "age", "city", "member", "y", "probability", "expected_precision", "rule")
        assert model.predict(read_table(out, like=model)).tolist() == expected
        assert [table.record(row)["id"] for row in range(90)] == [row["id"] for row in people(90)]

    def test_types_stay(self, files: Path, model: UnlessClassifier) -> None:
        """From Parquet to Arrow the columns keep their types, and the new ones have theirs."""
        predict_file(model, files / "people.parquet", files / "out.arrow")
        frame = pl.read_ipc(files / "out.arrow")

        assert frame.drop("predicted", "probability", "expected_precision", "rule").equals(pl.DataFrame(people(90)))
        assert frame.schema.dtypes()[-4:] == [pl.String, pl.Float64, pl.Float64, pl.Int64]

    def test_workbooks_are_read(self, tmp_path: Path, model: UnlessClassifier) -> None:
        """A sheet is a table like any other; whole numbers stay whole."""
        openpyxl, _ = pytest.importorskip("openpyxl"), pytest.importorskip("python_calamine")
        book = openpyxl.Workbook()
        for row in [list(people(1)[0]), *([*row.values()] for row in people(20))]:
            book.active.append(row)
        book.save(tmp_path / "people.xlsx")

        done = predict_file(model, tmp_path / "people.xlsx", tmp_path / "out.csv")
        rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text(), newline="")))

        assert done.right == 20
        assert [row["age"] for row in rows] == ["" if row["age"] is None else str(row["age"]) for row in people(20)]
        assert {row["member"] for row in rows} == {"True", "False"}

    def test_numbers_beside_text_in_a_workbook(self, tmp_path: Path) -> None:
        """A number in a column of text is the category that `read_table` makes of it."""
        openpyxl, _ = pytest.importorskip("openpyxl"), pytest.importorskip("python_calamine")
        book = openpyxl.Workbook()
        for row in (["b", "a"], [5, 9], ["k", 9], [5.5, 9]):
            book.active.append(row)
        book.save(tmp_path / "in.xlsx")
        program = Program("y", ("b",), (Rule("five", (Literal("b", "==", "5"),)),))

        predict_file(program, tmp_path / "in.xlsx", tmp_path / "out.csv")
        assert (tmp_path / "out.csv").read_text() == "b,a,predicted,rule\n5,9,five,1\nk,9,,\n5.5,9,,\n"

    @pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "arrow"])
    def test_a_column_may_have_no_name(self, tmp_path: Path, ending: str) -> None:
        """The index of a data frame often has none; text files call it by its place."""
        for form, data in (("csv", b",a,b\n7,1,x\n"), ("jsonl", b'{"":"7","a":"1","b":"x"}\n')):
            predict_file(PROGRAM, io.BytesIO(data), tmp_path / f"out.{ending}", format=form)
            name = "" if form == "jsonl" and ending not in ("csv", "tsv") else "column 1"
            assert read_table(tmp_path / f"out.{ending}", categorical=[name]).record(0)[name] == "7"

    def test_tables_without_rows(self, tmp_path: Path, model: UnlessClassifier) -> None:
        """A table without rows gives one with the new columns."""
        pl.DataFrame(people(3)).clear().write_parquet(tmp_path / "none.parquet")

        for out in ("out.parquet", "out.csv", "out.jsonl"):
            assert predict_file(model, tmp_path / "none.parquet", tmp_path / out).rows == 0
        assert pl.read_parquet(tmp_path / "out.parquet").columns[-4:] == [
            "predicted",
            "probability",
            "expected_precision",
            "rule",
        ]
        assert (
            tmp_path / "out.csv"
        ).read_text() == "id,age,city,member,y,predicted,probability,expected_precision,rule\n"

    def test_objects_of_many_forms_become_columns(self) -> None:
        """JSON lines as CSV: nested values are JSON text, absent ones empty; a late member is an error."""
        data = b'{"a":1,"b":[1,"x"],"c":true}\n{"a":2.50,"c":null}\n{"a":"x","b":"k"}\n'

        assert streamed(PROGRAM, data, format="jsonl", to="csv")[0].decode().splitlines() == [
            "a,b,c,predicted,rule",
            '1,"[1, ""x""]",True,"low, indeed",1',
            '2.50,,,"low, indeed",1',
            'x,k,,"""k""",2',
        ]
        with pytest.raises(ReadError, match=r"line 31: a member 'd', .*; write \.jsonl"):
            streamed(PROGRAM, b'{"a":1,"b":"x"}\n' * 30 + b'{"d":1}\n', format="jsonl", to="csv", block=20)

    def test_numbers_in_text_do_not_depend_on_blocks(self) -> None:
        """What JSON spells in one way stands so in CSV, whatever else is in its block."""
        data = b'{"a":1,"b":"x"}\n' * 9 + b'{"a":2.0,"b":true}\n{"a":1E1,"b":7}\n'
        found = {streamed(PROGRAM, data, format="jsonl", to="csv", block=block)[0] for block in (1, 40, 1 << 23)}

        assert len(found) == 1
        assert found.pop().splitlines()[-2:] == [b'2.0,True,"low, indeed",1', b"1E1,7,,"]

    def test_a_column_that_changes_its_type_is_refused(self, tmp_path: Path) -> None:
        """Parquet has one type for a column: what comes later and does not fit is an error, and no file is left."""
        data = b'{"a":1,"b":"x"}\n' * 30 + b'{"a":"u"}\n'
        with pytest.raises(ReadError, match=r"began as .*, which cannot hold the .* cells that follow.*; write \.csv"):
            predict_file(PROGRAM, io.BytesIO(data), tmp_path / "x.parquet", format="jsonl", block=20)
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize(("first", "later"), [("1", "1.5"), ("1", "true"), ("0.5", "9007199254740993")])
    def test_no_cell_is_changed_to_fit_a_type(self, tmp_path: Path, first: str, later: str) -> None:
        """What the type of the first cells cannot hold is refused, not rounded; in one block a wider type is found."""
        data = f'{{"a":{first},"b":"x"}}\n'.encode() * 30 + f'{{"a":{later},"b":"x"}}'.encode()
        with pytest.raises(ReadError, match=r"column 'a' began as .*, which cannot hold.*; write \.csv"):
            predict_file(PROGRAM, io.BytesIO(data), tmp_path / "x.parquet", format="jsonl", block=20)
        assert not list(tmp_path.iterdir())

        predict_file(PROGRAM, io.BytesIO(data), tmp_path / "x.parquet", format="jsonl")
        last = pl.read_parquet(tmp_path / "x.parquet")["a"][-1]
        assert last in (1.5, "True", "9007199254740993")

    def test_booleans_after_nothing_are_spelled_alike(self) -> None:
        """A column that begins with nulls is text, in which booleans are called as `read_table` calls them."""
        data = b'{"a":1,"b":null}\n' * 30 + b'{"a":1,"b":true}\n'
        found = streamed(PROGRAM, data, format="jsonl", to="parquet", block=20)[0]
        assert pl.read_parquet(io.BytesIO(found))["b"][-1] == "True"

    @pytest.mark.parametrize("digits", ["18446744073709551615", "1" + "0" * 400])
    def test_long_whole_numbers_keep_their_digits(self, digits: str) -> None:
        """A whole number that no type holds is text."""
        data = f'{{"a":{digits},"b":"x"}}\n'.encode()
        assert streamed(PROGRAM, data, format="jsonl", to="csv")[0].splitlines()[1].startswith(f"{digits},x,".encode())
        found = streamed(PROGRAM, data, format="jsonl", to="parquet")[0]
        assert pl.read_parquet(io.BytesIO(found))["a"].to_list() == [digits]

    def test_bytes_are_not_for_json(self, tmp_path: Path) -> None:
        """JSON has no bytes, and neither have lists in it; the message tells what has."""
        for cells in ([b"\xff"], [[b"\xff"]], [{"x": b"\xff"}]):
            pl.DataFrame({"a": [1], "b": ["k"], "raw": cells}).write_parquet(tmp_path / "in.parquet")
            with pytest.raises(ParameterError, match=r"'raw' holds bytes.*write \.parquet"):
                predict_file(PROGRAM, tmp_path / "in.parquet", tmp_path / "out.jsonl")

    def test_nested_columns_are_not_for_csv(self, tmp_path: Path) -> None:
        """CSV has no lists; the message tells what has."""
        pl.DataFrame({"a": [1], "b": ["k"], "l": [[1, 2]]}).write_parquet(tmp_path / "in.parquet")

        with pytest.raises(ParameterError, match=r"nested.*write \.jsonl or \.parquet"):
            predict_file(PROGRAM, tmp_path / "in.parquet", tmp_path / "out.csv")
        predict_file(PROGRAM, tmp_path / "in.parquet", tmp_path / "out.jsonl")
        assert json.loads((tmp_path / "out.jsonl").read_text())["l"] == [1, 2]

    def test_formats_that_cannot_be(self, tmp_path: Path) -> None:
        """What cannot be read or written is refused before anything is."""
        (tmp_path / "in.csv").write_bytes(b"a,b\n1,x\n")
        (tmp_path / "in.parquet").write_bytes(b"PAR1 it is not")
        (tmp_path / "zip.csv").write_bytes(b"PK\x03\x04 and so on")

        def run(source: object = tmp_path / "in.csv", out: str = "out.csv", **options: object) -> None:
            predict_file(PROGRAM, source, tmp_path / out, **options)

        with pytest.raises(ParameterError, match=r"only \.xlsx are written; write '.*out\.xlsx'"):
            run(out="out.xls")
        with pytest.raises(
            FormatError, match=r"does not show which format to write; .*: to='csv', 'tsv', .* or 'excel'"
        ):
            run(out="out.dat")
        with pytest.raises(ParameterError, match="no format 'cvs' to write; did you mean 'csv'"):
            run(to="cvs")
        with pytest.raises(ParameterError, match=r"Parquet files are already packed inside; leave out \.gz"):
            run(out="out.parquet.gz")
        with pytest.raises(FormatError, match=r"the format of an open file is unknown; .*: format='csv', "):
            run(io.BytesIO(b"a,b\n"))
        with pytest.raises(ReadError, match="not a Parquet file that can be read"):
            run(tmp_path / "in.parquet")
        with pytest.raises(FormatError, match=r"zip\.csv: this is an Excel .*, not CSV; .*: format='excel'"):
            run(tmp_path / "zip.csv")
        with pytest.raises(FormatError, match="the data: this is an Excel file"):
            run(io.BytesIO((tmp_path / "zip.csv").read_bytes()), format="csv")
        (tmp_path / "packed.csv").write_bytes(gzip.compress(b"a,b\n1,x\n"))
        with pytest.raises(ReadError, match=r"packed by gzip, but its name does not end in \.gz"):
            run(tmp_path / "packed.csv")
        with pytest.raises(MissingFileError, match=r"no file '.*inn\.csv'; did you mean 'in\.csv'"):
            run(tmp_path / "inn.csv")
        assert not list(tmp_path.glob("out*"))
        run(out="out.dat", to="jsonl")
        assert json.loads((tmp_path / "out.dat").read_text())["rule"] == 1

    @pytest.mark.parametrize("ending", ["csv", "jsonl"])
    def test_dates_are_spelled_as_they_are_read(self, tmp_path, ending):
        """Dates and times in a text output are read as the dates and times that they are."""
        moment = datetime(2024, 5, 1, 12, 30)  # noqa: DTZ001 - a file has such too
        cells = {"a": [1, 2], "b": [moment, None], "day": [moment.date(), None], "at": [moment.time(), moment.time()]}
        pl.DataFrame(cells).write_parquet(tmp_path / "in.parquet")
        out = tmp_path / f"out.{ending}"
        predict_file(PROGRAM, tmp_path / "in.parquet", out)
        before, after = read_table(tmp_path / "in.parquet"), read_table(out)
        for name in ("b", "day", "at"):
            assert after.column(name).numbers.tolist() == before.column(name).numbers.tolist()
            assert after.column(name).notation == before.column(name).notation
        assert [after.record(row)["day"] for row in (0, 1)] == [Written("2024-05-01"), None]

    def test_infinite_numbers_are_not_lost_in_json(self, tmp_path):
        """JSON has no infinite numbers: polars would write null, so the file is refused."""
        pl.DataFrame({"a": [1.0, math.inf], "b": ["k", "k"]}).write_parquet(tmp_path / "in.parquet")
        with pytest.raises(ParameterError, match=r"'a' holds an infinite number.*write \.parquet"):
            predict_file(PROGRAM, tmp_path / "in.parquet", tmp_path / "out.jsonl")
        assert not (tmp_path / "out.jsonl").exists()


class TestFolders:
    """Folders of parts."""

    def test_parts_make_one_file(self, tmp_path: Path) -> None:
        """Parts follow each other by name, each line ends, and columns in another order are put in the first one's."""
        parts = tmp_path / "parts"
        parts.mkdir()
        (parts / "1.csv").write_bytes(b"a,b,z\r\n1,x,1")
        (parts / "2.csv.gz").write_bytes(gzip.compress(b'a,b,z\n2,"x,",2\n'))
        (parts / "3.csv").write_bytes(b'z,b,a\n"3,",k,3\n')
        (parts / "4.csv").write_bytes(b"a,b,z\n")
        (parts / "_SUCCESS").write_bytes(b"")

        assert predict_file(PROGRAM, parts, tmp_path / "out.csv", block=4).rows == 3
        assert (tmp_path / "out.csv").read_bytes() == (
            b'a,b,z,predicted,rule\r\n1,x,1,"low, indeed",1\r\n2,"x,",2,"low, indeed",1\n3,k,"3,","""k""",2\n'
        )

    def test_an_error_names_the_part(self, tmp_path: Path) -> None:
        """A part with other columns, or a wrong record, is named, with its own line."""
        (tmp_path / "1.csv").write_bytes(b"a,b\n1,x\n2,x\n")
        (tmp_path / "2.csv").write_bytes(b"a,b\n1\n")
        with pytest.raises(ReadError, match=r"2\.csv, line 2: 1 field"):
            predict_file(PROGRAM, tmp_path, io.BytesIO())
        (tmp_path / "2.csv").write_bytes(b"a,c\n1,x\n")
        with pytest.raises(ReadError, match=r"2\.csv: no column 'b'"):
            predict_file(PROGRAM, tmp_path, io.BytesIO())

    def test_parts_of_other_formats(self, tmp_path: Path) -> None:
        """Parts of Parquet and of JSON lines make one file too."""
        for name in ("tables", "lines"):
            (tmp_path / name).mkdir()
        for number in (1, 2):
            frame = pl.DataFrame({"a": [number, None], "b": ["x", "k"]})
            (frame if number == 1 else frame.select("b", "a")).write_parquet(tmp_path / "tables" / f"{number}.parquet")
            (tmp_path / "lines" / f"{number}.jsonl").write_bytes(frame.write_ndjson().strip().encode())

        for folder in ("tables", "lines"):
            out = tmp_path / f"{folder}.jsonl"
            assert predict_file(PROGRAM, tmp_path / folder, out).labels == {"low, indeed": 2, '"k"': 2, "gone": 0}
            assert [json.loads(line)["a"] for line in out.read_text().splitlines()] == [1, None, 2, None]

    def test_the_result_is_not_put_among_the_parts(self, tmp_path: Path) -> None:
        """The next run would take it for a part."""
        (tmp_path / "1.csv").write_bytes(b"a,b\n1,x\n")
        with pytest.raises(ParameterError, match="would be a part of the folder that is read; write it elsewhere"):
            predict_file(PROGRAM, tmp_path, tmp_path / "out.csv")


class TestFiles:
    """Where the bytes come from and go to."""

    def test_a_file_is_not_written_over_itself(self, tmp_path: Path) -> None:
        """What is read is refused as output, by its path, by a link, as an open file and as a part of a folder."""
        path, link = tmp_path / "in.csv", tmp_path / "link.csv"
        content = written(people(30)).replace(b"age,city", b"a,b")
        path.write_bytes(content)
        link.hardlink_to(path)
        with path.open("rb") as source, path.open("r+b") as out:
            for one in (path, source):
                for other in (path, link, out):
                    with pytest.raises(OverwriteError, match="name another file"):
                        predict_file(PROGRAM, one, other, format="csv", to="csv")
        (tmp_path / "parts").mkdir()
        (tmp_path / "parts" / "1.csv").hardlink_to(path)
        with pytest.raises(OverwriteError):
            predict_file(PROGRAM, tmp_path / "parts", path)

        assert path.read_bytes() == content
        assert len(list(tmp_path.iterdir())) == 3

    def test_a_failure_leaves_the_old_file(self, tmp_path: Path) -> None:
        """A record that is wrong far behind, a broken gzip file or a full disk change nothing."""
        out = tmp_path / "out.csv"
        out.write_bytes(b"old")
        good = b"a,b\n" + b"1,x\n" * 500
        (tmp_path / "bad.csv").write_bytes(good + b"1\n")
        (tmp_path / "bad.csv.gz").write_bytes(gzip.compress(good)[:-9])

        with pytest.raises(ReadError, match="line 502"):
            predict_file(PROGRAM, tmp_path / "bad.csv", out, block=100)
        with pytest.raises(ReadError, match="not a whole gzip file"):
            predict_file(PROGRAM, tmp_path / "bad.csv.gz", out, block=100)
        assert out.read_bytes() == b"old"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.csv", "bad.csv.gz", "out.csv"]

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
    @pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "arrow"])
    def test_a_full_disk_is_said(self, form: str) -> None:
        """The error is that of the system, about the file that was asked for."""
        with pytest.raises(OSError, match=r"cannot write the file: No space left on device: '/dev/full'") as caught:
            predict_file(PROGRAM, io.BytesIO(b"a,b\n" + b"1,x\n" * 9000), "/dev/full", format="csv", to=form)
        assert caught.value.errno == 28

    @pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
    def test_a_file_that_grows_too_large_is_removed(self, tmp_path: Path, ending: str) -> None:
        """A write that the system cuts off leaves the old file, and no temporary one."""
        resource = pytest.importorskip("resource")
        out = tmp_path / f"out.{ending}"
        out.write_bytes(b"old")
        rows = "".join(f"{number * 7919 % 10007},{number * 104729 % 99991}\n" for number in range(20_000))
        (tmp_path / "in.csv").write_text("a,b\n" + rows)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
        try:
            with pytest.raises(OSError, match="cannot write the file: File too large"):
                predict_file(PROGRAM, tmp_path / "in.csv", out, block=5000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert out.read_bytes() == b"old"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", out.name]

    @pytest.mark.skipif(sys.platform == "win32", reason="pipes and links of POSIX")
    def test_pipes_and_links(self, tmp_path: Path) -> None:
        """Named pipes are read and written as they are; a link stays one, and its file is written."""
        data = b"a,b\n" + b"1,x\n" * 3000
        pipes = [tmp_path / name for name in ("in.csv", "out.csv")]
        for pipe in pipes:
            os.mkfifo(pipe)
        link = tmp_path / "link.csv"
        link.symlink_to(tmp_path / "real.csv")
        read: list[bytes] = []
        threads = [
            threading.Thread(target=pipes[0].write_bytes, args=(data,)),
            threading.Thread(target=lambda: read.append(pipes[1].read_bytes())),
        ]
        for thread in threads:
            thread.start()
        predict_file(PROGRAM, pipes[0], pipes[1], block=1000)
        for thread in threads:
            thread.join()
        predict_file(PROGRAM, io.BytesIO(data), link, format="csv")

        assert read == [streamed(PROGRAM, data)[0]]
        assert link.is_symlink()
        assert (tmp_path / "real.csv").read_bytes() == read[0]

    def test_packed_bytes_are_known_by_their_beginning(self, tmp_path: Path) -> None:
        """An open file that gzip packed is unpacked, if one can look at its first bytes."""
        (tmp_path / "x").write_bytes(gzip.compress(b"a,b\n1,x\n"))
        out = io.BytesIO()
        with (tmp_path / "x").open("rb") as file:
            predict_file(PROGRAM, file, out, format="csv")

        assert out.getvalue() == b'a,b,predicted,rule\n1,x,"low, indeed",1\n'

    def test_packed_bytes_in_memory_are_known_too(self) -> None:
        """Bytes in memory cannot be peeked at, but they can be read again."""
        data = b"a,b\n1,x\n"
        packed, plain = (streamed(PROGRAM, given, format="csv")[0] for given in (gzip.compress(data), data))
        assert packed == plain

    @pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
    def test_a_file_without_a_buffer_gets_all(self, form: str) -> None:
        """What takes less than it is given is given the rest, as a pipe is after a signal."""

        class Small(io.RawIOBase):
            taken = b""

            def writable(self) -> bool:
                return True

            def write(self, data: object, /) -> int:
                self.taken += bytes(data)[:7]
                return min(7, len(data))

        data, out = b"a,b\n" + b"1,x\n" * 50, Small()
        predict_file(PROGRAM, io.BytesIO(data), out, format="csv", to=form)
        assert out.taken == streamed(PROGRAM, data, format="csv", to=form)[0]

    def test_files_open_for_text_are_refused(self) -> None:
        """Files are bytes; the message tells how to open them."""
        with pytest.raises(ParameterError, match=r"open it in binary mode: open\(path, 'rb'\)"):
            predict_file(PROGRAM, io.StringIO("a,b\n1,x\n"), io.BytesIO(), format="csv")
        with pytest.raises(ParameterError, match=r"open it in binary mode: open\(path, 'wb'\)"):
            predict_file(PROGRAM, io.BytesIO(b"a,b\n1,x\n"), io.StringIO(), format="csv")

    def test_progress_is_told(self, tmp_path: Path) -> None:
        """After every batch: the records so far, and the share of the input, None of a pipe."""
        (tmp_path / "in.csv").write_bytes(b"a,b\n" + b"1,x\n" * 500)
        told: list[tuple[int, float | None]] = []
        predict_file(PROGRAM, tmp_path / "in.csv", io.BytesIO(), block=200, progress=lambda *now: told.append(now))

        assert len(told) > 5
        assert told == sorted(told)
        assert told[-1] == (500, 1.0)
        predict_file(
            PROGRAM, io.BytesIO(b"a,b\n1,x\n"), io.BytesIO(), format="csv", progress=lambda *now: told.append(now)
        )
        assert told[-1] == (1, None)

    def test_what_may_wait_is_told_apart(self, tmp_path: Path) -> None:
        """Only a regular file is written by a thread of its own."""
        with (tmp_path / "x").open("wb") as file:
            assert never_waits(file)
        assert not never_waits(io.BytesIO())


class TestWritingInAThread:
    """Feeding a function that pulls."""

    def test_items_arrive_in_order(self) -> None:
        """The function gets every item, and has returned at the end."""
        got: list[int] = []
        write_in_thread(got.extend, range(50))
        assert got == list(range(50))

    @pytest.mark.parametrize("items", [1000, 1])
    def test_what_the_function_raises_is_raised(self, items: int) -> None:
        """An error stops the one who feeds, or shows at the end."""

        def fail(items) -> None:
            next(items)
            raise OSError(28, "full")

        made: list[int] = []
        with pytest.raises(OSError, match="full"):
            write_in_thread(fail, (made.append(number) or number for number in range(items)))
        assert len(made) <= min(items, 4)

    def test_an_error_of_the_feeder_stops_the_function(self) -> None:
        """The function fails, so that it does not take what it has for all there is; the feeder's error is raised."""
        ended: list[str] = []

        def drain(items) -> None:
            for _ in items:
                pass
            ended.append("whole")

        with pytest.raises(ZeroDivisionError):
            write_in_thread(drain, (1 // number for number in (2, 1, 0)))
        assert not ended


MEMORY = """
import sys
from unless.export.json import load
from unless.stream import predict_file
predict_file(load(sys.argv[1]), sys.argv[2], sys.argv[3], block=1 << 20)
status = open("/proc/self/status").read()
print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak of memory")
@pytest.mark.skipif(not kernels.compiled, reason="too slow with interpreted kernels")
@pytest.mark.parametrize(
    ("ending", "thousands"),
    [("csv", (100, 400)), ("parquet", (300, 1200))],  # polars writes several row groups at a time
)
def test_memory_does_not_grow_with_the_file(tmp_path: Path, ending: str, thousands: tuple[int, int]) -> None:
    """Many rows take the memory of a quarter of them, but for what an allocator keeps."""
    programs.save(PROGRAM, tmp_path / "program.json")
    thousand = b"".join(
        b"%d,x," % number + b"what no rule looks at " * (16 if ending == "csv" else 4) + b"\n" for number in range(1000)
    )
    peaks, sizes = [], []
    for rows in thousands:
        with (tmp_path / "in.csv").open("wb") as file:
            file.write(b"a,b,c\n")
            file.writelines([thousand] * rows)
        command = [sys.executable, "-c", MEMORY, "program.json", "in.csv", f"out.{ending}"]
        source = str(Path(__file__).parents[2] / "src")
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": source}, check=False
        )
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout))
        sizes.append((tmp_path / "in.csv").stat().st_size >> 10)
    assert peaks[1] - peaks[0] < (sizes[1] - sizes[0]) / 2, (peaks, sizes)


@pytest.fixture(scope="module")
def interpreted():
    """The source of the kernels, not compiled."""
    path = Path(append_fields.__file__).parent / "append_fields.py"
    if not path.exists():
        pytest.skip("the source of the kernels is not here")
    spec = importlib.util.spec_from_file_location("interpreted_splice", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TestKernels:
    """The loops, against their source run by the interpreter and against the csv module."""

    @few
    @given(
        st.binary(max_size=60).map(lambda data: bytes(b'a,"\n\r x{}'[byte % 9] for byte in data)),
        st.booleans(),
        st.booleans(),
    )
    def test_compiled_and_interpreted_agree(self, interpreted, data: bytes, blank: bool, final: bool) -> None:  # noqa: FBT001
        """The same places, for any bytes."""
        array = np.frombuffer(data, dtype=np.uint8)
        found = []
        for module in (append_fields, interpreted):
            places, empty = np.zeros(len(data) + 1, np.int64), np.zeros(len(data) + 1, np.uint8)
            ends = module.record_ends(array, ord(","), blank, final, places)
            found.append([tuple(ends), places.tolist()])
            found[-1] += [tuple(module.line_ends(array, blank, places)), places.tolist()]
            found[-1] += [module.count_lines(array)]
            count = module.object_ends(array, places, empty)
            found[-1] += [count, places.tolist(), empty.tolist()]
            out = np.empty(len(data) + 3 * count, np.uint8)
            choices = np.arange(count, dtype=np.int32) % 2
            pieces, starts = np.frombuffer(b"abcabc", np.uint8), np.array([0, 3, 6])
            module.insert_pieces(array, places[:count], choices, starts, pieces, out)
            found[-1] += [out.tobytes()]
        assert found[0] == found[1]

    @few
    @given(st.lists(st.sampled_from(['"', '""', ",", "\n", "\r", "\r\n", "x", " "]), max_size=14), st.booleans())
    def test_records_end_where_the_csv_module_ends_them(self, pieces: list[str], blank: bool) -> None:  # noqa: FBT001
        """There are as many records as the csv module reads, of any text that it does not refuse."""
        text = "".join(pieces)
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        except csv.Error:
            return
        (places, lines), used = find_records(text.encode(), ",", blank=blank, final=True)

        assert len(places) == sum(1 for row in rows if row or blank)
        assert used == len(text)
        assert lines == len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")) - 1

    def test_the_end_of_a_block_is_not_the_end_of_a_record(self) -> None:
        """Without its line ending a record is not whole, nor is a line that may go on after a carriage return."""
        assert find_records(b"a,b\nc", ",", blank=False, final=False)[1] == 4
        assert find_records(b"a,b\r", ",", blank=False, final=False)[1] == 0
        assert find_records(b'a,"b\n', ",", blank=False, final=False)[1] == 0
        assert find_objects(b'{}\n{"a"', final=False)[1] == 3


def test_the_benchmark_runs() -> None:
    """It measures both files and the memory, and decides its two targets."""
    section = benchmark.file_to_file(400, 0.001)

    assert [row[0].partition(",")[0] for row in section.rows] == ["plain", "quoted", "peak memory"]
    assert [target.target for target in section.targets] == ["≥ ×0.5", "≤ ×1.25"]


class TestFormulas:
    """What a spreadsheet would take for a formula, in CSV and TSV."""

    PROGRAM = Program(
        "y", ("a",), (Rule("=1+1", (Literal("a", "==", "x"),)), Rule("-5", (Literal("a", "==", "y"),))), "@b"
    )

    def test_texts_stay_as_they_are_unless_asked(self) -> None:
        """Without the option, labels and cells are written as they are."""
        assert streamed(self.PROGRAM, b"a\nx\n=2\n")[0] == b"a,predicted,rule\nx,=1+1,1\n=2,@b,\n"

    @pytest.mark.parametrize("block", BLOCKS)
    def test_formulas_get_an_apostrophe(self, block: int) -> None:
        """Labels, cells and names are guarded; numbers, and what else there is, stay."""
        data = b'a,=n,-1\nx,=2,-1.5\ny,-,+3e5\nz,"\ttab",-inf\nx,a=b,\n'
        out, done = streamed(self.PROGRAM, data, block=block, guard_formulas=True)
        assert out.decode().splitlines() == [
            "a,'=n,-1,predicted,rule",
            "x,'=2,-1.5,'=1+1,1",
            "y,'-,+3e5,-5,2",
            "z,'\ttab,'-inf,'@b,",
            "x,a=b,,'=1+1,1",
        ]
        assert done.columns == ("predicted", "rule")

    def test_numbers_of_another_notation_stay(self) -> None:
        """In a file with decimal commas, -1,5 is a number and -1.5.2 is not."""
        out, _ = streamed(self.PROGRAM, b"a;b\nx;-1,5\nx;-2,5\n", guard_formulas=True)
        assert out == b"a;b;predicted;rule\nx;-1,5;'=1+1;1\nx;-2,5;'=1+1;1\n"

    def test_other_formats_need_no_guard(self, tmp_path: Path) -> None:
        """JSON lines and workbooks say what is text; from JSON lines to CSV, texts are guarded and numbers are not."""
        (tmp_path / "in.jsonl").write_text('{"a": "x", "n": -1, "t": "=2"}\n')
        for name in ("out.jsonl", "out.csv"):
            predict_file(self.PROGRAM, tmp_path / "in.jsonl", tmp_path / name, guard_formulas=True)
        assert json.loads((tmp_path / "out.jsonl").read_text())["predicted"] == "=1+1"
        assert (tmp_path / "out.csv").read_text().splitlines()[1] == "x,-1,'=2,'=1+1,1"
