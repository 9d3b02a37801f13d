"""Render a page as one HTML file, and a classifier's rules as HTML for notebooks; templates escape all data.

A page contains its styles and scripts, and may load nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from html import escape
from typing import Any

from unless import __version__
from unless.evaluation.drift_results import Watch, p_value_text
from unless.evaluation.stability import Stability
from unless.explanation.decision_reasons import Reasons
from unless.explanation.proof_rendering import has_jinja2, render_template
from unless.explanation.sentences import compared_values
from unless.explanation.words import DEFAULT, Words
from unless.files import write_whole
from unless.model import Model
from unless.model.rule_statistics import RuleStatistics
from unless.report.curves import draw_line
from unless.report.rule_sentences import Speaker
from unless.report.scripts import join_scripts, page_asset
from unless.report.summary import Page, summarise
from unless.rule import Program
from unless.table import Table

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_STYLES = ("base.css", "sections.css", "whatif.css", "tools.css")
_MOST = 100
"""The maximum number of rules shown in a notebook."""


def report(  # noqa: PLR0913 - one parameter for each choice of the caller
    model: Program | Model,
    table: Table,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    sample: int = 2000,
    seed: int = 0,
    words: Words | None = None,
    watch: Watch | None = None,
    stability: Stability | None = None,
    reasons: Reasons | None = None,
) -> Page:
    """Write a report on a program or a fitted model to an HTML file atomically.

    Parameters
    ----------
    table
        The records. If they have true labels, the page shows how often the rules are right.
    title
        The heading of the page.
    sample
        The maximum number of records in the page; if there are more, a random sample is drawn.
    seed
        The random seed, for the sample and for shuffling the values of features.
    words
        Names for features, values and labels.
    watch, stability
        Results of `unless.evaluation`; each adds a section.
    reasons
        The reasons for the decisions on the records of the table, from `unless.explanation.reasons`. They add a
        section, and a column to the records.

    Returns
    -------
    Page
        The contents of the page.
    """
    more: dict[str, Any] = {"watch": watch, "stability": stability, "reasons": reasons}
    page = summarise(model, table, title=title, sample=sample, seed=seed, words=words, **more)
    write_whole(path, render(page).encode())
    return page


def render(page: Page) -> str:
    """Render the page as HTML. Characters that UTF-8 cannot encode, such as lone surrogates, are escaped."""
    first, script = page_asset("first.js"), join_scripts()
    text = render_template(
        "page.html.j2",
        package="unless.report",
        page=page,
        chance=p_value_text,
        version=__version__,
        style="\n".join(map(page_asset, _STYLES)),
        first=first,
        script=script,
        policy=f"{_POLICY}; script-src {_script_hash(first)} {_script_hash(script)}",
        data=json_for_script(page.data),
        draw_line=draw_line,
    )
    return text.encode("utf-8", "backslashreplace").decode()


def json_for_script(data: object) -> str:
    """Write JSON for a script element: ASCII, without characters that HTML would read as markup."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _script_hash(script: str) -> str:
    """Return the hash that allows an inline script in the content security policy."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


# A classifier in a notebook.


def model_html(title: str, program: Program | None, statistics: RuleStatistics | None) -> str | None:
    """Render a classifier as HTML: its rules if it is fitted, else its title; None without jinja2."""
    if program is None:
        return f"<pre>{escape(title)}</pre>"
    if not has_jinja2():
        return None
    speaker = Speaker((), DEFAULT.for_values(compared_values(program)), alone=True)
    return render_template(
        "notebook.html.j2",
        package="unless.report",
        title=title,
        rules=[_notebook_rule(program, statistics, speaker, place) for place in range(min(len(program.rules), _MOST))],
        otherwise=None if program.otherwise is None else speaker.label(program.otherwise),
        more=len(program.rules[_MOST:]),
        weighted=statistics is not None and statistics.weighted,
    )


def _notebook_rule(
    program: Program, statistics: RuleStatistics | None, speaker: Speaker, place: int
) -> dict[str, object]:
    """Describe a rule: its words, the records or weight that it decided, and its expected precision, if known."""
    rule = program.rules[place]
    statistics = statistics if statistics is not None and statistics.known(place) else None
    decided = None if statistics is None else float(statistics.support[place])
    expected = None if statistics is None or not decided else float(statistics.expected_precision[place])
    label, sentence = speaker.label(str(rule.head)), speaker.sentence(rule)
    return {"label": label, "sentence": sentence, "decided": decided, "expected_precision": expected}
