"""Sections of results, and the page that they make."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

from benchmarks import stale
from unless import __version__, kernels

__all__ = [
    "OURS",
    "PACKAGES",
    "QUIET",
    "Section",
    "Target",
    "duration",
    "merged",
    "page",
    "table",
    "times",
    "version_of",
]

_HEAD = """# Benchmarks

How fast everything is, beside what other tools take for the same, and which targets were missed. This page
is written by `make bench` (`python -m benchmarks`; with `--full` ten million rows too).

Every figure is a ratio within one run: the contestants ran in turn on the same machine, a figure is the median of their
runs. Expect other times on another machine, and similar ratios.
"""

OURS = "unless"

PACKAGES = ("numpy", "polars", "pandas", "scikit-learn", "xgboost", "lightgbm")

QUIET = 0.2
"""Cores that other processes may take before the page says that the run is worth little."""


@dataclass(frozen=True, slots=True)
class Target:
    """What was promised and what was measured; ``met`` is None if it was not measured."""

    what: str
    target: str
    measured: str
    met: bool | None


@dataclass(frozen=True, slots=True)
class Section:
    """One measurement: how it was done, its table, and the targets that it decides."""

    title: str
    text: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    targets: Sequence[Target] = ()
    seconds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """For each line what each contestant took, to compare runs: of work, or of a row or megabyte; we are `OURS`."""


def duration(seconds: float) -> str:
    """A time, to three digits: ``6.8 ms``; from 1,000 seconds on whole ones."""
    if seconds >= 1000:
        return f"{seconds:,.0f} s"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def times(ratio: float) -> str:
    """A ratio: ``×12``."""
    return f"×{ratio:.3g}" if ratio < 100 else f"×{ratio:.0f}"


def page(sections: Iterable[Section], others: float | None = None) -> str:
    """The whole page in Markdown: the targets first, then how each was measured.

    ``others`` is the number of cores that other processes took meanwhile.
    """
    sections = list(sections)
    verdicts = [
        (target.what, target.target, target.measured, {True: "yes", False: "**no**", None: "not measured"}[target.met])
        for section in sections
        for target in section.targets
    ]
    parts = [_HEAD, _conditions(others), table(("what", "target", "measured", "met"), verdicts)]
    return "\n".join([*parts, *map(_written, sections)])


def _written(section: Section, note: str = "") -> str:
    lines = [f"## {section.title}\n", f"{section.text.strip()}{note}\n"]
    return "\n".join([*lines, table(section.header, section.rows)] if section.rows else lines)


def merged(page: str, sections: Iterable[Section], others: float | None) -> str:
    """A page with these sections in the place of those with the same titles, or first; each says that it is newer."""
    head, *parts = page.rstrip("\n").split("\n## ")
    sections = list(sections)
    old = {part.partition("\n")[0]: part for part in parts}
    known = {section.title: "" for section in sections if section.title not in old} | old
    for section in sections:
        written = _written(section, f"\n\nMeasured later than the rest of this page. {_conditions(others)}".rstrip())
        known[section.title] = written.removeprefix("## ").rstrip("\n") + "\n"
    return "\n## ".join([head, *(part.rstrip("\n") + "\n" for part in known.values())])


def _conditions(others: float | None) -> str:
    versions = ", ".join(f"{name} {version_of(name)}" for name in PACKAGES)
    compiled = "compiled" if kernels.compiled else "interpreted: **not compiled**"
    load = "" if others is None else f" Other processes took {others:.2f} cores meanwhile"
    if others is not None:
        load += "." if others < QUIET else ": **too much for figures to rely on**; run it again on a quiet machine."
    return (
        f"This run: unless {__version__} (kernels {compiled}), Python {platform.python_version()}, {versions}; "
        f"{platform.system()}, {os.cpu_count()} cores.{load} {stale.line('speed')}\n"
    )


def version_of(name: str) -> str:
    """The version of a package that is installed, or that it is absent."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
