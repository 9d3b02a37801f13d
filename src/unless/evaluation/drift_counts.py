"""Count a model's decisions on records, batch by batch, and compute the baseline to compare them with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.evaluation.drift_results import Source
from unless.evaluation.metrics import count_pairs
from unless.evaluation.shares import Share
from unless.evaluation.unseen_values import UnseenCounts
from unless.model import Model, is_majority, model_of
from unless.model.prediction import decide, deciding_rules, head_indices
from unless.model.rule_statistics import RuleStatistics
from unless.table import Labels, Table
from unless.values import Label, class_index

UNLABELLED, OTHER = -1, -2
"""The index for a record without a label, and for a label that training did not have."""


def class_indices(labels: tuple[Label | None, ...], classes: tuple[Label, ...]) -> NDArray[np.intp]:
    """Return the index of each label among the classes; labels may have other types, and None is unlabelled."""
    found = [UNLABELLED if label is None else class_index(label, classes) for label in labels]
    return np.array([OTHER if place is None else place for place in found], dtype=np.intp)


class DriftCounts:
    """Counts a model's decisions on records, batch by batch."""

    def __init__(self, model: Model) -> None:
        known = model_of(model)
        if known is None:
            raise ParameterError(
                "there are only rules here, without their decisions in training; watch a model that fit wrote"
            )
        model = known
        self.model, self.program, self.decider = model, model.program, model.decider
        self.classes = model.statistics.classes
        width = len(self.classes) + 2  # the labels, other labels, and none
        self.rules = np.zeros((len(self.program.rules) + 1, width))
        self.given = np.zeros((len(self.classes) + 1, width))
        self.missing = dict.fromkeys(self.used, 0.0)
        self.unseen = UnseenCounts(model)
        self._squares, self._whole = 0.0, True
        self._among = np.zeros(0 if model.origin is None else len(model.origin.sample), np.bool_)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The features to read if they exist, since all of them are needed to recognise the model's own data."""
        return self.used if self.model.origin is None else tuple(self.model.schema.kinds)

    @property
    def used(self) -> tuple[str, ...]:
        """The features that the program or the decider tests, or that probabilities need."""
        tested = {*self.program.used, *self.model.used}
        return tuple(name for name in self.program.features if name in tested)

    def add(
        self, table: Table, truth: NDArray[np.intp] | None = None, weights: NDArray[np.float64] | None = None
    ) -> None:
        """Count the records of a batch."""
        rows = len(table)
        truth = np.full(rows, UNLABELLED) if truth is None else truth
        width, decided = self.rules.shape[1], deciding_rules(self.program, table)
        self.rules += count_pairs(decided, truth, len(self.rules), width, weights)
        choices = decided if self.decider.by_rule else decide(self.decider, table).choices
        given = head_indices(self.decider, self.classes)[choices]
        self.given += count_pairs(given, truth, len(self.given), width, weights)
        for name in self.missing:
            column = table.column(name)
            gaps = column.codes == column.missing
            self.missing[name] += float(np.count_nonzero(gaps) if weights is None else weights[gaps].sum())
        self._find_training_records(table, truth)
        self.unseen.add(table if weights is None else table[weights > 0])
        self._squares += rows if weights is None else float(weights @ weights)
        self._whole = self._whole and (weights is None or bool((weights == np.floor(weights)).all()))

    def _find_training_records(self, table: Table, truth: NDArray[np.intp]) -> None:
        """Find the model's own data among the labelled records of a batch that has all features of training."""
        known, origin, features = truth >= 0, self.model.origin, tuple(self.model.schema.kinds)
        if origin is not None and known.any() and set(features) <= set(table.features):
            some = replace(table[known], target=Labels("label", origin.split.labels, truth[known]))
            self._among |= origin.among(origin.identities(some, features))

    # The counts as shares.

    @property
    def learned_from(self) -> bool:
        """Whether the counted records include most of the data that the model was learned from."""
        return is_majority(self._among)

    @property
    def records(self) -> float:
        """The total weight of all records."""
        return float(self.rules.sum())

    @property
    def labelled(self) -> float:
        """The total weight of the records with a true label."""
        return float(self.rules[:, :-1].sum())

    @property
    def accuracy(self) -> Share:
        """The share of labelled records that are decided correctly."""
        known = len(self.classes)
        return Share(float(np.trace(self.given[:known, :known])), self.labelled)

    @property
    def effective(self) -> float:
        """The effective number of records per unit of weight: 1, or less if weights are unequal proportions (Kish)."""
        return 1.0 if self._whole or not self._squares else self.records / self._squares

    def statistics(self) -> RuleStatistics:
        """Convert the counts to rule statistics, with an extra class for unknown labels."""
        return RuleStatistics((*self.classes, ""), self.program.heads, self.rules[:, :-1])


@dataclass(frozen=True, slots=True)
class Baseline:
    """The earlier shares, with which new records are compared.

    It is ``sound`` if its shares are shares of records, and ``honest`` if the rules were not learned from the records
    in ``judged``.
    """

    source: Source
    records: float
    decided: NDArray[np.float64]
    labels: NDArray[np.float64] | None
    missing: Mapping[str, Share]
    sound: bool
    judged: RuleStatistics | None
    accuracy: Share | None
    honest: bool
    judged_on: Source
    given: NDArray[np.float64] | None = None
    effective: float = 1.0

    @classmethod
    def of_model(cls, model: Model) -> Baseline:
        """Use training and, if records were held back, its test: samples of one population, unless weighted."""
        trained, together, gaps = model.statistics, not model.decider.by_rule, model.missing_counts or {}
        tested = None if model.tested is None else model.tested.statistics
        counts, labels, alone = trained.counts, trained.by_class, False
        if tested is not None and not together:
            alone = trained.weighted
            counts = tested.counts if alone else counts + tested.counts
            labels = tested.by_class if alone else labels + tested.by_class
        judged = trained if tested is None else tested
        accuracy = None if together and tested is None else Share(float(judged.right.sum()), judged.total)
        return cls(
            "the test" if alone else "training",
            float(labels.sum()),
            counts.sum(axis=1),  # NaN for rules that were edited and not measured since
            np.append(labels, 0.0),
            {} if trained.weighted else {name: Share(n, trained.total) for name, n in gaps.items()},
            sound=alone or not trained.weighted,
            judged=judged,
            accuracy=accuracy,
            honest=tested is not None,
            judged_on="training" if tested is None else "the test",
            given=tested.counts.sum(axis=1) if together and tested is not None else None,
        )

    @classmethod
    def of_counts(cls, counts: DriftCounts) -> Baseline:
        """Use records that were counted before."""
        labelled = counts.labelled
        return cls(
            "the reference",
            counts.records,
            counts.rules.sum(axis=1),
            counts.rules[:, :-1].sum(axis=0) if labelled else None,
            {name: Share(count, counts.records) for name, count in counts.missing.items()},
            sound=True,
            judged=counts.statistics() if labelled else None,
            accuracy=counts.accuracy if labelled else None,
            honest=True,
            judged_on="the reference",
            given=counts.given.sum(axis=1),
            effective=counts.effective,
        )
