"""Tests on later records and on groups that were not seen: --time, --test-after, --test-by, --group."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import unless
from unless.model import find_training_overlap
from unless.read.table import read_table


def orders(records: int = 900, customers: int = 30) -> pd.DataFrame:
    """Repeated customers, whose height gives them away, and a label that is a matter of the customer and of chance."""
    rng = np.random.default_rng(1)
    who = rng.integers(0, customers, records)
    days = pd.Timestamp("2022-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 720, records)), unit="D")
    amount = rng.normal(100, 30, records).round(1)
    kind = rng.integers(0, 2, customers)[who]
    late = (kind == 1) ^ (amount > 140) ^ (rng.random(records) < 0.05)
    height = (150 + 50 * rng.permutation(customers) / customers).round(2)[who]
    return pd.DataFrame(
        {"customer": who + 100, "height": height, "when": days, "amount": amount, "late": np.where(late, "yes", "no")}
    )


ORDERS = orders()
BEFORE = ORDERS["when"] < pd.Timestamp("2023-07-01")


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ORDERS.to_csv("orders.csv", index=False)


def learned(model: str = "m.json") -> pd.Series:
    return ORDERS[~held_back(model)]


def held_back(model: str = "m.json", data: str = "orders.csv") -> np.ndarray:
    """The records of the file that the model remembers as held back."""
    found = unless.load(model).model_
    table = read_table(data, like=found, features=found.split_features)
    overlap = find_training_overlap(found, table)
    assert overlap is not None
    assert overlap.same
    return overlap.held_back


def test_later_records_test_what_earlier_ones_taught(run):
    """The split is that of the definition, the time is no feature, and the rules are those of the earlier records."""
    done = run("fit", "orders.csv", "-t", "late", "--time", "when", "--test-after", "2023-07-01", "-o", "m.json")
    assert done.code == 0, done.err
    assert f"{(~BEFORE).sum()} records held back" in done.out
    assert "'when' from 2023-07-01 on" in done.out
    model = unless.load("m.json")
    assert "when" not in model.model_.schema.kinds
    assert held_back().tolist() == (~BEFORE).tolist()
    ORDERS[BEFORE].drop(columns="when").to_csv("early.csv", index=False)
    assert run("fit", "early.csv", "-t", "late", "--test", "0", "-o", "early.json").code == 0
    assert unless.load("early.json").program_ == model.program_
    tests = ORDERS[~BEFORE]
    assert model.tested_.right == (model.predict(tests.drop(columns=["when", "late"])) == tests["late"]).sum()


@pytest.mark.parametrize("options", [("--time", "when", "--test-after", "2023-07"), ("--group", "customer")])
def test_held_back_records_are_recognised_in_any_order_and_format(run, options):
    """Shuffled, in another format, with the dates written in another way, the same records are known as held back."""
    assert run("fit", "orders.csv", "-t", "late", *options, "-o", "m.json").code == 0
    back = held_back()
    order = np.random.default_rng(0).permutation(len(ORDERS))
    mixed = ORDERS.iloc[order].reset_index(drop=True)
    mixed.to_parquet("mixed.parquet")
    mixed.assign(when=mixed["when"].dt.strftime("%Y-%m-%d")).to_json("mixed.jsonl", orient="records", lines=True)
    mixed.to_csv("mixed.tsv", index=False, sep="\t")
    accuracy = unless.load("m.json").tested_.accuracy
    for data in ("mixed.parquet", "mixed.jsonl", "mixed.tsv"):
        assert held_back(data=data).tolist() == back[order].tolist()
        said = f"accuracy {accuracy:.3f}"
        assert said in (told := run("predict", "m.json", data, "-o", "p.csv").err)
        assert f"on {back.sum()} records that the rules were not learned from" in told
    told = run("report", "m.json", "mixed.parquet").err
    assert f"on {back.sum()} records that the rules were not learned from" in told
    row = int(np.flatnonzero(back[order])[0]) + 1
    assert json.loads(run("explain", "m.json", "mixed.tsv", "--row", row, "--json").out)["records"][0]["held_back"]
    assert f"{back.sum()} records that fit held back are not" in run("stability", "m.json", "mixed.tsv", "-n", "1").err


def test_without_the_column_no_record_is_called_held_back(run):
    """A file without the customers is known as the training data, and nothing in it as unseen."""
    assert run("fit", "orders.csv", "-t", "late", "--group", "customer", "-o", "m.json").code == 0
    ORDERS.drop(columns="customer").to_csv("bare.csv", index=False)
    told = run("predict", "m.json", "bare.csv", "-o", "p.csv").err
    assert "not learned from" not in told
    assert "in training" in told


def test_dates_in_another_format_are_remembered(run):
    """The model holds the format of the dates that decide the split."""
    ORDERS.assign(when=ORDERS["when"].dt.strftime("%d.%m.%Y %H:%M")).to_csv("dots.csv", index=False)
    date = "when=%d.%m.%Y %H:%M"
    done = run(
        "fit", "dots.csv", "-t", "late", "--date", date, "--time", "when", "--test-after", "2023-07", "-o", "m.json"
    )
    assert done.code == 0, done.err
    assert held_back(data="dots.csv").tolist() == held_back().tolist() == (~BEFORE).tolist()


@pytest.mark.parametrize("algorithm", ["unless", "fold-rm", "committee"])
def test_repeated_customers_make_a_random_split_too_kind(run, algorithm):
    """Rules that only know the customers of training look good on a random split, and not on customers not seen."""
    accuracy = {}
    for name, options in {"random": ("--exclude", "customer"), "grouped": ("--group", "customer")}.items():
        more = ("--size", "20") if algorithm == "committee" else ()
        done = run(
            "fit", "orders.csv", "-t", "late", "-a", algorithm, "--exclude", "when", *options, *more, "-o", "m.json"
        )
        assert done.code == 0, done.err
        accuracy[name] = unless.load("m.json").tested_.accuracy
    assert accuracy["random"] > accuracy["grouped"] + 0.1
    back = held_back()
    assert not set(ORDERS["customer"][back]) & set(ORDERS["customer"][~back])


def test_period_by_period(run):
    """Each quarter is tested by what was learned before; the model is that of the last, and the file keeps all."""
    done = run("fit", "orders.csv", "-t", "late", "--time", "when", "--test-by", "quarter", "-o", "m.json")
    assert done.code == 0, done.err
    model, quarters = unless.load("m.json"), ORDERS["when"].dt.to_period("Q")
    names = [f"{one.year}-Q{one.quarter}" for one in sorted(set(quarters))[1:]]
    assert [one.name for one in model.periods_] == names
    assert [one.records for one in model.periods_] == [
        int((quarters == one).sum()) for one in sorted(set(quarters))[1:]
    ]
    assert [one.learned for one in model.periods_] == [int((quarters < one).sum()) for one in sorted(set(quarters))[1:]]
    last = model.periods_[-1]
    assert (last.right, last.records) == (model.tested_.right, model.tested_.held_back)
    assert last.returns is None
    assert all(0 <= one.returns <= 1 for one in model.periods_[:-1])
    assert all(name in done.out for name in names)
    early = ORDERS[quarters < sorted(set(quarters))[3]]
    early.drop(columns="when").to_csv("early.csv", index=False)
    run("fit", "early.csv", "-t", "late", "--test", "0", "-o", "early.json")
    third = ORDERS[quarters == sorted(set(quarters))[3]]
    right = (unless.load("early.json").predict(third[["customer", "height", "amount"]]) == third["late"]).sum()
    assert model.periods_[2].right == right
    document = json.loads(run("fit", "orders.csv", "-t", "late", "--time", "when", "--test-by", "year", "--json").out)
    assert [one["name"] for one in document["periods"]] == ["2023"]


def test_the_column_is_a_feature_if_it_is_included(run):
    """--include makes the time a feature, too; --parts its weekday, month and hour."""
    split = ("--time", "when", "--test-after", "2023-07")
    assert run("fit", "orders.csv", "-t", "late", *split, "--include", "when", "-o", "m.json").code == 0
    assert "when" in unless.load("m.json").model_.schema.kinds
    assert held_back().sum() == (~BEFORE).sum()
    assert run("fit", "orders.csv", "-t", "late", *split, "--parts", "when", "-o", "m.json").code == 0
    assert "when.month" in unless.load("m.json").model_.schema.kinds


def test_locked_rules_are_tested_on_the_same_later_records(run):
    """--keep with the same split holds the same records back; with another one it is said."""
    split = ("--time", "when", "--test-after", "2023-07")
    run("fit", "orders.csv", "-t", "late", *split, "-o", "m.json")
    done = run("fit", "orders.csv", "-t", "late", *split, "--keep", "m.json", "-o", "n.json")
    assert done.code == 0, done.err
    assert "too good" not in done.err + done.out
    other = run("fit", "orders.csv", "-t", "late", "--exclude", "when", "--keep", "m.json")
    assert "it split them in another way" in other.err + other.out


def test_several_tables_are_split_by_time_and_group(run):
    """--time is the moment of a record: it splits the records, and parts after it are ignored."""
    main = ORDERS.drop_duplicates("customer").rename(columns={"customer": "id"})
    main["region"] = main["id"] % 10
    main.to_csv("customers.csv", index=False)
    parts = pd.DataFrame({"id": main["id"], "day": main["when"] - pd.Timedelta(days=3), "paid": main["amount"]})
    parts.to_csv("bills.csv", index=False)
    given = ("fit", "customers.csv", "-t", "late", "--key", "id", "--with", "bills.csv:id", "--time", "bills.day")
    done = run(*given, "--time", "when", "--test-after", "2022-02", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["test"]["records"] == (main["when"] >= pd.Timestamp("2022-02-01")).sum()
    assert "--time or --group" in run(*given, "--time", "when", "--group", "region").err
    done = run(*given, "--until", "when", "--group", "region", "--json")
    assert done.code == 0, done.err
    sizes = main["region"].value_counts()
    sums = {int(sizes[list(some)].sum()) for count in (1, 2, 3) for some in combinations(sizes.index, count)}
    assert json.loads(done.out)["test"]["records"] in sums
    assert "region" not in json.loads(done.out)["program"]["features"]
    assert "one later period" in run(*given, "--time", "when", "--test-by", "month").err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--test-after", "2023"), "name the column with the time of each record: --time"),
        (("--time", "when", "--group", "customer"), "on both sides"),
        (
            ("--time", "when", "--test-after", "2020"),
            "no record has 'when' before 2020-01-01; the records are from 2022",
        ),
        (("--time", "when", "--test-after", "2030"), "no record has 'when' from 2030-01-01 on"),
        (("--time", "when", "--test-after", "soon"), "'soon' is not a date"),
        (("--time", "when", "--test-after", "2023", "--test", "0.3"), "leave one out"),
        (("--time", "when", "--test-after", "2023", "--test-by", "month"), "leave one out"),
        (("--time", "late"), "is the target"),
        (("--time", "wen"), "no column 'wen'; did you mean 'when'?"),
        (("--time", "when", "--time", "amount"), "cannot both be the moment of a record"),
        (("--time", "amount", "--test-by", "month"), "'amount' has numbers, not dates, so it has no months"),
        (("--group", "same"), "every record has the value '1' in 'same', so there is one group"),
        (("--time", "gaps"), "'gaps' is missing in row"),
        (("--time", "words"), "is not a column of dates, it has cells such as 'x'"),
        (("--group", "customer", "--blocks", "kept"), "records in blocks are split at random"),
    ],
)
def test_what_cannot_be_split_is_refused(run, options, message):
    """One line says what is wrong and what to do, and nothing is written."""
    more = {"same": 1, "words": "x", "gaps": ORDERS["when"].where(ORDERS.index % 50 > 0)}
    ORDERS.assign(**more).to_csv("orders.csv", index=False)
    done = run("fit", "orders.csv", "-t", "late", *options, "-o", "m.json")
    assert done.code in (1, 2), (done.out, done.err)
    assert message in " ".join(done.err.split()), done.err


def test_records_without_a_group_are_said(run):
    """They are neither lost nor one group: each is one of its own."""
    ORDERS.assign(customer=ORDERS["customer"].where(ORDERS.index % 9 > 0)).to_csv("orders.csv", index=False)
    done = run("fit", "orders.csv", "-t", "late", "--group", "customer", "-o", "m.json")
    assert "100 records without 'customer': each is a group of its own" in done.err + done.out
    assert unless.load("m.json").origin_.records == len(ORDERS)


# Other commands.


def test_evaluate_keeps_groups_together_and_learns_from_the_past(run):
    """Folds of groups, one later period, and every period, as fits of the same records measure them."""
    given = ("evaluate", "orders.csv", "-t", "late", "-a", "unless", "-a", "fold-rm", "--no-trade-off")
    kind = json.loads(run(*given, "--exclude", "customer", "--exclude", "when", "--cv", "5", "--json").out)
    grouped = json.loads(run(*given, "--exclude", "when", "--group", "customer", "--cv", "5", "--json").out)
    for one, other in zip(kind["algorithms"][1:], grouped["algorithms"][1:], strict=True):
        assert one["accuracy"]["mean"] > other["accuracy"]["mean"] + 0.1
    later = json.loads(run(*given, "--time", "when", "--test-after", "2023-07", "--json").out)
    features = ["customer", "height", "amount"]
    model = unless.FoldRMClassifier(warn=False).fit(ORDERS[BEFORE][features], ORDERS[BEFORE]["late"])
    right = model.predict(ORDERS[~BEFORE][features]) == ORDERS[~BEFORE]["late"]
    assert later["algorithms"][2]["accuracy"]["mean"] == pytest.approx(right.mean())
    run("fit", "orders.csv", "-t", "late", "--time", "when", "--test-by", "quarter", "-o", "m.json")
    periods = json.loads(run(*given, "--time", "when", "--test-by", "quarter", "--json").out)
    found = unless.load("m.json").periods_
    assert periods["periods"] == [one.name for one in found]
    assert [one["accuracy"] for one in periods["algorithms"][1]["folds"]] == [one.accuracy for one in found]
    shown = run(*given, "--time", "when", "--test-by", "quarter").out
    assert all(f"{one.name} " in shown for one in found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--time", "when", "--cv", "3"), "leave out --cv"),
        (("--group", "customer", "--test", "orders.csv"), "leave out one of them"),
        (("--group", "customer", "--cv", "31"), "30 groups can make 2 to 30 folds, not 31"),
    ],
)
def test_evaluate_refuses_two_ways_to_test(run, options, message):
    """One line says which option to leave out, or how many folds there can be."""
    done = run("evaluate", "orders.csv", "-t", "late", *options)
    assert done.code in (1, 2)
    assert message in done.err


def test_stability_by_group_and_by_period(run):
    """Samples of groups for a model that knows its groups, or that is told; and rules learned before each period."""
    again = ("stability", "plain.json", "orders.csv", "-n", "4")
    run("fit", "orders.csv", "-t", "late", "--exclude", "when", "-o", "plain.json")
    run("fit", "orders.csv", "-t", "late", "--exclude", "when", "--group", "customer", "-o", "grouped.json")
    plain, told = (json.loads(run(*again, *more, "--json").out) for more in ((), ("--group", "customer")))
    assert told["agreement"] < plain["agreement"]
    known = ("stability", "grouped.json", "orders.csv", "-n", "4", "--json")
    assert run(*known, "--group", "customer").out == run(*known).out
    by_year = json.loads(run(*again, "--time", "when", "--test-by", "year", "--json").out)
    assert by_year["refits"] == 1
    assert by_year["periods"][0]["records"] == (ORDERS["when"].dt.year == 2023).sum()
    shown = run(*again, "--time", "when", "--test-by", "quarter").out
    assert "2023-Q4" in shown
    assert f"{len(set(ORDERS['when'].dt.to_period('Q'))) - 1} refits" in shown
    assert "--test-by" in run(*again, "--time", "when").err


def test_a_random_split_that_is_too_kind_is_said(run):
    """inspect, fit and evaluate name the option, inspect's command has it, and with it nothing is said."""
    inspected = run("inspect", "orders.csv", "-t", "late")
    assert "customer repeats: 30 values in 900 records" in " ".join(inspected.out.split())
    assert "--group=customer -o model.json" in " ".join(inspected.err.split())
    assert "keep equal ones together: --group customer" in " ".join(run("fit", "orders.csv", "-t", "late").err.split())
    assert "--group customer" in run("evaluate", "orders.csv", "-t", "late", "-a", "fold-rm", "--cv", "2").err
    assert "overstates" not in run("fit", "orders.csv", "-t", "late", "--group", "customer").err
    assert "overstates" not in run("fit", "orders.csv", "-t", "late", "--test", "0").err
    drift = np.where(np.random.default_rng(0).random(900) < np.arange(900) / 900, "yes", "no")
    ORDERS.assign(late=drift).drop(columns="customer").to_csv("drift.csv", index=False)
    assert "--target late --time=when" in run("inspect", "drift.csv", "-t", "late").err
    assert "test on those: --time when" in " ".join(run("fit", "drift.csv", "-t", "late").err.split())


def test_a_committee_keeps_its_tests_by_period(run):
    """The file of a committee has them, too, and the split; its page and card say so."""
    split = ("--time", "when", "--test-by", "year", "-a", "committee", "--size", "8")
    assert run("fit", "orders.csv", "-t", "late", *split, "-o", "m.json").code == 0
    model = unless.load("m.json")
    assert [one.name for one in model.periods_] == ["2023"]
    assert model.periods_[0].right == model.tested_.right
    assert "('when' from 2023-01-01 on)" in run("card", "m.json", "orders.csv").out
    assert run("report", "m.json", "orders.csv", "-o", "r.html").code == 0
    page = Path("r.html").read_text()
    assert "One period after the other" in page
    assert page.count("period-1") == 2
