"""Writing files whole or not at all, and never over what is being read."""

from __future__ import annotations

import io
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from unless.errors import MissingFileError, OverwriteError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["Place", "descriptor_of", "refuse_inputs", "write_whole", "writing"]

Place = str | os.PathLike[str] | int
"""A file by its path, or by the number of an open one."""

_STANDARD = {"stdout": 1, "stderr": 2}
_DESCRIPTOR = re.compile(r"/dev/(?:(stdout|stderr)|fd/([0-9]+))|/proc/self/fd/([0-9]+)")
_TEMPORARY = re.compile(r"\.unless-[0-9a-f]{16}\.tmp")


def write_whole(path: str | os.PathLike[str], content: bytes, inputs: Iterable[Place] = ()) -> None:
    """Write a file so that it holds, whatever happens, either its old content or all of the new; see `writing`."""
    with writing(path, inputs) as file:
        file.write(content)


@contextmanager
def writing(path: str | os.PathLike[str], inputs: Iterable[Place] = ()) -> Iterator[BinaryIO]:
    """A file to write that holds, whatever happens, either its old content or all of the new.

    What is written goes to a temporary file in the same folder. When the block ends, that reaches the disk and takes
    the place of the old file, whose permissions and owner it keeps; if the block raises, it is removed. A symbolic link
    stays one: the file that it points to is written. What is not a file, such as ``/dev/stdout`` or a named pipe, is
    written to directly. Errors of writing are about ``path``, those of the block are its own.

    A file of ``inputs``, those that are read, is refused.
    """
    refuse_inputs(path, inputs)
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


def refuse_inputs(output: Place, inputs: Iterable[Place]) -> None:
    """Refuse an output that is one of the inputs, which would be lost.

    Files are the same if the system says so (by device and inode), whatever links lead there and however their paths
    are spelled. Pipes and devices may be both.
    """
    written, name = _status(output), _called(output)
    for one in inputs:
        read = _status(one)
        if written is not None and read is not None and os.path.samestat(written, read):
            same = "is read" if name == _called(one) else f"is the same file as {_called(one)}, which is read"
            raise OverwriteError(f"{name} {same}, so it is not written to; name another file")


def _status(place: Place) -> os.stat_result | None:
    """What the system knows of a file; None if there is no such file, or it is none that keeps what is written."""
    number = place if isinstance(place, int) else descriptor_of(place)
    try:
        found = os.stat(place if number is None else number)  # noqa: PTH116 - of an open file too
    except (OSError, ValueError):  # such as a path that cannot be one
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _called(place: Place) -> str:
    if isinstance(place, int):
        return {0: "standard input", 1: "standard output"}.get(place, "the file")
    return repr(os.fspath(place))


# The temporary file.


@contextmanager
def _replacing(target: Path, path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    with _blaming(path):
        old = _writable(target)
        _sweep(target.parent)
        # 0o666 less the umask, as for any new file: what tempfile makes only its owner could read. What replaces a file
        # is its writer's alone until it gets the permissions of that.
        descriptor, name, named = _temporary(target.parent, 0o666 if old is None else 0o600)
    try:
        with _locked(descriptor):
            with _closing(_Raw(descriptor, path)) as file:
                yield file
                file.flush()
                with _blaming(path):
                    if old is not None:
                        _pass_on(old, descriptor)
                    os.fsync(descriptor)
                    if not named:
                        _name(descriptor, name)
            with _blaming(path):
                name.replace(target)
    except BaseException:
        name.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _writable(target: Path) -> os.stat_result | None:
    """What the system knows of the old file, None if there is none; refuses one that may not be written to."""
    if not target.exists():
        return None
    with target.open("ab"):
        return target.stat()


def _temporary(folder: Path, mode: int) -> tuple[int, Path, bool]:
    """A new file to write, which is locked, its name, and whether it has that already.

    It has not where the system has files without names: such a one is gone with its process, however that ends.
    """
    while True:
        name = folder / f".unless-{secrets.token_hex(8)}.tmp"  # a new one each time: somebody may be about to remove it
        descriptor = _unnamed(folder, mode)
        named = descriptor is None
        if descriptor is None:
            descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        _lock(descriptor)
        if not named or os.fstat(descriptor).st_nlink:
            return descriptor, name, named
        os.close(descriptor)  # another process has swept it away before it was locked


def _unnamed(folder: Path, mode: int) -> int | None:
    """A new file without a name; None where there are none, or where they could not be named."""
    if not hasattr(os, "O_TMPFILE"):
        return None
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_WRONLY, mode)
    except OSError:  # not on such a disk; or for a reason that the next try has too
        return None
    if _link(descriptor).exists():
        return descriptor
    os.close(descriptor)
    return None


def _name(descriptor: int, name: Path) -> None:
    """Name a file that has no name. Only what has one can replace another file."""
    folder = os.open(name.parent, os.O_RDONLY)
    try:
        os.link(_link(descriptor), name, src_dir_fd=folder, follow_symlinks=True)  # follows only if a folder is given
    finally:
        os.close(folder)


def _link(descriptor: int) -> Path:
    return Path(f"/proc/self/fd/{descriptor}")


def _lock(descriptor: int) -> None:
    """Mark a file as being written, until it is closed and every `_locked` block is left."""
    if fcntl is not None:
        with suppress(OSError):  # some disks have no locks; nothing is swept there
            fcntl.flock(descriptor, fcntl.LOCK_EX)


@contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    """Keep the lock of a file though it is closed meanwhile."""
    held = None if fcntl is None else os.dup(descriptor)
    try:
        yield
    finally:
        if held is not None:
            with suppress(OSError):  # nothing was written to it
                os.close(held)


def _sweep(folder: Path) -> None:
    """Remove the temporary files of processes that were killed: those that nobody has locked."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _TEMPORARY.fullmatch(entry.name):
                _remove_unlocked(entry.path)


def _remove_unlocked(path: str) -> None:
    with suppress(OSError):  # such as BlockingIOError: it is locked
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                Path(path).unlink()
        finally:
            os.close(descriptor)


def _pass_on(old: os.stat_result, descriptor: int) -> None:
    """Give a file the owner and the permissions of the one that it replaces.

    Setuid, setgid and sticky are not passed on: they were given to the old content. Who may not give files away remains
    the owner of this one, and where the group is another too, it gets no permissions.
    """
    if not hasattr(os, "fchown"):  # Windows
        return
    mode = stat.S_IMODE(old.st_mode) & 0o777
    try:
        os.fchown(descriptor, old.st_uid, old.st_gid)
    except PermissionError:
        try:
            os.fchown(descriptor, -1, old.st_gid)
        except PermissionError:
            mode &= 0o707
    os.fchmod(descriptor, mode)


class _Raw(io.FileIO):
    """A file whose errors are about the path that was asked for, rather than about a temporary one."""

    def __init__(self, descriptor: int, path: str | os.PathLike[str]) -> None:
        super().__init__(descriptor, "wb")
        self.path = path

    def write(self, data: ReadableBuffer, /) -> int:
        with _blaming(self.path):
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
    with _blaming(raw.path):
        file.close()


@contextmanager
def _blaming(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:  # the same kind of error
        if isinstance(error.__cause__, OSError):  # told already: a buffer writes when it is closed
            raise
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


def _sync_folder(folder: Path) -> None:
    """Let the new name reach the disk too, where the system can do that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
