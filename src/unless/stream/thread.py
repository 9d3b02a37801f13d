"""Writing in a thread of its own, while the next records are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from queue import Full, Queue
from threading import Thread
from types import TracebackType
from typing import Generic, Self, TypeVar

Item = TypeVar("Item")

_PATIENCE = 0.05  # seconds after which to check whether the thread is still alive


class WriterThread(Generic[Item]):
    """Runs a function that takes an iterator in a thread, and feeds it items one at a time.

    The caller's thread stays free to notice Ctrl-C. If the function raises an error, the next `put` raises it, or the
    end of the block.
    """

    def __init__(self, drain: Callable[[Iterator[Item]], None]) -> None:
        self._drain = drain
        self._queue: Queue[Item | None] = Queue(1)
        self._error: BaseException | None = None
        self._lost = False
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def put(self, item: Item) -> None:
        """Hand over an item, once the previous one is taken."""
        self._send(item)
        if self._error is not None:
            raise self._error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Tell the function that there are no more items, or that the rest is lost, and wait until it returns."""
        self._lost = error is not None
        self._send(None)
        self._thread.join()
        if self._error is not None and error is None:
            raise self._error

    def _send(self, item: Item | None) -> None:
        while self._thread.is_alive():
            try:
                self._queue.put(item, timeout=_PATIENCE)
            except Full:
                continue
            return

    def _items(self) -> Iterator[Item]:
        while (item := self._queue.get()) is not None:
            yield item
        if self._lost:
            raise InterruptedError

    def _run(self) -> None:
        try:
            self._drain(self._items())
        except BaseException as error:  # noqa: BLE001 - the caller's thread raises it
            self._error = error
