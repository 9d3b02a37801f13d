"""`unless demo`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import unless


def test_a_first_look(run):
    """Without a folder: what `fit` says of the table, and one refusal with what would change it."""
    done = run("demo")
    assert done.code == 0
    assert done.out.startswith("applicants.csv  900 records, 7 features; left out: applicant (unique)\n")
    assert "0.955 (0.78–0.99)  if employed is no\n" in done.out
    assert "is decided: refuse (rule " in done.out
    assert "What would change it:\n" in done.out
    assert "unless demo loans" in done.err


@pytest.mark.usefixtures("loans")
def test_what_it_shows_is_what_fit_shows(run):
    """The rules and the test are those of `unless fit applicants.csv --target decision`; so is the model."""
    shown = run("demo", "--quiet").out
    done = run("fit", "applicants.csv", "--target", "decision", "-o", "fitted.json", "--quiet")
    assert shown.startswith(done.out)
    assert Path("fitted.json").read_text() == Path("model.json").read_text()


@pytest.mark.usefixtures("loans")
def test_the_files():
    """The folder has tables, models, a page and logic programs; new applicants are not decided, and not old ones."""
    assert {path.name for path in Path().iterdir()} == {
        "applicants.csv", "new.csv", "model.json", "old.json", "rules.txt", "zoo.lp", "examples.lp", "report.html",
    }  # fmt: skip
    old, new = (unless.read_table(path) for path in ("applicants.csv", "new.csv"))
    assert (len(old), len(new)) == (900, 40)
    assert "decision" not in new.features
    assert not set(old.column("applicant").categories) & set(new.column("applicant").categories)
    assert unless.load("old.json").program_ != unless.load("model.json").program_


def test_files_are_not_written_over(run, tmp_path):
    """A file that is there stays, and nothing is written; --force writes over it, and leaves others alone."""
    for name in ("zoo.lp", "mine.txt"):
        (tmp_path / name).write_text("mine")
    done = run("demo", tmp_path)
    assert (done.code, done.out) == (1, "")
    assert "already has zoo.lp; name another folder, or add --force" in done.err
    assert {path.name for path in tmp_path.iterdir()} == {"zoo.lp", "mine.txt"}
    assert run("demo", tmp_path, "--force").code == 0
    assert "mammal" in (tmp_path / "zoo.lp").read_text()
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_file_in_the_way(run, tmp_path):
    """The folder may not be a file."""
    (tmp_path / "loans").write_text("")
    done = run("demo", tmp_path / "loans")
    assert (done.code, "is a file; name a folder" in done.err) == (1, True)


def test_without_jinja_there_is_no_page(run, tmp_path, monkeypatch):
    """Without the extra `report` all other files are written."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    done = run("demo", tmp_path / "loans")
    assert done.code == 0
    assert not (tmp_path / "loans" / "report.html").exists()
    assert (tmp_path / "loans" / "model.json").exists()
