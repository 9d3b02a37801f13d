"""Define the options that several commands share, and their completion in the shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unless.errors import UnlessError

if TYPE_CHECKING:
    from unless.rule import Program

FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow", "excel")

DATA, LEARNER, COSTS, CONSTRAINTS, OUTPUT = PANELS = ("Data", "Learner", "Costs", "Constraints", "Output")
"""The groups of options in the order of the help text, after the options without a group."""


class Algorithm(StrEnum):
    """The learners. An enumeration, because typer does not accept a list of `Literal`."""

    UNLESS = "unless"
    FOLD_RM = "fold-rm"
    FOLD_RPP = "fold-rpp"
    COMMITTEE = "committee"


# Completion in the shell: errors here never show a traceback.


def complete_columns(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the columns of the file that the command line names."""
    from unless.read.table import column_names

    data = _find_argument(context, "data")
    try:
        names = column_names(data) if data and data != "-" else []
    except (UnlessError, OSError):
        return []
    return _filter_completions(names, incomplete)


def complete_labels(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the labels that the rules of the model give."""
    program = _read_named_program(context)
    return _filter_completions(map(str, program.labels) if program else (), incomplete)


def complete_features(ending: str = "") -> Callable[[typer.Context, str], list[str]]:
    """Complete the features that the rules of the model test, each followed by ``ending``."""

    def complete(context: typer.Context, incomplete: str) -> list[str]:
        program = _read_named_program(context)
        return [f"{name}{ending}" for name in _filter_completions(program.used if program else (), incomplete)]

    return complete


def _filter_completions(names: Iterable[str], incomplete: str) -> list[str]:
    """Return the printable names that start with the typed text."""
    return [name for name in names if name.startswith(incomplete) and name.isprintable()]


def _read_named_program(context: typer.Context) -> Program | None:
    """Read the program in the model file that the command line names."""
    from unless.export.json import load

    model = _find_argument(context, "model")
    try:
        return load(model) if model and model != "-" else None
    except (UnlessError, OSError):
        return None


def _find_argument(context: typer.Context, argument: str) -> str | None:
    """Find an argument in the command line typed so far.

    The parser stops at the option that is being completed, before it assigns arguments, so they are still a list.
    """
    if (found := context.params.get(argument)) is not None:
        return str(found)
    names = [one.name for one in context.command.params if one.param_type_name == "argument"]
    given = dict(zip(names, context.args, strict=False))
    return given.get(argument)


def complete_formats(incomplete: str) -> list[str]:
    """Complete the formats of tables."""
    return [name for name in FORMATS if name.startswith(incomplete)]


# Options.


def value_option(
    metavar: str,
    help: str,
    *names: str,
    panel: str | None = None,
    low: float | None = None,
    high: float | None = None,
    complete: Any = None,
) -> Any:
    """Return an option that takes a value; by default it is named after the parameter."""
    return typer.Option(
        *names, metavar=metavar, help=help, rich_help_panel=panel, min=low, max=high, autocompletion=complete
    )


def flag_option(help: str, *names: str, panel: str | None = None) -> Any:
    """Return an option that takes no value, or one of a few choices."""
    return typer.Option(*names, help=help, rich_help_panel=panel)


def target_option(help: str) -> Any:
    """Return the option for the column with the labels."""
    return value_option("COLUMN", help, "--target", "-t", complete=complete_columns, panel=DATA)


def output_option(help: str) -> Any:
    """Return the option for the file to write."""
    return value_option("FILE", help, "--output", "-o", panel=OUTPUT)


def column_option(what: str, panel: str = DATA, *, repeat: bool = True) -> Any:
    """Return an option that names columns, or a single one."""
    about = f"{what} (repeat, or a,b)." if repeat else f"{what}."
    return value_option("COLUMN", about, complete=complete_columns, panel=panel)


data_option = partial(value_option, panel=DATA)


_DATA = "A CSV, TSV, JSON lines, Parquet, Arrow or Excel file (or .gz), a folder of them, or - for standard input."
_MISSING = "Cells with this text are missing (repeat).  [default: empty, spaces, NA, N/A, NaN, null, NULL, ?]"

Data = Annotated[str, typer.Argument(metavar="DATA", help=_DATA)]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file that fit wrote, or - for standard input.")]
Target = Annotated[str, target_option("The column with the labels.")]
TrueLabels = Annotated[str | None, target_option("The column with the true labels, if its name differs from training.")]
Output = Annotated[str | None, output_option("Write to this file, completely or not at all; - is standard output.")]
Missing = Annotated[list[str] | None, data_option("TEXT", _MISSING)]
Positive = Annotated[str | None, value_option("LABEL", "For fold-rpp: the label to learn rules for.", panel=LEARNER)]
Seed = Annotated[int, value_option("N", "Random seed; the same seed gives the same result.", low=0, panel=LEARNER)]
Jobs = Annotated[
    int | None, value_option("N", "Number of threads for learning.  [default: all cores]", low=1, panel=LEARNER)
]
Codes = Annotated[
    str | None,
    value_option("FILE", "A TOML file with codes and texts of reasons; unless reasons MODEL --template writes one."),
]
MostReasons = Annotated[int | None, value_option("N", "At most this many reasons.  [default: 4]", low=1, high=100)]
Changes = Annotated[int, value_option("N", "The number of changed records to show.", "--most", low=0)]
Quiet = Annotated[bool, flag_option("Print only results and errors.", "--quiet", "-q", panel=OUTPUT)]
Strict = Annotated[bool, flag_option("Reject records with values that training did not have.", "--strict")]
Json = Annotated[bool, flag_option("Print the result as JSON.", "--json", panel=OUTPUT)]
