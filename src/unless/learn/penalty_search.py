"""Choose the penalty by a trial: a lower penalty, if lists are then clearly better on unseen rows.

A test of significance keeps lists from learning noise. If labels follow from the values without noise, but by many
small rules, the test ends lists too early. No single penalty suits both kinds of data; unseen rows distinguish them.
A penalty that helps lists learned rule by rule may harm optimised lists, so both are tried.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from math import ceil, sqrt
from typing import TypeVar

from unless.learn.chance_test import correctly_decided_rows
from unless.learn.engine import Engine
from unless.learn.fold import LearnedProgram
from unless.rule import Program

Rows = TypeVar("Rows")

FEWEST = 2_000
"""The minimum number of records for a trial; fewer unseen records show too little."""

_EACH = 50
"""The least number of records per label: with fewer, a list of lower penalty slowly learns hundreds of rules."""

_WRONG = 0.05
"""A list with a lower training error than this has nothing left to learn."""

_PART, _SEEN, _UNSEEN = 1_000, 4, 2
"""The approximate maximum of records to learn from in a trial; as many again are for the test."""

_AHEAD = 1.0
"""By how many standard deviations a short list of less penalty must be better for longer ones to be tried: one that is
learned rule by rule from one part and tested on another, a quarter of the work."""

_SIGMAS = ((False, 4.0), (True, 2.5))
"""The standard deviations by which a list of lower penalty must be better: learned rule by rule, and optimised."""

_LOWER = 0.25
"""The penalty to try."""


def search_penalty(
    engine: Engine[Rows], learned: LearnedProgram, learn: Callable[[Rows, float, bool], Program], usual: float
) -> float:
    """Return the penalty: the usual one, or a quarter if a trial shows that this gives a clearly better list.

    ``learn`` is called with rows, a penalty, and whether to optimise. Lists learned rule by rule are tried first, which
    is fast and usually shows that there is nothing to gain; the trial of optimised lists decides.
    """
    rows = engine.all_rows()
    if engine.size(rows) < max(FEWEST, _EACH * len(engine.labels)) or _error_weight(learned) < _WRONG * engine.size(
        rows
    ):
        return usual
    among = max(_SEEN + _UNSEEN, ceil(engine.size(rows) / _PART))
    parts = engine.folds(rows, _SEEN + _UNSEEN, among)
    if not all(map(engine.size, parts)):  # there are few groups
        return usual

    def lead(seen: Rows, unseen: Rows, *, optimise: bool) -> float:
        """Return by how many standard deviations a list of lower penalty is better on unseen rows."""
        right, more = (
            correctly_decided_rows(engine, unseen, learn(seen, penalty, optimise)) for penalty in (usual, _LOWER)
        )
        won, lost = engine.size(engine.minus(more, right)), engine.size(engine.minus(right, more))
        return (won - lost) / sqrt(won + lost) if won + lost else 0.0

    if lead(parts[0], parts[_SEEN], optimise=False) <= _AHEAD:
        return usual
    seen, unseen = reduce(engine.plus, parts[:_SEEN]), reduce(engine.plus, parts[_SEEN:])
    ahead = all(lead(seen, unseen, optimise=optimise) > sigmas for optimise, sigmas in _SIGMAS)
    return _LOWER if ahead else usual


def _error_weight(learned: LearnedProgram) -> float:
    """Return the weight of the rows that do not have the most frequent label among the rows of their rule."""
    decided = [[a - b for a, b in zip(*pair, strict=True)] for pair in pairwise(learned.left)]
    return sum(sum(counts) - max(counts) for counts in decided)
