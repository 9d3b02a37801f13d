"""Costs of decisions in classifiers: what decides, what is learned, files, and bad input."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict, cross_val_score

import unless
from unless import Constraints, FoldRMClassifier, FoldRPPClassifier, UnlessClassifier, UnlessCommittee
from unless.errors import MissingFileError, ParameterError, ProgramError, ReadError, UnknownNameError
from unless.estimators.cost_input import parse_costs, to_cost_pairs
from unless.explanation.cost_explanation import CostExplanation
from unless.export import to_rules, to_text
from unless.rule import Program
from unless.score.committee import Committee
from unless.score.score_decider import ScoreDecider

KINDS = {
    "unless": UnlessClassifier(warn=False),
    "fold-rm": FoldRMClassifier(warn=False),
    "fold-rpp": FoldRPPClassifier(warn=False),
    "committee": UnlessCommittee(size=5, warn=False),
}
COSTS = {("churn", "stay"): 5, ("stay", "churn"): 1}
AMOUNTS = {("churn", "stay"): "amount", ("stay", "churn"): 20}


def customers(many: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Customers, of whom some churn; the amount says nothing about it."""
    random = np.random.default_rng(seed)
    columns = {"calls": random.normal(size=many).round(2), "late": random.normal(size=many).round(2),
               "plan": random.choice(list("xyz"), many), "amount": random.integers(10, 400, many)}  # fmt: skip
    X = pd.DataFrame(columns)
    chance = 1 / (1 + np.exp(2 - 1.5 * X["calls"] - (X["plan"] == "x")))
    return X, np.where(random.random(many) < chance, "churn", "stay")


X, Y = customers(800)
NEW, TRUE = customers(800, seed=1)


def naive_decisions(model, records, costs, classes, price=None):
    """The cheapest label of each record by the probabilities that the model gives; None where it is too dear."""
    found = []
    for share, amount in zip(model.predict_proba(records), records["amount"], strict=True):
        priced = {pair: amount if cost == "amount" else cost for pair, cost in costs.items()}
        known = dict(zip(classes, share, strict=True))
        expected = {said: sum(known[true] * priced.get((true, said), true != said) for true in classes)
                    for said in classes}  # fmt: skip
        best = min(classes, key=expected.__getitem__)
        found.append(None if price is not None and expected[best] > price else best)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("costs", "price"), [(COSTS, None), (COSTS, 0.5), (AMOUNTS, None), (AMOUNTS, 15)])
def test_the_cheapest_label_is_predicted(kind, costs, price, tmp_path):
    """All classifiers decide by expected cost; copies, pickles and files decide the same, one record or many."""
    model = clone(KINDS[kind].set_params()).set_params(costs=costs, reject=price).fit(X, Y)
    said = model.predict(NEW)
    assert said.tolist() == naive_decisions(model, NEW, costs, ["churn", "stay"], price)
    assert len(set(said)) > 1
    assert (None in set(said)) == (price is not None)
    model.save(tmp_path / "model.json")
    loaded = unless.load(tmp_path / "model.json")
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()
    for other in (loaded, pickle.loads(pickle.dumps(model))):
        assert other.predict(NEW).tolist() == said.tolist()
        assert other.model_.decider == model.model_.decider
        assert other.expected_costs(NEW).equals(model.expected_costs(NEW))
        assert other.model_.agreement == model.model_.agreement
    assert [model.predict(NEW[row : row + 1])[0] for row in range(20)] == said[:20].tolist()
    assert clone(model).fit(X, Y).predict(NEW).tolist() == said.tolist()
    assert loaded.get_params()["costs"] == to_cost_pairs(costs)
    assert model.score(NEW, TRUE) == np.mean(said == TRUE)


@pytest.mark.parametrize("kind", KINDS)
def test_without_costs_nothing_changes(kind, tmp_path):
    """Files without costs have no word about them, and equal costs give the same rules and decisions."""
    plain = clone(KINDS[kind]).fit(X, Y)
    plain.save(tmp_path / "model.json")
    assert not {"costs", "decide", "reject", "decision"} & set((tmp_path / "model.json").read_text().split('"'))
    equal = clone(KINDS[kind]).set_params(costs={("stay", "churn"): 3, ("churn", "stay"): 3}).fit(X, Y)
    assert equal.model_.decider == plain.model_.decider
    assert equal.predict_proba(NEW).tolist() == plain.predict_proba(NEW).tolist()


def test_equal_costs_that_decide():
    """Where points decide at equal costs, by cost or by score, it is the most probable label."""
    model = UnlessClassifier(decide="score").fit(X, Y)
    probable = [("churn", "stay")[int(churn < stay)] for churn, stay in model.predict_proba(NEW)]
    assert model.predict(NEW).tolist() == probable
    by_cost = UnlessClassifier(costs={("churn", "stay"): 1}, decide="costs").fit(X, Y)
    assert by_cost.predict(NEW).tolist() == probable
    assert by_cost.program_ == model.program_ == UnlessClassifier().fit(X, Y).program_


def test_the_list_stays_the_one_to_read():
    """A list that decides by costs is learned without them; its rules and figures are those of the plain list."""
    plain, model = (UnlessClassifier(costs=costs).fit(X, Y) for costs in (None, COSTS))
    assert isinstance(model.model_.decider, ScoreDecider)
    assert model.program_ == plain.program_
    assert str(model.rules_) == str(plain.rules_)
    assert model.apply(NEW).tolist() == plain.apply(NEW).tolist()
    assert model.model_.agreement == np.mean(model.predict(X) == plain.predict(X))
    lead = plain.predict_proba(NEW)
    differs = (lead != model.predict_proba(NEW)).any(axis=1)
    assert (lead[differs].max(axis=1) < 0.501).all()  # there, the list's own label had to be lifted


def test_rules_that_know_the_costs():
    """With decide="rules", rules are learned by costs, and support and probabilities count records as they are."""
    model, plain = UnlessClassifier(costs=COSTS, decide="rules").fit(X, Y), UnlessClassifier().fit(X, Y)
    assert isinstance(model.model_.decider, Program)
    assert model.program_ != plain.program_
    assert model.statistics_.total == len(X)
    assert not model.statistics_.weighted
    weighted = UnlessClassifier(class_weight={"churn": 5}).fit(X, Y)
    truth = (TRUE == "churn").mean()
    assert abs(model.predict_proba(NEW)[:, 0].mean() - truth) < abs(weighted.predict_proba(NEW)[:, 0].mean() - truth)
    cost = {one: np.sum(np.where(TRUE == "churn", 5, 1)[one.predict(NEW) != TRUE]) for one in (model, plain)}
    assert cost[model] < cost[plain]
    by_amount = UnlessClassifier(costs=AMOUNTS, decide="rules").fit(X, Y)
    assert "amount" not in by_amount.program_.used
    assert by_amount.predict(NEW.drop(columns="amount").assign(amount=0)).tolist() == by_amount.predict(NEW).tolist()


def test_amounts_are_features_only_if_asked():
    """No rule tests a column of amounts, unless it is declared as a number; prediction needs it."""
    y = np.where(X["amount"] > 200, "churn", "stay")
    hidden = UnlessClassifier(costs=AMOUNTS, warn=False).fit(X, y)
    assert "amount" not in hidden.program_.used
    with pytest.raises(UnknownNameError, match="'amount'"):
        hidden.predict(X.drop(columns="amount"))
    asked = UnlessClassifier(costs=AMOUNTS, numeric=["amount"], warn=False).fit(X, y)
    assert asked.program_.used == ("amount",)
    assert "amount" not in UnlessCommittee(size=3, costs=AMOUNTS, warn=False).fit(X, y).committee_.all_rules.used
    gaps = NEW.assign(amount=[None, *NEW["amount"][1:]])
    with pytest.raises(ReadError, match="number in the column 'amount', and 1 of 800 records here have none"):
        hidden.predict(gaps)


def test_costs_come_in_several_forms(tmp_path):
    """A dict, nested dicts, frames of two libraries, and a file mean the same costs."""
    (tmp_path / "costs.toml").write_text('[churn]\nstay = 5\n["st.ay"]\nchurn = "amount"\n')
    wanted = {("churn", "stay"): 5.0, ("st.ay", "churn"): "amount"}
    assert to_cost_pairs(tmp_path / "costs.toml") == to_cost_pairs(str(tmp_path / "costs.toml")) == wanted
    assert to_cost_pairs({"churn": {"stay": 5}, "st.ay": {"churn": "amount"}}) == wanted
    square = {("churn", "churn"): 0, ("churn", "stay"): 5, ("stay", "churn"): 1, ("stay", "stay"): -1}
    frame = pd.DataFrame([[0, 5], [1, -1]], index=["churn", "stay"], columns=["churn", "stay"])
    assert to_cost_pairs(frame) == square
    assert to_cost_pairs(frame.rename_axis("true").reset_index()) == square
    assert to_cost_pairs(pl.DataFrame({"true": ["churn", "stay"], "churn": [0, 1], "stay": [5, -1]})) == square
    numbers = pd.DataFrame([[0, 5], [1, 0]])
    assert to_cost_pairs(numbers)[0, 1] == 5
    model = UnlessClassifier(costs=frame).fit(X, Y)
    assert clone(model).costs is not None
    assert model.predict(NEW).tolist() == UnlessClassifier(costs=square).fit(X, Y).predict(NEW).tolist()


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (["churn:stay=5", "stay:churn=.5"], {("churn", "stay"): 5, ("stay", "churn"): 0.5}),
        (["a:b:churn=amount"], {("a:b", "churn"): "amount"}),
        (["x=y:stay=-2"], {("x=y", "stay"): -2}),
        (["churn->stay:stay=1e3"], {("churn->stay", "stay"): 1000}),
        (["nobody:stay=1"], {("nobody", "stay"): 1}),
    ],
)
def test_costs_of_the_command_line(texts, wanted):
    """A cost is TRUE:DECIDED=COST; labels may have colons and equals signs themselves."""
    assert parse_costs(texts, ["churn", "stay", "a:b", "x=y", "churn->stay"]) == wanted


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["churn=5"], "has no colon"),
        (["churn:stay"], "is not TRUE:DECIDED=COST"),
        (["a:stay=1", "a:stay=2"], "given twice"),
        (["a:b:a=1"], "in several ways; write the costs into a TOML file"),
        (["a:stay=-inf"], "finite number"),
    ],
)
def test_bad_costs_of_the_command_line(texts, said):
    """What is no cost is named, and what to write instead."""
    with pytest.raises(ParameterError, match=said):
        parse_costs(texts, ["a", "stay", "a:b", "b:a"])


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"costs": {("churn", "sta"): 5}}, UnknownNameError, "'sta', which is not a label of training; did you mean"),
        (
            {"costs": {("churn", "stay"): float("nan")}},
            ParameterError,
            "'stay' where 'churn' is true is nan; a cost is",
        ),
        ({"costs": {("churn", "stay"): float("inf")}}, ParameterError, "is inf; a cost is a finite number"),
        ({"costs": {("churn", "stay"): None}}, ParameterError, "is None; a cost is"),
        ({"costs": {("churn", "stay"): True}}, ParameterError, "is True; a cost is"),
        ({"costs": {("churn", "stay"): 1e16}}, ParameterError, "above 1e15"),
        ({"costs": {"churn": 5}}, ParameterError, "'churn' has no decided label"),
        ({"costs": {}}, ParameterError, "costs are empty"),
        ({"costs": [[0, 5], [1, 0]]}, ParameterError, "costs are a dict"),
        ({"costs": "costs.toml"}, MissingFileError, "no file 'costs.toml'"),
        ({"costs": pd.DataFrame([[0, 5, 1]])}, ParameterError, "has 1 rows and 2 columns of costs"),
        ({"costs": {("churn", "stay"): "amout", ("stay", "churn"): 1}}, UnknownNameError, "did you mean 'amount'"),
        ({"costs": {("churn", "stay"): "plan", ("stay", "churn"): 1}}, ParameterError, "other values than numbers"),
        ({"costs": {("churn", "stay"): "amount"}}, ParameterError, "every mistake needs a cost"),
        ({"decide": "costs"}, ParameterError, "needs costs"),
        ({"decide": "votes"}, ParameterError, "decide must be 'rules', 'costs', 'score' or None"),
        ({"decide": "score", "costs": COSTS}, ParameterError, "leave out costs"),
        ({"reject": -0.1}, ParameterError, "reject must be a number of at least 0, or None, not -0.1"),
        ({"reject": float("nan")}, ParameterError, "reject must be"),
        (
            {"decide": "rules", "costs": {("churn", "stay"): 0, ("stay", "churn"): 0}},
            ParameterError,
            "no mistake costs",
        ),
    ],
)
def test_bad_input(given, error, said):
    """What is wrong with costs is named, with what to write instead."""
    with pytest.raises(error, match=said):
        UnlessClassifier(**given).fit(X, Y)


def test_who_can_decide_by_rules():
    """Published learners know no costs, and in a committee no single rule decides."""
    with pytest.raises(ParameterError, match="fold-rm learns as published"):
        FoldRMClassifier(costs=COSTS, decide="rules").fit(X, Y)
    with pytest.raises(ParameterError, match="no single rule decides"):
        UnlessCommittee(decide="rules").fit(X, Y)
    assert isinstance(UnlessCommittee(size=2, decide="score").fit(X, Y).model_.decider, Committee)


def test_one_label_leaves_nothing_to_decide():
    """With one label in training, as in a fold, costs and prices have no effect."""
    one = np.full(len(Y), "stay")
    for kind in KINDS.values():
        model = clone(kind).set_params(costs=COSTS, reject=0.1).fit(X, one)
        assert set(model.predict(NEW)) == {"stay"}


def test_cross_validation():
    """scikit-learn's tools take classifiers with costs, with many labels, too."""
    y = np.where(X["late"] > 0.8, "move", Y)
    costs = {("churn", "stay"): 5, ("move", "stay"): 2, ("stay", "stay"): -0.25}
    model = UnlessClassifier(costs=costs, warn=False)
    assert cross_val_score(model, X, y, cv=3).shape == (3,)
    said = cross_val_predict(model.set_params(reject=0.4), X, y, cv=3)
    assert {None, "stay"} <= set(said)
    fitted = model.set_params(reject=None).fit(X, y)
    assert fitted.predict(NEW).tolist() == naive_decisions(fitted, NEW, costs, ["churn", "move", "stay"])


def test_undecided_records_are_not_rejected_ones():
    """A record that no rule covers and one that is passed on both have no label, and explanations tell them apart."""
    y = np.where(X["late"] > 0.8, "move", Y)
    model = FoldRMClassifier(otherwise=None, reject=0.3, max_rules=2, warn=False).fit(X, y)
    found = [model.explain(record) for record in NEW[:60].to_dict("records")]
    said = model.predict(NEW[:60]).tolist()
    assert [one.label for one in found] == said
    kinds = {(one.label is None, one.rejected, one.inner.decided is None) for one in found}
    assert {(True, True, False), (True, False, True)} <= kinds
    assert len({one.outcome for one in found if one.label is None}) == 2


def test_explanations_say_what_decides():
    """The decision, its expected cost, the probabilities, and the rule that says otherwise."""
    model = UnlessClassifier(costs=COSTS, reject=0.7, warn=False).fit(X, Y)
    plain = UnlessClassifier(warn=False).fit(X, Y)
    found = model.explain(NEW)
    costs = model.expected_costs(NEW)
    assert list(costs) == ["churn", "stay", "rejected", "decision", "alternative"]
    assert (costs["alternative"] >= costs[["churn", "stay", "rejected"]].min(axis=1)).all()
    for one, label, rule, (_, row) in zip(found, model.predict(NEW), plain.predict(NEW), costs.iterrows(), strict=True):
        assert isinstance(one, CostExplanation)
        assert (one.label, one.inner.label) == (label, rule)
        assert one.expected_costs == {"churn": row["churn"], "stay": row["stay"]}
        assert one.rejected == (label is None) == (min(row["churn"], row["stay"]) > 0.7)
        text = one.text()
        assert text.startswith("no decision" if label is None else f"label {label}")
        assert ("alone would decide: label " + rule in text) == (label != rule)
        json.dumps(one.to_dict())
    with pytest.raises(ParameterError, match="no single rule stops a label"):
        model.why_not(NEW.iloc[0], "churn")


def test_exports_refuse_what_they_cannot_say():
    """Rules alone would decide otherwise, so text does not have them instead."""
    model = UnlessClassifier(costs=COSTS).fit(X, Y)
    for export in (to_rules, to_text):
        with pytest.raises(ParameterError, match=r"list that decides by costs cannot be written as .*model\.program_"):
            export(model.model_)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda one: one.pop("agreement"), 'there is no "agreement"'),
        (lambda one: one.pop("costs"), 'there are no "costs"'),
        (lambda one: one["costs"][1].__setitem__(0, "nobody"), "'nobody', which is not a label"),
        (lambda one: one["costs"][1].__setitem__(2, "nothing"), 'no column "nothing"'),
        (lambda one: one.update(by="votes"), "decision.by"),
        (lambda one: one.update(reject=-1), "decision.reject"),
        (lambda one: one.update(more=1), "decision"),
        (lambda one: one["costs"].append(one["costs"][0]), "twice"),
    ],
)
def test_files_are_checked(change, said, tmp_path):
    """What is wrong in a file is named with its place."""
    UnlessClassifier(costs={**COSTS, ("stay", "stay"): -1}, reject=0.5).fit(X, Y).save(tmp_path / "model.json")
    data = json.loads((tmp_path / "model.json").read_text())
    change(data["decision"])
    (tmp_path / "model.json").write_text(json.dumps(data))
    with pytest.raises(ProgramError, match=said):
        unless.load(tmp_path / "model.json")


def test_frames_of_costs_and_labels_of_other_kinds():
    """Labels are numbers or booleans, too; costs may spell them as text, as a TOML file does."""
    for labels in ((0, 1), (False, True), (1.0, 2.0)):
        y = np.array(labels)[(Y == "churn").astype(int)]
        first, second = (str(label) for label in labels)
        model = UnlessClassifier(costs={second: {first: 5}}, warn=False).fit(X, y)
        assert model.predict(NEW).dtype == y.dtype
        assert model.model_.costs.entries == ((0, 1), (5, 0))


def test_edited_rules_get_points_of_their_own():
    """Edited rules decide by costs with points that are fitted to the records; without records, that is refused."""
    model = UnlessClassifier(costs=COSTS, reject=0.7, warn=False).fit(X, Y)
    shorter = Program(model.program_.target, model.program_.features, model.program_.rules[1:])
    edited = model.with_program(shorter, X, Y)
    assert edited.program_ == shorter
    assert edited.predict(NEW).tolist() == naive_decisions(edited, NEW, COSTS, ["churn", "stay"], 0.7)
    assert edited.model_.decider != model.model_.decider
    assert model.with_program(model.program_).predict(NEW).tolist() == model.predict(NEW).tolist()
    with pytest.raises(ParameterError, match="fitted to labelled records"):
        model.with_program(shorter)


@pytest.mark.parametrize("learner", [UnlessClassifier, UnlessCommittee])
def test_costs_of_many_labels_keep_no_direction(learner):
    """Where one of three labels gets less likely, its expected cost may fall: the other two change places."""
    X = [{"x": float(place % 50)} for place in range(150)]
    y = [("a", "b", "c")[place % 50 // 17] for place in range(150)]
    limits = {"constraints": Constraints(monotone="x: more never a"), "warn": False}
    costs = {("b", "a"): 5, ("c", "a"): 2}
    for given in ({"costs": costs}, {"costs": costs, "reject": 0.5}):
        with pytest.raises(ParameterError, match="'x: more never a' cannot be kept where decisions"):
            learner(**given, **limits).fit(X, y)
    learner(reject=0.5, **limits).fit(X, y)  # what is least likely costs most
    two = ["a" if one == "a" else "b" for one in y]
    learner(costs={("b", "a"): 5}, reject=0.5, **limits).fit(X, two)
