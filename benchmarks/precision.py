"""Whether rules are right as often as they are expected to be, and within the intervals that are stated.

``python -m benchmarks.precision`` learns from samples of 300, 1,000 and 3,000 records, as ``unless fit`` does, which
holds back a fifth of them, and as the classifiers do, which hold back nothing. Of each rule that decides at least 100
of up to 8,000 other records of its table, it compares the share that is right there with what the model says. That
share is itself uncertain; nothing is added to the intervals for that. The estimate
(`model.Statistics.expected_precision`) was chosen on every other table, in the order of their names, and confirmed on
the others; docs/quality.md has the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks import accuracy_datasets
from benchmarks.planted import PLANTED, planted
from unless import Table
from unless.errors import UnlessError
from unless.estimators.holdout import Holdout
from unless.estimators.learners import LEARNERS, learn
from unless.evaluation.metrics import count_rule_decisions

__all__ = ["CHOSEN_ON", "CONFIRMED_ON", "LEAST", "WAYS", "Found", "Result", "main", "measured"]

_LARGE = (
    *("adult", "avila", "dry-bean", "eeg", "intention", "kr-vs-kp", "mushroom", "nursery", "optidigits", "pageblocks"),
    *("pendigits", "rain", "shuttle", "wall-robot", "weight-lift", "AER/HealthInsurance", "AER/NMES1988"),
    *("AER/SmokeBan", "COUNT/rwm1984", "DAAG/monica", "DAAG/nsw74psid1", "Ecdat/Benefits", "Ecdat/Car", "Ecdat/Catsup"),
    *("Ecdat/Cracker", "Ecdat/Males", "Ecdat/Tobacco", "Ecdat/Train", "Ecdat/Workinghours", "MASS/Aids2"),
    *("Stat2Data/Kershaw", "carData/Arrests", "carData/Chile", "carData/WVS", "ggplot2/diamonds", "lme4/VerbAgg"),
    *("modeldata/credit_data", "modeldata/hotel_rates", "modeldata/hpc_data", "modeldata/mlc_churn"),
    *("modeldata/stackoverflow", "modeldata/wa_churn", "openintro/birds", "openintro/email"),
    *("openintro/loans_full_schema", "openintro/yrbss", "ratdat/complete", "stevedata/TV16", "stevedata/gss_abortion"),
    *("survival/flchain", "survival/nwtco", "survival/rotterdam", "wooldridge/alcohol", "wooldridge/fertil2"),
    *("wooldridge/happiness", "wooldridge/k401ksubs"),
)
_PLANTED_LATER = tuple(
    name for name in PLANTED if name.startswith(("planted 3 ", "planted 12 ", "blobs of 3 ", "blobs of 20 ", "circles"))
)
_NAMES = sorted((*_LARGE, *(name for name in PLANTED if name not in _PLANTED_LATER)))
_KEEL = ("banana", "letter", "magic", "marketing", "phoneme", "ring", "satimage", "spambase", "texture", "twonorm")

CHOSEN_ON = tuple(_NAMES[::2])
CONFIRMED_ON = (*_NAMES[1::2], *_KEEL)
"""The tables with enough records; those that are not there are left out."""

ONCE_ON = (
    *("AER/HealthInsurance: education", "AER/HealthInsurance: married", "AER/NMES1988: insurance", "AER/SmokeBan: ban"),
    *("DAAG/monica: highbp", "DAAG/monica: hosp", "Ecdat/Males: industry", "Ecdat/Males: maried"),
    *("carData/Arrests: checks", "ggplot2/diamonds: clarity", "ggplot2/diamonds: color", "modeldata/credit_data: Home"),
    *("modeldata/hotel_rates: assigned_room_type", "modeldata/hotel_rates: customer_type"),
    *("modeldata/stackoverflow: Web_developer", "modeldata/wa_churn: partner", "modeldata/wa_churn: payment_method"),
    *("openintro/birds: effect", "openintro/loans_full_schema: homeownership"),
    *("openintro/loans_full_schema: loan_purpose", "openintro/yrbss: race", "stevedata/gss_abortion: absingle"),
    *("stevedata/gss_abortion: partyid", "wooldridge/happiness: owngun", "wooldridge/happiness: workstat"),
    *_PLANTED_LATER,
)
"""Other columns of R's tables as labels, and other planted tables: run once, after everything else was done."""

SIZES = (300, 1_000, 3_000)
LEAST, _MOST, _OTHERS = 100, 8_000, 1_500
"""How many other records a rule must decide, and how many there are at most, and at least."""
_SEEDS = 3
_ENOUGH = 100
"""So many rules of a table tell how often its intervals hold."""


@dataclass(frozen=True, slots=True)
class Found:
    """A rule: the share right in training, what is expected, the ends of the interval, and the share found."""

    trained: float
    expected: float
    low: float
    high: float
    found: float

    @property
    def inside(self) -> bool:
        """Whether the interval has what was found."""
        return self.low <= self.found <= self.high


@dataclass(frozen=True, slots=True)
class Way:
    """A learner with its parameters, the share that it holds back, and how many samples are enough."""

    algorithm: str
    held_back: float
    parameters: Mapping[str, Any]
    seeds: int = _SEEDS


def _ways() -> Iterator[tuple[str, Way]]:
    taught = {"teacher": "committee"}
    for share, names in (
        (0.0, ("FoldRPPClassifier", "FoldRMClassifier", "UnlessClassifier", 'UnlessClassifier(teacher="committee")')),
        (0.2, ("unless fit -a fold-rpp", "unless fit -a fold-rm", "unless fit", "unless fit --teacher committee")),
    ):
        for name, algorithm in zip(names, ("fold-rpp", "fold-rm", "unless", "unless"), strict=True):
            distilled = "committee" in name
            yield name, Way(algorithm, share, taught if distilled else {}, 1 if distilled else _SEEDS)


WAYS = dict(_ways())
"""Learners, by what users write."""


def measured(table: Table, way: Way, size: int, seed: int) -> list[Found]:
    """What is expected of the rules that decide enough of the records that were not in a sample, and what is found."""
    order = np.random.default_rng(seed + 100).permutation(len(table))
    fresh = table[order[size : size + _MOST]]
    parts = Holdout.of(table[order[:size]], way.held_back, seed)
    model = parts.tested(learn(LEARNERS[way.algorithm](n_jobs=1, **way.parameters), parts.records).model)
    trained, found = model.statistics, count_rule_decisions(model.program, fresh)
    low, high = trained.expected_between
    return [
        Found(
            float(trained.precision[rule]),
            float(trained.expected_precision[rule]),
            float(low[rule]),
            float(high[rule]),
            float(found.precision[rule]),
        )
        for rule in range(len(model.program.rules))
        if found.support[rule] >= LEAST
    ]


@dataclass(frozen=True, slots=True)
class Result:
    """The rules of one way of learning, by table."""

    tables: Mapping[str, Sequence[Found]]

    @property
    def rules(self) -> list[Found]:
        """The rules of all tables."""
        return [one for some in self.tables.values() for one in some]

    @property
    def lowest(self) -> tuple[float, str] | None:
        """The lowest share of rules inside, of the tables that have enough rules, and its table."""
        shares = [
            (fmean(one.inside for one in some), name) for name, some in self.tables.items() if len(some) >= _ENOUGH
        ]
        return min(shares, default=None)

    def cells(self) -> list[str]:
        """The cells of a row of the table."""
        rules, lowest = self.rules, self.lowest
        trained, expected, found = (
            float(np.nanmean([getattr(one, name) for one in rules])) for name in ("trained", "expected", "found")
        )
        return [
            f"{sum(map(bool, self.tables.values()))}",
            f"{len(rules):,}",
            f"{trained:.3f}",
            f"{expected:.3f}",
            f"{found:.3f}",
            f"{round(expected - found, 3) + 0.0:+.3f}".replace("-", "−"),
            f"{fmean(one.inside for one in rules):.1%}",
            "–" if lowest is None else f"{lowest[0]:.0%} ({lowest[1]})",
            f"{fmean(one.high - one.low for one in rules):.2f}",
        ]


HEADINGS = (
    *("", "tables", "rules", "right in training", "expected", "right on others", "expected − right"),
    *("inside", "lowest of a table", "width"),
)


def main(groups: Mapping[str, Sequence[str]] | None = None) -> None:
    """Print a table of Markdown for each group of tables."""
    for title, names in (groups or {"chosen on": CHOSEN_ON, "confirmed on": CONFIRMED_ON, "once": ONCE_ON}).items():
        results: dict[str, dict[str, list[Found]]] = defaultdict(lambda: defaultdict(list))
        for name, table in _tables(names):
            for said, way in WAYS.items():
                if way.algorithm == "fold-rpp" and len(table.labels.labels) > 2:
                    continue
                results[said][name] = [one for size in SIZES for one in _samples(table, way, size)]
        print(f"\n{title}\n", f"| {' | '.join(HEADINGS)} |", "|---" * len(HEADINGS) + "|", sep="\n")
        for said in filter(lambda one: Result(results[one]).rules, WAYS):
            print(f"| `{said}` | {' | '.join(Result(results[said]).cells())} |", flush=True)


def _samples(table: Table, way: Way, size: int) -> Iterator[Found]:
    """The rules of all samples of a size, if the table has enough records."""
    if len(table) >= size + _OTHERS and (size == 1_000 or not way.parameters):  # committees take long
        for seed in range(way.seeds):
            try:
                yield from measured(table, way, size, seed)
            except UnlessError as error:  # a sample that has one label only
                print(f"{size} records, {way.algorithm}: {error}")


def _tables(names: Iterable[str]) -> Iterator[tuple[str, Table]]:
    for name in names:
        known, _, column = name.partition(": ")
        if name in PLANTED:
            yield name, planted(name)
        elif accuracy_datasets.present([known]):
            yield name, accuracy_datasets.load(known, column)


if __name__ == "__main__":
    main()
