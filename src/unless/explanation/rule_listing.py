"""The rules of a program laid out for people: in a column each, with what they decided in training and how often right.

            decided  expected precision
 1  refuse       96   0.932 (0.77–0.98)  if amount > 15,000 and income ≤ 21,000
                                         unless guarantor is yes

`unless show` prints this with colours and within the width of a terminal; a model prints it as plain text.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from unless.explanation.sentences import condition_parts, words_for
from unless.explanation.words import Words, printable
from unless.model import Model, RuleStatistics
from unless.rule import Condition, Program, Rule, conditions
from unless.values import amount_text, count_text, percent, share_text

_SIGNS = {"<=": "≤", ">": ">", "<": "<", ">=": "≥"}

DEEP = 12
"""Levels that are indented; deeper ones stay in the same column."""


class Line(NamedTuple):
    """A line of a rule: how deep it is, ``if`` or ``unless``, and its conditions.

    Without conditions the word is ``otherwise`` or ``unless always``.
    """

    depth: int
    word: str
    asks: list[str]


class Row(NamedTuple):
    """A rule, or the label of all other records: its number, its label, its figures if they are known, its lines."""

    number: str
    label: str
    figures: list[str]
    lines: list[Line]


def headings(statistics: RuleStatistics | None) -> list[str]:
    """What the figures are called."""
    return [] if statistics is None else ["weight" if statistics.weighted else "decided", "expected precision"]


def rows(
    program: Program, statistics: RuleStatistics | None = None, most: int | None = None, *, intervals: bool = True
) -> Iterator[Row]:
    """The rules in order, and the label of records that no rule covers.

    The figures say how many records the rule decided in training, or their weight, and which share of its decisions on
    new records it is expected to get right, with the ends of the 95 % interval unless ``intervals`` is false.
    If there are more than ``most`` rules, these are the first ones and the number of the others.
    """
    words, shown = words_for(program), program.rules[:most]
    for number, rule in enumerate(shown):
        yield Row(
            f" {number + 1}",
            printable(str(rule.head)),
            _figures(statistics, number, intervals=intervals),
            [*rule_lines(rule, words)],
        )
    if more := len(program) - len(shown):
        yield Row(" …", "", [""] * len(headings(statistics)), [Line(0, f"and {count_text(more, 'more rule')}", [])])
    if program.otherwise is not None:
        figures = _figures(statistics, len(program.rules), intervals=intervals)
        yield Row("", printable(str(program.otherwise)), figures, [Line(0, "otherwise", [])])


def _figures(statistics: RuleStatistics | None, row: int, *, intervals: bool) -> list[str]:
    if statistics is None:
        return []
    decided, right = float(statistics.support[row]), float(statistics.expected_precision[row])
    if isnan(right):
        return ["–" if isnan(decided) else amount_text(decided), "–"]
    low, high = (float(end[row]) for end in statistics.expected_between)
    return [amount_text(decided), share_text(right) + (f" ({low:.2f}–{high:.2f})" if intervals else "")]


def rule_lines(rule: Rule, words: Words, first: str = "if") -> Iterator[Line]:
    """The lines of a rule: its own, then those of its exceptions."""
    stack = [(0, first, rule)]
    while stack:
        depth, word, part = stack.pop()
        alone = "otherwise" if word == "if" else "unless always"
        yield Line(depth, word if part.default else alone, [brief(one, words) for one in conditions(part.default)])
        stack += [(depth + 1, "unless", exception) for exception in reversed(part.exceptions)]


def brief(condition: Condition, words: Words) -> str:
    """A condition in few letters: ``age ≤ 30``, ``city is Oslo``, ``age is above 30 and at most 40``."""
    parts = (part for test in brief_parts(condition, words) for part in test if part is not None)
    return " ".join([words.name(condition[0].feature), *parts])


def brief_parts(condition: Condition, words: Words) -> list[tuple[str, str | None]]:
    """What a condition asks, in signs or words, and values: a bound that is alone has a sign."""
    parts = condition_parts(condition, words)
    return (
        parts if len(parts) > 1 else [(_SIGNS.get(condition[0].as_spoken()[0], verb), value) for verb, value in parts]
    )


def title(program: Program) -> str:
    """What the rules are about, and how many there are."""
    exceptions = count_text(program.exception_count, "exception")
    return f"{printable(program.target)}: {count_text(len(program), 'rule')}, {exceptions}"


def imitation(model: Model) -> str:
    """What decides, and that the rules below it only imitate that."""
    share = percent(model.agreement or 0.0)
    return f"{printable(str(model.decider))}. It decides; this list imitates it, and agrees on {share} of its training:"


def listing(program: Program, statistics: RuleStatistics | None = None) -> str:
    """The rules as plain text, as `unless show` prints them into a pipe: no line is broken."""
    found, names = list(rows(program, statistics)), headings(statistics)
    cells = [[row.number, row.label, *row.figures] for row in found]
    heading = [["", "", *names]] if names else []
    widths = [max(map(_width, column)) for column in zip(*heading, *cells, strict=True)]
    left = {1}  # numbers and figures end below each other, labels begin there
    lines = [_aligned(one, widths, left) for one in heading]
    for row, cell in zip(found, cells, strict=True):
        first, *others = (_spelled(line) for line in row.lines)
        blank = " " * sum(width + 2 for width in widths)
        lines += [_aligned(cell, widths, left) + first, *(blank + other for other in others)]
    return "\n".join(line.rstrip() for line in lines)


def _spelled(line: Line) -> str:
    return "  " * min(line.depth, DEEP) + " ".join([line.word, " and ".join(line.asks)]).rstrip()


def _aligned(cells: list[str], widths: list[int], left: set[int]) -> str:
    padded = (
        (cell, " " * (width - _width(cell))) if place in left else (" " * (width - _width(cell)), cell)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "".join(f"{one}{other}  " for one, other in padded)


def _width(text: str) -> int:
    """How many columns of a terminal a text takes: letters of East Asia take two, accents none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(one) else 1 + (east_asian_width(one) in "WF") for one in text)
