"""Accuracy against peers on the same folds: ``python -m benchmarks.accuracy`` writes docs/accuracy.md.

Five folds, rows shuffled with a fixed seed, fold = position modulo 5, cells read as in the authors' files. Every
dataset and method runs in a process of its own with a limit of time; what is done is kept in a cache, so that a run
that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing as mp
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import datasets
from benchmarks.accuracy_page import LEAST, Figures, Record, page
from benchmarks.datasets import ABSENT, Dataset
from benchmarks.methods import BINARY, LIMITED, METHODS, OURS, Outcome
from benchmarks.peers import FROM_FRAME
from benchmarks.timing import ROOT, Watch, median, race

__all__ = ["DATA", "SELECTED", "cross_validate", "from_frame", "main"]

SELECTED = [
    *("adult", "avila", "eeg", "nursery", "voting", "yeast", "cars", "dry-bean", "flags", "ionosphere", "kidney"),
    *("kr-vs-kp", "pendigits", "acute", "anneal", "autism", "breast-w", "credit-a", "drug-semer", "ecoli", "glass"),
    *("heart", "intention", "mushroom", "pageblocks", "wall-robot", "weight-lift", "wine"),
]
"""The 28 datasets on which the configuration of our learner was chosen and confirmed; the targets are about them."""

DATA = [*SELECTED, "drug-heroin", "drug-crack", "optidigits", "parkinson-mean252", "shuttle", "rain"]
"""All datasets, but not ecoli and yeast again in another form."""

FOLDS = 5

_PAGE = ROOT / "docs" / "accuracy.md"
_CACHE = Path.home() / ".cache" / "unless-accuracy"


def cross_validate(name: str, method: str) -> Record:
    """The figures of a method on a dataset, over all folds."""
    warnings.simplefilter("ignore")
    table = _dataset(name).table()
    assert table.target is not None
    order = np.random.default_rng(0).permutation(len(table))
    truth: list[NDArray[Any]] = []
    outcomes: list[Outcome] = []
    for fold in range(FOLDS):
        train, test = order[np.arange(len(order)) % FOLDS != fold], order[fold::FOLDS]
        outcomes.append(METHODS[method](table[train], table[test]))
        truth.append(table.target.codes[test])
    return _figures(np.concatenate(truth), truth, outcomes)


def _figures(truth: NDArray[Any], folds: Sequence[NDArray[Any]], outcomes: Sequence[Outcome]) -> Record:
    rights = [float(np.mean(found.classes == right)) for right, found in zip(folds, outcomes, strict=True)]
    record: Record = {"accuracy": fmean(rights), "seconds": median([found.seconds for found in outcomes])}
    for size in ("rules", "literals"):
        if getattr(outcomes[0], size) is not None:
            record[size] = fmean(getattr(found, size) for found in outcomes)
    if outcomes[0].probabilities is not None:
        record["proba"] = _quality(truth, np.vstack([found.probabilities for found in outcomes]))  # type: ignore[misc]
    record["smoothed"] = {
        str(amount): _quality(truth, np.vstack([found.smoothed[amount] for found in outcomes]))
        for amount in outcomes[0].smoothed
    }
    return record


def _quality(truth: NDArray[Any], shares: NDArray[np.float64]) -> tuple[float, float]:
    """The log-loss, and the expected error of calibration: confidence against accuracy, in ten bins of confidence."""
    loss = -np.log(np.maximum(shares[np.arange(len(truth)), truth], LEAST))
    confidence, right = shares.max(axis=1), shares.argmax(axis=1) == truth
    bins = np.minimum((confidence * 10).astype(int), 9)
    gaps = [abs(float(np.sum(confidence[bins == k] - right[bins == k]))) for k in range(10)]
    return float(loss.mean()), sum(gaps) / len(truth)


def _dataset(name: str) -> Dataset:
    found = datasets.find([name])
    if not found:
        raise FileNotFoundError(ABSENT)
    return found[0]


def from_frame(name: str, method: str) -> Record:  # noqa: ARG001 - the form of every job
    """The median time to fit from a pandas frame, encoding included, of our classifier and of the peers."""
    from unless import UnlessClassifier

    warnings.simplefilter("ignore")
    dataset = _dataset(name)
    frame, target = dataset.frame(), dataset.target
    cells, label = frame.drop(columns=target), frame[target]
    contestants: dict[str, Callable[[], object]] = {"Unless": lambda: UnlessClassifier().fit(cells, label)}
    contestants |= {peer: partial(fit, frame, target) for peer, fit in FROM_FRAME.items()}
    return dict(race(contestants, 0.3, 3))


# Jobs: each in its own process, with a limit and a cache.


def _job(work: Callable[[str, str], Record], name: str, method: str, out: Any) -> None:
    try:
        out.send(work(name, method))
    except Exception as error:  # noqa: BLE001 - whatever a peer raises is its result
        out.send({"failed": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:160]})


def _run(work: Callable[[str, str], Record], name: str, method: str, limit: float) -> Record:
    """The result of a job, or why there is none."""
    fresh = mp.get_context("spawn")  # a forked process would wait for threads that it does not have
    inbox, out = fresh.Pipe(duplex=False)
    process = fresh.Process(target=_job, args=(work, name, method, out))
    process.start()
    out.close()
    try:
        return inbox.recv() if inbox.poll(limit) else {"failed": f"not done in {limit:.0f} s"}
    except EOFError:
        return {"failed": "its process ended"}
    finally:
        process.kill()
        process.join()


def _results(names: Sequence[str], methods: Sequence[str], cache: Path, limit: float) -> dict[str, Any]:
    """Every figure by dataset and method, from the cache where it is there."""
    cache.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {name: {} for name in names}
    for method in methods:
        work = from_frame if method == "frame" else cross_validate
        for name in names:
            if method in BINARY and not _binary(name):
                continue
            kept = cache / f"{name}.{method}.json"
            if not kept.exists():
                start, watch = time.monotonic(), Watch()
                record = _run(work, name, method, limit if method in LIMITED else 10 * limit)
                kept.write_text(json.dumps(record | {"others": watch.others()}), "utf-8")
                print(f"{name} {method}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
            found[name][method] = json.loads(kept.read_text("utf-8"))
    return found


def _binary(name: str) -> bool:
    data = datasets.find([name])
    if not data:
        return False
    manifest = json.loads((data[0].path.parent / "manifest.json").read_text("utf-8"))
    return len(manifest[name].get("label_distribution") or ()) == 2


def main(arguments: Sequence[str] | None = None) -> str:
    """Measure what the cache lacks, and write the page."""
    options = _options(arguments)
    for method in {*options.again, *(OURS if "ours" in options.again else ())}:
        for kept in options.cache.glob(f"*.{method}.json"):
            kept.unlink()
    names = [data.name for data in datasets.find(options.data)]
    results = _results(names, options.methods, options.cache, options.limit)
    text = page(Figures(results, SELECTED))
    options.output.write_text(text, "utf-8")
    return text


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    known = [*METHODS, "frame"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description="Accuracy against peers.")
    parser.add_argument("--data", nargs="+", default=DATA, metavar="NAME", help="the datasets (all)")
    parser.add_argument("--methods", nargs="+", default=known, choices=known, metavar="NAME", help=", ".join(known))
    parser.add_argument("--again", nargs="+", default=(), metavar="NAME", help='methods to forget first, or "ours"')
    parser.add_argument("--cache", type=Path, default=_CACHE, help="where results are kept")
    parser.add_argument("--limit", type=float, default=60, help=f"seconds per dataset for {', '.join(LIMITED)}")
    parser.add_argument("--output", type=Path, default=_PAGE, help="the page to write")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
