"""`unless export`: write the rules of a model in another language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any
from typing import Literal as OneOf

import typer

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions
from unless.cli.file_io import check_file_conflicts, open_terminal, write_document
from unless.cli.loading import DataSource, read_any_model, read_records
from unless.cli.options import Codes, Model, MostReasons, Output, Quiet, complete_features, flag_option, value_option
from unless.cli.related_tables import related_text
from unless.errors import ParameterError, UnlessError, join_choices, suggest
from unless.explanation.reasons_file import read_reason_words
from unless.export import to_javascript, to_python, to_rules, to_text
from unless.export.json import dumps
from unless.files import write_whole
from unless.model import Model as FittedModel
from unless.model import decider_of, program_of
from unless.rule import Program
from unless.values.spelling import CONTROLS

if TYPE_CHECKING:
    from unless.export.sql import What

_DIALECTS = {
    "sql": ("duckdb", "postgres", "sqlite", "spark", "mysql", "bigquery", "snowflake", "tsql"),
    "prolog": ("swi", "scasp", "both"),
}
_TAKES = {
    "clingo": {"records"},
    "prolog": {"records", "dialect"},
    "scasp": {"records"},
    "sql": {"dialect", "table", "what", "column", "codes", "most"},
    "python": {"name", "returns", "codes", "most"},
    "javascript": {"name", "returns", "codes", "most"},
    "onnx": set[str](),
    "json": set[str](),
    "rules": set[str](),
    "text": {"style"},
}
"""The options of each language."""

_VOTING = ("sql", "python", "javascript", "onnx")
"""The languages that a committee can be written in."""


def _complete_dialects(context: typer.Context, incomplete: str) -> list[str]:
    known = _DIALECTS.get(str(context.params.get("to")), sum(_DIALECTS.values(), ()))
    return [name for name in known if name.startswith(incomplete)]


def export(
    model: Model,
    *,
    to: Annotated[
        OneOf["rules", "clingo", "prolog", "scasp", "sql", "python", "javascript", "onnx", "json", "text"],
        flag_option("The language: rules is text to edit, json only the rules, text the paper's form.", "--to"),
    ],
    output: Output = None,
    dialect: Annotated[
        str | None,
        value_option(
            "NAME",
            f"SQL: {', '.join(_DIALECTS['sql'])} (mysql was run in MariaDB, the last three in no database). "
            f"Prolog: {', '.join(_DIALECTS['prolog'])}.",
            complete=_complete_dialects,
        ),
    ] = None,
    table: Annotated[
        str | None, value_option("NAME", "SQL: write a whole query over this table, not an expression.")
    ] = None,
    what: Annotated[
        OneOf["label", "rule", "because", "probability", "reasons"] | None,
        flag_option(
            "SQL: what the expression returns; reasons need --table; a committee has only label and probability.  "
            "[default: label]"
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        value_option(
            "NAME=KIND",
            "SQL: the kind of a column (repeat): number, text, mixed, boolean, date, timestamp, time, …",
            complete=complete_features("="),
        ),
    ] = None,
    name: Annotated[
        str | None, value_option("NAME", "Python, JavaScript: the name of the function.  [default: classify]")
    ] = None,
    returns: Annotated[
        OneOf["label", "rule", "both", "points", "probability", "costs", "reasons"] | None,
        flag_option(
            "Python, JavaScript: what the function returns; rule, both and reasons need a model in which one rule "
            "decides, costs one that decides by costs.  "
            "[default: label]"
        ),
    ] = None,
    codes: Codes = None,
    most: MostReasons = None,
    style: Annotated[
        OneOf["paper", "exclusive"] | None,
        flag_option("Text: rules in order, or rules whose order does not matter.  [default: paper]"),
    ] = None,
    records: Annotated[
        str | None, value_option("DATA", "clingo, Prolog, s(CASP): add the records of this file as facts.")
    ] = None,
    file: FileOptions,
    quiet: Quiet = False,
) -> None:
    """Write the rules of a model in another language, where they decide every record the same way.

    Example: unless export model.json --to sql --table applicants

    Example: unless export model.json --to clingo --records new.csv -o new.lp
    """
    given: dict[str, Any] = {"dialect": dialect, "table": table, "what": what, "column": column}
    given |= {"name": name, "returns": returns, "style": style, "records": records, "codes": codes, "most": most}
    options = {option: value for option, value in given.items() if value is not None}
    _refuse_foreign_options(to, options)
    if to == "onnx":
        _require_file_name(output)
    screen = Screen(quiet=quiet)
    if records is None and file.words:
        raise typer.BadParameter("it needs --records", param_hint=file.words.split()[0])
    check_file_conflicts(output, model, records, codes, format=file.format)
    found = read_any_model(model)
    options |= _read_codes(options.pop("codes", None), found)
    if (text := related_text(found, to, dialect)) is not None:
        write_document(text, output)
        return
    decider = decider_of(found)
    if not decider.by_rule and to not in _VOTING:
        raise ParameterError(
            f"a {decider.noun} cannot be written as {to}, only as {join_choices(_VOTING)}; "
            "a list that decides by its rules can: unless fit --algorithm unless --decide rules, without --reject"
        )
    if records is not None:
        del options["records"]
        source = DataSource.of(records, file)
        options["table"] = read_records(screen, source, like=found, features=program_of(found).used)
    if to == "onnx":
        write_whole(_require_file_name(output), _onnx_bytes(found))
    elif to == "sql":
        _write_sql(_sql_text(found, **options), output)
    else:  # only code can contain the points of the model
        if "returns" in options:
            options["what"] = options.pop("returns")
        text = _WRITERS[to](found if to in ("python", "javascript", "rules") else program_of(found), **options)
        write_document(text, output)
    if output not in (None, "-"):
        screen.note(f"wrote {output}")


def _refuse_foreign_options(to: str, options: dict[str, Any]) -> None:
    for option in options:
        if option not in _TAKES[to]:
            *those, last = (name for name, taken in _TAKES.items() if option in taken)
            known = f"{', '.join(those)} and {last}" if those else last
            raise typer.BadParameter(f"it is for {known}, not for {to}", param_hint=f"--{option}")
    if (dialect := options.get("dialect")) is not None and dialect not in _DIALECTS[to]:
        raise typer.BadParameter(f"no dialect {dialect!r}{suggest(dialect, _DIALECTS[to])}", param_hint="--dialect")

    for option in ("codes", "most"):
        if option in options and "reasons" not in (options.get("what"), options.get("returns")):
            wanted = "--what reasons" if to == "sql" else "--returns reasons"
            raise typer.BadParameter(f"it needs {wanted}", param_hint=f"--{option}")


def _read_codes(path: str | None, model: FittedModel | Program) -> dict[str, Any]:
    """Read the wording of reasons, if a file is given."""
    return {} if path is None else {"words": read_reason_words(path, model)}


def _require_file_name(output: str | None) -> str:
    """Return the name of the output file; binary output needs one."""
    if output in (None, "-"):
        raise typer.BadParameter("an ONNX graph is not text; name a file: -o model.onnx", param_hint="--output")
    return output


def _write_sql(text: str, output: str | None) -> None:
    """Write SQL; column names with control characters, which SQL cannot escape, are written only to a file."""
    if output in (None, "-") and open_terminal(output) is None and (found := CONTROLS.search(text)):
        line = text[text.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0].strip()
        raise ParameterError(
            f"a name has the control character {found.group()!r}, which SQL has no escape for: {line:.80}; "
            "write it to a file: -o rules.sql"
        )
    write_document(text, output)


def _onnx_bytes(model: FittedModel | Program) -> bytes:
    try:
        from unless.export.onnx import to_onnx
    except ImportError as error:
        raise UnlessError("ONNX needs onnx, which is not installed: pip install 'unless[onnx]'") from error
    written: bytes = to_onnx(model).SerializeToString()
    return written


def _sql_text(
    model: FittedModel | Program,
    dialect: str = "duckdb",
    table: str | None = None,
    what: What | None = None,
    column: Sequence[str] = (),
    **reasons: Any,
) -> str:
    try:
        from unless.export.sql import to_sql
        from unless.export.sql_dialects import UNTRIED
        from unless.export.sql_query import to_query
    except ImportError as error:
        raise UnlessError("SQL needs sqlglot, which is not installed: pip install 'unless[sql]'") from error
    kinds: dict[str, Any] = {}
    for text in column:
        name, sign, kind = text.rpartition("=")
        if not sign:
            raise typer.BadParameter(f"{text!r} has no =; write {text}=number", param_hint="--column")
        kinds[name] = kind
    remark = f"-- Written from the manual: {dialect} was never run in its database. Try it first.\n" * (
        dialect in UNTRIED
    )
    if table is None:
        return f"{remark}{to_sql(model, dialect, what or 'label', kinds)}\n"
    whats: Any = ["label", "rule", "reasons"] if what == "reasons" else what
    return remark + to_query(model, table, dialect, whats, kinds, **reasons)


def _logic_text(program: Program, function: str, **options: Any) -> str:
    text: str = getattr(import_module("unless.logic"), function)(program, **options)  # 30 ms for logic programs alone
    return text


_WRITERS: dict[str, Callable[..., str]] = {
    "clingo": partial(_logic_text, function="to_clingo"),
    "prolog": partial(_logic_text, function="to_prolog"),
    "scasp": partial(_logic_text, function="to_prolog", dialect="scasp"),
    "python": to_python,
    "javascript": to_javascript,
    "json": lambda program: dumps(program) + "\n",
    "rules": lambda model: to_rules(model) + "\n",
    "text": lambda program, **options: to_text(program, **options) + "\n",
}
"""The function that writes a program in each language except SQL, which needs the columns of the model too."""
