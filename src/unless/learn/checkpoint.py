"""Diaries: what learners noted, so that one that was interrupted goes on where it was.

A step that is noted is replayed: the rows that its rule covers are taken away as when it was learned. All other steps
are taken as ever, so that the program is the one that a learner without interruption gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from unless.learn.engine import Engine
from unless.rule import Program, Rule
from unless.values import Label

Rows = TypeVar("Rows")
GrownRule = tuple[Rule, Rows, Rows]
"""A rule, and the positives and negatives that it covers."""

WeightsLeft = Sequence[Sequence[float]]
"""How much of each label was left before each rule and after the last."""


class CheckpointStore(Protocol):
    """Where learners note their steps; an engine may have one."""

    def open(self, learner: str, settings: Mapping[str, Any]) -> Checkpoint:
        """The page of a learner with these settings, for all rows of the engine."""


@dataclass
class Checkpoint:
    """The steps of one learner: the rule that was learned in each of them, or None where there was none."""

    steps: dict[int, Rule | None] = field(default_factory=dict)
    final_list: tuple[Program, WeightsLeft, float | None] | None = None
    """The program that the learner ended with, if it is known, and the penalty that it measured, if it did."""
    _next: int = 0

    def resume_or_learn_rule(
        self,
        engine: Engine[Rows],
        label: int,
        positive: Rows,
        negative: Rows,
        learn: Callable[[Rows, Rows], GrownRule[Rows] | None],
    ) -> GrownRule[Rows] | None:
        """The rule that was learned in this step before; or else a new one, which is noted."""
        learned: list[GrownRule[Rows] | None] = []

        def anew() -> Rule | None:
            learned.append(found := learn(positive, negative))
            return None if found is None else found[0]

        rule = self.resume_or_learn_step(engine.labels[label], anew)
        if learned or rule is None:
            return learned[0] if learned else None
        return rule, engine.covered_by_rule(positive, rule), engine.covered_by_rule(negative, rule)

    def resume_or_learn_step(self, head: Label, learn: Callable[[], Rule | None]) -> Rule | None:
        """The same, without the rows: the rule that this step gave before, or else what it gives now."""
        step, self._next = self._next, self._next + 1
        if step in self.steps:
            known = self.steps[step]
            if known is None or (type(known.head), known.head) == (type(head), head):
                return None if known is None else Rule(None, known.default, known.exceptions)
        rule = learn()
        self.save_step(step, head, rule)
        return rule

    def save_step(self, step: int, head: Label, rule: Rule | None) -> None:
        """Note what was learned in a step; in memory nobody comes back to it."""

    def save_result(self, program: Program, left: WeightsLeft, penalty: float | None) -> None:
        """Note the program that the learner ended with."""
        self.final_list = program, left, penalty


def open_checkpoint(engine: Engine[Any], learner: str, **settings: Any) -> Checkpoint:
    """The checkpoint of a learner in its engine; an empty one that nobody keeps, if there is no other."""
    return Checkpoint() if engine.checkpoints is None else engine.checkpoints.open(learner, settings)
