"""Threads: whatever their number, the same answers, and none are left."""

from __future__ import annotations

import _thread
import random
import threading
import time
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

import unless
from tests.learn.test_list_optimiser import same
from tests.learn.test_random_tables import random_rows, table_of, tables
from tests.lengths import fewer
from unless.errors import Interrupted, ParameterError
from unless.kernels import binning, compiled
from unless.learn import Engine, MemoryEngine, fold_unless
from unless.learn.committee_learner import CommitteeSettings, learn_committee
from unless.learn.literals import GAIN, NET, LiteralScore
from unless.rule import Literal, Rule
from unless.table import Column, Labels, Table

needs_compiled = pytest.mark.skipif(not compiled, reason="too slow without compiled kernels")

LEARNERS = {
    "FOLD-RM": unless.fold_rm,
    "FOLD-R++": lambda table, **options: unless.fold_rpp(table, table.labels.labels[0], **options),
    "our own": fold_unless,
    "our own, rule by rule": partial(fold_unless, optimise=False, penalty=0.2),
}


@pytest.fixture(autouse=True, scope="module")
def few_are_many():
    """Threads share the work on four rows and more, and bins are cut from a sample of 64."""
    patch = pytest.MonkeyPatch()
    patch.setattr(binning, "MANY", 4)
    patch.setattr(binning, "SAMPLE", 64)
    yield
    patch.undo()


def weights_of(rng, rows, kind):
    """Weights of a kind: none, whole ones, or fractions."""
    return {
        "none": None,
        "whole": rng.integers(0, 4, rows).astype(float),
        "fractions": rng.choice([0.1, 0.7, 2], rows),
    }[kind]


@given(tables())
@settings(max_examples=100, deadline=None)
def test_small_tables(drawn):
    """On random tables every learner finds the same program with 1, 2, 3 threads and with all cores."""
    table = table_of(*drawn)
    for learn in LEARNERS.values():
        expected = learn(table)
        assert all(learn(table, n_jobs=jobs) == expected for jobs in (1, 2, 3, -1))


@needs_compiled
@pytest.mark.parametrize("weighted", ["none", "whole", "fractions"])
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("seed", fewer(5))
def test_larger_tables(seed, learner, weighted, monkeypatch):
    """With wide columns and weights too; and without sharing any work at all, the program is the same."""
    features, rows = random_rows(seed, rows=700, columns=3)
    table, rng = table_of(features, rows), np.random.default_rng(seed)
    wide = Column.of("wide", rng.permutation(len(table)).astype(float).tolist())
    half = Column.of("half", [0.0 if k % 2 else float(k) for k in range(len(table))])  # a frequent number among many
    table = Table((*table.columns, wide, half), table.target)
    weights = weights_of(rng, len(table), weighted)
    if weights is not None:
        weights[:4] = 1.0
    found = [LEARNERS[learner](table, weights=weights, n_jobs=jobs) for jobs in (1, 2, 3, -1)]
    monkeypatch.setattr(binning, "MANY", 10**9)
    monkeypatch.setattr(binning, "SAMPLE", 10**9)
    assert [LEARNERS[learner](table, weights=weights)] * 4 == found


@needs_compiled
def test_many_repetitions():
    """Again and again, with more threads than cores, the program is the same: none writes where another one does."""
    features, rows = random_rows(3, rows=600, columns=3)
    table = table_of(features, rows)
    for learn in (unless.fold_rm, fold_unless):
        expected = learn(table)
        assert all(learn(table, n_jobs=5) == expected for _ in fewer(50))


@needs_compiled
def test_committees():
    """The lists of a committee are the same, too."""
    features, rows = random_rows(8, rows=900, columns=5)
    table = table_of(features, rows)
    found = [learn_committee(table, settings=CommitteeSettings(size=4), n_jobs=jobs).committee for jobs in (1, 3)]
    assert found[0] == found[1]


@needs_compiled
@pytest.mark.parametrize("weighted", ["none", "whole"])
@pytest.mark.parametrize("seed", fewer(20))
def test_every_question(seed, weighted):
    """An engine with threads answers every question like one that goes over all rows by itself."""
    rng = np.random.default_rng(seed)
    features, rows = random_rows(seed, rows=700, columns=4)
    table = table_of(features, rows)
    weights = weights_of(rng, len(table), weighted)
    engine, plain = MemoryEngine(table, weights, n_jobs=3), Plain(table, weights)
    rule = fold_unless(table, penalty=0.1, min_support=1, optimise=False).rules[0]
    everything = engine.all_rows()
    assert plain.same(everything, plain.all_rows)
    some, truths = everything, [plain.true(literal) for literal in rule.default]
    for k, literal in enumerate(rule.default):
        some = engine.covered_by_literal(some, literal)
        assert plain.same(some, plain.all_rows.intersection(*truths[: k + 1]))
    left = engine.minus(everything, some)
    assert set(left.rows()) == set(everything.rows()) - set(some.rows())
    assert plain.same(engine.plus(left, some), plain.all_rows)
    assert engine.label_weights(left) == plain.label_weights(left)
    own, others = engine.split(left, 0)
    assert plain.same(own, set(left.rows()) & plain.of_label(0))
    assert plain.same(others, set(left.rows()) - plain.of_label(0))
    assert same(engine.of_label(left, 0), own)
    gains, losses = engine.gains_and_losses(everything, 0, some)
    assert plain.same(gains, plain.of_label(0) & plain.all_rows - set(some.rows()))
    assert plain.same(losses, set(some.rows()) - plain.of_label(0))
    for number, rows in enumerate(engine.split_by_failing_literal(everything, rule.default)):
        kept = [truth if k + 1 != number else plain.all - truth for k, truth in enumerate(truths)]
        assert plain.same(rows, plain.all_rows.intersection(*kept))
    assert engine.distinct() == plain.distinct()
    if weights is None:
        for score in (GAIN, LiteralScore("purity", 2), NET):
            assert engine.find_literal(own, others, score) == Engine.find_literal(engine, own, others, score)


class Plain:
    """The same questions, row by row."""

    def __init__(self, table, weights):
        self.table, self.weights = table, np.ones(len(table)) if weights is None else weights
        self.all = set(range(len(table)))
        self.all_rows = {row for row in self.all if self.weights[row] > 0}

    def same(self, rows, expected):
        return sorted(rows.rows()) == sorted(expected) and rows.weight() == sum(self.weights[row] for row in expected)

    def true(self, literal):
        return {row for row in self.all if literal.holds(self.table.record(row)[literal.feature])}

    def of_label(self, label):
        return {row for row in self.all if self.table.labels.codes[row] == label}

    def label_weights(self, rows):
        codes = self.table.labels.codes
        return [
            sum(self.weights[row] for row in rows.rows() if codes[row] == label)
            for label in range(len(self.table.labels.labels))
        ]

    def distinct(self):
        rows = sorted(self.all_rows)
        return [len(set(column.codes[rows].tolist())) for column in self.table.columns]


@pytest.mark.parametrize("jobs", [1, 3])
def test_no_rows(jobs):
    """No rows are divided into no rows, whatever is asked about them."""
    table = table_of(*random_rows(1, rows=30, columns=2))
    engine = MemoryEngine(table, n_jobs=jobs)
    none = engine.minus(engine.all_rows(), engine.all_rows())
    found = [
        none,
        *engine.split(none, 0),
        engine.of_label(none, 0),
        *engine.gains_and_losses(none, 0, none),
        engine.plus(none, none),
    ]
    found += [
        *engine.split_by_failing_literal(none, ()),
        engine.covered_by_rule(none, Rule(None)),
        engine.covered_by_literal(none, Literal("f0", "missing", None)),
    ]
    assert [len(rows.rows()) for rows in found] == [0] * len(found)
    assert engine.label_weights(none) == [0] * len(engine.labels)
    assert engine.best_literal(*engine.split(none, 0), ()) is None


def test_an_engine_has_its_own_threads():
    """For an engine that is made already, n_jobs comes too late."""
    table = table_of(*random_rows(1, rows=30, columns=2))
    with pytest.raises(ParameterError, match="pass n_jobs when you create the engine"):
        unless.fold_rm(MemoryEngine(table), n_jobs=2)


@needs_compiled
def test_no_threads_are_left():
    """After learning there are as many threads as before."""
    table = table_of(*random_rows(2, rows=2000, columns=4))
    before = _thread._count()
    fold_unless(table, n_jobs=4)
    until = time.monotonic() + 5
    while _thread._count() > before and time.monotonic() < until:
        time.sleep(0.001)
    assert _thread._count() <= before


@needs_compiled
@pytest.mark.parametrize("seed", fewer(20))
def test_ctrl_c_at_any_moment(seed):
    """Wherever Ctrl-C strikes, the rules so far are the first ones of the whole program, and the next fit is right."""
    rng = random.Random(seed)
    features, rows = random_rows(4, rows=6000, columns=6)
    table = table_of(features, rows)
    engine = MemoryEngine(table, n_jobs=3)
    started = time.perf_counter()
    whole = unless.fold_rm(engine)
    timer = threading.Timer(rng.uniform(0, time.perf_counter() - started), _thread.interrupt_main)
    try:
        timer.start()
        found = unless.fold_rm(engine)
        timer.join()
        time.sleep(0.01)  # it came too late: here it is
    except Interrupted as stop:
        found = stop.program
    except KeyboardInterrupt:
        pass
    assert whole.rules[: len(found.rules)] == found.rules
    assert unless.fold_rm(engine) == whole


@pytest.mark.parametrize("weights", [None, [1, 2, 3], [0.5, 1.5, 0.25], [2**30, 2**30, 2**30]])
@pytest.mark.parametrize("count", [3, 150])
def test_counts_of_labels_as_an_array(weights, count):
    """Both forms of the counts are equal for weights that are whole, that are not, and that need more than 32 bits."""
    labels = Labels.of("y", [k % count for k in range(300)])
    table = Table((Column.of("a", [k % 5 for k in range(300)]),), labels)
    own = None if weights is None else np.array([weights[k % 3] for k in range(300)], dtype=np.float64)
    engine = MemoryEngine(table, own)
    for rows in (engine.all_rows(), *engine.split(engine.all_rows(), 1)):
        assert engine.label_counts(rows).tolist() == list(engine.label_weights(rows))
