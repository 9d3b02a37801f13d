"""Join the scripts of a page into one script, which shares only the object ``unless`` with others."""

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
    "contributions",
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
"""The scripts in loading order: each script comes after the scripts that it uses."""


@cache
def page_asset(name: str) -> str:
    """Return the text of a style or a script of the page."""
    return (files("unless.report") / "page" / name).read_text(encoding="utf-8")


def join_scripts(names: Sequence[str] = SCRIPTS) -> str:
    """Join scripts, after the script that reads cells, each in its own scope; they share the object ``unless``."""
    sources = [javascript_source(), *(page_asset(f"{name}.js") for name in names)]
    blocks = "\n".join(f"{{\n{source}}}" for source in sources)
    return f'(() => {{\n"use strict";\nconst unless = (globalThis.unless = {{}});\n{blocks}\n}})();\n'
