"""What the tests of blocks read from: frames that a function gives again and again, and the first pass over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import polars as pl

from unless.blocks.databases import RereadFrames
from unless.blocks.encoding import EncodingTask, TableStats
from unless.read.source import Source

__all__ = ["FrameStream", "stats_of_columns"]


def stats_of_columns(task: EncodingTask, batches: Callable[[], Iterator[Source]]) -> TableStats:
    """Read all batches once, and again for the columns whose numbers turned out to be texts."""
    found = _first_pass(task, batches())
    if again := found.columns_with_conflicting_kinds(task):
        seen = _first_pass(task, batches(), again)
        for name in again:
            found.columns[name] = seen.columns[name]
    return found


def _first_pass(task: EncodingTask, batches: Iterator[Source], texts: Sequence[str] = ()) -> TableStats:
    found, *others = (TableStats.of(task, batch, texts) for batch in batches)
    for other in others:
        found.merge(other)
    return found


class FrameStream(RereadFrames):
    """Frames that ``make`` gives for every pass; each is one batch."""

    def __init__(self, make: Callable[[], Iterable[pl.DataFrame]], said: str = "the frames") -> None:
        super().__init__(said)
        self._make = make

    def _frames(self) -> Iterable[pl.DataFrame]:
        return self._make()
