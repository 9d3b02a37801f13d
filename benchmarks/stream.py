"""Predictions from file to file, against only reading and writing that file."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks import generate
from benchmarks.report import OURS, Section, Target, duration, times
from benchmarks.timing import alone, race
from unless import UnlessClassifier, load
from unless.read.table import read_table
from unless.stream import predict_file

__all__ = ["file_to_file", "memory_of_prediction"]

_TRAIN = 50_000
_STATUS = Path("/proc/self/status")

SLOWEST = 0.5
LARGEST = 1.25


def file_to_file(rows: int, seconds: float = 1.0) -> Section:
    """The speed of `predict_file` as a share of polars', for text without and with quotes, and the memory it takes."""
    with tempfile.TemporaryDirectory() as folder:
        paths = _files(Path(folder), rows)
        speeds = {name: _race(Path(folder), path, seconds) for name, path in paths.items()}
        peaks = [alone("stream", Path(folder, "model.json"), path) for path in _parts(paths["plain"], rows)]
    text = f"""
`predict_file(model, "in.csv", "out.csv")`, which adds label, probability and rule to {rows:,} generated rows, against
`polars.read_csv("in.csv").write_csv("out.csv")`. The file is in the cache of the system; what we write is on the disk
before it takes its name. *Quoted*: every text is in quotes, and lines end in CR LF. The model was learned from the
first {min(_TRAIN, rows):,} rows. Peaks of memory are those of fresh processes, for a quarter of the rows and for all.
"""
    header = ["file", "unless: predict", "polars: read and write", "speed of ours"]
    lines = [[name, *map(duration, pair), times(pair[1] / pair[0])] for name, pair in speeds.items()]
    lines.append(["peak memory, a quarter of the rows → all", _memory(peaks), "", ""])
    spent = {name: {OURS: ours, "polars": theirs} for name, (ours, theirs) in speeds.items()}
    return Section("From file to file", text, header, lines, _targets(speeds, peaks), spent)


def _files(folder: Path, rows: int) -> dict[str, Path]:
    """The generated rows as a plain file and as one with quotes, and the model beside them."""
    import polars as pl

    plain, quoted = folder / "plain.csv", folder / "quoted.csv"
    generate.write_csv(generate.draw(rows), plain)
    pl.read_csv(plain).write_csv(quoted, quote_style="non_numeric", line_terminator="\r\n")
    table = read_table(plain, "label")
    UnlessClassifier().fit(table[:_TRAIN]).save(folder / "model.json")
    return {"plain": plain, "quoted": quoted}


def _race(folder: Path, path: Path, seconds: float) -> tuple[float, float]:
    import polars as pl

    model, out = load(folder / "model.json"), folder / "out.csv"
    found = race(
        {"unless": lambda: predict_file(model, path, out), "polars": lambda: pl.read_csv(path).write_csv(out)}, seconds
    )
    return found["unless"], found["polars"]


def _parts(path: Path, rows: int) -> list[Path]:
    """A quarter of the file, and the file."""
    quarter = path.with_name("quarter.csv")
    with path.open("rb") as file:
        quarter.write_bytes(b"".join(file.readline() for _ in range(rows // 4 + 1)))
    return [quarter, path]


def memory_of_prediction(model: Path, path: Path) -> int | None:
    """The peak of memory of this process, in bytes, after predicting a file; None where the system does not tell."""
    if not _STATUS.exists():
        return None
    predict_file(load(model), path, path.with_name("out.csv"))
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def _memory(peaks: list[int | None]) -> str:
    return " → ".join("unknown" if peak is None else f"{peak / 1e6:.0f} MB" for peak in peaks)


def _targets(speeds: dict[str, tuple[float, float]], peaks: list[int | None]) -> list[Target]:
    worst = min(speeds, key=lambda name: speeds[name][1] / speeds[name][0])
    speed = speeds[worst][1] / speeds[worst][0]
    what = "predict from file to file, our speed over polars' read_csv and write_csv"
    first, last = peaks
    growth = None if first is None or last is None else last / first
    return [
        Target(what, f"≥ ×{SLOWEST}", f"worst {times(speed)} ({worst})", speed >= SLOWEST),
        Target(
            "4 times the rows, peak memory of predict",
            f"≤ ×{LARGEST}",
            "" if growth is None else times(growth),
            None if growth is None else growth <= LARGEST,
        ),
    ]


if __name__ == "__main__":
    print(memory_of_prediction(*map(Path, sys.argv[1:])) or "null")
