"""The measures of decisions are those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from unless.errors import ParameterError
from unless.evaluation.metrics import measure_quality

codes = st.integers(2, 5).flatmap(
    lambda count: st.tuples(
        st.just(count), st.lists(st.tuples(st.integers(0, count - 1), st.integers(-1, count - 1)), min_size=1)
    )
)


@settings(max_examples=60, deadline=None)
@given(codes)
def test_averages_are_scikit_learns(drawn):
    """Accuracy and the weighted averages equal scikit-learn's; an undecided record is wrong."""
    count, pairs = drawn
    truth, decided = (np.array(column) for column in zip(*pairs, strict=True))
    found = measure_quality(truth, decided, range(count))
    named = range(count)
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(
        truth, decided, labels=named, average="weighted", zero_division=0
    )
    assert found.accuracy == pytest.approx(metrics.accuracy_score(truth, decided))
    assert (found.precision, found.recall, found.f1) == pytest.approx((precision, recall, f1))
    assert found.recall == pytest.approx(found.accuracy)


@settings(max_examples=60, deadline=None)
@given(codes)
def test_classes_are_scikit_learns(drawn):
    """Precision, recall, F1 and support of every class equal scikit-learn's, and so does the confusion matrix."""
    count, pairs = drawn
    truth, decided = (np.array(column) for column in zip(*pairs, strict=True))
    found = measure_quality(truth, decided, range(count))
    wanted = metrics.precision_recall_fscore_support(truth, decided, labels=range(count), zero_division=0)
    rows = [(one.precision, one.recall, one.f1, one.support) for one in found.classes]
    np.testing.assert_allclose(rows, np.transpose(wanted), atol=1e-12)
    known = decided >= 0
    matrix = metrics.confusion_matrix(truth[known], decided[known], labels=range(count)) if known.any() else 0
    assert (found.confusion[:, :-1] == matrix).all()
    assert found.undecided == np.count_nonzero(~known)


def test_no_records_have_no_quality():
    """Without records every measure is 0, and nothing fails."""
    found = measure_quality(np.array([], int), np.array([], int), ["a", "b"])
    assert (found.records, found.accuracy, found.precision, found.f1) == (0, 0, 0, 0)


def test_codes_are_checked():
    """Codes that are not places of labels, or differ in length, are refused."""
    with pytest.raises(ParameterError, match="0 to 1"):
        measure_quality(np.array([0, 2]), np.array([0, 0]), ["a", "b"])
    with pytest.raises(ParameterError, match="2 true labels, but 1 decisions"):
        measure_quality(np.array([0, 1]), np.array([0]), ["a", "b"])
