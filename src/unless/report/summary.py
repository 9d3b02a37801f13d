"""Collect the contents of a page as values, which `render` converts to HTML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from unless.errors import ParameterError
from unless.evaluation.drift_results import Watch
from unless.evaluation.metrics import ClassQuality, Quality
from unless.evaluation.periods import PeriodResult
from unless.evaluation.shares import Share
from unless.evaluation.stability import Stability
from unless.evaluation.tradeoff import TradeOff
from unless.explanation.decision_reasons import Reasons
from unless.explanation.effects_view import EffectsView
from unless.explanation.score_explanation import untested_text
from unless.explanation.sentences import words_for
from unless.explanation.words import DEFAULT, Words, printable
from unless.model import HoldoutResult, Model
from unless.report import sections
from unless.report.by_feature import describe_effects
from unless.report.curves import Curves, compute_curves
from unless.report.decision_costs import describe_costs, without_costs
from unless.report.facts import DecisionFacts, gather_facts
from unless.report.headline import Leading, Trust, find_leading_rules, measure_trust
from unless.report.page_data import page_data, shown_columns
from unless.report.reasons_view import ReasonsView, with_reason_column
from unless.report.rule_sentences import LabelName, Speaker, Text
from unless.report.subgroup_views import GroupsView, describe_groups
from unless.report.weak_spots import WeakSpots, find_weak_spots
from unless.rule import Program
from unless.table import Table


@dataclass(frozen=True, slots=True)
class RecordsView:
    """The records in the page: all records, or a random sample drawn with this seed."""

    shown: int
    total: int
    seed: int

    @property
    def sampled(self) -> bool:
        """Whether the page has only some of the records."""
        return self.shown < self.total


@dataclass(frozen=True, slots=True)
class CommitteeView:
    """The committee that decides: its size, its agreement with the page's list, and the accuracy of each.

    The shares refer to the records of the figures; without true labels, only the agreement is known.
    """

    lists: int
    rules: int
    agreed: Share
    right: Share | None
    list_right: Share | None

    @classmethod
    def of(cls, facts: DecisionFacts) -> CommitteeView | None:
        """Compare the committee with the list; return None if a list decides."""
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

    All figures are about ``facts``: all given records or, if these are the model's own data, the records that it was
    not learned from; then ``learned`` are the other records (``same``: exactly the training records). ``errors`` and
    ``classes`` are None or empty if the records have no true labels. For a committee, ``rules`` are the rules of the
    list that imitates it, compared with its decisions; all other fields are about the committee.
    """

    title: str
    purpose: str
    """The purpose of the page, in the words of its author."""
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
    """The accuracy and the decisions for each value of any column."""
    unlisted: int
    """The number of columns that are left out of the page."""
    baseline: Trust | None
    """The same as ``trust`` if the most frequent label in training is known, to compare the quality with."""
    committee: CommitteeView | None
    """The committee, if a committee decides and the rules of the page only imitate it."""
    leading: Leading | None
    """The rules that decide most records; None if a committee decides."""
    trust: Trust | None
    """The accuracy compared with guessing; None without true labels."""
    curves: Curves | None
    """ROC, precision-recall and calibration curves, if there are two labels."""
    tested: HoldoutResult | None
    """The test on records held back when the model was learned."""
    trade_off: TradeOff | None
    """The accuracy for each number of rules, if the model contains it."""
    periods: tuple[PeriodResult, ...]
    """The tests on one period after the other, if the model contains them."""
    locked: tuple[int, ...]
    """The numbers of rules that were locked when the other rules were learned."""
    watch: Watch | None
    """What has changed since training, if requested."""
    stability: Stability | None
    """The stability of the rules, if requested."""
    effects: Callable[[], EffectsView | None]
    """Describes what each feature does, when it is called; None without points."""
    reasons: ReasonsView | None = None
    """How often each reason was given, if requested."""
    untested: str = ""
    """A sentence about features that probabilities count although no rule tests them."""
    decides: str = ""
    """What decides instead of the rules or votes of the page, and what its decisions cost, if points or costs do."""

    @property
    def quality(self) -> Quality | None:
        """The decisions compared with the true labels; None if the records have none."""
        return self.facts.quality

    @property
    def unseen_only(self) -> bool:
        """Whether the figures are only about the records that the rules were not learned from."""
        return self.learned is not None and self.learned is not self.facts

    @property
    def trained_only(self) -> bool:
        """Whether the rules were learned from all records that are given."""
        return self.learned is not None and self.learned is self.facts


def summarise(  # noqa: PLR0913 - one parameter for each choice of the caller
    model: Program | Model,
    table: Table,
    *,
    title: str | None = None,
    sample: int = 2000,
    seed: int = 0,
    words: Words | None = None,
    watch: Watch | None = None,
    stability: Stability | None = None,
    reasons: Reasons | None = None,
) -> Page:
    """Collect the report on a program or a fitted model and a table of records, with or without true labels."""
    _check_whole_number("sample", sample, 1)
    _check_whole_number("seed", seed, 0)
    reason_column = ""
    if reasons is not None:
        table, reason_column = with_reason_column(table, reasons)
    given, model = model, without_costs(model)
    everything = gather_facts(model, table)
    (facts, learned), known = everything.split(), everything.model
    spoken = words or DEFAULT
    words = words_for(facts.program, facts.decider.all_rules, tables=(everything.domain, table), words=spoken)
    speaker = Speaker(facts.labels, words, often=everything.frequency.tolist())
    rows = sections.sample_rows(len(table), sample, seed)
    features, shuffling = sections.describe_features(facts, speaker, seed)
    target = speaker.text(printable(facts.program.target))
    others = shown_columns(everything)
    columns = [
        *map(facts.column, facts.used),
        *(facts.table.column(one.name) for one in others if one.name != reason_column),
    ]
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
        periods=() if known is None else known.periods,
        locked=() if known is None else tuple(place + 1 for place in known.locked),
        watch=watch,
        stability=stability,
        effects=partial(describe_effects, known, everything.table[rows], words),
        reasons=None if reasons is None else ReasonsView.of(reasons, reason_column, facts.labels, speaker),
        untested="" if known is None else untested_text(known.untested, words),
        decides="" if isinstance(given, Program) else describe_costs(given, facts),
    )


def _check_whole_number(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ParameterError(f"{name} is {value!r}; it must be a whole number of at least {least}")
