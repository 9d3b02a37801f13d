"""What programs in Python and in JavaScript share: identifiers, conditions and the list of decisions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import get_args

from unless.errors import ParameterError, suggest
from unless.export import conditions
from unless.rule import Literal, Program
from unless.values import Label

Returns = OneOf["label", "rule", "both"]


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a language spells conditions and constants."""

    conjunction: str
    negation: str
    equal: str
    unequal: str
    missing: str
    present: str
    choice: str
    """A truth if a gate fails, else a further condition; a template with ``gate``, ``truth`` and ``further``."""
    constant: Callable[[Label | None], str]
    both: str
    """A label and the number of a rule; a template with ``label`` and ``rule``."""


def features(program: Program) -> Iterator[tuple[str, str, bool]]:
    """The features that the program uses: name, identifier, and whether some literal compares it with a number."""
    numeric = {
        literal.feature for rule in program.rules for literal in rule.literals() if isinstance(literal.value, float)
    }
    for feature, identifier in _identifiers(program).items():
        yield feature, identifier, feature in numeric


def decisions(program: Program, syntax: Syntax, returns: Returns) -> Iterator[tuple[str | None, str, int | None]]:
    """The decision list: a condition, what is returned if it holds, and the number of the rule, from 1.

    The last entry has no condition; its number is None where no rule decides.
    """
    heads = program.heads
    for condition, index in conditions.decisions(program, _Writer(syntax, _identifiers(program))):
        number = None if index is None else index + 1
        label = heads[-1 if index is None else index]
        yield condition, _result(label, number, syntax, returns), number


def check_returns(returns: str) -> None:
    """Refuse what a function cannot return."""
    if returns not in get_args(Returns):
        raise ParameterError(f"a function cannot return {returns!r}{suggest(str(returns), get_args(Returns))}")


def _result(label: Label | None, number: int | None, syntax: Syntax, returns: Returns) -> str:
    spelled, rule = syntax.constant(label), syntax.constant(number)
    return {"label": spelled, "rule": rule}.get(returns) or syntax.both.format(label=spelled, rule=rule)


def _identifiers(program: Program) -> dict[str, str]:
    """An identifier for every feature in use, made of the letters and digits of its name; no two are the same."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for feature in program.used:
        plain = re.sub(r"[^0-9a-z]+", "_", feature.lower()).strip("_") or "column"
        names[feature] = free_name(plain, taken)
        taken.add(names[feature])
    return names


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or the name with a number behind it, whichever is not taken.

    >>> free_name("rule", ["label"]), free_name("rule", ["rule", "rule_2"])
    ('rule', 'rule_3')
    """
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


@dataclass(frozen=True, slots=True)
class _Writer:
    """Conditions as source text: ``v_age`` is a value, ``n_age`` the same value as a number, NaN if it is not one.

    NaN is neither above nor at most anything, and a missing value equals no text, so every test is one comparison.
    """

    syntax: Syntax
    names: dict[str, str]

    def test(self, literal: Literal, *, sure: bool) -> str | bool:  # noqa: ARG002 - these tests are always true or false
        name, value = self.names[literal.feature], self.syntax.constant(literal.value)
        match literal.op:
            case "<=" | ">":
                return f"n_{name} {literal.op} {value}"
            case "==":
                return f"v_{name} {self.syntax.equal} {value}"
            case "!=":
                return f"v_{name} {self.syntax.unequal} {value}"
            case "missing" | "present":
                return f"v_{name} {self.syntax.missing if literal.op == 'missing' else self.syntax.present}"

    def both(self, parts: Sequence[str]) -> str:
        return self.syntax.conjunction.join(parts)

    def negation(self, part: str) -> str:
        return f"{self.syntax.negation}({part})"

    def first_failing(self, gates: Sequence[tuple[str, bool]], *, otherwise: bool) -> str:
        text = self.syntax.constant(otherwise)
        for gate, truth in reversed(gates):
            text = self.syntax.choice.format(gate=gate, truth=self.syntax.constant(truth), further=text)
        return f"({text})"
