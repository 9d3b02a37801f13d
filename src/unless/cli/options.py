"""Options that several commands share, and what the shell offers for them when somebody presses Tab."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unless.errors import UnlessError

if TYPE_CHECKING:
    from unless.rule import Program

FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow", "excel")

DATA, LEARNER, CONSTRAINTS, OUTPUT = PANELS = ("Data", "Learner", "Constraints", "Output")
"""What options are about: help lists them in this order, after those that are about none of it."""


class Algorithm(StrEnum):
    """The learners. An enumeration, because typer does not accept a list of `Literal`."""

    UNLESS = "unless"
    FOLD_RM = "fold-rm"
    FOLD_RPP = "fold-rpp"
    COMMITTEE = "committee"


# What the shell offers. Whatever goes wrong here, nobody sees a traceback.


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


# Options.


def target_option(help: str) -> Any:
    """Return the option for the column with the labels."""
    return typer.Option(
        "--target", "-t", metavar="COLUMN", help=help, autocompletion=complete_columns, rich_help_panel=DATA
    )


def output_option(help: str) -> Any:
    """Return the option for the file to write."""
    return typer.Option("--output", "-o", metavar="FILE", help=help, rich_help_panel=OUTPUT)


def column_option(what: str, panel: str = DATA) -> Any:
    """Return an option that names columns."""
    return typer.Option(
        metavar="COLUMN", help=f"{what} (repeat, or a,b).", autocompletion=complete_columns, rich_help_panel=panel
    )


def data_option(metavar: str | None, help: str, *names: str, **more: Any) -> Any:
    """Return an option about the data."""
    return typer.Option(*names, metavar=metavar, help=help, rich_help_panel=DATA, **more)


_DATA = "A CSV, TSV, JSON lines, Parquet, Arrow or Excel file (or .gz), a folder of them, or - for standard input."
_MISSING = "Cells with this text are missing (repeat).  [default: empty, spaces, NA, N/A, NaN, null, NULL, ?]"

Data = Annotated[str, typer.Argument(metavar="DATA", help=_DATA)]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file that fit wrote, or - for standard input.")]
Target = Annotated[str, target_option("The column with the labels.")]
TrueLabels = Annotated[
    str | None, target_option("The column with the true labels, if its name is not that of training.")
]
Output = Annotated[str | None, output_option("Write to this file, completely or not at all; - is standard output.")]
Missing = Annotated[list[str] | None, data_option("TEXT", _MISSING)]
Positive = Annotated[
    str | None,
    typer.Option(metavar="LABEL", help="For fold-rpp: the label to learn rules for.", rich_help_panel=LEARNER),
]
Seed = Annotated[
    int,
    typer.Option(metavar="N", min=0, help="Random seed; the same seed gives the same result.", rich_help_panel=LEARNER),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Threads to learn with; the rules are the same.  [default: all cores]",
        rich_help_panel=LEARNER,
    ),
]
Changes = Annotated[int, typer.Option("--most", metavar="N", min=0, help="How many changed records to show.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only results and errors.", rich_help_panel=OUTPUT)]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse records with values that training did not have.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.", rich_help_panel=OUTPUT)]
