"""Background knowledge and examples: `.lp` texts or files, read and checked.

Plain facts may be many. A regular expression recognises them, and they go to clingo as they are. Everything else is
first taken apart by clingo's own reader and checked in Python, which takes a hundred times as long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from unless.errors import ProgramError, ReadError
from unless.logic.checks import CheckedRule, Signature, check_recursion, check_statement, check_text
from unless.logic.lexemes import NAME, SMALL, SPACE, STRING
from unless.logic.names import commented
from unless.logic.run import clingo, grounded, message_of, undecided
from unless.logic.sources import Origin, Source, read_sources

if TYPE_CHECKING:
    from clingo import Control
    from clingo.ast import AST

__all__ = ["Background", "read_background"]

_VALUE = rf"[ \t]*+(?:{NAME}|{SMALL}|{STRING})[ \t]*+"
_FACT = re.compile(rf"{SPACE}({NAME})(?:\(({_VALUE}(?:,{_VALUE})*+)\))?\.(?!\.)")
_OTHER = re.compile(rf"{SPACE}(?:[^.\"%]++|\.\.|{STRING}|%(?!\*)[^\n]*+)*+\.")
"""A plain fact, and any statement, each with the space before it."""


@dataclass(frozen=True, eq=False)
class Background:
    """A checked program: its name in messages, the text of its plain facts, and its rules.

    ``mentions`` holds its predicates in order of first appearance, each with that line.
    """

    name: Origin
    facts: str
    rules: tuple[CheckedRule, ...]
    mentions: dict[Signature, int]

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """The predicates, in order of first appearance."""
        return tuple(self.mentions)

    def fill(self, control: Control) -> None:
        """Add facts and rules to a control."""
        control.add("base", [], self.facts)
        with clingo().ast.ProgramBuilder(control) as builder:
            for rule in self.rules:
                builder.add(rule.node)

    def ground(self) -> Control:
        """Ground the program: it must be consistent, and every atom a fact."""
        try:
            control = grounded(self.fill)
        except ProgramError as error:
            raise ReadError(self.name.message(str(error))) from error
        if atom := undecided(control):  # never happens: rules that pass the checks are stratified
            raise ReadError(f"{self.name}: clingo leaves {atom} open")
        if not control.solve().satisfiable:
            lines = self.name.lines([rule.line for rule in self.rules if not rule.heads])
            raise ReadError(f"{self.name}: contradictory: a constraint is violated, one of those on {lines}")
        return control


def read_background(source: Source | Iterable[Source], role: str = "background") -> Background:
    """Read a program from texts, or from files (a path, or a string that ends in ``.lp``)."""
    name, texts = read_sources(source, role)
    reader = _Reader(name)
    for text, lines in zip(texts, name.before, strict=True):
        reader.read(text, lines)
    check_recursion(reader.rules, name)
    mentions: dict[Signature, int] = {}
    for (line, _), signature in sorted(reader.mentioned, key=itemgetter(0)):
        mentions.setdefault(signature, line)
    return Background(name, "".join(reader.facts), tuple(reader.rules), mentions)


class _Reader:
    """Collects plain facts as text, everything else as checked rules, and where each predicate is mentioned."""

    def __init__(self, name: Origin) -> None:
        self.name = name
        self.facts: list[str] = []
        self.rules: list[CheckedRule] = []
        self.mentioned: list[tuple[tuple[int, int], Signature]] = []

    def read(self, text: str, lines: int) -> None:
        """Read a text; ``lines`` come before it in other texts."""
        rest = self._without_facts(text, lines + 1)
        check_text(rest, self.name, lines)
        for statement in _parsed("\n" * lines + rest, self.name):
            if rule := check_statement(statement, self.name):
                self.rules.append(rule)
                position = rule.line, statement.location.begin.column
                self.mentioned += [(position, signature) for signature in (*rule.heads, *rule.goals)]

    def _without_facts(self, text: str, line: int) -> str:
        """Keep the plain facts; return the text with blanks in their place, so that lines and columns stay the same."""
        rest: list[str] = []
        place = 0
        while place < len(text):
            end = self._facts(text, place, line)
            self.facts.append(text[place:end])
            rest.append("\n".join(" " * len(blank) for blank in text[place:end].split("\n")))
            other = _OTHER.match(text, end)
            rest.append(text[end:] if other is None else other[0])  # the last statement may lack its full stop
            line += rest[-2].count("\n") + rest[-1].count("\n")
            place = len(text) if other is None else other.end()
        return "".join(rest)

    def _facts(self, text: str, place: int, line: int) -> int:
        """Note the predicates of the plain facts that begin at a place; return where they end."""
        seen, end = set[Signature](), place
        while found := _FACT.match(text, end):
            end = found.end()
            signature = found[1], _count(found[2])
            if signature not in seen:
                seen.add(signature)
                line += text.count("\n", place, found.start(1))
                place = found.start(1)
                self.mentioned.append(((line, place - text.rfind("\n", 0, place)), signature))
        return end


def _parsed(text: str, name: Origin) -> list[AST]:
    statements: list[AST] = []
    messages: list[str] = []
    try:
        clingo().ast.parse_string(text, statements.append, logger=lambda _, message: messages.append(message))
    except RuntimeError as error:
        raise ReadError(name.message(commented(message_of(messages, error)))) from error
    return statements


def _count(values: str | None) -> int:
    """The number of values between the parentheses of a plain fact."""
    if values is None:
        return 0
    return 1 + (re.sub(STRING, "", values) if '"' in values else values).count(",")
