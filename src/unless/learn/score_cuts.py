"""Find the cuts of a score card: literals that are in no rule, because rules have few and ranking needs more."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unless.constraints import Cuts, cut_numbers
from unless.learn.thresholds import move_threshold
from unless.rule import Literal, Program
from unless.score.score_card import tested_numbers
from unless.table import Column, Table
from unless.values.notation import WHOLE

_QUANTILES = np.arange(1, 5) / 5
"""The quantiles at which numbers of a feature are cut."""

_FINER, _CATEGORIES = np.arange(1, 8) / 8, 8
"""The quantiles, and the maximum number of categories of a feature, if all features get points."""

Floats = NDArray[np.float64]


def cuts_to_try(
    program: Program, table: Table, counts: Floats | None, given: Mapping[str, Cuts], every: Collection[str]
) -> Iterator[tuple[Literal, ...]]:
    """Yield the cuts of a card, then fewer cuts in case these are too many."""
    if every:
        yield tuple(_literals_of_all_features(program, table, counts, given, every))
    thresholds = tested_numbers(program)
    yield tuple(
        cut
        for feature, literals in thresholds.items()
        for cut in _cut_literals(_weighted(program, table, feature, counts), literals, given)
    )
    yield ()


@dataclass(frozen=True, slots=True)
class _WeightedColumn:
    """A column as the rules write it, and the weight of the records with each of its values, missing cells last."""

    column: Column
    weights: Floats


def _weighted(program: Program, table: Table, feature: str, counts: Floats | None) -> _WeightedColumn:
    column = table.column(feature).in_notation(program.notations.get(feature))
    return _WeightedColumn(column, np.bincount(column.codes, counts, column.missing + 1).astype(np.float64))


def _cut_literals(
    cells: _WeightedColumn, literals: Collection[Literal], given: Mapping[str, Cuts], quantiles: Floats = _QUANTILES
) -> Iterator[Literal]:
    """Return literals that cut the numbers of a feature, except at existing thresholds."""
    column, feature = cells.column, cells.column.name
    weights = cells.weights[: len(column.numbers)]
    numbers, below = column.numbers[weights > 0], np.cumsum(weights[weights > 0])
    taken = {bisect_right(numbers, one.value) for one in literals}
    if feature in given:
        for cut in cut_numbers(feature, given[feature], column.notation):
            if 0 < (place := bisect_right(numbers, cut)) < len(numbers) and place not in taken:
                yield Literal(feature, ">", cut)
    elif len(numbers):
        for place in np.unique(np.searchsorted(below, below[-1] * quantiles)).tolist():
            if place + 1 < len(numbers) and place + 1 not in taken:
                one = Literal(feature, ">", column.number(float(numbers[place])))
                whole = column.notation == WHOLE
                yield move_threshold(one, *numbers[place : place + 2].tolist(), rounded=True, whole=whole)


def _literals_of_all_features(
    program: Program, table: Table, counts: Floats | None, given: Mapping[str, Cuts], every: Collection[str]
) -> Iterator[Literal]:
    """Yield literals for every feature that are in no rule: cuts of its numbers, frequent categories, missing cells."""
    thresholds, known = tested_numbers(program), {*program.literals()}
    for feature in every:
        cells = _weighted(program, table, feature, counts)
        yield from _cut_literals(cells, thresholds.get(feature, ()), given, _FINER)
        for literal in _category_literals(cells):
            opposite = Literal(feature, "!=" if literal.op == "==" else "present", literal.value)
            if not known & {literal, opposite}:
                yield literal


def _category_literals(cells: _WeightedColumn) -> Iterator[Literal]:
    """Yield a literal for each of the most frequent categories of a feature, and one for its missing cells."""
    column, total = cells.column, cells.weights.sum()
    first = len(column.numbers)
    heaviest = sorted(range(first, column.missing), key=lambda code: (-cells.weights[code], code))
    for code in heaviest[:_CATEGORIES]:
        if 0 < cells.weights[code] < total:
            yield Literal(column.name, "==", column.categories[code - first])
    if 0 < cells.weights[-1] < total:
        yield Literal(column.name, "missing")
