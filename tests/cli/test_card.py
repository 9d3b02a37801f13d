"""`unless card`: the three formats, what people say, subgroups, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import unless
from unless.export import json as programs
from unless.export.json import load

pytestmark = pytest.mark.usefixtures("loans")


def test_markdown_is_the_default(run):
    """Without -o the card is Markdown on standard output, and nothing else is there."""
    done = run("card", "model.json", "--purpose", "Decides who gets a loan.", "--not-for", "Companies.")
    assert done.code == 0
    assert done.out.startswith("# Model card: decision\n\nDecides who gets a loan.\n")
    assert "## Must not be used for\n\nCompanies.\n" in done.out


@pytest.mark.parametrize("name", ["card.md", "card.html", "card.json"])
def test_the_ending_sets_the_format(run, name):
    """Markdown, HTML and JSON say the same, from one value."""
    done = run("card", "model.json", "applicants.csv", "--by", "employed,age", "-o", name, "--title", "For the board")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith(f"{name}: 5 rules, 3 exceptions, accuracy 0.9")
    text = Path(name).read_text()
    for said in ("For the board", "employed", "19 to ", "UnlessClassifier"):
        assert said in text
    if name.endswith("json"):
        assert json.loads(text)["groups"][0]["feature"] == "employed"


def test_the_same_model_gives_the_same_card(run, monkeypatch):
    """With SOURCE_DATE_EPOCH, nothing in a card depends on when it is written."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    one, two = (run("card", "model.json", "applicants.csv", "--by", "employed").out for _ in range(2))
    assert one == two
    assert "2023-11-14T22:13:20Z" in one


def test_stability_and_watch(run):
    """Both are on the card, on request."""
    done = run("card", "model.json", "applicants.csv", "--stability", "3", "--watch", "new.csv", "--to", "json")
    found = json.loads(done.out)
    assert found["stability"]["refits"] == 3
    assert found["watch"]["records"] == 40
    assert found["rules"][0]["returns"] is not None
    assert any("Watched on 40 newer records" in one for one in found["limits"])


def test_subgroups_by_a_column_that_is_no_feature(run):
    """A column that was left out of learning can be looked at."""
    done = run("card", "model.json", "applicants.csv", "--by", "applicant", "--to", "json")
    names = [one["group"] for one in json.loads(done.out)["groups"]]
    assert names[-1] == "172 other values"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("model.json", "-o", "card.txt"), 1, "a .md, .html or .json file"),
        (("model.json", "--by", "age"), 2, "this needs records"),
        (("model.json", "--stability", "3"), 2, "this needs records"),
        (("model.json", "applicants.csv", "--by", "agee"), 1, "no column 'agee'; did you mean 'age'? (--by)"),
        (("program.json",), 1, "has only rules"),
        (("model.json", "applicants.csv", "-o", "model.json"), 2, "is read"),
    ],
)
def test_what_is_refused(run, arguments, code, said):
    """Formats that are none, groups without records, unknown columns, rules alone, writing over an input."""
    programs.save(load("model.json"), "program.json")
    before = Path("model.json").read_bytes()
    done = run("card", *arguments)
    assert (done.code, said in done.err) == (code, True)
    assert Path("model.json").read_bytes() == before


def test_a_committee(run):
    """The card of a committee says what decides, and shows the list that imitates it."""
    assert (
        run("fit", "applicants.csv", "-t", "decision", "-a", "committee", "--size", "3", "-o", "c.json", "-q").code == 0
    )
    done = run("card", "c.json", "applicants.csv", "--by", "employed")
    assert done.code == 0
    assert "3 lists that vote" in done.out


def test_settings_are_in_words(run):
    """Constraints and weights are said as people say them, and JSON has them as a file of constraints has."""
    wishes = ("--never", "age", "--monotone", "income: more never refuse", "--apart", "employed,amount")
    more = ("--only-exceptions", "guarantor", "--max-literals", "3", "--max-depth", "1", "--class-weight", "refuse=2")
    assert run("fit", "applicants.csv", "-t", "decision", *wishes, *more, "-o", "wished.json").code == 0
    card = run("card", "wished.json").out
    said = (
        "no rule tests age; only exceptions test guarantor; no rule tests both employed and amount; "
        "income: more never refuse; at most 3 literals in a default or an exception; at most 1 level of exceptions"
    )
    assert f"| constraints | {said} |" in card
    assert "| class_weight | refuse 2 |" in card
    assert "Constraints(" not in card
    found = json.loads(run("card", "wished.json", "--to", "json").out)["parameters"]["constraints"]
    assert found == unless.load("wished.json").constraints.to_dict()


def test_data_that_the_model_is_not_from_is_not_called_its_data(run):
    """The fingerprint and the number of records are those of the model's own data, so another file is not named."""
    assert "| data | applicants.csv, 900 records |" in run("card", "model.json", "applicants.csv").out
    lines = Path("applicants.csv").read_text().splitlines()
    Path("other.csv").write_text("\n".join([lines[0], *(f"{line[:-6]}review" for line in lines[1:])]) + "\n")
    assert "| data | 900 records |" in run("card", "model.json", "other.csv").out
