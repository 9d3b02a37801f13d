"""Constraints in the form that learners use: the literals that are allowed at each place of a program.

A *place* is the default of a rule for some label, or of one of its exceptions, at some level. All constraints reduce to
three questions: which kinds of literals (`literals.LITERAL_KINDS`) a place allows on each feature, when a default is
full, and whether exceptions may follow.

For a constraint such as ``income: more never refuse``, rules for *refuse* must cover less as the income grows, and
rules for other labels more. A rule covers less if the literals of its default want small numbers (``<=``), and its
exceptions, by the same reasoning, cover more: ``>``. So the kinds swap from level to level. Literals on categories and
missing values are the same for all numbers, and are allowed anywhere. That is enough for the whole list: where a record
is refused, it is by a rule that covers the same record with less income, too; any earlier rule for another label that
does not cover the record with more income does not cover it with less; so with less income, the first rule that covers
it is the same one, or an earlier one for *refuse*. If it is refused because no rule covers it, that stays so, or a rule
for *refuse* does. Thresholds may move, and parts be dropped: the kinds of literals stay. A rule for another label
matters only to what comes after it: where nothing after it refuses, it may have any literals.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from unless.constraints import Constraints, allowed_directions
from unless.learn.literals import ABOVE, AT_MOST, EVERY, LITERAL_KINDS, NEGATED, OTHERS, AllowedKinds
from unless.rule import MAX_DEPTH, Literal, Rule
from unless.values import Label


@dataclass(frozen=True, slots=True)
class LabelLimits:
    """The limits that constraints set for the rules of one label."""

    features: tuple[str, ...]
    kinds: tuple[AllowedKinds, AllowedKinds, AllowedKinds]
    """The literals that are allowed in a default, in its exceptions, and in exceptions to these."""
    apart: Mapping[str, frozenset[str]]
    """The features that must not be in a rule together with each feature."""
    most: float
    """The maximum number of literals in a default."""
    levels: int
    """The maximum depth of nesting: 1 without exceptions."""
    cuts: Mapping[str, tuple[float, ...]]
    """The only thresholds of some features, ascending."""

    def allowed(self, level: int, beside: frozenset[str]) -> AllowedKinds:
        """Return the literals allowed at a level of a rule that already has the features ``beside``."""
        kinds = self.kinds[0 if level == 1 else 2 if level % 2 else 1]
        gone = {other for name in beside for other in self.apart.get(name, ())}
        if not gone:
            return kinds
        return bytes(0 if name in gone else kind for name, kind in zip(self.features, kinds, strict=True))


@dataclass(frozen=True, slots=True)
class RuleLimits:
    """A place in a program: the level of a rule (1 is its default), and the features that the rule has elsewhere."""

    label_limits: LabelLimits | None = None
    """The limits of the label; None if everything is allowed."""
    level: int = 1
    beside: frozenset[str] = frozenset()

    def allowed(self, others: Iterable[Literal]) -> AllowedKinds | None:
        """Return the kinds of literals that may be added to the others; None means any."""
        if self.label_limits is None:
            return None
        return self.label_limits.allowed(self.level, self.beside.union(one.feature for one in others))

    @property
    def cuts(self) -> Mapping[str, tuple[float, ...]]:
        """The only thresholds of some features."""
        return {} if self.label_limits is None else self.label_limits.cuts

    def full(self, default: Sequence[Literal]) -> bool:
        """Return whether a default has the maximum number of literals, so that exceptions must handle the rest."""
        return self.label_limits is not None and len(default) >= self.label_limits.most

    @property
    def deepest(self) -> bool:
        """Whether exceptions are not allowed here."""
        return self.level >= (MAX_DEPTH if self.label_limits is None else self.label_limits.levels)

    def ratio(self, ratio: float) -> float:
        """Return how many negatives per positive a default may leave to its exceptions: 0 if none are allowed."""
        return 0.0 if self.label_limits is not None and self.deepest else ratio

    def exception(self, default: Iterable[Literal], *others: Rule) -> RuleLimits:
        """Return the place of an exception to a default that already has ``others`` as exceptions."""
        return RuleLimits(
            self.label_limits, self.level + 1, self.beside.union(one.feature for one in default)
        ).with_rules(*others)

    def with_rules(self, *rules: Rule) -> RuleLimits:
        """Return the same place in a rule that also contains these exceptions."""
        if self.label_limits is None or not self.label_limits.apart or not rules:
            return self
        more = self.beside.union(literal.feature for rule in rules for literal in rule.literals())
        return RuleLimits(self.label_limits, self.level, more)

    def admits(self, rule: Rule) -> bool:
        """Return whether the literals of a rule are of kinds that are allowed here, at each level."""
        if self.label_limits is None:
            return True
        kinds = dict(zip(self.label_limits.features, self.label_limits.allowed(self.level, frozenset()), strict=True))
        inner = RuleLimits(self.label_limits, self.level + 1)
        return all(kinds[one.feature] & LITERAL_KINDS[one.op] for one in rule.default) and all(
            map(inner.admits, rule.exceptions)
        )


NO_LIMITS = RuleLimits()
"""The place of the default of a rule without constraints."""


def limits_by_label(
    constraints: Constraints | None, features: Sequence[str], labels: Sequence[Label]
) -> list[RuleLimits]:
    """Return the place of the rules of each label. Constraints may name features that the data does not have."""
    if constraints is None:
        return [NO_LIMITS] * len(labels)
    return [limits_for_label(constraints, features, label) for label in labels]


def limits_for_label(
    constraints: Constraints, features: Sequence[str], label: Label, after: Collection[Label] | None = None
) -> RuleLimits:
    """Return the place of a rule for a label; ``after`` contains the labels of later rules, None if unknown."""
    matter = tuple(one for one in constraints.monotone if after is None or one.label in (label, *after))
    return RuleLimits(_label_limits(replace(constraints, monotone=matter), tuple(features), label))


def _label_limits(constraints: Constraints, features: tuple[str, ...], label: Label) -> LabelLimits:
    apart: dict[str, frozenset[str]] = {}
    for one, other in constraints.apart:
        apart[one] = apart.get(one, frozenset()) | {other}
        apart[other] = apart.get(other, frozenset()) | {one}
    exceptions = [_allowed_kinds(constraints, name, label) for name in features]
    top = [0 if name in constraints.only_exceptions else k for name, k in zip(features, exceptions, strict=True)]
    most = inf if constraints.max_literals is None else constraints.max_literals
    levels = MAX_DEPTH if constraints.max_depth is None else min(MAX_DEPTH, constraints.max_depth + 1)
    kinds = bytes(top), bytes(map(_swap_directions, exceptions)), bytes(exceptions)
    cuts: Any = dict(constraints.only_cuts)  # numbers, after `Constraints.among`
    return LabelLimits(features, kinds, apart, most, levels, cuts)


def _allowed_kinds(constraints: Constraints, feature: str, label: Label) -> int:
    """Return the kinds of literals on a feature that the default of a rule for a label may contain."""
    if feature in constraints.never:
        return 0
    ways = allowed_directions(constraints.monotone, feature, label)
    every = EVERY & ~NEGATED if constraints.no_negation else EVERY
    return every & ~(AT_MOST if "less" not in ways else 0) & ~(ABOVE if "more" not in ways else 0)


def _swap_directions(kinds: int) -> int:
    """Return the kinds for exceptions, which must cover less where their rule must cover more."""
    return (kinds & OTHERS) | (AT_MOST if kinds & ABOVE else 0) | (ABOVE if kinds & AT_MOST else 0)
