"""`unless report`: write an HTML page about a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions
from unless.cli.file_io import check_file_conflicts, write_document
from unless.cli.layout import render_unseen_values
from unless.cli.loading import DataSource, read_any_model, read_labelled
from unless.cli.options import (
    Codes,
    Data,
    Model,
    Quiet,
    Seed,
    Strict,
    TrueLabels,
    flag_option,
    output_option,
    value_option,
)
from unless.cli.related_records import read_beside_features, refuse_one_table, watch_in_words, words_of_relations
from unless.cli.related_tables import RelationOptions, decider_of_relations, refuse_single, related_sources
from unless.errors import ParameterError
from unless.evaluation.drift_results import Watch
from unless.evaluation.stability import Stability
from unless.evaluation.unseen_values import refuse_unseen, require_known_values
from unless.explanation.decision_reasons import reason_words, table_reasons
from unless.explanation.words import DEFAULT, Words
from unless.explanation.words_file import read_words
from unless.model import Model as FittedModel
from unless.model import decider_of, program_of, used_by
from unless.report import Page, render, summarise
from unless.rule import Program
from unless.rule.reason_words import MOST_REASONS
from unless.table import Table
from unless.values import count_text, share_text


def report(
    model: Model,
    data: Data,
    *,
    output: Annotated[
        str, output_option("The page to write, completely or not at all; - is standard output.")
    ] = "report.html",
    target: TrueLabels = None,
    title: Annotated[str | None, value_option("TEXT", "The heading of the page.")] = None,
    sample: Annotated[int, value_option("N", "At most this many records in the page, drawn at random.", low=1)] = 2000,
    seed: Seed = 0,
    watched: Annotated[
        bool, flag_option("Add a section on what has changed in DATA since training.", "--watch")
    ] = False,
    stability: Annotated[
        int | None,
        value_option("N", "Learn again from N bootstraps of DATA; add a section on the stability of the rules.", low=1),
    ] = None,
    words: Annotated[
        str | None,
        value_option("FILE", "A TOML file with names for features, values and labels, units, and the page's purpose."),
    ] = None,
    reasons: Annotated[
        bool, flag_option("Add a section on the reasons for the decisions, and a column of the records.", "--reasons")
    ] = False,
    codes: Codes = None,
    strict: Strict = False,
    show: Annotated[bool, flag_option("Open the page in the browser.", "--open")] = False,
    related: RelationOptions,
    file: FileOptions,
    quiet: Quiet = False,
) -> None:
    """Write a page about a model: its rules, their decisions on the data, weak spots, and what-if.

    The page is one HTML file that needs no network: mail it, open it, print it. The data may lack the target column.
    For a committee, the page runs the committee and also shows the list that imitates it, marked where both differ.

    The page's table of records also contains columns that the rules do not use. Readers can change the page in the
    browser (switch off and move rules, change thresholds and words), and save the result as files, one of them for
    --words.

    Example: unless report model.json applicants.csv -o report.html

    A model of several tables takes --key and --with, as predict does; what-if changes its features, not the parts.
    """
    if show and output == "-":
        raise ParameterError("--open needs a file; name one: -o report.html")
    check_file_conflicts(output, model, data, words, codes, *related_sources(related), format=file.format)
    screen = Screen(quiet=quiet)
    found = read_any_model(model)
    decider, source = decider_of(found), DataSource.of(data, file)
    spoken = None if words is None else _read_words_of_model(words, found)
    if related.check():
        several = decider_of_relations(found)
        refuse_single(
            {
                "options about files": file != FileOptions(),
                "--stability": stability is not None,
                "--reasons and --codes": reasons or codes is not None,
            }
        )
        table = read_beside_features(screen, found, related, data, target)
        spoken = words_of_relations(several, spoken or DEFAULT)
    else:
        refuse_one_table(found, data)
        columns = _columns_to_read(source, found, target, used_by(found))
        table = read_labelled(screen, source, found, target, features=columns)
    stable = None if stability is None else _measure_stability(screen, found, source, target, stability)
    with screen.busy("writing the page"):
        moved = _watch_records(found, table) if watched else None
        named = table_reasons(decider, table, reason_words(codes, found), MOST_REASONS) if reasons or codes else None
        more: dict[str, Any] = {"watch": moved, "stability": stable, "reasons": named}
        page = summarise(found, table, title=title, sample=sample, seed=seed, words=spoken, **more)
        if strict:
            require_known_values(found, decider.all_rules)
            refuse_unseen(page.facts.unseen)
        text = render(page)
        write_document(text, output)
    screen.note(*render_unseen_values(page.facts.unseen), _summary_line(page, output, len(text.encode())))
    if show:
        typer.launch(output)


def _watch_records(model: FittedModel | Program, table: Table) -> Watch:
    """Watch the model on these records; reject rules without a model, which cannot be watched."""
    from unless.evaluation.drift import watch
    from unless.evaluation.drift_counts import class_indices

    if isinstance(model, Program):
        raise ParameterError("there are only rules here, without their decisions in training; leave out --watch")
    truth = None
    if table.target is not None:
        truth = class_indices(table.target.labels, model.statistics.classes)[table.target.codes]
    seen = watch(model, table, truth)
    return seen if model.relations is None else watch_in_words(seen, model)


def _measure_stability(
    screen: Screen, model: FittedModel | Program, data: DataSource, target: str | None, refits: int
) -> Stability:
    """Measure stability, which needs all features of training."""
    from unless.cli.stability import measure_stability_fully

    if isinstance(model, Program):
        raise ParameterError("there are only rules here, not how they were learned; leave out --stability")
    if data.name == "-":
        raise ParameterError("--stability reads the data twice, which standard input does not allow; give a file")
    table = read_labelled(Screen(quiet=True), data, model, target)  # measure_stability has printed the notes
    return measure_stability_fully(screen, model, table, data.name, refits)


_COLUMNS = 1000
"""The maximum number of columns to read for a page; of wider tables only the training features are read."""


def _columns_to_read(
    data: DataSource, model: FittedModel | Program, target: str | None, used: Sequence[str]
) -> list[str]:
    """List the columns to read: first columns that rules test, then other training features and other columns."""
    labels = target if target is not None else program_of(model).target
    names = [name for name in data.column_names() if name != labels]
    if len(names) > _COLUMNS:
        learned = {} if isinstance(model, Program) else model.schema.kinds
        names = [name for name in names if name in learned]
    return [*used, *(name for name in names if name not in set(used))]


def _read_words_of_model(path: str, model: FittedModel | Program) -> Words:
    program = program_of(model)
    statistics = None if isinstance(model, Program) else model.statistics
    labels = sorted({*program.labels, *(() if statistics is None else statistics.classes)}, key=str)
    return read_words(path, features=program.features, labels=labels)


def _summary_line(page: Page, output: str, size: int) -> str:
    """Summarise what was written: "report.html (96 kB): 7 rules, 300 records, accuracy 0.923"."""
    where = "standard output" if output == "-" else output
    if page.quality is None:
        quality = f"no true labels: column {page.data['target']!r} is missing or incomplete"
    else:
        low, high = map(share_text, page.quality.interval)
        unseen = f" on {count_text(page.facts.records, 'record')} that the rules were not learned from"
        which = unseen if page.unseen_only else " in training" if page.trained_only else ""
        quality = f"accuracy {share_text(page.quality.accuracy)} ({low} to {high}){which}"
        if page.baseline is not None:
            quality += f", always {page.baseline.guess.text.shown}: {share_text(page.baseline.guessed.value)}"
        if page.unseen_only and page.learned is not None and page.learned.quality is not None:
            others = "in training" if page.same else "on the others, with those of training"
            quality += f"; {share_text(page.learned.quality.accuracy)} {others}"
    shown = f", {page.records.shown:,} of them shown" if page.records.sampled else ""
    rules, records = count_text(len(page.facts.program), "rule"), count_text(page.records.total, "record")
    if page.committee is not None:
        rules = f"{count_text(page.committee.lists, 'list')} with {count_text(page.committee.rules, 'rule')} that vote"
    return f"{where} ({size / 1000:,.0f} kB): {rules}, {records}{shown}, {quality}"
