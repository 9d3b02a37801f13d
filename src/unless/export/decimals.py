"""Which doubles any reader of decimals gets right, and how to spell the others exactly."""

from __future__ import annotations

import math
from decimal import Context, Decimal, Inexact
from fractions import Fraction

_EXACT = Context(prec=2000, traps=[Inexact])
"""A double has at most 767 digits; the middle between two, minus a short decimal, has few more."""


def easily_read(number: float) -> bool:
    """Whether even a simple reader of decimals gets the double right.

    It does if digits and power of ten are doubles themselves, so that one division or product is enough, and if a
    result that is first rounded to the 64 bits of a long double ends up as the same double.
    """
    _, digits, exponent = Decimal(repr(abs(number))).normalize().as_tuple()
    whole = int("".join(map(str, digits)))
    if not isinstance(exponent, int) or whole >= 2**53 or abs(exponent) > 22:
        return False
    value = whole * Fraction(10) ** exponent
    return not value or float(_rounded(value, 64)) == abs(number)


def _rounded(value: Fraction, bits: int) -> Fraction:
    scale = Fraction(2) ** (bits - 1 - math.floor(math.log2(value)))
    return round(value * scale) / scale


def steps(exponent: int) -> list[int]:
    """The exponent as a sum of steps of at most 52: powers of two that every reader of decimals gets right."""
    return [52] * (exponent // 52) + [exponent % 52] * (exponent % 52 > 0)


def reach(number: float) -> tuple[str, bool]:
    """How far above the decimal of a double the decimals go that are read as that double, and if the last one is too.

    The last one is the middle between the double and the next, and is read as the even one of the two. The largest
    double has no next one.

    >>> reach(0.5), float("0.500000000000000055511151231257827021181583404541015625")
    (('5.5511151231257827021181583404541015625E-17', True), 0.5)
    """
    twice = _EXACT.add(Decimal(number), Decimal(math.nextafter(number, math.inf)))
    middle = _EXACT.divide(twice, Decimal(2))
    return str(_EXACT.subtract(middle, Decimal(repr(number)))), float(middle) == number
