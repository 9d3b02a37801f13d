"""The gallery shows what its scripts print."""

from __future__ import annotations

import ast
import re

import pytest

from tests.docs.examples import EXAMPLES, run

scripts = pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)


@scripts
def test_an_example_prints_what_is_shown_beside_it(script, tmp_path):
    """A script of the gallery runs without a warning, prints the text beside it, and leaves no file behind."""
    printed = run(script, tmp_path)
    assert printed == script.with_suffix(".txt").read_text("utf-8"), "python -m tests.docs.examples writes it anew"
    assert not list(tmp_path.iterdir())


@scripts
def test_an_example_says_what_it_is_for(script):
    """A script begins with a title, and then says what the reader will be able to do; it is short enough to read."""
    text = script.read_text("utf-8")
    title, empty, *rest = (ast.get_docstring(ast.parse(text)) or "").splitlines()
    assert title
    assert not title.endswith(".")
    assert not empty
    assert rest[0].startswith("After this example you can ")
    assert len(text.splitlines()) <= 80


def test_examples_are_numbered():
    """The scripts are numbered from 01 on and listed in the README; nothing lies beside them but what they print."""
    assert [script.stem.partition("_")[0] for script in EXAMPLES] == [f"{n:02}" for n in range(1, len(EXAMPLES) + 1)]
    folder = EXAMPLES[0].parent
    beside = {script.with_suffix(".txt").name for script in EXAMPLES} | {script.name for script in EXAMPLES}
    assert {path.name for path in folder.iterdir() if path.is_file()} == beside | {"README.md"}
    listed = re.findall(r"^\| \[(\S+)\]\(\1\)", (folder / "README.md").read_text("utf-8"), re.MULTILINE)
    assert listed == [script.name for script in EXAMPLES]
