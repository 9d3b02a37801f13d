"""`unless show`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import unless
from unless.export import json as programs
from unless.export import to_text

pytestmark = pytest.mark.usefixtures("loans")


def test_rules_are_a_table_with_figures(run):
    """A rule has its number, label and parts, how many records it decided and how often it was right."""
    done = run("show", "model.json")
    assert done.code == 0
    assert done.err == "decision: 8 rules, 11 exceptions\n"
    first, second, *_ = done.out.splitlines()
    assert first.split() == ["decided", "right"]
    assert second.split() == ["1", "accept", "if", "amount", "≤", "28,000", "383", "0.984"]
    assert not any(line != line.rstrip() for line in done.out.splitlines())


def test_weights_are_called_so(run):
    """Of a model with weights the column of what rules decided is one of weights, whole ones without decimals."""
    document = json.loads(Path("model.json").read_text())
    document["statistics"]["weighted"] = True
    document["statistics"]["counts"][0][0] += 0.5
    Path("weighted.json").write_text(json.dumps(document))
    header, first, *others = run("show", "weighted.json").out.splitlines()
    assert header.split() == ["weight", "right"]
    assert first.split()[-2:] == ["383.5", "0.984"]
    assert ".5 " not in "".join(others)


def test_quiet_shows_the_rules_only(run):
    """With --quiet there is nothing on standard error."""
    done = run("show", "model.json", "--quiet")
    assert done.err == ""
    assert "accept" in done.out


def test_paper_and_exclusive_are_the_texts_of_the_library(run):
    """The other styles print what `to_text` gives, and nothing else."""
    program = programs.load("model.json")
    for style in ("paper", "exclusive"):
        assert run("show", "model.json", "--style", style).out == to_text(program, style) + "\n"


def test_json_is_the_file_itself(run, loans):
    """With --json a model comes out as its file has it; a plain program too."""
    assert json.loads(run("show", "model.json", "--json").out) == json.loads((loans / "model.json").read_text())
    programs.save(programs.load("model.json"), "program.json")
    assert json.loads(run("show", "program.json", "--json").out) == json.loads((loans / "program.json").read_text())


def test_a_plain_program_has_no_figures(run):
    """A file without statistics shows its rules, and what they say otherwise."""
    rule = unless.Rule("no", (unless.Literal("age", "<=", 30),))
    programs.save(unless.Program("loan", ("age",), (rule,), "yes"), "program.json")
    lines = [line.split() for line in run("show", "program.json").out.splitlines()]
    assert lines == [["1", "no", "if", "age", "≤", "30"], ["yes", "otherwise"]]
