"""Compute how well probabilities separate two labels: ROC, precision and recall, calibration, cost of thresholds.

The score card or the committee gives every record integer points for the second label: a logit in thousandths. Records
with the same points are counted together, so that everything is computed from one small table.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unless.evaluation.shares import Share
from unless.model.points import POINTS_PER_LOGIT
from unless.report.facts import DecisionFacts
from unless.report.rule_sentences import LabelName, Speaker

_BINS = 10
"""The number of groups, of about equal size, that calibration compares."""

_DISTINCT = 4000
"""The maximum number of distinct points; beyond that, neighbours are merged."""

_DRAWN = 200
"""The maximum number of points of a drawn curve."""


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Records of similar probability: the mean probability, and the share of records with the label."""

    mean: float
    positive: Share


@dataclass(frozen=True, eq=False)
class Curves:
    """The distinct points, ascending, and how many records with each have the first and the second label."""

    negative: LabelName
    positive: LabelName
    points: NDArray[np.int64]
    negatives: NDArray[np.int64]
    positives: NDArray[np.int64]

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of the second label for each number of points."""
        return 1 / (1 + np.exp(-self.points / POINTS_PER_LOGIT))

    @property
    def roc(self) -> list[tuple[float, float]]:
        """The false and true positive rates, from the strictest threshold to the loosest."""
        return list(zip(_cumulative_shares(self.negatives), _cumulative_shares(self.positives), strict=True))

    @property
    def area(self) -> float:
        """The area under the ROC curve: the chance that a record with the label has more points than one without."""
        x, y = _cumulative_shares(self.negatives), _cumulative_shares(self.positives)
        return sum((b - a) * (c + d) / 2 for a, b, c, d in zip(x, x[1:], y, y[1:], strict=False))

    @property
    def precision_recall(self) -> list[tuple[float, float]]:
        """Recall and precision, from the strictest threshold to the loosest."""
        hits, all_ = np.cumsum(self.positives[::-1]), np.cumsum((self.positives + self.negatives)[::-1])
        return list(zip((hits / hits[-1]).tolist(), (hits / all_).tolist(), strict=True))

    @property
    def average_precision(self) -> float:
        """The mean precision over all records with the label."""
        pairs = [(0.0, 1.0), *self.precision_recall]
        return sum((b - a) * precision for (a, _), (b, precision) in pairwise(pairs))

    @property
    def brier(self) -> float:
        """The Brier score: the mean squared error of the probabilities."""
        p = self.probabilities
        missed = self.negatives @ p**2 + self.positives @ (1 - p) ** 2
        return float(missed / (self.negatives.sum() + self.positives.sum()))

    @property
    def bins(self) -> tuple[CalibrationBin, ...]:
        """Groups of about equal size, from the least probable records to the most probable."""
        sizes = self.negatives + self.positives
        middles = np.cumsum(sizes) - sizes / 2
        places = np.minimum(middles / sizes.sum() * _BINS, _BINS - 1).astype(int)
        found = []
        for place in np.unique(places).tolist():
            own = places == place
            mean = float(np.average(self.probabilities[own], weights=sizes[own]))
            found.append(CalibrationBin(mean, Share(int(self.positives[own].sum()), int(sizes[own].sum()))))
        return tuple(found)

    def to_dict(self) -> dict[str, object]:
        """Convert the table for the page's scripts."""
        return {
            "labels": [self.negative.place, self.positive.place],
            "points": self.points.tolist(),
            "negatives": self.negatives.tolist(),
            "positives": self.positives.tolist(),
        }


def compute_curves(facts: DecisionFacts, speaker: Speaker) -> Curves | None:
    """Compute the curves; None unless there are points and two labels with records."""
    classes = () if facts.trained is None else facts.trained.classes
    if facts.model is None or facts.truth is None or len(classes) != 2 or len(facts.labels) != 2:
        return None
    if (scored := facts.model.points(facts.table)) is None:
        return None
    places = [facts.labels.index(label) for label in classes]
    totals, step = np.diff(scored)[:, 0], 1  # points of the second label against the first
    while len(np.unique(totals // step)) > _DISTINCT:
        step *= 2
    points, ranks = np.unique(totals // step * step, return_inverse=True)
    counts = [np.bincount(ranks[facts.truth == place], minlength=len(points)) for place in places]
    if not all(one.any() for one in counts):
        return None
    negative, positive = (speaker.labels[place] for place in places)
    return Curves(negative, positive, points, counts[0].astype(np.int64), counts[1].astype(np.int64))


def draw_line(pairs: list[tuple[float, float]]) -> str:
    """Write pairs of shares as points of a line in a square of side 200, with y upwards; long lines are thinned."""
    step = max(1, -(-len(pairs) // _DRAWN))
    kept = pairs[::step] + ([] if (len(pairs) - 1) % step == 0 else pairs[-1:])
    return " ".join(f"{200 * x:.1f},{200 * (1 - y):.1f}" for x, y in kept)


def _cumulative_shares(counts: NDArray[np.int64]) -> list[float]:
    """Return the cumulative shares of counts, from the last count to the first, starting with zero."""
    sums = np.cumsum(counts[::-1])
    return [0.0, *(sums / sums[-1]).tolist()]
