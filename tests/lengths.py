"""Two lengths of the tests: short ones for who waits, as in CI, long ones (UNLESS_TESTS=long) for who does not.

They ask the same questions; the short ones draw fewer examples. What a test gives, such as ``max_examples``, is the
long number.
"""

from __future__ import annotations

import os

from hypothesis import settings

__all__ = ["LONG", "SHARE", "fewer", "shorten"]

LONG = os.environ.get("UNLESS_TESTS") == "long"
SHARE = 1 if LONG else 5
"""The short tests draw one example where the long ones draw so many."""

_LEAST = 5  # what draws few examples is slow, or has many parameters
_SETTINGS = "_hypothesis_internal_use_settings"  # where Hypothesis keeps what @settings says; it has no public place


def fewer(number: int) -> range:
    """So many seeds, or their share."""
    return range(max(1, number // SHARE))


def shorten(test: object) -> None:
    """Let a test of Hypothesis draw its share of examples."""
    if (own := getattr(test, _SETTINGS, None)) is not None:
        share = max(min(_LEAST, own.max_examples), own.max_examples // SHARE)
        setattr(test, _SETTINGS, settings(own, max_examples=share))
