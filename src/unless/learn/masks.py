"""The engine for lists that are changed a little again and again: sets of rows are masks, a bit for each row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from unless.kernels import Improver as Kernel
from unless.kernels import Mask, Selection
from unless.learn.engine import Demands, Engine
from unless.learn.improve import STEP, Improver
from unless.learn.literals import Allowed, Counts
from unless.learn.places import ANYWHERE, Place
from unless.rule import MAX_DEPTH, Literal, Rule

if TYPE_CHECKING:
    from unless.learn.memory import MemoryEngine


class MaskEngine(Engine[Mask]):
    """Answers as an engine for a table in memory does, about some of its rows."""

    def __init__(self, memory: MemoryEngine) -> None:
        self.memory = memory
        self.kernel = Kernel(memory.search, memory.rules, memory.go_on)
        self.target, self.features, self.labels = memory.target, memory.features, memory.labels
        self.columns, self.banned, self.whole = memory.columns, memory.banned, memory.whole
        self.unit = memory.unit

    def go_on(self) -> None:
        self.memory.go_on()

    def mask(self, rows: Selection) -> Mask:
        """The same rows."""
        return self.kernel.of_selection(rows)

    def everything(self) -> Mask:
        return self.mask(self.memory.everything())

    def size(self, rows: Mask) -> float:
        return rows.weight() if self.unit == 1 else rows.weight() * self.unit

    def popularity(self, rows: Mask) -> Sequence[float]:
        weights = self.kernel.popularity(rows, len(self.labels))
        return weights if self.unit == 1 else [weight * self.unit for weight in weights]

    def split(self, rows: Mask, label: int) -> tuple[Mask, Mask]:
        return self.kernel.of_label(rows, label), self.kernel.others(rows, label)

    def covered(self, rows: Mask, literal: Literal) -> Mask:
        return self.kernel.covered(rows, self.memory.test_of(literal))

    def minus(self, rows: Mask, gone: Mask) -> Mask:
        return self.kernel.minus(rows, gone)

    def plus(self, rows: Mask, more: Mask) -> Mask:
        return self.kernel.plus(rows, more)

    def of_label(self, rows: Mask, label: int) -> Mask:
        return self.kernel.of_label(rows, label)

    def stakes(self, rows: Mask, label: int, right: Mask) -> tuple[Mask, Mask]:
        return self.kernel.stakes(rows, label, right)

    def satisfying(self, rows: Mask, rule: Rule) -> Mask:
        return self.kernel.satisfying(rows, self.memory.tests_of(rule))

    def gap(self, rows: Mask, literal: Literal) -> tuple[float, float] | None:
        place, rank, _ = self.memory.test_of(literal)
        numbers = self.columns[place].numbers
        below, above = self.kernel.gap(rows, place, rank + 1)
        return None if below < 0 or above == len(numbers) else (float(numbers[below]), float(numbers[above]))

    def distinct(self) -> Sequence[int]:
        return self.memory.distinct()

    # What needs the rows by number.

    def counts(self, positive: Mask, negative: Mask) -> Iterator[Counts]:
        return self.memory.counts(self._rows(positive), self._rows(negative))

    def best_literal(
        self, positive: Mask, negative: Mask, used: tuple[Literal, ...], allowed: Allowed | None = None
    ) -> Literal | None:
        return self.memory.best_literal(self._rows(positive), self._rows(negative), used, allowed)

    def purest_literal(
        self, positive: Mask, negative: Mask, support: float, allowed: Allowed | None = None
    ) -> Literal | None:
        return self.memory.purest_literal(self._rows(positive), self._rows(negative), support, allowed)

    def worthiest_literal(
        self, positive: Mask, negative: Mask, allowed: Allowed | None = None
    ) -> tuple[Literal, float] | None:
        return self.memory.worthiest_literal(self._rows(positive), self._rows(negative), allowed)

    def rule(
        self, positive: Mask, negative: Mask, demands: Demands, place: Place = ANYWHERE
    ) -> tuple[Rule, Mask, Mask] | None:
        grown = self.memory.rule(self._rows(positive), self._rows(negative), demands, place)
        return None if grown is None else (grown[0], self.mask(grown[1]), self.mask(grown[2]))

    def exceptions(
        self, positive: Mask, negative: Mask, demands: Demands, place: Place
    ) -> tuple[tuple[Rule, ...], Mask, Mask]:
        rules, left, spared = self.memory.exceptions(self._rows(positive), self._rows(negative), demands, place)
        return rules, self.mask(left), self.mask(spared)

    def folds(self, rows: Mask, count: int, among: int | None = None) -> list[Mask]:
        return [self.mask(fold) for fold in self.memory.folds(self._rows(rows), count, among)]

    def improver(self, demands: Demands, price: float) -> Improver[Mask]:
        return MaskImprover(self, demands, price)

    def _rows(self, rows: Mask) -> Selection:
        return self.kernel.selection(rows)


class MaskImprover(Improver[Mask]):
    """Improves a rule in one call; literal by literal under constraints."""

    engine: MaskEngine

    def better(self, rule: Rule, gains: Mask, losses: Mask, place: Place) -> Rule:
        if place.limits is not None or not self.engine.memory.knows(rule):
            return super().better(rule, gains, losses, place)
        found = self._better(rule, gains, losses, place)
        return rule if found is None else found

    def grown(self, gains: Mask, losses: Mask, place: Place) -> Rule | None:
        if place.limits is not None:
            return super().grown(gains, losses, place)
        return self._better(None, gains, losses, place)

    def _better(self, rule: Rule | None, gains: Mask, losses: Mask, place: Place) -> Rule | None:
        memory = self.engine.memory
        tests = None if rule is None else memory.tests_of(rule)
        demands = *memory.in_units(self.demands), MAX_DEPTH - place.level
        found = self.engine.kernel.better(tests, gains, losses, demands, self.price, STEP)
        return None if found is None else memory.rule_of(found)
