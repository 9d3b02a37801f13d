"""Divide the values of each feature into the cells that a program distinguishes.

Each feature is an axis of cells: the intervals between thresholds (ascending), the categories that the program names
(by code point), any other category, and missing. Cells are numbered, and a set of them is an integer with a bit per
cell, so that a literal is a mask.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from unless.rule.literal import Literal
from unless.rule.program import Program
from unless.values import Value


@dataclass(frozen=True)
class FeatureCells:
    """The cells of one feature, defined by the thresholds and categories that a program names."""

    feature: str
    thresholds: tuple[float, ...]
    named: tuple[str, ...]

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.thresholds) + 1 + len(self.named) + 2

    def mask(self, literal: Literal) -> int:
        """Return the set of cells where a literal holds."""
        everything, numbers = (1 << self.size) - 1, (1 << len(self.thresholds) + 1) - 1
        match literal.op, literal.value:
            case ("<=", float(bound)):
                return (2 << bisect_left(self.thresholds, bound)) - 1
            case (">", float(bound)):
                return numbers & ~((2 << bisect_left(self.thresholds, bound)) - 1)
            case ("==", str(category)):
                return 1 << self.category_cell(category)
            case ("!=", str(category)):
                return everything & ~(1 << self.category_cell(category))
            case ("missing", _):
                return 1 << self.size - 1
            case _:
                return everything >> 1

    def category_cell(self, category: str) -> int:
        """Return the cell of a category that the program names."""
        return len(self.thresholds) + 1 + bisect_left(self.named, category)


def divide_features(program: Program) -> list[FeatureCells]:
    """Divide each feature that the program uses into cells."""
    tested: dict[str, set[Value]] = {feature: set() for feature in program.used}
    for rule in program.rules:
        for literal in rule.literals():
            tested[literal.feature].add(literal.value)
    return [
        FeatureCells(
            feature,
            tuple(sorted(value for value in values if isinstance(value, float))),
            tuple(sorted(value for value in values if isinstance(value, str))),
        )
        for feature, values in tested.items()
    ]
