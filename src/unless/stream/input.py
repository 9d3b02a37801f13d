"""The files at both ends: what is read, in which format, and what is written."""

from __future__ import annotations

import errno
import io
import os
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from unless.errors import FormatError, ParameterError, ReadError, suggest
from unless.files import Place, descriptor_of, refuse_inputs, writing
from unless.read.blocks import Bytes
from unless.read.bytes import ends
from unless.read.formats import FORMATS, format_of, packed, parts_of, refuse_other, refuse_part
from unless.read.table import column_names
from unless.stream.batches import Batch, frame_batches, json_batches, text_batches
from unless.stream.writers import SINKS

__all__ = ["File", "Input", "form_of_output", "is_patient", "output"]

File = str | os.PathLike[str] | BinaryIO
"""A path, or a file that is open for bytes."""

_TABLES = ("parquet", "arrow", "excel")  # which are not read from their beginning to their end


class Input:
    """A file, a folder of parts or an open file: its format, its records in batches, and how far they are read."""

    def __init__(self, source: File, form: str | None, size: int) -> None:
        self._size = size
        self._file: BinaryIO | None = None
        self._paths: list[Path] = []
        self._read = self._total = 0
        self._current: Bytes | None = None
        if not isinstance(source, (str, os.PathLike)):
            self._file = source
            _refuse_text(source, "read", "rb")
            if form is None:
                raise FormatError("an open file does not tell its format; say which it has", *FORMATS)
            self.form = format_of("", form).name
            return
        if os.path.isdir(source):  # noqa: PTH112 - False where a path cannot be followed
            found, self._paths = parts_of(source, form)
        else:
            if not os.path.exists(source):  # noqa: PTH110
                column_names(source)  # says so, and which name may be meant
            found, self._paths = format_of(source, form), [Path(source)]
        self.form = found.name
        for path in self._paths:
            if path.is_file() and not packed(path):
                refuse_other(ends(path), found, str(path))
        if all(path.is_file() for path in self._paths):
            self._total = sum(path.stat().st_size for path in self._paths)

    def batches(self) -> Iterator[Batch]:
        """The records, some at a time; of every file a batch at least."""
        if self.form in ("csv", "tsv"):
            return text_batches(self._streams(), self.form, self._size)
        if self.form == "jsonl":
            return json_batches(self._streams(), self._size)
        return frame_batches(self._tables(), self.form)

    @property
    def places(self) -> list[Place]:
        """The files that are read."""
        return list(self._paths) if self._file is None else _number(self._file)

    @property
    def share(self) -> float | None:
        """Which share of the bytes is read; None where nobody knows how many there are."""
        if not self._total:
            return None
        return min(1.0, (self._read + (self._current.position if self._current else 0)) / self._total)

    def _streams(self) -> Iterator[Bytes]:
        if self._file is not None:
            yield Bytes(_called(self._file), self._file, packed=_looks_packed(self._file))
        for path in self._paths:
            yield from self._stream(path)

    def _stream(self, path: Path) -> Iterator[Bytes]:
        try:
            file = path.open("rb")
        except OSError as error:
            raise ReadError(f"{path}: cannot be read: {error.strerror or error}") from None
        with file:
            self._current = Bytes(str(path), file, packed=packed(path))
            yield self._current
        self._current, self._read = None, self._read + path.stat().st_size

    def _tables(self) -> Iterator[Path | Bytes]:
        if self._file is not None:
            yield from self._streams()
        for path in self._paths:
            if packed(path) or not path.is_file():
                yield from self._stream(path)
            else:
                yield path
                self._read += path.stat().st_size


def form_of_output(out: File, form: str | None, form_of_input: str, source: File) -> str:
    """The format to write: the one asked for, or that the name of the file tells, or, of a pipe, that of the input."""
    usual = form_of_input if form_of_input in SINKS else "csv"
    path = Path(out) if isinstance(out, (str, os.PathLike)) else None
    if form is None:
        form = usual if path is None else _form_of(path, usual)
    if form == "excel":
        raise ParameterError("Excel files are read, not written; write a .csv file, which Excel opens")
    if form not in SINKS:
        raise ParameterError(f"no format {form!r} to write{suggest(form, SINKS)}")
    if path is not None and packed(path) and form in _TABLES:
        raise ParameterError(f"{str(path)!r}: {FORMATS[form].title} files are packed within; leave .gz away")
    if path is not None and isinstance(source, (str, os.PathLike)) and Path(source).is_dir():
        refuse_part(path, source, form)
    return form


def _form_of(path: Path, usual: str) -> str:
    try:
        return format_of(path).name
    except FormatError:
        if descriptor_of(path) is not None or (path.exists() and not path.is_file() and not path.is_dir()):  # a pipe
            return usual
        finding = f"{str(path)!r} does not tell the format to write; let it end in .csv or the like, or say which"
        raise FormatError(finding, *SINKS, parameter="to") from None


@contextmanager
def output(out: File, inputs: Sequence[Place]) -> Iterator[BinaryIO]:
    """The file to write, packed if its name says so, but none of the inputs; a path is written whole or not at all."""
    if not isinstance(out, (str, os.PathLike)):
        _refuse_text(out, "write", "wb")
        for number in _number(out):
            refuse_inputs(number, inputs)
        yield cast("BinaryIO", _Whole(out)) if isinstance(out, io.RawIOBase) else out
        out.flush()
        return
    with writing(out, inputs) as file:
        if not packed(out):
            yield file
            return
        packing = _Packing(file)
        yield cast("BinaryIO", packing)
        packing.finish()


class _Whole:
    """A file without a buffer, such as standard output under PYTHONUNBUFFERED: it may take less than it is given."""

    def __init__(self, file: io.RawIOBase) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        rest = memoryview(data)
        while rest:
            if (taken := self._file.write(rest)) is None:
                raise BlockingIOError(errno.EAGAIN, "cannot write to a file that does not wait")
            rest = rest[taken:]
        return len(data)

    def fileno(self) -> int:
        return self._file.fileno()


class _Packing:
    """A file that gzip packs. Without `finish` it has no end, and so never passes for a whole one."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        # Level 1 packs 76 MB/s of generated rows to 48 %, the usual 6 only 12 MB/s to 44 %.
        self._packer = zlib.compressobj(1, wbits=16 + zlib.MAX_WBITS)

    def write(self, data: bytes) -> int:
        self._file.write(self._packer.compress(data))
        return len(data)

    def finish(self) -> None:
        self._file.write(self._packer.flush())

    def fileno(self) -> int:
        return self._file.fileno()


def is_patient(file: BinaryIO) -> bool:
    """Whether an open file takes what is written without waiting for somebody to read it, as pipes do."""
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except OSError:
        return False


def _number(file: BinaryIO) -> list[Place]:
    """The number of an open file, if it has one: what is only in memory has none."""
    try:
        return [file.fileno()]
    except (AttributeError, OSError):
        return []


def _looks_packed(file: BinaryIO) -> bool:
    """Whether an open file begins as gzip files do; unknown of one that can neither be peeked at nor go back."""
    sign = b"\x1f\x8b"
    if (peek := getattr(file, "peek", None)) is not None:
        return bool(peek(len(sign))[: len(sign)] == sign)
    if not file.seekable():
        return False
    place = file.tell()
    start = file.read(len(sign))
    file.seek(place)
    return start == sign


def _refuse_text(file: object, verb: str, mode: str) -> None:
    if isinstance(file, io.TextIOBase):
        raise ParameterError(f"the file is opened to {verb} text; open it to {verb} bytes: open(path, {mode!r})")


def _called(file: BinaryIO) -> str:
    name = getattr(file, "name", None)
    return {"<stdin>": "standard input"}.get(name, name) if isinstance(name, str) else "the data"
