"""Checkpoints: the recorded steps of learners, from which an interrupted learner continues.

A recorded step is replayed: the rows that its rule covers are removed as when it was learned. All other steps are
learned as usual, so that the program is the same as without interruption.
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
"""The weight of each label left before each rule and after the last one."""


class CheckpointStore(Protocol):
    """Stores the steps of learners; an engine may have a store."""

    def open(self, learner: str, settings: Mapping[str, Any]) -> Checkpoint:
        """Open the checkpoint of a learner with these settings, for all rows of the engine."""


@dataclass
class Checkpoint:
    """The steps of one learner: the rule learned in each step, or None for a step without a rule."""

    steps: dict[int, Rule | None] = field(default_factory=dict)
    final_list: tuple[Program, WeightsLeft, float | None] | None = None
    """The final program, if known, and the penalty that the learner chose, if it did."""
    _next: int = 0

    def resume_or_learn_rule(
        self,
        engine: Engine[Rows],
        label: int,
        positive: Rows,
        negative: Rows,
        learn: Callable[[Rows, Rows], GrownRule[Rows] | None],
    ) -> GrownRule[Rows] | None:
        """Return the recorded rule of this step, or learn and record a new one."""
        learned: list[GrownRule[Rows] | None] = []

        def anew() -> Rule | None:
            learned.append(found := learn(positive, negative))
            return None if found is None else found[0]

        rule = self.resume_or_learn_step(engine.labels[label], anew)
        if learned or rule is None:
            return learned[0] if learned else None
        return rule, engine.covered_by_rule(positive, rule), engine.covered_by_rule(negative, rule)

    def resume_or_learn_step(self, head: Label, learn: Callable[[], Rule | None]) -> Rule | None:
        """Return the recorded rule of this step, or learn and record a new one, without its rows."""
        step, self._next = self._next, self._next + 1
        if step in self.steps:
            known = self.steps[step]
            if known is None or (type(known.head), known.head) == (type(head), head):
                return None if known is None else Rule(None, known.default, known.exceptions)
        rule = learn()
        self.save_step(step, head, rule)
        return rule

    def save_step(self, step: int, head: Label, rule: Rule | None) -> None:
        """Record the rule of a step; this class stores nothing."""

    def save_result(self, program: Program, left: WeightsLeft, penalty: float | None) -> None:
        """Record the final program."""
        self.final_list = program, left, penalty


def open_checkpoint(engine: Engine[Any], learner: str, **settings: Any) -> Checkpoint:
    """Open the checkpoint of a learner in the engine's store, or a temporary one if the engine has no store."""
    return Checkpoint() if engine.checkpoints is None else engine.checkpoints.open(learner, settings)
