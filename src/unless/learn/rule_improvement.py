"""Improve one rule of a list for its gains and losses (defined in `list_optimiser`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from unless.learn.given_cuts import find_allowed_literal
from unless.learn.literals import NET
from unless.rule import Literal, Rule

if TYPE_CHECKING:
    from unless.learn.engine import Engine, GrowthCriteria
    from unless.learn.rule_limits import RuleLimits

Rows = TypeVar("Rows")

STEP = 0.5
"""The gain that a change of a part must exceed: at least one record, if records count once."""


class RuleImprover(Generic[Rows]):
    """Improves and grows rules and exceptions; each costs the price."""

    def __init__(self, engine: Engine[Rows], criteria: GrowthCriteria, price: float) -> None:
        self.engine = engine
        self.criteria = criteria
        self.price = price

    def worth(self, rule: Rule, gains: Rows, losses: Rows, price: float) -> float:
        """Return the gains minus the losses that a rule covers, minus the prices of the rule and its exceptions."""
        covered, lost = self.engine.covered_by_rule(gains, rule), self.engine.covered_by_rule(losses, rule)
        return self.engine.size(covered) - self.engine.size(lost) - price - self.price * count_exceptions(rule)

    def improve_rule(self, rule: Rule, gains: Rows, losses: Rows, limits: RuleLimits) -> Rule:
        """Return the improved rule, or the rule with new exceptions or a new rule if that is worth more."""
        size = self.engine.size
        best = self.improve_parts(rule, gains, losses, limits)
        if size(gains) and size(losses):
            most = self.worth(best, gains, losses, self.price)
            for new in (
                self.grow_improved_rule(gains, losses, limits),
                self.replace_exceptions(best, gains, losses, limits),
            ):
                if new is not None and (worth := self.worth(new, gains, losses, self.price)) > most + STEP:
                    best, most = new, worth
        return best

    def grow_improved_rule(self, gains: Rows, losses: Rows, limits: RuleLimits) -> Rule | None:
        """Return a new, improved rule; None if there is no rule to grow."""
        grown = self.engine.grow_rule(gains, losses, self.criteria, limits)
        return None if grown is None else self.improve_parts(grown[0], gains, losses, limits)

    def replace_exceptions(self, rule: Rule, gains: Rows, losses: Rows, limits: RuleLimits) -> Rule | None:
        """Return a rule with the same default and new exceptions."""
        if limits.deepest:
            return None
        default = Rule(None, rule.default)
        gained, lost = self.engine.covered_by_rule(gains, default), self.engine.covered_by_rule(losses, default)
        exceptions = self.engine.grow_exceptions(lost, gained, self.criteria, limits.exception(rule.default))[0]
        return Rule(None, rule.default, exceptions) if exceptions else None

    def improve_parts(self, rule: Rule, gains: Rows, losses: Rows, limits: RuleLimits) -> Rule:
        """Return the rule with improved literals, then improved exceptions."""
        default = self.improve_literals(rule, gains, losses, limits)
        return Rule(None, default, self.improve_exceptions(default, rule.exceptions, gains, losses, limits))

    def improve_literals(self, rule: Rule, gains: Rows, losses: Rows, limits: RuleLimits) -> tuple[Literal, ...]:
        """Choose each literal of the default again, given the others; drop literals that are worth nothing."""
        engine, size, default = self.engine, self.engine.size, rule.default
        limits = limits.with_rules(*rule.exceptions)
        if rule.exceptions:
            spared = Rule(None, (), rule.exceptions)
            gains, losses = engine.covered_by_rule(gains, spared), engine.covered_by_rule(losses, spared)
        gained, lost = engine.split_by_failing_literal(gains, default), engine.split_by_failing_literal(losses, default)
        k = 0
        while k < len(default):
            more, worse = size(gained[k + 1]), size(lost[k + 1])  # what would be covered without the literal
            if len(default) > 1 and more >= worse:
                default = default[:k] + default[k + 1 :]
            else:
                others = default[:k] + default[k + 1 :]
                literal = self.improve_literal(gained[0], gained[k + 1], lost[0], lost[k + 1], limits, others)
                k += 1
                if literal is None:
                    continue
                default = (*default[: k - 1], literal, *default[k:])
            gained, lost = (
                engine.split_by_failing_literal(gains, default),
                engine.split_by_failing_literal(losses, default),
            )
        return default

    def improve_literal(
        self,
        gains: Rows,
        more_gains: Rows,
        losses: Rows,
        more_losses: Rows,
        limits: RuleLimits,
        others: tuple[Literal, ...],
    ) -> Literal | None:
        """Find a better literal, given the gains and losses that the current literal covers and does not cover."""
        engine, size = self.engine, self.engine.size
        now = size(gains) - size(losses)
        if size(gains) + size(more_gains) <= now + STEP:  # no literal can cover more gains than all
            return None
        gains, losses = engine.plus(gains, more_gains), engine.plus(losses, more_losses)
        found = find_allowed_literal(engine, gains, losses, NET, limits, others)
        return found.literal if found is not None and found.net > now + STEP else None

    def improve_exceptions(
        self, default: Sequence[Literal], exceptions: tuple[Rule, ...], gains: Rows, losses: Rows, limits: RuleLimits
    ) -> tuple[Rule, ...]:
        """Improve the exceptions, the last one first, each on the rows that the others leave; drop worthless ones."""
        for k in reversed(range(len(exceptions))):
            others = Rule(None, tuple(default), exceptions[:k] + exceptions[k + 1 :])
            gained, lost = self.engine.covered_by_rule(gains, others), self.engine.covered_by_rule(losses, others)
            inner = limits.exception(default, *others.exceptions)
            exception = self.improve_parts(exceptions[k], lost, gained, inner)
            kept = (exception,) if self.worth(exception, lost, gained, self.price) > 0 else ()
            exceptions = exceptions[:k] + kept + exceptions[k + 1 :]
        return exceptions


def count_exceptions(rule: Rule) -> int:
    """Return the number of a rule's exceptions, including nested exceptions."""
    return sum(1 + count_exceptions(exception) for exception in rule.exceptions)
