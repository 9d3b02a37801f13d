"""n_jobs of the classifiers: how many threads learn, and nothing else."""

from __future__ import annotations

import pickle
import sys

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from unless import FoldRMClassifier, FoldRPPClassifier, UnlessClassifier, UnlessCommittee, load
from unless.errors import ParameterError
from unless.estimators.learners import LEARNERS, learn
from unless.kernels import binning
from unless.read.table import read_table

CLASSIFIERS = [FoldRMClassifier, FoldRPPClassifier, UnlessClassifier, UnlessCommittee]
OPTIONS = {UnlessCommittee: {"size": 3}}


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    """Threads share the work on ten rows and more."""
    monkeypatch.setattr(binning, "MANY", 10)


@pytest.fixture(scope="module")
def records():
    """Numbers, categories, labels and weights of 200 records."""
    rng = np.random.default_rng(0)
    x, kind = rng.normal(size=200).round(2), rng.integers(0, 4, 200)
    cells = [{"x": float(number), "kind": f"k{k}"} for number, k in zip(x, kind, strict=True)]
    labels = [
        "yes" if (number > 0.3 and k != 2) or chance < 0.1 else "no"
        for number, k, chance in zip(x, kind, rng.random(200), strict=True)
    ]
    return cells, labels, rng.integers(0, 3, 200).astype(float)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_model_is_the_same(classifier, records, tmp_path):
    """Whatever n_jobs, the rules, the probabilities and the model's file are the same, to the last byte."""
    cells, labels, weights = records
    files = set()
    for jobs in (None, 1, 2, 3, -1):
        model = classifier(n_jobs=jobs, warn=False, **OPTIONS.get(classifier, {})).fit(cells, labels, weights)
        model.save(tmp_path / "model.json")
        files.add((tmp_path / "model.json").read_bytes())
    assert len(files) == 1
    assert load(tmp_path / "model.json").n_jobs == classifier().n_jobs


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_it_is_a_parameter_like_others(classifier, records):
    """It is got, set, cloned and pickled."""
    cells, labels, _ = records
    model = classifier(n_jobs=2, warn=False, **OPTIONS.get(classifier, {})).fit(cells, labels)
    assert clone(model).get_params()["n_jobs"] == 2
    assert clone(model).set_params(n_jobs=3).n_jobs == 3
    again = pickle.loads(pickle.dumps(model))
    assert again.n_jobs == 2
    assert again.predict(cells).tolist() == model.predict(cells).tolist()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_what_is_no_number_of_threads(classifier, records):
    """A wrong value is an error of fit, with few records too."""
    with pytest.raises(ParameterError, match="n_jobs must be a whole number, but not 0, or None, not 0"):
        classifier(n_jobs=0, **OPTIONS.get(classifier, {})).fit(records[0][:9], records[1][:9])


def test_joblib_says_how_many(records, monkeypatch):
    """Without a number, as many threads start as joblib's context says; elsewhere none."""
    started = []
    module = sys.modules["unless.kernels.work_sharing"]
    real = module.start_new_thread
    monkeypatch.setattr(module, "start_new_thread", lambda *given: started.append(given) or real(*given))
    monkeypatch.setattr("unless.threads.available_cores", lambda: 2)
    UnlessClassifier(warn=False).fit(*records[:2])
    assert not started
    with joblib.parallel_config("threading", n_jobs=2):
        UnlessClassifier(warn=False).fit(*records[:2])
    assert started


def test_processes_and_threads_together(records):
    """Folds in processes of their own, and threads in each of them, score as without."""
    cells, labels, _ = records
    array = np.array([[row["x"], int(row["kind"][1])] for row in cells])
    expected = cross_val_score(UnlessClassifier(warn=False), array, labels, cv=3)
    found = cross_val_score(UnlessClassifier(warn=False, n_jobs=2), array, labels, cv=3, n_jobs=2)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_of_the_command(name, records):
    """The learners behind the command learn the same with threads."""
    cells, labels, _ = records
    table = read_table([{**row, "y": label} for row, label in zip(cells, labels, strict=True)], "y")
    options = {"size": 3} if name == "committee" else {}
    found = [learn(LEARNERS[name](n_jobs=jobs, **options), table).model for jobs in (1, 3)]
    assert found[0].program == found[1].program
