"""Infer the kind of a column from its cells: numbers, categories, or both, as declared or detected.

`infer_column` treats text files, typed files, frames, blocks and streams in the same way: it reads only the distinct
values of a column (`Cells`).
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
from unless.read.cells import Cells, dates_as_texts
from unless.read.dialect import Numerals
from unless.read.dialect_detection import detect_numerals
from unless.table import (
    MAX_DOMAIN_VALUES,
    Column,
    Kind,
    Labels,
    SpecialCodes,
    checked_column,
    name_special_codes,
    rank_values,
    to_smallest_type,
)
from unless.values import (
    LEADING_ZERO,
    Value,
    are_codes_not_numbers,
    missing_among,
    number_to_text,
    parse_flag,
    parse_number,
)
from unless.values.notation import (
    FLAG,
    INSTANT,
    MONEY,
    TIME,
    WHOLE,
    Amounts,
    DateNotation,
    LevelNotation,
    Notation,
    detect_notation,
    with_unit,
)

Declared = OneOf["numeric", "categorical"] | None
"""The kind of a column as declared by the caller; None infers it from the cells."""

_DIGIT = re.compile(r"\d")
_WHOLE = re.compile(r"[+-]?[0-9]+(\.0)?")
_EXACT = 2.0**53


class MissingLabelsError(ReadError):
    """Raised for a target with missing labels."""


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """The facts known about a column before its cells are inspected.

    ``missing`` are the texts that stand for a missing cell. ``spelled`` is true for text files, where every number is a
    text. ``known`` is the column in training, and ``notation`` how its numbers are written. If read ``like_training``,
    nothing new is detected, and cells of other types have their meaning in training (`known_spellings`).
    """

    name: str
    declared: Declared = None
    missing: Collection[str] = ()
    spelled: bool = False
    known: Column | None = None
    notation: Notation | None = None
    like_training: bool = False
    special: SpecialCodes = ()

    @property
    def written(self) -> Notation | None:
        """The notation, if numbers are not written as plain numbers."""
        return None if self.notation is None or self.notation.plain else self.notation


def infer_column(cells: Cells, spec: ColumnSpec) -> Column:
    """Turn cells into a column whose cells are missing, numbers or categories.

    Texts that spell numbers are numbers if the column is declared numeric, or if it is undeclared and looks numeric or
    mixed (`_choose_kind`). The same holds for dates, times, durations, numbers with one unit, and levels of a declared
    order. In a column of categories a number becomes its shortest spelling, which is compared with the texts that mean
    missing. In a column of numbers, a number that one of these texts spells is missing.

    In a typed column of text, whole numbers alone are names (zip codes); otherwise texts that spell numbers are numbers
    if they are more than half.
    """
    column = _infer_any(cells, spec)
    return _name_special(column, spec) if spec.special else column


def _name_special(column: Column, spec: ColumnSpec) -> Column:
    """Name the special codes of a column, whose notation then depends on its other numbers."""
    if spec.like_training:
        return name_special_codes(column, spec.special)
    if column.notation is not None and not column.notation.plain:
        what = f"{column.notation.name} values" if isinstance(column.notation, LevelNotation) else "dates or times"
        raise ReadError(f"{spec.name!r} has {what}, but special codes are numbers; leave it out of special=")
    if column.categories and not len(column.numbers):
        first = column.categories[0]
        raise ReadError(f"{spec.name!r} has no numbers, such as {first!r}, but special codes are numbers")
    for code, name in spec.special:
        if name in column.categories:
            raise ReadError(
                f"special= gives the code {number_to_text(code)} of {spec.name!r} the name {name!r}, which some cells "
                "have; choose another name"
            )
    found = name_special_codes(column, spec.special)
    if len(found.numbers) == len(column.numbers) or isinstance(column.notation, Amounts) or spec.notation is not None:
        return found
    return _add_notation(found, spec)


def _infer_any(cells: Cells, spec: ColumnSpec) -> Column:
    """Infer a column in which special codes are still numbers."""
    if spec.missing:
        spec = replace(spec, missing=missing_among(cells.texts, spec.missing))
    if _is_plainly_text(cells, spec):
        return _make_categories(cells, spec)
    if spec.declared == "categorical" or (spec.declared is None and cells.categorical):
        return _make_categories(dates_as_texts(cells), spec)
    if spec.like_training and spec.written is None:
        cells = dates_as_texts(cells)  # training had no dates
    notation = spec.written or cells.notation
    if notation is not None:
        return _make_notated_column(cells, spec, notation)
    return _infer_undeclared(cells, spec)


def _is_plainly_text(cells: Cells, spec: ColumnSpec) -> bool:
    """Whether no text of an undeclared column has a digit, so that none is a number, a date or an amount."""
    undeclared = spec.declared is None and spec.notation is None and spec.known is None and not spec.like_training
    if not undeclared or cells.notation is not None or len(cells.numbers) or cells.categorical:
        return False
    return not _DIGIT.search("".join(cells.texts)) and any(text not in spec.missing for text in cells.texts)


def _infer_undeclared(cells: Cells, spec: ColumnSpec) -> Column:
    """Infer an undeclared column whose numbers, if any, are plain or have a unit."""
    present = [text for text in cells.texts if text not in spec.missing]
    read = _parse_texts(present, cells, spec)
    gone = _numbers_meaning_missing(cells, spec, read)
    if gone and spec.spelled:
        present = [text for text in present if read.get(text) not in gone]
        read = {text: number for text, number in read.items() if number not in gone}
    numbers_left = int(np.isin(cells.numbers, list(gone), invert=True).sum()) if gone else len(cells.numbers)
    kind = _choose_kind(numbers_left, present, read, spec.declared)
    if kind == "text":
        return _detect_in_texts(cells, spec, {}) or _make_categories(cells, spec)
    if spec.declared == "numeric" and not len(cells.numbers) and (found := _detect_in_texts(cells, spec, read)):
        return found
    # A database that loads a text file makes numbers of columns whose cells are all numbers.
    typed = kind == "number" if spec.spelled else len(cells.numbers) > 0 and not read and cells.type is not str
    if not (read or gone or len(present) < len(cells.texts)):
        column = checked_column(spec.name, kind, cells.numbers, tuple(cells.texts), cells.codes, typed=typed)
        return _add_notation(column, spec, whole=cells.whole)
    kept = set(present)
    numbers = (None if x in gone else x for x in cells.numbers.tolist())
    texts = (read.get(text, text) if text in kept else None for text in cells.texts)
    return _add_notation(_make_column(spec, kind, [*numbers, *texts, None], cells.codes, typed=typed), spec)


def _numbers_meaning_missing(cells: Cells, spec: ColumnSpec, read: Mapping[str, float]) -> set[float]:
    """Find the numbers of a column that mean a missing cell; in text files, in any spelling."""
    if spec.spelled:
        wanted = {number for text in spec.missing if (number := cells.numerals.number_in(text)) is not None}
    else:
        wanted = numbers_spelled(spec.missing)
    return wanted.intersection([*cells.numbers.tolist(), *(read.values() if spec.spelled else ())]) if wanted else set()


def _parse_texts(texts: Sequence[str], cells: Cells, spec: ColumnSpec) -> dict[str, float]:
    """Map the texts that spell numbers to the numbers; empty if the texts of a typed column are names."""
    read = _parse_plain_numbers(texts, cells, spec)
    if isinstance(spec.notation, Amounts):
        read |= _parse_amounts(texts, spec.notation, cells.numerals if spec.spelled else None)
    if spec.declared is None and not spec.spelled and not len(cells.numbers) and _are_names(texts, read):
        return {}
    return read


def _parse_plain_numbers(texts: Sequence[str], cells: Cells, spec: ColumnSpec) -> dict[str, float]:
    """Map texts that spell plain numbers to the numbers; booleans are 0 and 1 if training had only numbers."""
    found, known = cells.numerals.numbers_in(texts, each=spec.declared is not None), spec.known
    if known is None:
        return found
    if spec.declared == "numeric" and not known.categories:
        found |= {text: float(flag) for text in texts if text not in found and (flag := parse_flag(text)) is not None}
    if not cells.numerals.plain:  # next to 1.2.3, 1.234 was a category
        found = {text: number for text, number in found.items() if text not in known.categories}
    return found


def _are_names(texts: Sequence[str], read: Mapping[str, float]) -> bool:
    """Whether the texts of a typed column are names: at most half spell numbers, or all consist of digits."""
    return 2 * len(read) <= len(texts) or all(text.isascii() and text.isdigit() for text in texts)


def _choose_kind(numbers: int, texts: Sequence[str], read: Mapping[str, float], declared: Declared) -> Kind:
    """Choose the kind of a column, given its count of numbers, its texts, and the texts that spell numbers.

    An undeclared column of only numbers is text if they are codes, like 007. A column is mixed if at least half of its
    distinct cells are numbers and none has a leading zero.
    """
    if len(read) == len(texts):
        return "text" if declared is None and are_codes_not_numbers(read) else "number"
    half = 2 * (numbers + len(read)) >= numbers + len(texts) and not any(map(LEADING_ZERO.match, read))
    return "mixed" if declared == "numeric" or half else "text"


def numbers_spelled(missing: Collection[str]) -> set[float]:
    """Find the numbers whose shortest spelling means a missing cell."""
    return {number for text in missing if (number := parse_number(text)) is not None and number_to_text(number) == text}


def _add_notation(column: Column, spec: ColumnSpec, *, whole: bool | None = None) -> Column:
    """Add the notation of training to a new column; in training, infer it from the numbers."""
    found = _plain_notation(column, whole=whole) if spec.notation is None and not spec.like_training else spec.notation
    object.__setattr__(column, "notation", found)  # a new column would be checked again
    return column


def _plain_notation(column: Column, *, whole: bool | None) -> Notation | None:
    """Find the notation of plain numbers: flags if only 0 and 1, whole numbers if all are whole and exact."""
    numbers = column.numbers
    if not len(numbers) or not (kernels.find_number_range(numbers)[2] if whole is None else whole):
        return None
    return FLAG if column.kind == "number" and numbers.tolist() == [0, 1] else WHOLE


def _make_column(
    spec: ColumnSpec, kind: Kind, values: list[Value], codes: NDArray[Any], *, typed: bool = False
) -> Column:
    """Make a column from the value of every code; values may repeat, in any order."""
    numbers, texts, place = rank_values(values)
    table = to_smallest_type(np.array([place[value] for value in values], dtype=np.uint32), len(place))
    ranks = table.take(codes)  # 32,561 cells take 29 us, table[codes] 79
    return checked_column(spec.name, kind, numbers, tuple(texts), ranks, typed=typed)


# Columns of categories.


def _make_categories(cells: Cells, spec: ColumnSpec) -> Column:
    """Make a column of categories: numbers become their shortest spelling."""
    gone = numbers_spelled(spec.missing) if len(cells.numbers) else set()
    present = {text for text in cells.texts if text not in spec.missing}
    spellings = [number_to_text(x) for x in cells.numbers.tolist()]
    meant = {} if spec.known is None else known_spellings((*present, *spellings), spec.known)
    if not (meant or spellings or len(present) < len(cells.texts)):
        return checked_column(spec.name, "text", cells.numbers, tuple(cells.texts), cells.codes)
    numbers = (None if x in gone else meant.get(s, s) for x, s in zip(cells.numbers.tolist(), spellings, strict=True))
    texts = (meant.get(text, text) if text in present else None for text in cells.texts)
    return _make_column(spec, "text", [*numbers, *texts, None], cells.codes)


def read_as_in_training(column: Column, known: Column) -> Column:
    """Convert a column that was read independently of training to the kind it has in training."""
    written = None if column.notation is None or column.notation.plain else column.notation
    cells = Cells(column.numbers, column.categories, column.codes, None, notation=written)
    declared: Declared = "categorical" if known.kind == "text" else "numeric"
    spec = ColumnSpec(column.name, declared, known=known, notation=known.notation, like_training=True)
    return infer_column(cells, replace(spec, special=known.special))


def known_spellings(texts: Iterable[str], known: Column) -> dict[str, str]:
    """Map texts to their unambiguous spelling in training.

    If all categories in training were booleans, 1 is the true category and 0 the false one, in any spelling. A whole
    number also matches with .0 at its end: libraries add .0 to a column when a cell becomes missing. This is assumed
    only if all categories of the column are known.
    """
    seen = frozenset(known.categories)
    new = [text for text in texts if text not in seen]
    if (dates := detect_notation(known.categories)) is not None:  # earlier versions read dates as text
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
    """Find the spellings of false and true in a column, even of one that does not occur; empty if not boolean."""
    flags: dict[bool | None, str] = {category.casefold() == "true": category for category in categories}
    if not categories or {text.casefold() for text in categories} - {"true", "false"} or len(flags) < len(categories):
        return {}
    styles = (styled for styled in (str.capitalize, str.lower, str.upper) if styled(categories[0]) == categories[0])
    style = next(styles, str)
    return {False: style("False"), True: style("True"), **flags}


# Columns of dates, times, durations and levels, and of numbers with a unit.


def _make_notated_column(
    cells: Cells, spec: ColumnSpec, notation: Notation, read: Mapping[str, float] | None = None
) -> Column:
    """Make a column of numbers in a notation, possibly with other categories.

    Numbers in another notation, or in none, are read as their text. ``read`` are the numbers of texts, if already
    known. A notation that the caller declared is an error if no cell has it.
    """
    own = cells.notation or WHOLE
    same = own == notation or (isinstance(own, DateNotation) and isinstance(notation, DateNotation))
    numbers = cells.numbers.tolist()
    if not same:
        numbers = [_parse_in_notation(number_to_text(own.value(number)), notation) for number in numbers]
    texts = [None if text in spec.missing else _parse_in_notation(text, notation, read) for text in cells.texts]
    values: list[Value] = [*numbers, *texts, None]
    found = [value for value in values if isinstance(value, float)]
    others = [value for value in values if isinstance(value, str)]
    if spec.notation is not None and not spec.like_training and others and not found:
        raise ReadError(_format_mismatch(spec.name, notation, min(others)))
    if isinstance(notation, DateNotation):
        notation = notation.fit_to(found, zoned=cells.notation == INSTANT)
    kind: Kind = "mixed" if others else "number"
    if same and not cells.texts:
        return checked_column(spec.name, kind, cells.numbers, (), cells.codes, notation)
    return replace(_make_column(spec, kind, values, cells.codes), notation=notation)


def _parse_in_notation(text: str, notation: Notation, read: Mapping[str, float] | None = None) -> Value:
    """Return the number that a text spells in a notation, otherwise the text."""
    number = notation.number(text) if read is None else read.get(text)
    return text if number is None else number


def _format_mismatch(name: str, notation: Notation, cell: str) -> str:
    """Write the error message for a declaration that fits no cell of a column."""
    if isinstance(notation, LevelNotation):
        return f"no cell of {name!r} is in its order, {', '.join(notation.levels[:4])}; one is {cell!r}"
    if notation == TIME:
        return f"no cell of {name!r} is a time of the day like 7:30, such as {cell!r}; leave its format out"
    form = getattr(notation, "format", None)
    like = "as in ISO 8601, 2020-08-01" if form is None else f"like {form!r}"
    return f"no cell of {name!r} is a date {like}, such as {cell!r}; give the format that its cells have"


def _detect_in_texts(cells: Cells, spec: ColumnSpec, read: Mapping[str, float]) -> Column | None:
    """Detect an undeclared column of dates, or of numbers with one unit; None if it is neither.

    ``read`` are the texts already known to be numbers.
    """
    if spec.like_training:
        return None
    present = [text for text in cells.texts if text not in spec.missing]
    if not read and (found := detect_notation(present)) is not None:
        return _make_notated_column(cells, replace(spec, notation=None), *found)
    unit = None if 2 * len(read) >= len(present) else _detect_unit(present, cells, spelled=spec.spelled)
    return None if unit is None else _infer_any(cells, replace(spec, declared="numeric", known=None, notation=unit))


def _detect_unit(texts: Sequence[str], cells: Cells, *, spelled: bool) -> Amounts | None:
    """Detect the unit of numbers; None if fewer than half of the texts are numbers with the same unit."""
    found = with_unit(texts)
    if found is None:
        return None
    bare = {text: one for text in texts if (one := found.bare(text)) is not None}
    numerals = cells.numerals if spelled else detect_numerals(bare.values(), money=found.unit in MONEY)
    found = Amounts.of(found.before, found.after, numerals.decimal, numerals.thousands)
    read = _parse_amounts(texts, found, cells.numerals if spelled else None)
    return None if 2 * len(read) < len(texts) or any(map(LEADING_ZERO.match, bare.values())) else found


def _parse_amounts(texts: Iterable[str], unit: Amounts, numerals: Numerals | None) -> dict[str, float]:
    """Parse the numbers of texts with a unit, in the numerals of the file or of training."""
    if numerals is None:
        return {text: number for text in texts if (number := unit.amount(text)) is not None}
    bare = {text: one for text in texts if (one := unit.bare(text)) is not None}
    return {text: number for text, one in bare.items() if (number := numerals.number_in(one)) is not None}


# Labels.


def drop_missing_labels(cells: Cells, missing: Collection[str]) -> tuple[Cells, NDArray[np.bool_]]:
    """Drop the missing cells of a target; also return a mask of the other rows."""
    cells = dates_as_texts(cells)
    missing = missing_among(cells.texts, missing)
    kept = np.array([*(True for _ in cells.numbers), *(text not in missing for text in cells.texts), False])
    rows = kept[cells.codes]
    texts = [text for text in cells.texts if text not in missing]
    return replace(cells, texts=texts, codes=(np.cumsum(kept) - 1)[cells.codes[rows]]), rows


def make_labels(name: str, cells: Cells, missing: Collection[str]) -> Labels:
    """Make labels from cells; they keep their type in the source."""
    cells = dates_as_texts(cells)
    rows = np.flatnonzero(~drop_missing_labels(cells, missing)[1])
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
            "longer represents every whole number; convert them to text"
        )
    kind = cells.type
    return Labels(name, tuple(value == "True" if kind is bool else kind(value) for value in values), cells.codes)
