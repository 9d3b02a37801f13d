"""A page as values, which `render` turns into HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unless.errors import ParameterError
from unless.explanation.sentences import compared
from unless.explanation.words import DEFAULT, Words, printable
from unless.judge.labels import ClassQuality, Quality
from unless.judge.unseen import Unseen
from unless.model import Model
from unless.report.data import page_data
from unless.report.facts import Facts, gather
from unless.report.features import FeatureView, Shuffling, feature_views, sampled
from unless.report.sections import Errors, RuleView, Step, class_rows, flow, matrix, rule_views
from unless.report.sentences import LabelName, Speaker, Text
from unless.report.weak import Weak, weak_spots
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
class Page:
    """A report. ``quality``, ``errors`` and ``classes`` are None or empty if the records have no true labels.

    ``unseen`` are values that training did not have. If ``weighted``, the figures of training are sums of weights.
    """

    title: str
    target: Text
    labels: tuple[LabelName, ...]
    rules: tuple[RuleView, ...]
    exceptions: int
    weighted: bool
    flow: tuple[Step, ...]
    quality: Quality | None
    errors: Errors | None
    classes: tuple[tuple[LabelName, ClassQuality], ...]
    features: tuple[FeatureView, ...]
    feature_names: tuple[Text, ...]
    shuffling: Shuffling
    weak: Weak
    unseen: tuple[Unseen, ...]
    records: RecordsView
    long_texts: tuple[str, ...]
    data: dict[str, Any]

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
) -> Page:
    """The report on a program or a fitted model and a table of records, with or without true labels, as values."""
    _check("sample", sample, 1)
    _check("seed", seed, 0)
    facts = gather(model, table)
    words = _fitting(words or DEFAULT, facts)
    speaker = Speaker(facts.labels, words)
    rows = sampled(len(table), sample, seed)
    features, shuffling = feature_views(facts, speaker, seed)
    target = speaker.text(printable(facts.program.target))
    return Page(
        title=printable(title) if title else f"Rules for {target.shown}",
        target=target,
        labels=speaker.labels,
        rules=rule_views(facts, speaker),
        exceptions=facts.program.exception_count,
        weighted=facts.trained is not None and facts.trained.weighted,
        flow=flow(facts, speaker),
        quality=facts.quality,
        errors=None if facts.quality is None else matrix(facts.quality, speaker),
        classes=() if facts.quality is None else class_rows(facts.quality, speaker),
        features=features,
        feature_names=tuple(map(speaker.feature, facts.used)),
        shuffling=shuffling,
        weak=weak_spots(facts, speaker),
        unseen=facts.unseen,
        records=RecordsView(len(rows), len(table), seed),
        long_texts=speaker.long_texts,
        data=page_data(facts, rows, words),
    )


def _fitting(words: Words, facts: Facts) -> Words:
    """The words for a page, on which all numbers of a feature are spelled alike: in rules, ranges and records."""
    columns = [column for table in (facts.domain, facts.table) for column in table.columns]
    ends = [(column.name, end) for column in columns for end in (*column.numbers[:1], *column.numbers[-1:])]
    return words.fitting(compared(facts.program) + ends)


def _check(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ParameterError(f"{name} is {value!r}; it takes a whole number from {least} on")
