"""The same files read by pandas, by polars and by `read_table`: how good the rules are that our learner finds in each.

Nothing is declared: kinds of columns are what each reader makes of the file. Records without a label are left out. The
folds are those of `accuracy_datasets`.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks import datasets
from benchmarks.accuracy_datasets import FOLDS, PAPER
from benchmarks.figures import Figures
from benchmarks.results import Line, Results
from unless import UnlessClassifier, read_table
from unless.values import DEFAULT_MISSING

__all__ = ["READERS", "main", "section"]


def _pandas(data: datasets.Dataset) -> tuple[Any, Any]:
    import pandas as pd

    frame = pd.read_csv(data.path).dropna(subset=[data.target])
    return frame[[*data.features]], frame[data.target].astype(str).to_numpy()


def _polars(data: datasets.Dataset) -> tuple[Any, Any]:
    import polars as pl

    try:
        frame = pl.read_csv(data.path)
    except pl.exceptions.ComputeError:  # the first hundred rows do not show that a column has text too
        frame = pl.read_csv(data.path, infer_schema_length=None)
    frame = frame.filter(pl.col(data.target).cast(pl.String).is_in(DEFAULT_MISSING).not_())  # to polars NA is text
    return frame.select(data.features), frame.get_column(data.target).cast(pl.String).to_numpy()


def _ours(data: datasets.Dataset) -> tuple[Any, Any]:
    table = read_table(data.path, data.target, features=data.features, drop_unlabelled=True)
    return table, table.y.astype(str)


READERS: dict[str, Callable[[datasets.Dataset], tuple[Any, Any]]] = {
    "pandas.read_csv": _pandas,
    "polars.read_csv": _polars,
    "read_table": _ours,
}


def _lines(data: datasets.Dataset, reader: str) -> Iterator[Line]:
    """The accuracy of each fold."""
    records, y = READERS[reader](data)
    order = np.random.default_rng(0).permutation(len(y))
    for fold in range(FOLDS):
        train, test = order[np.arange(len(order)) % FOLDS != fold], order[fold::FOLDS]
        learned = UnlessClassifier(warn=False).fit(_rows(records, train), y[train])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # values that the other folds do not have
            accuracy = float(np.mean(learned.predict(_rows(records, test)) == y[test]))
        yield {"data": data.name, "method": reader, "fold": fold, "accuracy": accuracy}


def _rows(records: Any, rows: Any) -> Any:
    return records.iloc[rows] if hasattr(records, "iloc") else records[rows]


def section(figures: Figures) -> str:
    """The section of the page: means, and the datasets that depend on the reader."""
    names = [name for name in PAPER if all(figures.get(name, reader) is not None for reader in READERS)]
    if not names:
        return ""
    means = [fmean(figures.values(names, reader).values()) for reader in READERS]
    gaps = {name: [figures.get(name, reader) or 0.0 for reader in READERS] for name in names}
    worst = max(names, key=lambda name: max(gaps[name]) - min(gaps[name]))
    rows = [["**mean**", *(f"{mean:.4f}" for mean in means), f"{100 * (max(means) - min(means)):.2f}"]]
    rows += [
        [name, *(f"{value:.4f}" for value in gaps[name]), f"{100 * (max(gaps[name]) - min(gaps[name])):.2f}"]
        for name in names
        if max(gaps[name]) > min(gaps[name])
    ]
    same = [name for name in names if max(gaps[name]) == min(gaps[name])]
    header = ["data", *READERS, "points apart"]
    lines = [header, ["---"] * len(header), *rows]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"""## Read by pandas, by polars and by read_table

`UnlessClassifier` on the files of the paper's datasets as plain `pd.read_csv`, plain `pl.read_csv` (over all rows,
where it refuses otherwise) and `read_table` read them, nothing declared, the same folds: {len(names)} datasets.
{worst} is furthest apart; on {len(same)} all three are equal, and the table has the others.

{table}"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what the results lack, and print the section."""
    from benchmarks.accuracy import _CACHE  # it imports this module for the page

    parser = argparse.ArgumentParser(prog="python -m benchmarks.readers", description="Accuracy by reader.")
    parser.add_argument("--cache", type=Path, default=_CACHE, help="where results are kept")
    parser.add_argument("--again", action="store_true", help="forget earlier results")
    options = parser.parse_args(arguments)
    results = Results(options.cache)
    if options.again:
        results.forget(list(READERS), PAPER)
    for data in datasets.find(PAPER):
        for reader in READERS:
            if results.missing(data.name, reader, range(FOLDS)):
                for line in _lines(data, reader):
                    results.add(line)
    print(section(Figures.of(results)))


if __name__ == "__main__":
    main()
