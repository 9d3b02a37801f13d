"""The datasets of the paper: in UNLESS_DATA, or ``data`` in UNLESS_SHARED, or ``shared/data`` beside the repository."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unless import Table
from unless.read.table import read_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ABSENT", "NAMES", "Dataset", "find", "manifest"]

NAMES = ("adult", "dry-bean", "eeg", "pendigits", "wall-robot", "weight-lift", "mushroom", "nursery", "shuttle", "wine")

ABSENT = "Not measured: the datasets are not there (a folder `shared` beside the repository, or UNLESS_SHARED)."


@dataclass(frozen=True, slots=True)
class Dataset:
    """A CSV file and what its columns are declared to be."""

    name: str
    path: Path
    target: str
    features: tuple[str, ...]
    numeric: tuple[str, ...]
    positive: str | None = None

    @property
    def categorical(self) -> tuple[str, ...]:
        """The features that are not declared numeric."""
        return tuple(name for name in self.features if name not in self.numeric)

    def table(self) -> Table:
        """The table, every cell a value, as the authors' implementation reads the file."""
        return read_table(
            self.path,
            self.target,
            features=self.features,
            numeric=self.numeric,
            categorical=self.categorical,
            missing=(),
        )

    def frame(self) -> pd.DataFrame:
        """A pandas frame: numbers where a column declared numeric has nothing else, otherwise text."""
        import pandas as pd

        names = [*self.features, self.target]
        cells = pd.read_csv(self.path, usecols=names, dtype=str, keep_default_na=False)[names]
        numbers = {name: pd.to_numeric(cells[name], errors="coerce") for name in self.numeric}
        whole = {name: column for name, column in numbers.items() if column.notna().all()}
        return pd.DataFrame({name: whole.get(name, cells[name]) for name in names})


def find(names: Iterable[str] = NAMES) -> list[Dataset]:
    """Those of the named datasets that are there."""
    known = manifest()
    return [_dataset(name, known[name]) for name in names if known.get(name, {}).get("file")]


def manifest() -> dict[str, dict[str, Any]]:
    """What is known of every dataset, by name; of some no file is at hand."""
    path = _folder() / "manifest.json"
    found: dict[str, dict[str, Any]] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found


def _folder() -> Path:
    beside = Path(os.environ.get("UNLESS_SHARED") or Path(__file__).parents[2] / "shared") / "data"
    return Path(os.environ.get("UNLESS_DATA") or beside)


def _dataset(name: str, entry: dict[str, Any]) -> Dataset:
    columns = (tuple(entry["features"]), tuple(entry["numeric"]))
    return Dataset(name, _folder() / entry["file"], entry["label"], *columns, entry.get("foldrpp_positive"))
