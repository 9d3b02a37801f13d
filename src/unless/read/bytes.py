"""The bytes of a file: read, mapped or unpacked, and what they are by their first and last ones."""

from __future__ import annotations

import gzip
import io
import mmap
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from unless.errors import ReadError
from unless.limits import RATIO, limit, refuse_unpacked

__all__ = [
    "Content",
    "PackedLines",
    "as_file",
    "blaming",
    "called",
    "content",
    "ends",
    "kind_of",
    "read_all",
    "size_of",
    "undecodable",
    "unpack",
]

Content = bytes | Path
"""What a format reads: bytes, or the path of a regular file that is not packed."""

_SMALL = 1 << 24  # files up to this size are read at once; larger ones are mapped, to spare memory
_LONGEST = 8
_PIECE = 1 << 20
_STARTS = {
    b"\x1f\x8b": "gzip",
    b"ARROW1\0\0": "arrow",
    b"\xff\xff\xff\xff": "arrow",  # the stream form
    b"PK\x03\x04": "excel",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "excel",  # .xls, and workbooks with a password
}
_BRACKETS = {b"PAR1": "parquet", b"FEA1": "feather"}  # at both ends: a column of a CSV file may be called PAR1


def called(source: Content) -> str:
    """What messages call it."""
    return "the data" if isinstance(source, bytes) else str(source)


def kind_of(start: bytes, end: bytes) -> str | None:
    """What a file is that starts and ends with these bytes, None if they do not tell, as those of text do not."""
    for sign, kind in _STARTS.items():
        if start.startswith(sign):
            return kind
    return next((kind for sign, kind in _BRACKETS.items() if start.startswith(sign) and end.endswith(sign)), None)


def ends(source: Content) -> tuple[bytes, bytes]:
    """The first and the last few bytes."""
    if isinstance(source, bytes):
        return source[:_LONGEST], source[-_LONGEST:]
    with blaming(str(source)), source.open("rb") as file:
        start = file.read(_LONGEST)
        file.seek(max(0, file.seek(0, io.SEEK_END) - _LONGEST))
        return start, file.read()


def content(source: Content) -> mmap.mmap | bytes:
    """All bytes; of a large file, mapped."""
    if isinstance(source, bytes):
        return source
    with blaming(str(source)):
        if source.stat().st_size <= _SMALL:
            return source.read_bytes()
        with source.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def as_file(data: mmap.mmap | bytes) -> BinaryIO:
    """Bytes as a file, at its start."""
    if isinstance(data, bytes):
        return io.BytesIO(data)
    data.seek(0)
    return data  # type: ignore[return-value]  # it reads lines and seeks, which is all that is asked of it


def undecodable(where: str, number: int, line: bytes, place: int) -> ReadError:
    """The error of a line of a text file that is not UTF-8 at some place."""
    marked = number == 1 and line[:2] in (b"\xff\xfe", b"\xfe\xff")
    advice = "the file seems to be UTF-16; save it as UTF-8" if marked else "save the file as UTF-8 text"
    return ReadError(f"{where}, line {number}: the byte 0x{line[place]:02x} is not UTF-8; {advice}")


def unpack(file: BinaryIO, where: str) -> bytes:
    """The bytes that gzip packed into a file, if they are not too many."""
    size = size_of(file)
    with blaming(where), gzip.open(file) as packed:
        return read_all(packed, size, where)  # type: ignore[arg-type]  # it reads, which is all that is asked of it


def read_all(packed: BinaryIO, size: int, where: str) -> bytes:
    """All bytes of what is packed in a file of that size, if they are not too many."""
    pieces, count = [], 0
    while piece := packed.read(_PIECE):
        pieces.append(piece)
        count += len(piece)
        refuse_unpacked(count, size, where)
    return b"".join(pieces)


class PackedLines(gzip.GzipFile):
    """A gzip file that is read by lines, none of which may be too long."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._where, self._size = str(path), path.stat().st_size

    def readline(self, size: int | None = -1) -> bytes:
        """The next line."""
        most = max(limit("unpacked"), RATIO * self._size) + 1
        line = super().readline(most if size is None or size < 0 else size)
        refuse_unpacked(len(line), self._size, self._where)
        return line


def size_of(file: BinaryIO) -> int:
    """How many bytes a file has; 0 of one that does not tell, such as a pipe."""
    if not file.seekable():
        return 0
    place = file.tell()
    size = file.seek(0, io.SEEK_END)
    file.seek(place)
    return size


@contextmanager
def blaming(where: str) -> Iterator[None]:
    """Say which file it was that could not be read."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ReadError(f"{where}: not a whole gzip file: {error}") from None
    except OSError as error:
        raise ReadError(f"{where}: cannot be read: {error.strerror or error}") from None
