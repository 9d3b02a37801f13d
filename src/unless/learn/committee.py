"""A committee of lists: each list corrects what the ones before it got wrong (gradient boosting).

A list is learned from half of the records, weighted by how far the committee is from their labels, with some of the
columns; in every other list the rarest label comes first, not the most popular one. Its rules then get points for each
class: a Newton step on the log-loss of all records. A record that the rules were learned from flatters them, so it
counts less there than one that they have never seen; that is what makes the probabilities honest. docs/accuracy.md has
the figures.

Which records a list learns from depends on their values and on the seed, not on their order. Records with the same
values go together, so a record of weight 2 is the same as two records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unless.learn import own
from unless.learn.fold import Learned
from unless.learn.memory import MemoryEngine
from unless.learn.weights import Weights
from unless.rule import Program, Rule
from unless.score.committee import Committee
from unless.score.points import Points, points_of, probabilities_of
from unless.score.votes import MAX_RULES, Votes
from unless.table import Table
from unless.table.hashes import mixed, record_hashes

Progress = Callable[[int, int], object]
"""Called before each list and rule with the number of lists and of rules in the current one; True stops learning."""

_ROWS = 0.55
"""The share of the records that a list learns from."""

_COLUMNS, _FEW = (0.8, 0.6, 0.4), 8
"""The shares of the columns that lists learn from, in turn; if there are few columns, all of them."""

_FLOOR = 0.05
"""What a record weighs even if the committee is sure of its label."""

_KNOWN = 0.3
"""How much a record that the rules of a list were learned from counts for their points."""

_STEADY = 2.0
"""How much is added to the second derivative: points of rules that decide few records stay small."""

_LARGEST = 4.0
"""The largest step of a rule, in logits, before it is multiplied by the rate."""

_SURE = 0.001
"""Learning stops when the committee gives the right labels of training all but this much, in the mean."""


@dataclass(frozen=True, slots=True)
class CommitteeSettings:
    """How lists are learned; `UnlessCommittee` explains what users can set."""

    size: int = 100
    rate: float = 0.22
    ratio: float = 0.75
    penalty: float = 1.0
    min_support: float = 3
    max_rules: int | None = None


@dataclass(frozen=True, slots=True)
class LearnedCommittee:
    """A committee, and what stopped the learner, if something did."""

    committee: Committee
    interrupted: KeyboardInterrupt | None


def learn_committee(
    table: Table,
    counts: Weights | None = None,
    settings: CommitteeSettings = CommitteeSettings(),  # noqa: B008 - it is frozen
    seed: int = 0,
    progress: Progress | None = None,
    *,
    n_jobs: int | None = None,
) -> LearnedCommittee:
    """Learn a committee from records that count so often. Ctrl-C keeps the lists learned so far."""
    training = _Training(table, np.ones(len(table)) if counts is None else counts, settings, seed, n_jobs)
    interrupted: KeyboardInterrupt | None = None
    try:
        while len(training.lists) < settings.size and not training.sure():
            if training.lists and progress and progress(len(training.lists), 0):
                break
            learned = training.candidate(progress)
            interrupted = learned.interrupted
            if interrupted and training.lists:
                break
            training.accept(learned.program)
            if interrupted:
                break
    except KeyboardInterrupt as stop:
        interrupted = stop
    return LearnedCommittee(training.committee(), interrupted)


class _Training:
    """The records, the lists so far, and the points that they give to each record."""

    def __init__(
        self, table: Table, counts: Weights, settings: CommitteeSettings, seed: int, n_jobs: int | None
    ) -> None:
        self.table, self.counts, self.settings, self.n_jobs = table, counts, settings, n_jobs
        self.truth = table.labels.codes.astype(np.intp)
        self.classes = len(table.labels.labels)
        shares = np.bincount(self.truth, counts, self.classes) + 0.5
        self.base = points_of(np.log(shares / shares.sum()))
        self.sums = np.tile(self.base, (len(table), 1))
        self.chances = probabilities_of(self.sums)
        self.lists: list[Program] = []
        self.points: list[Points] = []
        self.generator = np.random.default_rng(seed)
        self.identities = record_hashes(table.columns, len(table))
        self.known = np.zeros(len(table), dtype=bool)

    def sure(self) -> bool:
        """Whether there is nothing left to correct."""
        wrong = 1.0 - self.chances[np.arange(len(self.truth)), self.truth]
        return bool(self.counts @ wrong < _SURE * self.counts.sum()) or not self.table.columns

    def candidate(self, progress: Progress | None) -> Learned:
        """The next list, learned from some of the records and columns."""
        settings, table = self.settings, self.table
        salt = self.generator.integers(0, 2**63, dtype=np.uint64)
        count = len(table.columns)
        share = 1.0 if count <= _FEW else _COLUMNS[len(self.lists) % len(_COLUMNS)]
        taken = max(min(2, count), int(np.ceil(share * count)))
        picked = np.sort(self.generator.permutation(count)[:taken])
        wrong = 1.0 - self.chances[np.arange(len(self.truth)), self.truth]
        self.known = _uniform(self.identities, salt) < _ROWS
        weights = np.where(self.known, (wrong + _FLOOR) * self.counts, 0.0)
        if not weights.any():  # few records: take them all
            self.known[:] = True
            weights = (wrong + _FLOOR) * self.counts
        unit = 2.0**-10 * max(1.0, float(np.exp2(np.ceil(np.log2(self.counts.sum()) - 20))))  # fits into 32 bits
        weights = np.rint(weights * (self.counts[self.known].sum() / (weights.sum() * unit)))
        some = Table(tuple(table.columns[place] for place in picked), table.target, len(table), table.missing)
        most = min(settings.max_rules or MAX_RULES, MAX_RULES)
        done = len(self.lists)

        def enough(_: int, rules: int) -> bool:
            return rules + 1 >= most or bool(progress and progress(done, rules))

        engine = MemoryEngine(some, weights, unit, n_jobs=self.n_jobs)
        one = own.Settings(
            settings.ratio, settings.penalty, settings.min_support, optimise=False, rare_first=done % 2 == 1
        )
        return own.learn_unless(engine, one, enough)

    def accept(self, program: Program) -> None:
        """Give points to the rules of a list, and add them to those of the records."""
        numbers = np.arange(len(program.rules), dtype=np.int64)[:, None]
        used = [self.table.column(feature) for feature in program.used]
        decided = np.zeros((len(self.table), 1), np.int32)
        Votes([program], [numbers], used).add([column.codes for column in used], decided)
        rule = decided[:, 0]
        points = self._newton(rule, len(program.rules))
        self.sums += points[rule]
        self.chances = probabilities_of(self.sums)
        labels, best = self.table.labels.labels, points.argmax(axis=1)
        rules = (Rule(labels[best[k]], one.default, one.exceptions) for k, one in enumerate(program.rules))
        self.lists.append(Program(program.target, self.table.features, tuple(rules)))
        self.points.append(points)

    def _newton(self, rule: NDArray[np.int32], rules: int) -> Points:
        """The step of each rule and class that lowers the log-loss most, by its first and second derivatives."""
        weight = self.counts * np.where(self.known, _KNOWN, 1.0)
        first = np.bincount(rule * self.classes + self.truth, weight, rules * self.classes)
        first = first.reshape(rules, self.classes)
        second = np.empty((rules, self.classes))
        for place in range(self.classes):
            chance = self.chances[:, place]
            expected = weight * chance
            first[:, place] -= np.bincount(rule, expected, rules)
            second[:, place] = np.bincount(rule, expected * (1.0 - chance), rules)
        shrunk = self.settings.rate * (self.classes - 1) / self.classes
        step = np.clip(first / (second + _STEADY), -_LARGEST, _LARGEST)
        return points_of(step * shrunk)

    def committee(self) -> Committee:
        labels = self.table.labels
        return Committee(
            labels.name, self.table.features, labels.labels, self.base, tuple(self.lists), tuple(self.points)
        )


def _uniform(identities: NDArray[np.uint64], salt: np.uint64) -> NDArray[np.float64]:
    """A number from 0 to 1 for each identity, at random for each salt."""
    return (mixed(identities ^ salt) >> np.uint64(11)).astype(np.float64) * 2.0**-53
