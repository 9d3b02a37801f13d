"""Files in blocks of whole records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from unless.kernels import splice as kernels
from unless.read.bytes import OpenFile

Places = NDArray[np.int64]
Found_co = TypeVar("Found_co", covariant=True)


class Scan(Protocol[Found_co]):
    """Looks for records in bytes; ``final`` says that the file ends with them."""

    def __call__(self, data: bytes, *, final: bool) -> tuple[Found_co, int]:
        """Return what was found, and the length of the whole records."""


def cut(file: OpenFile, size: int, scan: Scan[Found_co]) -> Iterator[tuple[bytes, Found_co]]:
    """Yield blocks of about ``size`` bytes that end where a record does, each with what a scan finds in it.

    There is at least one block, even if it is empty.
    """
    rest, wanted, final, first = b"", size, False, True
    while not final:
        fresh = file.read(wanted)
        final = len(fresh) < wanted  # so that a last line without an ending is no block of its own
        data = rest + fresh if rest else fresh
        found, used = scan(data, final=final)
        rest = data[used:]
        if used or (final and first):
            first = False
            yield data[:used], found
        file.refuse_endless(rest)
        # A record longer than the block is scanned again: doubling keeps that in proportion.
        wanted = size if used else max(size, 2 * len(data))


def records(data: bytes, separator: str, *, blank: bool, final: bool) -> tuple[tuple[Places, int], int]:
    """Find where every record of a CSV or TSV text ends, the number of lines, and the length of the whole records.

    The last record is not whole, unless the data is ``final``. Blank lines are records only if ``blank``.
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
    """Find where the object of every line closes, whether it has no members, and the length of the whole lines."""
    used = len(data) if final else data.rfind(b"\n") + 1
    places, empty = np.empty(len(data) + 1, dtype=np.int64), np.empty(len(data) + 1, dtype=np.uint8)
    count = kernels.object_ends(np.frombuffer(data, dtype=np.uint8)[:used], places, empty)
    return (places[:count], empty[:count]), used
