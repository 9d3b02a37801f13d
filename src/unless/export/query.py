"""Programs as a whole SQL query: the rows of a table with their label, the deciding rule and the reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp
from sqlglot.errors import SqlglotError

from unless.errors import ParameterError
from unless.export import sqlpoints
from unless.export.code import free_name
from unless.export.conditions import card_of
from unless.export.dialects import DIALECTS
from unless.export.sql import ColumnKind, What, prepared, to_sql, written
from unless.model import Model
from unless.rule import Program
from unless.values import Label

_COLUMNS: dict[What, str] = {"label": "predicted", "rule": "rule", "because": "because"}

_LONGEST = 40
"""The most characters of a label in the name of a column: PostgreSQL has room for 63."""


def to_query(
    program: Program | Model,
    table: str,
    dialect: str = "duckdb",
    whats: Sequence[What] = ("label", "rule", "because"),
    columns: Mapping[str, ColumnKind] | None = None,
) -> str:
    """Write a SELECT of all columns of a table, and of ``predicted``, ``rule`` and ``because``; see `to_sql`.

    With ``probability`` in ``whats`` there are ``predicted``, ``rule``, and for each label ``points_LABEL`` and
    ``probability_LABEL``; ``points_list`` is what the list adds so that its label leads. Of two labels, only the second
    has points.

    The name of the table is spelled as in SQL, such as ``sales.applicants`` or ``"My table"``. Where a feature or the
    target has the name of a new column, the new column gets another: ``rule_2``.
    """
    rules = program if isinstance(program, Program) else program.program_
    scored = "probability" in whats
    plain: list[What] = [what for what in whats if what != "probability"]
    if scored:
        plain = ["label", "rule", *(what for what in whats if what == "because")]
    names = _Names(rules)
    own = {what: names.free(_COLUMNS[what]) for what in plain}
    parts = [(to_sql(program, dialect, what, columns), own[what]) for what in plain]
    source = _table(table, dialect)
    if not scored:
        return f"{_select(parts, source)};\n"
    card = card_of(program)
    _, engine, writer = prepared(program, dialect, columns)

    def text(node: exp.Expression) -> str:
        return written(node, rules, engine)

    labels = [_plain(label) for label in card.classes]
    points = [names.free(f"points_{label}") for label in labels[-len(card.base) :]]
    listed, shown = names.free("points_list"), [names.free(f"probability_{label}") for label in labels]
    sums = map(text, sqlpoints.sums(card, writer))
    inner = _select([*parts, *zip(sums, points, strict=True)], source)
    middle = _select([(text(sqlpoints.list_points(card, own["rule"], points)), listed)], f"(\n{inner}\n) AS summed")
    shares = map(text, sqlpoints.shares(card, own["rule"], points, listed))
    outer = _select(list(zip(shares, shown, strict=True)), f"(\n{middle}\n) AS scored")
    return f"{outer};\n"


class _Names:
    """Names for new columns that no other column has."""

    def __init__(self, rules: Program) -> None:
        self._taken = {name.casefold() for name in (*rules.features, rules.target)}

    def free(self, name: str) -> str:
        found = free_name(name, self._taken)
        self._taken.add(found)
        return found


def _plain(label: Label) -> str:
    """A label as a part of a name."""
    return re.sub(r"[^0-9a-z]+", "_", str(label).lower()).strip("_")[:_LONGEST] or "label"


def _select(parts: Sequence[tuple[str, str]], source: str) -> str:
    """All columns of a source, and some expressions with names. Not indented: a text may have line breaks."""
    selected = ",\n".join(["*", *(f"{expression} AS {name}" for expression, name in parts)])
    return f"SELECT\n{selected}\nFROM {source}"


def _table(name: str, dialect: str) -> str:
    """The name of a table, with quotes around every part that needs them."""
    syntax = DIALECTS[dialect].syntax
    try:
        found = exp.to_table(name, dialect=syntax)
    except SqlglotError as error:
        raise ParameterError(f'{name!r} is not the name of a table; write one, such as sales or "My table"') from error
    for part in found.find_all(exp.Identifier):
        part.set("quoted", part.args.get("quoted") or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", part.name))
    return found.sql(syntax)
