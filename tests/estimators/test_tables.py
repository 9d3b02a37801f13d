"""Estimators take tables from `read_table`, so that the cells of a file keep their meaning."""

from __future__ import annotations

import numpy as np
import pytest

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
    with pytest.raises(UnknownNameError, match="lacks 1 of the features of training: 'age'"):
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
