"""`unless stability`: find which rules of a model come back when they are learned again from other samples."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions
from unless.cli.file_io import check_file_conflicts
from unless.cli.layout import titled_grid
from unless.cli.loading import DataSource, read_column, read_fitted_model, read_labelled, with_model_classes
from unless.cli.options import Data, Json, Model, Quiet, Seed, TrueLabels, complete_columns, data_option, value_option
from unless.cli.period_tests import measure_by_period, period_pairs, plot_periods
from unless.cli.split_options import Group, Period, SplitOptions, TestBy, TestSplit
from unless.errors import ParameterError, ReadError
from unless.evaluation.stability import MATCHING_OVERLAP, Refit, Stability, decide_records
from unless.model import Model as FittedModel
from unless.model import find_training_overlap, with_model_groups
from unless.model.prediction import Decider
from unless.table import Column, Table
from unless.values import count_text, percent

if TYPE_CHECKING:
    from unless.estimators.split_by import SplitBy


def stability(
    model: Model,
    data: Data,
    *,
    refits: Annotated[int, value_option("N", "Number of times to learn again.", "--refits", "-n", low=1)] = 50,
    target: TrueLabels = None,
    time: Annotated[
        str | None,
        data_option("COLUMN", "The column with the time of each record.", "--time", complete=complete_columns),
    ] = None,
    test_by: TestBy = None,
    group: Group = None,
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

    With --group, samples are drawn of groups, as they are for a model that was learned with --group. With --time and
    --test-by, rules are learned again from the records before each period instead, and tested on the period.

    Example: unless stability model.json applicants.csv -n 10
    """
    split = _check_split(time, test_by, group)
    check_file_conflicts(None, model, data, format=file.format)
    screen = Screen(quiet=quiet)
    found = read_fitted_model(model, "how they were learned; give")
    if found.relations is not None:
        raise ParameterError(
            "the model was learned from several tables: learning again would use features that were searched in all "
            "records; to test what is learned again: unless evaluate --with"
        )
    source = DataSource.of(data, file)
    table = read_labelled(screen, source, found, target)
    beside = {name: _read_beside(source, table, found, name) for name in split.columns}
    if split.period is not None:
        _show_by_period(screen, found, table, data, beside, split, json=json)
        return
    stable, complete = measure_stability(screen, found, table, data, refits, seed, jobs, split.split(beside, 0.0))
    if json:
        screen.data({"data": data, "seed": seed, "asked": refits, "complete": complete, **stable.to_dict()})
    else:
        _show_stability(screen, stable, complete=complete)
    if not complete:
        raise typer.Exit(128 + signal.SIGINT)


def measure_stability(  # noqa: PLR0917 - what to learn from, and how often
    screen: Screen,
    model: FittedModel,
    table: Table,
    data: str,
    refits: int,
    seed: int = 0,
    jobs: int | None = None,
    by: SplitBy | None = None,
) -> tuple[Stability, bool]:
    """Learn again from the training records; return the stability, and whether all refits were done."""
    from unless.estimators.relearning import learner_of, refits_by  # with narwhals, which takes 40 ms
    from unless.estimators.split_by import with_groups

    if model.distillation is not None and model.parameters.get("teacher") is None:
        screen.note("the teacher of this list is not in its file; the refits learn without a teacher")
    labelled = _labelled(model, table, data)
    own = find_training_overlap(model, labelled)
    records = with_groups(_with_features(model, with_model_groups(model, labelled)), by)
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


def _labelled(model: FittedModel, table: Table, data: str) -> Table:
    """Return the records with the model's classes as labels; reject records that rules cannot be learned from."""
    if table.target is None:
        raise ReadError(f"{data} has no complete column of labels; learning again needs the label of every record")
    if not len(table):
        raise ReadError(f"{data} has no records to learn from")
    return with_model_classes(model, table, data, "leave such records out")


def _with_features(model: FittedModel, table: Table) -> Table:
    """Return the table with the features of training only."""
    return replace(table, columns=tuple(map(table.column, model.schema.kinds)))


def measure_stability_fully(screen: Screen, model: FittedModel, table: Table, data: str, refits: int) -> Stability:
    """Measure stability over all refits; Ctrl-C ends the command."""
    stable, complete = measure_stability(screen, model, table, data, refits)
    if not complete:
        raise KeyboardInterrupt
    return stable


# By time and by group.


def _check_split(time: str | None, period: Period | None, group: str | None) -> TestSplit:
    """Return how rules are learned again: from samples of records or groups, or from the records before each period."""
    if time is not None and period is None:
        raise typer.BadParameter(
            "name the periods before which rules are learned again: --test-by", param_hint="--time"
        )
    return SplitOptions(None, period, group).resolve(time)


def _read_beside(data: DataSource, table: Table, model: FittedModel, name: str) -> Column:
    """Read a column of times or groups, with dates as in the training of the model if it was split by them."""
    by = None if model.origin is None else model.origin.split.by
    column = read_column(data, table, name)
    return column if by is None or by.name != name else column.in_notation(by.notation)


def _show_by_period(
    screen: Screen,
    model: FittedModel,
    table: Table,
    data: str,
    beside: Mapping[str, Column],
    split: TestSplit,
    *,
    json: bool,
) -> None:
    """Learn again from the records before each period, and show which rules come back and how right they are."""
    from unless.estimators.relearning import learner_of, relearn

    records, found = _with_features(model, _labelled(model, table, data)), list[Refit]()
    learner = replace(learner_of(model), verbose=False)

    def learn_again(train: Table) -> Decider:
        decider = relearn(learner, train, None, model.program, model.locked)
        found.append(decide_records(decider, records))
        return decider

    tests = tuple(measure_by_period(screen, period_pairs(screen, records, beside, split), learn_again, model.decider))
    stable = Stability.of(model.decider, records, found, locked=model.locked)
    if json:
        screen.data({"data": data, **stable.to_dict(), "periods": [one.to_dict() for one in tests]})
        return
    screen.show(plot_periods(tests, blocks=screen.out.encoding.startswith("utf")), "")
    _show_stability(screen, stable, complete=True)


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
