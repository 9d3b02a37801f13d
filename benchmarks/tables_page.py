"""The page about the paper's tables: every figure of the paper beside ours, and why some differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean

from benchmarks import paper
from benchmarks.contests import CONTESTS, REPEATS, dataset_of, rows_of
from benchmarks.figures import Figures
from benchmarks.paper import BINARY, MLP, RIPPER, XGBOOST
from benchmarks.raw import Raw
from benchmarks.report import QUIET, duration, table, times
from benchmarks.stale import line
from benchmarks.timing import geometric_mean

__all__ = ["POINTS", "SHARE", "Difference", "Reason", "differences", "page", "reasons"]

POINTS, SHARE = 0.02, 0.2
"""How far accuracy and rules may be from the paper's before the page must say why."""

_METHODS = {
    BINARY: ("FOLD-R++", "XGBoost one-hot", "XGBoost", "RIPPER", "Unless", "UnlessCommittee"),
    XGBOOST: ("FOLD-RM", "XGBoost one-hot", "XGBoost", "Unless", "UnlessCommittee"),
    MLP: ("FOLD-RM", "MLP one-hot", "MLP", "Unless", "UnlessCommittee"),
    RIPPER: ("FOLD-RM", "JRip", "Unless"),
}
"""The columns of our tables."""

_COMPARED = ("FOLD-R++", "FOLD-RM", "XGBoost one-hot", "MLP one-hot", "JRip")
"""Those that run as the paper's did; the others may differ as they like."""

_TITLES = {
    BINARY: "FOLD-R++ and XGBoost, two labels",
    XGBOOST: "FOLD-RM and XGBoost",
    MLP: "FOLD-RM and MLP",
    RIPPER: "FOLD-RM and RIPPER",
}

_PLACES = {BINARY: "first", XGBOOST: "second", MLP: "third", RIPPER: "last"}
"""Which of the four tables of results it is."""

_HEAD = """# The paper's tables

Every figure of the paper's four tables of results beside ours, and why some differ. This page is
written by `make tables` (`python -m benchmarks.tables`) from `benchmarks/tables.json`, which has every fold. The paper is
*FOLD-RM: A Scalable, Efficient, and Explainable Inductive Learning Algorithm for Multi-Category Classification of Mixed Data*
(Wang, Shakerin, Gupta, [arXiv:2202.06913](https://arxiv.org/abs/2202.06913)).

**In brackets is the paper's figure**, as it is printed. A row that differs by more than 2 points of accuracy or 20 % of the rules
links to the reason.

- The first three tables are ten-fold cross-validation: rows are shuffled with a fixed seed, and every method has the same folds.
  The last repeats a split fifty times: two thirds to learn from, one third to predict.
- FOLD-R++ and FOLD-RM have the ratio 0.5. A record that FOLD-RM leaves unclassified counts as wrong, as in the paper.
- With two labels, precision, recall and F1 are those of the label that FOLD-R++ learns rules for; in the other tables they are means
  over the labels, weighted by their records.
- Every flattened rule counts, exceptions and the last rule included; of a committee the rules of all its lists.
- Times are seconds to fit on one thread, the median over the folds: CPU, then wall. The paper's are from another machine, so only
  ratios can be compared.

| method | what it is |
| --- | --- |
| FOLD-R++, FOLD-RM | as published: `FoldRPPClassifier`, `FoldRMClassifier(otherwise=None)` |
| XGBoost one-hot, MLP one-hot | as the paper seems to have run them: untuned; columns of numbers only as they are, and where there are categories too, an indicator for every value of every column, of numbers as well. On numbers only, XGBoost one-hot is the same fit as XGBoost, and has its figures |
| XGBoost, MLP | as a careful user would: native categories; indicators of categories, numbers scaled |
| JRip, RIPPER | Weka's, for any number of labels; `wittgenstein`'s, for two labels: rules for the rarer one. None of the eight datasets of the last table has two labels |
| Unless, UnlessCommittee | `UnlessClassifier()`, `UnlessCommittee()` |
"""  # noqa: E501 - a table


def page(raw: Raw) -> str:
    """The whole page in Markdown."""
    figures = raw.figures()
    told = {key for reason in reasons() for key in reason.cells}
    found = list(differences(figures))
    parts = [_HEAD, f"{line('paper')}\n", _summary(figures, found), _PLOTS]
    parts += [_section(raw, figures, label, {one.row for one in found}) for label in _METHODS]
    parts += ["## Why rows differ\n", _WHY, *(_reason(raw, figures, reason) for reason in reasons())]
    parts += [_untold([one for one in found if one.key not in told]), _not_run(raw, figures), _conditions(raw, figures)]
    return "\n".join(part for part in parts if part)


_PLOTS = """![Mean accuracy of every method against its rules](images/paper-accuracy.svg)

![How many times as long as FOLD-RM or FOLD-R++ each method takes](images/paper-speed.svg)

![Time to fit against the number of records](images/paper-growth.svg)
"""


# Differences.


@dataclass(frozen=True, slots=True)
class Difference:
    """A row where a method is far from the paper."""

    row: str
    method: str

    @property
    def key(self) -> tuple[str, str]:
        """As `Reason.cells` has it."""
        return self.row, self.method


def differences(figures: Figures) -> Iterator[Difference]:
    """Where accuracy or rules are further from the paper's than they may be, each once."""
    seen = set()
    for label, methods in _METHODS.items():
        for row in rows_of(label):
            for method in methods:
                if method in _COMPARED and (row, method) not in seen and _differs(figures, label, row, method):
                    seen.add((row, method))
                    yield Difference(row, method)


def _differs(figures: Figures, label: str, row: str, method: str) -> bool:
    printed, accuracy = _printed(label, row, method), figures.get(row, method)
    if not printed or accuracy is None:
        return False
    far = abs(accuracy - printed["accuracy"]) > POINTS + 1e-9
    rules = figures.get(row, method, "rules")
    return far or (rules is not None and "rules" in printed and abs(rules / printed["rules"] - 1) > SHARE)


def _printed(label: str, row: str, method: str) -> Mapping[str, float]:
    """What the paper prints for a cell."""
    return paper.load()[label][dataset_of(row)].get(CONTESTS[method].paper or "", {})


# Reasons.


@dataclass(frozen=True, slots=True)
class Reason:
    """Why some cells differ: hand-written, with the method whose figures show it."""

    name: str
    title: str
    text: str
    shown_by: Mapping[str, str]
    rows: Mapping[str, Sequence[str]]

    @property
    def cells(self) -> list[tuple[str, str]]:
        """The rows and methods that it explains."""
        return [(row, method) for method, rows in self.rows.items() for row in rows]


@cache
def reasons() -> list[Reason]:
    """Those of the file beside this one."""
    known = json.loads(Path(__file__).with_name("reasons.json").read_text("utf-8"))
    return [Reason(name, **entry | {"text": "\n".join(entry["text"])}) for name, entry in known.items()]


_WHY = """Each reason was checked by an experiment: the figures in the table below it ran as everything else did;
others in its text were runs on the side, which `make tables` does not repeat.
Accuracy and rules are means over ten folds; *shuffles* are the least and the greatest mean over five shuffles.
"""


def _reason(raw: Raw, figures: Figures, reason: Reason) -> str:
    rows = [_evidence(raw, figures, reason, row, method) for row, method in reason.cells]
    header = ["data", "method", "paper", "ours", "shuffles", *dict.fromkeys(reason.shown_by.values())]
    return f"### {reason.title}\n\n{reason.text}\n\n" + table(header, rows)


def _evidence(raw: Raw, figures: Figures, reason: Reason, row: str, method: str) -> list[str]:
    label = next(label for label, methods in _METHODS.items() if row in rows_of(label) and method in methods)
    printed = _printed(label, row, method)
    shown = [
        _pair(figures, row, variant) if reason.shown_by.get(method) == variant else "–"
        for variant in dict.fromkeys(reason.shown_by.values())
    ]
    said = f"{printed['accuracy']:.2f}" + (f", {printed['rules']:g} rules" if "rules" in printed else "")
    return [row, method, said, _pair(figures, row, method), _between(raw, row, method), *shown]


def _between(raw: Raw, row: str, method: str) -> str:
    """The least and the greatest of the shuffles: accuracy, and rules."""
    accuracy, rules = (raw.shuffles(row, method, figure) for figure in ("accuracy", "rules"))
    if len(accuracy) < 2:
        return "–"
    said = f"{min(accuracy):.3f} – {max(accuracy):.3f}"
    return said + (f", {min(rules):.1f} – {max(rules):.1f} rules" if rules else "")


def _pair(figures: Figures, row: str, method: str) -> str:
    accuracy, rules = figures.get(row, method), figures.get(row, method, "rules")
    if accuracy is None:
        return figures.failures.get((row, method), "not run yet")
    counted = rules is not None and not method.startswith(("XGBoost", "MLP"))
    return f"{accuracy:.3f}" + (f", {rules:.1f} rules" if counted else "")


def _untold(left: Sequence[Difference]) -> str:
    if not left:
        return ""
    rows = [[one.row, one.method] for one in left]
    return "### Not looked into\n\nThese differ too, and nobody has found out why.\n\n" + table(
        ["data", "method"], rows
    )


# Tables.

_QUALITY = ("precision", "recall", "f1")


def _section(raw: Raw, figures: Figures, label: str, marked: set[str]) -> str:
    methods = _METHODS[label]
    told = f"The {_PLACES[label]} of the four tables" + (f", {REPEATS} repeats.\n" if label == RIPPER else ".\n")
    parts = [f"## {_TITLES[label]}\n", told, _accuracies(raw, figures, label, marked), _rules(figures, label)]
    if label != RIPPER:
        parts.append(_qualities(figures, label))
    return "\n".join([*parts, _times(figures, label, methods)])


def _name(row: str, marked: set[str]) -> str:
    return f"[{dataset_of(row)}](#why-rows-differ)" if row in marked else dataset_of(row)


def _accuracies(raw: Raw, figures: Figures, label: str, marked: set[str]) -> str:
    rows = [
        [_name(row, marked), *(_cell(raw, figures, label, row, method) for method in _METHODS[label])]
        for row in rows_of(label)
    ]
    return "Accuracy:\n\n" + table(["data", *_METHODS[label]], rows)


def _cell(raw: Raw, figures: Figures, label: str, row: str, method: str) -> str:
    """Our figure with the paper's in brackets, or why there is none."""
    printed = _printed(label, row, method).get("accuracy")
    beside = f" ({printed:.2f})" if printed is not None else ""
    accuracy = figures.get(row, method)
    return (f"{accuracy:.3f}" if accuracy is not None else _lack(raw, figures, row, method)) + beside


def _lack(raw: Raw, figures: Figures, row: str, method: str) -> str:
    """Why a cell has no figure, in a word; the end of the page has more."""
    if row in raw.conditions.get("absent", {}):
        return "no data"
    if (row, method) in figures.failures:
        return _short(figures.failures[row, method])
    part = raw.part(row, method)
    return f"{fmean(line['accuracy'] for line in part):.3f} in {_folds(len(part))}" if part else "not run yet"


def _folds(many: int) -> str:
    return f"{many} fold{'s' * (many != 1)}"


def _short(why: str) -> str:
    return "too slow" if why.startswith("not done in") else "failed"


def _rules(figures: Figures, label: str) -> str:
    methods = [method for method in _METHODS[label] if not method.startswith(("XGBoost", "MLP"))]
    rows = [
        [dataset_of(row), *(_rule_cell(figures, label, row, method) for method in methods)] for row in rows_of(label)
    ]
    return "Rules:\n\n" + table(["data", *methods], rows)


def _rule_cell(figures: Figures, label: str, row: str, method: str) -> str:
    printed, found = _printed(label, row, method).get("rules"), figures.get(row, method, "rules")
    return ("–" if found is None else f"{found:,.1f}") + (f" ({printed:g})" if printed is not None else "")


def _qualities(figures: Figures, label: str) -> str:
    rows = [
        [dataset_of(row), *(_quality(figures, label, row, method) for method in _METHODS[label])]
        for row in rows_of(label)
    ]
    return "Precision / recall / F1:\n\n" + table(["data", *_METHODS[label]], rows)


def _quality(figures: Figures, label: str, row: str, method: str) -> str:
    found = [figures.get(row, method, name) for name in _QUALITY]
    printed = _printed(label, row, method)
    ours = "–" if None in found else " / ".join(f"{value:.2f}" for value in found)
    beside = " / ".join(f"{printed[name]:.2f}" for name in _QUALITY if name in printed)
    return ours + (f" ({beside})" if beside else "")


def _times(figures: Figures, label: str, methods: Sequence[str]) -> str:
    rows = [[dataset_of(row), *(_time(figures, label, row, method) for method in methods)] for row in rows_of(label)]
    base, peer = methods[0], methods[1]
    ours = figures.ratios(rows_of(label), peer, base)
    said = ""
    if ours:
        theirs = [ratio for row in ours if (ratio := _printed_ratio(label, row, peer, base))]
        paper_says = f"; in the paper, on the same datasets, {times(geometric_mean(theirs))}" if theirs else ""
        said = f"\n{peer} takes {times(geometric_mean(ours.values()))} the CPU of {base} (geometric mean of {len(ours)}){paper_says}.\n"  # noqa: E501
    return "Time to fit, CPU, wall (the paper's):\n\n" + table(["data", *methods], rows) + said


def _printed_ratio(label: str, row: str, peer: str, base: str) -> float | None:
    one, other = (_printed(label, row, method).get("ms") for method in (peer, base))
    return one / other if one and other else None


def _time(figures: Figures, label: str, row: str, method: str) -> str:
    cpu, wall = (figures.get(row, method, name) for name in ("cpu", "wall"))
    printed = _printed(label, row, method).get("ms")
    ours = "–" if cpu is None or wall is None else f"{duration(cpu)}, {duration(wall)}"
    return ours + (f" ({duration(printed / 1000)})" if printed is not None else "")


# The whole, and what is lacking.


def _summary(figures: Figures, found: Sequence[Difference]) -> str:
    lines = ["## How close it is\n", _CLOSENESS]
    rows = [_closeness(figures, label, method, found) for label, method in _CLOSE]
    return "\n".join([*lines, table(["method", "datasets", "mean distance from the paper", "rows that differ"], rows)])


_CLOSENESS = """Of accuracy, in points of a hundred. *Keeping E-* and *in file order* are experiments, which show
[why rows differ](#why-rows-differ).
"""

_CLOSE = (
    (BINARY, "FOLD-R++"),
    (XGBOOST, "FOLD-RM"),
    (RIPPER, "FOLD-RM"),
    (XGBOOST, "FOLD-RM keeping E-"),
    (RIPPER, "FOLD-RM keeping E-"),
    (BINARY, "XGBoost one-hot"),
    (BINARY, "XGBoost in file order"),
    (XGBOOST, "XGBoost one-hot"),
    (XGBOOST, "XGBoost in file order"),
    (MLP, "MLP one-hot"),
    (MLP, "MLP in file order"),
    (RIPPER, "JRip"),
)
"""Whose distance from the paper is told, in which table."""

_STANDS_FOR = {
    "FOLD-RM keeping E-": "FOLD-RM",
    "XGBoost in file order": "XGBoost one-hot",
    "MLP in file order": "MLP one-hot",
}
"""Experiments, and the method whose figures of the paper they are compared with."""


def _closeness(figures: Figures, label: str, method: str, found: Sequence[Difference]) -> list[str]:
    printed = {row: _printed(label, row, _STANDS_FOR.get(method, method)) for row in rows_of(label)}
    ours = figures.values(rows_of(label), method)
    gaps = [abs(value - printed[row]["accuracy"]) for row, value in ours.items()]
    many = sum(one.method == method and one.row in ours for one in found)
    distance = f"{100 * sum(gaps) / len(gaps):.1f} points" if gaps else "not run yet"
    return [f"{method}, {_PLACES[label]} table", str(len(gaps)), distance, "–" if method in _STANDS_FOR else str(many)]


def _not_run(raw: Raw, figures: Figures) -> str:
    lacking: Mapping[str, str] = raw.conditions.get("absent", {})
    rows = [[row, "all", why] for row, why in lacking.items() if row not in raw.results]
    rows += [[row, method, why.replace("|", "/")] for (row, method), why in figures.failures.items()]
    for method, contest in CONTESTS.items():
        known = {*lacking, *(row for row in contest.rows if figures.tried(row, method))}
        waiting = [row for row in contest.rows if row not in known]
        rows += [[row, method, _begun(raw, row, method)] for row in waiting if raw.part(row, method)]
        if untouched := [row for row in waiting if not raw.part(row, method)]:
            rows.append([", ".join(untouched), method, "not run yet: `make tables` goes on"])
    intro = """## What has no figure

A fit with its predictions may take so many seconds of CPU; if one fold takes more, the row has no figure. Where only
some folds are done, the tables of accuracy have their mean, and say of how many; nothing else counts them.
"""
    return intro + "\n" + table(["data", "method", "why"], rows) if rows else ""


def _begun(raw: Raw, row: str, method: str) -> str:
    left = raw.left(row, method)
    rest = "" if left is None else f"; the other fits would take about {duration(left)} of CPU"
    return f"{_folds(len(raw.part(row, method)))} done{rest}: `make tables` goes on"


def _conditions(raw: Raw, figures: Figures) -> str:
    known = raw.conditions
    versions = ", ".join(f"{name} {version}" for name, version in known["versions"].items())
    load = ""
    if figures.others is not None:
        load = f" Other processes took {figures.others:.1f} of {known['cores']} cores meanwhile"
        load += "." if figures.others < QUIET else ": **times are worth little**, their ratios a bit more."
    return f"The last run had {versions}; at most {known['limit']:g} s of CPU for a fit.{load}\n"
