"""Learn from logic programs about connected things: search for features, among which a learner chooses."""

from __future__ import annotations

from typing import Literal as OneOf
from typing import get_args

import numpy as np

from unless.errors import ParameterError, suggest
from unless.evaluation.validation import draw_holdout
from unless.learn.fold import fold_rm, fold_rpp
from unless.learn.unless_learner import fold_unless
from unless.logic.hypothesis import Trial
from unless.logic.relational_hypothesis import RelationalHypothesis, names_of
from unless.logic.relational_task import Task
from unless.relational import FeatureSet, RelationalProgram, SearchSettings, find_features
from unless.rule import Program
from unless.table import Labels, Table
from unless.values import Label

Algorithm = OneOf["fold_rm", "fold_rpp", "fold_unless"]

_SHARE = 0.2
_ENOUGH = 20
"""The minimum number of examples for a default held-out share."""


def learn_task(
    task: Task,
    ratio: float = 0.5,
    *,
    algorithm: Algorithm | None = None,
    positive: Label | None = None,
    depth: int = 2,
    test: float | None = None,
    seed: int = 0,
) -> RelationalHypothesis:
    """Learn rules that predict the labels of the individuals of a task."""
    if depth < 0:
        raise ParameterError(f"depth must be at least 0, not {depth!r}")
    labels = Labels.of(task.target, task.labels)
    share = test if test is not None else _SHARE if len(task.labels) >= _ENOUGH else 0.0
    held = draw_holdout(labels, share, seed)
    learned, others = np.flatnonzero(~held), np.flatnonzero(held)
    world = task.world.of(learned)
    own = Labels.of(task.target, [task.labels[row] for row in learned.tolist()])

    def learn(table: Table) -> Program:
        return _learned(table, ratio, algorithm or "fold_unless", positive)

    found = find_features(world, own, learn, SearchSettings(depth=depth))
    used = FeatureSet(found.features.definitions, found.features.root).only(found.program.used)
    decider = RelationalProgram(_with_used(found.program), used)
    trial = None
    if len(others):
        usual = own.labels[int(np.argmax(np.bincount(own.codes)))]
        rest = task.world.of(others)
        decided = decider.predict(rest).tolist()
        truth = tuple(task.labels[row] for row in others.tolist())
        trial = Trial(tuple(map(",".join, names_of(rest))), truth, tuple(decided), usual)
    return RelationalHypothesis(
        decider, task.types, world, tuple(task.labels[row] for row in learned.tolist()), trial, found.left_out,
        found.searched,
    )  # fmt: skip


def _with_used(program: Program) -> Program:
    """Return the program over the features that it tests."""
    return Program(program.target, program.used, program.rules, program.otherwise)


def _learned(table: Table, ratio: float, algorithm: str, positive: Label | None) -> Program:
    match algorithm:
        case "fold_rm":
            return fold_rm(table, ratio)
        case "fold_rpp":
            if positive is None:
                raise ParameterError("fold_rpp learns rules for one label; set positive=…")
            return fold_rpp(table, positive, ratio)
        case "fold_unless":
            return fold_unless(table, ratio)
    raise ParameterError(f"no algorithm {algorithm!r}{suggest(str(algorithm), get_args(Algorithm))}")
