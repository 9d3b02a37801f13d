"""Runs of the benchmarks as files: what each contestant took, when, on which commit and machine.

``make bench`` writes one into ``benchmarks/history``; those that are committed make docs/history.md. They are small, so
that a run on another machine, or of next year, can be compared with them.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.report import PACKAGES, Section, version_of
from benchmarks.timing import CLOCK, ROOT
from unless import __version__, kernels

__all__ = ["FOLDER", "Run", "load", "now", "stored"]

FOLDER = ROOT / "benchmarks" / "history"
_CPU = Path("/proc/cpuinfo")
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its conditions, and by section and line the seconds of each contestant."""

    date: str
    commit: str
    """As git describes it; with ``-dirty`` if files had changed."""
    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    clock: str
    others: float | None
    """The cores that other processes took meanwhile."""
    seconds: Mapping[str, Mapping[str, Mapping[str, float]]]
    note: str = ""

    @property
    def name(self) -> str:
        """What its file is called, without the ending."""
        return f"{self.date[:16].replace(':', '')}-{self.commit}"

    def save(self, folder: Path) -> Path:
        """Write it into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.json"
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", "utf-8")
        return path


def now(sections: Sequence[Section], others: float | None, note: str = "") -> Run:
    """What was just measured, here."""
    machine = {"system": f"{platform.system()} {platform.machine()}", "cores": os.cpu_count(), "cpu": _cpu()}
    versions = {"unless": __version__, "python": platform.python_version()}
    versions |= {"kernels": "compiled" if kernels.compiled else "interpreted"}
    versions |= {name: version_of(name) for name in PACKAGES}
    seconds = {one.title: {line: _short(found) for line, found in one.seconds.items()} for one in sections}
    clock = "cpu" if CLOCK.__name__ == "process_time" else "wall"
    load = None if others is None else round(others, 2)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    return Run(when, _commit(), machine, versions, clock, load, {k: v for k, v in seconds.items() if v}, note)


def load(path: Path) -> Run:
    """Read a run; a name stands for the file of that name in `FOLDER`."""
    if not path.exists() and (FOLDER / f"{path.name.removesuffix('.json')}.json").exists():
        path = FOLDER / f"{path.name.removesuffix('.json')}.json"
    if not path.exists():
        known = ", ".join(run.stem for run in sorted(FOLDER.glob("*.json"))) or "none"
        raise SystemExit(f"no run {str(path)!r}; there are: {known}")
    return Run(**json.loads(path.read_text("utf-8")))


def stored(folder: Path = FOLDER) -> list[Run]:
    """The runs of a folder, the first one first."""
    return [load(path) for path in sorted(folder.glob("*.json"))]


def _short(found: Mapping[str, float]) -> dict[str, float]:
    return {who: float(f"{one:.{_DIGITS}g}") for who, one in found.items()}


def _commit() -> str:
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return said.stdout.strip() or "unknown"


def _cpu() -> str:
    lines = _CPU.read_text("utf-8").splitlines() if _CPU.exists() else []
    found = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return found or platform.processor() or "unknown"
