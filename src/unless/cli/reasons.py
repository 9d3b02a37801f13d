"""A decision and its reasons for a terminal: a line that is too long goes on below its own beginning."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from unless.explanation.changes.counterfactuals import Counterfactuals
from unless.explanation.proof import Proof
from unless.explanation.sentences import lines
from unless.explanation.words import DEFAULT, Words
from unless.model import Statistics

__all__ = ["hanging", "reasons", "what_changes"]

_STYLES = {"decision": "bold", "exception": "dim", "other": "dim"}


def reasons(
    proof: Proof,
    number: int | None = None,
    statistics: Statistics | None = None,
    words: Words = DEFAULT,
    *,
    most: int | None = None,
) -> RenderableType:
    """The decision, why, and why no earlier rule decided: of more than ``most`` such rules only the first."""
    told = list(lines(proof, number, statistics, words))
    others = [line for line in told if line.role == "other"]
    cut = 0 if most is None or len(others) <= most else len(others) - most
    shown = [hanging(line.lead, Text(line.text, _STYLES.get(line.role, ""))) for line in told[: len(told) - cut]]
    more = [Text(f"  … nor did {cut:,} more before it", "dim")] if cut else []
    return Group(*shown, *more)


def what_changes(changes: Counterfactuals, words: Words = DEFAULT) -> RenderableType:
    """The changes that give another label, with what they give; that there are none, where there are none."""
    title = changes.lines(words)[0]
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for one in changes:
        table.add_row("", one.text(words), Text.assemble(("→ ", "dim"), (one.outcome, "green")))
    return Group(Text(title, "bold"), table)


def hanging(lead: str, text: Text) -> RenderableType:
    """A text after what stands before it."""
    if not lead:
        return text
    table = Table.grid()
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    table.add_row(lead, text)
    return table
