"""FOLD-RM and FOLD-R++: Algorithms 3 and 4 of the paper, on one page.

The paper's words: an *example* is a row; E+ and E- are the positive and negative examples; a *default* is the
conjunction of literals of a rule; *exceptions* are learned by swapping E+ and E-; a default is finished when the
*ratio* of false to true positives is small. Each function also returns the examples that its rules cover or leave, so
that no rule is evaluated twice.

Extensions of the paper, only on request: a *place* defines which literals are allowed there (`rule_limits`), and rules
may be locked (`locked_rules`). Under constraints a rule needs literals, and a label without a rule is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from unless.constraints import Constraints, to_constraints
from unless.errors import Interrupted, ParameterError, ReadError, UnknownNameError, suggest
from unless.learn.checkpoint import open_checkpoint
from unless.learn.engine import Engine, LabelCounts, StopLearning
from unless.learn.given_cuts import find_allowed_literal, numeric_notations
from unless.learn.literals import GAIN
from unless.learn.locked_rules import NO_LOCKED_RULES, LockedRules, learn_around_locked_rules, locked_positions
from unless.learn.memory_engine import MemoryEngine
from unless.learn.rule_limits import NO_LIMITS, RuleLimits, limits_by_label
from unless.learn.settings import FoldRMSettings
from unless.learn.thresholds import centre_thresholds
from unless.learn.weights import check_weights, weights_to_counts
from unless.rule import Literal, Program, Rule
from unless.table import Table
from unless.values import Label, to_python_value

Rows = TypeVar("Rows")
Used = tuple[Literal, ...]

Progress = Callable[[int, int], object]
"""Called before each rule with the number of rows left and of rules so far; learning stops if it returns True."""


@dataclass(frozen=True, slots=True)
class LearnedProgram:
    """A learned program, the weight of each label ``left`` before each rule and after the last, and any interruption.

    ``left`` is empty for FOLD-R++, which distinguishes only positive and negative examples.
    """

    program: Program
    left: Sequence[Sequence[float]]
    interrupted: KeyboardInterrupt | None
    penalty: float | None = None
    """The penalty of our own learner, given or chosen by a trial."""

    def program_or_raise(self, *, keep: bool = False) -> Program:
        """Return the program; after an interruption, raise an exception that carries it unless ``keep`` is true."""
        if self.interrupted is not None and not keep:
            raise Interrupted(self.program) from self.interrupted
        return self.program


@dataclass(frozen=True, slots=True)
class LearnConstraints:
    """The constraints and locked rules of a learner, checked against the records of an engine."""

    constraints: Constraints | None = None
    locked: LockedRules = NO_LOCKED_RULES

    @classmethod
    def of(
        cls, engine: Engine[Any], constraints: object = None, keep: object = None, lock: object = None
    ) -> LearnConstraints:
        """Create the constraints from user input, after checks."""
        if keep is None and lock is not None:
            raise ParameterError("lock selects rules of keep; pass keep=program, too")
        asked = to_constraints(constraints)
        if asked is not None:
            asked = asked.among(engine.features, engine.labels, numeric_notations(engine.columns))
        locked = NO_LOCKED_RULES if keep is None else LockedRules.of(keep, lock)
        return cls(asked, locked.among(engine.features, engine.labels, engine.columns))

    @property
    def cuts(self) -> Mapping[str, Sequence[float | str]]:
        """The only thresholds of some features."""
        return {} if self.constraints is None else dict(self.constraints.only_cuts)

    def rule_limits(self, engine: Engine[Any]) -> list[RuleLimits]:
        """Return the limits of rules, by label."""
        return limits_by_label(self.constraints, engine.features, engine.labels)

    def checkpoint_settings(self) -> dict[str, Any]:
        """Return the entries for the settings of a checkpoint; empty without constraints and locked rules."""
        found: dict[str, Any] = {} if self.constraints is None else {"constraints": self.constraints.to_dict()}
        if self.locked:
            found["locked"] = [self.locked.rules, self.locked.gap_sizes]
        return found


NO_CONSTRAINTS = LearnConstraints()


def fold_rm(  # noqa: PLR0913 - all that can be asked for, to be seen in one place
    table: Table | Engine[Rows] | object,
    ratio: float = 0.5,
    *,
    constraints: Constraints | None = None,
    keep: Program | Sequence[Rule] | None = None,
    lock: Sequence[int] | None = None,
    round_thresholds: bool = False,
    target: str | None = None,
    weights: NDArray[np.floating[Any]] | str | None = None,
    progress: Progress | None = None,
    keep_on_interrupt: bool = False,
    n_jobs: int | None = None,
) -> Program:
    """Learn an ordered list of rules for any number of labels by FOLD-RM (Algorithm 4).

    Parameters
    ----------
    table
        The examples with labels (`read_table(..., target=...)`), or their source: the path of a file or of a folder of
        parts, a pattern such as ``parts/*.parquet``, a `Query`, a relation of DuckDB, a DataFrame of Spark. Data that
        does not fit into memory is processed in blocks; the program is the same.
    target
        The column of labels, if the examples are not a table.
    ratio
        A default is finished when it covers at most this many negatives per positive; exceptions handle the rest.
    constraints
        Limits on what rules may test, which way decisions may move, and how long rules are (`Constraints`). Without
        constraints, the program is the same as in the paper.
    keep, lock
        A program, or rules, to learn around: the rules with the indices ``lock`` stay unchanged, in their order; by
        default all rules, except a last rule that covers everything. Between two locked rules, at most as many rules
        are learned as were there before, to correct the rules behind; all other rules are learned behind the last
        locked rule, from the examples that reach them.
    round_thresholds
        Whether to move each threshold, which is a value of some example, to the shortest number between this and the
        next value, without changing decisions on the examples. The paper does not.
    weights
        The weight of every row. Whole weights are repetitions: 2 counts the row twice, 0 leaves it out. If some are not
        whole, only proportions matter: weights above 0 are scaled to a mean of 1. If the examples are not a table, the
        name of the column of weights.
    progress
        Called before each rule with the number of rows left and of rules so far; return True to stop there.
    keep_on_interrupt
        Whether Ctrl-C returns the program learned so far. If not, it raises `Interrupted`, a KeyboardInterrupt that
        carries the program.
    n_jobs
        The number of threads for many rows, as in scikit-learn: None is 1, -1 all cores; for data in blocks, None is
        all cores. The program does not depend on it.

    Returns
    -------
    Program
        Its ``otherwise`` is None: a record that no rule covers is unclassified.
    """
    with open_engine(table, ratio, weights, target, n_jobs) as engine:
        learn_constraints = LearnConstraints.of(engine, constraints, keep, lock)
        learned = learn_rm(engine, ratio, progress, learn_constraints)
        return round_learned_thresholds(engine, learned, learn_constraints, wanted=round_thresholds).program_or_raise(
            keep=keep_on_interrupt
        )


def learn_rm(
    engine: Engine[Rows],
    ratio: float,
    progress: Progress | None = None,
    learn_constraints: LearnConstraints = NO_CONSTRAINTS,
) -> LearnedProgram:
    """Run Algorithm 4: learn the program of `fold_rm`, and count what its rules decide."""
    interrupted: KeyboardInterrupt | None = None
    checkpoint = open_checkpoint(engine, "fold-rm", ratio=ratio, **learn_constraints.checkpoint_settings())
    limits_of, aside = learn_constraints.rule_limits(engine), set[int]()

    def learn(label: int, positive: Rows, negative: Rows) -> tuple[Rule, Rows, Rows] | None:
        limits = limits_of[label]
        return checkpoint.resume_or_learn_rule(
            engine, label, positive, negative, lambda p, n: learn_rule(engine, p, n, ratio, limits=limits)
        )

    front = learn_around_locked_rules(engine, engine.all_rows(), learn_constraints.locked, learn)
    rules, rows = front.rules, front.rows
    left: list[Any] = front.left  # of arrays, which are faster where there are thousands of labels
    try:
        front.raise_stop()
        while (size := engine.size(rows)) and not (progress and progress(int(size), len(rules))):
            left[len(rules) :] = [popularity := engine.label_counts(rows)]
            label = _most_popular(popularity, aside)  # line 4
            if label is None:
                break
            learned = learn(label, *engine.split(rows, label))
            if learned is None or not engine.size(learned[1]):  # line 8: the rule covers no example of its label
                if learn_constraints.constraints is None:
                    break
                aside.add(label)
                continue
            aside.clear()
            rule, positive, negative = learned
            rows = engine.minus(engine.minus(rows, positive), negative)  # line 11: every covered example
            rules.append(Rule(engine.labels[label], rule.default, rule.exceptions))
        left[len(rules) :] = [engine.label_counts(rows)]  # after the last rule
    except StopLearning:
        left[len(rules) :] = [engine.label_counts(rows)]
    except KeyboardInterrupt as stop:
        interrupted = stop
    return LearnedProgram(Program(engine.target, engine.features, tuple(rules)), left, interrupted)


def fold_rpp(  # noqa: PLR0913 - all that can be asked for, to be seen in one place
    table: Table | Engine[Rows] | object,
    positive: Label,
    ratio: float = 0.5,
    *,
    constraints: Constraints | None = None,
    keep: Program | Sequence[Rule] | None = None,
    lock: Sequence[int] | None = None,
    round_thresholds: bool = False,
    target: str | None = None,
    weights: NDArray[np.floating[Any]] | str | None = None,
    progress: Progress | None = None,
    keep_on_interrupt: bool = False,
    n_jobs: int | None = None,
) -> Program:
    """Learn rules for one label against all others by FOLD-R++ (Algorithm 3). Parameters as in `fold_rm`.

    Returns
    -------
    Program
        Its ``otherwise`` is the other label if there are two labels; with more, None means not ``positive``.
    """
    with open_engine(table, ratio, weights, target, n_jobs) as engine:
        learn_constraints = LearnConstraints.of(engine, constraints, keep, lock)
        learned = learn_rpp(engine, positive, ratio, progress, learn_constraints)
        return round_learned_thresholds(engine, learned, learn_constraints, wanted=round_thresholds).program_or_raise(
            keep=keep_on_interrupt
        )


def learn_rpp(
    engine: Engine[Rows],
    positive: Label,
    ratio: float,
    progress: Progress | None = None,
    learn_constraints: LearnConstraints = NO_CONSTRAINTS,
) -> LearnedProgram:
    """Run Algorithm 3: learn the program of `fold_rpp`."""
    label = _label_index(positive, engine.labels)
    others = [other for k, other in enumerate(engine.labels) if k != label]
    rules: list[Rule] = []
    interrupted: KeyboardInterrupt | None = None
    checkpoint = open_checkpoint(
        engine, "fold-rpp", positive=engine.labels[label], ratio=ratio, **learn_constraints.checkpoint_settings()
    )
    limits = learn_constraints.rule_limits(engine)[label]

    def learn(positive: Rows, negative: Rows) -> tuple[Rule, Rows, Rows] | None:
        return checkpoint.resume_or_learn_rule(
            engine, label, positive, negative, lambda p, n: learn_rule(engine, p, n, ratio, limits=limits)
        )

    front = learn_around_locked_rules(
        engine, engine.all_rows(), learn_constraints.locked, lambda _, p, n: learn(p, n), {label}
    )
    try:
        front.raise_stop()
        examples = engine.split(front.rows, label)
        learn_rules(engine, *examples, ratio, rules=rules, progress=progress, learn=learn)
    except StopLearning:
        pass  # the rules so far are kept
    except KeyboardInterrupt as stop:
        interrupted = stop
    heads = (Rule(engine.labels[label], rule.default, rule.exceptions) for rule in rules)
    otherwise = others[0] if len(others) == 1 else None
    program = Program(engine.target, engine.features, (*front.rules, *heads), otherwise)
    return LearnedProgram(program, (), interrupted)


def round_learned_thresholds(
    engine: Engine[Rows], learned: LearnedProgram, learn_constraints: LearnConstraints, *, wanted: bool
) -> LearnedProgram:
    """Return the learned program with short thresholds if ``wanted``; locked rules stay unchanged."""
    if not isinstance(wanted, bool):
        raise ParameterError(f"round_thresholds must be True or False, not {wanted!r}")
    if not wanted:
        return learned
    stay = set(locked_positions(learn_constraints.locked, learned.program))
    locked = [k in stay for k in range(len(learned.program))]
    program, _ = centre_thresholds(
        engine, engine.all_rows(), learned.program, rounded=True, locked=locked, given=learn_constraints.cuts
    )
    return replace(learned, program=program)


def learn_rules(  # noqa: PLR0913 - the paper's parameters, and what the first level may have
    engine: Engine[Rows],
    positive: Rows,
    negative: Rows,
    ratio: float,
    used: Used = (),
    limits: RuleLimits = NO_LIMITS,
    *,
    rules: list[Rule] | None = None,
    progress: Progress | None = None,
    learn: Callable[[Rows, Rows], tuple[Rule, Rows, Rows] | None] | None = None,
) -> tuple[tuple[Rule, ...], Rows, Rows]:
    """Run Algorithm 3, fold_rpp: return rules for E+ against E-, and the positives and negatives left uncovered.

    If ``rules`` is given, each rule is added to it as soon as it is learned; ``learn`` replaces `learn_rule`.
    """
    rules = [] if rules is None else rules
    spared = negative
    while (left := engine.size(positive)) and not (progress and progress(int(left), len(rules))):
        if learn:
            learned = learn(positive, negative)
        else:
            learned = learn_rule(engine, positive, negative, ratio, used, limits.with_rules(*rules))
        if learned is None or not engine.size(learned[1]):  # line 6
            break
        rule, true_positive, false_positive = learned
        positive = engine.minus(positive, true_positive)  # line 9; E- stays whole
        spared = engine.minus(spared, false_positive)
        rules.append(rule)
    return tuple(rules), positive, spared


def learn_rule(
    engine: Engine[Rows], positive: Rows, negative: Rows, ratio: float, used: Used = (), limits: RuleLimits = NO_LIMITS
) -> tuple[Rule, Rows, Rows] | None:
    """Run Algorithm 3, learn_rule: return a default with exceptions, and the positives and negatives that it covers.

    Return None if constraints allow no literal.
    """
    if (
        limits.label_limits is None
        and (known := engine.learn_paper_rule(positive, negative, ratio, used, limits.level)) is not None
    ):
        return known
    default: Used = ()
    enough = limits.ratio(ratio)
    while found := find_allowed_literal(engine, positive, negative, GAIN, limits, default, used + default):  # line 17
        literal = found.literal
        default += (literal,)
        positive = engine.covered_by_literal(positive, literal)  # line 20
        negative = engine.covered_by_literal(negative, literal)  # line 21
        if limits.full(default) or engine.size(negative) <= engine.size(positive) * enough:  # line 22
            if limits.deepest:
                break
            inner = limits.exception(default)
            exceptions, negative, positive = learn_rules(engine, negative, positive, ratio, used + default, inner)
            return Rule(None, default, exceptions), positive, negative
    return (Rule(None, default), positive, negative) if default or limits.label_limits is None else None


def _most_popular(popularity: LabelCounts, aside: Collection[int] = ()) -> int | None:
    """Return the label with the most examples; the first of several, so that the order of rows never matters.

    Labels in ``aside`` are skipped; None if all are.
    """
    if aside:
        popularity = popularity.copy()
        popularity[list(aside)] = 0
    label = int(popularity.argmax())
    return label if popularity[label] else None


@contextmanager
def open_engine(
    table: object, ratio: float, weights: Any = None, target: str | None = None, n_jobs: int | None = None
) -> Iterator[Engine[Any]]:
    """Open the engine for a table or a source, after the checks of every learner; delete temporary blocks on exit."""
    if isinstance(table, Table | Engine) or (target is None and not hasattr(table, "coding")):
        yield make_engine(table, ratio, weights, n_jobs)
        return
    from unless.blocks.inputs import open_source  # only for a source: the import takes time

    check_ratio(ratio)
    found = open_source(table, target, weights=weights, n_jobs=n_jobs)
    if isinstance(found, tuple):
        yield MemoryEngine(*found, n_jobs=n_jobs)
        return
    try:
        yield found.engine()
    finally:
        if found is not table:
            found.close()


def check_ratio(ratio: object) -> None:
    """Reject a value that is not a ratio."""
    FoldRMSettings.declared()["ratio"].check("ratio", ratio)


def make_engine(table: Any, ratio: float, weights: Any = None, n_jobs: int | None = None) -> Engine[Any]:
    """Create the engine for a table, after the checks that every learner needs."""
    check_ratio(ratio)
    if isinstance(table, Engine):
        if weights is not None:
            raise ParameterError("an engine has its own weights; pass them when you create the engine")
        if n_jobs is not None:
            raise ParameterError("an engine has its own threads; pass n_jobs when you create the engine")
        return table
    if not isinstance(table, Table):
        raise ParameterError(f"a {type(table).__name__} is not a Table; make one: read_table(source, target=...)")
    if not len(table):
        raise ReadError("the table has no rows to learn from")
    counts = None if weights is None else weights_to_counts(check_weights(weights, len(table)))
    return MemoryEngine(table, counts, n_jobs=n_jobs)


def _label_index(positive: Label, labels: tuple[Label, ...]) -> int:
    """Return the index of a label; types must match: True is not 1."""
    positive = to_python_value(positive)
    for index, label in enumerate(labels):
        if type(label) is type(positive) and label == positive:
            return index
    raise UnknownNameError(f"no label {positive!r}{suggest(positive, labels)}")
