"""Timing: contestants in turn, medians, and a process of one's own where a measurement needs it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

__all__ = ["alone", "geometric_mean", "median", "race", "spent"]

ROOT = Path(__file__).parents[1]

_PAUSE = 0.01
"""Seconds between contestants: OpenMP's idle threads spin for some milliseconds, on cores that the next one needs."""

_LONG = 10.0
"""Seconds from which one run is enough."""


def spent(run: Callable[[], object]) -> float:
    """The seconds that one call takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def race(contestants: Mapping[str, Callable[[], object]], seconds: float = 1.0, rounds: int = 5) -> dict[str, float]:
    """The median time of each contestant, run in turn so that a slow moment of the machine strikes all of them.

    Each gets ``seconds`` in equal rounds, in which fast ones run many times. The first run does not count: it also
    loads and allocates what comes lazily. Only a very long one counts, and is then the only one.
    """
    first = {name: spent(run) for name, run in contestants.items()}
    times = {name: [long] for name, long in first.items() if long > _LONG}
    entered = {name: run for name, run in contestants.items() if name not in times}
    times |= {name: [] for name in entered}
    for number in range(1, rounds + 1):
        for name, run in entered.items():
            times[name] += _runs(run, seconds * number / rounds - sum(times[name]))
    return {name: median(times[name]) for name in contestants}


def _runs(run: Callable[[], object], seconds: float) -> list[float]:
    """The times of runs that together take that long; none if nothing is left."""
    found: list[float] = []
    used = 0.0
    while used < seconds:
        if not found:
            time.sleep(_PAUSE)
        found.append(spent(run))
        used += found[-1]
    return found


def alone(module: str, *arguments: object) -> Any:
    """What a module of this package prints, as JSON, when it runs in a fresh process."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *map(str, arguments)]
    return json.loads(_output(command))


def alone_code(code: str) -> float:
    """The number that a snippet of Python prints in a fresh process."""
    return float(_output([sys.executable, "-c", code]))


def _output(command: Iterable[str]) -> str:
    done = subprocess.run(list(command), cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise RuntimeError(f"{list(command)} failed:\n{done.stderr}")
    return done.stdout
