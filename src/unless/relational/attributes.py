"""Find the attributes of one entity: goals that lead from the entity to yes or no, a number, or a category.

Attributes are determinate: each entity has one value, even at the end of a chain of relations. Relations are followed
from wholes to parts, never back. So no attribute describes an individual through another individual, unless a relation
connects individuals directly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.relational.definitions import Goal
from unless.relational.evaluation import YES_NO
from unless.relational.world import NUMBER, Relation, Signature, World

FEW = 40
"""The maximum number of distinct entities in an argument for them to count as categories."""

MOST = 300
"""The maximum number of attributes per type of entities."""

Path = tuple[Signature, ...]
"""The relations that were followed, in order."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """A property of the entities of a type; variable 0 of its goals is the entity."""

    goals: tuple[Goal, ...]
    kind: str
    """``yes`` for yes or no, ``number``, or the type of the categories."""
    cells: NDArray[Any]
    """The value of each entity: booleans, numbers (NaN if missing) or codes (-1 if missing)."""
    value: int | None = None
    """The variable that holds the number or the category."""

    def take(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return the values for some entities, with a missing value for each missing entity."""
        return take_cells(self.cells, codes, self.kind)

    def after(self, goal: Goal, codes: NDArray[Any]) -> Attribute:
        """Return this attribute for the entity (variable 0) from which a goal leads to variable 1."""
        goals = (goal, *(shifted(one, 1) for one in self.goals))
        return Attribute(goals, self.kind, self.take(codes), None if self.value is None else self.value + 1)


def take_cells(cells: NDArray[Any], codes: NDArray[Any], kind: str) -> NDArray[Any]:
    """Return the cell of each code; the code -1 has no value."""
    if not len(cells):
        return np.full(len(codes), nothing(kind))
    found: NDArray[Any] = np.where(codes >= 0, cells[codes], nothing(kind))
    return found


def nothing(kind: str) -> Any:
    """Return the cell that stands for a missing value of a kind."""
    return {YES_NO: False, NUMBER: np.nan}.get(kind, -1)


def shifted(goal: Goal, by: int) -> Goal:
    """Return the goal with an offset added to its variables."""
    return goal.renamed({one: one + by for one in goal.variables})


@dataclass(frozen=True, eq=False)
class Reach:
    """Follow relations from the individuals of a world, and collect the facts about the entities reached."""

    world: World
    """Contains only facts about entities that can be reached from the individuals."""
    levels: Mapping[str, int]
    """The minimum number of relations from an individual to the entities of each type."""

    @classmethod
    def of(cls, world: World, depth: int) -> Reach:
        """Follow relations from the individuals up to a depth."""
        levels = _levels(world)
        met = _entities_met(world, levels, 2 * depth + 1)
        kept = {}
        for signature, relation in sorted(world.relations.items()):
            inside = np.ones(len(relation), np.bool_)
            for kind, cells in zip(relation.types, relation.columns, strict=True):
                inside &= ~np.isnan(cells) if kind == NUMBER else take_cells(met[kind], cells, YES_NO)
            if inside.any():
                kept[signature] = _rows(relation, inside)
        return cls(replace(world, relations=kept), levels)

    def follows(self, relation: Relation, i: int, j: int) -> bool:
        """Whether a relation is followed from argument ``i`` to argument ``j``: from a whole to its parts."""
        return i != j and _follows(self.levels, relation, i, j)


def _rows(relation: Relation, inside: NDArray[np.bool_]) -> Relation:
    if inside.all():
        return relation
    return Relation(relation.name, relation.types, tuple(cells[inside] for cells in relation.columns))


def _levels(world: World) -> dict[str, int]:
    """Compute the minimum number of relations from an individual to the entities of each type."""
    levels = dict.fromkeys(world.root, 0)
    edges = [{one for one in relation.types if one != NUMBER} for relation in world.relations.values()]
    level = 0
    while level in levels.values():
        here = {kind for kind, known in levels.items() if known == level}
        for kinds in edges:
            if kinds & here:
                levels |= dict.fromkeys(kinds - set(levels), level + 1)
        level += 1
    return levels


def _follows(levels: Mapping[str, int], relation: Relation, i: int, j: int) -> bool:
    """Whether the step leads down, stays within one type, or leads to a determined entity of the same level."""
    whole, part = relation.types[i], relation.types[j]
    if whole not in levels:
        return False
    if part == NUMBER:
        return True
    higher, lower = levels[whole], levels[part]
    return lower > higher or whole == part or (lower == higher and relation.functional(i))


def _entities_met(world: World, levels: Mapping[str, int], steps: int) -> dict[str, NDArray[np.bool_]]:
    """Find the entities that can be reached from the individuals by following relations."""
    met = {kind: np.zeros(world.size(kind), np.bool_) for kind in world.names}
    for kind, codes in zip(world.root, world.individuals, strict=True):
        met[kind][codes] = True
    for _ in range(steps):
        before = sum(int(one.sum()) for one in met.values())
        for relation in world.relations.values():
            _meet(relation, levels, met)
        if sum(int(one.sum()) for one in met.values()) == before:
            break
    return met


def _meet(relation: Relation, levels: Mapping[str, int], met: dict[str, NDArray[np.bool_]]) -> None:
    """Mark the entities that one relation leads to."""
    for i, kind in enumerate(relation.types):
        if kind == NUMBER or kind not in levels:
            continue
        rows = take_cells(met[kind], relation.columns[i], YES_NO)
        for j, other in enumerate(relation.types):
            if i != j and other != NUMBER and _follows(levels, relation, i, j):
                codes = relation.columns[j][rows]
                met[other][codes[codes >= 0]] = True


class Attributes:
    """The attributes of each type of entities, computed on request; ``left_out`` lists what exceeded the limits."""

    def __init__(self, reach: Reach, depth: int) -> None:
        self.reach, self.world, self.depth = reach, reach.world, depth
        self.left_out: list[str] = []
        self._found: dict[tuple[str, int, Path], tuple[Attribute, ...]] = {}

    def of(self, kind: str, depth: int | None = None, came: Path = ()) -> tuple[Attribute, ...]:
        """Return the attributes of a type, sorted by relation; the relations in ``came`` are not followed again."""
        key = kind, self.depth if depth is None else depth, came
        if key not in self._found:
            found = tuple(islice(self._find(*key), MOST + 1))
            if len(found) > MOST:
                self.left_out.append(f"attributes of {kind} after the first {MOST}")
            self._found[key] = found[:MOST]
        return self._found[key]

    def categories(self, relation: Relation, j: int) -> list[int]:
        """Return the entities in an argument, most frequent first, if they are few and repeated; otherwise none."""
        codes = relation.columns[j]
        counts = np.bincount(codes[codes >= 0])
        known = np.flatnonzero(counts).tolist()
        few = len(codes) if relation.types[0] in self.world.root else FEW
        if relation.types[j] in self.world.root or len(known) > few or len(codes) < 2 * len(known):
            return []
        names = self.world.names[relation.types[j]]
        return sorted(known, key=lambda code: (-counts[code], names[code]))

    def _find(self, kind: str, depth: int, came: Path) -> Iterator[Attribute]:
        times = self.world.times.values()
        for relation in self.world.relations.values():
            for i in (place for place, one in enumerate(relation.types) if one == kind):
                if relation.name in times:
                    continue
                if len(relation.types) == 1:
                    yield Attribute((Goal(relation.name, (0,)),), YES_NO, self._members(relation, kind))
                elif relation.signature in came:
                    continue
                elif relation.functional(i):
                    yield from self._determined(relation, i, depth, came)
                elif depth > 0:
                    yield from self._some(relation, i, depth, came)

    def _members(self, relation: Relation, kind: str) -> NDArray[np.bool_]:
        held = np.zeros(self.world.size(kind), np.bool_)
        held[relation.columns[0]] = True
        return held

    def _determined(self, relation: Relation, i: int, depth: int, came: Path) -> Iterator[Attribute]:
        """Yield the attributes that the other arguments give to the entity that determines them."""
        for j in range(len(relation.types)):
            if not self.reach.follows(relation, i, j):
                continue
            kind, goal = relation.types[j], goal_of(relation, {i: 0, j: 1})
            cells = np.full(self.world.size(relation.types[i]), nothing(kind))
            cells[relation.columns[i]] = relation.columns[j]
            if kind == NUMBER:
                yield Attribute((goal,), NUMBER, cells, 1)
                yield from self._kinds_of_number(goal, cells)
                continue
            if self.categories(relation, j):
                yield Attribute((goal,), kind, cells, 1)
            if depth > 0 and kind != relation.types[i]:
                for one in self.of(kind, depth - 1, (*came, relation.signature)):
                    yield one.after(goal, cells)

    def _kinds_of_number(self, goal: Goal, cells: NDArray[np.float64]) -> Iterator[Attribute]:
        """Yield whether the number is one that a unary relation lists, such as ``small(2)``."""
        for relation in self.world.relations.values():
            if relation.types == (NUMBER,):
                yield Attribute((goal, Goal(relation.name, (1,))), YES_NO, np.isin(cells, relation.columns[0]))

    def _some(self, relation: Relation, i: int, depth: int, came: Path) -> Iterator[Attribute]:
        """Yield whether at least one related entity has a given property."""
        owners = relation.columns[i]
        size = self.world.size(relation.types[i])
        for j, kind in enumerate(relation.types):
            if kind == NUMBER or not self.reach.follows(relation, i, j):
                continue
            for code in self.categories(relation, j):
                goal = goal_of(relation, {i: 0}, {j: self.world.names[kind][code]})
                yield Attribute((goal,), YES_NO, _marked(owners[relation.columns[j] == code], size))
            goal = goal_of(relation, {i: 0, j: 1})
            for one in self.of(kind, 0, (*came, relation.signature)) if depth > 1 else ():
                if one.kind == YES_NO:
                    held = owners[one.take(relation.columns[j])]
                    goals = (goal, *(shifted(goal, 1) for goal in one.goals))
                    yield Attribute(goals, YES_NO, _marked(held, size))


def _marked(codes: NDArray[Any], size: int) -> NDArray[np.bool_]:
    held = np.zeros(size, np.bool_)
    held[codes] = True
    return held


def goal_of(relation: Relation, variables: Mapping[int, int], constants: Mapping[int, str] | None = None) -> Goal:
    """Build a goal of a relation from variables and constants; the other arguments are ``_``."""
    known: dict[int, int | str] = {**variables, **(constants or {})}
    return Goal(relation.name, tuple(known.get(k) for k in range(len(relation.types))))


def goals_without_repeats(goals: Iterable[Goal]) -> tuple[Goal, ...]:
    """Remove repeated goals, keeping the order."""
    return tuple(dict.fromkeys(goals))
