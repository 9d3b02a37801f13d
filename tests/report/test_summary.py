"""What a page says is what the program does: counted, sampled, spelled for its scripts."""

from __future__ import annotations

import json
import math
import re
import sys
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

import unless
from tests.explanation.examples import RANGES
from tests.report.examples import deep, hostile, loans, long, many_labels, parcels
from tests.strategies import FEATURES, meaning, programs, records
from unless.errors import ParameterError, ReadError, UnlessError
from unless.evaluation.metrics import count_rule_decisions
from unless.explanation import Phrase, Words, proof_rendering
from unless.model.rule_statistics import wilson_interval
from unless.report import render, report, summarise
from unless.report.render import json_for_script, model_html
from unless.report.rule_sentences import Text
from unless.rule import Literal, Program, Rule
from unless.table import Column, Labels, Table

AGES = Table((Column.of("age", [20, 30, None, 50], "number"),), Labels.of("y", ["no", "no", "yes", "yes"]))
OLD = Program("y", ("age",), (Rule("yes", (Literal("age", ">", 40.0),)),), "no")


class TestRules:
    """Rules and what they decide."""

    def test_counts_are_those_of_measure(self):
        """The decisions, right decisions and parts of every rule are those that `measure` counts."""
        program, table = long(50)
        page, found = summarise(program, table), count_rule_decisions(program, table)
        assert [rule.decided for rule in page.rules] == found.support.astype(int).tolist()
        assert [rule.right for rule in page.rules] == found.right.astype(int).tolist()
        for rule in page.rules:
            assert sum(part.count for part in rule.parts) == rule.decided
            assert sum(part.count for part in rule.parts if part.right) == rule.right

    def test_training_is_told_where_it_differs(self):
        """On other records a rule says what it did in training too; on the training records once is enough."""
        model, table = loans()
        assert any(rule.trained is not None for rule in summarise(model, table).rules)
        X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0] * 10})
        y = pd.Series(["x", "x", "y", "y"] * 10, name="label")
        fitted = unless.UnlessClassifier().fit(X, y)
        data = unless.read_table(X.assign(label=y), like=fitted)
        assert all(rule.trained is None for rule in summarise(fitted, data).rules)

    def test_weights_of_training_are_called_so(self):
        """If records were weighted, page and notebook say that the figures of training are weights."""
        X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0] * 10})
        y = pd.Series(["x", "x", "y", "y"] * 10, name="label")
        fitted = unless.UnlessClassifier().fit(X, y, sample_weight=np.full(40, 2.0))
        page = summarise(fitted, unless.read_table(X.assign(label=y), like=fitted))
        assert "in training a weight of 40, 100\u00a0% right" in render(page)
        assert page.data["figures"][0].endswith("; it decided a weight of 40 in training")
        assert "decides a weight of 40, expected precision 88\u00a0%" in fitted._repr_html_()

    def test_words_are_honoured(self):
        """Features, values and labels are called what the reader calls them, also by the scripts."""
        words = Words({"age": Phrase("their age", "{} years")}, labels={"yes": "we say yes"})
        page = summarise(OLD, AGES, words=words)
        condition = page.rules[0].sentence.conditions[0]
        assert (condition.name.shown, condition.tests) == ("their age", (("is above", Text("40 years")),))
        assert page.data["label_texts"] == ["no", "we say yes"]
        assert page.data["features"][0]["phrase"]["number"] == "{} years"
        assert "we say yes" in render(page)

    def test_ranges_are_conditions(self):
        """Both bounds of a number are one condition, on the page and in a notebook."""
        table = Table((Column.of("age", [20, 35], "number"), Column.of("city", ["Oslo", "Oslo"], "text")))
        page = summarise(RANGES, table)
        age, city = page.rules[0].sentence.conditions
        assert age.tests == (("is above", Text("30")), ("and at most", Text("40")))
        assert city.tests == (("is", Text("Oslo")),)
        assert [line.conditions[0].tests for line in page.rules[0].sentence.exceptions] == [
            (("is above", Text("35")), ("and at most", Text("36"))),
            (("is at most", Text("32")),),
        ]
        for shown in (render(page), model_html("a model", RANGES, None)):
            words = " ".join(re.sub("<[^>]*>", "", shown).split())
            assert "basic if age is above 30 and at most 40 and city is Oslo" in words
            assert "age is above 60 and at most 50" in words

    def test_nesting_has_no_limit_of_its_own(self):
        """Exceptions nested 200 deep are all in the page."""
        page = summarise(*deep())
        assert [line.depth for line in page.rules[0].sentence.exceptions] == list(range(1, 200))
        assert render(page).count('<span class="unless">unless</span>') >= 199

    def test_only_exceptions_of_the_rule_itself_are_counted(self):
        """Where many exceptions are folded, the fold counts those that stop the rule, not exceptions to exceptions."""
        inner = tuple(Rule(None, (Literal("age", ">", float(place)),)) for place in range(6))
        for several, said in (1, "its exception applies"), (2, "one of 2 exceptions applies"):
            exceptions = (Rule(None, (Literal("age", "<=", 9.0),), inner),) * several
            program = Program("y", ("age",), (Rule("yes", (), exceptions),), "no")
            page = summarise(program, AGES)
            assert page.rules[0].sentence.direct == several
            assert f"</span> {said}</summary>" in render(page)
            assert f"</span> {said}</summary>" in model_html("", program, None)

    def test_a_long_name_does_not_fill_the_page(self):
        """A target of ten thousand characters is shortened in the heading too."""
        page = summarise(Program("y" * 10_000, ("age",), OLD.rules, "no"), Table(AGES.columns))
        assert len(page.title) < 100


class TestFlow:
    """How records flow down the list."""

    @pytest.mark.parametrize("rules", [3, 26, 60])
    def test_nobody_is_lost(self, rules):
        """What moves on from a rule reaches the next; in the end all records are taken; many rules end together."""
        program, table = long(rules)
        steps = summarise(program, table).flow
        assert steps[0].reaching == len(table)
        assert [step.left for step in steps[:-1]] == [step.reaching for step in steps[1:]]
        assert steps[-1].left == 0
        numbered = [step for step in steps if step.first is not None]
        assert numbered[-1].last == rules
        assert len(numbered) <= 26
        assert sum(step.right for step in steps) == summarise(program, table).quality.right


class TestTruth:
    """True labels: present or not, spelled differently, never seen."""

    def test_without_labels(self):
        """Without true labels the page says nothing about right and wrong, and tells why."""
        model, table = loans()
        page = summarise(model, Table(table.columns, None, len(table), table.missing))
        assert page.quality is None
        assert all(rule.right is None for rule in page.rules)
        assert not page.weak.rules
        assert page.data["records"]["truth"] is None
        text = render(page)
        assert "no true labels" in text
        assert 'class="matrix"' not in text

    def test_text_that_spells_a_label(self):
        """Labels of a text file are those of the model that they spell: ``1`` is 1, ``true`` is True."""
        for labels, spelled in ([0, 1], ["0", "1"]), ([0.5, 2.0], ["0.5", "2"]), ([False, True], ["false", "True"]):
            program = Program("y", ("age",), (Rule(labels[1], (Literal("age", ">", 25.0),)),), labels[0])
            truth = Labels.of("y", [spelled[0], spelled[1], spelled[0], spelled[1]])
            page = summarise(program, Table(AGES.columns, truth))
            assert page.quality.accuracy == 1.0
            assert page.quality.labels == tuple(labels)

    def test_labels_that_training_did_not_have(self):
        """A label that is new counts as wrong, and is named among the weak spots."""
        model, table = loans()
        labels = [table.target.labels[code] for code in table.target.codes]
        table = Table(table.columns, Labels.of("decision", ["pending", *labels[1:]]), len(table), table.missing)
        page = summarise(model, table)
        assert [label.text.shown for label in page.weak.new] == ["pending"]
        assert page.quality.labels[-1] == "pending"
        assert "pending" in render(page)

    def test_undecided_records(self):
        """Records without a decision have a column of their own, and count as wrong."""
        program = Program("y", ("age",), OLD.rules)
        page = summarise(program, AGES)
        assert page.quality.undecided == 3
        assert page.errors.matrix.undecided
        assert [counts for _, counts in page.errors.matrix.rows] == [(0, 0, 2), (0, 1, 1)]
        assert page.weak.undecided == page.weak.by_default == 3
        text = re.sub(r"\s+", " ", render(page))
        assert "not decided</dt><dd>75 %" in text
        assert "decided by default" not in text
        assert "<b>3</b> records" in text
        assert "which counts as wrong. Each row" in text

    def test_many_labels(self):
        """Beyond a dozen labels the matrix shows the largest and the others, with the same total."""
        page = summarise(*many_labels(30))
        assert len(page.errors.matrix.rows) == 12
        assert page.errors.matrix.rows[-1][0] is None
        assert sum(sum(counts) for _, counts in page.errors.matrix.rows) == page.records.total
        assert len(page.errors.whole.rows) == 30
        assert summarise(*many_labels(100)).errors.whole is None


class TestFeatures:
    """Which features matter."""

    def test_shares_are_of_records_that_rules_decide(self):
        """The share of a feature is the share of records that are decided by a rule that tests it."""
        rng = np.random.default_rng(0)
        X = pd.DataFrame(rng.normal(size=(300, 4)), columns=[*"abcd"])
        y = pd.Series(np.where(X.a + X.b > 0, "x", "y"), name="label")
        model = unless.UnlessClassifier().fit(X, y)
        decided, rules = model.apply(X), model.program_.rules
        for view in summarise(model, unless.read_table(X.assign(label=y), like=model)).features:
            feature = view.name.shown
            testing = [k for k, rule in enumerate(rules) if feature in {literal.feature for literal in rule.literals()}]
            assert view.share == pytest.approx(np.isin(decided, testing).mean())

    def test_shuffling_costs_what_a_feature_is_worth(self):
        """A feature that decides alone costs about half of the accuracy; one that never matters costs nothing."""
        rng = np.random.default_rng(0)
        a, b = rng.integers(0, 2, 2000), rng.integers(0, 2, 2000)
        columns = Column.of("a", a.tolist(), "number"), Column.of("b", b.tolist(), "number")
        rule = Rule("one", (Literal("a", ">", 0.5), Literal("b", ">", -1.0)))
        table = Table(columns, Labels.of("y", ["one" if one else "zero" for one in a]))
        first, second = summarise(Program("y", ("a", "b"), (rule,), "zero"), table).features
        assert (first.name.shown, second.name.shown) == ("a", "b")
        assert first.cost == pytest.approx(0.5, abs=0.05)
        assert second.cost == 0

    def test_the_same_seed_gives_the_same_page(self):
        """A page depends only on model, records and seed."""
        assert render(summarise(*long(20))) == render(summarise(*long(20)))


class TestWeak:
    """Where a program is weak."""

    FALLING = pd.DataFrame({"a": [1.0] * 20 + [0.0] * 80, "label": ["x"] * 5 + ["y"] * 15 + ["x"] * 80})
    """A rule that says y where a is 1 is right for 15 of 20."""

    @staticmethod
    def training(copies):
        """Records where that rule is always right: so many decide that the label is y, twice as many that it is x."""
        return pd.DataFrame({"a": [0.0, 1.0, 0.0] * copies}), pd.Series(["x", "y", "x"] * copies, name="label")

    @settings(max_examples=50, deadline=None)
    @given(st.integers(1, 400).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
    def test_the_interval_is_wilsons(self, drawn):
        """The interval equals scipy's."""
        wanted = binomtest(*drawn).proportion_ci(method="wilson")
        assert wilson_interval(*drawn) == pytest.approx((wanted.low, wanted.high), abs=1e-9)

    def test_a_bad_rule_is_named(self):
        """A rule that is wrong more often than chance allows is named, with its most frequent error."""
        column = Column.of("n", [*range(100)], "number")
        rules = Rule("a", (Literal("n", "<=", 29.0),)), Rule("b", (Literal("n", "<=", 200.0),))
        truth = ["c"] * 20 + ["a"] * 10 + ["b"] * 70
        weak = summarise(Program("y", ("n",), rules), Table((column,), Labels.of("y", truth))).weak
        (rule,) = weak.rules
        assert (rule.number, rule.right.total, rule.right.count, rule.instead[1]) == (1, 30, 10, 20)
        assert [one.label.text.shown for one in weak.classes] == ["c"]
        assert (weak.by_default, weak.idle, weak.few) == (0, (), ())

    def test_one_error_is_no_weak_spot(self):
        """A single error, and few records, are not held against a rule or a label: that may be chance."""
        column = Column.of("n", [*range(300)], "number")
        rules = tuple(Rule("abc"[place], (Literal("n", "<=", end),)) for place, end in enumerate((9.0, 12.0, 400.0)))
        truth = ["c"] + ["a"] * 9 + ["c"] * 290
        page = summarise(Program("y", ("n",), rules), Table((column,), Labels.of("y", truth)))
        assert [rule.precision for rule in page.rules[:2]] == [0.9, 0.0]
        assert page.weak.rules == ()
        assert page.weak.few == (2,)

    def test_both_shares_may_be_chance(self):
        """A rule is worse than in training only if both shares together show it: all of 5 is not more than 15 of 20."""
        for copies, fell in (5, False), (100, True):
            model = unless.UnlessClassifier(warn=False).fit(*self.training(copies))
            weak = summarise(model, unless.read_table(self.FALLING, "label", like=model)).weak
            assert [(rule.number, rule.trained is not None) for rule in weak.rules] == [(1, fell)]

    def test_weights_are_not_compared_with_records(self):
        """How often a rule was right by weight does not tell how often it should be right for records."""
        model = unless.UnlessClassifier(warn=False).fit(*self.training(100), sample_weight=np.full(300, 2.0))
        weak = summarise(model, unless.read_table(self.FALLING, "label", like=model)).weak
        assert [(rule.number, rule.trained) for rule in weak.rules] == [(1, None)]

    def test_rules_without_records_are_named(self):
        """Rules that decide nothing, and those that decide too little to judge, are listed."""
        rules = (Rule("yes", (Literal("age", ">", 99.0),)), *OLD.rules, Rule("no"))
        weak = summarise(Program("y", ("age",), rules), AGES).weak
        assert (weak.idle, weak.few, weak.by_default) == ((1,), (2,), 3)


class TestData:
    """What the scripts know."""

    @settings(max_examples=40, deadline=None)
    @given(programs())
    def test_any_program_is_spelled_exactly(self, program):
        """From the JSON of a page the program and the records can be read back, to the last bit."""
        cells = {name: [meaning(KINDS[name], cell) for cell in column] for name, column in records(60).items()}
        table = Table(tuple(Column.of(name, cells[name]) for name in FEATURES))
        page = summarise(program, table)
        data = json.loads(json_for_script(page.data))
        assert render(page)
        assert _program(data) == program
        for place, feature in enumerate(data["features"]):
            column = data["records"]["columns"][place]
            found = [_value(column["values"][code]) for code in column["codes"]]
            assert found == [table.column(feature["name"]).value(int(c)) for c in table.column(feature["name"]).codes]

    def test_records_are_sampled_honestly(self):
        """A page has all records, or a sample by the seed, each once and in order, and says which."""
        program, table = long(5)
        assert summarise(program, table, sample=4000).data["records"]["rows"] == list(range(1, 4001))
        drawn = summarise(program, table, sample=100, seed=7)
        rows = drawn.data["records"]["rows"]
        assert len(set(rows)) == drawn.records.shown == 100
        assert rows == sorted(rows)
        assert rows == summarise(program, table, sample=100, seed=7).data["records"]["rows"]
        assert rows != summarise(program, table, sample=100, seed=8).data["records"]["rows"]
        text = re.sub(r"\s+", " ", render(drawn))
        assert "100 of 4,000 records, drawn at random (seed 7)" in text

    def test_nothing_in_the_data_ends_the_script(self):
        """Hostile texts are ASCII in the page's JSON, without any character that HTML reads as markup."""
        text = json_for_script(summarise(*hostile()).data)
        assert text.isascii()
        assert not set(text) & set("<>&")

    def test_domain_of_training(self):
        """Ranges and categories are those of training, not of the records given."""
        model, table = loans()
        page = summarise(model, table[:5])
        for feature in page.data["features"]:
            known = model.domain_.column(feature["name"])
            assert feature["categories"] == list(known.categories)
            if len(known.numbers):
                assert (feature["low"], feature["high"]) == (known.numbers[0], known.numbers[-1])

    def test_a_control_counts_as_finely_as_training(self):
        """Whole numbers in the records do not make a control of fractions count in ones."""
        X = pd.DataFrame({"a": np.linspace(0.05, 0.95, 40)})
        model = unless.UnlessClassifier().fit(X, pd.Series(["x", "y"], name="label").repeat(20).to_numpy())
        (feature,) = summarise(model, unless.read_table([{"a": 1.0}], like=model)).data["features"]
        assert feature["step"] < 0.05

    def test_numbers_stay_numbers_and_say_how_they_are_written(self):
        """Dates, times, levels and flags are numbers with a notation; a control has the unit that all times have."""
        page = summarise(*parcels())
        second = 1_000_000
        assert {one["name"]: (one["notation"], one["noted"], one["step"]) for one in page.data["features"]} == {
            "ordered": ("date", True, 86_400 * second),
            "sent": ("instant", True, 60 * second),
            "size": (["S", "M", "L"], True, 1),
            "gift": ("flag", True, 1),
            "pieces": ("whole", False, 1),
            "at": ("time", True, 60 * second),
            "took": ("duration", True, 60 * second),
        }
        values = [value for column in page.data["records"]["columns"] for value in column["values"]]
        assert set(map(type, values)) == {float}
        assert page.data["rules"][0][1][0] == [0, "<=", 1596240000000000.0]
        assert {one.name.shown: one.kind for one in page.features} == {
            "ordered": "dates",
            "sent": "dates",
            "size": "ordered categories",
            "gift": "0 or 1",
            "pieces": "whole numbers",
            "at": "times",
            "took": "durations",
        }

    def test_texts_are_what_the_program_reads(self):
        """Where rules compare dates, a text that spells a date is the date, in records and in what a feature may be."""
        program = Program("y", ("when",), (Rule("new", (Literal("when", ">", date(2020, 8, 1)),)),), "old")
        column = Column.of("when", ["2020-08-02", "soon", None])
        page = summarise(program, Table((column,), Labels.of("y", ["new", "old", "old"])))
        (cells,) = page.data["records"]["columns"]
        (feature,) = page.data["features"]
        day = 1_596_326_400_000_000.0
        assert [cells["values"][code] for code in cells["codes"]] == [day, "soon", None]
        assert (feature["low"], feature["high"], feature["categories"]) == (day, day, ["soon"])
        assert [rule.right for rule in page.rules] == [1, 2]


class TestRefusals:
    """What cannot be reported on."""

    @pytest.mark.parametrize(("option", "value"), [("sample", 0), ("sample", 1.5), ("seed", -1), ("seed", True)])
    def test_parameters(self, option, value):
        """A sample without records and a wrong seed are refused by name."""
        with pytest.raises(ParameterError, match=f"{option} is {value}"):
            summarise(OLD, AGES, **{option: value})

    def test_no_records(self):
        """A table without rows has nothing to report."""
        with pytest.raises(ReadError, match="no records"):
            summarise(OLD, AGES[:0])

    def test_no_model(self):
        """A model that is not fitted and a value that is not a table are refused, with the remedy."""
        with pytest.raises(ParameterError, match="fit it first"):
            summarise(unless.UnlessClassifier(), AGES)
        with pytest.raises(ParameterError, match="read_table"):
            summarise(OLD, [{"age": 3}])

    def test_without_jinja2(self, monkeypatch, tmp_path):
        """Without jinja2 a report says how to get it, and notebooks fall back to text."""
        monkeypatch.setitem(sys.modules, "jinja2", None)
        monkeypatch.setattr(proof_rendering, "find_spec", lambda _: None)
        proof_rendering._environment.cache_clear()
        with pytest.raises(UnlessError, match=r"pip install .unless\[report\]"):
            report(OLD, AGES, tmp_path / "page.html")
        assert not list(tmp_path.iterdir())
        assert model_html("", OLD, None) is None
        assert unless.explain(OLD, {"age": 3})._repr_html_() is None
        model, _ = loans()
        assert set(model._repr_mimebundle_()) == {"text/plain"}


class TestClassifier:
    """``clf.report``."""

    def test_writes_a_page(self, tmp_path):
        """Frames, numeric labels and a title: one file, with the quality on these records."""
        X = pd.DataFrame({"a": np.arange(40.0), "b": ["x", "y"] * 20})
        model = unless.UnlessClassifier(warn=False).fit(X, np.arange(40) // 20)
        model.report(X, np.arange(40) // 20, tmp_path / "page.html", title="Ours & <theirs>")
        text = (tmp_path / "page.html").read_text()
        assert '<h1 dir="auto">Ours &amp; &lt;theirs&gt;</h1>' in text
        assert "accuracy 1.000" in text
        model.report(X, None, tmp_path / "page.html")
        assert "no true labels" in (tmp_path / "page.html").read_text()

    def test_labels_are_checked(self, tmp_path):
        """As many labels as records, none missing."""
        X = pd.DataFrame({"a": np.arange(40.0)})
        model = unless.UnlessClassifier(warn=False).fit(X, np.arange(40) // 20)
        with pytest.raises(ValueError, match="inconsistent"):
            model.report(X, [1, 2], tmp_path / "page.html")
        with pytest.raises(ReadError, match="missing labels"):
            model.report(X, [None] * 40, tmp_path / "page.html")


class TestNotebook:
    """A program shows itself."""

    def test_a_program(self):
        """The rules of a program as a list, without scripts; of a long one the first hundred."""
        shown = OLD._repr_html_()
        assert "<b><bdi>yes</bdi></b> if <bdi>age &gt;" in shown
        assert "otherwise <b><bdi>no</bdi></b>" in shown
        program, _ = long(130)
        assert "and 30 more rules" in program._repr_html_()
        assert "and 30 more rules" in model_html("", program, None)
        assert "<script" not in hostile()[0]._repr_html_()
        assert deep()[0]._repr_html_().count("<li>unless ") == 199


KINDS = {"n": "number", "t": "text", "m": "mixed", "b": "boolean"}


def _program(data: dict) -> Program:
    """The program that the scripts of a page read."""
    used = [feature["name"] for feature in data["features"]]
    labels = [math.inf if label == {"float": "inf"} else label for label in data["labels"]]

    def literal(place: int, op: str, value: object) -> Literal:
        return Literal(used[place], op, float(value) if op in ("<=", ">") else value)

    def rule(head: object, literals: list, exceptions: list) -> Rule:
        return Rule(head, tuple(literal(*one) for one in literals), tuple(rule(None, *one) for one in exceptions))

    rules = tuple(rule(labels[head], *body) for head, *body in data["rules"])
    return Program(data["target"], FEATURES, rules, None if data["otherwise"] is None else labels[data["otherwise"]])


def _value(spelled: object) -> object:
    return float(spelled["number"]) if isinstance(spelled, dict) else spelled
