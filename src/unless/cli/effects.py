"""`unless effects`: show how each feature changes the log-odds of the labels, overall and for single records."""

from __future__ import annotations

import re
from typing import Annotated

import typer
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions
from unless.cli.file_io import check_file_conflicts
from unless.cli.loading import DataSource, read_fitted_model, read_records
from unless.cli.options import Data, Json, Model, Quiet, complete_features, value_option
from unless.errors import ReadError
from unless.model import Model as FittedModel
from unless.table import Table
from unless.values import count_text


def effects(
    model: Model,
    data: Data,
    *,
    row: Annotated[
        list[int] | None, value_option("N", "Show this record (counted from 1) instead of curves (repeat).", low=1)
    ] = None,
    feature: Annotated[
        list[str] | None, value_option("NAME", "Show only this feature's curve (repeat).", complete=complete_features())
    ] = None,
    background: Annotated[
        str | None, value_option("FILE", "Compare with the records of this file.  [default: DATA]")
    ] = None,
    file: FileOptions,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show how each feature changes the log-odds: a curve for each or, for single records, its contribution.

    A curve shows the mean log-odds if all records had the same value of the feature; heat maps show the pairs of
    features that interact most. Curves that go against common sense are named. The contributions of features to
    the log-odds of a record, compared with the mean of the records, are exact Shapley values: they add up. At most
    1,000 records are used for comparison. The model is a committee, or one list with its score card.

    Example: unless effects model.json applicants.csv

    Example: unless effects model.json new.csv --row 3
    """
    if row and feature:
        raise typer.BadParameter(
            "curves are computed from all records; leave out --row or --feature", param_hint="--feature"
        )
    check_file_conflicts(None, model, data, background, format=file.format)
    screen = Screen(quiet=quiet)
    found = read_fitted_model(model, "how many points their parts have; give")
    used = list(found.used)
    table = read_records(screen, DataSource.of(data, file), like=found, features=used)
    others = table
    if background is not None:
        others = read_records(screen, DataSource.of(background, file), like=found, features=used)
    if not len(others):
        raise ReadError(f"{background or data} has no records to compare with")
    if row:
        _show_records(screen, found, table, others, row, data, json=json)
    else:
        _show_curves(screen, found, others, feature or [], json=json)


def _show_records(
    screen: Screen, model: FittedModel, table: Table, others: Table, rows: list[int], data: str, *, json: bool
) -> None:
    """Show the contribution of each feature for some records."""
    from unless.explanation.contributions import contributions

    if max(rows) > len(table):
        raise ReadError(f"{data} has {count_text(len(table), 'record')}, so there is no record {max(rows):,}")
    found = contributions(model, table[[number - 1 for number in rows]], others)
    if json:
        screen.data(found.to_dict())
        return
    screen.note(f"log-odds, compared with the mean of {count_text(found.background, 'record')}")
    for place, number in enumerate(rows):
        first, *bars = found.lines(place)
        screen.show(*[""] * bool(place), f"Record {number}: {first}", *bars)


def _show_curves(screen: Screen, model: FittedModel, others: Table, features: list[str], *, json: bool) -> None:
    """Show the curves of all features, or of some."""
    from unless.explanation.effects import effects as curves_of

    found = curves_of(model, others).only(features)
    if json:
        screen.data(found.to_dict())
    else:
        screen.show(*map(_coloured, str(found).split("\n")))


_PARTS = (
    (re.compile(r"█+(?=│)|(?<!\S)\(?-\d+\.\d+\)?(?!\S)"), "dark_orange3"),
    (re.compile(r"(?<=│)█+|(?<!\S)\(?\+\d+\.\d+\)?(?!\S)"), "green"),
    (re.compile(r"^\S.*"), "bold"),
)
"""The colours of what lowers the log-odds and of what raises them, and the style of titles."""


def _coloured(line: str) -> Text:
    """Return a line of text with colours for a terminal; a pipe gets it plain."""
    text = Text(line)
    for pattern, style in _PARTS:
        text.highlight_regex(pattern, style)
    return text
