"""Documents cannot lie: their examples run, and their figures are what the program prints."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shlex
from pathlib import Path

import pytest

import unless
from tests.cli.command import called

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), ROOT / "examples" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_run(page, tmp_path, monkeypatch):
    """Every Python example of a page runs, each after those before it; what they claim they assert."""
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


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=lambda page: page.name)
def test_commands_print_what_a_page_shows(page, tmp_path):
    """A command on a page prints what the page shows, but for the time it takes and what a lone … leaves out."""
    assert called("demo", "loans", cwd=tmp_path).returncode == 0
    for block in blocks(page, "console"):
        for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            if "unless demo" in command:
                continue
            program, *arguments = shlex.split(command)
            assert program == "unless", command
            ran = called(*arguments, cwd=tmp_path / "loans")
            assert ran.returncode == 0, ran.stderr
            wanted = re.sub(r" in [0-9.]+ m?s$", " in T", shown, flags=re.MULTILINE)
            given = re.sub(r" in [0-9.]+ m?s$", " in T", ran.stdout, flags=re.MULTILINE)
            parts = [re.escape(part) for part in re.split(r"^ *…\n", wanted, flags=re.MULTILINE)]
            assert re.fullmatch("(?:.*\n)*?".join(parts), given), f"{command}\n{given}"


def test_docstring_examples_are_true():
    """The examples in docstrings give what they say."""
    found = 0
    for module in pkgutil.walk_packages(unless.__path__, "unless."):
        result = doctest.testmod(importlib.import_module(module.name))
        assert not result.failed, module.name
        found += result.attempted
    assert found
