"""Split a text that `to_clingo` wrote into statements: rules, and facts other than plain facts about records.

The text uses a small, unnested part of clingo's language: atoms without functions, and comparisons. So
regular expressions read whole statements at a time. clingo's own reader, `clingo.ast`, would take 55 s for 60,000 rules
(this module takes 3.5 s), turns ``-5`` into an operation and ``0x5`` into 5, and opens files that a text includes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from unless.errors import ProgramError
from unless.logic.engine_names import for_comment

# Stricter than clingo, never laxer: a text that matches means the same to clingo. Possessive quantifiers (++, *+) read
# a text in one go or reject it. None match NUL, where clingo stops, or a carriage return, which may end a line.
SPACE = r"(?:[ \t\n]++|%(?!\*)[^\n\r\0]*+(?=\n|\Z))*+"
_WORD_ENDS = r"(?![A-Za-z0-9_'])"
NAME = rf"(?!not{_WORD_ENDS})[a-z][A-Za-z0-9_]*+(?!')"
_INTEGER = rf"(?:-?[1-9][0-9]*+|0){_WORD_ENDS}"
SMALL = rf"(?:-?[1-9][0-9]{{0,8}}+|0){_WORD_ENDS}"
"""The pattern of an integer that certainly fits 32 bits."""
_STRING_REST = r'(?:[^"\\\n\r\0]|\\["\\n])*+"'
STRING = f'"{_STRING_REST}'
_VARIABLE = rf"(?:[A-Z][A-Za-z0-9_]*+|_){_WORD_ENDS}"
_TERM = f"(?:{STRING}|{_INTEGER}|{NAME}|{_VARIABLE})"
_ATOM = rf"{NAME}{SPACE}\({SPACE}{_TERM}{SPACE}(?:,{SPACE}{_TERM}{SPACE})*+\)"
_TEST = f"(?:[<>]{SPACE}{_INTEGER}|(?:>|<=){SPACE}{STRING})"
_GOAL = f"(?:(?:not{_WORD_ENDS}{SPACE})?{_ATOM}|{_VARIABLE}{SPACE}{_TEST})"

_FACT = re.compile(rf'{SPACE}({NAME})\({SMALL}(?:(,)(?:{SMALL}|("){_STRING_REST}))?\)\.', re.ASCII)
_STATEMENT = re.compile(
    rf"{SPACE}(?P<head>{_ATOM}){SPACE}(?::-(?P<body>{SPACE}{_GOAL}{SPACE}(?:,{SPACE}{_GOAL}{SPACE})*+))?\.", re.ASCII
)
_BEGINNING = re.compile(
    rf"{SPACE}(?:{_ATOM}{SPACE}(?::-{SPACE}(?:{_GOAL}{SPACE},{SPACE})*+(?:{_GOAL}{SPACE})?)?)?", re.ASCII
)
_REST = re.compile(rf"{SPACE}\Z", re.ASCII)

_GOALS = re.compile(f"{SPACE},?{SPACE}({_GOAL})", re.ASCII)
_TERMS = re.compile(f"{SPACE},?{SPACE}({_TERM})", re.ASCII)
_CALL = re.compile(rf"(not{_WORD_ENDS}{SPACE})?({NAME}){SPACE}\((.*)\)", re.ASCII | re.DOTALL)
_COMPARED = re.compile(rf"({_VARIABLE}){SPACE}([<>]=?){SPACE}({_INTEGER}|{STRING})", re.ASCII)
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
_LARGEST = 10**12  # far beyond clingo's integers; longer ones need not be read at all

RECORD = (None, None)
NUMBER = (",", None)
TEXT = (",", '"')
"""What follows the name in a plain fact about a record: nothing, a number or a string, as `_FACT` finds it."""


class Term(NamedTuple):
    """A variable, a name, an integer or a string; an integer or a string has its Python value."""

    kind: str
    value: str | int


class Atom(NamedTuple):
    """A predicate with its arguments."""

    name: str
    terms: tuple[Term, ...]


class Comparison(NamedTuple):
    """``N < 35``, ``N > 35``, ``N <= "2020-08-01"`` or ``N > "2020-08-01"``; the value is an integer or a text."""

    variable: str
    op: str
    value: str | int


Goal = tuple[bool, Atom] | Comparison
"""An atom and whether it is negated, or a comparison."""


class Statement(NamedTuple):
    """A rule or a fact, and the line where it starts."""

    line: int
    head: Atom
    body: tuple[Goal, ...]


def read_statements(text: str, records: Collection[tuple[str | None, ...]]) -> Iterator[Statement]:
    """Yield the statements of a text, one at a time to save memory, without the plain facts about records.

    There may be millions of plain facts. ``records`` describes them: names of predicates, each with what follows it.
    """
    place, line = 0, 1
    while True:
        end = place
        while (fact := _FACT.match(text, end)) and fact.groups() in records:
            end = fact.end()
        line += text.count("\n", place, end)
        if _REST.match(text, end):
            return
        found = _STATEMENT.match(text, end)
        if found is None:
            raise _syntax_error(text, end)
        body = tuple(map(_parse_goal, _GOALS.findall(found["body"] or "")))
        yield Statement(line + text.count("\n", end, found.start("head")), _parse_atom(found["head"])[1], body)
        place = found.end()
        line += text.count("\n", end, place)


def _syntax_error(text: str, place: int) -> ProgramError:
    """Return the error at the point where a statement leaves the language: after the longest valid beginning."""
    begun = _BEGINNING.match(text, place)
    end = place if begun is None else begun.end()
    shown = for_comment(text[end : end + 20].split("\n", 1)[0])
    what = repr(shown) if end < len(text) else "the end of the text"
    line = 1 + text.count("\n", 0, end)
    return ProgramError(f"line {line}: {what} is not in the language that to_clingo writes")


@lru_cache(maxsize=10_000)
def _parse_goal(text: str) -> Goal:
    if compared := _COMPARED.fullmatch(text):
        return Comparison(compared[1], compared[2], _parse_term(compared[3]).value)
    return _parse_atom(text)


def _parse_atom(text: str) -> tuple[bool, Atom]:
    negation, name, terms = _CALL.findall(text)[0]
    return bool(negation), Atom(name, tuple(map(_parse_term, _TERMS.findall(terms))))


@lru_cache(maxsize=10_000)
def _parse_term(spelled: str) -> Term:
    if spelled.startswith('"'):
        return Term("string", re.sub(r'\\["\\n]', lambda escape: _ESCAPES[escape.group()], spelled[1:-1]))
    if spelled[0] in "-0123456789":
        return Term("integer", _parse_integer(spelled))
    return Term("name" if spelled[0].islower() else "variable", spelled)


def _parse_integer(spelled: str) -> int:
    return int(spelled) if len(spelled) < 12 else _LARGEST * (-1 if spelled.startswith("-") else 1)
