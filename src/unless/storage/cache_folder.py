"""Keep files that were made from a source in a folder, valid until the source changes.

`unless-blocks.json` describes the other files. It is written first, to mark the folder as ours, and completed last, so
incomplete files are never used. All files are JSON or arrays, and are checked before use.
"""

from __future__ import annotations

import json
import os
import re
import warnings
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

from unless import __version__
from unless.errors import MissingFileError, ParameterError, UnlessWarning
from unless.files import write_whole
from unless.storage.array_files import Arrays, StoredArrays, checksum, map_arrays, write_arrays
from unless.values import to_python_value

try:
    import fcntl
except ImportError:  # Windows: no locks; mapped files cannot be removed there
    fcntl = None  # type: ignore[assignment]

Loaded = TypeVar("Loaded")

FORMAT, VERSION = "unless-blocks", 5
_NAME, _VALUES = "unless-blocks.json", "values.block"
_OURS = re.compile(r"(\d+|values)\.block|rules-[0-9a-f]{16}\.jsonl")
_TEMPORARY = re.compile(r"\.unless-[0-9a-f]{16}\.tmp")
_DAMAGE = (ValueError, TypeError, LookupError, AttributeError, OSError, RecursionError, OverflowError)
"""The errors raised on reading a damaged file."""


class CacheMismatchError(Exception):
    """Raised for intact files that are not those needed; the message completes "the blocks …"."""


@dataclass(frozen=True)
class CacheKey:
    """The origin of files: a source, its state, and the options."""

    source: str
    fingerprint: Any
    options: Mapping[str, Any]

    @classmethod
    def of(cls, source: str, fingerprint: object, options: Mapping[str, Any]) -> CacheKey:
        """Make a key whose values are as after a round trip through JSON."""
        given = {name: _to_json(name, value) for name, value in options.items() if value is not None}
        return cls(source, json.loads(json.dumps(fingerprint)), json.loads(json.dumps(given)))


def _to_json(name: str, value: Any) -> Any:
    """Convert the value of an option to JSON."""
    value = to_python_value(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return [[str(key), _to_json(name, one)] for key, one in value.items()]
    if isinstance(value, set | frozenset):
        return sorted(str(one) for one in value)
    if isinstance(value, Iterable):
        return [_to_json(name, one) for one in value]
    raise ParameterError(f"{name}= takes {type(value).__name__}, which cannot be saved with kept blocks")


class CacheFolder:
    """A folder of files, locked so that other processes may read but not write the files."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder)
        self._new = self._make()
        self._unlock: Callable[[], object] = lambda: None
        self._share: Callable[[], object] = lambda: None
        if fcntl is not None:
            descriptor = os.open(self.path, os.O_RDONLY)
            self._unlock = weakref.finalize(self, os.close, descriptor)
        try:
            self._alone = fcntl is None or self._lock(descriptor)
            self._description = self._read_description()
        except BaseException:
            self.cleanup()
            raise

    def _make(self) -> bool:
        """Make the folder; return whether it is new."""
        try:
            self.path.mkdir(0o700)
        except FileExistsError:
            if not self.path.is_dir():
                raise ParameterError(f"{str(self.path)!r} is a file; name a folder for the blocks") from None
            return False
        except FileNotFoundError:
            parent = str(self.path.parent)
            raise MissingFileError(f"no folder {parent!r} to keep {self.path.name!r} in; create it first") from None
        return True

    def _lock(self, descriptor: int) -> bool:
        """Lock the folder; return whether no other process reads it."""
        for kind in (fcntl.LOCK_EX, fcntl.LOCK_SH):
            try:
                fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            except OSError:  # some disks have no locks
                return True
            self._share = partial(fcntl.flock, descriptor, fcntl.LOCK_SH)
            return kind == fcntl.LOCK_EX
        raise ParameterError(
            f"another process is making blocks in {str(self.path)!r}; wait until it is done, or name another folder"
        )

    def _read_description(self) -> dict[str, Any] | None:
        """Read the description of the folder; None if it is empty. A folder with other files is an error."""
        found, text = None, b""
        with suppress(*_DAMAGE):
            text = (self.path / _NAME).read_bytes()
            found = json.loads(text)
        names = {path.name for path in self.path.iterdir() if not _TEMPORARY.fullmatch(path.name)}
        if not names:
            return None
        ours = {name for name in names if _OURS.fullmatch(name)}
        if not _is_whole(found) and ours and names == {*ours, _NAME}:
            return {"damaged": True}
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ParameterError(
                f"the folder {str(self.path)!r} contains other files, which are not touched; name a new or empty folder"
            )
        if not isinstance(found.get("version"), int) or found["version"] > VERSION:
            raise ParameterError(
                f"the blocks in {str(self.path)!r} are from a newer version of unless; update it, or name another "
                "folder"
            )
        return {**found, "digest": blake2b(text, digest_size=16).hexdigest()}

    @property
    def digest(self) -> str:
        """A hash of the description."""
        return "" if self._description is None else str(self._description["digest"])

    # Reading existing files.

    def reopen(
        self, key: CacheKey, load: Callable[[Mapping[str, Any], Arrays], Loaded], *, unchanged: bool
    ) -> Loaded | None:
        """Load the files with a function of their description and values; None if they must be made again.

        Warn if existing files cannot be used. ``unchanged`` asserts that the source has not changed.
        """
        if self._description is None:
            return None
        reason = self._find_mismatch(self._description, key, unchanged=unchanged)
        if reason is None:
            try:
                found = load(self._description, self.map_file(_VALUES, *self._description["values"]))
            except _DAMAGE:
                reason = "are damaged"
            except CacheMismatchError as error:
                reason = str(error)
            else:
                self._share()
                return found
        if not self._alone:
            raise ParameterError(
                f"the blocks in {str(self.path)!r} {reason}, and others are learning from them; name another folder"
            )
        warnings.warn(f"the blocks in {str(self.path)!r} {reason}; they are made again", UnlessWarning, stacklevel=2)
        return None

    def _find_mismatch(self, description: Mapping[str, Any], key: CacheKey, *, unchanged: bool) -> str | None:
        """Explain why the files cannot be used; None if they can."""
        if "damaged" in description:
            return "are damaged"
        if "blocks" not in description:
            return "were not finished"
        if (description.get("unless"), description["version"]) != (__version__, VERSION):
            return "are from another version of unless"
        before = description.get("asked")
        if before != key.options:
            old = before if isinstance(before, dict) else {}
            names = [name for name in {**old, **key.options} if old.get(name) != key.options.get(name)]
            return f"were made for another {' and '.join(names)}"
        if key.fingerprint is None and not unchanged:
            return (
                f"may be out of date: only reading shows whether {key.source} has changed; "
                "if it has not, pass unchanged=True"
            )
        changed = description.get("fingerprint") != key.fingerprint and not unchanged
        return f"are out of date: {key.source} has changed" if changed else None

    def map_file(
        self, name: str, size: int, check: int, uncached: Collection[str] = (), rare: Collection[str] = ()
    ) -> StoredArrays:
        """Map the arrays of a file that must have this size and checksum (`map_arrays`)."""
        path = self.path / name
        if path.stat().st_size != size or checksum(path) != check:
            raise ValueError(f"{name} has changed")
        return map_arrays(path, uncached, rare)

    # Making new files.

    @contextmanager
    def rebuild(self) -> Iterator[None]:
        """Remove the old files, and keep new files only if the ``with`` block that makes them succeeds."""
        self._write_description({})
        self._remove_files()
        try:
            yield
        except BaseException:
            self._remove_files()
            (self.path / _NAME).unlink(missing_ok=True)
            if self._new:
                with suppress(OSError):  # another process has created a file there
                    self.path.rmdir()
            raise
        self._share()

    def finish(self, key: CacheKey, description: Mapping[str, Any], values: Arrays, blocks: int) -> None:
        """Write the values and the description, which makes the folder complete."""
        write_arrays(self.path / _VALUES, values)
        with ThreadPoolExecutor() as pool:
            checks = list(pool.map(self._check, [f"{number}.block" for number in range(blocks)]))
        about = {"unless": __version__, "source": key.source, "fingerprint": key.fingerprint, "asked": key.options}
        self._write_description({**about, **description, "values": self._check(_VALUES), "blocks": checks})
        self._description = self._read_description()

    def _check(self, name: str) -> list[int]:
        return [(self.path / name).stat().st_size, checksum(self.path / name)]

    def _write_description(self, description: Mapping[str, Any]) -> None:
        whole = {"format": FORMAT, "version": VERSION, **description}
        path = self.path / _NAME
        write_whole(path, json.dumps({**whole, "check": _check_of(whole)}, indent=1).encode() + b"\n")
        path.chmod(0o600)

    def _remove_files(self) -> None:
        """Remove blocks and checkpoints, and nothing else."""
        for path in list(self.path.iterdir()):
            if _OURS.fullmatch(path.name):
                path.unlink()

    def cleanup(self) -> None:
        """Unlock the folder; its files stay."""
        self._unlock()


def _check_of(description: Mapping[str, Any]) -> str:
    """Hash a description, to detect changes."""
    return blake2b(json.dumps(description, sort_keys=True).encode(), digest_size=16).hexdigest()


def _is_whole(found: Any) -> bool:
    """Whether a description is complete and unchanged; versions before 5 have no hash."""
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        return False
    if "check" not in found and found.get("version") in range(1, 5):
        return True
    return found.get("check") == _check_of({name: one for name, one in found.items() if name != "check"})
