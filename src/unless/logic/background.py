"""Read and check background knowledge and examples from `.lp` texts or files.

There may be many plain facts: a regular expression recognises them, and clingo reads them unchanged. clingo's
own reader parses everything else for checks in Python, which takes a hundred times as long.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from unless.errors import MissingFileError, ProgramError, ReadError, suggest
from unless.logic.background_checks import CheckedRule, Signature, check_recursion, check_statement, check_text
from unless.logic.clingo_runner import first_message, grounded, import_clingo
from unless.logic.engine_names import for_comment, is_spellable
from unless.logic.read_statements import NAME, SMALL, SPACE, STRING

if TYPE_CHECKING:
    from clingo import Control
    from clingo.ast import AST

Source = str | os.PathLike[str]
"""Text, or a path."""

_PATHS = (".lp", ".asp", ".pl")

_VALUE = rf"[ \t]*+(?:{NAME}|{SMALL}|{STRING})[ \t]*+"
_FACT = re.compile(rf"{SPACE}({NAME})(?:\(({_VALUE}(?:,{_VALUE})*+)\))?\.(?!\.)")
_OTHER = re.compile(rf"{SPACE}(?:[^.\"%]++|\.\.|{STRING}|%(?!\*)[^\n]*+)*+\.")
"""Patterns of a plain fact and of any statement, each with the space before it."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a program in messages: the names of its texts, and the number of lines before each text."""

    names: tuple[str, ...]
    before: tuple[int, ...]

    def line(self, number: int) -> str:
        """Describe a line, counted through all texts, by the name of its text and its number there."""
        place = bisect_right(self.before, number - 1) - 1
        return f"{self.names[place]}, line {number - self.before[place]}"

    def lines(self, numbers: Sequence[int]) -> str:
        """Name several lines, without the name of the text if there is only one."""
        if len(self.names) == 1:
            return f"lines {', '.join(map(str, numbers))}"
        return "; ".join(map(self.line, numbers))

    def message(self, text: str) -> str:
        """Prefix a message of clingo, which may begin with a line, by the name of the text."""
        found = re.match(r"line (\d+)(?=: )", text)
        return f"{self}: {text}" if found is None else f"{self.line(int(found[1]))}{text[found.end() :]}"

    def __str__(self) -> str:
        return ", ".join(self.names)


@dataclass(frozen=True, eq=False)
class Background:
    """A checked program: its name in messages, the text of its plain facts, and its rules.

    ``mentions`` maps its predicates, in order of first appearance, to the lines of first appearance.
    """

    name: Origin
    facts: str
    rules: tuple[CheckedRule, ...]
    mentions: dict[Signature, int]

    def add_rules(self, control: Control) -> None:
        """Add the rules to a clingo control."""
        with import_clingo().ast.ProgramBuilder(control) as builder:
            for rule in self.rules:
                builder.add(rule.node)

    def ground(self) -> Control:
        """Ground the program, which must be consistent."""
        try:
            control = grounded(self.facts, self.add_rules)
        except ProgramError as error:
            raise ReadError(self.name.message(str(error))) from error
        if not control.solve().satisfiable:
            lines = self.name.lines([rule.line for rule in self.rules if not rule.heads])
            raise ReadError(f"{self.name}: contradictory: a constraint is violated, one of those on {lines}")
        return control


def read_background(source: Source | Iterable[Source], role: str = "background") -> Background:
    """Read a program from texts, or from files (a path, or a string that ends in ``.lp``)."""
    return checked_background(*source_texts(source, role))


def checked_background(name: Origin, texts: Sequence[str]) -> Background:
    """Check a program from texts that have already been read."""
    reader = _BackgroundReader(name)
    for text, lines in zip(texts, name.before, strict=True):
        reader.read(text, lines)
    check_recursion(reader.rules, name)
    mentions: dict[Signature, int] = {}
    for (line, _), signature in sorted(reader.mentioned, key=itemgetter(0)):
        mentions.setdefault(signature, line)
    return Background(name, "".join(reader.facts), tuple(reader.rules), mentions)


def source_texts(source: Source | Iterable[Source], role: str) -> tuple[Origin, list[str]]:
    """Read the texts of one or several sources, with names for messages: a text without a file gets its ``role``."""
    several = [source] if isinstance(source, str | os.PathLike) or not isinstance(source, Iterable) else list(source)
    if not several:
        raise ReadError(f"the {role} is an empty list; pass a text or a path")
    names, contents = zip(*(_load_content(one, role) for one in several), strict=True)
    texts = [text.replace("\r\n", "\n") for text in contents]
    for name, text in zip(names, texts, strict=True):
        if not is_spellable(text):
            raise ReadError(f"{name}: it has a NUL, a lone carriage return or half a character; save it as plain UTF-8")
    # One line more than each text has: clingo reports the end of a text on the line after its last.
    before = accumulate((text.count("\n") + 2 for text in texts[:-1]), initial=0)
    return Origin(names, tuple(before)), texts


def _load_content(source: Source, role: str) -> tuple[str, str]:
    if isinstance(source, str) and not (source.endswith(_PATHS) and "\n" not in source):
        return role, source
    if not isinstance(source, str | os.PathLike):
        raise ReadError(f"the {role} must be text or a path, not {type(source).__name__}")
    path = Path(source)
    try:
        return str(path), path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        near = sorted(other.name for ending in _PATHS for other in path.parent.glob(f"*{ending}"))
        raise MissingFileError(f"no file {str(path)!r}{suggest(path.name, near) if near else ''}") from None
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except (OSError, ValueError) as error:
        raise ReadError(f"{path}: cannot be read: {error}") from error


class _BackgroundReader:
    """Collects plain facts as text, all other statements as checked rules, and the first line of each predicate."""

    def __init__(self, name: Origin) -> None:
        self.name = name
        self.facts: list[str] = []
        self.rules: list[CheckedRule] = []
        self.mentioned: list[tuple[tuple[int, int], Signature]] = []

    def read(self, text: str, lines: int) -> None:
        """Read a text that comes after ``lines`` lines of other texts."""
        rest = self._without_facts(text, lines + 1)
        check_text(rest, self.name, lines)
        for statement in _parsed("\n" * lines + rest, self.name):
            if rule := check_statement(statement, self.name):
                self.rules.append(rule)
                position = rule.line, statement.location.begin.column
                self.mentioned += [(position, signature) for signature in (*rule.heads, *rule.goals)]

    def _without_facts(self, text: str, line: int) -> str:
        """Collect the plain facts; return the text with blanks in their stead, so that lines and columns agree."""
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
        """Record the predicates of consecutive plain facts from a position; return where they end."""
        seen, end = set[Signature](), place
        while found := _FACT.match(text, end):
            end = found.end()
            signature = found[1], _count_values(found[2])
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
        import_clingo().ast.parse_string(text, statements.append, logger=lambda _, message: messages.append(message))
    except RuntimeError as error:
        raise ReadError(name.message(for_comment(first_message(messages, error)))) from error
    return statements


def _count_values(values: str | None) -> int:
    """Count the values between the parentheses of a plain fact."""
    if values is None:
        return 0
    return 1 + (re.sub(STRING, "", values) if '"' in values else values).count(",")
