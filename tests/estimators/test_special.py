"""Special codes in classifiers: learned from, saved, and read in new records and in exports as in training."""

from __future__ import annotations

import json
import sqlite3
import warnings

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import unless
from tests.export.test_code import python
from unless import (
    BlockCache,
    FoldRMClassifier,
    FoldRPPClassifier,
    Literal,
    TrainingWarning,
    UnlessClassifier,
    UnlessCommittee,
    read_table,
)
from unless.blocks import column_stats
from unless.errors import ProgramError
from unless.estimators.relearning import learner_of, stability_of
from unless.export import to_javascript, to_sql
from unless.logic import run_clingo
from unless.report.card import model_card
from unless.stream import predict_file

CLASSIFIERS = (UnlessClassifier, FoldRMClassifier, FoldRPPClassifier, UnlessCommittee)
SPECIAL = {"months": {-7: "no inquiry", -8: "no trades", 25: "unknown"}}


def people(rows=500, seed=0):
    """Months since something, with codes on both sides of the numbers and between them."""
    draw = np.random.default_rng(seed)
    months = draw.integers(0, 50, rows).astype(float)
    for code, share in ((-7, 0.2), (-8, 0.15), (25, 0.1), (np.nan, 0.05)):
        months[draw.random(rows) < share] = code
    y = np.where((months == -7) | ((months > 30) | (months < 5)) & (months != -8), "bad", "good")
    X = pd.DataFrame({"months": months, "age": draw.integers(18, 80, rows)})
    return X, np.where(draw.random(rows) < 0.04, "bad", y)


def fitted(kind, **more):
    """A classifier fitted to these people."""
    more |= {"size": 5} if kind is UnlessCommittee else {}
    return kind(special=SPECIAL, warn=False, **more).fit(*people())


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_learned_and_saved(kind, tmp_path):
    """The category is a literal of its own, thresholds hold for numbers only; files, clones and refits know codes."""
    model, (X, y) = fitted(kind), people()
    named = pd.DataFrame({"months": X["months"].astype(object).replace(SPECIAL["months"]), "age": X["age"]})
    plain = clone(model).set_params(special=None, numeric=["months"]).fit(named, y)
    assert model.program_ == plain.program_  # as if the cells had the names
    assert {literal.value for literal in model.program_.literals()} & {"no inquiry"}
    model.save(tmp_path / "m.json")
    back = unless.load(tmp_path / "m.json")
    new = people(seed=1)[0]
    assert back.special == {"months": {-8.0: "no trades", -7.0: "no inquiry", 25.0: "unknown"}}
    assert (back.predict(new) == model.predict(new)).all()
    assert back.fit(X, y).program_ == model.program_
    assert clone(model).special == SPECIAL


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_every_form_of_new_records(kind, tmp_path):
    """One by one and together, as numbers and as texts, from frames, dicts, files and streams: the same labels."""
    model, new = fitted(kind), people(seed=2)[0]
    wanted = model.predict(new).tolist()
    rows = new.astype(object).where(new.notna(), None).to_dict("records")
    assert [model.predict([row])[0] for row in rows[:60]] == wanted[:60]
    assert [model.predict(new[place : place + 1])[0] for place in range(60)] == wanted[:60]
    texts = [{"months": None if row["months"] is None else str(row["months"]), "age": row["age"]} for row in rows]
    assert model.predict(texts).tolist() == wanted
    assert model.predict(read_table(new)).tolist() == wanted
    new.to_csv(tmp_path / "new.csv", index=False)
    new.to_parquet(tmp_path / "new.parquet")
    for name in ("new.csv", "new.parquet"):
        predict_file(model, tmp_path / name, tmp_path / "out.csv")
        found = pd.read_csv(tmp_path / "out.csv")
        assert found["predicted"].tolist() == wanted
        assert found["months"].equals(new["months"])  # the file keeps its codes


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_exports_take_raw_records(kind, node):
    """SQL, Python and JavaScript of a model read -7 as the category, and clingo gets it as a fact."""
    model, t = fitted(kind), people(seed=3)[0]
    wanted = model.predict(t).tolist()
    rows = t.astype(object).where(t.notna(), None).to_dict("records")
    assert [label for (label,) in duckdb.sql(f"SELECT {to_sql(model)} FROM t").fetchall()] == wanted
    with sqlite3.connect(":memory:") as database:
        t.to_sql("t", database)
        assert [label for (label,) in database.execute(f"SELECT {to_sql(model, 'sqlite')} FROM t")] == wanted
    assert list(map(python(model), rows)) == wanted
    assert node.run(to_javascript(model), rows) == wanted
    if kind is not UnlessCommittee:
        pytest.importorskip("clingo")
        table = read_table(t[:60], like=model)
        assert run_clingo(model.program_, table).tolist() == wanted[:60]


@pytest.mark.parametrize("many", [1 << 16, 20])
def test_blocks_and_databases(many, tmp_path, monkeypatch):
    """From blocks, kept or not, and from a database, the rules are those of memory: also if numbers are sampled."""
    X, y = people(2000)
    months = X["months"].to_numpy()
    X["months"] = np.where(np.isin(months, [*SPECIAL["months"]]), months, months + np.arange(2000) % 97 / 100)
    X.assign(y=y).to_parquet(tmp_path / "x.parquet")
    with duckdb.connect(tmp_path / "x.duckdb") as database:
        database.execute(f"CREATE TABLE t AS FROM '{tmp_path / 'x.parquet'}'")
    wanted = UnlessClassifier(special=SPECIAL).fit(tmp_path / "x.parquet", "y")
    monkeypatch.setattr(column_stats, "_NUMBERS", many)
    monkeypatch.setattr(column_stats, "_PER_BATCH", many)
    kept = BlockCache(tmp_path / "x.parquet", tmp_path / "kept")
    for source in (kept, kept, tmp_path / "x.duckdb"):
        found = UnlessClassifier(special=SPECIAL).fit(source, "y")
        assert found.program_ == wanted.program_
        assert found.schema_.special == wanted.schema_.special
        assert found.predict(X).tolist() == wanted.predict(X).tolist()
    with pytest.warns(unless.UnlessWarning, match="were made for another special; they are made again"):
        UnlessClassifier(special={"months": {-7: "else"}}).fit(kept, "y")


def test_files_without_codes_have_no_word_of_them(tmp_path):
    """So that they are the same, byte for byte, as they were before there were special codes."""
    UnlessClassifier(warn=False).fit(*people()).save(tmp_path / "m.json")
    assert "special" not in (tmp_path / "m.json").read_text()


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        ([["months", []]], r"columns\.special\[0\]\[1\]"),
        ([["months", [[-7, "a"], [-8, "a"]]]], r"columns\.special: .*the name 'a'"),
        ([["mnths", [[-7, "a"]]]], r"columns\.special\[0\]\[0\].*mnths"),
        ([["months", [["-7", "a"]]]], r"columns\.special\[0\]\[1\]\[0\]\[0\]: expected a finite number"),
    ],
)
def test_files_of_strangers(codes, words, tmp_path):
    """A file with other codes is refused, with the place."""
    fitted(UnlessClassifier).save(tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    document["columns"]["special"] = codes
    (tmp_path / "m.json").write_text(json.dumps(document))
    with pytest.raises(ProgramError, match=words):
        unless.load(tmp_path / "m.json")


def test_columns_of_arrays():
    """The columns of an array are declared by their index."""
    X, y = people()
    model = UnlessClassifier(special={0: SPECIAL["months"]}, warn=False).fit(X.to_numpy(), y)
    assert model.schema_.special["x0"][1] == (-7.0, "no inquiry")
    assert (model.predict(X.to_numpy()) == fitted(UnlessClassifier).predict(X)).all()


def test_a_code_that_never_occurs_is_said():
    """It is no error, and new records may have it."""
    X, y = people()
    special = {"months": {**SPECIAL["months"], -9: "no file"}}
    with pytest.warns(TrainingWarning, match="months has no cell with the code -9, 'no file'"):
        model = UnlessClassifier(special=special).fit(X, y)
    with pytest.warns(unless.UnlessWarning, match="months"):
        assert model.predict([{"months": -9, "age": 30}]) == model.predict([{"months": "no file", "age": 30}])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        UnlessClassifier(special=SPECIAL).fit(X, y)


def test_rules_that_people_write():
    """A code is written as its name or as its number, and both are the category."""
    model = fitted(UnlessClassifier)
    for text in ("bad if months is 'no trades'", "bad if months = -8", "bad if months is no trades"):
        (rule, *_) = unless.parse(f"{text}\ngood otherwise", like=model)
        assert rule.default == (Literal("months", "==", "no trades"),)
    assert model.with_program(unless.parse("bad if months is not -7\ngood otherwise", like=model)).predict(
        [{"months": -7, "age": 1}, {"months": 3, "age": 1}]
    ).tolist() == ["good", "bad"]


def test_changes_do_not_lead_to_codes():
    """That there was no inquiry is nothing that a person can do: a code is offered if asked for, and never a number."""
    text = "bad if months <= 24\ngood if months is 'no trades'\nbad if months is missing\ngood otherwise"
    model = fitted(UnlessClassifier)
    model = model.with_program(unless.parse(text, like=model))
    record = {"months": 3, "age": 40}
    (found,) = unless.counterfactuals(model, record)
    assert found.record["months"] == 26  # 25 is a code
    assert model.predict([found.record]) == ["good"]
    assert "no trades" in str(unless.counterfactuals(model, record, ranges={"months": ["no trades"]}))
    (found,) = unless.counterfactuals(model, {"months": -8, "age": 40}, "bad")
    assert found.record["months"] == 24


def test_stability_and_cards():
    """What learns again from the table has the codes, and a card names the categories."""
    model, (X, y) = fitted(UnlessClassifier), people()
    table = read_table(X.assign(label=y), "label", special=SPECIAL)
    stable = stability_of(learner_of(model.model_), model.program_, table, n=3)
    assert stable.refits == 3
    assert "no inquiry, no trades, unknown" in str(model_card(model.model_))
