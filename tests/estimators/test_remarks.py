"""`fit` says once, in one warning, what looks wrong with the records and the rules; the command says the same."""

# ruff: noqa: N803 - scikit-learn calls it X
from __future__ import annotations

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import unless
from tests.cli.command import called
from tests.shared import SHARED, needs_shared
from unless import (
    FoldRMClassifier,
    FoldRPPClassifier,
    TrainingWarning,
    UnlessClassifier,
    UnlessCommittee,
    UnlessWarning,
)

ALL = (UnlessClassifier, FoldRMClassifier, FoldRPPClassifier, UnlessCommittee)


def people(rows: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    """A healthy table: measurements and categories, and a label that both together tell, most of the time."""
    draw = np.random.default_rng(0)
    X = pd.DataFrame({"age": draw.integers(18, 80, rows), "town": draw.choice(["Oslo", "Rome", "Bern"], rows)})
    X["weight"] = draw.normal(70, 10, rows)  # unique, but a measurement
    sure = draw.random(rows) < 0.93
    return X, np.where(((X["age"] > 45) & (X["town"] != "Rome")) ^ ~sure, "yes", "no")


def remarks(model, X, y, **more) -> list[tuple[str, str | None]]:
    """The codes and columns of what fit says, which it says in one warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y, **more)
    assert len(caught) <= 1
    return [(one.code, one.column) for warning in caught for one in warning.message.remarks]


class TestColumns:
    """Columns that nothing can be learned from, and those that tell too much."""

    @pytest.mark.parametrize("classifier", ALL)
    def test_healthy(self, classifier):
        """A healthy table causes no warning, whatever learns from it."""
        assert remarks(classifier(), *people()) == []

    @pytest.mark.parametrize("classifier", ALL)
    def test_one_summary(self, classifier):
        """All remarks are in one warning, which every classifier gives, and its parameter silences."""
        X, y = people()
        X["ticket"] = [f"T{place * 7919 % 400:03}" for place in range(len(X))]
        X["country"] = "Norway"
        found = [("unique", "ticket"), ("constant", "country")]
        assert [one for one in remarks(classifier(), X, y) if one[1]] == found
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            classifier(warn=False).fit(X, y)

    def test_text(self):
        """The warning names each column, what is wrong with it and what to do, and where it comes from."""
        X, y = people()
        X["nr"] = np.random.default_rng(1).permutation(len(X))
        with pytest.warns(TrainingWarning) as caught:
            UnlessClassifier().fit(X, y)
        (warning,) = caught
        first, line = str(warning.message).splitlines()
        assert first == "1 remark (unless.inspect shows more, warn=False silences this):"
        assert line.startswith(
            "- nr is an identifier: it numbers the records from 0 on. Rules about such columns fit no"
        )
        assert line.endswith("; leave out 'nr'.")
        assert warning.filename == __file__
        assert issubclass(TrainingWarning, UnlessWarning)

    def test_part_of_an_identifier(self):
        """Four fifths of a numbering, as in a training part, are an identifier too; a few records prove nothing."""
        X, y = people()
        X["customer"] = np.random.default_rng(1).permutation(len(X) * 5 // 4)[: len(X)]
        assert remarks(UnlessClassifier(), X, y) == [("identifier", "customer")]
        few = pd.DataFrame({"dose": [3, 17, 5, 41, 8, 29, 11, 2, 60, 34], "x": [1.5, 2.5] * 5})
        assert ("identifier", "dose") not in remarks(UnlessClassifier(), few, ["a", "b"] * 5)

    def test_sentences(self):
        """Sentences are called so, and not taken for identifiers; names of a few words are."""
        X, y = people()
        draw = np.random.default_rng(2)
        words = ["the", "parcel", "came", "late", "and", "was", "open", "sadly"]
        X["review"] = [" ".join(draw.choice(words, 9)) for _ in range(len(X))]
        X["who"] = [f"Ann van {place}a" for place in range(len(X))]
        with pytest.warns(TrainingWarning, match="review has sentences: .* 9 words or more.*CountVectorizer") as caught:
            UnlessClassifier().fit(X, y)
        assert [(one.code, one.column) for one in caught[0].message.remarks] == [
            ("sentences", "review"),
            ("unique", "who"),
        ]

    @pytest.mark.parametrize("repeated", [False, True])
    def test_numbers_as_text(self, repeated):
        """Amounts in several currencies get their own remark, whether they are nearly unique or not."""
        X, y = people()
        X["price"] = [f"{'€$'[place % 2]} {place % 30 if repeated else place}.50" for place in range(len(X))]
        assert remarks(UnlessClassifier(), X, y) == [("number-as-text", "price")]

    @pytest.mark.parametrize("classifier", ALL)
    def test_gives_away(self, classifier):
        """A column that decides the label of nearly all records gets a question; a strong one among others does not."""
        X, y = people()
        X["closed"] = np.where(y == "yes", "x", None)
        assert remarks(classifier(), X, y) == [("gives-away", "closed")]
        X["closed"] = np.where(np.random.default_rng(3).random(len(X)) < 0.1, None, X["closed"])
        assert remarks(classifier(), X, y) == []

    def test_no_labels(self):
        """A quantity in place of labels, and one label only, are told too."""
        X, _ = people()
        assert ("continuous", "label") in remarks(FoldRMClassifier(), X, np.arange(len(X)) % 390)
        assert remarks(UnlessClassifier(), X, ["a"] * len(X)) == [("one-label", "label")]

    def test_arrays(self):
        """The columns of an array are named by their places."""
        X, y = people()
        cells = np.column_stack([X["age"], X["weight"], np.zeros(len(X))])
        assert ("constant", "x2") in remarks(UnlessClassifier(), cells, y)


class TestRules:
    """Rules that decide little, and why."""

    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            ({"max_rules": 1}, "without a limit of 1 for its rules it would have"),
            ({"penalty": 500}, "with the default penalty instead of 500 it would have"),
            ({"min_support": 300}, "with a minimal support of 3 instead of 300 it would have"),
            ({"class_weight": {"yes": 0.001}}, "without the weights it would have"),
            ({"penalty": 500, "min_support": 300}, "with default settings and without weights it would have"),
        ],
    )
    def test_what_left_nothing(self, settings, said):
        """If a setting or the weights leave only a trivial model, the warning says which, and what would be without."""
        X, y = people()
        with pytest.warns(TrainingWarning) as caught:
            UnlessClassifier(**settings).fit(X, y)
        (remark,) = caught[0].message.remarks
        assert remark.code == "limited"
        assert remark.finding.startswith("The model says the same of every record, 'no'; ")
        assert said in remark.finding

    def test_sample_weight(self):
        """Weights of records that leave a trivial model are named like weights of classes."""
        X, y = people()
        weights = np.where(y == "yes", 1e-3, 1.0)
        assert remarks(UnlessClassifier(), X, y, sample_weight=weights) == [("limited", None)]

    @pytest.mark.parametrize("settings", [{}, {"penalty": 50}])
    def test_nothing_to_know(self, settings):
        """If the columns know nothing about the labels, no setting is blamed."""
        X, _ = people()
        noise = np.random.default_rng(5).choice(["yes", "no"], len(X))
        assert remarks(UnlessClassifier(**settings), X, noise) == [("no-knowledge", None)]

    def test_too_late(self):
        """If the time was up before there was a rule, the warning says so."""
        assert remarks(UnlessClassifier(max_seconds=0), *people()) == [("too-late", None)]

    def test_weak_rule(self):
        """A rule that decides much and is often wrong is told, with what to try; one that is right is not."""
        X, y = people()
        towns = np.where(
            X["town"] == "Rome", "roman", np.where(X["age"] > 45, "old", np.where(X["age"] > 30, "mid", "kid"))
        )
        with pytest.warns(TrainingWarning, match=r"says '\w+' for \d\d % of the records, and is wrong for .*max_rules"):
            UnlessClassifier(max_rules=2).fit(X, towns)
        assert remarks(UnlessClassifier(), X, towns) == remarks(UnlessClassifier(), X, y) == []

    def test_the_last_rule(self):
        """It is mostly the last rule; then it is called so."""
        draw = np.random.default_rng(4)
        X = pd.DataFrame({"x": draw.normal(size=600), "z": draw.normal(size=600)})
        y = np.where(X["x"] > 1, "yes", draw.choice(["a", "b", "c"], len(X), p=[0.5, 0.25, 0.25]))
        with pytest.warns(TrainingWarning, match="The last rule says 'a' for .. % of the records, and is wrong for"):
            UnlessClassifier().fit(X, y)

    def test_uncovered(self):
        """So is the label that records get which no rule covers."""
        X, _ = people()
        y = pd.cut(X["age"], [0, 30, 45, 60, 99], labels=["a", "b", "c", "d"]).astype(str)
        assert remarks(FoldRMClassifier(max_rules=1), X, y) == [("uncovered", None)]
        assert remarks(FoldRMClassifier(max_rules=1, otherwise=None), X, y) == []

    def test_looking_changes_nothing(self):
        """What is tried to explain a trivial model leaves the model and its parameters as they are."""
        X, y = people()
        state = np.random.RandomState(0)
        model = UnlessCommittee(size=3, min_support=1000, random_state=state)
        assert remarks(model, X, y) == [("limited", None)]
        other = np.random.RandomState(0)
        other.randint(2**31)
        assert state.randint(1000) == other.randint(1000)
        assert model.get_params()["min_support"] == 1000


def test_a_parameter_like_others(tmp_path):
    """``warn`` is cloned, set, pickled and saved like every parameter."""
    X, y = people()
    model = clone(UnlessClassifier(warn=False)).fit(X, y)
    assert model.get_params()["warn"] is False
    model.save(tmp_path / "model.json")
    assert unless.load(tmp_path / "model.json").get_params()["warn"] is False
    assert pickle.loads(pickle.dumps(model)).warn is False
    with pytest.raises(unless.UnlessError, match="warn must be True or False, not 'no'"):
        UnlessClassifier(warn="no").fit(X, y)


def test_the_command_says_the_same(tmp_path):
    """The command leaves out what fit warns of, in the same words, and says the rest after learning."""
    X, y = people()
    X["country"] = "Norway"
    X["review"] = [f"came {place} late and was not so good" for place in range(len(X))]
    X["closed"] = np.where(y == "yes", "x", "o")
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    done = called("fit", tmp_path / "t.csv", "-t", "y")
    assert "4 features; left out: review (sentences), country (constant)" in done.stdout
    assert "! closed alone decides 'y' for 100 % of the records. Is it known before the label is?" in done.stderr
    kept = called("fit", tmp_path / "t.csv", "-t", "y", "--include", "country", "--exclude", "closed", "--json")
    document = json.loads(kept.stdout)
    assert "country" in document["features"]
    assert document["remarks"] == []
    idle = called("fit", tmp_path / "t.csv", "-t", "y", "--max-rules", "1", "--json")
    assert [one["code"] for one in json.loads(idle.stdout)["remarks"]] == ["limited"]


# fmt: off
KNOWN = {
    "ecoli": {"unique"}, "ecoli-binary": {"unique"}, "flags": {"unique"}, "yeast": {"nearly-unique", "weak-rule"},
    "yeast-fixed": {"nearly-unique", "weak-rule"}, "ionosphere": {"constant"}, "mushroom": {"constant"},
    "anneal": {"constant", "empty"}, "optidigits": {"constant"}, "weight-lift": {"gives-away"},
    "drug-heroin": {"no-knowledge"}, "drug-crack": {"no-knowledge"}, "drug-semer": {"no-knowledge"},
}
# fmt: on


@needs_shared
def test_no_false_alarms():
    """On the datasets of the paper fit says only what is true: names, constants, a window that is the label, noise."""
    found = {}
    for name, entry in SHARED.manifest.items():
        if entry["file"] is None or name in {"rain", "avila", "eeg", "adult"}:  # large, and nothing to say
            continue
        table = unless.read_table(SHARED.root / "data" / entry["file"], entry["label"], features=entry["features"])
        found[name] = {code for code, _ in remarks(UnlessClassifier(), table, None)}
    assert {name: codes for name, codes in found.items() if codes} == KNOWN
