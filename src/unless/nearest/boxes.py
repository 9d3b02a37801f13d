"""Best-first search for the cheapest records with a label.

A *box* gives every axis a set of cells. The cost of a record is a sum over axes, so the cheapest record of a box takes
the cheapest cell of every axis, and its cost is a lower bound for the whole box. The search starts with a box for every
rule that gives the label, in which the literals of that rule hold, and a list of rules that must not cover: the rule's
exceptions, and the earlier rules with another label. It takes the box with the lowest bound. If none of those rules
covers its cheapest record, that record is the next answer. Otherwise the box is divided into the ways to escape one such
rule, the one with the fewest: a literal fails, or all hold and an exception covers. A rule that cannot be escaped ends
the box. What comes out is in exact order, and everything does come out.

An answer rules out what changes more in the same direction (`Axis.beyond`): that is again a rule that must not cover.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from unless.nearest.axes import Axis
from unless.rule import Program, Rule
from unless.values import Label

__all__ = ["cheapest_points"]

Cells = tuple[int, ...]
"""A set of cells per axis, as bits."""


class Shape(NamedTuple):
    """A rule on cells: where its default holds, as (axis, cells) pairs, unless an exception covers."""

    tests: tuple[tuple[int, int], ...]
    exceptions: tuple[Shape, ...] = ()

    def covers(self, point: Cells) -> bool:
        """Whether the rule covers a record, given as one cell per axis."""
        for axis, cells in self.tests:
            if not point[axis] & cells:
                return False
        for exception in self.exceptions:  # a loop: one frame per level of nesting
            if exception.covers(point):
                return False
        return True


class Box(NamedTuple):
    """Where to look for a record with a label: within these cells, where none of ``avoid`` covers."""

    label: Label
    cells: Cells
    point: Cells
    avoid: tuple[Shape, ...]


Cost = tuple[int, float, tuple[tuple[int, int], ...]]
"""Changed features, distance and, so that ties have one order, the changes: (axis, cell) pairs."""


def cheapest_points(program: Program, axes: Sequence[Axis], labels: Sequence[Label]) -> Iterator[tuple[Label, list[int]]]:
    """Records with one of the labels, cheapest first, minimal ones only, each as a cell per axis."""
    search = _Search(program, axes)
    for label in labels:
        search.start(label)
    return search.answers()


class _Search:
    def __init__(self, program: Program, axes: Sequence[Axis]) -> None:
        self.program = program
        self.axes = axes
        self.place = {axis.feature: place for place, axis in enumerate(axes)}
        self.shapes = [self.shape(rule) for rule in program.rules]
        self.boxes: list[tuple[Cost, int, Box]] = []
        self.ties = count()
        self.known: dict[tuple[int, int], tuple[int, float]] = {}
        self.answered: dict[Label, list[Shape]] = {}

    def shape(self, rule: Rule) -> Shape:
        tests: dict[int, int] = {}
        for literal in rule.default:
            place = self.place[literal.feature]
            tests[place] = tests.get(place, -1) & self.axes[place].mask(literal)
        exceptions = []
        for exception in rule.exceptions:
            exceptions.append(self.shape(exception))
        return Shape(tuple(tests.items()), tuple(exceptions))

    def start(self, label: Label) -> None:
        """A box for every rule of the label, and for "otherwise"."""
        self.answered[label] = []
        everything = tuple(axis.cells for axis in self.axes)
        against: list[Shape] = []
        for rule, shape in zip(self.program.rules, self.shapes, strict=True):
            if rule.head != label:
                against.append(shape)
            elif (cells := _narrowed(everything, shape)) is not None:
                self.push(label, cells, (*shape.exceptions, *against))
        if self.program.otherwise == label:
            self.push(label, everything, tuple(against))

    def push(self, label: Label, cells: Cells, avoid: Sequence[Shape]) -> None:
        changes, distance, point = [], 0.0, []
        for place, inside in enumerate(cells):
            cell, far = self.cheapest(place, inside)
            point.append(1 << cell)
            if cell != self.axes[place].home:
                changes.append((place, cell))
                distance += far
        box = Box(label, cells, tuple(point), tuple(shape for shape in avoid if _possible(shape, cells)))
        heappush(self.boxes, ((len(changes), distance, tuple(changes)), next(self.ties), box))

    def cheapest(self, place: int, inside: int) -> tuple[int, float]:
        """The cheapest of some cells of an axis, and its distance."""
        if (place, inside) not in self.known:
            axis = self.axes[place]
            if inside >> axis.home & 1:
                self.known[place, inside] = axis.home, 0.0
            else:
                offers = ((offer, cell) for cell, offer in enumerate(axis.offers) if offer is not None)
                distance, cell = min((offer.distance, cell) for offer, cell in offers if inside >> cell & 1)
                self.known[place, inside] = cell, distance
        return self.known[place, inside]

    def answers(self) -> Iterator[tuple[Label, list[int]]]:
        while self.boxes:
            (_, _, changes), _, box = heappop(self.boxes)
            violated = [shape for shape in (*self.answered[box.label], *box.avoid) if shape.covers(box.point)]
            if not violated:
                yield box.label, [bit.bit_length() - 1 for bit in box.point]
                answer = Shape(tuple((place, self.axes[place].beyond(cell)) for place, cell in changes))
                self.answered[box.label].append(answer)
                violated = [answer]
            self.divide(box, violated)

    def divide(self, box: Box, violated: Sequence[Shape]) -> None:
        """Push the ways to escape the rule that leaves the fewest."""
        ways = [(shape, _escapes(shape, box.cells)) for shape in violated]
        shape, escapes = min(ways, key=lambda way: len(way[1]))
        avoid = [other for other in box.avoid if other is not shape]
        for cells, others in escapes:
            self.push(box.label, cells, [*others, *avoid])


def _escapes(shape: Shape, cells: Cells) -> list[tuple[Cells, tuple[Shape, ...]]]:
    """The parts of a box that a rule does not cover: cells, and rules that must not cover there."""
    escapes: list[tuple[Cells, tuple[Shape, ...]]] = []
    for place, inside in shape.tests:
        if outside := cells[place] & ~inside:
            escapes.append(((*cells[:place], outside, *cells[place + 1 :]), ()))
            cells = (*cells[:place], cells[place] & inside, *cells[place + 1 :])
    for exception in shape.exceptions:
        if (narrowed := _narrowed(cells, exception)) is not None:
            escapes.append((narrowed, exception.exceptions))
    return escapes


def _narrowed(cells: Cells, shape: Shape) -> Cells | None:
    """The part of a box where the default of a rule holds, None where it is empty."""
    narrowed = list(cells)
    for place, inside in shape.tests:
        narrowed[place] &= inside
        if not narrowed[place]:
            return None
    return tuple(narrowed)


def _possible(shape: Shape, cells: Cells) -> bool:
    """Whether the default of a rule can hold in a box."""
    for place, inside in shape.tests:
        if not cells[place] & inside:
            return False
    return True
