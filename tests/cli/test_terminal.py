"""A terminal is never told what to do by data: names of files and columns, cells, labels, titles, options."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import subprocess
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

import unless as library
from tests.cli.command import COMMAND, environment
from unless.cli import app as cli
from unless.cli import console
from unless.cli.file_io import open_terminal
from unless.cli.loading import DataSource
from unless.cli.options import complete_columns, complete_features, complete_labels
from unless.export import json as programs

# Erase the screen, set its title, go red (in one letter), turn the writing round, go back, ring, go to another line.
HOSTILE = "\x1b[2J\x1b]0;t\x07\x9b31m\u202e\u2066\u200f\b\r\x7f\u2028[bold]"
TARGET = f"y{HOSTILE}"


class Terminal(io.TextIOWrapper):
    """A stream that a command takes for a terminal."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), "utf-8", newline="\n", write_through=True)

    def isatty(self) -> bool:
        return True


def shown(command: list[str]) -> str:
    """What a command shows on a terminal, which is its standard output and its standard error."""
    stream = Terminal()
    with redirect_stdout(stream), redirect_stderr(stream):
        cli._run_command(lambda: cli.app(command, prog_name="unless", standalone_mode=False))
    return stream.buffer.getvalue().decode()


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    """Files in which everything is hostile, and their names too."""
    monkeypatch.chdir(tmp_path)
    quoted = HOSTILE.replace('"', '""')
    rows = [f'"{quoted}{k % 3}",{k},"{quoted}{k > 20}"' for k in range(60)]
    Path(f"{HOSTILE}.csv").write_text("\n".join([f'"x{quoted}","n","{TARGET}"', *rows]), newline="")
    lines = [{f"x{HOSTILE}": f"{HOSTILE}{k % 3}", "n": k, TARGET: f"{HOSTILE}{k > 20}"} for k in range(60)]
    Path("lines.jsonl").write_text("\n".join(map(json.dumps, lines)))
    rules = (library.Rule(f"{HOSTILE}a", (library.Literal(f"x{HOSTILE}", "==", f"{HOSTILE}1"),)),)
    programs.save(library.Program(TARGET, (f"x{HOSTILE}", "n"), rules, f"{HOSTILE}b"), f"{HOSTILE}.json")
    Path("broken.csv").write_text(f'a,"{HOSTILE}\n1,2,3')
    Path("broken.json").write_text(f'{{"format": "{HOSTILE}'.replace("\r", ""))
    Path(f"{HOSTILE}.lp").write_text(f'p("{HOSTILE}"'.replace("\r", ""))
    return tmp_path


CSV, MODEL = f"{HOSTILE}.csv", f"{HOSTILE}.json"
COMMANDS = [
    ["inspect", CSV],
    ["inspect", CSV, "--target", TARGET, "--all"],
    ["inspect", CSV, "--target", TARGET, "--json"],
    ["inspect", "lines.jsonl", "--target", TARGET],
    ["fit", CSV, "--target", TARGET, "-o", f"fitted{HOSTILE}.json"],
    ["fit", CSV, "--target", TARGET, "-o", "-"],
    ["fit", CSV, "--target", TARGET, "--json"],
    ["fit", CSV, "--target", TARGET, "--exclude", HOSTILE],
    ["fit", CSV, "--target", TARGET, "-a", "fold-rpp", "--positive", HOSTILE],
    ["evaluate", CSV, "--target", TARGET, "--cv", "2"],
    ["evaluate", CSV, "--target", TARGET, "-a", "fold-rm", "--test", CSV],
    ["show", MODEL],
    ["show", MODEL, "--json"],
    *(["show", MODEL, "--style", style] for style in ("paper", "exclusive", HOSTILE)),
    ["predict", MODEL, CSV],
    ["predict", MODEL, CSV, "--prefix", HOSTILE, "--json"],
    ["predict", MODEL, "lines.jsonl", "--to", "tsv"],
    ["predict", MODEL, "lines.jsonl"],
    ["predict", MODEL, CSV, "-o", f"out{HOSTILE}"],
    ["explain", MODEL, CSV, "--row", "3", "--what-if", "--why-not", f"{HOSTILE}a"],
    ["explain", MODEL, CSV, "--row", "3", "--why-not", HOSTILE],
    ["explain", MODEL, CSV, "--row", "3", "--json"],
    ["explain", MODEL, CSV, "--row", HOSTILE],
    ["explain", MODEL, CSV],
    ["explain", MODEL, "--set", f"x{HOSTILE}={HOSTILE}", "--set", "n=1"],
    ["explain", MODEL, "--set", HOSTILE],
    *(["explain", MODEL, CSV, "--row", "3", "--style", style] for style in ("tree", "rules")),
    ["report", MODEL, CSV, "-o", f"page{HOSTILE}.html", "--title", HOSTILE],
    ["report", MODEL, CSV, "-o", "-"],
    *(["export", MODEL, "--to", to] for to in ("clingo", "prolog", "sql", "python", "javascript", "json", "text")),
    ["export", MODEL, "--to", "sql", "--table", HOSTILE],
    ["export", MODEL, "--to", "clingo", "--records", CSV],
    ["diff", MODEL, MODEL, CSV],
    ["diff", MODEL, "other.json", "lines.jsonl"],
    ["learn", f"{HOSTILE}.lp", f"{HOSTILE}.lp", "-t", HOSTILE],
    ["inspect", "broken.csv"],
    ["show", "broken.json"],
    ["show", HOSTILE],
    ["inspect", HOSTILE],
    ["inspect", CSV, "--format", HOSTILE],
    ["demo", HOSTILE],
    ["demo", CSV],
    [HOSTILE],
    ["show", MODEL, f"--{HOSTILE}"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: ascii(command[0]))
@pytest.mark.usefixtures("files")
def test_nothing_is_obeyed(command, monkeypatch):
    """Whatever a command prints to a terminal can be seen, and changes nothing but the line."""
    rules = (library.Rule(f"{HOSTILE}c", (library.Literal(f"x{HOSTILE}", "!=", f"{HOSTILE}2"),)),)
    programs.save(library.Program(TARGET, (f"x{HOSTILE}", f"{HOSTILE}new"), rules), "other.json")
    monkeypatch.setenv("TERM", "dumb")  # without colours, so that every escape is somebody else's
    monkeypatch.setenv("COLUMNS", "300")
    seen = shown(command)
    assert seen
    assert {letter for letter in seen if not letter.isprintable()} <= {"\n", "\t"}


@pytest.mark.usefixtures("files")
def test_what_takes_long(monkeypatch):
    """Nor is it where a line says what takes so long."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(console, "_PATIENCE", 0.01)
    read = DataSource.read
    monkeypatch.setattr(DataSource, "read", lambda *given, **named: (time.sleep(0.3), read(*given, **named))[1])
    seen = shown(["explain", MODEL, CSV, "--row", "3"])
    assert "reading \\x1b" in seen
    assert not [code for code in ("\x1b[2J", "\x1b]0;t", "\x9b", "\u202e", "\u2066", "\x07", "\b") if code in seen]


@pytest.mark.usefixtures("files")
def test_completion():
    """What a shell would list when Tab is pressed leaves out names that would do something to it."""

    class Context:
        params = {"data": CSV, "model": MODEL}  # noqa: RUF012 - typer's has such an attribute

    assert complete_columns(Context, "") == ["n"]
    assert complete_labels(Context, "") == []
    assert complete_features()(Context, "") == []


def test_a_terminal_by_its_path(tmp_path):
    """A terminal is one by any path: its own, that of an open file, a link; a pipe is not waited for."""
    ours, theirs = pty.openpty()
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(os.ttyname(theirs))
    os.mkfifo(pipe)
    for path in (os.ttyname(theirs), str(link), f"/dev/fd/{theirs}", f"/proc/self/fd/{theirs}"):
        with open_terminal(path) as stream:
            assert stream.isatty(), path
    os.close(ours)
    os.close(theirs)
    assert [open_terminal(path) for path in ("/dev/null", str(pipe), str(tmp_path), "none", "\0", "/dev/fd/9999")] == [
        None
    ] * 6


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("line", ["predict MODEL CSV -q -o /dev/stdout", "fit CSV --target TARGET -q -o /dev/stdout"])
def test_standard_output_by_its_path(line):
    """What is written to /dev/stdout, where that is a terminal, is as visible as what is printed."""
    ours, theirs = pty.openpty()
    words = {"MODEL": MODEL, "CSV": CSV, "TARGET": TARGET}
    command = [*COMMAND, *(words.get(word, word) for word in line.split())]
    seen = ""
    with subprocess.Popen(command, stdout=theirs, env=environment({"TERM": "dumb"})) as process:
        while select.select([ours], [], [], 0.2)[0] or process.poll() is None:
            seen += os.read(ours, 1 << 16).decode() if select.select([ours], [], [], 0)[0] else ""
    os.close(ours)
    os.close(theirs)
    assert process.returncode == 0, seen
    assert "u202e" in seen
    assert {letter for letter in seen if not letter.isprintable()} <= {"\r", "\n", "\t"}, seen
