"""`unless stability`: find which rules of a model come back when they are learned again from other samples."""

from __future__ import annotations

import signal
from dataclasses import replace
from typing import Annotated

import typer
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions
from unless.cli.file_io import check_file_conflicts
from unless.cli.layout import titled_grid
from unless.cli.loading import DataSource, read_fitted_model, read_labelled, with_model_classes
from unless.cli.options import Data, Json, Model, Quiet, Seed, TrueLabels, value_option
from unless.errors import ReadError
from unless.evaluation.stability import MATCHING_OVERLAP, Stability
from unless.model import Model as FittedModel
from unless.model import find_training_overlap, with_model_groups
from unless.table import Table
from unless.values import count_text, percent


def stability(
    model: Model,
    data: Data,
    *,
    refits: Annotated[int, value_option("N", "Number of times to learn again.", "--refits", "-n", low=1)] = 50,
    target: TrueLabels = None,
    seed: Seed = 0,
    jobs: Annotated[int | None, value_option("N", "Number of processes; -1 means one per core.")] = None,
    file: FileOptions,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Learn a model's rules again from bootstraps of its data, and show which rules come back.

    A rule returns if a rule with the same label decides nearly the same records: both decide at least half of the
    records that either decides. It has the same tests if it tests the same features in the same directions. Records
    that fit held back are not learned from. Locked rules stay, and the other rules are learned again around them. After
    Ctrl-C, the refits done so far are shown.

    Example: unless stability model.json applicants.csv -n 10
    """
    check_file_conflicts(None, model, data, format=file.format)
    screen = Screen(quiet=quiet)
    found = read_fitted_model(model, "how they were learned; give")
    table = read_labelled(screen, DataSource.of(data, file), found, target)
    stable, complete = measure_stability(screen, found, table, data, refits, seed, jobs)
    if json:
        screen.data({"data": data, "seed": seed, "asked": refits, "complete": complete, **stable.to_dict()})
    else:
        _show_stability(screen, stable, complete=complete)
    if not complete:
        raise typer.Exit(128 + signal.SIGINT)


def measure_stability(  # noqa: PLR0917 - what to learn from, and how often
    screen: Screen, model: FittedModel, table: Table, data: str, refits: int, seed: int = 0, jobs: int | None = None
) -> tuple[Stability, bool]:
    """Learn again from the training records; return the stability, and whether all refits were done."""
    from unless.estimators.relearning import learner_of, refits_by  # with narwhals, which takes 40 ms

    if model.distillation is not None and model.parameters.get("teacher") is None:
        screen.note("the teacher of this list is not in its file; the refits learn without a teacher")
    if table.target is None:
        raise ReadError(f"{data} has no complete column of labels; learning again needs the label of every record")
    if not len(table):
        raise ReadError(f"{data} has no records to learn from")
    labelled = with_model_classes(model, table, data, "leave such records out")
    own = find_training_overlap(model, labelled)
    records = replace(with_model_groups(model, labelled), columns=tuple(map(table.column, model.schema.kinds)))
    if own is not None and not own.held_back.all():
        screen.note(f"{count_text(int(own.held_back.sum()), 'record')} that fit held back are not learned from")
        records = records[~own.held_back]
    again = refits_by(
        learner_of(model), records, n=refits, seed=seed, n_jobs=jobs, keep=model.program, lock=model.locked
    )
    done, complete = screen.collect("learning again", again, refits)
    if not done:
        raise KeyboardInterrupt
    return Stability.of(model.decider, records, done, locked=model.locked), complete


def measure_stability_fully(screen: Screen, model: FittedModel, table: Table, data: str, refits: int) -> Stability:
    """Measure stability over all refits; Ctrl-C ends the command."""
    stable, complete = measure_stability(screen, model, table, data, refits)
    if not complete:
        raise KeyboardInterrupt
    return stable


def _show_stability(screen: Screen, stable: Stability, *, complete: bool) -> None:
    early = "" if complete else "interrupted; "
    screen.show(Text(early + stable.headline, "" if complete else "bold yellow"))
    if not stable.rules:
        screen.note("many lists decide together, so there are no single rules to compare")
        return
    rules = titled_grid(("rule", "returns", "same tests", "", ""), right=(0, 1, 2))
    for (number, back, same, label, said), one in zip(stable.lines(), stable.rules, strict=True):
        style = "bold yellow" if one in stable.unstable() else ""
        rules.add_row(number, Text(back, style), same, Text(label, "bold"), Text(said))
    screen.show("", rules)
    if stable.thresholds:
        thresholds = titled_grid(("rule", "threshold", "found", "5 % … middle … 95 %"), right=(0, 2))
        for row in stable.threshold_lines():
            thresholds.add_row(*map(Text, row))
        screen.show("", thresholds)
    screen.note(
        "", f"returns: a rule with the same label shares at least {percent(MATCHING_OVERLAP)} of the records of both"
    )
