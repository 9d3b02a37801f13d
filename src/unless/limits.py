"""Limit the size of files: a file above a limit is rejected before it takes all memory.

A small file can be huge in memory: gzip packs a gigabyte of zeros into one megabyte, and two cells of a workbook can
be a billion apart. The limits are far larger than the tables that rules are learned from. To raise a limit:

>>> with raised(columns=200_000):
...     limit("columns")
200000
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from pathlib import Path

from unless.errors import LimitError, ParameterError, UnlessError, suggest

__all__ = [
    "DEFAULTS",
    "RATIO",
    "address_space_left",
    "current_limits",
    "limit",
    "parse_amount",
    "raised",
    "refuse_above_limit",
    "refuse_small_address_space",
    "refuse_unpacked",
]

DEFAULTS: Mapping[str, int] = {
    "unpacked": 10**9,  # bytes that a file takes in memory, unpacked; `RATIO` times its size is always allowed
    "columns": 100_000,  # in a table
    "labels": 10_000,  # in a target: each rule counts the records of every label
    "model": 256_000_000,  # bytes of a model file; about 20 MB are read in a second
}
RATIO = 100
"""A file may always unpack to this many times its size. Tables pack to a tenth, rarely to a fiftieth; gzip bombs to a
thousandth."""

_UNITS = {"": 1, "bytes": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([a-z]*)", re.IGNORECASE)

_current: ContextVar[Mapping[str, int]] = ContextVar("_current", default=DEFAULTS)


_ADDRESS_SPACE = 1_200_000_000
"""The bytes that the reading libraries reserve, mostly for threads; with less, some libraries abort."""


def address_space_left() -> float:
    """Return the bytes of address space that this process may still reserve (``ulimit -v``); inf if unlimited."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most == resource.RLIM_INFINITY:
            return inf
        return most - int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):  # another system
        return inf


def refuse_small_address_space() -> None:
    """Raise an error if libraries would abort without explanation for lack of address space."""
    left = address_space_left()
    if left < _ADDRESS_SPACE:
        raise UnlessError(
            f"this process may reserve {max(left, 0) / 1e9:.1f} GB more of address space, and reading files needs "
            f"{_ADDRESS_SPACE / 1e9:.1f} GB; raise the limit: ulimit -v unlimited"
        )


def limit(name: str) -> int:
    """Return the current limit of that name."""
    return _current.get()[name]


def current_limits() -> dict[str, int]:
    """Return all current limits, to pass them on to another process."""
    return dict(_current.get())


@contextmanager
def raised(**limits: int | str) -> Iterator[None]:
    """Set other limits for a block of code, such as ``columns=200_000`` or ``unpacked="8 GB"``."""
    for name in limits:
        if name not in DEFAULTS:
            raise ParameterError(f"no limit {name!r}{suggest(name, DEFAULTS)}")
    token = _current.set({**_current.get(), **{name: parse_amount(str(amount)) for name, amount in limits.items()}})
    try:
        yield
    finally:
        _current.reset(token)


def refuse_above_limit(name: str, amount: int, what: str) -> None:
    """Raise an error for an amount above the limit; ``what`` starts the message."""
    if amount > limit(name):
        bytes_ = name in ("unpacked", "model")
        most = _size_text(limit(name)) if bytes_ else f"{limit(name):,}"
        enough = _size_text(2 * amount).replace(" ", "") if bytes_ else str(amount)
        raise LimitError(f"{what}; the limit is {most}", name, enough)


def refuse_unpacked(unpacked: int, size: int, where: str) -> None:
    """Raise an error for a file of ``size`` bytes that takes too many bytes in memory."""
    if unpacked > RATIO * size:
        shown = f"{where}: {_size_text(size)} that take {_size_text(unpacked)} or more, unpacked"
        refuse_above_limit("unpacked", unpacked, shown)


def parse_amount(text: str) -> int:
    """Parse an amount such as "8GB", with or without a unit.

    >>> [parse_amount(text) for text in ("8GB", "1.5 MB", "200000")]
    [8000000000, 1500000, 200000]
    """
    found = _AMOUNT.fullmatch(text.strip())
    if found is None or (unit := found[2].lower()) not in _UNITS:
        raise ParameterError(f"{text!r} is not an amount; write a number, or a number with kB, MB, GB or TB: 8GB")
    return int(float(found[1]) * _UNITS[unit])


def _size_text(size: float) -> str:
    """Write a number of bytes as a short text that `parse_amount` reads.

    >>> [_size_text(size) for size in (5, 1234, 10**9, 3.21e12)]
    ['5 bytes', '1.23 kB', '1 GB', '3.21 TB']
    """
    power = min(max(len(str(int(size))) - 1, 0) // 3, 4)
    return f"{size / 1000**power:.3g} {('bytes', 'kB', 'MB', 'GB', 'TB')[power]}"
