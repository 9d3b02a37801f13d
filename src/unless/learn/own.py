"""Our own learner, in the words of `fold`: rules must be significant, and the last one is a default rule.

FOLD-RM as published collapses on hard data: a literal that covers no positive example can win; then the rule covers
nothing, and the remaining examples stay unclassified. Here every literal must cover enough positives, raise their
share, and pass a test of significance that accounts for the number of literals it was chosen from. A label without
such a rule is put aside until another rule is learned, and the last rule covers every record. This list is then
optimised as a whole (`optimise`), its thresholds are moved half-way to the next number (`thresholds`), and a list that
could be chance has to prove itself (`doubt`). Rules that are expected to be less right on new records than those
after them are dropped (`promise`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from math import inf, log
from numbers import Real
from typing import Any, Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from unless.constraints import Constraints
from unless.errors import ParameterError
from unless.learn.diary import Page, page_of
from unless.learn.doubt import could_be_chance, holds_on_unseen
from unless.learn.engine import Demands, Engine, Enough
from unless.learn.fold import FREE, Learned, Progress, Wishes, engine_for
from unless.learn.lenient import measured
from unless.learn.literals import MANY
from unless.learn.locks import Placed, placed, positions
from unless.learn.optimise import Optimiser
from unless.learn.places import Place, place_of
from unless.learn.promise import promising
from unless.learn.thresholds import half_way
from unless.rule import Program, Rule
from unless.table import Table

Rows = TypeVar("Rows")

AUTO: Final = "auto"
"""A penalty that is measured (`lenient`)."""

Penalty = float | Literal["auto"]

PLENTY: Final = 1_000
"""From so many records on, "auto" is stricter, if the list is optimised: rules become many, and signals are clear.

A stricter list has fewer rules. Of fewer records it may miss weak signals.
"""

PRICE: Final = 0.35
"""How many errors a rule or an exception must save, times the penalty and ln(n) of n records.

A higher price gives shorter lists; too high a price costs accuracy.
"""


PROOFS: Final = 2
"""How many kinds of lists may prove one that is in doubt (`Learner.believed`)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of `fold_unless`."""

    ratio: float = 0.75
    penalty: Penalty = AUTO
    min_support: float = 3
    optimise: bool = True
    round_thresholds: bool = True
    max_rules: int | None = None
    max_parts: int | None = None
    """How many rules and exceptions an optimised list may have."""
    rare_first: bool | None = None
    """Whether the rarest label comes first, and the most frequent one last; if None, as it is best for the list."""
    wishes: Wishes = FREE
    """Constraints and locked rules, which the list keeps to."""

    def __post_init__(self) -> None:
        for name, other in (("penalty", ' or "auto"'), ("min_support", "")):
            value = getattr(self, name)
            if other and value == AUTO:
                continue
            if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) < inf:
                raise ParameterError(f"{name} must be a number of at least 0{other}, not {value!r}")
        for name in ("optimise", "round_thresholds"):
            if not isinstance(value := getattr(self, name), bool):
                raise ParameterError(f"{name} must be True or False, not {value!r}")
        check_max_rules(self.max_rules)
        self.wishes.locked.refuse_more_than(self.max_rules)

    @property
    def strictness(self) -> float:
        """The penalty as a number; 1 if it is still to be measured."""
        return 1.0 if self.penalty == AUTO else float(self.penalty)

    def usual(self, records: float) -> float:
        """The penalty that "auto" begins with, for so many records."""
        return 1.25 if self.optimise and records >= PLENTY else 1.0

    def noted(self, engine: Engine[Any]) -> dict[str, Any]:
        """What the diary of an engine must know of them."""
        plainly = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "wishes"}
        return plainly | {"price": PRICE, "plenty": PLENTY, "proofs": PROOFS} | self.wishes.noted(engine)


def check_max_rules(value: object) -> None:
    """Refuse what is not a number of rules."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise ParameterError(f"max_rules must be a whole number of at least 1, or None, not {value!r}")


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
        then knows clearly more (2,000 records and more; see `lenient`).
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
    settings = Settings(ratio, penalty, min_support, optimise, round_thresholds, max_rules)
    with engine_for(table, ratio, weights, target, n_jobs) as engine:
        settings = replace(settings, wishes=Wishes.of(engine, constraints, keep, lock))
        return learn_unless(engine, settings, progress).finished(keep=keep_on_interrupt)


def learn_unless(engine: Engine[Rows], settings: Settings, progress: Progress | None = None) -> Learned:
    """Learn what `fold_unless` returns, and count what its rules decide."""
    result = page_of(engine, "unless", **settings.noted(engine))
    if result.finished is not None:
        program, left, penalty = result.finished
        return Learned(program, left, None, penalty)
    if settings.penalty == AUTO:
        usual = settings.usual(engine.size(engine.everything()))
        learner, begun = Learner(engine, replace(settings, penalty=usual), progress).measured()
        if begun is not None and learner.stopped:
            return learner.short_enough(engine.everything(), begun)
        settings = learner.settings
    else:
        learner, begun = Learner(engine, settings, progress), None
    learned = replace(learner.list(engine.everything(), learner.page(), begun), penalty=settings.strictness)
    if learner.stopped:
        return learned
    if settings.optimise:
        try:
            learned = learner.promising(learner.believed(learned))
        except (Enough, KeyboardInterrupt) as stop:  # without the proof: the list is what was learned
            return replace(learned, interrupted=stop if isinstance(stop, KeyboardInterrupt) else None)
    result.finish(learned.program, learned.left, learned.penalty)
    return learned


class Learner:
    """The parameters, and the steps that use them; ``stopped`` says whether something ended them early."""

    def __init__(self, engine: Engine[Any], settings: Settings, progress: Progress | None = None) -> None:
        self.engine = engine
        self.settings = settings
        never = () if settings.wishes.constraints is None else settings.wishes.constraints.never
        counts = zip(engine.features, engine.distinct(), strict=True)
        distinct = [0 if name in never else min(count, MANY) for name, count in counts]
        support = max(float(settings.min_support), 1e-9)  # covering nothing is never enough
        self.demands = Demands(float(settings.ratio), settings.strictness, support, distinct)
        self.chance = settings.strictness * log(2 * sum(distinct) + 1)  # what the best of all random literals may tell
        self.rare_first = settings.optimise if settings.rare_first is None else settings.rare_first
        self.places = settings.wishes.places(engine)
        self.locked = settings.wishes.locked
        if settings.max_rules is not None:  # fewer rules between locked ones, if there may not be so many
            spare = settings.max_rules - 1 - len(self.locked.rules)
            self.locked = replace(self.locked, room=tuple(_shared(self.locked.room, spare)))
        self.progress = progress
        self.stopped = False

    def page(self) -> Page:
        """The page of the engine's diary for the list that is learned rule by rule from all rows."""
        demands = {"ratio": self.demands.ratio, "penalty": self.demands.penalty, "support": self.demands.support}
        wishes = replace(self.settings.wishes, locked=self.locked).noted(self.engine)
        return page_of(self.engine, "unless, rule by rule", **demands, rare_first=self.rare_first, **wishes)

    def optimising(self) -> Page:
        """The page for what optimising makes of that list."""
        return page_of(self.engine, "unless, optimising", **self.settings.noted(self.engine))

    def measured(self) -> tuple[Learner, Learned | None]:
        """A learner with the penalty that is best for the rows; and its list rule by rule, if that is known."""
        engine, settings, usual = self.engine, self.settings, self.settings.strictness
        if not settings.optimise:
            return self, None
        learned = self.rule_by_rule(engine.everything(), self.page())
        if self.stopped:
            return self, learned
        if settings.max_rules is not None and len(learned.program) >= settings.max_rules:  # no room for a longer list
            return self, learned

        def tried(rows: Rows, penalty: float, optimise: bool) -> Program:  # noqa: FBT001 - a callback
            one = replace(settings, penalty=penalty, optimise=optimise, rare_first=self.rare_first, max_rules=None)
            return Learner(engine, one, self.progress).program(rows)

        try:
            settings = replace(settings, penalty=measured(engine, learned, tried, usual))
        except (Enough, KeyboardInterrupt) as stop:
            self.stopped = True
            return self, replace(learned, interrupted=stop if isinstance(stop, KeyboardInterrupt) else None)
        return Learner(engine, settings, self.progress), learned if settings.penalty == usual else None

    def list(self, rows: Rows, page: Page | None = None, begun: Learned | None = None) -> Learned:
        """A list for some rows, maybe begun rule by rule; what is learned so far if something stops the learner."""
        learned = begun or self.rule_by_rule(rows, page)
        if self.settings.optimise and not self.stopped:
            learned = self.optimised(rows, learned.program, None if page is None else self.optimising())
        return self.short_enough(rows, learned)

    def short_enough(self, rows: Rows, learned: Learned) -> Learned:
        """A list for some rows, without rules that are too many."""
        most = self.settings.max_rules
        return learned if most is None or len(learned.program) <= most else self.first(most, rows, learned)

    def first(self, most: int, rows: Rows, learned: Learned) -> Learned:
        """The first rules of a list that was stopped before it was short enough, and a default rule.

        Locked rules stay.
        """
        program, locked = learned.program, set(positions(self.settings.wishes.locked, learned.program))
        others = [k for k in range(len(program) - 1) if k not in locked][: most - 1 - len(locked)]
        return self.only(sorted({*locked, *others}), rows, learned)

    def only(self, places: Sequence[int], rows: Rows, learned: Learned) -> Learned:
        """Some rules of a list for some rows, and a default rule."""
        engine, rules, left = self.engine, [learned.program.rules[k] for k in places], list[Sequence[float]]()
        for rule in rules:
            left.append(engine.popularity(rows))
            rows = engine.minus(rows, engine.satisfying(rows, rule))
        left.append(engine.popularity(rows))
        locked = self.settings.wishes.locked.rules
        last = self.last(left[-1], [(engine.labels.index(one.head), one) for one in rules if one not in locked])
        rules.append(learned.program.rules[-1] if last is None else Rule(engine.labels[last]))
        program = replace(learned.program, rules=tuple(rules))
        return Learned(program, [*left, [0.0] * len(engine.labels)], learned.interrupted)

    def program(self, rows: Rows) -> Program:
        """The same as a program; what stops the learner is raised."""
        learned = self.list(rows)
        if learned.interrupted is not None:
            raise learned.interrupted
        if self.stopped:
            raise Enough
        return learned.program

    def believed(self, learned: Learned) -> Learned:
        """The list; if what was learned behind its locked rules is chance, the list without it."""
        engine, rules = self.engine, learned.program.rules
        front = max((k + 1 for k in positions(self.settings.wishes.locked, learned.program)), default=0)
        behind = replace(learned, program=replace(learned.program, rules=rules[front:]), left=learned.left[front:])
        if not could_be_chance(behind, self.chance):
            return learned
        rows = engine.everything()
        for rule in rules[:front]:
            rows = engine.minus(rows, engine.satisfying(rows, rule))
        # First lists learned rule by rule, in less time; then optimised ones, which may hold where these do not.
        plainly = replace(self.settings, optimise=False, rare_first=self.rare_first, max_rules=None)
        if any(holds_on_unseen(engine, rows, Learner(engine, each).program) for each in (plainly, self.settings)):
            return learned
        return self.only(range(front), engine.everything(), learned)

    def promising(self, learned: Learned) -> Learned:
        """The list without rules that are expected to be less right than those after them; locked ones stay."""
        locked = set(positions(self.settings.wishes.locked, learned.program))
        places = promising(self.engine, learned, locked)
        if len(places) == len(learned.program) - 1:
            return learned
        found = self.only(places, self.engine.everything(), learned)
        last = found.program.rules[-1].head
        while places and places[-1] not in locked and learned.program.rules[places[-1]].head == last:
            places.pop()
            found = self.only(places, self.engine.everything(), learned)
        return replace(found, penalty=learned.penalty)

    def rule_by_rule(self, rows: Rows, page: Page | None = None) -> Learned:
        """Rules for one label after the other, each for the rows that are left, then a default rule for all others.

        The most popular label comes first, as in FOLD-RM. If the list is optimised (or by ``rare_first``), the rarest
        comes first and the most frequent one is left to the default rule: with a fifth fewer rules it is as accurate.
        """
        engine, aside = self.engine, set[int]()
        interrupted: KeyboardInterrupt | None = None
        page = page or Page()
        most = None if self.settings.optimise else self.settings.max_rules
        front = self.front(rows, page)
        rules, left, rows = list(front.rules), list(front.left), front.rows
        try:
            front.go_on()
            while most is None or len(rules) + 1 < most:
                self.go_on(engine.size(rows), len(rules))
                popularity = engine.popularity(rows)
                label = self.next_label(popularity, [*left, popularity][len(front.rules)], aside)
                if label is None:
                    break
                learned = page.rule(engine, label, *engine.split(rows, label), self.for_label(label))
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
        while len(rules) > len(front.rules) and rules[-1].head == last:  # the default rule decides the same
            rules.pop()
        program = Program(engine.target, engine.features, (*rules, Rule(last)))
        return Learned(program, [*left[: len(program)], [0.0] * len(engine.labels)], interrupted)

    def front(self, rows: Rows, page: Page) -> Placed[Rows]:
        """The locked rules, and rules between them."""
        engine = self.engine
        return placed(engine, rows, self.locked, lambda k, p, n: page.rule(engine, k, p, n, self.for_label(k)))

    def optimised(self, rows: Rows, program: Program, page: Page | None = None) -> Learned:
        """The list optimised as a whole, with thresholds half-way; locked rules stay."""
        engine, settings = self.engine, self.settings
        price = settings.strictness * PRICE * log(max(engine.size(rows), 1.0))
        engine, rows = engine.for_optimising(rows)
        locked = positions(settings.wishes.locked, program)
        optimiser = Optimiser(engine, self, rows, program, price, locked, page=page)
        interrupted: KeyboardInterrupt | None = None
        try:
            optimiser.run(settings.max_rules, settings.max_parts)
        except Enough:
            self.stopped = True
        except KeyboardInterrupt as stop:
            self.stopped, interrupted = True, stop
        stay, rounded = optimiser.locked, settings.round_thresholds
        program, reached = half_way(engine, rows, optimiser.program(), rounded=rounded, locked=stay)
        return Learned(program, [engine.popularity(some) for some in reached], interrupted)

    def go_on(self, left: float, rules: int) -> None:
        """Tell how far the learner is; stop if the caller says so."""
        if self.progress and self.progress(int(left), rules):
            raise Enough

    def next_label(self, popularity: Sequence[float], before: Sequence[float], aside: Collection[int]) -> int | None:
        """The label to learn next, not one put aside; None if there is none, or only one label is left."""
        labels = [label for label, size in enumerate(popularity) if size]
        still = [label for label in labels if label not in aside]
        if self.rare_first:
            last = before.index(max(before))
            still = [label for label in still if label != last]
        if len(labels) < 2 or not still:
            return None
        return (min if self.rare_first else max)(still, key=popularity.__getitem__)

    def place(self, label: int, after: Collection[int] | None) -> Place:
        """Where a rule for a label begins, after which only some labels are given; None if that may change."""
        constraints, labels = self.settings.wishes.constraints, self.engine.labels
        if after is None or constraints is None or not constraints.monotone:
            return self.places[label]
        return place_of(constraints, self.engine.features, labels[label], [labels[k] for k in after])

    def last(self, left: Sequence[float], rules: Iterable[tuple[int, Rule]]) -> int | None:
        """The label for the rows that are left by rules: the most frequent one that their literals allow behind them.

        None if no rows are left, or none of their labels is allowed.
        """
        labels = sorted((k for k, size in enumerate(left) if size), key=lambda k: (-left[k], k))
        known = list(rules)
        return next((k for k in labels if all(self.place(one, {k}).admits(rule) for one, rule in known)), None)

    def for_label(self, label: int) -> Callable[[Rows, Rows], tuple[Rule, Rows, Rows] | None]:
        """What learns rules for a label."""
        return lambda positive, negative: self.engine.rule(positive, negative, self.demands, self.places[label])


def _shared(room: Sequence[int], spare: int) -> Iterator[int]:
    """As much room as there is to spare."""
    for each in room:
        yield min(each, spare)
        spare -= min(each, spare)
