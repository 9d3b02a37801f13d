"""Files that are read fast or in pieces, against the same files read slowly or whole."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import unless.read.json_lines as module
from tests.read.test_random_tables import NUMBERS, SPELLINGS
from unless.errors import ReadError
from unless.read.csv_files import TextFile
from unless.read.csv_records import read_header
from unless.read.dialect import Numerals, TextDialect
from unless.read.json_lines import JsonLines
from unless.read.table import read_table
from unless.read.text_cells import parse_numbers
from unless.table import Table
from unless.values import DEFAULT_MISSING, are_codes_not_numbers, missing_among

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.integers(), st.floats(), st.text(max_size=4),
    st.sampled_from(["1", "NA", "", "x", "\u2028", "\\", '"', "\0"]),
)  # fmt: skip
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner))
RECORDS = st.lists(st.dictionaries(st.sampled_from(["a", "b", "é", '"', "a b", ""]), JSON, max_size=4), max_size=9)


def facts(table: Table) -> tuple[object, ...]:
    """All that a table is."""
    columns = [(c.name, c.kind, c.numbers.tolist(), c.categories, c.codes.tolist()) for c in table.columns]
    return columns, len(table)


@contextmanager
def interpreted(*, chunk: int | None = None) -> Iterator[None]:
    """Without compiled kernels, or in chunks of a size."""
    if chunk is not None:
        with patch.object(module, "_CHUNK", chunk):
            yield
        return
    with patch.object(module.kernels, "compiled", new=False):
        yield


def plain(record: dict[str, Any]) -> dict[str, Any]:
    """A record as it is read: nested values are text, and texts such as NA are missing."""
    cells = {k: json.dumps(v, ensure_ascii=False) if isinstance(v, dict | list) else v for k, v in record.items()}
    return {k: None if isinstance(v, str) and v in missing_among([v], DEFAULT_MISSING) else v for k, v in cells.items()}


@settings(max_examples=100, deadline=None)
@given(RECORDS, st.booleans(), st.sampled_from([(",", ":"), (" , ", " : ")]), st.sampled_from(["\n", "\r\n", "\n \n"]),
       st.sampled_from([1, 30, 1 << 20]))  # fmt: skip
def test_json_lines(
    records: list[dict[str, Any]], ascii_only: Any, separators: tuple[str, str], ending: str, chunk: int
) -> None:
    """JSON lines read as the records that were written, however they are spelled and wherever chunks end."""
    lines = [json.dumps(record, ensure_ascii=ascii_only, separators=separators) for record in records]
    data = ending.join(lines).encode()
    names = list(dict.fromkeys(name for record in records for name in record))
    if not names:
        return
    expected = facts(read_table([plain(record) for record in records]))
    with interpreted(chunk=chunk):
        assert facts(read_table(data, format="jsonl")) == expected
        one = read_table(JsonLines(data, where="x", names=[*names, "never"]), features=[*names, "never"])
    assert facts(one)[0][:-1] == expected[0]  # type: ignore[index]
    assert set(one.column("never").codes.tolist()) <= {0}
    with interpreted():
        assert facts(read_table(data, format="jsonl")) == expected


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.sampled_from([*'{}[]":,\\\n 1ae', '"a":', '"b":1', '{"a":', "1}\n", "true", "null", "\\u0061", "\r"]))
)
@example(['{"a":', '"', "\\", '"', "\n"])
@example(["{", '"', "\\", '"', "\n"])
@example(["{", '"', "\n"])
@example(['{"a":', "[", "}", "}"])
@example(['{"a":', "1", ",", "}"])
def test_any_text(pieces: list[str]) -> None:
    """Whatever the lines hold, they are read or refused as the json module reads or refuses them."""
    data = "".join(pieces).encode()

    def outcome() -> object:
        try:
            return facts(read_table(data, format="jsonl"))
        except ReadError as error:
            return str(error)

    fast = outcome()
    with interpreted():
        assert fast == outcome()


def interpreted_kernels() -> Any:
    """The kernels as Python runs them."""
    path = Path(module.kernels.__file__).parent / "json_scan.py"
    spec = importlib.util.spec_from_file_location("interpreted_members", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    with patch.dict(sys.modules, interpreted_members=found):
        spec.loader.exec_module(found)
    found.compiled = True  # to be used all the same
    return found


@settings(max_examples=40, deadline=None)
@given(RECORDS)
def test_interpreted_kernels(records: list[dict[str, Any]]) -> None:
    """The kernels find the same members when Python runs them."""
    data = "\n".join(map(json.dumps, records)).encode()
    if any(records):
        expected = facts(read_table(data, format="jsonl"))
        with patch.object(module, "kernels", interpreted_kernels()):
            assert facts(read_table(data, format="jsonl")) == expected


@st.composite
def grids(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """Names, and records of text cells: some columns of numbers only, some of anything."""
    columns = draw(st.lists(st.sampled_from([SPELLINGS, NUMBERS, NUMBERS]), min_size=1, max_size=4))
    names = [f"c{place}" for place in range(len(columns))]
    return names, draw(st.lists(st.tuples(*columns).map(list), min_size=1, max_size=12))


def written(names: list[str], rows: list[list[str]], ending: str = "\n") -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator=ending).writerows([names, *rows])
    return text.getvalue().encode()


@settings(max_examples=120, deadline=None)
@given(grids(), st.data())
def test_folders(grid: tuple[list[str], list[list[str]]], data: st.DataObject) -> None:
    """A folder of parts, their columns in any order, reads as the one file."""
    names, rows = grid
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    missing = data.draw(st.sampled_from([None, (), ("1", "x")]))
    options: dict[str, Any] = {} if missing is None else {"missing": missing}
    with tempfile.TemporaryDirectory() as folder:
        for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(rows)], strict=True)):
            order = data.draw(st.permutations(range(len(names)))) if number else range(len(names))
            part = [[row[place] for place in order] for row in rows[start:end]]
            (Path(folder) / f"{number}.csv").write_bytes(written([names[place] for place in order], part))
        whole = read_table(written(names, rows), format="csv", **options)
        assert facts(read_table(folder, **options)) == facts(whole)
        with patch("unless.read.csv_files.parse_numbers", lambda *_: []):  # each text is read on its own
            assert facts(read_table(folder, **options)) == facts(whole)


@settings(max_examples=120, deadline=None)
@given(grids(), st.data(), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_batches(grid: tuple[list[str], list[list[str]]], data: st.DataObject, ending: str, mark: Any) -> None:
    """A file read in batches, as the whole was read, gives the same records."""
    names, rows = grid
    content = b"\xef\xbb\xbf" * mark + written(names, rows, ending)
    whole = read_table(content, format="csv")
    header = read_header(io.BytesIO(content), ",", "d.csv")
    assert (header.names, header.size) == (names, len(written(names, [], ending)) + 3 * mark)
    cut = data.draw(st.integers(0, len(rows)))
    line, found = header.lines + 1, []
    for piece in (rows[:cut], rows[cut:]):
        body = written(names, piece, ending)[header.size - 3 * mark :]
        batch = read_table(
            TextFile(body, TextDialect(), where="d.csv", names=names, first_line=line), like=whole.schema
        )
        assert len(batch) == len(piece)
        found += [batch.record(row) for row in range(len(batch))]
        line += count_lines(body)
    assert line == count_lines(content) + 1
    expected = read_table(content, format="csv", like=whole.schema)
    assert found == [expected.record(row) for row in range(len(expected))]


def count_lines(data: bytes) -> int:
    """How many line endings there are; a carriage return alone is one too."""
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def test_errors_of_a_batch_name_the_line_of_the_file() -> None:
    """A batch that begins at line 1001 counts from there, in quoted cells and blank lines too."""
    body = b'1,2\n"x\r\ny",3\n\n4\n'
    with pytest.raises(ReadError, match=r"new\.csv, line 1005: 1 field, but the header names 2 columns"):
        read_table(TextFile(body, TextDialect(), where="new.csv", names=["a", "b"], first_line=1001))
    with pytest.raises(ReadError, match=r"new\.csv, line 1001: the byte 0xff"):
        read_table(TextFile(b"\xff,1\n", TextDialect(), where="new.csv", names=["a", "b"], first_line=1001))
    with pytest.raises(ReadError, match=r"new\.csv, line 1002: a quote"):
        read_table(TextFile(b'1,1\n"x,1\n', TextDialect(), where="new.csv", names=["a", "b"], first_line=1001))
    with pytest.raises(ReadError, match=r"new\.jsonl, line 1003: not JSON"):
        read_table(JsonLines(b'{"a":1}\n\n{', where="new.jsonl", first_line=1001))


def test_a_batch_of_nothing() -> None:
    """A batch without records is a table without rows; a batch keeps a mark in the middle of a file."""
    for body in (b"", b"\n"):
        assert len(read_table(TextFile(body, TextDialect(), where="x", names=["a", "b"]))) == 0
    table = read_table(TextFile("\ufeffx,1\n".encode(), TextDialect(), where="x", names=["a", "b"]))
    assert table.record(0) == {"a": "\ufeffx", "b": 1.0}
    assert len(read_table(JsonLines(b"", where="x", names=["a"]))) == 0


def test_numbers_of_many_parts_are_joined_in_order() -> None:
    """Thousands of numbers over many parts rank as they do in one file."""
    rng = np.random.default_rng(0)
    cells = rng.normal(size=9000).round(3)
    cells[::97] = np.nan
    rows = [["" if np.isnan(cell) else repr(float(cell)), "u"] for cell in cells]
    with tempfile.TemporaryDirectory() as folder:
        for number, start in enumerate(range(0, 9000, 1000)):
            (Path(folder) / f"{number}.csv").write_bytes(written(["a", "b"], rows[start : start + 1000]))
        assert facts(read_table(folder)) == facts(read_table(written(["a", "b"], rows), format="csv"))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.text(alphabet="019 +-.e,\t\u00a0", max_size=6) | st.sampled_from(["NA", "inf", "nan", "1e400"])),
    st.sampled_from([Numerals(), Numerals(","), Numerals(",", "."), Numerals(".", ",")]),
    st.sampled_from([DEFAULT_MISSING, (), ("0", "1")]),
)
@example(["-01", "1"], Numerals(), DEFAULT_MISSING)
@example(["01", "1.5"], Numerals(), DEFAULT_MISSING)
@example(["1.000", "0,5"], Numerals(",", "."), DEFAULT_MISSING)
def test_numbers_of_a_column_at_once(texts: list[str], numerals: Numerals, missing: tuple[str, ...]) -> None:
    """Where a column is read as numbers at once, each text is the number that it spells, or missing; and no code."""
    (found,) = [*parse_numbers([pl.Series("x", texts, dtype=pl.String)], numerals, missing), None][:1]
    present = set(texts) - missing_among(texts, missing)
    read = {text: number for text in present if (number := numerals.number_in(text)) is not None}
    if found is None:
        bare = all(text == text.strip(" ") for text in present)
        assert not bare or not present or len(read) < len(present) or are_codes_not_numbers(present)
    else:
        assert len(read) == len(present)
        assert not are_codes_not_numbers(present)
        assert found.to_list() == [numerals.number_in(text) for text in texts]


@pytest.mark.parametrize("rows", [5, 3000])
def test_lines_of_other_lengths_among_empty_cells(rows: int) -> None:
    """A short line is an error though others end with an empty cell, and though a long line makes up for it."""
    lines = [f"{row},x," if row % 3 else f"{row},x,{row}" for row in range(rows)]

    def read(*extra: str, **more: Any) -> Table:
        return read_table("\n".join(["a,b,c", *lines, *extra, "7,y,7", ""]).encode(), format="csv", **more)

    assert len(read()) == len(read("")) == rows + 1
    for extra in (["1,x"], ["1,x", "1,x,2,3"], ["1,x,2,3"], ["1"]):
        for features in (None, ["a", "b", "c"], ["c"]):
            with pytest.raises(ReadError, match=r"fields?, but the header names 3 columns"):
                read(*extra, features=features)
