"""Read and write numbers with a unit, such as 12 kg, $1,200 and 45 %."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from unless.values.notation.base import PlainNotation


class Amounts(PlainNotation):
    """Numbers with a unit: 12 kg, $1,200, 45 %. The unit appears only in cells and in texts for people.

    ``form`` is the number 1234.5 as written in training data: ``1.234,5 €``. A cell may lack the unit.
    """

    name = "unit"

    def __init__(self, form: str) -> None:
        found = _AMOUNT_FORM.fullmatch(form)
        if found is None:
            raise ValueError(form)
        self.form, self.before, self.after = form, found["before"].strip(_SPACES), found["after"].strip(_SPACES)
        self.thousands, self.decimal = found["thousands"], found["decimal"]

    @classmethod
    def of(cls, before: str, after: str, decimal: str = ".", thousands: str = "") -> Amounts:
        """Make the notation with these signs around and within numbers."""
        return cls(f"{before}1{thousands}234{decimal}5{' ' * bool(after)}{after}")

    @classmethod
    def parse(cls, form: object) -> Amounts | None:
        """Parse the notation of a form; None if the form is not the number 1234.5 with a unit on one side."""
        if not isinstance(form, str) or not _AMOUNT_FORM.fullmatch(form):
            return None
        found = cls(form)
        return found if bool(found.before) != bool(found.after) and found.thousands != found.decimal else None

    @property
    def unit(self) -> str:
        """The unit, as in training data."""
        return self.before or self.after

    @property
    def template(self) -> str:
        """The template of a number with its unit: ``{} kg``, ``${}``."""
        return f"{self.before}{{}}" if self.before else f"{{}} {self.after}"

    @cached_property
    def pattern(self) -> str:
        """The pattern of a number with its unit, in the numerals of training; groups are the sign and the digits."""
        sign, point = re.escape(self.thousands), re.escape(self.decimal)
        grouped = rf"[1-9][0-9]{{0,2}}(?:{sign}[0-9]{{3}})+(?:{point}[0-9]*)?|" if sign else ""
        number = rf"{grouped}[0-9]+(?:{point}[0-9]*)?|{point}[0-9]+"
        return _around(self.before, self.after, number)

    def amount(self, text: str) -> float | None:
        """Return the number of a text with the unit, in the numerals of training."""
        found = re.fullmatch(self.pattern, text)
        if found is None:
            return None
        number = float(found[1] + found[2].replace(self.thousands, "").replace(self.decimal, "."))
        return number + 0.0 if math.isfinite(number) else None

    def bare(self, text: str) -> str | None:
        """Return the text of the number without the unit, in any numerals; None if the text lacks the unit."""
        found = re.fullmatch(self._any, text)
        return None if found is None else found[1] + found[2]

    @cached_property
    def _any(self) -> str:
        return _around(self.before, self.after, _AMOUNT)

    def data(self) -> Any:
        """Convert the form for JSON."""
        return {self.name: self.form}


def _around(before: str, after: str, number: str) -> str:
    """Write the pattern of a number with its unit."""
    gap = f"[{_SPACES}]*"
    start = f"{re.escape(before)}{gap}" if before else ""
    end = f"{gap}{re.escape(after)}" if after else ""
    return f" *([+-]?){start}({number}){end} *"


def with_unit(texts: Sequence[str]) -> Amounts | None:
    """Find the common unit of texts; None if fewer than three or fewer than half have it, or if there are several.

    >>> with_unit(["12 kg", "7.5kg", "9 kg", "unknown"]).unit, with_unit(["12 kg", "7 kg", "9 lb"]), with_unit(["5a"])
    ('kg', None, None)
    """
    found = Counter[tuple[str, str]]()
    for text in texts:
        if (match := _WITH_UNIT.fullmatch(text.strip(" "))) is not None and (match["before"] or match["after"]):
            found[match["before"], match["after"]] += 1
    if len(found) != 1:
        return None
    ((before, after), count), *_ = found.items()
    if count < _FEWEST or 2 * count < len(texts) or (before and after) or after.casefold() in _NO_UNITS:
        return None
    return Amounts.of(before, after)


_SPACES = " \u00a0\u202f"

_FEWEST = 3

_NO_UNITS = {"am", "pm", "st", "nd", "rd", "th"}

MONEY = frozenset("$€£¥") | {"EUR", "USD", "GBP", "CHF"}
"""Units of money, which are never written with three decimals."""

_AMOUNT = rf"[0-9](?:[0-9.,'’{_SPACES}]*[0-9])?"

_WITH_UNIT = re.compile(
    rf"[+-]?(?P<before>[$€£¥]|(?:EUR|USD|GBP|CHF)(?=[{_SPACES}0-9])|)[{_SPACES}]*{_AMOUNT}[{_SPACES}]*"
    r"(?P<after>[%‰$€£¥\"']|°[CF]?|[^\W\d_]{1,10}[²³]?(?:/[^\W\d_]{1,10}[²³]?)?|)"
)

_ASIDE = r"[^0-9{}\x00-\x1f]{0,30}"

_AMOUNT_FORM = re.compile(
    rf"(?P<before>{_ASIDE})1(?P<thousands>[.,'’{_SPACES}]?)234(?P<decimal>[.,])5(?P<after>{_ASIDE})"
)
