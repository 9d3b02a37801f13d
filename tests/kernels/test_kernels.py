"""Kernels: compiled or interpreted, the same answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from unless import kernels

SOURCES = {path.stem: path for path in (Path(__file__).parents[2] / "src" / "unless" / "kernels").glob("[!_]*.py")}

SCRIPT = """
import importlib.util, sys, warnings

sys.modules["cython"] = None  # importing it fails: neither form of the kernels needs it
if {interpreted}:  # put the source file in the place of the compiled module
    import unless
    for name in [name for name in sys.modules if name.startswith("unless")]:
        del sys.modules[name]

    class SourceFirst:
        @staticmethod
        def find_spec(name, path=None, target=None):
            stem = name.removeprefix("unless.kernels.")
            if stem in {sources!r}:
                return importlib.util.spec_from_file_location(name, {sources!r}[stem])

    sys.meta_path.insert(0, SourceFirst)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        import unless.kernels
    assert [str(w.message) for w in caught][0].startswith("unless runs without compiled kernels"), caught
    assert len(caught) == 1, caught

from types import SimpleNamespace

import numpy as np
import unless
from unless import kernels
from unless.blocks.column_bins import make_column_bins
from unless.blocks.block_arrays import make_block_arrays
from unless.blocks.block_engine import BlockEngine
from unless.blocks.block_store import LocalBlockStore
from unless.learn import fold_unless
from unless.learn.committee_learner import CommitteeSettings, learn_committee
from unless.learn.score_fitting import fit_score_card
from unless.score.contributions import ContributionCounter, additive_score
from unless.table import Column, Labels, Table

assert kernels.compiled is not {interpreted}
rng = np.random.default_rng(5)
rows = 500
y = rng.integers(0, 3, rows)
cells = [
    rng.normal(2 * y, 1).tolist(),
    np.round(rng.normal(y, 1), 1).tolist(),
    [f"c{{k}}" for k in rng.integers(0, 5, rows) + y],
    [None if k == 3 else float(k) if k < 9 else f"t{{k}}" for k in rng.integers(0, 14, rows)],
    [f"id{{k}}" for k in rng.integers(0, 300, rows)],
    [None if k % 5 == 0 else float(k) for k in range(rows)],
]
table = Table(tuple(Column.of(f"f{{i}}", c) for i, c in enumerate(cells)), Labels.of("y", y.tolist()))
for ratio in (0.0, 0.5):
    program = unless.fold_rm(table, ratio)
    print(repr(program))
    print(unless.predict(program, table).tolist())
    print(repr(unless.fold_rpp(table, 1, ratio)))
    for labelled in (table, Table(table.columns, Labels.of("y", (y > 1).tolist()))):
        card = fit_score_card(unless.fold_rm(labelled, ratio), labelled, rounds=5)
        print(card.points.tolist(), card.totals(labelled).tolist())
for options in ({{}}, {{"ratio": 0.3, "max_rules": 4}}, {{"penalty": 0.2, "min_support": 1}}, {{"optimise": False}}):
    for weights in (None, rng.integers(0, 4, rows).astype(float)):
        program = fold_unless(table, weights=weights, **options)
        print(repr(program))
        assert len(program) > 2, "the rules of these data are no chance"
times = [column.counts().astype(np.int64) for column in table.columns]
bins = [make_column_bins(column, each, open=len(each) > 200) for column, each in zip(table.columns, times)]
assert {{one.open for one in bins}} == {{True, False}}
units = rng.integers(0, 3, rows).astype(np.int32)
blocks = [
    make_block_arrays(table[part], bins, table.labels.codes[part].astype(np.int32), units[part])
    for part in (slice(0, 200), slice(200, None))
]
coding = SimpleNamespace(bins=bins, labels=table.labels.labels, unit=1.0, some_weigh_nothing=True, rows=rows)
coding.task = SimpleNamespace(target="y")
store = LocalBlockStore(coding, blocks)
for local in (0, 40, rows):
    program = unless.fold_rm(BlockEngine(store, local=local))
    assert program == unless.fold_rm(table, weights=units.astype(float))
    print(repr(program))
engine = BlockEngine(store, local=0)
for one in engine.counts(*engine.split(engine.all_rows(), 1)):
    print(one.feature, list(one.values), one.positive, one.negative)
for block in store.blocks:
    every = block.all_rows()
    print(block.histogram(every).tolist(), [block._grid.ranks_of(i, every.rows()).tolist() for i in range(6)])
committee = learn_committee(table, settings=CommitteeSettings(size=3)).committee
print(committee.lists, [points.tolist() for points in committee.points], committee.sums(table).tolist())
counter = ContributionCounter(additive_score(committee), table[:70])
print([found.round(12).tolist() for found in (counter.values(table[100:110]), *counter.interactions(table[100:105]))])
"""


def run(*, interpreted: bool) -> str:
    """What the script prints in a process of its own."""
    script = SCRIPT.format(interpreted=interpreted, sources={stem: str(path) for stem, path in SOURCES.items()})
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not kernels.compiled, reason="the kernels are not compiled here: there is nothing to compare")
@pytest.mark.skipif(not SOURCES, reason="the source of the kernels is not here")
def test_interpreted_kernels_give_the_same_results():
    """The kernels' source, run by the interpreter, learns and predicts exactly what the compiled module does.

    Neither needs Cython.
    """
    compiled = run(interpreted=False)
    assert compiled == run(interpreted=True)
    assert len(compiled.splitlines()) > 10
