"""Optimise a list as a whole, for fewer errors with fewer rules, one part at a time.

If all other parts are fixed, the rows that reach a rule are of three kinds: *gains* have the rule's label, and later
rules get them wrong; *losses* have another label, and the later rules get them right; all others do not matter. A rule
is worth the gains minus the losses that it covers. Each of its literals can therefore be replaced by the literal that
is worth most. Exceptions are treated in the same way with gains and losses swapped. A part that is not worth its price
is dropped, and a part that is worth more when grown again is replaced. The objective, errors plus the price of all
parts, never increases: this is alternating optimisation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Generic, Protocol, TypeVar

from unless.learn.checkpoint import Checkpoint
from unless.learn.engine import Engine, GrowthCriteria
from unless.learn.rule_improvement import RuleImprover, count_exceptions
from unless.learn.rule_limits import RuleLimits
from unless.rule import Program, Rule
from unless.values import Label

Rows = TypeVar("Rows")


class GrowthPolicy(Protocol):
    """The policy of a learner for growing the rules of its lists (`unless.learn.unless_learner`)."""

    criteria: GrowthCriteria
    """The criteria for rules."""

    def rule_limits(self, label: int, after: Collection[int] | None) -> RuleLimits:
        """Return the limits of a rule for a label; ``after`` are the labels of later rules, None if they may change."""

    def last_label(self, left: Sequence[float], rules: Iterable[tuple[int, Rule]]) -> int | None:
        """Return the label for the rows left by rules; None if no row is left, or no label may be the last."""

    def report_progress(self, left: float, rules: int) -> None:
        """Report the progress; raise `StopLearning` to stop."""


class ListOptimiser(Generic[Rows]):
    """A list under optimisation: ``rules``, with the indices of their labels, and the label of the ``last`` rule.

    The list is valid after every change, so that an interruption loses nothing. Rules that are ``locked``, given by
    their indices, stay unchanged, and new rules come behind the last locked rule. Each step is recorded on a
    ``checkpoint``, from which an interrupted optimisation continues.
    """

    def __init__(
        self,
        engine: Engine[Rows],
        policy: GrowthPolicy,
        everything: Rows,
        program: Program,
        price: float,
        locked: Iterable[int] = (),
        *,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        index_of: dict[Label | None, int] = {label: k for k, label in enumerate(engine.labels)}
        self.engine = engine
        self.policy = policy
        self.price = price
        self.rule_price = price
        self.rules = [(index_of[rule.head], Rule(None, rule.default, rule.exceptions)) for rule in program.rules[:-1]]
        self.last = index_of[program.rules[-1].head]
        self.all_rows = everything
        self.checkpoint = checkpoint or Checkpoint()
        stay = set(locked)
        self.locked = [k in stay for k in range(len(self.rules))]

    # The whole list.

    def run(self, most_rules: int | None = None, most_parts: int | None = None) -> None:
        """Improve rules, insert new rules, and improve all again, within limits of rules and of parts."""
        if self.insert(self.improve()):
            self.improve()  # more rounds find hardly any more rules
        if most_parts is not None:
            most_parts = max(most_parts, self.locked_parts)
            while self.parts > most_parts:
                self.price = self.rule_price = _raise_price(self.price)
                self.improve()
        if most_rules is not None and len(self.rules) + 1 > most_rules:
            self.shrink(most_rules - 1)

    def shrink(self, most: int) -> None:
        """Raise the price of rules until at most ``most`` are left, then insert rules if there is room."""
        while len(self.rules) > most:
            self.rule_price = _raise_price(self.rule_price)
            self.improve()
        self.rule_price = self.price
        if self.insert(self.improve(), most):
            self.improve()

    @property
    def improver(self) -> RuleImprover[Rows]:
        """The object that improves single rules at the current price."""
        return self.engine.improver(self.policy.criteria, self.price)

    @property
    def parts(self) -> int:
        """The number of rules and exceptions, including the last rule."""
        return 1 + sum(1 + count_exceptions(rule) for _, rule in self.rules)

    @property
    def locked_parts(self) -> int:
        """The number of locked rules and exceptions, including the last rule."""
        pairs = zip(self.rules, self.locked, strict=True)
        return 1 + sum(1 + count_exceptions(rule) for (_, rule), stays in pairs if stays)

    @property
    def top(self) -> int:
        """The index at which new rules are inserted: behind the last locked rule."""
        return max((k + 1 for k, stays in enumerate(self.locked) if stays), default=0)

    def improve(self) -> Rows:
        """Improve every rule once, the last rule first.

        Return the rows that the list decides correctly from the index of new rules on.
        """
        engine = self.engine
        decided, reach = self.rows_by_rule()
        free = [rule for rule, stays in zip(self.rules, self.locked, strict=True) if not stays]
        last = self.policy.last_label(engine.label_weights(reach), free)
        self.last = self.last if last is None else last
        right = engine.of_label(self.all_rows, self.last)
        top, at_top, after = self.top, right, {self.last}
        for k in reversed(range(len(self.rules))):
            label, rule = self.rules[k]
            reach = engine.plus(reach, decided[k])
            if self.locked[k]:
                right = self.correct_rows_from(label, rule, right)
                after.add(label)
                continue
            self.policy.report_progress(engine.size(reach), len(self.rules))
            limits = self.policy.rule_limits(label, after if k >= top else None)
            gains_and_losses = engine.gains_and_losses(reach, label, right)
            new = self.checkpoint.resume_or_learn_step(
                engine.labels[label], partial(self.improve_if_worth_price, rule, *gains_and_losses, limits)
            )
            if new is not None:
                self.rules[k] = label, new
                right = self.correct_rows_from(label, new, right)
                after.add(label)
            else:
                del self.rules[k], self.locked[k]
            at_top = right if k >= top else at_top
        return at_top

    def insert(self, right: Rows, most: int | None = None) -> bool:
        """Insert new rules on top that correct more rows, up to a limit of rules; return whether there are any."""
        engine, before, tried, top = self.engine, len(self.rules), set[int](), self.top
        reach = self.all_rows
        for _, before_it in self.rules[:top]:
            reach = engine.minus(reach, engine.covered_by_rule(reach, before_it))
        while most is None or len(self.rules) < most:
            wrong = engine.minus(reach, right)
            weights, least = engine.label_weights(wrong), self.rule_price  # the possible gain, and the price
            errors = {k: weight for k, weight in enumerate(weights) if weight > least and k not in tried}
            if not errors:
                break
            label = max(errors, key=errors.__getitem__)
            self.policy.report_progress(engine.size(wrong), len(self.rules))
            after = {self.last, *(other for other, _ in self.rules[top:])}
            gains_and_losses = engine.gains_and_losses(reach, label, right)
            limits = self.policy.rule_limits(label, after)
            rule = self.checkpoint.resume_or_learn_step(
                engine.labels[label], partial(self.improve_if_worth_price, None, *gains_and_losses, limits)
            )
            if rule is None:
                tried.add(label)
                continue
            self.rules.insert(top, (label, rule))
            self.locked.insert(top, False)
            right = self.correct_rows_from(label, rule, right)
        return len(self.rules) > before

    def rows_by_rule(self) -> tuple[list[Rows], Rows]:
        """Return the rows that each rule decides, and the rows that are left."""
        decided, left = [], self.all_rows
        for _, rule in self.rules:
            decided.append(self.engine.covered_by_rule(left, rule))
            left = self.engine.minus(left, decided[-1])
        return decided, left

    def correct_rows_from(self, label: int, rule: Rule, right: Rows) -> Rows:
        """Return the rows decided correctly by a rule together with the list behind it, which is right on ``right``."""
        covered = self.engine.covered_by_rule(self.all_rows, rule)
        return self.engine.plus(self.engine.minus(right, covered), self.engine.of_label(covered, label))

    def program(self) -> Program:
        """Return the list as a program, without trailing rules that have the label of the last rule."""
        rules = list(self.rules)
        while len(rules) > self.top and rules[-1][0] == self.last:
            rules.pop()
        labels = self.engine.labels
        found = [Rule(labels[label], rule.default, rule.exceptions) for label, rule in rules]
        return Program(self.engine.target, self.engine.features, (*found, Rule(labels[self.last])))

    def improve_if_worth_price(self, rule: Rule | None, gains: Rows, losses: Rows, limits: RuleLimits) -> Rule | None:
        """Return an improved rule, or a new rule if ``rule`` is None; None if it is not worth its price."""
        if self.engine.size(gains) <= self.rule_price:  # no rule can be worth its price
            return None
        improver = self.improver
        found = (
            improver.grow_improved_rule(gains, losses, limits)
            if rule is None
            else improver.improve_rule(rule, gains, losses, limits)
        )
        return found if found is not None and improver.worth(found, gains, losses, self.rule_price) > 0 else None


def _raise_price(price: float) -> float:
    return 1.4 * price + 1
