"""Learning: parameters, progress, interruption, engines."""

from __future__ import annotations

import math
import random
import struct
from hashlib import blake2b

import numpy as np
import pytest

import unless
from tests.learn.test_random_tables import random_rows, table_of
from tests.learn.test_rule_improvement import weights_for
from tests.lengths import fewer
from tests.shared import needs_compiled
from unless.errors import ParameterError, ReadError, UnknownNameError
from unless.learn import Engine, MemoryEngine, ValueCounts, fold
from unless.learn.rule_limits import RuleLimits
from unless.learn.unless_learner import fold_unless
from unless.rule import MAX_DEPTH, Literal
from unless.table import Column, Labels, Table


@pytest.fixture
def table():
    """A table that takes several rules for either label: a chequered line."""
    line = range(300)
    return Table((Column.of("f", line),), Labels.of("y", ["a" if k // 10 % 2 else "b" for k in line]))


@pytest.mark.parametrize("ratio", [-0.1, 1.01, math.nan, math.inf, "0.5", None, True])
def test_a_wrong_ratio_is_refused(table, ratio):
    """A ratio that is not a number from 0 to 1 is an error that shows it."""
    with pytest.raises(ParameterError, match="ratio must be a number from 0 to 1, not"):
        unless.fold_rm(table, ratio)
    with pytest.raises(ParameterError, match="ratio must be a number"):
        unless.fold_rpp(table, "a", ratio)


def test_a_table_without_labels_is_refused():
    """Learning needs labels, and the message says how to name them."""
    with pytest.raises(ReadError, match=r"no labels; name them: read_table\(source, target=\.\.\.\)"):
        unless.fold_rm(Table((Column.of("f", [1, 2]),)))


@pytest.mark.parametrize("wrong", [[{"f": 1, "y": "a"}], "table.csv", None, np.zeros((2, 2))])
def test_only_tables_are_learned_from(wrong):
    """Anything else is refused, and the message says how to make a table."""
    with pytest.raises(ParameterError, match=r"is not a Table; make one: read_table\(source, target=\.\.\.\)"):
        unless.fold_rm(wrong)


def test_a_table_without_rows_is_refused():
    """A table without rows is refused."""
    with pytest.raises(ReadError, match="no rows to learn from"):
        unless.fold_rm(Table((Column.of("f", []),), Labels.of("y", [])))


def test_an_unknown_positive_label_is_refused(table):
    """FOLD-R++ suggests the nearest label, and does not take True for 1."""
    with pytest.raises(UnknownNameError, match="no label 'A'"):
        unless.fold_rpp(table, "A")
    numbers = Table((Column.of("f", [1, 2]),), Labels.of("y", [0, 1]))
    assert unless.fold_rpp(numbers, 1).rules
    for wrong in (True, "1", 1.0, np.array([0, 1])):
        with pytest.raises(UnknownNameError, match=r"no label .*; (there are 0, 1|did you mean 1\?)$"):
            unless.fold_rpp(numbers, wrong)


def test_what_no_rule_covers():
    """FOLD-RM leaves it unclassified; FOLD-R++ gives it the other label if there are two, else none."""
    two = Table((Column.of("f", [1, 2, 3]),), Labels.of("y", ["a", "a", "b"]))
    three = Table((Column.of("f", [1, 2, 3]),), Labels.of("y", ["a", "c", "b"]))
    assert unless.fold_rm(two).otherwise is None
    assert unless.fold_rpp(two, "a").otherwise == "b"
    assert unless.fold_rpp(three, "a").otherwise is None


def test_no_features():
    """Without features, every record gets the most popular label."""
    program = unless.fold_rm(Table((), Labels.of("y", ["a", "b", "b"])))
    assert program.rules == (unless.Rule("b"),)


def test_popularity_ties_go_to_the_label_that_sorts_first():
    """If labels are equally popular, the first in order is learned first, whatever the order of rows."""
    for cells, labels in (([1, 2], ["b", "a"]), ([2, 1], ["a", "b"])):
        assert unless.fold_rm(Table((Column.of("f", cells),), Labels.of("y", labels))).rules[0].head == "a"
    assert unless.fold_rm(Table((Column.of("f", [1, 2]),), Labels.of("y", [10, 9]))).rules[0].head == 9


def test_progress_counts_rules_up_and_rows_down(table):
    """Before each rule the callback gets the number of rows left and of rules so far, first all rows and no rules."""
    calls = []
    program = unless.fold_rm(table, progress=lambda rows, rules: calls.append((rows, rules)))
    assert calls[0] == (300, 0)
    assert [rules for _, rules in calls] == list(range(len(calls)))
    assert [rows for rows, _ in calls] == sorted({rows for rows, _ in calls}, reverse=True)
    assert len(program) in {len(calls), len(calls) - 1}


@pytest.mark.parametrize("learn", [unless.fold_rm, lambda table, **more: unless.fold_rpp(table, "a", **more)])
def test_progress_can_stop_the_learning(table, learn):
    """If the callback returns True, learning stops with the first rules of the whole program."""
    whole = learn(table)
    assert len(whole) > 2
    assert learn(table, progress=lambda _, rules: rules == 2).rules == whole.rules[:2]


@pytest.mark.parametrize("learn", [unless.fold_rm, lambda table, **more: unless.fold_rpp(table, "a", **more)])
def test_an_interruption_keeps_the_rules_on_request(table, learn):
    """Ctrl-C raises an error, or returns the rules so far if asked to; they are a valid program."""

    def interrupt(_, rules):
        if rules == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        learn(table, progress=interrupt)
    program = learn(table, progress=interrupt, keep_on_interrupt=True)
    assert program == stopped.value.program
    assert program.rules == learn(table).rules[:2]
    assert len(unless.predict(program, table)) == 300


class PlainEngine(Engine[frozenset]):
    """An engine of sets and dicts: the protocol, and nothing fast."""

    def __init__(self, table):
        self.target, self.features, self.labels = table.target.name, table.features, table.target.labels
        self.records = [table.record(row) for row in range(len(table))]
        self.codes = table.target.codes.tolist()

    def all_rows(self):
        return frozenset(range(len(self.records)))

    def size(self, rows):
        return len(rows)

    def label_weights(self, rows):
        return [sum(self.codes[row] == code for row in rows) for code in range(len(self.labels))]

    def split(self, rows, label):
        inside = frozenset(row for row in rows if self.codes[row] == label)
        return inside, rows - inside

    def covered_by_literal(self, rows, literal):
        return frozenset(row for row in rows if literal.holds(self.records[row][literal.feature]))

    def minus(self, rows, gone):
        return rows - gone

    def plus(self, rows, more):
        assert not rows & more
        return rows | more

    def folds(self, rows, count, among=None):
        hashes = [_hash_of([record[feature] for feature in self.features]) for record in self.records]
        return [frozenset(row for row in rows if hashes[row] % (among or count) == k) for k in range(count)]

    def distinct(self):
        return [len({record[feature] for record in self.records}) for feature in self.features]

    def counts(self, positive, negative):
        for feature in self.features:
            values = {self.records[row][feature] for row in positive | negative}
            order = sorted(values, key=lambda v: (v is None, isinstance(v, str), v if v is not None else 0))
            having = [
                [sum(self.records[row][feature] == v for row in rows) for v in order] for rows in (positive, negative)
            ]
            yield ValueCounts(feature, order, *having)


def _hash_of(values):
    """The hash of a record, as `unless.learn.folds` defines it, value by value in plain Python."""
    found = 0
    for value in values:
        if isinstance(value, float):
            bits = _mixed(struct.unpack("<Q", struct.pack("<d", value))[0])
        else:
            bits = 0 if value is None else int.from_bytes(blake2b(value.encode(), digest_size=8).digest())
        found = _mixed((found + bits) % 2**64)
    return found


def _mixed(bits):
    bits = (bits + 0x9E3779B97F4A7C15) % 2**64
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % 2**64
    return bits ^ (bits >> 31)


@pytest.mark.parametrize("seed", range(8))
def test_every_engine_learns_the_same(seed):
    """The learner never looks into rows: an engine of plain sets learns the same program as the fast one."""
    table = table_of(*random_rows(seed, rows=60, columns=3))
    engine = PlainEngine(table)
    assert unless.fold_rm(engine) == unless.fold_rm(table)
    assert unless.fold_rpp(engine, "a", 0.3) == unless.fold_rpp(table, "a", 0.3)
    assert fold_unless(engine, optimise=False) == fold_unless(table, optimise=False)
    for penalty, most in ((1.0, None), (0.3, None), (0.3, 3)):
        settings = {"penalty": penalty, "max_rules": most, "round_thresholds": bool(seed % 2)}
        assert fold_unless(engine, **settings) == fold_unless(table, **settings)


def test_a_thousand_labels():
    """Many labels are learned one by one."""
    table = Table((Column.of("f", range(2000)),), Labels.of("y", [k // 2 for k in range(2000)]))
    program = unless.fold_rm(table)
    assert len({rule.head for rule in program}) == 1000
    assert list(unless.predict(program, table)) == [k // 2 for k in range(2000)]


@pytest.mark.parametrize("weights", [[1.0], [-1.0] + [1.0] * 299, *([w] * 300 for w in (math.nan, 0, math.inf, "a"))])
def test_wrong_weights_are_refused(table, weights):
    """There is a weight for every row; weights are finite, not negative, and not all 0."""
    with pytest.raises(ParameterError, match="weights"):
        unless.fold_rm(table, weights=np.array(weights))


def test_numpy_scalars_are_values():
    """Parameters may be numpy values."""
    table = Table((Column.of("f", [1, 2, 3]),), Labels.of("y", ["a", "a", "b"]))
    assert unless.fold_rpp(table, np.str_("a"), np.float32(0.5)) == unless.fold_rpp(table, "a", 0.5)


def test_many_categories():
    """A column of nearly unique categories has more values than bins, and the search is still exact."""
    cells = [f"name {k % 5000}" for k in range(6000)]
    labels = ["odd" if k % 5000 == 77 else "even" for k in range(6000)]
    program = unless.fold_rpp(Table((Column.of("name", cells),), Labels.of("y", labels)), "odd")
    assert program.rules == (unless.Rule("odd", (unless.Literal("name", "==", "name 77"),)),)


@pytest.mark.parametrize("numbers", [1, 4, 20])
def test_few_numbers_among_many_categories(numbers):
    """So it is in a column of hundreds of categories and a few numbers."""
    cells = [float(k % numbers) if k % 3 == 0 else f"name {k % 5000}" for k in range(6000)]
    labels = ["number" if k % 3 == 0 and k % 7 else "name" for k in range(6000)]
    engine = MemoryEngine(Table((Column.of("f", cells),), Labels.of("y", labels)))
    examples = engine.split(engine.all_rows(), 1)
    literal = engine.best_literal(*examples, ())
    assert literal == Engine.best_literal(engine, *examples, ()) == unless.Literal("f", "<=", numbers - 1)


def test_contradictions_do_not_loop():
    """Equal records with different labels cannot be separated, and learning still ends."""
    table = Table((Column.of("f", [1.0] * 20),), Labels.of("y", ["a", "b"] * 10))
    for ratio in (0.0, 0.5, 1.0):
        assert len(unless.fold_rm(table, ratio)) <= 2


class ByDefinition(MemoryEngine):
    """An engine that learns the paper's rules literal by literal."""

    folded = Engine.learn_paper_rule


@needs_compiled
@pytest.mark.parametrize("weighted", ["not", "whole", "units"])
@pytest.mark.parametrize("seed", fewer(25))
def test_rules_in_one_call(seed, weighted):
    """In one call the kernel learns what the paper's lines learn, literal by literal; with weights and bans too."""
    rng = random.Random(seed)
    table = table_of(*random_rows(seed, rows=rng.choice([20, 70, 300, 2000]), columns=rng.randint(1, 5)))
    weights, unit = weights_for(weighted, len(table), np.random.default_rng(seed))
    column = rng.choice(table.columns)
    banned = [Literal(column.name, "missing")] if rng.random() < 0.5 else []
    for ratio in (0.0, 0.3, 0.75):
        fast, slow = (
            unless.fold_rm(kind(table, weights, unit, banned), ratio) for kind in (MemoryEngine, ByDefinition)
        )
        assert fast == slow


@needs_compiled
@pytest.mark.parametrize("level", [1, MAX_DEPTH - 1, MAX_DEPTH])
@pytest.mark.parametrize("seed", fewer(10))
def test_rules_of_any_depth_in_one_call(seed, level):
    """At any level, and beside literals that are used already, the same rule covers the same rows."""
    table = table_of(*random_rows(seed, rows=300, columns=3))
    engine, defined = MemoryEngine(table), ByDefinition(table)
    used = (engine.best_literal(*engine.split(engine.all_rows(), 0), ()),)
    found = [
        fold.learn_rule(one, *one.split(one.all_rows(), 0), 0.5, used, RuleLimits(level=level))
        for one in (engine, defined)
    ]
    assert found[0][0] == found[1][0]
    assert found[0][0].depth <= MAX_DEPTH + 1 - level
    for rows, others in zip(found[0][1:], found[1][1:], strict=True):
        assert sorted(rows.rows()) == sorted(others.rows())
