"""Writing files whole or not at all."""

from __future__ import annotations

import io
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from unless.errors import MissingFileError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["descriptor_of", "write_whole", "writing"]

_STANDARD = {"stdout": 1, "stderr": 2}
_DESCRIPTOR = re.compile(r"/dev/(?:(stdout|stderr)|fd/([0-9]+))|/proc/self/fd/([0-9]+)")


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that it holds, whatever happens, either its old content or all of the new; see `writing`."""
    with writing(path) as file:
        file.write(content)


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write that holds, whatever happens, either its old content or all of the new.

    What is written goes to a temporary file in the same folder. When the block ends, that reaches the disk and takes
    the place of the old file, whose permissions it keeps; if the block raises, it is removed. A symbolic link stays
    one: the file that it points to is written. What is not a file, such as ``/dev/stdout`` or a named pipe, is written
    to directly. Errors of writing are about ``path``, those of the block are its own.
    """
    target = Path(os.path.realpath(path))
    descriptor = descriptor_of(path)
    if descriptor is None and not target.parent.is_dir():
        raise MissingFileError(f"no folder {str(target.parent)!r} to write {target.name!r} to; create it first")
    if descriptor is None and (target.is_file() or not target.exists()):
        with _replacing(target, path) as file:
            yield file
    else:
        with _blaming(path):
            raw = _Raw(os.open(target, os.O_WRONLY) if descriptor is None else os.dup(descriptor), path)
        with _closing(raw) as file:
            yield file


@contextmanager
def _replacing(target: Path, path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    with _blaming(path):
        mode = _mode(target)
        temporary = target.with_name(f".unless-{secrets.token_hex(8)}.tmp")
        # 0o666 less the umask, as for any new file: what tempfile makes only its owner could read. What replaces a
        # private file is never more open than that.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(temporary, flags, 0o666 if mode is None else mode & 0o666)
    try:
        with _closing(_Raw(descriptor, path)) as file:
            yield file
            file.flush()
            with _blaming(path):
                os.fsync(descriptor)
        with _blaming(path):
            if mode is not None:
                temporary.chmod(mode)
            temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


class _Raw(io.FileIO):
    """A file whose errors are about the path that was asked for, rather than about a temporary one."""

    def __init__(self, descriptor: int, path: str | os.PathLike[str]) -> None:
        super().__init__(descriptor, "wb")
        self._path = path

    def write(self, data: ReadableBuffer, /) -> int:
        with _blaming(self._path):
            return super().write(data)


@contextmanager
def _closing(raw: _Raw) -> Iterator[BinaryIO]:
    file = io.BufferedWriter(raw)
    try:
        yield file
    except BaseException:
        with suppress(OSError):  # what could not be written cannot be flushed either
            file.close()
        raise
    file.close()


@contextmanager
def _blaming(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:  # the same kind of error
        raise OSError(error.errno, f"cannot write the file: {error.strerror}", os.fspath(path)) from error


def descriptor_of(path: str | os.PathLike[str]) -> int | None:
    """The open file that a path names, such as /dev/stdout; None for a path of the file system.

    To open such a path anew would lose what a shell has appended to (``>>``), or fail where it is a pipe.
    """
    found = _DESCRIPTOR.fullmatch(os.fspath(path))
    if found is None:
        return None
    name, *numbers = found.groups()
    return _STANDARD[name] if name else int(numbers[0] or numbers[1])


def _mode(target: Path) -> int | None:
    """The permissions to keep, None for a new file; refuses a file that is read-only, as writing to it would."""
    if not target.exists():
        return None
    with target.open("ab"):
        return stat.S_IMODE(target.stat().st_mode)


def _sync_folder(folder: Path) -> None:
    """Let the new name reach the disk too, where the system can do that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
