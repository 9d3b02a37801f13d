"""Check whether a program satisfies constraints, exactly, for all possible records.

Most constraints are about the form of rules. A constraint such as ``income: more never refuse`` is about the decisions,
so it is checked by searching for two records that violate it. If two such records exist, there are also two with
incomes on either side of a single threshold, because between the two incomes the decision changes at some threshold. So
for each threshold the rules are restricted twice, to incomes just below and just above it, and the search looks for
values of all other features where one of the two lists gives the label and the other does not. One of the deciding
rules must differ above and below; the search starts with that rule, and divides the remaining box until no other rule
covers it (`explanation.counterfactuals.box_search`). A program that was learned under the constraint needs no search
(`learn.rule_limits`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, nextafter

from unless.constraints import Constraints, Cuts, Monotone, cut_numbers, directions_among, to_constraints
from unless.errors import ParameterError
from unless.explanation.counterfactuals.box_search import Cells, RuleCells, cells_of_default, rule_cells, split_outside
from unless.learn.monotone_points import breaks_by_points, falling_changes
from unless.learn.rule_limits import limits_for_label
from unless.rule import Literal, Program, Rule
from unless.rule.cells import FeatureCells, divide_features
from unless.score.committee import Committee
from unless.values import Label, Value, class_index, count_text
from unless.values.notation import NotatedNumber

_STEPS = 100_000
"""The maximum number of boxes divided to decide one constraint, which takes seconds; an exact check is NP-hard."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A violated constraint.

    ``rule`` is the number of the rule, counted from 1; None if the whole program violates the constraint. ``records``
    are two records that show the violation and differ in one feature; they have only features that the program tests.
    """

    text: str
    rule: int | None = None
    records: tuple[dict[str, Value], dict[str, Value]] | None = None

    def __str__(self) -> str:
        return self.text


def violations(program: Program | Committee, constraints: Constraints) -> tuple[Violation, ...]:
    """Find all violations of constraints by a program or committee; none if it satisfies them for all possible records.

    A monotone constraint that cannot be decided in 100,000 steps is reported as a violation without records. For a
    committee it is shown list by list: if the points of every list satisfy it, so do their sums. Other lists may make
    up for a list that is reported.

    >>> from unless import Constraints, Literal, Program, Rule
    >>> poor = Rule("refuse", (Literal("income", ">", 21000.0),))
    >>> constraints = Constraints(monotone="income: more never refuse")
    >>> print(*violations(Program("decision", ("income",), (poor,), "accept"), constraints))
    income: more never refuse: with income 21000.0 it is 'accept', with 21000.000000000004 'refuse'
    """
    asked = to_constraints(constraints)
    if not isinstance(program, Program | Committee):
        raise ParameterError(f"violations are found for a Program or a Committee, not for a {type(program).__name__}")
    if asked is None:
        return ()
    if isinstance(program, Committee):
        return tuple(_committee_violations(program, asked))
    rules = (one for k, rule in enumerate(program.rules, 1) for one in _rule_violations(k, rule, asked))
    return (*rules, *(one for monotone in asked.monotone for one in _monotone_violations(program, monotone)))


def _committee_violations(committee: Committee, asked: Constraints) -> Iterator[Violation]:
    """Yield the violations of each list: of its rules, and of its points."""
    directions = directions_among(asked, committee.classes)
    for number, (program, points) in enumerate(zip(committee.lists, committee.points, strict=True), 1):
        for k, rule in enumerate(program.rules, 1):
            for one in _rule_violations(k, rule, asked):
                yield Violation(f"list {number}: {one}", k)
        for monotone in directions:
            changes = falling_changes(program, (monotone,), committee.classes)
            for label, own, ways in zip(committee.classes, points.T, changes, strict=True):
                pair = breaks_by_points(own, ways[: len(own), : len(own)])
                if pair is not None:
                    text = f"from rule {pair[0] + 1} to rule {pair[1] + 1} the points of {label!r} move the wrong way"
                    yield Violation(f"{monotone}: list {number}: {text}")


# The form of rules.


def _rule_violations(number: int, rule: Rule, asked: Constraints) -> Iterator[Violation]:
    used = {literal.feature for literal in rule.literals()}
    for name in asked.never:
        if name in used:
            yield Violation(f"rule {number} tests {name!r}, which no rule may test", number)
    top = {literal.feature for literal in rule.default}
    for name in asked.only_exceptions:
        if name in top:
            yield Violation(f"rule {number} tests {name!r} in its default; only exceptions may", number)
    for one, other in asked.apart:
        if one in used and other in used:
            yield Violation(f"rule {number} tests {one!r} and {other!r}, which must be apart", number)
    longest = max(len(part.default) for _, part in rule.parts())
    if asked.max_literals is not None and longest > asked.max_literals:
        literals = count_text(longest, "literal")
        yield Violation(f"rule {number} has {literals} in one default; at most {asked.max_literals} may be", number)
    yield from _literal_violations(number, rule, asked)
    if asked.max_depth is not None and rule.depth - 1 > asked.max_depth:
        levels = count_text(rule.depth - 1, "level")
        yield Violation(f"rule {number} has {levels} of exceptions; at most {asked.max_depth} may be", number)


def _literal_violations(number: int, rule: Rule, asked: Constraints) -> Iterator[Violation]:
    for literal in dict.fromkeys(rule.literals()):
        if asked.no_negation and literal.op in ("!=", "present"):
            yield Violation(f"rule {number} says {literal}, but no rule may say 'is not' or 'is present'", number)
        if not _is_allowed_cut(literal, dict(asked.only_cuts)):
            yield Violation(f"rule {number} says {literal}, whose threshold is not one of only_cuts", number)


def _is_allowed_cut(literal: Literal, cuts: Mapping[str, Cuts]) -> bool:
    """Return whether a literal has no threshold, or a given one: of 18, ``at most 18`` as well as ``below 18``."""
    if literal.op not in ("<=", ">") or literal.feature not in cuts:
        return True
    notation = literal.value.notation if isinstance(literal.value, NotatedNumber) else None
    allowed = cut_numbers(literal.feature, cuts[literal.feature], notation)
    return literal.value in allowed or literal.as_short_bound()[1] in allowed


# The decisions of the program.


def _monotone_violations(program: Program, monotone: Monotone) -> Iterator[Violation]:
    labels = program.labels
    place = class_index(monotone.label, labels)
    if place is None or monotone.feature not in program.used:
        return
    try:
        pair = _find_breaking_pair(program, Monotone(monotone.feature, monotone.direction, labels[place]))
    except _UndecidedError:
        yield Violation(f"{monotone}: this could not be decided in {_STEPS:,} steps")
        return
    if pair is not None:
        yield Violation(_violation_text(program, monotone, pair), None, pair)


def _violation_text(program: Program, monotone: Monotone, pair: tuple[dict[str, Value], dict[str, Value]]) -> str:
    low, high = pair
    here = f"{monotone}: with {monotone.feature} {low[monotone.feature]!r} it is {program.label(low)!r}"
    here += f", with {high[monotone.feature]!r} {program.label(high)!r}"
    others = [f"{name} {'missing' if value is None else repr(value)}" for name, value in low.items()]
    others.remove(f"{monotone.feature} {low[monotone.feature]!r}")
    return f"{here}, where all else is the same: {', '.join(others)}" if others else here


def is_monotone_by_literals(program: Program, monotone: Monotone) -> bool:
    """Return whether the literals alone show that a program satisfies a constraint (see `learn.rule_limits`)."""
    asked, after = Constraints(monotone=(monotone,)), {program.otherwise}
    for rule in reversed(program.rules):
        labels = [label for label in after if label is not None]
        if rule.head is None or not limits_for_label(asked, program.features, rule.head, labels).admits(rule):
            return False
        after.add(rule.head)
    return True


def _find_breaking_pair(program: Program, monotone: Monotone) -> tuple[dict[str, Value], dict[str, Value]] | None:
    """Find two records that violate a constraint, the smaller value first; None if there are none."""
    if is_monotone_by_literals(program, monotone):
        return None
    search = _PairSearch(program, monotone.label)
    axis = search.places[monotone.feature]
    for cell in range(len(search.axes[axis].thresholds)):
        if search.axes[axis].above(cell) is None:
            continue
        pair = (cell + 1, cell) if monotone.direction == "more" else (cell, cell + 1)
        found = search.find_clash(axis, *pair)
        if found is not None:
            return search.make_record(found, axis, cell), search.make_record(found, axis, cell + 1)
    return None


class _UndecidedError(Exception):
    """Raised if the search does not end within its budget of steps."""


class _ConstraintAxis(FeatureCells):
    """The cells of one feature, with a value for each."""

    @cached_property
    def cells(self) -> int:
        """The cells that have a value, as bits."""
        every = (1 << self.size) - 1
        return every if self.above(len(self.thresholds) - 1) is not None else every & ~(1 << len(self.thresholds))

    def above(self, cell: int) -> float | None:
        """Return a number in the cell above a threshold; None if no number is above it."""
        if cell < 0:
            return 0.0
        if cell + 1 < len(self.thresholds):
            return self.thresholds[cell + 1]
        last = self.thresholds[cell]
        if last == inf:
            return None
        if isinstance(last, NotatedNumber):
            return last.notation.value(last + last.notation.step if last.notation.step else nextafter(last, inf))
        return nextafter(last, inf)

    def any_value(self, cells: int) -> Value:
        """Return a value in one of the cells; a number only if the program compares numbers."""
        likely = cells if self.thresholds else cells & ~1 or cells
        return self.value((likely & -likely).bit_length() - 1)

    def value(self, cell: int) -> Value:
        """Return a value in a cell."""
        numbers = len(self.thresholds) + 1
        if cell < numbers:
            return self.thresholds[cell] if cell + 1 < numbers else self.above(cell - 1)
        if cell < numbers + len(self.named):
            return self.named[cell - numbers]
        if cell == self.size - 1:
            return None
        other = "another"
        while other in self.named:
            other += "?"
        return other


class _PairSearch:
    """Searches for two records that differ in one feature, such that only one of them gets a label."""

    def __init__(self, program: Program, label: Label) -> None:
        self.axes = [_ConstraintAxis(one.feature, one.thresholds, one.named) for one in divide_features(program)]
        self.places = {axis.feature: place for place, axis in enumerate(self.axes)}
        self.shapes = [*(rule_cells(rule, self.axes, self.places) for rule in program.rules), RuleCells(())]
        self.says = [head == label for head in program.heads]
        self.steps = 0

    def find_clash(self, axis: int, yes: int, no: int) -> Cells | None:
        """Find cells of all other axes for which one cell of an axis gives the label and another cell does not."""
        there = [_restrict_axis(shape, axis, 1 << yes) for shape in self.shapes]
        here = [_restrict_axis(shape, axis, 1 << no) for shape in self.shapes]
        for first, (one, other) in enumerate(zip(there, here, strict=True)):
            if one == other:
                continue
            for second in range(first + 1, len(self.shapes)):
                if self.says[first] == self.says[second]:
                    continue
                pair = (first, second) if self.says[first] else (second, first)
                if (found := self.find_decided_cells(there, here, *pair)) is not None:
                    return found
        return None

    def find_decided_cells(
        self, there: Sequence[RuleCells | None], here: Sequence[RuleCells | None], yes: int, no: int
    ) -> Cells | None:
        """Find cells where rule ``yes`` decides in one list and gives the label, and ``no`` decides in the other."""
        sayer, other = there[yes], here[no]
        if sayer is None or other is None:
            return None
        cells = cells_of_default(tuple(axis.cells for axis in self.axes), sayer)
        cells = None if cells is None else cells_of_default(cells, other)
        if cells is None:
            return None
        before = [shape for shape, says in zip(there[:yes], self.says, strict=False) if shape is not None and not says]
        behind = [shape for shape, says in zip(here[:no], self.says, strict=False) if shape is not None and says]
        return self.find_uncovered_box(cells, [*sayer.exceptions, *other.exceptions, *before, *behind])

    def find_uncovered_box(self, cells: Cells, avoid: list[RuleCells]) -> Cells | None:
        """Find a part of a box that no rule covers, depth first."""
        boxes = [(cells, avoid)]
        while boxes:
            cells, avoid = boxes.pop()
            near = [shape for shape in avoid if cells_of_default(cells, shape) is not None]
            if not near:
                return cells
            self.steps += 1
            if self.steps > _STEPS:
                raise _UndecidedError
            parts = {id(shape): list(split_outside(shape, cells)) for shape in near}
            least = min(near, key=lambda shape: len(parts[id(shape)]))
            others = [shape for shape in near if shape is not least]
            boxes += [(part, [*more, *others]) for part, more in reversed(parts[id(least)])]
        return None

    def make_record(self, cells: Cells, axis: int, cell: int) -> dict[str, Value]:
        """Make a record in a box, with one cell given."""
        bits = [1 << cell if place == axis else inside for place, inside in enumerate(cells)]
        return {one.feature: one.any_value(inside) for one, inside in zip(self.axes, bits, strict=True)}


def _restrict_axis(shape: RuleCells, axis: int, cell: int) -> RuleCells | None:
    """Restrict a rule to one cell of an axis; None if it covers nothing there."""
    tests = []
    for place, inside in shape.tests:
        if place != axis:
            tests.append((place, inside))
        elif not inside & cell:
            return None
    inner = (_restrict_axis(exception, axis, cell) for exception in shape.exceptions)
    return RuleCells(tuple(tests), tuple(one for one in inner if one is not None))
