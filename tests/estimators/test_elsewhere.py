"""A model goes where models go: pickle, cloudpickle, skops and MLflow bring it back as it was."""

from __future__ import annotations

import copy
import pickle

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import unless
from unless import FoldRMClassifier, FoldRPPClassifier, UnlessClassifier, UnlessCommittee
from unless.errors import ProgramError

X = pd.DataFrame(
    {
        "age": np.where(np.arange(200) % 11, np.arange(200) * 7 % 83, np.nan),
        "town": np.array(["Oslo", "Rome", None, "Zürich"], dtype=object)[np.arange(200) * 5 % 4],
    }
)
Y = ((X.age > 40) & (X.town != "Rome")).map({True: 1, False: 0}).rename("late")
FITTED = [
    UnlessClassifier(class_weight={0: 1, 1: 2.5}),
    FoldRMClassifier(otherwise=None, max_rules=2),
    FoldRPPClassifier(ratio=np.float32(0.5)),
    UnlessCommittee(size=4),
]
HOMES = {
    name: f"unless.estimators.{'committee_classifier' if 'Comm' in name else 'classifiers'}.{name}"
    for name in (type(one).__name__ for one in FITTED)
}


def same(back, model):
    """Whether a model came back as it was."""
    assert type(back) is type(model)
    assert vars(back).keys() == vars(model).keys()
    assert back.get_params() == model.get_params()
    assert str(back) == str(model)
    assert back.predict(X).tolist() == model.predict(X).tolist()
    assert np.array_equal(back.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(back.feature_importances_, model.feature_importances_)
    assert (back.classes_.dtype, list(back.feature_names_in_)) == (model.classes_.dtype, list(model.feature_names_in_))
    assert str(back.explain(X[:3])) == str(model.explain(X[:3]))
    assert str(back.counterfactuals(X[:1])) == str(model.counterfactuals(X[:1]))
    return True


@pytest.mark.parametrize("library", [pickle, cloudpickle], ids=lambda library: library.__name__)
def test_pickles_bring_everything_back(model, library):
    """Rules, figures, points, importances and what training had; no training records travel along."""
    data = library.dumps(model)
    assert same(library.loads(data), model)
    assert b"LazyValue" not in data
    assert b"unless.rule" not in data
    assert same(copy.deepcopy(model), model)


def test_a_pickle_is_checked_like_a_file(model):
    """What is inside is read as strictly as a model file."""
    state = model.__getstate__()
    broken = type(model).__new__(type(model))
    with pytest.raises(ProgramError, match="the pickled model: "):
        broken.__setstate__({**state, "_file": state["_file"].replace('"version": 1', '"version": 99')})


def test_parameters_that_no_file_can_hold_are_pickled():
    """A teacher and a source of random numbers stay what they are; an unfitted classifier is its parameters."""
    taught = UnlessClassifier(teacher=RandomForestClassifier(n_estimators=5), random_state=np.random.RandomState(0))
    back = pickle.loads(pickle.dumps(taught))
    assert isinstance(back.teacher, RandomForestClassifier)
    assert not hasattr(back, "program_")
    again = pickle.loads(pickle.dumps(taught.fit(X[["age"]], Y)))
    assert again.distillation_ == taught.distillation_
    assert again.program_ == taught.program_
    assert isinstance(again.random_state, np.random.RandomState)


class TestSkops:
    """skops asks for trust in types: one name is enough."""

    def test_only_the_classifier_needs_trust(self, model):
        """Its own type, and nothing inside of it."""
        io = pytest.importorskip("skops.io", reason="skops is not installed")
        data = io.dumps(model)
        name = type(model).__name__
        assert io.get_untrusted_types(data=data) == [HOMES[name]]
        assert same(io.loads(data, trusted=[HOMES[name]]), model)

    def test_inside_of_a_pipeline(self, tmp_path):
        """A pipeline needs trust in the same one name."""
        io = pytest.importorskip("skops.io", reason="skops is not installed")
        pipeline = make_pipeline(FunctionTransformer(), UnlessClassifier()).fit(X, Y)
        io.dump(pipeline, tmp_path / "pipeline.skops")
        back = io.load(tmp_path / "pipeline.skops", trusted=[HOMES["UnlessClassifier"]])
        assert back.predict(X).tolist() == pipeline.predict(X).tolist()

    def test_nothing_runs_without_trust(self, model):
        """A file that is not trusted is refused by skops."""
        io = pytest.importorskip("skops.io", reason="skops is not installed")
        with pytest.raises(TypeError, match="Untrusted types"):
            io.loads(io.dumps(model))


@pytest.mark.filterwarnings("default")  # MLflow's own
def test_mlflow(model, tmp_path):
    """MLflow's default format takes a model with one trusted type, and serves it."""
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    path = str(tmp_path / "model")
    mlflow.sklearn.save_model(model, path, skops_trusted_types=[HOMES[type(model).__name__]])
    assert same(mlflow.sklearn.load_model(path), model)
    assert mlflow.pyfunc.load_model(path).predict(X).tolist() == model.predict(X).tolist()


def test_an_edited_copy_leaves_the_model_alone():
    """with_program gives a copy: the model keeps its rules, points and figures."""
    model = UnlessClassifier().fit(X, Y)
    before = str(model)
    edited = model.with_program(unless.Program("late", model.program_.features, (), 0), X, Y)
    assert (len(edited.program_), str(model)) == (0, before)
    assert edited.get_params() == model.get_params()
