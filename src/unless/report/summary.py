"""Collect the contents of a page as values, which `render` turns into HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unless.errors import ParameterError
from unless.evaluation.drift_results import Watch
from unless.evaluation.metrics import ClassQuality, Quality
from unless.evaluation.shares import Share
from unless.evaluation.stability import Stability
from unless.evaluation.tradeoff import TradeOff
from unless.explanation.sentences import words_for
from unless.explanation.words import DEFAULT, Words, printable
from unless.model import HoldoutResult, Model
from unless.report import sections
from unless.report.curves import Curves, compute_curves
from unless.report.facts import DecisionFacts, gather_facts
from unless.report.headline import Leading, Trust, find_leading_rules, measure_trust
from unless.report.page_data import page_data, shown_columns
from unless.report.rule_sentences import LabelName, Speaker, Text
from unless.report.subgroup_views import GroupsView, describe_groups
from unless.report.weak_spots import WeakSpots, find_weak_spots
from unless.rule import Program
from unless.table import Table


@dataclass(frozen=True, slots=True)
class RecordsView:
    """The records in the page: all of them, or a sample drawn at random with this seed."""

    shown: int
    total: int
    seed: int

    @property
    def sampled(self) -> bool:
        """Whether the page has only some of the records."""
        return self.shown < self.total


@dataclass(frozen=True, slots=True)
class CommitteeView:
    """The committee that decides: its size, on how many records the list of the page agrees, how often each is right.

    The shares are of the records of the figures; without true labels, only the agreement is known.
    """

    lists: int
    rules: int
    agreed: Share
    right: Share | None
    list_right: Share | None

    @classmethod
    def of(cls, facts: DecisionFacts) -> CommitteeView | None:
        """Compare the committee with the list; None if a list decides."""
        if facts.decider.by_rule:
            return None
        imitated, given, truth = facts.imitation.given, facts.given, facts.truth
        pairs = [(given, imitated), *([] if truth is None else [(given, truth), (imitated, truth)])]
        agreed, *right = (Share(int(np.count_nonzero(one == other)), len(one)) for one, other in pairs)
        rules = facts.decider.all_rules
        return cls(len(facts.decider.lists), len(rules) + rules.exception_count, agreed, *(right or (None, None)))


@dataclass(frozen=True, slots=True)
class Page:
    """The contents of a page, and the data for its scripts.

    ``facts`` are what all figures are about: all records that are given or, if these are the data that the model is
    from, those that it was not learned from; then ``learned`` are the others (``same``: just the records of training).
    ``errors`` and ``classes`` are None or empty if the records have no true labels.
    Of a committee, ``rules`` are those of the list that imitates it, compared with its decisions; all else is its own.
    """

    title: str
    purpose: str
    """What the page is for, in the words of its maker."""
    target: Text
    labels: tuple[LabelName, ...]
    facts: DecisionFacts
    learned: DecisionFacts | None
    same: bool
    rules: tuple[sections.RuleView, ...]
    flow: tuple[sections.FlowStep, ...]
    errors: sections.ErrorsView | None
    classes: tuple[tuple[LabelName, ClassQuality], ...]
    features: tuple[sections.FeatureView, ...]
    feature_names: tuple[Text, ...]
    shuffling: sections.Shuffling
    weak: WeakSpots
    records: RecordsView
    long_texts: tuple[str, ...]
    data: dict[str, Any]
    groups: GroupsView
    """How often the rules are right, and what they decide, by the values of any column."""
    unlisted: int
    """How many columns of the records are not in the page."""
    baseline: Trust | None
    """The same as ``trust`` if the label that was most frequent in training is known, to compare the quality with."""
    committee: CommitteeView | None
    """The committee, if one decides and the rules of the page only imitate it."""
    leading: Leading | None
    """What decides most records; None if a committee decides them all."""
    trust: Trust | None
    """How good that is compared with guessing; None without true labels."""
    curves: Curves | None
    """ROC, precision and recall, and calibration, if there are two labels."""
    tested: HoldoutResult | None
    """What the records held back showed when the model was made."""
    trade_off: TradeOff | None
    """Accuracy against the number of rules, if the model has it."""
    locked: tuple[int, ...]
    """The numbers of rules that were locked when the others were learned."""
    watch: Watch | None
    """What has changed since training, if requested."""
    stability: Stability | None
    """The stability of the rules, if requested."""

    @property
    def quality(self) -> Quality | None:
        """The decisions compared with the true labels; None if the records have none."""
        return self.facts.quality

    @property
    def unseen_only(self) -> bool:
        """Whether the figures are about records that the rules were not learned from, while there are others."""
        return self.learned is not None and self.learned is not self.facts

    @property
    def trained_only(self) -> bool:
        """Whether the rules were learned from all records that are given."""
        return self.learned is not None and self.learned is self.facts


def summarise(
    model: Program | Model,
    table: Table,
    *,
    title: str | None = None,
    sample: int = 2000,
    seed: int = 0,
    words: Words | None = None,
    watch: Watch | None = None,
    stability: Stability | None = None,
) -> Page:
    """Collect the report on a program or a fitted model and a table of records, with or without true labels."""
    _check_whole_number("sample", sample, 1)
    _check_whole_number("seed", seed, 0)
    everything = gather_facts(model, table)
    (facts, learned), known = everything.split(), everything.model
    spoken = words or DEFAULT
    words = words_for(facts.program, facts.decider.all_rules, tables=(everything.domain, table), words=spoken)
    speaker = Speaker(facts.labels, words, often=everything.frequency.tolist())
    rows = sections.sample_rows(len(table), sample, seed)
    features, shuffling = sections.describe_features(facts, speaker, seed)
    target = speaker.text(printable(facts.program.target))
    others = shown_columns(everything)
    columns = [*map(facts.column, facts.used), *(facts.table.column(one.name) for one in others)]
    groups, curves = describe_groups(facts, speaker, words, columns), compute_curves(facts, speaker)
    alone, trust = facts.decider.by_rule, measure_trust(facts, speaker, learned)
    return Page(
        title=printable(title) if title else f"{'Rules' if alone else 'A committee'} for {target.shown}",
        purpose=words.purpose,
        target=target,
        labels=speaker.labels,
        facts=facts,
        learned=learned,
        same=everything.own is None or everything.own.same,
        rules=sections.describe_rules(facts if alone else facts.imitation, speaker),
        flow=sections.trace_flow(facts, speaker) if alone else (),
        errors=None if facts.quality is None else sections.find_errors(facts.quality, speaker),
        classes=() if facts.quality is None else sections.list_classes(facts.quality, speaker),
        features=features,
        feature_names=tuple(map(speaker.feature, facts.used)),
        shuffling=shuffling,
        weak=find_weak_spots(facts, speaker),
        records=RecordsView(len(rows), len(table), seed),
        long_texts=speaker.long_texts,
        data=page_data(
            everything, facts, rows, words, spoken=spoken, labels=speaker.labels, groups=groups, curves=curves
        ),
        groups=groups,
        unlisted=len(everything.others) - len(others),
        baseline=None if trust is None or facts.quality is None or facts.usual not in facts.labels else trust,
        committee=CommitteeView.of(facts),
        leading=find_leading_rules(facts, speaker) if alone else None,
        trust=trust,
        curves=curves,
        tested=None if known is None else known.tested,
        trade_off=None if known is None else known.trade_off,
        locked=() if known is None else tuple(place + 1 for place in known.locked),
        watch=watch,
        stability=stability,
    )


def _check_whole_number(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ParameterError(f"{name} is {value!r}; it takes a whole number from {least} on")
