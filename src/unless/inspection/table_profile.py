"""The profile of a whole table: its header, each column, what they say together, and what columns or rows repeat."""

from __future__ import annotations

import os
import re
import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import GuessWarning, ParameterError
from unless.inspection.column_profile import count_missing_spellings, find_identifiers, profile_column
from unless.inspection.findings import Profile, Remark
from unless.inspection.target_profile import find_giveaways, guess_target, labels_as_texts, profile_target, text_column
from unless.read.csv_files import TextFile
from unless.read.csv_records import separator_hint
from unless.read.formats import files_at, format_of, is_several
from unless.read.table import read_table
from unless.table import Column, Table
from unless.values import DEFAULT_MISSING, number_to_text, parse_number, percent

_FEW = 50  # records
_CHANCE = 20  # records: with fewer, columns go together by chance
_AGAIN = re.compile(r"_[0-9]+$")  # what follows a name that an earlier column has
_ODD = np.uint64(0x9E3779B97F4A7C15)


def profile_table(  # noqa: PLR0913 - as in read_table
    source: object,
    target: str | None = None,
    *,
    labels: Column | None = None,
    numeric: Sequence[str] = (),
    categorical: Sequence[str] = (),
    dates: Mapping[str, str] | Sequence[str] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    missing: Sequence[str] = DEFAULT_MISSING,
    format: str | None = None,  # noqa: A002 - as in read_table
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    header_row: int | None = None,
    skip: int | None = None,
) -> Profile:
    """What a table looks like; `source` is a `Table`, or anything that `read_table` takes, with the same options.

    For a text file it also tells how missing cells are written. Labels may be
    missing; they are counted. ``labels`` are those of the records if they are not a column of the source: a column of
    texts.
    """
    if isinstance(source, Table):
        return _of_table(source, target, labels)
    # The target is read as categories, because those may be missing; labels may not.
    as_text = list(dict.fromkeys([*categorical, *([] if target is None else [target])]))
    how: dict[str, Any] = {"format": format, "delimiter": delimiter, "decimal": decimal}
    how |= {"encoding": encoding, "sheet": sheet, "header_row": header_row, "skip": skip}
    declared_as: dict[str, Any] = {"numeric": numeric, "categorical": as_text, "dates": dates, "orders": orders}
    table = read_table(source, **declared_as, missing=missing, **how)
    features = tuple(column for column in table.columns if column.name != target)
    spelled = _is_text_file(source, format)
    tokens: dict[str, tuple[tuple[str, int], ...]] = {}
    if spelled and (incomplete := [one.name for one in features if (one.codes == one.missing).any()]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GuessWarning)  # it was said above
            cells = read_table(source, features=incomplete, categorical=incomplete, missing=(), **how)
        tokens = {column.name: count_missing_spellings(column, table.missing) for column in cells.columns}
    declared = dict.fromkeys(numeric, "numeric") | dict.fromkeys(categorical, "categorical")
    declared |= dict.fromkeys(dates or (), "as dates") | dict.fromkeys(orders or (), "with an order")
    labels = labels if target is None else table.column(target)
    found = _profile(features, labels, len(table), declared, tokens, spelled=spelled)
    header = _check_header(table.features) if spelled else []
    return replace(found, read_as=table.read_as, remarks=(*header, *found.remarks))


def _of_table(table: Table, target: str | None, labels: Column | None) -> Profile:
    """The profile of a table; its own target is the target, unless another column is named or given."""
    if labels is not None:
        return _profile(table.columns, labels, len(table))
    if table.target is not None and target in (None, table.target.name):
        return _profile(table.columns, labels_as_texts(table.target), len(table))
    if target is None:
        return _profile(table.columns, None, len(table))
    column = table.column(target)
    names = [*map(number_to_text, column.numbers.tolist()), *column.categories]
    others = tuple(other for other in table.columns if other is not column)
    return _profile(others, text_column(target, names, column.codes), len(table))


def _profile(
    features: Sequence[Column],
    labels: Column | None,
    records: int,
    declared: Mapping[str, str] = MappingProxyType({}),
    tokens: Mapping[str, tuple[tuple[str, int], ...]] = MappingProxyType({}),
    *,
    spelled: bool = False,
) -> Profile:
    if labels is not None and len(labels) != records:
        raise ParameterError(f"X has {records:,} records, but y has {len(labels):,} labels")
    identifiers = {remark.column for remark in find_identifiers(features)}
    described = [column for column in features if column.name not in identifiers]
    more: dict[str | None, list[Remark]] = defaultdict(list)
    for remark in (*find_copies(features), *(() if labels is None else find_giveaways(features, labels))):
        more[remark.column].append(remark)
    profiles = (
        profile_column(one, declared=declared.get(one.name), spelled=spelled, tokens=tokens.get(one.name, ()))
        for one in features
    )
    return Profile(
        records,
        tuple(replace(one, remarks=(*one.remarks, *more[one.name])) for one in profiles),
        None if labels is None else profile_target(labels),
        guess_target(features) if labels is None else None,
        tuple(find_repetitions(described, labels, records)),
    )


def _is_text_file(source: object, form: str | None) -> bool:
    """Whether a source is a text file, so that its cells have a spelling."""
    if isinstance(source, (str, os.PathLike)):
        found = files_at(source, form)[0] if is_several(source) else format_of(source, form)
        return found.name in ("csv", "tsv")
    return isinstance(source, TextFile) or form in ("csv", "tsv")


def _check_header(names: Sequence[str]) -> list[Remark]:
    """Whether the only name looks like several, or most names are numbers, as in a file without a header."""
    if (hint := separator_hint(names)) is not None:
        return [Remark("separator", None, f"There is one column, {names[0]!r}: {hint}")]
    numbers = [name for name in names if parse_number(_AGAIN.sub("", name)) is not None]
    if 2 * len(numbers) <= len(names):
        return []
    most = f"{len(numbers):,} of {len(names):,} columns have numbers for names, such as {numbers[0]!r}"
    return [Remark("no-header", None, f"{most}: the first line may be a record")]


# What a table says twice: copies of columns, duplicate records, records that contradict each other.


def find_copies(columns: Sequence[Column]) -> list[Remark]:
    """Columns that say the same as an earlier one: equal cells, or each value always beside the same other value.

    With few records the second may be chance, and only equal cells count. Where most cells differ, any two columns go
    together like that; then the values must be in the same order too.
    """
    by_shape: dict[bytes, list[Column]] = defaultdict(list)
    for column in columns:
        counts = column.counts()
        if np.count_nonzero(counts) > 1:
            by_shape[np.sort(counts[counts > 0]).tobytes()].append(column)
    found: list[Remark] = []
    for shape, group in by_shape.items():
        first: dict[int, Column] = {}
        for column in group if len(group) > 1 else ():
            twin = first.setdefault(_hash_pattern(column, len(shape) // 8), column)
            same = np.array_equal(_all_values(twin), _all_values(column)) and np.array_equal(twin.codes, column.codes)
            if twin is not column and (same or len(column) >= _CHANCE):
                text = "is a copy of" if same else "always goes together with"
                found.append(Remark("copy", column.name, f"{text} {twin.name!r}", twin.name))
    return found


def _hash_pattern(column: Column, distinct: int) -> int:
    """A number that two columns share if the same records have equal cells in both."""
    rows, ranks = len(column), column.missing + 1
    codes = column.codes.astype(np.intp)
    if 2 * distinct > rows:
        _, codes = np.unique(codes, return_inverse=True)  # the order counts
    else:
        first = np.full(ranks, rows, dtype=np.intp)
        first[codes[::-1]] = np.arange(rows - 1, -1, -1)  # the last assignment to a code stays
        order = np.empty(ranks, dtype=np.intp)
        order[np.argsort(first, kind="stable")] = np.arange(ranks)
        codes = order[codes]
    return hash(codes.astype(np.uint32).tobytes())


def _all_values(column: Column) -> NDArray[np.object_]:
    return np.array([*column.numbers.tolist(), *column.categories], dtype=object)


def find_repetitions(columns: Sequence[Column], target: Column | None, rows: int) -> list[Remark]:
    """Remarks on too few records, on duplicates, and on contradictions: the same cells, another label.

    Leave identifiers out of the columns: with them no two records are the same.
    """
    found: list[Remark] = []
    if rows < _FEW:
        few = "is only 1 record" if rows == 1 else f"are only {rows} records" if rows else "are no records"
        found.append(Remark("few-records", None, f"There {few}"))
    if not columns or not rows:
        return found
    cells = _hash_rows(columns, np.zeros(rows, dtype=np.uint64))
    again = rows - len(np.unique(cells if target is None else _hash_rows([target], cells)))
    if again:
        share, verb = percent(again / rows, 1), "repeats" if again == 1 else "repeat"
        found.append(Remark("duplicates", None, f"{again:,} of {rows:,} records ({share}) {verb} an earlier one"))
    return found if target is None else found + _find_contradictions(cells, target)


def _find_contradictions(cells: NDArray[np.uint64], target: Column) -> list[Remark]:
    """How many records have the same cells as one with another label, and how many any rules get wrong for that."""
    labelled = target.codes != target.missing
    _, group = np.unique(cells[labelled], return_inverse=True)
    pairs, counts = np.unique(group * (target.missing + 1) + target.codes[labelled], return_counts=True)
    groups = pairs // (target.missing + 1)
    if not len(groups) or len(groups) == groups[-1] + 1:
        return []
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes, most = np.add.reduceat(counts, starts), np.maximum.reduceat(counts, starts)
    records, wrong = int(sizes[sizes > most].sum()), int((sizes - most).sum())
    text = f"{records:,} records have the same cells as a record with another label"
    text = f"{text}: any rules are wrong for at least {wrong:,} of {int(counts.sum()):,}"
    return [Remark("contradictions", None, text)]


def _hash_rows(columns: Sequence[Column], start: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of every row; in a million different rows two are equal once in 3e7 tables."""
    mixed = start.copy()
    for column in columns:
        mixed ^= column.codes.astype(np.uint64) + np.uint64(1)
        mixed *= _ODD
        mixed ^= mixed >> np.uint64(32)
    return mixed
