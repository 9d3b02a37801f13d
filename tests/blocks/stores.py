"""Random tables, and the same tables as blocks."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tests.blocks.frames import stats_of_columns
from unless.blocks import block_queries, column_bins, column_stats, histogram_search, row_sets
from unless.blocks.block_arrays import map_block, write_block
from unless.blocks.block_store import LocalBlockStore
from unless.blocks.encoding import BlockEncoding, EncodingTask
from unless.blocks.row_order import UNORDERED
from unless.learn import MemoryEngine, given_cuts
from unless.learn.weights import check_weights, multiply_counts, weights_to_counts
from unless.read.column_plan import plan_columns
from unless.read.frames import PolarsFrame
from unless.read.options import ReadOptions
from unless.read.table import read_table
from unless.table import Table

__all__ = ["Data", "PickledStore", "counted", "cramped", "cut", "forgetful", "random_data", "store_of"]


@dataclass
class Data:
    """A frame with the target ``y``; ``weights`` say how much records count, ``factors`` how much labels do."""

    frame: pl.DataFrame
    weights: np.ndarray | None = None
    factors: np.ndarray | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def table(self) -> Table:
        """The table in memory."""
        return read_table(self.frame, target="y", **self.options)

    @property
    def memory(self) -> MemoryEngine:
        """The engine in memory."""
        table = self.table
        counts = (
            np.ones(len(table)) if self.weights is None else weights_to_counts(check_weights(self.weights, len(table)))
        )
        if self.factors is not None:
            counts = multiply_counts(counts, self.factors[table.labels.codes])
        return MemoryEngine(table, counts)


class PickledStore(LocalBlockStore):
    """A store whose questions and answers travel."""

    def ask(self, query):
        query = pickle.loads(pickle.dumps(query))
        answers = (pickle.loads(pickle.dumps(query.answer(block))) for block in self.blocks)
        return pickle.loads(pickle.dumps(query.combine(answers)))


def store_of(
    data: Data,
    sizes: list[int],
    folder: Path | None = None,
    kind=LocalBlockStore,
    *,
    bypass_page_cache: bool = False,
    sort=False,
) -> LocalBlockStore:
    """The blocks of some data, given how many rows each batch has; written to a folder and mapped, if there is one.

    With ``sort``, rows lie in the order that is learned from the largest batch.
    """
    frame, weights = data.frame, None
    features = [name for name in frame.columns if name != "y"]
    if data.weights is not None:
        frame, weights = frame.with_columns(pl.Series("weight", data.weights)), "weight"

    def batches():
        start = 0
        for size in sizes:
            yield PolarsFrame(frame[start : start + size])
            start += size

    plan = plan_columns(PolarsFrame(frame), ReadOptions(**data.options), "y", features=features)
    task = EncodingTask(plan, weights=weights)
    factors = None if data.factors is None else lambda labels, totals: data.factors
    coding = BlockEncoding.of(task, stats_of_columns(task, batches), factors)
    order = coding.order(max(batches(), key=lambda batch: batch.rows)) if sort else UNORDERED
    blocks = [coding.block(batch, order) for batch in batches()]
    if folder is not None:
        for number, arrays in enumerate(blocks):
            write_block(folder / f"{number}.block", arrays, bypass_page_cache=bypass_page_cache)
        paths = [folder / f"{number}.block" for number in range(len(blocks))]
        blocks = [map_block(path, bypass_page_cache=bypass_page_cache) for path in paths]
    return kind(coding, blocks)


def forgetful(blocks: LocalBlockStore) -> LocalBlockStore:
    """The store, whose blocks have no room to remember a set."""
    for block in blocks.blocks:
        block.selections.budget = block.selections.packed_budget = 0
    return blocks


def counted(blocks: LocalBlockStore, monkeypatch) -> list:
    """The questions that a store is asked from now on, and the answers."""
    asked: list = []
    ask = blocks.ask

    def noted(query):
        answer = ask(query)
        asked.append((query, answer))
        return answer

    monkeypatch.setattr(blocks, "ask", noted)
    return asked


def cut(rng: np.random.Generator, rows: int) -> list[int]:
    """Sizes of batches that have so many rows together; some may have none."""
    places = np.sort(rng.integers(0, rows + 1, int(rng.integers(0, 6))))
    return np.diff([0, *places, rows]).tolist()


def cramped(monkeypatch, rng: np.random.Generator) -> None:
    """Let few values be many, at random, so that small tables have open columns, cuts and samples."""
    many = int(rng.choice([2, 5, 20, 60, 8192]))
    for module in (column_stats, block_queries, given_cuts, column_bins):
        monkeypatch.setattr(module, "MANY", many)
    monkeypatch.setattr(column_stats, "_NUMBERS", many * int(rng.choice([1, 3, 8])))
    monkeypatch.setattr(column_stats, "_PER_BATCH", int(rng.choice([2, 16, 512])))
    most = int(rng.choice([32, 64, 256]))
    monkeypatch.setattr(column_bins, "_BINS", most)
    monkeypatch.setattr(column_bins, "_NUMERIC", most - 16)
    monkeypatch.setattr(column_bins, "_FINER", int(rng.choice([1, 3, 64])))
    monkeypatch.setattr(histogram_search, "_FEW", int(rng.choice([0, 8, 2048])))
    monkeypatch.setattr(histogram_search, "_MANY", int(rng.choice([0, 8, 1 << 17])))
    monkeypatch.setattr(row_sets, "_FEW", int(rng.choice([0, 3, 1 << 16])))
    monkeypatch.setattr(row_sets, "_MANY", int(rng.choice([0, 500_000])))
    monkeypatch.setattr(row_sets, "_REMEMBERED", int(rng.choice([1, 3, 64])))
    monkeypatch.setattr(block_queries, "_COUNTERS", int(rng.choice([1, 7, 1024])))


def random_data(rng: np.random.Generator, rows: int, *, mixed: bool = True) -> Data:
    """A table of columns of all kinds, which tell something about the label, with ties, gaps and extremes."""
    labels = int(rng.integers(2, 5))
    y = rng.integers(0, labels, rows)
    kinds = [kind for kind in _KINDS if mixed or kind is not _mixed]
    columns: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for i in range(int(rng.integers(1, 5))):
        v = y * rng.normal() + rng.normal(size=rows)
        kind = kinds[int(rng.integers(len(kinds)))]
        cells = kind(v)
        if rng.random() < 0.4:
            cells = [None if gone else cell for cell, gone in zip(cells, rng.random(rows) < 0.2, strict=True)]
        columns[f"c{i}"] = pl.Series(cells, dtype=_TYPES.get(kind), strict=False)
        if kind is _levels:
            options.setdefault("orders", {})[f"c{i}"] = _LEVELS
    frame = pl.DataFrame({**columns, "y": [f"l{label}" for label in y]})
    weights = _weights(rng, rows) if rng.random() < 0.5 else None
    factors = None
    if rng.random() < 0.3:
        factors = rng.choice([rng.integers(1, 4, labels), rng.choice([0.3, 1.7, 2.0], labels)])[: len(set(y))]
    return Data(frame, weights, None if factors is None else factors.astype(float), options)


def _weights(rng, rows):
    choices = [
        rng.integers(0, 4, rows),
        np.round(rng.random(rows), 1),
        rng.choice([1.0, 0.3, 0.77], rows),
        rng.choice([0.0, 5.0], rows),
        rng.random(rows) * 1e6,
    ]
    found = choices[int(rng.integers(len(choices)))].astype(float)
    return found if found.any() else None


_LEVELS = ["low", "middle", "high", "top"]


def _rounded(v):
    return np.round(v, int(10 * abs(v[0])) % 3).tolist()


def _exact(v):
    return v.tolist()


def _extreme(v):
    return [[-np.inf, -0.0, 0.0, np.inf, 1e300, 5e-324, -1e-300][int(7 * x) % 7] for x in np.abs(v)]


def _whole(v):
    return (v * 20).astype(int).tolist()


def _words(v):
    return [f"t{int(3 * x)}" for x in v]


def _names(v):
    return [f"name {int(300 * x)}" + "é日"[: 2 * (x > 1)] for x in v]


def _mixed(v):
    return [f"{x:.1f}" if x > -0.5 else "abc"[int(-x) % 3] for x in v]


def _levels(v):
    return [_LEVELS[min(int(abs(x)), 3)] for x in v]


def _days(v):
    return [date(2020, 1, 1) + timedelta(days=int(30 * x)) for x in v]


def _times(v):
    return [datetime.fromisoformat("2020-01-01") + timedelta(hours=int(9 * x)) for x in v]


def _clocks(v):
    return [time(int(4 * abs(x)) % 24) for x in v]


def _flags(v):
    return (v > 0.3).tolist()


def _nothing(v):
    return [None] * len(v)


_KINDS = [_rounded, _exact, _extreme, _whole, _words, _names, _mixed, _levels, _days, _times, _clocks, _flags, _nothing]
_TYPES = {_rounded: pl.Float64, _nothing: pl.String}
