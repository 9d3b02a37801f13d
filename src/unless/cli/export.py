"""`unless export`: the rules of a model in another language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast
from typing import Literal as OneOf

import typer

from unless.cli.completion import complete_features
from unless.cli.console import Screen
from unless.cli.inputs import program_of, read, read_model
from unless.cli.options import Model, Output, Quiet
from unless.cli.outputs import check_files, write_document
from unless.errors import UnlessError, suggest

if TYPE_CHECKING:
    from unless.estimators.file import SavedModel
    from unless.export.code import Returns
    from unless.export.sql import What
    from unless.export.text import Style
    from unless.logic.write_prolog import Dialect as Prolog
    from unless.rule import Program
    from unless.table import Table

__all__ = ["export"]

_DIALECTS = {
    "sql": ("duckdb", "postgres", "sqlite", "spark", "bigquery", "snowflake", "mysql", "tsql"),
    "prolog": ("swi", "scasp", "both"),
}
_TAKES = {
    "clingo": {"records"},
    "prolog": {"records", "dialect"},
    "scasp": {"records"},
    "sql": {"dialect", "table", "what", "column"},
    "python": {"name", "returns"},
    "javascript": {"name", "returns"},
    "json": set[str](),
    "text": {"style"},
}
"""The options that each language has."""


def _complete_dialects(context: typer.Context, incomplete: str) -> list[str]:
    known = _DIALECTS.get(str(context.params.get("to")), sum(_DIALECTS.values(), ()))
    return [name for name in known if name.startswith(incomplete)]


def export(
    model: Model,
    *,
    to: Annotated[
        OneOf["clingo", "prolog", "scasp", "sql", "python", "javascript", "json", "text"],
        typer.Option("--to", help="The language; json and text are the rules alone."),
    ],
    output: Output = None,
    dialect: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"SQL: {', '.join(_DIALECTS['sql'])}. Prolog: {', '.join(_DIALECTS['prolog'])}.",
            autocompletion=_complete_dialects,
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="SQL: a whole query over that table, not an expression.")
    ] = None,
    what: Annotated[
        OneOf["label", "rule", "because"] | None, typer.Option(help="SQL: what the expression gives.  [default: label]")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=KIND",
            help="SQL: the kind of a column: number, text, mixed or boolean.",
            autocompletion=complete_features("="),
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Python, JavaScript: the name of the function.  [default: classify]"),
    ] = None,
    returns: Annotated[
        OneOf["label", "rule", "both"] | None,
        typer.Option(help="Python, JavaScript: what the function returns.  [default: label]"),
    ] = None,
    style: Annotated[
        OneOf["paper", "exclusive"] | None, typer.Option(help="Text: rules in order, or without.  [default: paper]")
    ] = None,
    records: Annotated[
        str | None, typer.Option(metavar="DATA", help="clingo, Prolog, s(CASP): add the facts of these records.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write the rules of a model in another language, where they decide every record alike.

    Example: unless export model.json --to sql --table applicants

    Example: unless export model.json --to clingo --records new.csv -o new.lp
    """
    given = {"dialect": dialect, "table": table, "what": what, "column": column, "name": name}
    given |= {"returns": returns, "style": style, "records": records}
    options: dict[str, Any] = {option: value for option, value in given.items() if value is not None}
    _refuse_others(to, options)
    screen = Screen(quiet=quiet)
    check_files(output, model, records)
    found = read_model(model)
    if records is not None:
        options["records"] = read(screen, records, like=found, features=program_of(found).used)
    write_document(_WRITERS[to](found, **options), output)
    if output not in (None, "-"):
        screen.note(f"wrote {output}")


def _refuse_others(to: str, options: dict[str, Any]) -> None:
    for option in options:
        if option not in _TAKES[to]:
            *those, last = (name for name, taken in _TAKES.items() if option in taken)
            known = f"{', '.join(those)} and {last}" if those else last
            raise typer.BadParameter(f"it is for {known}, not for {to}", param_hint=f"--{option}")
    if (dialect := options.get("dialect")) is not None and dialect not in _DIALECTS[to]:
        raise typer.BadParameter(f"no dialect {dialect!r}{suggest(dialect, _DIALECTS[to])}", param_hint="--dialect")


def _clingo(model: SavedModel | Program, records: Table | None = None) -> str:
    from unless.logic import to_clingo

    return to_clingo(program_of(model), records)


def _prolog(model: SavedModel | Program, records: Table | None = None, dialect: Prolog = "swi") -> str:
    from unless.logic import to_prolog

    return to_prolog(program_of(model), records, dialect)


def _scasp(model: SavedModel | Program, records: Table | None = None) -> str:
    return _prolog(model, records, "scasp")


def _sql(
    model: SavedModel | Program,
    dialect: str = "duckdb",
    table: str | None = None,
    what: What | None = None,
    column: Sequence[str] = (),
) -> str:
    try:
        from unless.export.query import to_query
        from unless.export.sql import to_sql
    except ImportError as error:
        raise UnlessError("SQL is written with sqlglot, which is not installed: pip install 'unless[sql]'") from error
    kinds = cast("Any", _kinds(column))
    if table is None:
        return to_sql(model, dialect, what or "label", kinds) + "\n"
    return to_query(model, table, dialect, ("label", "rule", "because") if what is None else (what,), kinds)


def _kinds(columns: Sequence[str]) -> dict[str, str]:
    kinds: dict[str, str] = {}
    for text in columns:
        name, sign, kind = text.rpartition("=")
        if not sign:
            raise typer.BadParameter(f"{text!r} has no =; write {text}=number", param_hint="--column")
        kinds[name] = kind
    return kinds


def _python(model: SavedModel | Program, name: str = "classify", returns: Returns = "label") -> str:
    from unless.export import to_python

    return to_python(program_of(model), name=name, returns=returns)


def _javascript(model: SavedModel | Program, name: str = "classify", returns: Returns = "label") -> str:
    from unless.export import to_javascript

    return to_javascript(program_of(model), name=name, returns=returns)


def _json(model: SavedModel | Program) -> str:
    from unless.export.json import dumps

    return dumps(program_of(model)) + "\n"


def _text(model: SavedModel | Program, style: Style = "paper") -> str:
    from unless.export import to_text

    return to_text(program_of(model), style) + "\n"


_WRITERS: dict[str, Callable[..., str]] = {
    "clingo": _clingo,
    "prolog": _prolog,
    "scasp": _scasp,
    "sql": _sql,
    "python": _python,
    "javascript": _javascript,
    "json": _json,
    "text": _text,
}
