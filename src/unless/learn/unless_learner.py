"""Our own learner, in the words of `fold`: rules must be significant, and the last one is a default rule.

FOLD-RM as published collapses on hard data: a literal that covers no positive example can win; then the rule covers
nothing, and the remaining examples stay unclassified. Here every literal must cover enough positives, raise their
share, and pass a test of significance that accounts for the number of literals it was chosen from. A label without
such a rule is put aside until a tenth of the records is gone, and the last rule covers every record. This list is then
optimised as a whole (`list_optimiser`), its thresholds are moved half-way to the next number (`thresholds`), and a list
that could be chance has to prove itself (`chance_test`). Rules that are expected to be less right on new records than
those after them are dropped (`promise`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any, Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from unless.constraints import Constraints
from unless.learn.chance_test import beats_chance_on_holdout, needs_validation
from unless.learn.checkpoint import Checkpoint, open_checkpoint
from unless.learn.engine import Engine, GrowthCriteria, StopLearning
from unless.learn.fold import NO_CONSTRAINTS, LearnConstraints, LearnedProgram, Progress, open_engine
from unless.learn.list_optimiser import ListOptimiser
from unless.learn.literals import MANY
from unless.learn.locked_rules import ListAroundLockedRules, learn_around_locked_rules, locked_positions
from unless.learn.penalty_search import search_penalty
from unless.learn.rule_limits import RuleLimits, limits_for_label
from unless.learn.rule_pruning import promising
from unless.learn.settings import (
    RANDOM_STATE,
    RANDOM_USERS,
    RATIO,
    ROUND_THRESHOLDS,
    LearnerSettings,
    flag,
    number,
    setting,
)
from unless.learn.thresholds import centre_thresholds
from unless.rule import Program, Rule
from unless.table import Table

Rows = TypeVar("Rows")

AUTO: Final = "auto"
"""A penalty that is measured (`penalty_search`)."""

Penalty = float | Literal["auto"]

MANY_RECORDS: Final = 1_000
"""From this many records on, "auto" is stricter, if the list is optimised: rules become many, and signals are clear.

A stricter list has fewer rules. Of fewer records it may miss weak signals.
"""

RULE_PRICE: Final = 0.35
"""How many errors a rule or an exception must save, times the penalty and ln(n) of n records.

A higher price gives shorter lists; too high a price costs accuracy.
"""


RETRY_SHARE: Final = 0.9
"""A label without a rule is tried again when only this share of the records is left, and at the end of the list.

Trying it after every rule took two thirds of the time where labels are many, and lists were no better.
"""

VALIDATION_STRATEGIES: Final = 2
"""How many kinds of lists may prove one that is in doubt (`UnlessLearner.validated`)."""


_DECISIVE = (
    *("ratio", "penalty", "min_support", "optimise", "round_thresholds", "max_rules"),
    *("max_parts", "rare_first"),
)
"""The settings that decide which list is learned."""


@dataclass(frozen=True, slots=True)
class UnlessSettings(LearnerSettings):
    """The parameters of our own learner, and what its steps add to them."""

    ratio: float = number(0.75, RATIO, high=1, metavar="X")
    penalty: Penalty = number(
        AUTO,
        "Higher values give fewer and shorter rules.",
        words=(AUTO,),
        metavar="X",
        audience="unless",
        usual="auto: 1, from 1,000 records on 1.25, or 0.25 if much more can be learned",
    )
    min_support: float = number(3, "The number of records that every rule must cover.", metavar="N", audience="unless")
    optimise: bool = flag(True, "Optimise the list as a whole, for fewer errors with fewer rules.", audience="unless")
    round_thresholds: bool = flag(True, ROUND_THRESHOLDS)
    tune: bool = flag(False, "Choose ratio, penalty and support by cross-validation.", audience="unless")
    teacher: Any = setting(
        None,
        "Imitate a committee: more accurate, with up to three times as many rules.",
        words=("committee",),
        audience="unless",
    )
    random_state: Any = setting(0, RANDOM_STATE, kind="seed", metavar="N", audience=RANDOM_USERS)
    max_parts: int | None = None
    """How many rules and exceptions an optimised list may have."""
    rare_first: bool | None = None
    """Whether the rarest label comes first, and the most frequent one last; if None, as it is best for the list."""
    learn_constraints: LearnConstraints = NO_CONSTRAINTS
    """Constraints and locked rules, which the list keeps to."""

    def __post_init__(self) -> None:
        LearnerSettings.__post_init__(self)
        self.learn_constraints.locked.refuse_more_than(self.max_rules)

    @property
    def strictness(self) -> float:
        """The penalty as a number; 1 if it is still to be measured."""
        return 1.0 if self.penalty == AUTO else float(self.penalty)

    def initial_penalty(self, records: float) -> float:
        """The penalty that "auto" begins with, for a number of records."""
        return 1.25 if self.optimise and records >= MANY_RECORDS else 1.0

    def checkpoint_settings(self) -> dict[str, Any]:
        """The settings that decide what a checkpoint is about."""
        plainly = {name: getattr(self, name) for name in _DECISIVE}
        return (
            plainly
            | {"price": RULE_PRICE, "plenty": MANY_RECORDS, "proofs": VALIDATION_STRATEGIES, "retry": RETRY_SHARE}
            | self.learn_constraints.checkpoint_settings()
        )


def fold_unless(  # noqa: PLR0913 - the parameters of Settings, to be seen in one place
    table: Table | Engine[Rows] | object,
    ratio: float = 0.75,
    penalty: Penalty = AUTO,
    min_support: float = 3,
    *,
    optimise: bool = True,
    round_thresholds: bool = True,
    max_rules: int | None = None,
    constraints: Constraints | None = None,
    keep: Program | Sequence[Rule] | None = None,
    lock: Sequence[int] | None = None,
    target: str | None = None,
    weights: NDArray[np.floating[Any]] | str | None = None,
    progress: Progress | None = None,
    keep_on_interrupt: bool = False,
    n_jobs: int | None = None,
) -> Program:
    """An ordered list of rules for any number of labels; the last rule covers every record.

    Parameters
    ----------
    table, target
        The examples, with labels, as in `fold_rm`.
    ratio
        A default is finished when it covers at most this many negatives per positive; exceptions do the rest.
    penalty
        How significant a literal must be: twice the examples times its gain must reach ``penalty * ln(2 C + 1)``,
        where C is the number of values it was chosen from. "auto" is 1 for fewer than 1,000 records, and without
        optimising. Otherwise it is 1.25, or a quarter where records that were held back for a moment show that a list
        then knows clearly more (2,000 records and more; see `penalty_search`).
    min_support
        How many positives each literal, rule and exception must cover.
    optimise
        Whether the list is optimised as a whole: fewer errors with fewer rules. If not, it is the list that was learned
        rule by rule, in half of the time, with a few more rules.
    round_thresholds
        Whether a threshold, which lies half-way between two numbers, is the shortest number between them.
    max_rules
        How many rules the list may have, the last one included: the best such list that optimising finds, or the first
        rules without optimising.
    constraints, keep, lock
        As in `fold_rm`; optimising keeps to them, too, and leaves locked rules as they are, with their thresholds.
    weights, progress, keep_on_interrupt, n_jobs
        As in `fold_rm`.
    """
    settings = UnlessSettings(ratio, penalty, min_support, optimise, round_thresholds, max_rules=max_rules)
    with open_engine(table, ratio, weights, target, n_jobs) as engine:
        settings = replace(settings, learn_constraints=LearnConstraints.of(engine, constraints, keep, lock))
        return learn_unless(engine, settings, progress).program_or_raise(keep=keep_on_interrupt)


def learn_unless(engine: Engine[Rows], settings: UnlessSettings, progress: Progress | None = None) -> LearnedProgram:
    """Learn what `fold_unless` returns, and count what its rules decide."""
    result = open_checkpoint(engine, "unless", **settings.checkpoint_settings())
    if result.final_list is not None:
        program, left, penalty = result.final_list
        return LearnedProgram(program, left, None, penalty)
    if settings.penalty == AUTO:
        usual = settings.initial_penalty(engine.size(engine.all_rows()))
        learner, begun = UnlessLearner(engine, replace(settings, penalty=usual), progress).with_best_penalty()
        if begun is not None and learner.stopped:
            return learner.shorten_list(engine.all_rows(), begun)
        settings = learner.settings
    else:
        learner, begun = UnlessLearner(engine, settings, progress), None
    learned = replace(learner.learn_list(engine.all_rows(), learner.checkpoint(), begun), penalty=settings.strictness)
    if learner.stopped:
        return learned
    if settings.optimise:
        try:
            learned = learner.promising(learner.validated(learned))
        except (StopLearning, KeyboardInterrupt) as stop:  # without the proof: the list is what was learned
            return replace(learned, interrupted=stop if isinstance(stop, KeyboardInterrupt) else None)
    result.save_result(learned.program, learned.left, learned.penalty)
    return learned


class UnlessLearner:
    """The parameters, and the steps that use them; ``stopped`` says whether something ended them early."""

    def __init__(self, engine: Engine[Any], settings: UnlessSettings, progress: Progress | None = None) -> None:
        self.engine = engine
        self.settings = settings
        never = () if settings.learn_constraints.constraints is None else settings.learn_constraints.constraints.never
        counts = zip(engine.features, engine.distinct(), strict=True)
        distinct = [0 if name in never else min(count, MANY) for name, count in counts]
        support = max(float(settings.min_support), 1e-9)  # covering nothing is never enough
        self.criteria = GrowthCriteria(float(settings.ratio), settings.strictness, support, distinct)
        self.chance = settings.strictness * log(2 * sum(distinct) + 1)  # what the best of all random literals may tell
        self.rare_first = settings.optimise if settings.rare_first is None else settings.rare_first
        self.limits = settings.learn_constraints.rule_limits(engine)
        self.locked = settings.learn_constraints.locked
        if settings.max_rules is not None:  # fewer rules between locked ones, if fewer are allowed
            spare = settings.max_rules - 1 - len(self.locked.rules)
            self.locked = replace(self.locked, gap_sizes=tuple(_share_spare_rules(self.locked.gap_sizes, spare)))
        self.progress = progress
        self.stopped = False
        self.optimised_with: Engine[Any] = engine

    def checkpoint(self) -> Checkpoint:
        """The engine's checkpoint for the list that is learned rule by rule from all rows."""
        criteria = {"ratio": self.criteria.ratio, "penalty": self.criteria.penalty, "support": self.criteria.support}
        learn_constraints = replace(self.settings.learn_constraints, locked=self.locked).checkpoint_settings()
        return open_checkpoint(
            self.engine,
            "unless, rule by rule",
            **criteria,
            rare_first=self.rare_first,
            retry=RETRY_SHARE,
            **learn_constraints,
        )

    def optimiser_checkpoint(self) -> Checkpoint:
        """The page for what optimising makes of that list."""
        return open_checkpoint(self.engine, "unless, optimising", **self.settings.checkpoint_settings())

    def with_best_penalty(self) -> tuple[UnlessLearner, LearnedProgram | None]:
        """A learner with the penalty that is best for the rows; and its list rule by rule, if that is known."""
        engine, settings, usual = self.engine, self.settings, self.settings.strictness
        if not settings.optimise:
            return self, None
        learned = self.rule_by_rule(engine.all_rows(), self.checkpoint())
        if self.stopped:
            return self, learned
        if settings.max_rules is not None and len(learned.program) >= settings.max_rules:  # no room for a longer list
            return self, learned

        def tried(rows: Rows, penalty: float, optimise: bool) -> Program:  # noqa: FBT001 - a callback
            one = replace(settings, penalty=penalty, optimise=optimise, rare_first=self.rare_first, max_rules=None)
            return UnlessLearner(engine, one, self.progress).learn_program(rows)

        try:
            settings = replace(settings, penalty=search_penalty(engine, learned, tried, usual))
        except (StopLearning, KeyboardInterrupt) as stop:
            self.stopped = True
            return self, replace(learned, interrupted=stop if isinstance(stop, KeyboardInterrupt) else None)
        return UnlessLearner(engine, settings, self.progress), learned if settings.penalty == usual else None

    def learn_list(
        self, rows: Rows, checkpoint: Checkpoint | None = None, begun: LearnedProgram | None = None
    ) -> LearnedProgram:
        """A list for some rows, maybe begun rule by rule; what is learned so far if something stops the learner."""
        learned = begun or self.rule_by_rule(rows, checkpoint)
        if self.settings.optimise and not self.stopped:
            learned = self.optimise_list(
                rows, learned.program, None if checkpoint is None else self.optimiser_checkpoint()
            )
        return self.shorten_list(rows, learned)

    def shorten_list(self, rows: Rows, learned: LearnedProgram) -> LearnedProgram:
        """A list for some rows, without rules that are too many."""
        most = self.settings.max_rules
        return learned if most is None or len(learned.program) <= most else self.keep_first_rules(most, rows, learned)

    def keep_first_rules(self, most: int, rows: Rows, learned: LearnedProgram) -> LearnedProgram:
        """The first rules of a list that was stopped before it was short enough, and a default rule.

        Locked rules stay.
        """
        program, locked = (
            learned.program,
            set(locked_positions(self.settings.learn_constraints.locked, learned.program)),
        )
        others = [k for k in range(len(program) - 1) if k not in locked][: most - 1 - len(locked)]
        return self.keep_rules(sorted({*locked, *others}), rows, learned)

    def keep_rules(self, indices: Sequence[int], rows: Rows, learned: LearnedProgram) -> LearnedProgram:
        """Some rules of a list for some rows, and a default rule."""
        engine, rules, left = self.engine, [learned.program.rules[k] for k in indices], list[Sequence[float]]()
        for rule in rules:
            left.append(engine.label_weights(rows))
            rows = engine.minus(rows, engine.covered_by_rule(rows, rule))
        left.append(engine.label_weights(rows))
        locked = self.settings.learn_constraints.locked.rules
        last = self.last_label(left[-1], [(engine.labels.index(one.head), one) for one in rules if one not in locked])
        rules.append(learned.program.rules[-1] if last is None else Rule(engine.labels[last]))
        program = replace(learned.program, rules=tuple(rules))
        return LearnedProgram(program, [*left, [0.0] * len(engine.labels)], learned.interrupted)

    def learn_program(self, rows: Rows) -> Program:
        """The same as a program; what stops the learner is raised."""
        learned = self.learn_list(rows)
        if learned.interrupted is not None:
            raise learned.interrupted
        if self.stopped:
            raise StopLearning
        return learned.program

    def validated(self, learned: LearnedProgram) -> LearnedProgram:
        """The list; if what was learned behind its locked rules is chance, the list without it."""
        engine, rules = self.engine, learned.program.rules
        front = max(
            (k + 1 for k in locked_positions(self.settings.learn_constraints.locked, learned.program)), default=0
        )
        behind = replace(learned, program=replace(learned.program, rules=rules[front:]), left=learned.left[front:])
        if not needs_validation(behind, self.chance):
            return learned
        rows = engine.all_rows()
        for rule in rules[:front]:
            rows = engine.minus(rows, engine.covered_by_rule(rows, rule))
        # First lists learned rule by rule, in less time; then optimised ones, which may hold where these do not.
        plainly = replace(self.settings, optimise=False, rare_first=self.rare_first, max_rules=None)
        if any(
            beats_chance_on_holdout(engine, rows, UnlessLearner(engine, each).learn_program)
            for each in (plainly, self.settings)
        ):
            return learned
        return self.keep_rules(range(front), engine.all_rows(), learned)

    def promising(self, learned: LearnedProgram) -> LearnedProgram:
        """The list without rules that are expected to be less right than those after them; locked ones stay."""
        locked = set(locked_positions(self.settings.learn_constraints.locked, learned.program))
        indices = promising(self.optimised_with, learned, locked)
        if len(indices) == len(learned.program) - 1:
            return learned
        found = self.keep_rules(indices, self.engine.all_rows(), learned)
        last = found.program.rules[-1].head
        while indices and indices[-1] not in locked and learned.program.rules[indices[-1]].head == last:
            indices.pop()
            found = self.keep_rules(indices, self.engine.all_rows(), learned)
        return replace(found, penalty=learned.penalty)

    def rule_by_rule(self, rows: Rows, checkpoint: Checkpoint | None = None) -> LearnedProgram:
        """Rules for one label after the other, each for the rows that are left, then a default rule for all others.

        The most popular label comes first, as in FOLD-RM. If the list is optimised (or by ``rare_first``), the rarest
        comes first and the most frequent one is left to the default rule: with a fifth fewer rules it is as accurate.
        """
        engine, aside = self.engine, dict[int, float]()  # of a label without a rule: how many rows there were
        interrupted: KeyboardInterrupt | None = None
        checkpoint = checkpoint or Checkpoint()
        most = None if self.settings.optimise else self.settings.max_rules
        front = self.learn_around_locked(rows, checkpoint)
        rules, left, rows = list(front.rules), list(front.left), front.rows
        try:
            front.raise_stop()
            while most is None or len(rules) + 1 < most:
                size, popularity = engine.size(rows), engine.label_weights(rows)
                self.report_progress(size, len(rules))
                before = left[len(front.rules)] if len(left) > len(front.rules) else popularity
                label = self.next_label(popularity, before, aside)
                if label is None:
                    if all(before == size for before in aside.values()):
                        break
                    aside = {one: before for one, before in aside.items() if before == size}
                    continue
                learned = checkpoint.resume_or_learn_rule(
                    engine, label, *engine.split(rows, label), self.rule_grower(label)
                )
                if learned is None:
                    aside[label] = size
                    continue
                rule, positive, negative = learned
                rows = engine.minus(engine.minus(rows, positive), negative)
                now = engine.size(rows)
                aside = {one: before for one, before in aside.items() if now > RETRY_SHARE * before}
                rules.append(Rule(engine.labels[label], rule.default, rule.exceptions))
                left.append(popularity)
        except StopLearning:
            self.stopped = True
        except KeyboardInterrupt as stop:
            self.stopped, interrupted = True, stop
        left.append(engine.label_weights(rows))
        last = engine.labels[left[-1].index(max(left[-1]))] if any(left[-1]) or not rules else rules[-1].head
        while len(rules) > len(front.rules) and rules[-1].head == last:  # the default rule decides the same
            rules.pop()
        program = Program(engine.target, engine.features, (*rules, Rule(last)))
        return LearnedProgram(program, [*left[: len(program)], [0.0] * len(engine.labels)], interrupted)

    def learn_around_locked(self, rows: Rows, checkpoint: Checkpoint) -> ListAroundLockedRules[Rows]:
        """The locked rules, and rules between them."""
        engine = self.engine
        return learn_around_locked_rules(
            engine,
            rows,
            self.locked,
            lambda k, p, n: checkpoint.resume_or_learn_rule(engine, k, p, n, self.rule_grower(k)),
        )

    def optimise_list(self, rows: Rows, program: Program, checkpoint: Checkpoint | None = None) -> LearnedProgram:
        """The list optimised as a whole, with thresholds half-way; locked rules stay."""
        engine, settings = self.engine, self.settings
        price = settings.strictness * RULE_PRICE * log(max(engine.size(rows), 1.0))
        engine, rows = engine.optimiser_engine(rows)
        self.optimised_with = engine  # it has the rows of every literal: `promising` asks for them again
        locked = locked_positions(settings.learn_constraints.locked, program)
        optimiser = ListOptimiser(engine, self, rows, program, price, locked, checkpoint=checkpoint)
        interrupted: KeyboardInterrupt | None = None
        try:
            optimiser.run(settings.max_rules, settings.max_parts)
        except StopLearning:
            self.stopped = True
        except KeyboardInterrupt as stop:
            self.stopped, interrupted = True, stop
        stay, rounded = optimiser.locked, settings.round_thresholds
        program, reached = centre_thresholds(engine, rows, optimiser.program(), rounded=rounded, locked=stay)
        return LearnedProgram(program, [engine.label_weights(some) for some in reached], interrupted)

    def report_progress(self, left: float, rules: int) -> None:
        """Tell how far the learner is; stop if the caller says so."""
        if self.progress and self.progress(int(left), rules):
            raise StopLearning

    def next_label(self, popularity: Sequence[float], before: Sequence[float], aside: Collection[int]) -> int | None:
        """The label to learn next, not one put aside; None if none exists, or only one label is left."""
        last = before.index(max(before)) if self.rare_first else None
        least = self.criteria.support  # fewer cannot have a rule
        still = [k for k, size in enumerate(popularity) if size >= least and k != last and k not in aside]
        if not still or sum(map(bool, popularity)) < 2:
            return None
        return (min if self.rare_first else max)(still, key=popularity.__getitem__)

    def rule_limits(self, label: int, after: Collection[int] | None) -> RuleLimits:
        """Where a rule for a label begins, after which only some labels are given; None if that may change."""
        constraints, labels = self.settings.learn_constraints.constraints, self.engine.labels
        if after is None or constraints is None or not constraints.monotone:
            return self.limits[label]
        return limits_for_label(constraints, self.engine.features, labels[label], [labels[k] for k in after])

    def last_label(self, left: Sequence[float], rules: Iterable[tuple[int, Rule]]) -> int | None:
        """The label for the rows that are left by rules: the most frequent one that their literals allow behind them.

        None if no rows are left, or none of their labels is allowed.
        """
        labels = sorted((k for k, size in enumerate(left) if size), key=lambda k: (-left[k], k))
        known = list(rules)
        return next((k for k in labels if all(self.rule_limits(one, {k}).admits(rule) for one, rule in known)), None)

    def rule_grower(self, label: int) -> Callable[[Rows, Rows], tuple[Rule, Rows, Rows] | None]:
        """What learns rules for a label."""
        return lambda positive, negative: self.engine.grow_rule(positive, negative, self.criteria, self.limits[label])


def _share_spare_rules(room: Sequence[int], spare: int) -> Iterator[int]:
    """As much room as there is to spare."""
    for each in room:
        yield min(each, spare)
        spare -= min(each, spare)
