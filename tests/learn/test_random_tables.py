"""Fast learners equal the paper, transcribed, on random tables full of ties."""

from __future__ import annotations

import random
import string

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from tests.lengths import fewer
from tests.reference import naive
from unless.learn import Engine, MemoryEngine
from unless.table import Column, Labels, Table

RATIOS = st.sampled_from([0.0, 0.2, 0.5, 0.75, 1.0])


def cells(draw, kind):
    """A strategy for the cells of one column."""
    numbers = st.integers(0, draw(st.sampled_from([1, 3, 8, 40]))).map(float)
    categories = st.sampled_from(string.ascii_lowercase[: draw(st.sampled_from([1, 2, 5]))])
    return {
        "number": numbers,
        "text": categories,
        "mixed": numbers | categories,
        "gaps": numbers | st.none(),
        "text with gaps": categories | st.none(),
        "everything": numbers | categories | st.none(),
    }[kind]


KINDS = ["number", "text", "mixed", "gaps", "text with gaps", "everything"]


@st.composite
def tables(draw, most=40):
    """Small tables of mixed columns, with duplicate rows and contradicting labels."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4))
    features = tuple(f"f{i}" for i in range(len(kinds)))
    row = st.tuples(*(cells(draw, kind) for kind in kinds), st.sampled_from("abc"[: draw(st.integers(1, 3))]))
    rows = draw(st.lists(row, min_size=1, max_size=most))
    return features, rows


def random_rows(seed, rows, columns):
    """A larger table than Hypothesis likes to draw: more rows than the small-rows path takes, many ties."""
    rng = random.Random(seed)
    kinds = [rng.choice(KINDS) for _ in range(columns)]
    spans = [rng.choice([2, 5, 30, 1000]) for _ in range(columns)]

    def cell(kind, span):
        number, category = float(rng.randrange(span)), f"c{rng.randrange(min(span, 30))}"
        choices = {"number": [number], "text": [category], "mixed": [number, category], "gaps": [number, number, None]}
        return rng.choice(choices.get(kind, [number, category, None] if kind == "everything" else [category, None]))

    features = tuple(f"f{i}" for i in range(columns))
    labels = "abcd"[: rng.randint(2, 4)]
    drawn = []
    for _ in range(rows):
        row = [cell(kind, span) for kind, span in zip(kinds, spans, strict=True)]
        signal = labels[hash_free(row[0]) % len(labels)]
        drawn.append((*row, signal if rng.random() < 0.7 else rng.choice(labels)))
    return features, drawn


def hash_free(value):
    """A number from a cell that does not depend on the hash seed."""
    return 7 if value is None else sum(map(ord, str(value)))


def table_of(features, rows):
    """A table from plain rows; the last cell is the label."""
    columns = tuple(Column.of(name, [row[i] for row in rows]) for i, name in enumerate(features))
    return Table(columns, Labels.of("y", [row[-1] for row in rows]))


def examples_of(features, rows):
    """The same rows for the naive learner."""
    return [(dict(zip(features, row, strict=False)), row[-1]) for row in rows]


@given(tables(), RATIOS)
@settings(max_examples=300, deadline=None)
def test_fold_rm_is_the_papers(drawn, ratio):
    """FOLD-RM learns what Algorithm 4, transcribed, learns."""
    features, rows = drawn
    assert unless.fold_rm(table_of(features, rows), ratio) == naive.fold_rm(
        "y", features, examples_of(features, rows), ratio
    )


@given(tables(), RATIOS)
@settings(max_examples=200, deadline=None)
def test_fold_rpp_is_the_papers(drawn, ratio):
    """FOLD-R++ learns what Algorithm 3, transcribed, learns, for every label."""
    features, rows = drawn
    table, examples = table_of(features, rows), examples_of(features, rows)
    for positive in table.target.labels:
        assert unless.fold_rpp(table, positive, ratio) == naive.fold_rpp("y", features, examples, positive, ratio)


@pytest.mark.parametrize("seed", fewer(60))
def test_larger_tables_too(seed):
    """On larger tables, with histograms, wide columns and refined bins, the program is still the paper's."""
    rng = random.Random(seed)
    features, rows = random_rows(seed, rows=rng.choice([60, 150, 400]), columns=rng.randint(1, 4))
    ratio = rng.choice([0.0, 0.3, 0.5, 1.0])
    program = unless.fold_rm(table_of(features, rows), ratio)
    assert program == naive.fold_rm("y", features, examples_of(features, rows), ratio)


@pytest.mark.parametrize("seed", fewer(40))
def test_the_fast_search_equals_the_plain_one(seed):
    """With bounds and bins the engine finds the literal of Algorithm 2, in columns of thousands of values."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([300, 3000, 20000]))
    y = rng.integers(0, 3, rows)
    columns = []
    for i in range(5):
        spread = int(rng.choice([50, 700, 10**6]))
        numbers = np.round(rng.normal(y * rng.choice([0, 0.3, 2]), 1) * spread)
        cells = [float(x) for x in numbers]
        if rng.random() < 0.5:
            for k in np.flatnonzero(rng.random(rows) < 0.2):
                cells[k] = None if rng.random() < 0.5 else f"c{rng.integers(0, 400)}"
        columns.append(Column.of(f"f{i}", cells))
    table = Table(tuple(columns), Labels.of("y", [f"l{label}" for label in y]))
    engine = MemoryEngine(table)
    positive, negative = engine.split(engine.all_rows(), int(rng.integers(0, 3)))
    used = ()
    for _ in range(6):
        literal = engine.best_literal(positive, negative, used)
        assert literal == Engine.best_literal(engine, positive, negative, used)
        if literal is None:
            break
        used += (literal,)
        if rng.random() < 0.6:
            positive, negative = (
                engine.covered_by_literal(positive, literal),
                engine.covered_by_literal(negative, literal),
            )


@given(tables(), RATIOS, st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_row_order_never_matters(drawn, ratio, rng):
    """Shuffled rows give the same program."""
    features, rows = drawn
    shuffled = rng.sample(rows, len(rows))
    assert unless.fold_rm(table_of(features, shuffled), ratio) == unless.fold_rm(table_of(features, rows), ratio)


@pytest.mark.parametrize("seed", fewer(20))
def test_rows_may_be_taken_away_that_are_not_there(seed):
    """Rows minus some that they do not have: searches among what is left know nothing of those."""
    features, rows = random_rows(seed, rows=300, columns=3)
    engine = MemoryEngine(table_of(features, rows))
    positive, negative = engine.split(engine.all_rows(), 0)
    literal = engine.best_literal(positive, negative, ())
    some = engine.covered_by_literal(engine.all_rows(), literal)
    engine.split(some, 0)  # the engine now knows how often each label has each value
    pair = engine.split(engine.minus(some, engine.folds(engine.all_rows(), 3)[0]), 0)
    assert engine.best_literal(*pair, ()) == Engine.best_literal(engine, *pair, ())
