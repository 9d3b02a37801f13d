"""Timing: contestants in turn, medians, and a process of one's own where a measurement needs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

__all__ = ["CLOCK", "ROOT", "Watch", "alone", "alone_code", "geometric_mean", "median", "race", "spent"]

ROOT = Path(__file__).parents[1]
_STAT = Path("/proc/stat")

CLOCK = time.process_time if os.environ.get("UNLESS_CLOCK") == "cpu" else time.perf_counter
"""Races are timed on the wall; with UNLESS_CLOCK=cpu by the processor, for a machine that is busy with other things."""

_PAUSE = 0.01
"""Seconds between contestants: OpenMP's idle threads spin for some milliseconds, on cores that the next one needs."""

_LONG = 5.0
"""Seconds from which one run is enough."""


def spent(run: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """The seconds that one call takes."""
    start = clock()
    run()
    return clock() - start


def race(
    contestants: Mapping[str, Callable[[], object]],
    seconds: float = 1.0,
    rounds: int = 5,
    clock: Callable[[], float] = CLOCK,
    figure: Callable[[list[float]], float] = median,
    least: int = 3,
) -> dict[str, float]:
    """The median time of each contestant, run in turn so that a slow moment of the machine strikes all of them.

    Each gets ``seconds``, or what ``least`` runs take, in equal rounds; fast ones run many times in a round. The
    first run does not count: it also loads and allocates what comes lazily. Only a very long one counts, and is the
    only one.
    """
    first = {name: spent(run, clock) for name, run in contestants.items()}
    times = {name: [long] if long > _LONG else [] for name, long in first.items()}
    entered = {name: max(seconds, least * short) for name, short in first.items() if short <= _LONG}
    for number in range(1, rounds + 1):
        for name, budget in entered.items():
            times[name] += _runs(contestants[name], budget * number / rounds - sum(times[name]), clock)
    return {name: figure(found) for name, found in times.items()}


def _runs(run: Callable[[], object], seconds: float, clock: Callable[[], float]) -> list[float]:
    """The times of runs that together take that long; none if nothing is left."""
    found: list[float] = []
    used = 0.0
    while used < seconds:
        if not found:
            time.sleep(_PAUSE)
        found.append(spent(run, clock))
        used += found[-1]
    return found


def alone(module: str, *arguments: object) -> Any:
    """What a module of this package prints, as JSON, when it runs in a fresh process."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *map(str, arguments)]
    return json.loads(_output(command))


def alone_code(code: str) -> float:
    """The number that a snippet of Python prints in a fresh process."""
    return float(_output([sys.executable, "-c", code]))


class Watch:
    """How many cores other processes took since the watch was started, on average; None where the system hides it.

    It matters: with one more process on two cores, XGBoost took 43 s for what takes it one, as its threads wait for
    each other in loops.
    """

    def __init__(self) -> None:
        self._wall, self._busy, self._own = time.perf_counter(), _busy(), _own()

    def others(self) -> float | None:
        """The cores that others took so far."""
        if self._busy is None or (busy := _busy()) is None:
            return None
        return max(0.0, busy - self._busy - (_own() - self._own)) / (time.perf_counter() - self._wall)


def _busy() -> float | None:
    """The seconds that all cores together have worked, or were denied by a host that runs other machines too."""
    if not _STAT.exists():
        return None
    line = _STAT.read_text("ascii").partition("\n")[0]
    user, nice, system, _idle, _waiting, *interrupts_and_stolen = map(int, line.split()[1:9])
    return sum((user, nice, system, *interrupts_and_stolen)) / os.sysconf("SC_CLK_TCK")


def _own() -> float:
    """The seconds that this process and its finished children have worked."""
    return sum(os.times()[:4])


def _output(command: Iterable[str]) -> str:
    done = subprocess.run(list(command), cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{list(command)} failed:\n{done.stderr}")
    return done.stdout
