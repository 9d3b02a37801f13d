"""Prediction on ready tables, in rows per second."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks import generate
from benchmarks.datasets import Dataset
from benchmarks.peers import PREDICTORS, THREADS
from benchmarks.report import Section, Target, times
from benchmarks.timing import race
from unless import Table, fold_rm, predict

__all__ = ["rows_per_second"]

_TRAIN = 100_000
"""Rows of the generated table to learn from: what is timed is the prediction, whose cost is that of the model."""

_PEERS = 100_000
"""Rows for the boosters to predict: a million took LightGBM 50 s on pendigits, and their time is proportional."""


def rows_per_second(datasets: Sequence[Dataset], rows: int, seconds: float = 1.0) -> Section:
    """Prediction of that many rows, resampled from each dataset, and of generated ones."""
    random = np.random.default_rng(0)
    tables: dict[str, tuple[Table, Table]] = {}
    for data in datasets:
        table = data.table()
        tables[data.name] = table, table[random.integers(0, len(table), rows)]
    drawn = generate.table(generate.draw(rows))
    tables["generated"] = drawn[:_TRAIN], drawn
    speeds = {name: _race(train, table, seconds) for name, (train, table) in tables.items()}
    text = f"""
`predict(program, table)`, labels and all, on {rows:,} rows: the dataset's own, resampled, or generated ones (learned
from the first {_TRAIN:,}). The boosters predict the first {_PEERS:,} of them, with default parameters, threads:
{THREADS}, categories declared, and their matrix of float32 ready; the time to turn their scores into labels is not
counted. In millions of rows per second.
"""
    header = ["data", "unless", *(cell for peer in PREDICTORS for cell in (peer, "ratio"))]
    lines = [[name, *_cells(speed)] for name, speed in speeds.items()]
    spent = {name: {who: 1 / one for who, one in speed.items()} for name, speed in speeds.items()}
    return Section("Prediction", text, header, lines, _targets(speeds), spent)


def _race(train: Table, table: Table, seconds: float) -> dict[str, float]:
    program = fold_rm(train)
    contestants: dict[str, Callable[[], object]] = {"unless": lambda: predict(program, table)}
    contestants |= {name: make(train, table[:_PEERS]) for name, make in PREDICTORS.items()}
    rows = {"unless": len(table)}
    return {name: rows.get(name, min(_PEERS, len(table))) / time for name, time in race(contestants, seconds).items()}


def _cells(speed: dict[str, float]) -> list[str]:
    ours, *others = speed.values()
    return [f"{ours / 1e6:.1f}", *(cell for other in others for cell in (f"{other / 1e6:.2f}", times(ours / other)))]


def _targets(speeds: dict[str, dict[str, float]]) -> list[Target]:
    slowest = min(speeds, key=lambda name: speeds[name]["unless"])
    ours = speeds[slowest]["unless"]
    what = "predict on a ready table, slowest of the tables"
    targets = [Target(what, "≥ 5 million rows per second", f"{ours / 1e6:.1f} million ({slowest})", ours >= 5e6)]
    for peer in PREDICTORS:
        ratios = {name: speed["unless"] / speed[peer] for name, speed in speeds.items()}
        worst = min(ratios, key=lambda name: ratios[name])
        measured = f"worst {times(ratios[worst])} ({worst})"
        what = f"predict, our rows per second over {peer}'s"
        targets.append(Target(what, "> ×1 on each", measured, ratios[worst] > 1))
    return targets
