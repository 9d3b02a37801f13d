"""Read and write past the page cache of the system (``O_DIRECT``), and raise the limit of open files."""

from __future__ import annotations

import mmap
import os
import threading
import weakref
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import resource
except ImportError:  # Windows has no such limit, and reads through its cache
    resource = None  # type: ignore[assignment]

PAGE = 4096
"""Direct reads and writes begin and end at multiples of this many bytes."""

O_DIRECT = getattr(os, "O_DIRECT", None)

Positions = NDArray[np.integer[Any]]

_OWN = threading.local()

_LARGEST_BUFFER = 1 << 24
"""The largest buffer that a thread keeps for reading: records may be far longer than columns."""

_NEAR = 32
"""Pages are read together if fewer than this many are between them: 4 kB take 117 µs to read, 128 kB 191 µs."""


def round_up_to_pages(size: int) -> int:
    """Round a number of bytes up to whole pages."""
    return -(-size // PAGE) * PAGE


def supports_direct_io(path: Path) -> bool:
    """Whether a file can be opened past the page cache, which some disks and systems do not support."""
    with suppress(OSError):
        if O_DIRECT is not None:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | O_DIRECT, 0o600))
            return True
    return False


def write_bypassing_page_cache(path: Path, array: NDArray[Any], start: int) -> bool:
    """Write an array at a position of a file, in whole pages; return whether this worked."""
    pages = _aligned_buffer(round_up_to_pages(array.nbytes))
    pages[: array.nbytes] = np.ascontiguousarray(array).view(np.uint8).data
    pages[array.nbytes :] = bytes(len(pages) - array.nbytes)
    with suppress(OSError):
        file = os.open(path, os.O_WRONLY | (O_DIRECT or 0))
        try:
            return os.pwrite(file, pages, start) == len(pages)
        finally:
            os.close(file)
    return False


def _aligned_buffer(size: int) -> memoryview:
    """Return memory that begins at a page; the same buffer for every call of a thread."""
    if len(getattr(_OWN, "pages", b"")) < size:
        _OWN.pages = mmap.mmap(-1, size)
    return memoryview(_OWN.pages)[:size]


class _OpenFileLimit:
    """The limit of open files, raised as far as the system allows while files need it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # garbage collection may close a file at any point
        self._open = 0
        self._before: tuple[int, int] | None = None

    def raise_limit(self) -> None:
        """Count one more file, and raise the limit for the first."""
        with self._lock:
            self._open += 1
            if resource is None or self._before is not None:
                return
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            if soft not in (hard, resource.RLIM_INFINITY):
                with suppress(OSError, ValueError):
                    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
                    self._before = soft, hard

    def restore(self) -> None:
        """Count one file less, and restore the limit after the last, unless other code has changed it."""
        with self._lock:
            self._open -= 1
            if self._open or self._before is None:
                return
            before, self._before = self._before, None
            if resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1], before[1]):
                with suppress(OSError, ValueError):
                    resource.setrlimit(resource.RLIMIT_NOFILE, before)


_LIMIT = _OpenFileLimit()


def _close(file: int) -> None:
    os.close(file)
    _LIMIT.restore()


ArrayLocation = tuple[np.dtype[Any], int, int]
"""The type of an array in a file, its length, and the byte where it begins."""


class UncachedReader:
    """Reads arrays of a file past the page cache; large reads would evict other pages from it.

    This also takes only an eighth of the CPU time (0.07 s for a gigabyte; through the cache 0.5 s).
    """

    def __init__(self, path: Path, arrays: Mapping[str, ArrayLocation]) -> None:
        self._arrays = arrays
        _LIMIT.raise_limit()
        try:
            self._file = os.open(path, os.O_RDONLY | (O_DIRECT or 0))
        except OSError:
            _LIMIT.restore()
            raise
        weakref.finalize(self, _close, self._file)

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def part(self, name: str, part: int, parts: int, needed: Positions | None = None) -> NDArray[Any]:
        """Read one of several equal parts of an array, valid until the same thread reads another part.

        If only some positions are ``needed``, the content of other pages is undefined.
        """
        kind, count, start = self._arrays[name]
        return self._read_items(kind, count // parts, start + part * (count // parts) * kind.itemsize, needed)

    def rows(self, name: str, width: int, needed: Positions) -> NDArray[Any]:
        """Read some rows of an array whose rows have ``width`` numbers each."""
        kind, count, start = self._arrays[name]
        found = self._read_items(np.dtype((kind, (width,))), count // width, start, needed).take(needed, axis=0)
        if len(_OWN.pages) > _LARGEST_BUFFER:
            del _OWN.pages
        return found

    def forget(self, page: int, size: int) -> None:
        """Drop a range of the file from the cache of the system; no page in the range may be mapped."""
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self._file, page, size, os.POSIX_FADV_DONTNEED)

    def _read_items(self, kind: np.dtype[Any], count: int, begin: int, needed: Positions | None) -> NDArray[Any]:
        size = kind.itemsize
        page, end = begin // PAGE * PAGE, begin + count * size
        if needed is None:
            runs = [(0, round_up_to_pages(end - page) // PAGE)]
        else:
            first = begin - page + needed.astype(np.int64) * size
            runs = _page_runs(first // PAGE, (first + size - 1) // PAGE)
        self._read(page, end, runs)
        return np.frombuffer(_OWN.pages, kind, count, begin - page)

    def _read(self, page: int, end: int, runs: Iterable[tuple[int, int]]) -> None:
        """Read runs of pages, counted from the first one, up to the end."""
        pages = _aligned_buffer(round_up_to_pages(end - page))
        for first, last in runs:
            done, size = first * PAGE, min(last * PAGE, end - page)
            while done < size:
                if not (some := os.preadv(self._file, [pages[done : last * PAGE]], page + done)):
                    raise OSError("a block is shorter than it was")
                done += some


def _page_runs(first: Positions, last: Positions) -> list[tuple[int, int]]:
    """Group nearby pages into runs, given the first and the last page of each item; return their bounds."""
    size = int(last.max(initial=-1)) + 2
    there = np.cumsum(np.bincount(first, minlength=size) - np.bincount(last + 1, minlength=size))
    found = np.flatnonzero(there)
    if not len(found):
        return []
    gaps = np.flatnonzero(np.diff(found) > _NEAR)
    return list(zip(found[[0, *(gaps + 1)]].tolist(), (found[[*gaps, -1]] + 1).tolist(), strict=True))
