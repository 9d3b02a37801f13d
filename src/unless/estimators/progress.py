"""How far learning is: rules learned, records left. A line on standard error, or whatever the caller shows instead."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Protocol

_EVERY = 0.1  # seconds between updates in a terminal
_EVERY_LINE = 2.0  # seconds between lines elsewhere


class Meter(AbstractContextManager["Meter"], Protocol):
    """Shows progress, from its entry to its exit."""

    def show(self, left: int, done: int, what: str = "records") -> None:
        """Show how many records are left and how many rules are done; in other stages, how many lists or settings."""


_chosen: ContextVar[Meter | None] = ContextVar("_chosen", default=None)


@contextmanager
def metered_by(shown: Meter) -> Iterator[None]:
    """Let the caller's meter show the progress of learning, whatever ``verbose`` says."""
    token = _chosen.set(shown)
    try:
        yield
    finally:
        _chosen.reset(token)


def meter(*, on: bool) -> Meter:
    """The caller's meter, if there is one; else a line."""
    return _chosen.get() or LineMeter(on=on)


def progress_text(left: int, done: int, total: int, what: str) -> str:
    """How far learning is, in words."""
    if what == "records":
        return f"{done:,} rules, {left:,} of {total:,} records left"
    return f"{done:,} of {total:,} {what}"


class LineMeter(Meter):
    """Shows progress on standard error: a bar that moves in a terminal, a line now and then elsewhere."""

    def __init__(self, *, on: bool) -> None:
        self.what = ""
        self.total = 0  # the first number that a stage shows: it may count weights, or only positives
        self.on = on
        self.terminal = self.on and sys.stderr.isatty()
        self.next = time.monotonic()
        self.last = ""

    def show(self, left: int, done: int, what: str = "records") -> None:
        """Show how many records are left and how many rules are done; in other stages, how many lists or settings."""
        if not self.on:
            return
        if what != self.what:
            self.what, self.total = what, left
        share = 1 - left / max(self.total, 1)
        self.last = progress_text(left, done, self.total, what)
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + (_EVERY if self.terminal else _EVERY_LINE)
        if self.terminal:
            bar = "█" * round(24 * share) + "░" * (24 - round(24 * share))
            sys.stderr.write(f"\r\033[K{bar} {self.last}")
        else:
            sys.stderr.write(f"unless: {self.last}\n")
        sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        if self.on:
            sys.stderr.write(("\r\033[K" if self.terminal else "") + f"unless: {self.last or 'no rules'}; done\n")
            sys.stderr.flush()
