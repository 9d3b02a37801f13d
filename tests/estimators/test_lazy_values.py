"""What a fit leaves for later: points and importances are computed when somebody asks, and then once."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier, Event

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score, cross_validate

from unless import FoldRMClassifier, Table, UnlessClassifier, UnlessCommittee, load, read_table
from unless.estimators.classifiers import RuleClassifier
from unless.learn import score_fitting
from unless.learn.score_fitting import fit_score_card
from unless.model.lazy_value import LazyValue, value_of

RANDOM = np.random.default_rng(3)
X = np.column_stack([RANDOM.integers(0, 30, 400), RANDOM.integers(0, 9, 400)]).astype(float)
y = np.where((X[:, 0] > 14) ^ (RANDOM.random(400) < 0.1), "high", "low")
CLASSIFIERS = [FoldRMClassifier, UnlessClassifier]


@pytest.fixture
def fitted_cards(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The programs whose points were fitted."""
    found: list[object] = []
    fit = score_fitting.Regression

    def noted(*given: object) -> object:
        found.append(given[0])
        return fit(*given)

    monkeypatch.setattr(score_fitting, "Regression", noted)
    return found


@pytest.fixture(params=CLASSIFIERS)
def model(request: pytest.FixtureRequest) -> RuleClassifier:
    """A classifier that nobody has asked for probabilities."""
    return request.param(warn=False).fit(X, y)


class TestLazyValue:
    """A value that is computed when somebody first asks for it."""

    def test_it_is_computed_once(self) -> None:
        """Later uses give the same object."""
        lazy = LazyValue(object)
        assert lazy.value is lazy.value is value_of(lazy)
        assert value_of(3) == 3

    def test_what_it_was_computed_from_is_released(self) -> None:
        """The records go when the value is there."""
        records = Released()
        alive = weakref.ref(records)
        lazy = LazyValue(records.answer)
        del records
        assert alive() is not None
        assert lazy.value == 42
        gc.collect()
        assert alive() is None

    def test_an_exception_leaves_it_as_it_was(self) -> None:
        """After Ctrl-C the next use computes it again."""
        tries: list[int] = []

        def compute() -> int:
            tries.append(1)
            if len(tries) == 1:
                raise KeyboardInterrupt
            return len(tries)

        lazy = LazyValue(compute)
        with pytest.raises(KeyboardInterrupt):
            _ = lazy.value
        assert (lazy.value, lazy.value) == (2, 2)

    def test_threads_get_the_same_object(self) -> None:
        """The second thread waits for the first, and computes nothing."""
        entered, computed = Event(), []

        def compute() -> object:
            entered.set()
            entered.wait(0.05)
            computed.append(object())
            return computed[-1]

        lazy, start = LazyValue(compute), Barrier(4)

        def ask(_: int) -> object:
            start.wait()
            return lazy.value

        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(ask, range(4)))
        assert len(computed) == 1
        assert all(one is computed[0] for one in found)

    def test_it_may_be_asked_while_it_is_computed(self) -> None:
        """What asks in the same thread, such as a signal handler, does not wait for itself."""
        depth: list[int] = []

        def compute() -> int:
            depth.append(1)
            return 1 if len(depth) > 1 else lazy.value + 1

        lazy = LazyValue(compute)
        assert lazy.value == 2

    @pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
    def test_copies_hold_the_value_alone(self, copied) -> None:
        """A pickle and a deep copy compute first."""
        assert copied(LazyValue(Released().answer)) == 42


class Released:
    """Records of an answer."""

    def answer(self) -> int:
        """Return the answer."""
        return 42


def test_a_fit_computes_no_points(model, fitted_cards) -> None:
    """Neither fitting nor predicting, explaining or scoring needs them."""
    model = clone(model).fit(X, y)
    model.predict(X)
    model.explain(X[:1])
    model.score(X, y)
    cross_val_score(model, X, y, cv=2)
    assert not fitted_cards
    model.predict_proba(X[:1])
    model.predict_proba(X)
    assert len(fitted_cards) == 1


def test_points_are_those_of_an_eager_fit(model) -> None:
    """What is held until then gives the points that all training records give, to the last one."""
    table = read_table(np.column_stack([X, X[:, 0] + X[:, 1]]))  # also with columns that no rule tests
    records = Table(table.columns, model_labels(), len(table))
    late = type(model)(warn=False).fit(records)
    eager = fit_score_card(late.program_, records)
    assert late.card_ is not None
    assert late.card_.points.tolist() == eager.points.tolist()
    assert late.card_.cuts == eager.cuts


def model_labels():
    """The labels as a table has them."""
    return read_table([{"y": one} for one in y], "y").labels


def test_ctrl_c_while_points_are_computed(model, monkeypatch) -> None:
    """The interruption reaches the caller, the classifier still predicts, and the next call computes all."""
    wanted = clone(model).fit(X, y).predict_proba(X)

    def press(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(score_fitting, "Regression", press)
        with pytest.raises(KeyboardInterrupt):
            model.predict_proba(X)
        assert model.predict(X).tolist() == clone(model).fit(X, y).predict(X).tolist()
    np.testing.assert_array_equal(model.predict_proba(X), wanted)


def test_threads_share_the_points(model, fitted_cards) -> None:
    """Threads that ask at the same time get the same score card, which is fitted once."""
    start = Barrier(4)

    def ask(_: int) -> object:
        start.wait()
        return model.card_

    with ThreadPoolExecutor(4) as pool:
        cards = list(pool.map(ask, range(4)))
    assert len(fitted_cards) == 1
    assert all(card is cards[0] for card in cards)


@pytest.mark.parametrize("classifier", [*CLASSIFIERS, UnlessCommittee])
def test_threads_predict_at_once(classifier) -> None:
    """The first calls of several threads, of one record and of many, give what one thread gives."""
    fitted = classifier(warn=False).fit(X, y)
    alone = clone(fitted).fit(X, y)
    parts, start = [X, X[:1], X[7:8], X[:50]], Barrier(4)

    def ask(place: int) -> list[object]:
        start.wait()
        return [fitted.predict_proba(parts[place]).tolist(), fitted.predict(parts[place]).tolist()]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, range(4)))
    assert found == [[alone.predict_proba(part).tolist(), alone.predict(part).tolist()] for part in parts]


def test_a_fit_in_another_process_gives_the_same(model, tmp_path) -> None:
    """With another seed of hashes, too: programs and probabilities are those of this process, bit for bit."""
    np.savez(tmp_path / "data", x=X, y=y)
    code = (
        f"import numpy, unless; data = numpy.load('data.npz'); X = data['x']\n"
        f"model = unless.{type(model).__name__}(warn=False).fit(X, data['y'])\n"
        "numpy.save('p', model.predict_proba(X)); print(model.program_)"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, check=True, env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == str(model.program_)
    np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), model.predict_proba(X))


def test_what_is_held_is_codes_and_then_nothing(model) -> None:
    """Until somebody asks, columns that rules test are held as codes; afterwards no records are."""
    wide = np.column_stack([X, RANDOM.random((len(X), 20))])
    late = clone(model).set_params(max_rules=2).fit(wide, y)
    held = late.model_.lazy_card._compute.args[1]
    assert held.features == late.program_.used
    assert sum(column.codes.nbytes for column in held.columns) <= 2 * len(X) * len(late.program_.used)
    alive = weakref.ref(held)
    _ = late.card_, late.feature_importances_
    del held
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_have_the_same_probabilities(model, again) -> None:
    """Copies and pickles compute the points first, so that they hold no training records."""
    other = again(model)
    assert not isinstance(other.model_.lazy_card, LazyValue)
    np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))


def test_a_clone_is_not_fitted(model) -> None:
    """As everywhere in scikit-learn, a clone has the parameters alone."""
    assert not hasattr(clone(model), "card_")


def test_a_model_with_other_parts_shares_the_points(model, fitted_cards) -> None:
    """Replacing a part of the model neither computes points nor computes them twice."""
    other = replace(model.model_, tuned={"ratio": 0.5})
    assert not fitted_cards
    assert other.card is model.card_
    assert len(fitted_cards) == 1


def test_another_process_finds_the_same(tmp_path) -> None:
    """A file, a joblib dump and a fit in another process give the probabilities of this one, bit for bit."""
    models = [*(classifier(warn=False) for classifier in CLASSIFIERS), UnlessCommittee(warn=False, size=5)]
    joblib.dump([model.fit(X, y) for model in models], tmp_path / "dumped")
    np.save(tmp_path / "x.npy", X)
    code = (
        "import joblib, numpy; X = numpy.load('x.npy')\n"
        "numpy.savez('p', *[model.predict_proba(X) for model in joblib.load('dumped')])"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    for model, found in zip(models, np.load(tmp_path / "p.npz").values(), strict=True):
        model.save(tmp_path / "model.json")
        wanted = model.predict_proba(X)
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(load(tmp_path / "model.json").predict_proba(X), wanted)
        np.testing.assert_array_equal(clone(model).fit(X, y).predict_proba(X), wanted)


def test_cross_validation_returns_estimators_that_tell_probabilities() -> None:
    """Workers that return fitted classifiers return their points."""
    found = cross_validate(
        UnlessClassifier(warn=False), X, y, cv=2, n_jobs=2, return_estimator=True, scoring="neg_log_loss"
    )
    alone = cross_validate(UnlessClassifier(warn=False), X, y, cv=2, return_estimator=True, scoring="neg_log_loss")
    assert found["test_score"].tolist() == alone["test_score"].tolist()
    for one, other in zip(found["estimator"], alone["estimator"], strict=True):
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
