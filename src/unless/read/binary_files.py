"""Read cells of binary files: Parquet and Arrow by polars, workbooks by python-calamine."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import date, datetime, time, timedelta
from pathlib import Path

from unless.errors import ReadError, UnknownNameError, suggest
from unless.libraries import import_extra, pl
from unless.limits import RATIO, limit, refuse_unpacked
from unless.read.cells import Cells, cells_from_objects, dates_as_texts
from unless.read.dialect import NO_REMARKS, Remarks
from unless.read.file_bytes import Content, as_read_errors, first_and_last_bytes, size_of
from unless.read.frames import PolarsFrame, make_series
from unless.read.headers import column_titles
from unless.read.options import PLAIN_OPTIONS, ReadOptions
from unless.read.source import Loaded
from unless.table import Column, column_to_polars
from unless.values import cell_value, number_to_text

Cell = int | float | str | bool | time | date | datetime | timedelta

_NUMBER = 8  # bytes
_BATCH = 1 << 16  # rows of a frame
_PIECE = 1 << 20
_CELL = 32  # bytes of a cell; calamine allocates all cells between the first and the last, even empty ones
_ROWS = 1 << 20  # the most columns of a sheet
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_COLUMN = re.compile(rb"""\br=["']([A-Z]{1,3})[0-9]""")
_FILLED = re.compile(rb"""<(?:\w+:)?c\s[^>]*?\br=["']([A-Z]{1,3})([0-9]{1,7})["'][^>]*(?<!/)>""")
_FAILURES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)


class _ColumnarFile:
    """A columnar file; only the wanted columns are read."""

    spelled, filed = False, True
    remarks = NO_REMARKS
    rows = 0
    title: str
    scanner: str

    def __init__(self, source: Content, *, where: str, options: ReadOptions = PLAIN_OPTIONS) -> None:
        del options  # a columnar file contains its own schema
        self._source = source
        self._where = where
        with self._blaming():
            self.names: Sequence[str] = list(self._scan(rows=0).collect_schema())

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Read the named columns."""
        wanted = list(names) or list(self.names[:1])  # without any column the rows could not be counted
        with self._blaming():
            refuse_unpacked(_NUMBER * len(wanted) * self._count(), size_of(self._source), self._where)
            frame = self._scan(wanted).collect()
        self.rows = frame.height
        self._frame = PolarsFrame(frame)
        self._frame.load(names, texts, missing)

    def cells(self, name: str) -> Cells:
        """Return the cells of a loaded column."""
        return self._frame.cells(name)

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield all columns, some rows at a time, as at least one frame."""
        with self._blaming():
            frame = None
            for frame in self._scan().collect_batches(chunk_size=_BATCH, maintain_order=True):
                yield frame
            if frame is None:
                yield self._scan(rows=0).collect()

    def _input(self) -> Path | io.BytesIO:
        return io.BytesIO(self._source) if isinstance(self._source, bytes) else self._source

    def _scan(self, columns: list[str] | None = None, rows: int | None = None) -> pl.LazyFrame:
        """Make a lazy scan of the file, of some columns, or of its first rows."""
        # A name such as a[1].parquet is not a pattern, and a folder named a=1 is not a column.
        lazy = getattr(pl, self.scanner)(self._input(), n_rows=rows, glob=False, hive_partitioning=False)
        return lazy if columns is None else lazy.select(columns)  # type: ignore[no-any-return]

    def _count(self) -> int:
        """Read the number of rows from the metadata of the file."""
        return int(self._scan().select(pl.len()).collect().item())

    def _blaming(self) -> AbstractContextManager[None]:
        """Convert errors of polars to ours."""
        return as_read_errors(self._where, pl.exceptions.PolarsError, pl.exceptions.PanicException, title=self.title)


class ParquetFile(_ColumnarFile):
    """A Parquet file."""

    title, scanner = "a Parquet", "scan_parquet"


class ArrowFile(_ColumnarFile):
    """An Arrow file (including Feather), in file or stream format."""

    title, scanner = "an Arrow", "scan_ipc"

    def _scan(self, columns: list[str] | None = None, rows: int | None = None) -> pl.LazyFrame:
        if self._streamed:
            return pl.read_ipc_stream(self._input(), columns=columns, n_rows=rows).lazy()
        return super()._scan(columns, rows)

    def _count(self) -> int:
        return 0 if self._streamed else super()._count()  # a stream has no row count

    @property
    def _streamed(self) -> bool:
        return first_and_last_bytes(self._source)[0].startswith(b"\xff\xff\xff\xff")


class ExcelFile(Loaded):
    """A sheet of a workbook, by default the first visible one; its first row that is not blank names the columns.

    Rows of a single text above a row of several texts are a title, unless the caller names the header row.
    Empty cells and cells that show an error such as #N/A are missing. Dates are ISO text, and the numbers of a column
    are integers if they all are whole. A blank row is not a record, but in a sheet of one column it is a missing
    cell. A column without any cells is left out.
    """

    filed = True

    def __init__(self, source: Content, *, where: str, options: ReadOptions = PLAIN_OPTIONS) -> None:
        rows, first, remarks = _read_sheet(source, where, options.sheet)
        asked = options.header_row is not None or options.skip is not None
        above = max(0, options.above - first) if asked else _count_title_rows(rows)
        title = "" if asked or not above else _title_remark(rows, above, first)
        header, *rows = _skip_blank_rows(rows[above:], where)
        width = range(len(header))
        if len(header) > 1:
            rows = [row for row in rows if any(cell != "" for cell in row)]
        columns = [[row[place] for row in rows] for place in width]
        kept = [place for place in width if header[place] != "" or any(cell != "" for cell in columns[place])]
        names, said = column_titles([_column_title(header[place]) for place in kept], [place + 1 for place in kept])
        self.remarks = remarks.with_remark(title).with_remark(said)
        super().__init__(names, len(rows), lambda place: cells_from_objects(_type_cells(columns[kept[place]])))

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield all columns, in one frame."""
        yield pl.DataFrame({name: _cells_to_series(name, self.cells(name)) for name in self.names})


def _type_cells(column: Sequence[Cell]) -> list[Cell | None]:
    """Restore the types of the cells of a column; Excel stores all numbers as floats."""
    whole = all(cell.is_integer() for cell in column if isinstance(cell, float))
    number = int if whole else float
    return [None if cell == "" else number(cell) if isinstance(cell, float) else cell for cell in column]


def _cells_to_series(name: str, cells: Cells) -> pl.Series:
    """Convert cells to a polars column, with a date, time or duration type if the column has nothing else."""
    if cells.notation is None or cells.texts:
        return make_series(_cells_to_objects(cells))
    return column_to_polars(Column(name, "number", cells.numbers, (), cells.codes, cells.notation))


def _cells_to_objects(cells: Cells) -> list[object]:
    """Convert cells to Python objects: dates become text, as in `read_table`; so do numbers in columns with text."""
    cells = dates_as_texts(cells)
    kind = number_to_text if cells.texts else int if cells.type is int else float
    numbers = list(map(kind, cells.numbers.tolist()))
    texts = [text == "True" if cells.type is bool else text for text in cells.texts]
    values = [*numbers, *texts, None]
    return [values[code] for code in cells.codes.tolist()]


def _count_title_rows(rows: Sequence[Sequence[Cell]]) -> int:
    """Count the rows of a title before the names of the columns; a title has one text in each row.

    Below a title are several names, all of them texts, and at least one record.
    """
    for place, row in enumerate(rows[:-1]):
        filled = [cell for cell in row if cell != ""]
        texts = all(isinstance(cell, str) for cell in filled)
        if not texts or len(filled) > 1:
            return place if texts else 0
    return 0


def _title_remark(rows: Sequence[Sequence[Cell]], above: int, first: int) -> str:
    """Write a remark about a title above the names; rows are numbered as in the sheet."""
    title = next(cell for cell in rows[0] if cell != "")
    which = f"row {first + 1:,} is" if above == 1 else f"rows {first + 1:,} to {first + above:,} are"
    return f"{which} a title, {title!r:.60}; the names of the columns are in row {first + above + 1:,}"


def _skip_blank_rows(rows: list[list[Cell]], where: str) -> list[list[Cell]]:
    """Drop blank rows at the start; a sheet without other rows is an error."""
    found = next((place for place, row in enumerate(rows) if any(cell != "" for cell in row)), None)
    if found is None and not rows:
        raise ReadError(f"{where}: the sheet has no row after those that are skipped")
    return rows[found or 0 :]


def _read_sheet(source: Content, where: str, asked: str | int | None) -> tuple[list[list[Cell]], int, Remarks]:
    """Read a sheet: its rows without surrounding blank rows, the number of rows skipped before, and remarks.

    There is at least one row, and all have the same length; '' is an empty cell.
    """
    calamine = import_extra(
        "python_calamine", f"{where}: Excel files are read by python-calamine, which", "excel", ReadError
    )
    with as_read_errors(where, calamine.CalamineError, title="an Excel"):
        _refuse_bombs(source, where)
        try:
            with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
                book = calamine.load_workbook(file)  # by its content, regardless of its name
        except calamine.PasswordError:
            raise ReadError(f"{where}: the workbook has a password; save it without one") from None
        shown = [
            sheet.name
            for sheet in book.sheets_metadata
            if sheet.typ == calamine.SheetTypeEnum.WorkSheet and sheet.visible == calamine.SheetVisibleEnum.Visible
        ]
        usual = shown[0] if shown else book.sheet_names[0]
        name = usual if asked is None else _find_sheet(asked, book.sheet_names, where)
        sheet = book.get_sheet_by_name(name)
        rows: list[list[Cell]] = sheet.to_python(skip_empty_area=True) or [[]]
        others = [] if asked is not None else [one for one in shown if one != usual]
        more = next((one for one in others if book.get_sheet_by_name(one).height), None)
        said = (
            ""
            if more is None
            else f"read the first sheet, {usual!r}; {more!r} has cells too: name the sheet to read it"
        )
        return rows, (sheet.start or (0, 0))[0], Remarks(said)


def _find_sheet(asked: str | int, names: Sequence[str], where: str) -> str:
    """Find the sheet of the given name or, if none exists, of the given number, counted from 1."""
    if asked in names:
        return str(asked)
    number = int(asked) if str(asked).isdecimal() else 0
    if 1 <= number <= len(names):
        return names[number - 1]
    raise UnknownNameError(f"{where}: no sheet {asked!r}{suggest(str(asked), names)}")


def _column_title(cell: Cell) -> str:
    """Return the name of a column as text; the cell may be a number or a date."""
    value = cell_value(cell)
    return number_to_text(value) if value.__class__ is float else str(value)


# A small file may unpack to a huge workbook, so cells and texts are counted before calamine allocates memory.


def _refuse_bombs(source: Content, where: str) -> None:
    """Reject a workbook whose texts, or the positions of its cells, take far more memory than its size."""
    size = size_of(source)
    # Counting columns is three times as fast as counting cells; few columns are fine with any number of rows.
    fine = max(limit("unpacked"), RATIO * size) // (_CELL * _ROWS)
    with suppress(*_FAILURES), zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive:
        total = 0
        for entry in archive.infolist():
            sheet, wide = _SHEET.fullmatch(entry.filename), False
            for piece in _read_pieces(archive, entry):
                total += len(piece)
                refuse_unpacked(total, size, where)
                wide = wide or (
                    bool(sheet) and any(_column_number(column) > fine for column in set(_COLUMN.findall(piece)))
                )
            if wide:
                refuse_unpacked(_CELL * _count_cells(archive, entry), size, where)


def _read_pieces(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the real content of a file in the archive, whatever size the archive claims, cut between tags."""
    entry.file_size = 1 << 62
    rest = b""
    with suppress(*_FAILURES), archive.open(entry) as file:  # calamine will report the error
        while piece := file.read(_PIECE):
            text = rest + piece
            end = text.rfind(b"<") if len(rest) < _PIECE else len(text)
            yield text[:end]
            rest = text[end:]
    yield rest


def _count_cells(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> int:
    """Count the cells of a sheet, up to the last used column and row."""
    columns = rows = 0
    for piece in _read_pieces(archive, entry):
        for column, row in _FILLED.findall(piece):
            columns, rows = max(columns, _column_number(column)), max(rows, int(row))
    return columns * rows


def _column_number(letters: bytes) -> int:
    """Return the number of a column from its letters, from 1.

    >>> _column_number(b"A"), _column_number(b"Z"), _column_number(b"AA"), _column_number(b"XFD")
    (1, 26, 27, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
