"""Committees: many lists of rules that vote. The points of the deciding rules of a record add up to its logits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from unless.errors import ProgramError
from unless.model.points import Points, leading_label_index
from unless.model.prediction import Chooser, Decisions, make_chooser, tested_columns
from unless.model.value_bins import Fill, bins_tested_by, fillers
from unless.rule import Program
from unless.score.voting_code import MAX_RULES, Instructions, VotingCode
from unless.table import Column, Table
from unless.values import Label, count_text

__all__ = ["Committee"]

_MOST = 2**31
"""Sums of points must stay below this limit, because they have 32 bits."""


@dataclass(frozen=True, eq=False, repr=False)
class Committee:
    """Lists of rules, and the points that the rules of each list add to each class.

    The label of a record is the class with the most points: the sum of ``base`` and, for every list, the points of the
    first rule that covers the record (``points[list][rule, class]``). The first of several equal classes wins. The last
    rule of a list covers every record.
    """

    target: str
    """The name of what is predicted."""
    features: tuple[str, ...]
    """The names of the features, in order."""
    classes: tuple[Label, ...]
    """The labels of training, sorted: the columns of ``points``."""
    base: Points
    lists: tuple[Program, ...]
    """The lists of rules that vote."""
    points: tuple[Points, ...]

    by_rule: ClassVar[bool] = False
    """False: one rule of each list decides, not a single rule (`prediction.Decider`)."""

    def __post_init__(self) -> None:
        if len(self.lists) != len(self.points):
            raise ProgramError(
                f"{count_text(len(self.lists), 'list')} and points of {len(self.points)}; each has its own"
            )
        base = _check_points(self.base, (len(self.classes),), "the base")
        points = []
        for number, (program, own) in enumerate(zip(self.lists, self.points, strict=True), 1):
            self._check(program, f"list {number}")
            points.append(_check_points(own, (len(program.rules), len(self.classes)), f"list {number}"))
        if sum(max(int(own.max(initial=0)), -int(own.min(initial=0))) for own in (base, *points)) >= _MOST:
            raise ProgramError(f"the points of a record could add up to {_MOST:,} or more; make them smaller")
        object.__setattr__(self, "base", base)
        object.__setattr__(self, "points", tuple(points))

    def _check(self, program: Program, what: str) -> None:
        if program.features != self.features or program.target != self.target:
            raise ProgramError(f"{what} has other features, or another target, than the committee")
        if not program.rules or program.rules[-1].default or program.rules[-1].exceptions:
            raise ProgramError(f"{what} must end with a rule that covers every record: one without conditions")
        if len(program.rules) > MAX_RULES:
            raise ProgramError(f"{what} has {len(program.rules):,} rules; {MAX_RULES:,} is the limit")
        if unknown := [label for label in program.labels if label not in self.classes]:
            raise ProgramError(f"{what} has the label {unknown[0]!r}, which is not a class")

    @property
    def noun(self) -> str:
        """The name of the committee in messages."""
        return f"committee of {count_text(len(self), 'list')}"

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels that the committee can give."""
        return self.classes

    heads = labels

    @cached_property
    def all_rules(self) -> Program:
        """The rules of all lists as one program, which shows what the committee tests, but not what it decides."""
        return Program(self.target, self.features, tuple(rule for program in self.lists for rule in program.rules))

    @cached_property
    def used(self) -> tuple[str, ...]:
        """The features that rules test, in the order of ``features``; predictions need only these."""
        return self.all_rules.used

    @cached_property
    def code(self) -> VotingCode:
        """The lists compiled to instructions that add up the points of rows."""
        written, first = Instructions(len(self.classes)), 0
        for program, own in zip(self.lists, self.points, strict=True):
            written.add_list(program, first)
            first += own.size
        points = [np.empty(0, np.int64), *(own.reshape(-1) for own in self.points)]
        return VotingCode(bins_tested_by(self.all_rules), written, np.concatenate(points))

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to copy, without compiled instructions."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def rule_count(self) -> int:
        """The number of rules in all lists, including exceptions."""
        return len(self.all_rules.rules) + self.all_rules.exception_count

    def decide(self, table: Table, threads: int = 2) -> Decisions:
        """Decide every row: return the class with the most points, and the points."""
        sums = self.sums(table, threads)
        return Decisions(leading_label_index(sums).astype(np.int32), sums)

    def sums(self, table: Table, threads: int = 2) -> Points:
        """Compute the points of every row and class.

        The table must contain the columns that rules test, in any order; read new records like the training records.
        """
        return self.add_up(fillers(self.code.bins, tested_columns(self, table)), len(table), threads)

    def add_up(self, fills: Sequence[Fill], rows: int, threads: int = 2) -> Points:
        """Compute the points of every row and class, given functions that write the bins of ``code``."""
        sums = np.tile(self.base, (rows, 1))
        self.code.add(fills, sums, threads)
        return sums

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Committee) and (
            (self.target, self.features, self.classes, self.lists)
            == (other.target, other.features, other.classes, other.lists)
            and np.array_equal(self.base, other.base)
            and all(map(np.array_equal, self.points, other.points))
        )

    def __hash__(self) -> int:
        return hash((self.target, self.features, self.classes, self.lists))

    def first(self, size: int) -> Committee:
        """Return the committee of only the first ``size`` lists."""
        return replace(self, lists=self.lists[:size], points=self.points[:size])

    def __len__(self) -> int:
        """Return the number of lists."""
        return len(self.lists)

    def __str__(self) -> str:
        rules = count_text(self.rule_count, "rule")
        return f"{self.target}: the vote of {count_text(len(self), 'list')} with {rules}, exceptions included"

    def __repr__(self) -> str:
        return f"<Committee for {self}>"


@make_chooser.register(Committee)
def _(decider: Committee, columns: Sequence[Column]) -> Chooser:
    bins = decider.code.bins
    return lambda codes, rows: leading_label_index(decider.add_up(fillers(bins, columns, codes), rows)).astype(np.int32)


def labels_from_sums(committee: Committee, sums: Points) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    """Return the label of every row, given its points."""
    labels = np.empty(len(committee.classes), dtype=object)
    labels[:] = committee.classes
    return labels[leading_label_index(sums)]


def _check_points(points: Points, shape: tuple[int, ...], what: str) -> Points:
    found = np.array(points, dtype=np.int64)  # a copy, so that other code cannot change it
    if found.shape != shape:
        raise ProgramError(f"{what} has points of the shape {found.shape}, not {shape}: a number for each class")
    found.flags.writeable = False
    return found
