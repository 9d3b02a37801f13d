"""Dates, times, durations, levels and flags: engines decide on them as `predict` does, texts say them as people do."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import unless
from tests.logic.test_fuzz import derived as read_and_derived
from tests.logic.test_prolog import derived
from tests.logic.traps import noted
from tests.strategies import noted_numbers
from unless.errors import ProgramError
from unless.export import to_text
from unless.logic import from_clingo, run_clingo, to_clingo, to_prolog
from unless.logic.clingo_runner import import_clingo as engine
from unless.logic.predicates import sorted_number, sorted_text
from unless.rule import Literal, Program, Rule
from unless.table import Column, Table
from unless.values.notation import (
    DATE,
    DATETIME,
    DURATION,
    FLAG,
    INSTANT,
    TIME,
    DateNotation,
    LevelNotation,
    NotatedNumber,
)

pytestmark = pytest.mark.usefixtures("clingo")

SIZES = LevelNotation(("S", "M", "L"))


def loans() -> Program:
    """A program with a test in every notation."""
    opened = Literal("opened", ">", date(2020, 8, 1))
    size = Literal("size", ">", NotatedNumber(0, SIZES)), Literal("size", "<=", NotatedNumber(1, SIZES))
    wait = Literal("wait", ">", timedelta(days=2, hours=3))
    paid = Literal("paid", "<=", datetime(2020, 8, 1, 14, 30, tzinfo=UTC))
    rules = (
        Rule("yes", (opened, *size)),
        Rule(
            "no",
            (wait, Literal("senior", ">", NotatedNumber(0, FLAG))),
            (Rule(None, (Literal("at", "<=", time(12, 30)),)),),
        ),
        Rule("yes", (paid, Literal("age", ">", 2.5))),
    )
    return Program("loan", ("opened", "size", "wait", "senior", "at", "paid", "age"), rules, "no")


def records() -> Table:
    """Records for these loans, some cells as text, some missing."""
    moments = [datetime(2020, 8, 1, 14, 30, tzinfo=UTC), datetime(2020, 8, 1, 14, 30, 0, 1, tzinfo=UTC), None]
    return Table(
        (
            Column.of("opened", ["2020-08-02", "soon", None]),
            Column.of("size", ["M", "XXL", "L"]),
            Column.of("wait", [timedelta(days=2, hours=3), timedelta(days=2, hours=3, microseconds=1), timedelta(-1)]),
            Column.of("senior", [0, 1, 1]),
            Column.of("at", [time(12, 30), time(12, 30, 0, 5), None]),
            Column.of("paid", moments),
            Column.of("age", [2.5, 3, 30]),
        )
    )


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(noted)
def test_clingo_agrees_in_every_notation(case):
    """The labels are those predicted, and the program reads back with the same notations, whatever the levels are."""
    program, table = case
    assert run_clingo(program, table).tolist() == unless.predict(program, table).tolist()
    back = from_clingo(to_clingo(program, table))
    assert back == program
    assert back.notations == program.notations
    assert str(back) == str(program)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(case=noted, dialect=st.sampled_from(["swi", "both"]))
def test_swi_prolog_agrees_in_every_notation(swipl, tmp_path, case, dialect):
    """SWI-Prolog derives what is predicted, with texts that it compares or, as for s(CASP), with numbers."""
    program, table = case
    assert derived(swipl, tmp_path, program, table, dialect) == unless.predict(program, table).tolist()


@settings(max_examples=300)
@given(
    st.sampled_from([DATE, DATETIME, INSTANT, TIME]).flatmap(
        lambda one: st.tuples(st.just(one), *[noted_numbers(one)] * 2)
    )
)
@example((INSTANT, 0.0, 1.0))
@example((DATETIME, 0.0, 500_000.0))
@example((TIME, 45_000_000_000.0, 45_000_000_001.0))
def test_texts_sort_like_numbers(case):
    """The texts of two moments or times are in the order of the moments, for Python and for clingo, and read back."""
    notation, one, other = case
    texts = sorted_text(notation, one), sorted_text(notation, other)
    assert (texts[0] < texts[1], texts[0] == texts[1]) == (one < other, one == other)
    symbols = [engine().String(text) for text in texts]
    assert (symbols[0] < symbols[1]) == (one < other)
    assert [sorted_number(notation, text) for text in texts] == [one, other]


def test_the_form_for_clingo():
    """Dates and times are texts, levels are texts with a place, durations are seconds; comments say the rest."""
    lines = to_clingo(loans(), records()).splitlines()
    assert lines[2:10] == [
        '%: {"feature": "opened", "number": "opened", "notation": "date"}',
        '%: {"feature": "size", "number": "size", "level": "size_level", "decimals": 0, "notation": ["S", "M", "L"]}',
        '%: {"feature": "wait", "number": "wait", "decimals": -6, "notation": "duration"}',
        '%: {"feature": "senior", "number": "senior", "decimals": 0, "notation": "flag"}',
        '%: {"feature": "at", "number": "at", "notation": "time"}',
        '%: {"feature": "paid", "number": "paid", "notation": "instant"}',
        '%: {"feature": "age", "number": "age", "decimals": 1}',
        'loan(X,"yes") :- rule1(X).',
    ]
    remarks = ["size > S, size <= M", "wait > 2 d 3 h, senior is 1", "age > 2.5"]
    assert [line.partition("  % ")[2] for line in lines if "  % " in line] == remarks
    assert [line.partition("  % ")[0] for line in lines[14:21]] == [
        'rule1(X) :- record(X), opened(X,N0), N0 > "2020-08-01", size(X,V1), size_level(V1,N1), N1 > 0, N1 < 2.',
        "rule2(X) :- record(X), wait(X,N2), N2 > 183600, senior(X,N3), N3 > 0, not ab1(X).",
        'rule3(X) :- record(X), paid(X,N5), N5 <= "2020-08-01 14:30", age(X,N6), N6 > 25.',
        'ab1(X) :- record(X), at(X,N4), N4 <= "12:30".',
        'size_level("S",0).',
        'size_level("M",1).',
        'size_level("L",2).',
    ]
    facts = ['opened(1,"2020-08-02").', 'size(1,"M").', "wait(2,183601).", "senior(2,1).", 'at(2,"12:30:00.000005").']
    assert {*facts, 'paid(1,"2020-08-01 14:30").'} <= set(lines)
    assert not [line for line in lines if "soon" in line or "XXL" in line]
    assert run_clingo(loans(), records()).tolist() == unless.predict(loans(), records()).tolist()


def test_the_form_for_prolog():
    """SWI-Prolog compares texts; s(CASP) cannot, so it gets microseconds and places, and comments say what they are."""
    swi = to_prolog(loans(), records()).splitlines()
    assert {
        "% size_level: size",
        "% wait: microseconds",
        "size_level('L',2).",
        "size(1,'M').",
        "opened(1,'2020-08-02').",
    } <= set(swi)
    assert (
        "rule1(X) :- record(X), opened(X,N0), N0 @> '2020-08-01', size(X,V1), size_level(V1,N1), N1 > 0, N1 =< 1."
        "  % size > S, size <= M"
    ) in swi
    assert "rule3(X) :- record(X), paid(X,N5), N5 @=< '2020-08-01 14:30', age(X,N6), N6 > 2.5." in swi
    scasp = to_prolog(loans(), records(), "scasp").splitlines()
    assert (
        "rule1(X) :- record(X), opened(X,N0), N0 > 1596240000000000, size(X,N1), N1 > 0, N1 =< 1."
        "  % opened > 2020-08-01, size > S, size <= M"
    ) in scasp
    assert {
        "% opened: microseconds after 1970-01-01",
        "% size: place among S, M, L, counted from 0",
        "#pred size(X,V) :: 'the size of @(X) is @(V) (place among S, M, L, counted from 0)'.",
        "#pred senior(X,V) :: 'the senior of @(X) is @(V)'.",
        "opened(1,1596326400000000).",
        "size(1,1).",
    } <= set(scasp)


def test_the_papers_text():
    """Dates, times, durations and levels are quoted; flags and numbers are numbers."""
    assert to_text(loans()).splitlines() == [
        "loan(X,'yes') :- opened(X,N0), N0>'2020-08-01', size(X,N1), N1>'S', N1=<'M'.",
        "loan(X,'no') :- wait(X,N2), N2>'2 d 3 h', senior(X,N3), N3>0.0, not ab1(X).",
        "loan(X,'yes') :- paid(X,N5), N5=<'2020-08-01 14:30Z', age(X,N6), N6>2.5.",
        "loan(X,'no').",
        "ab1(X) :- at(X,N4), N4=<'12:30'.",
    ]
    quoted = Rule("yes", (Literal("size", "<=", NotatedNumber(0, LevelNotation(("it's\n", "x")))),))
    assert to_text(Program("loan", ("size",), (quoted,))) == "loan(X,'yes') :- size(X,N0), N0=<'it\\'s\\n'."


def test_the_papers_justifications():
    """The tree and the rules say dates and levels, each on one line."""
    order = LevelNotation(("S\n", "M"))
    rule = Rule("yes", (Literal("opened", ">", date(2020, 8, 1)), Literal("size", "<=", NotatedNumber(0, order))))
    proof = unless.explain(Program("loan", ("opened", "size"), (rule,)), {"opened": "2020-08-02", "size": "S\n"})
    assert proof.text("tree").splitlines()[2:] == [
        "    the value of opened is 2020-08-02 which should be greater than 2020-08-01 (DOES HOLD)",
        "    the value of size is 'S\\n' which should be less than or equal to 'S\\n' (DOES HOLD)",
        "{'opened: 2020-08-02', 'size: S\\n'}",
    ]
    assert proof.text("rules").splitlines()[0] == (
        "[T]loan(X,'yes') :- [T]opened(X,N0), [T]N0>'2020-08-01', [T]size(X,N1), [T]N1=<'S\\n'."
    )


@pytest.mark.parametrize(
    ("number", "notation"),
    [
        *((float("inf"), one) for one in (DATE, DATETIME, INSTANT, DURATION)),
        *((1e300, one) for one in (DATE, DURATION)),
        *((0.5, one) for one in (DATETIME, TIME, DURATION, FLAG, SIZES)),
        (-1.0, SIZES),
        (7.0, SIZES),
        (2.0**40 + 1, DURATION),
        (-1.5, DURATION),
    ],
)
def test_thresholds_that_no_text_says(number, notation):
    """A threshold between two texts, or beyond all of them, stays exact: it is a number then."""
    rules = (
        Rule("a", (Literal("f", ">", NotatedNumber(number, notation)),)),
        Rule("b", (Literal("f", "<=", NotatedNumber(number, notation)),)),
    )
    program = Program("y", ("f",), rules)
    numbers = [0.0, 1.0, 2.0, 1e15, 2.0**40, 2.0**40 + 2] if notation != SIZES else [0.0, 1.0, 2.0]
    table = Table((Column.of("f", [notation.value(one) for one in numbers if notation != TIME or one < 1e10]),))
    assert run_clingo(program, table).tolist() == unless.predict(program, table).tolist()
    back = from_clingo(to_clingo(program, table))
    assert (back, back.notations) == (program, program.notations)


@pytest.mark.parametrize("notation", [DATETIME, INSTANT, TIME])
def test_moments_between_two_texts(notation):
    """A moment between two microseconds is above the first and not above the second, as its number is."""
    rules = (
        Rule("low", (Literal("f", "<=", NotatedNumber(0, notation)),)),
        Rule("high", (Literal("f", ">", NotatedNumber(1, notation)),)),
    )
    table = Table((Column.of("f", [NotatedNumber(number, notation) for number in (0.0, 0.5, 1.0, 1.5)]),))
    assert run_clingo(Program("y", ("f",), rules, "middle"), table).tolist() == ["low", "middle", "middle", "high"]


def test_formats_are_kept():
    """Dates are written as in ISO 8601 whatever their format in files, and the program that is read back knows it."""
    german = DateNotation("date", DATE.step, format="%d.%m.%Y")
    program = Program("y", ("when",), (Rule("a", (Literal("when", ">", german.value(DATE.number("2020-08-01"))),)),))
    assert 'N0 > "2020-08-01"' in to_clingo(program)
    assert from_clingo(to_clingo(program)).notations == {"when": german}


def test_two_notations_of_a_feature_are_refused():
    """A feature whose numbers are dates here and plain numbers there is refused, as it is in JSON."""
    rules = (Rule("a", (Literal("f", ">", date(2020, 8, 1)),)), Rule("b", (Literal("f", ">", 2.0),)))
    for write in (to_clingo, to_prolog):
        with pytest.raises(ProgramError, match="the numbers of 'f' are written in two ways"):
            write(Program("y", ("f",), rules))


def test_an_edited_date():
    """A threshold that someone changed in the text is the new threshold, and clingo decides by it."""
    text = to_clingo(loans()).replace('N0 > "2020-08-01"', 'N0 > "2020-08-02"').replace("N1 < 2", "N1 < 3")
    assert from_clingo(text).rules[0].default == (
        Literal("opened", ">", date(2020, 8, 2)),
        Literal("size", ">", NotatedNumber(0, SIZES)),
        Literal("size", "<=", NotatedNumber(2, SIZES)),
    )
    assert str(from_clingo(text).rules[0]) == "yes if opened > 2020-08-02 and size is above S and at most L"
    found, predicted = read_and_derived(text, records())
    assert found == predicted


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"2020-08-01"', '"01.08.2020"', "01.08.2020 is no threshold of 'opened'; write it like 1970-01-01"),
        ('"2020-08-01"', '"2020-08-01 00:00"', "2020-08-01 00:00 is no threshold of 'opened'"),
        ('"2020-08-01"', '"2020-08-01T12:30"', "is no threshold of 'opened'"),
        ('"2020-08-01 14:30"', '"2020-08-01 14:30Z"', "is no threshold of 'paid'; write it like 1970-01-01 00:00"),
        ('"2020-08-01"', "20200801", "20200801 is no threshold of 'opened'"),
        ("N6 > 25", 'N6 > "25"', "25 is no threshold of 'age'"),
        ("N1 > 0", 'N1 > "S"', "S is no threshold of 'size'"),
        ("N1 > 0", "V1 > 0", "V1 is not a number of the record"),
        ("size_level(V1,N1), ", "", "N1 is not a number of the record"),
        ("size_level(V1,N1), N1 > 0, N1 < 2", "age(X,N6), N6 > 2", "a number that is not compared with anything"),
        ("size_level(V1,N1)", "size_level(X,N1)", "size_level takes the level of a record"),
        ("size_level(V1,N1)", "size_level(V1,V1)", "size_level takes the level of a record"),
        ('size_level("M",1)', 'size_level("M",3)', "the facts of size_level are not the levels of the order"),
        ('size_level("M",1).', "", "the facts of size_level are not the levels of the order"),
        ('size_level("M",1).', 'size_level("M",1). size_level("M",0).', "a second place for a level in size_level"),
        ('"notation": "date"', '"notation": "day"', '"day" is not how numbers are written'),
        ('"notation": "duration"', '"notation": "flag"', "decimals must be a number from 0 to 9"),
        (', "notation": "date"', "", "numbers without decimals or thresholds"),
        ('"level": "size_level", ', "", "an order without a predicate for its levels"),
        (', "notation": ["S", "M", "L"]', "", "an order without a predicate for its levels"),
    ],
)
def test_changes_that_make_no_program(old, new, message):
    """A text that clingo would compare differently from what it says is refused."""
    text = to_clingo(loans())
    assert old in text
    with pytest.raises(ProgramError, match=message):
        from_clingo(text.replace(old, new, 1))
