"""Measure decisions: counts of true labels by decided label and by rule, and the measures that the paper uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.explanation.words import printable
from unless.model import HoldoutResult
from unless.model.prediction import Decider, deciding_rules, label_places
from unless.model.rule_statistics import RuleStatistics, wilson_interval
from unless.rule import Program
from unless.table import Labels, Table
from unless.values import Label, class_index, count_text, share_text

if TYPE_CHECKING:
    from unless.learn.fold import LearnedProgram


@dataclass(frozen=True, slots=True)
class ClassQuality:
    """One class: how many records have it, how many were given it, and how many were given it correctly."""

    label: Label
    support: int
    decided: int
    right: int

    @property
    def precision(self) -> float:
        """The share of records given this label that really have it; 0 if no record was given it."""
        return self.right / self.decided if self.decided else 0.0

    @property
    def recall(self) -> float:
        """The share of records of this class that were given its label; 0 if the class has no records."""
        return self.right / self.support if self.support else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if both are 0."""
        return 2 * self.right / (self.support + self.decided) if self.right else 0.0


@dataclass(frozen=True, eq=False)
class Quality:
    """Decisions against true labels: ``confusion[true, decided]`` counts records; the last column is undecided.

    The averages are defined as in the paper, weighted by the number of records of each class (scikit-learn's
    ``average="weighted", zero_division=0``). A record that is not decided counts as wrong.
    """

    labels: tuple[Label, ...]
    confusion: NDArray[np.int64]

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.confusion.sum())

    @property
    def right(self) -> int:
        """The number of records that were decided correctly."""
        return int(np.trace(self.confusion))

    @property
    def undecided(self) -> int:
        """The number of records that were not decided."""
        return int(self.confusion[:, -1].sum())

    @property
    def accuracy(self) -> float:
        """The share of records that were decided correctly; 0 if there are no records."""
        return self.right / self.records if self.records else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the accuracy (Wilson's)."""
        return wilson_interval(self.right, self.records)

    @property
    def precision(self) -> float:
        """The weighted average of the classes' precision."""
        return self._weighted([one.precision for one in self.classes])

    @property
    def recall(self) -> float:
        """The weighted average of the classes' recall; it equals the accuracy."""
        return self._weighted([one.recall for one in self.classes])

    @property
    def f1(self) -> float:
        """The weighted average of the classes' F1."""
        return self._weighted([one.f1 for one in self.classes])

    @cached_property
    def classes(self) -> tuple[ClassQuality, ...]:
        """Every class, in the order of ``labels``."""
        square = self.confusion[:, :-1]
        rows = zip(self.labels, self.confusion.sum(axis=1), square.sum(axis=0), np.diag(square), strict=True)
        return tuple(ClassQuality(label, int(has), int(given), int(right)) for label, has, given, right in rows)

    def _weighted(self, values: Sequence[float]) -> float:
        supports = [one.support for one in self.classes]
        return float(np.average(values, weights=supports)) if any(supports) else 0.0


def measure_quality(truth: NDArray[Any], decided: NDArray[Any], labels: Sequence[Label]) -> Quality:
    """Compare decisions with true labels, both given as indices into ``labels``; -1 means not decided.

    >>> import numpy as np
    >>> found = measure_quality(np.array([0, 0, 1, 1]), np.array([0, 1, 1, -1]), ["no", "yes"])
    >>> found.confusion.tolist(), found.accuracy, found.undecided
    ([[1, 1, 0], [0, 1, 1]], 0.5, 1)
    """
    count = len(labels)
    true, given = np.asarray(truth, dtype=np.int64), np.asarray(decided, dtype=np.int64)
    if true.shape != given.shape or true.ndim != 1:
        raise ParameterError(f"{true.size} true labels, but {given.size} decisions; every record must have one of each")
    if true.size and not (true.min() >= 0 and true.max() < count and given.min() >= -1 and given.max() < count):
        raise ParameterError(f"indices of labels must be 0 to {count - 1}, or -1 for a record that is not decided")
    return Quality(tuple(labels), count_pairs(true, given, count, count + 1))


def count_pairs(
    rows: NDArray[Any], columns: NDArray[Any], height: int, width: int, weights: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Count the records, or sum the weights, of each pair of row and column; -1 is the last row or column."""
    places = rows.astype(np.int64) % height * width + columns.astype(np.int64) % width
    return np.bincount(places, weights, height * width).reshape(height, width)


def evaluate_decider(decider: Decider, table: Table) -> Quality:
    """Compare a decider's decisions on a table with its labels; either may have labels that the other lacks."""
    labels = table.labels
    known = (*labels.labels, *sorted(set(decider.labels) - set(labels.labels), key=str))
    return measure_quality(labels.codes, label_places(decider, table, known), known)


def holdout_quality(tested: HoldoutResult) -> Quality:
    """Compare the decisions on records held back with the true labels."""
    return Quality(tested.statistics.classes, tested.confusion)


def baseline_quality(tested: HoldoutResult) -> Quality:
    """Measure how always predicting the most frequent label performs on the records held back."""
    found = np.zeros_like(tested.confusion)
    found[:, tested.statistics.classes.index(tested.usual)] = tested.confusion.sum(axis=1)
    return Quality(tested.statistics.classes, found)


def quality_text(tested: str, found: Quality, usual: object, baseline: float) -> str:
    """Summarise a test: the accuracy with its interval, F1, and the baseline of always predicting ``usual``.

    "180 records held back: accuracy 0.967 (0.929 to 0.985), F1 0.966 (always accept: 0.583)".
    """
    low, high = map(share_text, found.interval)
    undecided = f", {found.undecided:,} undecided" if found.undecided else ""
    always = f"always {printable(str(usual))}: {share_text(baseline)}"
    accuracy = f"accuracy {share_text(found.accuracy)} ({low} to {high})"
    return f"{tested} held back: {accuracy}, F1 {share_text(found.f1)}{undecided} ({always})"


def holdout_text(tested: HoldoutResult) -> str:
    """Summarise how a model performs on the records that were held back."""
    text = quality_text(count_text(tested.held_back, "record"), holdout_quality(tested), tested.usual, tested.baseline)
    by = tested.origin.split.by
    return text if by is None else f"{text}; {by.text}"


def count_rule_decisions(
    program: Program, table: Table, weights: NDArray[np.floating[Any]] | None = None
) -> RuleStatistics:
    """Count a program's decisions on labelled records, rule by rule."""
    classes, rules = table.labels.labels, deciding_rules(program, table)
    counts = count_pairs(rules, table.labels.codes, len(program.rules) + 1, len(classes), weights)
    return RuleStatistics.of(program, classes, counts, weighted=_are_weighted(weights))


def count_training_decisions(
    learned: LearnedProgram, table: Table, weights: NDArray[np.floating[Any]] | None = None
) -> RuleStatistics:
    """Count a program's decisions on its training records, which most learners have already counted."""
    if learned.interrupted is not None or not learned.left:
        return count_rule_decisions(learned.program, table, weights)
    left = learned.left  # the records left before each rule, by class
    counts = np.empty(
        (len(left), len(left[0]))
    )  # no copy of all: with thousands of labels it would not fit into memory
    for row, (before, after) in enumerate(pairwise(left)):
        np.subtract(before, after, out=counts[row])
    counts[-1] = left[-1]
    return RuleStatistics.of(learned.program, table.labels.labels, counts, weighted=_are_weighted(weights))


def _are_weighted(weights: NDArray[np.floating[Any]] | None) -> bool:
    return weights is not None and bool((weights != 1).any())


class AlignedLabels(Labels):
    """Labels aligned with other labels for comparison; their types may differ."""

    def _check_labels(self) -> tuple[Label, ...]:
        return tuple(self.labels)


def align_labels(found: Labels, known: Sequence[Label]) -> Labels:
    """Express labels of new records as indices of the known labels; unknown labels are appended.

    A label of another type equals the known label that it spells (`class_index`).

    >>> align_labels(Labels.of("y", ["1", "0", "7"]), [0, 1]).labels
    (0, 1, '7')
    """
    places = [class_index(label, known) for label in found.labels]
    new = [label for label, place in zip(found.labels, places, strict=True) if place is None]
    rest = iter(range(len(known), len(known) + len(new)))
    codes = np.array([next(rest) if place is None else place for place in places], dtype=np.int64)
    labels = (*known, *new)
    return AlignedLabels(found.name, labels, codes[found.codes])
