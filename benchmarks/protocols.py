"""The same fit told in many ways: what "so many times as fast" means depends on where the clock starts, and on who."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.datasets import ABSENT, Dataset
from benchmarks.peers import BOOSTERS, FROM_FRAME, decision_tree, matrix
from benchmarks.report import OURS, Section, Target, duration, times
from benchmarks.timing import geometric_mean, race
from unless import FoldRMClassifier, TrainingWarning, UnlessClassifier, UnlessCommittee, fold_rm
from unless.estimators.rule_classifier import RuleClassifier
from unless.read.table import read_table

__all__ = ["MORE", "many_labels", "side_by_side"]

MORE = ("avila", "intention")
"""Datasets beside those of the other sections, with many rules."""

_TREE = "DecisionTree"
_FROM_PANDAS = "the same from pandas"


@dataclass(frozen=True, slots=True)
class Way:
    """A row of the table: what is called, the peer, what it is given, and the ratios that are wanted."""

    name: str
    ours: str
    peer: str
    least: float
    """The least ratio of the peer's time to ours that is wanted, in the geometric mean."""
    never_below: float
    """The least ratio that is wanted on every dataset."""
    given: str = "the same frame, its texts encoded"

    @property
    def contestant(self) -> str:
        """What ours is called in the race."""
        return self.name.removesuffix(f" and {self.peer}")

    @property
    def opponent(self) -> str:
        """What the peer is called in the race."""
        if self.peer == _FROM_PANDAS:
            return self.name.partition(" from ")[0].replace("FOLD-RM", "FOLD-RM's classifier")
        return "ready tree" if self.name == "ready codes" else self.peer


_RM, _OWN = "`FoldRMClassifier().fit(X, y)`", "`UnlessClassifier().fit(X, y)`"
_WAYS = (
    Way("ready codes", "`fold_rm(table)`", _TREE, 15, 1, "the same codes as float32"),
    Way("from a frame", "`fold_rm(read_table(frame, target))`", _TREE, 4, 1),
    Way("FOLD-RM's classifier", f"{_RM}, with checks and statistics", _TREE, 5, 1),
    Way("our classifier", f"{_OWN}: the list is optimised as a whole, too", _TREE, 3, 0),
    Way("our classifier and XGBoost", _OWN, "XGBoost", 12, 0),
    Way("our classifier and LightGBM", _OWN, "LightGBM", 10, 0),
    Way("FOLD-RM from polars", f"{_RM} of a polars frame", _FROM_PANDAS, 1, 0, "the pandas frame"),
    Way("our classifier from polars", f"{_OWN} of a polars frame", _FROM_PANDAS, 1, 0, "the pandas frame"),
    Way("FOLD-RM from numpy", f"{_RM} of an array, where all columns are numbers", _FROM_PANDAS, 1, 0, "the frame"),
    Way("with probabilities", f"{_RM}, then `predict_proba` of one record", _TREE, 1, 0),
)
_LONG_WAYS = (
    Way("committee", "`UnlessCommittee(n_jobs=1).fit(X, y)`", "XGBoost", 1, 1 / 3),
    Way("teacher", '`UnlessClassifier(teacher="committee").fit(X, y)`', "XGBoost", 1 / 3, 0),
)


def side_by_side(datasets: Sequence[Dataset], seconds: float = 1.0, *, long: bool = True) -> Section:
    """The peers' time over ours, by each way to measure it; committees too if there is time for ``long`` ones."""
    ways = (*_WAYS, *(_LONG_WAYS if long else ()))
    spent: dict[str, dict[str, float]] = {}
    for data in datasets:
        took = _race(data, seconds, long=long)
        for way in ways:
            if way.contestant in took:
                spent[f"{data.name}, {way.name}"] = {OURS: took[way.contestant], way.peer: took[way.opponent]}
    ratios = {way: found for way in ways if (found := _ratios(way, spent))}
    text = (
        f"How many times our time a peer takes on the same {len(datasets)} datasets, by where the clock starts "
        "and what we do meanwhile: the best time of the processor, with one thread, so that other processes matter "
        "less; the sections below have the time on the wall, which is why they differ a bit. The peers start from the "
        "frame as in *Fit from a pandas frame*. A classifier's `fit` leaves the points of probabilities to the first "
        "`predict_proba` or `save`, which the line *with probabilities* counts."
    )
    header = ["called", "ours", "peer", "ratio, geometric mean", "worst"]
    lines = [
        [way.name, way.ours, f"{way.peer}, of {way.given}", times(geometric_mean(each.values())), _worst(each)]
        for way, each in ratios.items()
    ]
    targets = [_judged(way, each) for way, each in ratios.items()]
    classifiers = {data.name: found for data in datasets if (found := spent.get(f"{data.name}, our classifier"))}
    return Section("Which figure is which", text if spent else ABSENT, header, lines, targets, classifiers)


def _race(data: Dataset, seconds: float, *, long: bool) -> dict[str, float]:
    """The best time of every contestant, ours by the name of their way."""
    import polars as pl

    table, frame = data.table(), data.frame()
    assert table.target is not None
    cells, label = matrix(table), table.target.codes
    features, y = frame.drop(columns=data.target), frame[data.target]
    other, numbers = pl.from_pandas(features), None if data.categorical else features.to_numpy()
    one = features[:1]
    runs: dict[str, Callable[[], object]] = {
        "ready tree": partial(decision_tree, cells, label),
        _TREE: partial(FROM_FRAME[_TREE], frame, data.target),
        "ready codes": lambda: fold_rm(table),
        "from a frame": lambda: fold_rm(read_table(frame, data.target)),
        "FOLD-RM's classifier": lambda: FoldRMClassifier().fit(features, y),
        "our classifier": lambda: UnlessClassifier().fit(features, y),
        "FOLD-RM from polars": lambda: FoldRMClassifier().fit(other, y),
        "our classifier from polars": lambda: UnlessClassifier().fit(other, y),
        "with probabilities": lambda: FoldRMClassifier().fit(features, y).predict_proba(one),
    }
    if numbers is not None and numbers.dtype == np.float64:
        runs["FOLD-RM from numpy"] = lambda: FoldRMClassifier().fit(numbers, y)
    slow: dict[str, Callable[[], object]] = {
        name: partial(fit, frame, data.target, threads=1) for name, fit in BOOSTERS.items()
    }
    if long:
        slow["committee"] = lambda: UnlessCommittee(n_jobs=1).fit(features, y)
        slow["teacher"] = lambda: UnlessClassifier(teacher="committee").fit(features, y)
    with warnings.catch_warnings(action="ignore", category=TrainingWarning):
        return {
            **race(runs, seconds, clock=time.process_time, figure=min),
            **race(slow, 0.0, clock=time.process_time, figure=min, least=2),
        }


def _ratios(way: Way, spent: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The peer's time over ours, by dataset."""
    suffix = f", {way.name}"
    return {
        name.removesuffix(suffix): found[way.peer] / found[OURS]
        for name, found in spent.items()
        if name.endswith(suffix)
    }


def _worst(ratios: Mapping[str, float]) -> str:
    worst = min(ratios, key=lambda name: ratios[name])
    return f"{times(ratios[worst])} ({worst})"


def _judged(way: Way, ratios: Mapping[str, float]) -> Target:
    """The verdict over all datasets."""
    mean = geometric_mean(ratios.values())
    target = f"≥ {times(way.least)} in the geometric mean"
    target += f", ≥ {times(way.never_below)} on each" if way.never_below else ""
    met = mean >= way.least and min(ratios.values()) >= way.never_below
    peer = "" if way.peer in way.name else f", {way.peer}"
    return Target(f"{way.name}{peer}: its time over ours", target, f"{times(mean)}; worst {_worst(ratios)}", met)


def many_labels(labels: int = 10_000) -> Section:
    """How long a fit takes if every record has a label of its own."""
    random = np.random.default_rng(0)
    cells, y = random.integers(0, 1000, (labels, 10)).astype(np.float64), random.permutation(labels)
    classifiers: dict[str, type[RuleClassifier]] = {_RM: FoldRMClassifier, _OWN: UnlessClassifier}
    found: dict[str, float] = {}
    with warnings.catch_warnings(action="ignore", category=TrainingWarning):
        for name, classifier in classifiers.items():
            fit: Callable[[], object] = partial(classifier().fit, cells, y)
            found |= race({name: fit}, 0.0, clock=time.process_time, figure=min, least=1)
    what = f"{labels:,} labels of {labels:,} records"
    targets = [Target(f"{what}, {name}", "≤ 3 s", duration(took), took <= 3) for name, took in found.items()]
    text = "Every record has a label of its own, and ten columns of whole numbers: the time of the processor."
    lines = [[name, duration(took)] for name, took in found.items()]
    return Section("Many labels", text, ["fit", what], lines, targets, {k: {OURS: v} for k, v in found.items()})
