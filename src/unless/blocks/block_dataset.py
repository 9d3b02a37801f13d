"""Turn all records of a source into blocks, once for any number of fits."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unless import __version__
from unless.blocks.block_arrays import DATA_CHANGED, bytes_per_cell, map_block, write_block
from unless.blocks.block_cache import CacheOptions, RecordedFactors, reopen_blocks, write_block_cache
from unless.blocks.block_engine import BlockEngine
from unless.blocks.block_store import BlockStore, LocalBlockStore, map_ahead
from unless.blocks.encoding import BlockEncoding, ClassFactors, EncodingTask, TableStats
from unless.blocks.file_checkpoints import FolderCheckpoints
from unless.blocks.row_order import UNORDERED
from unless.blocks.row_sets import RowSet
from unless.blocks.sources import PartsStream, Stream
from unless.errors import ReadError, UnknownNameError, suggest
from unless.read.column_plan import plan_columns
from unless.read.options import PLAIN_OPTIONS, ReadOptions
from unless.read.source import Source
from unless.rule import Program
from unless.storage.array_files import StoredArrays
from unless.storage.cache_folder import CacheFolder, CacheKey
from unless.storage.memory_budget import fits_in_memory, release_free_memory
from unless.table import HoldoutSplit, Schema, Table
from unless.table.holdout_split import fingerprint_text
from unless.threads import available_cores

Progress = Callable[[str, int], object]
"""Called with the current step and the number of records processed so far."""

FETCHED_ROWS = 1_000_000
"""Sets of at most this many records are learned from in memory."""

SAMPLE = 100_000
"""The number of records sampled for points, importances and warnings."""


BlockFolder = tempfile.TemporaryDirectory[str] | CacheFolder
"""The folder of the blocks."""

LeaveOut = Callable[[Table, TableStats], Mapping[str, Any]]
"""Chooses the features to leave out, with reasons (JSON), given the first records and the statistics."""


@dataclass
class BlockDataset:
    """A context manager for records in blocks; closing it removes their files, unless they are to be kept."""

    store: BlockStore
    folder: BlockFolder | None = None
    local: int = FETCHED_ROWS

    @property
    def coding(self) -> BlockEncoding:
        """The encoding of records as blocks."""
        return self.store.coding

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.coding.rows

    @property
    def schema(self) -> Schema:
        """The schema by which the columns were read."""
        return self.coding.schema

    def split(self, share: float, salt: int) -> tuple[HoldoutSplit, str, tuple[int, ...], int]:
        """Choose records to hold back, about ``share`` of every label, and fingerprint all records.

        Returns the split, the fingerprint, a sample of hashes and the number of rows with a label.
        """
        counts, sums, sample = self.engine().split_census(salt)
        split = HoldoutSplit.of_counts(self.store.labels, counts, share, salt)
        return split, fingerprint_text(sums), tuple(sample.tolist()), int(counts.sum())

    def engine(self, held_back: HoldoutSplit | None = None) -> BlockEngine:
        """Return the engine that learns from all records, or from all except those held back."""
        engine = BlockEngine(self.store, local=self.local, held_back=held_back)
        if isinstance(self.folder, CacheFolder):
            split = None if held_back is None else [held_back.salt, *held_back.cuts]
            about = {"unless": __version__, "blocks": self.folder.digest, "held_back": split}
            engine.checkpoints = FolderCheckpoints(self.folder.path, self.coding, about)
        return engine

    def sample(
        self, held_back: HoldoutSplit | None = None, *, tests: bool = False
    ) -> tuple[Table, NDArray[np.float64] | None]:
        """Sample evenly spread records, and return the weight of each; if there are few records, return them all.

        With ``held_back``, the sample is from the records to learn from; with ``tests``, from those held back.
        """
        every = max(1, -(-self.rows // SAMPLE))
        table, units = self.engine(held_back).sample_every(every, tests=tests)
        table = Table(table.columns, table.target, len(table), self.schema.missing, parts=self.schema.parts)
        return table, None if (units == 1).all() and self.store.unit == 1 else units * self.store.unit

    def domain(self, features: Iterable[str]) -> Table:
        """Return the named columns without rows: their categories, and the smallest and largest finite number."""
        places = {one.column.name: place for place, one in enumerate(self.coding.bins)}
        wanted = [places[name] for name in features]
        found = []
        for place, (low, high) in zip(wanted, self.engine().extent(wanted).tolist(), strict=True):
            column = self.coding.bins[place].domain()
            numbers = column.numbers if np.isnan(low) else np.unique([low, high])
            found.append(replace(column, numbers=numbers) if self.coding.bins[place].open else column)
        return Table(tuple(found), rows=0, missing=self.schema.missing)

    def close(self) -> None:
        """End the threads, and remove the files unless they are kept."""
        self.store.close()
        if self.folder is not None:
            self.folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def label_weights_left(engine: BlockEngine, program: Program, rows: RowSet) -> list[Sequence[float]]:
    """Compute the weight of each label that is left before each rule and after the last (`Learned.left`)."""
    return [engine.label_weights(left) for left in _rows_left(engine, program, rows)]


def _rows_left(engine: BlockEngine, program: Program, rows: RowSet) -> Iterator[RowSet]:
    """Yield the rows that are left before each rule and after the last."""
    yield rows
    for rule in program.rules:
        rows = engine.minus(rows, engine.covered_by_rule(rows, rule))
        yield rows


def decided_label_weights(engine: BlockEngine, program: Program, rows: RowSet) -> NDArray[np.float64]:
    """Count the rows of each label (column) that each rule (row) decides; the last row counts undecided ones."""
    left = [engine.records(some) for some in _rows_left(engine, program, rows)]
    found: NDArray[np.float64] = -np.diff(np.array(left, np.float64), axis=0, append=0)
    return found


def make_block_dataset(  # noqa: PLR0913 - all that can be asked for, to be seen in one place
    stream: Stream,
    options: ReadOptions = PLAIN_OPTIONS,
    *,
    target: str | None = None,
    features: Sequence[str] | None = None,
    weights: str | None = None,
    drop_weightless: bool = False,
    factors: ClassFactors | None = None,
    leave_out: LeaveOut | None = None,
    keep: CacheOptions | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> BlockDataset:
    """Make blocks from the records of a stream.

    ``options``, ``target`` and ``features`` choose what to read, as in `read_table`. ``weights`` names the column of
    record weights, and ``factors`` multiplies the weights of each class; ``drop_weightless`` leaves out records of
    weight 0.
    Blocks are written to temporary files, or to the folder of ``keep``. Blocks already in that folder are used, and
    learners resume where they stopped. ``keep.asked`` holds the options that ``leave_out`` depends on.
    """
    if formats := options.part_formats:
        stream = PartsStream(stream, formats)
    tell = progress or (lambda *_: None)
    given = None if factors is None else RecordedFactors(factors)
    choice = RecordChoice(options, target, features, weights, drop_weightless)
    maker = _DatasetMaker(stream, choice, given, leave_out, tell, threads or available_cores())
    return maker.make_temporary() if keep is None else maker.reopen_or_make(keep)


@dataclass(frozen=True)
class RecordChoice:
    """The choice of what to read from a stream: the parameters of `make_block_dataset` with the same names."""

    options: ReadOptions
    target: str | None
    features: Sequence[str] | None
    weights: str | None
    drop_weightless: bool

    def to_dict(self) -> dict[str, Any]:
        """Convert the options to a dict that is recorded with kept blocks."""
        said, parts = self.options, self.options.parts or ()
        dates = said.dates
        if parts and dates is not None:
            dates = {name: form for name, form in said.date_formats.items() if name not in parts}
        names = ("numeric", "categorical", "orders", "missing", "drop_unlabelled")
        asked = {name: getattr(said, name) for name in names} | {"dates": dates, "weights": self.weights}
        asked |= {"target": self.target, "features": self.features}
        asked |= {"special": said.special} if said.special else {}
        return asked | ({"drop_weightless": True} if self.drop_weightless else {})

    def task(self, first: Source) -> EncodingTask:
        """Make the task for a source that begins with this batch."""
        weights, features = self.weights, self.features
        if weights is not None and weights not in first.names:
            raise UnknownNameError(f"no column {weights!r}{suggest(weights, first.names)}")
        if features is None and weights is not None:
            features = [name for name in first.names if name not in (weights, self.target)]
        plan = plan_columns(first, self.options, self.target, features=features)
        return EncodingTask(plan, weights, self.options.drop_unlabelled, self.drop_weightless)


@dataclass(frozen=True)
class _DatasetMaker:
    """Makes blocks from a stream in two passes."""

    stream: Stream
    choice: RecordChoice
    factors: RecordedFactors | None
    leave_out: LeaveOut | None
    tell: Progress
    threads: int

    def make_temporary(self) -> BlockDataset:
        """Make blocks that are removed when they are closed."""
        before = self.stream.fingerprint()
        with ThreadPoolExecutor(self.threads) as pool:
            coding = self._collect_encoding(pool)
        home = tempfile.TemporaryDirectory(prefix="unless-")
        try:
            with ThreadPoolExecutor(self.threads) as pool:  # end the threads before the folder is removed
                # An unlinked mapped file stays readable, and disappears even after kill -9.
                arrays = list(self._write_blocks(coding, Path(home.name), pool, nameless=os.name == "posix"))
            _refuse_change(before, self.stream)
        except BaseException:
            home.cleanup()
            raise
        return self._open(coding, arrays, home)

    def reopen_or_make(self, keep: CacheOptions) -> BlockDataset:
        """Open the blocks in the folder, or make them."""
        if self.leave_out is not None and keep.asked is None:
            raise ValueError("the options that leave_out depends on are unknown; give them: CacheOptions(asked=...)")
        key = self._cache_key(keep)
        folder = CacheFolder(keep.folder)
        try:
            found = reopen_blocks(folder, key, self.factors, unchanged=keep.unchanged, threads=self.threads)
            if found is not None:
                self.tell("reopened", found[0].rows)
            else:
                found = self._rebuild_cache(folder, key)
        except BaseException:
            folder.cleanup()
            raise
        return self._open(*found, folder)

    def _cache_key(self, keep: CacheOptions) -> CacheKey:
        before = self.stream.fingerprint()
        options = {**self.choice.to_dict(), **(keep.asked or {})}
        options["source"] = self.stream.title if before is None else None
        return CacheKey.of(self.stream.title, before, options)

    def _rebuild_cache(self, folder: CacheFolder, key: CacheKey) -> tuple[BlockEncoding, list[StoredArrays]]:
        with folder.rebuild(), ThreadPoolExecutor(self.threads) as pool:
            coding = self._collect_encoding(pool)
            arrays = list(self._write_blocks(coding, folder.path, pool, nameless=False))
            _refuse_change(key.fingerprint, self.stream)
            write_block_cache(folder, key, coding, len(arrays), self.factors)
        return coding, arrays

    def _open(self, coding: BlockEncoding, arrays: Sequence[StoredArrays], home: BlockFolder) -> BlockDataset:
        release_free_memory()
        return BlockDataset(LocalBlockStore(coding, arrays, threads=self.threads), home)

    def _collect_encoding(self, pool: ThreadPoolExecutor) -> BlockEncoding:
        """Collect the values of each column in the first pass."""
        first = next(iter(self.stream.batches()))
        task = self.choice.task(first)
        stats = _collect_table_stats(task, self.stream, pool, self.tell)
        gone = {} if self.leave_out is None else self.leave_out(_first_records(task, self.stream), stats)
        return replace(BlockEncoding.of(_drop_features(task, stats, gone), stats, self.factors), left_out=gone)

    def _write_blocks(
        self, coding: BlockEncoding, folder: Path, pool: ThreadPoolExecutor, *, nameless: bool
    ) -> Iterator[StoredArrays]:
        """Write blocks to files in the second pass; ``nameless`` files are unlinked at once."""
        rows, large = 0, not fits_in_memory(coding.rows * sum(map(bytes_per_cell, coding.bins)))
        first = next(iter(self.stream.batches()), None) if large else None  # the data may be empty by now
        order = UNORDERED if first is None else coding.order(first)

        def write(numbered: tuple[int, Source]) -> tuple[int, StoredArrays]:
            number, batch = numbered
            path = folder / f"{number}.block"
            write_block(path, coding.block(batch, order), bypass_page_cache=large)
            arrays = map_block(path, bypass_page_cache=large)
            if nameless:
                path.unlink()
            return batch.rows, arrays

        for count, arrays in map_ahead(pool, write, enumerate(self.stream.batches())):
            rows += count
            self.tell("coded", rows)
            yield arrays
        if rows != coding.rows:
            raise ReadError(DATA_CHANGED)


def _first_records(task: EncodingTask, stream: Stream) -> Table:
    """Read the first records as a table."""
    first = next(iter(stream.batches()))
    task.load(first)
    columns = [task.plan.column(name, first.cells(name)) for name in task.plan.features]
    return Table(tuple(columns), rows=first.rows)


def _drop_features(task: EncodingTask, stats: TableStats, gone: Collection[str]) -> EncodingTask:
    """Drop features from the task, and from the statistics."""
    for name in gone:
        stats.columns.pop(name, None)
    kept = {name: kind for name, kind in task.plan.features.items() if name not in gone}
    return replace(task, plan=replace(task.plan, features=kept))


def _collect_table_stats(task: EncodingTask, stream: Stream, pool: ThreadPoolExecutor, tell: Progress) -> TableStats:
    """Collect statistics in one pass; read columns whose numbers turn out to be texts in a second pass."""

    def look(texts: Sequence[str]) -> TableStats:
        found = map_ahead(pool, lambda batch: TableStats.of(task, batch, texts), stream.batches())
        stats = next(found)
        tell("surveyed", stats.rows)
        for other in found:
            stats.merge(other)
            tell("surveyed", stats.rows)
        return stats

    stats = look(())
    if again := stats.columns_with_conflicting_kinds(task):
        seen = look(again)
        for name in again:
            stats.columns[name] = seen.columns[name]
    return stats


def _refuse_change(before: object, stream: Stream) -> None:
    if json.loads(json.dumps(stream.fingerprint())) != json.loads(json.dumps(before)):
        raise ReadError(DATA_CHANGED)
