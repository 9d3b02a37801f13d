"""Which methods run on which rows of the paper's tables, and on which folds.

A row is a dataset as the manifest calls it; ``glass 2/3`` are the fifty repeats of the table with RIPPER. Cells are
read as in the authors' files (`Dataset.table`). For the table of two labels the label becomes "yes" where it is the one
that FOLD-R++ learns rules for, and "no" elsewhere, as the manifest notes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from benchmarks import datasets, jrip, paper, rivals
from benchmarks.methods import METHODS, rules_of, sized
from benchmarks.paper import BINARY, MLP, RIPPER, XGBOOST
from benchmarks.results import Line
from benchmarks.rivals import Outcome, clocked, codes_of
from benchmarks.timing import Watch
from unless import FoldRPPClassifier, Program, Table
from unless.learn.fold import learn_rule, make_engine
from unless.model.prediction import predict
from unless.rule import Rule
from unless.table import Labels

__all__ = [
    "CONTESTS",
    "FOLDS",
    "OURS",
    "REPEATS",
    "SHUFFLES",
    "Contest",
    "absent",
    "dataset_of",
    "entered",
    "measure",
    "numbers_only",
    "rows_of",
    "split",
]

FOLDS, REPEATS, SHUFFLES = 10, 50, 5
_MANY = 25_000
"""Rows from which one shuffle is enough."""

_THIRDS = " 2/3"


# Rows.


def rows_of(label: str) -> list[str]:
    """The rows of a table, in its order."""
    return [name + _THIRDS * (label == RIPPER) for name in paper.load()[label]]


def dataset_of(row: str) -> str:
    """What the manifest calls it."""
    return row.removesuffix(_THIRDS)


def entered() -> list[str]:
    """Every row, the smallest dataset first."""
    known = datasets.manifest()
    names = dict.fromkeys(row for label in (*paper.CROSS, RIPPER) for row in rows_of(label))
    return sorted(names, key=lambda row: known.get(dataset_of(row), {}).get("rows") or 0)


def absent(row: str) -> str | None:
    """Why there is no data for a row, if there is none."""
    entry = datasets.manifest().get(dataset_of(row))
    if entry is None:
        return "not in the folder of datasets (UNLESS_DATA)"
    return None if entry.get("file") else (entry.get("note") or "no file").partition(". ")[0]


# Folds.


def split(row: str, fold: int, *, shuffled: bool = True) -> tuple[Table, Table]:
    """The records to learn from and those to predict.

    Rows are shuffled with the seed fold // 10, and a row's fold is its position modulo 10; or, in the file's order,
    folds are ten stretches. Repeats have a seed each, and two thirds to learn from.
    """
    table = _table(row)
    places = np.arange(len(table))
    if row.endswith(_THIRDS):
        order = np.random.default_rng(fold).permutation(len(table))
        least = 2 * len(table) // 3
        return table[order[:least]], table[order[least:]]
    if not shuffled:
        tested = places * FOLDS // len(table) == fold
        return table[~tested], table[tested]
    order = np.random.default_rng(fold // FOLDS).permutation(len(table))
    tested = places % FOLDS == fold % FOLDS
    return table[order[~tested]], table[order[tested]]


@lru_cache(1)  # the folds of a row follow each other
def _table(row: str) -> Table:
    (found,) = datasets.find([dataset_of(row)])
    table = found.table()
    return _binary(table, found.positive) if row in rows_of(BINARY) else table


def _binary(table: Table, positive: str | None) -> Table:
    """Whether a record has the positive label: yes or no."""
    labels = table.labels
    yes = np.array([label == positive for label in labels.labels])
    return replace(table, target=Labels(labels.name, ("no", "yes"), yes[labels.codes].astype(np.uint8)))


def numbers_only(row: str) -> bool:
    """Whether no column of a row holds anything but numbers."""
    declared = datasets.manifest().get(dataset_of(row), {})
    if not declared.get("file") or set(declared["features"]) != set(declared["numeric"]):
        return False
    return all(column.kind == "number" for column in _table(row).columns)


# Methods.


@dataclass(frozen=True, slots=True)
class Contest:
    """A method: what it runs, in which tables, on which folds; what it needs; whom the paper compares it with."""

    run: Callable[[Table, Table], Outcome]
    tables: Sequence[str]
    shuffled: bool = True
    shuffles: int = 1
    package: str | None = None
    paper: str | None = None
    only: Sequence[str] | None = None
    twin: str | None = None
    """The method that fits the very same model where all columns are numbers: what it has measured there counts."""

    @property
    def rows(self) -> list[str]:
        """The rows of its tables, or some of them."""
        every = [row for label in self.tables for row in rows_of(label)]
        return every if self.only is None else [row for row in every if row in self.only]

    def folds(self, row: str) -> range:
        """Ten folds, of several shuffles where it is cheap; or the repeats."""
        if row.endswith(_THIRDS):
            return range(REPEATS)
        size = datasets.manifest().get(row, {}).get("rows") or 0
        return range(FOLDS * (self.shuffles if size <= _MANY else 1))

    def missing(self) -> str | None:
        """What is not installed, if something is not."""
        if self.package == "weka":
            return None if jrip.installed() else "Weka is not installed (Debian: weka)"
        return None if self.package is None or find_spec(self.package) else f"{self.package} is not installed"


def _keeping(train: Table, test: Table) -> Outcome:
    """FOLD-RM, but only the covered examples of the rule's label are removed: line 11 read as E- ∪ E_FN.

    The authors' code had it so before they published it as it is now.
    """
    found: list[Program] = []
    cpu, wall = clocked(lambda: found.append(_learn_keeping(train)))
    place = {label: code for code, label in enumerate(train.labels.labels)}
    classes = np.array([-1 if label is None else place[label] for label in predict(found[-1], test)])
    return Outcome(classes, None, *sized(found[-1:]), cpu, wall)


def _learn_keeping(table: Table) -> Program:
    engine = make_engine(table, 0.5)
    rows = engine.all_rows()
    return Program(engine.target, engine.features, tuple(_rules_keeping(engine, rows)))


def _rules_keeping(engine, rows) -> Iterator[Rule]:
    while engine.size(rows):
        popularity = engine.label_weights(rows)
        label = popularity.index(max(popularity))
        rule, covered, _ = learn_rule(engine, *engine.split(rows, label), 0.5)
        if not engine.size(covered):
            return
        rows = engine.minus(rows, covered)
        yield Rule(engine.labels[label], rule.default, rule.exceptions)


_OTHER = partial(rules_of, partial(FoldRPPClassifier, positive="no"))

CONTESTS: dict[str, Contest] = {
    "FOLD-R++": Contest(METHODS["FOLD-R++"].run, (BINARY,), shuffles=SHUFFLES, paper="FOLD-R++"),
    "FOLD-RM": Contest(METHODS["FOLD-RM"].run, (XGBOOST, RIPPER), shuffles=SHUFFLES, paper="FOLD-RM"),
    "Unless": Contest(METHODS["Unless"].run, (BINARY, XGBOOST, RIPPER)),
    "FOLD-RM keeping E-": Contest(_keeping, (XGBOOST, RIPPER), shuffles=SHUFFLES),
    "FOLD-R++ other label": Contest(_OTHER, (BINARY,), shuffles=SHUFFLES),
    "UnlessCommittee": Contest(METHODS["UnlessCommittee"].run, (BINARY, XGBOOST)),
    "XGBoost": Contest(METHODS["XGBoost"].run, (BINARY, XGBOOST), package="xgboost", paper="XGBoost"),
    "XGBoost one-hot": Contest(
        rivals.xgboost_one_hot, (BINARY, XGBOOST), package="xgboost", paper="XGBoost", twin="XGBoost"
    ),
    "XGBoost in file order": Contest(rivals.xgboost_one_hot, (BINARY, XGBOOST), shuffled=False, package="xgboost"),
    "XGBoost every value": Contest(rivals.xgboost_every_value, (BINARY,), package="xgboost", only=("ionosphere",)),
    "XGBoost every value in file order": Contest(
        rivals.xgboost_every_value, (XGBOOST,), shuffled=False, package="xgboost", only=("pageblocks", "pendigits")
    ),
    "XGBoost before 2.0 in file order": Contest(
        rivals.xgboost_before_2, (XGBOOST,), shuffled=False, package="xgboost", only=("nursery", "dry-bean")
    ),
    "MLP": Contest(rivals.mlp_scaled, (MLP,), paper="MLP"),
    "MLP one-hot": Contest(rivals.mlp_one_hot, (MLP,), paper="MLP"),
    "MLP in file order": Contest(rivals.mlp_one_hot, (MLP,), shuffled=False),
    "MLP scaled in file order": Contest(rivals.mlp_scaled, (MLP,), shuffled=False, only=("wine", "dry-bean", "eeg")),
    "MLP every value": Contest(rivals.mlp_every_value, (MLP,), only=("drug-heroin",)),
    "MLP every value in file order": Contest(rivals.mlp_every_value, (MLP,), shuffled=False, only=("pageblocks",)),
    "JRip": Contest(jrip.jrip, (RIPPER,), package="weka", paper="RIPPER"),
    "RIPPER": Contest(METHODS["RIPPER"].run, (BINARY,), package="wittgenstein"),
}
"""The methods by name, those first that are quick."""

OURS = ("FOLD-R++", "FOLD-RM", "Unless", "FOLD-RM keeping E-", "FOLD-R++ other label", "UnlessCommittee")


# One fold.


def measure(row: str, method: str, fold: int) -> Line:
    """The figures of a method on a fold."""
    contest = CONTESTS[method]
    train, test = split(row, fold, shuffled=contest.shuffled)
    watch = Watch()
    found = contest.run(train, test)
    sizes = {"rules": found.rules, "literals": found.literals, "cpu": found.cpu, "wall": found.wall}
    quality = _quality(codes_of(test), found.classes, positive=row in rows_of(BINARY))
    return quality | {name: value for name, value in sizes.items() if value is not None} | {"others": watch.others()}


def _quality(truth: NDArray[np.int64], classes: NDArray[np.int64], *, positive: bool) -> Line:
    """Accuracy; precision, recall and F1 of the positive label, or of every label, weighted by its records.

    A record without a class is wrong, and is in no label's precision.
    """
    labels, weights = (np.array([1]), [1]) if positive else np.unique(truth, return_counts=True)
    parts = np.array([_of_label(truth == label, classes == label) for label in labels])
    precision, recall, f1 = np.average(parts, axis=0, weights=weights).tolist()
    return {"accuracy": float(np.mean(classes == truth)), "precision": precision, "recall": recall, "f1": f1}


def _of_label(truth: NDArray[np.bool_], found: NDArray[np.bool_]) -> tuple[float, float, float]:
    right = int(np.sum(truth & found))
    precision, recall = right / max(int(found.sum()), 1), right / max(int(truth.sum()), 1)
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0
