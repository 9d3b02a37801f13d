"""Measurements that need a process of their own: ``python -m benchmarks.alone fit|memory ...`` prints one number."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path

from benchmarks import generate
from benchmarks.timing import race
from unless import fold_rm

__all__ = ["fit_seconds", "memory_of_fit"]

_STATUS = Path("/proc/self/status")


def fit_seconds(rows: int, seconds: float) -> float:
    """The median time of a fit on that many generated rows."""
    table = generate.table(generate.draw(rows))
    return race({"fit": lambda: fold_rm(table)}, seconds)["fit"]


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
        case ["memory", path]:
            print(json.dumps(memory_of_fit(Path(path))))
