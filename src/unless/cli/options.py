"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from unless.cli.completion import complete_columns, complete_formats

__all__ = [
    "Algorithm",
    "Categorical",
    "Data",
    "DropUnlabelled",
    "Exclude",
    "Format",
    "Include",
    "Json",
    "Missing",
    "Model",
    "Numeric",
    "Output",
    "Quiet",
    "Seed",
    "Strict",
    "Target",
]


class Algorithm(StrEnum):
    """What learns. An enumeration, because typer takes no list of `Literal`."""

    UNLESS = "unless"
    FOLD_RM = "fold-rm"
    FOLD_RPP = "fold-rpp"


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A CSV, TSV, JSON lines, Parquet, Arrow or Excel file (also .gz), a folder of them, or - for stdin.",
    ),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file, as fit writes it; or - for standard input.")]
Target = Annotated[
    str, typer.Option("--target", "-t", metavar="COLUMN", help="The column of labels.", autocompletion=complete_columns)
]
Numeric = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Read a column as numbers (repeat, or a,b).", autocompletion=complete_columns),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Read a column as categories.", autocompletion=complete_columns),
]
Exclude = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN", help="Leave a column out.", autocompletion=complete_columns)
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="Keep a column that looks like an identifier.", autocompletion=complete_columns
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(metavar="TEXT", help="A cell that means missing, in place of: empty, NA, N/A, NaN, null, ?"),
]
Format = Annotated[
    str | None,
    typer.Option(metavar="FORMAT", help="The format, whatever the file is called.", autocompletion=complete_formats),
]
DropUnlabelled = Annotated[bool, typer.Option("--drop-unlabelled", help="Leave out records whose label is missing.")]
Output = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to a file, whole or not at all; - is standard output."),
]
Seed = Annotated[int, typer.Option(metavar="N", help="What chance starts from; the same seed gives the same result.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print results and errors only.")]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse records with values that training did not have.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
