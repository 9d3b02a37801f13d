"""Constraints and locked rules in the classifiers: kept, saved, cloned, and said where something is unusual."""

from __future__ import annotations

import datetime as dt
import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import unless
from unless import (
    Constraints,
    FoldRMClassifier,
    FoldRPPClassifier,
    Literal,
    Program,
    Rule,
    TrainingWarning,
    UnlessClassifier,
    UnlessCommittee,
    violations,
)
from unless.errors import ParameterError, ProgramError, UnknownNameError
from unless.estimators.model_file import read
from unless.report.card import model_card
from unless.report.card_rendering import markdown

LISTS = (UnlessClassifier, FoldRMClassifier, FoldRPPClassifier)


def people(rows=300, seed=0):
    """People with a label that several features tell together."""
    draw = np.random.default_rng(seed)
    X = pd.DataFrame({"age": draw.integers(18, 80, rows), "town": draw.choice(["Oslo", "Rome", "Bern"], rows)})
    X["income"] = draw.integers(10, 90, rows) + 0.5
    y = np.where((X["income"] < 40) & (X["town"] != "Rome") | (X["age"] < 25), "refuse", "accept")
    return X, np.where(draw.random(rows) < 0.04, "refuse", y)


ASKED = Constraints(only_exceptions="age", apart=[("town", "age")], monotone=["income: more never refuse"], max_depth=1)


class TestConstraints:
    """A parameter like any other."""

    @pytest.mark.parametrize("kind", LISTS)
    def test_kept(self, kind, tmp_path):
        """The program keeps them; clones, grids, model files and pickles have them."""
        X, y = people()
        model = kind(constraints=ASKED).fit(X, y)
        assert model.program_.used
        assert violations(model.program_, ASKED) == ()
        assert clone(model).constraints == ASKED
        model.save(tmp_path / "m.json")
        back = unless.load(tmp_path / "m.json")
        assert back.constraints == ASKED
        assert back.fit(X, y).program_ == model.program_
        assert pickle.loads(pickle.dumps(model)).constraints == ASKED
        search = GridSearchCV(kind(), {"constraints": [None, ASKED, Constraints(never="income")]}, cv=2)
        assert search.fit(X, y).best_params_["constraints"] is None

    def test_a_dict(self):
        """A dict of parameters will do."""
        X, y = people()
        model = UnlessClassifier(constraints={"never": ["income"]}).fit(X, y)
        assert "income" not in model.program_.used

    @pytest.mark.parametrize("more", [{"tune": True}, {"teacher": "committee"}, {"teacher": DecisionTreeClassifier()}])
    def test_tuned_and_taught(self, more):
        """Tuning and teachers leave them kept."""
        X, y = people(150)
        X = X.assign(town=X["town"].map({"Oslo": 0, "Rome": 1, "Bern": 2}))
        asked = Constraints(never="age", monotone=["income: more never refuse"], max_literals=2, max_depth=1)
        model = UnlessClassifier(constraints=asked, warn=False, **more).fit(X, y)
        assert violations(model.program_, asked) == ()

    def test_a_committee(self, tmp_path):
        """A committee keeps all of them, directions included, and so does its student; the file has them."""
        X, y = people(150)
        asked = Constraints(never="age", max_literals=1, max_depth=0)
        model = UnlessCommittee(size=5, constraints=asked).fit(X, y)
        assert all(violations(each, asked) == () for each in (*model.lists_, model.program_))
        model.save(tmp_path / "m.json")
        assert unless.load(tmp_path / "m.json").constraints == asked
        asked = Constraints(monotone=["income: more never refuse"])
        model = UnlessCommittee(size=5, constraints=asked).fit(X, y)
        assert violations(model.committee_, asked) == violations(model.program_, asked) == ()
        with pytest.raises(ParameterError, match="its categories have no order"):
            UnlessCommittee(constraints=Constraints(monotone=["town: more never refuse"])).fit(X, y)

    @pytest.mark.parametrize("kind", [*LISTS, UnlessCommittee])
    @pytest.mark.parametrize("more", [{}, {"round_thresholds": True}, {"teacher": "committee"}])
    def test_given_cuts(self, kind, more, tmp_path):
        """Thresholds are the given ones only, those of the points of probabilities too, and nothing is negated."""
        X, y = people()
        asked = Constraints(only_cuts={"income": [25, 40, 70], "age": [25]}, no_negation=True)
        able = {name: value for name, value in more.items() if name in kind().get_params()}
        model = kind(constraints=asked, warn=False, **able).fit(X, y)
        lists = model.lists_ if kind is UnlessCommittee else [model.program_]
        found = {literal for each in lists for literal in each.literals()}
        assert {one.value for one in found if one.feature == "income"} & {25.0, 40.0, 70.0}
        assert {one.op for one in found} <= {"<=", ">", "==", "missing"}
        for each in (*lists, model.program_):
            assert violations(each, asked) == ()
        model.save(tmp_path / "m.json")
        assert unless.load(tmp_path / "m.json").constraints == asked
        if kind is UnlessClassifier:
            assert {cut.value for cut in model.card_.cuts} <= {25.0, 40.0, 70.0}
            shown = markdown(model_card(read(tmp_path / "m.json"), parameters=model.get_params()))
            assert "thresholds on income only at 25, 40 and 70" in shown
            assert "no rule says 'is not' or 'is present'" in shown

    @pytest.mark.parametrize("kind", [*LISTS, UnlessCommittee])
    def test_cuts_in_notations(self, kind):
        """Dates, levels of an order and amounts with a unit are cut where they are said to be, as texts or as dates."""
        draw = np.random.default_rng(1)
        days = pd.Timestamp("2023-01-01") + pd.to_timedelta(draw.integers(0, 700, 400), unit="D")
        X = pd.DataFrame({"when": days, "size": draw.choice(["S", "M", "L"], 400)})
        X["weight"] = [f"{kilos} kg" for kilos in draw.integers(1, 90, 400)]
        y = np.where((X["when"] >= "2024-01-10") | (X["size"] == "L"), "yes", "no")
        orders, cuts = {"size": ["S", "M", "L"]}, {"size": ["M"], "weight": ["40 kg", 60]}
        models = [
            kind(orders=orders, warn=False, constraints={"only_cuts": cuts | {"when": [day]}}).fit(X, y)
            for day in ("2023-12-31", dt.date(2023, 12, 31), pd.Timestamp("2023-12-31"))
        ]
        lists = [model.lists_ if kind is UnlessCommittee else [model.program_] for model in models]
        found = {str(literal) for each in lists[0] for literal in each.literals()}
        allowed = {"weight <= 40", "weight > 40", "weight <= 60", "weight > 60"}
        assert {"when > 2023-12-31", "size > M"} & found
        assert found <= allowed | {f"{one} {op}" for one in ("size >", "when >") for op in ("M", "2023-12-31")} | {
            "when <= 2023-12-31",
            "size <= M",
        }
        assert lists[0] == lists[1] == lists[2]
        for model in models:
            assert (
                violations(model.program_, model.constraints or Constraints(**model.get_params()["constraints"])) == ()
            )

    def test_a_cut_that_divides_nothing(self):
        """A cut without records on both sides is said, and learning goes on."""
        X, y = people()
        with pytest.warns(TrainingWarning, match="age has no number on one side of the given threshold 200. No rule"):
            model = UnlessClassifier(constraints=Constraints(only_cuts={"age": [25, 200]})).fit(X, y)
        assert len(model.program_) > 1

    @pytest.mark.parametrize("kind", [*LISTS, UnlessCommittee])
    def test_names(self, kind):
        """A name that is no feature is refused with the nearest one."""
        X, y = people(60)
        with pytest.raises(UnknownNameError, match="'incme', which is not a feature; did you mean 'income'"):
            kind(constraints=Constraints(never="incme")).fit(X, y)

    def test_columns_without_names(self):
        """The columns of an array are called x0, x1 and so on."""
        X, y = people()
        model = UnlessClassifier(constraints=Constraints(never="x1")).fit(X[["age", "income"]].to_numpy(), y)
        assert model.program_.used == ("x0",)

    def test_nothing_left_is_said(self):
        """If constraints leave no rules, the remark says so."""
        X, y = people()
        X = X[["age", "income"]].assign(noise=np.random.default_rng(9).integers(0, 2, len(X)))
        with pytest.warns(TrainingWarning, match="without the constraints it would have"):
            UnlessClassifier(constraints=Constraints(never=["income", "age"])).fit(X, y)

    @pytest.mark.parametrize(
        ("node", "words"),
        [
            ({"never": 3}, r"\[1\]\.constraints\.never: expected a list, not 3"),
            ({"nver": []}, "constraints: unknown key \"nver\"; did you mean 'never'"),
            ({"monotone": [["a", "b", "c"]]}, r'monotone\[0\]\[1\]: expected one of "less", "more", not "b"'),
            ({"monotone": [[[], "more", {}]]}, r"monotone\[0\]\[0\]: expected a text, not a list of 0"),
            ({"apart": {"a": 1}}, "apart: expected a list, not an object"),
            ({"max_depth": 1e99}, "max_depth: expected a whole number, not 1e"),
            ({"monotone": ["income goes up"]}, "is not 'FEATURE: more never LABEL'"),
            ({"never": ["a"], "only_exceptions": ["a"]}, "keep one"),
            ({"only_cuts": [["age", []]]}, r"only_cuts\[0\]\[1\]: expected"),
            ({"only_cuts": [["age", [[]]]]}, r"only_cuts\[0\]\[1\]\[0\]: expected"),
            ({"only_cuts": [["age", ["18", True]]]}, r"only_cuts\[0\]\[1\]\[1\]: expected"),
            ({"no_negation": 1}, "no_negation: expected true or false, not 1"),
        ],
    )
    def test_files_of_strangers(self, node, words, tmp_path):
        """A file with other constraints is refused, with the place."""
        X, y = people(60)
        UnlessClassifier(constraints=ASKED, warn=False).fit(X, y).save(tmp_path / "m.json")
        document = json.loads((tmp_path / "m.json").read_text())
        for pair in document["statistics"]["parameters"]:
            if pair[0] == "constraints":
                pair[1] = {"constraints": node}
        (tmp_path / "m.json").write_text(json.dumps(document))
        with pytest.raises(ProgramError, match=words):
            unless.load(tmp_path / "m.json")


class TestLocks:
    """`fit(X, y, keep=..., lock=...)`."""

    @pytest.mark.parametrize("kind", LISTS)
    def test_refit(self, kind):
        """Rules of a model stay while others are learned from new records; statistics count them."""
        model = kind(warn=False).fit(*people(seed=1))
        able = [k for k, rule in enumerate(model.program_.rules) if rule.default]
        X, y = people(seed=2)
        new = kind(warn=False).fit(X, y, keep=model, lock=able[:1])
        assert new.program_.rules[0] == model.program_.rules[0]
        assert new.statistics_.support[0] == sum(new.apply(X) == 0)
        assert kind(warn=False).fit(X, y, keep=model).program_.rules[: len(able)] == model.program_.rules[: len(able)]

    def test_experts_come_first(self):
        """Rules that a person wrote come first, and decide by their own definition."""
        X, y = people()
        rule = Rule("accept", (Literal("town", "==", "Rome"), Literal("age", ">", 60.0)))
        model = UnlessClassifier(warn=False).fit(X, y, keep=[rule])
        assert model.program_.rules[0] == rule
        assert model.score(X, y) > 0.9
        program = Program("label", ("age", "town", "income"), (rule,))
        assert UnlessClassifier(warn=False).fit(X, y, keep=program).program_ == model.program_

    def test_what_is_unusual_is_said(self):
        """A locked rule that decides nothing, or breaks a constraint, stays, and is said."""
        X, y = people()
        rules = [Rule("refuse", (Literal("town", "==", "Paris"),)), Rule("accept", (Literal("income", "<=", 30.0),))]
        with pytest.warns(TrainingWarning) as caught:
            model = UnlessClassifier(constraints=ASKED).fit(X, y, keep=rules)
        assert model.program_.rules[:2] == tuple(rules)
        text = str(caught[0].message)
        assert "Rule 1 is locked and decides no record" in text
        assert "A locked rule breaks a constraint: income: more never refuse" in text

    def test_nothing_unusual(self):
        """Otherwise there is nothing to say."""
        X, y = people()
        rule = Rule("refuse", (Literal("age", "<=", 24.0),))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            UnlessClassifier().fit(X, y, keep=[rule])

    def test_refused(self):
        """A committee has no place for a rule; limits that locked rules exceed are said."""
        X, y = people(60)
        rules = [Rule("refuse", (Literal("age", "<=", float(k)),)) for k in (20, 30)]
        with pytest.raises(ParameterError, match="cannot be locked in a committee, which has many lists"):
            UnlessCommittee().fit(X, y, keep=rules)
        with pytest.raises(ParameterError, match="the lists of a committee decide together"):
            UnlessClassifier().fit(X, y, keep=UnlessCommittee(size=2).fit(X, y))
        for kind, most in ((UnlessClassifier, 2), (FoldRMClassifier, 1), (FoldRPPClassifier, 1)):
            with pytest.raises(ParameterError, match=f"max_rules is {most}, but 2 rules are locked"):
                kind(max_rules=most).fit(X, y, keep=rules)
        found = FoldRMClassifier(max_rules=2, warn=False).fit(X, y, keep=rules)
        assert found.program_.rules == tuple(rules)


class TestShortThresholds:
    """`round_thresholds`: numbers that people can remember."""

    @pytest.mark.parametrize("kind", LISTS)
    def test_they_decide_alike(self, kind):
        """Training records are decided as without, by numbers that are not longer."""
        X, y = people()
        X = X.assign(income=X["income"] * 1.2345 + 0.001)
        plain, short = (kind(round_thresholds=given, warn=False).fit(X, y) for given in (False, True))
        assert (plain.apply(X) == short.apply(X)).all()
        lengths = [
            sum(len(str(one.value)) for rule in model.program_ for one in rule.literals() if one.op in ("<=", ">"))
            for model in (plain, short)
        ]
        assert lengths[1] < lengths[0]

    def test_published_ones_do_not_by_default(self):
        """The published learners take numbers of the records, unless asked; locked rules keep theirs."""
        X, y = people()
        X = X.assign(income=X["income"] * 1.2345 + 0.001)
        numbers = set(X["income"]) | set(X["age"].astype(float))
        for kind in LISTS[1:]:
            model = kind(warn=False).fit(X, y)
            assert all(one.value in numbers for rule in model.program_ for one in rule.literals() if one.op in "<=>")
            short = kind(round_thresholds=True, warn=False).fit(X, y, keep=model, lock=[0])
            assert short.program_.rules[0] == model.program_.rules[0]
        with pytest.raises(ParameterError, match="round_thresholds must be True or False"):
            FoldRMClassifier(round_thresholds="yes").fit(X, y)
