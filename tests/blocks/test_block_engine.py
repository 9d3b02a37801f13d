"""Each question to an engine over blocks, against its plain definition."""

from __future__ import annotations

import gc
import math
import os
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.blocks.stores import Data, PickledStore, counted, cramped, cut, forgetful, random_data, store_of
from tests.lengths import fewer
from unless.blocks.block_arrays import map_block, write_block
from unless.blocks.block_engine import BlockEngine
from unless.blocks.block_queries import FetchRows, LabelSizes, ValuesInRegions, combine_in_groups
from unless.blocks.block_store import map_ahead
from unless.blocks.column_bins import ColumnBins, make_column_bins
from unless.blocks.histogram_search import CountScore, HistogramSearch
from unless.blocks.row_set_definitions import RowSetDefinition, flatten_definitions
from unless.learn import Engine, fold_rm, fold_unless, given_cuts
from unless.learn.engine import GrowthCriteria
from unless.learn.literals import GAIN, NET, FoundLiteral, LiteralScore, ValueCounts, candidate_literals, find_literal
from unless.learn.rule_limits import RuleLimits
from unless.rule import Literal, Rule
from unless.storage import array_files, direct_io
from unless.table import Column
from unless.table.record_hashes import record_hashes


class Plain(Engine[frozenset]):
    """An engine whose sets are sets of row numbers: whatever `Engine` defines is answered as defined."""

    def __init__(self, data: Data, store, banned=()) -> None:
        self.table = data.table
        self.target, self.features, self.labels = "y", self.table.features, self.table.labels.labels
        self.units, self.unit = _units(data), store.unit
        self.banned = tuple(banned)
        self.records = [self.table.record(row) for row in range(len(self.table))]

    def all_rows(self):
        return frozenset(np.flatnonzero(self.units).tolist())

    def size(self, rows):
        return sum(int(self.units[row]) for row in rows) * self.unit

    def label_weights(self, rows):
        codes = self.table.labels.codes
        return [self.size(row for row in rows if codes[row] == label) for label in range(len(self.labels))]

    def split(self, rows, label):
        own = frozenset(row for row in rows if self.table.labels.codes[row] == label)
        return own, rows - own

    def covered_by_literal(self, rows, literal):
        return frozenset(row for row in rows if literal.holds(self.records[row][literal.feature]))

    def minus(self, rows, gone):
        return rows - gone

    def plus(self, rows, more):
        return rows | more

    def counts(self, positive, negative):
        for column in self.table.columns:
            there = sorted({int(column.codes[row]) for row in positive | negative})
            both = [Counter(), Counter()]
            for found, rows in zip(both, (positive, negative), strict=True):
                for row in rows:
                    found[int(column.codes[row])] += int(self.units[row])
            yield ValueCounts(column.name, [column.value(k) for k in there], *([one[k] for k in there] for one in both))

    def find_literal(self, positive, negative, score, used=(), allowed=None):
        score = LiteralScore(score.name, score.support / self.unit)
        found = super().find_literal(positive, negative, score, used, allowed)
        return None if found is None else FoundLiteral(found.literal, found.net * self.unit)

    def folds(self, rows, count, among=None):
        hashes = record_hashes(self.table.columns, len(self.table)) % np.uint64(among or count)
        return [frozenset(row for row in rows if hashes[row] == k) for k in range(count)]

    def distinct(self):
        every = self.all_rows()
        return [len({int(column.codes[row]) for row in every}) for column in self.table.columns]


def _units(data):
    """The weight of every row in units: from the labels and weights that are the same, the counts of memory."""
    engine = data.memory
    return np.array([engine._grid.of_rows(np.array([row], np.int32)).weight() for row in range(len(data.table))])


class Walk:
    """The same sets in two engines: rows are told apart by the column ``id``."""

    def __init__(self, rng, monkeypatch, tmp_path) -> None:
        self.rng = rng
        rows = int(rng.choice([12, 40, 90]))
        data = random_data(rng, rows)
        ids = pl.Series("id", rng.permutation(rows).astype(float))
        self.data = Data(data.frame.with_columns(ids).select("id", pl.exclude("id")), data.weights, data.factors)
        self.data.options.update(data.options)
        cramped(monkeypatch, rng)
        store = store_of(self.data, cut(rng, rows), tmp_path if rng.random() < 0.3 else None, PickledStore)
        if rng.random() < 0.3:
            forgetful(store)
        self.plain = Plain(self.data, store)
        self.banned = self.literals(2)
        self.plain.banned = self.banned
        self.blocks = BlockEngine(store, local=int(rng.choice([0, 5, 30, rows])), banned=self.banned)
        self.number = dict(enumerate(self.data.table.column("id").codes.tolist()))
        self.sets = [(self.plain.all_rows(), self.blocks.all_rows())]

    def any(self):
        return self.sets[int(self.rng.integers(len(self.sets)))]

    def literals(self, count):
        """Literals on values that rows have, or on values near them."""
        every = self.plain.all_rows()
        found = [one for each in self.plain.counts(every, frozenset()) for one, _, _ in candidate_literals(each)]
        chosen = [found[int(k)] for k in self.rng.integers(0, len(found), count)]
        near = Literal("id", ">", float(self.rng.integers(-1, 90)) + 0.5)
        return tuple(near if self.rng.random() < 0.1 else one for one in chosen)

    def rule(self, depth=2):
        exceptions = tuple(self.rule(depth - 1) for _ in range(int(self.rng.integers(0, 3)) * (depth > 0)))
        return Rule(None, self.literals(int(self.rng.integers(0, 3))), exceptions)

    def step(self):
        """Make new sets from some: the same in both engines."""
        (rows, there), (others, elsewhere), label = self.any(), self.any(), int(self.rng.integers(2))
        (literal,), rule, pair = self.literals(1), self.rule(), self.literals(3)
        ways = [
            lambda engine, rows, _: engine.split(rows, label),
            lambda engine, rows, _: [engine.covered_by_literal(rows, literal)],
            lambda engine, rows, gone: [engine.minus(rows, gone)],
            lambda engine, rows, gone: [engine.plus(gone, engine.minus(rows, gone))],
            lambda engine, rows, _: [engine.plus(*engine.split(rows, label))],
            lambda engine, rows, _: [engine.of_label(rows, label)],
            lambda engine, rows, _: [engine.covered_by_rule(rows, rule)],
            lambda engine, rows, _: engine.split_by_failing_literal(rows, pair),
            lambda engine, rows, right: engine.gains_and_losses(rows, label, right),
            lambda engine, rows, _: engine.folds(rows, 3),
            lambda engine, rows, _: engine.folds(rows, 2, 5),
        ]
        ask = ways[int(self.rng.integers(len(ways)))]
        found = list(zip(ask(self.plain, rows, others), ask(self.blocks, there, elsewhere), strict=True))
        self.sets += found
        return found

    def same(self, rows, there):
        """Whether both sets have the same rows, and both engines say so."""
        assert self.blocks.size(there) == self.plain.size(rows)
        assert list(self.blocks.label_weights(there)) == list(self.plain.label_weights(rows))
        ids = next(iter(self.blocks.counts(there, self.blocks.minus(there, there)))).values
        assert {self.data.table.column("id").numbers.tolist().index(value) for value in ids} == {
            self.number[row] for row in rows
        }


@pytest.fixture
def walk(seed, monkeypatch, tmp_path):
    return Walk(np.random.default_rng(seed), monkeypatch, tmp_path)


@pytest.mark.parametrize("seed", fewer(60))
def test_sets_have_the_rows_of_their_definition(walk):
    """Sets of sets of sets, overlapping or not, fetched or not, have the rows, sizes and labels that they should."""
    for _ in range(8):
        for rows, there in walk.step():
            walk.same(rows, there)


@pytest.mark.parametrize("seed", fewer(60))
def test_questions_about_sets_are_answered_as_defined(walk):
    """Counts, gaps, and the best literals by each score, banned and used values left out, follow the definitions."""
    plain, blocks, rng = walk.plain, walk.blocks, walk.rng
    for _ in range(6):
        walk.step()
        (rows, there), label = walk.any(), int(rng.integers(2))
        pair, asked = plain.split(rows, label), blocks.split(there, label)
        if rng.random() < 0.5:
            gone, away = walk.any()
            pair = plain.minus(pair[0], gone), pair[1]
            asked = blocks.minus(asked[0], away), asked[1]
        assert list(map(_listed, blocks.counts(*asked))) == list(map(_listed, plain.counts(*pair)))
        used = walk.literals(2)
        for _ in range(3):  # the best, the best without it, and so on
            best = plain.best_literal(*pair, used)
            assert blocks.best_literal(*asked, used) == best
            for literal in (*walk.literals(1), *([] if best is None else [best])):
                assert blocks.size(blocks.covered_by_literal(asked[0], literal)) == plain.size(
                    plain.covered_by_literal(pair[0], literal)
                )
                used = (*used, literal)
        nothing, none = pair[0] - pair[0], blocks.minus(asked[0], asked[0])
        assert blocks.find_literal(none, asked[1], NET) == plain.find_literal(nothing, pair[1], NET)
        support = float(rng.choice([1e-9, 0.7, 3, 1e30]))
        scores = (LiteralScore("purity", support), NET)
        for score in scores:
            assert blocks.find_literal(*asked, score) == plain.find_literal(*pair, score)
        allowed = bytes(rng.integers(0, 8, len(blocks.features)).tolist())  # only some kinds of literals
        for score in (GAIN, *scores):
            assert blocks.find_literal(*asked, score, used, allowed) == plain.find_literal(*pair, score, used, allowed)
        for literal in walk.literals(3):
            if literal.op in ("<=", ">"):
                assert blocks.neighbouring_numbers(there, literal) == plain.neighbouring_numbers(rows, literal)


def _listed(counts):
    return counts.feature, list(counts.values), list(counts.positive), list(counts.negative)


@pytest.mark.parametrize("seed", fewer(24))
def test_rules_are_grown_as_defined(walk):
    """A rule and exceptions are the ones of the definition, and cover the same rows."""
    criteria = GrowthCriteria(0.5, float(walk.rng.choice([0.0, 0.4])), 2.0, list(walk.plain.distinct()))
    for _ in range(3):
        rows, there = walk.any()
        pair, asked = walk.plain.split(rows, 1), walk.blocks.split(there, 1)
        expected, found = walk.plain.grow_rule(*pair, criteria), walk.blocks.grow_rule(*asked, criteria)
        assert (expected is None) == (found is None)
        second = RuleLimits(level=2)
        several = [
            walk.plain.grow_exceptions(*pair, criteria, second),
            walk.blocks.grow_exceptions(*asked, criteria, second),
        ]
        for first, second in [several, (expected, found)]:
            if first is not None:
                assert first[0] == second[0]
                for each in (1, 2):
                    walk.same(first[each], second[each])
        walk.step()


@pytest.mark.parametrize("seed", fewer(24))
def test_values_are_counted_as_in_memory(seed, monkeypatch):
    """How many values a column has: only those of records that weigh something, up to as many as matter."""
    rng = np.random.default_rng(seed)
    data = random_data(rng, 80)
    data.weights = rng.choice([0.0, 0.0, 1.0, 3.0], 80)
    cramped(monkeypatch, rng)
    many = given_cuts.MANY
    found = BlockEngine(store_of(data, cut(rng, 80))).distinct()
    assert [min(count, many) for count in found] == [min(count, many) for count in data.memory.distinct()]


def test_used_values_that_were_not_fetched_do_not_matter():
    """A literal that was used above, on a value that no fetched row has, leaves its neighbours allowed."""
    x = [float(k) for k in range(12)]
    data = Data(pl.DataFrame({"x": x, "z": ["a", "b"] * 6, "y": ["n"] * 6 + ["p"] * 6}))
    engine = BlockEngine(store_of(data, [5, 7]), local=8)
    some = engine.covered_by_literal(engine.all_rows(), Literal("x", ">", 2.0))
    pair = engine.split(engine.covered_by_literal(some, Literal("x", "<=", 9.0)), 1)
    assert engine.best_literal(*pair, (Literal("x", ">", 2.0),)) == Literal("x", ">", 5.0)
    assert engine.best_literal(*pair, (Literal("x", "<=", 5.5), Literal("z", "==", "c"))) == Literal("x", ">", 5.0)
    assert engine.best_literal(*pair, (Literal("x", "<=", 5.0),)) != Literal("x", ">", 5.0)


@pytest.mark.parametrize("learners", [(fold_rm, fold_unless), (fold_unless, fold_rm)])
def test_fits_on_one_store_do_not_disturb_each_other(learners):
    """Two fits on the same blocks, in either order, with sets of one left when the other comes, are those of memory."""
    rng = np.random.default_rng(3)
    data = random_data(rng, 120)
    store = store_of(data, [50, 70])
    for learner in (*learners, *learners):
        assert learner(BlockEngine(store, local=10)) == learner(data.memory)


def test_what_a_rule_leaves_is_known(monkeypatch):
    """Of a set without what a rule covers, sizes, the best literal and what that covers need no further question."""
    rng = np.random.default_rng(5)
    x, z = rng.normal(size=(2, 3000))
    y = np.where((x > 1) ^ (z > 1.4) ^ (rng.random(3000) < 0.1), "p", "n")
    for module in ("column_stats", "column_bins"):
        monkeypatch.setattr(f"unless.blocks.{module}.MANY", 100)
    data = Data(pl.DataFrame({"x": x, "z": z, "c": rng.integers(0, 100, 3000), "y": y}))
    store = store_of(data, [1000] * 3)
    engine, memory = BlockEngine(store, local=1500), data.memory

    def learned(engine, positive, negative, k):
        literal = engine.best_literal(positive, negative, ())
        some = engine.covered_by_literal(positive, literal), engine.covered_by_literal(negative, literal)
        other = engine.best_literal(*some, (literal,))
        few = engine.covered_by_literal(engine.covered_by_literal(some[0], other), Literal("c", "<=", k))
        return literal, other, few

    def sizes(engine, *sets):
        return [engine.label_weights(rows) for rows in sets]

    (positive, negative), expected = (one.split(one.all_rows(), 1) for one in (engine, memory))
    assert memory.size(expected[0]) + memory.size(expected[1]) > 1500
    literal, other, few = learned(engine, positive, negative, 0.0)
    plain = learned(memory, *expected, 0.0)
    assert (literal, other) == plain[:2]
    asked = counted(store, monkeypatch)
    for k in (1.0, 2.0, 3.0):
        positive, expected = engine.minus(positive, few), (memory.minus(expected[0], plain[2]), expected[1])
        assert sizes(engine, positive, few) == sizes(memory, expected[0], plain[2])
        *literals, few = learned(engine, positive, negative, k)
        *same, rest = plain = learned(memory, *expected, k)
        assert literals == same
        assert sizes(engine, few) == sizes(memory, rest)
    assert not asked


def test_what_a_rule_leaves_is_known_of_large_sets_within(monkeypatch):
    """The same where what the first literal covers is too much to be fetched: what the second one covers is not."""
    rng = np.random.default_rng(5)
    x, z, c = rng.normal(size=(3, 3000))
    y = np.where((x > 0) & (z > 0.7) ^ (rng.random(3000) < 0.1), "p", "n")
    for module in ("column_stats", "column_bins"):
        monkeypatch.setattr(f"unless.blocks.{module}.MANY", 100)
    data = Data(pl.DataFrame({"x": x, "z": z, "c": c, "y": y}))
    store = store_of(data, [1000] * 3)
    engine, memory = BlockEngine(store, local=400), data.memory

    def learned(engine, positive, negative, least):
        found = []
        for _ in range(2):
            found.append(literal := engine.best_literal(positive, negative, tuple(found)))
            positive, negative = (
                engine.covered_by_literal(positive, literal),
                engine.covered_by_literal(negative, literal),
            )
        third = engine.best_literal(positive, negative, tuple(found))
        return [*found, third], engine.covered_by_literal(positive, Literal("c", ">", least))

    pairs = [one.split(one.all_rows(), 1) for one in (engine, memory)]
    for least in (2.5, 2.0, 1.5):
        asked = counted(store, monkeypatch)
        (literals, few), (same, gone) = (
            learned(one, *pair, least) for one, pair in zip((engine, memory), pairs, strict=True)
        )
        assert literals == same
        assert engine.label_weights(few) == memory.label_weights(gone)
        assert bool(asked) == (least == 2.5)
        pairs = [(engine.minus(pairs[0][0], few), pairs[0][1]), (memory.minus(pairs[1][0], gone), pairs[1][1])]


@pytest.mark.parametrize("near", [0, 3, 10**9])
def test_numbers_may_be_read_past_the_cache(near, tmp_path, monkeypatch):
    """Rules and rows are the same, however many pages are read together."""
    monkeypatch.setattr(direct_io, "_NEAR", near)
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"a": rng.normal(size=10_000), "b": rng.normal(size=10_000)})
    data = Data(frame.with_columns(y=(pl.col("a") + pl.col("b") > 0.5).cast(pl.String)))
    store = store_of(data, [3000, 1, 0, 4700, 2299], tmp_path, bypass_page_cache=True)
    if any(one.arrays.uncached is None for one in store.blocks if one._count):
        pytest.skip("this disk is only read through the cache")
    read = []
    for name in ("part", "rows"):
        function = getattr(direct_io.UncachedReader, name)
        monkeypatch.setattr(
            direct_io.UncachedReader, name, lambda *how, name=name, own=function: read.append(name) or own(*how)
        )
    assert fold_rm(BlockEngine(store, local=1000)) == fold_rm(data.table)
    assert set(read) == {"part", "rows"}
    pieces = [FetchRows.whole().answer(one)[0] for one in store.blocks]
    assert np.concatenate([piece.cells[1] for piece in pieces]).tolist() == frame["b"].to_list()


def test_pages_that_are_not_needed_are_not_read(tmp_path, monkeypatch):
    """Of an array in a file some places, spread or together, in any order: with pages around them at the most."""
    monkeypatch.setattr(direct_io, "_NEAR", 1)
    parts, size = 3, 40_000
    cells = np.random.default_rng(0).normal(size=(parts, size))
    write_block(
        tmp_path / "block", {"labels": np.zeros(size, np.uint8), "cells": cells.ravel()}, bypass_page_cache=True
    )
    past = map_block(tmp_path / "block", bypass_page_cache=True).uncached
    if past is None:
        pytest.skip("this disk is only read through the cache")
    read, preadv = [], os.preadv
    monkeypatch.setattr(os, "preadv", lambda file, into, place: read.append(len(into[0])) or preadv(file, into, place))
    for places in ([], [0], [size - 1], [7, 5, 5, 39_000], [100, 20_000, 21_000], range(500, 1500), range(size)):
        some = np.array(places, np.int32)
        pages = len(np.unique(some * 8 // 4096))
        for part in (1, 2, 0):
            read.clear()
            assert np.array_equal(past.part("cells", part, parts, some)[some], cells[part, some])
            assert sum(read) <= 3 * 4096 * pages
        read.clear()
        assert np.array_equal(past.rows("records", parts, some), cells[:, some].T)
        assert sum(read) <= 3 * 4096 * (1 + len(np.unique(some * 24 // 4096)))
    assert np.array_equal(past.part("cells", 1, parts), cells[1])


@pytest.mark.parametrize("width", [1, 3, 513, 2000])
def test_long_records_are_read_whole(width, tmp_path, monkeypatch):
    """Also those that take many pages, of which only the first and the last are counted."""
    monkeypatch.setattr(direct_io, "_NEAR", 0)
    cells = np.random.default_rng(0).normal(size=(width, 40))
    arrays = {"labels": np.zeros(40, np.uint8), "cells": cells.ravel()}
    write_block(tmp_path / "block", arrays, bypass_page_cache=True)
    past = map_block(tmp_path / "block", bypass_page_cache=True).uncached
    if past is None:
        pytest.skip("this disk is only read through the cache")
    for some in (np.array([3, 30], np.int32), np.array([39, 0, 7], np.int32)):
        memoryview(direct_io._aligned_buffer(1 << 20))[:] = b"x" * (1 << 20)
        assert np.array_equal(past.rows("records", width, some), cells[:, some].T)


def test_numbers_are_written_as_well_where_the_cache_cannot_be_passed(tmp_path, monkeypatch):
    """Some disks refuse that: then arrays are written and mapped like all others, and no number twice."""
    array = np.random.default_rng(0).normal(size=(2, 999))
    arrays = {"labels": np.arange(999, dtype=np.int32), "cells": array.ravel()}
    monkeypatch.setattr(array_files, "write_bypassing_page_cache", lambda *_: False)
    write_block(tmp_path / "written", arrays, bypass_page_cache=True)
    monkeypatch.setattr(direct_io, "O_DIRECT", None)
    write_block(tmp_path / "refused", arrays, bypass_page_cache=True)
    for name in ("written", "refused"):
        found = map_block(tmp_path / name)
        assert np.array_equal(found["labels"], arrays["labels"])
        assert np.array_equal(found["cells"], arrays["cells"])
    assert "records" not in found


def test_what_few_questions_need_is_given_up_after_them(tmp_path, monkeypatch):
    """Ranks and parts leave the cache, bins stay; what is read again is the same."""
    forgotten, forget = [], direct_io.UncachedReader.forget
    monkeypatch.setattr(
        direct_io.UncachedReader, "forget", lambda self, *span: forgotten.append(span) or forget(self, *span)
    )
    rng = np.random.default_rng(6)
    frame = pl.DataFrame({"a": rng.normal(size=30_000), "c": rng.integers(0, 2000, 30_000).astype(float)})
    data = Data(frame.with_columns(y=(pl.col("a") * 1000 + pl.col("c") > 900).cast(pl.String)))
    store = store_of(data, [9000, 14_000, 7000], tmp_path, bypass_page_cache=True)
    arrays = [one.arrays for one in store.blocks if one.arrays.uncached is not None]
    if not arrays:
        pytest.skip("this disk is only read through the cache")
    before = [{name: array.copy() for name, array in one.items()} for one in arrays]
    assert fold_rm(BlockEngine(store, local=3000)) == fold_rm(data.table)
    assert forgotten
    assert not any(one._read for one in arrays)
    spans = [(one._starts[name], one[name].nbytes) for one in arrays for name in ("bins", "labels")]
    assert not {start for start, _ in forgotten} & {start for start, size in spans if size}
    for one, known in zip(arrays, before, strict=True):
        assert all(np.array_equal(one[name], known[name], equal_nan=name == "cells") for name in known)


def test_what_a_block_needed_is_read_for_the_next_ones(tmp_path, monkeypatch):
    """Of the first block nobody knows what it will need; of the others it is asked for before they are."""
    expected, asked = [], []
    expect, need = array_files.MappedArrays.prefetch, array_files.MappedArrays.need
    monkeypatch.setattr(
        array_files.MappedArrays, "prefetch", lambda self, needs: expected.append(tuple(needs)) or expect(self, needs)
    )
    monkeypatch.setattr(
        array_files.MappedArrays, "need", lambda self, *what: asked.append((id(self), what)) or need(self, *what)
    )
    rng = np.random.default_rng(6)
    frame = pl.DataFrame({"a": rng.normal(size=9000)})
    data = Data(frame.with_columns(y=(pl.col("a") > 0.3).cast(pl.String)))
    store = store_of(data, [3000] * 3, tmp_path, bypass_page_cache=True)
    if any(one.arrays.uncached is None for one in store.blocks):
        pytest.skip("this disk is only read through the cache")
    store.ask(LabelSizes.whole())
    assert expected == [(), (("labels", 0, 1),), (("labels", 0, 1),)]
    expected.clear()
    some = RowSetDefinition.one("covered_by_literal", (RowSetDefinition.one("all_rows"),), (Literal("a", "<=", 0.25),))
    sizes = store.ask(LabelSizes((some.number,), flatten_definitions([some])))
    assert sizes[0, 0].sum() == (frame["a"] <= 0.25).sum()
    assert expected == [(), *[(("labels", 0, 1), ("bins", 0, 1), ("lows", 0, 1))] * 2]
    store.blocks[0].arrays.prefetch([("lows", 0, 1)])
    store.ask(LabelSizes.whole())
    assert expected[-2:] == [(("labels", 0, 1),)] * 2  # what nobody needed is not handed on
    assert not any(one.arrays.drop_rarely_needed() for one in store.blocks)


def test_nobody_works_on_items_after_an_error():
    """Those that have begun are waited for: the next question may be about the same blocks."""
    working = []

    def work(item):
        if item == 0:
            raise KeyboardInterrupt
        working.append(item)
        time.sleep(0.2)
        working.remove(item)

    with ThreadPoolExecutor(4) as pool:
        with pytest.raises(KeyboardInterrupt):
            list(map_ahead(pool, work, range(8)))
        assert not working


def test_as_many_work_at_once_as_may():
    """All threads, and no more items are taken than wanted."""
    taken, together = [], threading.Barrier(8, timeout=20)

    def items():
        for number in range(40):
            taken.append(number)
            yield number

    with ThreadPoolExecutor(8) as pool:
        found = map_ahead(pool, lambda item: together.wait() * 0 + item, items(), 10)
        assert next(found) == 0
        assert len(taken) == 10
        assert list(found) == list(range(1, 40))


class Files:
    """The limits of open files of this process."""

    def __init__(self) -> None:
        self._resource = pytest.importorskip("resource")
        self.before = self.limits()

    def limits(self):
        gc.collect()
        return self._resource.getrlimit(self._resource.RLIMIT_NOFILE)

    def set(self, soft, hard):
        self._resource.setrlimit(self._resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def files():
    """Limits that leave room for 150 more files."""
    files = Files()
    files.set(len(list(Path("/dev/fd").iterdir())) + 150, files.before[1])
    yield files
    files.set(*files.before)


def test_blocks_may_be_more_files_than_a_process_has_at_first(files, tmp_path):
    """Each block that is read past the cache takes two; the soft limit is raised for them, and is then as it was."""
    data = Data(pl.DataFrame({"a": np.random.default_rng(1).normal(size=9000), "y": ["p", "q", "q"] * 3000}))
    soft, hard = files.limits()
    stores = []
    for folder in (tmp_path / "one", tmp_path / "other"):
        folder.mkdir()
        stores.append(store_of(data, [60] * 150, folder, bypass_page_cache=True))
        engine = BlockEngine(stores[-1], local=0)
        assert engine.label_weights(engine.all_rows()) == [3000, 6000]
    del engine
    if stores[0].blocks[0].arrays.uncached is None:
        pytest.skip("this disk is only read through the cache")
    for limit in (hard, soft):
        stores.pop()
        assert files.limits() == (limit, hard)


def test_a_limit_of_files_that_others_set_stays(files, tmp_path):
    """Who sets the limit while blocks are open has the last word."""
    data = Data(pl.DataFrame({"a": np.random.default_rng(1).normal(size=90), "y": ["p", "q", "q"] * 30}))
    soft, hard = files.limits()
    store = store_of(data, [30] * 3, tmp_path, bypass_page_cache=True)
    files.set(soft + 50, hard)
    del store
    assert files.limits() == (soft + 50, hard)


def test_rare_values_of_a_bin_are_few_parts():
    """A bin of very many rare values has no more parts than a byte can tell, and every number its own place."""
    numbers = np.arange(12_000.0)
    often = np.where(numbers < 6000, 1, 10_000)
    bins = make_column_bins(Column("x", "number", numbers, (), np.empty(0, np.uint8)), np.append(often, 0), open=True)
    parts = np.diff(bins.starts[: bins.shape[0] + 1])
    assert parts.max() <= 65
    assert parts.min() >= 1
    told = bins.starts[bins.bin_of(bins.column)] + bins.parts_within_bins(bins.column)
    assert (np.diff(told[:-1]) >= 0).all()
    assert told[-1] == len(bins.finer) + 1
    for number in (-1.0, 0.0, 17.5, 5999.0, 6000.0, 11_999.0, np.inf):
        bin_, low = bins.part_of(number)
        assert bins.starts[bin_] + low == np.searchsorted(bins.finer, number)


def test_chains_of_sets_may_be_longer_than_python_can_follow():
    """A set whose definition is nested thousands deep is found, again after the blocks forgot what they knew."""
    data = Data(pl.DataFrame({"x": [float(k) for k in range(40)], "y": ["a", "b"] * 20}))
    store = store_of(data, [15, 25], kind=PickledStore)
    engine = BlockEngine(store, local=0)
    rows = engine.all_rows()
    for k in range(3000):
        rows = engine.minus(rows, engine.covered_by_literal(rows, Literal("x", "<=", float(k // 100))))
    assert engine.label_weights(rows) == [5, 5]
    for block in store.blocks:
        block.selections.clear()
    rows.sizes = None
    assert engine.label_weights(rows) == [5, 5]


@pytest.mark.parametrize("room", [0, 5000, 50_000])
def test_sets_that_do_not_fit_are_packed(room):
    """A block without room for a second set need not make it again, if it fits in packed."""
    data = Data(pl.DataFrame({"x": [float(k) for k in range(400)], "y": ["a", "b"] * 200}))
    (block,) = store_of(data, [400]).blocks
    block.selections.budget, block.selections.packed_budget = room, 200_000
    sets = [RowSetDefinition.one("all_rows")]
    for k in range(0, 300, 2):
        sets.append(RowSetDefinition.one("covered_by_literal", (sets[-1],), (Literal("x", ">", float(k)),)))
    block.resolve(sets[-1].number, flatten_definitions(sets))
    for one in (*sets, *reversed(sets)):
        first = 0 if one is sets[0] else int(one.what[0].value) + 1
        assert sorted(block.resolve(one.number, {}).rows().tolist()) == list(range(first, 400))


def test_single_texts_are_not_asked_for_in_vain(monkeypatch):
    """Of a column of names, none is asked for where a rule on another column is better than any name could be."""
    rng = np.random.default_rng(1)
    rows = 6000
    y = rng.integers(0, 2, rows)
    columns = {"name": [f"name {k}" for k in rng.permutation(rows)], "x": np.round(rng.normal(y / 3, 1), 2)}
    data = Data(pl.DataFrame({**columns, "y": [f"l{k}" for k in y]}))
    for module in ("column_stats", "block_queries", "column_bins"):
        monkeypatch.setattr(f"unless.blocks.{module}.MANY", 100)
    monkeypatch.setattr("unless.learn.given_cuts.MANY", 100)
    monkeypatch.setattr("unless.blocks.column_bins._NUMERIC", 16)
    monkeypatch.setattr("unless.blocks.column_bins._BINS", 32)  # a part has as many names as a rule has records
    store = store_of(data, [2000] * 3)
    asked = counted(store, monkeypatch)
    engine, memory = BlockEngine(store, local=500), data.memory
    pair, expected = engine.split(engine.all_rows(), 1), memory.split(memory.all_rows(), 1)
    assert engine.best_literal(*pair, ()) == memory.best_literal(*expected, ())
    assert engine.find_literal(*pair, LiteralScore("purity", 3)) == memory.find_literal(
        *expected, LiteralScore("purity", 3)
    )
    assert engine.find_literal(*pair, NET) == memory.find_literal(*expected, NET)
    values = [found for query, answer in asked if isinstance(query, ValuesInRegions) for found in answer]
    assert values
    assert not any(isinstance(found.values, list) for found in values)
    assert fold_unless(engine, optimise=False) == fold_unless(memory, optimise=False)


def test_ties_on_one_value_go_to_the_first_operator():
    """Where a literal and its opposite are equally good, ``is`` comes before ``is not``, and ``<=`` before ``>``."""
    frame = pl.DataFrame({"t": ["u", "u", "v", "v"], "x": [1.0, 1.0, 2.0, 2.0], "y": ["a", "b"] * 2})
    for names, literal in [(("t", "x"), Literal("t", "==", "u")), (("x", "t"), Literal("x", "<=", 1.0))]:
        engine = BlockEngine(store_of(Data(frame.select(*names, "y")), [3, 1]), local=0)
        assert engine.best_literal(*engine.split(engine.all_rows(), 0), ()) == literal


# The search by itself, on counts that no table in a test can have.


@pytest.mark.parametrize("seed", fewer(40))
def test_large_counts_tie_as_defined(seed):
    """With weights up to 2**55 the literal is the one of the definition, also where floats can hardly tell."""
    rng = np.random.default_rng(seed)
    size = 2 ** int(rng.choice([8, 20, 29, 31, 33, 45, 55]))
    features = []
    for name in "abc":
        weights = rng.integers(0, 4, (2, 6)) * size + rng.integers(0, 2, (2, 6))
        features.append((name, weights[:, rng.permutation(6)]))
    p, q = (int(sum(features[0][1][side])) for side in (0, 1))
    for _, weights in features:  # every column has the same rows
        for side, total in ((0, p), (1, q)):
            rest = total - int(weights[side, :5].sum())
            weights[side, 5] = max(0, rest)
            weights[side, 0] += min(rest, 0) if weights[side, 0] >= -rest else 0
    features = [(name, w) for name, w in features if w.sum(axis=1).tolist() == [p, q] and (w >= 0).all()]
    every = [ValueCounts(name, list("uvwxyz"), *weights.tolist()) for name, weights in features]
    support = int(rng.choice([1, size]))
    for score in (GAIN, LiteralScore("purity", support), NET):
        found, expected = _searched(features, CountScore(score, p, q)), find_literal(every, score)
        assert (found and found.literal) == (expected and expected.literal)


def _searched(features, score):
    """The literal that a search finds in columns of six texts, and no cell missing."""
    columns = [Column(name, "text", np.empty(0), tuple("uvwxyz"), np.empty(0, np.uint8)) for name, _ in features]
    bins = [ColumnBins(column, np.ones(7, np.int64)) for column in columns]
    histograms = np.concatenate([np.pad(weights, ((0, 0), (0, 10))) for _, weights in features], axis=1)
    first = np.arange(len(features), dtype=np.int32) * 16
    search = HistogramSearch(bins, score, (), {}, *[lambda _: pytest.fail("asked")] * 3)
    return search.best(histograms, (first, first, first + 7))


class Listed:
    """Put together like the answers of a question, lists; it notes how long they are."""

    def __init__(self) -> None:
        self.sizes: list[list[int]] = []

    def combine(self, answers):
        self.sizes.append([len(one) for one in answers])
        return [each for one in answers for each in one]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9, 27, 28, 80, 243, 700])
def test_answers_are_put_together_with_their_like(count):
    """In order, few are held at a time, and none is put together again and again with shorter ones."""
    query, held = Listed(), 0

    def answers():
        nonlocal held
        for number in range(count):
            held = max(held, number - sum(sizes.count(1) for sizes in query.sizes))
            yield [number]

    (found,) = combine_in_groups(answers(), query, at_once=3)
    *before, last = query.sizes
    assert found == list(range(count))
    assert held < 3
    assert all(len(sizes) == 3 and len(set(sizes)) == 1 for sizes in before)
    assert len(last) <= 2 * math.ceil(math.log(count + 1, 3))


def test_no_answers_are_none():
    """Nothing comes of nothing."""
    assert list(combine_in_groups([], Listed())) == []
