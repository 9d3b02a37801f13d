"""Test a whole list: a list that could be chance must predict rows that it was not learned from.

Every literal is better than the expected best of as many random literals, but some of 5,000 random columns look good
nonetheless. A stronger test of every literal would reduce the accuracy on small data; this test runs once per list.
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
"""A list is in doubt if its information is less than this share of what as many random literals might have."""

_TELLING, _WORSE = 2.5, 1.0
"""The standard deviations by which a list in doubt must be right more often than chance, and by which it may be right
less often than the most frequent label.

A list that finds the records at risk is useful even if it is hardly more often right than a label that most records
have; therefore it need not beat that label.
"""


def needs_validation(learned: LearnedProgram, chance: float) -> bool:
    """Return whether the rules tell too little about the labels: random literals may tell ``2 chance`` each."""
    literals = sum(1 for rule in learned.program for _ in rule.literals())
    left = np.array(learned.left)
    decided = left[:-1] - left[1:]
    gain = sum(map(nlogn, decided.flat)) - sum(map(nlogn, decided.sum(axis=1)))
    gain += nlogn(float(left[0].sum())) - sum(map(nlogn, left[0]))
    return literals > 0 and gain < _DOUBTFUL * literals * chance


def beats_chance_on_holdout(engine: Engine[Rows], rows: Rows, learn: Callable[[Rows], Program]) -> bool:
    """Return whether lists learned from four fifths of the rows predict the other fifth better than chance.

    The test stops as soon as the evidence suffices even if the remaining rows added none.
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
    """Return the expected number of rows that get their label if labels are permuted at random, and the variance."""
    rows = sum(there)
    if rows <= 1:
        return rows, 0.0
    pairs = [one * other for one, other in zip(said, there, strict=True)]
    apart = sum(pair * (rows - one) * (rows - other) for pair, one, other in zip(pairs, said, there, strict=True))
    together = sum(pairs) ** 2 - sum(pair * pair for pair in pairs)
    return sum(pairs) / rows, (apart + together) / (rows * rows * (rows - 1))


def correctly_decided_rows(engine: Engine[Rows], rows: Rows, program: Program) -> Rows:
    """Return the rows that a list labels correctly."""
    right = engine.minus(rows, rows)
    for label, some in _decided_rows_by_label(engine, rows, program):
        right = engine.plus(right, engine.of_label(some, label))
    return right


def _decided_rows_by_label(engine: Engine[Rows], rows: Rows, program: Program) -> Iterator[tuple[int, Rows]]:
    """Yield the index of each rule's label, and the rows that the rule decides."""
    place: dict[Label | None, int] = {label: k for k, label in enumerate(engine.labels)}
    for rule in program.rules:
        covered = engine.covered_by_rule(rows, rule)
        yield place[rule.head], covered
        rows = engine.minus(rows, covered)
