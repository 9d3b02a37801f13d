"""Watch a model on new records: what its rules decide, and how often they are right, against what it was.

Every share is compared with that of a sample from before by an exact test (`chance.same_share`): training is a sample
too. All tests together raise a false alarm in at most ``alpha`` of all cases (`chance.holm`). What rules decide is
compared with training. How often they are right is compared with records that they were not learned from, because
training overstates it; without such records it is shown, and raises no alarm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.evaluation.drift_counts import Baseline, DriftCounts
from unless.evaluation.drift_results import DriftCheck, Source, Watch
from unless.evaluation.shares import Share
from unless.evaluation.significance import holm, same_share
from unless.export.fingerprint import fingerprint
from unless.model import Model
from unless.table import Table

__all__ = ["ALPHA", "compare_counts", "watch"]

ALPHA = 0.05
"""How often a watch may raise an alarm though nothing has changed."""

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
    counts = DriftCounts(model)
    counts.add(table, truth, weights)
    earlier = None
    if reference is not None:
        earlier = DriftCounts(model)
        earlier.add(*reference)
    return compare_counts(counts, alpha=alpha, least=least, reference=earlier)


def compare_counts(
    counts: DriftCounts, *, alpha: float = ALPHA, least: float = 0.0, reference: DriftCounts | None = None
) -> Watch:
    """Compare what was counted with training and its test, or with what was counted in a reference."""
    _check_share("alpha", alpha)
    _check_share("least", least)
    before = Baseline.of_model(counts.model) if reference is None else Baseline.of_counts(reference)
    found = _Comparison(counts, before)
    checks = [*found.checks()] if counts.records else []
    return Watch(
        fingerprint(counts.decider),
        counts.program,
        counts.records,
        counts.labelled,
        _ordered(_judged(checks, found.silent, alpha, least)),
        counts.unseen.found(),
        tuple(found.notes()),
        alpha,
        least,
    )


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Shares of records that were counted, each beside the same share of before."""

    now: DriftCounts
    before: Baseline

    def checks(self) -> Iterator[DriftCheck]:
        """Every share, with what to compare it with."""
        yield from self._decisions()
        yield from self._labels()
        if self.now.labelled:
            yield from self._right()
        yield from self._cells()

    def _decisions(self) -> Iterator[DriftCheck]:
        """The share of records that each rule decides, and that each label is given."""
        was, rules = self.before.decided, len(self.now.program.rules)
        for rule, count in enumerate(self.now.rules.sum(axis=1).tolist()):
            if rule < rules or count or was[rule]:
                known = Share(float(was[rule]), self.before.records)
                yield self._check("decides", Share(count, self.now.records), known, self.before.sound, rule=rule)
        yield from self._given_by_rules() if self.now.decider.by_rule else self._given_together()

    def _given_by_rules(self) -> Iterator[DriftCheck]:
        """The share of records that get each label, unless one rule gives it to all of them."""
        for place, label in enumerate((*self.now.classes, None)):
            rules = [rule for rule, head in enumerate(self.now.program.heads) if head == label]
            if len(rules) > 1:
                now = Share(float(self.now.given[place].sum()), self.now.records)
                known = Share(float(self.before.decided[rules].sum()), self.before.records)
                yield self._check("given", now, known, self.before.sound, label=label)

    def _given_together(self) -> Iterator[DriftCheck]:
        """The share of records that get each label if not one rule decides, which only a test or a reference tells."""
        was, on = self.before.given, self.before.judged_on
        for place, label in enumerate(self.now.classes):
            now = Share(float(self.now.given[place].sum()), self.now.records)
            known = None if was is None else Share(float(was[place]), float(was.sum()))
            yield self._check("given", now, known, known is not None, label=label, source=on)

    def _labels(self) -> Iterator[DriftCheck]:
        """The share of each true label, and of labels that training did not have."""
        if not self.now.labelled:
            return
        counts = self.now.rules[:, :-1].sum(axis=0).tolist()
        for place, label in enumerate((*self.now.classes, None)):
            if label is not None or counts[place]:
                was = self.before.labels
                known = None if was is None else Share(float(was[place]), float(was.sum()))
                yield self._check(
                    "labels", Share(counts[place], self.now.labelled), known, self.before.sound, label=label
                )

    def _right(self) -> Iterator[DriftCheck]:
        """The accuracy, and how often each rule is right."""
        right = float(np.trace(self.now.given[: len(self.now.classes), : len(self.now.classes)]))
        learned = self.now.own.found and self.before.judged_on == "the test"  # from most of these, none of those
        honest = self.before.honest and not learned
        yield self._check(
            "accuracy", Share(right, self.now.labelled), self.before.accuracy, honest, source=self.before.judged_on
        )
        if not self.now.decider.by_rule:
            return
        found = self.now.statistics()
        for rule, (own, all_) in enumerate(zip(found.right.tolist(), found.support.tolist(), strict=True)):
            if found.labels[rule] is not None and (rule < len(self.now.program.rules) or all_):
                known = None
                if self.before.judged is not None:
                    known = Share(float(self.before.judged.right[rule]), float(self.before.judged.support[rule]))
                yield self._check("right", Share(own, all_), known, honest, rule=rule, source=self.before.judged_on)

    def _cells(self) -> Iterator[DriftCheck]:
        """The share of missing cells, and of cells with values that training did not have, by feature."""
        for name, count in self.now.missing.items():
            was = self.before.missing.get(name)
            if count or (was is not None and was.count):
                yield self._check("missing", Share(count, self.now.records), was, self.before.sound, feature=name)
        chances = self.now.unseen.chances()
        for found in self.now.unseen.found():
            if (chance := chances.pop(found.feature, None)) is not None:
                now = Share(float(found.records), float(found.total))
                yield DriftCheck("unseen", now, source="training", feature=found.feature, chance=chance)

    def _check(
        self,
        kind: Any,
        now: Share,
        known: Share | None,
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
            one, other = self.now.effective, self.before.effective
            chance = same_share(now.count * one, now.total * one, known.count * other, known.total * other)
        source = None if known is None else source or self.before.source
        return DriftCheck(kind, now, known, source, chance=chance, **about)

    @property
    def silent(self) -> int:
        """How many features have no values that training did not have: they could have had some."""
        return len(self.now.model.domain.columns) - len(self.now.unseen.chances())

    def notes(self) -> Iterator[str]:
        """What could not be compared."""
        if self.now.own.found:
            yield _LEARNED_FROM
        if not self.now.labelled:
            yield "without true labels nobody can say how often the rules are right"
        elif not self.before.honest:
            yield _OPTIMISTIC
        elif self.before.accuracy is None:
            yield "the reference has no true labels, so how often the rules are right is not compared"
        if not self.before.sound:
            yield _WEIGHTED
        if self.now.model.imitation is not None:
            yield f"a {self.now.decider.noun} decides; the rules here are those of the list that imitates it"
        if self.now.missing and not self.before.missing and any(self.now.missing.values()):
            yield "the model does not know how many cells were missing in training"


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
