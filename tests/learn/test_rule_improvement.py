"""Lists are optimised by masks and kernels as by the definitions."""

from __future__ import annotations

import collections
import random
import weakref

import numpy as np
import pytest

from tests.learn.test_random_tables import random_rows, table_of
from tests.lengths import LONG, fewer
from tests.shared import needs_compiled
from unless.kernels import row_masks
from unless.learn import Engine, MemoryEngine, memory_engine
from unless.learn.engine import GrowthCriteria, StopLearning
from unless.learn.literals import NET
from unless.learn.mask_engine import MaskEngine
from unless.learn.rule_improvement import RuleImprover
from unless.learn.rule_limits import NO_LIMITS
from unless.learn.unless_learner import UnlessSettings, fold_unless, learn_unless
from unless.rule import Literal, Rule


class ByDefinition(MemoryEngine):
    """An engine that optimises lists by rows, literal by literal."""

    for_optimising = Engine.optimiser_engine


def weights_for(kind, rows, rng):
    """Weights of rows, and their unit."""
    return {
        "not": (None, None),
        "whole": (rng.integers(0, 4, rows).astype(float), None),
        "units": (rng.integers(0, 4000, rows).astype(float), 2.0**-10),
    }[kind]


def drawn(seed, rows=(20, 70, 300, 2000)):
    """A random table."""
    rng = random.Random(seed)
    return table_of(*random_rows(seed, rows=rng.choice(rows), columns=rng.randint(1, 5)))


@needs_compiled
@pytest.mark.parametrize("weighted", ["not", "whole", "units"])
@pytest.mark.parametrize("seed", fewer(25))
def test_lists_are_optimised_as_defined(seed, weighted):
    """The same list, whatever rows weigh; also a short one, and one around constraints of its length."""
    table = drawn(seed, rows=(20, 70, 300, 2000 if LONG else 600))  # by definition it takes seconds
    weights, unit = weights_for(weighted, len(table), np.random.default_rng(seed))
    for settings in (
        UnlessSettings(penalty=0.1, min_support=1),
        UnlessSettings(penalty=0.02, min_support=1, max_rules=3),
    ):
        fast, slow = (
            learn_unless(kind(table, weights, unit), settings).program for kind in (MemoryEngine, ByDefinition)
        )
        assert fast == slow


@needs_compiled
@pytest.mark.parametrize("weighted", ["not", "whole", "units"])
@pytest.mark.parametrize("seed", fewer(25))
def test_questions(seed, weighted):
    """What is asked about masks has the answers that it has about rows."""
    table, rng = drawn(seed), np.random.default_rng(seed)
    engine = MemoryEngine(table, *weights_for(weighted, len(table), rng))
    dense, everything = engine.optimiser_engine(engine.all_rows())
    rows, label = engine.all_rows(), int(rng.integers(0, len(engine.labels)))
    some = engine.of_rows(rows.rows()[rng.random(len(rows.rows())) < 0.5])
    rule = fold_unless(table, penalty=0.1, min_support=1, optimise=False).rules[0]

    def same(mask, selection):
        assert sorted(dense.kernel.selection(mask).rows()) == sorted(selection.rows())
        assert dense.size(mask) == engine.size(selection)

    part = dense.mask(some)
    same(everything, rows)
    same(dense.all_rows(), rows)
    same(dense.minus(everything, part), engine.minus(rows, some))
    same(dense.plus(dense.minus(everything, part), part), rows)
    same(dense.covered_by_rule(part, rule), engine.covered_by_rule(some, rule))
    same(dense.of_label(part, label), engine.of_label(some, label))
    for found, wanted in zip(dense.split(part, label), engine.split(some, label), strict=True):
        same(found, wanted)
    for found, wanted in zip(
        dense.gains_and_losses(everything, label, part), engine.gains_and_losses(rows, label, some), strict=True
    ):
        same(found, wanted)
    assert dense.label_weights(part) == engine.label_weights(some)
    for literal in rule.default:
        same(dense.covered_by_literal(part, literal), engine.covered_by_literal(some, literal))
        if literal.op in ("<=", ">"):
            assert dense.neighbouring_numbers(part, literal) == engine.neighbouring_numbers(some, literal)
    pairs = dense.split(part, label), engine.split(some, label)
    assert dense.find_literal(*pairs[0], NET) == engine.find_literal(*pairs[1], NET)
    assert list(dense.counts(*pairs[0])) == list(engine.counts(*pairs[1]))
    for found, wanted in zip(dense.folds(part, 3), engine.folds(some, 3), strict=True):
        same(found, wanted)


@needs_compiled
@pytest.mark.parametrize("seed", fewer(25))
def test_one_rule_is_improved_as_defined(seed):
    """A rule with any literals and exceptions becomes the rule that literal by literal it becomes."""
    table, rng = drawn(seed), random.Random(seed)
    engine = MemoryEngine(table)
    dense, everything = engine.optimiser_engine(engine.all_rows())
    label = rng.randrange(len(engine.labels))
    gains, losses = dense.split(everything, label)
    criteria = GrowthCriteria(0.75, 0.1, 1.0, list(engine.distinct()))
    fast, slow = dense.improver(criteria, 0.7), RuleImprover(dense, criteria, 0.7)

    def literal():
        column = rng.choice(table.columns)
        rank = rng.randrange(column.missing + 1)
        return engine.literal((table.columns.index(column), rank, rng.random() < 0.5))

    def rule(depth):
        inside = tuple(rule(depth - 1) for _ in range(rng.randrange(3))) if depth else ()
        return Rule(None, tuple(literal() for _ in range(rng.randint(1, 4))), inside)

    for _ in range(5):
        one = rule(2)
        assert fast.improve_rule(one, gains, losses, NO_LIMITS) == slow.improve_rule(one, gains, losses, NO_LIMITS)
    assert fast.grow_improved_rule(gains, losses, NO_LIMITS) == slow.grow_improved_rule(gains, losses, NO_LIMITS)


def test_literals_that_the_engine_has_not_found():
    """A threshold that no record has is improved as defined: it stays if nothing is better."""
    table = drawn(1, rows=(70,))
    engine = MemoryEngine(table)
    dense, everything = engine.optimiser_engine(engine.all_rows())
    improver = dense.improver(GrowthCriteria(0.75, 1.0, 3.0, list(engine.distinct())), 1.0)
    gains, losses = everything, dense.minus(everything, everything)
    foreign = Rule(None, (Literal(table.features[0], "!=", "never seen"),))
    assert improver.improve_rule(foreign, gains, losses, NO_LIMITS) == foreign


@needs_compiled
@pytest.mark.parametrize("when", [0, 1, 2, 5, 10])
def test_late_in_the_middle_of_a_rule(when):
    """What stops an improvement leaves masks that answer as before."""
    table = drawn(3, rows=(300,))
    engine = MemoryEngine(table)
    dense, everything = engine.optimiser_engine(engine.all_rows())
    improver = dense.improver(GrowthCriteria(0.75, 0.1, 1.0, list(engine.distinct())), 0.7)
    pair = dense.split(everything, 0)
    wanted = improver.grow_improved_rule(*pair, NO_LIMITS)
    asked = iter(range(when))
    engine.late = lambda: next(asked, None) is None
    with pytest.raises(StopLearning):
        collections.deque(iter(lambda: improver.grow_improved_rule(*pair, NO_LIMITS), "never"), 0)
    engine.late = None
    assert improver.grow_improved_rule(*pair, NO_LIMITS) == wanted


def test_very_many_rows_have_no_masks(monkeypatch):
    """A list of more rows than masks are for is the same list."""
    table = drawn(5, rows=(300,))
    wanted = fold_unless(table, penalty=0.1)
    monkeypatch.setattr(memory_engine, "FEW_ENOUGH", 299)
    engine = MemoryEngine(table)
    assert engine.optimiser_engine(engine.all_rows())[0] is engine
    assert fold_unless(engine, penalty=0.1) == wanted


@needs_compiled
def test_masks_that_take_too_much_memory_are_forgotten(monkeypatch):
    """A list learned with little memory for masks is the same list, and they take hardly more than they may."""
    engines = []
    monkeypatch.setattr(memory_engine, "MaskEngine", lambda engine: engines.append(MaskEngine(engine)) or engines[-1])
    table, limit = drawn(0, rows=(2000,)), 20_000
    wanted = fold_unless(table, penalty=0.1)
    monkeypatch.setattr(row_masks, "MEMORY", limit)
    assert fold_unless(table, penalty=0.1) == wanted
    free, limited = (engine.kernel.pool_bytes() for engine in engines)
    assert limited < 2 * limit < 5 * limit < free


def test_many_labels_need_no_masks(monkeypatch):
    """Each label takes a mask: where there are many, lists are optimised by rows, and are the same."""
    table = drawn(5, rows=(300,))
    wanted = fold_unless(table, penalty=0.1)
    monkeypatch.setattr(memory_engine, "FEW_CELLS", 300)
    monkeypatch.setattr(memory_engine, "MaskEngine", None)
    assert fold_unless(table, penalty=0.1) == wanted


def test_an_engine_goes_with_its_last_user():
    """Nothing but the caller holds an engine after optimising, so its table goes at once."""
    engine = MemoryEngine(drawn(5, rows=(300,)))
    learn_unless(engine, UnlessSettings())
    gone = weakref.ref(engine.optimiser_engine(engine.all_rows())[0])
    assert gone() is None
    left = weakref.ref(engine)
    del engine
    assert left() is None
