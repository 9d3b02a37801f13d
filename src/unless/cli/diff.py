"""`unless diff`: show how the rules of a model changed, and which records change label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.data_options import FileOptions
from unless.cli.file_io import check_file_conflicts
from unless.cli.layout import Conditions, grid, hanging_indent, render_unseen_values
from unless.cli.loading import DataSource, name_missing_columns, note_how_read, read_model, with_labels
from unless.cli.options import Changes, Json, Quiet, flag_option
from unless.diff import (
    ChangedRecord,
    LiteralEdit,
    RecordComparison,
    RuleComparison,
    RuleEdit,
    compare_records,
    compare_rules,
    find_unseen_records,
)
from unless.evaluation.unseen_values import unknown_labels
from unless.explanation.rule_listing import condition_sign_parts, condition_signs, rule_lines
from unless.explanation.sentences import words_for
from unless.explanation.words import Words, printable
from unless.model import Model as FittedModel
from unless.model import program_of
from unless.rule import Program, conditions
from unless.values import count_text, percent, share_text

_MARKS = {"added": "+", "removed": "-", "changed": "~", "kept": " "}
_STYLES = {"added": "green", "removed": "red", "changed": "yellow", "kept": "dim"}


def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A model file, or - for standard input.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The model file to compare it with.")],
    data: Annotated[
        str | None, typer.Argument(metavar="DATA", help="Records, to show which change label.", show_default=False)
    ] = None,
    *,
    most: Changes = 5,
    exit_code: Annotated[bool, flag_option("Exit with 1 if the rules differ.", "--exit-code")] = False,
    file: FileOptions,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compare two models: rules added, removed and changed. With data, show which records change label.

    The signs: + added, - removed, ~ changed, > moved.

    Example: unless diff old.json model.json applicants.csv
    """
    check_file_conflicts(None, old, new, data, format=file.format)
    screen = Screen(quiet=quiet)
    before, after = read_model(old, "diff"), read_model(new, "diff")
    found = compare_rules(program_of(before), program_of(after))
    moved = None if data is None else _compare_decisions(screen, before, after, DataSource.of(data, file), most)
    if json:
        screen.data({"old": old, "new": new, **found.to_dict(), "data": None if moved is None else moved.to_dict()})
    else:
        screen.show(*render_rule_changes(found))
        screen.show(*([] if moved is None else render_record_changes(moved)))
    if exit_code and not found.same:
        raise typer.Exit(1)


def _compare_decisions(
    screen: Screen, old: FittedModel | Program, new: FittedModel | Program, data: DataSource, most: int
) -> RecordComparison:
    with screen.busy(f"reading {data.name}"), name_missing_columns(by_model=True, data=data.name):
        features = [data.known_features(one, program_of(one).used) for one in (old, new)]
        first, second = (data.read(like=one, features=names) for one, names in zip((old, new), features, strict=True))
    note_how_read(screen, data.name, first.read_as)
    first = with_labels(screen, data, old, first)
    if first.numbers is not None:
        second = replace(second[first.numbers - 1], target=first.target, numbers=first.numbers)
    screen.note(*render_unseen_values(unknown_labels(new, second.target)))
    unseen = find_unseen_records((old, first), (new, second))
    return compare_records(program_of(old), program_of(new), first, second, most, unseen)


# Rules.


def render_rule_changes(found: RuleComparison) -> Iterator[RenderableType]:
    """Yield the changes of rules."""
    target = printable(found.new.target)
    if found.old.target != found.new.target:
        yield Text(f"The targets differ: {printable(found.old.target)} before, {target} after.", "yellow")
    for names, what in ((found.new_features, "New"), (found.lost_features, "Lost")):
        if names:
            yield f"{what} features: {', '.join(map(printable, names))}"
    if found.same:
        yield Text(f"{target}: the rules are the same, {count_text(len(found.new), 'rule')}")
        return
    counts = ", ".join(f"{count:,} {status}" for status, count in found.counts.items() if count)
    yield Text(f"{target}: {count_text(len(found.old), 'rule')} before, {len(found.new):,} after: {counts}", "bold")
    yield _rule_change_table(found)
    if not found.same_otherwise:
        labels = ("none" if one is None else printable(str(one)) for one in (found.old.otherwise, found.new.otherwise))
        yield f"otherwise: {' → '.join(labels)}"


def _rule_change_table(found: RuleComparison) -> Table:
    """Render the rules that changed or moved, in the order of the new program."""
    table = grid({"no_wrap": True}, {"no_wrap": True, "style": "dim"}, {"style": "bold cyan"}, {})
    words = words_for(found.old, found.new)
    for edit in found.rules:
        if edit.status != "kept" or edit.moved:
            mark = _MARKS[edit.status].strip() + ">" * edit.moved
            numbers = dict.fromkeys(str(one + 1) for one in (edit.old_number, edit.new_number) if one is not None)
            label = printable(str(edit.rule.head))
            table.add_row(
                Text(mark, _STYLES[edit.status]), " → ".join(numbers), label, Group(*_rule_lines(edit, words))
            )
    return table


def _rule_lines(edit: RuleEdit, words: Words) -> Iterator[Conditions]:
    if edit.status in ("changed", "kept"):
        return _edited_rule_lines(edit, words, "if", 0)
    style = _STYLES[edit.status]
    return (_marked_line(" ", depth, word, asks, style) for depth, word, asks in rule_lines(edit.rule, words))


def _edited_rule_lines(edit: RuleEdit, words: Words, word: str, depth: int) -> Iterator[Conditions]:
    """Yield the lines of a rule in both programs: common literals, removed and added literals, and exceptions."""
    both = [one for one in edit.literals if one.status in ("kept", "changed")]
    if both or not edit.literals:
        style = "yellow" if any(one.status == "changed" for one in both) else "dim" if edit.status == "kept" else ""
        mark = "~" if style == "yellow" else " "
        yield Conditions(
            Text(word, style), list(_edited_conditions(both, words)) or [Text("always")], depth, f"{mark} "
        )
    for status in ("removed", "added"):
        literals = [one.literal for one in edit.literals if one.status == status]
        if literals:
            asks = [condition_signs(one, words) for one in conditions(literals)]
            yield _marked_line(_MARKS[status], depth, "and" if both else word, asks, _STYLES[status])
    for exception in edit.exceptions:
        yield from _exception_lines(exception, words, depth + 1)


def _exception_lines(edit: RuleEdit, words: Words, depth: int) -> Iterator[Conditions]:
    if edit.status == "changed":
        yield from _edited_rule_lines(edit, words, "unless", depth)
        return
    for level, word, asks in rule_lines(edit.rule, words, "unless"):
        yield _marked_line(_MARKS[edit.status], depth + level, word, asks, _STYLES[edit.status])


def _marked_line(mark: str, depth: int, word: str, asks: list[str], style: str) -> Conditions:
    return Conditions(Text(word, style), [Text(one, style) for one in asks], depth, f"{mark} ")


def _edited_conditions(edits: Sequence[LiteralEdit], words: Words) -> Iterator[Text]:
    """Render the conditions that both rules have; where a value changed, both the old and the new value.

    A bound that is implied by a tighter bound is left out, unless it changed.
    """
    edit_of = {edit.literal: edit for edit in sorted(edits, key=lambda edit: edit.status == "changed")}
    groups = [[edit_of[literal] for literal in condition] for condition in conditions(edit.literal for edit in edits)]
    shown = [edit for group in groups for edit in group]
    alone = [[edit] for edit in edits if edit.status == "changed" and edit not in shown]
    return (_edited_condition(group, words) for group in groups + alone)


def _edited_condition(edits: Sequence[LiteralEdit], words: Words) -> Text:
    text = Text(words.name(edits[0].literal.feature))
    for edit, (verb, value) in zip(
        edits, condition_sign_parts(tuple(edit.literal for edit in edits), words), strict=True
    ):
        text.append(f" {verb}")
        if edit.status == "changed" and edit.old is not None:
            old = words.value(edit.old.feature, edit.old.value)
            text.append(" ").append(old, "red").append(" → ").append(value or "", "green")
        elif value is not None:
            text.append(f" {value}")
    return text


# Records.


def render_record_changes(moved: RecordComparison) -> Iterator[RenderableType]:
    """Render which records change label, and how many become right and wrong."""
    share = f" ({percent(moved.changed / moved.records, 1)})" if moved.changed else ""
    changes = "changes" if moved.changed == 1 else "change"
    yield ""
    yield Text(f"{moved.changed:,} of {count_text(moved.records, 'record')} {changes} label{share}", "bold")
    if moved.changed:
        table = grid({}, {}, {"justify": "right"})
        for old, new, count in moved.shifts:
            table.add_row(f"  {_label_text(old)}", f"→ {_label_text(new)}", f"{count:,}")
        yield table
    yield from _correctness_lines(moved)
    for switch in moved.switches:
        yield from _changed_record_lines(switch)
    if len(moved.switches) < moved.changed:
        yield Text(f"… and {count_text(moved.changed - len(moved.switches), 'more record')}", "dim")


def _correctness_lines(moved: RecordComparison) -> Iterator[str]:
    """Yield how many records become right or wrong, records that the rules were not learned from first, if known."""
    parts = [("", moved.turn)]
    if moved.unseen is not None and moved.others is not None:
        unseen, others = count_text(moved.unseen.records, "record"), moved.others.records
        rest = f"the other {others:,}, with those of training: " if moved.unseen.records else "in training: "
        parts = [(f"{unseen} held back: ", moved.unseen), (rest, moved.others)]
    for on, turn in parts:
        if turn is not None and turn.records:
            before, after = (f"{right:,} ({share_text(right / turn.records)})" for right in turn.right)
            yield f"{on}right before: {before}, after: {after}; {turn.better:,} become right, {turn.worse:,} wrong"


def _changed_record_lines(switch: ChangedRecord) -> Iterator[RenderableType]:
    truth = "" if switch.truth is None else f" (in the data: {_label_text(switch.truth)})"
    old, new = (_label_text(switch.old.label), "red"), (_label_text(switch.new.label), "green")
    yield Text.assemble(f"Record {switch.number:,}: ", old, " → ", new, truth)
    for when, proof in (("before", switch.old), ("after", switch.new)):
        reason = "no rule applies" if proof.rule is None else proof.rule.reason()
        rule = "" if proof.decided is None else f"rule {proof.decided + 1}: "
        yield hanging_indent(f"  {when:<6}  ", Text(f"{rule}{reason}"))


def _label_text(label: Any) -> str:
    return "(no label)" if label is None else printable(str(label))
