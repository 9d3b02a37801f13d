"""The page of runs: ``python -m benchmarks.history`` writes docs/history.md from what is in benchmarks/history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.report import OURS, QUIET, table, times
from benchmarks.runs import Run, stored
from benchmarks.timing import ROOT, geometric_mean

__all__ = ["main", "page"]

PAGE = ROOT / "docs" / "history.md"

_HEAD = """# Speed over time

How fast each measured commit was, compared with the same peers, and how to compare a run
of your own. It is written by `python -m benchmarks.history` from the files in `benchmarks/history`; `make bench` adds
one, and `make bench-quick` a smaller one in a few minutes.

Figures are ratios within one run: how many times our time a peer takes, the geometric mean over the lines of a
section. So they can be compared from run to run, and with care from machine to machine; seconds cannot.
`make bench-compare OLD=… NEW=…` compares two runs line by line, and tells what became slower by more than the noise,
which is what the peers, whose code is the same, vary by. Of *Which figure is which* the last line is shown, that of
`UnlessClassifier().fit(X, y)`.
"""


def page(runs: Sequence[Run]) -> str:
    """The runs, the last one first, and what each section gave."""
    newest = list(reversed(runs))
    parts = [
        _HEAD,
        "## Runs\n",
        table(["run", "machine", "clock", "other processes", "note"], map(_conditions, newest)),
    ]
    for section, peers in _peers(newest).items():
        rows = [[run.name, *(_mean(run.seconds.get(section, {}), peer) for peer in peers)] for run in newest]
        parts += [f"## {section}\n", table(["run", *(f"{peer}'s time over ours" for peer in peers)], rows)]
    return "\n".join(parts)


def _conditions(run: Run) -> list[str]:
    machine = f"{run.machine['cpu']}, {run.machine['cores']} cores, Python {run.versions['python']}"
    busy = "unknown" if run.others is None else f"{run.others:.2f} cores"
    if run.others is not None and run.others >= QUIET:
        busy = f"**{busy}: busy**"
    return [run.name, machine, run.clock, busy, run.note or "–"]


def _peers(runs: Iterable[Run]) -> dict[str, list[str]]:
    """The sections that have peers, and these."""
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        for section, lines in run.seconds.items():
            names = (who for line in lines.values() for who in line if who != OURS)
            found.setdefault(section, {}).update(dict.fromkeys(names))
    return {section: list(peers) for section, peers in found.items() if peers}


def _mean(lines: Mapping[str, Mapping[str, float]], peer: str) -> str:
    ratios = [line[peer] / line[OURS] for line in lines.values() if peer in line]
    return f"{times(geometric_mean(ratios))} ({len(ratios)})" if ratios else "–"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(stored()), "utf-8")


if __name__ == "__main__":
    main()
