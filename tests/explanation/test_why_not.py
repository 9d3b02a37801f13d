"""Why not another label: what stopped each rule that gives it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unless
from tests.explanation.examples import LOAN, RANGES, deep, programs, records
from unless.errors import UnknownNameError
from unless.explanation.why import why_not
from unless.rule import Literal, Program, Rule

LATE = {"income": 18400, "history": "late", "guarantor": None}


@pytest.mark.parametrize(
    ("record", "label", "text"),
    [
        (LATE, "accept", "loan refuse, not accept:\n  rule 2 asks that history is not late, but history is late"),
        (LATE, "ask", "loan refuse, not ask:\n  otherwise came too late: rule 1 decided first"),
        (LATE, "refuse", "loan refuse, indeed:\n  rule 1 decides"),
        (
            {**LATE, "guarantor": "yes"},
            "refuse",
            (
                "loan ask, not refuse:\n  rule 1 has an exception that applies: guarantor is yes; "
                "its own exception does not apply, because history is late, not missing"
            ),
        ),
        (
            {**LATE, "income": 5000, "history": "late"},
            "accept",
            (
                "loan refuse, not accept:\n  rule 2 asks that history is not late and income is above 10,000, "
                "but history is late and income is 5,000"
            ),
        ),
    ],
)
def test_what_stopped_a_rule(record, label, text):
    """Every failing condition is named, or the exception that applies, or the rule that came first."""
    assert str(why_not(LOAN, record, label)) == text


def test_a_range_that_stopped_a_rule():
    """Of a range that fails, both bounds are named: that is what the rule asks."""
    first, second = (why_not(RANGES, {"age": 50, "city": "Rome"}, label) for label in ("basic", "none"))
    asks = "age is above 30 and at most 40 and city is Oslo, but age is 50 and city is Rome"
    assert str(first) == f"plan extra, not basic:\n  rule 1 asks that {asks}"
    assert str(second).endswith("rule 2 asks that age is above 60 and at most 50, but age is 50")


def test_an_earlier_rule():
    """A rule that covers the record but comes too late is stopped by the one that decided."""
    program = Program("y", ("f",), (Rule("a"), Rule("b", (Literal("f", "present"),)), Rule("b")))
    answer = why_not(program, {"f": 1}, "b")
    assert [obstacle.first for obstacle in answer.obstacles] == [0, 0]
    assert str(answer).splitlines()[1:] == [f"  rule {k} came too late: rule 1 decided first" for k in (2, 3)]


@settings(deadline=None)
@given(programs, records, st.sampled_from("ABCD"))
def test_every_rule_of_the_label_is_stopped_by_something(program, record, label):
    """There is one true obstacle for each rule of the label, and only the deciding rule has none."""
    labels = [*(rule.head for rule in program), program.otherwise]
    if label not in labels:
        with pytest.raises(UnknownNameError):
            why_not(program, record, label)
        return
    answer = why_not(program, record, label)
    assert len(answer.obstacles) == labels.count(label)
    for obstacle in answer.obstacles:
        assert obstacle.stopped == (obstacle.number != program.decides(record))
        if obstacle.first is not None:
            assert obstacle.first == program.decides(record)
        elif obstacle.stopped:
            assert not program.rules[obstacle.number].covers(record)
        assert obstacle.reason()
    assert str(answer)
    json.dumps(answer.to_dict(), allow_nan=False)


def test_unknown_labels():
    """A label that no rule gives is refused, with the nearest one."""
    with pytest.raises(UnknownNameError, match="no rule gives the label 'acept'; did you mean 'accept'"):
        why_not(LOAN, LATE, "acept")
    with pytest.raises(UnknownNameError, match="there are none"):
        why_not(Program("y", ()), {}, "a")


def test_deep_and_hostile():
    """200 levels, and markup in the data, end in text."""
    assert "an exception of its own applies" in str(why_not(deep(), {"x": 0}, "yes"))
    program = Program("<b>", ("<i>",), (Rule("<script>", (Literal("<i>", "==", "</style>"),)),))
    html = why_not(program, {"<i>": None}, "<script>")._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert unless.explain(program, {"<i>": None}).label is None
