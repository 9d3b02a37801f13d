"""Proofs: what a program did with a record, whole, immutable and quick."""

from __future__ import annotations

import itertools
import pickle
import timeit
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given, settings

import unless
from tests.explanation.examples import LOAN, RANGES, deep, programs, records
from unless.errors import UnknownNameError
from unless.explanation.why import _TRUTH, explain
from unless.rule import Literal, Program, Rule
from unless.values import cell_value

LATE = {"income": 18400, "history": "late", "guarantor": None}


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (
            LATE,
            (
                "loan refuse, because income is 18,400, at most 21,000, and history is late; "
                "the exception does not apply, because guarantor is missing, not yes"
            ),
        ),
        (
            {"income": 30000, "history": "good", "guarantor": "no"},
            "loan accept, because history is good, not late, and income is 30,000, above 10,000",
        ),
        (
            {"income": 18400, "history": "late", "guarantor": "yes"},
            "loan ask, because no rule applies; rule 1 (refuse) would apply, but for an exception: guarantor is yes",
        ),
        ({"income": None, "history": None, "guarantor": None}, "loan ask, because no rule applies"),
    ],
)
def test_reasons(record, text):
    """A reason names what the record has, what was asked, and why exceptions do not apply."""
    proof = explain(LOAN, record)
    assert str(proof) == text
    assert proof.label == LOAN.label(record)
    assert proof.decided == LOAN.decides(record)


WHALE = Program(
    "habitat",
    ("mammal", "whale", "bat"),
    (
        Rule(
            "land",
            (Literal("mammal", "==", "yes"),),
            (Rule(None, (Literal("whale", "==", "yes"),)), Rule(None, (Literal("bat", "==", "yes"),))),
        ),
        Rule("water", (Literal("whale", "==", "no"),), (Rule(None, ()),)),
        Rule("water", (Literal("mammal", "==", "yes"),)),
    ),
)


@pytest.mark.parametrize(
    ("age", "first", "second"),
    [
        (30, "age is 30, at most 30", "age is 30, at most 60"),
        (50, "age is 50, above 40", "age is 50, at most 60"),
        (55, "age is 55, above 40", "age is 55, at most 60 and above 50"),  # both bounds of an empty range fail
        (61, "age is 61, above 40", "age is 61, above 50"),
        (None, "age is missing", "age is missing"),
        ("old", "age is old, not a number", "age is old, not a number"),
    ],
)
def test_reasons_against_ranges(age, first, second):
    """Of a range that fails, the sentence tells the bound that fails."""
    proof = explain(RANGES, {"age": age, "city": "Oslo"})
    assert list(map(str, proof.tried[:2])) == [first, second]


def test_reasons_for_ranges():
    """A range that holds is told whole, once, where its first literal is."""
    assert str(explain(RANGES, {"age": 34, "city": "Oslo"})) == (
        "plan basic, because age is 34, above 30 and at most 40, and city is Oslo; "
        "no exception applies, because age is 34, at most 35, and age is 34, above 32"
    )


def test_a_reason_tells_what_stopped_an_earlier_rule():
    """The exception that kept an earlier rule from giving another label is part of the reason."""
    whale = explain(WHALE, {"mammal": "yes", "whale": "yes", "bat": "no"})
    why = "habitat water, because mammal is yes; rule 1 (land) would apply, but for an exception: "
    assert str(whale) == f"{why}whale is yes"
    bat = explain(WHALE, {"mammal": "yes", "whale": "no", "bat": "yes"})
    assert str(bat) == f"{why}bat is yes"  # rule 2 has an exception that applies too, but gives the same label
    assert str(explain(WHALE, {"mammal": "no", "whale": "no", "bat": "no"})) == (
        "habitat is not decided: no rule applies; rule 2 (water) would apply, but for an exception: it always applies"
    )


def test_a_reason_tells_of_three_stopped_rules_at_most():
    """If exceptions stopped very many rules, the sentence counts the rest."""
    rule = Rule("a", (), (Rule(None, (Literal("x", "present"),)),))
    proof = explain(Program("y", ("x",), (rule,) * 5, "b"), {"x": 1})
    assert str(proof).count("would apply, but for an exception: x is 1") == 3
    assert str(proof).endswith("; so would 2 more rules")


def test_a_proof_holds_every_check():
    """All literals of a tried rule are checked and, if they hold, its exceptions."""
    proof = explain(LOAN, {"income": 18400, "history": "late", "guarantor": "yes"})
    first, second = proof.tried
    assert [check.holds for check in first.checks] == [True, True]
    assert not first.covers
    assert first.exceptions[0].covers
    assert first.reason() == (
        "although income is 18,400, at most 21,000, and history is late, an exception applies: "
        "guarantor is yes; its own exception does not apply, because history is late, not missing"
    )
    assert [check.holds for check in second.checks] == [False, True]
    assert second.reason() == "history is late"
    assert proof.rule is None
    assert proof.features == ("income", "history", "guarantor")


def test_the_features_that_mattered():
    """What mattered is what the deciding rule and its exceptions looked at."""
    assert explain(LOAN, {"income": 30000, "history": "good", "guarantor": "no"}).features == ("income", "history")
    assert explain(LOAN, LATE).features == LOAN.features


@settings(deadline=None)
@given(programs, records)
def test_proofs_agree_with_the_program(program, record):
    """The decision of a proof is the program's, every check is what the literal says, and so is every rule's."""
    proof = explain(program, record)
    assert proof.label == program.label(record)
    assert proof.decided == program.decides(record)
    assert len(proof.tried) == (len(program) if proof.decided is None else proof.decided + 1)
    for tried, rule in zip(proof.tried, program.rules, strict=False):
        assert tried.rule == rule
        assert tried.covers == rule.covers(record)
        for check in tried.every_check():
            assert check.holds == check.literal.holds(record[check.literal.feature])


def test_one_truth():
    """The quick truth of a literal on a value is `Literal.holds`, on every kind of value and operator."""
    wanted = {
        "<=": [0.0, 1.0],
        ">": [0.0, 1.0],
        "==": ["a", "1"],
        "!=": ["a", "1"],
        "missing": [None],
        "present": [None],
    }
    cells = [-0.0, 0, 1, 1.5, float("inf"), float("nan"), None, "a", "1", "", True]
    for op, cell in itertools.product(wanted, cells):
        for value in wanted[op]:
            literal = Literal("f", op, value)
            assert _TRUTH[op](cell_value(cell), literal.value) is literal.holds(cell), (literal, cell)


def test_undecided():
    """If no rule applies and there is no other label, the proof says so."""
    program = Program("loan", LOAN.features, LOAN.rules)
    proof = explain(program, dict.fromkeys(LOAN.features))
    assert str(proof) == "loan is not decided: no rule applies"
    assert proof.label is None


def test_an_empty_program():
    """A program without rules decides nothing, and says so."""
    assert str(explain(Program("y", ()), {})) == "y is not decided: no rule applies"
    assert str(explain(Program("y", (), (), 1), {"extra": 1})) == "y 1, because no rule applies"


def test_a_rule_without_conditions():
    """A rule without literals is the default; an exception without literals always applies."""
    assert str(explain(Program("y", (), (Rule("a"),)), {})) == "y a, because it is the default"
    excepted = Rule("a", (), (Rule(None, (), (Rule(None),)),))
    assert str(explain(Program("y", (), (excepted,)), {})) == (
        "y a, because it is the default; the exception does not apply, "
        "because although it always applies, an exception of its own applies: it always applies"
    )


def test_a_record_without_a_feature():
    """A record without a feature that the program uses is refused, with the nearest name."""
    with pytest.raises(UnknownNameError, match="uses 'income', which the record does not have; did you mean 'incom'"):
        explain(LOAN, {"incom": 1, "history": "", "guarantor": ""})


def test_columns_that_do_not_matter():
    """Unused features may be absent, and other columns are ignored."""
    program = Program("y", ("f", "unused"), (Rule("a", (Literal("f", "==", "x"),)),))
    proof = explain(program, {"f": "x", "another": object()})
    assert proof.record == {"f": "x"}
    assert proof.label == "a"


def test_proofs_are_values():
    """A proof cannot be changed, equals the proof of the same record, and survives hashing and pickling."""
    proof = explain(LOAN, LATE)
    again = explain(LOAN, {**LATE, "income": 18400.0})
    assert proof == again
    assert hash(proof) == hash(again)
    assert proof != explain(LOAN, {**LATE, "guarantor": "no"})
    assert pickle.loads(pickle.dumps(proof)) == proof
    assert repr(proof).startswith("<Proof: loan refuse")
    proof.record["income"] = 0.0
    assert proof == again
    with pytest.raises(FrozenInstanceError):
        proof.label = "accept"
    with pytest.raises(AttributeError):
        proof.tried[0].covers = False


def test_deep_nesting():
    """Exceptions nest 200 deep; deeper programs are refused when they are made."""
    program = deep(200)
    proof = explain(program, {"x": 0})
    assert proof.label == program.label({"x": 0}) == "no"
    assert len(list(proof.tried[0].every_check())) == 200
    with pytest.raises(unless.UnlessError, match="200 is the limit"):
        deep(201)


def test_speed():
    """A whole proof over 20 rules, 90 checks, takes well under a millisecond (0.1 ms; slack for busy machines)."""
    exception = Rule(None, (Literal("f3", ">", 1.0), Literal("f4", ">", 0.0)))
    rule = Rule("a", (Literal("f0", "<=", 1.0), Literal("f1", "!=", "x"), Literal("f2", ">", 9.0)), (exception,) * 2)
    program = Program("y", tuple(f"f{k}" for k in range(20)), (rule,) * 20)
    record = {f"f{k}": 0.5 for k in range(20)}
    assert min(timeit.repeat(lambda: explain(program, record), number=20, repeat=5)) / 20 < 1e-3
