"""Fitting the datasets of the paper: on ready codes, and from a pandas frame."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.datasets import ABSENT, Dataset
from benchmarks.peers import FROM_FRAME, decision_tree, matrix
from benchmarks.report import Section, Target, duration, times
from benchmarks.timing import geometric_mean, race
from unless import fold_rm
from unless.read import read_table

__all__ = ["from_frames", "on_codes"]

OURS = "unless"


def on_codes(datasets: Sequence[Dataset], seconds: float = 1.0) -> Section:
    """Everything that follows `read_table`, against a decision tree on the same codes."""
    title = "Fit on ready codes"
    what = "fit on ready codes, DecisionTree's time over ours"
    target = "≥ ×10 in the geometric mean, ≥ ×1 on each"
    if not datasets:
        return Section(title, ABSENT, targets=[Target(what, target, "–", None)])
    results = [_race_on_codes(dataset, seconds) for dataset in datasets]
    text = (
        "`fold_rm(table)` against `DecisionTreeClassifier(random_state=0).fit` on the same codes as a matrix of float32, "
        "which is prepared before the clock starts."
    )
    verdict = _verdict(what, target, "DecisionTree", 10, results, datasets)
    return Section(title, text, _header("DecisionTree"), _rows(datasets, results), [verdict])


def _race_on_codes(dataset: Dataset, seconds: float) -> dict[str, float]:
    table = dataset.table()
    assert table.target is not None  # noqa: S101 - for the type checker
    cells, label = matrix(table), table.target.codes
    return race({OURS: lambda: fold_rm(table), "DecisionTree": lambda: decision_tree(cells, label)}, seconds)


def from_frames(datasets: Sequence[Dataset], seconds: float = 1.0) -> Section:
    """Encoding and fit, from the same pandas frame for all."""
    title = "Fit from a pandas frame"
    goals = {"DecisionTree": 4, "XGBoost": 10, "LightGBM": 10}
    whats = {peer: f"from a pandas frame, {peer}'s time over ours" for peer in goals}
    targets = {peer: f"≥ ×{goal} in the geometric mean, ≥ ×1 on each" for peer, goal in goals.items()}
    if not datasets:
        return Section(title, ABSENT, targets=[Target(whats[peer], targets[peer], "–", None) for peer in goals])
    results = [_race_from_frame(dataset, seconds) for dataset in datasets]
    text = (
        "`read_table(frame, target)` and `fold_rm` against the peers from the same frame: columns of numbers as pandas "
        "reads them, all others (also those that mix numbers and text) of the dtype str. What each needs to start from "
        "there is timed: our ranking of the cells; `OrdinalEncoder` for the text columns of the DecisionTree; "
        '`astype("category")` for those of XGBoost (`enable_categorical`) and LightGBM, which then treat them natively; '
        "labels as codes for all three. Default parameters, two threads."
    )
    verdicts = [_verdict(whats[peer], targets[peer], peer, goal, results, datasets) for peer, goal in goals.items()]
    return Section(title, text, _header(*goals), _rows(datasets, results), verdicts)


def _race_from_frame(dataset: Dataset, seconds: float) -> dict[str, float]:
    frame, target = dataset.frame(), dataset.target
    contestants = {name: lambda fit=fit: fit(frame, target) for name, fit in FROM_FRAME.items()}
    return race({OURS: lambda: fold_rm(read_table(frame, target)), **contestants}, seconds)


def _header(*peers: str) -> list[str]:
    return ["data", OURS, *(cell for peer in peers for cell in (peer, "ratio"))]


def _rows(datasets: Sequence[Dataset], results: Sequence[dict[str, float]]) -> list[list[str]]:
    rows = []
    for dataset, result in zip(datasets, results, strict=True):
        ours, *others = result.values()
        cells = (cell for other in others for cell in (duration(other), times(other / ours)))
        rows.append([dataset.name, duration(ours), *cells])
    return rows


def _verdict(
    what: str, target: str, peer: str, goal: float, results: Sequence[dict[str, float]], datasets: Sequence[Dataset]
) -> Target:
    ratios = [result[peer] / result[OURS] for result in results]
    mean, worst = geometric_mean(ratios), min(ratios)
    where = datasets[ratios.index(worst)].name
    return Target(what, target, f"{times(mean)}; worst {times(worst)} ({where})", mean >= goal and worst >= 1)
