"""One column by itself: its kind and why, what it holds, what is odd about it, and whether it tells records apart."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from unless.inspection.findings import Code, ColumnProfile, Remark
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
_CODES = {-7.0, -8.0, -9.0}
"""What surveys and credit bureaus write for several kinds of missing answers."""


@dataclass(frozen=True, slots=True)
class Raw:
    """What only the spelling of cells tells: how missing cells are written."""

    tokens: tuple[tuple[str, int], ...]


def needs_raw(column: Column) -> bool:
    """Whether the spelling of the cells could tell more than the column does: it has gaps."""
    return bool((column.codes == column.missing).any())


def raw_of(cells: Column, missing: tuple[str, ...]) -> Raw:
    """What the spelling of cells tells, given the column as text, with every cell a value."""
    lost, counts = missing_among(cells.categories, missing), Counter[str]()
    for text, count in zip(cells.categories, cells.counts()[len(cells.numbers) :].tolist(), strict=False):
        if text in lost:
            counts[" " if is_blank(text) else text] += count
    return Raw(tuple(sorted(((+counts).items()), key=lambda one: (-one[1], one))))


def column_profile(
    column: Column, *, declared: str | None = None, spelled: bool = False, raw: Raw | None = None
) -> ColumnProfile:
    """What one column holds; ``spelled`` says that it comes from a text file, where numbers are text too."""
    counts = column.counts()
    often, numbers = counts[:-1], column.numbers[counts[: len(column.numbers)] > 0]
    texts = _texts(column, counts)
    return ColumnProfile(
        column.name,
        column.kind if column.notation is None or column.notation.plain else column.notation.name,
        _why(column, len(numbers), texts, declared, spelled=spelled),
        present=int(often.sum()),
        missing=int(counts[-1]),
        distinct=int(np.count_nonzero(often)),
        low=column.number(float(numbers[0])) if len(numbers) else None,
        high=column.number(float(numbers[-1])) if len(numbers) else None,
        frequent=tuple((column.value(int(code)), int(often[code])) for code in _most_frequent(often)),
        histogram=histogram(numbers, counts[: len(column.numbers)][counts[: len(column.numbers)] > 0]),
        tokens=raw.tokens if raw else (),
        remarks=tuple(_remarks(column, counts, texts)),
    )


def histogram(numbers: NDArray[np.float64], often: NDArray[np.intp]) -> tuple[int, ...]:
    """How many cells lie in each of a few ranges of equal width; a few whole numbers have a range each.

    ``numbers`` are distinct and sorted, ``often`` says how many cells have each; infinite ones are left out.

    >>> histogram(np.array([1.0, 2.0, 4.0]), np.array([5, 6, 7]))
    (5, 6, 0, 7)
    """
    finite = np.isfinite(numbers)
    kept, often = numbers[finite], often[finite]
    if len(kept) < 2:
        return ()
    width = float(kept[-1] / 2 - kept[0] / 2)  # a half: the whole may be more than a float64 holds
    whole = 2 * width < _BINS and bool(np.all(kept == np.floor(kept)))
    bins = int(2 * width) + 1 if whole else _BINS
    shares = (kept - kept[0]) / (2 * width) if isfinite(2 * width) else (kept / 2 - kept[0] / 2) / width
    places = np.rint(shares * (bins - 1)) if whole else np.minimum(shares * bins, bins - 1)
    return tuple(np.bincount(places.astype(np.intp), often, bins).astype(int).tolist())


def _most_frequent(often: NDArray[np.intp]) -> list[int]:
    """The few ranks with the largest counts, the first of equal ones; without sorting a million counts."""
    least = np.sort(np.partition(often, -_FREQUENT)[-_FREQUENT:])[0] if len(often) > _FREQUENT else 0
    ranks = np.concatenate([np.flatnonzero(often > least), np.flatnonzero(often == least)[:_FREQUENT]])
    found = sorted(ranks.tolist(), key=lambda rank: (-often[rank], rank))
    return [rank for rank in found[:_FREQUENT] if often[rank]]


def _texts(column: Column, counts: NDArray[np.intp]) -> dict[str, int]:
    """The texts that occur, and how often."""
    often = counts[len(column.numbers) : -1]
    return {column.categories[place]: int(often[place]) for place in np.flatnonzero(often).tolist()}


def _why(column: Column, numbers: int, texts: Mapping[str, int], declared: str | None, *, spelled: bool) -> str:
    """Why `read_table` read a column as it did."""
    sort = "numbers" if column.notation is None else _SORTS.get(column.notation.name, "numbers")
    if declared:
        return f"declared {declared}"
    if not numbers and not texts:
        return "no cell is present"
    if isinstance(column.notation, DateNotation) and column.notation.format is not None:
        sort = f"dates written as {column.notation.format}"
    if isinstance(column.notation, Amounts):
        sort = f"numbers with the unit {column.notation.unit!r}, or without one"
    if column.kind == "number":
        return f"all present cells are {sort}"
    if column.kind == "mixed":
        return f"{numbers:,} of {numbers + len(texts):,} distinct cells are {sort}, at least half"
    return _why_text(list(texts), spelled=spelled)


def _is_plain(column: Column) -> bool:
    """Whether the numbers of a column are numbers to people, too."""
    return column.notation is None or column.notation.plain


def _why_text(texts: Sequence[str], *, spelled: bool) -> str:
    looked = sample(texts)
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


def _remarks(column: Column, counts: NDArray[np.intp], texts: Mapping[str, int]) -> list[Remark]:
    found = _on_filling(column, counts)
    if (told := identity(column, counts)) is not None:
        found.append(told)
    found += [one for one in remarks_on_texts(column.name, texts) if one.code not in {other.code for other in found}]
    return found + _stand_ins(column, counts)


def _on_filling(column: Column, counts: NDArray[np.intp]) -> list[Remark]:
    """Whether a column is empty, constant, nearly so, or mostly missing."""
    total, missing = int(counts.sum()), int(counts[-1])
    if (same := hollow(column, counts)) is not None:
        return [same]
    found: list[Remark] = []
    if missing > total / 2:
        found.append(Remark("mostly-missing", column.name, f"is missing in {missing:,} of {total:,} records"))
    elif int(counts[:-1].max(initial=0)) >= max(_NEARLY * total, 1):
        others = total - int(counts[:-1].max())
        said = f"is nearly constant: all but {others:,} of {total:,} cells are {_shown(column, counts)}"
        found.append(Remark("nearly-constant", column.name, said))
    return found


def hollow(column: Column, counts: NDArray[np.intp]) -> Remark | None:
    """Whether all cells of a column are the same: missing, or one value."""
    total = int(counts.sum())
    if not total or int(counts.max()) < total:
        return None
    if counts[-1]:
        return Remark("empty", column.name, "is empty")
    return Remark("constant", column.name, f"is constant: every cell is {_shown(column, counts)}")


def _shown(column: Column, counts: NDArray[np.intp]) -> str:
    """The most frequent value."""
    value = column.value(int(np.argmax(counts[:-1])))
    return number_to_text(value) if isinstance(value, float) else repr(value)


def _stand_ins(column: Column, counts: NDArray[np.intp]) -> list[Remark]:
    """A number such as -999 that repeats at one end of the range, far from all others."""
    kept = np.flatnonzero(counts[: len(column.numbers)])
    numbers = column.numbers[kept] if _is_plain(column) else column.numbers[:0]
    if len(numbers) < 4 or not np.isfinite(numbers).all():
        return []
    if (codes := _negative_codes(numbers, counts[kept])) is not None:
        said, (first, *others) = codes
        return [Remark("missing-number", column.name, said, first, tuple(others))]
    for end, rest in ((0, numbers[1:]), (-1, numbers[:-1])):
        number, often = float(numbers[end]), int(counts[kept[end]])
        gap = float(np.min(np.abs(rest - number)))
        if abs(number) in _STAND_INS and often > 1 and gap > max(float(rest[-1] - rest[0]), 1.0):
            text = number_to_text(number)
            said = f"has {text} {often:,}×, far from all other numbers: it may mean missing"
            return [Remark("missing-number", column.name, said, text)]
    return []


def _negative_codes(numbers: NDArray[np.float64], often: NDArray[np.intp]) -> tuple[str, list[str]] | None:
    """What to say of -7, -8 and -9 if they are the only negative numbers of a column and repeat; and their texts."""
    below = numbers < 0
    if not below.any() or below.all() or not set(numbers[below].tolist()) <= _CODES or often[below].sum() < 2:
        return None
    found = sorted(zip(numbers[below].tolist(), often[below].tolist(), strict=True), reverse=True)
    shown = ", ".join(f"{number_to_text(number)} {times:,}×" for number, times in found)
    it = "the only negative number: it" if len(found) == 1 else "the only negative numbers: they"
    return f"has {shown}, {it} may mean missing", [number_to_text(number) for number, _ in found]


# What its texts look like: numbers in disguise, dates, words for "missing", and twins.

MOST = 5000
"""How many distinct texts are looked at; if there are more, a sample."""

_SOME = 100  # distinct texts that tell what a column of texts is

MISSING_WORDS = frozenset(
    {"-", "--", "–", "—", ".", "..", "n/a", "n.a.", "na", "#N/A", "#NA", "#NULL!", "Null", "None", "nan", "NAN"}
    | {"missing", "Missing", "MISSING"}
)  # not "none" and "unknown": they often mean what they say
"""Cells that often mean "missing" but are not read so by default."""

_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("with separators of thousands", re.compile(r"\s*[+-]?[0-9]{1,3}(?:[,' \u00a0\u202f][0-9]{3})+(?:\.[0-9]+)?\s*")),
    ("with a decimal comma", re.compile(r"\s*[+-]?[0-9]{1,3}(?:\.?[0-9]{3})*,[0-9]+\s*")),
    ("with a percent sign", re.compile(rf"\s*{_NUMBER}\s*%\s*")),
    ("with a currency", re.compile(r"\s*(?:[$€£¥]\s*[0-9][0-9.,]*|[0-9][0-9.,]*\s*(?:[$€£¥]|EUR|USD|GBP|CHF))\s*")),
)
_UNIT = re.compile(rf"\s*{_NUMBER}\s*([^\W\d_]{{1,6}}[²³]?|°[CF]?|\"|')\s*")
_DAYS: tuple[str, ...] = (
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y/%m/%d",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
)
_DAYS += ("%d %b %Y", "%d-%b-%Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%y", "%Y-%m")
_DATE_FORMS = [f"{day}{clock}" for clock in ("", " %H:%M", " %H:%M:%S") for day in _DAYS]
"""How dates are often written, apart from ISO 8601. Where day and month could be exchanged, the day comes first."""

_MAY_BE_DATE = re.compile(r"(?=.{,50}\Z)(?=.*(?:\d{4}|[./\s-].*[./\s-]))\D*\d[^./\s-]*[./\s-]\D*\d", re.DOTALL)
"""What every such date has: digits on both sides of a separator, a year of four digits or two separators (unlike 30-39,
an age), and not many characters. Reading dates takes long."""


def sample(texts: Sequence[str]) -> Sequence[str]:
    """The texts; if there are very many, some of them, evenly spaced."""
    return texts[:: -(-len(texts) // MOST) or 1]


def remarks_on_texts(name: str, counts: Mapping[str, int]) -> list[Remark]:
    """What is suspicious about the texts of a column; ``counts`` says how many cells have each."""
    told = _disguise(name, sample(list(counts)))
    found = [] if told is None else [told]
    if (cell := _several_values(sample(list(counts)))) is not None:
        found.append(Remark("several-values", name, f"has several values in one cell, such as {cell!r}", cell))
    if words := sorted(MISSING_WORDS.intersection(counts)):
        said = ", ".join(f"{word!r} {counts[word]:,}×" for word in words[:3])
        first, *others = words
        found.append(Remark("missing-word", name, f"has cells that may mean missing: {said}", first, tuple(others)))
    if alike := twins(counts):
        said = "; ".join(", ".join(f"{text!r} {counts[text]:,}×" for text in group[:3]) for group in alike[:2])
        more = f" and {len(alike) - 2} more" if len(alike) > 2 else ""
        found.append(Remark("spellings", name, f"has spellings that differ only in case or spaces: {said}{more}"))
    return found


def _several_values(texts: Sequence[str]) -> str | None:
    """A cell like a;b;c, if at least a quarter of the texts are lists by the same sign, and their values come back."""
    for sign in ";|":
        lists = [text for text in texts if sign in text.strip(f"{sign} ")]
        values = [value.strip() for text in lists for value in text.split(sign)]
        if len(lists) >= 3 and 4 * len(lists) >= len(texts) and 2 * len(set(values)) <= len(values):
            return lists[0]
    return None


def disguised(column: Column, counts: NDArray[np.intp]) -> Remark | None:
    """Whether the texts of a column are numbers or dates that rules cannot compare; a few of them are looked at."""
    texts = _some_texts(column, counts)
    return _disguise(column.name, texts) if any(letter.isdigit() for text in texts[:9] for letter in text) else None


def _some_texts(column: Column, counts: NDArray[np.intp]) -> list[str]:
    """The texts that occur, or a hundred of them, evenly spaced."""
    places = np.flatnonzero(counts[len(column.numbers) : -1])
    return [column.categories[place] for place in places[:: -(-len(places) // _SOME) or 1].tolist()]


def _disguise(name: str, texts: Sequence[str]) -> Remark | None:
    others = [text for text in texts if parse_number(text) is None and text not in MISSING_WORDS]
    form, example = _form(others, len(texts))
    if form:
        return Remark("number-as-text", name, f"has numbers {form}, such as {example!r}", example)
    if not _most(_MAY_BE_DATE.match, others, len(texts)):
        return None
    for form in _DATE_FORMS:
        if _most(
            DateNotation("datetime", 1.0, format=form).number, others, len(texts), are=lambda found: found is not None
        ):
            doubt = "" if re.search("%[bBy]|^%Y", form) else "; no cell tells whether the day or the month comes first"
            return Remark("date-as-text", name, f"has dates, such as {others[0]!r}{doubt}", form)
    return None


def twins(counts: Mapping[str, int]) -> list[list[str]]:
    """Groups of texts that differ only in case and spaces, the most frequent group first."""
    if len(counts) > 20 * MOST:
        return []
    groups: dict[str, list[str]] = defaultdict(list)
    for text in counts:
        groups[" ".join(text.split()).casefold()].append(text)
    alike = [sorted(group, key=lambda text: (-counts[text], text)) for group in groups.values() if len(group) > 1]
    return sorted(alike, key=lambda group: (-sum(counts[text] for text in group), group))


def _form(texts: Sequence[str], total: int) -> tuple[str | None, str]:
    """How nearly all texts write numbers, and an example; None if they do not."""
    for form, pattern in _FORMS:
        if _most(pattern.fullmatch, texts, total):
            return form, next(filter(pattern.fullmatch, texts))
    found = [(text, match.group(1)) for text in texts if (match := _UNIT.fullmatch(text))]
    units = {unit for _, unit in found}
    # "3 kg" and "4 kg", but not "5a" and "7b": the unit must be the same.
    if len(found) >= 3 and len(units) == 1 and _most(_UNIT.fullmatch, texts, total):
        return f"with the unit {found[0][1]!r}", found[0][0]
    return None, ""


def _most(
    test: Callable[[str], object], texts: Sequence[str], total: int, are: Callable[[object], object] = bool
) -> bool:
    """Whether nearly all of these texts pass a test, at least three, and they are at least half of all texts."""
    if len(texts) > 3 and not any(are(test(text)) for text in texts[:: len(texts) // 4 + 1]):
        return False  # five of them tell most columns
    passed = sum(1 for text in texts if are(test(text)))
    return passed >= 3 and passed >= 0.9 * len(texts) and 2 * len(texts) >= total


# Does a column tell records apart rather than describe them? Rules about such a column fit no new records.

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_LAST = {
    "id", "ids", "nr", "no", "num", "number", "key", "index", "idx", "uuid", "guid", "pk", "rowid", "row", "serial",
}  # fmt: skip
_FIRST = {"id", "uuid", "guid", "unnamed"}  # pandas calls a column of row numbers "Unnamed: 0"

_FEW = 5  # present cells: fewer prove nothing
_RUN = 10  # this many whole numbers without a gap are a numbering
_REPEATS = 50  # numbers drawn from their range would repeat this often; none does: somebody numbered the records
_MANY = 20  # this many texts can be nearly unique
_NAMED, _UNNAMED = 0.9, 2 / 3  # share of distinct cells in an identifier, with and without a telling name
_WORDY = 5  # words: half of the texts have as many if they are sentences, not names


def useless(table: Table) -> tuple[Remark, ...]:
    """The columns that nothing about new records can be learned from, and why.

    They tell the records of the table apart, or have the same cell in all of them.
    """
    return tuple(remark for column in table.columns if (remark := _useless(column)) is not None)


def _useless(column: Column) -> Remark | None:
    counts = column.counts()
    return hollow(column, counts) or identity(column, counts)


def identifiers(table: Table) -> tuple[Remark, ...]:
    """The columns of a table that tell its records apart, and why."""
    found = (identity(column, column.counts()) for column in table.columns)
    return tuple(remark for remark in found if remark is not None)


def identity(column: Column, counts: NDArray[np.intp]) -> Remark | None:
    """Why a column is an identifier: whole numbers that count the records, or texts that nearly all differ.

    Measurements may differ in every record too. So numbers are suspected only if they are whole, and either run
    without a gap, never repeat although so many of their range would, or have a name such as ``customer_id``. Of
    texts it is said what they are: sentences, numbers or dates that are not read as such, or just texts.
    """
    present, distinct = int(counts[:-1].sum()), int(np.count_nonzero(counts[:-1]))
    if present < _FEW or distinct < _UNNAMED * present or not _is_plain(column):  # dates may differ everywhere, too
        return None
    numbers, texts = column.numbers[counts[: len(column.numbers)] > 0], counts[len(column.numbers) : -1]
    if not (np.all(np.isfinite(numbers)) and np.all(numbers == np.floor(numbers))):
        return None  # a measurement, and perhaps some words
    if len(numbers) == present and (said := _numbering(numbers)):
        return Remark("identifier", column.name, f"is an identifier: {said}")
    if _named(column.name) and distinct >= _NAMED * present:
        return Remark("identifier", column.name, f"is an identifier: {_different(distinct, present)}")
    cells = int(texts.sum())
    if cells >= _MANY and np.count_nonzero(texts) >= _UNNAMED * cells:
        return _of_texts(column.name, _some_texts(column, counts), distinct, present)
    return None


def _numbering(numbers: NDArray[np.float64]) -> str | None:
    """How different whole numbers, one for each record, number the records; None if they may be measurements."""
    present, span = len(numbers), float(numbers[-1] - numbers[0])
    if present >= _RUN and span == present - 1:
        return f"it numbers the records from {numbers[0]:.0f} on"
    if present * present >= 2 * _REPEATS * (span + 1):  # as in the birthday problem
        return f"all {present:,} cells differ, between {numbers[0]:.0f} and {numbers[-1]:.0f}"
    return None


def _of_texts(name: str, texts: Sequence[str], distinct: int, present: int) -> Remark:
    """What a column of nearly unique texts is."""
    if (told := _disguise(name, texts)) is not None:
        return told
    words = sorted(sum(any(map(str.isalpha, word)) for word in text.split()) for text in texts)[len(texts) // 2]
    if words >= _WORDY:
        return Remark(
            "sentences", name, f"has sentences: {_different(distinct, present)}, half have {words} words or more"
        )
    code: Code = "unique" if distinct == present else "nearly-unique"
    return Remark(code, name, f"is {code.replace('-', ' ')}: {_different(distinct, present)}")


def _named(name: str) -> bool:
    """Whether a name says that the column is an identifier; R's write.csv leaves the name of row numbers empty."""
    words = [word.lower() for word in _WORD.findall(name)]
    return not name.strip() or name == UNNAMED.format(1) or (bool(words) and (words[-1] in _LAST or words[0] in _FIRST))


def _different(distinct: int, present: int) -> str:
    if distinct == present:
        return f"all {present:,} cells differ"
    return f"{distinct:,} different cells in {present:,} records"
