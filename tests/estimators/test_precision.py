"""Whether the intervals of rules hold on records that the rules were not learned from (`benchmarks.precision`)."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest
from benchmarks.planted import PLANTED, planted
from benchmarks.precision import CHOSEN_ON, CONFIRMED_ON, WAYS, Found, Result, measured

from unless import Table, read_table
from unless.estimators.holdout import Holdout

_SAMPLES = 5


@pytest.mark.parametrize("way", ["FoldRMClassifier", "FoldRPPClassifier", "UnlessClassifier", "unless fit -a fold-rm"])
@pytest.mark.parametrize("name", ["planted 2 labels, 60% noise", "planted 6 labels, 0% noise"])
def test_intervals_hold_on_other_records(name: str, way: str) -> None:
    """Nine of ten rules are right as often as stated, where labels are mostly noise, and where there is none."""
    table = planted(name)
    if way == "FoldRPPClassifier" and len(table.labels.labels) > 2:
        pytest.skip("it is for two labels")
    rules = [one for seed in range(_SAMPLES) for one in measured(table, WAYS[way], 1_000, seed)]
    assert len(rules) >= 8
    assert fmean(one.inside for one in rules) >= 0.88


def test_a_result_is_a_row_of_the_page() -> None:
    """Shares are means over rules; a table with too few rules does not tell how often intervals hold there."""
    rules = [Found(1.0, 0.8, 0.6, 1.0, 0.9), Found(0.8, 0.6, 0.5, 0.7, 0.9)]
    few, many = Result({"few": rules}), Result({"many": rules * 50})
    assert few.cells()[:7] == ["1", "2", "0.900", "0.700", "0.900", "−0.200", "50.0%"]
    assert few.lowest is None
    assert many.lowest == (0.5, "many")


def test_no_table_is_chosen_on_and_confirmed_on() -> None:
    """Both groups share no table, and each has planted ones."""
    assert not set(CHOSEN_ON) & set(CONFIRMED_ON)
    assert set(CHOSEN_ON) & PLANTED.keys()
    assert set(CONFIRMED_ON) & PLANTED.keys()


def test_labels_that_no_record_has_do_not_shift_what_records_held_back_show() -> None:
    """A part of a table knows labels that none of its records has; what is held back is counted by the others."""
    table = _three_labels()
    some = table[np.flatnonzero(table.labels.codes != 0)]
    holdout = Holdout.of(some, 0.2, 0)
    assert holdout.split.labels == ("b", "c") == holdout.records.labels.labels


def _three_labels() -> Table:
    rows = [{"x": number, "y": "abc"[number % 3]} for number in range(90)]
    return read_table(rows, "y")
