"""Subgroups: who is in them, how good decisions are there, and what differs by more than chance."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unless.judge.groups import groups_of
from unless.table import Column

cells = st.lists(st.one_of(st.none(), st.sampled_from("abcdefghijkl"), st.integers(0, 30)), min_size=1, max_size=60)


@given(cells, st.data())
def test_every_record_is_in_one_group_of_a_column(values, data):
    """The groups of a column share the records among them, and count what is decided and right in each."""
    rows = len(values)
    given_, truth = (np.array(data.draw(st.lists(st.integers(-1, 1), min_size=rows, max_size=rows))) for _ in range(2))
    found = groups_of([Column.of("x", values)], given_, truth, ("no", "yes"))
    assert sum(one.records for one in found) == rows
    assert sum(one.labelled for one in found) == int((truth >= 0).sum())
    assert sum(one.right for one in found) == int(((truth >= 0) & (given_ == truth)).sum())
    assert all(sum(count for _, count in one.decided) == one.records for one in found)
    assert len({one.name for one in found}) == len(found)


def test_few_numbers_are_groups_of_their_own_and_many_are_ranges():
    """Up to eight numbers stand alone; more make four ranges of about the same size. Missing cells are a group."""
    zeros = np.zeros(100, np.intp)
    few = groups_of([Column.of("x", [row % 3 for row in range(100)])], zeros, None, ("no",))
    assert [one.name for one in few] == ["0", "1", "2"]
    many = groups_of([Column.of("x", [*range(96), None, None, None, None])], zeros, None, ("no",))
    assert [(one.name, one.records) for one in many] == [
        ("0 to 23", 24),
        ("24 to 47", 24),
        ("48 to 71", 24),
        ("72 to 95", 24),
        ("missing", 4),
    ]


def test_rare_categories_are_one_group():
    """The eight most frequent categories stand alone."""
    texts = [letter for place, letter in enumerate("abcdefghijkl") for _ in range(20 - place)]
    found = groups_of([Column.of("x", texts)], np.zeros(len(texts), np.intp), None, ("no",))
    assert [one.name for one in found] == [*"abcdefgh", "4 other values"]


def test_differences_that_chance_does_not_explain():
    """A group that is decided worse, or otherwise, than all other records is marked; a twin of the others is not."""
    rows = np.arange(600)
    group = np.where(rows % 3 == 0, "a", np.where(rows % 3 == 1, "b", "c"))
    truth = rows // 3 % 2
    given_ = np.where((group == "a") & (rows % 2 == 0), 1 - truth, truth)
    found = {one.name: one for one in groups_of([Column.of("x", group.tolist())], given_, truth, ("no", "yes"))}
    assert found["a"].differs
    assert found["a"].accuracy == pytest.approx(0.5)
    all_yes = np.where(group == "b", 1, truth)
    decided = {one.name: one for one in groups_of([Column.of("x", group.tolist())], all_yes, None, ("no", "yes"))}
    assert decided["b"].labels == ("no", "yes")
    assert decided["b"].accuracy is None
    same = groups_of([Column.of("x", group.tolist())], truth, truth, ("no", "yes"))
    assert not [one for one in same if one.differs or one.labels]
    json.dumps([one.to_dict() for one in found.values()], allow_nan=False)
