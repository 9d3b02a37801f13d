"""The paper's text: flattening, numbering, spelling."""

from __future__ import annotations

import math
import sys

import pytest

from unless import parse
from unless.errors import ParameterError, RuleTextError
from unless.export import to_text
from unless.export.clauses import Body, flatten
from unless.rule import MAX_DEPTH, Literal, Program, Rule
from unless.values import Label
from unless.values.notation import LevelNotation

FEATURES = ("family", "steel", "carbon", "hardness", "surface_quality", "thick")


def equal(feature: str, value: str) -> Literal:
    """The literal that a feature is a category."""
    return Literal(feature, "==", value)


def differs(feature: str, value: str) -> Literal:
    """The literal that a feature is not a category."""
    return Literal(feature, "!=", value)


def unless(*literals: Literal, exceptions: tuple[Rule, ...] = ()) -> Rule:
    """An exception."""
    return Rule(None, literals, exceptions)


@pytest.fixture
def annealing() -> Program:
    """A program like the paper's annealing example."""
    shared = unless(equal("steel", "A"))
    return Program(
        "classes",
        FEATURES,
        (
            Rule(
                "3",
                (differs("surface_quality", "?"),),
                (unless(equal("hardness", "85")), unless(equal("carbon", "10"))),
            ),
            Rule("5", (equal("family", "TN"),)),
            Rule("3", (differs("carbon", "00"),), (shared,)),
            Rule("2", (Literal("thick", ">", 0.8),), (unless(equal("steel", "R"), equal("family", "?")),)),
            Rule("3", (differs("steel", "S"),), (unless(differs("family", "?")), shared)),
        ),
    )


@pytest.fixture
def habitat() -> Program:
    """The habitat example of the paper: columns are unary predicates of background knowledge."""
    whale = equal("whale", "yes")
    rules = (
        Rule("land", (equal("mammal", "yes"),), (unless(whale),)),
        Rule("water", (equal("fish", "yes"),)),
        Rule("water", (whale,)),
    )
    return Program("habitat", ("mammal", "cat", "whale", "fish"), rules)


def test_the_form_of_the_paper(annealing: Program) -> None:
    """Top rules come first, then exceptions by number; a repeated exception keeps its number."""
    assert to_text(annealing).splitlines() == [
        "classes(X,'3') :- not surface_quality(X,'?'), not ab1(X), not ab2(X).",
        "classes(X,'5') :- family(X,'TN').",
        "classes(X,'3') :- not carbon(X,'00'), not ab3(X).",
        "classes(X,'2') :- thick(X,N5), N5>0.8, not ab4(X).",
        "classes(X,'3') :- not steel(X,'S'), not ab5(X), not ab3(X).",
        "ab1(X) :- hardness(X,'85').",
        "ab2(X) :- carbon(X,'10').",
        "ab3(X) :- steel(X,'A').",
        "ab4(X) :- steel(X,'R'), family(X,'?').",
        "ab5(X) :- not family(X,'?').",
    ]


def test_the_number_of_rules_counts_exceptions_once(annealing: Program) -> None:
    """The paper's number of rules counts every rule and every exception, shared exceptions once."""
    assert len(flatten(annealing)) == 10


def test_inner_exceptions_are_numbered_before_outer_ones() -> None:
    """An exception comes right after the exceptions inside it, and before the next exception of its rule."""
    inner = [unless(equal("f", f"inner {number}")) for number in (1, 2)]
    outer = tuple(unless(equal("f", f"outer {number}"), exceptions=(inner[number - 1],)) for number in (1, 2))
    program = Program("y", ("f",), (Rule("a", (), outer), Rule("b", (), (inner[1], inner[0]))))
    assert to_text(program).splitlines() == [
        "y(X,'a') :- not ab2(X), not ab4(X).",
        "y(X,'b') :- not ab3(X), not ab1(X).",
        "ab1(X) :- f(X,'inner 1').",
        "ab2(X) :- f(X,'outer 1'), not ab1(X).",
        "ab3(X) :- f(X,'inner 2').",
        "ab4(X) :- f(X,'outer 2'), not ab3(X).",
    ]


def test_an_exception_with_the_body_of_a_rule_is_still_an_exception() -> None:
    """Top rules are never shared with exceptions."""
    program = Program("y", ("f",), (Rule("a", (equal("f", "x"),)), Rule("b", (), (unless(equal("f", "x")),))))
    assert to_text(program) == "y(X,'a') :- f(X,'x').\ny(X,'b') :- not ab1(X).\nab1(X) :- f(X,'x')."


def test_bounds_are_merged_to_the_tightest() -> None:
    """Categories come as learned, then bounds by feature, ``>`` before ``=<``, the tightest of each, unrounded."""
    default = (
        Literal("b", "<=", 3),
        Literal("a", "<=", 0.1 + 0.2),
        equal("b", "y"),
        Literal("b", ">", 1),
        Literal("b", "<=", 2),
        differs("a", "x"),
        Literal("b", ">", -1e300),
        Literal("b", "<=", 2.5),
    )
    program = Program("y", ("a", "b"), (Rule("1", default),))
    text = "b(X,'y'), not a(X,'x'), a(X,N0), N0=<0.30000000000000004, b(X,N1), N1>1.0, N1=<2.0"
    assert to_text(program) == f"y(X,'1') :- {text}."


def test_exceptions_that_print_alike_are_one() -> None:
    """Two exceptions that merge to the same body share a number, even within one rule."""
    loose, tight = Literal("f", "<=", 2), Literal("f", "<=", 1)
    program = Program("y", ("f",), (Rule("a", (), (unless(loose, tight), unless(tight))),))
    assert flatten(program).exceptions == (Body((tight,)),)
    assert to_text(program) == "y(X,'a') :- not ab1(X).\nab1(X) :- f(X,N0), N0=<1.0."


def test_missing_is_an_absent_fact() -> None:
    """A missing value reads as an absent fact, in its place among the categories."""
    default = (Literal("f", "missing"), equal("g", "x"), Literal("h", "present"))
    assert to_text(Program("y", ("f", "g", "h"), (Rule("a", default),))) == "y(X,'a') :- not f(X,_), g(X,'x'), h(X,_)."


def test_an_empty_body_prints_its_head() -> None:
    """A rule or an exception without literals is a fact."""
    assert to_text(Program("y", (), (Rule("a", (), (Rule(None),)), Rule("b")))) == (
        "y(X,'a') :- not ab1(X).\ny(X,'b').\nab1(X)."
    )


def test_the_exclusive_form_of_the_paper(habitat: Program) -> None:
    """In the exclusive form a rule holds only where the bodies of all earlier rules fail, nearest first."""
    unary = habitat.features
    assert to_text(habitat, unary=unary).splitlines() == [
        "habitat(X,'land') :- mammal(X), not ab1(X).",
        "habitat(X,'water') :- fish(X).",
        "habitat(X,'water') :- whale(X).",
        "ab1(X) :- whale(X).",
    ]
    assert to_text(habitat, "exclusive", unary=unary).splitlines() == [
        "habitat(X,'land') :- habitat_1(X).",
        "habitat(X,'water') :- habitat_2(X), not habitat_1(X).",
        "habitat(X,'water') :- habitat_3(X), not habitat_2(X), not habitat_1(X).",
        "habitat_1(X) :- mammal(X), not ab1(X).",
        "habitat_2(X) :- fish(X).",
        "habitat_3(X) :- whale(X).",
        "ab1(X) :- whale(X).",
    ]


def test_unary_predicates_are_negated_without_a_value() -> None:
    """A unary predicate prints without its category, whether it fails or is absent."""
    program = Program("y", ("p", "q"), (Rule("a", (differs("p", "yes"), Literal("q", "missing"), equal("q", "no"))),))
    assert to_text(program, unary={"p", "q"}) == "y(X,'a') :- not p(X), not q(X), q(X,'no')."


def test_otherwise_is_the_last_rule() -> None:
    """The label of uncovered records is a last fact if order counts; otherwise it excludes every rule."""
    program = Program("y", ("f",), (Rule("a", (equal("f", "x"),)), Rule("b", (equal("f", "z"),))), "c")
    assert to_text(program).splitlines()[2:] == ["y(X,'c')."]
    assert to_text(program, "exclusive").splitlines()[2] == "y(X,'c') :- not y_2(X), not y_1(X)."


def test_a_program_without_rules() -> None:
    """No rules give no text, or one fact if there is a label for the rest."""
    assert to_text(Program("y", ())) == ""
    assert to_text(Program("y", (), (), "a"), "exclusive") == "y(X,'a')."


@pytest.mark.parametrize(
    ("label", "spelled"),
    [("3", "'3'"), (3, "3"), (3.0, "3.0"), (True, "true"), ("True", "'True'"), (-math.inf, "-inf"), (0, "0")],
)
def test_labels_show_their_type(label: Label, spelled: str) -> None:
    """Text labels are in quotes, numbers and booleans are not."""
    assert to_text(Program("y", (), (Rule(label),))) == f"y(X,{spelled})."
    assert to_text(Program("y", (), (), label)) == f"y(X,{spelled})."


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("surface_quality", "surface_quality"),
        ("a1", "a1"),
        ("étage", "étage"),
        ("Age", "'Age'"),
        ("_x", "'_x'"),
        ("1st", "'1st'"),
        ("not", "'not'"),
        ("", "''"),
        ("od280/od315", "'od280/od315'"),
        ("it's", r"'it\'s'"),
        ("two words", "'two words'"),
    ],
)
def test_plain_names_stay_plain(name: str, spelled: str) -> None:
    """A name with a small first letter and no odd characters stays plain; any other is in quotes."""
    program = Program(name, ("f",), (Rule("a"),))
    assert to_text(program) == f"{spelled}(X,'a')."
    assert to_text(Program("y", (name,), (Rule("a", (equal(name, "v"),)),))) == f"y(X,'a') :- {spelled}(X,'v')."


def test_names_in_quotes_keep_them_in_the_exclusive_form() -> None:
    """The number of a rule is inside the quotes of its target."""
    assert (
        to_text(Program("My class", (), (Rule("a"),)), "exclusive")
        == "'My class'(X,'a') :- 'My class_1'(X).\n'My class_1'(X)."
    )


@pytest.mark.parametrize(
    "value",
    ["a\nb", "a\r\x85\u2028\x0b\x0cb", "'", '"', "\\", "\\'", "').\nab1(X", "\0", "\ud800", "\u202e", "", " ", "%"],
)
def test_a_rule_is_one_line_whatever_its_values(value: str) -> None:
    """No value or name can break a line, and different values never print alike."""
    program = Program(f"y{value}", (value,), (Rule(value, (equal(value, value),)),))
    text = to_text(program)
    assert len(text.splitlines()) == 1
    assert text.isprintable()
    assert text != to_text(Program("y\\n", ("\\n",), (Rule("\\n", (equal("\\n", "\\n"),)),)))


def test_numbers_print_to_the_last_bit() -> None:
    """A bound prints as the shortest text of exactly that number, infinities included."""
    for number in (5e-324, 1.7976931348623157e308, 1 / 3, 1e22, math.inf, -math.inf):
        text = to_text(Program("y", ("f",), (Rule("a", (Literal("f", "<=", number),)),)))
        assert float(text.removeprefix("y(X,'a') :- f(X,N0), N0=<").removesuffix(".")) == number


def test_an_unknown_style_is_refused() -> None:
    """The message about a wrong style suggests one."""
    with pytest.raises(ParameterError, match=r"no style 'papre'; did you mean 'paper'\?"):
        to_text(Program("y", ()), "papre")  # type: ignore[arg-type]


def test_the_deepest_program_prints() -> None:
    """Exceptions at the greatest allowed depth print, innermost first."""
    rule = unless(equal("f", "1"))
    for number in range(2, MAX_DEPTH):
        rule = unless(equal("f", str(number)), exceptions=(rule,))
    lines = to_text(Program("y", ("f",), (Rule("a", (), (rule,)),))).splitlines()
    assert len(lines) == MAX_DEPTH
    assert lines[0] == "y(X,'a') :- not ab199(X)."
    assert lines[-1] == "ab199(X) :- f(X,'199'), not ab198(X)."


def test_levels_are_looked_up_and_not_searched():
    """An order of many levels is read in linear time: a level is compared with hardly any other one."""
    compared = []

    class Level(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            compared.append(other)
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    order = LevelNotation(tuple(Level(f"level {k}") for k in range(500)))
    assert [order.number(f"level {k}") for k in range(500)] == list(range(500))
    assert order.number("another level") is None
    assert len(compared) < 2_000


@pytest.mark.parametrize("label", [str, int])
def test_known_labels_are_looked_up_and_not_searched(label, monkeypatch):
    """A text of many labels that are known is read in linear time: no label is compared with all the others."""
    searched = []
    monkeypatch.setattr("unless.export.rule_parser.program_builder.label_index", lambda *given: searched.append(given))
    rules = tuple(Rule(label(k), (Literal("x", ">", float(k)),)) for k in range(300))
    program = Program("y", ("x",), rules, label(300))
    assert parse(str(program), like=program) == program
    assert not searched


@pytest.mark.parametrize(
    "text",
    [
        lambda count: "y if " + " and ".join(f"x{k} > {k}" for k in range(count)),
        lambda count: "y if a is 'b'" + "".join(f"\n   unless c{k} is not 'v {k}'" for k in range(count)),
        lambda count: "\n".join(f"y{k} if x{k % 7} > {k} and <= {k + 1}" for k in range(count)),
        lambda count: "y if " + " and ".join(f"x{k} > {k}" for k in range(count)) + " and and",
    ],
    ids=["conditions", "exceptions", "rules", "mistake"],
)
def test_long_texts_are_read_in_linear_time(text):
    """Four times as many conditions need four times as many steps, in all shapes, also where the last one is wrong."""
    few, many = (_steps(text(count)) for count in (500, 2_000))
    assert few < many < 4.2 * few


def _steps(text: str) -> int:
    """How many functions are called to read a text."""
    steps = 0

    def count(_frame: object, event: str, _what: object) -> None:
        nonlocal steps
        steps += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        parse(text)
    except RuleTextError:
        pass
    finally:
        sys.setprofile(None)
    return steps
