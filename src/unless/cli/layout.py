"""Lines of a report: what each is about, then what is to be said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from unless.judge.unseen import Unseen

__all__ = ["MARGIN", "command_line", "duration", "report_line", "unseen_lines"]

MARGIN = 12


def report_line(about: str, text: str, margin: int = MARGIN) -> RenderableType:
    """A line whose text, if it is too long, goes on below its own beginning."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(min_width=margin, max_width=max(margin, 30), style="bold", overflow="fold")
    grid.add_column(overflow="fold")
    grid.add_row(about, Text(text))
    return grid


def command_line(about: str, command: str, margin: int = 0) -> RenderableType:
    """A line with a command to be copied: it is never broken by us."""
    return Text.assemble((f"{about:{margin}}  ", "bold"), command, no_wrap=True, overflow="ignore")


def unseen_lines(found: Sequence[Unseen]) -> list[RenderableType]:
    """What training did not have: what should not be overlooked first, then what may be chance."""
    from unless.judge.unseen import summary, unusual

    lines: list[RenderableType] = [Text.assemble(("! ", "bold yellow"), line) for line in summary(unusual(found))]
    return lines + [Text(line) for line in summary([one for one in found if one.by_chance])]


def duration(seconds: float) -> str:
    """A time as people say it: "3 ms", "1.4 s", "2 min 5 s"."""
    if seconds < 0.9995:
        return f"{max(1000 * seconds, 1):.0f} ms"
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
