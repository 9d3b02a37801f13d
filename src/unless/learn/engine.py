"""Engines answer how many positives and negatives there are per value.

The learner asks an engine; rows are opaque to it, it only hands them back. Counts add, so an engine may keep its rows
anywhere: in memory, in a database, on many machines. The order of features and values is part of the answers, never
the order of rows, so every engine learns the same program.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from unless.learn.literals import best_literal, purest_literal
from unless.rule import Literal
from unless.values import Label, Value

__all__ = ["Counts", "Engine", "Rows"]

Rows = TypeVar("Rows")


@dataclass(frozen=True, slots=True)
class Counts:
    """How many positive and negative rows hold each value of a feature: values present only, in their order."""

    feature: str
    values: Sequence[Value]
    positive: Sequence[int]
    negative: Sequence[int]


class Engine(ABC, Generic[Rows]):
    """The questions of the learner."""

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
        """The size of the rows of each label."""

    @abstractmethod
    def split(self, rows: Rows, label: int) -> tuple[Rows, Rows]:
        """The rows of the label with this index, and the others."""

    @abstractmethod
    def covered(self, rows: Rows, literal: Literal) -> Rows:
        """The rows of which the literal is true."""

    @abstractmethod
    def minus(self, rows: Rows, gone: Rows) -> Rows:
        """The rows that are not among others."""

    @abstractmethod
    def counts(self, positive: Rows, negative: Rows) -> Iterator[Counts]:
        """Positive and negative rows per value, feature by feature in order."""

    def best_literal(self, positive: Rows, negative: Rows, used: tuple[Literal, ...]) -> Literal | None:
        """Algorithm 2, from the counts. An engine that knows a faster way to the same literal may take it."""
        return best_literal(self.counts(positive, negative), used)

    def purest_literal(self, positive: Rows, negative: Rows, support: float) -> Literal | None:
        """The literal that our own learner adds, from the counts; a faster way to the same is welcome too."""
        return purest_literal(self.counts(positive, negative), support)

    @abstractmethod
    def distinct(self) -> Sequence[int]:
        """How many values each feature has, missing among them."""
