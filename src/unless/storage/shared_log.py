"""Append lines to a file that several processes may append to: all lines of a call, or none."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unless.errors import MissingFileError, ParameterError
from unless.files import FilePath, name_file_in_errors, open_privately, refuse_inputs

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_TAIL = 1 << 20
"""The bytes at the end of a file in which an incomplete line is looked for."""


def append_lines(path: str | os.PathLike[str], lines: bytes, start: bytes, inputs: Iterable[FilePath] = ()) -> None:
    """Append whole lines to a file, which is created for its owner if it does not exist.

    The file is locked meanwhile. If writing fails or is interrupted, the file keeps its size. An incomplete last line
    that begins with ``start`` is from a killed process and is removed; any other file that does not end with a line
    break is refused, and so are files of ``inputs``, which are read.
    """
    refuse_inputs(path, inputs)
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise MissingFileError(f"no folder {str(folder)!r} to write {Path(path).name!r} to; create it first")
    if os.path.lexists(path) and not Path(path).is_file():
        raise ParameterError(f"{os.fspath(path)!r} is not a file, so no lines can be appended to it")
    with name_file_in_errors(path), _open_locked(path) as descriptor:
        size = _end_of_lines(descriptor, path, start)
        try:
            _write_all(descriptor, lines)
            os.fsync(descriptor)
        except BaseException:
            os.ftruncate(descriptor, size)
            raise


@contextmanager
def _open_locked(path: str | os.PathLike[str]) -> Iterator[int]:
    """Open a file to append to, locked until it is closed."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    descriptor = open_privately(os.fspath(path), flags)
    try:
        if fcntl is not None:
            with suppress(OSError):  # some disks have no locks; lines do not mix there either, but they are not undone
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _end_of_lines(descriptor: int, path: str | os.PathLike[str], start: bytes) -> int:
    """Return the size of a file that ends with a whole line, after removing an incomplete one."""
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise ParameterError(f"{os.fspath(path)!r} is not a file, so no lines can be appended to it")
    size = found.st_size
    os.lseek(descriptor, max(0, size - _TAIL), os.SEEK_SET)
    _, _, rest = b"\n".join([b"", os.read(descriptor, min(size, _TAIL))]).rpartition(b"\n")
    if not rest:
        return size
    if not (rest.startswith(start) or start.startswith(rest)) or _is_json(rest):
        raise ParameterError(
            f"{os.fspath(path)!r} does not end with a line break, so it is not such a log; name another"
        )
    os.ftruncate(descriptor, size - len(rest))
    return size - len(rest)


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
