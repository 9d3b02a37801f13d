"""Rank the cells of a column (`Cells`) by hashing or counting, without sorting Python objects by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError
from unless.kernels import ranking as kernels
from unless.read.dialect import PLAIN_NUMERALS, Numerals
from unless.table import rank_values
from unless.values import Label, Value, cell_value, label_type, number_to_text
from unless.values.notation import DATE, DATETIME, DAY, DateNotation, NotatedNumber, Notation, common_notation

_FEW = 1024  # argsort ranks up to this many numbers faster


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a source column: numbers ascending, texts sorted by code point, and the rank of every cell.

    Missing cells have the rank after both. ``type`` is the Python type of the cells, None if they differ: labels keep
    their type. ``categorical`` means that the source declares the column categorical: its numbers are names.
    ``notation`` is how its numbers are written, if not as plain numbers; texts may be the levels of a `LevelNotation`.
    ``numerals`` defines which texts spell numbers. ``whole`` is whether all numbers are whole and exact, None if
    unknown.
    """

    numbers: NDArray[np.float64]
    texts: Sequence[str]
    codes: NDArray[Any]
    type: type[Label] | None
    categorical: bool = False
    notation: Notation | None = None
    numerals: Numerals = PLAIN_NUMERALS
    whole: bool | None = None


def cells_from_numbers(array: NDArray[Any], kind: type[Label] = float) -> Cells:
    """Make cells from a numeric array; NaN is missing."""
    numbers, codes, whole = _rank_numbers(np.ascontiguousarray(array, dtype=np.float64))
    return Cells(numbers, (), codes, kind, whole=whole)


def cells_from_times(counts: NDArray[np.int64], missing: NDArray[np.bool_], unit: str, notation: Notation) -> Cells:
    """Make cells from an array of counts of days or of parts of seconds; ``notation`` counts microseconds."""
    size = _PER_SECOND[unit]
    micros = counts * (10**6 // size) if size <= 10**6 else counts // (size // 10**6)
    numbers, codes = rank(np.where(missing, np.nan, micros.astype(np.float64)))
    if isinstance(notation, DateNotation) and len(numbers) and not _FIRST <= numbers[0] <= numbers[-1] <= _LAST:
        raise ReadError("a date is before the year 1 or after 9999; convert the column to text, or leave it out")
    if notation == DATETIME and not (numbers % DAY).any():
        notation = DATE
    return Cells(numbers, (), codes, str, notation=notation)


_FIRST, _LAST = -62_135_596_800 * 1e6, 253_402_300_800 * 1e6 - 1
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def cells_from_flags(flags: NDArray[np.bool_], missing: NDArray[np.bool_] | None = None) -> Cells:
    """Make cells from a boolean array and a mask of the missing ones."""
    codes = flags.astype(np.intp)
    if missing is not None:
        codes[missing] = -1
    occurring = [flag if (codes == flag).any() else None for flag in (False, True)]
    return cells_from_dictionary(occurring, codes)


def cells_from_dictionary(distinct: Iterable[object], codes: NDArray[Any]) -> Cells:
    """Make cells from indices into a list of objects, which all occur; -1 is a missing cell.

    `values.cell_value` converts each object to a value: several may be the same value, and None is missing too.
    """
    distinct = list(distinct)
    values, notation = _unify_values([cell_value(cell) for cell in distinct])
    numbers, texts, place = rank_values(values)
    table = np.array([place[value] for value in [*values, None]], dtype=np.uint32)
    # "wrap" maps -1 to the last position.
    kind = _common_type(distinct, values)
    return Cells(numbers, texts, table.take(codes, mode="wrap"), kind, notation=notation)


def cells_from_texts(distinct: Sequence[str | None], codes: NDArray[Any]) -> Cells:
    """Make cells from indices into a list of distinct texts; None or -1 is a missing cell."""
    texts = sorted(text for text in distinct if text is not None)
    place = {text: code for code, text in enumerate(texts)}
    table = np.array([*(len(texts) if text is None else place[text] for text in distinct), len(texts)], dtype=np.uint32)
    return Cells(np.empty(0), texts, table.take(codes, mode="wrap"), str)


def _unify_values(values: list[Value]) -> tuple[list[Value], Notation | None]:
    """Convert values to one notation; numbers of incompatible notations become text."""
    written = {value.notation for value in values if isinstance(value, NotatedNumber)}
    if not written:
        return values, None
    notation = common_notation(written)
    if notation is None or any(value.__class__ is float for value in values):
        return [str(value) if isinstance(value, NotatedNumber) else value for value in values], None
    if notation == DATETIME and all(value % DAY == 0 for value in values if isinstance(value, float)):
        notation = DATE  # pandas has no type for dates without times
    return values, notation


def cells_from_objects(cells: Sequence[object]) -> Cells:
    """Make cells from Python objects of any kind; `values.cell_value` defines their meaning."""
    # Cell by cell, not by a dictionary of cells: True, 1 and 1.0 would be one key, and a list is not hashable.
    return cells_from_dictionary(cells, np.arange(len(cells)))


def join_cells(pieces: Sequence[Cells]) -> Cells:
    """Join the pieces of one column."""
    if len(pieces) == 1:
        return pieces[0]
    pieces, notation = _unify_pieces(pieces)
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
    kind = types.pop() if len(types) == 1 else None
    named = all(piece.categorical for piece in pieces)
    return Cells(numbers, texts, np.concatenate(codes), kind, named, notation, pieces[0].numerals)


def _unify_pieces(pieces: Sequence[Cells]) -> tuple[Sequence[Cells], Notation | None]:
    """Convert pieces to one notation; numbers of incompatible notations become text."""
    notations = {piece.notation for piece in pieces if len(piece.numbers) or piece.notation is not None}
    if notations <= {None}:
        return pieces, None
    notation = None if None in notations else common_notation(one for one in notations if one is not None)
    return (pieces, notation) if notation is not None else ([dates_as_texts(piece) for piece in pieces], None)


def dates_as_texts(cells: Cells) -> Cells:
    """Convert the dates and times among the cells to texts."""
    return numbers_as_texts(cells) if cells.notation is not None and len(cells.numbers) else cells


def numbers_as_texts(cells: Cells) -> Cells:
    """Convert the numbers among the cells to texts."""
    spelling = number_to_text if cells.notation is None else cells.notation.text
    values: list[Value] = [*map(spelling, cells.numbers.tolist()), *cells.texts, None]
    numbers, texts, place = rank_values(values)
    table = np.array([place[value] for value in values], dtype=np.uint32)
    return Cells(numbers, texts, table[cells.codes], str, numerals=cells.numerals)


def _common_type(cells: Iterable[object], values: Iterable[Value]) -> type[Label] | None:
    """Return the label type of all non-missing cells, None if they differ."""
    types = {type(cell) for cell, value in zip(cells, values, strict=True) if value is not None}
    kinds = {label_type(kind) for kind in types} or {str}
    return kinds.pop() if len(kinds) == 1 else None


def group_texts(ends: NDArray[np.int64], data: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Group equal texts; return the group of every row, and the first row of every group.

    Text ``row`` is the bytes of ``data`` from ``ends[row]`` to ``ends[row + 1]``.
    """
    codes = np.empty(len(ends) - 1, dtype=np.int32)
    firsts = np.empty(len(ends) - 1, dtype=np.int32)
    bits = 10
    while (count := kernels.group(ends, data, np.full(1 << bits, -1, dtype=np.int32), codes, firsts)) < 0:
        bits += 4  # the hash table was half full; few columns have many texts
    return codes, firsts[:count]


def rank(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """Return the distinct numbers ascending, and the rank of every value; NaN ranks last, and minus zero is zero."""
    numbers, codes, _ = _rank_numbers(values)
    return numbers, codes


def _rank_numbers(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.uint32], bool]:
    """Return the distinct numbers, the rank of every value, and whether all numbers are whole and exact."""
    codes = np.empty(len(values), dtype=np.uint32)
    low, high, whole = kernels.find_number_range(values)
    # Counting takes 3 ns a cell while its ranks fit into the cache; sorting takes ten times as long.
    if whole and high - low < 4 * len(values) + 1024:
        ranks = np.zeros(int(high - low) + 1, dtype=np.uint32)
        kernels.rank_whole(values, low, ranks, codes)
        return np.flatnonzero(ranks).astype(np.float64) + low + 0.0, codes, True
    firsts = np.empty(len(values), dtype=np.intp)
    count = _rank_packed(values, codes, firsts) if len(values) > _FEW else -1
    if count < 0:
        count = kernels.rank_ordered(values, np.argsort(values), codes, firsts)
    numbers = values[firsts[:count]]
    numbers += 0.0  # minus zero is zero
    return numbers, codes, whole


def _rank_packed(values: NDArray[np.float64], codes: NDArray[np.uint32], firsts: NDArray[np.intp]) -> int:
    """Rank by sorting words that hold the leading bits of a number and its row: numpy sorts those fastest.

    Return the number of ranks, or -1 if too many numbers differ only in dropped bits. (1e6 normal numbers take
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
