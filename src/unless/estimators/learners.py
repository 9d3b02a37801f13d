"""The three learners below scikit-learn: their parameters, how each learns, and the model that comes of it.

The `classifiers` are these learners with scikit-learn's manners. The command uses them as they are: scikit-learn and
scipy take two seconds to import, and learning from a small file takes 20 ms.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from unless.errors import Interrupted, ParameterError
from unless.estimators.file import SavedModel
from unless.estimators.progress import Meter, meter
from unless.estimators.training import Training, read_training, same
from unless.judge.importance import Evidence
from unless.judge.rules import measured
from unless.learn.fold import Learned, Progress, learn_rm, learn_rpp
from unless.learn.own import learn_unless
from unless.model import Statistics
from unless.rule import Program
from unless.table import Table, domain_of
from unless.values import Label, plain

__all__ = [
    "LEARNERS",
    "FoldRMLearner",
    "FoldRPPLearner",
    "LearnedModel",
    "Learner",
    "UnlessLearner",
    "learn",
    "program_of",
]


@dataclass(frozen=True, slots=True)
class LearnedModel:
    """A model; after Ctrl-C that of the rules learned until then, and the interruption."""

    model: SavedModel
    interrupted: Interrupted | None = None


@dataclass(eq=False, repr=False)
class Learner:
    """What all learners share; `UnlessClassifier` explains the parameters. Each says how it finds rules."""

    _: KW_ONLY
    numeric: Sequence[Any] | None = None
    categorical: Sequence[Any] | None = None
    class_weight: Mapping[Label, float] | str | None = None
    max_rules: int | None = None
    max_seconds: float | None = None
    verbose: bool | int = False

    _classifier: ClassVar[str]
    """What model files call it: the name of its classifier."""

    _rules_to_come: ClassVar[int] = 0
    """How many rules it adds at the end, of those that ``max_rules`` allows."""

    def _rules(self, data: Training, progress: Progress) -> Learned:
        raise NotImplementedError

    def _otherwise(self, program: Program, decided: Statistics, data: Training) -> Label | None:  # noqa: ARG002
        """The label where no rule decides, once it is known what the rules decide."""
        return program.otherwise

    def _learn(self, data: Training) -> LearnedModel:
        """Learn rules, count what they decide, and remember what the features could be."""
        self._check_limits()
        with meter(on=bool(self.verbose)) as shown:
            learned = self._rules(data, self._limits(shown))
        decided = measured(learned, data.table, data.counts)
        program = replace(learned.program, otherwise=self._otherwise(learned.program, decided, data))
        model = SavedModel(
            program,
            replace(decided, labels=(*decided.labels[:-1], program.otherwise)),
            data.table.schema,
            domain_of(data.table, program.used),
            self._classifier,
            self._parameters(),
            data.named,
            Evidence.of(program, data.table, data.counts),
        )
        return LearnedModel(model, None if learned.interrupted is None else Interrupted(program))

    def _parameters(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _check_limits(self) -> None:
        rules, seconds = plain(self.max_rules), plain(self.max_seconds)
        if rules is not None and (isinstance(rules, bool) or not isinstance(rules, int) or rules < 1):
            raise ParameterError(f"max_rules must be a whole number from 1 on, or None, not {rules!r}")
        if seconds is not None and (
            isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0
        ):
            raise ParameterError(f"max_seconds must be a number of at least 0, or None, not {seconds!r}")

    def _limits(self, shown: Meter) -> Progress:
        started = time.monotonic()

        def progress(rows: int, rules: int) -> bool:
            shown.show(rows, rules)
            enough = self.max_rules is not None and rules + self._rules_to_come >= self.max_rules
            late = self.max_seconds is not None and time.monotonic() - started >= self.max_seconds
            return enough or late

        return progress


def learn(learner: Learner, data: Training | Table) -> LearnedModel:
    """What a learner makes of a table with labels, or of what was read for a classifier. It stays as it is itself."""
    if isinstance(data, Table):
        data = read_training(data, None, None, learner.class_weight, learner.numeric, learner.categorical)
    return learner._learn(data)  # noqa: SLF001 - a function, so that classifiers have no second way to learn


def program_of(learner: Learner, table: Table) -> Program:
    """What a learner learns from a table with labels; after Ctrl-C, nothing."""
    learned = learn(learner, table)
    if learned.interrupted is not None:
        raise learned.interrupted
    return learned.model.program_


@dataclass(eq=False, repr=False)
class UnlessLearner(Learner):
    """Our own learner, `fold_unless`."""

    ratio: float = 0.75
    penalty: float = 1.0
    min_support: float = 3

    _classifier = "UnlessClassifier"
    _rules_to_come = 1  # the one for everything that is left

    def _rules(self, data: Training, progress: Progress) -> Learned:
        ratio = plain(self.ratio)
        return learn_unless(data.engine(ratio), ratio, plain(self.penalty), plain(self.min_support), progress)


@dataclass(eq=False, repr=False)
class FoldRMLearner(Learner):
    """FOLD-RM as published, `fold_rm`."""

    ratio: float = 0.5
    otherwise: Label | None = "most_frequent"

    _classifier = "FoldRMClassifier"

    def _rules(self, data: Training, progress: Progress) -> Learned:
        self._label_named(data)
        ratio = plain(self.ratio)
        return learn_rm(data.engine(ratio), ratio, progress)

    def _otherwise(self, program: Program, decided: Statistics, data: Training) -> Label | None:  # noqa: ARG002
        named = self._label_named(data)
        if named is not None or self.otherwise is None:
            return named
        left = decided.counts[-1] if decided.counts[-1].any() else decided.counts.sum(axis=0)
        return data.labels.labels[int(np.argmax(left))]

    def _label_named(self, data: Training) -> Label | None:
        """The label that is named for records which no rule covers, if one is."""
        if self.otherwise is None or self.otherwise == "most_frequent":
            return None
        return data.labels.labels[same(self.otherwise, data.labels.labels, "otherwise is")]


@dataclass(eq=False, repr=False)
class FoldRPPLearner(Learner):
    """FOLD-R++ as published, `fold_rpp`."""

    ratio: float = 0.5
    positive: Label | None = None

    _classifier = "FoldRPPClassifier"

    def _rules(self, data: Training, progress: Progress) -> Learned:
        labels = data.labels.labels
        if len(labels) > 2:
            raise ParameterError(
                "Only binary classification is supported. The type of the target is multiclass. "
                f"There are {len(labels)} labels; use FoldRMClassifier or UnlessClassifier"
            )
        positive = labels[-1 if self.positive is None else same(self.positive, labels, "positive is")]
        ratio = plain(self.ratio)
        return learn_rpp(data.engine(ratio), positive, ratio, progress)

    def _otherwise(self, program: Program, decided: Statistics, data: Training) -> Label | None:  # noqa: ARG002
        return program.otherwise if len(data.labels.labels) > 1 else data.labels.labels[0]


LEARNERS: Mapping[str, type[Learner]] = {"unless": UnlessLearner, "fold-rm": FoldRMLearner, "fold-rpp": FoldRPPLearner}
"""The learners by the names of their algorithms."""
