"""Find the types of the columns of a text file for typed formats: numbers become typed, and no cell changes.

A column is written as numbers if every cell is missing or a plain number that reads back unchanged. A name such as 007,
or a number that no type represents (1e400, or more digits than float64 has), makes the whole column text. Columns that
the model reads as text or mixed, and labels that are text, also stay text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from unless.errors import ReadError
from unless.libraries import pl
from unless.model import Model, model_of, program_of
from unless.read.batches import TextBatch
from unless.read.dialect import PLAIN_NUMERALS, Numerals
from unless.read.text_cells import missing_to_null, to_plain_numerals
from unless.rule import Program
from unless.table import Schema
from unless.values import parse_number

_PLAIN = r"^ *[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)? *$"
_WHOLE = r"^ *(?:[+-]?[1-9][0-9]*|\+?0) *$"  # minus zero is a float
_SURE = 15  # float64 represents every number of this many digits


@dataclass(frozen=True, slots=True)
class NumberFit:
    """The types that represent all numbers of a column, and whether it has any."""

    whole: bool = True
    floats: bool = True
    any: bool = False

    def __and__(self, other: NumberFit) -> NumberFit:
        return NumberFit(self.whole and other.whole, self.floats and other.floats, self.any or other.any)


@dataclass(frozen=True, slots=True)
class NumberColumns:
    """The columns of a text file, or of several parts, that may be numbers, and how their cells are read."""

    fits: Mapping[str, NumberFit]
    known: frozenset[str] = frozenset()
    """The columns that are numbers in the model, even if all their cells are missing."""
    missing: tuple[str, ...] = ()
    """The texts that mean a missing cell, without those that spell numbers."""
    numerals: Numerals = field(default=PLAIN_NUMERALS)

    @classmethod
    def find(cls, batches: Iterable[TextBatch], model: Model | Program) -> NumberColumns:
        """Find the columns that may be numbers in batches of a text file."""
        found: NumberColumns | None = None
        for batch in batches:
            if found is None:
                found = cls._candidates(batch, model)
            if not found.fits:
                break
            frame = batch.texts(list(found.fits))
            fits = {name: _find_fit(found.cells(frame.get_column(name))) for name in found.fits}
            found &= cls(fits, found.known, found.missing, batch.dialect.numerals)
        return found or cls({})

    @classmethod
    def _candidates(cls, batch: TextBatch, model: Model | Program) -> NumberColumns:
        """Find the columns that may become numbers, before their cells are inspected."""
        known = model_of(model)
        schema = Schema({}) if known is None else known.schema
        texts = _text_columns(model, schema)
        numbers = frozenset(name for name, kind in schema.kinds.items() if kind == "number")
        missing = tuple(token for token in schema.missing if parse_number(token) is None)
        return cls(
            {name: NumberFit() for name in batch.names if name not in texts}, numbers, missing, batch.dialect.numerals
        )

    def __and__(self, other: NumberColumns) -> NumberColumns:
        both = {name: fit & other.fits[name] for name, fit in self.fits.items() if name in other.fits}
        fits = {name: fit for name, fit in both.items() if fit.whole or fit.floats}
        return NumberColumns(fits, self.known, self.missing, other.numerals)

    def cells(self, texts: pl.Series) -> pl.Series:
        """Convert the cells of a column to Python's numerals, without spaces; missing cells are null."""
        present = missing_to_null(texts, self.missing)
        return pl.select(to_plain_numerals(pl.lit(present), self.numerals).str.strip_chars(" ")).to_series()

    def convert(self, frame: pl.DataFrame, where: str) -> pl.DataFrame:
        """Convert the columns of a frame of text whose cells are all numbers."""
        columns = {name: frame.get_column(name) for name in frame.columns}
        for name, fit in self.fits.items():
            if fit.any or name in self.known:
                texts = self.cells(columns[name])
                columns[name] = texts.cast(pl.Int64 if fit.whole and fit.any else pl.Float64, strict=False)
                if columns[name].null_count() > texts.null_count():
                    raise ReadError(f"{where}: the column {name!r} changed while the file was read; try again")
        return pl.DataFrame(columns)


def _text_columns(model: Model | Program, schema: Schema) -> set[str]:
    """Find the columns that stay text whatever their cells: the model would read them differently as numbers."""
    program = program_of(model)
    texts = {name for name, kind in schema.kinds.items() if kind != "number"}
    if not schema.kinds:
        texts = {literal.feature for literal in program.literals() if isinstance(literal.value, str)}
    return texts | ({program.target} if any(isinstance(label, str) for label in program.heads) else set())


def _find_fit(cells: pl.Series) -> NumberFit:
    """Find the types that represent all numbers exactly, if all non-null cells are plain numbers."""
    texts = cells.drop_nulls().unique()
    if not texts.str.contains(_PLAIN).all():
        return NumberFit(whole=False, floats=False)
    whole = bool(texts.str.contains(_WHOLE).all()) and not texts.cast(pl.Int64, strict=False).null_count()
    return NumberFit(whole, _are_kept_exactly(texts), len(texts) > 0)


def _are_kept_exactly(texts: pl.Series) -> bool:
    """Whether float64 represents these numbers to the last written digit."""
    numbers = texts.cast(pl.Float64, strict=False)
    if numbers.null_count() or not numbers.is_finite().all():
        return False
    doubtful = (texts.str.len_bytes() > _SURE) | texts.str.contains("[eE]")
    long, again = texts.filter(doubtful), numbers.filter(doubtful).cast(pl.String)
    return all(Decimal(text) == Decimal(repr(float(text))) for text in long.filter(long != again).to_list())
