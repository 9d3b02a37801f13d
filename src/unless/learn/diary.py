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
Grown = tuple[Rule, Rows, Rows]
"""A rule, and the positives and negatives that it covers."""

Left = Sequence[Sequence[float]]
"""How much of each label was left before each rule and after the last."""


class Diary(Protocol):
    """Where learners note their steps; an engine may have one."""

    def page(self, learner: str, settings: Mapping[str, Any]) -> Page:
        """The page of a learner with these settings, for all rows of the engine."""


@dataclass
class Page:
    """The steps of one learner: the rule that was learned in each of them, or None where there was none."""

    steps: dict[int, Rule | None] = field(default_factory=dict)
    finished: tuple[Program, Left, float | None] | None = None
    """The program that the learner ended with, if it is known, and the penalty that it measured, if it did."""
    _next: int = 0

    def rule(
        self,
        engine: Engine[Rows],
        label: int,
        positive: Rows,
        negative: Rows,
        learn: Callable[[Rows, Rows], Grown[Rows] | None],
    ) -> Grown[Rows] | None:
        """The rule that was learned in this step before; or else a new one, which is noted."""
        learned: list[Grown[Rows] | None] = []

        def anew() -> Rule | None:
            learned.append(found := learn(positive, negative))
            return None if found is None else found[0]

        rule = self.step(engine.labels[label], anew)
        if learned or rule is None:
            return learned[0] if learned else None
        return rule, engine.satisfying(positive, rule), engine.satisfying(negative, rule)

    def step(self, head: Label, learn: Callable[[], Rule | None]) -> Rule | None:
        """The same, without the rows: the rule that this step gave before, or else what it gives now."""
        step, self._next = self._next, self._next + 1
        if step in self.steps:
            known = self.steps[step]
            if known is None or (type(known.head), known.head) == (type(head), head):
                return None if known is None else Rule(None, known.default, known.exceptions)
        rule = learn()
        self.note(step, None if rule is None else Rule(head, rule.default, rule.exceptions))
        return rule

    def note(self, step: int, rule: Rule | None) -> None:
        """Note what was learned in a step."""
        self.steps[step] = rule

    def finish(self, program: Program, left: Left, penalty: float | None) -> None:
        """Note the program that the learner ended with."""
        self.finished = program, left, penalty


def page_of(engine: Engine[Any], learner: str, **settings: Any) -> Page:
    """The page of a learner in the diary of its engine; an empty one that nobody keeps, if there is none."""
    return Page() if engine.diary is None else engine.diary.page(learner, settings)
