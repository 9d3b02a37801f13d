"""Lists that imitate a teacher, and tuned settings: classifiers, model files, the command."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import unless
from unless.errors import ParameterError, ProgramError
from unless.learn.distillation import count_rules_and_exceptions

RNG = np.random.default_rng(0)
N = 240
X = pd.DataFrame({"x": RNG.normal(size=N), "y": RNG.normal(size=N), "colour": RNG.choice(["red", "green"], N)})
Y = np.where(X["x"] * X["y"] + (X["colour"] == "red") > 0.5, "yes", "no")


ENCODER = OneHotEncoder(sparse_output=False, handle_unknown="ignore")


@pytest.fixture(scope="module")
def taught():
    """A list that imitates a committee."""
    return unless.UnlessClassifier(teacher="committee").fit(X, Y)


def test_a_committee_teaches(taught):
    """The model knows its teacher and how often both agree; it is at most three times as long as without."""
    assert taught.distillation_.teacher == "committee"
    assert 0.6 < taught.distillation_.agreement <= 1
    assert 20 < taught.distillation_.records < 80
    assert count_rules_and_exceptions(taught.program_) <= 3 * count_rules_and_exceptions(
        unless.UnlessClassifier().fit(X, Y).program_
    )
    assert unless.UnlessClassifier().fit(X, Y).distillation_ is None
    assert unless.UnlessClassifier(teacher="committee").fit(X, Y).program_ == taught.program_


def test_files_know_the_teacher(taught, tmp_path):
    """A model file keeps teacher and agreement, and a file that says nonsense of them is refused."""
    path = tmp_path / "model.json"
    taught.save(path)
    again = unless.load(path)
    assert again.distillation_ == taught.distillation_
    assert again.teacher == "committee"
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    text = path.read_text()
    for wrong in ("2.5", '"much"', "-1", "null", "NaN"):
        path.write_text(text.replace(f'"committee", {taught.distillation_.agreement}', f'"committee", {wrong}'))
        assert path.read_text() != text
        with pytest.raises(ProgramError):
            unless.load(path)


@pytest.mark.parametrize("fitted", [True, False])
def test_any_classifier_teaches(fitted, tmp_path):
    """A classifier of scikit-learn, fitted or not; the file has its name, and loading forgets the object."""
    teacher = make_pipeline(OneHotEncoder(handle_unknown="ignore"), RandomForestClassifier(random_state=0))
    model = unless.UnlessClassifier(teacher=teacher.fit(X, Y) if fitted else teacher).fit(X, Y)
    assert model.distillation_.teacher == "Pipeline"
    model.save(tmp_path / "model.json")
    assert unless.load(tmp_path / "model.json").distillation_ == model.distillation_
    assert unless.load(tmp_path / "model.json").teacher is None


def test_a_teacher_without_probabilities_and_columns_without_names():
    """Only labels are asked for, and arrays are given as arrays; weights reach the teacher."""
    numbers = X[["x", "y"]].to_numpy()
    model = unless.UnlessClassifier(teacher=GaussianNB()).fit(numbers, Y, sample_weight=np.where(Y == "yes", 2.0, 1.0))
    assert model.distillation_.teacher == "GaussianNB"
    assert model.score(numbers, Y) > 0.5


class Stubborn(GaussianNB):
    """A teacher that says what nobody asked."""

    def predict(self, X):  # noqa: N803 - as in scikit-learn
        return np.array(["perhaps"] * len(X))


@pytest.mark.parametrize(
    ("teacher", "message"),
    [
        ("commitee", "teacher must be 'committee'"),
        (3, "teacher must be"),
        (RandomForestClassifier, "teacher must be"),
        (RandomForestClassifier(), "the teacher RandomForestClassifier cannot fit: .*put an encoder before it"),
        (
            make_pipeline(OneHotEncoder(sparse_output=False, handle_unknown="ignore"), Stubborn()),
            "predicts 'perhaps', which is not a label",
        ),
    ],
)
def test_bad_teachers(teacher, message):
    """A teacher that fails is named, with what to do."""
    with pytest.raises(ParameterError, match=message):
        unless.UnlessClassifier(teacher=teacher).fit(X, Y)


@pytest.mark.parametrize("labels", [["a"] * 6, ["a"] * 5 + ["b"], list("abcdef"), ["a", "b"] * 3])
@pytest.mark.parametrize("teacher", ["committee", GaussianNB()])
def test_few_records_and_labels(labels, teacher):
    """One class, a label with one record, as many labels as records: a model."""
    table = pd.DataFrame({"x": range(6), "empty": [None] * 6})
    if len(set(labels)) > 1 and not isinstance(teacher, str):
        table = table[["x"]]
    elif not isinstance(teacher, str):
        return  # scikit-learn refuses missing cells by itself
    model = unless.UnlessClassifier(teacher=teacher, tune=True).fit(table, labels)
    assert set(model.predict(table)) <= set(labels)


def test_tuned_settings_are_kept(tmp_path):
    """What cross-validation chose is in the model and its file; the parameters stay as given."""
    model = unless.UnlessClassifier(tune=True, penalty=4.0).fit(X, Y)
    assert set(model.tuned_) == {"ratio", "penalty", "min_support"}
    assert model.penalty == 4.0
    model.save(tmp_path / "model.json")
    assert unless.load(tmp_path / "model.json").tuned_ == model.tuned_
    assert unless.UnlessClassifier().fit(X, Y).tuned_ is None
    with pytest.raises(ParameterError, match="tune must be True or False"):
        unless.UnlessClassifier(tune="yes").fit(X, Y)


@pytest.mark.parametrize("stage", ["lists", "settings"])
def test_ctrl_c_keeps_the_list_so_far(stage, monkeypatch):
    """Ctrl-C while a committee learns or settings are tried leaves the list learned before."""
    from unless.estimators.training_data import LearningLimits

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(LearningLimits, stage, stop)
    model = unless.UnlessClassifier(tune=True, teacher="committee")
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert set(model.predict(X)) <= {"yes", "no"}
    if stage == "settings":
        assert model.program_ == unless.UnlessClassifier().fit(X, Y).program_


def test_a_fitted_teacher_knows_rare_labels():
    """A label with one record, which may be held back, is no error."""
    numbers = X[["x", "y"]].to_numpy()
    labels = Y.astype(object)
    for row in range(8):
        labels[row] = f"rare {row}"
    teacher = RandomForestClassifier(5, bootstrap=False, random_state=0).fit(numbers, labels)
    assert unless.UnlessClassifier(teacher=teacher).fit(numbers, labels).distillation_.records > 20


def test_weights_and_teachers():
    """Weights reach the last step of a pipeline; a teacher that takes none is refused; 0 leaves records out."""
    pipeline = make_pipeline(ENCODER, RandomForestClassifier(5, random_state=0))
    assert unless.UnlessClassifier(teacher=pipeline, class_weight="balanced").fit(X, Y).distillation_ is not None
    with pytest.raises(ParameterError, match="KNeighborsClassifier takes no weights; leave them out"):
        unless.UnlessClassifier(teacher=KNeighborsClassifier(), class_weight="balanced").fit(X[["x", "y"]], Y)
    for row in range(10):
        labels = np.array(["a"] * 60, dtype=object)
        labels[row] = "b"
        model = unless.UnlessClassifier(teacher="committee", class_weight={"a": 0.0}).fit(X[:60], labels)
        assert set(model.predict(X[:60])) == {"b"}


def test_an_edited_list_has_no_teacher(taught):
    """Rules that were changed by hand were not taught."""
    edited = taught.with_program(unless.UnlessClassifier().fit(X, Y).program_, X, Y)
    assert edited.distillation_ is None
    assert taught.distillation_ is not None


def test_late_while_the_tuned_list_is_learned(monkeypatch):
    """The list that was finished is kept, not half of another."""
    from unless.estimators import learners

    asked, plain = [], unless.UnlessClassifier().fit(X, Y).program_

    def tuned(_, settings, __):
        asked.append(settings)
        return settings

    monkeypatch.setattr("unless.learn.tuning.tune_settings", tuned)
    monkeypatch.setattr(learners.LearningLimits, "late", lambda self: bool(asked))
    model = unless.UnlessClassifier(tune=True, max_seconds=1000).fit(X, Y)
    assert model.tuned_ is None
    assert model.program_ == plain


def test_a_limit_of_time():
    """When the time is up, the list so far is the model."""
    model = unless.UnlessClassifier(teacher="committee", tune=True, max_seconds=0).fit(X, Y)
    assert model.distillation_ is None
    assert set(model.predict(X)) <= {"yes", "no"}
