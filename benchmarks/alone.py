"""Measurements that need a process of their own: ``python -m benchmarks.alone fit|memory|threads ...`` prints JSON."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import generate
from benchmarks.timing import race
from unless import UnlessClassifier, fold_rm
from unless.learn import fold_unless

__all__ = ["fit_seconds", "memory_of_fit", "threads_seconds"]

_STATUS = Path("/proc/self/status")


def fit_seconds(rows: int, seconds: float) -> float:
    """The median time of a fit on that many generated rows."""
    table = generate.table(generate.draw(rows))
    return race({"fit": lambda: fold_rm(table)}, seconds)["fit"]


def threads_seconds(rows: int, seconds: float) -> dict[str, tuple[float, float]]:
    """The best time of each fit on that many generated rows, by one thread and by two."""
    drawn = generate.draw(rows)
    table, frame = generate.table(drawn), generate.frame(drawn)
    cells, labels = frame.drop("label"), frame["label"]
    fits: dict[str, Callable[[int], object]] = {
        "fold_rm(table)": lambda jobs: fold_rm(table, n_jobs=jobs),
        "fold_unless(table)": lambda jobs: fold_unless(table, n_jobs=jobs),
        "UnlessClassifier().fit(frame, y)": lambda jobs: UnlessClassifier(n_jobs=jobs, warn=False).fit(cells, labels),
    }
    return {what: _one_and_two(fit, seconds) for what, fit in fits.items()}


def _one_and_two(fit: Callable[[int], object], seconds: float) -> tuple[float, float]:
    found = race({"one": lambda: fit(1), "two": lambda: fit(2)}, seconds, figure=min)
    return found["one"], found["two"]


def memory_of_fit(path: Path) -> int | None:
    """The bytes that one fit needs beyond a ready table; None where the system does not count them.

    Not getrusage: its peak is inherited from the process that started this one.
    """
    if not _STATUS.exists():
        return None
    fold_rm(generate.table(generate.draw(1000)))  # what is loaded or allocated once does not count
    with path.open("rb") as file:
        table = pickle.load(file)
    before = _resident("VmRSS")
    fold_rm(table)
    return _resident("VmHWM") - before


def _resident(key: str) -> int:
    """Resident memory in bytes, now (VmRSS) or at its peak (VmHWM)."""
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(key))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["fit", rows, seconds]:
            print(json.dumps(fit_seconds(int(rows), float(seconds))))
        case ["threads", rows, seconds]:
            print(json.dumps(threads_seconds(int(rows), float(seconds))))
        case ["memory", path]:
            print(json.dumps(memory_of_fit(Path(path))))
