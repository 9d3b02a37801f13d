"""`UnlessCommittee`: a committee of lists as a scikit-learn classifier."""

# ruff: noqa: N803 - scikit-learn calls it X
from __future__ import annotations

from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError
from unless.estimators.learners import CommitteeLearner
from unless.estimators.prediction_reader import NewRecords
from unless.estimators.rule_classifier import RuleClassifier
from unless.estimators.rule_frames import committee_frame
from unless.model.points import Points, leading_label_index, probabilities_of
from unless.model.prediction import deciding_rules
from unless.rule import Program
from unless.score.committee import Committee
from unless.score.score_decider import committee_of
from unless.threads import resolve_n_jobs
from unless.values import Label


class UnlessCommittee(RuleClassifier, CommitteeLearner):
    """Learn a committee of lists that vote: more accurate than a single list, and each of its lists is readable.

    Each rule has points for each class. One rule of each list decides a record; the points of these rules add up to the
    logits of the class probabilities. Lists are learned in sequence, and each corrects the lists before it (boosting).

    Parameters
    ----------
    size
        The number of lists. Learning stops earlier when the committee is certain of all training labels.
    rate
        How much each list corrects, from 0 to 1; lower values need more lists.
    ratio, penalty, min_support
        As in `UnlessClassifier`, for each list. If there are more than 25 lists and at least 600 records, the learner
        tries a half and a quarter of the penalty, and a lower support, and uses them if they are better on held-out
        records; ``tuned_`` contains the choice.
    random_state
        The random seed for the records and columns that each list learns from: a number, a random generator, or None
        for a different seed in each fit. The choice depends on the values of records, not on their order.
    n_jobs
        Number of threads for learning and predicting; the lists do not depend on it. -1 is all cores.
    max_rules
        Learn at most N rules: in each list.
    constraints
        As in `UnlessClassifier`, for each list. Directions (``monotone``) hold for the label and its probability: the
        points of each list move in that direction. With any constraint except ``never``, learning is slower and no
        other settings are tried.
    numeric, categorical, dates, orders, parts, special, class_weight, max_seconds, verbose, warn, costs, reject
        As in `UnlessClassifier`; lists are learned without costs, which only choose among the labels.
    decide
        What decides: "costs", the default with costs, or "score" (the most points), the default without costs.

    Attributes
    ----------
    committee_ : Committee
        The lists and their points.
    lists_ : tuple of Program
        The lists.
    program_ : Program
        The student: one list that imitates the committee. Reports show it; predictions do not use it.
    agreement_ : float
        The share of training records that get the same label from the committee and from the student.

    Examples
    --------
    >>> from unless import UnlessCommittee
    >>> X = [{"age": age, "smokes": smokes} for age in range(20, 60) for smokes in ("yes", "no")]
    >>> y = ["risk" if x["smokes"] == "yes" and x["age"] > 40 else "fine" for x in X]
    >>> committee = UnlessCommittee(size=20).fit(X, y)
    >>> committee.predict([{"age": 50, "smokes": "yes"}]).tolist(), len(committee.lists_)
    (['risk'], 20)
    """

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probability of every class (columns as in ``classes_``), from the points of every record."""
        return probabilities_of(self._sums(self._records(X)))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the index of the rule that decides each record (row) in every list (column)."""
        table = self._inputs.records(X)
        rules = [deciding_rules(program, table) for program in self.committee_.lists]
        return np.column_stack(rules) if rules else np.empty((len(table), 0), dtype=np.int32)

    def why_not(self, record: Any, label: Label) -> NoReturn:  # noqa: ARG002
        """Raise an error: in a committee, no single rule prevents a label."""
        raise ParameterError("in a committee no single rule stops a label; use explain(X) or counterfactuals(record)")

    def score_card(self, record: Any) -> NoReturn:  # noqa: ARG002
        """Raise an error: a committee has no score card, because its lists have their own points."""
        raise ParameterError("a committee has no score card, because its lists have their own points; use explain(X)")

    def with_program(self, program: Program, X: Any = None, y: Any = None, sample_weight: Any = None) -> NoReturn:  # noqa: ARG002
        """Raise an error: a committee has many programs, and none of them can be edited."""
        raise ParameterError("a committee has many programs; edit the rules of an UnlessClassifier instead")

    @property
    def committee_(self) -> Committee:
        """The lists and their points."""
        return cast(Committee, committee_of(self._fitted.decider))

    @property
    def agreement_(self) -> float:
        """The share of training records that get the same label from the committee and from the student."""
        return cast(float, self._fitted.agreement)

    @property
    def lists_(self) -> tuple[Program, ...]:
        """The lists."""
        return self.committee_.lists

    @property
    def rules_(self) -> Any:
        """The rules of all lists with their points, as a data frame: of pandas, if it is installed."""
        return committee_frame(self.committee_)

    def __str__(self) -> str:
        from unless.explanation.rule_listing import imitation_title, listing_text

        if not hasattr(self, "committee_"):
            return repr(self)
        rules = listing_text(self.program_, self.statistics_)
        return f"{imitation_title(self.model_)}\n\n{rules}{self._test_line()}"

    # Helpers.

    def _choices(self, records: NewRecords) -> NDArray[np.int32]:
        if self._scored is not None:
            return super()._choices(records)
        return leading_label_index(self._sums(records)).astype(np.int32)

    def _heads(self) -> NDArray[Any]:
        return self.classes_ if self._scored is None else super()._heads()

    def _sums(self, records: NewRecords) -> Points:
        committee = self.committee_
        return committee.add_up(records.fills(committee.code.bins), records.rows, resolve_n_jobs(self.n_jobs))
