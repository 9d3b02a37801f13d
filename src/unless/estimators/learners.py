"""The learners without scikit-learn: their parameters, and how each learns a model from training data.

The `classifiers` add scikit-learn's interface. The command uses the learners as they are: scikit-learn and scipy take
two seconds to import, and learning from a small file takes 20 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from unless.constraints import Constraints
from unless.errors import Interrupted, ParameterError
from unless.estimators.committee_file import committee_model
from unless.estimators.decision_choice import DecisionChoice, check_decide
from unless.estimators.progress import meter
from unless.estimators.training_data import LearningLimits, TrainingData, known_label_index
from unless.evaluation.metrics import count_rule_decisions
from unless.learn import SETTINGS
from unless.learn.engine import StopLearning
from unless.learn.settings import FoldRMSettings, FoldRPPSettings
from unless.learn.unless_learner import AUTO
from unless.model import Model
from unless.model.points import leading_label_index
from unless.model.rule_statistics import RuleStatistics
from unless.rule import Program
from unless.score.committee import Committee
from unless.table import Labels, Table, domain_table
from unless.values import Label, to_python_value

if TYPE_CHECKING:
    from unless.learn.committee_learner import CommitteeSettings
    from unless.learn.fold import LearnedProgram
    from unless.learn.unless_learner import UnlessSettings


@dataclass(frozen=True, slots=True)
class LearnedModel:
    """A learned model; after Ctrl-C, the model of the rules learned so far, with the interruption."""

    model: Model
    interrupted: Interrupted | None = None

    @property
    def complete_model(self) -> Model:
        """The model; raises the interruption after Ctrl-C."""
        if self.interrupted is not None:
            raise self.interrupted
        return self.model


@dataclass(eq=False, repr=False)
class Learner:
    """Base class of the learners; `UnlessClassifier` explains the parameters. Subclasses implement the learning."""

    _: KW_ONLY
    numeric: Sequence[Any] | None = None
    categorical: Sequence[Any] | None = None
    dates: Mapping[Any, str] | Sequence[Any] | None = None
    orders: Mapping[Any, Sequence[str]] | None = None
    parts: Sequence[Any] | None = None
    special: Mapping[Any, Mapping[float, str]] | None = None
    class_weight: Mapping[Label, float] | str | None = None
    max_rules: int | None = None
    max_seconds: float | None = None
    verbose: bool | int = False
    warn: bool = True
    n_jobs: int | None = None
    constraints: Constraints | Mapping[str, Any] | None = None
    costs: Any = None
    decide: Literal["rules", "costs", "score"] | None = None
    reject: float | None = None

    _classifier: ClassVar[str]
    """The name of the learner's classifier, which model files use."""

    _decider: ClassVar[type] = Program
    """The type of decider that the learner learns."""

    _name: ClassVar[str]
    """The name of the learner in the command and in `SETTINGS`."""

    _stops_at_max_rules: ClassVar[bool] = True
    """Whether the learner stops after ``max_rules`` rules."""

    def _settings(self) -> Any:
        """Return the checked parameters."""
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        if self.costs is not None:
            from unless.estimators.cost_input import to_cost_pairs

            given["costs"] = to_cost_pairs(self.costs)
        found = SETTINGS[self._name](**given)
        check_decide(found, self._name)
        return found

    @property
    def _learns_from_sample(self) -> str | None:
        """The subject of the warning that only a sample of records in blocks was used; None if all are used."""
        return None

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters that a model file contains."""
        return self._settings().parameters()  # type: ignore[no-any-return]

    def _learn_program(
        self, settings: Any, data: TrainingData, limits: LearningLimits
    ) -> tuple[LearnedProgram, dict[str, Any]]:
        """Learn a program; return it with more fields for the model."""
        raise NotImplementedError

    def _otherwise(self, decided: RuleStatistics) -> Label | None:
        """Return the label of records that no rule decides, given the decisions of the rules; None leaves it open."""

    def _learn(self, data: TrainingData) -> LearnedModel:
        """Learn rules, count their decisions, and record the values of the features."""
        from unless.evaluation.importance import lazy_importances
        from unless.learn.score_fitting import later_card, scored_features
        from unless.relational import positively

        settings = self._settings()
        choice = DecisionChoice.of(settings, data, self._name)
        _refuse_all_features(settings, data, choice)
        data = choice.hide_amounts(data, settings.numeric)
        weighted = choice.weigh(data)
        with meter(on=bool(settings.verbose)) as shown:
            most = settings.max_rules if self._stops_at_max_rules else None
            learned, more = self._learn_program(settings, weighted, LearningLimits(shown, most, settings.max_seconds))
        if weighted is not data:
            learned = replace(learned, left=())  # counted with the weights
        decided, program = data.count_decided(learned), learned.program
        if program.otherwise is None:
            program = replace(program, otherwise=self._otherwise(decided))
        if data.features is not None:  # only the used features have to be computed for new records
            program = positively(replace(program, features=program.used), data.features)
            data = data.only(program.used)
        scored = scored_features(settings.parameters(), data.table)
        known = [name for name in program.features if name in {*program.used, *scored}]
        model = Model(
            program,
            replace(decided, labels=program.heads, distilled=more.get("distillation") is not None),
            data.table.schema,
            data.domain(known),
            self._classifier,
            settings.parameters(),
            data.named,
            lazy_importances=lazy_importances(program, data.table, data.counts),
            lazy_card=later_card(program, data.table, data.counts, settings.constraints, every=scored),
            missing_counts=data.missing_counts(known),
            relations=data.features,
            **more,
        )
        interrupted = learned.interrupted
        return LearnedModel(choice.applied_to(model, data), None if interrupted is None else Interrupted(program))

    def _learn_paper_rules(
        self, settings: Any, data: TrainingData, limits: LearningLimits, learn_rules: Callable[..., LearnedProgram]
    ) -> tuple[LearnedProgram, dict[str, Any]]:
        """Learn a program by an algorithm of the paper, with locked rules and constraints."""
        from unless.learn.fold import round_learned_thresholds

        engine = data.engine(settings.ratio, limits, settings.n_jobs)
        kept = data.learn_constraints(engine, settings.constraints)
        kept.locked.refuse_more_than(settings.max_rules, others=0)
        learned = learn_rules(engine, ratio=settings.ratio, progress=limits, learn_constraints=kept)
        return round_learned_thresholds(engine, learned, kept, wanted=settings.round_thresholds), {}


def learn(learner: Learner, data: TrainingData | Table, *, keep: Any = None, lock: Any = None) -> LearnedModel:
    """Learn a model from a table with labels, or from the training data of a classifier; do not change the learner.

    ``keep`` and ``lock`` select the rules to keep (`fold_rm`).
    """
    if isinstance(data, Table):
        refuse_kinds(learner)
        data = TrainingData.of(data, learner.class_weight)
    if keep is not None or lock is not None:
        data = replace(data, keep=keep, lock=lock)
    learned = learner._learn(data)  # noqa: SLF001 - a function, so that classifiers have no second way to learn
    if data.keep is None:
        return learned
    locked = tuple(sorted(data.locked_in(learned.model.program)))
    return replace(learned, model=replace(learned.model, locked=locked))


def _refuse_all_features(settings: Any, data: TrainingData, choice: DecisionChoice) -> None:
    """Reject points of all features where they would decide, or would have to be found in several tables."""
    if settings.parameters().get("probabilities") != "all":
        return
    if data.features is not None:
        raise ParameterError('probabilities="all" is for one table; with several tables, leave it out')
    if not choice.as_learned:
        raise ParameterError('with probabilities="all" the rules decide; leave out decide and reject')


def refuse_kinds(learner: Learner) -> None:
    """Reject a learner that declares columns, since a table already has the kinds of its columns."""
    given = [name for name in DECLARED if getattr(learner, name)]
    if given:
        raise ParameterError(f"the columns of a table already have kinds: pass {' and '.join(given)} to read_table")


DECLARED = ("numeric", "categorical", "dates", "orders", "parts", "special")
"""The parameters that declare columns, as in `read_table`."""


@dataclass(eq=False, repr=False)
class UnlessLearner(Learner):
    """Our own learner, `fold_unless`."""

    ratio: float = 0.75
    penalty: float | Literal["auto"] = AUTO
    min_support: float = 3
    optimise: bool = True
    round_thresholds: bool = True
    tune: bool = False
    teacher: Any = None
    random_state: Any = 0
    probabilities: Literal["rules", "all"] = "rules"

    _classifier, _name = "UnlessClassifier", "unless"
    _stops_at_max_rules = False  # it searches for the best list of that size

    @property
    def _learns_from_sample(self) -> str | None:
        return None if self.teacher is None else "The list and its teacher"

    def _settings(self) -> UnlessSettings:
        from unless.estimators.teachers import check_teacher

        check_teacher(self.teacher)
        found: UnlessSettings = super()._settings()
        return found

    def _learn_program(
        self, settings: UnlessSettings, data: TrainingData, limits: LearningLimits
    ) -> tuple[LearnedProgram, dict[str, Any]]:
        """Learn a list with the given settings; then, if requested, with tuned settings, and from a teacher.

        If something stops the learner, return the last finished list.
        """
        from unless.estimators.teachers import learn_from_teacher
        from unless.learn.distillation import distillation_settings
        from unless.learn.fold import LearnedProgram
        from unless.learn.tuning import tune_settings
        from unless.learn.unless_learner import learn_unless

        more = dict[str, Any]()
        engine = data.engine(settings.ratio, limits, settings.n_jobs)
        settings = replace(settings, learn_constraints=data.learn_constraints(engine, settings.constraints))
        learned = learn_unless(engine, settings, limits)
        auto = settings.penalty == AUTO
        usual = settings.initial_penalty(engine.size(engine.all_rows())) if auto else settings.strictness
        settings = replace(settings, penalty=learned.penalty or usual)
        if settings.penalty != usual:
            more["tuned"] = _tuned(settings)
        if learned.interrupted is not None or limits.late():
            return learned, more
        try:
            if settings.tune:
                settings = tune_settings(engine, settings, limits.settings)
                second = learn_unless(engine, settings, limits)
                if second.interrupted is not None or limits.late():
                    return replace(learned, interrupted=second.interrupted), more
                learned = second
                more["tuned"] = _tuned(settings)
            if settings.teacher is not None:
                settings = distillation_settings(settings, learned.program)
                program, distilled = learn_from_teacher(data, settings, seed_of(settings.random_state), limits)
                learned, more["distillation"] = LearnedProgram(program, (), None), distilled
        except StopLearning:
            pass
        except KeyboardInterrupt as stop:
            learned = replace(learned, interrupted=stop)
        return learned, more


def _tuned(settings: UnlessSettings) -> dict[str, float]:
    """Return the settings that trials chose."""
    return {"ratio": float(settings.ratio), "penalty": settings.strictness, "min_support": float(settings.min_support)}


@dataclass(eq=False, repr=False)
class FoldRMLearner(Learner):
    """FOLD-RM as published, `fold_rm`."""

    ratio: float = 0.5
    otherwise: Label | None = "most_frequent"
    round_thresholds: bool = False

    _classifier, _name = "FoldRMClassifier", "fold-rm"

    def _learn_program(
        self, settings: FoldRMSettings, data: TrainingData, limits: LearningLimits
    ) -> tuple[LearnedProgram, dict[str, Any]]:
        from unless.learn.fold import learn_rm

        self._named_label(data.labels.labels)  # so that a wrong name is an error before learning
        return self._learn_paper_rules(settings, data, limits, learn_rm)

    def _otherwise(self, decided: RuleStatistics) -> Label | None:
        if self.otherwise != "most_frequent":
            return self._named_label(decided.classes)
        left = decided.counts[-1] if decided.counts[-1].any() else decided.counts.sum(axis=0)
        return decided.classes[int(np.argmax(left))]

    def _named_label(self, labels: tuple[Label, ...]) -> Label | None:
        if self.otherwise is None or self.otherwise == "most_frequent":
            return None
        return labels[known_label_index(self.otherwise, labels, "otherwise is")]


@dataclass(eq=False, repr=False)
class FoldRPPLearner(Learner):
    """FOLD-R++ as published, `fold_rpp`."""

    ratio: float = 0.5
    positive: Label | None = None
    round_thresholds: bool = False

    _classifier, _name = "FoldRPPClassifier", "fold-rpp"

    def _learn_program(
        self, settings: FoldRPPSettings, data: TrainingData, limits: LearningLimits
    ) -> tuple[LearnedProgram, dict[str, Any]]:
        from unless.learn.fold import learn_rpp

        labels = data.labels.labels
        if len(labels) > 2:
            raise ParameterError(
                "Only binary classification is supported. The type of the target is multiclass. "
                f"There are {len(labels)} labels; use FoldRMClassifier or UnlessClassifier"
            )
        index = -1 if settings.positive is None else known_label_index(settings.positive, labels, "positive is")
        return self._learn_paper_rules(settings, data, limits, partial(learn_rpp, positive=labels[index]))

    def _otherwise(self, decided: RuleStatistics) -> Label | None:
        return decided.classes[0]  # there is one class, or the program would contain the other


@dataclass(eq=False, repr=False)
class CommitteeLearner(Learner):
    """Many lists that vote, `learn_committee`; `UnlessCommittee` explains the parameters."""

    size: int = 100
    rate: float = 0.22
    ratio: float = 0.75
    penalty: float = 1.0
    min_support: float = 3
    random_state: Any = 0
    n_jobs: int | None = field(default=-1, kw_only=True)

    _classifier, _name = "UnlessCommittee", "committee"
    _decider = Committee
    _learns_from_sample = "The committee"

    def _learn(self, data: TrainingData) -> LearnedModel:
        """Learn the committee, then a list that imitates it."""
        from unless.evaluation.importance import lazy_importances
        from unless.learn.committee_learner import learn_committee

        settings = self._settings()
        choice = DecisionChoice.of(settings, data, self._name)
        data = choice.hide_amounts(data, settings.numeric)
        asked = self._asked(data)
        settings = replace(settings, constraints=asked)
        with meter(on=bool(settings.verbose)) as shown:
            limits = LearningLimits(shown, None, settings.max_seconds)

            def progress(lists: int, _: int) -> bool:
                shown.show(settings.size - lists, lists, "lists")
                return limits.late(_FOR_LISTS)

            seed = seed_of(self.random_state)
            learned = learn_committee(
                data.table, data.counts, settings, seed, progress, late=limits.late, n_jobs=self.n_jobs
            )
        committee, decider = learned.committee, choice.of_committee(learned.committee)
        said = leading_label_index(learned.sums) if decider is committee else choice.labels(learned.sums, data)
        try:
            imitation, agreement, stopped = learn_imitation(committee, said, data, limits, self.n_jobs, asked)
        except KeyboardInterrupt as stop:  # keep the committee, with a list that always gives one label
            usual = np.full(len(said), committee.base.argmax())
            imitation, _, stopped = (
                *learn_imitation(committee.first(0), usual, data, limits, self.n_jobs, asked)[:2],
                stop,
            )
            agreement = float(np.average(said == usual, weights=data.counts))
        model = committee_model(
            decider,
            imitation,
            agreement,
            self._parameters(),
            lazy_importances(committee, data.table, data.counts),
            tuned=_tried(learned.settings) if learned.settings != settings else None,
            costs=choice.costs,
        )
        interrupted = learned.interrupted or stopped
        return LearnedModel(model, None if interrupted is None else Interrupted(committee))

    def _asked(self, data: TrainingData) -> Constraints | None:
        """Return the checked constraints; reject locked rules, which lists that vote cannot keep."""
        if data.keep is not None or data.lock is not None:
            raise ParameterError("rules cannot be locked in a committee, which has many lists; learn a single list")
        from unless.learn.given_cuts import numeric_notations

        asked = data.without_amounts(self.constraints)
        if asked is None:
            return None
        return asked.among(data.table.features, data.labels.labels, numeric_notations(data.table.columns))


def _tried(settings: CommitteeSettings) -> dict[str, float]:
    """Return the settings that trials chose."""
    return {"penalty": float(settings.penalty), "min_support": float(settings.min_support)}


_FOR_LISTS = 0.9
"""The share of ``max_seconds`` for the lists of a committee; the rest is for the list that imitates it."""


def seed_of(random_state: Any) -> int:
    """Return the seed for scikit-learn's ``random_state``: a number, a random generator, or None for a random seed."""
    state = to_python_value(random_state)
    if state is None:
        return int(np.random.default_rng().integers(2**32))
    if isinstance(state, np.random.RandomState):
        return int(state.randint(2**31))
    if isinstance(state, np.random.Generator):
        return int(state.integers(2**31))
    if isinstance(state, bool) or not isinstance(state, int) or state < 0:
        raise ParameterError(f"random_state must be a whole number of at least 0, or None, not {random_state!r}")
    return state


def learn_imitation(
    committee: Committee,
    said: NDArray[np.intp],
    data: TrainingData,
    limits: LearningLimits,
    n_jobs: int | None,
    asked: Constraints | None = None,
) -> tuple[Model, float, KeyboardInterrupt | None]:
    """Learn a list that imitates a committee; return it with their agreement in training and any interruption."""
    from unless.learn.fold import LearnConstraints
    from unless.learn.score_fitting import later_card
    from unless.learn.unless_learner import UnlessSettings, learn_unless

    labels, counts = data.labels, data.counts
    table = replace(data.table, target=Labels(labels.name, labels.labels, said))
    settings = UnlessSettings(learn_constraints=LearnConstraints(asked))
    here = replace(data, table=table, blocks=None, held_back=None)  # the committee has labels only for these
    learned = learn_unless(here.engine(settings.ratio, limits, n_jobs), settings)
    program = learned.program
    statistics = count_rule_decisions(program, data.table, counts)
    agreed = count_rule_decisions(program, table, counts).right.sum() / (len(table) if counts is None else counts.sum())
    imitation = Model(
        program,
        statistics,
        data.table.schema,
        domain_table(data.table, committee.used),
        UnlessLearner._classifier,  # noqa: SLF001 - of this module
        {},
        data.named,
        lazy_card=later_card(program, data.table, data.counts, asked),
        missing_counts=data.missing_counts(committee.used),
        relations=data.features,
    )
    return imitation, float(min(agreed, 1.0)), learned.interrupted


LEARNERS: Mapping[str, type[Learner]] = {
    "unless": UnlessLearner,
    "fold-rm": FoldRMLearner,
    "fold-rpp": FoldRPPLearner,
    "committee": CommitteeLearner,
}
"""The learners by the names that the command uses."""
