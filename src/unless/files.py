"""Write files completely or not at all, and never over a file that is being read."""

from __future__ import annotations

import gzip
import io
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from unless.errors import MissingFileError, OverwriteError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

FilePath = str | os.PathLike[str] | int
"""A file: its path, or the number of an open file."""

_STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]+)")
_TEMPORARY = re.compile(r"\.unless-[0-9a-f]{16}\.tmp")


def write_whole(path: str | os.PathLike[str], content: bytes, inputs: Iterable[FilePath] = ()) -> None:
    """Write a file completely or leave its old content, whatever happens; see `open_for_writing`."""
    with open_for_writing(path, inputs) as file:
        file.write(content)


def append_line(path: str | os.PathLike[str], line: str, inputs: Iterable[FilePath] = ()) -> None:
    """Append a line to a file, which is created if it does not exist; several processes may append at once.

    A line is written in one call, so that lines never mix. Appending to one of ``inputs``, which are read, is an error.
    """
    refuse_inputs(path, inputs)
    if not (folder := Path(os.path.realpath(path)).parent).is_dir():
        raise MissingFileError(f"no folder {str(folder)!r} to write {Path(path).name!r} to; create it first")
    with (
        name_file_in_errors(path),
        _closing_descriptor(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)) as descriptor,
    ):
        os.write(descriptor, line.encode())


def gzip_if_named_so(content: bytes, path: str | os.PathLike[str]) -> bytes:
    """Return the bytes to write to a path: packed by gzip, reproducibly, if its name ends with ``.gz``."""
    return gzip.compress(content, mtime=0) if os.fspath(path).lower().endswith(".gz") else content


@contextmanager
def open_for_writing(path: str | os.PathLike[str], inputs: Iterable[FilePath] = ()) -> Iterator[BinaryIO]:
    """Open a file for writing that gets all of its new content or keeps the old, whatever happens.

    The block writes to a temporary file in the same folder. When the block ends, the temporary file reaches the disk
    and replaces the old file, with the same permissions and owner; if the block raises, it is removed. A symbolic link
    stays a link: the file that it points to is written. Pipes and devices, such as ``/dev/stdout``, are written to
    directly. Errors of writing name ``path``; errors of the block pass through.

    ``inputs`` are the files that are being read: writing to one of them is an error.
    """
    refuse_inputs(path, inputs)
    target = Path(os.path.realpath(path))
    descriptor = file_descriptor_named(path)
    if descriptor is None and not target.parent.is_dir():
        raise MissingFileError(f"no folder {str(target.parent)!r} to write {target.name!r} to; create it first")
    if descriptor is None and (target.is_file() or not target.exists()):
        with _replace_file(target, path) as file:
            yield file
    else:
        with name_file_in_errors(path):
            raw = _NamedFile(os.open(target, os.O_WRONLY) if descriptor is None else os.dup(descriptor), path)
        with _open_raw(raw) as file:
            yield file


def refuse_inputs(output: FilePath, inputs: Iterable[FilePath]) -> None:
    """Raise an error for an output that is also an input: the input would be lost.

    Two files are the same if they have the same device and inode, through any links and spellings of their paths.
    Pipes and devices can be both.
    """
    written, name = _file_status(output), _path_text(output)
    for one in inputs:
        read = _file_status(one)
        if written is not None and read is not None and os.path.samestat(written, read):
            same = "is read" if name == _path_text(one) else f"is the same file as {_path_text(one)}, which is read"
            raise OverwriteError(f"{name} {same}, so it is not written to; name another file")


def _file_status(path_or_descriptor: FilePath) -> os.stat_result | None:
    """Return the ``stat`` of a file; None if there is no such file, or if it is a pipe or a device."""
    number = path_or_descriptor if isinstance(path_or_descriptor, int) else file_descriptor_named(path_or_descriptor)
    try:
        found = os.stat(path_or_descriptor if number is None else number)  # noqa: PTH116 - Path.stat takes no number of an open file
    except (OSError, ValueError):  # a path with a NUL is a ValueError
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _path_text(path_or_descriptor: FilePath) -> str:
    if isinstance(path_or_descriptor, int):
        return {0: "standard input", 1: "standard output"}.get(path_or_descriptor, "the file")
    return repr(os.fspath(path_or_descriptor))


# The temporary file.


@contextmanager
def _replace_file(target: Path, path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    with name_file_in_errors(path):
        old = _check_writable(target)
        _remove_leftovers(target.parent)
        # 0o666 less the umask, as for any new file: tempfile makes files that only the owner can read. A file that
        # replaces another is private to its writer until it gets the permissions of the old file.
        descriptor, name, named = _open_temporary(target.parent, 0o666 if old is None else 0o600)
    try:
        # On Windows files are not locked, and an open file cannot replace another.
        with (
            nullcontext() if fcntl is None else _closing_descriptor(os.dup(descriptor))
        ):  # keeps the lock after the file is closed
            with _open_raw(_NamedFile(descriptor, path)) as file:
                yield file
                file.flush()
                with name_file_in_errors(path):
                    if old is not None:
                        _copy_owner_and_mode(old, descriptor)
                    os.fsync(descriptor)
                    if not named:
                        _name_descriptor(descriptor, name)
            with name_file_in_errors(path):
                name.replace(target)
    except BaseException:
        name.unlink(missing_ok=True)
        raise
    # The new name reaches the disk too, if the system supports it.
    with suppress(OSError), _closing_descriptor(os.open(target.parent, os.O_RDONLY)) as folder:
        os.fsync(folder)


def _check_writable(target: Path) -> os.stat_result | None:
    """Return the ``stat`` of the old file, or None; raise an error if it must not be written to."""
    if not target.exists():
        return None
    with target.open("ab"):
        return target.stat()


def _open_temporary(folder: Path, mode: int) -> tuple[int, Path, bool]:
    """Open a new, locked file for writing; also return its name, and whether it already has that name.

    Where the system supports files without names, it has none yet: such files disappear with their process.
    """
    while True:
        # A new name each time: another process may be about to remove the file.
        name = folder / f".unless-{secrets.token_hex(8)}.tmp"
        descriptor = _open_unnamed(folder, mode)
        named = descriptor is None
        if descriptor is None:
            descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        _lock_descriptor(descriptor)
        if not named or os.fstat(descriptor).st_nlink:
            return descriptor, name, named
        os.close(descriptor)  # another process removed it before it was locked


def _open_unnamed(folder: Path, mode: int) -> int | None:
    """Open a new file without a name; None if the system has no such files or cannot name them later."""
    if not hasattr(os, "O_TMPFILE"):
        return None
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_WRONLY, mode)
    except OSError:  # not on this disk; any other error will recur at the next attempt
        return None
    if _descriptor_link(descriptor).exists():
        return descriptor
    os.close(descriptor)
    return None


def _name_descriptor(descriptor: int, name: Path) -> None:
    """Give an unnamed file a name, since only a named file can replace another."""
    with _closing_descriptor(
        os.open(name.parent, os.O_RDONLY)
    ) as folder:  # os.link follows a symbolic link only if a folder is given
        os.link(_descriptor_link(descriptor), name, src_dir_fd=folder, follow_symlinks=True)


def _descriptor_link(descriptor: int) -> Path:
    return Path(f"/proc/self/fd/{descriptor}")


def _lock_descriptor(descriptor: int) -> None:
    """Lock a file as being written, until it and its duplicates are closed."""
    if fcntl is not None:
        with suppress(OSError):  # some disks have no locks; files there are never removed
            fcntl.flock(descriptor, fcntl.LOCK_EX)


@contextmanager
def _closing_descriptor(descriptor: int) -> Iterator[int]:
    """Close a descriptor at the end of a block that writes nothing to it."""
    try:
        yield descriptor
    finally:
        with suppress(OSError):
            os.close(descriptor)


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary files of killed processes, which are not locked."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _TEMPORARY.fullmatch(entry.name):
                flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK
                with suppress(OSError), _closing_descriptor(os.open(entry.path, flags)) as descriptor:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError: the file is locked
                    if stat.S_ISREG(os.fstat(descriptor).st_mode):
                        Path(entry.path).unlink()


def _copy_owner_and_mode(old: os.stat_result, descriptor: int) -> None:
    """Give a file the owner and the permissions of the file that it replaces.

    Setuid, setgid and sticky bits are not copied: they applied to the old content. A user who must not change the owner
    stays the owner; if the group cannot be kept either, the group gets no permissions.
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


class _NamedFile(io.FileIO):
    """A file whose errors name the requested path, not the temporary file."""

    def __init__(self, descriptor: int, path: str | os.PathLike[str]) -> None:
        super().__init__(descriptor, "wb")
        self.path = path

    def write(self, data: ReadableBuffer, /) -> int:
        with name_file_in_errors(self.path):
            return super().write(data)


@contextmanager
def _open_raw(raw: _NamedFile) -> Iterator[BinaryIO]:
    file = io.BufferedWriter(raw)
    try:
        yield file
    except BaseException:
        with suppress(OSError):  # after a failed write, flushing fails too
            file.close()
        raise
    with name_file_in_errors(raw.path):
        file.close()


def open_privately(path: str, flags: int) -> int:
    """Open a file for ``open(opener=)``; only its owner can read a new file."""
    return os.open(path, flags, 0o600)


@contextmanager
def name_file_in_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Convert write errors to ones that name the file."""
    try:
        yield
    except OSError as error:
        if isinstance(error.__cause__, OSError):  # it names the path already: a buffer writes when it is closed
            raise
        # Python picks the same subclass of OSError by the error number.
        raise OSError(error.errno, f"cannot write the file: {error.strerror}", os.fspath(path)) from error


def file_descriptor_named(path: str | os.PathLike[str]) -> int | None:
    """Return the descriptor that a path such as /dev/stdout names; None for an ordinary path.

    Opening such a path again would overwrite a file to which the shell appends (``>>``), or fail for a pipe.
    """
    found = _DESCRIPTOR.fullmatch(os.fspath(path))
    return int(found[1]) if found else _STANDARD.get(os.fspath(path))
