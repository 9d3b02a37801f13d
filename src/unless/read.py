"""Files and data frames → `Table`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unless.encode import Declared, MissingLabelsError, labels, settle
from unless.errors import MissingFileError, ParameterError, ReadError, UnknownNameError, suggest
from unless.frames import PolarsFrame, Records, Source, frame_source, refuse_twins
from unless.rule import Program
from unless.table import Column, Kind, Labels, Schema, Table
from unless.values import DEFAULT_MISSING

__all__ = ["read_table"]

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}
_PARQUET = (".parquet", ".pq")
_THREADS = 4
_CELLS_FOR_THREADS = 100_000


def read_table(
    source: object,
    target: str | None = None,
    *,
    features: Sequence[str] | None = None,
    numeric: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    missing: Sequence[str] = DEFAULT_MISSING,
    like: object = None,
) -> Table:
    """Read a table and rank its cells.

    ``source`` is the path of a CSV, TSV (also ``.gz``) or Parquet file, a pandas, polars or pyarrow frame (or another
    that narwhals knows), or a list of dicts, one per row. ``target`` names the column of labels, which learning needs;
    ``features`` the columns to learn from, in that order: all others, unless given.

    A cell is a number, a category (text) or missing. In text files a cell of ``missing`` is missing, exactly as spelled;
    ``missing=()`` makes every cell a value. Frames have null and NaN for that, and ``missing`` only if it is given.

    Columns named in ``numeric`` have as numbers every cell that is or spells one, and as categories the rest; columns
    named in ``categorical`` have categories only. Of an undeclared column in a text file, all present cells are numbers;
    or, if at least half of the distinct ones are and none is written like 007, those that are; or none. In a frame text
    is text, and numbers are numbers if at least half of the distinct cells are.

    ``like`` reads a new batch as an earlier one was read: it takes a `Table`, or anything that has its ``schema``, or a
    `Program`, whose literals tell the kinds of the features that it uses; only those are read then. Its target is read
    if it is there and complete.

    Labels keep their type; those of text files are text. Rows are numbered from 1 in messages.
    """
    opened = _open(source)
    refuse_twins(opened.names)
    plan = _plan(opened.names, target, features, _schema(like), _tokens(missing))
    plan = _declare(plan, opened.names, _names("numeric", numeric), _names("categorical", categorical))
    wanted = [*plan.kinds, *([] if plan.target is None else [plan.target])]
    opened.load(wanted, [name for name in wanted if plan.kinds.get(name) == "categorical" or name == plan.target], plan.missing)
    return _table(opened, plan)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What to read: the features and what is declared of each, the target, the missing cells."""

    kinds: Mapping[str, Declared]
    target: str | None
    target_is_asked: bool
    missing: tuple[str, ...]
