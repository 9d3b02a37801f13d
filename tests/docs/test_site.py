"""The site that `make docs` makes from the pages."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

import unless
from tests.docs.pages import ROOT
from tests.lengths import LONG

DOCS = ROOT / "docs"
CONF = runpy.run_path(str(DOCS / "conf.py"))


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site, made strictly: a broken link, a missing heading or any other warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", DOCS, folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1"})
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_on_the_site_and_in_its_contents(site):
    """Each page of docs/ is a page of the site that the contents, which every page has, lead to."""
    pages = {
        page.relative_to(DOCS).with_suffix(".html").as_posix() for page in [*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]
    }
    linked = set(re.findall(r'<a class="reference internal" href="([^"#]+)"', (site / "index.html").read_text()))
    assert pages - {"index.html"} <= linked
    assert all((site / page).exists() for page in pages)


def test_the_site_asks_nothing_of_other_hosts(site):
    """No page loads a script, a style, a font or a picture from elsewhere; links that people click may lead there."""
    for page in [*site.rglob("*.html"), *site.rglob("*.css")]:
        loads = re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"([^\"]+)|url\(([^)]+)\)", page.read_text())
        assert not [one for found in loads for one in found if re.match(r"[\"']?(https?:)?//", one)], page


def test_every_public_name_is_in_the_reference(site):
    """The reference has each name of the package, with what its docstring says first."""
    page = unescape(re.sub(r"<[^>]+>", "", (site / "api.html").read_text()))
    for name in unless.__all__:
        if name != "__version__":
            said = (getattr(unless, name).__doc__ or "").split("\n")[0].replace("`", "").replace("*", "")
            assert f"unless.{name}" in page
            assert said[:60] in page, name


def test_tables_tell_which_columns_are_long(site):
    """Figures stay on one line, names of rows in sight, and sentences get room; the style sheet does the rest."""
    page = (site / "accuracy.html").read_text()
    assert re.search(r'<table class="[^"]*\bwide named\b', page)
    (time,) = re.findall(r"^\| Unless \| 30 \|.* ([0-9.]+) ms \|$", (DOCS / "accuracy.md").read_text(), re.MULTILINE)
    assert f'<td class="short"><p>{time}\u00a0ms</p></td>' in page
    assert re.search(r'<td class="long"><p>scikit-learn, depth tuned', page)


def test_no_page_is_wider_than_its_window(site, browser):
    """Lines, tables and pictures scroll on their own; the contents beside them come and go with the width."""
    page = browser.new_page()
    try:
        for file in sorted(
            DOCS.rglob("*.md") if LONG else (DOCS / "index.md", DOCS / "tutorial.md", DOCS / "scale.md")
        ):
            path = (site / file.relative_to(DOCS)).with_suffix(".html")
            page.goto(path.as_uri(), wait_until="domcontentloaded")
            for width in (360, 840, 1080, 1320, 1600):
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, path.name
                beyond = "(one => one.scrollWidth - one.clientWidth)(document.querySelector('.content'))"
                assert page.evaluate(beyond) <= 0, path.name
    finally:
        page.close()


def test_docstrings_lead_to_pages(site):
    """A page that a docstring names is a link."""
    page = (site / "api.html").read_text()
    assert 'href="constraints.html"><span class="doc">' in page
    assert not re.search(r"docs/\w+\.md", page)


def test_types_of_python_do_not_lead_to_names_of_ours(site):
    """`Literal["auto"]` is not our `Literal`."""
    page = (site / "api.html").read_text()
    assert "<em>Literal</em><em>[</em>" in page
    assert not re.search(r"Literal(</\w+>)*</a>(<\w+>)*\[", page)


def test_the_gallery_shows_scripts_and_what_they_print(tmp_path):
    """A script gets its title, what it says of itself, its text and its output; no folder is no error."""
    (tmp_path / "02_second.py").write_text('"""Count to one.\n\nSlowly.\n"""\n\nprint(1)\n')
    (tmp_path / "02_second.txt").write_text("1\n")
    (tmp_path / "01_first.py").write_text("print(2)\n")
    shown = CONF["gallery"]("# Gallery", tmp_path)
    assert shown.index("## 01_first") < shown.index("## Count to one\n\nSlowly.\n\n")
    assert "````python\nprint(1)\n````\n\nIt prints:\n\n````text\n1\n````" in shown
    assert CONF["gallery"]("# Gallery", tmp_path / "none") == "# Gallery\n"


def test_the_contents_are_the_lists_of_the_first_page():
    """A heading of the first page is a caption of the contents, and its list of links what is below."""
    tree = CONF["contents"]("# A\n\n## Start\n\n- [One](one.md): first.\n- [Two](how/two.md)\n")
    assert ":caption: Start\n\none\nhow/two\n```" in tree


def test_files_of_the_root_are_pages_of_the_site(site):
    """The changelog, how to contribute and security are shown in whole, and their links lead to pages of the site."""
    assert "Unreleased" in (site / "changelog.html").read_text()
    page = (site / "contributing.html").read_text()
    assert "Add an export" in page
    assert 'href="life-of-a-record.html"' in page
    assert "What loading a model promises" in (site / "security.html").read_text()
