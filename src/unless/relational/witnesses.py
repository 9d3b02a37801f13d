"""Name the parts that make a condition true, or the nearest parts if none does.

*it has an order with total > 50: order 1042, with total 60*;
*it has no order with total > 50: the nearest, order 1038, has total 12*.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unless.relational.definitions import Definition, Goal
from unless.relational.evaluation import Bindings, bindings
from unless.relational.goal_order import in_order
from unless.relational.phrases import Entity, Tree, name_text, tree_of
from unless.relational.world import NUMBER, World
from unless.values import number_to_text

_MOST = 10_000
"""The maximum number of combinations of parts to compare when looking for the nearest."""


def witness_text(world: World, definition: Definition) -> str:
    """Describe the parts of a world's only individual that satisfy the goals; of several, the first by name."""
    found = bindings(world, definition.goals)
    if not len(found):
        return ""
    row = _chosen(world, definition, found)
    tree = tree_of(definition)
    return " and ".join(
        _with_values(world, tree, one, found, row) for one in _parts(tree) if one.variable in found.columns
    )


def _chosen(world: World, definition: Definition, found: Bindings) -> int:
    """Choose the row to show: the least, greatest or latest value, otherwise the first by name."""
    keys: list[NDArray[np.float64]] = []
    if definition.how in ("least", "greatest", "latest"):
        variable = definition.by if definition.how == "latest" else definition.value
        cells = found.columns[variable or 0].astype(np.float64)
        keys = [cells if definition.how == "least" else -cells]
    return int(_in_order(world, found, keys)[0])


def _in_order(world: World, found: Bindings, keys: Iterable[NDArray[np.float64]]) -> NDArray[np.int64]:
    """Sort the rows by some keys, then by the names of entities."""
    names = [
        world.sort_keys(found.types[one], cells) if one in found.types else cells
        for one, cells in found.columns.items()
    ]
    return np.lexsort([*reversed(names), *reversed(list(keys))])


def _parts(tree: Tree) -> list[Entity]:
    return [one for one in tree.entities.values() if one.parent is not None]


def _with_values(world: World, tree: Tree, entity: Entity, found: Bindings, row: int) -> str:
    """Name a part with the values of its relevant properties: ``order 1042, with total 60``."""
    values = [
        f"{name} {_cell(world, found, variable, row)}"
        for variable, (owner, name) in tree.values.items()
        if owner is entity and variable in found.columns
    ]
    text = f"{entity.noun} {_cell(world, found, entity.variable, row)}"
    return text + (f", with {' and '.join(values)}" if values else "")


def _cell(world: World, found: Bindings, variable: int, row: int) -> str:
    cell, kind = found.columns[variable][row], found.types.get(variable, NUMBER)
    return number_to_text(float(cell)) if kind == NUMBER else name_text(world.names[kind][int(cell)])


@dataclass(frozen=True, eq=False)
class _Test:
    """Goals about parts that may fail: a property and the value it is compared with, or an adjective."""

    goals: tuple[Goal, ...]
    value: int | None = None
    limit: float | None = None


def nearest_text(world: World, definition: Definition) -> str:
    """Explain why no parts of a world's only individual satisfy the goals: what the nearest parts lack.

    The nearest parts lack the fewest properties; ties are broken by the closest numbers. Empty if the goals relate
    several parts in ways that cannot be put briefly.
    """
    tree = tree_of(definition)
    path, tests = _split(definition, tree)
    if not path:
        return _own_text(world, definition, tree, tests)
    found = bindings(world, path)
    if not len(found):
        first = next(one for one in path if not one.compares)
        entity = next(
            tree.entities[one] for one in first.variables if one in tree.entities and tree.entities[one].parent
        )
        return (
            f"there is no such {entity.noun}"
            if len(path) > 1 or None in first.arguments
            else f"there is no {entity.noun}"
        )
    found = found.of(np.arange(min(len(found), _MOST)))
    passed = (
        np.stack([_passes(world, path, test, found) for test in tests]) if tests else np.ones((1, len(found)), bool)
    )
    gaps = np.zeros(len(found))
    for test, good in zip(tests, passed, strict=False):
        gaps += np.where(good, 0, _gap(world, path, test, found))
    row = int(_in_order(world, found, [(~passed).sum(0).astype(float), gaps])[0])
    lacking = [
        _lack(world, path, test, tree, found, row) for test, good in zip(tests, passed, strict=False) if not good[row]
    ]
    parts = [one for one in _parts(tree) if one.variable in found.columns]
    if not lacking or not parts:
        return ""
    named = " and ".join(f"{one.noun} {_cell(world, found, one.variable, row)}" for one in parts)
    return f"the nearest, {named}, {' and '.join(lacking)}"


def _split(definition: Definition, tree: Tree) -> tuple[list[Goal], list[_Test]]:
    """Split the goals into those that lead to parts and the tests on these parts."""
    known = {one.variable for one in tree.roots}
    path: list[Goal] = []
    rest: list[Goal] = []
    for goal in in_order(definition.goals, known):
        entities = {one for one in goal.variables if one in tree.entities}
        if not goal.compares and entities - known:
            path.append(goal)
            known |= entities
        elif goal.name == "!=" and entities == set(goal.variables) and len(entities) == 2:
            path.append(goal)
        else:
            rest.append(goal)
    return path, [_test(one, tree) for one in _connected(rest, tree)]


def _connected(goals: list[Goal], tree: Tree) -> list[list[Goal]]:
    """Group the goals that share values."""
    groups: list[tuple[set[int], list[Goal]]] = []
    for goal in goals:
        values, members = {one for one in goal.variables if one in tree.values}, [goal]
        for other in [one for one in groups if one[0] & values]:
            groups.remove(other)
            values, members = values | other[0], [*other[1], *members]
        groups.append((values, members))
    return [members for _, members in groups]


def _test(goals: list[Goal], tree: Tree) -> _Test:
    values = {one for goal in goals for one in goal.variables if one in tree.values}
    limits = [one for goal in goals if goal.compares for one in goal.arguments if isinstance(one, float)]
    return _Test(tuple(goals), next(iter(values)) if len(values) == 1 else None, limits[0] if limits else None)


def _keys(found: Bindings, variables: Sequence[int]) -> list[tuple[float, ...]]:
    return list(zip(*(found.columns[one].tolist() for one in variables), strict=True))


def _passes(world: World, path: list[Goal], test: _Test, found: Bindings) -> NDArray[np.bool_]:
    """Find the rows of the path that satisfy a test."""
    variables = sorted(found.columns)
    passing = set(_keys(bindings(world, [*path, *test.goals]), variables))
    return np.array([one in passing for one in _keys(found, variables)], np.bool_)


def _gap(world: World, path: list[Goal], test: _Test, found: Bindings) -> NDArray[np.float64]:
    """Compute the distance of each row's number from the limit of a test."""
    if test.value is None or test.limit is None:
        return np.zeros(len(found))
    values = _values(world, path, test, found)
    return np.array([abs(one - test.limit) if isinstance(one, float) else np.inf for one in values])


def _values(world: World, path: list[Goal], test: _Test, found: Bindings) -> list[object]:
    """Return the value that a test is about in each row; None if it is missing."""
    variables = sorted(found.columns)
    some = bindings(world, [*path, *(goal for goal in test.goals if not goal.compares)])
    if test.value is None or test.value not in some.columns:
        return [None] * len(found)
    kind = some.types.get(test.value, NUMBER)
    cells = some.columns[test.value].tolist()
    texts = cells if kind == NUMBER else [world.names[kind][one] for one in cells]
    by_row = dict(zip(_keys(some, variables), texts, strict=True))
    return [by_row.get(one) for one in _keys(found, variables)]


def _lack(world: World, path: list[Goal], test: _Test, tree: Tree, found: Bindings, row: int) -> str:
    """Describe the parts of a row that fail a test: ``has total 12``, ``is not long``."""
    goal = test.goals[0]
    if not goal.compares and len(goal.arguments) == 1:
        return f"is not {goal.name}"
    if test.value is not None:
        value = _values(world, path, test, found)[row]
        name = tree.values[test.value][1]
        if value is None:
            return f"has no {name}"
        return f"has {name} {number_to_text(value) if isinstance(value, float) else name_text(str(value))}"
    owner = next((tree.entities[one] for one in goal.variables if one in tree.entities), None)
    constant = next((one for one in goal.arguments if isinstance(one, str | float)), None)
    if owner is not None and not goal.compares and constant is not None and len(goal.arguments) == 2:
        return _other_value(world, path, goal, found, row)
    return "does not fit the others"


def _other_value(world: World, path: list[Goal], goal: Goal, found: Bindings, row: int) -> str:
    """Describe the property that should equal a constant: ``has total 12``."""
    fresh = 1 + max(one for other in (*path, goal) for one in other.variables)
    open_ = Goal(goal.name, tuple(fresh if isinstance(one, str | float) else one for one in goal.arguments))
    values = _values(world, path, _Test((open_,), fresh), found)
    name = goal.name.rpartition(".")[2]
    return f"has no {name}" if values[row] is None else f"has {name} {_shown(values[row])}"


def _shown(value: object) -> str:
    return number_to_text(value) if isinstance(value, float) else name_text(str(value))


def _own_text(world: World, definition: Definition, tree: Tree, tests: list[_Test]) -> str:
    """Describe the individual's own properties that fail tests."""
    found = bindings(world, [])
    for test in tests:
        if not _passes(world, [], test, found)[0] and len(test.goals[0].arguments) > 1:
            text = _lack(world, [], test, tree, found, 0)
            if text.startswith("has "):
                return f"it {text}" if definition.width == 1 else text
    return ""
