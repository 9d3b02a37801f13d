"""What decisions cost on unseen records, if mistakes are not equally bad.

``python -m benchmarks.costs`` learns from half of at most 2,500 records of each table and decides the other half, both
ways round. Missing the rarer label costs 2, 5 or 20 times as much as a false alarm; in the table with amounts, a bad
credit costs its amount, and a refused good one a fifth of it. Figures are relative to the better constant label.
Nothing was chosen on the second group. It writes ``benchmarks/costs.json``, and the table of docs/how-to/costs.md.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import make_scorer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV, cross_val_predict

from benchmarks import accuracy_datasets
from benchmarks.rivals import _frame, _kinds, _matrix
from unless import UnlessClassifier, UnlessCommittee, UnlessWarning
from unless.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHOSEN_ON = (
    *("AER/CreditCard", "COUNT/rwm1984", "DAAG/nsw74psid1", "ISLR/OJ", "modeldata/mlc_churn", "modeldata/wa_churn"),
    *("survival/mgus2", "wooldridge/loanapp"),
)
CONFIRMED_ON = (
    *("AER/SwissLabor", "MASS/Aids2", "stevedata/anes_vote84", "stevedata/voteincome", "survival/flchain"),
    *("survival/rotterdam", "wooldridge/fertil2", "wooldridge/k401ksubs"),
)
AMOUNTS = "modeldata/credit_data"
RATIOS = (2, 5, 20)
WAYS = {
    "committee": "committee, least expected cost",
    "list": "list, least expected cost",
    "tuned": "`TunedThresholdClassifierCV` around the list",
    "xgboost": "XGBoost, threshold tuned by cross-validation",
    "rules": 'list, `decide="rules"`',
    "weights": "list, `class_weight`",
    "plain": "list, no costs",
}
PATH = Path(__file__).with_name("costs.json")
PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "costs.md"
_MOST = 2_500


def halves(name: str) -> Iterator[tuple[Table, Table]]:
    """Yield two pairs of records to learn from and to decide."""
    table = accuracy_datasets.load(name)
    table = table[np.sort(np.random.default_rng(0).permutation(len(table))[:_MOST])]
    parts = StratifiedKFold(2, shuffle=True, random_state=0).split(np.zeros(len(table)), table.labels.codes)
    return ((table[train], table[test]) for train, test in parts)


def mistakes(table: Table, ratio: float | None) -> NDArray[Any]:
    """Return the cost of each label (columns: the frequent one, the rare one) for each record."""
    truth = truths(table)
    if ratio is not None:
        return np.where(truth[:, np.newaxis] == 1, [ratio, 0.0], [0.0, 1.0])
    column = table.column("Amount")
    amount = column.numbers[column.codes]
    return np.where(truth[:, np.newaxis] == 1, np.c_[amount, 0 * amount], np.c_[0 * amount, amount / 5])


def truths(table: Table) -> NDArray[Any]:
    """Return whether each record has the rarer label."""
    counts = np.bincount(table.labels.codes, minlength=2)
    return (table.labels.codes == RARE.get(table.target.name + str(table.labels.labels), counts.argmin())).astype(int)


RARE: dict[str, int] = {}
"""The index of the rarer label, once known: both halves have the same."""


def cheapest(shares: NDArray[Any], ratio: float | None) -> NDArray[Any]:
    """Decide by expected cost, given the probability of the rare label: the definition that ``costs=`` follows."""
    if ratio is not None:
        return (shares * ratio > 1 - shares).astype(int)
    return (shares > (1 - shares) / 5).astype(int)  # both mistakes cost in proportion to the same amount


def decide_all(
    train: Table, test: Table, ratios: tuple[float | None, ...]
) -> Iterator[tuple[float | None, str, Any, int]]:
    """Yield the ratio, the way, the decisions, and how many rules and exceptions decide, if they do."""
    labels, rare = train.labels.labels, int(np.bincount(train.labels.codes, minlength=2).argmin())
    RARE[train.target.name + str(labels)] = rare
    y, frame, other = truths(train), _frame(train), _frame(test)
    names = {"frequent": labels[1 - rare], "rare": labels[rare]}
    target = np.array([names["frequent"], names["rare"]], dtype=object)[y]
    plain = UnlessClassifier(decide="score", warn=False).fit(frame, target)  # its probabilities decide by costs
    many = UnlessCommittee(warn=False, n_jobs=1).fit(frame, target)
    own, votes = (model.predict_proba(other)[:, rare] for model in (plain, many))
    boosted, inner = _boosted(train, test, y)
    by_rule = UnlessClassifier(warn=False).fit(frame, target)
    for ratio in ratios:
        yield ratio, "list", cheapest(own, ratio), _parts(plain)
        yield ratio, "committee", cheapest(votes, ratio), 0
        yield ratio, "xgboost", (boosted > _best_threshold(inner, mistakes(train, ratio))).astype(int), 0
        yield ratio, "plain", _is_rare(by_rule, other, names), _parts(by_rule)
        amount = "Amount" if ratio is None else None
        costs = {(names["rare"], names["frequent"]): amount or ratio, (names["frequent"], names["rare"]): 1}
        if ratio is None:  # a fifth of the amount is another column
            frame, other = (one.assign(fifth=one["Amount"] / 5) for one in (frame, other))
            costs[names["frequent"], names["rare"]] = "fifth"
        rules = UnlessClassifier(costs=costs, decide="rules", warn=False, numeric=["Amount"] if amount else None)
        rules = rules.fit(frame, target)
        yield ratio, "rules", _is_rare(rules, other, names), _parts(rules)
        if ratio is None:
            continue
        weighted = UnlessClassifier(class_weight={names["rare"]: ratio}, warn=False).fit(frame, target)
        yield ratio, "weights", _is_rare(weighted, other, names), _parts(weighted)
        tuned = TunedThresholdClassifierCV(UnlessClassifier(warn=False), scoring=_saving(ratio), cv=5, random_state=0)
        try:
            said = tuned.fit(frame, y).predict(other)
        except ValueError:  # scikit-learn refuses a threshold if all probabilities of a fold are equal
            said = np.full(len(test), int(mistakes(train, ratio).sum(axis=0).argmin()))
        yield ratio, "tuned", said, _parts(plain)


def _boosted(train: Table, test: Table, y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return XGBoost's probabilities of new records, and by cross-validation of the training records."""
    from xgboost import XGBClassifier

    model = XGBClassifier(enable_categorical=True, feature_types=_kinds(train, "c", "q"), n_jobs=1)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    inner = cross_val_predict(model, _matrix(train), y, cv=folds, method="predict_proba")[:, 1]
    return model.fit(_matrix(train), y).predict_proba(_matrix(test))[:, 1], inner


def _best_threshold(shares: NDArray[Any], costs: NDArray[Any]) -> float:
    """Return the threshold on a probability that costs least."""
    order = np.argsort(shares)
    sums = np.cumsum(np.r_[costs[:, 1].sum(), (costs[:, 0] - costs[:, 1])[order]])
    place = int(sums.argmin())
    ends = np.r_[-1.0, shares[order], 2.0]
    return float((ends[place] + ends[place + 1]) / 2)


def _saving(ratio: float) -> Any:
    def saving(truth: NDArray[Any], said: NDArray[Any]) -> float:
        return -float(np.where(truth == 1, ratio * (said == 0), said == 1).sum())

    return make_scorer(saving)


def _is_rare(model: Any, frame: Any, names: dict[str, Any]) -> NDArray[Any]:
    return (model.predict(frame) == names["rare"]).astype(int)


def _parts(model: Any) -> int:
    return len(model.program_.rules) + model.program_.exception_count


# Results.


def measure(say: Callable[[str], object] = print) -> dict[str, Any]:
    """Measure all tables that are there and not in the file yet, and write the file after each."""
    found: dict[str, Any] = json.loads(PATH.read_text("utf-8")) if PATH.exists() else {}
    for name in accuracy_datasets.present((*CHOSEN_ON, *CONFIRMED_ON, AMOUNTS)):
        if name in found:
            continue
        sums: dict[str, list[float]] = {}
        parts: dict[str, list[int]] = {}
        for train, test in halves(name):
            for ratio, way, said, size in decide_all(train, test, (None,) if name == AMOUNTS else RATIOS):
                costs = mistakes(test, ratio)
                key = f"{way} {ratio or 'amount'}"
                add = [float(costs[np.arange(len(said)), said].sum()), *costs.sum(axis=0).tolist()]
                sums[key] = [one + more for one, more in zip(sums.get(key, [0.0, 0.0, 0.0]), add, strict=True)]
                parts.setdefault(key, []).append(size)
        found[name] = {
            key: {"relative": round(cost / min(constant), 4), "parts": fmean(parts[key])}
            for key, (cost, *constant) in sums.items()
        }
        PATH.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        say(name)
    return found


def page_lines(found: dict[str, Any]) -> list[str]:
    """Return the table of the page: a row for each way, the mean of both groups, and the table with amounts."""
    lines = [
        "| way | chosen on | confirmed on | 2:1 | 5:1 | 20:1 | worse than a constant | rules, exceptions | amounts |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    groups = [[name for name in group if name in found] for group in (CHOSEN_ON, CONFIRMED_ON)]
    names = [*groups[0], *groups[1]]
    for way, text in WAYS.items():

        def mean(some: list[str], ratios: tuple[int, ...] = RATIOS, key: str = "relative", way: str = way) -> float:
            return fmean(found[name][f"{way} {ratio}"][key] for name in some for ratio in ratios)

        cells = [mean(group) for group in groups] + [mean(names, (ratio,)) for ratio in RATIOS]
        worse = sum(found[name][f"{way} {ratio}"]["relative"] > 1 for name in names for ratio in RATIOS)
        size = mean(names, key="parts")
        amount = found.get(AMOUNTS, {}).get(f"{way} amount")
        lines.append(
            f"| {text} | {' | '.join(f'{one:.3f}' for one in cells)} | {worse} of {3 * len(names)} | "
            f"{f'{size:.0f}' if size else '–'} | {'–' if amount is None else format(amount['relative'], '.3f')} |"
        )
    return lines


def main() -> None:
    """Measure what is not measured yet, and write the table into the page."""
    warnings.simplefilter("ignore", UnlessWarning)  # some records are beyond the range of the other half
    lines = page_lines(measure(lambda name: print(name, file=sys.stderr, flush=True)))
    start, end = "<!-- costs -->\n", "<!-- end of costs -->"
    text = PAGE.read_text("utf-8")
    if start in text:
        before, _, rest = text.partition(start)
        PAGE.write_text(before + start + "\n".join(lines) + "\n" + end + rest.partition(end)[2], encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
