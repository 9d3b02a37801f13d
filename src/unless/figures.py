"""Counts and shares as people read them, and how sure they are."""

from __future__ import annotations

import math

__all__ = ["amount", "counted", "interval", "percent", "share_text"]


def percent(share: float, digits: int = 0) -> str:
    """A share in per cent, rounded; 0 % and 100 % are kept for what is exactly that.

    >>> [percent(share) for share in (0.9166, 0.835, 310 / 311, 0.004, 0, 1.0)]
    ['92 %', '84 %', '> 99 %', '< 1 %', '0 %', '100 %']
    >>> percent(0.98765, 1), percent(0.99996, 1), percent(0.5, 1), percent(1, 1)
    ('98.8 %', '> 99.9 %', '50.0 %', '100 %')
    """
    share = _exact(share)
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    unit = 10**digits
    units = math.floor(100 * unit * share + 0.5 + 1e-9)  # 0.285 is 29 %, though 100 * 0.285 is less than 28.5
    if 1 <= units < 100 * unit:
        return f"{units / unit:.{digits}f} %"
    return f"< {1 / unit:g} %" if units < 1 else f"> {100 - 1 / unit:g} %"


def share_text(share: float) -> str:
    """A share to three digits; 0.000 and 1.000 only for what is exactly that.

    >>> [share_text(share) for share in (0.9666, 0.99996, 0.0002, 0.0, 1.0)]
    ['0.967', '0.999', '0.001', '0.000', '1.000']
    >>> share_text(1 - 5e-16), percent(1 - 5e-16)
    ('1.000', '100 %')
    """
    share = _exact(share)
    return f"{share:.3f}" if share in (0, 1) else f"{min(max(share, 0.001), 0.999):.3f}"


def _exact(share: float) -> float:
    """A share without what was lost on the way: weights that are all right may add up to a little less than 1."""
    return round(share, 12)


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
