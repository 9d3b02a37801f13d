"""Estimators take tables from `read_table`, so that the cells of a file keep their meaning."""

from __future__ import annotations

import copy
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    train_test_split,
)

import unless
from unless.demo.applicants import TARGET, applicants_csv
from unless.errors import ParameterError, ReadError, UnknownNameError
from unless.estimators.progress import Meter, metered_by


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "applicants.csv"
    path.write_text(applicants_csv(300))
    return unless.read_table(path, TARGET)


def _labels(table):
    return np.array(table.target.labels, dtype=object)[table.target.codes]


def test_a_table_has_its_own_labels(table):
    """A table needs no y, and its target names the program's."""
    model = unless.UnlessClassifier().fit(table)
    assert model.program_.target == TARGET
    assert model.program_.rules == unless.UnlessClassifier().fit(table, _labels(table)).program_.rules
    assert model.score(table, _labels(table)) > 0.9


def test_other_labels_may_be_given(table):
    """If y is given, it replaces the table's own labels."""
    flipped = np.where(_labels(table) == "accept", "in", "out")
    assert set(unless.FoldRPPClassifier().fit(table, flipped).classes_) == {"in", "out"}


def test_labels_that_do_not_occur_are_no_classes(table):
    """If a part of a table has no records of a label, that label is not a class."""
    kept = np.flatnonzero(_labels(table) != "review")
    model = unless.UnlessClassifier().fit(table[kept])
    assert list(model.classes_) == ["accept", "refuse"]


def test_the_model_reads_new_files_alike(table, tmp_path):
    """A model of a text file remembers its missing cells and mixed columns, in its file too."""
    unless.UnlessClassifier().fit(table).save(tmp_path / "model.json")
    model = unless.load(tmp_path / "model.json")
    again = unless.read_table(tmp_path / "applicants.csv", like=model)
    assert (model.predict(again) == unless.predict(model.program_, table)).all()
    assert again.column("years_at_address").kind == "mixed"


def test_rows_of_weight_0_are_left_out(table):
    """Weights select rows of a table as they do of a frame."""
    weights = (np.arange(len(table)) % 3 != 0).astype(float)
    model = unless.FoldRMClassifier().fit(table, sample_weight=weights)
    assert model.program_ == unless.FoldRMClassifier().fit(table[weights > 0]).program_
    assert model.statistics_.total == weights.sum()


def test_what_cannot_be_learned_from_is_refused(table):
    """A table without labels, rows or features, or with kinds declared too late, is refused with the reason."""
    learner = unless.UnlessClassifier()
    with pytest.raises(ReadError, match="no labels"):
        learner.fit(unless.Table(table.columns))
    with pytest.raises(ReadError, match="0 sample"):
        learner.fit(table[:0])
    with pytest.raises(ReadError, match="0 feature"):
        learner.fit(unless.Table((), table.target))
    with pytest.raises(ParameterError, match="read_table"):
        unless.UnlessClassifier(numeric=["age"]).fit(table)
    with pytest.raises(UnknownNameError, match="lacks 1 of the training features: 'age'"):
        learner.fit(table).predict(unless.Table(tuple(c for c in table.columns if c.name != "age")))


class _Kept(Meter):
    def __init__(self):
        self.seen = []

    def show(self, left, rules):
        self.seen.append((left, rules))

    def __exit__(self, *_):
        self.seen.append("done")


def test_a_caller_shows_the_progress(table, capsys):
    """The caller's meter gets every rule, and nothing else is printed."""
    kept = _Kept()
    with metered_by(kept):
        model = unless.UnlessClassifier(verbose=True).fit(table)
    assert kept.seen[0][1] == 0
    assert kept.seen[-1] == "done"
    assert max(rules for _, rules in kept.seen[:-1]) >= len(model.program_) - 1
    assert capsys.readouterr() == ("", "")


@pytest.mark.filterwarnings("ignore:values that training did not have")  # folds are small
class TestInScikitLearn:
    """scikit-learn splits a table as it splits a frame."""

    @pytest.fixture
    def frame(self, table):
        """The same records as a frame, and their labels."""
        frame = table.to_pandas()
        return frame.drop(columns=TARGET), frame[TARGET]

    def test_it_is_scored_with_its_own_labels(self, table):
        """Without y, the labels are those of the table; a frame has none."""
        for model in (unless.UnlessClassifier(), unless.UnlessCommittee(size=4)):
            model.fit(table)
            assert model.score(table) == model.score(table, table.y) == np.mean(model.predict(table) == table.y)
            assert model.score(table[:50], sample_weight=np.arange(50)) == model.score(
                table[:50], table[:50].y, np.arange(50)
            )
            with pytest.raises(ReadError, match="y is None; only a table has labels of its own"):
                model.score(table.to_pandas())
            with pytest.raises(ReadError, match="the table has no labels"):
                model.score(unless.Table(table.columns))

    def test_cross_validation_of_a_table_is_that_of_its_frame(self, table, frame):
        """With y the folds are stratified; without, they are the plain ones that scikit-learn makes then."""
        model = unless.UnlessClassifier()
        expected = cross_val_score(model, *frame)
        assert cross_val_score(model, table, table.y).tolist() == expected.tolist()
        assert cross_val_score(model, table, table.y, n_jobs=2).tolist() == expected.tolist()
        assert cross_val_score(model, table).tolist() == cross_val_score(model, *frame, cv=KFold(5)).tolist()
        for scoring in ("accuracy", "neg_log_loss"):
            scores = [cross_val_score(model, X, frame[1], scoring=scoring).tolist() for X in (table, frame[0])]
            assert scores[0] == scores[1]

    def test_predictions_of_folds(self, table, frame):
        """`cross_val_predict` gives the labels and the probabilities that it gives for the frame."""
        model = unless.UnlessClassifier()
        for method in ("predict", "predict_proba"):
            found = cross_val_predict(model, table, table.y, method=method)
            assert np.array_equal(found, cross_val_predict(model, *frame, method=method))
        assert len(cross_val_predict(model, table)) == len(table)

    def test_a_split_keeps_labels_and_records_together(self, table):
        """`train_test_split`, with labels beside it or without, gives tables."""
        train, test = train_test_split(table, random_state=0)
        again, _, y, _ = train_test_split(table, table.y, random_state=0)
        assert (len(train), len(test)) == (225, 75)
        assert train.y.tolist() == y.tolist() == again.y.tolist()
        assert unless.UnlessClassifier().fit(train).score(test) > 0.85

    def test_a_grid_search_and_stratified_folds(self, table, frame):
        """A search finds the parameters that it finds for the frame; folds are made from labels."""
        grid, cv = {"ratio": [0.3, 0.7], "max_rules": [2, 4]}, StratifiedKFold(3)
        search = GridSearchCV(unless.FoldRMClassifier(), grid, cv=cv)
        of_table = clone(search).fit(table, table.y)
        of_frame = clone(search).fit(*frame)
        assert of_table.cv_results_["mean_test_score"].tolist() == of_frame.cv_results_["mean_test_score"].tolist()
        assert of_table.best_estimator_.program_ == of_frame.best_estimator_.program_
        assert clone(search).set_params(cv=3).fit(table).score(table) > 0.7

    def test_the_target_keeps_its_name(self, table):
        """Labels without a name, as folds have them, are those of the table's target."""
        assert unless.FoldRMClassifier().fit(table, table.y).program_.target == TARGET

    def test_what_takes_only_arrays_is_told_to_take_a_frame(self, table):
        """Functions that make an array of X cannot have a table; the error tells what they can have."""
        model = unless.UnlessClassifier().fit(table)
        with pytest.raises(TypeError, match=r"a table is not an array.*give table\.to_pandas\(\) instead"):
            permutation_importance(model, table, table.y)

    def test_copies_are_the_same_table(self, table, tmp_path):
        """A pickled, copied or dumped table has the same rows, cannot be changed, and teaches the same."""
        joblib.dump(table, tmp_path / "table.joblib")
        loaded = joblib.load(tmp_path / "table.joblib", mmap_mode="r")
        program = unless.FoldRMClassifier().fit(table).program_
        for other in (pickle.loads(pickle.dumps(table)), copy.copy(table), copy.deepcopy(table), loaded):
            assert [other.record(row) for row in (0, 299)] == [table.record(row) for row in (0, 299)]
            assert not other.columns[0].codes.flags.writeable
            assert unless.FoldRMClassifier().fit(other).program_ == program


LEARNERS = [
    unless.UnlessClassifier(),
    unless.UnlessClassifier(optimise=False),
    unless.UnlessClassifier(teacher="committee"),
    unless.FoldRMClassifier(),
    unless.FoldRPPClassifier(),
    unless.UnlessCommittee(size=4),
]


@pytest.mark.parametrize("model", LEARNERS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_values_of_other_rows_are_not_learned_from(model, seed):
    """Rows of a table keep its ranks, but teach what a table of only those rows teaches."""
    random = np.random.default_rng(seed)
    rows = [
        {"a": float(a), "b": str(b), "c": int(c), "d": None if d > 4 else float(d)}
        for a, b, c, d in zip(
            random.normal(size=240).round(2),
            random.choice(list("abcdefg"), 240),
            random.integers(0, 30, 240),
            random.integers(0, 6, 240),
            strict=True,
        )
    ]
    noise = random.random(240) < 0.1
    for row, flip in zip(rows, noise, strict=True):
        row["y"] = "np"[int(((row["a"] > 0.2 and row["b"] in "abc") or row["c"] > 20) != flip)]
    kept = np.sort(random.choice(240, 120, replace=False))
    part, alone = unless.read_table(rows, "y")[kept], unless.read_table([rows[row] for row in kept], "y")
    models = [clone(model).fit(table) for table in (part, alone)]
    assert models[0].program_ == models[1].program_
    assert np.array_equal(models[0].predict_proba(alone), models[1].predict_proba(alone))
