"""Commands say what records hold that training did not have; ``--strict`` refuses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("loans")

RENAMED = "! employed: 5 of 12 records hold jobless, which training did not have (it had no, self, yes)\n"


@pytest.fixture
def renamed():
    """New applicants, one category of which is called otherwise than in training."""
    text = Path("new.csv").read_text()
    assert text.count(",no,") >= 1
    lines = text.splitlines()
    place = lines[0].split(",").index("employed")
    rows = [line.split(",") for line in lines[1:13]]
    for number, row in enumerate(rows):
        row[place] = "jobless" if number < 5 else "yes"
    Path("renamed.csv").write_text("\n".join([lines[0], *(",".join(row) for row in rows)]) + "\n")
    return "renamed.csv"


def test_predict(run, renamed):
    """Predictions are made, and what is new is said with them, for people and for programs."""
    done = run("predict", "model.json", renamed, "-o", "out.csv")
    assert done.code == 0
    assert RENAMED in done.err
    assert len(Path("out.csv").read_text().splitlines()) == 13
    found = json.loads(run("predict", "model.json", renamed, "-o", "out.csv", "--json").out)["unseen"]
    assert found == [
        {
            "feature": "employed",
            "kind": "category",
            "records": 5,
            "of": 12,
            "examples": ["jobless"],
            "training": ["no", "self", "yes"],
            "by_chance": False,
        }
    ]


@pytest.mark.parametrize("arguments", [("predict", "-o", "out.csv"), ("report", "-o", "out.html"), ("explain", "-r1")])
def test_strict(run, renamed, arguments):
    """With --strict records with new values are an error, nothing is written, and known values pass."""
    command, *options = arguments
    done = run(command, "model.json", renamed, *options, "--strict")
    assert (done.code, done.out) == (1, "")
    assert "which training did not have (it had no, self, yes)" in done.err
    assert not [path for path in Path().iterdir() if path.name.startswith("out.")]
    assert run(command, "model.json", "applicants.csv", *options, "--strict").code == 0


def test_explain(run, renamed):
    """An explanation says that the record, or a value of the command line, is new."""
    said = "! employed: the record holds jobless, which training did not have (it had no, self, yes)\n"
    done = run("explain", "model.json", renamed, "--row", "1")
    assert (done.code, done.err) == (0, said)
    assert run("explain", "model.json", renamed, "--row", "9").err == ""
    done = run("explain", "model.json", "--set", "employed=jobless")
    assert (done.code, done.err) == (0, said)
    assert json.loads(run("explain", "model.json", "--set", "age=500", "--json").out)["unseen"][0]["kind"] == "range"


def test_report(run, renamed):
    """The page says so at its head and among the weak spots."""
    done = run("report", "model.json", renamed, "-o", "page.html")
    assert RENAMED in done.err
    text = Path("page.html").read_text()
    assert 'where records have <a href="#unseen">values that training did not have</a>.' in text
    assert "employed: 5 of 12 records hold jobless, which training did not have (it had no, self, yes) <a" in text
    run("report", "model.json", "applicants.csv", "-o", "page.html")
    assert "#unseen" not in Path("page.html").read_text()


def test_rules_alone_know_no_values(run, renamed):
    """Of a program without a model nobody knows what training had."""
    run("export", "model.json", "--to", "json", "-o", "program.json")
    assert "training" not in run("explain", "program.json", renamed, "--row", "1").err
    for command in (("predict", "-o", "out.csv"), ("report", "-o", "out.html"), ("explain", "-r1")):
        done = run(command[0], "program.json", renamed, *command[1:], "--strict")
        assert done.code == 1
        assert "do not know which values training had" in done.err
    assert not [path for path in Path().iterdir() if path.name.startswith("out.")]


def test_what_may_be_chance(run):
    """A number a little outside the range is told, without a sign of alarm, and is no reason to refuse."""
    head, *lines = Path("applicants.csv").read_text().splitlines()
    cells = lines[0].split(",")
    cells[head.split(",").index("age")] = "81"
    Path("older.csv").write_text("\n".join([head, ",".join(cells), *lines[1:]]) + "\n")
    done = run("predict", "model.json", "older.csv", "-o", "out.csv", "--strict")
    assert done.code == 0
    assert "\nage: 1 of 900 records is outside the range of training, " in f"\n{done.err}"
    assert "(few enough to be chance)" in done.err
