"""Random worlds, and what a definition means in them, found one row at a time."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from unless.relational import NUMBER, Relation, World


def random_world(seed: int, individuals: int = 12) -> World:
    """Things with parts, which have properties, numbers (some missing), categories and neighbours."""
    rng = np.random.default_rng(seed)
    parts = int(rng.integers(1, 3 * individuals))
    names = {
        "thing": [f"t{k}" for k in range(individuals)],
        "part": [f"p{k}" for k in range(parts)],
        "colour": ["red", "light blue", "green"],
    }
    sizes = rng.integers(-2, 4, parts) / 2
    sizes[rng.random(parts) < 0.2] = np.nan
    some = np.flatnonzero(rng.random(parts) < 0.5)
    pairs = np.unique(rng.integers(0, parts, (2 * parts, 2)), axis=0)
    weights = rng.integers(0, 3, len(pairs)).astype(float)
    relations = [
        Relation("part", ("thing", "part"), (rng.integers(0, individuals, parts), np.arange(parts))),
        Relation("long", ("part",), (some,)),
        Relation("size", ("part", NUMBER), (np.arange(parts), sizes)),
        Relation("colour", ("part", "colour"), (np.arange(parts), rng.integers(-1, 3, parts))),
        Relation("near", ("part", "part"), (pairs[:, 0], pairs[:, 1])),
        Relation("link", ("part", "part", NUMBER), (pairs[:, 0], pairs[:, 1], weights)),
        Relation("age", ("thing", NUMBER), (np.arange(individuals), rng.integers(0, 3, individuals).astype(float))),
    ]
    return World({one.signature: one for one in relations}, names, ("thing",), (np.arange(individuals),))


def facts(world: World, name: str, arity: int) -> list[tuple[object, ...]]:
    """The facts of a relation, with the names of entities."""
    relation = world.relations[name, arity]
    columns = [_cells(world, *pair) for pair in zip(relation.types, relation.columns, strict=True)]
    return [row for row in zip(*columns, strict=True) if None not in row]


def _cells(world: World, kind: str, column: np.ndarray) -> list[object]:
    if kind == NUMBER:
        return [None if math.isnan(cell) else cell for cell in column.tolist()]
    return [world.names[kind][code] if code >= 0 else None for code in column.tolist()]


_COMPARE = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def substitutions(world: World, goals, individual: str) -> list[dict[int, object]]:
    """Every assignment of variables that satisfies all goals, found by trying all facts of every goal."""
    relations = [goal for goal in goals if not goal.compares]
    found = []
    for rows in product(*(facts(world, goal.name, len(goal.arguments)) for goal in relations)):
        bound: dict[int, object] = {0: individual}
        fits = all(
            argument is None or (bound.setdefault(argument, cell) if isinstance(argument, int) else argument) == cell
            for goal, row in zip(relations, rows, strict=True)
            for argument, cell in zip(goal.arguments, row, strict=True)
        )
        sides = [[bound.get(a, a) if isinstance(a, int) else a for a in one.arguments] for one in goals if one.compares]
        tests = [one.name for one in goals if one.compares]
        if fits and all(_COMPARE[op](*pair) for op, pair in zip(tests, sides, strict=True)):
            found.append(bound)
    return found


def meaning(world: World, definition, individual: str) -> object:
    """What a definition is for one individual."""
    found = substitutions(world, definition.goals, individual)
    keys = {tuple(one[v] for v in definition.over): one for one in found}
    if definition.how == "exists":
        return bool(found)
    if definition.how == "count":
        return float(len(keys))
    if definition.how == "share":
        among = substitutions(world, definition.goals[: definition.among], individual)
        whole = len({tuple(one[v] for v in definition.over) for one in among})
        return len(keys) / whole if whole else None
    if found and definition.how == "latest":
        return max(found, key=lambda one: (one[definition.by], one[definition.value]))[definition.value]
    values = [one[definition.value] for one in keys.values()]
    return _AGGREGATES[definition.how](values) if values else None


_AGGREGATES = {
    "value": min,
    "least": min,
    "greatest": max,
    "sum": math.fsum,
    "mean": lambda values: math.fsum(values) / len(values),
}
