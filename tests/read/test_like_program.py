"""Records that are read like a program mean what they mean to the program itself."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engines import graphs
from tests.models import defined_label
from tests.strategies import CELLS as KNOWN
from tests.strategies import NOTED_TEXTS, TIMED, noted_literals
from unless import Literal, Program, Rule, explain, predict, read_table
from unless.export import to_javascript, to_python
from unless.stream import predict_file
from unless.values import DEFAULT_MISSING, cell_value, number_to_text, parse_number
from unless.values.cells import missing_among
from unless.values.notation import LevelNotation

TESTS = [
    *((op, text) for op in ("==", "!=") for text in (
        "False", "True", "true", "3", "3.0", "P1D", "1 d", "2020-01-01", "12:30", "a", "", "NA", "007",
    )),
    ("<=", 100.0), (">", 0.0), ("<=", date(2020, 8, 1)),
    (">", datetime.fromisoformat("2020-01-01T12:00")), ("<=", time(12)),
    (">", timedelta(days=1)), ("<=", LevelNotation(("S", "M", "L")).value(1.0)), ("missing", None), ("present", None),
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
    value, bound = cell_value(cell), program.rules[0].default[0].value
    if type(bound) is float and isinstance(value, str) and parse_number(value) is not None:
        return parse_number(value)
    return number_to_text(value) if isinstance(bound, str) and type(value) is float else cell


PLAIN = (str, int, bool, float, type(None))
HOSTILE = [*CELLS, *NOTED_TEXTS["s"], *NOTED_TEXTS["c"], *KNOWN["t"], *KNOWN["m"], *KNOWN["n"]]
HOSTILE += [cell for name in "dsicu" for cell in TIMED[name]]
BOUNDS = st.sampled_from([cell for cell in KNOWN["n"] if cell is not None and cell == cell])  # noqa: PLR0124 - NaN
LITERALS = st.one_of(
    st.builds(
        Literal, st.just("t"), st.sampled_from(["==", "!="]), st.sampled_from([*KNOWN["t"][:-1], *KNOWN["m"][:-1]])
    ),
    st.builds(Literal, st.just("t"), st.sampled_from(["<=", ">"]), BOUNDS),
    st.sampled_from("dsicuo").flatmap(noted_literals).map(lambda one: replace(one, feature="t")),
)


@given(literal=LITERALS, cells=st.lists(st.sampled_from(HOSTILE), min_size=20, max_size=20))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_cell_has_one_meaning_to_every_engine(tmp_path, node, literal, cells):
    """Any test on any cell: tables, files, records, explanations, Python, JavaScript and ONNX decide alike."""
    program = Program("y", ("t",), (Rule("y", (literal,)),), "n")
    records, read = [{"t": cell} for cell in cells], [{"t": converted(program, cell)} for cell in cells]
    wanted = [defined_label(program, record) for record in read]
    names: dict = {}
    exec(to_python(program), names)
    table = read_table(records, like=program)
    with graphs() as run:
        found = [
            [names["classify"](record) for record in records],
            [explain(program, record).label for record in records],
            [program.label(record) for record in records],
            predict(program, table).tolist(),
            [predict(program, read_table([record], like=program))[0] for record in records],
            run(program, table)["label"].tolist(),
        ]
    assert found == [wanted] * 6
    typed = [record for record in records if type(record["t"]) in PLAIN]
    assert node.run(to_javascript(program), typed) == list(map(program.label, typed))
    in_files = [{"t": as_in_files(cell, literal.value)} for cell in cells if fits_json(cell)]
    wanted = [program.label({"t": converted(program, record["t"])}) for record in in_files]
    assert in_a_file(tmp_path, program, records) == wanted


def as_in_files(cell, value):
    """A cell as it is read in a file, where some texts mean a missing cell, but for one that a rule names."""
    gone = isinstance(cell, str) and cell != value and cell in missing_among([cell], DEFAULT_MISSING)
    return None if gone else cell


def fits_json(cell):
    """Whether JSON has the cell as it is."""
    return type(cell) in PLAIN and (type(cell) is not float or math.isfinite(cell))


def in_a_file(folder, program, records):
    """The labels of the records that JSON has, in a file."""
    source, target = folder / "in.jsonl", folder / "out.jsonl"
    source.write_text(
        "".join(json.dumps(record) + "\n" for record in [{"t": None}, *records] if fits_json(record["t"]))
    )
    predict_file(program, source, target)
    return [json.loads(line)["predicted"] for line in target.read_text().splitlines()][1:]


@pytest.mark.parametrize(("op", "value"), TESTS, ids=str)
def test_a_cell_has_one_meaning(tmp_path, op, value):
    """No cell is a boolean, a date or a duration in another spelling for `predict` alone; NA is missing in files."""
    program = one_test(op, value)
    names: dict = {}
    exec(to_python(program), names)
    for cell in CELLS:
        record = {"t": converted(program, cell)}
        wanted = defined_label(program, record)
        raw = {"t": cell}
        assert explain(program, raw).label == names["classify"](raw) == program.label(raw) == wanted, cell
        assert predict(program, read_table([{"t": cell}], like=program)).tolist() == [wanted], cell
    texts = [cell for cell in CELLS if cell is None or type(cell) in (str, int)]
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps({"t": cell}) + "\n" for cell in texts))
    predict_file(program, source, target)
    found = [json.loads(line)["predicted"] for line in target.read_text().splitlines()]
    cells = [None if cell in DEFAULT_MISSING and cell != value else cell for cell in texts]
    assert found == [program.label({"t": converted(program, cell)}) for cell in cells]
