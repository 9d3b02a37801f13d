"""Learners below scikit-learn: the classifiers are the same learners, and parameters have one home."""

from __future__ import annotations

import inspect
from functools import partial

import numpy as np
import pytest

import unless
from unless.demo.applicants import TARGET, applicants
from unless.errors import Interrupted, ParameterError, ReadError
from unless.estimators.classifiers import FoldRMClassifier, FoldRPPClassifier, UnlessClassifier
from unless.estimators.committee_classifier import UnlessCommittee
from unless.estimators.learners import LEARNERS, FoldRMLearner, UnlessLearner, learn
from unless.estimators.model_file import file_text
from unless.estimators.progress import Meter, metered_by
from unless.estimators.relearning import program_of
from unless.evaluation.validation import assign_folds, run_learners, split_folds
from unless.table import Labels, Table

CLASSIFIERS = {
    "unless": UnlessClassifier,
    "fold-rm": FoldRMClassifier,
    "fold-rpp": FoldRPPClassifier,
    "committee": UnlessCommittee,
}


@pytest.fixture(scope="module")
def table() -> Table:
    return unless.read_table(applicants(300), TARGET)


@pytest.mark.parametrize("name", LEARNERS)
def test_parameters_have_one_home(name):
    """A classifier takes the parameters of its learner, with the same defaults, in the same order."""
    learner, classifier = LEARNERS[name], CLASSIFIERS[name]
    assert inspect.signature(learner) == inspect.signature(classifier)
    assert vars(learner()) == classifier().get_params()


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_makes_the_file_of_its_classifier(name, table, tmp_path):
    """The model of a learner is that of the classifier, to the last byte of its file."""
    two = table[np.flatnonzero(table.target.codes < 2)] if name == "fold-rpp" else table
    learned = learn(LEARNERS[name](), two)
    CLASSIFIERS[name]().fit(two).save(tmp_path / "model.json")
    assert file_text(learned.model) == (tmp_path / "model.json").read_text()
    assert learned.interrupted is None


def test_learning_changes_no_learner(table):
    """Evaluation leaves the classifiers that it is given as they were."""
    model = UnlessClassifier()
    pairs = split_folds(table, assign_folds(table.labels, 2))
    assert len(list(run_learners(pairs, {"unless": partial(program_of, model)}))) == 4
    assert vars(model) == vars(UnlessClassifier())


def test_after_ctrl_c_the_rules_so_far_are_a_model(table):
    """The interruption comes with the model; the caller may raise it or not."""
    with metered_by(_PressesCtrlC()):
        learned = learn(FoldRMLearner(), table)
    assert isinstance(learned.interrupted, Interrupted)
    assert learned.model.program.rules == FoldRMClassifier(max_rules=2).fit(table).program_.rules
    assert learned.model.statistics.total == len(table)


def test_labels_that_are_amounts(table):
    """Fractions are not labels; whole numbers are, whatever their type."""
    amounts = Labels.of("y", [k / 10 for k in range(len(table))])
    with pytest.raises(ReadError, match=r"Unknown label type: continuous, such as 0.1"):
        learn(UnlessLearner(), Table(table.columns, amounts, len(table)))
    whole = Labels.of("y", [float(k % 2) for k in range(len(table))])
    assert learn(UnlessLearner(), Table(table.columns, whole, len(table))).model.statistics.classes == (0.0, 1.0)


def test_a_table_has_its_kinds(table):
    """What a column is was decided when the table was read."""
    with pytest.raises(ParameterError, match="pass numeric to read_table"):
        learn(UnlessLearner(numeric=["age"]), table)


class _PressesCtrlC(Meter):
    """Somebody who has seen enough after two rules."""

    def show(self, left: int, rules: int) -> None:  # noqa: ARG002
        if rules == 2:
            raise KeyboardInterrupt

    def __exit__(self, *_: object) -> None:
        pass


def test_classifiers_where_people_look_for_them():
    """`unless.estimators` has the classifiers too, and refuses names that it does not have."""
    for classifier in CLASSIFIERS.values():
        assert getattr(unless.estimators, classifier.__name__) is classifier
    with pytest.raises(AttributeError, match="no attribute 'Forest'"):
        _ = unless.estimators.Forest
