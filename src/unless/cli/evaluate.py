"""`unless evaluate`: compare learners on unseen records."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from unless.cli import options
from unless.cli.console import Screen
from unless.cli.data_options import ColumnOptions, FileOptions, LabelOptions
from unless.cli.evaluation_pairs import TestPairs, pairs_at_random, pairs_by_column, period_table
from unless.cli.file_io import check_file_conflicts
from unless.cli.inspect import render_remarks
from unless.cli.loading import DataSource, note_how_read
from unless.cli.options import Algorithm, flag_option, value_option
from unless.cli.plot import plot_trade_off
from unless.cli.related_records import run_on_relations, training_keys
from unless.cli.related_tables import RelationOptions, refuse_single, related_sources, size_text
from unless.cli.split_options import SplitOptions, TestSplit
from unless.cli.training_data import TrainingTable, check_label_kind, read_training
from unless.errors import ReadError
from unless.evaluation.tradeoff import TradeOff
from unless.evaluation.validation import BASELINE, Evaluation, Score, align_test, run_learners
from unless.explanation.words import printable
from unless.table import Labels, Table
from unless.values import count_text, share_text

_QUALITIES = ("accuracy", "precision", "recall", "f1")
_TITLES = {**{name: name for name in _QUALITIES}, "f1": "F1", "rules": "rules", "seconds": "time to fit"}


def evaluate(
    data: options.Data,
    target: options.Target,
    *,
    cv: Annotated[
        int | None, value_option("N", "The number of folds.  [default: 10]", low=2, panel=options.DATA)
    ] = None,
    test: Annotated[
        str | None, value_option("DATA", "Learn from all of DATA and test on this file instead.", panel=options.DATA)
    ] = None,
    algorithm: Annotated[
        list[Algorithm] | None,
        value_option(
            "|".join(Algorithm), "Which learners (repeat).  [default: all]", "--algorithm", "-a", panel=options.LEARNER
        ),
    ] = None,
    seed: options.Seed = 0,
    related: RelationOptions,
    splitting: SplitOptions,
    columns: ColumnOptions,
    labels: LabelOptions,
    draw: Annotated[
        bool,
        flag_option(
            "Draw accuracy against number of rules, for unless.", "--trade-off/--no-trade-off", panel=options.OUTPUT
        ),
    ] = True,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Compare the learners by cross-validation: accuracy, weighted precision, recall and F1, rules, time to fit.

    Rules are counted as in the paper, including exceptions. The figures are means over the folds ± standard deviations.
    Then accuracy is drawn against the number of rules (without exceptions), with 95 % intervals; unless fit --rules N
    learns such a list. After Ctrl-C, the folds done so far are shown.

    Example: unless evaluate applicants.csv --target decision --cv 5

    With --group, folds are of whole groups. With --time, what was learned from earlier records is tested on later ones.

    Example: unless evaluate applicants.csv -t decision -a unless --json

    With --with, as in fit, each learner searches features of parts in the records that it learns from; the trade-off is
    not drawn.
    """
    related, time = related.split_times()
    split = _check_tests(splitting.resolve(time), test, cv)
    from unless.estimators.learners import LEARNERS  # with narwhals, which takes 40 ms: help needs neither
    from unless.estimators.relearning import program_of

    check_file_conflicts(None, data, test, *related_sources(related), format=columns.file.format)
    screen = Screen(quiet=quiet)
    relations = None
    if related.check():
        refuse_single(
            {
                "options about columns and files": columns != ColumnOptions(),
                "options about labels": labels != LabelOptions(),
                "tests on another file (--test)": test is not None,
            }
        )
        with screen.busy("reading the tables"):
            relations = related.read_labelled(data, target, apart=[] if split.group is None else [split.group])
            training = training_keys(relations, split.columns, data)
        check_label_kind(screen, training, labels)
    else:
        training = read_training(screen, DataSource.of(data, columns.file), target, columns, labels, split.columns)
    names = _select_learners(screen, algorithm, training.table.labels)
    learners = {name: LEARNERS[name](n_jobs=jobs or -1) for name in names}
    training, tests = _make_pairs(screen, training, columns.file, test, split, cv, seed)
    doing = "learning" if tests.count == 1 else "cross-validation"
    runs = (
        run_learners(tests.pairs(), {name: partial(program_of, learner) for name, learner in learners.items()})
        if relations is None
        else run_on_relations(relations, tests.pairs(), learners)
    )
    done, complete = screen.collect(doing, runs, tests.count * (len(learners) + 1))
    found = Evaluation.of(done, learners)
    if not found.folds:
        raise KeyboardInterrupt
    drawn = None
    if complete and draw and relations is None and "unless" in learners:
        drawn, complete = _compute_trade_off(screen, jobs, list(tests.pairs()))
    if json:
        document = {
            "data": data,
            "target": training.table.labels.name,
            "records": len(training.table),
            **(
                {"features": list(training.table.features)}
                if relations is None
                else {"tables": {name: part.table.height for name, part in relations.parts.items()}}
            ),
            "left_out": [remark.to_dict() for remark in training.left_out],
            "seed": seed,
            "asked_folds": tests.count,
            "complete": complete,
            **({"periods": list(tests.names)} if tests.names else {}),
        }
        screen.data(document | found.to_dict() | {"trade_off": None if drawn is None else drawn.to_dict()})
    else:
        if not quiet or not complete:
            size = training.size if relations is None else size_text(relations)
            screen.show(*_heading_lines(data, size, found, tests, complete=complete))
        screen.show(_score_table(found))
        if tests.names:
            screen.show("", period_table(found, tests.names))
        if drawn is not None:
            screen.show("", plot_trade_off(drawn))
        if test is None and (remarks := render_remarks(training.too_kind)) is not None:
            screen.note("", remarks)
    if not complete:
        raise typer.Exit(128 + signal.SIGINT)


def _check_tests(split: TestSplit, test: str | None, cv: int | None) -> TestSplit:
    """Reject several ways to choose the records to test on."""
    if test is not None and cv is not None:
        raise typer.BadParameter("--test replaces the folds; leave out --cv", param_hint="--test")
    if split.time is not None and cv is not None:
        raise typer.BadParameter("the test is on later records, not on folds; leave out --cv", param_hint="--time")
    if test is not None:
        split.refuse("--test gives the records to test on; leave out one of them")
    return split


def _make_pairs(  # noqa: PLR0917 - what decides which records are tested
    screen: Screen,
    training: TrainingTable,
    file: FileOptions,
    test: str | None,
    split: TestSplit,
    cv: int | None,
    seed: int,
) -> tuple[TrainingTable, TestPairs]:
    """Make the pairs of records to learn from and to test on."""
    if split.columns:
        return pairs_by_column(screen, training, split, cv, seed)
    if test is None:
        return training, pairs_at_random(training.table, cv, seed)
    pair = training.table, _read_test(screen, DataSource.of(test, file), training.table)
    return training, TestPairs(
        lambda: [pair], 1, f"tested on {count_text(len(pair[1]), 'record')} of {printable(test)}"
    )


def _select_learners(screen: Screen, asked: Sequence[Algorithm] | None, labels: Labels) -> list[str]:
    """Return the requested learners, or all learners that can learn these labels."""
    names = [str(name) for name in dict.fromkeys(asked or Algorithm)]
    count = len(labels.labels)
    if count > 2 and "fold-rpp" in names:
        if asked:
            raise ReadError(f"fold-rpp needs two labels, but {labels.name!r} has {count}; leave it out")
        screen.note(f"fold-rpp is left out: it needs two labels, and {labels.name!r} has {count}.")
        names.remove("fold-rpp")
    return names


def _read_test(screen: Screen, test: DataSource, table: Table) -> Table:
    """Read the test records as the training records were read."""
    target = table.schema.target
    with screen.busy(f"reading {test.name}"):
        if target not in test.column_names():
            raise ReadError(f"{test.name} has no column {target!r}: a test needs the true labels")
        found = test.read(target, like=table)
    note_how_read(screen, test.name, found.read_as)
    return align_test(table, found)


def _compute_trade_off(
    screen: Screen, jobs: int | None, pairs: Sequence[tuple[Table, Table]]
) -> tuple[TradeOff | None, bool]:
    """Compute our learner's trade-off, and return whether it is complete: Ctrl-C ends the computation."""
    from unless.estimators.learners import LEARNERS
    from unless.estimators.relearning import trade_off_of

    learner = LEARNERS["unless"](n_jobs=jobs or -1)
    try:
        with screen.busy("the trade-off") as update:
            return trade_off_of(learner, pairs, lambda done, total: update(completed=done, total=total)), True
    except KeyboardInterrupt:
        return None, False


def _heading_lines(
    data: str, size: str, found: Evaluation, tests: TestPairs, *, complete: bool
) -> list[RenderableType]:
    first = f"{printable(data)}: {size}"
    if tests.count == 1:
        second = tests.made
    elif complete:
        folds = "" if tests.names else f"{found.folds} folds, "
        second = f"{folds}{tests.made}: mean ± standard deviation"
    else:
        second = (
            f"interrupted: the {count_text(found.folds, 'fold')} done so far, {tests.made}: mean ± standard deviation"
        )
    return [Text(first), Text(second, "" if complete else "bold yellow"), ""]


def _score_table(found: Evaluation) -> RenderableType:
    """Render the learners side by side, with the best value of each measure in bold."""
    grid = Grid(box=None, header_style="cyan", pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("")
    for score in found.scores:
        grid.add_column(score.algorithm, justify="right")
    for measure, title in _TITLES.items():
        best = max(score.mean(measure) for score in found.scores) if measure in _QUALITIES else None
        styles = ["bold" if score.mean(measure) == best else "" for score in found.scores]
        cells = (Text(_score_text(score, measure), style) for score, style in zip(found.scores, styles, strict=True))
        grid.add_row(title, *cells)
    return grid


def _score_text(score: Score, measure: str) -> str:
    """Write a mean and its spread; the baseline has no rules and takes no time."""
    mean, spread = score.mean(measure), score.spread(measure)
    if measure not in _QUALITIES and score.algorithm == BASELINE:
        return "–"
    if measure == "seconds":
        return f"{1000 * mean:,.0f} ms" if mean < 10 else f"{mean:,.1f} s"
    if measure == "rules":
        return f"{mean:,.0f}" if spread is None else f"{mean:,.1f} ± {spread:,.1f}"
    return share_text(mean) if spread is None else f"{share_text(mean)} ± {spread:.3f}"
