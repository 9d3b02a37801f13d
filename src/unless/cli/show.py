"""`unless show`: the rules of a model, as a table for a terminal or as a logic program."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import Annotated
from typing import Literal as OneOf

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.files import check_files, program_of, read_any_model, write_document
from unless.cli.layout import Conditions
from unless.cli.options import Json, Model, Quiet
from unless.estimators.committeefile import SavedCommittee
from unless.estimators.modelfile import any_document
from unless.explanation.sentences import literal_parts, words_for
from unless.explanation.words import Words, printable
from unless.export import to_text
from unless.export.json import to_dict
from unless.model import Statistics
from unless.rule import Literal, Program, Rule
from unless.values import amount, counted, percent, share_text

_SIGNS = {"<=": "≤", ">": ">"}
_STYLES = {"if": "dim", "unless": "yellow"}


def show(
    model: Model,
    *,
    style: Annotated[
        OneOf["plain", "paper", "exclusive"],
        typer.Option(
            help="plain is a table; paper is a logic program in order, exclusive is one whose order does not matter."
        ),
    ] = "plain",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show the rules of a model, how many records each decided in training, and how often it was right.

    Of a committee it shows the one list that imitates it; --json has all lists with their points.

    Example: unless show model.json --style paper
    """
    screen = Screen(quiet=quiet)
    check_files(None, model)
    found = read_any_model(model)
    program = program_of(found)
    if json:
        screen.data(to_dict(found) if isinstance(found, Program) else any_document(found))
    elif style == "plain":
        if isinstance(found, SavedCommittee):
            screen.show(committee_line(found), "")
        exceptions = program.exception_count
        screen.note(f"{printable(program.target)}: {counted(len(program), 'rule')}, {counted(exceptions, 'exception')}")
        screen.show(rule_table(program, getattr(found, "statistics_", None)))
    else:
        write_document(to_text(program, style) + "\n", None)


def committee_line(model: SavedCommittee) -> str:
    """Say what decides, and that the rules below it only imitate that."""
    share = percent(model.agreement)
    return (
        f"{printable(str(model.committee_))}. It decides; this list imitates it, and agrees on {share} of its training:"
    )


def rule_table(program: Program, statistics: Statistics | None = None, most: int | None = None) -> Table:
    """Return the rules in order, each with its exceptions below it and, for a model, its figures before it.

    The figures say how many records the rule decided in training, or their weight, and how many of them it got right.
    If there are more than ``most`` rules, the table has the first ones and the number of the others.
    """
    table = Table(
        box=None, show_header=statistics is not None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0)
    )
    table.add_column("", justify="right", style="dim", no_wrap=True)
    table.add_column("", style="bold cyan", no_wrap=max((len(str(label)) for label in program.labels), default=0) <= 12)
    if statistics is not None:
        table.add_column("weight" if statistics.weighted else "decided", justify="right", no_wrap=True)
        table.add_column("right", justify="right", no_wrap=True)
    table.add_column("")
    shown, words = program.rules[:most], words_for(program)
    for number, rule in enumerate(shown):
        table.add_row(f" {number + 1}", printable(str(rule.head)), *_figures(statistics, number), _body(rule, words))
    if more := len(program) - len(shown):
        blank = [""] * len(_figures(statistics, 0))
        table.add_row(" …", "", *blank, Text(f"and {counted(more, 'more rule')}", "dim"))
    if program.otherwise is not None:
        figures = _figures(statistics, len(program.rules))
        table.add_row("", printable(str(program.otherwise)), *figures, Text("otherwise", "italic"))
    return table


def _figures(statistics: Statistics | None, row: int) -> list[str]:
    if statistics is None:
        return []
    decided, right = float(statistics.support[row]), float(statistics.precision[row])
    return [amount(decided), "–" if isnan(right) else share_text(right)]


def _body(rule: Rule, words: Words) -> Group:
    lines = (
        Conditions(Text(word, _STYLES.get(word, "italic")), [*map(Text, literals)], depth)
        for depth, word, literals in rule_lines(rule, words)
    )
    return Group(*lines)


def rule_lines(rule: Rule, words: Words, first: str = "if") -> Iterator[tuple[int, str, list[str]]]:
    """Yield the depth, the first word and the literals of each line of a rule.

    The word is ``if`` or ``unless``; without literals it is ``otherwise`` or ``unless always``.
    """
    stack = [(0, first, rule)]
    while stack:
        depth, word, part = stack.pop()
        alone = "otherwise" if word == "if" else "unless always"
        yield depth, word if part.default else alone, [literal_text(literal, words) for literal in part.default]
        stack += [(depth + 1, "unless", exception) for exception in reversed(part.exceptions)]


def literal_text(literal: Literal, words: Words) -> str:
    """Return a literal in few letters: ``age ≤ 30``, ``city is Oslo``, ``city is missing``."""
    name, verb, value = literal_parts(literal, words)
    return " ".join(filter(None, (name, _SIGNS.get(literal.op, verb), value)))
