"""Read the cells of a Spark frame as a model does: the kind of each column, and its cells as expressions.

A column may have another type than it had in training: 1 instead of texts, "3" instead of numbers. The reading of
`read_table` is not repeated here: the model itself reads the few cells that the rules can distinguish, and the
expression contains the results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlglot import exp

from unless.errors import ParameterError, UnknownNameError, suggest
from unless.export import sql_tree
from unless.export.sql_columns import ColumnKind
from unless.export.sql_dialects import DIALECTS
from unless.export.sql_tree import DOUBLE, TEXT, any_of, cases, column, is_null, matches
from unless.model import Model, model_of
from unless.model.prediction import Decider
from unless.read.table import read_table
from unless.rule import Literal, Program
from unless.table import SpecialCodes
from unless.values import Value, parse_number
from unless.values.notation import Amounts, DateNotation, LevelNotation, NotatedNumber, Notation, TimeNotation

_ENGINE = DIALECTS["spark"]
_NTZ = _ENGINE.times["timestamp"]
_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal")
_TRUE, _FALSE = "tRuE", "fAlSe"
"""Texts that mean booleans in any case, and that occur in no training data."""
_SPELLED = {True: "^[Tt][Rr][Uu][Ee]$", False: "^[Ff][Aa][Ll][Ssſ][Ee]$"}  # ſ is a small s to casefold

Cells = exp.Expression | None
"""The cells of a column as the writer of conditions takes them; None if they are the column itself."""
Arm = tuple[exp.Expression | None, exp.Expression]


def read_columns(
    model: Decider | Model, rules: Program, fields: Iterable[Any]
) -> tuple[dict[str, ColumnKind], dict[str, exp.Expression]]:
    """Return the kinds of the columns that rules test, and the columns whose cells must be converted.

    ``fields`` are the fields of the frame's schema.
    """
    types = {field.name: field.dataType for field in fields}
    kinds: dict[str, ColumnKind] = {}
    cells: dict[str, exp.Expression] = {}
    for feature, literals in rules.literals_by_feature().items():
        if feature not in types:
            raise UnknownNameError(f"no column {feature!r} in the Spark frame{suggest(feature, types)}")
        reading = _ColumnReading.of(model, rules, feature, literals)
        kind, found = reading.column(types[feature])
        kinds[feature] = cast("ColumnKind", kind)
        if found is not None:
            cells[feature] = found
    return kinds, cells


@dataclass(frozen=True, slots=True)
class _ColumnReading:
    """How a model reads a column of a Spark frame."""

    feature: str
    like: object
    missing: Sequence[str]
    """The texts that may mean a missing cell."""
    notation: Notation | None
    """The notation of the numbers, if they are not plain."""
    tested: Sequence[str]
    """The texts that rules compare cells with."""
    compared: bool
    """Whether rules test more than whether a cell is missing."""
    unit: str | None = None
    """The notation of numbers with a unit, if any."""
    special: SpecialCodes = ()
    """The numbers that name a category; conditions compare them (`SqlWriter`)."""

    @classmethod
    def of(cls, model: Decider | Model, rules: Program, feature: str, literals: Sequence[Literal]) -> _ColumnReading:
        known = model_of(model)
        schema = None if known is None else known.schema
        written = {} if schema is None else schema.notations
        notation = rules.notations.get(feature, written.get(feature))
        unit = notation.form if isinstance(notation, Amounts) else None
        notation = None if notation is None or notation.plain else notation
        texts = [literal.value for literal in literals if isinstance(literal.value, str)]
        texts += notation.levels if isinstance(notation, LevelNotation) else ()
        compared = any(literal.value is not None for literal in literals)
        missing = () if schema is None else schema.missing
        like = rules if schema is None else model
        special = () if schema is None else schema.special.get(feature, ())
        return cls(feature, like, missing, notation, list(dict.fromkeys(texts)), compared, unit, special)

    @property
    def sample(self) -> float:
        """A number that is not a special code."""
        codes = {code for code, _ in self.special}
        return next(number for number in (half + 1.5 for half in range(len(codes) + 1)) if number not in codes)

    def values(self, cells: Sequence[object]) -> list[Value]:
        """Read cells of one type as the model does; a date, a time or a level becomes its text."""
        if not cells:
            return []
        table = read_table([{self.feature: cell} for cell in cells], like=self.like, features=[self.feature])
        found = (table.columns[0].value(code) for code in table.columns[0].codes.tolist())
        return [str(one) if isinstance(one, NotatedNumber) and not one.notation.plain else one for one in found]

    def column(self, dtype: Any) -> tuple[str, Cells]:
        """Return the kind of a column of a type, and its cells."""
        name = dtype.typeName()
        if name in _NUMBERS:
            return self.numbers()
        read: Mapping[str, Callable[[], tuple[str, Cells]]] = {
            "boolean": self.booleans,
            "date": lambda: self.moments("date"),
            "timestamp_ntz": lambda: self.moments("timestamp"),
            "timestamp": self.instants,
            "void": lambda: ("text", sql_tree.cast(exp.Null(), TEXT)),
        }
        if name in ("string", "char", "varchar"):
            return self.texts(getattr(dtype, "collation", "UTF8_BINARY"))
        if name in read:
            return read[name]()
        if name.startswith("time") and isinstance(self.notation, TimeNotation):
            return "text", sql_tree.cast(column(self.feature), TEXT)
        if not self.compared:
            return "text", None
        raise ParameterError(
            f"the column {self.feature!r} is {dtype.simpleString()}, which rules cannot test in Spark; "
            "cast it to what it was in training"
        )

    def numbers(self) -> tuple[str, Cells]:
        """Read a column of numbers: as numbers, or as the categories that they are in a column of texts."""
        self._refuse_format()
        own, (sample,) = column(self.feature), self.values([self.sample])
        if isinstance(sample, float):
            numbers = [number for number in map(parse_number, self.missing) if number is not None]
            gone = [one for one, value in zip(numbers, self.values(numbers), strict=True) if value is None]
            return "number", _replace_cells(own, self._number_cases(own, gone))
        numbers = [number for number in map(parse_number, self.tested) if number is not None]
        double = sql_tree.cast(own, DOUBLE)
        nan = any_of(
            is_null(own), exp.EQ(this=double.copy(), expression=sql_tree.cast(exp.Literal.string("NaN"), DOUBLE))
        )
        arms = self._number_cases(double, dict.fromkeys([0.0, 1.0, math.inf, -math.inf, *numbers]))
        return "text", cases([(nan, exp.Null()), *arms, (None, sql_tree.cast(own, TEXT))])

    def booleans(self) -> tuple[str, Cells]:
        """Read a column of booleans: as categories, or as 0 and 1 in a column of numbers."""
        values = self.values([True, False])
        tests = column(self.feature), exp.Not(this=column(self.feature))
        arms = [(test, _value_node(value)) for test, value in zip(tests, values, strict=True)]
        kind = "number" if any(isinstance(value, float) for value in values) else "text"
        return kind, cases([*arms, (None, exp.Null())])

    def texts(self, collation: str) -> tuple[str, Cells]:
        """Read a column of texts; training may have read some as numbers, booleans or missing."""
        self._refuse_format()
        if self.unit is not None:
            raise ParameterError(
                f"the column {self.feature!r} is text, and in training it had numbers with a unit, such as "
                f"{self.unit!r}, which Spark does not read; convert it to numbers first"
            )
        own: exp.Expression = column(self.feature)
        if collation != "UTF8_BINARY":  # otherwise "A" may equal "a"
            own = exp.Anonymous(this="COLLATE", expressions=[own, exp.Literal.string("UTF8_BINARY")])
        (sample,) = self.values([str(self.sample)])
        mixed = isinstance(sample, float)
        twins = (text.removesuffix(".0") if text.endswith(".0") else f"{text}.0" for text in self.tested)
        candidates = list(dict.fromkeys([*self.missing, *self.tested, *twins]))
        plain = [parse_number(text) if mixed else None for text in candidates]
        differing = [
            (text, value)
            for text, value, number in zip(candidates, self.values(candidates), plain, strict=True)
            if value != (text if number is None else number)
        ]
        arms: list[Arm] = [
            (exp.EQ(this=own.copy(), expression=_value_node(text)), _value_node(value, text=True))
            for text, value in differing
        ]
        if self.values(["  "]) == [None]:
            arms.append((matches(own, "^ +$"), exp.Null()))
        return "mixed" if mixed else "text", _replace_cells(own, [*arms, *self._boolean_cases(own, mixed=mixed)])

    def moments(self, kind: str) -> tuple[str, Cells]:
        """Read a column of dates, or of times without a zone."""
        self._refuse_spellings()
        return kind, None

    def instants(self) -> tuple[str, Cells]:
        """Read a column of instants: if training had times without a zone, as the session displays them."""
        if isinstance(self.notation, DateNotation) and self.notation.zoned:
            return "timestamptz", None
        self._refuse_spellings()
        return "timestamp", sql_tree.cast(column(self.feature), _NTZ)

    def _number_cases(self, own: exp.Expression, numbers: Iterable[float]) -> list[Arm]:
        """Write cases for some numbers: the value of each in training."""
        found = list(numbers)
        equal = (exp.EQ(this=own.copy(), expression=_value_node(number)) for number in found)
        return [(one, _value_node(value)) for one, value in zip(equal, self.values(found), strict=True)]

    def _boolean_cases(self, own: exp.Expression, *, mixed: bool) -> list[Arm]:
        """Write cases for texts that mean booleans; none if training read them as plain texts."""
        values = self.values([_TRUE, _FALSE])
        if values == [_TRUE, _FALSE]:
            return []
        arms: list[Arm] = []
        for flag, value in zip((True, False), values, strict=True):
            spelled = matches(own, _SPELLED[flag])
            number = exp.EQ(this=_number_spelled_by(own), expression=_value_node(float(flag)))
            arms.append((spelled if mixed else any_of(spelled, number), _value_node(value, text=True)))
        return arms

    def _refuse_format(self) -> None:
        """Reject dates in a declared format, which Spark and Python may read differently."""
        if isinstance(self.notation, DateNotation) and self.notation.format is not None:
            raise ParameterError(
                f"the column {self.feature!r} has dates like {self.notation.format!r}, which only Python reads exactly "
                "so; make it a date first: to_date(column, 'dd.MM.yyyy')"
            )

    def _refuse_spellings(self) -> None:
        """Reject a column of dates if rules compare texts of dates in another form."""
        if self.notation is None:
            for text in self.tested:
                if (number := _DATED.number(text)) is not None and _DATED.text(number) != text:
                    raise ParameterError(
                        f"the rules compare {self.feature!r} with the text {text!r}, and in Spark it has a type for "
                        "dates; train the model again, or convert the column to such texts"
                    )


_DATED = DateNotation("datetime", 1.0)


def _replace_cells(own: exp.Expression, arms: Sequence[Arm]) -> Cells:
    """Replace some cells; return None if the column stays the same."""
    if not arms:
        return None if isinstance(own, exp.Column) else own
    return cases([*arms, (None, own)])


def _number_spelled_by(own: exp.Expression) -> exp.Expression:
    """Write the number in a text, or NULL."""
    none: list[Arm] = [(condition, exp.Null()) for condition in _ENGINE.not_a_number(own.copy())]
    return cases([*none, (None, _ENGINE.cast_to_double(own.copy()))])


def _value_node(value: Value, *, text: bool = False) -> exp.Expression:
    """Write a value, or if ``text`` its text."""
    if value is None:
        return exp.Null()
    if isinstance(value, float) and not text:
        found = _ENGINE.double_label(value)
    else:
        found = _ENGINE.text(repr(float(value)) if isinstance(value, float) else value)
    return exp.Null() if found is None else found
