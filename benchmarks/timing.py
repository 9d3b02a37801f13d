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


def spent(run: Callable[[], object]) -> float:
    """The seconds that one call takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def race(contestants: Mapping[str, Callable[[], object]], seconds: float = 1.0, rounds: int = 5) -> dict[str, float]:
    """The median time of each contestant, run in turn so that a slow moment of the machine strikes all of them.

    Each gets ``seconds`` in equal rounds, in which fast ones run many times, and runs once however long it takes.
    """
    times: dict[str, list[float]] = {name: [] for name in contestants}
    used = dict.fromkeys(contestants, 0.0)
    for number in range(1, rounds + 1):
        for name, run in contestants.items():
            if used[name] < seconds * number / rounds:
                time.sleep(_PAUSE)
            while used[name] < seconds * number / rounds:
                times[name].append(spent(run))
                used[name] += times[name][-1]
    return {name: median(found) for name, found in times.items()}


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
