"""Folders in which blocks are kept, so that what was interrupted goes on.

A folder holds blocks, what they have in common (`values.block`, see `encoding_json`), checkpoints of learners
(`file_checkpoints`), and `unless-blocks.json`. That file is written first, to mark the folder as ours, and completed
last, so that blocks are whole or do not count. Everything is JSON or arrays, and is checked before it is used.
"""

from __future__ import annotations

import json
import os
import re
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from unless import __version__
from unless.blocks.block import Arrays, bytes_per_cell, check_block_arrays
from unless.blocks.disk_storage import checksum, map_block, write_block
from unless.blocks.encoding import BlockEncoding, ClassFactors
from unless.blocks.encoding_json import encoding_from_json, encoding_to_json
from unless.blocks.file_checkpoints import FolderCheckpoints
from unless.blocks.memory_budget import fits_in_page_cache
from unless.errors import MissingFileError, ParameterError, UnlessWarning
from unless.files import write_whole
from unless.learn.weights import Weights
from unless.table import HoldoutSplit
from unless.values import Label, to_python_value

try:
    import fcntl
except ImportError:  # Windows: nothing is locked; files that are mapped cannot be removed there
    fcntl = None  # type: ignore[assignment]

FORMAT, VERSION = "unless-blocks", 5
_NAME, _VALUES = "unless-blocks.json", "values.block"
_OURS = re.compile(r"(\d+|values)\.block|rules-[0-9a-f]{16}\.jsonl")
_TEMPORARY = re.compile(r"\.unless-[0-9a-f]{16}\.tmp")
_MOST_UNITS = 2**31
_DAMAGE = (ValueError, TypeError, LookupError, AttributeError, OSError, RecursionError, OverflowError)
"""What reading a file raises that is not what we wrote."""


@dataclass(frozen=True)
class BlockCache:
    """A source whose blocks and rules are kept in a folder: learn from it again, and learning goes on where it was.

    ``source`` is whatever can be learned from: the path of a file, of a folder of parts or a pattern, a `Query`, a
    relation. ``folder`` is new, empty, or one that was used before. If ``unchanged``, the caller knows that the source
    has not changed, which for databases only reading could tell.
    """

    source: Any
    folder: str | os.PathLike[str]
    unchanged: bool = False

    @property
    def keep(self) -> CacheOptions:
        """Where blocks are kept."""
        return CacheOptions(self.folder, unchanged=self.unchanged)


@dataclass(frozen=True)
class CacheOptions:
    """Where blocks are kept (`BlockCache`); ``asked`` is what else decides on them, such as what to leave out."""

    folder: str | os.PathLike[str]
    asked: Mapping[str, Any] | None = None
    unchanged: bool = False


@dataclass
class RecordedFactors:
    """What classes weigh, and what it was computed from: so it can be compared with what is asked for later."""

    function: ClassFactors
    totals: Weights | None = None
    found: Weights | None = None

    def __call__(self, labels: tuple[Label, ...], totals: Weights) -> Weights:
        """The weight of every class, which is remembered."""
        self.totals, self.found = totals, self.function(labels, totals)
        return self.found


@dataclass(frozen=True)
class CacheKey:
    """What blocks are made of: a source, its state, and what was asked."""

    source: str
    fingerprint: Any
    asked: Mapping[str, Any]

    @classmethod
    def of(cls, source: str, fingerprint: object, asked: Mapping[str, Any]) -> CacheKey:
        """The request as JSON would give it back."""
        given = {name: _to_json(name, value) for name, value in asked.items() if value is not None}
        return cls(source, json.loads(json.dumps(fingerprint)), json.loads(json.dumps(given)))


def _to_json(name: str, value: Any) -> Any:
    """What was asked for as JSON."""
    value = to_python_value(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return [[str(key), _to_json(name, one)] for key, one in value.items()]
    if isinstance(value, set | frozenset):
        return sorted(str(one) for one in value)
    if isinstance(value, Iterable):
        return [_to_json(name, one) for one in value]
    raise ParameterError(f"{name}= takes {type(value).__name__}, which cannot be written down with kept blocks")


class CacheFolder:
    """A folder of blocks, held against other processes: they may read it too, but nobody writes it meanwhile."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder)
        self._new = self._make()
        self._let_go: Callable[[], object] = lambda: None
        self._share: Callable[[], object] = lambda: None
        if fcntl is not None:
            descriptor = os.open(self.path, os.O_RDONLY)
            self._let_go = weakref.finalize(self, os.close, descriptor)
        try:
            self._alone = fcntl is None or self._lock(descriptor)
            self._description = self._read_description()
        except BaseException:
            self.cleanup()
            raise

    def _make(self) -> bool:
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
        """Hold the folder; whether nobody else reads it."""
        for kind in (fcntl.LOCK_EX, fcntl.LOCK_SH):
            try:
                fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            except OSError:  # some disks have no locks
                return True
            else:
                self._share = partial(fcntl.flock, descriptor, fcntl.LOCK_SH)
                return kind == fcntl.LOCK_EX
        raise ParameterError(
            f"another process is making blocks in {str(self.path)!r}; wait until it is done, or name another folder"
        )

    def _read_description(self) -> dict[str, Any] | None:
        """What the folder says of itself; None if it is empty. A folder of somebody else is refused."""
        try:
            text = (self.path / _NAME).read_bytes()
            found = json.loads(text)
        except FileNotFoundError:
            if all(_TEMPORARY.fullmatch(path.name) for path in self.path.iterdir()):
                return None
            found = None
        except _DAMAGE:
            found = None
        if not _is_whole(found) and self._holds_blocks():
            return {"damaged": True}
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ParameterError(
                f"the folder {str(self.path)!r} has other files, which are left alone; name a new or an empty folder"
            )
        if not isinstance(found.get("version"), int) or found["version"] > VERSION:
            raise ParameterError(
                f"the blocks in {str(self.path)!r} are from a newer version of unless; update it, or name another "
                "folder"
            )
        return {**found, "digest": blake2b(text, digest_size=16).hexdigest()}

    def _holds_blocks(self) -> bool:
        """Whether there are blocks, and nothing that is not ours."""
        names = {path.name for path in self.path.iterdir()}
        ours = {name for name in names if _OURS.fullmatch(name)} | {_NAME}
        return len(ours) > 1 and _NAME in names and all(name in ours or _TEMPORARY.fullmatch(name) for name in names)

    # Blocks that are there.

    def reopen(
        self, request: CacheKey, factors: RecordedFactors | None, *, unchanged: bool, threads: int = 1
    ) -> tuple[BlockEncoding, list[Arrays]] | None:
        """The blocks that are there, if they are what is asked for; None, and a warning, if they must be made again."""
        if self._description is None:
            return None
        reason = self._find_mismatch(self._description, request, unchanged=unchanged)
        if reason is None:
            try:
                found = self._read(self._description, threads)
            except _DAMAGE:
                reason = "are damaged"
            else:
                if _same_factors(self._description["factors"], found[0].labels, factors):
                    self._share()
                    return found
                reason = "have other weights of classes"
        if not self._alone:
            raise ParameterError(
                f"the blocks in {str(self.path)!r} {reason}, and others are learning from them; name another folder"
            )
        warnings.warn(f"the blocks in {str(self.path)!r} {reason}; they are made again", UnlessWarning, stacklevel=2)
        return None

    def _find_mismatch(self, description: Mapping[str, Any], request: CacheKey, *, unchanged: bool) -> str | None:
        """Why blocks cannot be used; None if they can."""
        if "damaged" in description:
            return "are damaged"
        if "blocks" not in description:
            return "were not finished"
        if (description.get("unless"), description["version"]) != (__version__, VERSION):
            return "are from another version of unless"
        before = description.get("asked")
        if before != request.asked:
            old = before if isinstance(before, dict) else {}
            names = [name for name in {**old, **request.asked} if old.get(name) != request.asked.get(name)]
            return f"were made for another {' and '.join(names)}"
        if request.fingerprint is None and not unchanged:
            return (
                f"may be out of date, for only reading tells whether {request.source} has changed; "
                "if it has not, say unchanged=True"
            )
        changed = description.get("fingerprint") != request.fingerprint and not unchanged
        return f"are out of date, for {request.source} has changed" if changed else None

    def _read(self, description: Mapping[str, Any], threads: int) -> tuple[BlockEncoding, list[Arrays]]:
        size, check = description["values"]
        coding = encoding_from_json(description["coding"], self._mapped(_VALUES, size, check))

        large = not fits_in_page_cache(coding.rows * sum(map(bytes_per_cell, coding.bins)))

        def block(numbered: tuple[int, Any]) -> Arrays:
            number, (size, check) = numbered
            arrays = self._mapped(f"{number}.block", size, check, bypass_page_cache=large)
            check_block_arrays(coding.bins, len(coding.labels), arrays)
            return arrays

        with ThreadPoolExecutor(threads) as pool:
            blocks = list(pool.map(block, enumerate(description["blocks"])))
        if sum(map(_weight_of, blocks)) >= _MOST_UNITS:
            raise ValueError("the weights are too large")
        return coding, blocks

    def _mapped(self, name: str, size: int, check: int, *, bypass_page_cache: bool = False) -> Arrays:
        path = self.path / name
        if path.stat().st_size != size or checksum(path) != check:
            raise ValueError(f"{name} is not what it was")
        return map_block(path, bypass_page_cache=bypass_page_cache)

    # Blocks that are made.

    @contextmanager
    def rebuild(self) -> Iterator[None]:
        """Make blocks anew: what was there is removed first, and what was made is, if it is not finished."""
        self._write({})
        self._remove()
        try:
            yield
        except BaseException:
            self._remove()
            (self.path / _NAME).unlink(missing_ok=True)
            if self._new:
                with suppress(OSError):  # somebody has put something there
                    self.path.rmdir()
            raise
        self._share()

    def finish(
        self, coding: BlockEncoding, blocks: Sequence[Arrays], request: CacheKey, factors: RecordedFactors | None
    ) -> None:
        """Describe the blocks, which are all there."""
        node, values = encoding_to_json(coding)
        write_block(self.path / _VALUES, values)
        with ThreadPoolExecutor() as pool:
            checks = list(pool.map(self._check, [f"{number}.block" for number in range(len(blocks))]))
        totals = None if factors is None else [list(map(float, one)) for one in (factors.totals, factors.found)]  # type: ignore[arg-type]
        self._write(
            {
                "unless": __version__,
                "source": request.source,
                "fingerprint": request.fingerprint,
                "asked": request.asked,
                "factors": totals,
                "coding": node,
                "values": self._check(_VALUES),
                "blocks": checks,
            }
        )
        self._description = self._read_description()

    def _check(self, name: str) -> list[int]:
        return [(self.path / name).stat().st_size, checksum(self.path / name)]

    def _write(self, description: Mapping[str, Any]) -> None:
        whole = {"format": FORMAT, "version": VERSION, **description}
        path = self.path / _NAME
        write_whole(path, json.dumps({**whole, "check": _check_of(whole)}, indent=1).encode() + b"\n")
        path.chmod(0o600)

    def _remove(self) -> None:
        """Remove blocks and notes, and nothing else."""
        for path in list(self.path.iterdir()):
            if _OURS.fullmatch(path.name):
                path.unlink()

    # What learners ask for.

    def checkpoints(self, coding: BlockEncoding, held_back: HoldoutSplit | None) -> FolderCheckpoints:
        """Where learners note their rules."""
        digest = "" if self._description is None else self._description["digest"]
        apart = None if held_back is None else [held_back.salt, *held_back.cuts]
        return FolderCheckpoints(self.path, coding, {"unless": __version__, "blocks": digest, "held_back": apart})

    def cleanup(self) -> None:
        """Let go of the folder; everything in it stays."""
        self._let_go()


def _check_of(description: Mapping[str, Any]) -> str:
    """What tells whether a description is as it was written."""
    return blake2b(json.dumps(description, sort_keys=True).encode(), digest_size=16).hexdigest()


def _is_whole(found: Any) -> bool:
    """Whether a description is as it was written; those of versions before 5 do not tell."""
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        return False
    if "check" not in found and found.get("version") in range(1, 5):
        return True
    return found.get("check") == _check_of({name: one for name, one in found.items() if name != "check"})


def _weight_of(block: Arrays) -> int:
    """What the rows of a block weigh together; without weights, 1 each."""
    weights = block["weights"]
    return int(weights.sum(dtype=np.int64)) if len(weights) else len(block["labels"])


def _same_factors(before: Any, labels: tuple[Label, ...], factors: RecordedFactors | None) -> bool:
    """Whether classes weigh what they weighed when blocks were made."""
    if before is None or factors is None:
        return before is None and factors is None
    totals, found = before
    return bool((factors(labels, np.array(totals, np.float64)) == np.array(found)).all())
