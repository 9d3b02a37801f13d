"""What to expect of a rule on new records: less than in training, the more so the fewer records it decided."""

from __future__ import annotations

import tracemalloc
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unless.model.rule_statistics import RuleStatistics, wilson_interval


def trained(counts: list[list[float]], literals: tuple[int, ...], **more: object) -> RuleStatistics:
    """What rules for the labels a, b, a, … and none decided of the classes a and b."""
    labels = (*("ab"[k % 2] for k in range(len(literals))), None)
    return RuleStatistics(("a", "b"), labels, np.array(counts, np.float64), literals=literals, **more)  # type: ignore[arg-type]


counts = st.lists(st.lists(st.integers(0, 60), min_size=2, max_size=2), min_size=3, max_size=3).filter(
    lambda rows: sum(map(sum, rows)) > 0
)


@given(counts, st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_it_is_the_formula(rows: list[list[int]], literals: tuple[int, int]) -> None:
    """What the label gets without the rule, and as much of what the rule adds as is not what chance finds."""
    found = trained(rows, literals)
    for rule in (0, 1):
        reaching, everything = np.sum(rows[rule:], axis=0), np.sum(rows, axis=0)
        without = min(reaching[rule] / max(reaching.sum(), 1e-9), everything[rule] / everything.sum())
        decided, right = sum(rows[rule]), rows[rule][rule]
        gain = sum(
            count * log(count / decided / share)
            for count, share in ((right, without), (decided - right, 1 - without))
            if count
        )
        counted = max(literals[rule] or sum(literals) / 4, 1)
        believed = gain / (gain + 9 * sqrt(counted))
        wanted = without + believed * (right / decided - without) if decided else without
        assert found.expected_precision[rule] == pytest.approx(wanted, abs=1e-6)


@given(counts, counts, st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_it_lies_between_what_it_is_mixed_from(
    rows: list[list[int]], unseen: list[list[int]], literals: tuple[int, int]
) -> None:
    """Whatever was counted, the share is a share, and in its interval."""
    found = trained(rows, literals, unseen=np.array(unseen, np.float64))
    low, high = found.expected_between
    there = ~np.isnan(found.expected_precision)
    assert ((low <= found.expected_precision + 1e-12) & (found.expected_precision <= high + 1e-12))[there].all()
    assert (low >= 0).all()
    assert (high <= 1).all()


def test_fewer_records_and_more_literals_are_worth_less() -> None:
    """Of rules that are always right in training, less is expected of small ones and of long ones."""
    rows = [[14.0, 0.0], [0.0, 100.0], [300.0, 60.0]]
    small, large = trained(rows, (3, 3)).expected_precision[:2]
    long = trained(rows, (8, 3)).expected_precision[0]
    assert long < small < large < 1


def test_records_held_back_count() -> None:
    """A rule that is wrong for records held back is expected to be wrong; many of them outweigh training."""
    rows, none = [[100.0, 0.0], [0.0, 100.0], [0.0, 0.0]], [0.0, 0.0]
    before = trained(rows, (2, 2))
    some = trained(rows, (2, 2), unseen=np.array([[5.0, 5.0], none, none]))
    many = trained(rows, (2, 2), unseen=np.array([[500.0, 500.0], none, none]))
    assert before.expected_precision[0] > some.expected_precision[0] > many.expected_precision[0] > 0.5
    assert many.expected_precision[0] == pytest.approx(0.5, abs=0.02)
    assert np.diff(np.array(many.expected_between)[:, 0]) < np.diff(np.array(some.expected_between)[:, 0])


def test_of_a_rule_that_was_never_wrong_nobody_knows_that_it_will_be() -> None:
    """Its interval ends at 1; one record held back that it gets wrong changes that."""
    rows, none = [[14.0, 0.0], [0.0, 100.0], [300.0, 60.0]], [0.0, 0.0]
    assert trained(rows, (3, 3)).expected_between[1][0] == 1
    wrong = trained(rows, (3, 3), unseen=np.array([[9.0, 1.0], none, none]))
    assert wrong.expected_between[1][0] < 1


def test_rules_that_were_taught_are_trusted_more() -> None:
    """A teacher labels as many records as it takes, so that less of what a rule tells is chance."""
    rows = [[14.0, 0.0], [0.0, 100.0], [0.0, 0.0]]
    assert trained(rows, (3, 3), distilled=True).expected_precision[0] > trained(rows, (3, 3)).expected_precision[0]


def test_a_rule_for_one_of_many_labels_is_believed_where_chance_would_not_find_it() -> None:
    """Twenty of 24 records with a label that one in 26 has are no chance, whatever the other rules get wrong."""
    classes = tuple("abcdefghijklmnopqrstuvwxyz")
    counts = np.zeros((3, 26))
    counts[0, :2], counts[1] = (20, 4), 37
    found = RuleStatistics(classes, ("a", "b", None), counts, literals=(3, 0))
    assert found.expected_precision[0] > 0.6


def test_counts_that_no_rule_was_searched_with_are_what_they_are() -> None:
    """Of new records the share is the expected one, with Wilson's interval."""
    found = RuleStatistics(("a", "b"), ("a", None), np.array([[8.0, 2.0], [1.0, 1.0]]))
    assert found.expected_precision[0] == 0.8
    assert [end[0] for end in found.expected_between] == pytest.approx(list(wilson_interval(8, 10)))


def test_nobody_can_tell_of_nothing() -> None:
    """A rule that decided nothing, of which nothing is known, has no share; JSON has null."""
    found = RuleStatistics(("a", "b"), ("a", None), np.array([[0.0, 0.0], [1.0, 1.0]]))
    assert np.isnan(found.expected_precision[0])
    assert found.expectation(0) == {"expected_precision": None, "between": [0.0, 1.0]}


def test_sums_over_all_rules_are_computed_once() -> None:
    """Whatever asks for the coverage of one rule after another adds up the counts of all rules a single time."""
    found = trained([[3, 1], [0, 2], [1, 1]], (1, 1))
    assert found.by_class is found.by_class
    assert found.support is found.support
    assert found.coverage is found.coverage
    assert found.total == 8


@given(counts, counts, st.lists(st.booleans(), min_size=3, max_size=3))
def test_what_reaches_a_rule_is_what_those_before_it_leave(
    rows: list[list[int]], others: list[list[int]], known: list[bool]
) -> None:
    """A label without a rule gets its share among the records that reach the rule, or among all, if that is less."""
    counted = np.where(np.array(known)[:, None], np.array(rows, np.float64), np.nan)
    unmeasured = None if all(known) else np.sum(others, axis=0, dtype=np.float64)
    found = trained(counted.tolist(), (1, 1), unmeasured=unmeasured).without_rule
    everything = np.nansum(counted, axis=0) + (0 if unmeasured is None else unmeasured)
    for rule in (0, 1):
        reaching = np.maximum(everything - np.sum(counted[:rule], axis=0), 0)  # NaN if one before it has no counts
        wanted = min(reaching[rule] / max(reaching.sum(), 1e-9), everything[rule] / max(everything.sum(), 1e-9))
        if not np.isnan(reaching).any() and known[rule]:
            assert found[rule] == pytest.approx(wanted)
        assert np.isnan(found[rule]) == (not all(known[: rule + 1]))


def test_many_labels_need_room_for_their_counts_once() -> None:
    """With as many rules as labels the counts are large, and what is expected is found without copies of them."""
    size = 600
    numbers = np.eye(size + 1, size) * 3
    tracemalloc.start()
    try:
        found = RuleStatistics(tuple(range(size)), (*range(size), None), numbers, literals=(1,) * size)
        assert len(found.expected_between[0]) == size + 1
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < numbers.nbytes / 2
