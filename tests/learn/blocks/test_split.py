"""Records in blocks are held back as in memory: the same ones, and the data has the same marks."""

from __future__ import annotations

import numpy as np
import pytest

from tests.learn.blocks.stores import Data, PickledStore, cut, random_data, store_of
from tests.lengths import fewer
from unless.judge.labels import measure
from unless.learn import fold_rm
from unless.learn.blocks.data import decided_by
from unless.learn.blocks.engine import BlockEngine
from unless.table import Split
from unless.table.split import fingerprint, hashes_of, identities, sample_of, spelled


def plain(rng: np.random.Generator) -> Data:
    """Random records without weights."""
    data = random_data(rng, int(rng.integers(2, 80)))
    return Data(data.frame, options=data.options)


@pytest.mark.parametrize("seed", fewer(60))
def test_the_same_records_are_held_back(seed: int) -> None:
    """Cuts, fingerprint and sample are those of the table, and rules decide as many held-back records of each label."""
    rng = np.random.default_rng(seed)
    data = plain(rng)
    table = data.table
    store = store_of(data, cut(rng, len(table)), kind=PickledStore)
    engine = BlockEngine(store)
    counts, sums, sample = engine.census(seed)
    split = Split.of_counts(engine.labels, counts, 0.3, seed)
    assert split == Split.of(table, 0.3, seed)
    assert spelled(sums) == fingerprint(table)
    assert sample.tolist() == sample_of(identities(hashes_of(table), table.labels)).tolist()
    back = split.held_back(table)
    if back.any():
        halved = BlockEngine(store, held_back=split)
        learned = np.bincount(table.labels.codes[~back], minlength=len(engine.labels))
        assert halved.records(halved.everything()).tolist() == learned.tolist()
        program = fold_rm(table[~back])
        assert decided_by(halved, program, halved.tests()).tolist() == measure(program, table[back]).counts.tolist()
