"""ONNX: the graph, run by onnxruntime, gives what the model gives, record by record."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from tests.cli.command import called
from tests.export.test_committee import committees
from tests.models import model_of_program
from tests.strategies import FEATURES, KINDS, SPECIAL, card_of, chain, meaning, programs, records, with_special
from unless import FoldRMClassifier, FoldRPPClassifier, UnlessClassifier, UnlessCommittee, export
from unless.errors import UnlessError
from unless.model.points import probabilities_of
from unless.model.prediction import deciding_rules
from unless.rule import Literal, Program, Rule
from unless.score.committee import labels_from_sums
from unless.table import Column, Schema, Table
from unless.values.notation import LevelNotation

onnx = pytest.importorskip("onnx", reason="onnx, which makes graphs, is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime, which runs graphs, is not installed")

to_onnx, onnx_inputs = export.to_onnx, export.onnx_inputs

COLUMNS = records(120)
RECORDS = [
    {name: meaning(KINDS[name], cell) for name, cell in zip(COLUMNS, row, strict=True)}
    for row in zip(*COLUMNS.values(), strict=True)
]
TABLE = Table(tuple(Column.of(name, [record[name] for record in RECORDS]) for name in FEATURES))
COLUMN_KINDS = {name: "text" if kind == "boolean" else kind for name, kind in KINDS.items()}
GONE = "\N{REPLACEMENT CHARACTER}"


def run(model, table=TABLE, **options):
    """What onnxruntime makes of records, by output."""
    graph = to_onnx(model, **options)
    onnx.checker.check_model(graph, full_check=True)
    session = runtime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    found = session.run(None, onnx_inputs(model, table, **options))
    return dict(zip([one.name for one in session.get_outputs()], found, strict=True))


def whole(program):
    """A program that can be a graph: where labels are whole numbers or booleans, each record has one."""
    first = next(iter(program.labels), "")
    if program.otherwise is None and not isinstance(first, str | float):
        return Program(program.target, program.features, program.rules, first)
    return program


def as_predicted(program, labels):
    """Labels as `predict` gives them: None where a graph has an empty text or NaN."""
    empty = {"", None} if program.otherwise is None else set()
    return [None if label in empty or label != label else label for label in labels.tolist()]  # noqa: PLR0124 - NaN


@given(program=programs())
@settings(max_examples=120, deadline=None)
def test_a_graph_decides_like_the_program(program):
    """Label and rule of every record are those of the program, whatever the program and the cells."""
    program = whole(program)
    found = run(program, missing=GONE, columns=COLUMN_KINDS)
    assert as_predicted(program, found["label"]) == unless.predict(program, TABLE).tolist()
    assert found["rule"].tolist() == (deciding_rules(program, TABLE) + 1).tolist()


@given(program=programs(), labels=st.integers(2, 4), seed=st.integers(0, 9))
@settings(max_examples=60, deadline=None)
def test_probabilities_are_those_of_the_card(program, labels, seed):
    """To twelve digits, and the label leads."""
    program = whole(program)
    card = card_of(program, labels, seed)
    model = model_of_program(program, lazy_card=card, schema=Schema(COLUMN_KINDS))
    found = run(model, missing=GONE)
    np.testing.assert_allclose(found["probabilities"], card.probabilities(TABLE), rtol=0, atol=1e-12)
    for label, row in zip(unless.predict(program, TABLE), found["probabilities"], strict=True):
        assert label is None or card.classes[row.argmax()] == label


@given(program=programs(), labels=st.integers(2, 3), seed=st.integers(0, 9))
@settings(max_examples=60, deadline=None)
def test_special_codes_are_numbers_of_the_inputs(program, labels, seed):
    """The graph of a model with special codes takes raw numbers, and gives what the model gives."""
    program, table = whole(program), with_special(TABLE)
    card = card_of(program, labels, seed)
    model = model_of_program(program, lazy_card=card, schema=Schema(COLUMN_KINDS, special=SPECIAL))
    session = runtime.InferenceSession(to_onnx(model, missing=GONE).SerializeToString())
    raw, read = onnx_inputs(program, TABLE, missing=GONE, columns=COLUMN_KINDS), onnx_inputs(model, table, missing=GONE)
    wanted = unless.predict(program, table).tolist()
    for inputs in (raw, read):
        label, rule, shares = session.run(None, inputs)
        assert as_predicted(program, label) == wanted
        assert rule.tolist() == (deciding_rules(program, table) + 1).tolist()
        np.testing.assert_allclose(shares, card.probabilities(table), rtol=0, atol=1e-12)


@given(committees())
@settings(max_examples=60, deadline=None)
def test_a_committee_votes_alike(committee):
    """Its labels are equal, ties included, and probabilities to twelve digits."""
    sums = committee.sums(TABLE)
    found = run(committee, missing=GONE, columns=COLUMN_KINDS)
    assert found["label"].tolist() == labels_from_sums(committee, sums).tolist()
    np.testing.assert_allclose(found["probabilities"], probabilities_of(sums), rtol=0, atol=1e-12)
    assert "rule" not in found


FRAME = pd.DataFrame(
    {
        "age": np.where(np.arange(300) % 11, np.arange(300) * 7 % 83, np.nan),
        "income": np.arange(300) * 37 % 101 / 10,
        "town": np.array(["Oslo", "Rome", None, "Zürich"], dtype=object)[np.arange(300) * 5 % 4],
        "club": np.arange(300) % 3 == 0,
        "unused": np.arange(300) % 3 * 1.0,
    }
)
TRUTH = (FRAME.age > 40) & (FRAME.town != "Rome") | FRAME.club & (FRAME.income > 3.3)


LABELS = {
    "booleans": TRUTH,
    "numbers": TRUTH.astype(int),
    "texts": TRUTH.map({True: "yes", False: "no"}),
    "three": TRUTH.astype(int) + (FRAME.age < 9),
}
CLASSIFIERS = (UnlessClassifier, FoldRMClassifier, FoldRPPClassifier, UnlessCommittee)


@pytest.mark.parametrize(
    ("kind", "labels"),
    [(kind, labels) for kind in CLASSIFIERS for labels in LABELS if (kind, labels) != (FoldRPPClassifier, "three")],
)
def test_classifiers_give_the_same_labels_and_probabilities(kind, labels):
    """A fitted classifier, on its training and on records with values that it did not have."""
    model = (kind(size=7) if kind is UnlessCommittee else kind(warn=False)).fit(FRAME, LABELS[labels])
    new = FRAME.assign(age=FRAME.age.to_numpy()[::-1] * 1.37, town=[*["Paris", None, ""] * 100])
    for X in (FRAME, new):
        with pytest.warns(unless.UnlessWarning) if X is new else np.errstate():
            wanted, shares = model.predict(X), model.predict_proba(X)
        found = run(model, X)
        assert found["label"].tolist() == wanted.tolist()
        np.testing.assert_allclose(found["probabilities"], shares, rtol=0, atol=1e-12)


def test_a_model_of_an_array():
    """Columns without names are called x0, x1 and so on."""
    array = FRAME[["income", "age"]].to_numpy()
    model = FoldRMClassifier().fit(array, TRUTH)
    assert run(model, array)["label"].tolist() == model.predict(array).tolist()
    assert {one.name for one in to_onnx(model).graph.input} == set(model.program_.used) <= {"x0", "x1"}


def test_a_model_without_points_gives_frequencies():
    """A model of one label, or of an earlier version, has the probabilities that it had in Python."""
    model = UnlessClassifier().fit(FRAME, TRUTH.astype(int))
    model.model_ = replace(model.model_, lazy_card=None)
    np.testing.assert_allclose(run(model, FRAME)["probabilities"], model.predict_proba(FRAME), rtol=0, atol=1e-12)
    alone = UnlessClassifier(warn=False).fit(FRAME, ["same"] * 300)
    assert set(run(alone, FRAME)["label"]) == {"same"}


def test_inputs_are_the_features_that_rules_test():
    """Doubles for numbers, texts for categories, both for a mixed feature; others are not asked for."""
    rules = (
        Rule("a", (Literal("n", ">", 1.0), Literal("m", "<=", 2.0))),
        Rule("b", (Literal("t", "==", "x"), Literal("m", "!=", "y"))),
    )
    graph = to_onnx(Program("y", ("n", "t", "m", "unused"), rules, "c")).graph
    found = {one.name: onnx.TensorProto.DataType.Name(one.type.tensor_type.elem_type) for one in graph.input}
    assert found == {"n": "DOUBLE", "t": "STRING", "m": "DOUBLE", "m (text)": "STRING"}
    assert {one.name for one in graph.output} == {"label", "rule"}
    assert "y: a if n > 1" in graph.doc_string


def test_a_mixed_cell_is_a_number_or_a_text():
    """Each is in its own input, and missing only if it is in neither."""
    rules = (
        Rule("gone", (Literal("m", "missing"),)),
        Rule("text", (Literal("m", "==", "x"),)),
        Rule("low", (Literal("m", "<=", 2.0),)),
    )
    program = Program("y", ("m",), rules, "other")
    cells = [{"m": cell} for cell in (None, "x", 1.0, 3.0, "y", math.nan)]
    assert run(program, cells)["label"].tolist() == ["gone", "text", "low", "other", "other", "gone"]


def test_names_that_clash():
    """An output that is called like a feature gets another name; so does anything inside of the graph."""
    program = Program(
        "y", ("label", "_1", "rule"), (Rule(1, (Literal("label", ">", 1.0), Literal("_1", ">", 1.0))),), 0
    )
    table = [{"label": 2, "_1": 2, "rule": 1}, {"label": 0, "_1": 2, "rule": 1}]
    found = run(program, table)
    assert found["label_"].tolist() == [1, 0]
    assert found["rule"].tolist() == [1, 0]


@pytest.mark.parametrize("depth", [5, 200])
def test_deep_and_long_programs(depth):
    """Rules of 200 levels, and hundreds of rules: a graph in which equal parts are made once."""
    program = Program("y", FEATURES, (chain(depth, width=3),), "flat")
    table = [
        {"n": number, "t": text, "m": None, "b": None} for number in range(-1, depth + 2) for text in ("0 1", "5 2")
    ]
    read = unless.read_table(table, like=program)
    assert run(program, read)["label"].tolist() == unless.predict(program, read).tolist()
    many = tuple(Rule("ab"[k % 2], (Literal("n", ">", float(k)), Literal("t", "!=", "x"))) for k in range(500, 0, -1))
    found = Program("y", FEATURES, many, "c")
    assert run(found, read)["label"].tolist() == unless.predict(found, read).tolist()
    assert len(to_onnx(found).graph.node) < 4 * 500


def test_constant_programs():
    """A program without conditions gives its label to every record; it has one input, to count them."""
    for program, label in ((Program("y", ("n",), (), "x"), "x"), (Program("y", ("n",), (Rule(3),)), 3)):
        assert run(program, [{"n": "a"}] * 4)["label"].tolist() == [label] * 4


TEXTS = Program("y", ("t",), (), "a")
UNDECIDED = Program("y", ("t",), (Rule(1, (Literal("t", "==", "x"),)),))
REFUSED = [
    (
        Program("y", ("t",), (Rule("a", (Literal("t", "==", ""),)),)),
        {},
        "a rule tests whether 't' is '', so that cannot",
    ),
    (
        UNDECIDED,
        {},
        "leaves records without a label, and a graph has no label for them, only labels like 1; .*otherwise=1",
    ),
    (Program("y", (), (Rule("a"),)), {}, "a graph needs an input"),
    (Program("y", ("",), (Rule("a"),)), {}, "no input of a graph can have the name ''"),
    (Program("y", ("t",), (), 2**63), {}, "ONNX cannot hold the label 9223372036854775808"),
    (Program("y", ("t",), (), "\ud800"), {}, r"ONNX cannot hold the label '\\ud800'"),
    (TEXTS, {"columns": {"u": "text"}}, "columns= names 'u', not a feature"),
    (TEXTS, {"columns": {"t": "texts"}}, "'t' is 'texts'; did you mean 'text'"),
    (UnlessClassifier(), {}, "this UnlessClassifier has no rules yet"),
]


@pytest.mark.parametrize(("model", "options", "message"), REFUSED)
def test_what_no_graph_can_say_is_refused(model, options, message):
    """Errors say what is wrong and what to do."""
    with pytest.raises(UnlessError, match=message):
        to_onnx(model, **options)


def test_categories_that_no_text_can_hold():
    """Half of a surrogate pair is in no input, so it equals nothing."""
    rules = (Rule("a", (Literal("t", "==", "\ud800"),)), Rule("b", (Literal("t", "!=", "\ud800"),)))
    program = Program("y", ("t",), rules)
    assert run(program, [{"t": "x"}, {"t": None}])["label"].tolist() == ["b", "b"]


def test_the_command_writes_a_graph(tmp_path):
    """Into a file: a graph is no text for a terminal or a pipe."""
    assert called("demo", "loans", cwd=tmp_path).returncode == 0
    folder = tmp_path / "loans"
    done = called("export", "model.json", "--to", "onnx", "-o", "model.onnx", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "wrote model.onnx\n")
    model = unless.load(folder / "model.json")
    session = runtime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    table = unless.read_table(folder / "applicants.csv", like=model)
    assert session.run(["label"], onnx_inputs(model, table))[0].tolist() == model.predict(table).tolist()
    refused = called("export", "model.json", "--to", "onnx", cwd=folder)
    assert refused.returncode == 2
    assert "an ONNX graph is not text; name a file: -o model.onnx" in refused.stderr


def test_dates_and_orders_are_numbers() -> None:
    """Dates go into a graph as microseconds, the levels of an order as places; the labels are those of predict."""
    days = pd.date_range("2020-01-01", periods=60)
    frame = pd.DataFrame({"when": days, "size": pd.Categorical(["S", "M", "L"] * 20, ["S", "M", "L"], ordered=True)})
    late = days > pd.Timestamp("2020-02-01")
    labels = np.where(late & (frame["size"] > "S").to_numpy(), "late", "early")
    model = UnlessClassifier(warn=False).fit(frame, labels)
    assert set(model.program_.used) == {"when", "size"}
    inputs = onnx_inputs(model, frame)
    assert inputs["when"][1, 0] - inputs["when"][0, 0] == 86_400e6
    assert inputs["size"][:3, 0].tolist() == [0.0, 1.0, 2.0]
    session = runtime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    assert session.run(["label"], inputs)[0].ravel().tolist() == model.predict(frame).tolist() == labels.tolist()


ORDER = LevelNotation(("S", "M", "L"))
TESTS = [
    *((op, bound) for op in ("<=", ">") for bound in (
        100.0, date(2020, 8, 1),
        datetime.fromisoformat("2020-08-01T12:30"), datetime(2020, 8, 1, tzinfo=UTC), time(12, 30),
        timedelta(days=1), ORDER.value(1.0),
    )),
    *((op, text) for op in ("==", "!=") for text in ("M", "2020-08-01", "3", "True", "1 d")),
    ("missing", None),
    ("present", None),
]  # fmt: skip
HOSTILE = [
    "M", "S", "XL", "2020-08-01", "2020-08-02T00:00", date(2020, 8, 1), date(2021, 1, 1),
    datetime.fromisoformat("2020-08-01T12:30"),
    "12:30", "12:31", time(12, 31), "P1D", "1 d", timedelta(hours=30), "soon", 3, 101.5, True, "inf", None, math.nan,
]  # fmt: skip


@pytest.mark.parametrize(("op", "value"), TESTS, ids=str)
def test_a_program_of_one_test_of_any_kind_decides_alike(op, value):
    """Dates, times, durations and levels of an order are numbers in a graph of a bare program too."""
    program = Program("y", ("t",), (Rule("y", (Literal("t", op, value),)),), "n")
    for cell in HOSTILE:
        table = unless.read_table([{"t": cell}], like=program)
        assert run(program, table)["label"].tolist() == unless.predict(program, table).tolist(), cell


@pytest.mark.parametrize("other", ["missing", "present"])
def test_a_text_among_numbers_is_not_missing(other):
    """A feature that is compared with numbers and tested for missing cells has an input for its texts."""
    tests = Literal("t", ">", date(2020, 8, 1)), Literal("t", other)
    program = Program("y", ("t",), tuple(Rule(f"{place}", (test,)) for place, test in enumerate(tests)), "n")
    table = unless.read_table([{"t": cell} for cell in HOSTILE], like=program)
    assert run(program, table)["label"].tolist() == unless.predict(program, table).tolist()


def test_a_cell_that_is_the_text_for_missing_cells_is_refused():
    """An empty text is a value in records; where rules test for missing cells, another text must mean them."""
    program = Program("y", ("t",), (Rule("y", (Literal("t", "missing"),)),), "n")
    with pytest.raises(UnlessError, match="a cell of 't' is ''"):
        run(program, [{"t": ""}, {"t": None}])
    assert run(program, [{"t": ""}, {"t": None}], missing="<none>")["label"].tolist() == ["n", "y"]
