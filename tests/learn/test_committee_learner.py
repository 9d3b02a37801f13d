"""How a committee is learned."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest

from tests.learn.test_random_tables import random_rows, table_of
from unless.constraints import Constraints
from unless.learn import committee_learner
from unless.learn.committee_learner import CommitteeSettings, learn_committee
from unless.learn.memory_engine import MemoryEngine
from unless.model.points import probabilities_of
from unless.score.committee import labels_from_sums
from unless.table import Column, Labels, Table

FEW = CommitteeSettings(size=8)


def checkered(rows=600, seed=0):
    """Records that no short list can tell apart, with some noise in the labels."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.integers(0, 8, (3, rows)).astype(float)
    label = np.where((a + b > c + 4) ^ (rng.random(rows) < 0.05), "odd", "even")
    columns = (Column.of("a", a), Column.of("b", b), Column.of("c", c))
    return Table(columns, Labels.of("y", label.tolist()), rows)


def log_loss(committee, table):
    shares = probabilities_of(committee.sums(table))
    return -np.log(shares[np.arange(len(table)), table.labels.codes]).mean()


def test_more_lists_tell_more():
    """Each list corrects the ones before it, on records that were not there."""
    table, new = checkered(), checkered(seed=1)
    losses = [
        log_loss(learn_committee(table, settings=CommitteeSettings(size=size)).committee, new) for size in (1, 10, 60)
    ]
    assert losses[0] > losses[1] > losses[2]


def test_rows_in_any_order():
    """A committee depends on the records and the seed, not on the order of the records."""
    table = table_of(*random_rows(3, 120, 5))
    committee = learn_committee(table, settings=FEW).committee
    assert len(committee) == 8
    order = np.random.default_rng(0).permutation(len(table))
    assert learn_committee(table[order], settings=FEW).committee == committee
    assert learn_committee(table, settings=FEW, seed=1).committee != committee


@pytest.mark.parametrize("seed", range(20))
def test_whole_weights_are_repetitions(seed):
    """A record of weight 2 is the same as two records; one of weight 0 is none."""
    table, settings = table_of(*random_rows(seed, 200, 4)), CommitteeSettings(size=12)
    counts = np.random.default_rng(seed).integers(0, 3, len(table)).astype(float)
    repeated = table[np.repeat(np.arange(len(table)), counts.astype(int))]
    assert learn_committee(table, counts, settings).committee == learn_committee(repeated, settings=settings).committee


@pytest.mark.parametrize("scale", [0.3, 1e3, 1e7])
def test_any_weights(scale):
    """Weights may be fractions, and huge: records that weigh the same have lists that know as much."""
    table, new = checkered(), checkered(seed=1)
    settings = CommitteeSettings(size=20, min_support=3 * scale)
    found = learn_committee(table, np.full(len(table), scale), settings).committee
    assert np.mean(labels_from_sums(found, found.sums(new)) == np.array(new.labels.labels)[new.labels.codes]) > 0.8


def test_the_label_of_a_rule_has_most_points():
    """What a rule says is what it votes for."""
    committee = learn_committee(checkered(), settings=FEW).committee
    for program, points in zip(committee.lists, committee.points, strict=True):
        assert [rule.head for rule in program.rules] == [committee.classes[k] for k in points.argmax(axis=1)]


def test_nothing_to_learn():
    """One class, one record, no columns: a committee that says what there is."""
    for table in (
        Table((Column.of("a", [1.0, 2.0]),), Labels.of("y", ["x", "x"])),
        Table((Column.of("a", [1.0]),), Labels.of("y", ["x"])),
        Table((), Labels.of("y", ["w", "x", "x"])),
        Table((Column.of("a", [None, None, None]),), Labels.of("y", ["x", "w", "x"])),
    ):
        committee = learn_committee(table, settings=FEW).committee
        assert set(labels_from_sums(committee, committee.sums(table))) == {"x"}


def test_stopping():
    """Learning stops when the caller says so, with the lists so far; there is at least one."""
    table = checkered()
    assert len(learn_committee(table, progress=lambda lists, _: lists == 3).committee) == 3
    assert len(learn_committee(table, progress=lambda *_: True).committee) == 1
    assert max(map(len, learn_committee(table, settings=CommitteeSettings(size=5, max_rules=2)).committee.lists)) == 2


@pytest.mark.parametrize("at", [(0, 0), (0, 1), (3, 0), (3, 1)])
def test_ctrl_c(at):
    """Ctrl-C keeps the lists that are finished; during the first list, its rules."""

    def progress(lists, rules):
        if (lists, rules) == at:
            raise KeyboardInterrupt

    learned = learn_committee(checkered(), progress=progress)
    assert isinstance(learned.interrupted, KeyboardInterrupt)
    assert len(learned.committee) == max(at[0], 1)


@pytest.mark.parametrize("where", ["before", "after"])
def test_ctrl_c_while_points_are_added(where):
    """The sums are those of the lists that are kept, wherever Ctrl-C comes in between."""
    table, added = checkered(), []

    def stopped(*given):
        added.append(0)
        if len(added) == 4 and where == "before":
            raise KeyboardInterrupt
        advance(*given)
        if len(added) == 4:
            raise KeyboardInterrupt

    advance = committee_learner.add_points_and_chances
    with patch.object(committee_learner, "add_points_and_chances", stopped):
        learned = learn_committee(table)
    assert isinstance(learned.interrupted, KeyboardInterrupt)
    assert len(learned.committee) == 4
    np.testing.assert_array_equal(learned.sums, learned.committee.sums(table))


def board(rows=2500, *, noise=False):
    """The fields of a chessboard, or of one with labels at random."""
    rng = np.random.default_rng(0)
    cells = rng.random((2, rows)) * 8
    columns = tuple(Column.of(name, one) for name, one in zip("ab", cells, strict=True))
    labels = rng.integers(0, 2, rows) if noise else np.floor(cells).sum(axis=0) % 2
    return Table(columns, Labels.of("y", labels.tolist()))


def test_a_trial_decides_how_long_lists_are():
    """Where there is much to learn, lists are asked for less proof; where labels are noise, they are not."""
    settings = CommitteeSettings(size=26)
    assert learn_committee(board(), settings=settings).settings.penalty < 1
    assert learn_committee(board(noise=True), settings=settings).settings == settings


@pytest.mark.parametrize("seed", range(3))
def test_trials_keep_to_the_same_promises(seed):
    """With a trial too, the order of records does not matter, weights are repetitions, and threads change nothing."""
    table, settings = checkered(1000, seed), CommitteeSettings(size=27)
    counts = np.random.default_rng(seed).integers(0, 3, len(table))
    repeated = table[np.repeat(np.arange(len(table)), counts)]
    order = np.random.default_rng(0).permutation(len(repeated))
    with patch.object(committee_learner, "_trial_losses", wraps=committee_learner._trial_losses) as trial:
        found = learn_committee(repeated, settings=settings, n_jobs=1)
    assert trial.called
    assert learn_committee(repeated[order], settings=settings, n_jobs=2) == found
    assert learn_committee(table, counts.astype(float), settings) == found


def test_ctrl_c_during_a_trial():
    """Ctrl-C while settings are tried keeps the lists before."""
    with patch.object(committee_learner, "_trial_losses", side_effect=KeyboardInterrupt):
        learned = learn_committee(checkered())
    assert isinstance(learned.interrupted, KeyboardInterrupt)
    assert len(learned.committee) == 10


@pytest.mark.parametrize(("at", "size"), [(3, 10), (12, 12)])
def test_ctrl_c_after_a_trial(at, size):
    """If other settings are better, learning begins again; until there are as many lists, the ones before are kept."""
    chosen, tried = [], committee_learner.choose_growth_settings

    def watched(*given):
        chosen.append(tried(*given))
        return chosen[0]

    def progress(lists, _):
        if chosen and lists == at:
            raise KeyboardInterrupt

    with patch.object(committee_learner, "choose_growth_settings", watched):
        learned = learn_committee(board(), progress=progress)
    assert isinstance(learned.interrupted, KeyboardInterrupt)
    assert len(learned.committee) == size
    assert chosen[0] != CommitteeSettings()
    assert learned.settings == (chosen[0] if at == size else CommitteeSettings())


@pytest.mark.parametrize("calls", [0, 5, 60])
def test_trials_end_early_enough(calls):
    """Trials that take too much of the time are given up, and all lists are learned as asked for."""
    table, settings, asked = board(), CommitteeSettings(size=27), []

    def late(share):
        asked.append(share)
        return len(asked) > calls

    learned = learn_committee(table, settings=settings, late=late)
    assert len(asked) >= calls + 1
    assert set(asked) == {1 / 3}
    assert len(learned.committee) == 27
    assert learned.settings == settings
    with patch.object(committee_learner, "choose_growth_settings", return_value=settings):
        assert learn_committee(table, settings=settings) == learned


def test_a_column_that_is_never_tested_is_not_there():
    """Lists that may not test a column are those of the table without it, learned and tried as quickly."""
    table, settings = checkered(700), CommitteeSettings(size=27)
    never = replace(settings, constraints=Constraints(never=("b",)))
    with patch.object(MemoryEngine, "__init__", side_effect=AssertionError):
        found = learn_committee(table, settings=never).committee
    without = learn_committee(Table(table.columns[::2], table.labels, len(table)), settings=settings).committee
    assert [one.rules for one in found.lists] == [one.rules for one in without.lists]
    every = learn_committee(table, settings=replace(never, constraints=Constraints(never=("a", "b", "c"))))
    assert set(labels_from_sums(every.committee, every.committee.sums(table))) <= {"even", "odd"}


def test_constraints_are_not_tried():
    """Lists that keep other constraints come from the table as it is: nothing is put into bins, and nothing tried."""
    settings = CommitteeSettings(size=26, constraints=Constraints(max_literals=2))
    with patch.object(committee_learner, "BinnedTable", side_effect=AssertionError):
        learned = learn_committee(checkered(), settings=settings)
    assert len(learned.committee) == 26
    assert learned.settings == settings


def test_time_is_up_before_the_first_list(monkeypatch):
    """The list whose thresholds bins share ends early, too; what was found of it is used."""
    found, one_list = [], committee_learner._BoostingState._learn_exact_list
    monkeypatch.setattr(
        committee_learner._BoostingState,
        "_learn_exact_list",
        lambda *given: found.append(one_list(*given)) or found[-1],
    )
    table = checkered(1200)
    assert len(learn_committee(table, progress=lambda *_: True).committee.lists) == 1
    learn_committee(table, settings=CommitteeSettings(size=1))
    assert len(found[0]) == 1 < len(found[1])
