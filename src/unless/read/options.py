"""`ReadOptions`, the caller's options for reading a table, shared by commands, tables, blocks and streams."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from unless.errors import ParameterError, suggest
from unless.read.headers import refuse_twins
from unless.read.special_codes import check_special, refuse_missing_codes
from unless.table import SpecialCodes
from unless.values import cell_value, number_to_text
from unless.values.notation import DATETIME, TIME, DateNotation, LevelNotation, Notation

_ENCODINGS = ("utf-8", "utf-16", "cp1252", "latin-1", "cp1250", "cp1251", "iso8859-15", "shift_jis", "gb18030")
_FILE_OPTIONS = ("format", "delimiter", "decimal", "encoding", "sheet", "header_row", "skip")
_CLOCKS = ("%H:%M", "%H:%M:%S")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    r"""The format of a file and the meaning of its columns and cells, as given by the caller; None means not given.

    The fields are the parameters of `read_table`; they are checked once, here.

    >>> ReadOptions(delimiter="tab", encoding="Windows-1252", header_row=3).hints
    {'delimiter': '\t', 'encoding': 'cp1252', 'header_row': 3}
    """

    format: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | int | None = None
    header_row: int | None = None
    skip: int | None = None
    missing: Sequence[str] | None = None
    """The texts that stand for a missing cell; by default those of training, or `DEFAULT_MISSING`."""
    numeric: Sequence[str] | None = None
    categorical: Sequence[str] | None = None
    dates: Mapping[str, str | None] | Sequence[str] | None = None
    orders: Mapping[str, Sequence[str]] | None = None
    parts: Sequence[str] | None = None
    drop_unlabelled: bool = False
    special: Mapping[str, SpecialCodes] | None = None
    """The numbers of some columns that name a category."""

    def __post_init__(self) -> None:
        if self.header_row is not None and self.skip is not None:
            raise ParameterError("header_row and skip have the same meaning; give only one of them")
        for name, check in _CHECKS.items():
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, check(given))
        if self.special and self.missing is not None:
            refuse_missing_codes(self.special, self.missing)
        if not isinstance(self.dates, Mapping):
            object.__setattr__(self, "dates", check_names("dates", self.dates))

    @property
    def file_options(self) -> dict[str, Any]:
        """The options about the file format, as `read_table` takes them."""
        return {name: getattr(self, name) for name in _FILE_OPTIONS}

    @property
    def hints(self) -> dict[str, Any]:
        """The given options about how the file is written, without its format."""
        return {name: said for name, said in self.file_options.items() if name != "format" and said is not None}

    @property
    def above(self) -> int:
        """The number of lines, or rows of a sheet, to skip before the header."""
        return self.header_row - 1 if self.header_row is not None else self.skip or 0

    @property
    def date_formats(self) -> dict[str, str | None]:
        """The columns of dates, each with its format; None means ISO 8601."""
        return dict(self.dates) if isinstance(self.dates, Mapping) else dict.fromkeys(self.dates or ())

    @property
    def part_formats(self) -> dict[str, str | None]:
        """The columns of dates to replace by their parts, each with its format."""
        return {name: self.date_formats.get(name) for name in self.parts or ()}

    @property
    def notations(self) -> dict[str, Notation]:
        """The notations that ``dates=`` and ``orders=`` declare, for columns that are not replaced by their parts."""
        dates = {str(name): _date_notation(name, form) for name, form in self.date_formats.items()}
        return {**{name: one for name, one in dates.items() if name not in (self.parts or ())}, **_orders(self.orders)}


def check_names(parameter: str, names: Iterable[object] | None) -> tuple[str, ...] | None:
    """Return the column names given for a parameter as text; anything else is an error."""
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ParameterError(f"{parameter}= takes a list of column names, not {names!r}; write [{names!r}]")
    found = tuple(str(name) for name in names)
    refuse_twins(found, f"{parameter}=", "leave one of them out")
    return found


def _check_delimiter(given: object) -> str:
    sign = {"tab": "\t", "\\t": "\t"}.get(str(given), given)
    if not isinstance(sign, str) or len(sign) != 1 or not sign.isascii() or sign.isalnum() or sign in '"\r\n\0.+-':
        raise ParameterError(
            f"a delimiter is one sign, such as ',', ';', '|' or 'tab', not {given!r}; a quote, a point, a letter, a "
            "digit or a line ending cannot separate fields"
        )
    return sign


def _check_decimal(given: object) -> str:
    if not isinstance(given, str) or given not in (".", ","):
        raise ParameterError(f"the decimal sign is '.' or ',', not {given!r}")
    return given


def _check_encoding(given: object) -> str:
    try:
        found = codecs.lookup(str(given))
    except (LookupError, ValueError):
        raise ParameterError(f"no encoding {given!r}{suggest(str(given), _ENCODINGS)}") from None
    if not getattr(found, "_is_text_encoding", True):
        raise ParameterError(f"{given!r} is not an encoding of text{suggest(str(given), _ENCODINGS)}")
    return {"utf-8-sig": "utf-8", "ascii": "utf-8"}.get(found.name, found.name)


def _check_sheet(given: object) -> str | int:
    if isinstance(given, str) or (isinstance(given, int) and not isinstance(given, bool)):
        return given
    raise ParameterError(f"a sheet is its name, or its number from 1, not {given!r}")


def _check_count(name: str, least: int, given: object) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        what = "the number of the line with the names" if least else "how many lines come before the names"
        raise ParameterError(f"{name} is {what}, {least} or more, not {given!r}")
    return given


def _check_missing(missing: object) -> tuple[str, ...]:
    if isinstance(missing, str) or not isinstance(missing, Iterable):
        raise ParameterError(f"missing= takes a list of cells, not {missing!r}; write [{missing!r}]")
    texts = tuple(missing)
    if wrong := [text for text in texts if not isinstance(text, str)]:
        raise ParameterError(f"missing= takes cells as text, not {wrong[0]!r}; write {str(wrong[0])!r}")
    return texts


def _date_notation(name: object, form: object) -> Notation:
    """Return the notation of a column of dates in this format."""
    if form is None:
        return DATETIME
    if not isinstance(form, str) or "%" not in form:
        raise ParameterError(
            f"dates= gives {name!r} the format {form!r}; a format is like '%d.%m.%Y' (day, month, year)"
        )
    if form in _CLOCKS:
        return TIME
    if not re.search("%[-#]?[aAwdbBmyYjUWcxGuV]", form):
        raise ParameterError(
            f"dates= gives {name!r} the format {form!r}, which has no date; times of the day are like 7:30 or "
            "7:30:05, and their format is '%H:%M' or '%H:%M:%S'"
        )
    return DateNotation("datetime", 1.0, format=form)


def _orders(orders: object) -> dict[str, Notation]:
    """Return the notations that ``orders=`` declares."""
    if orders is None:
        return {}
    if not isinstance(orders, Mapping):
        example = '{"size": ["S", "M", "L"]}'
        raise ParameterError(f"orders= takes columns and their categories, {example}, not {orders!r:.60}")
    found: dict[str, Notation] = {}
    for name, levels in orders.items():
        if isinstance(levels, str) or not isinstance(levels, Iterable):
            raise ParameterError(f"orders= gives {name!r} {levels!r:.60}; it takes a list of categories, least first")
        values = [cell_value(level) for level in levels]
        texts = [number_to_text(value) if isinstance(value, float) else str(value) for value in values]
        refuse_twins(texts, f"orders= of {name!r}", "leave one of them out", what="category")
        if not texts:
            raise ParameterError(f"orders= gives {name!r} no categories; leave it out")
        found[str(name)] = LevelNotation(tuple(texts))
    return found


_CHECKS: Mapping[str, Callable[[Any], object]] = {
    "delimiter": _check_delimiter,
    "decimal": _check_decimal,
    "encoding": _check_encoding,
    "sheet": _check_sheet,
    "header_row": partial(_check_count, "header_row", 1),
    "skip": partial(_check_count, "skip", 0),
    "missing": _check_missing,
    "special": check_special,
    **{name: partial(check_names, name) for name in ("numeric", "categorical", "parts")},
}

PLAIN_OPTIONS = ReadOptions()
"""No options are given."""
