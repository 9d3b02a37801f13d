"""Read facts and rules from logic programs in the syntax of Prolog or clingo, as ILP systems use them.

A fact becomes a row of texts. Numbers may be decimals; quoted constants, lists and terms are opaque constants. Each
constant has one name, which can be written back: ``'light blue'`` is named ``light blue``, and a constant that would
otherwise look like another kind of value keeps its quotes: ``'12'``, ``"red"``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from unless.errors import ReadError
from unless.logic.background_checks import Signature
from unless.logic.engine_names import clingo_string, prolog_atom
from unless.values import number_to_text

_SPACE = r"(?:\s++|%[^\n]*+|/\*(?s:.*?)\*/)*+"
_NAME = r"(?![A-Z_])[^\W\d]\w*+"
_NUMBER = r"-?\d++(?:\.\d++)?+(?:[eE][-+]?\d++)?+(?!\w)"
_STRING = r'"(?:[^"\\]|\\.)*+"'
_QUOTED = r"'(?:[^'\\]|\\.|'')*+'(?!')"
_ARGUMENT = rf"[ \t]*+(?:{_NAME}|{_NUMBER}|{_STRING}|{_QUOTED})[ \t]*+"
_FACT = re.compile(rf"{_SPACE}({_NAME}|{_QUOTED})\(({_ARGUMENT}(?:,{_ARGUMENT})*+)\)[ \t]*+\.(?=[\s%]|\Z)")
_ARGUMENTS = re.compile(rf"({_ARGUMENT}),?")
_BLANK = re.compile(rf"{_SPACE}\Z")

NUMBER = re.compile(_NUMBER)
PLAIN = re.compile(r"[a-z][A-Za-z0-9_]*", re.ASCII)
"""Matches a constant that needs no quotes in any engine."""
_SMALL = re.compile(r"-?\d{1,9}")
_TERM = re.compile(r"[a-z]\w*\([a-z0-9_,()-]*\)", re.ASCII)
_FUNCTION = re.compile(r"[a-z]\w*\(", re.ASCII)
_TERM_LIKE = re.compile(r"""["'\[(]|[a-z]\w*\(|-?\d""")

_TOKEN = re.compile(
    rf"""(?P<space>\s++|%[^\n]*+|/\*(?s:.*?)\*/)|(?P<string>{_STRING})|(?P<quoted>{_QUOTED})
    |(?P<number>\d++(?:\.\d++)?+(?:[eE][-+]?\d++)?+)|(?P<variable>[A-Z_]\w*+)|(?P<name>[^\W\d]\w*+)
    |(?P<end>\.(?=[\s%]|\Z))|(?P<sign>:-|\.\.|.)""",
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(
    r":-\s*(?:style_check|dynamic|discontiguous|multifile|use_module|set_prolog_flag|module|table|initialization|op|"
    r"encoding|noprint|set|modeh|modeb|determination)\b"
)
_INCLUDE = re.compile(r":-\s*(?:include|consult|ensure_loaded|\[)")

_PROLOG_SIGNS = {"\\+": "not ", "=<": "<=", "=:=": "=", "=\\=": "!=", "\\==": "!=", "\\=": "!=", "==": "="}
_RULE_TOKEN = re.compile(rf"{_STRING}|{_QUOTED}|%[^\n]*|\\\+|=<|=:=|=\\=|\\==|\\=|==|\bis\b", re.DOTALL)


class Token(NamedTuple):
    """A piece of text, and its kind."""

    kind: str
    text: str


class Atom(NamedTuple):
    """A predicate with the names of its arguments."""

    name: str
    arguments: tuple[str, ...]

    @property
    def signature(self) -> Signature:
        """The predicate and the number of its arguments."""
        return self.name, len(self.arguments)


@dataclass(eq=False)
class FactText:
    """The contents of a logic program.

    ``facts`` are the distinct rows of each predicate, ``rules`` the other statements, in clingo's syntax, with their
    lines. ``variables`` and ``unreadable`` are the statements left out, each with its line.
    """

    facts: dict[Signature, dict[tuple[str, ...], None]] = field(default_factory=dict)
    lines: dict[Signature, int] = field(default_factory=dict)
    """The line of the first fact of each predicate."""
    rules: list[tuple[int, str]] = field(default_factory=list)
    left_out: list[tuple[int, str]] = field(default_factory=list)
    plain: bool = True
    """Whether clingo itself can read the facts."""

    def add(self, atom: Atom, line: int) -> None:
        """Add a fact from a line."""
        self.facts.setdefault(atom.signature, {})[atom.arguments] = None
        self.lines.setdefault(atom.signature, line)


def _is_foreign(spelled: str) -> bool:
    """Whether a constant is a decimal or in single quotes, which clingo cannot read."""
    text = spelled.strip()
    return text.startswith("'") or ("." in text and NUMBER.fullmatch(text) is not None)


class _Names(dict[str, str]):
    """Maps each constant, as written, to its name."""

    def __missing__(self, spelled: str) -> str:
        self[spelled] = found = constant_name(spelled.strip())
        return found


def constant_name(spelled: str) -> str:
    """Name a constant: equal constants have equal names, and different constants different ones.

    >>> [constant_name(one) for one in ("'red'", '"red"', "'light blue'", "'12'", "012", "1.50", "f( a, B1)")]
    ['red', '"red"', 'light blue', "'12'", '12', '1.5', 'f( a, B1)']
    """
    if spelled.startswith(("'", '"')) and len(spelled) > 1 and spelled[-1] == spelled[0]:
        content = _unescaped(spelled)
        ambiguous = PLAIN.fullmatch(content) if spelled[0] == '"' else _TERM_LIKE.match(content) or not content
        return f"{spelled[0]}{content}{spelled[0]}" if ambiguous else content
    if NUMBER.fullmatch(spelled):
        return str(int(spelled)) if spelled.lstrip("-").isdecimal() else number_to_text(float(spelled))
    return spelled


_ESCAPES = {"n": "\n", "t": "\t", "\n": ""}


def _unescaped(spelled: str) -> str:
    content = spelled[1:-1]
    if spelled[0] == "'":
        content = content.replace("''", "'")
    return re.sub(r"(?s)\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), content) if "\\" in content else content


def read_fact_text(text: str, origin: str = "background") -> FactText:
    """Read a logic program; reject includes and statements without a full stop."""
    found, names = FactText(), _Names()
    place, line = 0, 1
    while not _BLANK.match(text, place):
        plain = _FACT.match(text, place)
        if plain:
            end = plain.end()
            inner = plain[2]
            simple = "'" not in inner and '"' not in inner
            spelled = inner.split(",") if simple else _ARGUMENTS.findall(inner)
            key = names[plain[1]], len(spelled)
            if key not in found.facts:
                found.facts[key] = {}
                found.lines[key] = line + text.count("\n", place, plain.start(1))
            found.facts[key][tuple([names[one] for one in spelled])] = None
            found.plain &= not ("." in inner or "'" in inner) or not any(map(_is_foreign, spelled))
        else:
            start, tokens, end = _statement(text, place, origin, line)
            _add(found, tokens, text[start:end], line + text.count("\n", place, start), origin)
        line += text.count("\n", place, end)
        place = end
    return found


def _statement(text: str, place: int, origin: str, line: int) -> tuple[int, list[Token], int]:
    """Find where the next statement starts, its tokens, and where it ends."""
    tokens: list[Token] = []
    start = place
    for found in _TOKEN.finditer(text, place):
        kind = str(found.lastgroup)
        if kind == "end":
            return start, tokens, found.end()
        if kind != "space":
            start = start if tokens else found.start()
            tokens.append(Token(kind, found.group()))
    first = line + text.count("\n", place, start)
    shown = " ".join(text[start : start + 60].split())
    raise ReadError(f"{origin}, line {first}: a statement without a full stop at its end: {shown}")


def _add(found: FactText, tokens: list[Token], text: str, line: int, origin: str) -> None:
    """Add a statement that is not a plain fact to the rules or to the statements left out."""
    if _DIRECTIVE.match(text) or not tokens:
        return
    if _INCLUDE.match(text):
        raise ReadError(f"{origin}, line {line}: includes are not followed; pass the text of both files")
    rule = any(one.kind == "sign" and one.text == ":-" for one in tokens) or tokens[0].text == "#"
    atom = None if rule else _parsed(tokens)
    if atom is not None:
        found.add(atom, line)
        found.plain &= not any(one.kind == "quoted" or one.text == "[" or _is_foreign(one.text) for one in tokens)
        found.plain &= sum(one.text == "(" for one in tokens) < 2
    elif rule or (_balanced(tokens) and not any(one.kind == "variable" for one in tokens)):
        found.rules.append((line, clingo_spelling(text)))
    else:
        found.left_out.append((line, " ".join(text.split())))


def _balanced(tokens: list[Token]) -> bool:
    depth = 0
    for one in tokens:
        depth += (one.text in "([{") - (one.text in ")]}") if one.kind == "sign" else 0
        if depth < 0:
            return False
    return depth == 0 and not any(one == ("sign", quote) for one in tokens for quote in "'\"")


def parse_atom(text: str) -> Atom | None:
    """Read a ground atom from text; return None if the text is not a ground atom."""
    tokens = [Token(str(one.lastgroup), one.group()) for one in _TOKEN.finditer(text)]
    return _parsed([one for one in tokens if one.kind != "space"])


def _parsed(tokens: list[Token]) -> Atom | None:
    reader = _Terms(tokens)
    head = reader.next()
    if head is None or head.kind not in ("name", "quoted"):
        return None
    arguments: list[str] = []
    if reader.takes("("):
        while (term := reader.term()) is not None:
            arguments.append(constant_name(term))
            if not reader.takes(","):
                break
        else:
            return None
        if not reader.takes(")"):
            return None
    return Atom(constant_name(head.text), tuple(arguments)) if reader.place == len(tokens) else None


class _Terms:
    """Reads ground terms: constants, numbers, lists, and functions of these."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens, self.place = tokens, 0

    def next(self) -> Token | None:
        """Read the next token."""
        self.place += 1
        return self.tokens[self.place - 1] if self.place <= len(self.tokens) else None

    def takes(self, sign: str) -> bool:
        """Read the next token if it is this sign; return whether it was."""
        found = self.place < len(self.tokens) and self.tokens[self.place] == ("sign", sign)
        self.place += found
        return found

    def term(self) -> str | None:
        """Read the next term as text without spaces; return None if it is not a ground term."""
        match self.next():
            case Token("sign", "-") if (number := self.next()) is not None and number.kind == "number":
                return f"-{number.text}"
            case Token("number" | "string", text):
                return text
            case Token("sign", "["):
                return "[]" if self.takes("]") else self._several("[", "]")
            case Token("name" | "quoted", text):
                return self._several(f"{text}(", ")") if self.takes("(") else text
        return None

    def _several(self, start: str, end: str) -> str | None:
        found: list[str] = []
        while (one := self.term()) is not None:
            found.append(one)
            if self.takes(end):
                return f"{start}{','.join(found)}{end}"
            if not self.takes(","):
                return None
        return None


def clingo_spelling(rule: str) -> str:
    r"""Rewrite a rule from Prolog's syntax to clingo's; line breaks do not move.

    >>> clingo_spelling("p(X) :- q(X,N), N =< 3, \\+ r(X,'light blue').")
    'p(X) :- q(X,N), N <= 3, not  r(X,"light blue").'
    """
    return _RULE_TOKEN.sub(_clingo_token, rule)


def _clingo_token(found: re.Match[str]) -> str:
    text = found.group()
    if text.startswith("'"):
        return clingo_term(constant_name(text))
    return "=" if text == "is" else _PROLOG_SIGNS.get(text, text)


def clingo_term(name: str) -> str:
    """Write the constant of a name for clingo, as a string if clingo cannot read the constant, such as a list."""
    if name != "not" and (PLAIN.fullmatch(name) or _SMALL.fullmatch(name) or _TERM.fullmatch(name)):
        return name
    return clingo_string(name[1:-1] if name.startswith('"') and PLAIN.fullmatch(name[1:-1]) else name)


def prolog_term(name: str) -> str:
    """Write the constant of a name for Prolog."""
    if PLAIN.fullmatch(name) or _SMALL.fullmatch(name) or name.startswith(("[", '"')) or _FUNCTION.match(name):
        return name
    return prolog_atom(name[1:-1] if len(name) > 1 and name[0] == name[-1] == "'" else name)
