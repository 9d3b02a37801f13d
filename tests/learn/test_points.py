"""The points of a program: logistic regression, with a penalty, on the truths of its parts."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression

from unless.learn.own import fold_unless
from unless.learn.points import LITERAL, OTHER, fit_card
from unless.prediction import predict
from unless.rule import Literal, Program, Rule
from unless.score.points import POINTS_PER_LOGIT
from unless.table import Column, Labels, Table


def noisy(rows: int, labels: int, seed: int = 0) -> Table:
    """Records whose labels depend on two numbers and a text, not always."""
    random = np.random.default_rng(seed)
    a, b, c = random.integers(0, 30, rows), random.integers(0, 10, rows), random.choice(["x", "y", "z"], rows)
    score = (a // 10 + (b > 5) * (c == "x") + (random.random(rows) < 0.2)) % labels
    columns = (Column.of("a", a), Column.of("b", b), Column.of("c", c.tolist()))
    return Table(columns, Labels.of("label", [f"l{one}" for one in score]))


@pytest.mark.parametrize("labels", [2, 3])
def test_the_minimum_is_that_of_scikit_learn(labels, monkeypatch):
    """The log-loss plus a penalty on squares: with enough steps, each logit is within a few points."""
    monkeypatch.setattr("unless.learn.points._CLOSE", 1e-7)
    table = noisy(600, labels)
    program = fold_unless(table)
    card = fit_card(program, table, rounds=3000)
    truths = np.array(
        [[part.holds(program, table.record(row)) for part in card.parts] for row in range(len(table))], dtype=float
    )
    right = predict(program, table) == np.array(table.labels.labels, dtype=object)[table.labels.codes]
    wrong = (np.count_nonzero(~right) + 1) / (len(table) + 2)
    scales = np.array([((LITERAL if part.literal else OTHER) * wrong**0.5) ** -0.5 for part in card.parts])
    # A part with a larger penalty is one with smaller values.
    known = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(truths * scales, table.labels.codes)
    logits = known.decision_function(truths * scales).reshape(len(table), -1)
    ours = (truths @ card.points + card.base) / POINTS_PER_LOGIT
    if labels > 2:
        logits, ours = (one - one.mean(axis=1, keepdims=True) for one in (logits, ours))
    assert len(program) > labels
    assert np.abs(ours - logits).max() < 0.02


def test_few_steps_are_close():
    """The usual number of steps gives nearly the probabilities of the minimum."""
    table = noisy(2000, 3)
    program = fold_unless(table)
    usual, best = (fit_card(program, table, rounds=rounds).probabilities(table) for rounds in (25, 3000))
    rows = np.arange(len(table))
    usual, best = (-np.log(shares[rows, table.labels.codes]).mean() for shares in (usual, best))
    assert usual == pytest.approx(best, abs=0.005)


@pytest.mark.parametrize("rows", [500, 20_000])
def test_the_order_of_rows_does_not_matter(rows):
    """Points depend on the records alone, also where only some are used."""
    table = noisy(rows, 3)
    program = fold_unless(table)
    shuffled = table[np.random.default_rng(1).permutation(rows)]
    one, other = fit_card(program, table), fit_card(program, shuffled)
    assert_array_equal(one.points, other.points)
    assert_array_equal(one.base, other.base)


def test_weights_are_repetitions():
    """A record that counts twice is as good as two."""
    table = noisy(300, 3)
    program = fold_unless(table)
    counts = np.random.default_rng(0).integers(0, 4, 300)
    repeated = table[np.repeat(np.arange(300), counts)]
    one, other = fit_card(program, table, counts.astype(float)), fit_card(program, repeated)
    assert np.abs(one.points - other.points).max() <= 1


def test_a_sample_of_many_records(monkeypatch):
    """Where there are too many different records, some stand for all, and the shares of labels stay about the same."""
    table = noisy(4000, 3)
    program = fold_unless(table)
    whole = fit_card(program, table).probabilities(table)
    monkeypatch.setattr("unless.learn.points._CELLS", 300)
    monkeypatch.setattr("unless.learn.points._LEAST", 100)
    some = fit_card(program, table).probabilities(table)
    assert some.mean(axis=0) == pytest.approx(whole.mean(axis=0), abs=0.03)
    assert np.abs(some - whole).mean() < 0.06


def test_labels_without_weight():
    """A label whose records all weigh nothing gets a small probability."""
    table = noisy(300, 3)
    counts = (table.labels.codes != 2).astype(float)
    shares = fit_card(fold_unless(table[counts > 0]), table, counts).probabilities(table)
    assert 0 < shares[:, 2].max() < 0.02


def test_many_labels_and_parts():
    """A hundred labels and hundreds of parts are possible."""
    random = np.random.default_rng(0)
    numbers = random.integers(0, 200, 3000)
    table = Table((Column.of("n", numbers),), Labels.of("y", (numbers // 2).tolist()))
    card = fit_card(fold_unless(table), table)
    assert len(card.classes) == 100
    assert len(card.parts) > 200
    assert card.probabilities(table).argmax(axis=1).tolist() == (numbers // 2).tolist()


def test_no_card(monkeypatch):
    """One label needs no points, and more than a million points are not searched for."""
    one = Table((Column.of("n", [1, 2]),), Labels.of("y", ["a", "a"]))
    assert fit_card(Program("y", ("n",), (Rule("a"),)), one) is None
    monkeypatch.setattr("unless.learn.points._MOST_VALUES", 5)
    assert fit_card(fold_unless(noisy(300, 2)), noisy(300, 2)) is None


def test_too_many_thresholds_on_one_feature_have_no_card():
    """The literals that hold in each bin would be listed: of 5,000 thresholds that is 12 million."""
    table = Table((Column.of("n", list(range(5001))),), Labels.of("y", [k % 2 for k in range(5001)]))
    rules = (Rule(k % 2, (Literal("n", "<=", float(k)),)) for k in range(5000))
    assert fit_card(Program("y", ("n",), (*rules, Rule(0))), table) is None


@pytest.mark.parametrize("heavy", [0, 1])
def test_all_the_weight_of_the_world_on_one_label(heavy):
    """Probabilities stay numbers where one label has so much weight that the other's share rounds to nothing."""
    table = Table((Column.of("n", [1, 2, 3, 4]),), Labels.of("y", ["a", "a", "b", "b"]))
    counts = np.where(table.labels.codes == heavy, 2.0**52 + 1, 0.0)
    card = fit_card(Program("y", ("n",), (Rule("ab"[heavy]),)), table, counts)
    assert card.probabilities(table)[:, heavy].tolist() == pytest.approx([1.0] * 4)


def test_many_kinds_of_records_and_labels_fit_into_memory():
    """Labels are counted for the records that are kept, not for all: those would be 28 million numbers here."""
    rows, labels = 50_000, 3600
    random = np.random.default_rng(0)
    columns = tuple(Column.of(f"n{k}", random.integers(0, 40, rows)) for k in range(5))
    names = tuple(f"l{k:04}" for k in range(labels))
    table = Table(columns, Labels("y", names, random.integers(0, labels, rows)))
    literals = [Literal(f"n{k}", "<=", float(cut)) for k in range(5) for cut in range(4, 40, 8)]
    program = Program("y", table.features, (Rule(names[0], (), tuple(Rule(None, (one,)) for one in literals)),))
    tracemalloc.start()
    try:
        assert fit_card(program, table, rounds=1) is not None
        assert tracemalloc.get_traced_memory()[1] < 150e6
    finally:
        tracemalloc.stop()
