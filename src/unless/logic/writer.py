"""What writing a program for any engine shares: clauses in the exclusive form, and the facts of records.

    class(X,"1") :- rule2(X), not rule1(X).
    rule2(X) :- record(X), flavanoids(X,N0), N0 > 203, not ab1(X).

Every body that negates starts with what makes negation safe, mostly ``record(X)``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator

from unless.errors import ProgramError, UnknownNameError, suggest
from unless.export.clauses import Clause, Spelling, exclusive, flatten
from unless.logic.names import StandIns
from unless.logic.predicates import Feature, vocabulary
from unless.rule import Literal, Operator, Program
from unless.table import Column, Table
from unless.values import Label

_TOO_LARGE = 10**400
"""Python refuses to print much larger integers."""


class Writer(ABC):
    """Writes one program for one engine; subclasses say how that engine spells numbers and texts."""

    def __init__(self, program: Program, stand_ins: StandIns, avoided: Collection[str] = ()) -> None:
        self.program = program
        self.words = vocabulary(program, avoided)
        self.stand_ins = stand_ins
        self._place = {name: place for place, name in enumerate(program.features)}

    @abstractmethod
    def _quoted(self, text: str) -> str:
        """Spell a text that the engine can hold."""

    @abstractmethod
    def _numeral(self, label: float) -> str:
        """Spell a label that is a number."""

    @abstractmethod
    def _cell(self, feature: Feature, number: float, /) -> str:
        """Spell a number of a feature in a fact."""

    @abstractmethod
    def _bound(self, feature: Feature, op: Operator, number: float, /) -> str:
        """Spell what follows the variable in a comparison: ``> 203``."""

    def clauses(self) -> Iterator[Clause]:
        """The program in the exclusive form, then when a cell is present: if there is a number or a text."""
        spelling = Spelling(self._head, self.goals, record=("record(X)",))
        yield from exclusive(flatten(self.program, exact=True), spelling)
        for feature in self.words.features.values():
            if feature.present:
                yield from (
                    Clause(f"{feature.present}(X)", (f"{name}(X,_)",)) for name in (feature.number, feature.text)
                )

    def facts(self, table: Table) -> Iterator[str]:
        """The records of a table, numbered from 1, and their cells, one predicate after the other."""
        for row in range(1, len(table) + 1):
            yield f"record({row})."
        for feature in self.words.features.values():
            if not (feature.number or feature.text):
                continue
            if feature.name not in table.features:
                hint = suggest(feature.name, table.features)
                raise UnknownNameError(f"the program uses {feature.name!r}, which the table lacks{hint}")
            yield from self._cells(feature, table.column(feature.name))

    def _cells(self, feature: Feature, column: Column) -> Iterator[str]:
        codes, first = column.codes.tolist(), len(column.numbers)
        used = set(codes) - {column.missing}
        if feature.number:
            numbers = {code: self._cell(feature, float(column.numbers[code])) for code in used if code < first}
            yield from _rows(feature.number, codes, numbers)
        if feature.text:
            texts = {code: self.text(column.categories[code - first]) for code in used if code >= first}
            yield from _rows(feature.text, codes, texts)

    def goals(self, literal: Literal) -> list[str]:
        """The goals of a literal: one, or two where a number is compared."""
        feature = self.words.features[literal.feature]
        if isinstance(literal.value, float):
            variable = f"N{self._place[literal.feature]}"
            return [f"{feature.number}(X,{variable})", f"{variable} {self._bound(feature, literal.op, literal.value)}"]
        holds = "" if literal.op in {"==", "present"} else "not "
        if literal.value is None:
            return [f"{holds}{feature.present}(X)"]
        return [f"{holds}{feature.text}(X,{self.text(literal.value)})"]

    def term(self, label: Label) -> str:
        """A label."""
        match label:
            case str():
                return self.text(label)
            case bool():
                return str(label).lower()
            case int() if abs(label) >= _TOO_LARGE:
                raise ProgramError("a label has more than 400 digits; use text instead")
        return self._numeral(label)

    def text(self, text: str) -> str:
        """A text, or its stand-in."""
        return self.stand_ins.spell(text, self._quoted)

    def _head(self, label: Label) -> str:
        return f"{self.words.target}(X,{self.term(label)})"


def _rows(predicate: str, codes: list[int], values: dict[int, str]) -> Iterator[str]:
    return (f"{predicate}({row},{values[code]})." for row, code in enumerate(codes, 1) if code in values)
