"""Predictions for new records as users have them: one at a time, and many in a frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.datasets import Dataset
from benchmarks.peers import THREADS
from benchmarks.report import OURS, Section, Target, duration, times
from benchmarks.timing import geometric_mean, race
from unless import UnlessClassifier, UnlessCommittee

__all__ = ["many_records", "one_record"]

_TRAIN = 20_000
"""Rows to learn from: the cost of a prediction is that of the model."""

_SIMPLE, _OTHER = 0.5e-3, 1e-3
"""Seconds for a record from an array or a dict, and from a frame or by a committee."""

_LIST, _COMMITTEE = 0.1, 0.25
"""Of XGBoost's time."""


def _fitted(data: Dataset) -> tuple[Any, Any, dict[str, Any]]:
    """A frame, its labels, and the classifiers that learned from some of its rows."""
    frame = data.frame()
    labels = frame.pop(data.target).astype(str)
    rows = np.random.default_rng(0).permutation(len(frame))[:_TRAIN]
    models = {"list": UnlessClassifier(warn=False), "committee": UnlessCommittee(warn=False)}
    X, y = frame.iloc[rows], labels.iloc[rows]  # noqa: N806 - as scikit-learn calls it
    return frame, y, {name: model.fit(X, y) for name, model in models.items()}


def one_record(datasets: Sequence[Dataset], seconds: float = 0.2) -> Section:
    """One record of each dataset, from a dict and from a frame of one row."""
    spent: dict[str, dict[str, float]] = {}
    for data in datasets:
        frame, _, models = _fitted(data)
        row = frame.iloc[[0]]
        forms = {"dict": row.to_dict("records"), "frame of one row": row}
        for name, model in models.items():
            for form, record in forms.items():
                for call in ("predict", "predict_proba"):
                    run: dict[str, Callable[[], object]] = {OURS: lambda: getattr(model, call)(record)}  # noqa: B023
                    spent[f"{data.name}, {name}, {form}, {call}"] = race(run, seconds, figure=min)
    rows = [[*line.split(", "), duration(found[OURS])] for line, found in spent.items()]
    simple = {line: found[OURS] for line, found in spent.items() if ", list, dict" in line}
    other = {line: found[OURS] for line, found in spent.items() if line not in simple}
    targets = [_slowest("from a dict", simple, _SIMPLE), _slowest("from a frame, or by a committee", other, _OTHER)]
    text = f"The fastest of many calls, each for one record; the models learned from up to {_TRAIN:,} rows."
    return Section("One record", text, ["data", "model", "record", "call", "time"], rows, targets, spent)


def _slowest(what: str, found: dict[str, float], most: float) -> Target:
    worst = max(found, key=lambda line: found[line])
    return Target(
        f"one record {what}", f"≤ {duration(most)}", f"{duration(found[worst])} ({worst})", found[worst] <= most
    )


def many_records(datasets: Sequence[Dataset], rows: int, seconds: float = 1.0) -> Section:
    """Labels for the rows of a frame, resampled from each dataset, beside XGBoost from the same frame."""
    import pandas as pd
    from xgboost import XGBClassifier

    spent: dict[str, dict[str, float]] = {}
    for data in datasets:
        frame, y, models = _fitted(data)
        texts = [name for name in frame if frame[name].dtype.kind not in "iuf"]
        kinds = {name: pd.CategoricalDtype(sorted(frame[name].unique())) for name in texts}
        codes = y.astype("category").cat.codes
        peer = XGBClassifier(enable_categorical=True, n_jobs=THREADS).fit(frame.loc[y.index].astype(kinds), codes)
        new = frame.iloc[np.random.default_rng(1).integers(0, len(frame), rows)].reset_index(drop=True)
        calls: dict[str, Callable[[], object]] = {name: _predicting(model, new) for name, model in models.items()}
        spent[data.name] = race({**calls, "XGBoost": lambda: peer.predict(new.astype(kinds))}, seconds)  # noqa: B023
    shares = {name: [one[name] / one["XGBoost"] for one in spent.values()] for name in ("list", "committee")}
    lines = [
        [data, *(duration(found[name]) for name in found), *(times(found[name] / found["XGBoost"]) for name in shares)]
        for data, found in spent.items()
    ]
    targets = [
        Target(
            f"predict from a frame, the time of a {name} over XGBoost's",
            f"≤ ×{most} in the geometric mean",
            f"{times(geometric_mean(shares[name]))}; worst {times(max(shares[name]))}",
            geometric_mean(shares[name]) <= most,
        )
        for name, most in (("list", _LIST), ("committee", _COMMITTEE))
    ]
    text = f"`predict(frame)` for {rows:,} rows, resampled; text columns of XGBoost's frame are made categories first."
    header = ["data", "list", "committee", "XGBoost", "list over XGBoost", "committee over XGBoost"]
    return Section("Predictions from a frame", text, header, lines, targets, spent)


def _predicting(model: Any, new: Any) -> Callable[[], object]:
    return lambda: model.predict(new)
