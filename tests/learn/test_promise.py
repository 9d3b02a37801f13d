"""Rules that are expected to be less right on new records than what comes after them."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from tests.learn.test_random_tables import random_rows, table_of
from tests.lengths import fewer
from unless import FoldRMClassifier, FoldRPPClassifier, Literal, Program, Rule, Table, TrainingWarning, fold_unless
from unless.evaluation.metrics import count_rule_decisions
from unless.learn.rule_pruning import promises_less
from unless.learn.unless_learner import UnlessLearner
from unless.model.prediction import deciding_rules


def naive(program: Program, table: Table) -> Program:
    """Without such rules, by what the rest of the list says of each rule's records, the last rule first."""
    trained, rules = count_rule_decisions(program, table), list(program.rules)
    deciding = deciding_rules(program, table)
    for place in reversed(range(len(rules) - 1)):
        mine, later = table[np.flatnonzero(deciding == place)], table[np.flatnonzero(deciding > place)]
        rest = replace(program, rules=tuple(rules[place + 1 :]))
        of_mine, of_later = count_rule_decisions(rest, mine), count_rule_decisions(rest, later)
        same = sum(
            float(right)
            for right, label in zip(of_mine.right, of_mine.labels, strict=True)
            if label == rules[place].head
        )
        others = float(of_mine.right.sum()) - same
        without = float(trained.without_rule[place])
        more = min(float(of_later.right.sum()) / max(len(later), 1e-9) / max(1 - without, 1e-9), 1)
        expected, right = float(trained.expected_precision[place]), float(trained.right[place])
        wrong = len(mine) - right
        after = expected * same / max(right, 1e-9) + (1 - expected) * (others + more) / (wrong + 1)
        if expected < 0.8 * after:
            del rules[place]
    while len(rules) > 1 and rules[-2].head == rules[-1].head:
        del rules[-2]
    return replace(program, rules=tuple(rules))


@pytest.mark.parametrize("seed", fewer(30))
def test_what_is_dropped_is_what_the_plain_definition_drops(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines count what the rest of a list gets right as predictions do; the last label is the most frequent one."""
    features, rows = random_rows(seed, rows=120, columns=4)
    table = table_of(features, rows)
    found = fold_unless(table, penalty=0.5)
    monkeypatch.setattr(UnlessLearner, "promising", lambda _, learned: learned)
    wanted = naive(fold_unless(table, penalty=0.5), table)
    assert found.rules[:-1] == wanted.rules[:-1]


def _noisy() -> tuple[list[dict[str, object]], list[str]]:
    random = np.random.default_rng(3)
    X = [{"a": float(random.normal()), "b": float(random.normal())} for _ in range(300)]
    return X, ["yes" if (x["a"] > 0) != (random.random() < 0.35) else "no" for x in X]


def _few(right: int, of: int = 7) -> Table:
    """Some records that a rule can tell, of which so many have another label than most."""
    labels = ["rare"] * right + ["most"] * (of - right) + ["rare"] * 8 + ["most"] * 85
    return table_of(("x",), [*zip(["odd"] * of + ["usual"] * 93, labels, strict=True)])


def test_a_rule_that_few_records_made_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four of six records are no reason for a rule where nine of ten have another label; seven of seven are."""
    assert len(fold_unless(_few(4, 6), penalty=0.1, min_support=1)) == 1
    assert len(fold_unless(_few(7), penalty=0.1, min_support=1)) == 2
    monkeypatch.setattr(UnlessLearner, "promising", lambda _, learned: learned)
    assert len(fold_unless(_few(4, 6), penalty=0.1, min_support=1)) == 2


def test_locked_rules_stay() -> None:
    """A rule that would be dropped stays where it is locked."""
    rule = Rule("rare", (Literal("x", "==", "odd"),))
    assert len(fold_unless(_few(4, 6), penalty=0.1, min_support=1, keep=[rule])) == 2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", fewer(20))
def test_the_warning_counts_the_rules_that_the_plain_definition_finds(seed: int, weighted: bool) -> None:  # noqa: FBT001
    """The rules after each rule are asked about its records, one rule at a time; all are counted at once in `fit`."""
    features, rows = random_rows(seed, rows=150, columns=4)
    table = table_of(features, rows)
    weights = np.random.default_rng(seed).integers(1, 4, len(table)).astype(float) if weighted else None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program = FoldRMClassifier().fit(table, sample_weight=weights).program_
    said = [one.finding for warning in caught for one in warning.message.remarks if one.code == "unpromising"]
    trained, deciding, found = (
        count_rule_decisions(program, table, weights),
        deciding_rules(program, table),
        list[int](),
    )
    for place, rule in enumerate(program.rules):
        mine = np.flatnonzero(deciding == place)
        rest = replace(program, rules=program.rules[place + 1 :])
        after = count_rule_decisions(rest, table[mine], None if weights is None else weights[mine])
        same = sum(one for one, label in zip(after.right, after.labels, strict=True) if label == rule.head)
        usual = trained.right[place + 1 :].sum() / max(trained.support[place + 1 :].sum(), 1e-9)
        if promises_less(trained, place, float(same), float(after.right.sum() - same), float(usual)):
            found.append(place)
    assert bool(said) == (trained.coverage[found].sum() >= 0.01)
    if said:
        assert said[0].startswith(f"{len(found)} of" if len(found) > 1 else f"Rule {found[0] + 1} is")


@pytest.mark.parametrize("classifier", [FoldRMClassifier, FoldRPPClassifier])
def test_published_learners_warn_of_such_rules(classifier: type) -> None:
    """FOLD-RM and FOLD-R++ keep them, as published, and `fit` says how many there are."""
    X, y = _noisy()
    with pytest.warns(TrainingWarning, match="expected to be wrong more often than what comes after"):
        classifier().fit(X, y)
