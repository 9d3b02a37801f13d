"""Stores of blocks that answer queries together: the protocol and the local store (`spark_store` has another)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

from unless.blocks.block import Block
from unless.blocks.block_queries import BlockQuery, combine_in_groups
from unless.blocks.encoding import BlockEncoding
from unless.storage.array_files import ArrayPart, StoredArrays

Answer = TypeVar("Answer")
Item = TypeVar("Item")
Result = TypeVar("Result")

_MEMORY_BUDGET = 256e6
"""The bytes that all blocks of a process may use for cached sets of rows, and again for packed sets."""
_BUDGET_PER_ROW = 16
_LEAST_BUDGET = 1e6
"""The least memory budget of a block, unless there are very many blocks."""


class BlockStore(ABC):
    """A collection of blocks that answers queries, in this process or elsewhere."""

    def __init__(self, coding: BlockEncoding) -> None:
        self.coding = coding
        self.bins, self.target, self.labels = coding.bins, coding.task.target, coding.labels
        self.unit = coding.unit
        """The weight of a record in the source for which blocks count 1."""
        self.some_weigh_nothing = coding.some_weigh_nothing
        """Whether some records weigh 0; values that only these records have are ignored."""
        self.rows = coding.rows

    @abstractmethod
    def ask(self, query: BlockQuery[Answer]) -> Answer:
        """Combine the answers of all blocks."""

    @abstractmethod
    def close(self) -> None:
        """Release what the store holds."""


def memory_budget_per_row(rows: int, processes: int = 1) -> float:
    """Compute the bytes per row that a block may use for cached sets."""
    return min(_BUDGET_PER_ROW, _MEMORY_BUDGET * processes / max(rows, 1))


class LocalBlockStore(BlockStore):
    """Blocks in this process, queried one after the other or by several threads."""

    def __init__(self, coding: BlockEncoding, blocks: Sequence[StoredArrays], threads: int = 1) -> None:
        super().__init__(coding)
        self.rows = sum(len(arrays["labels"]) for arrays in blocks)
        share, least = memory_budget_per_row(self.rows), min(_LEAST_BUDGET, _MEMORY_BUDGET / max(len(blocks), 1))
        self.blocks = [
            Block(coding.bins, len(coding.labels), arrays, max(share * len(arrays["labels"]), least))
            for arrays in blocks
        ]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._ahead = threads + 2

    def ask(self, query: BlockQuery[Answer]) -> Answer:
        """Combine the answers of all blocks."""
        needed: list[tuple[ArrayPart, ...]] = [()]

        def answer(block: Block) -> Answer:
            try:
                return query.answer(block)
            finally:
                needed[0] = block.arrays.drop_rarely_needed()

        def prefetch_blocks() -> Iterator[Block]:
            """Yield the blocks; prefetch for the next blocks the arrays that the last block needed."""
            for block in self.blocks:
                block.arrays.prefetch(needed[0])
                yield block

        try:
            return next(combine_in_groups(map_ahead(self._pool, answer, prefetch_blocks(), self._ahead), query))
        except BaseException:
            for block in self.blocks:  # some have prefetched arrays that are no longer needed
                block.arrays.drop_rarely_needed()
            raise

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def map_ahead(
    pool: ThreadPoolExecutor | None, function: Callable[[Item], Result], items: Iterable[Item], most: int = 4
) -> Iterator[Result]:
    """Apply a function to all items and yield the results in order; unlike ``pool.map``, few run ahead."""
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
        wait(waiting)  # after Ctrl-C too: the next query may use the same items
