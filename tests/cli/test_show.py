"""`unless show`."""

from __future__ import annotations

import gzip
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import unless
from tests.cli.command import called
from tests.cli.test_terminal import shown
from unless import Literal, Program, Rule
from unless.cli.show import RuleTable
from unless.export import json as programs
from unless.export import to_text
from unless.model.rule_statistics import RuleStatistics

pytestmark = pytest.mark.usefixtures("loans")


def test_rules_are_a_table_with_figures(run):
    """A rule has its number, label and parts, how many records it decided and how often it was right."""
    done = run("show", "model.json")
    assert done.code == 0
    assert done.err.startswith("decision: 5 rules, 3 exceptions\n")
    assert done.out.splitlines()[-1].startswith("test: 180 records held back: accuracy 0.967 (0.929 to 0.985)")
    first, second, *_ = done.out.splitlines()
    assert first.split() == ["decided", "expected", "precision"]
    assert second == " 1  refuse       61   0.955 (0.78–0.99)  if employed is no"
    assert not any(line != line.rstrip() for line in done.out.splitlines())


def test_figures_stay_near_their_rule(run):
    """In a pipe a rule of any length is one line, and does not push the figures of others away."""
    header, *lines = run("show", "model.json").out.splitlines()
    document = json.loads(Path("model.json").read_text())
    program = programs.load("model.json")
    long = unless.Rule("refuse", tuple(unless.Literal("history", "!=", f"c{number}") for number in range(60)))
    document["rules"] = programs.to_dict(replace(program, rules=(long, *program.rules[1:])))["rules"]
    Path("long.json").write_text(json.dumps(document))
    assert "if the rules were edited, leave base, points and cuts out" in run("show", "long.json").err
    for key in ("base", "points", "cuts"):
        del document["statistics"][key]
    Path("long.json").write_text(json.dumps(document))
    again, first, second, *_ = run("show", "long.json").out.splitlines()
    assert (again, second) == (header, lines[3])
    assert "  if history is not c0 and history is not c1 " in first
    assert first.endswith(" and history is not c59")


@pytest.mark.parametrize("columns", [50, 80, 120])
def test_long_rules_break_between_conditions(columns, monkeypatch):
    """A line that is too long for a terminal breaks before an "and", and goes on below its first condition."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    literals = tuple(unless.Literal(f"feature {number}", "==", "a b") for number in range(9))
    rule = unless.Rule("yes", literals, (unless.Rule(None, literals[1:]),))
    programs.save(unless.Program("y", tuple(literal.feature for literal in literals), (rule,)), "long.json")
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown(["show", "long.json", "--quiet"])).splitlines()
    assert max(map(len, map(str.rstrip, lines))) <= columns
    for line in lines:
        assert re.fullmatch(r" 1  yes  if feature 0 is a b( and feature . is a b)*|"
                            r" {12}and feature . is a b( and feature . is a b)*|"
                            r" {11}unless feature 1 is a b( and feature . is a b)*|"
                            r" {18}and feature . is a b( and feature . is a b)*", line.rstrip()), line  # fmt: skip


def test_ranges(run):
    """Two bounds of a number are one condition, in words; a bound that is alone has a sign."""
    age = unless.Literal("age", ">", 30), unless.Literal("age", "<=", 40)
    rule = unless.Rule(
        "no", (age[1], unless.Literal("income", "<=", 20_000), age[0]), (unless.Rule(None, age[:1] * 2),)
    )
    programs.save(unless.Program("loan", ("age", "income"), (rule,)), "ranges.json")
    assert run("show", "ranges.json", "--quiet").out.splitlines() == [
        " 1  no  if age is above 30 and at most 40 and income ≤ 20,000",
        "          unless age > 30",
    ]


def test_weights_are_called_so(run):
    """Of a model with weights the column of what rules decided is one of weights, whole ones without decimals."""
    document = json.loads(Path("model.json").read_text())
    document["statistics"]["weighted"] = True
    document["statistics"]["counts"][0][0] += 0.5
    Path("weighted.json").write_text(json.dumps(document))
    header, first, *others = run("show", "weighted.json").out.splitlines()
    assert header.split() == ["weight", "expected", "precision"]
    assert first.split()[2] == "61.5"
    weights = [line.split()[2] for line in others if line.split()[:1] and line.split()[0].isdigit()]
    assert len(weights) == len(document["rules"]) - 1
    assert all(weight.isdigit() for weight in weights)


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


@pytest.mark.parametrize("width", [70, 80, 120])
def test_numbers_are_not_broken(width):
    """However narrow the terminal, and however long the label, a number stays in one piece if there is room."""
    inner = Rule(None, (Literal("b", ">", 0.15737378361689536), Literal("a", "<=", 12345.678901234567)))
    rule = Rule(
        "a label of some length", (Literal("b", "<=", 0.01564763419971138),), (Rule(None, inner.default, (inner,)),)
    )
    program = Program("y", ("a", "b"), (rule,), "other")
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(RuleTable(program, RuleStatistics(("a label of some length", "other"), program.heads, np.eye(2))))
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= width
    for number in ("0.15737378361689536", "0.01564763419971138", "12,345.678901234567"):
        assert number in text


def test_numbers_of_a_feature_are_spelled_alike():
    """If one threshold of a feature has groups of digits, all have; another feature may be a year."""
    rules = (
        Rule("x", (Literal("amount", ">", 9699.0), Literal("year", ">", 2024.0))),
        Rule("y", (Literal("amount", "<=", 13871.0),)),
    )
    console = Console(width=100, file=io.StringIO(), color_system=None)
    console.print(RuleTable(Program("label", ("amount", "year"), rules)))
    assert "amount > 9,699 and year > 2024" in console.file.getvalue()


def test_a_model_prints_what_the_command_shows(run):
    """print(model) gives what the command prints into a pipe: exceptions, weights, wide letters, a committee."""
    table = unless.read_table("applicants.csv", target="decision")
    labels = table.target.labels
    weights = np.where(np.arange(len(table)) % 3 == 0, 0.5, 1.25)
    renamed = np.array(["退回", "e\u0301", "ok"][: len(labels)], dtype=object)[table.target.codes]
    for model in (
        unless.load("model.json"),
        unless.FoldRMClassifier(otherwise=None, warn=False).fit(table),
        unless.FoldRMClassifier(max_rules=2, warn=False).fit(table, sample_weight=weights),
        unless.UnlessClassifier(warn=False).fit(table, renamed),
        unless.UnlessCommittee(size=3, warn=False).fit(table),
    ):
        model.save("shown.json")
        done = run("show", "shown.json")
        told = done.out if hasattr(model, "committee_") else done.err + done.out
        assert told == str(model) + "\n"
        assert str(unless.load("shown.json")) == str(model)


def test_packed_models(run):
    """A model whose name ends with .gz is packed, and any command reads it; so does a pipe."""
    fit = run("fit", "applicants.csv", "--target", "decision", "-o", "small.json.gz", "--quiet")
    run("fit", "applicants.csv", "--target", "decision", "-o", "plain.json", "--quiet")
    assert fit.code == 0
    assert gzip.decompress(Path("small.json.gz").read_bytes()) == Path("plain.json").read_bytes()
    assert run("show", "small.json.gz").out == run("show", "plain.json").out
    piped = called("show", "-", input=Path("small.json.gz").read_bytes())
    assert piped.stdout == run("show", "plain.json").out
    predicted = run("predict", "small.json.gz", "new.csv")
    assert (predicted.code, predicted.out) == (0, run("predict", "plain.json", "new.csv").out)
    Path("small.json.gz").write_bytes(Path("small.json.gz").read_bytes()[:-20])
    assert run("show", "small.json.gz").err.startswith("unless: small.json.gz: packed by gzip, and damaged")
    Path("new.csv.gz").write_bytes(gzip.compress(Path("new.csv").read_bytes()))
    assert "new.csv.gz is a table, not a model" in run("show", "new.csv.gz").err
