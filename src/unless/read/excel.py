"""Excel workbooks and similar files, as sources of cells; python-calamine reads them.

A workbook may be small on disk only, so what it holds is counted before calamine takes memory for it.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from unless.errors import ReadError
from unless.limits import RATIO, limit, refuse_unpacked
from unless.read.bytes import Content, blaming, size_of
from unless.read.frames import frame_of
from unless.read.ranks import Cells, of_objects
from unless.read.source import Loaded
from unless.values import spell, value_of

if TYPE_CHECKING:
    import polars as pl

Cell = int | float | str | bool | time | date | datetime | timedelta

_PIECE = 1 << 20
_CELL = 32  # bytes of a cell; calamine lays out all cells between the first and the last, empty ones too
_ROWS = 1 << 20  # the most that a sheet can have
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_COLUMN = re.compile(rb"""\br=["']([A-Z]{1,3})[0-9]""")
_FILLED = re.compile(rb"""<(?:\w+:)?c\s[^>]*?\br=["']([A-Z]{1,3})([0-9]{1,7})["'][^>]*(?<!/)>""")
_FAILURES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)


class ExcelFile(Loaded):
    """The first visible sheet of a workbook; its first row that is not blank names the columns.

    An empty cell is missing, and so is one that shows an error such as #N/A. Dates are ISO text, and where all numbers
    of a column are whole, they are whole numbers. A blank row is no record, except in a sheet of one column, where it
    is a missing cell; a column without any cell is no column.
    """

    def __init__(self, source: Content, *, where: str) -> None:
        (header, *rows), first = _first_sheet(source, where)
        width = range(len(header))
        if len(header) > 1:
            rows = [row for row in rows if any(cell != "" for cell in row)]
        columns = [[row[place] for row in rows] for place in width]
        kept = [place for place in width if header[place] != "" or any(cell != "" for cell in columns[place])]
        names = [_title(header[place], first + place, where) for place in kept]
        super().__init__(names, len(rows), lambda place: of_objects(_typed(columns[kept[place]])))

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield all columns, in one frame."""
        yield frame_of({name: _objects(self.cells(name)) for name in self.names})


def _typed(column: Sequence[Cell]) -> list[Cell | None]:
    """The cells of a column; Excel keeps all numbers as floats."""
    whole = all(cell.is_integer() for cell in column if isinstance(cell, float))
    number = int if whole else float
    return [None if cell == "" else number(cell) if isinstance(cell, float) else cell for cell in column]


def _objects(cells: Cells) -> list[object]:
    """Cells as Python objects: dates are text by now, and in a column with text so are numbers."""
    kind = spell if cells.texts else int if cells.type is int else float
    numbers = list(map(kind, cells.numbers.tolist()))
    texts = [text == "True" if cells.type is bool else text for text in cells.texts]
    values = [*numbers, *texts, None]
    return [values[code] for code in cells.codes.tolist()]


def _first_sheet(source: Content, where: str) -> tuple[list[list[Cell]], int]:
    """The rows of the first sheet without blank ones before and after, and the place of their first column.

    All rows have the same length, and there is at least one; '' is an empty cell.
    """
    try:
        import python_calamine as calamine  # an extra; only Excel files need it
    except ImportError:
        raise ReadError(
            f"{where}: Excel files are read by python-calamine, which is not installed; pip install 'unless[excel]'"
        ) from None
    with blaming(where, calamine.CalamineError, title="an Excel"):
        _refuse_bombs(source, where)
        try:
            with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
                book = calamine.load_workbook(file)  # by its content, whatever its name says
        except calamine.PasswordError:
            raise ReadError(f"{where}: the workbook has a password; save it without one") from None
        shown = [
            sheet.name
            for sheet in book.sheets_metadata
            if sheet.typ == calamine.SheetTypeEnum.WorkSheet and sheet.visible == calamine.SheetVisibleEnum.Visible
        ]
        sheet = book.get_sheet_by_name(shown[0]) if shown else book.get_sheet_by_index(0)
        return sheet.to_python(skip_empty_area=True) or [[]], (sheet.start or (0, 0))[1]


def _title(cell: Cell, place: int, where: str) -> str:
    """The name of a column, which may be a number or a date."""
    if cell == "":
        raise ReadError(
            f"{where}: column {_letters(place)} has cells but no name; the first row should name the columns"
        )
    value = value_of(cell)
    return spell(value) if isinstance(value, float) else str(value)


def _letters(place: int) -> str:
    """What Excel calls a column: A to Z, then AA.

    >>> _letters(0), _letters(25), _letters(26), _letters(16383)
    ('A', 'Z', 'AA', 'XFD')
    """
    before, last = divmod(place, 26)
    return (_letters(before - 1) if before else "") + chr(ord("A") + last)


# Workbooks that are small on disk only.


def _refuse_bombs(source: Content, where: str) -> None:
    """Refuse a workbook that takes far more memory than its size, by its texts or by the places of its cells."""
    size = size_of(source)
    # Columns are found three times as fast as cells: this many are fine, however many rows there are.
    fine = max(limit("unpacked"), RATIO * size) // (_CELL * _ROWS)
    with suppress(*_FAILURES), zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive:
        total = 0
        for entry in archive.infolist():
            sheet, wide = _SHEET.fullmatch(entry.filename), False
            for piece in _pieces(archive, entry):
                total += len(piece)
                refuse_unpacked(total, size, where)
                wide = wide or (bool(sheet) and any(_place(column) > fine for column in set(_COLUMN.findall(piece))))
            if wide:
                refuse_unpacked(_CELL * _cells(archive, entry), size, where)


def _pieces(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """What a file of the archive really holds, whatever size it claims to have, cut between tags."""
    entry.file_size = 1 << 62
    rest = b""
    with suppress(*_FAILURES), archive.open(entry) as file:  # calamine will report them
        while piece := file.read(_PIECE):
            text = rest + piece
            end = text.rfind(b"<") if len(rest) < _PIECE else len(text)
            yield text[:end]
            rest = text[end:]
    yield rest


def _cells(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> int:
    """How many cells a sheet has, up to the last column and the last row that have any."""
    columns = rows = 0
    for piece in _pieces(archive, entry):
        for column, row in _FILLED.findall(piece):
            columns, rows = max(columns, _place(column)), max(rows, int(row))
    return columns * rows


def _place(letters: bytes) -> int:
    """The number of a column, from 1.

    >>> _place(b"A"), _place(b"Z"), _place(b"AA"), _place(b"XFD")
    (1, 26, 27, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
