"""The page about accuracy, from the figures of every method on every dataset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from benchmarks.datasets import ABSENT
from benchmarks.methods import BINARY, LIMITED, METHODS, SMOOTHINGS
from benchmarks.peers import FROM_FRAME
from benchmarks.report import Target, duration, times
from benchmarks.timing import geometric_mean
from unless.model import SMOOTHING

__all__ = ["LEAST", "Figures", "Record", "page"]

Record = dict[str, Any]
"""What is kept of a method on a dataset: its figures, or ``failed`` and the reason."""

LEAST = 1e-6
"""Of a probability, for the log-loss: a class that training did not have would make it infinite."""

_HEAD = """# Accuracy

This page is written by `python -m benchmarks.accuracy`. Five-fold cross-validation, the same folds for every method:
rows shuffled with a fixed seed, fold = position modulo 5, cells read as in the authors' files (`missing=()`). A figure
is the mean over the folds. A record that FOLD-RM leaves unclassified counts as wrong. FOLD-R++ learns the second label.
XGBoost and LightGBM have native categories, text among numbers is NaN, and default parameters, but LightGBM XGBoost's
`min_child_weight=1`: with its own it diverges where classes are rare. The depth of DecisionTree is tuned by an inner
cross-validation, categories are ordinal codes. The others are for two classes: RIPPER (`wittgenstein`), with text for
categories, and the rule lists of `imodels`, with indicators, BayesianRuleList with 2,000 iterations instead of 50,000;
all three with default parameters otherwise.
"""

_SIZED = ("Unless", "FOLD-RM", "FOLD-R++", "DecisionTree", "GreedyRuleList", "RIPPER")


@dataclass(frozen=True, slots=True)
class Figures:
    """The records by dataset and method, and the datasets that the targets are about."""

    results: Mapping[str, Mapping[str, Record]]
    chosen: Sequence[str]

    def have(self, name: str, *methods: str) -> bool:
        """Whether all these methods ran on a dataset."""
        found = self.results.get(name, {})
        return all(method in found and "failed" not in found[method] for method in methods)

    def where(self, *methods: str, among: Iterable[str] | None = None) -> list[str]:
        """The datasets on which all these methods ran."""
        return [name for name in (self.results if among is None else among) if self.have(name, *methods)]

    def get(self, name: str, method: str, figure: str = "accuracy") -> float:
        """A figure that is there."""
        return float(self.results[name][method][figure])

    def shown(self, name: str, method: str, figure: str, form: str) -> str:
        """A figure, or a dash."""
        there = self.have(name, method) and figure in self.results[name][method]
        return f"{self.get(name, method, figure):{form}}" if there else "–"

    def mean(self, names: Iterable[str], method: str) -> float:
        """The mean accuracy of a method on datasets where it ran."""
        return fmean(self.get(name, method) for name in names)

    def quality(self, method: str, smoothing: str | None = None) -> list[str]:
        """The mean log-loss and calibration error of a method over all datasets."""
        ran = [self.results[name][method] for name in self.where(method)]
        pairs = [record["proba"] if smoothing is None else record["smoothed"][smoothing] for record in ran]
        return [f"{fmean(part):.4f}" for part in zip(*pairs, strict=True)] or ["–", "–"]


def page(figures: Figures) -> str:
    """The figures as a page in Markdown."""
    if not any(figures.results.values()):
        return f"# Accuracy\n\n{ABSENT}\n"
    parts = [_HEAD, _targets(figures), _accuracies(figures), _sizes(figures), _times(figures), _probabilities(figures)]
    parts += [_frames(figures), _failures(figures), _load(figures)]
    return "\n".join(part for part in parts if part)


def _targets(figures: Figures) -> str:
    words = {True: "yes", False: "**no**", None: "not measured"}
    targets = [*_promises(figures), *_frame_targets(figures)]
    rows = [[target.what, target.target, target.measured, words[target.met]] for target in targets]
    return _table(["what", "target", "measured", "met"], rows)


def _promises(figures: Figures) -> list[Target]:
    both = figures.where("Unless", "FOLD-RM", among=figures.chosen)
    if not both:
        return []
    gaps = {name: figures.get(name, "Unless") - figures.get(name, "FOLD-RM") for name in both}
    worst, mean = min(gaps, key=lambda name: gaps[name]), figures.mean(both, "Unless")
    ours = geometric_mean(figures.get(name, "Unless", "rules") for name in both)
    theirs = geometric_mean(figures.get(name, "FOLD-RM", "rules") for name in both)
    rules = f"{ours:.1f} / {theirs:.1f} = {ours / theirs:.0%}"
    return [
        Target(f"mean accuracy of Unless over {len(both)} datasets", "≥ 0.900", f"{mean:.4f}", mean >= 0.9),
        Target("worst against FOLD-RM", "≥ −2 points", f"{100 * gaps[worst]:+.1f} ({worst})", gaps[worst] >= -0.02),
        Target("geometric mean of rules, of FOLD-RM's", "≤ 72 %", rules, ours <= 0.72 * theirs),
    ]


def _frame_targets(figures: Figures) -> list[Target]:
    targets = []
    for peer, each in (("XGBoost", True), ("LightGBM", True), ("DecisionTree", False)):
        raced = figures.where("frame")
        ratios = {name: figures.get(name, "frame", peer) / figures.get(name, "frame", "Unless") for name in raced}
        if not ratios:
            continue
        worst, mean = min(ratios, key=lambda name: ratios[name]), geometric_mean(ratios.values())
        goal = "≥ ×1 on each" if each else "≥ ×1 in the geometric mean"
        shown = f"{times(mean)}; worst {times(ratios[worst])} ({worst})"
        met = (ratios[worst] if each else mean) >= 1
        targets.append(Target(f"fit from a frame, {peer}'s time over ours", goal, shown, met))
    return targets


def _accuracies(figures: Figures) -> str:
    rows = [[name, *(figures.shown(name, method, "accuracy", ".3f") for method in METHODS)] for name in figures.results]
    for title, names in (
        (f"**mean of the first {len(figures.chosen)}**", figures.chosen),
        ("**mean**", figures.results),
    ):
        rows.append([title, *(_mean(figures, list(names), method) for method in METHODS)])
    quick = [method for method in METHODS if method not in LIMITED]
    notes = [("two classes", figures.where(*quick), quick)]
    notes += [
        (f"two classes where {method} ran", figures.where("Unless", method), ["Unless", method]) for method in LIMITED
    ]
    told = [
        f"On the {len(names)} datasets of {what}: "
        + ", ".join(f"{method} {figures.mean(names, method):.4f}" for method in methods)
        + ".\n"
        for what, names, methods in notes
        if names
    ]
    intro = "A mean is given where a method ran on every dataset. The targets are about the first 28.\n"
    return "\n".join(["## Accuracy by dataset\n", intro, _table(["data", *METHODS], rows), *told])


def _mean(figures: Figures, names: Sequence[str], method: str) -> str:
    whole = len(figures.where(method, among=names)) == len(names)
    return f"**{figures.mean(names, method):.4f}**" if whole else "–"


def _sizes(figures: Figures) -> str:
    rows = [
        [
            name,
            *(
                " / ".join(figures.shown(name, method, size, ".1f") for size in ("rules", "literals"))
                for method in _SIZED
            ),
        ]
        for name in figures.results
    ]
    intro = """## Rules / literals

Every flattened rule counts, exceptions and the last rule included; of a tree, its leaves and the tests before each.
"""
    return intro + "\n" + _table(["data", *_SIZED], rows)


def _times(figures: Figures) -> str:
    def cell(name: str, method: str) -> str:
        return duration(figures.get(name, method, "seconds")) if figures.have(name, method) else "–"

    rows = [[name, *(cell(name, method) for method in METHODS)] for name in figures.results]
    intro = """## Time to fit

On a ready table (ours) or matrix (the others), one thread, the median over the folds; of DecisionTree the tuned tree.
"""
    return intro + "\n" + _table(["data", *METHODS], rows)


def _probabilities(figures: Figures) -> str:
    rows = [[method, *figures.quality(method)] for method in METHODS if method not in BINARY]
    smoothed = [
        [amount, *figures.quality("Unless", amount), *figures.quality("FOLD-RM", amount)]
        for amount in map(str, SMOOTHINGS)
    ]
    intro = f"""## Probabilities

Log-loss (probabilities of at least {LEAST:g}) and expected calibration error (ten bins of confidence), means over the
datasets:
"""
    why = f"""A rule's probabilities are those of the training records that it decided, plus some records of the prior.
The package adds {SMOOTHING:g}, chosen from this table, so that its own row above is a little too good:
"""
    header = ["records of the prior", "Unless: log-loss", "Unless: ECE", "FOLD-RM: log-loss", "FOLD-RM: ECE"]
    return "\n".join([intro, _table(["method", "log-loss", "ECE"], rows), why, _table(header, smoothed)])


def _frames(figures: Figures) -> str:
    rows = []
    for name in figures.where("frame"):
        ours = figures.get(name, "frame", "Unless")
        theirs = [figures.get(name, "frame", peer) for peer in FROM_FRAME]
        rows.append([name, duration(ours), *(f"{duration(other)}, {times(other / ours)}" for other in theirs)])
    intro = """## Fit from a frame

`UnlessClassifier().fit(X, y)` from a pandas frame, the peers with what they need to encode text; two threads, medians.
"""
    return intro + "\n" + _table(["data", "Unless", *FROM_FRAME], rows) if rows else ""


def _failures(figures: Figures) -> str:
    failed = [
        [method, name, record["failed"].replace("|", "/")]
        for name, found in figures.results.items()
        for method, record in found.items()
        if "failed" in record
    ]
    return "## What did not run\n\n" + _table(["method", "data", "why"], sorted(failed)) if failed else ""


def _load(figures: Figures) -> str:
    """What other processes took while the methods ran, without which times mean little."""
    told = [record.get("others") for found in figures.results.values() for record in found.values()]
    known = [others for others in told if others is not None]
    if len(known) < len(told):
        return "How busy the machine was meanwhile is not known: **the times are not to be relied on**.\n"
    return f"Other processes took {fmean(known):.2f} cores meanwhile; the fewer, the more the times are worth.\n"


def _table(header: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    names = list(header)
    return "".join(f"| {' | '.join(line)} |\n" for line in [names, ["---"] * len(names), *rows])
