"""From cells to rank codes, by hashing or counting: Python objects of every row are never sorted.

A source gives each of its columns as `Cells`: the raw cells, ranked. `settle` then decides what they mean, by what was
declared or by what the distinct values look like, and makes the `Column`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError
from unless.kernels import rank as kernels
from unless.table import MOST, Column, Kind, Labels, smallest
from unless.values import Label, Value, flag_in, label_type, number_in, spell, value_of

Declared = OneOf["numeric", "categorical"] | None
"""What the caller says about a column; None leaves it to the cells."""

_WHOLE = re.compile(r"[+-]?[0-9]+(\.0)?")
_LEADING_ZERO = re.compile(r" *[+-]?0[0-9]")
_EXACT = 2.0**53
_FEW = 1024  # up to this many numbers argsort ranks faster


class MissingLabelsError(ReadError):
    """A target with missing labels."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A column as its source has it: numbers ascending, texts by code point, and the rank of every cell.

    Missing cells have the rank after both. ``type`` is the Python type of the cells, None if they differ: labels keep
    their type. ``categorical`` means that the source calls the column categorical: its numbers are names.
    """

    numbers: NDArray[np.float64]
    texts: Sequence[str]
    codes: NDArray[Any]
    type: type[Label] | None
    categorical: bool = False


def of_numbers(array: NDArray[Any], kind: type[Label] = float) -> Cells:
    """Cells of a numeric array; NaN is missing."""
    numbers, codes = rank(np.ascontiguousarray(array, dtype=np.float64))
    return Cells(numbers, (), codes, kind)


def of_flags(flags: NDArray[np.bool_], missing: NDArray[np.bool_] | None = None) -> Cells:
    """Cells of a boolean array, with a mask for those that are missing."""
    codes = flags.astype(np.intp)
    if missing is not None:
        codes[missing] = -1
    occurring = [flag if (codes == flag).any() else None for flag in (False, True)]
    return of_dictionary(occurring, codes)


def of_dictionary(distinct: Iterable[object], codes: NDArray[Any]) -> Cells:
    """Cells given as places in a list of objects, which all occur, in any order; -1 is a missing cell.

    `values.value_of` says what each object means: several objects may be the same value, and None is missing too.
    """
    distinct = list(distinct)
    values = [value_of(cell) for cell in distinct]
    numbers, texts, place = _ranks(values)
    table = np.array([place[value] for value in [*values, None]], dtype=np.uint32)
    # "wrap" sends -1 to the last place.
    return Cells(numbers, texts, table.take(codes, mode="wrap"), _common_type(distinct, values))


def of_objects(cells: Sequence[object]) -> Cells:
    """Cells that are Python objects of any kind; `values.value_of` says what each means."""
    # Cell by cell, not by a dictionary of the cells: True, 1 and 1.0 would be one key, and a list cannot be one.
    return of_dictionary(cells, np.arange(len(cells)))


def joined(pieces: Sequence[Cells]) -> Cells:
    """The cells of one column, from its pieces."""
    if len(pieces) == 1:
        return pieces[0]
    numbers = np.unique(np.concatenate([piece.numbers for piece in pieces]))
    texts = sorted({text for piece in pieces for text in piece.texts})
    place = {text: code for code, text in enumerate(texts, len(numbers))}
    codes = []
    for piece in pieces:
        ranks = [
            *np.searchsorted(numbers, piece.numbers),
            *map(place.__getitem__, piece.texts),
            len(numbers) + len(texts),
        ]
        codes.append(np.array(ranks, dtype=np.uint32)[piece.codes])
    types = {piece.type for piece in pieces if len(piece.numbers) or piece.texts} or {pieces[0].type}
    return Cells(numbers, texts, np.concatenate(codes), types.pop() if len(types) == 1 else None)


def _common_type(cells: Iterable[object], values: Iterable[Value]) -> type[Label] | None:
    """The label type of all cells that are not missing, None if they differ."""
    types = {type(cell) for cell, value in zip(cells, values, strict=True) if value is not None}
    kinds = {label_type(kind) for kind in types} or {str}
    return kinds.pop() if len(kinds) == 1 else None


def _ranks(values: Iterable[Value]) -> tuple[NDArray[np.float64], list[str], dict[Value, int]]:
    """The numbers ascending, the texts sorted, and the rank of each number, each text and None."""
    distinct = set(values)
    numbers = sorted(value for value in distinct if isinstance(value, float))
    texts = sorted(value for value in distinct if isinstance(value, str))
    place: dict[Value, int] = {value: code for code, value in enumerate([*numbers, *texts, None])}
    return np.array(numbers, dtype=np.float64), texts, place


def group(ends: NDArray[np.int64], data: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Tell texts apart: the group of every row, and the first row of every group.

    Text ``row`` is the bytes of ``data`` from ``ends[row]`` to ``ends[row + 1]``.
    """
    codes = np.empty(len(ends) - 1, dtype=np.int32)
    firsts = np.empty(len(ends) - 1, dtype=np.int32)
    bits = 10
    while (count := kernels.group(ends, data, np.full(1 << bits, -1, dtype=np.int32), codes, firsts)) < 0:
        bits += 4  # the table was half full; few columns have many texts
    return codes, firsts[:count]


def rank(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """The distinct numbers ascending, and the rank of every value; NaN ranks last, and minus zero is zero."""
    codes = np.empty(len(values), dtype=np.uint32)
    low, high, whole = kernels.survey(values)
    # Counting takes 3 ns a cell while its ranks fit into the cache; sorting takes ten times as long.
    if whole and high - low < 4 * len(values) + 1024:
        ranks = np.zeros(int(high - low) + 1, dtype=np.uint32)
        kernels.rank_whole(values, low, ranks, codes)
        return np.flatnonzero(ranks).astype(np.float64) + low + 0.0, codes
    firsts = np.empty(len(values), dtype=np.intp)
    count = _rank_packed(values, codes, firsts) if len(values) > _FEW else -1
    if count < 0:
        count = kernels.rank_ordered(values, np.argsort(values), codes, firsts)
    numbers = values[firsts[:count]]
    numbers += 0.0  # minus zero is zero
    return numbers, codes


def _rank_packed(values: NDArray[np.float64], codes: NDArray[np.uint32], firsts: NDArray[np.intp]) -> int:
    """Rank by sorting words that hold the leading bits of a number and its row: numpy sorts those fastest.

    Return the number of ranks, or -1 if too many numbers differ only in bits that did not fit. (1e6 normal numbers take
    32 ms, the sort 14 of them; numpy.argsort alone takes 37.)
    """
    bits, packed, room = values.view(np.int64), np.empty(len(values), dtype=np.uint64), len(values).bit_length()
    present, lost = kernels.pack(bits, packed, room)
    packed = packed[:present]
    packed.sort()
    count = kernels.rank_packed(packed, room, lost, bits, codes, firsts)
    if present < len(values):
        codes[np.isnan(values)] = max(count, 0)
    return count


def settle(
    name: str, cells: Cells, declared: Declared, missing: Collection[str], *, spelled: bool, known: Column | None = None
) -> Column:
    """Make a column of cells: some are missing, the others are numbers or categories.

    ``missing`` are the texts that mean a missing cell. A text that spells a number is a number if the column is
    declared numeric, or if cells are ``spelled``, as in a text file, and the undeclared column looks numeric or mixed
    (`_kind`). In a column of categories a number becomes its shortest spelling, which is compared with ``missing``.

    ``known`` is the column in training. Cells of other types mean what they plainly meant there (`_as_known`).
    """
    if declared is None and cells.categorical:
        declared = "categorical"
    present = [text for text in cells.texts if text not in missing]
    read: dict[str, float] = {}
    if declared == "numeric" or (declared is None and spelled):
        read = _as_numbers(present, flags=declared == "numeric" and known is not None and not known.categories)
    gone = _numbers_in(missing) & set(cells.numbers.tolist()) if missing and not spelled else set()
    kind = _kind(len(cells.numbers) - len(gone), present, read, declared)
    meant: Mapping[str, str] = {}
    if kind == "text":
        read = {}
        if known is not None:
            meant = _as_known((*present, *map(spell, cells.numbers.tolist())), known)
    changed = read or gone or meant or len(present) < len(cells.texts)
    if not changed and not (kind == "text" and len(cells.numbers)):
        return Column(name, kind, cells.numbers, tuple(cells.texts), cells.codes)
    kept = set(present)
    names = (x if kind != "text" else meant.get(spell(x), spell(x)) for x in cells.numbers.tolist())
    numbers = (None if x in gone else name for x, name in zip(cells.numbers.tolist(), names, strict=True))
    texts = (read.get(text, meant.get(text, text)) if text in kept else None for text in cells.texts)
    return _column(name, kind, [*numbers, *texts, None], cells.codes)


def _as_numbers(texts: Sequence[str], *, flags: bool) -> dict[str, float]:
    """The texts that spell numbers; with ``flags``, booleans are 0 and 1."""
    numbers = ((text, number_in(text)) for text in texts)
    found = {text: number for text, number in numbers if number is not None}
    if flags:
        found |= {text: float(flag) for text in texts if text not in found and (flag := flag_in(text)) is not None}
    return found


def again(column: Column, known: Column) -> Column:
    """Turn a column that was read without regard to training into what it would be if read like training."""
    cells = Cells(column.numbers, column.categories, column.codes, None)
    declared: Declared = "categorical" if known.kind == "text" else "numeric"
    return settle(column.name, cells, declared, (), spelled=False, known=known)


def _as_known(texts: Iterable[str], known: Column) -> dict[str, str]:
    """Map texts that training plainly had in another spelling to that spelling.

    Where all categories in training were booleans, 1 is the true one and 0 the false one, however they are written. A
    whole number is the same with .0 at its end: libraries add that to a column when a cell becomes missing. This is
    assumed only if all categories of the column are known.
    """
    seen = frozenset(known.categories)
    new = [text for text in texts if text not in seen]
    if flags := _flags(known.categories):
        return {text: flags[flag] for text in new if (flag := flag_in(text)) in flags}
    if known.kind != "text" or len(seen) == MOST:
        return {}
    twins = {text: text.removesuffix(".0") if text.endswith(".0") else f"{text}.0" for text in new}
    return {text: twin for text, twin in twins.items() if _WHOLE.fullmatch(text) and twin in seen}


def _flags(categories: Sequence[str]) -> dict[bool | None, str]:
    """How a column writes its booleans, even one that does not occur; empty if it has other categories."""
    flags: dict[bool | None, str] = {category.casefold() == "true": category for category in categories}
    if not categories or {text.casefold() for text in categories} - {"true", "false"} or len(flags) < len(categories):
        return {}
    styles = (styled for styled in (str.capitalize, str.lower, str.upper) if styled(categories[0]) == categories[0])
    style = next(styles, str)
    return {False: style("False"), True: style("True"), **flags}


def _kind(numbers: int, texts: Sequence[str], read: Mapping[str, float], declared: Declared) -> Kind:
    """The kind of a column, given how many numbers it has, its texts, and those texts that read as numbers.

    An undeclared column is mixed if at least half of its distinct cells are numbers and none of them begins with a
    needless zero (007 looks like a name).
    """
    if declared == "categorical":
        return "text"
    if len(read) == len(texts):
        return "number"
    if declared == "numeric":
        return "mixed"
    half = 2 * (numbers + len(read)) >= numbers + len(texts)
    return "mixed" if half and not any(map(_LEADING_ZERO.match, read)) else "text"


def _numbers_in(missing: Collection[str]) -> set[float]:
    """The numbers whose shortest spelling means a missing cell."""
    return {number for text in missing if (number := number_in(text)) is not None and spell(number) == text}


def _column(name: str, kind: Kind, values: list[Value], codes: NDArray[Any]) -> Column:
    """Make a column from the value of every code; values may repeat, in any order."""
    numbers, texts, place = _ranks(values)
    table = smallest(np.array([place[value] for value in values], dtype=np.uint32), len(place))
    return Column(name, kind, numbers, tuple(texts), table[codes])


def with_labels(cells: Cells, missing: Collection[str]) -> tuple[Cells, NDArray[np.bool_]]:
    """The cells of a target that are not missing, and a mask of their rows."""
    kept = np.array([*(True for _ in cells.numbers), *(text not in missing for text in cells.texts), False])
    rows = kept[cells.codes]
    texts = [text for text in cells.texts if text not in missing]
    return replace(cells, texts=texts, codes=(np.cumsum(kept) - 1)[cells.codes[rows]]), rows


def labels(name: str, cells: Cells, missing: Collection[str]) -> Labels:
    """Make labels of cells; they keep the type that they have in their source."""
    rows = np.flatnonzero(~with_labels(cells, missing)[1])
    if len(rows):
        raise MissingLabelsError(
            f"the target {name!r} is missing in {len(rows)} of {len(cells.codes)} rows, first in row {rows[0] + 1}; "
            "leave those rows out, or fill in their labels"
        )
    values = [*cells.numbers.tolist(), *cells.texts]
    if cells.type is None:
        examples = f"{values[0]!r} and {values[-1]!r}"
        raise ReadError(f"the labels in {name!r} have mixed types, such as {examples}; make them all text")
    if cells.type is int and max(map(abs, values), default=0) >= _EXACT:
        raise ReadError(
            f"the labels in {name!r} reach {max(values, key=abs):.0f}, beyond 2**53, where float64 no "
            "longer tells whole numbers apart; make them text"
        )
    kind = cells.type
    return Labels(name, tuple(value == "True" if kind is bool else kind(value) for value in values), cells.codes)
