"""Write relational programs as one SQL query: a grouped `WITH` table for each feature, joined to individuals by key.

A relation is a table of the same name with columns ``a1``, ``a2``, …, or the table and columns given in `tables`. A row
with NULL, or with NaN for a number, is no fact.

    WITH f1 AS (SELECT DISTINCT i.x1 FROM individuals i JOIN has_car g1 ON g1.a1 = i.x1 JOIN …)
    SELECT i.x1, CASE WHEN f1.x1 IS NOT NULL THEN 'pos' ELSE 'neg' END AS f
    FROM individuals i LEFT JOIN f1 ON f1.x1 = i.x1
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import get_args

from unless.errors import ParameterError, suggest
from unless.relational.definitions import Argument, Definition, Goal
from unless.relational.evaluation import NO, YES, bindings, decimal_places
from unless.relational.goal_order import in_order, is_number, number_variables, types_by_tests
from unless.relational.program import RelationalProgram
from unless.relational.world import NUMBER, Signature, World
from unless.rule import Literal, Rule
from unless.values import Label

SqlDialect = OneOf["duckdb", "postgres", "sqlite"]

_PLACES = 6
"""The decimals of numbers that are added up, if no world gives the number of decimals."""

_DOUBLE = {"duckdb": "DOUBLE", "postgres": "DOUBLE PRECISION", "sqlite": "REAL"}
_NOT_NAN = {"duckdb": "NOT isnan({})", "postgres": "{} <> 'NaN'", "sqlite": ""}


@dataclass(frozen=True, slots=True)
class SqlTable:
    """A table, and its column for each argument of a relation or for each entity of an individual."""

    name: str
    columns: tuple[str, ...]


def relational_to_sql(
    program: RelationalProgram,
    dialect: SqlDialect = "duckdb",
    *,
    world: World | None = None,
    tables: Mapping[Signature, SqlTable] | None = None,
    individuals: SqlTable | None = None,
) -> str:
    """Write a query that returns the label of every individual.

    Parameters
    ----------
    dialect
        ``duckdb``, ``postgres`` or ``sqlite``.
    world
        The world shows which arguments are numbers, and how many decimals summed numbers have: 6 without a world.
    tables, individuals
        The table of each relation's facts, and of the individuals; default ``individuals`` with ``x1`` (and ``x2``).
    """
    if dialect not in get_args(SqlDialect):
        raise ParameterError(f"no dialect {dialect!r}{suggest(str(dialect), get_args(SqlDialect))}")
    return _Query(program, dialect, world, dict(tables or {}), individuals).text()


class _Query:
    """Writes one program as one query."""

    def __init__(
        self,
        program: RelationalProgram,
        dialect: SqlDialect,
        world: World | None,
        tables: dict[Signature, SqlTable],
        individuals: SqlTable | None,
    ) -> None:
        self.program, self.dialect, self.world, self.tables = program.program, dialect, world, tables
        self.definitions = program.used.definitions
        width = program.features.width
        self.individuals = individuals or SqlTable("individuals", tuple(f"x{k + 1}" for k in range(width)))
        self.types = {} if world is None else {one: relation.types for one, relation in world.relations.items()}
        self.types = self.types or types_by_tests(self.program, self.definitions)
        self.keys = [f"x{place + 1}" for place in range(width)]
        used = {
            self.table(one).name.lower() for definition in self.definitions.values() for one in definition.relations
        }
        prefix = "f"
        while any(name.startswith(prefix) and name[len(prefix) :].isdecimal() for name in used):
            prefix += "_"
        self.names = {name: f"{prefix}{place}" for place, name in enumerate(self.definitions, 1)}

    def table(self, signature: Signature) -> SqlTable:
        """Return the table of a relation."""
        if signature in self.tables:
            return self.tables[signature]
        return SqlTable(signature[0], tuple(f"a{place + 1}" for place in range(signature[1])))

    def text(self) -> str:
        """Write the whole query."""
        parts = [
            part for name, definition in self.definitions.items() for part in self.feature(self.names[name], definition)
        ]
        keys = [f"i.{quoted(column)}" for column in self.individuals.columns]
        pairs = list(zip(self.keys, keys, strict=True))
        joins = [
            f"LEFT JOIN {one} ON " + " AND ".join(f"{one}.{key} = {own}" for key, own in pairs) for one, _ in parts
        ]
        lines = ["WITH " + ",\n".join(f"{name} AS (\n  {query}\n)" for name, query in parts)] if parts else []
        lines += [f"SELECT {', '.join(keys)}, {self.case()} AS {quoted(self.program.target)}"]
        return "\n".join([*lines, f"FROM {quoted(self.individuals.name)} i", *joins])

    # Writing features.

    def feature(self, name: str, definition: Definition) -> list[tuple[str, str]]:
        """Write the `WITH` tables of a feature, by name."""
        keys = ", ".join(self.keys)
        if definition.how == "exists":
            return [(name, self.rows(definition, definition.goals, {}))]
        if definition.how in ("count", "share"):
            over = {f"o{place}": one for place, one in enumerate(definition.over, 1)}
            count = f"SELECT {keys}, count(*) AS v FROM ({{}}) d GROUP BY {keys}"
            found = [(name, count.format(self.rows(definition, definition.goals, over)))]
            if definition.how == "share":
                among = definition.goals[: definition.among]
                found.append((f"{name}_of", count.format(self.rows(definition, among, over))))
            return found
        over = {"v": definition.value or 0} | {f"o{place}": one for place, one in enumerate(definition.over, 1)}
        if definition.by is not None:
            over["t"] = definition.by
        rows = self.rows(definition, definition.goals, over)
        if definition.how == "latest":
            order = f"PARTITION BY {keys} ORDER BY t DESC, {self._sorted(definition)} DESC"
            ranked = f"SELECT {keys}, v, row_number() OVER ({order}) AS n FROM ({rows}) d"
            return [(name, f"SELECT {keys}, v FROM ({ranked}) e WHERE n = 1")]
        return [(name, f"SELECT {keys}, {self.aggregate(definition)} AS v FROM ({rows}) d GROUP BY {keys}")]

    def aggregate(self, definition: Definition) -> str:
        """Write the number of a group of parts; sums are computed over whole numbers, so they are exact."""
        if definition.how in ("least", "value"):
            return f"min({self._sorted(definition)})"
        if definition.how == "greatest":
            return "max(v)"
        places = self._places(definition)
        if places is None:
            return "sum(v)" if definition.how == "sum" else "avg(v)"
        unit = f"CAST({10**places} AS {_DOUBLE[self.dialect]})"
        total = f"sum(round(v * {unit}))"
        return f"{total} / {unit}" if definition.how == "sum" else f"{total} / ({unit} * count(*))"

    def _places(self, definition: Definition) -> int | None:
        if self.world is None or definition.value is None:
            return _PLACES
        found = bindings(self.world, definition.goals)
        return decimal_places(found.columns[definition.value])

    def _sorted(self, definition: Definition) -> str:
        """Write a value for sorting: texts sort by their characters, whatever the collation of the database."""
        plain = self.dialect != "postgres" or is_number(definition, self.types)
        return "v" if plain else 'v COLLATE "C"'

    def rows(self, definition: Definition, goals: Sequence[Goal], columns: Mapping[str, int]) -> str:
        """Select the distinct individuals, with some variables, that satisfy goals."""
        numbers = number_variables(definition, self.types)
        at = {place: f"i.{quoted(column)}" for place, column in enumerate(self.individuals.columns)}
        joins: list[str] = []
        where: list[str] = []
        for goal in in_order(goals, at):
            if goal.compares:
                op = "<>" if goal.name == "!=" else goal.name
                where.append(f" {op} ".join(self.side(one, at) for one in goal.arguments))
            else:
                joins.append(self.join(goal, at, numbers, f"g{len(joins) + 1}"))
        keys = ", ".join(f"{at[place]} AS {key}" for place, key in enumerate(self.keys))
        values = "".join(f", {self.value(at[one], number=one in numbers)} AS {name}" for name, one in columns.items())
        source = " ".join([f"{quoted(self.individuals.name)} i", *joins])
        return f"SELECT DISTINCT {keys}{values} FROM {source}" + (f" WHERE {' AND '.join(where)}" if where else "")

    def value(self, expression: str, *, number: bool) -> str:
        """Write a value of a feature; categories are texts."""
        return expression if number or self.dialect == "sqlite" else f"CAST({expression} AS VARCHAR)"

    def join(self, goal: Goal, at: dict[int, str], numbers: frozenset[int], alias: str) -> str:
        """Join a relation by its bound variables; its other variables are bound from now on."""
        signature = goal.name, len(goal.arguments)
        table, kinds = self.table(signature), self.types.get(signature)
        on: list[str] = []
        for place, (one, column) in enumerate(zip(goal.arguments, table.columns, strict=True)):
            cell = f"{alias}.{quoted(column)}"
            is_numeric = one in numbers if isinstance(one, int) else isinstance(one, float)
            if is_numeric or (kinds is not None and kinds[place] == NUMBER):
                cell = f"CAST({cell} AS {_DOUBLE[self.dialect]})"
                on += [_NOT_NAN[self.dialect].format(cell)] if _NOT_NAN[self.dialect] else []
            if one is None or (isinstance(one, int) and one not in at):
                on.append(f"{cell} IS NOT NULL")
                at |= {} if one is None else {one: cell}
            else:
                on.append(f"{cell} = {self.side(one, at)}")
        return f"JOIN {quoted(table.name)} {alias} ON {' AND '.join(on)}"

    def side(self, argument: Argument, at: Mapping[int, str]) -> str:
        """Write a bound variable, a constant or a number."""
        if isinstance(argument, float):
            return self.number(argument)
        return at[argument] if isinstance(argument, int) else text(str(argument))

    def number(self, number: float) -> str:
        """Write a number, including infinities."""
        if math.isinf(number) and self.dialect == "sqlite":
            return "9e999" if number > 0 else "-9e999"
        spelled = f"'{'-' * (number < 0)}Infinity'" if math.isinf(number) else repr(number)
        return f"CAST({spelled} AS {_DOUBLE[self.dialect]})" if math.isinf(number) else spelled

    # Writing rules.

    def case(self) -> str:
        """Write the label of the first rule that holds."""
        cases = [
            f"WHEN {self.rule(rule)} THEN {self.label(rule.head)}"
            for rule in self.program.rules
            if rule.head is not None
        ]
        rest = "NULL" if self.program.otherwise is None else self.label(self.program.otherwise)
        return "CASE\n  " + "\n  ".join([*cases, f"ELSE {rest} END"]) if cases else rest

    def rule(self, rule: Rule) -> str:
        """Write the condition under which a rule holds."""
        parts = [self.literal(one) for one in rule.default] + [f"NOT ({self.rule(one)})" for one in rule.exceptions]
        return " AND ".join(parts) or "TRUE"

    def label(self, label: Label) -> str:
        """Write a label."""
        if isinstance(label, str):
            return text(label)
        return self.number(label) if isinstance(label, float) else str(label).upper()

    def literal(self, literal: Literal) -> str:
        """Write the condition of a literal, which is never NULL."""
        name, definition = self.names[literal.feature], self.definitions[literal.feature]
        number = is_number(definition, self.types)
        if definition.how == "exists":
            return _yes_or_no(literal, f"{name}.{self.keys[0]}")
        value = f"{name}.v"
        if definition.how == "count":
            value = f"coalesce({value}, 0)"
        elif definition.how == "share":
            value = f"CAST(coalesce({value}, 0) AS {_DOUBLE[self.dialect]}) / {name}_of.v"
        match literal.op:
            case "missing":
                return f"{value} IS NULL"
            case "present":
                return f"{value} IS NOT NULL"
            case "==":
                return "FALSE" if number else f"coalesce({value} = {text(str(literal.value))}, FALSE)"
            case "!=":
                return "TRUE" if number else f"coalesce({value} <> {text(str(literal.value))}, TRUE)"
        limit = self.number(float(literal.value))  # type: ignore[arg-type]
        return f"coalesce({value} {literal.op} {limit}, FALSE)" if number else "FALSE"


def _yes_or_no(literal: Literal, key: str) -> str:
    match literal.holds(YES), literal.holds(NO):
        case True, False:
            return f"{key} IS NOT NULL"
        case False, True:
            return f"{key} IS NULL"
        case both, _:
            return "TRUE" if both else "FALSE"


def quoted(name: str) -> str:
    """Quote the name of a table or a column."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """Quote a text."""
    return "'" + value.replace("'", "''") + "'"
