"""Learn rules around locked rules, which stay unchanged and in order.

A kept program consists of locked rules and *gaps*, whose rules are not locked. Each gap may get at most as many learned
rules as it had, so that adjacent locked rules stay adjacent; behind the last locked rule there may be any number. Every
rule is learned from the records that reach it.

A rule belongs in a gap only if it corrects a locked rule behind it: any other rule can be learned behind the last of
them. It is therefore learned for the most frequent label among the records that the locked rules behind get wrong. Its
positives are the records with this label, without those that the locked rules get right; its negatives are all records
with other labels; and it must cover some of the wrong records.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Generic, TypeVar

from unless.errors import ParameterError, UnknownNameError, suggest
from unless.learn.engine import Engine, StopLearning
from unless.rule import Literal, Program, Rule
from unless.table import Column
from unless.values import Label, class_index, count_text, to_python_value
from unless.values.notation import NotatedNumber

Rows = TypeVar("Rows")


@dataclass(frozen=True, slots=True)
class LockedRules:
    """Locked rules in order, and the number of rules that may be learned before each."""

    rules: tuple[Rule, ...] = ()
    gap_sizes: tuple[int, ...] = ()

    @classmethod
    def of(cls, keep: object, lock: object = None) -> LockedRules:
        """Select the locked rules of a program, a list of rules or a model by their indices.

        None locks all rules except a last rule that covers every record, which would leave nothing to learn.
        """
        rules = _rules_to_lock(keep)
        numbers = (
            [k for k, rule in enumerate(rules) if not _covers_everything(rule)]
            if lock is None
            else _indices(lock, rules)
        )
        before = [-1, *numbers]
        return cls(tuple(rules[k] for k in numbers), tuple(k - before[j] - 1 for j, k in enumerate(numbers)))

    def __bool__(self) -> bool:
        return bool(self.rules)

    def among(self, features: Sequence[str], labels: Sequence[Label], columns: Iterable[Column] = ()) -> LockedRules:
        """Return the same rules, checked against data, with the notation of its columns and the types of its labels."""
        known = {column.name: column for column in columns}
        rules = []
        for number, rule in zip(self.numbers, self.rules, strict=True):
            head = rule.head
            place = None if head is None else class_index(head, tuple(labels))
            if place is None:
                near = suggest(head, labels)
                raise UnknownNameError(f"locked rule {number} says {head!r}, which is not a label{near}")
            for literal in rule.literals():
                if literal.feature not in features:
                    near = suggest(literal.feature, features)
                    raise UnknownNameError(
                        f"locked rule {number} tests {literal.feature!r}, which is not a feature{near}"
                    )
            rules.append(replace(_rule_in_notations(rule, known, number), head=labels[place]))
        return replace(self, rules=tuple(rules))

    @property
    def numbers(self) -> list[int]:
        """The numbers of the rules in the original program, counted from 1."""
        return [k + before for k, before in enumerate(accumulate(self.gap_sizes), 1)]

    def refuse_more_than(self, most: int | None, others: int = 1) -> None:
        """Reject a limit that is too small for the locked rules and the ``others`` that always exist."""
        if self and most is not None and len(self.rules) + others > most:
            more = " and there is at least one more" if others else ""
            locked = f"{count_text(len(self.rules), 'rule')} {'is' if len(self.rules) == 1 else 'are'} locked"
            raise ParameterError(f"max_rules is {most}, but {locked}{more}; raise it, or lock fewer")


NO_LOCKED_RULES = LockedRules()


@dataclass
class ListAroundLockedRules(Generic[Rows]):
    """The locked rules with the rules learned between them, and the rows that reach the end."""

    rules: list[Rule]
    locked: list[bool]
    left: list[Sequence[float]]
    """The weight of each label left before each rule."""
    rows: Rows
    stopped: StopLearning | KeyboardInterrupt | None = None

    def raise_stop(self) -> None:
        """Raise the exception that stopped the learner in a gap, if any."""
        if self.stopped is not None:
            raise self.stopped


Learn = Callable[[int, Rows, Rows], tuple[Rule, Rows, Rows] | None]
"""Learns a rule for a label, given by its index, from positives and negatives."""


def learn_around_locked_rules(
    engine: Engine[Rows], rows: Rows, locked: LockedRules, learn: Learn[Rows], labels: Collection[int] | None = None
) -> ListAroundLockedRules[Rows]:
    """Learn rules in the gaps between the locked rules, for these labels or any label.

    If something stops the learner in a gap, no more rules are learned, but the list contains all locked rules.
    """
    found = ListAroundLockedRules[Rows]([], [], [], rows)

    def add(rule: Rule, *, is_locked: bool) -> None:
        found.left.append(engine.label_weights(found.rows))
        found.rules.append(rule)
        found.locked.append(is_locked)
        found.rows = engine.minus(found.rows, engine.covered_by_rule(found.rows, rule))

    for k, (rule, gap_sizes) in enumerate(zip(locked.rules, locked.gap_sizes, strict=True)):
        try:
            for _ in range(0 if found.stopped else gap_sizes):
                correction = _find_correcting_rule(engine, found.rows, locked.rules[k:], learn, labels)
                if correction is None:
                    break
                add(correction, is_locked=False)
        except (StopLearning, KeyboardInterrupt) as stop:
            found.stopped = stop
        add(rule, is_locked=True)
    return found


def _find_correcting_rule(
    engine: Engine[Rows], rows: Rows, behind: Sequence[Rule], learn: Learn[Rows], labels: Collection[int] | None
) -> Rule | None:
    """Find a rule that corrects the rules behind it; None if none exists."""
    nothing = engine.minus(rows, rows)
    right, left = nothing, rows
    for rule in behind:
        covered = engine.covered_by_rule(left, rule)
        left = engine.minus(left, covered)
        right = engine.plus(right, engine.of_label(covered, engine.labels.index(rule.head)))
    wrong = engine.minus(engine.minus(rows, left), right)
    errors = engine.label_weights(wrong)
    wanted = [k for k, count in enumerate(errors) if count and (labels is None or k in labels)]
    for label in sorted(wanted, key=lambda k: (-errors[k], k)):
        own, others = engine.split(rows, label)
        learned = learn(label, engine.minus(own, right), others)
        if learned is None:
            continue
        rule = learned[0]
        if engine.size(engine.covered_by_rule(engine.of_label(wrong, label), rule)):
            return Rule(engine.labels[label], rule.default, rule.exceptions)
    return None


# Checks.


def _covers_everything(rule: Rule) -> bool:
    return not rule.default and not rule.exceptions


def _rules_to_lock(keep: object) -> tuple[Rule, ...]:
    if hasattr(keep, "committee_") or getattr(keep, "committee", None) is not None:
        raise ParameterError("the lists of a committee decide together, so that none of their rules can be kept")
    program = getattr(keep, "program_", getattr(keep, "program", keep))
    if isinstance(program, Program):
        return program.rules
    found = tuple(program) if isinstance(program, Iterable) and not isinstance(program, str | Rule) else (program,)
    if wrong := [one for one in found if not isinstance(one, Rule)]:
        raise ParameterError(f"keep must be a Program, a list of rules or a fitted model, not {wrong[0]!r:.60}")
    return found


def _indices(lock: object, rules: Sequence[Rule]) -> list[int]:
    """Return the sorted indices, after checks."""
    given = [lock] if isinstance(to_python_value(lock), int) else lock
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise ParameterError(f"lock must be indices of rules, such as (0, 2), not {lock!r:.60}")
    found = [to_python_value(one) for one in given]
    for one in found:
        if isinstance(one, bool) or not isinstance(one, int) or not 0 <= one < len(rules):
            raise ParameterError(f"lock has {one!r}, but the indices of the rules to keep are 0 to {len(rules) - 1}")
        if _covers_everything(rules[one]):
            raise ParameterError(
                f"rule {one + 1} covers every record, so that nothing could be learned behind it; do not lock it"
            )
    return sorted(set(found))


def _rule_in_notations(rule: Rule, columns: dict[str, Column], number: int) -> Rule:
    """Return the rule with numbers in the notation of the columns."""
    default = tuple(_literal_in_notation(one, columns.get(one.feature), number) for one in rule.default)
    exceptions = tuple(_rule_in_notations(one, columns, number) for one in rule.exceptions)
    return Rule(rule.head, default, exceptions)


def _literal_in_notation(literal: Literal, column: Column | None, number: int) -> Literal:
    if column is None:
        return literal
    value, notation = literal.value, column.notation
    if isinstance(value, float):
        own = value.notation if isinstance(value, NotatedNumber) else None
        if own == notation:
            return literal
        if column.plain and (own is None or own.plain):
            return replace(literal, value=column.number(float(value)))
    elif not (isinstance(value, str) and notation is not None and notation.number(value) is not None):
        return literal
    here = "plain numbers" if column.plain else f"written as {notation!r}"
    raise ParameterError(
        f"locked rule {number} tests {literal}, but in these records {literal.feature!r} is otherwise: its numbers are "
        f"{here}; read the column as before (dates=, orders=, numeric=), or change the rule"
    )


def locked_positions(locked: LockedRules, program: Program) -> Iterator[int]:
    """Yield the index of each locked rule in a program that was learned around them."""
    start = 0
    for rule in locked.rules:
        start = program.rules.index(rule, start) + 1
        yield start - 1
