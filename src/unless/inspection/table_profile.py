"""Profile a whole table: its header, each column, leaks of the label, copies of columns, duplicate rows."""

from __future__ import annotations

import os
import re
import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from unless.errors import GuessWarning, ParameterError
from unless.inspection.cell_counts import CellCounts
from unless.inspection.column_profile import check_identifier, count_missing_spellings, profile_column
from unless.inspection.findings import ColumnProfile, Profile, Remark
from unless.inspection.split_findings import find_kind_splits
from unless.inspection.target_profile import (
    find_giveaways,
    guess_target,
    labels_as_texts,
    profile_target,
    tell_codes_apart,
    text_column,
)
from unless.read.csv_files import TextFile
from unless.read.csv_records import separator_hint
from unless.read.formats import files_at, format_of, is_several
from unless.read.options import PLAIN_OPTIONS, ReadOptions
from unless.read.table import read_with
from unless.table import Column, Table
from unless.values import number_to_text, parse_number, percent

_FEW = 50  # records
_CHANCE = 20  # records: with fewer, columns can go together by chance
_AGAIN = re.compile(r"_[0-9]+$")  # the suffix that distinguishes repeated names
_ODD = np.uint64(0x9E3779B97F4A7C15)


def profile_table(
    source: object, target: str | None = None, options: ReadOptions = PLAIN_OPTIONS, *, labels: Column | None = None
) -> Profile:
    """Profile a table; `source` is a `Table`, or anything that `read_table` takes.

    For a text file, the profile includes the spellings of missing cells. Labels may be missing; missing labels are
    counted. ``labels`` is a column of texts with the labels, if they are not a column of the source.
    """
    if isinstance(source, Table):
        return _profile_read_table(source, target, labels)
    # The target is read as categories, because categories may be missing; labels may not.
    as_text = list(dict.fromkeys([*(options.categorical or ()), *([] if target is None else [target])]))
    table = read_with(source, replace(options, categorical=as_text))
    features = tuple(column for column in table.columns if column.name != target)
    spelled = _is_text_file(source, options.format)
    tokens: dict[str, tuple[tuple[str, int], ...]] = {}
    if spelled and (incomplete := [one.name for one in features if (one.codes == one.missing).any()]):
        as_cells = ReadOptions(**options.file_options, categorical=incomplete, missing=())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GuessWarning)  # it was said above
            cells = read_with(source, as_cells, features=incomplete)
        tokens = {column.name: count_missing_spellings(column, table.missing) for column in cells.columns}
    labels = labels if target is None else table.column(target)
    found = _profile_columns(features, labels, len(table), _declared_kinds(options), tokens, spelled=spelled)
    header = _check_header(table.features) if spelled else []
    return replace(found, read_as=table.read_as, remarks=(*header, *found.remarks))


def _declared_kinds(options: ReadOptions) -> dict[str, str]:
    """Return a description of the kind of each column that the caller declared."""
    words = {"numeric": "numeric", "categorical": "categorical", "dates": "as dates", "orders": "with an order"}
    words |= {"special": "with special codes"}
    return {name: kind for option, kind in words.items() for name in getattr(options, option) or ()}


def _profile_read_table(table: Table, target: str | None, labels: Column | None) -> Profile:
    """Profile a table that was read; its target is used unless another column is named or given."""
    if labels is not None:
        return _profile_columns(table.columns, labels, len(table))
    if table.target is not None and target in (None, table.target.name):
        return _profile_columns(table.columns, labels_as_texts(table.target), len(table))
    if target is None:
        return _profile_columns(table.columns, None, len(table))
    column = table.column(target)
    names = [*map(number_to_text, column.numbers.tolist()), *column.categories]
    others = tuple(other for other in table.columns if other is not column)
    return _profile_columns(others, text_column(target, names, column.codes), len(table))


def _profile_columns(
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
    described = [column for column in features if check_identifier(CellCounts.of(column)) is None]
    more: dict[str | None, list[Remark]] = defaultdict(list)
    for remark in (*find_copies(features), *_find_by_labels(features, labels)):
        more[remark.column].append(remark)
    profiles = (
        profile_column(one, declared=declared.get(one.name), spelled=spelled, tokens=tokens.get(one.name, ()))
        for one in features
    )
    return Profile(
        records,
        tuple(
            _with_remarks(one, column, labels, more[one.name]) for one, column in zip(profiles, features, strict=True)
        ),
        None if labels is None else profile_target(labels),
        guess_target(features) if labels is None else None,
        tuple(find_repetitions(described, labels, records)),
    )


def _find_by_labels(features: Sequence[Column], labels: Column | None) -> list[Remark]:
    """Find features that give labels away, and columns that make a random split too easy."""
    return [] if labels is None else [*find_giveaways(features, labels), *find_kind_splits(features, labels)]


def _with_remarks(
    profile: ColumnProfile, column: Column, labels: Column | None, more: Sequence[Remark]
) -> ColumnProfile:
    """Add remarks to those of a column; remarks about codes depend on the labels."""
    own = profile.remarks
    if labels is not None:
        own = tuple(tell_codes_apart(remark, column, labels) for remark in own)
    return replace(profile, remarks=(*own, *more))


def _is_text_file(source: object, form: str | None) -> bool:
    """Return whether a source is a text file, so that its cells have spellings."""
    if isinstance(source, (str, os.PathLike)):
        found = files_at(source, form)[0] if is_several(source) else format_of(source, form)
        return found.name in ("csv", "tsv")
    return isinstance(source, TextFile) or form in ("csv", "tsv")


def _check_header(names: Sequence[str]) -> list[Remark]:
    """Check whether the only name looks like several names, or most names are numbers, as without a header."""
    if (hint := separator_hint(names)) is not None:
        return [Remark("separator", None, f"There is one column, {names[0]!r}: {hint}")]
    numbers = [name for name in names if parse_number(_AGAIN.sub("", name)) is not None]
    if 2 * len(numbers) <= len(names):
        return []
    most = f"{len(numbers):,} of {len(names):,} columns have numbers for names, such as {numbers[0]!r}"
    return [Remark("no-header", None, f"{most}: the first line may be a record")]


# Copies of columns, duplicate records, records that contradict each other.


def find_copies(columns: Sequence[Column]) -> list[Remark]:
    """Find columns that repeat an earlier column: equal cells, or values that map one to one.

    With few records a one-to-one map may be chance, so only equal cells count. Where most cells differ, any two columns
    map one to one; then the values must also be in the same order.
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
    """Hash the pattern of equal cells in a column, so that columns with the same pattern have the same hash."""
    rows, ranks = len(column), column.missing + 1
    codes = column.codes.astype(np.intp)
    if 2 * distinct > rows:
        _, codes = np.unique(codes, return_inverse=True)  # the hash depends on the order
    else:
        first = np.full(ranks, rows, dtype=np.intp)
        first[codes[::-1]] = np.arange(rows - 1, -1, -1)  # the last assignment to a code is the one that remains
        order = np.empty(ranks, dtype=np.intp)
        order[np.argsort(first, kind="stable")] = np.arange(ranks)
        codes = order[codes]
    return hash(codes.astype(np.uint32).tobytes())


def _all_values(column: Column) -> NDArray[np.object_]:
    return np.array([*column.numbers.tolist(), *column.categories], dtype=object)


def find_repetitions(columns: Sequence[Column], target: Column | None, rows: int) -> list[Remark]:
    """Find too few records, duplicates, and contradictions: records with the same cells but another label.

    The columns must not include identifiers, with which no two records are the same.
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
    """Count the records with equal cells but different labels, and the fewest of them that any rules get wrong."""
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
    """Hash every row; among a million distinct rows, two hashes are equal once in 3e7 tables."""
    mixed = start.copy()
    for column in columns:
        mixed ^= column.codes.astype(np.uint64) + np.uint64(1)
        mixed *= _ODD
        mixed ^= mixed >> np.uint64(32)
    return mixed
