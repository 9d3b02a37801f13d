"""Relational programs and explanations in words."""

from __future__ import annotations

import numpy as np
import pytest

from tests.relational.worlds import pair_world, random_programs, random_world, substitutions
from unless.errors import UnlessError
from unless.relational import NUMBER, FeatureSet, Relation, RelationalProgram, World, parse_definition
from unless.relational.explanation import explain_individual, find_individual, why_not
from unless.relational.phrases import literal_phrase
from unless.relational.rule_text import program_text
from unless.relational.witnesses import witness_text
from unless.rule import Literal, Program, Rule

ORDER = "exists: orders(X,A), orders.total(A,B), B > 50, orders.month(A,last)"


@pytest.mark.parametrize(
    ("definition", "literal", "text"),
    [
        (ORDER, ("==", "yes"), "it has an order with total > 50 and month = last"),
        (ORDER, ("!=", "yes"), "it has no order with total > 50 and month = last"),
        ("exists: mammal(X)", ("==", "no"), "it is not mammal"),
        ("exists: has_car(X,A), long(A), has_load(A,B), circle(B)", ("==", "yes"),
         "it has a car that is long, with a load that is circle"),
        ("exists: has_car(X,A), has_car(X,B), A != B, short(A), long(B)", ("==", "yes"),
         "it has a car that is short and another car that is long"),
        ("exists: part(X,A), part(X,B), size(A,C), size(B,D), C < D", ("==", "yes"),
         "it has a part A and a part B, where the size of part A < the size of part B"),
        ("exists: atm(X,A,c,B,_), B > 0.1", ("==", "yes"), "it has an atm with atm.3 = c and atm.4 > 0.1"),
        ("count A: orders(X,A)", (">", 2.0), "it has more than 2 orders"),
        ("count A: orders(X,A), paid(A)", ("<=", 1.5), "it has at most 1 order that is paid"),
        ("count A: orders(X,A), paid(A)", ("<=", 0.0), "it has no order that is paid"),
        ("count B: orders(X,A), items(A,B), large(B)", (">", 2.0),
         "the number of items that are large of its orders > 2"),
        ("least B of A: orders(X,A), orders.total(A,B)", ("<=", 30.0), "the least total of its orders <= 30"),
        ("sum B of A: orders(X,A), orders.total(A,B)", ("missing", None),
         "the sum of the total of its orders is missing"),
        ("share of A: orders(X,A) | paid(A)", (">", 0.5), "the share of its orders that are paid > 0.5"),
        ("latest C by B of A: orders(X,A), orders.date(A,B), orders.state(A,C)", ("==", "open"),
         "the state of the latest of its orders by date = open"),
        ("value A: age(X,A)", (">", 29.999999999999996), "its age >= 30"),
        ("value B: owner(X,A), age(A,B)", ("<=", 3.0), "the age of its owner <= 3"),
    ],
)  # fmt: skip
def test_conditions_in_words(definition, literal, text):
    """Each kind of feature reads as a sentence about the individual and its parts."""
    assert literal_phrase(Literal("f", *literal), parse_definition(definition)) == text


def test_pairs_in_words():
    """Conditions of a pair say which of the two they are about."""
    definition = parse_definition("exists: polar(X1,A), polar(X2,B), A > B", 2)
    assert literal_phrase(Literal("f", "==", "yes"), definition) == "the first's polar > the second's polar"


def customers() -> tuple[RelationalProgram, World]:
    """Three customers: one with a large order, one with a small one, one without orders."""
    names = {"customer": ["ann", "bob", "cy"], "order": ["1042", "1038", "1040"], "month": ["last", "may"]}
    relations = [
        Relation("orders", ("customer", "order"), (np.array([0, 1, 0]), np.arange(3))),
        Relation("orders.total", ("order", NUMBER), (np.arange(3), np.array([60.0, 12.0, 70.0]))),
        Relation("orders.month", ("order", "month"), (np.arange(3), np.array([0, 0, 1]))),
    ]
    world = World({one.signature: one for one in relations}, names, ("customer",), (np.arange(3),))
    definitions = {
        "large": parse_definition(ORDER),
        "least": parse_definition("least B of A: orders(X,A), orders.total(A,B)"),
    }
    churns = Rule("yes", (Literal("large", "==", "no"),), (Rule(None, (Literal("least", "<=", 15.0),)),))
    program = Program("churn", tuple(definitions), (churns,), "no")
    return RelationalProgram(program, FeatureSet(definitions, ("customer",))), world


def test_rules_in_words():
    """A program reads as rules about the individual and its parts."""
    assert program_text(customers()[0]) == (
        "churn if it has no order with total > 50 and month = last, unless (the least total of its orders <= 15)\n"
        "not churn otherwise"
    )


def test_explanations_name_the_parts():
    """An explanation names the part that fits, or the nearest one and what it lacks."""
    program, world = customers()
    assert str(explain_individual(program, world, find_individual(world, "cy"))) == (
        "cy: churn (rule 1)\n"
        "  because it has no order with total > 50 and month = last: there is no order\n"
        "  and no exception applies: the least total of its orders is missing"
    )
    assert why_not(program, world, 0, "yes") == (
        "ann: why not churn\n"
        "  rule 1 does not decide: it has an order with total > 50 and month = last: order 1042, with total 60"
    )
    assert why_not(program, world, 1, "yes") == (
        "bob: why not churn\n"
        "  rule 1 does not decide: an exception applies: the least total of its orders <= 15: order 1038, with total 12"
    )
    found = explain_individual(program, world.of(np.array([1])), 0)
    assert (found.label, found.rule, found.to_dict()["individual"]) == ("no", None, ["bob"])
    large = Program("churn", ("large",), (Rule("yes", (Literal("large", "==", "no"),)),), "no")
    text = str(explain_individual(RelationalProgram(large, program.features), world, 1))
    assert text.endswith("total > 50 and month = last: the nearest, order 1038, has total 12")


def test_nobody_of_that_name():
    """A name that nobody has is refused with the nearest."""
    _, world = customers()
    with pytest.raises(UnlessError, match="no individual 'amn'; did you mean 'ann'"):
        find_individual(world, "amn")


@pytest.mark.parametrize("seed", range(4))
def test_every_explanation_agrees_with_prediction(seed):
    """For random programs, individuals and pairs, the label explained is predicted, and each condition holds."""
    for world in (random_world(seed, 12), pair_world(seed, 5)):
        for program in random_programs(world, seed, 3):
            assert program_text(program)
            predicted = program.predict(world)
            for row in range(len(world)):
                found = explain_individual(program, world, row)
                assert found.label == predicted[row]
                assert all(one.holds for one in found.because)
                for label in program.program.labels:
                    assert why_not(program, world, row, label)


@pytest.mark.parametrize(
    "text", ["exists: part(X,A), long(A), size(A,B), B <= 0.5", "exists: part(X,A), near(A,B), long(B)"]
)
def test_witnesses_satisfy_the_goals(text):
    """The parts that are named satisfy the goals that they are named for."""
    definition = parse_definition(text)
    world = random_world(4, 12)
    for row, name in enumerate(world.names["thing"]):
        found = substitutions(world, definition.goals, name)
        shown = witness_text(world.of(np.array([row])), definition)
        assert bool(shown) == bool(found)
        assert not found or any(f"part {one[1]}" in shown for one in found)
