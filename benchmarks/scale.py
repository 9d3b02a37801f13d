"""Generated rows in growing numbers: time against a decision tree, memory, growth."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from benchmarks import generate
from benchmarks.peers import decision_tree, matrix
from benchmarks.report import OURS, Section, Target, duration, times
from benchmarks.timing import alone, race
from unless import Table, fold_rm

__all__ = ["against_tree", "growth"]


def against_tree(rows: int, seconds: float = 1.0) -> Section:
    """Time against a decision tree on the same codes, and the memory that the fit needs beside the table."""
    table = generate.table(generate.draw(rows))
    result = _race(table, seconds)
    ratio = result["DecisionTree"] / result["unless"]
    extra = _memory(table)
    size = f"{rows:,} × {generate.COLUMNS}"
    text = f"""
Generated rows ({size}; 10 continuous columns, 5 of integers, 8 of categories, three labels by a few rules with
exceptions, 10 % noise; `benchmarks/generate.py`). The tree is fitted on the codes as float32, prepared before the
clock starts. Memory is measured in a fresh process that loads the ready table: the peak of its resident memory after
one fit less its resident memory before (VmHWM, VmRSS of Linux), divided by the number of cells.
"""
    memory = "–" if extra is None else f"{extra:.2f} bytes per cell"
    header = ["data", "unless", "DecisionTree", "ratio", "memory beyond the table"]
    line = [size, duration(result["unless"]), duration(result["DecisionTree"]), times(ratio), memory]
    what = f"fit of {size} generated rows, DecisionTree's time over ours"
    targets = [
        Target(what, "≥ ×40", times(ratio), ratio >= 40),
        Target(
            "peak memory of that fit beyond the table",
            "≤ 8 bytes per cell",
            memory,
            None if extra is None else extra <= 8,
        ),
    ]
    return Section("Many rows", text, header, [line], targets, {size: result})


def _race(table: Table, seconds: float) -> dict[str, float]:
    assert table.target is not None
    cells, label = matrix(table), table.target.codes
    return race({"unless": lambda: fold_rm(table), "DecisionTree": lambda: decision_tree(cells, label)}, seconds)


def _memory(table: Table) -> float | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.pickle")
        path.write_bytes(pickle.dumps(table, protocol=5))
        found = alone("alone", "memory", path)
    return None if found is None else float(found) / (len(table) * len(table.columns))


def growth(sizes: Sequence[int], seconds: float = 1.0) -> Section:
    """How the time of a fit grows with the rows, each size in a fresh process."""
    found = {rows: float(alone("alone", "fit", rows, seconds)) for rows in sizes}
    steps = [(rows, found[rows] / found[fewer], rows / fewer) for fewer, rows in pairwise(sizes)]
    factors = {rows: times(factor) for rows, factor, _ in steps}
    lines = [
        [f"{rows:,}", duration(spent), factors.get(rows, "–"), f"{spent / rows * 1e9:.0f} ns"]
        for rows, spent in found.items()
    ]
    targets = [
        Target(f"{more:g} times the rows, {rows:,}", f"≤ ×{1.2 * more:g} the time", times(factor), factor <= 1.2 * more)
        for rows, factor, more in steps
    ]
    text = (
        f"`fold_rm` on ready tables of the same generator, {generate.COLUMNS} columns. Each size has a process of its "
        "own, which builds the table and fits it repeatedly by one thread; CPU time, which other work hardly changes."
    )
    spent = {f"{rows:,} rows": {OURS: one} for rows, one in found.items()}
    return Section("Growth", text, ["rows", "fit", "factor", "per row"], lines, targets, spent)
