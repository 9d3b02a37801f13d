"""Read CSV and TSV files as sources of cells.

The csv module defines the meaning of these files. polars reads regular files (`kernels.is_regular`), for which both
agree, because it is faster. The csv module reads all other files, and finds the line of an error. Cells are texts; if
all cells of a column spell numbers, `text_cells` converts them at once.
"""

from __future__ import annotations

import mmap
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from unless.errors import ReadError
from unless.kernels import ranking as kernels
from unless.libraries import pl
from unless.read.cells import Cells, cells_from_numbers
from unless.read.csv_records import TextHeader, read_header, read_next_header, read_records, refuse_width
from unless.read.dialect import NO_REMARKS, Numerals, TextDialect
from unless.read.dialect_detection import WINDOW, detect_dialect
from unless.read.encodings import detect_unmarked, to_utf8
from unless.read.file_bytes import MARK, Content, OpenFile, as_file, first_bytes, read_or_map
from unless.read.options import ReadOptions
from unless.read.text_cells import parse_numbers, rank_texts

_PIECE = 1 << 18  # bytes to check at a time


def open_text(
    source: Content, *, usual: str, where: str, options: ReadOptions, numerals: Numerals | None = None
) -> TextFile:
    """Open a text file as a source; options that are not given are detected from its first bytes."""
    dialect = detect_dialect(first_bytes(source, WINDOW), usual, options, where=where, numerals=numerals)
    if dialect.encoding != "utf-8":
        source = to_utf8(read_or_map(source)[:], dialect.encoding, where)
    return TextFile(source, dialect, where=where, above=options.above)


def detect_open_file(file: OpenFile, usual: str, options: ReadOptions, numerals: Numerals | None = None) -> TextDialect:
    """Detect the dialect of a newly opened file; its bytes will be read as UTF-8."""
    dialect = detect_dialect(file.peek(WINDOW), usual, options, where=file.where, numerals=numerals)
    if dialect.encoding != "utf-8" or dialect.is_open:
        file.decode(None if dialect.is_open else dialect.encoding)
    return dialect


def read_header_names(file: OpenFile, usual: str, options: ReadOptions) -> list[str]:
    """Read the names of the columns of a newly opened file."""
    return read_next_header(file, detect_open_file(file, usual, options).delimiter, options.above).names


class TextFile:
    """A CSV or TSV file, or a piece of one, in UTF-8; its dialect names the original encoding.

    Its first record names the columns; lines ``above`` it are skipped. A piece from the middle of a file, made of whole
    records, gets ``names`` instead, and for messages the number of its ``first_line`` in the file; `read_table` also
    takes a TextFile.

    A blank line is not a record, except in a file of one column, where it is an empty cell.
    """

    spelled = filed = True
    rows = 0

    def __init__(
        self,
        source: Content,
        dialect: TextDialect,
        *,
        where: str,
        names: Sequence[str] | None = None,
        first_line: int = 1,
        above: int = 0,
    ) -> None:
        self._where = where
        self._dialect = dialect
        self._piece = names is not None
        self._first_line = first_line
        self._above = above
        self._take_content(source, None if names is None else TextHeader(list(names)))

    def _take_content(self, source: Content, given: TextHeader | None = None) -> None:
        """Set the content, and read its header unless names are given."""
        self._path, self._data = source, read_or_map(source)
        self._header = given or read_header(as_file(self._data), self._dialect.delimiter, self._where, self._above)
        self.names: Sequence[str] = self._header.names
        self.remarks = NO_REMARKS if self._piece else self._dialect.remarks.with_remark(self._header.said)
        self._body = np.frombuffer(self._data, dtype=np.uint8)[self._header.start :]

    def load(self, names: Sequence[str], texts: Collection[str], missing: Collection[str]) -> None:
        """Read these columns: ``texts`` as text, and others as numbers if all their cells spell numbers."""
        places = {name: place for place, name in enumerate(self.names)}
        wanted, as_text = [places[name] for name in names], {_column_name(places[name]) for name in texts}
        frame = self._read(wanted or [0])  # without any column the rows could not be counted
        self.rows = frame.height
        frame = frame.select([_column_name(place) for place in dict.fromkeys(wanted)])
        if "" not in missing:
            frame = frame.with_columns(frame.get_column(name).fill_null("") for name in frame.columns)
        others = [column for column in frame if column.name not in as_text]
        self._numbers = {one.name: one for one in parse_numbers(others, self._dialect.numerals, missing)}
        self._texts = rank_texts(frame.drop(self._numbers))
        self._places = places

    def cells(self, name: str) -> Cells:
        """Return the cells of a loaded column."""
        place = _column_name(self._places[name])
        found = self._texts.get(place) or cells_from_numbers(self._numbers[place].to_numpy(), str)
        return found if self._dialect.numerals.plain else replace(found, numerals=self._dialect.numerals)

    def frame(self, names: Collection[str] | None = None) -> pl.DataFrame:
        """Read the named columns, by default all, as text; an empty cell is null."""
        wanted = [place for place, name in enumerate(self.names) if names is None or name in names]
        frame = self._read(wanted).select(map(_column_name, wanted)).with_columns(pl.all().replace("", None))
        frame.columns = [self.names[place] for place in wanted]
        return frame

    def _read(self, wanted: Sequence[int]) -> pl.DataFrame:
        """Read the columns at these positions as text; an empty cell may be null."""
        frame = self._read_fast(wanted)
        if frame is not None:
            return frame
        try:
            return self._read_slowly(wanted)
        except ReadError:
            if not self._reread_as_cp1252():
                raise
            return self._read(wanted)

    def _reread_as_cp1252(self) -> bool:
        """Read the file again as cp1252 if it began as ASCII and is not UTF-8; return whether it was."""
        if self._piece or not self._dialect.is_open or detect_unmarked(data := self._data[:]) != "cp1252":
            return False
        self._dialect = self._dialect.with_encoding("cp1252", self._where)
        self._take_content(to_utf8(data, "cp1252", self._where))
        return True

    def _read_fast(self, wanted: Sequence[int]) -> pl.DataFrame | None:
        """Read the columns with polars; None if the csv module might read them differently."""
        header, body, separator = self._header, self._body, self._dialect.delimiter
        quoted = kernels.has_any(body, ord('"'), ord("\r"))
        open_end = body[-1:].tobytes() == separator.encode()  # polars skips an empty last field
        regular = self._is_regular() if quoted or open_end else None
        # The csv module ends a line at a carriage return in a name, but polars' skip_lines does not. A byte order mark
        # at the start of the first record is text, but polars drops it.
        returns = header.lines and b"\r" in self._data[: header.size].replace(b"\r\n", b"")
        if regular is False or returns or self._data[header.size : header.size + len(MARK)] == MARK:
            return None
        last = len(self.names) - 1
        frame = self._read_by_polars([*wanted, last])
        if frame is None or regular:
            return frame
        # polars pads a short line with nulls, so its last column is null.
        return None if self._is_ragged(frame, holed=frame.get_column(_column_name(last)).null_count() > 0) else frame

    def _is_ragged(self, frame: pl.DataFrame, *, holed: bool) -> bool:
        """Whether a line without quotes has more fields than the header, or, if the frame is holed, fewer.

        If polars reads all columns, it rejects a line with more fields. So counting separators is usually enough: that
        takes 1.2 ms for 8 MB, `is_regular` 17 ms.
        """
        whole = frame.width == len(self.names)
        if holed and not (whole and frame.width > 1):
            return not self._is_regular()
        if whole and not holed:
            return False
        pieces = (self._body[start : start + _PIECE] for start in range(0, len(self._body), _PIECE))
        count = sum(int(np.count_nonzero(piece == ord(self._dialect.delimiter))) for piece in pieces)
        return count != (frame.height + bool(self._header.lines)) * (len(self.names) - 1)

    def _is_regular(self) -> bool:
        return bool(kernels.is_regular(self._body, ord(self._dialect.delimiter), len(self.names)))

    def _read_by_polars(self, wanted: Sequence[int]) -> pl.DataFrame | None:
        """Read the wanted columns with polars, named by position; None if polars cannot read the file."""
        try:
            return pl.read_csv(
                self._path if isinstance(self._data, mmap.mmap) else self._data,  # polars maps the file too
                has_header=False,
                skip_lines=self._header.lines,
                separator=self._dialect.delimiter,
                schema=dict.fromkeys(map(_column_name, range(len(self.names))), pl.String),
                columns=[_column_name(place) for place in sorted(set(wanted))],
                glob=False,
            )
        except (pl.exceptions.PolarsError, OSError):
            return None

    def _read_slowly(self, wanted: Sequence[int]) -> pl.DataFrame:
        """Read the columns with the csv module; an error names the line."""
        columns: list[list[str]] = [[] for _ in wanted]
        file, line, width = as_file(self._data), self._first_line + self._header.lines, len(self.names)
        file.seek(self._header.size)
        for record, number, _ in read_records(file, self._dialect.delimiter, self._where, line, width):
            refuse_width(record, self.names, self._where, number)
            for column, place in zip(columns, wanted, strict=True):
                column.append(record[place])
        names = [_column_name(place) for place in wanted]
        return pl.DataFrame(dict(zip(names, columns, strict=True)), schema=dict.fromkeys(names, pl.String))


def _column_name(place: int) -> str:
    """Name a column within this module; polars requires the prefix for files without a header."""
    return f"column_{place}"
