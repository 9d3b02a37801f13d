"""Print for commands: results to standard output, everything else to standard error.

A terminal gets colour, tables that fit the window, and a progress bar for steps longer than a second. A pipe gets the
same text, plain and never cut. Data is printed as `rich.text.Text` or by `printable`, so that ``[bold]`` in it is just
text. Escape sequences are made visible (`_EscapedOutput`).
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from threading import Timer
from typing import TYPE_CHECKING, Any, Self, TypeVar

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

if TYPE_CHECKING:
    from rich.progress import Progress

Item = TypeVar("Item")

_WIDE = 100_000  # the width of a pipe: nothing is wrapped
_UNUSUAL = re.compile(r"[^\n -~]")
_PATIENCE = 1.0  # seconds before anything moves on the screen


def print_error(message: str) -> None:
    """Print an error or a warning."""
    where = _make_console(sys.stderr)
    _print_to(where, Text.assemble(("unless: ", "bold red"), escape_invisible(message)))


def escape_invisible(text: str) -> str:
    """Escape invisible characters and those that move the cursor of a terminal; line breaks stay."""
    if text.isprintable():
        return text
    shown = (one if one.isprintable() or one in "\n\t" else one.encode("unicode_escape").decode() for one in text)
    return "".join(shown)


def _json_escape(letter: str) -> str:
    """Return a character of JSON text, escaped if it must not be sent to a terminal."""
    return letter if letter.isprintable() else json.dumps(letter)[1:-1]


class _EscapedOutput:
    """A rich renderable whose text is escaped by `escape_invisible`; rich's own styles are preserved."""

    def __init__(self, what: RenderableType) -> None:
        self._what = what

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._what, options):
            yield segment if segment.control else Segment(escape_invisible(segment.text), segment.style)


class Screen:
    """The output of a command: with ``quiet`` only results and errors, with ``aside`` everything to standard error."""

    def __init__(self, *, quiet: bool = False, aside: bool = False) -> None:
        self.quiet = quiet
        self.err = _make_console(sys.stderr)
        self.out = self.err if aside else _make_console(sys.stdout)

    def show(self, *results: RenderableType) -> None:
        """Print results; text is printed unchanged."""
        for result in results:
            _print_to(self.out, result)

    def note(self, *remarks: RenderableType) -> None:
        """Print notes that are not part of the result."""
        for remark in () if self.quiet else remarks:
            _print_to(self.err, escape_invisible(remark) if isinstance(remark, str) else remark)

    def data(self, document: Any) -> None:
        """Print the result as JSON; a stream that cannot encode every character gets JSON's own escapes."""
        ascii_only = self.out.encoding != "utf-8"  # rich's name for it
        text = json.dumps(document, ensure_ascii=ascii_only, indent=2, allow_nan=False)
        self.out.file.write(_UNUSUAL.sub(lambda found: _json_escape(found.group()), text) + "\n")

    @contextmanager
    def busy(self, doing: str, total: float | None = None, said: str = "") -> Iterator[Callable[..., None]]:
        """Show a progress bar with a text ("reading data.csv") and the time, but only in a terminal.

        The bar appears after a second. The caller gets a function that updates the bar and its text.
        """
        if self.quiet or not self.err.is_terminal:
            yield lambda **_: None
            return
        progress = _make_progress_bar(self.err)
        task = progress.add_task(Text(escape_invisible(doing).replace("\n", r"\n")).markup, total=total, said=said)
        timer = Timer(_PATIENCE, progress.start)
        timer.daemon = True
        timer.start()
        try:
            yield partial(progress.update, task)
        finally:
            timer.cancel()
            timer.join()  # the end may come while the bar appears
            if progress.live.is_started:
                progress.stop()

    def collect(self, doing: str, items: Iterable[Item], total: int) -> tuple[list[Item], bool]:
        """Collect items with a progress count, and return whether all arrived: Ctrl-C ends the collection early."""
        done: list[Item] = []
        try:
            with self.busy(doing, total, f"0 of {total:,}") as update:
                for item in items:
                    done.append(item)
                    update(completed=len(done), said=f"{len(done):,} of {total:,}")
        except KeyboardInterrupt:
            return done, False
        return done, True


def _make_progress_bar(console: Console) -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # a pipe has no bars

    said = TextColumn("{task.fields[said]}")
    columns = (TextColumn("{task.description}"), BarColumn(30), said, TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)


class RuleMeter(ExitStack):
    """A `Meter` that shows learning as a progress bar: rules learned, records left."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen
        self._what, self._total = "", 0

    def __enter__(self) -> Self:
        self._update = self.enter_context(self._screen.busy("learning"))
        return self

    def show(self, left: int, done: int, what: str = "records") -> None:
        """Show how many records are left and how many rules are done; in other stages, how many lists or settings."""
        from unless.estimators.progress import progress_text  # imported here, since learning has begun

        if what != self._what:
            self._what, self._total = what, left
        self._update(total=self._total, completed=self._total - left, said=progress_text(left, done, self._total, what))


def _make_console(stream: Any) -> Console:
    terminal = Console(file=stream, highlight=False, markup=False, emoji=False)
    if terminal.is_terminal:
        return terminal
    return Console(file=stream, highlight=False, markup=False, emoji=False, width=_WIDE, no_color=True)


def _print_to(console: Console, what: RenderableType) -> None:
    if console.is_terminal:
        # A command to copy stays on one line, however narrow the terminal is.
        console.print(_EscapedOutput(what), soft_wrap=isinstance(what, Text) and what.no_wrap is True)
        return
    lines = io.StringIO()  # remove the spaces with which rich pads lines
    Console(file=lines, width=_WIDE, highlight=False, markup=False, emoji=False, no_color=True).print(
        _EscapedOutput(what)
    )
    console.file.write("\n".join(line.rstrip() for line in lines.getvalue().split("\n")))
