"""What looks suspicious in a table, in sentences for a terminal, each with what to do about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from unless.cli.layout import shell_word
from unless.explanation.words import printable
from unless.inspection import Profile, Remark

_LONG = 40
_NAMES = 8

ADVICE: Mapping[str, str] = {
    "identifier": "Left out by fit; to keep: --include {name}",
    "unique": "Left out by fit; to keep: --include {name}",
    "nearly-unique": "Left out by fit; to keep: --include {name}",
    "empty": "Nothing can be learned from it.",
    "constant": "Nothing can be learned from it.",
    "nearly-constant": "It can matter only for a few records.",
    "mostly-missing": "Rules can ask whether a cell is missing.",
    "leading-zeros": "If they are codes, not amounts: --categorical {name}",
    "number-as-text": "Each becomes a category of its own; write plain numbers, such as 1234.5.",
    "date-as-text": "Each becomes a category of its own; make columns for year, month or weekday.",
    "spellings": "They are different categories; correct them in the data.",
    "missing-word": "If they do: --missing={example}{tokens}",
    "missing-number": "If it does: --missing={example}{tokens}",
    "copy": "One of them is enough: --exclude {name}",
    "gives-away": "Is it known before the label is? If not: --exclude {name}",
    "no-labels": "fit leaves these records out with --drop-unlabelled.",
    "one-label": "There is nothing to learn.",
    "continuous": "Rules decide between labels; divide it into a few ranges first.",
    "unique-labels": "Is it the right column?",
    "rare-labels": "They are too few to learn from or to test on.",
    "separator": "Each line is one cell.",
    "no-header": "If so, add a first line with the names of the columns.",
    "few-records": "Rules learned from so few records are guesses.",
    "duplicates": "In a test, records that were also in training flatter the result.",
    "contradictions": "Is a feature missing that tells them apart?",
}
"""What to do about each kind of remark. It is here, not in the library, because it names options of the command."""

_TOGETHER: Mapping[str, str] = {
    "identifier": "are identifiers",
    "unique": "are unique",
    "nearly-unique": "are nearly unique",
    "empty": "are empty",
    "constant": "are constant",
    "nearly-constant": "are nearly constant",
    "mostly-missing": "are missing in more than half of the records",
    "leading-zeros": "have numbers with leading zeros",
    "number-as-text": "have numbers with separators or units",
    "date-as-text": "have dates",
}
"""What is said about several columns at once."""

_LEFT_OUT = ("identifier", "unique", "nearly-unique")
_SORTED = "Are the records sorted by their label?"


def remark_table(found: Profile) -> RenderableType | None:
    """Return what looks suspicious and what to do about it, the first few of each kind; None if nothing does."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, style="bold yellow")
    grid.add_column(overflow="fold")
    # --missing replaces the default texts: those in use have to be given again.
    used = dict.fromkeys(cell for column in found.columns for cell, _ in column.tokens)
    tokens_again = "".join(f" --missing {shell_word(cell)}" for cell in used)
    left_out = {remark.column for remark in found.all_remarks if remark.code in _LEFT_OUT}
    groups: dict[str, list[Remark]] = defaultdict(list)
    for remark in found.all_remarks:
        groups[remark.code].append(remark)
    for code, remarks in groups.items():
        several = code in _TOGETHER and len(remarks) > 2 and not any("," in name for name in _columns_of(remarks))
        together = replace(remarks[0], column=",".join(_columns_of(remarks)), finding=_TOGETHER.get(code, ""))
        for remark in [together] if several else remarks[:_NAMES]:
            name = named(_columns_of(remarks)) if several else short(remark.column or "")
            sorted_by_label = code == "gives-away" and remark.column in left_out
            advice = _SORTED if sorted_by_label else ADVICE[code].format(**_places(remark), tokens=tokens_again)
            said = (f"{name} ", "bold") if remark.column is not None else ""
            grid.add_row("!", Text.assemble(said, f"{remark.finding}. ", (advice, "dim")))
        if not several and (rest := _columns_of(remarks[_NAMES:])):
            grid.add_row("!", Text(f"{len(rest):,} more like this: {named(rest)}"))
    return grid if grid.row_count else None


def _columns_of(remarks: Sequence[Remark]) -> list[str]:
    return [str(remark.column) for remark in remarks]


def _places(remark: Remark) -> dict[str, str]:
    """Return what fills the places of an advice, quoted for a shell."""
    return {"name": shell_word(remark.column or ""), "example": shell_word(remark.example or "")}


def short(text: str) -> str:
    """Return a name or a cell that can be shown anywhere: printable, and not a page long."""
    return printable(text if len(text) <= _LONG else f"{text[: _LONG - 1]}…")


def named(names: Sequence[str]) -> str:
    """Return a list of names, or the first few and how many more there are."""
    shown = [short(name) for name in names[:_NAMES]]
    return ", ".join(shown) + (f" and {len(names) - _NAMES:,} more" if len(names) > _NAMES else "")
