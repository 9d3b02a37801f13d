"""One rule of a list, improved for what it gains and loses (`optimise` says what those are)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from unless.rule import Literal, Rule

if TYPE_CHECKING:
    from unless.learn.engine import Demands, Engine
    from unless.learn.literals import Allowed
    from unless.learn.places import Place

Rows = TypeVar("Rows")

STEP = 0.5
"""A part changes if that gains more than this: at least one record, where records count once."""


class Improver(Generic[Rows]):
    """Improves rules and exceptions, each of which costs a price; grows them as demanded."""

    def __init__(self, engine: Engine[Rows], demands: Demands, price: float) -> None:
        self.engine = engine
        self.demands = demands
        self.price = price

    def worth(self, rule: Rule, gains: Rows, losses: Rows, price: float) -> float:
        """The gains that a rule covers less the losses, less its price and that of its exceptions."""
        covered, lost = self.engine.satisfying(gains, rule), self.engine.satisfying(losses, rule)
        return self.engine.size(covered) - self.engine.size(lost) - price - self.price * exceptions_of(rule)

    def better(self, rule: Rule, gains: Rows, losses: Rows, place: Place) -> Rule:
        """The rule improved, or one with new exceptions, or a new one, if that is worth more."""
        size = self.engine.size
        best = self.improved(rule, gains, losses, place)
        if size(gains) and size(losses):
            most = self.worth(best, gains, losses, self.price)
            for new in (self.grown(gains, losses, place), self.with_new_exceptions(best, gains, losses, place)):
                if new is not None and (worth := self.worth(new, gains, losses, self.price)) > most + STEP:
                    best, most = new, worth
        return best

    def grown(self, gains: Rows, losses: Rows, place: Place) -> Rule | None:
        """A new rule."""
        grown = self.engine.rule(gains, losses, self.demands, place)
        return None if grown is None else self.improved(grown[0], gains, losses, place)

    def with_new_exceptions(self, rule: Rule, gains: Rows, losses: Rows, place: Place) -> Rule | None:
        """The same default with new exceptions."""
        if place.deepest:
            return None
        default = Rule(None, rule.default)
        gained, lost = self.engine.satisfying(gains, default), self.engine.satisfying(losses, default)
        exceptions = self.engine.exceptions(lost, gained, self.demands, place.exception(rule.default))[0]
        return Rule(None, rule.default, exceptions) if exceptions else None

    def improved(self, rule: Rule, gains: Rows, losses: Rows, place: Place) -> Rule:
        """The rule with better literals, then with better exceptions."""
        default = self.better_literals(rule, gains, losses, place)
        return Rule(None, default, self.better_exceptions(default, rule.exceptions, gains, losses, place))

    def better_literals(self, rule: Rule, gains: Rows, losses: Rows, place: Place) -> tuple[Literal, ...]:
        """The default with each literal chosen anew, given the others; a literal that is worth nothing is dropped."""
        engine, size, default = self.engine, self.engine.size, rule.default
        place = place.with_rules(*rule.exceptions)
        if rule.exceptions:
            spared = Rule(None, (), rule.exceptions)
            gains, losses = engine.satisfying(gains, spared), engine.satisfying(losses, spared)
        gained, lost = engine.failing(gains, default), engine.failing(losses, default)
        k = 0
        while k < len(default):
            more, worse = size(gained[k + 1]), size(lost[k + 1])  # what would be covered without the literal
            if len(default) > 1 and more >= worse:
                default = default[:k] + default[k + 1 :]
            else:
                allowed = place.allowed(default[:k] + default[k + 1 :])
                literal = self.better_literal(gained[0], gained[k + 1], lost[0], lost[k + 1], allowed)
                k += 1
                if literal is None:
                    continue
                default = (*default[: k - 1], literal, *default[k:])
            gained, lost = engine.failing(gains, default), engine.failing(losses, default)
        return default

    def better_literal(
        self, gains: Rows, more_gains: Rows, losses: Rows, more_losses: Rows, allowed: Allowed | None
    ) -> Literal | None:
        """A better literal for the gains and losses that the present one covers, and for those that it does not."""
        engine, size = self.engine, self.engine.size
        now = size(gains) - size(losses)
        if size(gains) + size(more_gains) <= now + STEP:  # no literal can cover more gains than all
            return None
        found = engine.worthiest_literal(engine.plus(gains, more_gains), engine.plus(losses, more_losses), allowed)
        return found[0] if found is not None and found[1] > now + STEP else None

    def better_exceptions(
        self, default: Sequence[Literal], exceptions: tuple[Rule, ...], gains: Rows, losses: Rows, place: Place
    ) -> tuple[Rule, ...]:
        """The exceptions improved, the last one first, each for what the others leave; those worth nothing dropped."""
        for k in reversed(range(len(exceptions))):
            others = Rule(None, tuple(default), exceptions[:k] + exceptions[k + 1 :])
            gained, lost = self.engine.satisfying(gains, others), self.engine.satisfying(losses, others)
            inner = place.exception(default, *others.exceptions)
            exception = self.improved(exceptions[k], lost, gained, inner)
            kept = (exception,) if self.worth(exception, lost, gained, self.price) > 0 else ()
            exceptions = exceptions[:k] + kept + exceptions[k + 1 :]
        return exceptions


def exceptions_of(rule: Rule) -> int:
    """The number of a rule's exceptions, with those inside."""
    return sum(1 + exceptions_of(exception) for exception in rule.exceptions)
