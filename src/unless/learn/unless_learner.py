"""Our own learner, in the words of `fold`: rules must be significant, and the last one is a default rule.

FOLD-RM as published fails on hard data: a literal that covers no positive example can win; then the rule covers
nothing, and the remaining examples stay unclassified. Here every literal must cover enough positives, raise their
share, and pass a test of significance that accounts for the number of literals it was chosen from. A label without
such a rule is skipped until a tenth of the records is gone, and the last rule covers every record. This list is then
optimised as a whole (`list_optimiser`), its thresholds are moved half-way to the next number (`thresholds`), and a list
that could be chance is tested on held-out rows (`chance_test`). Rules that are expected to be right less often on new
records than the rules after them are dropped (`rule_pruning`).
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
from unless.learn.given_cuts import count_values
from unless.learn.list_optimiser import ListOptimiser
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
"""The value for a penalty chosen by a trial (`penalty_search`)."""

Penalty = float | Literal["auto"]

MANY_RECORDS: Final = 1_000
"""From this many records on, "auto" is stricter for optimised lists: rules become many, and signals are clear.

A stricter list has fewer rules. With fewer records it may miss weak signals.
"""

RULE_PRICE: Final = 0.35
"""The errors that a rule or an exception must save, as a multiple of the penalty and ln(n) for n records.

A higher price gives shorter lists; too high a price costs accuracy.
"""


RETRY_SHARE: Final = 0.9
"""A label without a rule is tried again when only this share of the records is left, and at the end of the list.

With many labels, trying it after every rule took two thirds of the time, and lists were no better.
"""

VALIDATION_STRATEGIES: Final = 2
"""The number of kinds of lists that are tried to validate a list in doubt (`UnlessLearner.validated`)."""


_DECISIVE = (
    *("ratio", "penalty", "min_support", "optimise", "round_thresholds", "max_rules"),
    *("max_parts", "rare_first"),
)
"""The settings that determine the learned list."""


@dataclass(frozen=True, slots=True)
class UnlessSettings(LearnerSettings):
    """The parameters of our own learner, and internal settings of its steps."""

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
    probabilities: str = setting(
        "rules",
        "The features that probabilities use: those that rules test, or all.",
        kind="choice",
        words=("rules", "all"),
        metavar="rules|all",
        audience="unless",
    )
    max_parts: int | None = None
    """The maximum number of rules and exceptions in an optimised list."""
    rare_first: bool | None = None
    """Whether the rarest label comes first, and the most frequent one last; None chooses by the kind of list."""
    learn_constraints: LearnConstraints = NO_CONSTRAINTS
    """The constraints and locked rules of the list."""

    def __post_init__(self) -> None:
        LearnerSettings.__post_init__(self)
        self.learn_constraints.locked.refuse_more_than(self.max_rules)

    @property
    def strictness(self) -> float:
        """The penalty as a number; 1 if it is not chosen yet."""
        return 1.0 if self.penalty == AUTO else float(self.penalty)

    def initial_penalty(self, records: float) -> float:
        """Return the penalty that "auto" begins with for this number of records."""
        return 1.25 if self.optimise and records >= MANY_RECORDS else 1.0

    def parameters(self) -> dict[str, Any]:
        """Return the parameters to save; files of models whose probabilities use what rules test do not say so."""
        found = LearnerSettings.parameters(self)
        return found if self.probabilities == "all" else {k: v for k, v in found.items() if k != "probabilities"}

    def checkpoint_settings(self) -> dict[str, Any]:
        """Return the settings that identify a checkpoint."""
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
    """Learn an ordered list of rules for any number of labels by our own algorithm; the last rule covers every record.

    Parameters
    ----------
    table, target
        The examples, with labels, as in `fold_rm`.
    ratio
        A default is finished when it covers at most this many negatives per positive; exceptions handle the rest.
    penalty
        How significant a literal must be: twice the examples times its gain must reach ``penalty * ln(2 C + 1)``,
        where C is the number of values it was chosen from. "auto" is 1 for fewer than 1,000 records, and without
        optimising. Otherwise it is 1.25, or a quarter if a trial on held-out records shows that the list is then
        clearly better (with at least 2,000 records; see `penalty_search`).
    min_support
        The number of positives that each literal, rule and exception must cover.
    optimise
        Whether to optimise the list as a whole, for fewer errors with fewer rules. If not, it is the list as learned
        rule by rule, in half of the time, with a few more rules.
    round_thresholds
        Whether to replace each threshold half-way between two numbers with the shortest number near there.
    max_rules
        The maximum number of rules, including the last one: the best such list that optimising finds, or, without
        optimising, the first rules.
    constraints, keep, lock
        As in `fold_rm`; optimising observes them, too, and does not change locked rules or their thresholds.
    weights, progress, keep_on_interrupt, n_jobs
        As in `fold_rm`.
    """
    settings = UnlessSettings(ratio, penalty, min_support, optimise, round_thresholds, max_rules=max_rules)
    with open_engine(table, ratio, weights, target, n_jobs) as engine:
        settings = replace(settings, learn_constraints=LearnConstraints.of(engine, constraints, keep, lock))
        return learn_unless(engine, settings, progress).program_or_raise(keep=keep_on_interrupt)


def learn_unless(engine: Engine[Rows], settings: UnlessSettings, progress: Progress | None = None) -> LearnedProgram:
    """Learn the program of `fold_unless`, and count what its rules decide."""
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
        except (StopLearning, KeyboardInterrupt) as stop:  # without validation: return the learned list
            return replace(learned, interrupted=stop if isinstance(stop, KeyboardInterrupt) else None)
    result.save_result(learned.program, learned.left, learned.penalty)
    return learned


class UnlessLearner:
    """The steps of the learner with their settings; ``stopped`` is set if something ended them early."""

    def __init__(self, engine: Engine[Any], settings: UnlessSettings, progress: Progress | None = None) -> None:
        self.engine = engine
        self.settings = settings
        distinct = count_values(engine, settings.learn_constraints.constraints)
        support = max(float(settings.min_support), 1e-9)  # a rule must cover something
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
        """The engine's checkpoint of the list that is learned rule by rule from all rows."""
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
        """The engine's checkpoint of optimising that list."""
        return open_checkpoint(self.engine, "unless, optimising", **self.settings.checkpoint_settings())

    def with_best_penalty(self) -> tuple[UnlessLearner, LearnedProgram | None]:
        """Return a learner with the best penalty for the rows, and its list learned rule by rule, if known."""
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
        """Learn a list for some rows, starting from ``begun`` if given; if stopped, return the rules so far."""
        learned = begun or self.rule_by_rule(rows, checkpoint)
        if self.settings.optimise and not self.stopped:
            learned = self.optimise_list(
                rows, learned.program, None if checkpoint is None else self.optimiser_checkpoint()
            )
        return self.shorten_list(rows, learned)

    def shorten_list(self, rows: Rows, learned: LearnedProgram) -> LearnedProgram:
        """Shorten a list for some rows to the maximum number of rules."""
        most = self.settings.max_rules
        return learned if most is None or len(learned.program) <= most else self.keep_first_rules(most, rows, learned)

    def keep_first_rules(self, most: int, rows: Rows, learned: LearnedProgram) -> LearnedProgram:
        """Return the first rules, and a default rule, of a list that was stopped before it was short enough.

        Locked rules stay.
        """
        program, locked = (
            learned.program,
            set(locked_positions(self.settings.learn_constraints.locked, learned.program)),
        )
        others = [k for k in range(len(program) - 1) if k not in locked][: most - 1 - len(locked)]
        return self.keep_rules(sorted({*locked, *others}), rows, learned)

    def keep_rules(self, indices: Sequence[int], rows: Rows, learned: LearnedProgram) -> LearnedProgram:
        """Return some rules of a list for some rows, and a default rule."""
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
        """Learn a list for some rows as a program; raise any interruption."""
        learned = self.learn_list(rows)
        if learned.interrupted is not None:
            raise learned.interrupted
        if self.stopped:
            raise StopLearning
        return learned.program

    def validated(self, learned: LearnedProgram) -> LearnedProgram:
        """Return the list, without the rules behind its locked rules if these rules could be chance."""
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
        # First lists learned rule by rule, which is faster; then optimised lists, which may pass where those fail.
        plainly = replace(self.settings, optimise=False, rare_first=self.rare_first, max_rules=None)
        if any(
            beats_chance_on_holdout(engine, rows, UnlessLearner(engine, each).learn_program)
            for each in (plainly, self.settings)
        ):
            return learned
        return self.keep_rules(range(front), engine.all_rows(), learned)

    def promising(self, learned: LearnedProgram) -> LearnedProgram:
        """Return the list without rules expected to be right less often than later ones; locked rules stay."""
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
        """Learn rules label by label, each from the rows that are left, then a default rule for all other rows.

        The most frequent label comes first, as in FOLD-RM. If the list is optimised (or by ``rare_first``), the rarest
        comes first and the most frequent one is left to the default rule: with a fifth fewer rules it is as accurate.
        """
        engine, aside = self.engine, dict[int, float]()  # the number of rows of each label without a rule
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
        while len(rules) > len(front.rules) and rules[-1].head == last:  # the default rule gives the same label
            rules.pop()
        program = Program(engine.target, engine.features, (*rules, Rule(last)))
        return LearnedProgram(program, [*left[: len(program)], [0.0] * len(engine.labels)], interrupted)

    def learn_around_locked(self, rows: Rows, checkpoint: Checkpoint) -> ListAroundLockedRules[Rows]:
        """Return the locked rules, with rules learned between them."""
        engine = self.engine
        return learn_around_locked_rules(
            engine,
            rows,
            self.locked,
            lambda k, p, n: checkpoint.resume_or_learn_rule(engine, k, p, n, self.rule_grower(k)),
        )

    def optimise_list(self, rows: Rows, program: Program, checkpoint: Checkpoint | None = None) -> LearnedProgram:
        """Optimise the list as a whole, and move thresholds half-way; locked rules stay."""
        engine, settings = self.engine, self.settings
        price = settings.strictness * RULE_PRICE * log(max(engine.size(rows), 1.0))
        engine, rows = engine.optimiser_engine(rows)
        self.optimised_with = engine  # it caches the rows of literals, which `promising` needs again
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
        given = settings.learn_constraints.cuts
        program, reached = centre_thresholds(
            engine, rows, optimiser.program(), rounded=rounded, locked=stay, given=given
        )
        return LearnedProgram(program, [engine.label_weights(some) for some in reached], interrupted)

    def report_progress(self, left: float, rules: int) -> None:
        """Report the progress; stop if the caller requests it."""
        if self.progress and self.progress(int(left), rules):
            raise StopLearning

    def next_label(self, popularity: Sequence[float], before: Sequence[float], aside: Collection[int]) -> int | None:
        """Return the label to learn next, except skipped labels; None if none exists, or only one label is left."""
        last = before.index(max(before)) if self.rare_first else None
        least = self.criteria.support  # labels with fewer rows cannot have a rule
        still = [k for k, size in enumerate(popularity) if size >= least and k != last and k not in aside]
        if not still or sum(map(bool, popularity)) < 2:
            return None
        return (min if self.rare_first else max)(still, key=popularity.__getitem__)

    def rule_limits(self, label: int, after: Collection[int] | None) -> RuleLimits:
        """Return the limits of a rule for a label; ``after`` are the labels of later rules, None if they may change."""
        constraints, labels = self.settings.learn_constraints.constraints, self.engine.labels
        if after is None or constraints is None or not constraints.monotone:
            return self.limits[label]
        return limits_for_label(constraints, self.engine.features, labels[label], [labels[k] for k in after])

    def last_label(self, left: Sequence[float], rules: Iterable[tuple[int, Rule]]) -> int | None:
        """Return the label for the rows left by rules: the most frequent label that constraints allow behind them.

        None if no rows are left, or none of their labels is allowed.
        """
        labels = sorted((k for k, size in enumerate(left) if size), key=lambda k: (-left[k], k))
        known = list(rules)
        return next((k for k in labels if all(self.rule_limits(one, {k}).admits(rule) for one, rule in known)), None)

    def rule_grower(self, label: int) -> Callable[[Rows, Rows], tuple[Rule, Rows, Rows] | None]:
        """Return a function that learns rules for a label."""
        return lambda positive, negative: self.engine.grow_rule(positive, negative, self.criteria, self.limits[label])


def _share_spare_rules(room: Sequence[int], spare: int) -> Iterator[int]:
    """Yield the share of each gap when ``spare`` rules are distributed over gaps with limited room, in order."""
    for each in room:
        yield min(each, spare)
        spare -= min(each, spare)
