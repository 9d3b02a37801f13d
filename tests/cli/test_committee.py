"""Committees on the command line: learned, shown, explained, exported; and what is said where they do not fit."""

from __future__ import annotations

import csv
import io
import json

import pytest

import unless
from tests.cli.command import called


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of the demo, and a committee learned from them."""
    where = tmp_path_factory.mktemp("committee")
    assert called("demo", "loans", cwd=where).returncode == 0
    fit = ("fit", "applicants.csv", "-t", "decision", "-a", "committee", "--size", "8", "-o", "c.json")
    done = called(*fit, cwd=where / "loans")
    assert done.returncode == 0, done.stderr
    assert "8 lists in " in done.stdout
    assert "It decides; this list imitates it, and agrees on " in done.stdout
    assert "180 records held back: accuracy 0.9" in done.stdout
    return where / "loans"


def test_predictions_are_the_committees(folder):
    """The new columns are the label and its probability; no single rule decides."""
    done = called("predict", "c.json", "new.csv", cwd=folder)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    model = unless.load(folder / "c.json")
    table = unless.read_table(folder / "new.csv", like=model)
    assert [row["predicted"] for row in rows] == model.predict(table).tolist()
    shares = model.predict_proba(table).max(axis=1)
    assert [float(row["probability"]) for row in rows] == pytest.approx(shares, abs=1e-6)
    assert "rule" not in rows[0]
    again = called("predict", "c.json", "applicants.csv", "-o", "out.parquet", "--json", cwd=folder)
    assert json.loads(again.stdout)["accuracy"] > 0.9


def test_explanations_add_up(folder):
    """A record has its sentence, its table and its changes, as text and as JSON."""
    done = called("explain", "c.json", "new.csv", "--row", "8", "--what-if", cwd=folder)
    assert done.stdout.startswith("Record 8: decision ")
    assert " total\n" in done.stdout
    assert "What would change it:" in done.stdout
    found = json.loads(called("explain", "c.json", "new.csv", "-r", "8", "--json", cwd=folder).stdout)
    vote = found["records"][0]["vote"]
    model = unless.load(folder / "c.json")
    (shares,) = model.predict_proba(unless.read_table(folder / "new.csv", like=model)[[7]])
    assert found["records"][0]["probability"] == pytest.approx(shares.max(), abs=1e-12)
    assert model.model_.probabilities(unless.read_table(folder / "new.csv", like=model))[7] == pytest.approx(shares)
    parts = [vote["base"], *(one["points"] for one in vote["votes"])]
    assert [sum(column) for column in zip(*parts, strict=True)] == vote["total"]
    alone = called("explain", "c.json", "--set", "amount=1000", "--why-not", "refuse", "--what-if", cwd=folder)
    assert "→ refuse (" in alone.stdout


def test_show_and_report_say_what_decides(folder):
    """The list that imitates the committee is shown, with how often both agree."""
    shown = called("show", "c.json", cwd=folder).stdout
    assert shown.startswith("decision: the vote of 8 lists with ")
    assert json.loads(called("show", "c.json", "--json", cwd=folder).stdout)["format"] == "unless-committee"
    assert called("report", "c.json", "applicants.csv", "-o", "r.html", cwd=folder).returncode == 0
    page = (folder / "r.html").read_text()
    assert "<strong>A committee of 8 lists decides</strong>" in page
    assert "it agrees on " in page


def test_exports(folder):
    """Python is what the library writes; SQL can be a whole query; other languages are refused with advice."""
    model = unless.load(folder / "c.json")
    exported = called("export", "c.json", "--to", "python", "--returns", "points", cwd=folder).stdout
    assert exported == unless.export.to_python(model, what="points")
    query = called("export", "c.json", "--to", "sql", "--table", "applicants", cwd=folder).stdout
    assert "AS predicted" in query
    query = called(
        "export", "c.json", "--to", "sql", "--table", "applicants", "--what", "probability", cwd=folder
    ).stdout
    assert "AS probability_accept" in query
    for language in ("clingo", "prolog", "json", "text"):
        done = called("export", "c.json", "--to", language, cwd=folder)
        assert done.returncode == 1
        assert f"cannot be written as {language}, only as sql, python, javascript or onnx" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("diff", "c.json", "model.json"), 1, "diff takes one list"),
        (("explain", "c.json", "new.csv", "-r", "1", "--style", "tree"), 2, "many lists"),
        (("explain", "c.json", "new.csv", "-r", "1", "--points"), 2, "are always shown"),
        (("explain", "c.json", "new.csv", "-r", "1", "--why-not", "refuse"), 2, "add --what-if"),
        (("fit", "applicants.csv", "-t", "decision", "--size", "3"), 2, "it is for --algorithm committee"),
        (("export", "c.json", "--to", "python", "--returns", "rule"), 1, "cannot return 'rule'"),
    ],
)
def test_what_does_not_fit_is_said(folder, arguments, code, said):
    """What is about one list is refused, with what to do instead."""
    done = called(*arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_evaluate_judges_the_committee(folder):
    """Its rules are those of all lists, and its decisions those of the vote."""
    done = called("evaluate", "applicants.csv", "-t", "decision", "-a", "committee", "--cv", "2", "--json", cwd=folder)
    (_, score) = json.loads(done.stdout)["algorithms"]
    assert score["algorithm"] == "committee"
    assert score["rules"]["mean"] > 100


def test_fit_says_what_trials_chose(tmp_path):
    """If trials chose other settings than the given ones, `fit` says which."""
    fields = ((a / 7 % 5, a * a / 11 % 5) for a in range(2000))
    lines = [f"{a:.3f},{b:.3f},{'black' if (int(a) + int(b)) % 2 else 'white'}" for a, b in fields]
    (tmp_path / "board.csv").write_text("\n".join(["a,b,colour", *lines]))
    done = called("fit", "board.csv", "-t", "colour", "-a", "committee", "--size", "26", "-o", "c.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tuned" in done.stdout
    chosen = unless.load(tmp_path / "c.json").tuned_
    assert f"penalty {chosen['penalty']:g}, min support {chosen['min_support']:g}" in done.stdout
