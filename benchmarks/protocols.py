"""The same fit told in four ways: what "so many times as fast as a tree" means depends on where the clock starts."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from functools import partial

from benchmarks.datasets import ABSENT, Dataset
from benchmarks.peers import FROM_FRAME, decision_tree, matrix
from benchmarks.report import Section, times
from benchmarks.timing import geometric_mean, race
from unless import FoldRMClassifier, TrainingWarning, UnlessClassifier, fold_rm
from unless.read.table import read_table

__all__ = ["side_by_side"]

_TREE = "DecisionTree"
_WAYS = {
    "ready codes": ("`fold_rm(table)`", "`fit` on the same codes as float32"),
    "from a frame": ("`fold_rm(read_table(frame, target))`", "`OrdinalEncoder` for text, then `fit`"),
    "FOLD-RM's classifier": ("`FoldRMClassifier().fit(X, y)`, with checks, statistics and points", "the same"),
    "our classifier": ("`UnlessClassifier().fit(X, y)`: the list is optimised as a whole, too", "the same"),
}


def side_by_side(datasets: Sequence[Dataset], seconds: float = 1.0) -> Section:
    """The tree's time over ours, by each way to measure it."""
    spent = {f"{data.name}, {way}": found for data in datasets for way, found in _races(data, seconds).items()}
    header = ["called", "ours", f"{_TREE}'s", "ratio, geometric mean", "worst"]
    lines = [[way, *_WAYS[way], *_verdict(way, spent)] for way in _WAYS] if spent else []
    text = (
        f"How many times our time the {_TREE} takes on the same {len(datasets)} datasets, by where the clock starts "
        "and what we do meanwhile. The best time of the processor, so that other processes matter less; the sections "
        "below have the time on the wall, which is why they differ a bit."
    )
    classifiers = {data.name: spent[f"{data.name}, our classifier"] for data in datasets}
    return Section("Which figure is which", text if spent else ABSENT, header, lines, (), classifiers)


def _races(data: Dataset, seconds: float) -> dict[str, dict[str, float]]:
    table, frame = data.table(), data.frame()
    assert table.target is not None
    cells, label = matrix(table), table.target.codes
    features, labels = frame.drop(columns=data.target), frame[data.target]
    runs = {
        _TREE: partial(decision_tree, cells, label),
        f"{_TREE} from a frame": partial(FROM_FRAME[_TREE], frame, data.target),
        "ready codes": lambda: fold_rm(table),
        "from a frame": lambda: fold_rm(read_table(frame, data.target)),
        "FOLD-RM's classifier": lambda: FoldRMClassifier().fit(features, labels),
        "our classifier": lambda: UnlessClassifier().fit(features, labels),
    }
    with warnings.catch_warnings(action="ignore", category=TrainingWarning):
        found = race(runs, seconds, clock=time.process_time, figure=min)
    peers = {way: found[_TREE if way == "ready codes" else f"{_TREE} from a frame"] for way in _WAYS}
    return {way: {"unless": found[way], _TREE: peers[way]} for way in _WAYS}


def _verdict(way: str, spent: Mapping[str, Mapping[str, float]]) -> list[str]:
    ratios = {
        name.removesuffix(f", {way}"): found[_TREE] / found["unless"]
        for name, found in spent.items()
        if name.endswith(f", {way}")
    }
    worst = min(ratios, key=lambda name: ratios[name])
    return [times(geometric_mean(ratios.values())), f"{times(ratios[worst])} ({worst})"]
