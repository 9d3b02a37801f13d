"""A model that meets its own data again, whole or in batches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unless import read_table
from unless.estimators.holdout import Holdout, count_decisions
from unless.estimators.learners import LEARNERS, learn
from unless.evaluation.metrics import baseline_quality, evaluate_decider, holdout_quality
from unless.evaluation.training_overlap import OverlapCounts
from unless.model import Model, find_training_overlap, is_all_holdout
from unless.model.prediction import predict

RANDOM = np.random.default_rng(1)
TABLE = read_table(
    [
        {"a": float(a), "b": "xyz"[b], "unused": float(c), "y": "yes" if a > 11 or (b == 1 and a > 4 and c) else "no"}
        for a, b, c in zip(*(RANDOM.integers(0, most, 400) for most in (20, 3, 9)), strict=True)
    ],
    "y",
)
HOLDOUT = Holdout.of(TABLE, 0.25, 3)
MODEL = HOLDOUT.tested(learn(LEARNERS["unless"](), HOLDOUT.records).model)
COMMITTEE = HOLDOUT.tested(learn(LEARNERS["committee"](size=4), HOLDOUT.records).model)


def test_the_test_is_on_the_records_held_back() -> None:
    """The figures are those of the rules on these records alone, and nothing was learned from them."""
    back = HOLDOUT.split.held_back(TABLE)
    assert isinstance(MODEL, Model)
    assert MODEL.tested is not None
    found = evaluate_decider(MODEL.program, TABLE[back])
    assert MODEL.tested.confusion.tolist() == found.confusion.tolist()
    assert holdout_quality(MODEL.tested).accuracy == MODEL.tested.accuracy == found.accuracy
    assert baseline_quality(MODEL.tested).accuracy == pytest.approx(MODEL.tested.baseline)
    assert len(HOLDOUT.records.table) == len(TABLE) - back.sum() == len(TABLE) - MODEL.tested.held_back
    assert HOLDOUT.held_back == tuple(np.flatnonzero(back) + 1)


def test_a_committee_has_its_own_test_and_that_of_its_student() -> None:
    """What decides is the committee: its test has a row for each label that it gives."""
    assert not COMMITTEE.decider.by_rule
    assert COMMITTEE.tested is not None
    back = HOLDOUT.split.held_back(TABLE)
    assert COMMITTEE.tested.right == evaluate_decider(COMMITTEE.decider, TABLE[back]).right
    student = COMMITTEE.imitation.tested
    assert student is not None
    assert student.right == evaluate_decider(COMMITTEE.program, TABLE[back]).right
    assert count_decisions(COMMITTEE.decider, TABLE[back]).labels == ("no", "yes", None)


def test_nothing_is_held_back_of_nothing() -> None:
    """Without a share, or if all records are equal, there is no test."""
    for table, share in ((TABLE, 0.0), (TABLE[[0] * 5], 0.5)):
        holdout = Holdout.of(table, share, 0)
        assert holdout.count is None
        assert holdout.tested(learn(LEARNERS["unless"](), holdout.records).model).tested is None


@given(st.lists(st.integers(1, 399), max_size=3), st.randoms())
def test_batches_are_known_together(cuts: list[int], random: object) -> None:
    """However the data is ordered and cut into batches, both parts are counted as in one piece."""
    order = np.random.default_rng(random.randint(0, 99)).permutation(len(TABLE))  # type: ignore[attr-defined]
    assert MODEL.tested is not None
    counts = [OverlapCounts(MODEL.origin, TABLE.features) for _ in range(len(cuts) + 1)]
    for one, rows in zip(counts, np.split(order, sorted(cuts)), strict=True):
        batch = TABLE[rows]
        one.add(batch, predict(MODEL.program, batch) == batch.y)
    for other in counts[1:]:
        counts[0].merge(other)
    found = counts[0].found()
    assert found is not None
    assert (found.held_back.total, found.held_back.count) == (MODEL.tested.held_back, MODEL.tested.right)
    assert found.learned.count == MODEL.statistics.right.sum()
    assert found.to_dict()["held_back"]["accuracy"] == MODEL.tested.accuracy


def test_other_records_are_not_taken_for_the_data() -> None:
    """One record less or more: most of the data is there, but it is not the same; of few records nothing is known."""
    assert MODEL.tested is not None
    for rows, most in ((np.arange(399), True), (np.r_[np.arange(400), 0], True), (np.arange(100), False)):
        counts = OverlapCounts(MODEL.origin, TABLE.features)
        counts.add(TABLE[rows], np.ones(len(rows), bool))
        found, own = counts.found(), find_training_overlap(MODEL, TABLE[rows])
        assert (found is not None) == (own is not None) == most
        if found is not None and own is not None:
            assert not found.same
            assert not own.same
            assert own.held_back.tolist() == HOLDOUT.split.held_back(TABLE)[rows].tolist()
            assert found.held_back.total == own.held_back.sum()


def test_a_record_tells_whether_the_rules_were_never_learned_from_it() -> None:
    """By itself, in any file; without its label or a feature nobody can tell."""
    back = HOLDOUT.split.held_back(TABLE)
    for row in (int(np.flatnonzero(back)[0]), int(np.flatnonzero(~back)[0])):
        assert is_all_holdout(MODEL, TABLE[[row]]) == back[row]
    assert is_all_holdout(MODEL.program, TABLE[[0]]) is None
    assert is_all_holdout(MODEL, type(TABLE)(TABLE.columns[:1], TABLE.target)) is None
