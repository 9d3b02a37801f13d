"""The predicates of a program: one for its target, and those that each feature needs.

A feature has one predicate for numbers and one for text, because each engine orders numbers and text in its own way. A
missing cell has no fact.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from unless.logic.integers import WHOLE, Scale, scale_of
from unless.logic.names import Names
from unless.rule import Literal, Program


@dataclass(frozen=True, slots=True)
class Feature:
    """The predicates of a feature, None for those that the program does not need.

    ``number`` and ``text`` hold the cells of either kind, ``present`` is true of a record that has a cell. ``scale``
    turns its numbers, if it has any, into integers.
    """

    name: str
    number: str | None = None
    text: str | None = None
    present: str | None = None
    scale: Scale = WHOLE


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The predicates of a program: of its target, and of every feature by name."""

    target: str
    features: dict[str, Feature]


def vocabulary(program: Program, avoided: Collection[str] = ()) -> Vocabulary:
    """The predicates that a program needs, all with different names, none of them among those to avoid."""
    names = Names(set(avoided))
    target = names.new(program.target)
    literals: dict[str, list[Literal]] = {name: [] for name in program.features}
    for rule in program.rules:
        for literal in rule.literals():
            literals[literal.feature].append(literal)
    return Vocabulary(target, {name: _feature(name, tests, names) for name, tests in literals.items()})


def _feature(name: str, literals: list[Literal], names: Names) -> Feature:
    if not literals:
        return Feature(name)
    thresholds = [literal.value for literal in literals if isinstance(literal.value, float)]
    presence = any(literal.value is None for literal in literals)
    texts = presence or any(isinstance(literal.value, str) for literal in literals)
    number = names.new(name) if thresholds or presence else None
    text = names.new(f"{name} text" if number else name) if texts else None
    present = names.new(f"{name} present") if presence else None
    return Feature(name, number, text, present, scale_of(thresholds))
