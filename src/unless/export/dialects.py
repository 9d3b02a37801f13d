"""Where the SQL of one database differs from another's: numbers, texts, and text that spells a number.

Every class here answers the same few questions with sqlglot trees. The comments say what was seen in the engines
(DuckDB 2.0, SQLite 3.40, PostgreSQL 15) or, for the others, what their manuals say.
"""

from __future__ import annotations

import math
import sys

from sqlglot import exp, parse_one
from sqlglot.dialects.dialect import DialectType
from sqlglot.dialects.sqlite import SQLite

from unless.export.decimals import easily_read, reach, steps

__all__ = ["DIALECTS", "Dialect", "all_of", "any_of", "bracketed"]

_MAX = sys.float_info.max
_MIN = 5e-324
_NUMBER = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
"""The cells that `values.number_in` takes for numbers, spaces and size apart."""

_WIDE = 32
"""Longer conjunctions are written as trees: SQLite counts every AND of a chain as a level, and allows 1000."""


def bracketed(node: exp.Expression) -> exp.Expression:
    """The node in parentheses, unless it has its own."""
    plain = isinstance(node, exp.Func | exp.Paren) and not isinstance(node, exp.Connector)  # And and Or are Funcs
    return node if plain else exp.Paren(this=node)


def all_of(*parts: exp.Expression) -> exp.Expression:
    """Every part holds."""
    return _joined(exp.And, parts)


def any_of(*parts: exp.Expression) -> exp.Expression:
    """Some part holds."""
    return _joined(exp.Or, parts)


def _joined(kind: type[exp.And | exp.Or], parts: tuple[exp.Expression, ...]) -> exp.Expression:
    if len(parts) > _WIDE:
        middle = len(parts) // 2
        return kind(this=bracketed(_joined(kind, parts[:middle])), expression=bracketed(_joined(kind, parts[middle:])))
    other = exp.Or if kind is exp.And else exp.And
    whole, *rest = (exp.Paren(this=part) if isinstance(part, other) else part for part in parts)
    for part in rest:
        whole = kind(this=whole, expression=part)
    return whole


def _cast(node: exp.Expression, kind: exp.DataType) -> exp.Cast:
    return exp.Cast(this=node, to=kind.copy())


def _try_cast(node: exp.Expression) -> exp.TryCast:
    return exp.TryCast(this=node, to=_DOUBLE.copy(), requires_string=True)  # Snowflake's is for text only


_DOUBLE = exp.DataType(this=exp.DataType.Type.DOUBLE)
_TEXT = exp.DataType(this=exp.DataType.Type.TEXT)
_NUMERIC = exp.DataType(this=exp.DataType.Type.DECIMAL)
_BIT = exp.DataType(this=exp.DataType.Type.BIT)
_BLOB = exp.DataType(this=exp.DataType.Type.BLOB)
_BINARY = exp.DataType(this=exp.DataType.Type.BINARY)
_UTF8MB4 = parse_one("CAST(x AS CHAR CHARACTER SET utf8mb4)", dialect="mysql").args["to"]
_NVARCHAR = exp.DataType.build("nvarchar(max)", dialect="tsql")
_VARBINARY = exp.DataType.build("varbinary(max)", dialect="tsql")


class Dialect:
    """Standard behaviour; also that of DuckDB, Spark, BigQuery and Snowflake where they do not say otherwise."""

    name = "duckdb"
    nan_is_high = True  # NaN can be stored, equals itself, and is above every number

    @property
    def syntax(self) -> DialectType:
        """What sqlglot calls the dialect."""
        return self.name

    def folded(self, name: str) -> str:
        """What the database makes of the name of a column: "Age" and "age" are the same."""
        return name.lower()

    def literal(self, number: float) -> exp.Expression:
        """A finite double, exact to the last bit: with an exponent it is read as a double, without as a decimal."""
        text = repr(abs(number))
        return _signed(exp.Literal.number(text if "e" in text else f"{text}E0"), number)

    def limit(self, bound: float) -> tuple[exp.Expression, bool]:
        """What to compare a numeric column with, and whether a cell that equals it is still at most the bound.

        Minus infinity is not spelled: it is what lies below the lowest double.
        """
        return (self.literal(-_MAX), False) if bound == -math.inf else (self.literal(bound), True)

    def is_nan(self, column: exp.Expression) -> exp.Expression | None:
        """The numeric column holds NaN; None where it cannot."""
        if not self.nan_is_high:
            return None
        return exp.EQ(this=column, expression=_cast(exp.Literal.string("NaN"), _DOUBLE))

    def infinity(self, number: float) -> exp.Expression | None:
        """An infinite double as a label, None where there is none."""
        return _cast(exp.Literal.string("Infinity" if number > 0 else "-Infinity"), _DOUBLE)

    def number(self, column: exp.Expression) -> exp.Expression:
        """A numeric column, to be compared with a double: integers, decimals and short floats are then widened."""
        return column

    def boolean(self, value: bool) -> exp.Expression:  # noqa: FBT001
        """A truth value, as a label or to be compared with a column."""
        return exp.Boolean(this=value)

    def text(self, text: str) -> exp.Expression | None:
        """A text, None where no column can hold it."""
        if not _encodable(text):
            return None
        return exp.Literal.string(text) if self.plain(text) else self.from_hex(text)

    def plain(self, text: str) -> bool:
        """Whether the text can stand between quotes, as sqlglot escapes it."""
        return "\0" not in text

    def from_hex(self, text: str) -> exp.Expression | None:
        """A text by way of its bytes."""
        return exp.Anonymous(this="DECODE", expressions=[exp.Unhex(this=exp.Literal.string(text.encode().hex()))])

    def as_text(self, column: exp.Expression) -> exp.Expression:
        """A cell as the database spells it."""
        return _cast(column, _TEXT)

    def sides(self, column: exp.Expression, text: exp.Expression) -> tuple[exp.Expression, exp.Expression]:
        """A text column and a text such that ``=`` between them compares character by character."""
        return column, text

    def spells(self, column: exp.Expression, zero: bool) -> list[tuple[exp.Expression, bool]]:  # noqa: ARG002, FBT001
        """Ways in which a text cell is decided before it is cast to a double: conditions, and the truth they give.

        ``zero`` is the truth for a cell that is too small to be a double other than zero.
        """
        pattern = exp.Literal.string(f" *{_NUMBER} *")
        return [(exp.Not(this=exp.Anonymous(this="REGEXP_FULL_MATCH", expressions=[column, pattern])), False)]

    def cast(self, column: exp.Expression) -> exp.Expression:
        """The double that a cell spells; infinite, or NULL, where it is too large."""
        return _cast(exp.Trim(this=column), _DOUBLE)

    def bound(self, number: float) -> exp.Expression:
        """A double to be compared with `cast`."""
        return self.literal(number)


def _power(base: str, exponent: str) -> exp.Expression:
    return exp.Pow(this=exp.Literal.number(base), expression=exp.Literal.number(exponent))


_INFINITE = exp.Sub(this=_power("2.0", "1024"), expression=_power("2.0", "970"))
_ZERO = exp.Mul(this=_power("5.0", "1075"), expression=exp.Literal.number("1E-1075"))
_HIGHEST = exp.Sub(this=_INFINITE, expression=exp.Literal.number("1E-16383"))
_LOWEST = exp.Add(this=_ZERO, expression=exp.Literal.number("1E-16383"))
"""The last decimal that is no infinite double, and the first that is not zero: casts of both to a double succeed.

The middle between a double and the next is read as the even one: 2 ** 1024 - 2 ** 970 as infinity, 2 ** -1075 as zero.
No numeric lies between these and ours, since it has at most 16383 decimals. Powers of whole numbers are exact.
"""

_ENDS = {
    -math.inf: (exp.Neg(this=bracketed(_HIGHEST.copy())), False),
    -_MIN: (exp.Neg(this=bracketed(_LOWEST.copy())), True),
    0.0: (_LOWEST, False),
    _MAX: (_HIGHEST, True),
}
"""What the thresholds become at which a cast of the middle to a double would fail, as `Dialect.limit` gives it."""


class _Postgres(Dialect):
    name = "postgres"

    def folded(self, name: str) -> str:
        return name.encode()[:63].decode(errors="ignore")  # the rest is cut off, with no more than a notice

    def literal(self, number: float) -> exp.Expression:
        return _cast(exp.Literal.string(repr(number)), _DOUBLE)  # 0.1 and 1E-1 are numeric here

    def limit(self, bound: float) -> tuple[exp.Expression, bool]:
        """Decimals, which take the type of the column: as a double, a numeric cell of 1e400 or 1e-400 is an error.

        So that a numeric cell still compares as the nearest double, the bound goes up to where that is another one:
        ``"n" <= 0.5 + 5.5511151231257827021181583404541015625E-17``. For a column of doubles, the sum is the bound
        again; or the next double, if that is what the sum is read as: then only what is below it counts.
        """
        if bound in _ENDS:
            limit, included = _ENDS[bound]
            return limit.copy(), included
        rest, included = reach(bound)
        number = _signed(exp.Literal.number(repr(abs(bound))), bound)
        return exp.Add(this=number, expression=exp.Literal.number(rest)), included

    def is_nan(self, column: exp.Expression) -> exp.Expression:
        return exp.EQ(this=_cast(column, _TEXT), expression=exp.Literal.string("NaN"))  # no cast of 1e400 to a double

    def from_hex(self, text: str) -> exp.Expression | None:  # noqa: ARG002
        return None  # a text never holds NUL

    def spells(self, column: exp.Expression, zero: bool) -> list[tuple[exp.Expression, bool]]:  # noqa: FBT001
        """Casts of 1e999 and of 1e-999 are errors, and a numeric holds neither 1e200000: exponents go first."""

        def matches(pattern: str) -> exp.Expression:
            return exp.RegexpLike(this=column.copy(), expression=exp.Literal.string(pattern))

        size = exp.Abs(this=_cast(column, _NUMERIC))
        far = "[eE][+-]?0*[1-9][0-9]{3}"
        return [
            (exp.Not(this=matches(f"^ *{_NUMBER} *$")), False),
            (matches("^[^eE]*[1-9][^eE]*[eE][+]?0*[1-9][0-9]{3}"), False),
            (matches(far), zero),
            (exp.GT(this=size, expression=_HIGHEST.copy()), False),
            (exp.LT(this=size.copy(), expression=_LOWEST.copy()), zero),
        ]

    def cast(self, column: exp.Expression) -> exp.Expression:
        return _cast(column, _DOUBLE)


class _Backticks(SQLite):
    """SQLite with names in backticks: where no column has a name in double quotes, SQLite takes it for a text."""

    class Tokenizer(SQLite.Tokenizer):
        IDENTIFIERS = ["`", '"', ("[", "]")]  # noqa: RUF012 - a list, like the one it replaces


class _SQLite(Dialect):
    name = "sqlite"
    nan_is_high = False  # it is stored as NULL

    @property
    def syntax(self) -> DialectType:
        return _Backticks

    def literal(self, number: float) -> exp.Expression:
        """A decimal where every reader of decimals gives the same double, else a fraction.

        SQLite's reader is not exact: 3.40 missed 4 of 20,000 random numbers with six decimals, and 87 of 20,000 random
        doubles, by the last bit.
        """
        if easily_read(number):
            return _signed(exp.Literal.number(repr(abs(number))), number)
        mantissa, exponent = math.frexp(abs(number))
        node: exp.Expression = exp.Literal.number(str(int(mantissa * 2**53)))
        exponent -= 53
        step: type[exp.Mul | exp.Div] = exp.Mul if exponent > 0 else exp.Div
        for power in steps(abs(exponent)):
            operand = exp.Literal.number(f"{2**power}.0")
            node = step(this=node, expression=operand, **({"typed": True} if step is exp.Div else {}))
        return exp.Paren(this=_signed(node, number))

    def infinity(self, number: float) -> exp.Expression:
        return _signed(exp.Literal.number("9e999"), number)

    def number(self, column: exp.Expression) -> exp.Expression:
        return _cast(column, _DOUBLE)  # else a large integer compares with all its digits

    def boolean(self, value: bool) -> exp.Expression:  # noqa: FBT001
        return exp.Literal.number(int(value))  # TRUE would be the column of that name, where there is one

    def from_hex(self, text: str) -> exp.Expression:
        return _cast(exp.HexString(this=text.encode().hex()), _TEXT)

    def sides(self, column: exp.Expression, text: exp.Expression) -> tuple[exp.Expression, exp.Expression]:
        return column, exp.Collate(this=text, expression=exp.Var(this="BINARY"))  # the column may be NOCASE or RTRIM

    def spells(self, column: exp.Expression, zero: bool) -> list[tuple[exp.Expression, bool]]:  # noqa: ARG002, FBT001
        cell = exp.Trim(this=column, expression=exp.Literal.string(" "))
        bytes_of = _cast(column, _BLOB)
        nul = exp.Anonymous(this="INSTR", expressions=[bytes_of, exp.HexString(this="00")])  # GLOB and CAST stop there
        return [(exp.GT(this=nul, expression=exp.Literal.number(0)), False), *_unlike(cell, exp.Glob, "*")]

    def cast(self, column: exp.Expression) -> exp.Expression:
        return _cast(column, _DOUBLE)

    def bound(self, number: float) -> exp.Expression:
        # Read by the reader of the cells: a cell that is spelled like the threshold equals it, exact or not.
        return _cast(exp.Literal.string(repr(number)), _DOUBLE)


class _Spark(Dialect):
    name = "spark"

    def from_hex(self, text: str) -> exp.Expression:
        return _cast(exp.HexString(this=text.encode().hex()), _TEXT)  # '\0' may begin an octal escape

    def spells(self, column: exp.Expression, zero: bool) -> list[tuple[exp.Expression, bool]]:  # noqa: ARG002, FBT001
        return _searched(column)


class _BigQuery(Dialect):
    name = "bigquery"
    nan_is_high = False  # comparisons with it are false

    def is_nan(self, column: exp.Expression) -> exp.Expression:
        return exp.IsNan(this=column)

    def plain(self, text: str) -> bool:  # noqa: ARG002
        return True

    def spells(self, column: exp.Expression, zero: bool) -> list[tuple[exp.Expression, bool]]:  # noqa: ARG002, FBT001
        pattern = exp.Literal.string(f"^ *{_NUMBER} *$")  # RE2: $ is the very end
        return [(exp.Not(this=exp.RegexpLike(this=column, expression=pattern)), False)]

    def cast(self, column: exp.Expression) -> exp.Expression:
        return _try_cast(exp.Trim(this=column))


class _Snowflake(Dialect):
    name = "snowflake"

    def folded(self, name: str) -> str:
        return name

    def literal(self, number: float) -> exp.Expression:
        return _cast(exp.Literal.string(repr(number)), _DOUBLE)

    def plain(self, text: str) -> bool:  # noqa: ARG002
        return True

    def infinity(self, number: float) -> exp.Expression:
        return _cast(exp.Literal.string("inf" if number > 0 else "-inf"), _DOUBLE)

    def spells(self, column: exp.Expression, zero: bool) -> list[tuple[exp.Expression, bool]]:  # noqa: ARG002, FBT001
        pattern = exp.Literal.string(f" *{_NUMBER} *")  # REGEXP_LIKE asks for the whole text
        return [(exp.Not(this=exp.RegexpLike(this=column, expression=pattern)), False)]

    def cast(self, column: exp.Expression) -> exp.Expression:
        return _try_cast(exp.Trim(this=column))


class _MySQL(Dialect):
    name = "mysql"
    nan_is_high = False

    def infinity(self, number: float) -> None:  # noqa: ARG002
        return None

    def plain(self, text: str) -> bool:  # noqa: ARG002
        return True

    def sides(self, column: exp.Expression, text: exp.Expression) -> tuple[exp.Expression, exp.Expression]:
        """As bytes of UTF-8: the usual collations ignore case, accents, and spaces at the end."""
        unicode = _cast(column, _UTF8MB4)
        side = exp.HexString(this=text.name.encode().hex()) if not text.name.isascii() else text
        return _cast(unicode, _BINARY), side

    def spells(self, column: exp.Expression, zero: bool) -> list[tuple[exp.Expression, bool]]:  # noqa: ARG002, FBT001
        return _searched(column)

    def bound(self, number: float) -> exp.Expression:
        # A cast beyond the largest double gives the largest double, so that nothing can tell 1e999 from it.
        return self.literal(math.copysign(math.nextafter(_MAX, 0), number) if abs(number) == _MAX else number)


class _TSQL(Dialect):
    name = "tsql"
    nan_is_high = False

    def folded(self, name: str) -> str:
        return name  # the database's collation decides

    def infinity(self, number: float) -> None:  # noqa: ARG002
        return None

    def boolean(self, value: bool) -> exp.Expression:  # noqa: FBT001
        return _cast(exp.Literal.number(int(value)), _BIT)

    def plain(self, text: str) -> bool:
        return "\0" not in text and "\\\n" not in text and "\\\r" not in text  # a backslash joins lines

    def text(self, text: str) -> exp.Expression | None:
        if not _encodable(text):
            return None
        if self.plain(text):
            return exp.National(this=text)
        return _cast(exp.HexString(this=text.encode("utf-16-le").hex()), _NVARCHAR)

    def as_text(self, column: exp.Expression) -> exp.Expression:
        return _cast(column, _NVARCHAR)

    def sides(self, column: exp.Expression, text: exp.Expression) -> tuple[exp.Expression, exp.Expression]:
        """As bytes: the usual collations ignore case, and ``=`` always ignores spaces at the end."""
        return _cast(self.as_text(column), _VARBINARY), _cast(text, _VARBINARY)

    def spells(self, column: exp.Expression, zero: bool) -> list[tuple[exp.Expression, bool]]:  # noqa: ARG002, FBT001
        binary = exp.Var(this="Latin1_General_BIN2")  # in other collations [0-9] takes in ² and ½
        return _unlike(exp.Collate(this=exp.Trim(this=column), expression=binary), exp.Like, "%")

    def cast(self, column: exp.Expression) -> exp.Expression:
        return _try_cast(exp.Trim(this=column))


def _searched(column: exp.Expression) -> list[tuple[exp.Expression, bool]]:
    """For engines that search a pattern, and where ``$`` also stands before a last line break."""
    foreign = exp.RegexpLike(this=column, expression=exp.Literal.string("[^0-9.eE+ -]"))
    number = exp.RegexpLike(this=column.copy(), expression=exp.Literal.string(f"^ *{_NUMBER} *$"))
    return [(foreign, False), (exp.Not(this=number), False)]


def _unlike(cell: exp.Expression, kind: type[exp.Glob | exp.Like], star: str) -> list[tuple[exp.Expression, bool]]:
    """For engines without patterns but for sets of characters: what no number looks like, and how every one ends.

    The end and the last four together leave no number without a digit before the exponent, or in it.
    """
    wrong = "*[^0-9.eE+-]* *.*.* *[eE]*[.eE]* *[^eE][+-]* *[^0-9.][eE]* [eE]* .[eE]* [+-].[eE]*".split()  # noqa: SIM905 - one line

    def like(pattern: str) -> exp.Expression:
        return kind(this=cell.copy(), expression=exp.Literal.string(pattern.replace("*", star)))

    ends = exp.Paren(this=any_of(like("*[0-9]"), like("*[0-9].")))
    return [(any_of(exp.Not(this=ends), *(like(pattern) for pattern in wrong)), False)]


def _signed(node: exp.Expression, number: float) -> exp.Expression:
    return exp.Neg(this=node) if math.copysign(1, number) < 0 else node


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


DIALECTS = {
    dialect.name: dialect() for dialect in (Dialect, _Postgres, _SQLite, _Spark, _BigQuery, _Snowflake, _MySQL, _TSQL)
}
"""What `to_sql` can write."""
