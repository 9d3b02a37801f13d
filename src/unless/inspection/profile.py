"""The profile of a whole table: its header, each column, and what columns and rows say together."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from unless.inspection.column import Raw, column_profile, identifiers, needs_raw, raw_of
from unless.inspection.duplicates import copies, repetitions
from unless.inspection.remarks import Profile, Remark
from unless.inspection.target import giveaways, likely_target, target_profile
from unless.read.formats import format_of, parts_of
from unless.read.table import read_table
from unless.read.text import TextFile, separator_hint
from unless.table import Codes, Column, Table
from unless.values import DEFAULT_MISSING, number_in, spell


def profile(
    source: object,
    target: str | None = None,
    *,
    numeric: Sequence[str] = (),
    categorical: Sequence[str] = (),
    missing: Sequence[str] = DEFAULT_MISSING,
    format: str | None = None,  # noqa: A002 - as in read_table
) -> Profile:
    """What a table looks like; `source` is a `Table`, or anything that `read_table` takes, with the same options.

    For a text file it also tells how missing cells are written, and which numbers have leading zeros. Labels may be
    missing; they are counted.
    """
    if isinstance(source, Table):
        return _of_table(source, target)
    # The target is read as categories, because those may be missing; labels may not.
    as_text = list(dict.fromkeys([*categorical, *([] if target is None else [target])]))
    table = read_table(source, numeric=numeric, categorical=as_text, missing=missing, format=format)
    features = tuple(column for column in table.columns if column.name != target)
    spelled = _spelled(source, format)
    raw: Mapping[str, Raw] = {}
    if spelled and (looked := [column.name for column in features if needs_raw(column)]):
        cells = read_table(source, features=looked, categorical=looked, missing=(), format=format)
        raw = {column.name: raw_of(column, table.missing) for column in cells.columns}
    declared = dict.fromkeys(numeric, "numeric") | dict.fromkeys(categorical, "categorical")
    labels = None if target is None else table.column(target)
    found = _profile(features, labels, len(table), declared, raw, spelled=spelled)
    return replace(found, remarks=(*_on_header(table.features), *found.remarks)) if spelled else found


def _of_table(table: Table, target: str | None) -> Profile:
    """The profile of a table; its own target is the target, unless another column is named."""
    if table.target is not None and target in (None, table.target.name):
        names = [spell(label) if isinstance(label, float) else str(label) for label in table.target.labels]
        return _profile(table.columns, _texts(table.target.name, names, table.target.codes), len(table))
    if target is None:
        return _profile(table.columns, None, len(table))
    column = table.column(target)
    names = [*map(spell, column.numbers.tolist()), *column.categories]
    others = tuple(other for other in table.columns if other is not column)
    return _profile(others, _texts(target, names, column.codes), len(table))


def _texts(name: str, texts: Sequence[str], codes: Codes) -> Column:
    """A column of categories, given the text of every code, in any order; the code after them means missing."""
    known = sorted(set(texts))
    place = np.array([*(bisect_left(known, text) for text in texts), len(known)])
    return Column(name, "text", np.empty(0), tuple(known), place[codes])


def _profile(
    features: Sequence[Column],
    labels: Column | None,
    records: int,
    declared: Mapping[str, str] | None = None,
    raw: Mapping[str, Raw] | None = None,
    *,
    spelled: bool = False,
) -> Profile:
    declared, raw = declared or {}, raw or {}
    told_apart = {remark.column for remark in identifiers(Table(tuple(features), rows=records))}
    described = [column for column in features if column.name not in told_apart]
    more: dict[str | None, list[Remark]] = defaultdict(list)
    for remark in (*copies(features), *(giveaways(features, labels) if labels is not None else ())):
        more[remark.column].append(remark)
    profiles = (
        column_profile(column, declared=declared.get(column.name), spelled=spelled, raw=raw.get(column.name))
        for column in features
    )
    return Profile(
        records,
        tuple(replace(one, remarks=(*one.remarks, *more[one.name])) for one in profiles),
        target_profile(labels) if labels is not None else None,
        likely_target(features) if labels is None else None,
        tuple(repetitions(described, labels, records)),
    )


def _spelled(source: object, form: str | None) -> bool:
    """Whether a source is a text file, so that its cells have a spelling."""
    if isinstance(source, (str, os.PathLike)):
        found = parts_of(source, form)[0] if Path(source).is_dir() else format_of(source, form)
        return found.name in ("csv", "tsv")
    return isinstance(source, TextFile) or form in ("csv", "tsv")


def _on_header(names: Sequence[str]) -> list[Remark]:
    """Whether the only name looks like several, or most names are numbers, as in a file without a header."""
    if (hint := separator_hint(names)) is not None:
        return [Remark("separator", None, f"There is one column, {names[0]!r}: {hint}")]
    numbers = [name for name in names if number_in(name) is not None]
    if 2 * len(numbers) <= len(names):
        return []
    most = f"{len(numbers):,} of {len(names):,} columns have numbers for names, such as {numbers[0]!r}"
    return [Remark("no-header", None, f"{most}: the first line may be a record")]
