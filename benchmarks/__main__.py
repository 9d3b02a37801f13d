"""Measure everything and write docs/benchmarks.md: ``python -m benchmarks [--full | --quick] [--only NAME ...]``.

A run of everything, and a quick one, is kept as JSON in benchmarks/history, for `compare` and `history`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import datasets, stale
from benchmarks.files import from_csv
from benchmarks.fit import by_classifiers, from_frames, on_codes
from benchmarks.large import against_memory
from benchmarks.logic import with_clingo
from benchmarks.new_records import many_records, one_record
from benchmarks.prediction import rows_per_second
from benchmarks.protocols import MORE, many_labels, side_by_side
from benchmarks.report import Section, merged, page
from benchmarks.runs import FOLDER, now
from benchmarks.scale import against_tree, growth
from benchmarks.start import commands, importing, models
from benchmarks.stream import file_to_file
from benchmarks.threads import against_one
from benchmarks.timing import ROOT, Watch, spent

__all__ = ["Size", "main", "sections"]

_PAGE = ROOT / "docs" / "benchmarks.md"


@dataclass(frozen=True, slots=True)
class Size:
    """How much to measure: seconds for each contestant, generated rows, steps of the growth, starts, size of models.

    Then labels, and whether committees are fitted to all datasets, which takes minutes.
    """

    seconds: float = 1.0
    rows: int = 1_000_000
    steps: tuple[int, ...] = (10_000, 100_000, 1_000_000)
    imports: int = 11
    starts: int = 5
    models: float = 1.0
    labels: int = 10_000
    long: bool = True


_QUICK = Size(0.3, 100_000, (10_000, 100_000), imports=3, starts=1, models=0.1, long=False)
_QUICKLY = ("protocols", "labels", "codes", "files", "import")


def sections(size: Size) -> dict[str, Callable[[], Section]]:
    """Every measurement by its name, in the order of the page."""
    return {
        "protocols": lambda: side_by_side(datasets.find((*datasets.NAMES, *MORE)), size.seconds, long=size.long),
        "labels": lambda: many_labels(size.labels),
        "codes": lambda: on_codes(datasets.find(), size.seconds),
        "frames": lambda: from_frames(datasets.find(), size.seconds),
        "classifiers": lambda: by_classifiers(datasets.find(), size.seconds),
        "many": lambda: against_tree(size.rows, 3 * size.seconds),
        "growth": lambda: growth(size.steps, 3 * size.seconds),
        "threads": lambda: against_one([rows for rows in size.steps if rows >= size.rows], 3 * size.seconds),
        "blocks": lambda: against_memory(2 * size.rows),
        "files": lambda: from_csv(datasets.find(["adult"]), size.rows, 3 * size.seconds),
        "predict": lambda: rows_per_second(datasets.find(["adult", "eeg", "pendigits"]), size.rows, size.seconds),
        "record": lambda: one_record(datasets.find(["adult", "pendigits"]), size.seconds),
        "new": lambda: many_records(datasets.find(["adult", "eeg", "pendigits", "nursery"]), size.rows, size.seconds),
        "stream": lambda: file_to_file(size.rows, 3 * size.seconds),
        "logic": lambda: with_clingo(min(size.rows, 30_000), min(size.rows, 28_503), size.seconds),
        "import": lambda: importing(size.imports),
        "commands": lambda: commands(size.starts),
        "models": lambda: models(size.models),
    }


def main(arguments: Sequence[str] | None = None, size: Size | None = None) -> str:
    """Measure, keep the run and write the page unless only a part was asked for, and give the page back."""
    options = _options(list(sections(size or Size())), arguments)
    size = size or (_QUICK if options.quick else Size())
    if options.full:
        size = replace(size, steps=(*size.steps, 10 * size.steps[-1]))
    names = options.only or (_QUICKLY if options.quick else list(sections(size)))
    found: list[Section] = []
    watch = Watch()
    for name in names:
        took = spent(lambda: found.append(sections(size)[name]()))  # noqa: B023 - called at once
        print(f"{name}: {took:.0f} s", file=sys.stderr, flush=True)
    others = watch.others()
    if not options.only:
        note = " ".join(filter(None, ["quick." if options.quick else "", options.note]))
        print(f"kept as {now(found, others, note).save(options.history)}", file=sys.stderr)
    target = options.output or _PAGE
    text = merged(target.read_text("utf-8"), found, others) if options.merge else page(found, others)
    if (options.only or options.quick) and options.output is None and not options.merge:
        print(text)
    else:
        target.write_text(text, "utf-8")
    if not (options.only or options.quick or options.output):
        stale.mark("speed")
    return text


def _options(names: list[str], arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure unless against its peers.")
    parser.add_argument("--full", action="store_true", help="grow to ten million rows (minutes, and 5 GB of memory)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter measurements, kept but not on the page")
    parser.add_argument("--only", nargs="+", choices=names, help="measure these and print them, not the page")
    parser.add_argument("--merge", action="store_true", help="put what is measured into the page, in place of the same")
    parser.add_argument("--note", default="", help="what to know about this run, for the page of history")
    parser.add_argument("--history", type=Path, default=FOLDER, help="where runs are kept")
    parser.add_argument("--output", type=Path, help=f"the page to write instead of {_PAGE.relative_to(ROOT)}")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
