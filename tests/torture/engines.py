"""Random programs on hostile records and with hostile names: every engine decides as the plain definition does.

The plain definition is `Program.decides`, by `Literal.holds`. Compared with it, record by record: `predict`, the
exported Python and JavaScript, the scripts of the report page, graphs of ONNX, DuckDB, SQLite, PostgreSQL and, in
MySQL's dialect, MariaDB; and, on tables of their own, clingo and SWI-Prolog. Databases get the kinds of all columns,
and once more only of those that have no numbers. A program that an export refuses with our own error is counted
separately: databases, graphs and logic programs do not allow some names and labels. `predict`, Python, JavaScript and
the page take every one.
"""

from __future__ import annotations

import importlib.util
import math
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from decimal import Context, Decimal, Inexact
from pathlib import Path
from typing import Any

import unless
from tests.engines import Lacking, database, graphs, node
from tests.logic.test_prolog import derived
from tests.logic.traps import cases
from tests.models import defined_label
from tests.report.payload import payload
from tests.report.test_engine import ASK, SCRIPTS
from tests.strategies import CELLS, held_by, programs
from tests.torture.cells import READ_CELLS, Drawn, drawn_cells, renamed
from tests.torture.counts import Counts, drawn
from unless.errors import UnlessError
from unless.export import json as programs_as_json
from unless.export import to_javascript, to_python, to_sql
from unless.logic import from_clingo, run_clingo, to_clingo
from unless.rule import Program
from unless.table import Column, Table
from unless.values import cell_value

__all__ = ["search"]

NEVER_REFUSE = {"predict", "Python", "JavaScript", "report page"}
MARIADB = "mysql (MariaDB)"
AT_ONCE = 10  # programs with the same names and records
TARGETS = ["y", "term_expansion", "goal_expansion", "user", "prolog_load_context", "true", "false", "is", "main", ""]

Decide = Callable[[Program, list[dict[str, Any]]], list[Any]]


def search(budget: int, seed: int) -> Counts:
    """Compare so many times ten programs with every engine that is installed."""
    counts = Counts()
    with ExitStack() as stack:
        engines = dict(_opened(stack, counts))
        logic = dict(_logic(stack, counts))
        counts.compared.update(dict.fromkeys([*engines, *logic], 0))
        for number in range(seed, seed + budget):
            _compare_records(counts, number, engines)
            _compare_tables(counts, number, logic)
    return counts


# The engines.


def _opened(stack: ExitStack, counts: Counts) -> Iterator[tuple[str, Any]]:
    """Engines that take records: a function of these, which gives one of a program and the records."""
    yield "predict", lambda cells: _predict
    yield "Python", lambda cells: _python
    try:
        engine = stack.enter_context(node())
    except Lacking as what:
        counts.lacking.append(str(what))
    else:
        yield "JavaScript", lambda cells: lambda program, records: engine.run(to_javascript(program), records)
        yield "report page", lambda cells: lambda program, records: _page(engine, program, records)
    try:
        run = stack.enter_context(graphs())
    except Lacking as what:
        counts.lacking.append(str(what))
    else:
        yield "ONNX", lambda cells: lambda program, records: _graph(run, program, cells)
    for dialect in ("duckdb", "sqlite", "postgres", "mysql"):
        try:
            opened = stack.enter_context(database(dialect))
        except Lacking as what:
            counts.lacking.append(str(what))
            continue
        name = MARIADB if dialect == "mysql" else dialect
        yield name, lambda cells, opened=opened: _sql(opened, cells)
        yield f"{name}, columns not named", lambda cells, opened=opened: _bare(opened, cells)
        if dialect == "postgres":
            yield "postgres, numeric", lambda cells, opened=opened: _numeric(opened, cells)


def _predict(program: Program, records: list[dict[str, Any]]) -> list[Any]:
    table = Table(
        tuple(Column.of(name, [one[name] for one in records]) for name in program.features), rows=len(records)
    )
    return unless.predict(program, table).tolist()


def _python(program: Program, records: list[dict[str, Any]]) -> list[Any]:
    names: dict[str, Any] = {}
    exec(compile(to_python(program), "exported", "exec"), names)
    return list(map(names["classify"], records))


def _graph(run: Any, program: Program, cells: Drawn) -> list[Any]:
    """Labels of a graph, which has an empty text or NaN where no rule decides."""
    found = run(program, cells.table, columns=cells.read_kinds)["label"].tolist()
    if program.otherwise is not None:
        return found
    return [None if label == "" or label != label else label for label in found]  # noqa: PLR0124 - NaN


def _page(engine: Any, program: Program, records: list[dict[str, Any]]) -> list[Any]:
    data = payload(program)
    questions = [["decide", data, [cell_value(one[name]) for name in program.used]] for one in records]
    places = [answer["label"] for answer in engine.run(SCRIPTS + ASK, questions, "ask")]
    return [None if place is None else data["labels"][place] for place in places]


def _sql(opened: Any, cells: Drawn, types: dict[str, str] | None = None) -> Decide:
    def decide(program: Program, records: list[dict[str, Any]]) -> list[Any]:  # noqa: ARG001 - they are in the table
        sql = to_sql(program, opened.dialect, columns=cells.kinds)
        return opened.select(sql, cells.stored(opened, program.used, types))

    return decide


def _bare(opened: Any, cells: Drawn) -> Decide:
    """Without ``columns=``: numbers, or text that spells some, are told by the cells.

    Columns of numbers that rules compare with texts only are named: else 2.5 is the text that it is spelled as.
    """
    boolean = {name: "boolean" for name, kind in cells.kinds.items() if kind == "boolean"}
    texts = {name: "text" for name, kind in cells.kinds.items() if kind == "text"}

    def decide(program: Program, records: list[dict[str, Any]]) -> list[Any]:  # noqa: ARG001
        literals = [literal for rule in program.rules for literal in rule.literals()]
        compared = {literal.feature for literal in literals if isinstance(literal.value, float)}
        spelled = {literal.feature for literal in literals if isinstance(literal.value, str)} - compared
        numbers = {name: "number" for name in spelled if cells.kinds[name] == "number"}
        sql = to_sql(program, opened.dialect, columns=boolean | texts | numbers)
        return opened.select(sql, cells.stored(opened, program.used))

    return decide


def _numeric(opened: Any, cells: Drawn) -> Decide:
    """Decimals instead of doubles, in columns that have all their digits."""
    rng = random.Random(str(cells.cells))
    types = {name: "NUMERIC" if kind == "number" else kind for name, kind in cells.kinds.items()}
    stored = {
        name: [_decimal(rng, cell) if types[name] == "NUMERIC" else cell for cell in column]
        for name, column in cells.cells.items()
    }
    return _sql(opened, Drawn(cells.names, stored), types)


def _decimal(rng: random.Random, cell: float | None) -> str | None:
    """A decimal that is read as the double: itself, or where the decimals of the double end on either side."""
    if cell is None or not math.isfinite(cell):
        return None if cell is None else str(cell)
    exactly = Context(prec=2000, traps=[Inexact])
    decimals = [Decimal(repr(cell)), Decimal(cell)]
    for way in filter(math.isfinite, (math.nextafter(cell, -math.inf), math.nextafter(cell, math.inf))):
        middle = exactly.divide(exactly.add(Decimal(cell), Decimal(way)), Decimal(2))
        decimals += [middle, exactly.add(middle, Decimal("1e-1200")), exactly.subtract(middle, Decimal("1e-1200"))]
    return str(rng.choice([one for one in decimals if float(one) == cell]))


def _logic(stack: ExitStack, counts: Counts) -> Iterator[tuple[str, Any]]:
    """Engines that take tables of any cells."""
    if importlib.util.find_spec("clingo"):
        yield "clingo", lambda program, table: run_clingo(program, table).tolist()
        yield (
            "clingo, read back",
            lambda program, table: unless.predict(from_clingo(to_clingo(program)), table).tolist(),
        )
    else:
        counts.lacking.append("clingo")
    if command := shutil.which("swipl"):
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield "SWI-Prolog", lambda program, table: derived(command, folder, program, table)
    else:
        counts.lacking.append("SWI-Prolog")


# What is compared.


def _compare_records(counts: Counts, seed: int, engines: dict[str, Any]) -> None:
    cells, finite = drawn_cells(seed, CELLS), drawn_cells(seed, held_by("mysql", CELLS))
    own = {name: finite if name.startswith(MARIADB) else cells for name in engines}
    deciders = {name: opened(own[name]) for name, opened in engines.items()}
    for plain in drawn(programs(), AT_ONCE, seed):
        program = renamed(plain, cells.names)
        wanted = {id(one): one.labels(program) for one in (cells, finite)}
        read = list(map(program.label, cells.records))
        for name, decide in deciders.items():
            known = own[name]
            labels = read if name in READ_CELLS else wanted[id(known)]
            _check(counts, name, seed, program, labels, lambda: decide(program, known.records))  # noqa: B023


def _compare_tables(counts: Counts, seed: int, engines: dict[str, Any]) -> None:
    rng = random.Random(seed)
    for drawn_program, table in drawn(cases(), AT_ONCE, seed):
        target = rng.choice(TARGETS)
        program = drawn_program if target in drawn_program.features else replace(drawn_program, target=target)
        wanted = [defined_label(program, table.record(row)) for row in range(len(table))]
        for name, decide in engines.items():
            _check(counts, name, seed, program, wanted, lambda: decide(program, table))  # noqa: B023


def _check(
    counts: Counts, name: str, seed: int, program: Program, wanted: list[Any], decide: Callable[[], list[Any]]
) -> None:
    try:
        found = decide()
    except Exception as error:  # noqa: BLE001 - which is what is looked for
        if isinstance(error, UnlessError) and name not in NEVER_REFUSE:
            counts.besides[f"programs that the export to {name} refused"] += 1
            return
        told = f"{error!r} of {programs_as_json.dumps(program)}"
        counts.check(name, seed, lambda: told, same=False)
        return
    different = len(found) != len(wanted) or any(not _same(*pair) for pair in zip(found, wanted, strict=True))
    counts.compared[name] += len(wanted) - different
    if different:
        told = f"{found} instead of {wanted} of {programs_as_json.dumps(program)}"
        counts.check(name, seed, lambda: told, same=False)


def _same(found: Any, wanted: Any) -> bool:
    """Whether a label came back: SQLite has no booleans, JavaScript one type for numbers."""
    return found == wanted and isinstance(found, str) == isinstance(wanted, str)
