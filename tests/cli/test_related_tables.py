"""Several tables with keys on the command line: fit, predict and explain --with."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import unless
from unless import Part, Relations

WITH = ("--key", "customer_id", "--with", "orders.csv:customer_id")


@pytest.fixture
def shop(tmp_path, monkeypatch) -> Relations:
    """Customers churn unless they have a large order by web; orders have items."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    count = 200
    customers = pl.DataFrame({"customer_id": range(1000, 1000 + count), "age": rng.integers(18, 80, count)})
    orders = pl.DataFrame(
        {
            "order_id": range(5000, 5000 + 4 * count),
            "customer_id": rng.integers(1000, 1000 + count, 4 * count),
            "total": rng.integers(1, 100, 4 * count),
            "kind": rng.choice(["web", "shop"], 4 * count),
        }
    )
    large = orders.filter((pl.col("total") > 60) & (pl.col("kind") == "web"))["customer_id"].unique().to_list()
    customers = customers.with_columns(
        churn=pl.Series(["no" if one in large else "yes" for one in customers["customer_id"]])
    )
    items = pl.DataFrame(
        {"order_id": rng.integers(5000, 5000 + 4 * count, 900), "weight": rng.integers(1, 9, 900), "item": range(900)}
    )
    customers.write_csv("customers.csv")
    orders.write_csv("orders.csv")
    items.write_csv("items.csv")
    parts = {"orders": Part("orders.csv", "customer_id", "order_id")}
    return Relations("customers.csv", "customer_id", parts, target="churn", name="customer")


def test_rules_about_orders(run, shop):
    """The concept is printed in words with a test, and the model predicts the same from Python."""
    done = run("fit", "customers.csv", "-t", "churn", *WITH, "-o", "model.json")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("200 records, with orders 800\n\n")
    assert "order with" in done.out
    assert "kind = web" in done.out
    assert "test: 40 records held back: accuracy 1.000" in done.out
    model = unless.load("model.json")
    assert (model.predict(shop) == shop.y).mean() > 0.98
    assert run("predict", "model.json", "customers.csv", *WITH, "-o", "out.csv").code == 0
    out = pl.read_csv("out.csv")
    assert out["predicted"].to_list() == model.predict(shop).tolist()
    assert out.columns == ["customer_id", "age", "churn", "predicted", "probability", "rule"]


@pytest.mark.usefixtures("shop")
def test_explanations_name_orders(run):
    """An explanation names the order that decides, and says why not."""
    run("fit", "customers.csv", "-t", "churn", *WITH, "-o", "model.json", "-q")
    done = run("explain", "model.json", "customers.csv", *WITH, "--row", "1-3")
    assert (done.code, done.err) == (0, "")
    assert "order 5" in done.out
    answers = json.loads(run("explain", "model.json", "customers.csv", *WITH, "--json").out)["records"]
    predicted = unless.load("model.json").program_.labels
    assert len(answers) == 200
    assert {one["label"] for one in answers} == set(predicted)
    for label in ("yes", "no"):
        done = run("explain", "model.json", "customers.csv", *WITH, "--row", "1", "--why-not", label)
        assert done.out.startswith("1000: ")
    assert run("explain", "model.json", "customers.csv", *WITH, "--row", "900").code == 1


@pytest.mark.usefixtures("shop")
def test_parts_of_parts(run):
    """A table may belong to another one of --with, whose key is the linking column."""
    done = run("fit", "customers.csv", "-t", "churn", *WITH, "--with", "items.csv:order_id@orders", "--json")
    document = json.loads(done.out)
    assert document["tables"] == {"orders": 800, "items": 900}
    assert document["test"]["accuracy"] == 1
    assert "kind = web" in document["rules"][0]


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("options", "code", "reason"),
    [
        (("--with", "orders.csv:customer_id"), 2, "--key customer_id"),
        (("--key", "customer_id"), 2, "it needs --with"),
        (("--key", "customer_id", "--with", "orders.csv"), 2, "orders.csv:customer_id"),
        (("--key", "customer", "--with", "orders.csv:customer_id"), 1, "did you mean 'customer_id'"),
        (("--key", "age", "--with", "orders.csv:customer_id"), 1, "in two rows"),
        (("--key", "customer_id", "--with", "orders.csv:custmer_id"), 1, "did you mean 'customer_id'"),
        ((*WITH, "--with", "items.csv:order_id@order"), 1, "did you mean 'orders'"),
        ((*WITH, "--exclude", "age"), 2, "options about columns"),
    ],
)
def test_what_does_not_fit_is_refused(run, options, code, reason):
    """The error names what is wrong and what to write."""
    done = run("fit", "customers.csv", "-t", "churn", *options)
    assert (done.code, reason in " ".join(done.err.split())) == (code, True), done.err


@pytest.mark.usefixtures("shop")
def test_models_of_one_table(run):
    """A model of one table takes no --with."""
    Path("one.csv").write_text("a,y\n" + "\n".join(f"{k // 4},{'p' if k > 19 else 'q'}" for k in range(40)))
    run("fit", "one.csv", "-t", "y", "-o", "one.json", "-q")
    done = run("predict", "one.json", "customers.csv", *WITH)
    assert (done.code, "learned from one table" in done.err) == (1, True), done.err


@pytest.mark.usefixtures("shop")
def test_languages(run):
    """SQL and logic engines have the parts; Python, JavaScript and ONNX refuse with the reason."""
    run("fit", "customers.csv", "-t", "churn", *WITH, "-o", "model.json", "-q")
    assert "WITH f1 AS (" in run("export", "model.json", "--to", "sql", "--dialect", "sqlite").out
    assert "f1(X) :- individual(X), orders(X,A)" in run("export", "model.json", "--to", "clingo").out
    assert ":- dynamic orders/2." in run("export", "model.json", "--to", "prolog").out
    for language in ("python", "javascript", "onnx"):
        done = run("export", "model.json", "--to", language, "-o", "x")
        assert (done.code, "a record has no parts there" in " ".join(done.err.split())) == (1, True), done.err


def test_reasons_of_several_tables(run, shop):
    """In Python, features of parts are reasons; the commands that read one table refuse, and say what to use."""
    run("fit", "customers.csv", "-t", "churn", *WITH, "-o", "model.json")
    found = unless.load("model.json").reasons(shop)
    assert list(found.labels) == unless.load("model.json").predict(shop).tolist()
    assert all(found)
    assert "unless explain" in run("reasons", "model.json", "customers.csv").err
    assert "unless explain" in run("predict", "model.json", "customers.csv", *WITH, "--reasons").err


# Evaluating.


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("options", "made"),
    [
        (("--cv", 3), "3 folds, seed 0: mean ± standard deviation"),
        (("--group", "age", "--cv", 2), "2 folds, groups of 'age', seed 0: mean ± standard deviation"),
        (("--time", "age", "--test-after", 60), "'age' from 60 on"),
    ],
)
def test_learners_on_unseen_records(run, options, made):
    """Features are searched in the records of training, and found for those of the test: the concept is exact."""
    done = run("evaluate", "customers.csv", "-t", "churn", *WITH, "-a", "fold-rm", *options)
    lines = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert lines[0] == "customers.csv: 200 records, with orders 800"
    assert lines[1].endswith(made)
    assert lines[3].split() == ["most", "frequent", "fold-rm"]
    accuracy = lines[4].replace("±", "").split()
    assert float(accuracy[1]) < 0.75
    assert float(accuracy[-2] if "±" in lines[4] else accuracy[-1]) > 0.97
    assert len(lines) == 10  # no trade-off


def test_what_is_tested_is_not_searched(run, shop, monkeypatch):
    """No record of a fold is among those whose features are searched for it."""
    from unless.estimators import relational_input

    searched, tested = [], []
    read, compute = relational_input.read_relations, relational_input.as_table
    monkeypatch.setattr(relational_input, "read_relations", lambda *a: searched.append(set(a[1].names())) or read(*a))
    monkeypatch.setattr(relational_input, "as_table", lambda *a: tested.append(set(a[1].names())) or compute(*a))
    done = run("evaluate", "customers.csv", "-t", "churn", *WITH, "-a", "unless", "--cv", 2, "--json")
    document = json.loads(done.out)
    assert (document["records"], document["tables"], document["trade_off"]) == (200, {"orders": 800}, None)
    everybody = set(shop.names())
    assert [one | two for one, two in zip(searched, tested, strict=True)] == [everybody, everybody]
    assert not any(one & two for one, two in zip(searched, tested, strict=True))


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("options", "code", "reason"),
    [
        ((*WITH, "--test", "customers.csv"), 2, "--test) apply to a single table only"),
        ((*WITH, "--exclude", "age"), 2, "options about columns"),
        (("--key", "customer_id"), 2, "it needs --with"),
        ((*WITH, "--test-after", 3), 2, "--time"),
    ],
)
def test_evaluations_that_are_refused(run, options, code, reason):
    """The error names what is wrong."""
    done = run("evaluate", "customers.csv", "-t", "churn", *options)
    assert (done.code, reason in " ".join(done.err.split())) == (code, True), done.err


# Watching and describing a model.


@pytest.fixture
def model(run, shop) -> str:
    """A model of the shop, and files of customers: half of them, the same without labels, and with some labels."""
    run("fit", "customers.csv", "-t", "churn", *WITH, "-o", "model.json", "-q")
    half = shop.main.head(100)
    half.write_csv("half.csv")
    half.drop("churn").write_csv("plain.csv")
    half.with_columns(churn=pl.when(pl.int_range(100) % 5 > 0).then(pl.col("churn"))).write_csv("some.csv")
    return "model.json"


def test_nothing_moved(run, model):
    """Customers like those of training raise no alarm, with labels, without, and beside a reference."""
    done = run("watch", model, "half.csv", *WITH)
    assert (done.code, done.err.splitlines()[:2]) == (
        0,
        ["half.csv: 100 records, all with true labels", "nothing moved: 4 checks on 100 records"],
    )
    assert "no if it has an order with" in done.out
    assert "orders(X" not in done.out
    assert "does not remember its records" in done.err
    document = json.loads(run("watch", model, "plain.csv", *WITH, "--json").out)
    assert (document["records"], document["labelled"], document["alarms"]) == (100, 0, 0)
    done = run("watch", model, "some.csv", *WITH, "--reference", "half.csv", "--json")
    document = json.loads(done.out)
    assert (done.code, document["labelled"]) == (0, 80)
    assert {one["source"] for one in document["checks"]} == {"the reference"}


def test_orders_that_became_cheap(run, model):
    """Cheaper orders move the decisions and the accuracy of the rules."""
    Path("new").mkdir()
    pl.read_csv("orders.csv").with_columns(pl.col("total") // 4).write_csv("new/orders.csv")
    cheap = ("--key", "customer_id", "--with", "new/orders.csv:customer_id")
    done = run("watch", model, "customers.csv", *cheap, "--reference", "half.csv", "--log", "log.jsonl", "--json")
    assert json.loads(done.out)["alarms"] == 0  # the reference has the same orders
    done = run("watch", model, "customers.csv", *cheap, "-q")
    assert done.code == 3
    lines = [line.split()[1:4] for line in done.out.splitlines()[1:]]
    assert ["rule", "1", "decides"] in lines
    assert json.loads(Path("log.jsonl").read_text())["records"] == 200


def test_card_of_several_tables(run, model):
    """The card has rules in words and subgroups of DATA, and says that the records may be those of training."""
    done = run("card", model, "some.csv", *WITH, "--by", "age", "--watch", "half.csv")
    assert (done.code, done.err) == (0, "20 of 100 records of some.csv have no label in 'churn'; they are left out\n")
    assert "on 80 records of some.csv" in done.out
    assert "| 1 | no | if it has an order with" in done.out
    assert "| age |" in done.out
    assert "If the model was learned from these records, they overstate how good it is" in done.out
    assert "Watched on 100 newer records: nothing moved" in done.out
    assert "orders(X" not in done.out
    done = run("card", model)
    assert "Models of several tables forget their test" in done.out
    assert "o records were held back" not in done.out


@pytest.mark.parametrize(
    ("command", "code", "reason"),
    [
        (("watch", "half.csv"), 1, "add --key and --with"),
        (("card", "half.csv"), 1, "add --key and --with"),
        (("watch", "plain.csv", *WITH, "--labels", "churn"), 1, "no column 'churn'"),
        (("card", "plain.csv", *WITH, "--target", "chrn"), 1, "no column 'chrn'"),
        (("card", "half.csv", *WITH, "--by", "agee"), 1, "did you mean 'age'"),
        (("card", "half.csv", *WITH, "--stability", 2), 2, "features that were searched in all records"),
        (("card", *WITH), 2, "give DATA"),
        (("watch", "half.csv", *WITH, "--delimiter", ";"), 2, "options about files"),
        (("report", "half.csv"), 1, "add --key and --with"),
        (("stability", "half.csv"), 1, "unless evaluate --with"),
        (("report", "half.csv", *WITH, "--stability", 2), 2, "--stability apply to a single table only"),
        (("report", "half.csv", *WITH, "--reasons"), 2, "--reasons and --codes apply to a single table only"),
        (("card", "half.csv", *WITH, "--delimiter", ";"), 2, "options about files"),
    ],
)
def test_what_is_refused_for_new_records(run, model, command, code, reason):
    """The error names what is wrong and what to write."""
    done = run(command[0], model, *command[1:])
    assert (done.code, reason in " ".join(done.err.split())) == (code, True), done.err


def test_page_of_several_tables(run, model):
    """The page names features in words, and says what its what-if and its figures are about."""
    done = run("report", model, "some.csv", *WITH, "--watch", "-o", "page.html")
    assert (done.code, done.err.splitlines()[0][:19]) == (0, "20 of 100 records o")
    assert "2 rules, 80 records, accuracy 1.000" in done.err
    page = Path("page.html").read_text(encoding="utf-8")
    assert "it has an order with" in page
    assert "Here the features can be changed, not the parts themselves" in page
    assert "does not remember its records: if it was learned from some of these" in page
    assert '"age"' in page  # a column of the records
    shown = page[page.index("<main") : page.index("<script", page.index("<main"))]
    assert "orders(X" not in shown.partition('id="records"')[0]
    assert run("report", model, "plain.csv", *WITH, "-o", "page.html").err.count("no true labels") == 1


def test_one_table_takes_no_parts(run, shop):
    """A model of one table is not watched with --with."""
    shop.main.write_csv("one.csv")
    run("fit", "one.csv", "-t", "churn", "-o", "one.json", "-q")
    assert "learned from one table" in run("watch", "one.json", "one.csv", *WITH).err
