"""Background knowledge and examples: `.lp` text or files, read by clingo and checked before anything is run.

Accepted are facts and normal rules, with negation, recursion, body aggregates and arithmetic in bodies. Refused,
with file, line and reason, is what has no place in a stratified program without functions, and what might never end:
scripts, includes, arithmetic in recursion.

Plain facts, of which there may be many, are recognised by a regular expression and go to clingo as they are. All else
is taken apart by clingo's own reader first, in Python, which takes a hundred times as long.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from unless.errors import MissingFileError, ProgramError, ReadError, suggest
from unless.logic.integers import HIGHEST
from unless.logic.names import commented, spellable
from unless.logic.run import clingo, grounded, message_of, undecided

if TYPE_CHECKING:
    from clingo import Control
    from clingo.ast import AST

__all__ = ["Background", "Clause", "Signature", "Source", "read_background"]

Source = str | os.PathLike[str]
"""Text, or a path."""

Signature = tuple[str, int]
"""The name of a predicate and the number of its arguments."""

_DEEPEST = 200
"""Of parentheses, and of operators in a statement: clingo's own reader dies at some 20,000, without a message."""

_LEXEME = re.compile(
    r"""(?P<text>"(?:[^"\\\n]|\\["\\n])*"|%(?!\*)[^\n]*|[A-Za-z_'][A-Za-z0-9_']*)
      | (?P<decimal>[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?) | (?P<integer>0x[0-9A-Fa-f]+|0o[0-7]+|0b[01]+|[0-9]+)
      | (?P<refused>%\*|\#(?:include|script)|") | (?P<foreign>[^\x00-\x7f])
      | (?P<line>\n) | (?P<dots>\.\.) | (?P<end>\.)
      | (?P<opening>[(\[{]) | (?P<closing>[)\]}]) | (?P<operator>[-+*/\\&?^~|])""",
    re.VERBOSE,
)
_SPACE = r"(?:[ \t\r\n]++|%(?!\*)[^\n]*+)*+"
_STRING = r'"(?:[^"\\\n]|\\["\\n])*+"'
_NAME = r"(?!not(?![A-Za-z0-9_']))[a-z][A-Za-z0-9_']*+"
_VALUE = rf"[ \t]*+(?:{_NAME}|-?[0-9]{{1,9}}+(?![A-Za-z0-9_'.])|{_STRING})[ \t]*+"
_FACT = re.compile(rf"{_SPACE}({_NAME})(?:\(({_VALUE}(?:,{_VALUE})*+)\))?\.(?!\.)")
_OTHER = re.compile(rf"{_SPACE}(?:[^.\"%]++|\.\.|{_STRING}|%(?!\*)[^\n]*+)*+\.")
"""A plain fact, and any statement, each with the space before it."""

_REFUSED = {
    "#include": "an include; pass the text of both files",
    "#script": "a script; programs are read, never executed",
    "%*": "a block comment; start each line with %",
    '"': "this string; it ends on its line and escapes nothing but a quote, a backslash and n, the newline",
}
_PATHS = (".lp", ".asp", ".pl")

_HEADS = {
    "Aggregate": "a choice in the head; say with a rule when it holds",
    "HeadAggregate": "an aggregate in the head; count in the body instead",
    "Disjunction": "a disjunction in the head; say with a rule when each of them holds",
    "TheoryAtom": "a theory atom; only clingo's own language is read",
    "Comparison": "a comparison in the head; a head is one atom",
}
_STATEMENTS = {
    "Definition": "#const; write the value itself",
    "External": "#external; write a fact",
    "Minimize": "an optimisation; a program without choices has nothing to optimise",
    "TheoryDefinition": "a theory; only clingo's own language is read",
}
_PASSED_OVER = {"ShowSignature", "ShowTerm", "Defined", "Comment"}
"""What says how answers are shown, not what is true."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What a program is called in messages: the names of its texts, and how many lines stand before each of them."""

    names: tuple[str, ...]
    before: tuple[int, ...]

    def line(self, number: int) -> str:
        """A line of them all together: the name of its text, and which line it is there."""
        place = bisect_right(self.before, number - 1) - 1
        return f"{self.names[place]}, line {number - self.before[place]}"

    def lines(self, numbers: Sequence[int]) -> str:
        """Several lines, the name left out where there is only one."""
        if len(self.names) == 1:
            return f"lines {', '.join(map(str, numbers))}"
        return "; ".join(map(self.line, numbers))

    def message(self, text: str) -> str:
        """A message of clingo's, which may begin with a line, with the name in front."""
        found = re.match(r"line (\d+)(?=: )", text)
        return f"{self}: {text}" if found is None else f"{self.line(int(found[1]))}{text[found.end() :]}"

    def __str__(self) -> str:
        return ", ".join(self.names)


class Clause(NamedTuple):
    """A statement that is no plain fact: its line, the predicates of its head (several in a pool) and of its body."""

    line: int
    heads: tuple[Signature, ...]
    goals: tuple[Signature, ...]
    node: AST


@dataclass(frozen=True, eq=False)
class Background:
    """A checked program: its name in messages, its plain facts as they are, and its rules.

    ``mentions`` has its predicates in order of first appearance, each with the line.
    """

    name: Origin
    facts: str
    rules: tuple[Clause, ...]
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
        """The program grounded: consistent, and every atom a fact."""
        try:
            control = grounded(self.fill)
        except ProgramError as error:
            raise ReadError(self.name.message(str(error))) from error
        if atom := undecided(control):  # never seen: rules that pass the checks are stratified
            raise ReadError(f"{self.name}: clingo leaves {atom} open")
        if not control.solve().satisfiable:
            lines = self.name.lines([rule.line for rule in self.rules if not rule.heads])
            raise ReadError(f"{self.name}: contradictory: a constraint is violated, one of those on {lines}")
        return control


def read_background(source: Source | Iterable[Source], role: str = "background") -> Background:
    """Read a program from files (a path, or text that ends in ``.lp``), or from texts."""
    several = [source] if isinstance(source, str | os.PathLike) or not isinstance(source, Iterable) else list(source)
    if not several:
        raise ReadError(f"the {role} is an empty list; give a text or a path")
    names, texts = zip(*(_content(one, role) for one in several), strict=True)
    # One line more than they have: clingo finds the end of a text on the line after its last.
    before = tuple(accumulate((text.count("\n") + 2 for text in texts[:-1]), initial=0))
    reader = _Reader(Origin(names, before))
    for text, lines in zip(texts, before, strict=True):  # each by itself, on lines that no other has
        reader.read(text, lines)
    _check_recursion(reader.rules, reader.name)
    mentions: dict[Signature, int] = {}
    for (line, _), signature in sorted(reader.mentioned, key=itemgetter(0)):
        mentions.setdefault(signature, line)
    return Background(reader.name, "".join(reader.facts), tuple(reader.rules), mentions)


class _Reader:
    """Collects what texts say: plain facts as they are, the rest as clauses, and where every predicate is mentioned."""

    def __init__(self, name: Origin) -> None:
        self.name = name
        self.facts: list[str] = []
        self.rules: list[Clause] = []
        self.mentioned: list[tuple[tuple[int, int], Signature]] = []

    def read(self, text: str, lines: int) -> None:
        """Read a text that follows so many lines of others."""
        if not spellable(text.replace("\r\n", "\n")):
            one = self.name.names[self.name.before.index(lines)]
            raise ReadError(f"{one}: it has a NUL, a lone carriage return or half a character; save it as plain UTF-8")
        rest = self._without_facts(text, lines + 1)
        _scan(rest, self.name, lines)
        for statement in _parsed("\n" * lines + rest, self.name):
            self._take(statement)

    def _without_facts(self, text: str, line: int) -> str:
        """The text with plain facts blanked out, lines and columns as they were; the facts are kept."""
        rest: list[str] = []
        place = 0
        while place < len(text):
            end = self._facts(text, place, line)
            self.facts.append(text[place:end])
            rest.append("\n".join(" " * len(blank) for blank in text[place:end].split("\n")))
            other = _OTHER.match(text, end)
            rest.append(text[end:] if other is None else other[0])  # the last statement may have no end
            line += rest[-2].count("\n") + rest[-1].count("\n")
            place = len(text) if other is None else other.end()
        return "".join(rest)

    def _facts(self, text: str, place: int, line: int) -> int:
        """Where a row of plain facts ends that begins at a place; their predicates are noted."""
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

    def _take(self, statement: AST) -> None:
        kind, line = _kind(statement), statement.location.begin.line
        if kind == "Rule":
            heads, goals = _check(statement, self.name)
            self.rules.append(Clause(line, heads, goals, statement))
            position = line, statement.location.begin.column
            self.mentioned += [(position, signature) for signature in (*heads, *goals)]
        elif kind not in _PASSED_OVER and not (
            kind == "Program" and statement.name == "base" and not statement.parameters
        ):
            reason = _STATEMENTS.get(kind, f"{str(statement).split()[0]}; only facts and rules are read")
            _refuse(self.name, line, reason)


def _content(source: str | os.PathLike[str], role: str) -> tuple[str, str]:
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


def _scan(text: str, name: Origin, before: int) -> None:
    """Refuse, before clingo sees it, what would make it read other files, run code, stop early or crash."""
    line, depth, operators = before + 1, 0, 0
    for found in _LEXEME.finditer(text):
        kind, lexeme = found.lastgroup, found.group()
        line += kind == "line"
        depth += (kind == "opening") - (kind == "closing")
        operators = 0 if kind == "end" else operators + (kind in {"operator", "dots"})
        if kind == "refused":
            _refuse(name, line, _REFUSED[lexeme])
        if kind == "foreign":  # clingo's message would cut the letter in two, and its Python package ends the process
            _refuse(name, line, f"{lexeme!r} outside a string; put the text in double quotes")
        if depth > _DEEPEST or operators > _DEEPEST:
            _refuse(name, line, f"a term of more than {_DEEPEST} parentheses or operators; take it apart")
        if kind == "decimal":
            shown = (_sign(text, found.start()) + lexeme)[:40]
            _refuse(
                name, line, f'the decimal {shown}; clingo counts in integers, so scale it, or make it text, "{shown}"'
            )
        if kind == "integer" and (len(lexeme) > 40 or int(lexeme, 10 if lexeme.isdecimal() else 0) > HIGHEST):
            _refuse(name, line, f"{lexeme[:40]}, too large for the 32 bits of clingo; scale it or make it text")


def _sign(text: str, place: int) -> str:
    """The minus before a number at a place, if it is not one between two terms."""
    return "-" if re.search(r"(?:^|[^\w\s)\"])\s*-$", text[max(0, place - 40) : place]) else ""


def _parsed(text: str, name: Origin) -> list[AST]:
    statements: list[AST] = []
    messages: list[str] = []
    try:
        clingo().ast.parse_string(text, statements.append, logger=lambda _, message: messages.append(message))
    except RuntimeError as error:
        raise ReadError(name.message(commented(message_of(messages, error)))) from error
    return statements


def _check(rule: AST, name: Origin) -> tuple[tuple[Signature, ...], tuple[Signature, ...]]:
    """Refuse what a stratified program without functions has no use for; the predicates of head and body otherwise."""
    head, line = rule.head, rule.location.begin.line
    atom = head.atom if _kind(head) == "Literal" else head
    if atom is not head and head.sign:
        _refuse(name, line, "negation in the head; a head is one atom")
    if _kind(atom) not in {"SymbolicAtom", "BooleanConstant"}:
        _refuse(name, line, _HEADS.get(_kind(atom), "this head; a head is one atom"))
    found: dict[bool, list[Signature]] = {True: [], False: []}
    for part in (head, *rule.body):
        for kind, node in _walk(part):
            if reason := _reason(kind, node, in_head=part is head):
                _refuse(name, getattr(node, "location", rule.location).begin.line, reason)
            found[part is head] += _atoms(kind, node)
    return tuple(found[True]), tuple(found[False])


def _reason(kind: str, node: AST, *, in_head: bool) -> str | None:  # noqa: PLR0911 - a list of cases
    """Why a node is not accepted, None if it is."""
    match kind:
        case "SymbolicAtom" if _kind(node.symbol) == "UnaryOperation":
            return "classical negation; write a predicate of its own, such as not_p"
        case "Function" if node.external:
            return "an @-function; programs are read, never executed"
        case "Function":
            constant = "_".join(re.findall(r"\w+", str(node)))
            return f"the function term {node}; name it with a constant, such as {constant}"
        case "BinaryOperation" | "UnaryOperation" if in_head and not _is_number(kind, node):
            return f"the arithmetic {node} in the head; let a variable be that in the body"
        case "Interval":
            return "an interval; write the numbers out"
        case "TheoryAtom":
            return _HEADS["TheoryAtom"]
        case "SymbolicTerm" if str(node.symbol) in {"#inf", "#sup"}:
            return f"{node.symbol}; it is no value"
    return None


def _check_recursion(rules: list[Clause], name: Origin) -> None:
    """Refuse recursion through negation, and recursion that makes new numbers: grounding it might never end."""
    below: dict[Signature, set[Signature]] = {}
    for rule in rules:
        for head in rule.heads:
            below.setdefault(head, set()).update(rule.goals)
    above = {head: _reachable(head, below) for head in below}
    for rule in rules:
        cycle = {goal for head in rule.heads for goal in rule.goals if head in above.get(goal, ())}
        for kind, node in (pair for goal in rule.node.body for pair in _walk(goal)) if cycle else ():
            if reason := _recursion(kind, node, cycle):
                raise ReadError(f"{name.line(rule.line)}: {reason}")


def _recursion(kind: str, node: AST, cycle: set[Signature]) -> str | None:
    """Why a recursive rule may not have a node in its body, None if it may."""
    if kind in {"BinaryOperation", "UnaryOperation"} and not _is_number(kind, node):
        return "arithmetic in a recursive rule is not accepted; it might never end, so list the values as facts"
    if through := cycle.intersection(atom for pair in _walk(node) for atom in _atoms(*pair)):
        predicate = "{}/{}".format(*min(through))
        if kind == "Literal" and node.sign:
            return f"not stratified: {predicate} depends on its own negation; negate only what is settled before"
        if kind == "ConditionalLiteral" or "Aggregate" in kind:
            return f"not stratified: {predicate} depends on a count or condition of itself; name it differently"
    return None


def _reachable(start: Signature, below: dict[Signature, set[Signature]]) -> set[Signature]:
    """The predicates that a predicate depends on, itself among them."""
    found, open_ = {start}, [start]
    while open_:
        for goal in below.get(open_.pop(), ()):
            if goal not in found:
                found.add(goal)
                open_.append(goal)
    return found


def _atoms(kind: str, node: AST) -> list[Signature]:
    """The predicates of a node, if it is an atom: several if that is a pool."""
    if kind != "SymbolicAtom":
        return []
    return [(atom.name, len(atom.arguments)) for atom in _functions(node.symbol)]


def _functions(symbol: AST) -> Iterator[AST]:
    """The atoms that a symbol stands for: itself, or those of a pool."""
    match _kind(symbol):
        case "Pool":
            for argument in symbol.arguments:
                yield from _functions(argument)
        case "UnaryOperation":
            yield from _functions(symbol.argument)
        case "Function":
            yield symbol


def _walk(node: AST) -> Iterator[tuple[str, AST]]:
    """A node and all below it, each with its kind, in the order of the text.

    Below an atom are its arguments, so that a function is a term.
    """
    open_: list[Any] = [node]
    while open_:
        current = open_.pop()
        if not hasattr(current, "ast_type"):
            open_ += reversed(current)
            continue
        kind = _kind(current)
        yield kind, current
        if kind == "SymbolicAtom":
            parts = [atom.arguments for atom in _functions(current.symbol)]
        else:
            parts = [getattr(current, key) for key in current.child_keys]
        open_ += [part for part in reversed(parts) if part is not None]


def _is_number(kind: str, node: AST) -> bool:
    """Whether a term is a negative number as it is written."""
    return kind == "UnaryOperation" and str(node) == f"-{node.argument}" and str(node.argument).isdecimal()


def _kind(node: AST) -> str:
    return str(node.ast_type.name)


def _count(values: str | None) -> int:
    """How many values there are between the parentheses of a plain fact."""
    if values is None:
        return 0
    return 1 + (re.sub(_STRING, "", values) if '"' in values else values).count(",")


def _refuse(name: Origin, line: int, reason: str) -> NoReturn:
    what, _, mending = commented(reason).rpartition("; ")
    raise ReadError(f"{name.line(line)}: {what} is not accepted; {mending}")
