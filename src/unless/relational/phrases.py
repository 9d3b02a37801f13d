"""Put features into words: *it has an order with total > 50 and month = last*.

The goals of a definition form a tree: the individual, its parts, and their parts, each with properties. A relation that
leads to a part gives the noun (``has_car``: a car; ``orders``: an order), a relation of one argument is an adjective,
and a relation that leads to a number or a category is a property.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from unless.relational.definitions import Argument, Definition, Goal, goal_text, variable_name, variable_names
from unless.relational.evaluation import NO, YES
from unless.relational.goal_order import in_order
from unless.rule import Literal
from unless.rule.literal import value_text
from unless.values import Value, number_to_text
from unless.values.spelling import quote_if_needed

_NAME = re.compile(r"[\w.:-]+(?: [\w.:-]+)*")


@dataclass(eq=False)
class Entity:
    """The individual or a part, with its properties."""

    variable: int
    noun: str
    parent: Entity | None = None
    adjectives: list[str] = field(default_factory=list)
    properties: list[str] = field(default_factory=list)
    parts: list[Entity] = field(default_factory=list)
    other: bool = False
    """Whether it differs from an earlier part."""
    unnamed: bool = False
    """Whether the entity is only mentioned together with another one, unless it has properties of its own."""
    letter: str = ""
    """The letter that distinguishes the entity in a sentence about two parts."""

    @property
    def shown(self) -> list[Entity]:
        """The parts that have properties to mention."""
        return [one for one in self.parts if not one.unnamed or one.adjectives or one.properties or one.shown]


@dataclass(eq=False)
class Tree:
    """The goals of a definition as a tree: the entities of the individual, and relations between two parts."""

    roots: list[Entity]
    entities: dict[int, Entity]
    values: dict[int, tuple[Entity, str]]
    """The variables of numbers and categories, each with the owner and the name of the property."""
    together: list[str] = field(default_factory=list)


def noun(relation: str) -> str:
    """Derive the noun for a part from the name of the relation that leads to it.

    >>> [noun(one) for one in ("has_car", "orders", "boxes", "categories", "address", "piece")]
    ['car', 'order', 'box', 'category', 'address', 'piece']
    """
    name = relation.rpartition(".")[2].removeprefix("has_")
    if name.endswith("ies") and len(name) > 4:
        return f"{name[:-3]}y"
    if name.endswith(("xes", "ches", "shes", "sses")):
        return name[:-2]
    return name[:-1] if name.endswith("s") and not name.endswith(("ss", "us", "is")) and len(name) > 2 else name


def plural(name: str) -> str:
    """Return the plural of a noun.

    >>> [plural(one) for one in ("car", "box", "category", "day")]
    ['cars', 'boxes', 'categories', 'days']
    """
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(("s", "x", "ch", "sh")) else f"{name}s"


def property_name(relation: str) -> str:
    """Name the property that relates a part to a value: ``orders.total`` is the total."""
    return relation.rpartition(".")[2]


def tree_of(definition: Definition, goals: Sequence[Goal] | None = None) -> Tree:
    """Read the goals of a definition as a tree of entities."""
    return _TreeBuilder(definition).build(definition.goals if goals is None else goals)


class _TreeBuilder:
    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        width = definition.width
        names = ["it"] if width == 1 else ["the first", "the second", *(f"number {k}" for k in range(3, width + 1))]
        self.tree = Tree([Entity(k, name) for k, name in enumerate(names)], {}, {})
        self.tree.entities |= {one.variable: one for one in self.tree.roots}

    def build(self, goals: Sequence[Goal]) -> Tree:
        """Add the goals one by one."""
        values = self._values(goals)
        for goal in in_order(goals, range(self.definition.width)):
            if goal.compares:
                self._compare(goal)
            else:
                self._relate(goal, values)
        return self.tree

    def _values(self, goals: Sequence[Goal]) -> set[int]:
        """Find the variables that hold values: compared with constants or by order, shared, or aggregated."""
        own = {one for one in (self.definition.value, self.definition.by) if one is not None}
        found = set(own)
        for goal in goals:
            if goal.compares and (goal.name != "!=" or len(goal.variables) < 2):
                found.update(goal.variables)
        relations = [goal for goal in goals if not goal.compares]
        started = {goal.arguments[0] for goal in relations}
        ends = [
            one for goal in relations if len(goal.arguments) == 2 for one in goal.arguments[1:] if isinstance(one, int)
        ]
        found.update(one for one in ends if ends.count(one) > 1 and one >= self.definition.width)
        return found - {one for one in started if isinstance(one, int)} - (set(self.definition.over) - own)

    def _relate(self, goal: Goal, values: set[int]) -> None:
        """Add a relation as an adjective, a property, a part, or a relation between two parts."""
        bound = [one for one in goal.variables if one in self.tree.entities]
        if len(goal.arguments) > 2 and len(bound) == 2 and bound[0] < self.definition.width <= bound[1]:
            bound = bound[1:]  # a relation of a part that also names its whole
        owner = self.tree.entities[bound[0]] if bound else None
        parts = self._new_parts(goal, values)
        if owner is None or len(bound) != 1 or any(one in self.tree.values for one in goal.variables):
            self._relate_several(goal, owner, parts)
        elif len(goal.arguments) == 1:
            owner.adjectives.append(goal.name)
        else:
            self._add_properties(goal, self._add_parts(goal, parts, owner))

    def _relate_several(self, goal: Goal, owner: Entity | None, parts: list[int]) -> None:
        """Add a relation between two parts, or between the values of two parts."""
        known = [one for one in goal.variables if one in self.tree.values]
        if owner is not None and len(goal.arguments) == 2 and len(known) == 1:
            self.tree.together.append(f"{self._side(known[0])} = {_of(owner, property_name(goal.name))}")
            return
        for one in parts:
            self._add(one, noun(goal.name), owner or self.tree.roots[0], listed=False)
        self.tree.together.append(self._text(goal))

    def _new_parts(self, goal: Goal, values: set[int]) -> list[int]:
        """Find the parts a goal leads to; of several new ones, those that other goals mention, otherwise the first."""
        known = {*self.tree.entities, *self.tree.values, *values}
        new = [one for one in goal.variables if one not in known]
        if len(goal.arguments) < 3:
            return new
        goals = self.definition.goals
        about = [
            one for one in new if sum(one in other.variables for other in goals) > 1 or one in self.definition.over
        ]
        return about or new[:1]

    def _add_parts(self, goal: Goal, parts: list[int], owner: Entity) -> Entity:
        """Add the parts; return the entity that the rest of the goal describes: the first part, otherwise the owner."""
        if not parts:
            return owner
        inverse = len(goal.arguments) == 2 and goal.arguments[0] == parts[0]
        first = self._add(parts[0], f"{'inverse ' * inverse}{noun(goal.name)}", owner)
        for one in parts[1:]:
            self._add(one, f"{goal.name}.{goal.arguments.index(one) + 1}", first).unnamed = True
        return first

    def _add_properties(self, goal: Goal, holder: Entity) -> None:
        """Add the constants and values in a goal as properties."""
        several = len(goal.arguments) > 2
        for place, one in enumerate(goal.arguments):
            name = f"{goal.name}.{place + 1}" if several else property_name(goal.name)
            if isinstance(one, int) and one not in self.tree.entities:
                self.tree.values[one] = (holder, name)
            elif isinstance(one, str | float):
                holder.properties.append(f"{name} = {constant_text(one)}")
            elif one is None and not several:
                holder.properties.append(f"some {name}")

    def _add(self, variable: int, name: str, parent: Entity, *, listed: bool = True) -> Entity:
        letter = variable_name(variable - self.definition.width)
        found = Entity(variable, name, parent, letter=letter)
        self.tree.entities[variable] = found
        if listed:
            parent.parts.append(found)
        return found

    def _compare(self, goal: Goal) -> None:
        """Add a comparison of a property with a constant, of two properties, or of two parts."""
        tree = self.tree
        left, right = goal.arguments
        if isinstance(left, int) and left in tree.values and not isinstance(right, int):
            owner, name = tree.values[left]
            owner.properties.append(f"{name} {goal.name} {constant_text(right)}")
        elif goal.name == "!=" and left in tree.entities and right in tree.entities:
            one, other = (tree.entities[variable] for variable in sorted(goal.variables))
            if one.parent is None:
                other.adjectives.append("not itself" if one.noun == "it" else f"not {one.noun}")
            other.other = one.noun == other.noun
        else:
            tree.together.append(" ".join([self._side(left), goal.name, self._side(right)]))

    def _side(self, one: Argument) -> str:
        if isinstance(one, int) and one in self.tree.values:
            return _of(*self.tree.values[one])
        return owner_text(self.tree.entities[one]) if isinstance(one, int) else constant_text(one)

    def _text(self, goal: Goal) -> str:
        names = variable_names(self.definition)
        for one in goal.variables:
            if one in self.tree.entities:
                names[one] = owner_text(self.tree.entities[one])
        return goal_text(goal, names)


def constant_text(one: Argument) -> str:
    """Write a constant or a number as text."""
    return number_to_text(one) if isinstance(one, float) else name_text(str(one))


def name_text(name: str) -> str:
    """Write the name of an entity; keys that are numbers need no quotes in phrases."""
    return name if _NAME.fullmatch(name) else quote_if_needed(name)


def owner_text(entity: Entity) -> str:
    """Name an entity in a sentence about two entities: ``car A``."""
    return f"{entity.noun} {entity.letter}".rstrip()


def _of(owner: Entity, name: str) -> str:
    """Name a property in a sentence about two entities: ``the size of car A``, ``its age``."""
    return f"the {name} of {owner_text(owner)}" if owner.parent else f"{_whose(owner)} {name}"


class Phrases:
    """Puts one definition into words."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.tree = tree_of(definition)
        self.named = {
            one for one in self.tree.entities.values() if any(owner_text(one) in t for t in self.tree.together)
        }

    def part(self, entity: Entity, *, several: bool = False) -> str:
        """Describe a part with its properties: ``order with total > 50``."""
        name = plural(entity.noun) if several else entity.noun
        if entity in self.named:
            name += f" {entity.letter}"
        be = "are" if several else "is"
        text = name + (f" that {be} {' and '.join(entity.adjectives)}" if entity.adjectives else "")
        more = [*entity.properties, *(self.some(one) for one in entity.shown)]
        return text + ("," * bool(entity.adjectives) + f" with {' and '.join(more)}" if more else "")

    def some(self, entity: Entity) -> str:
        """Describe a part with its article."""
        text = self.part(entity)
        return f"another {text}" if entity.other else f"{'an' if text[0].lower() in 'aeiou' else 'a'} {text}"

    def clauses(self) -> Iterator[str]:
        """List the properties of the individual's entities."""
        for root in self.tree.roots:
            yield from (f"{root.noun} is {one}" for one in root.adjectives)
            yield from (f"{_whose(root)} {one}" for one in root.properties)
            if root.parts:
                yield f"{root.noun} has {' and '.join(map(self.some, root.parts))}"

    def exists(self, *, holds: bool) -> str:
        """Say whether the goals hold."""
        found = list(self.clauses())
        where = f", where {' and '.join(self.tree.together)}" if self.tree.together else ""
        roots = [root for root in self.tree.roots if root.adjectives or root.properties or root.parts]
        if holds:
            return f"{' and '.join(found)}{where}" if found else " and ".join(self.tree.together)
        if len(found) == 1 and len(roots) == 1:
            root = roots[0]
            if len(root.parts) == 1:
                return f"{root.noun} has no {self.part(root.parts[0])}{where}"
            if root.adjectives:
                return f"{root.noun} is not {root.adjectives[0]}"
        return f"not ({self.exists(holds=True)})"

    def of_parts(self, entity: Entity, *, several: bool = True) -> str:
        """Describe all such parts of the individual, or the only one: ``its orders with total > 50``."""
        parent = entity.parent
        if parent is None:
            return entity.noun
        text = self.part(entity, several=several)
        if parent.parent is None:
            return f"{_whose(parent)} {text}"
        without = Entity(parent.variable, parent.noun, parent.parent, parent.adjectives, parent.properties)
        return f"{text} of {self.of_parts(without, several=several)}"

    def number(self) -> str:
        """Describe a number or a category: ``the least total of its orders``."""
        definition = self.definition
        where = f", where {' and '.join(self.tree.together)}" if self.tree.together else ""
        if definition.how in ("count", "share"):
            over = (
                self.tree.entities.get(definition.over[-1], self.tree.roots[0])
                if definition.over
                else self.tree.roots[0]
            )
            all_of = self.of_parts(over) + where
            return (
                f"the number of {all_of}" if definition.how == "count" else f"the share of {all_of}{self._among(over)}"
            )
        owner, name = self.tree.values.get(definition.value or 0, (self.tree.roots[0], "value"))
        if definition.how == "value" or owner.parent is None:
            return (
                f"{_whose(owner)} {name}"
                if owner.parent is None
                else f"the {name} of {self.of_parts(owner, several=False)}{where}"
            )
        which = "sum of the" if definition.how == "sum" else definition.how
        if definition.how == "latest":
            by = self.tree.values.get(definition.by or 0)
            return f"the {name} of the latest of {self.of_parts(owner)}{f' by {by[1]}' if by else ''}{where}"
        return f"the {which} {name} of {self.of_parts(owner)}{where}"

    def _among(self, over: Entity) -> str:
        """Name the parts that a share is computed among, unless it is simply all parts."""
        tree = tree_of(self.definition, self.definition.goals[: self.definition.among])
        entity = tree.entities.get(over.variable)
        if entity is None or not (entity.properties or entity.adjectives or entity.parts):
            return ""
        return f" among {self.of_parts(entity)}"


def _whose(root: Entity) -> str:
    return "its" if root.noun == "it" else f"{root.noun}'s"


def feature_phrase(definition: Definition) -> str:
    """Name a feature in words.

    >>> from unless.relational import parse_definition
    >>> feature_phrase(parse_definition("exists: orders(X,A), orders.total(A,B), B > 50"))
    'it has an order with total > 50'
    """
    phrases = Phrases(definition)
    return phrases.exists(holds=True) if definition.how == "exists" else phrases.number()


def literal_phrase(literal: Literal, definition: Definition) -> str:
    """Put a test of a rule into words.

    >>> from unless.relational import parse_definition
    >>> definition = parse_definition("exists: orders(X,A), orders.total(A,B), B > 50, orders.month(A,last)")
    >>> literal_phrase(Literal("f", "==", "no"), definition)
    'it has no order with total > 50 and month = last'
    """
    phrases = Phrases(definition)
    if definition.how == "exists":
        return phrases.exists(holds=literal.holds(YES) and not literal.holds(NO))
    what = phrases.number()
    match literal.op:
        case "missing":
            return f"{what} is missing"
        case "present":
            return f"{what} is present"
        case "==" | "!=":
            return f"{what} {'=' if literal.op == '==' else '!='} {quote_if_needed(str(literal.value))}"
    if definition.how == "count" and (count := _counted(phrases, literal)):
        return count
    op, value = literal.as_short_bound()
    return f"{what} {op} {shown_value(value)}"


def _counted(phrases: Phrases, literal: Literal) -> str | None:
    """Count parts, if the counted parts belong directly to the individual: ``it has more than 2 orders``."""
    definition, limit = phrases.definition, float(literal.value)  # type: ignore[arg-type]
    over = phrases.tree.entities.get(definition.over[0]) if len(definition.over) == 1 else None
    if over is None or over.parent is None or over.parent.parent is not None or phrases.tree.together:
        return None
    if any(one.parts != [over] for one in phrases.tree.roots if one is over.parent) or limit < 0:
        return None
    number, root = int(limit), over.parent
    others = [one for one in phrases.clauses() if not one.startswith(f"{root.noun} has ")]
    if others:
        return None
    text = phrases.part(over, several=number != 1)
    if number == 0:
        return phrases.exists(holds=literal.op == ">")
    return f"{root.noun} has {'more than' if literal.op == '>' else 'at most'} {number} {text}"


def shown_value(value: Value) -> str:
    """Write a value as in rules, without unnecessary quotes."""
    return quote_if_needed(value) if isinstance(value, str) else value_text(value)
