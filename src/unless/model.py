"""What a model is: rules, what they decided in training, how columns were read, and which values training had.

Fitted classifiers and model files are both models; whatever takes a model takes either.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.rule import Program
from unless.table import Schema, Table
from unless.values import Label

if TYPE_CHECKING:
    from unless.score.card import ScoreCard

__all__ = ["SMOOTHING", "Model", "Statistics", "program_of"]


@runtime_checkable
class Model(Protocol):
    """Learned rules, and what is known about their training."""

    @property
    def program_(self) -> Program:
        """The rules."""

    @property
    def statistics_(self) -> Statistics:
        """What the rules decided in training."""

    @property
    def schema_(self) -> Schema:
        """How the columns were read."""

    @property
    def domain_(self) -> Table:
        """The categories and ranges that training had, for the features that rules test (`table.domain_of`)."""

    @property
    def card_(self) -> ScoreCard | None:
        """The points of each part of the program; None if they are not known."""


def program_of(model: Program | Model) -> Program:
    """The rules: a program itself, or those of a model, a fitted classifier for example."""
    if isinstance(model, Program):
        return model
    found = getattr(model, "program_", None)
    if not isinstance(found, Program):
        name = type(model).__name__
        if hasattr(model, "with_program"):  # one of our classifiers
            raise ParameterError(f"this {name} has no rules yet; fit it first: fit(X, y)")
        raise ParameterError(f"expected a Program or a fitted model, not {name} {model!r:.60}")
    return found


SMOOTHING = 4.0
"""How many records of the class prior are added to those that a rule decided.

Over the 34 datasets of the paper (docs/accuracy.md), 4 had the least calibration error for the lists that our
learner found before it optimised them, and a log-loss within 0.5 % of the least (6).
"""


@dataclass(frozen=True, eq=False)
class Statistics:
    """What a program decided: ``counts[rule, class]`` records; the last row counts those that no rule decided.

    If ``weighted``, counts are sums of weights. ``labels`` are the labels of the rules, and last, that of records which
    no rule decides. Rules that were edited and not measured since have NaN as counts; ``unmeasured`` are the training
    records, by class, that all of these decide together, and None if every rule has counts.
    """

    classes: tuple[Label, ...]
    labels: tuple[Label | None, ...]
    counts: NDArray[np.float64]
    weighted: bool = False
    unmeasured: NDArray[np.float64] | None = None

    def known(self, row: int) -> bool:
        """Whether it is known what a rule decided."""
        return not bool(np.isnan(self.counts[row, 0]))

    @property
    def by_class(self) -> NDArray[np.float64]:
        """The weight of all records of each class."""
        known: NDArray[np.float64] = np.nansum(self.counts, axis=0)
        return known if self.unmeasured is None else known + self.unmeasured

    @property
    def total(self) -> float:
        """The weight of all records."""
        return float(self.by_class.sum())

    @property
    def prior(self) -> NDArray[np.float64]:
        """The share of each class in all records."""
        return self.by_class / max(self.total, 1e-300)

    @property
    def support(self) -> NDArray[np.float64]:
        """How many records each rule decides; NaN if that is not known."""
        return self.counts.sum(axis=1)  # type: ignore[no-any-return]

    @property
    def coverage(self) -> NDArray[np.float64]:
        """The share of all records that each rule decides."""
        return self.support / max(self.total, 1e-300)

    @property
    def right(self) -> NDArray[np.float64]:
        """How many records each rule decides correctly."""
        return np.array([0.0 if k is None else self.counts[rule, k] for rule, k in enumerate(self._places)])

    @property
    def precision(self) -> NDArray[np.float64]:
        """The share of each rule's decisions that are correct; NaN if it decides nothing."""
        with np.errstate(invalid="ignore"):
            shares: NDArray[np.float64] = self.right / self.support
        return shares

    @property
    def lift(self) -> NDArray[np.float64]:
        """How many times more often each rule is right than chance would be; NaN if it decides nothing."""
        prior = self.prior
        chance = np.array([np.nan if k is None else prior[k] for k in self._places])
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio: NDArray[np.float64] = self.precision / chance
        return ratio

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
        for rule, own in enumerate(self._places):
            if own is not None:
                shares[rule] = _favouring(shares[rule], own)
        return shares

    @cached_property
    def _places(self) -> list[int | None]:
        """The place of each rule's label among the classes."""
        place: dict[Label | None, int] = {label: k for k, label in enumerate(self.classes)}
        return [place.get(label) for label in self.labels]


def _favouring(shares: NDArray[np.float64], own: int) -> NDArray[np.float64]:
    """The shares, moved towards the rule's own class just enough that it leads."""
    rival = float(np.max(np.delete(shares, own), initial=0.0))
    if shares[own] > rival:
        return shares
    moved = (rival - shares[own] + 1e-9) / (1 + rival - shares[own])
    mixed: NDArray[np.float64] = (1 - moved) * shares
    mixed[own] += moved
    return mixed
