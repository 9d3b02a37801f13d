"""Lay out the rules of a program in columns: number, label, decided training records, expected precision, conditions.

            decided  expected precision
 1  refuse       96   0.932 (0.77–0.98)  if amount > 15,000 and income ≤ 21,000
                                         unless guarantor is yes

`unless show` prints this listing in colour within the width of the terminal; a model prints it as plain text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import NamedTuple

from unless.explanation.sentences import condition_parts, words_for
from unless.explanation.text_table import align_columns
from unless.explanation.words import Words, join_names, printable
from unless.model import Model
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Condition, Program, Rule, conditions
from unless.score.score_decider import committee_of
from unless.values import amount_text, count_text, percent, share_text

_SIGNS = {"<=": "≤", ">": ">", "<": "<", ">=": "≥"}

MAX_INDENTED_LEVELS = 12
"""The number of levels that are indented; deeper levels stay in the same column."""


class RuleLine(NamedTuple):
    """A line of a rule: its depth, ``if`` or ``unless``, and its conditions.

    Without conditions the word is ``otherwise`` or ``unless always``.
    """

    depth: int
    word: str
    asks: list[str]

    @property
    def text(self) -> str:
        """The word and the conditions, without indentation."""
        return " ".join([self.word, " and ".join(self.asks)]).rstrip()


class ListingRow(NamedTuple):
    """A rule, or the label of all other records: its number, label, figures (if known) and lines."""

    number: str
    label: str
    figures: list[str]
    lines: list[RuleLine]


def figure_headings(statistics: RuleStatistics | None) -> list[str]:
    """Return the headings of the columns of figures."""
    return [] if statistics is None else ["weight" if statistics.weighted else "decided", "expected precision"]


def listing_rows(
    program: Program, statistics: RuleStatistics | None = None, most: int | None = None, *, intervals: bool = True
) -> Iterator[ListingRow]:
    """Yield a row for each rule in order, then one for the label of records that no rule covers.

    The figures are the number (or weight) of training records that the rule decided, and the expected share of correct
    decisions on new records, with its 95 % interval unless ``intervals`` is false. If there are more than ``most``
    rules, only the first ones and the number of remaining rules are listed.
    """
    words, shown = words_for(program), program.rules[:most]
    for number, rule in enumerate(shown):
        yield ListingRow(
            f" {number + 1}",
            printable(str(rule.head)),
            _figure_cells(statistics, number, intervals=intervals),
            [*rule_lines(rule, words)],
        )
    if more := len(program) - len(shown):
        yield ListingRow(
            " …", "", [""] * len(figure_headings(statistics)), [RuleLine(0, f"and {count_text(more, 'more rule')}", [])]
        )
    if program.otherwise is not None:
        figures = _figure_cells(statistics, len(program.rules), intervals=intervals)
        yield ListingRow("", printable(str(program.otherwise)), figures, [RuleLine(0, "otherwise", [])])


def _figure_cells(statistics: RuleStatistics | None, row: int, *, intervals: bool) -> list[str]:
    if statistics is None:
        return []
    decided, right = float(statistics.support[row]), float(statistics.expected_precision[row])
    if isnan(right):
        return ["–" if isnan(decided) else amount_text(decided), "–"]
    low, high = (float(end[row]) for end in statistics.expected_between)
    return [amount_text(decided), share_text(right) + (f" ({low:.2f}–{high:.2f})" if intervals else "")]


def rule_lines(rule: Rule, words: Words, first: str = "if") -> Iterator[RuleLine]:
    """Yield the line of a rule, then the lines of its exceptions."""
    for depth, part in rule.parts():
        word = "unless" if depth else first
        if not part.default:
            word = "otherwise" if word == "if" else "unless always"
        yield RuleLine(depth, word, [condition_signs(one, words) for one in conditions(part.default)])


def rule_summary(rule: Rule, words: Words) -> str:
    """Summarise a rule in one line: its conditions and the number of its exceptions."""
    more = f", {count_text(len(rule.exceptions), 'exception')}" if rule.exceptions else ""
    return next(rule_lines(rule, words)).text + more


def condition_signs(condition: Condition, words: Words) -> str:
    """Write a condition briefly: ``age ≤ 30``, ``city is Oslo``, ``age is above 30 and at most 40``."""
    parts = (part for test in condition_sign_parts(condition, words) for part in test if part is not None)
    return " ".join([words.name(condition[0].feature), *parts])


def condition_sign_parts(condition: Condition, words: Words) -> list[tuple[str, str | None]]:
    """Return the operators of a condition with their values: a sign for a single bound, words otherwise."""
    parts = condition_parts(condition, words)
    return (
        parts if len(parts) > 1 else [(_SIGNS.get(condition[0].as_spoken()[0], verb), value) for verb, value in parts]
    )


def listing_title(program: Program) -> str:
    """Return a title: what the rules decide, and how many there are."""
    exceptions = count_text(program.exception_count, "exception")
    return f"{printable(program.target)}: {count_text(len(program), 'rule')}, {exceptions}"


def rule_numbers(numbers: Sequence[int], most: int = 1000) -> str:
    """Name rules by their numbers: "rule 3", "rules 3, 4 and 7"."""
    return f"{'rule' if len(numbers) == 1 else 'rules'} {join_names(map(str, numbers), most)}"


def imitation_title(model: Model) -> str:
    """State which model decides and how well the list below imitates it; empty if the list itself decides."""
    if model.imitation is None:
        return ""
    share = percent(model.agreement or 0.0)
    if committee_of(model.decider) is None:
        return f"{printable(str(model.decider))}. In training, {share} of records get the label of the first rule:"
    return f"{printable(str(model.decider))}. It decides; this list imitates it, and agrees on {share} of its training:"


def listing_text(program: Program, statistics: RuleStatistics | None = None) -> str:
    """Return the rules as plain text without line breaks inside lines, as `unless show` writes to a pipe."""
    names = figure_headings(statistics)
    rows = [["", "", *names, ""]] if names else []
    for row in listing_rows(program, statistics):
        first, *others = ("  " * min(line.depth, MAX_INDENTED_LEVELS) + line.text for line in row.lines)
        rows += [[row.number, row.label, *row.figures, first], *([*[""] * (2 + len(names)), one] for one in others)]
    return "\n".join(align_columns(rows, right={0, *range(2, 2 + len(names))}))
