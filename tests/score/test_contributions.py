"""Contributions are Shapley values: by definition, for every kind of cell, for committees and score cards."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.score.test_committee import added_up, committees
from tests.strategies import card_of, chain, noted_cases
from tests.unit.test_prediction import values
from unless.errors import ParameterError
from unless.model import prediction
from unless.rule import Literal, Program, Rule
from unless.score import contributions as module
from unless.score.committee import Committee
from unless.score.contributions import ContributionCounter, additive_score
from unless.table import Column, Table


def naive(score, features, record, background):
    """The Shapley value of each feature, over all coalitions: the mean score with their values from the record."""
    size = len(features)

    def mean(chosen):
        mixed = ({**other, **{name: record[name] for name in chosen}} for other in background)
        return np.mean([score(one) for one in mixed], axis=0)

    known = {frozenset(some): mean(some) for k in range(size + 1) for some in combinations(features, k)}
    found = []
    for name in features:
        rest = [some for some in known if name not in some]
        weights = [factorial(len(some)) * factorial(size - len(some) - 1) / factorial(size) for some in rest]
        gains = [known[some | {name}] - known[some] for some in rest]
        found.append(sum(weight * gain for weight, gain in zip(weights, gains, strict=True)))
    return np.array(found)


def naive_interaction(score, features, pair, record, background):
    """The Shapley interaction index of two features: the mean second difference over all coalitions of the others."""
    rest = [name for name in features if name not in pair]

    def mean(chosen):
        mixed = ({**other, **{name: record[name] for name in chosen}} for other in background)
        return np.mean([score(one) for one in mixed], axis=0)

    total, size = 0.0, len(features)
    for k in range(len(rest) + 1):
        weight = factorial(k) * factorial(size - k - 2) / factorial(size - 1)
        for some in combinations(rest, k):
            both, one, other, none = (mean([*some, *more]) for more in (pair, pair[:1], pair[1:], ()))
            total = total + weight * (both - one - other + none)
    return total


def check_interactions(counter, score, table, background):
    """The kernel's interactions are those of the definition; other pairs do not interact."""
    values, found = counter.interactions(table)
    assert np.abs(values - counter.values(table)).max(initial=0) < 1e-12
    others = [background.record(row) for row in range(len(background))]
    for row in range(len(table)):
        for pair in combinations(counter.features, 2):
            expected = naive_interaction(score, counter.features, pair, table.record(row), others)
            own = found[row, counter.pairs.index(pair)] if pair in counter.pairs else 0.0
            assert np.abs(own - expected).max() < 1e-9


def card_score(card):
    """The log-odds of a record by the definition of the card, without what the list adds in the end."""

    def score(record):
        held = [
            points for part, points in zip(card.parts, card.points, strict=True) if part.holds(card.program, record)
        ]
        return sum(held, card.base) / 1000

    return score


def check(counter, score, table, background):
    """The kernel's values are those of the definition, and add up to the score."""
    records, others = ([one.record(row) for row in range(len(one))] for one in (table, background))
    found = counter.values(table)
    assert np.abs(counter.expected - np.mean([score(one) for one in others], axis=0)).max() < 1e-9
    for record, own in zip(records, found, strict=True):
        assert np.abs(counter.expected + own.sum(axis=0) - score(record)).max(initial=0) < 1e-9
        if counter.features:
            assert np.abs(own - naive(score, counter.features, record, others)).max() < 1e-9


@given(committees(), st.lists(st.tuples(values, values), min_size=2, max_size=12), st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_contributions_to_committees_are_shapley_values(committee, cells, size):
    """Of more than two classes, each column of points is explained."""
    table = Table(tuple(Column.of(name, [row[i] for row in cells]) for i, name in enumerate("fg")), rows=len(cells))
    background = table[: min(size, len(table) - 1)]
    counter = ContributionCounter(additive_score(committee), background)
    check(counter, lambda record: np.array(added_up(committee, record)) / 1000, table, background)
    check_interactions(counter, lambda record: np.array(added_up(committee, record)) / 1000, table, background)


def has_text_of_numbers(column):
    """Whether a column keeps a text that its own notation reads as a number; a record with that text has the number."""
    return column.notation is not None and any(column.notation.number(one) is not None for one in column.categories)


@given(noted_cases(), st.integers(2, 4), st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_contributions_to_score_cards_are_shapley_values(case, labels, seed):
    """Dates, times, durations, orders, flags, text and missing cells count as rules read them."""
    program, table = case
    if len(table) < 2 or any(map(has_text_of_numbers, table.columns)):
        return
    card = card_of(program, labels, seed)
    background = table[: len(table) // 2]
    counter = ContributionCounter(additive_score(card), background)
    columns = prediction.tested_columns(program, table)
    check(
        counter,
        card_score(card),
        Table(tuple(columns), rows=len(table)),
        Table(tuple(columns), rows=len(table))[: len(background)],
    )


def many(features, rows, seed=0):
    """A table of random numbers, and a list whose rules test all of its features."""
    random = np.random.default_rng(seed)
    names = tuple(f"f{k}" for k in range(features))
    table = Table(tuple(Column.of(name, random.normal(size=rows).tolist()) for name in names), rows=rows)
    rules = [
        Rule("x", tuple(Literal(name, ">", float(cut)) for name in names[k:])) for k, cut in enumerate((-1.0, 0.0, 0.5))
    ]
    program = Program("c", names, (*rules, Rule("y")))
    points = np.array([[0, 900], [0, -400], [100, 300], [0, 70]])
    return table, Committee("c", names, ("x", "y"), np.array([0, 50]), (program,), (points,))


@pytest.mark.parametrize("size", [63, 64, 65, 200])
def test_backgrounds_that_fill_words_or_not(size):
    """Records of the background are bits of words, the last of which may not be full."""
    table, committee = many(6, 210)
    counter = ContributionCounter(additive_score(committee), table[:size])
    totals = committee.sums(table) @ np.array([-1, 1]) / 1000
    assert np.abs(counter.values(table)[:, :, 0].sum(axis=1) + counter.expected - totals).max() < 1e-9
    check(counter, lambda record: np.diff(added_up(committee, record)) / 1000, table[200:202], table[:size])


def test_interactions_of_many_features_are_those_of_the_definition():
    """All of a record's ends count, on its own way and on those of the background, for lists and for score cards."""
    table, committee = many(5, 90)
    counter = ContributionCounter(additive_score(committee), table[:12])
    check_interactions(counter, lambda record: np.diff(added_up(committee, record)) / 1000, table[80:82], table[:12])
    card = card_of(committee.lists[0], 3, 1)
    counter = ContributionCounter(additive_score(card), table[:9])
    check_interactions(counter, card_score(card), table[80:82], table[:9])


def test_joint_effects_are_means_with_both_cells_replaced():
    """Each cell of a joint effect is the mean of the background, if all its records had both values."""
    table, committee = many(4, 70)
    score = additive_score(committee)
    counter = ContributionCounter(score, table)
    steps, scores, counts = counter.joint(("f1", "f3"))
    assert counts.sum() == len(table)
    assert scores.shape == (len(steps[0]), len(steps[1]), 1)
    for i, one in enumerate(steps[0]):
        for j, other in enumerate(steps[1]):
            values = {
                name: table.column(name).value(step.codes[0])
                for name, step in zip(("f1", "f3"), (one, other), strict=True)
            }
            records = [{**table.record(row), **values} for row in range(len(table))]
            mean = np.mean([np.diff(added_up(committee, record)) / 1000 for record in records], axis=0)
            assert np.abs(scores[i, j] - mean).max() < 1e-9
            inside = [
                row
                for row in range(len(table))
                if table.column("f1").codes[row] in one.codes and table.column("f3").codes[row] in other.codes
            ]
            assert counts[i, j] == len(inside)


def test_what_takes_too_long_is_refused(monkeypatch):
    """A walk has a budget of steps; the error says what would be less work."""
    table, committee = many(12, 300)
    monkeypatch.setattr(module, "_STEPS", 50)
    with pytest.raises(ParameterError, match="too large for exact contributions against 300 records; pass fewer"):
        ContributionCounter(additive_score(committee), table).values(table[:1])


def test_more_features_than_the_kernel_has_room_for_are_refused():
    """A list may differ in 64 features at most."""
    names = tuple(f"f{k}" for k in range(80))
    rules = [Rule("x", (Literal(name, ">", 0.0),)) for name in names]
    program = Program("c", names, (*rules, Rule("y")))
    points = np.arange(2 * len(program.rules)).reshape(-1, 2)
    committee = Committee("c", names, ("x", "y"), np.zeros(2, np.int64), (program,), (points,))
    table = Table(tuple(Column.of(name, [-1.0, -2.0, 1.0]) for name in names), rows=3)
    assert np.isfinite(ContributionCounter(additive_score(committee), table[:2]).values(table[:2])).all()
    with pytest.raises(ParameterError, match="too large"):
        ContributionCounter(additive_score(committee), table[2:]).values(table[:1])


def test_deep_exceptions():
    """Two hundred exceptions inside each other are walked through."""
    program = Program("c", ("n", "m"), (chain(150), Rule("y")))
    table = Table((Column.of("n", [float(k) for k in range(200)]), Column.of("m", [0.0] * 200)), rows=200)
    committee = Committee(
        "c", ("n", "m"), ("deep", "y"), np.zeros(2, np.int64), (program,), (np.array([[0, 500], [0, -500]]),)
    )
    counter = ContributionCounter(additive_score(committee), table[::7])
    totals = committee.sums(table) @ np.array([-1, 1]) / 1000
    assert np.abs(counter.values(table)[:, :, 0].sum(axis=1) + counter.expected - totals).max() < 1e-9


def test_curves_are_means_with_the_cell_replaced():
    """Each step of a curve is the mean of the background, if all its records had a value of that step."""
    table, committee = many(4, 60)
    counter = ContributionCounter(additive_score(committee), table)
    for name in counter.features:
        column = table.column(name)
        steps = counter.curve(name)
        assert sum(step.records for step in steps) == len(table)
        for step in steps:
            value = column.value(step.codes[0])
            records = [{**table.record(row), name: value} for row in range(len(table))]
            mean = np.mean([np.diff(added_up(committee, record)) / 1000 for record in records], axis=0)
            assert np.abs(step.score - mean).max() < 1e-9


def test_an_empty_background_is_refused():
    """There is nothing to compare with."""
    table, committee = many(2, 5)
    with pytest.raises(ParameterError, match="no records"):
        ContributionCounter(additive_score(committee), table[:0])
