"""Figures of every method on every dataset, from the results of its folds, and comparisons of methods."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median
from typing import Any

from benchmarks.accuracy_datasets import NOISE, folds_of
from benchmarks.results import Line, Results
from benchmarks.timing import geometric_mean

__all__ = ["Figures", "over_folds"]

_DIGITS = 7


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures by dataset and method, where a method did all folds; and why methods failed where they did."""

    found: Mapping[tuple[str, str], Mapping[str, float]]
    failures: Mapping[tuple[str, str], str]
    others: float | None = None
    before: frozenset[tuple[str, str]] = frozenset()
    """The datasets and methods whose figures are of an earlier run."""

    @classmethod
    def read(cls, path: Path) -> Figures:
        """What a file has of earlier runs; nothing if there is no file."""
        known = json.loads(path.read_text("utf-8")) if path.exists() else {}
        found = {(data, method): each for data, methods in known.items() for method, each in methods.items()}
        failures = {key: each["failed"] for key, each in found.items() if "failed" in each}
        return cls({key: each for key, each in found.items() if key not in failures}, failures, before=frozenset(found))

    def over(self, earlier: Figures) -> Figures:
        """These figures, and those of an earlier run where there are none."""
        known = self.found.keys() | self.failures.keys()
        found = {key: each for key, each in earlier.found.items() if key not in known}
        failures = {key: why for key, why in earlier.failures.items() if key not in known}
        before = frozenset(found.keys() | failures.keys())
        return replace(self, found={**found, **self.found}, failures={**failures, **self.failures}, before=before)

    def as_written(self) -> Figures:
        """The same with as many digits as in `text`, so that whoever reads that finds the same."""
        found = {key: {name: _short(value) for name, value in each.items()} for key, each in self.found.items()}
        return replace(self, found=found)

    def text(self) -> str:
        """What `read` reads: a dataset and method on each line."""
        every = {**self.found, **{key: {"failed": why} for key, why in self.failures.items()}}
        blocks = []
        for data in sorted({data for data, _ in every}):
            lines = [
                f"  {json.dumps(method)}: {json.dumps({name: _short(value) for name, value in sorted(each.items())})}"
                for (name, method), each in sorted(every.items())
                if name == data
            ]
            blocks.append(f" {json.dumps(data)}: {{\n" + ",\n".join(lines) + "\n }")
        return "{\n" + ",\n".join(blocks) + "\n}\n"

    @classmethod
    def of(cls, results: Results) -> Figures:
        """The mean over the folds of everything but times, whose median counts."""
        folds: dict[tuple[str, str], list[Line]] = {}
        for (data, method, _), line in sorted(results.lines.items()):
            folds.setdefault((data, method), []).append(line)
        failures = {key: line["failed"] for key, lines in folds.items() for line in lines if "failed" in line}
        found = {
            key: _silent(lines) if key[0] in NOISE else over_folds(lines)
            for key, lines in folds.items()
            if key not in failures and len(lines) == len(folds_of(key[0]))
        }
        busy = [line.get("others") for line in results.lines.values() if "failed" not in line]
        known = [others for others in busy if others is not None]
        return cls(found, failures, fmean(known) if known else None)

    def get(self, data: str, method: str, figure: str = "accuracy") -> float | None:
        """A figure, if it is there."""
        return self.found.get((data, method), {}).get(figure)

    def tried(self, data: str, method: str) -> bool:
        """Whether a method has figures for a dataset, or failed there."""
        return (data, method) in self.found or (data, method) in self.failures

    def values(self, names: Iterable[str], method: str, figure: str = "accuracy") -> dict[str, float]:
        """A figure of a method by dataset, where it is there."""
        every = ((name, self.get(name, method, figure)) for name in names)
        return {name: value for name, value in every if value is not None}

    def pairs(self, names: Iterable[str], one: str, other: str, figure: str = "accuracy") -> dict[str, Sequence[float]]:
        """A figure of two methods by dataset, where both are there."""
        first, second = self.values(names, one, figure), self.values(names, other, figure)
        return {name: (first[name], second[name]) for name in first if name in second}

    def ratios(self, names: Iterable[str], one: str, other: str, figure: str = "cpu") -> dict[str, float]:
        """What a method takes by what another takes, by dataset."""
        return {name: a / b for name, (a, b) in self.pairs(names, one, other, figure).items() if a > 0 and b > 0}

    def won(self, names: Iterable[str], one: str, other: str) -> tuple[int, int, int]:
        """On how many datasets a method is more accurate than another, as accurate, and less."""
        gaps = [round(a - b, 9) for a, b in self.pairs(names, one, other).values()]
        return sum(gap > 0 for gap in gaps), gaps.count(0), sum(gap < 0 for gap in gaps)

    def mean(self, names: Iterable[str], method: str, figure: str = "accuracy") -> float | None:
        """The mean over the datasets where it is there."""
        return _of(fmean, self.values(names, method, figure).values())

    def middle(self, names: Iterable[str], method: str, figure: str = "rules") -> float | None:
        """The geometric mean over the datasets where it is there; no rule at all counts as one."""
        return _of(geometric_mean, [value or 1 for value in self.values(names, method, figure).values()])


def _short(value: float | str) -> float | str:
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def _of(mean: Callable[[Iterable[float]], float], values: Iterable[float]) -> float | None:
    there = list(values)
    return mean(there) if there else None


def _silent(lines: Sequence[Line]) -> dict[str, float]:
    """Of noise, the share of seeds for which there is no rule but the last."""
    return {"silent": fmean(line["rules"] <= 1 for line in lines)}


def over_folds(lines: Sequence[Line]) -> dict[str, float]:
    """The figures of all folds together."""
    figures = {}
    for name, together in (*((name, fmean) for name in _MEANS), ("cpu", median), ("wall", median)):
        there = [line[name] for line in lines if line.get(name) is not None]
        if there:
            figures[name] = float(together(there))
    if "gaps" in lines[0]:
        figures["ece"] = _calibration(lines)
    return figures


_MEANS = ("accuracy", "precision", "recall", "f1", "loss", "auc", "rules", "literals")


def _calibration(lines: Sequence[Mapping[str, Any]]) -> float:
    """The expected error of calibration: confidence against accuracy, in ten bins of confidence, over all folds."""
    bins = zip(*(line["gaps"] for line in lines), strict=True)
    return sum(abs(sum(gaps)) for gaps in bins) / sum(line["records"] for line in lines)
