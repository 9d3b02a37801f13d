"""What the shell offers when somebody presses Tab. Whatever goes wrong here, nobody sees a traceback."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import typer

from unless.errors import UnlessError

if TYPE_CHECKING:
    from unless.rule import Program

FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow", "excel")


def complete_columns(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the columns of the file that the command line names."""
    from unless.read.table import column_names

    data = _given(context, "data")
    try:
        names = column_names(data) if data and data != "-" else []
    except (UnlessError, OSError):
        return []
    return _offered(names, incomplete)


def complete_labels(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the labels that the rules of the model give."""
    program = _program(context)
    return _offered(map(str, program.labels) if program else (), incomplete)


def complete_features(ending: str = "") -> Callable[[typer.Context, str], list[str]]:
    """Offer the features that the rules of the model test, each followed by ``ending``."""

    def complete(context: typer.Context, incomplete: str) -> list[str]:
        program = _program(context)
        return [f"{name}{ending}" for name in _offered(program.used if program else (), incomplete)]

    return complete


def _offered(names: Iterable[str], incomplete: str) -> list[str]:
    """The names that start like that, without those that would do something to the terminal."""
    return [name for name in names if name.startswith(incomplete) and name.isprintable()]


def _program(context: typer.Context) -> Program | None:
    """The program in the model file that the command line names."""
    from unless.export.json import load

    model = _given(context, "model")
    try:
        return load(model) if model and model != "-" else None
    except (UnlessError, OSError):
        return None


def _given(context: typer.Context, argument: str) -> str | None:
    """An argument that the command line has so far.

    The parser stops at the option that is being completed, before it knows which argument is which: they are a list.
    """
    if (found := context.params.get(argument)) is not None:
        return str(found)
    names = [one.name for one in context.command.params if one.param_type_name == "argument"]
    given = dict(zip(names, context.args, strict=False))
    return given.get(argument)


def complete_formats(incomplete: str) -> list[str]:
    """Offer the formats of tables."""
    return [name for name in FORMATS if name.startswith(incomplete)]
