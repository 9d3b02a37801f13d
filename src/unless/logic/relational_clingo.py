"""Write relational programs for clingo, to run with background knowledge, and read them back.

Numbers are integers in clingo: the numbers of facts times a power of ten that `number_scales` chooses per argument, and
`clingo_facts` writes B in that form. With a B of whole numbers and plain constants, the rules run unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unless.errors import ProgramError
from unless.logic.clingo_runner import atoms, grounded, import_clingo
from unless.logic.engine_names import clingo_string, for_comment
from unless.logic.fact_text import clingo_term
from unless.logic.number_scales import WHOLE, Scale, Scales, check_sum, most_parts, quotient_at_most
from unless.logic.predicates import HIGHEST
from unless.logic.relational_clauses import FeaturePredicate, RelationalWriter, argument_text, over_text
from unless.logic.relational_header import header_lines
from unless.relational import NUMBER, Definition, Goal, RelationalProgram, World
from unless.relational.definitions import variable_names
from unless.relational.evaluation import bindings
from unless.relational.world import Relation
from unless.rule import Literal
from unless.values import Label

FIRST_LINE = "% Rules about connected things, learned by unless, for clingo"


def relational_to_clingo(program: RelationalProgram, world: World | None = None, *, facts: bool = False) -> str:
    """Write a relational program for clingo, to run with the facts of a world; ``facts`` also writes these facts.

    Without a world, B must have whole numbers only. ``individual(x)`` lists the individuals to label.
    """
    writer = RelationalClingo(program, world)
    clauses = writer.clauses()
    lines = [FIRST_LINE, *header_lines(program, clauses), *writer.comments(), *clauses]
    if facts and world is not None:
        lines += writer.facts(world, every=True)
    return "\n".join(lines) + "\n"


def run_relational_clingo(program: RelationalProgram, world: World) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    """Let clingo derive the label of every individual from the facts of the world."""
    writer = RelationalClingo(program, world)
    control = grounded("\n".join([*writer.clauses(), *writer.facts(world)]))
    labels = {import_clingo().parse_term(writer.term(one)): one for one in program.program.heads if one is not None}
    found = {str(one): labels[label] for one, label in atoms(control, writer.label, 2)}
    individuals = [
        [clingo_term(world.names[kind][code]) for code in codes.tolist()]
        for kind, codes in zip(world.root, world.individuals, strict=True)
    ]
    rows = [one[0] if len(one) == 1 else f"({','.join(one)})" for one in zip(*individuals, strict=True)]
    out = np.full(len(world), None, dtype=object)
    out[:] = [found.get(one) for one in rows]
    return out


class RelationalClingo(RelationalWriter):
    """Writes a relational program for clingo."""

    true, false = "#true", "#false"

    def __init__(self, program: RelationalProgram, world: World | None = None) -> None:
        super().__init__(program, world)
        self.scales = Scales(self.definitions.values(), world)

    def comments(self) -> Iterator[str]:
        """Write comments on how numbers are scaled, and on predicates whose names differ from B."""
        for signature, name in self.relations.items():
            if name != signature[0] and signature in self._needed():
                yield f"% {name}: {for_comment(signature[0])}"
            for place, kind in enumerate(self.types.get(signature, ())):
                scale = self.scales.of((signature, place)) if kind == NUMBER else WHOLE
                if scale != WHOLE and signature in self._needed():
                    how = "places in their order" if scale.places is None else f"times {10**scale.places}"
                    yield f"% {name}, argument {place + 1}: numbers {how}"

    def constant(self, name: str) -> str:
        """Write the name of an entity."""
        return clingo_term(name)

    def term(self, label: Label) -> str:
        """Write a label."""
        match label:
            case bool():
                return str(label).lower()
            case int() if abs(label) <= HIGHEST:
                return str(label)
            case str():
                return clingo_term(label)
        return clingo_string(repr(label))

    def relation_goal(self, goal: Goal, names: dict[int, str], _: Definition) -> list[str]:
        """Write a goal, with integers for numbers."""
        texts = []
        for place, one in enumerate(goal.arguments):
            if isinstance(one, float):
                code = self.scales.of(((goal.name, len(goal.arguments)), place)).code(one)
                if code is None:
                    return [self.false]
                texts.append(str(code))
            else:
                texts.append(argument_text(one, names, self))
        return [f"{self.relations[goal.name, len(goal.arguments)]}({','.join(texts)})"]

    def comparison(self, goal: Goal, names: dict[int, str], definition: Definition) -> str:
        """Write a comparison, with integers for numbers."""
        left, right = goal.arguments
        if isinstance(left, float):
            turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
            return self.comparison(Goal(turned.get(goal.name, goal.name), (right, left)), names, definition)
        if not isinstance(right, float):
            return f"{argument_text(left, names, self)} {goal.name} {argument_text(right, names, self)}"
        scale = self.scales.of_variable(definition, left if isinstance(left, int) else None)
        if goal.name in ("=", "!="):
            code = scale.code(right)
            if code is None:
                return self.false if goal.name == "=" else self.true
            return f"{argument_text(left, names, self)} {goal.name} {code}"
        op, code = scale.compared(goal.name, right)
        return f"{argument_text(left, names, self)} {op} {code}"

    def feature(self, feature: FeaturePredicate) -> Iterator[str]:
        """Write the clauses that define a number or a category."""
        definition = feature.definition
        names = variable_names(definition)
        body, over = ", ".join(self.body(definition)), over_text(definition, names)
        value = names.get(definition.value, "") if definition.value is not None else ""
        head = f"{feature.name}({self.one},"
        match definition.how:
            case "count":
                yield self.rule_text(f"{head}Number)", [f"Number = #count {{ {over} : {body} }}"])
            case "share":
                among = ", ".join(self.body(definition, definition.goals[: definition.among]))
                counts = [f"All = #count {{ {over} : {among} }}", "All > 0", f"Some = #count {{ {over} : {body} }}"]
                yield self.rule_text(f"{head}Some,All)", counts)
            case "mean":
                counts = [f"All = #count {{ {over} : {body} }}", "All > 0", f"Sum = #sum {{ {value},{over} : {body} }}"]
                yield self.rule_text(f"{head}Sum,All)", counts)
            case "sum":
                check_sum(self.world, definition, self.scales.of_variable(definition, definition.value))
                some = [f"#count {{ {over} : {body} }} > 0", f"Sum = #sum {{ {value},{over} : {body} }}"]
                yield self.rule_text(f"{head}Sum)", some)
            case "latest":
                yield from self._latest(feature, body, names)
            case "greatest":
                yield self.rule_text(f"{head}Number)", [f"Number = #max {{ {value} : {body} }}", "Number != #inf"])
            case "value" if not feature.number:
                yield from self._category(feature, [body], value, "min")
            case _:
                yield self.rule_text(f"{head}Number)", [f"Number = #min {{ {value} : {body} }}", "Number != #sup"])

    def _latest(self, feature: FeaturePredicate, body: str, names: dict[int, str]) -> Iterator[str]:
        """Write the value for which another one is greatest; among several, the greatest number or the last name."""
        definition = feature.definition
        value, by = names[definition.value or 0], names[definition.by or 0]
        latest = [f"Latest = #max {{ {by} : {body} }}", "Latest != #inf"]
        yield self.rule_text(f"{feature.name}_by({self.one},Latest)", latest)
        known = f"{feature.name}_by({self.one},{by})"
        if feature.number:
            found = f"Number = #max {{ {value} : {body}, {known} }}"
            yield self.rule_text(f"{feature.name}({self.one},Number)", [found, "Number != #inf"])
        else:
            yield from self._category(feature, [body, known], value, "max")

    def _category(self, feature: FeaturePredicate, body: list[str], value: str, which: str) -> Iterator[str]:
        """Write a category: among several, the first or the last name, which facts put in order."""
        if self.world is None or _single(self.world, feature.definition):
            yield self.rule_text(f"{feature.name}({self.one},{value})", body)
            return
        yield self.rule_text(f"{feature.name}_some({self.one},{value})", body)
        order = f"{feature.name}_order"
        names = self._categories(feature.definition)
        yield from (f"{order}({self.constant(name)},{place})." for place, name in enumerate(names))
        chosen = f"Place = #{which} {{ Other : {feature.name}_some({self.one},Name), {order}(Name,Other) }}"
        yield self.rule_text(f"{feature.name}({self.one},Value)", [chosen, f"{order}(Value,Place)"])

    def _categories(self, definition: Definition) -> list[str]:
        """Return the names that a category may have, in order."""
        found: set[str] = set()
        for goal in definition.goals:
            kinds = self.types.get((goal.name, len(goal.arguments)), ())
            found.update(
                name
                for one, kind in zip(goal.arguments, kinds, strict=False)
                if one == definition.value and self.world is not None
                for name in self.world.names[kind]
            )
        return sorted(found)

    def values(self, feature: FeaturePredicate, /) -> int:
        """Return the number of values: means and shares have two, a sum and a count."""
        return 2 if feature.definition.how in ("mean", "share") else 1

    def compared(self, feature: FeaturePredicate, literal: Literal) -> list[str]:
        """Write the goals of a literal that compares a number."""
        definition, limit = feature.definition, float(literal.value)  # type: ignore[arg-type]
        if definition.how in ("mean", "share"):
            return self._compared_quotient(feature, literal.op, limit)
        scale = WHOLE if definition.how == "count" else self._scale(definition)
        op, code = scale.compared(literal.op, limit)
        return [f"{feature.name}(X,{feature.value})", f"{feature.value} {op} {code}"]

    def _scale(self, definition: Definition) -> Scale:
        return self.scales.of_variable(definition, definition.value)

    def _compared_quotient(self, feature: FeaturePredicate, op: str, limit: float) -> list[str]:
        """Write a predicate for whether a quotient is at most a limit, since products must fit 32 bits."""
        definition = feature.definition
        unit = 10 ** (self._scale(definition).places or 0) if definition.how == "mean" else 1
        parts = most_parts(self.world, definition)
        bound = quotient_at_most(limit, unit, parts)
        whole, rest = divmod(bound.numerator, bound.denominator)
        if (abs(whole) + 1) * parts >= HIGHEST:
            raise ProgramError(
                f"clingo's 32 bits do not hold {limit} times the parts of: {definition}; use Prolog or SQL"
            )
        if definition.how == "mean":
            check_sum(self.world, definition, self._scale(definition))
        name = f"{feature.name}_at_most_{str(bound).replace('/', '_').replace('-', 'm')}"
        some = f"{feature.name}(X,Sum,All)"
        exact = f"(Sum - {whole} * All) * {bound.denominator} <= {rest} * All"
        self.tests += [
            f"{name}(X) :- {some}, Sum <= {whole} * All.",
            f"{name}(X) :- {some}, Sum > {whole} * All, Sum <= {whole + 1} * All, {exact}.",
        ]
        return [f"{name}(X)"] if op == "<=" else [f"{feature.name}(X,_,_)", f"not {name}(X)"]

    def cells(self, relation: Relation, place: int, world: World) -> list[str | None]:
        """Write the arguments of a relation in one position."""
        if relation.types[place] != NUMBER:
            return self.entities(relation, place, world)
        column = relation.columns[place]
        known = ~np.isnan(column)
        codes = self.scales.of((relation.signature, place)).codes(np.where(known, column, 0))
        return [str(code) if one else None for code, one in zip(codes.tolist(), known.tolist(), strict=True)]


def _single(world: World, definition: Definition) -> bool:
    """Whether every individual has at most one category."""
    found = bindings(world, definition.goals)
    if definition.value is None or not len(found):
        return True
    pairs = np.unique(np.stack([found.owner, found.columns[definition.value]]), axis=1)
    return bool((np.bincount(pairs[0]) < 2).all())
