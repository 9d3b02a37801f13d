"""What the names of a text file's columns tell: that they are no names, or that something else separates them."""

from __future__ import annotations

from collections.abc import Sequence

from unless.inspection.remarks import Remark
from unless.read.text import separator_hint
from unless.values import number_in

__all__ = ["header_remarks"]


def header_remarks(names: Sequence[str]) -> list[Remark]:
    """Whether the only name looks like several, or most names are numbers, as in a file without a header."""
    if (hint := separator_hint(names)) is not None:
        return [Remark("separator", None, f"There is one column, {names[0]!r}: {hint}")]
    numbers = [name for name in names if number_in(name) is not None]
    if 2 * len(numbers) <= len(names):
        return []
    most = f"{len(numbers):,} of {len(names):,} columns have numbers for names, such as {numbers[0]!r}"
    return [Remark("no-header", None, f"{most}: the first line may be a record")]
