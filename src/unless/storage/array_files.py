"""Store named arrays in a file: a line of JSON lists them, and each array begins at a page boundary."""

from __future__ import annotations

import json
import mmap
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from unless.files import name_file_in_errors, open_privately
from unless.storage.direct_io import O_DIRECT, UncachedReader, round_up_to_pages, write_bypassing_page_cache

Arrays = Mapping[str, NDArray[Any]]

ArrayPart = tuple[str, int, int]
"""One of several equal parts of an array: the name, the index of the part, and the number of parts."""

_TYPES = (np.uint8, np.uint16, np.int32, np.int64, np.float64)
"""The allowed types of arrays; an untrusted file may name others, such as pointers to objects."""


class StoredArrays(dict[str, NDArray[Any]]):
    """Named arrays, in memory or mapped; arrays of large files (`MappedArrays`) are read when needed."""

    uncached: UncachedReader | None = None
    """Reads large arrays past the page cache; None if they are in memory or mapped like the others."""

    def need(self, name: str, part: int = 0, parts: int = 1) -> None:
        """Read one of several equal parts of an array now, unless it is in memory."""

    def prefetch(self, parts: Iterable[ArrayPart]) -> None:
        """Make the system read parts ahead that may be needed soon, without waiting."""

    def drop_rarely_needed(self) -> tuple[ArrayPart, ...]:
        """Drop rarely needed parts from memory, and return the parts needed since the last call."""
        return ()


class MappedArrays(StoredArrays):
    """Arrays mapped from a file; only the needed parts are read.

    The system would read megabytes around each part, and evict pages that other queries need from its cache.
    """

    def __init__(
        self,
        arrays: Arrays,
        file: mmap.mmap,
        starts: Mapping[str, int],
        uncached: UncachedReader,
        rare: Collection[str],
    ) -> None:
        """Turn off read-ahead; ``rare`` are the arrays that few queries need."""
        super().__init__(arrays)
        file.madvise(mmap.MADV_RANDOM)
        self._file, self._starts, self._rare = file, starts, rare
        self.uncached: UncachedReader = uncached
        self._read: dict[ArrayPart, tuple[int, int]] = {}
        """The parts that were read since a query began, with their positions in the file."""
        self._needed: dict[ArrayPart, None] = {}
        """The parts needed since then; prefetched parts may not be among them."""

    def need(self, name: str, part: int = 0, parts: int = 1) -> None:
        """Read one of several equal parts of an array now, unless it was read since the query began."""
        self._needed[name, part, parts] = None
        self._fetch((name, part, parts))

    def prefetch(self, parts: Iterable[ArrayPart]) -> None:
        """Make the system read parts ahead that may be needed soon, without waiting."""
        for one in parts:
            self._fetch(one)

    def _fetch(self, what: ArrayPart) -> None:
        name, part, parts = what
        if what in self._read or (name, 0, 1) in self._read:
            return
        if size := self[name].nbytes // parts:
            start = self._starts[name] + part * size
            page = start // mmap.PAGESIZE * mmap.PAGESIZE
            self._file.madvise(mmap.MADV_WILLNEED, page, start + size - page)
            self._read[what] = page, start + size - page

    def drop_rarely_needed(self) -> tuple[ArrayPart, ...]:
        """Drop rarely needed parts from memory, and return the parts needed since the last call."""
        read, needed = self._read, self._needed
        self._read, self._needed = {}, {}
        for page, size in {span for (name, _, _), span in read.items() if name in self._rare}:
            self._file.madvise(mmap.MADV_DONTNEED, page, size)
            self.uncached.forget(page, size)
        return tuple(needed)


def write_arrays(path: Path, arrays: Arrays, uncached: Collection[str] = ()) -> None:
    """Write arrays to a file; ``uncached`` arrays bypass the page cache."""
    listed, position = list[list[Any]](), 0
    for name, array in arrays.items():
        listed.append([name, array.dtype.str, len(array), position])
        position += round_up_to_pages(array.nbytes)
    head = json.dumps(listed).encode()
    start = round_up_to_pages(len(head) + 1)
    with name_file_in_errors(path), open(path, "wb", opener=open_privately) as file:
        file.write(head.ljust(start - 1) + b"\n")
        for (name, *_, begin), array in zip(listed, arrays.values(), strict=True):
            if name not in uncached or not write_bypassing_page_cache(path, array, start + begin):
                file.seek(start + begin)
                file.write(np.ascontiguousarray(array).data)
        file.truncate(start + position)  # pad the file to whole pages


def map_arrays(path: Path, uncached: Collection[str] = (), rare: Collection[str] = ()) -> StoredArrays:
    """Map the arrays of a file; ``uncached`` arrays can be read past the page cache.

    Raise a ValueError if the file is not of this kind.
    """
    with path.open("rb") as file:
        head = file.readline()
        listed = [
            (name, np.dtype(kind), int(count), len(head) + int(position))
            for name, kind, count, position in json.loads(head)
        ]
        size = path.stat().st_size
        for name, kind, count, start in listed:
            if kind not in _TYPES or count < 0 or start < len(head) or start + count * kind.itemsize > size:
                raise ValueError(f"{path} has no valid array {name!r}")
        if size == len(head):
            return StoredArrays({name: np.empty(0, kind) for name, kind, _, _ in listed})
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    whole = np.frombuffer(mapped, np.uint8)
    found = {name: whole[start : start + count * kind.itemsize].view(kind) for name, kind, count, start in listed}
    large = {name: (kind, count, start) for name, kind, count, start in listed if name in uncached and count}
    if O_DIRECT is not None and large:
        with suppress(OSError):  # a disk without direct reads, or too many open files
            starts = {name: start for name, _, _, start in listed}
            return MappedArrays(found, mapped, starts, UncachedReader(path, large), rare)
    return StoredArrays(found)


def checksum(path: Path) -> int:
    """Compute a checksum that shows whether a file is unchanged."""
    found = 0
    with path.open("rb") as file:
        while some := file.read(1 << 22):
            found = crc32(some, found)
    return found
