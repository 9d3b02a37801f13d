"""A last look at the whole list: a list that could be chance must tell something about rows it has not seen.

Every literal is better than the best of as many random ones would be on average, but of 5,000 random columns some look
good nonetheless. A stronger test of every literal would cost small data accuracy; this one looks at the list once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import TypeVar

import numpy as np

from unless.learn.engine import Engine
from unless.learn.fold import LearnedProgram
from unless.learn.literals import nlogn
from unless.rule import Program
from unless.values import Label

Rows = TypeVar("Rows")

_FOLDS = 5

_DOUBTFUL = 0.8
"""A list is in doubt that tells less than this share of what as many random literals might."""

_TELLING, _WORSE = 2.5, 1.0
"""By how many standard deviations a list in doubt must be right more often than chance, and may be right less often
than the most frequent label.

To be right more often than that label is too much to ask where most records have it: a list may know who is at risk,
and be right hardly more often.
"""


def needs_validation(learned: LearnedProgram, chance: float) -> bool:
    """Whether the rules tell too little about the labels: random literals might tell ``2 chance`` each."""
    literals = sum(1 for rule in learned.program for _ in rule.literals())
    left = np.array(learned.left)
    decided = left[:-1] - left[1:]
    gain = sum(map(nlogn, decided.flat)) - sum(map(nlogn, decided.sum(axis=1)))
    gain += nlogn(float(left[0].sum())) - sum(map(nlogn, left[0]))
    return literals > 0 and gain < _DOUBTFUL * literals * chance


def beats_chance_on_holdout(engine: Engine[Rows], rows: Rows, learn: Callable[[Rows], Program]) -> bool:
    """Whether lists learned from four fifths of the rows know something about the labels of the other fifth.

    The search stops as soon as what they know would be enough if all other rows showed nothing.
    """
    won = lost = gained = variance = tried = 0.0
    for fold in engine.folds(rows, _FOLDS):
        seen = engine.minus(rows, fold)
        popularity = engine.label_weights(seen)
        if not any(popularity):
            continue
        guessed = engine.of_label(fold, popularity.index(max(popularity)))
        program = learn(seen)
        right = correctly_decided_rows(engine, fold, program)
        won += engine.size(engine.minus(right, guessed))
        lost += engine.size(engine.minus(guessed, right))
        said = [0.0] * len(popularity)
        for label, some in _decided_rows_by_label(engine, fold, program):
            said[label] += engine.size(some)
        expected, spread = _expected_by_chance(said, engine.label_weights(fold))
        gained += engine.size(right) - expected
        variance += spread
        tried += engine.size(fold)
        enough = _TELLING * sqrt(variance * engine.size(rows) / tried) if tried else 0.0
        if gained > enough and won - lost >= -_WORSE * sqrt(won + lost):
            return True
    return False


def _expected_by_chance(said: Sequence[float], there: Sequence[float]) -> tuple[float, float]:
    """How many rows get their label if the same labels are given out at random, and the variance."""
    rows = sum(there)
    if rows <= 1:
        return rows, 0.0
    pairs = [one * other for one, other in zip(said, there, strict=True)]
    apart = sum(pair * (rows - one) * (rows - other) for pair, one, other in zip(pairs, said, there, strict=True))
    together = sum(pairs) ** 2 - sum(pair * pair for pair in pairs)
    return sum(pairs) / rows, (apart + together) / (rows * rows * (rows - 1))


def correctly_decided_rows(engine: Engine[Rows], rows: Rows, program: Program) -> Rows:
    """The rows to which a list gives their label."""
    right = engine.minus(rows, rows)
    for label, some in _decided_rows_by_label(engine, rows, program):
        right = engine.plus(right, engine.of_label(some, label))
    return right


def _decided_rows_by_label(engine: Engine[Rows], rows: Rows, program: Program) -> Iterator[tuple[int, Rows]]:
    """The place of each rule's label, and the rows that the rule decides."""
    place: dict[Label | None, int] = {label: k for k, label in enumerate(engine.labels)}
    for rule in program.rules:
        covered = engine.covered_by_rule(rows, rule)
        yield place[rule.head], covered
        rows = engine.minus(rows, covered)
