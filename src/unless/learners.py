"""The three learners below scikit-learn: their parameters, how each learns, and the model that comes of it.

The classifiers of `unless.estimators` are these learners with scikit-learn's manners. The command uses them as they
are: scikit-learn and scipy take two seconds to import, and learning from a small file takes 20 ms.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any, ClassVar, cast

import numpy as np

from unless.domain import domain_of
from unless.errors import Interrupted, ParameterError
from unless.inputs import Training, read_training, same
from unless.learn import Progress, fold_rm, fold_rpp
from unless.measure import Statistics, measure
from unless.modelfile import SavedModel
from unless.progress import Meter, meter
from unless.refine import fold_unless
from unless.rule import Program
from unless.table import Schema, Table
from unless.values import Label

__all__ = ["FoldRMLearner", "FoldRPPLearner", "Learned", "Learner", "UnlessLearner", "learn"]


@dataclass(frozen=True, slots=True)
class Learned:
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

    def _rules(self, data: Training, progress: Progress) -> Program:
        raise NotImplementedError

    def _otherwise(self, program: Program, decided: Statistics, data: Training) -> Label | None:  # noqa: ARG002
        """The label where no rule decides, once it is known what the rules decide."""
        return program.otherwise

    def _learn(self, data: Training) -> Learned:
        """Learn rules, count what they decide, and remember what the features could be."""
        self._check_limits()
        interrupted: Interrupted | None = None
        try:
            with meter(on=bool(self.verbose)) as shown:
                program = self._rules(data, self._limits(shown))
        except Interrupted as stop:
            program, interrupted = cast("Program", stop.program), stop
        decided = measure(program, data.table, data.weights)
        program = replace(program, otherwise=self._otherwise(program, decided, data))
        statistics = replace(decided, labels=(*decided.labels[:-1], program.otherwise))
        domain = domain_of(data.table, program.used)
        return Learned(self._model(program, statistics, data.table.schema, domain, named=data.named), interrupted)

    def _model(
        self, program: Program, statistics: Statistics, schema: Schema, domain: Table, *, named: bool
    ) -> SavedModel:
        """A program with what it did in training as a model of this learner."""
        parameters = {field.name: getattr(self, field.name) for field in fields(self)}
        return SavedModel(program, statistics, schema, domain, self._classifier, parameters, named)

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


def learn(learner: Learner, data: Training | Table) -> Learned:
    """What a learner makes of a table with labels, or of what was read for a classifier. It stays as it is itself."""
    if isinstance(data, Table):
        data = read_training(data, None, None, learner.class_weight, learner.numeric, learner.categorical)
    return learner._learn(data)  # noqa: SLF001 - a function, so that classifiers have no second way to learn


@dataclass(eq=False, repr=False)
class UnlessLearner(Learner):
    """Our own learner, `fold_unless`."""

    ratio: float = 0.75
    penalty: float = 1.0
    min_support: float = 3

    _classifier = "UnlessClassifier"
    _rules_to_come = 1  # the one for everything that is left

    def _rules(self, data: Training, progress: Progress) -> Program:
        parameters = plain(self.ratio), plain(self.penalty), plain(self.min_support)
        return fold_unless(data.table, *parameters, weights=data.weights, progress=progress)


@dataclass(eq=False, repr=False)
class FoldRMLearner(Learner):
    """FOLD-RM as published, `fold_rm`."""

    ratio: float = 0.5
    otherwise: Label | None = "most_frequent"

    _classifier = "FoldRMClassifier"

    def _rules(self, data: Training, progress: Progress) -> Program:
        self._label_named(data)
        return fold_rm(data.table, plain(self.ratio), weights=data.weights, progress=progress)

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

    def _rules(self, data: Training, progress: Progress) -> Program:
        labels = data.labels.labels
        if len(labels) > 2:
            raise ParameterError(
                "Only binary classification is supported. The type of the target is multiclass. "
                f"There are {len(labels)} labels; use FoldRMClassifier or UnlessClassifier"
            )
        positive = labels[-1 if self.positive is None else same(self.positive, labels, "positive is")]
        return fold_rpp(data.table, positive, plain(self.ratio), weights=data.weights, progress=progress)

    def _otherwise(self, program: Program, decided: Statistics, data: Training) -> Label | None:  # noqa: ARG002
        return program.otherwise if len(data.labels.labels) > 1 else data.labels.labels[0]


def plain(value: Any) -> Any:  # noqa: ANN401 - any parameter
    """A parameter as a value of Python: a search over ``np.arange(3)`` gives numpy's."""
    return value.item() if isinstance(value, np.generic) else value
