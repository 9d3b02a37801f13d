"""`Source`, the protocol of everything that tables are read from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from unless.errors import ReadError
from unless.read.ranks import Cells


class Source(Protocol):
    """Gives the cells of named columns, once they are loaded."""

    names: Sequence[str]
    spelled: bool
    """Whether every cell is text that may spell a number, as in a text file."""
    rows: int

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Prepare the cells of these columns; those in ``texts`` are wanted as text."""

    def cells(self, name: str) -> Cells:
        """The cells of a column that was loaded."""


class Loaded:
    """A source that needs no loading; its cells are typed, so text is text."""

    spelled = False

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Do nothing."""


def refuse_twins(names: Sequence[str], where: str | None = None, advice: str = "rename one of them") -> None:
    """Refuse a name that appears twice, before a library renames one of the columns or fails."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        place = f" in {where}" if where else ""
        raise ReadError(f"the column name {twice!r} appears twice{place}; {advice}")
