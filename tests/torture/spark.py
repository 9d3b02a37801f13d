"""Random programs, score cards and committees on hostile records in Spark: it decides as the plain definitions do.

Of programs, labels are compared, with the kinds of all columns, and once more only of those that have no numbers; of
score cards and committees labels, points and probabilities. What an export refuses is counted separately.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from tests.engines import Lacking, spark
from tests.strategies import CELLS, programs
from tests.torture import points
from tests.torture.cells import drawn_cells, renamed
from tests.torture.counts import Counts, drawn
from unless.errors import UnlessError
from unless.export import to_sql
from unless.export.json import dumps

__all__ = ["compare", "search"]

PROGRAMS, MODELS = 10, 2


def search(budget: int, seed: int) -> Counts:
    """Compare so many times ten programs, two score cards and two committees."""
    counts = Counts()
    with ExitStack() as stack:
        try:
            engine = stack.enter_context(spark())
        except Lacking as what:
            counts.lacking.append(str(what))
            return counts
        for number in range(seed, seed + budget):
            compare(counts, number, engine)
    return counts


def compare(counts: Counts, seed: int, engine: Any) -> None:
    """Compare what Spark makes of programs and models about the same records."""
    cells = drawn_cells(seed, CELLS)
    typed = {name: kind for name, kind in cells.kinds.items() if kind in ("text", "boolean")}
    for plain in drawn(programs(), PROGRAMS, seed):
        program = renamed(plain, cells.names)
        try:
            both = [to_sql(program, "spark", columns=columns) for columns in (cells.kinds, typed)]
        except UnlessError:
            counts.besides["programs that the export to Spark refused"] += 1
            continue
        found = engine.select_all(both, cells.stored(engine, program.used))
        wanted = cells.labels(program)
        for name, labels in zip(("programs", "programs, columns not named"), found, strict=True):
            counts.compared[name] += len(wanted) - (labels != wanted)
            if labels != wanted:
                told = f"{labels} instead of {wanted} of {dumps(program)}"
                counts.check(name, seed, lambda: told, same=False)  # noqa: B023 - at once
    for model in points.models_of(seed, cells, MODELS):
        wanted = points.wanted_of(model, cells)
        points.check(counts, "Spark", seed, model, wanted, lambda: points.sql_answer(engine, model, cells))  # noqa: B023
