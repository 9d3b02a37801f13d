"""The time of ``import unless``."""

from __future__ import annotations

from benchmarks.report import Section, Target, duration
from benchmarks.timing import alone_code, median

__all__ = ["importing"]

LIMIT = 0.3

_CODE = """
import time
start = time.perf_counter()
import numpy
middle = time.perf_counter()
import unless
print({})
"""


def importing(repeats: int = 11) -> Section:
    """What the import costs beyond numpy's, in fresh processes."""
    numpy = median(alone_code(_CODE.format("middle - start")) for _ in range(repeats))
    ours = median(alone_code(_CODE.format("time.perf_counter() - middle")) for _ in range(repeats))
    text = f"Fresh processes that import numpy, then unless: medians of {repeats}, files in the cache of the system."
    rows = [["numpy", duration(numpy)], ["unless, beyond numpy", duration(ours)]]
    target = Target("import of unless beyond numpy's", f"< {LIMIT} s", duration(ours), ours < LIMIT)
    return Section("Import", text, ["import", "time"], rows, [target])
