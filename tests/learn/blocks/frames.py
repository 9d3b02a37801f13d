"""What the tests of blocks read from: frames that a function gives again and again, and the first pass over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import polars as pl

from unless.learn.blocks.encode import Overview, Task
from unless.learn.blocks.sources import SameRows
from unless.read.source import Source

__all__ = ["FrameStream", "column_stats"]


def column_stats(task: Task, batches: Callable[[], Iterator[Source]]) -> Overview:
    """Read all batches once, and again for the columns whose numbers turned out to be texts."""
    found = _first_pass(task, batches())
    if again := found.torn(task):
        seen = _first_pass(task, batches(), again)
        for name in again:
            found.columns[name] = seen.columns[name]
    return found


def _first_pass(task: Task, batches: Iterator[Source], texts: Sequence[str] = ()) -> Overview:
    found, *others = (Overview.of(task, batch, texts) for batch in batches)
    for other in others:
        found.merge(other)
    return found


class FrameStream:
    """Frames that ``make`` gives for every pass; each is one batch."""

    def __init__(self, make: Callable[[], Iterable[pl.DataFrame]], said: str = "the frames") -> None:
        self.said = said
        self._make = make
        self._same = SameRows()

    def batches(self) -> Iterator[Source]:
        """Read the frames."""
        return self._same.over(self._make())

    def fingerprint(self) -> object:
        """Only reading can tell."""
        return None

    def close(self) -> None:
        """Nothing is open."""
