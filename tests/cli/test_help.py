"""Help, examples, completion in the shell, and the document about all of it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from inspect import signature
from unittest import mock

import pytest

from tests.cli.command import called, environment, unless
from tests.cli.test_terminal import shown
from tests.docs.manual import EXAMPLES, PAGE, examples, written
from unless.cli.app import COMMANDS, load_command


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(run, name):
    """The help says what the command does and has an example on a line of its own, ready to copy."""
    done = run(name, "--help")
    assert (done.code, done.err) == (0, "")
    lines = [line.strip() for line in done.out.splitlines()]
    assert examples(load_command(name))
    for example in examples(load_command(name)):
        assert f"Example: {example}" in lines
        assert example.startswith(f"unless {name}")
    assert "\x1b" not in done.out


def test_the_command_alone_shows_its_help():
    """Without a command there is help, and exit code 2; with --help 0."""
    done, asked = unless(), unless("--help")
    assert (done.returncode, asked.returncode) == (2, 0)
    assert done.stdout == asked.stdout
    for name, summary in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", done.stdout, re.MULTILINE), name


@pytest.mark.parametrize("line", [[], *([name] for name in COMMANDS)], ids=str)
def test_help_in_a_terminal_is_the_same_in_bold(line, monkeypatch):
    """A terminal shows the names in bold, and nothing else differs; a flag takes no value, an argument has no type."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    plain, bold = called(*line, "--help").stdout, shown([*line, "--help"])
    assert bold.count("\x1b[1m") > 5
    assert re.sub(r"\x1b\[[01]m", "", bold) == plain
    assert re.search(r"^  -h, --help  +Show this message", plain, re.MULTILINE)
    assert not re.search(r"<(bool|str|list)|\{", plain)
    assert max(map(len, plain.splitlines())) <= 80


def test_the_options_of_fit_are_in_panels():
    """Help lists every option of fit under what it is about, in a pipe too; in a list of fifty nobody finds one."""
    titles = re.findall(r"^(\w+):$", plain := called("fit", "--help").stdout, re.MULTILINE)
    assert titles == ["Arguments", "Data", "Learner", "Costs", "Constraints", "Output"]
    listed = dict(zip(titles, re.split(r"^\w+:$", plain, flags=re.MULTILINE)[1:], strict=True))
    names = {title: re.findall(r"^  (?:-\w, )?(--[\w-]+)", lines, re.MULTILINE) for title, lines in listed.items()}
    assert sum(map(len, names.values())) == len(signature(load_command("fit")).parameters)  # --help, but not DATA
    for title, some in {
        "Data": ["--target", "--test", "--sheet", "--blocks"],
        "Learner": ["--algorithm", "--seed", "--jobs", "--class-weight"],
        "Costs": ["--cost", "--decide", "--reject", "--compare"],
        "Constraints": ["--max-rules", "--never", "--keep"],
        "Output": ["--output", "--trade-off", "--json", "--help"],
    }.items():
        assert set(some) <= set(names[title])


@pytest.mark.usefixtures("loans")
@pytest.mark.parametrize("example", [example for command in EXAMPLES for example in command])
def test_examples_run(run, example):
    """Every example of every help runs as it is, in the folder that the demo writes."""
    if " learn " in example:
        pytest.importorskip("clingo")
    if " sql " in example:
        pytest.importorskip("sqlglot")
    program, *arguments = shlex.split(example)
    done = run(*arguments)
    assert program == "unless"
    assert (done.code, "Traceback" in done.err) == (0, False), done.err


@pytest.mark.usefixtures("loans")
def test_the_commands_that_the_demo_names_run(run, tmp_path):
    """What the demo says to go on with runs."""
    pytest.importorskip("clingo")
    pytest.importorskip("sqlglot")
    shown = run("demo", tmp_path / "again", "--quiet").out.splitlines()
    assert len(shown) > 5
    for line in shown:
        program, *arguments = shlex.split(line)
        if program == "unless":
            assert run(*arguments).code == 0, line


def test_the_document_is_current():
    """docs/cli.md has what the commands say of themselves; `python -m tests.docs.manual` writes it."""
    page = PAGE.read_text()
    assert page == written(page)


# Completion, by the protocol of the script that `--show-completion` prints.


def completed(line: str, **more: str) -> list[str]:
    """What bash would offer at the end of a line."""
    words = line.split(" ")
    asked = {"_UNLESS_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), **more}
    with mock.patch.dict(os.environ, asked):
        done = called()
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1] if done.stdout.strip() else []


@pytest.mark.usefixtures("loans")
@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("unless ex", ["explain", "export"]),
        ("unless fit applicants.csv --target d", ["decision"]),
        ("unless fit applicants.csv --exclude a", ["applicant", "age", "amount"]),
        ("unless explain model.json new.csv --why-not re", ["refuse", "review"]),
        ("unless explain model.json --set am", ["amount="]),
        ("unless explain model.json --fixed in", ["income"]),
        ("unless explain model.json new.csv --format p", ["parquet"]),
        ("unless export model.json --to p", ["prolog", "python"]),
        ("unless export model.json --to prolog --dialect s", ["swi", "scasp"]),
        ("unless show model.json --style ", ["plain", "rules", "paper", "exclusive"]),
        ("unless fit nothing.csv --target d", []),
        ("unless explain applicants.csv --why-not re", []),
    ],
)
def test_bash_completes(line, offers):
    """Tab offers commands, values of options, columns of the data, features and labels of the model, or nothing."""
    assert completed(line) == offers


def test_the_script_for_bash():
    """`--show-completion` prints a script that bash takes, and that asks by the protocol above."""
    done = unless("--show-completion", env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1", "SHELL": "/bin/bash"})
    if done.returncode:  # without detection, the shell is an argument
        done = unless("--show-completion", "bash", env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert done.returncode == 0
    assert "_UNLESS_COMPLETE=complete_bash" in done.stdout
    assert subprocess.run(["bash", "-n"], input=done.stdout, text=True, check=False).returncode == 0


@pytest.mark.usefixtures("loans")
@pytest.mark.parametrize(
    ("line", "heavy"),
    [
        ("--help", {"polars", "sklearn", "scipy", "pandas"}),
        ("show model.json", {"polars", "sklearn", "scipy", "pandas"}),
        ("export model.json --to python", {"polars", "sklearn", "scipy", "pandas"}),
        ("explain model.json new.csv --row 8 --what-if", {"sklearn", "pandas"}),
        ("diff old.json model.json", {"sklearn", "pandas"}),
    ],
)
def test_short_commands_import_little(line, heavy):
    """What takes long to import waits until a command needs it: a person waits too."""
    program = f"""
import runpy, sys
sys.argv = ["unless", *{line.split()!r}]
try:
    runpy.run_module("unless", run_name="__main__")
except SystemExit:
    print(sorted({heavy!r} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment(), check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
