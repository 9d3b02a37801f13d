"""The files to read: their format, and their records in batches."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from unless.errors import FormatError, ParameterError
from unless.files import Place
from unless.read.bytes import OpenFile, ends, is_packed, opened
from unless.read.formats import FORMATS, files_at, format_of, refuse_other
from unless.stream.batches import Batch, batches

File = str | os.PathLike[str] | BinaryIO
"""A path, or a file that is open for bytes."""

_SIGN = 8  # bytes that tell formats apart


class Input:
    """A file, a folder of parts or an open file: its format, its records in batches, and how far they are read."""

    def __init__(self, source: File, form: str | None, size: int) -> None:
        self._size = size
        self._file: BinaryIO | None = None
        self._paths: list[Path] = []
        self._read = self._total = 0
        self._current: OpenFile | None = None
        if isinstance(source, (str, os.PathLike)):
            self._format, self._paths = files_at(source, form)
        else:
            refuse_text(source, "rb")
            if form is None:
                raise FormatError("an open file does not tell its format; say which it has", *FORMATS)
            self._file, self._format = source, format_of("", form)
        self.form = self._format.name
        for path in self._paths:
            if path.is_file() and not is_packed(path):
                refuse_other(ends(path), self._format, str(path))
        if all(path.is_file() for path in self._paths):
            self._total = sum(path.stat().st_size for path in self._paths)

    def batches(self) -> Iterator[Batch]:
        """Yield the records, some at a time; at least one batch for every file."""
        return batches(self._files(), self.form, self._size)

    @property
    def places(self) -> list[Place]:
        """The files that are read."""
        return list(self._paths) if self._file is None else number_of(self._file)

    @property
    def share(self) -> float | None:
        """The share of the bytes that is read; None where it is not known how many there are."""
        if not self._total:
            return None
        return min(1.0, (self._read + (self._current.position if self._current else 0)) / self._total)

    def _files(self) -> Iterator[OpenFile]:
        if self._file is not None:
            yield self._known(OpenFile(_called(self._file), self._file, packed=_looks_packed(self._file)))
        for path in self._paths:
            with opened(path) as self._current:
                yield self._known(self._current)
            self._current, self._read = None, self._read + path.stat().st_size

    def _known(self, file: OpenFile) -> OpenFile:
        """Refuse a file of another format; the first bytes of a packed or piped file are seen here first."""
        refuse_other((file.peek(_SIGN), b""), self._format, file.where)
        return file


def number_of(file: BinaryIO) -> list[Place]:
    """The number of an open file, if it has one; what is only in memory has none."""
    try:
        return [file.fileno()]
    except (AttributeError, OSError):
        return []


def refuse_text(file: object, mode: str) -> None:
    """Refuse a file that is open in text mode."""
    if isinstance(file, io.TextIOBase):
        raise ParameterError(f"the file is open in text mode; open it in binary mode: open(path, {mode!r})")


def _looks_packed(file: BinaryIO) -> bool:
    """Whether an open file begins as gzip files do; False if it can neither be peeked at nor go back."""
    sign = b"\x1f\x8b"
    if (peek := getattr(file, "peek", None)) is not None:
        return bool(peek(len(sign))[: len(sign)] == sign)
    if not file.seekable():
        return False
    place = file.tell()
    start = file.read(len(sign))
    file.seek(place)
    return start == sign


def _called(file: BinaryIO) -> str:
    name = getattr(file, "name", None)
    return {"<stdin>": "standard input"}.get(name, name) if isinstance(name, str) else "the data"
