"""`unless show`: show the rules of a model, as a table for a terminal or as a logic program."""

from __future__ import annotations

from typing import Annotated
from typing import Literal as OneOf

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.table import Table
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.file_io import check_file_conflicts, write_document
from unless.cli.layout import Conditions
from unless.cli.loading import read_any_model
from unless.cli.options import Json, Model, Quiet, flag_option
from unless.cli.plot import plot_trade_off
from unless.estimators.model_file import document
from unless.evaluation.metrics import holdout_text
from unless.explanation.rule_listing import (
    RuleLine,
    figure_headings,
    imitation_title,
    listing_rows,
    listing_title,
    rule_numbers,
)
from unless.export import to_rules, to_text
from unless.export.json import to_dict
from unless.model import Model as FittedModel
from unless.model import model_of, program_of
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Program

_WIDE = 80  # columns of a terminal
_STYLES = {"if": "dim", "unless": "yellow"}


def show(
    model: Model,
    *,
    style: Annotated[
        OneOf["plain", "rules", "paper", "exclusive"],
        flag_option(
            "plain is a table; rules is text to edit; paper is an ordered logic program, exclusive one whose "
            "order does not matter."
        ),
    ] = "plain",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show the rules of a model, how many records each decided in training, and its expected precision.

    The expected precision is the share of new records that the rule is expected to get right, with its 95 % interval.

    For a committee, the one list that imitates it is shown; --json contains all lists with their points.

    Example: unless show model.json --style paper
    """
    screen = Screen(quiet=quiet)
    check_file_conflicts(None, model)
    found = read_any_model(model)
    program, known = program_of(found), model_of(found)
    if json:
        screen.data(to_dict(program) if known is None else document(known))
    elif style == "plain":
        _show_table(screen, program, known)
    elif style == "rules":
        write_document(to_rules(program if known is None else known.readable) + "\n", None)
    else:
        write_document(to_text(program, style) + "\n", None)


def _show_table(screen: Screen, program: Program, model: FittedModel | None) -> None:
    if model is not None and (title := imitation_title(model)):
        screen.show(title, "")
    screen.note(listing_title(program))
    screen.show(RuleTable(program, None if model is None else model.statistics))
    if model is not None and model.locked:
        screen.show("", f"locked: {rule_numbers(locked_numbers(model))}")
    if model is not None and model.tested is not None:
        screen.show("", f"test: {holdout_text(model.tested)}")
    if model is not None and model.trade_off is not None:
        screen.show("", plot_trade_off(model.trade_off))


def locked_numbers(model: FittedModel) -> list[int]:
    """Return the numbers, from 1, of the rules that were locked when the model was learned."""
    return [place + 1 for place in model.locked]


class RuleTable:
    """The rules in order, each followed by its exceptions and, for a model, preceded by its figures.

    If there are more than ``most`` rules, the table has the first ones and the number of the rest. Intervals are left
    out on a narrow terminal.
    """

    def __init__(self, program: Program, statistics: RuleStatistics | None = None, most: int | None = None) -> None:
        self._rules = program, statistics, most

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield _make_rule_table(*self._rules, intervals=options.max_width >= _WIDE)


def _make_rule_table(
    program: Program, statistics: RuleStatistics | None, most: int | None, *, intervals: bool
) -> Table:
    """Make a table of the rules, with or without intervals."""
    table = Table(
        box=None, show_header=statistics is not None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0)
    )
    table.add_column("", justify="right", style="dim", no_wrap=True)
    table.add_column("", style="bold cyan", no_wrap=max((len(str(label)) for label in program.labels), default=0) <= 12)
    for heading in figure_headings(statistics):
        table.add_column(heading if intervals else heading.replace(" ", "\n"), justify="right", no_wrap=True)
    table.add_column("")
    for row in listing_rows(program, statistics, most, intervals=intervals):
        table.add_row(row.number, row.label, *row.figures, Group(*map(_conditions, row.lines)))
    return table


def _conditions(line: RuleLine) -> Conditions:
    return Conditions(Text(line.word, _STYLES.get(line.word, "italic")), [*map(Text, line.asks)], line.depth)
