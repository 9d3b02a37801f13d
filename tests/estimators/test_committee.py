"""The classifier of many lists: what it predicts, explains and saves."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest

import unless
from unless import Interrupted, UnlessCommittee
from unless.errors import ParameterError, ProgramError, UnlessError
from unless.estimators import training_data
from unless.estimators.model_file import read
from unless.learn import committee_learner, unless_learner

CITIES = ["Oslo", "Rome", None]


def records(rows=300, seed=0):
    """Records of numbers, text and missing cells, with three labels."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows).astype(float),
            "income": np.where(rng.random(rows) < 0.1, np.nan, rng.integers(0, 90, rows) * 1000.0),
            "city": [CITIES[k] for k in rng.integers(0, 3, rows)],
        }
    )
    risky = (frame.age < 30) & ~(frame.income > 40_000)
    return frame, np.where(risky, "reject", np.where(frame.city == "Rome", "ask", "accept"))


X, Y = records()


FITTED = [UnlessCommittee(size=15)]


def test_probabilities_are_of_the_points(model):
    """The label has the largest probability, which is the share of the odds that its points stand for."""
    new, truth = records(200, 1)
    shares = model.predict_proba(new)
    assert shares.shape == (200, 3)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (model.predict(new) == model.classes_[shares.argmax(axis=1)]).all()
    assert model.score(new, truth) > 0.95
    assert model.apply(new).shape == (200, 15)
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_an_explanation_adds_up(model):
    """The points of the base and of all lists are the total, whose shares are the probabilities."""
    for row, tally in enumerate(model.explain(X[:30])):
        parts = [tally.base, *(vote.points for vote in tally.votes)]
        assert tally.total == tuple(map(sum, zip(*parts, strict=True)))
        assert tally.label == model.predict(X[row : row + 1])[0]
        assert list(tally.probabilities.values()) == pytest.approx(model.predict_proba(X[row : row + 1])[0])
        assert [vote.proof.decided for vote in tally.votes] == model.apply(X[row : row + 1])[0].tolist()
        for vote in tally.carrying:
            assert tally.lead(vote.points) > 0
        document = json.loads(json.dumps(tally.to_dict()))
        assert document["total"] == list(tally.total)
        lines = tally.text(most=4).split("\n")
        assert lines[0] == str(tally)
        assert str(tally).startswith(f"label {tally.label}, with probability ")
        shown = [[int(cell.replace(",", "")) for cell in line.split()[:3]] for line in lines[2:-1]]
        assert [sum(column) for column in zip(*shown[:-1], strict=True)] == shown[-1]
        assert "<" in (tally._repr_html_() or "")


def test_counterfactuals_are_verified(model):
    """Every change gives the label it says, and leaves fixed features as they are."""
    for row in range(12):
        record = X.iloc[row].to_dict()
        before = model.predict([record])[0]
        for label in (None, "ask", "reject"):
            found = model.counterfactuals(record, label, fixed=["city"])
            for one in found:
                changed = {**record, **{change.feature: change.new for change in one.changes}}
                after = model.predict([changed])[0]
                assert after == one.label != before
                assert label in (None, after)
                assert "city" not in {change.feature for change in one.changes}
                assert one.outcome.startswith(f"{after} (0.")
                for change in one.changes:
                    if change.end is not None:
                        beyond = np.nextafter(change.end, np.inf) if change.how == "above" else change.end
                        assert model.predict([{**changed, change.feature: beyond}])[0] != after
    assert len(model.counterfactuals(X.iloc[0])) > 1
    assert model.counterfactuals(X.iloc[0], fixed=["age", "income", "city"]).found == ()
    with pytest.raises(UnlessError, match="no class 'acept'; did you mean 'accept'"):
        model.counterfactuals(X.iloc[0], "acept")


def test_a_file_holds_everything(model, tmp_path):
    """A saved committee predicts, explains and shows the same, and is saved the same again."""
    path, again = tmp_path / "committee_learner.json", tmp_path / "again.json"
    model.save(path)
    loaded = unless.load(path)
    assert type(loaded) is UnlessCommittee
    assert loaded.get_params() == model.get_params()
    assert loaded.committee_ == model.committee_
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all()
    assert loaded.program_ == model.program_
    assert loaded.agreement_ == model.agreement_
    assert (loaded.feature_importances_ == model.feature_importances_).all()
    assert str(loaded) == str(model)
    loaded.save(again)
    assert path.read_bytes() == again.read_bytes()
    assert pickle.loads(pickle.dumps(model)).committee_ == model.committee_


def _changed(document, *steps):
    *inner, last, value = steps
    for step in inner:
        document = document[step]
    if value is KeyError:
        del document[last]
    else:
        document[last] = value


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (("version", 2), "newer"),
        (("lists", 0, "points", 0, 0, 2**31), r"lists\[0\].points\[0\]\[0\]: expected a whole number from"),
        (("lists", 0, "points", 0, 0, 1.5), r"lists\[0\].points\[0\]\[0\]: expected a whole number from"),
        (("lists", 0, "points", 0, [1]), r"lists\[0\].points\[0\]: expected 3 numbers; there are 1"),
        (("lists", 0, "points", []), r"lists\[0\].points: expected \d+ rows?, one for each rule; there are 0"),
        (("lists", 0, "rules", []), r"lists\[0\].points: expected 0 rows"),
        (("lists", 1, "rules", 0, "default", [["nothing", "<=", 1.0]]), r"lists\[1\].rules\[0\].default\[0\]\[0\]"),
        (("lists", 0, "more", 1), "unknown key"),
        (("more", 1), "unknown key"),
        (("base", [1, 2]), "base: expected 3 numbers; there are 2"),
        (("classes", ["accept", "ask"]), r"lists\[0\].points\[0\]: expected 2 numbers"),
        (("classes", ["accept", "ask", "zzz"]), "not a class|not the classes"),
        (("student", "agreement", 2), "agreement"),
        (("student", "statistics", "counts", []), "student.statistics.counts"),
        (("student", KeyError), '"student" is missing'),
        (("columns", "kinds", []), "columns.kinds"),
        (("importances", [1.0]), "importances: expected 3 shares"),
        (("tuned", [["penalty", -1]]), r"tuned\[0\]\[1\]: expected a number from 0 to 1e200, not -1"),
        (("parameters", [["sze", 3]]), "no parameter 'sze'; did you mean 'size'"),
    ],
)
def test_a_file_of_a_stranger_is_refused_at_worst(model, tmp_path, steps, said):
    """Whatever is wrong in a file is an error that says where."""
    path = tmp_path / "committee_learner.json"
    model.save(path)
    document = json.loads(path.read_text())
    _changed(document, *steps)
    path.write_text(json.dumps(document))
    with pytest.raises(ProgramError, match=said):
        unless.load(path)


def test_its_model_gives_its_probabilities(model, tmp_path):
    """Probabilities of a model are those of what decides, not of the list that imitates it; from a file, too."""
    model.save(tmp_path / "model.json")
    for one in (model, unless.load(tmp_path / "model.json")):
        table = unless.read_table(X, like=one)
        assert np.array_equal(one.model_.probabilities(table), model.predict_proba(X))
        assert np.array_equal(one.model_.points(table), model.committee_.sums(table))


def test_the_student_is_shown_not_obeyed(model, tmp_path):
    """The program of a committee is one list that imitates it; how often both agree is known."""
    agreed = unless.predict(model.program_, unless.read_table(X, like=model)) == model.predict(X)
    assert model.agreement_ == pytest.approx(agreed.mean())
    assert "It decides; this list imitates it, and agrees on" in str(model)
    assert model.card_.program == model.program_  # the page shows how sure that list is
    model.save(tmp_path / "committee_learner.json")
    assert unless.load(tmp_path / "committee_learner.json").card_.points.tolist() == model.card_.points.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_weights_are_repetitions(seed):
    """A record of weight 2 is the same as two."""
    features, labels = records(300, seed)
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(300) < 0.2, rng.choice(labels, 300), labels)
    weights = rng.integers(0, 4, len(features))
    repeated = np.repeat(np.arange(len(features)), weights)
    weighed = UnlessCommittee(size=12, n_jobs=1, warn=False).fit(features, labels, weights)
    twice = UnlessCommittee(size=12, n_jobs=1, warn=False).fit(features.iloc[repeated], labels[repeated])
    assert weighed.committee_ == twice.committee_


def test_weights_and_seeds():
    """Seeds may be numbers or sources of numbers; a label that weighs much is given more often."""
    some = UnlessCommittee(size=5).fit(X, Y)
    one, other, third = (UnlessCommittee(size=3, random_state=state).fit(X, Y) for state in (1, 2, 1))
    assert one.committee_ == third.committee_ != other.committee_
    for state in (None, np.random.RandomState(0), np.random.default_rng(0), np.int64(3)):
        assert len(UnlessCommittee(size=3, random_state=state).fit(X, Y).lists_) == 3
    heavy = UnlessCommittee(size=5, class_weight={"reject": 50.0}).fit(X, Y)
    assert (heavy.predict(X) == "reject").sum() >= (some.predict(X) == "reject").sum()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"size": 0}, "size must be a whole number of at least 1"),
        ({"size": 2.5}, "size"),
        ({"rate": 2}, "rate must be a number from 0 to 1"),
        ({"penalty": -1}, "penalty must be a number of at least 0"),
        ({"random_state": -1}, "random_state"),
        ({"max_rules": 0}, "max_rules"),
        ({"max_seconds": "x"}, "max_seconds"),
    ],
)
def test_wrong_parameters(parameters, said):
    """A parameter that makes no sense is named."""
    with pytest.raises(ParameterError, match=said):
        UnlessCommittee(**parameters).fit(X, Y)
    with pytest.raises(ParameterError, match="n_jobs must be"):
        UnlessCommittee(size=1, n_jobs=0).fit(X, Y).predict(X)


def test_what_a_committee_does_not_do(model):
    """Some questions are about one list."""
    with pytest.raises(ParameterError, match="no single rule"):
        model.why_not(X.iloc[0], "ask")
    with pytest.raises(ParameterError, match="many programs"):
        model.with_program(model.program_, X, Y)
    with pytest.raises(ParameterError, match="have their own points; use explain"):
        model.score_card(X.iloc[0])


def test_ctrl_c_keeps_the_lists_so_far(monkeypatch, tmp_path):
    """After Ctrl-C the committee is fitted with the lists that it has."""
    real = committee_learner.learn_committee

    def stopped(*args, **others):
        *most, progress = args

        def stop(lists, rules):
            if lists == 2:
                raise KeyboardInterrupt
            return progress(lists, rules)

        return real(*most, stop, **others)

    monkeypatch.setattr("unless.learn.committee_learner.learn_committee", stopped)
    model = UnlessCommittee()
    with pytest.raises(Interrupted):
        model.fit(X, Y)
    assert len(model.lists_) == 2
    model.save(tmp_path / "some.json")
    assert len(read(tmp_path / "some.json").decider) == 2


def board(rows=1500):
    """The fields of a chessboard: lists learn more of it with a smaller penalty."""
    cells = np.random.default_rng(0).random((rows, 2)) * 5
    return cells, np.where(np.floor(cells).sum(axis=1) % 2, "black", "white")


def test_what_trials_chose_is_known(tmp_path):
    """A committee says which settings trials chose, also from its file; None, if the given ones stay."""
    model = UnlessCommittee(size=26).fit(*board())
    assert model.tuned_["penalty"] < 1
    assert model.tuned_["min_support"] < 3
    model.save(tmp_path / "committee_learner.json")
    assert (
        unless.load(tmp_path / "committee_learner.json").tuned_
        == pickle.loads(pickle.dumps(model)).tuned_
        == model.tuned_
    )
    assert model.get_params()["penalty"] == 1
    assert UnlessCommittee(size=3).fit(X, Y).tuned_ is None


def test_trials_take_a_third_of_the_time(monkeypatch):
    """With `max_seconds`, trials that are too slow leave time for the lists."""
    now, real = [0.0], committee_learner._trial_losses

    def slow(*given):
        now[0] = 0.5
        return real(*given)

    monkeypatch.setattr(training_data.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(committee_learner, "_trial_losses", slow)
    model = UnlessCommittee(size=26, max_seconds=1).fit(*board())
    assert now[0] == 0.5
    assert model.tuned_ is None
    assert len(model.lists_) == 26


def test_what_a_committee_says_that_tests_nothing():
    """The remark names the label that is predicted, and does not advise what was done."""
    features = pd.DataFrame({"x": [0, 1, 2, 3]})
    for labels in (["a", "b", "a", "b"], ["b", "a", "b", "a"]):
        with pytest.warns(unless.errors.TrainingWarning) as said:
            model = UnlessCommittee().fit(features, labels)
        (label,) = set(model.predict(features))
        assert f"says the same of every record, {label!r}: no rule" in str(said[0].message)
        assert "or with class_weight='balanced'." in str(said[0].message)
        assert "in UnlessCommittee" not in str(said[0].message)


def test_ctrl_c_while_the_student_learns(monkeypatch):
    """Then all lists are there, and the rules that the student has so far."""
    real = unless_learner.learn_unless

    def stopped(engine, *settings):
        def stop(_, rules):
            if rules == 1:
                raise KeyboardInterrupt

        return real(engine, *settings, stop)

    monkeypatch.setattr("unless.learn.unless_learner.learn_unless", stopped)
    model = UnlessCommittee(size=4)
    with pytest.raises(Interrupted):
        model.fit(X, Y)
    assert len(model.lists_) == 4
    assert len(model.program_) <= 2


def test_a_time_limit_and_progress(capsys):
    """No time gives one list, and none to imitate it; progress goes to standard error."""
    model = UnlessCommittee(max_seconds=0, verbose=True).fit(X, Y)
    assert len(model.lists_) == 1
    assert len(model.program_) == 1
    assert "of 100 lists" in capsys.readouterr().err


def test_hard_cases():
    """One class, all cells missing, labels with one record: a committee that says what there is."""
    assert UnlessCommittee(size=3).fit([[1.0], [2.0]], [5, 5]).predict([[3.0]]).tolist() == [5]
    empty = pd.DataFrame({"a": [None] * 4, "b": [None] * 4})
    assert UnlessCommittee(size=3).fit(empty, list("xxxy")).predict(empty).tolist() == ["x"] * 4
    many = UnlessCommittee(size=3).fit([[float(k)] for k in range(30)], list(range(30)))
    assert many.predict_proba([[3.0]]).shape == (1, 30)
