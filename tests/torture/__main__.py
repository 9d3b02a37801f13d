"""All searches, and docs/reliability.md of what they counted; or one of them: NAME --seed S --budget N.

A difference is printed with the command that shows it again, and ends the run with exit code 1.
"""

from __future__ import annotations

import argparse
import platform
import random
import sys
from datetime import UTC, datetime

from benchmarks.stale import mark

from tests.torture.counts import Counts, timed
from tests.torture.page import PAGE, page
from tests.torture.searches import SEARCHES


def main() -> int:
    """Search, and tell."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("name", nargs="?", choices=SEARCHES)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="where the cases begin")
    parser.add_argument("--budget", type=int, help="how many cases")
    asked = parser.parse_args()
    names = [asked.name] if asked.name else list(SEARCHES)
    results = {name: _searched(name, asked.seed, asked.budget) for name in names}
    if asked.name is None and asked.budget is None:
        machine = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
        PAGE.write_text(page(results, asked.seed, f"{datetime.now(UTC):%Y-%m-%d}, {machine}"))
        mark("reliability")
    return int(any(counts.differences for counts in results.values()))


def _searched(name: str, seed: int, budget: int | None) -> Counts:
    counts = timed(SEARCHES[name].search, budget or SEARCHES[name].torture, seed)
    compared, differences = counts.compared.total(), len(counts.differences)
    _say(f"{name}: {compared:,} compared, {differences} differ, {counts.seconds:.0f} s, seed {seed}")
    for what in counts.lacking:
        _say(f"{name}: {what} is not installed")
    if counts.differences:
        _say(counts.told(name))
    return counts


def _say(line: str) -> None:
    sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace") + b"\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
