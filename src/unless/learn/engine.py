"""An engine tells a learner how many positive and negative rows have each value.

The learner never looks into sets of rows; it only hands them back to the engine. Counts can be added up, so an engine
may keep its rows anywhere: in memory, in a database, on many machines. Answers depend on the order of features and
values, never on the order of rows, so every engine learns the same program.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from unless.learn.literals import Counts, best_literal, purest_literal, worthiest_literal
from unless.rule import Literal
from unless.values import Label

Rows = TypeVar("Rows")


class Engine(ABC, Generic[Rows]):
    """What a learner may ask."""

    target: str
    features: tuple[str, ...]
    labels: tuple[Label, ...]

    @abstractmethod
    def everything(self) -> Rows:
        """All rows."""

    @abstractmethod
    def size(self, rows: Rows) -> float:
        """How many rows, or how much they weigh."""

    @abstractmethod
    def popularity(self, rows: Rows) -> Sequence[float]:
        """How many rows each label has, or how much they weigh."""

    @abstractmethod
    def split(self, rows: Rows, label: int) -> tuple[Rows, Rows]:
        """The rows with this label, given by its index, and all others."""

    @abstractmethod
    def covered(self, rows: Rows, literal: Literal) -> Rows:
        """The rows for which the literal is true."""

    @abstractmethod
    def minus(self, rows: Rows, gone: Rows) -> Rows:
        """The rows without those that are gone."""

    @abstractmethod
    def counts(self, positive: Rows, negative: Rows) -> Iterator[Counts]:
        """Positive and negative rows per value, feature by feature in order."""

    def best_literal(self, positive: Rows, negative: Rows, used: tuple[Literal, ...]) -> Literal | None:
        """Algorithm 2, from the counts. An engine may find the same literal in a faster way."""
        return best_literal(self.counts(positive, negative), used)

    def purest_literal(self, positive: Rows, negative: Rows, support: float) -> Literal | None:
        """The literal that our own learner adds, from the counts. An engine may find it in a faster way, too."""
        return purest_literal(self.counts(positive, negative), support)

    def worthiest_literal(self, positive: Rows, negative: Rows) -> Literal | None:
        """The literal that covers the most positives less negatives, from the counts or faster."""
        return worthiest_literal(self.counts(positive, negative))

    @abstractmethod
    def plus(self, rows: Rows, more: Rows) -> Rows:
        """The rows of both, which have none in common."""

    @abstractmethod
    def distinct(self) -> Sequence[int]:
        """How many values each feature has; missing counts as one."""
