"""What a model is: what decides, what rules decided in training and on held-out records, how columns are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
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
    from unless.evaluation.tradeoff import TradeOff
    from unless.learn.distillation import DistillationResult
    from unless.relational.program import FeatureSet
    from unless.score.score_card import ScoreCard


@dataclass(frozen=True, eq=False)
class Model:
    """Everything that is known after a fit: what decides, how columns are read, how good it is, where it comes from.

    Classifiers hold one, files are written from one, and functions that take a model take one.
    """

    decider: Decider
    """What decides: a list of rules, a committee of lists, or another `Decider`."""
    statistics: RuleStatistics
    """What the rules of ``program`` decided in training."""
    schema: Schema
    """How columns are read; ``read_table(source, like=model)`` reads new records the same way."""
    domain: Table
    """The categories and the ranges of numbers that training had, for the features that rules test."""
    learner: str
    """The name of the classifier that learned it."""
    parameters: Mapping[str, Any]
    named: bool
    """Whether the features have names of their own; the columns of an array only have numbers."""
    lazy_importances: LazyValue[NDArray[np.float64]] | NDArray[np.float64] | None = None
    """What `importances` returns, or will compute."""
    lazy_card: LazyValue[ScoreCard | None] | ScoreCard | None = None
    """What `card` returns, or will compute."""
    distillation: DistillationResult | None = None
    """The teacher that the list imitates, if it has one."""
    tuned: Mapping[str, float] | None = None
    """The settings that were chosen by measurement; None if the given ones stay."""
    tested: HoldoutResult | None = None
    """What held-out records have shown, if there were any."""
    trade_off: TradeOff | None = None
    """Accuracy against the number of rules, if it was asked for."""
    missing_counts: Mapping[str, float] | None = None
    """How many cells of each feature that rules test were missing in training, or their weight, if that is known."""
    origin: DataOrigin | None = None
    """The fingerprint of the data that it was fitted to, and which records were held out, if that is known."""
    locked: tuple[int, ...] = ()
    """The indices of rules that were locked: they are not learned from these records."""
    imitation: Model | None = None
    """Of a committee: one list that imitates it, for people who want to read it. It decides nothing."""
    agreement: float | None = None
    """The share of training records, by weight, that a committee and its imitation give the same label."""
    relations: FeatureSet | None = None
    """The definitions of the features, if it was learned from several tables or from facts."""

    @property
    def readable(self) -> Model:
        """The model whose rules people read: this one, or the list that imitates it."""
        return self.imitation or self

    @property
    def program(self) -> Program:
        """The rules that people read: those that decide, or those of the list that imitates what decides."""
        return self.readable.decider.all_rules

    @cached_property
    def code(self) -> ProgramCode:
        """The rules of ``program``, ready to decide."""
        return ProgramCode(self.program)

    @property
    def importances(self) -> NDArray[np.float64] | None:
        """The importance of every feature; None if it is unknown, as in files of earlier versions."""
        return value_of(self.lazy_importances)

    @property
    def card(self) -> ScoreCard | None:
        """The points of each part of ``program``; None if they are unknown, as in files of earlier versions."""
        return value_of(self.lazy_card)

    def probabilities(
        self, table: Table, decisions: Decisions | None = None, threads: int = 2
    ) -> NDArray[np.float64] | None:
        """The probability of each class (columns) for each row; None if nothing in the model tells.

        ``decisions`` are those of the same table, if they are known already.
        """
        if self.decider.by_rule and self.card is not None:
            return self.card.probabilities(table)
        found = decide(self.decider, table, threads) if decisions is None else decisions
        return None if found.points is None else probabilities_of(found.points)

    def points(self, table: Table) -> Points | None:
        """The points of each class (columns) for each row, whose shares of the odds are the probabilities."""
        if self.decider.by_rule and self.card is not None:
            return expand_to_all_labels(self.card.totals(table), len(self.card.classes))
        return decide(self.decider, table).points

    def after(self, tested: HoldoutResult) -> Model:
        """Return the model with the results of a test, which also tell what to expect of each rule."""
        statistics = replace(self.statistics, unseen=tested.statistics.counts)
        return replace(self, statistics=statistics, tested=tested, origin=tested.origin)


def model_of(given: object) -> Model | None:
    """Return a model itself, or that of a fitted classifier; None for anything else."""
    found = getattr(given, "model_", given)
    return found if isinstance(found, Model) else None


def decider_of(given: Decider | Model | object) -> Decider:
    """Return what decides: a program or a committee itself, or what decides in a model or a fitted classifier."""
    if (model := model_of(given)) is not None:
        return model.decider
    if hasattr(given, "all_rules"):
        return given  # type: ignore[return-value]
    name = type(given).__name__
    if hasattr(given, "with_program"):  # one of our classifiers
        raise ParameterError(f"this {name} has no rules yet; fit it first: fit(X, y)")
    raise ParameterError(f"expected a Program or a fitted model, not {name} {given!r:.60}")


def program_of(given: Decider | Model | object) -> Program:
    """Return the rules that people read: a program itself, or those of a model or a fitted classifier."""
    model = model_of(given)
    return decider_of(given).all_rules if model is None else model.program


@dataclass(frozen=True, slots=True)
class DataOrigin:
    """The data that a model is from, so that it is known again: in any order and format, in whole or for the most part.

    ``split`` tells which records were held back, if any, ``fingerprint`` is that of all the data, ``records`` how many
    there are, and ``sample`` are hashes of a few of them: they show whether other data has most of this. ``usual`` is
    the most frequent label of the records that were learned from.
    """

    split: HoldoutSplit
    fingerprint: str
    records: int
    usual: Label
    sample: tuple[int, ...] = ()

    def identities(self, table: Table, features: Sequence[str]) -> Hashes:
        """The hashes by which records of a table with labels are recognised."""
        return record_identities(feature_hashes(table, features), table.labels, self.split.labels)

    def knows(self, found: Hashes) -> bool:
        """Whether these are the records that the model is from, in any order."""
        return len(found) == self.records and self.fingerprint == fingerprint_text(identity_sums(found))

    def among(self, found: Hashes) -> NDArray[np.bool_]:
        """Which records of the sample are among these; if most are, so are most of the data."""
        return np.isin(np.array(self.sample, np.uint64), found)


@dataclass(frozen=True, eq=False)
class HoldoutResult:
    """What a model did on records that it was not learned from: those of its data that were held back.

    ``statistics`` has a row for each rule and one for no rule; that of a committee has a row for each label that it
    decides.
    """

    origin: DataOrigin
    statistics: RuleStatistics

    @property
    def held_back(self) -> int:
        """How many records were held back."""
        return round(self.statistics.total)

    @property
    def right(self) -> int:
        """How many of these were decided correctly."""
        return round(float(self.statistics.right.sum()))

    @property
    def accuracy(self) -> float:
        """The share of these that was decided correctly."""
        return self.right / self.held_back

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the accuracy (Wilson's)."""
        return wilson_interval(self.right, self.held_back)

    @property
    def baseline(self) -> float:
        """The accuracy of always saying the usual label."""
        return float(self.statistics.prior[self.statistics.classes.index(self.usual)])

    @property
    def usual(self) -> Label:
        """The most frequent label of the records that were learned from."""
        return self.origin.usual

    @property
    def confusion(self) -> NDArray[np.int64]:
        """How many records held back have each label (row) and were given each label (column); the last, none."""
        found = np.zeros((len(self.statistics.classes), len(self.statistics.classes) + 1), np.int64)
        for label, counts in zip(self.statistics.labels, self.statistics.counts, strict=True):
            found[:, -1 if label is None else self.statistics.classes.index(label)] += np.rint(counts).astype(np.int64)
        return found


def is_all_holdout(model: Program | Model, table: Table) -> bool | None:
    """Whether all records of a table are among those that the model holds back; None if that is not known.

    A record that is not among them may be new, or the model was learned from it: the record alone does not show which.
    """
    held = None if isinstance(model, Program) else holdout_rows(model, table)
    return None if held is None else bool(held.all())


def holdout_rows(model: Model, table: Table) -> NDArray[np.bool_] | None:
    """Which records of a table the model holds back, whether or not they are its data; None if that is not known."""
    origin, features = model.origin, tuple(model.schema.kinds)
    if origin is None or table.target is None or not set(features) <= set(table.features):
        return None
    held: NDArray[np.bool_] = origin.split.held_back(table, features)
    return held


@dataclass(frozen=True, eq=False)
class TrainingOverlap:
    """Records that have most of the data that a model is from.

    ``held_back`` says which of them it was not learned from: those held back, and new ones that would have been. Any
    other may have been learned from; all others were if these are the ``same`` records.
    """

    held_back: NDArray[np.bool_]
    same: bool


def find_training_overlap(model: Model, table: Table) -> TrainingOverlap | None:
    """What a model knows of the records of a table, if the table has most of the data that it is from; else None."""
    origin, held = model.origin, holdout_rows(model, table)
    if origin is None or held is None:
        return None
    found = origin.identities(table, tuple(model.schema.kinds))
    if not (same := origin.knows(found)) and not is_majority(origin.among(found)):
        return None
    return TrainingOverlap(held, same)


def is_majority(found: NDArray[np.bool_]) -> bool:
    """Whether at least half of a sample was found."""
    return bool(found.size) and float(found.mean()) >= 0.5
