"""Write the reasons for each decision of a program: the step that SQL, Python and JavaScript share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from unless.errors import ParameterError
from unless.export.conditions import ConditionWriter, Lowering, decisions
from unless.model import Model, decider_of
from unless.model.prediction import Decider
from unless.rule import Program, Rule
from unless.rule.reason_factors import Factor, Guard, Items, Shortfall, reason_plan
from unless.rule.reason_words import DEFAULT_REASONS, MOST_REASONS, Reason, ReasonWords
from unless.score.principal_reasons import check_most, require_wording

T = TypeVar("T")

_DEEPEST = 12
"""How deep exceptions may nest: the conditions of a reason grow with the square of the depth."""


@dataclass(frozen=True, slots=True)
class ReasonStyle:
    """The wording of reasons, and how many each decision has."""

    words: ReasonWords | None = None
    most: int = MOST_REASONS

    def find(self, model: Decider | Model | Any, language: str) -> tuple[Program, ReasonWords]:
        """Return the program whose reasons are written, and their wording; refuse what cannot be written."""
        check_most(self.most)
        decider = decider_of(model)
        if not isinstance(decider, Program):
            raise ParameterError(
                f"the reasons of a {decider.noun} cannot be written as {language}: no single rule decides; "
                "unless predict --reasons has them"
            )
        if (deepest := max((rule.depth for rule in decider.rules), default=0)) > _DEEPEST:
            raise ParameterError(
                f"exceptions nest {deepest} deep; reasons are written as {language} for at most {_DEEPEST} levels"
            )
        if self.words is not None:
            require_wording(decider, self.words)
        return decider, self.words or DEFAULT_REASONS


@dataclass(frozen=True, slots=True)
class ReasonTerm(Generic[T]):
    """A reason, and the condition under which it is one; a condition that always holds is True."""

    condition: T | bool
    reason: Reason


@dataclass(frozen=True, slots=True)
class ReasonShortfall(Generic[T]):
    """What a record lacked for a rule: the conditions whose failures are counted, and the reasons."""

    conditions: list[T | bool]
    terms: list[ReasonTerm[T]]


@dataclass(frozen=True, slots=True)
class DecisionReasons(Generic[T]):
    """The reasons for the decision of a rule, whose condition is None for the last."""

    condition: T | None
    index: int | None
    supports: list[ReasonTerm[T]]
    shortfalls: list[ReasonShortfall[T]]


def decision_reasons(program: Program, words: ReasonWords, writer: ConditionWriter[T]) -> Iterator[DecisionReasons[T]]:
    """Write the decision list with the reasons for each decision (`rule.reason_factors`)."""
    terms = _TermWriter(Lowering(writer), words)
    for condition, index in decisions(program, writer):
        plan = reason_plan(program, index, program.otherwise if index is None else program.rules[index].head)
        shortfalls = [terms.shortfall(one) for one in plan.shortfalls]
        yield DecisionReasons(condition, index, list(terms.terms(plan.supports, ())), shortfalls)


@dataclass(frozen=True, slots=True)
class _TermWriter(Generic[T]):
    """Writes reasons with their conditions."""

    lowering: Lowering[T]
    words: ReasonWords

    def terms(self, items: Items, guards: tuple[Guard, ...]) -> Iterator[ReasonTerm[T]]:
        """Yield the reasons that may hold, in order."""
        for item in items:
            if not isinstance(item, Factor):
                yield from self.terms(item.items, (*guards, *item.guards))
            elif (condition := self._all_met(guards)) is not False:
                yield ReasonTerm(condition, self.words.reason(item))

    def shortfall(self, found: Shortfall) -> ReasonShortfall[T]:
        """Write what a record lacked for a rule."""
        conditions = [self.lowering.covers(Rule(None, one), negated=True) for one in found.conditions]
        return ReasonShortfall(conditions, list(self.terms(found.items, ())))

    def _all_met(self, guards: Iterable[Guard]) -> T | bool:
        return self.lowering.conjunction([self._met(*one) for one in dict.fromkeys(guards)])

    def _met(self, rule: Rule, truth: bool) -> T | bool:  # noqa: FBT001 - a condition
        covers = self.lowering.covers(rule, negated=True)
        return covers if truth else self.lowering.negation(covers)
