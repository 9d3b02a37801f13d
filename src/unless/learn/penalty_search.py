"""How significant literals must be, by measurement: less, where lists then know much more of unseen rows.

A test of significance keeps lists from learning noise. Where labels follow from the values without noise, but by many
small rules, it ends lists too early. No single number suits both kinds, and unseen rows tell them apart. What helps
lists learned rule by rule may harm optimised ones: so both are asked.
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
"""How many records there must be: of fewer, unseen ones tell too little."""

_EACH = 50
"""How many there must be for each label: of fewer, a list of less penalty learns hundreds of rules, and slowly."""

_WRONG = 0.05
"""A list that gets less than this share of its own records wrong has no more to learn."""

_PART, _SEEN, _UNSEEN = 1_000, 4, 2
"""Lists are tried on parts of at most about this many records: as many to learn from, and as many to test on."""

_AHEAD = 1.0
"""By how many standard deviations a short list of less penalty must be better for longer ones to be tried: one that is
learned rule by rule from one part and tested on another, a quarter of the work."""

_SIGMAS = ((False, 4.0), (True, 2.5))
"""By how many standard deviations a list of less penalty must be better: one learned rule by rule, one optimised."""

_LOWER = 0.25
"""The penalty that is tried."""


def search_penalty(
    engine: Engine[Rows], learned: LearnedProgram, learn: Callable[[Rows, float, bool], Program], usual: float
) -> float:
    """The penalty: the usual one, or a quarter if a list that was learned from all rows with that could know more.

    ``learn`` is given rows, a penalty, and whether to optimise. Lists that are learned rule by rule are tried first,
    which is quick and mostly shows that nothing is to gain; optimised ones, which are wanted, have the last word.
    """
    rows = engine.all_rows()
    if engine.size(rows) < max(FEWEST, _EACH * len(engine.labels)) or _error_weight(learned) < _WRONG * engine.size(
        rows
    ):
        return usual
    among = max(_SEEN + _UNSEEN, ceil(engine.size(rows) / _PART))
    parts = engine.folds(rows, _SEEN + _UNSEEN, among)

    def lead(seen: Rows, unseen: Rows, *, optimise: bool) -> float:
        """By how many standard deviations a list of less penalty is better on unseen rows."""
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
    """The weight of the rows that do not have the most frequent label of those that their rule decides."""
    decided = [[a - b for a, b in zip(*pair, strict=True)] for pair in pairwise(learned.left)]
    return sum(sum(counts) - max(counts) for counts in decided)
