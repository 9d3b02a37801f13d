"""Definitions of features of individuals: a conjunction of goals and how its results are combined, as readable text.

    exists: has_car(X,A), long(A), roof_closed(A)        yes or no
    count A: orders(X,A), orders.total(A,B), B > 50      a number; 0 if no goals hold
    least B of A: piece(X,A), size(A,B)                  a number; missing if no goals hold
    value A: logp(X,A)                                   a number or a category, if there is only one

X is the individual (X1 and X2 for a pair); A, B, C are entities or numbers; ``_`` is an argument that does not matter.
A constant is a name or a text in double quotes. `unless.relational.evaluation` computes features.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args
from typing import Literal as OneOf

from unless.errors import ProgramError
from unless.values import number_to_text

Argument = int | str | float | None
"""A variable by its number, the name of an entity, a number, or None for ``_``."""

How = OneOf["exists", "count", "share", "value", "least", "greatest", "mean", "sum", "latest"]

COMPARISONS = ("<=", ">=", "!=", "<", ">", "=")


class Goal(NamedTuple):
    """A relation with its arguments, or a comparison of two arguments, such as ``<=``."""

    name: str
    arguments: tuple[Argument, ...]

    @property
    def compares(self) -> bool:
        """Whether the goal is a comparison."""
        return self.name in COMPARISONS

    @property
    def variables(self) -> tuple[int, ...]:
        """The variables among the arguments."""
        return tuple(one for one in self.arguments if isinstance(one, int))

    def renamed(self, names: dict[int, int]) -> Goal:
        """Return the goal with variables renamed; variables missing from ``names`` stay."""
        return Goal(self.name, tuple(names.get(a, a) if isinstance(a, int) else a for a in self.arguments))


@dataclass(frozen=True, slots=True)
class Definition:
    """The definition of one feature of an individual.

    - ``exists``: whether some entities satisfy the goals
    - ``count``: the number of distinct ``over`` that satisfy the goals
    - ``share``: of the ``over`` that satisfy the first ``among`` goals, the share that satisfies all
    - ``least``, ``greatest``, ``mean``, ``sum``: computed from the ``value`` of each distinct ``over``
    - ``latest``: the ``value`` for which ``by`` is greatest
    - ``value``: the only value
    """

    how: How
    goals: tuple[Goal, ...]
    value: int | None = None
    over: tuple[int, ...] = ()
    among: int = 0
    by: int | None = None
    width: int = 1
    """The number of entities that make an individual; the variables below this number stand for them."""

    @property
    def relations(self) -> tuple[tuple[str, int], ...]:
        """The relations in the goals, each with its number of arguments."""
        found = ((one.name, len(one.arguments)) for one in self.goals if not one.compares)
        return tuple(dict.fromkeys(found))

    def __str__(self) -> str:
        names = variable_names(self)
        head: str = self.how
        if self.value is not None:
            head += f" {names[self.value]}"
        if self.by is not None:
            head += f" by {names[self.by]}"
        if self.over:
            head += f"{' of' if self.how != 'count' else ''} {','.join(names[one] for one in self.over)}"
        texts = [goal_text(goal, names) for goal in self.goals]
        if self.how == "share":
            return f"{head}: {', '.join(texts[: self.among])} | {', '.join(texts[self.among :])}"
        return f"{head}: {', '.join(texts)}"


def variable_names(definition: Definition) -> dict[int, str]:
    """Name the variables: X for the individual, letters for others in the order of the goals."""
    names = {one: individual_name(one, definition.width) for one in range(definition.width)}
    for goal in definition.goals:
        for one in goal.variables:
            if one not in names:
                names[one] = variable_name(len(names) - definition.width)
    return names


def individual_name(place: int, width: int) -> str:
    """Name the variable of an individual, or of one entity of a pair."""
    return "X" if width == 1 else f"X{place + 1}"


def variable_name(place: int) -> str:
    """Name a variable A, B, ... W, A1, B1, ...; X is reserved for the individual."""
    return "ABCDEFGHIJKLMNOPQRSTUVW"[place % 23] + (str(place // 23) if place >= 23 else "")


def goal_text(goal: Goal, names: dict[int, str]) -> str:
    """Write a goal as text."""
    texts = [_argument_text(one, names) for one in goal.arguments]
    return f"{texts[0]} {goal.name} {texts[1]}" if goal.compares else f"{_name_text(goal.name)}({','.join(texts)})"


def _argument_text(argument: Argument, names: dict[int, str]) -> str:
    match argument:
        case None:
            return "_"
        case float():
            return number_to_text(argument)
        case int():
            return names[argument]
    return _name_text(argument)


def _name_text(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)


# Reading definitions.

_PLAIN = re.compile(r"(?!inf\b)[a-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*")
_TOKEN = re.compile(
    r"\s*(?:(?P<text>\"(?:[^\"\\]|\\.)*\")|(?P<number>-?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|inf\b))|(?P<variable>[A-Z]\d*\b|_)"
    r"|(?P<name>[^\W\d][\w.]*)|(?P<sign><=|>=|!=|[<>=(),|:]))\s*"
)


def parse_definition(text: str, width: int = 1) -> Definition:
    """Read a definition from text: ``parse_definition(str(definition)) == definition``, except for variable numbers."""
    return _Reader(text, width).definition()


def normal(definition: Definition) -> Definition:
    """Renumber variables in order of appearance, so that equivalent definitions are equal."""
    return parse_definition(str(definition), definition.width)


class _Reader:
    """Reads one definition, token by token."""

    def __init__(self, text: str, width: int) -> None:
        self.text, self.width = text, width
        self.tokens = list(self._split())
        self.place = 0
        self.numbers = {individual_name(one, width): one for one in range(width)}

    def _split(self) -> Iterator[tuple[str, str]]:
        place = 0
        while place < len(self.text):
            found = _TOKEN.match(self.text, place)
            if found is None:
                raise ProgramError(f"not a definition at {self.text[place : place + 20]!r}: {self.text}")
            kind = str(found.lastgroup)
            yield kind, found[kind]
            place = found.end()

    def definition(self) -> Definition:
        """Read the kind of feature, its variables and its goals."""
        how = self.take("name")
        if how not in get_args(How):
            raise ProgramError(f"unknown kind of feature {how!r}: {self.text}")
        head: list[tuple[str, str]] = []
        while self.peek() not in (":", ""):
            head.append(self.tokens[self.place])
            self.place += 1
        self.take("sign")
        goals, among = [self.goal()], 0
        while (mark := self.peek()) in (",", "|"):
            self.take("sign")
            among = len(goals) if mark == "|" else among
            goals.append(self.goal())
        if self.place < len(self.tokens):
            raise self.wrong()
        return Definition(how, tuple(goals), among=among, width=self.width, **self.head(how, head))  # type: ignore[arg-type]

    def head(self, how: str, tokens: list[tuple[str, str]]) -> dict[str, Any]:
        """Read the variables between the kind of feature and the colon."""
        groups: dict[str, list[int]] = {"of" if how == "count" else "": []}
        group = next(iter(groups))
        for kind, text in tokens:
            if kind == "name":
                group = text
            elif kind == "variable" and text in self.numbers:
                groups.setdefault(group, []).append(self.numbers[text])
            elif text != ",":
                raise self.wrong()
        value, by = next(iter(groups.get("", ())), None), next(iter(groups.get("by", ())), None)
        return {"value": value, "by": by, "over": tuple(groups.get("of", ()))}

    def goal(self) -> Goal:
        """Read a relation with arguments, or a comparison."""
        kind, text = self.tokens[self.place] if self.place < len(self.tokens) else ("", "")
        if kind in ("name", "text") and self.peek(1) == "(":
            self.place += 2
            arguments = [self.argument()]
            while self.peek() == ",":
                self.place += 1
                arguments.append(self.argument())
            if self.take("sign") != ")":
                raise self.wrong()
            return Goal(str(json.loads(text)) if kind == "text" else text, tuple(arguments))
        left, sign, right = self.argument(), self.take("sign"), self.argument()
        if sign not in COMPARISONS:
            raise self.wrong()
        return Goal(sign, (left, right))

    def argument(self) -> Argument:
        """Read a variable, a constant, a number or ``_``."""
        if self.place >= len(self.tokens):
            raise self.wrong()
        kind, text = self.tokens[self.place]
        self.place += 1
        match kind:
            case "variable":
                return None if text == "_" else self.numbers.setdefault(text, len(self.numbers))
            case "number":
                return float(text)
            case "text":
                return str(json.loads(text))
            case "name":
                return text
        raise self.wrong()

    def take(self, kind: str) -> str:
        """Read the next token, which must be of a given kind."""
        if self.place >= len(self.tokens) or self.tokens[self.place][0] != kind:
            raise self.wrong()
        self.place += 1
        return self.tokens[self.place - 1][1]

    def peek(self, ahead: int = 0) -> str:
        """Return the text of the next token without reading it."""
        place = self.place + ahead
        return self.tokens[place][1] if place < len(self.tokens) else ""

    def wrong(self) -> ProgramError:
        """Return the error for a token that does not fit."""
        shown = self.tokens[self.place][1] if self.place < len(self.tokens) else "the end"
        return ProgramError(f"not a definition at {shown!r}: {self.text}")


def needed(definitions: Iterable[Definition]) -> tuple[tuple[str, int], ...]:
    """Return the relations that some definitions use."""
    return tuple(dict.fromkeys(signature for one in definitions for signature in one.relations))
