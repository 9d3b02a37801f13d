"""A classifier in a notebook: its rules and what they decide. The templates escape everything."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from unless.explanation.forms import available, fill
from unless.explanation.sentences import compared
from unless.explanation.words import DEFAULT
from unless.model import Statistics
from unless.report.sentences import Sentence, Speaker, Text
from unless.rule import Program

_MOST = 100
"""The most rules to show: nobody reads more in a notebook."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule in words, the records or weight that it decides, and the share that is right; None if unknown."""

    label: Text
    sentence: Sentence
    decided: float | None
    precision: float | None


def model_html(title: str, program: Program | None, statistics: Statistics | None) -> str | None:
    """A classifier as HTML: its rules if it is fitted, else its title; None without jinja2, so that text is shown."""
    if program is None:
        return f"<pre>{escape(title)}</pre>"
    if not available():
        return None
    speaker = Speaker((), DEFAULT.fitting(compared(program)), alone=True)
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
