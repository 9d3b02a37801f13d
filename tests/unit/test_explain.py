"""Explanations: the reasons of decisions, in words."""

from __future__ import annotations

import pytest

import unless
from unless.errors import UnknownNameError
from unless.rule import Literal, Program, Rule

PROGRAM = Program(
    "loan",
    ("income", "history", "guarantor"),
    (
        Rule(
            "refuse",
            (Literal("income", "<=", 21000.0), Literal("history", "==", "late")),
            (Rule(None, (Literal("guarantor", "==", "yes"),), (Rule(None, (Literal("history", "missing"),)),)),),
        ),
        Rule("accept", (Literal("history", "!=", "late"), Literal("income", ">", 10000.0))),
    ),
    "ask",
)


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (
            {"income": 18400, "history": "late", "guarantor": None},
            "loan refuse, because income is 18400.0, at most 21000.0 and history is 'late'; "
            "the exception does not apply, because guarantor is missing, not 'yes'",
        ),
        (
            {"income": 30000, "history": "good", "guarantor": "no"},
            "loan accept, because history is 'good', not 'late' and income is 30000.0, above 10000.0",
        ),
        ({"income": 18400, "history": "late", "guarantor": "yes"}, "loan ask, because no rule applies"),
        ({"income": None, "history": None, "guarantor": None}, "loan ask, because no rule applies"),
    ],
)
def test_reasons(record, text):
    """A reason names what the record has, what was asked, and why exceptions do not apply."""
    proof = unless.explain(PROGRAM, record)
    assert str(proof) == text
    assert proof.label == PROGRAM.label(record)
    assert proof.decided == PROGRAM.decides(record)


def test_a_proof_holds_every_test():
    """All literals of a tried rule are tested, and the exceptions of those whose default holds."""
    proof = unless.explain(PROGRAM, {"income": 18400, "history": "late", "guarantor": "yes"})
    first, second = proof.tried
    assert [test.holds for test in first.tests] == [True, True]
    assert not first.covers
    assert first.exceptions[0].covers
    assert "but an exception applies, because guarantor is 'yes'" in first.reason()
    assert [test.holds for test in second.tests] == [False, True]
    assert second.reason() == "history is 'late'"


def test_undecided():
    """Where no rule applies and there is no other label, that is said."""
    program = Program("loan", PROGRAM.features, PROGRAM.rules)
    assert str(unless.explain(program, dict.fromkeys(PROGRAM.features))) == "loan is not decided: no rule applies"


def test_a_record_without_a_feature():
    """A record that lacks a used feature is refused, with the nearest name."""
    with pytest.raises(UnknownNameError, match="uses 'income', which the record lacks; did you mean 'incom'"):
        unless.explain(PROGRAM, {"incom": 1, "history": "", "guarantor": ""})
