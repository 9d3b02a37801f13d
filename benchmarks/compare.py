"""Two runs side by side: ``make bench-compare OLD=… NEW=…`` (``python -m benchmarks.compare OLD NEW``).

A machine is faster or slower on another day. So our times are compared with those of the peers in the same run: their
code is the same, and a line that takes us half as long beside a peer that also takes half as long has not changed. How
much the peers differ from each other after that is the noise; only what is slower by more is flagged.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.report import OURS, duration, table, times
from benchmarks.runs import Run, load, stored
from benchmarks.timing import geometric_mean

__all__ = ["LEAST", "Change", "Comparison", "compare", "main"]

LEAST = 0.1
"""The least noise: even on a quiet machine medians differ by some percent."""


@dataclass(frozen=True, slots=True)
class Change:
    """A line of both runs: our seconds, and by which factor they grew beyond what the peers' did."""

    section: str
    line: str
    old: float
    new: float
    factor: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The lines that both runs have, the factor that the machine itself changed by, and the noise."""

    changes: tuple[Change, ...]
    machine: float
    noise: float
    remarks: tuple[str, ...]

    @property
    def mean(self) -> float:
        """The geometric mean of all factors: below 1 is faster."""
        return geometric_mean([one.factor for one in self.changes])

    @property
    def slower(self) -> tuple[Change, ...]:
        """The lines that became slower beyond the noise."""
        return tuple(one for one in self.changes if one.factor > 1 + self.noise)

    def text(self) -> str:
        """A table for each section, the mean, and what became slower."""
        parts = [f"{remark}\n" for remark in self.remarks]
        for section in dict.fromkeys(one.section for one in self.changes):
            lines = [one for one in self.changes if one.section == section]
            rows = [
                [one.line, duration(one.old), duration(one.new), times(one.factor), self._flag(one)] for one in lines
            ]
            mean = times(geometric_mean([one.factor for one in lines]))
            rows.append(["geometric mean", "", "", mean, ""])
            parts.append(f"{section}\n\n" + table(["", "before", "now", "beside the peers", ""], rows))
        parts.append(
            f"All lines: {times(self.mean)} the time beside the peers; the machine took {times(self.machine)}, "
            f"the noise is {self.noise:.0%}. Slower beyond it: {len(self.slower)} of {len(self.changes)}."
        )
        return "\n".join(parts)

    def _flag(self, one: Change) -> str:
        if one.factor > 1 + self.noise:
            return "**slower**"
        return "faster" if one.factor < 1 / (1 + self.noise) else ""


def compare(old: Run, new: Run) -> Comparison:
    """What has changed from one run to another."""
    both = [
        (section, line, old.seconds[section][line], found)
        for section, lines in new.seconds.items()
        for line, found in lines.items()
        if line in old.seconds.get(section, {})
    ]
    if not both:
        raise SystemExit("the runs have no line in common")
    logs = [math.log(ratio) for _, _, before, now in both if (ratio := _peers(before, now)) is not None]
    machine = median(logs) if logs else 0.0
    noise = 2 * math.sqrt(sum((one - machine) ** 2 for one in logs) / len(logs)) if len(logs) > 1 else 0.0
    changes = tuple(
        Change(
            section,
            line,
            before[OURS],
            now[OURS],
            now[OURS] / before[OURS] / (_peers(before, now) or math.exp(machine)),
        )
        for section, line, before, now in both
    )
    return Comparison(changes, math.exp(machine), max(LEAST, math.expm1(noise)), tuple(_remarks(old, new)))


def _peers(before: Mapping[str, float], now: Mapping[str, float]) -> float | None:
    """The factor that the time of the peers on a line grew by; None if there are none."""
    known = [who for who in now if who != OURS and who in before]
    return geometric_mean([now[who] / before[who] for who in known]) if known else None


def _remarks(old: Run, new: Run) -> Iterator[str]:
    yield f"before: {old.name}, {old.machine['cpu']}; now: {new.name}, {new.machine['cpu']}"
    if old.clock != new.clock:
        yield f"The clocks differ: {old.clock} before, {new.clock} now."
    other = [name for name, version in new.versions.items() if name != OURS and old.versions.get(name) != version]
    if other:
        yield f"Not of the same version: {', '.join(other)}. What changed may be theirs."
    for when, run in (("before", old), ("now", new)):
        if run.others is not None and run.others > 0.2:
            yield f"Other processes took {run.others:g} cores {when}: expect more noise."


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare two runs, or the last two that are stored; 1 if something became slower."""
    names = list(sys.argv[1:] if arguments is None else arguments)
    runs = [load(Path(name)) for name in names] or stored()[-2:]
    if len(runs) != 2:
        raise SystemExit(
            "two runs are compared: make bench-compare OLD=… NEW=…; without names the last two of benchmarks/history"
        )
    found = compare(*runs)
    print(found.text())
    return 1 if found.slower else 0


if __name__ == "__main__":
    sys.exit(main())
