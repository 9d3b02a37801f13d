"""From blocks the same programs are learned as in memory, literal for literal, on random tables."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import unless
from tests.blocks.stores import Data, PickledStore, cramped, cut, forgetful, random_data, store_of
from tests.lengths import fewer
from unless.blocks import column_bins, column_stats
from unless.blocks.block_engine import BlockEngine
from unless.blocks.block_store import LocalBlockStore
from unless.learn import fold_unless

LEARNERS = {
    "fold_rm": unless.fold_rm,
    "fold_rpp": lambda engine: unless.fold_rpp(engine, engine.labels[-1]),
    "fold_unless": fold_unless,
    "greedy": lambda engine: fold_unless(engine, optimise=False, min_support=2, penalty=0.5),
}


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("seed", fewer(120))
def test_programs_are_those_of_memory(seed, learner, monkeypatch, tmp_path):
    """Whatever blocks, orders, bins, weights and caches there are, the program is the one learned in memory."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([8, 30, 60, 100]))
    data = random_data(rng, rows)
    cramped(monkeypatch, rng)
    expected = LEARNERS[learner](data.memory)
    folder = tmp_path if rng.random() < 0.3 else None
    kind = PickledStore if rng.random() < 0.3 else LocalBlockStore
    store = store_of(data, cut(rng, rows), folder, kind, bypass_page_cache=rng.random() < 0.5, sort=rng.random() < 0.5)
    if rows <= 30 and rng.random() < 0.5:
        forgetful(store)
    local = int(rng.choice([0, 5, rows // 4, rows]))
    assert LEARNERS[learner](BlockEngine(store, local=local)) == expected


@pytest.mark.parametrize("remembered", [8, 100])
@pytest.mark.parametrize("sizes", [[40], [2, 38], [30, 10]])
def test_numbers_are_whole_only_if_all_are(remembered, sizes, monkeypatch):
    """A batch or a sample of numbers may be whole: thresholds are whole only if all numbers are."""
    monkeypatch.setattr(column_stats, "_NUMBERS", remembered)
    for module in (column_stats, column_bins):
        monkeypatch.setattr(module, "MANY", 4)
    for odd, whole in [(3.0, True), (3.5, False), (np.inf, False), (2.0**60, False)]:
        x = [float(k) for k in range(40)]
        x[3] = odd
        data = Data(pl.DataFrame({"x": x, "y": ["a", "b"] * 20}))
        assert (BlockEngine(store_of(data, sizes)).whole == {"x"}) is whole
        assert (data.memory.whole == {"x"}) is whole
