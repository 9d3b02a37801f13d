"""The interface to the SQL of a database: numbers, texts, times, and texts that represent numbers or times.

Methods return sqlglot trees. `Dialect` implements them for DuckDB; `dialects` has the other databases.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence

from sqlglot import exp
from sqlglot.dialects.dialect import DialectType

from unless.export.sql_tree import DOUBLE, TEXT, all_of, cases, cases_or_null, cast, fill_template, matches, with_sign
from unless.values.spelling import CONTROLS

LARGEST = sys.float_info.max
SMALLEST = 5e-324
_NUMBER = "[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?"
"""Matches the cells that `values.number_in` takes for numbers, apart from spaces and size."""

_MINUTES = ":[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?"
_CLOCK = f"([01][0-9]|2[0-3]){_MINUTES}"
_DAY = (
    "[0-9]{4}-(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])"
    "|[0-9]{4}-(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    "|[0-9]{4}-02-(0[1-9]|1[0-9]|2[0-8])"
    "|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29"
)
"""Matches the cells that are times of the day and days to `notation`, apart from spaces and the year 0."""

TIMES = {
    "date": exp.DataType(this=exp.DataType.Type.DATE),
    "timestamp": exp.DataType(this=exp.DataType.Type.TIMESTAMP),
    "timestamp_ns": exp.DataType(this=exp.DataType.Type.TIMESTAMP),
    "timestamptz": exp.DataType(this=exp.DataType.Type.TIMESTAMPTZ),
    "time": exp.DataType(this=exp.DataType.Type.TIME),
}
_INTERVAL = {"interval": exp.DataType(this=exp.DataType.Type.INTERVAL)}


class Dialect:
    """The SQL of DuckDB; other databases override the differences."""

    name = "duckdb"
    nan_is_high = True
    """Whether NaN can be stored, equals itself, and is above every number."""
    infinity: str | None = "Infinity"
    """The text of an infinite double; None if the database has no infinite doubles."""
    unquotable: tuple[str, ...] = ("\0",)
    """Characters that sqlglot does not escape between quotes: a text with any of them is written as bytes."""
    spells_bytes = True
    """Texts can be written as bytes, which is needed for texts that would move the cursor of a terminal."""
    holds_nul = True
    """Whether a text can hold the character NUL."""
    fence = ""
    """The end of a subquery that keeps it from being merged into the outer query, which would repeat its expressions
    wherever their names are used."""
    at_once: int | None = 10
    """The number of lists of a committee that are decided in one step of a query; None for all.

    DuckDB's time to plan a step grows with the square of its conditions: 30 s for 100 lists of 20 rules at once,
    5 s for ten of them at a time."""
    excludes = True
    """Whether `SELECT *` can leave out columns: SELECT * EXCLUDE (a, b)."""
    number_types: tuple[str, ...] = ("DOUBLE", "FLOAT", "BIGINT", "INTEGER")
    """Types of numbers, as TYPEOF names them; empty if no number can be infinite or NaN."""
    sees_out = True
    """Whether a subquery inside a subquery can use the columns of the query around both."""
    times: Mapping[str, exp.DataType] = TIMES | _INTERVAL
    """The types of columns that hold time, by kind."""
    finer: tuple[str, ...] = ("timestamp_ns",)
    """The kinds whose cells can be finer than microseconds."""
    zone = "Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9]"
    """The time zones that a text may end in: all that are in use."""
    moved = (
        "REGEXP_MATCHES(cell, '[Z+]|-[0-9]{2}:?[0-9]{2} *$')",
        "STRFTIME(CAST(TRIM(cell) AS TIMESTAMPTZ) AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M:%S.%f')",
    )
    """The condition that a text ends in a zone, and the text in UTC; DuckDB cuts off digits finer than microseconds."""
    reads_times = True
    """Whether text can be read as time."""
    folds_case = True
    """Whether the names "Age" and "age" are one column."""
    whole_pattern: str | None = None
    """The regular expression for a pattern between spaces; None to use REGEXP_FULL_MATCH."""

    @property
    def syntax(self) -> DialectType:
        """The dialect's name in sqlglot."""
        return self.name

    def has_name(self, name: str) -> bool:
        """Whether a column can have the name."""
        return bool(name) and "\0" not in name and self.text(name) is not None

    def fold_name(self, name: str) -> str:
        """Return the name of a column as the database sees it."""
        return name.lower() if self.folds_case else name

    # Numbers and booleans.

    def double_label(self, number: float) -> exp.Expression | None:
        """Write a double as a label; None if the database has no infinite doubles."""
        if math.isfinite(number):
            return self.double_literal(number)
        return None if self.infinity is None else self.infinite_double(number)

    def infinite_double(self, number: float) -> exp.Expression:
        """Write an infinite double."""
        return cast(exp.Literal.string(f"{'-' if number < 0 else ''}{self.infinity}"), DOUBLE)

    def double_literal(self, number: float) -> exp.Expression:
        """Write a finite double, exact to the last bit: with an exponent it is read as a double, without as decimal."""
        text = repr(abs(number))
        return with_sign(exp.Literal.number(text if "e" in text else f"{text}E0"), number)

    def compared_number(self, number: float) -> exp.Expression:
        """Write a finite number that a numeric column may equal."""
        return self.double_literal(number)

    def limit(self, bound: float) -> tuple[exp.Expression, bool]:
        """Return the value to compare a numeric column with, and whether a cell equal to it is at most the bound.

        Minus infinity is not written: it is the value below the lowest double.
        """
        return (self.double_literal(-LARGEST), False) if bound == -math.inf else (self.double_literal(bound), True)

    def is_nan(self, column: exp.Expression) -> exp.Expression | None:
        """Write that the numeric column holds NaN; None if it cannot."""
        if not self.nan_is_high:
            return None
        return exp.EQ(this=column, expression=cast(exp.Literal.string("NaN"), DOUBLE))

    def comparable_column(self, column: exp.Expression) -> exp.Expression:
        """Write a numeric column to compare with a double, so that integers, decimals and short floats are widened."""
        return column

    def boolean(self, *, truth: bool) -> exp.Expression:
        """Write a truth value, as a label or to compare a column with."""
        return exp.Boolean(this=truth)

    # Texts.

    def text(self, text: str) -> exp.Expression | None:
        """Write a text; None if no column can hold it."""
        if re.search("[\ud800-\udfff]", text) or ("\0" in text and not self.holds_nul):
            return None  # half of a surrogate pair has no bytes
        hidden = self.spells_bytes and CONTROLS.search(text)
        return (
            self.from_bytes(text) if hidden or any(part in text for part in self.unquotable) else self.quote_text(text)
        )

    def quote_text(self, text: str) -> exp.Expression:
        """Write a text between quotes."""
        return exp.Literal.string(text)

    def from_bytes(self, text: str) -> exp.Expression:
        """Write a text given by its bytes."""
        return exp.Anonymous(this="DECODE", expressions=[exp.Unhex(this=exp.Literal.string(text.encode().hex()))])

    def as_text(self, column: exp.Expression) -> exp.Expression:
        """Write a cell as text, in the database's own format."""
        return cast(column, TEXT)

    def equality_sides(self, column: exp.Expression, text: exp.Expression) -> tuple[exp.Expression, exp.Expression]:
        """Convert a text column and a text so that ``=`` compares them character by character."""
        return column, text

    def is_member(self, column: exp.Expression, texts: Sequence[exp.Expression]) -> exp.Expression:
        """Write that the text column equals one of some texts."""
        left, rights = column, [self.equality_sides(column, text)[1] for text in texts]
        return exp.In(this=self.equality_sides(left, texts[0])[0], expressions=rights)

    # Text that may represent a number or a time.

    def not_matching(self, column: exp.Expression, pattern: str, characters: str) -> list[exp.Expression]:  # noqa: ARG002 - for some
        """Write conditions on a text cell: one of them holds if the cell, apart from spaces, does not match a pattern.

        ``characters`` are the characters that a matching cell may contain, as inside brackets.
        """
        if self.whole_pattern is not None:
            return [exp.Not(this=matches(column, self.whole_pattern.format(pattern)))]
        whole = exp.Literal.string(f" *({pattern}) *")
        return [exp.Not(this=exp.Anonymous(this="REGEXP_FULL_MATCH", expressions=[column, whole]))]

    def not_a_number(self, column: exp.Expression) -> list[exp.Expression]:
        """Write conditions on a text cell: one of them holds if the cell does not represent a number."""
        return self.not_matching(column, _NUMBER, "0-9.eE+ -")

    def time(self, column: exp.Expression) -> exp.Expression:
        """Write the time of the day in a cell, as a text to compare; NULL for other cells."""
        wrong = self.not_matching(column, f"[0-9]{_MINUTES}|{_CLOCK}", "0-9.: ")
        short = exp.Like(this=exp.Trim(this=column.copy()), expression=exp.Literal.string("_:%"))
        padded = fill_template("CONCAT('0', TRIM(cell))", self.name, column)
        return cases([*((one, exp.Null()) for one in wrong), (short, padded), (None, exp.Trim(this=column.copy()))])

    def moment(self, column: exp.Expression) -> exp.Expression:
        """Write the moment in a cell, as a text to compare; NULL for other cells.

        The text is in UTC, without a zone, and has a space before the time.
        """
        wrong = self.not_matching(column, f"({_DAY})([T ]{_CLOCK}({self.zone})?)?", "0-9.:TZ+ -")
        zero = exp.Like(this=exp.Trim(this=column.copy()), expression=exp.Literal.string("0000%"))
        moved = (fill_template(self.moved[0], self.name, column), fill_template(self.moved[1], self.name, column))
        plain = fill_template("REPLACE(TRIM(cell), 'T', ' ')", self.name, column)
        return cases([*((one, exp.Null()) for one in (*wrong, zero)), moved, (None, plain)])

    # Columns of any type, whose cells may be numbers or represent numbers.

    def value(self, column: exp.Expression) -> exp.Expression:
        """Write the number in a cell of any type, as a double; NULL for other cells."""
        number, numeric = cast(column, DOUBLE), self.is_numeric_cell(column)
        arms: list[tuple[exp.Expression, exp.Expression]] = []
        if numeric is not None:
            nan = cast(exp.Literal.string("NaN"), DOUBLE)
            arms.append((numeric, exp.Nullif(this=number, expression=nan) if self.nan_is_high else number))
        arms += [(condition, exp.Null()) for condition in self.not_a_number(self.cell_as_text(column))]
        return cases_or_null([*arms, *self.read(column)])

    def read(self, column: exp.Expression) -> list[tuple[exp.Expression, exp.Expression]]:
        """List the doubles that a cell may hold if it looks like a number, each with its condition."""
        number, ends = (
            self.cast_to_double(column),
            (self.value_bound(-LARGEST, column), self.value_bound(LARGEST, column)),
        )
        return [(exp.Between(this=number, low=ends[0], high=ends[1]), number.copy())]

    def cast_to_double(self, column: exp.Expression) -> exp.Expression:
        """Write the double in a cell that looks like a number; infinite, or NULL, if it is too large."""
        return cast(column, DOUBLE)  # spaces around it are skipped

    def value_bound(self, number: float, column: exp.Expression) -> exp.Expression:  # noqa: ARG002 - for SQLite
        """Write a double to compare the `value` of a column with."""
        return self.double_literal(number)

    def is_numeric_cell(self, column: exp.Expression) -> exp.Expression | None:
        """Write that the column has a numeric type, at least one with NaN or infinities, whose texts are not numbers.

        None if no type has these values: then every number is read from its text.
        """
        if not self.number_types:
            return None
        types = [exp.Literal.string(name) for name in self.number_types]
        return exp.In(this=exp.Anonymous(this="TYPEOF", expressions=[column]), expressions=types)

    def is_any_nan(self, column: exp.Expression) -> exp.Expression | None:
        """Write that a cell of any type is NaN, not a text that looks like NaN; None if that is impossible."""
        numeric = self.is_numeric_cell(column)
        if numeric is None:
            return None
        nan = exp.EQ(this=exp.Lower(this=self.as_text(column)), expression=exp.Literal.string("nan"))
        return all_of(numeric, nan)

    def cell_as_text(self, column: exp.Expression) -> exp.Expression:
        """Write a cell of a column of any type as a text."""
        return self.as_text(column)
