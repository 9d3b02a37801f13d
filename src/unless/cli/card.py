"""`unless card`: write a model card, for people who have to trust, defend or use a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from typing import Literal as OneOf

import typer

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions, split_names
from unless.cli.file_io import check_file_conflicts, write_document
from unless.cli.layout import render_unseen_values
from unless.cli.loading import DataSource, read_fitted_model, read_labelled
from unless.cli.options import Model, Quiet, TrueLabels, complete_columns, flag_option, output_option, value_option
from unless.cli.related_records import (
    card_in_words,
    read_labelled_relations,
    refuse_one_table,
    watch_in_words,
    watch_relations,
    words_of_relations,
)
from unless.cli.related_tables import RelationOptions, decider_of_relations, refuse_single, related_sources
from unless.cli.stability import measure_stability_fully
from unless.errors import UnknownNameError, suggest
from unless.evaluation.unseen_values import unknown_labels
from unless.explanation.words import DEFAULT
from unless.report.card import model_card
from unless.report.card_rendering import file_text, format_of
from unless.stream import watch_file

if TYPE_CHECKING:
    from unless.model import Model as FittedModel
    from unless.table import Table


def card(
    model: Model,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="Labelled records, in any format that fit reads: the data of the model, or new records.",
            show_default=False,
        ),
    ] = None,
    *,
    output: Annotated[str, output_option("The card to write (.md, .html or .json); - is standard output.")] = "-",
    to: Annotated[
        OneOf["markdown", "html", "json"] | None,
        flag_option("The format, if the file extension does not determine it.  [default: markdown]"),
    ] = None,
    by: Annotated[
        list[str] | None,
        value_option(
            "COLUMN",
            "Subgroups: figures for each value of this column of DATA (repeat, or a,b).",
            complete=complete_columns,
        ),
    ] = None,
    title: Annotated[str | None, value_option("TEXT", "The heading of the card.")] = None,
    purpose: Annotated[str | None, value_option("TEXT", "What the model is for.")] = None,
    not_for: Annotated[str | None, value_option("TEXT", "What it must not be used for.")] = None,
    stability: Annotated[
        int | None, value_option("N", "Learn again from N bootstraps of DATA, and name unstable rules.", low=1)
    ] = None,
    watch: Annotated[str | None, value_option("FILE", "Newer records: report the changes since training.")] = None,
    target: TrueLabels = None,
    related: RelationOptions,
    file: FileOptions,
    quiet: Quiet = False,
) -> None:
    """Write a model card: the model, its data, its accuracy on unseen records, subgroups, limits, settings.

    Figures are about the records that fit held back or, if there are none, about DATA; the card states which.
    SOURCE_DATE_EPOCH sets the date of the card, so that the same model gives the same card.

    Example: unless card model.json -o card.md --purpose Loans

    Example: unless card model.json applicants.csv --by age -o card.html

    A model of several tables takes --key and --with, as predict does; the parts of --watch are in the same tables.
    """
    form = to or ("markdown" if output == "-" else format_of(output))
    if data is None and (by or stability):
        raise typer.BadParameter("this needs records; give DATA", param_hint="--by" if by else "--stability")
    check_file_conflicts(output, model, data, watch, *related_sources(related), format=file.format)
    screen = Screen(quiet=quiet, aside=output == "-")
    found = read_fitted_model(model, "what is known about them; give")
    several = related.check()
    if not several and (data is not None or watch is not None):
        refuse_one_table(found, str(data or watch))
    if several:
        _refuse_with_related(data, watch, stability, file)
    if data is None:
        table, columns = None, list[str]()
    elif several:
        table, columns = read_labelled_relations(screen, found, related, data, target, by)
    else:
        table, columns = _read_card_records(screen, found, DataSource.of(data, file), target, by)
    screen.note(*render_unseen_values(() if table is None else unknown_labels(found, table.target)))
    stable = (
        None if table is None or not stability else measure_stability_fully(screen, found, table, str(data), stability)
    )
    watched = None
    if watch is not None:
        watched = (
            watch_in_words(watch_relations(found, related, watch), found)
            if several
            else watch_file(found, watch, **file.options)
        )
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
        stability=stable,
        watch=watched,
        words=DEFAULT if found.relations is None else words_of_relations(decider_of_relations(found)),
    )
    if found.relations is not None:
        made = card_in_words(made, found)
    write_document(file_text(made, form), output)
    if output != "-":
        tested = "no test" if made.tests is None else f"accuracy {made.tests.accuracy.text} on {made.tests.on}"
        screen.note(f"{output}: {made.decides}, {tested}")


def _refuse_with_related(data: str | None, watch: str | None, stability: int | None, file: FileOptions) -> None:
    """Reject options that do not go with several tables."""
    refuse_single({"options about files": file != FileOptions()})
    if data is None and watch is None:
        raise typer.BadParameter("this needs records; give DATA", param_hint="--with")
    if stability is not None:
        raise typer.BadParameter(
            "bootstraps would learn again with features that were searched in all records; leave it out",
            param_hint="--stability",
        )


def _read_card_records(
    screen: Screen, model: FittedModel, data: DataSource, target: str | None, by: list[str] | None
) -> tuple[Table, list[str]]:
    """Read the records with all training features and the subgroup columns; also return the names of the latter."""
    features = list(model.schema.kinds)
    names = data.column_names() if by and data.name != "-" else features
    columns = split_names(by, names)
    others = [name for name in columns if name not in features]
    if lacking := [name for name in others if data.name != "-" and name not in names]:
        raise UnknownNameError(f"{data.name}: no column {lacking[0]!r}{suggest(lacking[0], names)} (--by)")
    wanted = dict.fromkeys((*data.known_features(model, features), *features, *others))
    return read_labelled(screen, data, model, target, features=list(wanted)), columns
