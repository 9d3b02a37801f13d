"""How far the learning is: rules learned, records left. A line on standard error, or what a caller shows instead."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Protocol, Self

__all__ = ["LineMeter", "Meter", "meter", "metered_by"]

_EVERY = 0.1  # seconds between two looks at a terminal
_EVERY_LINE = 2.0  # the same where lines are kept


class Meter(AbstractContextManager["Meter"], Protocol):
    """What shows progress, from its entry to its exit."""

    def show(self, left: int, rules: int) -> None:
        """Tell how many records are left and how many rules there are."""


_chosen: ContextVar[Meter | None] = ContextVar("_chosen", default=None)


@contextmanager
def metered_by(shown: Meter) -> Iterator[None]:
    """Let a meter of the caller's show the progress of what is learned within, whatever ``verbose`` says."""
    token = _chosen.set(shown)
    try:
        yield
    finally:
        _chosen.reset(token)


def meter(*, on: bool) -> Meter:
    """The meter of the caller's, if there is one; else a line."""
    return _chosen.get() or LineMeter(on=on)


class LineMeter(Meter):
    """Shows progress on standard error: in a terminal a bar that renews itself, elsewhere a line now and then."""

    def __init__(self, *, on: bool) -> None:
        self.total = 0  # what the learner tells first: it may count weights, or positives only
        self.on = on
        self.terminal = self.on and sys.stderr.isatty()
        self.next = time.monotonic()
        self.last = ""

    def show(self, left: int, rules: int) -> None:
        """Tell how many records are left and how many rules there are."""
        if not self.on:
            return
        self.total = self.total or left
        done = 1 - left / max(self.total, 1)
        self.last = f"{rules:,} rules, {left:,} of {self.total:,} records left"
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + (_EVERY if self.terminal else _EVERY_LINE)
        if self.terminal:
            bar = "█" * round(24 * done) + "░" * (24 - round(24 * done))
            sys.stderr.write(f"\r\033[K{bar} {self.last}")
        else:
            sys.stderr.write(f"unless: {self.last}\n")
        sys.stderr.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.on:
            sys.stderr.write(("\r\033[K" if self.terminal else "") + f"unless: {self.last or 'no rules'}; done\n")
            sys.stderr.flush()
