"""SQL: every database gives what `predict` gives, record by record."""

from __future__ import annotations

import itertools
import json
import math
import random
import struct
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, time
from decimal import Context, Decimal, Inexact
from functools import cache

import numpy as np
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

import unless
from tests.engines import database as opened
from tests.lengths import LONG, fewer
from tests.models import model_of_program
from tests.shared import SHARED, needs_compiled, needs_shared
from tests.strategies import (
    CELLS,
    FEATURES,
    KINDS,
    NOTATIONS,
    NOTED_TEXTS,
    SPECIAL,
    TIMED,
    card_of,
    chain,
    held_by,
    ladder,
    meaning,
    noted_literals,
    noted_programs,
    programs,
    records,
    with_special,
)  # fmt: skip
from unless.errors import ParameterError, ProgramError, UnknownNameError
from unless.export import to_sql
from unless.export.sql_dialects import DIALECTS
from unless.export.sql_query import to_query
from unless.model.prediction import deciding_rules
from unless.rule import Literal, Program, Rule
from unless.score.score_card import ScoreCard
from unless.table import Column, Schema, Table
from unless.values import cell_value
from unless.values.notation import DAY, DURATION, FLAG, DateNotation, LevelNotation, NotatedNumber
from unless.values.spelling import quote_if_needed


@cache
def columns_of(dialect):
    """The chosen cells, as far as the database can hold them."""
    return records(150, cells=held_by(dialect, CELLS))


def table_of(columns, kinds=KINDS):
    """The same cells as a table of unless."""
    return Table(
        tuple(Column.of(name, [meaning(kinds[name], cell) for cell in cells]) for name, cells in columns.items())
    )


@cache
def grid_of(dialect):
    """The same cells as a table of unless."""
    return table_of(columns_of(dialect))


@pytest.fixture(scope="session")
def grid(database):
    """The name of a table of the chosen cells."""
    return database.table(columns_of(database.dialect), KINDS)


def agree(database, name, program, table, columns):
    """Label and rule are those of `predict`, in every row."""
    labels = database.select(to_sql(program, database.dialect, columns=columns), name)
    wanted = unless.predict(program, table).tolist()
    assert labels == wanted
    kinds = {type(label) for label in wanted if label is not None}
    if len(kinds) == 1 and not (database.dialect in {"sqlite", "mysql"} and kinds == {bool}):  # they have no booleans
        assert {type(label) for label in labels if label is not None} <= kinds
    rules = database.select(to_sql(program, database.dialect, "rule", columns), name)
    assert [-1 if rule is None else rule - 1 for rule in rules] == deciding_rules(program, table).tolist()


@given(program=programs())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_program_agrees_with_predict(database, grid, program):
    """Whatever the program and the cells, the database decides as `predict` does."""
    agree(database, grid, program, grid_of(database.dialect), KINDS)


SCHEMA = Schema({name: "text" if kind == "boolean" else kind for name, kind in KINDS.items()}, special=SPECIAL)


def special_agree(database, name, program, kinds=KINDS):
    """Label and rule of a model with special codes are those of `predict`, in every row of the raw cells."""
    model, table = model_of_program(program, schema=SCHEMA), with_special(grid_of(database.dialect))
    for what, wanted in (
        ("label", unless.predict(program, table)),
        ("rule", [None if rule < 0 else rule + 1 for rule in deciding_rules(program, table).tolist()]),
    ):
        assert database.select(to_sql(model, database.dialect, what, kinds), name) == list(wanted)


@given(program=programs())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_special_codes_agree_with_predict(database, grid, program):
    """The numbers that are codes are tested as the categories that they name, and are on no side of a threshold."""
    special_agree(database, grid, program)


@pytest.mark.parametrize("feature", "nm")
def test_every_literal_on_special_codes(database, grid, feature):
    """Each code and its name, one literal at a time, also below a "not"."""
    values = [value for pair in SPECIAL[feature] for value in pair]
    ops = {float: ("<=", ">"), str: ("==", "!=")}
    literals = [*(Literal(feature, op, value) for value in values for op in ops[type(value)])]
    literals += [Literal(feature, "missing"), Literal(feature, "present")]
    for literal in literals:
        special_agree(database, grid, Program("y", FEATURES, (Rule("x", (literal,)),), "z"))
        special_agree(database, grid, Program("y", FEATURES, (Rule("x", (), (Rule(None, (literal,)),)),), "z"))


def test_a_special_code_in_sql():
    """The raw number is compared, and excluded from thresholds that it would satisfy."""
    rules = (Rule("x", (Literal("n", "<=", 5.0),)), Rule("y", (Literal("n", "==", "gone"),)))
    model = model_of_program(
        Program("z", ("n",), rules),
        schema=Schema({"n": "number"}, typed=frozenset("n"), special={"n": ((-7.0, "gone"), (999.0, "never"))}),
    )
    assert " ".join(to_sql(model).split()) == (
        """CASE WHEN "n" <= 5.0E0 AND "n" <> -7.0E0 THEN 'x' WHEN "n" = -7.0E0 THEN 'y' END"""
    )


TYPED = {"d": "date", "s": "timestamp", "i": "timestamptz", "c": "time", "u": "interval"} | dict.fromkeys("op", "text")
TYPED |= {"f": "number", "p": "date"}


def typed(database, cells, kinds):
    """A table of cells that have types, by its name and as our own; SQLite has no such types, and keeps ISO text."""
    if database.dialect == "sqlite":
        times = date | datetime | time
        cells = {name: [str(one) if isinstance(one, times) else one for one in own] for name, own in cells.items()}
    return database.table(cells, kinds), Table(tuple(Column.of(*column) for column in cells.items()))


def noted_columns(database, cells):
    """Columns of cells in notations, as far as the database can hold them."""
    return records(90, cells=held_by(database.dialect, cells))


@pytest.fixture(scope="session", params=["typed", "text"])
def noted_grid(request, database):
    """A table of dates, times and durations, by type or as text: its name, its cells, and the kinds of its columns."""
    columns = noted_columns(database, TIMED if request.param == "typed" else NOTED_TEXTS)
    kinds = TYPED if request.param == "typed" else {name: "number" if name == "f" else "text" for name in columns}
    kinds = {name: kinds[name] for name in columns}
    return *typed(database, columns, kinds), kinds


@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_dates_times_durations_and_orders_agree_with_predict(database, noted_grid, data):
    """Whatever the program, the database decides as `predict` does: of typed columns and of text."""
    name, table, kinds = noted_grid
    program = data.draw(noted_programs(tuple(kinds)))
    agree(database, name, program, table, kinds)


def test_every_threshold_of_a_notation(database, noted_grid):
    """The database finds the same first threshold as `predict` among many, also one float beside a cell."""
    name, table, kinds = noted_grid
    for feature in sorted(NOTATIONS.keys() & kinds.keys()):
        agree(database, name, ladder(feature, 1 if LONG else 2), table, {feature: kinds[feature]})


@given(data=st.data(), labels=st.integers(2, 3))
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_probabilities_of_dates_times_durations_and_orders(database, noted_grid, data, labels):
    """Points go through the same tests."""
    name, table, kinds = noted_grid
    model = model_of(data.draw(noted_programs(tuple(kinds))), labels)
    query = to_query(model, name, database.dialect, ["probability"], kinds).rstrip(";\n")
    names = [one[0] for one in database.execute(f"SELECT * FROM ({query}) AS t LIMIT 0").description]
    shares = database.select_all(names[-len(model.card.classes) :], f"({query}) AS t")
    np.testing.assert_allclose(np.array(shares).T, model.card.probabilities(table), rtol=0, atol=1e-9)


def test_no_condition_is_computed_twice():
    """SQLite computes the steps of a query one after the other; merged, it would test conditions once for every use."""
    literal = Literal("n", ">", 1.0)
    model = model_of(Program("y", ("n",), (Rule("a", (literal,)), Rule("b"))), 3)
    with opened("sqlite") as database:
        database.execute("CREATE TABLE data (n)")
        plan = database.execute(f"EXPLAIN QUERY PLAN {to_query(model, 'data', 'sqlite', ['probability'])}").fetchall()
    steps = [row[-1] for row in plan]
    assert {"CO-ROUTINE summed", "CO-ROUTINE scored"} <= set(steps), steps


@pytest.fixture(scope="session")
def moments(database):
    """Tables of one column of dates or times, by its type: their names and our own."""
    cells = {"date": TIMED["d"], "timestamp": TIMED["s"], "timestamptz": TIMED["i"]}
    if database.dialect == "mysql":
        del cells["timestamptz"]
    return {kind: typed(database, {"w": own}, {"w": kind}) for kind, own in cells.items()}


@given(data=st.data(), feature=st.sampled_from("dsi"))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_column_of_dates_is_compared_with_a_time_and_the_other_way_round(database, moments, data, feature):
    """A date is its first moment, and a time without a zone is in UTC, whatever the rules and the column say."""
    kind = data.draw(st.sampled_from(sorted(moments)))
    name, table = moments[kind]
    literal = replace(data.draw(noted_literals(feature)), feature="w")
    program = Program("y", ("w",), (Rule("x", (literal,)), Rule("z", (), (Rule(None, (literal,)),))))
    agree(database, name, program, table, {"w": kind})


def test_nanoseconds_are_cut_off():
    """A cell of DuckDB that is finer than a microsecond is the microsecond before it."""
    cells = ["2020-08-01 00:00:00.000000999", "2020-08-01 00:00:00.000001", "2020-07-31 23:59:59.999999999", None]
    program = Program(
        "y", ("w",), (Rule("late", (Literal("w", ">", cell_value(datetime.fromisoformat("2020-08-01"))),)),), "early"
    )
    with opened("duckdb") as database:
        name = database.table({"w": cells}, {"w": "TIMESTAMP_NS"})
        sql = to_sql(program, "duckdb", columns={"w": "timestamp_ns"})
        assert database.select(sql, name) == ["early", "late", "early", "early"]


def noted_program(*literals):
    """A program of one rule."""
    return Program("y", tuple(dict.fromkeys(literal.feature for literal in literals)), (Rule("x", literals),), "z")


WHEN = Literal("when", ">", cell_value(date(2020, 8, 1)))


def test_a_threshold_is_said_as_a_date():
    """By default a column has the type that its notation suggests; ordered categories are listed."""
    sizes = LevelNotation(("S", "M", "L"))
    noon = Literal("at", "<=", cell_value(datetime(2020, 8, 1, 12, tzinfo=UTC)))
    wait = Literal("wait", ">", NotatedNumber(DURATION.number("2 d 3 h"), DURATION))
    literals = (
        WHEN,
        noon,
        wait,
        Literal("size", "<=", NotatedNumber(1.0, sizes)),
        Literal("c", ">", cell_value(time(12))),
    )
    sql = " ".join(to_sql(noted_program(*literals)).split())
    for test in (
        """ "when" > CAST('2020-08-01' AS DATE) """,
        """ "at" <= CAST('2020-08-01 12:00:00+00:00' AS TIMESTAMPTZ) """,
        """ "wait" > CAST('2 days 03:00:00' AS INTERVAL) """,
        """ "size" IN ('S', 'M') """,
        """ "c" > CAST('12:00:00' AS TIME) """,
    ):
        assert test in sql
    assert "\"size\" IN ('L')" in to_sql(noted_program(Literal("size", ">", NotatedNumber(1.0, sizes))))


def test_because_says_dates_levels_and_flags(database):
    """As people write them."""
    size, flag = (
        Literal("size", "<=", NotatedNumber(1.0, LevelNotation(("S", "M", "L")))),
        Literal("flag", ">", NotatedNumber(0.0, FLAG)),
    )
    kinds = {"when": "date", "size": "text", "flag": "number"}
    name, _ = typed(database, {"when": [date(2020, 8, 2)], "size": ["S"], "flag": [1.0]}, kinds)
    found = database.select(to_sql(noted_program(WHEN, size, flag), database.dialect, "because"), name)
    assert found == ["y x, because when is 2020-08-02, above 2020-08-01 and size is S, at most M and flag is 1"]


def test_a_model_knows_which_columns_are_dates(database):
    """Also where a rule only asks whether a date is missing: it is not compared with NaN."""
    program = Program("y", ("when",), (Rule("x", (Literal("when", "missing"),)),), "z")
    model = model_of_program(program, schema=Schema({"when": "number"}, notations={"when": NOTATIONS["d"]}))
    name, _ = typed(database, {"when": [date(2020, 8, 2), None]}, {"when": "date"})
    assert database.select(to_sql(model, database.dialect), name) == ["z", "x"]
    program = noted_program(WHEN)
    model = model_of_program(program, schema=Schema({"when": "mixed"}, notations={"when": NOTATIONS["d"]}))
    assert to_sql(model) == to_sql(program, columns={"when": "text"}) != to_sql(program)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(program=noted_programs("dsicof"))
@settings(max_examples=15, deadline=None)
def test_every_dialect_writes_dates(dialect, program):
    """As typed columns in every dialect, and as text where the database can read it."""
    kinds = {name: TYPED[name] for name in "dcof"} | {"s": "timestamp", "i": "timestamp"}
    kinds |= {"c": "text"} if dialect == "spark" else {}
    for columns in (kinds, dict.fromkeys("dsico", "text")):
        if columns is kinds or dialect != "tsql":
            tree = sqlglot.parse_one(to_sql(program, dialect, columns=columns), dialect=dialect)
            assert not list(tree.find_all(exp.Command, exp.DDL))


@pytest.mark.parametrize(
    ("dialect", "literal", "kind", "message"),
    [
        ("duckdb", WHEN, "number", "'when' cannot be number: the rules compare it as date; it may be date, timestamp"),
        ("tsql", WHEN, "text", "tsql cannot read text as ISO 8601, as the column 'when' holds it; make it date or"),
        ("mysql", WHEN, "timestamptz", "mysql has no type timestamptz, as the column 'when' should be; make it date"),
        (
            "spark",
            Literal("c", ">", cell_value(time(12))),
            "time",
            "spark has no type time, as the column 'c' should be",
        ),
        (
            "sqlite",
            Literal("u", ">", NotatedNumber(0.0, DURATION)),
            None,
            "sqlite has no type interval, .* use another database",
        ),
        (
            "duckdb",
            Literal("u", ">", NotatedNumber(0.0, DURATION)),
            "text",
            "'u' cannot be text: the rules compare it as duration",
        ),
        (
            "duckdb",
            Literal("when", ">", NotatedNumber(0.0, DateNotation("date", float(DAY), format="%d.%m.%Y"))),
            "text",
            "duckdb cannot read text as %d.%m.%Y, as the column 'when' holds it; make it date",
        ),
    ],
)
def test_columns_that_cannot_hold_the_time_that_rules_ask_for(dialect, literal, kind, message):
    """They are refused, with the kinds that would do."""
    with pytest.raises(ParameterError, match=message):
        to_sql(noted_program(literal), dialect, columns={literal.feature: kind} if kind else None)


def model_of(program, labels=3, seed=0):
    """A model with points at random."""
    return model_of_program(program, lazy_card=card_of(program, labels, seed))


def test_a_query_has_the_label_the_rule_and_the_sentence(database, grid):
    """As `predict_file` calls them, beside all columns of the table."""
    rules = (
        Rule("a", (Literal("n", "<=", 1.0),), (Rule(None, (Literal("t", "==", "a"),)),)),
        Rule("b", (Literal("m", ">", 2.0),)),
    )
    program = Program("y", FEATURES, rules)
    done = database.execute(
        to_query(program, grid, database.dialect, columns=KINDS).rstrip(";\n") + " ORDER BY row_place"
    )
    assert [one[0] for one in done.description] == ["row_place", *FEATURES, "predicted", "rule", "because"]
    rows = [row[-3:] for row in done.fetchall()]
    table = grid_of(database.dialect)
    assert [row[0] for row in rows] == unless.predict(program, table).tolist()
    assert [-1 if row[1] is None else row[1] - 1 for row in rows] == deciding_rules(program, table).tolist()
    starts = {"a": "y a, because n is ", "b": "y b, because m is ", None: "y is not decided: no rule applies"}
    assert all(row[2].startswith(starts[row[0]]) for row in rows)


@given(program=programs(), labels=st.integers(2, 4), seed=st.integers(0, 9))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_query_has_points_and_probabilities(database, grid, program, labels, seed):
    """Points are those of the score card to the last one, and probabilities within 1e-9."""
    model = model_of(program, labels, seed)
    query = to_query(model, grid, database.dialect, ["probability"], KINDS).rstrip(";\n")
    done = database.execute(f"SELECT * FROM ({query}) AS t ORDER BY row_place")
    names = [one[0] for one in done.description]
    found = np.array([row[len(names) - len(model.card.classes) :] for row in done.fetchall()], dtype=float)
    table = grid_of(database.dialect)
    np.testing.assert_allclose(found, model.card.probabilities(table), rtol=0, atol=1e-9)
    for label, row in zip(unless.predict(program, table), found, strict=True):
        assert label is None or model.card.classes[row.argmax()] == label


@given(program=programs(), seed=st.integers(0, 9))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_expression_has_the_probability_of_the_second_label(database, grid, program, seed):
    """Of a model with two labels; of one with more, the error names the query."""
    model = model_of(program, 2, seed)
    if len(model.card.classes) > 2:
        with pytest.raises(ParameterError, match="to_query gives a column for each"):
            to_sql(model, database.dialect, "probability", KINDS)
    else:
        found = database.select(to_sql(model, database.dialect, "probability", KINDS), grid)
        wanted = model.card.probabilities(grid_of(database.dialect))[:, 1]
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_probabilities_in_every_dialect(dialect):
    """Every database gets an expression and a query that sqlglot reads back."""
    program = Program("y", ("n", "t"), (Rule("b", (Literal("n", "<=", 1.0),)), Rule("a", (Literal("t", "==", "x"),))))
    for labels in (2, 3):
        query = to_query(model_of(program, labels), "t", dialect, ["probability"])
        assert len(sqlglot.parse_one(query, dialect=dialect).selects) == 1 + labels
    assert sqlglot.parse_one(to_sql(model_of(program, 2), dialect, "probability"), dialect=dialect)


def test_the_columns_of_a_query_with_probabilities():
    """Label, rule, points and probabilities; labels that are spelled alike get different names."""
    program = Program("rule", ("points_a",), (Rule("a", (Literal("points_a", "<=", 1.0),)), Rule("A ")), None)
    query = sqlglot.parse_one(to_query(model_of(program, 3), "t", "duckdb", ["probability", "because"]))
    names = [one.alias for select in list(query.find_all(exp.Select))[::-1] for one in select.selects[1:]]
    assert names == [
        "predicted", "rule_2", "because", "points_a_2", "points_a_3", "points_z", "points_list",
        "probability_a", "probability_a_2", "probability_z",
    ]  # fmt: skip


def test_points_far_apart(database):
    """Probabilities of 0 and 1 are no errors."""
    program, cells = Program("y", ("n",), (Rule("b", (Literal("n", "<=", 1.0),)),), "a"), {"n": [0.0, 5.0, None]}
    name, far = database.table(cells, {"n": "number"}), np.array([[1], [-1], [1], [1]])
    for classes, factors in ((("a", "b"), [-1_000_000]), (("a", "b", "c"), [1_000_000, -1_000_000, 3])):
        model = model_of_program(program, lazy_card=ScoreCard(program, classes, np.array(factors), far * factors))
        query = to_query(model, name, database.dialect, ["probability"]).rstrip(";\n")
        rows = database.execute(f"SELECT * FROM ({query}) AS t ORDER BY row_place").fetchall()
        found = np.array([row[-len(classes) :] for row in rows], dtype=float)
        np.testing.assert_allclose(found, model.card.probabilities(table_of(cells)), atol=1e-9)


@pytest.mark.parametrize("feature", FEATURES)
def test_every_literal_on_every_cell(database, grid, feature):
    """The truth of a literal is `Literal.holds`, alone and under one or two negations, for all kinds and operators."""
    values = [0.0, 0.1, 2.5, -1.5, 5e-324, 1.7976931348623157e308, math.inf, -math.inf]
    categories = ["a", "a ", "", "é", "3", "2.5", "1e999", "True", "False", "'; DROP TABLE grid; --", "new\nline"]
    literals = [Literal(feature, op, value) for op in ("<=", ">") for value in values]
    literals += [Literal(feature, op, category) for op in ("==", "!=") for category in categories]
    literals += [Literal(feature, "missing"), Literal(feature, "present")]
    cells = [meaning(KINDS[feature], cell) for cell in columns_of(database.dialect)[feature]]
    for literal in literals:
        plain = Rule("yes", (literal,))
        once = Rule("yes", (), (Rule(None, (literal,)),))
        twice = Rule("yes", (), (Rule(None, (), (Rule(None, (literal,)),)),))
        for rule, wanted in ((plain, True), (once, False), (twice, True)):
            program = Program("y", FEATURES, (rule,), "no")
            found = database.select(to_sql(program, database.dialect, columns=KINDS), grid)
            assert found == ["yes" if literal.holds(cell) is wanted else "no" for cell in cells], (literal, wanted)


def test_a_mixed_column_takes_for_numbers_what_read_table_does(database):
    """Short texts of the characters of numbers are numbers exactly where `number_in` says so."""
    cells = [
        "".join(text) for size in range(5) for text in itertools.product("1.e-+ x"[: 7 if size < 4 else 5], repeat=size)
    ]
    name = database.table({"m": cells}, {"m": "mixed"})
    program = Program("y", ("m",), (Rule("number", (Literal("m", "<=", math.inf),)),), "text")
    found = database.select(to_sql(program, database.dialect, columns={"m": "mixed"}), name)
    assert found == ["text" if isinstance(meaning("mixed", cell), str) else "number" for cell in cells]


def test_texts_at_the_edge_of_the_doubles(database):
    """A text is rounded to a double before it is compared: just above half of the smallest is the smallest.

    SQLite reads texts of more than fifteen digits in its own way, see the page on SQL.
    """
    if database.dialect == "sqlite":
        pytest.skip("SQLite's reader of numbers is not exact")
    cells = ["2.4703282292062328e-324", "2.4703282292062327e-324", "1.7976931348623158e308", "1.797693134862315808e308"]
    cells += ["0.1000000000000000055511151231257827", "0.10000000000000001", "0.1000000000000000124"]
    zero, above, infinite, below = 5**1075, 5**1075 * 10 + 1, 2**1024 - 2**970, 2**1024 - 2**970 - 1
    cells += [f".{zero}e-323", f".{above}e-323", str(infinite), f"{below}.9"]  # at the middles, and beside them
    if database.dialect == "mysql":  # to which 1.7976931348623158e308 is too large, and which reads some hundred digits
        cells = [cell for cell in cells if float(cell) != sys.float_info.max and len(cell) < 700]
    name = database.table({"m": cells}, {"m": "mixed"})
    for bound in (0.0, 0.1, 1.7976931348623157e308):
        program = Program(
            "y", ("m",), (Rule("low", (Literal("m", "<=", bound),)), Rule("high", (Literal("m", ">", bound),)))
        )
        found = database.select(to_sql(program, database.dialect, columns={"m": "mixed"}), name)
        assert found == [program.label({"m": meaning("mixed", cell)}) for cell in cells]


def test_thresholds_are_exact(database):
    """A number is at most itself, and the next double is above it: whatever the number, its digits or its sign."""
    rng = random.Random(5)
    numbers = [struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0] for _ in fewer(300)]
    numbers += [rng.uniform(-1, 1) for _ in fewer(300)]
    numbers += [round(rng.uniform(0, 1000), rng.randrange(12)) for _ in fewer(1500)]
    numbers += [5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 1e22, 1e23, 9007199254740993.0]
    numbers = [number for number in numbers if math.isfinite(number)]
    name = database.table({"n": [0.0]}, {"n": "number"})
    rules = [Rule(label, (Literal("n", "<=", 0.0),)) for label in numbers]  # a label is spelled like a threshold
    quote_if_needed = [to_sql(Program("y", ("n",), (rule,), 0.5), database.dialect) for rule in rules]
    for start in range(0, len(numbers), 100):
        texts = quote_if_needed[start : start + 100]
        row = database.execute(f"SELECT {', '.join(texts)} FROM {name}").fetchone()
        assert list(row) == numbers[start : start + 100]
    for number in numbers[::20]:
        cells = [math.nextafter(number, -math.inf), number, math.nextafter(number, math.inf)]
        name = database.table({"n": cells}, {"n": "number"})
        program = Program(
            "y", ("n",), (Rule("low", (Literal("n", "<=", number),)), Rule("high", (Literal("n", ">", number),)))
        )
        assert database.select(to_sql(program, database.dialect), name) == ["low", "low", "high"]


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("REAL", [0.10000000149011612, 0.25, None]),
        ("BIGINT", [2**53 + 1, 2**53, -(2**63), 0, None]),
        ("DECIMAL(20, 10)", ["0.1000000000", "0.1000000001", "0.0999999999", None]),
    ],
)
def test_numeric_types_compare_as_doubles(database, kind, cells):
    """A short float is widened, an integer or a decimal becomes the nearest double, as in `read_table`."""
    name = database.table({"n": cells}, {"n": kind})
    values = [None if cell is None else float(cell) for cell in cells]
    for bound in {0.1, 0.10000000149011612, 2.0**53, *(value for value in values if value is not None)}:
        program = Program(
            "y", ("n",), (Rule("low", (Literal("n", "<=", bound),)), Rule("high", (Literal("n", ">", bound),)))
        )
        wanted = [program.label({"n": value}) for value in values]
        assert database.select(to_sql(program, database.dialect), name) == wanted, bound


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_decimals_beyond_the_doubles_in_postgres(database):
    """A numeric cell that no double can hold is infinite or zero, as in `read_table`, and no error."""
    edge = Decimal(sys.float_info.max)
    cells = [Decimal(text) for text in ("1e400", "-1e400", "1e-400", "-1e-400", "3e-324", "2e-324", "0", "0.5", "NaN")]
    cells += [edge, -edge, Decimal("1.7976931348623158e308"), Decimal("0.1"), 2**53 + 1, 2**53 + 3, None]
    cells += [Decimal("0.10000000000000001249"), Decimal("0.10000000000000001250")]
    name = database.table({"n": cells}, {"n": "NUMERIC"})
    table = Table((Column.of("n", cells),))
    for bound in (
        0.0,
        0.1,
        -0.5,
        5e-324,
        -5e-324,
        2.0**53,
        2.0**53 + 2,
        float(edge),
        -float(edge),
        math.inf,
        -math.inf,
    ):
        for op in ("<=", ">"):
            for rule in (Rule("x", (test := Literal("n", op, bound),)), Rule("x", (), (Rule(None, (test,)),))):
                program = Program("y", ("n",), (rule, Rule("z", (Literal("n", "missing"),))), "rest")
                agree(database, name, program, table, None)


def _around(bound):
    """The middles between a double and its neighbours, exactly, and decimals a little below and above them."""
    exactly = Context(prec=2000, traps=[Inexact])
    limit = Decimal(2**1024)  # where the double after the largest one would be
    ends = [Decimal(math.nextafter(bound, way)) for way in (-math.inf, math.inf)]
    for end in ends:
        other = end if end.is_finite() else limit.copy_sign(end)
        middle = exactly.divide(exactly.add(Decimal(bound), other), Decimal(2))
        steps = (Decimal(0), Decimal("1e-30"), Decimal("1e-400"), Decimal("1e-1500"))
        yield from (exactly.add(middle, step * sign) for step in steps for sign in (-1, 1))


BOUNDS = [0.0, 0.1, 1 / 3, 0.5, 1e22, 1e23, 2.0**53, 1e300, 5e-324, 2.2250738585072014e-308, sys.float_info.max]


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
@pytest.mark.parametrize("bound", [sign * bound for bound in BOUNDS for sign in (1, -1)] + [math.inf, -math.inf])
def test_decimals_between_two_doubles_in_postgres(database, bound):
    """A numeric cell is the nearest double, the even one of two equally near, however many digits that takes."""
    cells = list(_around(math.copysign(sys.float_info.max, bound) if math.isinf(bound) else bound))
    cells += [Decimal("0.10000000000000001249000500"), Decimal(repr(bound)), Decimal("1e-16383"), Decimal("-1e-16383")]
    rules = (Rule("low", (Literal("n", "<=", bound),)), Rule("high", (Literal("n", ">", bound),)))
    program = Program("y", ("n",), rules)
    sql = to_sql(program, "postgres")
    name = database.table({"n": [str(cell) for cell in cells]}, {"n": "NUMERIC"})
    assert database.select(sql, name) == [program.label({"n": float(cell)}) for cell in cells]
    doubles = [float(cell) for cell in cells]
    name = database.table({"n": doubles}, {"n": "number"})
    assert database.select(sql, name) == [program.label({"n": cell}) for cell in doubles]


def test_columns_called_true_and_false(database):
    """A truth value is never the column of that name, as a label or compared with."""
    columns = {"true": [False, True, None], "false": [True, False, None], "b": [True, False, None]}
    name = database.table(columns, dict.fromkeys(columns, "boolean"))
    rules = [Rule(True, (Literal("b", "==", "True"), Literal("true", "!=", "True")))]
    rules += [Rule(False, (Literal("false", "==", "False"),))]
    program = Program("y", tuple(columns), tuple(rules), True)
    agree(database, name, program, Table(tuple(Column.of(*column) for column in columns.items())), None)


@pytest.mark.parametrize(
    "name",
    [
        "select",
        'say "hi"',
        "it's",
        "new\nline",
        "a b",
        "x; DROP TABLE y",
        "é😀",
        "\\",
        "`tick`",
        "[x]",
        "a.b",
        "%s",
        "--",
        "1",
        " ",
    ],
)
def test_any_name_is_a_column(database, name):
    """A column is found by its name, whatever its characters; a name that the database does not allow is refused."""
    program = Program("y", (name,), (Rule("x", (Literal(name, "==", "a"),)),), "z")
    if database.dialect == "mysql" and name in {" ", "é😀"}:
        with pytest.raises(ProgramError, match="no column of mysql can have the name"):
            to_sql(program, "mysql")
        return
    table = database.table({name: ["a", "b", None]}, {name: "text"})
    assert database.select(to_sql(program, database.dialect), table) == ["x", "z", "z"]
    sentence = database.select(to_sql(program, database.dialect, "because"), table)[0]
    assert sentence == f"y x, because {quote_if_needed(name)} is 'a'"


def test_a_column_that_is_not_there_is_an_error(database, grid):
    """A table without a column of the program is refused; SQLite would take a name in double quotes for a text."""
    program = Program("y", ("nope",), (Rule("x", (Literal("nope", "present"),)),))
    with pytest.raises(Exception, match="nope"):
        database.select(to_sql(program, database.dialect), grid)


def test_any_text_is_a_label(database, grid):
    """Labels come back as they are, quotes and line breaks included."""
    for label in CELLS["t"]:
        if label is not None:
            assert database.select(to_sql(Program("y", (), (), label), database.dialect), grid)[0] == label


@pytest.mark.parametrize("text", ["__SQLGLOT__LB__", "__SQLGLOT__LB\n", "a\n__SQLGLOT__LB"])
def test_what_sqlglot_marks_line_breaks_with(database, text):
    """A text that holds sqlglot's own mark for a line break is compared, and given, as it is."""
    table = database.table({"f": [text, "\n"]}, {"f": "text"})
    program = Program("y", ("f",), (Rule(text, (Literal("f", "==", text), Literal("f", "!=", "long " * 20))),), "z")
    assert database.select(to_sql(program, database.dialect), table) == [text, "z"]


def test_nul_in_texts(database):
    """Where a text may hold NUL it is compared like any other; where it may not, no cell can be equal to it."""
    program = Program("y", ("t",), (Rule("x", (Literal("t", "==", "a\0b"),)), Rule("z", (Literal("t", "!=", "a\0"),))))
    cells = ["a", "a\0b", "a\0c", None] if database.dialect != "postgres" else ["a", "b", None]
    name = database.table({"t": cells}, {"t": "text"})
    assert database.select(to_sql(program, database.dialect), name) == [program.label({"t": cell}) for cell in cells]
    if database.dialect == "postgres":
        with pytest.raises(ProgramError, match="postgres cannot hold the label 'a"):
            to_sql(Program("y", (), (), "a\0b"), "postgres")
    else:
        assert database.select(to_sql(Program("y", (), (), "a\0b"), database.dialect), name)[0] == "a\0b"
        mixed = database.table({"m": ["1\0", "1\x002", "1"]}, {"m": "mixed"})
        program = Program("y", ("m",), (Rule("number", (Literal("m", ">", 0.0),)),), "text")
        assert database.select(to_sql(program, database.dialect, columns={"m": "mixed"}), mixed) == [
            "text",
            "text",
            "number",
        ]


def test_case_matters_in_sqlite_even_where_the_column_ignores_it():
    """A column that SQLite compares without case, or without spaces at the end, is compared as it is spelled."""
    program = Program("y", ("t",), (Rule("x", (Literal("t", "==", "a"),)), Rule("z", (Literal("t", "!=", "B"),))))
    with opened("sqlite") as database:
        for collation in ("NOCASE", "RTRIM"):
            name = database.table({"t": ["a", "A", "a ", "b", "B"]}, {"t": f"TEXT COLLATE {collation}"})
            assert database.select(to_sql(program, "sqlite"), name) == ["x", "z", "z", "z", None]


@pytest.mark.parametrize("width", [1, 8])
def test_200_levels_deep(database, width):
    """The deepest program that is allowed runs, also with many literals on every level."""
    program = Program("y", ("n", "t"), (chain(200, width=width),), "no")
    cells = {"n": [-1.0, *(level + 0.5 for level in range(201)), None], "t": ["a"] * 203}
    kinds = {"n": "number", "t": "text"}
    agree(database, database.table(cells, kinds), program, table_of(cells, kinds), kinds)


def test_deep_and_wide(database):
    """Exceptions that branch on every level, and rules of a thousand literals or a thousand exceptions, run too."""
    rule = Rule(None, (Literal("n", ">", 9.5),))
    for level in range(6):
        other = Rule(None, (Literal("n", ">", level + 0.25), Literal("t", "!=", f"{level}")), rule.exceptions)
        rule = Rule(None, (Literal("n", "<=", 9.0 - level),), (other, rule))
    many = tuple(Literal("t", "!=", str(number)) for number in range(1, 1000))
    each = tuple(
        Rule(None, (Literal("n", ">", number / 10), Literal("n", "<=", number / 10 + 0.05))) for number in range(1000)
    )
    program = Program("y", ("n", "t"), (Rule("tree", (), (rule,)), Rule("many", many), Rule("each", (), each)), "no")
    rng = random.Random(0)
    cells = {"n": [rng.uniform(-1, 12) for _ in range(200)], "t": [str(rng.randrange(12)) for _ in range(200)]}
    kinds = {"n": "number", "t": "text"}
    agree(database, database.table(cells, kinds), program, table_of(cells, kinds), kinds)


def test_a_thousand_rules(database):
    """Long lists of rules run, with exceptions and mixed columns among them."""
    rules = [
        Rule(
            f"label {number}",
            (Literal("n", "<=", number + 0.5),),
            (Rule(None, (Literal("nm"[number % 9 == 0], ">", number / 7),)),),
        )
        for number in range(1000)
    ]
    rng = random.Random(0)
    cells = {
        "n": [rng.uniform(-1, 1100) for _ in range(60)],
        "m": [str(rng.randrange(200)) for _ in range(59)] + ["text"],
    }
    kinds = {"n": "number", "m": "mixed"}
    program = Program("y", ("n", "m"), tuple(rules))
    agree(database, database.table(cells, kinds), program, table_of(cells, kinds), kinds)


def test_because_is_a_sentence_with_the_values_of_the_record(database):
    """The sentence names the record's values, the exceptions, and what decides where no rule does."""
    rule = Rule(
        "high", (Literal("n", "<=", 30.0), Literal("t", "!=", "Oslo")), (Rule(None, (Literal("m", "==", "x"),)),)
    )
    program = Program("risk", FEATURES, (rule,), "low")
    name = database.table({"n": [25.5, 25.5, 99.0], "t": ["Rome", None, "Rome"], "m": [None] * 3}, KINDS)
    sentence = to_sql(program, database.dialect, "because")
    assert database.select(sentence, name) == [
        "risk high, because n is 25.5, at most 30 and t is Rome, not 'Oslo', and not (m is 'x')",
        "risk high, because n is 25.5, at most 30 and t is missing, not 'Oslo', and not (m is 'x')",
        "risk low, because no rule applies",
    ]
    undecided = Program("risk", FEATURES, (rule, Rule("always", ())))
    assert (
        database.select(to_sql(undecided, database.dialect, "because"), name)[2]
        == "risk always, because it is the default"
    )
    undecided = Program("risk", FEATURES, (rule,))
    assert (
        database.select(to_sql(undecided, database.dialect, "because"), name)[2]
        == "risk is not decided: no rule applies"
    )


def test_because_of_a_range(database):
    """Both bounds of a number are told together, also in an exception."""
    bounds = [Literal("n", op, number) for op, number in ((">", 20), ("<=", 30), (">", 10))]
    inner = Rule(None, (Literal("n", ">", 26), Literal("n", "<=", 28)))
    program = Program(
        "risk", ("n", "t"), (Rule("high", (bounds[0], Literal("t", "==", "Oslo"), *bounds[1:]), (inner,)),)
    )
    name = database.table({"n": [25.5], "t": ["Oslo"]}, {"n": "number", "t": "text"})
    (sentence,) = database.select(to_sql(program, database.dialect, "because"), name)
    assert sentence == (
        "risk high, because n is 25.5, above 20 and at most 30 and t is 'Oslo', and not (n is above 26 and at most 28)"
    )


def test_because_of_many_literals(database):
    """A sentence of hundreds of values is still one expression."""
    rule = Rule("x", tuple(Literal("t", "!=", f"c{number}") for number in range(300)))
    name = database.table({"t": ["a"]}, {"t": "text"})
    (sentence,) = database.select(to_sql(Program("y", ("t",), (rule,)), database.dialect, "because"), name)
    assert sentence.count("t is a, not ") == 300


@needs_shared
@needs_compiled
@pytest.mark.parametrize("name", ["anneal", "wine", "credit-a", "yeast", "kidney", "heart", "ecoli"])
def test_learned_programs(database, name):
    """What is learned from the paper's data decides every record as `predict` does."""
    table = SHARED.table(name)
    kinds = {
        column.name: "mixed" if column.categories and len(column.numbers) else "text" if column.categories else "number"
        for column in table.columns
    }
    rows = [table.record(row) for row in range(len(table))]
    cells = {
        feature: [
            repr(row[feature]) if kind == "mixed" and isinstance(row[feature], float) else row[feature] for row in rows
        ]
        for feature, kind in kinds.items()
    }
    stored = database.table(cells, kinds)
    for program in (unless.fold_rm(table), unless.fold_rm(table, ratio=0.0)):
        agree(database, stored, program, table, kinds)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(program=programs())
@settings(max_examples=15, deadline=None)
def test_every_dialect_parses(dialect, program):
    """The expression parses in its dialect, as an expression over the columns of the program and nothing else."""
    for what in ("label", "rule", "because"):
        tree = sqlglot.parse_one(to_sql(program, dialect, what, columns=KINDS), dialect=dialect)
        assert not list(tree.find_all(exp.Command, exp.DDL, exp.Query))
        assert {column.name for column in tree.find_all(exp.Column)} <= set(program.used)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", [text for text in CELLS["t"] if text is not None])
def test_every_dialect_quotes_any_text(dialect, text):
    """A text is one token again when the dialect's own tokenizer reads it, as a label, a value and a name."""
    sql = to_sql(Program("y", (), (), text), dialect)
    tree = sqlglot.parse_one(sql, dialect=dialect)
    if not isinstance(tree, exp.Cast | exp.Func):  # spelled by its bytes
        assert isinstance(tree, exp.Literal | exp.National)
        assert tree.name == text
    has_name = DIALECTS[dialect].has_name(text)
    if has_name and text.strip() and not (dialect == "bigquery" and "." in text):  # a name of BigQuery has no dot
        tree = sqlglot.parse_one(
            to_sql(Program("y", (text,), (Rule("x", (Literal(text, "missing"),)),)), dialect), dialect=dialect
        )
        assert [column.name for column in tree.find_all(exp.Column)] == [text]


def test_text_is_compared_byte_by_byte_where_collations_are_loose():
    """MySQL and SQL Server ignore case and spaces at the end, unless bytes are compared."""
    program = Program("y", ("t",), (Rule("x", (Literal("t", "==", "a"),)), Rule("z", (Literal("t", "==", "é"),))))
    mysql, tsql = to_sql(program, "mysql"), to_sql(program, "tsql")
    assert "CAST(CAST(`t` AS CHAR CHARACTER SET utf8mb4) AS BINARY) = 'a'" in mysql
    assert "AS BINARY) = x'c3a9'" in mysql
    assert "CAST(CAST([t] AS NVARCHAR(MAX)) AS VARBINARY(MAX)) = CAST(N'a' AS VARBINARY(MAX))" in tsql


def test_kinds_are_inferred_from_literals():
    """Numbers and texts on one feature make it mixed; only True and False make it boolean; what is given wins."""
    rules = (Rule("x", (Literal("m", ">", 1.0), Literal("m", "!=", "a"), Literal("b", "==", "True"))),)
    sql = to_sql(Program("y", ("m", "b"), rules))
    assert "REGEXP_FULL_MATCH" in sql
    assert '"b" = TRUE' in sql
    sql = to_sql(Program("y", ("m", "b"), rules), columns={"m": "number", "b": "text"})
    wanted = """CASE WHEN "m" > 1.0E0 AND NOT "m" = CAST('NaN' AS DOUBLE) AND "b" = 'True' """
    assert " ".join(sql.split("THEN")[0].split()) == wanted.strip()


def test_a_model_knows_its_kinds():
    """A fitted classifier knows the kinds of the columns that it was fitted on."""
    program = Program("y", ("m",), (Rule("x", (Literal("m", ">", 1.0),)),))
    model = model_of_program(program, schema=Schema({"m": "mixed"}))
    assert to_sql(model) == to_sql(program) == to_sql(program, columns={"m": "mixed"})
    model = model_of_program(program, schema=Schema({"m": "number"}, typed=frozenset({"m"})))
    assert to_sql(model) == to_sql(program, columns={"m": "number"}) != to_sql(program)


def test_constant_programs(database, grid):
    """No rules, a rule that always holds, rules that never hold."""
    never = Rule("never", (Literal("t", ">", 1.0),))
    for rules, otherwise, wanted in [
        ((), None, None),
        ((), "z", "z"),
        ((Rule("x"), Rule("z")), "z", "x"),
        ((never, Rule("x")), None, "x"),
        ((never,), None, None),
    ]:
        sql = to_sql(Program("y", FEATURES, rules, otherwise), database.dialect, columns=KINDS)
        assert set(database.select(sql, grid)) == {wanted}


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (ParameterError, "no dialect 'postgresql'; did you mean 'postgres'", {"dialect": "postgresql"}),
        (ParameterError, "no SQL for 'labels'; did you mean 'label'", {"what": "labels"}),
        (UnknownNameError, "columns= names 'nn', which is not a feature", {"columns": {"nn": "text"}}),
        (ParameterError, "'n' is 'numbers', which is not a kind; did you mean 'number'", {"columns": {"n": "numbers"}}),
    ],
)
def test_arguments_are_checked(error, message, arguments):
    """An argument that has no meaning is refused, with a suggestion."""
    with pytest.raises(error, match=message):
        to_sql(Program("y", ("n",)), **arguments)


def test_names_that_no_column_can_have():
    """Names that a database cannot hold, or takes for one, are refused."""
    for name in ("", "a\0b", "\ud800"):
        with pytest.raises(ProgramError, match="no column of duckdb can have the name"):
            to_sql(Program("y", (name,), (Rule("x", (Literal(name, "missing"),)),)))
    twins = Program("y", ("Age", "age"), (Rule("x", (Literal("Age", "missing"), Literal("age", "missing"))),))
    with pytest.raises(ProgramError, match="'Age' and 'age' are one column in sqlite; rename one"):
        to_sql(twins, "sqlite")
    assert to_sql(twins, "postgres")
    long = ("n" * 70 + "1", "n" * 70 + "2")
    with pytest.raises(ProgramError, match="are one column in postgres"):
        to_sql(Program("y", long, (Rule("x", (Literal(long[0], "missing"), Literal(long[1], "missing"))),)), "postgres")


def test_labels_that_no_database_can_hold():
    """A label that would come back as another one is refused."""
    for label in (2**63, "\ud800"):
        with pytest.raises(ProgramError, match="cannot hold the label"):
            to_sql(Program("y", (), (), label))
    with pytest.raises(ProgramError, match="mysql cannot hold the label inf"):
        to_sql(Program("y", (), (), math.inf), "mysql")


ANY_TYPE = {
    "duckdb": ["DOUBLE", "FLOAT", "INTEGER", "HUGEINT", "DECIMAL(18, 6)", "VARCHAR"],
    "postgres": ["DOUBLE PRECISION", "REAL", "INTEGER", "NUMERIC", "TEXT", "VARCHAR(900)"],
    "sqlite": ["REAL", "INTEGER", "NUMERIC", "TEXT", ""],
    "mysql": ["DOUBLE", "FLOAT", "INTEGER", "DECIMAL(18, 6)", "TEXT", "VARCHAR(900)"],
    "spark": ["DOUBLE", "FLOAT", "INT", "DECIMAL(18, 6)", "STRING"],
}
"""Types of columns that may hold numbers, or text that spells them."""

FINE = {"DOUBLE", "DOUBLE PRECISION", "REAL", "FLOAT"}


def cells_of(dialect, kind):
    """Cells of a type, and what they mean: text that spells a number is that number, as `read_table` reads it."""
    if kind not in FINE and not kind.startswith(("INT", "HUGE", "DEC", "NUM")):
        cells = held_by(dialect, {"m": [cell for cell in CELLS["m"] if cell is None or len(cell) < 900]})["m"]
        return cells, [meaning("mixed", cell) for cell in cells]
    cells = [1, 0, -3, 30, 12, None]
    if not kind.startswith(("INT", "HUGE")):
        cells += [0.5, 0.1, -2.25]
    if kind in FINE:
        cells += held_by(dialect, {"n": [2.0**20, 1e30, *CELLS["n"][-5:-1]]})["n"]
        single = kind == "FLOAT" or (kind == "REAL" and dialect == "postgres")
        cells = [cell for cell in cells if not (single and isinstance(cell, float) and 1e38 < abs(cell) < math.inf)]
        return cells, [float(np.float32(cell)) if single and cell is not None else cell for cell in cells]
    return cells, cells


def any_type_agrees(database, kind):
    """A bare program decides a column of the type as `Program.label` does: each literal, alone and negated."""
    cells, meant = cells_of(database.dialect, kind)
    if database.dialect == "spark":  # which takes cells of the type of the column only
        cells = [cell if cell is None else Decimal(str(cell)) if kind[:3] == "DEC" else cell for cell in cells]
        cells = [float(cell) if kind in FINE and cell is not None else cell for cell in cells]
    name = database.table({"n": cells}, {"n": kind})
    bounds = [0.0, 0.1, float(np.float32(0.1)), 0.46, 30.0, 29.999999999999996, -2.25, 1e300, math.inf, -math.inf]
    literals = [Literal("n", op, bound) for bound in bounds for op in ("<=", ">")]
    number = Literal("n", "<=", 12.0)  # else the column would be one of text
    texts = [Literal("n", op, text) for op in ("==", "!=") for text in ("a", "3", "nan", "inf", "Infinity", "never")]
    rules = [(Rule("x", (literal,)), Rule("z", (), (Rule(None, (literal,)),))) for literal in literals]
    rules += [(Rule("y", (one, number)), Rule("x", (one,)), Rule("z", (), (Rule(None, (one,)),))) for one in texts]
    rules += [(Rule("x", (Literal("n", "missing"),)), Rule("z", (number,)))]
    programs = [Program("y", ("n",), one, "rest") for one in rules]
    wanted = [[program.label({"n": cell}) for cell in meant] for program in programs]
    found = database.select_all([to_sql(program, database.dialect) for program in programs], name)
    for program, own, labels in zip(programs, wanted, found, strict=True):
        assert labels == own, (program, [*zip(cells, labels, own, strict=True)])


def test_a_bare_program_takes_columns_of_any_type(database):
    """Of numbers of every size, or of text that spells some: unless ``columns=`` says that the column is a number."""
    for kind in ANY_TYPE[database.dialect]:
        any_type_agrees(database, kind)


@pytest.mark.filterwarnings("ignore:values that training did not have")
def test_text_in_the_frame_and_in_the_table(database):
    """What was learned from a frame of text decides the same rows as text in a database, which used to refuse them."""
    rows = [{"e": text, "k": kind} for text in (" 0.5", "1e0", "1.0", "3", "12.5", "n/a") for kind in ("a", "b")] * 5
    known = [row for row in rows if row["e"] != "n/a"]
    labels = ["hard" if float(row["e"]) > 1 else "soft" for row in known]
    frame = [{**row, "y": label} for row, label in zip(known, labels, strict=True)]
    program, model = unless.fold_rm(unless.read_table(frame, "y")), unless.UnlessClassifier().fit(known, labels)
    assert any(isinstance(literal.value, float) for rule in program for literal in rule.literals())
    name = database.table({key: [row[key] for row in rows] for key in ("e", "k")}, {"e": "text", "k": "text"})
    for one in (program, model, unless.UnlessCommittee(size=3).fit(known, labels)):
        wanted = unless.predict(one, unless.read_table(rows, like=program)) if one is program else one.predict(rows)
        assert database.select(to_sql(one, database.dialect), name) == list(wanted)
        query = to_query(one, name, database.dialect).rstrip(";\n")
        assert database.select("predicted", f"({query}) AS q") == list(wanted)
    shares = database.select(to_sql(model, database.dialect, "probability"), name)
    np.testing.assert_allclose(shares, model.predict_proba(rows)[:, 1], atol=1e-9)


def test_a_model_casts_unless_training_had_numbers(tmp_path):
    """Also one from a file; what an earlier version wrote does not say what training had."""
    labels = ["a", "b"] * 20
    typed = unless.UnlessClassifier().fit([{"n": float(k % 2)} for k in range(40)], labels)
    texts = unless.UnlessClassifier().fit([{"n": f"{k % 2}.5"} for k in range(40)], labels)
    for model, casts in ((typed, False), (texts, True)):
        model.save(tmp_path / "model.json")
        document = json.loads((tmp_path / "model.json").read_text())
        for one in (model, unless.load(tmp_path / "model.json")):
            assert ("REGEXP_FULL_MATCH" in to_sql(one)) is casts
        assert "REGEXP_FULL_MATCH" not in to_sql(model, columns={"n": "number"})
        document["columns"].pop("typed", None)
        (tmp_path / "model.json").write_text(json.dumps(document))
        assert "REGEXP_FULL_MATCH" in to_sql(unless.load(tmp_path / "model.json"))
