"""Convert lists of rules to graphs whose nodes test one literal each, with points at their ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unless.rule import Literal, Program, Rule
from unless.table import Column

Truths = NDArray[np.bool_]
"""Whether each literal of a graph (columns) holds in each row."""


@dataclass(frozen=True, eq=False)
class DecisionGraph:
    """A graph that leads each record to an end, which has points.

    A node is a row of ``nodes``: a literal, the next node if it holds, and the next node if not; a node below 0 is
    ``~end``. ``points`` has a row for each end.
    """

    literals: tuple[Literal, ...]
    nodes: NDArray[np.int32]
    root: int
    points: NDArray[np.float64]

    @classmethod
    def of_list(cls, program: Program, points: NDArray[np.float64]) -> DecisionGraph:
        """Convert a list to a graph with the points of the deciding rule; the last row of points is for no rule."""
        return _Builder().graph([*program.rules], points)

    @classmethod
    def of_condition(cls, rule: Rule, points: NDArray[np.float64]) -> DecisionGraph:
        """Convert a rule to a graph that gives points to the records that the rule covers."""
        return _Builder().graph([rule], np.stack([points, np.zeros_like(points)]))

    @cached_property
    def features(self) -> tuple[str, ...]:
        """The features that the graph's literals test."""
        return tuple(dict.fromkeys(literal.feature for literal in self.literals))

    def truths(self, columns: Iterable[Column]) -> Truths:
        """Compute whether each literal holds in each row of these columns."""
        known = {column.name: column for column in columns}
        spans = [(known[literal.feature].codes, *known[literal.feature].span(literal)) for literal in self.literals]
        held = [((low <= codes) & (codes < end)) != negated for codes, low, end, negated in spans]
        return np.column_stack(held) if held else np.empty((0, 0), bool)

    def ends(self, truths: Truths) -> NDArray[np.intp]:
        """Return the end that each row of truths leads to."""
        places, rows = np.full(len(truths), self.root, np.intp), np.arange(len(truths))
        while (going := places >= 0).any():
            nodes = self.nodes[places[going]]
            holds = truths[rows[going], nodes[:, 0]]
            places[going] = np.where(holds, nodes[:, 1], nodes[:, 2])
        return ~places


class _Builder:
    """Lays out the nodes of a graph backwards, so that the targets of each node are known."""

    def __init__(self) -> None:
        self._nodes: list[tuple[int, int, int]] = []
        self._literals: dict[Literal, int] = {}

    def graph(self, rules: Sequence[Rule], points: NDArray[np.float64]) -> DecisionGraph:
        """Build the graph of rules; the first rule that covers a record decides."""
        root = ~(len(points) - 1)
        for number in reversed(range(len(rules))):
            root = self._covers(rules[number], ~number, root)
        nodes = np.array(self._nodes, dtype=np.int32).reshape(-1, 3)
        return DecisionGraph(tuple(self._literals), nodes, root, points.astype(np.float64))

    def _covers(self, rule: Rule, yes: int, no: int) -> int:
        """Add nodes that lead to ``yes`` if a rule covers a record, otherwise to ``no``; return the first one."""
        for exception in reversed(rule.exceptions):
            yes = self._covers(exception, no, yes)
        for literal in reversed(rule.default):
            self._nodes.append((self._literals.setdefault(literal, len(self._literals)), yes, no))
            yes = len(self._nodes) - 1
        return yes
