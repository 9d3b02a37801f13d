"""Names that repeat and dates on which labels depend are found, and other columns are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import unless
from unless.inspection import find_kind_splits, labels_as_texts
from unless.read.table import read_table

ROWS = 1200
RNG = np.random.default_rng(4)
WHO = RNG.integers(0, 120, ROWS)
SHARED = np.where((RNG.random(120) < 0.5)[WHO] ^ (RNG.random(ROWS) < 0.1), "yes", "no")
CHANCE = RNG.choice(["yes", "no"], ROWS)
DAYS = pd.Timestamp("2023-01-01") + pd.to_timedelta(np.arange(ROWS) // 3, unit="D")
DRIFT = np.where(RNG.random(ROWS) < np.arange(ROWS) / ROWS, "yes", "no")


def codes(column: str, cells, labels) -> list[str]:
    table = read_table(pd.DataFrame({column: cells, "label": labels}), "label")
    return [one.code for one in find_kind_splits(table.columns, labels_as_texts(table.labels))]


@pytest.mark.parametrize(
    ("column", "cells", "labels", "found"),
    [
        ("customer_id", WHO, SHARED, ["repeated-group"]),
        ("Patient", WHO, SHARED, ["repeated-group"]),
        ("ref", [f"K-{one:04}" for one in WHO], SHARED, ["repeated-group"]),
        ("customer_id", WHO, CHANCE, []),  # customers do not share labels
        ("age", WHO, SHARED, []),  # a measurement may have to do with the label
        ("customer_id", WHO % 4, SHARED, []),  # a few kinds, not names
        ("customer_id", np.arange(ROWS), SHARED, []),  # no customer repeats
        ("size", WHO + 0.5, SHARED, []),
        ("when", DAYS, DRIFT, ["drifting-date"]),
        ("when", DAYS, CHANCE, []),
        ("when", RNG.permutation(DAYS), DRIFT, []),
        ("when", DAYS.to_series().where(DAYS.day != 3).to_numpy(), DRIFT, ["drifting-date"]),
    ],
)
def test_what_makes_a_random_split_too_kind(column, cells, labels, found) -> None:
    """Only what names things that repeat and share labels, or a date over which labels move."""
    assert codes(column, cells, labels) == found


def test_noise_is_hardly_ever_suspected() -> None:
    """Of a hundred tables of noise, none has such a column."""
    rng = np.random.default_rng(9)
    for _ in range(100):
        labels = rng.choice(["a", "b", "c"], 300, p=[0.7, 0.2, 0.1])
        days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 90, 300), unit="D")
        assert codes("user_id", rng.integers(0, 40, 300), labels) == codes("when", days, labels) == []


def test_the_order_of_records_does_not_matter() -> None:
    """The remark is the same for shuffled records, and says how alike they are; Python names its own ways out."""
    labels = np.where(np.arange(ROWS) < ROWS // 2, SHARED, "yes")
    frame = pd.DataFrame({"customer": WHO, "when": DAYS, "label": labels})
    first, again = (unless.inspect(one, "label") for one in (frame, frame.sample(frac=1, random_state=1)))
    kinds = ("repeated-group", "drifting-date")
    found = [[one for one in profile.all_remarks if one.code in kinds] for profile in (first, again)]
    assert found[0] == found[1]
    assert [one.code for one in found[0]] == list(kinds)
    assert "120 values in 1,200 records" in found[0][0].finding
    assert "GroupKFold" in str(first)
    assert "TimeSeriesSplit" in str(first)
