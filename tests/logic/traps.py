"""Names and values that engines stumble over, and random programs and tables made of them."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from tests.strategies import noted_cases
from unless.rule import Literal, Program, Rule
from unless.table import Column, Table

NAMES = [
    *("not", "record", "rule1", "ab1", "text1", "label", "label_2", "X", "_", "", "1st", "?", "is", "length", "call"),
    *("forall", "A B", "a_b", "a b", "a b text", "a b present", "Größe", "日本", "it's", '"q"', "p(X) :- evil."),
    *("new\nline", "x\n:- evil.\n", "\0", "\ud800", "\r", '%: {"target":1}', "%*", "*%", "@(X)", "{record}", "#pred"),
    *("n" * 80 + "1", "n" * 80 + "2", "true", "true(X). evil(X)", "\u2028", "apple's\\", "false", "undecided3"),
    *("term_expansion", "goal_expansion", "inf", "sup", "mod", "rem", "prolog", "writef", "findall", "show", "defined"),
]
TEXTS = [
    *("", " ", "?", "U", "u", "yes", "1", "1.0", "not", "X", "text1", "text(1)", 'a"b', "a\\b", "a\nb", "a\\nb", "a'b"),
    *("\0", "a\0b", "\r", "\r\n", "\ud800", "\udfff", "é", "é", "😀", "%", "%*", "*%", "@(X)", "a). evil(b", "\t\x1b"),
    *("\u2028", "\ufeff", "inf", "nan", "true", "\\", '"', "'", '\\"', "a" * 300),
]
NUMBERS = [
    *(0.0, 1.0, -1.0, 0.1, 0.2, 0.1 + 0.2, 0.3, 2.5, 3.4, 3.41, 203.0, -203.5, 1e-9, 1e-10, 5e-324, 1e308, -1e308),
    *(math.inf, -math.inf, 2147483645.0, 2147483646.0, 2147483647.0, 2147483648.0, -2147483646.0, -2147483647.0),
    *(-2147483648.0, 214748364.6, 214748364.7, 9007199254740993.0, 1 / 3, math.nextafter(1 / 3, 1), 1e15 + 0.3),
]
LABELS = [st.sampled_from(TEXTS), st.sampled_from([0, 1, -5, 2**40, 1.0, 1.5, 1e300, math.inf, 2**31]), st.booleans()]

texts, numbers = st.sampled_from(TEXTS), st.sampled_from(NUMBERS)
noted = noted_cases(st.sampled_from(NAMES), texts)
"""The same traps where numbers are dates, times, durations, levels of an order or flags."""


@st.composite
def cases(draw: st.DrawFn) -> tuple[Program, Table]:
    """A program with traps for names, values and labels, and a table for it."""
    target, *features = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=6, unique=True))
    # few values per case, so that literals and cells meet
    some_texts = st.sampled_from(draw(st.lists(texts, min_size=1, max_size=4)))
    some_numbers = st.sampled_from(draw(st.lists(numbers, min_size=1, max_size=4)))
    names = st.sampled_from(features)
    literals = st.one_of(
        st.builds(Literal, names, st.sampled_from(["<=", ">"]), some_numbers),
        st.builds(Literal, names, st.sampled_from(["==", "!="]), some_texts),
        st.builds(Literal, names, st.sampled_from(["missing", "present"])),
    )
    defaults = st.lists(literals, max_size=3).map(tuple)
    exceptions = st.recursive(
        st.builds(Rule, st.none(), defaults),
        lambda inner: st.builds(Rule, st.none(), defaults, st.lists(inner, max_size=2).map(tuple)),
        max_leaves=4,
    )
    labels = draw(st.sampled_from(LABELS))
    rules = st.builds(Rule, labels, defaults, st.lists(exceptions, max_size=2).map(tuple))
    program = Program(target, tuple(features), tuple(draw(st.lists(rules, max_size=7))), draw(st.none() | labels))
    cell = st.one_of(some_texts, some_numbers, st.none(), texts, numbers)
    rows = draw(st.lists(st.tuples(*[cell] * len(features)), max_size=8))
    columns = [Column.of(name, [row[place] for row in rows]) for place, name in enumerate(features)]
    return program, Table(tuple(columns))


def everything() -> tuple[Program, Table]:
    """One program that tests every name with every value of every kind, and a table of all values."""
    rules = []
    for place, name in enumerate(NAMES):
        text, number = TEXTS[place % len(TEXTS)], NUMBERS[place % len(NUMBERS)]
        inner = Rule(None, (Literal(name, "==", text),), (Rule(None, (Literal(name, "missing"),)),))
        rules.append(Rule(text, (Literal(name, "<=", number), Literal(name, ">", -number)), (inner,)))
        rules.append(Rule(text, (Literal(name, "==", text),)))
    cells = [*TEXTS, *NUMBERS, None]
    columns = [
        Column.of(name, [cells[(row + 7 * place) % len(cells)] for row in range(len(cells))])
        for place, name in enumerate(NAMES)
    ]
    return Program("Not", tuple(NAMES), tuple(rules), "the rest"), Table(tuple(columns))
