"""A classifier in a notebook: its rules with what they decide, by the report's templates. Everything is escaped."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from unless.explanation.html import available, fill
from unless.model import Statistics
from unless.report.sentences import Sentence, Speaker, Text
from unless.rule import Program

__all__ = ["model_html"]

_MOST = 100
"""Rules that are shown; a notebook with more is no longer read."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule in words; how many records or what weight it decides, and for which share rightly, None if unknown."""

    label: Text
    sentence: Sentence
    decided: float | None
    precision: float | None


def model_html(title: str, program: Program | None, statistics: Statistics | None) -> str | None:
    """A classifier: its rules once it is fitted, before that only what it is; None without jinja2."""
    return f"<pre>{escape(title)}</pre>" if program is None else _rules_html(program, statistics, title)


def _rules_html(program: Program, statistics: Statistics | None, title: str) -> str | None:
    """The rules as a list with their exceptions; None without jinja2, so that the notebook shows text."""
    if not available():
        return None
    speaker = Speaker((), alone=True)
    return fill(
        "notebook.html.j2",
        package="unless.report",
        title=title,
        rules=[_rule(program, statistics, speaker, place) for place in range(min(len(program.rules), _MOST))],
        otherwise=None if program.otherwise is None else speaker.label(program.otherwise),
        more=len(program.rules[_MOST:]),
        weighted=statistics is not None and statistics.weighted,
    )


def _rule(program: Program, statistics: Statistics | None, speaker: Speaker, place: int) -> _Rule:
    rule = program.rules[place]
    decided = None if statistics is None else float(statistics.support[place])
    precision = None if statistics is None or not decided else float(statistics.precision[place])
    return _Rule(speaker.label(str(rule.head)), speaker.sentence(rule), decided, precision)
