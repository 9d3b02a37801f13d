"""How a text file is written: what separates its fields, how its numbers look, and which bytes its letters are."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache

from unless.errors import GuessWarning, ParameterError, suggest
from unless.values import parse_number

_SIGNS = (".", ",")
_GROUPS = {".": "points", ",": "commas", "'": "apostrophes", "’": "apostrophes"}
_SEPARATED = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_ENCODINGS = ("utf-8", "utf-16", "cp1252", "latin-1", "cp1250", "cp1251", "iso8859-15", "shift_jis", "gb18030")
_TITLES = {"utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "utf-32-le": "UTF-32", "utf-32-be": "UTF-32", "utf-8": "UTF-8"}


@dataclass(frozen=True)
class Numerals:
    """How numbers are written: the decimal sign, and what stands between thousands ('' if nothing does)."""

    decimal: str = "."
    thousands: str = ""

    @cached_property
    def plain(self) -> bool:
        """Whether numbers are written as in Python."""
        return self == Numerals()

    def number_in(self, text: str) -> float | None:
        """The number that a text spells, or None.

        >>> comma = Numerals(",", ".")
        >>> [comma.number_in(text) for text in ("3,5", "1.234,5", "1.234", "-7", "1.5", "0.123", "1.234.5", "3,5 kg")]
        [3.5, 1234.5, 1234.0, -7.0, None, None, None, None]
        >>> Numerals(".", " ").number_in("1 234.5"), Numerals().number_in("1,234")
        (1234.5, None)
        """
        return self._ungrouped(text.replace(self.thousands, "") if self.is_grouped(text) else text)

    def numbers_in(self, texts: Iterable[str], *, each: bool) -> dict[str, float]:
        """The texts that spell numbers.

        A sign between thousands is one only where all texts are numbers, or where ``each`` may be one on its own: 1.234
        beside 1.2.3 is not 1234.
        """
        texts = list(texts)
        read = parse_number if self.plain else self.number_in
        found = {text: number for text in texts if (number := read(text)) is not None}
        if each or not self.thousands or len(found) == len(texts):
            return found
        return {text: number for text, number in found.items() if not self.is_grouped(text)}

    def is_grouped(self, text: str) -> bool:
        """Whether a text is a number with signs between thousands."""
        return bool(self.thousands) and self.thousands in text and self.grouped.fullmatch(text.strip(" ")) is not None

    def _ungrouped(self, text: str) -> float | None:
        if self.decimal == ".":
            return parse_number(text)
        return None if "." in text else parse_number(text.replace(self.decimal, "."))

    @cached_property
    def grouped(self) -> re.Pattern[str]:
        """The pattern of numbers with signs between thousands."""
        sign, point = re.escape(self.thousands), re.escape(self.decimal)
        return re.compile(rf"[+-]?[1-9][0-9]{{0,2}}(?:{sign}[0-9]{{3}})+(?:{point}[0-9]*)?")

    def __str__(self) -> str:
        between = f"{_GROUPS.get(self.thousands, 'spaces')} between thousands" if self.thousands else ""
        return ", ".join(filter(None, ["decimal comma" if self.decimal == "," else "", between]))


PLAIN_NUMERALS = Numerals()


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a CSV or TSV file is written."""

    delimiter: str = ","
    numerals: Numerals = PLAIN_NUMERALS
    encoding: str = "utf-8"

    def differences(self, told: Told, usual: str) -> str:
        """What is unlike a UTF-8 file with the usual delimiter, except for what the caller told.

        >>> Dialect(";", Numerals(","), "cp1252").differences(Told(), ",")
        'semicolon-separated, decimal comma, cp1252'
        >>> Dialect(";", Numerals(",")).differences(Told(delimiter=";"), ",")
        'decimal comma'
        """
        numbers = str(Numerals(".", self.numerals.thousands) if told.decimal else self.numerals)
        letters = title_of(self.encoding) if self.encoding != "utf-8" and told.encoding is None else ""
        fields = f"{_SEPARATED[self.delimiter]}-separated" if told.delimiter is None else ""
        plain = not numbers and not letters and self.delimiter == usual
        return "" if plain else ", ".join(filter(None, [fields, numbers, letters]))


def title_of(encoding: str) -> str:
    """What people call an encoding."""
    return _TITLES.get(encoding, encoding)


@dataclass(frozen=True, slots=True)
class Told:
    """What the caller says about a file; None leaves it to the file."""

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | int | None = None
    header_row: int | None = None
    skip: int | None = None

    @property
    def names(self) -> list[str]:
        """What is told."""
        return [one.name for one in fields(self) if getattr(self, one.name) is not None]

    @property
    def above(self) -> int:
        """How many lines, or rows of a sheet, come before the header and are skipped."""
        return self.header_row - 1 if self.header_row is not None else self.skip or 0


def told_by(
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    header_row: int | None = None,
    skip: int | None = None,
) -> Told:
    r"""What a caller says, checked.

    >>> told_by("tab", ",", "Windows-1252", header_row=3)
    Told(delimiter='\t', decimal=',', encoding='cp1252', sheet=None, header_row=3, skip=None)
    """
    if header_row is not None and skip is not None:
        raise ParameterError("header_row and skip say the same in two ways; leave one of them out")
    first, lines = _count("header_row", header_row, 1), _count("skip", skip, 0)
    return Told(_delimiter(delimiter), _decimal(decimal), _encoding(encoding), _sheet(sheet), first, lines)


def _delimiter(given: object) -> str | None:
    if given is None:
        return None
    sign = {"tab": "\t", "\\t": "\t"}.get(str(given), given)
    if not isinstance(sign, str) or len(sign) != 1 or not sign.isascii() or sign.isalnum() or sign in '"\r\n\0.+-':
        raise ParameterError(
            f"a delimiter is one sign, such as ',', ';', '|' or 'tab', not {given!r}; a quote, a point, a letter, a "
            "digit or a line ending cannot separate fields"
        )
    return sign


def _decimal(given: str | None) -> str | None:
    if given is not None and given not in _SIGNS:
        raise ParameterError(f"the decimal sign is '.' or ',', not {given!r}")
    return given


def _encoding(given: object) -> str | None:
    if given is None:
        return None
    try:
        found = codecs.lookup(str(given))
    except (LookupError, ValueError):
        raise ParameterError(f"no encoding {given!r}{suggest(str(given), _ENCODINGS)}") from None
    if not getattr(found, "_is_text_encoding", True):
        raise ParameterError(f"{given!r} is not an encoding of text{suggest(str(given), _ENCODINGS)}")
    return {"utf-8-sig": "utf-8", "ascii": "utf-8"}.get(found.name, found.name)


def _sheet(given: object) -> str | int | None:
    if given is None or isinstance(given, str) or (isinstance(given, int) and not isinstance(given, bool)):
        return given
    raise ParameterError(f"a sheet is its name, or its number from 1, not {given!r}")


def _count(name: str, given: object, least: int) -> int | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        what = "the number of the line with the names" if least else "how many lines come before the names"
        raise ParameterError(f"{name} is {what}, {least} or more, not {given!r}")
    return given


@dataclass(frozen=True, slots=True)
class Remarks:
    """What there is to say about how a source was read: in one line, and guesses that may be wrong."""

    said: str = ""
    doubts: tuple[GuessWarning, ...] = field(default=(), compare=False)

    def also(self, said: str) -> Remarks:
        """The same, and something more to say."""
        return replace(self, said="; ".join(filter(None, [self.said, said]))) if said else self


NOTHING = Remarks()


@lru_cache(maxsize=64)
def numerals_of(decimal: str, thousands: str) -> Numerals:
    """The numerals with these signs, whose patterns are compiled once."""
    return Numerals(decimal, thousands)
