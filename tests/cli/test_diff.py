"""`unless diff`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import unless
from unless.diff import compare_records, compare_rules
from unless.export import json as programs
from unless.model import find_training_overlap

pytestmark = pytest.mark.usefixtures("loans")

AGE = unless.Literal("age", "<=", 30)
ABROAD = unless.Literal("home", "==", "abroad")
OLD = unless.Program(
    "loan",
    ("age", "home", "income"),
    (
        unless.Rule("yes", (unless.Literal("income", ">", 90_000),)),
        unless.Rule("no", (AGE, ABROAD), (unless.Rule(None, (unless.Literal("income", ">", 27_500),)),)),
        unless.Rule("ask", (unless.Literal("age", "missing"),)),
        unless.Rule("ask", (unless.Literal("income", "missing"),)),
    ),
    "yes",
)
NEW = replace(
    OLD,
    rules=(
        unless.Rule("no", (AGE,), (unless.Rule(None, (unless.Literal("income", ">", 28_000),)),)),
        OLD.rules[3],
        OLD.rules[0],
        unless.Rule("no", (unless.Literal("home", "missing"),)),
    ),
    otherwise="ask",
)


@pytest.fixture
def files():
    """Two programs as files."""
    programs.save(OLD, "a.json")
    programs.save(NEW, "b.json")
    return "a.json", "b.json"


def test_rules_kept_moved_changed_added_removed(run, files):
    """A rule has a sign, its numbers before and after, its label, and what is new within."""
    done = run("diff", *files)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "loan: 4 rules before, 4 after: 1 kept, 1 moved, 1 changed, 1 added, 1 removed",
        "~  2 → 1  no     if age ≤ 30",
        "               - and home is abroad",
        "               ~   unless income > 27,500 → 28,000",
        "-  3      ask    if age is missing",
        ">  1 → 3  yes    if income > 90,000",
        "+  4      no     if home is missing",
        "otherwise: yes → ask",
    ]


def test_ranges(run):
    """A range is one condition, also where one of its bounds changed; a bound that was added has its own line."""
    above, most = (unless.Literal("income", op, number) for op, number in ((">", 20_000), ("<=", 50_000)))
    exceptions = (unless.Rule(None, (above, unless.Literal("income", "<=", 30_000))),)
    later = unless.Literal("income", ">", 25_000)
    programs.save(replace(OLD, rules=(unless.Rule("yes", (above, ABROAD, most)), unless.Rule("no", (most,)))), "a.json")
    changed = unless.Rule("yes", (ABROAD, most, later), exceptions)
    programs.save(replace(OLD, rules=(changed, unless.Rule("no", (most, above)))), "b.json")
    assert run("diff", "a.json", "b.json").out.splitlines()[1:] == [
        "~  1  yes  ~ if home is abroad and income is above 20,000 → 25,000 and at most 50,000",
        "           +   unless income is above 20,000 and at most 30,000",
        "~  2  no     if income ≤ 50,000",
        "           + and income > 20,000",
    ]


def test_a_changed_bound_is_told_even_if_it_does_not_matter(run):
    """A bound that follows from a tighter one is left out of a rule, unless it is what changed."""
    bounds = [unless.Literal("age", ">", number) for number in (30, 32, 35)]
    programs.save(replace(OLD, rules=(unless.Rule("yes", (bounds[0], bounds[2])),)), "a.json")
    programs.save(replace(OLD, rules=(unless.Rule("yes", (bounds[1], bounds[2])),)), "b.json")
    assert run("diff", "a.json", "b.json").out.splitlines()[1] == "~  1  yes  ~ if age > 35 and age > 30 → 32"


def test_a_rule_that_changed_and_moved(run):
    """A rule that is both has both signs."""
    programs.save(replace(OLD, rules=OLD.rules[:2]), "a.json")
    programs.save(replace(OLD, rules=(NEW.rules[0], OLD.rules[0])), "b.json")
    assert run("diff", "a.json", "b.json").out.splitlines()[1].startswith("~>  2 → 1  no")


def test_models_of_the_same_rules(run):
    """Models that decide alike are the same, and --exit-code tells whether they are."""
    done = run("diff", "model.json", "model.json", "--exit-code")
    assert (done.code, done.out) == (0, "decision: the rules are the same, 5 rules\n")
    assert run("diff", "old.json", "model.json", "--exit-code").code == 1
    assert run("diff", "old.json", "model.json").code == 0


def test_records_that_change_label(run):
    """With data: how many change, from what to what, how many become right, and the first with both reasons."""
    done = run("diff", "old.json", "model.json", "applicants.csv", "--most", "1")
    old, new = (programs.load(path) for path in ("old.json", "model.json"))
    table = unless.read_table("applicants.csv", like=unless.load("model.json"))
    found = compare_records(old, new, table, table)
    assert f"{found.changed} of 900 records change label ({100 * found.changed / 900:.1f} %)" in done.out
    held = find_training_overlap(unless.load("model.json").model_, table).held_back
    found = compare_records(old, new, table, table, unseen=held)
    for turn, on in ((found.unseen, "180 records held back"), (found.others, "the other 720, with those of training")):
        before, after = (f"{right} ({right / turn.records:.3f})" for right in turn.right)
        assert f"{on}: right before: {before}, after: {after}; {turn.better} become right" in done.out
    switch = found.switches[0]
    assert f"Record {switch.number}: {switch.old.label} → {switch.new.label} (in the data: {switch.truth})" in done.out
    assert f"  before  rule {switch.old.decided + 1}: {switch.old.rule.reason()}" in done.out.splitlines()
    assert f"… and {found.changed - 1} more records" in done.out


def test_unlabelled_records(run):
    """Records without labels change too, but nobody knows which become right."""
    done = run("diff", "old.json", "model.json", "new.csv")
    assert "of 40 records change label" in done.out or "of 40 records changes label" in done.out
    assert "right before" not in done.out


def test_json(run):
    """The document has the comparison and what it does to the data, null without data."""
    document = json.loads(run("diff", "old.json", "model.json", "--json").out)
    old, new = (programs.load(path) for path in ("old.json", "model.json"))
    assert document == {"old": "old.json", "new": "model.json", **compare_rules(old, new).to_dict(), "data": None}
    document = json.loads(run("diff", "old.json", "model.json", "new.csv", "--json").out)
    assert document["data"]["records"] == 40
    assert document["data"]["right"] is None


def test_the_same_rules_of_a_text_file_and_of_a_typed_one(run):
    """Labels that are text in one model and numbers in the other are the same, and no record changes."""
    Path("data.csv").write_text("age\n20\n50\n")
    for name, labels in (("text.json", ("1.0", "2")), ("typed.json", (1, 2))):
        programs.save(unless.Program("y", ("age",), (unless.Rule(labels[0], (AGE,)),), labels[1]), name)
    assert run("diff", "text.json", "typed.json", "data.csv", "--exit-code") == (
        0, "y: the rules are the same, 1 rule\n\n0 of 2 records change label\n", ""
    )  # fmt: skip


def test_other_features_and_targets(run, files):
    """Models of other features and targets are compared; it says how they differ."""
    programs.save(replace(OLD, target="credit", features=("age", "home", "income", "job")), "c.json")
    done = run("diff", "a.json", "c.json")
    assert done.out.splitlines()[:2] == ["The targets differ: loan before, credit after.", "New features: job"]
    Path("data.csv").write_text("age,home,income\n20,abroad,1\n50,here,5\n")
    done = run("diff", *files, "data.csv")
    assert done.code == 0
    assert "1 of 2 records changes label (50.0 %)" in done.out
    Path("data.csv").write_text("age,home\n20,abroad\n")
    done = run("diff", *files, "data.csv")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("unless: data.csv: no column 'income'; ")
    assert done.err.endswith("\nThe model needs it.\n")


def test_one_from_standard_input(run):
    """No more than one of the three is standard input."""
    assert run("diff", "-", "-").code == 1
