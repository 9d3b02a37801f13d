"""What a search counted, and what it found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

__all__ = ["Counts", "Search", "drawn", "timed"]


@dataclass
class Counts:
    """How many things of each kind were compared, and every difference with the seed that shows it again."""

    compared: Counter[str] = field(default_factory=Counter)
    differences: list[tuple[str, int, str]] = field(default_factory=list)
    """Each: of which kind, with which seed, and what differed."""
    besides: Counter[str] = field(default_factory=Counter)
    """What else was counted, such as programs that an export refused."""
    lacking: list[str] = field(default_factory=list)
    """What could not be compared, because it is not installed."""
    seconds: float = 0.0

    def check(self, kind: str, seed: int, tell: Callable[[], str], *, same: bool) -> None:
        """Count a comparison; if it is not the same, keep what there is to tell."""
        self.compared[kind] += 1
        if not same:
            self.differences.append((kind, seed, tell()))

    @property
    def found(self) -> Counter[str]:
        """How many differences there are of each kind."""
        return Counter(kind for kind, _, _ in self.differences)

    def told(self, name: str) -> str:
        """Every difference, with the command that shows it again."""
        lines = (f"{kind}: {what}\n  again: python -m tests.torture {name} --seed {seed} --budget 1"
                 for kind, seed, what in self.differences)  # fmt: skip
        return "\n".join(lines)


Search = Callable[[int, int], Counts]
"""A search of so many cases, the first of which is drawn from the seed, the next from the seed after it."""


def timed(search: Search, budget: int, seed: int) -> Counts:
    """What a search counts, and how long it takes."""
    start = perf_counter()
    counts = search(budget, seed)
    counts.seconds = perf_counter() - start
    return counts


def drawn(strategy: SearchStrategy[Any], number: int, start: int) -> Iterator[Any]:
    """So many examples of a strategy, the same for the same seed."""
    found: list[Any] = []

    @seed(start)
    @settings(
        max_examples=number,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(example: Any) -> None:
        found.append(example)

    collect()
    yield from found
