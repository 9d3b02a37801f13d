"""Group the values of a feature that rules treat alike: ranges of numbers, categories, missing cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from unless.explanation.words import Words
from unless.rule import Literal
from unless.score.contributions import CurveStep
from unless.table import Column
from unless.values import Value, count_text, number_to_json, value_to_json

_NAMED = 3
"""How many categories a line names."""


@dataclass(frozen=True, slots=True)
class ValueGroup:
    """Values of a feature that the rules treat alike.

    A range contains the numbers above ``above`` and at most ``at_most``; other values are listed, with None for a
    missing cell.
    """

    values: tuple[Value, ...]
    above: float | None
    at_most: float | None

    @classmethod
    def of(cls, column: Column, step: CurveStep) -> ValueGroup:
        """Create the group of the values of a step of a curve."""
        if step.codes[0] >= len(column.numbers):
            return cls(tuple(map(column.value, step.codes)), None, None)
        values = tuple(map(column.value, (code for code in step.codes if code >= len(column.numbers))))
        above, at_most = (column.number(end) if abs(end) < inf else end for end in _bounds(step.holds, step.fails))
        return cls(values, above, at_most)

    @property
    def is_range(self) -> bool:
        """Whether the group is a range of numbers between two bounds."""
        return self.above is not None

    @property
    def is_missing(self) -> bool:
        """Whether the group is the missing cell alone."""
        return self.values == (None,) and not self.is_range

    def joined(self, other: ValueGroup) -> ValueGroup:
        """Return the group of the values of both; a range must be followed by the other one."""
        return ValueGroup((*self.values, *other.values), self.above, other.at_most)

    def text(self, feature: str, words: Words) -> str:
        """Describe the values of the group: "above 9,800, at most 17,200"."""
        if self.above is None or self.at_most is None:
            return self._names(feature, words)
        if self.above == -inf and self.at_most == inf:
            return "any number"
        if self.above == -inf:
            return f"at most {words.value(feature, self.at_most)}"
        if self.at_most == inf:
            return f"above {words.value(feature, self.above)}"
        return f"above {words.value(feature, self.above)}, at most {words.value(feature, self.at_most)}"

    def short_text(self, feature: str, words: Words) -> str:
        """Describe the values of the group for the head of a table: "≤ 9,800", "… 17,200", "> 17,200"."""
        if self.above is None or self.at_most is None:
            return self._names(feature, words)
        if self.at_most == inf:
            return "any number" if self.above == -inf else f"> {words.value(feature, self.above)}"
        return f"{'≤' if self.above == -inf else '…'} {words.value(feature, self.at_most)}"

    def to_dict(self) -> dict[str, Any]:
        """Convert the group to values that JSON supports."""
        return {
            "values": [value_to_json(value) for value in self.values],
            "above": None if self.above is None else number_to_json(self.above),
            "at_most": None if self.at_most is None else number_to_json(self.at_most),
        }

    def _names(self, feature: str, words: Words) -> str:
        named = [words.value(feature, value) for value in self.values[:_NAMED]]
        more = len(self.values) - _NAMED
        return ", ".join(named) + (f" and {count_text(more, 'other')}" if more > 0 else "")


def value_groups(column: Column, steps: Sequence[CurveStep]) -> list[ValueGroup]:
    """Return the groups of values of the steps of a curve."""
    return [ValueGroup.of(column, step) for step in steps]


def _bounds(holds: tuple[Literal, ...], fails: tuple[Literal, ...]) -> tuple[float, float]:
    """Return the lower and upper bound of the numbers for which some literals hold and others fail."""
    lows = [one.value for one in holds if one.op == ">"] + [one.value for one in fails if one.op == "<="]
    highs = [one.value for one in holds if one.op == "<="] + [one.value for one in fails if one.op == ">"]
    low = [float(one) for one in lows if isinstance(one, float)]
    high = [float(one) for one in highs if isinstance(one, float)]
    return max(low, default=-inf), min(high, default=inf)
