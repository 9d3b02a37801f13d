"""What a page says first: what decides most records, how good that is compared with guessing, where not to trust it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from unless.model import HoldoutResult
from unless.model.rule_statistics import wilson_interval
from unless.report.facts import DecisionFacts
from unless.report.rule_sentences import LabelName, Speaker, Text
from unless.values import Label

Which = Literal["tested", "learned", "given"]

_RULES = 4
"""The most rules that a sentence names."""

_FEATURES = 3
"""The most features that a sentence names."""


@dataclass(frozen=True, slots=True)
class Leading:
    """The rules that decide more than half of the records, busiest first, if they are few; else only the busiest.

    ``numbers`` has None for the records that no rule decides, ``labels`` what each decides. ``asks`` are the features
    that most of them test.
    """

    numbers: tuple[int | None, ...]
    labels: tuple[LabelName | None, ...]
    records: int
    share: float
    asks: tuple[Text, ...]

    @property
    def most(self) -> bool:
        """Whether they decide more than half of the records."""
        return self.share > 0.5


@dataclass(frozen=True, slots=True)
class Trust:
    """How many records are right, with the 95 % interval of the share, and how many the best constant guess gets.

    ``of`` says which records these are: those that were held back from learning ("tested"), those that the rules were
    learned from ("learned"), so that others will show less, or others ("given").
    """

    right: int
    total: int
    low: float
    high: float
    guess: LabelName
    guessed: int
    of: Which

    @property
    def share(self) -> float:
        """The share that is right."""
        return self.right / self.total

    @property
    def guess_share(self) -> float:
        """The share that the guess gets right."""
        return self.guessed / self.total

    @property
    def better(self) -> bool:
        """Whether it beats the guess by more than chance."""
        return self.low > self.guess_share


def leading_rules(facts: DecisionFacts, speaker: Speaker) -> Leading:
    """The rules that decide most records."""
    order = np.argsort(-facts.decided, kind="stable")
    sums = np.cumsum(facts.decided[order])
    enough = int(np.searchsorted(sums, len(facts.table) // 2, side="right")) + 1
    taken = order[: enough if enough <= _RULES else 1].tolist()
    rules, records = facts.program.rules, int(facts.decided[taken].sum())
    tested: dict[str, int] = {}
    for place in taken:
        for feature in {literal.feature for literal in rules[place].literals()} if place < len(rules) else ():
            tested[feature] = tested.get(feature, 0) + int(facts.decided[place])
    asks = sorted(tested, key=lambda feature: (-tested[feature], facts.used.index(feature)))[:_FEATURES]
    numbers = tuple(place + 1 if place < len(rules) else None for place in taken)
    heads = tuple(None if (head := int(facts.heads[place])) < 0 else speaker.labels[head] for place in taken)
    return Leading(numbers, heads, records, records / len(facts.table), tuple(map(speaker.feature, asks)))


def trust(
    facts: DecisionFacts,
    speaker: Speaker,
    tested: HoldoutResult | None,
    usual: Label | None,
    learned: DecisionFacts | None,
) -> Trust | None:
    """How good decisions are: on these records or, without true labels, on those held back; None if nobody knows.

    ``usual`` is the most frequent label of training, if known; ``learned`` are the records of training that are known.
    """
    if facts.quality is None:
        if tested is None:
            return None
        guessed = round(tested.baseline * tested.held_back)
        guess = facts.labels.index(tested.usual)
        return Trust(tested.right, tested.held_back, *tested.interval, speaker.labels[guess], guessed, "tested")
    right, total = facts.quality.right, facts.quality.records
    guess = facts.labels.index(usual) if usual in facts.labels else int(facts.frequency.argmax())
    of: Which = "learned" if learned is facts else "tested" if learned is not None else "given"
    return Trust(right, total, *wilson_interval(right, total), speaker.labels[guess], int(facts.frequency[guess]), of)


def were_learned(facts: DecisionFacts) -> bool:
    """Whether each rule decides what it decided in training, label by label: then these are the training records."""
    trained = facts.trained
    if trained is None or facts.truth is None or trained.weighted or len(facts.labels) != len(trained.classes):
        return False
    order = [facts.labels.index(label) for label in trained.classes]
    return bool(np.array_equal(facts.counts[:, order], trained.counts))
