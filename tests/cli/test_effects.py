"""`unless effects`: curves of features, and bars for records."""

from __future__ import annotations

import json

import numpy as np
import pytest

import unless

pytestmark = pytest.mark.usefixtures("loans")


def test_curves_are_those_of_the_library(run):
    """Each feature that rules test has a curve; --feature chooses, and --json has all numbers."""
    model = unless.load("model.json")
    known = model.effects(unless.read_table("applicants.csv", like=model))
    done = run("effects", "model.json", "applicants.csv")
    assert done.code == 0
    assert done.out == f"{known}\n"
    one = run("effects", "model.json", "applicants.csv", "--feature", "amount").out
    assert "amount\n" in one
    assert "history\n" not in one
    assert json.loads(run("effects", "model.json", "applicants.csv", "--json").out) == known.to_dict()


def test_records_are_compared_with_a_background(run):
    """--row shows what each feature of a record adds, compared with the data or with another file."""
    model = unless.load("model.json")
    new, known = (unless.read_table(name, like=model) for name in ("new.csv", "applicants.csv"))
    done = run("effects", "model.json", "new.csv", "--row", "3", "--row", "1", "--background", "applicants.csv")
    found = model.contributions(new[[2, 0]], background=known)
    assert done.code == 0
    assert f"Record 3: {found.sentence(0)}" in done.out
    assert f"Record 1: {found.sentence(1)}" in done.out
    data = json.loads(run("effects", "model.json", "new.csv", "--row", "3", "--json").out)
    assert np.allclose(data["records"][0]["total"], found.totals[0])
    assert data["background"] == len(new)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--row", "4000"), "new.csv has 40 records, so there is no record 4,000"),
        (("--feature", "agee"), "no rule tests 'agee'; did you mean 'age'"),
        (("--row", "1", "--feature", "age"), "leave out --row or --feature"),
        (("--background", "nothing.csv"), "nothing.csv"),
    ],
)
def test_mistakes_are_named(run, words, said):
    """An error says what is wrong."""
    done = run("effects", "model.json", "new.csv", *words)
    assert done.code in {1, 2}
    assert said in done.err
