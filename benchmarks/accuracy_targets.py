"""What our learners promise, against what was measured on datasets that nothing was chosen on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.accuracy_datasets import NOISE, SEEDS
from benchmarks.figures import Figures
from benchmarks.report import Target, times
from benchmarks.timing import geometric_mean

__all__ = ["targets"]

_BOOSTERS = ("XGBoost", "LightGBM")


def targets(figures: Figures, names: Sequence[str]) -> list[Target]:
    """Every promise, in the order of the page, measured on these datasets."""
    parts = (_default_list, _distilled, _committee, _probabilities, _speed)
    return [*(target for part in parts for target in part(figures, names)), *_noise(figures)]


def _default_list(figures: Figures, names: Sequence[str]) -> Iterator[Target]:
    yield _ahead(figures, names, "default list", "Unless", "Unless before", 2)
    yield _fewer(
        figures, names, "default list", "Unless", "Unless before", 0.75, "a quarter fewer than the list before"
    )
    yield _ahead(figures, names, "default list", "Unless", "FOLD-RM", 3)
    yield _ahead(figures, names, "default list", "Unless", "DecisionTree", 1)
    yield _fewer(figures, names, "default list", "Unless", "FOLD-RM", 1, "fewer than FOLD-RM")
    yield _fewer(figures, names, "default list", "Unless", "DecisionTree", 1, "fewer than DecisionTree")
    gaps = {name: 100 * (a - b) for name, (a, b) in figures.pairs(names, "Unless", "FOLD-RM").items()}
    worst = min(gaps, key=lambda name: gaps[name], default=None)
    yield Target(
        "default list: worst against FOLD-RM",
        "≥ −2 points",
        "–" if worst is None else f"{gaps[worst]:+.1f} ({worst})",
        None if worst is None else gaps[worst] >= -2 - 1e-9,
    )


def _distilled(figures: Figures, names: Sequence[str]) -> Iterator[Target]:
    name = "Unless distilled"
    there = [one for one in names if all(figures.get(one, m) for m in (name, "Unless before", "XGBoost"))]
    before, ours, best = (figures.mean(there, method) for method in ("Unless before", name, "XGBoost"))
    way = None if before is None or ours is None or best is None else (ours - before) / (best - before)
    shown = "–" if way is None else f"{way:.0%}: {before:.4f}, {ours:.4f}, {best:.4f}"
    yield Target("distilled list: way from the list before to XGBoost", "≥ 70 %", shown, way and way >= 0.7)
    yield _fewer(figures, names, "distilled list", name, "Unless before", 2, "at most twice the list before")


def _committee(figures: Figures, names: Sequence[str]) -> Iterator[Target]:
    name = "UnlessCommittee"
    for peer in _BOOSTERS:
        yield _ahead(figures, names, "committee", name, peer, 0)
        yield _less(figures, names, "committee: log-loss", name, peer, "loss", 1)
        yield _less(figures, names, "committee: AUC", name, peer, "auc", -1)
        better, same, worse = figures.won(names, name, peer)
        shown = f"{better} won, {same} even, {worse} lost" if better + same + worse else "–"
        met = better > worse if better + same + worse else None
        yield Target(f"committee: datasets against {peer}", "more won than lost", shown, met)
    taken = figures.ratios(names, name, "XGBoost")
    worst = max(taken, key=lambda one: taken[one], default=None)
    yield Target(
        "committee: CPU time to fit, of XGBoost's",
        "≤ ×5 on each",
        "–" if worst is None else f"{times(geometric_mean(taken.values()))}; worst {times(taken[worst])} ({worst})",
        None if worst is None else taken[worst] <= 5,
    )


def _probabilities(figures: Figures, names: Sequence[str]) -> Iterator[Target]:
    yield _less(figures, names, "default list: log-loss", "Unless", "XGBoost", "loss", 1)
    yield _less(figures, names, "default list: AUC", "Unless", "EBM", "auc", -1, slack=0.01)


def _speed(figures: Figures, names: Sequence[str]) -> Iterator[Target]:
    slower = figures.ratios(names, "Unless", "Unless greedy")
    mean = geometric_mean(slower.values()) if slower else None
    shown = "–" if mean is None else f"{times(mean)}; worst {times(max(slower.values()))}"
    yield Target("optimised, of the greedy list's CPU time", "≤ ×5 in the geometric mean", shown, mean and mean <= 5)
    for peer in _BOOSTERS:
        faster = figures.ratios(names, peer, "Unless")
        mean = geometric_mean(faster.values()) if faster else None
        shown = "–" if mean is None else f"{times(mean)}; worst {times(min(faster.values()))}"
        met = None if mean is None else mean >= 4 and min(faster.values()) >= 1
        yield Target(f"default list: {peer}'s CPU time over ours", "≥ ×4 in the geometric mean, ≥ ×1", shown, met)


def _noise(figures: Figures) -> Iterator[Target]:
    silent = figures.values(NOISE, "Unless", "silent")
    worst = min(silent, key=lambda name: silent[name], default=None)
    yield Target(
        "noise: seeds without a rule",
        f"≥ 18 of {SEEDS} each",
        "–" if worst is None else f"worst {silent[worst] * SEEDS:.0f} ({worst})",
        None if worst is None else silent[worst] * SEEDS >= 17.5,
    )


# The forms that promises have.


def _ahead(figures: Figures, names: Sequence[str], what: str, one: str, other: str, points: float) -> Target:
    """So many points of mean accuracy ahead; ahead at all, if it is none."""
    pairs = figures.pairs(names, one, other)
    goal = f"≥ {points:g} points ahead" if points else "ahead"
    if not pairs:
        return Target(f"{what}: accuracy against {_peer(other)}", goal, "–", None)
    ours, theirs = (sum(both) / len(pairs) for both in zip(*pairs.values(), strict=True))
    gap = 100 * (ours - theirs)
    shown = f"{gap:+.2f}: {ours:.4f}, {theirs:.4f}{_some(pairs, names)}"
    return Target(f"{what}: accuracy against {_peer(other)}", goal, shown, gap >= points if points else gap > 0)


def _fewer(  # noqa: PLR0917 - one for each word of the promise
    figures: Figures, names: Sequence[str], what: str, one: str, other: str, share: float, goal: str
) -> Target:
    """The geometric mean of rules, by that of another method."""
    there = figures.pairs(names, one, other, "rules")
    ours, theirs = (figures.middle(there, method) for method in (one, other))
    if ours is None or theirs is None:
        return Target(f"{what}: rules", goal, "–", None)
    shown = f"{ours:.1f} of {theirs:.1f} = {ours / theirs:.0%}{_some(there, names)}"
    return Target(f"{what}: rules", goal, shown, ours < theirs if share == 1 else ours <= share * theirs)


def _less(  # noqa: PLR0917 - one for each word of the promise
    figures: Figures, names: Sequence[str], what: str, one: str, other: str, figure: str, sign: int, slack: float = 0
) -> Target:
    """At most (``sign`` 1) or at least (-1) the mean of another method, but for some slack."""
    there = figures.pairs(names, one, other, figure)
    ours, theirs = (figures.mean(there, method, figure) for method in (one, other))
    goal = f"{'≤' if sign > 0 else '≥'} {_peer(other)}'s" + (f" − {100 * slack:g} point" if slack else "")
    if ours is None or theirs is None:
        return Target(what, goal, "–", None)
    return Target(what, goal, f"{ours:.4f}, {theirs:.4f}{_some(there, names)}", sign * (ours - theirs) <= slack)


def _peer(method: str) -> str:
    return "the list before" if method == "Unless before" else method


def _some(there: dict[str, Sequence[float]], names: Sequence[str]) -> str:
    """Says on how many datasets, unless on all."""
    return "" if len(there) == len(names) else f" (on {len(there)} datasets)"
