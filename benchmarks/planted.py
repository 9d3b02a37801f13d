"""Tables with rules that are known: planted lists with noise, and scikit-learn's generators. One seed, one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unless import Table, read_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PLANTED", "planted"]

_RECORDS = 11_000
_COLUMNS, _RULES = 12, 8


def _rules(labels: int, noise: float, seed: int, random: np.random.Generator) -> pd.DataFrame:
    """Records, half of whose columns are categories, labelled by a list of rules; some get any label instead."""
    import pandas as pd

    numbers = random.normal(size=(_RECORDS, _COLUMNS // 2))
    texts = random.choice(list("abcde"), (_RECORDS, _COLUMNS - _COLUMNS // 2))
    plan = np.random.default_rng(seed)
    found = np.full(_RECORDS, -1)
    for _ in range(_RULES * max(1, labels // 3)):
        holds = np.ones(_RECORDS, bool)
        for column in plan.choice(_COLUMNS, 2, replace=False):
            if column < numbers.shape[1]:
                holds &= numbers[:, column] > plan.normal(scale=0.6)
            else:
                holds &= np.isin(texts[:, column - numbers.shape[1]], plan.choice(list("abcde"), 2, replace=False))
        found[holds & (found < 0)] = plan.integers(labels)
    found[found < 0] = plan.integers(labels)
    other = random.random(_RECORDS) < noise
    found[other] = random.integers(labels, size=int(other.sum()))
    frame = pd.DataFrame(numbers, columns=[f"n{k}" for k in range(numbers.shape[1])])
    return frame.assign(**{f"c{k}": texts[:, k] for k in range(texts.shape[1])}, **{"class": _named(found)})


def _generated(name: str, **settings: Any) -> pd.DataFrame:
    """The records of a generator of scikit-learn."""
    import pandas as pd
    from sklearn import datasets

    cells, labels = getattr(datasets, f"make_{name}")(n_samples=_RECORDS, **settings)
    return pd.DataFrame(cells, columns=[f"n{k}" for k in range(cells.shape[1])]).assign(**{"class": _named(labels)})


def _named(labels: NDArray[Any]) -> list[str]:
    return [f"c{round(float(label))}" for label in labels]


def _list(labels: int, noise: float, seed: int) -> Callable[[], pd.DataFrame]:
    return lambda: _rules(labels, noise, seed, np.random.default_rng(1_000 + seed))


def _lists(labels: Iterable[int], noise: Sequence[float]) -> dict[str, Callable[[], pd.DataFrame]]:
    return {
        f"planted {count} labels, {share:.0%} noise": _list(count, share, 10 * count + round(10 * share))
        for count in labels
        for share in noise
    }


PLANTED: Mapping[str, Callable[[], pd.DataFrame]] = {
    **_lists((2, 6, 20), (0.0, 0.1, 0.3, 0.6)),
    **_lists((3, 12), (0.05, 0.2, 0.45)),
    "blobs of 2 labels": partial(
        _generated, "classification", n_features=12, n_informative=5, flip_y=0.1, class_sep=0.7, random_state=1
    ),
    "blobs of 6 labels": partial(
        _generated, "classification", n_features=15, n_informative=8, n_classes=6, flip_y=0.05, random_state=2
    ),
    "blobs of 26 labels": partial(
        _generated, "classification", n_features=16, n_informative=12, n_classes=26, flip_y=0.0, random_state=3
    ),
    "hastie": partial(_generated, "hastie_10_2", random_state=4),
    "moons": partial(_generated, "moons", noise=0.35, random_state=5),
    "quantiles": partial(_generated, "gaussian_quantiles", n_features=6, n_classes=5, random_state=6),
    "blobs of 3 labels": partial(
        _generated, "classification", n_features=8, n_informative=4, n_classes=3, class_sep=0.5, random_state=7
    ),
    "blobs of 20 labels": partial(
        _generated, "classification", n_features=20, n_informative=10, n_classes=20, class_sep=1.5, random_state=8
    ),
    "circles": partial(_generated, "circles", noise=0.25, factor=0.6, random_state=9),
}
"""What makes each table."""


def planted(name: str) -> Table:
    """A table of these, by name."""
    return read_table(PLANTED[name](), "class")
