"""Optimising a list as a whole: fewer errors with fewer rules, one part at a time.

If everything else stays as it is, the rows that reach a rule fall into three kinds: *gains* have its label, and the
rules after it get them wrong; *losses* have another label, and the rules after it get them right; all others do not
matter. A rule is worth the gains it covers less the losses. So each of its literals can be chosen anew: the one that is
worth most. An exception is the same with gains and losses swapped. A part that is not worth its price is dropped, and a
part that is worth more when it is grown anew is replaced. The objective, errors plus the price of all parts, never
rises: this is alternating optimisation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Generic, Protocol, TypeVar

from unless.learn.diary import Page
from unless.learn.engine import Demands, Engine
from unless.learn.improve import Improver, exceptions_of
from unless.learn.places import Place
from unless.rule import Program, Rule
from unless.values import Label

Rows = TypeVar("Rows")


class Grower(Protocol):
    """What a learner says about the rules of its lists (`unless.learn.own`)."""

    demands: Demands
    """What it demands of them."""

    def place(self, label: int, after: Collection[int] | None) -> Place:
        """Where a rule for a label begins, after which only some labels are given; None if that may change."""

    def last(self, left: Sequence[float], rules: Iterable[tuple[int, Rule]]) -> int | None:
        """The label for the rows that are left by rules; None if there are none, or no label may be the last."""

    def go_on(self, left: float, rules: int) -> None:
        """Tell how far the work is, or raise `Enough`."""


class Optimiser(Generic[Rows]):
    """A list that may still change: ``rules``, with the places of their labels, and the label of the ``last`` rule.

    It is a valid list after every change, so that an interruption loses nothing. Rules that are ``locked``, given by
    their indices, stay as they are, and new ones come behind the last of them. What becomes of each rule is noted on a
    ``page``, so that what was interrupted goes on there.
    """

    def __init__(
        self,
        engine: Engine[Rows],
        grower: Grower,
        everything: Rows,
        program: Program,
        price: float,
        locked: Iterable[int] = (),
        *,
        page: Page | None = None,
    ) -> None:
        place: dict[Label | None, int] = {label: k for k, label in enumerate(engine.labels)}
        self.engine = engine
        self.grower = grower
        self.price = price
        self.rule_price = price
        self.rules = [(place[rule.head], Rule(None, rule.default, rule.exceptions)) for rule in program.rules[:-1]]
        self.last = place[program.rules[-1].head]
        self.everything = everything
        self.page = page or Page()
        stay = set(locked)
        self.locked = [k in stay for k in range(len(self.rules))]

    # The whole list.

    def run(self, most_rules: int | None = None, most_parts: int | None = None) -> None:
        """Improve rules, insert new ones, and improve all again; at most so many rules, and rules and exceptions."""
        if self.insert(self.improve()):
            self.improve()  # more rounds find hardly any more rules
        if most_parts is not None:
            most_parts = max(most_parts, self.locked_parts)
            while self.parts > most_parts:
                self.price = self.rule_price = _raised(self.price)
                self.improve()
        if most_rules is not None and len(self.rules) + 1 > most_rules:
            self.shrink(most_rules - 1)

    def shrink(self, most: int) -> None:
        """Raise the price of rules until there are few enough, then fill up what fell too far."""
        while len(self.rules) > most:
            self.rule_price = _raised(self.rule_price)
            self.improve()
        self.rule_price = self.price
        if self.insert(self.improve(), most):
            self.improve()

    @property
    def improver(self) -> Improver[Rows]:
        """What improves single rules at the present price."""
        return self.engine.improver(self.grower.demands, self.price)

    @property
    def parts(self) -> int:
        """The number of rules and exceptions, the last rule included."""
        return 1 + sum(1 + exceptions_of(rule) for _, rule in self.rules)

    @property
    def locked_parts(self) -> int:
        """The number of rules and exceptions that stay, the last rule included."""
        pairs = zip(self.rules, self.locked, strict=True)
        return 1 + sum(1 + exceptions_of(rule) for (_, rule), stays in pairs if stays)

    @property
    def top(self) -> int:
        """Where new rules go: behind the last locked one."""
        return max((k + 1 for k, stays in enumerate(self.locked) if stays), default=0)

    def improve(self) -> Rows:
        """Improve every rule once, the last one first.

        Return the rows that the list gets right from where new rules go.
        """
        engine = self.engine
        decided, reach = self.flow()
        free = [rule for rule, stays in zip(self.rules, self.locked, strict=True) if not stays]
        last = self.grower.last(engine.popularity(reach), free)
        self.last = self.last if last is None else last
        right = engine.of_label(self.everything, self.last)
        top, at_top, after = self.top, right, {self.last}
        for k in reversed(range(len(self.rules))):
            label, rule = self.rules[k]
            reach = engine.plus(reach, decided[k])
            if self.locked[k]:
                right = self.right_after(label, rule, right)
                after.add(label)
                continue
            self.grower.go_on(engine.size(reach), len(self.rules))
            place = self.grower.place(label, after if k >= top else None)
            stakes = engine.stakes(reach, label, right)
            new = self.page.step(engine.labels[label], partial(self.worthy, rule, *stakes, place))
            if new is not None:
                self.rules[k] = label, new
                right = self.right_after(label, new, right)
                after.add(label)
            else:
                del self.rules[k], self.locked[k]
            at_top = right if k >= top else at_top
        return at_top

    def insert(self, right: Rows, most: int | None = None) -> bool:
        """Put new rules on top that get more right, at most up to so many rules, and return whether there are any."""
        engine, before, tried, top = self.engine, len(self.rules), set[int](), self.top
        reach = self.everything
        for _, before_it in self.rules[:top]:
            reach = engine.minus(reach, engine.satisfying(reach, before_it))
        while most is None or len(self.rules) < most:
            wrong = engine.minus(reach, right)
            errors = [0.0 if label in tried else count for label, count in enumerate(engine.popularity(wrong))]
            if not any(errors):
                break
            label = errors.index(max(errors))
            self.grower.go_on(engine.size(wrong), len(self.rules))
            after = {self.last, *(other for other, _ in self.rules[top:])}
            stakes = engine.stakes(reach, label, right)
            place = self.grower.place(label, after)
            rule = self.page.step(engine.labels[label], partial(self.worthy, None, *stakes, place))
            if rule is None:
                tried.add(label)
                continue
            self.rules.insert(top, (label, rule))
            self.locked.insert(top, False)
            right = self.right_after(label, rule, right)
        return len(self.rules) > before

    def flow(self) -> tuple[list[Rows], Rows]:
        """The rows that each rule decides, and those that are left."""
        decided, left = [], self.everything
        for _, rule in self.rules:
            decided.append(self.engine.satisfying(left, rule))
            left = self.engine.minus(left, decided[-1])
        return decided, left

    def right_after(self, label: int, rule: Rule, right: Rows) -> Rows:
        """The rows that a rule, and behind it a list that gets some right, get right together."""
        covered = self.engine.satisfying(self.everything, rule)
        return self.engine.plus(self.engine.minus(right, covered), self.engine.of_label(covered, label))

    def program(self) -> Program:
        """The list as a program, without rules at its end that decide what the last one decides."""
        rules = list(self.rules)
        while len(rules) > self.top and rules[-1][0] == self.last:
            rules.pop()
        labels = self.engine.labels
        found = [Rule(labels[label], rule.default, rule.exceptions) for label, rule in rules]
        return Program(self.engine.target, self.engine.features, (*found, Rule(labels[self.last])))

    def worthy(self, rule: Rule | None, gains: Rows, losses: Rows, place: Place) -> Rule | None:
        """A better rule, or a new one where there is none; None if it is not worth its price."""
        improver = self.improver
        found = improver.grown(gains, losses, place) if rule is None else improver.better(rule, gains, losses, place)
        return found if found is not None and improver.worth(found, gains, losses, self.rule_price) > 0 else None


def _raised(price: float) -> float:
    return 1.4 * price + 1
