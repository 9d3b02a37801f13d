"""Classifiers learn dates, times, orders and flags from whatever holds them, and say them as people do."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import unless
from tests.written import Written
from unless import FoldRMClassifier, UnlessClassifier, UnlessCommittee
from unless.errors import ParameterError, ReadError

DAYS = [dt.date(2020, 1, 1) + dt.timedelta(days=3 * day) for day in range(130)]
LATE = ["late" if day > dt.date(2020, 8, 1) else "early" for day in DAYS]
OSLO = pl.Series(DAYS).cast(pl.Datetime("us")).dt.replace_time_zone("Europe/Oslo")

TYPED: dict[str, Any] = {
    "dates of polars": pl.DataFrame({"when": DAYS}),
    "datetimes of polars": pl.DataFrame({"when": pl.Series(DAYS).cast(pl.Datetime("ns"))}),
    "datetimes of pandas": pd.DataFrame({"when": pd.to_datetime(DAYS)}),
    "dates of Python in pandas": pd.DataFrame({"when": pd.Series(DAYS, dtype=object)}),
    "text of pandas": pd.DataFrame({"when": [day.isoformat() for day in DAYS]}),
    "text of polars": pl.DataFrame({"when": [day.isoformat() for day in DAYS]}),
    "Arrow": pl.DataFrame({"when": DAYS}).to_arrow(),
    "records": [{"when": day} for day in DAYS],
}


@pytest.mark.parametrize("frame", TYPED.values(), ids=TYPED)
@pytest.mark.parametrize("learner", [UnlessClassifier, FoldRMClassifier])
def test_dates_are_ordered(frame: Any, learner: Any) -> None:
    """A rule about dates is learned from dates of every type, and is right for dates of every other."""
    fitted = learner(warn=False).fit(frame, LATE)
    assert "when > 2020-08-0" in str(fitted.program_)
    for other in TYPED.values():
        assert list(fitted.predict(other)) == LATE


def test_rules_say_dates() -> None:
    """Rules, explanations and changes speak of dates."""
    fitted = UnlessClassifier(warn=False).fit(TYPED["dates of polars"], LATE)
    assert str(fitted.program_).splitlines()[0] == "label: late if when > 2020-08-02"
    proof = fitted.explain({"when": "2020-08-03"})
    assert str(proof) == "label late, because when is 2020-08-03, above 2020-08-02"
    assert proof.to_dict()["record"] == {"when": "2020-08-03"}
    (change,) = fitted.counterfactuals({"when": dt.date(2020, 8, 4)})
    assert str(change) == "when at most 2020-08-02 → early (rule 2)"
    assert change.record == {"when": Written("2020-08-02")}
    with pytest.warns(unless.UnlessWarning, match="text where training had only dates: soon"):
        assert str(fitted.explain({"when": "soon"})) == "label early, because it is the default"


def test_time_zones() -> None:
    """A column with a zone is one of instants, said in UTC; the same instant in another zone gets the same label."""
    fitted = UnlessClassifier(warn=False).fit(pl.DataFrame({"when": OSLO}), LATE)
    assert re.search(r"when > 2020-08-0[1-3][ 0-9:]*Z", str(fitted.program_))
    elsewhere = pl.DataFrame({"when": OSLO.dt.convert_time_zone("Asia/Tokyo")})
    assert list(fitted.predict(elsewhere)) == LATE
    spelled = pl.DataFrame({"when": [moment.isoformat() for moment in OSLO.to_list()]})
    assert list(fitted.predict(spelled)) == LATE


@pytest.mark.parametrize("learner", [UnlessClassifier, FoldRMClassifier, UnlessCommittee])
def test_model_files(learner: Any, tmp_path: Path) -> None:
    """A model file keeps notations: the loaded model decides alike, and its rules are the same."""
    X = pd.DataFrame({"when": [day.strftime("%d.%m.%Y") for day in DAYS], "size": ["S", "M"] * 65, "flag": [0, 1] * 65})
    given: dict[str, Any] = {"dates": {"when": "%d.%m.%Y"}, "orders": {"size": ["S", "M", "L"]}}
    fitted = learner(warn=False, **given).fit(X, LATE)
    assert list(fitted.predict(X)) == LATE
    fitted.save(tmp_path / "model.json")
    loaded: Any = unless.load(tmp_path / "model.json")
    assert loaded.program_ == fitted.program_
    assert loaded.program_.notations == fitted.program_.notations
    assert loaded.schema_ == fitted.schema_
    assert list(loaded.predict(X)) == LATE
    assert loaded.get_params()["dates"] == given["dates"]
    if learner is not UnlessCommittee:
        assert '">", "2020-0' in (tmp_path / "model.json").read_text()


def test_earlier_models_keep_reading_dates_as_categories() -> None:
    """A model that was learned when dates were text reads typed dates as that text, in whatever spelling it had."""
    text = pd.DataFrame({"when": [dt.datetime.combine(day, dt.time()).isoformat() for day in DAYS[:2]] * 20})
    fitted = UnlessClassifier(categorical=["when"], warn=False).fit(text, ["a", "b"] * 20)
    assert fitted.schema_.kinds == {"when": "text"}
    assert list(fitted.predict(pd.DataFrame({"when": pd.to_datetime(DAYS[:2])}))) == ["a", "b"]
    assert list(fitted.predict(pl.DataFrame({"when": DAYS[:2]}))) == ["a", "b"]


ORDERED = ["S", "M", "L", "XL"] * 20
SMALL = ["no" if size in ("L", "XL") else "yes" for size in ORDERED]


@pytest.mark.parametrize(
    ("frame", "given"),
    [
        (pd.DataFrame({"size": pd.Categorical(ORDERED, ["S", "M", "L", "XL"], ordered=True)}), {}),
        (pl.DataFrame({"size": pl.Series(ORDERED, dtype=pl.Enum(["S", "M", "L", "XL"]))}), {}),
        (pd.DataFrame({"size": ORDERED}), {"orders": {"size": ["S", "M", "L", "XL"]}}),
        (np.array(ORDERED, dtype=object).reshape(-1, 1), {"orders": {0: ["S", "M", "L", "XL"]}}),
    ],
)
def test_ordered_categories(frame: Any, given: dict[str, Any]) -> None:
    """Categories in an order are learned by their order, and plain text is read in that order later."""
    fitted = UnlessClassifier(warn=False, **given).fit(frame, SMALL)
    assert any(text in str(fitted.program_) for text in ("size <= M", "size > M", "x0 <= M", "x0 > M"))
    feature = fitted.program_.features[0]
    later = pd.DataFrame({feature: ["XL", "S", "XXL", None]})
    new = later if feature == "size" else later.to_numpy()
    with pytest.warns(unless.UnlessWarning, match="XXL"):
        labels = list(fitted.predict(new))
    assert labels[:2] == ["no", "yes"]
    (change,) = fitted.counterfactuals({feature: "XL"} if feature == "size" else np.array([["XL"]], dtype=object))
    assert change.record == {feature: Written("M")}


def test_flags_and_whole_numbers() -> None:
    """A 0/1 column says is 1; a whole number changes to a whole number."""
    X = pd.DataFrame({"senior": [0, 1] * 30, "children": [number % 6 for number in range(60)]})
    by_flag = UnlessClassifier(warn=False).fit(X, ["a", "b"] * 30)
    assert "senior is " in str(by_flag.program_)
    assert ">" not in str(by_flag.program_)
    proof = by_flag.explain({"senior": 1, "children": 2})
    assert "senior is 1" in str(proof)
    (change,) = by_flag.counterfactuals({"senior": 1, "children": 2})
    assert str(change).startswith("senior is 0 → a")
    X["senior"] = 1
    by_count = UnlessClassifier(warn=False).fit(X, ["many" if number > 2 else "few" for number in X["children"]])
    (more,) = by_count.counterfactuals({"senior": 1, "children": 2})
    assert more.record["children"] == 3.0
    (fewer,) = by_count.counterfactuals({"senior": 1, "children": 4})
    assert fewer.record["children"] == 2.0


def test_bad_declarations() -> None:
    """A format that no cell has, levels that repeat, and a column that is declared twice are errors that say so."""
    X = pd.DataFrame({"when": ["2020-08-01", "2020-08-02"] * 5, "size": ["S", "M"] * 5})
    y = ["a", "b"] * 5
    with pytest.raises(ReadError, match=r"no cell of 'when' is a date like '%d\.%m\.%Y', such as '2020-08-01'"):
        UnlessClassifier(dates={"when": "%d.%m.%Y"}).fit(X, y)
    with pytest.raises(ParameterError, match="a format is like"):
        UnlessClassifier(dates={"when": "german"}).fit(X, y)
    with pytest.raises(ReadError, match="the category 'S' appears twice"):
        UnlessClassifier(orders={"size": ["S", "M", "S"]}).fit(X, y)
    with pytest.raises(ParameterError, match="takes a list of categories"):
        UnlessClassifier(orders={"size": "S"}).fit(X, y)
    with pytest.raises(ParameterError, match="declared both categorical and by"):
        UnlessClassifier(orders={"size": ["S"]}, categorical=["size"]).fit(X, y)
    with pytest.raises(unless.UnlessError, match="no column 'sise'; did you mean 'size'"):
        UnlessClassifier(orders={"sise": ["S"]}).fit(X, y)


def test_whole_thresholds() -> None:
    """The thresholds of whole numbers are whole; without rounding they lie half-way."""
    X = pd.DataFrame({"children": [number % 6 for number in range(120)]})
    many = ["many" if number > 2 else "few" for number in X["children"]]
    assert "children > 2\n" in str(UnlessClassifier(warn=False).fit(X, many).program_)
    assert "children > 2.5" in str(UnlessClassifier(warn=False, round_thresholds=False).fit(X, many).program_)
    assert "children > 1.2" in str(UnlessClassifier(warn=False).fit(X / 2, many).program_)


def test_declared_formats_are_asked_of_training_only() -> None:
    """A batch without a single date in the declared format is read: its cells are text beside the dates."""
    X = pd.DataFrame({"when": [day.strftime("%d/%m/%Y") for day in DAYS]})
    fitted = UnlessClassifier(warn=False, dates={"when": "%d/%m/%Y"}).fit(X, LATE)
    with pytest.warns(unless.UnlessWarning, match="unknown"):
        assert fitted.predict([{"when": "unknown"}]).tolist() == ["early"]
    assert fitted.predict([{"when": None}]).tolist() == ["early"]


def test_orders_and_dates_that_fit_no_cell_are_refused() -> None:
    """A declaration that no cell has is an error that shows a cell; a format without a date is one too."""
    X = pd.DataFrame({"size": ["S", "M"] * 5, "when": ["01.02.2020", "02.02.2020"] * 5})
    y = ["a", "b"] * 5
    with pytest.raises(ReadError, match="no cell of 'size' is in its order, s, m, l; one is 'M'"):
        UnlessClassifier(orders={"size": ["s", "m", "l"]}).fit(X, y)
    with pytest.raises(
        ReadError, match=r"no cell of 'when' is a date as in ISO 8601, 2020-08-01, such as '01\.02\.2020'"
    ):
        UnlessClassifier(dates=["when"]).fit(X, y)
    with pytest.raises(ParameterError, match=r"'%H\.%M', which has no date"):
        UnlessClassifier(dates={"when": "%H.%M"}).fit(X, y)


def test_columns_named_by_numbers_are_declared_by_them() -> None:
    """In a frame whose names are numbers, a declaration names them."""
    X = pd.DataFrame({3: [day.strftime("%Y/%m/%d") for day in DAYS]})
    fitted = UnlessClassifier(warn=False, dates={3: "%Y/%m/%d"}).fit(X, LATE)
    assert list(fitted.predict(X)) == LATE
