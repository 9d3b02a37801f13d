"""What a model decides on records, counted batch by batch, and what there is to compare it with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.evaluation.drift_results import Source
from unless.evaluation.metrics import cross_counts
from unless.evaluation.shares import Share
from unless.evaluation.unseen_values import UnseenCounts
from unless.model import DataOrigin, Model, is_majority, model_of
from unless.model.prediction import decide, deciding_rules, head_indices
from unless.model.rule_statistics import RuleStatistics
from unless.table import Labels, Table
from unless.values import Label, class_index

UNLABELLED, OTHER = -1, -2
"""The place of the label of a record that has none, and of a label that training did not have."""


def places_of(labels: tuple[Label | None, ...], classes: tuple[Label, ...]) -> NDArray[np.intp]:
    """The place of each label among the classes, whatever its type; None is unlabelled."""
    found = [UNLABELLED if label is None else class_index(label, classes) for label in labels]
    return np.array([OTHER if place is None else place for place in found], dtype=np.intp)


class DriftCounts:
    """DriftCounts what a model decides, batch by batch, and what there is to compare."""

    def __init__(self, model: Model) -> None:
        known = model_of(model)
        if known is None:
            raise ParameterError(
                "there are only rules here, not what they decided in training; watch a model that fit has written"
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
        self.own = _OwnRecords(model.origin, tuple(model.schema.kinds))

    @property
    def wanted(self) -> tuple[str, ...]:
        """The features that are good to have: a model knows its own data by all of them."""
        return self.own.features if self.own.origin is not None else self.used

    @property
    def used(self) -> tuple[str, ...]:
        """The features that are needed."""
        tested = {*self.program.used, *self.decider.used}
        return tuple(name for name in self.program.features if name in tested)

    def add(
        self, table: Table, truth: NDArray[np.intp] | None = None, weights: NDArray[np.float64] | None = None
    ) -> None:
        """Count the records of a batch."""
        rows = len(table)
        truth = np.full(rows, UNLABELLED) if truth is None else truth
        width, decided = self.rules.shape[1], deciding_rules(self.program, table)
        self.rules += cross_counts(decided, truth, len(self.rules), width, weights)
        choices = decided if self.decider.by_rule else decide(self.decider, table).choices
        given = head_indices(self.decider, self.classes)[choices]
        self.given += cross_counts(given, truth, len(self.given), width, weights)
        for name in self.missing:
            column = table.column(name)
            gaps = column.codes == column.missing
            self.missing[name] += float(np.count_nonzero(gaps) if weights is None else weights[gaps].sum())
        self.own.add(table, truth)
        self.unseen.add(table if weights is None else table[weights > 0])
        self._squares += rows if weights is None else float(weights @ weights)
        self._whole = self._whole and (weights is None or bool((weights == np.floor(weights)).all()))

    # What was counted, as shares.

    @property
    def records(self) -> float:
        """The weight of all records."""
        return float(self.rules.sum())

    @property
    def labelled(self) -> float:
        """The weight of the records with a true label."""
        return float(self.rules[:, :-1].sum())

    @property
    def effective(self) -> float:
        """What a unit of weight counts as evidence: 1, or less if weights are proportions that differ (Kish)."""
        return 1.0 if self._whole or not self._squares else self.records / self._squares

    def statistics(self) -> RuleStatistics:
        """What the rules decided, as the statistics of a model are: with a class for labels that it does not have."""
        return RuleStatistics((*self.classes, ""), self.program.heads, self.rules[:, :-1])


class _OwnRecords:
    """Tells, batch by batch, whether records are those that a model is from."""

    def __init__(self, origin: DataOrigin | None, features: tuple[str, ...]) -> None:
        self.origin, self.features = origin, features
        self._among = np.zeros(0 if origin is None else len(origin.sample), np.bool_)

    @property
    def found(self) -> bool:
        """Whether most of the data of the model is here."""
        return is_majority(self._among)

    def add(self, table: Table, truth: NDArray[np.intp]) -> None:
        """Look at the labelled records of a batch, if it has all features of training."""
        known = truth >= 0
        if self.origin is None or not known.any() or not set(self.features) <= set(table.features):
            return
        some = replace(table[known], target=Labels("label", self.origin.split.labels, truth[known]))
        self._among |= self.origin.among(self.origin.identities(some, self.features))


@dataclass(frozen=True, slots=True)
class Baseline:
    """What there is to compare with.

    It is ``sound`` if its shares are shares of records, and ``honest`` if the rules were not learned from ``judged``.
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
        """Training and, if records were held back, its test: both are samples of the same, unless one is weighted."""
        trained, together = model.statistics, not model.decider.by_rule
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
            {} if trained.weighted else _missing(model),
            sound=alone or not trained.weighted,
            judged=judged,
            accuracy=accuracy,
            honest=tested is not None,
            judged_on="training" if tested is None else "the test",
            given=tested.counts.sum(axis=1)[:-1] if together and tested is not None else None,
        )

    @classmethod
    def of_counts(cls, counts: DriftCounts) -> Baseline:
        """Records that were counted before."""
        labelled = counts.labelled
        known = len(counts.classes)
        right = float(np.trace(counts.given[:known, :known]))
        return cls(
            "the reference",
            counts.records,
            counts.rules.sum(axis=1),
            counts.rules[:, :-1].sum(axis=0) if labelled else None,
            {name: Share(count, counts.records) for name, count in counts.missing.items()},
            sound=True,
            judged=counts.statistics() if labelled else None,
            accuracy=Share(right, labelled) if labelled else None,
            honest=True,
            judged_on="the reference",
            given=counts.given.sum(axis=1)[:-1],
            effective=counts.effective,
        )


def _missing(model: Model) -> Mapping[str, Share]:
    """How many cells were missing in training, by feature."""
    total = model.statistics.total
    return {name: Share(count, total) for name, count in (model.missing_counts or {}).items()}
