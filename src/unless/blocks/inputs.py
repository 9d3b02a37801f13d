"""Open the inputs of learners: files, queries, relations and Spark frames; small files are read into memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.blocks.block_cache import BlockCache
from unless.blocks.block_dataset import BlockDataset, Progress, RecordChoice, make_block_dataset
from unless.blocks.databases import DuckStream, Query, quote_sql_name
from unless.blocks.encoding import ClassFactors, weights_from_cells
from unless.blocks.sources import FileStream, Stream
from unless.errors import ParameterError, ReadError, without_passwords
from unless.learn.weights import check_weights, weights_to_counts
from unless.libraries import pl
from unless.read.cells import Cells
from unless.read.file_bytes import is_packed
from unless.read.formats import files_at
from unless.read.options import ReadOptions
from unless.read.table import read_with
from unless.storage.memory_budget import fits_in_memory
from unless.table import Table
from unless.threads import resolve_n_jobs

_DATABASES = (".duckdb", ".ddb", ".db")

_PER_CELL = 28
"""The peak memory in bytes per cell of learning from a table: 400,000 rows of 20 columns took 216 MB."""

_PER_BYTE = 6
"""The same per byte of a text file, whose cells have about five bytes: 42 MB took 229 MB."""

_PACKED = 8
"""An upper estimate of the unpacked bytes per packed byte."""


def is_source(given: object) -> bool:
    """Whether an input is a data source or the path of a file, not data in memory."""
    return (
        isinstance(given, (BlockDataset, BlockCache, str, os.PathLike, Query))
        or type(given).__module__.partition(".")[0] in ("duckdb", "_duckdb", "psycopg", "pyspark")
        or _is_stream(given)
    )


def _is_stream(given: object) -> bool:
    return hasattr(given, "batches") and hasattr(given, "fingerprint")


def is_database(given: object) -> bool:
    """Whether a path or an address names a database."""
    if not isinstance(given, (str, os.PathLike)):
        return False
    return "://" in os.fspath(given) or Path(given).suffix.lower() in _DATABASES


def open_source(
    source: Any,
    target: str | None,
    *,
    features: Sequence[str] | None = None,
    weights: str | None = None,
    factors: ClassFactors | None = None,
    progress: Progress | None = None,
    drop_weightless: bool = False,
    n_jobs: int | None = None,
    **how: Any,
) -> tuple[Table, NDArray[np.float64] | None] | BlockDataset:
    """Open the labelled records of a source: as a table with weights if they fit into memory, otherwise as blocks.

    ``drop_weightless`` leaves out records of weight 0 entirely. ``n_jobs`` threads read and count
    blocks; None means one per core. ``features`` and ``how`` choose what to read, as in `read_table`.
    """
    if isinstance(source, BlockDataset):
        if target not in (None, source.store.target) or weights is not None:
            raise ParameterError("the blocks already have a target and weights; leave both out")
        return source
    keep = source.keep if isinstance(source, BlockCache) else None
    source = source.source if isinstance(source, BlockCache) else source
    _refuse_roles(source, target, weights)
    choice = RecordChoice(ReadOptions(**how), target, features, weights, drop_weightless and weights is not None)
    if type(source).__module__.startswith("pyspark"):
        if keep is not None:
            raise ParameterError("Spark stores its own blocks, not in a folder; give the frame itself")
        return _open_spark(source, choice, factors)
    making: dict[str, Any] = {
        "factors": factors,
        "progress": progress,
        "keep": keep,
        "threads": None if n_jobs is None else resolve_n_jobs(n_jobs),
    }
    if isinstance(source, (str, os.PathLike)) and not is_database(source):
        return _open_files(source, choice, making)
    with closing(_stream_from(source)) as stream:
        return make_block_dataset(stream, **vars(choice), **making)


def _open_files(
    path: str | os.PathLike[str], choice: RecordChoice, making: dict[str, Any]
) -> tuple[Table, NDArray[np.float64] | None] | BlockDataset:
    files = FileStream(path, choice.options)
    if making["keep"] is None and fits_in_memory(needed_bytes(files)):
        table, counts = _take_weights(
            read_with(path, choice.options, choice.target, features=choice.features), choice.weights
        )
        if not choice.drop_weightless or counts is None or counts.all():
            return table, counts
    return make_block_dataset(files, **vars(choice), **making)


def _stream_from(source: Any) -> Stream:
    """Open the stream of a database, a query or a relation; a stream stays as it is."""
    if isinstance(source, (str, os.PathLike)):
        return find_only_table(source).stream()
    if isinstance(source, Query):
        return source.stream()
    if type(source).__name__ == "DuckDBPyRelation":
        return DuckStream(source)
    if not _is_stream(source):
        raise ParameterError(_no_source_message(source))
    stream: Stream = source
    return stream


def _refuse_roles(source: object, target: object, weights: object) -> None:
    """Reject a target or weights that are not names, and a database without a table or query."""
    if not isinstance(target, str):
        raise ParameterError(f"name the column of labels, not {target!r:.60}: the labels come from the same source")
    if weights is not None and not isinstance(weights, str):
        raise ParameterError(f"weights must name a column of the source, not {weights!r:.60}")
    if weights == target:
        raise ParameterError(f"{target!r} is the target, so it cannot be the weights")
    if isinstance(source, str) and "://" in source:
        raise ParameterError(
            f"name a table or a query of the database: Query({without_passwords(source)!r}, 'its name')"
        )


def _no_source_message(given: object) -> str:
    name, library = type(given).__name__, type(given).__module__.partition(".")[0]
    if library in ("duckdb", "_duckdb", "psycopg"):
        return f"a {name} is a whole database; name a table or a query: Query(connection, 'SELECT …')"
    return (
        f"cannot learn from {name}: give a table (read_table), a frame, the path of a file or of a folder of parts, a "
        "Query, a relation of DuckDB, or a DataFrame of Spark"
    )


def _open_spark(frame: Any, choice: RecordChoice, factors: ClassFactors | None) -> BlockDataset:
    """Make blocks of a Spark frame on its executors."""
    from unless.blocks.spark_store import SparkBlockStore, frame_columns

    if choice.options.parts:
        raise ParameterError("parts= is not for Spark frames; make the columns in Spark: date_format(when, 'EEEE')")
    return BlockDataset(SparkBlockStore(frame, choice.task(frame_columns(frame)), factors))


def _take_weights(table: Table, weights: str | None) -> tuple[Table, NDArray[np.float64] | None]:
    """Split the column of weights off a table."""
    if weights is None:
        return table, None
    column = table.column(weights)
    cells = Cells(column.numbers, column.categories, column.codes, None, notation=column.notation)
    kept = tuple(one for one in table.columns if one is not column)
    return replace(table, columns=kept), weights_to_counts(
        check_weights(weights_from_cells(weights, cells), len(table))
    )


def find_only_table(path: str | os.PathLike[str]) -> Query:
    """Return the only table of a DuckDB file; several tables are an error."""
    found = Query(path, "SELECT table_schema, table_name FROM information_schema.tables").rows()
    if len(found) != 1:
        some = ", ".join(name for _, name in found[:5]) or "none"
        raise ReadError(
            f"{os.fspath(path)!r} has {len(found)} tables ({some}); say which: Query({os.fspath(path)!r}, 'its name')"
        )
    return Query(path, ".".join(map(quote_sql_name, found[0])))


def needed_bytes(stream: FileStream) -> float:
    """Estimate the bytes of memory that learning from files takes."""
    form, paths = files_at(stream.path, stream.options.format)
    if form.name not in ("parquet", "arrow"):
        return float(_PER_BYTE * sum(path.stat().st_size * (_PACKED if is_packed(path) else 1) for path in paths))
    return float(_PER_CELL * sum(_count_cells(path, form.name) for path in paths))


def _count_cells(path: Path, form: str) -> int:
    """Read the number of cells from the metadata of a file."""
    scan = pl.scan_parquet if form == "parquet" else pl.scan_ipc
    try:
        lazy = scan(path, glob=False, hive_partitioning=False)
        return int(lazy.select(pl.len()).collect().item()) * len(lazy.collect_schema())
    except pl.exceptions.PolarsError:  # packed, or a stream: only reading shows it
        return path.stat().st_size * (_PACKED if is_packed(path) else 1)
