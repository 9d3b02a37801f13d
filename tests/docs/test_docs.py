"""Documents cannot lie: their examples run, and their figures are what the program prints."""

from __future__ import annotations

import doctest
import importlib
import io
import pkgutil
import re
import shlex
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import unless
from tests.cli.command import called
from tests.docs.manual import EXAMPLES
from tests.docs.pages import PAGES, ROOT, Block, anchors, blocks, links, named

RUN = ("python", "console", "sh", "python spark")
"""Blocks of these languages run, those for Spark in tests/export/test_spark.py."""

NOT_RUN = {
    ("README.md", "make demo    # sets up .venv, learns the rules above, explains a decision"): "installs packages",
    ("CONTRIBUTING.md", "files, frames ──▶ read ──▶ Table ──▶ learn ──▶ Program ──▶ prediction ──▶ labels and deciding rules"): (
        "a drawing"
    ),
    ("docs/elsewhere.md", "mlflow.sklearn.log_model("): "MLflow is large, and was tried by hand",
    ("docs/how-it-works.md", "class 0 if proline > 750, unless (flavanoids <= 2.27 unless (ash <= 2.14)), unless (alcalinity > 25)"): (
        "a rule, to look at"
    ),
    ("docs/report.md", 'purpose = "Which cultivar a wine comes from"'): "a file of words, as tests/explanation has them",
    ("docs/report.md", "unless report model.json test.csv -o report.html --open"): "opens a browser",
    ("docs/report.md", "unless diff model.json rules-edited.json test.csv"): "a browser saves the second file",
    ("docs/scale.md", "import psycopg"): "needs a server; tests/learn runs it where there is one",
    ("docs/scale.md", 'model = UnlessClassifier().fit(spark.table("sales"), "buys")'): "needs Spark; tests/learn runs it",
    ("docs/scale.md", "unless fit 'parts/*.parquet' --target y --blocks kept -o model.json"): "takes a folder of large files",
}  # fmt: skip
"""Blocks that do not run here, by page and first line, each with the reason."""


def runs(page: Path, block: Block) -> bool:
    """Whether a block is to run."""
    return (named(page), block.first) not in NOT_RUN


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_examples_run_and_print_what_a_page_shows(page, tmp_path, monkeypatch):
    """The blocks of a page run in order, and print what it shows, but for times and for what a lone … leaves out.

    Python and commands share the folder that `unless demo loans` writes. A block of text right after one of Python is what
    that prints; what Python claims otherwise it asserts.
    """
    found = [block for block in blocks(page) if runs(page, block)]
    monkeypatch.chdir(tmp_path)
    if any(block.language in ("console", "sh") for block in found):
        assert called("demo", "loans").returncode == 0
        monkeypatch.chdir(tmp_path / "loans")
    names: dict[str, object] = {"__name__": "__main__"}
    printed = None
    for block in found:
        if block.language == "text":
            assert printed is not None, f"{block.first}: text that no block of Python before it prints"
            assert block.follows, block.first
            compare(block.text, printed, block.first)
        printed = None
        if block.language == "python":
            with redirect_stdout(io.StringIO()) as out:
                exec(compile(block.text, page.name, "exec"), names)
            printed = out.getvalue()
        elif block.language == "console":
            converse(block.text)
        elif block.language == "sh" and block.text.splitlines() not in EXAMPLES:
            converse("".join(f"$ {line}\n…\n" for line in block.text.splitlines()))


def converse(session: str) -> None:
    """Call each command of a session; those that print nothing there must print nothing. `echo $?` is the last exit code."""
    code = 0
    for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", session, re.MULTILINE):
        if command == "echo $?":
            assert shown == f"{code}\n"
            code = 0
            continue
        assert code == 0, f"exit code {code} before {command}"
        program, *arguments = shlex.split(command, comments=True)
        assert program == "unless", command
        if arguments[0] == "demo":  # the folder is there
            continue
        ran = called(*arguments)
        code = ran.returncode
        assert code in (0, 3), ran.stderr
        compare(shown, ran.stdout, command)
    assert code == 0, f"exit code {code} at the end"


def compare(shown: str, printed: str, what: str) -> None:
    """What a page shows is what was printed."""
    wanted, given = (re.sub(r" in [0-9.]+ m?s$", " in T", text, flags=re.MULTILINE) for text in (shown, printed))
    parts = [re.escape(part) for part in re.split(r"^ *…\n", wanted, flags=re.MULTILINE)]
    assert re.fullmatch("(?:.*\n)*?".join(parts), given), f"{what}\n{given}"


def test_few_blocks_do_not_run():
    """A block of code runs, or is listed with the reason why it does not; the list has no others."""
    idle = {(named(page), block.first) for page in PAGES for block in blocks(page) if block.language not in (*RUN, "text")}
    every = {(named(page), block.first) for page in PAGES for block in blocks(page)}
    assert idle - set(NOT_RUN) == set()
    assert set(NOT_RUN) - every == set()
    assert len(NOT_RUN) <= 12


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    """Links within the repository name files that exist, and headings that these have."""
    for link in links(page):
        target, _, anchor = link.partition("#")
        file = page.parent / target if target else page
        assert file.exists(), link
        assert not anchor or anchor in anchors(file), link


def test_a_page_says_first_what_it_is_good_for():
    """Each page of the site starts with one title, and a paragraph after it."""
    for page in (ROOT / "docs").rglob("*.md"):
        title, blank, text = page.read_text().split("\n")[:3]
        assert title.startswith("# "), page
        assert not blank, page
        assert re.match(r"[\w*`\[]", text), page


def test_docstring_examples_are_true():
    """The examples in docstrings give what they say, and there is no other code in them; a file of words is none."""
    found = 0
    for module in pkgutil.walk_packages(unless.__path__, "unless."):
        imported = importlib.import_module(module.name)
        result = doctest.testmod(imported)
        assert not result.failed, module.name
        found += result.attempted
    assert found
    for source in (ROOT / "src").rglob("*.py"):
        assert not re.search(r"```(?!toml)\w", source.read_text()), f"{source}: write an example that doctest runs"
