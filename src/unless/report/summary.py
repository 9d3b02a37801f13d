"""A page as values, which `render` turns into HTML: what it shows, and the data for its scripts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.evaluation.drift_results import Watch
from unless.evaluation.metrics import ClassQuality, Quality
from unless.evaluation.stability import Stability
from unless.evaluation.tradeoff import TradeOff
from unless.evaluation.unseen_values import Unseen
from unless.explanation.sentences import rule_expectation_text, words_for
from unless.explanation.words import DEFAULT, Phrase, Words, printable
from unless.export.cell_sources import typed_form
from unless.model import HoldoutResult, Model, model_of
from unless.model.rule_statistics import wilson_interval
from unless.report import sections
from unless.report.curves import Curves, curves_of
from unless.report.facts import DecisionFacts, gather_facts
from unless.report.headline import Leading, Trust, leading_rules, trust, were_learned
from unless.report.page_data import kept_data, shown_columns
from unless.report.rule_sentences import LabelName, Speaker, Text
from unless.report.subgroup_views import NO_GROUPS, Groups, groups_of
from unless.report.weak_spots import Weak, weak_spots
from unless.rule import OPERATOR_WORDS, Literal, Program, Rule
from unless.score.committee import Committee
from unless.table import Column, Table
from unless.values import Label, Value, label_to_json, number_to_json, value_to_json
from unless.values.notation import DAY, Amounts, NotatedNumber, Notation


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

    The counts are of the records of the figures; without true labels, nobody knows what is right.
    """

    lists: int
    rules: int
    records: int
    agreed: int
    right: float | None
    list_right: float | None

    @property
    def agreement(self) -> float:
        """The share of records on which both agree."""
        return self.agreed / self.records

    @classmethod
    def of(cls, facts: DecisionFacts) -> CommitteeView | None:
        """Compare the committee with the list; None if a list decides."""
        if facts.committee is None:
            return None
        imitated = facts.imitation.given
        shares: tuple[float | None, float | None] = (None, None)
        if facts.truth is not None:
            shares = float(np.mean(facts.given == facts.truth)), float(np.mean(imitated == facts.truth))
        agreed = int(np.count_nonzero(facts.given == imitated))
        return cls(len(facts.committee), facts.committee.rule_count, len(facts.table), agreed, *shares)


@dataclass(frozen=True, slots=True)
class Baseline:
    """Always the label that is most frequent in training: for which share of the records of the figures it is right."""

    label: LabelName
    share: float

    @classmethod
    def of(cls, facts: DecisionFacts, usual: Label | None, speaker: Speaker) -> Baseline | None:
        """None if the records have no true labels, or nobody knows what is usual."""
        if facts.truth is None or usual is None or usual not in facts.labels:
            return None
        place = facts.labels.index(usual)
        return cls(speaker.labels[place], float(np.mean(facts.truth == place)))


@dataclass(frozen=True, slots=True)
class Page:
    """A report. ``quality``, ``errors`` and ``classes`` are None or empty if the records have no true labels.

    Of a committee, ``rules`` are those of the list that imitates it, compared with its decisions; all else is its own.
    All figures are about ``judged`` records: all that are given or, if these are the data that the model is from, those
    that it was not learned from; then ``learned`` is the quality on the others (``same``: these are just the records of
    training). ``tested`` is what the records held
    back showed when the model was made. ``baseline`` is what the quality has to be compared with. ``unseen`` are values
    that training did not have. If ``weighted``, the figures of training are sums of weights.
    """

    title: str
    target: Text
    labels: tuple[LabelName, ...]
    rules: tuple[sections.RuleView, ...]
    exceptions: int
    weighted: bool
    flow: tuple[sections.Step, ...]
    quality: Quality | None
    errors: sections.Errors | None
    classes: tuple[tuple[LabelName, ClassQuality], ...]
    features: tuple[sections.FeatureView, ...]
    feature_names: tuple[Text, ...]
    shuffling: sections.Shuffling
    weak: Weak
    unseen: tuple[Unseen, ...]
    records: RecordsView
    long_texts: tuple[str, ...]
    data: dict[str, Any]
    judged: int
    learned: Quality | None = None
    same: bool = True
    baseline: Baseline | None = None
    tested: HoldoutResult | None = None
    trade_off: TradeOff | None = None
    """Accuracy against the number of rules, if the model has it."""
    committee: CommitteeView | None = None
    """The committee, if one decides and the rules of the page only imitate it."""
    watch: Watch | None = None
    """What has moved since training, if that was asked for."""
    stability: Stability | None = None
    """What comes back when the rules are learned again, if that was asked for."""
    leading: Leading | None = None
    """What decides most records; None if a committee decides them all."""
    trust: Trust | None = None
    """How good that is compared with guessing; None without true labels."""
    groups: Groups = NO_GROUPS
    """How often the rules are right, and what they decide, by the values of any column."""
    curves: Curves | None = None
    """How well probabilities tell two labels apart, where there are two."""
    purpose: str = ""
    """What the page is for, in the words of its maker."""
    unlisted: int = 0
    """How many columns of the records are not in the page."""
    locked: tuple[int, ...] = ()
    """The numbers of rules that were locked when the others were learned."""

    @property
    def unseen_only(self) -> bool:
        """Whether the figures are about records that the rules were not learned from, while there are others."""
        return self.learned is not None and self.learned is not self.quality

    @property
    def trained_only(self) -> bool:
        """Whether the rules were learned from all records that are given."""
        return self.learned is not None and self.learned is self.quality

    @property
    def between(self) -> tuple[float, float] | None:
        """The 95 % interval of the accuracy."""
        return None if self.quality is None else wilson_interval(self.quality.right, self.quality.records)

    @property
    def numbered(self) -> int:
        """The number of rules."""
        return sum(rule.number is not None for rule in self.rules)


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
    """The report on a program or a fitted model and a table of records, with or without true labels, as values."""
    _check("sample", sample, 1)
    _check("seed", seed, 0)
    everything, known = gather_facts(model, table), model_of(model)
    facts, learned = _parts(everything)
    tested = None if known is None else known.tested
    spoken = words or DEFAULT
    words = words_for(*everything.programs, tables=(everything.domain, table), words=spoken)
    speaker = Speaker(facts.labels, words, often=everything.frequency.tolist())
    rows = sections.sampled(len(table), sample, seed)
    features, shuffling = sections.feature_views(facts, speaker, seed)
    target = speaker.text(printable(facts.program.target))
    others = shown_columns(everything)
    columns = [*map(facts.column, facts.used), *(facts.table.column(one.name) for one in others)]
    groups = groups_of(facts, speaker, words, columns)
    curves = curves_of(facts, speaker)
    committee = CommitteeView.of(facts)
    return Page(
        title=printable(title) if title else f"{'Rules' if committee is None else 'A committee'} for {target.shown}",
        target=target,
        labels=speaker.labels,
        rules=sections.rule_views(facts if committee is None else facts.imitation, speaker),
        exceptions=facts.program.exception_count,
        weighted=facts.trained is not None and facts.trained.weighted,
        flow=sections.flow(facts, speaker) if committee is None else (),
        quality=facts.quality,
        errors=None if facts.quality is None else sections.matrix(facts.quality, speaker),
        classes=() if facts.quality is None else sections.class_rows(facts.quality, speaker),
        features=features,
        feature_names=tuple(map(speaker.feature, facts.used)),
        shuffling=shuffling,
        weak=weak_spots(facts, speaker),
        unseen=facts.unseen,
        records=RecordsView(len(rows), len(table), seed),
        long_texts=speaker.long_texts,
        data=_data(everything, rows, words)
        | kept_data(everything, facts, rows, words, spoken=spoken, labels=speaker.labels, groups=groups, curves=curves),
        judged=len(facts.table),
        learned=None if learned is None else learned.quality,
        same=everything.own is None or everything.own.same,
        baseline=Baseline.of(facts, _usual(known), speaker),
        tested=tested,
        trade_off=None if known is None else known.trade_off,
        committee=committee,
        watch=watch,
        stability=stability,
        leading=leading_rules(facts, speaker) if committee is None else None,
        trust=trust(facts, speaker, tested, _usual(known), learned),
        groups=groups,
        curves=curves,
        purpose=words.purpose,
        unlisted=len(everything.others) - len(others),
        locked=() if known is None else tuple(place + 1 for place in known.locked),
    )


def _parts(facts: DecisionFacts) -> tuple[DecisionFacts, DecisionFacts | None]:
    """What the figures are about: records that the rules were not learned from, if there are any; and the others.

    None if they were learned from other records than these.
    """
    if facts.own is None:
        return facts, facts if were_learned(facts) else None
    held = facts.own.held_back
    if held.all():
        return facts, None
    return (facts.taking(held), facts.taking(~held)) if held.any() else (facts, facts)


def _usual(model: Model | None) -> Label | None:
    """The most frequent label of the records that a model was learned from; with weights, the heaviest."""
    if model is None:
        return None
    origin = model.origin
    return model.statistics.classes[int(np.argmax(model.statistics.prior))] if origin is None else origin.usual


def _check(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ParameterError(f"{name} is {value!r}; it takes a whole number from {least} on")


# The data for the scripts of a page.


def _data(facts: DecisionFacts, rows: NDArray[np.intp], words: Words) -> dict[str, Any]:
    """The data for the scripts, for JSON: the program, its features, and the records of some rows to start from."""
    program, trained = facts.program, facts.trained if facts.committee is None else None
    place = {feature: k for k, feature in enumerate(facts.used)}
    heads = facts.heads.tolist()
    columns = list(map(facts.column, facts.used))
    return {
        "target": program.target,
        "labels": [label_to_json(label) for label in facts.labels],
        "label_texts": [words.labels.get(label) or printable(str(label)) for label in facts.labels],
        "operators": OPERATOR_WORDS,
        "features": [_feature(facts, column, words) for column in columns],
        "rules": [[head, *_body(rule, place)] for head, rule in zip(heads, program.rules, strict=False)],
        "otherwise": None if heads[-1] < 0 else heads[-1],
        "figures": trained
        and [rule_expectation_text(trained, rule, labelled=head >= 0) for rule, head in enumerate(heads)],
        "card": _card(facts, place),
        "committee": facts.committee and committee_data(facts.committee, facts.labels, place),
        "records": {
            "total": len(facts.table),
            "shown": len(rows),
            "rows": list(map(facts.table.number, rows.tolist())),
            "truth": None if facts.truth is None else facts.truth[rows].tolist(),
            "held": None if facts.own is None else facts.own.held_back[rows].tolist(),
            "columns": [_cells(column, rows) for column in columns],
        },
    }


def _card(facts: DecisionFacts, place: dict[str, int]) -> dict[str, Any] | None:
    """The score card: the places of its classes among the labels, the points of every record and part, and its cuts."""
    card = facts.card
    if card is None or facts.committee is not None:
        return None
    classes = [facts.labels.index(label) for label in card.classes]
    cuts = _literals(card.cuts, place)
    return {"classes": classes, "base": card.base.tolist(), "points": card.points.tolist(), "cuts": cuts}


def committee_data(committee: Committee, labels: Sequence[Label], place: Mapping[str, int]) -> dict[str, Any]:
    """A committee: the places of its classes, each literal once, and for each list its rules and their points.

    A rule is the numbers of its literals, then its exceptions, which are such rules. The points are those of one rule
    after another.
    """
    numbers: dict[Literal, int] = {}
    lists = [[_numbered(rule, numbers) for rule in program.rules] for program in committee.lists]
    return {
        "classes": [labels.index(label) for label in committee.classes],
        "base": committee.base.tolist(),
        "literals": _literals(numbers, place),
        "lists": lists,
        "points": [points.reshape(-1).tolist() for points in committee.points],
    }


def _numbered(rule: Rule, numbers: dict[Literal, int]) -> list[Any]:
    """A rule as the numbers of its literals and, behind them, its exceptions; new literals get new numbers."""
    own: list[Any] = [numbers.setdefault(literal, len(numbers)) for literal in rule.default]
    return own + list(map(partial(_numbered, numbers=numbers), rule.exceptions))


def _feature(facts: DecisionFacts, column: Column, words: Words) -> dict[str, Any]:
    """A feature: what it was in training, and what the reader calls it."""
    known = facts.known(column.name)
    notation = facts.notations.get(column.name) or (None if known is None else known.notation)
    phrase = words.phrase(column.name)
    if isinstance(notation, Amounts) and phrase.number == Phrase().number:
        phrase = replace(phrase, number=notation.template)
    low, high = (None, None) if known is None or not len(known.numbers) else known.numbers[[0, -1]].tolist()
    return {
        "name": column.name,
        "kind": column.kind if known is None else known.kind,
        "low": low,
        "high": high,
        "step": _step(column.numbers, low, high, notation),
        "notation": None if notation is None else notation.data(),
        "form": typed_form(notation),
        "noted": column.name in facts.notations,
        "categories": [] if known is None else list(known.categories),
        "phrase": {**{part.name: getattr(phrase, part.name) for part in fields(phrase)}, "values": dict(phrase.values)},
        "grouped": column.name in words.grouped,
        "whole": column.name in words.whole,
    }


_TIMES = (float(DAY), DAY / 24, DAY / 1440, DAY / 86_400, 1000.0)
"""Days, hours, minutes, seconds and milliseconds, in microseconds."""


def _step(numbers: NDArray[np.float64], low: float | None, high: float | None, notation: Notation | None) -> float:
    """The step of a control: 1 if all numbers are whole, else a power of ten with 100 steps or more in the range.

    A range of a thousand whole numbers and more still has steps of 1: any of them may be meant. Times have steps of the
    largest unit that all of them are multiples of.
    """
    ends = [end for end in (low, high) if end is not None]
    finite = np.append(numbers[np.isfinite(numbers)], ends)
    if notation is not None and notation.name in ("datetime", "instant", "time", "duration"):
        return next((unit for unit in _TIMES if not (finite % unit).any()), 1.0)
    if (notation is not None and notation.step) or (finite == np.floor(finite)).all():
        return 1.0 if notation is None else notation.step or 1.0
    width = (high or 0.0) - (low or 0.0)
    if not 0 < width < math.inf:
        return 0.01
    return float(10.0 ** math.floor(math.log10(width / 100)))


def _body(rule: Rule, place: dict[str, int]) -> list[Any]:
    exceptions = map(partial(_body, place=place), rule.exceptions)  # one frame per level: 200 stay within the limit
    return [_literals(rule.default, place), list(exceptions)]


def _literals(literals: Iterable[Literal], place: Mapping[str, int]) -> list[list[Any]]:
    return [[place[literal.feature], literal.op, number_to_json(_number(literal.value))] for literal in literals]


def _cells(column: Column, rows: NDArray[np.intp]) -> dict[str, Any]:
    """The cells of some rows: the distinct values, and for each row the place of its value."""
    distinct, codes = np.unique(column.codes[rows], return_inverse=True)
    return {"values": [value_to_json(_number(column.value(int(code)))) for code in distinct], "codes": codes.tolist()}


def _number(value: Value) -> Value:
    """A value for the scripts, which know how the numbers of a feature are written."""
    return float(value) if isinstance(value, NotatedNumber) else value
