"""The three learners, without scikit-learn: what they learn from, their parameters, how each learns, and its model.

The `classifiers` add scikit-learn's interface. The command uses the learners as they are: scikit-learn and scipy take
two seconds to import, and learning from a small file takes 20 ms.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from math import isfinite
from typing import Any, ClassVar

import numpy as np

from unless.errors import Interrupted, ParameterError, ReadError, UnknownNameError, suggest
from unless.estimators.modelfile import SavedModel
from unless.estimators.progress import Meter, meter
from unless.judge.importance import Evidence
from unless.judge.labels import measured
from unless.learn.engine import Engine
from unless.learn.fold import Learned, Progress, engine_of, learn_rm, learn_rpp
from unless.learn.memory import MemoryEngine
from unless.learn.own import learn_unless
from unless.learn.points import fit_card
from unless.learn.weights import Weights, times
from unless.model import Statistics
from unless.rule import Program
from unless.table import Labels, Table, domain_of
from unless.values import Label, class_place, plain

_HEAVIEST = 1e200
"""The largest weight of a class."""


@dataclass(frozen=True, slots=True)
class Training:
    """A table, its labels, and ``counts``: how often each row counts; None if each counts once.

    ``named`` says whether the columns have names of their own; the columns of an array are called x0, x1 and so on.
    """

    table: Table
    labels: Labels
    counts: Weights | None
    named: bool

    @classmethod
    def of(cls, table: Table, class_weight: Any, counts: Weights | None = None, *, named: bool = True) -> Training:
        """The records of a table, weighted by class; labels that no row has are left out."""
        if not len(table):
            raise ReadError("the table has no rows to learn from")
        labels = _occurring(table.labels)
        refuse_amounts(labels.labels)
        if class_weight is not None:
            counts = np.ones(len(table)) if counts is None else counts
            counts = times(counts, _class_weights(class_weight, labels, counts)[labels.codes])
        return cls(table if labels is table.target else replace(table, target=labels), labels, counts, named)

    def engine(self, ratio: float) -> Engine[Any]:
        """The engine that answers the questions of a learner with that ratio."""
        return engine_of(MemoryEngine(self.table, self.counts), ratio)


@dataclass(frozen=True, slots=True)
class LearnedModel:
    """A model; after Ctrl-C, the model of the rules learned so far, and the interruption."""

    model: SavedModel
    interrupted: Interrupted | None = None


@dataclass(eq=False, repr=False)
class Learner:
    """What all learners share; `UnlessClassifier` explains the parameters. Each learner finds rules in its own way."""

    _: KW_ONLY
    numeric: Sequence[Any] | None = None
    categorical: Sequence[Any] | None = None
    class_weight: Mapping[Label, float] | str | None = None
    max_rules: int | None = None
    max_seconds: float | None = None
    verbose: bool | int = False

    _classifier: ClassVar[str]
    """The name of its classifier, which model files use."""

    _rules_to_come: ClassVar[int] = 0
    """How many rules it adds at the end; ``max_rules`` includes them."""

    def _rules(self, data: Training, progress: Progress) -> Learned:
        """Learn a program."""
        raise NotImplementedError

    def _otherwise(self, decided: Statistics) -> Label | None:
        """The label of records that no rule decides, if the program has none, given what the rules decide."""

    def _learn(self, data: Training) -> LearnedModel:
        """Learn rules, count what they decide, and remember what values the features had."""
        self._check_limits()
        with meter(on=bool(self.verbose)) as shown:
            learned = self._rules(data, self._limits(shown))
        decided, program = measured(learned, data.table, data.counts), learned.program
        if program.otherwise is None:
            program = replace(program, otherwise=self._otherwise(decided))
        card, interrupted = None, learned.interrupted
        try:
            card = fit_card(program, data.table, data.counts)
        except KeyboardInterrupt as stop:  # the rules are there: they are kept
            interrupted = stop
        model = SavedModel(
            program,
            replace(decided, labels=program.heads),
            data.table.schema,
            domain_of(data.table, program.used),
            self._classifier,
            self._parameters(),
            data.named,
            Evidence.of(program, data.table, data.counts),
            card,
        )
        return LearnedModel(model, None if interrupted is None else Interrupted(program))

    def _parameters(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _check_limits(self) -> None:
        rules, seconds = plain(self.max_rules), plain(self.max_seconds)
        if rules is not None and (isinstance(rules, bool) or not isinstance(rules, int) or rules < 1):
            raise ParameterError(f"max_rules must be a whole number of at least 1, or None, not {rules!r}")
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
    """Learn a model from a table with labels, or from what a classifier was given. The learner does not change."""
    if isinstance(data, Table):
        refuse_kinds(learner)
        data = Training.of(data, learner.class_weight)
    return learner._learn(data)  # noqa: SLF001 - a function, so that classifiers have no second way to learn


def refuse_kinds(learner: Learner) -> None:
    """Refuse a learner that declares columns; the columns of a table have their kinds."""
    if learner.numeric or learner.categorical:
        raise ParameterError("the columns of a table have their kinds: give numeric and categorical to read_table")


def program_of(learner: Learner, table: Table) -> Program:
    """Learn a program from a table with labels; Ctrl-C gives none."""
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
    _rules_to_come = 1  # the default rule

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
        self._named_label(data.labels.labels)  # a wrong name is an error before learning, not after
        ratio = plain(self.ratio)
        return learn_rm(data.engine(ratio), ratio, progress)

    def _otherwise(self, decided: Statistics) -> Label | None:
        if self.otherwise != "most_frequent":
            return self._named_label(decided.classes)
        left = decided.counts[-1] if decided.counts[-1].any() else decided.counts.sum(axis=0)
        return decided.classes[int(np.argmax(left))]

    def _named_label(self, labels: tuple[Label, ...]) -> Label | None:
        if self.otherwise is None or self.otherwise == "most_frequent":
            return None
        return labels[known_place(self.otherwise, labels, "otherwise is")]


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
        positive = labels[-1 if self.positive is None else known_place(self.positive, labels, "positive is")]
        ratio = plain(self.ratio)
        return learn_rpp(data.engine(ratio), positive, ratio, progress)

    def _otherwise(self, decided: Statistics) -> Label | None:
        return decided.classes[0]  # there is only one, or the program would have the other


LEARNERS: Mapping[str, type[Learner]] = {"unless": UnlessLearner, "fold-rm": FoldRMLearner, "fold-rpp": FoldRPPLearner}
"""The learners by the names that the command uses."""


# Labels and the weights of classes.


def known_place(label: object, labels: tuple[Label, ...], what: str) -> int:
    """The place of a label among those of training, whatever its type (`class_place`); ``what`` starts the error."""
    found = plain(label)
    place = class_place(found, labels) if isinstance(found, str | bool | int | float) else None
    if place is None:
        near = suggest(str(found), map(str, labels))
        raise UnknownNameError(f"{what} {found!r}, which is not a label of training{near}")
    return place


def refuse_amounts(labels: Iterable[Label]) -> None:
    """Refuse labels that are numbers and not whole: they are amounts, not classes."""
    amounts = [label for label in labels if isinstance(label, float) and not label.is_integer()]
    if not all(map(isfinite, amounts)):
        raise ReadError("y has infinite labels; leave those rows out, or make the labels text: y.astype(str)")
    if amounts:
        raise ReadError(
            f"Unknown label type: continuous, such as {min(amounts)}; rules decide between labels, and these "
            "look like amounts: divide them into a few ranges, or make them text: y.astype(str)"
        )


def _occurring(labels: Labels) -> Labels:
    """The labels without those that no row has."""
    there = np.bincount(labels.codes, minlength=len(labels.labels)) > 0
    if there.all():
        return labels
    kept = tuple(label for label, occurs in zip(labels.labels, there, strict=True) if occurs)
    return Labels(labels.name, kept, (np.cumsum(there) - 1)[labels.codes])


def _class_weights(class_weight: Any, labels: Labels, counts: Weights) -> Weights:
    """The weight of every class: as given, else 1; "balanced" makes all classes weigh the same."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(labels.codes, counts, len(labels.labels))
        there = totals > 0  # a class may weigh too little to count
        return np.where(there, totals.sum() / (np.count_nonzero(there) * np.where(there, totals, 1.0)), 0.0)
    if not isinstance(class_weight, Mapping):
        raise ParameterError(f"class_weight must be a dict, 'balanced' or None, not {class_weight!r}")
    found = np.full(len(labels.labels), np.nan)
    unknown: list[UnknownNameError] = []
    for label, weight in class_weight.items():
        try:
            found[known_place(label, labels.labels, "class_weight names")] = _class_weight(label, weight)
        except UnknownNameError as error:
            unknown.append(error)
    if unknown and np.isnan(found).any():  # if all classes have weights, a fold of a cross-validation may lack some
        raise unknown[0]
    return np.where(np.isnan(found), 1.0, found)


def _class_weight(label: object, weight: object) -> float:
    number = plain(weight)
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < _HEAVIEST:
        raise ParameterError(f"class_weight of {label!r} must be a number of at least 0, not {weight!r}")
    return float(number)
