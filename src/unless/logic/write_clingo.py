"""Programs for clingo, exactly: thresholds are never rounded, values never spelled anew.

What clingo cannot spell (names of columns, decimals, labels that are not text) stands in comments that begin with
``%:`` and hold one JSON object each; `from_clingo` reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless.errors import ProgramError
from unless.logic.integers import HIGHEST, Decimals, Ranks
from unless.logic.names import StandIns, as_json, clingo_string, commented
from unless.logic.predicates import Clause, Feature, Vocabulary, Words, clauses, facts, helpers, vocabulary
from unless.logic.run import atoms, clingo, grounded
from unless.rule import Literal, Program
from unless.values import Label, number_data

if TYPE_CHECKING:
    from unless.table import Table

__all__ = ["FIRST_LINE", "LABEL_KINDS", "run_clingo", "to_clingo"]

FIRST_LINE = "% unless-program 2"
LABEL_KINDS = {str: "text", bool: "boolean", int: "number", float: "number"}

_BATCH = 2000
"""Records per run: memory stays bounded, and as each run numbers its records from 1, clingo interns no new ones."""


def to_clingo(program: Program, table: Table | None = None) -> str:
    """The program in clingo's language, in the mutually exclusive form; with a table also the facts of its records.

    ``class(5,"2")`` in the answer means that record 5 (the first is 1) has label 2. Numbers of a feature are integers
    there, made so that every comparison comes out as with the numbers themselves. The text is a whole program, and
    ``from_clingo(to_clingo(program)) == program``.
    """
    writer = _Writer(program)
    rules = writer.rules()
    records = [] if table is None else [*writer.facts(table)]
    return "\n".join([FIRST_LINE, *writer.header(), *rules, *records]) + "\n"


def run_clingo(program: Program, table: Table) -> NDArray[np.object_]:
    """The label of every row, as clingo derives it: what `unless.predict` gives, by way of a logic engine.

    For checking and for reasoning on; `unless.predict` is more than a thousand times faster (on cars and on anneal).
    """
    out = np.full(len(table), None, dtype=object)
    writer = _Writer(program)
    rules = "\n".join(writer.rules())
    for start in range(0, len(table), _BATCH):
        batch = "\n".join(writer.facts(table[start : start + _BATCH]))
        for row, label in _derived(f"{rules}\n{batch}", writer):
            if out[start + row - 1] is not None:
                raise ProgramError(f"record {start + row} has two labels: {out[start + row - 1]!r} and {label!r}")
            out[start + row - 1] = label
    if not len(table):
        list(writer.facts(table))  # a column that lacks is an error in an empty table too
    return out


def _derived(text: str, writer: _Writer) -> Iterator[tuple[int, Label]]:
    control = grounded(lambda control: control.add("base", [], text))
    labels = {clingo().parse_term(writer.term(label)): label for label in writer.labels}
    for row, term in atoms(control, writer.words.target, 2):
        yield row.number, labels[term]


class _Writer:
    """Spells one program; keeps the stand-ins that its texts, and those of its records, need."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.words: Vocabulary = vocabulary(program)
        self.stand_ins = StandIns()
        labels = program.labels
        self.labels = [label for label in labels if label is not None]
        self._place = {name: place for place, name in enumerate(program.features)}

    def rules(self) -> list[str]:
        lines = [str(clause) + _remark(clause) for clause in self._clauses()]
        return lines + [str(clause) for clause in helpers(self.words)]

    def facts(self, table: Table) -> Iterator[str]:
        return facts(self.words, table, lambda feature, number: str(_code(feature, number)), self.text)

    def header(self) -> Iterator[str]:
        kind = LABEL_KINDS[type(self.labels[0])] if self.labels else "text"
        yield _comment({"target": self.program.target, "predicate": self.words.target, "labels": kind})
        yield from (_comment(_described(feature)) for feature in self.words.features.values())
        yield from (_comment({"stand_in": name, "text": text}) for text, name in self.stand_ins.texts.items())

    def term(self, label: Label) -> str:
        match label:
            case str():
                return self.text(label)
            case bool():
                return str(label).lower()
            case int() if abs(label) <= HIGHEST:
                return str(label)
            case int() if abs(label) >= 10**400:
                raise ProgramError("a label has more than 400 digits; use text instead")
        return clingo_string(repr(label))

    def text(self, text: str) -> str:
        return self.stand_ins.spell(text, clingo_string)

    def goals(self, literal: Literal) -> list[str]:
        feature = self.words.features[literal.feature]
        if isinstance(literal.value, float):
            variable, code = f"N{self._place[literal.feature]}", _code(feature, literal.value)
            test = f"{variable} > {code}" if literal.op == ">" else f"{variable} < {code + 1}"
            return [f"{feature.number}(X,{variable})", test]
        holds = "" if literal.op in {"==", "present"} else "not "
        if literal.value is None:
            return [f"{holds}{feature.present}(X)"]
        return [f"{holds}{feature.text}(X,{self.text(literal.value)})"]

    def _clauses(self) -> Iterator[Clause]:
        return clauses(self.program, Words(self.words.target), self.goals, self.term)


def _code(feature: Feature, number: float) -> int:
    if feature.scale is None:
        raise ProgramError(f"{feature.name!r} has no numbers")  # never: a number has a predicate, and that a scale
    return feature.scale.code(number)


def _described(feature: Feature) -> dict[str, Any]:
    parts: dict[str, Any] = {"feature": feature.name, "number": feature.number, "text": feature.text}
    parts["present"] = feature.present
    match feature.scale:
        case Decimals(places):
            parts["decimals"] = places
        case Ranks(thresholds):
            parts["thresholds"] = [number_data(number) for number in thresholds]
    return {key: value for key, value in parts.items() if value is not None}


def _comment(parts: dict[str, Any]) -> str:
    return f"%: {as_json(parts)}"


def _remark(clause: Clause) -> str:
    """The numeric literals of a clause as they are, beside the integers that stand for them."""
    numeric = [str(literal) for literal in clause.literals if isinstance(literal.value, float)]
    return f"  % {commented(', '.join(numeric))}" if numeric else ""
