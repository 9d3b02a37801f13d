"""Rules as a table for a terminal: number, label, the rule with its exceptions, and how it does on records."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unless.explanation.words import DEFAULT, Words, printable
from unless.model import Statistics
from unless.rule import Literal, Program, Rule
from unless.values import amount, counted, share_text

__all__ = ["literal_text", "rule_lines", "rule_table"]

_SIGNS = {"<=": "≤", ">": ">", "==": "is", "!=": "is not", "missing": "is missing", "present": "is present"}
_DEEP = 12  # levels that are indented


def rule_table(program: Program, statistics: Statistics | None = None, most: int | None = None) -> Table:
    """The rules in order, exceptions below their rule; of a model, how many records each decided and got right.

    Where records were weighted, what each decided is their weight. Of more than ``most`` rules only the first
    are shown, and how many more there are.
    """
    heading = statistics is not None
    table = Table(box=None, show_header=heading, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("", justify="right", style="dim")
    table.add_column("", style="bold cyan", no_wrap=len(_longest_label(program)) < 30)
    table.add_column("", overflow="fold")
    if statistics is not None:
        table.add_column("weight" if statistics.weighted else "decided", justify="right")
        table.add_column("right", justify="right")
    shown = program.rules if most is None or len(program) <= most else program.rules[:most]
    for number, rule in enumerate(shown):
        table.add_row(f" {number + 1}", printable(str(rule.head)), _body(rule), *_figures(statistics, number))
    if len(shown) < len(program):
        table.add_row(" …", "", Text(f"and {counted(len(program) - len(shown), 'rule')} more", "dim"))
    if program.otherwise is not None:
        label = printable(str(program.otherwise))
        table.add_row("", label, Text("otherwise", "italic"), *_figures(statistics, len(program.rules)))
    return table


def _longest_label(program: Program) -> str:
    return max((str(rule.head) for rule in program.rules), key=len, default="")


def _figures(statistics: Statistics | None, row: int) -> list[str]:
    if statistics is None:
        return []
    decided, right = float(statistics.support[row]), float(statistics.precision[row])
    return [amount(decided), "–" if isnan(right) else share_text(right)]


def _body(rule: Rule) -> Group:
    """A line for each part of the rule; one that is too long goes on below its own beginning."""
    lines = []
    for depth, word, literals in rule_lines(rule):
        style = "dim" if word == "if" else "yellow" if word == "unless" else "italic"
        text = Text.assemble((word, style), f" {literals}" if literals else "")
        lines.append(Padding(text, (0, 0, 0, 2 * min(depth, _DEEP)), expand=False))
    return Group(*lines)


def rule_lines(rule: Rule, words: Words = DEFAULT) -> Iterator[tuple[int, str, str]]:
    """A rule line by line: how deep, ``if`` or ``unless`` (``otherwise`` where nothing is asked), and the literals."""
    stack = [(0, "if", rule)]
    while stack:
        depth, word, part = stack.pop()
        literals = " and ".join(literal_text(literal, words) for literal in part.default)
        yield depth, word if literals else "otherwise" if word == "if" else "unless always", literals
        stack += [(depth + 1, "unless", exception) for exception in reversed(part.exceptions)]


def literal_text(literal: Literal, words: Words = DEFAULT) -> str:
    """A literal in few letters: ``age ≤ 30``, ``city is Oslo``, ``city is missing``."""
    test = f"{words.name(literal.feature)} {_SIGNS[literal.op]}"
    return test if literal.value is None else f"{test} {words.value(literal.feature, literal.value)}"
