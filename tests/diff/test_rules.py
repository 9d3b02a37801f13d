"""Programs side by side: which rule became which."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import chain, noted_cases, programs
from unless import Literal, Program, Rule
from unless.diff.rule_changes import MIN_SIMILARITY, _similarity, compare_rules
from unless.values.notation import DATE, DAY, DURATION, FLAG, INSTANT, TIME, LevelNotation, NotatedNumber

AGE, CITY = Literal("age", "<=", 30), Literal("city", "==", "Oslo")
FEATURES = ("age", "city", "income")


def program(*rules: Rule, otherwise: str | None = None, features: tuple[str, ...] = FEATURES) -> Program:
    """A program for the target y."""
    return Program("y", features, rules, otherwise)


def statuses(old: Program, new: Program) -> list[tuple[str, int | None, int | None]]:
    """What happened to the rules."""
    return [(edit.status, edit.old_number, edit.new_number) for edit in compare_rules(old, new).rules]


def test_the_order_of_literals_and_exceptions_does_not_matter():
    """Rules that say the same in another order are kept."""
    inner = Rule(None, (CITY,)), Rule(None, (Literal("income", ">", 9),))
    old = program(Rule("a", (AGE, CITY), inner))
    new = program(Rule("a", (CITY, AGE), inner[::-1]))
    assert compare_rules(old, new).same
    assert compare_rules(old, new).counts == {"kept": 1, "moved": 0, "changed": 0, "added": 0, "removed": 0}


def test_a_threshold_that_changed():
    """The same test with another value is one changed literal."""
    old, new = Rule("a", (AGE, CITY)), Rule("a", (replace(AGE, value=31.0), CITY))
    (edit,) = compare_rules(program(old), program(new)).rules
    assert edit.status == "changed"
    assert [(one.status, one.old, one.new) for one in edit.literals] == [
        ("changed", AGE, replace(AGE, value=31.0)),
        ("kept", CITY, CITY),
    ]


def test_literals_and_exceptions_that_came_and_went():
    """Within a rule, literals and exceptions are added, removed and changed, to any depth."""
    old = Rule("a", (AGE, CITY), (Rule(None, (Literal("income", ">", 9),), (Rule(None, (CITY,)),)),))
    new = Rule("a", (AGE, Literal("income", "present")), (Rule(None, (Literal("income", ">", 8),)),))
    (edit,) = compare_rules(program(old), program(new)).rules
    assert [one.status for one in edit.literals] == ["kept", "added", "removed"]
    (exception,) = edit.exceptions
    assert (exception.status, exception.literals[0].status) == ("changed", "changed")
    assert [inner.status for inner in exception.exceptions] == ["removed"]


def test_rules_of_other_labels_are_not_the_same_rule():
    """A rule that now gives another label was removed, and another one added."""
    found = statuses(program(Rule("a", (AGE,))), program(Rule("b", (AGE,))))
    assert sorted(found) == [("added", None, 0), ("removed", 0, None)]


def test_an_assignment_is_not_greedy():
    """A rule gives up its best counterpart if all pairs together are more alike that way."""
    tests = [Literal(name, ">", 0) for name in "pqrs"]
    old = Rule("a", tests[:3]), Rule("a", tests[:2])
    new = Rule("a", (*tests[:2], tests[3])), Rule("a", tests[2:3])
    likeness = _similarity(old, new)
    assert likeness[1, 0] == likeness.max()  # greedy would take these two, and leave the others alone
    features = tuple("pqrs")
    found = statuses(program(*old, features=features), program(*new, features=features))
    assert [pair for status, *pair in found if status == "changed"] == [[1, 0], [0, 1]]


def test_rules_that_say_the_same_stay_together():
    """Equal rules stay together, whatever other rules they are like."""
    old = Rule("a", (AGE, CITY)), Rule("a", (AGE,))
    new = Rule("a", (AGE, CITY)), Rule("a", (AGE, CITY, Literal("income", "present")))
    assert statuses(program(*old), program(*new))[0] == ("kept", 0, 0)


def test_what_moved():
    """A rule has moved if its order among the others changed; new rules before it do not move it."""
    a, b, c, d = (Rule("a", (Literal(name, "present"),)) for name in "abcd")
    features = tuple("abcd")
    first = program(a, b, c, features=features)
    inserted = compare_rules(first, program(d, a, b, c, features=features))
    assert inserted.counts == {"kept": 3, "moved": 0, "changed": 0, "added": 1, "removed": 0}
    turned = compare_rules(first, program(c, a, b, features=features))
    assert [edit.old_number for edit in turned.rules if edit.moved] == [2]
    assert not turned.same
    assert turned.counts["moved"] == 1


def test_removed_rules_stand_where_they_stood():
    """The list is in the new order; a removed rule comes after the rule that it followed."""
    a, b, c = (Rule("a", (Literal(name, "present"),)) for name in "abc")
    found = statuses(program(a, b, c, features=tuple("abc")), program(a, c, features=tuple("abc")))
    assert found == [("kept", 0, 0), ("removed", 1, None), ("kept", 2, 1)]


def test_other_features_targets_and_otherwise():
    """Features that came and went are named; another target or `otherwise` is a difference."""
    old = program(Rule("a", (AGE,)), otherwise="a")
    new = replace(old, features=("age", "town"), otherwise="b")
    found = compare_rules(old, new)
    assert (found.new_features, found.lost_features, found.same) == (("town",), ("city", "income"), False)
    assert not compare_rules(old, replace(old, target="z")).same
    assert compare_rules(old, replace(old, features=("age",))).same


@pytest.mark.parametrize(
    ("written", "typed"), [(["1.0", "2"], [1, 2]), (["0.5", "1e3"], [0.5, 1000.0]), (["TRUE", "false"], [True, False])]
)
def test_a_text_and_the_label_that_it_spells(written, typed):
    """A program of a text file and one of a data frame have the same labels, if the texts spell them."""
    text, data = (program(Rule(one, (AGE,)), Rule(other, (CITY,)), otherwise=one) for one, other in (written, typed))
    assert compare_rules(text, data).same
    assert compare_rules(data, text).same
    changed = replace(data, rules=(data.rules[0], Rule(typed[1], (CITY, AGE))))
    assert compare_rules(text, changed).counts == {"kept": 1, "moved": 0, "changed": 1, "added": 0, "removed": 0}
    assert not compare_rules(text, replace(data, otherwise=typed[1])).same
    assert not compare_rules(text, replace(data, otherwise=None)).same


def test_labels_that_only_look_alike():
    """The texts 1 and 1.0 are two labels, and so are 1 and True, and the text None and no label."""
    one, other, number, truth = (program(Rule(label, (AGE,))) for label in ("1", "1.0", 1, True))
    for pair in ((one, other), (number, truth), (program(otherwise="None"), program())):
        assert not compare_rules(*pair).same


def test_deep_rules():
    """Rules as deep as a program may be are compared."""
    old, new = (program(chain(200), features=("n", "t")) for _ in range(2))
    assert compare_rules(old, new).same
    deeper = program(replace(old.rules[0], default=(Literal("n", ">", 0.5),)), features=("n", "t"))
    assert compare_rules(old, deeper).counts["changed"] == 1
    json.dumps(compare_rules(old, deeper).to_dict())


@settings(max_examples=60, deadline=None)
@given(programs(), programs())
def test_every_rule_has_one_place(old, new):
    """Every rule of both programs is in the comparison once, and so is every literal of matched rules."""
    found = compare_rules(old, new)
    assert sorted(edit.old_number for edit in found.rules if edit.old_number is not None) == list(range(len(old)))
    assert [edit.new_number for edit in found.rules if edit.new_number is not None] == list(range(len(new)))
    for edit in found.rules:
        for rule, side in ((edit.old, "old"), (edit.new, "new")):
            literals = [getattr(one, side) for one in edit.literals]
            assert Counter(filter(None, literals)) == Counter(rule.default if rule else ())
    assert sum(found.counts.values()) == len(found.rules)
    assert (found.counts["added"], found.counts["removed"]) == tuple(
        compare_rules(new, old).counts[status] for status in ("removed", "added")
    )
    json.dumps(found.to_dict(), allow_nan=False)


@settings(max_examples=40, deadline=None)
@given(programs())
def test_a_program_is_the_same_as_itself(one):
    """A program does not differ from itself."""
    assert compare_rules(one, one).same


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from("pqrs"), max_size=3), min_size=1, max_size=4), st.randoms())
def test_no_other_matching_is_more_alike(names, random):
    """All pairs together are as alike as any matching makes them (a naive search over all of them)."""
    old = [Rule("a", tuple(Literal(name, ">", k) for k, name in enumerate(one))) for one in names]
    new = [Rule("a", tuple(Literal(random.choice("pqrs"), ">", 9) for _ in range(3))) for _ in old]
    found = compare_rules(program(*old, features=tuple("pqrs")), program(*new, features=tuple("pqrs")))
    likeness = _similarity(old, new)
    likeness[likeness < MIN_SIMILARITY] = 0
    best = max(sum(likeness[i, j] for i, j in enumerate(order)) for order in permutations(range(len(new))))
    pairs = [(edit.old_number, edit.new_number) for edit in found.rules if edit.old and edit.new]
    assert sum(likeness[pair] for pair in pairs) == pytest.approx(best, abs=1e-4)


SIZES = LevelNotation(("S", "M", "L"))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (date(2020, 8, 1), date(2020, 9, 1), ["2020-08-01", "2020-09-01"]),
        (date(2020, 8, 1), datetime(2020, 8, 1, 12, 30, tzinfo=UTC), ["2020-08-01", "2020-08-01 12:30Z"]),
        (timedelta(hours=2), timedelta(hours=3), ["2 h", "3 h"]),
        (NotatedNumber(0, SIZES), NotatedNumber(1, SIZES), ["S", "M"]),
        (NotatedNumber(0, FLAG), 0.5, [0.0, 0.5]),
    ],
)
def test_a_threshold_that_changed_is_said_as_it_is_written(before, after, said):
    """A date that became another date, with or without a time, is one changed literal; JSON has the dates as text."""
    old, new = Rule("a", (CITY, Literal("age", ">", before))), Rule("a", (CITY, Literal("age", ">", after)))
    (edit,) = compare_rules(program(old), program(new)).rules
    assert [one.status for one in edit.literals] == ["kept", "changed"]
    assert [literal[2] for literal in (edit.literals[1].to_dict()[side] for side in ("old", "new"))] == said
    json.dumps(edit.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (NotatedNumber(1, DATE), 1.0),
        (NotatedNumber(1, DATE), 2.0),
        (NotatedNumber(1, DATE), NotatedNumber(1, DURATION)),
        (NotatedNumber(1, TIME), NotatedNumber(2, DURATION)),
        (NotatedNumber(1, SIZES), 1.0),
        (NotatedNumber(1, SIZES), NotatedNumber(1, LevelNotation(("L", "M", "S")))),
    ],
)
def test_thresholds_of_different_notations_are_not_compared(before, after):
    """A date is not the number of its microseconds, nor a level that of another order: one test went, another came."""
    old, new = Rule("a", (CITY, Literal("age", ">", before))), Rule("a", (CITY, Literal("age", ">", after)))
    assert not compare_rules(program(old), program(new)).same
    (edit,) = compare_rules(program(old), program(new)).rules
    assert [one.status for one in edit.literals] == ["kept", "added", "removed"]
    alone = [program(Rule("a", (Literal("age", ">", value),))) for value in (before, after)]
    assert [status for status, *_ in statuses(*alone)] == ["removed", "added"]


@pytest.mark.parametrize(
    ("before", "after"), [(NotatedNumber(0, FLAG), 0.0), (NotatedNumber(DAY, DATE), NotatedNumber(DAY, INSTANT))]
)
def test_the_same_number_written_otherwise(before, after):
    """A flag is a number, and a date the moment when it begins: the test is kept."""
    old, new = program(Rule("a", (Literal("age", ">", before),))), program(Rule("a", (Literal("age", ">", after),)))
    assert compare_rules(old, new).same


@given(noted_cases(), noted_cases())
@settings(deadline=None)
def test_any_two_programs_with_notations(old, new):
    """Programs in any notations are compared, each is the same as itself, and JSON can hold the difference."""
    found = compare_rules(old[0], new[0])
    assert sum(edit.old is not None for edit in found.rules) == len(old[0])
    json.dumps(found.to_dict(), allow_nan=False)
    assert compare_rules(old[0], old[0]).same
