"""A page about the data that its model is from: the figures are those of records that nothing was learned from."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from unless import read_table
from unless.estimators.holdout import Holdout
from unless.estimators.learners import LEARNERS, learn
from unless.evaluation.metrics import evaluate_decider
from unless.evaluation.tradeoff import Choice, TradeOff
from unless.report.render import render
from unless.report.summary import summarise

RANDOM = np.random.default_rng(7)
DRAWN = zip(*(RANDOM.integers(0, most, 500).tolist() for most in (30, 3, 9, 10)), strict=True)
RECORDS = [
    {"a": float(a), "b": "xyz"[b], "c": float(c), "y": "yes" if (a > 15) != (noise < 1) else "no"}
    for a, b, c, noise in DRAWN
]
TABLE = read_table(RECORDS, "y")
HOLDOUT = Holdout.of(TABLE, 0.3, 1)
MODEL = HOLDOUT.tested(learn(LEARNERS["unless"](), HOLDOUT.records).model)
BACK = HOLDOUT.split.held_back(TABLE)


def test_the_figures_are_of_records_held_back() -> None:
    """Quality, matrix, rules and flow; the quality in training stands beside them, and the baseline."""
    page = summarise(MODEL, TABLE)
    assert page.quality is not None
    assert page.learned is not None
    assert page.baseline is not None
    assert page.unseen_only
    assert page.same
    assert page.facts.records == BACK.sum() == page.quality.records
    assert page.quality.accuracy == evaluate_decider(MODEL.program, TABLE[BACK]).accuracy
    assert page.learned.quality.accuracy == evaluate_decider(MODEL.program, TABLE[~BACK]).accuracy
    assert sum(rule.decided for rule in page.rules) == page.flow[0].reaching == BACK.sum()
    assert page.baseline.guessed.value == pytest.approx(MODEL.tested.baseline)  # type: ignore[union-attr]
    assert page.records.total == len(TABLE)
    assert page.data["records"]["held"] == BACK.tolist()


def test_the_page_says_so() -> None:
    """The accuracy on records held back is in the head, that of training is called that."""
    page = summarise(MODEL, TABLE)
    text = re.sub(r"<[^>]+>|\s+", " ", render(page))
    text = re.sub(r"\s+", " ", text)
    assert f"Of {BACK.sum()} records that the rules were not learned from" in text
    assert "accuracy on unseen records" in text
    assert f"In training, on {(~BACK).sum()} records" in text
    assert "accuracy of always" in text


def test_records_of_training_alone() -> None:
    """If all records were learned from, the figures are called so, and the test is told instead."""
    page = summarise(MODEL, TABLE[~BACK])
    assert page.trained_only
    text = render(page)
    assert "accuracy in training" in text
    assert "says nothing about new ones" in text


def test_other_records_are_new() -> None:
    """The figures are about all of them; the test of the model is told beside them."""
    other = replace(TABLE[::3], target=replace(TABLE[::3].labels, codes=1 - TABLE[::3].labels.codes.astype(int)))
    page = summarise(MODEL, other)
    assert (page.learned, page.facts.records) == (None, len(other))
    assert not page.unseen_only
    assert page.tested is MODEL.tested
    assert "When the model was made" in render(page)


def test_the_trade_off_is_there() -> None:
    """The page has what the model's file has, so that it can be drawn."""
    found = TradeOff((Choice({}, 3, 40, 50),))
    assert summarise(replace(MODEL, trade_off=found), TABLE).trade_off is found
    assert summarise(MODEL, TABLE).trade_off is None


def test_rules_say_what_to_expect() -> None:
    """A share and the ends of its interval, as the statistics have them."""
    for place, rule in enumerate(summarise(MODEL, TABLE).rules):
        assert rule.expected_precision is not None
        assert rule.expected_precision == pytest.approx(
            (MODEL.statistics.expected_precision[place], *(end[place] for end in MODEL.statistics.expected_between))
        )
