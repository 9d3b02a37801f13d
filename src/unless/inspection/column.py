"""One column by itself: its kind and why, what it holds, what is odd about it, and whether it tells records apart."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unless.inspection.remarks import Code, ColumnProfile, Remark
from unless.table import Column, Table
from unless.values import number_in, spell

_FREQUENT = 5
_CODES = 50_000  # distinct numbers: more are not codes, and looking at their spelling takes a second
_NEARLY = 0.995  # share of equal cells in a nearly constant column
_STAND_INS = {9.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0}  # and their negatives


@dataclass(frozen=True, slots=True)
class Raw:
    """What only the spelling of cells tells: how missing cells are written, and a number that is written like 007."""

    tokens: tuple[tuple[str, int], ...]
    leading_zero: str | None


def needs_raw(column: Column) -> bool:
    """Whether the spelling of the cells could tell more than the column does: it has gaps, or whole numbers."""
    whole = 0 < len(column.numbers) <= _CODES and bool(np.all(column.numbers == np.floor(column.numbers)))
    return whole or bool((column.codes == column.missing).any())


def raw_of(cells: Column, missing: tuple[str, ...]) -> Raw:
    """What the spelling of cells tells, given the column as text, with every cell a value."""
    counts = cells.counts()[len(cells.numbers) :]
    lost = set(missing)
    places = [place for place, text in enumerate(cells.categories) if text in lost and counts[place]]
    tokens = sorted(((cells.categories[place], int(counts[place])) for place in places), key=lambda one: (-one[1], one))
    zero = next((text for text in sample(cells.categories) if LEADING_ZERO.match(text)), None)
    return Raw(tuple(tokens), zero)


def column_profile(
    column: Column, *, declared: str | None = None, spelled: bool = False, raw: Raw | None = None
) -> ColumnProfile:
    """What one column holds; ``spelled`` says that it comes from a text file, where numbers are text too."""
    counts = column.counts()
    often, numbers = counts[:-1], column.numbers[counts[: len(column.numbers)] > 0]
    texts = _texts(column, counts)
    return ColumnProfile(
        column.name,
        column.kind,
        _why(column.kind, len(numbers), texts, declared, spelled=spelled),
        present=int(often.sum()),
        missing=int(counts[-1]),
        distinct=int(np.count_nonzero(often)),
        low=float(numbers[0]) if len(numbers) else None,
        high=float(numbers[-1]) if len(numbers) else None,
        frequent=tuple((column.value(int(code)), int(often[code])) for code in _most_frequent(often)),
        tokens=raw.tokens if raw else (),
        remarks=tuple(_remarks(column, counts, texts, raw, declared)),
    )


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


def _why(kind: str, numbers: int, texts: Mapping[str, int], declared: str | None, *, spelled: bool) -> str:
    """Why `read_table` read a column as it did."""
    if declared:
        return f"declared {declared}"
    if not numbers and not texts:
        return "no cell is present"
    if kind == "number":
        return "all present cells are numbers"
    if kind == "mixed":
        return f"{numbers:,} of {numbers + len(texts):,} distinct cells are numbers, at least half"
    return _why_text(list(texts), spelled=spelled)


def _why_text(texts: Sequence[str], *, spelled: bool) -> str:
    looked = sample(texts)
    spelling = [text for text in looked if number_in(text) is not None]
    if not spelling:
        return "no cell is a number"
    if not spelled:
        return "its cells are stored as text"
    if 2 * len(spelling) < len(looked):
        about = "" if len(looked) == len(texts) else "about "
        share = round(len(spelling) * len(texts) / len(looked))
        return f"{about}{share:,} of {len(texts):,} distinct cells are numbers, fewer than half"
    zero = next(filter(LEADING_ZERO.match, spelling), None)
    return "some numbers have leading zeros" + (f", such as {zero.strip()}" if zero else "")


def _remarks(
    column: Column, counts: NDArray[np.intp], texts: Mapping[str, int], raw: Raw | None, declared: str | None
) -> list[Remark]:
    found = _on_filling(column, counts)
    if (told := identity(column, counts)) is not None:
        found.append(told)
    found += remarks_on_texts(column.name, texts)
    if column.kind == "number" and raw and raw.leading_zero and not declared:
        zero = raw.leading_zero.strip()
        found.append(Remark("leading-zeros", column.name, f"has numbers with leading zeros, such as {zero}", zero))
    found += _stand_ins(column, counts)
    return found


def _on_filling(column: Column, counts: NDArray[np.intp]) -> list[Remark]:
    """Whether a column is empty, constant, nearly so, or mostly missing."""
    total, missing = int(counts.sum()), int(counts[-1])
    if not total:
        return []
    if missing == total:
        return [Remark("empty", column.name, "is empty")]
    if int(counts.max()) == total:
        return [Remark("constant", column.name, f"is constant: every cell is {_shown(column, counts)}")]
    found: list[Remark] = []
    if missing > total / 2:
        found.append(Remark("mostly-missing", column.name, f"is missing in {missing:,} of {total:,} records"))
    elif int(counts[:-1].max()) >= _NEARLY * total:
        others = total - int(counts[:-1].max())
        said = f"is nearly constant: all but {others:,} of {total:,} cells are {_shown(column, counts)}"
        found.append(Remark("nearly-constant", column.name, said))
    return found


def _shown(column: Column, counts: NDArray[np.intp]) -> str:
    """The most frequent value."""
    value = column.value(int(np.argmax(counts[:-1])))
    return spell(value) if isinstance(value, float) else repr(value)


def _stand_ins(column: Column, counts: NDArray[np.intp]) -> list[Remark]:
    """A number such as -999 that repeats at one end of the range, far from all others."""
    kept = np.flatnonzero(counts[: len(column.numbers)])
    numbers = column.numbers[kept]
    if len(numbers) < 4 or not np.isfinite(numbers).all():
        return []
    for end, rest in ((0, numbers[1:]), (-1, numbers[:-1])):
        number, often = float(numbers[end]), int(counts[kept[end]])
        gap = float(np.min(np.abs(rest - number)))
        if abs(number) in _STAND_INS and often > 1 and gap > max(float(rest[-1] - rest[0]), 1.0):
            text = spell(number)
            said = f"has {text} {often:,}×, far from all other numbers: it may mean missing"
            return [Remark("missing-number", column.name, said, text)]
    return []


# What its texts look like: numbers in disguise, dates, words for "missing", and twins.

MOST = 5000
"""How many distinct texts are looked at; if there are more, a sample."""

LEADING_ZERO = re.compile(r" *[+-]?0[0-9]")

MISSING_WORDS = frozenset(
    {"-", "--", "–", "—", ".", "..", "n/a", "n.a.", "na", "#N/A", "#NA", "#NULL!", "NULL", "Null", "None", "nan", "NAN"}
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
_DATES = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?|[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}.*|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}.*"
)


def sample(texts: Sequence[str]) -> Sequence[str]:
    """The texts; if there are very many, some of them, evenly spaced."""
    return texts[:: -(-len(texts) // MOST) or 1]


def remarks_on_texts(name: str, counts: Mapping[str, int]) -> list[Remark]:
    """What is suspicious about the texts of a column; ``counts`` says how many cells have each."""
    texts = sample(list(counts))
    others = [text for text in texts if number_in(text) is None and text not in MISSING_WORDS]
    found: list[Remark] = []
    form, example = _form(others, len(texts))
    if form:
        found.append(Remark("number-as-text", name, f"has numbers {form}, such as {example!r}", example))
    elif _most(_DATES.fullmatch, others, len(texts)):
        found.append(Remark("date-as-text", name, f"has dates, such as {others[0]!r}", others[0]))
    if words := sorted(MISSING_WORDS.intersection(counts)):
        said = ", ".join(f"{word!r} {counts[word]:,}×" for word in words[:3])
        found.append(Remark("missing-word", name, f"has cells that may mean missing: {said}", words[0]))
    if alike := twins(counts):
        said = "; ".join(", ".join(f"{text!r} {counts[text]:,}×" for text in group[:3]) for group in alike[:2])
        more = f" and {len(alike) - 2} more" if len(alike) > 2 else ""
        found.append(Remark("spellings", name, f"has spellings that differ only in case or spaces: {said}{more}"))
    return found


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


def _most(test: Callable[[str], object], texts: Sequence[str], total: int) -> bool:
    """Whether nearly all of these texts pass a test, at least three, and they are at least half of all texts."""
    passed = sum(1 for text in texts if test(text))
    return passed >= 3 and passed >= 0.9 * len(texts) and 2 * len(texts) >= total


# Does a column tell records apart rather than describe them? Rules about such a column fit no new records.

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_LAST = {
    "id", "ids", "nr", "no", "num", "number", "key", "index", "idx", "uuid", "guid", "pk", "rowid", "row", "serial",
}  # fmt: skip
_FIRST = {"id", "uuid", "guid", "unnamed"}  # pandas calls a column of row numbers "Unnamed: 0"

_FEW = 5  # present cells: fewer prove nothing
_RUN = 10  # this many whole numbers without a gap are a numbering
_MANY = 20  # this many texts can be nearly unique
_NAMED, _UNNAMED = 0.9, 2 / 3  # share of distinct cells in an identifier, with and without a telling name


def identifiers(table: Table) -> tuple[Remark, ...]:
    """The columns of a table that tell its records apart, and why."""
    found = (identity(column, column.counts()) for column in table.columns)
    return tuple(remark for remark in found if remark is not None)


def identity(column: Column, counts: NDArray[np.intp]) -> Remark | None:
    """Why a column is an identifier: whole numbers that count the records, or texts that nearly all differ.

    Measurements may differ in every record too. So numbers are suspected only if they are whole, and either run
    without a gap or have a name such as ``customer_id``.
    """
    numbers, texts = column.numbers[counts[: len(column.numbers)] > 0], counts[len(column.numbers) : -1]
    present, distinct = int(counts[:-1].sum()), int(np.count_nonzero(counts[:-1]))
    if present < _FEW or distinct < _UNNAMED * present:
        return None
    if not (np.all(np.isfinite(numbers)) and np.all(numbers == np.floor(numbers))):
        return None  # a measurement, and perhaps some words
    if len(numbers) == present >= _RUN and numbers[-1] - numbers[0] == present - 1:
        return Remark("identifier", column.name, f"is an identifier: it numbers the records from {numbers[0]:.0f} on")
    if _named(column.name) and distinct >= _NAMED * present:
        return Remark("identifier", column.name, f"is an identifier: {_different(distinct, present)}")
    cells = int(texts.sum())
    if cells >= _MANY and np.count_nonzero(texts) >= _UNNAMED * cells:
        code: Code = "unique" if distinct == present else "nearly-unique"
        return Remark(code, column.name, f"is {code.replace('-', ' ')}: {_different(distinct, present)}")
    return None


def _named(name: str) -> bool:
    """Whether a name says that the column is an identifier; R's write.csv leaves the name of row numbers empty."""
    words = [word.lower() for word in _WORD.findall(name)]
    return not name.strip() or (bool(words) and (words[-1] in _LAST or words[0] in _FIRST))


def _different(distinct: int, present: int) -> str:
    if distinct == present:
        return f"all {present:,} cells differ"
    return f"{distinct:,} different cells in {present:,} records"
