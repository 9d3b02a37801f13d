"""The blocks of a page, run in order: python -m tests.docs.running PAGE."""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from tests.docs.pages import Block, blocks, named

__all__ = ["NOT_RUN", "RUN", "reason", "run_blocks", "runnable"]


RUN = ("python", "console", "sh", "python spark")
"""Blocks of these languages run, those for Spark in tests/blocks/test_spark.py."""

NOT_RUN = {
    ("README.md", "make demo"): "installs packages",
    ("CONTRIBUTING.md", "files, frames ──▶"): "a drawing",
    ("docs/elsewhere.md", "mlflow."): "MLflow is large; it was tried by hand",
    ("docs/how-it-works.md", "class 0 if proline"): "a rule, to look at",
    ("docs/reasons.md", "[features.income]"): "a file of reasons; tests/explanation reads such files",
    ("docs/how-to/costs.md", "[spam]"): "a file of costs; tests/estimators/test_costs.py reads such files",
    ("docs/report.md", "purpose ="): "a file of words; tests/explanation reads such files",
    ("docs/report.md", "unless report model.json test.csv -o report.html --open"): "opens a browser",
    ("docs/report.md", "unless diff model.json rules-edited.json"): "a browser saves the second file",
    ("docs/scale.md", "import psycopg"): "needs a server; tests/blocks/test_postgres.py has one",
    (
        "docs/scale.md",
        "model = UnlessClassifier().fit(spark.",
    ): "needs a catalogue; docs/how-to/spark.md learns from a frame",
    ("docs/scale.md", "unless fit 'parts/*.parquet'"): "wants large files; docs/how-to/large-data.md has small ones",
}
"""Blocks that do not run, by page and the start of their first line, each with the reason."""


def reason(page: Path, block: Block) -> str | None:
    """Why a block does not run."""
    starts = [start for name, start in NOT_RUN if name == named(page) and block.first.startswith(start)]
    return NOT_RUN[named(page), starts[0]] if starts else None


def runnable(page: Path) -> list[Block]:
    """The blocks of a page that run, and what they print."""
    return [block for block in blocks(page) if not reason(page, block)]


def run_blocks(name: str, found: Sequence[Block]) -> None:
    """Run blocks of Python, and commands, where the reader stands; compare what they print with what is shown."""
    from tests.docs.manual import EXAMPLES

    names: dict[str, object] = {"__name__": "__main__"}
    printed = None
    for block in found:
        if block.language == "text":
            assert printed is not None, f"{block.first}: text that no block of Python before it prints"
            assert block.follows, block.first
            _compare(block.text, printed, block.first)
        printed = None
        if block.language == "python":
            with redirect_stdout(io.StringIO()) as out:
                exec(compile(block.text, name, "exec"), names)
            printed = out.getvalue()
        elif block.language == "console":
            _converse(block.text)
        elif block.language == "sh" and block.text.splitlines() not in EXAMPLES:
            _converse("".join(f"$ {line}\n…\n" for line in block.text.splitlines()))


def _converse(session: str) -> None:
    """Call each command of a session, and compare what it prints; `echo $?` is the exit code of the last one."""
    code = 0
    for line, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", session, re.MULTILINE):
        if line == "echo $?":
            assert shown == f"{code}\n"
            code = 0
            continue
        printed = ""
        for command in line.split(" && "):
            assert code == 0, f"exit code {code} before {command}"
            code, out = _run(command)
            printed += out
        _compare(shown, printed, line)
    assert code == 0, f"exit code {code} at the end"


def _run(command: str) -> tuple[int, str]:
    """Run a command where the reader stands; return its exit code and what it prints. `cd` goes elsewhere."""
    program, *arguments = shlex.split(command, comments=True)
    if program == "cd":
        os.chdir(*arguments)
        return 0, ""
    assert program == "unless", command
    from tests.cli.command import called

    ran = called(*arguments)
    assert ran.returncode in (0, 3), ran.stderr
    return ran.returncode, ran.stdout


def _compare(shown: str, printed: str, what: str) -> None:
    """What a page shows is what was printed."""
    wanted, given = (re.sub(r" in [0-9.]+ m?s(?=$|,)", " in T", text, flags=re.MULTILINE) for text in (shown, printed))
    parts = [re.escape(part) for part in re.split(r"^ *…\n", wanted, flags=re.MULTILINE)]
    assert re.fullmatch("(?:.*\n)*?".join(parts), given), f"{what}\n{given}"


if __name__ == "__main__":
    run_blocks(sys.argv[1], runnable(Path(sys.argv[1])))
