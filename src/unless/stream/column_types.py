"""The types of a text file's columns, for formats that have types: numbers are numbers, but no cell changes.

A column is written as numbers if every cell is a plain number that comes back the same, or is missing. Names such as
007, and numbers that no type holds (1e400, or more digits than float64 has), keep their whole column text. So do the
columns that the model reads as text, or as text and numbers, and labels that are text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Protocol

from unless.errors import ReadError
from unless.model import Model, model_of, program_of
from unless.read.dialect import PLAIN_NUMERALS, Numerals
from unless.rule import Program
from unless.table import Schema
from unless.values import parse_number
from unless.values.spelling import SURROGATE

if TYPE_CHECKING:
    import polars as pl

_PLAIN = r"^ *[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)? *$"
_WHOLE = r"^ *(?:[+-]?[1-9][0-9]*|\+?0) *$"  # minus zero is a float
_SURE = 15  # float64 gives back every number of so many digits


class _Pieces(Protocol):
    @property
    def names(self) -> Collection[str]: ...
    @property
    def numerals(self) -> Numerals: ...
    def texts(self, names: Collection[str]) -> pl.DataFrame: ...


@dataclass(frozen=True, slots=True)
class Types:
    """The columns of a text file that hold numbers, with their types, and the texts that are missing cells there."""

    numbers: Mapping[str, pl.DataType | type[pl.DataType]]
    missing: tuple[str, ...]
    numerals: Numerals = PLAIN_NUMERALS

    def typed(self, frame: pl.DataFrame, where: str) -> pl.DataFrame:
        """A frame of text, with numbers in the columns that hold them."""
        import polars as pl

        columns = {name: frame.get_column(name) for name in frame.columns}
        for name, dtype in self.numbers.items():
            texts = _plainly(_present(columns[name], self.missing), self.numerals)
            columns[name] = texts.str.strip_chars(" ").cast(dtype, strict=False)
            if columns[name].null_count() > texts.null_count():
                raise ReadError(f"{where}: the column {name!r} changed while the file was read; try again")
        return pl.DataFrame(columns)


def types_of(pieces: Iterable[_Pieces], model: Model | Program) -> Types:
    """The types of the columns of a text file, given all its pieces."""
    return survey_of(pieces, model).types(model)


def survey_of(pieces: Iterable[_Pieces], model: Model | Program) -> Survey:
    """Which columns of some pieces of text may be numbers."""
    schema = _schema_of(model)
    missing = _missing_in(schema)
    found: dict[str, _Numbers] | None = None
    numerals = PLAIN_NUMERALS
    for piece in pieces:
        if found is None:
            texts = _text_columns(model, schema)
            found = {name: _Numbers() for name in piece.names if name not in texts}
        if not found:
            break
        frame = piece.texts(list(found))
        numerals = piece.numerals
        cells = {name: _plainly(_present(frame.get_column(name), missing), numerals) for name in found}
        looked = {name: numbers & _numbers(cells[name]) for name, numbers in found.items()}
        found = {name: numbers for name, numbers in looked.items() if numbers.whole or numbers.floats}
    return Survey(found or {}, numerals)


@dataclass(frozen=True, slots=True)
class Survey:
    """The columns of some text that may be numbers, and how its numbers are written."""

    numbers: Mapping[str, _Numbers]
    numerals: Numerals

    def __and__(self, other: Survey) -> Survey:
        both = {name: own & other.numbers[name] for name, own in self.numbers.items() if name in other.numbers}
        return Survey({name: own for name, own in both.items() if own.whole or own.floats}, self.numerals)

    def types(self, model: Model | Program) -> Types:
        """The types of the columns, if this is all their text."""
        import polars as pl  # takes 0.1 s

        schema = _schema_of(model)
        known = {name for name, kind in schema.kinds.items() if kind == "number"}
        return Types(
            {
                name: pl.Int64 if numbers.whole and numbers.any else pl.Float64
                for name, numbers in self.numbers.items()
                if numbers.any or name in known
            },
            _missing_in(schema),
            self.numerals,
        )


def _schema_of(model: Model | Program) -> Schema:
    known = model_of(model)
    return Schema({}) if known is None else known.schema


def _missing_in(schema: Schema) -> tuple[str, ...]:
    """The texts that mean a missing cell, but for numbers."""
    return tuple(token for token in schema.missing if parse_number(token) is None)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What is known of a column: whether Int64 and Float64 hold all its cells, and whether it has any."""

    whole: bool = True
    floats: bool = True
    any: bool = False

    def __and__(self, other: _Numbers) -> _Numbers:
        return _Numbers(self.whole and other.whole, self.floats and other.floats, self.any or other.any)


def _text_columns(model: Model | Program, schema: Schema) -> set[str]:
    """The columns that stay text, whatever their cells look like: with numbers, the model would read them otherwise."""
    program = program_of(model)
    texts = {name for name, kind in schema.kinds.items() if kind != "number"}
    if not schema.kinds:
        literals = (literal for rule in program.rules for literal in rule.literals())
        texts = {literal.feature for literal in literals if isinstance(literal.value, str)}
    return texts | ({program.target} if any(isinstance(label, str) for label in program.heads) else set())


def _present(texts: pl.Series, missing: Collection[str]) -> pl.Series:
    """The texts, with null for those that mean a missing cell; no text of a file has half a surrogate pair."""
    meant = [token for token in missing if not SURROGATE.search(token)]
    return texts.set(texts.is_in(meant), None) if meant else texts


def _plainly(texts: pl.Series, numerals: Numerals) -> pl.Series:
    """The texts, with numbers as Python writes them; where the decimal sign is a comma, 1.5 is no number."""
    if numerals.thousands:
        grouped = texts.str.contains(f"^ *(?:{numerals.grouped.pattern}) *$").fill_null(value=False)
        whole = texts.str.replace_all(numerals.thousands, "", literal=True)
        texts = whole.zip_with(grouped, texts)
    if numerals.decimal == ".":
        return texts
    plain = texts.str.replace_all(numerals.decimal, ".", literal=True)
    return plain.set(texts.str.contains(".", literal=True).fill_null(value=False), "no number")


def _numbers(cells: pl.Series) -> _Numbers:
    """Whether the cells that are not null are plain numbers that come back the same."""
    import polars as pl

    texts = cells.drop_nulls().unique()
    if not texts.str.contains(_PLAIN).all():
        return _Numbers(whole=False, floats=False)
    bare = texts.str.strip_chars(" ")
    whole = bool(texts.str.contains(_WHOLE).all()) and not bare.cast(pl.Int64, strict=False).null_count()
    return _Numbers(whole, _come_back(bare), len(texts) > 0)


def _come_back(texts: pl.Series) -> bool:
    """Whether float64 holds these numbers to the last digit that is written."""
    import polars as pl

    numbers = texts.cast(pl.Float64, strict=False)
    if numbers.null_count() or not numbers.is_finite().all():
        return False
    doubtful = (texts.str.len_bytes() > _SURE) | texts.str.contains("[eE]")
    long, again = texts.filter(doubtful), numbers.filter(doubtful).cast(pl.String)
    return all(Decimal(text) == Decimal(repr(float(text))) for text in long.filter(long != again).to_list())
