"""Watching a model on new records: what is compared with what, and when it is an alarm."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from unless.errors import ParameterError
from unless.estimators.learners import LEARNERS, CommitteeLearner, UnlessLearner, learn
from unless.estimators.model_file import read
from unless.evaluation.drift import watch
from unless.evaluation.drift_counts import OTHER, UNLABELLED, DriftCounts, class_indices
from unless.evaluation.drift_results import current_time
from unless.evaluation.metrics import count_rule_decisions
from unless.evaluation.significance import share_p_value
from unless.model import DataOrigin, HoldoutResult
from unless.table import Column, HoldoutSplit, Labels, Table

OLD = Path(__file__).parents[1] / "data"


def records(rows: int, seed: int = 0) -> Table:
    """Smokers above 40 are at risk, with a little noise; some ages are missing."""
    random = np.random.default_rng(seed)
    age, smokes = random.integers(20, 70, rows).astype(object), random.choice(["yes", "no"], rows)
    risk = np.array(
        ["risk" if s == "yes" and a > 40 else "fine" for a, s in zip(age, smokes, strict=True)], dtype=object
    )
    noisy = random.random(rows) < 0.1
    risk[noisy] = random.choice(["risk", "fine"], int(noisy.sum()))
    age[random.random(rows) < 0.05] = None
    return Table(
        (Column.of("age", age.tolist()), Column.of("smokes", smokes.tolist())), Labels.of("risk", risk.tolist())
    )


def changed(table: Table, name: str, cells: object) -> Table:
    """The table with other cells in a column."""
    columns = tuple(Column.of(name, list(cells)) if one.name == name else one for one in table.columns)
    return replace(table, columns=columns)


def cells(table: Table, name: str) -> list:
    column = table.column(name)
    return [column.value(int(code)) for code in column.codes]


def with_test(model, table: Table):
    """The model, with what it does on records held back."""
    classes = model.statistics.classes
    split = HoldoutSplit(0, classes, (0,) * len(classes))
    origin = DataOrigin(split, "0" * 32, 10 * len(table), classes[0])
    return replace(model, tested=HoldoutResult(origin, count_rule_decisions(model.program, table)), origin=origin)


def model_with_test():
    """A model with a test."""
    return with_test(learn(UnlessLearner(warn=False), records(600)).model, records(300, 1))


FITTED = [model_with_test]


def truth(table: Table) -> np.ndarray:
    return table.labels.codes.astype(np.intp)


def checks(found, kind):
    return {(one.rule, one.label, one.feature): one for one in found.checks if one.kind == kind}


def test_records_like_those_of_training_raise_no_alarm(model):
    """Nothing moves in records of the same kind, and everything that can be compared is."""
    new = records(400, 2)
    found = watch(model, new, truth(new))
    assert not found.moved
    assert found.compared == len(found.checks)
    assert found.headline == f"nothing moved: {found.compared} checks on 400 records"
    assert {one.kind for one in found.checks} >= {"decides", "right", "accuracy", "labels", "missing"}


def test_shares_are_what_is_counted(model):
    """What a rule decides now and before, and how often it is right, are the counts of the records."""
    new = records(400, 2)
    found, now_, was = watch(model, new, truth(new)), count_rule_decisions(model.program, new), model.statistics
    test = model.tested.statistics
    for (rule, _, _), check in checks(found, "decides").items():
        assert (check.now.count, check.now.total) == (now_.support[rule], 400)
        assert (check.before.count, check.before.total) == (was.support[rule] + test.support[rule], 900)
        assert check.source == "training"
        assert check.chance == share_p_value(check.now.count, 400, check.before.count, 900)
    for (rule, _, _), check in checks(found, "right").items():
        assert (check.now.count, check.now.total) == (now_.right[rule], now_.support[rule])
        assert (check.before.count, check.before.total) == (test.right[rule], test.support[rule])
        assert check.source == "the test"
    (accuracy,) = checks(found, "accuracy").values()
    assert (accuracy.now.count, accuracy.before.count) == (now_.right.sum(), test.right.sum())
    assert found.accuracy == accuracy.now


def test_a_renamed_category_is_found(model):
    """Where a category is called by another word, the word, the rules that test the old one and the accuracy move."""
    new = records(400, 2)
    found = watch(
        model, changed(new, "smokes", [{"no": "YES"}.get(one, one) for one in cells(new, "smokes")]), truth(new)
    )
    kinds = {one.kind for one in found.moved}
    assert {"unseen", "decides", "accuracy"} <= kinds
    assert found.checks[0].moved
    assert any("YES" in found.about(one) for one in found.moved if one.kind == "unseen")


def test_lost_cells_are_found(model):
    """Cells that are missing more often than in training are an alarm."""
    new = records(400, 2)
    ages = [None if row % 5 == 0 else one for row, one in enumerate(cells(new, "age"))]
    moved = watch(model, changed(new, "age", ages), truth(new)).moved
    assert any(one.kind == "missing" and one.feature == "age" for one in moved)


def test_wrong_labels_are_found(model):
    """Where labels no longer follow the rules, the accuracy and the precision of rules move."""
    new = records(400, 2)
    flipped = np.where(np.arange(400) % 4 == 0, 1 - truth(new), truth(new))
    assert {"accuracy", "right"} <= {one.kind for one in watch(model, new, flipped).moved}


def test_the_precision_of_training_raises_no_alarm(model):
    """Without records held back the precision is shown beside that of training, which overstates it, and no more."""
    new = records(400, 2)
    wrong = 1 - truth(new)
    found = watch(replace(model, tested=None), new, wrong)
    assert all(one.chance is None and not one.moved for one in found.checks if one.kind in ("right", "accuracy"))
    assert {one.source for one in found.checks if one.kind == "right"} == {"training"}
    assert any("overstates" in note for note in found.notes)


def test_a_reference_is_compared_with_instead(model):
    """Earlier records stand in for training and test; then the precision can raise an alarm without a test."""
    new, old = records(400, 2), records(400, 3)
    found = watch(replace(model, tested=None), new, 1 - truth(new), reference=(old, truth(old)))
    assert {one.source for one in found.checks if one.kind != "unseen"} == {"the reference"}
    assert any(one.kind == "accuracy" for one in found.moved)
    unlabelled = watch(model, new, truth(new), reference=(old, None))
    assert any("reference has no true labels" in note for note in unlabelled.notes)
    assert next(one for one in unlabelled.checks if one.kind == "accuracy").chance is None


def test_labels_may_be_missing(model):
    """Only labelled records say how often rules are right; all of them say what rules decide."""
    new = records(400, 2)
    some = np.where(np.arange(400) < 100, truth(new), UNLABELLED)
    found = watch(model, new, some)
    assert (found.records, found.labelled) == (400, 100)
    assert next(one for one in found.checks if one.kind == "accuracy").now.total == 100
    none = watch(model, new)
    assert none.accuracy is None
    assert any("without true labels" in note for note in none.notes)
    assert not [one for one in none.checks if one.kind in ("right", "labels")]


def test_labels_that_training_did_not_have(model):
    """A new label is wrong whatever is decided, and is an alarm of its own."""
    new = records(400, 2)
    found = watch(model, new, np.where(np.arange(400) % 8 == 0, OTHER, truth(new)))
    (strange,) = [one for one in found.checks if one.kind == "labels" and one.label is None]
    assert strange.moved
    assert (strange.now.count, strange.before.count) == (50, 0)
    assert found.name(strange) == "labels that training did not have"


def test_places_of_labels_of_other_types():
    """A label that spells a class is that class; None is no label yet."""
    assert class_indices(("1", 0, True, None, "x"), (0, 1)).tolist() == [1, 0, 1, UNLABELLED, OTHER]


def test_whole_weights_are_repetitions(model):
    """Records of weight 2 are the same as the records twice; of other weights only the proportions matter."""
    new = records(200, 2)
    twice = watch(model, new[np.repeat(np.arange(200), 2)], np.repeat(truth(new), 2))
    weighted = watch(model, new, truth(new), np.full(200, 2.0))
    assert [one.chance for one in weighted.checks if one.kind != "unseen"] == [
        one.chance for one in twice.checks if one.kind != "unseen"
    ]
    once = watch(model, new, truth(new))
    half = watch(model, new, truth(new), np.full(200, 0.5))
    assert [one.chance for one in half.checks] == [one.chance for one in once.checks]


def test_weights_that_differ_are_less_evidence(model):
    """A few heavy records do not count as many: the same shares are more probable by chance."""
    new = changed(records(400, 2), "smokes", ["yes"] * 400)
    heavy = np.where(np.arange(400) % 20 == 0, 100.5, 0.5)
    equal, uneven = (checks(watch(model, new, None, one), "decides") for one in (None, heavy))
    key = max(equal, key=lambda one: equal[one].now.count)
    assert uneven[key].chance > equal[key].chance


def test_weighted_training_is_no_sample():
    """If training was weighted, its shares are shown but raise no alarm; with a test, the test is compared with."""
    found = learn(UnlessLearner(warn=False, class_weight="balanced"), records(600)).model
    new = changed(records(400, 2), "smokes", ["yes"] * 400)
    alone = watch(found, new)
    assert not [one for one in alone.moved if one.kind != "unseen"]
    assert any("weighted" in note for note in alone.notes)
    judged = watch(with_test(found, records(300, 1)), new)
    assert any(one.kind == "decides" and one.source == "the test" for one in judged.moved)


@pytest.mark.parametrize("held_back", [False, True])
def test_a_committee(held_back):
    """Of a committee, the list that imitates it tells what moves; labels and accuracy are those of the committee."""
    model = learn(CommitteeLearner(size=5, warn=False), records(600)).model
    if held_back:
        test, classes = records(300, 1), model.statistics.classes
        given = DriftCounts(model)
        given.add(test, truth(test))
        shown = replace(model.statistics, labels=(*classes, None), counts=given.given[:, : len(classes)])
        split = HoldoutSplit(0, classes, (0,) * len(classes))
        origin = DataOrigin(split, "0" * 32, 3000, classes[0])
        model = replace(model, tested=HoldoutResult(origin, shown))
    new = records(400, 2)
    found = watch(model, new, truth(new))
    assert not found.moved
    assert any("a committee of 5 lists decides" in note for note in found.notes)
    assert not checks(found, "right")
    decided = checks(found, "given")
    assert {one.before is not None for one in decided.values()} == {held_back}
    assert sum(one.now.count for one in decided.values()) == 400
    smokers = changed(new, "smokes", ["yes"] * 400)
    assert any(one.kind == "decides" for one in watch(model, smokers).moved)


@pytest.mark.parametrize("name", ["fold-rm", "fold-rpp", "unless"])
def test_models_of_earlier_versions(name):
    """A file of an earlier version can be watched; what it does not know is said."""
    found = read(OLD / f"model-v1-{name}.json")
    columns = [
        Column.of(feature, [None, 1.0] if kind == "number" else [None, "x"])
        for feature, kind in found.schema.kinds.items()
    ]
    seen = watch(found, Table(tuple(columns)))
    assert seen.records == 2
    assert any("does not know how many cells were missing" in note for note in seen.notes)
    assert all(one.before is None for one in seen.checks if one.kind == "missing")


def test_no_records(model):
    """Nothing moves where there is nothing."""
    found = watch(model, records(5)[:0])
    assert (found.records, found.checks, found.moved) == (0, (), ())
    assert found.headline == "there are no records"
    json.loads(found.log_line("x"))


def test_small_differences_can_be_left_out(model):
    """Shares that differ by less than asked raise no alarm, however many records there are."""
    new = changed(records(400, 2), "smokes", ["yes"] * 400)
    assert watch(model, new).moved
    assert all(abs(one.now.value - one.before.value) >= 0.3 for one in watch(model, new, least=0.3).moved)
    assert not watch(model, new, alpha=0.0, least=0.0).moved or watch(model, new, alpha=0.0).checks[0].chance == 0


@pytest.mark.parametrize("wrong", [{"alpha": 2}, {"alpha": True}, {"least": -0.1}, {"alpha": "x"}])
def test_what_is_no_share_is_refused(model, wrong):
    """Alpha and least are shares."""
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        watch(model, records(5), **wrong)


def test_rules_alone_cannot_be_watched(model):
    """A program does not know what it decided in training."""
    with pytest.raises(ParameterError, match="only rules"):
        watch(model.program, records(5))


def test_json_and_the_line_of_a_log(model):
    """Everything is plain data, and a log line is one line whatever the data is called."""
    new = records(400, 2)
    found = watch(model, new, truth(new))
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["records"] == 400
    assert len(document["checks"]) == len(found.checks) == len(found.rows)
    line = found.log_line("a\nb\x1b\u2028", datetime(2026, 1, 2, tzinfo=UTC))
    assert line.count("\n") == 1
    assert line.isascii()
    parsed = json.loads(line)
    assert parsed["time"] == "2026-01-02T00:00:00Z"
    assert (parsed["data"], parsed["model"], parsed["records"], parsed["alarms"]) == (
        "a\nb\x1b\u2028",
        found.fingerprint,
        400,
        0,
    )


def test_the_time_can_be_set(monkeypatch):
    """SOURCE_DATE_EPOCH sets the time, if it is one."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert current_time() == datetime(1970, 1, 2, tzinfo=UTC)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    assert current_time().year >= 2026


@pytest.mark.parametrize("algorithm", ["unless", "fold-rm"])
def test_false_alarms_are_rare(algorithm):
    """Of forty samples of the same kind, at most a few raise an alarm, whatever the learner (benchmarks/watch.py)."""
    model = with_test(learn(LEARNERS[algorithm](warn=False), records(300)).model, records(200, 1))
    samples = [records(200, seed) for seed in range(10, 50)]
    assert sum(bool(watch(model, one, truth(one)).moved) for one in samples) <= 5
