"""Render a model card as Markdown and as one HTML file; names and values from data are escaped in both."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from typing import Literal as OneOf

from unless.errors import ParameterError
from unless.explanation.proof_rendering import render_template
from unless.explanation.words import printable
from unless.report.card_facts import ModelCard, group_row
from unless.values import amount_text, count_text, percent

_MARKS = re.compile(r"([\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_]))")
"""Characters with a meaning in Markdown or its tables; underscores only at the edge of a word."""

_STARTS = re.compile(r"^(\s*)([#>+=-]|\d+(?=[.)]))")
"""Characters with a meaning at the start of a line."""

_SPELLED = {"&": "&amp;", "<": "&lt;", "://": "&#58;//", "www.": "www&#46;", "@": "&#64;"}
"""Characters that would be read as HTML or as a link."""


Format = OneOf["markdown", "html", "json"]
_ENDINGS: dict[str, Format] = {".md": "markdown", ".html": "html", ".json": "json"}
_ENDINGS |= {".markdown": "markdown", ".htm": "html"}


def format_of(path: str | os.PathLike[str]) -> Format:
    """Return the format of a card according to the extension of its path."""
    ending = Path(path).suffix.lower()
    if ending not in _ENDINGS:
        raise ParameterError(f"a model card must be written to a .md, .html or .json file, not to {os.fspath(path)!r}")
    return _ENDINGS[ending]


def file_text(card: ModelCard, form: Format) -> str:
    """Return the card as the text of a file."""
    if form == "json":
        return json.dumps(card.to_dict(), ensure_ascii=True, allow_nan=False, indent=2) + "\n"
    text = html(card) if form == "html" else markdown(card)
    return text.encode("utf-8", "backslashreplace").decode()  # a lone surrogate is not a character


def markdown(card: ModelCard) -> str:
    """Render the card as Markdown, with GitHub's tables."""
    parts = [
        f"# {_escape_markdown(card.title)}",
        _markdown_paragraphs(card.purpose or ""),
        _markdown_table(("", ""), list(_fact_rows(card))),
    ]
    for section in _card_sections(card):
        text = f"{section.text} {', '.join(section.pieces)}." if section.pieces else section.text
        points = "\n".join(f"- {_escape_markdown_line(point)}" for point in section.points)
        table = _markdown_table(section.heads, section.rows) if section.heads else ""
        parts += [f"## {section.title}", _markdown_paragraphs(text), points, table]
    return "\n\n".join(filter(None, parts)) + "\n"


def html(card: ModelCard) -> str:
    """Render the card as one self-contained HTML file without scripts."""
    template, facts = "modelcard.html.j2", list(_fact_rows(card))
    return render_template(
        template, package="unless.report", card=card, facts=facts, sections=list(_card_sections(card))
    )


class Section(NamedTuple):
    """A section of the card: a paragraph, perhaps ending with a list of pieces, then bullet points or a table.

    ``emphasis`` is the HTML class of the paragraph, ``widest`` the table column that gets the most space.
    """

    title: str
    text: str = ""
    pieces: Sequence[str] = ()
    points: Sequence[str] = ()
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    emphasis: str = ""
    widest: int = -1


def _card_sections(card: ModelCard) -> Iterator[Section]:
    yield Section("Must not be used for", card.not_for or NOTHING_SAID, emphasis="said warn")
    tests = UNKNOWN if card.tests is None else str(card.tests)
    by_label: dict[str, Any] = {} if card.tests is None else {"heads": LABEL_HEADS, "rows": card.tests.rows}
    yield Section("How good it is", tests, emphasis="lead", **by_label)
    if card.groups:
        yield Section("Subgroups", DIFFERENCES, heads=GROUP_HEADS, rows=[*map(group_row, card.groups)], widest=4)
    yield Section("Limits", points=card.limits)
    if card.effects is not None:
        text = f"{EFFECTS} {count_text(card.effects.records, 'record')}."
        yield Section("What each feature does", text, heads=EFFECT_HEADS, rows=card.effects.rows)
        if card.effects.findings:
            yield Section("Against common sense", points=card.effects.findings)
    yield Section("Rules", **_without_unknown(RULE_HEADS, [rule.row for rule in card.rules]), widest=2)
    shares = [f"{label} {percent(share)}" for label, share in card.classes]
    columns = _without_unknown(COLUMN_HEADS, [one.row for one in card.columns])
    yield Section("Data", "Labels in training:", shares, **columns, widest=3)
    yield Section("Settings", heads=("parameter", "value"), rows=card.settings)


def _without_unknown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Remove the columns of a table in which all cells are unknown."""
    known = [place for place in range(len(heads)) if not rows or any(row[place] != "–" for row in rows)]
    return {"heads": [heads[place] for place in known], "rows": [[row[place] for place in known] for row in rows]}


def _fact_rows(card: ModelCard) -> Iterator[tuple[str, str]]:
    """Yield the names and values of basic facts about the model."""
    yield "decides", card.target
    yield "model", card.decides
    yield "fingerprint of the rules", card.fingerprint
    if card.data is not None or card.records is not None:
        size = "" if card.records is None else count_text(card.records, "record")
        yield "data", ", ".join(part for part in (card.data, size) if part)
    if card.data_fingerprint is not None:
        yield "fingerprint of the data", card.data_fingerprint
    trained = amount_text(card.trained)
    yield "learned from", f"a weight of {trained}" if card.weighted else f"{trained} records"
    yield "learner", f"{card.learner or 'unknown'}, unless {card.version}"
    yield "card written", card.date


NOTHING_SAID = "Not specified. To specify it: unless card … --not-for TEXT"
UNKNOWN = "Not known: the model has no test on records held back, and no labelled records were given."
DIFFERENCES = "A star marks a difference to all other records that chance does not explain."
LABEL_HEADS = ("label", "precision (95 %)", "recall (95 %)")
GROUP_HEADS = ("column", "group", "records", "accuracy (95 %)", "decided")
EFFECTS = "The mean absolute contribution to the log-odds; for pairs, the effect that they have only together; over"
EFFECT_HEADS = ("feature", "importance")
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


def _markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *([_escape_markdown(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_paragraphs(text: str) -> str:
    """Escape a text for Markdown, preserving its paragraphs."""
    return "\n\n".join(_escape_markdown_line(" ".join(part.split())) for part in re.split(r"\n\s*\n", text.strip()))


def _escape_markdown(text: str) -> str:
    """Escape a text so that Markdown shows it unchanged."""
    shown = printable(text) if text else ""
    for sign, spelled in _SPELLED.items():
        shown = shown.replace(sign, spelled)
    return _MARKS.sub(r"\\\1", shown)


def _escape_markdown_line(text: str) -> str:
    """Escape a text that starts a line."""
    return _STARTS.sub(
        lambda found: f"{found[1]}{found[2]}\\" if found[2].isdigit() else f"{found[1]}\\{found[2]}",
        _escape_markdown(text),
    )
