"""What a command prints: results to standard output, everything else to standard error.

A person at a terminal gets colour, tables that fit the window, and a bar for what takes longer than a second. A pipe
gets the same text, plain and never cut. Data is `rich.text.Text` or `printable`: ``[bold]`` in it is just text. Escape
sequences are too, whatever a command prints (`_Visible`).
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from types import TracebackType
from typing import Any, Self

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.text import Text

from unless.estimators.progress import Meter

__all__ = ["RuleMeter", "Screen", "complain", "visible"]

_WIDE = 100_000  # columns of a pipe: nothing is wrapped
_UNUSUAL = re.compile(r"[^\n -~]")
_PATIENCE = 1.0  # seconds before anything moves on the screen


def complain(message: str) -> None:
    """An error, in the words of who found it."""
    where = _console(sys.stderr)
    _print(where, Text.assemble(("unless: ", "bold red"), visible(message)))


def visible(text: str) -> str:
    """A text with what cannot be seen, or would move the cursor of a terminal, escaped; it keeps its lines."""
    if text.isprintable():
        return text
    shown = (one if one.isprintable() or one in "\n\t" else one.encode("unicode_escape").decode() for one in text)
    return "".join(shown)


def _json_escape(letter: str) -> str:
    """A letter of JSON text, which may hold what must not be sent to a terminal: such a one as JSON escapes it."""
    return letter if letter.isprintable() else json.dumps(letter)[1:-1]


class _Visible:
    """What rich would print, with all that `visible` escapes: the styles are rich's, the letters are data."""

    def __init__(self, what: RenderableType) -> None:
        self._what = what

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._what, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


class Screen:
    """Where a command prints: with ``quiet`` only results and errors, with ``aside`` results to standard error too."""

    def __init__(self, *, quiet: bool = False, aside: bool = False) -> None:
        self.quiet = quiet
        self.err = _console(sys.stderr)
        self.out = self.err if aside else _console(sys.stdout)

    def show(self, *results: RenderableType) -> None:
        """A result; text is shown as it is."""
        for result in results:
            _print(self.out, result)

    def note(self, remark: RenderableType) -> None:
        """What is good to know: not part of the result."""
        if not self.quiet:
            _print(self.err, visible(remark) if isinstance(remark, str) else remark)

    def data(self, document: Any) -> None:
        """The result as JSON, for programs; a stream that cannot take every letter gets JSON's own escapes."""
        ascii_only = self.out.encoding != "utf-8"  # rich's name for it
        text = json.dumps(document, ensure_ascii=ascii_only, indent=2, allow_nan=False)
        self.out.file.write(_UNUSUAL.sub(lambda found: _json_escape(found.group()), text) + "\n")

    @contextmanager
    def busy(self, doing: str) -> Iterator[None]:
        """Say what takes so long, if it takes longer than a second: "reading data.csv"."""
        with _Delayed(self, SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as bar:
            bar.add(doing)
            yield

    @contextmanager
    def steps(self, doing: str, total: int) -> Iterator[Callable[[], None]]:
        """A bar for so many steps, if they take longer than a second; what it gives is called after each."""
        done = 0

        def step() -> None:
            nonlocal done
            done += 1
            bar.update(completed=done, said=f"{done:,} of {total:,}")

        with _bar(self) as bar:
            bar.add(doing, total)
            bar.update(said=f"0 of {total:,}")
            yield step

    @contextmanager
    def share(self, doing: str) -> Iterator[Callable[[float | None, str], None]]:
        """A bar for what is done, if it takes longer than a second; what it gives is told the share and some words."""

        def tell(share: float | None, said: str) -> None:
            bar.update(completed=share or 0.0, total=None if share is None else 1.0, said=said)

        with _bar(self) as bar:
            bar.add(doing)
            bar.update(said="")
            yield tell


class _Delayed:
    """A moving line that appears only for a person, and only after a second."""

    def __init__(self, screen: Screen, *columns: Any) -> None:
        self._progress = Progress(*columns, console=screen.err, transient=True)
        self._on = screen.err.is_terminal and not screen.quiet
        self._lock = Lock()
        self._shown = self._over = False

    def add(self, text: str, total: float | None = None) -> None:
        self._task = self._progress.add_task(Text(visible(text).replace("\n", r"\n")).markup, total=total)
        if self._on:
            self._timer.start()

    def __enter__(self) -> Self:
        self._timer = Timer(_PATIENCE, self._appear)
        self._timer.daemon = True
        return self

    def _appear(self) -> None:
        with self._lock:
            if not self._over:  # the end may come while the timer goes off
                self._progress.start()
                self._shown = True

    def update(self, **fields: Any) -> None:
        self._progress.update(self._task, **fields)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._shown:
                self._progress.stop()


def _bar(screen: Screen) -> _Delayed:
    """What is being done, a bar, what is said beside it, and for how long."""
    said = TextColumn("{task.fields[said]}")
    return _Delayed(screen, TextColumn("{task.description}"), BarColumn(30), said, TimeElapsedColumn())


class RuleMeter(Meter):
    """The learning as a bar: rules learned, records left."""

    def __init__(self, screen: Screen) -> None:
        self._bar = _bar(screen)
        self._total = 0

    def show(self, left: int, rules: int) -> None:
        """Tell how many records are left and how many rules there are."""
        self._total = self._total or left
        said = f"{rules:,} rules, {left:,} of {self._total:,} records left"
        self._bar.update(total=self._total, completed=self._total - left, said=said)

    def __enter__(self) -> Self:
        self._bar.__enter__()
        self._bar.add("learning")
        self._bar.update(said="")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.__exit__(kind, error, trace)


def _console(stream: Any) -> Console:
    terminal = Console(file=stream, highlight=False, markup=False, emoji=False)
    if terminal.is_terminal:
        return terminal
    return Console(file=stream, highlight=False, markup=False, emoji=False, width=_WIDE, no_color=True)


def _print(console: Console, what: RenderableType) -> None:
    if console.is_terminal:
        # A command to be copied is one line, however narrow the terminal is.
        console.print(_Visible(what), soft_wrap=isinstance(what, Text) and what.no_wrap is True)
        return
    lines = io.StringIO()  # rich fills lines up with spaces, which a pipe has no use for
    Console(file=lines, width=_WIDE, highlight=False, markup=False, emoji=False, no_color=True).print(_Visible(what))
    console.file.write("\n".join(line.rstrip() for line in lines.getvalue().split("\n")))
