"""The scripts of a page as one script, which has nothing in common with other scripts but the object ``unless``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from unless.export.cell_sources import javascript_source

SCRIPTS = (
    "dom",
    "shell",
    "notation",
    "engine",
    "words",
    "texts",
    "out",
    "filters",
    "rename",
    "points",
    "nearest",
    "committee",
    "controls",
    "proof",
    "changes",
    "whatif",
    "records",
    "pictures",
    "rules",
    "costs",
    "cost_table",
    "edit",
    "editor",
    "renamer",
)
"""In an order in which each finds what it uses of others while it is loaded."""


@cache
def page_asset(name: str) -> str:
    """A style or a script of the page."""
    return (files("unless.report") / "page" / name).read_text(encoding="utf-8")


def join_scripts(names: Sequence[str] = SCRIPTS) -> str:
    """Some scripts after the one that reads cells, each with names of its own; they share what is in ``unless``."""
    sources = [javascript_source(), *(page_asset(f"{name}.js") for name in names)]
    blocks = "\n".join(f"{{\n{source}}}" for source in sources)
    return f'(() => {{\n"use strict";\nconst unless = (globalThis.unless = {{}});\n{blocks}\n}})();\n'
