"""Whether importances found in training rank features as permutation on fresh records does.

``python -m benchmarks.importances`` prints, for several definitions, Spearman's rank correlation with the accuracy that
is lost on the other half of the records when the values of a feature are permuted there. A definition is chosen on one
half of the datasets and confirmed on the other; docs/estimators.md has the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from benchmarks import datasets
from benchmarks.accuracy_datasets import PAPER
from unless import Program, Table
from unless.evaluation.importance import lazy_importances
from unless.evaluation.metrics import count_rule_decisions
from unless.learn.unless_learner import fold_unless
from unless.model.prediction import deciding_rules

__all__ = ["DEFINITIONS", "correlations", "main", "rank_correlation"]

Shares = NDArray[np.float64]

CHOSEN_ON, CONFIRMED_ON = sorted(PAPER)[::2], sorted(PAPER)[1::2]
"""Every second dataset by name."""

_SPLITS, _REPEATS, _MOST = 3, 20, 20_000


def _decided(program: Program, train: Table) -> Shares:
    """The share of records that are decided by a rule which tests the feature: what it was before."""
    shares = count_rule_decisions(program, train).coverage
    tests = [{literal.feature for literal in rule.literals()} for rule in program.rules]
    return np.array(
        [sum(share for share, tested in zip(shares, tests, strict=False) if f in tested) for f in train.features]
    )


def _literals(program: Program, train: Table) -> Shares:
    """How many literals test the feature."""
    found = [literal.feature for rule in program.rules for literal in rule.literals()]
    return np.array([float(found.count(feature)) for feature in train.features])


def _changed(program: Program, train: Table) -> Shares:
    """The share of decisions that change when values are permuted, right or wrong."""
    return _permuted(program, train, 5, lambda before, after, _: np.mean(before != after))


def _lost(program: Program, train: Table) -> Shares:
    """The accuracy that is lost when values are those of other records: what it is now."""
    return lazy_importances(program, train, None).value


DEFINITIONS: Mapping[str, Callable[[Program, Table], Shares]] = {
    "records decided by rules that test it": _decided,
    "literals that test it": _literals,
    "decisions that change": _changed,
    "accuracy that is lost": _lost,
}


def _fresh(program: Program, test: Table) -> Shares:
    def lost(before: NDArray[np.intp], after: NDArray[np.intp], truth: NDArray[np.intp]) -> float:
        return float(np.mean(before == truth) - np.mean(after == truth))

    return np.maximum(_permuted(program, test, _REPEATS, lost), 0)


def _permuted(program: Program, table: Table, repeats: int, cost: Callable[..., float]) -> Shares:
    """What permuting the values of each feature costs, in the mean."""
    assert table.target is not None
    place = {label: code for code, label in enumerate(table.target.labels)}
    heads = np.array([place.get(label, -1) for label in (*(rule.head for rule in program.rules), program.otherwise)])
    truth, before = table.target.codes.astype(np.intp), heads[deciding_rules(program, table)]
    random, costs = np.random.default_rng(1), np.zeros(len(table.columns))
    for number, column in enumerate(table.columns):
        if column.name in program.used:
            for _ in range(repeats):
                shuffled = replace(column, codes=random.permutation(column.codes))
                changed = replace(table, columns=(*table.columns[:number], shuffled, *table.columns[number + 1 :]))
                costs[number] += cost(before, heads[deciding_rules(program, changed)], truth) / repeats
    return costs


def rank_correlation(one: Shares, other: Shares) -> float | None:
    """Spearman's, equal values having the mean of their ranks; None if either has only one value."""
    from scipy.stats import rankdata

    if len(one) < 2 or not (np.ptp(one) and np.ptp(other)):
        return None
    return float(np.corrcoef(rankdata(one), rankdata(other))[0, 1])


def correlations(table: Table) -> dict[str, tuple[float, float]] | None:
    """For each definition the correlation over all features, and over those that rules test; the mean of splits."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in DEFINITIONS}
    for seed in range(_SPLITS):
        order = np.random.default_rng(seed).permutation(len(table))[:_MOST]
        train, test = table[order[::2]], table[order[1::2]]
        program = fold_unless(train)
        fresh, used = _fresh(program, test), np.isin(train.features, program.used)
        for name, definition in DEFINITIONS.items():
            shares = definition(program, train)
            both = rank_correlation(shares, fresh), rank_correlation(shares[used], fresh[used])
            if used.sum() > 1 and both[0] is not None:
                found[name].append((both[0], 0.0 if both[1] is None else both[1]))
    return {
        name: (fmean(a for a, _ in pairs), fmean(b for _, b in pairs)) for name, pairs in found.items() if pairs
    } or None


def main(names: Iterable[Iterable[str]] = (CHOSEN_ON, CONFIRMED_ON)) -> None:
    """Print a line per dataset, and the means of both halves."""
    for half, title in zip(names, ("chosen on", "confirmed on"), strict=True):
        results: list[dict[str, tuple[float, float]]] = []
        for dataset in datasets.find(half):
            if (found := correlations(dataset.table())) is not None:
                results.append(found)
                print(f"{dataset.name:18}", *(f"{a:6.2f}{b:6.2f}" for a, b in found.values()), flush=True)
        print(*_summary(results, title), sep="\n", flush=True)


def _summary(results: Sequence[Mapping[str, tuple[float, float]]], title: str) -> Iterator[str]:
    """The means of every definition."""
    for name in DEFINITIONS if results else ():
        of_all, of_tested = (fmean(found[name][which] for found in results) for which in (0, 1))
        yield f"{title} {len(results)} datasets: {of_all:.3f} of all features, {of_tested:.3f} of tested ones: {name}"


if __name__ == "__main__":
    main()
