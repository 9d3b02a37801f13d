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
def test_figures(loans):
    """What fit says of the records held back."""
    return json.loads((loans / "fit.json").read_text())["test"]


def said(text: str) -> list[float]:
    """The shares that a text names."""
    return [float(share) for share in re.findall(r"\b[01]\.\d{3}\b", text)]


def test_no_command_says_more_than_fit(loans, test_figures):
    """The next commands on the same file show the accuracy on records held back, with its interval."""
    wanted = [round(test_figures["accuracy"], 3), *(round(end, 3) for end in test_figures["interval"])]
    fit = called("fit", "applicants.csv", "-t", "decision", cwd=loans)
    assert said(fit.stdout.splitlines()[-1])[:3] == wanted
    assert said(called("show", "own.json", cwd=loans).stderr)[:3] == wanted
    report = called("report", "own.json", "applicants.csv", cwd=loans).stderr
    assert said(report)[:3] == wanted
    assert "180 records held back" in report
    predicted = called("predict", "own.json", "applicants.csv", "-o", "p.csv", cwd=loans).stderr
    assert said(predicted)[:3] == wanted
    assert "on those of training" in predicted


def test_the_order_of_rows_and_other_columns_do_not_matter(loans, test_figures):
    """A shuffled file with a column more is the same data; with a record less it is other data."""
    with (loans / "applicants.csv").open() as file:
        names, *rows = csv.reader(file)
    for name, some in (("same.csv", rows[::-1]), ("less.csv", rows[1:])):
        with (loans / name).open("w") as file:
            csv.writer(file).writerows([["more", *names], *(["x", *row] for row in some)])
    found = json.loads(called("predict", "own.json", "same.csv", "-o", "p.csv", "--json", cwd=loans).stdout)
    assert found["own"]["held_back"]["accuracy"] == test_figures["accuracy"]
    assert found["own"]["held_back"]["records"] == test_figures["records"]
    assert found["own"]["learned_from"]["records"] == 900 - test_figures["records"]
    less = json.loads(called("predict", "own.json", "less.csv", "-o", "p.csv", "--json", cwd=loans).stdout)
    assert less["own"] is None


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
        assert rule["between"][0] <= rule["expected"] <= rule["between"][1]
        assert rule["unseen_right"] <= rule["unseen"]
    assert sum(rule["unseen"] for rule in found["rules"]) == found["test"]["records"]
    record = json.loads(called("explain", "own.json", "applicants.csv", "--row", "3", "--json", cwd=loans).stdout)
    assert record["records"][0]["statistics"]["expected"] in {rule["expected"] for rule in found["rules"]}


@pytest.mark.parametrize("algorithm", ["fold-rm", "committee"])
def test_other_learners_are_tested_too(loans, algorithm):
    """Whatever was learned: report and predict say what fit says, of what decides."""
    more = ["--size", "3"] if algorithm == "committee" else []
    fit = called("fit", "applicants.csv", "-t", "decision", "-a", algorithm, "-o", "a.json", "--json", *more, cwd=loans)
    wanted = json.loads(fit.stdout)["test"]
    found = json.loads(called("predict", "a.json", "applicants.csv", "-o", "p.csv", "--json", cwd=loans).stdout)
    assert found["own"]["held_back"]["accuracy"] == wanted["accuracy"]
    assert "180 records held back" in called("report", "a.json", "applicants.csv", cwd=loans).stderr


def test_blocks_hold_back_the_same_records(loans, test_figures):
    """Records that are learned from in blocks are split as in memory."""
    found = called("fit", "applicants.csv", "-t", "decision", "--blocks", "kept", "-o", "b.json", "--json", cwd=loans)
    assert json.loads(found.stdout)["test"] == test_figures
    one, other = (json.loads((loans / name).read_text()) for name in ("own.json", "b.json"))
    assert one["statistics"]["tested"] == other["statistics"]["tested"]
    assert one["rules"] == other["rules"]


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
    assert "●" in called("show", "t.json", cwd=loans).stderr
    evaluated = called("evaluate", "applicants.csv", "-t", "decision", "-a", "unless", "--cv", "2", "--json", cwd=loans)
    choices = json.loads(evaluated.stdout)["trade_off"]["choices"]
    assert [one["rules"] for one in choices] == sorted(one["rules"] for one in choices)
    picked = called("fit", "applicants.csv", "-t", "decision", "--rules", "2", "--json", cwd=loans)
    assert len(json.loads(picked.stdout)["rules"]) == 2
    refused = called("fit", "applicants.csv", "-t", "decision", "-a", "fold-rm", "--trade-off", cwd=loans)
    assert "it is for --algorithm unless" in refused.stderr
