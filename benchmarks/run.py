"""Runs of many folds: a process for each dataset, a limit of CPU time for each fold, and how far it is.

What measures a fold is a function of a module, `Measure`: other processes must find it.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing as mp
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from benchmarks.results import Line, Results

__all__ = ["ONE_THREAD", "Measure", "Task", "complete", "names_of", "run"]

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""For the environment of those processes: on a shared machine two threads wait for each other."""

Task = tuple[str, int]
"""A method and a fold."""

Measure = Callable[[str, str, int], Line]
"""Gives the figures of a dataset, a method and a fold, or why there are none."""


def _work(measure: Measure, data: str, tasks: Sequence[Task], limit: float, out: Connection) -> None:
    """In a process of its own: send a line for each task, in order; after a failure leave the method."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    broken = set()
    for method, fold in tasks:
        if method in broken:
            continue
        _allow(limit)
        try:
            line = measure(data, method, fold)
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is its result
            line = {"failed": f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"[:160]}
        if "failed" in line:
            broken.add(method)
        out.send(line)


def _allow(seconds: float) -> None:
    """Let the system end this process when it has used that much more CPU time, whatever it is doing then."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds), most))


class _Job:
    """A dataset, what is still to do on it, and the process that does it."""

    def __init__(self, measure: Measure, data: str, tasks: Sequence[Task], limit: float) -> None:
        self.measure, self.data, self.tasks, self.limit = measure, data, list(tasks), limit
        self._start()

    def _start(self) -> None:
        fresh = mp.get_context("spawn")  # a forked process would wait for threads that it does not have
        self.inbox, out = fresh.Pipe(duplex=False)
        work = (self.measure, self.data, self.tasks, self.limit, out)
        self.process = fresh.Process(target=_work, args=work, daemon=True)
        self.process.start()
        out.close()

    def next(self) -> Line:
        """The line of the next task; after a failure the method has no more tasks."""
        method, fold = self.tasks.pop(0)
        try:
            found, ended = self.inbox.recv(), False
        except EOFError:
            found, ended = {"failed": self._why()}, True
        if "failed" in found:
            self.tasks = [task for task in self.tasks if task[0] != method]
        if ended and self.tasks:
            self._start()
        return {"data": self.data, "method": method, "fold": fold} | found

    def _why(self) -> str:
        self.process.join()
        late = self.process.exitcode == -signal.SIGXCPU
        return f"not done in {self.limit:g} s" if late else "its process ended"


def run(todo: dict[str, list[Task]], measure: Measure, limit: float, jobs: int) -> Iterator[tuple[Line, int]]:
    """Every line as it comes, with the number of tasks that are left."""
    waiting = [(data, tasks) for data, tasks in todo.items() if tasks]
    running: dict[Any, _Job] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            started = _Job(measure, *waiting.pop(0), limit)
            running[started.inbox] = started
        for ready in wait(list(running)):
            job = running.pop(ready)
            line = job.next()
            if job.tasks:
                running[job.inbox] = job
            left = [job.tasks for job in running.values()] + [tasks for _, tasks in waiting]
            yield line, sum(map(len, left))


class _Bar:
    """How far the run is, on standard error: a bar in a terminal, a line now and then elsewhere."""

    def __init__(self, total: int) -> None:
        self.total, self.started, self.next = total, time.monotonic(), 0.0

    def show(self, line: Line, left: int) -> None:
        now, terminal = time.monotonic(), sys.stderr.isatty()
        if left and now < self.next:
            return
        self.next = now + (0.1 if terminal else 10)
        done = self.total - left
        rest = (now - self.started) / max(done, 1) * left / 60
        what = f"{line['data']}, {line['method']}"
        text = f"{done:,} of {self.total:,} folds, about {rest:.0f} minutes left: {what}"
        bar = "█" * (24 * done // self.total) + "░" * (24 - 24 * done // self.total)
        sys.stderr.write(f"\r\033[K{bar} {text}" if terminal else text + "\n")
        sys.stderr.flush()


def complete(results: Results, todo: dict[str, list[Task]], measure: Measure, limit: float, jobs: int) -> None:
    """Keep every line as it comes; Ctrl-C ends the run, and the next one goes on from there."""
    if not (total := sum(map(len, todo.values()))):
        return
    bar = _Bar(total)
    try:
        for line, left in run(todo, measure, limit, jobs):
            results.add(line)
            bar.show(line, left)
    except KeyboardInterrupt:
        raise SystemExit(f"\nstopped; {results.path} keeps what is done, and the same command goes on") from None
    sys.stderr.write("\n")


def names_of(known: Iterable[str], groups: dict[str, Any]) -> Any:
    """For an option: reads names with commas between them, and the names of groups."""

    def read(text: str) -> tuple[str, ...]:
        found = [one for name in text.split(",") for one in groups.get(name.strip(), [name.strip()])]
        if unknown := [name for name in found if name not in known]:
            raise argparse.ArgumentTypeError(f"no {unknown[0]!r} among {', '.join((*groups, *known))}")
        return tuple(found)

    return read
