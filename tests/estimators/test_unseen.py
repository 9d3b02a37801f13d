"""Classifiers warn of values that training did not have."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

import unless
from unless import FoldRMClassifier, UnlessClassifier
from unless.errors import UnlessWarning

CHURN = pd.DataFrame(
    {
        "contract": ["Month-to-month", "One year", "Two year"] * 100,
        "charges": [20.0 + k % 97 for k in range(300)],
        "note": [f"note {k}" for k in range(300)],
    }
)
LEFT = ((CHURN["contract"] == "Month-to-month") & (CHURN["charges"] > 40)).map({True: "Yes", False: "No"})
X, Y = CHURN, LEFT
FITTED = [UnlessClassifier(), FoldRMClassifier()]


def renamed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(contract=frame["contract"].replace("Month-to-month", "Monthly"))


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "explain"])
def test_a_renamed_category_is_told(model, method):
    """Every method that takes records warns of a new category, and in how many records it is."""
    said = r"contract: 100 of 300 records hold Monthly, which training did not have \(it had Month-to-month, One year"
    with pytest.warns(UnlessWarning, match=said) as caught:
        getattr(model, method)(renamed(CHURN))
    assert [warning.filename for warning in caught] == [__file__]


def test_others_are_told_too(model, tmp_path):
    """So do score, why_not and report, and a loaded model."""
    path = tmp_path / "model.json"
    model.save(path)
    for one in (model, unless.load(path)):
        with pytest.warns(UnlessWarning, match="100 of 300 records hold Monthly"):
            one.score(renamed(CHURN), LEFT)
        with pytest.warns(UnlessWarning, match="the record holds Monthly"):
            one.counterfactuals(renamed(CHURN).iloc[0])
        with pytest.warns(UnlessWarning, match="100 of 300 records hold Monthly"):
            one.report(renamed(CHURN), LEFT, tmp_path / "page.html")
        found = one.unseen(renamed(CHURN).assign(charges=1e6))
        assert [(each.feature, each.kind, each.records) for each in found] == [
            ("contract", "category", 100),
            ("charges", "range", 300),
        ]


def test_nothing_new_is_not_told(model):
    """Training records, unused columns and a number just outside the range cause no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(CHURN)
        model.predict(CHURN.assign(note="new"))
        model.predict(CHURN.assign(charges=[119.0, *CHURN["charges"][1:]]))
    assert model.unseen(CHURN.assign(charges=[119.0, *CHURN["charges"][1:]]))


def test_an_edited_program_learns_what_its_records_hold(model):
    """An edited model remembers the records that it was measured on; they cause no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        edited = model.with_program(model.program_, renamed(CHURN), LEFT)
        edited.predict(renamed(CHURN))
    assert not edited.unseen(renamed(CHURN))
