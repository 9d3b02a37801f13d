"""The kernels built with AddressSanitizer and UndefinedBehaviorSanitizer, under the fuzzers of `tests.torture.kernels`.

A byte read or written outside of a buffer, or arithmetic that C leaves undefined, ends the process: a difference.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from tests.torture.counts import Counts

__all__ = ["last_round", "search"]

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "sanitize"
_FLAGS = ["-O1", "-g1", "-ffp-contract=off", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def search(budget: int, seed: int) -> Counts:
    """Build the kernels, and fuzz them in a process of their own."""
    counts = Counts()
    library = _library()
    if library is None:
        counts.lacking.append("gcc with libasan")
        return counts
    _build()
    # The interpreter itself leaks by design; its own small objects are allocated by malloc, where ASan sees them.
    env = {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.torture.sanitize", str(budget), str(seed)],
        capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "PYTHONMALLOC": "malloc", **env},
    )  # fmt: skip
    if done.returncode:
        counts.check("all kernels", last_round(done.stderr, seed), lambda: done.stderr[-4000:], same=False)
        return counts
    compared, differences = json.loads(done.stdout)
    counts.compared = Counter(compared)
    counts.differences = [tuple(one) for one in differences]
    return counts


def last_round(told: str, first: int) -> int:
    """The round that was begun last, by what the process told."""
    return int(([str(first), *re.findall(r"^round (\d+)$", told, re.MULTILINE)])[-1])


def _library() -> str | None:
    """Where AddressSanitizer's library is, which has to be loaded first."""
    if shutil.which("gcc") is None:
        return None
    told = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=False)
    return told.stdout.strip() if Path(told.stdout.strip()).is_absolute() else None


def _build() -> None:
    """Compile the kernels, unless they are newer than their source."""
    BUILD.mkdir(parents=True, exist_ok=True)
    sources = sorted((ROOT / "src" / "unless" / "kernels").glob("[!_]*.py"))
    newest = max(path.stat().st_mtime for path in (*sources, *sources[0].parent.glob("*.pxd"), Path(__file__)))
    stale = [path for path in sources if not _built(path.stem).exists() or _built(path.stem).stat().st_mtime < newest]
    with ThreadPoolExecutor() as pool:
        list(pool.map(_compile, stale))


def _compile(source: Path) -> None:
    translated = BUILD / f"{source.stem}.c"
    includes = [f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}"]
    subprocess.run([sys.executable, "-m", "cython", "-3", source, "-o", translated], check=True, cwd=ROOT / "src")
    subprocess.run(["gcc", "-shared", "-fPIC", *_FLAGS, *includes, translated, "-o", _built(source.stem)], check=True)


def _built(kernel: str) -> Path:
    return BUILD / f"{kernel}{sysconfig.get_config_var('EXT_SUFFIX')}"


class _SanitizedFirst:
    """Puts the kernels with sanitizers in the place of the others."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:  # noqa: ARG004 - of importlib
        package, _, kernel = name.rpartition(".")
        found = package == "unless.kernels" and _built(kernel).exists()
        return importlib.util.spec_from_file_location(name, _built(kernel)) if found else None


def main() -> None:
    """Fuzz the kernels of the build, and tell what was counted."""
    sys.meta_path.insert(0, _SanitizedFirst)  # type: ignore[arg-type]
    from tests.torture import kernels

    for name in kernels.NAMES:
        assert str(BUILD) in (sys.modules[f"unless.kernels.{name}"].__file__ or ""), name
    budget, seed = map(int, sys.argv[1:])
    compared: Counter[str] = Counter()
    differences = []
    for number in range(seed, seed + budget):
        sys.stderr.write(f"round {number}\n")  # the last thing that is known, if the process ends here
        sys.stderr.flush()
        counts = kernels.search(1, number)
        compared += counts.compared
        differences += counts.differences
    json.dump([compared, differences], sys.stdout)


if __name__ == "__main__":
    main()
