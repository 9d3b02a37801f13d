"""Write reasons in SQL: the numbers of all reasons of a record as one text, from which the first ones are taken.

The text is ``;003;001;003``: a number of fixed width for each reason that holds, in order. Taking the first and
replacing it everywhere leaves the others, without repetitions.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from unless.errors import ParameterError
from unless.export.reason_terms import DecisionReasons, ReasonShortfall, ReasonTerm, decision_reasons
from unless.export.sql_tree import cases, concat, in_parentheses, integer, new_column, total
from unless.export.sql_writer import SqlWriter
from unless.rule import Program
from unless.rule.reason_words import ReasonWords

MOST_IN_SQL = 8
"""The maximum number of reasons in SQL: each doubles the size of the next one."""


class SqlReasons:
    """Writes the columns of reasons; ``codes`` is the expression of the text of numbers."""

    def __init__(self, program: Program, words: ReasonWords, writer: SqlWriter) -> None:
        self._writer = writer
        listed = list(decision_reasons(program, words, writer))
        terms = [term for one in listed for term in _all_terms(one)]
        self.reasons = list(dict.fromkeys(term.reason for term in terms))
        self._marks = {one: f";{place:0{len(str(len(self.reasons)))}d}" for place, one in enumerate(self.reasons)}
        self.codes = cases([(one.condition, self._decision(one)) for one in listed])

    def columns(self, codes: str, most: int) -> list[exp.Expression]:
        """Write the codes of the reasons, then their texts, from the column with the text of numbers."""
        if most > MOST_IN_SQL:
            raise ParameterError(f"SQL gives at most {MOST_IN_SQL} reasons, not {most}")
        rest: exp.Expression = new_column(codes)
        firsts = []
        for _ in range(most):
            firsts.append(self._first(rest))
            nothing = exp.Literal.string("")
            # MariaDB 10.11 replaces all of a text by its own first characters, unless they are copied
            first = concat([nothing.copy(), firsts[-1].copy()])
            rest = exp.Anonymous(this="REPLACE", expressions=[rest, first, nothing])
        return [self._named(one, part) for part in ("code", "text") for one in firsts]

    def _first(self, codes: exp.Expression) -> exp.Expression:
        """Write the first number of a text of numbers."""
        width = len(next(iter(self._marks.values()), ";"))
        return exp.Substring(this=codes.copy(), start=integer(1), length=integer(width))

    def _named(self, first: exp.Expression, part: str) -> exp.Expression:
        """Write the code or the text of the reason with a number; NULL if there is no such reason."""
        case = exp.Case(this=first.copy())
        for reason, mark in self._marks.items():
            case = case.when(exp.Literal.string(mark), self._writer.label(getattr(reason, part)), copy=False)
        return case if self._marks else exp.Null()

    def _decision(self, found: DecisionReasons[exp.Expression]) -> exp.Expression:
        """Write the numbers of the reasons for a decision, in order."""
        parts = [self._mark(one) for one in found.supports]
        furthest = max((len(one.conditions) for one in found.shortfalls), default=-1)
        for distance in range(furthest + 1):
            for one in found.shortfalls:
                parts += self._shortfall(one, distance)
        return concat(parts) if parts else exp.Literal.string("")

    def _shortfall(self, found: ReasonShortfall[exp.Expression], distance: int) -> list[exp.Expression]:
        """Write the numbers of what a record lacked for a rule, if as many of its conditions fail."""
        if distance > len(found.conditions) or not found.terms:
            return []
        inside = concat([self._mark(one) for one in found.terms])
        if not found.conditions:
            return [inside]
        failing = exp.EQ(this=in_parentheses(_count_failing(found.conditions)), expression=integer(distance))
        return [cases([(failing, inside), (None, exp.Literal.string(""))])]

    def _mark(self, term: ReasonTerm[exp.Expression]) -> exp.Expression:
        """Write the number of a reason if its condition holds."""
        mark = exp.Literal.string(self._marks[term.reason])
        if isinstance(term.condition, bool):
            return mark
        return cases([(term.condition, mark), (None, exp.Literal.string(""))])


def _all_terms(found: DecisionReasons[exp.Expression]) -> list[ReasonTerm[exp.Expression]]:
    return [*found.supports, *(term for one in found.shortfalls for term in one.terms)]


def _count_failing(conditions: Sequence[exp.Expression | bool]) -> exp.Expression:
    """Write the number of conditions that fail."""
    return total([
        integer(0 if one else 1) if isinstance(one, bool) else cases([(one, integer(0)), (None, integer(1))])
        for one in conditions
    ])  # fmt: skip


def reason_names(most: int) -> list[str]:
    """Return the names of the columns of reasons: their codes, then their texts."""
    return [name.format(place + 1) for name in ("reason_{}", "reason_{}_text") for place in range(most)]
