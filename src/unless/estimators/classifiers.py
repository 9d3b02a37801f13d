"""The classifiers, and how one is read from a file.

A classifier is one of the `learners` with the interface of `RuleClassifier`.
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


class UnlessClassifier(RuleClassifier, UnlessLearner):
    """Our own learner: significant rules with exceptions, and a default rule at the end. Try it first.

    Parameters
    ----------
    ratio
        Wrong records that a rule may cover per right one; exceptions do the rest.
    penalty
        More gives fewer and shorter rules: how significant a literal must be, and how many errors a rule or an
        exception of an optimised list must save, ``penalty * 0.35 * ln(n)`` of n records. 0 allows every useful
        literal. "auto" is 1, or 1.25 for an optimised list of 1,000 records and more; or 0.25 if there are 2,000 and
        more, and some of them, held back for a moment, show that the list then knows much more: ``tuned_`` says so. A
        list with a teacher takes 0.7 of it.
    min_support
        Records that every rule must cover, and every literal and exception, when it is learned; five thirds of it
        with a teacher, whose records come cheap.
    optimise
        Improve the list as a whole, for fewer errors with fewer rules. Without, it is the list that was learned rule
        by rule, in half of the time.
    round_thresholds
        Short numbers that decide the records alike: thresholds of an optimised list lie half-way between two numbers;
        take the shortest number near there.
    tune
        Choose ratio, penalty and support by cross-validation within the training records; the given ones stay if no
        others are clearly better. Takes about 30 times as long; ``tuned_`` has what was chosen.
    teacher
        Imitate a committee; up to three times the rules, and more accurate. The teacher is ``"committee"``, or a
        classifier of scikit-learn, fitted or not. Takes seconds; ``distillation_`` says how
        often both agree on records held back. A classifier gets a frame of numbers and text (an array, if columns have
        no names).
    random_state
        The random seed, for the records that the teacher is asked about, and for a committee.
    numeric
        Columns to read as numbers, whatever they look like; text that spells no number stays text.
    categorical
        Columns to read as categories, whatever they look like.
    dates
        Columns of text that are dates, with their format, as `datetime.strptime` takes it: ``{"when": "%d.%m.%Y"}``.
        Typed dates, and text like 2020-08-01, need no declaration.
    orders
        Categories that have an order, least first: ``{"size": ["S", "M", "L"]}``. Ordered categoricals of pandas and
        enums of polars need no declaration.
    parts
        Columns of dates to replace by their weekday, month and hour, which come again (`read_table`).
    class_weight
        How much a record with this label counts, or: balanced. A dict of weights by label, or "balanced".
    max_rules
        At most N rules: the best list of N rules, the default rule included, that optimising finds.
    max_seconds
        Stop after X seconds, with the rules learned so far: a valid program.
    verbose
        Show how many rules are learned and how many records are left.
    warn
        Warn of what looks wrong with the records or the rules (`TrainingWarning`).
    constraints
        What rules may test, together and where, which way decisions move, how long rules are: a `Constraints`, or a
        dict of its parameters. The whole program keeps to them; of teachers only a committee does, but for directions.
    n_jobs
        Threads to learn with; the rules are the same. None is 1, except within `joblib.parallel_config`, and -1 is all
        cores; a model's file does not keep it.

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
    """FOLD-RM exactly as published: an ordered list of rules for any number of labels.

    Parameters
    ----------
    ratio
        Wrong records that a rule may cover per right one; exceptions do the rest.
    otherwise
        Where no rule applies: a label, most_frequent or none. "most_frequent" is the most frequent label of the
        training records that no rule covers (if there are none, of all). With None, ``predict`` returns None, and
        ``score`` counts it as wrong, as the paper does.
    round_thresholds
        Short numbers that decide the records alike: each threshold moves to the shortest one; not as published.
    max_rules
        At most N rules: the first ones.
    numeric, categorical, dates, orders, parts, class_weight, max_seconds, verbose, warn, constraints, n_jobs
        As in `UnlessClassifier`.
    """


class FoldRPPClassifier(RuleClassifier, FoldRPPLearner):
    """FOLD-R++ exactly as published: rules for one of two labels; records that no rule covers get the other.

    Parameters
    ----------
    ratio
        Wrong records that a rule may cover per right one; exceptions do the rest.
    positive
        The label to learn rules for; by default the second of ``classes_``.
    round_thresholds
        Short numbers that decide the records alike: each threshold moves to the shortest one; not as published.
    max_rules
        At most N rules: the first ones.
    numeric, categorical, dates, orders, parts, class_weight, max_seconds, verbose, warn, constraints, n_jobs
        As in `UnlessClassifier`.
    """

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


_CLASSIFIERS: dict[str, type[RuleClassifier]] = {
    kind.__name__: kind for kind in (FoldRMClassifier, FoldRPPClassifier, UnlessClassifier, UnlessCommittee)
}


def load(path: str | os.PathLike[str]) -> RuleClassifier | Program:
    """Read a model file: a fitted classifier, ready to predict and explain; a `Program` if the file has only rules."""
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
    """The classifier that the file names, with its parameters."""
    name = saved.learner
    if name not in _CLASSIFIERS or not isinstance(saved.decider, _CLASSIFIERS[name]._decider):  # noqa: SLF001 - of us
        raise ProgramError(f"statistics.learner: no learner {name!r}{suggest(name, _CLASSIFIERS)}")
    learner = _CLASSIFIERS[name]
    allowed = learner().get_params()
    if unknown := sorted(set(saved.parameters) - set(allowed)):
        raise ProgramError(
            f"statistics.parameters: {name} has no parameter {unknown[0]!r}{suggest(unknown[0], allowed)}"
        )
    model = learner(**saved.parameters)
    try:
        model._parameters()  # noqa: SLF001 - what cannot be saved again is refused here
    except ParameterError as error:
        raise ProgramError(f"statistics.parameters: {error}") from error
    return model
