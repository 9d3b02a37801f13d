"""`unless watch`: find what has changed in new records since a model was learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions
from unless.cli.file_io import check_file_conflicts, standard_input
from unless.cli.layout import grid
from unless.cli.loading import note_how_read, read_fitted_model, show_stream_progress, source_name
from unless.cli.options import Data, Json, Model, Quiet, complete_columns, value_option
from unless.cli.related_records import refuse_one_table, rules_in_words, watch_in_words, watch_relations
from unless.cli.related_tables import RelationOptions, refuse_single, related_sources
from unless.evaluation.drift_results import DriftCheck, Watch, p_value_text
from unless.files import append_line
from unless.model import Model as FittedModel
from unless.read.batches import File
from unless.stream import watch_file
from unless.values import count_text, percent

MOVED = 3
"""The exit code if a change is found."""

_SCREENFUL = 30  # checks shown in a terminal


def watch(
    model: Model,
    data: Data,
    *,
    labels: Annotated[
        str | None,
        value_option(
            "COLUMN", "The column with the true labels, if its name differs from training.", complete=complete_columns
        ),
    ] = None,
    reference: Annotated[
        str | None, value_option("DATA", "Compare with these earlier records instead of training.")
    ] = None,
    alpha: Annotated[
        float, value_option("X", "The probability of a false alarm if nothing has changed.", low=0, high=1)
    ] = 0.05,
    least: Annotated[
        float,
        value_option("X", "Shares that differ by less raise no alarm: 0.01 is one percentage point.", low=0, high=1),
    ] = 0.0,
    log: Annotated[str | None, value_option("FILE", "Append a line about this run, a JSON object, to a file.")] = None,
    related: RelationOptions,
    file: FileOptions,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Find what has changed since training: the decisions and accuracy of each rule, cells and labels.

    The most significant changes come first. The exit code is 3 if something has moved, that is, if a difference is
    beyond chance. The tests are exact and adjusted for their number. Files can have any size, and records may lack
    labels. Accuracy is compared with the records that fit held back. With --quiet, only the checks that moved are
    printed.

    Example: unless watch model.json new.csv

    Example: unless watch model.json new.csv --log log.jsonl

    A model of several tables takes --key and --with, as predict does; the parts of --reference are in the same tables.
    """
    check_file_conflicts(log, model, data, reference, *related_sources(related), format=file.format)
    screen = Screen(quiet=quiet)
    found = read_fitted_model(model, "what they decided in training; watch")
    if related.check():
        refuse_single({"options about files": file != FileOptions()})
        with screen.busy("watching"):
            seen = watch_relations(found, related, data, labels, reference, alpha=alpha, least=least)
    else:
        refuse_one_table(found, data)
        seen = _watch_table(screen, found, data, labels, reference, alpha, least, file)
    if log is not None:
        append_line(log, seen.log_line(data))
    if json:
        screen.data({"data": data, **seen.to_dict()})
    elif related.related:
        _show_watch(screen, watch_in_words(seen, found), data, rules_in_words(found))
    else:
        _show_watch(screen, seen, data)
    if seen.moved:
        raise typer.Exit(MOVED)


def _watch_table(  # noqa: PLR0917 - options of watch
    screen: Screen,
    model: FittedModel,
    data: str,
    labels: str | None,
    reference: str | None,
    alpha: float,
    least: float,
    file: FileOptions,
) -> Watch:
    """Watch a model of one table on a file of any size."""
    source, earlier = _open_source(data), None if reference is None else _open_source(reference)
    with show_stream_progress(screen, "watching", data, by_model=labels is None) as tell:
        seen = watch_file(
            model,
            source,
            labels=labels,
            reference=earlier,
            alpha=alpha,
            least=least,
            **(file.piped if "-" in (data, reference) else file).options,
            progress=tell,
        )
    note_how_read(screen, data, seen.read_as)
    return seen


def _open_source(data: str) -> File:
    return standard_input("watch MODEL - < new.csv").buffer if data == "-" else data


def _show_watch(screen: Screen, seen: Watch, data: str, rules: Sequence[str] = ()) -> None:
    """Show the checks, most significant first, and the false alarm rate; ``rules`` has conditions in other words."""
    labelled = "all" if seen.labelled == seen.records else f"{seen.labelled:,.0f}"
    labels = f"{labelled} with true labels" if seen.labelled else "no true labels"
    screen.note(f"{source_name(data)}: {count_text(seen.records, 'record')}, {labels}")
    screen.note(Text.assemble(("! " if seen.moved else "", "bold yellow"), seen.headline), "")
    shown = seen.moved if screen.quiet else seen.checks
    most = max(_SCREENFUL, len(seen.moved)) if screen.out.is_terminal else len(shown)
    if shown:
        screen.show(_check_table(seen, shown[:most], rules))
    if len(shown) > most:
        screen.note(f"and {count_text(len(shown) - most, 'more check')} that did not move: --json has all of them")
    if not screen.quiet and seen.checks:
        false = "p is adjusted for the number of checks; if nothing has changed, something moves in at most"
        screen.note("", f"{false} {percent(seen.alpha)} of all runs")
    screen.note(*seen.notes)


def _check_table(seen: Watch, checks: Sequence[DriftCheck], rules: Sequence[str]) -> RenderableType:
    """Return a row for each check; where all compare with the same records, the heading says which."""
    sources = list(dict.fromkeys(check.source for check in checks if check.before is not None))
    right: dict[str, Any] = {"justify": "right", "no_wrap": True}
    table = grid({}, {"min_width": 16}, right, *([{"no_wrap": True}] if len(sources) > 1 else []), right, right, {})
    before = [f"in {sources[0]}"] if len(sources) == 1 else ["before", ""][: len(sources) or 1]
    table.add_row(*(Text(name, "cyan") for name in ("", "", *before, "now", "p", "")))
    for check in checks:
        style, source = "bold" if check.moved else "", "" if check.before is None else f"in {check.source}"
        table.add_row(
            Text("!" if check.moved else "", "bold yellow"),
            Text(seen.name(check), style),
            Text("–" if check.before is None else str(check.before)),
            *([Text(source, "dim")] if len(sources) > 1 else []),
            Text(str(check.now), style),
            Text(p_value_text(check.adjusted)),
            Text(_about(seen, check, rules), "dim"),
        )
    return table


def _about(seen: Watch, check: DriftCheck, rules: Sequence[str]) -> str:
    """Return the details of a check, with the conditions of a rule from ``rules`` if there are any."""
    if check.rule is None or check.rule >= len(rules):
        return seen.about(check)
    return f"{seen.program.heads[check.rule]} {rules[check.rule]}"
