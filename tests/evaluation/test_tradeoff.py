"""Accuracy against the number of rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unless import read_table
from unless.errors import ParameterError
from unless.estimators.learners import LEARNERS, UnlessLearner, learn
from unless.estimators.relearning import hash_folds, trade_off_of
from unless.evaluation.metrics import evaluate_decider
from unless.evaluation.tradeoff import Choice, TradeOff
from unless.evaluation.validation import split_folds

RANDOM = np.random.default_rng(4)
RECORDS = [
    {"a": float(a), "b": float(b), "c": "xyz"[int(c)]} for a, b, c in RANDOM.integers(0, 30, (600, 3)) // (1, 1, 10)
]
LABELS = ["yes" if (r["a"] > 12) == (r["b"] > 9) or r["c"] == "x" else "no" for r in RECORDS]
TABLE = read_table([{**r, "y": y} for r, y in zip(RECORDS, LABELS, strict=True)], "y")


def test_every_choice_is_what_its_settings_learn() -> None:
    """Rules and right decisions of each choice are those of lists that are learned fold by fold with its settings."""
    pairs = hash_folds(TABLE)
    found = trade_off_of(UnlessLearner(), pairs)
    assert [one.rules for one in found.choices] == sorted({one.rules for one in found.choices})
    assert any(not one.settings for one in found.choices)
    for one in found.choices:
        given = {name: int(value) if name == "max_rules" else value for name, value in one.settings.items()}
        programs = [learn(replace(UnlessLearner(), **given), train).model.program for train, _ in pairs]
        assert one.rules == np.mean([len(program) for program in programs])
        assert one.right == sum(evaluate_decider(p, test).right for p, (_, test) in zip(programs, pairs, strict=True))
        assert one.records == len(TABLE)


def test_one_rule_is_the_baseline() -> None:
    """A list of one rule says the most frequent label."""
    first = trade_off_of(UnlessLearner(), list(split_folds(TABLE, np.arange(len(TABLE)) % 2))).choices[0]
    assert first.rules == 1
    assert first.accuracy == pytest.approx(max(LABELS.count("yes"), LABELS.count("no")) / len(LABELS), abs=0.01)


def test_enough_is_the_shortest_that_chance_does_not_tell_from_the_best() -> None:
    """Its accuracy lies in the interval of the best."""
    choices = tuple(Choice({}, rules, right, 100) for rules, right in ((1, 50), (3, 86), (5, 90), (9, 91)))
    assert TradeOff(choices).enough.rules == 3
    assert TradeOff(choices[:1]).enough.rules == 1


def test_progress_is_told() -> None:
    """Before each of the settings but the given ones."""
    told: list[tuple[int, int]] = []
    trade_off_of(UnlessLearner(), hash_folds(TABLE, 2), lambda done, total: told.append((done, total)))
    assert told == [(done, told[0][1]) for done in range(1, told[0][1])]


def test_what_has_no_trade_off_is_refused() -> None:
    """Lists of the other learners are not the best of their length; equal records make no folds."""
    with pytest.raises(ParameterError, match="the trade-off needs UnlessClassifier"):
        trade_off_of(LEARNERS["fold-rm"](), hash_folds(TABLE))
    with pytest.raises(ParameterError, match="too similar"):
        hash_folds(TABLE[[0, 0, 0]])
