"""`unless explain`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

import unless
from unless.export import json as programs

pytestmark = pytest.mark.usefixtures("loans")


def test_a_record_is_told_as_the_library_tells_it(run, model):
    """The plain form is the story of the proof, with the figures of the rule and what would change it."""
    done = run("explain", "model.json", "new.csv", "--row", "8", "--what-if")
    table = unless.read_table("new.csv", like=model)
    proof = model.explain(table[[7]])
    changes = model.counterfactuals(table[[7]])
    assert done.code == 0
    assert done.err == ""
    figures = {"statistics": model.statistics_, "probability": model.predict_proba(table[[7]]).max()}
    assert done.out == proof.story(8, **figures, changes=changes) + "\n"


@pytest.mark.parametrize("style", ["tree", "rules"])
def test_the_forms_of_the_paper(run, model, style):
    """The tree and the rules are those of the paper, with the number of the record."""
    done = run("explain", "model.json", "new.csv", "--row", "3", "--style", style)
    proof = model.explain(unless.read_table("new.csv", like=model)[[2]])
    assert done.out == proof.text(style, number=3) + "\n"


def test_several_records_in_the_order_asked_for(run):
    """Rows are numbers and ranges, repeated or with commas; a line stands between two records."""
    done = run("explain", "model.json", "new.csv", "--row", "5", "-r", "2-3,1")
    heads = [line.split()[1] for line in done.out.splitlines() if line.startswith("Record")]
    assert heads == ["5", "2", "3", "1"]
    assert done.out.count("\n\n") == 3


def test_one_record_needs_no_number(run):
    """A file of one record explains it; of more it says how many there are."""
    header, first, *_ = Path("new.csv").read_text().splitlines()
    Path("one.csv").write_text(f"{header}\n{first}\n")
    assert run("explain", "model.json", "one.csv").out.startswith("Record 1 is decided:")
    done = run("explain", "model.json", "new.csv")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == (
        "unless: invalid value for --row: new.csv has 40 records; say which: --row 8, or --row 3-8"
    )


def test_a_record_beyond_the_end(run):
    """A number that the file does not have is refused with those that it has."""
    done = run("explain", "model.json", "new.csv", "--row", "41")
    assert (done.code, done.err) == (1, "unless: no record 41: new.csv has 40; --row takes 1 to 40\n")


@pytest.mark.parametrize("row", ["0", "x", "8-3", "1-", "-1", "", "1.5"])
def test_what_is_no_row(run, row):
    """A row is a number from 1 on, or two of them upwards."""
    done = run("explain", "model.json", "new.csv", f"--row={row}")
    assert done.code == 2
    assert "--row" in done.err


def test_values_of_the_command_line(run, model):
    """Values alone are a record where all else is missing; they are read as cells of a file are."""
    done = run("explain", "model.json", "--set", "amount=20000", "--set", "history=late", "--set", "income= 18400 ")
    used = dict.fromkeys(model.program_.used)
    record = {**used, "amount": 20000.0, "history": "late", "income": 18400.0}
    proof, probability = unless.explain(model.program_, record), model.predict_proba([record]).max()
    assert done.out == proof.story(statistics=model.statistics_, probability=probability) + "\n"
    record = json.loads(run("explain", "model.json", "--set", "amount=?", "--set", "history=", "--json").out)[
        "records"
    ][0]
    assert record["proof"]["record"]["amount"] is record["proof"]["record"]["history"] is None
    assert (record["row"], record["set"]) == (None, {"amount": None, "history": None})


def test_values_change_a_record_of_a_file(run):
    """With a file, the values replace those of the record, and it says so."""
    done = run("explain", "model.json", "new.csv", "--row", "8", "--set", "amount=1000")
    assert done.out.splitlines()[0] == "Record 8, if amount is 1,000:"
    assert done.out.splitlines()[1].startswith("The record is decided: accept")


def test_a_column_whose_values_are_given_may_be_absent(run):
    """A file without the column of a given value will do."""
    table = [line.split(",") for line in Path("new.csv").read_text().splitlines()]
    place = table[0].index("amount")
    Path("less.csv").write_text("\n".join(",".join(row[:place] + row[place + 1 :]) for row in table))
    assert run("explain", "model.json", "less.csv", "--row", "1", "--set", "amount=1000").code == 0
    done = run("explain", "model.json", "less.csv", "--row", "1")
    assert (done.code, done.err.startswith("unless: less.csv: no column 'amount'")) == (1, True)


def test_a_long_list_of_rules(run):
    """Of many rules that did not apply, the nearest are told, and how many others there are; --all tells of all."""
    literals = [unless.Literal(name, "==", "yes") for name in "abc"]
    held = unless.Rule("no", (), (unless.Rule(None, tuple(literals[:0])),))
    far, near = unless.Rule("no", tuple(literals)), unless.Rule("no", tuple(literals[:1]))
    rules = (*[far] * 9, held, *[far] * 9, near, far, near, unless.Rule("yes"))
    programs.save(unless.Program("y", ("a", "b", "c"), rules), "long.json")
    done = run("explain", "long.json", "--set", "a=no")
    assert done.out.splitlines()[2:] == [
        "  rule 10 did not apply: an exception applies, because it always applies",
        "  rule 20 did not apply: a is no, but must be yes",
        "  rule 22 did not apply: a is no, but must be yes",
        "  and 19 other earlier rules did not apply; --all shows them",
    ]
    everything = run("explain", "long.json", "--set", "a=no", "--all").out
    assert [line.split()[1] for line in everything.splitlines()[2:]] == [str(number) for number in range(1, 23)]
    assert (
        everything == str(unless.explain(programs.load("long.json"), {"a": "no", "b": None, "c": None}).story()) + "\n"
    )
    refused = run("explain", "long.json", "--set", "a=no", "--why-not", "no").out.splitlines()
    assert [line.split()[1] for line in refused[-4:]] == ["10", "20", "22", "19"]
    assert refused[-1] == "  and 19 other rules for this label; --all shows them"
    for more in ([], ["--all"]):
        document = json.loads(run("explain", "long.json", "--set", "a=no", "--json", *more).out)
        assert len(document["records"][0]["proof"]["rules"]) == 23


def test_why_not(run, model):
    """What stopped each rule of a label follows the reasons; changes then lead to that label."""
    done = run("explain", "model.json", "new.csv", "--row", "8", "--why-not", "refuse", "--what-if")
    record = unless.read_table("new.csv", like=model).record(7)
    assert str(unless.why_not(model.program_, record, "refuse")) in done.out
    changes = done.out[done.out.index("What would change it:") :].splitlines()[1:]
    assert changes
    assert all("→ refuse" in change for change in changes)


@pytest.mark.parametrize(
    ("labels", "texts"), [((1, 0), ("1", "1.0")), ((True, False), ("True", "true")), ((1.5, 2.0), ("1.5",))]
)
def test_labels_of_any_type(run, tmp_path, labels, texts):
    """A label on the command line is text, and means the label of the program that is written so."""
    path = tmp_path / "program.json"
    rule = unless.Rule(labels[0], (unless.Literal("age", "<=", 30),))
    programs.save(unless.Program("y", ("age",), (rule,), labels[1]), path)
    for text in texts:
        done = run("explain", path, "--set", "age=40", "--why-not", text)
        assert "rule 1 asks that age is at most 30, but age is 40" in done.out
    done = run("explain", path, "--set", "age=40", "--why-not", "maybe")
    assert (done.code, done.err.split(";")[0]) == (1, "unless: no rule gives the label 'maybe'")


def test_fixed_features_and_most(run):
    """Features that are fixed stay as they are, and no more changes are shown than asked for."""
    options = ["explain", "model.json", "new.csv", "--row", "8", "--what-if", "--json"]
    free, first = (json.loads(run(*options, "--most", most).out)["records"][0]["changes"] for most in ("4", "2"))
    kept = json.loads(run(*options, "--fixed", "amount,income", "--fixed", "history").out)["records"][0]["changes"]
    assert (len(free), first) == (4, free[:2])
    assert any("amount" in change["set"] for change in free)
    assert kept
    assert not any({"amount", "income", "history"} & change["set"].keys() for change in kept)
    for option in ("--fixed", "amount"), ("--most", "5"):
        wrong = run("explain", "model.json", "new.csv", "--row", "5", *option)
        assert wrong.code == 2
        assert f"invalid value for {option[0]}: it needs --what-if" in wrong.err
    assert run(*options, "--fixed", "amout").err == "unless: --fixed: no feature 'amout'; did you mean 'amount'?\n"


def test_json_says_everything(run, model):
    """The document has the proof, the figures of its rule, and what was asked for; what was not is null."""
    done = run("explain", "model.json", "applicants.csv", "--row", "1", "--json")
    document = json.loads(done.out)
    (record,) = document["records"]
    assert document["target"] == "decision"
    asked = ["probability", "proof", "statistics", "why_not", "changes", "points"]
    assert list(record) == ["row", "set", "label_in_data", "held_back", *asked]
    assert record["label_in_data"] == "refuse"
    assert record["why_not"] is record["changes"] is record["points"] is None
    rule = record["proof"]["decided"]
    decided, right = model.statistics_.support[rule], model.statistics_.right[rule]
    figures = {"decided": decided, "right": right, "weighted": False}
    assert record["statistics"] == figures | model.statistics_.expectation(rule)


def test_shares_are_those_of_predict(run):
    """A record has one probability and one expected precision, in `explain`, as text and as JSON, and in `predict`."""
    assert run("predict", "model.json", "new.csv", "-o", "out.csv").code == 0
    frame = pd.read_csv("out.csv")
    explained = run("explain", "model.json", "new.csv", "--row", "1-40")
    document = json.loads(run("explain", "model.json", "new.csv", "--row", "1-40", "--json").out)
    said = re.findall(r"\(probability (0\.\d+);[^,]*, expected precision (0\.\d+), ", explained.out)
    records = document["records"]
    assert [one["probability"] for one in records] == pytest.approx(frame.probability, abs=1e-6)
    assert [one["statistics"]["expected_precision"] for one in records] == pytest.approx(
        frame.expected_precision, abs=1e-6
    )
    assert [float(one) for one, _ in said] == pytest.approx(frame.probability, abs=1e-3)
    assert [float(other) for _, other in said] == pytest.approx(frame.expected_precision, abs=1e-3)


def test_a_label_that_the_data_gives_otherwise(run, model):
    """Where the data has another label, the explanation says so."""
    table = unless.read_table("applicants.csv", "decision", features=model.program_.used)
    truth = [table.target.labels[code] for code in table.target.codes]
    wrong = next(k for k, label in enumerate(unless.predict(model.program_, table)) if label != truth[k])
    done = run("explain", "model.json", "applicants.csv", "--row", str(wrong + 1))
    assert f"(its label in the data is {truth[wrong]})" in done.out
    assert "in the data" not in run("explain", "model.json", "applicants.csv", "--row", "1").out


def test_a_plain_program(run):
    """A program without statistics explains without figures."""
    programs.save(programs.load("model.json"), "program.json")
    done = run("explain", "program.json", "new.csv", "--row", "8", "--what-if")
    assert done.out.splitlines()[0] == "Record 8 is decided: review (rule 3)."
    assert "What would change it:" in done.out


def test_a_rule_that_always_applies(run, tmp_path):
    """A program that asks nothing reads nothing, and says that its rule is the default."""
    programs.save(unless.Program("y", ("age",), (unless.Rule("a"),)), tmp_path / "program.json")
    (tmp_path / "data.csv").write_text("age\n3\n4\n")
    done = run("explain", tmp_path / "program.json", tmp_path / "data.csv", "--row", "2", "--what-if")
    assert done.out.splitlines()[:2] == ["Record 2 is decided: a (rule 1).", "  because it is the default"]


def test_folders_and_formats(run):
    """Records come from a folder of parts, and from a file of another name with its format."""
    header, *rows = Path("new.csv").read_text().splitlines()
    Path("parts").mkdir()
    for number, part in enumerate((rows[:5], rows[5:])):
        Path("parts", f"{number}.csv").write_text("\n".join([header, *part]))
    Path("new.data").write_text("\n".join([header, *rows]))
    told = run("explain", "model.json", "new.csv", "--row", "8").out
    assert run("explain", "model.json", "parts", "--row", "8").out == told
    assert run("explain", "model.json", "new.data", "--row", "8", "--format", "csv").out == told


@pytest.mark.parametrize("given", ["income", "=3", "incme=3"])
def test_what_is_no_value(run, given):
    """A value is the name of a feature, = and a cell."""
    done = run("explain", "model.json", "--set", given)
    assert done.code in (1, 2)
    assert "--set" in done.err


class TestPoints:
    """The score card of a record."""

    def test_the_table_is_that_of_the_library(self, run, model):
        """It follows the reasons, and adds up."""
        done = run("explain", "model.json", "new.csv", "--row", "8", "--points")
        found = model.score_card(unless.read_table("new.csv", like=model)[[7]])
        shown = [line.split() for line in done.out.splitlines()[-len(found.table()) :]]
        assert shown == [line.split() for line in str(found).splitlines()]
        assert found.total[0] == sum(row.points[0] for row in found.rows)

    def test_as_json(self, run, model):
        """The probabilities are those of predict_proba."""
        done = run("explain", "model.json", "new.csv", "--row", "8", "--points", "--json")
        (record,) = json.loads(done.out)["records"]
        shares = [one["probability"] for one in record["points"]["probabilities"]]
        assert shares == pytest.approx(model.predict_proba(unless.read_table("new.csv", like=model)[[7]])[0])

    def test_rules_alone_have_no_points(self, run, model):
        """Nor has a model of an earlier version: the error says what to do."""
        Path("rules.json").write_text(programs.dumps(model.program_))
        assert "only rules" in run("explain", "rules.json", "new.csv", "--row", "1", "--points").err
        document = json.loads(Path("model.json").read_text())
        for key in ("points", "base", "cuts"):
            del document["statistics"][key]
        Path("old.json").write_text(json.dumps(document))
        done = run("explain", "old.json", "new.csv", "--row", "1", "--points")
        assert done.code == 1
        assert "fit it again" in done.err
