"""Evaluate learners on records with tables of parts, and read such records for a model."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unless.cli.training_data import TrainingTable
from unless.evaluation.metrics import evaluate_decider
from unless.evaluation.validation import BASELINE, Run, majority_program, rule_count
from unless.table import Table

if TYPE_CHECKING:
    from unless.estimators.learners import Learner
    from unless.relational import Relations


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
