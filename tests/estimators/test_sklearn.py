"""The classifiers are scikit-learn's: its own checks pass, and its tools take them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from unless import FoldRMClassifier, FoldRPPClassifier, UnlessClassifier, UnlessCommittee

ALL = [UnlessClassifier(), FoldRMClassifier(), FoldRPPClassifier(), UnlessCommittee(size=12)]
DRIFT = pytest.mark.filterwarnings("ignore:values that training did not have")  # a committee tests all columns
each = pytest.mark.parametrize("model", ALL, ids=lambda model: type(model).__name__)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(ALL)
def test_scikit_learns_own_checks_pass(estimator, check):
    """No check of scikit-learn fails, and none is expected to."""
    check(estimator)


@pytest.fixture(scope="module")
def cancer():
    """Two classes, thirty columns of numbers, as a frame."""
    return load_breast_cancer(return_X_y=True, as_frame=True)


@each
def test_they_stand_in_pipelines(model, cancer):
    """A pipeline scales, then learns; its score is above chance."""
    X, y = cancer
    scaled = make_pipeline(StandardScaler().set_output(transform="pandas"), model).fit(X[::2], y[::2])
    assert scaled.score(X[1::2], y[1::2]) > 0.85
    assert list(scaled[-1].feature_names_in_) == list(X.columns)


@each
def test_they_take_what_a_column_transformer_gives(model, cancer):
    """An array without names is fine too."""
    X, y = cancer
    columns = ColumnTransformer([("some", "passthrough", ["mean radius", "worst area"])])
    assert make_pipeline(columns, model).fit(X, y).score(X, y) > 0.85


@DRIFT
@each
def test_a_grid_search_tunes_them(model, cancer):
    """Parameters may be numpy's, as a search over an array gives them."""
    X, y = cancer
    grid = {"ratio": np.array([0.3, 0.7], dtype=np.float32), "max_rules": np.arange(2, 4)}
    search = GridSearchCV(model, grid, cv=3, scoring=["accuracy", "neg_log_loss"], refit="accuracy").fit(X, y)
    assert search.best_score_ > 0.85
    assert search.best_estimator_.max_rules in (2, 3)


@DRIFT
@each
def test_cross_validation_scores_them(model, cancer):
    """Scores, probabilities and labels of folds."""
    X, y = cancer
    assert cross_val_score(model, X, y, cv=3, scoring="roc_auc").min() > 0.85
    assert cross_val_predict(model, X, y, cv=3, method="predict_proba").shape == (len(y), 2)


@each
def test_a_clone_is_unfitted_and_equal(model, cancer):
    """A clone has the parameters, learns the same, and takes changes."""
    first = clone(model).fit(*cancer)
    again = clone(first)
    assert not hasattr(again, "program_")
    assert again.get_params() == first.get_params()
    assert again.fit(*cancer).program_ == first.program_
    assert clone(first).set_params(ratio=0.1).ratio == 0.1


@DRIFT
@each
def test_meta_estimators_take_them(model, cancer):
    """Calibration, voting, bagging, stacking."""
    X, y = cancer
    voters = [("a", clone(model)), ("b", clone(model).set_params(ratio=0.2))]
    for outer in (
        CalibratedClassifierCV(model, cv=2),
        VotingClassifier(voters, voting="soft"),
        VotingClassifier(voters, voting="hard"),
        BaggingClassifier(model, 3, random_state=0),
        StackingClassifier(voters, LogisticRegression(), cv=2),
    ):
        assert outer.fit(X, y).score(X, y) > 0.85


def test_one_against_the_rest():
    """FOLD-R++ does several classes by way of scikit-learn."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    assert OneVsRestClassifier(FoldRPPClassifier()).fit(X, y).score(X, y) > 0.9


@each
def test_permutation_importance_agrees_on_what_is_unused(model, cancer):
    """A feature that no rule tests has no importance, theirs or ours."""
    X, y = cancer
    fitted = clone(model).fit(X, y)
    theirs = permutation_importance(fitted, X, y, n_repeats=2, random_state=0).importances_mean
    unused = ~X.columns.isin(list(getattr(fitted, "committee_", fitted.program_).used))
    assert not theirs[unused].any()
    assert not fitted.feature_importances_[unused].any()


@pytest.mark.filterwarnings("ignore:values that training did not have")
@each
def test_sample_weights_are_routed(model, cancer):
    """With metadata routing, weights reach fit and score where they are requested."""
    X, y = cancer
    weights = np.where(np.arange(len(y)) % 2, 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(model).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        routed = cross_validate(asking, X, y, cv=2, params={"sample_weight": weights}, return_estimator=True)
        plain = make_pipeline(StandardScaler(), clone(asking))
        plain[0].set_fit_request(sample_weight=False)
        plain.fit(X, y, sample_weight=weights)
    kept = weights > 0
    assert all(found.statistics_.total < kept.sum() for found in routed["estimator"])
    assert plain[-1].statistics_.total == kept.sum()


@each
def test_scorers_take_frames(model, cancer):
    """Named scorers work on frames with labels of text."""
    X, y = cancer
    words = y.map({0: "malignant", 1: "benign"}).astype("category")
    fitted = clone(model).fit(X, words)
    assert get_scorer("accuracy")(fitted, X, words) == pytest.approx(fitted.score(X, words))
    assert get_scorer("balanced_accuracy")(fitted, X, words) > 0.85


def test_set_output_and_tags():
    """The tags say what is taken: text, categories, missing cells, sparse matrices; FOLD-R++ has two classes only."""
    for model in ALL:
        tags = model.__sklearn_tags__()
        assert tags.input_tags.allow_nan
        assert tags.input_tags.string
        assert tags.input_tags.categorical
        assert tags.input_tags.sparse
        assert tags.classifier_tags.multi_class == (not isinstance(model, FoldRPPClassifier))


def test_frames_of_pandas_keep_their_index():
    """The index of a frame means nothing."""
    X = pd.DataFrame({"x": range(20)}, index=range(100, 120))
    y = pd.Series([0, 1] * 10, index=range(50, 70))
    assert UnlessClassifier().fit(X, y).predict(X).shape == (20,)
