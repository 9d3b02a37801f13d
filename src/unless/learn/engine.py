"""Engines, which count positive and negative rows by value for learners.

A learner never inspects sets of rows; it only passes them back to the engine. Counts can be added up, so an engine may
keep its rows anywhere: in memory, in a database, on many machines. Results depend on the order of features and values,
never on the order of rows, so all engines learn the same program.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from unless.learn.given_cuts import find_allowed_literal
from unless.learn.literals import (
    GAIN,
    AllowedKinds,
    FoundLiteral,
    LiteralScore,
    ValueCounts,
    find_literal,
    is_significant,
    without_implied,
)
from unless.learn.rule_improvement import RuleImprover
from unless.learn.rule_limits import NO_LIMITS, RuleLimits
from unless.rule import Literal, Rule
from unless.table import Column
from unless.values import Label

if TYPE_CHECKING:
    from unless.learn.checkpoint import CheckpointStore

Rows = TypeVar("Rows")

LabelCounts = NDArray[np.float64] | NDArray[np.int32]
"""The number of rows of each label, or their weight; whole numbers take half the memory."""


class StopLearning(Exception):  # noqa: N818 - not an error: learning stops, and what was learned is kept
    """Raised to stop a learner, possibly in the middle of a rule."""


@dataclass(frozen=True, slots=True)
class GrowthCriteria:
    """The criteria that our own learner applies to a rule."""

    ratio: float
    """The maximum negatives per positive of a default that is general enough for exceptions to handle the rest."""
    penalty: float
    """The required significance of each literal (`literals.is_significant`)."""
    support: float
    """The number of positives that each literal, rule and exception must cover; more than 0."""
    distinct: list[int]
    """The number of values of each feature (`Engine.distinct`)."""


class Engine(ABC, Generic[Rows]):
    """The operations on rows that learners use."""

    target: str
    features: tuple[str, ...]
    labels: tuple[Label, ...]
    columns: tuple[Column, ...] = ()
    """The features with the kinds of their values; learners never use the rows of these columns."""
    banned: tuple[Literal, ...] = ()
    """Searches skip literals on the values of these literals."""
    whole: frozenset[str] = frozenset()
    """The features whose numbers are all whole, so that their thresholds may be whole."""
    late: Callable[[], bool] | None = None
    """Called before every search for a literal; if it returns True, the learner stops (`StopLearning`)."""
    checkpoints: CheckpointStore | None = None
    """The store in which learners record their steps, so that they can continue after an interruption."""

    @abstractmethod
    def all_rows(self) -> Rows:
        """Return all rows."""

    @abstractmethod
    def size(self, rows: Rows) -> float:
        """Return the number of rows, or their weight."""

    @abstractmethod
    def label_weights(self, rows: Rows) -> Sequence[float]:
        """Return the number of rows of each label, or their weight."""

    def label_counts(self, rows: Rows) -> LabelCounts:
        """Return the same as an array; with thousands of labels, lists take most of the time of a fit."""
        return np.array(self.label_weights(rows), dtype=np.float64)

    @abstractmethod
    def split(self, rows: Rows, label: int) -> tuple[Rows, Rows]:
        """Split rows into the rows with this label, given by its index, and all others."""

    @abstractmethod
    def covered_by_literal(self, rows: Rows, literal: Literal) -> Rows:
        """Return the rows for which the literal is true."""

    @abstractmethod
    def minus(self, rows: Rows, gone: Rows) -> Rows:
        """Return ``rows`` without ``gone``."""

    @abstractmethod
    def counts(self, positive: Rows, negative: Rows) -> Iterator[ValueCounts]:
        """Yield the positive and negative rows per value, for each feature in order."""

    def find_literal(
        self,
        positive: Rows,
        negative: Rows,
        score: LiteralScore,
        used: tuple[Literal, ...] = (),
        allowed: AllowedKinds | None = None,
    ) -> FoundLiteral | None:
        """Find the literal with the best score, from the counts (`literals.find_literal`).

        An engine may find the same literal in a faster way. Only literals of ``allowed`` kinds are considered
        (`literals.LITERAL_KINDS`); None allows all.
        """
        self.check_stop()
        return find_literal(self.counts(positive, negative), score, (*self.banned, *used), allowed)

    def best_literal(
        self, positive: Rows, negative: Rows, used: tuple[Literal, ...], allowed: AllowedKinds | None = None
    ) -> Literal | None:
        """Find the literal with the largest information gain: Algorithm 2."""
        found = self.find_literal(positive, negative, GAIN, used, allowed)
        return None if found is None else found.literal

    def check_stop(self) -> None:
        """Stop the learner if its limits are reached."""
        if self.late is not None and self.late():
            raise StopLearning

    def learn_paper_rule(
        self, positive: Rows, negative: Rows, ratio: float, used: tuple[Literal, ...], level: int
    ) -> tuple[Rule, Rows, Rows] | None:
        """Learn the rule of `fold.learn_rule` without constraints in a faster way; None if there is no such way."""

    # Operations of our own learner, implemented by the methods above. An engine may override them with faster ones.

    def grow_rule(
        self, positive: Rows, negative: Rows, criteria: GrowthCriteria, limits: RuleLimits = NO_LIMITS
    ) -> tuple[Rule, Rows, Rows] | None:
        """Grow a rule that covers enough positives, and fewer negatives; return it with the rows that it covers."""
        learned = self.grow_default(positive, negative, criteria, limits)
        if learned is None:
            return None
        default, positive, negative, general = learned
        exceptions: tuple[Rule, ...] = ()
        if general and self.size(negative) and not limits.deepest:
            exceptions, negative, positive = self.grow_exceptions(
                negative, positive, criteria, limits.exception(default)
            )
        if self.size(positive) < criteria.support or self.size(positive) <= self.size(negative):
            return None
        return Rule(None, without_implied(default), exceptions), positive, negative

    def grow_default(
        self, positive: Rows, negative: Rows, criteria: GrowthCriteria, limits: RuleLimits
    ) -> tuple[tuple[Literal, ...], Rows, Rows, bool] | None:
        """Grow a default: its literals, the rows covered, and whether exceptions can follow; None without literals."""
        size, ratio = self.size, limits.ratio(criteria.ratio)
        purest = LiteralScore("purity", criteria.support)
        default: tuple[Literal, ...] = ()
        general = False
        while not general:
            found = find_allowed_literal(self, positive, negative, purest, limits, default)
            if found is None:
                break
            literal = found.literal
            true, false = self.covered_by_literal(positive, literal), self.covered_by_literal(negative, literal)
            counts = size(positive), size(negative), size(true), size(false)
            if not is_significant(*counts, criteria.penalty, criteria.distinct):
                break
            default, positive, negative = (*default, literal), true, false
            general = limits.full(default) or size(negative) <= ratio * size(positive)
        return (default, positive, negative, general) if default else None

    def grow_exceptions(
        self, positive: Rows, negative: Rows, criteria: GrowthCriteria, limits: RuleLimits
    ) -> tuple[tuple[Rule, ...], Rows, Rows]:
        """Grow rules for positives against negatives; return them with the positives and negatives left uncovered."""
        rules, spared = list[Rule](), negative
        while self.size(positive) >= criteria.support:
            learned = self.grow_rule(positive, negative, criteria, limits.with_rules(*rules))
            if learned is None:
                break
            rule, true, false = learned
            positive, spared = self.minus(positive, true), self.minus(spared, false)
            rules.append(rule)
        return tuple(rules), positive, spared

    # Operations of the optimiser, implemented by the methods above. An engine may override them with faster ones.

    @abstractmethod
    def plus(self, rows: Rows, more: Rows) -> Rows:
        """Return the union of two disjoint sets of rows."""

    def of_label(self, rows: Rows, label: int) -> Rows:
        """Return the rows with this label."""
        return self.split(rows, label)[0]

    def covered_by_rule(self, rows: Rows, rule: Rule) -> Rows:
        """Return the rows that a rule covers."""
        for literal in rule.default:
            rows = self.covered_by_literal(rows, literal)
        for exception in rule.exceptions:
            rows = self.minus(rows, self.covered_by_rule(rows, exception))
        return rows

    def split_by_failing_literal(self, rows: Rows, literals: tuple[Literal, ...]) -> list[Rows]:
        """Return the rows for which all literals are true, then for each literal the rows where only it is false."""
        found = [self.covered_by_rule(rows, Rule(None, literals))]
        for k in range(len(literals)):
            others = self.covered_by_rule(rows, Rule(None, literals[:k] + literals[k + 1 :]))
            found.append(self.minus(others, self.covered_by_literal(others, literals[k])))
        return found

    def gains_and_losses(self, rows: Rows, label: int, right: Rows) -> tuple[Rows, Rows]:
        """Return the rows with the label that are not in ``right``, and the rows with other labels that are."""
        own, others = self.split(rows, label)
        return self.minus(own, right), self.minus(others, self.minus(others, right))

    def neighbouring_numbers(self, rows: Rows, literal: Literal) -> tuple[float, float] | None:
        """Return the largest number up to the literal's value and the smallest above it; None if one is missing."""
        counts = next(each for each in self.counts(rows, self.minus(rows, rows)) if each.feature == literal.feature)
        numbers = [value for value in counts.values if isinstance(value, float)]
        below = [number for number in numbers if number <= literal.value]  # type: ignore[operator]
        above = [number for number in numbers if number > literal.value]  # type: ignore[operator]
        return (max(below), min(above)) if below and above else None

    @abstractmethod
    def folds(self, rows: Rows, count: int, among: int | None = None) -> list[Rows]:
        """Split rows into parts of about equal size by a hash of the record (`table.record_hashes`), not by order.

        If records belong to groups, no group is divided, and parts have about equal numbers of groups.

        Return the first ``count`` of ``among`` parts; None splits into ``count`` parts.
        """

    def improver(self, criteria: GrowthCriteria, price: float) -> RuleImprover[Rows]:
        """Create an object that improves rules and exceptions; each part costs the price."""
        return RuleImprover(self, criteria, price)

    def optimiser_engine(self, rows: Rows) -> tuple[Engine[Any], Any]:
        """Return an equivalent engine that is faster for repeated small changes of a list, and the same rows in it."""
        return self, rows

    @abstractmethod
    def distinct(self) -> Sequence[int]:
        """Return the number of values of each feature, including missing; above `literals.MANY`, any larger number."""
