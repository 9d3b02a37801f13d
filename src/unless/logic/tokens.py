"""The small part of clingo's language that `to_clingo` writes: atoms without nested terms, and comparisons.

Stricter than clingo, never laxer: a text that is read here means to clingo what it means here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from unless.errors import ProgramError
from unless.logic.names import commented

__all__ = ["Atom", "Comparison", "Goal", "Source", "Statement", "Term", "statements"]

_TOKEN = re.compile(
    r"""(?P<space>[ \t\n]+)
      | (?P<header>%:[^\n]*)
      | (?P<comment>%(?!\*)[^\n]*)
      | (?P<string>"(?:[^"\\\n]|\\["\\n])*")
      | (?P<integer>-?[1-9][0-9]*|0)(?![0-9A-Za-z_'])
      | (?P<name>[a-z][A-Za-z0-9_]*)(?!')
      | (?P<variable>[A-Z][A-Za-z0-9_]*|_)(?![A-Za-z0-9_'])
      | (?P<mark>:-|[(),.<>])""",
    re.VERBOSE | re.ASCII,
)
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
_LARGEST = 10**12  # clingo's integers end before; longer ones need not be read at all


@dataclass(frozen=True, slots=True)
class Term:
    """A variable, a name, an integer or a string; the value of the last two is what they spell."""

    kind: str
    value: str | int


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate with its arguments."""

    name: str
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``N < 35`` or ``N > 35``."""

    variable: str
    op: str
    integer: int


Goal = tuple[bool, Atom] | Comparison
"""An atom with whether it is negated, or a comparison."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact or a rule, and the line where it starts."""

    line: int
    head: Atom
    body: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A text taken apart: header comments and statements, each with its line."""

    headers: tuple[tuple[int, str], ...]
    statements: tuple[Statement, ...]


Token = tuple[str, str, int]


def statements(text: str) -> Source:
    """The headers and statements of a text."""
    headers, tokens = list[tuple[int, str]](), list[Token]()
    for kind, spelled, line in _tokens(text.replace("\r\n", "\n")):
        if kind == "header":
            headers.append((line, spelled[2:]))
        elif kind not in {"space", "comment"}:
            tokens.append((kind, spelled, line))
    return Source(tuple(headers), tuple(_Parser(tokens).statements()))


def _tokens(text: str) -> Iterator[Token]:
    # clingo ends the text at NUL, and what a lone carriage return ends is not certain enough
    place, line, bad = 0, 1, re.search("[\0\r]", text)
    while place < len(text):
        found = _TOKEN.match(text, place)
        if not found or (bad and bad.start() < found.end()):
            shown = commented(text[place : place + 20].split("\n", 1)[0])
            raise ProgramError(f"line {line}: {shown!r} is not in the language that to_clingo writes")
        yield str(found.lastgroup), found.group(), line
        line += found.group().count("\n")
        place = found.end()


class _Parser:
    """Reads tokens from left to right; nothing in this language nests."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = [*tokens, ("end", "the end", tokens[-1][2] if tokens else 1)]
        self.place = 0

    def statements(self) -> Iterator[Statement]:
        while self.tokens[self.place][0] != "end":
            line, head, body = self.tokens[self.place][2], self.atom(), list[Goal]()
            if self.takes(":-"):
                body.append(self.goal())
                while self.takes(","):
                    body.append(self.goal())
            self.expects(".")
            yield Statement(line, head, tuple(body))

    def goal(self) -> Goal:
        kind, spelled, _ = self.tokens[self.place]
        if kind == "variable":
            self.place += 1
            op = "<" if self.takes("<") else ">"
            if op == ">":
                self.expects(">")
            return Comparison(spelled, op, self.integer())
        return (self.takes("not"), self.atom())

    def atom(self) -> Atom:
        name = self.token("name")
        if name == "not":
            self.place -= 1
            self.refuse("a predicate")
        self.expects("(")
        terms = [self.term()]
        while self.takes(","):
            terms.append(self.term())
        self.expects(")")
        return Atom(name, tuple(terms))

    def term(self) -> Term:
        kind, spelled, _ = self.tokens[self.place]
        if kind == "integer":
            return Term(kind, self.integer())
        if kind not in {"string", "variable", "name"} or spelled == "not":
            self.refuse("a term")
        self.place += 1
        return Term(kind, _unescaped(spelled) if kind == "string" else spelled)

    def integer(self) -> int:
        spelled = self.token("integer")
        return int(spelled) if len(spelled) < 12 else _LARGEST * (-1 if spelled.startswith("-") else 1)

    def token(self, kind: str) -> str:
        if self.tokens[self.place][0] != kind:
            self.refuse(f"a {kind}" if kind != "integer" else "an integer")
        self.place += 1
        return self.tokens[self.place - 1][1]

    def takes(self, spelled: str) -> bool:
        kind, found, _ = self.tokens[self.place]
        taken = kind in {"mark", "name"} and found == spelled
        self.place += taken
        return taken

    def expects(self, mark: str) -> None:
        if not self.takes(mark):
            self.refuse(f"{mark!r}")

    def refuse(self, wanted: str) -> None:
        _, spelled, line = self.tokens[self.place]
        raise ProgramError(f"line {line}: {wanted} is expected, not {commented(spelled)}")


def _unescaped(string: str) -> str:
    return re.sub(r'\\["\\n]', lambda found: _ESCAPES[found.group()], string[1:-1])
