"""The scripts of a page, to be run in Node."""

from __future__ import annotations

from importlib.resources import files

from unless.export.cell_sources import javascript_source

__all__ = ["scripts"]


def scripts(*names: str) -> str:
    """Some scripts of the page by name, after those that all need: how cells are read, and how numbers are written."""
    page = files("unless") / "report" / "page"
    return "\n".join(
        [javascript_source(), *((page / f"{name}.js").read_text("utf-8") for name in ("notation", *names))]
    )
