"""A committee in SQL, Python and JavaScript gives what the committee gives, record by record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.strategies import (
    CELLS,
    FEATURES,
    KINDS,
    NOTED_TEXTS,
    chain,
    held_by,
    meaning,
    noted_programs,
    programs,
    records,
)
from unless import read_table
from unless.errors import ParameterError
from unless.export import to_javascript, to_python, to_sql
from unless.export.sql_query import to_query
from unless.model.points import probabilities_of
from unless.model.prediction import deciding_rules
from unless.rule import Literal, Program, Rule
from unless.score.committee import Committee, labels_from_sums
from unless.table import Column, Table

COLUMNS = records(120)


def table_of(columns, kinds):
    """Columns of cells as a table of unless."""
    read = {name: [meaning(kinds[name], cell) for cell in cells] for name, cells in columns.items()}
    return Table(tuple(Column.of(*column) for column in read.items()))


TABLE = table_of(COLUMNS, KINDS)
RECORDS = [
    {name: meaning(KINDS[name], cell) for name, cell in zip(COLUMNS, row, strict=True)}
    for row in zip(*COLUMNS.values(), strict=True)
]


@st.composite
def committees(draw, some=programs(), features=FEATURES):  # noqa: B008 - a strategy is a value
    """Committees of lists with any labels and cells; small points make ties."""
    drawn = draw(st.lists(some, max_size=3))
    labels = {label for program in drawn for label in program.labels}
    kinds = {type(label) for label in labels}
    classes = tuple(sorted(labels)) if len(kinds) == 1 and len(labels) > 1 else ("it's", "x\n</script>", "\\")
    lists = []
    for program in drawn:
        rules = [replace(rule, head=classes[k % len(classes)]) for k, rule in enumerate(program.rules)]
        lists.append(Program("y", features, (*rules, Rule(classes[0]))))
    point = st.integers(-2, 2) | st.integers(-4000, 4000)
    points = [np.array([[draw(point) for _ in classes] for _ in program.rules]) for program in lists]
    base = np.array([draw(point) for _ in classes])
    return Committee("y", features, classes, base, tuple(lists), tuple(points))


NOTED = records(100, cells={name: cells for name, cells in NOTED_TEXTS.items() if name in "dsico"})
NOTED_RECORDS = [dict(zip(NOTED, row, strict=True)) for row in zip(*NOTED.values(), strict=True)]


@given(committees(noted_programs(tuple(NOTED)), tuple(NOTED)))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_committees_vote_by_dates_times_and_orders(node, committee):
    """Lists read the cells of a feature alike, whichever of them compares it with dates."""
    wanted = labels_from_sums(committee, committee.sums(read_by(committee, NOTED_RECORDS))).tolist()
    assert python(committee, "label", NOTED_RECORDS) == wanted
    assert node.run(to_javascript(committee), NOTED_RECORDS) == wanted


@pytest.fixture(scope="session")
def noted_grid(database):
    """The name of a table of texts that may be dates and times, and the table as our own."""
    columns = records(100, cells=held_by(database.dialect, {name: NOTED_TEXTS[name] for name in NOTED}))
    kinds = dict.fromkeys(columns, "text")
    return database.table(columns, kinds), table_of(columns, kinds)


@given(committees(noted_programs(tuple(NOTED)), tuple(NOTED)))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_databases_vote_by_dates_times_and_orders(database, noted_grid, committee):
    """The same in SQL."""
    sql = to_sql(committee, database.dialect, columns=dict.fromkeys(NOTED, "text"))
    name, table = noted_grid
    assert database.select(sql, name) == labels_from_sums(committee, committee.sums(table)).tolist()


def read_by(committee, rows):
    """Records as the rules of a committee read them."""
    return read_table(rows, like=committee.all_rules, features=committee.used or committee.features[:1])


def python(committee, returns, rows=RECORDS):
    """What the exported function gives."""
    names: dict = {}
    exec(compile(to_python(committee, what=returns), "exported", "exec"), names)
    return [names["classify"](record) for record in rows]


@given(committees())
@settings(max_examples=60, deadline=None)
def test_python_votes_as_the_committee(committee):
    """Labels and points are equal, and probabilities nearly to the last bit."""
    sums = committee.sums(read_by(committee, RECORDS))
    assert python(committee, "points") == [dict(zip(committee.classes, row, strict=True)) for row in sums.tolist()]
    assert python(committee, "label") == labels_from_sums(committee, sums).tolist()
    shares = [[row[label] for label in committee.classes] for row in python(committee, "probability")]
    assert np.allclose(shares, probabilities_of(sums), rtol=1e-12, atol=0)


@given(committees())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_javascript_votes_as_the_committee(node, committee):
    """Labels and points are equal, and probabilities nearly to the last bit."""
    sums = committee.sums(read_by(committee, RECORDS))
    points = [[(one["label"], one["points"]) for one in row] for row in _each(node, committee, "points")]
    assert points == [list(zip(committee.classes, row, strict=True)) for row in sums.tolist()]
    assert node.run(to_javascript(committee), RECORDS) == labels_from_sums(committee, sums).tolist()
    shares = [[one["probability"] for one in row] for row in _each(node, committee, "probability")]
    assert np.allclose(shares, probabilities_of(sums), rtol=1e-12, atol=0)


def _each(node, committee, returns):
    return node.run(to_javascript(committee, what=returns), RECORDS)


@pytest.fixture(scope="session")
def grid(database):
    """The name of a table of the chosen cells, and the table as our own."""
    columns = records(120, cells=held_by(database.dialect, CELLS))
    return database.table(columns, KINDS), table_of(columns, KINDS)


@given(committee=committees())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_databases_vote_as_the_committee(database, grid, committee):
    """Labels, deciding rules and points are the committee's, and probabilities nearly to the last bit."""
    name, table = grid
    sums = committee.sums(table)
    found = database.select(to_sql(committee, database.dialect, columns=KINDS), name)
    assert found == labels_from_sums(committee, sums).tolist()
    query = to_query(committee, name, database.dialect, ["probability"], KINDS)
    rows = sorted(database.execute(query.rstrip().rstrip(";")).fetchall(), key=lambda row: row[0])
    wide, lists = len(committee.classes), len(committee)
    deciding = [deciding_rules(program, table) + 1 for program in committee.lists]
    decided = [row[-2 * wide - 1 - lists : -2 * wide - 1] for row in rows]
    assert decided == list(zip(*deciding, strict=True)) or not lists
    assert [list(row[-2 * wide - 1 : -wide - 1]) for row in rows] == sums.tolist()
    assert [row[-wide - 1] for row in rows] == found
    shares = np.array([row[-wide:] for row in rows], dtype=float)
    assert np.allclose(shares, probabilities_of(sums), rtol=1e-12, atol=0)
    if wide == 2:
        second = database.select(to_sql(committee, database.dialect, "probability", KINDS), name)
        assert np.allclose(np.array(second, dtype=float), shares[:, 1], rtol=1e-12, atol=0)


def test_points_far_apart(database):
    """Points that no learner gives: databases neither overflow nor underflow."""
    most = 2**30
    points = (np.array([[most, -most + 1], [-most + 1, most]]),)
    program = Program("y", ("n",), (Rule("x", (Literal("n", "<=", 1.0),)), Rule("z")))
    committee = Committee("y", ("n",), ("x", "z"), np.zeros(2, np.int64), (program,), points)
    table = database.table({"n": [0.0, 2.0]}, {"n": "number"})
    assert database.select(to_sql(committee, database.dialect, "probability"), table) == [pytest.approx(0), 1.0]


def test_names_of_features_that_look_like_ours(database):
    """A feature may have the name of a column of the subquery, or any other."""
    names = ("list_1", "points_1", "rules", "sums", 'a "quoted" one', "Most_Points")
    rules = (Rule("x", tuple(Literal(name, "<=", 1.0) for name in names)), Rule("z"))
    program = Program("best", names, rules)
    committee = Committee("best", names, ("x", "z"), np.zeros(2), (program,), (np.array([[5, 0], [0, 5]]),))
    table = database.table({name: [0.0, 2.0, None] for name in names}, dict.fromkeys(names, "number"))
    assert database.select(to_sql(committee, database.dialect), table) == ["x", "z", "z"]
    for whats, place in ((None, -1), (["probability"], -3)):
        query = to_query(committee, table, database.dialect, whats)
        assert [row[place] for row in database.execute(query.rstrip().rstrip(";")).fetchall()] == ["x", "z", "z"]


def test_large_committees(database, grid, node):
    """A hundred lists with nested exceptions are fine for every engine."""
    deep = chain(8)
    program = Program("y", FEATURES, (replace(deep, head="x"), Rule("z", (Literal("n", "<=", 1.0),)), Rule("x")))
    points = tuple(np.array([[k, -k], [3 - k, k], [1, 0]]) for k in range(100))
    committee = Committee("y", FEATURES, ("x", "z"), np.zeros(2), (program,) * 100, points)
    wanted = labels_from_sums(committee, committee.sums(TABLE)).tolist()
    assert python(committee, "label") == node.run(to_javascript(committee), RECORDS) == wanted
    name, table = grid
    wanted = labels_from_sums(committee, committee.sums(table)).tolist()
    assert database.select(to_sql(committee, database.dialect, columns=KINDS), name) == wanted


def test_cells_are_numbered_once():
    """Literals on one feature become one comparison of its number, and no threshold is written twice."""
    between = (Literal("n", ">", 1.0), Literal("n", "<=", 3.0), Literal("n", "<=", 9.0))
    others = tuple(Literal("t", "!=", category) for category in "ac")
    rules = (Rule("x", (*between, *others)), Rule("z", (Literal("n", "<=", 3.0),)), Rule("x"))
    program = Program("y", ("n", "t"), rules)
    committee = Committee("y", ("n", "t"), ("x", "z"), np.zeros(2), (program,), (np.zeros((3, 2)),))
    for written in (to_sql(committee, "duckdb"), to_query(committee, "people", "duckdb", ["probability"])):
        found = " ".join(written.split())
        assert "WHEN bin_1 = 1 AND bin_2 >= 2 THEN 1 WHEN bin_1 <= 1 THEN 2 ELSE 3 END" in found
        assert [found.count(f"<= {bound}E0") for bound in ("1.0", "3.0")] == [1, 1]
    query = to_query(committee, "people", "duckdb", ["probability"])
    assert "* EXCLUDE (bin_1, bin_2)" in query


def test_conditions_that_no_cell_or_every_cell_meets(database):
    """A rule whose literals exclude each other covers nothing, and its exceptions cover nothing."""
    never = Rule(None, (Literal("n", "<=", 0.0), Literal("n", "missing")))
    rules = (
        Rule("x", never.default),
        Rule("z", (Literal("n", "present"),), (never,)),
        Rule("x", (), (never,)),
        Rule("z"),
    )
    program = Program("y", ("n",), rules)
    points = np.array([[9, 0], [0, 1], [1, 0], [0, 9]])
    committee = Committee("y", ("n",), ("x", "z"), np.zeros(2), (program,), (points,))
    table = database.table({"n": [0.0, 2.0, None]}, {"n": "number"})
    assert database.select(to_sql(committee, database.dialect), table) == ["z", "z", "x"]


def test_what_a_committee_cannot_return():
    """There is no deciding rule to name."""
    committee = Committee("y", ("n",), ("x", "z"), np.zeros(2), (), ())
    for export in (to_python, to_javascript):
        with pytest.raises(ParameterError, match="cannot return 'rule'"):
            export(committee, what="rule")
    with pytest.raises(ParameterError, match="no SQL for 'because' of a committee"):
        to_sql(committee, what="because")
    with pytest.raises(ParameterError, match="no SQL for 'rule' of a committee"):
        to_query(committee, "people", what=["label", "rule"])
    with pytest.raises(ParameterError, match="there are 3 labels, and one expression is for two"):
        to_sql(replace(committee, classes=("x", "y", "z"), base=np.zeros(3)), what="probability")
