"""Watch a model on new records: what its rules decide, and how often they are right, against what it was.

Every share is compared with that of a sample from before by an exact test (`chance.same_share`): training is a sample
too. All tests together raise a false alarm in at most ``alpha`` of all cases (`chance.holm`). What rules decide is
compared with training. How often they are right is compared with records that they were not learned from, because
training overstates it; without such records it is shown, and raises no alarm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.evaluation.drift_results import DriftCheck, Source, Watch
from unless.evaluation.metrics import cross_counts
from unless.evaluation.shares import Share
from unless.evaluation.significance import holm, same_share
from unless.evaluation.unseen_values import UnseenCounts
from unless.export.fingerprint import fingerprint
from unless.model import DataOrigin, Model, is_majority, model_of
from unless.model.prediction import decide, deciding_rules, head_indices
from unless.model.rule_statistics import RuleStatistics
from unless.table import Labels, Table
from unless.values import Label, class_index

__all__ = ["ALPHA", "UNLABELLED", "Counts", "places_of", "watch"]

ALPHA = 0.05
"""How often a watch may raise an alarm though nothing has changed."""

UNLABELLED, OTHER = -1, -2
"""The place of the label of a record that has none, and of a label that training did not have."""

_OPTIMISTIC = (
    "how often rules are right is compared with training, which overstates it, so it raises no alarm; "
    "records held back by fit, or a reference, would tell"
)
_LEARNED_FROM = (
    "most of these are the records that the model is from, so they cannot tell what has moved since; give it new ones"
)
_WEIGHTED = "training was weighted: shares of its weight are no shares of records, so they raise no alarm"


def watch(
    model: Model,
    table: Table,
    truth: NDArray[np.intp] | None = None,
    weights: NDArray[np.float64] | None = None,
    *,
    reference: tuple[Table, NDArray[np.intp] | None] | None = None,
    alpha: float = ALPHA,
    least: float = 0.0,
) -> Watch:
    """What has moved in new records, since training or a reference.

    ``truth`` has the place of each true label among the classes of the model, or `UNLABELLED` or `OTHER`
    (`places_of`). Whole ``weights`` are repetitions; of others only the proportions matter. ``reference`` are earlier
    records, with or without places of labels, to compare with instead of training and its test. Shares that differ by
    less than ``least`` raise no alarm.
    """
    counts = Counts(model)
    counts.add(table, truth, weights)
    earlier = None
    if reference is not None:
        earlier = Counts(model)
        earlier.add(*reference)
    return counts.watch(alpha=alpha, least=least, reference=earlier)


def places_of(labels: tuple[Label | None, ...], classes: tuple[Label, ...]) -> NDArray[np.intp]:
    """The place of each label among the classes, whatever its type; None is unlabelled."""
    found = [UNLABELLED if label is None else class_index(label, classes) for label in labels]
    return np.array([OTHER if place is None else place for place in found], dtype=np.intp)


class Counts:
    """Counts what a model decides, batch by batch, and what there is to compare."""

    def __init__(self, model: Model) -> None:
        known = model_of(model)
        if known is None:
            raise ParameterError(
                "there are only rules here, not what they decided in training; watch a model that fit has written"
            )
        model = known
        self.model, self._program, self._decider = model, model.program, model.decider
        self.classes = model.statistics.classes
        width = len(self.classes) + 2  # the labels, other labels, and none
        self.rules = np.zeros((len(self._program.rules) + 1, width))
        self.given = np.zeros((len(self.classes) + 1, width))
        self.missing = dict.fromkeys(self.used, 0.0)
        self.unseen = UnseenCounts(model)
        self._squares, self._whole = 0.0, True
        self._own = _Own(model.origin, tuple(model.schema.kinds))

    @property
    def wanted(self) -> tuple[str, ...]:
        """The features that are good to have: a model knows its own data by all of them."""
        return self._own.features if self._own.origin is not None else self.used

    @property
    def used(self) -> tuple[str, ...]:
        """The features that are needed."""
        tested = {*self._program.used, *self._decider.used}
        return tuple(name for name in self._program.features if name in tested)

    def add(
        self, table: Table, truth: NDArray[np.intp] | None = None, weights: NDArray[np.float64] | None = None
    ) -> None:
        """Count the records of a batch."""
        rows = len(table)
        truth = np.full(rows, UNLABELLED) if truth is None else truth
        width, decided = self.rules.shape[1], deciding_rules(self._program, table)
        self.rules += cross_counts(decided, truth, len(self.rules), width, weights)
        choices = decided if self._decider.by_rule else decide(self._decider, table).choices
        given = head_indices(self._decider, self.classes)[choices]
        self.given += cross_counts(given, truth, len(self.given), width, weights)
        for name in self.missing:
            column = table.column(name)
            gaps = column.codes == column.missing
            self.missing[name] += float(np.count_nonzero(gaps) if weights is None else weights[gaps].sum())
        self._own.add(table, truth)
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

    def _statistics(self) -> RuleStatistics:
        """What the rules decided, as the statistics of a model are: with a class for labels that it does not have."""
        return RuleStatistics((*self.classes, ""), self._program.heads, self.rules[:, :-1])

    def watch(self, *, alpha: float = ALPHA, least: float = 0.0, reference: Counts | None = None) -> Watch:
        """Compare with training and its test, or with what was counted in a reference."""
        _check_share("alpha", alpha)
        _check_share("least", least)
        before = _Before.of_counts(reference) if reference is not None else _Before.of_model(self.model)
        checks = [*self._checks(before)] if self.records else []
        unseen = self.unseen.found()
        return Watch(
            fingerprint(self._decider),
            self._program,
            self.records,
            self.labelled,
            _ordered(_judged(checks, self._silent, alpha, least)),
            unseen,
            tuple(self._notes(before)),
            alpha,
            least,
        )

    def _checks(self, before: _Before) -> Iterator[DriftCheck]:
        """Every share, with what to compare it with."""
        yield from self._decisions(before)
        yield from self._labels(before)
        if self.labelled:
            yield from self._right(before)
        yield from self._cells(before)

    def _decisions(self, before: _Before) -> Iterator[DriftCheck]:
        """The share of records that each rule decides, and that each label is given."""
        was, rules = before.decided, len(self._program.rules)
        for rule, count in enumerate(self.rules.sum(axis=1).tolist()):
            if rule < rules or count or was[rule]:
                known = Share(float(was[rule]), before.records)
                yield self._check("decides", Share(count, self.records), known, before, before.sound, rule=rule)
        yield from self._given_by_rules(before) if self._decider.by_rule else self._given_together(before)

    def _given_by_rules(self, before: _Before) -> Iterator[DriftCheck]:
        """The share of records that get each label, unless one rule gives it to all of them."""
        for place, label in enumerate((*self.classes, None)):
            rules = [rule for rule, head in enumerate(self._program.heads) if head == label]
            if len(rules) > 1:
                now = Share(float(self.given[place].sum()), self.records)
                known = Share(float(before.decided[rules].sum()), before.records)
                yield self._check("given", now, known, before, before.sound, label=label)

    def _given_together(self, before: _Before) -> Iterator[DriftCheck]:
        """The share of records that get each label if not one rule decides, which only a test or a reference tells."""
        was, on = before.given, before.judged_on
        for place, label in enumerate(self.classes):
            now = Share(float(self.given[place].sum()), self.records)
            known = None if was is None else Share(float(was[place]), float(was.sum()))
            yield self._check("given", now, known, before, known is not None, label=label, source=on)

    def _labels(self, before: _Before) -> Iterator[DriftCheck]:
        """The share of each true label, and of labels that training did not have."""
        if not self.labelled:
            return
        counts = self.rules[:, :-1].sum(axis=0).tolist()
        for place, label in enumerate((*self.classes, None)):
            if label is not None or counts[place]:
                was = before.labels
                known = None if was is None else Share(float(was[place]), float(was.sum()))
                yield self._check(
                    "labels", Share(counts[place], self.labelled), known, before, before.sound, label=label
                )

    def _right(self, before: _Before) -> Iterator[DriftCheck]:
        """The accuracy, and how often each rule is right."""
        right = float(np.trace(self.given[: len(self.classes), : len(self.classes)]))
        learned = self._own.found and before.judged_on == "the test"  # from most of these, and from none of those
        honest = before.honest and not learned
        yield self._check(
            "accuracy", Share(right, self.labelled), before.accuracy, before, honest, source=before.judged_on
        )
        if not self._decider.by_rule:
            return
        found = self._statistics()
        for rule, (own, all_) in enumerate(zip(found.right.tolist(), found.support.tolist(), strict=True)):
            if found.labels[rule] is not None and (rule < len(self._program.rules) or all_):
                known = None
                if before.judged is not None:
                    known = Share(float(before.judged.right[rule]), float(before.judged.support[rule]))
                yield self._check("right", Share(own, all_), known, before, honest, rule=rule, source=before.judged_on)

    def _cells(self, before: _Before) -> Iterator[DriftCheck]:
        """The share of missing cells, and of cells with values that training did not have, by feature."""
        for name, count in self.missing.items():
            was = before.missing.get(name)
            if count or (was is not None and was.count):
                yield self._check("missing", Share(count, self.records), was, before, before.sound, feature=name)
        chances = self.unseen.chances()
        for found in self.unseen.found():
            if (chance := chances.pop(found.feature, None)) is not None:
                now = Share(float(found.records), float(found.total))
                yield DriftCheck("unseen", now, source="training", feature=found.feature, chance=chance)

    def _check(
        self,
        kind: Any,
        now: Share,
        known: Share | None,
        before: _Before,
        sound: bool,  # noqa: FBT001
        *,
        source: Source | None = None,
        **about: Any,
    ) -> DriftCheck:
        """A share with how probable it is; without a sound sample to compare with, nothing is known about that."""
        chance = None
        if known is not None and isnan(known.count + known.total):  # of a rule that was edited and not measured since
            known = None
        if sound and known is not None:
            one, other = self.effective, before.effective
            chance = same_share(now.count * one, now.total * one, known.count * other, known.total * other)
        return DriftCheck(kind, now, known, None if known is None else source or before.source, chance=chance, **about)

    @property
    def _silent(self) -> int:
        """How many features have no values that training did not have: they could have had some."""
        return len(self.model.domain.columns) - len(self.unseen.chances())

    def _notes(self, before: _Before) -> Iterator[str]:
        """What could not be compared."""
        if self._own.found:
            yield _LEARNED_FROM
        if not self.labelled:
            yield "without true labels nobody can say how often the rules are right"
        elif not before.honest:
            yield _OPTIMISTIC
        elif before.accuracy is None:
            yield "the reference has no true labels, so how often the rules are right is not compared"
        if not before.sound:
            yield _WEIGHTED
        if self.model.imitation is not None:
            yield f"a {self._decider.noun} decides; the rules here are those of the list that imitates it"
        if self.missing and not before.missing and any(self.missing.values()):
            yield "the model does not know how many cells were missing in training"


class _Own:
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
class _Before:
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
    def of_model(cls, model: Model) -> _Before:
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
    def of_counts(cls, counts: Counts) -> _Before:
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
            judged=counts._statistics() if labelled else None,  # noqa: SLF001 - of this module
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


def _check_share(name: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ParameterError(f"{name} must be a number from 0 to 1, not {value!r}")


def _judged(checks: list[DriftCheck], silent: int, alpha: float, least: float) -> list[DriftCheck]:
    """The checks, each in view of all, and of those that could have found something and did not."""
    chances = [check.chance for check in checks if check.chance is not None]
    adjusted = iter(holm([*chances, *[1.0] * silent]))
    found = [check if check.chance is None else replace(check, adjusted=next(adjusted)) for check in checks]
    return [
        replace(check, moved=True)
        if check.adjusted is not None and check.adjusted <= alpha and _difference(check) >= least
        else check
        for check in found
    ]


def _difference(check: DriftCheck) -> float:
    return abs(check.now.value - (0.0 if check.before is None else check.before.value))


def _ordered(checks: list[DriftCheck]) -> tuple[DriftCheck, ...]:
    """The worst first; those that nothing can be said about last."""
    return tuple(sorted(checks, key=lambda check: 2.0 if check.chance is None else check.chance))
