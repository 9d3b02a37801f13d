"""Watch a model on new records: compare the decisions and the accuracy of its rules with earlier records.

Every share is compared with the share in an earlier sample by an exact test (`significance.share_p_value`); training is
a sample too. All tests together raise a false alarm in at most ``alpha`` of all cases (`significance.adjust_p_values`).
Decisions are compared with training. Accuracy is compared with the accuracy on records that the rules were not learned
from, because training overstates it; without such records it is shown, but raises no alarm.
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
from unless.evaluation.significance import ALPHA, adjust_p_values, share_p_value
from unless.export.fingerprint import fingerprint
from unless.model import Model
from unless.score.score_decider import committee_of
from unless.table import Table

__all__ = ["compare_counts", "watch"]

_OPTIMISTIC = (
    "how often rules are right is compared with training, which overstates it, so it raises no alarm; "
    "records held back by fit, or a reference, would tell"
)
_LEARNED_FROM = (
    "most of these records are those that the model was learned from, so they cannot show what has changed; "
    "give it new ones"
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
    """Compare new records with training, or with a reference, and find what has changed.

    ``truth`` has the index of each true label among the classes of the model, or `UNLABELLED` or `OTHER`
    (`class_indices`). Whole ``weights`` are repetitions; for other weights only the proportions matter. ``reference``
    contains earlier records, with or without true labels, to compare with instead of training and its test. Shares that
    differ by less than ``least`` raise no alarm.
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
    """Compare counts of new records with training and its test, or with counts of a reference."""
    _require_share("alpha", alpha)
    _require_share("least", least)
    before = Baseline.of_model(counts.model) if reference is None else Baseline.of_counts(reference)
    found = _Comparison(counts, before)
    checks = [*found.checks()] if counts.records else []
    return Watch(
        fingerprint(counts.decider),
        counts.program,
        counts.records,
        counts.labelled,
        tuple(sorted(_adjust_checks(checks, found.silent_features, alpha, least), key=_chance_order)),
        counts.unseen.found(),
        tuple(found.notes()),
        alpha,
        least,
    )


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Compares each share of the counted records with the same share before."""

    now: DriftCounts
    before: Baseline

    def checks(self) -> Iterator[DriftCheck]:
        """Yield a check for every share."""
        yield from self._decision_checks()
        if self.now.labelled:
            yield from self._true_label_checks()
            yield from self._accuracy_checks()
        yield from self._cell_checks()

    def _decision_checks(self) -> Iterator[DriftCheck]:
        """Yield checks of the share of records that each rule decides, and that get each label."""
        was, rules = self.before.decided, len(self.now.program.rules)
        for rule, count in enumerate(self.now.rules.sum(axis=1).tolist()):
            if rule < rules or count or was[rule]:
                known = Share(float(was[rule]), self.before.records)
                yield self._make_check("decides", Share(count, self.now.records), known, self.before.sound, rule=rule)
        yield from self._given_label_checks() if self.now.decider.by_rule else self._voted_label_checks()

    def _given_label_checks(self) -> Iterator[DriftCheck]:
        """Yield checks of the share of records that get each label, if several rules give it."""
        for place, label in enumerate((*self.now.classes, None)):
            rules = [rule for rule, head in enumerate(self.now.program.heads) if head == label]
            if len(rules) > 1:
                now = Share(float(self.now.given[place].sum()), self.now.records)
                known = Share(float(self.before.decided[rules].sum()), self.before.records)
                yield self._make_check("given", now, known, self.before.sound, label=label)

    def _voted_label_checks(self) -> Iterator[DriftCheck]:
        """Yield checks of the share of records that get each label where no single rule decides.

        They are compared with a test or a reference. If records can have no label, their share is checked, too.
        """
        was, on = self.before.given, self.before.judged_on
        for place, label in enumerate((*self.now.classes, *[None] * (None in self.now.decider.heads))):
            now = Share(float(self.now.given[place].sum()), self.now.records)
            known = None if was is None else Share(float(was[place]), float(was.sum()))
            yield self._make_check("given", now, known, known is not None, label=label, source=on)

    def _true_label_checks(self) -> Iterator[DriftCheck]:
        """Yield checks of the share of each true label, and of labels that training did not have."""
        was, total = self.before.labels, self.now.labelled
        counts = self.now.rules[:, :-1].sum(axis=0).tolist()
        for place, label in enumerate((*self.now.classes, None)):
            if label is not None or counts[place]:
                known = None if was is None else Share(float(was[place]), float(was.sum()))
                yield self._make_check("labels", Share(counts[place], total), known, self.before.sound, label=label)

    def _accuracy_checks(self) -> Iterator[DriftCheck]:
        """Yield checks of the accuracy, overall and by rule."""
        before, on = self.before.judged, self.before.judged_on
        learned = self.now.learned_from and on == "the test"  # from most new records, from none of the test
        honest = self.before.honest and not learned
        yield self._make_check("accuracy", self.now.accuracy, self.before.accuracy, honest, source=on)
        if not self.now.decider.by_rule:
            return
        found = self.now.statistics()
        for rule, (own, all_) in enumerate(zip(found.right.tolist(), found.support.tolist(), strict=True)):
            if found.labels[rule] is not None and (rule < len(self.now.program.rules) or all_):
                known = None if before is None else Share(float(before.right[rule]), float(before.support[rule]))
                yield self._make_check("right", Share(own, all_), known, honest, rule=rule, source=on)

    def _cell_checks(self) -> Iterator[DriftCheck]:
        """Yield checks of the share of missing cells and of unseen values, by feature."""
        for name, count in self.now.missing.items():
            was = self.before.missing.get(name)
            if count or (was is not None and was.count):
                yield self._make_check("missing", Share(count, self.now.records), was, self.before.sound, feature=name)
        chances = self.now.unseen.chances()
        for found in self.now.unseen.found():
            if (chance := chances.pop(found.feature, None)) is not None:
                now = Share(float(found.records), float(found.total))
                yield DriftCheck("unseen", now, source="training", feature=found.feature, chance=chance)

    def _make_check(
        self,
        kind: Any,
        now: Share,
        known: Share | None,
        sound: bool,  # noqa: FBT001
        *,
        source: Source | None = None,
        **about: Any,
    ) -> DriftCheck:
        """Compare a share with the share before; without a sound earlier sample there is no p-value."""
        chance = None
        if known is not None and isnan(known.count + known.total):  # a rule edited and not measured since
            known = None
        if sound and known is not None:
            one, other = self.now.effective, self.before.effective
            chance = share_p_value(now.count * one, now.total * one, known.count * other, known.total * other)
        source = None if known is None else source or self.before.source
        return DriftCheck(kind, now, known, source, chance=chance, **about)

    @property
    def silent_features(self) -> int:
        """The number of features that were checked for unseen values and have none."""
        return len(self.now.model.domain.columns) - len(self.now.unseen.chances())

    def notes(self) -> Iterator[str]:
        """Yield notes on what could not be compared, and why."""
        if self.now.learned_from:
            yield _LEARNED_FROM
        if not self.now.labelled:
            yield "without true labels it is not known how often the rules are right"
        elif not self.before.honest:
            yield _OPTIMISTIC
        elif self.before.accuracy is None:
            yield "the reference has no true labels, so how often the rules are right is not compared"
        if not self.before.sound:
            yield _WEIGHTED
        if not self.now.decider.by_rule and committee_of(self.now.decider) is None:
            yield f"a {self.now.decider.noun} decides; the checks of rules are about the first rule that applies"
        elif not self.now.decider.by_rule:
            yield f"a {self.now.decider.noun} decides; the rules here are those of the list that imitates it"
        if self.now.missing and not self.before.missing and any(self.now.missing.values()):
            yield "the model does not know how many cells were missing in training"


def _require_share(name: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ParameterError(f"{name} must be a number from 0 to 1, not {value!r}")


def _adjust_checks(checks: list[DriftCheck], silent: int, alpha: float, least: float) -> Iterator[DriftCheck]:
    """Adjust the p-values for the number of checks, and mark the checks that moved."""
    chances = [check.chance for check in checks if check.chance is not None]
    adjusted = iter(adjust_p_values([*chances, *[1.0] * silent]))
    for check in checks:
        if check.chance is None:
            yield check
            continue
        chance, before = next(adjusted), 0.0 if check.before is None else check.before.value
        yield replace(check, adjusted=chance, moved=chance <= alpha and abs(check.now.value - before) >= least)


def _chance_order(check: DriftCheck) -> float:
    """Return a sort key: smallest p-value first, checks without a p-value last."""
    return 2.0 if check.chance is None else check.chance
