"""`unless fit`: learn rules from a file, show them, test them, save them."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unless.cli import options
from unless.cli.console import RuleMeter, Screen
from unless.cli.constraint_options import NO_KEPT_RULES, ConstraintOptions, KeepOptions, KeptRules, read_kept_rules
from unless.cli.cost_options import Compare, amount_columns, asked_features, keep_amounts
from unless.cli.data_options import ColumnOptions, LabelOptions, LargeOptions
from unless.cli.file_io import check_file_conflicts, write_document
from unless.cli.fit_output import FitResult, show_fit_result, suggest_next_commands
from unless.cli.large_data import open_large_data, read_large_training_data
from unless.cli.learner_making import class_factors, make_learner
from unless.cli.loading import DataSource
from unless.cli.options import Algorithm, flag_option, value_option
from unless.cli.period_tests import measure_by_period, period_pairs
from unless.cli.related_tables import RelationOptions, fit_relations, refuse_single, related_sources, show_related_fit
from unless.cli.setting_options import SettingOptions, refuse_foreign_option
from unless.cli.split_options import AT_RANDOM, DEFAULT_SHARE, SplitOptions, TestSplit
from unless.cli.training_data import TrainingTable, read_training
from unless.errors import MissingFileError, ParameterError, without_passwords
from unless.estimators.model_file import file_text
from unless.estimators.progress import metered_by
from unless.model import Model as FittedModel
from unless.table import HoldoutSplit

if TYPE_CHECKING:
    from unless.estimators.holdout import Holdout
    from unless.estimators.learners import Learner
    from unless.estimators.split_by import SplitBy
    from unless.evaluation.tradeoff import TradeOff

_SCREENFUL = 40  # rules shown in a terminal


def fit(
    data: options.Data,
    target: options.Target,
    *,
    output: options.Output = None,
    algorithm: Annotated[
        Algorithm,
        flag_option(
            "The learner: our own, one list or a committee of lists; or fold-rm or fold-rpp (two labels), "
            "as published.",
            "--algorithm",
            "-a",
            panel=options.LEARNER,
        ),
    ] = Algorithm.UNLESS,
    test: Annotated[
        float | None,
        value_option(
            "SHARE",
            "Hold back this share of the records to test on; with --time, the latest.  [default: 0.2]",
            low=0,
            high=0.99,
            panel=options.DATA,
        ),
    ] = None,
    seed: options.Seed = 0,
    related: RelationOptions,
    splitting: SplitOptions,
    columns: ColumnOptions,
    large: LargeOptions,
    labels: LabelOptions,
    settings: SettingOptions,
    trade_off: Annotated[
        bool | None,
        flag_option(
            "For unless: draw accuracy against number of rules, by cross-validation.",
            "--trade-off",
            panel=options.OUTPUT,
        ),
    ] = None,
    compare: Compare = None,
    constraints: ConstraintOptions,
    keep: KeepOptions,
    jobs: options.Jobs = None,
    keep_on_interrupt: Annotated[
        bool, flag_option("After Ctrl-C, keep the rules learned so far.", "--keep-on-interrupt", panel=options.LEARNER)
    ] = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Learn rules, show them, test them on records held back, and save them with -o.

    Constant columns and columns that only identify records, such as names or customer numbers, are left out; --include
    keeps them. Warnings about the records or the rules come last.

    Example: unless fit applicants.csv --target decision -o model.json

    Example: unless fit applicants.csv -t decision -a fold-rm --ratio 0.3

    Example: unless fit applicants.csv -t decision --blocks kept -o model.json

    Example: unless fit applicants.csv -t decision --never age --max-depth 1

    Example: unless fit applicants.csv -t decision --keep model.json --lock 1

    Example: unless fit applicants.csv -t decision --cost refuse:accept=5

    With --with, the records have tables of parts, such as the orders of customers, and rules can test the parts:
    unless fit customers.csv -t churn --key customer_id --with orders.csv:customer_id
    """
    _check_options(algorithm, settings, trade_off, output, json=json)
    related, time = related.split_times()
    split, share = splitting.resolve(time, test), DEFAULT_SHARE if test is None else test
    if related.check():
        refuse_single(
            {
                "options about columns and files": columns != ColumnOptions(),
                "--blocks and the like": large != LargeOptions(),
                "--keep and --lock": keep != KeepOptions(),
                "--trade-off": bool(trade_off),
                "options about labels": labels != LabelOptions(),
            }
        )
        screen = Screen(quiet=quiet)
        _fit_related(data, target, related, algorithm, settings, share, seed, output, screen, split, json=json)
        return
    kept = read_kept_rules(algorithm, keep)
    if kept.program is not None and split.period is not None:
        raise typer.BadParameter(
            "earlier periods cannot be learned around kept rules; leave out --keep", param_hint="--test-by"
        )
    if large.unchanged and large.blocks is None:
        raise typer.BadParameter("there are no kept blocks; add --blocks FOLDER", param_hint="--unchanged")
    check_file_conflicts(output, data, keep.keep, constraints.constraints, format=columns.file.format)
    screen = Screen(quiet=quiet, aside=output == "-")
    columns = kept.keep_tested_columns(columns)
    amounts = amount_columns(settings["costs"])
    asked, columns = asked_features(columns, amounts), keep_amounts(columns, amounts)
    stream = open_large_data(screen, data, large, columns.file)
    if stream is None:
        beside = [*split.columns, *([] if compare is None else [compare])]
        training = read_training(screen, DataSource.of(data, columns.file), target, columns, labels, beside)
    else:
        split.refuse(
            "records in blocks are split at random; for a split by time or group, use data that fits in memory"
        )
        if compare is not None:
            raise typer.BadParameter("it needs data that fits in memory", param_hint="--compare")
        factors = class_factors(settings["class_weight"], target)
        more: dict[str, Any] = {"large": large, "factors": factors, "jobs": jobs or -1}
        data = without_passwords(data)
        with closing(stream):
            training = read_large_training_data(screen, data, stream, target, columns, labels, **more)
    given = settings.given(algorithm) | {
        "constraints": constraints.to_constraints(training.table.features, training.left_out_names(columns)),
        "n_jobs": jobs or -1,
    }
    learner = make_learner(algorithm, given, training.table.labels)
    with closing(training):
        fitted = learn_and_test(
            screen,
            data,
            training,
            learner,
            test=share,
            seed=seed,
            keep=keep_on_interrupt,
            split=split,
            kept=kept,
            drawn=bool(trade_off),
            included=asked,
            compare=compare,
        )
    if json:
        _save_model(fitted.model, output)
        screen.data({**fitted.to_dict(), "algorithm": algorithm, "seed": seed, "saved_as": output})
        return
    try:
        show_fit_result(screen, fitted, most=_SCREENFUL if screen.out.is_terminal else None)
    finally:  # a full disk should not lose the rules, nor `| head` the model
        _save_model(fitted.model, output)
    suggest_next_commands(screen, fitted, output, columns.file)


# Several tables.


def _fit_related(  # noqa: PLR0917 - options of fit
    data: str,
    target: str,
    related: RelationOptions,
    algorithm: Algorithm,
    settings: SettingOptions,
    test: float,
    seed: int,
    output: str | None,
    screen: Screen,
    split: TestSplit,
    *,
    json: bool,
) -> None:
    """Learn from records with tables of parts."""
    check_file_conflicts(output, data, *related_sources(related))
    if split.period is not None:
        raise typer.BadParameter("with --with, test on one later period: --test-after DATE", param_hint="--test-by")
    with screen.busy("reading the tables"):
        relations = related.read_labelled(data, target, apart=[split.group] if split.group is not None else [])
        labels = relations.labelled().labels
        by = split.split_main_table(data, test)
    learner = make_learner(algorithm, settings.given(algorithm), labels)
    with screen.busy("learning"):
        fitted = fit_relations(relations, learner, labels, test, seed, by)
    if json:
        screen.data({**fitted.to_dict(), "algorithm": algorithm, "seed": seed, "saved_as": output})
    else:
        show_related_fit(screen, fitted)
    _save_model(fitted.model, output)


# Before learning.


def _check_options(
    algorithm: Algorithm, settings: SettingOptions, trade_off: bool | None, output: str | None, *, json: bool
) -> None:
    """Reject impossible arguments before time is spent on learning."""
    settings.refuse_foreign_options(algorithm)
    refuse_foreign_option("trade_off", trade_off, [Algorithm.UNLESS], algorithm)
    if json and output == "-":
        raise typer.BadParameter("the model and --json cannot both go to standard output", param_hint="--output")
    if output not in (None, "-"):
        _check_writable(Path(output))


def _check_writable(path: Path) -> None:
    folder = path.resolve().parent
    if path.is_dir():
        raise ParameterError(f"{str(path)!r} is a folder; give a file, such as {str(path / 'model.json')!r}")
    if not folder.is_dir():
        raise MissingFileError(f"no folder {str(path.parent)!r} to write {str(path)!r} to; create it first")
    if not os.access(folder if not path.exists() else path, os.W_OK):
        raise ParameterError(f"{str(path)!r} cannot be written: permission denied")


# Learning.


def learn_and_test(
    screen: Screen,
    data: str,
    training: TrainingTable,
    learner: Learner,
    *,
    test: float,
    seed: int,
    keep: bool,
    split: TestSplit = AT_RANDOM,
    kept: KeptRules = NO_KEPT_RULES,
    drawn: bool = False,
    included: Sequence[str] = (),
    compare: str | None = None,
) -> FitResult:
    """Learn from the records that are not held back, around locked rules, and test on the records held back.

    ``drawn`` requests the trade-off, ``included`` are amounts of costs that rules may test, and ``compare`` is the
    column with decisions whose costs are compared.
    """
    from unless.estimators.learners import learn
    from unless.estimators.relearning import program_of
    from unless.estimators.split_by import with_groups
    from unless.estimators.training_warnings import on_learning

    by = split.split(training.beside, test)
    if by is not None and by.remark:
        screen.note(by.remark)
    training = replace(training, table=with_groups(training.table, by))
    earlier = kept.held_back(screen, training.table.features, test, seed, None if by is None else by.column)
    holdout = _split_holdout(training, learner, test, seed, earlier, by, compare)
    start = time.perf_counter()
    records = replace(holdout.records, keep=kept.program, lock=kept.lock, included=included)
    with metered_by(RuleMeter(screen)):
        found = learn(learner, records)
    model = found.model
    if found.interrupted and not (keep and any(rule.default for rule in model.program.rules)):
        raise found.interrupted
    seconds = time.perf_counter() - start
    if drawn and not found.interrupted and model.decider.by_rule:
        model = replace(model, trade_off=_compute_trade_off(screen, learner, holdout))
    if split.period is not None and not found.interrupted:
        pairs = period_pairs(screen, training.table, training.beside, split)
        again = partial(program_of, learner)
        model = replace(model, periods=measure_by_period(screen, pairs, again, model.decider, learned_last=True))
    return FitResult(
        data,
        holdout.tested(model),
        training,
        seconds,
        holdout.held_back,
        found.interrupted is not None,
        ()
        if found.interrupted
        else (*(training.too_kind if test else ()), *on_learning(learner, records, model, seconds)),
        holdout.why_none,
    )


def _compute_trade_off(screen: Screen, learner: Learner, holdout: Holdout) -> TradeOff:
    """Learn lists of several lengths from folds of the training records, and test them on the other records."""
    from unless.estimators.relearning import hash_folds, trade_off_of

    with screen.busy("the trade-off") as update:
        return trade_off_of(
            learner, hash_folds(holdout.records.table), lambda done, total: update(completed=done, total=total)
        )


def _split_holdout(  # noqa: PLR0917 - what splits the records
    training: TrainingTable,
    learner: Learner,
    share: float,
    seed: int,
    earlier: HoldoutSplit | None,
    by: SplitBy | None,
    compare: str | None,
) -> Holdout:
    """Hold back a share of the records, or the records that were held back before."""
    from unless.estimators.holdout import Holdout

    if training.blocks is not None:
        return Holdout.of_blocks(training.blocks, share, seed, earlier)
    today = None if compare is None else training.beside[compare]
    return Holdout.of(training.table, share, seed, learner.class_weight, earlier, by, compare=today)


def _save_model(model: FittedModel, output: str | None) -> None:
    """Write the model, if an output is given."""
    if output is not None:
        write_document(file_text(model), output)
