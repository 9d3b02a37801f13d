"""Find rules and classes that perform worse than the whole program."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unless.evaluation.shares import Share
from unless.report.facts import DecisionFacts
from unless.report.rule_sentences import LabelName, Speaker

_FEW = 5
"""A rule with fewer records is not assessed, because its interval would cover almost everything."""

_ERRORS = 2
"""Fewer errors may be chance: one error among ten records does not show that the share is below 0.99."""


@dataclass(frozen=True, slots=True)
class WeakSpot:
    """A rule or a class that performs worse than the whole program.

    ``right`` is the share of its records that are right. ``instead`` is the label of the most frequent error and its
    count: for a rule the true label, for a class the label that is given instead, None if undecided. A rule has a
    ``number``; ``trained`` is its share in training, if that share was higher by more than chance.
    """

    label: LabelName
    right: Share
    instead: tuple[LabelName | None, int]
    number: int | None = None
    trained: float | None = None

    @property
    def wrong(self) -> int:
        """How many records are wrong."""
        return round(self.right.total - self.right.count)


@dataclass(frozen=True, slots=True)
class WeakSpots:
    """The weak rules and classes of a program, costliest first.

    ``by_default`` counts the records that no rule decides, or that a rule without conditions decides; ``undecided``
    counts the records without a label. ``idle`` are rules that decide nothing here, and ``few`` rules that decide too
    few records to be assessed. ``new`` are labels that training did not have, ``unseen`` sentences about values that
    training did not have.
    """

    rules: tuple[WeakSpot, ...]
    classes: tuple[WeakSpot, ...]
    by_default: int
    by_default_right: int | None
    undecided: int
    idle: tuple[int, ...]
    few: tuple[int, ...]
    new: tuple[LabelName, ...]
    unseen: tuple[str, ...]
    unseen_in: tuple[int, ...] = ()
    """The indices of the features of these sentences."""
    defaults: tuple[str, ...] = ()
    """The rules without conditions, and "none", as links to records name them."""

    @property
    def nothing(self) -> bool:
        """Whether no weak spots were found."""
        found = (self.unseen, self.rules, self.classes, self.by_default, self.idle, self.few, self.new)
        return not any(found)


def find_weak_spots(facts: DecisionFacts, speaker: Speaker) -> WeakSpots:
    """Find the weak spots of a program, costliest first."""
    decided = facts.decided[:-1]
    alone = facts.decider.by_rule  # otherwise no rule of the program decides
    known = len(facts.trained.classes) if facts.trained is not None else len(facts.labels)
    return WeakSpots(
        rules=tuple(_find_weak_rules(facts, speaker)) if alone else (),
        classes=tuple(_find_weak_classes(facts, speaker)),
        by_default=int(facts.decided[facts.defaults].sum()) if alone else 0,
        by_default_right=None if facts.truth is None else int(facts.right[facts.defaults].sum()),
        undecided=int(np.count_nonzero(facts.given < 0)),
        idle=_marked_rule_numbers(decided == 0) if alone else (),
        few=_marked_rule_numbers((decided > 0) & (decided < _FEW) & ~facts.defaults[:-1]) if alone else (),
        new=speaker.labels[known:],
        unseen=speaker.unseen(facts.unseen),
        unseen_in=tuple(facts.used.index(one.feature) if one.feature in facts.used else -1 for one in facts.unseen),
        defaults=(*map(str, _marked_rule_numbers(facts.defaults[:-1])), "none"),
    )


def _marked_rule_numbers(rules: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the numbers of the marked rules, from 1."""
    return tuple((np.flatnonzero(rules) + 1).tolist())


def _find_weak_rules(facts: DecisionFacts, speaker: Speaker) -> list[WeakSpot]:
    """Find the weak rules, costliest first.

    A rule is weak if it is wrong more often than right, if its precision is below the accuracy by more than chance, or
    if it is below both the accuracy and, by more than chance, its precision in training. Rules that decide few records
    are listed elsewhere.
    """
    if facts.quality is None:
        return []
    accuracy = facts.quality.accuracy
    judged = (facts.decided >= _FEW) & (facts.decided - facts.right >= _ERRORS) & ~facts.defaults
    found = []
    for place in np.flatnonzero(judged).tolist():
        spot = _make_weak_spot(speaker, int(facts.heads[place]), facts.counts[place])
        trained = _find_precision_drop(facts, place) if spot.right.value < accuracy else None
        if spot.right.interval[1] < accuracy or spot.right.value < 0.5 or trained is not None:
            found.append(replace(spot, number=place + 1, trained=trained))
    return sorted(found, key=lambda spot: -spot.wrong)


def _find_weak_classes(facts: DecisionFacts, speaker: Speaker) -> list[WeakSpot]:
    """Find the classes with a recall below one half, or below the accuracy by more than chance; costliest first."""
    if facts.quality is None:
        return []
    found = []
    for place, row in enumerate(facts.quality.confusion):
        if row.any():
            spot = _make_weak_spot(speaker, place, row)
            below = spot.right.interval[1] < facts.quality.accuracy and spot.wrong >= _ERRORS
            found += [spot] * (below or spot.right.value < 0.5)
    return sorted(found, key=lambda spot: -spot.wrong)


def _make_weak_spot(speaker: Speaker, label: int, counts: NDArray[np.int64]) -> WeakSpot:
    """Make a weak spot from a label and the record counts by true label or decision; the last count is undecided."""
    others = counts.copy()
    others[label] = 0
    most = int(others.argmax())
    instead = (*speaker.labels, None)[most], int(others[most])
    return WeakSpot(speaker.labels[label], Share(int(counts[label]), int(counts.sum())), instead)


def _find_precision_drop(facts: DecisionFacts, place: int) -> float | None:
    """Return the precision of a rule in training if it was higher by more than chance (Newcombe's interval).

    Both shares are uncertain: being right for 4 of 4 records in training is not clearly better than for 4 of 5 here.
    Shares of weights cannot be compared with shares of records.
    """
    if facts.trained is None or facts.weighted or not facts.trained.support[place] > 0:
        return None
    before = Share(float(facts.trained.right[place]), float(facts.trained.support[place]))
    now = Share(float(facts.right[place]), float(facts.decided[place]))
    chance = math.hypot(before.value - before.interval[0], now.interval[1] - now.value)
    return before.value if before.value - now.value > chance else None
