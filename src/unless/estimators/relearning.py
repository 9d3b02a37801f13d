"""Learn again: from folds to measure the trade-off of accuracy and length, and from bootstraps to measure stability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from unless.errors import ParameterError, ProgramError, suggest
from unless.estimators.learners import DECLARED, LEARNERS, Learner, UnlessLearner, learn
from unless.estimators.training_data import TrainingData
from unless.evaluation.stability import Refit, Stability, bootstraps, refit_on_sample
from unless.evaluation.tradeoff import Progress, TradeOff, compute_trade_off
from unless.evaluation.validation import split_folds
from unless.learn.weights import Weights
from unless.model import Model
from unless.model.prediction import Decider
from unless.rule import Program
from unless.table import Table


def program_of(learner: Learner, table: Table) -> Decider:
    """Learn a program or a committee from a table with labels; Ctrl-C discards it."""
    return learn(learner, table).complete_model.decider


def trade_off_of(learner: Learner, pairs: Sequence[tuple[Table, Table]], progress: Progress | None = None) -> TradeOff:
    """Measure accuracy by number of rules on pairs of training and test tables, without tuning and teacher."""
    if not isinstance(learner, UnlessLearner):
        raise ParameterError("the trade-off needs UnlessClassifier, which finds the best list of each length")
    plainly = replace(learner, tune=False, teacher=None)

    def list_for(train: Table, settings: Mapping[str, float]) -> Program:
        given: dict[str, Any] = {name: int(value) if name == "max_rules" else value for name, value in settings.items()}
        return learn(replace(plainly, **given), train).complete_model.program

    strictness = learner._settings().strictness  # noqa: SLF001 - of this module
    return compute_trade_off(pairs, list_for, strictness, progress)


def hash_folds(table: Table, count: int = 5) -> list[tuple[Table, Table]]:
    """Split a table into pairs of training and test tables by hash of the record, or by group; fewer if few differ."""
    pairs = list(split_folds(table, (table.fold_numbers() % np.uint64(count)).astype(np.int64)))
    if len(pairs) < 2:
        raise ParameterError("the records are too similar to learn from some of them and test on others")
    return pairs


def learner_of(model: Model) -> Learner:
    """Create the learner that a model was learned with, without declared columns: a table already has its kinds."""
    kinds = {kind._classifier: kind for kind in LEARNERS.values()}  # noqa: SLF001 - of this module
    if model.learner not in kinds:
        raise ProgramError(f"statistics.learner: no learner {model.learner!r}{suggest(model.learner, kinds)}")
    kind = kinds[model.learner]
    known = {one.name for one in fields(kind)} - {*DECLARED, "verbose"}
    return kind(**{name: value for name, value in model.parameters.items() if name in known})


def relearn(
    learner: Learner, table: Table, counts: Weights | None, keep: Program | None = None, lock: Sequence[int] = ()
) -> Decider:
    """Learn a decider from records with counts, around locked rules; Ctrl-C discards it."""
    data = TrainingData.of(table, learner.class_weight, counts)
    if keep is not None and lock:  # a sample may lack the label of a locked rule
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
    """Measure the stability of learned rules over ``n`` refits on bootstraps of a table, in ``n_jobs`` processes.

    ``lock`` contains the indices of locked rules: they stay, and the other rules are learned again around them.
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
    """Learn again from ``n`` bootstraps, in order; the result does not depend on the number of processes."""
    undeclared: dict[str, Any] = dict.fromkeys(DECLARED)
    plain_learner = replace(learner, **undeclared, verbose=False, n_jobs=1)
    again = partial(relearn, plain_learner, keep=keep, lock=lock)
    samples = (one if weights is None else one * weights for one in bootstraps(table, n, seed))
    if n_jobs in (None, 1):
        yield from (refit_on_sample(again, table, one) for one in samples)
        return
    from joblib import Parallel, delayed  # scikit-learn has it; its processes need no "if __name__ == '__main__'"

    each = (delayed(refit_on_sample)(again, table, one) for one in samples)
    yield from Parallel(n_jobs=n_jobs, return_as="generator")(each)
