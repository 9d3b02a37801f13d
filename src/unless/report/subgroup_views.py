"""Prepare the subgroups of `evaluation.subgroups` for a page, with the readers' names of columns and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from unless.evaluation.subgroups import LEAST, Difference, Group
from unless.evaluation.subgroups import find_subgroups as subgroups
from unless.explanation.words import Words
from unless.report.facts import DecisionFacts, is_identifier
from unless.report.rule_sentences import LabelName, Speaker, Text
from unless.table import Column
from unless.values import Label

_COLUMNS = 40
"""The maximum number of columns; columns that rules test come first."""

_FEW = 8
"""A column with at most this many distinct texts is always grouped by."""


@dataclass(frozen=True, slots=True)
class GroupedBy:
    """A column and its groups. ``place`` is its index among the page's columns; ``used`` if rules test it."""

    column: Text
    place: int
    used: bool
    groups: tuple[Group, ...]

    @property
    def differing(self) -> bool:
        """Whether any group differs by more than chance."""
        return any(group.differences for group in self.groups)


@dataclass(frozen=True, slots=True)
class GroupsView:
    """All columns with their groups, the labels whose decisions are compared, and how many tests were made.

    A group of fewer than ``least`` records is not compared.
    """

    columns: tuple[GroupedBy, ...] = ()
    labels: Mapping[Label, LabelName] = field(default_factory=dict)
    tests: int = 0
    least: int = LEAST

    @property
    def striking(self) -> tuple[tuple[GroupedBy, Group, Difference], ...]:
        """The differences to list, largest first: in quality, and in decisions if no rule tests the column.

        Decisions are expected to differ by the features that rules test. If a column has only two groups, one is
        listed.
        """
        found = [
            (column, group, one)
            for column in self.columns
            for group in column.groups[: 1 if len(column.groups) == 2 else None]
            for one in group.differences
            if one.label is None or not column.used
        ]
        return tuple(sorted(found, key=lambda one: -abs(one[2].share - one[2].elsewhere)))


def describe_groups(facts: DecisionFacts, speaker: Speaker, words: Words, shown: Sequence[Column]) -> GroupsView:
    """Describe the groups of the columns of a page, columns that rules test first."""
    tested = len(facts.used)  # whole numbers that rules test are measurements, not identifiers
    kept = [
        (place, column)
        for place, column in enumerate(shown[:_COLUMNS])
        if _is_groupable(column) and (place < tested or len(column) <= _FEW or not is_identifier(column))
    ]
    found = subgroups([column for _, column in kept], facts.given, facts.truth, facts.labels, words=words)
    columns = tuple(
        GroupedBy(speaker.feature(column.name), place, place < len(facts.used), groups)
        for (place, column), groups in zip(kept, found.columns, strict=True)
    )
    names = {label: speaker.labels[facts.labels.index(label)] for label in found.labels}
    return GroupsView(columns, names, found.tests)


def _is_groupable(column: Column) -> bool:
    """Return whether a column can be grouped by: not if it is constant or nearly every record has its own text."""
    counts = column.counts()
    alone = np.count_nonzero(counts[:-1]) > max(len(column) // 2, _FEW) and not len(column.numbers)
    return bool(np.count_nonzero(counts) > 1 and not alone)
