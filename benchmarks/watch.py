"""How often watching a model raises a false alarm, and how often it finds what has really moved.

``python -m benchmarks.watch`` learns from a part of each dataset, holds records back as `unless fit` does, and watches
the model on the rest: as it is, and after changes of known size. docs/keeping.md has the result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import datasets, generate
from unless import Table
from unless.estimators.learners import LEARNERS, learn
from unless.evaluation.drift import ALPHA, watch
from unless.evaluation.metrics import count_rule_decisions
from unless.evaluation.significance import adjust_p_values, share_p_value
from unless.model import DataOrigin, HoldoutResult, Model
from unless.table import Column, HoldoutSplit

__all__ = ["CHANGES", "alarms", "main", "trained"]

MOST = 3000
"""Records of a dataset in each run: 3/5 to learn from, 1/5 held back, 1/5 new."""

Random = np.random.Generator
Change = Callable[[Table, Model, Random], Table]


def trained(table: Table, algorithm: str = "unless") -> Model:
    """A model of four fifths of the records, tested on the others."""
    test = np.arange(len(table)) % 4 == 0
    model = learn(LEARNERS[algorithm](warn=False), table[~test]).model
    assert isinstance(model, Model)
    classes = model.statistics.classes
    held = _known(table[test], model)
    split = HoldoutSplit(0, classes, (0,) * len(classes))
    shown = replace(count_rule_decisions(model.program, held), classes=classes)
    origin = DataOrigin(split, "0" * 32, len(table), classes[0])
    return replace(model, tested=HoldoutResult(origin, shown), origin=origin)


def _known(table: Table, model: Model) -> Table:
    """The records whose labels the model knows, with its classes as labels."""
    labels, classes = table.labels, model.statistics.classes
    places = np.array([classes.index(label) if label in classes else -1 for label in labels.labels])
    there = places[labels.codes] >= 0
    kept = table[there]
    return replace(kept, target=replace(kept.labels, labels=classes, codes=places[kept.labels.codes]))


# Changes of the new records.


def nothing(table: Table, _: Model, __: Random) -> Table:
    """New records of the same kind: every alarm is false."""
    return table


def label_doubles(table: Table, _: Model, random: Random) -> Table:
    """The second most frequent label becomes twice as frequent, against the others."""
    codes = table.labels.codes
    second = int(np.argsort(-np.bincount(codes, minlength=2), kind="stable")[1])
    weights = np.where(codes == second, 2.0, 1.0)
    return table[random.choice(len(table), len(table), p=weights / weights.sum())]


def number_grows(table: Table, model: Model, _: Random) -> Table:
    """A number that rules test grows by half a standard deviation."""
    return _changing(table, model, lambda one: len(one.numbers) > 1, _grown)


def _grown(column: Column) -> Column:
    cells = np.append(column.numbers, np.nan)[np.minimum(column.codes, len(column.numbers))]
    numbers, places = np.unique(column.numbers + np.nanstd(cells) / 2, return_inverse=True)  # rounding may merge some
    rest = np.arange(len(column.numbers), column.missing + 1) - len(column.numbers) + len(numbers)
    return replace(column, numbers=numbers, codes=np.append(places, rest)[column.codes])


def category_renamed(table: Table, model: Model, _: Random) -> Table:
    """The most frequent category of a feature that rules test is written in another way."""
    return _changing(table, model, lambda one: len(one.categories) > 0, _renamed)


def _renamed(column: Column) -> Column:
    first = len(column.numbers)
    often = first + int(np.argmax(column.counts()[first:-1]))
    codes = column.codes.astype(np.int64)
    moved = np.where(codes == often, column.missing, np.where(codes == column.missing, column.missing + 1, codes))
    return replace(column, categories=(*column.categories, "\U0010ffff"), codes=moved)


def cells_lost(table: Table, model: Model, random: Random) -> Table:
    """One in ten cells of a feature that rules test is missing."""

    def lost(column: Column) -> Column:
        gone = random.random(len(column)) < 0.1
        return replace(column, codes=np.where(gone, column.missing, column.codes))

    return _changing(table, model, lambda _: True, lost)


def labels_wrong(table: Table, _: Model, random: Random) -> Table:
    """One in five labels is another one: the rules no longer fit."""
    labels = table.labels
    other = (labels.codes + random.integers(1, len(labels.labels), len(table))) % len(labels.labels)
    codes: NDArray[np.intp] = np.where(random.random(len(table)) < 0.2, other, labels.codes)
    return replace(table, target=replace(labels, codes=codes))


def _changing(table: Table, model: Model, fits: Callable[[Column], bool], change: Callable[[Column], Column]) -> Table:
    """The table with one column changed: the first of those that the rules test, in their order."""
    tested = list(dict.fromkeys(one.feature for rule in model.program.rules for one in rule.literals()))
    name = next((name for name in tested if fits(table.column(name))), None)
    columns = [change(one) if one.name == name else one for one in table.columns]
    return replace(table, columns=tuple(columns))


CHANGES: Mapping[str, Change] = {
    "nothing": nothing,
    "a label twice as frequent": label_doubles,
    "a number grows by half a standard deviation": number_grows,
    "a category is renamed": category_renamed,
    "one in ten cells is lost": cells_lost,
    "one in five labels is wrong": labels_wrong,
}


OPTIMISM = "nothing, but precision is compared with training"
"""What `watch` does not do, because training overstates the precision of rules."""


def alarms(table: Table, algorithm: str, runs: int) -> Iterator[dict[str, bool | None]]:
    """For each run and change, whether there is an alarm; None where the change does not apply."""
    for run in range(runs):
        random = np.random.default_rng(run)
        rows = random.permutation(len(table))[:MOST]
        cut = len(rows) // 5
        model = trained(table[rows[cut:]], algorithm)
        new = _known(table[rows[:cut]], model)
        found: dict[str, bool | None] = {}
        for name, change in CHANGES.items():
            changed = change(new, model, random)
            same = name != "nothing" and changed.columns == new.columns and changed.target is new.target
            truth = changed.labels.codes.astype(np.intp)
            found[name] = None if same else bool(watch(model, changed, truth).moved)
        found[OPTIMISM] = _fallen(model, new)
        yield found


def _fallen(model: Model, new: Table) -> bool:
    """Whether the precision of some rule would have moved, if it were compared with that of training."""
    now, was = count_rule_decisions(model.program, new), model.statistics
    pairs = zip(now.right, now.support, was.right, was.support, strict=True)
    return min(adjust_p_values([share_p_value(*pair) for pair in pairs])) <= ALPHA


def tables() -> Iterator[tuple[str, Table]]:
    """The datasets, and two that are generated: with rules behind the labels, and with none."""
    folder = datasets.find(["adult"])
    names = json.loads((Path(folder[0].path).parent / "manifest.json").read_text("utf-8")) if folder else []
    for one in datasets.find(names):
        if one.path.is_file() and len(one.features) <= 100:
            yield one.name, one.table()
    made = generate.table(generate.draw(20 * MOST))
    yield "generated", made
    shuffled = np.random.default_rng(0).permutation(made.labels.codes)
    yield "generated, labels by chance", replace(made, target=replace(made.labels, codes=shuffled))


def main(runs: int = 10) -> None:
    """Print, for each learner and change, in which share of the runs there is an alarm."""
    data = list(tables())
    for algorithm in ("unless", "fold-rm"):
        found = [one for _, table in data for one in alarms(table, algorithm, runs)]
        for name in (*CHANGES, OPTIMISM):
            said = [one[name] for one in found if one[name] is not None]
            print(f"{algorithm:8}  {name:48}  {np.mean(said):6.1%} of {len(said):,} runs", flush=True)


if __name__ == "__main__":
    main()
