"""The data that learners learn from (records, labels, weights), and the limits at which they stop."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from unless.constraints import Constraints, to_constraints
from unless.errors import ParameterError, ReadError, UnknownNameError, suggest
from unless.estimators.progress import Meter
from unless.evaluation.metrics import count_training_decisions
from unless.learn.weights import Weights, multiply_counts
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Program
from unless.table import HoldoutSplit, Labels, Table, domain_table, drop_unused_values
from unless.values import Label, class_index, to_python_value

if TYPE_CHECKING:
    from unless.blocks.block_dataset import BlockDataset
    from unless.learn.engine import Engine
    from unless.learn.fold import LearnConstraints, LearnedProgram
    from unless.relational import FeatureSet

_HEAVIEST = 1e200
"""The largest weight of a class."""


@dataclass(frozen=True, slots=True)
class TrainingData:
    """A table, its labels, and ``counts``: how often each row counts; None if each counts once.

    ``named`` is False if the columns have no names of their own: the columns of an array are called x0, x1 and so on.
    """

    table: Table
    labels: Labels
    counts: Weights | None
    named: bool
    blocks: BlockDataset | None = None
    """All records, if they are in blocks; the table then contains only some of them."""
    held_back: HoldoutSplit | None = None
    """The held-out records in blocks, which are not learned from."""
    keep: Any = None
    """A program, rules or a model to learn around, if given."""
    lock: Any = None
    """The indices of the rules in ``keep`` that stay; None for all."""
    features: FeatureSet | None = None
    """The definitions of the columns, if they were computed from several tables."""
    never: tuple[str, ...] = ()
    """Features that no rule may test: amounts of costs."""
    included: Collection[str] = ()
    """Features that rules may test although they are amounts of costs."""

    @classmethod
    def of(
        cls,
        table: Table,
        class_weight: Any,
        counts: Weights | None = None,
        *,
        named: bool = True,
        features: FeatureSet | None = None,
        just_read: bool = False,
    ) -> TrainingData:
        """Create training data from a table, weighted by class, without values and labels that no row has.

        A table that was just read has no such values.
        """
        if not len(table):
            raise ReadError("the table has no rows to learn from")
        table = table if just_read else drop_unused_values(table)
        labels = occurring_labels(table.labels)
        refuse_amounts(labels.labels)
        if class_weight is not None:
            counts = np.ones(len(table)) if counts is None else counts
            totals = np.bincount(labels.codes, counts, len(labels.labels)).astype(np.float64)
            counts = multiply_counts(counts, class_weights(class_weight, labels.labels, totals)[labels.codes])
        table = table if labels is table.target else replace(table, target=labels)
        return cls(table, labels, counts, named, features=features)

    @classmethod
    def of_blocks(cls, blocks: BlockDataset, held_back: HoldoutSplit | None = None) -> TrainingData:
        """Create training data from blocks, without held-out records."""
        refuse_amounts(blocks.coding.labels)
        table, counts = blocks.sample(held_back)
        return cls(table, table.labels, counts, named=True, blocks=blocks, held_back=held_back)

    def only(self, names: Collection[str]) -> TrainingData:
        """Return the same records with only some columns, if the columns were computed from several tables."""
        if self.features is None:
            return self
        columns = tuple(one for one in self.table.columns if one.name in names)
        return replace(self, table=replace(self.table, columns=columns), features=self.features.only(names))

    def engine(self, ratio: float, limits: LearningLimits, n_jobs: int | None) -> Engine[Any]:
        """Create the engine that counts rows for a learner with this ratio and these limits."""
        from unless.learn.fold import make_engine
        from unless.learn.memory_engine import MemoryEngine

        if self.blocks is None:
            engine: Engine[Any] = make_engine(MemoryEngine(self.table, self.counts, n_jobs=n_jobs), ratio)
        else:
            engine = make_engine(self.blocks.engine(self.held_back), ratio)
        engine.late = limits.late if limits.seconds is not None else None
        return engine

    def learn_constraints(self, engine: Engine[Any], constraints: object) -> LearnConstraints:
        """Return the constraints and the locked rules, checked against these records."""
        from unless.learn.fold import LearnConstraints

        return LearnConstraints.of(engine, self.without_amounts(constraints), self.keep, self.lock)

    def without_amounts(self, given: object) -> Constraints | None:
        """Return constraints with those that no rule may test an amount."""
        found = to_constraints(given)
        if not self.never:
            return found
        found = found or Constraints()
        return replace(found, never=(*found.never, *self.never))

    def locked_in(self, program: Program) -> dict[int, int]:
        """Map the indices of locked rules in a learned program to their original numbers, counted from 1."""
        from unless.learn.locked_rules import LockedRules, locked_positions

        if self.keep is None:
            return {}
        locked = LockedRules.of(self.keep, self.lock).among(program.features, self.labels.labels, self.table.columns)
        return dict(zip(locked_positions(locked, program), locked.numbers, strict=True))

    def count_decided(self, learned: LearnedProgram) -> RuleStatistics:
        """Count the decisions of the rules for all training records."""
        from unless.blocks.block_dataset import label_weights_left

        if self.blocks is None:
            return count_training_decisions(learned, self.table, self.counts)
        if learned.interrupted is not None or not learned.left:
            engine = self.blocks.engine(self.held_back)
            learned = replace(
                learned, left=label_weights_left(engine, learned.program, engine.all_rows()), interrupted=None
            )
        return count_training_decisions(learned, self.table, self.counts)

    def domain(self, features: Iterable[str]) -> Table:
        """Return the values of the named features, as a table without rows."""
        return domain_table(self.table, features) if self.blocks is None else self.blocks.domain(features)

    def missing_counts(self, features: Iterable[str]) -> dict[str, float] | None:
        """Return the number or weight of the missing cells of features; None for blocks, which do not count them."""
        return None if self.blocks is not None else count_missing(self.table, features, self.counts)


def count_missing(table: Table, features: Iterable[str], counts: Weights | None) -> dict[str, float]:
    """Return the number of missing cells of the named features, or their weight."""
    columns = [table.column(name) for name in features]
    there = {column.name: column.codes == column.missing for column in columns}
    return {name: float(gaps.sum() if counts is None else counts[gaps].sum()) for name, gaps in there.items()}


class LearningLimits:
    """Limits at which a learner stops; also shows its progress."""

    def __init__(self, shown: Meter, rules: int | None, seconds: float | None) -> None:
        self.shown = shown
        self.rules = rules
        self.seconds = seconds
        self.started = time.monotonic()

    def __call__(self, left: int, rules: int) -> bool:
        """Show the progress; return whether to stop because the limit of rules or seconds is reached."""
        self.shown.show(left, rules)
        return (self.rules is not None and rules >= self.rules) or self.late()

    def lists(self, done: int, _: int) -> bool:
        """Show the number of lists of a committee; return whether to stop."""
        from unless.learn.committee_learner import CommitteeSettings

        self.shown.show(CommitteeSettings().size - done, done, "lists")
        return self.late()

    def settings(self, left: int, done: int) -> bool:
        """Show the number of tried settings; return whether to stop."""
        self.shown.show(left, done, "settings")
        return self.late()

    def late(self, share: float = 1.0) -> bool:
        """Return whether this share of the time limit is over."""
        return self.seconds is not None and time.monotonic() - self.started >= share * self.seconds


# Labels and the weights of classes.


def known_label_index(label: object, labels: tuple[Label, ...], what: str) -> int:
    """Return the index of a label among the training labels, of any type (`class_index`); ``what`` starts the error."""
    found = to_python_value(label)
    place = class_index(found, labels) if isinstance(found, str | bool | int | float) else None
    if place is None:
        near = suggest(found, labels)
        raise UnknownNameError(f"{what} {found!r}, which is not a label of training{near}")
    return place


def refuse_amounts(labels: Iterable[Label]) -> None:
    """Reject labels that are fractional numbers: these are amounts, not classes."""
    amounts = [label for label in labels if isinstance(label, float) and not label.is_integer()]
    if not all(map(isfinite, amounts)):
        raise ReadError("y has infinite labels; leave those rows out, or make the labels text: y.astype(str)")
    if amounts:
        raise ReadError(
            f"Unknown label type: continuous, such as {min(amounts)}; rules decide between labels, and these "
            "look like amounts: divide them into a few ranges, or make them text: y.astype(str)"
        )


def occurring_labels(labels: Labels) -> Labels:
    """Return the labels without those that no row has."""
    there = np.bincount(labels.codes, minlength=len(labels.labels)) > 0
    if there.all():
        return labels
    kept = tuple(label for label, occurs in zip(labels.labels, there, strict=True) if occurs)
    return Labels(labels.name, kept, (np.cumsum(there) - 1)[labels.codes])


def class_weights(class_weight: Any, labels: tuple[Label, ...], totals: Weights) -> Weights:
    """Return the weight of every class: as given, otherwise 1; "balanced" gives all classes the same total weight."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        there = totals > 0  # the records of a class may weigh too little to count
        return np.where(there, totals.sum() / (np.count_nonzero(there) * np.where(there, totals, 1.0)), 0.0)
    if not isinstance(class_weight, Mapping):
        raise ParameterError(f"class_weight must be a dict, 'balanced' or None, not {class_weight!r}")
    found = np.full(len(labels), np.nan)
    unknown: list[UnknownNameError] = []
    for label, weight in class_weight.items():
        try:
            found[known_label_index(label, labels, "class_weight names")] = _class_weight(label, weight)
        except UnknownNameError as error:
            unknown.append(error)
    if unknown and np.isnan(found).any():  # if all classes have weights, a fold of a cross-validation may lack some
        raise unknown[0]
    return np.where(np.isnan(found), 1.0, found)


def _class_weight(label: object, weight: object) -> float:
    number = to_python_value(weight)
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < _HEAVIEST:
        raise ParameterError(f"class_weight of {label!r} must be a number of at least 0, not {weight!r}")
    return float(number)
