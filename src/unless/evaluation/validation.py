"""Evaluate learners on unseen records: a test split, or folds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ReadError
from unless.evaluation.metrics import Quality, align_labels, evaluate_decider
from unless.export.clauses import flatten
from unless.model.prediction import Decider
from unless.rule import Program
from unless.table import Labels, Table
from unless.values import attributes_to_json

Learn = Callable[[Table], Decider]
"""A function that learns a program or a committee from a table with labels."""

BASELINE = "most frequent"
"""The name of the baseline, which gives every record the most frequent training label."""

MEASURES = ("accuracy", "precision", "recall", "f1", "rules", "seconds")


# Measuring.


@dataclass(frozen=True, slots=True)
class Run:
    """The result of one learner on one fold; ``rules`` counts every rule and every exception, as the paper does."""

    algorithm: str
    fold: int
    quality: Quality
    rules: int
    seconds: float

    def measure(self, name: str) -> float:
        """One of `MEASURES`."""
        return float(getattr(self if name in ("rules", "seconds") else self.quality, name))


@dataclass(frozen=True, slots=True)
class Score:
    """All runs of one learner."""

    algorithm: str
    runs: tuple[Run, ...]

    def mean(self, measure: str) -> float:
        """The mean over the folds."""
        return fmean(run.measure(measure) for run in self.runs)

    def spread(self, measure: str) -> float | None:
        """The standard deviation over the folds; None if there is only one."""
        return stdev(run.measure(measure) for run in self.runs) if len(self.runs) > 1 else None

    @property
    def undecided(self) -> int:
        """The number of records that no rule decided, over all folds."""
        return sum(run.quality.undecided for run in self.runs)

    def to_dict(self) -> dict[str, Any]:
        """Convert the score for JSON."""
        return {
            "algorithm": self.algorithm,
            **{name: {"mean": self.mean(name), "sd": self.spread(name)} for name in MEASURES},
            "undecided": self.undecided,
            "folds": [{name: run.measure(name) for name in MEASURES} for run in self.runs],
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of learners, the baseline first, on the folds that every learner finished."""

    folds: int
    scores: tuple[Score, ...]

    @classmethod
    def of(cls, runs: Sequence[Run], learners: Iterable[str]) -> Evaluation:
        """Collect the runs of `run_learners`, which may have been stopped early."""
        names = (BASELINE, *learners)
        folds = set.intersection(*({run.fold for run in runs if run.algorithm == name} for name in names))
        kept = [run for run in runs if run.fold in folds]
        return cls(len(folds), tuple(Score(one, tuple(run for run in kept if run.algorithm == one)) for one in names))

    def to_dict(self) -> dict[str, Any]:
        """Convert the evaluation for JSON."""
        return attributes_to_json(self, "folds", "algorithms=scores")


def run_learners(pairs: Iterable[tuple[Table, Table]], learners: Mapping[str, Learn]) -> Iterator[Run]:
    """Learn from the first table of each pair and test on the second; learner by learner, the baseline first."""
    for fold, (train, test) in enumerate(pairs):
        yield Run(BASELINE, fold, evaluate_decider(majority_program(train), test), 0, 0.0)
        for name, learner in learners.items():
            start = time.perf_counter()
            found = learner(train)
            seconds = time.perf_counter() - start
            yield Run(name, fold, evaluate_decider(found, test), rule_count(found), seconds)


def align_test(train: Table, test: Table) -> Table:
    """Align the labels of a test table with the training labels; it must have at least one of them."""
    known, found = train.labels.labels, test.labels
    labels = align_labels(found, known)
    if len(labels.codes) and labels.codes.min() >= len(known):
        samples = f"the test has labels such as {found.labels[0]!r}, training has labels such as {known[0]!r}"
        raise ReadError(f"{samples}, and they have no label in common")
    return Table(test.columns, labels, len(test), test.missing)


def rule_count(decider: Decider) -> int:
    """Count rules and exceptions; in one list, equal exceptions count once, as in the paper."""
    rules = decider.all_rules
    return len(flatten(rules)) if decider.by_rule else len(rules) + rules.exception_count


def majority_program(table: Table) -> Program:
    """Return a program without rules: every record gets the most frequent label of the table."""
    labels = table.labels
    most = int(np.argmax(np.bincount(labels.codes, minlength=len(labels.labels))))
    return Program(labels.name, table.features, (), labels.labels[most])


# Choosing test records: both ways preserve the share of every label, and depend only on the labels and the seed.


def draw_holdout(labels: Labels, share: float, seed: int = 0) -> NDArray[np.bool_]:
    """Choose the rows to hold back for a test: about ``share`` of every label, but never all its records."""
    if not 0 <= share < 1:
        raise ParameterError(f"the share of records to hold back must be at least 0 and less than 1, not {share!r}")
    order = _shuffle_within_labels(labels, seed)
    sizes = np.bincount(labels.codes, minlength=len(labels.labels))
    ends = np.cumsum(sizes)
    upto = np.floor(share * ends + 0.5).astype(np.int64)  # rounding sums takes records of small labels in turn
    wanted = np.minimum(np.diff(upto, prepend=0), np.maximum(sizes - 1, 0))
    place = np.arange(len(order)) - np.repeat(ends - sizes, sizes)
    chosen = np.zeros(len(order), dtype=np.bool_)
    chosen[order] = place < np.repeat(wanted, sizes)
    return chosen


def split_folds(table: Table, folds: NDArray[np.integer[Any]]) -> Iterator[tuple[Table, Table]]:
    """Yield, for each fold, the records of all other folds and its own; ``folds`` is the fold of each record."""
    return ((table[folds != fold], table[folds == fold]) for fold in np.unique(folds))


def assign_folds(labels: Labels, count: int, seed: int = 0) -> NDArray[np.intp]:
    """Assign every row to a fold, from 0 to ``count - 1``, with equal shares of every label."""
    if not 2 <= count <= len(labels.codes):
        raise ParameterError(f"{len(labels.codes)} records can make 2 to {len(labels.codes)} folds, not {count}")
    folds = np.empty(len(labels.codes), dtype=np.intp)
    folds[_shuffle_within_labels(labels, seed)] = np.arange(len(labels.codes)) % count
    return folds


def assign_group_folds(groups: NDArray[np.uint64], count: int, seed: int = 0) -> NDArray[np.intp]:
    """Assign whole groups to folds of about equal size: the largest group first, each to the smallest fold so far.

    Folds depend on the numbers of the groups and on the seed, not on the order of records.
    """
    names, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if not 2 <= count <= len(names):
        raise ParameterError(f"{len(names)} groups can make 2 to {len(names)} folds, not {count}")
    shuffled = np.random.default_rng(seed).permutation(len(names))
    folds, loads = np.empty(len(names), np.intp), np.zeros(count, np.int64)
    for group in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        folds[group] = np.argmin(loads)
        loads[folds[group]] += sizes[group]
    return folds[place]


def _shuffle_within_labels(labels: Labels, seed: int) -> NDArray[np.intp]:
    """Return the rows in the order of labels, shuffled within each label."""
    if seed < 0:
        raise ParameterError(f"the seed must be at least 0, not {seed!r}")
    order = np.random.default_rng(seed).permutation(len(labels.codes))
    return order[np.argsort(labels.codes[order], kind="stable")]
