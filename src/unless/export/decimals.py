"""Which doubles any reader of decimals gets right, and how to spell the others exactly."""

from __future__ import annotations

import math
from decimal import ROUND_DOWN, Context, Decimal
from fractions import Fraction

__all__ = ["easily_read", "reach", "steps"]

_SHORT = Context(prec=6, rounding=ROUND_DOWN)


def easily_read(number: float) -> bool:
    """Whether even a simple reader of decimals gets the double right.

    That is: digits and power of ten are doubles themselves, so that one division or product suffices, and a result that
    is first rounded to the 64 bits of a long double ends up as the same double.
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


def reach(number: float) -> str:
    """How far above the decimal of a double the decimals go that are still read as this double, in six digits.

    >>> reach(0.1), 0.1 == float("0.1000000000000000124900") < float("0.1000000000000000124901")
    ('1.24900E-17', True)
    """
    above = math.nextafter(number, math.inf)
    middle = (Fraction(number) + (Fraction(above) if math.isfinite(above) else 2**1024)) / 2
    rest = middle - Fraction(repr(number))
    short = _SHORT.divide(Decimal(rest.numerator), Decimal(rest.denominator))
    if rest == Fraction(short) and (math.isinf(above) or float(middle) != number):  # the middle itself is the next one
        short = _SHORT.next_minus(short)
    return str(short)
