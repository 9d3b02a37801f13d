"""Programs over features that are defined by goals."""

import numpy as np
import pytest

from tests.relational.worlds import random_world
from unless.errors import ProgramError
from unless.relational import FeatureSet, RelationalProgram, World, evaluate, parse_definition
from unless.rule import Literal, Program, Rule

LONG, OLD = parse_definition("exists: part(X,A), long(A)"), parse_definition("value A: age(X,A)")
FEATURES = FeatureSet({"long": LONG, "age": OLD}, ("thing",))
YES = Rule("good", (Literal("long", "==", "yes"),), (Rule(None, (Literal("age", ">", 1.0),)),))
PROGRAM = Program("label", ("long", "age"), (YES,), "bad")


@pytest.mark.parametrize("seed", range(5))
def test_a_program_decides_the_individuals_of_any_world(seed):
    """Each individual gets the label that its features ask for."""
    world = random_world(seed)
    long, age = (evaluate(world, one).cells for one in (LONG, OLD))
    wanted = ["good" if has and not years > 1 else "bad" for has, years in zip(long, age, strict=True)]
    assert RelationalProgram(PROGRAM, FEATURES).predict(world).tolist() == wanted


def test_definitions_come_back_from_json():
    """What is written is read, and decides the same."""
    read = FeatureSet.from_dict(FEATURES.to_dict())
    assert (read.definitions, read.root) == (FEATURES.definitions, FEATURES.root)


@pytest.mark.parametrize(
    ("node", "problem"),
    [
        ([], "relational features"),
        ({"root": ["thing"]}, "'?\"?features"),
        ({"root": [1], "features": []}, r"root\[0\]"),
        ({"root": ["thing"], "features": [["a"]]}, r"features\[0\]"),
        ({"root": ["thing"], "features": [["a", "exists"]]}, "definition"),
    ],
)
def test_what_defines_no_features_is_refused(node, problem):
    """The error says where the document is wrong."""
    with pytest.raises(ProgramError, match=problem):
        FeatureSet.from_dict(node)


def test_a_feature_without_definition_is_refused():
    """A program tests only what is defined."""
    with pytest.raises(ProgramError, match="'age', which has no definition"):
        RelationalProgram(PROGRAM, FEATURES.only(["long"]))


def test_a_world_of_other_individuals_is_refused():
    """A program about things decides no pairs of things."""
    world = random_world(0)
    pairs = World(world.relations, world.names, ("thing", "thing"), (np.arange(3), np.arange(3)))
    with pytest.raises(ProgramError, match="individuals of thing, but the world has thing and thing"):
        RelationalProgram(PROGRAM, FEATURES).predict(pairs)
