"""Accuracy against peers on the same folds: ``python -m benchmarks.accuracy`` writes docs/accuracy.md.

Five folds, rows shuffled with a fixed seed, fold = position modulo 5, cells read as in the authors' files. Every
dataset and method runs in a process of its own with a limit of time; what is done is kept in a cache, so that a run
that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing as mp
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import datasets
from benchmarks.datasets import ABSENT, Dataset
from benchmarks.methods import BINARY, LIMITED, METHODS, OURS, SMOOTHINGS, Outcome
from benchmarks.peers import FROM_FRAME
from benchmarks.report import Target, duration, times
from benchmarks.timing import ROOT, Watch, geometric_mean, median, race

__all__ = ["DATA", "SELECTED", "cross_validate", "main", "page"]

SELECTED = [
    *("adult", "avila", "eeg", "nursery", "voting", "yeast", "cars", "dry-bean", "flags", "ionosphere", "kidney"),
    *("kr-vs-kp", "pendigits", "acute", "anneal", "autism", "breast-w", "credit-a", "drug-semer", "ecoli", "glass"),
    *("heart", "intention", "mushroom", "pageblocks", "wall-robot", "weight-lift", "wine"),
]
"""The 28 datasets on which the configuration of our learner was chosen and confirmed; the targets are about them."""

DATA = [*SELECTED, "drug-heroin", "drug-crack", "optidigits", "parkinson-mean252", "shuttle", "rain"]
"""All datasets, but not ecoli and yeast again in another form."""

FOLDS = 5
Record = dict[str, Any]
"""What is kept of a method on a dataset: its figures, or ``failed`` and the reason."""
Results = Mapping[str, Mapping[str, Record]]
"""By dataset and method."""

_PAGE = ROOT / "docs" / "accuracy.md"
_CACHE = Path.home() / ".cache" / "unless-accuracy"
_LEAST = 1e-6  # of a probability, for the log-loss: a class that training did not have would make it infinite


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
    loss = -np.log(np.maximum(shares[np.arange(len(truth)), truth], _LEAST))
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


def _results(
    names: Sequence[str], methods: Sequence[str], cache: Path, limits: Callable[[str], float]
) -> dict[str, Any]:
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
                start = time.monotonic()
                record = _run(work, name, method, limits(method))
                kept.write_text(json.dumps(record), "utf-8")
                print(f"{name} {method}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
            found[name][method] = json.loads(kept.read_text("utf-8"))
    return found


def _binary(name: str) -> bool:
    data = datasets.find([name])
    if not data:
        return False
    manifest = json.loads((data[0].path.parent / "manifest.json").read_text("utf-8"))
    return len(manifest[name].get("label_distribution") or ()) == 2


# The page.


def page(results: Results, others: float | None = None) -> str:
    """The figures as a page in Markdown."""
    if not any(results.values()):
        return f"# Accuracy\n\n{ABSENT}\n"
    parts = [_HEAD, _targets(results), _accuracies(results), _sizes(results), _times(results), _probabilities(results)]
    parts += [_frames(results), _failures(results)]
    if others is not None:
        parts.append(f"Other processes took {others:.2f} cores meanwhile; times are worth as much as that is little.\n")
    return "\n".join(parts)


_HEAD = """# Accuracy

This page is written by `python -m benchmarks.accuracy`. Five-fold cross-validation, the same folds for every method: rows
shuffled with a fixed seed, fold = position modulo 5, cells read as in the authors' files (`missing=()`). A figure is the mean over
the folds. A record that FOLD-RM leaves unclassified counts as wrong. FOLD-R++ learns the second label. XGBoost and LightGBM have
default parameters and native categories, text among numbers is NaN; the depth of DecisionTree is tuned by an inner
cross-validation, categories are ordinal codes; RIPPER (`wittgenstein`) and the two rule lists of `imodels` have default
parameters (BayesianRuleList: 2,000 iterations, not 50,000) and two classes only; they get indicators (rule lists) or text (RIPPER) for categories.
"""


def _targets(results: Results) -> str:
    lines = []
    both = [name for name in SELECTED if _have(results, name, "Unless", "FOLD-RM")]
    if both:
        gaps = {name: _get(results, name, "Unless") - _get(results, name, "FOLD-RM") for name in both}
        worst = min(gaps, key=lambda name: gaps[name])
        mean = fmean(_get(results, name, "Unless") for name in both)
        ours, theirs = (
            geometric_mean(_get(results, name, method, "rules") for name in both) for method in ("Unless", "FOLD-RM")
        )
        lines = [
            Target(f"mean accuracy of Unless over {len(both)} datasets", "≥ 0.900", f"{mean:.4f}", mean >= 0.9),
            Target("worst against FOLD-RM", "≥ −2 points", f"{100 * gaps[worst]:+.1f} ({worst})", gaps[worst] >= -0.02),
            Target(
                "geometric mean of rules, of FOLD-RM's",
                "≤ 72 %",
                f"{ours:.1f} / {theirs:.1f} = {ours / theirs:.0%}",
                ours <= 0.72 * theirs,
            ),
        ]
    lines += _frame_targets(results)
    words = {True: "yes", False: "**no**", None: "not measured"}
    return _table(["what", "target", "measured", "met"], [[t.what, t.target, t.measured, words[t.met]] for t in lines])


def _frame_targets(results: Results) -> list[Target]:
    raced = {name: found["frame"] for name, found in results.items() if _have(results, name, "frame")}
    targets = []
    for peer, each in (("XGBoost", True), ("LightGBM", True), ("DecisionTree", False)):
        ratios = {name: record[peer] / record["Unless"] for name, record in raced.items()}
        if not ratios:
            continue
        worst, mean = min(ratios, key=lambda name: ratios[name]), geometric_mean(ratios.values())
        goal = "≥ ×1 on each" if each else "≥ ×1 in the geometric mean"
        shown = f"{times(mean)}; worst {times(ratios[worst])} ({worst})"
        met = (ratios[worst] if each else mean) >= 1
        targets.append(Target(f"fit from a frame, {peer}'s time over ours", goal, shown, met))
    return targets


def _accuracies(results: Results) -> str:
    methods = list(METHODS)
    rows = [[name, *(_shown(results, name, method, "accuracy", ".3f") for method in methods)] for name in results]
    for title, names in ((f"**mean of the {len(SELECTED)} chosen**", SELECTED), ("**mean of all**", list(results))):
        means = [_mean(results, names, method) for method in methods]
        rows.append([title, *("–" if math.isnan(mean) else f"**{mean:.4f}**" for mean in means)])
    note = "The mean is given for methods that ran on every dataset; the first 28 are those that our learner's design names.\n"
    binary = [name for name in results if _have(results, name, *(m for m in METHODS if m not in LIMITED))]
    if binary:
        shown = ", ".join(
            f"{method} {fmean(_get(results, name, method) for name in binary):.4f}"
            for method in METHODS
            if method not in LIMITED
        )
        note += f"Over the {len(binary)} datasets of two classes: {shown}.\n"
    for method in LIMITED:
        ran = [name for name in results if _have(results, name, method)]
        if ran:
            both = ", ".join(
                f"{other} {fmean(_get(results, name, other) for name in ran):.4f}" for other in (method, "Unless")
            )
            note += f"Over the {len(ran)} on which {method} ran: {both}.\n"
    return "## Accuracy by dataset\n\n" + _table(["data", *methods], rows) + "\n" + note


def _mean(results: Results, names: Iterable[str], method: str) -> float:
    names = list(names)
    whole = all(_have(results, name, method) for name in names)
    return fmean(_get(results, name, method) for name in names) if whole else math.nan


def _sizes(results: Results) -> str:
    methods = ["Unless", "FOLD-RM", "FOLD-R++", "DecisionTree", "GreedyRuleList", "RIPPER"]
    rows = [
        [
            name,
            *(
                f"{_shown(results, name, m, 'rules', '.1f')} / {_shown(results, name, m, 'literals', '.1f')}"
                for m in methods
            ),
        ]
        for name in results
    ]
    text = """## Rules / literals

Every flattened rule counts, exceptions and the last rule included; of a tree, its leaves and the tests on the way to each.
"""
    return text + "\n" + _table(["data", *methods], rows)


def _times(results: Results) -> str:
    methods = list(METHODS)
    rows = [[name, *(_seconds(results, name, method) for method in methods)] for name in results]
    text = """## Time to fit

On a ready table (ours) or matrix (the others), one thread, the median over the folds; of DecisionTree only the tuned tree.
"""
    return text + "\n" + _table(["data", *methods], rows)


def _seconds(results: Results, name: str, method: str) -> str:
    return duration(_get(results, name, method, "seconds")) if _have(results, name, method) else "–"


def _probabilities(results: Results) -> str:
    rows = []
    for method in (m for m in METHODS if m not in BINARY):
        ran = [results[name][method]["proba"] for name in results if _have(results, name, method)]
        if ran:
            rows.append([method, f"{fmean(loss for loss, _ in ran):.4f}", f"{fmean(gap for _, gap in ran):.4f}"])
    smoothings = []
    for amount in map(str, SMOOTHINGS):
        cells = [amount]
        for method in ("Unless", "FOLD-RM"):
            ran = [results[name][method]["smoothed"][amount] for name in results if _have(results, name, method)]
            cells += (
                [f"{fmean(loss for loss, _ in ran):.4f}", f"{fmean(gap for _, gap in ran):.4f}"] if ran else ["–", "–"]
            )
        smoothings.append(cells)
    text = f"""## Probabilities

Log-loss (probabilities of at least {_LEAST:g}) and expected calibration error (ten bins of confidence), means over all datasets.
"""
    why = """The probabilities of a rule are the classes of the training records that it decided, and so many records of the class prior:
"""
    header = ["records of the prior", "Unless: log-loss", "Unless: ECE", "FOLD-RM: log-loss", "FOLD-RM: ECE"]
    return "\n".join([text, _table(["method", "log-loss", "ECE"], rows), why, _table(header, smoothings)])


def _frames(results: Results) -> str:
    raced = {name: found["frame"] for name, found in results.items() if _have(results, name, "frame")}
    if not raced:
        return ""
    peers = list(FROM_FRAME)
    rows = [
        [
            name,
            duration(found["Unless"]),
            *(f"{duration(found[peer])}, {times(found[peer] / found['Unless'])}" for peer in peers),
        ]
        for name, found in raced.items()
    ]
    text = """## Fit from a frame

`UnlessClassifier().fit(X, y)` from a pandas frame, and the peers with what they need to encode text; two threads, medians.
"""
    return text + "\n" + _table(["data", "Unless", *peers], rows)


def _failures(results: Results) -> str:
    failed = [
        [method, name, record["failed"].replace("|", "/")]
        for name, found in results.items()
        for method, record in found.items()
        if "failed" in record
    ]
    return "## What did not run\n\n" + _table(["method", "data", "why"], sorted(failed)) if failed else ""


def _have(results: Results, name: str, *methods: str) -> bool:
    found = results.get(name, {})
    return all(method in found and "failed" not in found[method] for method in methods)


def _get(results: Results, name: str, method: str, figure: str = "accuracy") -> float:
    return float(results[name][method][figure])


def _shown(results: Results, name: str, method: str, figure: str, form: str) -> str:
    return f"{_get(results, name, method, figure):{form}}" if _have(results, name, method) else "–"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in [header, ["---"] * len(header), *rows])


def main(arguments: Sequence[str] | None = None) -> str:
    """Measure what the cache lacks, and write the page."""
    known = [*METHODS, "frame"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description="Accuracy against peers.")
    parser.add_argument("--data", nargs="+", default=DATA, metavar="NAME", help="the datasets (all)")
    parser.add_argument(
        "--methods", nargs="+", default=known, choices=known, metavar="NAME", help=f"of {', '.join(known)}"
    )
    parser.add_argument(
        "--again", nargs="*", default=(), metavar="NAME", help="methods to forget first; ours: all of ours"
    )
    parser.add_argument("--cache", type=Path, default=_CACHE, help="where results are kept")
    parser.add_argument("--limit", type=float, default=60, help=f"seconds per dataset for {' and '.join(LIMITED)}")
    parser.add_argument("--output", type=Path, default=_PAGE, help="the page to write")
    options = parser.parse_args(arguments)
    for method in {*options.again, *(OURS if "ours" in options.again else ())}:
        for kept in options.cache.glob(f"*.{method}.json"):
            kept.unlink()
    names = [data.name for data in datasets.find(options.data)]
    watch = Watch()
    found = _results(
        names, options.methods, options.cache, lambda method: options.limit if method in LIMITED else 10 * options.limit
    )
    text = page(found, watch.others())
    options.output.write_text(text, "utf-8")
    return text


if __name__ == "__main__":
    main()
