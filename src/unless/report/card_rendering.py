"""A model card as Markdown and as one HTML file. Names and values of data are shown, never obeyed, in both."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal as OneOf

from unless.errors import ParameterError
from unless.explanation.proof_rendering import render_template
from unless.explanation.words import printable
from unless.report.card_facts import ModelCard, group_row
from unless.values import amount_text, count_text, percent

__all__ = ["Format", "file_text", "format_of", "html", "markdown"]

_MARKS = re.compile(r"([\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_]))")
"""What Markdown, or a table of it, may read as a mark anywhere; an underscore only at the edge of a word."""

_STARTS = re.compile(r"^(\s*)([#>+=-]|\d+(?=[.)]))")
"""What it may read as a mark at the beginning of a line."""

_SPELLED = {"&": "&amp;", "<": "&lt;", "://": "&#58;//", "www.": "www&#46;", "@": "&#64;"}
"""What it may read as HTML or as a link."""


Format = OneOf["markdown", "html", "json"]
_ENDINGS: dict[str, Format] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
}


def format_of(path: str | os.PathLike[str]) -> Format:
    """The format that the ending of a path stands for."""
    ending = Path(path).suffix.lower()
    if ending not in _ENDINGS:
        raise ParameterError(f"a model card is written to a .md, .html or .json file, not to {os.fspath(path)!r}")
    return _ENDINGS[ending]


def file_text(card: ModelCard, form: Format) -> str:
    """The card as the text of a file."""
    if form == "json":
        return json.dumps(card.to_dict(), ensure_ascii=True, allow_nan=False, indent=2) + "\n"
    text = html(card) if form == "html" else markdown(card)
    return text.encode("utf-8", "backslashreplace").decode()  # half of a surrogate pair is no character


def markdown(card: ModelCard) -> str:
    """The card as Markdown, with tables as GitHub reads them."""
    return "\n".join(line for section in _sections(card) for line in section).rstrip() + "\n"


def html(card: ModelCard) -> str:
    """The card as one HTML file that needs nothing else and runs no scripts."""
    return render_template("modelcard.html.j2", package="unless.report", card=card, **_lists(card), **_WORDS)


def _lists(card: ModelCard) -> dict[str, object]:
    groups = list(map(group_row, card.groups))
    return {"facts": list(_facts(card)), "groups": groups, "rules": _rules(card), "columns": _columns(card)}


def _rules(card: ModelCard) -> tuple[Sequence[str], list[Sequence[str]]]:
    return _known(RULE_HEADS, [rule.row for rule in card.rules])


def _columns(card: ModelCard) -> tuple[Sequence[str], list[Sequence[str]]]:
    return _known(COLUMN_HEADS, [one.row for one in card.columns])


def _known(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[Sequence[str], list[Sequence[str]]]:
    """A table without the columns that nothing is known of."""
    kept = [place for place in range(len(heads)) if not rows or any(row[place] != "–" for row in rows)]
    return [heads[place] for place in kept], [[row[place] for place in kept] for row in rows]


def _sections(card: ModelCard) -> Iterator[Sequence[str]]:
    yield [f"# {_md(card.title)}", ""]
    yield from ([_paragraphs(text), ""] for text in (card.purpose,) if text)
    yield [*_table(("", ""), list(_facts(card))), ""]
    yield ["## Must not be used for", "", _paragraphs(card.not_for or NOTHING_SAID), ""]
    yield ["## How good it is", "", _line(UNKNOWN if card.tests is None else str(card.tests)), ""]
    if card.tests is not None:
        yield [*_table(LABEL_HEADS, card.tests.rows), ""]
    if card.groups:
        yield ["## Subgroups", "", _md(DIFFERENCES), ""]
        yield [*_table(GROUP_HEADS, list(map(group_row, card.groups))), ""]
    yield ["## Limits", "", *(f"- {_line(line)}" for line in card.limits), ""]
    yield ["## Rules", "", *_table(*_rules(card)), ""]
    shares = ", ".join(f"{label} {percent(share)}" for label, share in card.classes)
    yield ["## Data", "", _md(f"Labels in training: {shares}."), ""]
    yield [*_table(*_columns(card)), ""]
    yield ["## Settings", "", *_table(("parameter", "value"), card.settings), ""]


def _facts(card: ModelCard) -> Iterator[tuple[str, str]]:
    """What the model is, in a table of two columns."""
    yield "decides", card.target
    yield "model", card.decides
    yield "fingerprint of the rules", card.fingerprint
    if card.data is not None or card.records is not None:
        size = "" if card.records is None else count_text(card.records, "record")
        yield "data", ", ".join(part for part in (card.data, size) if part)
    if card.data_fingerprint is not None:
        yield "fingerprint of the data", card.data_fingerprint
    yield (
        "learned from",
        f"{'a weight of ' if card.weighted else ''}{amount_text(card.trained)}{'' if card.weighted else ' records'}",
    )
    yield "learner", f"{card.learner or 'unknown'}, unless {card.version}"
    yield "card written", card.date


NOTHING_SAID = "Nobody has said so yet. Say it: unless card … --not-for TEXT"
UNKNOWN = "Not known: no records were held back, and no labelled records were given."
DIFFERENCES = "A star marks a difference to all other records that chance does not explain."
LABEL_HEADS = ("label", "precision (95 %)", "recall (95 %)")
GROUP_HEADS = ("column", "group", "records", "accuracy (95 %)", "decided")
RULE_HEADS = (
    "",
    "label",
    "rule",
    "decided in training",
    "right on records held back",
    "expected precision (95 %)",
    "returns",
)
COLUMN_HEADS = ("feature", "kind", "missing", "values in training", "used")


_WORDS = {
    "nothing_said": NOTHING_SAID,
    "unknown": UNKNOWN,
    "differences": DIFFERENCES,
    "label_heads": LABEL_HEADS,
    "group_heads": GROUP_HEADS,
}


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *([_md(cell) for cell in row] for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


def _paragraphs(text: str) -> str:
    """What people have to say, in its own paragraphs."""
    return "\n\n".join(_line(" ".join(part.split())) for part in re.split(r"\n\s*\n", text.strip()))


def _md(text: str) -> str:
    """A text that Markdown shows as it is."""
    shown = printable(text) if text else ""
    for sign, spelled in _SPELLED.items():
        shown = shown.replace(sign, spelled)
    return _MARKS.sub(r"\\\1", shown)


def _line(text: str) -> str:
    """A text that Markdown shows as it is, at the beginning of a line too."""
    return _STARTS.sub(_escaped_start, _md(text))


def _escaped_start(found: re.Match[str]) -> str:
    space, mark = found.groups()
    return f"{space}{mark}\\" if mark.isdigit() else f"{space}\\{mark}"
