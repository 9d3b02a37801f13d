"""Write a program for clingo, exactly: thresholds are never rounded, values keep their spelling.

What clingo cannot spell (names of columns, decimals, labels that are not text) goes into comments that begin with
``%:`` and hold one JSON object each; `from_clingo` reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from unless.logic.integers import HIGHEST, Decimals, Ranks
from unless.logic.names import StandIns, as_json, clingo_string, commented
from unless.logic.writer import Writer
from unless.values import number_data

if TYPE_CHECKING:
    from unless.export.clauses import Clause
    from unless.logic.predicates import Feature
    from unless.rule import Operator, Program
    from unless.table import Table

FIRST_LINE = "% unless-program 2"
LABEL_KINDS = {str: "text", bool: "boolean", int: "number", float: "number"}


def to_clingo(program: Program, table: Table | None = None) -> str:
    """The program in clingo's language, in the mutually exclusive form; with a table also the facts of its records.

    ``class(5,"2")`` in the answer means that record 5 (the first is 1) has label 2. Numbers become integers in a way
    that keeps the result of every comparison. The text is a whole program, and
    ``from_clingo(to_clingo(program)) == program``.
    """
    writer = ClingoWriter(program)
    rules = writer.rules()
    records = [] if table is None else [*writer.facts(table)]
    return "\n".join([FIRST_LINE, *writer.header(), *rules, *records]) + "\n"


class ClingoWriter(Writer):
    """Writes one program; keeps the stand-ins that its texts, and those of its records, need."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, StandIns())

    def rules(self) -> list[str]:
        """The lines of the clauses."""
        return [str(clause) + _remark(clause) for clause in self.clauses()]

    def header(self) -> Iterator[str]:
        """The comments that `from_clingo` needs; complete once rules and facts are written."""
        labels = self.program.labels
        kind = LABEL_KINDS[type(labels[0])] if labels else "text"
        yield _comment({"target": self.program.target, "predicate": self.words.target, "labels": kind})
        yield from (_comment(_described(feature)) for feature in self.words.features.values())
        yield from (_comment({"stand_in": name, "text": text}) for text, name in self.stand_ins.texts.items())

    def _quoted(self, text: str) -> str:
        return clingo_string(text)

    def _numeral(self, label: float) -> str:
        return str(label) if isinstance(label, int) and abs(label) <= HIGHEST else clingo_string(repr(label))

    def _cell(self, feature: Feature, number: float, /) -> str:
        return str(feature.scale.code(number))

    def _bound(self, feature: Feature, op: Operator, number: float, /) -> str:
        code = feature.scale.code(number)
        return f"> {code}" if op == ">" else f"< {code + 1}"


def _described(feature: Feature) -> dict[str, Any]:
    names = {"number": feature.number, "text": feature.text, "present": feature.present}
    parts: dict[str, Any] = {"feature": feature.name} | {key: name for key, name in names.items() if name}
    match feature.scale:
        case Decimals(places) if feature.number:
            parts["decimals"] = places
        case Ranks(thresholds):
            parts["thresholds"] = [number_data(number) for number in thresholds]
    return parts


def _comment(parts: dict[str, Any]) -> str:
    return f"%: {as_json(parts)}"


def _remark(clause: Clause) -> str:
    """The numeric literals of a clause as learned, beside their integers."""
    numeric = [str(literal) for literal in clause.literals if isinstance(literal.value, float)]
    return f"  % {commented(', '.join(numeric))}" if numeric else ""
