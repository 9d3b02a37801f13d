"""Compute the headline of a page: which rules decide most records, and the accuracy compared with guessing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from unless.evaluation.shares import Share
from unless.report.facts import DecisionFacts
from unless.report.rule_sentences import LabelName, Speaker, Text

TrustBasis = Literal["tested", "learned", "given"]

_RULES = 4
"""The maximum number of rules that a sentence names."""

_FEATURES = 3
"""The maximum number of features that a sentence names."""


@dataclass(frozen=True, slots=True)
class Leading:
    """The few rules that together decide more than half of the records, busiest first; else only the busiest rule.

    ``numbers`` has None for the records that no rule decides, ``labels`` has the label of each rule. ``asks`` are the
    features that most of these rules test.
    """

    numbers: tuple[int | None, ...]
    labels: tuple[LabelName | None, ...]
    records: int
    share: float
    asks: tuple[Text, ...]

    @property
    def most(self) -> bool:
        """Whether the rules decide more than half of the records."""
        return self.share > 0.5


@dataclass(frozen=True, slots=True)
class Trust:
    """The accuracy, and the accuracy of the best constant guess.

    ``of`` is the kind of records: held back from learning ("tested"), learned from ("learned"), which overstates the
    accuracy on new records, or other records ("given").
    """

    right: Share
    guess: LabelName
    guessed: Share
    of: TrustBasis

    @property
    def better(self) -> bool:
        """Whether the accuracy is better than the guess by more than chance."""
        return self.right.interval[0] > self.guessed.value


def find_leading_rules(facts: DecisionFacts, speaker: Speaker) -> Leading:
    """Find the rules that decide most records."""
    order = np.argsort(-facts.decided, kind="stable")
    sums = np.cumsum(facts.decided[order])
    enough = int(np.searchsorted(sums, facts.records // 2, side="right")) + 1
    taken = order[: enough if enough <= _RULES else 1].tolist()
    rules, records = facts.program.rules, int(facts.decided[taken].sum())
    tested: dict[str, int] = {}
    for place in taken:
        for feature in {literal.feature for literal in rules[place].literals()} if place < len(rules) else ():
            tested[feature] = tested.get(feature, 0) + int(facts.decided[place])
    asked = sorted(tested, key=lambda feature: (-tested[feature], facts.used.index(feature)))[:_FEATURES]
    numbers = tuple(place + 1 if place < len(rules) else None for place in taken)
    heads = tuple(None if (head := int(facts.heads[place])) < 0 else speaker.labels[head] for place in taken)
    return Leading(numbers, heads, records, records / facts.records, tuple(map(speaker.feature, asked)))


def measure_trust(facts: DecisionFacts, speaker: Speaker, learned: DecisionFacts | None) -> Trust | None:
    """Measure accuracy on these records or, without true labels, on the records held back; None if unknown.

    ``learned`` are the known training records.
    """
    tested = None if facts.model is None else facts.model.tested
    if facts.quality is None:
        if tested is None:
            return None
        right, guessed = (
            Share(count, tested.held_back) for count in (tested.right, round(tested.baseline * tested.held_back))
        )
        return Trust(right, speaker.labels[facts.labels.index(tested.usual)], guessed, "tested")
    total, usual = facts.records, facts.usual
    guess = facts.labels.index(usual) if usual in facts.labels else int(facts.frequency.argmax())
    of: TrustBasis = "learned" if learned is facts else "tested" if learned is not None else "given"
    guessed = Share(int(facts.frequency[guess]), total)
    return Trust(Share(facts.quality.right, total), speaker.labels[guess], guessed, of)
