"""Notations, and numbers with a notation; flags, whole numbers and levels of an order."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self


class Notation(ABC):
    """The notation of the numbers of a column: writes and reads them as text."""

    name: str
    step: float = 0.0
    """The distance between neighbouring values; 0 if there is always a value between two others."""
    plain: bool = False
    """Whether numbers are written as plain numbers, so that the notation affects only some sentences."""
    sortable: bool = False
    """Whether texts sort, character by character, like the numbers they stand for."""

    @abstractmethod
    def text(self, number: float) -> str:
        """Write a number in this notation."""

    @abstractmethod
    def number(self, text: str) -> float | None:
        """Return the number that a text means, or None if the text is not in this notation."""

    def back(self, text: str) -> float | None:
        """Return the number that `text` wrote as this text; None if there is no such number."""
        return self.number(text)

    def between(self, low: float, high: float) -> float:
        """Choose an easily readable threshold of at least ``low`` and below ``high``."""
        return low if self.step else low / 2 + high / 2

    def value(self, number: float) -> float:
        """Attach this notation to a number."""
        return NotatedNumber(number, self)

    def data(self) -> Any:
        """Convert the notation for JSON; `notation_from_json` reads it."""
        return self.name

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Notation) and self.data() == other.data()

    def __hash__(self) -> int:
        return hash(self.name)


class NotatedNumber(float):
    """A number with its notation, which compares, hashes and calculates like the number."""

    __slots__ = ("notation",)
    notation: Notation

    def __new__(cls, number: float, notation: Notation) -> Self:
        """Make the number."""
        to_noted_number = super().__new__(cls, number)
        to_noted_number.notation = notation
        return to_noted_number

    def __str__(self) -> str:
        return self.notation.text(self)

    def __repr__(self) -> str:
        text = str(self)
        return text if text.isprintable() else repr(text)  # a level may be any text

    def __reduce__(self) -> tuple[type[Self], tuple[float, Notation]]:
        return type(self), (float(self), self.notation)


class PlainNotation(Notation):
    """Numbers that are written and read as plain numbers."""

    plain = True

    def text(self, number: float) -> str:
        """Write the number as a plain number."""
        return repr(float(number))

    def number(self, text: str) -> float | None:  # noqa: ARG002 - like the others
        """Return None: texts are parsed as numbers without this notation."""
        return None


class FlagNotation(PlainNotation):
    """The numbers 0 and 1."""

    name, step = "flag", 1.0


class WholeNumberNotation(FlagNotation):
    """Whole numbers, read like other numbers, but with whole thresholds and changes."""

    name = "whole"

    def value(self, number: float) -> float:
        """Return the number itself."""
        return number

    def between(self, low: float, high: float) -> float:
        """Return the number half-way between both."""
        return low / 2 + high / 2

    def known(self, number: float) -> float:
        """Attach this notation to a number of a column of whole numbers, if the number is whole."""
        return NotatedNumber(number, self) if number.is_integer() else number


@dataclass(frozen=True, repr=False, eq=False)
class LevelNotation(Notation):
    """Ordered categories, least first; their numbers count from 0."""

    levels: tuple[str, ...]
    name = "order"
    step = 1.0

    def text(self, number: float) -> str:
        """Return the highest level that is not above the number."""
        return self.levels[math.floor(min(max(number, 0), len(self.levels) - 1))]

    def number(self, text: str) -> float | None:
        """Return the number of a level."""
        return self._places.get(text)

    @cached_property
    def _places(self) -> dict[str, float]:
        return {level: float(place) for place, level in enumerate(self.levels)}

    def data(self) -> Any:
        """Convert the levels for JSON."""
        return list(self.levels)


FLAG, WHOLE = FlagNotation(), WholeNumberNotation()
