"""`unless diff`: what became of the rules of a model, and which records change label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unless.cli.console import Screen
from unless.cli.inputs import needed, program_of, read_model, source_of
from unless.cli.options import Format, Json, Quiet
from unless.cli.outputs import keep_inputs
from unless.errors import ParameterError
from unless.values import counted, percent

if TYPE_CHECKING:
    from rich.console import RenderableType

    from unless.diff import Comparison, Effect, Switch
    from unless.estimators.file import SavedModel
    from unless.rule import Program

__all__ = ["diff"]


def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A model file; or - for standard input.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The model file to compare it with.")],
    data: Annotated[
        str | None, typer.Argument(metavar="DATA", help="Records, to see which change label.", show_default=False)
    ] = None,
    *,
    most: Annotated[int, typer.Option(metavar="N", min=0, help="How many changed records to show.")] = 5,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 if the rules differ.")] = False,
    format: Format = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compare two models: rules added, removed and changed; with data, which records change label.

    Example: unless diff old.json model.json applicants.csv
    """
    from unless.diff import compare_rules

    if [old, new, data].count("-") > 1:
        raise ParameterError("- is standard input, which can be read only once; give the others as files")
    keep_inputs(None, old, new, data, format=format)
    screen = Screen(quiet=quiet)
    before, after = read_model(old), read_model(new)
    found = compare_rules(program_of(before), program_of(after))
    moved = None if data is None else _effect(screen, before, after, data, format, most)
    if json:
        screen.data({"old": old, "new": new, **found.to_dict(), "data": None if moved is None else moved.to_dict()})
    else:
        screen.show(*_rules(found))
        screen.show(*([] if moved is None else _records(moved)))
    if exit_code and not found.same:
        raise typer.Exit(1)


def _effect(
    screen: Screen, old: SavedModel | Program, new: SavedModel | Program, data: str, format: str | None, most: int
) -> Effect:
    from unless.diff import compare_records
    from unless.read.table import read_table

    source, known = source_of(data, format)
    with screen.busy(f"reading {data}"), needed(by_model=True, data=data):
        tables = [read_table(source, like=one, features=program_of(one).used, format=known) for one in (old, new)]
        return compare_records(program_of(old), program_of(new), tables[0], tables[1], most)


def _rules(found: Comparison) -> Iterator[RenderableType]:
    from rich.text import Text

    from unless.cli.changes import rule_changes
    from unless.explanation.words import printable

    target = printable(found.new.target)
    if found.old.target != found.new.target:
        yield Text(f"The targets differ: {printable(found.old.target)} before, {target} after.", "yellow")
    for names, what in ((found.new_features, "New"), (found.lost_features, "Lost")):
        if names:
            yield f"{what} features: {', '.join(map(printable, names))}"
    if found.same:
        yield Text.assemble(f"{target}: the rules are the same, {counted(len(found.new), 'rule')}")
        return
    counts = ", ".join(f"{count:,} {status}" for status, count in found.counts.items() if count)
    yield Text(f"{target}: {counted(len(found.old), 'rule')} before, {len(found.new):,} after: {counts}", "bold")
    yield rule_changes(found)
    if not found.same_otherwise:
        labels = ("none" if one is None else printable(str(one)) for one in (found.old.otherwise, found.new.otherwise))
        yield f"otherwise: {' → '.join(labels)}"


def _records(moved: Effect) -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    share = f" ({percent(moved.changed / moved.records, 1)})" if moved.changed else ""
    changes = "changes" if moved.changed == 1 else "change"
    yield ""
    yield Text(f"{moved.changed:,} of {counted(moved.records, 'record')} {changes} label{share}", "bold")
    if moved.changed:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column()
        table.add_column()
        table.add_column(justify="right")
        for old, new, count in moved.shifts:
            table.add_row(f"  {_label(old)}", f"→ {_label(new)}", f"{count:,}")
        yield table
    if moved.right is not None and moved.records:
        before, after = (f"{right:,} ({right / moved.records:.3f})" for right in moved.right)
        yield f"right before: {before}, after: {after}; {moved.better:,} become right, {moved.worse:,} wrong"
    for switch in moved.switches:
        yield from _switch(switch)
    if len(moved.switches) < moved.changed:
        yield Text(f"… and {counted(moved.changed - len(moved.switches), 'more record')}", "dim")


def _switch(switch: Switch) -> Iterator[RenderableType]:
    from rich.text import Text

    from unless.cli.reasons import hanging

    truth = "" if switch.truth is None else f" (in the data: {_label(switch.truth)})"
    yield Text.assemble(
        f"Record {switch.number:,}: ",
        (_label(switch.old.label), "red"),
        " → ",
        (_label(switch.new.label), "green"),
        truth,
    )
    for when, proof in (("before", switch.old), ("after", switch.new)):
        reason = "no rule applies" if proof.rule is None else proof.rule.reason()
        rule = "" if proof.decided is None else f"rule {proof.decided + 1}: "
        yield hanging(f"  {when:<6}  ", Text(f"{rule}{reason}"))


def _label(label: Any) -> str:
    from unless.explanation.words import printable

    return "(no label)" if label is None else printable(str(label))
