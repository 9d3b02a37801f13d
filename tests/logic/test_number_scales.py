"""Integers of clingo keep what comparisons and quotients of numbers say."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from unless.logic.number_scales import Scale, quotient_at_most

_NUMBERS = st.integers(-300, 300)


@given(_NUMBERS, st.integers(1, 20), st.sampled_from([1, 10, 1000]), st.sampled_from([1, 3, 20, 60]), st.booleans())
def test_the_greatest_quotient_below_a_limit(number, divisor, unit, parts, between):
    """A quotient is at most the limit as a float exactly if it is at most the fraction, for every small divisor."""
    limit = number / (divisor * unit) + (0.003 if between else 0)
    found = quotient_at_most(limit, unit, parts)
    assert found.denominator <= parts
    for other in range(1, parts + 1):
        near = round(limit * unit * other)
        for sum_ in range(near - 2, near + 3):
            assert (sum_ / (other * unit) <= limit) == (Fraction(sum_, other) <= found)


@given(_NUMBERS, _NUMBERS, st.sampled_from([0, 1, 3]), st.sampled_from(["<", "<=", ">", ">="]), st.booleans())
def test_integers_compare_as_numbers_do(number, limit, places, op, between):
    """A number of a fact is beyond a limit exactly if its integer is beyond the limit's."""
    value, bound = number / 10**places, limit / 10**places + (0.0004 if between else 0)
    holds = {"<": value < bound, "<=": value <= bound, ">": value > bound, ">=": value >= bound}[op]
    for scale in (Scale(places), Scale(None, tuple(sorted({value, limit / 10**places})))):
        sign, code = scale.compared(op, bound)
        own = scale.code(value)
        assert {"<": own < code, ">=": own >= code}[sign] == holds
