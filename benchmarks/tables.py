"""The paper's tables, with our figures beside: ``make tables`` (``python -m benchmarks.tables``) writes docs/paper.md.

Every fold that is done goes to a journal of JSON lines at once, so that a run which was stopped or killed goes on where
it was. At the end ``tables.json`` has all raw results; what is in it is not measured again unless ``--again`` says so.
The modules in the order of the data: `paper` has what the authors printed, `contests` which methods run on which rows
and folds, `raw` what came of it, `tables_page` with `tables_plot` shows it, and ``reasons.json`` says why rows differ.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.contests import CONTESTS, OURS, absent, entered, measure, numbers_only
from benchmarks.raw import Raw, conditions
from benchmarks.results import Results
from benchmarks.run import ONE_THREAD, Task, complete, names_of
from benchmarks.stale import mark
from benchmarks.tables_page import page
from benchmarks.tables_plot import PLOTS
from benchmarks.timing import ROOT

__all__ = ["main"]

_RAW = Path(__file__).with_suffix(".json")
_PAGE, _IMAGES = ROOT / "docs" / "paper.md", ROOT / "docs" / "images"
_JOURNAL = ROOT / "build" / "tables.jsonl"
_LIMIT = 300.0


def main(arguments: Sequence[str] | None = None) -> str:
    """Measure what the results lack; write the results, the page and its plots."""
    options = _options(arguments)
    before = Raw.read(options.raw)
    results = Results(options.journal, before.lines())
    if options.again:
        results.forget(options.again, options.data)
    os.environ |= ONE_THREAD
    known = before.conditions if options.page and before.conditions else conditions(options.limit)
    todo: dict[str, list[Task]] = {}
    try:
        _take_from_twins(results)
        todo = {} if options.page else _todo(results, options.data, options.only, options.folds)
        complete(results, todo, measure, options.limit, options.jobs)
    finally:  # what was stopped is written too: the page says what is not run yet
        text = _write(Raw.of(results, known), options)
        if any(todo.values()) and options.output == _PAGE:
            mark("paper")
    return text


def _take_from_twins(results: Results) -> None:
    """Where a method would fit what its twin has fitted, take its figures instead; sizes are its own."""
    twins = {method: contest.twin for method, contest in CONTESTS.items() if contest.twin}
    for (row, other, fold), line in list(results.lines.items()):
        for method in (name for name, twin in twins.items() if twin == other):
            if row in CONTESTS[method].rows and (row, method, fold) not in results.lines and numbers_only(row):
                results.add({**{k: v for k, v in line.items() if k not in ("rules", "literals")}, "method": method})


def _write(raw: Raw, options: argparse.Namespace) -> str:
    options.raw.write_text(raw.text(), "utf-8")
    options.images.mkdir(parents=True, exist_ok=True)
    for name, plot in PLOTS.items():
        (options.images / name).write_text(plot(raw.figures()), "utf-8")
    text = page(raw)
    options.output.write_text(text, "utf-8")
    return text


def _todo(results: Results, data: Sequence[str], methods: Sequence[str], most: int | None) -> dict[str, list[Task]]:
    """By dataset, the smallest first; of those that are not there nothing."""
    there = [name for name in entered() if name in data and absent(name) is None]
    return {
        name: [
            (method, fold)
            for method in methods
            if name in CONTESTS[method].rows and CONTESTS[method].missing() is None
            for fold in results.missing(name, method, CONTESTS[method].folds(name)[:most])
        ]
        for name in there
    }


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description="The paper's tables, and ours.")
    add, groups = parser.add_argument, {"ours": OURS}
    rows = entered()
    add("--data", type=names_of(rows, {}), default=rows, help='rows, such as "wine,glass 2/3" (all)')
    add("--only", type=names_of(CONTESTS, groups), default=tuple(CONTESTS), help='methods, or "ours" (all)')
    add("--again", type=names_of(CONTESTS, groups), help='methods whose results are forgotten first, or "ours"')
    add("--folds", type=int, help="the first so many folds only, for a figure of every row before any is whole (all)")
    add("--jobs", type=int, default=1, help="processes at the same time (1; with more, times are worth less)")
    add("--limit", type=float, default=_LIMIT, help=f"seconds of CPU for a fit with its predictions ({_LIMIT:g})")
    add("--page", action="store_true", help="only write the page")
    add("--journal", type=Path, default=_JOURNAL, help="where folds are kept as they come")
    add("--raw", type=Path, default=_RAW, help="the raw results to start from and to write")
    add("--output", type=Path, default=_PAGE, help="the page to write")
    add("--images", type=Path, default=_IMAGES, help="where the plots go")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
