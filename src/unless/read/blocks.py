"""The bytes of a file, in blocks of whole records."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from unless.errors import ReadError
from unless.kernels import splice as kernels
from unless.read.bytes import blaming, read_all, size_of

__all__ = ["Bytes", "Places", "cut", "objects", "records"]

Places = NDArray[np.int64]
Found = TypeVar("Found")

_PIECE = 1 << 16

_LONGEST = 1 << 28  # bytes of a record: a quote that is never closed must not take all memory


class Bytes:
    """The bytes of a file or a pipe, unpacked; errors name it."""

    def __init__(self, where: str, raw: BinaryIO, *, packed: bool) -> None:
        self.where = where
        self._raw = raw
        self._file = gzip.GzipFile(fileobj=raw) if packed else raw

    def read(self, size: int) -> bytes:
        """The next bytes, so many unless the file ends."""
        with blaming(self.where):
            return self._rest() if size < 0 else b"".join(self._pieces(size))

    def _rest(self) -> bytes:
        if self._file is self._raw:
            return self._raw.read()
        return read_all(cast("BinaryIO", self._file), size_of(self._raw), self.where)

    def _pieces(self, size: int) -> Iterator[bytes]:
        """The next bytes as the file gives them; of a pipe less than asked for, until it ends.

        Between short pieces Python looks for Ctrl-C, within one long `read` of a pipe it does not.
        """
        seekable = self._file.seekable()
        read = self._file.read if seekable else getattr(self._file, "read1", self._file.read)
        while size > 0 and (piece := read(size if seekable else min(size, _PIECE))):
            yield piece
            size -= len(piece)

    def refuse_endless(self, data: bytes) -> None:
        """Give up if so many bytes are not yet a whole record."""
        if len(data) > _LONGEST:
            raise ReadError(f"{self.where}: a record of more than {_LONGEST >> 20} MB; is a quote never closed?")

    @property
    def position(self) -> int:
        """How many bytes of the file, as it is packed, have been read; 0 of a pipe."""
        return self._raw.tell() if self._raw.seekable() else 0


def cut(
    source: Bytes, size: int, scan: Callable[[bytes, bool], tuple[Found, int]], rest: bytes = b""
) -> Iterator[tuple[bytes, Found]]:
    """Blocks of about ``size`` bytes that end where a record does, with what a scan finds in them.

    The scan takes bytes and whether nothing follows them, and gives what it found and the length of the whole records.
    ``rest`` are bytes that were read before. There is one block at least, if an empty one.
    """
    count, wanted, final = 0, size, False
    while not final:
        fresh = source.read(wanted)
        final = len(fresh) < wanted  # so that a last line without an ending is no block of its own
        data = rest + fresh if rest else fresh
        found, used = scan(data, final)
        rest = data[used:]
        if used or (final and not count):
            count += 1
            yield data[:used], found
        source.refuse_endless(rest)
        # A record longer than the block is looked through again: doubling keeps that in proportion.
        wanted = size if used else max(size, 2 * len(data))


def records(data: bytes, separator: str, *, blank: bool, final: bool) -> tuple[tuple[Places, int], int]:
    """Where every record of a CSV or TSV text ends, the number of lines, and the length of the whole records.

    The last one is not whole, unless the data is ``final``. Blank lines are records only if asked for.
    """
    array = np.frombuffer(data, dtype=np.uint8)
    places = np.empty(len(data) + 1, dtype=np.int64)  # pages that are not touched take no memory
    if b'"' not in data and b"\r" not in data:
        used = len(data) if final else data.rfind(b"\n") + 1
        count, lines = kernels.line_ends(array[:used], blank, places)
    else:
        count, used = kernels.record_ends(array, ord(separator), blank, final, places)
        lines = kernels.count_lines(array[:used])
    return (places[:count], lines), used


def objects(data: bytes, *, final: bool) -> tuple[tuple[Places, NDArray[np.uint8]], int]:
    """Where the object of every line closes and whether it has no members, and the length of the whole lines."""
    used = len(data) if final else data.rfind(b"\n") + 1
    places, empty = np.empty(len(data) + 1, dtype=np.int64), np.empty(len(data) + 1, dtype=np.uint8)
    count = kernels.object_ends(np.frombuffer(data, dtype=np.uint8)[:used], places, empty)
    return (places[:count], empty[:count]), used
