"""One list that imitates a teacher, such as a committee.

The list learns from the training records with their labels and, beside them, from records near them that the teacher
has labelled (`synthetic_rows`): where records are few, these say where the teacher draws the line. The list may have
three times the parts of one learned without a teacher; optimising as a whole brings it there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unless.learn.fold import Progress
from unless.learn.memory_engine import MemoryEngine
from unless.learn.synthetic_rows import add_synthetic_rows
from unless.learn.unless_learner import UnlessLearner, UnlessSettings
from unless.learn.weights import Weights
from unless.rule import Program
from unless.table import Labels, Table


@dataclass(frozen=True, slots=True)
class DistillationResult:
    """What taught a list, and the share of ``records`` on which both agree: records that the list had not seen.

    To find out, a fifth of the training records was held back once. A teacher that came fitted may have seen them.
    """

    teacher: str
    agreement: float
    records: int


TeacherFunction = Callable[[Table], NDArray[np.integer]]
"""Says the label of each row, by its place among the labels."""

_NEW = 6_000
"""How many records the teacher labels."""

_OWN = 1.5
"""How often a training record counts, against once for a new one."""

_SUPPORT = 5 / 3
"""How many times the support of a list without a teacher a student needs: new records come cheap."""

_PENALTY, _LONGER = 0.7, 3
"""How strict a student is, compared with a list without a teacher, and how many times its parts it may have.

Longer lists imitate their teacher better.
"""


def distillation_settings(settings: UnlessSettings, plain: Program) -> UnlessSettings:
    """The settings for a student, given the list that was learned without a teacher."""
    longer = max(3, _LONGER * count_rules_and_exceptions(plain))
    penalty, support = _PENALTY * settings.strictness, _SUPPORT * settings.min_support
    return replace(settings, penalty=penalty, min_support=support, max_parts=longer)


def learn_distilled_list(
    table: Table,
    counts: Weights | None,
    teacher: TeacherFunction,
    settings: UnlessSettings,
    seed: int = 0,
    progress: Progress | None = None,
    *,
    n_jobs: int | None = None,
) -> Program:
    """A list that imitates a teacher; what stops the learner is raised."""
    whole, weights = label_by_teacher(table, counts, teacher, seed)
    engine = MemoryEngine(whole, weights, n_jobs=n_jobs)
    return UnlessLearner(engine, settings, progress).learn_program(engine.all_rows())


def label_by_teacher(
    table: Table, counts: Weights | None, teacher: TeacherFunction, seed: int
) -> tuple[Table, Weights]:
    """The records, and new ones that the teacher has labelled, with what each counts."""
    rows = add_synthetic_rows(table, _NEW, seed)
    new = np.arange(len(table), len(rows))
    codes = np.concatenate([table.labels.codes.astype(np.int64), teacher(rows[new])])
    own = np.ones(len(table)) if counts is None else counts
    weights = np.concatenate([_OWN * own, np.full(len(new), own.sum() / max(np.count_nonzero(own), 1))])
    return replace(rows, target=Labels(table.labels.name, table.labels.labels, codes)), weights


def count_rules_and_exceptions(program: Program) -> int:
    """The number of rules and exceptions."""
    return len(program) + program.exception_count
