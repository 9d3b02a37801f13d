"""The columns that a learner may choose from: cheap ones at first, then those that are searched for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.relational.attributes import Attributes
from unless.relational.definitions import Definition, How, normal
from unless.relational.evaluation import YES_NO, Bindings, Values, aggregate, bindings, distinct
from unless.relational.part_search import SUPPORT
from unless.relational.part_tables import PartTable, PartTest, RowAttribute, RowDescriber
from unless.relational.world import NUMBER, World
from unless.table import Column, Labels, Table

_AGGREGATES: tuple[How, ...] = ("least", "greatest", "mean", "sum")


class FeaturePool:
    """Columns with their definitions, in the order in which they came; of equal ones the first."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.definitions: dict[str, Definition] = {}
        self.columns: list[Column] = []
        self._seen: set[bytes] = set()

    def add(self, definition: Definition, cells: NDArray[Any], kind: str = YES_NO) -> bool:
        """Add a column; False if it says nothing, or what another one says already."""
        if kind == YES_NO:
            if not SUPPORT <= int(cells.sum()) <= len(cells) - SUPPORT:
                return False
            key = b"yes" + np.packbits(cells if cells[0] else ~cells).tobytes()
        else:
            if not _differ(cells):
                return False
            key = kind.encode() + (cells.astype(np.float64) + 0.0).tobytes()
        name = str(definition)
        if key in self._seen or name in self.definitions:
            return False
        self._seen.add(key)
        self.definitions[name] = definition
        self.columns.append(Values(kind, cells).column(name, self.world))
        return True

    def table(self, labels: Labels) -> Table:
        """The columns so far, with labels."""
        return Table(tuple(self.columns), labels, rows=len(self.world))


def _differ(cells: NDArray[Any]) -> bool:
    if cells.dtype.kind == "f":
        known = cells[~np.isnan(cells)]
        return len(known) > 0 and (len(known) < len(cells) or bool(known.min() < known.max()))
    return bool((cells != cells[0]).any())


def add_individual(pool: FeaturePool, attributes: Attributes) -> None:
    """What is determinate of individuals themselves; of a pair, also of both together."""
    world = pool.world
    found = bindings(world, ())
    for one in individual_attributes(attributes):
        how: Any = "exists" if one.kind == YES_NO else "value"
        pool.add(normal(Definition(how, one.goals, one.value, width=len(world.root))), one.read(found), one.kind)


def individual_attributes(attributes: Attributes) -> Iterator[RowAttribute]:
    """The attributes of the entities of an individual, and what two of them say together."""
    root = attributes.world.root
    describe = RowDescriber(attributes, len(root))
    each = [describe.entity(place, kind) for place, kind in enumerate(root)]
    for some in each:
        yield from some
    for a in range(len(root)):
        for b in range(a + 1, len(root)):
            yield from describe.together(a, b, (root[a], root[b]), each[a], each[b])


class PartValues:
    """What parts of one table say of the individuals of a world."""

    def __init__(self, table: PartTable, world: World, found: Bindings | None = None) -> None:
        self.table, self.world = table, world
        self.found = bindings(world, table.goals) if found is None else found

    def passing(self, tests: Sequence[PartTest]) -> NDArray[np.bool_]:
        """The rows that pass all tests."""
        mask = np.ones(len(self.found), np.bool_)
        for test in tests:
            mask &= test.holds(self.found, self.world)
        return mask

    def exists(self, tests: Sequence[PartTest]) -> NDArray[np.bool_]:
        """The individuals with a row that passes all tests."""
        out = np.zeros(len(self.world), np.bool_)
        out[self.found.owner[self.passing(tests)]] = True
        return out

    def number(self, tests: Sequence[PartTest] = ()) -> NDArray[np.float64]:
        """How many parts pass all tests."""
        found = self.found.of(np.flatnonzero(self.passing(tests))) if tests else self.found
        return np.bincount(distinct(found, self.table.over).owner, minlength=len(self.world)).astype(np.float64)

    def aggregates(self, attribute: RowAttribute) -> Iterator[tuple[How, NDArray[np.float64]]]:
        """The least, greatest, mean and sum of a number."""
        cells = attribute.read(self.found).astype(np.float64)
        rows = np.flatnonzero(~np.isnan(cells))
        found = Bindings(self.found.owner[rows], {-1: cells[rows]}, {}, frozenset())
        for how in _AGGREGATES:
            yield how, aggregate(how, found, -1, len(self.world))


def add_parts(pool: FeaturePool, values: PartValues, tests: Sequence[PartTest]) -> None:
    """How many parts there are, what their numbers add up to, and which single properties they have."""
    table = values.table
    if not table.single:
        return  # of longer paths only what is searched for
    number = values.number()
    pool.add(table.definition("count", over=table.over), number, NUMBER)
    for attribute in table.attributes:
        if attribute.kind == NUMBER:
            for how, cells in values.aggregates(attribute):
                pool.add(aggregate_definition(table, how, attribute), cells, NUMBER)
    for test in tests:
        pool.add(table.definition("exists", (test,)), values.exists((test,)))
        some = values.number((test,))
        if some.max(initial=0) > 1:
            pool.add(table.definition("count", (test,), over=table.over), some, NUMBER)


def aggregate_definition(table: PartTable, how: How, attribute: RowAttribute) -> Definition:
    """The least, greatest, mean or sum of an attribute of parts."""
    goals = (*table.goals, *attribute.goals)
    return normal(Definition(how, goals, attribute.value, table.over, width=table.width))
