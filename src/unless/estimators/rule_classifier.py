"""What the three classifiers share: read what is given, call the learner, keep the model; predict, explain, save."""

# ruff: noqa: N803 - scikit-learn calls it X
from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from unless.errors import ParameterError
from unless.estimators.fitted_classifier import FittedClassifier
from unless.estimators.input_labels import true_places
from unless.estimators.input_records import row_counts, training_for, true_labels
from unless.estimators.learners import learn
from unless.estimators.prediction_reader import NewRecords
from unless.evaluation.significance import ALPHA
from unless.evaluation.unseen_values import Unseen, unseen_values
from unless.rule import Program, Rule
from unless.score.score_card import require_card
from unless.values import Label

if TYPE_CHECKING:
    from unless.evaluation.drift_results import Watch
    from unless.evaluation.stability import Stability
    from unless.explanation.contributions import Contributions
    from unless.explanation.counterfactuals.nearest import Counterfactuals
    from unless.explanation.effects import Effects
    from unless.explanation.score_explanation import ScoreExplanation
    from unless.explanation.why import WhyNot
    from unless.explanation.words import Words
    from unless.report.card import ModelCard


class RuleClassifier(ClassifierMixin, FittedClassifier):  # type: ignore[misc]  # scikit-learn has no types
    """What all classifiers share: everything but how they learn (`unless.estimators.learners`).

    What is known after `fit` is in the attributes of `FittedClassifier`.
    """

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        keep: Program | Sequence[Rule] | RuleClassifier | None = None,
        lock: Sequence[int] | None = None,
    ) -> Self:
        """Learn rules from records and their labels.

        A `TrainingWarning` says what looks wrong: columns that only tell records apart, or are constant, or give the
        label away, labels that are none, rules that decide little. ``warn=False`` silences it.

        Ctrl-C raises KeyboardInterrupt and leaves the model fitted with the rules learned so far.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame, a list of dicts, an array, or a sparse matrix. Text, categorical and
            boolean columns are categories, numbers are numbers, dates and times are compared as such, null and NaN are
            missing. Or a `Table` from `read_table`: new records are then read as that table was.
        y
            The labels: text, numbers or booleans, none missing. If y has a name, it is the program's target.
            A table with a target needs no y.
        sample_weight
            The weight of every record. Whole weights are repetitions: 2 counts the record twice, 0 leaves it out. If
            some are not whole, only the proportions matter: those above 0 are scaled to a mean of 1.
        feature_names
            The names of the columns of an array or a sparse matrix, such as ``vectorizer.get_feature_names_out()``; new
            sparse matrices have the same columns.
        keep
            Rules to learn around: a program, a list of rules, or a fitted model, such as last year's.
        lock
            Which of them stay, by their indices in ``keep.rules``; without, all but a last one that covers every
            record. Locked rules stay as they are, in their order. As many rules as were between two of them may be
            learned there, to correct the ones behind; all others come behind the last (docs/constraints.md).
        """
        from unless.estimators.training_warnings import all_remarks, warn_of

        with training_for(self, X, y, sample_weight, feature_names) as (records, classes):
            start = time.monotonic()
            data = replace(records, keep=keep, lock=lock)
            learned = learn(self, data)
            self._become(learned.model, classes)
            if learned.interrupted is not None:
                raise learned.interrupted
            if self.warn:
                warn_of(all_remarks(self, data, learned.model, time.monotonic() - start))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of every record; None where the program leaves a record unclassified."""
        return self._heads()[self._deciding(self._records(X))]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of every class (columns as in ``classes_``).

        They come from the whole list: each rule, exception and literal that holds adds its points (`score_card` shows
        them), and the predicted label always has the largest probability. ``statistics_.probabilities()[apply(X)]`` are
        the frequencies in training instead: the classes of the training records that the deciding rule decided, with a
        few records of the class prior added. A model from a file of an earlier version has only these.
        """
        records = self._records(X)
        if self.card_ is None:
            return self.statistics_.probabilities()[self._deciding(records)]
        return self.card_.shares(records.fills(self.card_.scorer.bins), records.rows)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The index in ``program_.rules`` of the rule that decides each record, -1 where none does."""
        return self._deciding(self._records(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The accuracy; a record that is not classified counts as wrong.

        A label of another type than in training is the class that it spells: "1" is 1, and 1 is True if all classes
        are booleans. If no label is a class, that is an error. A `Table` with labels needs no y.
        """
        truth = true_labels(X, y)
        decided = self._deciding(self._records(X))
        classes = self.statistics_.classes
        wanted = true_places(truth, classes, len(decided))
        heads = np.array([-2 if label is None else classes.index(label) for label in self.statistics_.labels])
        return float(np.average(heads[decided] == wanted, weights=row_counts(sample_weight, len(decided))))

    def explain(self, X: Any) -> Any:
        """Why a record gets its label: a `Proof`; for several records, a list of proofs.

        One record is what `why_not` and `counterfactuals` take: a mapping, a row of a frame or of an array, or a frame
        of one row. A list of records always gives a list, even if it has only one.
        """
        from unless.explanation.input_records import unwrap_single
        from unless.explanation.why import proof_of

        return unwrap_single(X, [proof_of(self.program_, record) for record in self._inputs.rows(X)])

    def why_not(self, record: Any, label: Label) -> WhyNot:
        """Why one record does not get a label; the record is a mapping, a row of a frame, or a frame of one row."""
        from unless.explanation.why import why_not

        return why_not(self.program_, self._inputs.record(record), label)

    def score_card(self, record: Any) -> ScoreExplanation:
        """The points of one record: what each part of the program that holds adds to the odds of each label.

        They add up to its probabilities; printed, it is a table.
        """
        from unless.explanation.score_explanation import explain_score

        known = self._inputs.record(record)
        return explain_score(require_card(self.card_), known)

    def contributions(self, X: Any, background: Any) -> Contributions:
        """What each feature of records adds to the log-odds, compared with the mean of a background: Shapley values.

        They are exact, and add up. ``background`` are records to compare with, such as those of training; of more than
        1,000, 1,000 are used. Printed, they are sentences and bars; ``frame()`` is a data frame, and the plots of the
        shap package take ``to_shap()``.
        """
        from unless.explanation.contributions import contributions
        from unless.explanation.input_records import wrap_single_record

        records = self._inputs.records(wrap_single_record(X))
        return contributions(self._fitted, records, self._inputs.records(background, tell=False))

    def effects(self, background: Any) -> Effects:
        """The curve of each feature: the mean log-odds of a background, if all its records had the same value of it."""
        from unless.explanation.effects import effects

        return effects(self._fitted, self._inputs.records(background, tell=False))

    def counterfactuals(
        self,
        record: Any,
        label: Label | None = None,
        *,
        fixed: Collection[str] = (),
        ranges: Mapping[str, object] | None = None,
        most: int = 3,
    ) -> Counterfactuals:
        """The smallest changes of one record that give it another label, or the named one.

        See `unless.counterfactuals`; categories and distances come from the training records.
        """
        from unless.explanation.counterfactuals.nearest import counterfactuals

        known = self._inputs.record(record)
        return counterfactuals(self.model_, known, label, fixed=fixed, ranges=ranges, most=most)

    def unseen(self, X: Any) -> tuple[Unseen, ...]:
        """The values in new records that training did not have, for each feature that a rule tests.

        They are new categories, numbers outside the range, and text where training had only numbers. Predicting warns
        of them, except where ``by_chance`` says that they may be chance.
        """
        return unseen_values(self._fitted, self._inputs.records(X, tell=False))

    def watch(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        reference: tuple[Any, Any] | None = None,
        alpha: float = ALPHA,
        least: float = 0.0,
    ) -> Watch:
        """What has moved in new records since training: what rules decide, how often they are right, cells, labels.

        Parameters
        ----------
        y
            The true labels, if they are known; None or NaN where one is not known yet.
        sample_weight
            Whole weights are repetitions; of others, only the proportions matter.
        reference
            Earlier records and their labels (or None) to compare with, instead of those of training.
        alpha
            How often an alarm may be raised though nothing has changed.
        least
            Shares that differ by less raise no alarm: of a million records, any difference is more than chance.

        Returns
        -------
        Watch
            ``moved`` has what chance does not explain, ``rows`` is for a data frame.
        """
        from unless.evaluation.drift import watch

        earlier = None if reference is None else self._inputs.watched(*reference)
        table, truth = self._inputs.watched(X, y)
        weights = row_counts(sample_weight, len(table))
        return watch(self.model_, table, truth, weights, reference=earlier, alpha=alpha, least=least)

    def stability(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        n: int = 50,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> Stability:
        """How stable the rules are: learn again from ``n`` bootstraps of the records, and see what comes back.

        ``X`` and ``y`` are the training records. See `unless.evaluation.stability` for what coming back means;
        afterwards ``rules_`` has two more columns, ``returns`` and ``same_tests``. ``n_jobs`` is the number of
        processes. The result depends on the seed, not on the order of records or the number of processes. Locked
        rules stay in all refits.
        """
        from unless.estimators.relearning import stability_of

        table, counts = self._inputs.labelled(X, y, sample_weight)
        options: dict[str, Any] = {"n": n, "seed": random_state, "n_jobs": n_jobs, "lock": self.locked_}
        self.stability_ = found = stability_of(self, self.model_.decider, table, counts, **options)
        return found

    def model_card(  # noqa: PLR0913 - what people say about a model
        self,
        X: Any = None,
        y: Any = None,
        *,
        by: Sequence[str] = (),
        data: str | None = None,
        title: str | None = None,
        purpose: str | None = None,
        not_for: str | None = None,
        stability: Stability | None = None,
        watch: Watch | None = None,
    ) -> ModelCard:
        """A model card: what the model is, what it was learned from, how good it is, for whom, and its limits.

        Printed, it is Markdown; ``save(path)`` writes Markdown, HTML or JSON. ``X`` and ``y`` are labelled records, new
        ones at best: of those that the model was learned from and tested on, only the tested ones are judged. ``by``
        names columns of ``X``, features or not, whose values are subgroups. See `unless.report.card.model_card`.
        """
        from unless.report.card import model_card

        return model_card(
            self._fitted,
            None if X is None else self._inputs.for_card(X, y, by),
            learner=self._classifier,
            parameters=self._parameters(),
            data=data,
            by=by,
            title=title,
            purpose=purpose,
            not_for=not_for,
            stability=stability or self.stability_,
            watch=watch,
        )

    def with_program(self, program: Program, X: Any = None, y: Any = None, sample_weight: Any = None) -> Self:
        """A copy of the model with an edited program; these records show what its rules decide.

        Rules may be removed, reordered, changed and added, as long as they test features and give labels of training:
        ``model.with_program(unless.parse(text, like=model), X, y)``. If the records are those that the model is from,
        those held back test the edited rules as they did before.

        Without records only that is kept which is still true: what the rules before the first change decided. The
        others are not measured (``statistics_`` has NaN), there are no points (``card_`` is None) and no importances.
        """
        from unless.estimators.editing import with_rules

        if X is None and not (y is None and sample_weight is None):
            raise ParameterError("there are labels or weights without records; give the records too: X")
        model, labelled = self._current(), () if X is None else self._inputs.labelled(X, y, sample_weight)
        edited = type(self).__new__(type(self))
        edited.__dict__ |= self.__dict__
        edited._become(with_rules(model, program, *labelled), self.classes_)  # noqa: SLF001 - a copy
        return edited

    def report(  # noqa: PLR0913 - one parameter for each choice of the caller
        self,
        X: Any,
        y: Any,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        sample: int = 2000,
        seed: int = 0,
        words: Words | None = None,
        watch: Watch | None = None,
        stability: Stability | None = None,
    ) -> None:
        """Write a page about the model on these records: one HTML file that needs nothing else.

        It shows the rules, what they decide, how good they are and where they are weak, and readers can change values
        and see the decision change. ``y`` are the true labels, or None if they are unknown. Columns of X that training
        did not have, such as names, are in the table of records; see `unless.report.report`. ``watch`` and
        ``stability`` are what the methods of these names gave: each is then a section of the page.
        """
        from unless.report import report

        table, options = self._inputs.for_report(X, y), {"title": title, "sample": sample, "seed": seed, "words": words}
        report(self.model_, table, path, **options, watch=watch, stability=stability)  # type: ignore[arg-type]

    # Small steps.

    def _deciding(self, records: NewRecords) -> NDArray[np.int32]:
        """The index of the rule that decides each record."""
        code = self.model_.code
        return code.decide(records.fills(code.bins), records.rows)

    def _heads(self) -> NDArray[Any]:
        """The label of each rule, in the type of the classes, and last that of no rule; None may be among objects."""
        heads = np.empty(len(self.program_.rules) + 1, dtype=object)
        heads[:] = self.program_.heads
        if not _always_decides(self.program_):
            return heads
        if heads[-1] is None:  # no record gets it
            heads[-1] = self.classes_[0]
        return heads.astype(self.classes_.dtype)


def _always_decides(program: Program) -> bool:
    """Whether the program has a label for every record."""
    return program.otherwise is not None or any(not rule.default and not rule.exceptions for rule in program.rules)
