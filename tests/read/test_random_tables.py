"""Fast reading against a slow, obvious reader: the csv module, `parse_number`, and the written rules."""

from __future__ import annotations

import csv
import io
import math
import re
import tempfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from unless.errors import ReadError
from unless.read.cells import rank
from unless.read.table import read_table
from unless.table import Table
from unless.values import DEFAULT_MISSING, Value, number_to_text, parse_number

SPELLINGS = st.one_of(
    st.sampled_from(["", "?", "NA", "NaN", "null", "N/A", "x", "y", "0", "-0", "007", "-01", "1", "1.0", " 1", "1 "]),
    st.sampled_from(["\t1", "inf", "nan", "1e999", "1_0", "1e5", ".5", "5.", "True", '"', '""', "a,b", "a\tb", "a\nb"]),
    st.sampled_from(["a\r\nb", "\r", " ", "   ", "NULL", "é"]),
    st.sampled_from(
        ["2020-08-01", " 2020-08-01T12:30", "2020-08-01 12:30Z", "2020-13-01", "12:30", "12:30:05.5", "24:00"]
    ),
    st.integers(-3, 3).map(str),
    st.floats(allow_nan=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.text(max_size=4),
)
NUMBERS = st.one_of(st.integers(-3, 3).map(str), st.floats(allow_nan=False, allow_infinity=False).map(repr))
DECLARED = st.sampled_from([None, "numeric", "categorical"])
MISSING = st.sampled_from([DEFAULT_MISSING, (), ("?",), ("", "x"), ("1",), (" ", "x")])


def naive_column(cells: Sequence[str], declared: str | None, missing: Sequence[str]) -> list[Value]:
    """The cells of a text file's column, by the rules; a space stands for any number of spaces."""
    missing = [*missing, *(cell for cell in cells if " " in missing and cell and not cell.strip(" "))]
    lost = {parse_number(token) for token in missing} - {None}
    again = {cell for cell in cells if parse_number(cell) in lost}  # a number that is missing, however it is written
    present = {cell for cell in cells if cell not in missing}
    counted = present - again
    numbers = {cell for cell in counted if parse_number(cell) is not None}
    zero = padded(numbers) if numbers == counted else starts_with_zero(numbers)
    numeric = declared == "numeric" or (declared is None and 2 * len(numbers) >= len(counted) and not zero)
    read: dict[str, float | None] = {cell: parse_number(cell) for cell in numbers} if numeric else {}
    if declared != "categorical" and not read:
        read = naive_times(present)
    gone = {*missing, *again} if numeric and not (read and numbers.isdisjoint(read)) else missing
    return [None if c in gone else read.get(c, c) for c in cells]


def padded(numbers: Iterable[str]) -> bool:
    """Whether numbers are names like 007: none has a fraction or an exponent, and one has a needless zero."""
    digits = [cell.strip(" ").lstrip("+-") for cell in numbers]
    return all(map(str.isdigit, digits)) and any(len(text) > 1 and text[0] == "0" for text in digits)


def starts_with_zero(numbers: Iterable[str]) -> bool:
    """Whether a number begins like 007."""
    return any(re.match(r" *[+-]?0[0-9]", cell) for cell in numbers)


def naive_times(present: set[str]) -> dict[str, float | None]:
    """The microseconds of texts of which at least half spell a date, or a time, as in ISO 8601."""
    for spells in (naive_moment, naive_time):
        read = {cell: number for cell in present if (number := spells(cell.strip(" "))) is not None}
        if read and 2 * len(read) >= len(present):
            return read
    return {}


def naive_moment(text: str) -> float | None:
    """The microseconds from 1970-01-01 in UTC to the moment that a text spells."""
    if not re.match("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return float((moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1))


def naive_time(text: str) -> float | None:
    """The microseconds from midnight to the time that a text spells."""
    found = re.fullmatch("([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9](?:[.][0-9]+)?))?", text)
    return None if found is None else (int(found[1]) * 60 + int(found[2])) * 60e6 + float(found[3] or 0) * 1e6


def cells_of(table: Table, name: str) -> list[Value]:
    """The cells of a column, after checking that its ranks are in order and all occur."""
    column = table.column(name)
    assert (np.diff(column.numbers) > 0).all()
    assert not np.signbit(column.numbers[column.numbers == 0]).any()
    assert list(column.categories) == sorted(set(column.categories))
    assert set(range(column.missing)) <= set(column.codes.tolist())
    return [column.value(code) for code in column.codes.tolist()]


@st.composite
def grids(draw: st.DrawFn) -> list[list[str]]:
    """Records of text cells: some columns of numbers only, some of anything."""
    columns = draw(st.lists(st.sampled_from([SPELLINGS, NUMBERS, SPELLINGS]), min_size=1, max_size=4))
    return draw(st.lists(st.tuples(*columns).map(list), max_size=12))


@settings(max_examples=300, deadline=None)
@given(grids(), st.lists(DECLARED, min_size=4, max_size=4), MISSING, st.sampled_from([",", "\t"]),
       st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), st.sampled_from(["\n", "\r\n"]))  # fmt: skip
@example([["1", ""], ["2", ""]], [None] * 4, (), ",", csv.QUOTE_MINIMAL, "\n")
@example([["\t1"], ["2"]], [None] * 4, (), "\t", csv.QUOTE_MINIMAL, "\n")
@example([[""], ["1.0"]], [None] * 4, ("1",), ",", csv.QUOTE_MINIMAL, "\n")
@example([["+1"], ["01"], ["0.0"]], [None] * 4, ("0",), ",", csv.QUOTE_MINIMAL, "\n")
@example([["a", "x"], ["1.0", "1"], ["2", "1.0"]], [None, "numeric", None, None], ("1",), ",", csv.QUOTE_ALL, "\n")
def test_text_files(
    grid: list[list[str]], declared: list[str | None], missing: Sequence[str], separator: str, quoting: int, ending: str
) -> None:
    """A file that the csv module writes is read as the rules say."""
    width = len(grid[0]) if grid else 2
    names = [f"c{place}" for place in range(width)]
    if any("\r" in cell for row in grid for cell in row):
        quoting = csv.QUOTE_ALL  # the csv module forgets to quote a carriage return before Python 3.13
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=ending).writerows([names, *grid])
    kinds = dict(zip(names, declared, strict=False))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("d.csv" if separator == "," else "d.tsv")
        path.write_bytes(text.getvalue().encode())
        table = read_table(
            path,
            numeric=[name for name in names if kinds[name] == "numeric"],
            categorical=[name for name in names if kinds[name] == "categorical"],
            missing=missing,
        )
    assert len(table) == len(grid)
    for place, name in enumerate(names):
        assert cells_of(table, name) == naive_column([row[place] for row in grid], kinds[name], missing)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='a1," \t\r\n\0é-.', max_size=40))
@example('a,1\n"x"\n')
@example('a,1\n1,"\n')
@example("\r1")
@example("a\n1\n\n\n")
@example('"\r"\n1')
@example("1\n1\n1,")
@example("1\n1,\n1")
@example("a,b\n1,2\n1,2,")
@example("a,b\n1,2\n1,")
def test_any_text(text: str) -> None:
    """Any text at all is read as the csv module reads it, if nothing is guessed, or refused where it is not a table."""
    assume(not re.search(r"[0-9][ ,][0-9]{3}", text))  # thousands
    plain = {"delimiter": ",", "decimal": ".", "encoding": "utf-8"}
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        records = []
    header = next((record for record in records if record), [])
    rest = records[records.index(header) + 1 :] if header else []
    body = [record or [""] for record in rest if record or len(header) == 1]
    good = header and all(len(record) == len(header) for record in body)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "d.csv"
        path.write_bytes(text.encode())
        if not good:
            with pytest.raises(ReadError):
                read_table(path, **plain)
            return
        table = read_table(path, missing=(), **plain)
    assert len(table.features) == len(header)
    for place, name in enumerate(header):
        first = name and header.index(name) == place
        assert (table.features[place] == name) if first else table.features[place] not in header
    for place, name in enumerate(table.features):
        assert cells_of(table, name) == naive_column([record[place] for record in body], None, ())


def naive_frame_column(cells: Sequence[Any], declared: str | None, missing: Sequence[str]) -> list[Value]:
    """The cells of a frame's column, all numbers or all text, by the rules."""
    tokens = () if missing == DEFAULT_MISSING else missing
    tokens = [*tokens, *(cell for cell in cells if " " in tokens and isinstance(cell, str) and set(cell) == {" "})]
    texts = {cell for cell in cells if isinstance(cell, str) and cell not in tokens}
    read = {cell: number for cell in texts if (number := parse_number(cell)) is not None}
    zero = padded(read) if len(read) == len(texts) else starts_with_zero(read)
    digits = all(cell and not set(cell) - set("0123456789") for cell in texts)
    if declared != "numeric" and (declared or zero or digits or 2 * len(read) <= len(texts)):
        read = {}
    if declared != "categorical" and not read:
        read = naive_times(texts)
    found: list[Value] = []
    for cell in cells:
        text = (
            cell if isinstance(cell, str) else None if cell is None or math.isnan(cell) else number_to_text(float(cell))
        )
        if text is None or text in tokens:
            found.append(None)
        elif declared == "categorical":
            found.append(text)
        elif isinstance(cell, str):
            found.append(read.get(cell, cell))
        else:
            found.append(float(cell) + 0.0)
    return found


FRAME_COLUMNS = st.one_of(
    st.lists(st.one_of(st.none(), st.floats(), st.integers(-3, 3).map(float)), max_size=12),
    st.lists(st.one_of(st.none(), SPELLINGS), max_size=12),
    st.lists(st.integers(-(2**62), 2**62), max_size=12),
)


@settings(max_examples=300, deadline=None)
@given(FRAME_COLUMNS, DECLARED, MISSING, st.sampled_from([pd.DataFrame, pl.DataFrame, pa.table]))
@example([2**53 + 1], "categorical", DEFAULT_MISSING, pd.DataFrame)
def test_frames(cells: list[Any], declared: str | None, missing: Sequence[str], make: Any) -> None:
    """Frames of all three libraries, and rows of dicts, are read as the rules say."""
    names = {"numeric": [], "categorical": []} | ({declared: ["a"]} if declared else {})
    expected = naive_frame_column(cells, declared, missing)
    assert cells_of(read_table(make({"a": cells}), missing=missing, **names), "a") == expected
    if cells:
        assert cells_of(read_table([{"a": cell} for cell in cells], missing=missing, **names), "a") == expected


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1.0, 1.5, math.nan])), max_size=40),
    st.integers(0, 2**32),
    st.sampled_from([40, 1500]),
)
def test_rank(pool: list[float], seed: int, size: int) -> None:
    """Ranks are those of numpy.unique, NaN after all, for few numbers and for many."""
    rng = np.random.default_rng(seed)
    values = rng.choice(np.array([*pool, 0.25]), size)
    if seed % 2:
        values = values + rng.integers(0, 3, len(values)) * 2.0**-40
    numbers, codes = rank(values)
    known = ~np.isnan(values)
    expected, inverse = np.unique(values[known] + 0.0, return_inverse=True)
    assert np.array_equal(numbers, expected)
    assert np.array_equal(codes[known], inverse)
    assert (codes[~known] == len(numbers)).all()
