"""Threads in memory: the same fit by one thread and by two, on ready tables and from a frame."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import generate
from benchmarks.report import OURS, Section, Target, duration, times
from benchmarks.timing import alone

__all__ = ["against_one"]


def against_one(sizes: Sequence[int], seconds: float = 1.0) -> Section:
    """How much faster two threads are than one; each size in a fresh process."""
    lines, targets, spent = [], [], {}
    for rows in sizes:
        for what, (one, two) in alone("alone", "threads", rows, seconds).items():
            lines.append([f"{rows:,}", what, duration(one), duration(two), times(one / two)])
            spent[f"{rows:,} rows, {what}"] = {OURS: two}
            if "frame" not in what:
                title = f"`{what}` of {rows:,} rows, one thread's time over that of two"
                targets.append(Target(title, "≥ ×1.6", times(one / two), one / two >= 1.6))
    text = f"""
The same program from the same generated rows ({generate.COLUMNS} columns) with `n_jobs=1` and with `n_jobs=2`, in turn
and in one process for each size; the best times, because a second thread needs a second core that nobody else uses at
the moment. Reading a frame ranks its columns with threads in any case, so there only the learning differs.
"""
    return Section("Threads", text, ["rows", "fit", "one thread", "two threads", "ratio"], lines, targets, spent)
