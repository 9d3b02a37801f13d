"""Accuracy against peers on the same folds: ``python -m benchmarks.accuracy`` writes the pages.

What is done is kept in a file of JSON lines (`results`), so that a run that was stopped goes on where it was, and
``--only`` and ``--again`` refresh single methods. ``accuracy.json`` has the figures of earlier runs: slow peers are not
measured again whenever one of ours changes. Every dataset has a process of its own, which ends when a fit takes
more than a limit of CPU time; the page says so.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy_datasets import BLIND, CONFIRMATION, FRESH, NOISE, ONCE, SELECTION, folds_of, present, split
from benchmarks.accuracy_page import LEAST, pages
from benchmarks.figures import Figures
from benchmarks.methods import METHODS, OURS
from benchmarks.plot import plot
from benchmarks.results import Line, Results
from benchmarks.rivals import Outcome, codes_of, labels_of
from benchmarks.run import ONE_THREAD, Task, complete, names_of
from benchmarks.stale import mark
from benchmarks.timing import ROOT, Watch

__all__ = ["main", "measure"]

_PAGE, _PLOT = ROOT / "docs" / "accuracy.md", ROOT / "docs" / "images" / "accuracy.svg"
_FIGURES = Path(__file__).with_suffix(".json")
_CACHE = ROOT / "build" / "accuracy.jsonl"
_GROUPS = {"selection": SELECTION, "confirmation": CONFIRMATION, "fresh": FRESH, "once": ONCE, "blind": BLIND}
_GROUPS["noise"] = NOISE

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


# All folds.


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
    """Measure what the results lack, write the pages and the plot, and return their text."""
    options = _options(arguments)
    results = Results(options.cache)
    if options.again:
        results.forget(options.again, options.data)
    os.environ |= ONE_THREAD
    todo = {} if options.page else _todo(results, present(options.data), options.only or list(METHODS))
    complete(results, todo, measure, options.limit, options.jobs)
    figures = Figures.of(results).over(Figures.read(options.figures)).as_written()
    options.figures.write_text(figures.text(), "utf-8")
    written = pages(figures)
    for name, text in written.items():
        path = options.output if name == _PAGE.name else options.output.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    options.plot.write_text(plot(figures), "utf-8")
    if any(todo.values()) and options.output == _PAGE:
        mark("accuracy")
    return "\n".join(written.values())


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description="Accuracy against peers.")
    every = (*SELECTION, *CONFIRMATION, *FRESH, *ONCE, *BLIND, *NOISE)
    add = parser.add_argument
    add(
        "--data",
        type=names_of(every, _GROUPS),
        default=every,
        help="datasets, or selection, confirmation, fresh, once, blind, noise (all)",
    )
    add("--only", type=names_of(METHODS, {"ours": OURS}), help='methods, or "ours" (all)')
    add("--again", type=names_of(METHODS, {"ours": OURS}), help='methods whose results are forgotten first, or "ours"')
    add("--jobs", type=int, default=1, help="processes at the same time (1; with more, times are worth less)")
    add("--limit", type=float, default=120, help="seconds of CPU for a fit with its predictions (120)")
    add("--page", action="store_true", help="only write the pages")
    add("--cache", type=Path, default=_CACHE, help="where results are kept")
    add("--figures", type=Path, default=_FIGURES, help="figures of earlier runs, for what has not run again")
    add("--output", type=Path, default=_PAGE, help="the page to write; the others lie in a folder beside it")
    add("--plot", type=Path, default=_PLOT, help="the plot to write")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
