"""Test on each period what is learned before it, and draw the results for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.layout import titled_grid
from unless.cli.split_options import TestSplit
from unless.cli.training_data import TrainingTable
from unless.evaluation.periods import PeriodResult, can_learn, measure_periods
from unless.explanation.words import join_names
from unless.model import Model as FittedModel
from unless.values import percent, share_text

if TYPE_CHECKING:
    from unless.estimators.learners import Learner

_WIDTH = 30


def measure_training_periods(
    screen: Screen, learner: Learner, training: TrainingTable, split: TestSplit, model: FittedModel
) -> tuple[PeriodResult, ...]:
    """Test on each period what is learned before it; periods before which there is only one label are left out."""
    from unless.estimators.relearning import program_of
    from unless.estimators.split_by import split_periods

    found = split.periods(training.beside)
    every = list(zip(found, split_periods(training.table, training.beside[str(split.time)], found), strict=True))
    known = [(one.name, pair) for one, pair in every if can_learn(pair[0])]
    if left := [one.name for one, pair in every if not can_learn(pair[0])]:
        screen.note(f"not tested: {join_names(left, 3)}; all records before have the same label")
    names, pairs = [name for name, _ in known], [pair for _, pair in known]
    with screen.busy("learning by period") as update:
        tests = measure_periods(
            names,
            pairs,
            partial(program_of, learner),
            model.decider,
            lambda done, total: update(completed=done, total=total),
        )
        return tuple(tests)


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
