"""Sparse matrices and lazy frames: learned from like the dense matrix and the frame that they stand for."""

from __future__ import annotations

import warnings

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from unless import FoldRMClassifier, FoldRPPClassifier, UnlessClassifier, UnlessCommittee, load, read_table
from unless.errors import LimitError, ParameterError, ReadError
from unless.limits import raised

LEARNERS = [UnlessClassifier(), FoldRMClassifier(), FoldRPPClassifier(), UnlessCommittee(size=4)]
each = pytest.mark.parametrize("model", LEARNERS, ids=lambda model: type(model).__name__)


@pytest.fixture(scope="module")
def data():
    """A matrix of mostly zeros, with a stored zero and a missing cell, and labels that two columns tell."""
    random = np.random.default_rng(0)
    dense = np.where(random.random((200, 12)) < 0.2, random.integers(1, 5, (200, 12)), 0).astype(float)
    dense[3, 0] = np.nan
    matrix = sp.csr_array(dense)
    matrix.data[5] = 0.0
    return matrix, np.where((dense[:, 2] > 1) | (dense[:, 7] > 2), "yes", "no")


@each
def test_a_sparse_matrix_is_the_dense_one(model, data):
    """Programs, labels and probabilities are those of the dense matrix, whichever of them is given when."""
    matrix, y = data
    dense = matrix.toarray()
    model.fit(dense, y)
    program, proba = model.program_, model.predict_proba(dense)
    assert model.fit(matrix, y).program_ == program
    assert not hasattr(model, "feature_names_in_")
    assert np.array_equal(model.predict_proba(matrix), proba)
    assert np.array_equal(model.predict_proba(dense), proba)
    assert model.score(matrix, y) == model.score(dense, y)
    assert str(model.explain(matrix[[0]])) == str(model.explain(dense[:1]))


@pytest.mark.filterwarnings("ignore:Constructing a DIA matrix")
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dok", "lil", "bsr", "dia"])
@pytest.mark.parametrize("kind", [float, int, bool, np.float32])
def test_every_form_and_type(data, form, kind):
    """All forms of scipy, matrices and arrays, of numbers and of booleans are read like an array."""
    dense = np.nan_to_num(data[0].toarray()).astype(kind)
    expected = read_table(dense)
    for make in (sp.csr_array, sp.csr_matrix):
        table = read_table(make(dense).asformat(form))
        assert table.features == expected.features
        assert [table.record(row) for row in range(40)] == [expected.record(row) for row in range(40)]


def test_entries_that_are_stored_twice_add_up():
    """As in scipy; the matrix of the caller stays as it is."""
    matrix = sp.csc_array((np.array([1.0, 2.0, 5.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    table = read_table(matrix)
    assert [table.record(row) for row in (0, 1)] == [{"x0": 0.0, "x1": 5.0}, {"x0": 3.0, "x1": 0.0}]
    assert matrix.data.tolist() == [1.0, 2.0, 5.0]


def test_weights_and_folds_take_rows_of_a_sparse_matrix(data):
    """Rows of weight 0 are left out, and scikit-learn's folds are those of the dense matrix."""
    matrix, y = data
    weights = np.arange(len(y)) % 3 > 0
    left = UnlessClassifier().fit(matrix, y, sample_weight=weights)
    assert left.program_ == UnlessClassifier().fit(matrix.toarray()[weights], y[weights]).program_
    scores = (cross_val_score(UnlessClassifier(), X, y, cv=3) for X in (matrix, matrix.toarray()))
    assert np.array_equal(*scores)


def test_what_encoders_and_vectorizers_give():
    """OneHotEncoder and CountVectorizer give sparse matrices: a pipeline learns from them."""
    towns = pd.DataFrame({"town": ["Oslo", "Rome", "Bern"] * 20})
    y = (towns["town"] == "Rome").astype(int)
    assert make_pipeline(OneHotEncoder(), UnlessClassifier()).fit(towns, y).score(towns, y) == 1.0
    texts = ["free money now", "see you at lunch", "free lunch", "money for you", "win money now"] * 12
    spam = ["money" in text for text in texts]
    assert make_pipeline(CountVectorizer(), UnlessClassifier()).fit(texts, spam).score(texts, spam) == 1.0


def test_pandas_frames_of_sparse_columns(data):
    """Sparse columns of a pandas frame have names, and are otherwise the same."""
    matrix, y = data
    frame = pd.DataFrame.sparse.from_spmatrix(matrix, columns=[f"x{place}" for place in range(12)])
    assert UnlessClassifier().fit(frame, y).program_ == UnlessClassifier().fit(matrix, y).program_


@each
def test_a_matrix_takes_the_names_of_its_columns(model, data, tmp_path):
    """Rules, explanations and files have the names; new matrices have the same columns, frames are read by name."""
    matrix, y = data
    names = [f"word {place}" for place in range(12)]
    frame = pd.DataFrame.sparse.from_spmatrix(matrix, columns=names)
    expected = model.fit(frame, y).program_
    weights = np.arange(len(y)) % 3 > 0
    assert model.fit(matrix, y, feature_names=names).program_ == expected
    assert list(model.feature_names_in_) == names
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = model.predict(matrix).tolist()
        assert labels == model.predict(frame[names[::-1]]).tolist()
        assert "word " in str(model.explain(matrix[[0]]))
        model.save(tmp_path / "m.json")
        assert load(tmp_path / "m.json").predict(matrix).tolist() == labels
    weighted = model.fit(matrix, y, sample_weight=weights, feature_names=np.array(names, dtype=object)).program_
    assert weighted == model.fit(matrix[weights], y[weights], feature_names=names).program_
    assert model.fit(matrix.toarray(), y, feature_names=names).program_ == expected


def test_names_of_a_vectorizer():
    """Rules about texts name words, also through a pipeline's parameters; columns may be declared by place or name."""
    texts = ["free money now", "see you at lunch", "free lunch", "money for you", "win money now"] * 12
    spam = ["money" in text for text in texts]
    words = CountVectorizer().fit(texts)
    names = words.get_feature_names_out()
    pipeline = make_pipeline(words, UnlessClassifier()).fit(texts, spam, unlessclassifier__feature_names=names)
    assert pipeline[-1].program_.used == ("lunch",)  # as good as "money"
    for declared in ("money", names.tolist().index("money")):
        model = UnlessClassifier(categorical=[declared]).fit(words.transform(texts), spam, feature_names=names)
        assert model.schema_.kinds["money"] == "text"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a", "b"], "feature_names has 2 names, but X has 12 columns"),
        (["a"] * 12, "'a' appears twice in feature_names"),
        (range(12), "feature_names takes a text for each column"),
        ("abcdefghijkl", "feature_names takes a text for each column"),
    ],
)
def test_names_that_do_not_fit_are_refused(data, names, said):
    """There is one text for each column, all different; a frame has its own names."""
    matrix, y = data
    with pytest.raises((ParameterError, ReadError), match=said):
        UnlessClassifier().fit(matrix, y, feature_names=names)
    with pytest.raises(ParameterError, match="not for DataFrame; leave it out"):
        UnlessClassifier().fit(pd.DataFrame(matrix.toarray()), y, feature_names=[*"abcdefghijkl"])


def test_a_matrix_that_takes_too_much_memory_is_refused():
    """A cell takes a byte: the error says how much that is, and what to do; the limit can be raised."""
    matrix, y = sp.csr_array((30, 40)), [0, 1] * 15
    with raised(unpacked=1000):
        with pytest.raises(LimitError, match=r"30 rows and 40 columns takes 1.2e-06 GB .*; keep fewer columns"):
            UnlessClassifier().fit(matrix, y)
        with raised(unpacked=1200):
            assert len(read_table(matrix)) == 30
    with pytest.raises(LimitError, match=r"takes 20 GB or more .*the limit is 1 GB; to allow it"):
        read_table(sp.csr_array((10**6, 20_000)))


def test_sparse_arrays_of_one_dimension_are_refused():
    """A table has rows and columns."""
    with pytest.raises(ReadError, match="1 dimensions is not a table"):
        read_table(sp.coo_array(np.zeros(4)))


def test_a_lazy_frame_is_collected():
    """A LazyFrame is the frame that it gives, for read_table, fit with weights, predict and score."""
    frame = pl.DataFrame({"age": range(60), "town": ["Oslo", "Rome", "Bern"] * 20})
    y = ["old" if age > 30 else "young" for age in range(60)]
    weights = [1] * 59 + [0]
    lazy = UnlessClassifier().fit(frame.lazy(), y, sample_weight=weights)
    assert lazy.program_ == UnlessClassifier().fit(frame, y, sample_weight=weights).program_
    assert lazy.predict(frame.lazy()).tolist() == lazy.predict(frame).tolist()
    assert lazy.score(frame.lazy(), y) == lazy.score(frame, y)
    assert list(lazy.feature_names_in_) == ["age", "town"]
    assert lazy.predict(nw.from_native(frame.lazy())).tolist() == lazy.predict(nw.from_native(frame)).tolist()
    assert read_table(frame.lazy(), "town").labels.labels == ("Bern", "Oslo", "Rome")
    with pytest.raises(ReadError, match=r"cannot be collected: .*nothing\.csv"):
        read_table(pl.scan_csv("nothing.csv"))


def test_no_dense_matrix_is_made(data, monkeypatch):
    """Columns are ranked one by one: the whole matrix is never dense, neither in fit nor in predict."""

    def refuse(*_, **__):
        raise AssertionError

    matrix, y = data
    for form in (sp.csr_array, sp.csc_array):
        for method in ("toarray", "todense"):
            monkeypatch.setattr(form, method, refuse)
    assert UnlessClassifier().fit(matrix, y).predict(matrix).shape == (200,)
