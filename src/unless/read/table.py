"""Read files and data frames as a `Table`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from unless.errors import ParameterError, ReadError
from unless.read.cells import Cells
from unless.read.column_inference import drop_missing_labels, make_labels
from unless.read.column_plan import ColumnPlan, plan_columns, schema_of
from unless.read.date_parts import DateParts, with_known_parts
from unless.read.frames import PolarsFrame, frame_source, records_source
from unless.read.options import PLAIN_OPTIONS, ReadOptions, check_names
from unless.read.source import Loaded, Source
from unless.table import Column, Table, part_names
from unless.threads import available_cores
from unless.values import DEFAULT_MISSING

_THREADS = 4  # each needs 20 bytes per row while ranking
_CELLS_FOR_THREADS = 2_000_000  # 640,000 cells took 17 ms with two threads on a busy machine, 13 without


def read_table(  # noqa: PLR0913 - one parameter for each thing that a caller may know better
    source: object,
    target: str | None = None,
    *,
    features: Sequence[str] | None = None,
    numeric: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    dates: Mapping[str, str] | Sequence[str] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    parts: Sequence[str] | None = None,
    missing: Sequence[str] = DEFAULT_MISSING,
    special: Mapping[str, Mapping[float, str]] | None = None,
    like: object = None,
    format: str | None = None,  # noqa: A002 - callers write format="csv"
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    header_row: int | None = None,
    skip: int | None = None,
    drop_unlabelled: bool = False,
) -> Table:
    """Read a table and rank its cells.

    ``source`` is the path of a CSV, TSV, JSON lines, Parquet, Arrow or Excel file (also ``.gz``), or of a folder of
    such files, which are read as one table; a pandas, polars or pyarrow frame (or another that narwhals supports); a
    list of dicts, one per row; an array, or a sparse matrix of scipy; the bytes of a file, or a file opened to read
    bytes. A polars LazyFrame is collected. ``format`` is the format of files and bytes, whatever their names end in:
    csv, tsv, jsonl, parquet, arrow or excel.

    The delimiter, the decimal sign, the thousands sign and the encoding of a text file are detected from its first
    32 kB. ``read_as`` of the table describes an unusual way of reading, and a guess that may be wrong is a
    `GuessWarning`. ``delimiter`` (one sign, or "tab"), ``decimal`` ("." or ",") and ``encoding`` (such as "cp1252")
    overrule the guesses. ``sheet`` is the name or the number of a sheet of a workbook; the default is the first.
    ``header_row`` is the number of the line, or of the row of a sheet, with the names of the columns; the lines above
    are skipped. ``skip`` is the number of these lines. A column without a name gets one, such as ``column 3``, and
    repeated names get a number, as in ``age_2``; ``read_as`` mentions both.

    ``target`` names the column of labels, which learning needs. ``features`` names the columns to learn from, in that
    order; by default all others.

    A cell is a number, a category (text) or missing. In files a cell that is spelled like one of ``missing`` is
    missing, where a space matches any number of spaces; with ``missing=()`` every cell is a value. In
    frames null and NaN are missing, and ``missing`` applies only if you give it.

    In columns named in ``numeric``, every cell that is or spells a number is a number, and the rest are categories. In
    columns named in ``categorical`` all cells are categories. An undeclared column has numbers if at least half of its
    distinct cells are or spell numbers and none of them is written like 007; otherwise all cells are text. A text
    column of a frame has numbers if more than half of its cells are numbers, unless all contain only digits: zip codes
    are names.

    Dates, times and durations are numbers that are written in their own notation: those of typed columns, and text in
    ISO 8601 (``2020-08-01``, ``2020-08-01 12:30Z``, ``12:30``, ``P2DT3H``). For other dates in text, give a format of
    `datetime.strptime`: ``dates={"when": "%d.%m.%Y"}``. ``orders={"size": ["S", "M", "L"]}`` is the order of
    categories, least first; an ordered Categorical of pandas and an Enum of polars define it themselves.

    Columns of dates named in ``parts`` are replaced by their weekday, month and hour (``when.weekday`` is ``Monday`` to
    ``Sunday``, in this order, and ``when.hour`` a number): rules about dates do not generalise to later records.

    Numbers in ``special`` name a category: with ``special={"months": {-7: "no inquiry"}}`` a cell of -7, or of "-7.0"
    in a text file, is neither a number nor missing, but the category ``no inquiry``. The column has numbers otherwise,
    and new tables are read like it.

    ``like`` reads a new batch as an earlier one was read. It takes a `Table`, any object with a ``schema``, or a
    `Program`. For a program, only the features that it uses are read, and its literals define their kinds: text that
    spells a number is a number if literals compare numbers, and a number is its spelling if they compare only
    categories; a boolean is the text True or False. For a table or a model, cells of other types have their obvious
    meaning in training: 1 is True in a column of booleans, and True is 1 in a column of numbers; "3" is the number 3
    in a column of numbers, and 3.0 the name "3" in a column of categories. A program does not record which cells were
    ``missing`` in training, only that the cells it tests were not: give ``missing`` again if you gave it in training
    and the program tests for missing cells. The target is read if it is present and complete.

    Labels keep their type; labels of text files are text. A row without a label is an error, unless
    ``drop_unlabelled`` leaves it out: ``numbers`` of the table are then those of the other rows. Messages number rows
    from 1.
    """
    options = ReadOptions(
        format,
        delimiter,
        decimal,
        encoding,
        sheet,
        header_row,
        skip,
        None if missing is DEFAULT_MISSING else missing,
        numeric,
        categorical,
        dates,
        orders,
        parts,
        drop_unlabelled,
        special,  # type: ignore[arg-type]  # it is checked there
    )
    return read_with(source, options, target, features=features, like=like)


def read_with(
    source: object,
    options: ReadOptions,
    target: str | None = None,
    *,
    features: Sequence[str] | None = None,
    like: object = None,
) -> Table:
    """Read a table as `read_table` does, with its options as one value."""
    like = getattr(like, "model_", like)  # a classifier is read like its model
    formats, opened = options.part_formats, open_source(source, options)
    schema = schema_of(like)
    known = formats or (schema.parts if schema else {})
    opened = DateParts(opened, formats) if formats else with_known_parts(opened, known)
    features = None if features is None else part_names(check_names("features", features) or (), formats)
    plan = plan_columns(opened, options, target, features=features, like=like)
    plan.load(opened)
    if target is not None and like is None and not opened.rows:
        raise ReadError("the table has no rows to learn from")
    for guess in opened.remarks.guesses:
        warnings.warn(guess, stacklevel=3)
    columns = tuple(one for one in _infer_columns(opened, plan) if not (formats and _is_idle_hour(one, formats)))
    said = opened.remarks.with_remark(plan.describe_columns(columns)).said
    table = Table(columns, None, opened.rows, plan.missing, said, parts=known)
    if plan.target is None:
        return table
    cells, missing = opened.cells(plan.target), plan.missing_texts
    if options.drop_unlabelled:
        return _labelled_rows(table, plan.target, cells, missing)
    try:
        return replace(table, target=make_labels(plan.target, cells, missing))
    except ReadError:  # some labels are missing, or of mixed types
        if target is not None:
            raise
        return table  # a batch to predict, without all labels


def _is_idle_hour(column: Column, parts: Collection[str]) -> bool:
    """Whether a column is the hour of dates that have no time of day."""
    name, _, part = column.name.rpartition(".")
    return part == "hour" and name in parts and not column.numbers.any()


def _infer_columns(opened: Source, plan: ColumnPlan) -> tuple[Column, ...]:
    """Infer the columns of a loaded source, large ones with several threads."""

    def column(name: str) -> Column:
        return plan.column(name, opened.cells(name))

    threads = min(_THREADS, available_cores())
    if threads == 1 or opened.rows * len(plan.features) < _CELLS_FOR_THREADS:
        return tuple(map(column, plan.features))
    with ThreadPoolExecutor(threads) as pool:
        return tuple(pool.map(column, plan.features))


def _labelled_rows(table: Table, target: str, cells: Cells, missing: Sequence[str]) -> Table:
    """Select the rows of a table that have a label, with their labels."""
    present, rows = drop_missing_labels(cells, missing)
    if not rows.any():
        raise ReadError(f"no row has a label in {target!r}; there is nothing to learn from")
    numbers = None if rows.all() else np.flatnonzero(rows) + 1
    return replace(table[rows], target=make_labels(target, present, ()), numbers=numbers)


def column_names(
    source: object,
    *,
    format: str | None = None,  # noqa: A002
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    header_row: int | None = None,
    skip: int | None = None,
) -> list[str]:
    """Read the names of a table's columns from as little of the file as possible; parameters as in `read_table`.

    JSON lines have the names of their first thousand lines, a folder those of its first part.
    """
    return read_names(source, ReadOptions(format, delimiter, decimal, encoding, sheet, header_row, skip))


def read_names(source: object, options: ReadOptions = PLAIN_OPTIONS) -> list[str]:
    """Read the names of a table's columns, with options as one value."""
    from unless.read.formats import names_of

    if isinstance(source, (str, os.PathLike)):
        return names_of(Path(os.fspath(source)), options)
    return list(open_source(source, options).names)


def open_source(source: object, options: ReadOptions) -> Source:
    """Open a path, bytes, an open file, a frame, an array or rows of dicts as a source."""
    from unless.read.csv_files import TextFile
    from unless.read.formats import FORMATS, open_bytes, open_path
    from unless.read.json_lines import JsonLines

    if isinstance(source, (str, os.PathLike)):
        return open_path(Path(os.fspath(source)), options)
    if (data := _bytes_of(source)) is not None:
        if options.format is None:
            raise ParameterError(f"the format of bytes is unknown; give format= one of {', '.join(map(repr, FORMATS))}")
        return open_bytes(data, options)
    if said := [f"format={options.format!r}"] if options.format is not None else [f"{one}=" for one in options.hints]:
        raise ParameterError(f"{said[0]} is for files and bytes, not for {type(source).__name__}; leave it out")
    if isinstance(source, (TextFile, JsonLines, PolarsFrame, Loaded)):
        return source
    if isinstance(source, (list, tuple)):
        return records_source(source)
    if (opened := frame_source(source)) is not None:
        return opened
    lazy = "; call its collect() first" if hasattr(source, "collect") else ""
    raise ParameterError(
        f"cannot read a table from {type(source).__name__}{lazy}: give a path, a pandas, polars or pyarrow frame, "
        "a list of dicts, or bytes"
    )


def _bytes_of(source: object) -> bytes | None:
    """Return the bytes of an open file, or the given bytes; None for anything else."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    if not callable(read := getattr(source, "read", None)):
        return None
    if not isinstance(data := read(), bytes):
        raise ParameterError("the file is open in text mode; open it in binary mode: open(path, 'rb')")
    return data


def take_labelled(table: Table, labelled: Table) -> Table:
    """Select the records of a table that a table read with ``drop_unlabelled`` has."""
    rows = slice(None) if labelled.numbers is None else labelled.numbers - 1
    return replace(table[rows], target=labelled.target, numbers=labelled.numbers)
