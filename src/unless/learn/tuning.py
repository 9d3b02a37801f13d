"""Choose settings by inner cross-validation, with folds by a hash of the record that ignore the order of rows."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TypeVar

from unless.learn.chance_test import correctly_decided_rows
from unless.learn.engine import Engine, StopLearning
from unless.learn.fold import Progress
from unless.learn.unless_learner import UnlessLearner, UnlessSettings

Rows = TypeVar("Rows")

_FOLDS = 5

_TRIED = ((0.75, 0.5, 2), (1.0, 0.75, 2), (0.75, 1.5, 3), (0.5, 1.0, 3), (0.75, 0.25, 1))
"""Ratio, penalty and support of the settings that are tried in addition to the given settings."""

_SIGMAS = 1.0
"""The standard deviations by which settings must be better than the given ones."""


def tune_settings(engine: Engine[Rows], settings: UnlessSettings, progress: Progress | None = None) -> UnlessSettings:
    """Choose the best settings by cross-validation; keep the given settings if no others are clearly better.

    Raise any interruption.
    """
    others = [replace(settings, ratio=r, penalty=p, min_support=s) for r, p, s in _TRIED]
    tried = [settings, *(one for one in others if one != settings)]
    won, lost = [0.0] * len(tried), [0.0] * len(tried)
    rows = engine.all_rows()
    for number, fold in enumerate(engine.folds(rows, _FOLDS)):
        seen = engine.minus(rows, fold)
        if not engine.size(seen):
            continue
        rights = []
        for k, one in enumerate(tried):
            done = number * len(tried) + k
            if progress and progress(_FOLDS * len(tried) - done, done):
                raise StopLearning
            rights.append(correctly_decided_rows(engine, fold, UnlessLearner(engine, one).learn_program(seen)))
            won[k] += engine.size(engine.minus(rights[k], rights[0]))
            lost[k] += engine.size(engine.minus(rights[0], rights[k]))
    gains = [a - b if a - b > _SIGMAS * sqrt(a + b) else 0.0 for a, b in zip(won, lost, strict=True)]
    return tried[gains.index(max(gains))]
