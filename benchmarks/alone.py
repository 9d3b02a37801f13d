"""Measurements that need a process of their own: ``python -m benchmarks.alone fit|memory|threads|shared ...``.

It prints JSON.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time, thread_time
from typing import Any

from benchmarks import generate
from benchmarks.timing import race
from unless import UnlessClassifier, fold_rm
from unless.kernels import binning
from unless.learn import fold_unless, memory_engine

__all__ = ["fit_seconds", "memory_of_fit", "shared_seconds", "threads_seconds"]

_STATUS = Path("/proc/self/status")


def fit_seconds(rows: int, seconds: float) -> float:
    """The median CPU time of a fit by one thread on that many generated rows: others may work at the same time."""
    table = generate.table(generate.draw(rows))
    return race({"fit": lambda: fold_rm(table)}, seconds, clock=process_time)["fit"]


def threads_seconds(rows: int, seconds: float) -> dict[str, tuple[float, float]]:
    """The best time of each fit on that many generated rows, by one thread and by two.

    One thread has one core only, and so have those of polars: reading a frame takes all cores that there are.
    """
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
    found = race({"one": lambda: _on_one_core(fit), "two": lambda: fit(2)}, seconds, figure=min)
    return found["one"], found["two"]


def _on_one_core(fit: Callable[[int], object]) -> None:
    if not hasattr(os, "sched_setaffinity"):
        fit(1)
        return
    cores = os.sched_getaffinity(0)
    _keep_to({min(cores)})
    try:
        fit(1)
    finally:
        _keep_to(cores)


def _keep_to(cores: set[int]) -> None:
    """Let all threads of this process use only these cores."""
    for task in Path("/proc/self/task").iterdir():
        os.sched_setaffinity(int(task.name), cores)


def shared_seconds(rows: int, runs: int, learn: Callable[..., object] = fold_rm) -> dict[str, float]:
    """What two threads can gain on that many generated rows, where others use the cores: CPU seconds of a fit.

    ``one`` is one thread's time. Of the time with two threads, ``single`` is what only one can do, and ``shared`` what
    any of them does; ``gain`` is how much faster two free cores would be.
    """
    table = generate.table(generate.draw(rows))
    inside, share = [0.0, 0.0], binning.run_in_threads

    def noted(function: Callable[..., object], items: list[Any], threads: int) -> None:
        start, inside[1] = thread_time(), inside[1] + 1
        try:
            share(function, items, threads)
        finally:
            inside[1] -= 1
            if not inside[1]:  # what is shared may share, too
                inside[0] += thread_time() - start

    def run(jobs: int) -> tuple[float, float]:
        inside[0] = 0.0
        start, own = process_time(), thread_time()
        learn(table, n_jobs=jobs)
        return process_time() - start, thread_time() - own - inside[0]

    binning.run_in_threads = memory_engine.run_in_threads = noted
    try:
        one = min(run(1)[0] for _ in range(runs))
        both, single = min(run(2) for _ in range(runs))
    finally:
        binning.run_in_threads = memory_engine.run_in_threads = share
    shared = both - single
    return {"one": one, "single": single, "shared": shared, "gain": one / (single + shared / 2)}


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
        case ["shared", rows, runs]:
            learners = {"fold_rm": fold_rm, "fold_unless": fold_unless}
            print(json.dumps({k: shared_seconds(int(float(rows)), int(runs), each) for k, each in learners.items()}))
        case ["threads", rows, seconds]:
            print(json.dumps(threads_seconds(int(rows), float(seconds))))
        case ["memory", path]:
            print(json.dumps(memory_of_fit(Path(path))))
