"""Random score cards and committees on hostile records: every engine gives their labels, points and probabilities.

The plain definition is that of `ScoreCard.totals` and `Committee.sums`, on tables. Compared with it, record by record:
the exported Python and JavaScript, graphs of ONNX, and SQL in DuckDB, SQLite, PostgreSQL and, in MySQL's dialect,
MariaDB. Labels and points are equal, and probabilities to nine digits. What an export refuses is counted separately.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, NamedTuple

from tests.engines import Lacking, database, graphs, node
from tests.export.test_committee import committees
from tests.models import defined_label, model_of_program
from tests.strategies import CELLS, FEATURES, card_of, held_by, programs
from tests.torture.cells import READ_CELLS, Drawn, drawn_cells, renamed
from tests.torture.counts import Counts, drawn
from unless.errors import UnlessError
from unless.export import to_javascript, to_python, to_query
from unless.export.json import dumps
from unless.model import tests_of
from unless.model.points import expand_to_all_labels, probabilities_of
from unless.score.committee import Committee, labels_from_sums
from unless.table import Column, Table

__all__ = ["Answer", "check", "models_of", "search", "sql_answer", "wanted_of"]

AT_ONCE = 4  # score cards, and as many committees, with the same names and records


class Answer(NamedTuple):
    """What an engine says of each record; None where it does not say that."""

    labels: list[Any] | None
    points: list[list[int]] | None
    shares: list[list[float]]


Ask = Callable[[Any, Drawn], Answer]


def search(budget: int, seed: int) -> Counts:
    """Compare so many times four score cards and four committees with every engine that is installed."""
    counts = Counts()
    with ExitStack() as stack:
        engines = dict(_opened(stack, counts))
        kinds = [f"{name}, {kind}" for name in engines for kind in ("lists", "committees")]
        counts.compared.update(dict.fromkeys(kinds, 0))
        for number in range(seed, seed + budget):
            for name, ask in engines.items():
                cells = drawn_cells(number, held_by("mysql", CELLS) if name == "mysql (MariaDB)" else CELLS)
                for model in models_of(number, cells):
                    wanted = wanted_of(model, cells, read=name in READ_CELLS)
                    check(counts, name, number, model, wanted, lambda: ask(model, cells))  # noqa: B023
    return counts


def models_of(seed: int, cells: Drawn, some: int = AT_ONCE) -> Iterator[Any]:
    """Score cards of random programs, and committees, about the features of some records."""
    rng = random.Random(seed)
    for plain in drawn(programs(), some, seed):
        program = renamed(plain, cells.names)
        yield model_of_program(program, lazy_card=card_of(program, rng.randint(2, 4), seed))
    for voting in drawn(committees(), some, seed):
        lists = tuple(renamed(one, cells.names) for one in voting.lists)
        yield replace(voting, features=tuple(cells.names[name] for name in FEATURES), lists=lists)


def wanted_of(model: Any, cells: Drawn, *, read: bool = False) -> Answer:
    """The plain definition; with ``read``, text that spells a number is one where a rule compares numbers."""
    records = list(map(tests_of(model).read, cells.records)) if read else cells.records
    table = (
        Table(tuple(Column.of(name, [one[name] for one in records]) for name in cells.cells)) if read else cells.table
    )
    if isinstance(model, Committee):
        sums = model.sums(table)
        return Answer(labels_from_sums(model, sums).tolist(), sums.tolist(), probabilities_of(sums).tolist())
    points = expand_to_all_labels(model.card.totals(table), len(model.card.classes))
    labels = [defined_label(model.program, record) for record in records]
    return Answer(labels, points.tolist(), model.card.probabilities(table).tolist())


def check(counts: Counts, name: str, seed: int, model: Any, wanted: Answer, ask: Callable[[], Answer]) -> None:
    """Count the records on which an engine agrees, or keep what differs."""
    kind = f"{name}, {'committees' if isinstance(model, Committee) else 'lists'}"
    shown = str(model) if isinstance(model, Committee) else dumps(model.program)
    try:
        found = ask()
    except Exception as error:  # noqa: BLE001 - which is what is looked for
        if isinstance(error, UnlessError) and not name.startswith(("Python", "JavaScript")):
            counts.besides[f"models that the export to {name} refused"] += 1
            return
        told = f"{error!r} of {shown}"
        counts.check(kind, seed, lambda: told, same=False)
        return
    same = found.labels in (None, wanted.labels) and found.points in (None, wanted.points)
    pairs = [pair for rows in zip(found.shares, wanted.shares, strict=True) for pair in zip(*rows, strict=True)]
    same = same and all(math.isclose(float(one), other, rel_tol=0, abs_tol=1e-9) for one, other in pairs)
    counts.compared[kind] += len(wanted.shares) - (not same)
    if not same:
        told = f"{found} instead of {wanted} of {shown}"
        counts.check(kind, seed, lambda: told, same=False)


# The engines.


def _opened(stack: ExitStack, counts: Counts) -> Iterator[tuple[str, Ask]]:
    yield "Python", _python
    for name, opened, ask in (("JavaScript", node, _javascript), ("ONNX", graphs, _graph)):
        try:
            engine = stack.enter_context(opened())
        except Lacking as what:
            counts.lacking.append(str(what))
        else:
            yield name, lambda model, cells, engine=engine, ask=ask: ask(engine, model, cells)
    for dialect in ("duckdb", "sqlite", "postgres", "mysql"):
        try:
            opened = stack.enter_context(database(dialect))
        except Lacking as what:
            counts.lacking.append(str(what))
        else:
            name = "mysql (MariaDB)" if dialect == "mysql" else dialect
            yield name, lambda model, cells, opened=opened: sql_answer(opened, model, cells)


def _classes(model: Any) -> tuple[Any, ...]:
    return model.classes if isinstance(model, Committee) else model.card.classes


def _python(model: Any, cells: Drawn) -> Answer:
    def answers(what: str) -> list[Any]:
        names: dict[str, Any] = {}
        exec(compile(to_python(model, what=what), "exported", "exec"), names)
        return list(map(names["classify"], cells.records))

    points, shares = ([list(one.values()) for one in answers(what)] for what in ("points", "probability"))
    return Answer(answers("label"), points, shares)


def _javascript(engine: Any, model: Any, cells: Drawn) -> Answer:
    def answers(what: str) -> list[Any]:
        return engine.run(to_javascript(model, what=what), cells.records)

    points, shares = ([[one[w] for one in row] for row in answers(w)] for w in ("points", "probability"))
    return Answer(answers("label"), points, shares)


def _graph(run: Any, model: Any, cells: Drawn) -> Answer:
    found = run(model, cells.table, columns=cells.read_kinds)
    shares = found["probabilities"].tolist()
    if not isinstance(model, Committee) and model.program.otherwise is None:
        return Answer(None, None, shares)  # a graph has no label for "no label": the other search looks at them
    return Answer(found["label"].tolist(), None, shares)


def sql_answer(opened: Any, model: Any, cells: Drawn) -> Answer:
    """What a database says: of a query with label, points and probabilities."""
    to_query(model, "t", opened.dialect, ["probability"], cells.kinds)  # what is refused needs no table
    name = cells.stored(opened, model.used if isinstance(model, Committee) else model.program.used)
    query = to_query(model, name, opened.dialect, ["probability"], cells.kinds).rstrip().rstrip(";")
    rows = sorted(opened.execute(query).fetchall(), key=lambda row: row[0])
    wide = len(_classes(model))
    shares = [list(row[-wide:]) for row in rows]
    if isinstance(model, Committee):
        return Answer([row[-wide - 1] for row in rows], [list(row[-2 * wide - 1 : -wide - 1]) for row in rows], shares)
    return Answer([row[-wide - len(model.card.base) - 3] for row in rows], None, shares)  # before rule and points
