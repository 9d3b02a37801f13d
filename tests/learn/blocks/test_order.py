"""Rows that are learned from together lie together, where blocks do not fit into memory."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tests.learn.blocks.stores import Data
from unless import fold_rm, read_table
from unless.learn.blocks import data as blocks
from unless.learn.blocks import order as orders
from unless.learn.blocks.data import blocks_of
from unless.learn.blocks.order import UNORDERED, Order
from unless.learn.blocks.sources import FileStream
from unless.rule import Literal


def ruled(rows: int, seed: int = 0) -> pl.DataFrame:
    """Records whose labels follow from numbers and categories."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"n": rng.normal(size=rows), "m": rng.normal(size=rows), "c": rng.choice(["u", "v"], rows)})
    rule = (pl.col("n") > 0.3) & ((pl.col("c") == "u") | (pl.col("m") > 1))
    return frame.with_columns(y=pl.when(rule).then(pl.lit("yes")).otherwise(pl.lit("no")))


def test_rows_are_sorted_by_one_literal_after_the_other():
    table = read_table(pl.DataFrame({"n": [3, 1, None, 2, 5, 1], "c": ["u", "v", "u", "u", "v", None]}))
    order = Order((Literal("n", ">", 2.0), Literal("c", "==", "u")))
    assert order.of(table).tolist() == [1, 5, 2, 3, 4, 0]
    assert Order((Literal("c", "missing"),)).of(table).tolist() == [0, 1, 2, 3, 4, 5]
    assert UNORDERED.of(table).tolist() == [0, 1, 2, 3, 4, 5]


def test_the_literals_are_those_of_a_list():
    """The first ones of few rules; none if there is nothing to learn."""
    table = Data(ruled(2000)).table
    literals = Order.learned(table).literals
    assert {literal.feature for literal in literals} == {"n", "m", "c"}
    assert literals[0].feature == "n"
    assert Order.learned(table[:0]) == Order.learned(table[np.flatnonzero(table.labels.codes == 0)]) == UNORDERED


def test_a_number_has_so_many_bits(monkeypatch):
    """However many literals a list has."""
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 80, 4000)
    table = Data(pl.DataFrame({"n": labels + rng.uniform(0, 0.9, 4000), "y": labels.astype(str)})).table
    monkeypatch.setattr(orders, "_RULES", 100)
    order = Order.learned(table)
    assert len(order.literals) == 64
    assert sorted(order.of(table).tolist()) == list(range(4000))


@pytest.fixture
def full(monkeypatch):
    """A machine without room for blocks."""
    monkeypatch.setattr(blocks, "has_room", lambda _: False)


def runs(blocks, program) -> int:
    """How many runs of rows there are that the same rule decides."""
    found = 0
    for block in blocks.store.blocks:
        rule = np.full(block._count, -1)
        for place, each in reversed(list(enumerate(program.rules))):
            rule[block.satisfying(block.everything(), each).rows()] = place
        found += 1 + np.count_nonzero(np.diff(rule))
    return found


@pytest.mark.usefixtures("full")
def test_blocks_that_do_not_fit_are_sorted(tmp_path, monkeypatch):
    """The program is the same, and the rows of a rule lie together."""
    for part in range(4):
        ruled(3000, part).write_parquet(tmp_path / f"{part}.parquet")
    expected = fold_rm(read_table(tmp_path, "y"))
    with blocks_of(FileStream(tmp_path), target="y") as sorted_, monkeypatch.context() as roomy:
        roomy.setattr(blocks, "has_room", lambda _: True)
        with blocks_of(FileStream(tmp_path), target="y") as unsorted:
            assert fold_rm(unsorted.engine()) == fold_rm(sorted_.engine()) == expected
            assert 20 * runs(sorted_, expected) < runs(unsorted, expected)


@pytest.mark.usefixtures("full")
def test_first_rows_may_say_nothing(tmp_path):
    """If all of them have the same label, or none, nothing is learned from them, and rows stay as they are."""
    rest = ruled(300)
    for name, label in (("one", "yes"), ("none", None)):
        (home := tmp_path / name).mkdir()
        ruled(50).with_columns(y=pl.lit(label, pl.String)).write_parquet(home / "0.parquet")
        rest.write_parquet(home / "1.parquet")
        with blocks_of(FileStream(home), target="y", drop_unlabelled=True) as some:
            assert fold_rm(some.engine()) == fold_rm(read_table(home, "y", drop_unlabelled=True))
