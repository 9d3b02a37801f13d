"""The base class of all classifiers: reads the input, calls the learner, and predicts and explains with the model."""

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
from unless.estimators.cost_methods import CostMethods
from unless.estimators.input_labels import true_places
from unless.estimators.input_records import row_counts, training_for, true_labels
from unless.estimators.learners import learn
from unless.evaluation.significance import ALPHA
from unless.evaluation.unseen_values import Unseen, unseen_values
from unless.model.points import probabilities_of
from unless.rule import Program, Rule
from unless.score.score_card import require_card
from unless.values import Label

if TYPE_CHECKING:
    from unless.evaluation.drift_results import Watch
    from unless.evaluation.stability import Stability
    from unless.explanation.contributions import Contributions
    from unless.explanation.counterfactuals.nearest import Counterfactuals
    from unless.explanation.decision_reasons import Reasons, Wording
    from unless.explanation.effects import Effects
    from unless.explanation.score_explanation import ScoreExplanation
    from unless.explanation.why import WhyNot
    from unless.explanation.words import Words
    from unless.report.card import ModelCard


class RuleClassifier(ClassifierMixin, CostMethods):  # type: ignore[misc]  # scikit-learn has no types
    """Base class of the classifiers: everything except the learning algorithm (`unless.estimators.learners`).

    `FittedClassifier` lists the attributes that are available after `fit`.
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
        groups: Any = None,
    ) -> Self:
        """Learn rules from records and their labels.

        A `TrainingWarning` reports what looks wrong: columns that only identify records, are constant or reveal the
        label, targets that are not labels, and rules that decide little. ``warn=False`` silences it.

        Ctrl-C raises KeyboardInterrupt and leaves the model fitted with the rules learned so far.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame, a list of dicts, an array, or a sparse matrix. Text, categorical and
            boolean columns are categories, numbers are numbers, dates and times are compared as such, null and NaN are
            missing. X may also be a `Table` from `read_table`; new records are then read in the same way as that table.
        y
            The labels: text, numbers or booleans, none missing. If y has a name, it becomes the program's target.
            A table with a target needs no y.
        sample_weight
            The weight of every record. Whole weights are repetitions: 2 counts the record twice, 0 leaves it out. If
            some weights are not whole, only proportions matter: weights above 0 are scaled to a mean of 1.
        feature_names
            The names of the columns of an array or a sparse matrix, such as ``vectorizer.get_feature_names_out()``; new
            sparse matrices have the same columns.
        keep
            Rules to learn around: a program, a list of rules, or a fitted model, such as last year's.
        lock
            The indices in ``keep.rules`` of the rules to lock; by default all, except a last rule that covers every
            record. Locked rules stay unchanged and in order. Between two locked rules, at most as many rules are
            learned as were there before, to correct the rules behind; all others follow the last (docs/constraints.md).
        groups
            The group of every record, such as its customer. Wherever the learner tests on some of the records (to
            choose settings, to tell rules from chance, for a teacher), no group is on both sides; a record without a
            group is one of its own. `fit` holds nothing back: to measure accuracy, use a splitter that keeps groups
            together, such as scikit-learn's GroupKFold.
        """
        from unless.estimators.training_warnings import all_remarks, warn_of

        with training_for(self, X, y, sample_weight, feature_names, groups) as (records, classes):
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
        """Predict the label of every record; None where the program leaves a record unclassified.

        With ``costs``, the label is the one that is expected to cost least; with ``reject``, it is None where this
        would cost more than the price.
        """
        records = self._records(X)
        return self._heads()[self._choices(records)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probability of every class for every record (columns as in ``classes_``).

        The whole list contributes: each rule, exception and literal that holds adds its points (`score_card` shows
        them), and the predicted label always has the largest probability. ``statistics_.probabilities()[apply(X)]`` are
        training frequencies instead: the class shares of the training records that the deciding rule decided, with a
        few records of the class prior added. For models from files of earlier versions, only these are available.

        If points or costs decide (``decide``), these are the probabilities that they use, and another label than the
        predicted one may have the largest.
        """
        records = self._records(X)
        if (scored := self._scored) is not None:
            return probabilities_of(scored.points(records.cells, records.rows))
        if self.card_ is None:
            return self.statistics_.probabilities()[self._deciding(records)]
        return self.card_.shares(records.fills(self.card_.scorer.bins), records.rows)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the index in ``program_.rules`` of the rule that decides each record, -1 if no rule does."""
        return self._deciding(self._records(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy; an unclassified record counts as wrong.

        A label of another type than in training is matched to the class with the same text: "1" is 1, and 1 is True if
        all classes are booleans. It is an error if no label is a class. A `Table` with labels needs no y.
        """
        truth = true_labels(X, y)
        decided = self._choices(self._records(X))
        classes = self.statistics_.classes
        wanted = true_places(truth, classes, len(decided))
        heads = np.array([-2 if label is None else classes.index(label) for label in self._fitted.decider.heads])
        return float(np.average(heads[decided] == wanted, weights=row_counts(sample_weight, len(decided))))

    def explain(self, X: Any) -> Any:
        """Explain why a record gets its label: return a `Proof`, or a list of proofs for several records.

        For a committee it is a `VoteExplanation`, whose points add up; if points or costs decide, a `CostExplanation`:
        probabilities, expected costs, and what the rules say.

        A single record is a mapping, a row of a frame or of an array, or a frame of one row, as in `why_not` and
        `counterfactuals`. A list of records always returns a list, even if it contains only one record.
        """
        from unless.explanation.input_records import unwrap_single
        from unless.explanation.why import explain_record

        decider = self._fitted.decider
        return unwrap_single(X, [explain_record(decider, record) for record in self._inputs.rows(X)])

    def why_not(self, record: Any, label: Label) -> WhyNot:
        """Explain why one record (a mapping, a row of a frame, or a frame of one row) does not get a label."""
        from unless.explanation.why import why_not

        return why_not(self._fitted, self._inputs.record(record), label)

    def reasons(self, X: Any, words: Wording = None, most: int = 4) -> Reasons:
        """Find the principal reasons for the decision on each record: at most ``most``, the first one first.

        ``words`` is the path of a TOML file with codes and texts for them; `unless.explanation.reasons` says which
        reasons there are, and in which order.
        """
        from unless.explanation.decision_reasons import reason_words, table_reasons
        from unless.explanation.input_records import wrap_single_record

        records, named = self._inputs.records(wrap_single_record(X)), reason_words(words, self._fitted)
        return table_reasons(self._fitted.decider, records, named, most)

    def score_card(self, record: Any) -> ScoreExplanation:
        """Return the points of one record: what each part of the program that holds adds to the odds of each label.

        The points add up to the record's probabilities; the result prints as a table.
        """
        from unless.explanation.score_explanation import explain_score

        known = self._inputs.record(record)
        return explain_score(require_card(self.card_), known, lead=self._scored is None)

    def contributions(self, X: Any, background: Any) -> Contributions:
        """Compute exact Shapley values: what each feature adds to the log-odds, compared with the mean of a background.

        ``background`` contains records to compare with, such as the training records; at most 1,000 of them are used.
        The result prints as sentences and bars; ``frame()`` returns a data frame, and ``to_shap()`` an object for the
        plots of the shap package.
        """
        from unless.explanation.contributions import contributions
        from unless.explanation.input_records import wrap_single_record

        records = self._inputs.records(wrap_single_record(X))
        return contributions(self._fitted, records, self._inputs.records(background, tell=False))

    def effects(self, background: Any, y: Any = None) -> Effects:
        """Compute a curve for each feature: the mean log-odds of a background if all its records had the same value.

        The result also has importances, the pairs of features that interact most, and ``findings``: curves that go
        against common sense. With labels ``y`` (or a labelled `Table`), curves are compared with the labels, too.
        """
        from unless.explanation.effects import effects

        if y is None:
            return effects(self._fitted, self._inputs.records(background, tell=False))
        return effects(self._fitted, self._inputs.labelled(background, y, None)[0])

    def counterfactuals(
        self,
        record: Any,
        label: Label | None = None,
        *,
        fixed: Collection[str] = (),
        ranges: Mapping[str, object] | None = None,
        most: int = 3,
    ) -> Counterfactuals:
        """Find the smallest changes of one record that give it another label, or the named one.

        See `unless.counterfactuals`; categories and distances come from the training records.
        """
        from unless.explanation.counterfactuals.nearest import counterfactuals

        known = self._inputs.record(record)
        return counterfactuals(self.model_, known, label, fixed=fixed, ranges=ranges, most=most)

    def unseen(self, X: Any) -> tuple[Unseen, ...]:
        """Find values in new records that did not occur in training, for each feature that a rule tests.

        These are new categories, numbers outside the training range, and text where training had only numbers.
        `predict` warns of them unless ``by_chance`` is true: then they may be chance.
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
        """Compare new records with training: the share and precision of each rule, the values of features, the labels.

        Parameters
        ----------
        y
            The true labels, if known; None or NaN for a label that is not known yet.
        sample_weight
            The weight of every record. Whole weights are repetitions; otherwise, only proportions matter.
        reference
            Earlier records and their labels (or None) to compare with, instead of the training records.
        alpha
            The probability of an alarm although nothing has changed.
        least
            Shares that differ by less raise no alarm: with a million records, any difference is more than chance.

        Returns
        -------
        Watch
            ``moved`` contains the changes that chance does not explain, ``rows`` all of them, for a data frame.
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
        groups: Any = None,
    ) -> Stability:
        """Measure how stable the rules are: learn from ``n`` bootstrap samples, and count how often each rule returns.

        ``X`` and ``y`` are the training records. `unless.evaluation.stability` defines when a rule returns; afterwards
        ``rules_`` has two more columns, ``returns`` and ``same_tests``. ``n_jobs`` is the number of processes. The
        result depends on the seed, not on the order of records or the number of processes. Locked rules stay in all
        refits. With ``groups``, the group of every record, samples are drawn of groups, not of records.
        """
        from unless.estimators.relearning import stability_of

        table, counts = self._inputs.labelled(X, y, sample_weight, groups)
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
        """Create a model card: purpose, training data, accuracy overall and by subgroup, and limits of the model.

        The card prints as Markdown; ``save(path)`` writes Markdown, HTML or JSON. ``X`` and ``y`` are labelled records,
        preferably new: if they are the data of the model, only the held-out records are evaluated. ``by`` names columns
        of ``X``, features or not, whose values define subgroups. See `unless.report.card.model_card`.
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
        """Return a copy of the model with an edited program, and measure on labelled records what its rules decide.

        Rules may be removed, reordered, changed and added, as long as they test features and give labels of training:
        ``model.with_program(unless.parse(text, like=model), X, y)``. If the records are the original data of the model,
        its held-out records test the edited rules, too.

        Without records, only figures that are still true are kept: what the rules before the first change decided. The
        other rules are not measured (``statistics_`` contains NaN), and there are no points (``card_`` is None) and no
        importances.
        """
        from unless.estimators.editing import with_rules

        if X is None and not (y is None and sample_weight is None):
            raise ParameterError("labels or weights were given without records; pass the records as X too")
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
        reasons: Reasons | None = None,
    ) -> None:
        """Write a report about the model on these records: one self-contained HTML file.

        It shows the rules, what they decide, how good they are and where they are weak; readers can change values and
        see the decision change. ``y`` contains the true labels, or is None if they are unknown. Columns of X that are
        not features, such as names, appear in the table of records; see `unless.report.report`. ``watch``,
        ``stability`` and ``reasons`` take the results of the methods of these names, and add a section for each.
        """
        from unless.report import report

        table, options = self._inputs.for_report(X, y), {"title": title, "sample": sample, "seed": seed, "words": words}
        report(self.model_, table, path, **options, watch=watch, stability=stability, reasons=reasons)  # type: ignore[arg-type]
