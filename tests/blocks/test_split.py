"""Records in blocks are held back as in memory: the same ones, and the data has the same marks."""

from __future__ import annotations

import numpy as np
import pytest

from tests.blocks.stores import Data, PickledStore, cut, random_data, store_of
from tests.lengths import fewer
from unless.blocks.block_dataset import decided_label_weights
from unless.blocks.block_engine import BlockEngine
from unless.evaluation.metrics import count_rule_decisions
from unless.learn import fold_rm
from unless.table import HoldoutSplit
from unless.table.holdout_split import feature_hashes, fingerprint, fingerprint_text, identity_sample, record_identities


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
    counts, sums, sample = engine.split_census(seed)
    split = HoldoutSplit.of_counts(engine.labels, counts, 0.3, seed)
    assert split == HoldoutSplit.of(table, 0.3, seed)
    assert fingerprint_text(sums) == fingerprint(table)
    assert sample.tolist() == identity_sample(record_identities(feature_hashes(table), table.labels)).tolist()
    back = split.held_back(table)
    if back.any():
        halved = BlockEngine(store, held_back=split)
        learned = np.bincount(table.labels.codes[~back], minlength=len(engine.labels))
        assert halved.records(halved.all_rows()).tolist() == learned.tolist()
        program = fold_rm(table[~back])
        assert (
            decided_label_weights(halved, program, halved.tests()).tolist()
            == count_rule_decisions(program, table[back]).counts.tolist()
        )
