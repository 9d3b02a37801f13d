"""Splits keep every label and depend only on the seed; measures are means over folds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from unless.demo.applicants import applicants
from unless.errors import ParameterError, ReadError
from unless.estimators.classifiers import UnlessClassifier
from unless.evaluation.metrics import evaluate_decider
from unless.evaluation.validation import (
    BASELINE,
    Evaluation,
    align_test,
    assign_folds,
    draw_holdout,
    majority_program,
    run_learners,
    split_folds,
)
from unless.learn import fold_rm, fold_unless
from unless.rule import Program
from unless.table import Labels

labels = st.lists(st.sampled_from("abc"), min_size=2, max_size=60).map(lambda cells: Labels.of("y", cells))


@pytest.fixture(scope="module")
def table():
    return unless.read_table(applicants(300), "decision")


@settings(max_examples=80, deadline=None)
@given(labels, st.floats(0, 0.99), st.integers(0, 5))
def test_held_back(labels, share, seed):
    """About the share of every label is held back, and no label is lost from training."""
    back = draw_holdout(labels, share, seed)
    assert abs(back.sum() - share * len(back)) <= len(labels.labels) + 0.5
    for code in range(len(labels.labels)):
        own = back[labels.codes == code]
        assert (~own).sum() >= 1
        assert abs(own.sum() - share * len(own)) <= 1.5
    assert np.array_equal(back, draw_holdout(labels, share, seed))


@settings(max_examples=80, deadline=None)
@given(labels, st.integers(2, 12), st.integers(0, 5))
def test_folds(labels, count, seed):
    """Every fold has its share of the records, and of every label."""
    if count > len(labels.codes):
        with pytest.raises(ParameterError, match="folds"):
            assign_folds(labels, count, seed)
        return
    folds = assign_folds(labels, count, seed)
    sizes = np.bincount(folds, minlength=count)
    assert sizes.max() - sizes.min() <= 1
    for code in range(len(labels.labels)):
        own = np.bincount(folds[labels.codes == code], minlength=count)
        assert own.max() - own.min() <= 1


def test_seed():
    """Another seed gives another split."""
    many = Labels.of("y", list("ab") * 50)
    assert not np.array_equal(draw_holdout(many, 0.2, 0), draw_holdout(many, 0.2, 1))
    assert not np.array_equal(assign_folds(many, 5, 0), assign_folds(many, 5, 1))


@pytest.mark.parametrize(
    "split", [lambda labels: draw_holdout(labels, 0.2, -1), lambda labels: assign_folds(labels, 2, -1)]
)
def test_a_negative_seed(split):
    """A seed that numpy does not take is refused in our own words."""
    with pytest.raises(ParameterError, match="the seed must be at least 0, not -1"):
        split(Labels.of("y", "abab"))


@pytest.mark.parametrize("share", [-0.1, 1, 1.5])
def test_impossible_share(share):
    """A share that leaves nothing to learn from is refused."""
    with pytest.raises(ParameterError, match="at least 0 and less than 1"):
        draw_holdout(Labels.of("y", "ab"), share)


def test_judged(table):
    """A program is compared with the labels of a table; one that decides nothing is never right."""
    model = UnlessClassifier(warn=False).fit(table)
    truth = np.array(table.target.labels, dtype=object)[table.target.codes]
    assert evaluate_decider(model.program_, table).accuracy == model.score(table, truth)
    nothing = evaluate_decider(Program("decision", table.features), table)
    assert (nothing.accuracy, nothing.undecided) == (0, len(table))


def test_unknown_label(table):
    """A label that only the program has, or only the table, counts as an error, not as a failure."""
    found = evaluate_decider(Program("decision", table.features, (), "elsewhere"), table)
    assert (found.accuracy, found.undecided, found.labels[-1]) == (0, 0, "elsewhere")


def test_cross_validation(table):
    """Every record is tested once by every learner; the baseline is the most frequent label."""
    learners = {"unless": fold_unless, "fold-rm": fold_rm}
    found = Evaluation.of(list(run_learners(split_folds(table, assign_folds(table.labels, 4)), learners)), learners)
    assert (found.folds, [score.algorithm for score in found.scores]) == (4, [BASELINE, "unless", "fold-rm"])
    for score in found.scores:
        assert sum(run.quality.records for run in score.runs) == len(table)
    usual, ours, _ = found.scores
    most = np.bincount(table.target.codes).max() / len(table)
    assert usual.mean("accuracy") == pytest.approx(most, abs=0.02)
    assert (usual.mean("rules"), usual.mean("seconds")) == (0, 0)
    assert ours.mean("accuracy") > 0.85
    assert ours.mean("rules") > 4
    assert ours.spread("accuracy") == pytest.approx(np.std([run.quality.accuracy for run in ours.runs], ddof=1))


def test_unfinished_folds(table):
    """A fold that only some learners finished counts for none."""
    learners = {"unless": fold_unless, "fold-rm": fold_rm}
    runs = list(run_learners(split_folds(table, assign_folds(table.labels, 3)), learners))
    found = Evaluation.of(runs[:5], learners)
    assert found.folds == 1
    assert [len(score.runs) for score in found.scores] == [1, 1, 1]
    assert found.scores[1].spread("accuracy") is None
    assert Evaluation.of(runs[:2], learners).folds == 0
    assert Evaluation.of([], learners).folds == 0


def test_holdout(table):
    """One table to learn from, another to test on; it must have labels of training."""
    found = Evaluation.of(
        list(run_learners([(table[:200], align_test(table[:200], table[200:]))], {"unless": fold_unless})), ["unless"]
    )
    assert found.scores[1].runs[0].quality.records == 100
    other = unless.read_table([{**table.record(0), "decision": 7}], "decision")
    with pytest.raises(ReadError, match="the test has labels such as 7, training has labels such as 'accept', and"):
        align_test(table, other)


def test_baseline(table):
    """The baseline says the most frequent label of the table."""
    assert majority_program(table).otherwise == "accept"


class TestDropUnlabelled:
    """Rows without a label are an error, or left out if asked for."""

    def test_text(self):
        """The rows are left out however a missing label is written, and it is never a label."""
        data = b"x,y\n1,a\n2,?\n3,\n4,b\n"
        table = unless.read_table(data, "y", format="csv", drop_unlabelled=True)
        assert table.target.labels == ("a", "b")
        assert [table.record(row)["x"] for row in range(len(table))] == [1.0, 4.0]
        assert table.target.codes.tolist() == [0, 1]

    def test_typed(self):
        """Labels keep their type."""
        rows = [{"x": 1, "y": True}, {"x": 2, "y": None}, {"x": 3, "y": False}]
        table = unless.read_table(rows, "y", drop_unlabelled=True)
        assert (table.target.labels, len(table)) == ((False, True), 2)

    def test_nothing_left(self):
        """A table without any label is refused."""
        with pytest.raises(ReadError, match="no row has a label in 'y'"):
            unless.read_table([{"x": 1, "y": None}], "y", drop_unlabelled=True)
