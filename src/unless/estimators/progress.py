"""Show the progress of learning (rules learned, records left) on standard error or through the caller's meter."""

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
    """Shows progress as a context manager, from entry to exit."""

    def show(self, left: int, done: int, what: str = "records") -> None:
        """Show how many records are left and how many rules (in other stages: lists, settings) are done."""


_chosen: ContextVar[Meter | None] = ContextVar("_chosen", default=None)


@contextmanager
def metered_by(shown: Meter) -> Iterator[None]:
    """Show the progress of learning with the caller's meter, regardless of ``verbose``."""
    token = _chosen.set(shown)
    try:
        yield
    finally:
        _chosen.reset(token)


def meter(*, on: bool) -> Meter:
    """Return the caller's meter if there is one, otherwise a `LineMeter`."""
    return _chosen.get() or LineMeter(on=on)


def progress_text(left: int, done: int, total: int, what: str) -> str:
    """Describe the progress of learning in words."""
    if what == "records":
        return f"{done:,} rules, {left:,} of {total:,} records left"
    return f"{done:,} of {total:,} {what}"


class LineMeter(Meter):
    """Shows progress on standard error: a moving bar in a terminal, otherwise an occasional line."""

    def __init__(self, *, on: bool) -> None:
        self.what = ""
        self.total = 0  # the first number of a stage, which may count weights, or only positives
        self.on = on
        self.terminal = self.on and sys.stderr.isatty()
        self.next = time.monotonic()
        self.last = ""

    def show(self, left: int, done: int, what: str = "records") -> None:
        """Show how many records are left and how many rules (in other stages: lists, settings) are done."""
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
