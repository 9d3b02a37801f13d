"""Find rules to drop: on new records, the rules after them are expected to be right more often.

In training, every rule of an optimised list is right more often than the rules after it would be. On new records, a
rule learned from few records is expected to be right less often (`RuleStatistics.expected_precision`). Its records then
have other labels more often, which later rules may give them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

import numpy as np

from unless.learn.engine import Engine
from unless.learn.fold import LearnedProgram
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Program

Rows = TypeVar("Rows")

_CLEARLY = 0.8
"""A rule stays if its expected precision is at least this multiple of that of the rules after it.

At 1, lists for few records lose useful rules; at 0.8, the mean accuracy did not fall, neither on the tables used for
the choice (`benchmarks.precision`) nor in folds of smaller tables.
"""


def promising(engine: Engine[Rows], learned: LearnedProgram, locked: Collection[int] = ()) -> list[int]:
    """Return the indices of rules that do not promise clearly less than later rules, and of locked rules.

    The last rule, which covers all other records, is not included.
    """
    rules, trained = learned.program.rules, _statistics(engine, learned)
    doubtful = doubtful_rules(learned.program, trained, {*locked, len(rules) - 1})
    if not doubtful:
        return list(range(len(rules) - 1))
    everything = engine.all_rows()
    left, decided = everything, list[Rows]()
    for rule in rules:
        decided.append(engine.covered_by_rule(left, rule))
        left = engine.minus(left, decided[-1])
    reach, right, kept = engine.minus(everything, everything), engine.minus(everything, everything), list[int]()
    for k in reversed(range(len(rules))):
        label, dropped = engine.labels.index(rules[k].head), False
        if k in doubtful:
            theirs = _both(engine, decided[k], right)
            same = engine.size(engine.of_label(theirs, label))
            usual = engine.size(_both(engine, reach, right)) / max(engine.size(reach), 1e-9)
            dropped = promises_less(trained, k, same, engine.size(theirs) - same, usual)
        if not dropped:
            kept.append(k)
            covered = engine.covered_by_rule(everything, rules[k])
            right = engine.plus(engine.minus(right, covered), engine.of_label(covered, label))
        reach = engine.plus(reach, decided[k])
    return kept[:0:-1]


def doubtful_rules(program: Program, trained: RuleStatistics, locked: Collection[int] = ()) -> set[int]:
    """Return the indices of the rules that may promise less than the rules after them, and are not locked.

    The rules after a rule could be right more often if it is mostly wrong, or if one of them has its label; no rules
    are expected to be right always.
    """
    expected, later, found = trained.expected_precision.tolist(), {program.otherwise}, set[int]()
    for k, rule in reversed(list(enumerate(program.rules))):
        if k not in locked and expected[k] < _CLEARLY and (expected[k] < 0.5 or rule.head in later):
            found.add(k)
        later.add(rule.head)
    return found


def promises_less(trained: RuleStatistics, place: int, same: float, others: float, usual: float) -> bool:
    """Return whether a rule is expected to be right clearly less often on its records than the rules after it.

    In training they get some right that have the rule's label, and some that have ``others``, and the ``usual``
    share of their own records. On new records they get the same shares right of those that have the label and of those
    that have not. One record more, like their own, counts where the rule was never wrong.
    """
    expected, without = float(trained.expected_precision[place]), float(trained.without_rule[place])
    right = float(trained.right[place])
    wrong = float(trained.support[place]) - right
    one_more = min(usual / max(1 - without, 1e-9), 1.0)
    after = expected * same / max(right, 1e-9) + (1 - expected) * (others + one_more) / (wrong + 1)
    return expected < _CLEARLY * after


def _statistics(engine: Engine[Rows], learned: LearnedProgram) -> RuleStatistics:
    """Count what the rules decide in training."""
    left = np.array(learned.left, dtype=np.float64)
    return RuleStatistics.of(learned.program, tuple(engine.labels), np.vstack([left[:-1] - left[1:], left[-1:]]))


def _both(engine: Engine[Rows], some: Rows, others: Rows) -> Rows:
    return engine.minus(some, engine.minus(some, others))
