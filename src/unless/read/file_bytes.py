"""Open, unpack or map files, read blocks of whole records, and recognise formats by their bytes."""

from __future__ import annotations

import gzip
import io
import mmap
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError
from unless.kernels import append_fields as kernels
from unless.limits import refuse_unpacked
from unless.read.encodings import RecodedFile, read_some

Content = bytes | Path
"""The content of a file: bytes, or the path of a regular file that is not packed."""

Places = NDArray[np.int64]
Found = TypeVar("Found")

MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8, which may begin a text file."""

_SMALL = 1 << 24  # files up to this size are read at once; larger ones are mapped, to save memory
_LONGEST_SIGN = 8
_LONGEST_RECORD = 1 << 28  # bytes: a quote that is never closed must not take all memory
_PIECE = 1 << 16  # bytes to request from a pipe, or to inspect
_UNPACKED_PIECE = 1 << 20
_STARTS = {
    b"\x1f\x8b": "gzip",
    b"ARROW1\0\0": "arrow",
    b"\xff\xff\xff\xff": "arrow",  # the stream format
    b"PK\x03\x04": "excel",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "excel",  # .xls, and workbooks with a password
}
_BRACKETS = {b"PAR1": "parquet", b"FEA1": "feather"}  # at both ends: a column of a CSV file may be called PAR1


class OpenFile:
    """A file or a pipe opened for reading bytes, which are unpacked if packed by gzip. Errors name the file."""

    def __init__(self, where: str, raw: BinaryIO, *, packed: bool, path: Path | None = None) -> None:
        self.where = where
        self._raw = raw
        self._file: BinaryIO | gzip.GzipFile | RecodedFile = gzip.GzipFile(fileobj=raw) if packed else raw
        self._path = path
        self._ahead = b""

    def read(self, size: int) -> bytes:
        """Read the next ``size`` bytes, or fewer if the file ends."""
        ahead, self._ahead = self._ahead[:size], self._ahead[size:]
        with as_read_errors(self.where):
            data = _join_bytes(ahead, self._read_pieces(size - len(ahead)))
        if len(data) > size:  # letters in UTF-8 may take more bytes
            data, self._ahead = data[:size], data[size:]
        return data

    def decode(self, encoding: str | None) -> None:
        """Convert all further bytes to UTF-8; without an encoding, detect it from the first non-ASCII line."""
        self._file = RecodedFile(self._ahead, self._file, encoding, self.where)
        self._ahead, self._path = b"", None

    @property
    def encoding(self) -> str:
        """The encoding of the file, as far as the bytes read so far show it."""
        return (isinstance(self._file, RecodedFile) and self._file.encoding) or "utf-8"

    @property
    def undecided(self) -> bool:
        """Whether the bytes read so far do not show the encoding."""
        return isinstance(self._file, RecodedFile) and self._file.encoding is None

    def peek(self, size: int) -> bytes:
        """Return the next bytes without consuming them."""
        with as_read_errors(self.where):
            self._ahead = _join_bytes(self._ahead, self._read_pieces(size - len(self._ahead)))
        return self._ahead[:size]

    def content(self) -> Content:
        """Return the path of a regular file, which libraries read or map themselves, otherwise all bytes."""
        if self._path is not None:
            return self._path
        with as_read_errors(self.where):
            return _join_bytes(self._ahead, self._read_rest())

    def _read_pieces(self, size: int) -> Iterator[bytes]:
        """Yield the next bytes as they become available; a pipe may return short pieces until it ends.

        Python notices Ctrl-C between short pieces, but not within one long `read` of a pipe.
        """
        seekable = self._file.seekable()
        while size > 0 and (piece := read_some(self._file, size if seekable else min(size, _PIECE))):
            yield piece
            size -= len(piece)

    def _read_rest(self) -> Iterator[bytes]:
        """Read all remaining bytes; raise an error if a packed file has too many."""
        if self._file is self._raw:
            yield self._raw.read()
            return
        size, count = size_of(self._raw), 0
        while piece := self._file.read(_UNPACKED_PIECE):
            count += len(piece)
            refuse_unpacked(count, size, self.where)
            yield piece

    def refuse_endless(self, data: bytes) -> None:
        """Raise an error if the data is too long without a whole record."""
        if self._file is not self._raw:
            refuse_unpacked(len(data), size_of(self._raw), self.where)
        if len(data) > _LONGEST_RECORD:
            raise ReadError(f"{self.where}: a record of more than {_LONGEST_RECORD >> 20} MB; is a quote never closed?")

    @property
    def position(self) -> int:
        """Return the number of bytes read from the (possibly packed) file; 0 for a pipe."""
        return self._raw.tell() if self._raw.seekable() else 0


@contextmanager
def open_file(path: Path) -> Iterator[OpenFile]:
    """Open a file or a named pipe."""
    with as_read_errors(str(path)):
        file = path.open("rb")
    with file:
        packed = is_packed(path)
        yield OpenFile(str(path), file, packed=packed, path=path if path.is_file() and not packed else None)


def _join_bytes(ahead: bytes, pieces: Iterable[bytes]) -> bytes:
    """Join pieces; a single one is not copied."""
    return b"".join(filter(None, [ahead, *pieces]))


def is_packed(path: str | os.PathLike[str]) -> bool:
    """Whether a file is packed by gzip, according to its name."""
    return Path(path).suffix.lower() == ".gz"


@contextmanager
def as_read_errors(where: str, *failures: type[BaseException], title: str = "") -> Iterator[None]:
    """Convert errors to a `ReadError` that names the file.

    ``title`` is the expected format; ``failures`` are the exceptions of the library that reads such files.
    """
    known: tuple[type[BaseException], ...] = (OSError, *failures)
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ReadError(f"{where}: not a whole gzip file: {error}") from None
    except known as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        if not isinstance(error, Exception):  # polars panics
            reason = "polars gave up; do two columns have the same name?"
        complaint = f"not {title} file that can be read" if title else "cannot be read"
        raise ReadError(f"{where}: {complaint}: {reason}") from None


def detect_kind(start: bytes, end: bytes) -> str | None:
    """Detect the kind of a file from its first and last bytes; None if they do not show it, as in text files."""
    starts = (kind for sign, kind in _STARTS.items() if start.startswith(sign))
    brackets = (kind for sign, kind in _BRACKETS.items() if start.startswith(sign) and end.endswith(sign))
    return next(chain(starts, brackets), None)


def first_and_last_bytes(source: Content) -> tuple[bytes, bytes]:
    """Read the first and the last few bytes of a file."""
    if isinstance(source, bytes):
        return source[:_LONGEST_SIGN], source[-_LONGEST_SIGN:]
    with as_read_errors(str(source)), source.open("rb") as file:
        start = file.read(_LONGEST_SIGN)
        file.seek(max(0, file.seek(0, io.SEEK_END) - _LONGEST_SIGN))
        return start, file.read()


def first_bytes(source: Content, size: int) -> bytes:
    """Read at most ``size`` bytes from the start of a file."""
    if isinstance(source, bytes):
        return source[:size]
    with as_read_errors(str(source)), source.open("rb") as file:
        return file.read(size)


def read_or_map(source: Content) -> mmap.mmap | bytes:
    """Read all bytes of a file; map a large file into memory."""
    if isinstance(source, bytes):
        return source
    with as_read_errors(str(source)):
        if source.stat().st_size <= _SMALL:
            return source.read_bytes()
        with source.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def as_file(data: mmap.mmap | bytes) -> BinaryIO:
    """Wrap bytes as a file object, positioned at its start."""
    if isinstance(data, bytes):
        return io.BytesIO(data)
    data.seek(0)
    return data  # type: ignore[return-value]  # it reads lines and seeks, and nothing else is needed


def not_utf8_error(where: str, number: int, line: bytes, place: int) -> ReadError:
    """Make the error for a line of a text file with a byte that is not UTF-8."""
    advice = "save the file as UTF-8 text, or say which encoding it has, such as cp1252"
    return ReadError(f"{where}, line {number}: the byte 0x{line[place]:02x} is not UTF-8; {advice}")


def size_of(source: Content | BinaryIO) -> int:
    """Return the size in bytes; 0 if it is unknown, as for a pipe."""
    if isinstance(source, bytes):
        return len(source)
    if isinstance(source, Path):
        return source.stat().st_size
    if not source.seekable():
        return 0
    place = source.tell()
    size = source.seek(0, io.SEEK_END)
    source.seek(place)
    return size


# Blocks.


def read_blocks(file: OpenFile, size: int, scan: Callable[..., tuple[Found, int]]) -> Iterator[tuple[bytes, Found]]:
    """Yield blocks of about ``size`` bytes of whole records, each with the result of a scan.

    ``scan(data, final=...)`` returns its result and the length of the whole records; ``final`` means that the file ends
    with the data. There is at least one block, which may be empty.
    """
    rest, wanted, final, first = b"", size, False, True
    while not final:
        fresh = file.read(wanted)
        final = len(fresh) < wanted  # keeps a last line without an ending in this block
        data = rest + fresh if rest else fresh
        found, used = scan(data, final=final)
        rest = data[used:]
        if used or (final and first):
            first = False
            yield data[:used], found
        file.refuse_endless(rest)
        # A record longer than the block is scanned again: doubling keeps that in proportion.
        wanted = size if used else max(size, 2 * len(data))


def find_records(data: bytes, separator: str, *, blank: bool, final: bool) -> tuple[tuple[Places, int], int]:
    """Find the end of every record of a CSV or TSV text, the number of lines, and the length of the whole records.

    The last record is incomplete, unless the data is ``final``. Blank lines are records only if ``blank``.
    """
    array = np.frombuffer(data, dtype=np.uint8)
    places = np.empty(len(data) + 1, dtype=np.int64)  # untouched pages take no memory
    if b'"' not in data and b"\r" not in data:
        used = len(data) if final else data.rfind(b"\n") + 1
        count, lines = kernels.line_ends(array[:used], blank, places)
    else:
        count, used = kernels.record_ends(array, ord(separator), blank, final, places)
        lines = kernels.count_lines(array[:used])
    return (places[:count], lines), used


def find_objects(data: bytes, *, final: bool) -> tuple[tuple[Places, NDArray[np.uint8]], int]:
    """Find the end of the object in every line, whether it is empty, and the length of the whole lines."""
    used = len(data) if final else data.rfind(b"\n") + 1
    places, empty = np.empty(len(data) + 1, dtype=np.int64), np.empty(len(data) + 1, dtype=np.uint8)
    count = kernels.object_ends(np.frombuffer(data, dtype=np.uint8)[:used], places, empty)
    return (places[:count], empty[:count]), used
