"""`unless card`: a model card, for people who have to trust a model, defend it or use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from typing import Literal as OneOf

import typer

from unless.cli.console import Screen
from unless.cli.file_io import Reading, check_files, listed, read_any_model, read_labelled, write_document
from unless.cli.layout import unseen_lines
from unless.cli.options import (
    Decimal,
    Delimiter,
    Encoding,
    Format,
    HeaderRow,
    Model,
    Quiet,
    Sheet,
    Skip,
    complete_columns,
    output_option,
    target_option,
)
from unless.errors import ParameterError, UnknownNameError, suggest
from unless.evaluation.drift_results import Watch
from unless.evaluation.stability import Stability
from unless.evaluation.unseen_values import unknown_labels
from unless.report.card import model_card
from unless.report.card_rendering import format_of, written
from unless.rule import Program

if TYPE_CHECKING:
    from unless.model import Model as FittedModel
    from unless.table import Table


def card(
    model: Model,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="Labelled records, in any format that fit takes: the data of the model, or new records.",
            show_default=False,
        ),
    ] = None,
    *,
    output: Annotated[str, output_option("The card to write: .md, .html or .json; - is standard output.")] = "-",
    to: Annotated[
        OneOf["markdown", "html", "json"] | None,
        typer.Option(help="The format, if the name of the file does not show it.  [default: markdown]"),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Subgroups: figures for each value of this column of DATA (repeat, or a,b).",
            autocompletion=complete_columns,
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="The heading of the card.")] = None,
    purpose: Annotated[str | None, typer.Option(metavar="TEXT", help="What the model is for.")] = None,
    not_for: Annotated[str | None, typer.Option(metavar="TEXT", help="What it must not be used for.")] = None,
    stability: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Learn again from N bootstraps of DATA, and name unstable rules."),
    ] = None,
    watch: Annotated[
        str | None, typer.Option(metavar="FILE", help="Newer records: say what has moved since training.")
    ] = None,
    target: Annotated[
        str | None, target_option("The column with the true labels, if its name is not that of training.")
    ] = None,
    format: Format = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    skip: Skip = None,
    quiet: Quiet = False,
) -> None:
    """Write a model card: what the model is, its data, how good it is on unseen records, subgroups, limits, settings.

    Figures are those of the records that fit held back. Without such records they are of DATA, and the card says so.
    SOURCE_DATE_EPOCH sets the date of the card, so that the same model gives the same card.

    Example: unless card model.json -o card.md --purpose Loans

    Example: unless card model.json applicants.csv --by age -o card.html
    """
    form = to or ("markdown" if output == "-" else format_of(output))
    if data is None and (by or stability):
        raise typer.BadParameter("it needs records; name DATA", param_hint="--by" if by else "--stability")
    check_files(output, model, data, watch, format=format)
    screen = Screen(quiet=quiet, aside=output == "-")
    found = read_any_model(model)
    if isinstance(found, Program):
        raise ParameterError(f"{model} has only rules, not what is known about them; give a model that fit wrote")
    how = Reading(format, delimiter, decimal, encoding, sheet, header_row, skip)
    table, columns = (None, []) if data is None else _read(screen, found, data, target, by, how)
    screen.note(*unseen_lines(() if table is None else unknown_labels(found, table.target)))
    made = model_card(
        found,
        table,
        learner=found.learner,
        parameters=found.parameters,
        data=data,
        by=columns,
        title=title,
        purpose=purpose,
        not_for=not_for,
        stability=None if table is None or not stability else _stability(screen, found, table, str(data), stability),
        watch=None if watch is None else _watch(found, watch, how),
    )
    write_document(written(made, form), output)
    if output != "-":
        tested = "no test" if made.tests is None else f"accuracy {made.tests.accuracy.text} on {made.tests.on}"
        screen.note(f"{output}: {made.decides}, {tested}")


def _read(
    screen: Screen, model: FittedModel, data: str, target: str | None, by: list[str] | None, how: Reading
) -> tuple[Table, list[str]]:
    """Return the records, with all features of training and the columns of subgroups, and the names of these."""
    from unless.cli.file_io import source_of
    from unless.read.table import column_names

    features = list(model.schema.kinds)
    names = features
    if by:
        source, known = source_of(data, how) if data != "-" else (None, how)
        names = features if source is None else column_names(source, **known.options)
    columns = listed(by, names)
    others = [name for name in columns if name not in features]
    if lacking := [name for name in others if data != "-" and name not in names]:
        raise UnknownNameError(f"{data}: no column {lacking[0]!r}{suggest(lacking[0], names)} (--by)")
    return read_labelled(screen, data, model, target, features=[*features, *others], how=how), columns


def _stability(screen: Screen, model: FittedModel, table: Table, data: str, refits: int) -> Stability:
    from unless.cli.stability import refitted

    stable, complete = refitted(screen, model, table, data, refits)
    if not complete:
        raise KeyboardInterrupt
    return stable


def _watch(model: FittedModel, data: str, how: Reading) -> Watch:
    from unless.stream import watch_file

    return watch_file(model, data, **how.options)
