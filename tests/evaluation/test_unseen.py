"""Values in new records that training did not have."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models import model_of_program
from unless.errors import UnseenValuesError
from unless.evaluation.unseen_values import (
    Unseen,
    UnseenCounts,
    beyond_chance,
    refuse_unseen,
    unseen_summary,
    unseen_values,
)
from unless.model import Model
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Program
from unless.table import MAX_DOMAIN_VALUES, Column, Table, domain_table

CHANCE = " (few enough to be chance)"


def table(**columns) -> Table:
    return Table(tuple(Column.of(name, cells) for name, cells in columns.items()))


def learned_from(training: Table) -> Model:
    """What a model remembers of its training records."""
    statistics = RuleStatistics(("yes",), ("yes",), np.array([[float(len(training))]]))
    domain = domain_table(training, training.features)
    program = Program("y", training.features, (), "yes")
    return model_of_program(program, statistics=statistics, schema=training.schema, domain=domain)


def found(training: list, new: list) -> tuple[Unseen, ...]:
    return unseen_values(learned_from(table(x=training)), table(x=new))


@pytest.mark.parametrize(
    ("training", "new", "texts"),
    [
        (["a", "b"], ["a", "c", "c"], ["x: 2 of 3 records hold c, which training did not have (it had a, b)"]),
        (["a", "b"], ["c"], ["x: the record holds c, which training did not have (it had a, b)"]),
        ([1, 5], [0, 3, 9], [f"x: 2 of 3 records are outside the range of training, 1 to 5: 0, 9{CHANCE}"]),
        ([1, 5], [3, 6, 7], [f"x: 2 of 3 records are outside the range of training, 1 to 5: 6, 7{CHANCE}"]),
        ([1, 5], [5, 5.1], [f"x: 1 of 2 records is outside the range of training, 1 to 5: 5.1{CHANCE}"]),
        ([1, 5], ["?", 3], ["x: 1 of 2 records holds text where training had only numbers: '?'"]),
        (["a"], [1, 1], ["x: all 2 records hold numbers where training had only text: 1"]),
        (
            [1, "a"],
            [2, "b"],
            [
                "x: 1 of 2 records holds b, which training did not have (it had a)",
                "x: 1 of 2 records is outside the range of training, 1 to 1: 2",
            ],
        ),
        ([1, "a", None], [None, 1, "a"], []),
        ([1.0, 5.0, float("inf")], [float("inf"), float("-inf")], []),  # a model remembers the finite ones
        (
            ["a"],
            ["e", "d", "c", "b", "e"],
            ["x: all 5 records hold e, b, c, …, which training did not have (it had a)"],
        ),
        (
            [date(2020, 8, 1), date(2020, 8, 9)],
            ["2020-08-02", datetime(2019, 1, 1, 2, tzinfo=UTC), "s"],
            [
                "x: 1 of 3 records holds text where training had only dates: s",
                "x: 1 of 3 records is outside the range of training, 2020-08-01 to 2020-08-09: 2019-01-01 02:00",
            ],
        ),
        (
            [timedelta(hours=1), timedelta(days=1)],
            [timedelta(days=1, hours=3)],
            ["x: the record is outside the range of training, 1 h to 1 d: 1 d 3 h (few enough to be chance)"],
        ),
        ([None], ["a"], ["x: the record holds a, which training did not have (it had nothing)"]),
        (["a"], ["z" * 99], [f"x: the record holds {'z' * 59}…, which training did not have (it had a)"]),
        (["a"], ["\x1b[2J"], [r"x: the record holds '\x1b[2J', which training did not have (it had a)"]),
    ],
)
def test_what_is_said(training, new, texts):
    """A sentence names the feature, the number of records, their values, and what training had."""
    assert [str(one) for one in found(training, new)] == texts


cells = st.lists(st.sampled_from([None, "a", "b", "c", 0.0, 1.0, 2.5, -3.0]), min_size=1, max_size=12)


@given(cells, st.lists(cells, max_size=4))
def test_counts_add_up(training, batches):
    """Counting batch by batch gives the same as counting all records at once, by the plain definition."""
    known = learned_from(table(x=training))
    counts = UnseenCounts(known)
    for batch in batches:
        counts.add(table(x=batch))
    every = [cell for batch in batches for cell in batch]
    assert counts.found() == unseen_values(known, table(x=every))
    numbers = [cell for cell in training if isinstance(cell, float)]
    texts = sum(isinstance(cell, str) and cell not in training for cell in every)
    outside = sum(isinstance(cell, float) and not (numbers and min(numbers) <= cell <= max(numbers)) for cell in every)
    assert sum(one.records for one in counts.found() if one.kind in ("category", "text")) == texts
    assert sum(one.records for one in counts.found() if one.kind in ("number", "range")) == outside


@given(cells)
def test_training_has_nothing_new(training):
    """The training records, and any part of them, have no unseen values."""
    whole = table(x=training)
    assert not unseen_values(learned_from(whole), whole)
    assert not unseen_values(learned_from(whole), whole[:1])


def test_values_that_no_row_has():
    """A value among the ranks of a table that no row has is not reported."""
    new = table(x=["a", "b", 9])[:1]
    assert not unseen_values(learned_from(table(x=["a"])), new)


def test_more_categories_than_a_model_remembers():
    """If training had more categories than are remembered, another one may just be rare."""
    assert not found([str(k) for k in range(MAX_DOMAIN_VALUES)], ["new"])
    assert found([str(k) for k in range(MAX_DOMAIN_VALUES - 1)], ["new"])


def test_chance():
    """A few numbers just outside the range, and a rare category, may be chance; others are not."""
    assert found(list(range(100)), [100, *[50] * 99])[0].by_chance
    assert str(found(list(range(100)), [100, *[50] * 99])[0]).endswith("0 to 99: 100 (few enough to be chance)")
    assert not found(list(range(100)), [100] * 10)[0].by_chance
    assert not found(list(range(100)), [1000, *[50] * 99])[0].by_chance
    assert not found(["a"] * 300, ["b"])[0].by_chance
    assert not found(["a"] * 300, ["b", *["a"] * 98])[0].by_chance
    assert found(["a"] * 300, ["b", *["a"] * 99])[0].by_chance
    assert not found([1] * 300, ["b", *[1] * 99])[0].by_chance


def test_chance_is_measured():
    """If records come from the same source as training, numbers are reported at most once in a hundred times."""
    unlikely = tried = 0
    rng = np.random.default_rng(5)
    for trained, new in [(100, 1), (100, 100), (30, 200), (400, 20)] * 250:
        drawn = rng.normal(size=trained + new)
        unlikely += len(beyond_chance(found(drawn[:trained].tolist(), drawn[trained:].tolist())))
        tried += 1
    assert unlikely / tried < 0.01


def test_very_many_columns():
    """If there are very many columns, a summary names the first."""
    names = [f"x{k}" for k in range(20)]
    known = learned_from(table(**{name: ["a"] for name in names}))
    lines = unseen_summary(unseen_values(known, table(**{name: ["b"] for name in names})))
    assert len(lines) == 9
    assert lines[-1] == "the same in 12 more columns"


def test_refusing():
    """The error names the unseen values; values that may be chance are not refused."""
    refuse_unseen(())
    refuse_unseen(found(list(range(100)), [100, *[50] * 99]))
    with pytest.raises(UnseenValuesError, match="training did not have:\nx: the record holds c"):
        refuse_unseen(found(["a"], ["c"]))
