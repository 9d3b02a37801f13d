"""Spark: its SQL and its frames give what `predict` gives, record by record; many in a query, since each takes long."""

# ruff: noqa: DTZ001 - times without a zone
from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import unless
from tests import engines
from tests.conftest import lacking
from tests.export.test_sql import ANY_TYPE, TYPED, any_type_agrees, columns_of, grid_of, model_of
from tests.lengths import LONG
from tests.models import model_of_program
from tests.strategies import (
    CELLS,
    KINDS,
    NOTATIONS,
    NOTED_TEXTS,
    TIMED,
    chain,
    ladder,
    noted_programs,
    programs,
    records,
)
from tests.torture.counts import Counts
from tests.torture.spark import compare
from unless.errors import ParameterError, UnknownNameError
from unless.export import predict_spark, to_spark, to_sql
from unless.export.sql_query import to_query
from unless.model.prediction import deciding_rules
from unless.read.table import read_table
from unless.rule import Literal, Program, Rule
from unless.table import Column, Table
from unless.values.notation import NotatedNumber

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
COLUMNS, TABLE = columns_of("spark"), grid_of("spark")
NO_CHECKS = [HealthCheck.function_scoped_fixture]


@pytest.fixture(scope="module")
def spark() -> Iterator[engines.Spark]:
    """Spark, one for all tests here."""
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(engines.spark())
        except engines.Lacking as what:
            lacking(what)
        yield opened


def agree(spark, name, programs, table, kinds):
    """Labels and rules are those of `predict`, in every row."""
    whats = [
        to_sql(one, "spark", what, {feature: kinds[feature] for feature in one.used})
        for one in programs
        for what in ("label", "rule")
    ]
    found = spark.select_all(whats, name)
    for program, labels, rules in zip(programs, found[::2], found[1::2], strict=True):
        assert labels == unless.predict(program, table).tolist()
        assert [-1 if rule is None else rule - 1 for rule in rules] == deciding_rules(program, table).tolist()


@pytest.fixture(scope="module")
def grid(spark):
    """The name of a table of the chosen cells."""
    return spark.table(COLUMNS, KINDS)


@pytest.mark.parametrize("compiled", [False, True])
@given(several=st.lists(programs(), min_size=4, max_size=4))
@settings(max_examples=3, deadline=None, suppress_health_check=NO_CHECKS)
def test_every_program_agrees_with_predict(spark, grid, compiled, several):
    """Whatever the program and the cells, Spark decides as `predict` does: compiled or not, by ANSI's rules or not."""
    spark.compile(on=compiled)
    spark.session.conf.set("spark.sql.ansi.enabled", not compiled)
    try:
        agree(spark, grid, several, TABLE, KINDS)
    finally:
        spark.compile(on=False)
        spark.session.conf.set("spark.sql.ansi.enabled", True)


@pytest.fixture(scope="module", params=["typed", "text"])
def noted_grid(request, spark):
    """A table of dates and times, by type or as text: its name, its cells, and the kinds of its columns."""
    cells = TIMED if request.param == "typed" else NOTED_TEXTS
    lacks = "uc" if request.param == "typed" else "u"  # Spark has no such types
    columns = records(90, cells={name: own for name, own in cells.items() if name not in lacks})
    kinds = TYPED if request.param == "typed" else {name: "number" if name == "f" else "text" for name in columns}
    table = Table(tuple(Column.of(*column) for column in columns.items()))
    return spark.table(columns, {name: kinds[name] for name in columns}), table, kinds


@given(data=st.data())
@settings(max_examples=3, deadline=None, suppress_health_check=NO_CHECKS)
def test_dates_times_and_orders_agree_with_predict(spark, noted_grid, data):
    """Whatever the program: of typed columns and of text, with any zone."""
    name, table, kinds = noted_grid
    several = data.draw(st.lists(noted_programs(tuple(table.features)), min_size=4, max_size=4))
    agree(spark, name, several, table, kinds)


def test_every_threshold_of_a_notation(spark, noted_grid):
    """Spark finds the same first threshold as `predict` among many, also one float beside a cell."""
    name, table, kinds = noted_grid
    every = 10 if kinds["s"] == "text" else 1  # each of them reads the text again
    agree(spark, name, [ladder(feature, every) for feature in NOTATIONS if feature in table.features], table, kinds)


def test_any_name_is_a_column_and_any_text_a_label(spark):
    """Whatever the characters: quotes, line breaks, backticks, dots, and what Spark would replace."""
    texts = [*(text for text in CELLS["t"] if text is not None), "${system:user.name}", "${spark.app.name}", "a\0b"]
    names = [
        "select",
        'say "hi"',
        "it's",
        "a b",
        "é😀",
        "\\",
        "`tick`",
        "[x]",
        "a.b",
        "%s",
        "--",
        "1",
        "x; DROP y",
        "*",
    ]
    frame = spark.frame({name: ["a", None] for name in names}, dict.fromkeys(names, "text"))
    several = [Program("y", (name,), (Rule("x", (Literal(name, "==", "a"),)),), "z") for name in names]
    (first, second) = frame.select([to_spark(one, frame) for one in several]).collect()
    assert set(first) == {"x"}
    assert set(second) == {"z"}
    (row,) = frame.limit(1).select([to_spark(Program("y", (), (), text), frame) for text in texts]).collect()
    assert list(row) == texts


def test_deep_programs(spark):
    """The deepest program that is allowed runs, and a sentence of many values is still one expression."""
    many = Rule("many", tuple(Literal("t", "!=", f"c{number}") for number in range(300)))
    program = Program("y", ("n", "t"), (chain(200), many), "no")
    cells = {"n": [-1.0, 0.5, 77.5, 150.0, 199.5, 250.0, None], "t": ["c7", "a", "a", "c8", "a", "a", "a"]}
    table = Table(tuple(Column.of(*column) for column in cells.items()))
    agree(spark, spark.table(cells, KINDS), [program], table, KINDS)
    frame = spark.frame(cells, KINDS)
    assert frame.select(to_spark(Program("y", ("t",), (many,)), frame, "because")).collect()[1][0].count("not ") == 300


def test_a_query_has_the_label_the_rule_and_the_sentence(spark, grid):
    """Beside all columns of the table."""
    program = Program("y", ("n", "t"), (Rule("b", (Literal("n", "<=", 1.0),)), Rule("a", (Literal("t", "!=", "a"),))))
    rows = sorted(
        spark.session.sql(to_query(program, grid, "spark").rstrip(";\n")).collect(), key=lambda row: row.row_place
    )
    assert rows[0].__fields__[-3:] == ["predicted", "rule", "because"]
    assert [row.predicted for row in rows] == unless.predict(program, TABLE).tolist()
    assert [row.rule - 1 if row.rule else -1 for row in rows] == deciding_rules(program, TABLE).tolist()
    starts = {"b": "y b, because n is ", "a": "y a, because t is ", None: "y is not decided: no rule applies"}
    assert all(row.because.startswith(starts[row.predicted]) for row in rows)


def test_probabilities(spark, grid):
    """A query has points and probabilities, within 1e-9."""
    program = Program("y", ("n", "t"), (Rule("b", (Literal("n", "<=", 1.0),)), Rule("a", (Literal("t", "==", "a"),))))
    for labels in (2, 3):
        model = model_of(program, labels)
        query = to_query(model, grid, "spark", ["probability"]).rstrip(";\n")
        rows = sorted(spark.session.sql(query).collect(), key=lambda row: row.row_place)
        found = np.array([row[-labels:] for row in rows], dtype=float)
        np.testing.assert_allclose(found, model.card.probabilities(TABLE), rtol=0, atol=1e-9)


# Frames, whose columns may have other types than in training.

WHOLE = [0, 1, 2, 7, -3, 41, 1000, None]
HALVES = [0.0, 1.0, 2.5, math.nan, -0.0, 7.0, math.inf, None]
TEXTS = ["1", "1.0", " 2.5", "true", "TRUE", "falſe", "7", None]
WORDS = ["a", "?", "", "2020-08-01", "2020-08-01T14:30+02:00", "M", "0e5", None]
SPARK = {
    "int": ("INT", WHOLE, pl.Int32),
    "long": ("BIGINT", [*WHOLE[:-1], 2**53 + 1], pl.Int64),
    "float": ("FLOAT", HALVES, pl.Float32),
    "double": ("DOUBLE", HALVES, pl.Float64),
    "decimal": ("DECIMAL(10, 2)", [None if one is None else Decimal(one) / 2 for one in WHOLE], pl.Decimal(10, 2)),
    "boolean": ("BOOLEAN", [True, False, None] * 2 + [True, None], pl.Boolean),
    "texts": ("STRING", TEXTS, pl.String),
    "words": ("STRING", WORDS, pl.String),
    "date": ("DATE", [date(2020, 8, 1), date(2020, 8, 2), date(1999, 1, 1), None] * 2, pl.Date),
    "ntz": (
        "TIMESTAMP_NTZ",
        [datetime(2020, 8, 1), datetime(2020, 8, 1, 12, 30), datetime(2020, 8, 1, 0, 0, 0, 1), None] * 2,
        pl.Datetime("us"),
    ),
    "void": ("VOID", [None] * 8, pl.Null),
}
"""Columns by name: their type in Spark, their cells, and their type in polars."""

TRAINING = {
    "numbers": ([0.5, 1.0, 2.5, 7.0], {}),
    "flags": ([0, 1, 1, 0], {}),
    "mixed": ([1.0, 2.5, 7.0, "a", "True"], {"numeric": True}),
    "names": (["1", "7", "a", "2.5", "M"], {"categorical": True}),
    "twins": (["1.0", "7.0", "2.0", "1000.0"], {"categorical": True}),
    "booleans": ([True, False, True], {}),
    "lower": (["true", "false"], {"categorical": True}),
    "missing": (["1", "7", "a", "?", "41"], {"categorical": True, "missing": ["?", "1"]}),
    "gone": (["1", "7", "2.5", "41"], {"numeric": True, "missing": ["7", "2.5", "true"]}),
    "codes": ([0.5, 1.0, 2.5, 7.0, -3.0], {"special": {-3: "gone", 1: "one", 1000: "never", 1.5: "sample"}}),
    "mixed_codes": ([1.0, 2.5, 7.0, "a", "True"], {"numeric": True, "special": {7: "seven", 1: "one"}}),
    "order": (["S", "M", "7", "1"], {"orders": ["S", "1", "M", "7"]}),
    "dates": ([date(2020, 8, 1), date(2021, 8, 1)], {}),
    "moments": ([datetime(2020, 8, 1, 12, 30), datetime(2020, 8, 1)], {}),
    "instants": ([datetime(2020, 8, 1, 12, 30, tzinfo=UTC)], {}),
    "clocks": ([time(12, 30), time(1)], {}),
}
"""Columns of training: their cells, and how they are declared."""


def trained(feature, cells, declared):
    """A model of one feature, as `read_table` reads these cells: its label is the number of the first rule that holds.

    The rules tell apart whatever training had.
    """
    declared = dict(declared)
    ways = {name: [feature] for name in ("numeric", "categorical") if declared.pop(name, False)}
    orders = {"orders": {feature: declared.pop("orders")}} if "orders" in declared else {}
    special = {"special": {feature: declared.pop("special")}} if "special" in declared else {}
    table = read_table([{feature: cell} for cell in cells], **ways, **orders, **special, **declared)
    column = table.columns[0]
    values = [column.value(code) for code in range(column.missing)]
    texts = [*(value for value in values if isinstance(value, str)), "2020-08-01", "True", "inf"]
    if column.notation is not None:
        texts = [text for text in texts if column.notation.number(text) is None]
    tests = [Literal(feature, "missing"), *(Literal(feature, "==", text) for text in texts)]
    tests += [Literal(feature, "<=", value) for value in values if isinstance(value, float)]
    rules = [Rule(number, (test,)) for number, test in enumerate(tests)]
    others = Rule(-1, (Literal(feature, "present"),), (Rule(None, tests[1:2]),))
    program = Program("y", (feature,), (*rules, others))
    return model_of_program(program, schema=table.schema, domain=table[:0])


@pytest.fixture(scope="module")
def typed(spark):
    """A frame of columns of many types, in Spark and in polars."""
    types = {name: own for name, (own, _, _) in SPARK.items()}
    own = {name: pl.Series(cells, dtype=kind) for name, (_, cells, kind) in SPARK.items()}
    return spark.frame({name: cells for name, (_, cells, _) in SPARK.items()}, types), pl.DataFrame(own)


@pytest.mark.parametrize("training", TRAINING)
def test_cells_mean_what_they_mean_to_predict(typed, training):
    """Whatever type a column had in training, and whatever type it has in Spark."""
    frame, own = typed
    models = {name: trained(name, *TRAINING[training]) for name in SPARK}
    columns, refused = {}, set()
    for name, model in models.items():
        try:
            columns[name] = to_spark(model, frame).alias(name)
        except ParameterError:
            refused.add(name)
    assert refused == ({"date", "ntz"} if training in ("order", "clocks") else set())
    rows = frame.select(list(columns.values())).collect()
    for name in columns:
        table = read_table(own, like=models[name], features=[name])
        assert [row[name] for row in rows] == unless.predict(models[name].program, table).tolist(), name


def test_a_program_reads_cells_as_its_literals_say(typed):
    """Without a model, what rules compare a column with says what its cells are."""
    frame, own = typed
    tests = [("==", "1"), ("==", "True"), ("<=", 1.5), ("missing", None), ("!=", "a")]
    for name in SPARK:
        programs = [Program("y", (name,), (Rule("x", (Literal(name, *test),)),), "z") for test in tests]
        rows = frame.select([to_spark(one, frame) for one in programs]).collect()
        for place, program in enumerate(programs):
            wanted = unless.predict(program, read_table(own, like=program)).tolist()
            assert [row[place] for row in rows] == wanted, (name, program)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_timestamps_of_spark(spark, zone):
    """They are instants if training had zones, and else what the session shows."""
    cells = [datetime(2020, 8, 1, hour, tzinfo=UTC) for hour in (0, 4, 12, 16)] + [None]
    at = datetime(2020, 8, 1, 12)
    models = {
        name: trained("when", [start], {}) for name, start in {"naive": at, "zoned": at.replace(tzinfo=UTC)}.items()
    }
    spark.session.conf.set("spark.sql.session.timeZone", zone)
    try:
        frame = spark.frame({"when": cells}, {"when": "timestamptz"})
        shown = [None if one is None else one.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for one in cells]
        for name, model in models.items():
            table = read_table([{"when": one} for one in (shown if name == "naive" else cells)], like=model)
            found = [row[0] for row in frame.select(to_spark(model, frame)).collect()]
            assert found == unless.predict(model.program, table).tolist()
    finally:
        spark.session.conf.set("spark.sql.session.timeZone", "UTC")


def test_texts_are_compared_as_they_are_spelled(spark):
    """Also where the collation of the column ignores case."""
    frame = spark.frame({"t": ["a", "A", None]}, {"t": "STRING COLLATE UTF8_LCASE"})
    program = Program("y", ("t",), (Rule("x", (Literal("t", "==", "a"),)),), "z")
    assert [row[0] for row in frame.select(to_spark(program, frame)).collect()] == ["x", "z", "z"]


@pytest.fixture(scope="module")
def people():
    """A fitted model with three labels, its committee, and its records."""
    records = [{"age": age, "home town": town} for age in range(20, 50) for town in ("Oslo", "it's Rome", None)]
    labels = [2 if one["age"] > 40 else 1 if one["home town"] == "Oslo" else 0 for one in records]
    model = unless.UnlessClassifier(warn=False).fit(records, labels)
    return SimpleNamespace(model=model, records=records, labels=labels)


def people_frame(spark, people):
    """The records in Spark, with columns that are in the way."""
    columns = {name: [one[name] for one in people.records] for name in ("age", "home town")}
    frame = spark.frame(
        {**columns, "Rule": ["r"] * len(people.records)}, {"age": "INT", "home town": "text", "Rule": "text"}
    )
    return frame, frame.select("age", "home town")


def test_a_frame_with_what_a_model_decides(spark, people):
    """Label, rule and sentence are added; names that are taken get a number; labels keep their type."""
    frame, _ = people_frame(spark, people)
    done = predict_spark(people.model, frame)
    assert done.columns == ["age", "home town", "Rule", "predicted", "rule_2", "because"]
    assert done.schema["predicted"].dataType.simpleString() == done.schema["rule_2"].dataType.simpleString() == "bigint"
    rows = done.collect()
    assert [row.predicted for row in rows] == people.model.predict(people.records).tolist()
    assert [row.rule_2 - 1 for row in rows] == people.model.apply(people.records).tolist()
    assert rows[-1].because.startswith("label 2, because age is 49, above 40")
    assert predict_spark(people.model, frame, ["label"], prefix="new_").columns[3:] == ["new_predicted"]


def test_a_spark_frame_is_not_read_into_memory(spark, people):
    """Whoever gives one to `predict` is told what to do."""
    _, frame = people_frame(spark, people)
    for read in (people.model.predict, read_table):
        with pytest.raises(ParameterError, match=r"predict there with unless\.export\.predict_spark\(model, frame\)"):
            read(frame)


def test_a_committee_votes_in_spark(spark, people):
    """Its label is that of `predict`, and no other column is added."""
    voting = unless.UnlessCommittee(size=5, warn=False).fit(people.records, people.labels)
    _, frame = people_frame(spark, people)
    done = predict_spark(voting, frame)
    assert done.columns == ["age", "home town", "predicted"]
    assert [row.predicted for row in done.collect()] == voting.predict(people.records).tolist()
    with pytest.raises(ParameterError, match="predict_spark"):
        to_spark(voting, frame)


def test_what_spark_cannot_decide_is_refused(spark):
    """Each error names the column and what to do."""
    kinds = {"list": "ARRAY<INT>", "when": "STRING"}
    frame = spark.frame({"list": [[1]], "when": ["1.8.2020"]}, kinds)
    program = Program("y", ("list",), (Rule("x", (Literal("list", "==", "a"),)),))
    with pytest.raises(ParameterError, match=r"'list' is array<int>, which .* cast it"):
        to_spark(program, frame)
    program = Program("y", ("list",), (Rule("x", (Literal("list", "present"),)),))
    assert frame.select(to_spark(program, frame)).collect() == [("x",)]
    form = NOTATIONS["d"].__class__("date", 1.0, format="%d.%m.%Y")
    program = Program("y", ("when",), (Rule("x", (Literal("when", ">", NotatedNumber(0.0, form)),)),))
    with pytest.raises(ParameterError, match=r"'when' has dates like '%d.%m.%Y', .* to_date"):
        to_spark(program, frame)
    program = Program("y", ("wen",), (Rule("x", (Literal("wen", "present"),)),))
    with pytest.raises(UnknownNameError, match="no column 'wen' in the Spark frame; did you mean 'when'"):
        predict_spark(program, frame)
    with pytest.raises(
        ParameterError, match=r"expected a Spark frame, not DataFrame; model\.predict takes other frames"
    ):
        predict_spark(program, pl.DataFrame({"wen": [1]}))
    with pytest.raises(ParameterError, match="no column for 'labels'; did you mean 'label'"):
        predict_spark(program, frame, ["labels"])


def test_dates_that_training_had_as_texts(spark):
    """Texts that are spelled as we spell dates are found; others are refused rather than never found."""
    frame = spark.frame({"when": [date(2020, 8, 1), date(2020, 8, 1) + timedelta(1)]}, {"when": "DATE"})
    for text, found in (("2020-08-01", ["x", "z"]), ("2020-08-01 00:00:00", None)):
        program = Program("y", ("when",), (Rule("x", (Literal("when", "==", text),)),), "z")
        if found is None:
            with pytest.raises(ParameterError, match="with the text '2020-08-01 00:00:00', and in Spark it has a type"):
                to_spark(program, frame)
        else:
            assert [row[0] for row in frame.select(to_spark(program, frame)).collect()] == found


def test_a_bare_program_takes_columns_of_any_type(spark):
    """Also in Spark: of numbers of every size, or of text that spells some."""
    for kind in ANY_TYPE["spark"]:
        any_type_agrees(spark, kind)


def test_the_search_of_make_torture(spark):
    """A case of it in this session, since starting Spark takes longer: programs, score cards and committees."""
    counts = Counts()
    compare(counts, random.randrange(10**6) if LONG else 0, spark)
    assert not counts.differences, counts.told("spark")
    assert counts.compared.keys() >= {"programs", "programs, columns not named", "Spark, lists", "Spark, committees"}
