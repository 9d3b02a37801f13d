"""Write each part of a table to its own output part, by several processes.

Processes, not threads: a profiler found Python's lock held for a third of the time with CSV, and most of it with
Parquet, so threads would wait for each other. With two cores this has no effect yet: 100 MB of CSV in six parts
took two threads 1.7 s, two processes already started 2.1 s, and one process 2.7 s.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from importlib import import_module
from operator import and_
from pathlib import Path
from typing import TypeVar

from unless import limits
from unless.errors import OverwriteError, ParameterError, ReadError, UnlessError
from unless.files import refuse_inputs
from unless.model import model_of
from unless.read.batches import File, Input, OtherParts
from unless.read.file_bytes import is_packed
from unless.read.formats import folder_of_parts, is_pattern, is_several, path_in_format, refuse_part
from unless.read.options import ReadOptions
from unless.stream.batch_decisions import Outcome, Progress
from unless.stream.column_types import NumberColumns
from unless.stream.output_file import check_writable
from unless.stream.pipeline import PredictionRun, find_numbers, needs_types
from unless.stream.writers import PACKED
from unless.threads import available_cores

_WORTH = 1 << 26
_PACKED = 4
"""The bytes of input that justify another process, and the factor for packed files.

A process takes 1.5 s to start, in which this process decides 55 MB of CSV or 16 MB of Parquet.
"""

Done = TypeVar("Done")


def choose_folder(out: File, source: File, to: str | None) -> Path | None:
    """Choose the folder to write parts to; None if the output is one file.

    A folder ends with a slash, or exists already. With several input parts, a path without ending is a folder too.
    """
    if not isinstance(out, (str, os.PathLike)):
        return None
    text, path = os.fspath(out), Path(out)
    several = isinstance(source, (str, os.PathLike)) and is_several(source)
    bare = several and to is None and not path.suffix and not os.path.lexists(path)
    return path if text.endswith(("/", os.sep)) or path.is_dir() or bare else None


def process_count(wanted: int | None, parts: int, size: int) -> int:
    """Choose the number of processes: the given number, -1 for all cores, by default as many as are worth starting.

    ``size`` is the number of bytes of text that they read.

    >>> process_count(3, 2, 0), process_count(None, 8, 1000), process_count(1, 8, 10**12)
    (2, 1, 1)
    """
    if wanted is None:
        wanted = min(available_cores(), size // _WORTH)
    elif wanted == 0 or not isinstance(wanted, int) or isinstance(wanted, bool):
        raise ParameterError(f"the number of processes must be at least 1, or -1 for all cores, not {wanted!r}")
    elif wanted < 0:
        wanted = available_cores() + 1 + wanted
    return max(1, min(wanted, parts))


def predict_parts(
    run: PredictionRun,
    source: File,
    folder: Path,
    options: ReadOptions,
    *,
    to: str | None,
    block: int,
    n_jobs: int | None,
    progress: Progress | None,
) -> Outcome:
    """Write each part of the source to a part in a folder. Every part is written completely or not at all."""
    if not isinstance(source, (str, os.PathLike)) or not (is_several(source) or Path(source).is_file()):
        raise ParameterError(f"{str(folder)!r} is a folder, and what is read is not a file or a folder; name a file")
    given = Input(source, options, block)
    written = check_writable(to or given.form)
    targets = _choose_targets(given.paths, folder_of_parts(source), folder, written)
    for target in targets.values() if is_pattern(source) else ():
        refuse_part(target, source, written)
    sizes = [path.stat().st_size for path in given.paths]
    packed = given.form in PACKED or any(map(is_packed, given.paths))
    jobs = process_count(n_jobs, len(targets), sum(sizes) * (_PACKED if packed else 1))
    if jobs > 1 and (model := model_of(run.model)) is not None:
        run = replace(run, model=model)  # a classifier would import scikit-learn: 2 s for each process
    known, others = replace(options, format=given.form), given.parts()
    parts = [
        _Part(run, *ends, written, size, known, block, others)
        for ends, size in zip(targets.items(), sizes, strict=True)
    ]
    if needs_types(given, written):
        numbers = reduce(and_, _run_parts(_Part.find_numbers, parts, jobs))
        parts = [replace(part, numbers=numbers) for part in parts]
    for target in targets.values():
        target.parent.mkdir(parents=True, exist_ok=True)
    meter = _Meter(progress, sum(sizes))
    found = {part.path: outcome for part, outcome in _predict_each(parts, jobs, meter)}
    return _merge_outcomes([found[part.path] for part in parts])


def _choose_targets(paths: Sequence[Path], home: Path, folder: Path, form: str) -> dict[Path, Path]:
    """Choose the output path of each part: its name within its own folder, with the ending of the format."""
    sources: dict[Path, Path] = {}
    folders = {_file_identity(one) for one in {path.parent for path in paths}}
    files = {_file_identity(path) for path in paths}  # there may be thousands of parts: avoid comparing all pairs
    for path in paths:
        name = path.relative_to(home)
        target = folder / path_in_format(name.with_suffix("") if form in PACKED and is_packed(name) else name, form)
        if target.parent.is_dir() and _file_identity(target.parent) in folders:
            raise OverwriteError(f"{str(target.parent)!r} is the folder that is read; write to another folder")
        if target.is_file() and _file_identity(target) in files:
            refuse_inputs(target, paths)
        if (twin := sources.setdefault(target, path)) != path:
            raise ParameterError(f"{twin} and {path} would both be written to {target}; rename one of them")
    return {path: target for target, path in sources.items()}


def _file_identity(path: Path) -> tuple[int, int]:
    """Return the device and inode of a file, which are the same through any links."""
    found = path.stat()
    return found.st_dev, found.st_ino


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the input and its output file, for one process; all parts are read in the same way."""

    run: PredictionRun
    path: Path
    target: Path
    form: str
    size: int
    options: ReadOptions
    block: int
    others: OtherParts
    numbers: NumberColumns | None = None

    def find_numbers(self) -> NumberColumns:
        """Find the columns of the part that may be numbers."""
        with self._name_part_in_errors():
            return find_numbers(self._input(), self.run.model)

    def predict(self, progress: Progress | None = None) -> tuple[_Part, Outcome]:
        """Predict the records of the part, and write them."""
        given = self._input()
        given.convert = None if self.numbers is None else self.numbers.convert
        with self._name_part_in_errors():
            outcome = self.run.write(given, self.target, self.form, progress)
        outcome.files.append(str(self.target))
        return self, outcome

    def _input(self) -> Input:
        """Open the part for reading."""
        return Input(self.path, self.options, self.block, self.others)

    @contextmanager
    def _name_part_in_errors(self) -> Iterator[None]:
        """Convert errors to ones that name the part."""
        try:
            yield
        except UnlessError as error:
            if str(self.path) not in str(error) and str(self.target) not in str(error):
                error.args = (f"{self.path}: {error.args[0]}", *error.args[1:])
            raise


def _run_parts(work: Callable[[_Part], Done], parts: Sequence[_Part], jobs: int) -> Iterator[Done]:
    """Yield the result for each part, in any order."""
    if jobs == 1:
        yield from map(work, parts)
        return
    from joblib import Parallel, delayed  # scikit-learn has it; its processes need no "if __name__ == '__main__'"

    each = (delayed(_in_process)(work, part, limits.current_limits(), jobs, Path.cwd()) for part in parts)
    yield from Parallel(n_jobs=jobs, return_as="generator_unordered")(each)


def _in_process(work: Callable[[_Part], Done], part: _Part, allowed: dict[str, int], jobs: int, home: Path) -> Done:
    """Work on a part in another process, with the limits of this one and its share of the cores."""
    os.chdir(home)  # joblib reuses processes, maybe started in another folder
    os.environ.setdefault("POLARS_MAX_THREADS", str(max(1, available_cores() // jobs)))
    import_module("polars")  # polars replaces the handler of Ctrl-C
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
    with limits.raised(**allowed):
        return work(part)


def _predict_each(parts: Sequence[_Part], jobs: int, meter: _Meter) -> Iterator[tuple[_Part, Outcome]]:
    """Write the parts."""
    done = _run_parts(_Part.predict, parts, jobs) if jobs > 1 else (part.predict(meter.within(part)) for part in parts)
    for part, outcome in done:
        meter.finish(part, outcome)
        yield part, outcome


def _merge_outcomes(outcomes: Sequence[Outcome]) -> Outcome:
    """Merge the outcomes of all parts, which have the same new columns."""
    whole, *others = outcomes
    for other in others:
        if other.columns != whole.columns:
            taken = next(name for name in (*other.columns, *whole.columns) if name not in whole.wanted)
            raise ReadError(
                f"{other.files[0]} and {whole.files[0]} call their new columns differently, since one of them has "
                f"{taken.rpartition('_')[0]!r} already; give the new columns another name with prefix"
            )
        whole.add(other)
    return whole


class _Meter:
    """Reports the number of records done, and the share of the input."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total = progress, max(total, 1)
        self._rows = self._bytes = 0

    def within(self, part: _Part) -> Progress:
        """Return the progress function of a part read in this process, called after every batch."""
        return lambda rows, share: self._report(self._rows + rows, self._bytes + (share or 0.0) * part.size)

    def finish(self, part: _Part, outcome: Outcome) -> None:
        """Report that a part is written."""
        self._rows, self._bytes = self._rows + outcome.rows, self._bytes + part.size
        self._report(self._rows, self._bytes)

    def _report(self, rows: int, size: float) -> None:
        if self._progress is not None:
            self._progress(rows, min(1.0, size / self._total))
