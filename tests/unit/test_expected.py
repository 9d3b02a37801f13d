"""What to expect of a rule on new records: less than in training, the more so the fewer records it decided."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unless.model import Statistics, interval


def trained(counts: list[list[float]], literals: tuple[int, ...], **more: object) -> Statistics:
    """What rules for the labels a, b, a, … and none decided of the classes a and b."""
    labels = (*("ab"[k % 2] for k in range(len(literals))), None)
    return Statistics(("a", "b"), labels, np.array(counts, np.float64), literals=literals, **more)  # type: ignore[arg-type]


counts = st.lists(st.lists(st.integers(0, 60), min_size=2, max_size=2), min_size=3, max_size=3).filter(
    lambda rows: sum(map(sum, rows)) > 0
)


@given(counts, st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_it_is_the_formula(rows: list[list[int]], literals: tuple[int, int]) -> None:
    """Precision in training mixed with what the label gets without the rule, as many records as the literals count."""
    found = trained(rows, literals)
    wrong = 1 - (rows[0][0] + rows[1][1]) / sum(map(sum, rows))
    assert found.doubt == pytest.approx(0.5 + 30 * wrong)
    assert replace(found, features=255).doubt == pytest.approx(2 * found.doubt)
    for rule in (0, 1):
        reaching, everything = np.sum(rows[rule:], axis=0), np.sum(rows, axis=0)
        chance = min(reaching[rule] / max(reaching.sum(), 1e-9), everything[rule] / everything.sum())
        added = found.doubt * max(literals[rule], 1)
        wanted = (rows[rule][rule] + added * chance) / (sum(rows[rule]) + added)
        assert found.expected_precision[rule] == pytest.approx(wanted)


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


def test_rules_that_are_learned_until_they_are_right_are_trusted_less() -> None:
    """Their errors in training, which there are none of, say nothing about noise."""
    rows = [[14.0, 0.0], [0.0, 100.0], [0.0, 0.0]]
    assert trained(rows, (3, 3), pure=True).expected_precision[0] < trained(rows, (3, 3)).expected_precision[0]


def test_counts_that_no_rule_was_searched_with_are_what_they_are() -> None:
    """Of new records the share is the expected one, with Wilson's interval."""
    found = Statistics(("a", "b"), ("a", None), np.array([[8.0, 2.0], [1.0, 1.0]]))
    assert found.expected_precision[0] == 0.8
    assert [end[0] for end in found.expected_between] == pytest.approx(list(interval(8, 10)))


def test_nobody_can_tell_of_nothing() -> None:
    """A rule that decided nothing, of which nothing is known, has no share; JSON has null."""
    found = Statistics(("a", "b"), ("a", None), np.array([[0.0, 0.0], [1.0, 1.0]]))
    assert np.isnan(found.expected_precision[0])
    assert found.expectation(0) == {"expected_precision": None, "between": [0.0, 1.0]}


def test_sums_over_all_rules_are_computed_once() -> None:
    """Whatever asks for the coverage of one rule after another adds up the counts of all rules a single time."""
    found = trained([[3, 1], [0, 2], [1, 1]], (1, 1))
    assert found.by_class is found.by_class
    assert found.support is found.support
    assert found.coverage is found.coverage
    assert found.total == 8
