"""Programs as a whole SQL query: the rows of a table with their label, the deciding rule and the reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp
from sqlglot.errors import SqlglotError

from unless.errors import ParameterError
from unless.export.code import free_name
from unless.export.dialects import DIALECTS
from unless.export.sql import ColumnKind, VotedColumn, What, to_sql
from unless.model import Model
from unless.rule import Program
from unless.score.committee import Committee, committee_of

_COLUMNS = {"label": "predicted", "rule": "rule", "because": "because", "probability": "confidence"}


def to_query(
    program: Program | Committee | Model,
    table: str,
    dialect: str = "duckdb",
    whats: Sequence[What | VotedColumn] | None = None,
    columns: Mapping[str, ColumnKind] | None = None,
) -> str:
    """Write a SELECT of all columns of a table, and of ``predicted``, ``rule`` and ``because``; see `to_sql`.

    Of a committee, the new columns are ``predicted`` and ``confidence``.

    The name of the table is spelled as in SQL, such as ``sales.applicants`` or ``"My table"``. Where a feature or the
    target has the name of a new column, the new column gets another: ``rule_2``.
    """
    committee = committee_of(program)
    rules = committee or (program if isinstance(program, Program | Committee) else program.program_)
    whats = whats or (("label", "probability") if committee else ("label", "rule", "because"))
    taken = {name.casefold() for name in (*rules.features, rules.target)}
    # Not indented: a text may have line breaks.
    parts = [f"{to_sql(program, dialect, what, columns)} AS {free_name(_COLUMNS[what], taken)}" for what in whats]
    selected = ",\n".join(["*", *parts])
    return f"SELECT\n{selected}\nFROM {_table(table, dialect)};\n"


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
