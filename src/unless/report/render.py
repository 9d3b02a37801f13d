"""A page as one HTML file: templates are filled in, styles and scripts are inside, and nothing else may be loaded."""

from __future__ import annotations

import base64
import hashlib
import os
from functools import cache
from importlib.resources import files

from unless import __version__
from unless.explanation.forms import fill
from unless.explanation.words import Words
from unless.files import write_whole
from unless.model import Model
from unless.report.data import as_script
from unless.report.summary import Page, summarise
from unless.rule import Program
from unless.table import Table

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_STYLES = ("base.css", "sections.css", "whatif.css")
_SCRIPTS = (
    "dom.js",
    "shell.js",
    "engine.js",
    "words.js",
    "nearest.js",
    "controls.js",
    "proof.js",
    "changes.js",
    "whatif.js",
    "records.js",
)


def report(
    model: Program | Model,
    table: Table,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    sample: int = 2000,
    seed: int = 0,
    words: Words | None = None,
) -> Page:
    """Write a report on a program or a fitted model to an HTML file, whole or not at all.

    Parameters
    ----------
    table
        The records. If they have true labels, the page says how often the rules are right.
    title
        The heading of the page.
    sample
        The most records to put in the page; of more, this many are drawn at random.
    seed
        The random seed, for the sample and for shuffling the values of features.
    words
        What features, values and labels are called.

    Returns
    -------
    Page
        What the page says.
    """
    page = summarise(model, table, title=title, sample=sample, seed=seed, words=words)
    write_whole(path, render(page).encode())
    return page


def render(page: Page) -> str:
    """The page as HTML. Characters that no encoding can hold, such as half of a surrogate pair, are escaped."""
    first, script = _asset("first.js"), "\n".join(map(_asset, _SCRIPTS))
    text = fill(
        "page.html.j2",
        package="unless.report",
        page=page,
        version=__version__,
        style="\n".join(map(_asset, _STYLES)),
        first=first,
        script=script,
        policy=f"{_POLICY}; script-src {_hash(first)} {_hash(script)}",
        data=as_script(page.data),
    )
    return text.encode("utf-8", "backslashreplace").decode()


@cache
def _asset(name: str) -> str:
    """A style or script of the page."""
    return (files("unless.report") / "page" / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """The hash that allows this inline script and no other."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
