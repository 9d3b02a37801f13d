"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from unless.cli.completion import FORMATS, complete_columns, complete_formats


class Algorithm(StrEnum):
    """The learners. An enumeration, because typer does not accept a list of `Literal`."""

    UNLESS = "unless"
    FOLD_RM = "fold-rm"
    FOLD_RPP = "fold-rpp"


def _columns(what: str) -> Any:
    return typer.Option(metavar="COLUMN", help=f"{what} (repeat, or a,b).", autocompletion=complete_columns)


_DATA = "A CSV, TSV, JSON lines, Parquet, Arrow or Excel file (or .gz), a folder of them, or - for standard input."
_LABELS = "The column with the labels."
_OUTPUT = "Write to this file, completely or not at all; - is standard output."
_MISSING = "Cells with this text are missing (repeat).  [default: empty, NA, N/A, NaN, null, ?]"
_FORMAT = f"The format of the data, if its name does not tell: {', '.join(FORMATS)}."

Data = Annotated[str, typer.Argument(metavar="DATA", help=_DATA)]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file that fit wrote, or - for standard input.")]
Target = Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help=_LABELS, autocompletion=complete_columns)]
Output = Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help=_OUTPUT)]
Numeric = Annotated[list[str] | None, _columns("Read this column as numbers")]
Categorical = Annotated[list[str] | None, _columns("Read this column as categories")]
Exclude = Annotated[list[str] | None, _columns("Leave this column out")]
Include = Annotated[list[str] | None, _columns("Keep this column, though it looks like an identifier")]
Missing = Annotated[list[str] | None, typer.Option(metavar="TEXT", help=_MISSING)]
Format = Annotated[str | None, typer.Option(metavar="FORMAT", help=_FORMAT, autocompletion=complete_formats)]
DropUnlabelled = Annotated[bool, typer.Option("--drop-unlabelled", help="Leave out records without a label.")]
Seed = Annotated[int, typer.Option(metavar="N", help="Random seed; the same seed gives the same result.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only results and errors.")]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse records with values that training did not have.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
