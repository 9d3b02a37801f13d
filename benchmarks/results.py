"""Results as JSON lines, one for each dataset, method and fold, so that a run which was stopped can go on."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

__all__ = ["Key", "Line", "Results"]

Line = dict[str, Any]
"""``data``, ``method`` and ``fold``, and the figures of that fold, or ``failed`` and the reason."""

Key = tuple[str, str, int]


class Results:
    """The lines of a file by dataset, method and fold; of two for the same, the later one counts."""

    def __init__(self, path: Path, before: Iterable[Line] = ()) -> None:
        self.path = path
        self.lines: dict[Key, Line] = {}
        for line in before:
            self._keep(line)
        whole, _, self._torn = (path.read_text("utf-8") if path.exists() else "").rpartition("\n")
        for text in whole.splitlines():
            self._keep(json.loads(text))

    def add(self, line: Line) -> None:
        """Keep a line, in the file too, without a last line that was torn when a run was killed."""
        if self._torn:
            self._write()
        self._keep(line)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def forget(self, methods: Collection[str], data: Collection[str]) -> None:
        """Leave out what these methods did on these datasets."""
        self.lines = {key: line for key, line in self.lines.items() if key[0] not in data or key[1] not in methods}
        self._write()

    def failed(self, data: str, method: str) -> str | None:
        """Why a method has no figures for a dataset, if it tried."""
        found = (line.get("failed") for key, line in self.lines.items() if key[:2] == (data, method))
        return next((reason for reason in found if reason), None)

    def missing(self, data: str, method: str, folds: Iterable[int]) -> list[int]:
        """The folds that are still to do: none if one failed."""
        if self.failed(data, method):
            return []
        return [fold for fold in folds if (data, method, fold) not in self.lines]

    def _write(self) -> None:
        """Write the file anew, whole or not at all."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(".new")
        beside.write_text("".join(json.dumps(line) + "\n" for line in self.lines.values()), "utf-8")
        beside.replace(self.path)
        self._torn = ""

    def _keep(self, line: Line) -> None:
        self.lines[line["data"], line["method"], line["fold"]] = line
