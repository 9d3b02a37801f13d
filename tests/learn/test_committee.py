"""How a committee is learned."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest

from tests.learn.test_random_tables import random_rows, table_of
from unless.learn import committee
from unless.learn.committee import CommitteeSettings, learn_committee
from unless.score.committee import predicted
from unless.score.points import probabilities_of
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


def test_whole_weights_are_repetitions():
    """A record of weight 2 is the same as two records; one of weight 0 is none."""
    table = table_of(*random_rows(5, 80, 4))
    counts = np.random.default_rng(1).integers(0, 3, len(table)).astype(float)
    repeated = table[np.repeat(np.arange(len(table)), counts.astype(int))]
    assert learn_committee(table, counts, FEW).committee == learn_committee(repeated, settings=FEW).committee


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
        assert set(predicted(committee, committee.sums(table))) == {"x"}


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


def asked_for(table):
    """The penalty that a committee's lists are asked for in the end."""
    penalties = []

    class Watched(committee._Training):
        def accept(self, found):
            penalties.append(self.settings.penalty)
            super().accept(found)

    with patch.object(committee, "_Training", Watched):
        learn_committee(table, settings=CommitteeSettings(size=26))
    return penalties[-1]


def test_a_trial_decides_how_long_lists_are():
    """Where there is much to learn, lists are asked for less proof; where labels are noise, they are not."""
    rng = np.random.default_rng(0)
    cells = rng.random((2, 2500)) * 5
    columns = tuple(Column.of(name, one) for name, one in zip("ab", cells, strict=True))
    board = Table(columns, Labels.of("y", (np.floor(cells).sum(axis=0) % 2).tolist()))
    noise = Table(columns, Labels.of("y", rng.integers(0, 2, 2500).tolist()))
    assert asked_for(board) < 1
    assert asked_for(noise) == 1


def test_trials_keep_to_the_same_promises():
    """With a trial too, the order of records does not matter, weights are repetitions, and threads change nothing."""
    table, settings = checkered(400), CommitteeSettings(size=27)
    found = learn_committee(table, settings=settings, n_jobs=1).committee
    order = np.random.default_rng(0).permutation(len(table))
    assert learn_committee(table[order], settings=settings, n_jobs=2).committee == found
    counts = np.random.default_rng(1).integers(0, 3, len(table))
    repeated = table[np.repeat(np.arange(len(table)), counts)]
    weighed = learn_committee(table, counts.astype(float), settings).committee
    assert weighed == learn_committee(repeated, settings=settings).committee


def test_ctrl_c_during_a_trial():
    """Ctrl-C while settings are tried keeps the first list."""
    with patch.object(committee, "_trial", side_effect=KeyboardInterrupt):
        learned = learn_committee(checkered())
    assert isinstance(learned.interrupted, KeyboardInterrupt)
    assert len(learned.committee) == 1
