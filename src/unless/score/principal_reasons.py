"""Find the principal reasons for the decisions on a table, many rows at a time (`rule.reason_factors`).

For a list that decides by its rules, the order of factors is that of `rule.reason_plan`. A committee adds up: each list
whose deciding rule favours the label over the runner-up counts with the points of that lead, for each reason why its
rule holds. A rule without conditions counts for what the record lacked for the nearest rules of its list that favour
the label less. The reasons with the most points come first; of equals, the one that comes first in the votes. A list
that decides by its points, or by costs, votes in the same way with the parts of its score card: one that favours the
label counts where it holds, one that favours the other where it does not, and the deciding rule counts with what it
adds to the mean of the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.model.points import Points, expand_to_all_labels
from unless.model.prediction import Decider, decide, deciding_rules, head_indices, tested_columns
from unless.rule import Condition, Literal, Program, Rule
from unless.rule.reason_factors import (
    Factor,
    Guard,
    Items,
    ReasonPlan,
    reason_plan,
    reason_plans,
    shortfalls,
    why_holds,
)
from unless.rule.reason_words import DEFAULT_REASONS, MOST_REASONS, Reason, ReasonWords
from unless.score.committee import Committee
from unless.score.score_card import ScoreCard
from unless.score.score_decider import ScoreDecider
from unless.table import Table
from unless.values import Label

Bools = NDArray[np.bool_]
Places = NDArray[np.int32]
ClassPlaces = NDArray[np.int64]

_BLOCK = 1 << 14
"""Rows per block: the truth values of a literal in 16 KB."""

_MOST = 100
"""The maximum number of reasons for a decision."""

_NAMED = 3  # of what is missing, in a message


@dataclass(frozen=True, slots=True, eq=False)
class TableReasons:
    """The reasons for each row: ``places`` are indices into ``reasons`` (row × position), -1 for no reason."""

    reasons: tuple[Reason, ...]
    places: Places

    def of_row(self, row: int) -> tuple[Reason, ...]:
        """Return the reasons for one row, the first one first."""
        return tuple(self.reasons[place] for place in self.places[row].tolist() if place >= 0)

    def counts(self) -> dict[Reason, int]:
        """Count the rows that have each reason, most frequent first."""
        found = np.bincount(self.places[self.places >= 0], minlength=len(self.reasons)).tolist()
        named = zip(self.reasons, found, strict=True)
        return dict(sorted(((one, count) for one, count in named if count), key=lambda pair: (-pair[1], pair[0])))


def check_most(most: object) -> int:
    """Return the number of reasons to give at most."""
    if not isinstance(most, int) or isinstance(most, bool) or not 1 <= most <= _MOST:
        raise ParameterError(f"the number of reasons must be from 1 to {_MOST}, not {most!r}")
    return most


def decider_factors(decider: Decider) -> dict[Factor, list[int | None]]:
    """Return every factor that may be a reason, in order, with the rules whose decisions have it (None: no rule).

    For a committee, with the lists whose votes have it.
    """
    found: dict[Factor, list[int | None]] = {}
    for index, factors in _factors_by_place(decider):
        for factor in dict.fromkeys(factors):
            found.setdefault(factor, []).append(index)
    return found


def unexplained_rules(decider: Decider) -> list[int | None]:
    """Return the rules whose decisions have no reasons, because no condition was tested; None is no rule."""
    if voting_lists(decider) is not None:
        return [] if decider_factors(decider) else [None]
    return [index for index, factors in _factors_by_place(decider) if not any(factors)]


def _factors_by_place(decider: Decider) -> Iterator[tuple[int | None, Iterator[Factor]]]:
    if (votes := voting_lists(decider)) is None:
        yield from ((index, plan.factors()) for index, plan in reason_plans(decider.lists[0]).items())
        return
    for place, program in enumerate(votes.lists):
        plans = (_vote_plan(program, index) for index in range(len(program.rules)))
        yield place, chain.from_iterable(plan.factors() for plan in plans)


def require_wording(decider: Decider, words: ReasonWords) -> None:
    """Raise an error if a reason for a decision has no wording."""
    lacking = [factor for factor in decider_factors(decider) if words.find(factor) is None]
    if lacking:
        named = ", ".join(str(one) for one in lacking[:_NAMED])
        more = f" and {len(lacking) - _NAMED} more" if len(lacking) > _NAMED else ""
        raise ParameterError(f"no wording for {named}{more}; add one, or an entry any for the feature")


@dataclass(frozen=True, slots=True, eq=False)
class VotingLists:
    """Lists that add points to classes; the last rule of a list covers every record."""

    classes: tuple[Label, ...]
    lists: tuple[Program, ...]
    points: tuple[Points, ...]


def voting_lists(decider: Decider) -> VotingLists | None:
    """Return what adds points, if points decide: the lists of a committee, or each part of a score card as a list."""
    if isinstance(decider, ScoreDecider):
        if decider.by == "rules":
            return None
        return _card_votes(decider.score) if isinstance(decider.score, ScoreCard) else voting_lists(decider.score)
    return VotingLists(decider.classes, decider.lists, decider.points) if isinstance(decider, Committee) else None


def _card_votes(card: ScoreCard) -> VotingLists:
    """Return the program with the points of deciding rules, and a list for each part: it holds, or not.

    Points are doubled, and the mean of each list is 0: a part that holds adds as much as one that does not takes away.
    """
    program, label = card.program, card.classes[0]
    points = expand_to_all_labels(card.points, len(card.classes))
    decides = [place for place, part in enumerate(card.parts) if part.kind == "decides"]
    rules = (*program.rules, *[Rule(label)] * (len(decides) - len(program.rules)))
    means = np.rint(2 * points[decides].mean(axis=0)).astype(np.int64)
    lists, added = [replace(program, rules=rules, otherwise=None)], [2 * points[decides] - means]
    for part, own in zip(card.parts, points, strict=True):
        if (rule := part.condition) is not None and own.any():
            lists.append(replace(program, rules=(replace(rule, head=label), Rule(label)), otherwise=None))
            added.append(np.stack([own, -own]))
    return VotingLists(card.classes, tuple(lists), tuple(added))


def rules_of_list(decider: Decider, table: Table, choices: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the index of the rule that covers each row first, whatever decides its label; -1 if no rule does."""
    return choices if isinstance(decider, Program) else deciding_rules(decider.lists[0], table)


class ReasonFinder:
    """Finds the reasons for rows of tables; a reason has the same index in all of them."""

    def __init__(self, decider: Decider, words: ReasonWords = DEFAULT_REASONS, most: int = MOST_REASONS) -> None:
        self.decider, self.words, self.most = decider, words, check_most(most)
        self._votes = voting_lists(decider)
        self._places: dict[str, int] = {}
        self._factors: dict[Factor, int] = {}
        self._plans: dict[tuple[int, Label | None], ReasonPlan] = {}
        self.reasons: list[Reason] = []
        for factor in decider_factors(decider):  # in an order that does not depend on rows
            self.place(factor)

    def find(self, table: Table, choices: NDArray[np.int32]) -> TableReasons:
        """Find the reasons for each row of a table, from the index of its label in ``decider.heads``."""
        tested = Table(tuple(tested_columns(self.decider.all_rules, table)), rows=len(table))
        places = np.full((len(table), self.most), -1, np.int32)
        for start in range(0, len(table), _BLOCK):
            block = slice(start, start + _BLOCK)
            own = tested[block], choices[block]
            if self._votes is None:
                places[block] = self._fill_by_rule(*own)
            else:
                labels = _two_classes(self.decider, self._votes.classes, table[block], choices[block])
                places[block] = self._fill_by_votes(self._votes, tested[block], *labels)
        return TableReasons(tuple(self.reasons), places)

    def place(self, factor: Factor) -> int:
        """Return the index of the reason that a factor is called; factors with the same code share it."""
        if factor not in self._factors:
            reason = self.words.reason(factor)
            place = self._places.setdefault(reason.code, len(self.reasons))
            if place == len(self.reasons):
                self.reasons.append(reason)
            self._factors[factor] = place
        return self._factors[factor]

    def _fill_by_rule(self, table: Table, choices: NDArray[np.int32]) -> Places:
        """Return the indices of the reasons of rows that one list decides."""
        program, heads = self.decider.lists[0], self.decider.heads
        rules = rules_of_list(self.decider, table, choices)
        rules = rules % np.int32(len(program.rules) + 1)  # the last index is for no rule
        cells = rules.astype(np.int64) * len(heads) + choices % len(heads)
        places = np.full((len(table), self.most), -1, np.int32)
        for cell in np.unique(cells).tolist():
            rows = np.flatnonzero(cells == cell)
            rule, head = divmod(cell, len(heads))
            places[rows] = self._fill_plan(_RowTruths(table[rows]), self._plan(rule, heads[head]))
        return places

    def _plan(self, rule: int, label: Label | None) -> ReasonPlan:
        if (rule, label) not in self._plans:
            program = self.decider.lists[0]
            index = rule if rule < len(program.rules) else None
            self._plans[rule, label] = reason_plan(program, index, label)
        return self._plans[rule, label]

    def _fill_plan(self, rows: _RowTruths, plan: ReasonPlan) -> Places:
        """Return the first reasons of rows that have the same plan, each reason once."""
        places, count = np.full((rows.size, self.most), -1, np.int32), np.zeros(rows.size, np.int32)
        for factor, where in rows.factors(plan):
            place = self.place(factor)
            new = where & (count < self.most) & (places != place).all(axis=1)
            places[new, count[new]] = place
            count[new] += 1
            if (count == self.most).all():
                break
        return places

    def _fill_by_votes(self, votes: VotingLists, table: Table, label: ClassPlaces, rival: ClassPlaces) -> Places:
        """Return the indices of the reasons with the most points for a label of each row, against a rival."""
        rows, sums = _RowTruths(table), np.zeros((len(table), len(self.reasons)), np.int64)
        firsts, step = np.zeros(sums.shape, np.int64), 0
        every = np.arange(len(table))
        for program, points in zip(votes.lists, votes.points, strict=True):
            rules = deciding_rules(program, table)
            leads = (points[:, label] - points[:, rival]).T  # row × rule
            own = leads[every, rules]
            hits: dict[int, Bools] = {}
            for rule in np.unique(rules[own > 0]).tolist():
                where = (rules == rule) & (own > 0)
                for factor, found in rows.vote_factors(_vote_plan(program, rule), where, leads, rule):
                    place, step = self.place(factor), step + 1
                    hits[place] = hits.get(place, False) | found
                    new = found & (firsts[:, place] == 0)
                    firsts[new, place] = step
            for place, found in hits.items():
                sums[found, place] += own[found]
        order = np.argsort(firsts - sums * (step + 1), axis=1, kind="stable")[:, : self.most].astype(np.int32)
        ranked = np.where(np.take_along_axis(sums, order.astype(np.int64), axis=1) > 0, order, np.int32(-1))
        return np.pad(ranked, ((0, 0), (0, self.most - ranked.shape[1])), constant_values=-1)


@lru_cache(1 << 14)
def _vote_plan(program: Program, rule: int) -> ReasonPlan:
    """Return why a rule of a committee's list holds; without conditions, what is lacked for each earlier rule."""
    own = program.rules[rule]
    if own.default or own.exceptions:
        return ReasonPlan(why_holds(own))
    return ReasonPlan((), shortfalls(program.rules[:rule]))


def _two_classes(
    decider: Decider, classes: tuple[Label, ...], table: Table, choices: NDArray[np.int32]
) -> tuple[ClassPlaces, ClassPlaces]:
    """Return the index of the class that each row gets, the leading one if it gets none, and of its runner-up."""
    points = decide(decider, table).points
    if points is None:
        raise ParameterError(f"a {decider.noun} gives no points")
    given = head_indices(decider, classes)[choices]
    label = np.where(given < 0, points.argmax(axis=1), given)
    others = points.astype(np.float64)
    others[np.arange(len(table)), label] = -np.inf
    return label, others.argmax(axis=1)


class _RowTruths:
    """The truth of literals, rules and guards for each row of a table; literals are computed once."""

    def __init__(self, table: Table) -> None:
        self.size = len(table)
        self._columns = {one.name: one for one in table.columns}
        self._truths: dict[Literal, Bools] = {}

    def factors(self, plan: ReasonPlan) -> Iterator[tuple[Factor, Bools]]:
        """Yield the factors in order, with the rows that have them at this place."""
        yield from self._walk(plan.supports, np.ones(self.size, np.bool_))
        distances = [self._count_failing(one.conditions) for one in plan.shortfalls]
        for distance in np.unique(distances).tolist():
            for shortfall, own in zip(plan.shortfalls, distances, strict=True):
                yield from self._walk(shortfall.items, own == distance)

    def vote_factors(
        self, plan: ReasonPlan, where: Bools, leads: NDArray[np.int64], rule: int
    ) -> Iterator[tuple[Factor, Bools]]:
        """Yield the factors of a vote, with the rows that have them: of shortfalls only the nearest."""
        yield from self._walk(plan.supports, where)
        if not plan.shortfalls:
            return
        further = np.iinfo(np.int64).max
        distances = np.array([
            np.where(leads[:, place] < leads[:, rule], self._count_failing(one.conditions), further)
            for place, one in enumerate(plan.shortfalls)
        ])  # fmt: skip
        nearest = distances.min(axis=0)
        for shortfall, own in zip(plan.shortfalls, distances, strict=True):
            yield from self._walk(shortfall.items, where & (own == nearest) & (own < further))

    def _walk(self, items: Items, where: Bools) -> Iterator[tuple[Factor, Bools]]:
        if not where.any():
            return
        for item in items:
            if isinstance(item, Factor):
                yield item, where
            else:
                yield from self._walk(item.items, np.logical_and.reduce([where, *map(self._met, item.guards)]))

    def _met(self, guard: Guard) -> Bools:
        rule, truth = guard
        covered = self._covered(rule)
        return covered if truth else ~covered

    def _covered(self, rule: Rule) -> Bools:
        found = self._all_hold(rule.default)
        for exception in rule.exceptions:  # one frame for each level of exceptions
            found &= ~self._covered(exception)
        return found

    def _all_hold(self, literals: Iterable[Literal]) -> Bools:
        found: Bools = np.logical_and.reduce([np.ones(self.size, np.bool_), *map(self._truth, literals)])
        return found

    def _truth(self, literal: Literal) -> Bools:
        if literal not in self._truths:
            column = self._columns[literal.feature]
            low, end, negated = column.span(literal)
            self._truths[literal] = ((column.codes >= low) & (column.codes < end)) != negated
        return self._truths[literal]

    def _count_failing(self, conditions: Iterable[Condition]) -> NDArray[np.int64]:
        failing = [~self._all_hold(one) for one in conditions]
        return np.sum(failing, axis=0, dtype=np.int64) if failing else np.zeros(self.size, np.int64)
