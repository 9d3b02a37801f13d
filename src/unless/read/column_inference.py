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
from unless.kernels import ranking as kernels
from unless.read.dialect import PLAIN_NUMERALS, Numerals
from unless.read.dialect_detection import numerals_among
from unless.table import MAX_DOMAIN_VALUES, Column, Kind, Labels, to_smallest_type
from unless.values import (
    LEADING_ZERO,
    Label,
    Value,
    are_codes_not_numbers,
    cell_value,
    label_type,
    missing_among,
    number_to_text,
    parse_flag,
    parse_number,
)
from unless.values.notation import (
    DATE,
    DATETIME,
    DAY,
    FLAG,
    INSTANT,
    MONEY,
    TIME,
    WHOLE,
    Amounts,
    DateNotation,
    LevelNotation,
    NotatedNumber,
    Notation,
    common_notation,
    detect_notation,
    with_unit,
)

Declared = OneOf["numeric", "categorical"] | None
"""What the caller says about a column; None leaves it to the cells."""

_WHOLE = re.compile(r"[+-]?[0-9]+(\.0)?")
_EXACT = 2.0**53
_FEW = 1024  # up to this many numbers argsort ranks faster


class MissingLabelsError(ReadError):
    """A target with missing labels."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A column as its source has it: numbers ascending, texts by code point, and the rank of every cell.

    Missing cells have the rank after both. ``type`` is the Python type of the cells, None if they differ: labels keep
    their type. ``categorical`` means that the source calls the column categorical: its numbers are names. ``notation``
    says how its numbers are written, if not as plain numbers; texts may be the levels of an `LevelNotation`.
    ``numerals`` tells which texts spell numbers, and ``whole`` whether all numbers are whole and exact, if that is
    known.
    """

    numbers: NDArray[np.float64]
    texts: Sequence[str]
    codes: NDArray[Any]
    type: type[Label] | None
    categorical: bool = False
    notation: Notation | None = None
    numerals: Numerals = PLAIN_NUMERALS
    whole: bool | None = None


def of_numbers(array: NDArray[Any], kind: type[Label] = float) -> Cells:
    """Cells of a numeric array; NaN is missing."""
    numbers, codes, whole = _ranked(np.ascontiguousarray(array, dtype=np.float64))
    return Cells(numbers, (), codes, kind, whole=whole)


def of_times(counts: NDArray[np.int64], missing: NDArray[np.bool_], unit: str, notation: Notation) -> Cells:
    """Cells of an array of whole numbers that count days or parts of seconds; in ``notation``, microseconds."""
    size = _PER_SECOND[unit]
    micros = counts * (10**6 // size) if size <= 10**6 else counts // (size // 10**6)
    numbers, codes = rank(np.where(missing, np.nan, micros.astype(np.float64)))
    if isinstance(notation, DateNotation) and len(numbers) and not _FIRST <= numbers[0] <= numbers[-1] <= _LAST:
        raise ReadError("a date is before the year 1 or after the year 9999; make the column text, or leave it out")
    if notation == DATETIME and not (numbers % DAY).any():
        notation = DATE
    return Cells(numbers, (), codes, str, notation=notation)


_FIRST, _LAST = -62_135_596_800 * 1e6, 253_402_300_800 * 1e6 - 1
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def of_flags(flags: NDArray[np.bool_], missing: NDArray[np.bool_] | None = None) -> Cells:
    """Cells of a boolean array, with a mask for those that are missing."""
    codes = flags.astype(np.intp)
    if missing is not None:
        codes[missing] = -1
    occurring = [flag if (codes == flag).any() else None for flag in (False, True)]
    return of_dictionary(occurring, codes)


def of_dictionary(distinct: Iterable[object], codes: NDArray[Any]) -> Cells:
    """Cells given as places in a list of objects, which all occur, in any order; -1 is a missing cell.

    `values.cell_value` says what each object means: several objects may be the same value, and None is missing too.
    """
    distinct = list(distinct)
    values, notation = _in_one_notation([cell_value(cell) for cell in distinct])
    numbers, texts, place = _ranks(values)
    table = np.array([place[value] for value in [*values, None]], dtype=np.uint32)
    # "wrap" sends -1 to the last place.
    kind = _common_type(distinct, values)
    return Cells(numbers, texts, table.take(codes, mode="wrap"), kind, notation=notation)


def _in_one_notation(values: list[Value]) -> tuple[list[Value], Notation | None]:
    """The values, and the notation of their numbers; notations that do not go together become text."""
    written = {value.notation for value in values if isinstance(value, NotatedNumber)}
    if not written:
        return values, None
    notation = common_notation(written)
    if notation is None or any(value.__class__ is float for value in values):
        return [str(value) if isinstance(value, NotatedNumber) else value for value in values], None
    if notation == DATETIME and all(value % DAY == 0 for value in values if isinstance(value, float)):
        notation = DATE  # pandas has no dates without times
    return values, notation


def of_objects(cells: Sequence[object]) -> Cells:
    """Cells that are Python objects of any kind; `values.cell_value` says what each means."""
    # Cell by cell, not by a dictionary of the cells: True, 1 and 1.0 would be one key, and a list cannot be one.
    return of_dictionary(cells, np.arange(len(cells)))


def joined(pieces: Sequence[Cells]) -> Cells:
    """The cells of one column, from its pieces."""
    if len(pieces) == 1:
        return pieces[0]
    pieces, notation = _alike(pieces)
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


def _alike(pieces: Sequence[Cells]) -> tuple[Sequence[Cells], Notation | None]:
    """The pieces, and the notation of their numbers; where notations do not go together, numbers become text."""
    notations = {piece.notation for piece in pieces if len(piece.numbers) or piece.notation is not None}
    if notations <= {None}:
        return pieces, None
    notation = None if None in notations else common_notation(one for one in notations if one is not None)
    return (pieces, notation) if notation is not None else ([as_texts(piece) for piece in pieces], None)


def as_texts(cells: Cells) -> Cells:
    """The cells, with dates and times as texts."""
    return as_names(cells) if cells.notation is not None and len(cells.numbers) else cells


def as_names(cells: Cells) -> Cells:
    """The cells, with numbers as texts."""
    spelling = number_to_text if cells.notation is None else cells.notation.text
    values: list[Value] = [*map(spelling, cells.numbers.tolist()), *cells.texts, None]
    numbers, texts, place = _ranks(values)
    table = np.array([place[value] for value in values], dtype=np.uint32)
    return Cells(numbers, texts, table[cells.codes], str, numerals=cells.numerals)


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
    numbers, codes, _ = _ranked(values)
    return numbers, codes


def _ranked(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.uint32], bool]:
    """The same, and whether all numbers are whole and exact."""
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
    name: str,
    cells: Cells,
    declared: Declared,
    missing: Collection[str],
    *,
    spelled: bool,
    known: Column | None = None,
    notation: Notation | None = None,
    alike: bool = False,
) -> Column:
    """Make a column of cells: some are missing, the others are numbers or categories.

    ``missing`` are the texts that mean a missing cell. Texts that spell numbers are numbers if the column is declared
    numeric, or if it is undeclared and looks numeric or mixed (`_kind`). So are texts that spell dates, times or
    durations, texts that are levels of an order if the ``notation`` says so, and numbers with one unit. In a column of
    categories a number becomes its shortest spelling, which is compared with ``missing``.

    ``spelled`` are the cells of text files, where a number is never anything but text. In a typed column of text,
    whole numbers are names if nothing else is there (zip codes), and numbers are numbers if they are more than half.

    If it is read ``alike``, as training was, nothing new is noticed. ``known`` is the column in training. Cells of
    other types mean what they plainly meant there (`as_known`).
    """
    missing = missing_among(cells.texts, missing)
    if declared is None and cells.categorical:
        declared = "categorical"
    if declared == "categorical":
        return _settle_names(name, as_texts(cells), missing, known, spelled=spelled)
    if alike and (notation is None or notation.plain):
        cells = as_texts(cells)  # training had no dates
    wanted = cells.notation if notation is None or notation.plain else notation
    if wanted is not None:
        return _settle_written(name, cells, wanted, missing, declared=notation is not None and not alike)
    present = [text for text in cells.texts if text not in missing]
    read = _numbers_among(present, cells, declared, known)
    if isinstance(notation, Amounts):
        read |= _amounts_in(present, notation, cells.numerals if spelled else None)
    if declared is None and not spelled and not len(cells.numbers) and _are_names(present, read):
        read = {}
    gone = _gone(cells, missing) if not spelled else set()
    kind = _kind(len(cells.numbers) - len(gone), present, read, declared)
    if kind == "text" or (declared == "numeric" and not len(cells.numbers)):
        rest = {} if kind == "text" else read
        found = None if alike else _noticed_in(name, cells, present, rest, missing, spelled=spelled)
        if found is not None or kind == "text":
            return found or _settle_names(name, cells, missing, known, spelled=spelled)
    # Who loads a text file into a database gets numbers where all cells are numbers.
    typed = kind == "number" if spelled else len(cells.numbers) > 0 and not read and cells.type is not str
    if not (read or gone or len(present) < len(cells.texts)):
        column = Column(name, kind, cells.numbers, tuple(cells.texts), cells.codes, typed=typed)
        return _numeric(column, notation, whole=cells.whole, alike=alike)
    kept = set(present)
    numbers = (None if x in gone else x for x in cells.numbers.tolist())
    texts = (read.get(text, text) if text in kept else None for text in cells.texts)
    return _numeric(_column(name, kind, [*numbers, *texts, None], cells.codes, typed=typed), notation, alike=alike)


def _settle_names(name: str, cells: Cells, missing: Collection[str], known: Column | None, *, spelled: bool) -> Column:
    """A column of categories: numbers become their shortest spelling."""
    gone = _gone(cells, missing) if not spelled else set()
    present = {text for text in cells.texts if text not in missing}
    spellings = [number_to_text(x) for x in cells.numbers.tolist()]
    meant = {} if known is None else as_known((*present, *spellings), known)
    if not (meant or spellings or len(present) < len(cells.texts)):
        return Column(name, "text", cells.numbers, tuple(cells.texts), cells.codes)
    numbers = (None if x in gone else meant.get(s, s) for x, s in zip(cells.numbers.tolist(), spellings, strict=True))
    texts = (meant.get(text, text) if text in present else None for text in cells.texts)
    return _column(name, "text", [*numbers, *texts, None], cells.codes)


def _settle_written(
    name: str,
    cells: Cells,
    notation: Notation,
    missing: Collection[str],
    read: Mapping[str, float] | None = None,
    *,
    declared: bool = False,
) -> Column:
    """A column of numbers that are written in a notation, among other categories.

    Numbers in another notation, or in none, mean what their text means. ``read`` are the numbers of texts, if they are
    known already. A ``declared`` notation is an error if no cell has it.
    """
    own = cells.notation or WHOLE
    same = own == notation or (isinstance(own, DateNotation) and isinstance(notation, DateNotation))
    numbers = cells.numbers.tolist()
    if not same:
        numbers = [_in_notation(number_to_text(own.value(number)), notation) for number in numbers]
    texts = [None if text in missing else _in_notation(text, notation, read) for text in cells.texts]
    values: list[Value] = [*numbers, *texts, None]
    found = [value for value in values if isinstance(value, float)]
    if declared and not found and (others := [value for value in values if isinstance(value, str)]):
        raise ReadError(_unlike(name, notation, min(others)))
    if isinstance(notation, DateNotation):
        notation = notation.fitting(found, zoned=cells.notation == INSTANT)
    kind: Kind = "mixed" if any(isinstance(value, str) for value in values) else "number"
    if same and not cells.texts:
        return Column(name, kind, cells.numbers, (), cells.codes, notation)
    return replace(_column(name, kind, values, cells.codes), notation=notation)


def _in_notation(text: str, notation: Notation, read: Mapping[str, float] | None = None) -> Value:
    """The number that a text means in a notation, or the text."""
    number = notation.number(text) if read is None else read.get(text)
    return text if number is None else number


def _unlike(name: str, notation: Notation, cell: str) -> str:
    """What is wrong with a declaration that fits no cell of a column."""
    if isinstance(notation, LevelNotation):
        return f"no cell of {name!r} is in its order, {', '.join(notation.levels[:4])}; one is {cell!r}"
    if notation == TIME:
        return f"no cell of {name!r} is a time of the day like 7:30, such as {cell!r}; leave its format out"
    form = getattr(notation, "format", None)
    like = "as in ISO 8601, 2020-08-01" if form is None else f"like {form!r}"
    return f"no cell of {name!r} is a date {like}, such as {cell!r}; give the format that its cells have"


def _numeric(column: Column, notation: Notation | None, *, whole: bool | None = None, alike: bool) -> Column:
    """A column that was just made, with the notation of training; in training, with what its numbers show."""
    found = _plain_notation(column, whole=whole) if notation is None and not alike else notation
    object.__setattr__(column, "notation", found)  # to make it again would check it again
    return column


def _plain_notation(column: Column, *, whole: bool | None) -> Notation | None:
    """Whether numbers are whole and exact, or only 0 and 1; the first may be known."""
    numbers = column.numbers
    if not len(numbers) or not (kernels.find_number_range(numbers)[2] if whole is None else whole):
        return None
    flags = column.kind == "number" and len(numbers) == 2 and numbers.tolist() == [0, 1]
    return FLAG if flags else WHOLE


def _noticed_in(
    name: str,
    cells: Cells,
    present: Sequence[str],
    read: Mapping[str, float],
    missing: Collection[str],
    *,
    spelled: bool,
) -> Column | None:
    """A column of dates, or of numbers with one unit, that nobody has declared; None if it is neither.

    ``read`` are texts that are numbers anyway.
    """
    if not read and (found := detect_notation(present)) is not None:
        return _settle_written(name, cells, found[0], missing, found[1])
    unit = None if 2 * len(read) >= len(present) else _unit_of(present, cells, spelled=spelled)
    return None if unit is None else settle(name, cells, "numeric", missing, spelled=spelled, notation=unit)


def _unit_of(texts: Sequence[str], cells: Cells, *, spelled: bool) -> Amounts | None:
    """The unit of numbers that nobody declared; None if fewer than half of the texts are numbers with the same one."""
    found = with_unit(texts)
    if found is None:
        return None
    bare = {text: one for text in texts if (one := found.bare(text)) is not None}
    numerals = cells.numerals if spelled else numerals_among(bare.values(), money=found.unit in MONEY)
    found = Amounts.of(found.before, found.after, numerals.decimal, numerals.thousands)
    read = _amounts_in(texts, found, cells.numerals if spelled else None)
    return None if 2 * len(read) < len(texts) or any(map(LEADING_ZERO.match, bare.values())) else found


def _amounts_in(texts: Iterable[str], unit: Amounts, numerals: Numerals | None) -> dict[str, float]:
    """The numbers of texts that have a unit, in the numerals of a file, or in those of training."""
    if numerals is None:
        return {text: number for text in texts if (number := unit.amount(text)) is not None}
    bare = {text: one for text in texts if (one := unit.bare(text)) is not None}
    return {text: number for text, one in bare.items() if (number := numerals.number_in(one)) is not None}


def _gone(cells: Cells, missing: Collection[str]) -> set[float]:
    """The numbers whose shortest spelling means a missing cell."""
    return numbers_spelled(missing) & set(cells.numbers.tolist()) if missing else set()


def _are_names(texts: Sequence[str], read: Mapping[str, float]) -> bool:
    """Whether the texts of a typed column are names: hardly any spells a number, or all are digits only."""
    return 2 * len(read) <= len(texts) or all(text.isascii() and text.isdigit() for text in texts)


def _numbers_among(texts: Sequence[str], cells: Cells, declared: Declared, known: Column | None) -> dict[str, float]:
    """The texts that spell numbers; booleans are 0 and 1 where training had only numbers."""
    found = cells.numerals.numbers_in(texts, each=declared is not None)
    if known is None:
        return found
    if declared == "numeric" and not known.categories:
        found |= {text: float(flag) for text in texts if text not in found and (flag := parse_flag(text)) is not None}
    if not cells.numerals.plain:  # 1.234 beside 1.2.3 was a category
        found = {text: number for text, number in found.items() if text not in known.categories}
    return found


def again(column: Column, known: Column) -> Column:
    """Turn a column that was read without regard to training into what it would be if read like training."""
    written = None if column.notation is None or column.notation.plain else column.notation
    cells = Cells(column.numbers, column.categories, column.codes, None, notation=written)
    declared: Declared = "categorical" if known.kind == "text" else "numeric"
    return settle(column.name, cells, declared, (), spelled=False, known=known, notation=known.notation, alike=True)


def as_known(texts: Iterable[str], known: Column) -> dict[str, str]:
    """Map texts that training plainly had in another spelling to that spelling.

    Where all categories in training were booleans, 1 is the true one and 0 the false one, however they are written. A
    whole number is the same with .0 at its end: libraries add that to a column when a cell becomes missing. This is
    assumed only if all categories of the column are known.
    """
    seen = frozenset(known.categories)
    new = [text for text in texts if text not in seen]
    if (dates := detect_notation(known.categories)) is not None:  # earlier versions took dates for text
        spelling = {number: text for text, number in dates[1].items()}
        moments = {text: dates[0].number(text) for text in new}
        return {text: spelling[moment] for text, moment in moments.items() if moment in spelling}
    if flags := flag_names(known.categories):
        return {text: flags[flag] for text in new if (flag := parse_flag(text)) in flags}
    if known.kind != "text" or len(seen) == MAX_DOMAIN_VALUES:
        return {}
    twins = {text: text.removesuffix(".0") if text.endswith(".0") else f"{text}.0" for text in new}
    return {text: twin for text, twin in twins.items() if _WHOLE.fullmatch(text) and twin in seen}


def flag_names(categories: Sequence[str]) -> dict[bool | None, str]:
    """How a column writes its booleans, even one that does not occur; empty if it has other categories."""
    flags: dict[bool | None, str] = {category.casefold() == "true": category for category in categories}
    if not categories or {text.casefold() for text in categories} - {"true", "false"} or len(flags) < len(categories):
        return {}
    styles = (styled for styled in (str.capitalize, str.lower, str.upper) if styled(categories[0]) == categories[0])
    style = next(styles, str)
    return {False: style("False"), True: style("True"), **flags}


def _kind(numbers: int, texts: Sequence[str], read: Mapping[str, float], declared: Declared) -> Kind:
    """The kind of a column, given how many numbers it has, its texts, and those texts that read as numbers.

    An undeclared column of numbers only is text if they are names, like 007. It is mixed if at least half of its
    distinct cells are numbers and none begins with a needless zero.
    """
    if len(read) == len(texts):
        return "text" if declared is None and are_codes_not_numbers(read) else "number"
    half = 2 * (numbers + len(read)) >= numbers + len(texts) and not any(map(LEADING_ZERO.match, read))
    return "mixed" if declared == "numeric" or half else "text"


def numbers_spelled(missing: Collection[str]) -> set[float]:
    """The numbers whose shortest spelling means a missing cell."""
    return {number for text in missing if (number := parse_number(text)) is not None and number_to_text(number) == text}


def _column(name: str, kind: Kind, values: list[Value], codes: NDArray[Any], *, typed: bool = False) -> Column:
    """Make a column from the value of every code; values may repeat, in any order."""
    numbers, texts, place = _ranks(values)
    table = to_smallest_type(np.array([place[value] for value in values], dtype=np.uint32), len(place))
    ranks = table.take(codes)  # 32,561 cells take 29 us, table[codes] 79
    return Column(name, kind, numbers, tuple(texts), ranks, typed=typed)


def with_labels(cells: Cells, missing: Collection[str]) -> tuple[Cells, NDArray[np.bool_]]:
    """The cells of a target that are not missing, and a mask of their rows."""
    cells = as_texts(cells)
    missing = missing_among(cells.texts, missing)
    kept = np.array([*(True for _ in cells.numbers), *(text not in missing for text in cells.texts), False])
    rows = kept[cells.codes]
    texts = [text for text in cells.texts if text not in missing]
    return replace(cells, texts=texts, codes=(np.cumsum(kept) - 1)[cells.codes[rows]]), rows


def labels(name: str, cells: Cells, missing: Collection[str]) -> Labels:
    """Make labels of cells; they keep the type that they have in their source."""
    cells = as_texts(cells)
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
