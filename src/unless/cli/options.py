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


def _columns(what: str, panel: str = DATA) -> Any:
    return typer.Option(
        metavar="COLUMN", help=f"{what} (repeat, or a,b).", autocompletion=complete_columns, rich_help_panel=panel
    )


_DATA = "A CSV, TSV, JSON lines, Parquet, Arrow or Excel file (or .gz), a folder of them, or - for standard input."
_MISSING = "Cells with this text are missing (repeat).  [default: empty, spaces, NA, N/A, NaN, null, NULL, ?]"
_FORMAT = f"The format of the data, if its name does not show it: {', '.join(FORMATS)}."

Data = Annotated[str, typer.Argument(metavar="DATA", help=_DATA)]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file that fit wrote, or - for standard input.")]
Target = Annotated[str, target_option("The column with the labels.")]
Output = Annotated[str | None, output_option("Write to this file, completely or not at all; - is standard output.")]
Numeric = Annotated[list[str] | None, _columns("Read this column as numbers")]
Categorical = Annotated[list[str] | None, _columns("Read this column as categories")]
Date = Annotated[
    list[str] | None,
    typer.Option(
        "--date",
        metavar="COLUMN=FORMAT",
        help="Read this column as dates: when=%d.%m.%Y (repeat). Dates like 2020-08-01 or 31/12/2020 need no option.",
        autocompletion=complete_columns,
        rich_help_panel=DATA,
    ),
]
Order = Annotated[
    list[str] | None,
    typer.Option(
        "--order",
        metavar="COLUMN=A,B,…",
        help="The order of a column's categories, least first: size=S,M,L (repeat).",
        autocompletion=complete_columns,
        rich_help_panel=DATA,
    ),
]
Parts = Annotated[
    list[str] | None, _columns("Replace this column of dates by its weekday, month and hour, as when.weekday")
]
Exclude = Annotated[list[str] | None, _columns("Leave this column out")]
Include = Annotated[list[str] | None, _columns("Keep this column, though it looks like an identifier or is constant")]
Missing = Annotated[list[str] | None, typer.Option(metavar="TEXT", help=_MISSING, rich_help_panel=DATA)]
Format = Annotated[
    str | None, typer.Option(metavar="FORMAT", help=_FORMAT, autocompletion=complete_formats, rich_help_panel=DATA)
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="SIGN", help="What separates the fields of a text file: ',', ';', '|', tab.", rich_help_panel=DATA
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(metavar="SIGN", help="The decimal sign of a text file: a point or a comma.", rich_help_panel=DATA),
]
Encoding = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The encoding of a text file, such as cp1252 or utf-16.", rich_help_panel=DATA),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="The sheet of a workbook, by name or number.  [default: the first]", rich_help_panel=DATA
    ),
]
HeaderRow = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="The line, or row of a sheet, with the names of the columns; what is above is skipped.",
        rich_help_panel=DATA,
    ),
]
Skip = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, help="Skip so many lines before the names of the columns.", rich_help_panel=DATA),
]
Query = Annotated[
    str | None,
    typer.Option(
        metavar="SQL",
        help="The table or SELECT to learn from, if DATA is a DuckDB file or postgresql://…",
        rich_help_panel=DATA,
    ),
]
Blocks = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER",
        help="Keep what was read and the rules so far in this folder: after an interruption, the same command goes on.",
        rich_help_panel=DATA,
    ),
]
Unchanged = Annotated[
    bool,
    typer.Option(
        "--unchanged",
        help="With --blocks: the database has not changed, which only reading it would tell.",
        rich_help_panel=DATA,
    ),
]
Never = Annotated[list[str] | None, _columns("No rule may test this column", CONSTRAINTS)]
OnlyExceptions = Annotated[list[str] | None, _columns("Only exceptions may test this column", CONSTRAINTS)]
Apart = Annotated[
    list[str] | None,
    typer.Option(
        "--apart",
        metavar="A,B",
        help="Two columns that must not be in one rule together (repeat).",
        rich_help_panel=CONSTRAINTS,
    ),
]
Monotone = Annotated[
    list[str] | None,
    typer.Option(
        "--monotone",
        metavar="WISH",
        help="Which way decisions never move: 'income: more never refuse', or less instead of more (repeat).",
        rich_help_panel=CONSTRAINTS,
    ),
]
MaxLiterals = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="At most N tests in a rule, and in each exception; a range is two.",
        rich_help_panel=CONSTRAINTS,
    ),
]
MaxDepth = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=0, help="At most N levels of exceptions; 0 for rules without any.", rich_help_panel=CONSTRAINTS
    ),
]
ConstraintFile = Annotated[
    str | None,
    typer.Option(
        "--constraints",
        metavar="FILE",
        help="A TOML file with never, only_exceptions, apart, monotone, max_literals, max_depth; options add to it.",
        rich_help_panel=CONSTRAINTS,
    ),
]
Keep = Annotated[
    str | None,
    typer.Option(
        "--keep",
        metavar="MODEL",
        help="Learn around the rules of this model: they stay, and others come behind.",
        rich_help_panel=CONSTRAINTS,
    ),
]
Lock = Annotated[
    str | None,
    typer.Option(
        "--lock",
        metavar="1,3",
        help="With --keep: only these rules stay.  [default: all with conditions]",
        rich_help_panel=CONSTRAINTS,
    ),
]
DropUnlabelled = Annotated[
    bool, typer.Option("--drop-unlabelled", help="Leave out records without a label.", rich_help_panel=DATA)
]
Classes = Annotated[
    bool,
    typer.Option("--classes", help="The many numbers of the target are labels, not a quantity.", rich_help_panel=DATA),
]
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
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only results and errors.", rich_help_panel=OUTPUT)]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse records with values that training did not have.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.", rich_help_panel=OUTPUT)]
