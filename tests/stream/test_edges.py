"""What the search of tests/torture/streams.py found in predictions for files, one test for each."""

from __future__ import annotations

import io

import polars as pl
import pytest

from unless.errors import ReadError
from unless.rule import Literal, Program, Rule
from unless.stream import predict_file

PROGRAM = Program("y", ("a",), (Rule("low", (Literal("a", "<=", 5.0),)),), "high")


@pytest.mark.parametrize("to", ["csv", "jsonl", "parquet", "arrow"])
def test_an_arrow_stream_without_rows(to):
    """An Arrow stream that has columns but no rows gives a file of no records."""
    data, out = io.BytesIO(), io.BytesIO()
    pl.DataFrame({"a": [1.0]}).clear().write_ipc_stream(data)
    data.seek(0)
    assert predict_file(PROGRAM, data, out, format="arrow", to=to).rows == 0
    if to == "csv":
        assert out.getvalue() == b"a,predicted,rule\n"


@pytest.mark.parametrize("block", [1, 15, 20, 40, 60, 1000])
def test_a_column_without_a_name_keeps_its_type(block):
    """A column that is called '' is text where it begins as text, though later blocks have numbers or nothing."""
    data, out = b'{"a":1,"":"x"}\n{"a":9,"":7.5}\n{"a":9,"":7}\n{"a":9,"":null}\n', io.BytesIO()
    predict_file(PROGRAM, io.BytesIO(data), out, format="jsonl", to="parquet", block=block)
    out.seek(0)
    assert pl.read_parquet(out)[""].to_list() == ["x", "7.5", "7", None]


def test_a_member_that_is_no_json_is_named():
    """A value that no rule tests is read only to be written in another format; if it is no JSON, the line is told."""
    data = b'{"a":1,"b":1}\n{"a":9,"b":7{1}\n'
    with pytest.raises(ReadError, match=r"^the data, line 2: not JSON: "):
        predict_file(PROGRAM, io.BytesIO(data), io.BytesIO(), format="jsonl", to="csv")
