"""Tables of parts: one row for each way to satisfy the goals of a path, such as ``has_car(X,A), has_load(A,B)``.

A row has attributes: values in the relations of its path, attributes of its entities, and relations between two of its
entities. "Some part has these properties" holds of an individual if one of the individual's rows has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from unless.relational.attributes import Attribute, Attributes, Path, goals_without_repeats
from unless.relational.definitions import Argument, Definition, Goal, normal
from unless.relational.evaluation import YES_NO, Bindings, bindings, joined
from unless.relational.world import NUMBER, Relation, World
from unless.values.notation import DateNotation

TABLES, ROWS, PAIRS = 16, 300_000, 50_000
"""The maximum number of tables of parts, of their rows together, and of rows in a table of pairs."""


@dataclass(frozen=True, eq=False)
class RowAttribute:
    """A property of a row; its goals come after the goals of the table."""

    goals: tuple[Goal, ...]
    kind: str
    """``yes``, ``number``, or the type of its categories."""
    read: Callable[[Bindings], NDArray[Any]]
    """Reads the value of each row."""
    value: int | None = None
    """The variable that holds the number or the category."""
    entities: tuple[int, ...] = ()
    """The entities of the row that the attribute describes."""


class PartTest(NamedTuple):
    """A test on one attribute of a row."""

    attribute: RowAttribute
    op: OneOf["yes", "=", "<=", ">"]
    value: float | str | None = None
    """A threshold, a number, or the name of a category."""

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals that express the test."""
        goals, variable = self.attribute.goals, self.attribute.value
        if self.op == "yes" or variable is None or self.value is None:
            return goals
        if self.op == "=" and goals:
            return tuple(_with_constant(one, variable, self.value) for one in goals)
        return (*goals, Goal(self.op, (variable, self.value)))

    def holds(self, found: Bindings, world: World) -> NDArray[np.bool_]:
        """Find the rows that pass the test."""
        cells = self.attribute.read(found)
        match self.op, self.value:
            case "=", str(name):
                return np.asarray(cells == world.code(self.attribute.kind, name))
            case "=", number:
                return np.asarray(cells == number)
            case "<=", float(threshold):
                return np.asarray(cells <= threshold)
            case ">", float(threshold):
                return np.asarray(cells > threshold)
        return cells


def _with_constant(goal: Goal, variable: int, value: Argument) -> Goal:
    return Goal(goal.name, tuple(value if one == variable and isinstance(one, int) else one for one in goal.arguments))


@dataclass(frozen=True, eq=False)
class PartTable:
    """The rows of one path, and their attributes."""

    goals: tuple[Goal, ...]
    found: Bindings
    width: int
    over: tuple[int, ...] = ()
    """The variables that identify a part."""
    via: Path = ()
    pair: bool = False
    """Whether a row has two parts of the same kind."""
    fresh: int = 0
    """The first unused number for a variable."""
    own: tuple[RowAttribute, ...] = ()
    """The values in the relations of the path."""
    attributes: tuple[RowAttribute, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.found)

    @property
    def name(self) -> str:
        """The names of the relations of the path."""
        text = " ".join(name for name, _ in self.via)
        return f"pairs of {text}" if self.pair else text

    @property
    def single(self) -> bool:
        """Whether a row is one part, one relation away from the individual."""
        return len(self.via) == 1 and not self.pair

    @property
    def entities(self) -> tuple[int, ...]:
        """The variables of the row's parts."""
        return tuple(one for one, kind in self.found.types.items() if one >= self.width and kind != NUMBER)

    def definition(self, how: Any, tests: Sequence[PartTest] = (), **more: Any) -> Definition:
        """Define a feature of the rows that pass some tests."""
        goals = goals_without_repeats((*self.goals, *(goal for test in tests for goal in test.goals)))
        return normal(Definition(how, goals, width=self.width, **more))

    def compares(self, tests: Sequence[PartTest]) -> bool:
        """Whether the tests compare the two parts of a pair; otherwise tests on single parts would be enough."""
        return not self.pair or any(len(test.attribute.entities) > 1 for test in tests)


class PartTables:
    """All tables of parts of some individuals, within limits; ``left_out`` lists what exceeded the limits."""

    def __init__(self, attributes: Attributes, world: World, depth: int, rows: int = ROWS) -> None:
        self.attributes, self.world, self.rows = attributes, world, rows
        self.left_out: list[str] = []
        self.tables: list[PartTable] = []
        self._seen: set[tuple[Any, ...]] = set()
        root = PartTable((), bindings(world, ()), len(world.root), fresh=len(world.root))
        first = [hop for one in range(root.width) for hop in self._hops(root, one) if self._take(hop)]
        for table in first:
            if (pair := self._pairs(table)) is not None:
                self._take(pair)
        for table in first if depth > 1 else ():
            for one in table.entities:
                for hop in self._hops(table, one):
                    self._take(hop)
        self.tables = [self._described(one) for one in self.tables]

    def _take(self, table: PartTable) -> bool:
        """Add a table if there is room and no earlier table has the same rows with arguments in another order."""
        codes = [table.found.columns[one] for one in sorted(table.found.columns)]
        order = np.lexsort(codes[::-1])
        key = tuple(table.found.types.values()), *(one[order].tobytes() for one in codes)
        if key in self._seen or not len(table):
            return False
        self._seen.add(key)
        if len(self.tables) >= TABLES or len(table) + sum(map(len, self.tables)) > self.rows:
            self.left_out.append(f"parts by {table.name}: {len(table):,} rows")
            return False
        self.tables.append(table)
        return True

    def _hops(self, table: PartTable, variable: int) -> Iterator[PartTable]:
        """Yield tables with one more relation, which leads from an entity to several related entities."""
        codes, kind = table.found.columns[variable], table.found.types[variable]
        for relation in self.world.relations.values():
            for i in (k for k, one in enumerate(relation.types) if one == kind):
                down = [j for j in range(len(relation.types)) if self.attributes.reach.follows(relation, i, j)]
                if not down or relation.functional(i) or relation.signature in table.via:
                    continue
                starts = relation.index(i, self.world.size(kind)).starts
                expected = int((starts[codes + 1] - starts[codes])[codes >= 0].sum())
                if expected > self.rows:
                    self.left_out.append(f"parts by {f'{table.name} {relation.name}'.strip()}: {expected:,} rows")
                elif (hop := self._hop(table, relation, variable, i, down)) is not None:
                    yield hop

    def _hop(self, table: PartTable, relation: Relation, variable: int, i: int, down: list[int]) -> PartTable | None:
        """Extend the rows of a table by the facts of a relation."""
        known = self._wholes(table, relation, i, down)
        if known is None:
            return None
        new = {j: table.fresh + k for k, j in enumerate(down)}
        variables = {i: variable, **known, **new}
        goal = Goal(relation.name, tuple(variables.get(k) for k in range(len(relation.types))))
        found = joined(self.world, relation, goal, table.found)
        goals = [*table.goals, goal]
        for j in down:  # a new entity must differ from earlier ones
            for other, kind in table.found.types.items():
                if kind == relation.types[j] != NUMBER:
                    found = found.of(np.flatnonzero(found.columns[new[j]] != found.columns[other]))
                    goals.append(Goal("!=", (new[j], other)))
        key = next((j for j in down if relation.types[j] != NUMBER and relation.functional(j)), None)
        over = tuple(new.values()) if key is None else (new[key],)
        own = tuple(one for j in down for one in self._own(relation, j, new[j]))
        via = (*table.via, relation.signature)
        fresh = table.fresh + len(down)
        return PartTable(tuple(goals), found, table.width, over, via, table.pair, fresh, (*table.own, *own))

    def _wholes(self, table: PartTable, relation: Relation, i: int, down: list[int]) -> dict[int, int] | None:
        """Bind arguments that would lead back to the entity that the row came from; return None if it is ambiguous."""
        found: dict[int, int] = {}
        for j, kind in enumerate(relation.types):
            if j == i or j in down:
                continue
            same = [one for one, type_ in table.found.types.items() if type_ == kind]
            if kind in self.world.root and len(same) != 1:
                return None
            if len(same) == 1:
                found[j] = same[0]
        return found

    def _own(self, relation: Relation, j: int, variable: int) -> Iterator[RowAttribute]:
        """Yield the value of an argument as an attribute."""
        kind = relation.types[j]
        if kind == NUMBER:
            yield RowAttribute((), NUMBER, lambda found: found.columns[variable], variable, (variable,))
        elif self.attributes.categories(relation, j):
            yield RowAttribute((), kind, lambda found: found.columns[variable], variable, (variable,))

    def _pairs(self, table: PartTable) -> PartTable | None:
        """Build a table of pairs of different parts of the same individual."""
        parts = [one for one in table.over if table.found.types[one] not in (*self.world.root, NUMBER)]
        if len(parts) != 1:
            return None
        sizes = np.bincount(table.found.owner).astype(np.float64)
        if (expected := int((sizes**2).sum())) > min(PAIRS, self.rows):
            self.left_out.append(f"pairs of {table.name}: {expected:,} rows")
            return None
        left, right = _own_pairs(table.found.owner)
        new = {one: one + table.fresh for one in table.found.types if one >= table.width}
        columns = {one: cells[left] for one, cells in table.found.columns.items()}
        columns |= {new[one]: table.found.columns[one][right] for one in new}
        types = {**table.found.types, **{new[one]: table.found.types[one] for one in new}}
        found = Bindings(table.found.owner[left], columns, types, table.found.single)
        found = found.of(np.flatnonzero(found.columns[parts[0]] != found.columns[new[parts[0]]]))
        unequal = Goal("!=", (parts[0], new[parts[0]]))
        goals = goals_without_repeats((*table.goals, *(one.renamed(new) for one in table.goals), unequal))
        own = (*table.own, *(_of_other(one, new) for one in table.own))
        over = (*table.over, *(new[one] for one in table.over))
        return PartTable(goals, found, table.width, over, table.via, True, 2 * table.fresh, own)  # noqa: FBT003

    # Attributes of rows.

    def _described(self, table: PartTable) -> PartTable:
        """Add attributes to the table, without attributes that are the same for all rows."""
        describe = RowDescriber(self.attributes, table.fresh)
        found = list(table.own)
        described = {one: describe.entity(one, table.found.types[one]) for one in table.entities}
        for some in described.values():
            found += some
        for a, b in combinations(described, 2):
            kinds = table.found.types[a], table.found.types[b]
            found += describe.together(a, b, kinds, described[a], described[b], table.via)
        telling = [one for one in found if _varies(one.read(table.found))]
        return replace(table, attributes=tuple(telling))


def is_moment(world: World, attribute: RowAttribute) -> bool:
    """Whether an attribute is a date or a time: conditions on moments would not apply to later parts."""
    return any(isinstance(world.notations.get(goal.name), DateNotation) for goal in attribute.goals)


def _of_other(own: RowAttribute, new: dict[int, int]) -> RowAttribute:
    """Return the same attribute for the other part of a pair."""
    variable = new[own.entities[0]]
    return replace(own, read=lambda found: found.columns[variable], value=variable, entities=(variable,))


def _own_pairs(owner: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List all pairs of rows of the same individual."""
    count = np.bincount(owner)[owner] if len(owner) else owner
    first = np.searchsorted(owner, owner, "left")
    left = np.repeat(np.arange(len(owner)), count)
    right = np.arange(len(left)) - np.repeat(np.cumsum(count) - count - first, count)
    return left, right


def _varies(cells: NDArray[Any]) -> bool:
    """Whether two cells differ; NaN equals NaN."""
    if not len(cells):
        return False
    differs = cells != cells[0]
    if cells.dtype.kind == "f":
        differs &= ~(np.isnan(cells) & np.isnan(cells[0]))
    return bool(differs.any())


class RowDescriber:
    """Builds attributes of rows from the attributes of their entities, with new variables."""

    def __init__(self, attributes: Attributes, fresh: int) -> None:
        self.attributes, self.world, self.fresh = attributes, attributes.world, fresh

    def entity(self, variable: int, kind: str) -> list[RowAttribute]:
        """Return the attributes of the entity in a variable."""
        return [self._of_entity(one, variable) for one in self.attributes.of(kind)]

    def _of_entity(self, one: Attribute, variable: int) -> RowAttribute:
        others = sorted({v for goal in one.goals for v in goal.variables} - {0})
        names = {0: variable, **{v: self.fresh + k for k, v in enumerate(others)}}
        self.fresh += len(others)
        goals = tuple(goal.renamed(names) for goal in one.goals)
        value = None if one.value is None else names[one.value]
        return RowAttribute(goals, one.kind, lambda found: one.take(found.columns[variable]), value, (variable,))

    def together(
        self, a: int, b: int, kinds: tuple[str, str], of_a: list[RowAttribute], of_b: list[RowAttribute], via: Path = ()
    ) -> Iterator[RowAttribute]:
        """Yield the attributes of two entities together: whether they are related, equal, less or greater."""
        for x, y, types in ((a, b, kinds), (b, a, kinds[::-1])):
            for relation in self.world.relations.values():
                if relation.types == types and relation.signature not in via:
                    yield self._related(relation, (x, y), _column(x), _column(y), (a, b), ())
        if kinds[0] == kinds[1]:
            for left, right in zip(of_a, of_b, strict=True):
                if left.kind != YES_NO:
                    yield from self._compared(left, right)

    def _compared(self, left: RowAttribute, right: RowAttribute) -> Iterator[RowAttribute]:
        """Compare a number or a category of one entity with that of the other entity."""
        u, v, kind = left.value, right.value, left.kind
        if u is None or v is None:
            return
        goals, entities = (*left.goals, *right.goals), (*left.entities, *right.entities)

        def compared(op: str, test: Callable[[Any, Any], Any]) -> RowAttribute:
            def read(found: Bindings) -> NDArray[np.bool_]:
                x, y = left.read(found), right.read(found)
                return np.asarray(test(x, y) if kind == NUMBER else test(x, y) & (x >= 0) & (y >= 0))

            return RowAttribute((*goals, Goal(op, (u, v))), YES_NO, read, None, entities)

        yield compared("=", lambda x, y: x == y)
        if kind == NUMBER:
            yield compared("<", lambda x, y: x < y)
            yield compared(">", lambda x, y: x > y)
            return
        for relation in self.world.relations.values():
            if relation.types == (kind, kind):
                yield self._related(relation, (u, v), left.read, right.read, entities, goals)
                yield self._related(relation, (v, u), right.read, left.read, entities, goals)

    def _related(
        self,
        relation: Relation,
        arguments: tuple[int, int],
        x: Callable[[Bindings], NDArray[Any]],
        y: Callable[[Bindings], NDArray[Any]],
        entities: tuple[int, ...],
        before: tuple[Goal, ...],
    ) -> RowAttribute:
        """Yield whether a relation holds between two entities."""
        size = self.world.size(relation.types[1])
        whole = (relation.columns[0] >= 0) & (relation.columns[1] >= 0)
        known = np.sort(relation.columns[0][whole].astype(np.int64) * size + relation.columns[1][whole])

        def read(found: Bindings) -> NDArray[np.bool_]:
            left, right = x(found).astype(np.int64), y(found)
            return np.isin(left * size + right, known) & (left >= 0) & (right >= 0)

        return RowAttribute((*before, Goal(relation.name, arguments)), YES_NO, read, None, entities)


def _column(variable: int) -> Callable[[Bindings], NDArray[Any]]:
    return lambda found: found.columns[variable]
