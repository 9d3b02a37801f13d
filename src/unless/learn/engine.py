"""An engine tells a learner how many positive and negative rows have each value.

The learner never looks into sets of rows; it only hands them back to the engine. Counts can be added up, so an engine
may keep its rows anywhere: in memory, in a database, on many machines. Answers depend on the order of features and
values, never on the order of rows, so every engine learns the same program.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

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


class StopLearning(Exception):  # noqa: N818 - not an error: learning stops, and what was learned is kept
    """Raised to stop a learner, in the middle of a rule too."""


@dataclass(frozen=True, slots=True)
class GrowthCriteria:
    """What our own learner demands of a rule."""

    ratio: float
    """A default is general, so that exceptions can do the rest, with at most this many negatives per positive."""
    penalty: float
    """How significant each literal must be (`literals.is_significant`)."""
    support: float
    """How many positives each literal, rule and exception must cover; more than 0."""
    distinct: list[int]
    """How many values each feature has (`Engine.distinct`)."""


class Engine(ABC, Generic[Rows]):
    """What a learner may ask."""

    target: str
    features: tuple[str, ...]
    labels: tuple[Label, ...]
    columns: tuple[Column, ...] = ()
    """The features, for what kinds of values they have; nobody looks at their rows."""
    banned: tuple[Literal, ...] = ()
    """No literal on the value of one of these is ever found."""
    whole: frozenset[str] = frozenset()
    """The features whose numbers are all whole, so that their thresholds may be."""
    late: Callable[[], bool] | None = None
    """Asked before every search for a literal; if it says so, the learner stops there (`StopLearning`)."""
    checkpoints: CheckpointStore | None = None
    """Where learners note what they learn, so that they can be interrupted and go on."""

    @abstractmethod
    def all_rows(self) -> Rows:
        """All rows."""

    @abstractmethod
    def size(self, rows: Rows) -> float:
        """How many rows, or how much they weigh."""

    @abstractmethod
    def label_weights(self, rows: Rows) -> Sequence[float]:
        """How many rows each label has, or how much they weigh."""

    @abstractmethod
    def split(self, rows: Rows, label: int) -> tuple[Rows, Rows]:
        """The rows with this label, given by its index, and all others."""

    @abstractmethod
    def covered_by_literal(self, rows: Rows, literal: Literal) -> Rows:
        """The rows for which the literal is true."""

    @abstractmethod
    def minus(self, rows: Rows, gone: Rows) -> Rows:
        """The rows without those that are gone."""

    @abstractmethod
    def counts(self, positive: Rows, negative: Rows) -> Iterator[ValueCounts]:
        """Positive and negative rows per value, feature by feature in order."""

    def find_literal(
        self,
        positive: Rows,
        negative: Rows,
        score: LiteralScore,
        used: tuple[Literal, ...] = (),
        allowed: AllowedKinds | None = None,
    ) -> FoundLiteral | None:
        """The literal with the best score, from the counts (`literals.find_literal`).

        An engine may find the same literal in a faster way. Only literals of kinds that are ``allowed`` are found
        (`literals.LITERAL_KINDS`); None allows all.
        """
        self.check_stop()
        return find_literal(self.counts(positive, negative), score, (*self.banned, *used), allowed)

    def best_literal(
        self, positive: Rows, negative: Rows, used: tuple[Literal, ...], allowed: AllowedKinds | None = None
    ) -> Literal | None:
        """The literal with the largest information gain: Algorithm 2."""
        found = self.find_literal(positive, negative, GAIN, used, allowed)
        return None if found is None else found.literal

    def check_stop(self) -> None:
        """Stop the learner if it is late."""
        if self.late is not None and self.late():
            raise StopLearning

    def learn_paper_rule(
        self, positive: Rows, negative: Rows, ratio: float, used: tuple[Literal, ...], level: int
    ) -> tuple[Rule, Rows, Rows] | None:
        """What `fold.learn_rule` learns without constraints, if an engine has a faster way; None if it has not."""

    # What our own learner asks, in terms of the questions above. An engine may answer in a faster way.

    def grow_rule(
        self, positive: Rows, negative: Rows, criteria: GrowthCriteria, limits: RuleLimits = NO_LIMITS
    ) -> tuple[Rule, Rows, Rows] | None:
        """A rule that covers enough positives, and fewer negatives, with the positives and negatives that it covers."""
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
        """The literals of a rule, what they cover, and whether exceptions can do the rest; None without literals."""
        size, ratio = self.size, limits.ratio(criteria.ratio)
        purest = LiteralScore("purity", criteria.support)
        default: tuple[Literal, ...] = ()
        general = False
        while not general:
            found = self.find_literal(positive, negative, purest, allowed=limits.allowed(default))
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
        """Rules for positives against negatives, and the positives and negatives that they do not cover."""
        rules, spared = list[Rule](), negative
        while self.size(positive) >= criteria.support:
            learned = self.grow_rule(positive, negative, criteria, limits.with_rules(*rules))
            if learned is None:
                break
            rule, true, false = learned
            positive, spared = self.minus(positive, true), self.minus(spared, false)
            rules.append(rule)
        return tuple(rules), positive, spared

    # What optimising asks, in terms of the questions above. An engine may answer in a faster way.

    @abstractmethod
    def plus(self, rows: Rows, more: Rows) -> Rows:
        """The rows of both, which have none in common."""

    def of_label(self, rows: Rows, label: int) -> Rows:
        """The rows with this label."""
        return self.split(rows, label)[0]

    def covered_by_rule(self, rows: Rows, rule: Rule) -> Rows:
        """The rows that a rule covers."""
        for literal in rule.default:
            rows = self.covered_by_literal(rows, literal)
        for exception in rule.exceptions:
            rows = self.minus(rows, self.covered_by_rule(rows, exception))
        return rows

    def split_by_failing_literal(self, rows: Rows, literals: tuple[Literal, ...]) -> list[Rows]:
        """The rows for which all literals are true, and for each literal the rows for which only it is false."""
        found = [self.covered_by_rule(rows, Rule(None, literals))]
        for k in range(len(literals)):
            others = self.covered_by_rule(rows, Rule(None, literals[:k] + literals[k + 1 :]))
            found.append(self.minus(others, self.covered_by_literal(others, literals[k])))
        return found

    def gains_and_losses(self, rows: Rows, label: int, right: Rows) -> tuple[Rows, Rows]:
        """Of the rows, those of the label that are not among the right ones, and those of other labels that are."""
        own, others = self.split(rows, label)
        return self.minus(own, right), self.minus(others, self.minus(others, right))

    def neighbouring_numbers(self, rows: Rows, literal: Literal) -> tuple[float, float] | None:
        """The largest number up to the literal's and the smallest above it, in the rows; None if one is missing."""
        counts = next(each for each in self.counts(rows, self.minus(rows, rows)) if each.feature == literal.feature)
        numbers = [value for value in counts.values if isinstance(value, float)]
        below = [number for number in numbers if number <= literal.value]  # type: ignore[operator]
        above = [number for number in numbers if number > literal.value]  # type: ignore[operator]
        return (max(below), min(above)) if below and above else None

    @abstractmethod
    def folds(self, rows: Rows, count: int, among: int | None = None) -> list[Rows]:
        """Parts of the rows, about as large: by a hash of the record (`table.record_hashes`), not by order.

        They are the first of ``among`` parts; of as many as are asked for, if None.
        """

    def improver(self, criteria: GrowthCriteria, price: float) -> RuleImprover[Rows]:
        """What improves rules and exceptions; each costs a price."""
        return RuleImprover(self, criteria, price)

    def optimiser_engine(self, rows: Rows) -> tuple[Engine[Any], Any]:
        """An engine that answers the same, faster where a list is changed a little again and again; with its rows."""
        return self, rows

    @abstractmethod
    def distinct(self) -> Sequence[int]:
        """How many values each feature has, missing counts as one; beyond `literals.MANY`, any number from there on."""
