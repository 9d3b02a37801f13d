"""Implement the SQL of each database: numbers, texts, time, and text that represents a number or a time.

Every class implements the same few methods with sqlglot trees. The comments state what the engines do (DuckDB 2.0,
SQLite 3.40, PostgreSQL 15, Spark 4 and, for MySQL, MariaDB 10.11 were tried) or what their manuals say (the others).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sqlglot import exp, parse_one
from sqlglot.dialects.dialect import DialectType
from sqlglot.dialects.mysql import MySQL
from sqlglot.dialects.sqlite import SQLite
from sqlglot.generators.mysql import MySQLGenerator

from unless.export.sql_interface import LARGEST, SMALLEST, TIMES, Dialect
from unless.export.sql_tree import (
    DOUBLE,
    TEXT,
    any_of,
    cases,
    cast,
    fill_template,
    in_parentheses,
    is_read_exactly,
    matches,
    read_range,
    try_cast,
    with_sign,
)

_NUMERIC = exp.DataType(this=exp.DataType.Type.DECIMAL)
_BIT = exp.DataType(this=exp.DataType.Type.BIT)
_BLOB = exp.DataType(this=exp.DataType.Type.BLOB)
_LONGEST_NAME = 64  # letters of a name in MySQL and MariaDB
_BINARY = exp.DataType(this=exp.DataType.Type.BINARY)
_UTF8MB4 = parse_one("CAST(x AS CHAR CHARACTER SET utf8mb4)", dialect="mysql").args["to"]
_NVARCHAR = exp.DataType.build("nvarchar(max)", dialect="tsql")
_VARBINARY = exp.DataType.build("varbinary(max)", dialect="tsql")

_MYSQL_TIMES = {"date": TIMES["date"]} | {
    kind: exp.DataType.build(f"{own}(6)", dialect="mysql")  # without the digits, seconds are whole
    for kind, own in {"timestamp": "datetime", "timestamp_ns": "datetime", "time": "time"}.items()
}
_NTZ = exp.DataType(this=exp.DataType.Type.TIMESTAMPNTZ)


def _power(base: str, exponent: str) -> exp.Expression:
    return exp.Pow(this=exp.Literal.number(base), expression=exp.Literal.number(exponent))


_INFINITE = exp.Sub(this=_power("2.0", "1024"), expression=_power("2.0", "970"))
_ZERO = exp.Mul(this=_power("5.0", "1075"), expression=exp.Literal.number("1E-1075"))
_HIGHEST = exp.Sub(this=_INFINITE, expression=exp.Literal.number("1E-16383"))
_LOWEST = exp.Add(this=_ZERO, expression=exp.Literal.number("1E-16383"))
"""The last decimal that is not an infinite double, and the first that is not zero: both can be cast to a double.

The midpoint between a double and the next is read as the even one: 2 ** 1024 - 2 ** 970 is infinity, 2 ** -1075 zero.
No numeric is between these and ours, since it has at most 16383 decimals. Powers of whole numbers are exact.
"""

_ENDS = {
    -math.inf: (exp.Neg(this=in_parentheses(_HIGHEST.copy())), False),
    -SMALLEST: (exp.Neg(this=in_parentheses(_LOWEST.copy())), True),
    0.0: (_LOWEST, False),
    LARGEST: (_HIGHEST, True),
}
"""The thresholds at which a cast of the midpoint to a double would fail, and the result of `Dialect.limit` for them."""


class _Standard(Dialect):
    """SQL that all databases understand, for people to read and copy; `to_sql` does not write it."""

    name = ""
    nan_is_high = False
    unquotable = ()
    spells_bytes = False

    def double_literal(self, number: float) -> exp.Expression:
        return with_sign(exp.Literal.number(repr(abs(number))), number)


class _Postgres(Dialect):
    name = "postgres"
    holds_nul = False
    fence = "OFFSET 0"
    at_once = None
    excludes = False
    whole_pattern = "^ *({}) *$"
    moved = (
        "cell ~ '[Z+]|-[0-9]{2}:?[0-9]{2} *$'",
        """TO_CHAR(CAST(REGEXP_REPLACE(cell, '([.][0-9]{6})[0-9]+', '\\1') AS TIMESTAMPTZ) AT TIME ZONE 'UTC',
            'YYYY-MM-DD HH24:MI:SS.US')""",  # without REGEXP_REPLACE, digits finer than microseconds would be rounded
    )

    def fold_name(self, name: str) -> str:
        return name.encode()[:63].decode(errors="ignore")  # the rest is cut off, with no more than a notice

    def double_literal(self, number: float) -> exp.Expression:
        return cast(exp.Literal.string(repr(number)), DOUBLE)  # 0.1 and 1E-1 are numeric here

    def compared_number(self, number: float) -> exp.Expression:
        return with_sign(exp.Literal.number(repr(abs(number))), number)  # a decimal: a cell of 1e400 is no double

    def limit(self, bound: float) -> tuple[exp.Expression, bool]:
        """Return a decimal, which takes the type of the column: as a double, a cell of 1e400 or 1e-400 is an error.

        A numeric cell still has to compare as the nearest double. So the bound is raised to where the nearest changes:
        ``"n" <= 0.5 + 5.5511151231257827021181583404541015625E-17``. For a column of doubles, the sum is the bound
        again, or the next double if the sum is read as that double: then only cells below it count.
        """
        if bound in _ENDS:
            limit, included = _ENDS[bound]
            return limit.copy(), included
        rest, included = read_range(bound)
        number = with_sign(exp.Literal.number(repr(abs(bound))), bound)
        return exp.Add(this=number, expression=exp.Literal.number(rest)), included

    def is_nan(self, column: exp.Expression) -> exp.Expression:
        return exp.EQ(this=cast(column, TEXT), expression=exp.Literal.string("NaN"))  # no cast of 1e400 to a double

    def from_bytes(self, text: str) -> exp.Expression:
        parts = [exp.Literal.string(text.encode().hex()), exp.Literal.string("hex")]
        decoded = exp.Anonymous(this="DECODE", expressions=parts)
        return exp.Anonymous(this="CONVERT_FROM", expressions=[decoded, exp.Literal.string("UTF8")])

    def read(self, column: exp.Expression) -> list[tuple[exp.Expression, exp.Expression]]:
        """Read exponents first: casts of 1e999 and 1e-999 are errors, and a numeric cannot hold 1e200000."""
        text, zero = self.as_text(column), self.double_literal(0.0)
        size = exp.Abs(this=cast(text, _NUMERIC))
        highest, lowest = _HIGHEST.copy(), _LOWEST.copy()
        decimal = fill_template("CAST(PG_TYPEOF(cell) AS TEXT) = 'numeric' AND NOT cell IS NULL", self.name, column)
        infinite = fill_template(
            "CAST(CASE WHEN CAST(cell AS TEXT) LIKE '-%' THEN '-Infinity' ELSE 'Infinity' END AS FLOAT8)",
            self.name,
            column,
        )
        return [
            (matches(text, "^[^eE]*[1-9][^eE]*[eE][+]?0*[1-9][0-9]{3}"), exp.Null()),
            (matches(text, "[eE][+-]?0*[1-9][0-9]{3}"), zero),
            (exp.LT(this=size, expression=lowest), zero.copy()),
            (exp.LTE(this=size.copy(), expression=highest), self.cast_to_double(column)),
            (decimal, infinite),
        ]

    def is_numeric_cell(self, column: exp.Expression) -> exp.Expression:
        parts = [exp.Anonymous(this="PG_TYPEOF", expressions=[column]), exp.Literal.string(" "), column.copy()]
        return matches(
            exp.Anonymous(this="CONCAT", expressions=parts), "^(real|double|bigint|integer|numeric -?(NaN|Inf))"
        )


class _Backticks(SQLite):
    """SQLite with names in backticks: if no column has a name in double quotes, SQLite takes the name for a text."""

    class Tokenizer(SQLite.Tokenizer):
        IDENTIFIERS = ["`", '"', ("[", "]")]  # noqa: RUF012 - a list, like the one it replaces


class _SQLite(Dialect):
    name = "sqlite"
    times: Mapping[str, exp.DataType] = {}  # time is text here, whatever the column says
    nan_is_high = False  # it is stored as NULL
    at_once = None
    excludes = False
    fence = "LIMIT -1 OFFSET 0"  # 98 conditions over dates as text, 3 labels: 0.8 s for 90 rows instead of 32

    @property
    def syntax(self) -> DialectType:
        return _Backticks

    def double_literal(self, number: float) -> exp.Expression:
        """Return a decimal if every parser of decimals reads the same double, otherwise a fraction.

        SQLite's reader is not exact: 3.40 missed 4 of 20,000 random numbers with six decimals, and 87 of 20,000 random
        doubles, by the last bit.
        """
        if is_read_exactly(number):
            return with_sign(exp.Literal.number(repr(abs(number))), number)
        mantissa, exponent = math.frexp(abs(number))
        node: exp.Expression = exp.Literal.number(str(int(mantissa * 2**53)))
        exponent -= 53
        step: type[exp.Mul | exp.Div] = exp.Mul if exponent > 0 else exp.Div
        whole, rest = divmod(abs(exponent), 52)  # powers of two that every reader of decimals gets right
        for power in [52] * whole + [rest] * (rest > 0):
            operand = exp.Literal.number(f"{2**power}.0")
            node = step(this=node, expression=operand, **({"typed": True} if step is exp.Div else {}))
        return exp.Paren(this=with_sign(node, number))

    def infinite_double(self, number: float) -> exp.Expression:
        return with_sign(exp.Literal.number("9e999"), number)

    def comparable_column(self, column: exp.Expression) -> exp.Expression:
        return cast(column, DOUBLE)  # otherwise a large integer compares with all its digits

    def boolean(self, *, truth: bool) -> exp.Expression:
        return exp.Literal.number(int(truth))  # TRUE would be the column of that name, if one exists

    def from_bytes(self, text: str) -> exp.Expression:
        return cast(exp.HexString(this=text.encode().hex()), TEXT)

    def equality_sides(self, column: exp.Expression, text: exp.Expression) -> tuple[exp.Expression, exp.Expression]:
        return column, exp.Collate(this=text, expression=exp.Var(this="BINARY"))  # the column may be NOCASE or RTRIM

    def is_member(self, column: exp.Expression, texts: Sequence[exp.Expression]) -> exp.Expression:
        binary = exp.Collate(this=column, expression=exp.Var(this="BINARY"))  # IN uses the collation on its left
        return exp.In(this=binary, expressions=list(texts))

    def not_a_number(self, column: exp.Expression) -> list[exp.Expression]:
        cell = exp.Trim(this=column, expression=exp.Literal.string(" "))
        return [_has_nul(column), _has_wrong_form(cell, exp.Glob, "*")]

    def time(self, column: exp.Expression) -> exp.Expression:
        """Read a time, which is valid if it is a prefix of STRFTIME's output for its whole seconds; 24:00 is not."""
        return _fill_sqlite_template(_CLOCK_IN_SQLITE, column)

    def moment(self, column: exp.Expression) -> exp.Expression:
        """Read a moment like a time; STRFTIME also converts whole seconds to UTC; the finer digits are appended again.

        STRFTIME accepts 2020-02-30 as a date, but moves it to March if it has to add days.
        """
        return _fill_sqlite_template(_MOMENT_IN_SQLITE, column)

    def value_bound(self, number: float, column: exp.Expression) -> exp.Expression:
        """Return, for text cells, a text that SQLite parses like the cells, so that equal texts are equal numbers."""
        if is_read_exactly(number):
            return self.double_literal(number)
        read = cast(exp.Literal.string(repr(number)), DOUBLE)
        text = exp.EQ(this=_sqlite_type(column), expression=exp.Literal.string("text"))
        return cases([(text, read), (None, self.double_literal(number))])

    def read(self, column: exp.Expression) -> list[tuple[exp.Expression, exp.Expression]]:
        number = self.cast_to_double(column)
        return [(exp.LT(this=exp.Abs(this=number), expression=self.infinite_double(1.0)), number.copy())]

    def is_numeric_cell(self, column: exp.Expression) -> exp.Expression:
        kinds = [exp.Literal.string(name) for name in ("integer", "real")]
        return exp.In(this=_sqlite_type(column), expressions=kinds)

    def cell_as_text(self, column: exp.Expression) -> exp.Expression:
        return column  # a number is equal to no text


class _Zoneless(Dialect):
    """A database that cannot shift the time in a text to another zone: the only zone in texts is UTC."""

    at_once = None
    excludes = False
    times = TIMES
    zone = "Z|[+-]00:?00"
    moved = (
        "REGEXP_LIKE(cell, '.*[Z+].*|.*-00:?00 *')",
        "REPLACE(REGEXP_REPLACE(TRIM(cell), '(Z|[+-]00:?00)$', ''), 'T', ' ')",
    )


class _Spark(Dialect):
    name = "spark"
    number_types = ("double", "float", "bigint", "int")
    at_once = None
    excludes = False
    times = {kind: own for kind, own in TIMES.items() if kind != "time"} | {"timestamp": _NTZ, "timestamp_ns": _NTZ}
    unquotable = ("\0", "${")  # the text between ${ and } is replaced, wherever it is
    moved = (
        "cell RLIKE '[Z+]|-[0-9]{2}:?[0-9]{2} *$'",
        """CAST(CAST(REGEXP_REPLACE(TRIM(cell), '(Z|[+-][0-9]{2}:?[0-9]{2})$', '') AS TIMESTAMP_NTZ) - MAKE_DT_INTERVAL(
            0,
            COALESCE(TRY_CAST(REGEXP_EXTRACT(cell, '([+-][0-9]{2}):?[0-9]{2} *$', 1) AS INT), 0),
            COALESCE(TRY_CAST(CONCAT(REGEXP_EXTRACT(cell, '([+-])[0-9]{2}:?[0-9]{2} *$', 1),
                REGEXP_EXTRACT(cell, '[+-][0-9]{2}:?([0-9]{2}) *$', 1)) AS INT), 0)
            ) AS STRING)""",  # the zone of the session has no influence
    )

    def from_bytes(self, text: str) -> exp.Expression:
        return cast(exp.HexString(this=text.encode().hex()), TEXT)  # '\0' may begin an octal escape

    def not_matching(self, column: exp.Expression, pattern: str, characters: str) -> list[exp.Expression]:
        return _not_found(column, pattern, characters)


class _Cloud(_Zoneless):
    """A cloud database: texts need no special escapes, and are cast to numbers with TRY_CAST."""

    spells_bytes = False
    unquotable = ()

    def cast_to_double(self, column: exp.Expression) -> exp.Expression:
        return try_cast(exp.Trim(this=self.as_text(column)))


class _BigQuery(_Cloud):
    name = "bigquery"
    nan_is_high = False  # comparisons with it are false
    whole_pattern = "^ *({}) *$"  # RE2: $ is the very end

    def is_nan(self, column: exp.Expression) -> exp.Expression:
        return exp.IsNan(this=column)

    def is_numeric_cell(self, column: exp.Expression) -> exp.Expression:
        spelled = exp.Anonymous(this="FORMAT", expressions=[exp.Literal.string("%T"), column])
        return exp.Like(this=spelled, expression=exp.Literal.string("CAST(%"))  # cells that are neither finite nor text


class _Snowflake(_Cloud):
    name = "snowflake"
    infinity = "inf"
    folds_case = False
    whole_pattern = " *({}) *"  # REGEXP_LIKE matches the whole text
    times = TIMES | {"timestamp": _NTZ, "timestamp_ns": _NTZ}
    finer = ("timestamp", "timestamp_ns", "timestamptz", "time")

    def double_literal(self, number: float) -> exp.Expression:
        return cast(exp.Literal.string(repr(number)), DOUBLE)

    def is_numeric_cell(self, column: exp.Expression) -> exp.Expression:
        kind = exp.Anonymous(this="SYSTEM$TYPEOF", expressions=[column])
        return exp.Like(this=kind, expression=exp.Literal.string("FLOAT%"))


class _RLike(MySQL):
    """MySQL without the function REGEXP_LIKE, which MariaDB does not have."""

    class Generator(MySQLGenerator):
        TRANSFORMS = MySQLGenerator.TRANSFORMS | {exp.RegexpLike: lambda self, node: self.binary(node, "RLIKE")}


class _MySQL(_Zoneless):
    name = "mysql"
    spells_bytes = False
    nan_is_high = False
    infinity = None
    number_types = ()
    unquotable = ()
    times = _MYSQL_TIMES
    sees_out = False  # MySQL's can since 8.0.14, MariaDB's cannot

    @property
    def syntax(self) -> DialectType:
        return _RLike

    def has_name(self, name: str) -> bool:
        fits = len(name) <= _LONGEST_NAME and not name[-1:].isspace()
        return super().has_name(name) and fits and all(sign <= "\uffff" for sign in name)

    def equality_sides(self, column: exp.Expression, text: exp.Expression) -> tuple[exp.Expression, exp.Expression]:
        """Return both sides as bytes of UTF-8: the usual collations ignore case, accents, and spaces at the end."""
        unicode = cast(column, _UTF8MB4)
        side = exp.HexString(this=text.name.encode().hex()) if not text.name.isascii() else text
        return cast(unicode, _BINARY), side

    def cell_as_text(self, column: exp.Expression) -> exp.Expression:
        return column  # `sides` and RLIKE cast it

    def not_matching(self, column: exp.Expression, pattern: str, characters: str) -> list[exp.Expression]:
        return _not_found(column, pattern, characters, "(?-i)")  # the usual collations ignore case

    def read(self, column: exp.Expression) -> list[tuple[exp.Expression, exp.Expression]]:
        """Reject casts beyond the largest double, which give the largest double, except in its exact notation."""
        number, end = self.cast_to_double(column), math.nextafter(LARGEST, 0)
        finite = exp.Between(this=number, low=self.double_literal(-end), high=self.double_literal(end))
        largest = matches(self.as_text(column), "^ *[+-]?1[.]7976931348623157[eE][+]?308 *$")
        return [(any_of(finite, largest), number.copy())]


class _TSQL(_Zoneless):
    name = "tsql"
    nan_is_high = False
    infinity = None
    finer = ("timestamp", "timestamp_ns", "timestamptz", "time")
    folds_case = False  # the database's collation decides
    number_types = ()
    reads_times = False  # there are no regular expressions
    unquotable = ("\0", "\\\n", "\\\r")  # a backslash joins lines

    def boolean(self, *, truth: bool) -> exp.Expression:
        return cast(exp.Literal.number(int(truth)), _BIT)

    def quote_text(self, text: str) -> exp.Expression:
        return exp.National(this=text)

    def from_bytes(self, text: str) -> exp.Expression:
        return cast(exp.HexString(this=text.encode("utf-16-le").hex()), _NVARCHAR)

    def as_text(self, column: exp.Expression) -> exp.Expression:
        return cast(column, _NVARCHAR)

    def equality_sides(self, column: exp.Expression, text: exp.Expression) -> tuple[exp.Expression, exp.Expression]:
        """Return both sides as bytes: the usual collations ignore case, and ``=`` always ignores spaces at the end."""
        unicode = self.as_text(column) if isinstance(column, exp.Column) else column
        return cast(unicode, _VARBINARY), cast(text, _VARBINARY)

    def not_a_number(self, column: exp.Expression) -> list[exp.Expression]:
        binary = exp.Var(this="Latin1_General_BIN2")  # in other collations [0-9] includes ² and ½
        return [_has_wrong_form(exp.Collate(this=exp.Trim(this=column), expression=binary), exp.Like, "%")]

    def cast_to_double(self, column: exp.Expression) -> exp.Expression:
        return try_cast(column)


def _not_found(column: exp.Expression, pattern: str, characters: str, flags: str = "") -> list[exp.Expression]:
    """Return conditions for engines that search for patterns, and where ``$`` also matches before a last line break."""
    wrong, right = f"{flags}[^{characters}]", f"{flags}^ *({pattern}) *$"
    return [matches(column, wrong), exp.Not(this=matches(column, right))]


_CLOCK_IN_SQLITE = """
    (SELECT CASE WHEN LENGTH(plain) IN (5, 8)
        AND SUBSTR(STRFTIME('%H:%M:%S', plain, '+0 days'), 1, LENGTH(plain)) = plain
        AND (fine = '' OR (fine GLOB '.[0-9]*' AND LENGTH(fine) <= 10 AND NOT SUBSTR(fine, 2) GLOB '*[^0-9]*'))
        THEN plain || fine END
    FROM (SELECT SUBSTR(whole, 1, 8) AS plain, SUBSTR(whole, 9) AS fine
        FROM (SELECT CASE WHEN TRIM(cell, ' ') GLOB '[0-9]:*' THEN '0' ELSE '' END || TRIM(cell, ' ') AS whole)))"""
_MOMENT_IN_SQLITE = """
    (SELECT CASE WHEN LENGTH(plain) IN (10, 16, 19) AND plain >= '0001'
        AND SUBSTR(STRFTIME('%Y-%m-%d %H:%M:%S', plain, '+0 days'), 1, LENGTH(plain)) = plain
        AND (fine = '' OR (fine GLOB '.[0-9]*' AND LENGTH(fine) <= 10 AND NOT SUBSTR(fine, 2) GLOB '*[^0-9]*'))
        AND (zone = '' OR (LENGTH(plain) > 10 AND (zone = 'Z' OR zone GLOB '[+-][01][0-9]:[0-5][0-9]'
            OR zone GLOB '[+-][01][0-9][0-5][0-9]')))
        THEN STRFTIME('%Y-%m-%d %H:%M:%S', plain || CASE WHEN LENGTH(zone) > 1
            THEN SUBSTR(zone, 1, 3) || ':' || SUBSTR(zone, -2) ELSE '' END) || fine END
    FROM (SELECT REPLACE(SUBSTR(whole, 1, MIN(size, 19)), 'T', ' ') AS plain,
            SUBSTR(whole, 20, MAX(size - 19, 0)) AS fine, SUBSTR(whole, size + 1) AS zone
        FROM (SELECT whole, 9 + INSTR(REPLACE(REPLACE(SUBSTR(whole, 11) || '+', '-', '+'), 'Z', '+'), '+') AS size
            FROM (SELECT TRIM(cell, ' ') AS whole))))"""
"""The whole seconds of a cell, its finer digits, and its zone; ``size`` is the length of the cell without the zone."""


def _fill_sqlite_template(template: str, column: exp.Expression) -> exp.Expression:
    """Write a text in SQLite, or NULL; also for a cell with the character NUL, where GLOB stops."""
    return cases([(_has_nul(column), exp.Null()), (None, fill_template(template, "sqlite", column))])


def _sqlite_type(column: exp.Expression) -> exp.Expression:
    """Write the type of a cell: in SQLite each cell has a type."""
    return exp.Anonymous(this="TYPEOF", expressions=[column.copy()])


def _has_nul(column: exp.Expression) -> exp.Expression:
    nul = exp.Anonymous(this="INSTR", expressions=[cast(column, _BLOB), exp.HexString(this="00")])
    return exp.GT(this=nul, expression=exp.Literal.number(0))


_WRONG = (
    "*[^0-9.eE+-]*", "*.*.*", "*[eE]*[.eE]*", "*[^eE][+-]*", "*[^0-9.][eE]*", "[eE]*", ".[eE]*", "[+-].[eE]*",
)  # fmt: skip
"""Patterns of texts that are not numbers, in a language that only has sets of characters.

Together with the conditions on the ends, the last four exclude numbers without a digit before or in the exponent.
"""


def _has_wrong_form(cell: exp.Expression, kind: type[exp.Glob | exp.Like], star: str) -> exp.Expression:
    """Write a condition for engines without regular expressions: the cell does not look like a number."""

    def like(pattern: str) -> exp.Expression:
        return kind(this=cell.copy(), expression=exp.Literal.string(pattern.replace("*", star)))

    ends = exp.Paren(this=any_of(like("*[0-9]"), like("*[0-9].")))
    return any_of(exp.Not(this=ends), *map(like, _WRONG))


DIALECTS = {
    dialect.name: dialect() for dialect in (Dialect, _Postgres, _SQLite, _Spark, _MySQL, _BigQuery, _Snowflake, _TSQL)
}
"""The dialects of `to_sql`."""

STANDARD = _Standard()

UNTRIED = ("bigquery", "snowflake", "tsql")
"""The dialects that follow manuals: no test runs them in their databases."""
