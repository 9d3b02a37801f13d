"""Open data that `unless fit` learns from in blocks: large files and databases."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from unless.cli.console import Screen
from unless.cli.data_options import ColumnOptions, FileOptions, LabelOptions, LargeOptions, split_names
from unless.cli.loading import note_how_read
from unless.cli.training_data import (
    TrainingTable,
    advise_on_unlabelled,
    check_column_names,
    check_enough_to_learn,
    check_label_kind,
)
from unless.errors import without_passwords
from unless.inspection import Remark, find_useless_columns
from unless.table import Table
from unless.threads import resolve_n_jobs

if TYPE_CHECKING:
    from unless.blocks.encoding import ClassFactors, TableStats
    from unless.blocks.sources import FileStream, Stream

_CONSTANT = ("constant", "empty")


def open_large_data(screen: Screen, data: str, options: LargeOptions, file: FileOptions) -> Stream | None:
    """Open the records to learn from in blocks; None for a file that fits into memory, unless blocks are kept."""
    from unless.blocks.databases import Query
    from unless.blocks.inputs import find_only_table, is_database, needed_bytes
    from unless.blocks.sources import FileStream
    from unless.storage.memory_budget import fits_in_memory, free_bytes

    query, kept = options.query, options.blocks is not None
    if "://" in data and query is None:
        raise typer.BadParameter("say what to learn from in the database: a table, or a SELECT", param_hint="--query")
    if is_database(data):
        return Query(data, query).stream() if query else find_only_table(data).stream()
    if query is not None:
        raise typer.BadParameter(
            f"{without_passwords(data)!r} is not a database; give a DuckDB file, or postgresql://…",
            param_hint="--query",
        )
    if data == "-" or Path(data).is_fifo():
        if kept:
            raise typer.BadParameter("a pipe can be read only once; give a file", param_hint="DATA")
        return None
    files = FileStream(data, file.read_options())
    if kept:
        return files
    if fits_in_memory(needed_bytes(files)):
        return None
    needed, free = _gigabytes_text(needed_bytes(files)), _gigabytes_text(free_bytes())
    screen.note(f"{data} would take about {needed} in memory, where {free} are free: learning in blocks, from the disk")
    return files


def _gigabytes_text(size: float) -> str:
    return f"{size / 1e9:,.1f} GB"


def read_large_training_data(
    screen: Screen,
    data: str,
    stream: Stream,
    target: str,
    columns: ColumnOptions,
    labels: LabelOptions,
    *,
    large: LargeOptions,
    factors: ClassFactors | None,
    jobs: int,
) -> TrainingTable:
    """Do what `read_training` does for data in blocks, which may be kept in a folder."""
    from unless.blocks.block_cache import CacheOptions
    from unless.blocks.block_dataset import make_block_dataset

    data = without_passwords(data)
    with closing(stream.batches()) as batches:  # type: ignore[type-var]  # all are generators
        names = list(next(batches).names)
    excluded, included = split_names(columns.exclude, names), split_names(columns.include, names)
    decisive = {"data": data if stream.fingerprint() is None else None, "exclude": excluded, "include": included}
    with advise_on_unlabelled(), screen.busy(f"reading {data}") as update:
        blocks = make_block_dataset(
            _show_progress(stream, update),
            columns.file.read_options(**columns.reading(names), drop_unlabelled=labels.drop_unlabelled),
            target=target,
            factors=factors,
            leave_out=partial(_columns_to_leave_out, target, excluded, included),
            progress=lambda what, rows: update(said=f"{rows:,} records {what}"),
            keep=None if large.blocks is None else CacheOptions(large.blocks, decisive, unchanged=large.unchanged),
            threads=resolve_n_jobs(jobs),
        )
    noticed = blocks.coding.task.plan.describe_columns([one.column for one in blocks.coding.bins])
    note_how_read(screen, data, "; ".join(filter(None, [getattr(stream, "read_as", ""), noticed])))
    table, _ = blocks.sample()
    left_out = [Remark(**{**why, "others": tuple(why["others"])}) for why in blocks.coding.left_out.values() if why]
    check_enough_to_learn(table.labels, table.columns, left_out)
    training = TrainingTable(table, tuple(left_out), blocks)
    check_label_kind(screen, training, labels)
    return training


def _show_progress(stream: Stream, update: Callable[..., None]) -> Stream:
    """Show in the progress bar which share of the files was read; each pass fills the bar once."""
    if hasattr(stream, "share"):
        files: FileStream = stream  # type: ignore[assignment]
        files.share = lambda share: update(total=1, completed=share or 0)
    return stream


def _columns_to_leave_out(
    target: str, excluded: list[str], included: list[str], first: Table, overview: TableStats
) -> dict[str, dict[str, Any] | None]:
    """Return the columns to leave out according to the first records; constants are checked on all records."""
    check_column_names(first.features, target, excluded, included)
    found: dict[str, dict[str, Any] | None] = dict.fromkeys(excluded)
    for remark in find_useless_columns(first):
        stats = overview.columns[str(remark.column)]
        alone = len(stats.numbers) + len(stats.texts) + bool(stats.missing) <= 1
        if remark.column not in {*excluded, *included} and (remark.code not in _CONSTANT or alone):
            found[str(remark.column)] = asdict(remark)
    return found
