"""What rules decided, of training records and of those held out, and what to expect of them on new records."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from unless.rule import Program
from unless.values import Label

__all__ = ["SMOOTHING", "RuleStatistics", "wilson_interval"]

SMOOTHING = 4.0
"""How many records of the class prior are added to those that a rule decided.

Without them, a rule that was never wrong in training would be certain.
"""


# What is expected of a rule: chosen on half of the tables, confirmed on the others (benchmarks/precision.py).
class _Chance(NamedTuple):
    """What the search for rules finds where there is nothing to find."""

    gain: float
    """How much less likely the records of a rule of one literal must be without it, as a logarithm, to trust half."""
    spread: float
    """How uncertain the share to trust is, compared with how far it is from all and nothing."""


_SEARCHED, _OF_ONE_LABEL, _DISTILLED = _Chance(9.0, 1.3), _Chance(7.0, 0.8), _Chance(4.0, 1.3)
"""Rules that were searched for; all for one label, as in FOLD-R++; with new records that a teacher has labelled, too.

What a rule misses comes to others of its label, if there is only one. A teacher labels as many records as it takes.
"""
_OF_OTHERS = 0.25
"""A rule without literals decides what is left by the others: it counts for that share of all literals."""
_SPREAD = 0.08
"""By how much rules differ anyway from what is expected, as a share of a record's standard deviation."""
_LEAST_SURE = 0.5
"""What is expected is as sure as from half a record at least."""


@dataclass(frozen=True, eq=False)
class RuleStatistics:
    """What a program decided: ``counts[rule, class]`` records; the last row counts those that no rule decided.

    If ``weighted``, counts are sums of weights. ``labels`` are the labels of the rules, and last, that of records which
    no rule decides. Those of training know what else it takes to tell what to expect of new records
    (`expected_precision`). Rules that were edited and not measured since have NaN as counts.
    """

    classes: tuple[Label, ...]
    """The labels of training, sorted: the columns of ``counts``."""
    labels: tuple[Label | None, ...]
    counts: NDArray[np.float64]
    weighted: bool = False
    literals: tuple[int, ...] | None = None
    """How many literals each rule has, with its exceptions; None if nobody searched for rules with these counts."""
    distilled: bool = False
    """Whether rules were learned from new records, too, which a teacher has labelled."""
    unseen: NDArray[np.float64] | None = None
    """The same counts of records that were held back."""
    unmeasured: NDArray[np.float64] | None = None
    """The records, by class, that all rules without counts decide together; None if every rule has counts."""

    def known(self, row: int) -> bool:
        """Whether it is known what a rule decided."""
        return not bool(np.isnan(self.counts[row, 0]))

    @cached_property
    def by_class(self) -> NDArray[np.float64]:
        """The weight of all records of each class."""
        total = np.nansum if np.isnan(self.counts[:, 0]).any() else np.sum  # nansum copies the counts
        known: NDArray[np.float64] = total(self.counts, axis=0)
        return known if self.unmeasured is None else known + self.unmeasured

    @classmethod
    def of(cls, program: Program, classes: tuple[Label, ...], counts: NDArray[Any], *, weighted: bool = False) -> Self:
        """What a program decided of the records that it was learned from."""
        literals = tuple(rule.literal_count for rule in program.rules)
        numbers = counts.astype(np.float64, copy=False)
        return cls(classes, program.heads, numbers, weighted, literals)

    @cached_property
    def total(self) -> float:
        """The weight of all records."""
        return float(self.by_class.sum())

    @cached_property
    def prior(self) -> NDArray[np.float64]:
        """The share of each class in all records."""
        return self.by_class / max(self.total, 1e-300)

    @cached_property
    def support(self) -> NDArray[np.float64]:
        """How many records each rule decides; NaN if that is not known."""
        found: NDArray[np.float64] = self.counts.sum(axis=1)
        return found

    @cached_property
    def coverage(self) -> NDArray[np.float64]:
        """The share of all records that each rule decides."""
        return self.support / max(self.total, 1e-300)

    @cached_property
    def right(self) -> NDArray[np.float64]:
        """How many records each rule decides correctly."""
        return self._of_own_class(self.counts)

    @cached_property
    def precision(self) -> NDArray[np.float64]:
        """The share of each rule's decisions that are correct; NaN if it decides nothing."""
        with np.errstate(invalid="ignore"):
            shares: NDArray[np.float64] = self.right / self.support
        return shares

    @property
    def lift(self) -> NDArray[np.float64]:
        """How many times more often each rule is right than chance would be; NaN if it decides nothing."""
        return self._divide_by_prior(self.precision)

    @property
    def expected_lift(self) -> NDArray[np.float64]:
        """The same of what is expected on new records."""
        return self._divide_by_prior(self.expected_precision)

    def _divide_by_prior(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        prior = self.prior
        chance = np.array([np.nan if k is None else prior[k] for k in self._class_indices])
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio: NDArray[np.float64] = shares / chance
        return ratio

    @cached_property
    def expected_precision(self) -> NDArray[np.float64]:
        """The share of its decisions on new records that each rule is expected to get right; NaN if nobody can tell.

        A rule that was searched for is right more often in training than on new records: by chance, the search finds
        something anyway, and the more, the more literals a rule has. So what is expected lies between its precision in
        training and what its label would get without it, the closer to the first, the more the rule tells compared
        with what chance finds. Then it is mixed with its precision on records held back, if there are any.
        docs/quality.md has how true that is.
        """
        return self._estimates[0]

    @cached_property
    def expected_between(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The ends of the 95 % intervals of the expected precision; a rule never wrong so far may always be right."""
        low, high = np.array(
            [wilson_interval(share * sure, sure) for share, sure in zip(*self._estimates, strict=True)]
        ).T
        held_back, right = self._held_back
        never_wrong = (self.right == self.support) & (right == held_back)
        return low, np.where(never_wrong, 1.0, high)

    @cached_property
    def _estimates(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What is expected of each rule, and how many records that is as sure as."""
        if self.literals is None:
            return self.precision, self.support
        without = self.without_rule
        precision = np.where(self.support == 0, without, self.precision)
        gain = self.support * _divergence(precision, without)
        literals = np.array([*self.literals, 0], np.float64)
        literals = np.maximum(np.where(literals == 0, _OF_OTHERS * literals.sum(), literals), 1.0)
        trusted = gain / (gain + self._chance.gain * np.sqrt(literals))
        share = without + trusted * (precision - without)
        uncertainty = self._chance.spread * trusted * (1 - trusted) * (precision - without)
        of_share = uncertainty**2 / np.maximum(share * (1 - share), 1e-9)
        sure = np.maximum(1 / (1 / (self.support + 1) + _SPREAD**2 + of_share), _LEAST_SURE)
        held_back, right = self._held_back
        both = sure + held_back
        return (share * sure + right) / both, both

    @property
    def _chance(self) -> _Chance:
        if self.distilled:
            return _DISTILLED
        return _OF_ONE_LABEL if len(set(self.labels[:-1])) == 1 else _SEARCHED

    @cached_property
    def _held_back(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How many of the records held back each rule decided, and how many of these correctly."""
        if self.unseen is None:
            return (none := np.zeros(len(self.counts))), none
        return self.unseen.sum(axis=1), self._of_own_class(self.unseen)

    @cached_property
    def without_rule(self) -> NDArray[np.float64]:
        """The share of each rule's label among all records, or among those that reach the rule, if that is less."""
        found, prior = np.zeros(len(self.counts)), self.prior
        for rule, reaching in self._reaching():
            if (own := self._class_indices[rule]) is not None:
                found[rule] = np.minimum(reaching[own] / max(reaching.sum(), 1e-300), prior[own])
        return found

    def _reaching(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Each rule, and the weight of the records of each class that reach it: of many, there is no room for all."""
        counted = np.zeros(self.counts.shape[1])
        if self.unmeasured is None:
            for rule in reversed(range(len(self.counts))):
                counted += self.counts[rule]
                yield rule, counted
            return
        for rule, decided in enumerate(self.counts):  # what rules decide after the first without counts is not known
            counted += decided
            yield rule, np.maximum(self.by_class - counted + decided, 0.0)

    def expectation(self, rule: int) -> dict[str, Any]:
        """What is expected of a rule, for JSON: a share and the ends of its interval, null if nobody can tell."""
        share, ends = float(self.expected_precision[rule]), [float(end[rule]) for end in self.expected_between]
        decided, right = self._held_back
        held = {} if self.unseen is None else {"unseen": float(decided[rule]), "unseen_right": float(right[rule])}
        between = None if math.isnan(sum(ends)) else ends
        return {"expected_precision": None if math.isnan(share) else share, "between": between, **held}

    def probabilities(self, smoothing: float = SMOOTHING) -> NDArray[np.float64]:
        """The class distribution of the records that each rule decided, with ``smoothing`` records of the prior added.

        If another class would be as probable as the rule's own label, just enough is moved to the label. A rule without
        counts has the distribution of all records that such rules decide.
        """
        counts = (
            self.counts if self.unmeasured is None else np.where(np.isnan(self.counts), self.unmeasured, self.counts)
        )
        smoothed = counts + smoothing * self.prior
        shares: NDArray[np.float64] = smoothed / smoothed.sum(axis=1, keepdims=True)
        for rule, own in enumerate(self._class_indices):
            if own is not None:
                shares[rule] = _move_towards_own_class(shares[rule], own)
        return shares

    def _of_own_class(self, figures: NDArray[np.float64]) -> NDArray[np.float64]:
        """The figure of each rule's own class; 0 if it has none."""
        own = np.array([-1 if k is None else k for k in self._class_indices])
        found: NDArray[np.float64] = np.where(own < 0, 0.0, figures[np.arange(len(own)), own])
        return found

    @cached_property
    def _class_indices(self) -> list[int | None]:
        """The place of each rule's label among the classes."""
        place: dict[Label | None, int] = {label: k for k, label in enumerate(self.classes)}
        return [place.get(label) for label in self.labels]


def _divergence(shares: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much a record tells, by Kullback and Leibler, if a label has these shares where it was to have others."""
    inner = np.clip(others, 1e-9, 1 - 1e-9)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [
            np.where(one == 0, 0.0, one * np.log(one / other))
            for one, other in ((shares, inner), (1 - shares, 1 - inner))
        ]
    found: NDArray[np.float64] = np.maximum(parts[0] + parts[1], 0.0)
    return found


def _move_towards_own_class(shares: NDArray[np.float64], own: int) -> NDArray[np.float64]:
    """The shares, moved towards the rule's own class just enough that it leads."""
    rival = float(np.max(np.delete(shares, own), initial=0.0))
    if shares[own] > rival:
        return shares
    moved = (rival - shares[own] + 1e-9) / (1 + rival - shares[own])
    mixed: NDArray[np.float64] = (1 - moved) * shares
    mixed[own] += moved
    return mixed


def wilson_interval(right: float, total: float, sure: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson's confidence interval of a share, by default at 95 %.

    >>> [round(end, 2) for end in wilson_interval(8, 10)], wilson_interval(0, 0)
    ([0.49, 0.94], (0.0, 1.0))
    """
    if not total:
        return 0.0, 1.0
    share, square = right / total, sure * sure
    centre = (share + square / (2 * total)) / (1 + square / total)
    half = sure * math.sqrt(share * (1 - share) / total + square / (4 * total * total)) / (1 + square / total)
    return max(centre - half, 0.0), min(centre + half, 1.0)
