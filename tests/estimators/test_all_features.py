"""Probabilities of one list that also count features that no rule tests: `UnlessClassifier(probabilities="all")`."""

from __future__ import annotations

import json
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import unless
from tests.export.test_code import python
from unless import UnlessClassifier
from unless.errors import ParameterError, ProgramError, UnknownNameError
from unless.export import to_javascript, to_query
from unless.report.card import model_card
from unless.rule import Literal
from unless.score.score_card import ScoreCard


def people(rows=600, seed=0):
    """Records of which one feature decides most, and others a little: too little for a rule; cells are missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "income": rng.normal(50, 15, rows).round(1),
            "city": rng.choice(["Bonn", "Kyiv", "Oslo", "Rome"], rows),
            "pets": rng.integers(0, 5, rows),
            "since": [date(2020, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 900, rows)],
        }
    )
    frame.loc[rng.random(rows) < 0.1, "income"] = np.nan
    logit = 3 * (frame.age > 45) + 0.8 * (frame.city == "Rome") + 0.35 * frame.pets - 2.5
    return frame, np.where(rng.random(rows) < 1 / (1 + np.exp(-logit)), "yes", "no")


X, Y = people()
PLAIN = UnlessClassifier().fit(X, Y)
MODEL = UnlessClassifier(probabilities="all").fit(X, Y)
MORE = ("income", "city", "pets", "since")


def test_labels_stay_and_ranks_are_better():
    """The rules and labels are those of the plain list; on new records, probabilities rank better."""
    new, truth = people(3000, seed=1)
    assert MODEL.program_ == PLAIN.program_
    assert (MODEL.predict(new) == PLAIN.predict(new)).all()
    plain, more = (roc_auc_score(truth == "yes", one.predict_proba(new)[:, 1]) for one in (PLAIN, MODEL))
    assert more > plain + 0.03
    assert (MODEL.classes_[MODEL.predict_proba(new).argmax(axis=1)] == MODEL.predict(new)).all()


def test_what_it_tests():
    """The card has points for features that no rule tests, which the model names; the plain card has none."""
    assert PLAIN.model_.untested == PLAIN.card_.untested == ()
    assert MODEL.model_.untested == MODEL.card_.untested == MORE
    assert MODEL.model_.used == MODEL.domain_.features == tuple(X)
    assert {cut.op for cut in MODEL.card_.cuts} == {">", "==", "missing"}
    assert Literal("city", "==", "Rome") in MODEL.card_.cuts


def test_definition_and_order():
    """The sums of many records are those of the definition, and the card does not depend on the order of records."""
    table = unless.read_table(X, like=MODEL)
    records = [table.record(row) for row in range(40)]
    sums = [sum(points for _, points in MODEL.card_.lines(record)) for record in records]
    assert np.array_equal(MODEL.card_.totals(table)[:40], sums)
    order = np.random.default_rng(3).permutation(len(X))
    again = UnlessClassifier(probabilities="all").fit(X.iloc[order], Y[order])
    assert np.array_equal(again.card_.points, MODEL.card_.points)
    assert again.card_.cuts == MODEL.card_.cuts


def test_files(tmp_path):
    """A file has the points and the values of all features; files of plain lists do not change."""
    path = tmp_path / "model.json"
    MODEL.save(path)
    loaded = unless.load(path)
    assert np.array_equal(loaded.predict_proba(X), MODEL.predict_proba(X))
    assert loaded.get_params()["probabilities"] == "all"
    assert loaded.card_.untested == MORE
    PLAIN.save(path)
    assert "probabilities" not in path.read_text()
    assert unless.load(path).get_params()["probabilities"] == "rules"


def test_a_file_without_the_values_is_refused(tmp_path):
    """Points of a feature that no rule tests need its values of training, by which new cells are read."""
    path = tmp_path / "model.json"
    MODEL.save(path)
    document = json.loads(path.read_text())
    document["columns"]["values"] = [one for one in document["columns"]["values"] if one[0] != "city"]
    path.write_text(json.dumps(document))
    with pytest.raises(ProgramError, match=r'no rule tests "city", and columns.values lacks it'):
        unless.load(path)


def test_exports(node):
    """SQL, Python and JavaScript give the same probabilities, from columns that no rule tests, too."""
    wanted = MODEL.predict_proba(X)[:, 1]
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as database:
        database.register("people", X)
        found = database.execute(to_query(MODEL, "people", what=["probability"])).df()
    assert np.allclose(found["probability_yes"], wanted, rtol=0, atol=1e-9)
    records = [
        {**row, "since": row["since"].isoformat(), "income": None if row["income"] != row["income"] else row["income"]}
        for row in X.iloc[:60].to_dict("records")
    ]
    function = python(MODEL, what="probability")
    assert np.allclose([function(row)["yes"] for row in records], wanted[:60], rtol=0, atol=1e-12)
    texts = node.run(to_javascript(MODEL, what="probability"), records)
    shares = [{one["label"]: one["probability"] for one in row}["yes"] for row in texts]
    assert np.allclose(shares, wanted[:60], rtol=0, atol=1e-12)


def test_onnx():
    """The graph has an input for each feature with points, and gives the same probabilities."""
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    from unless.export.onnx import onnx_inputs, to_onnx

    frame = X.drop(columns="since")
    model = UnlessClassifier(probabilities="all").fit(frame, Y)
    session = runtime.InferenceSession(to_onnx(model).SerializeToString())
    assert len(model.card_.untested) == 3
    assert np.allclose(session.run(None, onnx_inputs(model, frame))[2], model.predict_proba(frame), rtol=0, atol=1e-12)


def test_it_is_said_wherever_a_probability_is(tmp_path):
    """Score cards, model cards and the page name the features that no rule tests."""
    sentence = "The probabilities also count features that no rule tests: income, city, pets and since."
    card = MODEL.score_card(X.iloc[0])
    assert str(card).splitlines()[-1] == sentence
    assert card.to_dict()["untested"] == list(MORE)
    assert sentence in card._repr_html_()
    assert sentence in model_card(MODEL).limits
    MODEL.report(X.iloc[:50], Y[:50], tmp_path / "page.html")
    assert sentence in (tmp_path / "page.html").read_text("utf-8")
    plain = PLAIN.score_card(X.iloc[0])
    assert "untested" not in plain.to_dict()
    assert "no rule tests" not in f"{plain}{plain._repr_html_()}{model_card(PLAIN).limits}"


def test_contributions_add_up():
    """Contributions of features, also of those that no rule tests, add up to the log-odds."""
    found = MODEL.contributions(X.iloc[:5], background=X.iloc[:100])
    assert set(MORE) <= set(found.features)
    assert np.allclose(found.probabilities(), MODEL.predict_proba(X.iloc[:5]), rtol=0, atol=1e-9)


def test_records_need_these_features():
    """A record without a feature that has points is refused by name."""
    with pytest.raises(UnknownNameError, match="'city'"):
        MODEL.score_card({"age": 30, "income": 40.0, "pets": 1, "since": "2020-01-01"})


def test_constraints():
    """Features that rules must not test get no points, and points of features with a direction keep to it."""
    asked = {"never": ["city"], "monotone": ["pets: more never no"]}
    model = UnlessClassifier(probabilities="all", constraints=asked).fit(X, Y)
    assert "city" not in model.model_.used
    assert "pets" in model.card_.untested
    shares = np.array([model.predict_proba(X.assign(pets=pets))[:, 0] for pets in range(5)])
    assert (np.diff(shares, axis=0) <= 0).all()


def test_only_rules_decide():
    """Points of all features may not decide, nor reject records."""
    for given in (
        {"decide": "score"},
        {"reject": 0.1},
        {"costs": {("yes", "no"): 5, ("no", "yes"): 1}, "decide": "costs"},
    ):
        with pytest.raises(ParameterError, match='with probabilities="all" the rules decide'):
            UnlessClassifier(probabilities="all", **given).fit(X, Y)


def test_editing():
    """With labelled records, edited rules get a card of all features again; without, the model has no points."""
    rules = unless.Program(MODEL.program_.target, MODEL.program_.features, MODEL.program_.rules[-1:])
    edited = MODEL.with_program(rules, X, Y)
    assert set(edited.card_.untested) == set(X)
    bare = MODEL.with_program(rules)
    assert bare.card_ is None
    assert bare.model_.used == ()
    assert (bare.predict(X) == edited.predict(X)).all()


def test_wrong_values_are_refused():
    """Another word is refused, and so is a cut that a rule has, or of a feature that does not exist."""
    with pytest.raises(ParameterError, match="probabilities must be 'rules' or 'all', not 'everything'"):
        UnlessClassifier(probabilities="everything").fit(X, Y)
    program, classes, card = MODEL.program_, ("no", "yes"), PLAIN.card_
    one = next(program.literals())
    for cuts, message in (([one], "in no rule, once"), ([Literal("agee", "missing")], "'agee' is not a feature")):
        with pytest.raises(ProgramError, match=message):
            ScoreCard(program, classes, card.base, card.points, tuple(cuts))
