"""Whether a program keeps constraints is decided exactly."""

from __future__ import annotations

from math import nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.learn.test_constraints import broken
from unless import Constraints, Literal, Monotone, Program, Rule, violations
from unless.errors import ParameterError
from unless.evaluation import constraint_check as judged
from unless.evaluation.constraint_check import is_monotone_by_literals
from unless.values.notation import DATE, LevelNotation

VALUES = {
    "x": [0.0, 1.0, 2.0, 3.0, "a", "b", "another", None],
    "z": [0.0, 1.0, 2.0, None],
    "c": ["a", "b", "another", None],
}
LITERALS = [
    *(Literal(name, op, float(k)) for name, most in (("x", 3), ("z", 2)) for op in ("<=", ">") for k in range(most)),
    *(Literal(name, op, text) for name in ("x", "c") for op in ("==", "!=") for text in "ab"),
    *(Literal(name, op) for name in "xzc" for op in ("missing", "present")),
]
DEFAULTS = st.lists(st.sampled_from(LITERALS), min_size=0, max_size=3).map(tuple)
PARTS = st.recursive(
    st.builds(Rule, st.none(), DEFAULTS),
    lambda inner: st.builds(Rule, st.none(), DEFAULTS, st.lists(inner, max_size=2).map(tuple)),
    max_leaves=4,
)
LABELS = st.sampled_from("pqr")
RULES = st.builds(lambda head, part: Rule(head, part.default, part.exceptions), LABELS, PARTS)
PROGRAMS = st.builds(
    lambda rules, otherwise: Program("y", ("x", "z", "c"), tuple(rules), otherwise),
    st.lists(RULES, max_size=5),
    LABELS | st.none(),
)
WISHES = st.builds(Monotone, st.sampled_from("xz"), st.sampled_from(["more", "less"]), LABELS)


@given(PROGRAMS, WISHES)
@settings(max_examples=400, deadline=None)
def test_directions_by_brute_force(program, wish):
    """A program breaks a direction exactly if two of all records do; those that are shown do."""
    found = violations(program, Constraints(monotone=[wish]))
    assert bool(found) == (broken(program, wish, VALUES) is not None)
    for one in found:
        low, high = one.records
        assert low[wish.feature] < high[wish.feature]
        assert {k: v for k, v in low.items() if k != wish.feature} == {
            k: v for k, v in high.items() if k != wish.feature
        }
        said = [program.label(low), program.label(high)]
        before, after = said if wish.direction == "more" else said[::-1]
        assert before != wish.label
        assert after == wish.label


@given(PROGRAMS, WISHES)
@settings(max_examples=200, deadline=None)
def test_literals_that_show_it_are_right(program, wish):
    """Where the literals alone show that a direction is kept, it is: that is what learners rely on."""
    if is_monotone_by_literals(program, wish):
        assert broken(program, wish, VALUES) is None


@given(PROGRAMS)
@settings(max_examples=100, deadline=None)
def test_what_rules_look_like(program):
    """Features, pairs, literals and levels are counted rule by rule, exceptions included."""
    asked = Constraints(never="c", only_exceptions="z", max_literals=2, max_depth=1)
    expected = set()
    for number, rule in enumerate(program, 1):
        if any(one.feature == "c" for one in rule.literals()):
            expected.add(number)
        if any(one.feature == "z" for one in rule.default) or rule.depth > 2 or _longest(rule) > 2:
            expected.add(number)
    assert {one.rule for one in violations(program, asked)} == expected


def _longest(rule):
    return max(len(rule.default), *map(_longest, rule.exceptions)) if rule.exceptions else len(rule.default)


def test_pairs():
    """A pair is not apart if one is in the default and the other in an exception."""
    rule = Rule("p", (Literal("x", ">", 1.0),), (Rule(None, (Literal("z", ">", 1.0),)),))
    program = Program("y", ("x", "z"), (rule,), "q")
    assert (
        str(violations(program, Constraints(apart=[("z", "x")]))[0]) == "rule 1 tests 'z' and 'x', which must be apart"
    )


def test_negations_and_cuts():
    """Each literal with a negation or another threshold is said; below 18 is a threshold at 18, too."""
    below = nextafter(18.0, 0.0)
    rule = Rule("p", (Literal("x", "<=", 18.0), Literal("z", "<=", below)), (Rule(None, (Literal("c", "!=", "a"),)),))
    program = Program("y", ("x", "z", "c"), (rule, Rule("q", (Literal("x", "present"),))), "q")
    said = [str(one) for one in violations(program, Constraints(no_negation=True, only_cuts={"x": [17], "z": [18]}))]
    assert said == [
        "rule 1 says x <= 18, whose threshold is not one of only_cuts",
        "rule 1 says c is not 'a', but no rule may say 'is not' or 'is present'",
        "rule 2 says x is present, but no rule may say 'is not' or 'is present'",
    ]
    day = DATE.value(DATE.number("2020-08-01"))
    program = Program("y", ("x",), (Rule("p", (Literal("x", ">", day),)),), "q")
    assert violations(program, Constraints(only_cuts={"x": ["2020-08-01"]})) == ()
    assert len(violations(program, Constraints(only_cuts={"x": ["2020-08-02"]}))) == 1


def test_words():
    """A violation is said with two records."""
    rules = (Rule("no", (Literal("x", ">", 1.5), Literal("c", "==", "a"))),)
    (found,) = violations(Program("y", ("x", "c"), rules, "yes"), Constraints(monotone="x: more never no"))
    assert str(found).startswith("x: more never no: with x 1.5 it is 'yes', with 1.5000000000000002 'no'")
    assert str(found).endswith("where all else is the same: c 'a'")


@pytest.mark.parametrize(
    ("value", "above"),
    [(DATE.value(DATE.number("2020-08-01")), "2020-08-02"), (LevelNotation(("S", "M", "L")).value(1.0), "L")],
)
def test_notations(value, above):
    """Dates and levels of an order are more or less, and are shown as such."""
    rules = (Rule("no", (Literal("x", ">", value),)),)
    (found,) = violations(Program("y", ("x",), rules, "yes"), Constraints(monotone="x: more never no"))
    assert str(found.records[1]["x"]) == above
    assert violations(Program("y", ("x",), rules, "yes"), Constraints(monotone="x: less never no")) == ()


def test_infinity():
    """Nothing is above infinity."""
    rules = (Rule("no", (Literal("x", ">", float("inf")),)), Rule("no", (Literal("x", "<=", float("-inf")),)))
    program = Program("y", ("x",), rules, "yes")
    assert violations(program, Constraints(monotone="x: more never no")) == ()
    assert len(violations(program, Constraints(monotone="x: less never no"))) == 1


def test_many_rules():
    """A list of hundreds of rules is decided, nested or not; what takes too long is said to be undecided."""
    rules = [
        Rule("ab"[k % 2], (Literal(f"f{k % 12}", "<=", float(k)), Literal(f"f{(k * 7) % 11}", ">", float(k % 13))))
        for k in range(300)
    ]
    program = Program("y", tuple(f"f{k}" for k in range(12)), tuple(rules), "a")
    (found,) = violations(program, Constraints(monotone="f3: more never b"))
    assert found.records is not None


def test_undecided(monkeypatch):
    """What cannot be decided in time is not taken for kept."""
    monkeypatch.setattr(judged, "_STEPS", 0)
    first = Rule("b", (Literal("z", ">", 1.0),), (Rule(None, (Literal("x", ">", 1.0),)),))
    second = Rule("a", (Literal("x", "<=", 1.0),))
    program = Program("y", ("x", "z"), (first, second), "b")
    (found,) = violations(program, Constraints(monotone="x: more never b"))
    assert (found.records, "could not be decided" in str(found)) == (None, True)


def test_refused():
    """Violations are those of a program."""
    with pytest.raises(ParameterError, match="not for a str"):
        violations("rules", Constraints(max_depth=1))
