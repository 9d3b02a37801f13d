"""Notebooks show what their cells give."""

from __future__ import annotations

import json
import re

import pytest

from tests.docs.notebooks import NOTEBOOKS, executed, shown, written
from tests.docs.pages import ROOT, anchors
from tests.docs.test_site import CONF

notebooks = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@notebooks
def test_a_notebook_shows_what_its_cells_give(path, tmp_path):
    """Run again, cells show the text that is in the file, but for times; no cell warns or fails."""
    kept = json.loads(path.read_text("utf-8"))
    found = executed(kept, tmp_path)
    assert shown(found) == shown(kept), "python -m tests.docs.notebooks writes it again"
    assert path.read_text("utf-8") == written(kept)


@notebooks
def test_links_of_a_notebook_lead_somewhere(path):
    """Pages, notebooks and pictures that the text of a notebook names are there, and so are headings."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        target, _, anchor = link.partition("#")
        assert (path.parent / target).exists(), link
        assert not anchor or anchor in anchors(path.parent / target), link
    assert text.startswith("# ")
    assert "`pip" in text, "what it needs is said"


def test_every_notebook_is_on_the_first_page():
    """The list of the first page has each notebook, and so the contents of the site."""
    listed = re.findall(
        r"^- \[[^\]]+\]\(notebooks/(.+\.ipynb)\)", (ROOT / "docs" / "index.md").read_text(), re.MULTILINE
    )
    assert sorted(listed) == [path.name for path in NOTEBOOKS]


def test_the_last_value_of_a_cell_is_shown(tmp_path):
    """A cell shows what it prints and its last value, as text and as HTML if it has that; a semicolon hides it."""
    cells = ["class A:\n    def _repr_html_(self): return '<b>'\nprint(1)\nA()", "x = 2", "x + 1", "x;"]
    notebook = {"cells": [{"cell_type": "code", "source": [cell]} for cell in cells]}
    first, second, third, last = executed(notebook, tmp_path)["cells"]
    assert [output["output_type"] for output in first["outputs"]] == ["stream", "execute_result"]
    assert first["outputs"][1]["data"]["text/html"] == ["<b>"]
    assert (second["outputs"], last["outputs"]) == ([], [])
    assert third["outputs"][0]["data"] == {"text/plain": ["3"]}


def test_a_notebook_becomes_a_page():
    """Text stays, code becomes a block, and what it showed comes after it: HTML if it has any."""
    html = {"output_type": "execute_result", "data": {"text/plain": ["A"], "text/html": ["<b>A</b>"]}}
    printed = {"output_type": "stream", "text": ["1\n", "2\n"]}
    cells = [
        {"cell_type": "markdown", "source": ["# T\n", "text"]},
        {"cell_type": "code", "source": ["f()"], "outputs": [printed, html]},
    ]
    page = CONF["notebook"](json.dumps({"cells": cells}))
    assert page.startswith("# T\ntext\n\n````python\nf()\n````\n\n````text\n1\n2\n````\n\n````{raw} html")
    assert "<b>A</b>" in page
