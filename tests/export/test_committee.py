"""A committee in SQL, Python and JavaScript gives what the committee gives, record by record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.strategies import FEATURES, KINDS, chain, meaning, programs, records
from unless.errors import ParameterError
from unless.export import to_javascript, to_python, to_sql
from unless.export.query import to_query
from unless.rule import Literal, Program, Rule
from unless.score.committee import Committee, predicted
from unless.score.points import probabilities_of
from unless.table import Column, Table

COLUMNS = records(120)
RECORDS = [
    {name: meaning(KINDS[name], cell) for name, cell in zip(COLUMNS, row, strict=True)}
    for row in zip(*COLUMNS.values(), strict=True)
]
TABLE = Table(tuple(Column.of(name, [record[name] for record in RECORDS]) for name in FEATURES))


@st.composite
def committees(draw):
    """Committees of lists with any labels and cells; small points make ties."""
    drawn = draw(st.lists(programs(), max_size=3))
    labels = {label for program in drawn for label in program.labels}
    kinds = {type(label) for label in labels}
    classes = tuple(sorted(labels)) if len(kinds) == 1 and len(labels) > 1 else ("it's", "x\n</script>", "\\")
    lists = []
    for program in drawn:
        rules = [replace(rule, head=classes[k % len(classes)]) for k, rule in enumerate(program.rules)]
        lists.append(Program("y", FEATURES, (*rules, Rule(classes[0]))))
    point = st.integers(-2, 2) | st.integers(-4000, 4000)
    points = [np.array([[draw(point) for _ in classes] for _ in program.rules]) for program in lists]
    base = np.array([draw(point) for _ in classes])
    return Committee("y", FEATURES, classes, base, tuple(lists), tuple(points))


def python(committee, returns):
    """The exported function."""
    names: dict = {}
    exec(compile(to_python(committee, returns=returns), "exported", "exec"), names)
    return [names["classify"](record) for record in RECORDS]


@given(committees())
@settings(max_examples=60, deadline=None)
def test_python_votes_as_the_committee(committee):
    """Labels and points are equal, and probabilities nearly to the last bit."""
    sums = committee.sums(TABLE)
    assert python(committee, "points") == sums.tolist()
    assert python(committee, "label") == predicted(committee, sums).tolist()
    assert np.allclose(python(committee, "probability"), probabilities_of(sums), rtol=1e-12, atol=0)


@given(committees())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_javascript_votes_as_the_committee(node, committee):
    """Labels and points are equal, and probabilities nearly to the last bit."""
    sums = committee.sums(TABLE)
    assert node.run(to_javascript(committee, returns="points"), RECORDS) == sums.tolist()
    assert node.run(to_javascript(committee), RECORDS) == predicted(committee, sums).tolist()
    shares = node.run(to_javascript(committee, returns="probability"), RECORDS)
    assert np.allclose(shares, probabilities_of(sums), rtol=1e-12, atol=0)


@given(committee=committees())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_databases_vote_as_the_committee(database, committee):
    """The label is the committee's, and its probability nearly to the last bit."""
    name = _grid(database)
    sums = committee.sums(TABLE)
    found = database.select(to_sql(committee, database.dialect, columns=KINDS), name)
    assert found == predicted(committee, sums).tolist()
    shares = database.select(to_sql(committee, database.dialect, "probability", KINDS), name)
    assert np.allclose(np.array(shares, dtype=float), probabilities_of(sums).max(axis=1), rtol=1e-12, atol=0)


_grids: dict[str, str] = {}


def _grid(database):
    if database.dialect not in _grids:
        _grids[database.dialect] = database.table(COLUMNS, KINDS)
    return _grids[database.dialect]


def test_names_of_features_that_look_like_ours(database):
    """A feature may have the name of a column of the subquery, or any other."""
    names = ("list_1", "points_1", "rules", "sums", 'a "quoted" one', "Most_Points")
    rules = (Rule("x", tuple(Literal(name, "<=", 1.0) for name in names)), Rule("z"))
    program = Program("best", names, rules)
    committee = Committee("best", names, ("x", "z"), np.zeros(2), (program,), (np.array([[5, 0], [0, 5]]),))
    table = database.table({name: [0.0, 2.0, None] for name in names}, dict.fromkeys(names, "number"))
    assert database.select(to_sql(committee, database.dialect), table) == ["x", "z", "z"]
    query = to_query(committee, table, database.dialect)
    assert [row[-2] for row in database.execute(query.rstrip().rstrip(";")).fetchall()] == ["x", "z", "z"]


def test_large_committees(database, node):
    """A hundred lists with nested exceptions are fine for every engine."""
    deep = chain(8)
    program = Program("y", FEATURES, (replace(deep, head="x"), Rule("z", (Literal("n", "<=", 1.0),)), Rule("x")))
    points = tuple(np.array([[k, -k], [3 - k, k], [1, 0]]) for k in range(100))
    committee = Committee("y", FEATURES, ("x", "z"), np.zeros(2), (program,) * 100, points)
    wanted = predicted(committee, committee.sums(TABLE)).tolist()
    assert python(committee, "label") == node.run(to_javascript(committee), RECORDS) == wanted
    assert database.select(to_sql(committee, database.dialect, columns=KINDS), _grid(database)) == wanted


def test_what_a_committee_cannot_return():
    """There is no deciding rule to name."""
    committee = Committee("y", ("n",), ("x", "z"), np.zeros(2), (), ())
    for export in (to_python, to_javascript):
        with pytest.raises(ParameterError, match="cannot return 'rule'"):
            export(committee, returns="rule")
    with pytest.raises(ParameterError, match="no SQL for 'because' of a committee"):
        to_sql(committee, what="because")
