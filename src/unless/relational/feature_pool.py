"""The columns that a learner may choose from: cheap columns first, then columns found by search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.relational.attributes import Attribute, Attributes
from unless.relational.definitions import Definition, Goal, How, normal
from unless.relational.evaluation import YES_NO, Bindings, Values, aggregate, bindings, distinct, latest, notation_of
from unless.relational.part_search import SUPPORT
from unless.relational.part_tables import PartTable, PartTest, RowAttribute, RowDescriber, is_moment
from unless.relational.world import NUMBER, Relation, World
from unless.table import Column, Labels, Table

_ENDS: tuple[How, ...] = ("least", "greatest")
_SUMS: tuple[How, ...] = ("mean", "sum")


class FeaturePool:
    """Columns with their definitions, in order of addition; of equal columns, only the first is added."""

    def __init__(self, world: World, target: str) -> None:
        self.world = world
        self.definitions: dict[str, Definition] = {}
        self.columns: list[Column] = []
        self._taken = {target}
        self._seen: set[bytes] = set()

    def add(self, definition: Definition, cells: NDArray[Any], kind: str = YES_NO) -> bool:
        """Add a column; return False if it is constant or repeats another column."""
        if kind == YES_NO:
            if not SUPPORT <= int(cells.sum()) <= len(cells) - SUPPORT:
                return False
            key = b"yes" + np.packbits(cells if cells[0] else ~cells).tobytes()
        else:
            if not _differ(cells):
                return False
            key = kind.encode() + (cells.astype(np.float64) + 0.0).tobytes()
        name = self._name(definition)
        if key in self._seen or name in self.definitions:
            return False
        self._seen.add(key)
        self.definitions[name] = definition
        self.columns.append(Values(kind, cells, notation_of(self.world, definition)).column(name, self.world))
        return True

    def _name(self, definition: Definition) -> str:
        """Name a column: as in the main table, or after its definition."""
        prefix = f"{self.world.root[0]}."
        goals = definition.goals
        if definition.how == "value" and definition.width == 1 and len(goals) == 1 and goals[0].name.startswith(prefix):
            short = goals[0].name.removeprefix(prefix)
            return str(definition) if short in self._taken else short
        return str(definition)

    def table(self, labels: Labels) -> Table:
        """Return the columns so far with labels, as a table."""
        return Table(tuple(self.columns), labels, rows=len(self.world))


def _differ(cells: NDArray[Any]) -> bool:
    if cells.dtype.kind == "f":
        known = cells[~np.isnan(cells)]
        return len(known) > 0 and (len(known) < len(cells) or bool(known.min() < known.max()))
    return bool((cells != cells[0]).any())


def add_individual(pool: FeaturePool, attributes: Attributes) -> None:
    """Add the attributes of the individuals themselves; for a pair, also attributes of both entities together."""
    world = pool.world
    found = bindings(world, ())
    for one in individual_attributes(attributes):
        how: Any = "exists" if one.kind == YES_NO else "value"
        pool.add(normal(Definition(how, one.goals, one.value, width=len(world.root))), one.read(found), one.kind)


def individual_attributes(attributes: Attributes) -> Iterator[RowAttribute]:
    """Return the attributes of the entities of an individual, and attributes that compare two of its entities."""
    root = attributes.world.root
    describe = RowDescriber(attributes, len(root))
    each = [describe.entity(place, kind) for place, kind in enumerate(root)]
    for some in each:
        yield from some
    for a in range(len(root)):
        for b in range(a + 1, len(root)):
            yield from describe.together(a, b, (root[a], root[b]), each[a], each[b])


class PartValues:
    """Computes values for each individual from one table of parts."""

    def __init__(self, table: PartTable, world: World) -> None:
        self.table, self.world, self.found = table, world, table.found

    def passing(self, tests: Sequence[PartTest]) -> NDArray[np.bool_]:
        """Find the rows that pass all tests."""
        mask = np.ones(len(self.found), np.bool_)
        for test in tests:
            mask &= test.holds(self.found, self.world)
        return mask

    def exists(self, tests: Sequence[PartTest]) -> NDArray[np.bool_]:
        """Find the individuals with a row that passes all tests."""
        out = np.zeros(len(self.world), np.bool_)
        out[self.found.owner[self.passing(tests)]] = True
        return out

    def number(self, tests: Sequence[PartTest] = ()) -> NDArray[np.float64]:
        """Count the parts that pass all tests."""
        found = self.found.of(np.flatnonzero(self.passing(tests))) if tests else self.found
        return np.bincount(distinct(found, self.table.over).owner, minlength=len(self.world)).astype(np.float64)

    def aggregates(self, attribute: RowAttribute) -> Iterator[tuple[How, NDArray[np.float64]]]:
        """Compute the least, greatest, mean and sum of a number; moments have no sum."""
        cells = attribute.read(self.found).astype(np.float64)
        rows = np.flatnonzero(~np.isnan(cells))
        found = Bindings(self.found.owner[rows], {-1: cells[rows]}, {}, frozenset())
        for how in _ENDS if is_moment(self.world, attribute) else (*_ENDS, *_SUMS):
            yield how, aggregate(how, found, -1, len(self.world))

    def latest(self, attribute: RowAttribute) -> tuple[Definition, NDArray[Any]] | None:
        """Return an attribute of the most recent part, if the times of parts are known."""
        entity = attribute.entities[0]
        relation = self.world.relations.get((self.world.times.get(self.table.found.types[entity], ""), 2))
        if relation is None:
            return None
        value = attribute.value or 0
        when = Attribute((), NUMBER, _by_entity(relation, self.world), None).take(self.found.columns[entity])
        cells = attribute.read(self.found)
        known = ~np.isnan(when) & (~np.isnan(cells) if attribute.kind == NUMBER else cells >= 0)
        rows = np.flatnonzero(known)
        by = 1 + max(one for goal in (*self.table.goals, *attribute.goals) for one in goal.variables)
        found = Bindings(self.found.owner[rows], {value: cells[rows], by: when[rows]}, {}, frozenset())
        goals = (*self.table.goals, *attribute.goals, Goal(relation.name, (entity, by)))
        definition = Definition("latest", goals, value, self.table.over, by=by, width=self.table.width)
        return normal(definition), latest(self.world, found, value, by, attribute.kind)


def _by_entity(relation: Relation, world: World) -> NDArray[np.float64]:
    """Return the number that a relation gives to each entity."""
    cells = np.full(world.size(relation.types[0]), np.nan)
    cells[relation.columns[0]] = relation.columns[1]
    return cells


def add_parts(pool: FeaturePool, values: PartValues, tests: Sequence[PartTest]) -> None:
    """Add the number of parts, the aggregates of their numbers, and whether some part has each property."""
    table = values.table
    if not table.single:
        return  # longer paths only add the features found by search
    pool.add(table.definition("count", over=table.over), values.number(), NUMBER)
    for attribute in table.attributes:
        if attribute.kind == NUMBER:
            for how, cells in values.aggregates(attribute):
                pool.add(_aggregate(table, how, attribute), cells, NUMBER)
        if attribute.value is not None and (found := values.latest(attribute)) is not None:
            pool.add(*found, attribute.kind)
    whole = values.number()
    for test in tests:
        pool.add(table.definition("exists", (test,)), values.exists((test,)))
        some = values.number((test,))
        if some.max(initial=0) > 1:
            pool.add(table.definition("count", (test,), over=table.over), some, NUMBER)
            with np.errstate(invalid="ignore"):
                pool.add(
                    table.definition("share", (test,), over=table.over, among=len(table.goals)), some / whole, NUMBER
                )


def _aggregate(table: PartTable, how: How, attribute: RowAttribute) -> Definition:
    """Define the least, greatest, mean or sum of an attribute of parts."""
    goals = (*table.goals, *attribute.goals)
    return normal(Definition(how, goals, attribute.value, table.over, width=table.width))
