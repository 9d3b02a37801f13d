"""Test on each period what is learned before it, and draw the results for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import RenderableType
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.layout import titled_grid
from unless.cli.split_options import TestSplit
from unless.errors import ReadError
from unless.evaluation.periods import PeriodResult, can_learn, measure_periods
from unless.evaluation.validation import Learn
from unless.explanation.words import join_names
from unless.model.prediction import Decider
from unless.table import Column, Table
from unless.values import percent, share_text

_WIDTH = 30


Pairs = Sequence[tuple[str, tuple[Table, Table]]]
"""The name of each period, the records before it, and its own."""


def period_pairs(screen: Screen, table: Table, beside: Mapping[str, Column], split: TestSplit) -> Pairs:
    """Return each period with the records before it and its own, unless those before have only one label."""
    from unless.estimators.split_by import split_periods

    found = split.periods(beside)
    pairs = list(split_periods(table, beside[str(split.time)], found))
    if left := [one.name for one, (train, _) in zip(found, pairs, strict=True) if not can_learn(train)]:
        screen.note(f"not tested: {join_names(left, 3)}; all records before have the same label")
    known = [(one.name, pair) for one, pair in zip(found, pairs, strict=True) if can_learn(pair[0])]
    if not known:
        raise ReadError(f"there is no {split.period} before which records have several labels")
    return known


def measure_by_period(
    screen: Screen, pairs: Pairs, learn: Learn, model: Decider, *, learned_last: bool = False
) -> tuple[PeriodResult, ...]:
    """Test on each period what is learned before it, with a progress bar."""
    names, tables = [name for name, _ in pairs], [pair for _, pair in pairs]
    with screen.busy("learning by period") as update:

        def progress(done: int, total: int) -> None:
            update(completed=done, total=total)

        return tuple(measure_periods(names, tables, learn, model, progress, learned_last=learned_last))


def plot_periods(found: Sequence[PeriodResult], *, blocks: bool = True) -> RenderableType:
    """Draw the accuracy of each period as a bar, with a mark where the most frequent label alone would be."""
    back = any(one.returns is not None for one in found)
    titles = ("period", "records", "accuracy", "", *(("rules back",) if back else ()))
    table = titled_grid(titles, right=(1, 2, 4))
    for one in found:
        returns = "" if one.returns is None else percent(one.returns)
        cells = (
            one.name,
            f"{one.records:,}",
            share_text(one.accuracy),
            _bar(one, blocks=blocks),
            *((returns,) if back else ()),
        )
        table.add_row(*map(Text, cells))
    return table


def _bar(one: PeriodResult, *, blocks: bool) -> str:
    """Draw a bar from 0 to 1, and a mark on it for the baseline."""
    full, mark = ("█", "│") if blocks else ("#", "|")
    end, usual = round(_WIDTH * one.accuracy), min(round(_WIDTH * one.baseline), _WIDTH - 1)
    return "".join(mark if k == usual else full if k < end else " " for k in range(_WIDTH)).rstrip()
