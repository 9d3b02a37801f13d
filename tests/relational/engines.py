"""Engines that run relational programs: clingo, SWI-Prolog, and databases, each beside the facts of a world."""

from __future__ import annotations

import math
import subprocess

import numpy as np

from tests.engines import Database
from unless.logic.relational_clingo import run_relational_clingo
from unless.logic.relational_prolog import RelationalProlog, relational_to_prolog
from unless.relational import NUMBER, RelationalProgram, World
from unless.relational.sql import relational_to_sql


def by_clingo(program: RelationalProgram, world: World) -> list:
    """The label of every individual, derived by clingo."""
    return run_relational_clingo(program, world).tolist()


def by_prolog(swipl: str, folder, program: RelationalProgram, world: World, dialect: str = "swi") -> list:
    """The label of every individual, derived by SWI-Prolog."""
    text = relational_to_prolog(program, world, dialect, facts=True)
    writer = RelationalProlog(program, world, dialect)
    if dialect == "scasp":
        text = "\n".join([*writer.directives(), text])
    labels = list(program.program.labels)
    text += ":- dynamic spelled/2.\n:- dynamic numbered/2.\n"
    text += "".join(f"spelled({place},{writer.term(label)}).\n" for place, label in enumerate(labels))
    individuals = [line[len(writer.individual) + 1 : -2] for line in list(writer.facts(world))[: len(world)]]
    text += "".join(f"numbered({place},{one}).\n" for place, one in enumerate(individuals))
    path = folder / "program.pl"
    path.write_text(text, encoding="utf-8")
    goal = f"forall((numbered(I,X),{writer.label}(X,L),spelled(K,T),T==L),(print(I-K),nl))"
    done = subprocess.run(
        [swipl, "-q", "-g", goal, "-t", "halt", str(path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert not done.stderr, done.stderr[:500]
    found = [None] * len(world)
    for line in done.stdout.splitlines():
        row, place = map(int, line.split("-"))
        assert found[row] in {None, labels[place]}, "two labels"
        found[row] = labels[place]
    return found


def load(database: Database, world: World) -> None:
    """Make a table of each relation, and one of the individuals; missing numbers are NULL."""
    number = {"duckdb": "DOUBLE", "postgres": "DOUBLE PRECISION", "sqlite": "REAL"}[database.dialect]
    for relation in world.relations.values():
        columns = [f"a{k + 1} {number if kind == NUMBER else 'VARCHAR'}" for k, kind in enumerate(relation.types)]
        create(database, relation.name, columns, rows(world, relation.types, relation.columns))
    roots = [f"x{place + 1} VARCHAR" for place in range(len(world.root))]
    create(database, "individuals", roots, rows(world, world.root, world.individuals))


def rows(world: World, types, columns) -> list[tuple]:
    """The rows of some columns, entities by name."""
    cells = [
        [None if math.isnan(one) else one for one in column.tolist()]
        if kind == NUMBER
        else [world.names[kind][code] if code >= 0 else None for code in column.tolist()]
        for kind, column in zip(types, columns, strict=True)
    ]
    return list(zip(*cells, strict=True))


def create(database: Database, name: str, columns: list[str], cells: list[tuple]) -> None:
    """A table with rows."""
    database.execute(f'DROP TABLE IF EXISTS "{name}"')
    database.execute(f'CREATE TABLE "{name}" ({", ".join(columns)})')
    if cells:
        database.insert(f'"{name}"', cells)


def by_sql(database: Database, program: RelationalProgram, world: World) -> list:
    """The label of every individual, selected from the tables that `load` made."""
    query = relational_to_sql(program, database.dialect, world=world)
    found = {tuple(row[:-1]): row[-1] for row in database.execute(query).fetchall()}
    return [found[one] for one in rows(world, world.root, world.individuals)]


def predicted(program: RelationalProgram, world: World) -> list:
    """What evaluation by joins says."""
    return np.asarray(program.predict(world)).tolist()
