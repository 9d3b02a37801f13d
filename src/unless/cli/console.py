"""What a command prints: results to standard output, everything else to standard error.

A terminal gets colour, tables that fit the window, and a bar for what takes longer than a second. A pipe gets the same
text, plain and never cut. Data is `rich.text.Text` or `printable`: ``[bold]`` in it is just text. So are its escape
sequences, whatever a command prints (`_Visible`).
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
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

from unless.estimators.progress import Meter

if TYPE_CHECKING:
    from rich.progress import Progress

_WIDE = 100_000  # the width of a pipe: nothing is wrapped
_UNUSUAL = re.compile(r"[^\n -~]")
_PATIENCE = 1.0  # seconds before anything moves on the screen


def complain(message: str) -> None:
    """Print an error or a warning."""
    where = _console(sys.stderr)
    _print(where, Text.assemble(("unless: ", "bold red"), visible(message)))


def visible(text: str) -> str:
    """Return a text with escapes for what cannot be seen, or would move the cursor of a terminal; lines stay lines."""
    if text.isprintable():
        return text
    shown = (one if one.isprintable() or one in "\n\t" else one.encode("unicode_escape").decode() for one in text)
    return "".join(shown)


def _json_escape(letter: str) -> str:
    """Return a letter of a JSON text, as JSON escapes it if it must not be sent to a terminal."""
    return letter if letter.isprintable() else json.dumps(letter)[1:-1]


class _Visible:
    """What rich would print, with the letters of data escaped by `visible`; rich's own styles stay."""

    def __init__(self, what: RenderableType) -> None:
        self._what = what

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._what, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


class Screen:
    """Where a command prints: with ``quiet`` only results and errors, with ``aside`` everything to standard error."""

    def __init__(self, *, quiet: bool = False, aside: bool = False) -> None:
        self.quiet = quiet
        self.err = _console(sys.stderr)
        self.out = self.err if aside else _console(sys.stdout)

    def show(self, *results: RenderableType) -> None:
        """Print results; text is shown as it is."""
        for result in results:
            _print(self.out, result)

    def note(self, remark: RenderableType) -> None:
        """Print what is good to know, but not part of the result."""
        if not self.quiet:
            _print(self.err, visible(remark) if isinstance(remark, str) else remark)

    def data(self, document: Any) -> None:
        """Print the result as JSON; a stream that cannot take every letter gets JSON's own escapes."""
        ascii_only = self.out.encoding != "utf-8"  # rich's name for it
        text = json.dumps(document, ensure_ascii=ascii_only, indent=2, allow_nan=False)
        self.out.file.write(_UNUSUAL.sub(lambda found: _json_escape(found.group()), text) + "\n")

    @contextmanager
    def busy(self, doing: str) -> Iterator[None]:
        """Say what the command is doing, if it takes longer than a second: "reading data.csv"."""
        with _Bar(self, doing):
            yield

    @contextmanager
    def steps(self, doing: str, total: int) -> Iterator[Callable[[], None]]:
        """Show a bar for a number of steps, if they take longer than a second; the caller calls it after each step."""
        done = 0

        def step() -> None:
            nonlocal done
            done += 1
            bar.update(completed=done, said=f"{done:,} of {total:,}")

        with _Bar(self, doing, total, f"0 of {total:,}") as bar:
            yield step

    @contextmanager
    def share(self, doing: str) -> Iterator[Callable[[float | None, str], None]]:
        """Show a bar for the share that is done, if it takes longer than a second; the caller says how far it is."""

        def tell(share: float | None, said: str) -> None:
            bar.update(completed=share or 0.0, total=None if share is None else 1.0, said=said)

        with _Bar(self, doing) as bar:
            yield tell


class _Bar:
    """What is being done, a bar, words beside it, and for how long: only in a terminal, and only after a second."""

    def __init__(self, screen: Screen, doing: str, total: float | None = None, said: str = "") -> None:
        self._lock = Lock()
        self._shown = self._over = False
        self._timer = Timer(_PATIENCE, self._appear)
        self._timer.daemon = True
        self._progress = _progress(screen.err) if screen.err.is_terminal and not screen.quiet else None
        if self._progress is not None:
            text = Text(visible(doing).replace("\n", r"\n")).markup
            self._task = self._progress.add_task(text, total=total, said=said)

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._timer.start()
        return self

    def _appear(self) -> None:
        with self._lock:
            if self._progress is not None and not self._over:  # the end may come while the timer fires
                self._progress.start()
                self._shown = True

    def update(self, **fields: Any) -> None:
        if self._progress is not None:
            self._progress.update(self._task, **fields)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._progress is not None and self._shown:
                self._progress.stop()


def _progress(console: Console) -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # a pipe has no bars

    said = TextColumn("{task.fields[said]}")
    columns = (TextColumn("{task.description}"), BarColumn(30), said, TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)


class RuleMeter(Meter):
    """A bar for learning: rules learned, records left."""

    def __init__(self, screen: Screen) -> None:
        self._bar = _Bar(screen, "learning")
        self._total = 0

    def show(self, left: int, rules: int) -> None:
        """Show how many records are left and how many rules there are."""
        self._total = self._total or left
        said = f"{rules:,} rules, {left:,} of {self._total:,} records left"
        self._bar.update(total=self._total, completed=self._total - left, said=said)

    def __enter__(self) -> Self:
        self._bar.__enter__()
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
        # A command to copy is one line, however narrow the terminal is.
        console.print(_Visible(what), soft_wrap=isinstance(what, Text) and what.no_wrap is True)
        return
    lines = io.StringIO()  # rich pads lines with spaces, which a pipe does not need
    Console(file=lines, width=_WIDE, highlight=False, markup=False, emoji=False, no_color=True).print(_Visible(what))
    console.file.write("\n".join(line.rstrip() for line in lines.getvalue().split("\n")))
