"""Write relational programs for SWI-Prolog and s(CASP), to run with background knowledge, and read them back.

Numbers are unchanged. Sums are exact, as in `unless.relational.evaluation`. s(CASP) has no aggregates: it runs
programs whose features are conditions on parts, least and greatest values, and attributes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal as OneOf
from typing import get_args

from unless.errors import ParameterError, ProgramError, suggest
from unless.logic.engine_names import for_comment
from unless.logic.fact_text import prolog_term
from unless.logic.relational_clauses import FeaturePredicate, RelationalWriter, argument_text, over_text
from unless.logic.relational_header import header_lines
from unless.relational import NUMBER, Definition, Goal, RelationalProgram, World
from unless.relational.definitions import variable_names
from unless.relational.goal_order import number_variables
from unless.relational.world import Relation
from unless.rule import Literal
from unless.values import Label, number_to_text

Dialect = OneOf["swi", "scasp"]

FIRST_LINE = "% Rules about connected things, learned by unless, for {}"
_ENGINES = {"swi": "SWI-Prolog", "scasp": "s(CASP)"}

_SIGNS = {"<=": "=<", "=": "=:=", "!=": "=\\="}
_PRELUDE = ":- op(900, fy, not)."
_SUM = [
    "exact_sum([], 0).",
    "exact_sum([_-Value|List], Sum) :- exact_sum(List, Rest), Sum is Rest + rationalize(Value).",
]


def relational_to_prolog(
    program: RelationalProgram, world: World | None = None, dialect: Dialect = "swi", *, facts: bool = False
) -> str:
    """Write a relational program for SWI-Prolog or s(CASP), to run with B; ``facts`` also writes the facts of a world.

    ``individual(x)`` lists the individuals to label.
    """
    if dialect not in get_args(Dialect):
        raise ParameterError(f"no dialect {dialect!r}{suggest(str(dialect), get_args(Dialect))}")
    writer = RelationalProlog(program, world, dialect)
    clauses = writer.clauses()
    lines = [FIRST_LINE.format(_ENGINES[dialect]), *header_lines(program, clauses), *writer.comments()]
    lines += [*(writer.directives() if dialect == "swi" else ()), *clauses]
    if facts and world is not None:
        lines += writer.facts(world, every=True)
    return "\n".join(lines) + "\n"


class RelationalProlog(RelationalWriter):
    """Writes a relational program for one Prolog."""

    def __init__(self, program: RelationalProgram, world: World | None, dialect: Dialect) -> None:
        self.dialect = dialect
        self.true, self.false = ("true", "fail") if dialect == "swi" else ("0 = 0", "0 = 1")
        self.sums = False
        super().__init__(program, world)

    def comments(self) -> Iterator[str]:
        """Write comments on predicates whose names differ from B."""
        for signature in self._needed():
            if self.relations[signature] != signature[0]:
                yield f"% {self.relations[signature]}: {for_comment(signature[0])}"

    def directives(self) -> Iterator[str]:
        """Write the directives that SWI-Prolog needs: the negation operator, and permission for missing predicates."""
        yield _PRELUDE
        ours = [(self.individual, 1), (self.label, 2)]
        for name, arity in [*ours, *((self.relations[one], one[1]) for one in self._needed())]:
            yield f":- dynamic {name}/{arity}."
            yield f":- discontiguous {name}/{arity}."

    def clauses(self) -> list[str]:
        """Write the whole program, with the predicate that adds numbers up if a feature needs it."""
        found = super().clauses()
        return found + _SUM if self.sums else found

    def constant(self, name: str) -> str:
        """Write the name of an entity."""
        return prolog_term(name)

    def number(self, number: float) -> str:
        """Write a number: an exponent needs a decimal point before it."""
        if math.isinf(number):
            return "inf" if number > 0 else "-inf"
        text = number_to_text(number)
        digits, exponent, power = text.partition("e")
        return text if not exponent else f"{digits if '.' in digits else digits + '.0'}e{power}"

    def term(self, label: Label) -> str:
        """Write a label."""
        match label:
            case bool():
                return str(label).lower()
            case str():
                return prolog_term(label)
        return self.number(float(label)) if isinstance(label, float) else str(label)

    def relation_goal(self, goal: Goal, names: dict[int, str], definition: Definition) -> list[str]:
        """Write a goal; a number in it is compared, since 1 and 1.0 are two terms."""
        texts, more = [], []
        for place, one in enumerate(goal.arguments):
            if isinstance(one, float):
                variable = f"N{definition.goals.index(goal)}_{place}"
                texts.append(variable)
                more.append(f"{variable} =:= {self.number(one)}")
            else:
                texts.append(argument_text(one, names, self))
        return [f"{self.relations[goal.name, len(goal.arguments)]}({','.join(texts)})", *more]

    def comparison(self, goal: Goal, names: dict[int, str], definition: Definition) -> str:
        """Write a comparison of numbers or of entities."""
        numbers = number_variables(definition, self.types)
        left, right = (
            self.number(one) if isinstance(one, float) else argument_text(one, names, self) for one in goal.arguments
        )
        if any(isinstance(one, float) or one in numbers for one in goal.arguments):
            return f"{left} {_SIGNS.get(goal.name, goal.name)} {right}"
        if goal.name in ("=", "!="):
            return f"{left} {'=' if goal.name == '=' else chr(92) + '='} {right}"
        raise ProgramError(f"entities have no order: {definition}")

    def feature(self, feature: FeaturePredicate) -> Iterator[str]:
        """Write the clauses that define a number or a category."""
        definition = feature.definition
        names = variable_names(definition)
        body = ", ".join(self.body(definition))
        value = names.get(definition.value, "") if definition.value is not None else ""
        head = f"{feature.name}({self.one},"
        if definition.how in ("least", "greatest"):
            yield self.rule_text(f"{head}{value})", [body])  # every value: rules ask whether some exceeds a limit
            return
        if self.dialect == "scasp" and definition.how != "value":
            raise ProgramError(f"s(CASP) has no aggregates, which this needs: {definition}; use clingo or SWI-Prolog")
        if self.dialect == "scasp":
            yield self.rule_text(f"{head}{value})", [body])
            return
        over = f"k({over_text(definition, names)})"
        some = "List = [_|_]"
        match definition.how:
            case "count":
                yield self.rule_text(f"{head}Number)", [*_distinct(over, body), "length(List, Number)"])
            case "share":
                among = ", ".join(self.body(definition, definition.goals[: definition.among]))
                counts = [*_distinct(over, among, "Whole"), "length(Whole, All)", "All > 0", *_distinct(over, body)]
                yield self.rule_text(f"{head}Number)", [*counts, "length(List, Some)", "Number is Some / All"])
            case "sum" | "mean":
                self.sums = True
                mean = ["length(List, All)", "Number is float(Sum / All)"]
                last = mean if definition.how == "mean" else ["Number is float(Sum)"]
                goals = [*_distinct(f"{over}-{value}", body), some, "exact_sum(List, Sum)", *last]
                yield self.rule_text(f"{head}Number)", goals)
            case "latest":
                by = names[definition.by or 0]
                yield self.rule_text(f"{head}Value)", [*_distinct(f"{by}-{value}", body), some, "last(List, _-Value)"])
            case "value":
                yield self.rule_text(f"{head}Value)", [*_distinct(value, body), "List = [Value|_]"])

    def compared(self, feature: FeaturePredicate, literal: Literal) -> list[str]:
        """Write the goals of a literal that compares a number."""
        limit = self.number(float(literal.value))  # type: ignore[arg-type]
        how, op = feature.definition.how, literal.op
        test = f"{feature.value} {_SIGNS.get(op, op)} {limit}"
        if how == "least":
            return self._some(feature, "=<", limit, holds=op == "<=")
        if how == "greatest":
            return self._some(feature, ">", limit, holds=op == ">")
        return [f"{feature.name}(X,{feature.value})", test]

    def _some(self, feature: FeaturePredicate, op: str, limit: str, *, holds: bool) -> list[str]:
        """Write the condition that some value is beyond a limit, or that there are values and none is."""
        side = "at_most" if op == "=<" else "above"
        name = f"{feature.name}_{side}_{limit.replace('.', '_').replace('-', 'm').replace('+', '')}"
        self.tests.append(f"{name}(X) :- {feature.name}(X,Number), Number {op} {limit}.")
        return [f"{name}(X)"] if holds else [f"{feature.name}(X,_)", f"not {name}(X)"]

    def cells(self, relation: Relation, place: int, world: World) -> list[str | None]:
        """Write the arguments of a relation in one position."""
        if relation.types[place] != NUMBER:
            return self.entities(relation, place, world)
        return [None if math.isnan(one) else self.number(one) for one in relation.columns[place].tolist()]


def _distinct(term: str, body: str, name: str = "List") -> list[str]:
    """Write the goals that make a sorted list of the distinct values of a term."""
    return [f"findall({term}, ({body}), {name}All)", f"sort({name}All, {name})"]
