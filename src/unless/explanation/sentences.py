"""Write proofs in English, in the words that the reader chose.

There are three forms. `decision_sentence` is short: "class 2, because condition is S; the exception does not apply,
because steel is R". `story_lines` gives several lines, and `outline_lines` the lines of a tree. All use the same
phrases: a condition's requirement (`condition_text`), a record's value (`Words.has`), and both (`check_text`,
`requirement_text`, `obstacle_text`). A condition is a literal or a range (`rule.conditions`): a proof has a check of
every literal, and a text combines the checks of a range. `report/page/words.js` produces the same texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import floor, isfinite
from typing import TYPE_CHECKING, NamedTuple
from typing import Literal as OneOf

from unless.explanation.words import DEFAULT, Words, join_reasons, printable
from unless.rule import (
    OPERATOR_WORDS,
    Condition,
    Program,
    Rule,
    SpokenOperator,
    condition_verbs,
    conditions,
    spoken_bounds,
)
from unless.values import Value, amount_text, count_text, share_text
from unless.values.notation import WHOLE, NotatedNumber

if TYPE_CHECKING:
    from unless.explanation.proof import LiteralCheck, Proof, RuleProof
    from unless.model.rule_statistics import RuleStatistics
    from unless.table import Table

_MAX_OVERRULED = 3
"""The maximum number of overruled rules that a sentence names."""

_INDENT = " " * 10
_SHALLOW = 8
"""The number of levels that are indented; deeper levels, which no learned program has, stay in one column."""

_SORTS = {"date": "a date", "datetime": "a date", "instant": "a date", "time": "a time", "duration": "a duration"}
_SORTS |= {"order": "in the order"}
_OPPOSITE: dict[SpokenOperator, SpokenOperator] = {"<=": ">", ">": "<=", "<": ">=", ">=": "<"}


def words_for_checks(words: Words, checks: Iterable[LiteralCheck]) -> Words:
    """Return words for a text about checks, with the same number format for all numbers of a feature."""
    pairs = [(check[0].feature, check[0].value, check[1]) for check in checks]
    found = words.for_values((feature, value) for feature, *values in pairs for value in values)
    fractions = {name for name, _, value in pairs if isinstance(value, float) and not value.is_integer()}
    return replace(found, whole={*found.whole} - fractions) if fractions.intersection(found.whole) else found


def compared_values(program: Program) -> list[tuple[str, Value]]:
    """List each literal's feature and value, which a text about all rules may contain."""
    return [(literal.feature, literal.value) for literal in program.literals()]


def words_for(
    *programs: Program, record: Mapping[str, Value] | None = None, tables: Iterable[Table] = (), words: Words = DEFAULT
) -> Words:
    """Return words for a text about programs, a record and tables, with one number format per feature."""
    columns = [column for table in tables for column in table.columns if len(column.numbers)]
    ends = ((column.name, column.value(code)) for column in columns for code in (0, len(column.numbers) - 1))
    known = words.for_values(chain(chain.from_iterable(map(compared_values, programs)), (record or {}).items(), ends))
    fractions = {column.name for column in columns if column.notation != WHOLE or (column.numbers % 1).any()}
    return replace(known, whole={*known.whole, *(column.name for column in columns)} - fractions) if columns else known


# The requirement of a condition, and the value of a record.


Checks = tuple["LiteralCheck", ...]
"""The checks of one condition, which are combined in texts."""


def condition_parts(condition: Condition, words: Words = DEFAULT) -> list[tuple[str, str | None]]:
    """Return the verbs and values of a condition: "is at most", "21,000"; None where a verb has no value."""
    if (only := single_number_in_range(condition, words)) is not None:
        return [(OPERATOR_WORDS["=="], words.value(condition[0].feature, only))]
    values = (
        None if value is None else words.value(condition[0].feature, value) for _, value in spoken_bounds(condition)
    )
    return list(zip(condition_verbs(condition), values, strict=True))


def single_number_in_range(condition: Condition, words: Words) -> float | None:
    """Return the only number in a range of whole numbers, such as 3 for above 2 and at most 3; else None."""
    if len(condition) < 2 or condition[0].feature not in words.whole:
        return None
    low, high = (literal.value for literal in condition)
    if not (isinstance(low, float) and isinstance(high, float) and isfinite(low) and isfinite(high)):
        return None
    return float(floor(high)) if floor(low) + 1 == floor(high) else None


def condition_text(condition: Condition, words: Words = DEFAULT) -> str:
    """Write a condition's requirement: "history is late", "age is above 30 and at most 40"."""
    return f"{words.name(condition[0].feature)} {_test_text(condition, words)}"


def default_texts(rule: Rule, words: Words) -> list[str]:
    """Write the requirement of each condition of a rule."""
    return [condition_text(condition, words) for condition in conditions(rule.default)]


def checks_by_condition(proof: RuleProof) -> list[Checks]:
    """Group the checks of a rule by condition."""
    check_of = {check.literal: check for check in proof.checks}
    return [tuple(check_of[literal] for literal in condition) for condition in conditions(proof.rule.default)]


def failing_conditions(proof: RuleProof) -> list[Checks]:
    """Return the checks of each failing condition; at least one check of such a condition fails."""
    failing = (checks for checks in checks_by_condition(proof) if not all(check.holds for check in checks))
    return list(failing) if proof.failing else []


def check_text(checks: Checks, words: Words = DEFAULT) -> str:
    """Write the record's value and, where informative, the requirement: "age is 35, above 30".

    If a range fails, only the failing bound is named: "age is 50, above 40".
    """
    (literal, value, holds), has = checks[0], _value_text(checks, words)
    if _is_flag_check(checks):
        return has
    if literal.op in _OPPOSITE:
        if not isinstance(value, float):
            notation = literal.value.notation.name if isinstance(literal.value, NotatedNumber) else ""
            return has if value is None else f"{has}, not {_SORTS.get(notation, 'a number')}"
        if (only := single_number_in_range(_literals_of(checks), words)) is not None:
            return has if all(one.holds for one in checks) else f"{has}, not {words.value(literal.feature, only)}"
        decisive = [one for one in checks if not one.holds] or checks
        return f"{has}, {' and '.join(_relation_text(one, words) for one in decisive)}"
    adds = literal.op != "present" and holds == (literal.op == "!=")
    return f"{has}, not {words.value(literal.feature, literal.value)}" if adds else has


def _is_flag_check(checks: Checks) -> bool:
    """Return whether the value is 0 or 1 and no other is expected, so that the value alone suffices."""
    literal, value, _ = checks[0]
    return len(checks) == 1 and literal.op in _OPPOSITE and literal.as_spoken()[0] == "==" and value in (0.0, 1.0)


def _relation_text(one: LiteralCheck, words: Words) -> str:
    """Write how a number compares with a bound: "at most 21,000"."""
    op, value = one.literal.as_short_bound()
    verb = OPERATOR_WORDS[op if one.holds else _OPPOSITE[op]].removeprefix("is ")
    return f"{verb} {words.value(one.literal.feature, value)}"


def requirement_text(checks: Checks, words: Words) -> str:
    """Write the record's value and how it meets a condition's requirement, for checks that hold."""
    alone = _is_flag_check(checks) or single_number_in_range(_literals_of(checks), words) is not None
    if checks[0].literal.op in ("<=", ">", "!=") and not alone:
        return f"{_value_text(checks, words)}, which {_test_text(_literals_of(checks), words)}"
    return f"{_value_text(checks, words)}, as required"


def obstacle_text(rule: RuleProof, words: Words) -> str:
    """Explain why a rule did not apply: its first failing condition, or the exception that applies."""
    if fails := failing_conditions(rule):
        must = re.sub("^is( not)?", r"must\1 be", _test_text(_literals_of(fails[0]), words))
        return f"{_value_text(fails[0], words)}, but {must}"
    if applying := rule.applying:
        return f"an exception applies, because {reason_text(applying[0], words)}"
    return "an earlier rule decides"


def contrast_text(fails: Sequence[Checks], words: Words) -> str:
    """Contrast the requirement of failing conditions with the record's value: "age is above 30, but age is 25"."""
    asks = " and ".join(condition_text(_literals_of(checks), words) for checks in fails)
    return f"{asks}, but {' and '.join(dict.fromkeys(_value_text(checks, words) for checks in fails))}"


def _value_text(checks: Checks, words: Words) -> str:
    return words.has(checks[0].literal.feature, checks[0].value)


def _test_text(condition: Condition, words: Words) -> str:
    return " ".join(part for parts in condition_parts(condition, words) for part in parts if part is not None)


def _literals_of(checks: Checks) -> Condition:
    return tuple(check.literal for check in checks)


# The short form.


def decision_sentence(proof: Proof, words: Words) -> str:
    """Write the decision and its reasons: the deciding rule's checks, and exceptions that stopped earlier rules."""
    overruled = [place for place, tried in enumerate(proof.tried) if tried.rule.head != proof.label and tried.applying]
    said = [proof.tried[place] for place in overruled[:_MAX_OVERRULED]] + ([] if proof.rule is None else [proof.rule])
    words = words_for_checks(words, chain.from_iterable(rule.every_check() for rule in said))
    because = rule_name(proof.decided) if proof.rule is None else reason_text(proof.rule, words)
    start = f"{decision_text(proof, words)}: " if proof.label is None else f"{decision_text(proof, words)}, because "
    return "; ".join([start + because, *_overruled_texts(proof, overruled, words)])


def decision_text(proof: Proof, words: Words) -> str:
    """Write the decision: "loan refuse"."""
    target = proof.program.target
    return words.undecided(target) if proof.label is None else words.label(target, proof.label)


def rule_name(number: int | None) -> str:
    """Name a rule by its index: "rule 4"; None stands for "no rule applies"."""
    return "no rule applies" if number is None else f"rule {number + 1}"


def reason_text(proof: RuleProof, words: Words) -> str:
    """Explain why a rule covers a record or not; one frame per level keeps 200 levels within Python's limit."""
    if fails := failing_conditions(proof):
        return check_text(fails[0], words)
    text, nested = _finding_text(proof, words), proof.rule.head is None  # an exception's exception is its own
    if applying := proof.applying:
        one = "an exception of its own" if nested else "an exception"
        return f"although {text}, {one} applies: {reason_text(applying[0], words)}"
    if not proof.exceptions:
        return text
    against = list(map(partial(reason_text, words=words), proof.exceptions))
    if len(proof.exceptions) == 1:
        none = f"{'its own' if nested else 'the'} exception does not apply"
    else:
        none = "none of its own exceptions applies" if nested else "no exception applies"
    return f"{text}; {none}, because {join_reasons(against)}"


def _overruled_texts(proof: Proof, places: Sequence[int], words: Words) -> Iterator[str]:
    """Name the earlier rules that would have given another label but for an exception."""
    for place in places[:_MAX_OVERRULED]:
        tried = proof.tried[place]
        label, found = printable(str(tried.rule.head)), _finding_text(tried.applying[0], words)
        yield f"{rule_name(place)} ({label}) would apply, but for an exception: {found}"
    if more := len(places[_MAX_OVERRULED:]):
        yield f"so would {count_text(more, 'more rule')}"


def _finding_text(proof: RuleProof, words: Words) -> str:
    """Write the record's values that a rule tests; a rule without conditions is the default."""
    found = join_reasons(check_text(checks, words) for checks in checks_by_condition(proof))
    return found or _unconditional(proof.rule)


def _unconditional(rule: Rule) -> str:
    return "it always applies" if rule.head is None else "it is the default"


# The long form.


class StoryLine(NamedTuple):
    """A line of a story: its role, the prefix of its text, and the text.

    A long line continues below the start of its text.
    """

    role: OneOf["decision", "reason", "exceptions", "exception", "other"]
    lead: str
    text: str

    def __str__(self) -> str:
        return self.lead + self.text


def story_lines(
    proof: Proof, number: int | None, statistics: RuleStatistics | None, words: Words, probability: float | None = None
) -> Iterator[StoryLine]:
    """Yield the lines of a story: the decision, its reasons, and the rules before it."""
    words = words_for_checks(words, proof.every_check())
    yield StoryLine("decision", "", _headline_text(proof, number, statistics, probability))
    if (rule := proof.rule) is not None:
        yield from _reason_lines(rule, words)
    for place, tried in enumerate(proof.tried):
        if not tried.covers:
            yield StoryLine("other", f"  {rule_name(place)} ", f"did not apply: {obstacle_text(tried, words)}")


def _headline_text(
    proof: Proof, number: int | None, statistics: RuleStatistics | None, probability: float | None
) -> str:
    """State the decision: "Record 17 is decided: refuse (probability 0.970; rule 2, …)."."""
    record = "The record" if number is None else f"Record {number}"
    rule = rule_name(proof.decided)
    if statistics is not None:
        place = -1 if proof.decided is None else proof.decided
        rule += f", {rule_expectation_text(statistics, place, labelled=proof.label is not None)}"
    if proof.label is None:
        return f"{record} is not decided: {rule}."
    sure = "" if probability is None else f"probability {share_text(probability)}; "
    return f"{record} is decided: {printable(str(proof.label))} ({sure}{rule})."


def rule_expectation_text(statistics: RuleStatistics, place: int, *, labelled: bool) -> str:
    """Describe how good a rule is: "expected precision 0.880, between 0.80 and 0.93; it decided 311 in training".

    ``labelled`` is false for records that no rule covers, if the program has no label for them.
    """
    if not statistics.known(place):
        return "not measured since the rules were edited"
    decided, weighted = float(statistics.support[place]), statistics.weighted
    if not decided:
        return "which decided no record" + " of any weight" * weighted + " in training"
    if not labelled:
        others = f"others with a weight of {amount_text(decided)}" if weighted else count_text(decided, "other")
        return f"as for {others} in training"
    low, high = (float(end[place]) for end in statistics.expected_between)
    trained = f"a weight of {amount_text(decided)}" if weighted else amount_text(decided)
    share = share_text(float(statistics.expected_precision[place]))
    return f"expected precision {share}, between {low:.2f} and {high:.2f}; it decided {trained} in training"


def _reason_lines(rule: RuleProof, words: Words) -> Iterator[StoryLine]:
    start = "because"
    for text in dict.fromkeys(requirement_text(checks, words) for checks in checks_by_condition(rule)):
        yield StoryLine("reason", f"  {start:<7} ", text)
        start = "and"
    if not rule.exceptions:
        if not rule.checks:
            yield StoryLine("reason", "  because ", _unconditional(rule.rule))
        return
    yield StoryLine("exceptions", f"  {start} ", "no exception applies:")
    for depth, text in _exception_lines(rule, words):
        yield StoryLine("exception", f"{_INDENT}{'  ' * min(depth, _SHALLOW)}", text)


def _exception_lines(rule: RuleProof, words: Words) -> Iterator[tuple[int, str]]:
    """Yield a line for each exception to a rule and, indented, for nested exceptions; equal lines appear once."""
    groups: dict[tuple[tuple[int, str], ...], None] = {}
    for exception in rule.exceptions:  # one frame per level: 200 levels stay within Python's limit
        inner = tuple(_exception_lines(exception, words))
        groups[((0, _exception_text(exception, words)), *((depth + 1, text) for depth, text in inner))] = None
    return chain.from_iterable(groups)


def _exception_text(exception: RuleProof, words: Words) -> str:
    """Name the failing condition of an exception, or state that it holds; a colon precedes its own exceptions."""
    if fails := failing_conditions(exception):
        return f"'{condition_text(_literals_of(fails[0]), words)}' does not hold: {_value_text(fails[0], words)}"
    asks = " and ".join(default_texts(exception.rule, words)) or "always"
    if exception.applying:
        return f"'{asks}' holds, but has an exception that applies:"
    return f"'{asks}' applies" + (", since no exception to it does:" if exception.exceptions else "")


# The lines of a tree.


class OutlineLine(NamedTuple):
    """A line of a tree and its depth, from 1; ``holds`` is None if the line is not a check."""

    depth: int
    text: str
    holds: bool | None = None


def outline_lines(proof: RuleProof, words: Words, depth: int = 1) -> tuple[OutlineLine, ...]:
    """Return a rule's conditions, then its exceptions, each a level deeper; equal lines or groups appear once.

    One frame per level: 200 levels stay within Python's limit.
    """
    checks = [
        OutlineLine(depth, check_text(one, words), all(part.holds for part in one))
        for one in checks_by_condition(proof)
    ]
    checks = checks or [OutlineLine(depth, _unconditional(proof.rule))]
    exceptions = []
    for inner in proof.exceptions:
        said = OutlineLine(depth, f"an exception {'applies' if inner.covers else 'does not apply'}")
        exceptions.append((said, *outline_lines(inner, words, depth + 1)))
    return (*dict.fromkeys(checks), *chain.from_iterable(dict.fromkeys(exceptions)))
