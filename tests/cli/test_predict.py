"""`unless predict`: files in, files out, through the real command."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.command import COMMAND, called, environment, started, unless, writes_in
from unless import UnlessClassifier, read_table
from unless.export import json as programs
from unless.rule import Literal, Program, Rule

DATA = b"a,b,y\n1,x,low\n9,k,high\n2,,low\n8,z,low\n"
ROW = b"1,some text to fill a block with,low\n"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with a model, a program and data."""
    rows = [
        {"a": number % 10, "b": "kxyz"[number % 4], "y": "low" if number % 10 < 6 else "high"} for number in range(200)
    ]
    UnlessClassifier(warn=False).fit(read_table(rows, "y")).save(tmp_path / "model.json")
    rules = (Rule("low", (Literal("a", "<=", 5.0),)), Rule("\x1b[2Jhigh", (Literal("b", "==", "k"),)))
    programs.save(Program("y", ("a", "b"), rules), tmp_path / "program.json")
    (tmp_path / "new.csv").write_bytes(DATA)
    return tmp_path


def rows_of(text: str) -> list[dict[str, str]]:
    """The records of a CSV text."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


class TestOutput:
    """What is written and what is said."""

    def test_a_file_is_written_and_summed_up(self, here: Path) -> None:
        """Standard output stays empty; one line tells the records, the labels and how many are right."""
        done = called("predict", "model.json", "new.csv", "-o", "out.csv", cwd=here)
        rows = rows_of((here / "out.csv").read_text())

        assert (done.returncode, done.stdout) == (0, "")
        assert list(rows[0]) == ["a", "b", "y", "predicted", "probability", "expected_precision", "rule"]
        assert [row["predicted"] for row in rows] == ["low", "high", "low", "high"]
        assert [line for line in done.stderr.splitlines() if "in" in line] == done.stderr.splitlines()
        assert done.stderr.startswith("4 records in ")
        assert done.stderr.endswith(": low 2, high 2; accuracy 0.750 against the labels in the data\n")

    def test_pipes(self, here: Path) -> None:
        """From standard input to standard output, CSV unless said; --quiet says nothing."""
        done = unless("predict", "model.json", "-", "--quiet", input=DATA, cwd=here)
        again = unless(
            "predict", "-", "new.csv", "-q", "-o", "/dev/stdout", input=(here / "model.json").read_bytes(), cwd=here
        )
        lines = called("predict", "model.json", "-", "-q", "--format", "jsonl", input='{"a":1,"b":"x"}\n', cwd=here)

        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("a,b,y,predicted,probability,expected_precision,rule\n1,x,low,low,")
        assert (again.stdout, again.stderr) == (done.stdout, "")
        assert json.loads(lines.stdout)["predicted"] == "low"

    def test_what_stands_in_a_file_before_it_stays(self, here: Path) -> None:
        """/dev/stdout is the standard output as the shell opened it: `>>` appends."""
        log = here / "log"
        log.write_bytes(b"before\n")
        with log.open("ab") as file:
            command = [*COMMAND, "predict", "model.json", "new.csv", "-q", "-o", "/dev/stdout"]
            subprocess.run(command, stdout=file, cwd=here, env=environment(), check=True)

        assert log.read_bytes().startswith(b"before\na,b,y,predicted")

    def test_the_summary_is_data(self, here: Path) -> None:
        """--json prints the summary; to standard error if the records go to standard output."""
        done = called("predict", "model.json", "new.csv", "-o", "out.parquet", "--json", cwd=here)
        aside = called("predict", "model.json", "new.csv", "--json", "--quiet", cwd=here)

        assert json.loads(done.stdout) == json.loads(aside.stderr)
        assert json.loads(done.stdout)["labels"] == [{"label": "high", "records": 2}, {"label": "low", "records": 2}]
        assert json.loads(done.stdout)["accuracy"] == 0.75

    def test_surprises_are_said(self, here: Path) -> None:
        """Rules without statistics have no probability, and a taken name is replaced: both in a line."""
        (here / "new.csv").write_bytes(DATA.replace(b"y", b"rule"))
        done = called("predict", "program.json", "new.csv", "-o", "out.csv", cwd=here)
        named = called("predict", "program.json", "new.csv", "--prefix", "m_", cwd=here)

        assert (
            done.stderr.splitlines()[0]
            == "new.csv already has rule: the new one is called rule_2 (--prefix gives other names)"
        )
        assert "program.json has only rules" in done.stderr.splitlines()[1]
        assert "'\\x1b[2Jhigh' 1" in done.stderr.splitlines()[2]
        assert done.stderr.endswith("undecided 1\n")
        assert named.stdout.startswith("a,b,rule,m_predicted,m_rule\n")

    def test_a_terminal_is_not_moved(self, here: Path) -> None:
        """On a terminal, what would move the cursor is escaped, ends of lines are ends of lines; no binary formats."""
        (here / "new.csv").write_bytes(DATA.replace(b"\n", b"\r\n"))
        with terminal() as (screen, read):
            command = [*COMMAND, "predict", "program.json", "new.csv", "-q"]
            subprocess.run(command, stdout=screen, cwd=here, env=environment(), check=True)
            shown = read()
            refused = subprocess.run(
                [*command, "--to", "parquet"],
                stdout=screen,
                stderr=subprocess.PIPE,
                cwd=here,
                env=environment(),
                check=False,
            )

        assert "9,k,high,\\x1b[2Jhigh,2\r\n" in shown
        assert "\x1b" not in shown
        assert refused.returncode == 1
        assert b"parquet cannot be shown in a terminal; write it to a file: -o predicted.parquet" in refused.stderr

    def test_what_takes_long_has_a_bar(self, here: Path) -> None:
        """After a second a terminal shows how many records are done; at the end the line is gone."""
        os.mkfifo(here / "in.csv")
        with terminal() as (screen, read):
            command = [*COMMAND, "predict", "model.json", "in.csv", "-o", "out.csv"]
            env = environment({"TERM": "xterm", "COLUMNS": "100"})
            process = subprocess.Popen(command, stderr=screen, cwd=here, env=env)
            with (here / "in.csv").open("wb") as pipe:
                pipe.write(b"a,b,y\n" + ROW * 300_000)
                time.sleep(1.5)
            assert process.wait(60) == 0
            shown = read()

        assert "predicting" in shown
        assert " records" in shown
        assert "300,000 records in" in shown.rsplit("\r", 2)[-2] + shown.rsplit("\r", 2)[-1]


class TestMistakes:
    """Bad input."""

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["model.json", "nwe.csv"], 1, "unless: no file 'nwe.csv'; did you mean 'new.csv'?"),
            (["modle.json", "new.csv"], 1, "modle.json"),
            (["model.json", "other.csv", "-o", "out.csv"], 1, "unless: other.csv: no column 'a'; did you mean 'A'?"),
            (["model.json", "bad.csv", "-o", "out.csv"], 1, "unless: bad.csv, line 3: 1 field, but the header names 2"),
            (["model.json", "new.csv", "-o", "nowhere/out.csv"], 1, "to write 'out.csv' to; create it first"),
            (["model.json", "new.csv", "-o", "out.ods"], 1, "only .xlsx are written; write 'out.xlsx'"),
            (
                ["model.json", "new.csv", "-o", "out.txt"],
                1,
                "or say which: --to csv, tsv, jsonl, parquet, arrow or excel",
            ),
            (["model.json", "zip.csv", "-o", "out.csv"], 1, "rename it, or say so: --format excel"),
            (["-", "-"], 1, "can be read only once"),
            (["model.json", "new.csv", "--to", "xlsx"], 2, "--to"),
            (["model.json"], 2, "unless predict --help"),
        ],
    )
    def test_they_are_named_in_a_line(self, here: Path, arguments: list[str], code: int, message: str) -> None:
        """The line tells what is wrong; nothing is written."""
        (here / "bad.csv").write_bytes(b"a,b\n1,x\n2\n")
        (here / "other.csv").write_bytes(b"A,b\n1,x\n")
        (here / "zip.csv").write_bytes(b"PK\x03\x04 and so on")
        done = called("predict", *arguments, cwd=here)

        assert done.returncode == code, done.stderr
        assert message in done.stderr
        assert len(done.stderr.splitlines()) <= 2
        assert done.stdout == ""
        assert not list(here.glob("out.*"))

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
    def test_a_full_disk(self, here: Path) -> None:
        """What could not be written is said, whether a path is full or standard output."""
        done = unless("predict", "model.json", "new.csv", "-o", "/dev/full", cwd=here)
        with Path("/dev/full").open("wb") as full:
            command = [*COMMAND, "predict", "model.json", "new.csv"]
            piped = subprocess.run(
                command, stdout=full, stderr=subprocess.PIPE, cwd=here, env=environment(), check=False
            )

        assert (done.returncode, piped.returncode) == (1, 1)
        assert done.stderr == "unless: /dev/full: cannot write the file: No space left on device\n"
        assert b"No space left on device" in piped.stderr
        assert b"Traceback" not in piped.stderr

    @pytest.mark.parametrize("options", [[], ["--to", "jsonl"], ["-o", "/dev/stdout"]], ids=" ".join)
    def test_a_reader_that_goes_away(self, here: Path, options: list[str]) -> None:
        """Nobody is told that `head` has read enough, whatever is written and by whatever path."""
        (here / "long.csv").write_bytes(b"a,b,y\n" + ROW * 100_000)
        with started("predict", "model.json", "long.csv", *options, cwd=here) as process:
            process.stdout.readline()
            process.stdout.close()
            assert process.wait(60) == 1
            assert process.stderr.read() == ""


class TestInterruptions:
    """A process that ends too early leaves the old file."""

    @pytest.mark.parametrize(
        ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)]
    )
    @pytest.mark.parametrize("out", ["out.csv", "out.parquet"])
    def test_the_old_file_stays(self, here: Path, number: int, code: int, out: str) -> None:
        """Whatever the signal, the file is the old one, and nothing of the new one is left."""
        (here / out).write_bytes(b"old")
        os.mkfifo(here / "in.csv")
        with (
            started("predict", "model.json", "in.csv", "-o", out, cwd=here) as process,
            (here / "in.csv").open("wb") as pipe,
        ):
            pipe.write(b"a,b,y\n" + ROW * 500_000)  # two blocks
            wait_for(lambda: writes_in(process, here))
            process.send_signal(number)
            assert process.wait(30) == code
            said = process.stderr.read()

        assert (here / out).read_bytes() == b"old"
        assert "Traceback" not in said
        assert not list(here.glob(".unless-*.tmp"))


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to pass"
        time.sleep(0.02)


@contextmanager
def terminal():
    """A terminal for a command to write to, and a function that gives what it shows."""
    ours, screen = pty.openpty()

    def read() -> str:
        os.set_blocking(ours, False)
        found = b""
        while True:
            try:
                found += os.read(ours, 1 << 16)
            except BlockingIOError:
                return found.decode()

    try:
        yield screen, read
    finally:
        os.close(ours)
        os.close(screen)
