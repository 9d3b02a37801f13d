"""Deciding by points and costs: the definition in plain Python, thresholds, rejecting."""

from __future__ import annotations

import math
import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.strategies import KINDS, card_of, meaning, programs, records
from unless.errors import ParameterError, ReadError, UnknownNameError
from unless.model.costs import WHOLE, Costs, whole_odds
from unless.model.prediction import decide, label_places, predict
from unless.rule import Program
from unless.score.committee import Committee
from unless.score.score_decider import ScoreDecider
from unless.table import Column, Table

CELLS = {name: [meaning(KINDS[name], cell) for cell in cells] for name, cells in records(40).items()}
AMOUNTS = [float(3 * row % 17) - 4 for row in range(40)]
TABLE = Table((*(Column.of(name, cells) for name, cells in CELLS.items()), Column.of("amount", AMOUNTS)))
NUMBERS = st.sampled_from([-2.0, -0.5, 0.0, 0.1, 0.3, 1.0, 5.0, 20.0])


def with_amount(program):
    """The same program for records that have an amount, too."""
    return Program(program.target, (*program.features, "amount"), program.rules, program.otherwise)


def naive_decision(card, record, costs, by, reject):
    """The decision on one record: a label, "reject" or None; in plain Python, from the definition."""
    lines = [points for part, points in card.lines(record) if part is not None]
    total = [int(card.base[k] + sum(int(points[k]) for points in lines)) for k in range(len(card.base))]
    total = [0, *total] if len(card.classes) == 2 else total
    odds = {
        label: round(math.exp((one - max(total)) / 1000) * WHOLE)
        for label, one in zip(card.classes, total, strict=True)
    }
    price = {pair: record["amount"] if amount == "amount" else amount for pair, amount in costs.items()}
    expected = {said: sum(odds[true] * price[true, said] for true in card.classes) / sum(odds.values())
                for said in card.classes}  # fmt: skip
    label = {
        "costs": min(card.classes, key=lambda one: round(expected[one], 9)),
        "score": max(card.classes, key=lambda one: total[card.classes.index(one)]),
        "rules": next((rule.head for rule in card.program.rules if rule.covers(record)), card.program.otherwise),
    }[by]
    if label is not None and reject is not None and expected[label] > reject + 1e-12:
        return "reject"
    return label


@given(
    programs(), st.integers(2, 4), st.integers(0, 5), st.lists(NUMBERS | st.just("amount"), min_size=16, max_size=16),
    st.sampled_from(["costs", "score", "rules"]), st.sampled_from([None, 0.07, 0.61]),
)  # fmt: skip
def test_decisions_are_those_of_the_definition(program, labels, seed, amounts, by, reject):
    """A table is decided as each of its records by the definition: expected costs, points or rules, and the price."""
    card = card_of(with_amount(program), labels, seed)
    pairs = dict(zip(product(card.classes, repeat=2), amounts, strict=False))
    decider = ScoreDecider(card, by, Costs.of(pairs, card.classes), reject)
    found = decide(decider, TABLE)
    for row, choice in enumerate(found.choices.tolist()):
        said = "reject" if choice == decider.rejected else decider.heads[choice]
        assert said == naive_decision(card, TABLE.record(row), pairs, by, reject)


@given(programs(), st.integers(0, 5), st.lists(NUMBERS, min_size=4, max_size=4), st.sampled_from([None, 0.0, 0.2, 1.5]))
def test_thresholds_decide_alike(program, seed, amounts, reject):
    """With two labels and costs that are the same for all records, whole points decide exactly as costs do."""
    card = card_of(program, 2, seed)
    costs = Costs.of(dict(zip(product(card.classes, repeat=2), amounts, strict=False)), card.classes)
    decider = ScoreDecider(card, "costs", costs, reject)
    found = decide(decider, TABLE)
    if decider.thresholds is None:
        right, wrong = costs.entries[0][0], costs.entries[0][1]
        assert len(card.classes) > 2 or right > wrong or costs.entries[1][1] > costs.entries[1][0] or reject is not None
        return
    low, high = decider.thresholds
    total = found.points[:, 1] - found.points[:, 0]
    assert_array_equal(found.choices, np.where(total <= low, 0, np.where(total >= high, 1, 2)))


def test_the_threshold_of_two_labels_is_the_log_of_the_ratio():
    """A mistake that costs five times as much moves the threshold by ln 5, in thousandths."""
    card = card_of(Program("y", ("a",), (), "p"), 2, 0)
    first, second = card.classes
    decider = ScoreDecider(card, "costs", Costs.of({(first, second): 5}, card.classes))
    assert decider.thresholds == (1609, 1610)
    assert math.log(5) * 1000 == pytest.approx(1609.4, abs=0.1)
    assert ScoreDecider(card, "costs", Costs.of({(first, second): 0}, card.classes)).thresholds[1] <= -20_000


@given(programs(), st.integers(2, 5), st.integers(0, 5), st.floats(0.01, 1000))
def test_equal_costs_give_the_label_with_the_most_points(program, labels, seed, cost):
    """If all mistakes cost the same, the cheapest label is the most probable one, and the first of equal ones."""
    card = card_of(program, labels, seed)
    costs = Costs.of({pair: cost for pair in product(card.classes, repeat=2) if pair[0] != pair[1]}, card.classes)
    assert costs.equal
    one, other = (decide(ScoreDecider(card, by, costs), TABLE).choices for by in ("costs", "score"))
    assert_array_equal(one, other)


def test_exponentials_that_differ_in_the_last_digit_are_the_same_odds():
    """Odds are whole numbers: what engines compute differently is rounded away."""
    points = np.stack([np.zeros(30_001, np.int64), np.arange(0, -30_001, -1)], axis=-1)
    odds, exact = whole_odds(points), np.exp(points / 1000) * WHOLE
    assert (odds == np.rint(np.nextafter(exact, np.inf))).all()
    assert (odds == np.rint(np.nextafter(exact, -np.inf))).all()
    assert odds[0].tolist() == [WHOLE, WHOLE]
    assert odds[-1].tolist() == [WHOLE, 0]


def test_a_committee_decides_by_costs():
    """The points of a committee are its votes; its lists, rules and features stay its own."""
    base, label = np.array([0, 700, 900]), ("a", "b", "c")
    committee = Committee("y", ("x",), label, base, (), ())
    table = Table((), rows=2)
    decider = ScoreDecider(committee, "costs", Costs.of({("a", "b"): 4, ("a", "c"): 4}, label))
    assert predict(decider, table).tolist() == ["a", "a"]
    assert predict(committee, table).tolist() == ["c", "c"]
    assert decider.lists == ()
    assert decider.noun == "committee of 0 lists that decides by costs"
    assert label_places(decider, table, label).tolist() == [0, 0]
    assert pickle.loads(pickle.dumps(decider)) == decider
    assert decider != ScoreDecider(committee, "costs", Costs.of({("a", "b"): 4}, label))


def test_records_need_their_amounts():
    """A record without an amount cannot be decided, and the error says how many there are."""
    card = card_of(Program("y", ("amount",), (), "p"), 2, 0)
    first, second = card.classes
    costs = Costs.of({(first, second): "amount", (second, first): 2}, card.classes)
    decider = ScoreDecider(card, "costs", costs)
    assert decider.used == ("amount",)
    with pytest.raises(ReadError, match=r"'amount', and 2 of 3 records here have none; fill"):
        decide(decider, Table((Column.of("amount", [1.0, None, "many"], "mixed"),)))
    with pytest.raises(UnknownNameError, match="'amount', which the table lacks"):
        decide(decider, Table((), rows=1))


def test_costs_of_pairs_that_are_not_named():
    """Right decisions cost nothing and mistakes 1, unless one is an amount: then each needs a cost."""
    assert Costs.of({("a", "b"): 5}, ("a", "b", "c")).entries == ((0, 5, 1), (1, 0, 1), (1, 1, 0))
    with pytest.raises(ParameterError, match="no cost for the decision 'a' where 'b' is true"):
        Costs.of({("a", "b"): "amount"}, ("a", "b"))
    with pytest.raises(UnknownNameError, match="costs name 'A b', which is not a label of training; did you mean 'ab'"):
        Costs.of({("A b", "b"): 5}, ("ab", "b"))
    assert Costs.of({("a", "b"): 2, ("b", "a"): 3, ("a", "c"): 4}, ("a", "b")).entries == ((0, 2), (3, 0))
    assert Costs.of({(0, "1"): 5}, (False, True)).entries == ((0, 5), (1, 0))
    with pytest.raises(ParameterError, match="twice"):
        Costs.of({(0, 1): 5, ("0", "1"): 6}, (0, 1))


def test_a_label_that_is_always_best():
    """Costs may leave no choice; that is known without any record."""
    assert Costs.of({("a", "b"): 5, ("b", "a"): 0}, ("a", "b")).always_best() == "a"
    assert Costs.of({("a", "b"): 5}, ("a", "b")).always_best() is None
    assert Costs.of({("a", "b"): 5, ("b", "b"): 2}, ("a", "b")).always_best() == "a"
