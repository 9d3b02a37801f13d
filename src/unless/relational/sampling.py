"""Sample individuals and split them into folds by their properties and parts, not by their order or names."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unless.relational.definitions import Goal
from unless.relational.evaluation import bindings, joined
from unless.relational.world import NUMBER, Relation, World
from unless.table.record_hashes import Hashes, mix_bits, number_hashes, text_hashes


def sample_rows(world: World, most: int) -> NDArray[np.int64]:
    """Choose individuals whose parts by one relation make up at most three quarters of ``most``."""
    links, found = _links(world), bindings(world, ())
    rows = np.zeros(len(world), np.int64)
    for relation, i in links:
        starts = relation.index(i, world.size(relation.types[i])).starts
        codes = found.columns[world.root.index(relation.types[i])]
        rows += starts[codes + 1] - starts[codes]
    everyone = np.arange(len(world))
    if (total := int(rows.sum())) <= most:
        return everyone
    hashes = individual_hashes(world)
    order = np.lexsort((everyone, hashes))
    enough = int(np.searchsorted(np.cumsum(rows[order]), 0.75 * most)) if total else len(world)
    return np.sort(order[: max(enough, 1)])


def fold_numbers(world: World, count: int) -> NDArray[np.uint64]:
    """Compute the fold of each individual; individuals with equal data are in the same fold."""
    return individual_hashes(world) % np.uint64(count)


def _links(world: World) -> list[tuple[Relation, int]]:
    """Find the relations from individuals to several parts, each with the argument of the individual."""
    return [(relation, i) for relation in world.relations.values() for i in _wholes(world, relation)]


def _wholes(world: World, relation: Relation) -> list[int]:
    """Find the arguments of a relation that hold individuals with several parts."""
    if len(relation.types) < 2:
        return []
    return [i for i, kind in enumerate(relation.types) if kind in world.root and not relation.functional(i)]


def individual_hashes(world: World) -> Hashes:
    """Hash the properties and parts of each individual, independent of names and of the order of facts."""
    found = bindings(world, ())
    hashes: Hashes = np.zeros(len(world), np.uint64)
    for place, kind in enumerate(world.root):
        hashes = mix_bits(hashes + _entity_hashes(world, kind)[found.columns[place]])
    for relation, i in sorted(_links(world), key=lambda one: (one[0].signature, one[1])):
        variables = tuple(0 if k == i else len(world.root) + k for k in range(len(relation.types)))
        whole = world.root.index(relation.types[i])
        goal = Goal(relation.name, tuple(whole if one == 0 else one for one in variables))
        parts = joined(world, relation, goal, found)
        each: Hashes = np.zeros(len(parts), np.uint64)
        for k, kind in enumerate(relation.types):
            if k != i:
                cells = parts.columns[len(world.root) + k]
                each = mix_bits(each + (number_hashes(cells) if kind == NUMBER else _entity_hashes(world, kind)[cells]))
        sums: Hashes = np.zeros(len(world), np.uint64)
        starts = np.flatnonzero(np.diff(parts.owner, prepend=-1))
        if len(starts):
            sums[parts.owner[starts]] = np.add.reduceat(each, starts)
        hashes = mix_bits(hashes + sums)
    return hashes


def _entity_hashes(world: World, kind: str) -> Hashes:
    """Hash the numbers and categories of each entity."""
    found: Hashes = np.zeros(world.size(kind), np.uint64)
    for _, relation in sorted(world.relations.items()):
        if relation.types == (kind,):
            found[relation.columns[0]] = mix_bits(found[relation.columns[0]] + text_hashes([relation.name])[0])
        if len(relation.types) != 2 or relation.types[0] != kind or not relation.functional(0):
            continue
        cells, other = relation.columns[1], relation.types[1]
        if other == NUMBER:
            values = number_hashes(cells)
        elif world.size(other) <= _FEW_NAMES:
            values = text_hashes(world.names[other])[cells]
        else:
            continue
        found[relation.columns[0]] = mix_bits(found[relation.columns[0]] + values)
    return found


_FEW_NAMES = 10_000
"""A type with more entities than this contains names of things, which are not hashed."""
