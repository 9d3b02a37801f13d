"""Blocks on this machine: encoded in a folder, from which they are mapped, and asked by some threads."""

from __future__ import annotations

import json
import mmap
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

try:
    import resource
except ImportError:  # Windows has no such limits, and reads through its cache
    resource = None  # type: ignore[assignment]

from unless.blocks.block import Arrays, Block, NeededPart, Places
from unless.blocks.block_queries import BlockQuery, combine_in_groups
from unless.blocks.column_bins import ColumnBins
from unless.files import name_file_in_errors, open_privately
from unless.values import Label

Answer = TypeVar("Answer")
Item = TypeVar("Item")
Result = TypeVar("Result")

_ALIGNED = 4096
"""Arrays begin with a page, so that each is read on its own."""

_MEMORY_BUDGET = 256e6
"""How many bytes all blocks together may spend on the sets of rows that they remember, and once more on packed ones."""
_BUDGET_PER_ROW = 16
_LEAST_BUDGET = 1e6
"""What a block may spend, however few rows it has, unless there are very many blocks."""


class DiskBlockStore:
    """Blocks that are asked one after the other, or several at once."""

    def __init__(
        self,
        bins: tuple[ColumnBins, ...],
        target: str,
        labels: tuple[Label, ...],
        blocks: Sequence[Arrays],
        *,
        unit: float = 1.0,
        some_weigh_nothing: bool = True,
        threads: int = 1,
    ) -> None:
        self.bins, self.target, self.labels, self.unit = bins, target, labels, unit
        self.some_weigh_nothing = some_weigh_nothing
        rows = sum(len(arrays["labels"]) for arrays in blocks)
        share = min(_BUDGET_PER_ROW, _MEMORY_BUDGET / max(rows, 1))
        least = min(_LEAST_BUDGET, _MEMORY_BUDGET / max(len(blocks), 1))
        memory_budget = [max(share * len(arrays["labels"]), least) for arrays in blocks]
        self.rows = rows
        self.blocks = [
            Block(bins, len(labels), arrays, most) for arrays, most in zip(blocks, memory_budget, strict=True)
        ]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._ahead = threads + 2

    def ask(self, query: BlockQuery[Answer]) -> Answer:
        """What all blocks answer together."""
        needed: list[tuple[NeededPart, ...]] = [()]

        def asked(block: Block) -> Answer:
            try:
                return query.answer(block)
            finally:
                needed[0] = block.drop_rarely_needed()

        def expecting() -> Iterator[Block]:
            """The blocks: what the last one needed is read for those that come soon, while others are worked on."""
            for block in self.blocks:
                block.prefetch(needed[0])
                yield block

        try:
            return next(combine_in_groups(run_ahead(self._pool, asked, expecting(), self._ahead), query))
        except BaseException:
            for block in self.blocks:  # some of which expect what nobody will ask for
                block.drop_rarely_needed()
            raise

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def run_ahead(
    pool: ThreadPoolExecutor | None, function: Callable[[Item], Result], items: Iterable[Item], most: int = 4
) -> Iterator[Result]:
    """The results for all items, in order; ``pool.map`` would take all items first.

    At most so many are worked on at once: of batches a few, which take memory.
    """
    if pool is None:
        yield from map(function, items)
        return
    waiting: deque[Any] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) == most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        wait(waiting)  # after Ctrl-C too: the next question may be about the same items


def write_block(path: Path, arrays: Arrays, *, bypass_page_cache: bool = False) -> None:
    """Write what a block is made of: a line that says what there is, and the arrays one after the other.

    On request, the numbers that few questions are about are written past the cache of the system, and once more record
    by record: whoever fetches records then reads all numbers of one at once.
    """
    bypass_page_cache = bypass_page_cache and len(arrays["cells"]) > 0 and _supports_direct_io(path)
    if bypass_page_cache:
        arrays = {**arrays, "records": arrays["cells"].reshape(-1, len(arrays["labels"])).T.reshape(-1)}
    listed, place = list[list[Any]](), 0
    for name, array in arrays.items():
        listed.append([name, array.dtype.str, len(array), place])
        place += _whole_pages(array.nbytes)
    head = json.dumps(listed).encode()
    start = _whole_pages(len(head) + 1)
    with name_file_in_errors(path), open(path, "wb", opener=open_privately) as file:
        file.write(head.ljust(start - 1) + b"\n")
        for (name, *_, begin), array in zip(listed, arrays.values(), strict=True):
            if (
                not bypass_page_cache
                or name not in _NUMBERS
                or not _write_bypassing_page_cache(path, array, start + begin)
            ):
                file.seek(start + begin)
                file.write(np.ascontiguousarray(array).data)
        file.truncate(start + place)  # with whole pages, to the end


_NUMBERS = ("cells", "records")
"""The arrays of a block that few questions are about, column by column and record by record."""


def _whole_pages(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


_DIRECT = getattr(os, "O_DIRECT", None)
_OWN = threading.local()


_MOST = 1 << 24
"""How many bytes of memory a thread keeps to read into: records may be far longer than columns."""


def _aligned_buffer(size: int) -> memoryview:
    """So many bytes of memory at the beginning of a page; the same for every call of a thread."""
    if len(getattr(_OWN, "pages", b"")) < size:
        _OWN.pages = mmap.mmap(-1, size)
    return memoryview(_OWN.pages)[:size]


def _supports_direct_io(path: Path) -> bool:
    """Whether a file can be opened past the cache of the system: some disks, and some systems, refuse that."""
    with suppress(OSError):
        if _DIRECT is not None:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | _DIRECT, 0o600))
            return True
    return False


def _write_bypassing_page_cache(path: Path, array: NDArray[Any], start: int) -> bool:
    """Whether an array was written there, in whole pages."""
    pages = _aligned_buffer(_whole_pages(array.nbytes))
    pages[: array.nbytes] = np.ascontiguousarray(array).view(np.uint8).data
    pages[array.nbytes :] = bytes(len(pages) - array.nbytes)
    with suppress(OSError):
        file = os.open(path, os.O_WRONLY | (_DIRECT or 0))
        try:
            return os.pwrite(file, pages, start) == len(pages)
        finally:
            os.close(file)
    return False


class _OpenFileLimit:
    """How many files this process may have open: all that it may ask for while blocks are open, which take two each."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a file may be closed wherever memory is cleared up
        self._blocks = 0
        self._before: tuple[int, int] | None = None

    def lift(self) -> None:
        """One more block is to be open."""
        with self._lock:
            self._blocks += 1
            if resource is None or self._before is not None:
                return
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            if soft not in (hard, resource.RLIM_INFINITY):
                with suppress(OSError, ValueError):
                    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
                    self._before = soft, hard

    def restore(self) -> None:
        """One is not open any more; after the last one all is as before, unless somebody else has changed it."""
        with self._lock:
            self._blocks -= 1
            if self._blocks or self._before is None:
                return
            before, self._before = self._before, None
            if resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1], before[1]):
                with suppress(OSError, ValueError):
                    resource.setrlimit(resource.RLIMIT_NOFILE, before)


_LIMIT = _OpenFileLimit()


def _close(file: int) -> None:
    os.close(file)
    _LIMIT.restore()


Array = tuple[np.dtype[Any], int, int]
"""What an array in a file is made of, how many of them, and where it begins."""


class UncachedReader:
    """Arrays in a file that are read past the cache of the system: whoever reads a lot of them would fill that.

    Where blocks do not fit into memory, bytes stay there that other questions are about; and reading takes an eighth of
    the CPU time (0.07 s for a gigabyte; through the cache 0.5 s).
    """

    def __init__(self, path: Path, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays
        _LIMIT.lift()
        try:
            self._file = os.open(path, os.O_RDONLY | (_DIRECT or 0))
        except OSError:
            _LIMIT.restore()
            raise
        weakref.finalize(self, _close, self._file)

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def part(self, name: str, part: int, parts: int, places: Places | None = None) -> NDArray[Any]:
        """One part of an array, of so many, until the same thread reads another one.

        If only some ``places`` of it are needed, it may have anything in pages where none of them is.
        """
        kind, count, start = self._arrays[name]
        return self._read_items(kind, count // parts, start + part * (count // parts) * kind.itemsize, places)

    def rows(self, name: str, width: int, places: Places) -> NDArray[Any]:
        """Some rows of an array in which each has so many numbers, one row after the other."""
        kind, count, start = self._arrays[name]
        found = self._read_items(np.dtype((kind, (width,))), count // width, start, places).take(places, axis=0)
        if len(_OWN.pages) > _MOST:
            del _OWN.pages
        return found

    def _read_items(self, kind: np.dtype[Any], count: int, begin: int, places: Places | None) -> NDArray[Any]:
        """So many items that begin somewhere, of which some are needed."""
        size = kind.itemsize
        page, end = begin // _ALIGNED * _ALIGNED, begin + count * size
        if places is None:
            runs = [(0, _whole_pages(end - page) // _ALIGNED)]
        else:
            first = begin - page + places.astype(np.int64) * size
            runs = _page_runs(first // _ALIGNED, (first + size - 1) // _ALIGNED)
        self._read(page, end, runs)
        return np.frombuffer(_OWN.pages, kind, count, begin - page)

    def forget(self, page: int, size: int) -> None:
        """Let the system forget what it has read of the file: no page of it may be mapped."""
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self._file, page, size, os.POSIX_FADV_DONTNEED)

    def _read(self, page: int, end: int, runs: Iterable[tuple[int, int]]) -> None:
        """Read what is in some runs of pages, which are counted from the first one on, up to the end."""
        pages = _aligned_buffer(_whole_pages(end - page))
        for first, last in runs:
            done, size = first * _ALIGNED, min(last * _ALIGNED, end - page)
            while done < size:
                if not (some := os.preadv(self._file, [pages[done : last * _ALIGNED]], page + done)):
                    raise OSError("a block is shorter than it was")
                done += some


_NEAR = 32
"""Pages are read together if fewer than so many are between them: 4 kB take 117 µs to read, 128 kB 191 µs."""


def _page_runs(first: Places, last: Places) -> list[tuple[int, int]]:
    """Where runs of near pages begin and end, given the first and the last page of each of some items."""
    size = int(last.max(initial=-1)) + 2
    there = np.cumsum(np.bincount(first, minlength=size) - np.bincount(last + 1, minlength=size))
    found = np.flatnonzero(there)
    if not len(found):
        return []
    gaps = np.flatnonzero(np.diff(found) > _NEAR)
    return list(zip(found[[0, *(gaps + 1)]].tolist(), (found[[*gaps, -1]] + 1).tolist(), strict=True))


class MappedArrays(dict[str, NDArray[Any]]):
    """The arrays of a block, mapped: nothing is read until it is needed. ``past`` reads numbers past the cache."""

    past: UncachedReader | None = None
    _file: mmap.mmap | None = None
    _starts: dict[str, int]
    _read: dict[NeededPart, tuple[int, int]]
    """What was read since a question began, and where that is in the file."""
    _needed: dict[NeededPart, None]
    """What was needed since then: what was only expected is read, too."""

    def read_alone(self, file: mmap.mmap, starts: dict[str, int], past: UncachedReader) -> None:
        """Read no more than what is needed, where a system reads megabytes around it: they drive out what is needed."""
        file.madvise(mmap.MADV_RANDOM)
        self._file, self._starts, self.past, self._read, self._needed = file, starts, past, {}, {}

    def need(self, name: str, part: int = 0, parts: int = 1) -> None:
        """Read one part of an array of so many, if it is not in memory, at once; once for a question."""
        if self._file is not None:
            self._needed[name, part, parts] = None
            self._fetch((name, part, parts))

    def _fetch(self, need: NeededPart) -> None:
        name, part, parts = need
        if self._file is None or need in self._read or (name, 0, 1) in self._read:
            return
        if size := self[name].nbytes // parts:
            start = self._starts[name] + part * size
            page = start // mmap.PAGESIZE * mmap.PAGESIZE
            self._file.madvise(mmap.MADV_WILLNEED, page, start + size - page)
            self._read[need] = page, start + size - page

    def prefetch(self, needs: Iterable[NeededPart]) -> None:
        """Let what may be needed soon be read, without waiting for it."""
        for one in needs:
            self._fetch(one)

    def drop_rarely_needed(self) -> tuple[NeededPart, ...]:
        """Give up what few questions need, after one of them: it would drive out what all of them need.

        What was needed is told.
        """
        if self._file is None or self.past is None:
            return ()
        read, needed = self._read, self._needed
        self._read, self._needed = {}, {}
        for page, size in {span for (name, _, _), span in read.items() if name in _RARE}:
            self._file.madvise(mmap.MADV_DONTNEED, page, size)
            self.past.forget(page, size)
        return tuple(needed)


_RARE = ("fine", "lows", "places")
"""The arrays of a block that few questions are about: all of them look at its bins."""


_TYPES = (np.uint8, np.uint16, np.int32, np.int64, np.float64)
"""The types of arrays in blocks; a file of a stranger may name others, such as addresses of objects."""


def map_block(path: Path, *, bypass_page_cache: bool = False) -> Arrays:
    """What a block is made of, mapped. A ValueError if it is no such file."""
    with path.open("rb") as file:
        head = file.readline()
        listed = [
            (name, np.dtype(kind), int(count), len(head) + int(place)) for name, kind, count, place in json.loads(head)
        ]
        size = path.stat().st_size
        for name, kind, count, start in listed:
            if kind not in _TYPES or count < 0 or start < len(head) or start + count * kind.itemsize > size:
                raise ValueError(f"{path} has no such array as {name!r}")
        if size == len(head):
            return {name: np.empty(0, kind) for name, kind, _, _ in listed}
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    whole = np.frombuffer(mapped, np.uint8)
    ends = [(name, kind, start, start + count * kind.itemsize) for name, kind, count, start in listed]
    found = MappedArrays({name: whole[start:end].view(kind) for name, kind, start, end in ends})
    numbers = {name: (kind, count, start) for name, kind, count, start in listed if name in _NUMBERS and count}
    if bypass_page_cache and _DIRECT is not None and numbers:
        with suppress(OSError):  # a disk that cannot do so, or too many files
            past = UncachedReader(path, numbers)
            found.read_alone(mapped, {name: start for name, _, start, _ in ends}, past)
    return found


def checksum(path: Path) -> int:
    """A number that tells whether a file is as it was written."""
    found = 0
    with path.open("rb") as file:
        while some := file.read(1 << 22):
            found = crc32(some, found)
    return found
