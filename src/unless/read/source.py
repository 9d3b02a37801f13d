"""`Source`, the protocol of all inputs of tables, and `SourceParts`, several sources read as one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from unless.errors import ReadError, suggest
from unless.read.cells import Cells, join_cells
from unless.read.dialect import NO_REMARKS, Remarks
from unless.read.dialect_detection import merge_remarks
from unless.read.headers import refuse_twins
from unless.values import missing_among


class Source(Protocol):
    """An input of a table; it returns the cells of named columns once they are loaded."""

    names: Sequence[str]
    spelled: bool
    """Whether every cell is text that may spell a number, as in a text file."""
    filed: bool
    """Whether the source is a file, in which texts such as NA are missing cells."""
    rows: int

    @property
    def remarks(self) -> Remarks:
        """Remarks about an unusual way in which the source was read; known once cells are loaded."""

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Load the cells of these columns; those in ``texts`` as text."""

    def cells(self, name: str) -> Cells:
        """Return the cells of a loaded column."""


class Loaded:
    """A source that needs no loading; its cells are typed, so text is text.

    ``read`` returns the cells of the column at a position.
    """

    spelled = filed = False
    remarks = NO_REMARKS

    def __init__(self, names: Iterable[object], rows: int, read: Callable[[int], Cells]) -> None:
        self.names: Sequence[str] = [str(name) for name in names]
        self.rows = rows
        self._read = read
        self._places = {name: place for place, name in enumerate(self.names)}

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Do nothing."""

    def cells(self, name: str) -> Cells:
        """Return the cells of a column."""
        return self._read(self._places[name])


class SourceParts:
    """Sources that are the parts of one table, each with the path of its file.

    All parts have the same columns, in any order; if ``loose``, a part may lack a column, whose cells are then missing.
    The cells are the same as if the parts were one file.
    """

    rows = 0

    def __init__(self, paths: Sequence[Path], sources: Sequence[Source], *, loose: bool) -> None:
        self._sources = sources
        self._paths = paths
        self.spelled, self.filed = sources[0].spelled, sources[0].filed
        self.names: Sequence[str] = list(dict.fromkeys(name for source in sources for name in source.names))
        if not loose:
            for path, source in zip(paths, sources, strict=True):
                refuse_other_columns(sources[0].names, source.names, paths[0], path)

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Read these columns of every part."""
        pieces = [_load(source, names, texts, missing) for source in self._sources]
        if self.spelled and (conflicting := _columns_with_conflicting_kinds(pieces, missing)):
            # If some parts have numbers and others text, all parts are read as text, for the spelling of their cells.
            again = [*texts, *conflicting]
            for piece, source in zip(pieces, self._sources, strict=True):
                if any(len(piece[name].numbers) for name in conflicting):
                    piece.update(_load(source, names, again, missing))
        self.rows = sum(source.rows for source in self._sources)
        self._cells = {name: join_cells([piece[name] for piece in pieces]) for name in names}

    def cells(self, name: str) -> Cells:
        """Return the cells of a loaded column."""
        return self._cells[name]

    @property
    def remarks(self) -> Remarks:
        """Remarks about how the parts were read."""
        return merge_remarks(
            {path.name: source.remarks for path, source in zip(self._paths, self._sources, strict=True)}
        )


def _load(source: Source, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> dict[str, Cells]:
    source.load(names, texts, missing)
    return {name: source.cells(name) for name in names}


def _columns_with_conflicting_kinds(pieces: Sequence[dict[str, Cells]], missing: Collection[str]) -> list[str]:
    """Find the columns with numbers in one part and non-missing text in another."""
    found = []
    for name in pieces[0]:
        texts = {text for piece in pieces for text in piece[name].texts}
        if any(len(piece[name].numbers) for piece in pieces) and texts - missing_among(texts, missing):
            found.append(name)
    return found


def refuse_other_columns(expected: Sequence[str], names: Sequence[str], first: Path | str, part: Path | str) -> None:
    """Raise an error for a part whose columns differ from those of the first part, in any order."""
    refuse_twins(names, str(part))
    known, found = set(expected), set(names)
    if lacking := [name for name in expected if name not in found]:
        raise ReadError(f"{part}: no column {lacking[0]!r}, which {first} has{suggest(lacking[0], names)}")
    if extra := [name for name in names if name not in known]:
        raise ReadError(f"{part}: a column {extra[0]!r}, which {first} does not have; all parts need the same columns")
