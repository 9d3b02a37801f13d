"""Find the format of files, and read their records in batches that fit into memory."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from unless.errors import FormatError, ParameterError
from unless.files import FilePath
from unless.libraries import pl
from unless.read.csv_files import TextFile, detect_open_file
from unless.read.csv_records import read_next_header
from unless.read.dialect import Numerals, Remarks, TextDialect
from unless.read.file_bytes import (
    MARK,
    OpenFile,
    Places,
    find_objects,
    find_records,
    first_and_last_bytes,
    is_packed,
    open_file,
    read_blocks,
)
from unless.read.formats import FORMATS, files_at, format_of, names_of, numerals_at, refuse_hints, refuse_other
from unless.read.frames import PolarsFrame
from unless.read.headers import refuse_twins
from unless.read.json_lines import JsonLines, decode_open_file
from unless.read.options import ReadOptions
from unless.read.source import Source, refuse_other_columns
from unless.read.table import read_with
from unless.table import Table, part_names

File = str | os.PathLike[str] | BinaryIO
"""A path, or a file opened in binary mode."""

_SIGN = 8  # bytes that distinguish the formats
_PIECE = 1 << 16


Converter = Callable[["pl.DataFrame", str], "pl.DataFrame"]
"""Converts a frame of text, read from the named file, to one with numbers in the numeric columns."""


@dataclass(frozen=True, slots=True)
class OtherParts:
    """The properties that all parts of a table share: the columns of the first part, and the numerals."""

    names: Sequence[str]
    where: str
    numerals: Numerals | None


class Input:
    """A file, a folder of parts or an open file, with its format; yields records in batches and tracks progress."""

    def __init__(self, source: File, options: ReadOptions, size: int, other_parts: OtherParts | None = None) -> None:
        form = options.format
        self._size = size
        self._other_parts = other_parts
        self._options = options
        self._said: dict[str, Remarks] = {}
        self._sources: Sequence[Path | BinaryIO | _RereadableFile]
        self.convert: Converter | None = None
        """Converts the columns of a text file to their types; without it, every cell in a frame is text."""
        self._read = self._total = 0
        self._current: OpenFile | None = None
        self.places: list[FilePath]
        """The files that are read, for comparison with the output file."""
        if isinstance(source, (str, os.PathLike)):
            self._format, paths = files_at(source, form)
            self._sources, self.places = paths, [*paths]
            for path in paths:
                if path.is_file() and not is_packed(path):
                    refuse_other(first_and_last_bytes(path), self._format, str(path))
            if all(path.is_file() for path in paths):
                self._total = sum(path.stat().st_size for path in paths)
        else:
            refuse_text_mode(source, "rb")
            if form is None:
                raise FormatError("the format of an open file is unknown; give its format", *FORMATS)
            self._format, self._sources, self.places = format_of("", form), [source], file_numbers(source)
        self.form = self._format.name
        self._numerals = None if other_parts is None else other_parts.numerals
        refuse_hints(options, self._format, str(source) if isinstance(source, (str, os.PathLike)) else _title(source))
        if other_parts is None and all(isinstance(one, Path) and one.is_file() for one in self._sources):
            self._numerals = numerals_at([one for one in self._sources if isinstance(one, Path)], self._format, options)
        self.is_text = self._format.delimiter is not None

    @property
    def said(self) -> dict[str, Remarks]:
        """The remarks about each file, available once it was read."""
        return dict(self._said)

    @property
    def paths(self) -> list[Path]:
        """The paths of the files, sorted by name; empty for open files."""
        return [source for source in self._sources if isinstance(source, Path)]

    def parts(self) -> OtherParts:
        """Return the properties that each file has to match if it is read alone."""
        names = names_of(self.paths[0], replace(self._options, format=self.form))
        return OtherParts(names, str(self.paths[0]), self._numerals)

    def keep(self, stack: ExitStack) -> None:
        """Make the files readable again; pipe input is copied to a temporary file until the stack closes."""
        self._sources = [
            source if isinstance(source, Path) and source.is_file() else _make_rereadable(source, stack)
            for source in self._sources
        ]

    @property
    def share(self) -> float | None:
        """The share of the bytes that were read; None if their number is unknown."""
        if not self._total:
            return None
        return min(1.0, (self._read + (self._current.position if self._current else 0)) / self._total)

    def batches(self) -> Iterator[Batch]:
        """Yield the records in batches, at least one batch for every file.

        All files have the same columns, in any order. Text is read in blocks. A workbook is held in memory as a whole;
        so is a Parquet or Arrow file that is packed or comes from a pipe.
        """
        first: Batch | OtherParts | None = self._other_parts
        self._read = 0
        for file in self._files():
            refuse_other((file.peek(_SIGN), b""), self._format, file.where)  # not yet inspected if packed or piped
            for batch in self._batches(file):
                first = first or batch
                if self.form != "jsonl":
                    refuse_other_columns(first.names, batch.names, first.where, batch.where)
                yield batch

    def _batches(self, file: OpenFile) -> Iterator[Batch]:
        name = Path(file.where).name
        if self.form == "jsonl":
            self._said[name] = decode_open_file(file, self._options)
            return _json_batches(file, self._size)
        if self._format.delimiter is not None:
            dialect = detect_open_file(file, self._format.delimiter, self._options, self._numerals)
            texts = self._text_batches(file, dialect)
            return texts if self.convert is None else (replace(batch, convert=self.convert) for batch in texts)
        source = self._format.open(file.content(), where=file.where, options=self._options)
        self._said[name] = source.remarks
        refuse_twins(source.names, file.where)
        return (FrameBatch(rows, file.where) for rows in source.frames())

    def _text_batches(self, file: OpenFile, dialect: TextDialect) -> Iterator[TextBatch]:
        name = Path(file.where).name
        header = read_next_header(file, dialect.delimiter, self._options.above)
        self._said[name] = dialect.remarks.with_remark(header.said)
        head, line = file.read(header.size), header.lines + 1
        scan = partial(find_records, separator=dialect.delimiter, blank=len(header.names) == 1)
        for data, (places, lines) in read_blocks(file, self._size, scan):
            if dialect.is_open and file.encoding != dialect.encoding:  # these records had the first non-ASCII line
                dialect = dialect.with_encoding(file.encoding, file.where)
                self._said[name] = dialect.remarks.with_remark(header.said)
            source = TextFile(data, dialect, where=file.where, names=header.names, first_line=line)
            undecided = dialect.is_open and file.undecided
            yield TextBatch(data, places, source, self.form, dialect, file.where, head, undecided)
            line += lines

    def _files(self) -> Iterator[OpenFile]:
        for source in self._sources:
            if isinstance(source, Path):
                with open_file(source) as self._current:
                    yield self._current
                self._current, self._read = None, self._read + source.stat().st_size
            elif isinstance(source, _RereadableFile):
                source.file.seek(source.start)
                yield OpenFile(source.where, source.file, packed=_looks_packed(source.file))
            else:
                yield OpenFile(_title(source), source, packed=_looks_packed(source))


@dataclass(frozen=True, slots=True)
class _RereadableFile:
    """An open file that can be read again from its start, with its name for messages."""

    file: BinaryIO
    start: int
    where: str


def _make_rereadable(source: Path | BinaryIO | _RereadableFile, stack: ExitStack) -> _RereadableFile:
    """Make a file readable again: the file itself if it can seek, otherwise a copy."""
    if isinstance(source, _RereadableFile):
        return source
    file = stack.enter_context(source.open("rb")) if isinstance(source, Path) else source
    where = str(source) if isinstance(source, Path) else _title(source)
    if file.seekable():
        return _RereadableFile(file, file.tell(), where)
    copy = stack.enter_context(TemporaryFile())  # noqa: SIM115 - the stack closes it
    pipe = OpenFile(where, file, packed=False)
    while piece := pipe.read(_PIECE):  # in short pieces, so that Ctrl-C is noticed
        copy.write(piece)
    return _RereadableFile(copy, 0, where)


def file_numbers(file: BinaryIO) -> list[FilePath]:
    """Return the descriptor of an open file as a list; empty for a file in memory."""
    try:
        return [file.fileno()]
    except (AttributeError, OSError):
        return []


def refuse_text_mode(file: object, mode: str) -> None:
    """Raise an error for a file that is open in text mode."""
    if isinstance(file, io.TextIOBase):
        raise ParameterError(f"the file is open in text mode; open it in binary mode: open(path, {mode!r})")


def _looks_packed(file: BinaryIO) -> bool:
    """Whether an open file starts like a gzip file; False if it can neither peek nor seek."""
    sign = b"\x1f\x8b"
    if (peek := getattr(file, "peek", None)) is not None:
        return bool(peek(len(sign))[: len(sign)] == sign)
    if not file.seekable():
        return False
    place = file.tell()
    start = file.read(len(sign))
    file.seek(place)
    return start == sign


def _title(file: BinaryIO) -> str:
    name = getattr(file, "name", None)
    return {"<stdin>": "standard input"}.get(name, name) if isinstance(name, str) else "the data"


# Batches.


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Records of a CSV or TSV file: their bytes in UTF-8, the end of each record, and the dialect of the file."""

    data: bytes
    places: Places
    source: TextFile
    form: str
    dialect: TextDialect
    where: str
    head: bytes
    """The bytes of the file before its first record, such as the header."""
    ascii_only: bool = False
    """Whether all bytes up to the end of the batch are ASCII, so that the encoding is still unknown."""
    convert: Converter | None = None

    @property
    def names(self) -> Sequence[str]:
        """The names of the columns."""
        return self.source.names

    def table(self, like: object, features: Sequence[str], *, drop_unlabelled: bool = False) -> Table:
        """Read the named columns like an earlier table."""
        return _read_like(self.source, like, features, drop_unlabelled=drop_unlabelled)

    def cells(self, _: Sequence[str]) -> Source:
        """Return the source of the cells."""
        return self.source

    def texts(self, names: Collection[str]) -> pl.DataFrame:
        """Return the named columns as text; an empty cell is null."""
        return self.source.frame(names)

    def frame(self, **_: object) -> pl.DataFrame:
        """Return all columns; an empty cell is null, and cells are text unless the batch converts them."""
        frame = self.source.frame()
        return frame if self.convert is None else self.convert(frame, self.where)


@dataclass
class JsonBatch:
    """Lines of JSON: their bytes, the end of each object, flags of empty objects, and the number of the first line."""

    data: bytes
    places: Places
    empty: NDArray[np.uint8]
    where: str
    line: int
    head: bytes
    seen: set[str] = field(default_factory=set)
    """The members that occur, set once the table was read."""

    @cached_property
    def names(self) -> Sequence[str]:
        """The members that occur, in order of first appearance."""
        return self._source().names

    def table(self, like: object, features: Sequence[str], *, drop_unlabelled: bool = False) -> Table:
        """Read the named columns like an earlier table; a member that no object has is missing in all rows."""
        schema = getattr(like, "schema", like)
        dates = [name for name in getattr(schema, "parts", ()) if name in self.names]
        parts = part_names(dates, dates)
        names = [*(name for name in features if name not in parts), *dates]
        source = self._source([*names, *({schema.target} - {None, *names})])  # type: ignore[attr-defined]
        table = _read_like(source, like, features, drop_unlabelled=drop_unlabelled)
        self.seen = source.seen.union(part_names(source.seen.intersection(dates), dates))
        return table

    def cells(self, names: Sequence[str]) -> Source:
        """Return the source of the cells of these members; some may occur only in other batches."""
        return self._source(names)

    def frame(self, *, spelled: bool = False, texts: Collection[str] = ()) -> pl.DataFrame:
        """Return all members as columns, typed as in `JsonLines.frame`."""
        return self._source(self.names).frame(spelled=spelled, texts=texts)

    def line_of(self, name: str) -> int:
        """Find the line of the first object that has a member of that name."""
        return next(line for line, row in self._source([name]).objects() if name in row)

    def _source(self, names: Sequence[str] | None = None) -> JsonLines:
        return JsonLines(self.data, where=self.where, names=names, first_line=self.line)


def _json_batches(file: OpenFile, size: int) -> Iterator[JsonBatch]:
    head, line = file.read(len(MARK)) if file.peek(len(MARK)) == MARK else b"", 1
    for data, (places, empty) in read_blocks(file, size, find_objects):
        yield JsonBatch(data, places, empty, file.where, line, head)
        line += data.count(b"\n")


@dataclass(frozen=True, slots=True)
class FrameBatch:
    """Rows of a Parquet, Arrow or Excel file."""

    rows: pl.DataFrame
    where: str

    @property
    def names(self) -> Sequence[str]:
        """The names of the columns."""
        return self.rows.columns

    def table(self, like: object, features: Sequence[str], *, drop_unlabelled: bool = False) -> Table:
        """Read the named columns like an earlier table."""
        source = PolarsFrame(self.rows, filed=True)
        return _read_like(source, like, features, drop_unlabelled=drop_unlabelled)

    def cells(self, _: Sequence[str]) -> Source:
        """Return the source of the cells."""
        return PolarsFrame(self.rows, filed=True)

    def frame(self, **_: object) -> pl.DataFrame:
        """Return all columns, with the types that they have in the file."""
        return self.rows


Batch = TextBatch | JsonBatch | FrameBatch
"""A batch of records of a file; ``where`` names the file in messages."""


def _read_like(source: Source, like: object, features: Sequence[str], *, drop_unlabelled: bool) -> Table:
    """Read the named columns of a batch like an earlier table."""
    return read_with(source, ReadOptions(drop_unlabelled=drop_unlabelled), features=features, like=like)
