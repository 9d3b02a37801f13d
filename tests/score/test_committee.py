"""A committee adds up the points of the rules that decide a record."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import chain
from tests.unit.test_prediction import rules, values
from unless.errors import ProgramError, UnknownNameError
from unless.rule import Literal, Program, Rule
from unless.score.committee import Committee, labels_from_sums
from unless.table import Column, Table

CLASSES = ("x", "y", "z")


def lists(most=4):
    """Lists that end with a rule for every record."""
    body = st.lists(rules(st.sampled_from(CLASSES)), max_size=most)
    return st.builds(lambda found, last: Program("c", ("f", "g"), (*found, Rule(last))), body, st.sampled_from(CLASSES))


@st.composite
def committees(draw):
    """Committees of a few lists, with any points."""
    found = draw(st.lists(lists(), max_size=4))
    point = st.integers(-5000, 5000)
    points = [np.array([[draw(point) for _ in CLASSES] for _ in program.rules]) for program in found]
    return Committee("c", ("f", "g"), CLASSES, np.array([draw(point) for _ in CLASSES]), tuple(found), tuple(points))


def added_up(committee, record):
    """The points of a record, by the plain definition."""
    total = committee.base.copy()
    for program, points in zip(committee.lists, committee.points, strict=True):
        total = total + points[program.decides(record)]
    return total.tolist()


@given(committees(), st.lists(st.tuples(values, values), max_size=20))
@settings(max_examples=300, deadline=None)
def test_sums_are_those_of_the_deciding_rules(committee, cells):
    """The kernel adds what the first rule that covers a record gives, in every list."""
    table = Table(tuple(Column.of(name, [row[i] for row in cells]) for i, name in enumerate("fg")), rows=len(cells))
    sums = committee.sums(table)
    assert sums.tolist() == [added_up(committee, table.record(row)) for row in range(len(table))]
    labels = [CLASSES[row.index(max(row))] for row in sums.tolist()]
    assert labels_from_sums(committee, sums).tolist() == labels


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 4097, 50_000])
@pytest.mark.parametrize("count", [3, 300])
def test_long_lists_and_many_rows(rows, count):
    """Long lists, and blocks and words that are not full, are added up too, with any number of threads."""
    cells = np.random.default_rng(0).integers(0, count + 2, rows).astype(float)
    table = Table((Column.of("n", cells),))
    program = Program("c", ("n",), (*(Rule("x", (Literal("n", "<=", float(k)),)) for k in range(count)), Rule("x")))
    points = np.arange(count + 1)[:, None] * [1, -3]
    committee = Committee("c", ("n",), ("x", "y"), np.array([7, 0]), (program,) * 2, (points,) * 2)
    decided = np.minimum(cells, count)
    wanted = np.column_stack([7 + 2 * decided, -6 * decided]).astype(int)
    for threads in (1, 2, 5):
        assert (committee.sums(table, threads) == wanted).all()


def test_deep_exceptions():
    """Exceptions may nest as deep as in any program."""
    program = Program("c", ("n",), (chain(200), Rule("shallow")))
    committee = Committee("c", ("n",), ("deep", "shallow"), np.zeros(2), (program,), (np.array([[1, 0], [0, 1]]),))
    table = Table((Column.of("n", [float(k) for k in range(-3, 210)]),))
    assert committee.sums(table).tolist() == [added_up(committee, table.record(row)) for row in range(len(table))]


def test_what_is_wrong_is_said():
    """A committee refuses lists that leave records open, points of another shape, unknown labels, sums too large."""
    program = Program("c", ("n",), (Rule("x", (Literal("n", "<=", 1.0),)), Rule("y")))
    committee = Committee("c", ("n",), ("x", "y"), np.zeros(2), (program,), (np.zeros((2, 2)),))
    assert committee == replace(committee) != replace(committee, base=np.ones(2))
    assert committee.first(0).lists == ()
    for wrong, said in (
        ({"lists": (replace(program, rules=program.rules[:1]),)}, "covers every record"),
        ({"points": (np.zeros((3, 2)),)}, "shape"),
        ({"classes": ("x", "z")}, "'y', which is not a class"),
        ({"points": (np.full((2, 2), 2**31),)}, "make them smaller"),
        ({"points": ()}, "each has its own"),
        ({"features": ("m",)}, "other features"),
    ):
        with pytest.raises(ProgramError, match=said):
            replace(committee, **wrong)
    with pytest.raises(UnknownNameError, match="'n', which the table lacks"):
        committee.sums(Table((Column.of("m", [1.0]),)))


def test_what_kernels_cannot_do_is_refused_before():
    """Without lists nothing is added, whatever the columns; a tested column that is not there has a name."""
    few = Program("c", ("n", "m"), (Rule("x", (Literal("n", "<=", 1.0), Literal("m", ">", 2.0))), Rule("y")))
    committee = Committee("c", ("n", "m"), ("x", "y"), np.array([3, 4]), (few,), (np.eye(2, dtype=int),))
    column = Column.of("n", np.arange(5000.0))
    assert (committee.first(0).sums(Table((column,))) == [3, 4]).all()
    with pytest.raises(UnknownNameError, match="'m'"):
        committee.sums(Table((column,)))
    table = Table((column, Column.of("m", np.arange(5000.0))))
    before = pickle.dumps(committee)
    committee.sums(table)
    assert pickle.dumps(committee) == before
    assert pickle.loads(before) == committee
    with pytest.raises(ProgramError, match="make them smaller"):
        replace(committee, base=np.array([-(2**63), 5]))
