"""Write programs as the text that people write: ``refuse if income <= 21000 unless guarantor is yes``.

::

    target: loan
    features: income, history, guarantor, since (date), size (S < M < L)

    # 96 decided in training, right for 0.979
    refuse if income <= 21000 and history is late
        unless guarantor is yes
            unless income <= 5000
    accept otherwise

An exception is on a separate line, indented below the rule it limits. ``accept if true`` is a rule without
conditions, and ``accept otherwise`` the label of records that no rule covers. `unless.parse` reads the text back.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from unless.export.conditions import list_of
from unless.model import Model, model_of
from unless.model.rule_statistics import RuleStatistics
from unless.rule import OPERATOR_WORDS, Literal, Program, Rule, label_text
from unless.values import amount_text, number_to_text, share_text
from unless.values.notation import FLAG, Amounts, DateNotation, LevelNotation, NotatedNumber, Notation
from unless.values.spelling import quote_if_needed

INDENT = "    "
_WIDTH = 100


def to_rules(model: Program | Model) -> str:
    """Write the rules of a program or a model as people do; ``unless.parse(to_rules(program)) == program``.

    Above each rule of a model, a comment gives the number of records it decided in training, and its precision.

    >>> print(to_rules(Program("loan", ("income",), (Rule("refuse", (Literal("income", "<=", 21000.0),)),), "accept")))
    target: loan
    features: income
    <BLANKLINE>
    refuse if income <= 21000
    accept otherwise
    """
    program = list_of(model, "text")
    known = model_of(model)
    statistics = None if known is None else known.statistics
    return "\n".join([*_header_lines(program), "", *_rule_lines(program, statistics)]).rstrip("\n")


def _header_lines(program: Program) -> Iterator[str]:
    yield f"target: {quote_if_needed(program.target)}"
    names = [_feature_declaration(name, program.notations.get(name)) for name in program.features]
    line = "features:"
    for place, name in enumerate(names):
        piece = f" {name}{',' if place < len(names) - 1 else ''}"
        if len(line) + len(piece) > _WIDTH and line != "features:":
            yield line
            line = f"   {piece}"
        else:
            line += piece
    yield line


def _feature_declaration(name: str, notation: Notation | None) -> str:
    """Write a feature in the line of features, with its notation if it has one."""
    match notation:
        case None:
            return quote_if_needed(name)
        case LevelNotation(levels):
            said = (
                " < ".join(map(quote_if_needed, levels)) if len(levels) > 1 else repr(levels[0])
            )  # alone, date is a notation
            return f"{quote_if_needed(name)} ({said})"
        case Amounts(form=form):
            return f"{quote_if_needed(name)} (unit {form!r})"
        case DateNotation(format=str(form)):
            return f"{quote_if_needed(name)} ({notation.name} {form!r})"
    return f"{quote_if_needed(name)} ({notation.name})"


def _rule_lines(program: Program, statistics: RuleStatistics | None) -> Iterator[str]:
    for number, rule in enumerate(program.rules):
        yield from _training_comment(statistics, number)
        yield from _lines_of_rule(rule)
        yield from [""] * (statistics is not None)
    if program.otherwise is not None:
        yield from _training_comment(statistics, len(program.rules))
        yield f"{label_text(program.otherwise)} otherwise"


def _training_comment(statistics: RuleStatistics | None, row: int) -> Iterator[str]:
    """Write a comment: the number of records a rule decided in training, and its expected precision."""
    if statistics is None:
        return
    decided, right = float(statistics.support[row]), float(statistics.expected_precision[row])
    number = f"rule {row + 1}: " if row < len(statistics.labels) - 1 else ""
    if isnan(decided):
        yield f"# {number}not measured since the rules were edited"
        return
    low, high = (float(end[row]) for end in statistics.expected_between)
    share = "" if isnan(right) else f"; expected precision {share_text(right)} ({low:.2f} to {high:.2f})"
    yield f"# {number}decided {amount_text(decided)} in training{share}"
    if statistics.unseen is not None and (records := float(statistics.unseen[row].sum())):
        held = statistics.expectation(row)["unseen_right"]
        yield f"# of {amount_text(records)} held back, {amount_text(held)} right"


def _lines_of_rule(rule: Rule) -> Iterator[str]:
    """Write the lines of a rule and its exceptions; a loop, since 200 levels would be as many frames."""
    head = "" if rule.head is None else f"{label_text(rule.head)} "
    stack = [(0, f"{head}if", rule)]
    while stack:
        depth, word, part = stack.pop()
        yield f"{INDENT * depth}{word} {' and '.join(map(condition_text, part.default)) or 'true'}"
        stack += [(depth + 1, "unless", exception) for exception in reversed(part.exceptions)]


def condition_text(literal: Literal) -> str:
    """Write a literal so that it is read back exactly: ``age <= 30``, ``city is Oslo``, ``employed is 1``."""
    name = quote_if_needed(literal.feature)
    if isinstance(literal.value, NotatedNumber):
        return f"{name} {_noted_bound(literal, literal.value)}"
    op, value = literal.as_short_bound()
    if isinstance(value, float):
        return f"{name} {op} {number_to_text(value)}"
    return f"{name} {OPERATOR_WORDS[op]}" + ("" if value is None else f" {quote_if_needed(value)}")


def _noted_bound(literal: Literal, value: NotatedNumber) -> str:
    notation = value.notation
    if notation == FLAG and float(value) == 0:
        return f"is {1 if literal.op == '>' else 0}"
    if notation.plain:
        op, bound = literal.as_short_bound()
        return f"{op} {number_to_text(float(bound))}"  # type: ignore[arg-type]  # it is a number
    text = str(value)
    if notation.back(text) != value:  # between two moments or levels, which no text of the notation denotes
        return f"{literal.op} number {float(value)!r}"
    return f"{literal.op} {quote_if_needed(text) if isinstance(notation, LevelNotation) else text}"
