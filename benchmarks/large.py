"""Data larger than memory: ``python -m benchmarks.large 1e6 1e7 --folder DIR [--limit 4GB]`` prints a table.

Generated rows lie in Parquet files of a million. Every fit runs in a process of its own, from the files to the rules:
in blocks, in memory, and by LightGBM and XGBoost where they are asked for (``--only blocks LightGBM``). Those have one
thread: where others work too, their threads wait for each other in loops. CPU seconds are those of the process and its
threads; anonymous memory is the largest seen, ten times a second (pages of mapped files can be dropped at any time).
``--limit`` puts each process into a control group with so much memory, where the system allows that.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import generate
from benchmarks.report import Section, Target, times
from benchmarks.run import ONE_THREAD
from benchmarks.timing import ROOT
from unless.limits import parse_amount

__all__ = ["FITS", "against_memory", "main", "write_parts"]

_PART = 1_000_000
_STATUS = Path("/proc/self/status")
_GROUPS = (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"), (Path("/sys/fs/cgroup"), "memory.max")


def write_parts(rows: int, folder: Path) -> Path:
    """Generated rows in Parquet files; those that are there stay."""
    home = folder / str(rows)
    home.mkdir(parents=True, exist_ok=True)
    for number in range(-(-rows // _PART)):
        path = home / f"part{number:05}.parquet"
        if not path.exists():
            frame = generate.frame(generate.draw(min(rows, _PART), seed=number))
            frame.write_parquet(path.with_suffix(".new"))
            path.with_suffix(".new").rename(path)
    return home


# Fits, each in a process of its own: they say how long their steps took.


def _blocks(folder: Path) -> Iterator[str]:
    from unless.blocks.block_dataset import make_block_dataset
    from unless.blocks.sources import FileStream
    from unless.learn.fold import fold_rm

    with make_block_dataset(FileStream(folder), target="label") as blocks:
        yield "encode"
        fold_rm(blocks.engine())
        yield "fit"


def _memory(folder: Path) -> Iterator[str]:
    from unless import fold_rm, read_table

    table = read_table(folder, "label")
    yield "encode"
    fold_rm(table, n_jobs=-1)
    yield "fit"


def _lightgbm(folder: Path) -> Iterator[str]:
    import lightgbm

    cells, labels = _numbers(folder)
    data = lightgbm.Dataset(cells, labels).construct()
    yield "encode"
    lightgbm.train({"objective": "multiclass", "num_class": 3, "verbose": -1}, data, 100)
    yield "fit"


def _xgboost(folder: Path) -> Iterator[str]:
    import polars as pl
    import xgboost

    class Parts(xgboost.DataIter):
        """Files, one after the other."""

        def __init__(self) -> None:
            super().__init__(cache_prefix=str(folder / "cache"))
            self.files, self.place = sorted(folder.glob("*.parquet")), 0

        def next(self, input_data: Any) -> bool:
            if self.place == len(self.files):
                return False
            frame = pl.read_parquet(self.files[self.place])
            input_data(data=_coded(frame.drop("label")), label=frame["label"].replace_strict(_LABELS).to_numpy())
            self.place += 1
            return True

        def reset(self) -> None:
            self.place = 0

    data = xgboost.ExtMemQuantileDMatrix(Parts())
    yield "encode"
    xgboost.train({"objective": "multi:softmax", "num_class": 3, "tree_method": "hist"}, data, 100)
    yield "fit"


_LABELS = {"a": 0, "b": 1, "c": 2}


def _numbers(folder: Path) -> tuple[Any, Any]:
    import polars as pl

    frame = pl.read_parquet(folder)
    return _coded(frame.drop("label")), frame["label"].replace_strict(_LABELS).to_numpy()


def _coded(frame: Any) -> Any:
    """Categories as codes, which the rivals take for numbers: the cheapest that they can do."""
    import polars as pl

    return frame.with_columns(pl.selectors.string().str.slice(1).cast(pl.Float32)).cast(pl.Float32).to_numpy()


FITS: dict[str, Callable[[Path], Iterator[str]]] = {
    "blocks": _blocks,
    "memory": _memory,
    "LightGBM": _lightgbm,
    "XGBoost": _xgboost,
}


_RIVALS = ("LightGBM", "XGBoost")


# Measuring.


def _measure(name: str, folder: Path) -> dict[str, Any]:
    """CPU and wall seconds of each step, and the largest anonymous memory, in bytes."""
    found: dict[str, Any] = {}
    with _watched() as most:
        before, start = _cpu(), time.monotonic()
        for step in FITS[name](folder):
            found[step] = {"cpu": _cpu() - before, "wall": time.monotonic() - start}
            before, start = _cpu(), time.monotonic()
    return {**found, "memory": most[0]}


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextmanager
def _watched() -> Iterator[list[int]]:
    """Note how much anonymous memory this process takes."""
    most, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.1):
            for line in _STATUS.read_text().splitlines():
                if line.startswith("RssAnon:"):
                    most[0] = max(most[0], 1024 * int(line.split()[1]))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield most
    finally:
        done.set()
        watcher.join()


def _alone(name: str, folder: Path, limit: int | None) -> dict[str, Any] | None:
    """What a fit takes in a process of its own, in a control group of its own; None if it does not finish."""
    command = [sys.executable, "-m", "benchmarks.large", "--alone", name, str(folder)]
    own = {**os.environ, **(ONE_THREAD if name in _RIVALS else {})}
    with _group(limit) as tasks:
        if tasks is not None:
            command = ["sh", "-c", f'echo $$ > {tasks} && exec "$@"', "sh", *command]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=own)
    return json.loads(done.stdout) if done.returncode == 0 else None


@contextmanager
def _group(limit: int | None) -> Iterator[Path | None]:
    """A control group with so much memory: the file that takes its processes."""
    if limit is None:
        yield None
        return
    home, file = next(pair for pair in _GROUPS if (pair[0] / "cgroup.procs").exists())
    group = home / "unless-benchmark"
    group.mkdir(exist_ok=True)
    (group / file).write_text(str(limit))
    try:
        yield group / "cgroup.procs"
    finally:
        time.sleep(1)
        group.rmdir()


def against_memory(rows: int) -> Section:
    """The CPU time of a fit in blocks against that of one in memory, from the same files."""
    with tempfile.TemporaryDirectory() as folder:
        home = write_parts(rows, Path(folder))
        found = {name: _alone(name, home, None) for name in ("blocks", "memory")}
    lines = [_cells(rows, name, each) for name, each in found.items()]
    ratio = None
    if found["blocks"] and found["memory"]:
        ratio = found["blocks"]["fit"]["cpu"] / found["memory"]["fit"]["cpu"]
    text = f"""
Generated rows ({generate.COLUMNS} columns) in Parquet files, learned from in blocks and in memory, each in a process of
its own. CPU seconds, which other work on the machine hardly changes. `python -m benchmarks.large` measures any size,
other learners, and all of them under a limit of memory ([what it found](scale.md)).
"""
    measured = "–" if ratio is None else times(ratio)
    title = f"fit of {rows:,} rows in blocks, its CPU time over that in memory"
    target = Target(title, "≤ ×2", measured, None if ratio is None else ratio <= 2)
    return Section("Blocks", text, _HEADER, lines, [target])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", type=lambda text: int(float(text)))
    parser.add_argument("--folder", type=Path, default=Path("large"))
    parser.add_argument("--limit", type=parse_amount)
    parser.add_argument("--only", nargs="*", default=["blocks", "memory"], choices=list(FITS))
    parser.add_argument("--alone", nargs=2)
    given = parser.parse_args()
    if given.alone:
        print(json.dumps(_measure(given.alone[0], Path(given.alone[1]))))
        return
    print(_row(_HEADER) + "\n" + "|---" * len(_HEADER) + "|")
    for rows in given.rows:
        folder = write_parts(rows, given.folder)
        for name in given.only:
            print(_row(_cells(rows, name, _alone(name, folder, given.limit))), flush=True)


_HEADER = ["rows", "fit", "encode, CPU s", "learn, CPU s", "wall s", "anonymous memory"]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(rows: int, name: str, found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return [f"{rows:,}", name, "did not finish", "", "", ""]
    encode, fit = found["encode"], found["fit"]
    wall = encode["wall"] + fit["wall"]
    memory = f"{found['memory'] / 1e9:.2f} GB"
    return [f"{rows:,}", name, f"{encode['cpu']:.1f}", f"{fit['cpu']:.1f}", f"{wall:.0f}", memory]


if __name__ == "__main__":
    main()
