"""`unless stability`: what comes back, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import unless
from unless.estimators import relearning
from unless.export import json as programs
from unless.export.json import load

pytestmark = pytest.mark.usefixtures("loans")


def test_what_is_shown(run):
    """A line says how stable decisions are; then come the rules and the thresholds."""
    done = run("stability", "model.json", "applicants.csv", "-n", "4")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("4 refits: 9")
    assert lines[2].split() == ["rule", "returns", "same", "tests"]
    assert "refuse  if history is late and income ≤" in done.out
    assert "unless income >" in done.out
    assert "returns: a rule with the same label" in done.err


def test_json(run):
    """--json has all figures, and the same seed gives the same ones."""
    one, two, other = (
        run("stability", "model.json", "applicants.csv", "-n", "3", "--seed", seed, "--json").out for seed in "001"
    )
    assert one == two != other
    found = json.loads(one)
    assert (found["refits"], found["asked"], found["complete"]) == (3, 3, True)
    assert {"rule", "label", "returns", "same_tests", "overlap"} <= set(found["rules"][0])


def test_a_committee(run):
    """Of a committee only decisions are compared."""
    assert (
        run("fit", "applicants.csv", "-t", "decision", "-a", "committee", "--size", "2", "-o", "c.json", "-q").code == 0
    )
    done = run("stability", "c.json", "applicants.csv", "-n", "2")
    assert done.code == 0
    assert len(done.out.splitlines()) == 1
    assert "no single rules" in done.err


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("new.csv", "no complete column of labels"),
        ("strange.csv", "a label that the model does not know, 'maybe'"),
        ("header.csv", "no records to learn from"),
    ],
)
def test_what_cannot_be_learned_from(run, data, said):
    """Records without labels, with other labels, and no records are refused."""
    text = Path("applicants.csv").read_text()
    Path("strange.csv").write_text(text.replace(",review\n", ",maybe\n", 1))
    Path("header.csv").write_text(text.splitlines()[0] + "\n")
    done = run("stability", "model.json", data, "-n", "2")
    assert (done.code, said in done.err) == (1, True)


def test_rules_alone_are_refused(run):
    """A file that has only rules does not know how they were learned."""
    programs.save(load("model.json"), "program.json")
    done = run("stability", "program.json", "applicants.csv")
    assert (done.code, "has only rules" in done.err) == (1, True)


@pytest.mark.parametrize("done", [0, 2])
def test_ctrl_c_shows_what_is_done(run, monkeypatch, done):
    """After Ctrl-C the refits so far are shown, and the exit code is 130; without any there is nothing to show."""
    again = relearning.refits_by

    def stopped(*arguments, **settings):
        for number, refit in enumerate(again(*arguments, **settings)):
            if number == done:
                raise KeyboardInterrupt
            yield refit

    monkeypatch.setattr(relearning, "refits_by", stopped, raising=True)
    found = run("stability", "model.json", "applicants.csv", "-n", "5")
    assert found.code == 130
    assert found.out.startswith("interrupted; 2 refits: ") if done else not found.out
    assert "Traceback" not in found.err


def test_locked_rules_stay(run):
    """They are not learned again: the others are learned around them, and the file remembers which they are."""
    Path("kept.txt").write_text("refuse if years_at_address is abroad\naccept otherwise\n")
    assert run("edit", "model.json", "--from", "kept.txt", "-o", "kept.json").code == 0
    fit = run("fit", "applicants.csv", "-t", "decision", "--keep", "kept.json", "--lock", "1", "-o", "locked.json")
    assert "locked          rule 1\n" in fit.out
    assert "locked: rule 1\n" in run("show", "locked.json").out
    assert unless.load("locked.json").locked_ == (0,)
    done = run("stability", "locked.json", "applicants.csv", "-n", "3")
    assert "   1   locked              refuse  if years_at_address is abroad" in done.out
    found = json.loads(run("stability", "locked.json", "applicants.csv", "-n", "3", "--json").out)
    assert found["locked"] == [0]
    assert found["rules"][0]["same_tests"] == 1.0
    assert "Rule 1 was locked: it comes from people or an earlier model" in run("card", "locked.json").out
    page = run("report", "locked.json", "applicants.csv", "-o", "-").out
    assert 'Rule <a href="#rule-1">1</a> was locked: the others were learned around it.' in page
    assert "locked: " not in run("report", "model.json", "applicants.csv", "-o", "-").out.split("<ol class")[0]
