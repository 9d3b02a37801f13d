"""Profile one column: its kind and the reason, its values, suspicious findings, and whether it is an identifier."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from unless.inspection.cell_counts import SOME, CellCounts
from unless.inspection.findings import Code, ColumnProfile, Remark
from unless.inspection.text_findings import find_disguise, find_text_remarks, sample_texts
from unless.read.headers import UNNAMED
from unless.table import Column, Table
from unless.values import LEADING_ZERO, is_blank, missing_among, number_to_text, parse_number
from unless.values.notation import Amounts, DateNotation

_FREQUENT = 5
_NEARLY = 0.995  # share of equal cells in a nearly constant column
_BINS = 12  # ranges of a histogram: as wide as a word
_SORTS = {"date": "dates", "datetime": "dates", "instant": "dates", "time": "times", "duration": "durations"}
_SORTS |= {"order": "levels of its order"}
_STAND_INS = {9.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0}  # and their negatives
_FEW_NUMBERS = 4  # different numbers: among fewer, a 9 is as likely a number as a code
_CODES = {-7.0, -8.0, -9.0}
"""Codes that surveys and credit bureaus use for several kinds of missing answers."""


def profile_column(
    column: Column, *, declared: str | None = None, spelled: bool = False, tokens: tuple[tuple[str, int], ...] = ()
) -> ColumnProfile:
    """Describe one column; ``spelled`` means that it comes from a text file, where numbers are also text."""
    counts = CellCounts.of(column)
    low, high = (column.number(float(counts.numbers[end])) if len(counts.numbers) else None for end in (0, -1))
    return ColumnProfile(
        column.name,
        column.kind if column.notation is None or column.notation.plain else column.notation.name,
        _explain_kind(counts, declared, spelled=spelled),
        present=counts.present,
        missing=counts.missing,
        distinct=counts.distinct,
        low=low,
        high=high,
        frequent=tuple((column.value(rank), int(counts.by_rank[rank])) for rank in counts.most_frequent(_FREQUENT)),
        histogram=count_in_bins(counts.numbers, counts.of_numbers),
        tokens=tokens,
        remarks=tuple(_find_column_remarks(counts)),
    )


def count_missing_spellings(cells: Column, missing: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Count the spellings of missing cells, given the column as text in which every cell is a value."""
    lost, counts = missing_among(cells.categories, missing), Counter[str]()
    for text, count in zip(cells.categories, cells.counts()[len(cells.numbers) :].tolist(), strict=False):
        if text in lost:
            counts[" " if is_blank(text) else text] += count
    return tuple(sorted(((+counts).items()), key=lambda one: (-one[1], one)))


def count_in_bins(numbers: NDArray[np.float64], often: NDArray[np.intp]) -> tuple[int, ...]:
    """Count the cells in a few ranges of equal width; if there are few whole numbers, each has its own range.

    ``numbers`` are distinct and sorted, ``often`` are the numbers of cells with each; infinite numbers are left out.

    >>> count_in_bins(np.array([1.0, 2.0, 4.0]), np.array([5, 6, 7]))
    (5, 6, 0, 7)
    """
    finite = np.isfinite(numbers)
    kept, often = numbers[finite], often[finite]
    if len(kept) < 2:
        return ()
    width = float(kept[-1] / 2 - kept[0] / 2)  # each divided by 2, because the range may overflow
    whole = 2 * width < _BINS and bool(np.all(kept == np.floor(kept)))
    bins = int(2 * width) + 1 if whole else _BINS
    shares = (kept - kept[0]) / (2 * width) if isfinite(2 * width) else (kept / 2 - kept[0] / 2) / width
    places = np.rint(shares * (bins - 1)) if whole else np.minimum(shares * bins, bins - 1)
    return tuple(np.bincount(places.astype(np.intp), often, bins).astype(int).tolist())


# Why `read_table` read a column as it did.


def _explain_kind(counts: CellCounts, declared: str | None, *, spelled: bool) -> str:
    column, numbers, texts = counts.column, len(counts.numbers), list(counts.texts)
    if declared:
        return f"declared {declared}"
    if not numbers and not texts:
        return "no cell is present"
    sort = _number_kind_text(column) + (" or special codes" if column.special else "")
    if column.kind == "number":
        return f"all present cells are {sort}"
    if column.kind == "mixed":
        return f"{numbers:,} of {numbers + len(texts):,} distinct cells are {sort}, at least half"
    return _explain_text_kind(texts, spelled=spelled)


def _number_kind_text(column: Column) -> str:
    """Name the kind of numbers in a column: "numbers", "dates written as %d.%m.%Y"."""
    if isinstance(column.notation, DateNotation) and column.notation.format is not None:
        return f"dates written as {column.notation.format}"
    if isinstance(column.notation, Amounts):
        return f"numbers with the unit {column.notation.unit!r}, or without one"
    return "numbers" if column.notation is None else _SORTS.get(column.notation.name, "numbers")


def _explain_text_kind(texts: Sequence[str], *, spelled: bool) -> str:
    looked = sample_texts(texts)
    spelling = [text for text in looked if parse_number(text) is not None]
    if not spelling:
        return "no cell is a number"
    if not spelled:
        return "its cells are stored as text"
    if 2 * len(spelling) < len(looked):
        about = "" if len(looked) == len(texts) else "about "
        share = round(len(spelling) * len(texts) / len(looked))
        return f"{about}{share:,} of {len(texts):,} distinct cells are numbers, fewer than half"
    zero = next(filter(LEADING_ZERO.match, spelling), None)
    return f"some numbers have leading zeros, such as {zero.strip()}" if zero else "not all numbers are written alike"


# Suspicious findings about a column.


def _find_column_remarks(counts: CellCounts) -> list[Remark]:
    found = _check_filling(counts)
    if (identifier := check_identifier(counts)) is not None:
        found.append(identifier)
    known = {one.code for one in found}
    found += [one for one in find_text_remarks(counts.column.name, counts.texts) if one.code not in known]
    return found + _find_stand_ins(counts)


def _check_filling(counts: CellCounts) -> list[Remark]:
    """Return a remark if a column is empty, constant, nearly constant, or mostly missing."""
    name, total = counts.column.name, counts.total
    if (same := _check_constant(counts)) is not None:
        return [same]
    if counts.missing > total / 2:
        return [Remark("mostly-missing", name, f"is missing in {counts.missing:,} of {total:,} records")]
    most = int(counts.by_rank[:-1].max(initial=0))
    if most >= max(_NEARLY * total, 1):
        text = f"is nearly constant: all but {total - most:,} of {total:,} cells are {counts.usual}"
        return [Remark("nearly-constant", name, text)]
    return []


def _check_constant(counts: CellCounts) -> Remark | None:
    """Return a remark if all cells of a column are missing or have the same value."""
    if not counts.total or int(counts.by_rank.max()) < counts.total:
        return None
    if counts.missing:
        return Remark("empty", counts.column.name, "is empty")
    return Remark("constant", counts.column.name, f"is constant: every cell is {counts.usual}")


def _has_plain_numbers(column: Column) -> bool:
    """Whether the numbers of a column are plain numbers, not dates or levels."""
    return column.notation is None or column.notation.plain


def _find_stand_ins(counts: CellCounts) -> list[Remark]:
    """Find a number such as -999 that repeats at one end of the range, far from all other numbers."""
    column, numbers = counts.column, counts.numbers
    if not _has_plain_numbers(column) or not np.isfinite(numbers).all():
        return []
    if (codes := _find_negative_codes(numbers, counts.of_numbers)) is not None:
        text, (first, *others) = codes
        return [Remark("missing-number", column.name, text, first, tuple(others))]
    if len(numbers) < 3:
        return []
    for end, rest in ((0, numbers[1:]), (-1, numbers[:-1])):
        number, often = float(numbers[end]), int(counts.of_numbers[end])
        gap = float(np.min(np.abs(rest - number)))
        usual = abs(number) in _STAND_INS and len(numbers) >= (_FEW_NUMBERS if abs(number) < 99 else 3)
        if usual and often > 1 and gap > max(float(rest[-1] - rest[0]), 1.0):
            text = number_to_text(number)
            finding = f"has {text} {often:,}×, far from all other numbers: it may mean missing"
            return [Remark("missing-number", column.name, finding, text)]
    return []


def _find_negative_codes(numbers: NDArray[np.float64], often: NDArray[np.intp]) -> tuple[str, list[str]] | None:
    """Report -7, -8 and -9, and return their texts, if they repeat and are the only negative numbers."""
    below = numbers < 0
    if not below.any() or below.all() or not set(numbers[below].tolist()) <= _CODES or often[below].sum() < 2:
        return None
    found = sorted(zip(numbers[below].tolist(), often[below].tolist(), strict=True), reverse=True)
    shown = ", ".join(f"{number_to_text(number)} {times:,}×" for number, times in found)
    it = "the only negative number: it" if len(found) == 1 else "the only negative numbers: they"
    return f"has {shown}, {it} may mean missing", [number_to_text(number) for number, _ in found]


def find_column_disguise(column: Column) -> Remark | None:
    """Check whether texts that occur in a column are numbers or dates in a form that rules cannot compare."""
    texts = sample_texts(column.categories, SOME)
    return find_disguise(column.name, texts) if any(letter.isdigit() for text in texts[:9] for letter in text) else None


# Columns that identify records rather than describe them: rules about such a column fit no new records.

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_LAST = {
    "id", "ids", "nr", "no", "num", "number", "key", "index", "idx", "uuid", "guid", "pk", "rowid", "row", "serial",
}  # fmt: skip
_FIRST = {"id", "uuid", "guid", "unnamed"}  # pandas calls a column of row numbers "Unnamed: 0"

_FEW = 5  # present cells: fewer prove nothing
_RUN = 10  # this many whole numbers without a gap are a numbering
_REPEATS = 50  # random numbers from the range would repeat this often; if none repeats, the records were numbered
_MANY = 20  # this many texts can be nearly unique
_NAMED, _UNNAMED = 0.9, 2 / 3  # share of distinct cells in an identifier, with and without a telling name
_WORDY = 5  # words: if half of the texts have at least as many, they are sentences, not names


def find_useless_columns(table: Table) -> tuple[Remark, ...]:
    """Find the columns from which nothing about new records can be learned, with the reasons.

    They are identifiers, or all their cells are the same.
    """
    counted = (CellCounts.of(column) for column in table.columns if not _is_plainly_useful(column))
    found = ((_check_constant(one) or check_identifier(one)) for one in counted)
    return tuple(remark for remark in found if remark is not None)


def _is_plainly_useful(column: Column) -> bool:
    """Return whether counting is unnecessary: the first cells differ, and the values are measurements or few."""
    codes, some = column.codes, column.numbers[:64]
    if not (codes[:64] != codes[:1]).any():
        return False
    return bool((some != np.floor(some)).any() or column.missing < _UNNAMED * np.count_nonzero(codes != column.missing))


def check_identifier(counts: CellCounts) -> Remark | None:
    """Explain why a column is an identifier: whole numbers that number the records, or texts that nearly all differ.

    Measurements may also differ in every record. So numbers are suspected only if they are whole, and either run
    without a gap, never repeat although random numbers from the range would, or have a name such as ``customer_id``.
    For texts the remark states their form: sentences, numbers or dates that are not read as such, or plain texts.
    """
    column, present, distinct, numbers = counts.column, counts.present, counts.distinct, counts.numbers
    if present < _FEW or distinct < _UNNAMED * present or not _has_plain_numbers(column):  # any date may be new, too
        return None
    if not (np.all(np.isfinite(numbers)) and np.all(numbers == np.floor(numbers))):
        return None  # a measurement, and perhaps some words
    if len(numbers) == present and (text := _describe_numbering(numbers)):
        return Remark("identifier", column.name, f"is an identifier: {text}")
    if has_identifier_name(column.name) and distinct >= _NAMED * present:
        return Remark("identifier", column.name, f"is an identifier: {_difference_text(distinct, present)}")
    cells = int(counts.of_categories.sum())
    if cells >= _MANY and np.count_nonzero(counts.of_categories) >= _UNNAMED * cells:
        return _describe_unique_texts(column.name, counts.some_texts, distinct, present)
    return None


def _describe_numbering(numbers: NDArray[np.float64]) -> str | None:
    """Describe how distinct whole numbers number the records; return None if they may be measurements."""
    present, span = len(numbers), float(numbers[-1] - numbers[0])
    if present >= _RUN and span == present - 1:
        return f"it numbers the records from {numbers[0]:.0f} on"
    if present * present >= 2 * _REPEATS * (span + 1):  # as in the birthday problem
        return f"all {present:,} cells differ, between {numbers[0]:.0f} and {numbers[-1]:.0f}"
    return None


def _describe_unique_texts(name: str, texts: Sequence[str], distinct: int, present: int) -> Remark:
    """Describe a column of nearly unique texts."""
    if (disguise := find_disguise(name, texts)) is not None:
        return disguise
    words = sorted(sum(any(map(str.isalpha, word)) for word in text.split()) for text in texts)[len(texts) // 2]
    different = _difference_text(distinct, present)
    if words >= _WORDY:
        return Remark("sentences", name, f"has sentences: {different}, half have {words} words or more")
    code: Code = "unique" if distinct == present else "nearly-unique"
    return Remark(code, name, f"is {code.replace('-', ' ')}: {different}")


def has_identifier_name(name: str) -> bool:
    """Return whether a name suggests an identifier; R's write.csv leaves the name of row numbers empty."""
    words = [word.lower() for word in _WORD.findall(name)]
    return not name.strip() or name == UNNAMED.format(1) or (bool(words) and (words[-1] in _LAST or words[0] in _FIRST))


def _difference_text(distinct: int, present: int) -> str:
    if distinct == present:
        return f"all {present:,} cells differ"
    return f"{distinct:,} different cells in {present:,} records"
