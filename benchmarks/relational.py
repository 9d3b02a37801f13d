"""Rules about connected things: how good and how fast, on relational tasks and on large tables of parts.

    python -m benchmarks.relational            # measure, keep the figures, write the tables of docs/lab/relational.md
    python -m benchmarks.relational mesh       # only some of the tasks, or "tables"; the figures of the others stay

The tasks are in the folder `ilp` of `shared` beside the repository (or UNLESS_SHARED).
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from collections.abc import Iterator
from os import environ
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.stale import mark
from unless import Part, Relations, fold_unless
from unless.logic.relational_task import read_task
from unless.relational import RelationalProgram, find_features
from unless.table import Labels

ROOT = Path(__file__).parents[1]
SHARED = Path(environ.get("UNLESS_SHARED", ROOT.parent / "shared"))
RESULTS = Path(__file__).with_name("relational.json")
PAGE = ROOT / "docs" / "lab" / "relational.md"
BEGIN, END = "<!-- measured: python -m benchmarks.relational -->", "<!-- end of what is measured -->"


class Protocol(NamedTuple):
    """How a task is divided, and what is to be reached."""

    splits: int
    """The number of splits into 70 and 30 percent; 0 for ten folds."""
    accuracy: float
    seconds: float = 5.0


TASKS = {
    "trains1": Protocol(5, 0.99),
    "trains4": Protocol(5, 0.99),
    "zendo1": Protocol(20, 0.93),
    "zendo2": Protocol(20, 0.85),
    "mutagenesis": Protocol(0, 0.88),
    "alzheimer-amine": Protocol(0, 0.85),
    "mesh": Protocol(0, 0.67, 10.0),
}

SIZES = {"1,000 × 100": (1_000, 3.0), "10,000 × 100": (10_000, None), "100,000 × 100": (100_000, 90.0)}
"""Individuals and their parts, with the most CPU seconds for a fit."""


def splits(protocol: Protocol, labels: NDArray[Any]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The rows to learn from and to test on."""
    from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

    if protocol.splits:
        yield from StratifiedShuffleSplit(protocol.splits, test_size=0.3, random_state=0).split(labels, labels)
    else:
        yield from StratifiedKFold(10, shuffle=True, random_state=0).split(labels, labels)


def measure_task(name: str) -> dict[str, Any]:
    """Learn from a part of the individuals, and decide the others."""
    task = read_task(SHARED / "ilp" / name)
    labels = np.array(task.labels, dtype=object)
    accuracies, seconds, sizes = [], [], []
    for seen, held in splits(TASKS[name], labels.astype(str)):
        begun = time.process_time()
        found = find_features(task.world.of(seen), Labels.of(task.target, labels[seen].tolist()), fold_unless)
        seconds.append(time.process_time() - begun)
        given = RelationalProgram(found.program, found.features).predict(task.world.of(held))
        accuracies.append(float((given == labels[held]).mean()))
        sizes.append((len(found.program), found.program.exception_count))
    return {
        "accuracy": float(np.mean(accuracies)),
        "least": min(accuracies),
        "majority": float(max(np.unique(labels.astype(str), return_counts=True)[1]) / len(labels)),
        "rules": float(np.mean([rules for rules, _ in sizes])),
        "exceptions": float(np.mean([exceptions for _, exceptions in sizes])),
        "seconds": float(np.mean(seconds)),
    }


def shop(count: int, each: int = 100) -> tuple[Relations, list[str]]:
    """Customers with orders of eight columns; a large order of one kind decides, except for the young."""
    import polars as pl

    rng = np.random.default_rng(0)
    size = count * each
    main = pl.DataFrame({"id": np.arange(count), "age": rng.integers(18, 90, count)})
    orders = pl.DataFrame(
        {
            "customer": rng.integers(0, count, size),
            "amount": np.round(rng.gamma(2, 30, size), 2),
            "quantity": rng.integers(1, 9, size),
            "kind": np.array(["x", "y", "z"])[rng.integers(0, 3, size)],
            "channel": np.array(["web", "shop"])[rng.integers(0, 2, size)],
            "score": rng.normal(size=size),
            "month": rng.integers(1, 13, size),
            "weight": rng.random(size),
        }
    )
    large = orders.filter((pl.col("amount") > 270) & (pl.col("kind") == "x"))["customer"].unique().to_numpy()
    held = np.isin(np.arange(count), large) & (main["age"].to_numpy() > 30)
    relations = Relations(main, "id", {"orders": Part(orders, "customer")}, name="customer")
    return relations, np.where(held, "yes", "no").tolist()


def measure_tables(size: str) -> dict[str, Any]:
    """Learn from tables with many parts: CPU seconds, and the most memory of the process so far."""
    relations, labels = shop(SIZES[size][0])
    begun = time.process_time()
    world = relations.world()
    found = find_features(world, Labels.of("label", labels), fold_unless)
    seconds = time.process_time() - begun
    given = RelationalProgram(found.program, found.features).predict(world)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {"seconds": seconds, "gigabytes": most, "accuracy": float((given == np.array(labels)).mean())}


def page(results: dict[str, dict[str, Any]]) -> str:
    """The tables of the page."""
    lines = [
        "| task | accuracy | target | worst part | most frequent label | rules + exceptions | CPU seconds a fit |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, protocol in TASKS.items():
        if (one := results.get(name)) is not None:
            parts = "ten folds" if not protocol.splits else f"{protocol.splits} splits"
            lines.append(
                f"| {name}, {parts} | {one['accuracy']:.3f} | ≥ {protocol.accuracy:.2f} | {one['least']:.3f} | "
                f"{one['majority']:.3f} | {one['rules']:.1f} + {one['exceptions']:.1f} | {one['seconds']:.2f} |"
            )
    lines += [
        "",
        "| individuals × parts of eight columns | CPU seconds | target | memory | accuracy |",
        "|---|---|---|---|---|",
    ]
    for size, (_, most) in SIZES.items():
        if (one := results.get(size)) is not None:
            target = "" if most is None else f"≤ {most:g}"
            memory = f"{one['gigabytes']:.1f} GB"
            lines.append(f"| {size} | {one['seconds']:.1f} | {target} | {memory} | {one['accuracy']:.4f} |")
    return "\n".join(lines)


def main(names: list[str]) -> None:
    """Measure what is named, keep the figures, and write the page."""
    warnings.simplefilter("ignore")
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in TASKS:
        if not names or name in names:
            results[name] = measure_task(name)
            print(name, results[name], flush=True)
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    for size in SIZES:
        if not names or "tables" in names or size in names:
            results[size] = measure_tables(size)
            print(size, results[size], flush=True)
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    text = PAGE.read_text() if PAGE.exists() else ""
    if BEGIN not in text:
        print(page(results))
    else:
        before, rest = text.split(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{page(results)}\n\n{END}{rest.split(END)[1]}")
    if not names:
        mark("relational")


if __name__ == "__main__":
    main(sys.argv[1:])
