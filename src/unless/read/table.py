"""Files and data frames → `Table`."""

from __future__ import annotations

import os
import re
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from unless.errors import ParameterError, ReadError, UnknownNameError, suggest
from unless.read.column_inference import Cells, Declared, labels, settle, with_labels
from unless.read.csv_files import TextFile, separator_hint
from unless.read.date_parts import DateParts, with_known_parts
from unless.read.dialect import Told, told_by
from unless.read.formats import FORMATS, names_of, open_bytes, open_path
from unless.read.frames import PolarsFrame, frame_source, records_source
from unless.read.json_lines import JsonLines
from unless.read.source import Loaded, Source, refuse_twins
from unless.rule import Program
from unless.table import Column, Kind, Schema, Table, part_names
from unless.threads import available_cores
from unless.values import DEFAULT_MISSING, EARLIER_MISSING, cell_value, missing_among, number_to_text
from unless.values.notation import DATETIME, TIME, Amounts, DateNotation, LevelNotation, Notation

_CLOCKS = ("%H:%M", "%H:%M:%S")
_SHOWN = 6  # names in a line
_THREADS = 4  # each needs 20 bytes a row while it ranks
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
    them, which are read as one; a pandas, polars or pyarrow frame (or another that narwhals knows); a list of dicts,
    one per row; an array, or a sparse matrix of scipy; the bytes of a file, or a file opened to read bytes. A polars
    LazyFrame is collected. ``format`` says what files and bytes are, whatever their names end in: csv, tsv, jsonl,
    parquet, arrow or excel.

    How a text file is written is told by its first 32 kB: what separates fields, decimal commas, signs between
    thousands, the encoding. ``read_as`` of the table says what is unusual, and a guess that may be wrong is a
    `GuessWarning`. ``delimiter`` (one sign, or "tab"), ``decimal`` ("." or ",") and ``encoding`` (such as "cp1252")
    overrule the guesses. ``sheet`` is the name or the number of a sheet of a workbook; the default is the first.
    ``header_row`` is the number of the line, or of the row of a sheet, with the names of the columns, and what is above
    is skipped; ``skip`` says how many lines are. A column without a name gets one, such as ``column 3``, and of columns
    with the same name the later ones get a number, as in ``age_2``; ``read_as`` says so.

    ``target`` names the column of labels, which learning needs. ``features`` names the columns to learn from, in that
    order; by default all others.

    A cell is a number, a category (text) or missing. In files a cell that is spelled like one of ``missing`` is
    missing, where a space stands for any number of spaces; with ``missing=()`` every cell that is there is a value. In
    frames null and NaN are missing, and ``missing`` counts only if you give it.

    In columns named in ``numeric``, every cell that is or spells a number is a number, and the rest are categories. In
    columns named in ``categorical`` all cells are categories. An undeclared column has numbers if at least half of its
    distinct cells are or spell numbers and none of them is written like 007; otherwise all cells are text. A column of
    a frame that is text has numbers if more than half of them are, but not if all are digits only: zip codes are names.

    Dates, times and durations are numbers that are written as what they are: those of typed columns, and text as in ISO
    8601 (``2020-08-01``, ``2020-08-01 12:30Z``, ``12:30``, ``P2DT3H``). For other dates in text give their format, as
    `datetime.strptime` takes it: ``dates={"when": "%d.%m.%Y"}``. ``orders={"size": ["S", "M", "L"]}`` says the order of
    categories, least first; an ordered Categorical of pandas and an Enum of polars say it themselves.

    Columns of dates named in ``parts`` are replaced by their weekday, month and hour (``when.weekday`` is ``Monday`` to
    ``Sunday``, in this order, and ``when.hour`` a number): rules about dates say nothing about later records.

    ``like`` reads a new batch as an earlier one was read. It takes a `Table`, anything that has its ``schema``, or a
    `Program`: then only the features that the program uses are read, and its literals tell their kinds: text that
    spells a number is one where literals compare numbers, and a number is its spelling where they compare categories
    only; a boolean is the text True or False. Where a table or a model tells, cells of other types mean what they
    plainly meant there: 1 is True in a column of booleans, and True is 1 in a column of numbers;
    "3" is the number 3 in a column of numbers, and 3.0 the name "3" in a column of categories. A program does not know
    which cells were ``missing`` in training, only that the cells it tests were not: give ``missing`` again if you gave
    it then and the program tests for missing cells. The target is read if it is there and complete.

    Labels keep their type; those of text files are text. A row without a label is an error, unless
    ``drop_unlabelled`` leaves it out: ``numbers`` of the table are then those of the other rows. Messages number rows
    from 1.
    """
    like = getattr(like, "model_", like)  # a classifier reads like its model
    opened = _open(source, format, told_by(delimiter, decimal, encoding, sheet, header_row, skip))
    formats, dates = formats_of(parts, dates)
    opened = DateParts(opened, formats) if formats else with_known_parts(opened, _parts_of(like))
    plan = plan_of(
        opened,
        target=target,
        features=None if features is None else part_names(_names("features", features) or (), formats),
        numeric=numeric,
        categorical=categorical,
        dates=dates,
        orders=orders,
        missing=missing,
        like=like,
    )
    plan.load(opened)
    tokens = plan.tokens(spelled=opened.spelled)
    if target is not None and like is None and not opened.rows:
        raise ReadError("the table has no rows to learn from")
    for doubt in opened.remarks.doubts:
        warnings.warn(doubt, stacklevel=2)
    columns = tuple(one for one in _columns(opened, plan) if not (formats and _is_idle_hour(one, formats)))
    said = opened.remarks.also(plan.noticed(columns)).said
    known = formats or _parts_of(like)
    table = Table(columns, None, opened.rows, plan.missing, said, parts=known)
    if plan.target is None:
        return table
    cells = opened.cells(plan.target)
    if drop_unlabelled:
        return _labelled(table, plan.target, cells, tokens)
    try:
        return replace(table, target=labels(plan.target, cells, tokens))
    except ReadError:  # some are missing, or of mixed types
        if target is not None:
            raise
        return table  # a batch to predict: its target is yet to be filled in


def formats_of(
    parts: Sequence[str] | None, dates: Mapping[str, str] | Sequence[str] | None
) -> tuple[dict[str, str | None], Mapping[str, str] | Sequence[str] | None]:
    """The columns of dates to replace by their parts, with their formats; and what ``dates=`` says of the others."""
    names = _names("parts", parts) or []
    if dates is None or not names:
        return dict.fromkeys(names), dates
    dates_in(dates)
    given = dates if isinstance(dates, Mapping) else dict.fromkeys(dates)
    return {name: given.get(name) for name in names}, {one: form for one, form in given.items() if one not in names}  # type: ignore[misc]


def _parts_of(like: object) -> Mapping[str, str | None]:
    """The columns of dates that were replaced in the earlier batch."""
    schema = like if isinstance(like, Schema) else getattr(like, "schema", None)
    return schema.parts if isinstance(schema, Schema) else {}


def _is_idle_hour(column: Column, parts: Collection[str]) -> bool:
    """Whether a column is the hour of dates without times of the day."""
    name, _, part = column.name.rpartition(".")
    return part == "hour" and name in parts and not column.numbers.any()


def plan_of(  # noqa: PLR0913 - the parameters of `read_table`
    opened: Source,
    *,
    target: str | None = None,
    features: Sequence[str] | None = None,
    numeric: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    dates: Mapping[str, str] | Sequence[str] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    missing: Sequence[str] = DEFAULT_MISSING,
    like: object = None,
) -> Plan:
    """What to read from a source; parameters as in `read_table`."""
    refuse_twins(opened.names)
    names = dict.fromkeys(opened.names)  # with 40,000 columns, looking names up in a list takes 10 s
    try:
        plan = _plan(names, _like(like), target, _names("features", features), _tokens(missing))
    except UnknownNameError as error:  # the other sheet may have it
        more = f" ({opened.remarks.said})" if "sheet" in opened.remarks.said else ""
        raise UnknownNameError(f"{error}{more}") from None
    plan = replace(plan, filed=opened.filed and plan.missing != EARLIER_MISSING)
    plan = _declare(plan, names, _names("numeric", numeric) or [], _names("categorical", categorical) or [])
    return _declare_notations(plan, names, {**dates_in(dates), **orders_in(orders)})


@dataclass(frozen=True, slots=True)
class Plan:
    """What to read: the features and how they are declared, the target, and the texts that mean a missing cell."""

    features: Mapping[str, Declared]
    target: str | None
    missing: tuple[str, ...]
    given: bool
    """Whether the caller said which texts are missing, so that they are missing in frames too."""
    known: Mapping[str, Column] = field(default_factory=dict)
    """The columns of the earlier batch whose values are known."""
    notations: Mapping[str, Notation] = field(default_factory=dict)
    """How the numbers of some features are written."""
    alike: bool = False
    """Whether an earlier batch says how to read this one."""
    filed: bool = False
    """Whether a file is read, so that texts are missing in typed cells too."""
    parts: Mapping[str, str | None] = field(default_factory=dict)
    """The columns of dates of which there are parts instead."""

    def tokens(self, *, spelled: bool) -> tuple[str, ...]:
        """The texts that mean a missing cell, in a source that is ``spelled`` or not."""
        return self.missing if spelled or self.given or self.filed else ()

    def load(self, opened: Source, texts: Iterable[str] = (), more: Sequence[str] = ()) -> None:
        """Prepare the cells that are to be read; other columns may be wanted as text, and more columns may be."""
        written = [name for name, kind in self.features.items() if kind == "categorical" or self._is_written(name)]
        labelled = [] if self.target is None else [self.target]
        wanted = [*written, *(name for name in texts if name not in written), *labelled]
        opened.load([*self.features, *labelled, *more], wanted, self.tokens(spelled=opened.spelled))

    def column(self, name: str, cells: Cells, *, spelled: bool) -> Column:
        """A column of cells, which now have their meaning."""
        known, tokens = self.known.get(name), self.tokens(spelled=spelled)
        if known is not None and not spelled and not self.given:  # what was a value in training is one
            tokens = tuple(one for one in tokens if missing_among(known.categories, [one]).isdisjoint(known.categories))
        return settle(
            name,
            cells,
            self.features[name],
            tokens,
            spelled=spelled,
            known=known,
            notation=self.notations.get(name),
            alike=self.alike,
        )

    def noticed(self, columns: Iterable[Column]) -> str:
        """What to say about how the cells of columns are written, where nobody has said so before."""
        known = set() if self.alike else {column.name for column in columns if column.name not in self.notations}
        forms = defaultdict[str, list[str]](list)
        for column in columns:
            match column.notation if column.name in known else None:
                case DateNotation(format=str(form)):
                    forms[f"dates in {{}} are read as {form}"].append(column.name)
                case Amounts(unit=unit):
                    forms[f"numbers in {{}} have the unit {unit!r}"].append(column.name)
        return "; ".join(said.replace("{}", _named(names), 1) for said, names in forms.items())

    def _is_written(self, name: str) -> bool:
        """Whether the numbers of a feature are written in a notation of their own, so that its text has to be seen."""
        return (notation := self.notations.get(name)) is not None and not notation.plain


def _named(names: Sequence[str]) -> str:
    """The names of columns; the first few of many."""
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"{', '.join(map(repr, names[:_SHOWN]))}{more}"


def _like(like: object) -> Plan | None:
    """How the earlier batch was read."""
    if like is None:
        return None
    if isinstance(like, Program):
        return _like_program(like)
    schema = like if isinstance(like, Schema) else getattr(like, "schema", None)
    if not isinstance(schema, Schema):
        raise ParameterError(f"like= takes a program, a table or a model, not {type(like).__name__} {like!r:.60}")
    declared: dict[Kind, Declared] = {"text": "categorical", "number": "numeric", "mixed": "numeric"}
    kinds = {name: declared[kind] for name, kind in schema.kinds.items()}
    missing = tuple(schema.missing)
    table = like if isinstance(like, Table) else getattr(like, "domain", Table(()))
    known = {column.name: column for column in table.columns}
    given = missing not in (DEFAULT_MISSING, EARLIER_MISSING)
    return Plan(kinds, schema.target, missing, given, known, schema.notations)


def _like_program(program: Program) -> Plan:
    """What literals say about the features; nothing about one that is only tested for missing cells."""
    kinds: dict[str, Declared] = dict.fromkeys(program.used)
    named: dict[str, set[str]] = defaultdict(set)
    for literal in (literal for rule in program.rules for literal in rule.literals() if literal.value is not None):
        numeric = literal.op in ("<=", ">") or kinds[literal.feature] == "numeric"
        kinds[literal.feature] = "numeric" if numeric else "categorical"
        named[literal.feature].update([literal.value] if isinstance(literal.value, str) else ())
    # A program knows only what it tests. That 0 was False, or 1 d the text P1D, is known to who has seen training.
    known = {
        feature: Column(feature, "mixed", np.empty(0), tuple(sorted(texts)), np.empty(0, np.uint8))
        for feature, texts in named.items()
        if texts and kinds[feature] == "numeric"
    }
    # A cell that the program tests was a value in training. Any other may be missing: literals hold just the same.
    tested = set[str]().union(*named.values())
    missing = tuple(token for token in DEFAULT_MISSING if not tested & missing_among(tested, [token]))
    return Plan(kinds, program.target, missing, given=False, known=known, notations=program.notations)


def _plan(
    names: Mapping[str, object],
    like: Plan | None,
    target: str | None,
    features: list[str] | None,
    missing: tuple[str, ...],
) -> Plan:
    """Which of these columns to read, before ``numeric=`` and ``categorical=``."""
    earlier = like or Plan({}, None, DEFAULT_MISSING, given=False)
    if target is not None:
        target = _known(str(target), names)
    elif earlier.target in names and earlier.target not in (features or ()):
        target = earlier.target
    if features is None:
        features = [name for name in names if name != target] if like is None else list(like.features)
    if target is not None and target in features:
        raise ParameterError(f"{target!r} is the target, so it cannot be among the features")
    given = missing != DEFAULT_MISSING
    if missing is DEFAULT_MISSING:
        missing, given = earlier.missing, earlier.given
    kinds = {_known(name, names): earlier.features.get(name) for name in features}
    return Plan(kinds, target, missing, given, earlier.known, earlier.notations, alike=like is not None)


def _declare(plan: Plan, names: Mapping[str, object], numeric: Sequence[str], categorical: Sequence[str]) -> Plan:
    """Add what the caller declares to the plan; columns that are not read may be declared too."""
    kinds, numbers, texts = dict(plan.features), set(numeric), set(categorical)
    for name in (*numeric, *categorical):
        if _known(name, names) == plan.target:
            raise ParameterError(f"{name!r} is the target: only features are declared numeric or categorical")
        if name in numbers and name in texts:
            raise ParameterError(f"{name!r} is declared both numeric and categorical; leave it in one of them")
        if name in kinds:
            kinds[name] = "numeric" if name in numbers else "categorical"
    return replace(plan, features=kinds)


def dates_in(dates: object) -> dict[str, Notation]:
    """The notations that ``dates=`` declares: formats by column, or columns with dates as in ISO 8601."""
    if dates is None:
        return {}
    if isinstance(dates, Mapping):
        for name, form in dates.items():
            if form is not None and (not isinstance(form, str) or "%" not in form):
                raise ParameterError(
                    f"dates= gives {name!r} the format {form!r}; a format is like '%d.%m.%Y' (day, month, year)"
                )
            if form is not None and form not in _CLOCKS and not re.search("%[-#]?[aAwdbBmyYjUWcxGuV]", form):
                raise ParameterError(
                    f"dates= gives {name!r} the format {form!r}, which has no date; times of the day are like 7:30 or "
                    "7:30:05, and their format is '%H:%M' or '%H:%M:%S'"
                )
        return {
            str(name): TIME if form in _CLOCKS else DateNotation("datetime", 1.0, format=form)
            for name, form in dates.items()
        }
    return dict.fromkeys(_names("dates", dates) or [], DATETIME)  # type: ignore[arg-type]  # it checks


def orders_in(orders: object) -> dict[str, Notation]:
    """The notations that ``orders=`` declares."""
    if orders is None:
        return {}
    if not isinstance(orders, Mapping):
        example = '{"size": ["S", "M", "L"]}'
        raise ParameterError(f"orders= takes columns and their categories, {example}, not {orders!r:.60}")
    found: dict[str, Notation] = {}
    for name, levels in orders.items():
        if isinstance(levels, str) or not isinstance(levels, Iterable):
            raise ParameterError(f"orders= gives {name!r} {levels!r:.60}; it takes a list of categories, least first")
        values = [cell_value(level) for level in levels]
        texts = [number_to_text(value) if isinstance(value, float) else str(value) for value in values]
        refuse_twins(texts, f"orders= of {name!r}", "leave one of them out", what="category")
        if not texts:
            raise ParameterError(f"orders= gives {name!r} no categories; leave it out")
        found[str(name)] = LevelNotation(tuple(texts))
    return found


def _declare_notations(plan: Plan, names: Mapping[str, object], declared: Mapping[str, Notation]) -> Plan:
    """Add how the numbers of some columns are written, as the caller says."""
    kinds = dict(plan.features)
    for name in declared:
        if _known(name, names) == plan.target:
            raise ParameterError(f"{name!r} is the target: only features have dates= or orders=")
        if kinds.get(name) is not None and name not in plan.notations:
            raise ParameterError(f"{name!r} is declared {kinds[name]}, and by dates= or orders= too; leave one out")
    return replace(plan, notations={**plan.notations, **declared})


def _known(name: str, names: Mapping[str, object]) -> str:
    if name not in names:
        hint = separator_hint(list(names))
        raise UnknownNameError(f"no column {name!r}{f'; {hint}' if hint else suggest(name, names)}")
    return name


def _names(parameter: str, names: Iterable[object] | None) -> list[str] | None:
    """The names of columns that a parameter takes, as text."""
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ParameterError(f"{parameter}= takes a list of column names, not {names!r}; write [{names!r}]")
    found = [str(name) for name in names]
    refuse_twins(found, f"{parameter}=", "leave one of them out")
    return found


def _tokens(missing: object) -> tuple[str, ...]:
    """The texts that mean a missing cell; the default object itself if it is not replaced."""
    if missing is DEFAULT_MISSING:
        return DEFAULT_MISSING
    if isinstance(missing, str) or not isinstance(missing, Iterable):
        raise ParameterError(f"missing= takes a list of cells, not {missing!r}; write [{missing!r}]")
    tokens = tuple(missing)
    if wrong := [token for token in tokens if not isinstance(token, str)]:
        raise ParameterError(f"missing= takes cells as text, not {wrong[0]!r}; write {str(wrong[0])!r}")
    return tokens


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
    """The names of a table's columns, read from as little of the file as possible; parameters as in `read_table`.

    For JSON lines they are the names in the first thousand lines, for a folder those of its first part.
    """
    told = told_by(delimiter, decimal, encoding, sheet, header_row, skip)
    if isinstance(source, (str, os.PathLike)):
        return names_of(Path(os.fspath(source)), format, told)
    return list(_open(source, format, told).names)


def _open(source: object, form: str | None, told: Told) -> Source:
    if isinstance(source, (str, os.PathLike)):
        return open_path(Path(os.fspath(source)), form, told)
    if (data := _bytes_of(source)) is not None:
        if form is None:
            raise ParameterError(f"the format of bytes is unknown; give format= one of {', '.join(map(repr, FORMATS))}")
        return open_bytes(data, form, told)
    if form is not None:
        raise ParameterError(f"format={form!r} is for files and bytes, not for {type(source).__name__}; leave it out")
    if told.names:
        raise ParameterError(f"{told.names[0]}= is for files and bytes, not for {type(source).__name__}; leave it out")
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
    """The bytes of an open file, or the bytes themselves; None if it is neither."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    if not callable(read := getattr(source, "read", None)):
        return None
    if not isinstance(data := read(), bytes):
        raise ParameterError("the file is open in text mode; open it in binary mode: open(path, 'rb')")
    return data


def _columns(opened: Source, plan: Plan) -> tuple[Column, ...]:
    def column(name: str) -> Column:
        return plan.column(name, opened.cells(name), spelled=opened.spelled)

    threads = min(_THREADS, available_cores())
    if threads == 1 or opened.rows * len(plan.features) < _CELLS_FOR_THREADS:
        return tuple(map(column, plan.features))
    with ThreadPoolExecutor(threads) as pool:
        return tuple(pool.map(column, plan.features))


def _labelled(table: Table, target: str, cells: Cells, tokens: Sequence[str]) -> Table:
    """The rows of a table that have a label, with their labels."""
    present, rows = with_labels(cells, tokens)
    if not rows.any():
        raise ReadError(f"no row has a label in {target!r}; there is nothing to learn from")
    numbers = None if rows.all() else np.flatnonzero(rows) + 1
    return replace(table[rows], target=labels(target, present, ()), numbers=numbers)


def with_known_labels(table: Table, labelled: Table) -> Table:
    """The records of a table that have a label, by a table that was read with ``drop_unlabelled``."""
    rows = slice(None) if labelled.numbers is None else labelled.numbers - 1
    return replace(table[rows], target=labelled.target, numbers=labelled.numbers)
