"""Counts and shares as people read them: never more than is true, and how sure they are."""

from __future__ import annotations

import math

__all__ = ["amount", "counted", "interval", "percent", "share_text"]


def percent(share: float, digits: int = 0) -> str:
    """A share in per cent, rounded down: what erred once in 311 times is not right for 100 %.

    >>> [percent(share) for share in (310 / 311, 0.004, 0, 1.0)]
    ['99 %', '< 1 %', '0 %', '100 %']
    >>> percent(0.98765, 1), percent(0.5, 1)
    ('98.7 %', '50 %')
    """
    unit = 10**digits
    whole = math.floor(100 * unit * share + 1e-9)  # 0.29 is 29 %, though 100 * 0.29 is less
    return f"{whole / unit:g} %" if whole or not share else f"< {1 / unit:g} %"


def share_text(share: float) -> str:
    """A share to three digits; 1.000 only if nothing is amiss.

    >>> share_text(0.9666), share_text(0.99996), share_text(1.0)
    ('0.967', '0.999', '1.000')
    """
    return f"{share:.3f}" if share == 1 else f"{min(share, 0.999):.3f}"


def counted(count: float, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "rule"), counted(1203, "rule")
    ('1 rule', '1,203 rules')
    """
    return f"{count:,.0f} {noun}" if count == 1 else f"{count:,.0f} {noun}s"


def amount(weight: float) -> str:
    """A count or a sum of weights: whole ones without decimals, others with one, below 1 with two digits.

    >>> [amount(weight) for weight in (1203.0, 311.25, 0.0312, 449.99999999999994)]
    ['1,203', '311.2', '0.031', '450']
    """
    if abs(weight - round(weight)) <= 1e-9 * weight:  # 300 weights of 1.5 may add up to a little less than 450
        return f"{weight:,.0f}"
    return f"{weight:,.1f}" if weight >= 1 else f"{weight:.2g}"


def interval(right: float, total: float, sure: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson's interval of a share, by default of 95 %: where the true one lies, as far as so many records can tell.

    >>> [round(end, 2) for end in interval(8, 10)], interval(0, 0)
    ([0.49, 0.94], (0.0, 1.0))
    """
    if not total:
        return 0.0, 1.0
    share, square = right / total, sure * sure
    centre = (share + square / (2 * total)) / (1 + square / total)
    half = sure * math.sqrt(share * (1 - share) / total + square / (4 * total * total)) / (1 + square / total)
    return max(centre - half, 0.0), min(centre + half, 1.0)
