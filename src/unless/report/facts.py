"""Count a model's decisions on records, once; the page and the model card only render these facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ReadError
from unless.evaluation.metrics import Quality, align_labels, count_pairs, measure_quality
from unless.evaluation.unseen_values import Unseen, unseen_values
from unless.model import Model, TrainingOverlap, find_training_overlap, model_of, program_of, tests_of
from unless.model.prediction import Decider, deciding_rules, head_indices, label_places
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Program
from unless.score.score_card import ScoreCard
from unless.table import Column, Table, domain_table
from unless.values import Label, parse_number
from unless.values.notation import Notation


@dataclass(frozen=True, eq=False)
class DecisionFacts:
    """A model's decisions on the records of a table: the facts that the page and the card render.

    ``program`` contains the rules shown to readers; if they only imitate the decisions, ``decider`` makes them.
    ``labels`` are all labels of training, program and records; ``deciding`` has the rule that decides each record (-1
    for none), ``given`` the index of the label that each record gets (-1 for none), ``truth`` the index of its true
    label (None without true labels). ``domain`` has the values that each feature may have: the training values, if
    known, else the values of the records. ``unseen`` are values of the records that training did not have, if that is
    known. If the records include the model's own data, ``own`` marks the records that it was not learned from.
    """

    decider: Decider
    program: Program
    table: Table
    labels: tuple[Label, ...]
    deciding: NDArray[np.int32]
    given: NDArray[np.int64]
    truth: NDArray[np.int64] | None
    model: Model | None
    domain: Table
    unseen: tuple[Unseen, ...]
    own: TrainingOverlap | None = None

    def select(self, rows: NDArray[np.bool_]) -> DecisionFacts:
        """Return the same facts for some of the records."""
        truth = None if self.truth is None else self.truth[rows]
        deciding, given = self.deciding[rows], self.given[rows]
        return replace(self, table=self.table[rows], deciding=deciding, given=given, truth=truth, own=None)

    def split(self) -> tuple[DecisionFacts, DecisionFacts | None]:
        """Return the facts to report, if possible about unseen records, and the facts about training records.

        The second part is None if the model was learned from other records.
        """
        if self.own is None:
            return self, self if self.are_training else None
        held = self.own.held_back
        if held.all():
            return self, None
        return (self.select(held), self.select(~held)) if held.any() else (self, self)

    @cached_property
    def imitation(self) -> DecisionFacts:
        """The facts about the rules with the decider's decisions in place of the true labels."""
        followed = self.heads[self.deciding]
        return replace(self, decider=self.program, given=followed, truth=self.given, model=None, own=None)

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self.table)

    @property
    def trained(self) -> RuleStatistics | None:
        """The statistics of training, if known."""
        return None if self.model is None else self.model.statistics

    @property
    def weighted(self) -> bool:
        """Whether the figures of training are sums of weights."""
        return self.trained is not None and self.trained.weighted

    @property
    def card(self) -> ScoreCard | None:
        """The score card of the rules, if the rules decide and their points are known."""
        return self.model.card if self.model is not None and self.decider.by_rule else None

    @cached_property
    def usual(self) -> Label | None:
        """The most frequent label among the training records or, with weights, the label of largest weight."""
        if self.model is None:
            return None
        statistics, origin = self.model.statistics, self.model.origin
        return statistics.classes[int(np.argmax(statistics.prior))] if origin is None else origin.usual

    @cached_property
    def are_training(self) -> bool:
        """Whether these are the training records: each rule has the same counts as in training, label by label."""
        trained = self.trained
        if trained is None or self.truth is None or trained.weighted or len(self.labels) != len(trained.classes):
            return False
        return bool(np.array_equal(self.counts[:, list(map(self.labels.index, trained.classes))], trained.counts))

    @cached_property
    def used(self) -> tuple[str, ...]:
        """The features that rules test, or that probabilities need."""
        tested = {*self.program.used, *(self.decider if self.model is None else self.model).used}
        return tuple(feature for feature in self.program.features if feature in tested)

    @cached_property
    def notations(self) -> dict[str, Notation]:
        """The notation of the numbers that rules or cuts compare, by feature."""
        return {**self.program.notations, **tests_of(self.model or self.decider).notations}

    def column(self, feature: str) -> Column:
        """Return a column as the program reads it: if rules compare dates, texts that spell dates become dates."""
        return self.table.column(feature).in_notation(self.notations.get(feature))

    def known(self, feature: str) -> Column | None:
        """Return the values that a feature may have, as a column without rows; None if unknown."""
        if feature not in self.domain.features:
            return None
        return self.domain.column(feature).in_notation(self.notations.get(feature))

    @cached_property
    def others(self) -> tuple[Column, ...]:
        """The columns that no rule tests: readers look up names in them, and compare groups by them."""
        return tuple(column for column in self.table.columns if column.name not in set(self.used))

    @cached_property
    def frequency(self) -> NDArray[np.float64]:
        """The number of records with each label: true labels, else labels of training, else decisions."""
        size = len(self.labels)
        if self.truth is not None:
            return np.bincount(self.truth, minlength=size).astype(np.float64)
        if self.trained is not None:
            seen = dict(zip(self.trained.classes, self.trained.counts.sum(axis=0).tolist(), strict=True))
            return np.array([seen.get(label, 0.0) for label in self.labels])
        return np.bincount(self.given[self.given >= 0], minlength=size).astype(np.float64)

    @cached_property
    def heads(self) -> NDArray[np.int64]:
        """The index of the label of each rule and, last, of ``otherwise``; -1 means no label."""
        return head_indices(self.program, self.labels)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of records by rule (the last row is "no rule") and true label. Needs true labels."""
        if self.truth is None:
            raise AssertionError("there are no true labels to count")
        return count_pairs(self.deciding, self.truth, len(self.program.rules) + 1, len(self.labels))

    @cached_property
    def decided(self) -> NDArray[np.int64]:
        """The number of records that each rule decides and, last, that no rule decides."""
        size = len(self.program.rules) + 1
        return np.bincount(self.deciding % size, minlength=size).astype(np.int64)

    @cached_property
    def defaults(self) -> NDArray[np.bool_]:
        """Which rules apply to every record, having no conditions and no exceptions; the last entry is for no rule."""
        return np.array([not (rule.default or rule.exceptions) for rule in self.program.rules] + [True])

    @cached_property
    def right(self) -> NDArray[np.int64]:
        """The number of records that each rule and, last, no rule decides correctly. Needs true labels."""
        own = np.take_along_axis(self.counts, np.maximum(self.heads, 0)[:, None], axis=1)[:, 0]
        return np.where(self.heads < 0, 0, own)

    @cached_property
    def quality(self) -> Quality | None:
        """The decisions compared with the true labels; None without true labels."""
        return None if self.truth is None else measure_quality(self.truth, self.given, self.labels)


def gather_facts(model: Program | Model, table: Table, labels: Sequence[Label] = ()) -> DecisionFacts:
    """Count the decisions of a program or a fitted model on a table; ``labels`` are its labels if order matters."""
    if not isinstance(table, Table):
        raise ParameterError(f"a {type(table).__name__} is not a Table; make one: read_table(source, like=model)")
    if not len(table):
        raise ReadError("the table has no records to report on")
    trained = model_of(model)
    if trained is None and not isinstance(model, Program):
        what = f"a {type(model).__name__} is neither a program nor a fitted model"
        raise ParameterError(f"{what}; fit it first, or load one")
    program, decider = program_of(model), program_of(model) if trained is None else trained.decider
    classes = () if trained is None else trained.statistics.classes
    known, truth = tuple(labels) or sort_labels({*program.labels, *decider.labels, *classes}), None
    if table.target is not None:
        target = align_labels(table.target, known)
        if trained is None:  # a program has only the labels that it gives, so other labels are not new
            target = align_labels(target, sort_labels(target.labels))
        truth, known = target.codes.astype(np.int64), target.labels
    return DecisionFacts(
        decider,
        program,
        table,
        known,
        deciding_rules(program, table),
        label_places(decider, table, known),
        truth,
        trained,
        domain_table(table, program.used) if trained is None else trained.domain,
        unseen=() if trained is None else unseen_values(trained, table, labels=True),
        own=None if trained is None else find_training_overlap(trained, table),
    )


def expected_precision(statistics: RuleStatistics, place: int) -> tuple[float, float, float] | None:
    """Return the expected precision of a rule on new records and its interval; None if unknown."""
    low, high = statistics.expected_between
    found = float(statistics.expected_precision[place]), float(low[place]), float(high[place])
    return None if np.isnan(found[0]) else found


def is_identifier(column: Column) -> bool:
    """Return whether nearly all records have distinct values that are no measurements: names, keys, whole numbers."""
    distinct = int(np.count_nonzero(column.counts()[:-1]))
    measured = bool(len(column.numbers)) and not np.all(column.numbers == np.floor(column.numbers))
    return distinct > 0.9 * len(column) and not measured


def sort_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Sort labels as readers expect: numbers by value, even if written as text, then other texts by letters.

    >>> sort_labels(["10", "9", "1"]), sort_labels(["b", "10", "9"])
    (('1', '9', '10'), ('10', '9', 'b'))
    """
    found = list(labels)
    sizes = {label: parse_number(label) if isinstance(label, str) else float(label) for label in found}
    if None in sizes.values():
        return tuple(sorted(found, key=lambda label: (isinstance(label, str), label)))
    return tuple(sorted(found, key=lambda label: (sizes[label], str(label))))
