"""Find the cheapest records with a label by best-first search.

A *box* gives every axis a set of cells. The cost of a record is a sum over axes, so the cheapest record of a box takes
the cheapest cell of every axis, and its cost is a lower bound for the whole box. The search starts with a box for every
rule that gives the label, in which the literals of that rule hold, and a list of rules that must not cover the record:
the rule's exceptions, and the earlier rules with another label. The search examines the box with the lowest bound. If
no rule of the list covers its cheapest record, that record is the next answer. Otherwise the search chooses, among the
rules that cover the record, the rule with the fewest ways to escape, and divides the box into these ways: a literal
fails, or all literals hold and an exception covers the record. If a rule cannot be escaped, the box is discarded.
Answers come in exact order, and no answer is left out. Before a box is divided, its bound is raised by one change for
each rule to escape, counting only rules without a common way out (14 changes among 40 features under 200 random rules:
2 s instead of 17).

An answer excludes records that change more in the same direction (`Axis.beyond`): this adds one more rule to avoid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from heapq import heappop, heappush
from itertools import count
from operator import or_
from typing import NamedTuple

from unless.explanation.counterfactuals.feature_cells import Axis, Step, sum_in_order
from unless.rule import Program, Rule
from unless.rule.cells import FeatureCells
from unless.values import Label

Cells = tuple[int, ...]
"""A set of cells for each axis, as bits."""


class RuleCells(NamedTuple):
    """A rule on cells: (axis, cells) pairs where its default holds, unless an exception covers."""

    tests: tuple[tuple[int, int], ...]
    exceptions: tuple[RuleCells, ...] = ()

    def covers(self, point: Cells) -> bool:
        """Return whether the rule covers a record, which is given as one cell per axis."""
        for axis, cells in self.tests:
            if not point[axis] & cells:
                return False
        for exception in self.exceptions:  # noqa: SIM110 - the hot loop, and one frame per level of nesting
            if exception.covers(point):
                return False
        return True


class Box(NamedTuple):
    """A part of the search space: records within these cells that no rule of ``avoid`` covers.

    ``escapes`` is set when the box is examined: the rules that cover its cheapest record, each with its ways out. A way
    out is the set of features, as bits, that still have the record's own value and must change.
    """

    label: Label
    cells: Cells
    point: Cells
    avoid: tuple[RuleCells, ...]
    escapes: tuple[tuple[RuleCells, list[int]], ...] = ()


Cost = tuple[int, float, tuple[tuple[int, int, int], ...]]
"""The number of changed features, the distance and, to break ties, each change: axis, thresholds crossed and cell."""


def cheapest_changes(
    program: Program, axes: Sequence[Axis], labels: Sequence[Label]
) -> Iterator[tuple[Label, tuple[Step, ...]]]:
    """Yield the minimal changes that give one of the labels, cheapest first."""
    search = _BoxSearch(program, axes)
    for label in labels:
        search.start(label)
    return search.answers()


class _BoxSearch:
    """The boxes still to be examined, ordered by their bounds, and the answers so far."""

    def __init__(self, program: Program, axes: Sequence[Axis]) -> None:
        self.program = program
        self.axes = axes
        indices = {axis.feature: index for index, axis in enumerate(axes)}
        self.rules = [rule_cells(rule, axes, indices) for rule in program.rules]
        self.own = tuple(1 << axis.own_cell for axis in axes)
        self.boxes: list[tuple[Cost, int, Box]] = []
        self.ties = count()
        self.known: dict[tuple[int, int], int] = {}
        self.answered: dict[Label, list[RuleCells]] = {}

    def start(self, label: Label) -> None:
        """Push a box for every rule that gives the label, and for "otherwise"."""
        self.answered[label] = []
        against: list[RuleCells] = []
        root = Box(label, tuple(axis.cells for axis in self.axes), self.own, ())
        for rule, on_cells in zip(self.program.rules, self.rules, strict=True):
            if rule.head != label:
                against.append(on_cells)
            elif (cells := cells_of_default(root.cells, on_cells)) is not None:
                self.push(root, cells, (*on_cells.exceptions, *against))
        if self.program.otherwise == label:
            self.push(root, root.cells, tuple(against))

    def push(self, parent: Box, cells: Cells, avoid: tuple[RuleCells, ...], bound: int = 0) -> None:
        """Push a part of a box, keyed by its cheapest record's cost or the bound on changes of the whole box."""
        point = list(parent.point)
        for axis, inside in enumerate(cells):
            if inside != parent.cells[axis]:
                point[axis] = self.cheapest(axis, inside)
        steps = self.steps(point)
        distance = sum_in_order(self.axes[axis].distance(cell) for axis, cell in steps)
        ties = tuple((axis, self.axes[axis].thresholds_crossed(cell), cell) for axis, cell in steps)
        cost = (len(steps), distance, ties) if len(steps) >= bound else (bound, distance, ())
        heappush(self.boxes, (cost, next(self.ties), Box(parent.label, cells, tuple(point), avoid)))

    def cheapest(self, index: int, inside: int) -> int:
        """Return the cheapest of some cells of an axis, as a bit."""
        if (index, inside) not in self.known:
            axis = self.axes[index]
            cells = [axis.own_cell] if inside & self.own[index] else (k for k in range(axis.size) if inside >> k & 1)
            best = min(cells, key=lambda cell: (axis.distance(cell), axis.thresholds_crossed(cell)))
            self.known[index, inside] = 1 << best
        return self.known[index, inside]

    def answers(self) -> Iterator[tuple[Label, tuple[Step, ...]]]:
        """Yield the cheapest changes in order, dividing the box with the lowest bound where necessary."""
        while self.boxes:
            cost, _, box = heappop(self.boxes)
            if not box.escapes:
                box = self.examine(box)
                if not box.escapes:
                    steps = self.steps(box.point)
                    yield box.label, steps
                    answer = RuleCells(tuple((axis, self.axes[axis].beyond(cell)) for axis, cell in steps))
                    self.answered[box.label].append(answer)
                    box = box._replace(escapes=((answer, self.ways_out(answer, box)),))
                elif (bound := len(self.steps(box.point)) + _min_further_changes(box)) > cost[0]:
                    heappush(self.boxes, ((bound, cost[1], ()), next(self.ties), box))
                    continue
            self.divide(box, cost[0])

    def steps(self, point: Sequence[int]) -> tuple[Step, ...]:
        """Return the changes of a record."""
        moved = [axis for axis, own in enumerate(self.own) if point[axis] != own]
        return tuple((axis, point[axis].bit_length() - 1) for axis in moved)

    def examine(self, box: Box) -> Box:
        """Return the box with the rules that cover its cheapest record and the ways to escape them."""
        violated = [rule for rule in (*self.answered[box.label], *box.avoid) if rule.covers(box.point)]
        return box._replace(escapes=tuple((rule, self.ways_out(rule, box)) for rule in violated))

    def ways_out(self, rule: RuleCells, box: Box) -> list[int]:
        """List the ways to escape a rule that covers the cheapest record: a literal fails, or an exception covers."""
        ways = []
        for axis, inside in rule.tests:
            if box.cells[axis] & ~inside:
                ways.append((box.point[axis] == self.own[axis]) << axis)
        for exception in rule.exceptions:
            if all(box.cells[axis] & inside for axis, inside in exception.tests):  # its default can hold here
                moved = 0
                for axis, inside in exception.tests:
                    if not box.point[axis] & inside and box.point[axis] == self.own[axis]:
                        moved |= 1 << axis
                ways.append(moved)
        return ways

    def divide(self, box: Box, bound: int) -> None:
        """Push the parts of the box outside one covering rule: the rule with the fewest ways out."""
        rule, _ = min(box.escapes, key=lambda escape: len(escape[1]))
        avoid = tuple(other for other in box.avoid if other is not rule)  # shared: most boxes are never examined
        for cells, others in split_outside(rule, box.cells):
            self.push(box, cells, (*others, *avoid) if others else avoid, bound)


def rule_cells(rule: Rule, axes: Sequence[FeatureCells], indices: Mapping[str, int]) -> RuleCells:
    """Convert a rule to cells, one test per feature; ``indices`` are the indices of the features' axes."""
    tests: dict[int, int] = {}
    for literal in rule.default:
        axis = indices[literal.feature]
        tests[axis] = tests.get(axis, -1) & axes[axis].mask(literal)
    inner = tuple(rule_cells(exception, axes, indices) for exception in rule.exceptions)
    return RuleCells(tuple(tests.items()), inner)


def _min_further_changes(box: Box) -> int:
    """Return a lower bound on further changed features: one per rule to escape, of rules sharing no way out."""
    needs = [reduce(or_, ways, 0) for _, ways in box.escapes if all(ways)]
    more = taken = 0
    for need in sorted(needs, key=int.bit_count):
        if not need & taken:
            taken |= need
            more += 1
    return more


def split_outside(rule: RuleCells, cells: Cells) -> Iterator[tuple[Cells, tuple[RuleCells, ...]]]:
    """Yield the parts of a box that a rule does not cover: cells, and rules that must not cover records there."""
    for axis, inside in rule.tests:
        if outside := cells[axis] & ~inside:
            yield (*cells[:axis], outside, *cells[axis + 1 :]), ()
            cells = (*cells[:axis], cells[axis] & inside, *cells[axis + 1 :])
    for exception in rule.exceptions:
        if (inner := cells_of_default(cells, exception)) is not None:
            yield inner, exception.exceptions


def cells_of_default(cells: Cells, rule: RuleCells) -> Cells | None:
    """Return the part of a box where the default of a rule holds; None if that part is empty."""
    found = list(cells)
    for axis, inside in rule.tests:
        found[axis] &= inside
        if not found[axis]:
            return None
    return tuple(found)
