"""Our own learner, in the words of `fold`: rules must be significant, and the last one is a default rule.

FOLD-RM as published collapses on hard data: a literal that covers no positive example can win; then the rule covers
nothing, and the remaining examples stay unclassified. Here every literal must cover enough positives, raise their
share, and pass a test of significance that accounts for the number of literals it was chosen from. A label without
such a rule is put aside until another rule is learned, and the last rule covers every record. This list is then
optimised as a whole (`optimise`), its thresholds are moved half-way to the next number (`thresholds`), and a list that
could be chance has to prove itself (`doubt`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf, log
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.learn.diary import Page, page_of
from unless.learn.doubt import could_be_chance, holds_on_unseen
from unless.learn.engine import Demands, Engine, Enough
from unless.learn.fold import Learned, Progress, engine_for
from unless.learn.literals import MANY
from unless.learn.optimise import Optimiser
from unless.learn.thresholds import half_way
from unless.rule import Program, Rule
from unless.table import Table

Rows = TypeVar("Rows")


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of `fold_unless`."""

    ratio: float = 0.75
    penalty: float = 1.0
    min_support: float = 3
    optimise: bool = True
    round_thresholds: bool = True
    max_rules: int | None = None
    max_parts: int | None = None
    """How many rules and exceptions an optimised list may have."""
    rare_first: bool | None = None
    """Whether the rarest label comes first, and the most frequent one last; if None, as it is best for the list."""

    def __post_init__(self) -> None:
        for name in ("penalty", "min_support"):
            value = getattr(self, name)
            if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) < inf:
                raise ParameterError(f"{name} must be a number of at least 0, not {value!r}")
        for name in ("optimise", "round_thresholds"):
            if not isinstance(value := getattr(self, name), bool):
                raise ParameterError(f"{name} must be True or False, not {value!r}")
        check_max_rules(self.max_rules)


def check_max_rules(value: object) -> None:
    """Refuse what is not a number of rules."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise ParameterError(f"max_rules must be a whole number of at least 1, or None, not {value!r}")


def fold_unless(  # noqa: PLR0913 - the parameters of Settings, to be seen in one place
    table: Table | Engine[Rows] | object,
    ratio: float = 0.75,
    penalty: float = 1.0,
    min_support: float = 3,
    *,
    optimise: bool = True,
    round_thresholds: bool = True,
    max_rules: int | None = None,
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
        where C is the number of values it was chosen from.
    min_support
        How many positives each literal, rule and exception must cover.
    optimise
        Whether the list is optimised as a whole: fewer errors with fewer rules. If not, it is the list that was learned
        rule by rule, a fifth of the time for a few more rules.
    round_thresholds
        Whether a threshold, which lies half-way between two numbers, is the shortest number between them.
    max_rules
        How many rules the list may have, the last one included: the best such list that optimising finds, or the first
        rules without optimising.
    weights, progress, keep_on_interrupt, n_jobs
        As in `fold_rm`.
    """
    settings = Settings(ratio, penalty, min_support, optimise, round_thresholds, max_rules)
    with engine_for(table, ratio, weights, target, n_jobs) as engine:
        return learn_unless(engine, settings, progress).finished(keep=keep_on_interrupt)


def learn_unless(engine: Engine[Rows], settings: Settings, progress: Progress | None = None) -> Learned:
    """Learn what `fold_unless` returns, and count what its rules decide."""
    result = page_of(engine, "unless", **asdict(settings))
    if result.finished is not None:
        return Learned(*result.finished, None)
    learner = Learner(engine, settings, progress)
    rows = engine.everything()
    learned = learner.list(rows, learner.page())
    if learner.stopped:
        return learned
    if settings.optimise:
        try:
            doubtful = could_be_chance(learned, learner.chance)
            if doubtful and not holds_on_unseen(engine, rows, Learner(engine, settings).program):
                learned = learner.guess(rows)
        except (Enough, KeyboardInterrupt) as stop:  # without the proof: the list is what was learned
            return replace(learned, interrupted=stop if isinstance(stop, KeyboardInterrupt) else None)
    result.finish(learned.program, learned.left)
    return learned


class Learner:
    """The parameters, and the steps that use them; ``stopped`` says whether something ended them early."""

    def __init__(self, engine: Engine[Any], settings: Settings, progress: Progress | None = None) -> None:
        self.engine = engine
        self.settings = settings
        distinct = [min(count, MANY) for count in engine.distinct()]
        support = max(float(settings.min_support), 1e-9)  # covering nothing is never enough
        self.demands = Demands(float(settings.ratio), float(settings.penalty), support, distinct)
        self.chance = settings.penalty * log(2 * sum(distinct) + 1)  # what the best of all random literals may tell
        self.rare_first = settings.optimise if settings.rare_first is None else settings.rare_first
        self.progress = progress
        self.stopped = False

    def page(self) -> Page:
        """The page of the engine's diary for the list that is learned rule by rule from all rows."""
        demands = {"ratio": self.demands.ratio, "penalty": self.demands.penalty, "support": self.demands.support}
        return page_of(self.engine, "unless, rule by rule", **demands, rare_first=self.rare_first)

    def list(self, rows: Rows, page: Page | None = None) -> Learned:
        """A list for some rows; what is learned so far if something stops the learner."""
        learned = self.rule_by_rule(rows, page)
        if self.settings.optimise and not self.stopped:
            learned = self.optimised(rows, learned.program)
        most = self.settings.max_rules
        return learned if most is None or len(learned.program) <= most else self.first(most, learned)

    def first(self, most: int, learned: Learned) -> Learned:
        """The first rules of a list that was stopped before it was short enough, and a default rule."""
        program, left = learned.program, learned.left[:most]
        last = Rule(self.engine.labels[left[-1].index(max(left[-1]))])
        program = replace(program, rules=(*program.rules[: most - 1], last))
        return Learned(program, [*left, [0.0] * len(self.engine.labels)], learned.interrupted)

    def program(self, rows: Rows) -> Program:
        """The same as a program; what stops the learner is raised."""
        learned = self.list(rows)
        if learned.interrupted is not None:
            raise learned.interrupted
        if self.stopped:
            raise Enough
        return learned.program

    def guess(self, rows: Rows) -> Learned:
        """The list that always says the most frequent label."""
        popularity = self.engine.popularity(rows)
        last = Rule(self.engine.labels[popularity.index(max(popularity))])
        program = Program(self.engine.target, self.engine.features, (last,))
        return Learned(program, [popularity, [0.0] * len(popularity)], None)

    def rule_by_rule(self, rows: Rows, page: Page | None = None) -> Learned:
        """Rules for one label after the other, each for the rows that are left, then a default rule for all others.

        The most popular label comes first, as in FOLD-RM. If the list is optimised (or by ``rare_first``), the rarest
        comes first and the most frequent one is left to the default rule: with a fifth fewer rules it is as accurate.
        """
        engine, rules, left, aside = self.engine, list[Rule](), list[Sequence[float]](), set[int]()
        interrupted: KeyboardInterrupt | None = None
        page = page or Page()
        most = None if self.settings.optimise else self.settings.max_rules
        try:
            while most is None or len(rules) + 1 < most:
                self.go_on(rows, len(rules))
                popularity = engine.popularity(rows)
                label = self.next_label(popularity, left[0] if left else popularity, aside)
                if label is None:
                    break
                learned = page.rule(engine, label, *engine.split(rows, label), self.rule)
                if learned is None:
                    aside.add(label)
                    continue
                aside.clear()  # there are fewer rows now: a label put aside may have a rule among them
                rule, positive, negative = learned
                rows = engine.minus(engine.minus(rows, positive), negative)
                rules.append(Rule(engine.labels[label], rule.default, rule.exceptions))
                left.append(popularity)
        except Enough:
            self.stopped = True
        except KeyboardInterrupt as stop:
            self.stopped, interrupted = True, stop
        left.append(engine.popularity(rows))
        last = engine.labels[left[-1].index(max(left[-1]))] if any(left[-1]) or not rules else rules[-1].head
        while rules and rules[-1].head == last:  # the default rule decides the same
            rules.pop()
        program = Program(engine.target, engine.features, (*rules, Rule(last)))
        return Learned(program, [*left[: len(program)], [0.0] * len(engine.labels)], interrupted)

    def optimised(self, rows: Rows, program: Program) -> Learned:
        """The list optimised as a whole, with thresholds half-way."""
        engine, settings = self.engine, self.settings
        price = settings.penalty * log(max(engine.size(rows), 1.0)) / 4
        optimiser = Optimiser(engine, self, rows, program, price)
        interrupted: KeyboardInterrupt | None = None
        try:
            optimiser.run(settings.max_rules, settings.max_parts)
        except Enough:
            self.stopped = True
        except KeyboardInterrupt as stop:
            self.stopped, interrupted = True, stop
        program, reached = half_way(engine, rows, optimiser.program(), rounded=settings.round_thresholds)
        return Learned(program, [engine.popularity(some) for some in reached], interrupted)

    def go_on(self, rows: Rows, rules: int) -> None:
        """Tell how far the learner is; stop if the caller says so."""
        if self.progress and self.progress(int(self.engine.size(rows)), rules):
            raise Enough

    def next_label(self, popularity: Sequence[float], before: Sequence[float], aside: Collection[int]) -> int | None:
        """The label to learn next, not one put aside; None if there is none, or only one label is left."""
        labels = [label for label, size in enumerate(popularity) if size]
        still = [label for label in labels if label not in aside]
        if self.rare_first:
            still = [label for label in still if label != before.index(max(before))]
        if len(labels) < 2 or not still:
            return None
        return (min if self.rare_first else max)(still, key=popularity.__getitem__)

    def rule(self, positive: Rows, negative: Rows) -> tuple[Rule, Rows, Rows] | None:
        """A rule, and what it covers."""
        return self.engine.rule(positive, negative, self.demands)

    def exceptions(self, positive: Rows, negative: Rows) -> tuple[Rule, ...]:
        """Exceptions to a default."""
        return self.engine.exceptions(positive, negative, self.demands, 2)[0]
