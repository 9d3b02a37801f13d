"""Documents cannot lie: their examples run, and their figures are what the program prints."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import unless
from unless import demo

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_run(page, tmp_path, monkeypatch):
    """Every Python example of a page runs, each after those before it; lines of ``# output`` are what it prints."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block, page.name, "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    """Relative links of a page name files that exist."""
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_readme_shows_the_demo(capsys):
    """The rules and the reason in the README are those that the demo prints."""
    demo.main()
    printed = capsys.readouterr().out
    readme = (ROOT / "README.md").read_text()
    assert blocks(ROOT / "README.md", "prolog")[0] in printed
    reason = printed.splitlines()[-1].strip()
    assert re.sub(r"\s+", " ", f"*{reason}*") in re.sub(r"\s+", " ", readme)
    assert "0.950" in printed
    assert re.search(r"Right for 57\s+of 60", readme)


def test_docstring_examples_are_true():
    """The examples in docstrings give what they say."""
    found = 0
    for module in pkgutil.walk_packages(unless.__path__, "unless."):
        result = doctest.testmod(importlib.import_module(module.name))
        assert not result.failed, module.name
        found += result.attempted
    assert found
