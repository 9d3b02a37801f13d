"""Writing files whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from unless.errors import MissingFileError

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that it holds, whatever happens, either its old content or all of the new.

    The content goes to a temporary file in the same folder, reaches the disk, and then takes the place of the old
    file, whose permissions it keeps. A symbolic link stays one: the file that it points to is written. What is not a
    file, such as ``/dev/stdout``, is written to directly.
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise MissingFileError(f"no folder {str(target.parent)!r} to write {target.name!r} to; create it first")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)
        else:
            _replace(target, content)
    except OSError as error:
        # The same kind of error, about the file that was asked for rather than about the temporary one.
        raise OSError(error.errno, f"cannot write the file: {error.strerror}", os.fspath(path)) from error


def _replace(target: Path, content: bytes) -> None:
    mode = _mode(target)
    temporary = target.with_name(f".unless-{secrets.token_hex(8)}.tmp")
    try:
        _write(temporary, content, mode)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _mode(target: Path) -> int | None:
    """The permissions to keep, None for a new file; refuses a file that is read-only, as writing to it would."""
    if not target.exists():
        return None
    with target.open("ab"):
        return stat.S_IMODE(target.stat().st_mode)


def _write(temporary: Path, content: bytes, mode: int | None) -> None:
    # 0o666 less the umask, as for any new file: what tempfile makes only its owner could read.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        temporary.chmod(mode)


def _sync_folder(folder: Path) -> None:
    """Let the new name reach the disk too, where the system can do that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
