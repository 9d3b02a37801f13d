"""`unless explain`: explain why a record got its label, why not another, and what would change the decision."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated
from typing import Literal as OneOf

import typer

import unless
from unless.cli.console import Screen
from unless.cli.data_options import FileOptions, split_names
from unless.cli.explain_output import ExplainedRecord, record_reasons, records_table
from unless.cli.file_io import check_file_conflicts
from unless.cli.layout import render_unseen_values
from unless.cli.loading import DataSource, match_label, read_any_model, read_records
from unless.cli.options import (
    Codes,
    Json,
    Model,
    Quiet,
    Strict,
    complete_features,
    complete_labels,
    flag_option,
    value_option,
)
from unless.cli.related_tables import RelationOptions, explain_relations
from unless.errors import ParameterError, UnknownNameError, suggest
from unless.evaluation.unseen_values import Unseen, refuse_unseen, require_known_values, unseen_values
from unless.explanation.decision_reasons import reason_words
from unless.explanation.score_explanation import ScoreExplanation, explain_score
from unless.explanation.why import explain_record
from unless.model import Model as FittedModel
from unless.model import decider_of, is_all_holdout, used_by
from unless.model.prediction import Decider
from unless.read.csv_files import TextFile
from unless.read.dialect import TextDialect
from unless.read.table import read_table
from unless.rule import Program
from unless.score.score_card import require_card
from unless.score.score_decider import ScoreDecider, committee_of
from unless.table import Table
from unless.values import Value

_ROWS = re.compile(r"\s*([0-9]{1,18})\s*(?:-\s*([0-9]{1,18})\s*)?")


def explain(
    model: Model,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="The records: a file, a folder, or - for standard input. Optional with --set.",
            show_default=False,
        ),
    ] = None,
    *,
    row: Annotated[
        list[str] | None, value_option("N", "Which records, counted from 1: 8, or 3-8 (repeat, or 3,8).", "--row", "-r")
    ] = None,
    assigned: Annotated[
        list[str] | None,
        value_option(
            "NAME=VALUE",
            "Set a feature to a value. Without DATA, all other features are missing.",
            "--set",
            complete=complete_features("="),
        ),
    ] = None,
    style: Annotated[
        OneOf["plain", "tree", "rules"],
        flag_option("plain writes sentences; tree and rules are the justifications of the paper."),
    ] = "plain",
    why_not: Annotated[
        str | None, value_option("LABEL", "Show what stopped the rules for this label.", complete=complete_labels)
    ] = None,
    what_if: Annotated[
        bool, flag_option("Show the nearest changes that give another label, or the label of --why-not.", "--what-if")
    ] = False,
    fixed: Annotated[
        list[str] | None,
        value_option("NAME", "A feature that must not change (repeat, or a,b).", complete=complete_features()),
    ] = None,
    most: Annotated[int | None, value_option("N", "The number of changes to show.  [default: 3]", low=1)] = None,
    points: Annotated[
        bool, flag_option("Show the score card: the points of the parts that hold, and the probabilities.", "--points")
    ] = False,
    reasons: Annotated[bool, flag_option("Show the principal reasons, at most four.", "--reasons")] = False,
    codes: Codes = None,
    all: Annotated[bool, flag_option("Show every rule that did not apply, not just the nearest.", "--all")] = False,
    strict: Strict = False,
    related: RelationOptions,
    file: FileOptions,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Explain a decision: why, why not another label, and what would change it.

    For rules that did not apply, the three with the fewest failing conditions are shown. For a committee, the lists and
    rules that carried the vote are shown, with points that add up.

    Example: unless explain model.json new.csv --row 8 --what-if

    Example: unless explain model.json --set history=late --why-not accept

    Example: unless explain model.json new.csv --row 8 --points

    Example: unless explain model.json new.csv --row 8 --reasons

    A model of several tables takes --key and --with, as fit does; the explanation names the parts that decide.
    """
    wanted_rows = [_parse_row_range(part) for text in row or () for part in text.split(",")]
    if data is None and (wanted_rows or not assigned):
        raise typer.BadParameter("give the records, such as new.csv, or values: --set NAME=VALUE", param_hint="DATA")
    for option, value in (("--fixed", fixed), ("--most", most)):
        if value and not what_if:
            raise typer.BadParameter("it needs --what-if", param_hint=option)
    check_file_conflicts(None, model, data, codes, format=file.format)
    screen = Screen(quiet=quiet)
    found = read_any_model(model)
    if related.check():
        more = any((assigned, what_if, points, style != "plain"))
        more = more or reasons or codes is not None
        explain_relations(screen, found, related, None if more else data, wanted_rows, why_not, json=json)
        return
    decider = decider_of(found)
    program = decider.all_rules
    if not decider.by_rule:
        _refuse_without_rules(decider, style, why_not, what_if=what_if, points=points)
    changed = _parse_assignments(assigned or (), found)
    label = None if why_not is None else match_label(decider.labels, why_not, "no rule gives the label")
    stay = _check_feature_names(split_names(fixed, program.features), program, "--fixed")
    source = None if data is None else DataSource.of(data, file)
    wording = reason_words(codes, found) if reasons or codes is not None else None
    answers = []
    for one in _explain_records(screen, source, found, changed, wanted_rows):
        record, by_rule = one.explanation.record, decider.by_rule
        stopped = None if label is None or not by_rule else unless.why_not(program, record, label)
        changes = unless.counterfactuals(found, record, label, fixed=stay, most=most or 3) if what_if else None
        scored = _explain_points(found, record) if points else None
        named = None if wording is None else record_reasons(found, record, wording)
        answers.append(replace(one, why_not=stopped, changes=changes, points=scored, reasons=named))
    unseen = _find_unseen_values(found, answers)
    if strict:
        require_known_values(found, program)
        refuse_unseen(unseen)
    screen.note(*render_unseen_values(unseen))
    if json:
        records = [answer.to_dict() for answer in answers]
        screen.data({"target": program.target, "records": records, "unseen": [one.to_dict() for one in unseen]})
        return
    for index, answer in enumerate(answers):
        screen.show(*[""] * bool(index), *answer.lines(style, everything=all))


def _refuse_without_rules(decider: Decider, style: str, why_not: str | None, *, what_if: bool, points: bool) -> None:
    """Reject options that need a single deciding rule."""
    if isinstance(decider, ScoreDecider) and (what_if or style != "plain" or why_not is not None):
        option = "--what-if" if what_if else "--style" if style != "plain" else "--why-not"
        raise typer.BadParameter(f"a {decider.noun}; its rules alone have no answer", param_hint=option)
    points = points and committee_of(decider) is not None
    if points:
        raise typer.BadParameter(
            "the points of a committee are always shown; leave out this option", param_hint="--points"
        )
    if style != "plain":
        raise typer.BadParameter("a committee has many lists; leave out this option", param_hint="--style")
    if why_not is not None and not what_if:
        raise typer.BadParameter(
            "in a committee no single rule stops a label; add --what-if to see what would give this label",
            param_hint="--why-not",
        )


def _explain_points(model: FittedModel | Program, record: dict[str, Value]) -> ScoreExplanation:
    if isinstance(model, Program):
        raise ParameterError("the file contains only rules without points; learn a model: unless fit")
    return explain_score(require_card(model.card), record, lead=model.decider.by_rule)


def _find_unseen_values(model: FittedModel | Program, answers: Sequence[ExplainedRecord]) -> tuple[Unseen, ...]:
    """Find the values of the records that training did not have; empty for a program without a model."""
    if isinstance(model, Program) or not answers:
        return ()
    known = model.domain.features
    records = [
        {name: one.explanation.record[name] for name in known if name in one.explanation.record} for one in answers
    ]
    return unseen_values(model, records_table(records))


def _explain_records(
    screen: Screen,
    data: DataSource | None,
    model: FittedModel | Program,
    changed: dict[str, Value],
    rows: list[tuple[int, int]],
) -> Iterator[ExplainedRecord]:
    """Yield the explanations of the requested records, with their labels in the data unless --set is given."""
    decider = decider_of(model)
    if data is None:
        record = {**dict.fromkeys(used_by(model)), **changed}
        yield ExplainedRecord(model, explain_record(decider, record), changed=changed)
        return
    # The data may lack a column whose value --set gives.
    wanted = [name for name in used_by(model) if name not in changed]
    table = read_records(screen, data, like=model, features=data.known_features(model, wanted))
    for number in _requested_rows(rows, table, data.name):
        record = table.record(number - 1)
        explanation = explain_record(decider, {**{name: record[name] for name in wanted}, **changed})
        found = ExplainedRecord(model, explanation, number, changed)
        if not changed and table.target is not None:
            row = table[[number - 1]]
            label = row.labels.labels[int(row.labels.codes[0])]
            found = replace(found, label_in_data=label, held_back=is_all_holdout(model, row))
        yield found


def _parse_row_range(text: str) -> tuple[int, int]:
    """Parse a range of rows into its first and last row."""
    found = _ROWS.fullmatch(text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is not a row; write 8, or 3-8", param_hint="--row")
    first, last = int(found.group(1)), int(found.group(2) or found.group(1))
    if not 1 <= first <= last:
        raise typer.BadParameter(
            f"{text!r} is not a row; rows start at 1, and the smaller number comes first: 2-5", param_hint="--row"
        )
    return first, last


def _requested_rows(rows: Sequence[tuple[int, int]], table: Table, data: str) -> Iterator[int]:
    """Yield the numbers of the requested records; without --row, the data must have exactly one record."""
    count = len(table)
    if not rows and count != 1:
        raise typer.BadParameter(f"{data} has {count:,} records; say which: --row 8, or --row 3-8", param_hint="--row")
    for first, last in rows or [(1, 1)]:
        if last > count:
            raise ParameterError(f"no record {last:,}: {data} has {count:,}; --row takes 1 to {count}")
        yield from range(first, last + 1)


def _parse_assignments(texts: Sequence[str], model: FittedModel | Program) -> dict[str, Value]:
    """Parse the values that --set gives to features, like cells of a file."""
    cells: dict[str, str] = {}
    for text in texts:
        name, sign, cell = text.partition("=")
        if not sign:
            raise typer.BadParameter(f"{text!r} has no =; write {text}=VALUE", param_hint="--set")
        cells[name] = cell
    _check_feature_names(cells, decider_of(model).all_rules, "--set")
    if not cells:
        return {}
    table = io.StringIO()
    csv.writer(table, quoting=csv.QUOTE_ALL).writerow(cells.values())
    source = table.getvalue().encode("utf-8", "surrogateescape")  # the bytes from the shell
    given = TextFile(source, TextDialect(), where="--set", names=list(cells))
    return read_table(given, like=model, features=list(cells)).record(0)


def _check_feature_names(names: Iterable[str], program: Program, option: str) -> list[str]:
    """Return the names that an option gives; reject names that are not features of the program."""
    found = list(names)
    for name in found:
        if name not in program.features:
            raise UnknownNameError(f"{option}: no feature {name!r}{suggest(name, program.features)}")
    return found
