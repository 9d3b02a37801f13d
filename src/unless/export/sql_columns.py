"""Find the kinds of the columns that an SQL expression reads: as given, as in the model, or as literals show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import get_args

from unless.errors import ParameterError, UnknownNameError, suggest
from unless.export.sql_interface import Dialect
from unless.export.sql_times import KIND_NOTATIONS, kinds_for
from unless.rule import Literal, Program
from unless.values.notation import Amounts, DateNotation, Notation, TimeNotation

ColumnKind = OneOf[
    "number", "text", "mixed", "boolean", "date", "timestamp", "timestamp_ns", "timestamptz", "time", "interval"
]


@dataclass(frozen=True, slots=True)
class SqlColumns:
    """The known facts about columns: kinds and types in training, notations, and the database."""

    kinds: Mapping[str, str]
    typed: frozenset[str]
    notations: Mapping[str, Notation]
    dialect: Dialect
    units: Mapping[str, Notation] = field(default_factory=dict)

    def kind(self, feature: str, literals: list[Literal]) -> str:
        """Return the kind of a column whose kind was not given."""
        self.refuse_unit(feature, "text")
        values, known = {literal.value for literal in literals} - {None}, self.kinds.get(feature)
        numbers = {value for value in values if isinstance(value, float)}
        if notation := self.notations.get(feature):
            words = known == "mixed" or (known is None and numbers != values)
            possible = kinds_for(notation)
            held = [one for one in possible if one in {"text", *self.dialect.times}]
            return self.check_kind(feature, "text" if words and "text" in possible else [*held, *possible][0])
        if known in {None, "text"} and values and values <= {"True", "False"}:
            return "boolean"  # tables have no kind for it: read_table makes booleans text
        if known == "number" and feature not in self.typed:
            return "mixed"  # training read text, or an earlier version did not record the kind
        return known or ("mixed" if numbers else "text")

    def refuse_unit(self, feature: str, kind: str) -> None:
        """Reject a column of texts that are numbers with a unit, unless it is declared to have plain numbers."""
        if isinstance(unit := self.units.get(feature), Amounts) and kind != "number":
            raise ParameterError(
                f"the column {feature!r} has numbers with a unit, such as {unit.form!r}, which SQL does not read; "
                "if it has plain numbers in the database, declare it as a number"
            )

    def check_kind(self, feature: str, kind: str) -> str:
        """Check that the database has a kind, and that the numbers of the feature can be written in it."""
        self.refuse_unit(feature, kind)
        own, notation = self.dialect, self.notations.get(feature)
        if kind in KIND_NOTATIONS and not own.times and kind != "interval":
            return "text"  # SQLite: the type of a column means nothing
        fitting = (kind,) if notation is None else kinds_for(notation)
        typed = [one for one in fitting if one in own.times]
        other = f"; make it {' or '.join(typed)}" if typed else ", and has no type for it: use another database"
        if kind in KIND_NOTATIONS and kind not in own.times:
            raise ParameterError(f"{own.name} has no type {kind}, as the column {feature!r} should be{other}")
        if notation is not None and kind not in fitting:
            raise ParameterError(
                f"the column {feature!r} cannot be {kind}: the rules compare it as {notation.name}; "
                f"it may be {', '.join(fitting)}"
            )
        form = notation.format if isinstance(notation, DateNotation) else None
        if (
            isinstance(notation, DateNotation | TimeNotation)
            and kind in {"text", "mixed"}
            and (form or not own.reads_times)
        ):
            found = f"{own.name} cannot read text as {form or 'ISO 8601'}, as the column {feature!r} holds it"
            raise ParameterError(found + other)
        return kind


def find_column_kinds(program: Program, known: SqlColumns, given: Mapping[str, str]) -> dict[str, str]:
    """Find the kind of every column in use: as given, as in the model, or as literals show."""
    for feature, kind in given.items():
        if feature not in program.features:
            raise UnknownNameError(
                f"columns= names {feature!r}, which is not a feature{suggest(feature, program.features)}"
            )
        if kind not in get_args(ColumnKind):
            hint = suggest(str(kind), get_args(ColumnKind))
            raise ParameterError(f"columns= says that {feature!r} is {kind!r}, which is not a kind{hint}")
    return {
        feature: known.check_kind(feature, given[feature]) if feature in given else known.kind(feature, tests)
        for feature, tests in program.literals_by_feature().items()
    }
