"""Evaluate learners on records with tables of parts; watch such records, and describe a model of them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unless.cli.data_options import split_names
from unless.cli.related_tables import decider_of_relations
from unless.cli.training_data import TrainingTable
from unless.errors import ParameterError, UnknownNameError, suggest
from unless.evaluation.metrics import evaluate_decider
from unless.evaluation.significance import ALPHA
from unless.evaluation.validation import BASELINE, Run, majority_program, rule_count
from unless.explanation.words import DEFAULT, Phrase, Words
from unless.rule import Program, Rule
from unless.table import Table
from unless.values import count_text

if TYPE_CHECKING:
    from unless.cli.console import Screen
    from unless.cli.related_tables import RelationOptions
    from unless.estimators.learners import Learner
    from unless.evaluation.drift_results import Watch
    from unless.model import Model as FittedModel
    from unless.relational import RelationalProgram, Relations
    from unless.report.card import ModelCard


def training_keys(relations: Relations, split_by: Iterable[str], data: str) -> TrainingTable:
    """Return the keys of the records with their labels, and the columns of DATA by which records are split."""
    from unless.read.table import read_table

    table = read_table(relations.main.select(relations.key, relations.target), relations.target)
    table = replace(table, numbers=np.arange(1, len(table) + 1))  # selected records know their rows
    names = tuple(split_by)
    whole = read_table(data) if names else table
    return TrainingTable(table, (), beside={name: whole.column(name) for name in names})


def run_on_relations(
    relations: Relations, pairs: Iterable[tuple[Table, Table]], learners: Mapping[str, Learner]
) -> Iterator[Run]:
    """Search features and learn from the first records of each pair, and test on the second; the baseline first.

    The features are searched only in the records to learn from, by each learner for itself.
    """
    from unless.estimators.learners import learn
    from unless.estimators.relational_input import as_table, read_relations

    for fold, (train, test) in enumerate(pairs):
        known, unseen = (relations[_rows(one)] for one in (train, test))
        yield Run(BASELINE, fold, evaluate_decider(majority_program(train), test), 0, 0.0)
        for name, learner in learners.items():
            start = time.perf_counter()
            data, _ = read_relations(learner, known, None, None)
            data = replace(data, table=replace(data.table, groups=train.groups))
            model = learn(learner, data).complete_model
            seconds = time.perf_counter() - start
            tested = replace(as_table(model, unseen), target=test.labels)
            yield Run(name, fold, evaluate_decider(model.decider, tested), rule_count(model.decider), seconds)


def _rows(keys: Table) -> list[int]:
    """Return the rows of a table that was read from DATA, from 0."""
    return [keys.number(row) - 1 for row in range(len(keys))]


# The records of a model.

UNREMEMBERED = (
    "a model of several tables does not remember its records: if it was learned from some of these, they overstate how "
    "often it is right, and cannot show what has changed"
)


def _read_for_model(model: FittedModel, related: RelationOptions, data: str, target: str | None) -> Relations:
    """Read the tables for a model; the labels are optional unless their column is named."""
    name = decider_of_relations(model).features.root[0]
    if target is None:
        return related.read(data, model.program.target, name)
    return related.read_labelled(data, target, name)


def read_labelled_relations(
    screen: Screen,
    model: FittedModel,
    related: RelationOptions,
    data: str,
    target: str | None,
    by: Sequence[str] | None = None,
) -> tuple[Table, list[str]]:
    """Compute the features of a model for labelled records; also return the names of columns of DATA for subgroups.

    Records without labels are left out, unless no record has one.
    """
    from unless.estimators.relational_input import as_table
    from unless.read.table import read_table

    with screen.busy("reading the tables"):
        relations = _read_for_model(model, related, data, target)
        labels = None
        if relations.target is not None and (there := relations.main[relations.target].is_not_null().to_numpy()).any():
            if not there.all():
                without = f"{int((~there).sum()):,} of {count_text(len(there), 'record')} of {data}"
                screen.note(f"{without} have no label in {relations.target!r}; they are left out")
            relations = relations[there]
            labels = replace(relations.labelled().labels, name=model.program.target)
        table: Table = as_table(model, relations)
        beside = split_names(by, relations.main.columns)
        if wrong := next((name for name in beside if name not in relations.main.columns), None):
            raise UnknownNameError(f"{data}: no column {wrong!r}{suggest(wrong, relations.main.columns)} (--by)")
        more = read_table(relations.main.select(beside)[relations.rows.tolist()]).columns if beside else ()
        return replace(table, columns=(*table.columns, *more), target=labels), beside


def watch_relations(
    model: FittedModel,
    related: RelationOptions,
    data: str,
    labels: str | None = None,
    reference: str | None = None,
    *,
    alpha: float = ALPHA,
    least: float = 0.0,
) -> Watch:
    """Compute the features of a model for new records, with or without labels, and find what has changed."""
    from unless.estimators.relational_input import as_table
    from unless.evaluation.drift import watch
    from unless.evaluation.drift_counts import class_indices

    def read(source: str) -> tuple[Table, NDArray[np.intp] | None]:
        relations = _read_for_model(model, related, source, labels)
        cells = None if relations.target is None else tuple(relations.main[relations.target].to_list())
        return as_table(model, relations), None if cells is None else class_indices(cells, model.statistics.classes)

    earlier = None if reference is None else read(reference)
    seen = watch(model, *read(data), reference=earlier, alpha=alpha, least=least)
    return replace(seen, notes=(*seen.notes, UNREMEMBERED))


def read_beside_features(
    screen: Screen, model: FittedModel | Program, related: RelationOptions, data: str, target: str | None
) -> Table:
    """Compute the features of a model for labelled records, beside the other columns of DATA."""
    from unless.read.table import column_names

    if isinstance(model, Program):
        raise ParameterError("the file has only rules; take the model that fit wrote")
    labels = model.program.target if target is None else target
    beside = [name for name in column_names(data) if name != labels and "," not in name]
    return read_labelled_relations(screen, model, related, data, target, beside)[0]


def refuse_one_table(model: FittedModel | Program, data: str) -> None:
    """Reject DATA alone for a model of several tables."""
    if not isinstance(model, Program) and model.relations is not None:
        raise ParameterError(
            f"the model was learned from several tables, and {data} is one; add --key and --with, as in fit"
        )


# In words.


def words_of_relations(rules: RelationalProgram, chosen: Words = DEFAULT) -> Words:
    """Return the words for the features of a model of several tables, beside words that people chose."""
    from unless.relational.phrases import feature_phrase

    names = {name: feature_phrase(one) for name, one in rules.features.definitions.items()}
    facts = {name for name, one in rules.features.definitions.items() if one.how == "exists"}
    known = {name: Phrase(f"“{text}”" if name in facts else text) for name, text in names.items()}
    return replace(chosen, features={**known, **chosen.features})


def watch_in_words(seen: Watch, model: FittedModel) -> Watch:
    """Name the features of a watch in words, in its checks and its rules."""
    words = words_of_relations(decider_of_relations(model))

    def renamed(rule: Rule) -> Rule:
        tests = tuple(replace(one, feature=words.name(one.feature)) for one in rule.default)
        return replace(rule, default=tests, exceptions=tuple(map(renamed, rule.exceptions)))

    features = tuple(dict.fromkeys(map(words.name, seen.program.features)))
    return replace(
        seen,
        program=replace(seen.program, features=features, rules=tuple(map(renamed, seen.program.rules))),
        checks=tuple(replace(one, feature=one.feature and words.name(one.feature)) for one in seen.checks),
        unseen=tuple(replace(one, feature=words.name(one.feature)) for one in seen.unseen),
    )


def rules_in_words(model: FittedModel) -> list[str]:
    """Return the conditions of each rule in words, in order."""
    from unless.relational.rule_text import rule_phrase

    definitions = decider_of_relations(model).features.definitions
    return [f"if {rule_phrase(one, definitions)}" if one.default else "otherwise" for one in model.program.rules]


def card_in_words(card: ModelCard, model: FittedModel) -> ModelCard:
    """Put the rules of a card into words."""
    texts = rules_in_words(model)
    rules = (one if one.number is None else replace(one, text=texts[one.number - 1]) for one in card.rules)
    return replace(card, rules=tuple(rules))
