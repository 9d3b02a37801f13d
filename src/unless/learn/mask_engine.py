"""The engine for repeated small changes of a list: sets of rows are masks, with a bit for each row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from unless.kernels import MaskedRuleImprover as Kernel
from unless.kernels import RowMask, RowSelection
from unless.learn.engine import Engine, GrowthCriteria
from unless.learn.literals import AllowedKinds, FoundLiteral, LiteralScore, ValueCounts
from unless.learn.rule_improvement import STEP, RuleImprover
from unless.learn.rule_limits import NO_LIMITS, RuleLimits
from unless.rule import MAX_DEPTH, Literal, Rule

if TYPE_CHECKING:
    from unless.learn.memory_engine import MemoryEngine


class MaskEngine(Engine[RowMask]):
    """An engine on some rows of a table in memory, equivalent to `MemoryEngine`."""

    def __init__(self, memory: MemoryEngine) -> None:
        self.memory = memory
        self.kernel = Kernel(memory.search, memory.rules, memory.check_stop)
        self.target, self.features, self.labels = memory.target, memory.features, memory.labels
        self.columns, self.banned, self.whole = memory.columns, memory.banned, memory.whole
        self.unit = memory.unit

    def check_stop(self) -> None:
        self.memory.check_stop()

    def mask(self, rows: RowSelection) -> RowMask:
        """Return the mask of these rows."""
        return self.kernel.of_selection(rows)

    def all_rows(self) -> RowMask:
        return self.mask(self.memory.all_rows())

    def size(self, rows: RowMask) -> float:
        return rows.weight() if self.unit == 1 else rows.weight() * self.unit

    def label_weights(self, rows: RowMask) -> Sequence[float]:
        weights = self.kernel.label_weights(rows, len(self.labels))
        return weights if self.unit == 1 else [weight * self.unit for weight in weights]

    def split(self, rows: RowMask, label: int) -> tuple[RowMask, RowMask]:
        return self.kernel.of_label(rows, label), self.kernel.others(rows, label)

    def covered_by_literal(self, rows: RowMask, literal: Literal) -> RowMask:
        return self.kernel.covered_by_literal(rows, self.memory.test_of(literal))

    def minus(self, rows: RowMask, gone: RowMask) -> RowMask:
        return self.kernel.minus(rows, gone)

    def plus(self, rows: RowMask, more: RowMask) -> RowMask:
        return self.kernel.plus(rows, more)

    def of_label(self, rows: RowMask, label: int) -> RowMask:
        return self.kernel.of_label(rows, label)

    def gains_and_losses(self, rows: RowMask, label: int, right: RowMask) -> tuple[RowMask, RowMask]:
        return self.kernel.gains_and_losses(rows, label, right)

    def covered_by_rule(self, rows: RowMask, rule: Rule) -> RowMask:
        return self.kernel.covered_by_rule(rows, self.memory.literal_tests(rule))

    def neighbouring_numbers(self, rows: RowMask, literal: Literal) -> tuple[float, float] | None:
        position, rank, _ = self.memory.test_of(literal)
        numbers = self.columns[position].numbers
        below, above = self.kernel.neighbouring_numbers(rows, position, rank + 1)
        return None if below < 0 or above == len(numbers) else (float(numbers[below]), float(numbers[above]))

    def distinct(self) -> Sequence[int]:
        return self.memory.distinct()

    # Operations that need row numbers.

    def counts(self, positive: RowMask, negative: RowMask) -> Iterator[ValueCounts]:
        return self.memory.counts(self._rows(positive), self._rows(negative))

    def find_literal(
        self,
        positive: RowMask,
        negative: RowMask,
        score: LiteralScore,
        used: tuple[Literal, ...] = (),
        allowed: AllowedKinds | None = None,
    ) -> FoundLiteral | None:
        return self.memory.find_literal(self._rows(positive), self._rows(negative), score, used, allowed)

    def grow_rule(
        self, positive: RowMask, negative: RowMask, criteria: GrowthCriteria, limits: RuleLimits = NO_LIMITS
    ) -> tuple[Rule, RowMask, RowMask] | None:
        grown = self.memory.grow_rule(self._rows(positive), self._rows(negative), criteria, limits)
        return None if grown is None else (grown[0], self.mask(grown[1]), self.mask(grown[2]))

    def grow_exceptions(
        self, positive: RowMask, negative: RowMask, criteria: GrowthCriteria, limits: RuleLimits
    ) -> tuple[tuple[Rule, ...], RowMask, RowMask]:
        rules, left, spared = self.memory.grow_exceptions(self._rows(positive), self._rows(negative), criteria, limits)
        return rules, self.mask(left), self.mask(spared)

    def folds(self, rows: RowMask, count: int, among: int | None = None) -> list[RowMask]:
        return [self.mask(fold) for fold in self.memory.folds(self._rows(rows), count, among)]

    def improver(self, criteria: GrowthCriteria, price: float) -> RuleImprover[RowMask]:
        return MaskRuleImprover(self, criteria, price)

    def _rows(self, rows: RowMask) -> RowSelection:
        return self.kernel.selection(rows)


class MaskRuleImprover(RuleImprover[RowMask]):
    """Improves a rule in one call; literal by literal under constraints."""

    engine: MaskEngine

    def improve_rule(self, rule: Rule, gains: RowMask, losses: RowMask, limits: RuleLimits) -> Rule:
        if limits.label_limits is not None or not self.engine.memory.knows(rule):
            return super().improve_rule(rule, gains, losses, limits)
        found = self._improve_or_grow(rule, gains, losses, limits)
        return rule if found is None else found

    def grow_improved_rule(self, gains: RowMask, losses: RowMask, limits: RuleLimits) -> Rule | None:
        if limits.label_limits is not None:
            return super().grow_improved_rule(gains, losses, limits)
        return self._improve_or_grow(None, gains, losses, limits)

    def _improve_or_grow(self, rule: Rule | None, gains: RowMask, losses: RowMask, limits: RuleLimits) -> Rule | None:
        memory = self.engine.memory
        tests = None if rule is None else memory.literal_tests(rule)
        criteria = *memory.criteria_in_units(self.criteria), MAX_DEPTH - limits.level
        found = self.engine.kernel.improve_rule(tests, gains, losses, criteria, self.price, STEP)
        return None if found is None else memory.rule_of(found)
