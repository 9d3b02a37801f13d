"""The peers, as their documentation advises: default parameters, two threads, native categories if they have them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.timing import CLOCK
from unless import Table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BOOSTERS", "FROM_FRAME", "PREDICTORS", "THREADS", "decision_tree", "matrix"]

THREADS = 1 if CLOCK is time.process_time else 2
"""By the clock of the processor one: on a busy machine, threads burn time while they wait for each other."""

Matrix = NDArray[np.float32]
Codes = NDArray[Any]


def matrix(table: Table) -> Matrix:
    """The ranks of a table as the matrix of float32 that the peers work on."""
    cells = np.empty((len(table), len(table.columns)), np.float32)
    for place, column in enumerate(table.columns):
        cells[:, place] = column.codes
    return cells


def decision_tree(cells: Matrix, label: Codes) -> object:
    """Fit scikit-learn's decision tree."""
    return DecisionTreeClassifier(random_state=0).fit(cells, label)


def _texts(frame: pd.DataFrame) -> list[str]:
    from pandas.api.types import is_numeric_dtype

    return [name for name in frame.columns if not is_numeric_dtype(frame[name])]


def _decision_tree_of(frame: pd.DataFrame, target: str) -> object:
    """Ordinal codes for the text columns, then the tree."""
    cells, label = frame.drop(columns=target), frame[target]
    texts = _texts(cells)
    parts = [cells.drop(columns=texts).to_numpy(np.float32)]
    if texts:
        parts.append(OrdinalEncoder(dtype=np.float32).fit_transform(cells[texts]))
    return decision_tree(np.hstack(parts) if texts else parts[0], label.astype("category").cat.codes.to_numpy())


def _categories(frame: pd.DataFrame, target: str) -> tuple[pd.DataFrame, Codes]:
    """The native input of both boosters: a frame whose text columns are of the dtype category, and labels from 0 on."""
    cells, label = frame.drop(columns=target), frame[target]
    return cells.astype(dict.fromkeys(_texts(cells), "category")), label.astype("category").cat.codes.to_numpy()


def _xgboost_of(frame: pd.DataFrame, target: str, threads: int = THREADS) -> object:
    from xgboost import XGBClassifier

    cells, label = _categories(frame, target)
    return XGBClassifier(enable_categorical=True, n_jobs=threads).fit(cells, label)


def _lightgbm_of(frame: pd.DataFrame, target: str, threads: int = THREADS) -> object:
    from lightgbm import LGBMClassifier

    cells, label = _categories(frame, target)
    return LGBMClassifier(n_jobs=threads, verbose=-1).fit(cells, label)


BOOSTERS: dict[str, Callable[..., object]] = {"XGBoost": _xgboost_of, "LightGBM": _lightgbm_of}
"""They also take a number of ``threads``."""

FROM_FRAME: dict[str, Callable[[pd.DataFrame, str], object]] = {"DecisionTree": _decision_tree_of, **BOOSTERS}
"""Fit from a pandas frame, everything that has to be encoded included."""


def _texts_of(table: Table) -> list[int]:
    return [place for place, column in enumerate(table.columns) if column.kind == "text"]


def _xgboost_predictor(train: Table, table: Table) -> Callable[[], object]:
    from xgboost import XGBClassifier

    texts = set(_texts_of(train))
    kinds = ["c" if place in texts else "q" for place in range(len(train.columns))]
    model = XGBClassifier(enable_categorical=True, feature_types=kinds, n_jobs=THREADS)
    booster = model.fit(matrix(train), _label(train)).get_booster()
    cells = matrix(table)
    # In place: a DMatrix remembers its predictions, so that the second call took 1 ms instead of 130.
    return lambda: booster.inplace_predict(cells)


def _lightgbm_predictor(train: Table, table: Table) -> Callable[[], object]:
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(n_jobs=THREADS, verbose=-1)
    booster = model.fit(matrix(train), _label(train), categorical_feature=_texts_of(train)).booster_
    cells = matrix(table)
    return lambda: booster.predict(cells, num_threads=THREADS)


def _label(table: Table) -> Codes:
    assert table.target is not None
    return table.target.codes


PREDICTORS: dict[str, Callable[[Table, Table], Callable[[], object]]] = {
    "XGBoost": _xgboost_predictor,
    "LightGBM": _lightgbm_predictor,
}
"""Fit on the first table, and give what predicts the second, whose matrix is ready."""
