"""The file to write: its format, how to write it whole or not at all, and in a thread while records are read."""

from __future__ import annotations

import errno
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Full, Queue
from threading import Thread
from types import TracebackType
from typing import BinaryIO, Generic, Self, TypeVar, cast

from unless.errors import FormatError, ParameterError, suggest
from unless.files import Place, descriptor_of, refuse_inputs, writing
from unless.read.bytes import is_packed
from unless.read.formats import FORMATS, format_of, refuse_part
from unless.stream.input import File, number_of, refuse_text
from unless.stream.writers import WRITERS

Item = TypeVar("Item")

_PATIENCE = 0.05  # seconds after which to check whether the thread is still alive
_PACKED_WITHIN = ("parquet", "arrow")


def form_of_output(out: File, form: str | None, form_of_input: str, source: File) -> str:
    """The format to write: the one asked for, or else the file's ending, or else, for a pipe, that of the input."""
    usual = form_of_input if form_of_input in WRITERS else "csv"
    path = Path(out) if isinstance(out, (str, os.PathLike)) else None
    if form is None:
        form = usual if path is None else _form_of(path, usual)
    if form == "excel":
        raise ParameterError("Excel files are read, not written; write a .csv file, which Excel opens")
    if form not in WRITERS:
        raise ParameterError(f"no format {form!r} to write{suggest(form, WRITERS)}")
    if path is not None and is_packed(path) and form in _PACKED_WITHIN:
        raise ParameterError(f"{str(path)!r}: {FORMATS[form].title} files are already packed inside; leave out .gz")
    if path is not None and isinstance(source, (str, os.PathLike)) and Path(source).is_dir():
        refuse_part(path, source, form)
    return form


def _form_of(path: Path, usual: str) -> str:
    try:
        return format_of(path).name
    except FormatError:
        if descriptor_of(path) is not None or (path.exists() and not path.is_file() and not path.is_dir()):  # a pipe
            return usual
        finding = f"{str(path)!r} does not tell the format to write; use an ending such as .csv, or say which"
        raise FormatError(finding, *WRITERS, parameter="to") from None


@contextmanager
def output(out: File, inputs: Sequence[Place]) -> Iterator[BinaryIO]:
    """Open the file to write, which must not be an input; it is packed if its name says so.

    A path is written whole or not at all.
    """
    if not isinstance(out, (str, os.PathLike)):
        refuse_text(out, "wb")
        for number in number_of(out):
            refuse_inputs(number, inputs)
        yield cast("BinaryIO", _Whole(out)) if isinstance(out, io.RawIOBase) else out
        out.flush()
        return
    with writing(out, inputs) as file:
        if not is_packed(out):
            yield file
            return
        packing = _Packing(file)
        yield cast("BinaryIO", packing)
        packing.finish()


class _Whole:
    """A file without a buffer, such as standard output with PYTHONUNBUFFERED: a write may take only some bytes."""

    def __init__(self, file: io.RawIOBase) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        rest = memoryview(data)
        while rest:
            if (taken := self._file.write(rest)) is None:
                raise BlockingIOError(errno.EAGAIN, "cannot write to a file that does not block")
            rest = rest[taken:]
        return len(data)

    def fileno(self) -> int:
        return self._file.fileno()


class _Packing:
    """A file that gzip packs. Without `finish` it has no end, so a broken one never looks whole."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        # Level 1 packs 76 MB/s of generated rows to 48 %; the default, 6, only 12 MB/s to 44 %.
        self._packer = zlib.compressobj(1, wbits=16 + zlib.MAX_WBITS)

    def write(self, data: bytes) -> int:
        self._file.write(self._packer.compress(data))
        return len(data)

    def finish(self) -> None:
        self._file.write(self._packer.flush())

    def fileno(self) -> int:
        return self._file.fileno()


def is_patient(file: BinaryIO) -> bool:
    """Whether writing to an open file never waits for a reader, as it does with pipes."""
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except OSError:
        return False


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
