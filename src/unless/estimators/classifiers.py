"""The classifiers of single lists, and `load`, which reads a fitted classifier from a file.

Each classifier combines one of the `learners` with the interface of `RuleClassifier`.
"""

from __future__ import annotations

import os

import numpy as np
from sklearn.utils import Tags

from unless.errors import ParameterError, ProgramError, suggest
from unless.estimators.committee_classifier import UnlessCommittee
from unless.estimators.learners import FoldRMLearner, FoldRPPLearner, UnlessLearner
from unless.estimators.model_file import read
from unless.estimators.rule_classifier import RuleClassifier
from unless.model import Model
from unless.rule import Program
from unless.score.score_decider import committee_of


class UnlessClassifier(RuleClassifier, UnlessLearner):
    """Learn a short list of rules with exceptions by our own algorithm; the learner to try first.

    Every literal must be statistically significant. The last rule is a default rule, which covers every record.

    Parameters
    ----------
    ratio
        How many wrong records a rule may cover for each right one; exceptions handle the wrong ones.
    penalty
        Higher values give fewer and shorter rules: literals must be more significant, and each rule or exception of an
        optimised list of n records must save more than ``penalty * 0.35 * ln(n)`` errors. 0 allows every useful
        literal. "auto" is 1, or 1.25 for an optimised list of at least 1,000 records. With at least 2,000 records it is
        0.25 if a trial on held-out records shows that the list then becomes clearly better; ``tuned_`` contains the
        choice. A list with a teacher uses 0.7 of the penalty.
    min_support
        The number of records that every rule must cover, and every literal and exception, when it is learned; a record
        that a teacher has labelled counts as much as the teacher is sure.
    optimise
        Optimise the list as a whole, for fewer errors with fewer rules. If False, return the list as it was learned
        rule by rule, in half of the time.
    round_thresholds
        Shorten thresholds without changing decisions on the training records: a threshold of an optimised list lies
        half-way between two numbers, and is replaced by the shortest number near there.
    tune
        Choose ratio, penalty and support by cross-validation within the training records; the given values stay unless
        others are clearly better. Takes about 30 times as long; ``tuned_`` contains the chosen values.
    teacher
        Imitate a committee: more accurate, with up to three times as many rules. Give ``"committee"``, or a classifier
        of scikit-learn, fitted or not; it receives a frame of numbers and text, or an array if columns have no names.
        Takes seconds; ``distillation_`` contains how often list and teacher agree on held-out records.
    random_state
        The random seed for a committee and for the records that a teacher labels.
    probabilities
        The features that probabilities use: those that rules test, or all. With "all", the score card has points for
        every feature, also for those that no rule tests: labels and rules stay the same, and `predict_proba` ranks
        records better. Every explanation of a probability names these features; new records must have them.
    numeric
        Columns to read as numbers, whatever they look like; text that is not a number stays text.
    categorical
        Columns to read as categories, whatever they look like.
    dates
        Text columns that contain dates, with their format as in `datetime.strptime`: ``{"when": "%d.%m.%Y"}``. Columns
        of a date type, and text such as 2020-08-01, need no declaration.
    orders
        Ordered categories, lowest first: ``{"size": ["S", "M", "L"]}``. Ordered categoricals of pandas and enums of
        polars need no declaration.
    parts
        Date columns to replace with their weekday, month and hour, which recur in new records (`read_table`).
    special
        Numbers of columns that name a category: ``{"months": {-7: "no inquiry", -8: "no trades"}}``. They are neither
        numbers nor missing (`read_table`).
    class_weight
        The weight of records with this label, or: balanced. A dict of weights by label, or "balanced".
    max_rules
        Learn at most N rules: the best list of that length that optimising finds, including the default rule.
    max_seconds
        Stop after X seconds and return the rules learned so far, as a valid program.
    verbose
        Show how many rules are learned and how many records are left.
    warn
        Warn about records or rules that look wrong (`TrainingWarning`).
    constraints
        Limits on what rules may test, which way decisions may move, and how long rules are: a `Constraints`, or a dict
        of its parameters. The program satisfies all of them. A committee as teacher satisfies all except directions;
        other teachers may violate any.
    costs
        What a decision costs where another label is true, or the column with the amount. A dict, ``{("true label",
        "decided label"): 5}``, a square frame (rows are true labels), or the path of a TOML file. Pairs that are not
        named cost 0 if they are right, otherwise 1; negative costs are gains. A text names the column with the amount
        of each record: prediction needs it, and rules test it only if ``numeric`` names it, too. See docs/how-to/costs.
    decide
        What decides: rules (the first that applies), costs (the least expected), or score (the most points). "rules"
        is the default without costs, and if all mistakes cost the same; with costs, it learns rules that know them.
        "costs" is the default with costs: the label with the least expected cost, from the probabilities of all parts
        of a list. "score" is the label with the most points, like a score card; it takes no costs.
    reject
        Pass a record on, undecided, if its decision is expected to cost more than this. ``predict`` then returns None.
        Without costs, an error costs 1: 0.2 passes records on whose label is wrong with a probability above 0.2.
    n_jobs
        Number of threads for learning; the rules do not depend on it. None is 1, except within
        `joblib.parallel_config`, and -1 is all cores. Model files do not contain it.

    Examples
    --------
    >>> from unless import UnlessClassifier
    >>> X = [{"age": age, "smokes": smokes} for age in range(20, 60) for smokes in ("yes", "no")]
    >>> y = ["risk" if x["smokes"] == "yes" and x["age"] > 40 else "fine" for x in X]
    >>> print(UnlessClassifier().fit(X, y))
    label: 2 rules, 0 exceptions
              decided  expected precision
     1  risk       19   0.758 (0.27–1.00)  if age > 40 and smokes is not no
     2  fine       61   0.916 (0.64–1.00)  otherwise
    """


class FoldRMClassifier(RuleClassifier, FoldRMLearner):
    """Learn an ordered list of rules for any number of labels by FOLD-RM, exactly as published.

    Parameters
    ----------
    ratio
        How many wrong records a rule may cover for each right one; exceptions handle the wrong ones.
    otherwise
        Where no rule applies: a label, most_frequent or none. "most_frequent" is the most frequent label of the
        training records that no rule covers, or of all training records if rules cover all. With None, ``predict``
        returns None for these records, and ``score`` counts them as wrong, as the paper does.
    round_thresholds
        Shorten thresholds without changing decisions on the training records; this is not part of the published
        algorithm.
    max_rules
        Learn at most N rules: the first N.
    numeric, categorical, dates, orders, parts, special, class_weight
        As in `UnlessClassifier`.
    max_seconds, verbose, warn, constraints, reject, n_jobs
        As in `UnlessClassifier`.
    costs, decide
        As in `UnlessClassifier`, but the rules are learned as published: costs only choose among the labels.
    """


class FoldRPPClassifier(RuleClassifier, FoldRPPLearner):
    """Learn rules for one of two labels by FOLD-R++, exactly as published; all other records get the other label.

    Parameters
    ----------
    ratio
        How many wrong records a rule may cover for each right one; exceptions handle the wrong ones.
    positive
        The label to learn rules for; by default the second of ``classes_``.
    round_thresholds
        Shorten thresholds without changing decisions on the training records; this is not part of the published
        algorithm.
    max_rules
        Learn at most N rules: the first N.
    numeric, categorical, dates, orders, parts, special, class_weight
        As in `UnlessClassifier`.
    max_seconds, verbose, warn, constraints, reject, n_jobs
        As in `UnlessClassifier`.
    costs, decide
        As in `UnlessClassifier`, but the rules are learned as published: costs only choose among the labels.
    """

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


_CLASSIFIERS: dict[str, type[RuleClassifier]] = {
    kind.__name__: kind for kind in (FoldRMClassifier, FoldRPPClassifier, UnlessClassifier, UnlessCommittee)
}


def load(path: str | os.PathLike[str]) -> RuleClassifier | Program:
    """Read a fitted classifier from a model file, or a `Program` if the file contains only rules."""
    saved = read(path)
    if isinstance(saved, Program):
        return saved
    try:
        model = _unfitted(saved)
    except ProgramError as error:
        raise ProgramError(f"{os.fspath(path)}: {error}") from error
    classes = saved.statistics.classes
    array = np.array(classes, dtype=object if isinstance(classes[0], str) else None)  # text as objects
    model._become(saved, array)  # noqa: SLF001 - a model and its classifier are one thing
    return model


def _unfitted(saved: Model) -> RuleClassifier:
    """Create the unfitted classifier that a model names, with its parameters."""
    name = saved.learner
    learned = committee_of(saved.decider) or saved.program
    if name not in _CLASSIFIERS or not isinstance(learned, _CLASSIFIERS[name]._decider):  # noqa: SLF001 - of us
        raise ProgramError(f"statistics.learner: no learner {name!r}{suggest(name, _CLASSIFIERS)}")
    learner = _CLASSIFIERS[name]
    allowed = learner().get_params()
    if unknown := sorted(set(saved.parameters) - set(allowed)):
        raise ProgramError(
            f"statistics.parameters: {name} has no parameter {unknown[0]!r}{suggest(unknown[0], allowed)}"
        )
    model = learner(**saved.parameters)
    try:
        model._parameters()  # noqa: SLF001 - rejects parameters that could not be saved again
    except ParameterError as error:
        raise ProgramError(f"statistics.parameters: {error}") from error
    return model
