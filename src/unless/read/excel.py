"""Excel workbooks and their like, as sources of cells; python-calamine reads them."""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence
from datetime import date, datetime, time, timedelta

from unless.errors import ReadError
from unless.read.bombs import refuse_bombs
from unless.read.bytes import Content, called
from unless.read.ranks import Cells, of_objects
from unless.values import spell, value_of

__all__ = ["ExcelFile"]

Cell = int | float | str | bool | time | date | datetime | timedelta


class ExcelFile:
    """The first visible sheet of a workbook, whose first row that is not blank names the columns.

    An empty cell is missing, and so is one that shows an error such as #N/A. Dates are ISO text, and where all numbers
    of a column are whole, they are whole numbers. A blank row is no record, except in a sheet of one column, where it
    is a missing cell; a column without any cell is no column.
    """

    spelled = False

    def __init__(self, source: Content, *, where: str | None = None) -> None:
        where = where or called(source)
        (header, *rows), first = _first_sheet(source, where)
        width = range(len(header))
        if len(header) > 1:
            rows = [row for row in rows if any(cell != "" for cell in row)]
        columns = [[row[place] for row in rows] for place in width]
        kept = [place for place in width if header[place] != "" or any(cell != "" for cell in columns[place])]
        self.names: Sequence[str] = [_title(header[place], first + place, where) for place in kept]
        self.rows = len(rows)
        self._columns = dict(zip(self.names, (columns[place] for place in kept), strict=True))

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Do nothing: a sheet is read as a whole."""

    def cells(self, name: str) -> Cells:
        """The cells of a column."""
        return of_objects(_typed(self._columns[name]))


def _typed(column: Sequence[Cell]) -> list[Cell | None]:
    """The cells of a column, whose numbers Excel keeps as floats all."""
    whole = all(cell.is_integer() for cell in column if isinstance(cell, float))
    number = int if whole else float
    return [None if cell == "" else number(cell) if isinstance(cell, float) else cell for cell in column]


def _first_sheet(source: Content, where: str) -> tuple[list[list[Cell]], int]:
    """The rows of the first sheet, blank ones before and after left out, and the place of their first column.

    All are of one length, and there is at least one; '' is an empty cell.
    """
    try:
        import python_calamine as calamine  # an extra; only Excel files need it
    except ImportError:
        raise ReadError(
            f"{where}: Excel files are read by python-calamine, which is not installed; pip install 'unless[excel]'"
        ) from None
    try:
        refuse_bombs(source, where)
        with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
            book = calamine.load_workbook(file)  # by its content, whatever its name says
        shown = [
            sheet.name
            for sheet in book.sheets_metadata
            if sheet.typ == calamine.SheetTypeEnum.WorkSheet and sheet.visible == calamine.SheetVisibleEnum.Visible
        ]
        sheet = book.get_sheet_by_name(shown[0]) if shown else book.get_sheet_by_index(0)
        return sheet.to_python(skip_empty_area=True) or [[]], (sheet.start or (0, 0))[1]
    except calamine.PasswordError:
        raise ReadError(f"{where}: the workbook has a password; save it without one") from None
    except (calamine.CalamineError, OSError) as error:
        raise ReadError(f"{where}: not an Excel file that can be read: {error}") from None


def _title(cell: Cell, place: int, where: str) -> str:
    """The name of a column, of which a number or a date may be one."""
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
