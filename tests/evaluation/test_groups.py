"""Subgroups: who is in them, how good decisions are there, and what differs by more than chance."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unless.evaluation.subgroups import LEAST, Difference, find_subgroups
from unless.table import Column

cells = st.lists(st.one_of(st.none(), st.sampled_from("abcdefghijkl"), st.integers(0, 30)), min_size=1, max_size=60)


@given(cells, st.data())
def test_every_record_is_in_one_group_of_a_column(values, data):
    """The groups of a column share the records among them, and count what is decided and right in each."""
    rows = len(values)
    given_, truth = (np.array(data.draw(st.lists(st.integers(-1, 1), min_size=rows, max_size=rows))) for _ in range(2))
    column = Column.of("x", values)
    (found,) = find_subgroups([column], given_, truth, ("no", "yes")).columns
    assert sum(one.records for one in found) == rows
    assert sum(one.labelled for one in found) == int((truth >= 0).sum())
    assert sum(one.right for one in found) == int(((truth >= 0) & (given_ == truth)).sum())
    assert all(sum(count for _, count in one.decided) == one.records for one in found)
    assert len({one.name for one in found}) == len(found)
    for one in found:
        rows = np.array([is_in(one.test, column.value(code)) for code in column.codes])
        assert (one.records, one.given("yes")) == (rows.sum(), (given_[rows] == 1).sum())
        assert one.right == ((truth >= 0) & (given_ == truth))[rows].sum()


def test_few_numbers_are_groups_of_their_own_and_many_are_ranges():
    """Up to eight numbers stand alone; more make four ranges of about the same size. Missing cells are a group."""
    zeros = np.zeros(100, np.intp)
    (few,) = find_subgroups([Column.of("x", [row % 3 for row in range(100)])], zeros, None, ("no",)).columns
    assert [one.name for one in few] == ["0", "1", "2"]
    (many,) = find_subgroups([Column.of("x", [*range(96), None, None, None, None])], zeros, None, ("no",)).columns
    assert [(one.name, one.records) for one in many] == [
        ("at most 23", 24),
        ("above 23 and at most 47", 24),
        ("above 47 and at most 71", 24),
        ("above 71", 24),
        ("missing", 4),
    ]
    (most,) = find_subgroups([Column.of("x", [*range(9), *[9] * 91])], zeros, None, ("no",)).columns
    assert [(one.name, one.records) for one in most] == [("at most 8", 9), ("above 8", 91)]


def test_rare_categories_are_one_group():
    """The eight most frequent categories stand alone; a ninth does too, if it is the last."""
    texts = [letter for place, letter in enumerate("abcdefghijkl") for _ in range(20 - place)]
    (found,) = find_subgroups([Column.of("x", texts)], np.zeros(len(texts), np.intp), None, ("no",)).columns
    assert [one.name for one in found] == [*"abcdefgh", "4 other values"]
    (nine,) = find_subgroups([Column.of("x", [*"abcdefghi"])], np.zeros(9, np.intp), None, ("no",)).columns
    assert [one.name for one in nine] == [*"abcdefghi"]


def test_differences_that_chance_does_not_explain():
    """A group that is decided worse, or otherwise, than all other records is marked; a twin of the others is not."""
    rows = np.arange(600)
    group = np.where(rows % 3 == 0, "a", np.where(rows % 3 == 1, "b", "c"))
    truth = rows // 3 % 2
    given_ = np.where((group == "a") & (rows % 2 == 0), 1 - truth, truth)
    column = Column.of("x", group.tolist())

    def by_name(given_, truth):
        return {one.name: one for one in find_subgroups([column], given_, truth, ("no", "yes")).columns[0]}

    found = by_name(given_, truth)
    assert found["a"].differs
    assert found["a"].accuracy == pytest.approx(0.5)
    all_yes = np.where(group == "b", 1, truth)
    decided = by_name(all_yes, None)
    assert decided["b"].labels == ("no",)  # the other label has the rest
    assert decided["b"].differences == (Difference("no", 0.0, 0.5),)
    assert decided["b"].accuracy is None
    assert not [one for one in by_name(truth, truth).values() if one.differences]
    json.dumps([one.to_dict() for one in found.values()], allow_nan=False)


def test_what_is_compared():
    """Small groups are counted only; with many labels the most frequent are compared, in any order of the labels."""
    rows = np.arange(200)
    small = Column.of("x", ["a" if row < LEAST - 1 else "b" for row in rows])
    enough = Column.of("x", ["a" if row < LEAST else "b" for row in rows])
    yes = (rows < LEAST).astype(int)
    assert find_subgroups([small], yes, None, ("no", "yes")).tests == 0
    found = find_subgroups([enough], yes, None, ("no", "yes"))
    assert (found.tests, found.labels, found.columns[0][0].labels) == (2, ("yes",), ("yes",))
    given_ = rows % 10
    letters = "jihgfedcba"
    assert find_subgroups([enough], given_, None, letters).labels == tuple("fedcba")
    assert find_subgroups([enough], 9 - given_, None, letters[::-1]).labels == tuple("abcdef")
    undecided = np.where(rows % 4 == 0, -1, yes)
    assert find_subgroups([enough], undecided, None, ("no", "yes")).labels == ("no", "yes")


def is_in(test, value):
    """Whether a group asks for a value, as the scripts of a page read it."""
    kind, *asked = test
    if kind == "missing":
        return value is None
    if kind == "other":
        return isinstance(value, str) and value not in asked[0]
    if kind == "=":
        return value == asked[0]
    low, high = asked
    return isinstance(value, float) and (low is None or value > low) and (high is None or value <= high)
