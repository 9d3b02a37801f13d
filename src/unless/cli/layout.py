"""Lay out lines for a terminal: long texts continue with a hanging indent."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from unless.explanation.rule_listing import MAX_INDENTED_LEVELS

if TYPE_CHECKING:
    from unless.evaluation.unseen_values import Unseen

MARGIN = 12


def grid(*columns: Mapping[str, object]) -> Table:
    """Return a table without borders, its columns two spaces apart."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(**{"overflow": "fold", **column})  # type: ignore[arg-type]  # what rich's add_column takes
    return table


def titled_grid(titles: Sequence[str], right: Collection[int]) -> Table:
    """Return a grid with a row of titles; the ``right`` columns are aligned to the right."""
    table = grid(*({"justify": "right"} if place in right else {} for place in range(len(titles))))
    table.add_row(*(Text(title, "cyan") for title in titles))
    return table


def hanging_indent(lead: str | Text, text: Text) -> RenderableType:
    """Return a text after its lead; long lines continue below the text, not below the lead."""
    if not lead:
        return text
    table = Table.grid()
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(Text(lead, "dim") if isinstance(lead, str) else lead, text)
    return table


class Conditions:
    """Conditions after ``if`` or ``unless``; long lines break before an "and", not within a condition.

    ::

        if amount ≤ 28,000 and income > 45,400
           and history is good
    """

    def __init__(self, word: Text, conditions: Sequence[Text], depth: int = 0, mark: str = "") -> None:
        self._lead = Text.assemble(mark, "  " * min(depth, MAX_INDENTED_LEVELS), word, " " if conditions else "")
        self._conditions = conditions
        self._longest = max((cell_len(word) for one in conditions for word in one.plain.split()), default=0)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width - self._lead.cell_len
        if room >= min(self._longest, options.max_width - 2):
            yield hanging_indent(self._lead, self._lines(room))
        else:  # a long number would otherwise be broken beside its lead
            yield self._lead
            yield hanging_indent("  ", self._lines(options.max_width - 2))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        text = self._lines(options.max_width)
        return Measurement.get(console, options, hanging_indent(self._lead, text))

    def _lines(self, room: int) -> Text:
        lines: list[Text] = []
        for condition in self._conditions:
            if lines and lines[-1].cell_len + len(" and ") + condition.cell_len <= room:
                lines[-1] = Text.assemble(lines[-1], " and ", condition)
            else:
                lines.append(Text.assemble("and " if lines else "", condition))
        return Text("\n").join(lines)


def labelled_line(about: str, text: str, margin: int = MARGIN) -> RenderableType:
    """Return a line with a label in bold and a text."""
    table = grid({"min_width": margin, "max_width": max(margin, 30), "style": "bold"}, {})
    table.add_row(about, Text(text))
    return table


def command_line(about: str, command: str, margin: int = 0) -> RenderableType:
    """Return a line with a command to copy; the command is never broken."""
    return Text.assemble((f"{about:{margin}}  ", "bold"), command, no_wrap=True, overflow="ignore")


def render_unseen_values(found: Sequence[Unseen]) -> list[RenderableType]:
    """Render lines about unseen values: first values beyond chance, then other values."""
    from unless.evaluation.unseen_values import beyond_chance, unseen_summary

    lines: list[RenderableType] = [
        Text.assemble(("! ", "bold yellow"), line) for line in unseen_summary(beyond_chance(found))
    ]
    return lines + [Text(line) for line in unseen_summary([one for one in found if one.by_chance])]


def duration_text(seconds: float) -> str:
    """Write a duration in readable units: "3 ms", "1.4 s", "2 min 5 s"."""
    if seconds < 0.9995:
        return f"{max(1000 * seconds, 1):.0f} ms"
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def shell_word(text: str) -> str:
    r"""Quote a text as one visible shell word, as ``$'\x1b'`` (bash, zsh and ksh) if it needs escapes."""
    if text.isprintable():
        return shlex.quote(text)
    return f"$'{''.join(map(_shell_escape, text))}'"


def _shell_escape(one: str) -> str:
    if one in "\\'":
        return f"\\{one}"
    if one.isprintable():
        return one
    code = ord(one)
    if code < 0x80 or 0xDC80 <= code <= 0xDCFF:  # Python represents a byte that is not UTF-8 by such a surrogate
        return f"\\x{code & 0xFF:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
