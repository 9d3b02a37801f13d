"""Costs in the command: options of fit, and what other commands say of such models."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import unless
from unless.model import holdout_rows
from unless.score.score_decider import ScoreDecider


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with credits: some are bad, whatever was decided; each has an amount."""
    place = tmp_path_factory.mktemp("costs")
    random = np.random.default_rng(0)
    with (place / "credits.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["score", "job", "amount", "today", "paid"])
        for row in range(600):
            score, job = round(float(random.normal()), 2), str(random.choice(["no", "yes"]))
            bad = random.random() < 1 / (1 + np.exp(1.5 + 1.5 * score - (job == "no")))
            today = "bad" if score < -1 else "good"
            out.writerow([score, job, 100 + row, today, "bad" if bad else "good"])
    (place / "costs.toml").write_text('[bad]\ngood = "amount"\n[good]\nbad = 40\n')
    return place


def fit(run, folder, *options):
    """Learn from the credits, and return the JSON of the result."""
    arguments = ["fit", folder / "credits.csv", "-t", "paid", "-o", folder / "model.json", "--json", *options]
    return json.loads(run(*arguments).out)


def test_fit_says_what_decisions_cost(run, folder):
    """Mean, total and interval on records held back, against constant labels and today's decisions."""
    found = fit(run, folder, "--cost", "bad:good=5", "--compare", "today")
    assert "today" not in found["features"]
    costs, model = found["costs"], unless.load(folder / "model.json")
    assert isinstance(model.model_.decider, ScoreDecider)
    assert costs == model.tested_.costs.to_dict()
    held = set(range(1, 601)) & set(_held_back(folder, model))
    lines = csv.DictReader((folder / "credits.csv").read_text().splitlines())
    rows = [row for place, row in enumerate(lines, 1) if place in held]
    said = model.predict([{"score": float(row["score"]), "job": row["job"]} for row in rows])

    def mean(decisions):
        pairs = zip(decisions, rows, strict=True)
        return np.mean([0 if one == row["paid"] else 5 if row["paid"] == "bad" else 1 for one, row in pairs])

    assert costs["records"] == len(rows)
    assert costs["mean"] == pytest.approx(mean(said))
    assert costs["total"] == pytest.approx(mean(said) * len(rows))
    always = [mean([label] * len(rows)) for label in ("bad", "good")]
    assert [one["mean"] for one in costs["always"]] == pytest.approx(always)
    assert costs["compared"]["mean"] == pytest.approx(mean([row["today"] for row in rows]))
    assert costs["interval"][0] < costs["mean"] < costs["interval"][1]
    text = run("fit", folder / "credits.csv", "-t", "paid", "--cost", "bad:good=5", "--compare", "today").out
    assert "mean cost" in text
    assert "today's decisions: mean cost" in text


def _held_back(folder, model):
    """The numbers of the records that a model was not learned from."""
    table = unless.read_table(folder / "credits.csv", "paid", features=list(model.schema_.kinds))
    return [row + 1 for row in np.flatnonzero(holdout_rows(model.model_, table))]


def test_amounts_of_a_file(run, folder):
    """A TOML file names the column of amounts, which no rule tests unless it is included."""
    found = fit(run, folder, "--cost", folder / "costs.toml", "--exclude", "today")
    assert "amount" in found["features"]
    model = unless.load(folder / "model.json")
    assert model.model_.costs.entries == ((0, "amount"), (40, 0))
    assert "amount" not in model.program_.used
    assert "amount" in model.model_.decider.used
    lines = run("predict", folder / "model.json", folder / "credits.csv").out.splitlines()
    assert lines[0] == "score,job,amount,today,paid,predicted,probability,expected_cost"
    row = dict(zip(lines[0].split(","), lines[1].split(","), strict=True))
    record = {"score": float(row["score"]), "job": row["job"], "amount": float(row["amount"])}
    costs = model.expected_costs([record]).iloc[0]
    assert row["predicted"] == costs["decision"] == model.predict([record])[0]
    assert float(row["expected_cost"]) == pytest.approx(min(costs["bad"], costs["good"]), rel=1e-5)


def test_records_that_are_passed_on(run, folder):
    """Summaries tell how many are passed on, and how good the rest is; predictions mark them."""
    found = fit(run, folder, "--cost", "bad:good=5", "--reject", "0.6")
    costs = found["costs"]
    assert costs["rejected"] == costs["records"] - costs["decided"] > 0
    card = run("card", folder / "model.json").out
    assert f"passed on; accuracy of the rest {costs['right'] / costs['decided']:.3f}" in card
    assert "a list that decides by costs" in card
    found = run("predict", folder / "model.json", folder / "credits.csv", "--to", "jsonl").out.splitlines()
    rows = [json.loads(line) for line in found]
    assert {(row["predicted"] is None, row["passed_on"]) for row in rows} == {(True, "yes"), (False, "no")}
    assert all(row["expected_cost"] == 0.6 for row in rows if row["passed_on"] == "yes")
    place = next(place for place, row in enumerate(rows, 1) if row["passed_on"] == "yes")
    text = run("explain", folder / "model.json", folder / "credits.csv", "--row", place).out
    assert text.startswith(f"Record {place}: no decision, ask somebody: every label is expected to cost more than 0.6")
    data = json.loads(run("explain", folder / "model.json", folder / "credits.csv", "--row", place, "--json").out)
    assert data["records"][0]["decision"]["rejected"] is True
    run("report", folder / "model.json", folder / "credits.csv", "-o", folder / "report.html")
    page = (folder / "report.html").read_text()
    assert "The model is a list that decides by costs; this page is about its rules alone." in page


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cost", "bad:god=5"], "costs name 'god', which is not a label of training; did you mean 'good'?"),
        (["--cost", "bad=5"], "has no colon"),
        (["--cost", "bad:good=amout", "--cost", "good:bad=1"], "'amout'"),
        (["--decide", "costs"], "needs costs"),
        (["--reject", "-1"], "reject"),
        (["--cost", "bad:good=5", "--compare", "job"], "the column 'job' has the decision 'no', which is not a label"),
        (["--cost", "nothing.toml"], "no file 'nothing.toml'"),
        (["-a", "fold-rm", "--cost", "bad:good=5", "--decide", "rules"], "fold-rm learns as published"),
    ],
)
def test_bad_options(run, folder, options, said):
    """What is wrong with costs is said before anything is written."""
    found = run("fit", folder / "credits.csv", "-t", "paid", *options)
    assert found.code
    assert said in " ".join(found.err.split())


def test_a_label_that_is_always_best(run, folder):
    """Costs that leave no choice are remarked upon."""
    found = run("fit", folder / "credits.csv", "-t", "paid", "--cost", "good:bad=0", "--cost", "bad:good=2")
    assert "'bad' is the best decision whatever label is true" in " ".join((found.out + found.err).split())


@pytest.mark.parametrize("options", [["--what-if"], ["--style", "tree"], ["--why-not", "bad"]])
def test_questions_about_rules_alone(run, folder, options):
    """Where costs decide, questions that only rules can answer are refused."""
    fit(run, folder, "--cost", "bad:good=5")
    found = run("explain", folder / "model.json", folder / "credits.csv", "--row", "1", *options)
    assert found.code
    assert "a list that decides by costs" in " ".join(found.err.split())


def test_effects_and_changes_of_records_that_are_passed_on(run, folder):
    """Curves come from the points that decide; shares of labels are of all records, those passed on included."""
    found = fit(run, folder, "--cost", "bad:good=5", "--reject", "0.6")
    files = (folder / "model.json", folder / "credits.csv")
    assert "log-odds of good against bad" in run("effects", *files).out
    assert "## What each feature does" in run("card", *files).out
    checks = json.loads(run("watch", *files, "--json").out)["checks"]
    given = {one["label"]: one["before"] for one in checks if one["kind"] == "given"}
    assert set(given) == {"bad", "good", None}
    costs = found["costs"]
    assert given[None]["count"] == costs["rejected"]
    assert {one["of"] for one in given.values()} == {costs["records"]}
