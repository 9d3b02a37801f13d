"""The short form: one sentence. "class 2, because condition is S; the exception does not apply, because steel is R"."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from unless.explanation.words import DEFAULT, Words, joined, printable
from unless.rule import Literal
from unless.values import counted

if TYPE_CHECKING:
    from unless.explanation.proof import Check, Proof, RuleProof

__all__ = ["check", "decision", "literal_parts", "literal_text", "reason", "sentence"]

_SPARED = 3
"""Earlier rules stopped by exceptions that a sentence tells of; nobody reads on after more."""

_SIGNS = {
    "<=": "is at most",
    ">": "is above",
    "==": "is",
    "!=": "is not",
    "missing": "is missing",
    "present": "is present",
}


def sentence(proof: Proof, words: Words) -> str:
    """The decision and why: what the deciding rule found, and which exceptions kept earlier rules from deciding."""
    because = "no rule applies" if proof.rule is None else reason(proof.rule, words)
    start = f"{decision(proof, words)}: " if proof.label is None else f"{decision(proof, words)}, because "
    return "; ".join([start + because, *_spared(proof, words)])


def _spared(proof: Proof, words: Words) -> Iterator[str]:
    """The earlier rules that only an exception kept from giving another label: often the decisive thing."""
    held = ((place, tried) for place, tried in enumerate(proof.tried, 1) if tried.rule.head != proof.label)
    spared = [(place, tried, tried.applying[0]) for place, tried in held if tried.applying]
    for place, tried, exception in spared[:_SPARED]:
        label, found = printable(str(tried.rule.head)), _found(exception, words) or "it always applies"
        yield f"rule {place} ({label}) would apply, but for an exception: {found}"
    if more := len(spared[_SPARED:]):
        yield f"so would {counted(more, 'more rule')}"


def decision(proof: Proof, words: Words) -> str:
    """What was decided: "loan refuse"."""
    target = proof.program.target
    return words.undecided(target) if proof.label is None else words.label(target, proof.label)


def reason(proof: RuleProof, words: Words) -> str:
    """Why a rule covers a record, or why it does not. One frame per level: 200 levels stay within Python's limit."""
    if failing := proof.failing:
        return check(failing[0], words)
    text = _found(proof, words) or "it always applies"
    if applying := proof.applying:
        but = "this always applies" if not proof.checks else text
        return f"although {but}, an exception applies: {reason(applying[0], words)}"
    if not proof.exceptions:
        return text
    against = list(map(partial(reason, words=words), proof.exceptions))
    nobody = "the exception does not apply" if len(proof.exceptions) == 1 else "no exception applies"
    return f"{text}; {nobody}, because {joined(against)}"


def _found(proof: RuleProof, words: Words) -> str:
    """What the record has of what a rule asks; nothing of a rule that asks nothing."""
    return joined(check(one, words) for one in proof.checks)


def check(one: Check, words: Words = DEFAULT) -> str:
    """What the record has, beside what the literal asks where that adds something."""
    literal, value = one.literal, one.value
    has = words.has(literal.feature, value)
    wanted = words.value(literal.feature, literal.value)
    match literal.op:
        case "<=" | ">" if isinstance(value, float):
            return f"{has}, {'at most' if (literal.op == '<=') == one.holds else 'above'} {wanted}"
        case "<=" | ">":
            return has if value is None else f"{has}, not a number"
        case "==" if not one.holds:
            return f"{has}, not {wanted}"
        case "!=" if one.holds:
            return f"{has}, not {wanted}"
        case "missing" if not one.holds:
            return f"{has}, not missing"
    return has


def literal_parts(literal: Literal, words: Words = DEFAULT) -> tuple[str, str, str | None]:
    """What a literal asks, in parts: "income", "is at most", "21,000"; no value where it takes none."""
    value = None if literal.value is None else words.value(literal.feature, literal.value)
    return words.name(literal.feature), _SIGNS[literal.op], value


def literal_text(literal: Literal, words: Words = DEFAULT) -> str:
    """What a literal asks: "income is at most 21,000", "history is late"."""
    return " ".join(part for part in literal_parts(literal, words) if part is not None)
