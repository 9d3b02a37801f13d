"""Write a relational program as clauses for any engine: an auxiliary predicate for each feature, then the rules.

    f1(X) :- individual(X), has_car(X,A), long(A).            % exists: has_car(X,A), long(A)
    label(X,pos) :- rule1(X).
    rule1(X) :- individual(X), f1(X), not ab1(X).

A feature has a separate predicate, so negation is safe, and literals do not share variables. X is the
individual; a pair is ``(X1,X2)``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from unless.errors import ProgramError
from unless.export.clauses import Clause, Spelling, flatten, write_exclusive
from unless.export.free_names import free_name
from unless.logic.engine_names import for_comment, free_prefix, new_name
from unless.logic.example_text import NEGATIVE, POSITIVE
from unless.logic.fact_text import PLAIN
from unless.relational import NUMBER, Definition, Goal, RelationalProgram, World
from unless.relational.definitions import Argument, individual_name, variable_names
from unless.relational.evaluation import NO, YES
from unless.relational.goal_order import in_order, is_number, number_variables, types_by_tests
from unless.relational.world import Relation, Signature
from unless.rule import Literal
from unless.values import Label


@dataclass(frozen=True)
class FeaturePredicate:
    """The predicate of a feature: its name, its definition, and whether its values are numbers."""

    name: str
    definition: Definition
    number: bool
    place: int

    @property
    def value(self) -> str:
        """The variable of the value in rules."""
        return f"N{self.place}"


class RelationalWriter(ABC):
    """Writes one relational program for one engine, to run with a world or with any background knowledge."""

    true: str
    false: str

    def __init__(self, program: RelationalProgram, world: World | None = None) -> None:
        self.program, self.world = program.program, world
        self.definitions = program.used.definitions
        self.width = program.features.width
        self.types = {} if world is None else {one: relation.types for one, relation in world.relations.items()}
        self.tests: list[str] = []
        self._name(list(self.types))

    def _name(self, known: list[Signature]) -> None:
        """Choose predicates: those of B unchanged if the engine can write them, and new names for our own."""
        self.types = self.types or types_by_tests(self.program, self.definitions)
        signatures = known or list(self._needed())
        taken = {name for name, _ in signatures if PLAIN.fullmatch(name)} | {"not"}
        self.relations = {
            signature: signature[0] if PLAIN.fullmatch(signature[0]) else new_name(signature[0], taken)
            for signature in dict.fromkeys([*signatures, *self._needed()])
        }
        self.target = free_name(new_name(self.program.target, set()), taken)
        taken.add(self.target)
        self.individual, self.label = free_name("individual", taken), free_name("label", taken)
        taken |= {self.individual, self.label}
        self.rule, self.exception = free_prefix("rule", taken), free_prefix("ab", taken)
        self.undecided, feature = free_prefix("undecided", taken), free_prefix("f", taken)
        self.features = {
            name: FeaturePredicate(f"{feature}{place}", one, is_number(one, self.types), place)
            for place, (name, one) in enumerate(self.definitions.items(), 1)
        }
        self.one = "X" if self.width == 1 else f"({','.join(self._root())})"

    def _needed(self) -> tuple[Signature, ...]:
        return tuple(dict.fromkeys(one for definition in self.definitions.values() for one in definition.relations))

    def _root(self) -> list[str]:
        return [individual_name(place, self.width) for place in range(self.width)]

    # The syntax that differs between engines.

    @abstractmethod
    def constant(self, name: str) -> str:
        """Write the name of an entity."""

    @abstractmethod
    def term(self, label: Label) -> str:
        """Write a label."""

    @abstractmethod
    def relation_goal(self, goal: Goal, names: dict[int, str], definition: Definition) -> list[str]:
        """Write a goal of a relation, with any additional goals it needs."""

    @abstractmethod
    def comparison(self, goal: Goal, names: dict[int, str], definition: Definition) -> str:
        """Write a comparison."""

    @abstractmethod
    def feature(self, feature: FeaturePredicate) -> Iterator[str]:
        """Write the clauses of a feature that is more than whether some goals hold."""

    @abstractmethod
    def compared(self, feature: FeaturePredicate, literal: Literal) -> list[str]:
        """Write the goals of a literal that compares a number."""

    @abstractmethod
    def cells(self, relation: Relation, place: int, world: World) -> list[str | None]:
        """Write the arguments of a relation in one position; None for a row that is no fact."""

    # Writing clauses.

    def clauses(self) -> list[str]:
        """Write the whole program: the target, rules in the exclusive form, then features."""
        spelling = Spelling(
            label=lambda label: f"{self.label}(X,{self.term(label)})",
            goals=self.goals,
            rule=lambda number: f"{self.rule}{number}(X)",
            exception=self.exception,
            undecided=self.undecided,
            record=(f"{self.individual}(X)",),
        )
        rules = [f"{one}" for one in write_exclusive(flatten(self.program, exact=True), spelling)]
        features = [line for one in self.features.values() for line in self._defined(one)]
        return [*self._heads(), *rules, *features, *dict.fromkeys(self.tests)]

    def _heads(self) -> Iterator[str]:
        """Write the head of the target: ``f(X)`` for positive and negative examples, otherwise ``f(X,Label)``."""
        arguments = ",".join(self._root())
        if set(self.program.labels) <= {POSITIVE, NEGATIVE}:
            yield f"{self.target}({arguments}) :- {self.label}({self.one},{self.term(POSITIVE)})."
        else:
            yield f"{self.target}({arguments},L) :- {self.label}({self.one},L)."

    def _defined(self, feature: FeaturePredicate) -> Iterator[str]:
        yield f"% {feature.name}: {for_comment(str(feature.definition))}"
        if feature.definition.how == "exists":
            yield self.rule_text(f"{feature.name}({self.one})", self.body(feature.definition))
        else:
            yield from self.feature(feature)

    def rule_text(self, head: str, body: Iterable[str]) -> str:
        """Write a clause about an individual."""
        return str(Clause(head, (f"{self.individual}({self.one})", *body)))

    def body(self, definition: Definition, goals: Sequence[Goal] | None = None) -> list[str]:
        """Write the goals of a definition, in an order in which each can be evaluated."""
        names = variable_names(definition)
        found: list[str] = []
        for goal in in_order(definition.goals if goals is None else goals, range(self.width)):
            if goal.compares:
                found.append(self.comparison(goal, names, definition))
            else:
                found += self.relation_goal(goal, names, definition)
        return found

    def goals(self, literal: Literal) -> list[str]:
        """Write the goals of a literal in the rules; its test comes last."""
        feature = self.features[literal.feature]
        if feature.definition.how == "exists":
            return [self._yes_or_no(feature, literal)]
        some = f"{feature.name}(X,{','.join('_' * self.values(feature))})"
        match literal.op:
            case "present":
                return [some]
            case "missing":
                return [f"not {some}"]
            case "==" | "!=" if feature.number:
                return [self.false if literal.op == "==" else self.true]
            case "==" | "!=":
                value = self.constant(str(literal.value))
                return [f"{'not ' * (literal.op == '!=')}{feature.name}(X,{value})"]
        return self.compared(feature, literal) if feature.number else [self.false]

    def values(self, _: FeaturePredicate, /) -> int:
        """Return the number of arguments of a feature's predicate after the individual."""
        return 1

    def _yes_or_no(self, feature: FeaturePredicate, literal: Literal) -> str:
        match literal.holds(YES), literal.holds(NO):
            case True, False:
                return f"{feature.name}(X)"
            case False, True:
                return f"not {feature.name}(X)"
            case both, _:
                return self.true if both else self.false

    # Writing facts.

    def facts(self, world: World, *, every: bool = False) -> Iterator[str]:
        """Write the individuals of a world, and the facts that the program needs, or all facts."""
        roots = [[self.constant(world.names[kind][code]) for code in codes.tolist()] for kind, codes in
                 zip(world.root, world.individuals, strict=True)]  # fmt: skip
        for row in zip(*roots, strict=True):
            yield f"{self.individual}({row[0] if self.width == 1 else '(' + ','.join(row) + ')'})."
        needed: Collection[Signature] = world.relations if every else self._needed()
        for signature in needed:
            if (relation := world.relations.get(signature)) is not None:
                name = self.relations.get(signature, signature[0])
                columns = [self.cells(relation, place, world) for place in range(signature[1])]
                for cells in zip(*columns, strict=True):
                    if None not in cells:
                        yield f"{name}({','.join(map(str, cells))})."

    def entities(self, relation: Relation, place: int, world: World) -> list[str | None]:
        """Write the entities in one position of a relation."""
        names = [self.constant(one) for one in world.names[relation.types[place]]]
        return [names[code] if code >= 0 else None for code in relation.columns[place].tolist()]


def argument_text(argument: Argument, names: dict[int, str], writer: RelationalWriter) -> str:
    """Write a variable, ``_`` or an entity as an argument; engines write numbers themselves."""
    if argument is None:
        return "_"
    if isinstance(argument, str):
        return writer.constant(argument)
    if isinstance(argument, int):
        return names[argument]
    raise ProgramError(f"{argument} is a number")


def over_text(definition: Definition, names: dict[int, str]) -> str:
    """Write the variables whose combinations are counted."""
    return ",".join(names[one] for one in definition.over)


__all__ = ["NUMBER", "FeaturePredicate", "RelationalWriter", "argument_text", "number_variables", "over_text"]
