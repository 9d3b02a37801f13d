"""Explain why a relational program gives an individual its label and not another, naming the parts involved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from unless.errors import ParameterError, UnknownNameError, suggest
from unless.explanation import explain
from unless.explanation.proof import Proof
from unless.relational.phrases import Phrases, literal_phrase, shown_value
from unless.relational.program import RelationalProgram
from unless.relational.rule_text import outcome_text
from unless.relational.witnesses import nearest_text, witness_text
from unless.relational.world import World
from unless.rule import Literal, Operator, Rule
from unless.values import Label, label_to_json, number_to_text

_OPPOSITE: dict[Operator, Operator] = {
    "<=": ">", ">": "<=", "==": "!=", "!=": "==", "missing": "present", "present": "missing"
}  # fmt: skip


_MOST = 3
"""The maximum number of rules shown that do not apply."""


@dataclass(frozen=True)
class CheckedCondition:
    """A condition in words, whether it holds, and the parts that show this."""

    text: str
    holds: bool
    shown_by: str

    def __str__(self) -> str:
        return f"{self.text}: {self.shown_by}" if self.shown_by else self.text


@dataclass(frozen=True, eq=False)
class RelationalExplanation:
    """Why an individual gets its label.

    ``rule`` is the number of the deciding rule, counted from 1; None if no rule decides. ``because`` lists its
    conditions; ``unless_`` explains for each exception why it does not apply. ``proof`` is the proof over features.
    """

    individual: tuple[str, ...]
    label: Label | None
    outcome: str
    rule: int | None
    because: tuple[CheckedCondition, ...]
    unless_: tuple[CheckedCondition, ...]
    others: tuple[tuple[int, CheckedCondition], ...]
    """If no conditions were needed: the first rules that do not apply, each by number with what holds instead."""
    proof: Proof

    def __str__(self) -> str:
        who = ", ".join(self.individual)
        lines = [f"{who}: {self.outcome} ({'no rule applies' if self.rule is None else f'rule {self.rule}'})"]
        lines += [f"  because rule {number} does not apply: {one}" for number, one in self.others]
        lines += [f"  because {one}" for one in self.because]
        lines += [f"  and no exception applies: {one}" for one in self.unless_]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as a dictionary for JSON."""
        return {
            "individual": list(self.individual),
            "label": label_to_json(self.label),
            "rule": self.rule,
            "because": [_to_dict(one) for one in self.because],
            "unless": [_to_dict(one) for one in self.unless_],
            "others": [{"rule": number, **_to_dict(one)} for number, one in self.others],
        }


def _to_dict(one: CheckedCondition) -> dict[str, object]:
    return {"condition": one.text, "holds": one.holds, "shown_by": one.shown_by}


def explain_individual(program: RelationalProgram, world: World, which: int) -> RelationalExplanation:
    """Explain the label of the individual in one row of a world."""
    return _Explainer(program, world, which).explanation()


def why_not(program: RelationalProgram, world: World, which: int, label: Label) -> str:
    """Explain for each rule with another label why it does not decide an individual."""
    return _Explainer(program, world, which).why_not(label)


def find_individual(world: World, *names: str) -> int:
    """Find the row of the individual with the given names."""
    if len(names) != len(world.root):
        raise ParameterError(f"an individual has {len(world.root)} names, not {len(names)}")
    same = np.ones(len(world), np.bool_)
    for name, kind, codes in zip(names, world.root, world.individuals, strict=True):
        same &= codes == world.code(kind, name)
    found = np.flatnonzero(same)
    if not len(found):
        kind = world.root[0]
        known = [world.names[kind][code] for code in world.individuals[0][:1000].tolist()]
        raise UnknownNameError(f"no individual {', '.join(names)!r}{suggest(names[0], known)}")
    return int(found[0])


class _Explainer:
    """Explains one individual."""

    def __init__(self, program: RelationalProgram, world: World, which: int) -> None:
        if not -len(world) <= which < len(world):
            raise ParameterError(f"no individual {which}: there are {len(world)}, counted from 0")
        self.program, self.rules = program, program.program
        self.definitions = program.used.definitions
        self.world = world.of(np.array([which]))
        self.record = program.used.table(self.world).record(0)
        self.proof: Proof = explain(self.rules, {**dict.fromkeys(self.rules.features), **self.record})
        self.names = tuple(
            world.names[kind][int(codes[0])] for kind, codes in zip(world.root, self.world.individuals, strict=True)
        )

    def explanation(self) -> RelationalExplanation:
        """Return the deciding rule, its conditions, and why its exceptions do not apply."""
        decided = self.proof.decided
        rule = None if decided is None else self.rules.rules[decided]
        return RelationalExplanation(
            individual=self.names,
            label=self.proof.label,
            outcome="undecided" if self.proof.label is None else outcome_text(self.rules, self.proof.label),
            rule=None if decided is None else decided + 1,
            because=() if rule is None else tuple(map(self.check, rule.default)),
            unless_=() if rule is None else tuple(self.obstacle(one) for one in rule.exceptions),
            others=() if rule is not None and rule.default else tuple(self._others(decided)),
            proof=self.proof,
        )

    def _others(self, decided: int | None) -> Iterator[tuple[int, CheckedCondition]]:
        """Explain why the first rules before the deciding rule do not apply."""
        for number, rule in enumerate(self.rules.rules[:decided][:_MOST], 1):
            yield number, self.obstacle(rule)

    def why_not(self, label: Label) -> str:
        """Explain why no rule with a given label decides."""
        if label not in self.rules.labels:
            raise UnknownNameError(f"no rule gives {label!r}{suggest(label, self.rules.labels)}")
        if label == self.proof.label:
            return str(self.explanation())
        lines = [f"{', '.join(self.names)}: why not {outcome_text(self.rules, label)}"]
        for number, rule in enumerate(self.rules.rules):
            if rule.head == label:
                lines.append(f"  rule {number + 1} does not decide: {self._why_not(rule)}")
        if label == self.rules.otherwise:
            lines.append(
                f"  it is the label of those that no rule decides, but rule {(self.proof.decided or 0) + 1} does"
            )
        return "\n".join(lines)

    def _why_not(self, rule: Rule) -> str:
        if self.holds(rule):
            return f"rule {(self.proof.decided or 0) + 1} comes first"
        return str(self.obstacle(rule))

    def holds(self, rule: Rule) -> bool:
        """Whether a rule covers the individual."""
        return rule.covers(self.record)

    def obstacle(self, rule: Rule) -> CheckedCondition:
        """Return the first condition that fails, or an exception that applies."""
        failing = next((one for one in rule.default if not one.holds(self.record[one.feature])), None)
        if failing is not None:
            return self.check(failing)
        applies = next(one for one in rule.exceptions if self.holds(one))
        conditions = [self.check(one) for one in applies.default]
        return CheckedCondition(f"an exception applies: {' and '.join(map(str, conditions))}", holds=True, shown_by="")

    def check(self, literal: Literal) -> CheckedCondition:
        """Put into words what is true of a literal's feature: the condition, or its opposite."""
        definition = self.definitions[literal.feature]
        cell = self.record[literal.feature]
        holds = literal.holds(cell)
        if definition.how == "exists":
            true = cell == "yes"
            text = Phrases(definition).exists(holds=true)
            parts = witness_text(self.world, definition) if true else nearest_text(self.world, definition)
            return CheckedCondition(text, holds, parts)
        what = Phrases(definition).number()
        if cell is None:
            return CheckedCondition(f"{what} is missing", holds, "")
        value = number_to_text(cell) if isinstance(cell, float) else shown_value(cell)
        shown = literal if holds else Literal(literal.feature, _OPPOSITE[literal.op], literal.value)
        part = witness_text(self.world, definition) if definition.how in ("least", "greatest", "latest") else ""
        return CheckedCondition(literal_phrase(shown, definition), holds, part or f"{what} is {value}")


def explanations(program: RelationalProgram, world: World) -> Iterator[RelationalExplanation]:
    """Yield the explanation of every individual in turn."""
    return (explain_individual(program, world, row) for row in range(len(world)))


__all__ = [
    "CheckedCondition", "RelationalExplanation", "explain_individual", "explanations", "find_individual",
    "why_not",
]  # fmt: skip
