"""Read streams of records in batches, any number of times: the protocol, and streams of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from unless.libraries import pl
from unless.read.batches import Input
from unless.read.date_parts import DateParts
from unless.read.dialect_detection import merge_remarks
from unless.read.formats import files_at
from unless.read.frames import PolarsFrame
from unless.read.options import PLAIN_OPTIONS, ReadOptions
from unless.read.source import Source

ROWS = 1 << 17
"""The number of records read at a time."""

_BYTES = 1 << 24
"""The number of bytes of a text file read at a time."""


class Stream(Protocol):
    """Records that can be read any number of times, in the same order."""

    @property
    def title(self) -> str:
        """The name of the data for messages."""

    def batches(self) -> Iterator[Source]:
        """Yield all records in batches, at least one."""

    def fingerprint(self) -> object:
        """Return a value that changes with the data; None if only reading shows a change."""

    def close(self) -> None:
        """Close what was opened for reading; the stream can still be read again."""


@dataclass
class PartsStream:
    """A stream whose dates are replaced by their parts (`read.date_parts.DateParts`)."""

    stream: Stream
    formats: Mapping[str, str | None]

    @property
    def title(self) -> str:
        """The name of the data for messages."""
        return self.stream.title

    def batches(self) -> Iterator[Source]:
        """Yield all records in batches; a batch may have no dates."""
        return (DateParts(batch, self.formats, like_training=True) for batch in self.stream.batches())

    def fingerprint(self) -> object:
        """Return a value that changes with the data or with the declared parts."""
        found = self.stream.fingerprint()
        return None if found is None else [found, "parts", sorted(self.formats.items(), key=str)]

    def close(self) -> None:
        """Close the underlying stream."""
        self.stream.close()


@dataclass
class FileStream:
    """A file, a folder of parts or a pattern of file names, in any format that `read_table` reads."""

    path: str | os.PathLike[str]
    options: ReadOptions = PLAIN_OPTIONS
    share: Callable[[float | None], object] | None = None
    """Called with the share of the bytes read so far."""
    read_as: str = ""
    """How the files were read, if in an unusual way (`Table.read_as`); set after reading."""
    _names: list[str] | None = None

    @property
    def title(self) -> str:
        """The path."""
        return os.fspath(self.path)

    def batches(self) -> Iterator[Source]:
        """Yield the records of the files; a first pass over JSON lines finds all member names."""
        given = Input(self.path, self.options, _BYTES)
        if given.form == "jsonl" and self._names is None:
            self._names = list(dict.fromkeys(name for batch in given.batches() for name in batch.names))
        yield from _resize_batches(self._report_share(given))

    def _report_share(self, given: Input) -> Iterator[Source]:
        for batch in given.batches():
            if self.share is not None:
                self.share(given.share)
            self.read_as = merge_remarks(given.said).said
            yield batch.cells(self._names or ())

    def fingerprint(self) -> object:
        """Return the names, sizes and times of the files, and the options for reading them."""
        found = [(str(path.absolute()), path.stat()) for path in files_at(self.path, self.options.format)[1]]
        form, *said = self.options.file_options.items()
        return [form[1], dict(said), [[name, stat.st_size, stat.st_mtime_ns] for name, stat in found]]

    def close(self) -> None:
        """Do nothing: no file stays open."""

    @property
    def bytes(self) -> int:
        """The number of bytes of the files."""
        return sum(path.stat().st_size for path in files_at(self.path, self.options.format)[1])


def _resize_batches(sources: Iterable[Source]) -> Iterator[Source]:
    """Cut large frames, and concatenate small ones of the same types; other batches stay as they are."""
    waiting: list[pl.DataFrame] = []

    def together() -> Iterator[Source]:
        if waiting:
            yield from (PolarsFrame(frame, filed=True) for frame in _cut_frame(pl.concat(waiting)))
            waiting.clear()

    for source in sources:
        if not isinstance(source, PolarsFrame):
            yield source
            continue
        if waiting and (waiting[0].schema != source.frame.schema or _has_own_codes(source.frame)):
            yield from together()
        waiting.append(source.frame)
        if sum(frame.height for frame in waiting) >= ROWS:
            yield from together()
    yield from together()


def _has_own_codes(frame: pl.DataFrame) -> bool:
    """Whether the codes of some column mean other values than in other frames."""
    return any(isinstance(kind, (pl.Categorical, pl.Enum)) for kind in frame.schema.values())


def _cut_frame(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    if frame.height <= 2 * ROWS:
        yield frame
        return
    for start in range(0, frame.height, ROWS):
        yield frame[start : start + ROWS]
