"""Blocks on this machine: encoded in a folder, from which they are mapped, and asked by some threads."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

from unless.learn.blocks.bins import Bins
from unless.learn.blocks.block import Arrays, Block
from unless.learn.blocks.questions import Question, partly
from unless.values import Label

Answer = TypeVar("Answer")
Item = TypeVar("Item")
Result = TypeVar("Result")

_ALIGNED = 64
_ROOM = 256e6
"""How many bytes all blocks together may spend on the sets of rows that they remember, and once more on packed ones."""
_ROOM_PER_ROW = 16
_LEAST_ROOM = 1e6
"""What a block may spend, however few rows it has, unless there are very many blocks."""


class BlockStore:
    """Blocks that are asked one after the other, or several at once."""

    def __init__(
        self,
        bins: tuple[Bins, ...],
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
        share = min(_ROOM_PER_ROW, _ROOM / max(rows, 1))
        least = min(_LEAST_ROOM, _ROOM / max(len(blocks), 1))
        room = [max(share * len(arrays["labels"]), least) for arrays in blocks]
        self.rows = rows
        self.blocks = [Block(bins, len(labels), arrays, most) for arrays, most in zip(blocks, room, strict=True)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def ask(self, question: Question[Answer]) -> Answer:
        """What all blocks answer together."""
        answers = ahead(self._pool, question.of, self.blocks)
        return next(partly(answers, question))

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def ahead(
    pool: ThreadPoolExecutor | None, function: Callable[[Item], Result], items: Iterable[Item], most: int = 4
) -> Iterator[Result]:
    """The results for all items, in order; only a few are worked on ahead: ``pool.map`` would take all items first."""
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


def write_block(path: Path, arrays: Arrays) -> None:
    """Write what a block is made of: a line that says what there is, and the arrays one after the other."""
    listed, place = [], 0
    for name, array in arrays.items():
        listed.append([name, array.dtype.str, len(array), place])
        place += -(-array.nbytes // _ALIGNED) * _ALIGNED
    head = json.dumps(listed).encode()
    start = -(-(len(head) + 1) // _ALIGNED) * _ALIGNED
    with path.open("wb") as file:
        file.write(head.ljust(start - 1) + b"\n")
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).data)
            file.write(bytes(-array.nbytes % _ALIGNED))
        file.flush()


_TYPES = (np.uint8, np.uint16, np.int32, np.int64, np.float64)
"""The types of arrays in blocks; a file of a stranger may name others, such as addresses of objects."""


def map_block(path: Path) -> Arrays:
    """What a block is made of, mapped: nothing is read until it is needed. A ValueError if it is no such file."""
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
    # As a plain array: every slice of a memmap calls Python, and most of what blocks do is slice.
    whole = np.memmap(path, np.uint8, "c", offset=0).view(np.ndarray)
    return {name: whole[start : start + count * kind.itemsize].view(kind) for name, kind, count, start in listed}


def checksum(path: Path) -> int:
    """A number that tells whether a file is as it was written."""
    found = 0
    with path.open("rb") as file:
        while some := file.read(1 << 22):
            found = crc32(some, found)
    return found
