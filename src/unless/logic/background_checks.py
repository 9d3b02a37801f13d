"""Check background knowledge before clingo runs it.

Facts and normal rules are accepted, with negation, recursion, body aggregates and arithmetic in bodies. Everything else
is rejected with its line and the reason: constructs outside stratified programs without functions, and constructs that
might not terminate, such as scripts, includes or arithmetic in recursion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from unless.errors import ReadError
from unless.logic.engine_names import for_comment
from unless.logic.predicates import HIGHEST

if TYPE_CHECKING:
    from clingo.ast import AST

    from unless.logic.background import Origin

Signature = tuple[str, int]
"""The name of a predicate and the number of its arguments."""

_DEEPEST = 200
"""The maximum number of parentheses or operators in a statement: at about 20,000, clingo's parser crashes."""

_LEXEME = re.compile(
    r"""(?P<text>"(?:[^"\\\n]|\\["\\n])*"|%(?!\*)[^\n]*|[A-Za-z_'][A-Za-z0-9_']*)
      | (?P<decimal>[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?) | (?P<integer>0x[0-9A-Fa-f]+|0o[0-7]+|0b[01]+|[0-9]+)
      | (?P<refused>%\*|\#(?:include|script)|") | (?P<foreign>[^\x00-\x7f])
      | (?P<line>\n) | (?P<dots>\.\.) | (?P<end>\.)
      | (?P<opening>[(\[{]) | (?P<closing>[)\]}]) | (?P<operator>[-+*/\\&?^~|])""",
    re.VERBOSE,
)
_REFUSED = {
    "#include": "an include; pass the text of both files",
    "#script": "a script; programs are read, never executed",
    "%*": "a block comment; start each line with %",
    '"': "this string; end it on its line, and escape only quotes, backslashes and newlines",
}
_HEADS = {
    "Aggregate": "a choice in the head; write a rule for when it holds",
    "HeadAggregate": "an aggregate in the head; count in the body instead",
    "Disjunction": "a disjunction in the head; write a rule for each of its atoms",
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
"""Statements that only control the output."""


class CheckedRule(NamedTuple):
    """An accepted rule: its line, the predicates of its head (several in a pool) and of its body."""

    line: int
    heads: tuple[Signature, ...]
    goals: tuple[Signature, ...]
    node: AST


def shown(signature: Signature) -> str:
    """Write a predicate for messages: ``age/2``."""
    return f"{signature[0]}/{signature[1]}"


def check_text(text: str, name: Origin, before: int) -> None:
    """Reject a text that would make clingo read other files, run code, stop early or crash."""
    line, depth, operators = before + 1, 0, 0
    for found in _LEXEME.finditer(text):
        kind = found.lastgroup
        line += kind == "line"
        depth += (kind == "opening") - (kind == "closing")
        operators = 0 if kind == "end" else operators + (kind in {"operator", "dots"})
        if depth > _DEEPEST or operators > _DEEPEST:
            _refuse(name, line, f"a term of more than {_DEEPEST} parentheses or operators; take it apart")
        if reason := _refusal_of_lexeme(found):
            _refuse(name, line, reason)


def _refusal_of_lexeme(found: re.Match[str]) -> str | None:
    """Return the reason to reject a lexeme, or None."""
    lexeme = found.group()
    match found.lastgroup:
        case "refused":
            return _REFUSED[lexeme]
        case "foreign":  # clingo's message would cut the letter in two, which ends the process
            return f"{lexeme!r} outside a string; put the text in double quotes"
        case "decimal":
            decimal = (_minus_sign_before(found.string, found.start()) + lexeme)[:40]
            return f'the decimal {decimal}; clingo counts in integers, so scale it, or make it text, "{decimal}"'
        case "integer" if len(lexeme) > 40 or int(lexeme, 10 if lexeme.isdecimal() else 0) > HIGHEST:
            return f"{lexeme[:40]}, too large for the 32 bits of clingo; scale it or make it text"
    return None


def _minus_sign_before(text: str, place: int) -> str:
    """Return the minus sign of the number at a position, if it has one; a minus between two terms is not a sign."""
    return "-" if re.search(r"(?:^|[^\w\s)\"])\s*-$", text[max(0, place - 40) : place]) else ""


def check_statement(statement: AST, name: Origin) -> CheckedRule | None:
    """Check a statement that clingo parsed; return None if it only controls the output."""
    kind, line = _node_kind(statement), statement.location.begin.line
    if kind == "Rule":
        return CheckedRule(line, *_check_rule(statement, name), statement)
    base = kind == "Program" and statement.name == "base" and not statement.parameters
    if kind not in _PASSED_OVER and not base:
        _refuse(name, line, _STATEMENTS.get(kind, f"{str(statement).split()[0]}; only facts and rules are read"))
    return None


def _check_rule(rule: AST, name: Origin) -> tuple[tuple[Signature, ...], tuple[Signature, ...]]:
    """Return the predicates of the head and of the body of a rule; reject unaccepted parts."""
    head, line = rule.head, rule.location.begin.line
    atom = head.atom if _node_kind(head) == "Literal" else head
    if atom is not head and head.sign:
        _refuse(name, line, "negation in the head; a head is one atom")
    if _node_kind(atom) not in {"SymbolicAtom", "BooleanConstant"}:
        _refuse(name, line, _HEADS.get(_node_kind(atom), "this head; a head is one atom"))
    found: dict[bool, list[Signature]] = {True: [], False: []}
    for part in (head, *rule.body):
        for kind, node in _walk(part):
            if reason := _refusal_of_node(kind, node, in_head=part is head):
                _refuse(name, getattr(node, "location", rule.location).begin.line, reason)
            found[part is head] += _predicates_of(kind, node)
    return tuple(found[True]), tuple(found[False])


def _refusal_of_node(kind: str, node: AST, *, in_head: bool) -> str | None:  # noqa: PLR0911 - one case after another
    """Return the reason to reject a node, or None."""
    match kind:
        case "SymbolicAtom" if _node_kind(node.symbol) == "UnaryOperation":
            return "classical negation; use another predicate, such as not_p"
        case "Function" if node.external:
            return "an @-function; programs are read, never executed"
        case "Function":
            constant = "_".join(re.findall(r"\w+", str(node)))
            return f"the function term {node}; name it with a constant, such as {constant}"
        case "BinaryOperation" | "UnaryOperation" if in_head and not _is_number(kind, node):
            return f"the arithmetic {node} in the head; give it to a variable in the body"
        case "Interval":
            return "an interval; write the numbers out"
        case "TheoryAtom":
            return _HEADS["TheoryAtom"]
        case "SymbolicTerm" if str(node.symbol) in {"#inf", "#sup"}:
            return f"{node.symbol}; it is not a value"
    return None


def check_recursion(rules: Sequence[CheckedRule], name: Origin) -> None:
    """Reject recursion through negation, and recursion that creates new numbers: grounding might not terminate."""
    below: dict[Signature, set[Signature]] = {}
    for rule in rules:
        for head in rule.heads:
            below.setdefault(head, set()).update(rule.goals)
    above = {head: _dependencies(head, below) for head in below}
    for rule in rules:
        cycle = {goal for head in rule.heads for goal in rule.goals if head in above.get(goal, ())}
        for kind, node in (pair for goal in rule.node.body for pair in _walk(goal)) if cycle else ():
            if reason := _refusal_in_recursion(kind, node, cycle):
                raise ReadError(f"{name.line(rule.line)}: {reason}")


def _refusal_in_recursion(kind: str, node: AST, cycle: set[Signature]) -> str | None:
    """Return the reason to reject a node in the body of a recursive rule, or None."""
    if kind in {"BinaryOperation", "UnaryOperation"} and not _is_number(kind, node):
        return "arithmetic in a recursive rule is not accepted; it might never end, so list the values as facts"
    if through := cycle.intersection(atom for pair in _walk(node) for atom in _predicates_of(*pair)):
        predicate = shown(min(through))
        if kind == "Literal" and node.sign:
            return f"not stratified: {predicate} depends on its own negation; negate only what does not depend on it"
        if kind == "ConditionalLiteral" or "Aggregate" in kind:
            return (
                f"not stratified: {predicate} depends on a count or condition of itself; give the result another name"
            )
    return None


def _dependencies(start: Signature, below: dict[Signature, set[Signature]]) -> set[Signature]:
    """Return the predicates that a predicate depends on, including itself."""
    found, open_ = {start}, [start]
    while open_:
        for goal in below.get(open_.pop(), ()):
            if goal not in found:
                found.add(goal)
                open_.append(goal)
    return found


def _predicates_of(kind: str, node: AST) -> list[Signature]:
    """Return the predicates of an atom: several for a pool, none if the node is not an atom."""
    if kind != "SymbolicAtom":
        return []
    return [(atom.name, len(atom.arguments)) for atom in _atoms_in(node.symbol)]


def _atoms_in(symbol: AST) -> Iterator[AST]:
    """Return the atoms in a symbol: the symbol itself, or the members of a pool."""
    match _node_kind(symbol):
        case "Pool":
            for argument in symbol.arguments:
                yield from _atoms_in(argument)
        case "UnaryOperation":
            yield from _atoms_in(symbol.argument)
        case "Function":
            yield symbol


def _walk(node: AST) -> Iterator[tuple[str, AST]]:
    """Yield a node and all nodes below it, each with its kind, in the order of the text.

    The arguments of an atom are below the atom, so every function found is a term.
    """
    open_: list[Any] = [node]
    while open_:
        current = open_.pop()
        if not hasattr(current, "ast_type"):
            open_ += reversed(current)
            continue
        kind = _node_kind(current)
        yield kind, current
        if kind == "SymbolicAtom":
            parts = [atom.arguments for atom in _atoms_in(current.symbol)]
        else:
            parts = [getattr(current, key) for key in current.child_keys]
        open_ += [part for part in reversed(parts) if part is not None]


def _is_number(kind: str, node: AST) -> bool:
    """Whether a term is just a negative number, which clingo represents as an operation."""
    return kind == "UnaryOperation" and str(node) == f"-{node.argument}" and str(node.argument).isdecimal()


def _node_kind(node: AST) -> str:
    return str(node.ast_type.name)


def _refuse(name: Origin, line: int, reason: str) -> NoReturn:
    what, _, advice = for_comment(reason).rpartition("; ")
    raise ReadError(f"{name.line(line)}: {what} is not accepted; {advice}")
