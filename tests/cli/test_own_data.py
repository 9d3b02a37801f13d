"""Every command knows the data that a model is from, tells what was held back from training, and says what is odd."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import unless

pytestmark = pytest.mark.usefixtures("loans")

CHANGED = "refuse if employed is no\nreview if amount > 27000\naccept otherwise\n"


def rows_of(path: str) -> list[list[str]]:
    with Path(path).open() as file:
        return list(csv.reader(file))


def write(path: str, rows: list[list[str]]) -> None:
    with Path(path).open("w", newline="") as file:
        csv.writer(file).writerows(rows)


@pytest.fixture
def gaps() -> int:
    """A file in which every seventh record has no label; how many those are."""
    names, *rows = rows_of("applicants.csv")
    write("gaps.csv", [names, *([*row[:-1], "" if k % 7 == 0 else row[-1]] for k, row in enumerate(rows))])
    return len(rows[::7])


@pytest.mark.parametrize("records", [None, "part.csv"])
def test_an_edited_model_remembers_what_was_held_back(run, records):
    """Without data, or with a part of it, the split stays: a later measure is a test on the same records."""
    names, *rows = rows_of("applicants.csv")
    write("part.csv", [names, *rows[:100]])
    Path("changed.txt").write_text(CHANGED)
    data = () if records is None else ("--data", records)
    assert run("edit", "model.json", "--from", "changed.txt", "-o", "edited.json", *data).code == 0
    before, after = unless.load("model.json"), unless.load("edited.json")
    assert after.origin_ == before.origin_
    if records is not None:
        assert 0 < after.tested_.held_back < 40
        assert after.tested_.held_back + after.statistics_.total == 100
    done = run("report", "edited.json", "applicants.csv")
    assert "180 records that the rules were not learned from" in done.err
    assert "on 180 records that the rules" in run("predict", "edited.json", "applicants.csv", "-o", "p.csv").err
    again = run("edit", "edited.json", "--from", "rules.txt", "--data", "applicants.csv", "-o", "again.json")
    assert "test: 180 records held back: accuracy" in again.err
    assert "measured on 720 records of training" in again.err


@pytest.mark.parametrize("command", ["edit", "diff"])
def test_changes_are_counted_apart(run, command):
    """What becomes right and wrong is told of the records held back first, then of those of training."""
    Path("changed.txt").write_text(CHANGED)
    edit = ("edit", "model.json", "--from", "changed.txt", "--data", "applicants.csv", "-o", "edited.json")
    done = run(*edit)
    if command == "diff":
        done = run("diff", "model.json", "edited.json", "applicants.csv")
        found = json.loads(run("diff", "model.json", "edited.json", "applicants.csv", "--json").out)["data"]
        assert found["unseen"]["records"] + found["others"]["records"] == found["records"]
        for part in (0, 1):
            assert found["unseen"]["right"][part] + found["others"]["right"][part] == found["right"][part]
        assert found["unseen"]["right"][1] == unless.load("edited.json").tested_.right
    held, others = (line for line in done.out.splitlines() if "right before" in line)
    assert held.startswith("180 records held back: right before: 174 (0.967), after: ")
    assert others.startswith("the other 720, with those of training: right before: ")


def test_changes_on_new_records_are_counted_together(run):
    """Nobody learned from records that no model knows, so there is nothing to tell apart."""
    names, *rows = rows_of("applicants.csv")
    write("other.csv", [names, *([row[0], str(int(row[1]) + 1), *row[2:]] for row in rows if row[1])])
    (line,) = (one for one in run("diff", "old.json", "model.json", "other.csv").out.splitlines() if "right" in one)
    assert line.startswith("right before: ")


def test_records_without_labels_are_left_out_everywhere(run, gaps):
    """What fit leaves out, the other commands leave out too: they know the data again, with the file's own numbers."""
    assert run("fit", "gaps.csv", "-t", "decision", "--drop-unlabelled", "-o", "gaps.json").code == 0
    tested = unless.load("gaps.json").tested_
    assert tested.origin.records == 900 - gaps
    done = run("predict", "gaps.json", "gaps.csv", "-o", "p.csv", "--json")
    found = json.loads(done.out)
    assert found["records"] == 900
    assert found["labelled"] == 900 - gaps
    assert found["own"]["same"]
    assert found["own"]["held_back"] == {
        "records": tested.held_back,
        "accuracy": tested.accuracy,
        "interval": list(tested.interval),
    }
    report = run("report", "gaps.json", "gaps.csv", "-o", "gaps.html", "--sample", "5000").err
    assert f"{gaps} of 900 records of gaps.csv have no label in 'decision'; they are left out" in report
    assert f"{tested.held_back} records that the rules were not learned from" in report
    numbers = json.loads(run("report", "gaps.json", "gaps.csv", "-o", "-").out.split('"rows":')[1].split("]")[0] + "]")
    assert numbers == [k + 1 for k in range(900) if k % 7]
    for command in ("card", "stability"):
        extra = ("-n", "1") if command == "stability" else ()
        assert run(command, "gaps.json", "gaps.csv", *extra).code == 0


def test_blocks_leave_out_the_same_records(run, gaps):
    """A model that was learned in blocks knows the data by the same marks as one that was learned in memory."""
    for name, options in (("memory.json", ()), ("blocks.json", ("--blocks", "kept"))):
        assert run("fit", "gaps.csv", "-t", "decision", "--drop-unlabelled", "-o", name, *options).code == 0
    memory, blocks = (unless.load(name) for name in ("memory.json", "blocks.json"))
    assert blocks.origin_ == memory.origin_
    assert blocks.origin_.records == 900 - gaps


def test_a_few_labels_are_not_worth_leaving_records_out(run):
    """A page about new records, of which hardly any is labelled, has all of them; predict says what the labels say."""
    names, *rows = rows_of("applicants.csv")
    write("few.csv", [names, *([*row[:-1], row[-1] if k < 90 else ""] for k, row in enumerate(rows))])
    report = run("report", "old.json", "few.csv").err
    assert "900 records, no true labels: column 'decision' is missing or incomplete" in report
    assert "against the 90 records that have a label" in run("predict", "old.json", "few.csv", "-o", "p.csv").err


def test_the_numbers_that_fit_suggests_are_those_of_the_file(run, gaps):
    """After records were left out, --row still counts as the file does."""
    done = run("fit", "gaps.csv", "-t", "decision", "--drop-unlabelled", "-o", "gaps.json")
    row = next(line for line in done.err.splitlines() if "explain" in line).split("--row ")[1]
    assert gaps > 100
    assert int(row) % 7 != 1
    explained = run("explain", "gaps.json", "gaps.csv", "--row", row)
    assert explained.code == 0


def test_figures_of_training_are_called_that(run):
    """With --test 0 nothing is held back: no command calls what training shows just accuracy."""
    done = run("fit", "applicants.csv", "-t", "decision", "--test", "0", "-o", "all.json")
    assert "no records were held back; to see how good such rules are: unless evaluate" in done.out
    assert run("predict", "all.json", "applicants.csv", "-o", "p.csv").err.endswith(" in training\n")
    report = run("report", "all.json", "applicants.csv", "-o", "all.html").err
    assert " in training, always accept: 0.582" in report
    assert "accuracy in training" in Path("all.html").read_text()
    card = run("card", "all.json", "applicants.csv").out
    assert "on 900 records of applicants.csv, which the model was learned from" in card
    assert "The figures are of records that the model was learned from: they overstate how good it is" in card


@pytest.mark.parametrize(
    ("rows", "options", "reason"),
    [
        (["1,x", "2,y"], (), "20 % of 2 records is less than one"),
        ([f"{k % 9 + 0.5},{'xy'[k % 2]}" for k in range(40)], ("--test", "0.01"), "1 % of 40 records is less than one"),
        (["1,x", "2,y", "3,z", "4,w"], (), "no label has two records"),
        (["1,x", "2,y"] * 9, (), "all or nearly all records of each label are equal, and equal records stay together"),
    ],
)
def test_why_nothing_is_held_back(run, rows, options, reason):
    """The reason is the right one."""
    Path("few.csv").write_text("\n".join(["a,y", *rows]) + "\n")
    assert f"no records are held back: {reason}" in run("fit", "few.csv", "-t", "y", *options).out


def test_rules_that_stay_and_nothing_to_hold_back(run):
    """If the kept model held back none, that is said; if none of these records would have been, that is the reason."""
    assert run("fit", "applicants.csv", "-t", "decision", "--test", "0", "-o", "all.json").code == 0
    done = run("fit", "applicants.csv", "-t", "decision", "--keep", "all.json", "--lock", "1")
    assert "the figures are too good: it held back none" in done.err
    assert "180 records held back" in done.out
    names, *rows = rows_of("applicants.csv")
    seen = json.loads(run("explain", "model.json", "applicants.csv", "--row", "1-900", "--json").out)["records"]
    write("learned.csv", [names, *(row for row, one in zip(rows, seen, strict=True) if not one["held_back"])])
    done = run("fit", "learned.csv", "-t", "decision", "--keep", "model.json", "--lock", "1")
    assert "no records are held back: none of these would have been held back from the rules that stay" in done.out


def test_labels_that_the_model_does_not_know_are_named(run):
    """Instead of an accuracy of 0 that nobody understands, every command says which labels, and what may be meant."""
    names, *rows = rows_of("applicants.csv")
    write("other.csv", [names, *([*row[:-1], row[-1].title()] for row in rows)])
    Path("changed.txt").write_text(CHANGED)
    edit = ("edit", "model.json", "--from", "changed.txt", "--data", "other.csv", "-o", "e.json")
    for command in (
        ("predict", "model.json", "other.csv", "-o", "p.csv"),
        ("report", "model.json", "other.csv"),
        ("diff", "old.json", "model.json", "other.csv"),
        ("card", "model.json", "other.csv", "-o", "card.md"),
        ("stability", "model.json", "other.csv", "-n", "1"),
        edit,
    ):
        done = run(*command)
        assert "decision: all 900 records have a label that the model does not know, 'Accept', 'R" in done.err, command
        assert "did you mean 'accept'?" in done.err
    assert "'Accept', 'Review', 'Refuse'; did you mean 'accept'?" in run("watch", "model.json", "other.csv").out
