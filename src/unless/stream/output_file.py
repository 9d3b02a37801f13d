"""Choose the format of the output file, write it completely or not at all, and write in a thread."""

from __future__ import annotations

import errno
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Full, Queue
from threading import Thread
from typing import BinaryIO, TypeVar, cast

from unless.errors import FormatError, ParameterError, suggest
from unless.files import FilePath, file_descriptor_named, open_for_writing, refuse_inputs
from unless.read.batches import File, file_numbers, refuse_text_mode
from unless.read.file_bytes import is_packed
from unless.read.formats import FORMATS, format_of, is_several, refuse_part
from unless.stream.writers import PACKED, WRITERS

Item = TypeVar("Item")

_PATIENCE = 0.05  # seconds after which to check whether the thread is still alive


def form_of_output(out: File, form: str | None, form_of_input: str, source: File) -> str:
    """Choose the output format: the given one, otherwise by the ending of the file or, for a pipe, of the input."""
    usual = "csv" if form_of_input == "excel" else form_of_input
    path = Path(out) if isinstance(out, (str, os.PathLike)) else None
    if form is None:
        form = usual if path is None else _form_of(path, usual)
    if form == "excel" and path is not None and path.suffix.lower() != ".xlsx":
        raise ParameterError(
            f"{str(path)!r}: of Excel files only .xlsx are written; write {str(path.with_suffix('.xlsx'))!r}"
        )
    check_writable(form)
    if path is not None and is_packed(path) and form in PACKED:
        raise ParameterError(f"{str(path)!r}: {FORMATS[form].title} files are already packed inside; leave out .gz")
    if path is not None and isinstance(source, (str, os.PathLike)) and is_several(source):
        refuse_part(path, source, form)
    return form


def check_writable(form: str) -> str:
    """Check that a format can be written."""
    if form not in WRITERS:
        raise ParameterError(f"no format {form!r} to write{suggest(form, WRITERS)}")
    return form


def _form_of(path: Path, usual: str) -> str:
    try:
        return format_of(path).name
    except FormatError:
        if file_descriptor_named(path) is not None or (
            path.exists() and not path.is_file() and not path.is_dir()
        ):  # a pipe
            return usual
        finding = f"{str(path)!r} does not show which format to write; use an ending such as .csv, or say which"
        raise FormatError(finding, *WRITERS, parameter="to") from None


@contextmanager
def open_output(out: File, inputs: Sequence[FilePath]) -> Iterator[BinaryIO]:
    """Open the output file, which must not be an input; it is packed if its name ends with .gz.

    A path is written completely or not at all.
    """
    if not isinstance(out, (str, os.PathLike)):
        refuse_text_mode(out, "wb")
        for number in file_numbers(out):
            refuse_inputs(number, inputs)
        yield cast("BinaryIO", _UnbufferedFile(out)) if isinstance(out, io.RawIOBase) else out
        out.flush()
        return
    with open_for_writing(out, inputs) as file:
        if not is_packed(out):
            yield file
            return
        packing = _GzipWriter(file)
        yield cast("BinaryIO", packing)
        packing.finish()


class _UnbufferedFile:
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


class _GzipWriter:
    """A file packed by gzip. Only `finish` writes its end, so an interrupted file never looks complete."""

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


def never_waits(file: BinaryIO) -> bool:
    """Whether writing to an open file never blocks, unlike writing to pipes."""
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except OSError:
        return False


def write_in_thread(drain: Callable[[Iterator[Item]], None], items: Iterable[Item]) -> None:
    """Run a function over an iterator in a thread, while this thread makes the items and can notice Ctrl-C.

    An error of the function is raised here. If making an item fails, taking the next item fails too, so that the
    function does not treat the items so far as complete.
    """
    queue: Queue[Item | InterruptedError | None] = Queue(1)
    failures: list[BaseException] = []

    def run() -> None:
        try:
            drain(_items_of(queue))
        except BaseException as error:  # noqa: BLE001 - the caller's thread raises it
            failures.append(error)

    def put(item: Item | InterruptedError | None) -> None:
        while thread.is_alive():
            with suppress(Full):
                queue.put(item, timeout=_PATIENCE)
                break

    thread = Thread(target=run, daemon=True)
    thread.start()
    end: InterruptedError | None = InterruptedError()
    try:
        for item in items:
            put(item)
            if failures:
                break
        end = None
    finally:
        put(end)
        thread.join()
    if failures:
        raise failures[0]


def _items_of(queue: Queue[Item | InterruptedError | None]) -> Iterator[Item]:
    while (item := queue.get()) is not None:
        if isinstance(item, InterruptedError):
            raise item
        yield item
