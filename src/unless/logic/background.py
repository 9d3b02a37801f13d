"""Background knowledge and examples: `.lp` text or files, read by clingo and checked before anything is run.

Accepted are facts and normal rules, with negation, recursion, body aggregates and arithmetic in bodies. Refused, with
file, line and reason, is what has no place in a stratified program without functions, and what might never end: scripts,
includes, arithmetic in recursion.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from unless.errors import MissingFileError, ProgramError, ReadError
from unless.logic.engine import clingo, grounded, message_of
from unless.logic.names import commented, spellable

if TYPE_CHECKING:
    from clingo import Control
    from clingo.ast import AST

__all__ = ["Background", "Signature", "read_background"]

Signature = tuple[str, int]
"""The name of a predicate and the number of its arguments."""

_DEEPEST = 200
"""Of parentheses, and of operators in a statement: clingo's own reader dies at some 20,000, without a message."""

_LEXEME = re.compile(r'"(?:[^"\\\n]|\\.)*"|%\*|%[^\n]*|#[a-z]+|\.\.|[.()\[\]{}\n]|[-+*/\\&?^~|]')
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
    "Script": "a script; programs are read, never executed",
    "TheoryDefinition": "a theory; only clingo's own language is read",
}
_PASSED_OVER = {"ShowSignature", "ShowTerm", "Defined", "Comment"}
"""What says how answers are shown, not what is true."""


@dataclass(frozen=True, eq=False)
class Background:
    """A checked program: its name in messages, its rules, its predicates in order of first appearance."""

    name: str
    rules: tuple[AST, ...]
    signatures: tuple[Signature, ...]
    mentions: dict[Signature, int] = field(default_factory=dict)
    """The line where each predicate appears first."""

    def fill(self, control: Control) -> None:
        """Add the rules to a control."""
        with clingo().ast.ProgramBuilder(control) as builder:
            for rule in self.rules:
                builder.add(rule)

    def ground(self) -> Control:
        """The program grounded: consistent, and every atom a fact."""
        try:
            control, undecided = grounded(self.fill)
        except ProgramError as error:
            raise ReadError(f"{self.name}, {error}") from error
        if undecided:
            raise ReadError(
                f"{self.name}: not stratified: {undecided[0]} depends on its own negation, "
                "so it is neither true nor false by the rules alone"
            )
        if not control.solve().satisfiable:
            raise ReadError(f"{self.name}: contradictory: a constraint is violated")
        return control


def read_background(source: str | os.PathLike[str], role: str = "background") -> Background:
    """Read a program from a file (a path, or text that ends in ``.lp``) or from its text."""
    name, text = _content(source, role)
    _scan(text, name)
    statements = _parsed(text, name)
    rules, mentions = [], dict[Signature, int]()
    for statement in statements:
        kind = _kind(statement)
        if kind == "Program" and statement.name == "base" and not statement.parameters:
            continue
        if kind == "Rule":
            _Checker(name).rule(statement)
            rules.append(statement)
            for signature in _signatures(statement):
                mentions.setdefault(signature, statement.location.begin.line)
        elif kind not in _PASSED_OVER:
            reason = _STATEMENTS.get(kind, f"{str(statement).split()[0]}; facts and rules are read, nothing else")
            _refuse(name, statement, reason)
    _check_recursion(rules, name)
    return Background(name, tuple(rules), tuple(mentions), mentions)


def heads(rule: AST) -> Iterator[Signature]:
    """The predicates in the head of a rule: more than one if it is a pool of several."""
    return _signatures(rule.head)


def _content(source: str | os.PathLike[str], role: str) -> tuple[str, str]:
    if isinstance(source, str) and not (source.endswith(_PATHS) and "\n" not in source):
        return role, source
    if not isinstance(source, str | os.PathLike):
        raise ReadError(f"the {role} must be text or a path, not {type(source).__name__}")
    path = Path(source)
    try:
        return str(path), path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise MissingFileError(f"no file {str(path)!r}") from None
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except (OSError, ValueError) as error:
        raise ReadError(f"{path}: cannot be read: {error}") from error


def _scan(text: str, name: str) -> None:
    """Refuse, before clingo sees it, what would make it read other files, run code, stop early or crash."""
    if not spellable(text.replace("\r\n", "\n")):
        raise ReadError(f"{name}: it has a NUL, a lone carriage return or half a character; save it as plain UTF-8")
    line, depth, operators = 1, 0, 0
    for lexeme in _LEXEME.findall(text):
        line += lexeme == "\n"
        depth += (lexeme in "([{") - (lexeme in ")]}")
        operators = 0 if lexeme == "." else operators + (lexeme == ".." or lexeme in "-+*/\\&?^~|")
        if lexeme in {"#include", "#script", "%*"}:
            what = {"#include": "an include; pass the text of both files", "%*": "a block comment; start each line with %"}
            raise ReadError(f"{name}, line {line}: {what.get(lexeme, _STATEMENTS['Script'])}")
        if depth > _DEEPEST or operators > _DEEPEST:
            raise ReadError(f"{name}, line {line}: more than {_DEEPEST} parentheses or operators in one term")


def _parsed(text: str, name: str) -> list[AST]:
    statements: list[AST] = []
    messages: list[str] = []
    try:
        clingo().ast.parse_string(text, statements.append, logger=lambda _, message: messages.append(message))
    except RuntimeError as error:
        raise ReadError(f"{name}, {commented(message_of(messages, error))}") from error
    return statements


@dataclass(frozen=True, slots=True)
class _Checker:
    """Refuses what a stratified program without functions has no use for."""

    name: str

    def rule(self, rule: AST) -> None:
        head = rule.head
        if (kind := _kind(head)) != "Literal":
            _refuse(self.name, head, _HEADS.get(kind, "a head that is not an atom"))
        if head.sign or (kind := _kind(head.atom)) not in {"SymbolicAtom", "BooleanConstant"}:
            _refuse(self.name, head, "negation in the head" if head.sign else _HEADS.get(kind, "a head that is not an atom"))
        self.terms(head, in_head=True)
        for goal in rule.body:
            self.terms(goal)

    def terms(self, node: AST, *, in_head: bool = False) -> None:
        """Check every term below a node."""
        for below in _walk(node):
            reason = self._reason(below, in_head=in_head)
            if reason:
                _refuse(self.name, below, reason)

    def _reason(self, node: AST, *, in_head: bool) -> str | None:
        match _kind(node):
            case "SymbolicAtom" if _kind(node.symbol) == "UnaryOperation":
                return "classical negation; write a predicate of its own, such as not_p"
            case "SymbolicAtom":
                return self._arguments(node.symbol, in_head=in_head)
            case "Interval":
                return "an interval; write the numbers out"
            case "Function" if node.external:
                return "an @-function; programs are read, never executed"
            case "TheoryAtom":
                return _HEADS["TheoryAtom"]
            case "SymbolicTerm" if str(node.symbol) in {"#inf", "#sup"}:
                return f"{node.symbol}, which is no value"
        return None

    def _arguments(self, symbol: AST, *, in_head: bool) -> str | None:
        for argument in (argument for atom in _functions(symbol) for argument in atom.arguments):
            for node in _walk(argument):
                kind = _kind(node)
                if kind == "Function":
                    return f"the function term {node}; name it with a constant"
                if in_head and kind in {"BinaryOperation", "UnaryOperation"} and not _is_number(node):
                    return f"arithmetic in the head, {node}; compute it in the body: {argument} = V, and V in the head"
        return None


def _check_recursion(rules: list[AST], name: str) -> None:
    """Refuse recursion that makes new numbers: grounding it might never end."""
    below: dict[Signature, set[Signature]] = {}
    for rule in rules:
        for head in heads(rule):
            below.setdefault(head, set()).update(_signatures(*rule.body))
    reachable = {head: _reachable(head, below) for head in below}
    for rule in rules:
        cycle = {
            goal for head in heads(rule) for goal in _signatures(*rule.body) if head in reachable.get(goal, {goal})
        }
        for node in (node for goal in rule.body for node in _walk(goal)) if cycle else ():
            counting = "Aggregate" in _kind(node) and cycle & set(_signatures(node))
            if counting or (_kind(node) in {"BinaryOperation", "UnaryOperation"} and not _is_number(node)):
                what = "an aggregate" if counting else "arithmetic"
                _refuse(name, node, f"{what} in a recursive rule, which might never end; list the values as facts")


def _reachable(start: Signature, below: dict[Signature, set[Signature]]) -> set[Signature]:
    """The predicates that a predicate depends on, itself among them."""
    found, open_ = {start}, [start]
    while open_:
        for goal in below.get(open_.pop(), ()):
            if goal not in found:
                found.add(goal)
                open_.append(goal)
    return found


def _signatures(*nodes: AST) -> Iterator[Signature]:
    """The predicates at and below nodes, in the order of the text."""
    for node in nodes:
        for below in _walk(node):
            if _kind(below) == "SymbolicAtom":
                yield from ((atom.name, len(atom.arguments)) for atom in _functions(below.symbol))


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


def _walk(node: AST) -> Iterator[AST]:
    """A node and all below it, in the order of the text."""
    open_: list[Any] = [node]
    while open_:
        current = open_.pop()
        if hasattr(current, "ast_type"):
            yield current
            parts = [getattr(current, key) for key in current.child_keys]
            open_ += [part for part in reversed(parts) if part is not None]
        else:
            open_ += reversed(current)


def _is_number(node: AST) -> bool:
    """Whether a term is a negative number as it is written."""
    return _kind(node) == "UnaryOperation" and _kind(node.argument) == "SymbolicTerm" and str(node) == f"-{node.argument}"


def _kind(node: AST) -> str:
    return str(node.ast_type.name)


def _refuse(name: str, node: AST, reason: str) -> NoReturn:
    raise ReadError(f"{name}, line {node.location.begin.line}: {commented(reason)}")
