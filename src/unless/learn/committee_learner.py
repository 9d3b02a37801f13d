"""A committee of lists: each list corrects what the ones before it got wrong (gradient boosting).

A list is learned from half of the records, weighted by how far the committee is from their labels, with some of the
columns; in every other list the rarest label comes first, not the most frequent one. Its rules then get points for each
class: a Newton step on the log-loss of all records. Records that the rules were learned from look better than new ones,
so they count less there; this makes the probabilities realistic. docs/accuracy.md has the figures.

Lists are learned from a table in bins (`binned_table`), or under constraints from the exact table. After some lists,
trials on held-out records choose how strict the learner is, and so how long lists are (`choose_growth_settings`); if
other settings are better, learning starts again.

Which records a list learns from depends on their values and on the seed, not on their order. Records with the same
values go together, so a record of weight 2 is the same as two records; if records belong to groups, whole groups do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unless.constraints import Constraints
from unless.kernels import add_points_and_chances, sum_loss_derivatives
from unless.learn import unless_learner
from unless.learn.binned_table import BinnedTable
from unless.learn.engine import StopLearning
from unless.learn.fold import LearnConstraints
from unless.learn.literals import MANY
from unless.learn.memory_engine import MemoryEngine
from unless.learn.monotone_points import points_in_directions
from unless.learn.settings import RANDOM_STATE, RATIO, LearnerSettings, number, setting, whole_number
from unless.learn.weights import Weights
from unless.model.points import POINTS_PER_LOGIT, Points, points_of, probabilities_of
from unless.model.prediction import deciding_rules
from unless.rule import Program, Rule
from unless.score.committee import Committee
from unless.score.voting_code import MAX_RULES
from unless.table import Table
from unless.table.record_hashes import mix_bits, record_hashes
from unless.threads import resolve_n_jobs
from unless.values import Label

Progress = Callable[[int, int], object]
"""Called before each list and rule with the number of lists and of rules in the current one; True stops learning."""

TimeCheck = Callable[[float], bool]
"""Returns whether this share of the time limit is over."""

_ROWS = 0.55
"""The share of the records that a list learns from."""

_COLUMNS, _FEW = (0.8, 0.6, 0.4), 8
"""The shares of the columns that lists learn from, in turn; lists use all columns if there are few."""

_KNOWN = 0.3
"""The factor by which records that a list was learned from count for its points."""

_STEADY = 2.0
"""The term added to the second derivative, so that points of rules that decide few records stay small."""

_LARGEST = 4.0
"""The largest step of a rule, in logits, before it is multiplied by the rate."""

_SURE = 0.001
"""Learning stops when the mean probability of wrong labels in training falls below this value."""

_GRAIN = 2.0**-6
"""Weights of records are rounded to at most this many units, before they are multiplied by counts."""

_EXACT = 1000
"""The least number of records for which the thresholds of one exact list become bin boundaries."""

_GROWTH_CRITERIA = ((1.0, 1.0, 1.0), (0.5, 2 / 3, 0.2), (0.25, 1 / 3, 0.2))
"""The settings to try, as factors of penalty, support and floor; one that is better than the first may win."""

_SMALL = 25
"""A committee with no more lists than this has no trials."""

_TRIAL, _TRIAL_RATE = 15, 0.6
"""The number of lists in a trial, and their rate; 25 lists at a rate of 0.5 do not choose better."""

_BEFORE, _TRIAL_TIME = 10, 1 / 3
"""The number of lists learned before the trials, for the case of an interruption; the share of time when trials end."""

_TRIAL_LEAST, _TRIAL_RECORDS = 600, 6000
"""The least number of records for trials, and the maximum that trials use; a third of these are held out."""

_LEAST = 0.001
"""Trials clip probabilities at this minimum."""

_BETTER = 1.0
"""The number of standard errors by which a trial must be better."""


@dataclass(frozen=True, slots=True)
class CommitteeSettings(LearnerSettings):
    """The parameters of a committee."""

    size: int = whole_number(100, "The number of lists.", 1, metavar="N", audience="committee")
    rate: float = number(0.22, "How much each list corrects, from 0 to 1; lower values need more lists.", high=1)
    ratio: float = number(0.75, RATIO, high=1)
    penalty: float = number(1.0, "Higher values give fewer and shorter rules.")
    min_support: float = number(3, "The number of records that every rule must cover.")
    random_state: Any = setting(0, RANDOM_STATE, kind="seed")
    n_jobs: int | None = setting(-1, "Number of threads for learning and predicting; the lists do not depend on it.")
    floor: float = 0.05
    """The weight of a record even if the committee is certain of its label."""


DEFAULTS = CommitteeSettings()


@dataclass(frozen=True, slots=True)
class LearnedCommittee:
    """A committee, the exception that stopped the learner, if any, and the settings that trials chose.

    ``sums`` are the points of each record, as from `Committee.sums`; for records that do not count they may differ,
    where a cell lies between the cells of two records that count.
    """

    committee: Committee
    interrupted: KeyboardInterrupt | None
    settings: CommitteeSettings
    sums: Points = field(compare=False, repr=False)


def learn_committee(
    table: Table,
    counts: Weights | None = None,
    settings: CommitteeSettings = DEFAULTS,
    seed: int = 0,
    progress: Progress | None = None,
    *,
    late: TimeCheck | None = None,
    n_jobs: int | None = None,
) -> LearnedCommittee:
    """Learn a committee from a table with counts of its records. Ctrl-C keeps the lists learned so far."""
    first = training = _BoostingState(table, np.ones(len(table)) if counts is None else counts, settings, seed, n_jobs)
    trials = training.free and settings.size > _SMALL
    interrupted: KeyboardInterrupt | None = None
    try:
        if training.learn(_BEFORE if trials else settings.size, progress) and trials:
            chosen = choose_growth_settings(training, seed, progress, late)
            if chosen != settings:
                training = training.without_lists(chosen, seed)
            training.learn(settings.size, progress)
    except KeyboardInterrupt as stop:
        interrupted = stop
    if len(training.found) < len(first.found) and not training.is_finished():  # it was stopped soon after a restart
        training = first
    committee = training.committee()
    sums = training.sums if interrupted is None else committee.sums(table)
    return LearnedCommittee(committee, interrupted, training.settings, sums)


@dataclass(frozen=True, slots=True)
class _Sample:
    """The input of one list: column indices, the weight of each record in units, and a function that stops learning."""

    picked: NDArray[np.intp]
    weights: NDArray[np.float64]
    unit: float
    enough: Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class _CandidateList:
    """A list of rules without labels, and the index of the rule that decides each record."""

    size: int
    rules: Callable[[Sequence[Label]], list[Rule]]
    decided: NDArray[np.int32]
    interrupted: KeyboardInterrupt | None


class _BoostingState:
    """The records, the lists so far, and the points that they give to each record."""

    def __init__(
        self, table: Table, counts: Weights, settings: CommitteeSettings, seed: int, n_jobs: int | None
    ) -> None:
        self.table, self.counts, self.settings, self.n_jobs = table, counts, settings, n_jobs
        self.truth = table.labels.codes.astype(np.int32)
        self.classes = len(table.labels.labels)
        shares = np.bincount(self.truth, counts, self.classes) + 0.5
        self.base = points_of(np.log(shares / shares.sum()))
        asked = settings.constraints or Constraints()
        self.columns = tuple(column for column in table.columns if column.name not in asked.never)
        self.free, self.directions = not replace(asked, never=()), asked.monotone
        groups = table.group_numbers
        self.identities = record_hashes(self.columns, len(table)) if groups is None else groups
        self.binned: BinnedTable | None = None
        self._begin(seed)

    def _begin(self, seed: int) -> None:
        """Start without lists."""
        self.sums = np.tile(self.base, (len(self.table), 1))
        self.chances = probabilities_of(self.sums)
        self.wrong = 1.0 - self.chances[np.arange(len(self.truth)), self.truth]  # the distance from each label
        self.found: list[tuple[_CandidateList, Points]] = []
        self.generator = np.random.default_rng(seed)
        self.known = np.zeros(len(self.table), dtype=bool)

    def without_lists(self, settings: CommitteeSettings, seed: int) -> _BoostingState:
        """Return a copy with the same records, without lists, for other settings."""
        fresh = copy(self)
        fresh.settings = settings
        fresh._begin(seed)  # noqa: SLF001 - it is one of these
        return fresh

    def put_into_bins(self, progress: Progress | None) -> None:
        """Put the table into bins, unless done before; all lists share the bins."""
        if self.free and self.binned is None:
            exact = self._learn_exact_list(progress).rules if self.counts.sum() >= _EXACT else ()
            literals = (literal for rule in exact for literal in rule.literals())
            self.binned = BinnedTable(self.columns, self.counts, resolve_n_jobs(self.n_jobs), literals)

    def _learn_exact_list(self, progress: Progress | None) -> Program:
        """Learn a list from exact numbers, or only its first rules if time is over; raise Ctrl-C."""
        table = replace(self.table, columns=self.columns)
        engine = MemoryEngine(table, self.counts, n_jobs=self.n_jobs)
        settings = unless_learner.UnlessSettings(penalty=1.0, optimise=False)
        learned = unless_learner.learn_unless(engine, settings, lambda _, rules: bool(progress and progress(0, rules)))
        if learned.interrupted is not None:
            raise learned.interrupted
        return learned.program

    def is_finished(self) -> bool:
        """Return whether there is nothing left to correct."""
        return not self.columns or bool(self.counts @ self.wrong < _SURE * self.counts.sum())

    def learn(self, size: int, progress: Progress | None) -> bool:
        """Learn until there are ``size`` lists; return False if time is over, or nothing is left to correct."""
        if len(self.found) < size and not self.is_finished():
            self.put_into_bins(progress)
        while len(self.found) < size and not self.is_finished():
            if self.found and progress and progress(len(self.found), 0):
                return False
            learned = self.candidate(progress)
            if learned.interrupted is None or not self.found:
                self.accept(learned)
            if learned.interrupted is not None:
                raise learned.interrupted
        return len(self.found) == size

    def candidate(self, progress: Progress | None) -> _CandidateList:
        """Learn the next list from some of the records and columns."""
        salt = self.generator.integers(0, 2**63, dtype=np.uint64)
        count = len(self.columns)
        share = 1.0 if count <= _FEW else _COLUMNS[len(self.found) % len(_COLUMNS)]
        taken = max(min(2, count), int(np.ceil(share * count)))
        picked = np.sort(self.generator.permutation(count)[:taken])
        self.known = _uniform_numbers(self.identities, salt) < _ROWS
        if not self.counts[self.known].any():  # few records: use all of them
            self.known[:] = True
        rows = np.flatnonzero(self.known)
        need, counts = self.wrong[rows] + self.settings.floor, self.counts[rows]
        unit = 2.0**-10 * max(1.0, float(np.exp2(np.ceil(np.log2(self.counts.sum()) - 20))))  # fits into 32 bits
        grain = min(unit, _GRAIN)
        each = np.rint(need * (counts.sum() / (need @ counts) / grain))  # a record of weight 2 equals two of weight 1
        weights = np.zeros(len(self.table))
        weights[rows] = np.rint(each * counts * (grain / unit))
        most = min(self.settings.max_rules or MAX_RULES, MAX_RULES)
        done = len(self.found)

        def enough(_: int, rules: int) -> bool:
            return rules + 1 >= most or bool(progress and progress(done, rules))

        sample = _Sample(picked, weights, unit, enough)
        return (
            self._learn_with_constraints(sample) if self.binned is None else self._learn_from_bins(sample, self.binned)
        )

    def _learn_from_bins(self, sample: _Sample, binned: BinnedTable) -> _CandidateList:
        """Learn a list from the table in bins."""
        settings, lists = self.settings, binned.lists

        def check_stop(rules: int) -> None:
            if sample.enough(0, rules):
                raise StopLearning

        interrupted: KeyboardInterrupt | None = None
        support = max(float(settings.min_support), 1e-9)  # a rule must cover something
        criteria = (
            settings.ratio,
            settings.penalty,
            support,
            sample.unit,
            MANY,
            self.classes,
            unless_learner.RETRY_SHARE,
        )
        units, picked = sample.weights.astype(np.int32), sample.picked.astype(np.int32)
        index = np.flatnonzero(units).astype(np.int32)
        decided = np.full(len(self.table), MAX_RULES, np.int32)
        try:
            lists.learn(index, self.truth, units, picked, criteria, self._rare_first(), MAX_RULES, check_stop, decided)
        except StopLearning:
            pass
        except KeyboardInterrupt as stop:
            interrupted = stop
        heads, code = lists.learned()
        np.minimum(decided, len(heads) - 1, out=decided)
        lists.decide(code, len(heads) - 1, np.flatnonzero(units == 0).astype(np.int32), decided)
        return _CandidateList(len(heads), lambda heads: binned.rules(code, heads), decided, interrupted)

    def _learn_with_constraints(self, sample: _Sample) -> _CandidateList:
        """Learn a list under constraints from the exact table."""
        settings, table = self.settings, self.table
        some = replace(table, columns=tuple(self.columns[place] for place in sample.picked))
        engine = MemoryEngine(some, sample.weights, sample.unit, n_jobs=self.n_jobs)
        one = unless_learner.UnlessSettings(
            settings.ratio,
            settings.penalty,
            settings.min_support,
            optimise=False,
            rare_first=self._rare_first(),
            learn_constraints=LearnConstraints(settings.constraints),
        )
        learned = unless_learner.learn_unless(engine, one, sample.enough)
        rules = learned.program.rules
        decided = deciding_rules(learned.program, table)
        return _CandidateList(
            len(rules),
            lambda heads: [Rule(head, one.default, one.exceptions) for head, one in zip(heads, rules, strict=True)],
            decided,
            learned.interrupted,
        )

    def _rare_first(self) -> bool:
        """Return whether the next list begins with the rarest label."""
        return len(self.found) % 2 == 1

    def accept(self, found: _CandidateList) -> None:
        """Give points to the rules of a list, and add them to those of the records."""
        points = self._newton_step(found)
        sums, chances = self.sums.reshape(-1), self.chances.reshape(-1)
        self.found.append((found, points))  # at once: after Ctrl-C here, sums are computed again from these lists
        add_points_and_chances(
            found.decided, points.reshape(-1), POINTS_PER_LOGIT, self.truth, sums, chances, self.wrong
        )

    def _newton_step(self, found: _CandidateList) -> Points:
        """Return the Newton step of each rule and class on the log-loss, in the required directions."""
        weight = self.counts * np.where(self.known, _KNOWN, 1.0)
        first, second = np.zeros(found.size * self.classes), np.zeros(found.size * self.classes)
        sum_loss_derivatives(found.decided, self.truth, weight, self.chances.reshape(-1), first, second)
        shrunk = self.settings.rate * (self.classes - 1) / self.classes
        step = np.clip(first / (second + _STEADY), -_LARGEST, _LARGEST).reshape(found.size, self.classes)
        if self.directions:
            labels, weights = self.table.labels, second.reshape(step.shape) + _STEADY
            rules = Program(labels.name, self.table.features, tuple(found.rules([labels.labels[0]] * found.size)))
            step = points_in_directions(rules, self.directions, labels.labels, step, weights)
        return points_of(step * shrunk)

    def committee(self) -> Committee:
        """Return the lists, where each rule has the label to which it gives the most points."""
        labels, features = self.table.labels, self.table.features
        lists = []
        for found, points in self.found:
            rules = found.rules([labels.labels[k] for k in points.argmax(axis=1)])
            lists.append(Program(labels.name, features, tuple(rules)))
        every = tuple(points for _, points in self.found)
        return Committee(labels.name, features, labels.labels, self.base, tuple(lists), every)


def choose_growth_settings(
    training: _BoostingState, seed: int, progress: Progress | None, late: TimeCheck | None = None
) -> CommitteeSettings:
    """Choose the settings that are best on held-out records in trials with small committees, if there is time.

    If there is much to learn, lists must be long; if labels are noise, long lists learn the noise.
    """
    done = len(training.found)

    def stop(_: int, rules: int) -> bool:
        return bool((progress and progress(done, rules)) or (late and late(_TRIAL_TIME)))

    settings, counts = training.settings, training.counts
    chance = _uniform_numbers(training.identities, np.uint64(seed % 2**64)) * max(1.0, counts.sum() / _TRIAL_RECORDS)
    some = np.flatnonzero(chance < 1)
    held = chance[some] < 1 / 3
    table, weights = training.table[some], counts[some]
    if weights.sum() < _TRIAL_LEAST or not weights[held].any() or not weights[~held].any():
        return settings
    weight = weights[held] / weights[held].sum()
    best, most, first = settings, 0.0, None
    small = _BoostingState(table, np.where(held, 0.0, weights), settings, seed, training.n_jobs)
    small.put_into_bins(stop)
    for penalty, support, floor in _GROWTH_CRITERIA:
        asked = replace(
            settings,
            penalty=settings.penalty * penalty,
            min_support=settings.min_support * support,
            floor=settings.floor * floor,
        )
        losses = _trial_losses(small.without_lists(replace(asked, rate=_TRIAL_RATE), seed), held, stop)
        if losses is None:
            break
        first = losses if first is None else first
        gain = float(weight @ (first - losses))
        error = np.sqrt(weight @ (first - losses - gain) ** 2 / weights[held].sum())
        if gain > max(most, _BETTER * error):
            best, most = asked, gain
    return best


def _trial_losses(small: _BoostingState, held: NDArray[np.bool_], stop: Progress) -> NDArray[np.float64] | None:
    """Return the log-loss of each held-out record under a small committee of the others; None if time is over."""
    if not small.learn(_TRIAL, stop) and not small.is_finished():
        return None
    return np.asarray(-np.log(np.maximum(1.0 - small.wrong[held], _LEAST)))


def _uniform_numbers(identities: NDArray[np.uint64], salt: np.uint64) -> NDArray[np.float64]:
    """Return a pseudo-random number from 0 to 1 for each identity; it depends on the salt."""
    return (mix_bits(identities ^ salt) >> np.uint64(11)).astype(np.float64) * 2.0**-53
