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

from unless.learn.improve import Improver
from unless.learn.literals import (
    Allowed,
    Counts,
    best_literal,
    purest_literal,
    significant,
    without_implied,
    worthiest_literal,
)
from unless.learn.places import ANYWHERE, Place
from unless.rule import Literal, Rule
from unless.table import Column
from unless.values import Label

if TYPE_CHECKING:
    from unless.learn.diary import Diary

Rows = TypeVar("Rows")


class Enough(Exception):  # noqa: N818 - not an error: learning stops, and what was learned is kept
    """Raised to stop a learner, in the middle of a rule too."""


@dataclass(frozen=True, slots=True)
class Demands:
    """What our own learner demands of a rule."""

    ratio: float
    """A default is general, so that exceptions can do the rest, with at most this many negatives per positive."""
    penalty: float
    """How significant each literal must be (`literals.significant`)."""
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
    """Asked before every search for a literal; if it says so, the learner stops there (`Enough`)."""
    diary: Diary | None = None
    """Where learners note what they learn, so that they can be interrupted and go on."""

    @abstractmethod
    def everything(self) -> Rows:
        """All rows."""

    @abstractmethod
    def size(self, rows: Rows) -> float:
        """How many rows, or how much they weigh."""

    @abstractmethod
    def popularity(self, rows: Rows) -> Sequence[float]:
        """How many rows each label has, or how much they weigh."""

    @abstractmethod
    def split(self, rows: Rows, label: int) -> tuple[Rows, Rows]:
        """The rows with this label, given by its index, and all others."""

    @abstractmethod
    def covered(self, rows: Rows, literal: Literal) -> Rows:
        """The rows for which the literal is true."""

    @abstractmethod
    def minus(self, rows: Rows, gone: Rows) -> Rows:
        """The rows without those that are gone."""

    @abstractmethod
    def counts(self, positive: Rows, negative: Rows) -> Iterator[Counts]:
        """Positive and negative rows per value, feature by feature in order."""

    def best_literal(
        self, positive: Rows, negative: Rows, used: tuple[Literal, ...], allowed: Allowed | None = None
    ) -> Literal | None:
        """Algorithm 2, from the counts. An engine may find the same literal in a faster way.

        Only literals of kinds that are ``allowed`` are found (`literals.KIND`); None allows all.
        """
        self.go_on()
        return best_literal(self.counts(positive, negative), (*self.banned, *used), allowed)

    def purest_literal(
        self, positive: Rows, negative: Rows, support: float, allowed: Allowed | None = None
    ) -> Literal | None:
        """The literal that our own learner adds, from the counts. An engine may find it in a faster way, too."""
        self.go_on()
        return purest_literal(self.counts(positive, negative), support, self.banned, allowed)

    def go_on(self) -> None:
        """Stop the learner if it is late."""
        if self.late is not None and self.late():
            raise Enough

    def folded(
        self, positive: Rows, negative: Rows, ratio: float, used: tuple[Literal, ...], level: int
    ) -> tuple[Rule, Rows, Rows] | None:
        """What `fold.learn_rule` learns without constraints, if an engine has a faster way; None if it has not."""

    # What our own learner asks, in terms of the questions above. An engine may answer in a faster way.

    def rule(
        self, positive: Rows, negative: Rows, demands: Demands, place: Place = ANYWHERE
    ) -> tuple[Rule, Rows, Rows] | None:
        """A rule that covers enough positives, and fewer negatives, with the positives and negatives that it covers."""
        learned = self.default(positive, negative, demands, place)
        if learned is None:
            return None
        default, positive, negative, general = learned
        exceptions: tuple[Rule, ...] = ()
        if general and self.size(negative) and not place.deepest:
            exceptions, negative, positive = self.exceptions(negative, positive, demands, place.exception(default))
        if self.size(positive) < demands.support or self.size(positive) <= self.size(negative):
            return None
        return Rule(None, without_implied(default), exceptions), positive, negative

    def default(
        self, positive: Rows, negative: Rows, demands: Demands, place: Place
    ) -> tuple[tuple[Literal, ...], Rows, Rows, bool] | None:
        """The literals of a rule, what they cover, and whether exceptions can do the rest; None without literals."""
        size, ratio = self.size, place.ratio(demands.ratio)
        default: tuple[Literal, ...] = ()
        general = False
        while not general and not (default and not size(negative)):
            literal = self.purest_literal(positive, negative, demands.support, place.allowed(default))
            if literal is None:
                break
            true, false = self.covered(positive, literal), self.covered(negative, literal)
            counts = size(positive), size(negative), size(true), size(false)
            if not significant(*counts, demands.penalty, demands.distinct):
                break
            default, positive, negative = (*default, literal), true, false
            general = place.full(default) or size(negative) <= ratio * size(positive)
        return (default, positive, negative, general) if default else None

    def exceptions(
        self, positive: Rows, negative: Rows, demands: Demands, place: Place
    ) -> tuple[tuple[Rule, ...], Rows, Rows]:
        """Rules for positives against negatives, and the positives and negatives that they do not cover."""
        rules, spared = list[Rule](), negative
        while self.size(positive) >= demands.support:
            learned = self.rule(positive, negative, demands, place.with_rules(*rules))
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

    def satisfying(self, rows: Rows, rule: Rule) -> Rows:
        """The rows that a rule covers."""
        for literal in rule.default:
            rows = self.covered(rows, literal)
        for exception in rule.exceptions:
            rows = self.minus(rows, self.satisfying(rows, exception))
        return rows

    def failing(self, rows: Rows, literals: tuple[Literal, ...]) -> list[Rows]:
        """The rows for which all literals are true, and for each literal the rows for which only it is false."""
        found = [self.satisfying(rows, Rule(None, literals))]
        for k in range(len(literals)):
            others = self.satisfying(rows, Rule(None, literals[:k] + literals[k + 1 :]))
            found.append(self.minus(others, self.covered(others, literals[k])))
        return found

    def stakes(self, rows: Rows, label: int, right: Rows) -> tuple[Rows, Rows]:
        """Of the rows, those of the label that are not among the right ones, and those of other labels that are."""
        own, others = self.split(rows, label)
        return self.minus(own, right), self.minus(others, self.minus(others, right))

    def gap(self, rows: Rows, literal: Literal) -> tuple[float, float] | None:
        """The largest number up to the literal's and the smallest above it, in the rows; None if one is missing."""
        counts = next(each for each in self.counts(rows, self.minus(rows, rows)) if each.feature == literal.feature)
        numbers = [value for value in counts.values if isinstance(value, float)]
        below = [number for number in numbers if number <= literal.value]  # type: ignore[operator]
        above = [number for number in numbers if number > literal.value]  # type: ignore[operator]
        return (max(below), min(above)) if below and above else None

    @abstractmethod
    def folds(self, rows: Rows, count: int, among: int | None = None) -> list[Rows]:
        """Parts of the rows, about as large: by a hash of the record (`table.hashes.record_hashes`), not by order.

        They are the first of ``among`` parts; of as many as are asked for, if None.
        """

    def worthiest_literal(
        self, positive: Rows, negative: Rows, allowed: Allowed | None = None
    ) -> tuple[Literal, float] | None:
        """The literal that covers the most positives less negatives, and how many those are."""
        self.go_on()
        return worthiest_literal(self.counts(positive, negative), self.banned, allowed)

    def improver(self, demands: Demands, price: float) -> Improver[Rows]:
        """What improves rules and exceptions, each of which costs a price."""
        return Improver(self, demands, price)

    def for_optimising(self, rows: Rows) -> tuple[Engine[Any], Any]:
        """An engine that answers the same, faster where a list is changed a little again and again; with its rows."""
        return self, rows

    @abstractmethod
    def distinct(self) -> Sequence[int]:
        """How many values each feature has, missing counts as one; beyond `literals.MANY`, any number from there on."""
