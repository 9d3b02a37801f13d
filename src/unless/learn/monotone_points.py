"""Make points monotone: with more of a feature, a label never gains points against another label.

A record's points are sums of functions: the points of the deciding rule of each list, and those of the parts that hold.
If each of these functions only rises, or only falls, with a feature, so does the sum. So for ``income: more never
refuse`` the points of *refuse* must fall in each of them, and those of other labels rise; with two labels, those of the
second against the first do one of the two. Then every difference between *refuse* and another label falls, with it the
probability, and no record becomes *refuse* by more income.

Which rule decides can change only in some ways when a feature grows (`deciding_changes`): a rule must stop covering a
record, or an earlier one begin to, and both rules must be able to cover records that differ in that feature only. The
points of the two are compared for all such changes. They may contain some that no record can make, but lack none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unless.constraints import Direction, Monotone
from unless.rule import Program, Rule
from unless.rule.cells import divide_features
from unless.values import Label

Floats = NDArray[np.float64]
Changes = NDArray[np.bool_]
"""Whether the decision can change from one rule (rows) to another (columns)."""


def point_direction(constraint: Monotone, label: Label) -> int:
    """Return -1 if the points of a label must not rise as the feature grows, and 1 if they must not fall."""
    falls = (constraint.direction == "more") == (type(label) is type(constraint.label) and label == constraint.label)
    return -1 if falls else 1


def points_in_directions(
    program: Program, constraints: Sequence[Monotone], labels: Sequence[Label], points: Floats, weights: Floats
) -> Floats:
    """Change the points of deciding rules (rows) for labels (columns) as little as needed to satisfy constraints."""
    found = falling_changes(program, constraints, labels)
    columns = zip(points.T, weights.T, found, strict=True)
    return np.column_stack(
        [pool_points(own, weight, changes[: len(own), : len(own)]) for own, weight, changes in columns]
    )


def falling_changes(program: Program, constraints: Sequence[Monotone], labels: Sequence[Label]) -> list[Changes]:
    """Return, for the points of each label, the changes of the deciding rule with which they must not rise."""
    known = {one.feature: deciding_changes(program, one.feature) for one in constraints}
    found = []
    for label in labels:
        size = len(next(iter(known.values()))) if known else 0
        changes = np.zeros((size, size), bool)
        for one in constraints:
            own = known[one.feature]
            changes |= own if point_direction(one, label) < 0 else own.T
        found.append(changes)
    return found


def deciding_changes(program: Program, feature: str) -> Changes:
    """Find how the deciding rule can change when a feature grows; the last row and column are for no rule."""
    rules, size = (*program.rules, Rule(None)), len(program.rules) + 1
    rules = rules[: next(place + 1 for place, rule in enumerate(rules) if not (rule.default or rule.exceptions))]
    places = {one.feature: one for one in divide_features(program)}
    found = np.zeros((size, size), bool)
    if feature not in places:
        return found
    numbers = (2 << len(places[feature].thresholds)) - 1
    masks = []
    for rule in rules:
        own: dict[str, int] = {}
        for literal in rule.default:
            own[literal.feature] = own.get(literal.feature, -1) & places[literal.feature].mask(literal)
        masks.append(own)
    moves = [rule_moves(rule, feature) for rule in rules]
    by_default = [all(feature not in _tested(one) for one in rule.exceptions) for rule in rules]
    for one, own in enumerate(masks):
        for other, new in enumerate(masks):
            loses, gains = "less" in moves[one], "more" in moves[other]
            if one == other or not (loses if one < other else gains):
                continue
            if any(not mask & new.get(name, -1) for name, mask in own.items() if name != feature):
                continue
            before, after = own.get(feature, -1) & numbers, new.get(feature, -1) & numbers
            if one < other and by_default[one]:
                after &= ~own.get(feature, -1)
            if one > other and by_default[other]:
                before &= ~new.get(feature, -1)
            found[one, other] = bool(before) and after.bit_length() > (before & -before).bit_length()
    return found


def rule_moves(rule: Rule, feature: str) -> frozenset[Direction]:
    """Return whether a rule may cover more records as a feature grows, or less, or both."""
    found: set[Direction] = set()
    for depth, part in rule.parts():
        for literal in part.default:
            if literal.feature == feature and literal.op in ("<=", ">"):
                found.add("more" if (literal.op == ">") == (depth % 2 == 0) else "less")
    return frozenset(found)


def _tested(rule: Rule) -> set[str]:
    return {literal.feature for literal in rule.literals()}


def condition_bounds(
    condition: Rule, constraints: Sequence[Monotone], labels: Sequence[Label]
) -> tuple[Floats, Floats]:
    """Return the least and the most points of each label for records that a rule covers, infinite or 0."""
    least, most = np.full(len(labels), -np.inf), np.full(len(labels), np.inf)
    for constraint in constraints:
        moves = rule_moves(condition, constraint.feature)
        for place, label in enumerate(labels):
            growing: Direction = "more" if point_direction(constraint, label) > 0 else "less"
            if moves - {growing}:
                most[place] = 0.0
            if growing in moves:
                least[place] = 0.0
    return least, most


def pool_points(points: Floats, weights: Floats, changes: Changes) -> Floats:
    """Change points as little as needed, so that no change leads to more of them: pool what violates this.

    The two groups of rules that violate a change most get their weighted mean, again and again. With every step there
    is one group less, so it ends; then no change is violated.
    """
    found, group = points.astype(np.float64), np.arange(len(points))
    while True:
        rises = np.where(changes, found[np.newaxis] - found[:, np.newaxis], 0.0)
        one, other = divmod(int(rises.argmax()), len(found)) if len(found) else (0, 0)
        if not len(found) or rises[one, other] <= 0:
            return found
        group[group == group[other]] = group[one]
        members = group == group[one]
        found[members] = np.average(found[members], weights=weights[members])


def breaks_by_points(points: NDArray[np.int64], changes: Changes) -> tuple[int, int] | None:
    """Return the first change that leads to more points, or None."""
    rises = changes & (points[np.newaxis] > points[:, np.newaxis])
    found = np.argwhere(rises)
    return (int(found[0, 0]), int(found[0, 1])) if len(found) else None
