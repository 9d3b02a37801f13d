"""Score cards: the points of parts that hold add up, and the label of the list leads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.strategies import KINDS, card_of, chain, meaning, programs, records
from unless.errors import ProgramError
from unless.model.points import expand_to_all_labels, leading_label_index, probabilities_of
from unless.model.prediction import predict
from unless.rule import Literal, Program, Rule
from unless.score.program_parts import PartReader, program_parts
from unless.score.score_card import MOST_POINTS, ScoreCard
from unless.table import Column, Table

CELLS = {name: [meaning(KINDS[name], cell) for cell in cells] for name, cells in records(40).items()}
TABLE = Table(tuple(Column.of(name, cells) for name, cells in CELLS.items()))


@given(programs(), st.integers(2, 5), st.integers(0, 5))
def test_totals_are_the_sums_of_lines(program, labels, seed):
    """What a table gets at once is what each record gets part by part, by the definition of truth."""
    card = card_of(program, labels, seed)
    totals = card.totals(TABLE)
    for row in range(len(TABLE)):
        assert_array_equal(sum(points for _, points in card.lines(TABLE.record(row))), totals[row])


@given(programs(), st.integers(2, 5), st.integers(0, 5))
def test_the_label_leads(program, labels, seed):
    """The most probable label is the one that the list gives, and alone so."""
    card = card_of(program, labels, seed)
    shares = card.probabilities(TABLE)
    assert shares.sum(axis=1) == pytest.approx(1)
    for row, label in enumerate(predict(program, TABLE)):
        if label is not None:
            assert card.classes[shares[row].argmax()] == label
            assert np.sort(shares[row])[-1] > np.sort(shares[row])[-2]


@given(programs())
def test_truths_of_tables_are_those_of_records(program):
    """Each part holds for a row exactly if it holds for the record."""
    parts = program_parts(program)
    columns = [TABLE.column(name) for name in program.used]
    reader = PartReader(program, parts, columns)
    truths = reader.read([column.codes for column in columns], len(TABLE))
    found = np.zeros((len(parts), len(TABLE)), bool)
    found[truths.deciding, np.arange(len(TABLE))] = True
    found[reader.inner] = truths.inner
    for feature, bins in zip(reader.features, truths.bins, strict=True):
        found[feature.places] = feature.holds[bins].T
    wanted = [[part.holds(program, TABLE.record(row)) for row in range(len(TABLE))] for part in parts]
    assert_array_equal(found, np.array(wanted, dtype=bool).reshape(found.shape))


def test_parts_in_order():
    """Deciding rules, then what is inside each rule, then each literal once; what is always true is no part."""
    one, two, three = Literal("n", "<=", 1.0), Literal("t", "==", "a"), Literal("n", ">", 0.5)
    inner = Rule(None, (two,), (Rule(None, (three,)),))
    program = Program("y", ("n", "t"), (Rule("a", (one,), (inner,)), Rule("b", (two,)), Rule("a")))
    kinds = [(part.kind, part.number, part.literal) for part in program_parts(program)]
    assert kinds == [
        ("decides", 0, None), ("decides", 1, None), ("decides", 2, None),
        ("rule", 0, None), ("default", 0, None), ("exception", 0, None), ("exception", 0, None), ("rule", 1, None),
        ("literal", None, one), ("literal", None, two), ("literal", None, three),
    ]  # fmt: skip


def test_deep_exceptions():
    """Exceptions may nest 200 deep."""
    program = Program("y", ("n",), (Rule("a", chain(200).default, chain(200).exceptions),), "b")
    card = card_of(program, 2)
    table = Table((Column.of("n", [*range(-5, 210), None, "x"]),))
    assert len(card.totals(table)) == len(table)


def test_rows_in_blocks(monkeypatch):
    """Each row has its own points, whatever the blocks."""
    monkeypatch.setattr("unless.score.score_card._BLOCK", 16)
    program = Program("y", ("n",), (Rule("a", (Literal("n", "<=", 40.0),)),), "b")
    card, table = card_of(program, 3), Table((Column.of("n", range(333)),))
    assert_array_equal(card.totals(table), np.vstack([card.totals(table[[row]]) for row in range(333)]))


def test_two_labels_have_one_column():
    """Points for the second label, against the first."""
    assert expand_to_all_labels(np.array([[-7], [7]]), 2).tolist() == [[0, -7], [0, 7]]
    assert leading_label_index(expand_to_all_labels(np.array([[-7], [7]]), 2)).tolist() == [0, 1]
    assert probabilities_of(expand_to_all_labels(np.array([[1000]]), 2)).round(3).tolist() == [[0.269, 0.731]]


@pytest.mark.parametrize(
    ("classes", "base", "points"),
    [
        (("a",), [1], [[1], [1]]),
        (("a", "b"), [1, 2], [[1], [1]]),
        (("a", "b"), [1], [[1]]),
        (("a", "b"), [1.5], [[1], [1]]),
        (("a", "b"), [MOST_POINTS + 1], [[1], [1]]),
    ],
)
def test_a_card_fits_its_program(classes, base, points):
    """Points that are not those of the parts, not whole or too many are refused."""
    program = Program("y", ("n",), (Rule("a", (Literal("n", "<=", 1.0),)),), "b")
    with pytest.raises(ProgramError):
        ScoreCard(program, classes, np.array(base), np.array(points))


def test_many_literals_on_one_feature():
    """More bins than a byte can count are possible."""
    rules = tuple(Rule("a" if k % 3 else "b", (Literal("n", "<=", float(k)),)) for k in range(300))
    card = card_of(Program("y", ("n",), rules, "b"), 2)
    table = Table((Column.of("n", range(-1, 305)),))
    for row in range(0, len(table), 7):
        assert_array_equal(sum(points for _, points in card.lines(table.record(row))), card.totals(table)[row])
