"""From a CSV file to a program, against only reading that file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks import generate
from benchmarks.datasets import Dataset
from benchmarks.report import OURS, Section, Target, duration, times
from benchmarks.timing import race
from unless import fold_rm
from unless.read.table import read_table

__all__ = ["from_csv"]

LIMIT = 2.5


def from_csv(datasets: Sequence[Dataset], rows: int, seconds: float = 1.0) -> Section:
    """Read, encode and fit, as a multiple of what polars takes to read."""
    found = {}
    for data in datasets:
        found[f"{data.name}, declared"] = _race(data.path, partial(_declared, data), seconds)
        found[f"{data.name}, undeclared"] = _race(data.path, partial(_plain, data.path, data.target), seconds)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "generated.csv")
        generate.write_csv(generate.draw(rows), path)
        found[f"generated {rows:,} × {generate.COLUMNS}"] = _race(path, partial(_plain, path, "label"), seconds)
    text = """
`fold_rm(read_table(path, target))` against `polars.read_csv(path)`, both with default arguments; the file is in the
cache of the system. *Declared* names the numeric and the categorical columns and says `missing=()`, as for the
programs of the paper; *undeclared* leaves everything to `read_table`.
"""
    header = ["file", "unless: read, encode, fit", "polars: read", "multiple"]
    lines = [[name, *map(duration, pair), times(pair[0] / pair[1])] for name, pair in found.items()]
    targets = [
        Target(
            f"from a CSV file, our time over polars.read_csv's: {name}",
            f"≤ ×{LIMIT}",
            times(ours / theirs),
            ours <= LIMIT * theirs,
        )
        for name, (ours, theirs) in found.items()
    ]
    spent = {name: {OURS: ours, "polars": theirs} for name, (ours, theirs) in found.items()}
    return Section("From a CSV file", text, header, lines, targets, spent)


def _declared(data: Dataset) -> object:
    return fold_rm(data.table())


def _plain(path: Path, target: str) -> object:
    return fold_rm(read_table(path, target))


def _race(path: Path, ours: Callable[[], object], seconds: float) -> tuple[float, float]:
    import polars as pl

    result = race({"unless": ours, "polars": lambda: pl.read_csv(path)}, seconds)
    return result["unless"], result["polars"]
