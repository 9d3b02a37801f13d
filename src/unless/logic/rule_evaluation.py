"""Evaluate the rules of background knowledge with clingo, over facts that clingo could not all read directly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unless.errors import ProgramError, ReadError
from unless.logic.background import Background, Origin, checked_background
from unless.logic.background_checks import CheckedRule, Signature, shown
from unless.logic.clingo_runner import atoms
from unless.logic.fact_text import NUMBER, PLAIN, FactText, clingo_term, constant_name

if TYPE_CHECKING:
    from clingo import Symbol

Rows = dict[tuple[str, ...], None]

_EXACT = {"Comparison", "BinaryOperation", "UnaryOperation"}


def with_rules(found: Sequence[FactText], name: Origin) -> tuple[dict[Signature, Rows], dict[Signature, str]]:
    """Return all facts of some texts, including entailed ones, and the first mention of each predicate."""
    facts, lines = dict[Signature, Rows](), dict[Signature, str]()
    for text, before in zip(found, name.before, strict=True):
        for signature, rows in text.facts.items():
            facts.setdefault(signature, {}).update(rows)
            lines.setdefault(signature, name.line(before + text.lines[signature]))
    if any(text.rules for text in found):
        program = checked_background(name, [_at_their_lines(text.rules) for text in found])
        for signature, line in program.mentions.items():
            lines.setdefault(signature, name.line(line))
        facts = _entailed(program, facts)
    return facts, lines


def _at_their_lines(rules: Sequence[tuple[int, str]]) -> str:
    """Write the rules as a text in which each rule is on its original line."""
    lines: list[str] = []
    for line, text in rules:
        new = text.split("\n")
        if len(lines) >= line:  # another statement ends on this line
            lines[line - 1] += f" {new[0]}"
            lines += new[1:]
        else:
            lines += [""] * (line - 1 - len(lines)) + new
    return "\n".join(lines)


def _entailed(program: Background, facts: dict[Signature, Rows]) -> dict[Signature, Rows]:
    """Return the facts together with all facts that rules entail."""
    used = [one for one in program.mentions if one in facts and PLAIN.fullmatch(one[0])]
    _refuse_decimals(program, {one: facts[one] for one in used})
    texts: dict[str, str] = {}
    lines = [f"{name}({','.join(_terms(row, texts))})." for name, arity in used for row in facts[name, arity]]
    lines = [line.replace("()", "") for line in lines]
    control = Background(program.name, "\n".join(lines), program.rules, program.mentions).ground()
    heads = dict.fromkeys(head for rule in program.rules for head in rule.heads)
    try:
        derived = {head: [_row(arguments, texts) for arguments in atoms(control, *head)] for head in heads}
    except ProgramError as error:
        raise ReadError(f"{program.name}: not stratified: {error}; every atom must be true or false") from error
    return facts | {head: dict.fromkeys(rows) for head, rows in derived.items() if rows}


def _terms(row: tuple[str, ...], texts: dict[str, str]) -> Iterator[str]:
    for one in row:
        term = clingo_term(one)
        if term.startswith('"'):
            texts[term] = one
        yield term


def _row(arguments: tuple[Symbol, ...], texts: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(texts.get(str(one)) or constant_name(str(one)) for one in arguments)


def _refuse_decimals(program: Background, facts: Mapping[Signature, Rows]) -> None:
    """Reject rules that compare decimals or calculate with them, since decimals are texts to clingo."""
    decimals = {
        (signature, place)
        for signature, rows in facts.items()
        for row in rows
        for place, text in enumerate(row)
        if NUMBER.fullmatch(text) and not text.lstrip("-").isdecimal()
    }
    grown = bool(decimals)
    while grown:
        before = len(decimals)
        for rule in program.rules:
            names = {str(node) for place, node in _variables(rule.node.body) if place in decimals}
            decimals |= {place for place, node in _variables(rule.node.head) if str(node) in names}
        grown = len(decimals) > before
    for rule in program.rules if decimals else ():
        places = {str(node): place for place, node in _variables(rule.node.body) if place in decimals}
        if (variable := _calculated(rule, places)) is not None:
            signature, place = places[variable]
            raise ReadError(
                f"{program.name.line(rule.line)}: a rule compares the decimals of {shown(signature)}, argument "
                f"{place + 1}, or calculates with them, which clingo cannot; scale them to whole numbers"
            )


def _variables(part: Any) -> Iterator[tuple[tuple[Signature, int], Any]]:
    """Return the variables among the arguments of the atoms in a part of a rule, each with its positions."""
    for node in _nodes(part):
        if node.ast_type.name == "SymbolicAtom" and node.symbol.ast_type.name == "Function":
            arguments = node.symbol.arguments
            signature = (node.symbol.name, len(arguments))
            yield from (
                ((signature, place), one) for place, one in enumerate(arguments) if one.ast_type.name == "Variable"
            )


def _calculated(rule: CheckedRule, names: Mapping[str, object]) -> str | None:
    """Return the first of some variables that a comparison other than ``!=`` or an aggregate uses."""
    for node in _nodes(rule.node.body):
        kind = node.ast_type.name
        different = kind == "Comparison" and all(str(guard).lstrip().startswith("!=") for guard in node.guards)
        terms = node.terms if kind == "BodyAggregateElement" else None
        if (kind in _EXACT and not different) or terms is not None:
            for one in _nodes(node if terms is None else list(terms)):
                if one.ast_type.name == "Variable" and str(one) in names:
                    return str(one)
    return None


def _nodes(part: Any) -> Iterator[Any]:
    """Yield a node of clingo's syntax tree and all nodes below it."""
    open_: list[Any] = [part]
    while open_:
        current = open_.pop()
        if current is None:
            continue
        if not hasattr(current, "ast_type"):
            open_ += reversed(list(current))
            continue
        yield current
        open_ += [getattr(current, key) for key in reversed(current.child_keys)]
