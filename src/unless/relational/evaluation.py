"""Compute features of individuals: join facts along the goals, then reduce the rows to one value per individual.

This module defines what a feature means. Tests compare the search, clingo, Prolog and SQL with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ProgramError
from unless.relational.definitions import Argument, Definition, Goal
from unless.relational.world import NUMBER, Relation, World
from unless.rule import Program
from unless.table import Column, Labels, Table
from unless.values import Label
from unless.values.notation import Notation

YES_NO = "yes"
"""The kind of yes/no values."""

YES, NO = "yes", "no"

_LARGE = 1 << 62

_MOST_PLACES = 9
_LARGEST_WHOLE = 2.0**53


@dataclass(frozen=True, eq=False)
class Values:
    """The value of one feature for each individual: booleans, numbers (NaN if missing) or codes (-1 if missing)."""

    kind: str
    """``yes``, ``number``, or the type of the entities."""
    cells: NDArray[Any]
    notation: Notation | None = None
    """The notation in which the numbers are written."""

    def column(self, name: str, world: World) -> Column:
        """Return the values as a column of a table."""
        if self.kind == YES_NO:
            return Column(name, "text", np.empty(0), (NO, YES), self.cells.astype(np.uint8))
        if self.kind == NUMBER:
            numbers, ranks = np.unique(self.cells, return_inverse=True)
            missing = np.isnan(numbers)
            ranks = np.minimum(ranks, len(numbers) - int(missing.sum()))
            return Column(name, "number", numbers[~missing], (), ranks, self.notation)
        known, ranks = np.unique(self.cells, return_inverse=True)
        texts = [world.names[self.kind][code] for code in known.tolist() if code >= 0]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        place = np.full(len(texts) + 1, len(texts))  # -1 comes first and means the last category
        place[order] = np.arange(len(texts))
        ranks = place[ranks - (len(known) > len(texts))]
        return Column(name, "text", np.empty(0), tuple(map(texts.__getitem__, order)), ranks)


@dataclass(frozen=True, eq=False)
class Bindings:
    """The rows that satisfy some goals: the individual of each row, sorted, and the value of each variable."""

    owner: NDArray[np.int64]
    columns: Mapping[int, NDArray[Any]]
    types: Mapping[int, str]
    single: frozenset[int]
    """Variables that the other variables determine; rows are distinct without comparing them."""

    def __len__(self) -> int:
        return len(self.owner)

    def of(self, rows: NDArray[Any]) -> Bindings:
        """Select rows, possibly repeated."""
        columns = {one: column[rows] for one, column in self.columns.items()}
        return replace(self, owner=self.owner[rows], columns=columns)


def evaluate(world: World, definition: Definition) -> Values:
    """Compute the values of a feature for all individuals of a world."""
    found = bindings(world, definition.goals)
    count = len(world)
    if definition.how == "exists":
        holds = np.zeros(count, np.bool_)
        holds[found.owner] = True
        return Values(YES_NO, holds)
    if definition.how in ("count", "share"):
        number = _sizes(distinct(found, definition.over), count)
        if definition.how == "count":
            return Values(NUMBER, number)
        whole = _sizes(distinct(bindings(world, definition.goals[: definition.among]), definition.over), count)
        with np.errstate(invalid="ignore"):
            return Values(NUMBER, number / whole)
    if definition.value is None:
        raise ProgramError(f"the feature has no value: {definition}")
    kind, notation = found.types.get(definition.value, NUMBER), notation_of(world, definition)
    if definition.how == "value":
        return Values(kind, _one_value(world, found, definition.value, kind), notation)
    if definition.how == "latest":
        return Values(kind, latest(world, found, definition.value, definition.by or 0, kind), notation)
    cells = aggregate(definition.how, distinct(found, definition.over), definition.value, count)
    return Values(NUMBER, cells, notation)


def notation_of(world: World, definition: Definition) -> Notation | None:
    """Return the notation of a feature's numbers: that of the numbers used, or plain for most sums and means."""
    if definition.how not in ("value", "least", "greatest", "latest"):
        return None
    names = (goal.name for goal in definition.goals if not goal.compares and definition.value in goal.variables)
    return next((world.notations[name] for name in names if name in world.notations), None)


def _sizes(found: Bindings, count: int) -> NDArray[np.float64]:
    return np.bincount(found.owner, minlength=count).astype(np.float64)


def aggregate(how: str, found: Bindings, value: int, count: int) -> NDArray[np.float64]:
    """Compute the least, greatest, mean or sum of a variable for each of ``count`` individuals; NaN without rows."""
    cells, owner, out = found.columns[value], found.owner, np.full(count, np.nan)
    if not len(cells):
        return out
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    match how:
        case "least":
            out[owner[starts]] = np.minimum.reduceat(cells, starts)
        case "greatest":
            out[owner[starts]] = np.maximum.reduceat(cells, starts)
        case _:
            total, unit = _sums(owner, cells, starts)
            number = np.diff(np.append(starts, len(owner)))
            out[owner[starts]] = total / (unit * number) if how == "mean" else total / unit
    return out


def _sums(
    owner: NDArray[np.int64], cells: NDArray[np.float64], starts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], float]:
    """Sum numbers by group and return the unit of the sums; decimals with few digits are summed exactly.

    Other numbers are sorted by size first, so that the result does not depend on their order.
    """
    places = decimal_places(cells)
    if places is None:
        return np.add.reduceat(cells[np.lexsort((cells, owner))], starts), 1.0
    unit = 10.0**places
    return np.add.reduceat(np.rint(cells * unit), starts), unit


def decimal_places(cells: NDArray[np.float64]) -> int | None:
    """Return the number of decimals that write the numbers exactly, if sums are then exact; otherwise None."""
    for places in range(_MOST_PLACES + 1):
        unit = 10.0**places
        for some in (cells[:100], cells):  # if a column needs more decimals, a few cells usually show it
            scaled = np.rint(some * unit)
            if not np.array_equal(scaled / unit, some):
                break
        else:
            return places if np.abs(scaled).sum() < _LARGEST_WHOLE else None
    return None


def _one_value(world: World, found: Bindings, value: int, kind: str) -> NDArray[Any]:
    """Return the only value of each individual; among several, the least number or the first name."""
    cells = found.columns.get(value, np.empty(0))
    order = np.lexsort((world.sort_keys(kind, cells), found.owner))[::-1]
    return _last(world, found.owner[order], cells[order], kind)


def latest(world: World, found: Bindings, value: int, by: int, kind: str) -> NDArray[Any]:
    """Return the value for which another variable is greatest; among several, the greatest number or the last name."""
    cells = found.columns[value]
    order = np.lexsort((world.sort_keys(kind, cells), found.columns[by], found.owner))
    return _last(world, found.owner[order], cells[order], kind)


def _last(world: World, owner: NDArray[np.int64], cells: NDArray[Any], kind: str) -> NDArray[Any]:
    """Return the last cell of each individual."""
    out: NDArray[Any] = np.full(len(world), np.nan) if kind == NUMBER else np.full(len(world), -1, np.int32)
    out[owner] = cells
    return out


def distinct(found: Bindings, over: Iterable[int]) -> Bindings:
    """Keep one row for each individual and each combination of some variables."""
    keys = [one for one in over if one in found.columns]
    others = set(found.columns) - set(keys)
    if others <= found.single:
        return found
    order = np.lexsort([*(found.columns[one] for one in keys), found.owner])
    new = np.zeros(len(order), np.bool_)
    new[:1] = True
    for cells in (found.owner, *(found.columns[one] for one in keys)):
        new[1:] |= cells[order][1:] != cells[order][:-1]
    return found.of(order[new])


def bindings(world: World, goals: Iterable[Goal]) -> Bindings:
    """Find all rows that satisfy the goals; each goal must share a variable with earlier goals."""
    width = len(world.root)
    found = Bindings(
        np.arange(len(world)), dict(enumerate(world.individuals)), dict(enumerate(world.root)), frozenset(range(width))
    )
    waiting = list(goals)
    while waiting:
        place = next((k for k, goal in enumerate(waiting) if _ready(goal, found)), None)
        if place is None:
            raise ProgramError(f"no variable of {waiting[0].name} is bound by the goals before it")
        goal = waiting.pop(place)
        if goal.compares:
            found = found.of(np.flatnonzero(_compared(world, goal, found)))
        elif (relation := world.relations.get((goal.name, len(goal.arguments)))) is None:
            found = found.of(np.empty(0, np.int64))
            found = replace(found, columns={**found.columns, **dict.fromkeys(goal.variables, np.empty(0))})
        else:
            found = joined(world, relation, goal, found)
    return found


def _ready(goal: Goal, found: Bindings) -> bool:
    """Whether a goal can be evaluated now: a comparison, as soon as its variables are bound."""
    bound = [one in found.columns for one in goal.variables]
    return all(bound) if goal.compares else any(bound) or not bound


def _compared(world: World, goal: Goal, found: Bindings) -> NDArray[np.bool_]:
    left, right = (_side(world, one, goal.arguments[1 - k], found) for k, one in enumerate(goal.arguments))
    match goal.name:
        case "=":
            return np.asarray(left == right)
        case "!=":
            return np.asarray(left != right)
        case "<":
            return np.asarray(left < right)
        case "<=":
            return np.asarray(left <= right)
        case ">":
            return np.asarray(left > right)
    return np.asarray(left >= right)


def _side(world: World, argument: Argument, other: Argument, found: Bindings) -> Any:
    """Return one side of a comparison: a column, or a constant in the form of the other side."""
    if isinstance(argument, int):
        return found.columns[argument]
    if isinstance(argument, str) and isinstance(other, int):
        kind = found.types[other]
        code = world.code(kind, argument) if kind != NUMBER else -1
        return code if code >= 0 else -2  # a constant that the world does not contain equals nothing
    return argument


def joined(world: World, relation: Relation, goal: Goal, found: Bindings) -> Bindings:
    """Extend the rows by the facts of one relation that match the bound variables and constants."""
    at = next((k for k, a in enumerate(goal.arguments) if isinstance(a, int) and a in found.columns), None)
    if at is None:
        places = np.repeat(np.arange(len(found)), len(relation))
        rows = np.tile(np.arange(len(relation)), len(found))
    elif relation.types[at] == NUMBER:
        places, rows = _equal(found.columns[goal.arguments[at]], relation.columns[at])  # type: ignore[index]
    elif relation.types[at] != found.types[goal.arguments[at]]:  # type: ignore[index]
        places = rows = np.empty(0, np.int64)
    else:
        size = world.size(relation.types[at])
        places, rows = relation.index(at, size).rows(found.columns[goal.arguments[at]])  # type: ignore[index]
    keep = np.ones(len(rows), np.bool_)
    new: dict[int, NDArray[Any]] = {}
    types: dict[int, str] = {}
    for k, argument in enumerate(goal.arguments):
        cells, kind = relation.columns[k], relation.types[k]
        if k != at:
            cells = cells[rows]
            keep &= ~np.isnan(cells) if kind == NUMBER else cells >= 0
        if isinstance(argument, int) and k != at:
            known = found.columns[argument][places] if argument in found.columns else new.get(argument)
            if known is None:
                new[argument], types[argument] = cells, kind
            else:
                keep &= known == cells if kind == found.types.get(argument, types.get(argument)) else False
        elif isinstance(argument, str):
            keep &= cells == (world.code(kind, argument) if kind != NUMBER else _LARGE)
        elif isinstance(argument, float):
            keep &= cells == argument if kind == NUMBER else False
    once = at is not None and relation.types[at] != NUMBER and relation.functional(at)
    single = found.single | set(new) if once else found.single | _known_by_key(relation, goal, found, new)
    grown = found.of(places)
    grown = replace(grown, columns={**grown.columns, **new}, types={**found.types, **types}, single=single)
    grown = grown if keep.all() else grown.of(np.flatnonzero(keep))
    return grown if once or None not in goal.arguments else _without_repeats(grown)


def _known_by_key(relation: Relation, goal: Goal, found: Bindings, new: Mapping[int, NDArray[Any]]) -> set[int]:
    """Return the new variables that another new one determines, if the individual determines all other variables."""
    if None in goal.arguments or not set(found.columns) <= found.single:
        return set()
    for k, argument in enumerate(goal.arguments):
        if argument in new and relation.types[k] != NUMBER and relation.functional(k):
            return set(new) - {argument}
    return set()


def _without_repeats(found: Bindings) -> Bindings:
    """Remove repeated rows, which can arise from arguments that do not matter."""
    keys = [one for one in found.columns if one not in found.single]
    return distinct(replace(found, single=frozenset()), keys) if len(found) else found


def _equal(left: NDArray[Any], right: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find pairs of positions with equal numbers, in the order of the left array."""
    order = np.argsort(right, kind="stable")
    low, high = np.searchsorted(right[order], left, "left"), np.searchsorted(right[order], left, "right")
    count = high - low
    places = np.repeat(np.arange(len(left)), count)
    return places, order[np.arange(len(places)) - np.repeat(np.cumsum(count) - count - low, count)]


def feature_table(
    world: World, definitions: Mapping[str, Definition], target: str = "", labels: Iterable[Label] | None = None
) -> Table:
    """Compute the features of a world's individuals as a table with one named column per definition."""
    columns = tuple(evaluate(world, one).column(name, world) for name, one in definitions.items())
    return Table(columns, None if labels is None else Labels.of(target, labels), rows=len(world))


def program_table(world: World, program: Program, definitions: Mapping[str, Definition]) -> Table:
    """Compute the columns that the rules of a program test."""
    return feature_table(world, {name: definitions[name] for name in program.used})
