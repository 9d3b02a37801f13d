"""Records that are read like a program mean what they mean to the program itself."""

from __future__ import annotations

import json
from datetime import date, datetime, time, timedelta

import pytest

from unless import Literal, Program, Rule, explain, predict, read_table
from unless.export import to_python
from unless.stream import predict_file
from unless.values import DEFAULT_MISSING, number_in, value_of
from unless.values.notation import Order

TESTS = [
    *((op, text) for op in ("==", "!=") for text in (
        "False", "True", "true", "3", "3.0", "P1D", "1 d", "2020-01-01", "12:30", "a", "", "NA", "007",
    )),
    ("<=", 100.0), (">", 0.0), ("<=", date(2020, 8, 1)),
    (">", datetime.fromisoformat("2020-01-01T12:00")), ("<=", time(12)),
    (">", timedelta(days=1)), ("<=", Order(("S", "M", "L")).value(1.0)), ("missing", None), ("present", None),
]  # fmt: skip
CELLS = [
    "False", "True", "TRUE", "true", False, True, "0", "1", "0.0", 0, 1, 3, "3", "3.0", " 3", "007", "1e3", "inf",
    "1 d", "P1D", "PT24H", timedelta(days=1), "2020-01-01", "2020-01-01T00:00", date(2020, 1, 1),
    datetime.fromisoformat("2020-01-01T13:00"),
    "12:30", "12:30:00", time(12, 30), "", "NA", "?", None, float("nan"), 1e300, "a", "S",
    "M", "XL",
]  # fmt: skip


def one_test(op, value):
    """A program of one test."""
    return Program("y", ("t",), (Rule("y", (Literal("t", op, value),)),), "n")


def converted(program, cell):
    """A cell as a table has it where a test decides the type: documented in `read_table`, and nothing else changes."""
    value, bound = value_of(cell), program.rules[0].default[0].value
    if type(bound) is float and isinstance(value, str) and number_in(value) is not None:
        return number_in(value)
    return str(cell) if isinstance(bound, str) and type(cell) is int else cell


@pytest.mark.parametrize(("op", "value"), TESTS, ids=str)
def test_a_cell_has_one_meaning(tmp_path, op, value):
    """No cell is a boolean, a date or a duration in another spelling for `predict` alone; NA is missing in files."""
    program = one_test(op, value)
    names: dict = {}
    exec(to_python(program), names)
    for cell in CELLS:
        record = {"t": converted(program, cell)}
        wanted = program.label(record)
        assert explain(program, record).label == names["classify"](record) == wanted, cell
        assert predict(program, read_table([{"t": cell}], like=program)).tolist() == [wanted], cell
    texts = [cell for cell in CELLS if cell is None or type(cell) in (str, int)]
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps({"t": cell}) + "\n" for cell in texts))
    predict_file(program, source, target)
    found = [json.loads(line)["predicted"] for line in target.read_text().splitlines()]
    cells = [None if cell in DEFAULT_MISSING and cell != value else cell for cell in texts]
    assert found == [program.label({"t": converted(program, cell)}) for cell in cells]
