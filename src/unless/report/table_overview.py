"""Show a table before learning: its labels, columns with small histograms, and suspicious findings.

`TableReport` is a profile that renders as text when printed and as HTML in a notebook. The command prints the same rows
in colour.
"""

# ruff: noqa: N803 - scikit-learn calls it X
from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any

import numpy as np

from unless.errors import ParameterError
from unless.explanation.proof_rendering import has_jinja2, render_template
from unless.explanation.text_table import align_columns
from unless.explanation.words import DEFAULT, is_notated, number_text
from unless.inspection import ColumnProfile, Profile, TargetProfile, profile_table
from unless.read.options import ReadOptions
from unless.read.table import read_table
from unless.report.finding_text import RemarkLine, list_names, remark_lines, shorten
from unless.table import Column, Table
from unless.values import DEFAULT_MISSING, count_text, percent
from unless.values.notation import NotatedNumber

_MANY = 40  # columns; a wider table lists only columns with remarks
_CLASSES = 12  # the maximum number of labels listed
_BAR = 24  # letters of the longest bar
_BLOCKS = " ▁▂▃▄▅▆▇█"


def inspect(
    X: Any,
    y: Any = None,
    *,
    numeric: Sequence[str] = (),
    categorical: Sequence[str] = (),
    missing: Sequence[str] = DEFAULT_MISSING,
    special: Mapping[str, Mapping[float, str]] | None = None,
    format: str | None = None,  # noqa: A002 - as in read_table
) -> TableReport:
    """Describe a table and its suspicious findings, as ``unless inspect`` does in a terminal.

    Parameters
    ----------
    X
        Anything that `read_table` accepts (a frame, a file, a list of dicts, an array), or a `Table`.
    y
        The labels, or the name of the label column. Some labels may be missing. A table with a target needs no y.
    numeric, categorical, missing, special, format
        As in `read_table`.

    Returns
    -------
    TableReport
        Renders as text when printed, and as a table with small histograms in a notebook. ``columns``, ``target`` and
        ``remarks`` contain the same as values; ``to_dict()`` is for JSON.

    Examples
    --------
    >>> import unless
    >>> records = [{"customer": f"c{k}", "age": 20 + k % 40} for k in range(100)]
    >>> found = unless.inspect(records, ["early" if record["age"] < 30 else "late" for record in records])
    >>> [(column.name, remark.code) for column in found.columns for remark in column.remarks]
    [('customer', 'unique'), ('age', 'gives-away')]
    """
    if isinstance(X, Table) and (numeric or categorical or special):
        raise ParameterError(
            "the columns of a Table already have their kinds: pass numeric, categorical and special to read_table"
        )
    options = ReadOptions(format, missing=missing, numeric=numeric, categorical=categorical, special=special)  # type: ignore[arg-type]
    target, labels = (y, None) if y is None or isinstance(y, str) else (None, _to_label_column(y))
    found = profile_table(X, target, options, labels=labels)
    return TableReport(**{field.name: getattr(found, field.name) for field in fields(found)})


def _to_label_column(y: Any) -> Column:
    """Convert labels of any library to a column of texts."""
    cells = y.tolist() if hasattr(y, "tolist") else y.to_list() if hasattr(y, "to_list") else list(y)
    array = np.empty((len(cells), 1), dtype=object)
    array[:, 0] = cells
    (column,) = read_table(array, categorical=["x0"]).columns
    name = getattr(y, "name", None)
    return replace(column, name=name if isinstance(name, str) and name else "label")


class TableReport(Profile):
    """A profile that renders as text when printed, and as a table with small histograms in a notebook."""

    __slots__ = ()

    @property
    def lines(self) -> list[RemarkLine]:
        """The remarks as lines, with advice."""
        return list(remark_lines(self.all_remarks, missing=missing_tokens(self)))

    def __str__(self) -> str:
        parts = [[size_text(self)], _label_lines(self.target) if self.target else [], _column_lines(self)]
        parts += [align_columns(kind_reasons(self)), [f"! {line}" for line in self.lines]]
        return "\n\n".join("\n".join(lines) for lines in parts if lines)

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        if not has_jinja2():
            return None
        return render_template(
            "overview.html.j2",
            package="unless.report",
            heading=size_text(self),
            target=self.target,
            classes=label_rows(self.target) if self.target else (),
            more=more_labels_text(self.target) if self.target else None,
            rows=[column_row(column) for column in shown_columns(self)],
            hidden=hidden_columns_text(self),
            reasons=kind_reasons(self),
            lines=self.lines,
        )


def missing_tokens(found: Profile) -> list[str]:
    """Return the distinct texts that mean "missing" in a file."""
    return list(dict.fromkeys(cell for column in found.columns for cell, _ in column.tokens))


def size_text(found: Profile) -> str:
    """Return the size of a table as text."""
    columns = len(found.columns) + (found.target is not None)
    return f"{count_text(found.records, 'record')}, {count_text(columns, 'column')}"


# Labels.


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A label, its number of records, their share, and the ratio to the most frequent label."""

    label: str
    records: int
    share: str
    height: float

    @property
    def bar(self) -> str:
        """The bar as block characters."""
        return "█" * max(round(_BAR * self.height), 1)


def label_rows(target: TargetProfile) -> list[LabelRow]:
    """Return a row for each of the most frequent labels."""
    total = sum(count for _, count in target.classes)
    return [
        LabelRow(shorten(label), count, percent(count / total, 1), count / target.classes[0][1])
        for label, count in target.classes[:_CLASSES]
    ]


def more_labels_text(target: TargetProfile) -> str | None:
    """Write how many labels are not listed; None if all are listed."""
    rest = target.classes[_CLASSES:]
    records = count_text(sum(count for _, count in rest), "record")
    return f"and {count_text(len(rest), 'more label')} with {records}" if rest else None


def label_count_text(target: TargetProfile) -> str:
    """Write how many labels there are."""
    return count_text(len(target.classes), "label")


def _label_lines(target: TargetProfile) -> list[str]:
    """Return lines with the number of records of each label and bars."""
    rows = align_columns([(row.label, f"{row.records:,}", row.share, row.bar) for row in label_rows(target)], (1, 2))
    rest = [more] if (more := more_labels_text(target)) else []
    return [f"{shorten(target.name)}  {label_count_text(target)}", *(f"  {row}" for row in (*rows, *rest))]


# Columns.


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a small chart: its height, from 0 to 1, and its title."""

    height: float
    title: str


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """A column in words, with a small chart: a histogram of its numbers, or the shares of its frequent values."""

    marked: bool
    name: str
    kind: str
    distinct: str
    missing: str
    bars: tuple[Bar, ...]
    values: str

    @property
    def picture(self) -> str:
        """The bars as block characters; a bar above zero is always visible."""
        return "".join(_BLOCKS[max(round(8 * bar.height), 1) if bar.height else 0] for bar in self.bars)


TITLES = ("feature", "kind", "distinct", "missing", "", "values")
"""The titles of the fields of `ColumnRow`, from ``name`` on."""


def shown_columns(found: Profile, *, everything: bool = False) -> Sequence[ColumnProfile]:
    """Return the columns to list; for a wide table only columns with remarks, unless everything is requested."""
    if everything or len(found.columns) <= _MANY:
        return found.columns
    return [column for column in found.columns if column.remarks]


def hidden_columns_text(found: Profile, *, everything: bool = False) -> str | None:
    """Summarise the columns of a wide table that is not listed in full; None if all columns are listed."""
    listed = len(shown_columns(found, everything=everything))
    if listed == len(found.columns):
        return None
    kinds = Counter(column.kind for column in found.columns)
    said = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items(), key=lambda one: -one[1]))
    few = {0: "none has remarks, so none is", 1: "1 has remarks and is"}
    some = few.get(listed, f"{listed:,} have remarks and are")
    return f"{len(found.columns):,} features: {said}; {some} listed"


def column_row(column: ColumnProfile) -> ColumnRow:
    """Return the row of a column."""
    bars, distinct = tuple(_histogram_bars(column) if column.histogram else _share_bars(column)), f"{column.distinct:,}"
    name, missing, values = shorten(column.name), _missing_cells(column), _values(column)
    return ColumnRow(bool(column.remarks), name, column.kind, distinct, missing, bars, values)


def _histogram_bars(column: ColumnProfile) -> Iterator[Bar]:
    most, bins = max(column.histogram), len(column.histogram)
    low, high = column.low or 0.0, column.high or 0.0
    for place, count in enumerate(column.histogram):
        said = count_text(count, "record")
        if high - low == bins - 1:  # few whole numbers: a bar for each
            said = f"{_range_end_text(low, low + place)}: {said}"
        elif isfinite(high - low):
            ends = (low + (high - low) * one / bins for one in (place, place + 1))
            said = f"{' … '.join(_range_end_text(low, end) for end in ends)}: {said}"
        yield Bar(count / most, said)


def _range_end_text(low: float, number: float) -> str:
    """Write a rounded number in the notation of the nearby end of the range."""
    if is_notated(low):
        return str(NotatedNumber(number, low.notation))  # type: ignore[attr-defined]  # it has one
    return number_text(float(f"{number:.3g}") if number % 1 else number)


def _share_bars(column: ColumnProfile) -> Iterator[Bar]:
    for value, count in column.frequent:
        name = shorten(value) if isinstance(value, str) else DEFAULT.value(column.name, value)
        yield Bar(count / column.present, f"{name}: {count_text(count, 'record')}")


def _missing_cells(column: ColumnProfile) -> str:
    """Write how many cells are missing, and their spellings: "17 ?", "20 (? 17, empty 3)"."""
    if not column.missing:
        return "–"
    names = [shorten(cell) if cell.strip() else "empty" if not cell else "blank" for cell, _ in column.tokens]
    if len(names) < 2:
        return " ".join([f"{column.missing:,}", *names])
    each = (f"{name} {count:,}" for name, (_, count) in zip(names, column.tokens, strict=True))
    return f"{column.missing:,} ({', '.join(each)})"


def _values(column: ColumnProfile) -> str:
    """Describe the values of a column: its range or its most frequent texts."""
    parts = []
    if column.low is not None and column.high is not None:
        ends = [(column.name, end if end.is_integer() else float(f"{end:.6g}")) for end in (column.low, column.high)]
        words = DEFAULT.for_values(ends)
        low, high = (words.value(*end) for end in ends)
        parts.append(low if column.low == column.high else f"{low} … {high}")
    texts = [(value, count) for value, count in column.frequent if isinstance(value, str)]
    if texts:
        unique = column.distinct == column.present
        shown = [shorten(value) + ("" if unique else f" {count:,}×") for value, count in texts]
        more = ["…"] if column.low is None and column.distinct > len(texts) else []
        parts.append(", ".join(shown + more))
    return "; ".join(parts)


def kind_reasons(found: Profile) -> list[tuple[str, str]]:
    """Return the kinds of columns and their reasons; columns with the same reason are listed together."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for column in found.columns:
        groups[column.kind, column.why].append(column.name)
    ordered = sorted(groups.items(), key=lambda entry: -len(entry[1]))
    return [(kind, f"{why}: {list_names(names)}") for (kind, why), names in ordered]


def _column_lines(found: Profile) -> list[str]:
    rows = map(column_row, shown_columns(found, everything=True))
    cells = [
        (("! " if row.marked else "  ") + row.name, row.kind, row.distinct, row.missing, row.picture, row.values)
        for row in rows
    ]
    return align_columns([(f"  {TITLES[0]}", *TITLES[1:]), *cells], right=(2,))
