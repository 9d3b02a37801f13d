"""Whether rules are right as often as they are expected to be, on records that nobody has used.

``python -m benchmarks.precision`` holds back a fifth of the records of each dataset, five times. From the others it
learns as ``unless fit`` does, which holds back a fifth of these, and as the classifiers do, which hold back nothing. It
prints, for rules that decided fewer than 50 records in training, the share that was right there, the share that is
expected, and the share that is right on the first fifth: means over records, then over datasets. The estimate
(`model.Statistics.expected_precision`) was chosen on some datasets and is confirmed on others; docs/quality.md has the
result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from benchmarks import datasets
from benchmarks.halves import PAPER
from unless import Table, read_table
from unless.estimators.halves import Halves
from unless.estimators.learners import LEARNERS, learn
from unless.judge.labels import measure
from unless.model import Statistics
from unless.rule import Program
from unless.table import Split

__all__ = ["CHOSEN_ON", "CONFIRMED_ON", "Shares", "main", "measured"]

CHOSEN_ON = (
    *("acute", "anneal", "avila", "cars", "drug-crack", "drug-semer", "ecoli", "flags", "heart", "ionosphere"),
    *("kr-vs-kp", "nursery", "pageblocks", "shuttle", "voting", "wine"),
)
CONFIRMED_ON = (*(name for name in sorted(PAPER) if name not in CHOSEN_ON), "breast_cancer", "iris", "digits")

_SPLITS, _MOST, _FEW = 5, 40_000, 50
_CELLS = 200_000  # more take the published learner minutes


@dataclass(frozen=True, slots=True)
class Shares:
    """The rules that decide few records: the share right in training, that expected, and that found; over records."""

    rules: int
    records: float
    stated: float
    expected: float
    found: float
    outside: float
    """The share of rules whose interval does not have what was found, given how many records that is."""


def measured(table: Table, algorithm: str = "unless", *, held_back: float = 0.2) -> Shares | None:
    """What is expected of rules with few records, and what is found; None if no rule has few."""
    rows = [row for salt in range(_SPLITS) for row in _rules(table, algorithm, held_back, salt)]
    if not rows:
        return None
    stated, expected, low, high, right, decided = np.array(rows).T
    spread = 1.96 * np.sqrt(expected * (1 - expected) / decided)  # what was found is itself uncertain
    half = np.where(right < expected * decided, expected - low, high - expected)
    outside = np.abs(right / decided - expected) > np.hypot(spread, half)
    shares = (float(np.average(one, weights=decided)) for one in (stated, expected, right / decided))
    return Shares(len(rows), float(decided.sum()), *shares, float(outside.mean()))


def _rules(table: Table, algorithm: str, held_back: float, salt: int) -> Iterator[tuple[float, ...]]:
    """For each rule with few records: the shares stated and expected, the ends, and how many are right and decided."""
    fresh = Split.of(table, 0.2, salt + 500).held_back(table)
    halves = Halves.of(table[~fresh], held_back, salt)
    model = halves.tested(learn(LEARNERS[algorithm](n_jobs=1), halves.records).model)
    trained, found = model.statistics, measure(model.program, table[fresh])
    low, high = trained.expected_between
    for rule in _few(model.program, trained, found):
        share = float(trained.expected_precision[rule])
        yield trained.precision[rule], share, low[rule], high[rule], found.right[rule], found.support[rule]


def _few(program: Program, trained: Statistics, found: Statistics) -> Iterator[int]:
    """The rules that decided few records in training, and some of the fresh ones."""
    for rule in range(len(program.rules)):
        if 0 < trained.support[rule] < _FEW and found.support[rule]:
            yield rule


def _tables(names: Iterable[str]) -> Iterator[tuple[str, Table]]:
    there = {data.name: data for data in datasets.find([name for name in names if name in PAPER])}
    for name in names:
        if name in there:
            table = there[name].table()
            yield name, table[:: -(-len(table) // _MOST)]
        elif name not in PAPER:
            yield name, _bundled(name)


def _bundled(name: str) -> Table:
    from sklearn import datasets as bundled

    frame = getattr(bundled, f"load_{name}")(as_frame=True).frame
    return read_table(frame.astype({"target": str}), "target")


WAYS: Mapping[str, tuple[str, float]] = {
    "unless fit": ("unless", 0.2),
    "UnlessClassifier": ("unless", 0.0),
    "unless fit -a fold-rm": ("fold-rm", 0.2),
    "FoldRMClassifier": ("fold-rm", 0.0),
}
"""Learners, and which share they hold back."""


def main(halves: Iterable[Sequence[str]] = (CHOSEN_ON, CONFIRMED_ON)) -> None:
    """Print a line per dataset, and the means of both halves."""
    for names, title in zip(halves, ("chosen on", "confirmed on"), strict=True):
        results: dict[str, list[Shares]] = {way: [] for way in WAYS}
        for name, table in _tables(names):
            for way, (algorithm, share) in WAYS.items():
                if algorithm != "unless" and len(table) * len(table.columns) > _CELLS:
                    continue
                if (found := measured(table, algorithm, held_back=share)) is not None:
                    results[way].append(found)
                    print(f"{name:18} {way:22} {_line(found)}", flush=True)
        print(*(_summary(way, title, found) for way, found in results.items() if found), sep="\n", flush=True)


def _line(one: Shares) -> str:
    return f"{one.rules:4} rules: {one.stated:.3f} stated, {one.expected:.3f} expected, {one.found:.3f} found"


def _summary(way: str, title: str, results: Sequence[Shares]) -> str:
    means = [fmean(getattr(one, name) for one in results) for name in ("stated", "expected", "found", "outside")]
    away = fmean(abs(one.expected - one.found) for one in results)
    stated, expected, found, outside = means
    return (
        f"{title} {len(results)} datasets, {way}: {stated:.3f} stated, {expected:.3f} expected, {found:.3f} found; "
        f"{expected - found:+.3f} in the mean, {away:.3f} by dataset; {outside:.1%} of rules outside"
    )


if __name__ == "__main__":
    main()
