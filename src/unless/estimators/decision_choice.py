"""How the model of a learner decides: by its rules, by costs or by its score, and which records it rejects."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.constraints import to_constraints
from unless.errors import ParameterError, UnknownNameError, suggest
from unless.estimators.training_data import TrainingData
from unless.learn.settings import LearnerSettings
from unless.model import Model
from unless.model.costs import Costs, Floats, whole_odds
from unless.model.points import Points, leading_label_index
from unless.model.prediction import label_places, tested_features
from unless.score.committee import Committee
from unless.score.score_decider import By, ScoreDecider
from unless.table import Table

_DECIDE = {"rules": "the first rule that applies", "costs": "the least expected cost", "score": "the most points"}


def check_decide(settings: LearnerSettings, learner: str) -> None:
    """Reject a way to decide that does not exist, or that does not fit the learner or the costs."""
    decide, costs = settings.decide, settings.costs
    if decide is not None and decide not in _DECIDE:
        raise ParameterError(f"decide must be {', '.join(map(repr, _DECIDE))} or None, not {decide!r}")
    if decide == "costs" and costs is None:
        raise ParameterError(
            "decide='costs' needs costs, such as costs={('true label', 'decided label'): 5} (--cost TRUE:DECIDED=5)"
        )
    if decide == "score" and costs is not None:
        raise ParameterError("decide='score' gives the label with the most points, whatever it costs; leave out costs")
    if decide == "rules" and learner == "committee":
        raise ParameterError("in a committee no single rule decides; leave out decide='rules'")
    if decide == "rules" and costs is not None and learner != "unless":
        raise ParameterError(
            f"{learner} learns as published, so its rules do not know costs: decide='costs', or learn with "
            "UnlessClassifier"
        )


@dataclass(frozen=True, slots=True)
class DecisionChoice:
    """How a model decides."""

    by: By
    """What gives the label; "score" is what a committee does without costs."""
    costs: Costs | None
    reject: float | None
    voting: bool
    """Whether a committee decides."""

    @classmethod
    def of(cls, settings: LearnerSettings, data: TrainingData, learner: str) -> DecisionChoice:
        """Return the choice of checked parameters for these records."""
        classes, voting = data.labels.labels, learner == "committee"
        costs = None if settings.costs is None or len(classes) < 2 else Costs.of(settings.costs, classes)
        for name in () if costs is None else costs.used:
            _check_amounts(name, data)
        unequal = costs is not None and not costs.equal
        by: Any = settings.decide or ("costs" if unequal else "score" if voting else "rules")
        if len(classes) < 2:  # there is nothing to decide
            return cls("score" if voting else "rules", None, None, voting)
        if data.features is not None and (settings.reject is not None or by != ("score" if voting else "rules")):
            raise ParameterError(
                "records with tables of parts are decided by rules, which can learn costs: costs with decide='rules'"
            )
        if unequal and (by == "costs" or settings.reject is not None):
            _check_directions(settings, len(classes))
        return cls(by, costs, None if settings.reject is None else float(settings.reject), voting)

    @property
    def as_learned(self) -> bool:
        """Whether what was learned decides alone."""
        return self.reject is None and self.by == ("score" if self.voting else "rules")

    def hide_amounts(self, data: TrainingData, declared: Collection[Any] | None) -> TrainingData:
        """Return the records without amounts as features, except those that are declared as numeric features."""
        if self.costs is None:
            return data
        asked = {*(declared or ()), *data.included}
        return replace(data, never=tuple(name for name in self.costs.used if name not in asked))

    def weigh(self, data: TrainingData) -> TrainingData:
        """Return the records weighted by what is at stake with each, if rules are to know the costs.

        The weights add up to the effective number of records, (sum w)² / sum w² (Kish): whole costs as weights would
        make rules look better supported than they are.
        """
        if self.by != "rules" or self.costs is None:
            return data
        if data.blocks is not None:
            raise ParameterError(
                "rules can only learn costs from records in memory; for blocks, decide by costs: decide='costs'"
            )
        losses = self.costs.losses(data.labels.codes, read_amounts(self.costs, data.table))
        if not losses.any():
            raise ParameterError("costs: no mistake costs more than the right decision, so nothing can be learned")
        if (losses == losses[0]).all():
            return data
        return replace(data, counts=_effective(np.ones(len(losses)) if data.counts is None else data.counts, losses))

    def applied_to(self, model: Model, data: TrainingData) -> Model:
        """Return the model of a list that decides as chosen; the list stays the one to read."""
        model = replace(model, costs=self.costs)
        if self.as_learned:
            return model
        if model.card is None:
            raise ParameterError(
                "the list has no points to decide with, because it has more than 200,000; learn fewer rules: max_rules"
            )
        decider = ScoreDecider(model.card, self.by, self._all_costs(data.labels.labels), self.reject)
        labels, table = data.labels.labels, tested_features(decider, data.table)
        same = label_places(decider, table, labels) == label_places(model.decider, table, labels)
        return replace(model, decider=decider, imitation=model, agreement=float(np.average(same, weights=data.counts)))

    def of_committee(self, committee: Committee) -> Committee | ScoreDecider:
        """Return what decides with the points of a committee."""
        if self.as_learned:
            return committee
        return ScoreDecider(committee, self.by, self._all_costs(committee.classes), self.reject)

    def labels(self, points: Points, data: TrainingData) -> NDArray[np.intp]:
        """Return the index of the label of each training record before any is rejected, given its points."""
        if self.by == "score" or self.costs is None:
            return leading_label_index(points)
        amounts = read_amounts(self.costs, data.table)
        found: NDArray[np.intp] = self.costs.sums(whole_odds(points), amounts).argmin(axis=1)
        return found

    def _all_costs(self, classes: tuple[Any, ...]) -> Costs:
        return Costs.of_errors(classes) if self.costs is None else self.costs


def _check_directions(settings: LearnerSettings, labels: int) -> None:
    """Reject directions that expected costs can break: those of several labels weigh the other labels unequally."""
    constraints = to_constraints(settings.constraints)
    if constraints is not None and constraints.monotone and labels > 2:
        raise ParameterError(
            f"{str(constraints.monotone[0])!r} cannot be kept where decisions by costs have more than two labels; "
            "leave out the direction or the costs, or let rules learn the costs: decide='rules', without reject"
        )


def read_amounts(costs: Costs, table: Table) -> dict[str, Floats]:
    """Read the columns of amounts that costs name, as numbers."""
    return costs.amounts({name: table.column(name) for name in costs.used}, len(table))


def _check_amounts(name: str, data: TrainingData) -> None:
    """Reject a column of amounts that does not exist, or that has no numbers."""
    if data.features is not None:
        raise ParameterError(f"costs name the column {name!r}; for records with tables of parts, costs are numbers")
    if name not in data.table.features:
        near = suggest(name, data.table.features)
        raise UnknownNameError(f"costs name the column {name!r}, which the records do not have{near}")
    column = data.table.column(name)
    if column.categories or not column.plain:
        what = f"such as {column.categories[0]!r}" if column.categories else "which are no plain numbers"
        raise ParameterError(f"costs name the column {name!r}, which has other values than numbers, {what}")


def _effective(counts: Floats, losses: Floats) -> Floats:
    """Weight records by losses, so that the weights add up to the effective number of records."""
    factor = float(counts @ losses) / float(counts @ losses**2)
    weights = counts * losses * factor
    power = 2.0 ** ceil(log2(weights.sum() / 2**30))  # multiples of a power of two: sums are exact in any order
    return np.rint(weights / power) * power
