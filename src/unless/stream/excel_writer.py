"""Write frames to the sheet of an Excel workbook by XlsxWriter, row by row: memory does not grow with the sheet."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, BinaryIO

from unless.errors import ParameterError
from unless.libraries import import_extra, pl
from unless.stream.output_columns import iso_text
from unless.values import number_to_text

MOST_ROWS = (1 << 20) - 1
"""The most records of a sheet, below the row of names."""

_COLUMNS = 1 << 14
_LONGEST = (1 << 15) - 1  # characters of a cell, as UTF-16 counts them
_EXACT = 1 << 53
_FIRST_DAY = date(1900, 3, 1)  # before it, Excel's calendar has a day that did not exist
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""First characters of texts that spreadsheets treat as formulas, even after trimming the text."""
_ELSE = "write .csv, .jsonl or .parquet"

Put = Callable[[int, int, Any], None]
"""Writes a non-null cell to a row and a column."""


def import_xlsxwriter() -> Any:
    """Import XlsxWriter; the error says how to install it."""
    return import_extra("xlsxwriter", "Excel files are written by XlsxWriter, which", "excel", ParameterError)


def write_sheet(frames: Iterable[pl.DataFrame], file: BinaryIO) -> None:
    """Write frames with the same columns, one below the other, as the only sheet of a workbook."""
    xlsxwriter = import_xlsxwriter()
    with TemporaryDirectory() as folder, TemporaryFile() as kept:
        book = xlsxwriter.Workbook(kept, {"constant_memory": True, "tmpdir": folder})
        with closing(_Sheet(book)) as sheet:
            for frame in frames:
                sheet.add(frame)
            book.close()
        kept.seek(0)
        shutil.copyfileobj(kept, file)


class _Sheet:
    """A sheet to which frames are appended."""

    def __init__(self, book: Any) -> None:
        self._sheet = book.add_worksheet("predictions", worksheet_class=_make_exact_sheet_class())
        self._quoted = book.add_format({"quote_prefix": True})  # the cell stays text even if it is edited
        self._day = book.add_format({"num_format": "yyyy-mm-dd"})
        self._moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self._rows = -1

    def add(self, frame: pl.DataFrame) -> None:
        """Write the rows of a frame; before the first frame, write the names of its columns."""
        if self._rows < 0:
            if frame.width > _COLUMNS:
                raise ParameterError(f"{frame.width:,} columns; an Excel sheet has at most {_COLUMNS:,}; {_ELSE}")
            for place, name in enumerate(frame.columns):
                self._put_text(0, place, name)
            self._rows = 0
        if self._rows + frame.height > MOST_ROWS:
            raise ParameterError(f"more than {MOST_ROWS:,} records, which is all that an Excel sheet holds; {_ELSE}")
        infinite = frame.select(pl.selectors.float().is_infinite().any())
        if endless := [column.name for column in infinite if column.item()]:
            raise ParameterError(f"column {endless[0]!r} holds an infinite number, which Excel cannot hold; {_ELSE}")
        puts = [self._put_for(frame.schema[name], name) for name in frame.columns]
        for row, cells in enumerate(frame.iter_rows(), self._rows + 1):
            for place, (cell, put) in enumerate(zip(cells, puts, strict=True)):
                if cell is not None:
                    put(row, place, cell)
        self._rows += frame.height

    def close(self) -> None:
        """Close the file of rows, which XlsxWriter leaves open if the book is not closed."""
        self._sheet.row_data_fh.close()

    def _put_for(self, dtype: pl.DataType, name: str) -> Put:
        """Return the function that writes cells of a type."""
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
            raise ParameterError(f"column {name!r} holds {dtype}, which an Excel cell cannot hold; write .parquet")
        if dtype == pl.Boolean:
            return self._sheet.write_boolean  # type: ignore[no-any-return]
        if dtype.is_numeric():
            return self._put_number
        return self._put_date if dtype in (pl.Date, pl.Datetime) else self._put_text

    def _put_number(self, row: int, place: int, cell: float | Decimal) -> None:
        """Write a number, as text if float64 does not represent it exactly; NaN is a missing cell."""
        number = float(cell)
        large, long = isinstance(cell, int) and abs(cell) > _EXACT, isinstance(cell, Decimal)
        if large or (long and Decimal(repr(number)) != cell):
            self._put_text(row, place, str(cell))
        elif not math.isnan(number):
            self._sheet.write_number(row, place, number)

    def _put_date(self, row: int, place: int, cell: date) -> None:
        """Write a date, as text if Excel cannot represent its day, its time zone or its fraction of a second."""
        moment = isinstance(cell, datetime)
        day = cell.date() if isinstance(cell, datetime) else cell
        if day < _FIRST_DAY or (isinstance(cell, datetime) and (cell.tzinfo or cell.microsecond)):
            self._put_text(row, place, cell)
        else:
            self._sheet.write_datetime(row, place, cell, self._moment if moment else self._day)

    def _put_text(self, row: int, place: int, cell: object) -> None:
        """Write text that stays text, even if it looks like a formula, a number or an address."""
        text = iso_text(cell)
        if len(text) > _LONGEST // 2 and len(text.encode("utf-16-le")) // 2 > _LONGEST:
            raise ParameterError(
                f"record {row:,} has a text of {len(text):,} characters; an Excel cell holds {_LONGEST:,}; {_ELSE}"
            )
        self._sheet.write_string(row, place, text, self._quoted if text.startswith(FORMULA) else None)


def _make_exact_sheet_class() -> type:
    """Make a class of sheets that writes cells unchanged.

    XlsxWriter writes sixteen digits of a number, and treats a text between <r> and </r> as rich text.
    """
    from xlsxwriter.worksheet import Worksheet

    class ExactSheet(Worksheet):  # type: ignore[misc]
        def _xml_number_element(self, number: float, attributes: Any = ()) -> None:
            places = "".join(f' {key}="{value}"' for key, value in attributes)
            self.fh.write(f"<c{places}><v>{number_to_text(number)}</v></c>")

        def _xml_rich_inline_string(self, string: str, attributes: Any = ()) -> None:
            self._xml_inline_string(string, preserve=True, attributes=attributes)

    return ExactSheet
