"""Every open, write, flush, link and rename made to fail once: the old file stays, no other is left, the path is named.

Every close too, after which the file is the old one or the new one.

A library in C (`failing.c`), loaded before the system's own, lets the first call that changes a folder fail, then the
second, and so on, whatever code makes it. Where the program gets over a failure, the new file must be whole.
"""

from __future__ import annotations

import ctypes
import errno
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.torture.counts import Counts
from unless import UnlessClassifier, read_table
from unless.demo.applicants import TARGET, applicants_csv
from unless.export import json as programs
from unless.files import write_whole
from unless.report import report
from unless.stream import predict_file

__all__ = ["search"]

ROOT = Path(__file__).parents[2]
ERRORS = [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, 0]  # 0: a write takes only a part
MOST = 10_000


def search(budget: int, seed: int) -> Counts:
    """Let every call of every way to write fail, so many times."""
    counts = Counts()
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        counts.lacking.append("a C compiler on Linux")
        return counts
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "failing.so"
        source = Path(__file__).with_name("failing.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", source, "-o", library, "-ldl"], check=True)
        done = subprocess.run(
            [sys.executable, "-m", "tests.torture.faults", library, str(budget), str(seed)],
            capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "LD_PRELOAD": str(library)},
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    compared, differences = json.loads(done.stdout)
    counts.compared = Counter(compared)
    counts.differences = [tuple(one) for one in differences]
    return counts


def main(library: str, budget: str, seed: str) -> None:
    """Count in this process, which has the library."""
    counts, calls = Counts(), ctypes.CDLL(library)
    calls.failing_call.restype = ctypes.c_char_p
    with tempfile.TemporaryDirectory() as name:
        for number in range(int(seed), int(seed) + int(budget)):
            for kind, write in _writers(number).items():
                for old in (b"old" * 99, None):
                    _Folder(Path(name).resolve(), calls, counts, number).torture(kind, write, old)
    json.dump([counts.compared, counts.differences], sys.stdout)


def _writers(seed: int) -> dict[str, Callable[[Path], object]]:
    """The ways to write a file, by its ending."""
    rng = random.Random(seed)
    rows = applicants_csv(rng.choice([60, 300])).encode()
    table = read_table(rows, TARGET, format="csv")
    model = UnlessClassifier(warn=False).fit(table)
    blocks, times = rng.choice([3000, 1 << 23]), rng.choice([1, 50])

    def predicted(path: Path) -> None:
        predict_file(model, io.BytesIO(rows), path, format="csv", block=blocks)

    return {
        "bytes": lambda path: write_whole(path, rows * times),
        "program.json": lambda path: programs.save(model.program_, path),
        "model.json": model.save,
        "report.html": lambda path: report(model, table, path),
        **{f"predicted.{ending}": predicted for ending in ("csv", "csv.gz", "jsonl", "parquet", "arrow")},
    }


class _Folder:
    """A folder in which calls fail."""

    def __init__(self, folder: Path, calls: ctypes.CDLL, counts: Counts, seed: int) -> None:
        self._folder, self._calls, self._counts, self._seed = folder, calls, counts, seed
        self._rng = random.Random(seed)

    def torture(self, kind: str, write: Callable[[Path], object], old: bytes | None) -> None:
        """Let the calls that write a file fail, one after another, until none is left."""
        path = self._folder / kind
        write(path)
        new = path.read_bytes()
        for number in range(1, MOST):
            self._prepare(path, old)
            call, error = self._failing(number, lambda: write(path))
            if not call:
                break
            fault = self._fault(path, old, new, error)
            told = f"{kind}, call {number}, {'over an old file' if old else 'a new file'}: {fault}"
            self._counts.check(call, self._seed, lambda: told, same=fault is None)  # noqa: B023 - at once
        self._prepare(path, None)

    def _prepare(self, path: Path, old: bytes | None) -> None:
        path.unlink(missing_ok=True)
        if old is not None:
            path.write_bytes(old)

    def _failing(self, number: int, write: Callable[[], object]) -> tuple[str, BaseException | None]:
        """Which call failed, and what came of it."""
        self._calls.failing(os.fsencode(self._folder), ctypes.c_long(number), self._rng.choice(ERRORS))
        error: BaseException | None = None
        try:
            write()
        except BaseException as raised:  # noqa: BLE001 - whatever it is
            error = raised
        return self._calls.failing_call().decode(), error

    def _fault(self, path: Path, old: bytes | None, new: bytes, error: BaseException | None) -> str | None:
        """What is wrong after a call has failed; None if nothing is."""
        files = {one.name: one.read_bytes() for one in self._folder.iterdir()}
        content = files.pop(path.name, None)
        if files:
            return f"left {sorted(files)}, after {error!r}"
        if error is None:
            return None if content == new else "nothing was said, but the file is not the new one"
        if content != old:
            return f"the old file is gone, after {error!r}"
        named = isinstance(error, OSError) and error.filename == os.fspath(path) and path.name in str(error)
        return None if named else f"the path is not named: {error!r}"


if __name__ == "__main__":
    main(*sys.argv[1:])
