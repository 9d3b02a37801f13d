"""The points of a program: logistic regression, with a penalty, on the truths of its parts."""

from __future__ import annotations

import tracemalloc
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression

from unless import UnlessClassifier, read_table
from unless.learn.score_fitting import LITERAL, OTHER, fit_score_card
from unless.learn.unless_learner import fold_unless
from unless.model.points import POINTS_PER_LOGIT
from unless.model.prediction import predict
from unless.rule import Literal, Program, Rule
from unless.table import Column, Labels, Table
from unless.table.seen_values import drop_unused_values


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
    monkeypatch.setattr("unless.learn.score_fitting._CLOSE", 1e-7)
    table = noisy(600, labels)
    program = fold_unless(table)
    card = fit_score_card(program, table, rounds=3000)
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
    usual, best = (fit_score_card(program, table, rounds=rounds).probabilities(table) for rounds in (25, 3000))
    rows = np.arange(len(table))
    usual, best = (-np.log(shares[rows, table.labels.codes]).mean() for shares in (usual, best))
    assert usual == pytest.approx(best, abs=0.005)


@pytest.mark.parametrize("rows", [500, 20_000])
def test_the_order_of_rows_does_not_matter(rows):
    """Points depend on the records alone, also where only some are used."""
    table = noisy(rows, 3)
    program = fold_unless(table)
    shuffled = table[np.random.default_rng(1).permutation(rows)]
    one, other = fit_score_card(program, table), fit_score_card(program, shuffled)
    assert_array_equal(one.points, other.points)
    assert_array_equal(one.base, other.base)


def test_weights_are_repetitions():
    """A record that counts twice is as good as two."""
    table = noisy(300, 3)
    program = fold_unless(table)
    counts = np.random.default_rng(0).integers(0, 4, 300)
    repeated = table[np.repeat(np.arange(300), counts)]
    one, other = fit_score_card(program, table, counts.astype(float)), fit_score_card(program, repeated)
    assert np.abs(one.points - other.points).max() <= 1


def test_a_sample_of_many_records(monkeypatch):
    """Where there are too many different records, some stand for all, and the shares of labels stay about the same."""
    table = noisy(4000, 3)
    program = fold_unless(table)
    whole = fit_score_card(program, table).probabilities(table)
    monkeypatch.setattr("unless.learn.score_fitting._CELLS", 300)
    monkeypatch.setattr("unless.learn.score_fitting._LEAST", 100)
    some = fit_score_card(program, table).probabilities(table)
    assert some.mean(axis=0) == pytest.approx(whole.mean(axis=0), abs=0.03)
    assert np.abs(some - whole).mean() < 0.06


def test_labels_without_weight():
    """A label whose records all weigh nothing gets a small probability."""
    table = noisy(300, 3)
    counts = (table.labels.codes != 2).astype(float)
    shares = fit_score_card(fold_unless(table[counts > 0]), table, counts).probabilities(table)
    assert 0 < shares[:, 2].max() < 0.02


def test_many_labels_and_parts():
    """A hundred labels and hundreds of parts are possible."""
    random = np.random.default_rng(0)
    numbers = random.integers(0, 200, 3000)
    table = Table((Column.of("n", numbers),), Labels.of("y", (numbers // 2).tolist()))
    card = fit_score_card(fold_unless(table), table)
    assert len(card.classes) == 100
    assert len(card.parts) > 200
    assert card.probabilities(table).argmax(axis=1).tolist() == (numbers // 2).tolist()


def test_no_card(monkeypatch):
    """One label needs no points, and more than a million points are not searched for."""
    one = Table((Column.of("n", [1, 2]),), Labels.of("y", ["a", "a"]))
    assert fit_score_card(Program("y", ("n",), (Rule("a"),)), one) is None
    monkeypatch.setattr("unless.learn.score_fitting._MOST_VALUES", 5)
    assert fit_score_card(fold_unless(noisy(300, 2)), noisy(300, 2)) is None


def test_too_many_thresholds_on_one_feature_have_no_card():
    """The literals that hold in each bin would be listed: of 5,000 thresholds that is 12 million."""
    table = Table((Column.of("n", list(range(5001))),), Labels.of("y", [k % 2 for k in range(5001)]))
    rules = (Rule(k % 2, (Literal("n", "<=", float(k)),)) for k in range(5000))
    assert fit_score_card(Program("y", ("n",), (*rules, Rule(0))), table) is None


@pytest.mark.parametrize("heavy", [0, 1])
def test_all_the_weight_of_the_world_on_one_label(heavy):
    """Probabilities stay numbers where one label has so much weight that the other's share rounds to nothing."""
    table = Table((Column.of("n", [1, 2, 3, 4]),), Labels.of("y", ["a", "a", "b", "b"]))
    counts = np.where(table.labels.codes == heavy, 2.0**52 + 1, 0.0)
    card = fit_score_card(Program("y", ("n",), (Rule("ab"[heavy]),)), table, counts)
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
        assert fit_score_card(program, table, rounds=1) is not None
        assert tracemalloc.get_traced_memory()[1] < 150e6
    finally:
        tracemalloc.stop()


# Cuts.


def asking(op: str = "<=", value: float = 9.0, feature: str = "a") -> Program:
    return Program("label", ("a", "b", "c"), (Rule("l0", (Literal(feature, op, value),)), Rule("l1")))


def test_cuts_are_fifths_of_what_rules_test():
    """Each lies between the numbers below which so many fifths of the records are, as short as it can be."""
    table = Table((Column.of("a", range(100)), Column.of("b", range(100))), Labels.of("label", ["l0", "l1"] * 50))
    assert [str(cut) for cut in fit_score_card(asking(), table).cuts] == [
        f"a > {k}" for k in ("19.5", "39.5", "59.5", "79.5")
    ]


def test_cuts_are_written_as_the_column_is():
    """Whole numbers stay whole, and dates dates."""
    days = [date(2020, 1, 1) + timedelta(days=k) for k in range(100)]
    frame = pl.DataFrame({"n": range(100), "when": days, "label": ["l0", "l1"] * 50})
    table = read_table(frame, "label")
    for feature, value, cuts in (("n", 9.0, "n > 19"), ("when", table.column("when").value(9), "when > 2020-01-20")):
        program = Program("label", ("n", "when"), (Rule("l0", (Literal(feature, "<=", value),)), Rule("l1")))
        assert str(fit_score_card(program, table).cuts[0]) == cuts


@pytest.mark.parametrize("op", ["<=", ">"])
def test_no_cut_where_a_rule_has_a_threshold(op):
    """It would say the same as the literal, or the opposite."""
    table = Table((Column.of("a", range(100)),), Labels.of("label", ["l0", "l1"] * 50))
    cuts = fit_score_card(asking(op, 39.3), table).cuts
    assert [cut.value for cut in cuts] == [19.5, 59.5, 79.5]


@pytest.mark.parametrize(
    "cells", [["x", "y"] * 50, [0, 1] * 50, [None] * 100, ["x"] * 98 + [1, 2]], ids=["text", "flags", "missing", "few"]
)
def test_little_to_cut(cells):
    """Text has no fifths, and two numbers are told apart by the rule."""
    value = 1.0 if cells[-1] == 2 else 0.5
    program = asking("==", "x") if cells[1] == "y" else asking(">", value)
    table = Table((Column.of("a", cells),), Labels.of("label", ["l0", "l1"] * 50))
    assert fit_score_card(program, table).cuts == ()


def test_cuts_count_weights_and_not_the_order_of_rows():
    """A record of weight 2 is two records."""
    random = np.random.default_rng(1)
    table = Table((Column.of("a", random.normal(size=300)),), Labels.of("label", ["l0", "l1"] * 150))
    weights = random.integers(0, 4, 300)
    twice = drop_unused_values(table[np.repeat(np.arange(300), weights)])
    shuffled = twice[random.permutation(len(twice))]
    program = asking("<=", 0.1)
    cuts = fit_score_card(program, table, weights.astype(float)).cuts
    assert cuts == fit_score_card(program, twice).cuts == fit_score_card(program, shuffled).cuts
    assert cuts != fit_score_card(program, table).cuts


def likelier(rows: int) -> Table:
    """Records whose label is likelier the larger a number is."""
    random = np.random.default_rng(0)
    a = random.integers(0, 1000, rows)
    labels = np.where(random.random(rows) * 1000 < a, "l1", "l0")
    return Table((Column.of("a", a),), Labels.of("label", labels.tolist()))


def test_cuts_tell_more():
    """Where a label becomes likelier bit by bit, a list of one threshold ranks better with them."""
    table = likelier(4000)
    a = table.column("a").numbers[table.column("a").codes]
    card = fit_score_card(asking("<=", 500.0), table)
    shares = card.probabilities(table)[:, 1]
    assert len(np.unique(shares)) > 4
    assert np.abs(shares - a / 1000).mean() < 0.1


def test_cuts_of_a_feature_keep_to_its_direction():
    """Where more income must never lead to a label, no points of cuts make it likelier."""
    table = likelier(600)
    free = UnlessClassifier(warn=False).fit(table)
    bound = UnlessClassifier(warn=False, constraints={"monotone": ["a: more never l0"]}).fit(table)
    assert "a" in {cut.feature for cut in free.card_.cuts}
    assert "a" in bound.program_.used
    shares = bound.predict_proba([{"a": a} for a in range(1000)])[:, bound.classes_.tolist().index("l0")]
    assert len(set(shares.tolist())) > 2
    assert (np.diff(shares) <= 0).all()
    again = bound.with_program(bound.program_, table)
    assert again.card_.cuts == bound.card_.cuts
