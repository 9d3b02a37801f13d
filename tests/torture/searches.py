"""The searches by name, and how far each goes: in a short test, in a long one, and in `make torture`."""

from __future__ import annotations

from dataclasses import dataclass

from tests.lengths import LONG
from tests.torture import engines, faults, kernels, kills, points, sanitize, spark, streams
from tests.torture.counts import Search

__all__ = ["SEARCHES", "Planned"]


@dataclass(frozen=True)
class Planned:
    """A search, what a person is told of it, and its budgets."""

    search: Search
    title: str
    cases: str
    short: int
    long: int
    torture: int

    @property
    def of_tests(self) -> int:
        """How far it goes in the tests."""
        return self.long if LONG else self.short


SEARCHES = {
    "streams": Planned(streams.search, "Predictions for files against those in memory", "files", 20, 100, 2000),
    "engines": Planned(
        engines.search, "Exported programs against the plain definition", "sets of ten programs", 1, 4, 100
    ),
    "points": Planned(points.search, "Points and probabilities of exported models", "sets of eight models", 1, 4, 100),
    "spark": Planned(spark.search, "Exported models in Spark", "sets of ten programs and four models", 0, 1, 20),
    "kernels": Planned(kernels.search, "Compiled kernels against interpreted ones", "rounds of calls", 40, 500, 10_000),
    "sanitize": Planned(sanitize.search, "Kernels under ASan and UBSan", "rounds of calls", 0, 0, 5000),
    "kills": Planned(kills.search, "Commands killed at random moments", "kills", 2, 8, 100),
    "faults": Planned(faults.search, "Calls of the system that fail", "rounds of every call", 1, 2, 20),
}
