"""Facts as columns: relations between entities and numbers, the types of their arguments, and the individuals.

A predicate of a logic program is a relation. A table becomes several: ``orders(customer, order)`` links a row to its
owner, and each column is a relation such as ``orders.total(order, number)``; arguments are counted from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.values.notation import Notation

Codes = NDArray[np.int32]
"""Entities as indices into `World.names`; -1 means no entity."""

NUMBER = "number"
"""The type of arguments that hold numbers."""

Signature = tuple[str, int]
"""The name of a relation and the number of its arguments."""


@dataclass(frozen=True, eq=False)
class Index:
    """The rows of a column by entity: the rows of entity ``c`` are ``order[starts[c]:starts[c + 1]]``."""

    starts: NDArray[np.int64]
    order: NDArray[np.int64] | None
    """None if the rows are already sorted by entity."""

    def rows(self, codes: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find all rows with each of some codes: the indices of the codes, and the rows."""
        inside = np.where(codes < 0, 0, codes)
        low = self.starts[inside]
        count = np.where(codes < 0, 0, self.starts[inside + 1] - low)
        places = np.repeat(np.arange(len(codes)), count)
        rows = np.arange(len(places)) - np.repeat(np.cumsum(count) - count - low, count)
        return places, rows if self.order is None else self.order[rows]


@dataclass(frozen=True, eq=False)
class Relation:
    """The distinct facts of one predicate: a column for each argument.

    Columns of entities hold `Codes`, columns of numbers hold floats. A row with a code of -1 or with NaN is no fact.
    """

    name: str
    types: tuple[str, ...]
    columns: tuple[NDArray[Any], ...]

    @property
    def signature(self) -> Signature:
        """The name and the number of arguments."""
        return self.name, len(self.types)

    def __len__(self) -> int:
        return len(self.columns[0])

    @cached_property
    def _indexes(self) -> dict[int, Index]:
        return {}

    def index(self, argument: int, size: int) -> Index:
        """Index the rows by the entity in an argument, whose type has ``size`` entities."""
        if argument not in self._indexes:
            self._indexes[argument] = _index(self.columns[argument], size)
        return self._indexes[argument]

    def functional(self, argument: int) -> bool:
        """Whether an entity in this argument occurs in at most one fact, which then determines the other arguments."""
        if argument not in self._functional:
            codes = self.columns[argument]
            codes = codes[codes >= 0]
            self._functional[argument] = bool((np.bincount(codes) < 2).all()) if len(codes) else True
        return self._functional[argument]

    @cached_property
    def _functional(self) -> dict[int, bool]:
        return {}


def _index(codes: Codes, size: int) -> Index:
    known = codes >= 0
    count = np.bincount(codes[known], minlength=size)
    starts = np.concatenate([[0], np.cumsum(count)])
    if known.all() and (codes[1:] >= codes[:-1]).all():
        return Index(starts, None)
    return Index(starts, np.flatnonzero(known)[np.argsort(codes[known], kind="stable")])


@dataclass(frozen=True, eq=False)
class World:
    """Relations, the names of the entities of each type, and the individuals to label.

    An individual is one entity, or several in order, such as the pair of ``great_ne(d1,d2)``.
    """

    relations: Mapping[Signature, Relation]
    names: Mapping[str, Sequence[str]]
    """The name of every entity, by type."""
    root: tuple[str, ...]
    """The types of the entities that make an individual."""
    individuals: tuple[Codes, ...]
    """The entities of the individuals: an array for each type in ``root``."""
    notations: Mapping[str, Notation] = field(default_factory=dict)
    """The notation of the numbers of some relations, such as dates and flags, by the name of the relation."""
    times: Mapping[str, str] = field(default_factory=dict)
    """By type, the relation with the time of an entity; times order entities and are not properties of them."""

    def __len__(self) -> int:
        """Return the number of individuals."""
        return len(self.individuals[0])

    def size(self, kind: str) -> int:
        """Return the number of entities of a type."""
        return len(self.names[kind])

    @cached_property
    def _codes(self) -> dict[str, dict[str, int]]:
        return {}

    def code(self, kind: str, name: str) -> int:
        """Return the code of the entity with this name; -1 if no entity has it."""
        if kind not in self._codes:
            self._codes[kind] = {one: code for code, one in enumerate(self.names[kind])}
        return self._codes[kind].get(name, -1)

    @cached_property
    def _orders(self) -> dict[str, NDArray[np.int64]]:
        return {}

    def sort_keys(self, kind: str, cells: NDArray[Any]) -> NDArray[Any]:
        """Return keys that sort values of a type: numbers by value, entities by name, not by code."""
        if kind == NUMBER or not len(cells):
            return cells
        if kind not in self._orders:
            names = self.names[kind]
            order = np.empty(len(names), np.int64)
            order[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
            self._orders[kind] = order
        places: NDArray[np.int64] = self._orders[kind][cells]
        return places

    def of(self, rows: NDArray[Any]) -> World:
        """Select some of the individuals, with the same facts."""
        return replace(self, individuals=tuple(codes[rows] for codes in self.individuals))
