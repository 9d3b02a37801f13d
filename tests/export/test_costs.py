"""Models that decide by points or costs: every language gives the label that `decide` gives."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.engines import graphs
from tests.export.test_code import FEATURES, RECORDS, python
from tests.export.test_committee import committees
from tests.export.test_sql import columns_of, table_of
from tests.models import model_of_program
from tests.strategies import KINDS, card_of, programs
from unless import Literal, Program, Rule, UnlessClassifier, predict, read_table
from unless.errors import ParameterError, ProgramError
from unless.export import to_javascript, to_onnx, to_python, to_query, to_spark, to_sql
from unless.model.costs import Costs
from unless.model.points import probabilities_of
from unless.model.prediction import decide
from unless.score.score_decider import ScoreDecider
from unless.table import Schema

AMOUNTS = [float(3 * row % 17) - 4 for row in range(200)]
PAID = [{**record, "paid £": amount} for record, amount in zip(RECORDS, AMOUNTS, strict=False)]
NUMBERS = st.sampled_from([-2.0, -0.5, 0.0, 0.1, 0.3, 1.0, 5.0, 20.0])
PRICES = NUMBERS | st.just("paid £")
HEALTHY = [HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much]


@st.composite
def deciders(draw, amounts=PRICES, columns=("paid £",), labels=(2, 4)):
    """Score cards and committees with any costs, ways to decide and prices of rejecting."""
    by = draw(st.sampled_from(["costs", "score", "rules"]))
    if by == "rules" or draw(st.booleans()):
        program = draw(programs())
        own = Program(program.target, (*program.features, *columns), program.rules, program.otherwise)
        score = card_of(own, draw(st.integers(*labels)), draw(st.integers(0, 5)))
        assume(labels[0] <= len(score.classes) <= labels[1])
    else:
        found = draw(committees())
        features = (*found.features, *columns)
        score = replace(found, features=features, lists=tuple(replace(one, features=features) for one in found.lists))
    pairs = product(score.classes, repeat=2)
    costs = Costs.of({pair: draw(amounts) for pair in pairs}, score.classes)
    return ScoreDecider(score, by, costs, draw(st.sampled_from([None, 0.07, 0.61])))


def read(decider):
    """The records as the rules of a decider read them."""
    return read_table(PAID, like=decider.all_rules, features=decider.used or decider.features[:1])


def points_of(decider, table):
    """The points of each label by row."""
    return decide(decider, table).points


@given(decider=deciders())
@settings(max_examples=40, deadline=None, suppress_health_check=HEALTHY)
def test_python_decides_alike(decider):
    """Labels, points, probabilities and expected costs, with amounts and without."""
    table = read(decider)
    assert list(map(python(decider), PAID)) == predict(decider, table).tolist()
    points = points_of(decider, table)
    assert [list(one.values()) for one in map(python(decider, what="points"), PAID)] == points.tolist()
    shares = [list(one.values()) for one in map(python(decider, what="probability"), PAID)]
    np.testing.assert_allclose(shares, probabilities_of(points), rtol=0, atol=1e-12)
    costs = [list(one.values()) for one in map(python(decider, what="costs"), PAID)]
    wanted = decider.expected_costs(table)[:, : len(decider.classes)]
    np.testing.assert_allclose(costs, wanted, rtol=1e-12, atol=1e-12)


@given(decider=deciders())
@settings(max_examples=40, deadline=None, suppress_health_check=HEALTHY)
def test_javascript_decides_alike(node, decider):
    """Labels and expected costs, with amounts and without."""
    table = read(decider)
    assert node.run(to_javascript(decider), PAID) == predict(decider, table).tolist()
    found = [[one["cost"] for one in row] for row in node.run(to_javascript(decider, what="costs"), PAID)]
    wanted = decider.expected_costs(table)[:, : len(decider.classes)]
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.fixture(scope="session")
def paid(database):
    """The chosen cells with an amount for every row, in a database and as a table."""
    columns = columns_of(database.dialect)
    amounts = AMOUNTS[: len(next(iter(columns.values())))]
    kinds = {**KINDS, "paid £": "number"}
    cells = {**columns, "paid £": amounts}
    return database.table(cells, kinds), table_of(cells, kinds), kinds


@given(decider=deciders())
@settings(max_examples=15, deadline=None, suppress_health_check=HEALTHY)
def test_databases_decide_alike(database, paid, decider):
    """One expression gives the label, or is refused where a database cannot compute several steps in one."""
    name, table, kinds = paid
    kinds = {one: kinds[one] for one in FEATURES}
    if database.dialect == "mysql" and decider.thresholds is None:
        with pytest.raises(ParameterError, match="several steps"):
            to_sql(decider, database.dialect, columns=kinds)
        return
    sql = to_sql(decider, database.dialect, columns=kinds)
    found = database.select(sql, name)
    wanted = predict(decider, table).tolist()
    if database.dialect in {"sqlite", "mysql"}:  # which have no booleans
        found, wanted = ([None if one is None else one + 0 if isinstance(one, bool) else one for one in own]
                         for own in (found, wanted))  # fmt: skip
    assert found == wanted


def test_a_query_has_the_points_of_each_label(database, paid):
    """Points and probabilities are those of the decider, without the points that the list adds for its own label."""
    name, table, kinds = paid
    program = Program("y", (*FEATURES, "paid £"), (Rule("a", (Literal("n", ">", 1.0),)), Rule("b")))
    card = card_of(program, 2)
    decider = ScoreDecider(card, "costs", Costs.of({("a", "b"): 3}, card.classes), 0.4)
    query = to_query(decider, name, database.dialect, ["probability"], {"n": kinds["n"]})
    done = database.execute(query.rstrip(";\n") + " ORDER BY row_place")
    names = [one[0] for one in done.description]
    rows = [dict(zip(names, row, strict=True)) for row in done.fetchall()]
    assert [row["predicted"] for row in rows] == predict(decider, table).tolist()
    points = points_of(decider, table)
    assert [[row["points_a"], row["points_b"]] for row in rows] == points.tolist()
    shares = [[row["probability_a"], row["probability_b"]] for row in rows]
    np.testing.assert_allclose(shares, probabilities_of(points), rtol=0, atol=1e-9)


@given(decider=deciders(NUMBERS, columns=()))
@settings(max_examples=40, deadline=None, suppress_health_check=HEALTHY)
def test_onnx_decides_alike(decider):
    """A rejected record has an empty text or NaN as its label; other types of labels cannot say that."""
    table = read(decider)
    wanted = predict(decider, table).tolist()
    with graphs() as run:
        if None in decider.heads and ("" in decider.classes or not isinstance(decider.classes[0], str | float)):
            with pytest.raises(ProgramError, match="without a label"):
                run(decider, table)
            return
        found = run(decider, table)
    labels = [None if one == "" or one != one else one for one in found["label"].tolist()]  # noqa: PLR0124 - NaN
    assert labels == wanted
    np.testing.assert_allclose(found["probabilities"], probabilities_of(points_of(decider, table)), rtol=0, atol=1e-9)


def test_amounts_are_needed(node):
    """A record without an amount is an error in Python and JavaScript, as in `predict`, and NULL in SQL."""
    program = Program("y", ("n", "paid"), (Rule("a", (Literal("n", ">", 1.0),)), Rule("b")))
    card = card_of(program, 2)
    decider = ScoreDecider(card, "costs", Costs.of({("a", "b"): "paid", ("b", "a"): 1}, card.classes))
    for cell in (None, "x", math.inf):
        with pytest.raises(ValueError, match="costs need a number in the column 'paid'"):
            python(decider)({"n": 2, "paid": cell})
    assert python(decider)({"n": 2, "paid": " 7"}) == python(decider)({"n": 2, "paid": 7})
    with pytest.raises(AssertionError, match="costs need a number"):
        node.run(to_javascript(decider), [{"n": 2}])
    with pytest.raises(ParameterError, match="amounts cannot be written as ONNX"):
        to_onnx(decider)


def test_a_missing_amount_has_no_label_in_sql(database):
    """NULL is compared with nothing."""
    program = Program("y", ("n", "paid"), (Rule("a", (Literal("n", ">", 1.0),)), Rule("b")))
    card = card_of(program, 2)
    decider = ScoreDecider(card, "costs", Costs.of({("a", "b"): "paid", ("b", "a"): 1}, card.classes))
    name = database.table({"n": [2.0, 2.0], "paid": [None, 5.0]}, {"n": "number", "paid": "number"})
    if database.dialect == "mysql":
        with pytest.raises(ParameterError, match="several steps"):
            to_sql(decider, database.dialect)
        return
    first, second = database.select(to_sql(decider, database.dialect), name)
    assert first is None
    assert second in {"a", "b"}


def test_what_these_models_cannot_return():
    """No single rule decides, and costs are known only to a model that has them."""
    X = [{"x": value} for value in range(60)]
    y = ["high" if value % 30 > 20 else "low" for value in range(60)]
    model = UnlessClassifier(costs={("high", "low"): 3}, warn=False).fit(X, y)
    for call in (lambda: to_python(model, what="rule"), lambda: to_javascript(model, what="both")):
        with pytest.raises(ParameterError, match="the function of a list that decides by costs cannot return"):
            call()
    with pytest.raises(ParameterError, match="points decide"):
        to_sql(model, what="because")
    with pytest.raises(ParameterError, match="cannot return 'costs'"):
        to_python(model.program_, what="costs")
    with pytest.raises(ParameterError, match="predict_spark"):
        to_spark(model, None)


def test_a_fitted_model_reads_cells_as_in_training(node):
    """Amounts too: text that spells a number, where training had numbers."""
    X = [{"x": value % 30, "paid": value % 7 + 1} for value in range(300)]
    y = ["high" if row["x"] > 20 and row["paid"] > 1 else "low" for row in X]
    model = UnlessClassifier(costs={("high", "low"): "paid", ("low", "high"): 2}, warn=False).fit(X, y)
    rows = [{"x": str(row["x"]), "paid": str(row["paid"])} for row in X]
    wanted = model.predict(X).tolist()
    assert model.predict(rows).tolist() == wanted
    assert list(map(python(model), rows)) == wanted
    assert node.run(to_javascript(model), rows) == wanted
    assert model.model_.schema != Schema({})
    assert model_of_program(model.program_).costs is None


def test_a_special_code_is_no_amount(database):
    """`predict` rejects it, and in SQL the label is NULL, as it is without an amount."""
    X = [{"x": float(place % 9), "paid": float(place)} for place in range(90)]
    y = ["b" if place % 9 > 4 else "a" for place in range(90)]
    costs = {("b", "a"): "paid", ("a", "b"): 30}
    model = UnlessClassifier(costs=costs, special={"paid": {-1: "unknown"}}, warn=False).fit(X, y)
    if database.dialect == "mysql":
        return
    name = database.table({"x": [7.0, 7.0], "paid": [-1.0, 50.0]}, {"x": "number", "paid": "number"})
    assert database.select(to_sql(model, database.dialect), name) == [None, "b"]
    with pytest.raises(ValueError, match="costs need a number"):
        model.predict([{"x": 7.0, "paid": -1.0}])
