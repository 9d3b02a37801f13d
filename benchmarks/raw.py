"""The raw results of the paper's tables: one JSON file, a line for each row and method, with a figure for each fold."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.contests import CONTESTS, FOLDS, REPEATS, absent, entered
from benchmarks.figures import Figures, over_folds
from benchmarks.report import version_of
from benchmarks.results import Line, Results
from unless import __version__

__all__ = ["Raw", "conditions"]

_DIGITS = 5
_PACKAGES = ("numpy", "scikit-learn", "xgboost", "wittgenstein")

Cell = dict[str, Any]
"""``fold``, and the list of each figure in the same order; or ``failed`` and why, and the ``fold`` where."""


@dataclass(frozen=True, slots=True)
class Raw:
    """Results by row and method, and under which conditions they came."""

    conditions: Mapping[str, Any]
    results: Mapping[str, Mapping[str, Cell]]

    @classmethod
    def read(cls, path: Path) -> Raw:
        """What a file has; nothing if there is no file."""
        known = json.loads(path.read_text("utf-8")) if path.exists() else {"conditions": {}, "results": {}}
        return cls(known["conditions"], known["results"])

    @classmethod
    def of(cls, results: Results, conditions: Mapping[str, Any]) -> Raw:
        """The lines of results, row by row."""
        found: dict[str, dict[str, Cell]] = {}
        for (row, method, fold), line in sorted(results.lines.items()):
            cell = found.setdefault(row, {}).setdefault(method, {})
            if why := results.failed(row, method):
                cell.update(failed=why, fold=[fold])
                continue
            for name in line.keys() - {"data", "method"}:
                cell.setdefault(name, []).append(_short(line[name]))
        ordered = {
            row: {method: dict(sorted(found[row][method].items())) for method in CONTESTS if method in found[row]}
            for row in sorted(found)
        }
        return cls(conditions, ordered)

    def lines(self) -> Iterator[Line]:
        """Every fold, as `Results` keeps it."""
        for row, methods in self.results.items():
            for method, cell in methods.items():
                for place in range(len(cell["fold"])):
                    figures = {name: each[place] if isinstance(each, list) else each for name, each in cell.items()}
                    yield {"data": row, "method": method} | figures

    def figures(self) -> Figures:
        """The means over the folds that every method has, where they are all done, and why others failed."""
        cells = {(row, method): cell for row, methods in self.results.items() for method, cell in methods.items()}
        failures = {key: cell["failed"] for key, cell in cells.items() if "failed" in cell}
        found = {key: over_folds(_first(cell, key[0])) for key, cell in cells.items() if _whole(key[0], cell)}
        busy = [load for cell in cells.values() for load in cell.get("others", []) if load is not None]
        return Figures(found, failures, fmean(busy) if busy else None)

    def shuffles(self, row: str, method: str, figure: str = "accuracy") -> list[float]:
        """The mean of each shuffle that is whole."""
        cell = self.results.get(row, {}).get(method, {})
        values = dict(zip(cell.get("fold", []), cell.get(figure, []), strict=False))
        seeds = range(0, REPEATS, FOLDS)
        folds = [[values[fold] for fold in range(seed, seed + FOLDS) if fold in values] for seed in seeds]
        return [fmean(each) for each in folds if len(each) == FOLDS]

    def part(self, row: str, method: str) -> list[Line]:
        """The folds that a method has done, of those that every method has."""
        cell = self.results.get(row, {}).get(method, {})
        return [] if "failed" in cell or not cell else _first(cell, row)

    def left(self, row: str, method: str) -> float | None:
        """About how many seconds of CPU the fits of the other folds would take; None if no fold tells."""
        done = [line["cpu"] for line in self.part(row, method) if "cpu" in line]
        return (_needed(row) - len(done)) * fmean(done) if done else None

    def text(self) -> str:
        """The file: a row and method on each line."""
        rows = [
            f"  {json.dumps(row)}: {{\n"
            + ",\n".join(f"   {json.dumps(method)}: {json.dumps(cell)}" for method, cell in methods.items())
            + "\n  }"
            for row, methods in self.results.items()
        ]
        head = '{\n "conditions": ' + json.dumps(self.conditions) + ',\n "results": {\n'
        return head + ",\n".join(rows) + "\n }\n}\n"


def _needed(row: str) -> int:
    """The folds that every method has: more shuffles only show how much it depends on them."""
    return min(len(CONTESTS["Unless"].folds(row)), REPEATS)


def _whole(row: str, cell: Cell) -> bool:
    return "failed" not in cell and set(range(_needed(row))) <= set(cell["fold"])


def _first(cell: Cell, row: str) -> list[Line]:
    needed = range(_needed(row))
    places = [place for place, fold in enumerate(cell["fold"]) if fold in needed]
    return [{name: values[place] for name, values in cell.items()} for place in places]


def _short(value: Any) -> Any:
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def conditions(limit: float) -> dict[str, Any]:
    """What a run depends on: versions, the limit of a fit, and which rows have no data, and why."""
    versions = {"unless": __version__, "python": platform.python_version()}
    versions |= {name: version_of(name) for name in _PACKAGES}
    lacking = {row: why for row in entered() if (why := absent(row))}
    return {"versions": versions, "cores": os.cpu_count(), "limit": limit, "absent": lacking}
