"""Make the pairs of training and test records of `unless evaluate`: folds, another file, later records, or periods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from unless.cli.console import Screen
from unless.cli.layout import titled_grid
from unless.cli.period_tests import period_pairs
from unless.cli.split_options import DEFAULT_SHARE, TestSplit
from unless.cli.training_data import TrainingTable
from unless.errors import ParameterError
from unless.evaluation.validation import Evaluation, assign_folds, assign_group_folds, split_folds
from unless.table import Table
from unless.values import count_text, share_text

if TYPE_CHECKING:
    from unless.estimators.split_by import SplitBy

_FOLDS = 10


@dataclass(frozen=True, slots=True)
class TestPairs:
    """Pairs of records to learn from and to test on, how many there are, and how they were made.

    ``names`` are those of periods; otherwise pairs have none.
    """

    __test__ = False  # for pytest, which collects classes with such names
    pairs: Callable[[], Iterable[tuple[Table, Table]]]
    count: int
    made: str
    names: tuple[str, ...] = ()


def pairs_at_random(table: Table, folds: int | None, seed: int) -> TestPairs:
    """Make folds at random, with equal shares of every label."""
    count = folds or _FOLDS
    return TestPairs(partial(split_folds, table, assign_folds(table.labels, count, seed)), count, f"seed {seed}")


def pairs_by_column(
    screen: Screen, training: TrainingTable, split: TestSplit, folds: int | None, seed: int
) -> tuple[TrainingTable, TestPairs]:
    """Make folds of whole groups, or test on later records, or on one period after the other."""
    from unless.estimators.split_by import with_groups

    if split.period is not None:
        return training, _periods(screen, training, split)
    by = split.split(training.beside, DEFAULT_SHARE)
    if by is None:  # there is a column, and the share is not 0
        raise ParameterError("the records cannot be split")
    if by.column.since is not None:
        return training, _later(training.table, by)
    if by.remark:
        screen.note(by.remark)
    table = with_groups(training.table, by)
    groups = table.fold_numbers()
    count = folds or min(_FOLDS, len(np.unique(groups)))
    pairs = partial(split_folds, table, assign_group_folds(groups, count, seed))
    return replace(training, table=table), TestPairs(pairs, count, f"groups of {by.column.name!r}, seed {seed}")


def _later(table: Table, by: SplitBy) -> TestPairs:
    """Learn from the records before a moment, and test on the others."""
    held = by.held_back(table.labels, DEFAULT_SHARE, 0)
    pair = table[~held], table[held]
    return TestPairs(lambda: [pair], 1, f"tested on {count_text(int(held.sum()), 'record')}: {by.column.text}")


def _periods(screen: Screen, training: TrainingTable, split: TestSplit) -> TestPairs:
    """Test on each period what is learned before it."""
    known = period_pairs(screen, training.table, training.beside, split)
    made = f"{count_text(len(known), str(split.period))} of {split.time!r}, each tested with what was learned before it"
    return TestPairs(lambda: [pair for _, pair in known], len(known), made, tuple(name for name, _ in known))


def period_table(found: Evaluation, names: Sequence[str]) -> RenderableType:
    """Render the accuracy of each learner in each period, the best in bold."""
    learners = [score.algorithm for score in found.scores]
    table = titled_grid(("period", "records", *learners), right=range(1, len(learners) + 2))
    for place, name in enumerate(names[: found.folds]):
        runs = [score.runs[place].quality for score in found.scores]
        best = max(run.accuracy for run in runs)
        shares = (Text(share_text(run.accuracy), "bold" if run.accuracy == best else "") for run in runs)
        table.add_row(name, f"{runs[0].records:,}", *shares)
    return table
