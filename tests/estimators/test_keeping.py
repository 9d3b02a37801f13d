"""Classifiers tell what has moved, what comes back, and what they are."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import unless
from unless import FoldRMClassifier, FoldRPPClassifier, UnlessClassifier, UnlessCommittee
from unless.errors import ParameterError, UnknownNameError

X = pd.DataFrame({"age": [20 + k % 50 for k in range(400)], "smokes": ["yes", "no", None, "no"] * 100})
Y = pd.Series(
    ["risk" if s == "yes" and a > 40 else "fine" for a, s in zip(X["age"], X["smokes"], strict=True)], name="risk"
)
FITTED = [UnlessClassifier(), FoldRMClassifier(), FoldRPPClassifier(), UnlessCommittee(size=3)]


def test_records_of_training_have_not_moved(model):
    """Whatever holds the records: a frame of pandas or polars, or a list of dicts."""
    for data in (X, pl.from_pandas(X), X.astype(object).where(X.notna(), None).to_dict("records")):
        seen = model.watch(data, Y)
        assert (seen.records, seen.labelled, seen.moved) == (400, 400, ())


def test_changes_are_found_without_a_warning(model):
    """A change is in the result; it is not also a warning."""
    seen = model.watch(X.assign(smokes="yes"))
    assert seen.moved
    assert pd.DataFrame(seen.rows)["moved"].sum() == len(seen.moved)
    assert any(one.kind == "unseen" for one in model.watch(X.assign(smokes="YES")).moved)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_labels_may_come_later(model, missing):
    """None and NaN are labels that are not known yet; other labels are wrong decisions."""
    some = [missing if place % 2 else label for place, label in enumerate(Y)]
    assert model.watch(X, pd.Series(some, dtype=object)).labelled == 200
    assert model.watch(X, ["other"] * 400).accuracy.count == 0


def test_a_reference_and_weights(model):
    """Earlier records can be compared with, and weights count."""
    seen = model.watch(X, Y, sample_weight=np.full(400, 2.0), reference=(X, Y))
    assert seen.records == 800
    assert not seen.moved
    with pytest.raises(ParameterError, match="alpha"):
        model.watch(X, alpha=-1)
    with pytest.raises(UnknownNameError, match="lacks 1 of the training features"):
        model.watch(X[["age"]])


def test_stability_is_shown_among_the_rules(model):
    """After asking for it, ``rules_`` says how often each rule comes back; a committee has only decisions."""
    found = model.stability(X, Y, n=3)
    assert model.stability_ is found
    if isinstance(model, UnlessCommittee):
        assert found.rules == ()
        return
    assert list(model.rules_["returns"]) == [one.returns for one in found.rules]
    assert {"returns", "same_tests"} <= set(model.rules_.columns)
    assert pickle.loads(pickle.dumps(model)).stability_ is None
    assert "returns" not in clone(model).fit(X, Y).rules_.columns


def test_stability_needs_labels_of_training():
    """Other labels than those of training are refused."""
    model = UnlessClassifier().fit(X, Y)
    with pytest.raises(UnknownNameError, match="not a label of training"):
        model.stability(X, ["other"] * 400)
    with pytest.raises(ParameterError, match="n must be"):
        model.stability(X, Y, n=0)


def test_a_card(model):
    """Every classifier has a card, with its stability if that was asked for."""
    card = model.model_card(X, Y, by=["smokes"])
    assert card.tests.accuracy.value == model.score(X, Y)
    assert "# Model card: risk" in str(card)
    assert card.learner == type(model).__name__
    assert sum(one.records for one in card.groups) == 400


def test_unfitted_classifiers_say_so():
    """Before fit there is nothing to tell."""
    for ask in (lambda one: one.watch(X), lambda one: one.stability(X, Y)):
        with pytest.raises(NotFittedError):
            ask(UnlessClassifier())


def test_missing_cells_are_kept_with_the_model(tmp_path):
    """A model knows how many cells were missing in training, also after it was saved, edited or pickled."""
    model = UnlessClassifier().fit(X, Y)
    assert model.missing_counts_["smokes"] == 100
    model.save(tmp_path / "model.json")
    assert unless.load(tmp_path / "model.json").missing_counts_ == model.missing_counts_
    assert pickle.loads(pickle.dumps(model)).missing_counts_ == model.missing_counts_
    assert model.with_program(model.program_, X[:4], Y[:4]).missing_counts_["smokes"] == 1
    weighted = UnlessClassifier().fit(X, Y, sample_weight=[2.0] * 400)
    assert weighted.missing_counts_["smokes"] == 200


def test_sections_of_the_page(tmp_path):
    """A report has a section on what has moved, and one on what comes back, if it is given these."""
    pytest.importorskip("jinja2")
    model = UnlessClassifier().fit(X, Y)
    model.report(X, Y, tmp_path / "plain.html")
    assert 'id="watch"' not in (tmp_path / "plain.html").read_text()
    moved = model.watch(X.assign(smokes="<b>yes</b>"), Y)
    model.report(X, Y, tmp_path / "more.html", watch=moved, stability=model.stability(X, Y, n=2))
    text = (tmp_path / "more.html").read_text()
    assert '<section class="card" id="watch"' in text
    assert '<section class="card" id="stability"' in text
    assert "&lt;b&gt;yes&lt;/b&gt;" in text
    assert "<b>yes</b>" not in text
