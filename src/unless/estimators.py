"""Three scikit-learn classifiers. What they share is `RuleClassifier`; here is how each learns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from unless.classifier import RuleClassifier, plain
from unless.errors import ParameterError
from unless.inputs import Training, same
from unless.learn import Learned, Progress, learn_rm, learn_rpp
from unless.refine import learn_unless
from unless.rule import Program
from unless.values import Label

__all__ = ["FoldRMClassifier", "FoldRPPClassifier", "UnlessClassifier"]


class UnlessClassifier(RuleClassifier):
    """Our own learner: significant rules with exceptions, and a default rule at the end. The one to try first.

    Parameters
    ----------
    ratio
        A default may cover this many wrong records per right one; exceptions do the rest.
    penalty
        How significant a literal must be; larger gives fewer and shorter rules, 0 lets every useful literal in.
    min_support
        How many records every literal, rule and exception must cover.
    numeric, categorical
        Columns to read as numbers (text that spells none stays text), or as categories, whatever they look like.
    class_weight
        A weight for every class, or "balanced".
    max_rules, max_seconds
        Stop early, with a valid program.
    verbose
        Show rules learned and records left.

    Examples
    --------
    >>> from unless import UnlessClassifier
    >>> X = [{"age": age, "smokes": smokes} for age in range(20, 60) for smokes in ("yes", "no")]
    >>> y = ["risk" if x["smokes"] == "yes" and x["age"] > 40 else "fine" for x in X]
    >>> print(UnlessClassifier().fit(X, y))
    label: fine if age <= 40.0
    label: fine if smokes is 'no'
    label: risk if true
    """

    def __init__(  # noqa: PLR0913 - scikit-learn's way
        self,
        ratio: float = 0.75,
        penalty: float = 1.0,
        min_support: float = 3,
        *,
        numeric: Sequence[Any] | None = None,
        categorical: Sequence[Any] | None = None,
        class_weight: Mapping[Label, float] | str | None = None,
        max_rules: int | None = None,
        max_seconds: float | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.ratio = ratio
        self.penalty = penalty
        self.min_support = min_support
        self.numeric = numeric
        self.categorical = categorical
        self.class_weight = class_weight
        self.max_rules = max_rules
        self.max_seconds = max_seconds
        self.verbose = verbose

    def _learn(self, data: Training, *, progress: Progress) -> Learned:
        ratio = plain(self.ratio)
        return learn_unless(data.engine(ratio), ratio, plain(self.penalty), plain(self.min_support), progress)

    _rules_to_come = 1  # the one for everything that is left


class FoldRMClassifier(RuleClassifier):
    """FOLD-RM exactly as published: an ordered list of rules for any number of labels.

    Parameters
    ----------
    ratio
        A default may cover this many wrong records per right one; exceptions do the rest.
    otherwise
        The label of records that no rule covers: "most_frequent" of the training records that none covers (of all, if
        there are none), a label, or None: then ``predict`` gives None, and ``score`` counts it as wrong, as the paper
        does.
    numeric, categorical, class_weight, max_rules, max_seconds, verbose
        As in `UnlessClassifier`.
    """

    def __init__(
        self,
        ratio: float = 0.5,
        otherwise: Label | None = "most_frequent",
        *,
        numeric: Sequence[Any] | None = None,
        categorical: Sequence[Any] | None = None,
        class_weight: Mapping[Label, float] | str | None = None,
        max_rules: int | None = None,
        max_seconds: float | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.ratio = ratio
        self.otherwise = otherwise
        self.numeric = numeric
        self.categorical = categorical
        self.class_weight = class_weight
        self.max_rules = max_rules
        self.max_seconds = max_seconds
        self.verbose = verbose

    def _learn(self, data: Training, *, progress: Progress) -> Learned:
        self._otherwise(data)
        ratio = plain(self.ratio)
        return learn_rm(data.engine(ratio), ratio, progress)

    def _complete(self, program: Program, data: Training, counts: NDArray[np.float64]) -> Program:
        otherwise = self._otherwise(data)
        if otherwise is None and self.otherwise is not None:
            left = counts[-1] if counts[-1].any() else counts.sum(axis=0)
            otherwise = data.labels.labels[int(np.argmax(left))]
        return replace(program, otherwise=otherwise)

    def _otherwise(self, data: Training) -> Label | None:
        """The label that is named for records which no rule covers, if one is."""
        if self.otherwise is None or self.otherwise == "most_frequent":
            return None
        return data.labels.labels[same(self.otherwise, data.labels.labels, "otherwise is")]


class FoldRPPClassifier(RuleClassifier):
    """FOLD-R++ exactly as published: rules for one of two labels; what none covers has the other.

    Parameters
    ----------
    ratio
        A default may cover this many wrong records per right one; exceptions do the rest.
    positive
        The label to learn rules for; the second of ``classes_`` unless given.
    numeric, categorical, class_weight, max_rules, max_seconds, verbose
        As in `UnlessClassifier`.
    """

    def __init__(
        self,
        ratio: float = 0.5,
        positive: Label | None = None,
        *,
        numeric: Sequence[Any] | None = None,
        categorical: Sequence[Any] | None = None,
        class_weight: Mapping[Label, float] | str | None = None,
        max_rules: int | None = None,
        max_seconds: float | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.ratio = ratio
        self.positive = positive
        self.numeric = numeric
        self.categorical = categorical
        self.class_weight = class_weight
        self.max_rules = max_rules
        self.max_seconds = max_seconds
        self.verbose = verbose

    def _learn(self, data: Training, *, progress: Progress) -> Learned:
        labels = data.labels.labels
        if len(labels) > 2:
            raise ParameterError(
                "Only binary classification is supported. The type of the target is multiclass. "
                f"There are {len(labels)} labels; use FoldRMClassifier or UnlessClassifier"
            )
        positive = labels[-1 if self.positive is None else same(self.positive, labels, "positive is")]
        ratio = plain(self.ratio)
        return learn_rpp(data.engine(ratio), positive, ratio, progress)

    def _complete(self, program: Program, data: Training, counts: NDArray[np.float64]) -> Program:  # noqa: ARG002
        labels = data.labels.labels
        return program if len(labels) > 1 else replace(program, otherwise=labels[0])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
