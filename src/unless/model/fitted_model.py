"""The fitted model: its decider, the statistics of its rules, its columns, and its results on held-out records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.model.costs import Costs
from unless.model.lazy_value import LazyValue, value_of
from unless.model.points import Points, expand_to_all_labels, probabilities_of
from unless.model.prediction import Decider, Decisions, ProgramCode, decide
from unless.model.rule_statistics import RuleStatistics, wilson_interval
from unless.rule import Program
from unless.table import HoldoutSplit, Schema, Table
from unless.table.holdout_split import feature_hashes, fingerprint_text, identity_sums, record_identities
from unless.table.record_hashes import Hashes
from unless.values import Label

if TYPE_CHECKING:
    from unless.evaluation.decision_costs import DecisionCosts
    from unless.evaluation.periods import PeriodResult
    from unless.evaluation.tradeoff import TradeOff
    from unless.learn.distillation import DistillationResult
    from unless.relational.program import FeatureSet
    from unless.score.score_card import ScoreCard


@dataclass(frozen=True, eq=False)
class Model:
    """Everything that is known after a fit: the decider, the columns, the quality and the origin.

    Classifiers hold a model, files are written from a model, and functions take a model.
    """

    decider: Decider
    """The decider: a list of rules, a committee of lists, or another `Decider`."""
    statistics: RuleStatistics
    """The decisions of the rules of ``program`` in training."""
    schema: Schema
    """How the columns were read; ``read_table(source, like=model)`` reads new records the same way."""
    domain: Table
    """The categories or the range of numbers in training, for each feature that rules test or that has points."""
    learner: str
    """The name of the classifier that learned the model."""
    parameters: Mapping[str, Any]
    """The parameters of the classifier, as a model file has them."""
    named: bool
    """Whether the features have names of their own; the columns of an array have only numbers."""
    lazy_importances: LazyValue[NDArray[np.float64]] | NDArray[np.float64] | None = None
    """The value of `importances`, or its computation."""
    lazy_card: LazyValue[ScoreCard | None] | ScoreCard | None = None
    """The value of `card`, or its computation."""
    distillation: DistillationResult | None = None
    """The teacher that the list imitates, if there is one."""
    tuned: Mapping[str, float] | None = None
    """The settings that trials chose; None if the given settings were used."""
    tested: HoldoutResult | None = None
    """The results on held-out records, if there were any."""
    trade_off: TradeOff | None = None
    """The trade-off between accuracy and number of rules, if it was requested."""
    periods: tuple[PeriodResult, ...] = ()
    """The tests on one period after the other, if they were requested."""
    missing_counts: Mapping[str, float] | None = None
    """The number or weight of missing training cells of each feature that rules test, if known."""
    origin: DataOrigin | None = None
    """The fingerprint of the training data, and the held-out records, if known."""
    locked: tuple[int, ...] = ()
    """The indices of locked rules, which were not learned from these records."""
    imitation: Model | None = None
    """If no single rule decides: the list for people to read, such as one that imitates a committee."""
    agreement: float | None = None
    """The share of training records, by weight, that get the same label from the decider and from ``imitation``."""
    relations: FeatureSet | None = None
    """The definitions of the features, if the model was learned from several tables or from facts."""
    costs: Costs | None = None
    """What decisions cost, if costs were given."""

    @property
    def readable(self) -> Model:
        """The model whose rules people read: this model, or the list that imitates it."""
        return self.imitation or self

    @property
    def program(self) -> Program:
        """The rules that people read: the deciding rules, or the rules of the list that imitates the decider."""
        return self.readable.decider.all_rules

    @property
    def used(self) -> tuple[str, ...]:
        """The features that decisions and probabilities need, in the order of training.

        Before a score card of all features is computed, these are all features that it may use.
        """
        later = self.scores_all_features and isinstance(self.lazy_card, LazyValue)
        needed = {*self.decider.used, *(self.domain.features if later else self.tests.used)}
        return tuple(name for name in self.decider.features if name in needed)

    @property
    def scores_all_features(self) -> bool:
        """Whether probabilities were asked to use features that no rule tests."""
        return self.parameters.get("probabilities") == "all"

    @property
    def tests(self) -> Program:
        """What the model tests, as one list: the rules, then the cuts of a score card of all features."""
        own = isinstance(self.lazy_card, LazyValue) and not self.scores_all_features  # it tests what the rules test
        card = None if own or not self.decider.by_rule else self.card
        return self.decider.all_rules if card is None else card.tested

    @property
    def untested(self) -> tuple[str, ...]:
        """The features that probabilities count although no rule tests them."""
        known = set(self.decider.used)
        return tuple(name for name in self.tests.used if name not in known)

    @cached_property
    def code(self) -> ProgramCode:
        """The rules of ``program``, compiled for fast decisions."""
        return ProgramCode(self.program)

    @property
    def importances(self) -> NDArray[np.float64] | None:
        """The importance of every feature; None if it is unknown, as in files of earlier versions."""
        return value_of(self.lazy_importances)

    @property
    def card(self) -> ScoreCard | None:
        """The points of each part of ``program``; None if they are unknown, as in files of earlier versions."""
        return value_of(self.lazy_card)

    @property
    def split_features(self) -> tuple[str, ...]:
        """The columns by which held-out records are recognised: all features, and the one that splits, if any."""
        by = None if self.origin is None else self.origin.split.by
        return tuple(dict.fromkeys((*self.schema.kinds, *(() if by is None else (by.name,)))))

    def probabilities(
        self, table: Table, decisions: Decisions | None = None, threads: int = 2
    ) -> NDArray[np.float64] | None:
        """Compute the probability of each class (columns) for each row; None if the model has no points.

        ``decisions`` are the decisions for the same table, if they are known already.
        """
        if self.decider.by_rule and self.card is not None:
            return self.card.probabilities(table)
        found = decide(self.decider, table, threads) if decisions is None else decisions
        return None if found.points is None else probabilities_of(found.points)

    def points(self, table: Table) -> Points | None:
        """Compute the points of each class (columns) for each row, from which probabilities follow."""
        if self.decider.by_rule and self.card is not None:
            return expand_to_all_labels(self.card.totals(table), len(self.card.classes))
        return decide(self.decider, table).points

    def after(self, tested: HoldoutResult) -> Model:
        """Return the model with the results of a test, which also improve the expected precision of each rule."""
        statistics = replace(self.statistics, unseen=tested.statistics.counts)
        return replace(self, statistics=statistics, tested=tested, origin=tested.origin)


def model_of(given: object) -> Model | None:
    """Return the model of a fitted classifier, or a model unchanged; None for any other object."""
    found = getattr(given, "model_", given)
    return found if isinstance(found, Model) else None


def decider_of(given: Decider | Model | object) -> Decider:
    """Return the decider of a model or a fitted classifier; return a program or a committee unchanged."""
    if (model := model_of(given)) is not None:
        return model.decider
    if hasattr(given, "all_rules"):
        return given  # type: ignore[return-value]
    name = type(given).__name__
    if hasattr(given, "with_program"):  # one of our classifiers
        raise ParameterError(f"this {name} has no rules yet; fit it first: fit(X, y)")
    raise ParameterError(f"expected a Program or a fitted model, not {name} {given!r:.60}")


def tests_of(given: Decider | Model | object) -> Program:
    """Return what a model or a decider tests, as one list: its rules, and the cuts of a card of all features."""
    model = model_of(given)
    return decider_of(given).all_rules if model is None else model.tests


def used_by(given: Decider | Model | object) -> tuple[str, ...]:
    """Return the features that the decisions and probabilities of a model or a decider need."""
    model = model_of(given)
    return decider_of(given).used if model is None else model.used


def program_of(given: Decider | Model | object) -> Program:
    """Return the readable rules of a model or a fitted classifier; return a program unchanged."""
    model = model_of(given)
    return decider_of(given).all_rules if model is None else model.program


@dataclass(frozen=True, slots=True)
class DataOrigin:
    """Identifies the data a model was trained on, so that it is recognised later, in any order and format.

    ``split`` tells which records were held back, if any, ``fingerprint`` identifies all the data, ``records`` is the
    number of records, and ``sample`` contains hashes of a few records, which show whether other data contains most of
    this data. ``usual`` is the most frequent label of the records that were learned from.
    """

    split: HoldoutSplit
    fingerprint: str
    records: int
    usual: Label
    sample: tuple[int, ...] = ()

    def identities(self, table: Table, features: Sequence[str]) -> Hashes:
        """Return the hashes by which the records of a table with labels are recognised."""
        return record_identities(feature_hashes(table, features), table.labels, self.split.labels)

    def knows(self, found: Hashes) -> bool:
        """Return whether these are the records of the model's data, in any order."""
        return len(found) == self.records and self.fingerprint == fingerprint_text(identity_sums(found))

    def among(self, found: Hashes) -> NDArray[np.bool_]:
        """Return which records of the sample are among these; if most are, so are most of the data."""
        return np.isin(np.array(self.sample, np.uint64), found)


@dataclass(frozen=True, eq=False)
class HoldoutResult:
    """The results of a model on the records of its data that were held back from learning.

    ``statistics`` has a row for each rule and one for no rule; for a committee, a row for each label that it can give.
    """

    origin: DataOrigin
    """The data, and which of its records were held back."""
    statistics: RuleStatistics
    costs: DecisionCosts | None = None
    """What the decisions cost, and how many were passed on, if there are costs or a price of rejecting."""

    @property
    def held_back(self) -> int:
        """The number of held-out records."""
        return round(self.statistics.total)

    @property
    def right(self) -> int:
        """The number of held-out records that were decided correctly."""
        return round(float(self.statistics.right.sum()))

    @property
    def accuracy(self) -> float:
        """The share of held-out records that were decided correctly."""
        return self.right / self.held_back

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the accuracy (Wilson's)."""
        return wilson_interval(self.right, self.held_back)

    @property
    def baseline(self) -> float:
        """The accuracy of always giving the usual label."""
        return float(self.statistics.prior[self.statistics.classes.index(self.usual)])

    @property
    def usual(self) -> Label:
        """The most frequent label of the records that were learned from."""
        return self.origin.usual

    @property
    def confusion(self) -> NDArray[np.int64]:
        """The number of held-out records by true label (row) and given label (column; the last is no label)."""
        found = np.zeros((len(self.statistics.classes), len(self.statistics.classes) + 1), np.int64)
        for label, counts in zip(self.statistics.labels, self.statistics.counts, strict=True):
            found[:, -1 if label is None else self.statistics.classes.index(label)] += np.rint(counts).astype(np.int64)
        return found


def is_all_holdout(model: Program | Model, table: Table) -> bool | None:
    """Return whether all records of a table are held-out records of the model; None if unknown.

    Any other record may be new or a training record: the record alone does not show which.
    """
    held = None if isinstance(model, Program) else holdout_rows(model, table)
    return None if held is None else bool(held.all())


def holdout_rows(model: Model, table: Table) -> NDArray[np.bool_] | None:
    """Return which records of a table the model's split holds back, in its own or other data; None if unknown."""
    if model.origin is None or table.target is None or not set(model.split_features) <= set(table.features):
        return None
    held: NDArray[np.bool_] = model.origin.split.held_back(table, tuple(model.schema.kinds))
    return held


@dataclass(frozen=True, eq=False)
class TrainingOverlap:
    """Records that contain most of the data of a model.

    ``held_back`` marks records that the model was not learned from: held-out records, and new records that the split
    would hold back. Any other record may have been learned from; if these are the ``same`` records, all others were.
    Without the column of times or groups by which the records were split, none is marked.
    """

    held_back: NDArray[np.bool_]
    same: bool


def find_training_overlap(model: Model, table: Table) -> TrainingOverlap | None:
    """Find the held-out records in a table that contains most of a model's data; None for any other table."""
    origin, features, held = model.origin, tuple(model.schema.kinds), holdout_rows(model, table)
    if origin is None or table.target is None or not set(features) <= set(table.features):
        return None
    found = origin.identities(table, features)
    if not (same := origin.knows(found)) and not is_majority(origin.among(found)):
        return None
    return TrainingOverlap(np.zeros(len(table), np.bool_) if held is None else held, same)


def with_model_groups(model: Model, table: Table) -> Table:
    """Add the group of each record to a table, if groups divided the model's records and the table has their column."""
    by = None if model.origin is None else model.origin.split.by
    if by is None or by.since is not None or by.name not in table.features:
        return table
    alone = feature_hashes(table, tuple(model.schema.kinds))
    return replace(table, groups=by.group_hashes(table.column(by.name), alone))


def is_majority(found: NDArray[np.bool_]) -> bool:
    """Return whether at least half of a sample was found."""
    return bool(found.size) and float(found.mean()) >= 0.5
