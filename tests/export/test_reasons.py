"""Reasons in SQL, Python and JavaScript: the codes that Python's reasons have."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

import unless
from tests.export.test_code import NOTED, RECORDS, python, table_for
from tests.export.test_sql import columns_of, grid_of
from tests.strategies import KINDS, chain, noted_programs, programs
from unless import Literal, Program, Rule, UnlessCommittee, read_table
from unless.errors import ParameterError
from unless.explanation import reasons
from unless.export import to_javascript, to_python, to_query, to_sql
from unless.rule.reason_words import ANY, Reason, ReasonWords

SHARED = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
FEW = settings(SHARED, max_examples=25)
WORDS = ReasonWords({name: {ANY: Reason(f"it's \\ {name}\u2028", f"</script>'{name}\n")} for name in "ntmb"})


def codes(program, table, words=None, most=4):
    """The codes that Python gives."""
    return [[one.code for one in row] for row in reasons(program, table, words, most)]


@given(program=programs())
@SHARED
def test_python_gives_the_same_codes(program):
    """Whatever the program and the cells, also if codes are shared and hostile."""
    assert list(map(python(program, what="reasons"), RECORDS)) == codes(program, table_for(program))
    found = list(map(python(program, what="reasons", words=WORDS, most=2), RECORDS))
    assert found == codes(program, table_for(program), WORDS, 2)


@given(program=programs())
@SHARED
def test_javascript_gives_the_same_codes(node, program):
    """The same in Node."""
    assert node.run(to_javascript(program, what="reasons"), RECORDS) == codes(program, table_for(program))
    source = to_javascript(program, what="reasons", words=WORDS, most=2)
    assert source.isascii()
    assert node.run(source, RECORDS) == codes(program, table_for(program), WORDS, 2)


@given(program=noted_programs())
@FEW
def test_dates_times_durations_and_orders(node, program):
    """Texts of dates have the same reasons in Python and JavaScript."""
    rows = NOTED["text"]
    wanted = codes(program, read_table(rows, like=program))
    assert list(map(python(program, what="reasons"), rows)) == wanted
    assert node.run(to_javascript(program, what="reasons"), rows) == wanted


@pytest.fixture(scope="session")
def reason_grid(database):
    """The name of a table of the chosen cells."""
    return database.table(columns_of(database.dialect), KINDS)


def selected(database, table, program, words=None, most=4):
    """The codes and the texts that a query gives, row by row."""
    query = to_query(program, table, database.dialect, ["label", "reasons"], KINDS, words=words, most=most)
    source = f"({query.rstrip().removesuffix(';')}) AS reasoned"
    names = [f"reason_{place}{end}" for end in ("", "_text") for place in range(1, most + 1)]
    columns = database.select_all(names, source)
    rows = [[one for one in row if one is not None] for row in zip(*columns, strict=True)]
    return [(row[: len(row) // 2], row[len(row) // 2 :]) for row in rows]


@given(program=programs())
@FEW
def test_databases_give_the_same_codes(database, reason_grid, program):
    """Each database gives the codes and the texts of Python."""
    table = grid_of(database.dialect)
    for words, most in ((None, 4), (WORDS, 3)):
        found = reasons(program, table, words, most)
        wanted = [([one.code for one in row], [one.text for one in row]) for row in found]
        assert selected(database, reason_grid, program, words, most) == wanted


def test_models_read_cells_as_in_training(node):
    """The function of a model gives the reasons that its classifier gives for the same records."""
    X = [{"age": str(age), "smokes": smokes} for age in range(20, 60) for smokes in ("yes", "no", "")]
    y = ["risk" if row["smokes"] == "yes" and int(row["age"]) > 40 else "fine" for row in X]
    model = unless.UnlessClassifier().fit([{**row, "age": int(row["age"])} for row in X], y)
    rows = [{"age": age, "smokes": smokes} for age in (30, 50.5, None) for smokes in ("yes", "no", None)]
    wanted = codes(model, rows)
    assert list(map(python(model, what="reasons"), rows)) == wanted
    assert node.run(to_javascript(model, what="reasons"), rows) == wanted


LIST = Program("y", ("n",), (Rule("a", (Literal("n", ">", 3.0),)),), "b")


def test_refusals():
    """What cannot be written is refused, with what to do instead."""
    with pytest.raises(ParameterError, match="to_query has a column for each"):
        to_sql(LIST, what="reasons")
    with pytest.raises(ParameterError, match="write two"):
        to_query(LIST, "x", what=["probability", "reasons"])
    with pytest.raises(ParameterError, match="at most 8 reasons, not 9"):
        to_query(LIST, "x", what="reasons", most=9)
    with pytest.raises(ParameterError, match="no wording for n is"):
        to_python(LIST, what="reasons", words=ReasonWords())
    with pytest.raises(ParameterError, match="words are for what='reasons'"):
        to_python(LIST, words=WORDS)
    with pytest.raises(ParameterError, match="nest 40 deep"):
        to_javascript(Program("y", ("n", "t"), (chain(40),)), what="reasons")
    committee = UnlessCommittee(size=3, warn=False).fit([{"n": n} for n in range(40)], [n > 20 for n in range(40)])
    for write in (to_python, to_javascript):
        with pytest.raises(ParameterError, match="no single rule decides"):
            write(committee, what="reasons")


def test_new_columns_have_free_names():
    """A feature called reason_1 stays as it is."""
    program = Program("y", ("reason_1",), (Rule("a", (Literal("reason_1", ">", 3.0),)),), "b")
    assert " AS reason_1_2" in to_query(program, "x", what="reasons")
