"""Accuracy against peers on the same folds: ``python -m benchmarks.accuracy`` writes docs/accuracy.md.

What is done is kept in a file of JSON lines (`results`), so that a run that was stopped goes on where it was, and
``--only`` and ``--again`` refresh single methods. Every dataset has a process of its own, which ends when a fit takes
more than a limit of CPU time; the page says so.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing as mp
import os
import resource
import signal
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy_page import LEAST, page
from benchmarks.figures import Figures
from benchmarks.halves import CONFIRMATION, FRESH, NOISE, SELECTION, folds_of, present, split
from benchmarks.methods import METHODS, OURS
from benchmarks.plot import plot
from benchmarks.results import Line, Results
from benchmarks.rivals import Outcome, codes_of, labels_of
from benchmarks.timing import ROOT, Watch

__all__ = ["main", "measure"]

_PAGE, _PLOT = ROOT / "docs" / "accuracy.md", ROOT / "docs" / "images" / "accuracy.svg"
_CACHE = ROOT / "build" / "accuracy.jsonl"
_GROUPS = {"selection": SELECTION, "confirmation": CONFIRMATION, "fresh": FRESH, "noise": NOISE}
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Task = tuple[str, int]
"""A method and a fold."""


# One fold.


def measure(data: str, method: str, fold: int) -> Line:
    """The figures of a method on a fold, or why it cannot run there."""
    train, test = split(data, fold)
    if METHODS[method].binary and len(labels_of(train)) != 2:
        return {"failed": "not for more than two classes"}
    watch = Watch()
    outcome = METHODS[method].run(train, test)
    sizes = {"rules": outcome.rules, "literals": outcome.literals, "cpu": outcome.cpu, "wall": outcome.wall}
    return _quality(codes_of(test), outcome) | sizes | {"others": watch.others()}


def _quality(truth: NDArray[np.int64], found: Outcome) -> Line:
    """Accuracy, log-loss and AUC; and, in ten bins of confidence, how much more was claimed than was right."""
    line: Line = {"records": len(truth), "accuracy": float(np.mean(found.classes == truth))}
    shares = found.probabilities
    if shares is None:
        return line
    loss = -np.log(np.clip(shares[np.arange(len(truth)), truth], LEAST, 1))
    confidence, right = shares.max(axis=1), shares.argmax(axis=1) == truth
    bins = np.minimum((confidence * 10).astype(int), 9)
    gaps = np.bincount(bins, confidence - right, minlength=10)
    return line | {"loss": float(loss.mean()), "auc": _auc(truth, shares), "gaps": gaps.round(6).tolist()}


def _auc(truth: NDArray[np.int64], shares: NDArray[np.float64]) -> float | None:
    """The mean over the classes that some of the records have, but not all; None if there is no such class."""
    from sklearn.metrics import roc_auc_score

    classes = [k for k in np.unique(truth) if not np.all(truth == k)]
    found = [roc_auc_score(truth == k, shares[:, k]) for k in classes]
    return float(np.mean(found)) if found else None


# All folds: a process for each dataset.


def _work(data: str, tasks: Sequence[Task], limit: float, out: Connection) -> None:
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

    def __init__(self, data: str, tasks: Sequence[Task], limit: float) -> None:
        self.data, self.tasks, self.limit = data, list(tasks), limit
        self._start()

    def _start(self) -> None:
        fresh = mp.get_context("spawn")  # a forked process would wait for threads that it does not have
        self.inbox, out = fresh.Pipe(duplex=False)
        self.process = fresh.Process(target=_work, args=(self.data, self.tasks, self.limit, out), daemon=True)
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


def _run(todo: dict[str, list[Task]], limit: float, jobs: int) -> Iterator[tuple[Line, int]]:
    """Every line as it comes, with the number of tasks that are left."""
    waiting = [(data, tasks) for data, tasks in todo.items() if tasks]
    running: dict[Any, _Job] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            started = _Job(*waiting.pop(0), limit)
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


def _todo(results: Results, data: Iterable[str], methods: Sequence[str]) -> dict[str, list[Task]]:
    return {
        name: [
            (method, fold)
            for method in methods
            if name in METHODS[method].data and METHODS[method].needs()
            for fold in results.missing(name, method, folds_of(name))
        ]
        for name in data
    }


def main(arguments: Sequence[str] | None = None) -> str:
    """Measure what the results lack, and write the page and its plot."""
    options = _options(arguments)
    results = Results(options.cache)
    if options.again:
        results.forget(options.again, options.data)
    os.environ |= dict.fromkeys(_THREADS, "1")
    todo = {} if options.page else _todo(results, present(options.data), options.only or list(METHODS))
    if total := sum(map(len, todo.values())):
        _measure_all(results, todo, options, _Bar(total))
    figures = Figures.of(results)
    text = page(figures)
    options.output.write_text(text, "utf-8")
    options.plot.write_text(plot(figures), "utf-8")
    return text


def _measure_all(results: Results, todo: dict[str, list[Task]], options: argparse.Namespace, bar: _Bar) -> None:
    """Keep every line as it comes; Ctrl-C ends the run, and the next one goes on from there."""
    try:
        for line, left in _run(todo, options.limit, options.jobs):
            results.add(line)
            bar.show(line, left)
    except KeyboardInterrupt:
        raise SystemExit(f"\nstopped; {options.cache} keeps what is done, and the same command goes on") from None
    sys.stderr.write("\n")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description="Accuracy against peers.")
    every = (*SELECTION, *CONFIRMATION, *FRESH, *NOISE)
    add = parser.add_argument
    add(
        "--data",
        type=_names(every, _GROUPS),
        default=every,
        help="datasets, or selection, confirmation, fresh, noise (all)",
    )
    add("--only", type=_names(METHODS, {"ours": OURS}), help='methods, or "ours" (all)')
    add("--again", type=_names(METHODS, {"ours": OURS}), help='methods whose results are forgotten first, or "ours"')
    add("--jobs", type=int, default=1, help="processes at the same time (1; with more, times are worth less)")
    add("--limit", type=float, default=120, help="seconds of CPU for a fit with its predictions (120)")
    add("--page", action="store_true", help="only write the page")
    add("--cache", type=Path, default=_CACHE, help="where results are kept")
    add("--output", type=Path, default=_PAGE, help="the page to write")
    add("--plot", type=Path, default=_PLOT, help="the plot to write")
    return parser.parse_args(arguments)


def _names(known: Iterable[str], groups: dict[str, Any]) -> Any:
    """Reads names with commas between them, and the names of groups."""

    def read(text: str) -> tuple[str, ...]:
        found = [one for name in text.split(",") for one in groups.get(name.strip(), [name.strip()])]
        if unknown := [name for name in found if name not in known]:
            raise argparse.ArgumentTypeError(f"no {unknown[0]!r} among {', '.join((*groups, *known))}")
        return tuple(found)

    return read


if __name__ == "__main__":
    main()
