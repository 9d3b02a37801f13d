"""Programs and records for the tests of explanations: an example to read, random small ones, and a very deep one."""

from __future__ import annotations

from hypothesis import strategies as st

from unless.rule import Literal, Program, Rule

__all__ = ["LOAN", "RANGES", "REPEATING", "deep", "programs", "records"]

LOAN = Program(
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

REPEATING = Program(
    "y",
    ("income", "city"),
    (
        Rule(
            "a",
            (Literal("income", "missing"), Literal("income", "missing")),
            (
                Rule(None, (Literal("income", "<=", 5.0),)),
                Rule(None, (Literal("income", "<=", 9.0),)),
                Rule(None, (Literal("city", "missing"), Literal("income", "<=", 5.0))),
                Rule(None, (Literal("city", "missing"), Literal("income", ">", 9.0))),
                Rule(None, (Literal("city", "missing"), Literal("income", "missing"))),
            ),
        ),
    ),
    "b",
)
"""Different exceptions that fail for equal reasons."""

RANGES = Program(
    "plan",
    ("age", "city"),
    (
        Rule(
            "basic",
            (Literal("age", ">", 30.0), Literal("city", "==", "Oslo"), Literal("age", "<=", 40.0)),
            (
                Rule(None, (Literal("age", ">", 33.0), Literal("age", ">", 35.0), Literal("age", "<=", 36.0))),
                Rule(None, (Literal("age", "<=", 39.0), Literal("age", "<=", 32.0))),
            ),
        ),
        Rule("none", (Literal("age", ">", 60.0), Literal("age", "<=", 50.0))),
        Rule("extra", (Literal("age", "<=", 70.0), Literal("age", ">", 20.0))),
    ),
    "free",
)
"""Ranges: with another literal in between, with bounds that follow from tighter ones, and with no number in them."""

FEATURES = ("number", "category", "mixed")
numbers = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0])
categories = st.sampled_from(["a", "b", "c"])

literals = st.one_of(
    st.builds(Literal, st.sampled_from(["number", "mixed"]), st.sampled_from(["<=", ">"]), numbers),
    st.builds(Literal, st.sampled_from(["category", "mixed"]), st.sampled_from(["==", "!="]), categories),
    st.builds(Literal, st.sampled_from(FEATURES), st.sampled_from(["missing", "present"])),
)
defaults = st.lists(literals, max_size=3).map(tuple)
exceptions = st.recursive(
    st.builds(Rule, st.none(), defaults),
    lambda inner: st.builds(Rule, st.none(), defaults, st.lists(inner, max_size=2).map(tuple)),
    max_leaves=4,
)
rules = st.builds(Rule, st.sampled_from("ABC"), defaults, st.lists(exceptions, max_size=2).map(tuple))

programs = st.builds(
    Program, st.just("y"), st.just(FEATURES), st.lists(rules, max_size=5).map(tuple), st.sampled_from(["A", "D", None])
)
records = st.fixed_dictionaries(
    {
        "number": numbers | st.sampled_from([0.25, 7.0, None]),
        "category": categories | st.sampled_from(["other", None]),
        "mixed": numbers | categories | st.none(),
    }
)


def deep(levels: int = 200) -> Program:
    """A program with one rule that nests this deep; if x is 0, every level holds, and so is in the proof."""
    rule = None
    for level in range(levels, 1, -1):
        rule = Rule(None, (Literal("x", "<=", float(level)),), () if rule is None else (rule,))
    top = Rule("yes", (Literal("x", "<=", 1.0),), () if rule is None else (rule,))
    return Program("y", ("x",), (top,), "no")
