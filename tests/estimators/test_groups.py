"""Groups of records: learners test on whole groups, and scikit-learn's splitters and their groups work."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, TimeSeriesSplit, cross_val_score

from unless import FoldRMClassifier, UnlessClassifier, UnlessCommittee, read_table
from unless.errors import ParameterError
from unless.estimators.input_records import read_training
from unless.learn.memory_engine import MemoryEngine

RNG = np.random.default_rng(0)
WHO = RNG.integers(0, 40, 600)
X = pd.DataFrame({"height": 150.0 + 2 * WHO, "age": RNG.integers(18, 80, 600).astype(float)})
Y = np.where((RNG.permutation(40) < 20)[WHO] ^ (X["age"] > 70), "yes", "no")


@pytest.mark.parametrize("groups", [WHO, WHO.tolist(), pd.Series(WHO), np.array([f"c{one}" for one in WHO])])
def test_inner_folds_keep_groups_together(groups) -> None:
    """The folds by which settings, penalties and chance are tested divide no group, however groups are given."""
    data, _ = read_training(UnlessClassifier(), X, Y, None, None, groups)
    engine = MemoryEngine(data.table, data.counts)
    seen = [set(WHO[fold.rows()]) for fold in engine.folds(engine.all_rows(), 5)]
    assert sum(map(len, seen)) == len(set().union(*seen)) == 40
    assert min(map(len, seen)) == 8


def test_weightless_records_take_their_groups_with_them() -> None:
    """Rows of weight 0 are left out, and the groups of the others stay theirs."""
    weights = (np.arange(600) % 3 > 0).astype(float)
    data, _ = read_training(UnlessClassifier(), X, Y, weights, None, WHO)
    groups = data.table.group_numbers
    assert groups is not None
    assert pd.Series(groups).groupby(WHO[weights > 0]).nunique().max() == 1
    assert len(set(groups.tolist())) == 40


@pytest.mark.parametrize(
    "learner",
    [UnlessClassifier(tune=True), UnlessClassifier(teacher="committee"), UnlessCommittee(size=12), FoldRMClassifier()],
    ids=["tune", "teacher", "committee", "fold-rm"],
)
def test_every_learner_takes_groups(learner) -> None:
    """The order of records and the names of groups do not matter, and one group is as none."""
    order = np.random.default_rng(5).permutation(len(X))
    first = learner.fit(X, Y, groups=WHO).program_
    assert learner.fit(X.iloc[order], Y[order], groups=WHO[order]).program_ == first
    assert learner.fit(X, Y, groups=np.zeros(600)).program_ == learner.fit(X, Y).program_


def test_a_teacher_is_compared_with_its_list_on_groups_that_neither_has_seen() -> None:
    """On other records of the same customers, list and teacher agree more often."""
    many = UnlessClassifier(teacher="committee").fit(X, Y, groups=WHO).distillation_
    assert many is not None
    assert many.records == np.isin(WHO, [who for who in set(WHO) if True]).sum() - (600 - many.records)
    assert 0 < many.records < 300


def test_groups_do_not_change_what_chance_could_not_explain() -> None:
    """A label that only customers have in common is not learned if whole customers are the test."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({f"x{k}": rng.normal(size=12)[WHO % 12] for k in range(60)})
    label = np.where(rng.permutation(12)[WHO % 12] < 6, "a", "b")
    free = UnlessClassifier(warn=False).fit(frame, label)
    kept = UnlessClassifier(warn=False).fit(frame, label, groups=WHO % 12)
    assert free.score(frame, label) == 1
    assert len(kept.program_) <= len(free.program_)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_splitters_of_scikit_learn_work() -> None:
    """A random split overstates rules about repeated customers, and grouped splitters show it."""
    model = UnlessClassifier(warn=False)
    kind = cross_val_score(model, X, Y, cv=5).mean()
    grouped = cross_val_score(model, X, Y, groups=WHO, cv=GroupKFold(5)).mean()
    assert kind > grouped + 0.15
    table = read_table(X.assign(y=Y), "y")
    assert cross_val_score(model, table, table.y, groups=WHO, cv=GroupKFold(5)).mean() == pytest.approx(grouped)
    assert len(cross_val_score(model, X, Y, groups=WHO, cv=StratifiedGroupKFold(3))) == 3
    assert len(cross_val_score(model, X, Y, cv=TimeSeriesSplit(4))) == 4
    with sklearn.config_context(enable_metadata_routing=True):
        routed = model.set_fit_request(groups=True)
        assert len(cross_val_score(routed, X, Y, params={"groups": WHO}, cv=GroupKFold(4))) == 4


def test_stability_is_measured_on_samples_of_groups() -> None:
    """All records of a group are sampled equally often, so that rules about single customers come back less often."""
    model = UnlessClassifier(warn=False).fit(X, Y)
    single = model.stability(X, Y, n=6)
    whole = model.stability(X, Y, n=6, groups=WHO)
    assert np.mean([one.returns for one in whole.rules]) < np.mean([one.returns for one in single.rules])


@pytest.mark.parametrize("groups", [WHO[:5], "customer", 7, WHO.reshape(-1, 1)])
def test_groups_are_one_value_for_each_record(groups) -> None:
    """Anything else is an error that says so."""
    with pytest.raises(ParameterError, match="groups takes a value for each of 600 records"):
        UnlessClassifier().fit(X, Y, groups=groups)
