"""Our own learner equals its transcription on random tables; weights are rows, for all three learners."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from tests.learn.test_random_tables import examples_of, random_rows, table_of, tables
from tests.lengths import fewer
from tests.reference import naive_unless
from tests.shared import needs_compiled
from unless.evaluation.metrics import count_rule_decisions, count_training_decisions
from unless.learn import Engine, MemoryEngine
from unless.learn.engine import GrowthCriteria
from unless.learn.fold import learn_rm
from unless.learn.literals import GAIN, NET, LiteralScore
from unless.learn.rule_limits import RuleLimits
from unless.learn.unless_learner import UnlessSettings, fold_unless, learn_unless
from unless.learn.weights import weights_to_counts
from unless.rule import MAX_DEPTH, Literal
from unless.table import Column, Labels, Table

PARAMETERS = st.tuples(
    st.sampled_from([0.0, 0.3, 0.75, 1.0]), st.sampled_from([0.0, 0.2, 0.5, 1.0]), st.sampled_from([0, 1, 2, 3, 5])
)
LEARNERS = {
    "fold_rm": unless.fold_rm,
    "fold_rpp": lambda table, **more: unless.fold_rpp(table, table.target.labels[-1], **more),
    "fold_unless": lambda table, **more: fold_unless(table, penalty=0.2, min_support=2, **more),
}


def _learn_unless(engine, ratio):
    return learn_unless(engine, UnlessSettings(ratio, penalty=0.1, min_support=1))


@given(tables(), PARAMETERS)
@settings(max_examples=200, deadline=None)
def test_the_learner_is_its_description(drawn, parameters):
    """On small tables full of ties the fast learner learns the same program as the transcription."""
    features, rows = drawn
    program = fold_unless(table_of(features, rows), *parameters, optimise=False)
    assert program == naive_unless.fold_unless("y", features, examples_of(features, rows), *parameters)


@pytest.mark.parametrize("seed", fewer(20))
def test_larger_tables_too(seed):
    """On larger tables, with histograms, wide columns and refined bins, both still learn the same program."""
    rng = random.Random(seed)
    features, rows = random_rows(seed, rows=rng.choice([60, 150, 300]), columns=rng.randint(1, 4))
    parameters = rng.choice([0.0, 0.5, 0.75, 1.0]), rng.choice([0.0, 0.3, 1.0]), rng.choice([1, 3, 10])
    program = fold_unless(table_of(features, rows), *parameters, optimise=False)
    assert program == naive_unless.fold_unless("y", features, examples_of(features, rows), *parameters)


@needs_compiled
@pytest.mark.parametrize("seed", fewer(10))
def test_banned_values_are_left_out(seed):
    """Whatever is asked for, literals on the values of banned ones are not found, and the next best one is."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([30, 300, 3000]))
    y = rng.integers(0, 2, rows)
    table = Table(tuple(_column(rng, f"f{i}", y) for i in range(3)), Labels.of("y", [f"l{label}" for label in y]))
    banned: list[Literal] = []
    for _ in range(4):
        engine = MemoryEngine(table, banned=banned)
        positive, negative = engine.split(engine.all_rows(), 0)
        scores = (GAIN, LiteralScore("purity", 2), NET)
        found = [engine.find_literal(positive, negative, score) for score in scores]
        assert found == [Engine.find_literal(engine, positive, negative, score) for score in scores]
        new = [one.literal for one in found if one is not None]
        assert not {(one.feature, one.value) for one in new} & {(one.feature, one.value) for one in banned}
        banned += new
        program = fold_unless(engine)
        used = {(one.feature, one.value) for rule in program.rules for one in rule.literals()}
        assert not used & {(one.feature, one.value) for one in engine.banned if one.op in ("==", "!=", "missing")}


@needs_compiled
@pytest.mark.parametrize("seed", fewer(20))
def test_the_fast_search_equals_the_plain_one(seed):
    """Bounds and bins give the same purest literal as the counts, in columns of thousands of values."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([300, 3000, 10000]))
    y = rng.integers(0, 3, rows)
    table = Table(tuple(_column(rng, f"f{i}", y) for i in range(5)), Labels.of("y", [f"l{label}" for label in y]))
    engine = MemoryEngine(table)
    positive, negative = engine.split(engine.all_rows(), int(rng.integers(0, 3)))
    support = float(rng.choice([1, 3, 50]))
    for _ in range(6):
        found = engine.find_literal(positive, negative, LiteralScore("purity", support))
        assert found == Engine.find_literal(engine, positive, negative, LiteralScore("purity", support))
        if found is None:
            break
        literal = found.literal
        positive, negative = engine.covered_by_literal(positive, literal), engine.covered_by_literal(negative, literal)
        if rng.random() < 0.3:
            positive, negative = negative, positive


class ByDefinition(MemoryEngine):
    """An engine that grows rules as `Engine` defines it."""

    grow_rule, grow_exceptions = Engine.grow_rule, Engine.grow_exceptions


@needs_compiled
@pytest.mark.parametrize("weighted", ["not", "whole", "fractions", "units"])
@pytest.mark.parametrize("seed", fewer(20))
def test_rules_grow_as_defined(seed, weighted):
    """In one call rules and exceptions grow as literal by literal, and cover the same rows; with weights too."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([40, 300, 2000]))
    y = rng.integers(0, 3, rows)
    table = Table(tuple(_column(rng, f"f{i}", y) for i in range(4)), Labels.of("y", [f"l{label}" for label in y]))
    weights, unit = {
        "not": (None, None),
        "whole": (rng.integers(0, 4, rows).astype(float), None),
        "fractions": (weights_to_counts(rng.choice([0.1, 0.7, 1.3], rows)), None),
        "units": (rng.integers(0, 4000, rows).astype(float), 2.0**-10),
    }[weighted]
    engine, defined = MemoryEngine(table, weights, unit), ByDefinition(table, weights, unit)
    if rows < 100 and weights is None:  # from the counts, which takes long
        defined.find_literal = partial(Engine.find_literal, defined)
    choices = [(0.75, 1.0, 3.0), (0.3, 0.2, 1e-9), (0.0, 0.0, 2.5), (1.0, 0.1, 30.0)]
    criteria = GrowthCriteria(*choices[seed % 4], list(engine.distinct()))
    fast, slow = (each.split(each.all_rows(), seed % 3) for each in (engine, defined))
    for way in (1, -1):
        assert_same(engine.grow_rule(*fast[::way], criteria), defined.grow_rule(*slow[::way], criteria))
    for depth in (2, MAX_DEPTH - 1):
        found = engine.grow_exceptions(*fast, criteria, RuleLimits(level=depth))
        assert_same(found, defined.grow_exceptions(*slow, criteria, RuleLimits(level=depth)))
        assert depth == 2 or all(not deeper.exceptions for rule in found[0] for deeper in rule.exceptions)


def assert_same(found, defined):
    """Compare what grew, and the rows on both sides."""
    assert (found is None) is (defined is None)
    if found is not None:
        assert found[0] == defined[0]
        for rows, others in zip(found[1:], defined[1:], strict=True):
            assert sorted(rows.rows()) == sorted(others.rows())
            assert rows.weight() == others.weight()


def _column(rng, name, y):
    spread = int(rng.choice([50, 700, 10**6]))
    cells = [float(x) for x in np.round(rng.normal(y * rng.choice([0, 0.3, 2]), 1) * spread)]
    if rng.random() < 0.5:
        for k in np.flatnonzero(rng.random(len(y)) < 0.2):
            cells[k] = None if rng.random() < 0.5 else f"c{rng.integers(0, 400)}"
    return Column.of(name, cells)


@given(tables(), PARAMETERS, st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_row_order_never_matters(drawn, parameters, rng):
    """Shuffled rows give the same program."""
    features, rows = drawn
    shuffled = rng.sample(rows, len(rows))
    assert fold_unless(table_of(features, shuffled), *parameters) == fold_unless(table_of(features, rows), *parameters)


@given(tables(), PARAMETERS)
@settings(max_examples=100, deadline=None)
def test_every_record_has_a_label(drawn, parameters):
    """The last rule covers every record, and the rule before it has another label."""
    features, rows = drawn
    program = fold_unless(table_of(features, rows), *parameters)
    assert program.rules[-1] == unless.Rule(program.rules[-1].head)
    assert len(program) == 1 or program.rules[-2].head != program.rules[-1].head


@pytest.mark.parametrize("learner", LEARNERS)
@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_a_weight_is_a_number_of_rows(learner, data):
    """A whole weight repeats the row, and 0 leaves it out."""
    features, rows = data.draw(tables())
    weights = data.draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows)))
    repeated = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    if len({row[-1] for row in repeated}) < len({row[-1] for row in rows}):
        return  # a label that is gone is the estimators' business
    learn = LEARNERS[learner]
    weighted = learn(table_of(features, rows), weights=np.array(weights, dtype=float))
    assert weighted == learn(table_of(features, repeated))


@pytest.mark.parametrize("learner", ["fold_rm", "fold_rpp"])
@pytest.mark.parametrize("scale", [0.5, 0.25, 2.0**-20])
@given(drawn=tables(), weights=st.lists(st.integers(0, 4), min_size=40, max_size=40))
@settings(max_examples=40, deadline=None)
def test_only_the_proportions_of_weights_matter(learner, scale, drawn, weights):
    """Halves and smaller powers of two give the same program as whole weights."""
    features, rows = drawn
    whole = np.array(weights[: len(rows)], dtype=float)
    if not whole.any():
        return
    learn = LEARNERS[learner]
    table = table_of(features, rows)
    assert learn(table, weights=scale * whole) == learn(table, weights=whole)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("scale", [0.3, 1e-16, 1e-280, 1e280])
@given(drawn=tables(), weights=st.lists(st.floats(1e-9, 1e9), min_size=40, max_size=40))
@settings(max_examples=25, deadline=None)
def test_the_scale_of_weights_does_not_matter(learner, scale, drawn, weights):
    """If weights are not all whole, multiplying all of them does not change the program."""
    features, rows = drawn
    fractions = np.array(weights[: len(rows)])
    if (fractions == np.floor(fractions)).all():
        return
    learn = LEARNERS[learner]
    table = table_of(features, rows)
    assert learn(table, weights=scale * fractions) == learn(table, weights=fractions)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("weight", [1 / 3, 1e-300, 1e300])
@given(drawn=tables())
@settings(max_examples=20, deadline=None)
def test_even_weights_are_none(learner, weight, drawn):
    """If all rows have the same weight, and it is not whole, the program is the same as without weights."""
    features, rows = drawn
    learn, table = LEARNERS[learner], table_of(features, rows)
    assert learn(table, weights=np.full(len(rows), weight)) == learn(table)


@pytest.mark.parametrize("learn", [learn_rm, _learn_unless], ids=["rm", "unless"])
@given(drawn=tables(), weights=st.none() | st.lists(st.integers(0, 4) | st.floats(0.1, 9), min_size=40, max_size=40))
@settings(max_examples=60, deadline=None)
def test_learners_know_what_their_rules_decide(learn, drawn, weights):
    """The counts taken while learning are what the program decides on the same rows, weighted or not."""
    features, rows = drawn
    table = table_of(features, rows)
    counts = (
        None
        if weights is None or not any(weights[: len(rows)])
        else weights_to_counts(np.array(weights[: len(rows)], float))
    )
    learned = learn(MemoryEngine(table, counts), 0.5)
    found, wanted = (
        count_training_decisions(learned, table, counts),
        count_rule_decisions(learned.program, table, counts),
    )
    np.testing.assert_allclose(found.counts, wanted.counts, rtol=1e-9, atol=1e-9)
    assert found.labels == wanted.labels
    assert found.weighted == wanted.weighted


@given(tables(), st.lists(st.integers(1, 4), min_size=40, max_size=40))
@settings(max_examples=60, deadline=None)
def test_support_is_measured_in_weight(drawn, weights):
    """Weights are scaled to a mean of 1, so a hundredth of whole weights needs the support that their mean did."""
    features, rows = drawn
    whole = np.array(weights[: len(rows)], dtype=float)
    table = table_of(features, rows)
    scaled = fold_unless(table, penalty=0, min_support=2, optimise=False, weights=whole / 100)
    least = 2 * whole.mean()
    assert scaled == fold_unless(table, penalty=0, min_support=least, optimise=False, weights=whole)
