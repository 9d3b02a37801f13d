"""Make a model card: the model, its data, its accuracy, subgroups, and limits.

The card is one value (`card_facts.ModelCard`). `card_rendering` writes it as Markdown, a template as HTML, and
``to_dict`` converts it for JSON. Figures are about records that the rules were not learned from; the card states if
there are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from unless import __version__
from unless.errors import ParameterError, UnknownNameError, suggest
from unless.evaluation.decision_costs import measure_costs
from unless.evaluation.drift_results import Watch, current_time
from unless.evaluation.metrics import Quality, holdout_quality
from unless.evaluation.shares import Share
from unless.evaluation.stability import Stability
from unless.evaluation.subgroups import Group, find_subgroups
from unless.evaluation.unseen_values import number_kind_text
from unless.explanation.rule_listing import rule_lines, rule_numbers
from unless.explanation.score_explanation import untested_text
from unless.explanation.sentences import words_for
from unless.explanation.words import DEFAULT, Words, printable
from unless.export.fingerprint import fingerprint
from unless.model import Model, model_of
from unless.model.rule_statistics import RuleStatistics
from unless.report.by_feature import effect_facts
from unless.report.card_facts import FeatureFact, ModelCard, QualityFacts, RuleFact
from unless.report.facts import DecisionFacts, expected_precision, gather_facts
from unless.score.score_decider import ScoreDecider
from unless.table import Column, Table
from unless.values import Label, amount_text, count_text, percent, share_text

__all__ = ["ModelCard", "model_card"]

_FEW = 30
"""A rule that decided fewer records held back is listed as hardly tested."""

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
    words: Words = DEFAULT,
) -> ModelCard:
    """Make the card of a model.

    Parameters
    ----------
    table
        Records, with or without true labels. If they are the model's own data, figures are about the records held back;
        other records are taken to be new.
    learner, parameters
        How the model was learned.
    data
        The name of the data.
    by
        Columns of the table; the card shows the accuracy and the decisions for each of their values.
    title, purpose, not_for
        The heading, the purpose of the model, and the uses it is not meant for.
    stability, watch
        Results of `unless.evaluation` to include.
    words
        The words for features and values.
    """
    if (known := model_of(model)) is None:
        raise ParameterError("a program contains only rules, without training figures; pass a model that fit wrote")
    model, program, trained = known, known.program, known.statistics
    words = words_for(program, tables=(model.domain,) if table is None else (model.domain, table), words=words)
    features = () if table is None else table.features
    if table is not None and (unknown := [name for name in by if name not in features]):
        raise UnknownNameError(f"no column {unknown[0]!r}{suggest(unknown[0], features)}")
    given = gather_facts(model, table, trained.classes) if table is not None and len(table) else None
    own = given is not None and given.own is not None  # other records do not describe the model's data
    tests = _measure_holdout(model) or (None if given is None else _measure_records(model, given, data))
    tested, origin, tuned = model.tested, model.origin, model.tuned
    rules = tuple(_list_rules(model, words, stability))
    counted = [text] if (text := untested_text(model.untested, words)) else []
    name = "the records held back" if tested is not None else data
    decides = f"{count_text(len(program), 'rule')}, {count_text(program.exception_count, 'exception')}"
    if not model.decider.by_rule:
        decides = f"{len(model.decider.lists)} lists that vote; the rules below are of one that imitates them"
    if isinstance(model.decider, ScoreDecider):
        share = percent(model.agreement or 0.0)
        decides = f"a {model.decider.noun}; the rules below give the same label for {share} of the training records"
    return ModelCard(
        title=printable(title) if title else f"Model card: {printable(program.target)}",
        purpose=purpose,
        not_for=not_for,
        target=printable(program.target),
        decides=decides,
        fingerprint=fingerprint(model.decider),
        version=__version__,
        written=current_time(),
        learner=learner,
        parameters={**(parameters or {}), **({} if tuned is None else {"tuned": tuned})},
        data=None if data is None or (origin is not None and not own) else printable(data),
        records=origin.records if origin is not None else None if table is None else len(table),
        trained=trained.total,
        weighted=trained.weighted,
        data_fingerprint=None if origin is None else origin.fingerprint,
        classes=tuple(zip(map(printable, map(str, trained.classes)), trained.prior.tolist(), strict=True)),
        columns=tuple(_list_features(model, words, table)),
        rules=rules,
        tests=tests,
        groups=() if given is None or not by else _find_groups(given.split()[0], by, words),
        limits=(*_find_limits(model, rules, tests, name, stability, watch), *counted),
        stability=stability,
        watch=watch,
        effects=None if given is None else effect_facts(model, given.table, words),
    )


# The quality of the model.


def _make_quality_facts(found: Quality, usual: Label, on: str, *, unseen: bool | None) -> QualityFacts:
    support = sum(one.support for one in found.classes if one.label == usual)
    accuracy, baseline = Share(found.right, found.records), Share(support, found.records)
    shares = [(Share(one.right, one.decided), Share(one.right, one.support)) for one in found.classes]
    names = (printable(str(one.label)) for one in found.classes)
    labels = tuple((name, *pair) for name, pair in zip(names, shares, strict=True))
    return QualityFacts(on, unseen, accuracy, printable(str(usual)), baseline, labels, found.undecided)


def _measure_holdout(model: Model) -> QualityFacts | None:
    """Measure the model on the records that were held back when it was learned."""
    if model.tested is None:
        return None
    by = model.tested.origin.split.by
    on = f"{count_text(model.tested.held_back, 'record')} held back{'' if by is None else f' ({by.text})'}"
    found = _make_quality_facts(holdout_quality(model.tested), model.tested.usual, on, unseen=True)
    return replace(found, costs=model.tested.costs)


_LEARNED = {True: "which the model was learned from", False: "with those that the model was learned from"}
"""The name of records if none were held back, by whether they are exactly the training records."""


def _measure_records(model: Model, given: DecisionFacts, name: str | None) -> QualityFacts | None:
    """Measure the model on given records: the records held back if they are its own data, else all records."""
    (shown, learned), called, unseen = given.split(), printable(name or "the data"), None
    if shown.quality is None:
        return None
    if given.own is not None:
        unseen = learned is not shown
        called = f"the records of {called} that were held back" if unseen else f"{called}, {_LEARNED[given.own.same]}"
    usual = model.statistics.classes[int(np.argmax(model.statistics.prior))]
    on = f"{count_text(shown.quality.records, 'record')} of {called}"
    found = _make_quality_facts(shown.quality, usual, on, unseen=unseen)
    return replace(found, costs=None if shown.table.target is None else measure_costs(model, shown.table))


def _find_groups(facts: DecisionFacts, by: Sequence[str], words: Words) -> tuple[Group, ...]:
    """Find the groups of the named columns."""
    columns = [facts.column(name) for name in dict.fromkeys(by)]
    found = find_subgroups(columns, facts.given, facts.truth, facts.labels, words=words)
    return tuple(chain.from_iterable(found.columns))


# Rules, features and values.


def _list_rules(model: Model, words: Words, stability: Stability | None) -> Iterator[RuleFact]:
    """Yield the rules and, last, the label of records that no rule decides."""
    program, trained = model.program, model.statistics
    tested = model.tested if model.decider.by_rule else None
    counts: RuleStatistics | None = None if tested is None else tested.statistics
    returns = {} if stability is None else {one.rule: one.returns for one in stability.rules}
    for place, head in enumerate(program.heads):
        if head is None or (place == len(program.rules) and not trained.support[place]):
            continue
        rule = program.rules[place] if place < len(program.rules) else None
        yield RuleFact(
            None if rule is None else place + 1,
            printable(str(head)),
            "otherwise" if rule is None else " ".join(line.text for line in rule_lines(rule, words)),
            float(trained.support[place]),
            float(trained.right[place]),
            None if counts is None else Share(round(counts.right[place]), round(counts.support[place])),
            expected_precision(trained, place),
            returns.get(place),
        )


def _list_features(model: Model, words: Words, table: Table | None) -> Iterator[FeatureFact]:
    """Yield a fact about every feature of training."""
    known = {column.name: column for column in model.domain.columns}
    gaps = model.missing_counts or {}
    used = set(model.decider.used)
    for name, kind in model.schema.kinds.items():
        seen, missing, total = known.get(name), gaps.get(name), model.statistics.total
        if missing is None and table is not None and name in table.features:
            missing, total = float(table.column(name).counts()[-1]), float(len(table))
        notation = model.schema.notations.get(name)
        called = number_kind_text(notation) if kind == "number" else _KINDS[kind]
        called += " and special codes" if name in model.schema.special else ""
        values = "" if seen is None else _describe_values(seen, words)
        yield FeatureFact(words.name(name), called, missing, total, values, name in used)


def _describe_values(column: Column, words: Words) -> str:
    """Describe the range and the categories of a column in training."""
    ends = [words.value(column.name, column.value(code)) for code in range(len(column.numbers))]
    shown = [words.value(column.name, text) for text in column.categories[:_NAMED]]
    more = len(column.categories) - len(shown)
    parts = [" to ".join(dict.fromkeys(ends))] if ends else []
    return ", ".join([*parts, *shown, *([f"{more:,} more"] if more else [])])


# The limits of the model.


def _find_limits(
    model: Model,
    rules: Sequence[RuleFact],
    tests: QualityFacts | None,
    data: str | None,
    stability: Stability | None,
    watch: Watch | None,
) -> Iterator[str]:
    if tests is None:
        why = "No records were held back" if model.relations is None else "Models of several tables forget their test"
        yield f"{why}, so how good the model is on new records is not known."
    elif tests.unseen is False:
        yield "The figures are of records that the model was learned from: they overstate how good it is on new ones."
    elif tests.unseen is None:
        learned = "If the model was learned from these records, they overstate how good it is on new ones."
        yield f"The figures are of {printable(data or 'the data')}. {learned}"
    if locked := [place + 1 for place in model.locked]:
        were = "was locked: it comes" if len(locked) == 1 else "were locked: they come"
        yield f"{_name_rules(locked)} {were} from people or an earlier model, and not from these records."
    if model.statistics.weighted:
        yield "Training was weighted: its figures are sums of weights, not numbers of records."
    yield from _name_hardly_tested(rules)
    if tests is not None and tests.baseline.total and tests.accuracy.interval[0] <= tests.baseline.value:
        yield f"The accuracy is not clearly better than {tests.always} ({share_text(tests.baseline.value)})."
    if model.domain.columns:
        outside = "Values outside the ranges and categories under Data were never seen in training"
        yield f"{outside}; decisions there are guesses."
    if stability is not None:
        yield from _name_unstable(stability)
    if watch is not None:
        yield f"Watched on {amount_text(watch.records)} newer records: {watch.headline}."
        yield from (f"Moved: {watch.sentence(check)}." for check in watch.moved)


def _name_hardly_tested(rules: Sequence[RuleFact]) -> Iterator[str]:
    tested = any(rule.tested is not None for rule in rules)
    numbered = [(rule.number, rule.tested.total if rule.tested else rule.decided) for rule in rules if rule.number]
    if few := [number for number, records in numbered if records < _FEW]:
        where = "of those held back" if tested else "in training"
        right = "it is" if len(few) == 1 else "they are"
        yield f"{_name_rules(few)} decided fewer than {_FEW} records {where}: how often {right} right is uncertain."


def _name_unstable(stability: Stability) -> Iterator[str]:
    yield f"Learned again from bootstraps, in {stability.headline}."
    if weak := [one.rule + 1 for one in stability.unstable()]:
        yield f"{_name_rules(weak)} came back in less than half of the refits."


def _name_rules(numbers: Sequence[int]) -> str:
    """Name rules at the start of a sentence."""
    return rule_numbers(numbers, _NAMED).capitalize()
