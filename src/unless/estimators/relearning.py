"""Learning again: from folds, for the trade-off of accuracy and length, and from bootstraps, to see what comes back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from unless.errors import ParameterError, ProgramError, suggest
from unless.estimators.learners import LEARNERS, Learner, UnlessLearner, learn
from unless.estimators.training_data import TrainingData
from unless.evaluation.stability import Refit, Stability, bootstraps, refit_on_sample
from unless.evaluation.tradeoff import Progress, TradeOff, compute_trade_off
from unless.evaluation.validation import split_folds
from unless.learn.weights import Weights
from unless.model import Model
from unless.model.prediction import Decider
from unless.rule import Program
from unless.table import Table
from unless.table.record_hashes import record_hashes


def program_of(learner: Learner, table: Table) -> Decider:
    """Learn what decides from a table with labels: a program, or a committee; Ctrl-C gives none."""
    return learn(learner, table).complete_model.decider


def trade_off_of(learner: Learner, pairs: Sequence[tuple[Table, Table]], progress: Progress | None = None) -> TradeOff:
    """Accuracy against the number of rules, for tables to learn from and to test on; without tuning and teacher."""
    if not isinstance(learner, UnlessLearner):
        raise ParameterError("the trade-off is for UnlessClassifier, whose lists are the best of their length")
    plainly = replace(learner, tune=False, teacher=None)

    def list_for(train: Table, settings: Mapping[str, float]) -> Program:
        given: dict[str, Any] = {name: int(value) if name == "max_rules" else value for name, value in settings.items()}
        return learn(replace(plainly, **given), train).complete_model.program

    strictness = learner._settings().strictness  # noqa: SLF001 - of this module
    return compute_trade_off(pairs, list_for, strictness, progress)


def hash_folds(table: Table, count: int = 5) -> list[tuple[Table, Table]]:
    """Pairs of tables to learn from and to test on, by a hash of the record; fewer if few records differ."""
    pairs = list(split_folds(table, (record_hashes(table.columns, len(table)) % np.uint64(count)).astype(np.int64)))
    if len(pairs) < 2:
        raise ParameterError("the records are too much alike to learn from some and test on others")
    return pairs


def learner_of(model: Model) -> Learner:
    """The learner that a model comes from, for tables: columns have their kinds."""
    kinds = {kind._classifier: kind for kind in LEARNERS.values()}  # noqa: SLF001 - of this module
    if model.learner not in kinds:
        raise ProgramError(f"statistics.learner: no learner {model.learner!r}{suggest(model.learner, kinds)}")
    kind = kinds[model.learner]
    known = {one.name for one in fields(kind)} - {"numeric", "categorical", "dates", "orders", "parts", "verbose"}
    return kind(**{name: value for name, value in model.parameters.items() if name in known})


def relearn(
    learner: Learner, table: Table, counts: Weights, keep: Program | None = None, lock: Sequence[int] = ()
) -> Decider:
    """Learn what decides from records that count so often, around rules that are locked; Ctrl-C gives none."""
    data = TrainingData.of(table, learner.class_weight, counts)
    if keep is not None and lock:  # a label that a sample lacks has no rules in it
        known = [place for place in lock if keep.rules[place].head in data.labels.labels]
        data = replace(data, keep=keep, lock=known) if known else data
    return learner._learn(data).complete_model.decider  # noqa: SLF001 - as in `learn`


def stability_of(
    learner: Learner,
    decides: Decider,
    table: Table,
    weights: Weights | None = None,
    *,
    n: int = 50,
    seed: int = 0,
    n_jobs: int | None = None,
    lock: Sequence[int] = (),
) -> Stability:
    """How stable rules are that a learner has found in a table, over ``n`` refits, by several processes if asked to.

    ``lock`` has the indices of rules that were locked: they stay, and the rest is learned again around them.
    """
    keep = decides if isinstance(decides, Program) else None
    found = list(refits_by(learner, table, weights, n=n, seed=seed, n_jobs=n_jobs, keep=keep, lock=lock))
    return Stability.of(decides, table, found, weights, lock)


def refits_by(
    learner: Learner,
    table: Table,
    weights: Weights | None = None,
    *,
    n: int = 50,
    seed: int = 0,
    n_jobs: int | None = None,
    keep: Program | None = None,
    lock: Sequence[int] = (),
) -> Iterator[Refit]:
    """Learn again from ``n`` bootstraps, one after another; several processes share the work, with the same result."""
    plain_learner = replace(learner, numeric=None, categorical=None, dates=None, orders=None, verbose=False, n_jobs=1)
    again = partial(relearn, plain_learner, keep=keep, lock=lock)
    samples = (one if weights is None else one * weights for one in bootstraps(table, n, seed))
    if n_jobs in (None, 1):
        yield from (refit_on_sample(again, table, one) for one in samples)
        return
    from joblib import Parallel, delayed  # scikit-learn has it; its processes need no "if __name__ == '__main__'"

    each = (delayed(refit_on_sample)(again, table, one) for one in samples)
    yield from Parallel(n_jobs=n_jobs, return_as="generator")(each)
