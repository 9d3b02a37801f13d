"""One column by itself: its kind and why, how full it is, what it holds, and what is odd about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unless.inspection.identity import identity
from unless.inspection.remarks import ColumnProfile, Remark
from unless.inspection.spelling import LEADING_ZERO, numeric_texts, remarks_on_texts, sample
from unless.table import Column
from unless.values import spell

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
    spelling = numeric_texts(looked)
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
