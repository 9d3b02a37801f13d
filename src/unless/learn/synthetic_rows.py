"""Create new records between and near the training records, for a teacher to label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from unless.table import Column, Table
from unless.table.record_hashes import record_hashes

_NEAREST = 5
"""A new record lies between an old one and one of its nearest neighbours."""

_BEYOND = 0.6
"""How far a new number may lie beyond the two old numbers, as a share of their distance."""

_COMPARED = 10_000
"""The maximum number of records among which neighbours are searched."""

_CATEGORIES = 50
"""The maximum number of categories of a column that is used for distances."""


def add_synthetic_rows(table: Table, count: int, seed: int = 0) -> Table:
    """Return a table with the old rows followed by new rows, which have no labels.

    A new row is made from two neighbouring old rows: each number lies between their numbers or slightly beyond, and
    each other value is one of their values. Rows are chosen by content, so the order of rows does not matter.
    """
    rng = np.random.default_rng(seed)
    order = np.argsort(record_hashes(table.columns, len(table)), kind="stable")
    one = np.resize(rng.permutation(order), count)
    other = _pick_neighbours(table, one, order[:_COMPARED], rng)
    columns = tuple(_extend_column(column, one, other, rng) for column in table.columns)
    return Table(columns, None, len(table) + count, table.missing)


def _pick_neighbours(
    table: Table, rows: NDArray[np.intp], among: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Choose one of the nearest neighbours of each row."""
    places = [place for place in map(_coordinates, table.columns) if place is not None]
    if not places:
        return rng.choice(among, len(rows))
    space = np.hstack(places)
    some = space[among]
    lengths = (some**2).sum(axis=1)
    nearest = min(_NEAREST, len(among))
    found = np.empty(len(rows), np.intp)
    for start in range(0, len(rows), 500):
        block = rows[start : start + 500]
        distance = lengths - 2 * space[block] @ some.T
        distance[block[:, None] == among] = np.inf  # a row is not its own neighbour
        near = np.sort(np.argpartition(distance, nearest - 1, axis=1)[:, :nearest], axis=1)
        found[start : start + 500] = among[near[np.arange(len(block)), rng.integers(0, nearest, len(block))]]
    return found


def _coordinates(column: Column) -> NDArray[np.float32] | None:
    """Return coordinates of the rows for one column: numbers in standard deviations, categories a step apart."""
    if len(column.numbers) > 2 and not column.categories:
        values = np.append(column.numbers, np.nan)[column.codes]
        spread = np.nanstd(values)
        values = (values - np.nanmean(values)) / (spread if 0 < spread < np.inf else 1.0)
        places: NDArray[np.float32] = np.nan_to_num(values, posinf=0.0, neginf=0.0)[:, None].astype(np.float32)
        return places
    if column.missing > _CATEGORIES:
        return None
    steps: NDArray[np.float32] = (np.eye(column.missing + 1) * np.sqrt(0.5))[column.codes].astype(np.float32)
    return steps


def _extend_column(column: Column, one: NDArray[np.intp], other: NDArray[np.intp], rng: np.random.Generator) -> Column:
    """Return a column with the cells of new rows appended."""
    old = column.codes.astype(np.int64)
    count, first, second = len(column.numbers), old[one], old[other]
    picked = np.where(rng.random(len(one)) < 0.5, first, second)
    share = rng.uniform(-_BEYOND, 1 + _BEYOND, len(one))
    if count <= 2:
        return replace(column, codes=np.concatenate([old, picked]))
    both = (first < count) & (second < count)
    low, high = column.numbers[first[both]], column.numbers[second[both]]
    with np.errstate(over="ignore", invalid="ignore"):
        new = np.clip(np.nan_to_num(low + share[both] * (high - low)), column.numbers[0], column.numbers[-1])
    step = column.notation.step if column.notation is not None else 0.0
    if step and not (column.numbers % step).any():  # days stay days
        new -= new % step
    elif (column.numbers == np.rint(column.numbers)).all():
        new = np.rint(new)
    new += 0.0  # no negative zero
    numbers = np.union1d(column.numbers, new)
    shift = len(numbers) - count
    again = np.append(np.searchsorted(numbers, column.numbers), np.arange(count, column.missing + 1) + shift)
    codes = again[picked]
    codes[both] = np.searchsorted(numbers, new)
    return replace(column, numbers=numbers, codes=np.concatenate([again[old], codes]))
