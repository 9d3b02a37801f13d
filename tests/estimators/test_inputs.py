"""What X, y and weights can be, and what they mean."""

from __future__ import annotations

import datetime as dt
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, VotingClassifier
from sklearn.tree import DecisionTreeClassifier

from unless import FoldRMClassifier, FoldRPPClassifier, Literal, UnlessClassifier, UnlessError, read_table
from unless.errors import ParameterError, ReadError, UnknownNameError

each = pytest.mark.parametrize("learner", [UnlessClassifier, FoldRMClassifier, FoldRPPClassifier])

ROWS = 60
AGES = [float(k % 30) for k in range(ROWS)]
TOWNS = ["Oslo" if k % 3 else "Rome" for k in range(ROWS)]
LABELS = ["old" if age > 14 and town == "Oslo" else "other" for age, town in zip(AGES, TOWNS, strict=True)]

RECORDS = [{"age": age, "town": town} for age, town in zip(AGES, TOWNS, strict=True)]
FRAMES = {
    "pandas": pd.DataFrame(RECORDS),
    "pandas, category": pd.DataFrame(RECORDS).astype({"town": "category"}),
    "pandas, nullable": pd.DataFrame(RECORDS).convert_dtypes(),
    "pandas, object": pd.DataFrame(RECORDS).astype(object),
    "polars": pl.DataFrame(RECORDS),
    "polars, categorical": pl.DataFrame(RECORDS).with_columns(pl.col("town").cast(pl.Categorical)),
    "pyarrow": pa.Table.from_pylist(RECORDS),
    "records": RECORDS,
}
ARRAYS = {
    "objects": np.array([[age, town] for age, town in zip(AGES, TOWNS, strict=True)], dtype=object),
    "lists": [[age, town] for age, town in zip(AGES, TOWNS, strict=True)],
    "tuples": [(age, town) for age, town in zip(AGES, TOWNS, strict=True)],
}
TARGETS = {
    "list": LABELS,
    "numpy": np.array(LABELS),
    "objects": np.array(LABELS, dtype=object),
    "pandas": pd.Series(LABELS),
    "pandas, category": pd.Series(LABELS, dtype="category"),
    "pandas, string": pd.Series(LABELS, dtype="string"),
    "polars": pl.Series(LABELS),
    "polars, categorical": pl.Series(LABELS, dtype=pl.Categorical),
    "pyarrow": pa.array(LABELS),
    "pyarrow, chunked": pa.chunked_array([LABELS[:10], LABELS[10:]]),
}


@pytest.fixture(scope="module")
def fitted():
    """A model of the pandas frame."""
    return UnlessClassifier().fit(FRAMES["pandas"], LABELS)


@pytest.mark.parametrize("kind", FRAMES)
def test_every_frame_gives_the_same_model(kind, fitted):
    """Frames of any library, and records, have names, and give the same rules; any of them is predicted by any."""
    model = UnlessClassifier().fit(FRAMES[kind], LABELS)
    assert model.program_ == fitted.program_
    assert list(model.feature_names_in_) == ["age", "town"]
    assert_array_equal(fitted.predict(FRAMES[kind]), LABELS)


@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_and_lists_have_columns_by_position(kind, fitted):
    """Cells of an array of objects and of lists are numbers and text, each what it is."""
    model = UnlessClassifier().fit(ARRAYS[kind], LABELS)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 2
    assert [len(rule.default) for rule in model.program_] == [len(rule.default) for rule in fitted.program_]
    assert_array_equal(model.predict(ARRAYS[kind]), LABELS)


@pytest.mark.parametrize("kind", TARGETS)
def test_every_kind_of_labels(kind, fitted):
    """Labels from any library are the same labels."""
    model = UnlessClassifier().fit(FRAMES["pandas"], TARGETS[kind])
    assert model.program_ == fitted.program_
    assert model.classes_.tolist() == ["old", "other"]
    assert model.score(FRAMES["pandas"], TARGETS[kind]) == 1


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([3, 1] * 30, [1, 3]),
        ([True, False] * 30, [False, True]),
        ([2.0, 1.0] * 30, [1.0, 2.0]),
        (pd.Series([2, 1] * 30, dtype="Int64"), [1, 2]),
        (pd.Series([True, False] * 30, dtype="boolean"), [False, True]),
        (np.array([2, 1] * 30, dtype=np.uint8), [1, 2]),
        ([2**60, 1] * 30, [1, 2**60]),
    ],
    ids=str,
)
def test_labels_keep_their_type(labels, expected):
    """Integers, floats and booleans come back as what they were."""
    model = UnlessClassifier(penalty=0).fit(FRAMES["pandas"], labels)
    assert model.classes_.tolist() == expected
    assert {type(rule.head) for rule in model.program_} <= {type(label) for label in expected}
    assert model.predict(FRAMES["pandas"]).dtype == model.classes_.dtype


def test_the_name_of_y_is_the_target():
    """A series gives the target its name, unless a feature has it."""
    X = FRAMES["pandas"]
    assert UnlessClassifier().fit(X, pd.Series(LABELS, name="group")).program_.target == "group"
    assert UnlessClassifier().fit(X, pl.Series("group", LABELS)).program_.target == "group"
    assert UnlessClassifier().fit(X, pd.Series(LABELS, name="age")).program_.target == "label"
    assert UnlessClassifier().fit(X, pd.Series(LABELS, name=7)).program_.target == "label"
    assert UnlessClassifier().fit(X.rename(columns={"age": "label"}), LABELS).program_.target == "label_"


def test_the_order_of_columns_is_irrelevant(fitted):
    """Columns are found by name."""
    assert_array_equal(fitted.predict(FRAMES["pandas"][["town", "age"]]), LABELS)


def test_a_lacking_column_is_named(fitted):
    """If X lacks a column of training, the error names it and the nearest name."""
    with pytest.raises(UnknownNameError, match=r"lacks 1 of the training features: 'town'; did you mean 'Town'\?"):
        fitted.predict(FRAMES["pandas"].rename(columns={"town": "Town"}))


def test_further_columns_are_ignored_with_a_warning(fitted):
    """Columns that training did not have, also one named like the target, are named in a warning to the caller."""
    X = FRAMES["pandas"].assign(more=1, label=[1, "two", None] * 20)
    with pytest.warns(
        UserWarning, match=r"2 columns that UnlessClassifier was not trained on.*'more', 'label'"
    ) as caught:
        assert_array_equal(fitted.predict(X), LABELS)
    assert caught[0].filename == __file__


def test_names_on_one_side_only(fitted):
    """An array for a model of a frame, or the reverse, goes by position, with scikit-learn's warning."""
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert_array_equal(fitted.predict(ARRAYS["objects"]), LABELS)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        UnlessClassifier().fit(ARRAYS["objects"], LABELS).predict(FRAMES["pandas"])
    with pytest.raises(ParameterError, match="X has 1 features, but UnlessClassifier is expecting 2"):
        UnlessClassifier().fit(ARRAYS["objects"], LABELS).predict(ARRAYS["objects"][:, :1])


def test_names_that_are_numbers_are_no_names():
    """A pandas frame with numbered columns is like an array."""
    model = UnlessClassifier().fit(FRAMES["pandas"].set_axis([0, 1], axis=1), LABELS)
    assert not hasattr(model, "feature_names_in_")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(ARRAYS["objects"])
    assert hasattr(model.fit(FRAMES["pandas"], LABELS), "feature_names_in_")
    assert not hasattr(model.fit(ARRAYS["objects"], LABELS), "feature_names_in_")


def test_columns_of_every_type():
    """Booleans, dates, nullable and missing cells of one frame all find their rules."""
    size = 120
    X = pd.DataFrame(
        {
            "flag": pd.array([True, False, None] * 40, dtype="boolean"),
            "count": pd.array([None if k % 7 == 0 else k for k in range(size)], dtype="Int64"),
            "day": pd.date_range("2024-01-01", periods=2).to_list() * 60,
            "size": pd.Categorical(["s", "m", "l", "xl", "xs"] * 24),
            "word": pd.array(["a", "b", None, "d"] * 30, dtype="string"),
        }
    )
    for column, literals in {
        "flag": ("flag", "==", "True"),
        "count": ("count", "missing", None),
        "day": ("day", "<=", dt.date(2024, 1, 1)),
        "size": ("size", "==", "m"),
        "word": ("word", "missing", None),
    }.items():
        literal = Literal(*literals)
        y = [literal.holds(cell) for cell in X[column].astype(object)]
        model = FoldRPPClassifier().fit(X, y)
        assert [rule.default for rule in model.program_] == [(literal,)], column
        assert_array_equal(model.predict(X), y)


def test_dates_of_arrays():
    """An array of dates, however fine, has dates as cells."""
    days = np.array(["2024-01-01", "2024-01-02"] * 10, dtype="datetime64[ns]").reshape(-1, 1)
    model = FoldRPPClassifier().fit(days, [1, 0] * 10)
    assert model.program_.rules[0].default == (Literal("x0", "<=", dt.date(2024, 1, 1)),)
    lists = [[dt.date(2024, 1, 1)], [dt.date(2024, 1, 2)]] * 10
    assert FoldRPPClassifier().fit(lists, [1, 0] * 10).score(lists, [1, 0] * 10) == 1


def test_declared_columns():
    """``numeric`` and ``categorical`` overrule what columns look like, by name, in arrays by number."""
    X = pd.DataFrame({"code": [1, 2, 3] * 20, "text": ["1", "20", "x"] * 20})
    y = ["b" if k % 3 == 1 else "a" for k in range(ROWS)]
    model = FoldRPPClassifier(categorical=["code"], numeric=["text"]).fit(X, y)
    assert model.schema_.kinds == {"code": "text", "text": "mixed"}
    assert model.program_.rules[0].default == (Literal("code", "==", "2"),)
    assert_array_equal(model.predict(X), y)
    array = FoldRPPClassifier(categorical=[0], numeric=np.array([1])).fit(X.to_numpy(object), y)
    assert array.schema_.kinds == {"x0": "text", "x1": "mixed"}
    with pytest.raises(UnlessError, match="did you mean 'code'"):
        FoldRPPClassifier(numeric=["cod"]).fit(X, y)
    with pytest.raises(UnlessError, match=r"numeric= takes a list"):
        FoldRPPClassifier(numeric="code").fit(X, y)


def test_mixed_columns_are_read_as_new_records_will_be():
    """Text that spells a number, in a column found to be mixed, means the same in training and in prediction."""
    cells = [1.0, 2.0, 3.0, "3", "x"] * 20
    X, y = pd.DataFrame({"x": cells}), ["three" if cell in (3.0, "3") else "other" for cell in cells]
    model = FoldRMClassifier(ratio=0).fit(X, y)
    assert model.score(X, y) == 1
    assert_array_equal(np.bincount(model.apply(X)), model.statistics_.support[:-1])


def test_read_table_takes_a_model():
    """``like=`` reads another file or frame as the training data were read."""
    model = UnlessClassifier(categorical=["age"]).fit(FRAMES["pandas"], LABELS)
    assert read_table(FRAMES["pandas"], like=model).schema.kinds == model.schema_.kinds


@pytest.mark.filterwarnings("ignore:values that training did not have")
def test_unseen_values_are_ordinary(fitted):
    """Categories and numbers that training never saw are decided by the same rules."""
    new = [{"age": 1e9, "town": "Atlantis"}, {"age": None, "town": None}, {"age": "many", "town": 3}]
    assert set(fitted.predict(new)) <= {"old", "other"}


class TestWeights:
    """Weights of records and classes."""

    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0] * 5, "c": list("abcd") * 5})
    y = ["p", "q", "p", "q"] * 4 + ["q"] * 4

    @pytest.mark.filterwarnings("ignore:values that training did not have")
    @each
    def test_a_weight_is_a_number_of_records(self, learner):
        """Weight 2 counts the record twice, weight 0 leaves it out, in rules, counts and classes."""
        weights = np.array([0, 1, 2, 3] * 5)
        repeated = np.repeat(np.arange(20), weights)
        one = learner().fit(self.X, self.y, sample_weight=weights)
        other = learner().fit(self.X.iloc[repeated], np.array(self.y)[repeated])
        assert one.program_ == other.program_
        assert_array_equal(one.statistics_.counts, other.statistics_.counts)
        assert_array_equal(one.predict_proba(self.X), other.predict_proba(self.X))
        assert one.schema_ == other.schema_

    @pytest.mark.parametrize("kind", [*FRAMES, *ARRAYS])
    def test_a_record_without_weight_is_absent(self, kind):
        """Its label is not a class, and its cells do not decide what a column is."""
        X = (FRAMES | ARRAYS)[kind]
        weights = np.array([label == "old" for label in LABELS], dtype=float)
        model = FoldRMClassifier().fit(X, LABELS, sample_weight=weights)
        assert model.classes_.tolist() == ["old"]
        assert model.statistics_.total == weights.sum()

    def test_class_weights(self):
        """Named classes weigh more, the others 1; balanced ones weigh the same together."""
        heavy = FoldRMClassifier(class_weight={"p": 10}).fit(self.X, self.y)
        assert heavy.statistics_.prior.tolist() == pytest.approx([80 / 92, 12 / 92])
        balanced = FoldRMClassifier(class_weight="balanced").fit(self.X, self.y)
        assert balanced.statistics_.prior.tolist() == pytest.approx([0.5, 0.5])
        assert balanced.statistics_.total == pytest.approx(20)

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"pp": 1}, "class_weight names 'pp', which is not a label of training"),
            ({"p": -1}, "class_weight of 'p' must be a number of at least 0"),
            ({"p": "much"}, "must be a number"),
            ("even", "must be a dict, 'balanced' or None, not 'even'"),
            ([1, 2], "must be a dict"),
            ({"p": 0, "q": 0}, "every row weighs 0"),
        ],
        ids=str,
    )
    def test_wrong_class_weights(self, wrong, message):
        """Each has its message."""
        with pytest.raises(UnlessError, match=message):
            UnlessClassifier(class_weight=wrong).fit(self.X, self.y)

    def test_a_fold_may_lack_a_class(self):
        """A weight for a class that does not occur is fine if all others have theirs."""
        model = UnlessClassifier(class_weight={"p": 1, "q": 2, "r": 3}).fit(self.X, self.y)
        assert str(model) == str(UnlessClassifier(class_weight={"p": 1, "q": 2}).fit(self.X, self.y))

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ([0] * 20, "at least one non-zero|weighs 0"),
            ([-1] * 20, "Negative values"),
            ([np.nan] * 20, "NaN"),
            ([1] * 3, "sample_weight.shape"),
        ],
        ids=lambda value: str(value)[:20],
    )
    def test_wrong_sample_weights(self, wrong, message):
        """Each has its message."""
        with pytest.raises(ValueError, match=message):
            UnlessClassifier().fit(self.X, self.y, sample_weight=wrong)

    @each
    @pytest.mark.parametrize("scale", [1 / 20, 0.3, 1e-16, 5e-324, 1e300, 1.7e308])
    def test_even_weights_are_none(self, learner, scale):
        """If every record has the same weight, and it is not whole, the model is the same as without weights."""
        plain, even = (learner().fit(self.X, self.y, sample_weight=w) for w in (None, np.full(20, scale)))
        assert even.program_ == plain.program_
        assert_array_equal(even.statistics_.counts, plain.statistics_.counts)
        assert even.statistics_.weighted is False
        assert_array_equal(even.predict_proba(self.X), plain.predict_proba(self.X))

    @each
    @pytest.mark.parametrize("scale", [1 / 7, 1e-16, 3e-290, 1e290])
    @pytest.mark.parametrize("class_weight", [None, "balanced", {"p": 2, "q": 1}, {"p": 0.1, "q": 0.35}], ids=str)
    def test_only_proportions_matter(self, learner, scale, class_weight):
        """If weights are not whole, multiplying all of them changes neither rules nor probabilities."""
        weights = np.random.default_rng(1).gamma(0.5, size=20)
        one, other = (
            learner(class_weight=class_weight).fit(self.X, self.y, sample_weight=w) for w in (weights, scale * weights)
        )
        assert one.program_ == other.program_
        assert_array_equal(one.statistics_.counts, other.statistics_.counts)
        assert_array_equal(one.predict_proba(self.X), other.predict_proba(self.X))
        assert one.score(self.X, self.y, weights) == pytest.approx(other.score(self.X, self.y, scale * weights))

    @each
    def test_the_scale_of_class_weights_does_not_matter(self, learner):
        """The scale of class weights does not matter either, if they are not whole."""
        one, other = (learner(class_weight={"p": c * 0.5, "q": c * 1.25}).fit(self.X, self.y) for c in (1, 1e-9))
        assert one.program_ == other.program_
        assert_array_equal(one.statistics_.counts, other.statistics_.counts)
        assert one.statistics_.total == pytest.approx(20)

    def test_repeated_records_are_balanced_alike(self):
        """Whole weights are repetitions with balanced classes too."""
        weights = np.array([0, 1, 2, 3] * 5)
        repeated = np.repeat(np.arange(20), weights)
        one = UnlessClassifier(class_weight="balanced").fit(self.X, self.y, sample_weight=weights)
        other = UnlessClassifier(class_weight="balanced").fit(self.X.iloc[repeated], np.array(self.y)[repeated])
        assert one.program_ == other.program_
        assert_allclose(one.statistics_.counts, other.statistics_.counts)

    @each
    def test_a_light_class_stays_a_class(self, learner):
        """Records that weigh next to nothing do not count, but their labels are classes, and their values are known."""
        X, y = load_breast_cancer(return_X_y=True)
        weights = np.where(y == 0, 1e-4, 1.0)
        model = learner().fit(X, y, sample_weight=weights)
        assert model.classes_.tolist() == [0, 1]
        assert model.predict_proba(X).shape == (len(y), 2)
        assert not model.unseen(X)
        balanced = learner(class_weight="balanced").fit(X, y, sample_weight=weights)
        assert balanced.classes_.tolist() == [0, 1]
        votes = VotingClassifier([("rules", learner()), ("tree", DecisionTreeClassifier())], voting="soft")
        assert votes.fit(X, y, sample_weight=weights).predict_proba(X).shape == (len(y), 2)

    def test_a_record_that_outweighs_all_others(self):
        """Weights of all magnitudes are fine; a record that weighs next to nothing is nearly absent."""
        weights = np.full(20, 1e-300)
        weights[:2] = 1e300, 1.0
        model = UnlessClassifier().fit(self.X, self.y, sample_weight=weights)
        assert model.classes_.tolist() == ["p", "q"]
        assert set(model.predict(self.X)) == {"p"}
        assert model.statistics_.total == pytest.approx(20)

    @each
    def test_boosting_learns(self, learner):
        """AdaBoost, which starts with weights of 1/n, is at least as good as one model, and its first is that model."""
        X, y = load_breast_cancer(return_X_y=True)
        boosted = AdaBoostClassifier(learner(max_rules=2), n_estimators=5, random_state=0).fit(X[::2], y[::2])
        single = learner(max_rules=2).fit(X[::2], y[::2])
        assert boosted.estimators_[0].program_.rules == single.program_.rules
        assert boosted.score(X[1::2], y[1::2]) >= max(single.score(X[1::2], y[1::2]), 0.9)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (scipy.sparse.csr_array(np.eye(4, dtype=complex)), "Complex data not supported"),
        (scipy.sparse.csr_array((0, 4)), r"0 sample\(s\)"),
        (scipy.sparse.csr_array((4, 10**10)), "10,000,000,000 columns; the limit is 100,000"),
        ([1, 2, 3, 4], "Expected 2D array, got 1D array"),
        (np.zeros(4), "Expected 2D array, got 1D array"),
        (pd.Series([1, 2, 3, 4]), "Expected a 2-dimensional container"),
        (np.zeros((4, 2, 2)), "dim 3"),
        ([[1], [2, 3], [4], [5]], "Expected 2D array"),
        (pd.DataFrame(index=range(4)), r"0 feature\(s\)"),
        (pd.DataFrame({"x": []}), r"0 sample\(s\)"),
        ([{}, {}, {}, {}], r"0 feature\(s\)"),
        ([], "Expected 2D array"),
        ({"x": [1, 2, 3, 4]}, "X is a dict; pass a list of records"),
        (pd.DataFrame([[1, 2]] * 4, columns=["a", "a"]), "'a' appears twice"),
        (pl.DataFrame({"x": [1, 2, 3, 4]}).lazy().select("y"), 'the LazyFrame cannot be collected: .*"y"'),
        (pl.Series([1, 2, 3, 4]), r"one column, not a table; .*series\.to_frame\(\)"),
        (pl.col("x"), r"has no data; .*frame\.select\(expression\)"),
        ("data.csv", "name the column of labels, not"),
        (None, "Expected 2D array|NoneType"),
    ],
    ids=lambda value: str(type(value).__name__),
)
def test_wrong_features(X, message):  # noqa: N803
    """If X is not a table, the message says so."""
    with pytest.raises((ValueError, TypeError), match=message):
        UnlessClassifier().fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "y is None"),
        (pl.col("y"), r"of the type Expr, which has no labels yet; .*collect\(\)"),
        (pl.LazyFrame({"y": [0, 1, 0, 1]}), r"of the type LazyFrame, which has no labels yet; .*collect\(\)"),
        ([0, 1], "inconsistent numbers of samples"),
        ([[0, 1]] * 4, "1d array"),
        ([0.5, 1.5, 2.5, 3.5], "Unknown label type: continuous"),
        ([0, 1, np.nan, 1], "1 missing labels .*row 3"),
        (["a", None, "b", None], "2 missing labels .*row 2"),
        (pd.Series([0, 1, None, 1], dtype="Int64"), "1 missing labels"),
        (pd.Series(["a", None, "b", "c"], dtype="string"), "1 missing labels"),
        ([1.0, np.inf, 2.0, 1.0], "infinite labels"),
        ([1, "a", 2, "b"], r"mixed types \(int, str\)"),
        (np.array([1, "a", 2, "b"], dtype=object), r"mixed types \(int, str\)"),
        (np.array([True, 1, False, 0], dtype=object), r"mixed types \(bool, int\)"),
        (np.array([dt.date(2024, 1, 1)] * 4, dtype=object), r"not text, numbers or booleans \(date\)"),
        (np.array(["2024-01-01"] * 4, dtype="datetime64[D]"), "Unknown label type: datetime64"),
        (np.array([b"a", b"b"] * 2), "Unknown label type"),
        ([{}, {}, {}, {}], "Unknown label type: .*unhashable"),
        (np.array([2**70, 1, 2, 3], dtype=object), "beyond 64 bits"),
        (np.array([1j, 2, 3, 4]), "Unknown label type|[Cc]omplex"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_wrong_labels(y, message):
    """If y cannot be labels, the message says what to do."""
    with pytest.raises((ValueError, TypeError), match=message):
        UnlessClassifier().fit(np.arange(8.0).reshape(4, 2), y)


def test_missing_labels_are_read_errors():
    """The errors of unless are its own where it has something to add."""
    with pytest.raises(ReadError):
        UnlessClassifier().fit([[1], [2]], [None, "a"])
