"""A model card: what a model is, what it was learned from, how good it is, for whom, and where its limits are.

One value (`card_facts.ModelCard`), which `card_rendering` writes as Markdown, a template as HTML, and ``to_dict``
gives for JSON. Figures are those of records that the rules were not learned from; where there are none, the card says
so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from unless import __version__
from unless.errors import ParameterError, UnknownNameError, suggest
from unless.evaluation.drift_results import Watch, now
from unless.evaluation.metrics import Quality, quality_of
from unless.evaluation.shares import Share
from unless.evaluation.stability import Stability
from unless.evaluation.subgroups import Group, groups_of
from unless.evaluation.unseen_values import numbers_called
from unless.explanation.rule_listing import rule_lines
from unless.explanation.sentences import words_for
from unless.explanation.words import Words, printable
from unless.export.fingerprint import fingerprint
from unless.model import Model, model_of
from unless.model.rule_statistics import RuleStatistics
from unless.report.card_facts import FeatureFact, ModelCard, QualityFacts, RuleFact
from unless.report.facts import DecisionFacts, expected_precision, gather_facts
from unless.table import Column, Table
from unless.values import Label, amount_text, count_text, share_text

__all__ = ["ModelCard", "model_card"]

_FEW = 30
"""A rule that decided fewer records held back is said to be hardly tested."""

_KINDS = {"text": "categories", "mixed": "numbers and text"}

_NAMED = 6  # rules that a sentence names


def model_card(  # noqa: PLR0913 - what people say about a model
    model: Model,
    table: Table | None = None,
    *,
    learner: str = "",
    parameters: Mapping[str, Any] | None = None,
    data: str | None = None,
    by: Sequence[str] = (),
    title: str | None = None,
    purpose: str | None = None,
    not_for: str | None = None,
    stability: Stability | None = None,
    watch: Watch | None = None,
) -> ModelCard:
    """The card of a model.

    Parameters
    ----------
    table
        Records, with or without true labels. If they are the data that the model is from, only those that were held
        back are judged; others are taken to be new.
    learner, parameters
        How the model was learned.
    data
        What the data is called.
    by
        Columns of the table: how good the model is, and what it decides, for each of their values.
    title, purpose, not_for
        What people have to say: the heading, what the model is for, and what it must not be used for.
    stability, watch
        What was found about these, if it should be on the card.
    """
    known = model_of(model)
    if known is None:
        raise ParameterError(
            "there are only rules here, not what is known about them; give a model that fit has written"
        )
    model = known
    committee, program, trained = model.committee, model.program, model.statistics
    words = words_for(program, tables=(model.domain,) if table is None else (model.domain, table))
    features = () if table is None else table.features
    if table is not None and (unknown := [name for name in by if name not in features]):
        raise UnknownNameError(f"no column {unknown[0]!r}{suggest(unknown[0], features)}")
    given = _GivenRecords.of(model, table, data) if table is not None and len(table) else None
    own = given is not None and given.unseen is not None  # other records than the model's say nothing of its data
    tests = _measure_holdout(model) or (None if given is None else given.measure(model))
    tested, origin, tuned = model.tested, model.origin, model.tuned
    rules = tuple(_list_rules(model, words, stability))
    name = "the records held back" if tested is not None else data
    lists = ""
    if committee is not None:
        lists = f"{len(committee)} lists that vote; the rules below are of one that imitates them"
    return ModelCard(
        title=printable(title) if title else f"Model card: {printable(program.target)}",
        purpose=purpose,
        not_for=not_for,
        target=printable(program.target),
        decides=lists or f"{count_text(len(program), 'rule')}, {count_text(program.exception_count, 'exception')}",
        fingerprint=fingerprint(model.decider),
        version=__version__,
        written=now(),
        learner=learner,
        parameters={**(parameters or {}), **({} if tuned is None else {"tuned": tuned})},
        data=None if data is None or (origin is not None and not own) else printable(data),
        records=origin.records if origin is not None else None if table is None else len(table),
        trained=trained.total,
        weighted=trained.weighted,
        data_fingerprint=None if origin is None else origin.fingerprint,
        classes=tuple(
            (printable(str(label)), float(share)) for label, share in zip(trained.classes, trained.prior, strict=True)
        ),
        columns=tuple(_list_features(model, words, table)),
        rules=rules,
        tests=tests,
        groups=() if given is None or not by else given.groups(by, words),
        limits=tuple(_find_limits(model, rules, tests, name, stability, watch)),
        stability=stability,
        watch=watch,
    )


# How good it is.


def _measure(found: Quality, usual: Label, on: str, *, unseen: bool | None) -> QualityFacts:
    support = {one.label: one.support for one in found.classes}
    labels = tuple(
        (printable(str(one.label)), Share(one.right, one.decided), Share(one.right, one.support))
        for one in found.classes
    )
    accuracy, baseline = Share(found.right, found.records), Share(support.get(usual, 0), found.records)
    return QualityFacts(on, unseen, accuracy, printable(str(usual)), baseline, labels, found.undecided)


def _measure_holdout(model: Model) -> QualityFacts | None:
    """Return how good the model is on the records that were held back when it was learned."""
    if model.tested is None:
        return None
    found = quality_of(model.tested)
    return _measure(found, model.tested.usual, f"{count_text(found.records, 'record')} held back", unseen=True)


_LEARNED = {True: "which the model was learned from", False: "with those that the model was learned from"}
"""What is said of records if none were held back: whether they are just those of training."""


@dataclass(frozen=True, slots=True)
class _GivenRecords:
    """The records of a table: those held back, if the table is the model's own data, else all.

    ``unseen`` says whether the model was learned from none of them; None if that is not known.
    """

    facts: DecisionFacts
    name: str
    unseen: bool | None

    @classmethod
    def of(cls, model: Model, table: Table, name: str | None) -> _GivenRecords:
        facts, called = gather_facts(model, table, model.statistics.classes), printable(name or "the data")
        if facts.own is None:
            return cls(facts, called, None)
        if facts.own.held_back.any():
            return cls(facts.select(facts.own.held_back), f"the records of {called} that were held back", unseen=True)
        return cls(facts, f"{called}, {_LEARNED[facts.own.same]}", unseen=False)

    def measure(self, model: Model) -> QualityFacts | None:
        """Return how good the model is here."""
        if self.facts.quality is None:
            return None
        usual = model.statistics.classes[int(np.argmax(model.statistics.prior))]
        on = f"{count_text(self.facts.quality.records, 'record')} of {self.name}"
        return _measure(self.facts.quality, usual, on, unseen=self.unseen)

    def groups(self, by: Sequence[str], words: Words) -> tuple[Group, ...]:
        """Return the groups of the named columns."""
        columns, facts = [self.facts.column(name) for name in dict.fromkeys(by)], self.facts
        found = groups_of(columns, facts.given, facts.truth, facts.labels, words=words)
        return tuple(chain.from_iterable(found.columns))


# What it is made of.


def _list_rules(model: Model, words: Words, stability: Stability | None) -> Iterator[RuleFact]:
    """The rules, and last, the label of records that no rule decides."""
    program, trained = model.program, model.statistics
    tested = None if model.committee is not None else model.tested
    counts: RuleStatistics | None = None if tested is None else tested.statistics
    returns = {} if stability is None else {one.rule: one.returns for one in stability.rules}
    for place, head in enumerate(program.heads):
        if head is None or (place == len(program.rules) and not trained.support[place]):
            continue
        lines = ["otherwise"]
        if place < len(program.rules):
            lines = [
                "  " * line.depth + " ".join([line.word, " and ".join(line.asks)]).rstrip()
                for line in rule_lines(program.rules[place], words)
            ]
        yield RuleFact(
            place + 1 if place < len(program.rules) else None,
            printable(str(head)),
            tuple(lines),
            float(trained.support[place]),
            float(trained.right[place]),
            None if counts is None else Share(round(counts.right[place]), round(counts.support[place])),
            expected_precision(trained, place),
            returns.get(place),
        )


def _list_features(model: Model, words: Words, table: Table | None) -> Iterator[FeatureFact]:
    """Every feature of training."""
    known = {column.name: column for column in model.domain.columns}
    gaps = model.missing_counts or {}
    used = set(model.program.used) if model.committee is None else set(known)
    for name, kind in model.schema.kinds.items():
        seen, missing, total = known.get(name), gaps.get(name), model.statistics.total
        if missing is None and table is not None and name in table.features:
            missing, total = float(table.column(name).counts()[-1]), float(len(table))
        notation = model.schema.notations.get(name)
        called = numbers_called(notation) if kind == "number" else _KINDS[kind]
        values = "" if seen is None else _describe_values(seen, words)
        yield FeatureFact(printable(name), called, missing, total, values, name in used)


def _describe_values(column: Column, words: Words) -> str:
    """The range and the categories that training had."""
    ends = [words.value(column.name, column.value(code)) for code in range(len(column.numbers))]
    shown = [words.value(column.name, text) for text in column.categories[:_NAMED]]
    more = len(column.categories) - len(shown)
    parts = [" to ".join(dict.fromkeys(ends))] if ends else []
    return ", ".join([*parts, *shown, *([f"{more:,} more"] if more else [])])


# Where its limits are.


def _find_limits(
    model: Model,
    rules: Sequence[RuleFact],
    tests: QualityFacts | None,
    data: str | None,
    stability: Stability | None,
    watch: Watch | None,
) -> Iterator[str]:
    if tests is None:
        yield "No records were held back, so how good the model is on new records is not known."
    elif tests.unseen is False:
        yield "The figures are of records that the model was learned from: they overstate how good it is on new ones."
    elif tests.unseen is None:
        yield (
            f"The figures are of {printable(data or 'the data')}. If the model was learned from these records, they "
            "overstate how good it is on new ones."
        )
    if locked := [str(place + 1) for place in model.locked]:
        were = "was locked: it comes" if len(locked) == 1 else "were locked: they come"
        yield f"{_name_rules(locked)} {were} from people or an earlier model, and not from these records."
    if model.statistics.weighted:
        yield "Training was weighted: its figures are sums of weights, not numbers of records."
    yield from _name_hardly_tested(rules)
    if tests is not None and tests.baseline.total and tests.accuracy.interval[0] <= tests.baseline.value:
        yield f"The accuracy is not surely better than {tests.always} ({share_text(tests.baseline.value)})."
    if model.domain.columns:
        yield (
            "Values outside the ranges and categories under Data were never seen in training; decisions there are "
            "guesses."
        )
    if stability is not None:
        yield from _name_unstable(stability)
    if watch is not None:
        yield f"Watched on {amount_text(watch.records)} newer records: {watch.headline}."
        yield from (f"Moved: {watch.sentence(check)}." for check in watch.moved)


def _name_hardly_tested(rules: Sequence[RuleFact]) -> Iterator[str]:
    tested = any(rule.tested is not None for rule in rules)
    few = [
        str(rule.number)
        for rule in rules
        if rule.number is not None and (rule.tested.total if rule.tested else rule.decided) < _FEW
    ]
    if few:
        where = "of those held back" if tested else "in training"
        right = "it is" if len(few) == 1 else "they are"
        yield f"{_name_rules(few)} decided fewer than {_FEW} records {where}: how often {right} right is uncertain."


def _name_unstable(stability: Stability) -> Iterator[str]:
    yield f"Learned again from bootstraps, in {stability.headline}."
    if weak := [str(one.rule + 1) for one in stability.unstable()]:
        yield f"{_name_rules(weak)} came back in less than half of the refits."


def _name_rules(numbers: Sequence[str]) -> str:
    """Rules by number: "Rule 3", "Rules 3, 4 and 7"."""
    if len(numbers) == 1:
        return f"Rule {numbers[0]}"
    shown = list(numbers) if len(numbers) <= _NAMED else [*numbers[:_NAMED], f"{len(numbers) - _NAMED:,} more"]
    return f"Rules {', '.join(shown[:-1])} and {shown[-1]}"
