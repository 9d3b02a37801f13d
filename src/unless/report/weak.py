"""Where a program is weak, and how certain that is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from unless.judge.labels import interval
from unless.report.facts import Facts
from unless.report.sentences import LabelName, Speaker

__all__ = ["Weak", "WeakClass", "WeakRule", "weak_spots"]

_WEAKEST = 12
"""The most weak rules, and the most weak classes, to name."""

_FEW = 5
"""A rule with fewer records is not judged: its interval would cover almost everything."""

_ERRORS = 2
"""Fewer errors may be chance: one error among ten records does not show that the share is below 0.99."""


@dataclass(frozen=True, slots=True)
class WeakRule:
    """A rule that is right less often than the program; ``low`` to ``high`` is the 95 % interval of its precision.

    ``instead`` is the most frequent true label among its errors, with their number. ``trained`` is its precision in
    training, if that was higher by more than chance.
    """

    number: int
    label: LabelName
    decided: int
    right: int
    low: float
    high: float
    instead: tuple[LabelName, int]
    trained: float | None


@dataclass(frozen=True, slots=True)
class WeakClass:
    """A class that is often missed; ``instead`` is the label that most of the missed records get, None if undecided."""

    label: LabelName
    support: int
    right: int
    low: float
    high: float
    instead: tuple[LabelName | None, int]


@dataclass(frozen=True, slots=True)
class Weak:
    """Where a program is weak: in which rules and classes, and how many more there are.

    ``by_default`` counts the records that no rule decides, or only one without conditions; ``undecided`` those that get
    no label. ``idle`` are rules that decide nothing here, ``few`` those that decide too few records to be judged.
    ``new`` are labels that training did not have, ``unseen`` sentences about values that it did not have.
    """

    rules: tuple[WeakRule, ...]
    more_rules: int
    classes: tuple[WeakClass, ...]
    more_classes: int
    by_default: int
    by_default_right: int | None
    undecided: int
    idle: tuple[int, ...]
    few: tuple[int, ...]
    new: tuple[LabelName, ...]
    unseen: tuple[str, ...]

    @property
    def nothing(self) -> bool:
        """Whether nothing stands out."""
        found = (self.unseen, self.rules, self.classes, self.by_default, self.idle, self.few, self.new)
        return not any(found)


def weak_spots(facts: Facts, speaker: Speaker) -> Weak:
    """The weak spots; those that cost most come first."""
    rules, classes = _weak_rules(facts, speaker), _weak_classes(facts, speaker)
    known = len(facts.trained.classes) if facts.trained is not None else len(facts.labels)
    return Weak(
        rules=tuple(rules[:_WEAKEST]),
        more_rules=len(rules[_WEAKEST:]),
        classes=tuple(classes[:_WEAKEST]),
        more_classes=len(classes[_WEAKEST:]),
        by_default=int(facts.decided[facts.defaults].sum()),
        by_default_right=None if facts.truth is None else int(facts.right[facts.defaults].sum()),
        undecided=int(facts.decided[-1]) if facts.heads[-1] < 0 else 0,
        idle=tuple((np.flatnonzero(facts.decided[:-1] == 0) + 1).tolist()),
        few=tuple(
            (np.flatnonzero((facts.decided[:-1] > 0) & (facts.decided[:-1] < _FEW) & ~facts.defaults[:-1]) + 1).tolist()
        ),
        new=speaker.labels[known:],
        unseen=speaker.unseen(facts.unseen),
    )


def _weak_rules(facts: Facts, speaker: Speaker) -> list[WeakRule]:
    """The weak rules, costliest first.

    A rule is weak if it is wrong more often than right, if its precision is below the accuracy by more than chance, or
    if it is below both the accuracy and, by more than chance, its precision in training. Rules that decide few records
    are listed elsewhere.
    """
    if facts.quality is None:
        return []
    found = []
    judged = (facts.decided >= _FEW) & (facts.decided - facts.right >= _ERRORS) & ~facts.defaults
    for place in np.flatnonzero(judged).tolist():
        decided, right = int(facts.decided[place]), int(facts.right[place])
        low, high = interval(right, decided)
        before = _higher_before(facts, place) if right / decided < facts.quality.accuracy else None
        if high < facts.quality.accuracy or right / decided < 0.5 or before is not None:
            wrong = facts.counts[place].copy()
            wrong[facts.heads[place]] = 0
            instead = speaker.labels[int(wrong.argmax())], int(wrong.max())
            label = speaker.labels[int(facts.heads[place])]
            found.append(WeakRule(place + 1, label, decided, right, low, high, instead, before))
    return sorted(found, key=lambda rule: rule.right - rule.decided)


def _higher_before(facts: Facts, place: int) -> float | None:
    """The precision of a rule in training, if it was higher by more than chance: Newcombe's interval excludes zero.

    Both shares are uncertain: to be right for all of 4 records in training is not more than for 4 of 5 here. Shares of
    weights cannot be compared with shares of records.
    """
    if facts.trained is None or facts.trained.weighted or not facts.trained.support[place]:
        return None
    before, now = float(facts.trained.precision[place]), float(facts.right[place] / facts.decided[place])
    least, _ = interval(float(facts.trained.right[place]), float(facts.trained.support[place]))
    _, most = interval(float(facts.right[place]), float(facts.decided[place]))
    return before if before - now > math.hypot(before - least, most - now) else None


def _weak_classes(facts: Facts, speaker: Speaker) -> list[WeakClass]:
    """The classes with a recall below a half, or below the accuracy by more than chance; costliest first."""
    if facts.quality is None:
        return []
    found = []
    for place, one in enumerate(facts.quality.classes):
        low, high = interval(one.right, one.support)
        below = high < facts.quality.accuracy and one.support - one.right >= _ERRORS
        if one.support and (below or one.recall < 0.5):
            missed = facts.quality.confusion[place].copy()
            missed[place] = 0
            taken = int(missed.argmax())
            instead = (speaker.labels[taken] if taken < len(speaker.labels) else None), int(missed[taken])
            found.append(WeakClass(speaker.labels[place], one.support, one.right, low, high, instead))
    return sorted(found, key=lambda weak: weak.right - weak.support)
