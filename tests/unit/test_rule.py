"""Literals, rules and programs: truth, values, messages."""

from __future__ import annotations

import copy
import enum
import math
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unless.errors import ProgramError, UnknownNameError
from unless.export import json
from unless.rule import MAX_DEPTH, OPERATORS, Literal, Operator, Program, Rule, conditions
from unless.values import Value

NUMBER_LITERALS = (Literal("f", "<=", 4), Literal("f", ">", 4))
CATEGORY_LITERALS = (Literal("f", "==", "4"), Literal("f", "!=", "4"))
PRESENCE_LITERALS = (Literal("f", "missing"), Literal("f", "present"))
GRID = (*NUMBER_LITERALS, *CATEGORY_LITERALS, *PRESENCE_LITERALS)

# A cell, and whether it satisfies: <= 4.0, > 4.0, == "4", != "4", missing, present.
TRUTH: list[tuple[object, str]] = [
    (3, "10 01 01"),
    (4, "10 01 01"),
    (4.0, "10 01 01"),
    (math.nextafter(4, 5), "01 01 01"),
    (np.float32(4.5), "01 01 01"),
    (np.int64(4), "10 01 01"),
    (math.inf, "01 01 01"),
    (-math.inf, "10 01 01"),
    (10**400, "01 01 01"),
    ("4", "00 10 01"),
    (np.str_("4"), "00 10 01"),
    ("4.0", "00 01 01"),
    ("3", "00 01 01"),
    ("", "00 01 01"),
    ("unseen", "00 01 01"),
    ("missing", "00 01 01"),
    (True, "00 01 01"),
    (np.bool_(False), "00 01 01"),
    (date(2024, 5, 1), "00 01 01"),
    (None, "00 01 10"),
    (math.nan, "00 01 10"),
    (np.float64("nan"), "00 01 10"),
    (np.datetime64("NaT", "D"), "00 01 10"),
]


def nested(depth: int) -> Rule:
    """A rule with exceptions nested ``depth`` deep, all with the same literal."""
    rule = Rule(None, (Literal("f", "present"),))
    for _ in range(depth - 2):
        rule = Rule(None, (Literal("f", "present"),), (rule,))
    return Rule("yes", (Literal("f", "present"),), (rule,) if depth > 1 else ())


@pytest.mark.parametrize(("cell", "truth"), TRUTH, ids=lambda part: f"{type(part).__name__}-{str(part)[:20]}")
def test_truth_over_the_whole_grid(cell: object, truth: str) -> None:
    """Every operator has one truth value for every kind of cell: numbers, text, booleans, dates and missing."""
    assert [literal.holds(cell) for literal in GRID] == [sign == "1" for sign in truth.replace(" ", "")]


@pytest.mark.parametrize(
    ("cell", "op", "value", "truth"),
    [
        (3, "<=", 4, True),
        (3, ">", 4, False),
        ("x", "==", "x", True),
        ("x", "!=", "x", False),
        ("x", "==", "y", False),
        ("x", "!=", "y", True),
        (3, "==", "x", False),
        (3, "!=", "x", True),
        ("x", "<=", 3, False),
        ("x", ">", 3, False),
    ],
)
def test_numbers_and_text_compare_as_in_the_paper(cell: Value, op: Operator, value: Value, truth: bool) -> None:  # noqa: FBT001
    """Between different kinds, == is false, != is true, and <= and > are false (Table 1 of the paper)."""
    assert Literal("f", op, value).holds(cell) is truth


@pytest.mark.parametrize(("one", "other"), [CATEGORY_LITERALS, PRESENCE_LITERALS])
def test_category_and_presence_literals_are_complements(one: Literal, other: Literal) -> None:
    """Exactly one of ``==`` and ``!=``, and of ``missing`` and ``present``, holds for any cell."""
    assert all(one.holds(cell) != other.holds(cell) for cell, _ in TRUTH)


def test_bounds_are_complements_on_numbers_alone() -> None:
    """Exactly one of ``<=`` and ``>`` holds for a number, and neither for anything else."""
    for cell, _ in TRUTH:
        assert sum(literal.holds(cell) for literal in NUMBER_LITERALS) == is_number(cell)


def is_number(cell: object) -> bool:
    """Whether a cell of the grid is a Python or numpy number and not NaN."""
    return isinstance(cell, int | float | np.number) and not isinstance(cell, bool) and cell == cell  # noqa: PLR0124


def test_minus_zero_is_zero() -> None:
    """Minus zero is stored and compared as zero."""
    literal = Literal("f", "<=", -0.0)
    assert literal == Literal("f", "<=", 0)
    assert str(literal.value) == "0.0"


def test_numbers_become_floats_and_booleans_categories() -> None:
    """A literal holds what a cell means: any real number as a float, a boolean as the category of its name."""
    assert type(Literal("f", "<=", np.int8(3)).value) is float
    assert Literal("f", "==", True).value == "True"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("op", "value", "message"),
    [
        ("<=", "4", r"'f' <= takes a number, not '4'"),
        (">", None, r"'f' > takes a number, not None"),
        ("<=", math.nan, r"'f' <= takes a number, not nan"),
        ("<=", True, r"'f' <= takes a number, not True"),
        ("==", 4, r"'f' == takes a category \(text\), not 4"),
        ("!=", None, r"'f' != takes a category \(text\), not None"),
        ("missing", "x", r"'f' missing takes no value, not 'x'"),
        ("present", 0.0, r"'f' present takes no value, not 0.0"),
        ("=", "x", r"unknown operator '='; the operators are <=, >, ==, !=, missing, present"),
    ],
)
def test_a_value_that_does_not_suit_its_operator_is_refused(op: Operator, value: Value, message: str) -> None:
    """The message about a wrong literal names the feature and the operator and shows the value."""
    with pytest.raises(ProgramError, match=message):
        Literal("f", op, value)


@pytest.mark.parametrize(
    "value", [GRID[0], Rule("a", GRID), Program("y", ("f",), (Rule("a", GRID),))], ids=["literal", "rule", "program"]
)
def test_values_are_immutable_and_travel(value: Literal | Rule | Program) -> None:
    """Literals, rules and programs cannot be changed, have equal hashes if equal, and survive pickle and copy."""
    name = next(iter(value.__dataclass_fields__))
    with pytest.raises(FrozenInstanceError):
        setattr(value, name, "other")
    for twin in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value)):
        assert twin == value
        assert hash(twin) == hash(value)


def test_equality_looks_at_every_part() -> None:
    """Two rules differ when a head, a literal, its order or an exception does."""
    rule = Rule("a", GRID[:2], (Rule(None, GRID[2:]),))
    others = [
        Rule("b", GRID[:2], (Rule(None, GRID[2:]),)),
        Rule("a", GRID[1::-1], (Rule(None, GRID[2:]),)),
        Rule("a", GRID[:2]),
        Rule("a", GRID[:2], (Rule(None, GRID[3:]),)),
    ]
    assert len({rule, Rule("a", GRID[:2], (Rule(None, GRID[2:]),)), *others}) == 5


def test_lists_become_tuples() -> None:
    """Rules and programs made from lists are as immutable and hashable as others."""
    rule = Rule("a", [GRID[0]], [Rule(None, [GRID[2]])])  # type: ignore[arg-type]
    assert hash(Program("y", ["f"], [rule])) == hash(Program("y", ("f",), (rule,)))  # type: ignore[arg-type]


def test_literals_print_so_that_no_two_look_alike() -> None:
    """A category is printed in quotes, so that it does not look like a number or a missing value."""
    literals = [*GRID, Literal("f", "==", "missing"), Literal("f", "==", "a\nb")]
    assert [repr(literal) for literal in literals] == [
        "f <= 4",
        "f > 4",
        "f is '4'",
        "f is not '4'",
        "f is missing",
        "f is present",
        "f is 'missing'",
        "f is 'a\\nb'",
    ]


def test_rules_print_as_sentences() -> None:
    """A rule reads: label if literals unless (exception)."""
    inner = Rule(None, (Literal("g", "missing"),))
    rule = Rule("a", GRID[:2], (Rule(None, GRID[2:3], (inner,)), Rule(None)))
    assert str(rule) == "a if f <= 4 and f > 4 unless (f is '4' unless (g is missing)) unless (always)"


def _read(*literals: Literal) -> list[str]:
    return [" + ".join(map(str, condition)) for condition in conditions(literals)]


def test_two_bounds_of_a_feature_are_read_as_a_range() -> None:
    """The lower bound comes first, whatever the order, and the range is where its first literal was."""
    low, high, other = Literal("f", ">", 30), Literal("f", "<=", 40), Literal("g", "==", "x")
    assert _read(high, other, low) == ["f > 30 + f <= 40", "g is 'x'"]
    assert _read(other, low, Literal("g", "<=", 40)) == ["g is 'x'", "f > 30", "g <= 40"]
    assert _read(high, Literal("f", ">", 50)) == ["f > 50 + f <= 40"]  # no number is in it
    assert _read() == []


def test_only_the_tightest_bounds_are_read() -> None:
    """A bound that follows from another one, and a literal that is there twice, are not read."""
    above = [Literal("f", ">", number) for number in (30, 35, 33)]
    most = [Literal("f", "<=", number) for number in (60, 40, 50)]
    assert _read(*above) == ["f > 35"]
    assert _read(*most) == ["f <= 40"]
    assert _read(*above, *most) == _read(*most, *above) == ["f > 35 + f <= 40"]
    assert _read(*CATEGORY_LITERALS, *PRESENCE_LITERALS, *CATEGORY_LITERALS) == [
        "f is '4'",
        "f is not '4'",
        "f is missing",
        "f is present",
    ]


@given(st.lists(st.builds(Literal, st.sampled_from("fg"), st.sampled_from(["<=", ">"]), st.integers(0, 5))))
def test_what_is_read_means_the_same(default: list[Literal]) -> None:
    """The conditions of a default hold of a number exactly where all its literals do."""
    found = conditions(default)
    assert {literal for condition in found for literal in condition} <= set(default)
    assert len(found) == len({literal.feature for literal in default})
    for number in (-1, *range(6), 2.5, 9):
        record = {"f": number, "g": 5 - number}
        said = Rule(None, tuple(literal for condition in found for literal in condition))
        assert said.covers(record) == Rule(None, tuple(default)).covers(record)


def test_ranges_in_a_notebook() -> None:
    """A program shows ranges as ranges in a notebook, too."""
    rule = Rule("a", (Literal("f", ">", 3),), (Rule(None, (Literal("f", "<=", 5), Literal("f", ">", 4))),))
    shown = Program("y", ("f",), (rule,))._repr_html_()
    assert "if <bdi>f &gt; 3</bdi>" in shown
    assert "unless <bdi>f is above 4 and at most 5</bdi>" in shown


def test_programs_print_their_rules_and_otherwise() -> None:
    """A program prints a line per rule and one for the rest, which a last rule may be, and says so when it has none."""
    program = Program("y", ("f",), (Rule("a", GRID[:1]),), "b")
    assert str(program) == "y: a if f <= 4\ny: b otherwise"
    assert repr(program) == f"<Program for 'y': 1 rule over 1 feature>\n{program}"
    assert str(Program("y", ("f",), (Rule("a", GRID[:1]), Rule("b")))) == str(program)
    assert str(Program("y", ())) == "y: no rules"


@pytest.mark.parametrize(
    ("record", "covered"),
    [
        ({"a": 1, "b": "x", "c": "z"}, True),  # the default holds, no exception does
        ({"a": 9, "b": "x", "c": "z"}, False),  # the default fails
        ({"a": 1, "b": "y", "c": "z"}, False),  # the exception holds
        ({"a": 1, "b": "y", "c": None}, True),  # the exception to the exception holds
        ({"a": 1, "b": "x", "c": "stop"}, False),  # the second exception holds
    ],
)
def test_exceptions_nest(record: dict[str, object], covered: bool) -> None:  # noqa: FBT001
    """A rule covers a record when its default holds and no exception, with its own exceptions, covers it."""
    inner = Rule(None, (Literal("c", "missing"),))
    first = Rule(None, (Literal("b", "==", "y"),), (inner,))
    rule = Rule("yes", (Literal("a", "<=", 4),), (first, Rule(None, (Literal("c", "==", "stop"),))))
    assert rule.covers(record) is covered


def test_an_empty_default_covers_everything() -> None:
    """A rule without literals covers every record, even an empty one."""
    assert Rule("yes").covers({})
    assert not Rule("yes", (), (Rule(None),)).covers({})


def test_a_record_without_a_tested_feature_is_refused() -> None:
    """If a record lacks a feature, the error names it and suggests the nearest; it is not a missing value."""
    with pytest.raises(UnknownNameError, match=r"the record has no 'age'; did you mean 'Age'\?"):
        Rule("yes", (Literal("age", "<=", 4),)).covers({"Age": 3})


def test_the_first_rule_that_covers_decides() -> None:
    """Rules are tried in order; a record that no rule covers gets ``otherwise``, or stays unclassified."""
    rules = (Rule("low", (Literal("f", "<=", 1),)), Rule("mid", (Literal("f", "<=", 2),)))
    program, open_program = Program("y", ("f",), rules, "rest"), Program("y", ("f",), rules)
    assert [program.decides({"f": value}) for value in (0, 2, 3, "x", None)] == [0, 1, None, None, None]
    assert [program.label({"f": value}) for value in (0, 2, 3, None)] == ["low", "mid", "rest", "rest"]
    assert open_program.label({"f": 3}) is None


@pytest.mark.parametrize("label", [False, 0, 0.0, ""])
def test_labels_that_are_false_are_labels(label: bool | float | str) -> None:  # noqa: FBT001
    """False, zero and the empty text are labels like any other, for a rule and for the rest."""
    assert Program("y", (), (Rule(label),)).label({}) is label
    assert Program("y", (), (), label).label({}) is label


def test_enumerated_labels_become_plain() -> None:
    """Members of enumerations that are text or numbers are stored as the text or number that they are."""
    colour = enum.Enum("colour", {"RED": "red"}, type=str)
    size = enum.IntEnum("size", {"LARGE": 3})
    heads = [Rule(label).head for label in (colour.RED, size.LARGE)]  # type: ignore[arg-type, attr-defined]
    assert [(head, type(head)) for head in heads] == [("red", str), (3, int)]


def test_numpy_labels_become_plain() -> None:
    """Labels from numpy arrays are stored as plain Python values."""
    labels = [np.int64(3), np.float64(1.5), np.float32(0.5)]
    program = Program("y", (), tuple(Rule(label) for label in labels), np.int8(1))  # type: ignore[arg-type]
    assert [type(rule.head) for rule in program] == [int, float, float]
    assert type(program.otherwise) is int
    assert type(Rule(np.bool_(True)).head) is bool  # type: ignore[arg-type]
    assert type(Rule(np.str_("a")).head) is str


def test_length_iteration_and_used_features() -> None:
    """A program is as long as its top rules, iterates over them, and names the features it tests in table order."""
    rules = (Rule("a", (Literal("g", "present"),), (Rule(None, (Literal("e", "missing"),)),)), Rule("b"))
    program = Program("y", ("e", "f", "g"), rules)
    assert len(program) == 2
    assert tuple(program) == rules
    assert program.used == ("e", "g")
    assert [str(literal) for literal in rules[0].literals()] == ["g is present", "e is missing"]


@pytest.mark.parametrize(
    ("rules", "otherwise", "message"),
    [
        ((Rule(None),), None, "rule 1 has no label"),
        ((Rule("a"), Rule("b", (Literal("colour", "present"),))), None, "rule 2 tests 'colour'.*did you mean 'color'?"),
        ((nested(MAX_DEPTH + 1),), None, "rule 1 nests 201 deep; 200 is the limit"),
        ((Rule("a"), Rule(1)), None, r"of one kind, not text \('a'\) and numbers \(1\)"),
        ((Rule(1),), True, r"of one kind, not numbers \(1\) and booleans \(True\)"),
    ],
)
def test_invalid_programs_are_refused(rules: tuple[Rule, ...], otherwise: bool | None, message: str) -> None:  # noqa: FBT001
    """Rules without labels, with unknown features, nested too deep or with mixed labels are an error."""
    with pytest.raises(ProgramError, match=message):
        Program("y", ("color", "f"), rules, otherwise)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rule("a", "f > 1"), "a default must be a tuple of Literal, not 'f > 1'"),
        (lambda: Rule("a", ("f > 1",)), "a default must be a tuple of Literal, not 'f > 1'"),
        (lambda: Rule("a", Literal("f", ">", 1)), "a default must be a tuple of Literal, not f > 1"),
        (lambda: Rule("a", (), ("b",)), "a list of exceptions must be a tuple of Rule, not 'b'"),
        (lambda: Program("y", "abc"), "a list of features must be a tuple of str, not 'abc'"),
        (lambda: Program("y", (1, 2)), "a list of features must be a tuple of str, not 1"),
        (lambda: Program("y", (), Rule("a")), "a list of rules must be a tuple of Rule, not a always"),
    ],
)
def test_parts_are_of_their_kind(make: Callable[[], object], message: str) -> None:
    """Anything but a list of literals, rules or names is refused when it is given, not when it is used."""
    with pytest.raises(ProgramError, match=message):
        make()


def test_features_are_unique() -> None:
    """A feature name that appears twice is refused: a literal could not say which it means."""
    with pytest.raises(ProgramError, match="the feature 'f' appears twice"):
        Program("y", ("f", "g", "f"))


def test_exceptions_have_no_label() -> None:
    """An exception with a label of its own is refused, since nothing would ever give that label."""
    with pytest.raises(ProgramError, match="an exception has no label, but this one has 'b'"):
        Rule("a", (), (Rule("b"),))


@pytest.mark.parametrize("label", [math.nan, np.float64("nan"), ("a",), date(2024, 1, 1), 1j])
def test_labels_are_plain(label: object) -> None:
    """A label that is NaN or not a plain value is refused, for a rule and for the rest."""
    for make in (Rule, lambda head: Program("y", (), (), head)):
        with pytest.raises(ProgramError, match="a label must be text, a number or a boolean, not"):
            make(label)  # type: ignore[operator]


def test_the_deepest_program_works() -> None:
    """Everything works on exceptions that nest as deep as is allowed."""
    program = Program("y", ("f",), (nested(MAX_DEPTH),))
    assert program.rules[0].depth == MAX_DEPTH
    assert program.label({"f": 1}) is None
    assert program.label({"f": None}) is None
    assert program == pickle.loads(pickle.dumps(program))
    assert str(program).count("unless") == MAX_DEPTH - 1
    assert program.used == ("f",)


def test_the_operators_are_six() -> None:
    """The grid of this file covers every operator there is."""
    assert tuple(literal.op for literal in GRID) == OPERATORS


def test_the_target_is_no_feature() -> None:
    """A program that tests its own target is refused, when it is made and when it is loaded."""
    with pytest.raises(ProgramError, match="'y' is the target, so it cannot be a feature"):
        Program("y", ("a", "y"))
    document = {**json.to_dict(Program("y", ("a",), (Rule("x"),))), "target": "a"}
    with pytest.raises(ProgramError, match="'a' is the target, so it cannot be a feature"):
        json.from_dict(document)


@given(st.floats(allow_nan=False), st.sampled_from(["<=", ">"]))
def test_a_bound_is_said_by_the_shorter_number(value, op):
    """``< 30`` says what ``<= 29.999999999999996`` says, of every number; it is never longer."""
    literal = Literal("n", op, value)
    sign, said = literal.as_short_bound()
    if sign == op:
        assert said == literal.value
        return
    assert (sign, math.nextafter(said, -math.inf)) == ("<" if op == "<=" else ">=", literal.value)
    for number in (literal.value, said, math.nextafter(said, math.inf)):
        assert literal.holds(number) == ((number < said) == (op == "<="))
    assert len(repr(said)) < len(repr(literal.value))


def test_names_and_labels_in_quotes():
    """Printed rules have quotes where something else could be meant, and only there."""
    rule = Rule("1", (Literal("marital status", "==", "it is"), Literal("a and b", ">", 29.999999999999996)))
    assert str(rule) == "'1' if marital status is 'it is' and 'a and b' >= 30"
    assert str(Program("y", ("n",), (), 1)) == "y: 1 otherwise"
    assert str(Program("if", ("n",), (), "1")) == "'if': '1' otherwise"
