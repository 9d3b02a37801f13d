"""Turn rules into conditions: the step that the exports to SQL, Python and JavaScript share.

A rule with nested exceptions is "g1, unless g2, unless g3, ...": a chain of gates, where each gate revokes the one
before it. Written as ``g1 and not (g2 and not (g3 ...))``, a chain of 200 gates breaks parsers (Python stops
at 200 parentheses, SQLite at expressions 1000 deep). So long chains are written flat: the first gate that fails
decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from unless.errors import ParameterError
from unless.model import Model, decider_of, model_of
from unless.model.points import Points
from unless.model.prediction import Decider
from unless.rule import Literal, Program, Rule
from unless.score.committee import Committee
from unless.score.score_card import ScoreCard, require_card
from unless.score.score_decider import ScoreDecider

T = TypeVar("T")

_NESTED = 4
"""Chains up to this length are written nested, which is easier to read; learned programs are rarely deeper."""


class ConditionWriter(Protocol[T]):
    """Writes conditions in some language; a condition that is always or never true is a plain bool."""

    def test(self, literal: Literal, *, sure: bool) -> T | bool:
        """Write a literal. If ``sure``, its value must be true or false; otherwise unknown may mean false."""

    def conjunction(self, parts: Sequence[T]) -> T:
        """Write that every part holds; there are at least two."""

    def negation(self, part: T) -> T:
        """Write that the part does not hold."""

    def first_failing(self, gates: Sequence[tuple[T, bool]], *, otherwise: bool) -> T:
        """Write the truth value paired with the first gate that does not hold; ``otherwise`` if all hold."""


def decisions(program: Program, writer: ConditionWriter[T]) -> Iterator[tuple[T | None, int | None]]:
    """Write the decision list: each condition with the index of the rule that decides if the condition holds.

    The last entry has no condition; its index is None if ``otherwise`` decides. Rules that cannot decide are left
    out.
    """
    lowering = Lowering(writer)
    for index, rule in enumerate(program.rules):
        condition = lowering.covers(rule, negated=False)
        if condition is True:
            yield None, index
            return
        if not isinstance(condition, bool):
            yield condition, index
    yield None, None


def rule_condition(rule: Rule, writer: ConditionWriter[T]) -> T | bool:
    """Write the condition under which a rule covers a record."""
    return Lowering(writer).covers(rule, negated=False)


def score_terms(card: ScoreCard, writer: ConditionWriter[T]) -> tuple[list[int], list[tuple[T, list[int]]]]:
    """Write a score card without the deciding rule: the points of every record, and points added under conditions.

    Parts whose condition is always true in the language are added to the first.
    """
    sums: dict[tuple[frozenset[Literal], tuple[Rule, ...]], tuple[Rule, Points]] = {}
    for part, points in zip(card.parts, card.points, strict=True):
        rule = part.condition
        if rule is not None:  # a rule with one literal and the literal itself are one condition
            key = frozenset(rule.default), rule.exceptions
            sums[key] = rule, points + (sums[key][1] if key in sums else 0)
    always, some = card.base.copy(), list[tuple[T, list[int]]]()
    for rule, points in sums.values():
        found = rule_condition(rule, writer)
        if found is True:
            always += points
        elif not isinstance(found, bool) and points.any():
            some.append((found, points.tolist()))
    return always.tolist(), some


def decided_points(card: ScoreCard, index: int | None) -> list[int]:
    """Return the points of a deciding rule; None means that no rule decides."""
    found: list[int] = card.points[len(card.program.rules) if index is None else index].tolist()
    return found


def head_index(card: ScoreCard, index: int | None) -> int:
    """Return the index of the label of a rule; -1 if no rule decides and there is no such label."""
    return int(card.heads[len(card.program.rules) if index is None else index])


def writer_for(model: Decider | Model, language: str, writers: Mapping[type, Callable[..., Any]]) -> Callable[..., Any]:
    """Choose the writer for the decider of a model; reject a decider that the language cannot express.

    ``writers`` has a function for each class of deciders, with the decider as its first argument.
    """
    decider, known = decider_of(model), model_of(model)
    if known is not None and known.relations is not None and language not in _WHOLE:
        raise ParameterError(
            f"rules about several tables cannot be written as {language}: a record has no parts there; SQL, clingo and "
            "Prolog have them: unless export, or unless.relational.sql"
        )
    if (writer := writers.get(type(decider))) is None:
        raise ParameterError(f"a {decider.noun} cannot be written as {language}{_OTHERWISE.get(type(decider), '')}")
    return partial(writer, decider)


_WHOLE = ("text", "a program in JSON")
"""Languages in which a feature needs only a name."""

_OTHERWISE: Mapping[type, str] = {
    Committee: ", only as SQL, Python, JavaScript or ONNX; the list that imitates it can: model.program_",
    ScoreDecider: (
        ", only as SQL, Python, JavaScript or ONNX; its rules can, but they decide without costs and reject no record: "
        "model.program_"
    ),
}
"""Advice in errors, by the class of the decider."""


def list_of(model: Decider | Model, language: str) -> Program:
    """Return the only list of a model, for a language that cannot express other deciders."""
    program: Program = writer_for(model, language, {Program: lambda program: program})()
    return program


def card_of(model: Decider | Model) -> ScoreCard:
    """Return the score card of a model with one list; a program alone has no score card."""
    known = model_of(model)
    if known is None:
        raise ParameterError("a program has no points, so it has no probabilities; pass the model")
    return require_card(known.card)


@dataclass(frozen=True, slots=True)
class Lowering(Generic[T]):
    """Turns rules into conditions, without the tests that are always or never true."""

    writer: ConditionWriter[T]

    def covers(self, rule: Rule, *, negated: bool) -> T | bool:
        """Write the condition that the rule covers a record, as `Rule.covers` defines it.

        ``negated`` conditions are below a "not", where unknown would not mean false.
        """
        chain = list(_largest_exceptions(rule))
        flat = len(chain) > _NESTED
        gates: list[list[T | bool]] = []
        for level, others in chain:
            sure = negated or flat or bool(gates)
            tests = [self.writer.test(literal, sure=sure) for literal in dict.fromkeys(level.default)]
            gates.append([*tests, *(self.negation(self.covers(other, negated=True)) for other in others)])
        return self.write_flat(gates) if flat else self.write_nested(gates)

    def write_nested(self, gates: list[list[T | bool]]) -> T | bool:
        """Write that every gate holds, and its exceptions do not."""
        condition: T | bool = False
        for gate in reversed(gates):
            condition = self.conjunction([*gate, self.negation(condition)])
        return condition

    def write_flat(self, gates: list[list[T | bool]]) -> T | bool:
        """Write a chain of gates: the rule covers if an odd number of gates comes before the first that fails."""
        arms: list[tuple[T, bool]] = []
        otherwise = len(gates) % 2 == 1
        for number, parts in enumerate(gates):
            gate = self.conjunction(parts)
            if gate is False:
                otherwise = number % 2 == 1
                break
            if not isinstance(gate, bool):
                arms.append((gate, number % 2 == 1))
        return self.writer.first_failing(arms, otherwise=otherwise) if arms else otherwise

    def conjunction(self, parts: list[T | bool]) -> T | bool:
        """Write that all parts hold."""
        if any(part is False for part in parts):
            return False
        kept = [part for part in parts if not isinstance(part, bool)]
        if not kept:
            return True
        return kept[0] if len(kept) == 1 else self.writer.conjunction(kept)

    def negation(self, part: T | bool) -> T | bool:  # noqa: FBT001 - a condition
        """Write that the part does not hold."""
        return not part if isinstance(part, bool) else self.writer.negation(part)


def _largest_exceptions(rule: Rule | None) -> Iterator[tuple[Rule, list[Rule]]]:
    """Return the rule, its largest exception, the largest exception to that, and so on; each with its other exceptions.

    Only the other exceptions nest. Each is at most half as large as the rule that holds it, so the depth is logarithmic
    in the rule's size. The order of exceptions does not matter: any of them stops the rule.
    """
    while rule is not None:
        largest = max(rule.exceptions, key=_count_nested_rules, default=None)
        yield rule, [exception for exception in rule.exceptions if exception is not largest]
        rule = largest


def _count_nested_rules(rule: Rule) -> int:
    waiting, size = [rule], 0
    while waiting:
        waiting.extend(waiting.pop().exceptions)
        size += 1
    return size
