"""Random worlds, and what a definition means in them, found one row at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from unless.relational import NUMBER, FeatureSet, Relation, RelationalProgram, World, evaluate, parse_definition
from unless.rule import Literal, Program, Rule

TEXTS = [
    "exists: part(X,A), long(A)",
    "exists: part(X,A), long(A), size(A,B), B <= 0.5",
    'exists: part(X,A), colour(A,"light blue")',
    "exists: part(X,A), colour(A,B), B != red",
    "exists: part(X,A), part(X,B), A != B, size(A,C), size(B,D), C < D",
    "exists: part(X,A), near(A,B), long(B)",
    "exists: part(X,A), near(A,A)",
    "exists: part(X,A), colour(A,purple)",
    "exists: part(X,A), weight(A,B)",
    "exists: part(X,A), size(A,1)",
    "exists: part(X,A), size(A,B), age(X,B)",
    "count A: part(X,A)",
    "count A: part(X,A), near(A,B), long(B)",
    "count A: part(X,A), near(A,_)",
    "count A,B: part(X,A), near(A,B)",
    "share of A: part(X,A) | long(A)",
    "share of A: part(X,A) | near(A,B), long(B)",
    "least B of A: part(X,A), size(A,B)",
    "greatest B of A: part(X,A), long(A), size(A,B)",
    "sum B of A: part(X,A), size(A,B)",
    "mean C of A,B: part(X,A), link(A,B,C)",
    "sum C of A: part(X,A), near(A,B), long(B), size(A,C)",
    "latest C by B of A: part(X,A), size(A,B), link(A,A,C)",
    "latest C by B of A: part(X,A), size(A,B), colour(A,C)",
    "value A: age(X,A)",
    "value B: part(X,A), colour(A,B)",
]


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
    values = [one[definition.value] for one in (found if definition.how == "value" else keys.values())]
    return _AGGREGATES[definition.how](values) if values else None


_AGGREGATES = {
    "value": min,
    "least": min,
    "greatest": max,
    "sum": math.fsum,
    "mean": lambda values: math.fsum(values) / len(values),
}


PAIRS = [
    "exists: part(X1,A), part(X2,B), near(A,B)",
    "exists: part(X1,A), long(A), part(X2,B), size(A,C), size(B,D), C < D",
    "exists: age(X1,A), age(X2,A)",
    "count A: part(X1,A)",
    "least B of A: part(X2,A), size(A,B)",
    "value A: age(X2,A)",
    "share of A: part(X1,A) | colour(A,red)",
]


def pair_world(seed: int, individuals: int = 10) -> World:
    """The pairs of different things of a random world."""
    one = random_world(seed, individuals)
    pairs = np.array([(a, b) for a in range(individuals) for b in range(individuals) if a != b])
    return World(one.relations, one.names, ("thing", "thing"), (pairs[:, 0], pairs[:, 1]))


def random_programs(world: World, seed: int, count: int) -> Iterator[RelationalProgram]:
    """Programs with exceptions, over random features of a world and values that they have."""
    rng = np.random.default_rng(seed)
    width = len(world.root)
    texts = [one for one in (TEXTS if width == 1 else PAIRS) if "weight" not in one]
    for _ in range(count):
        chosen = rng.choice(len(texts), min(6, len(texts)), replace=False)
        definitions = {f"feature {k}": parse_definition(texts[k], width) for k in chosen.tolist()}
        literals = [one for name, text in definitions.items() for one in _literals(name, text, world, rng)]

        def body(most: int, literals=literals) -> tuple[Literal, ...]:
            return tuple(literals[k] for k in rng.integers(0, len(literals), rng.integers(1, most + 1)))

        def exceptions(depth: int) -> tuple[Rule, ...]:
            return tuple(Rule(None, body(2), exceptions(depth - 1)) for _ in range(rng.integers(0, 3) * (depth > 0)))

        rules = tuple(Rule(f"label {rng.integers(0, 3)}", body(2), exceptions(2)) for _ in range(rng.integers(2, 7)))
        otherwise = "label 0" if rng.random() < 0.5 else None
        yield RelationalProgram(Program("y", tuple(definitions), rules, otherwise), FeatureSet(definitions, world.root))


def _literals(name: str, definition, world: World, rng) -> list[Literal]:
    column = evaluate(world, definition).column(name, world)
    values = [column.value(code) for code in sorted(set(column.codes.tolist()))]
    found = [Literal(name, "missing"), Literal(name, "present")]
    for one in rng.permutation(np.array(values, dtype=object)).tolist()[:4]:
        if isinstance(one, float):
            found += [Literal(name, "<=", one), Literal(name, ">", one), Literal(name, ">", one - 0.25)]
        elif isinstance(one, str):
            found += [Literal(name, "==", one), Literal(name, "!=", one)]
    return found
