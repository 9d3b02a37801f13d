"""`unless inspect` tells what a table holds and what to beware of, on one screen."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.cli.command import called, unless
from unless import load
from unless.values import DEFAULT_MISSING


def written(path, columns):
    pl.DataFrame(columns).write_csv(path)
    return path


def test_example(applicants):
    """Records, classes, columns, reasons, remarks and a command to go on with."""
    done = called("inspect", applicants, "--target", "decision")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "applicants.csv  900 records, 9 columns, 40 kB"
    assert "  accept  524  58.2 %  ████████████████████████" in lines
    assert any(line.startswith("  income ") and "37 empty" in line and "9,000 … 59,800" in line for line in lines)
    assert "number  all present cells are numbers: age, income, amount" in lines
    assert "mixed   25 of 27 distinct cells are numbers, at least half: years_at_address" in lines
    assert "! applicant is unique: all 900 cells differ. Left out by fit; to keep: --include applicant" in lines
    assert done.stderr.strip() == f"next  unless fit {shlex.quote(str(applicants))} --target decision -o model.json"


def test_pictures(applicants):
    """Every column has a small picture of its values; a stream that cannot take blocks gets letters instead."""
    lines = called("inspect", applicants, "-t", "decision").stdout.splitlines()
    assert any(line.startswith("  employed ") and "  ▆▁▁  " in line for line in lines)
    done = unless("inspect", applicants, "-t", "decision", env={"PYTHONIOENCODING": "ascii"})
    assert "  accept  524  58.2 %  ########################" in done.stdout
    assert any(line.startswith("  employed ") and "  +__  " in line for line in done.stdout.splitlines())


def test_next_command_runs(applicants, tmp_path):
    """The command that is proposed runs as it is."""
    command = called("inspect", applicants, "-t", "decision").stderr.strip().removeprefix("next  unless ")
    done = called(*shlex.split(command), cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "model.json").exists()


def test_without_target(applicants):
    """Without a target the column that looks like one is proposed."""
    done = called("inspect", applicants)
    assert done.stderr.strip().endswith("--target decision")
    assert "labels" not in done.stdout


def test_json(applicants):
    """The profile as one JSON document, with the reason of every kind and the spelling of missing cells."""
    done = called("inspect", applicants, "-t", "decision", "--json")
    found = json.loads(done.stdout)
    assert (found["records"], found["target"]["name"]) == (900, "decision")
    income = next(column for column in found["columns"] if column["name"] == "income")
    assert income["missing_cells"] == [{"cell": "", "records": 37}]
    assert income["why"] == "all present cells are numbers"
    assert [remark["code"] for column in found["columns"] for remark in column["remarks"]] == ["unique"]
    assert done.stderr == ""


def test_stdin(applicants):
    """A dash is standard input, CSV unless another format is said."""
    done = unless("inspect", "-", "-t", "decision", "-q", input=applicants.read_bytes())
    assert done.returncode == 0
    assert done.stdout.startswith("standard input  900 records, 9 columns")
    assert done.stderr == ""
    lines = b'{"a": 1, "b": "x"}\n{"a": 2}\n'
    assert json.loads(called("inspect", "-", "--format", "jsonl", "--json", input=lines).stdout)["records"] == 2


def test_wide_table(tmp_path):
    """In a pipe every column of a wide table is listed; in a terminal those with remarks, all with --all."""
    columns = {f"x{place}": [place, 2, 3] for place in range(300)} | {"void": [None, None, None]}
    path = written(tmp_path / "wide.csv", columns)
    assert len(called("inspect", path).stdout.splitlines()) > 300
    terminal = {"FORCE_COLOR": "1", "TERM": "dumb", "COLUMNS": "80"}
    short = unless("inspect", path, env=terminal).stdout
    assert len(short.splitlines()) < 40
    assert "301 features: 301 number; 1 has remarks and is listed" in short.replace("\n", " ")
    assert len(unless("inspect", path, "--all", env=terminal).stdout.splitlines()) > 300


def test_many_labels(tmp_path):
    """Of many labels the most frequent are shown, and how many more there are."""
    path = written(tmp_path / "many.csv", {"x": list(range(200)), "y": [f"c{place % 40}" for place in range(200)]})
    assert "and 28 more labels with 140 records" in called("inspect", path, "-t", "y").stdout


def test_advice_names_the_tokens_in_use(tmp_path):
    """Advice about missing cells repeats the tokens that are in use, which --missing replaces."""
    ages = [str(20 + place) for place in range(40)] + ["-999", "-999", "?", "?"]
    path = written(tmp_path / "ages.csv", {"age": ages, "y": ["a", "b"] * 22})
    said = called("inspect", path, "-t", "y").stdout
    assert "--missing=-999 --missing='?'" in said
    done = called("inspect", path, "-t", "y", "--missing=-999", "--missing", "?", "--json")
    assert json.loads(done.stdout)["columns"][0]["missing"] == 4


def test_declared(tmp_path):
    """Columns are declared one by one, or several with commas between."""
    path = written(tmp_path / "t.csv", {"a": [1, 2], "b": [3, 4], "c": [5, 6]})
    found = json.loads(called("inspect", path, "--categorical", "a,b", "--json").stdout)
    assert [column["kind"] for column in found["columns"]] == ["text", "text", "number"]


@pytest.mark.parametrize("name", ["[bold]x[/]", "a\x1b[31mb", "line\nbreak", 'it\'s, "quoted"', "–" * 300])
def test_names_are_text(tmp_path, name):
    """Names and cells are shown as text: no markup, no escape sequences, no line breaks."""
    path = written(tmp_path / "t.csv", {name: [name, "b", "c"], "y": [name, "v", name]})
    done = called("inspect", path, "--target", "y")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "line\nbreak" not in done.stdout
    if name.startswith("["):
        assert name in done.stdout


def test_wrong_target(applicants):
    """A wrong target is an error with a suggestion."""
    done = called("inspect", applicants, "--target", "decison")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "unless: no column 'decison'; did you mean 'decision'?\n"


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("a;b:y\n1;2;x\n", "'a;b:y': the file seems to be separated by semicolons; is that the right delimiter?"),
        ("1,2,x\n3,4,y\n", "2 of 3 columns have numbers for names, such as '1': the first line may be a record"),
    ],
)
def test_header(tmp_path, text, finding):
    """Other separators and a lacking header are suspected, and a command that needs a column says so too."""
    path = tmp_path / "t.csv"
    path.write_text(text)
    done = called("inspect", path)
    assert finding in done.stdout
    refused = called("fit", path, "--target", "y").stderr
    assert (finding.rpartition(": ")[2] in refused) is ("separated" in finding)


def test_next_says_again_what_was_declared(applicants):
    """The command to go on with reads the table as it was inspected."""
    done = called("inspect", applicants, "-t", "decision", "--categorical", "age", "--missing", "-", "--missing", "")
    assert done.stderr.endswith("--target decision --categorical=age --missing=- --missing='' -o model.json\n")


def test_an_identifier_that_gives_the_label_away(tmp_path):
    """Of an identifier, which fit leaves out anyway, it is asked whether the records are sorted by their label."""
    columns = {"id": list(range(400)), "x": [k * 7 % 31 for k in range(400)], "y": ["a"] * 250 + ["b"] * 150}
    done = called("inspect", written(tmp_path / "t.csv", columns), "-t", "y")
    assert "! id alone decides 'y' for " in done.stdout
    assert "Are the records sorted by their label?" in done.stdout
    assert "--exclude id" not in done.stdout


def run_in_shell(command: str, folder: Path) -> None:
    """Run a proposed command, with the words that a shell makes of it, in a folder."""
    (folder / "unless").write_text("""#!/bin/sh\nprintf '%s\\0' "$@"\n""")
    (folder / "unless").chmod(0o700)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    split = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, check=True)
    done = called(*split.stdout.decode().split("\0")[:-1], cwd=folder)
    assert done.returncode == 0, done.stderr


HOSTILE = ["when", "a b", "it's", "--x", "a,b", "x=y", "é 日", "$(touch gone)", "`id`", 'say "hi"', "*", "line\nbreak"]


@pytest.mark.parametrize("name", HOSTILE)
def test_the_proposed_command_follows_the_advice(tmp_path, name):
    """Dates have their format, copies and giveaways are left out, codes are missing; a shell runs it with any name."""
    rng = np.random.default_rng(1)
    kind, code = rng.integers(0, 3, 300), rng.choice([1, 2, 3, 4, -9], 300, p=[0.24, 0.24, 0.24, 0.24, 0.04])
    label = np.where((kind == 1) ^ (rng.random(300) < 0.1), "yes", "no")
    days = [f"{13 + k % 15}/0{1 + k % 9}/20{10 + k % 13}" for k in range(300)]
    words = np.where(rng.random(300) < 0.1, "missing", kind.astype(str)).tolist()
    columns = {"id": range(1, 301), name: kind, f"{name} again": kind, f"{name} on": days, f"{name} code": code}
    columns |= {f"{name} word": words, f"{name} leak": np.where(label == "yes", "paid", "due"), f"{name} y": label}
    path = tmp_path / "d a'ta.csv"
    pl.DataFrame(columns).write_csv(path)
    command = called("inspect", path, "--target", f"{name} y").stderr.strip().split("next  ")[1]
    assert "--exclude" in command
    assert "-9" in command
    run_in_shell(command, tmp_path)
    model = load(tmp_path / "model.json")
    learned = set(model.schema_.kinds)
    assert learned == {name, f"{name} on", f"{name} code", f"{name} word"}
    assert model.schema_.notations[f"{name} on"].name == "date"
    assert {"-9", "missing", *DEFAULT_MISSING} <= set(model.schema_.missing)
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize("name", HOSTILE)
def test_the_proposed_command_reads_ambiguous_dates(tmp_path, name):
    """Where no cell tells the day from the month, the dates stay text, and the command says how they are written."""
    days = [f"{1 + k % 12:02}/{1 + k * 7 % 12:02}/20{10 + k % 13}" for k in range(300)]
    columns = {name: days, "size": [k % 17 for k in range(300)], "label": ["yes", "no", "no"] * 100}
    path = tmp_path / "d.csv"
    pl.DataFrame(columns).write_csv(path)
    done = called("inspect", path, "-t", "label")
    assert "no cell tells whether the day or the month comes first" in done.stdout
    command = done.stderr.strip().split("next  ")[1]
    assert "--date=" in command
    run_in_shell(command, tmp_path)
    assert load(tmp_path / "model.json").schema_.notations[name].name == "date"


def test_no_date_is_proposed_that_was_declared(tmp_path):
    """A date that is declared is not proposed again, but said again."""
    days = [f"{1 + k % 12:02}/{1 + k * 7 % 12:02}/2010" for k in range(60)]
    path = written(tmp_path / "d.csv", {"on": days, "y": ["a", "b"] * 30})
    done = called("inspect", path, "-t", "y", "--date", "on=%m/%d/%Y")
    assert done.stderr.count("--date") == 1
    assert "--date=on=%m/%d/%Y" in done.stderr
