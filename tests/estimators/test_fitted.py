"""What a fitted classifier has, says and does."""

from __future__ import annotations

import json
import pickle
import re
import signal
import sys
from dataclasses import replace
from html.parser import HTMLParser
from io import StringIO

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance

import unless
from unless import FoldRMClassifier, FoldRPPClassifier, Literal, Rule, UnlessClassifier, UnlessError, read_table
from unless.errors import Interrupted, ParameterError, ProgramError, UnknownNameError
from unless.estimators.training_data import LearningLimits
from unless.explanation.rule_listing import listing_text, listing_title
from unless.model.lazy_value import LazyValue
from unless.table import domain_table

LEARNERS = [UnlessClassifier, FoldRMClassifier, FoldRPPClassifier]
each = pytest.mark.parametrize("learner", LEARNERS)

TITANIC = pd.DataFrame(
    {
        "sex": ["male", "female"] * 60,
        "class": [1, 2, 3] * 40,
        "age": [(7 * k) % 60 + 1.0 if k % 11 else np.nan for k in range(120)],
    }
)
SURVIVED = ((TITANIC["sex"] == "female") & (TITANIC["class"] < 3)) | (TITANIC["age"] < 10)
FATE = SURVIVED.map({True: "survived", False: "perished"}).rename("fate")
X, Y = TITANIC, FATE
FITTED = [one() for one in LEARNERS]


@pytest.fixture(scope="module")
def wine():
    """Three classes."""
    return load_wine(return_X_y=True, as_frame=True)


def test_it_has_what_scikit_learn_expects(model):
    """Classes, features, program."""
    assert model.classes_.tolist() == ["perished", "survived"]
    assert model.n_features_in_ == 3
    assert model.feature_names_in_.tolist() == ["sex", "class", "age"]
    assert model.program_.target == "fate"
    assert model.score(TITANIC, FATE) > 0.9


class TestImportances:
    """What each feature adds to the accuracy."""

    def test_they_are_what_others_values_cost(self, model):
        """With few records: the accuracy lost, on average over all pairs, when a value comes from another record."""
        lost, right = [], np.mean(model.predict(TITANIC) == FATE)
        for feature in TITANIC:
            changed = [TITANIC.assign(**{feature: np.roll(TITANIC[feature], k)}) for k in range(1, len(TITANIC))]
            lost.append(max(right - np.mean([np.mean(model.predict(X) == FATE) for X in changed]), 0))
        assert_allclose(model.feature_importances_, np.array(lost) / sum(lost), atol=1e-12)

    def test_they_rank_as_permutation_on_fresh_records_does(self, learner_of_ship):
        """A feature that rules test everywhere is not important for that; they sum to 1."""
        model, X, y = learner_of_ship
        fresh = permutation_importance(model, X, y, n_repeats=20, random_state=0).importances_mean
        assert model.feature_importances_.sum() == pytest.approx(1)
        assert model.feature_importances_.argsort().tolist() == fresh.argsort().tolist()
        assert model.feature_importances_.argmax() == 0

    def test_what_no_rule_tests_is_exactly_0(self):
        """So is everything, if there are no rules."""
        X = TITANIC.assign(noise=1)
        assert UnlessClassifier().fit(X, FATE).feature_importances_[-1] == 0
        assert UnlessClassifier(max_seconds=0).fit(X, FATE).feature_importances_.tolist() == [0, 0, 0, 0]
        assert UnlessClassifier().fit(X[:1], FATE[:1]).feature_importances_.tolist() == [0, 0, 0, 0]

    @pytest.mark.parametrize("rows", [120, 9000, 70_000])
    def test_the_order_of_rows_does_not_matter(self, rows):
        """Neither with few records, nor with so many that only some are used."""
        random = np.random.default_rng(0)
        X = pd.DataFrame({"a": random.integers(0, 9, rows), "b": random.choice(list("xyz"), rows), "c": 0.0})
        X["c"] = random.normal(size=rows).round(1)
        y = np.where((X["a"] > 4) & (X["b"] != "y") | (X["c"] > 1), "in", "out")
        order = random.permutation(rows)
        one = UnlessClassifier().fit(X, y)
        other = UnlessClassifier().fit(X.iloc[order], y[order])
        assert one.program_ == other.program_
        assert_array_equal(one.feature_importances_, other.feature_importances_)

    def test_a_weight_is_a_number_of_records(self, model):
        """Weight 2 counts the record twice here too, weight 0 leaves it out."""
        weights = np.arange(len(TITANIC)) % 4
        repeated = np.repeat(np.arange(len(TITANIC)), weights)
        one = clone(model).fit(TITANIC, FATE, sample_weight=weights)
        other = clone(model).fit(TITANIC.iloc[repeated], FATE.iloc[repeated])
        assert_array_equal(one.feature_importances_, other.feature_importances_)

    def test_they_come_along_without_records(self, model):
        """A pickled model has importances, but not the records that they were computed from."""
        assert isinstance(model.model_.lazy_importances, LazyValue)
        again = pickle.loads(pickle.dumps(model))
        assert isinstance(again.model_.lazy_importances, np.ndarray)
        assert_array_equal(again.feature_importances_, model.feature_importances_)

    def test_an_edited_program_has_its_own(self, model):
        """They are measured on the records given with the program."""
        edited = model.with_program(replace(model.program_, rules=()), TITANIC, FATE)
        assert not edited.feature_importances_.any()
        assert model.feature_importances_.any()


@pytest.fixture(scope="module")
def learner_of_ship():
    """A model of passengers of a ship, and other passengers: sex matters most, then class, then age, then fare."""
    random = np.random.default_rng(7)
    size = 4000
    X = pd.DataFrame(
        {"sex": random.choice(["male", "female"], size, p=[0.65, 0.35]), "class": random.integers(1, 4, size)}
    )
    X["age"] = random.integers(1, 70, size)
    X["fare"] = (100 / X["class"] * random.lognormal(0, 0.5, size)).round()
    chance = np.where(X["sex"] == "female", 0.95 - 0.25 * (X["class"] == 3) - 0.25 * (X["fare"] < 25), 0.1)
    chance = np.where((X["age"] < 12) & (X["class"] < 3), 0.9, chance)
    y = np.where(random.random(size) < chance, "survived", "perished")
    return UnlessClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2]


def test_rules_are_a_frame(model):
    """One row per rule, with what it says, decides and gets right."""
    frame, decided = model.rules_, model.apply(TITANIC)
    named = [
        "order",
        "label",
        "text",
        "support",
        "coverage",
        "expected_precision",
        "low",
        "high",
        "in_training",
        "lift",
    ]
    assert list(frame) == [*named, "exceptions"]
    assert frame["order"].tolist() == list(range(1, len(model.program_) + 1))
    for k, row in enumerate(frame.itertuples()):
        mine = FATE[decided == k] == row.label
        assert row.support == len(mine)
        assert row.coverage == pytest.approx(len(mine) / len(FATE))
        assert row.in_training == pytest.approx(mine.mean())
        assert 0 <= row.low <= row.expected_precision <= row.high <= 1
        assert row.expected_precision <= max(row.in_training, FATE.eq(row.label).mean())
        assert row.lift == pytest.approx(row.expected_precision / FATE.eq(row.label).mean())
        assert row.exceptions == len(model.program_.rules[k].exceptions)
        assert row.text == str(model.program_.rules[k]).removeprefix(f"{row.label} ").removeprefix("if ")


def test_rules_are_a_polars_frame_without_pandas(model, monkeypatch):
    """If pandas is not installed."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert type(model.rules_).__module__.startswith("polars")


def test_apply_tells_the_rule(model):
    """The rule that decides has the label that is predicted; -1 is `otherwise`."""
    heads = np.array([*(rule.head for rule in model.program_), model.program_.otherwise], dtype=object)
    assert_array_equal(heads[model.apply(TITANIC)], model.predict(TITANIC))


def test_frequencies_are_the_records_of_the_rule(model):
    """With four records of the class prior added, unless that would make another class the most probable."""
    decided = model.apply(TITANIC)
    shares = model.statistics_.probabilities()[decided]
    prior = np.array([FATE.eq(label).mean() for label in model.classes_])
    for k in np.unique(decided):
        counts = np.array([(FATE[decided == k] == label).sum() for label in model.classes_])
        expected = (counts + 4 * prior) / (counts.sum() + 4)
        if model.classes_[expected.argmax()] == model.predict(TITANIC)[decided == k][0]:
            assert_allclose(shares[decided == k][0], expected)


def test_a_rule_outvoted_by_the_prior_keeps_its_label():
    """Neither points nor smoothed frequencies lift another class above the label of the rule."""
    X, y = [[0]] * 98 + [[1]] * 2, ["common"] * 98 + ["rare"] * 2
    model = FoldRMClassifier().fit(X, y)
    assert model.predict([[1]]) == ["rare"]
    for (shares,) in (model.predict_proba([[1]]), model.statistics_.probabilities()[model.apply([[1]])]):
        assert shares[1] > shares[0] > 0
        assert shares.sum() == pytest.approx(1)


def test_explanations(model):
    """A proof for every record, of the predicted label and the deciding rule."""
    proofs = model.explain(TITANIC[:10])
    assert [proof.label for proof in proofs] == model.predict(TITANIC[:10]).tolist()
    assert [-1 if proof.decided is None else proof.decided for proof in proofs] == model.apply(TITANIC[:10]).tolist()


def test_the_domain_remembers_training(model):
    """A model keeps the categories and the range of numbers of the features that rules test."""
    assert model.domain_.features == model.program_.used
    assert model.domain_.column("sex").categories == ("female", "male")
    assert model.domain_.column("age").numbers.tolist() == [TITANIC["age"].min(), TITANIC["age"].max()]
    assert not len(model.domain_)


def test_a_domain_is_bounded():
    """The thousand most frequent categories, in their order, and the finite numbers."""
    cells = [f"c{k:04}" for k in range(1500)] + ["c1499", np.inf]
    table = read_table(pd.DataFrame({"many": cells, "number": [*range(1500), np.inf, -np.inf], "none": None}))
    many, number, none = domain_table(table, ["many", "number", "none"]).columns
    assert many.categories == (*(f"c{k:04}" for k in range(999)), "c1499")
    assert number.numbers.tolist() == [0, 1499]
    assert not len(none.numbers)
    assert not none.categories


class TestOtherwise:
    """The label of records that no rule of FOLD-RM covers."""

    def test_the_most_frequent_of_what_is_left(self):
        """By default it is the most frequent label among the training records that no rule covers."""
        model = FoldRMClassifier(max_rules=1).fit([[1]] * 5 + [[2]] * 3 + [[3]] * 2, list("aaaaabbbcc"))
        assert model.program_.otherwise == "b"
        assert FoldRMClassifier().fit([[1]] * 5, list("aaaaa")).program_.otherwise == "a"

    def test_a_named_label(self):
        """Numbers are equal whatever their type; True is not 1."""
        X, y = [[1], [2], [3]] * 4, [1.0, 2.0, 3.0] * 4
        assert FoldRMClassifier(otherwise=3).fit(X, y).program_.otherwise == 3.0
        assert FoldRMClassifier(otherwise=np.float32(2)).fit(X, y).program_.otherwise == 2.0
        with pytest.raises(UnknownNameError, match="otherwise is True, which is not a label of training"):
            FoldRMClassifier(otherwise=True).fit(X, y)
        with pytest.raises(UnknownNameError, match="did you mean 'b'"):
            FoldRMClassifier(otherwise="bb").fit([[1.0], [2.0]], ["a", "b"])

    @pytest.mark.filterwarnings("ignore:values that training did not have")
    def test_none_leaves_records_unclassified(self):
        """Then labels are objects, None counts as wrong, apply says -1, and probabilities are those of what is left."""
        X, y = [[1]] * 5 + [[2]] * 3 + [[3]] * 2, list("aaaaabbbcc")
        model = FoldRMClassifier(otherwise=None, max_rules=1).fit(X, y)
        assert model.predict(X).tolist() == ["a"] * 5 + [None] * 5
        assert model.predict(X[:5]).dtype == object
        assert model.score(X, y) == 0.5
        assert model.score(X, y, sample_weight=[1] * 5 + [0] * 5) == 1
        assert model.apply(X).tolist() == [0] * 5 + [-1] * 5
        assert model.predict_proba([[2], [3]]).argmax(axis=1).tolist() == [1, 2]
        left = model.predict_proba([[9]])[0]
        assert left.sum() == pytest.approx(1)
        assert str(model.explain([[9]])[0])

    def test_integers_too(self):
        """Labels of any type come beside None."""
        X, y = [[1]] * 5 + [[2]] * 3 + [[3]] * 2, [1] * 5 + [2] * 3 + [3] * 2
        model = FoldRMClassifier(otherwise=None, max_rules=1).fit(X, y)
        assert model.predict(X).tolist() == [1] * 5 + [None] * 5
        assert model.score(X, np.array(y)) == 0.5


class TestPositive:
    """The label that FOLD-R++ learns."""

    def test_it_is_the_second_class(self):
        """Unless another is named."""
        assert {rule.head for rule in FoldRPPClassifier().fit(TITANIC, FATE).program_} == {"survived"}
        named = FoldRPPClassifier(positive="perished").fit(TITANIC, FATE)
        assert {rule.head for rule in named.program_} == {"perished"}
        assert named.program_.otherwise == "survived"

    def test_it_must_be_a_class(self):
        """Numbers are equal whatever their type."""
        assert FoldRPPClassifier(positive=np.int64(0)).fit(TITANIC, SURVIVED.astype(float)).program_.otherwise == 1.0
        with pytest.raises(UnknownNameError, match=r"positive is 'survive'.*did you mean 'survived'"):
            FoldRPPClassifier(positive="survive").fit(TITANIC, FATE)

    def test_two_classes_only(self, wine):
        """More are refused, and the error names the learners that take them."""
        with pytest.raises(ParameterError, match=r"3 labels; use FoldRMClassifier or UnlessClassifier"):
            FoldRPPClassifier().fit(*wine)


@pytest.mark.filterwarnings("ignore:values that training did not have")
@each
@pytest.mark.parametrize("most", [1, 2, 3])
def test_max_rules_is_the_most_rules(learner, most):
    """A program never has more rules, including the default rule, and is valid."""
    y = np.arange(200) // 20 % 2
    model = learner(max_rules=most).fit(np.arange(200.0).reshape(-1, 1), y)
    assert len(model.program_) == most
    assert set(model.predict([[1.0], [500.0]])) <= {0, 1}


@each
def test_max_seconds_ends_the_learning(learner):
    """With no time at all there is a model, of the classes alone."""
    model = learner(max_seconds=0).fit(TITANIC, FATE)
    assert not [rule for rule in model.program_ if rule.default]
    assert set(model.predict(TITANIC)) <= set(model.classes_)


@each
@pytest.mark.parametrize(
    "wrong",
    [
        {"max_rules": 0},
        {"max_rules": 1.5},
        {"max_rules": True},
        {"max_seconds": -1},
        {"max_seconds": float("nan")},
        {"max_seconds": "1"},
        {"ratio": -1},
        {"ratio": 2},
        {"ratio": None},
        {"ratio": True},
    ],
    ids=str,
)
def test_wrong_parameters(learner, wrong):
    """The error names a wrong parameter."""
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        learner(**wrong).fit(TITANIC, FATE)


@pytest.mark.parametrize("name", ["penalty", "min_support"])
@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "much", None, True])
def test_wrong_parameters_of_unless(name, value):
    """Two further ones are numbers of at least 0."""
    with pytest.raises(ParameterError, match=name):
        UnlessClassifier(**{name: value}).fit(TITANIC, FATE)


@pytest.mark.parametrize("name", ["optimise", "round_thresholds"])
def test_switches_of_unless(name):
    """The others are True or False, also numpy's."""
    for value in (None, 1, "yes"):
        with pytest.raises(ParameterError, match=f"{name} must be True or False, not {value!r}"):
            UnlessClassifier(**{name: value}).fit(TITANIC, FATE)
    found, wanted = (UnlessClassifier(**{name: value}).fit(TITANIC, FATE).program_ for value in (np.False_, False))
    assert found == wanted


class TestInterruption:
    """Ctrl-C."""

    @each
    def test_it_leaves_a_fitted_model_and_goes_on(self, learner, monkeypatch):
        """A KeyboardInterrupt in the middle carries the program, and the model decides by it."""
        model, progress = learner(), LearningLimits.__call__

        def interrupting(limits, rows, rules):
            if rules == 1:
                signal.raise_signal(signal.SIGINT)
            return progress(limits, rows, rules)

        monkeypatch.setattr(LearningLimits, "__call__", interrupting)
        with pytest.raises(KeyboardInterrupt) as stopped:
            model.fit(TITANIC, FATE)
        assert isinstance(stopped.value, Interrupted)
        assert len([rule for rule in model.program_ if rule.default]) <= 1
        assert set(model.predict(TITANIC)) <= set(model.classes_)
        assert model.predict_proba(TITANIC).shape == (120, 2)


class TestVerbose:
    """Progress on standard error."""

    @each
    def test_it_tells_rules_and_records(self, learner, capsys):
        """Outside a terminal, a line at the start and one at the end; nothing by default."""
        learner(verbose=True).fit(TITANIC, FATE)
        told = capsys.readouterr()
        assert re.search(r"unless: 0 rules, \d+ of \d+ records left\n", told.err)
        assert re.search(r"unless: \d+ rules, \d+ of \d+ records left; done\n$", told.err)
        learner().fit(TITANIC, FATE)
        assert capsys.readouterr() == ("", "")

    def test_it_is_a_bar_in_a_terminal(self, monkeypatch):
        """A bar that moves and grows."""

        class Terminal(StringIO):
            def isatty(self):
                return True

        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setattr("unless.estimators.progress._EVERY", 0)
        FoldRMClassifier(verbose=1).fit(TITANIC, FATE, sample_weight=np.full(120, 3.0))
        bars = re.findall(r"\r\033\[K(█*)░* (\d+) rules, (\d+) of 360 records left", terminal.getvalue())
        assert len(bars) > 1
        assert [len(bar) for bar, _, _ in bars] == sorted(len(bar) for bar, _, _ in bars)
        assert all(len(bar) <= 24 for bar, _, _ in bars)


class TestPrinting:
    """Text and HTML."""

    def test_text(self, model):
        """The repr is scikit-learn's, str of a fitted model its rules, laid out with what they decided."""
        assert repr(model) == f"{type(model).__name__}()"
        assert str(model) == f"{listing_title(model.program_)}\n{listing_text(model.program_, model.statistics_)}"
        assert str(type(model)(ratio=0.1)) == f"{type(model).__name__}(ratio=0.1)"

    def test_html_lists_the_rules(self, model):
        """Every rule with what it decides; exceptions fold out; tags are balanced."""
        html = model._repr_html_()
        assert html.count("decides ") == len(model.program_)
        assert _balanced(html)
        assert model._repr_mimebundle_()["text/html"] == html
        assert type(model)()._repr_html_() == f"<pre>{type(model).__name__}()</pre>"

    def test_html_is_escaped(self):
        """Names, categories, labels and parameters of a stranger are text, never markup."""
        evil = "<script>alert('&')</script>"
        X = pd.DataFrame({evil: [evil, "b"] * 20, f"{evil}2": range(40)})
        weights = {evil: 1, "x": 1}
        for unfitted in (
            UnlessClassifier(class_weight=weights),
            FoldRMClassifier(class_weight=weights, otherwise=evil),
        ):
            assert "<script" not in unfitted._repr_html_()
            fitted = unfitted.fit(X, pd.Series([evil, "x"] * 20, name=evil))
            assert "<script" not in fitted._repr_html_()
            assert "&lt;script&gt;" in fitted._repr_html_()
            assert _balanced(fitted._repr_html_())


def _balanced(html):
    """Whether every element that opens closes, in order."""
    open_tags, fine = [], []

    class Parser(HTMLParser):
        def handle_starttag(self, tag, attrs):  # noqa: ARG002
            open_tags.append(tag)

        def handle_endtag(self, tag):
            fine.append(open_tags.pop() == tag)

    Parser().feed(html)
    return all(fine) and not open_tags


class TestEditing:
    """A finished program may be edited rule by rule."""

    def test_counts_follow(self, model):
        """The edited model uses the edited program, and counts again what its rules decide."""
        rules = model.program_.rules
        edited = model.with_program(replace(model.program_, rules=rules[1:]), TITANIC, FATE)
        assert len(edited.program_) == len(rules) - 1
        assert edited.statistics_.total == len(FATE)
        assert_array_equal(np.bincount(edited.apply(TITANIC) + 1, minlength=len(rules))[1:], edited.rules_["support"])
        assert model.program_.rules == rules
        assert type(edited)(**edited.get_params()).fit(TITANIC, FATE).program_ == model.program_

    def test_an_added_rule(self, model):
        """If an edited rule tests another feature, the model remembers its values too."""
        rule = Rule("survived", (Literal("class", "<=", 1.0),))
        edited = model.with_program(replace(model.program_, rules=(rule, *model.program_.rules)), TITANIC, FATE)
        assert edited.rules_["support"][0] == 40
        assert edited.domain_.column("class").numbers.tolist() == [1, 3]

    def test_weights(self, model):
        """Counts are of weights."""
        edited = model.with_program(model.program_, TITANIC, FATE, sample_weight=np.full(120, 2))
        assert edited.statistics_.total == 240

    def test_what_does_not_fit_is_refused(self, model):
        """Other features, other labels."""
        with pytest.raises(ProgramError, match="other features"):
            model.with_program(replace(model.program_, features=("sex", "class", "age", "more")), TITANIC, FATE)
        with pytest.raises(UnknownNameError, match="the program has 'drowned'"):
            model.with_program(replace(model.program_, otherwise="drowned"), TITANIC, FATE)
        with pytest.raises(UnknownNameError, match="y has 'drowned'"):
            model.with_program(model.program_, TITANIC, ["drowned"] * 120)


@pytest.mark.parametrize("dump", [pickle, joblib], ids=["pickle", "joblib"])
def test_pickles(model, dump, tmp_path):
    """A model survives pickle and joblib."""
    path = tmp_path / "model.pkl"
    if dump is pickle:
        back = pickle.loads(pickle.dumps(model))
    else:
        joblib.dump(model, path)
        back = joblib.load(path)
    assert back.program_ == model.program_
    assert_array_equal(back.predict_proba(TITANIC), model.predict_proba(TITANIC))


@each
def test_an_unfitted_model_says_so(learner):
    """Everything that needs rules asks for fit first."""
    model = learner()
    for ask in (model.predict, model.predict_proba, model.apply, model.explain):
        with pytest.raises(NotFittedError):
            ask(TITANIC)
    with pytest.raises(NotFittedError):
        model.save("nowhere.json")
    assert not hasattr(model, "rules_")
    assert not hasattr(model, "feature_importances_")
    assert not hasattr(model, "schema")


def test_score_needs_as_many_labels(model):
    """Too few labels are an error, not a broadcast."""
    with pytest.raises(ValueError, match="inconsistent"):
        model.score(TITANIC, FATE[:5])


def test_a_failed_fit_keeps_the_old_model(model):
    """An error leaves the model as it was."""
    program = model.program_
    with pytest.raises(UnlessError):
        model.fit(TITANIC, [None] * 120)
    assert model.program_ == program
    assert json.dumps(model.predict(TITANIC[:1]).tolist())


class TestWhyNotAndWhatIf:
    """One record at a time: why not another label, and what would change the decision."""

    X = pd.DataFrame({"income": range(40), "history": ["late", "good"] * 20})
    y = np.where((X["income"] < 20) & (X["history"] == "late"), "refuse", "accept")

    @pytest.mark.parametrize(
        "record", [X.iloc[0], X.iloc[[0]], {"income": 0, "history": "late"}, pl.from_pandas(X.iloc[[0]])]
    )
    def test_a_record_in_any_form(self, record):
        """A mapping, a row and a frame of one row are the same record."""
        model = unless.UnlessClassifier(optimise=False).fit(self.X, self.y)
        assert "rule 1 asks that income is above 18, but income is 0" in str(model.why_not(record, "accept"))
        changes = model.counterfactuals(record, fixed=["income"])
        assert [dict(change.record) for change in changes] == [{"income": 0.0, "history": "good"}]
        assert model.predict([dict(changes[0].record)])[0] == "accept"

    def test_categories_of_training_are_proposed_after_loading(self, tmp_path):
        """A saved model remembers the categories of training, also those that no rule names."""
        model = unless.UnlessClassifier().fit(self.X, self.y)
        model.save(tmp_path / "model.json")
        record = {"income": 30, "history": "good"}
        loaded = unless.load(tmp_path / "model.json")
        assert str(loaded.counterfactuals(record)) == str(model.counterfactuals(record))
        assert loaded.counterfactuals(record)

    def test_several_records_are_refused(self):
        """What if is asked of one record."""
        model = unless.UnlessClassifier().fit(self.X, self.y)
        with pytest.raises(unless.errors.ParameterError, match="expected one record, got 2"):
            model.counterfactuals(self.X.iloc[:2])
