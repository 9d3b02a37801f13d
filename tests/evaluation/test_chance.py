"""Could it be chance? The exact test of two shares, and what many tests allow, against slow obvious twins."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unless.evaluation.significance import adjust_p_values, share_p_value

sizes = st.integers(0, 40)


def naive(count: int, total: int, others: int, other_total: int) -> Fraction:
    """Twice the smaller tail, by counting the ways to draw."""
    marked, everything = count + others, total + other_total
    ways = {
        x: comb(marked, x) * comb(everything - marked, total - x)
        for x in range(max(0, marked - other_total), min(marked, total) + 1)
    }
    all_ways = sum(ways.values())
    upper = Fraction(sum(many for x, many in ways.items() if x >= count), all_ways)
    lower = Fraction(sum(many for x, many in ways.items() if x <= count), all_ways)
    return min(Fraction(1), 2 * (upper if count * other_total >= others * total else lower))


@given(sizes, sizes, st.data())
def test_is_fishers_exact_test(total, other_total, data):
    """The probability is that of Fisher's exact test, twice the tail on the side of the difference."""
    count, others = data.draw(st.integers(0, total)), data.draw(st.integers(0, other_total))
    assert share_p_value(count, total, others, other_total) == pytest.approx(
        float(naive(count, total, others, other_total))
    )


@given(sizes, sizes, st.data())
def test_both_samples_are_alike_to_it(total, other_total, data):
    """It does not matter which sample comes first."""
    count, others = data.draw(st.integers(0, total)), data.draw(st.integers(0, other_total))
    one, other = share_p_value(count, total, others, other_total), share_p_value(others, other_total, count, total)
    assert one == pytest.approx(other)


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_small_counts_raise_no_more_alarms_than_asked(share):
    """Of samples that are alike, at most 5 % are below 5 %, also where only a handful is counted."""
    random = np.random.default_rng(0)
    pairs = zip(random.binomial(30, share, 4000), random.binomial(90, share, 4000), strict=True)
    assert np.mean([share_p_value(one, 30, other, 90) <= 0.05 for one, other in pairs]) <= 0.05


def test_large_samples_take_no_longer_and_stay_exact():
    """A billion records are as quick as ten; a small difference between them is found."""
    assert share_p_value(5e8, 1e9, 5e8, 1e9) == pytest.approx(1.0)
    assert share_p_value(5e8, 1e9, 5.002e8, 1e9) < 1e-10
    assert 0 <= share_p_value(0, 1e9, 1e9, 1e9) < 1e-300


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_is_what_the_book_says(chances):
    """The k-th smallest of n is multiplied by n - k + 1, and none is below the one before it."""
    ordered = sorted(chances)
    wanted = {}
    for place, chance in enumerate(ordered):
        before = wanted[ordered[place - 1]] if place else 0.0
        wanted.setdefault(chance, max(before, min(1.0, (len(chances) - place) * chance)))
    assert adjust_p_values(chances) == pytest.approx([wanted[chance] for chance in chances])
