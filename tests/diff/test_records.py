"""What two programs do on the same records."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import programs
from unless import Literal, Program, Rule, Table, predict
from unless.diff import compare_records
from unless.table import Column, Labels

AGE = Literal("age", "<=", 30)


def program(*rules: Rule, otherwise: str | None = None) -> Program:
    """A program for the target y."""
    return Program("y", ("age",), rules, otherwise)


def table(ages: list[float | None], truth: list[str] | None = None) -> Table:
    """Records with an age."""
    return Table((Column.of("age", ages),), None if truth is None else Labels.of("y", truth))


def test_which_records_change_label():
    """Changed records are counted by both labels, and the first are shown with both reasons."""
    old = program(Rule("a", (AGE,)), otherwise="b")
    new = program(Rule("a", (replace(AGE, value=50.0),)), otherwise=None)
    records = table([20, 40, 60, None, 45], ["a", "a", "b", "b", "b"])
    found = compare_records(old, new, records, records, most=2)
    assert (found.records, found.changed) == (5, 4)
    assert sorted(found.shifts, key=str) == [("b", "a", 2), ("b", None, 2)]
    assert [(switch.number, switch.truth) for switch in found.switches] == [(2, "a"), (3, "b")]
    assert str(found.switches[0].new) == "y a, because age is 40, at most 50"
    assert (found.turn.right, found.turn.better, found.turn.worse) == ((4, 2), 1, 3)
    json.dumps(found.to_dict())


def test_without_truth_nothing_is_right():
    """Data without labels, and programs of different targets, have no truth to compare with."""
    one = program(Rule("a", (AGE,)))
    assert compare_records(one, one, table([20]), table([20])).turn is None
    labelled = table([20], ["a"])
    assert compare_records(one, replace(one, target="z"), labelled, labelled).turn is None


def test_labels_are_compared_as_they_are_written():
    """The label 1 and the text '1' are no change; True and 1 are."""
    number, text, boolean = (program(Rule(label, (AGE,))) for label in (1, "1", True))
    assert compare_records(number, text, table([20]), table([20])).changed == 0
    assert compare_records(number, boolean, table([20]), table([20])).changed == 1


@settings(max_examples=30, deadline=None)
@given(programs(), programs(), st.lists(st.sampled_from([None, 0.0, 1.0, 2.5, "a", "é", "True"]), max_size=12))
def test_changes_are_those_of_predict(old, new, cells):
    """The changes are those between two predictions, written out."""
    records = Table(tuple(Column.of(name, cells) for name in "ntmb"), rows=len(cells))
    before, after = (np.array([str(label) for label in predict(one, records)], dtype=object) for one in (old, new))
    found = compare_records(old, new, records, records, most=100)
    assert [switch.number for switch in found.switches] == (np.flatnonzero(before != after) + 1).tolist()
    counts = Counter(zip(before[before != after], after[before != after], strict=True))
    assert {(str(old), str(new)): count for old, new, count in found.shifts} == counts
