"""Learn one list that imitates a teacher, such as a committee.

The list learns from the training records with their labels, and from new records near them that the teacher has
labelled (`synthetic_rows`): where training records are few, these show the boundaries of the teacher. A new record
counts as much as the teacher is sure of its label: where two labels are almost equally probable, either will do, and a
rule for such records would be wasted. The list may have
three times as many parts as a list without a teacher; optimising the whole list reduces it to that number.
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
    """The name of a list's teacher, and the share of unseen ``records`` on which both agree.

    It was measured once on a held-out fifth of the training records. A teacher given already fitted may have seen them.
    """

    teacher: str
    """The name of the teacher's class, or ``committee``."""
    agreement: float
    """The share of the records on which list and teacher agree."""
    records: int


@dataclass(frozen=True, slots=True)
class TeacherAnswers:
    """The index of the label that a teacher gives to each row, and how sure it is.

    ``leads`` are the differences between the probabilities of this label and of the next one; None if the teacher has
    no probabilities, and each answer counts fully.
    """

    labels: NDArray[np.integer]
    leads: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, labels: NDArray[np.integer], shares: NDArray[np.float64]) -> TeacherAnswers:
        """Return the answers of a teacher, given the probability of each label (columns) for each row."""
        if shares.shape[1] < 2:
            return cls(labels)
        *_, second, first = np.partition(shares, shares.shape[1] - 2, axis=1).T
        return cls(labels, first - second)


TeacherFunction = Callable[[Table], TeacherAnswers]

_NEW = 8_000
"""The number of records that the teacher labels."""

_OWN = 1.5
"""How often a training record counts; a new record counts at most once."""

_GRAIN = 16
"""New records count in whole parts of this size, at least one part, so that sums are exact."""

_PENALTY, _LONGER = 0.7, 3
"""The factors for the penalty and for the number of parts of a student, compared with a list without a teacher.

Longer lists imitate their teacher better.
"""


def distillation_settings(settings: UnlessSettings, plain: Program) -> UnlessSettings:
    """Return the settings for a student, given the list that was learned without a teacher."""
    longer = max(3, _LONGER * count_rules_and_exceptions(plain))
    return replace(settings, penalty=_PENALTY * settings.strictness, max_parts=longer)


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
    """Learn a list that imitates a teacher; raise any interruption."""
    whole, weights = label_by_teacher(table, counts, teacher, seed)
    engine = MemoryEngine(whole, weights, n_jobs=n_jobs)
    return UnlessLearner(engine, settings, progress).learn_program(engine.all_rows())


def label_by_teacher(
    table: Table, counts: Weights | None, teacher: TeacherFunction, seed: int
) -> tuple[Table, Weights]:
    """Return the records together with new records that the teacher has labelled, and the count of each."""
    rows = add_synthetic_rows(table, _NEW, seed)
    new = np.arange(len(table), len(rows))
    answers = teacher(rows[new])
    codes = np.concatenate([table.labels.codes.astype(np.int64), answers.labels])
    own = np.ones(len(table)) if counts is None else counts
    leads = np.ones(len(new)) if answers.leads is None else answers.leads
    sure = np.maximum(np.rint(leads * _GRAIN), 1.0) / _GRAIN
    weights = np.concatenate([_OWN * own, sure * (own.sum() / max(np.count_nonzero(own), 1))])
    return replace(rows, target=Labels(table.labels.name, table.labels.labels, codes)), weights


def count_rules_and_exceptions(program: Program) -> int:
    """Return the number of rules and exceptions."""
    return len(program) + program.exception_count
