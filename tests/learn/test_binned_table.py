"""Lists learned from a table in bins are those of the plain learner."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tests.learn.test_random_tables import random_rows, table_of
from unless import read_table
from unless.learn import unless_learner
from unless.learn.binned_table import CATEGORIES, NUMBERS, BinnedTable
from unless.learn.literals import MANY
from unless.learn.memory_engine import MemoryEngine
from unless.model.prediction import deciding_rules
from unless.rule import Literal, Program, Rule
from unless.table import Column, Labels, Table
from unless.values.notation import WHOLE

UNIT = 2.0**-10


def grown(table, weights, settings, *, threads=1, most=1000, again=unless_learner.RETRY_SHARE):
    """The list of the kernel, as a program, and the rule that decides each row."""
    binned = BinnedTable(table.columns, np.ones(len(table)), threads)
    units, picked = weights.astype(np.int32), np.arange(len(table.columns), dtype=np.int32)
    criteria = settings.ratio, settings.penalty, settings.min_support, UNIT, MANY, len(table.labels.labels), again
    index, truth = np.flatnonzero(units).astype(np.int32), table.labels.codes.astype(np.int32)
    known, decided = np.full(len(table), most, np.int32), np.empty(len(table), np.int32)
    binned.lists.learn(index, truth, units, picked, criteria, bool(settings.rare_first), most, lambda _: None, known)
    heads, code = binned.lists.learned()
    binned.lists.decide(code, len(heads) - 1, np.arange(len(table), dtype=np.int32), decided)
    assert np.array_equal(np.minimum(known, len(heads) - 1)[units > 0], decided[units > 0])
    rules = binned.rules(code, [table.labels.labels[head] for head in heads])
    return Program(table.labels.name, table.features, tuple(rules)), decided


def at_numbers(rule, table):
    """A rule with each threshold moved down to the number of a record that it comes from."""
    columns = {column.name: column for column in table.columns}

    def moved(literal):
        if literal.op not in ("<=", ">"):
            return literal
        numbers = columns[literal.feature].numbers
        return Literal(
            literal.feature, literal.op, float(numbers[np.searchsorted(numbers, literal.value, "right") - 1])
        )

    return Rule(rule.head, tuple(map(moved, rule.default)), tuple(at_numbers(one, table) for one in rule.exceptions))


def coarse(table):
    """The table with the numbers of each bin made its largest one, and the largest one of all kept."""
    columns = []
    for column in table.columns:
        part = BinnedTable([column], np.ones(len(table)))._parts[0]
        ends = np.array(part.ranks[: part.numbers], dtype=np.intp)
        ranks = np.arange(column.missing + 1)
        ranks[: len(column.numbers)] = ends[part.bins[: len(column.numbers)]]
        columns.append(Column.of(column.name, [column.value(rank) for rank in ranks[column.codes]]))
    return Table(tuple(columns), table.target, len(table))


def patient(table, weights, settings, again):
    """The rules of a list for which a label without a rule is tried again later, by the steps of the plain learner."""
    engine = MemoryEngine(table, weights, UNIT)
    learner = unless_learner.UnlessLearner(engine, settings)
    rows, rules, aside = engine.all_rows(), [], {}
    first = engine.label_weights(rows)
    while True:
        left = engine.size(rows)
        label = learner.next_label(engine.label_weights(rows), first, aside)
        learned = None if label is None else engine.grow_rule(*engine.split(rows, label), learner.criteria)
        if learned is not None:
            rule, positive, negative = learned
            rows = engine.minus(engine.minus(rows, positive), negative)
            rules.append(Rule(engine.labels[label], rule.default, rule.exceptions))
            left = engine.size(rows)
        elif label is not None:
            aside[label] = left
            continue
        late = [
            k for k, before in aside.items() if left < before and left <= (1.0 if label is None else again) * before
        ]
        if label is None and not late:
            break
        for k in late:
            del aside[k]
    last = engine.label_weights(rows)
    head = engine.labels[last.index(max(last))] if any(last) or not rules else rules[-1].head
    while rules and rules[-1].head == head:
        rules.pop()
    return (*rules, Rule(head))


def test_labels_without_a_rule_are_tried_again_later():
    """When a share of the rows is left, or no other label has a rule; with 1, after every rule."""
    differ = dict.fromkeys((1.0, 0.9, 0.5, 0.0), 0)
    for seed in range(12):
        random = np.random.default_rng(seed)
        x = random.integers(0, 40, (2, 400)).astype(float)
        noisy = (x[0] + random.normal(0, 12, 400)) // 6
        frame = pl.DataFrame({"a": x[0], "b": x[1], "y": [f"{one:.0f}" for one in noisy]})
        table = read_table(frame, "y")
        weights = random.integers(0, 4, len(table)) * 1024.0
        settings = unless_learner.UnlessSettings(0.75, 0.5, 2.0, optimise=False, rare_first=seed % 2 == 1)
        first = patient(table, weights, settings, 1.0)
        for again in differ:
            program, _ = grown(table, weights, settings, again=again)
            found = tuple(at_numbers(rule, table) for rule in program.rules)
            assert found == (first if again == 1 else patient(table, weights, settings, again))
            differ[again] += found != first
    assert [again for again, times in differ.items() if times] == [0.9, 0.5, 0.0]


@pytest.mark.parametrize("seed", range(40))
def test_the_same_lists_as_the_plain_learner(seed):
    """The kernel learns what `learn_unless` learns from numbers rounded to bins, and decides as `prediction`."""
    table = table_of(*random_rows(seed, 30 + 12 * seed, 2 + seed % 7))
    weights = np.random.default_rng(seed).integers(0, 4, len(table)) * 1024.0
    penalty, support = ((1.0, 3.0), (0.5, 1.0), (0.1, 2.0))[seed % 3]
    settings = unless_learner.UnlessSettings(0.75, penalty, support, optimise=False, rare_first=seed % 2 == 1)
    rounded = coarse(table)
    plain = unless_learner.learn_unless(MemoryEngine(rounded, weights, UNIT), settings).program
    program, decided = grown(table, weights, settings)
    assert tuple(at_numbers(rule, table) for rule in program.rules) == plain.rules
    assert np.array_equal(decided, deciding_rules(program, table))
    short, _ = grown(table, weights, settings, most=3)
    assert len(short) <= 3
    assert short.rules[:-1] == program.rules[: len(short) - 1]


def test_many_values():
    """Thousands of numbers are cut into bins of equal weight; rare categories have no literal, and still count."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=3000)
    texts = [f"t{k:03}" for k in np.minimum(rng.geometric(0.01, 3000), 299)]
    y = (numbers > 0.5) ^ (np.array(texts) == "t001")
    table = Table((Column.of("n", numbers), Column.of("t", texts)), Labels.of("y", y.tolist()))
    binned = BinnedTable(table.columns, np.ones(len(table)))
    by_number, by_text = binned._parts
    assert NUMBERS / 2 < by_number.numbers <= NUMBERS + 1
    assert np.bincount(by_number.bins[table.columns[0].codes]).max() < 2 * 3000 / NUMBERS
    assert by_text.end == CATEGORIES + 1 < by_text.size
    settings = unless_learner.UnlessSettings(0.75, 1.0, 3.0, optimise=False)
    program, decided = grown(table, np.full(3000, 1024.0), settings)
    assert np.array_equal(decided, deciding_rules(program, table))
    assert np.mean([program.heads[k] == one for k, one in zip(decided, y, strict=True)]) > 0.98


def test_frequent_values_have_bins_of_their_own():
    """Of mostly zeros the other numbers are cut as finely as without them, and bytes hold all bins."""
    rng = np.random.default_rng(2)
    others = rng.normal(size=500)
    zeros = Column.of("n", np.concatenate([np.zeros(9500), others]))
    part = BinnedTable([zeros], np.ones(10_000))._parts[0]
    counts = np.bincount(part.bins[zeros.codes])
    assert counts.max() == 9500
    assert np.sort(counts)[-2] <= 2 * 500 / NUMBERS
    many = [*range(120)] * 50 + (1000 + rng.random(8000)).tolist() + [f"t{k}" for k in range(200)]
    crowded = Column.of("n", many)
    part = BinnedTable([crowded], np.ones(len(many)))._parts[0]
    assert part.size <= 256
    ends = np.array(part.ranks)
    assert (ends[part.bins[: len(crowded.numbers)]] >= np.arange(len(crowded.numbers))).all()


def test_weights_of_any_size_fit_into_bytes():
    """Also where every other number weighs next to nothing, beside many categories."""
    cells = [*range(135), *(f"t{k}" for k in range(130))]
    column = Column.of("n", cells)
    weights = np.where(np.arange(len(cells)) % 2, 1.0, 1e-20)
    part = BinnedTable([column], weights, exact=[Literal("n", "<=", float(k)) for k in range(130)])._parts[0]
    assert part.size <= 256
    assert len(set(part.ranks)) == part.end
    numbers = np.arange(len(column.numbers))
    assert (np.array(part.ranks)[part.bins[numbers]] >= numbers).all()


def test_thresholds_lie_half_way_and_where_they_are_asked_for():
    """Between the numbers of records, rounded; also those of literals that are given, which records have not."""
    column = Column.of("n", np.arange(0, 5000, 2.5))
    counts = np.ones(2000)
    counts[column.codes == 1601] = 0.0  # 4002.5 is in the table, but no record counts
    exact = Literal("n", "<=", 4000.0), Literal("n", ">", 17.5), Literal("m", "<=", 3.0)
    part = BinnedTable([column], counts, exact=exact)._parts[0]
    found = {part.literal(place, other=False).value for place in range(part.numbers)}
    assert {4002.0, 19.0} <= found
    assert not {4002.0, 19.0} & {
        one._parts[0].literal(place, other=False).value
        for one in [BinnedTable([column], counts)]
        for place in range(one._parts[0].numbers)
    }
    for end, notation, second in ((87.0, WHOLE, 1.0), (87.0, None, 1.5), (np.inf, None, 1.5)):
        numbers = Column.of("n", np.array([-end, *range(28), end]))
        part = BinnedTable([replace(numbers, notation=notation)], np.ones(30))._parts[0]
        assert [part.literal(place, other=True).value for place in (2, 29)] == [second, end]
        assert -end <= part.literal(0, other=True).value < 0


def test_threads_count_alike():
    """However many threads count, the list is the same."""
    rng = np.random.default_rng(1)
    cells = rng.normal(size=(20, 30_000))
    y = (cells[0] + cells[1] + rng.normal(size=30_000) > 0).tolist()
    table = Table(tuple(Column.of(f"f{k}", one) for k, one in enumerate(cells)), Labels.of("y", y))
    settings = unless_learner.UnlessSettings(0.75, 1.0, 3.0, optimise=False)
    one, two = (grown(table, np.full(30_000, 64.0), settings, threads=threads, most=6)[0] for threads in (1, 3))
    assert one == two
