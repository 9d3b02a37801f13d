"""Fitting the datasets of the paper: on ready codes, and from a pandas frame."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.datasets import ABSENT, Dataset
from benchmarks.peers import FROM_FRAME, THREADS, decision_tree, matrix
from benchmarks.report import OURS, Section, Target, duration, times
from benchmarks.timing import geometric_mean, race
from unless import FoldRMClassifier, Table, TrainingWarning, UnlessClassifier, fold_rm
from unless.estimators.rule_classifier import RuleClassifier
from unless.learn.unless_learner import fold_unless
from unless.read.table import read_table

__all__ = ["by_classifiers", "from_frames", "on_codes"]

_FROM_FRAME = {"DecisionTree": 4, "XGBoost": 10, "LightGBM": 10}


@dataclass(frozen=True, slots=True)
class Goal:
    """How many times faster than a peer: in the geometric mean over all datasets, and on none slower."""

    what: str
    peer: str
    least: float

    def judge(self, results: Mapping[str, Mapping[str, float]]) -> Target:
        """The verdict over the times on every dataset."""
        what = f"{self.what}, {self.peer}'s time over ours"
        target = f"≥ ×{self.least:g} in the geometric mean, ≥ ×1 on each"
        if not results:
            return Target(what, target, "–", None)
        ratios = {name: result[self.peer] / result[OURS] for name, result in results.items()}
        mean, worst = geometric_mean(ratios.values()), min(ratios, key=lambda name: ratios[name])
        measured = f"{times(mean)}; worst {times(ratios[worst])} ({worst})"
        return Target(what, target, measured, mean >= self.least and ratios[worst] >= 1)


def on_codes(datasets: Sequence[Dataset], seconds: float = 1.0) -> Section:
    """Everything that follows `read_table`, against a decision tree on the same codes."""
    goals = [Goal("fit on ready codes", "DecisionTree", 10)]
    text = (
        "`fold_rm(table)` against `DecisionTreeClassifier(random_state=0).fit` on the same codes as a matrix of "
        "float32, which is prepared before the clock starts."
    )
    results = {dataset.name: _race_on_codes(dataset, seconds) for dataset in datasets}
    return _section("Fit on ready codes", text, goals, results)


def _race_on_codes(dataset: Dataset, seconds: float) -> dict[str, float]:
    table = dataset.table()
    assert table.target is not None
    cells, label = matrix(table), table.target.codes
    return race({OURS: lambda: fold_rm(table), "DecisionTree": lambda: decision_tree(cells, label)}, seconds)


def from_frames(datasets: Sequence[Dataset], seconds: float = 1.0) -> Section:
    """Encoding and fit, from the same pandas frame for all."""
    goals = [Goal("from a pandas frame", peer, least) for peer, least in _FROM_FRAME.items()]
    text = (
        "`read_table(frame, target)` and `fold_rm` against the peers from the same frame: columns of numbers as pandas "
        "reads them, all others (also those that mix numbers and text) of the dtype str. What each needs to start from "
        "there is timed: our ranking of the cells; `OrdinalEncoder` for the text columns of the DecisionTree; "
        '`astype("category")` for those of XGBoost (`enable_categorical`) and LightGBM, which have native splits for '
        "them; labels as codes for all three. Default parameters, threads: "
        f"{THREADS}."
    )
    results = {dataset.name: _race_from_frame(dataset, seconds) for dataset in datasets}
    return _section("Fit from a pandas frame", text, goals, results)


def _race_from_frame(dataset: Dataset, seconds: float) -> dict[str, float]:
    frame, target = dataset.frame(), dataset.target
    contestants = {name: partial(fit, frame, target) for name, fit in FROM_FRAME.items()}
    return race({OURS: lambda: fold_rm(read_table(frame, target)), **contestants}, seconds)


def by_classifiers(datasets: Sequence[Dataset], seconds: float = 1.0) -> Section:
    """What the classifiers of scikit-learn's manner add to reading a frame and learning from it."""
    text = (
        "`UnlessClassifier().fit(X, y)` and `FoldRMClassifier().fit(X, y)` against `read_table(frame, target)` and the "
        "same learner, the best time of the processor: what is added are checks, classes, statistics and what is "
        "remembered of the values. Of a few hundred records that takes a third of a millisecond."
    )
    results = {
        (dataset.name, kind, learner): _race_by_classifier(dataset, kind, learner, seconds)
        for dataset in datasets
        for kind in ("pandas", "polars")
        for learner in _CLASSIFIERS
    }
    lines = [[*what, duration(plain), duration(ours), times(ours / plain)] for what, (plain, ours) in results.items()]
    header = ["data", "frame", "learner", "`read_table` and learner", "classifier", "ratio"]
    spent = {", ".join(what): {OURS: ours} for what, (_, ours) in results.items()}
    return Section("Fit by classifiers", text if results else ABSENT, header, lines, [_added(results)], spent)


def _added(results: Mapping[tuple[str, str, str], tuple[float, float]]) -> Target:
    """The verdict over all datasets."""
    what, target = "the classifiers' time over that of `read_table` and learner", "≤ ×1.15 in the geometric mean"
    if not results:
        return Target(what, target, "–", None)
    ratios = {name: ours / plain for name, (plain, ours) in results.items()}
    mean, worst = geometric_mean(ratios.values()), max(ratios, key=lambda name: ratios[name])
    return Target(what, target, f"{times(mean)}; worst {times(ratios[worst])} ({', '.join(worst)})", mean <= 1.15)


_CLASSIFIERS: dict[str, tuple[Callable[[Table], object], Callable[[], RuleClassifier]]] = {
    "Unless": (fold_unless, UnlessClassifier),
    "FOLD-RM": (fold_rm, FoldRMClassifier),
}


def _race_by_classifier(dataset: Dataset, kind: str, learner: str, seconds: float) -> tuple[float, float]:
    import polars as pl

    pandas, target = dataset.frame(), dataset.target
    frame = pandas if kind == "pandas" else pl.from_pandas(pandas)
    cells = pandas.drop(columns=target) if kind == "pandas" else pl.from_pandas(pandas.drop(columns=target))
    learn, classifier = _CLASSIFIERS[learner]
    with warnings.catch_warnings(action="ignore", category=TrainingWarning):
        found = race(
            {
                "plain": lambda: learn(read_table(frame, target)),
                "classifier": lambda: classifier().fit(cells, frame[target]),
            },
            seconds,
            clock=time.process_time,
            figure=min,
        )
    return found["plain"], found["classifier"]


def _section(title: str, text: str, goals: Sequence[Goal], results: Mapping[str, Mapping[str, float]]) -> Section:
    header = ["data", OURS, *(cell for goal in goals for cell in (goal.peer, "ratio"))]
    lines = [[name, *_cells(result)] for name, result in results.items()]
    verdicts = [goal.judge(results) for goal in goals]
    return Section(title, text if results else ABSENT, header, lines, verdicts, results)


def _cells(result: Mapping[str, float]) -> list[str]:
    ours, *others = result.values()
    return [duration(ours), *(cell for other in others for cell in (duration(other), times(other / ours)))]
