"""Why a record is decided as it is: a program and a record give a proof, a tree of values, which prints itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unless.errors import UnknownNameError, suggest
from unless.rule import Literal, Program, Rule
from unless.values import Label, Value, value_of

__all__ = ["Proof", "RuleProof", "Test", "explain"]


@dataclass(frozen=True, slots=True)
class Test:
    """A literal, the record's value, and whether the literal holds of it."""

    literal: Literal
    value: Value
    holds: bool

    def __str__(self) -> str:
        """What the record has, beside what the literal asks where the two differ."""
        feature, wanted = self.literal.feature, self.literal.value
        has = f"{feature} is missing" if self.value is None else f"{feature} is {self.value!r}"
        match self.literal.op, self.holds:
            case ("<=", True):
                return f"{has}, at most {wanted!r}"
            case (">", True):
                return f"{has}, above {wanted!r}"
            case ("<=", False):
                return f"{has}, not at most {wanted!r}"
            case (">", False):
                return f"{has}, not above {wanted!r}"
            case ("==", False) | ("!=", True):
                return f"{has}, not {wanted!r}"
        return has


@dataclass(frozen=True, slots=True)
class RuleProof:
    """A rule on a record: every literal of its default tested, and its exceptions, if the default holds."""

    rule: Rule
    tests: tuple[Test, ...]
    exceptions: tuple[RuleProof, ...]
    covers: bool

    @property
    def default_holds(self) -> bool:
        """Whether every literal of the default holds."""
        return all(test.holds for test in self.tests)

    def reason(self) -> str:
        """Why the rule covers the record, or why it does not."""
        if not self.default_holds:
            return str(next(test for test in self.tests if not test.holds))
        parts = [" and ".join(map(str, self.tests)) or "it always applies"]
        if self.covers and self.exceptions:
            name = "the exception does" if len(self.exceptions) == 1 else "the exceptions do"
            parts.append(f"{name} not apply, because " + " and ".join(proof.reason() for proof in self.exceptions))
        elif not self.covers:
            applies = next(proof for proof in self.exceptions if proof.covers)
            parts.append(f"but an exception applies, because {applies.reason()}")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Proof:
    """A decision: the rules that were tried, in order; the last of them decided, unless ``decided`` is None."""

    program: Program
    record: Mapping[str, Value]
    label: Label | None
    decided: int | None
    tried: tuple[RuleProof, ...]

    def __str__(self) -> str:
        target = self.program.target
        if self.decided is not None:
            return f"{target} {self.label}, because {self.tried[-1].reason()}"
        if self.label is not None:
            return f"{target} {self.label}, because no rule applies"
        return f"{target} is not decided: no rule applies"


def explain(program: Program, record: Mapping[str, object]) -> Proof:
    """The proof of a program's decision on a record, a mapping from features to values (None where missing)."""
    for feature in program.used:
        if feature not in record:
            raise UnknownNameError(f"the program uses {feature!r}, which the record lacks{suggest(feature, map(str, record))}")
    values = {feature: value_of(record[feature]) for feature in program.features if feature in record}
    tried: list[RuleProof] = []
    for number, rule in enumerate(program.rules):
        tried.append(_prove(rule, values))
        if tried[-1].covers:
            return Proof(program, values, rule.head, number, tuple(tried))
    return Proof(program, values, program.otherwise, None, tuple(tried))


def _prove(rule: Rule, values: Mapping[str, Value]) -> RuleProof:
    tests = tuple(_test(literal, values[literal.feature]) for literal in rule.default)
    if not all(test.holds for test in tests):
        return RuleProof(rule, tests, (), covers=False)
    exceptions = tuple(_prove(exception, values) for exception in rule.exceptions)
    return RuleProof(rule, tests, exceptions, covers=not any(proof.covers for proof in exceptions))


def _test(literal: Literal, value: Value) -> Test:
    return Test(literal, value, literal.holds(value))
