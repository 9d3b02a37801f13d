"""The long form for a terminal: the decision, its reasons line by line, and what would change it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from unless.explanation.sentences import literal_text, reason
from unless.explanation.words import Words, printable
from unless.rule import Literal
from unless.values import amount, counted, percent

if TYPE_CHECKING:
    from unless.explanation.proof import Check, Proof, RuleProof

__all__ = ["Changes", "Figures", "Line", "asked", "figures", "headline", "lines", "stopped", "story"]

_INDENT = " " * 10
_SHALLOW = 8
"""Levels that are indented; deeper ones, seen in no learned program, stay in one column."""


class Line(NamedTuple):
    """A line of a story: what it tells, what stands before it (a line that goes on begins below its text), its text."""

    role: OneOf["decision", "reason", "exceptions", "exception", "other"]
    lead: str
    text: str

    def __str__(self) -> str:
        return self.lead + self.text


class Figures(Protocol):
    """How rules do on records, as `measure` counts: an entry per rule, and a last one for records without a rule."""

    @property
    def support(self) -> NDArray[np.float64]:
        """How many records each decides."""

    @property
    def precision(self) -> NDArray[np.float64]:
        """For which share of them it is right."""

    @property
    def weighted(self) -> bool:
        """Whether weights are summed up, instead of records counted."""


class Changes(Protocol):
    """What would change a decision, as `counterfactuals` finds it."""

    def lines(self, words: Words) -> list[str]:
        """A title and a line for each change."""


def story(proof: Proof, number: int | None, statistics: Figures | None, changes: Changes | None, words: Words) -> str:
    """The proof on several lines, see `Proof.story`."""
    told = [str(line) for line in lines(proof, number, statistics, words)]
    return "\n".join(told + ([] if changes is None else changes.lines(words)))


def lines(proof: Proof, number: int | None, statistics: Figures | None, words: Words) -> Iterator[Line]:
    """The decision, its reasons and the rules before it, for whoever lays them out."""
    yield Line("decision", "", headline(proof, number, statistics))
    if (rule := proof.rule) is not None:
        yield from _because(rule, words)
    for place, tried in enumerate(proof.tried):
        if not tried.covers:
            yield Line("other", f"  rule {place + 1} ", f"did not apply: {stopped(tried, words)}")


def headline(proof: Proof, number: int | None = None, statistics: Figures | None = None) -> str:
    """The decision: "Record 17 is decided: refuse (rule 2, right for 94 % of the 311 records it decides)."."""
    record = "The record" if number is None else f"Record {number}"
    if proof.label is None:
        return f"{record} is not decided: no rule applies{_figures(proof, statistics)}."
    rule = "no rule applies" if proof.decided is None else f"rule {proof.decided + 1}"
    return f"{record} is decided: {printable(str(proof.label))} ({rule}{_figures(proof, statistics)})."


def _figures(proof: Proof, statistics: Figures | None) -> str:
    """How the rule does elsewhere; the last of the statistics is for records that no rule covers."""
    if statistics is None:
        return ""
    return f", {figures(statistics, -1 if proof.decided is None else proof.decided, labelled=proof.label is not None)}"


def figures(statistics: Figures, place: int, *, labelled: bool) -> str:
    """How one rule does: "right for 94 % of the 311 records it decides"; of weights, what they add up to.

    ``labelled`` is false of the records that no rule covers, where they have no label.
    """
    decided, weighted = float(statistics.support[place]), statistics.weighted
    if not decided:
        return "which decides no other record" + " of any weight" * weighted
    if not labelled:
        return f"as to others of the weight {amount(decided)}" if weighted else f"as to {counted(decided, 'other')}"
    what = f"weight of {amount(decided)} that" if weighted else counted(decided, "record")
    return f"right for {percent(float(statistics.precision[place]))} of the {what} it decides"


def _because(rule: RuleProof, words: Words) -> Iterator[Line]:
    start = "because"
    for text in dict.fromkeys(asked(check, words) for check in rule.checks):
        yield Line("reason", f"  {start:<7} ", text)
        start = "and"
    if not rule.exceptions:
        if not rule.checks:
            yield Line("reason", "  because ", "it always applies")
        return
    yield Line("exceptions", f"  {start} ", "no exception applies:")
    for depth, text in _exceptions(rule, words):
        yield Line("exception", f"{_INDENT}{'  ' * min(depth, _SHALLOW)}", text)


def _exceptions(rule: RuleProof, words: Words) -> Iterator[tuple[int, str]]:
    """What is said of the exceptions to a rule and, deeper, of theirs; what two of them have to say alike, once."""
    told: dict[tuple[tuple[int, str], ...], None] = {}
    for exception in rule.exceptions:  # one frame per level: 200 levels stay within Python's limit
        inner = tuple(_exceptions(exception, words))
        told[((0, _exception(exception, words)), *((depth + 1, text) for depth, text in inner))] = None
    return chain.from_iterable(told)


def _exception(exception: RuleProof, words: Words) -> str:
    """One exception: the literal that fails, or that it holds (but for what follows)."""
    if failing := exception.failing:
        literal, value = failing[0].literal, failing[0].value
        return f"'{literal_text(literal, words)}' does not hold: {words.has(literal.feature, value)}"
    asks = " and ".join(literal_text(literal, words) for literal in exception.rule.default) or "always"
    if exception.applying:
        return f"'{asks}' holds, but has an exception that applies:"
    return f"'{asks}' applies" + (", since no exception to it does:" if exception.exceptions else "")


def asked(check: Check, words: Words) -> str:
    """A check that holds: what the record has, and how that meets the literal."""
    literal = check.literal
    has, wanted = words.has(literal.feature, check.value), words.value(literal.feature, literal.value)
    match literal.op:
        case "<=":
            return f"{has}, which is at most {wanted}"
        case ">":
            return f"{has}, which is above {wanted}"
        case "!=":
            return f"{has}, which is not {wanted}"
    return f"{has}, as required"


def stopped(rule: RuleProof, words: Words) -> str:
    """Why a rule did not apply: its first failing literal, or the exception that applies."""
    if failing := rule.failing:
        literal = failing[0].literal
        return f"{words.has(literal.feature, failing[0].value)}, it needs {_needed(literal, words)}"
    if applying := rule.applying:
        return f"an exception applies, because {reason(applying[0], words)}"
    return "an earlier rule decides"


def _needed(literal: Literal, words: Words) -> str:
    wanted = words.value(literal.feature, literal.value)
    match literal.op:
        case "<=":
            return f"at most {wanted}"
        case ">":
            return f"more than {wanted}"
        case "==":
            return wanted
        case "!=":
            return "another value"
        case "missing":
            return "none"
        case "present":
            return "a value"
