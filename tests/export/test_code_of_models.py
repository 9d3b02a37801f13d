"""Python and JavaScript of models: the exported functions read cells as `predict` of the model reads records."""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal
from time import perf_counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import unless
from tests.export.test_code import decided, python
from tests.models import model_of_program
from tests.strategies import CELLS, programs
from unless import UnlessClassifier, UnlessCommittee, read_table
from unless.estimators.input_records import read_like_training
from unless.export import to_javascript
from unless.rule import Literal, Program, Rule
from unless.table import Column, Table, domain_table
from unless.values.notation import DATE, LevelNotation

TRAINING = {
    "n": [1.0, 2.5, 3.0, None, -7.0, 0.0],
    "m": [1.0, "a", 3.0, 4.5, "x", None],
    "t": ["a", "b", "é", "3", "2020-08-01 noon", None],
    "b": ["true", "false", "true", None, "false", "true"],
    "w": ["1", "2", "7.0", "3", "3.0", None],
    "d": [date(2020, 8, 1), "soon", date(2021, 1, 1), None, date(2020, 8, 2), date(2020, 12, 31)],
    "o": ["S", "M", "L", None, "S", "M"],
}
FEATURES, ORDER = tuple(TRAINING), LevelNotation(("S", "M", "L"))
_SPELLED = "1|1.0|2.0|+1|7|7.0|3.0|3|99| 99|99.0|007|1e1|0e5|-0|NA|?|true|TRUE|fal\u017fe|False|S|M |"
SPELLED = [*_SPELLED.split("|"), "2020-08-01", "2020-08-01T00:00"]
PLAIN = [*SPELLED, "-7", "-7.0", " 2.50", "gone", "one", -7, 1, 0, 3, 7, 99, 2.5, 1e300, 1e-7, 1e16, True, False, None]
TYPED = [date(2020, 8, 1), datetime(2020, 8, 1, 12), b"3", Decimal(3), np.float32(2.5), np.bool_(True)]  # noqa: DTZ001
MISSING = {
    "usual": {},
    "given": {"missing": ["NA", "99", "?", "x", "2020-08-01"]},
    "special": {"special": {"n": {-7: "gone", 2.5: "half", 99: "never"}, "m": {1: "one"}}, "missing": ["?"]},
}


def rows_of(cells):
    """Records that have every cell in every column."""
    rng = np.random.default_rng(0)
    columns = {name: [cells[place] for place in rng.permutation(len(cells))] for name in FEATURES}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


ROWS = rows_of([*PLAIN, *CELLS["m"]])


class Trained:
    """What a model knows of its training, and what its `predict` takes records for."""

    def __init__(self, rows, **options):
        records = [dict(zip(TRAINING, row, strict=True)) for row in zip(*TRAINING.values(), strict=True)]
        table = read_table(records, categorical=["w"], orders={"o": ORDER.levels}, **options)
        self.schema, self.domain = table.schema, domain_table(table, FEATURES)
        alone = [read_like_training([row], self.schema, self.domain, "the model", named=True).record(0) for row in rows]
        self.table = Table(tuple(Column.of(name, [record[name] for record in alone]) for name in FEATURES))

    def model(self, program):
        """A model with these rules."""
        return model_of_program(program, schema=self.schema, domain=self.domain)


TRAINED = {name: Trained(ROWS, **options) for name, options in MISSING.items()}
TRAINED_TYPED = Trained(rows_of([*PLAIN, *TYPED]), **MISSING["given"])

_feature = st.sampled_from([name for name in FEATURES if name not in "do"])
_texts = st.sampled_from([*SPELLED, "a", "x", "é", "1e+16", "1e-07", "soon", "gone", "half", "never", "one"])
_numbers = st.sampled_from([0.0, 0.5, 1.0, 2.5, 3.0, 98.0, 1e299])
_days = st.sampled_from([DATE.value(DATE.number(text)) for text in ("2020-07-31", "2020-08-01", "2021-01-01")])
_levels = st.sampled_from([ORDER.value(0.0), ORDER.value(1.0)])
_tests = st.one_of(
    st.builds(Literal, _feature, st.sampled_from(["<=", ">"]), _numbers),
    st.builds(Literal, st.just("d"), st.sampled_from(["<=", ">"]), _days),
    st.builds(Literal, st.just("o"), st.sampled_from(["<=", ">"]), _levels),
    st.builds(Literal, _feature, st.sampled_from(["==", "!="]), _texts),
    st.builds(Literal, st.sampled_from("do"), st.sampled_from(["==", "!="]), st.sampled_from(["soon", "x", "3", "M "])),
    st.builds(Literal, st.sampled_from(FEATURES), st.sampled_from(["missing", "present"])),
)


@pytest.mark.parametrize("missing", TRAINED)
@given(program=programs(_tests, FEATURES))
@settings(max_examples=100, deadline=None)
def test_python_reads_records_as_the_model_does(missing, program):
    """A text that spells a number is one where training had numbers; what was given as missing is missing."""
    trained = TRAINED[missing]
    assert list(map(python(trained.model(program), what="both"), ROWS)) == decided(program, trained.table)


@given(program=programs(_tests, FEATURES))
@settings(max_examples=60, deadline=None)
def test_python_reads_typed_cells_as_the_model_does(program):
    """Dates, bytes, decimals and the numbers of numpy are read as `predict` reads them, too."""
    found = map(python(TRAINED_TYPED.model(program), what="both"), rows_of([*PLAIN, *TYPED]))
    assert list(found) == decided(program, TRAINED_TYPED.table)


@pytest.mark.parametrize("missing", TRAINED)
@given(program=programs(_tests, FEATURES))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_javascript_reads_records_as_the_model_does(node, missing, program):
    """The same in JavaScript."""
    trained = TRAINED[missing]
    found = node.run(to_javascript(trained.model(program), what="both"), json.dumps(ROWS))
    assert [(answer["label"], answer["rule"]) for answer in found] == decided(program, trained.table)


@pytest.mark.parametrize("classifier", [UnlessClassifier, UnlessCommittee])
def test_fitted_models(node, classifier):
    """The function of a fitted list or committee gives the labels of `predict` for cells of a form, which are texts."""
    people = [{"age": age, "town": town} for age in range(20, 60) for town in ("1", "2", None)]
    labels = ["yes" if one["age"] > 40 and one["town"] != "2" else "no" for one in people]
    model = classifier().fit(people, labels)
    rows = [{"age": age, "town": town} for age in ("39", " 41.0", "5e1") for town in ("1", 2, "2.0", None)]
    wanted = model.predict(rows).tolist()
    assert set(wanted) == {"yes", "no"}
    assert list(map(python(model), rows)) == wanted
    assert node.run(to_javascript(model), rows) == wanted


def test_a_program_alone_reads_cells_as_its_tests_need(node):
    """Without a model, text is a number where a rule compares numbers; a number is text where rules compare text."""
    rules = Rule("above", (Literal("n", ">", 1.0),)), Rule("three", (Literal("t", "==", "3"),))
    program, cells = Program("y", ("n", "t"), rules, "not"), [("3", 0), (" 1e0", 3.0), ("x", "3.0")]
    rows = [{"n": n, "t": t} for n, t in cells]
    assert list(map(python(program), rows)) == node.run(to_javascript(program), rows) == ["above", "three", "not"]
    assert unless.predict(program, unless.read_table(rows, like=program)).tolist() == ["above", "three", "not"]


def test_long_texts_are_no_numbers_at_once(node):
    """A long text that is almost a number is a text, and found to be one at once."""
    model = TRAINED["usual"].model(Program("y", ("n",), (Rule("above", (Literal("n", ">", 1.0),)),), "not"))
    cells = ["7" * 200_000 + "x", "7." + "0" * 200_000 + "x", "7" + " " * 200_000 + "x", "7." + "0" * 200_000]
    rows, wanted = [{"n": cell} for cell in cells], ["not"] * 3 + ["above"]
    started = perf_counter()
    assert list(map(python(model), rows)) == node.run(to_javascript(model), rows) == wanted
    assert perf_counter() - started < 10  # the square of the length takes minutes
