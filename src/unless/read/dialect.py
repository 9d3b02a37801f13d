"""The dialect of a text file: delimiter, numerals and encoding."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from unless.errors import GuessWarning
from unless.read.options import PLAIN_OPTIONS, ReadOptions
from unless.values import parse_number

_GROUPS = {".": "points", ",": "commas", "'": "apostrophes", "’": "apostrophes"}
_SEPARATED = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_TITLES = {"utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "utf-32-le": "UTF-32", "utf-32-be": "UTF-32", "utf-8": "UTF-8"}


@dataclass(frozen=True)
class Numerals:
    """The decimal sign of numbers, and the sign between thousands ('' for no sign)."""

    decimal: str = "."
    thousands: str = ""

    @cached_property
    def plain(self) -> bool:
        """Whether numbers are written as in Python, without thousands signs."""
        return self == Numerals()

    def number_in(self, text: str) -> float | None:
        """Return the number that a text spells, or None.

        >>> comma = Numerals(",", ".")
        >>> [comma.number_in(text) for text in ("3,5", "1.234,5", "1.234", "-7", "1.5", "0.123", "1.234.5", "3,5 kg")]
        [3.5, 1234.5, 1234.0, -7.0, None, None, None, None]
        >>> Numerals(".", " ").number_in("1 234.5"), Numerals().number_in("1,234")
        (1234.5, None)
        """
        return self._parse_ungrouped(text.replace(self.thousands, "") if self.is_grouped(text) else text)

    def numbers_in(self, texts: Iterable[str], *, each: bool) -> dict[str, float]:
        """Map the texts that spell numbers to the numbers.

        Signs between thousands count only if all texts are numbers, or if ``each`` text is read alone: next to 1.2.3,
        1.234 is not 1234.
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

    def _parse_ungrouped(self, text: str) -> float | None:
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


def encoding_title(encoding: str) -> str:
    """Return the usual name of an encoding."""
    return _TITLES.get(encoding, encoding)


@dataclass(frozen=True, slots=True)
class Remarks:
    """A one-line remark about how a source was read, and guesses that may be wrong."""

    said: str = ""
    guesses: tuple[GuessWarning, ...] = field(default=(), compare=False)

    def with_remark(self, said: str) -> Remarks:
        """Append a remark."""
        return replace(self, said="; ".join(filter(None, [self.said, said]))) if said else self


NO_REMARKS = Remarks()


@dataclass(frozen=True, slots=True)
class TextDialect:
    """The dialect of a CSV or TSV file, as detected from its first bytes or given by the caller."""

    delimiter: str = ","
    numerals: Numerals = PLAIN_NUMERALS
    encoding: str = "utf-8"
    usual: str = ","
    """The usual delimiter of the format."""
    options: ReadOptions = PLAIN_OPTIONS
    guesses: tuple[GuessWarning, ...] = ()
    """Guesses that may be wrong."""
    shows_decimal: bool = False
    """Whether some cells show the decimal sign."""
    is_open: bool = False
    """Whether the bytes so far are ASCII, so that the encoding is still unknown."""

    @property
    def differences(self) -> str:
        """The differences from a UTF-8 file with the usual delimiter, except those that the caller declared.

        >>> TextDialect(";", Numerals(","), "cp1252").differences
        'semicolon-separated, decimal comma, cp1252'
        >>> TextDialect(";", Numerals(","), options=ReadOptions(delimiter=";")).differences
        'decimal comma'
        """
        said = self.options
        numbers = str(Numerals(".", self.numerals.thousands) if said.decimal else self.numerals)
        letters = encoding_title(self.encoding) if self.encoding != "utf-8" and said.encoding is None else ""
        fields = f"{_SEPARATED[self.delimiter]}-separated" if said.delimiter is None else ""
        plain = not numbers and not letters and self.delimiter == self.usual
        return "" if plain else ", ".join(filter(None, [fields, numbers, letters]))

    @property
    def remarks(self) -> Remarks:
        """Remarks about unusual properties of the file, and guesses about it."""
        differences = self.differences
        return Remarks(f"read as {differences}" if differences else "", self.guesses)

    def with_encoding(self, encoding: str, where: str) -> TextDialect:
        """Return the dialect after a later line has shown the encoding."""
        finding = (
            f"{where}: the first lines are ASCII, and a later one is not UTF-8; read as {encoding_title(encoding)}"
        )
        guess = GuessWarning(finding, "encoding", "cp1250", "cp1252")
        return replace(self, encoding=encoding, guesses=(*self.guesses, guess), is_open=False)


@lru_cache(maxsize=64)
def make_numerals(decimal: str, thousands: str) -> Numerals:
    """Return the numerals with these signs; their patterns are compiled once."""
    return Numerals(decimal, thousands)
