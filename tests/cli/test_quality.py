"""What is said of quality is what unseen records show, whichever command says it."""

from __future__ import annotations

import csv
import json
import re

import pytest

from tests.cli.command import called


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    """The files of the demo, and a model of them."""
    folder = tmp_path_factory.mktemp("quality")
    assert called("demo", "loans", cwd=folder).returncode == 0
    found = called("fit", "applicants.csv", "-t", "decision", "-o", "own.json", "--json", cwd=folder / "loans")
    assert found.returncode == 0, found.stderr
    (folder / "loans" / "fit.json").write_text(found.stdout)
    return folder / "loans"


@pytest.fixture
def held_back(loans):
    """What fit says of the records held back."""
    return json.loads((loans / "fit.json").read_text())["test"]


def said(text: str) -> list[float]:
    """The shares that a text names."""
    return [float(share) for share in re.findall(r"\b[01]\.\d{3}\b", text)]


def test_no_command_says_more_than_fit(loans, held_back):
    """The next commands on the same file show the accuracy on records held back, with its interval."""
    wanted = [round(held_back["accuracy"], 3), *(round(end, 3) for end in held_back["interval"])]
    fit = called("fit", "applicants.csv", "-t", "decision", cwd=loans)
    assert said(fit.stdout.splitlines()[-1])[:3] == wanted
    assert said(called("show", "own.json", cwd=loans).stdout.splitlines()[-1])[:3] == wanted
    report = called("report", "own.json", "applicants.csv", cwd=loans).stderr
    assert said(report)[:3] == wanted
    assert "180 records that the rules were not learned from" in report
    predicted = called("predict", "own.json", "applicants.csv", "-o", "p.csv", cwd=loans).stderr
    assert said(predicted)[:3] == wanted
    assert "on those of training" in predicted


def test_the_order_of_rows_and_other_columns_do_not_matter(loans, held_back):
    """A shuffled file with a column more is the same data; with other records it has most of it, or not."""
    with (loans / "applicants.csv").open() as file:
        names, *rows = csv.reader(file)
    changed = [[*row[:-1], "accept" if row[-1] == "refuse" else "refuse"] for row in rows]
    files = {"same.csv": rows[::-1], "more.csv": rows[1:] + changed[:300], "few.csv": rows[:200] + changed[200:]}
    for name, some in files.items():
        with (loans / name).open("w") as file:
            csv.writer(file).writerows([["more", *names], *(["x", *row] for row in some)])
    found = json.loads(called("predict", "own.json", "same.csv", "-o", "p.csv", "--json", cwd=loans).stdout)
    assert found["own"]["held_back"]["accuracy"] == held_back["accuracy"]
    assert found["own"]["held_back"]["records"] == held_back["records"]
    assert found["own"]["others"]["records"] == 900 - held_back["records"]
    assert found["own"]["same"]
    more = json.loads(called("predict", "own.json", "more.csv", "-o", "p.csv", "--json", cwd=loans).stdout)["own"]
    assert not more["same"]
    assert 180 < more["held_back"]["records"] < 300
    assert more["held_back"]["records"] + more["others"]["records"] == 1199
    assert said(called("report", "own.json", "more.csv", cwd=loans).stderr)[0] == round(
        more["held_back"]["accuracy"], 3
    )
    few = json.loads(called("predict", "own.json", "few.csv", "-o", "p.csv", "--json", cwd=loans).stdout)
    assert few["own"] is None


def test_records_of_training_are_called_that(loans):
    """Where all records were learned from, the page and predict say so, and claim nothing about new ones."""
    split = json.loads(called("explain", "own.json", "applicants.csv", "--row", "1-900", "--json", cwd=loans).stdout)
    held = [record["held_back"] for record in split["records"]]
    with (loans / "applicants.csv").open() as file:
        names, *rows = csv.reader(file)
    with (loans / "train.csv").open("w") as file:
        csv.writer(file).writerows([names, *(row for row, back in zip(rows, held, strict=True) if not back)])
    assert "in training" in called("report", "own.json", "train.csv", cwd=loans).stderr
    assert "says nothing about new ones" in (loans / "report.html").read_text()
    assert "were not learned" not in called("predict", "own.json", "train.csv", "-o", "p.csv", cwd=loans).stderr


def test_explain_says_that_nothing_was_learned_from_a_record(loans):
    """Of records held back; of others it says nothing."""
    hint = called("fit", "applicants.csv", "-t", "decision", "-o", "m.json", cwd=loans).stderr
    row = re.search(r"--row (\d+)", hint)[1]
    found = json.loads(called("explain", "own.json", "applicants.csv", "--row", "1-40", "--json", cwd=loans).stdout)
    held = {str(record["row"]) for record in found["records"] if record["held_back"]}
    assert row in held
    assert 0 < len(held) < 20
    text = called("explain", "own.json", "applicants.csv", "--row", row, cwd=loans).stdout
    assert "the rules were not learned from this record" in text
    other = next(str(record["row"]) for record in found["records"] if not record["held_back"])
    assert "learned from" not in called("explain", "own.json", "applicants.csv", "--row", other, cwd=loans).stdout


def test_rules_say_what_to_expect(loans):
    """In JSON: a share with its ends, and what the records held back showed."""
    found = json.loads((loans / "fit.json").read_text())
    for rule in found["rules"]:
        assert rule["between"][0] <= rule["expected_precision"] <= rule["between"][1]
        assert rule["unseen_right"] <= rule["unseen"]
    assert sum(rule["unseen"] for rule in found["rules"]) == found["test"]["records"]
    record = json.loads(called("explain", "own.json", "applicants.csv", "--row", "3", "--json", cwd=loans).stdout)
    assert record["records"][0]["statistics"]["expected_precision"] in {
        rule["expected_precision"] for rule in found["rules"]
    }


@pytest.mark.parametrize("algorithm", ["fold-rm", "committee"])
def test_other_learners_are_tested_too(loans, algorithm):
    """Whatever was learned: report and predict say what fit says, of what decides."""
    more = ["--size", "3"] if algorithm == "committee" else []
    fit = called("fit", "applicants.csv", "-t", "decision", "-a", algorithm, "-o", "a.json", "--json", *more, cwd=loans)
    wanted = json.loads(fit.stdout)["test"]
    found = json.loads(called("predict", "a.json", "applicants.csv", "-o", "p.csv", "--json", cwd=loans).stdout)
    assert found["own"]["held_back"]["accuracy"] == wanted["accuracy"]
    assert "180 records that the rules were not" in called("report", "a.json", "applicants.csv", cwd=loans).stderr


def test_blocks_hold_back_the_same_records(loans, held_back):
    """Records that are learned from in blocks are split as in memory."""
    found = called("fit", "applicants.csv", "-t", "decision", "--blocks", "kept", "-o", "b.json", "--json", cwd=loans)
    assert json.loads(found.stdout)["test"] == held_back
    one, other = (json.loads((loans / name).read_text()) for name in ("own.json", "b.json"))
    assert one["statistics"]["tested"] == other["statistics"]["tested"]
    assert one["rules"] == other["rules"]


def test_equal_records_cannot_be_held_back(tmp_path):
    """Nothing is tested on a copy of what it was learned from; that is said."""
    (tmp_path / "equal.csv").write_text("a,b,y\n" + "1,x,no\n" * 20 + "2,z,yes\n" * 20)
    said_last = called("fit", "equal.csv", "-t", "y", cwd=tmp_path).stdout.splitlines()[-1]
    assert "no records are held back: all or nearly all records of each label are equal" in said_last


def test_another_seed_holds_back_others(loans):
    """The seed is the salt, and the model file has it."""
    called("fit", "applicants.csv", "-t", "decision", "--seed", "7", "-o", "seven.json", cwd=loans)
    one, other = (json.loads((loans / name).read_text())["statistics"]["tested"] for name in ("own.json", "seven.json"))
    assert other["salt"] == 7
    assert one["fingerprint"] == other["fingerprint"]
    assert one["counts"] != other["counts"]


def test_the_trade_off_is_drawn_and_kept(loans):
    """A line for each number of rules, as JSON, and in the model file; --rules picks."""
    found = called("fit", "applicants.csv", "-t", "decision", "--trade-off", "-o", "t.json", cwd=loans)
    drawn = [line for line in found.stdout.splitlines() if "●" in line]
    kept = json.loads((loans / "t.json").read_text())["statistics"]["trade_off"]
    assert len(drawn) == len(kept) > 3
    assert "●" in called("show", "t.json", cwd=loans).stdout
    evaluated = called("evaluate", "applicants.csv", "-t", "decision", "-a", "unless", "--cv", "2", "--json", cwd=loans)
    choices = json.loads(evaluated.stdout)["trade_off"]["choices"]
    assert [one["rules"] for one in choices] == sorted(one["rules"] for one in choices)
    picked = called("fit", "applicants.csv", "-t", "decision", "--rules", "2", "--json", cwd=loans)
    assert len(json.loads(picked.stdout)["rules"]) == 2
    refused = called("fit", "applicants.csv", "-t", "decision", "-a", "fold-rm", "--trade-off", cwd=loans)
    assert "it is for --algorithm unless" in refused.stderr
