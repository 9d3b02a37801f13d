"""`unless show`: the rules of a model, as a table for a terminal or as a logic program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated
from typing import Literal as OneOf

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.table import Table
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.file_io import check_files, write_document
from unless.cli.layout import Conditions
from unless.cli.loading import read_any_model
from unless.cli.options import Json, Model, Quiet, flag_option
from unless.cli.plot import trade_off_plot
from unless.estimators.model_file import document
from unless.evaluation.metrics import tested_text
from unless.explanation.rule_listing import RuleLine, figure_headings, imitation_title, listing_rows, listing_title
from unless.export import to_rules, to_text
from unless.export.json import to_dict
from unless.model import Model as FittedModel
from unless.model import program_of
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
            "plain is a table; rules is text to edit; paper is a logic program in order, exclusive is one whose "
            "order does not matter."
        ),
    ] = "plain",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show the rules of a model, how many records each decided in training, and its expected precision.

    The latter is the share of new records that the rule is expected to get right, with the ends of its 95 % interval.

    Of a committee it shows the one list that imitates it; --json has all lists with their points.

    Example: unless show model.json --style paper
    """
    screen = Screen(quiet=quiet)
    check_files(None, model)
    found = read_any_model(model)
    program = program_of(found)
    if json:
        screen.data(to_dict(found) if isinstance(found, Program) else document(found))
    elif style == "plain":
        if not isinstance(found, Program) and found.committee is not None:
            screen.show(committee_line(found), "")
        screen.note(listing_title(program))
        screen.show(RuleTable(program, None if isinstance(found, Program) else found.statistics))
        if locked := locked_numbers(found):
            screen.show("", f"locked: {numbered(locked)}")
        if not isinstance(found, Program) and (tested := found.tested) is not None:
            screen.show("", f"test: {tested_text(tested)}")
        if not isinstance(found, Program) and found.trade_off is not None:
            screen.show("", trade_off_plot(found.trade_off))
    elif style == "rules":
        write_document(
            to_rules(found if isinstance(found, Program) or found.committee is None else program) + "\n", None
        )
    else:
        write_document(to_text(program, style) + "\n", None)


def locked_numbers(model: FittedModel | Program) -> tuple[int, ...]:
    """Return the numbers, from 1, of the rules that were locked when the model was learned."""
    return () if isinstance(model, Program) else tuple(place + 1 for place in model.locked)


def numbered(numbers: Sequence[int]) -> str:
    """Return rules by number: "rule 3", "rules 3, 4 and 7"."""
    *others, last = map(str, numbers)
    return f"rules {', '.join(others)} and {last}" if others else f"rule {last}"


def committee_line(model: FittedModel) -> str:
    """Say what decides, and that the rules below it only imitate that."""
    return imitation_title(model)


class RuleTable:
    """The rules in order, each with its exceptions below it and, for a model, its figures before it.

    If there are more than ``most`` rules, the table has the first ones and the number of the others. A narrow terminal
    has no room for intervals.
    """

    def __init__(self, program: Program, statistics: RuleStatistics | None = None, most: int | None = None) -> None:
        self._rules = program, statistics, most

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield _table(*self._rules, intervals=options.max_width >= _WIDE)


def _table(program: Program, statistics: RuleStatistics | None, most: int | None, *, intervals: bool) -> Table:
    """Return the rules as a table, with or without intervals."""
    table = Table(
        box=None, show_header=statistics is not None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0)
    )
    table.add_column("", justify="right", style="dim", no_wrap=True)
    table.add_column("", style="bold cyan", no_wrap=max((len(str(label)) for label in program.labels), default=0) <= 12)
    for heading in figure_headings(statistics):
        table.add_column(heading if intervals else heading.replace(" ", "\n"), justify="right", no_wrap=True)
    table.add_column("")
    for row in listing_rows(program, statistics, most, intervals=intervals):
        table.add_row(row.number, row.label, *row.figures, _body(row.lines))
    return table


def _body(lines: Iterable[RuleLine]) -> Group:
    return Group(
        *(
            Conditions(Text(line.word, _STYLES.get(line.word, "italic")), [*map(Text, line.asks)], line.depth)
            for line in lines
        )
    )
