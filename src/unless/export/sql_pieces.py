"""Write conditions in standard SQL in two pieces, with the value left out between them.

The report page assembles the SQL of a rule from these pieces, also for rules that a reader has edited.
"""

from __future__ import annotations

from sqlglot import exp

from unless.export.sql_dialects import STANDARD
from unless.export.sql_times import kinds_for
from unless.export.sql_writer import SqlWriter
from unless.rule import OPERATORS, Literal, Operator, Program
from unless.values.notation import LevelNotation, Notation

_TEXT, _NUMBER = "value", 1234567.5

Pieces = dict[Operator, tuple[str, str]]


def condition_pieces(program: Program) -> list[Pieces]:
    """Return the text before and after the value, for each feature in use and each operator.

    A value is a text with its quotes, a number, or the text of a date between the quotes; levels are texts with commas.

    >>> from unless import Literal, Program, Rule
    >>> condition_pieces(Program("risk", ("age",), (Rule("high", (Literal("age", "<=", 25.0),)),)))[0]["<="]
    ('NOT "age" IS NULL AND "age" <= ', '')
    """
    return [_pieces_for_feature(feature, program.notations.get(feature)) for feature in program.used]


def _pieces_for_feature(feature: str, notation: Notation | None) -> Pieces:
    texts, numbers = SqlWriter(STANDARD, {feature: "text"}, {}), SqlWriter(STANDARD, {feature: "number"}, {})
    bound, spelled = _NUMBER, str(_NUMBER)
    if isinstance(notation, LevelNotation):
        levels = {feature: LevelNotation((_TEXT, _TEXT))}  # one on each side of the bound
        numbers, bound, spelled = SqlWriter(STANDARD, {feature: "text"}, levels), 0.0, f"'{_TEXT}'"
    elif notation is not None and not notation.plain:
        kind = kinds_for(notation)[0]
        numbers, bound = SqlWriter(STANDARD, {feature: kind}, {feature: notation}), 0.0
        *_, threshold = _condition(numbers, Literal(feature, "<=", bound)).find_all(exp.Literal)
        spelled = threshold.name
    found: Pieces = {}
    for op in OPERATORS:
        writer, value = (numbers, bound) if op in ("<=", ">") else (texts, _TEXT if op in ("==", "!=") else None)
        condition = _condition(writer, Literal(feature, op, value)).sql(STANDARD.syntax)
        mark = spelled if isinstance(value, float) else f"'{_TEXT}'"
        before, _, after = (condition, "", "") if value is None else condition.rpartition(mark)
        found[op] = before, after
    return found


def _condition(writer: SqlWriter, literal: Literal) -> exp.Expression:
    found = writer.test(literal, sure=True)
    return exp.Boolean(this=found) if isinstance(found, bool) else found
