"""Files of models remember splits by time and group, and tests by period; files of today's splits are as they were."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import unless
from unless.errors import ProgramError
from unless.estimators.holdout import Holdout
from unless.estimators.learners import UnlessLearner, learn
from unless.estimators.model_file import file_text, parsed
from unless.estimators.split_by import SplitBy, parse_moment, split_by_group, split_by_time
from unless.evaluation.periods import PeriodResult
from unless.model import Model
from unless.read.table import read_table
from unless.table import Table

ROWS = [
    {
        "x": k % 17,
        "day": f"{k % 28 + 1:02}.{k // 28 % 12 + 1:02}.2023",
        "at": f"2023-05-{k % 28 + 1:02}T10:30:15Z",
        "year": 2000 + k % 20,
        "who": f"c{k % 23}",
        "y": "ab"[k % 17 > 8],
    }
    for k in range(400)
]
TABLE = read_table(ROWS, "y", dates={"day": "%d.%m.%Y"})
FEATURES = Table((TABLE.column("x"),), TABLE.target)
PERIODS = (PeriodResult("2023-01", 100, 50, 40, 25, 3, 0.5), PeriodResult("2023-02", 150, 60, 60, 30, 2))


def model_of(by: SplitBy | None) -> Model:
    holdout = Holdout.of(FEATURES, 0.2, 3, by=by)
    return holdout.tested(learn(UnlessLearner(), holdout.records).model)


def by_time(name: str, text: str) -> SplitBy:
    column = TABLE.column(name)
    return split_by_time(column, parse_moment(column, text))


@pytest.mark.parametrize(
    ("by", "data"),
    [
        (by_time("day", "01.09.2023"), {"column": "day", "notation": {"date": "%d.%m.%Y"}, "since": "2023-09-01"}),
        (
            by_time("at", "2023-05-20 10:30:15Z"),
            {"column": "at", "notation": "instant", "since": "2023-05-20 10:30:15Z"},
        ),
        (by_time("year", "2015"), {"column": "year", "since": 2015.0}),
        (split_by_group(TABLE.column("who")), {"column": "who"}),
    ],
    ids=["format", "instant", "numbers", "groups"],
)
def test_a_split_comes_back(by, data) -> None:
    """The file says by which column, how it is written, and from when on; the split read back is the same."""
    model = model_of(by)
    text = file_text(model)
    assert json.loads(text)["statistics"]["tested"]["by"] == data
    back = parsed(text.encode(), "m.json")
    assert isinstance(back, Model)
    assert back.origin == model.origin
    assert file_text(back) == text
    held = back.origin.split.held_back(TABLE, ("x",))
    assert held.sum() == back.tested.held_back


def test_a_random_split_is_written_as_before() -> None:
    """Nothing is added to files of models whose records were split at random."""
    tested = json.loads(file_text(model_of(None)))["statistics"]["tested"]
    assert set(tested) == {"salt", "cuts", "fingerprint", "records", "usual", "sample", "counts"}


def test_tests_by_period_come_back() -> None:
    """The file has a row for each period."""
    back = parsed(file_text(replace(model_of(None), periods=PERIODS)).encode(), "m.json")
    assert isinstance(back, Model)
    assert back.periods == PERIODS


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"column": "when", "notation": "date", "since": "soon"}, r"tested.by.since: .soon. is not a moment"),
        ({"column": "when", "notation": "date", "since": 5.0}, r"tested.by.since"),
        ({"column": "when", "since": "2023"}, r"tested.by.since"),
        ({"column": "when", "notation": {"unit": "7"}, "since": 1.0}, r"tested.by"),
        ({"since": 1.0}, r"column"),
    ],
)
def test_a_wrong_split_is_refused(change, message) -> None:
    """The error names the place in the file."""
    document = json.loads(file_text(model_of(None)))
    document["statistics"]["tested"]["by"] = change
    with pytest.raises(ProgramError, match=message):
        parsed(json.dumps(document).encode(), "m.json")


@pytest.mark.parametrize("counts", [(5, 0, 0, 0), (5, 4, 5, 0), (5, 4, 1, 7)])
def test_wrong_tests_by_period_are_refused(counts) -> None:
    """More cannot be right than there are, and a period has records."""
    document = json.loads(file_text(model_of(None)))
    document["statistics"]["periods"] = [["2023-01", *counts, 1, None]]
    with pytest.raises(ProgramError, match=r"statistics.periods\[0\]"):
        parsed(json.dumps(document).encode(), "m.json")


def test_records_are_recognised_whatever_their_order() -> None:
    """Shuffled records are on the side where they were."""
    order = np.random.default_rng(1).permutation(len(TABLE))
    for by in (by_time("day", "2023-09"), split_by_group(TABLE.column("who"))):
        origin = model_of(by).origin
        assert origin is not None
        held = origin.split.held_back(TABLE, ("x",))
        assert origin.split.held_back(TABLE[order], ("x",)).tolist() == held[order].tolist()
        assert 0 < held.sum() < len(TABLE)


@pytest.mark.parametrize("by", [by_time("day", "2023-09"), split_by_group(TABLE.column("who"))], ids=["time", "group"])
def test_a_card_in_python_knows_the_records_held_back(by, tmp_path) -> None:
    """A frame with the column is evaluated on the held-out records only, as the command does; dates may be typed."""
    (tmp_path / "m.json").write_text(file_text(model_of(by)))
    model = unless.load(tmp_path / "m.json")
    frame = pd.DataFrame(ROWS).sample(frac=1, random_state=2)
    frame["day"] = pd.to_datetime(frame["day"], format="%d.%m.%Y")
    with pytest.warns(UserWarning, match="was not trained on"):
        card = model.model_card(frame.drop(columns="y"), frame["y"], by=["year"])
    assert sum(one.records for one in card.groups) == model.tested_.held_back
    assert by.column.text in card.tests.on
