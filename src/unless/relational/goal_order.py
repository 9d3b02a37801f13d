"""Order goals so that each can be evaluated, and find which of their variables are numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from unless.errors import ProgramError
from unless.relational.definitions import Definition, Goal
from unless.relational.world import NUMBER, Signature
from unless.rule import Program

Types = Mapping[Signature, Sequence[str]]
"""The types of each relation's arguments."""


def in_order(goals: Iterable[Goal], bound: Iterable[int]) -> list[Goal]:
    """Order goals so that each relation shares a variable with earlier goals; comparisons come as early as possible."""
    waiting, known, found = list(goals), set(bound), list[Goal]()
    while waiting:
        place = next((k for k, goal in enumerate(waiting) if _ready(goal, known)), None)
        if place is None:
            raise ProgramError(f"no variable of {waiting[0].name} is bound by the goals before it")
        goal = waiting.pop(place)
        known.update(goal.variables)
        found.append(goal)
    return found


def _ready(goal: Goal, known: set[int]) -> bool:
    variables = goal.variables
    return known.issuperset(variables) if goal.compares else not variables or not known.isdisjoint(variables)


def number_variables(definition: Definition, types: Types) -> frozenset[int]:
    """Find the variables that hold numbers, by the types of relations if known, otherwise by the comparisons."""
    numbers: set[int] = set()
    for goal in definition.goals:
        if goal.compares:
            ordered = goal.name not in ("=", "!=") or any(isinstance(one, float) for one in goal.arguments)
            numbers.update(goal.variables if ordered else ())
        elif kinds := types.get((goal.name, len(goal.arguments))):
            numbers.update(
                one for one, kind in zip(goal.arguments, kinds, strict=True) if isinstance(one, int) and kind == NUMBER
            )
    if definition.how in ("least", "greatest", "mean", "sum") and definition.value is not None:
        numbers.add(definition.value)
    if definition.by is not None:
        numbers.add(definition.by)
    return frozenset(numbers)


def is_number(definition: Definition, types: Types) -> bool:
    """Whether the values of a feature are numbers, rather than yes/no or categories."""
    if definition.how in ("value", "latest"):
        return definition.value in number_variables(definition, types)
    return definition.how != "exists"


def types_by_tests(program: Program, definitions: Mapping[str, Definition]) -> dict[Signature, tuple[str, ...]]:
    """Find the arguments that must be numbers because rules compare them, if no world gives their types."""
    compared = {one.feature for rule in program for one in rule.literals() if isinstance(one.value, float)}
    found: dict[Signature, tuple[str, ...]] = {}
    for name in compared & set(definitions):
        definition = definitions[name]
        for goal in definition.goals if definition.value is not None else ():
            signature = goal.name, len(goal.arguments)
            if not goal.compares and definition.value in goal.arguments:
                known = found.get(signature, ("",) * signature[1])
                pairs = zip(goal.arguments, known, strict=True)
                found[signature] = tuple(NUMBER if one == definition.value else kind for one, kind in pairs)
    return found
