"""Select the functions that an exported program needs to read cells like `values.cell_value` and `value_in_notation`.

`cell_sources` provides their source. A function contains only the readers that its program needs: without dates, times,
durations and orders, only ``value`` and ``number``; the reader of a notation turns cells in this notation into numbers,
and all others into text.

A model records how the columns of training were read (`TrainedColumns`), and `read.column_inference` defines how cells
of other types are read there. A model's function has readers for that too: "3" is a number in a column of numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from unless.export.sql_times import equal_bounds
from unless.model import model_of
from unless.rule import Literal, Program
from unless.rule.program import cells_compared_with
from unless.table import Schema, Table
from unless.values import DEFAULT_MISSING, EARLIER_MISSING
from unless.values.notation import (
    DATETIME,
    DURATION,
    INSTANT,
    TIME,
    Amounts,
    DateNotation,
    LevelNotation,
    Notation,
    TimeNotation,
)


@dataclass(frozen=True, slots=True)
class CellReader:
    """A function that turns a date, a time, a level or an amount into a number."""

    name: str
    argument: object = None

    def call(self, value: str, spell: str) -> str:
        """Write a call with a value and, in the syntax of the language, the argument."""
        return f"{self.name}({value}{f', {spell}' if self.argument is not None else ''})"


@dataclass(frozen=True, slots=True)
class TrainedColumns:
    """How a model read the columns of its training data, and the values of these columns."""

    schema: Schema
    domain: Table

    @classmethod
    def of(cls, model: object) -> TrainedColumns | None:
        """Return the columns that a model was trained on; None for a program or a committee alone."""
        known = model_of(model)
        return None if known is None else cls(known.schema, known.domain)

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the texts that the caller declared as missing, as in `read_table`; records may have them too."""
        return () if self.schema.missing in (DEFAULT_MISSING, EARLIER_MISSING) else self.schema.missing

    def readers(self, feature: str, tested: Collection[str]) -> Iterator[CellReader]:
        """Return the functions that read a cell without a notation, in order; rules compare the texts ``tested``."""
        from unless.read.column_inference import (  # 20 ms that a program alone does not need
            flag_names,
            known_spellings,
            numbers_spelled,
        )

        if any(map(_is_time, (*tested, *self.missing))):
            yield CellReader("written")
        if self.missing:
            yield from _missing_readers(self.missing, sorted(numbers_spelled(self.missing)))
        categories = {column.name: column.categories for column in self.domain.columns}.get(feature)
        if isinstance(unit := self.schema.notations.get(feature), Amounts):
            yield CellReader("amount", [unit.pattern, unit.thousands, unit.decimal])
        if self.schema.kinds[feature] != "text":
            yield CellReader("measure" if categories == () else "numeral")
            if special := self.schema.special.get(feature):
                yield CellReader("code", dict(special))
            return
        yield CellReader("spelled")
        if categories and (names := flag_names(categories)):
            yield CellReader("flag", [names[False], names[True]])
        elif categories and (same := known_spellings(_other_spellings(tested), self.domain.column(feature))):
            yield CellReader("same", same)


def _other_spellings(texts: Iterable[str]) -> list[str]:
    """Map other forms of texts to the texts of training: 3.0 is 3 if training had only 3."""
    return sorted({twin for text in texts for twin in (text, f"{text}.0", text.removesuffix(".0"))})


def find_cell_readers(
    program: Program, training: TrainedColumns | None = None, amounts: Collection[str] = ()
) -> dict[str, list[CellReader]]:
    """Find the readers of each feature, in the order of calls: by notation, as in training, or for texts of times.

    ``amounts`` are further columns of numbers.
    """
    notations = {**(training.schema.notations if training else {}), **program.notations}
    found: dict[str, list[CellReader]] = {}
    tested: dict[str, list[Literal]] = {one: [] for one in amounts}
    for feature, literals in (tested | program.literals_by_feature()).items():
        texts = {literal.value for literal in literals if isinstance(literal.value, str)}
        notation = notations.get(feature)
        if notation is not None and not notation.plain:
            missing = training.missing if training else ()
            found[feature] = [*_missing_readers(missing), _notation_reader(notation)]
        elif training is not None and feature in training.schema.kinds:
            found[feature] = list(training.readers(feature, sorted(texts)))
        elif isinstance(notation, Amounts):
            found[feature] = [CellReader("amount", [notation.pattern, notation.thousands, notation.decimal])]
        else:
            found[feature] = [CellReader("written")] if any(map(_is_time, texts)) else []
            if (form := "number" if feature in amounts else cells_compared_with(literals)) is not None:
                found[feature].append(CellReader("numeral" if form == "number" else "spelled"))
    return found


def _missing_readers(missing: Sequence[str], numbers: Sequence[float] = ()) -> Iterator[CellReader]:
    """Return the readers that recognise missing cells; a space matches any number of spaces."""
    if " " in missing:
        yield CellReader("blank")
    if missing:
        yield CellReader("known", [*missing, *numbers])


def _notation_reader(notation: Notation) -> CellReader:
    match notation:
        case DateNotation():
            return CellReader("moment", notation.format)
        case LevelNotation():
            return CellReader("level", list(notation.levels))
        case TimeNotation():
            return CellReader("clock")
    return CellReader("duration")


def _is_time(text: str) -> bool:
    """Whether a text can be a date, a time or a duration."""
    return any(equal_bounds(notation, text) is not None for notation in (DATETIME, INSTANT, TIME, DURATION))
