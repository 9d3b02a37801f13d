"""What new records hold that training did not have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unless.domain import MOST, domain_of
from unless.errors import UnseenValuesError
from unless.table import Column, Table
from unless.unseen import Unseen, UnseenCounts, refuse, summary, unseen_values


def table(**columns) -> Table:
    return Table(tuple(Column.of(name, cells) for name, cells in columns.items()))


def found(training: list, new: list) -> tuple[Unseen, ...]:
    return unseen_values(domain_of(table(x=training), ["x"]), table(x=new))


@pytest.mark.parametrize(
    ("training", "new", "texts"),
    [
        (["a", "b"], ["a", "c", "c"], ["x: 2 of 3 records hold c, which training did not have (it had a, b)"]),
        (["a", "b"], ["c"], ["x: the record holds c, which training did not have (it had a, b)"]),
        ([1, 5], [0, 3, 9], ["x: 2 of 3 records are outside the range of training, 1 to 5: 0, 9"]),
        ([1, 5], [3, 6, 7], ["x: 2 of 3 records are outside the range of training, 1 to 5: 6, 7"]),
        ([1, 5], [5, 5.1], ["x: 1 of 2 records is outside the range of training, 1 to 5: 5.1"]),
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
        ([None], ["a"], ["x: the record holds a, which training did not have (it had nothing)"]),
        (["a"], ["z" * 99], [f"x: the record holds {'z' * 59}…, which training did not have (it had a)"]),
        (["a"], ["\x1b[2J"], [r"x: the record holds '\x1b[2J', which training did not have (it had a)"]),
    ],
)
def test_what_is_said(training, new, texts):
    """A sentence tells the feature, how many records, what they hold, and what training had."""
    assert [str(one) for one in found(training, new)] == texts


cells = st.lists(st.sampled_from([None, "a", "b", "c", 0.0, 1.0, 2.5, -3.0]), min_size=1, max_size=12)


@given(cells, st.lists(cells, max_size=4))
def test_counts_add_up(training, batches):
    """Batch by batch the counts are those of all records at once, each counted by the plain definition."""
    domain = domain_of(table(x=training), ["x"])
    counts = UnseenCounts(domain)
    for batch in batches:
        counts.add(table(x=batch))
    every = [cell for batch in batches for cell in batch]
    assert counts.found() == unseen_values(domain, table(x=every))
    numbers = [cell for cell in training if isinstance(cell, float)]
    texts = sum(isinstance(cell, str) and cell not in training for cell in every)
    outside = sum(isinstance(cell, float) and not (numbers and min(numbers) <= cell <= max(numbers)) for cell in every)
    assert sum(one.records for one in counts.found() if one.kind in ("category", "text")) == texts
    assert sum(one.records for one in counts.found() if one.kind in ("number", "range")) == outside


@given(cells)
def test_training_has_nothing_new(training):
    """The records of training hold nothing that training did not have, nor do some of them."""
    whole = table(x=training)
    domain = domain_of(whole, ["x"])
    assert not unseen_values(domain, whole)
    assert not unseen_values(domain, whole[:1])


def test_values_that_no_row_has():
    """What stands among the ranks of a table, but in none of its rows, is not held by a record."""
    new = table(x=["a", "b", 9])[:1]
    assert not unseen_values(domain_of(table(x=["a"]), ["x"]), new)


def test_more_categories_than_a_model_remembers():
    """Where training had more categories than are kept, one that is not among them may just be rare."""
    assert not found([str(k) for k in range(MOST)], ["new"])
    assert found([str(k) for k in range(MOST - 1)], ["new"])


def test_chance():
    """A few numbers a little outside the range are what chance gives; many, far ones and categories are not."""
    assert found(list(range(100)), [100, *[50] * 99])[0].by_chance(100)
    assert not found(list(range(100)), [100] * 10)[0].by_chance(100)
    assert not found(list(range(100)), [1000, *[50] * 99])[0].by_chance(100)
    assert not found(["a"] * 100, ["b", *["a"] * 99])[0].by_chance(100)


def test_chance_is_measured():
    """Of records that are drawn like those of training, numbers are taken for unusual once in a hundred at most."""
    unusual = tried = 0
    rng = np.random.default_rng(5)
    for trained, new in [(100, 1), (100, 100), (30, 200), (400, 20)] * 250:
        drawn = rng.normal(size=trained + new)
        for one in found(drawn[:trained].tolist(), drawn[trained:].tolist()):
            unusual += not one.by_chance(trained)
        tried += 1
    assert unusual / tried < 0.01


def test_very_many_columns():
    """Of very many columns a summary names the first."""
    names = [f"x{k}" for k in range(20)]
    domain = domain_of(table(**{name: ["a"] for name in names}), names)
    lines = summary(unseen_values(domain, table(**{name: ["b"] for name in names})))
    assert len(lines) == 9
    assert lines[-1] == "the same in 12 more columns"


def test_refusing():
    """Refused records are told of by what they hold; nothing new is not refused."""
    refuse(())
    with pytest.raises(UnseenValuesError, match="training did not have:\nx: the record holds c"):
        refuse(found(["a"], ["c"]))
