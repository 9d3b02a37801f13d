"""The small part of clingo's language that `to_clingo` writes: atoms without nested terms, and comparisons.

Stricter than clingo, never laxer: a text that is read here means to clingo what it means here. Nothing in this language
nests, so that regular expressions read it, whole statements at a time, and of facts, which may be millions, only what
they look like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from unless.errors import ProgramError
from unless.logic.names import commented

__all__ = ["Atom", "Comparison", "Goal", "Shape", "Source", "Statement", "Term"]

# Possessive (++, *+) where nothing shorter would do: a text is read in one go or refused. clingo ends a text at NUL,
# and what a lone carriage return ends is not certain enough: neither is in any of these.
_SPACE = r"(?:[ \t\n]++|%(?!\*)[^\n\r\0]*+(?=\n|\Z))*+"
_WORD_ENDS = r"(?![A-Za-z0-9_'])"
_NAME = rf"(?!not{_WORD_ENDS})[a-z][A-Za-z0-9_]*+(?!')"
_INTEGER = rf"(?:-?[1-9][0-9]*+|0){_WORD_ENDS}"
_STRING = r'"(?:[^"\\\n\r\0]|\\["\\n])*+"'
_VARIABLE = rf"(?:[A-Z][A-Za-z0-9_]*+|_){_WORD_ENDS}"
_TERM = f"(?:{_STRING}|{_INTEGER}|{_NAME}|{_VARIABLE})"
_ATOM = rf"{_NAME}{_SPACE}\({_SPACE}{_TERM}{_SPACE}(?:,{_SPACE}{_TERM}{_SPACE})*+\)"
_COMPARISON = f"{_VARIABLE}{_SPACE}[<>]{_SPACE}{_INTEGER}"
_GOAL = f"(?:(?:not{_WORD_ENDS}{_SPACE})?{_ATOM}|{_COMPARISON})"
_SMALL = rf"(?:-?[1-9][0-9]{{0,8}}+|0){_WORD_ENDS}"  # 32 bits hold it
_FACT = rf"{_SPACE}(?:{_NAME})\({_SMALL}(?:,(?:{_SMALL}|{_STRING}))?\)\."

_STATEMENT = re.compile(
    rf"{_SPACE}(?P<head>{_ATOM}){_SPACE}"
    rf"(?::-(?P<body>{_SPACE}{_GOAL}{_SPACE}(?:,{_SPACE}{_GOAL}{_SPACE})*+))?\.",
    re.ASCII,
)
_BEGINNING = re.compile(
    rf"{_SPACE}(?:{_ATOM}{_SPACE}(?::-{_SPACE}(?:{_GOAL}{_SPACE},{_SPACE})*+(?:{_GOAL}{_SPACE})?)?)?", re.ASCII
)
_FACTS = re.compile(f"(?:{_FACT})++", re.ASCII)
_LOOKS = re.compile(
    rf"{_SPACE}({_NAME})\({_SMALL}(?:,(?=([-0-9\"]))(?:{_SMALL}|{_STRING}))?\)\.", re.ASCII
)  # a fact, and what its value begins with
_GOALS = re.compile(f"{_SPACE},?{_SPACE}({_GOAL})", re.ASCII)
_TERMS = re.compile(f"{_SPACE},?{_SPACE}({_TERM})", re.ASCII)
_CALL = re.compile(rf"(not{_WORD_ENDS}{_SPACE})?({_NAME}){_SPACE}\((.*)\)", re.ASCII | re.DOTALL)
_COMPARED = re.compile(rf"({_VARIABLE}){_SPACE}([<>]){_SPACE}({_INTEGER})", re.ASCII)
_REST = re.compile(rf"{_SPACE}\Z", re.ASCII)
_HEADER = re.compile(r"^%:(.*)$", re.MULTILINE)
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
_LARGEST = 10**12  # clingo's integers end before; longer ones need not be read at all


class Term(NamedTuple):
    """A variable, a name, an integer or a string; the value of the last two is what they spell."""

    kind: str
    value: str | int


class Atom(NamedTuple):
    """A predicate with its arguments."""

    name: str
    terms: tuple[Term, ...]


class Comparison(NamedTuple):
    """``N < 35`` or ``N > 35``."""

    variable: str
    op: str
    integer: int


Goal = tuple[bool, Atom] | Comparison
"""An atom with whether it is negated, or a comparison."""

Shape = tuple[str, str]
"""The predicate of a fact about a small integer, and the kind of its value: "integer", "string", or "" without one."""


class Statement(NamedTuple):
    """A rule, or a fact of an unusual shape, and the line where it starts."""

    line: int
    head: Atom
    body: tuple[Goal, ...]


class Source:
    """A text to be read from its beginning to its end: headers, then statements, and the facts among them by shape."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n")
        self.facts: dict[Shape, int] = {}
        """The shapes of the facts so far, each with where in the text a row of facts begins that has it."""

    def headers(self) -> Iterator[tuple[int, str]]:
        """The comments that begin with ``%:``, each with its line."""
        place, line = 0, 1
        for found in _HEADER.finditer(self.text):
            line += self._lines(place, found.start())
            place = found.start()
            yield line, found[1]

    def statements(self) -> Iterator[Statement]:
        """The rules, and facts of unusual shapes; one at a time, as a large program would take much memory."""
        place, line = 0, 1
        while not _REST.match(self.text, place):
            if facts := _FACTS.match(self.text, place):
                end = facts.end()
                for looks in set(_LOOKS.findall(self.text, place, end)):
                    self.facts.setdefault(_shape(*looks), place)
            elif found := _STATEMENT.match(self.text, place):
                end = found.end()
                body = tuple(map(_goal, _GOALS.findall(found["body"] or "")))
                yield Statement(line + self._lines(place, found.start("head")), _atom(found["head"]), body)
            else:
                raise self._fault(place)
            line += self._lines(place, end)
            place = end

    def line_of(self, shape: Shape) -> int:
        """The line of the first fact of a shape."""
        found = _LOOKS.finditer(self.text, self.facts[shape])
        return 1 + self._lines(0, next(one.start(1) for one in found if _shape(*one.groups("")) == shape))

    def _lines(self, start: int, end: int) -> int:
        return self.text.count("\n", start, end)

    def _fault(self, place: int) -> ProgramError:
        """Where a statement leaves the language: after the longest beginning that is in it."""
        begun = _BEGINNING.match(self.text, place)
        end = place if begun is None else begun.end()
        shown = commented(self.text[end : end + 20].split("\n", 1)[0])
        what = repr(shown) if end < len(self.text) else "the end of the text"
        return ProgramError(f"line {1 + self._lines(0, end)}: {what} is not in the language that to_clingo writes")


def _shape(name: str, first: str) -> Shape:
    return name, {"": "", '"': "string"}.get(first, "integer")


@lru_cache(maxsize=10_000)
def _goal(text: str) -> Goal:
    if compared := _COMPARED.fullmatch(text):
        return Comparison(compared[1], compared[2], _integer(compared[3]))
    call = _CALL.fullmatch(text)
    if call is None:
        raise AssertionError(text)  # never: _GOAL has found it
    return call[1] is not None, Atom(call[2], tuple(map(_term, _TERMS.findall(call[3]))))


def _atom(text: str) -> Atom:
    match _goal(text):
        case (_, Atom() as atom):
            return atom
    raise AssertionError(text)  # never: _ATOM has found it


@lru_cache(maxsize=10_000)
def _term(spelled: str) -> Term:
    if spelled.startswith('"'):
        return Term("string", re.sub(r'\\["\\n]', lambda escape: _ESCAPES[escape.group()], spelled[1:-1]))
    if spelled[0] in "-0123456789":
        return Term("integer", _integer(spelled))
    return Term("name" if spelled[0].islower() else "variable", spelled)


def _integer(spelled: str) -> int:
    return int(spelled) if len(spelled) < 12 else _LARGEST * (-1 if spelled.startswith("-") else 1)
