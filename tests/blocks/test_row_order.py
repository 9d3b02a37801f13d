"""Rows that are learned from together lie together, where blocks do not fit into memory."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tests.blocks.sources import make_blocks
from tests.blocks.stores import Data
from unless import fold_rm, read_table
from unless.blocks import block_cache, sources
from unless.blocks import block_dataset as blocks
from unless.blocks import row_order as orders
from unless.blocks.block_cache import CacheOptions
from unless.blocks.block_dataset import make_block_dataset
from unless.blocks.block_engine import BlockEngine
from unless.blocks.row_order import UNORDERED, RowOrder
from unless.blocks.sources import FileStream
from unless.learn.memory_engine import MemoryEngine
from unless.rule import Literal


def ruled(rows: int, seed: int = 0) -> pl.DataFrame:
    """Records whose labels follow from numbers and categories."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"n": rng.normal(size=rows), "m": rng.normal(size=rows), "c": rng.choice(["u", "v"], rows)})
    rule = (pl.col("n") > 0.3) & ((pl.col("c") == "u") | (pl.col("m") > 1))
    return frame.with_columns(y=pl.when(rule).then(pl.lit("yes")).otherwise(pl.lit("no")))


def test_rows_are_sorted_by_one_literal_after_the_other():
    table = read_table(pl.DataFrame({"n": [3, 1, None, 2, 5, 1], "c": ["u", "v", "u", "u", "v", None]}))
    order = RowOrder((Literal("n", ">", 2.0), Literal("c", "==", "u")))
    assert order.of(table).tolist() == [1, 5, 2, 3, 4, 0]
    assert RowOrder((Literal("c", "missing"),)).of(table).tolist() == [0, 1, 2, 3, 4, 5]
    assert UNORDERED.of(table).tolist() == [0, 1, 2, 3, 4, 5]


def test_the_literals_are_those_of_a_list():
    """The first ones of few rules; none if there is nothing to learn."""
    table = Data(ruled(2000)).table
    literals = RowOrder.learned(table).literals
    assert {literal.feature for literal in literals} == {"n", "m", "c"}
    assert literals[0].feature == "n"
    assert RowOrder.learned(table[:0]) == RowOrder.learned(table[np.flatnonzero(table.labels.codes == 0)]) == UNORDERED


def test_a_number_has_so_many_bits(monkeypatch):
    """However many literals a list has."""
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 80, 4000)
    table = Data(pl.DataFrame({"n": labels + rng.uniform(0, 0.9, 4000), "y": labels.astype(str)})).table
    monkeypatch.setattr(orders, "_RULES", 100)
    order = RowOrder.learned(table)
    assert len(order.literals) == 64
    assert sorted(order.of(table).tolist()) == list(range(4000))


def test_ctrl_c_is_not_lost(monkeypatch):
    """Whoever interrupts it does not want to learn from unsorted blocks."""

    def press(*_):
        raise KeyboardInterrupt

    table = Data(ruled(2000)).table
    monkeypatch.setattr(MemoryEngine, "grow_rule", press)
    with pytest.raises(KeyboardInterrupt):
        RowOrder.learned(table)


@pytest.fixture
def full(monkeypatch):
    """A machine without room for blocks, and small batches."""
    monkeypatch.setattr(blocks, "fits_in_memory", lambda _: False)
    monkeypatch.setattr(sources, "ROWS", 50)


def runs(blocks, program) -> int:
    """How many runs of rows there are that the same rule decides."""
    found = 0
    for block in blocks.store.blocks:
        rule = np.full(block._count, -1)
        for place, each in reversed(list(enumerate(program.rules))):
            rule[block.covered_by_rule(block.all_rows(), each).rows()] = place
        found += 1 + np.count_nonzero(np.diff(rule))
    return found


@pytest.mark.usefixtures("full")
def test_blocks_that_do_not_fit_are_sorted(tmp_path, monkeypatch):
    """The program is the same, and the rows of a rule lie together."""
    monkeypatch.setattr(sources, "ROWS", 3000)
    for part in range(4):
        ruled(3000, part).write_parquet(tmp_path / f"{part}.parquet")
    expected = fold_rm(read_table(tmp_path, "y"))
    with make_block_dataset(FileStream(tmp_path), target="y") as sorted_, monkeypatch.context() as roomy:
        roomy.setattr(blocks, "fits_in_memory", lambda _: True)
        with make_block_dataset(FileStream(tmp_path), target="y") as unsorted:
            assert fold_rm(unsorted.engine()) == fold_rm(sorted_.engine()) == expected
            assert len(sorted_.store.blocks) == len(unsorted.store.blocks) == 4
            assert 20 * runs(sorted_, expected) < runs(unsorted, expected)


@pytest.mark.usefixtures("full")
@pytest.mark.parametrize("held_back", [False, True])
def test_records_that_are_taken_out_are_the_same(tmp_path, monkeypatch, held_back):
    """They are evenly spread over the records as they were read, whether blocks are sorted or not."""
    monkeypatch.setattr(blocks, "SAMPLE", 70)
    for part in range(5):
        ruled(97, part).write_parquet(tmp_path / f"{part}.parquet")
    found = []
    for room in (False, True):
        monkeypatch.setattr(blocks, "fits_in_memory", lambda _, room=room: room)
        with make_block_dataset(FileStream(tmp_path), target="y") as some:
            split = some.split(0.3, 1)[0] if held_back else None
            assert len(some.store.blocks) == 5
            table, _ = some.sample(split)
            found.append([table.record(row) for row in range(len(table))])
    assert found[0] == found[1]
    assert 30 < len(found[0]) < 75


@pytest.mark.parametrize("room", [False, True])
def test_kept_blocks_may_fit_later_or_no_more(tmp_path, monkeypatch, room):
    """What was written for little memory can be read with more, and the other way round."""
    ruled(3000).write_parquet(path := tmp_path / "x.parquet")
    expected, found = fold_rm(read_table(path, "y")), []
    for module, here in ((blocks, room), (block_cache, not room)):
        monkeypatch.setattr(module, "fits_in_memory", lambda _, here=here: here)
        with make_block_dataset(FileStream(path), target="y", keep=CacheOptions(tmp_path / "kept")) as some:
            assert fold_rm(BlockEngine(some.store, local=100)) == expected
            found.append(some.sample()[0].column("n").codes.tolist())
    assert found[0] == found[1]


@pytest.mark.usefixtures("full")
def test_first_rows_may_say_nothing(tmp_path):
    """If all of them have the same label, or none, nothing is learned from them, and rows stay as they are."""
    rest = ruled(300)
    for name, label in (("one", "yes"), ("none", None)):
        (home := tmp_path / name).mkdir()
        ruled(50).with_columns(y=pl.lit(label, pl.String)).write_parquet(home / "0.parquet")
        rest.write_parquet(home / "1.parquet")
        with make_blocks(FileStream(home), target="y", drop_unlabelled=True) as some:
            assert len(some.store.blocks) == 7
            assert "places" not in some.store.blocks[1].arrays
            assert fold_rm(some.engine()) == fold_rm(read_table(home, "y", drop_unlabelled=True))
