"""Definitions of features: their texts, and what they mean."""

import numpy as np
import pytest

from tests.relational.worlds import TEXTS, meaning, random_world
from unless.errors import ProgramError
from unless.relational import NUMBER, Relation, World, evaluate, parse_definition


@pytest.mark.parametrize("text", TEXTS)
def test_definitions_are_read_from_the_texts_that_they_print(text):
    """A definition prints as it was written."""
    assert str(parse_definition(text)) == text


@pytest.mark.parametrize("text", TEXTS)
def test_features_are_what_trying_all_facts_gives(text):
    """The joins of columns find what a search through all combinations of facts finds."""
    definition = parse_definition(text)
    for seed in range(4):
        world = random_world(seed, 6)
        if ("weight", 2) in definition.relations:
            assert not evaluate(world, definition).cells.any()
            continue
        column = evaluate(world, definition).column("f", world)
        found = [column.value(code) for code in column.codes]
        wanted = [meaning(world, definition, one) for one in world.names["thing"]]
        if definition.how == "exists":
            wanted = ["yes" if one else "no" for one in wanted]
        assert found == pytest.approx(wanted)


@pytest.mark.parametrize(
    "text", ["", "exists", "exists: ", "most A: p(X,A)", "exists: p(X", "exists: p(X,A) q(A)", "least Z: p(X,A)"]
)
def test_what_is_no_definition_is_refused(text):
    """A text that is no definition gives an error that shows it."""
    with pytest.raises(ProgramError, match=r"feature|definition"):
        parse_definition(text)


def test_sums_of_decimals_are_exact():
    """A sum of decimals is the decimal that people get, whatever the order of the parts: 0.1 + 0.2 - 0.3 is 0."""
    sizes = [0.1, 0.2, -0.3, 0.7, 0.1, 0.1]
    names = {"thing": ["a", "b"], "part": [f"p{k}" for k in range(6)]}
    relations = [
        Relation("part", ("thing", "part"), (np.array([0, 0, 0, 1, 1, 1]), np.arange(6))),
        Relation("size", ("part", NUMBER), (np.arange(6), np.array(sizes))),
    ]
    world = World({one.signature: one for one in relations}, names, ("thing",), (np.arange(2),))
    assert evaluate(world, parse_definition("sum B of A: part(X,A), size(A,B)")).cells.tolist() == [0.0, 0.9]
    assert evaluate(world, parse_definition("mean B of A: part(X,A), size(A,B)")).cells.tolist() == [0.0, 0.3]


def test_names_decide_between_equally_late_values():
    """Of several latest categories the last by name counts, whatever their codes are."""
    names = {"thing": ["a"], "part": ["p", "q"], "colour": ["red", "blue"]}
    relations = [
        Relation("part", ("thing", "part"), (np.zeros(2, int), np.arange(2))),
        Relation("when", ("part", NUMBER), (np.arange(2), np.ones(2))),
        Relation("colour", ("part", "colour"), (np.arange(2), np.arange(2))),
    ]
    world = World({one.signature: one for one in relations}, names, ("thing",), (np.arange(1),))
    definition = parse_definition("latest C by B of A: part(X,A), when(A,B), colour(A,C)")
    assert evaluate(world, definition).cells.tolist() == [0]
